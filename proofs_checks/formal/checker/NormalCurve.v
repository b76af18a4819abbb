(** * The normal distribution: bounds by a series, and the tests of its values

    For u >= 0 the partial sums of exp(-u) are in turn above and below it; integrated, so are those of the area under
    exp(- t^2 / 2).  The whole area is bounded with the tail from 13 on, which is at most exp(- 169 / 2) / 13. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Rows Program Check PolygonCheck CurveCheck Meaning RatFacts
  PolygonObjective Curves PowerCurve.
Open Scope R_scope.

(** Equations that are stated in Coquelicot's structures, in the reals. *)
Ltac in_reals := lazymatch goal with |- @eq _ ?a ?b => change (@eq R a b) end.

(** ** Partial sums of exp(-u) *)

(** k + 1 terms of (-u)^i / i! from i = n on. *)
Fixpoint part (u : R) (n k : nat) : R :=
  match k with
  | O => (- u) ^ n / INR (fact n)
  | S k' => (- u) ^ n / INR (fact n) + part u (S n) k'
  end.

Lemma is_derive_term u n : is_derive (fun u => (- u) ^ S n / INR (fact (S n))) u (- ((- u) ^ n / INR (fact n))).
Proof.
  assert (Hf : 0 < INR (fact n)) by apply INR_fact_lt_0. assert (Hs : 0 < INR (S n)) by (apply lt_0_INR; lia).
  auto_derive; [trivial|]. replace (fact n + n * fact n)%nat with (S n * fact n)%nat by lia. rewrite mult_INR.
  replace (match n with 0%nat => 1 | S _ => INR n + 1 end) with (INR (S n)) by (rewrite S_INR; destruct n; cbn; ring).
  field. lra.
Qed.

Lemma is_derive_part u k : forall n, is_derive (fun u => part u (S n) k) u (- part u n k).
Proof.
  induction k as [|k IH]; intros n; cbn [part]; [apply is_derive_term|].
  replace (- ((- u) ^ n / INR (fact n) + part u (S n) k)) with (plus (- ((- u) ^ n / INR (fact n))) (- part u (S n) k))
    by (unfold plus; cbn; ring).
  apply (is_derive_plus (V := R_NormedModule)); [apply is_derive_term | apply IH].
Qed.

Lemma is_derive_sum u k : is_derive (fun u => part u 0 (S k)) u (- part u 0 k).
Proof.
  cbn [part]. replace (- part u 0 k) with (plus 0 (- part u 0 k)) by (unfold plus; cbn; ring).
  apply (is_derive_plus (V := R_NormedModule)); [|apply is_derive_part].
  apply is_derive_ext with (fun _ => 1); [intros t; cbn; field | apply (is_derive_const (V := R_NormedModule))].
Qed.

Lemma part_at_0 n k : part 0 (S n) k = 0.
Proof.
  revert n; induction k as [|k IH]; intros n; cbn [part]; [|rewrite IH]; rewrite Ropp_0, pow_i by lia; unfold Rdiv;
    ring.
Qed.

Lemma sum_alternates k u : 0 <= u -> 0 <= (-1) ^ k * (part u 0 k - exp (- u)).
Proof.
  revert u; induction k as [|k IH]; intros u Hu.
  - cbn. assert (exp (- u) <= exp 0) by (apply exp_mono; lra). rewrite exp_0 in H. lra.
  - assert (H0 : (-1) ^ S k * (part 0 0 (S k) - exp (- 0)) = 0)
      by (cbn [part]; rewrite part_at_0, Ropp_0, exp_0; cbn [pow fact INR]; field).
    rewrite <- H0. apply (grows (fun u => (-1) ^ S k * (part u 0 (S k) - exp (- u)))
      (fun u => (-1) ^ k * (part u 0 k - exp (- u)))); [assumption | |].
    + intros t Ht. replace ((-1) ^ k * (part t 0 k - exp (- t)))
        with (scal ((-1) ^ S k) (minus (- part t 0 k) (- exp (- t))))
        by (unfold scal, minus, plus, opp, mult; cbn; unfold mult; cbn; ring).
      apply is_derive_scal. apply (is_derive_minus (V := R_NormedModule)); [apply is_derive_sum|].
      auto_derive; [trivial | ring].
    + intros t Ht. apply IH. lra.
Qed.

(** ** The same sums from the inside out, and the series of the area *)

Fixpoint nested (u : R) (n k : nat) : R := match k with O => 1 | S k' => 1 - u / INR (S n) * nested u (S n) k' end.
Fixpoint nested_area (u : R) (n k : nat) : R :=
  match k with O => / INR (2 * n + 1) | S k' => / INR (2 * n + 1) - u / INR (S n) * nested_area u (S n) k' end.

Lemma nested_part u k : forall n, (- u) ^ n / INR (fact n) * nested u n k = part u n k.
Proof.
  induction k as [|k IH]; intros n; [cbn [nested part]; ring|]. cbn [part]. rewrite <- IH. cbn [nested].
  replace (INR (fact (S n))) with (INR (S n) * INR (fact n)) by (rewrite <- mult_INR; reflexivity).
  assert (Hf : 0 < INR (fact n)) by apply INR_fact_lt_0. assert (Hs : 0 < INR (S n)) by (apply lt_0_INR; lia).
  cbn [pow]. field. lra.
Qed.

Lemma nested_sum u k : nested u 0 k = part u 0 k.
Proof. rewrite <- nested_part. cbn [pow fact INR]. field. Qed.

Lemma is_derive_nested_area z k : forall n,
  is_derive (fun z => z ^ (2 * n + 1) * nested_area (z * z / 2) n k) z (z ^ (2 * n) * nested (z * z / 2) n k).
Proof.
  induction k as [|k IH]; intros n.
  - cbn [nested_area nested]. assert (Hn : INR (2 * n + 1) <> 0) by (apply not_0_INR; lia).
    auto_derive; [trivial|]. replace (pred (n + (n + 0) + 1)) with (2 * n)%nat by lia.
    replace (n + (n + 0) + 1)%nat with (2 * n + 1)%nat by lia.
    replace (INR (2 * n + 1) * 1 * z ^ (2 * n) * / INR (2 * n + 1))
      with (z ^ (2 * n) * (INR (2 * n + 1) * / INR (2 * n + 1))) by ring.
    field. assumption.
  - specialize (IH (S n)). assert (Hn : INR (2 * n + 1) <> 0) by (apply not_0_INR; lia).
    assert (Hs : INR (S n) <> 0) by (apply not_0_INR; lia).
    apply is_derive_ext with (fun z => z ^ (2 * n + 1) / INR (2 * n + 1) -
      / (2 * INR (S n)) * (z ^ (2 * S n + 1) * nested_area (z * z / 2) (S n) k)).
    { intros t. in_reals. cbn [nested_area].
      replace (t ^ (2 * S n + 1)) with (t * t * t ^ (2 * n + 1))
        by (replace (2 * S n + 1)%nat with (S (S (2 * n + 1))) by lia; cbn [pow]; ring).
      generalize (nested_area (t * t / 2) (S n) k) (t ^ (2 * n + 1)). intros a b. field. auto. }
    replace (z ^ (2 * n) * nested (z * z / 2) n (S k))
      with (minus (z ^ (2 * n)) (scal (/ (2 * INR (S n))) (z ^ (2 * S n) * nested (z * z / 2) (S n) k))).
    2:{ cbn [nested]. in_reals.
    replace (z ^ (2 * S n)) with (z * z * z ^ (2 * n))
      by (replace (2 * S n)%nat with (S (S (2 * n))) by lia; cbn [pow]; ring).
        unfold minus, plus, opp, scal, mult; cbn -[INR pow Nat.mul nested]; unfold mult; cbn -[INR pow Nat.mul nested].
        generalize (nested (z * z / 2) (S n) k) (z ^ (2 * n)). intros a b. field. auto. }
    apply (is_derive_minus (V := R_NormedModule)).
    + auto_derive; [trivial|]. replace (pred (n + (n + 0) + 1)) with (2 * n)%nat by lia.
      replace (n + (n + 0) + 1)%nat with (2 * n + 1)%nat by lia. field. assumption.
    + apply is_derive_scal. exact IH.
Qed.

(** ** The area *)

Lemma bell_pos t : 0 < bell t.
Proof. apply exp_pos. Qed.

Lemma continuous_bell t : continuous bell t.
Proof. apply (ex_derive_continuous (V := R_NormedModule)). unfold bell. auto_derive. trivial. Qed.

Lemma is_derive_area z : is_derive area z (bell z).
Proof.
  unfold area. apply (is_derive_RInt (V := R_NormedModule) bell (fun z => RInt bell 0 z) 0).
  - exists (mkposreal 1 Rlt_0_1). intros y _. apply (RInt_correct (V := R_CompleteNormedModule)).
    apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _. apply continuous_bell.
  - apply continuous_bell.
Qed.

Lemma area_0 : area 0 = 0.
Proof. unfold area. rewrite RInt_point. reflexivity. Qed.

Lemma area_alternates z k : 0 <= z -> 0 <= (-1) ^ k * (z * nested_area (z * z / 2) 0 k - area z).
Proof.
  intros Hz. assert (H0 : (-1) ^ k * (0 * nested_area (0 * 0 / 2) 0 k - area 0) = 0) by (rewrite area_0; ring).
  rewrite <- H0. apply (grows (fun z => (-1) ^ k * (z * nested_area (z * z / 2) 0 k - area z))
    (fun z => (-1) ^ k * (nested (z * z / 2) 0 k - bell z))); [assumption | |].
  - intros t Ht. apply is_derive_scal. apply (is_derive_minus (V := R_NormedModule)); [|apply is_derive_area].
    pose proof (is_derive_nested_area t k 0) as H. cbn [Nat.mul Nat.add pow] in H. rewrite Rmult_1_l in H.
    eapply is_derive_ext; [|exact H]. intros x. cbn. ring.
  - intros t Ht. rewrite nested_sum. apply sum_alternates. nra.
Qed.

Lemma area_increasing x y : x < y -> area x < area y.
Proof.
  intros H. destruct (MVT_gen area x y bell) as [c [_ Hc]].
  - intros t _. apply is_derive_area.
  - intros t _. apply continuity_pt_filterlim. apply (ex_derive_continuous (V := R_NormedModule)). exists (bell t).
    apply is_derive_area.
  - pose proof (bell_pos c). assert (0 < bell c * (y - x)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma area_opp z : area (- z) = - area z.
Proof.
  assert (H : forall t, is_derive (fun z => area z + area (- z)) t 0).
  { intros t. replace 0 with (plus (bell t) (scal (-1) (bell (- t)))).
    - apply (is_derive_plus (V := R_NormedModule)); [apply is_derive_area|].
      apply (is_derive_comp area (fun z => - z)); [apply is_derive_area|].
      auto_derive; [trivial | ring].
    - unfold plus, scal; cbn. unfold mult; cbn. unfold bell. replace (- t * - t) with (t * t) by ring. ring. }
  assert (Hz : area z + area (- z) = area 0 + area (- 0)).
  { destruct (MVT_gen (fun z => area z + area (- z)) 0 z (fun _ => 0)) as [c [_ Hc]].
    - intros t _. apply H.
    - intros t _. apply continuity_pt_filterlim.
      apply (ex_derive_continuous (V := R_NormedModule) (fun z => area z + area (- z))). exists 0. apply H.
    - lra. }
  rewrite Ropp_0, area_0 in Hz. lra.
Qed.

(** From z > 0 on there is at most bell z / z. *)
Lemma area_tail z y : 0 < z -> area y <= area z + bell z / z.
Proof.
  intros Hz. pose proof (bell_pos z) as Hb. assert (0 < bell z / z) by now apply Rdiv_lt_0_compat.
  destruct (Rle_dec y z) as [Hy|Hy].
  - destruct Hy as [Hy| ->]; [apply area_increasing in Hy|]; lra.
  - assert (Hg : - (area z + bell z / z) <= - (area y + bell y / y)).
    { apply (grows (fun t => - (area t + bell t / t)) (fun t => bell t / (t * t))); [lra | |].
      - intros t Ht. replace (bell t / (t * t)) with (opp (plus (bell t) (- bell t - bell t / (t * t))))
          by (unfold opp, plus; cbn; field; lra).
        apply (is_derive_opp (V := R_NormedModule)).
        apply (is_derive_plus (V := R_NormedModule)); [apply is_derive_area|].
        unfold bell. auto_derive; [lra|]. unfold Rdiv. generalize (exp (- (t * t * / 2))). intros e. field. lra.
      - intros t Ht. left. apply Rdiv_lt_0_compat; [apply bell_pos | nra]. }
    assert (0 < bell y / y) by (apply Rdiv_lt_0_compat; [apply bell_pos | lra]). lra.
Qed.

Lemma half_mass_lub : is_lub_Rbar (fun y => exists z, y = area z) (Finite half_mass).
Proof.
  unfold half_mass. pose proof (Lub_Rbar_correct (fun y => exists z, y = area z)) as H. set (l := Lub_Rbar _) in *.
  assert (Hf : is_finite l); [|now rewrite Hf]. destruct H as [H1 H2].
  apply is_finite_correct. destruct l as [r| |]; [now exists r | exfalso | exfalso].
  - specialize (H2 (Finite (area 1 + bell 1 / 1))). apply H2. intros y [z ->]. cbn. apply area_tail. lra.
  - apply (H1 (area 0)). now exists 0.
Qed.

Lemma area_lt_half z : area z < half_mass.
Proof.
  destruct half_mass_lub as [H _]. apply Rlt_le_trans with (area (z + 1)); [apply area_increasing; lra|].
  apply (H (area (z + 1))). now exists (z + 1).
Qed.

Lemma half_le_tail z : 0 < z -> half_mass <= area z + bell z / z.
Proof.
  intros Hz. destruct half_mass_lub as [_ H]. apply (H (Finite (area z + bell z / z))). intros y [x ->]. cbn.
  now apply area_tail.
Qed.

Lemma half_approached eps : 0 < eps -> exists z, half_mass - eps < area z.
Proof.
  intros He. set (z := 1 + / eps). assert (Hi : 0 < / eps) by now apply Rinv_0_lt_compat.
  assert (Hz : 1 < z) by (unfold z; lra).
  exists z. pose proof (half_le_tail z ltac:(lra)) as H. assert (bell z / z < eps); [|lra].
  assert (Hb : bell z <= 1) by (unfold bell; rewrite <- exp_0; apply exp_mono; nra).
  apply Rmult_lt_reg_r with z; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_lt_trans with 1; [assumption|]. unfold z. rewrite Rmult_plus_distr_l, Rinv_r by lra. lra.
Qed.

(** ** The program's bounds *)

Lemma INR_odd n : (0 <= n)%Z -> INR (2 * Z.to_nat n + 1) = 2 * IZR n + 1.
Proof. intros H. rewrite plus_INR, mult_INR, (INR_IZR_INZ (Z.to_nat n)), Z2Nat.id by assumption. cbn. ring. Qed.
Lemma INR_next n : (0 <= n)%Z -> INR (S (Z.to_nat n)) = IZR n + 1.
Proof. intros H. rewrite S_INR, (INR_IZR_INZ (Z.to_nat n)), Z2Nat.id by assumption. reflexivity. Qed.

Lemma series_correct u k : ok u -> forall n,
  (0 <= n)%Z -> ok (series u n k) /\ real_of (series u n k) = nested_area (real_of u) (Z.to_nat n) k.
Proof.
  intros Hu. pose proof (ok_pos u Hu) as Hu'. induction k as [|k IH]; intros n Hn; cbn [series nested_area].
  - rewrite INR_odd by assumption. split; [unfold ok; cbn [den]; lia|]. unfold real_of; cbn [num den].
    rewrite plus_IZR, mult_IZR. unfold Rdiv. ring.
  - destruct (IH (n + 1)%Z ltac:(lia)) as [Hok Hr]. set (r := series u (n + 1) k) in *. clearbody r.
    pose proof (INR_odd n Hn) as E. pose proof (INR_next n Hn) as E'.
    replace (Z.to_nat (n + 1)) with (S (Z.to_nat n)) in Hr by lia. rewrite E, E', <- Hr.
    pose proof (ok_pos r Hok) as Hr'. apply IZR_le in Hn.
    split; [unfold ok in *; cbn [den]; apply le_IZR in Hn; nia|].
    unfold real_of; cbn [num den]. rewrite minus_IZR, !mult_IZR, !plus_IZR, !mult_IZR. field. lra.
Qed.

Lemma minus_1_even k : (-1) ^ (2 * k) = 1.
Proof. rewrite pow_mult. replace ((-1) ^ 2) with 1 by ring. apply pow1. Qed.
Lemma minus_1_odd k : (-1) ^ (2 * k + 1) = -1.
Proof. rewrite pow_add, minus_1_even. ring. Qed.

Lemma square_half_correct z : ok z -> ok (square_half z) /\ real_of (square_half z) = real_of z * real_of z / 2.
Proof.
  intros Hz. pose proof (ok_pos z Hz). unfold square_half. split; [unfold ok in *; cbn [den]; nia|].
  unfold real_of; cbn [num den]. rewrite !mult_IZR. field. lra.
Qed.

Lemma area_tests z : ok z -> (0 <= num z)%Z -> (ok (area_below z) /\ real_of (area_below z) <= area (real_of z)) /\
  ok (area_above z) /\ area (real_of z) <= real_of (area_above z).
Proof.
  intros Hz Hn. destruct (square_half_correct z Hz) as [H1 H2]. pose proof (real_nonneg z Hz Hn) as Hr.
  unfold area_below, area_above.
  set (u := square_half z) in *. cbn zeta. set (k := terms_for u).
  destruct (series_correct u (2 * k + 1) H1 0 ltac:(lia)) as [O1 E1].
  destruct (series_correct u (2 * k) H1 0 ltac:(lia)) as [O2 E2].
  rewrite !real_rmult, E1, E2, H2 by assumption. change (Z.to_nat 0) with 0%nat.
  pose proof (area_alternates (real_of z) (2 * k + 1) Hr) as A1.
  pose proof (area_alternates (real_of z) (2 * k) Hr) as A2.
  rewrite minus_1_odd in A1. rewrite minus_1_even in A2. repeat split; try (now apply ok_rmult); lra.
Qed.

(** The tail from 13 on. *)
Definition tail_terms : nat := 160.
Fixpoint nested_rat (u : rat) (n : Z) (k : nat) : rat :=
  match k with O => of_Z 1 | S k' => let r := nested_rat u (n + 1) k'
    in Rat (den u * (n + 1) * den r - num u * num r) (den u * (n + 1) * den r) end.

Lemma nested_rat_correct u k : ok u -> forall n,
  (0 <= n)%Z -> ok (nested_rat u n k) /\ real_of (nested_rat u n k) = nested (real_of u) (Z.to_nat n) k.
Proof.
  intros Hu. pose proof (ok_pos u Hu) as Hu'.
  induction k as [|k IH]; intros n Hn; cbn [nested_rat nested]; [split; [apply ok_of_Z | apply real_of_Z]|].
  destruct (IH (n + 1)%Z ltac:(lia)) as [Hok Hr]. set (r := nested_rat u (n + 1) k) in *. clearbody r.
  pose proof (INR_next n Hn) as E'.
  replace (Z.to_nat (n + 1)) with (S (Z.to_nat n)) in Hr by lia. rewrite E', <- Hr. pose proof (ok_pos r Hok) as Hr'.
  apply IZR_le in Hn.
  split; [unfold ok in *; cbn [den]; apply le_IZR in Hn; nia|].
  unfold real_of; cbn [num den]. rewrite minus_IZR, !mult_IZR, !plus_IZR. field. lra.
Qed.

Definition thirteen : rat := of_Z 13.
Definition area_13_low : rat := rmult thirteen (series (square_half thirteen) 0 (2 * tail_terms + 1)).
Definition area_13_high : rat := rmult thirteen (series (square_half thirteen) 0 (2 * tail_terms)).
Definition bell_13_high : rat := nested_rat (square_half thirteen) 0 (2 * tail_terms).

Lemma half_tests : (rat_le half_low area_13_low && rat_le
  (rplus area_13_high (rmult bell_13_high (Rat 1 13))) half_high)%bool = true.
Proof. vm_compute. reflexivity. Qed.

Theorem half_mass_between : real_of half_low <= half_mass <= real_of half_high.
Proof.
  pose proof half_tests as H. apply andb_true_iff in H. destruct H as [H1 H2].
  assert (Hz : ok thirteen) by reflexivity. destruct (square_half_correct thirteen Hz) as [O1 E1].
  assert (Ez : real_of thirteen = 13) by apply real_of_Z. rewrite Ez in E1.
  destruct (series_correct (square_half thirteen) (2 * tail_terms + 1) O1 0 ltac:(lia)) as [O2 E2].
  destruct (series_correct (square_half thirteen) (2 * tail_terms) O1 0 ltac:(lia)) as [O3 E3].
  destruct (nested_rat_correct (square_half thirteen) (2 * tail_terms) O1 0 ltac:(lia)) as [O4 E4].
  change (Z.to_nat 0) with 0%nat in *. rewrite E1 in E2, E3, E4.
  assert (L : real_of area_13_low <= area 13).
  { unfold area_13_low. rewrite real_rmult, Ez, E2 by assumption.
    pose proof (area_alternates 13 (2 * tail_terms + 1) ltac:(lra)) as A. rewrite minus_1_odd in A. lra. }
  assert (U : area 13 <= real_of area_13_high).
  { unfold area_13_high. rewrite real_rmult, Ez, E3 by assumption.
    pose proof (area_alternates 13 (2 * tail_terms) ltac:(lra)) as A. rewrite minus_1_even in A. lra. }
  assert (B : bell 13 <= real_of bell_13_high).
  { unfold bell_13_high. rewrite E4, nested_sum.
    pose proof (sum_alternates (2 * tail_terms) (13 * 13 / 2) ltac:(lra)) as A. rewrite minus_1_even in A. unfold bell.
    lra. }
  assert (Oa : ok area_13_low) by (apply ok_rmult; assumption).
  assert (Ob : ok area_13_high) by (apply ok_rmult; assumption).
  assert (Oc : ok (rmult bell_13_high (Rat 1 13))) by (apply ok_rmult; [assumption | reflexivity]).
  apply rat_le_correct in H1; [|reflexivity | assumption].
  apply rat_le_correct in H2; [|now apply ok_rplus | reflexivity].
  rewrite real_rplus, real_rmult in H2 by (try assumption; reflexivity).
  replace (real_of (Rat 1 13)) with (/ 13) in H2 by (unfold real_of; cbn [num den]; field).
  pose proof (area_lt_half 13). pose proof (half_le_tail 13 ltac:(lra)) as Ht. unfold Rdiv in Ht. split; [lra|].
  assert (bell 13 * / 13 <= real_of bell_13_high * / 13) by (apply Rmult_le_compat_r; lra). lra.
Qed.
