(** A decision process and a policy, randomised and with memory. *)
Variable M : mdp S A.
Variable pi : policy S A.
Hypothesis HM : is_mdp M.
Hypothesis Hpi : is_policy pi.
