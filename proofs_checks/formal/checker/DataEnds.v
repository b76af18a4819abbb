(** * An end that passes the test is below every covered probability

    [good_end_below]: if the mixture does not reach C times the likelihood of p, the tested end is at most p.  Nothing
    is computed but products of fractions, rounded down. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import Rows Tree Program Check Meaning RatFacts KtRedundancy KlSets DataCheck.
Import ListNotations.
Open Scope R_scope.

Definition number_of (x : Z * Z) : R := IZR (fst x) * powerRZ 2 (snd x).

Lemma power_of_two_pos e : 0 < powerRZ 2 e.
Proof. apply powerRZ_lt. lra. Qed.

Lemma IZR_pow2 n : (0 <= n)%Z -> IZR (2 ^ n) = powerRZ 2 n.
Proof.
  intros H. rewrite <- (Z2Nat.id n H). rewrite <- pow_IZR, pow_powerRZ. reflexivity.
Qed.

Lemma normal_le x : (0 <= fst x)%Z -> (0 <= fst (normalised x))%Z /\ number_of (normalised x) <= number_of x.
Proof.
  destruct x as [m e]. unfold normalised, number_of. cbn [fst snd]. intros Hm.
  destruct (m <? up_power)%Z; [|destruct (too_long <=? m)%Z]; cbn [fst snd].
  - unfold up_power, up_places. split; [lia|]. right. rewrite mult_IZR, IZR_pow2 by lia.
    rewrite Rmult_assoc, <- powerRZ_add by lra. do 2 f_equal. lia.
  - unfold down_power, down_places. split; [apply Z.div_pos; lia|]. rewrite powerRZ_add by lra.
    assert (H : IZR (m / 2 ^ 64) * powerRZ 2 64 <= IZR m).
    { rewrite <- IZR_pow2 by lia. rewrite <- mult_IZR. apply IZR_le, div_mul_le. lia. }
    pose proof (power_of_two_pos e). nra.
  - split; [assumption | lra].
Qed.

Lemma iter_once_more {X} (f : X -> X) x n : Z.iter (Z.of_nat (S n)) f x = f (Z.iter (Z.of_nat n) f x).
Proof. destruct n as [|n]; [reflexivity|]. apply (Pos.iter_succ (Pos.of_succ_nat n)). Qed.

Lemma factors_le d w k (f : nat -> R) : (0 < d)%Z -> (0 < w)%Z ->
  (forall n, 0 <= f n /\ f (S n) = f n * (IZR ((2 * Z.of_nat n + 1) * d) / IZR (2 * (Z.of_nat n + k + 1) * w))) ->
  (0 <= k)%Z -> forall x n, (0 <= fst x)%Z -> number_of x <= f O ->
  let y := factors_in d w k (Z.of_nat n) x in (0 <= fst y)%Z /\ number_of y <= f n.
Proof.
  intros Hd Hw Hf Hk x n Hx H0. cbn zeta. unfold factors_in.
  assert (G : let s := Z.iter (Z.of_nat n) (factor_in d w k) (0%Z, x) in
    fst s = Z.of_nat n /\ (0 <= fst (snd s))%Z /\ number_of (snd s) <= f n).
  { cbn zeta. induction n as [|n IH]; [cbn; auto|].
    rewrite iter_once_more. destruct (Z.iter (Z.of_nat n) (factor_in d w k) (0%Z, x)) as [i [m e]].
    cbn [fst snd] in *. destruct IH as [-> [H1 H2]]. unfold factor_in, two. cbn [fst snd]. split; [lia|].
    set (p := ((2 * Z.of_nat n + 1) * d)%Z). set (q := (2 * (Z.of_nat n + k + 1) * w)%Z).
    assert (Hp : (0 < p)%Z) by (unfold p; nia). assert (Hq : (0 < q)%Z) by (unfold q; nia).
    assert (Hm : (0 <= m * p / q)%Z) by (apply Z.div_pos; nia).
    destruct (normal_le (m * p / q, e)%Z Hm) as [N1 N2]. split; [exact N1|]. eapply Rle_trans; [exact N2|].
    destruct (Hf n) as [Hfn ->]. fold p q. unfold number_of in *. cbn [fst snd] in *.
    assert (Hdiv : IZR (m * p / q) <= IZR m * (IZR p / IZR q)).
    { pose proof (div_mul_le (m * p) q Hq) as D. apply IZR_le in D. rewrite !mult_IZR in D. apply IZR_lt in Hq.
      apply Rmult_le_reg_r with (IZR q); [assumption|].
      replace (IZR m * (IZR p / IZR q) * IZR q) with (IZR m * IZR p) by (field; lra). exact D. }
    assert (Hpq : 0 <= IZR p / IZR q) by (apply IZR_lt in Hp, Hq; left; now apply Rdiv_lt_0_compat).
    pose proof (power_of_two_pos e) as Pe.
    apply Rle_trans with (IZR m * (IZR p / IZR q) * powerRZ 2 e); [apply Rmult_le_compat_r; lra|].
    replace (IZR m * (IZR p / IZR q) * powerRZ 2 e) with (IZR m * powerRZ 2 e * (IZR p / IZR q)) by ring.
    now apply Rmult_le_compat_r. }
  cbn zeta in G. tauto.
Qed.

Lemma at_most_number_le c x : (0 < den c)%Z -> (0 <= fst x)%Z -> at_most_number c x = true -> real_of c <= number_of x.
Proof.
  destruct x as [m e]. unfold at_most_number, two, number_of, real_of. cbn [fst snd]. intros Hc Hm H. apply IZR_lt in
    Hc.
  pose proof (power_of_two_pos e) as Pe. apply Rmult_le_reg_r with (IZR (den c)); [assumption|].
  unfold Rdiv. rewrite (Rmult_assoc (IZR (num c))), Rinv_l, Rmult_1_r by lra. apply IZR_le in Hm.
  destruct (Z.leb_spec 0 e) as [He|He].
  - apply Z.leb_le, IZR_le in H. rewrite mult_IZR in H. eapply Rle_trans; [exact H|].
    assert (1 <= powerRZ 2 e).
    { rewrite <- IZR_pow2 by assumption. apply IZR_le. pose proof (Z.pow_pos_nonneg 2 e). lia. }
    apply Rmult_le_compat_r; [lra|]. nra.
  - apply andb_true_iff in H. destruct H as [_ H]. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR, IZR_pow2 in H by lia.
    assert (P : powerRZ 2 (- e) * powerRZ 2 e = 1) by (rewrite <- powerRZ_add by lra; replace (- e + e)%Z with 0%Z by
      lia;
      reflexivity).
    apply (Rmult_le_compat_r (powerRZ 2 e)) in H; [|lra].
    replace (IZR (num c) * powerRZ 2 (- e) * powerRZ 2 e) with (IZR (num c) * (powerRZ 2 (- e) * powerRZ 2 e)) in H by
      ring.
    rewrite P in H. lra.
Qed.

(** Given: x of n draws, a probability p that the mixture does not refute at C.
    In words: 10-kl-learner.md#kl-sets.
      Step of: production/proved. *)
Theorem good_end_below (c : rat) (d : Z) (o : possibility) (x b : nat) (p : R) :
  (0 < den c)%Z -> (0 <= num c)%Z -> (0 < d)%Z -> times o = Z.of_nat x -> 0 <= p <= 1 -> kt_covered (real_of c) x b p ->
  good_end c (Z.of_nat (x + b)) d o = true -> 0 <= IZR (share o) / IZR d <= p.
Proof.
  intros Hc Hc0 Hd Hx Hp Hcov H. unfold good_end in H. repeat rewrite andb_true_iff in H.
  destruct H as [[[[_ _] Hs] Hsd] H]. apply Z.leb_le in Hs. apply Z.ltb_lt in Hsd.
  pose proof (IZR_lt _ _ Hd) as Hd'. pose proof (IZR_le _ _ Hs) as Hs'. pose proof (IZR_lt _ _ Hsd) as Hsd'.
  assert (Hq0 : 0 <= IZR (share o) / IZR d)
    by (apply Rmult_le_pos; [assumption | left; now apply Rinv_0_lt_compat]).
  assert (Hq1 : IZR (share o) / IZR d < 1).
  { apply Rmult_lt_reg_r with (IZR d); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  split; [assumption|].
  assert (HC : 0 <= real_of c).
  { unfold real_of. apply Rmult_le_pos; [now apply IZR_le | left; now apply Rinv_0_lt_compat, IZR_lt]. }
  apply (lower_end_below (real_of c) x b); try assumption; [lra|].
  apply orb_true_iff in H. destruct H as [H|H]; [apply Z.eqb_eq in H; rewrite H; left; unfold Rdiv; lra|].
  destruct (Z.eq_dec (share o) 0) as [Ez|Ez]; [rewrite Ez; left; unfold Rdiv; lra|]. right.
  assert (Hs1 : (0 < share o)%Z) by lia. pose proof (IZR_lt _ _ Hs1) as Hs1'.
  apply andb_true_iff in H. destruct H as [Hfreq H]. rewrite Hx in *. split.
  { apply Z.leb_le, IZR_le in Hfreq. rewrite !mult_IZR, <- !INR_IZR_INZ in Hfreq.
    apply Rmult_le_reg_r with (IZR d); [assumption|].
    replace (INR (x + b) * (IZR (share o) / IZR d) * IZR d) with (INR (x + b) * IZR (share o)) by (field; lra).
    exact Hfreq. }
  set (q := IZR (share o) / IZR d) in *. assert (Hq : 0 < q) by (unfold q; now apply Rdiv_lt_0_compat).
  replace (Z.of_nat (x + b) - Z.of_nat x)%Z with (Z.of_nat b) in H by lia.
  destruct (normal_le (1, 0)%Z ltac:(cbn; lia)) as [U1 U2]. fold unity in U1, U2.
  assert (F1 := factors_le d (share o) 0 (fun n => kt n 0 / q ^ n) Hd Hs1).
  destruct (F1) with (x := unity) (n := x) as [P1 P2]; clear F1; cbn [fst]; try lia.
  { intros n. split; [left; apply Rdiv_lt_0_compat; [apply kt_pos | now apply pow_lt]|].
    rewrite kt_one. pose proof (pow_lt q n Hq). rewrite !mult_IZR, !plus_IZR, mult_IZR, <- INR_IZR_INZ. cbn [pow].
    cbn [INR]. pose proof (pos_INR n). unfold q. field. unfold q in H0. repeat split; lra. }
  { eapply Rle_trans; [exact U2|]. unfold number_of. cbn. rewrite kt_0. lra. }
  assert (F2 := factors_le d (d - share o) (Z.of_nat x) (fun n => kt x n / (q ^ x * (1 - q) ^ n)) Hd ltac:(lia)).
  set (y := factors_in d (share o) 0 (Z.of_nat x) unity) in *.
  destruct (F2) with (x := y) (n := b) as [P3 P4]; clear F2; try lia.
  { intros n. pose proof (pow_lt q x Hq). pose proof (pow_lt (1 - q) n ltac:(lra)).
    split; [left; apply Rdiv_lt_0_compat; [apply kt_pos | now apply Rmult_lt_0_compat]|].
    rewrite kt_zero, !mult_IZR, !plus_IZR, mult_IZR, minus_IZR, <- !INR_IZR_INZ. cbn [pow].
    replace (IZR d - IZR (share o)) with (IZR d * (1 - q)) by (unfold q; field; lra).
    pose proof (pos_INR n). pose proof (pos_INR x). field. repeat split; lra. }
  { cbn [pow]. rewrite Rmult_1_r. exact P2. }
  apply at_most_number_le in H; [|assumption | exact P3].
  unfold lik. pose proof (pow_lt q x Hq). pose proof (pow_lt (1 - q) b ltac:(lra)).
  assert (Hl : 0 < q ^ x * (1 - q) ^ b) by now apply Rmult_lt_0_compat.
  apply (Rmult_le_compat_r (q ^ x * (1 - q) ^ b)) in P4; [|lra].
  replace (kt x b / (q ^ x * (1 - q) ^ b) * (q ^ x * (1 - q) ^ b)) with (kt x b) in P4 by (field; split; lra).
  eapply Rle_trans; [|exact P4]. apply Rmult_le_compat_r; lra.
Qed.

(** ** Sets of outcomes *)

Lemma set_weight_le (m j : nat) :
  let y := set_weight (Z.of_nat m) (Z.of_nat (m + j)) in (0 <= fst y)%Z /\ number_of y <= kt m j.
Proof.
  cbn zeta. unfold set_weight. replace (Z.of_nat (m + j) - Z.of_nat m)%Z with (Z.of_nat j) by lia.
  destruct (normal_le (1, 0)%Z ltac:(cbn; lia)) as [U1 U2]. fold unity in U1, U2.
  destruct (factors_le 1 1 0 (fun n => kt n 0) ltac:(lia) ltac:(lia)) with (x := unity) (n := m) as [P1 P2];
    try assumption; try lia.
  { intros n. split; [left; apply kt_pos|]. rewrite kt_one, !mult_IZR, !plus_IZR, mult_IZR, <- INR_IZR_INZ. cbn [INR].
    pose proof (pos_INR n). f_equal. field. lra. }
  { eapply Rle_trans; [exact U2|]. unfold number_of. cbn. rewrite kt_0. lra. }
  apply (factors_le 1 1 (Z.of_nat m) (fun n => kt m n)); try assumption; try lia.
  intros n. split; [left; apply kt_pos|]. rewrite kt_zero, !mult_IZR, !plus_IZR, mult_IZR, <- !INR_IZR_INZ.
  pose proof (pos_INR n). pose proof (pos_INR m). f_equal. field. lra.
Qed.

Lemma powers_bounded d w x n B : (0 < d)%Z -> (0 < w)%Z -> (0 <= fst x)%Z -> number_of x <= B ->
  let y := powers_in d w (Z.of_nat n) x in (0 <= fst y)%Z /\ number_of y <= B / (IZR w / IZR d) ^ n.
Proof.
  intros Hd Hw Hx HB. cbn zeta. unfold powers_in. apply IZR_lt in Hd as Hd'. apply IZR_lt in Hw as Hw'.
  assert (Hq : 0 < IZR w / IZR d) by now apply Rdiv_lt_0_compat.
  induction n as [|n [IH1 IH2]]; [cbn; split; [assumption | lra]|]. rewrite iter_once_more.
  destruct (Z.iter (Z.of_nat n) (power_in d w) x) as [m e]. unfold power_in. cbn [fst] in IH1.
  assert (Hm : (0 <= m * d / w)%Z) by (apply Z.div_pos; nia).
  destruct (normal_le (m * d / w, e)%Z Hm) as [N1 N2]. split; [exact N1|]. eapply Rle_trans; [exact N2|].
  pose proof (pow_lt _ n Hq) as Hn. pose proof (power_of_two_pos e) as Pe. unfold number_of in *. cbn [fst snd] in *.
  apply Rle_trans with (IZR m * powerRZ 2 e / (IZR w / IZR d)).
  - replace (IZR m * powerRZ 2 e / (IZR w / IZR d)) with (IZR m * (IZR d / IZR w) * powerRZ 2 e) by (field; lra).
    apply Rmult_le_compat_r; [lra|]. pose proof (div_mul_le (m * d) w Hw) as D. apply IZR_le in D.
    rewrite !mult_IZR in D. apply Rmult_le_reg_r with (IZR w); [assumption|].
    replace (IZR m * (IZR d / IZR w) * IZR w) with (IZR m * IZR d) by (field; lra). exact D.
  - replace (B / (IZR w / IZR d) ^ S n) with (B / (IZR w / IZR d) ^ n / (IZR w / IZR d)) by (cbn [pow]; field; lra).
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | assumption].
Qed.

(** Given: n draws that all led into a set of m of the m + j possible outcomes, a probability p of the set that this
      does not refute at the level C over the set's weight.
    In words: 10-kl-learner.md#kl-certificate.
      Step of: production/proved. *)
Theorem good_beyond_below (c : rat) (s : sampled) (m j n : nat) (p : R) :
  (0 < den c)%Z -> (0 < num c)%Z -> (0 < shares s)%Z -> zlen (seen_of s) = Z.of_nat m ->
  zlen (possible s) = Z.of_nat (m + j) -> visit_sum s = Z.of_nat n -> 0 <= p <= 1 ->
  1 < real_of c / kt m j * p ^ n -> good_beyond c s = true ->
  (0 < beyond s)%Z /\ (beyond s = missing s \/
    (beyond s < missing s)%Z /\ 1 - IZR (beyond s) / IZR (shares s) <= p).
Proof.
  intros Hd Hc Hs Hm Hk Hn Hp Hcov H. unfold good_beyond in H. rewrite Hm, Hk, Hn in H.
  apply andb_true_iff in H. destruct H as [H0 H]. apply Z.ltb_lt in H0. split; [assumption|].
  apply orb_true_iff in H. destruct H as [H|H]; [left; now apply Z.eqb_eq|]. right.
  repeat rewrite andb_true_iff in H. destruct H as [[H1 H2] H]. apply Z.ltb_lt in H1, H2. split; [assumption|].
  destruct (set_weight_le m j) as [W1 W2].
  destruct (powers_bounded (shares s) (shares s - beyond s) _ n _ Hs ltac:(lia) W1 W2) as [P1 P2].
  apply at_most_number_le in H; [|assumption | exact P1]. apply IZR_lt in Hs as Hs'.
  set (q := IZR (shares s - beyond s) / IZR (shares s)) in *.
  assert (Hq : 0 < q) by (apply Rdiv_lt_0_compat; [apply IZR_lt; lia | assumption]).
  replace (1 - IZR (beyond s) / IZR (shares s)) with q by (unfold q; rewrite minus_IZR; field; lra).
  destruct (Rle_dec q p) as [|Hqp]; [assumption | exfalso]. pose proof (kt_pos m j) as Hkt. pose proof (pow_lt q n Hq).
  assert (Hpow : p ^ n <= q ^ n) by (apply pow_incr; lra).
  assert (HC : 0 < real_of c) by (unfold real_of; apply Rdiv_lt_0_compat; now apply IZR_lt).
  assert (Hl : real_of c <= kt m j / q ^ n) by lra.
  apply (Rmult_le_compat_r (q ^ n)) in Hl; [|lra]. unfold Rdiv in Hl. rewrite Rmult_assoc, Rinv_l in Hl by lra.
  assert (real_of c / kt m j * p ^ n <= 1); [|lra].
  apply Rmult_le_reg_r with (kt m j); [assumption|].
  replace (real_of c / kt m j * p ^ n * kt m j) with (real_of c * p ^ n) by (field; lra).
  apply Rle_trans with (real_of c * q ^ n); [apply Rmult_le_compat_l; lra | lra].
Qed.
