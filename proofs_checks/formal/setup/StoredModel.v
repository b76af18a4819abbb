(** A decision process and its masses as they are stored, each rounded once with relative error [u]. *)
Context {S A : Type}.
Variable acts : S -> list A.
Variable M : mdp S A.
Variable u : R.
Variables (P' : S -> A -> dist S) (R' : S -> A -> dist R).
Variables (nnz m : nat).
Hypothesis Hacts : forall s, acts s <> [].
Hypothesis HM : is_mdp M.
Hypothesis Hu : 0 <= u < 1.
Hypothesis HP : forall s a, stored u (trans M s a) (P' s a).
Hypothesis HR : forall s a, stored u (reward M s a) (R' s a).
Hypothesis Hnnz : forall s a, (length (trans M s a) <= nnz)%nat.
Hypothesis Hm : forall s a, (length (reward M s a) <= m)%nat.
