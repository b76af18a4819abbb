(** * The tests of points and of the shape of Tversky and Kahneman's weighting

    [cpw_falls_to]: the weighting is concave on the interval from 0 that the test returns. [cpw_rises_between]: it
    is convex on the interval that the other test returns. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Rows Program Check PolygonCheck CurveCheck Meaning RatFacts
  PolygonObjective Curves PowerCurve CpwCurve.
Import ListNotations.
Open Scope R_scope.

Section Tests.
  Variables (p q : Z).
  Hypothesis Hgood : good_curve (Cpw p q) = true.
  Let g := IZR p / IZR q.

  Lemma cpw_facts : (0 < p)%Z /\ (p < q)%Z /\ 0 < g < 1 /\ power g (g * g / (1 - g)) <= g / ((1 - g) * (1 - g)).
  Proof.
    pose proof Hgood as H. cbn [good_curve] in H. repeat rewrite andb_true_iff in H. destruct H as [[H1 H2] H3].
    apply Z.ltb_lt in H1, H2.
    split; [assumption|]. split; [assumption|]. pose proof (IZR_lt _ _ H1) as P. pose proof (IZR_lt _ _ H2) as Q.
    assert (Hg : 0 < g < 1) by (unfold g; split;
      [apply Rdiv_lt_0_compat; lra | apply Rmult_lt_reg_r with (IZR q);
      [lra | unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra]]).
    split; [assumption|].
    assert (Ox : ok (Rat (p * p) (q * (q - p)))) by (unfold ok; cbn [den]; nia).
    assert (Oy : ok (Rat (p * q) ((q - p) * (q - p)))) by (unfold ok; cbn [den]; nia).
    assert (Ex : real_of (Rat (p * p) (q * (q - p))) = g * g / (1 - g))
      by (unfold real_of, g; cbn [num den]; rewrite !mult_IZR, minus_IZR; field; lra).
    assert (Ey : real_of (Rat (p * q) ((q - p) * (q - p))) = g / ((1 - g) * (1 - g)))
      by (unfold real_of, g; cbn [num den]; rewrite !mult_IZR, !minus_IZR; field; lra).
    rewrite <- Ex, <- Ey. apply (root_above_correct p q H1 ltac:(lia)); [assumption | assumption|]. unfold root_above.
    cbn [num]. rewrite H3.
    destruct (Z.leb_spec 0 (p * p)); [|nia]. destruct (Z.leb_spec 0 (p * q)); [|nia]. reflexivity.
  Qed.

  Lemma inverse_exponent : / g = IZR q / IZR p.
  Proof. destruct cpw_facts as [H1 [H2 _]]. apply IZR_lt in H1, H2. unfold g. field. lra. Qed.

  Lemma root_to_p d : 0 <= d -> power (/ g) d ^ Z.to_nat p = d ^ Z.to_nat q.
  Proof.
    destruct cpw_facts as [H1 [H2 _]]. intros Hd. rewrite inverse_exponent.
    apply power_to_q; [lia | assumption | assumption].
  Qed.

  Lemma product_forms y d a : ok y -> ok d -> ok a ->
    (product_le p q y d a = true -> 0 < real_of y /\ 0 < real_of d /\ 0 <= real_of a /\
      real_of y ^ Z.to_nat p * real_of d ^ Z.to_nat q <= real_of a ^ Z.to_nat p) /\
    (product_ge p q y d a = true -> 0 < real_of y /\ 0 < real_of d /\ 0 <= real_of a /\
      real_of a ^ Z.to_nat p <= real_of y ^ Z.to_nat p * real_of d ^ Z.to_nat q).
  Proof.
    destruct cpw_facts as [Hp [Hq _]]. intros Hy Hd Ha. pose proof (ok_pos y Hy) as Py. pose proof (ok_pos d Hd) as Pd.
    pose proof (ok_pos a Ha) as Pa.
    assert (Ey : real_of y ^ Z.to_nat p * real_of d ^ Z.to_nat q =
      IZR (num y ^ p * num d ^ q) / (IZR (den y) ^ Z.to_nat p * IZR (den d) ^ Z.to_nat q)).
    { rewrite mult_IZR, !IZR_pow_to_nat by lia. unfold real_of, Rdiv. rewrite !Rpow_mult_distr, !pow_inv. field.
      split; apply pow_nonzero; lra. }
    assert (Ea : real_of a ^ Z.to_nat p = IZR (num a ^ p) / IZR (den a) ^ Z.to_nat p).
    { rewrite IZR_pow_to_nat by lia. unfold real_of, Rdiv. now rewrite Rpow_mult_distr, pow_inv. }
    pose proof (pow_lt _ (Z.to_nat p) Py) as Qy. pose proof (pow_lt _ (Z.to_nat q) Pd) as Qd.
    pose proof (pow_lt _ (Z.to_nat p) Pa) as Qa.
    set (u := IZR (den y) ^ Z.to_nat p) in *. set (v := IZR (den d) ^ Z.to_nat q) in *.
    set (w := IZR (den a) ^ Z.to_nat p) in *.
    assert (Huv : 0 < u * v) by now apply Rmult_lt_0_compat.
    assert (Hall : 0 < u * v * w) by now apply Rmult_lt_0_compat.
    rewrite Ey, Ea. unfold product_le, product_ge.
    split; intros H; repeat rewrite andb_true_iff in H; destruct H as [[[H1 H2] H3] H4];
      apply Z.ltb_lt in H1, H2; apply Z.leb_le in H3, H4; apply IZR_le in H4; repeat rewrite mult_IZR in H4;
        repeat rewrite mult_IZR;
      rewrite (IZR_pow_to_nat (den a)), (IZR_pow_to_nat (den y)), (IZR_pow_to_nat (den d)) in H4 by lia;
        fold u v w in H4;
      (split; [now apply real_of_sign|]); (split; [now apply real_of_sign|]); (split; [now apply real_nonneg|]);
      apply Rmult_le_reg_r with (u * v * w); try assumption.
    - replace (IZR (num y ^ p) * IZR (num d ^ q) / (u * v) * (u * v * w)) with (IZR (num y ^ p) * IZR (num d ^ q) * w)
        by (field; lra).
      replace (IZR (num a ^ p) / w * (u * v * w)) with (IZR (num a ^ p) * u * v) by (field; lra). exact H4.
    - replace (IZR (num y ^ p) * IZR (num d ^ q) / (u * v) * (u * v * w)) with (IZR (num y ^ p) * IZR (num d ^ q) * w)
        by (field; lra).
      replace (IZR (num a ^ p) / w * (u * v * w)) with (IZR (num a ^ p) * u * v) by (field; lra). exact H4.
  Qed.

  Lemma cpw_below x y a a' b : ok x -> 0 <= real_of x <= 1 -> ok y -> ok a -> ok a' -> ok b ->
    root_below p q x a = true -> root_above p q x a' = true -> root_above p q (rminus one x) b = true ->
      product_le p q y (rplus a' b) a = true ->
    real_of y <= cpw g (real_of x).
  Proof.
    destruct cpw_facts as [Hp [Hq [Hg _]]]. intros Hx Hr Hy Ha Ha' Hb T1 T2 T3 T4. assert (O1 : ok one) by reflexivity.
    assert (Hx' : ok (rminus one x)) by now apply ok_rminus.
    apply (root_below_correct p q Hp ltac:(lia)) in T1; try assumption.
    apply (root_above_correct p q Hp ltac:(lia)) in T2; try assumption.
    apply (root_above_correct p q Hp ltac:(lia)) in T3; try assumption. fold g in T1, T2, T3.
    rewrite real_rminus in T3 by assumption.
    replace (real_of one) with 1 in T3 by (symmetry; apply real_of_Z).
    destruct (product_forms y (rplus a' b) a Hy ltac:(now apply ok_rplus) Ha) as [F _].
    destruct (F T4) as [F1 [F2 [F3 F4]]]. rewrite real_rplus in F2, F4 by assumption.
    set (X := real_of x) in *. unfold cpw. set (D := power g X + power g (1 - X)).
    pose proof (whole_ge_1 g Hg X Hr) as HD. fold D in HD.
    pose proof (root_ge_1 g Hg D HD) as HR. apply Rmult_le_reg_r with (power (/ g) D); [lra|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply (pow_le_reg (Z.to_nat p)); [lia | apply Rmult_le_pos; lra | apply power_nonneg|].
    rewrite Rpow_mult_distr, root_to_p by lra.
    apply Rle_trans with (real_of a ^ Z.to_nat p); [|apply pow_incr; lra].
    eapply Rle_trans; [|exact F4]. apply Rmult_le_compat_l; [apply pow_le; lra|]. apply pow_incr. unfold D in *. lra.
  Qed.

  Lemma cpw_above x y a a' b : ok x -> 0 <= real_of x <= 1 -> ok y -> ok a -> ok a' -> ok b ->
    root_above p q x a = true -> root_below p q x a' = true -> root_below p q (rminus one x) b = true ->
      product_ge p q y (rplus a' b) a = true ->
    cpw g (real_of x) <= real_of y.
  Proof.
    destruct cpw_facts as [Hp [Hq [Hg _]]]. intros Hx Hr Hy Ha Ha' Hb T1 T2 T3 T4. assert (O1 : ok one) by reflexivity.
    assert (Hx' : ok (rminus one x)) by now apply ok_rminus.
    apply (root_above_correct p q Hp ltac:(lia)) in T1; try assumption.
    apply (root_below_correct p q Hp ltac:(lia)) in T2; try assumption.
    apply (root_below_correct p q Hp ltac:(lia)) in T3; try assumption. fold g in T1, T2, T3.
    rewrite real_rminus in T3 by assumption.
    replace (real_of one) with 1 in T3 by (symmetry; apply real_of_Z).
    destruct (product_forms y (rplus a' b) a Hy ltac:(now apply ok_rplus) Ha) as [_ F].
    destruct (F T4) as [F1 [F2 [F3 F4]]]. rewrite real_rplus in F2, F4 by assumption.
    set (X := real_of x) in *. unfold cpw. set (D := power g X + power g (1 - X)).
    pose proof (whole_ge_1 g Hg X Hr) as HD. fold D in HD.
    pose proof (root_ge_1 g Hg D HD) as HR. apply Rmult_le_reg_r with (power (/ g) D); [lra|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply Rle_trans with (real_of a); [assumption|].
    apply (pow_le_reg (Z.to_nat p)); [lia | assumption | apply Rmult_le_pos; lra|].
    rewrite Rpow_mult_distr, root_to_p by lra.
    eapply Rle_trans; [exact F4|]. apply Rmult_le_compat_l; [apply pow_le; lra|]. apply pow_incr. unfold D in *. lra.
  Qed.

  (** ** The sign of the curvature on a cell *)

  Let g' := Rat (q - p) q.
  Lemma og : ok (Rat p q).
  Proof. destruct cpw_facts as [H1 [H2 _]]. unfold ok; cbn; lia. Qed.
  Lemma og' : ok (Rat (q - p) q).
  Proof. destruct cpw_facts as [H1 [H2 _]]. unfold ok; cbn; lia. Qed.
  Lemma rg : real_of (Rat p q) = g.
  Proof. reflexivity. Qed.
  Lemma rg' : real_of (Rat (q - p) q) = 1 - g.
  Proof.
    destruct cpw_facts as [H1 [H2 _]]. apply IZR_lt in H1, H2. unfold real_of, g; cbn [num den]. rewrite minus_IZR.
    field. lra.
  Qed.

  Lemma middle_correct a b : ok a -> ok b -> ok (middle p q a b) /\
    real_of (middle p q a b) = 2 * g * g - 5 * g + 1 - 2 * real_of a + (1 - g) * (real_of b * real_of b).
  Proof.
    destruct cpw_facts as [H1 [H2 _]]. pose proof og'. intros Ha Hb.
    assert (Om : ok (bend_middle p q)) by (unfold ok; cbn [den bend_middle]; nia).
    assert (O2 : ok (of_Z 2)) by reflexivity. unfold middle. split; [auto 6 using ok_rplus, ok_rminus, ok_rmult|].
    rewrite real_rplus, real_rminus, !real_rmult, rg', real_of_Z by auto 6 using ok_rplus, ok_rminus, ok_rmult. f_equal.
    f_equal.
    apply IZR_lt in H1, H2. unfold real_of, bend_middle, g; cbn [num den]. rewrite plus_IZR, minus_IZR, !mult_IZR.
    field. lra.
  Qed.

  Lemma last_part_correct v : ok v -> ok (last_part p q v) /\
    real_of (last_part p q v) = 2 * (g * real_of v) + 2 * (real_of v * real_of v) - g * (1 - g).
  Proof.
    pose proof og. pose proof og'. intros Hv. assert (O2 : ok (of_Z 2)) by reflexivity. unfold last_part.
    split; [auto 6 using ok_rplus, ok_rminus, ok_rmult|].
    rewrite real_rminus, real_rplus, !real_rmult, rg, rg', real_of_Z by auto 6 using ok_rplus, ok_rminus, ok_rmult.
    reflexivity.
  Qed.

  Lemma bend_square_correct : ok (bend_square p q) /\ real_of (bend_square p q) = (1 - g) * (1 - g + 1).
  Proof.
    pose proof og'. assert (O1 : ok one) by reflexivity. unfold bend_square. split; [auto using ok_rplus, ok_rmult|].
    rewrite real_rmult, real_rplus, rg' by auto using ok_rplus.
    now replace (real_of one) with 1 by (symmetry; apply real_of_Z).
  Qed.

  Lemma bend_tests v1 v2 r1 r2 v r : ok v1 -> ok v2 -> ok r1 -> ok r2 -> 0 <= real_of v1 <= v -> v <= real_of v2 ->
    0 <= real_of r1 <= r -> r <= real_of r2 ->
    (falls p q v1 v2 r1 r2 = true -> bend_of g r v <= 0) /\ (rises p q v1 v2 r1 r2 = true -> 0 <= bend_of g r v).
  Proof.
    destruct cpw_facts as [_ [_ [Hg _]]]. intros O1 O2 O3 O4 Hv1 Hv2 Hr1 Hr2. destruct bend_square_correct as [Os Es].
    assert (Hsq : 0 <= (1 - g) * (1 - g + 1)) by nra.
    assert (Hv : real_of v1 * real_of v1 <= v * v <= real_of v2 * real_of v2) by nra.
    assert (Hr : real_of r1 * real_of r1 <= r * r <= real_of r2 * real_of r2) by nra.
    split; intros H.
    - unfold falls, bend_above in H. cbn zeta in H. destruct (middle_correct v1 v2 O1 O2) as [Ow Ew].
      destruct (last_part_correct v2 O2) as [Ol El].
      set (w := middle p q v1 v2) in *. set (s := if (0 <=? num w)%Z then r2 else r1) in *.
      assert (Osl : ok s) by (unfold s; destruct (0 <=? num w)%Z; assumption).
      apply Z.leb_le in H. apply real_nonpos in H; [|auto 6 using ok_rplus, ok_rmult].
      rewrite !real_rplus, !real_rmult, Es, El in H by auto 6 using ok_rplus, ok_rmult.
      assert (Hs : r * real_of w <= real_of s * real_of w).
      { unfold s. destruct (Z.leb_spec 0 (num w)) as [Hn|Hn];
          [pose proof (real_nonneg w Ow Hn); nra | pose proof (real_nonpos w Ow ltac:(lia)); nra]. }
      unfold bend_of. assert (Hm : r * (2 * g * g - 5 * g + 1 - 2 * v + (1 - g) * (v * v)) <= r * real_of w)
        by (rewrite Ew; apply Rmult_le_compat_l; [lra | nra]).
      assert ((1 - g) * (1 - g + 1) * (r * r) <= (1 - g) * (1 - g + 1) * (real_of r2 * real_of r2))
        by (apply Rmult_le_compat_l; lra).
      assert (g * v <= g * real_of v2) by (apply Rmult_le_compat_l; lra). lra.
    - unfold rises, bend_below in H. cbn zeta in H. destruct (middle_correct v2 v1 O2 O1) as [Ow Ew].
      destruct (last_part_correct v1 O1) as [Ol El].
      set (w := middle p q v2 v1) in *. set (s := if (0 <=? num w)%Z then r1 else r2) in *.
      assert (Osl : ok s) by (unfold s; destruct (0 <=? num w)%Z; assumption).
      apply Z.leb_le in H. apply real_nonneg in H; [|auto 6 using ok_rplus, ok_rmult].
      rewrite !real_rplus, !real_rmult, Es, El in H by auto 6 using ok_rplus, ok_rmult.
      assert (Hs : real_of s * real_of w <= r * real_of w).
      { unfold s. destruct (Z.leb_spec 0 (num w)) as [Hn|Hn];
          [pose proof (real_nonneg w Ow Hn); nra | pose proof (real_nonpos w Ow ltac:(lia)); nra]. }
      unfold bend_of. assert (Hm : r * real_of w <= r * (2 * g * g - 5 * g + 1 - 2 * v + (1 - g) * (v * v)))
        by (rewrite Ew; apply Rmult_le_compat_l; [lra | nra]).
      assert ((1 - g) * (1 - g + 1) * (real_of r1 * real_of r1) <= (1 - g) * (1 - g + 1) * (r * r))
        by (apply Rmult_le_compat_l; lra).
      assert (g * real_of v1 <= g * v) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  (** ** Cells *)

  Lemma odds_correct t : ok t -> real_of t < 1 -> ok (odds t) /\ real_of (odds t) = real_of t / (1 - real_of t).
  Proof.
    intros Ht H. pose proof (ok_pos t Ht) as P. assert (Hlt : IZR (num t) < IZR (den t)).
    { apply Rmult_lt_reg_r with (/ IZR (den t)); [now apply Rinv_0_lt_compat|]. rewrite Rinv_r by lra. exact H. }
    unfold odds. split; [unfold ok; cbn [den]; apply lt_IZR in Hlt; lia|]. unfold real_of; cbn [num den].
    rewrite minus_IZR. field. lra.
  Qed.

  Lemma odds_mono s t : s <= t -> t < 1 -> s / (1 - s) <= t / (1 - t).
  Proof.
    intros Hst Ht. replace (s / (1 - s)) with (/ (1 - s) - 1) by (field; lra).
    replace (t / (1 - t)) with (/ (1 - t) - 1) by (field; lra).
    assert (/ (1 - s) <= / (1 - t)) by (apply Rinv_le_contravar; lra). lra.
  Qed.

  Lemma proved_to_correct (test : rat -> rat -> rat -> rat -> bool) (P : R -> Prop) :
    (forall v1 v2 r1 r2 x, ok v1 -> ok v2 -> ok r1 -> ok r2 -> test v1 v2 r1 r2 = true ->
      0 <= real_of v1 <= x / (1 - x) -> x / (1 - x) <= real_of v2 ->
       0 <= real_of r1 <= ratio g x -> ratio g x <= real_of r2 -> P x) ->
    forall cells t low, ok t -> 0 <= real_of t < 1 -> ok low -> 0 <= real_of low <= ratio g (real_of t) ->
    let e := proved_to p q test t low cells in ok e /\ real_of t <= real_of e < 1 /\ forall x,
      real_of t < x < real_of e -> P x.
  Proof.
    destruct cpw_facts as [Hp [Hq [Hg _]]]. intros HP.
    induction cells as [|[t' [low' high']] cells IH]; intros t low Ht Hr Hl Hlow; cbn [proved_to].
    - split; [assumption|]. split; [lra | intros x Hx; lra].
    - match goal with |- context [if ?c then _ else _] => destruct c eqn:E end;
        [|split; [assumption|]; split; [lra | intros x Hx; lra]].
      repeat rewrite andb_true_iff in E. destruct E as [[[[[[[[E1 E2] E3] E4] E5] E6] E7] E8] E9].
      apply Z.ltb_lt in E1, E2, E3. apply Z.leb_le in E6.
      assert (O1 : ok one) by reflexivity. apply rat_lt_correct in E4; try assumption.
      apply rat_lt_correct in E5; try assumption.
      replace (real_of one) with 1 in E5 by (symmetry; apply real_of_Z). destruct (odds_correct t' E1 E5) as [Oo Eo].
      destruct (odds_correct t Ht ltac:(lra)) as [Oo0 Eo0].
      apply (root_below_correct p q Hp ltac:(lia)) in E7; try assumption.
      apply (root_above_correct p q Hp ltac:(lia)) in E8; try assumption. fold g in E7, E8.
      rewrite Eo in E7, E8. pose proof (real_nonneg low' E2 E6) as Hl'.
      destruct (IH t' low' E1 ltac:(lra) E2 ltac:(unfold ratio; lra)) as [I1 [I2 I3]]. split; [assumption|].
      split; [lra|].
      intros x Hx. destruct (Rlt_dec (real_of t') x) as [Hb|Hb]; [apply I3; lra|].
      assert (Hmx : ratio g (real_of t) <= ratio g x <= ratio g (real_of t'))
        by (unfold ratio; split; apply power_mono; try lra; apply odds_mono; lra).
      assert (H0 : 0 <= real_of t / (1 - real_of t)) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
      apply (HP (odds t) (odds t') low high' x Oo0 Oo Hl E3 E9);
        [rewrite Eo0; split; [assumption | apply odds_mono; lra] | rewrite Eo; apply odds_mono;
        lra | lra | unfold ratio in *; lra].
  Qed.

  Theorem cpw_falls_to k : let e := falls_to (Cpw p q) k in ok e /\ real_of e <= 1 /\ bends_down (cpw g) 0 (real_of e).
  Proof.
    destruct cpw_facts as [Hp [Hq [Hg _]]]. cbn [falls_to]. assert (O0 : ok (of_Z 0)) by reflexivity.
    pose proof (real_of_Z 0) as E0.
    destruct (proved_to_correct (falls p q) (fun x => bend_of g (ratio g x) (x / (1 - x)) <= 0))
      with (cells := falling k) (t := of_Z 0) (low := of_Z 0) as [H1 [H2 H3]]; try assumption.
    - intros v1 v2 r1 r2 x A1 A2 A3 A4 A5 A6 A7 A8 A9.
      apply (bend_tests v1 v2 r1 r2 (x / (1 - x)) (ratio g x)); assumption.
    - rewrite E0. lra.
    - rewrite E0. split; [lra | apply power_nonneg].
    - split; [assumption|]. split; [lra|]. rewrite E0 in H3.
      apply cpw_bends_down; [assumption | lra | lra | assumption].
  Qed.

  Theorem cpw_rises_between k : let ab := rises_between (Cpw p q) k in
    ok (fst ab) /\ ok (snd ab) /\ 0 <= real_of (fst ab) /\ real_of (snd ab) <= 1 /\
      bends_up (cpw g) (real_of (fst ab)) (real_of (snd ab)).
  Proof.
    destruct cpw_facts as [Hp [Hq [Hg _]]]. cbn [rises_between]. assert (O1 : ok one) by reflexivity.
    assert (R1 : real_of one = 1) by apply real_of_Z.
    match goal with |- context [if ?c then _ else _] => destruct c eqn:E end; cbn [fst snd].
    2:{ rewrite R1. repeat split; try assumption; try lra. intros y Hy. lra. }
    repeat rewrite andb_true_iff in E. destruct E as [[[[[E1 E2] E3] E4] E5] E6]. apply Z.ltb_lt in E1, E2, E3.
    apply Z.leb_le in E5.
    apply rat_lt_correct in E4; try assumption. rewrite R1 in E4. pose proof (proj1 (real_of_sign _ E1) E3) as Hpos.
    destruct (odds_correct _ E1 E4) as [Oo Eo].
    apply (root_below_correct p q Hp ltac:(lia)) in E6; try assumption. fold g in E6. rewrite Eo in E6.
    destruct (proved_to_correct (rises p q) (fun x => 0 <= bend_of g (ratio g x) (x / (1 - x))))
      with (cells := rising k) (t := CurveCheck.rising_from k) (low := rising_low k) as [H1 [H2 H3]]; try assumption.
    - intros v1 v2 r1 r2 x A1 A2 A3 A4 A5 A6 A7 A8 A9.
      apply (bend_tests v1 v2 r1 r2 (x / (1 - x)) (ratio g x)); assumption.
    - lra.
    - split; [now apply real_nonneg | exact E6].
    - repeat split; try assumption; try lra. apply cpw_bends_up; [assumption | lra | lra | assumption].
  Qed.
End Tests.
