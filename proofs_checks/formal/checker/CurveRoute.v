(** * Lines below mixtures of curves, staircases above them

    [weighting_curve]: every accepted curve is a weighting. [point_below_correct], [point_above_correct]: accepted
    points lie below and above its graph. [falls_to_correct], [rises_between_correct]: it is concave and convex
    where the tests say so. [supported_correct]: an accepted piece of a broken line is below the curve. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Rows Program Check PolygonCheck CurveCheck Meaning RatFacts
  PolygonObjective Curves PowerCurve NormalCurve WangCurve CpwCurve CpwTests.
From VerifiedRisk Require WeightingsNotLipschitz.
Import ListNotations.
Open Scope R_scope.

Lemma ok_one : ok one.
Proof. reflexivity. Qed.
Lemma real_one : real_of one = 1.
Proof. apply real_of_Z. Qed.

(** ** Curves are weightings, with the shape that the program says *)

Lemma jump_facts level : good_curve (Jump level) = true -> ok level /\ 0 < real_of level <= 1.
Proof.
  cbn [good_curve]. intros H. repeat rewrite andb_true_iff in H. destruct H as [[H1 H2] H3]. apply Z.ltb_lt in H1, H2.
  apply rat_le_correct in H3; [|assumption | apply ok_one]. rewrite real_one in H3. split; [assumption|].
  split; [|assumption]. now apply (real_of_sign level).
Qed.

Theorem weighting_curve f : good_curve f = true -> weighting (curve_of f).
Proof.
  destruct f as [p q|p q|s|p q|corners|level]; intros H.
  - cbn [good_curve] in H. apply andb_true_iff in H. rewrite !Z.ltb_lt in H. apply weighting_hazard. now apply k_pos.
  - cbn [good_curve] in H. apply andb_true_iff in H. rewrite !Z.ltb_lt in H. apply weighting_dual. now apply k_pos.
  - apply weighting_wang.
  - destruct (cpw_facts p q H) as [_ [_ [H1 H2]]]. now apply weighting_cpw.
  - now apply weighting_polygon.
  - apply (WeightingsNotLipschitz.weighting_var (real_of level)). now apply jump_facts.
Qed.

Lemma exponent_le p q : (0 < p)%Z -> (0 < q)%Z -> ((p <= q)%Z -> IZR p / IZR q <= 1) /\
  ((q <= p)%Z -> 1 <= IZR p / IZR q).
Proof.
  intros Hp Hq. apply IZR_lt in Hp, Hq. split; intros H; apply IZR_le in H.
  - apply Rmult_le_reg_r with (IZR q); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - apply Rmult_le_reg_r with (IZR q); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma bends_down_nowhere G : bends_down G 0 0.
Proof. intros y Hy. lra. Qed.

Theorem falls_to_correct f k : good_curve f = true -> let e := falls_to f k in ok e /\ real_of e <= 1 /\
  bends_down (curve_of f) 0 (real_of e).
Proof.
  pose proof ok_one as O1. pose proof real_one as R1. assert (O0 : ok (of_Z 0)) by reflexivity.
  assert (R0 : real_of (of_Z 0) = 0) by apply real_of_Z.
  destruct f as [p q|p q|s|p q|corners|level]; intros H; [| | | now apply cpw_falls_to | |];
    cbn [falls_to curve_of good_curve] in *.
  - apply andb_true_iff in H. rewrite !Z.ltb_lt in H.
    destruct (Z.leb_spec p q) as [Hle|_]; cbn zeta;
      [|rewrite R0; split; [assumption|]; split; [lra | apply bends_down_nowhere]].
    rewrite R1. split; [assumption|]. split; [lra|]. apply hazard_bends_down.
    split; [now apply k_pos | now apply exponent_le].
  - apply andb_true_iff in H. rewrite !Z.ltb_lt in H.
    destruct (Z.leb_spec q p) as [Hle|_]; cbn zeta;
      [|rewrite R0; split; [assumption|]; split; [lra | apply bends_down_nowhere]].
    rewrite R1. split; [assumption|]. split; [lra|]. apply bends_down_turned. apply hazard_bends_up.
    now apply exponent_le.
  - apply Z.ltb_lt in H. destruct (Z.leb_spec 0 (num s)) as [Hle|_]; cbn zeta;
      [|rewrite R0; split; [assumption|]; split; [lra | apply bends_down_nowhere]].
    rewrite R1. split; [assumption|]. split; [lra|]. apply wang_bends_down. now apply real_nonneg.
  - cbn zeta. rewrite R0. split; [assumption|]. split; [lra | apply bends_down_nowhere].
  - cbn zeta. rewrite R0. split; [assumption|]. split; [lra | apply bends_down_nowhere].
Qed.

Theorem rises_between_correct f k : good_curve f = true -> let ab := rises_between f k in
  ok (fst ab) /\ ok (snd ab) /\ 0 <= real_of (fst ab) /\ real_of (snd ab) <= 1 /\
    bends_up (curve_of f) (real_of (fst ab)) (real_of (snd ab)).
Proof.
  pose proof ok_one as O1. pose proof real_one as R1. assert (O0 : ok (of_Z 0)) by reflexivity.
  assert (R0 : real_of (of_Z 0) = 0) by apply real_of_Z.
  assert (Hno : forall G, ok one /\ ok one /\ 0 <= real_of one /\ real_of one <= 1 /\
    bends_up G (real_of one) (real_of one)).
  { intros G. rewrite R1. repeat split; try assumption; try lra. intros y Hy. lra. }
  destruct f as [p q|p q|s|p q|corners|level]; intros H; [| | | now apply cpw_rises_between | |];
    cbn [rises_between curve_of good_curve] in *; [| | | apply Hno | apply Hno].
  - apply andb_true_iff in H. rewrite !Z.ltb_lt in H. destruct (Z.leb_spec q p) as [Hle|_]; cbn [fst snd]; [|apply Hno].
    rewrite R0, R1. repeat split; try assumption; try lra. apply hazard_bends_up. now apply exponent_le.
  - apply andb_true_iff in H. rewrite !Z.ltb_lt in H. destruct (Z.leb_spec p q) as [Hle|_]; cbn [fst snd]; [|apply Hno].
    rewrite R0, R1. repeat split; try assumption; try lra. apply bends_up_turned. apply hazard_bends_down.
    split; [now apply k_pos | now apply exponent_le].
  - apply Z.ltb_lt in H. destruct (Z.leb_spec (num s) 0) as [Hle|_]; cbn [fst snd]; [|apply Hno].
    rewrite R0, R1. repeat split; try assumption; try lra. apply wang_bends_up. now apply real_nonpos.
Qed.

(** ** Points *)

Definition at_point (c : point) : Prop := ok (place c) /\ ok (height c) /\ 0 <= real_of (place c) <= 1.

Lemma good_point_correct c : good_point c = true -> at_point c /\ List.Forall ok (hints c).
Proof.
  intros H. unfold good_point in H. repeat rewrite andb_true_iff in H. destruct H as [[[[H1 H2] H3] H4] H5].
  apply Z.ltb_lt in H1, H2. apply Z.leb_le in H4.
  apply rat_le_correct in H5; [|assumption | apply ok_one]. rewrite real_one in H5.
  split; [repeat split; try assumption; now apply real_nonneg|].
  apply List.Forall_forall. intros x Hx. apply forallb_forall with (x := x) in H3; [|assumption].
  now apply Z.ltb_lt in H3.
Qed.

Theorem point_below_correct f c : good_curve f = true -> point_below f c = true -> at_point c /\
  real_of (height c) <= curve_of f (real_of (place c)).
Proof.
  intros Hf H. unfold point_below in H. cbn zeta in H. apply andb_true_iff in H. destruct H as [Hc H].
  apply good_point_correct in Hc. destruct Hc as [Hat Hh].
  split; [assumption|]. destruct Hat as [Hx [Hy Hr]]. pose proof ok_one as O1. pose proof real_one as R1.
  assert (Hnonneg : (num (height c) <= 0)%Z -> real_of (height c) <= curve_of f (real_of (place c))).
  { intros Hn. pose proof (weighting_curve f Hf) as HG.
    pose proof (weighting_mono _ HG 0 (real_of (place c)) ltac:(lra) ltac:(lra) ltac:(lra)) as Hm.
    rewrite (weighting_0 _ HG) in Hm. pose proof (real_nonpos _ Hy Hn). lra. }
  destruct f as [p q|p q|s|p q|corners|level]; cbn [curve_of].
  - cbn [good_curve] in Hf. apply andb_true_iff in Hf. rewrite !Z.ltb_lt in Hf. now apply root_below_correct.
  - cbn [good_curve] in Hf. apply andb_true_iff in Hf. rewrite !Z.ltb_lt in Hf.
    apply root_above_correct in H; try (now apply ok_rminus); try apply Hf. rewrite !real_rminus, R1 in H by assumption.
    lra.
  - apply orb_true_iff in H. destruct H as [H|H]; [apply Z.leb_le in H; now apply Hnonneg|].
    destruct (hints c) as [|z l]; [discriminate|]. inversion_clear Hh as [|? ? Hz _].
    apply andb_true_iff in H. destruct H as [H1 H2]. cbn [good_curve] in Hf. apply Z.ltb_lt in Hf.
    assert (Ozs : ok (rplus z s)) by now apply ok_rplus.
    destruct (normal_tests z Hz) as [_ [O3 B3]]. destruct (normal_tests (rplus z s) Ozs) as [[O4 B4] _].
    rewrite real_rplus in B4 by assumption.
    apply rat_le_correct in H1; try assumption. apply rat_le_correct in H2; try assumption.
    apply (wang_below _ (real_of z)); lra.
  - apply orb_true_iff in H. destruct H as [H|H]; [apply Z.leb_le in H; now apply Hnonneg|].
    destruct (hints c) as [|a [|a' [|b l]]]; try discriminate.
    inversion_clear Hh as [|? ? Ha Hh1]. inversion_clear Hh1 as [|? ? Ha' Hh2]. inversion_clear Hh2 as [|? ? Hb _].
    repeat rewrite andb_true_iff in H. destruct H as [[[H1 H2] H3] H4]. now apply (cpw_below p q Hf _ _ a a' b).
  - destruct (polygon_at_correct corners (of_Z 0) (of_Z 0) (place c) Hf (ok_of_Z 0) (ok_of_Z 0) Hx) as [O2 E2].
    apply rat_le_correct in H; try assumption. now rewrite E2, !real_of_Z in H.
  - destruct (jump_facts level Hf) as [Hl _]. apply orb_true_iff in H.
    destruct H as [H|H]; [apply Z.leb_le in H; now apply Hnonneg|].
    apply andb_true_iff in H. destruct H as [H1 H2]. apply rat_le_correct in H1; try assumption.
    apply rat_le_correct in H2; try assumption. rewrite R1 in H2.
    destruct (Rle_dec (real_of level) (real_of (place c))); lra.
Qed.

Theorem point_above_correct f c : good_curve f = true -> point_above f c = true -> at_point c /\
  curve_of f (real_of (place c)) <= real_of (height c).
Proof.
  intros Hf H. unfold point_above in H. cbn zeta in H. apply andb_true_iff in H. destruct H as [Hc H].
  apply good_point_correct in Hc. destruct Hc as [Hat Hh].
  split; [assumption|]. destruct Hat as [Hx [Hy Hr]]. pose proof ok_one as O1. pose proof real_one as R1.
  apply orb_true_iff in H. destruct H as [H|H]; [apply orb_true_iff in H; destruct H as [H|H]|].
  { apply rat_le_correct in H; try assumption. rewrite R1 in H. pose proof (weighting_curve f Hf) as HG.
    pose proof (weighting_mono _ HG (real_of (place c)) 1 ltac:(lra) ltac:(lra) ltac:(lra)) as Hm.
    rewrite (weighting_1 _ HG) in Hm. lra. }
  { apply andb_true_iff in H. destruct H as [H1 H2]. apply Z.leb_le in H1, H2. pose proof (real_nonpos _ Hx H1).
    pose proof (real_nonneg _ Hy H2).
    replace (real_of (place c)) with 0 by lra. rewrite (weighting_0 _ (weighting_curve f Hf)). assumption. }
  destruct f as [p q|p q|s|p q|corners|level]; cbn [curve_of].
  - cbn [good_curve] in Hf. apply andb_true_iff in Hf. rewrite !Z.ltb_lt in Hf. now apply root_above_correct.
  - cbn [good_curve] in Hf. apply andb_true_iff in Hf. rewrite !Z.ltb_lt in Hf.
    apply root_below_correct in H; try (now apply ok_rminus); try apply Hf. rewrite !real_rminus, R1 in H by assumption.
    lra.
  - destruct (hints c) as [|z l]; [discriminate|]. inversion_clear Hh as [|? ? Hz _].
    apply andb_true_iff in H. destruct H as [H1 H2]. cbn [good_curve] in Hf. apply Z.ltb_lt in Hf.
    assert (Ozs : ok (rplus z s)) by now apply ok_rplus.
    destruct (normal_tests z Hz) as [[O3 B3] _]. destruct (normal_tests (rplus z s) Ozs) as [_ [O4 B4]].
    rewrite real_rplus in B4 by assumption.
    apply rat_le_correct in H1; try assumption. apply rat_le_correct in H2; try assumption.
    apply (wang_above _ (real_of z)); lra.
  - destruct (hints c) as [|a [|a' [|b l]]]; try discriminate.
    inversion_clear Hh as [|? ? Ha Hh1]. inversion_clear Hh1 as [|? ? Ha' Hh2]. inversion_clear Hh2 as [|? ? Hb _].
    repeat rewrite andb_true_iff in H. destruct H as [[[H1 H2] H3] H4]. now apply (cpw_above p q Hf _ _ a a' b).
  - destruct (polygon_at_correct corners (of_Z 0) (of_Z 0) (place c) Hf (ok_of_Z 0) (ok_of_Z 0) Hx) as [O2 E2].
    apply rat_le_correct in H; try assumption. now rewrite E2, !real_of_Z in H.
  - destruct (jump_facts level Hf) as [Hl _]. apply andb_true_iff in H. destruct H as [H1 H2]. apply Z.leb_le in H1.
    apply rat_lt_correct in H2; try assumption.
    pose proof (real_nonneg _ Hy H1). destruct (Rle_dec (real_of level) (real_of (place c))); lra.
Qed.

(** ** Pieces of a broken line *)

Lemma chord_below_line (L : R -> R) a b x y x' y' t : (forall s, L s = a + b * s) -> x < x' -> y <= L x -> y' <= L x' ->
  x <= t <= x' -> chord x y x' y' t <= L t.
Proof.
  intros HL Hx Hy Hy' Ht. set (c := (t - x) / (x' - x)). assert (Hc : 0 <= c <= 1).
  { unfold c. split; [apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (x' - x); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (Et : t = x + c * (x' - x)) by (unfold c; field; lra).
  replace (chord x y x' y' t) with ((1 - c) * y + c * y') by (unfold chord, c; ring).
  replace (L t) with ((1 - c) * L x + c * L x') by (rewrite !HL, Et; ring). nra.
Qed.

Lemma chord_is_line x y x' y' : x < x' -> exists a b, forall s, chord x y x' y' s = a + b * s.
Proof. intros H. exists (y - x * ((y' - y) / (x' - x))), ((y' - y) / (x' - x)). intros s. unfold chord. field. lra. Qed.

Lemma chord_as_mean x y x' y' t : x < x' -> chord x y x' y' t * (x' - x) = (x' - t) * y + (t - x) * y'.
Proof. intros H. unfold chord. field. lra. Qed.

Section Pieces.
  Variable G : R -> R.
  Hypothesis HG : weighting G.

  Lemma below_chord e a ya b yb t : bends_down G 0 e -> e <= 1 -> 0 <= a -> a < b -> b < e -> ya <= G a -> yb <= G b ->
    a <= t <= b -> chord a ya b yb t <= G t.
  Proof.
    intros HB He Ha Hab Hb Hya Hyb Ht. destruct (Req_dec t a) as [->|]; [now rewrite chord_left|].
    destruct (Req_dec t b) as [->|]; [rewrite chord_right by assumption; assumption|].
    destruct (closed_at_0 G e HG HB He t ltac:(lra)) as [c Hc]. pose proof (Hc a ltac:(lra)) as H1.
    pose proof (Hc b ltac:(lra)) as H2.
    apply Rmult_le_reg_r with (b - a); [lra|]. rewrite chord_as_mean by assumption. nra.
  Qed.

  Lemma below_line_right lo hi c u s y t : bends_up G lo hi -> lo < c -> c < s -> s <= t -> t < hi -> G c <= u ->
    y <= G s -> chord c u s y t <= G t.
  Proof.
    intros HB H1 H2 H3 H4 Hu Hy. destruct (HB s ltac:(lra)) as [d Hd]. pose proof (Hd c ltac:(lra)) as D1.
    pose proof (Hd t ltac:(lra)) as D2.
    apply Rmult_le_reg_r with (s - c); [lra|]. rewrite chord_as_mean by assumption. nra.
  Qed.

  Lemma below_line_left lo hi c u s y t : bends_up G lo hi -> lo < t -> t <= s -> s < c -> c < hi -> G c <= u ->
    y <= G s -> chord s y c u t <= G t.
  Proof.
    intros HB H1 H2 H3 H4 Hu Hy. destruct (HB s ltac:(lra)) as [d Hd]. pose proof (Hd c ltac:(lra)) as D1.
    pose proof (Hd t ltac:(lra)) as D2.
    apply Rmult_le_reg_r with (c - s); [lra|]. rewrite chord_as_mean by assumption. nra.
  Qed.
End Pieces.

Lemma linear_between x x' corners : ok x -> ok x' -> forall u g,
  good_corners u g corners = true -> ok u -> ok g -> real_of u <= real_of x ->
  no_corner_between x x' corners = true -> exists a b, forall t,
    real_of x <= t <= real_of x' -> polygon (real_of u) (real_of g) corners t = a + b * t.
Proof.
  intros Hx Hx'. induction corners as [|[v h] l IH]; intros u g Hc Hu Hg Hux Hn;
    [exists (real_of g), 0; intros; cbn; ring|].
  pose proof Hc as Hc0. cbn [good_corners] in Hc. repeat rewrite andb_true_iff in Hc.
  destruct Hc as [[[[H1 H2] H3] _] H5]. apply Z.ltb_lt in H1, H2. apply rat_lt_correct in H3; try assumption.
  cbn [no_corner_between] in Hn. apply andb_true_iff in Hn. destruct Hn as [Hn Hl]. apply orb_true_iff in Hn.
  destruct Hn as [Hn|Hn]; apply rat_le_correct in Hn; try assumption.
  - destruct (IH v h H5 H1 H2 Hn Hl) as [a [b Hab]]. exists a, b. intros t Ht. rewrite polygon_unfold.
    destruct (Rle_dec t (real_of v)) as [Hle|Hle]; [|now apply Hab].
    assert (Et : t = real_of v) by lra. rewrite Et, chord_right by assumption.
    rewrite <- (polygon_start v h l H5 H1 H2) at 1. apply Hab. lra.
  - destruct (chord_is_line (real_of u) (real_of g) (real_of v) (real_of h) H3) as [a [b Hab]]. exists a, b.
    intros t Ht. rewrite polygon_unfold.
    destruct (Rle_dec t (real_of v)); [apply Hab | lra].
Qed.

Lemma line_at_correct a b tau : at_point a -> at_point b -> real_of (place a) < real_of (place b) -> ok tau ->
  ok (line_at a b tau) /\ real_of (line_at a b tau) =
    chord (real_of (place a)) (real_of (height a)) (real_of (place b)) (real_of (height b)) (real_of tau).
Proof. intros [A1 [A2 _]] [B1 [B2 _]] Hlt Ht. now apply segment_correct. Qed.

Theorem supported_correct f k x y x' y' s t : good_curve f = true -> ok x -> ok y -> ok x' -> ok y' -> 0 <= real_of x ->
  real_of x < real_of x' -> real_of x' <= 1 ->
  supported f (falls_to f k) (rises_between f k) x y x' y' s = true -> real_of x <= t <= real_of x' ->
  chord (real_of x) (real_of y) (real_of x') (real_of y') t <= curve_of f t.
Proof.
  intros Hf Hx Hy Hx' Hy' H0 Hlt H1 H Ht. pose proof (weighting_curve f Hf) as HG.
  destruct s as [c|a b|c d|]; cbn [supported] in H; repeat rewrite andb_true_iff in H.
  - destruct H as [[[T1 T2] T3] T4]. destruct (point_below_correct f c Hf T1) as [[C1 [C2 C3]] B].
    apply rat_le_correct in T2; try assumption.
    apply rat_le_correct in T3; try assumption. apply rat_le_correct in T4; try assumption.
    apply Rle_trans with (real_of (height c)).
    + apply (chord_below_line (fun _ => real_of (height c)) (real_of (height c)) 0); try assumption. intros; ring.
    + pose proof (weighting_mono _ HG (real_of (place c)) t ltac:(lra) ltac:(lra) ltac:(lra)). lra.
  - destruct H as [[[[[[[T1 T2] T3] T4] T5] T6] T7] T8]. destruct (point_below_correct f a Hf T1) as [A BA].
    destruct (point_below_correct f b Hf T2) as [B BB].
    destruct (falls_to_correct f k Hf) as [E1 [E2 E3]]. pose proof A as [A1 [A2 A3]]. pose proof B as [B1 [B2 B3]].
    apply rat_lt_correct in T3; try assumption. apply rat_lt_correct in T4; try assumption.
    apply rat_le_correct in T5; try assumption. apply rat_le_correct in T6; try assumption.
    destruct (line_at_correct a b x A B T3 Hx) as [L1 L2]. destruct (line_at_correct a b x' A B T3 Hx') as [L3 L4].
    apply rat_le_correct in T7; try assumption. apply rat_le_correct in T8; try assumption. rewrite L2 in T7.
    rewrite L4 in T8.
    destruct (chord_is_line (real_of (place a)) (real_of (height a)) (real_of (place b)) (real_of (height b)) T3)
      as [p [q Hpq]].
    eapply Rle_trans; [apply (chord_below_line _ p q _ _ _ _ t Hpq Hlt T7 T8 Ht)|].
    apply (below_chord _ HG (real_of (falls_to f k))); try assumption; lra.
  - destruct H as [[T1 T2] H]. destruct (point_below_correct f c Hf T1) as [C BC].
    destruct (point_above_correct f d Hf T2) as [D BD].
    pose proof C as [C1 [C2 C3]]. pose proof D as [D1 [D2 D3]].
    destruct (rises_between_correct f k Hf) as [E1 [E2 [E3 [E4 E5]]]].
    destruct (rat_lt (place d) (place c)) eqn:Edc; repeat rewrite andb_true_iff in H.
    + destruct H as [[[[T3 T4] T5] T6] T7]. apply rat_lt_correct in Edc; try assumption.
      apply rat_lt_correct in T3; try assumption. apply rat_le_correct in T4; try assumption.
      apply rat_lt_correct in T5; try assumption. destruct (line_at_correct d c x D C Edc Hx) as [L1 L2].
      destruct (line_at_correct d c x' D C Edc Hx') as [L3 L4].
      apply rat_le_correct in T6; try assumption. apply rat_le_correct in T7; try assumption. rewrite L2 in T6.
      rewrite L4 in T7.
      destruct (chord_is_line (real_of (place d)) (real_of (height d)) (real_of (place c)) (real_of (height c)) Edc)
        as [p [q Hpq]].
      eapply Rle_trans; [apply (chord_below_line _ p q _ _ _ _ t Hpq Hlt T6 T7 Ht)|].
      apply (below_line_right _ (real_of (fst (rises_between f k))) (real_of (snd (rises_between f k))));
        try assumption; lra.
    + destruct H as [[[[[T3 T4] T5] T6] T7] T8]. apply rat_lt_correct in T3; try assumption.
      apply rat_le_correct in T4; try assumption.
      apply rat_lt_correct in T5; try assumption. apply rat_lt_correct in T6; try assumption.
      destruct (line_at_correct c d x C D T5 Hx) as [L1 L2]. destruct (line_at_correct c d x' C D T5 Hx') as [L3 L4].
      apply rat_le_correct in T7; try assumption. apply rat_le_correct in T8; try assumption. rewrite L2 in T7.
      rewrite L4 in T8.
      destruct (chord_is_line (real_of (place c)) (real_of (height c)) (real_of (place d)) (real_of (height d)) T5)
        as [p [q Hpq]].
      eapply Rle_trans; [apply (chord_below_line _ p q _ _ _ _ t Hpq Hlt T7 T8 Ht)|].
      apply (below_line_left _ (real_of (fst (rises_between f k))) (real_of (snd (rises_between f k)))); try assumption;
        lra.
  - destruct f as [p q|p q|sh|p q|corners|level]; try discriminate. repeat rewrite andb_true_iff in H.
    destruct H as [[T1 T2] T3]. cbn [good_curve curve_of] in *.
    pose proof (real_of_Z 0) as R0.
    destruct (polygon_at_correct corners _ _ x Hf (ok_of_Z 0) (ok_of_Z 0) Hx) as [P1 P2].
    destruct (polygon_at_correct corners _ _ x' Hf (ok_of_Z 0) (ok_of_Z 0) Hx') as [P3 P4].
    apply rat_le_correct in T2; try assumption. apply rat_le_correct in T3; try assumption.
    rewrite P2, !R0 in T2. rewrite P4, !R0 in T3.
    destruct (linear_between x x' corners Hx Hx' _ _ Hf (ok_of_Z 0) (ok_of_Z 0) ltac:(rewrite R0; lra) T1)
      as [a [b Hab]].
    rewrite !R0 in Hab. rewrite (Hab t Ht). rewrite (Hab (real_of x) ltac:(lra)) in T2.
    rewrite (Hab (real_of x') ltac:(lra)) in T3.
    apply (chord_below_line (fun s => a + b * s) a b); try assumption. reflexivity.
Qed.
