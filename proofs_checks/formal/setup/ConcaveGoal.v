(** A concave Lipschitz weighting, a bound [z] on every return, and the largest value of the objective. *)
Variables (G : R -> R) (L z : R).
Hypothesis HG : weighting G.
Hypothesis HGL : lipschitz_weighting G L.
Hypothesis HGc : concave_weighting G.
Hypothesis Hz : 0 <= z.
Hypothesis Hreturn : forall pi, is_policy pi -> allowed acts M pi ->
  almost_surely (return_law M pi) (fun x => 0 <= x <= z).
Variable best : R.
Hypothesis Hbest : is_lub (fun x => exists pi, is_policy pi /\ allowed acts M pi /\ x = value G M pi) best.
