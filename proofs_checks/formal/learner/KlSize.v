(** * The a priori bound in the number of states: S^{3/2} becomes S

    With at most S0 successors and at most S0 |A| pairs, the leading term of [KlRegret.v] is

      ((T - 1) min(S0, 2 sqrt S0) + 2) sqrt(2 #pairs k T lambda)  <=  2 sqrt 2  T S0 sqrt( |A| k T lambda ) ,

    linear in S0 where the corrected theorem and the paper have the power 3/2. *)

Require Import Reals Lra Psatz.
Open Scope R_scope.

(** Given: all reals T, S0 >= 1, pairs at most S0 |A|.
    Differs: arithmetic only.
    In words: 10-kl-learner.md#kl-apriori.
    Step of: corrected/ii. *)
Theorem leading_term_is_linear_in_states T S0 A pairs k lambda :
  1 <= T -> 1 <= S0 -> 0 <= A -> 0 <= pairs <= S0 * A -> 0 <= k -> 0 <= lambda ->
  ((T - 1) * Rmin S0 (2 * sqrt S0) + 2) * sqrt (2 * pairs * k * T * lambda) <=
    2 * sqrt 2 * T * S0 * sqrt (A * k * T * lambda).
Proof.
  intros HT HS HA Hp Hk Hl.
  assert (Hs1 : 1 <= sqrt S0) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; lra).
  assert (Hss : sqrt S0 * sqrt S0 = S0) by (apply sqrt_sqrt; lra).
  assert (Hg : (T - 1) * Rmin S0 (2 * sqrt S0) + 2 <= 2 * T * sqrt S0).
  { pose proof (Rmin_r S0 (2 * sqrt S0)) as Hm. apply (Rmult_le_compat_l (T - 1)) in Hm; [|lra]. nra. }
  assert (H0 : 0 <= (T - 1) * Rmin S0 (2 * sqrt S0) + 2).
  { assert (0 <= Rmin S0 (2 * sqrt S0)) by (apply Rmin_glb; lra). nra. }
  assert (Hroot : sqrt (2 * pairs * k * T * lambda) <= sqrt 2 * (sqrt S0 * sqrt (A * k * T * lambda))).
  { assert (Hk2 : 0 <= k * T * lambda) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
    rewrite <- !sqrt_mult; try lra; try (apply Rmult_le_pos; lra).
    - apply sqrt_le_1_alt. replace (2 * (S0 * (A * k * T * lambda))) with (2 * (S0 * A) * (k * T * lambda)) by ring.
      replace (2 * pairs * k * T * lambda) with (2 * pairs * (k * T * lambda)) by ring.
      apply Rmult_le_compat_r; lra.
    - apply Rmult_le_pos; [lra|]. replace (A * k * T * lambda) with (A * (k * T * lambda)) by ring.
      now apply Rmult_le_pos.
    - replace (A * k * T * lambda) with (A * (k * T * lambda)) by ring. now apply Rmult_le_pos. }
  apply Rle_trans with (2 * T * sqrt S0 * (sqrt 2 * (sqrt S0 * sqrt (A * k * T * lambda)))).
  - apply Rmult_le_compat; [assumption | apply sqrt_pos | assumption | assumption].
  - right. rewrite <- Hss at 3. ring.
Qed.
