(** * The Beta(1/2, 1/2) mixture of coins and its redundancy

    kt a b is the probability that the mixture gives to one sequence of a ones and b zeros: the next symbol is a one
    with probability (a + 1/2) / (a + b + 1).  ml a b = (a/n)^a (b/n)^b, n = a + b, is the largest probability that a
    coin gives to it.

      kt (a + 1) b + kt a (b + 1) = kt a b ,          kt a b >= ml a b / (2 sqrt(a + b))     for a + b >= 1 . *)

Require Import Reals Lra Lia Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Fixpoint rising (n : nat) : R :=
  match n with
  | O => 1
  | S n' => rising n' * (INR n' + / 2)
  end.

Definition kt (a b : nat) : R := rising a * rising b / INR (fact (a + b)).

(** The probability that a coin of mass p gives to one such sequence, and the largest one. *)
Definition lik (p : R) (a b : nat) : R := p ^ a * (1 - p) ^ b.
Definition ml (a b : nat) : R := lik (INR a / INR (a + b)) a b.

Lemma rising_pos n : 0 < rising n.
Proof. induction n as [|n IH]; simpl; [lra|]. pose proof (pos_INR n). nra. Qed.

Lemma kt_pos a b : 0 < kt a b.
Proof.
  unfold kt. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; apply rising_pos | apply INR_fact_lt_0].
Qed.

Lemma kt_0 : kt 0 0 = 1.
Proof. unfold kt; simpl; field. Qed.

Lemma kt_sym a b : kt a b = kt b a.
Proof. unfold kt. now rewrite Nat.add_comm, (Rmult_comm (rising a)). Qed.

Lemma kt_one a b : kt (S a) b = kt a b * ((INR a + / 2) / (INR a + INR b + 1)).
Proof.
  unfold kt. cbn [rising Nat.add]. change (fact (S (a + b))) with (S (a + b) * fact (a + b))%nat.
  rewrite mult_INR, S_INR, plus_INR. pose proof (pos_INR a); pose proof (pos_INR b).
  pose proof (INR_fact_lt_0 (a + b)). field. split; lra.
Qed.

Lemma kt_zero a b : kt a (S b) = kt a b * ((INR b + / 2) / (INR a + INR b + 1)).
Proof. rewrite kt_sym, kt_one, kt_sym. f_equal. f_equal. ring. Qed.

Lemma kt_split a b : kt (S a) b + kt a (S b) = kt a b.
Proof. rewrite kt_one, kt_zero. pose proof (pos_INR a); pose proof (pos_INR b). field. lra. Qed.

(** ** Two inequalities about the logarithm *)

Lemma deriv_nonneg_le (f f' : R -> R) (a b : R) :
  a <= b -> (forall x, a <= x <= b -> is_derive f x (f' x)) -> (forall x, a <= x <= b -> 0 <= f' x) -> f a <= f b.
Proof.
  intros Hab Hd Hn. destruct (MVT_gen f a b f') as [c [Hc He]].
  - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by assumption. apply Hd; lra.
  - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by assumption. apply continuity_pt_filterlim.
    apply (ex_derive_continuous f). exists (f' x). apply Hd; lra.
  - rewrite Rmin_left, Rmax_right in Hc by assumption. specialize (Hn c Hc). nra.
Qed.

Lemma ln_quotient x y : 0 < x -> 0 < y -> ln (x / y) = ln x - ln y.
Proof.
  intros Hx Hy. unfold Rdiv. rewrite ln_mult, ln_Rinv; [ring | assumption | assumption | now apply Rinv_0_lt_compat].
Qed.

Lemma ln_ge_harmonic z : 0 <= z -> 2 * z / (2 + z) <= ln (1 + z).
Proof.
  intros Hz. enough (ln (1 + 0) - 2 * 0 / (2 + 0) <= ln (1 + z) - 2 * z / (2 + z)).
  { replace (ln (1 + 0)) with 0 in H by (rewrite Rplus_0_r, ln_1; reflexivity). lra. }
  apply (deriv_nonneg_le (fun z => ln (1 + z) - 2 * z / (2 + z)) (fun z => / (1 + z) - 4 / (2 + z) ^ 2));
    [assumption| |].
  - intros x Hx. auto_derive; [split; [lra | split; [lra | exact I]] || (repeat split; lra)|]. field. lra.
  - intros x Hx. replace (/ (1 + x) - 4 / (2 + x) ^ 2) with (x ^ 2 / ((1 + x) * (2 + x) ^ 2)) by (field; lra).
    apply Rdiv_le_0_compat; [apply pow2_ge_0|]. apply Rmult_lt_0_compat; [lra | apply pow_lt; lra].
Qed.

Lemma entropy_gap u : 0 <= u < 1 -> (1 + u) * ln (1 + u) - (1 - u) * ln (1 - u) <= 2 * u.
Proof.
  intros Hu. set (f := fun u => 2 * u - (1 + u) * ln (1 + u) + (1 - u) * ln (1 - u)).
  enough (f 0 <= f u) by (unfold f in *; rewrite !Rplus_0_r, !Rminus_0_r, ln_1 in *; lra).
  apply (deriv_nonneg_le f (fun u => - ln (1 + u) - ln (1 - u))); [lra| |].
  - intros x Hx. unfold f. auto_derive; [repeat split; lra|]. change (1 + - x) with (1 - x). field. lra.
  - intros x Hx. assert (ln (1 + x) + ln (1 - x) <= 0); [|lra].
    rewrite <- ln_mult by lra. rewrite <- ln_1. destruct (Req_dec x 0) as [->|Hx0].
    + right; f_equal; ring.
    + left; apply ln_increasing; nra.
Qed.

Lemma growth_total n : (1 <= n)%nat -> 1 <= (INR n + / 2) * ln ((INR n + 1) / INR n).
Proof.
  intros Hn. assert (H1 : 1 <= INR n) by (replace 1 with (INR 1) by reflexivity; now apply le_INR).
  pose proof (ln_ge_harmonic (/ INR n) ltac:(left; apply Rinv_0_lt_compat; lra)) as H.
  replace (1 + / INR n) with ((INR n + 1) / INR n) in H by (field; lra).
  replace (2 * / INR n / (2 + / INR n)) with (/ (INR n + / 2)) in H by (field; lra).
  apply (Rmult_le_compat_l (INR n + / 2)) in H; [|lra]. rewrite Rinv_r in H by lra. exact H.
Qed.

Lemma growth_part n : (1 <= n)%nat -> INR n * ln ((INR n + 1) / INR n) + ln ((INR n + 1) / (INR n + / 2)) <= 1.
Proof.
  intros Hn. assert (H1 : 1 <= INR n) by (replace 1 with (INR 1) by reflexivity; now apply le_INR).
  set (u := / (2 * INR n + 1)). assert (Hu : 0 < u) by (apply Rinv_0_lt_compat; lra).
  assert (Hu1 : u < 1) by (unfold u; rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
  pose proof (entropy_gap u ltac:(lra)) as H.
  replace ((INR n + 1) / INR n) with ((1 + u) / (1 - u)) by (unfold u; field; repeat split; lra).
  replace ((INR n + 1) / (INR n + / 2)) with (1 + u) by (unfold u; field; repeat split; lra).
  rewrite ln_quotient by lra.
  replace (INR n) with ((1 - u) / (2 * u)) by (unfold u; field; repeat split; lra).
  apply (Rmult_le_reg_l (2 * u)); [lra|].
  replace (2 * u * ((1 - u) / (2 * u) * (ln (1 + u) - ln (1 - u)) + ln (1 + u)))
    with ((1 + u) * ln (1 + u) - (1 - u) * ln (1 - u)) by (field; lra). lra.
Qed.

(** ** The redundancy *)

(** ln of a^a, with 0^0 = 1. *)
Definition xlnx (n : nat) : R := INR n * ln (INR n).

Lemma ln_self_power n : ln (INR n ^ n) = xlnx n.
Proof.
  unfold xlnx; destruct n as [|n]; [simpl; rewrite ln_1; ring|]. now rewrite ln_pow by (apply lt_0_INR; lia).
Qed.

Lemma xlnx_S n : (1 <= n)%nat -> xlnx (S n) - xlnx n = INR n * ln ((INR n + 1) / INR n) + ln (INR n + 1).
Proof.
  intros Hn. assert (H1 : 1 <= INR n) by (replace 1 with (INR 1) by reflexivity; now apply le_INR).
  unfold xlnx. rewrite S_INR, ln_quotient by lra. ring.
Qed.

(** ln of the ratio of kt and ml / sqrt n. *)
Definition gain (a b : nat) : R := ln (kt a b) + (INR (a + b) + / 2) * ln (INR (a + b)) - xlnx a - xlnx b.

Lemma gain_sym a b : gain a b = gain b a.
Proof. unfold gain. rewrite (kt_sym a b), (Nat.add_comm a b). ring. Qed.

Lemma gain_grows a b : (1 <= a)%nat -> gain a b <= gain (S a) b.
Proof.
  intros Ha. set (n := (a + b)%nat).
  assert (H1 : 1 <= INR a) by (replace 1 with (INR 1) by reflexivity; now apply le_INR).
  assert (Hn : 1 <= INR n) by (replace 1 with (INR 1) by reflexivity; apply le_INR; lia).
  pose proof (growth_total n ltac:(lia)) as Ht. pose proof (growth_part a Ha) as Hp. pose proof (xlnx_S a Ha) as Hx.
  unfold gain. replace (S a + b)%nat with (S n) by lia. fold n.
  rewrite kt_one, S_INR. replace (INR a + INR b + 1) with (INR n + 1) by (unfold n; rewrite plus_INR; ring).
  rewrite ln_mult; [|apply kt_pos | apply Rdiv_lt_0_compat; lra].
  rewrite !ln_quotient in * by lra. lra.
Qed.

Lemma gain_lower a b : (1 <= a + b)%nat -> - ln 2 <= gain a b.
Proof.
  assert (Hstep : forall b k, gain 1 b <= gain (S k) b).
  { intros c; induction k as [|k IH]; [lra|]. eapply Rle_trans; [exact IH | apply gain_grows; lia]. }
  assert (H10 : gain 1 0 = - ln 2).
  { unfold gain, xlnx, kt; simpl. replace (1 * (0 + / 2) * 1 / 1) with (/ 2) by field. rewrite ln_1, ln_Rinv by lra.
    ring. }
  assert (H11 : - ln 2 <= gain 1 1).
  { unfold gain, xlnx, kt; simpl. replace (1 * (0 + / 2) * (1 * (0 + / 2)) / (1 + 1)) with (/ 2 * (/ 2 * / 2)) by field.
    rewrite ln_1, !ln_mult, ln_Rinv by lra. replace (1 + 1) with 2 by ring.
    assert (0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra). lra. }
  intros Hn. destruct a as [|a], b as [|b]; [lia| | |].
  - rewrite gain_sym. eapply Rle_trans; [|apply Hstep]. lra.
  - eapply Rle_trans; [|apply Hstep]. lra.
  - eapply Rle_trans; [|apply Hstep]. rewrite gain_sym. eapply Rle_trans; [exact H11 | apply Hstep].
Qed.

Lemma ml_eq a b : (1 <= a + b)%nat -> ml a b = INR a ^ a * INR b ^ b / INR (a + b) ^ (a + b).
Proof.
  intros Hn. assert (H1 : 0 < INR (a + b)) by (apply lt_0_INR; lia).
  unfold ml, lik. replace (1 - INR a / INR (a + b)) with (INR b / INR (a + b)) by (rewrite plus_INR in *; field; lra).
  unfold Rdiv. rewrite !Rpow_mult_distr, pow_add, !pow_inv, Rinv_mult. ring.
Qed.

Lemma self_power_pos n : 0 < INR n ^ n.
Proof. destruct n as [|n]; [simpl; lra | apply pow_lt, lt_0_INR; lia]. Qed.

(** Given: every a + b >= 1.
    Differs: the Beta(1/2, 1/2) mixture against the best coin.
    In words: 10-kl-learner.md#kt.
    Step of: corrected/ii. *)
Theorem kt_redundancy a b : (1 <= a + b)%nat -> ml a b <= 2 * sqrt (INR (a + b)) * kt a b.
Proof.
  intros Hn. assert (H1 : 0 < INR (a + b)) by (apply lt_0_INR; lia).
  pose proof (gain_lower a b Hn) as Hg. unfold gain in Hg.
  assert (Hml : 0 < ml a b).
  { rewrite ml_eq by assumption.
    apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; apply self_power_pos | now apply pow_lt]. }
  assert (Hs : 0 < sqrt (INR (a + b))) by now apply sqrt_lt_R0.
  assert (Hln : ln (ml a b) <= ln (2 * sqrt (INR (a + b)) * kt a b)).
  { rewrite ml_eq by assumption. unfold Rdiv. pose proof (self_power_pos a); pose proof (self_power_pos b).
    pose proof (kt_pos a b).
    assert (Hp : 0 < INR (a + b) ^ (a + b)) by now apply pow_lt.
    rewrite !ln_mult, ln_Rinv, !ln_self_power; try assumption; try lra;
      try (apply Rinv_0_lt_compat; assumption); try (apply Rmult_lt_0_compat; lra); try nra.
    assert (Hsq : ln (sqrt (INR (a + b))) = / 2 * ln (INR (a + b))).
    { assert (ln (INR (a + b)) = ln (sqrt (INR (a + b))) + ln (sqrt (INR (a + b)))); [|lra].
      rewrite <- ln_mult by assumption. now rewrite sqrt_sqrt by lra. }
    rewrite Hsq. unfold xlnx in *. lra. }
  pose proof (kt_pos a b). destruct Hln as [Hln|Hln].
  - left. apply ln_lt_inv; [assumption | apply Rmult_lt_0_compat; nra | assumption].
  - right. apply ln_inv; [assumption | apply Rmult_lt_0_compat; nra | assumption].
Qed.
