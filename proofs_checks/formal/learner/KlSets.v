(** * Confidence sets from the mixture, and in terms of the relative entropy

    After a ones and b zeros, n = a + b, and for a constant C (the number of tests over delta), the set of p with

      kt a b < C p^a (1 - p)^b

    is an interval around a/n.  A number q <= a/n outside it lies below every p inside.  It contains the set of the p
    with n kl(a/n, p) < ln C + (1/2) ln n + ln 2, and the ends of that set are as near to p~ = a/n as kl >= 2 (p~ - q)^2
    and kl >= (p~ - q)^2 / (2 p~) say. *)

Require Import Reals Lra Lia Psatz.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import KtRedundancy.
Open Scope R_scope.

(** ** The likelihood grows towards the frequency *)

Lemma lik_nonneg p a b : 0 <= p <= 1 -> 0 <= lik p a b.
Proof. intros H; unfold lik. apply Rmult_le_pos; apply pow_le; lra. Qed.

Lemma lik_sym p a b : lik (1 - p) b a = lik p a b.
Proof. unfold lik. replace (1 - (1 - p)) with p by ring. ring. Qed.

Lemma exp_pow x n : exp x ^ n = exp (INR n * x).
Proof.
  induction n as [|n IH]; [simpl; now rewrite Rmult_0_l, exp_0|]. rewrite S_INR. simpl. rewrite IH, <- exp_plus.
  f_equal; ring.
Qed.

Lemma lik_grows p q a b : 0 <= p -> p <= q -> q <= 1 -> INR (a + b) * q <= INR a -> lik p a b <= lik q a b.
Proof.
  intros Hp Hpq Hq Hf. rewrite plus_INR in Hf. pose proof (pos_INR a) as Ha; pose proof (pos_INR b) as Hb.
  destruct (Req_EM_T q 0) as [->|Hq0]; [replace p with 0 by lra; lra|].
  destruct (Req_EM_T q 1) as [->|Hq1].
  - assert (b = O) as -> by (destruct b as [|b]; [reflexivity|]; rewrite S_INR in Hf; pose proof (pos_INR b); lra).
    unfold lik; simpl. rewrite !Rmult_1_r. apply pow_incr; lra.
  - assert (Hx : p / q <= exp (p / q - 1)) by (pose proof (exp_ineq1_le (p / q - 1)); lra).
    assert (Hy : (1 - p) / (1 - q) <= exp ((1 - p) / (1 - q) - 1))
      by (pose proof (exp_ineq1_le ((1 - p) / (1 - q) - 1)); lra).
    assert (H0x : 0 <= p / q) by (apply Rdiv_le_0_compat; lra).
    assert (H0y : 0 <= (1 - p) / (1 - q)) by (apply Rdiv_le_0_compat; lra).
    assert (Hle : (p / q) ^ a * ((1 - p) / (1 - q)) ^ b <= 1).
    { apply Rle_trans with (exp (p / q - 1) ^ a * exp ((1 - p) / (1 - q) - 1) ^ b).
      - apply Rmult_le_compat; try (apply pow_le; assumption); apply pow_incr; split; assumption.
      - rewrite !exp_pow, <- exp_plus. apply Rle_trans with (exp 0); [|rewrite exp_0; lra].
        assert (Hexp : INR a * (p / q - 1) + INR b * ((1 - p) / (1 - q) - 1) <= 0).
        { replace (INR a * (p / q - 1) + INR b * ((1 - p) / (1 - q) - 1))
            with ((q - p) * (INR b * q - INR a * (1 - q)) * / (q * (1 - q))) by (field; lra).
          assert (0 < / (q * (1 - q))) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
          assert (0 <= (q - p) * (INR a * (1 - q) - INR b * q)) by (apply Rmult_le_pos; lra). nra. }
        destruct Hexp as [Hexp|Hexp]; [left; now apply exp_increasing | rewrite Hexp; lra]. }
    assert (Hlik : 0 <= lik q a b) by (apply lik_nonneg; lra).
    apply Rle_trans with ((p / q) ^ a * ((1 - p) / (1 - q)) ^ b * lik q a b); [|nra].
    right. unfold lik.
    replace (p ^ a) with ((p / q) ^ a * q ^ a) by (rewrite <- Rpow_mult_distr; f_equal; field; assumption).
    replace ((1 - p) ^ b) with (((1 - p) / (1 - q)) ^ b * (1 - q) ^ b)
      by (rewrite <- Rpow_mult_distr; f_equal; field; lra).
    ring.
Qed.

(** ** Ends of the set *)

Definition kt_covered (C : R) (a b : nat) (p : R) : Prop := kt a b < C * lik p a b.

Definition lower_end (C : R) (a b : nat) (q : R) : Prop :=
  q <= 0 \/ (INR (a + b) * q <= INR a /\ C * lik q a b <= kt a b).

Definition upper_end (C : R) (a b : nat) (q : R) : Prop := lower_end C b a (1 - q).

(** Given: a covered p.
    Differs: numbers further out are below p.
    In words: 10-kl-learner.md#kl-sets.
    Step of: corrected/ii. *)
Theorem lower_end_below C a b p q : 0 <= C -> 0 <= p <= 1 -> q <= 1 -> kt_covered C a b p -> lower_end C a b q ->
  q <= p.
Proof.
  intros HC Hp Hq1 Hc [H0|[Hf Hq]]; [lra|]. destruct (Rle_dec q p) as [|Hqp]; [assumption | exfalso].
  unfold kt_covered in Hc. pose proof (lik_grows p q a b ltac:(lra) ltac:(lra) Hq1 Hf).
  pose proof (Rmult_le_compat_l C _ _ HC H). lra.
Qed.

Theorem upper_end_above C a b p q : 0 <= C -> 0 <= p <= 1 -> 0 <= q -> kt_covered C a b p -> upper_end C a b q ->
  p <= q.
Proof.
  intros HC Hp Hq0 Hc Hq. assert (1 - q <= 1 - p); [|lra].
  apply (lower_end_below C b a); try assumption; try lra. unfold kt_covered in *. now rewrite kt_sym, lik_sym.
Qed.

(** A narrower promise is kept by any number further out. *)
Lemma lower_end_further C a b q q' : 0 <= C -> q <= 1 -> q' <= q -> lower_end C a b q -> lower_end C a b q'.
Proof.
  intros HC Hq1 Hle [H|[Hf H]]; [left; lra|]. destruct (Rle_dec q' 0) as [|Hq']; [now left | right].
  rewrite plus_INR in *. pose proof (pos_INR a); pose proof (pos_INR b). split; [nra|].
  eapply Rle_trans; [|exact H]. apply Rmult_le_compat_l; [assumption|]. apply lik_grows; try lra. now rewrite plus_INR.
Qed.

(** ** In terms of the relative entropy *)

Definition kl (p q : R) : R := p * ln (p / q) + (1 - p) * ln ((1 - p) / (1 - q)).

Definition log_width (C : R) (n : nat) : R := ln C + / 2 * ln (INR n) + ln 2.

Lemma ln_lik q a b : 0 < q < 1 -> ln (lik q a b) = INR a * ln q + INR b * ln (1 - q).
Proof. intros H; unfold lik. rewrite ln_mult, !ln_pow by (try apply pow_lt; lra). reflexivity. Qed.

Lemma lik_pos q a b : 0 < q < 1 -> 0 < lik q a b.
Proof. intros H; unfold lik; apply Rmult_lt_0_compat; apply pow_lt; lra. Qed.

Lemma count_kl a b q : (1 <= a + b)%nat -> 0 < q < 1 ->
  INR (a + b) * kl (INR a / INR (a + b)) q = ln (ml a b) - ln (lik q a b).
Proof.
  intros Hn Hq. assert (H1 : 0 < INR (a + b)) by (apply lt_0_INR; lia).
  rewrite ln_lik, ml_eq by assumption.
  rewrite ln_quotient, ln_mult, !ln_self_power
    by (try apply Rmult_lt_0_compat; try apply self_power_pos; now apply pow_lt).
  unfold kl, xlnx.
  replace (1 - INR a / INR (a + b)) with (INR b / INR (a + b)) by (rewrite plus_INR in *; field; lra).
  assert (Hterm : forall k z, 0 < z -> INR (a + b) * (INR k / INR (a + b) * ln (INR k / INR (a + b) / z)) =
                              INR k * ln (INR k) - INR k * ln (INR (a + b)) - INR k * ln z).
  { intros k z Hz. destruct k as [|k]; [simpl; field; lra|]. assert (Hk : 0 < INR (S k)) by (apply lt_0_INR; lia).
    rewrite !ln_quotient by (try apply Rdiv_lt_0_compat; assumption). field; lra. }
  rewrite Rmult_plus_distr_l, (Hterm a q), (Hterm b (1 - q)) by lra.
  replace (INR (a + b) * ln (INR (a + b))) with ((INR a + INR b) * ln (INR (a + b))) by (now rewrite <- plus_INR). ring.
Qed.

(** The prescribed end: n kl(a/n, q) at least the width makes q an end of the mixture's set.
    Given: N >= 1, 0 < q < 1, N q at most the number of successes.
    Differs: the KL set lies inside the mixture's.
    In words: 10-kl-learner.md#kl-sets.
    Step of: corrected/ii. *)
Theorem kl_lower_end C a b q :
  0 < C -> (1 <= a + b)%nat -> 0 < q < 1 -> INR (a + b) * q <= INR a ->
  log_width C (a + b) <= INR (a + b) * kl (INR a / INR (a + b)) q -> lower_end C a b q.
Proof.
  intros HC Hn Hq Hf Hkl. right; split; [assumption|]. rewrite count_kl in Hkl by assumption.
  assert (H1 : 0 < INR (a + b)) by (apply lt_0_INR; lia). pose proof (kt_redundancy a b Hn) as Hr.
  assert (Hs : 0 < sqrt (INR (a + b))) by now apply sqrt_lt_R0. pose proof (kt_pos a b) as Hk.
  pose proof (lik_pos q a b Hq) as Hl.
  assert (Hml : 0 < ml a b).
  { rewrite ml_eq by assumption.
    apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; apply self_power_pos | now apply pow_lt]. }
  assert (Hlog : ln (C * lik q a b * (2 * sqrt (INR (a + b)))) <= ln (ml a b)).
  { assert (HCl : 0 < C * lik q a b) by (apply Rmult_lt_0_compat; assumption).
    rewrite (ln_mult (C * lik q a b)), (ln_mult C), (ln_mult 2) by (assumption || lra). unfold log_width in Hkl.
    assert (Hsq : ln (sqrt (INR (a + b))) = / 2 * ln (INR (a + b))).
    { assert (ln (INR (a + b)) = ln (sqrt (INR (a + b))) + ln (sqrt (INR (a + b)))); [|lra].
      rewrite <- ln_mult by assumption. now rewrite sqrt_sqrt by lra. }
    rewrite Hsq. lra. }
  assert (Hle : C * lik q a b * (2 * sqrt (INR (a + b))) <= ml a b).
  { destruct Hlog as [Hlog|Hlog].
    - left; apply ln_lt_inv; [apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat | lra] | assumption | assumption].
    - right; apply ln_inv; [apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat | lra] | assumption | assumption]. }
  apply (Rmult_le_reg_r (2 * sqrt (INR (a + b)))); [lra|]. lra.
Qed.

(** ** How far the ends are *)

Section Width.
  Variables (p q : R) (k : R).

  (** If (p - x) / (x (1 - x)) is at least 2 k (p - x) between q and p, then kl(p, q) >= k (p - q)^2. *)
  Lemma kl_ge_square :
    0 < q -> q <= p -> p <= 1 -> q < 1 -> (forall x, q <= x <= p -> 2 * k * (x * (1 - x)) <= 1) ->
      k * (p - q) ^ 2 <= kl p q.
  Proof.
    intros Hq Hqp Hp Hq1 Hk.
    set (f := fun x => p * ln x + (1 - p) * ln (1 - x) + k * (p - x) ^ 2).
    assert (Hpq : forall x, q <= x -> x <= p -> x < 1 ->
      is_derive (fun x => p * ln x + (1 - p) * ln (1 - x) + k * (p - x) ^ 2) x
        ((p - x) * (1 - 2 * k * (x * (1 - x))) / (x * (1 - x)))).
    { intros x H1 H2 H3. auto_derive; [repeat split; lra|]. field; lra. }
    destruct (Req_EM_T p 1) as [->|Hp1].
    - unfold kl. replace (1 - 1) with 0 by ring. rewrite Rmult_0_l, Rplus_0_r, Rmult_1_l, ln_quotient, ln_1 by lra.
      assert (H : ln q + k * (1 - q) ^ 2 <= ln 1 + k * (1 - 1) ^ 2).
      { apply (deriv_nonneg_le (fun x => ln x + k * (1 - x) ^ 2) (fun x => (1 - 2 * k * (x * (1 - x))) / x));
          [assumption| |].
        - intros x Hx. auto_derive; [lra|]. field; lra.
        - intros x Hx. apply Rdiv_le_0_compat; [|lra]. specialize (Hk x Hx). lra. }
      rewrite ln_1 in H. lra.
    - assert (H : f q <= f p).
      { apply (deriv_nonneg_le f (fun x => (p - x) * (1 - 2 * k * (x * (1 - x))) / (x * (1 - x)))); [assumption| |].
        - intros x Hx. apply Hpq; lra.
        - intros x Hx. specialize (Hk x Hx). apply Rdiv_le_0_compat; [apply Rmult_le_pos; lra | nra]. }
      unfold f in H. unfold kl. rewrite !ln_quotient by lra. replace ((p - p) ^ 2) with 0 in H by ring. lra.
  Qed.
End Width.

(** Given: 0 < q <= p <= 1, q < 1.
    In words: 10-kl-learner.md#kl-apriori.
    Step of: corrected/ii. *)
Theorem kl_pinsker p q : 0 < q -> q <= p -> p <= 1 -> q < 1 -> 2 * (p - q) ^ 2 <= kl p q.
Proof.
  intros H1 H2 H3 H4. apply kl_ge_square; auto. intros x Hx. pose proof (Rle_0_sqr (2 * x - 1)); unfold Rsqr in *; nra.
Qed.

(** Given: as kl_pinsker.
    In words: 10-kl-learner.md#kl-apriori.
    Step of: corrected/ii. *)
Theorem kl_relative p q : 0 < q -> q <= p -> p <= 1 -> q < 1 -> (p - q) ^ 2 / (2 * p) <= kl p q.
Proof.
  intros H1 H2 H3 H4. replace ((p - q) ^ 2 / (2 * p)) with (/ (2 * p) * (p - q) ^ 2) by (field; lra).
  apply kl_ge_square; auto. intros x Hx. replace (2 * / (2 * p) * (x * (1 - x))) with (x * (1 - x) / p) by (field; lra).
  apply (Rmult_le_reg_r p); [lra|]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.
