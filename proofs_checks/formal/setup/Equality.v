(** States and actions that can be told apart, so that they can be counted. *)
Context {S A : Type}.
Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
Variable action_dec : forall a a' : A, {a = a'} + {a <> a'}.
