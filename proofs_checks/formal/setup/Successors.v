(** Nonempty lists of the actions of a state and of the declared successors of a pair. *)
Variable acts : S -> list A.
Hypothesis Hacts : forall s, acts s <> [].
Variable succ : S -> A -> list S.
Hypothesis Hsucc : forall s a, succ s a <> [].
