(** A decision process whose parts are laws. *)
Variable M : mdp S A.
Hypothesis HM : is_mdp M.
