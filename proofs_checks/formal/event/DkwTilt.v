(** * The tilt of Massart's constant

    For v in (0, 1) there is an a > 0 with  (t + v) ln(1 + a/t) - ln(1 + a) >= 2 v^2  for all t > 0 at once: a saddle
    point of the left side.  [DkwFinite.v] weighs samples with it. *)

Require Import Reals Ranalysis5 Lra Psatz List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective HoeffdingFinite.
Import ListNotations.
Open Scope R_scope.

Lemma mean_value f df x y :
  x <= y -> (forall z, x <= z <= y -> is_derive f z (df z)) -> exists c, x <= c <= y /\ f y - f x = df c * (y - x).
Proof.
  intros Hxy Hf. destruct (MVT_gen f x y df) as [c [Hc Heq]].
  - intros z Hz. rewrite Rmin_left, Rmax_right in Hz by assumption. apply Hf; lra.
  - intros z Hz. rewrite Rmin_left, Rmax_right in Hz by assumption.
    apply continuity_pt_filterlim, (ex_derive_continuous (V := R_NormedModule)). eexists; apply Hf; lra.
  - rewrite Rmin_left, Rmax_right in Hc by assumption. now exists c.
Qed.

Lemma ln_ge_ratio y : 0 <= y -> 2 * y / (2 + y) <= ln (1 + y).
Proof.
  intros Hy.
  destruct (mean_value (fun z => ln (1 + z) - 2 * z / (2 + z)) (fun z => z ^ 2 / ((1 + z) * (2 + z) ^ 2)) 0 y Hy)
    as [c [Hc Heq]].
  - intros z Hz. auto_derive; [lra | field; lra].
  - rewrite Rplus_0_r, ln_1 in Heq. replace (0 - 2 * 0 / (2 + 0)) with 0 in Heq by field.
    assert (0 <= c ^ 2 / ((1 + c) * (2 + c) ^ 2)).
    { apply Rdiv_le_0_compat; [apply pow2_ge_0 | apply Rmult_lt_0_compat; [lra | apply pow_lt; lra]]. }
    pose proof (Rmult_le_pos _ (y - 0) ltac:(eassumption) ltac:(lra)). lra.
Qed.

Lemma two_ln_le x : 1 <= x -> 2 * ln x <= x - / x.
Proof.
  intros Hx.
  destruct (mean_value (fun z => z - / z - 2 * ln z) (fun z => (1 - / z) ^ 2) 1 x Hx) as [c [Hc Heq]].
  - intros z Hz. auto_derive; [lra | field; lra].
  - rewrite Rinv_1, ln_1 in Heq. pose proof (pow2_ge_0 (1 - / c)).
    pose proof (Rmult_le_pos _ (x - 1) ltac:(eassumption) ltac:(lra)). lra.
Qed.

(** ((1 + y) ln(1 + y) - y) / y^2 decreases. *)
Lemma slope_decreases y z : 0 < y <= z ->
  ((1 + z) * ln (1 + z) - z) / z ^ 2 <= ((1 + y) * ln (1 + y) - y) / y ^ 2.
Proof.
  intros Hyz.
  destruct (mean_value (fun x => ((1 + x) * ln (1 + x) - x) / x ^ 2)
    (fun x => (2 * x - (2 + x) * ln (1 + x)) / x ^ 3) y z)
    as [c [Hc Heq]]; [lra | |].
  - intros x Hx. auto_derive; [split; [lra | split; [apply Rmult_integral_contrapositive; lra | trivial]] | field; lra].
  - assert ((2 * c - (2 + c) * ln (1 + c)) / c ^ 3 <= 0).
    { pose proof (ln_ge_ratio c ltac:(lra)) as Hl. apply (Rmult_le_compat_r (2 + c)) in Hl; [|lra].
      replace (2 * c / (2 + c) * (2 + c)) with (2 * c) in Hl by (field; lra).
      assert (0 < / c ^ 3) by (apply Rinv_0_lt_compat, pow_lt; lra). unfold Rdiv; nra. }
    assert (0 <= z - y) by lra. nra.
Qed.

Section Tilt.
  Variable v : R.
  Hypothesis Hv : 0 < v < 1.

  Definition tilt_gain (a t : R) : R := (t + v) * ln (1 + a / t) - ln (1 + a).

  Definition gain_slope (a t : R) : R := ln (1 + a / t) - (t + v) * a / (t * (t + a)).

  Lemma is_derive_gain a t : 0 < a -> 0 < t -> is_derive (tilt_gain a) t (gain_slope a t).
  Proof.
    intros Ha Ht; unfold tilt_gain, gain_slope. assert (0 < a / t) by (apply Rdiv_lt_0_compat; assumption).
    auto_derive; [split; [lra | split; [lra | trivial]]|].
    unfold Rdiv; field. repeat split; lra.
  Qed.

  (** The slope has the sign of slope(a/t) - v/a. *)
  Lemma gain_slope_factor a t : 0 < a -> 0 < t ->
    gain_slope a t =
    ((a / t) ^ 2 / (1 + a / t)) * (((1 + a / t) * ln (1 + a / t) - a / t) / (a / t) ^ 2 - v / a).
  Proof.
    intros Ha Ht; unfold gain_slope. generalize (ln (1 + a / t)); intros L. field. repeat split; lra.
  Qed.

  (** For fixed a the gain is least where its slope vanishes. *)
  Lemma gain_least a s t : 0 < a -> 0 < s -> 0 < t -> gain_slope a s = 0 -> tilt_gain a s <= tilt_gain a t.
  Proof.
    intros Ha Hs Ht H0.
    assert (Hq : forall x, 0 < x -> 0 < (a / x) ^ 2 / (1 + a / x)).
    { intros x Hx. assert (0 < a / x) by (apply Rdiv_lt_0_compat; assumption).
      apply Rdiv_lt_0_compat; [apply pow_lt; assumption | lra]. }
    assert (Hr : ((1 + a / s) * ln (1 + a / s) - a / s) / (a / s) ^ 2 = v / a).
    { rewrite gain_slope_factor in H0 by assumption. specialize (Hq s Hs).
      apply Rmult_integral in H0; destruct H0; lra. }
    assert (Hord : forall x y, 0 < x <= y -> 0 < a / y <= a / x).
    { intros x y Hxy; split; [apply Rdiv_lt_0_compat; lra|].
      apply Rmult_le_compat_l; [lra | apply Rinv_le_contravar; lra]. }
    destruct (Rle_dec t s) as [Hts|Hts].
    - destruct (mean_value (tilt_gain a) (gain_slope a) t s Hts) as [c [Hc Heq]];
        [intros; apply is_derive_gain; lra|].
      assert (gain_slope a c <= 0).
      { rewrite gain_slope_factor by lra. specialize (Hq c ltac:(lra)).
        pose proof (slope_decreases _ _ (Hord c s ltac:(lra))). nra. }
      nra.
    - destruct (mean_value (tilt_gain a) (gain_slope a) s t ltac:(lra)) as [c [Hc Heq]];
        [intros; apply is_derive_gain; lra|].
      assert (0 <= gain_slope a c).
      { rewrite gain_slope_factor by lra. specialize (Hq c ltac:(lra)).
        pose proof (slope_decreases _ _ (Hord s c ltac:(lra))). nra. }
      nra.
  Qed.

  (** For fixed t the gain is largest at a = v / (1 - t - v), where t + a = (1 + a)(t + v). *)
  Lemma gain_largest t a b :
    0 < t -> t + v < 1 -> 0 < a -> 0 < b -> t + a = (1 + a) * (t + v) -> tilt_gain b t <= tilt_gain a t.
  Proof.
    intros Ht Htv Ha Hb Hopt. unfold tilt_gain.
    set (k := t + v) in *. set (W := (1 + b) / (1 + a)). set (X := (t + b) / (t + a)).
    assert (HW : 0 < W) by (apply Rdiv_lt_0_compat; lra). assert (HX : 0 < X) by (apply Rdiv_lt_0_compat; lra).
    assert (HWX : W = k * X + (1 - k)).
    { unfold W, X. replace k with ((t + a) / (1 + a)) by (rewrite Hopt; field; lra). field. lra. }
    assert (Hln : forall z, 0 < z -> ln z <= z - 1).
    { intros z Hz. pose proof (exp_ineq1_le (ln z)) as H. rewrite exp_ln in H by assumption. lra. }
    assert (H1 : ln (1 + b) = ln (1 + a) + ln W).
    { unfold W. rewrite ln_div by lra. ring. }
    assert (H2 : ln (1 + b / t) = ln (1 + a / t) + ln X).
    { unfold X. replace (1 + b / t) with ((t + b) / t) by (field; lra).
      replace (1 + a / t) with ((t + a) / t) by (field; lra). rewrite !ln_div by lra. ring. }
    rewrite H1, H2.
    assert (H3 : ln X = ln W + ln (X / W)) by (rewrite ln_div by assumption; ring).
    assert (H4 : 0 = ln W + ln (/ W)) by (rewrite ln_Rinv by assumption; ring).
    pose proof (Hln (X / W) ltac:(apply Rdiv_lt_0_compat; assumption)) as H5.
    pose proof (Hln (/ W) ltac:(apply Rinv_0_lt_compat; assumption)) as H6.
    assert (Hk : 0 < k < 1) by (split; [unfold k; lra | exact Htv]).
    assert (H7 : k * (X / W - 1) + (1 - k) * (/ W - 1) = 0).
    { replace (k * (X / W - 1) + (1 - k) * (/ W - 1)) with ((k * X + (1 - k)) / W - 1) by (field; lra).
      rewrite <- HWX. field; lra. }
    apply (Rmult_le_compat_l k) in H5; [|lra]. apply (Rmult_le_compat_l (1 - k)) in H6; [|lra].
    assert (H8 : k * ln X + (1 - k) * 0 = ln W + k * ln (X / W) + (1 - k) * ln (/ W)).
    { rewrite H3. rewrite H4 at 1. ring. }
    nra.
  Qed.

  (** At that a the slope of the gain is an explicit function of t. *)
  Definition critical (t : R) : R := ln ((t + v) * (1 - t) / (t * (1 - t - v))) - v / (t * (1 - t)).

  Lemma gain_slope_critical t : 0 < t -> t + v < 1 -> gain_slope (v / (1 - t - v)) t = critical t.
  Proof.
    intros Ht Htv; unfold gain_slope, critical. f_equal.
    - f_equal; field; lra.
    - field. repeat split; try lra. nra.
  Qed.

  (** The slope vanishes somewhere between (1 - v)/2 and 1 - v. *)
  Lemma critical_point : exists t, 0 < t /\ t + v < 1 /\ critical t = 0.
  Proof.
    set (s := v * exp (- (2 / (1 - v))) / 4).
    set (lo := (1 - v) / 2). set (hi := 1 - v - s).
    assert (Hexp : exp (- (2 / (1 - v))) <= (1 - v) / 2).
    { rewrite exp_Ropp. replace ((1 - v) / 2) with (/ (2 / (1 - v))) by (field; lra).
      assert (0 < 2 / (1 - v)) by (apply Rdiv_lt_0_compat; lra).
      apply Rinv_le_contravar; [assumption|]. pose proof (exp_ineq1_le (2 / (1 - v))); lra. }
    pose proof (exp_pos (- (2 / (1 - v)))) as Hexp0.
    assert (Hs : 0 < s <= (1 - v) / 8) by (unfold s; split; nra).
    assert (Hlo : critical lo <= 0).
    { unfold critical, lo.
      set (x := (1 + v) / (1 - v)).
      assert (Hx : 1 <= x).
      { unfold x. apply Rmult_le_reg_r with (1 - v); [lra|].
        replace ((1 + v) / (1 - v) * (1 - v)) with (1 + v) by (field; lra). lra. }
      replace (((1 - v) / 2 + v) * (1 - (1 - v) / 2) / ((1 - v) / 2 * (1 - (1 - v) / 2 - v))) with (x * x)
        by (unfold x; field; lra).
      replace (v / ((1 - v) / 2 * (1 - (1 - v) / 2))) with (x - / x) by (unfold x; field; lra).
      rewrite ln_mult by lra. pose proof (two_ln_le x Hx). lra. }
    assert (Hhi : 0 < critical hi).
    { unfold critical, hi.
      replace (1 - v - s + v) with (1 - s) by ring. replace (1 - (1 - v - s)) with (v + s) by ring.
      replace (v + s - v) with s by ring.
      assert (H1 : v / ((1 - v - s) * (v + s)) <= 2 / (1 - v)).
      { apply Rle_trans with (1 / (1 - v - s)).
        - apply Rmult_le_reg_r with ((1 - v - s) * (v + s)); [apply Rmult_lt_0_compat; lra|].
          replace (v / ((1 - v - s) * (v + s)) * ((1 - v - s) * (v + s))) with v by (field; lra).
          replace (1 / (1 - v - s) * ((1 - v - s) * (v + s))) with (v + s) by (field; lra). lra.
        - apply Rmult_le_reg_r with ((1 - v - s) * (1 - v)); [apply Rmult_lt_0_compat; lra|].
          replace (1 / (1 - v - s) * ((1 - v - s) * (1 - v))) with (1 - v) by (field; lra).
          replace (2 / (1 - v) * ((1 - v - s) * (1 - v))) with (2 * (1 - v - s)) by (field; lra). lra. }
      assert (H2 : 2 * exp (2 / (1 - v)) <= (1 - s) * (v + s) / ((1 - v - s) * s)).
      { apply Rmult_le_reg_r with ((1 - v - s) * s); [apply Rmult_lt_0_compat; lra|].
        replace ((1 - s) * (v + s) / ((1 - v - s) * s) * ((1 - v - s) * s)) with ((1 - s) * (v + s)) by (field; lra).
        assert (He : 2 * exp (2 / (1 - v)) * s = v / 2).
        { unfold s. rewrite exp_Ropp. field. pose proof (exp_pos (2 / (1 - v))); lra. }
        replace (2 * exp (2 / (1 - v)) * ((1 - v - s) * s)) with (v / 2 * (1 - v - s)) by (rewrite <- He; ring).
        nra. }
      assert (H3 : 2 / (1 - v) < ln ((1 - s) * (v + s) / ((1 - v - s) * s))).
      { pose proof (exp_pos (2 / (1 - v))). rewrite <- (ln_exp (2 / (1 - v))) at 1. apply ln_increasing; lra. }
      lra. }
    destruct Hlo as [Hlo|Hlo].
    - destruct (IVT_interv critical lo hi) as [t [Ht H0]].
      + intros t Ht. unfold lo, hi in Ht.
        apply continuity_pt_filterlim, (ex_derive_continuous (V := R_NormedModule)). unfold critical.
        assert (0 < (t + v) * (1 - t)) by (apply Rmult_lt_0_compat; lra).
        assert (0 < t * (1 - t - v)) by (apply Rmult_lt_0_compat; lra).
        assert (0 < t * (1 - t)) by (apply Rmult_lt_0_compat; lra).
        auto_derive. repeat split; try lra. apply Rdiv_lt_0_compat; lra.
      + unfold lo, hi; lra.
      + assumption.
      + assumption.
      + exists t; unfold lo, hi in Ht; repeat split; [lra | lra | assumption].
    - exists lo; unfold lo in *; repeat split; [lra | lra | assumption].
  Qed.

  Lemma tilt_exists : exists a, 0 < a /\ forall t, 0 < t -> 2 * v ^ 2 <= tilt_gain a t.
  Proof.
    destruct critical_point as [s [Hs [Hsv H0]]]. exists (v / (1 - s - v)).
    set (a := v / (1 - s - v)).
    assert (Ha : 0 < a) by (apply Rdiv_lt_0_compat; lra). split; [assumption|]. intros t Ht.
    apply Rle_trans with (tilt_gain a s); [|apply gain_least; auto; unfold a; now rewrite gain_slope_critical].
    (* at s the tilt e^{4v} of Hoeffding's lemma already gains 2 v^2 *)
    set (b := s * (exp (4 * v) - 1)).
    assert (He : 1 < exp (4 * v)) by (rewrite <- exp_0; apply exp_increasing; lra).
    assert (Hb : 0 < b) by (apply Rmult_lt_0_compat; lra).
    apply Rle_trans with (tilt_gain b s); [|apply gain_largest; auto; unfold a; field; lra].
    unfold tilt_gain. replace (1 + b / s) with (exp (4 * v)) by (unfold b; field; lra). rewrite ln_exp.
    pose proof (two_point_bound s (4 * v) ltac:(lra)) as Hh.
    replace (1 - s + s * exp (4 * v)) with (1 + b) in Hh by (unfold b; ring).
    assert (ln (1 + b) <= 4 * v * s + (4 * v) ^ 2 / 8).
    { rewrite <- (ln_exp (4 * v * s + (4 * v) ^ 2 / 8)). apply ln_le; lra. }
    lra.
  Qed.
End Tilt.
