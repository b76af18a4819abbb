(** A decision process with a nonempty list of actions for each state. *)
Context {S A : Type}.
Variable acts : S -> list A.
Variable M : mdp S A.
Hypothesis Hacts : forall s, acts s <> [].
Hypothesis HM : is_mdp M.
