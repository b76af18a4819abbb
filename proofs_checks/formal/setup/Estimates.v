(** Finitely many states, a decision process, and estimates of its laws with a radius for each pair. *)
Context {S A : Type}.
Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
Variable states : list S.
Hypothesis Hnodup : NoDup states.
Hypothesis Hall : forall s, In s states.
Variable M : mdp S A.
Variables (Pt : S -> A -> dist S) (Rt : S -> A -> dist R) (eps : S -> A -> R).
