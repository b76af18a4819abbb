(** The event: the estimates of the transitions and of the rewards lie within their radii. *)
Load "setup/Transitions".
Hypothesis HR : dkw_event M Rt eps.
