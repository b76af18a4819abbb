(** Two decision processes with the same start and the same horizon. *)
Variables M M' : mdp S A.
Hypothesis HM : is_mdp M.
Hypothesis HM' : is_mdp M'.
Hypothesis Hinit : init M' = init M.
Hypothesis Hhor : horizon M' = horizon M.
