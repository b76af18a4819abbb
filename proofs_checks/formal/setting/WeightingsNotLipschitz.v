(** * Claimed examples that the Lipschitz assumption excludes      (paper: section 2, examples of objectives)

    VaR at level 1/2, G(tau) = 1(tau >= 1/2), is a weighting, but its objective is not continuous in the distribution
    function: laws on {0, 1} whose distribution functions differ by e have VaR 0 and 1.  So no bound by a multiple of
    the Kolmogorov distance holds for it.

    Cumulative probability weighting with exponent 1/2, G(tau) = sqrt(tau) / (sqrt(tau) + sqrt(1 - tau))^2, rises from
    G(0) = 0 faster than any line.  CVaR is Lipschitz with constant 1/alpha, alpha in (0, 1]. *)

Require Import Reals Lra Lia List ZArith.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts RockafellarUryasev.
Import ListNotations.
Open Scope R_scope.

(** ** Value at risk *)

Definition var_weight (alpha tau : R) : R := ind (Rle_dec alpha tau).

Lemma weighting_var alpha : 0 < alpha <= 1 -> weighting (var_weight alpha).
Proof.
  intros Ha; unfold var_weight; split.
  - apply ind_no; lra.
  - apply ind_yes; lra.
  - intros x y _ Hxy _. apply ind_le; lra.
  - intros x eps Hx Heps. destruct (Rle_dec alpha x) as [Hax|Hax].
    + exists 1; split; [lra|]. intros y Hy _. rewrite ind_yes by lra. simpl; lra.
    + exists (alpha - x); split; [lra|]. intros y Hy _. rewrite ind_no by lra. simpl; lra.
Qed.

Definition bernoulli (p : R) : dist R := [(0, 1 - p); (1, p)].

Lemma law_bernoulli p : 0 <= p <= 1 -> is_law (bernoulli p).
Proof. intros Hp; split; [|simpl; ring]. intros x q [H|[H|[]]]; injection H as <- <-; lra. Qed.

Lemma bernoulli_close p q x : Rabs (cdf (bernoulli p) x - cdf (bernoulli q) x) <= Rabs (p - q).
Proof.
  unfold cdf, bernoulli; simpl E. pose proof (Rabs_pos (p - q)).
  destruct (Rle_dec 0 x), (Rle_dec 1 x); simpl ind.
  - replace ((1 - p) * 1 + (p * 1 + 0) - ((1 - q) * 1 + (q * 1 + 0))) with 0 by ring. rewrite Rabs_R0; lra.
  - replace ((1 - p) * 1 + (p * 0 + 0) - ((1 - q) * 1 + (q * 0 + 0))) with (- (p - q)) by ring. rewrite Rabs_Ropp; lra.
  - lra.
  - replace ((1 - p) * 0 + (p * 0 + 0) - ((1 - q) * 0 + (q * 0 + 0))) with 0 by ring. rewrite Rabs_R0; lra.
Qed.

Lemma var_of_bernoulli p : 0 <= p <= 1 -> Phi (var_weight (1 / 2)) (bernoulli p) = if Rle_dec p (1 / 2) then 0 else 1.
Proof.
  intros Hp. rewrite (Phi_eq_rank_sum _ (bernoulli p) 0 1);
    [|apply weighting_var; lra | now apply law_bernoulli | simpl; lra].
  unfold bernoulli; simpl rank_sum. replace (0 + (1 - p) + p) with 1 by ring. rewrite Rplus_0_l. unfold var_weight.
  rewrite (ind_yes (Rle_dec (1 / 2) 1)) by lra.
  destruct (Rle_dec p (1 / 2)); [rewrite (ind_yes (Rle_dec (1 / 2) (1 - p)))
    by lra | rewrite (ind_no (Rle_dec (1 / 2) (1 - p))) by lra]; ring.
Qed.

(** Given: 0 < e <= 1/2, coins with P(1) = 1/2 + e and 1/2.
    Differs: at level 1/2; distance at most e, values 1 and 0, so e < 1/L exceeds the constant L. *)
Theorem var_is_not_continuous e :
  0 < e <= 1 / 2 ->
  (forall x, Rabs (cdf (bernoulli (1 / 2 + e)) x - cdf (bernoulli (1 / 2)) x) <= e) /\
  Phi (var_weight (1 / 2)) (bernoulli (1 / 2 + e)) = 1 /\ Phi (var_weight (1 / 2)) (bernoulli (1 / 2)) = 0.
Proof.
  intros He. split; [|split].
  - intros x. eapply Rle_trans; [apply bernoulli_close|]. replace (1 / 2 + e - 1 / 2) with e by ring.
    rewrite Rabs_pos_eq; lra.
  - rewrite var_of_bernoulli by lra. destruct (Rle_dec (1 / 2 + e) (1 / 2)); lra.
  - rewrite var_of_bernoulli by lra. destruct (Rle_dec (1 / 2) (1 / 2)); lra.
Qed.

(** ** Cumulative probability weighting *)

Definition cpw_half (tau : R) : R := sqrt tau / (sqrt tau + sqrt (1 - tau)) ^ 2.

Lemma cpw_at n : (0 < n)%nat -> let tau := / (INR n ^ 2 + 1) in
  0 < tau <= 1 /\ cpw_half 0 = 0 /\ INR n / 4 * tau <= cpw_half tau.
Proof.
  intros Hn tau. assert (H1 : 1 <= INR n) by (apply (le_INR 1); lia).
  set (s := sqrt (INR n ^ 2 + 1)).
  assert (Hpos : 0 < INR n ^ 2 + 1) by (pose proof (pow2_ge_0 (INR n)); lra).
  assert (Hs : 0 < s) by now apply sqrt_lt_R0.
  assert (Hss : s * s = INR n ^ 2 + 1) by (apply sqrt_sqrt; lra).
  assert (Hns : INR n <= s).
  { apply Rnot_lt_le; intros Hlt. nra. }
  assert (Hsqrt : sqrt tau = / s) by (unfold tau, s; now rewrite sqrt_inv).
  assert (Hsqrt' : sqrt (1 - tau) = INR n / s).
  { replace (1 - tau) with ((INR n / s) * (INR n / s)).
    - apply sqrt_square, Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat].
    - unfold tau. rewrite <- Hss. replace (INR n / s * (INR n / s)) with (INR n ^ 2 / (s * s)) by (field; lra).
      replace (INR n ^ 2) with (s * s - 1) by lra. field; lra. }
  split; [|split].
  - split; [now apply Rinv_0_lt_compat|]. rewrite <- Rinv_1. apply Rinv_le_contravar; [lra|].
    pose proof (pow2_ge_0 (INR n)); lra.
  - unfold cpw_half. rewrite sqrt_0. unfold Rdiv; ring.
  - unfold cpw_half. rewrite Hsqrt, Hsqrt'. unfold tau. rewrite <- Hss.
    replace (/ s / (/ s + INR n / s) ^ 2) with (s / (1 + INR n) ^ 2) by (field; lra).
    apply Rmult_le_reg_r with (4 * (s * s) * (1 + INR n) ^ 2).
    { apply Rmult_lt_0_compat; [nra | apply pow_lt; lra]. }
    replace (INR n / 4 * / (s * s) * (4 * (s * s) * (1 + INR n) ^ 2)) with (INR n * (1 + INR n) ^ 2) by (field; lra).
    replace (s / (1 + INR n) ^ 2 * (4 * (s * s) * (1 + INR n) ^ 2)) with (4 * (s * (s * s))) by (field; lra).
    rewrite Hss. nra.
Qed.

(** Given: gamma = 1/2, any L.
    Differs: no Lipschitz constant on [0, 1]; the claim names a point near 0.
    Step of: assump:lipschitz/cpw. *)
Theorem cpw_is_not_lipschitz L : ~ lipschitz_weighting cpw_half L.
Proof.
  intros HL. set (n := Z.to_nat (up (4 * Rmax L 0 + 1))).
  assert (Hn : 4 * L < INR n /\ (0 < n)%nat).
  { destruct (archimed (4 * Rmax L 0 + 1)) as [H1 _]. pose proof (Rmax_r L 0). pose proof (Rmax_l L 0).
    assert (Hup : (0 < up (4 * Rmax L 0 + 1))%Z) by (apply lt_IZR; lra).
    unfold n. rewrite INR_IZR_INZ, Z2Nat.id by lia. split; [lra | lia]. }
  destruct Hn as [HnL Hn]. destruct (cpw_at n Hn) as [Htau [H0 Hge]]. set (tau := / (INR n ^ 2 + 1)) in *.
  specialize (HL tau 0 ltac:(lra) ltac:(lra)). rewrite H0, !Rminus_0_r, (Rabs_pos_eq tau) in HL by lra.
  pose proof (Rle_abs (cpw_half tau)). nra.
Qed.

(** ** Conditional value at risk *)

(** Given: 0 < alpha <= 1.
    Differs: the constant 1/alpha; not that the objective is the mean of the worst share.
    Step of: def:objective/cvar. *)
Theorem cvar_is_lipschitz alpha : 0 < alpha <= 1 -> lipschitz_weighting (cvar_weight alpha) (/ alpha).
Proof.
  intros Ha x y _ _. unfold cvar_weight.
  assert (H : forall u v, u <= v -> Rabs (Rmin (u / alpha) 1 - Rmin (v / alpha) 1) <= / alpha * Rabs (u - v)).
  { intros u v Huv. assert (Hi : 0 < / alpha) by (apply Rinv_0_lt_compat; lra).
    assert (u / alpha <= v / alpha) by (apply Rmult_le_compat_r; lra).
    rewrite (Rabs_left1 (u - v)) by lra. replace (/ alpha * - (u - v)) with (v / alpha - u / alpha) by (field; lra).
    unfold Rmin; destruct (Rle_dec (u / alpha) 1), (Rle_dec (v / alpha) 1); apply Rabs_le; lra. }
  destruct (Rle_dec x y); [now apply H|]. rewrite Rabs_minus_sym, (Rabs_minus_sym x). apply H; lra.
Qed.
