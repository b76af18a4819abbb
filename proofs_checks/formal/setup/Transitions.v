(** Rewards in [0, 1], estimates, and the transitions' half of the event. *)
Load "setup/Estimates".
Hypothesis HM : is_mdp M.
Hypothesis Hrew : rewards_within 1 M.
Hypothesis Hest : estimates Pt Rt eps.
Hypothesis HP : hoeffding_event state_dec M Pt eps.
