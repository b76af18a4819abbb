(** A weighting with Lipschitz constant [L]. *)
Variables (G : R -> R) (L : R).
Hypothesis HG : weighting G.
Hypothesis HGL : lipschitz_weighting G L.
