(** On the event: the true model M and the optimistic model M'. *)
Load "setup/Event".
Variable acts : S -> list A.
Hypothesis Hacts : forall s, acts s <> [].
Let M' : mdp (option S) A := optimistic state_dec states M Pt Rt eps.
Let acts' : option S -> list A := optimistic_acts states acts.
