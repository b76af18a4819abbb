(** * What the curves mean, and functions that bend one way

    The weightings that are not piecewise linear, as functions of a real number:

      hazard      tau^k,
      dual        1 - (1 - tau)^k,
      Wang        N(N^{-1}(tau) + s), with N the normal distribution,
      Tversky and Kahneman   tau^g / (tau^g + (1 - tau)^g)^(1/g),
      jump        1(tau >= level), whose objective is the lower quantile.

    N is the distribution function whose density is proportional to exp(- t^2 / 2): [half_mass] is the integral of that
    function over the positive half line, and [NormalCurve.v] proves that it is the square root of pi / 2 up to 35
    digits. *)

Require Import ZArith Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Rows Program Check PolygonCheck CurveCheck Meaning.
Import ListNotations.
Open Scope R_scope.

(** x^k, and 0 at 0. *)
Definition power (k x : R) : R := if Rlt_dec 0 x then Rpower x k else 0.

Definition bell (t : R) : R := exp (- (t * t / 2)).
Definition area (z : R) : R := RInt bell 0 z.
Definition half_mass : R := real (Lub_Rbar (fun y => exists z, y = area z)).
Definition normal (z : R) : R := 1 / 2 + area z / (2 * half_mass).

Definition wang (s tau : R) : R :=
  if Rle_dec tau 0 then 0 else if Rle_dec 1 tau then 1 else normal (real (quantile normal tau) + s).
Definition cpw (g tau : R) : R := power g tau / power (/ g) (power g tau + power g (1 - tau)).

Definition curve_of (f : curve) (tau : R) : R :=
  match f with
  | Hazard p q => power (IZR p / IZR q) tau
  | DualPower p q => 1 - power (IZR p / IZR q) (1 - tau)
  | Wang shift => wang (real_of shift) tau
  | Cpw p q => cpw (IZR p / IZR q) tau
  | Corners corners => polygon 0 0 corners tau
  | Jump level => if Rle_dec (real_of level) tau then 1 else 0
  end.

(** w_1 G_1 + w_2 G_2 + ... *)
Fixpoint mixture_of (o : mixture) (tau : R) : R :=
  match o with [] => 0 | (w, f) :: o' => real_of w * curve_of f tau + mixture_of o' tau end.

(** ** Bending *)

(** Between a and b the graph is below, or above, a line through each of its points. *)
Definition bends_down (G : R -> R) (a b : R) : Prop := forall y, a < y < b -> exists c, forall t,
  a < t < b -> G t <= G y + c * (t - y).
Definition bends_up (G : R -> R) (a b : R) : Prop := forall y, a < y < b -> exists c, forall t,
  a < t < b -> G y + c * (t - y) <= G t.

Lemma grows (f df : R -> R) a b : a <= b -> (forall t, a <= t <= b -> is_derive f t (df t)) ->
  (forall t, a <= t <= b -> 0 <= df t) -> f a <= f b.
Proof.
  intros Hab Hd Hp. destruct (MVT_gen f a b df) as [c [Hc Heq]].
  - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. apply Hd. lra.
  - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. apply continuity_pt_filterlim.
    apply (ex_derive_continuous (V := R_NormedModule)). exists (df x). apply Hd. lra.
  - rewrite Rmin_left, Rmax_right in Hc by lra. pose proof (Hp c Hc).
    assert (0 <= df c * (b - a)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** A function that rises up to y and falls from there on is largest at y. *)
Lemma largest_at (f df : R -> R) a b y t : a < y < b -> a < t < b -> (forall t, a < t < b -> is_derive f t (df t)) ->
  (forall t, a < t <= y -> 0 <= df t) -> (forall t, y <= t < b -> df t <= 0) -> f t <= f y.
Proof.
  intros Hy Ht Hd Hup Hdown. destruct (Rle_dec t y) as [H|H].
  - apply (grows f df); [assumption | intros x Hx; apply Hd; lra | intros x Hx; apply Hup; lra].
  - assert (- f y <= - f t); [|lra]. apply (grows (fun x => - f x) (fun x => - df x)); [lra | |].
    + intros x Hx. apply (is_derive_opp (V := R_NormedModule)). apply Hd. lra.
    + intros x Hx. pose proof (Hdown x ltac:(lra)). lra.
Qed.

Lemma bends_down_of_slope (G dG : R -> R) a b : (forall t, a < t < b -> is_derive G t (dG t)) ->
  (forall s t, a < s -> s <= t -> t < b -> dG t <= dG s) -> bends_down G a b.
Proof.
  intros Hd Hm y Hy. exists (dG y). intros t Ht.
  pose proof (largest_at (fun x => G x - dG y * x) (fun x => dG x - dG y) a b y t Hy Ht) as H.
  assert (G t - dG y * t <= G y - dG y * y); [|lra]. apply H.
  - intros x Hx. auto_derive; [exists (dG x); now apply Hd|].
    replace (Derive (fun x => G x) x) with (dG x) by (symmetry; apply is_derive_unique; now apply Hd). ring.
  - intros x Hx. pose proof (Hm x y ltac:(lra) ltac:(lra) ltac:(lra)). lra.
  - intros x Hx. pose proof (Hm y x ltac:(lra) ltac:(lra) ltac:(lra)). lra.
Qed.

Lemma bends_up_of_down (G : R -> R) a b : bends_down (fun x => - G x) a b -> bends_up G a b.
Proof. intros H y Hy. destruct (H y Hy) as [c Hc]. exists (- c). intros t Ht. specialize (Hc t Ht). lra. Qed.

Lemma bends_up_of_slope (G dG : R -> R) a b : (forall t, a < t < b -> is_derive G t (dG t)) ->
  (forall s t, a < s -> s <= t -> t < b -> dG s <= dG t) -> bends_up G a b.
Proof.
  intros Hd Hm. apply bends_up_of_down. apply (bends_down_of_slope _ (fun x => - dG x)).
  - intros t Ht. apply (is_derive_opp (V := R_NormedModule)). now apply Hd.
  - intros s t H1 H2 H3. specialize (Hm s t H1 H2 H3). lra.
Qed.

(** Turned by half a circle. *)
Lemma bends_down_turned G : bends_up G 0 1 -> bends_down (fun x => 1 - G (1 - x)) 0 1.
Proof.
  intros H y Hy. destruct (H (1 - y) ltac:(lra)) as [c Hc]. exists c. intros t Ht. specialize (Hc (1 - t) ltac:(lra)).
  lra.
Qed.
Lemma bends_up_turned G : bends_down G 0 1 -> bends_up (fun x => 1 - G (1 - x)) 0 1.
Proof.
  intros H y Hy. destruct (H (1 - y) ltac:(lra)) as [c Hc]. exists c. intros t Ht. specialize (Hc (1 - t) ltac:(lra)).
  lra.
Qed.

(** The line through a point where the curve bends down is above the curve at 0 too. *)
Lemma closed_at_0 G b : weighting G -> bends_down G 0 b -> b <= 1 -> forall y, 0 < y < b -> exists c, forall t,
  0 <= t < b -> G t <= G y + c * (t - y).
Proof.
  intros HG H Hb y Hy. destruct (H y Hy) as [c Hc]. exists c. intros t Ht.
  destruct (Rlt_dec 0 t) as [Hpos|Hz]; [apply Hc; lra|].
  replace t with 0 by lra. rewrite (weighting_0 G HG). apply Rnot_lt_le. intros Hneg.
  set (e := - (G y + c * (0 - y))) in *.
  assert (He : 0 < e) by (unfold e; lra). set (s := Rmin (y / 2) (e / (2 * (Rabs c + 1)))).
  assert (Hc1 : 0 < Rabs c + 1) by (pose proof (Rabs_pos c); lra).
  assert (Hs : 0 < s) by (unfold s; apply Rmin_glb_lt; [lra | apply Rdiv_lt_0_compat; lra]).
  pose proof (Rmin_l (y / 2) (e / (2 * (Rabs c + 1)))) as Hs1.
  pose proof (Rmin_r (y / 2) (e / (2 * (Rabs c + 1)))) as Hs2. fold s in Hs1, Hs2.
  specialize (Hc s ltac:(lra)). pose proof (weighting_mono G HG 0 s ltac:(lra) ltac:(lra) ltac:(lra)) as Hm.
  rewrite (weighting_0 G HG) in Hm.
  assert (Hcs : c * s <= e / 2).
  { apply Rle_trans with (Rabs c * s); [apply Rmult_le_compat_r; [lra | apply Rle_abs]|].
    apply Rle_trans with (Rabs c * (e / (2 * (Rabs c + 1)))); [apply Rmult_le_compat_l; [apply Rabs_pos | assumption]|].
    replace (Rabs c * (e / (2 * (Rabs c + 1)))) with (e / 2 * (Rabs c / (Rabs c + 1))) by (field; lra).
    rewrite <- (Rmult_1_r (e / 2)) at 2. apply Rmult_le_compat_l; [lra|].
    apply Rmult_le_reg_r with (Rabs c + 1); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  unfold e in *. lra.
Qed.
