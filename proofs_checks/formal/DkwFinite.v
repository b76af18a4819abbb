(** * The Dvoretzky-Kiefer-Wolfowitz inequality with Massart's constant, for finite laws      (used in lem:event)

    For n independent draws from a finite law with distribution function F and empirical distribution function F_n,

      P( sup_x  F_n(x) - F(x)  >=  v )   <=  exp(-2 n v^2),     P( sup_x  F(x) - F_n(x)  >=  v )  <=  exp(-2 n v^2),
      P( sup_x |F_n(x) - F(x)| >=  v )   <=  2 exp(-2 n v^2)                                  for every v > 0 and n >= 1.

    Nothing is cited.  Scan a decreasing chain of events A of probability p.  Given how many of the draws lie in the
    larger events, the product over the draws of (1 + (a/p) 1_A) keeps its mean (1 + a)^n.  Where the frequency of A is
    at least p + v the product is at least (1 + a/p)^{n (p + v)}.  So the probability that this happens anywhere along
    the chain is at most the largest of ( (1 + a) / (1 + a/p)^{p + v} )^n.  It remains to choose a so that this is at
    most exp(-2 n v^2) for all p at once: take a saddle point of (p + v) ln(1 + a/p) - ln(1 + a). *)

Require Import Reals Ranalysis5 Lra Psatz List Sorting.Sorted.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective HoeffdingFinite.
Import ListNotations.
Open Scope R_scope.

(** ** The choice of a *)

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
  destruct (mean_value (fun x => ((1 + x) * ln (1 + x) - x) / x ^ 2) (fun x => (2 * x - (2 + x) * ln (1 + x)) / x ^ 3) y z)
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

  Definition gain (a t : R) : R := (t + v) * ln (1 + a / t) - ln (1 + a).

  Definition gain_slope (a t : R) : R := ln (1 + a / t) - (t + v) * a / (t * (t + a)).

  Lemma is_derive_gain a t : 0 < a -> 0 < t -> is_derive (gain a) t (gain_slope a t).
  Proof.
    intros Ha Ht; unfold gain, gain_slope. assert (0 < a / t) by (apply Rdiv_lt_0_compat; assumption).
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
  Lemma gain_least a s t : 0 < a -> 0 < s -> 0 < t -> gain_slope a s = 0 -> gain a s <= gain a t.
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
    - destruct (mean_value (gain a) (gain_slope a) t s Hts) as [c [Hc Heq]];
        [intros; apply is_derive_gain; lra|].
      assert (gain_slope a c <= 0).
      { rewrite gain_slope_factor by lra. specialize (Hq c ltac:(lra)).
        pose proof (slope_decreases _ _ (Hord c s ltac:(lra))). nra. }
      nra.
    - destruct (mean_value (gain a) (gain_slope a) s t ltac:(lra)) as [c [Hc Heq]];
        [intros; apply is_derive_gain; lra|].
      assert (0 <= gain_slope a c).
      { rewrite gain_slope_factor by lra. specialize (Hq c ltac:(lra)).
        pose proof (slope_decreases _ _ (Hord s c ltac:(lra))). nra. }
      nra.
  Qed.

  (** For fixed t the gain is largest at a = v / (1 - t - v), where t + a = (1 + a)(t + v). *)
  Lemma gain_largest t a b :
    0 < t -> t + v < 1 -> 0 < a -> 0 < b -> t + a = (1 + a) * (t + v) -> gain b t <= gain a t.
  Proof.
    intros Ht Htv Ha Hb Hopt. unfold gain.
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
      { unfold x. apply Rmult_le_reg_r with (1 - v); [lra|]. replace ((1 + v) / (1 - v) * (1 - v)) with (1 + v) by (field; lra). lra. }
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

  Lemma tilt_exists : exists a, 0 < a /\ forall t, 0 < t -> 2 * v ^ 2 <= gain a t.
  Proof.
    destruct critical_point as [s [Hs [Hsv H0]]]. exists (v / (1 - s - v)).
    set (a := v / (1 - s - v)).
    assert (Ha : 0 < a) by (apply Rdiv_lt_0_compat; lra). split; [assumption|]. intros t Ht.
    apply Rle_trans with (gain a s); [|apply gain_least; auto; unfold a; now rewrite gain_slope_critical].
    (* at s the tilt e^{4v} of Hoeffding's lemma already gains 2 v^2 *)
    set (b := s * (exp (4 * v) - 1)).
    assert (He : 1 < exp (4 * v)) by (rewrite <- exp_0; apply exp_increasing; lra).
    assert (Hb : 0 < b) by (apply Rmult_lt_0_compat; lra).
    apply Rle_trans with (gain b s); [|apply gain_largest; auto; unfold a; field; lra].
    unfold gain. replace (1 + b / s) with (exp (4 * v)) by (unfold b; field; lra). rewrite ln_exp.
    pose proof (two_point_bound s (4 * v) ltac:(lra)) as Hh.
    replace (1 - s + s * exp (4 * v)) with (1 + b) in Hh by (unfold b; ring).
    assert (ln (1 + b) <= 4 * v * s + (4 * v) ^ 2 / 8).
    { rewrite <- (ln_exp (4 * v * s + (4 * v) ^ 2 / 8)). apply ln_le; lra. }
    lra.
  Qed.
End Tilt.

(** ** Scanning a chain of events *)

Definition one {X} (A : X -> bool) (x : X) : R := if A x then 1 else 0.

Definition inside {X} (B A : X -> bool) : Prop := forall x, B x = true -> A x = true.

Fixpoint nested {X} (A : X -> bool) (chain : list (X -> bool)) : Prop :=
  match chain with
  | [] => True
  | B :: chain' => inside B A /\ nested B chain'
  end.

Section Scan.
  Context {X : Type}.
  Variable d : dist X.
  Hypothesis Hd : is_law d.
  Variables (n : nat) (v a : R).
  Hypothesis Ha : 0 < a.

  Local Notation P A := (E d (one A)).
  Local Notation sample := (draws (repeat d n)).

  Fixpoint product (w : X -> R) (xs : list X) : R :=
    match xs with
    | [] => 1
    | x :: xs' => w x * product w xs'
    end.

  (** The weight of a draw, and of a sample, at the event [A]. *)
  Definition weight (A : X -> bool) (x : X) : R := 1 + a / P A * one A x.

  (** [phi] cannot tell the points of [A] apart. *)
  Definition blind (A : X -> bool) (phi : list X -> R) : Prop :=
    forall xs ys, Forall2 (fun x y => x = y \/ (A x = true /\ A y = true)) xs ys -> phi xs = phi ys.

  Lemma same_refl (A : X -> bool) xs : Forall2 (fun x y => x = y \/ (A x = true /\ A y = true)) xs xs.
  Proof. induction xs; constructor; auto. Qed.

  Lemma some_point (A : X -> bool) : 0 < P A -> exists x, A x = true.
  Proof.
    intros H. destruct (Exists_dec (fun xp => A (fst xp) = true) d) as [He|He].
    - intros xp; destruct (A (fst xp)); auto.
    - apply Exists_exists in He; destruct He as [xp [_ Hxp]]; now exists (fst xp).
    - exfalso. assert (Hz : P A = E d (fun _ => 0)); [|rewrite E_zero in Hz; lra].
      apply E_ext_as; intros x p Hin _. unfold one. destruct (A x) eqn:Hx; [|reflexivity].
      exfalso; apply He, Exists_exists; now exists (x, p).
  Qed.

  Lemma one_draw_exchange A B g :
    inside B A -> 0 < P A -> 0 < P B -> (forall x y, A x = true -> A y = true -> g x = g y) ->
    E d (fun x => weight B x * g x) = E d (fun x => weight A x * g x).
  Proof.
    intros HBA HA HB Hg. destruct (some_point A HA) as [x0 Hx0].
    assert (H : forall C, inside C A -> 0 < P C -> E d (fun x => weight C x * g x) = E d g + a * g x0).
    { intros C HCA HC.
      rewrite (E_ext d _ (fun x => g x + (a / P C * g x0) * one C x)).
      - rewrite E_plus, E_scal. field; lra.
      - intros x; unfold weight. change (one C x) with (if C x then 1 else 0). destruct (C x) eqn:Hx; [|ring]. rewrite (Hg x x0) by auto. ring. }
    rewrite !H by (auto; intros x Hx; exact Hx). reflexivity.
  Qed.

  Lemma draws_exchange A B m phi :
    inside B A -> 0 < P A -> 0 < P B -> blind A phi ->
    E (draws (repeat d m)) (fun xs => phi xs * product (weight B) xs) =
    E (draws (repeat d m)) (fun xs => phi xs * product (weight A) xs).
  Proof.
    intros HBA HA HB; revert phi; induction m as [|m IH]; intros phi Hphi; [reflexivity|].
    cbn [repeat]. rewrite !E_draws_cons.
    set (g := fun x => E (draws (repeat d m)) (fun xs => phi (x :: xs) * product (weight A) xs)).
    transitivity (E d (fun x => weight B x * g x)); [|transitivity (E d (fun x => weight A x * g x))].
    - apply E_ext; intros x. unfold g. rewrite <- IH, <- E_scal.
      + apply E_ext; intros xs; simpl; ring.
      + intros xs ys H; apply Hphi; constructor; auto.
    - apply one_draw_exchange; auto. intros x y Hx Hy; unfold g. apply E_ext; intros xs.
      f_equal. apply Hphi; constructor; [auto | apply same_refl].
    - apply E_ext; intros x. unfold g. rewrite <- E_scal. apply E_ext; intros xs; simpl; ring.
  Qed.

  (** The frequency of [A] among the draws exceeds its probability by [v]. *)
  Definition exceeds (A : X -> bool) (xs : list X) : Prop := INR n * (P A + v) <= sum xs (one A).
  Definition exceeds_dec A xs : {exceeds A xs} + {~ exceeds A xs} := Rle_dec _ _.
  Definition some_exceeds_dec chain xs : {Exists (fun A => exceeds A xs) chain} + {~ Exists (fun A => exceeds A xs) chain} :=
    Exists_dec _ chain (fun A => exceeds_dec A xs).

  Lemma product_weight A xs : 0 < P A -> product (weight A) xs = exp (ln (1 + a / P A) * sum xs (one A)).
  Proof.
    intros HA. assert (0 < a / P A) by (apply Rdiv_lt_0_compat; assumption).
    induction xs as [|x xs IH]; simpl; [now rewrite Rmult_0_r, exp_0|].
    rewrite IH, Rmult_plus_distr_l, exp_plus. f_equal. unfold weight. change (one A x) with (if A x then 1 else 0). destruct (A x).
    - rewrite !Rmult_1_r, exp_ln by lra. reflexivity.
    - rewrite !Rmult_0_r, exp_0; ring.
  Qed.

  Lemma sum_one_blind (A : X -> bool) xs ys :
    Forall2 (fun x y => x = y \/ (A x = true /\ A y = true)) xs ys -> sum xs (one A) = sum ys (one A).
  Proof.
    induction 1 as [|x y xs ys Hxy _ IH]; simpl; [reflexivity|]. rewrite IH; f_equal.
    destruct Hxy as [->|[Hx Hy]]; [reflexivity | unfold one; now rewrite Hx, Hy].
  Qed.

  (** [c] bounds from below the product at every event whose frequency exceeds. *)
  Variable c : R.
  Hypothesis Hgain : forall A xs, 0 < P A -> exceeds A xs -> c <= product (weight A) xs.

  Lemma law_scan_sample : is_law sample.
  Proof. apply law_draws, Forall_repeat, Hd. Qed.

  Lemma scan chain : forall A phi,
    nested A chain -> 0 < P A -> List.Forall (fun B => 0 < P B) chain ->
    (forall xs, 0 <= phi xs) -> blind A phi ->
    c * E sample (fun xs => phi xs * ind (some_exceeds_dec chain xs)) <=
    E sample (fun xs => phi xs * product (weight A) xs).
  Proof.
    pose proof law_scan_sample as Hl.
    induction chain as [|B chain IH]; intros A phi Hnest HA Hpos Hphi Hblind.
    - rewrite (E_ext sample _ (fun _ => 0)), E_zero.
      + rewrite Rmult_0_r. apply E_nonneg; [apply Hl|]. intros xs. apply Rmult_le_pos; [apply Hphi|].
        rewrite product_weight by assumption. left; apply exp_pos.
      + intros xs. rewrite ind_no by (intros H; inversion H). ring.
    - destruct Hnest as [HBA Hnest]. inversion Hpos as [|? ? HB Hpos']; subst.
      rewrite <- (draws_exchange A B n phi HBA HA HB Hblind).
      specialize (IH B (fun xs => phi xs * (1 - ind (exceeds_dec B xs))) Hnest HB Hpos').
      assert (IH' : c * E sample (fun xs => phi xs * (1 - ind (exceeds_dec B xs)) * ind (some_exceeds_dec chain xs)) <=
                    E sample (fun xs => phi xs * (1 - ind (exceeds_dec B xs)) * product (weight B) xs)).
      { apply IH.
        - intros xs; apply Rmult_le_pos; [apply Hphi|]. pose proof (ind_range (exceeds_dec B xs)); lra.
        - intros xs ys H. f_equal.
          + apply Hblind. clear -H HBA. induction H as [|x y xs ys [Hxy|[Hx Hy]] _ IH]; constructor; auto.
          + f_equal. apply ind_iff. unfold exceeds. now rewrite (sum_one_blind B xs ys H). }
      clear IH. rewrite <- E_scal in IH' |- *.
      apply Rle_trans with (E sample (fun xs => phi xs * ind (exceeds_dec B xs) * product (weight B) xs) +
        E sample (fun xs => c * (phi xs * (1 - ind (exceeds_dec B xs)) * ind (some_exceeds_dec chain xs)))).
      + rewrite <- E_plus. apply E_le; [apply Hl|]. intros xs.
        assert (Hi : ind (some_exceeds_dec (B :: chain) xs) =
                     ind (exceeds_dec B xs) + (1 - ind (exceeds_dec B xs)) * ind (some_exceeds_dec chain xs)).
        { destruct (exceeds_dec B xs) as [Hx|Hx]; cbn [ind].
          - rewrite ind_yes by (now apply Exists_cons_hd). ring.
          - rewrite (ind_iff _ (some_exceeds_dec chain xs)); [ring|].
            rewrite Exists_cons. tauto. }
        rewrite Hi. specialize (Hphi xs). specialize (Hgain B xs HB).
        destruct (exceeds_dec B xs) as [Hx|Hx]; cbn [ind]; [|lra].
        specialize (Hgain Hx). nra.
      + rewrite (E_ext sample (fun xs => phi xs * product (weight B) xs)
          (fun xs => phi xs * ind (exceeds_dec B xs) * product (weight B) xs +
                     phi xs * (1 - ind (exceeds_dec B xs)) * product (weight B) xs)) by (intros; ring).
        rewrite E_plus. lra.
  Qed.
End Scan.

(** ** Along any chain of events the frequencies rarely exceed the probabilities *)

Lemma draws_support {X} (d : dist X) n (Q : X -> Prop) :
  almost_surely d Q -> almost_surely (draws (repeat d n)) (List.Forall Q).
Proof.
  intros H; induction n as [|n IH]; simpl; [apply as_ret; constructor|].
  apply as_bind. revert H; apply as_impl; intros x Hx. apply as_image.
  revert IH; apply as_impl; intros xs Hxs. now constructor.
Qed.

Section Chain.
  Context {X : Type}.
  Variable d : dist X.
  Hypothesis Hd : is_law d.
  Variables (n : nat) (v : R).
  Hypothesis Hn : (0 < n)%nat.
  Hypothesis Hv : 0 < v.

  Local Notation sample := (draws (repeat d n)).
  Local Notation top := (fun _ : X => true).

  Lemma P_top : E d (one top) = 1.
  Proof. apply Hd. Qed.

  Lemma sum_one_le_length (A : X -> bool) xs : 0 <= sum xs (one A) <= INR (length xs).
  Proof.
    induction xs as [|x xs IH]; cbn [sum length]; [simpl; lra|]. rewrite S_INR. unfold one at 1 3. destruct (A x); lra.
  Qed.

  Lemma sum_one_top xs : sum xs (one top) = INR (length xs).
  Proof. unfold one; rewrite sum_const; ring. Qed.

  Lemma sample_length : almost_surely sample (fun xs => length xs = n).
  Proof. pose proof (draws_length (repeat d n)) as H; now rewrite repeat_length in H. Qed.

  Lemma law_chain_sample : is_law sample.
  Proof. apply law_draws, Forall_repeat, Hd. Qed.

  Lemma chain_of_likely_events chain :
    nested top chain -> List.Forall (fun B => 0 < E d (one B)) chain ->
    prob sample (some_exceeds_dec d n v chain) <= exp (- 2 * INR n * v ^ 2).
  Proof.
    intros Hnest Hpos. pose proof law_chain_sample as Hl. pose proof (lt_0_INR n Hn) as Hn'.
    destruct (Rlt_le_dec v 1) as [Hv1|Hv1].
    - destruct (tilt_exists v (conj Hv Hv1)) as [a [Ha Hgain]].
      set (c := exp (INR n * (2 * v ^ 2 + ln (1 + a)))).
      assert (Hc : 0 < c) by apply exp_pos.
      assert (Hprod : forall A xs, 0 < E d (one A) -> exceeds d n v A xs -> c <= product (weight d a A) xs).
      { intros A xs HA Hx. rewrite product_weight by assumption. unfold c, exceeds in *.
        set (p := E d (one A)) in *. specialize (Hgain p HA). unfold gain in Hgain.
        assert (HL : 0 <= ln (1 + a / p)).
        { rewrite <- ln_1. apply ln_le; [lra|]. assert (0 < a / p) by (apply Rdiv_lt_0_compat; assumption). lra. }
        assert (Hle : INR n * (2 * v ^ 2 + ln (1 + a)) <= ln (1 + a / p) * sum xs (one A)).
        { apply Rle_trans with (ln (1 + a / p) * (INR n * (p + v))); [|now apply Rmult_le_compat_l].
          replace (ln (1 + a / p) * (INR n * (p + v))) with (INR n * ((p + v) * ln (1 + a / p))) by ring.
          apply Rmult_le_compat_l; lra. }
        destruct Hle as [Hlt|Heq]; [left; now apply exp_increasing | rewrite Heq; lra]. }
      pose proof (scan d Hd n v a Ha c Hprod chain top (fun _ => 1) Hnest) as H.
      rewrite P_top in H. specialize (H Rlt_0_1 Hpos (fun _ => Rle_0_1) (fun _ _ _ => eq_refl)).
      rewrite (E_ext sample _ (fun xs => ind (some_exceeds_dec d n v chain xs))) in H by (intros; ring).
      rewrite (E_ext_as sample (fun xs => 1 * product (weight d a top) xs) (fun _ => exp (INR n * ln (1 + a)))) in H.
      + rewrite E_const in H by assumption. fold (prob sample (some_exceeds_dec d n v chain)) in H.
        apply Rmult_le_reg_l with c; [assumption|]. eapply Rle_trans; [exact H|].
        unfold c. rewrite <- exp_plus. right; f_equal; ring.
      + pose proof sample_length as Hlen; revert Hlen; apply as_impl; intros xs Hlen.
        rewrite product_weight by (rewrite ?P_top; lra). rewrite P_top, sum_one_top, Hlen.
        rewrite Rmult_1_l. f_equal. replace (a / 1) with a by field. ring.
    - unfold prob. rewrite (E_ext_as sample _ (fun _ => 0)).
      + rewrite E_zero; left; apply exp_pos.
      + pose proof sample_length as Hlen; revert Hlen; apply as_impl; intros xs Hlen. apply ind_no. intros Hex.
        apply Exists_exists in Hex; destruct Hex as [A [Hin Hx]].
        rewrite Forall_forall in Hpos; specialize (Hpos A Hin). unfold exceeds in Hx.
        pose proof (sum_one_le_length A xs) as Hs. rewrite Hlen in Hs. nra.
  Qed.

  (** Events of probability zero do not occur in the sample, so they may stay in the chain. *)
  Definition likely (A : X -> bool) : bool := if Rlt_dec 0 (E d (one A)) then true else false.

  Lemma nested_filter A chain : nested A chain -> nested A (filter likely chain).
  Proof.
    assert (Hup : forall C (A B : X -> bool), inside B A -> nested B C -> nested A C).
    { intros [|D C] A' B' HBA; simpl; [trivial|]. intros [H1 H2]; split; [|assumption]. intros x Hx; auto. }
    revert A; induction chain as [|B chain IH]; intros A; simpl; [trivial|].
    intros [HBA Hnest]. destruct (likely B); simpl; [split; [assumption | now apply IH]|].
    apply Hup with B; [assumption | now apply IH].
  Qed.

  Theorem chain_rarely_exceeds chain :
    nested top chain -> prob sample (some_exceeds_dec d n v chain) <= exp (- 2 * INR n * v ^ 2).
  Proof.
    intros Hnest. eapply Rle_trans; [|apply (chain_of_likely_events (filter likely chain))].
    - apply E_le_as; [apply law_chain_sample|].
      assert (Hs : almost_surely d (fun x => exists p, In (x, p) d /\ p <> 0)) by (intros x p H1 H2; now exists p).
      apply (draws_support d n) in Hs.
      revert Hs; apply as_impl; intros xs Hxs. apply ind_le. intros Hex.
      apply Exists_exists in Hex; destruct Hex as [A [Hin Hx]]. apply Exists_exists; exists A; split; [|assumption].
      apply filter_In; split; [assumption|]. unfold likely. destruct (Rlt_dec 0 (E d (one A))) as [|H0]; [reflexivity|].
      exfalso.
      assert (Hz : sum xs (one A) = 0).
      { rewrite (sum_ext xs _ (fun _ => 0)); [rewrite sum_const; ring|]. intros x Hxin.
        rewrite Forall_forall in Hxs; destruct (Hxs x Hxin) as [p [Hp1 Hp2]].
        unfold one. destruct (A x) eqn:HAx; [|reflexivity]. exfalso; apply H0.
        assert (Hpos : 0 < prob d (fun x => Bool.bool_dec (A x) true)) by (apply (prob_pos d _ x p); auto; apply Hd).
        eapply Rlt_le_trans; [exact Hpos|]. right. apply E_ext; intros y. unfold one. now destruct (A y). }
      unfold exceeds in Hx. rewrite Hz in Hx. pose proof (lt_0_INR n Hn).
      assert (0 <= E d (one A)) by (apply E_nonneg; [apply Hd | intros y; unfold one; destruct (A y); lra]). nra.
    - now apply nested_filter.
    - apply Forall_forall; intros A HA. apply filter_In in HA; destruct HA as [_ HA].
      unfold likely in HA. now destruct (Rlt_dec 0 (E d (one A))).
  Qed.
End Chain.

(** ** Chains from sorted levels *)

Section Sort.
  Variable ord : R -> R -> Prop.
  Variable ord_dec : forall x y, {ord x y} + {~ ord x y}.
  Hypothesis total : forall x y, ~ ord x y -> ord y x.
  Hypothesis trans : forall x y z, ord x y -> ord y z -> ord x z.

  Fixpoint place (x : R) (l : list R) : list R :=
    match l with
    | [] => [x]
    | y :: l' => if ord_dec x y then x :: l else y :: place x l'
    end.

  Definition arrange (l : list R) : list R := fold_right place [] l.

  Lemma In_place x y l : In x (place y l) <-> x = y \/ In x l.
  Proof.
    induction l as [|z l IH]; simpl; [intuition|]. destruct (ord_dec y z); simpl; [intuition|]. rewrite IH; intuition.
  Qed.

  Lemma In_arrange x l : In x (arrange l) <-> In x l.
  Proof. induction l as [|y l IH]; simpl; [tauto|]. rewrite In_place, IH. intuition. Qed.

  Lemma sorted_place x l : StronglySorted ord l -> StronglySorted ord (place x l).
  Proof.
    induction 1 as [|y l Hl IH Hy]; simpl; [repeat constructor|].
    destruct (ord_dec x y) as [Hxy|Hxy].
    - constructor; [now constructor|]. constructor; [assumption|]. revert Hy; apply Forall_impl; eauto.
    - constructor; [assumption|]. apply Forall_forall; intros z Hz; apply In_place in Hz.
      destruct Hz as [->|Hz]; [now apply total|]. rewrite Forall_forall in Hy; auto.
  Qed.

  Lemma sorted_arrange l : StronglySorted ord (arrange l).
  Proof. induction l as [|x l IH]; simpl; [constructor | now apply sorted_place]. Qed.

  Lemma nested_of_sorted {X} (A : R -> X -> bool) l :
    (forall x y, ord x y -> inside (A y) (A x)) -> StronglySorted ord l -> nested (fun _ => true) (map A l).
  Proof.
    intros HA Hl.
    assert (H : forall l z, StronglySorted ord l -> List.Forall (ord z) l -> nested (A z) (map A l)).
    { clear l Hl; induction l as [|y l IH]; intros z Hs Hz; simpl; [trivial|].
      inversion Hs; inversion Hz; subst. split; auto. }
    destruct Hl as [|y l Hl Hy]; simpl; [trivial|]. split; [intros x _; reflexivity | auto].
  Qed.
End Sort.

(** ** The inequality *)

Section Dkw.
  Variable d : dist R.
  Hypothesis Hd : is_law d.
  Variables (n : nat) (v : R).
  Hypothesis Hn : (0 < n)%nat.
  Hypothesis Hv : 0 < v.

  (** The empirical distribution function of a sample. *)
  Definition empirical (xs : list R) (x : R) : R := average (fun z => ind (Rle_dec z x)) xs.

  (** It departs from F by v at some value of the law: above, below, or either way. *)
  Definition above_dec (xs : list R) :
    {Exists (fun z => cdf d z + v <= empirical xs z) (map fst d)} + {~ _} := Exists_dec _ _ (fun z => Rle_dec _ _).
  Definition below_dec (xs : list R) :
    {Exists (fun z => empirical xs z + v <= cdf d z) (map fst d)} + {~ _} := Exists_dec _ _ (fun z => Rle_dec _ _).
  Definition far_dec (xs : list R) :
    {Exists (fun z => v <= Rabs (empirical xs z - cdf d z)) (map fst d)} + {~ _} := Exists_dec _ _ (fun z => Rle_dec _ _).

  Local Notation sample := (draws (repeat d n)).
  Definition upto (z x : R) : bool := if Rle_dec x z then true else false.
  Definition beyond (z x : R) : bool := if Rle_dec x z then false else true.

  Lemma one_upto z x : one (upto z) x = ind (Rle_dec x z).
  Proof. unfold one, upto; now destruct (Rle_dec x z). Qed.

  Lemma one_beyond z x : one (beyond z) x = 1 - ind (Rle_dec x z).
  Proof. unfold one, beyond; destruct (Rle_dec x z); simpl; ring. Qed.

  Lemma sum_upto : almost_surely sample (fun xs => forall z, sum xs (fun x => ind (Rle_dec x z)) = INR n * empirical xs z).
  Proof.
    pose proof (draws_length (repeat d n)) as H; rewrite repeat_length in H. revert H; apply as_impl; intros xs H y.
    unfold empirical, average. rewrite H. field. apply not_0_INR; intros ->; inversion Hn.
  Qed.

  Theorem empirical_rarely_above : prob sample above_dec <= exp (- 2 * INR n * v ^ 2).
  Proof.
    eapply Rle_trans; [|apply (chain_rarely_exceeds d Hd n v Hn Hv (map upto (arrange Rge Rge_dec (map fst d))))].
    - apply E_le_as; [apply law_draws, Forall_repeat, Hd|].
      pose proof sum_upto as Hs; revert Hs; apply as_impl; intros xs Hs. apply ind_le. intros Hex.
      apply Exists_exists in Hex; destruct Hex as [z [Hin Hz]].
      apply Exists_exists; exists (upto z); split; [apply in_map, In_arrange, Hin|].
      unfold exceeds. rewrite (E_ext d _ _ (one_upto z)), (sum_ext xs _ _ (fun x _ => one_upto z x)), Hs.
      apply Rmult_le_compat_l; [apply pos_INR | exact Hz].
    - apply nested_of_sorted with Rge; [|apply sorted_arrange; intros; lra].
      intros x y Hxy u; unfold upto. destruct (Rle_dec u y), (Rle_dec u x); auto; lra.
  Qed.

  Theorem empirical_rarely_below : prob sample below_dec <= exp (- 2 * INR n * v ^ 2).
  Proof.
    eapply Rle_trans; [|apply (chain_rarely_exceeds d Hd n v Hn Hv (map beyond (arrange Rle Rle_dec (map fst d))))].
    - apply E_le_as; [apply law_draws, Forall_repeat, Hd|].
      pose proof sum_upto as Hs. pose proof (sample_length d n) as Hl.
      pose proof (as_and _ _ _ Hs Hl) as H; revert H; apply as_impl; intros xs [Hxs Hlen].
      apply ind_le. intros Hex. apply Exists_exists in Hex; destruct Hex as [z [Hin Hz]].
      apply Exists_exists; exists (beyond z); split; [apply in_map, In_arrange, Hin|].
      unfold exceeds. rewrite (E_ext d _ _ (one_beyond z)), (sum_ext xs _ _ (fun x _ => one_beyond z x)).
      rewrite E_minus, sum_minus, sum_const, Hlen, Hxs, (E_const d 1 Hd). fold (cdf d z).
      replace (INR n * 1 - INR n * empirical xs z) with (INR n * (1 - empirical xs z)) by ring.
      apply Rmult_le_compat_l; [apply pos_INR | lra].
    - apply nested_of_sorted with Rle; [|apply sorted_arrange; intros; lra].
      intros x y Hxy u; unfold beyond. destruct (Rle_dec u y), (Rle_dec u x); auto; lra.
  Qed.

  Theorem dkw : prob sample far_dec <= 2 * exp (- 2 * INR n * v ^ 2).
  Proof.
    pose proof empirical_rarely_above as H1. pose proof empirical_rarely_below as H2.
    apply Rle_trans with (E sample (fun xs => ind (above_dec xs) + ind (below_dec xs))).
    - apply E_le; [apply law_draws, Forall_repeat, Hd|]. intros xs.
      destruct (far_dec xs) as [Hf|Hf]; cbn [ind];
        [|pose proof (ind_range (above_dec xs)); pose proof (ind_range (below_dec xs)); lra].
      apply Exists_exists in Hf; destruct Hf as [z [Hin Hz]].
      pose proof (ind_range (above_dec xs)); pose proof (ind_range (below_dec xs)).
      unfold Rabs in Hz; destruct (Rcase_abs (empirical xs z - cdf d z)).
      + rewrite (ind_yes (below_dec xs)) by (apply Exists_exists; exists z; split; [assumption | lra]). lra.
      + rewrite (ind_yes (above_dec xs)) by (apply Exists_exists; exists z; split; [assumption | lra]). lra.
    - rewrite E_plus; unfold prob in *; lra.
  Qed.

  (** Checking the values of the law is enough: otherwise F_n is within v of F at every real. *)
  Lemma near_at_every_real_of_support xs :
    List.Forall (fun x => In x (map fst d)) xs ->
    ~ Exists (fun z => v <= Rabs (empirical xs z - cdf d z)) (map fst d) ->
    forall x, Rabs (empirical xs x - cdf d x) < v.
  Proof.
    intros Hxs Hnot x.
    assert (Hsame : forall z, (forall w, In w (map fst d) -> (w <= x <-> w <= z)) ->
                    empirical xs x = empirical xs z /\ cdf d x = cdf d z).
    { intros z Hz; split.
      - unfold empirical, average; f_equal. apply sum_ext; intros w Hw. apply ind_iff, Hz.
        rewrite Forall_forall in Hxs; auto.
      - apply E_ext_as; intros w p Hin _. apply ind_iff, Hz. apply in_map_iff; now exists (w, p). }
    assert (Hlevel : forall l, (forall w, In w l -> x < w) \/ exists z, In z l /\ forall w, In w l -> (w <= x <-> w <= z)).
    { induction l as [|w l [IH|[z [Hz IH]]]]; [left; intros w []| |].
      - destruct (Rlt_le_dec x w) as [Hw|Hw]; [left; intros u [<-|Hu]; auto|].
        right; exists w; split; [now left|]. intros u [<-|Hu]; [lra|]. specialize (IH u Hu); lra.
      - assert (Hzx : z <= x) by (apply IH; [assumption | lra]).
        destruct (Rlt_le_dec x w) as [Hw|Hw].
        + right; exists z; split; [now right|]. intros u [<-|Hu]; [lra | auto].
        + right; exists (Rmax w z); split; [unfold Rmax; destruct (Rle_dec w z); [now right | now left]|].
          intros u Hu. pose proof (Rmax_l w z); pose proof (Rmax_r w z).
          assert (Rmax w z <= x) by (apply Rmax_lub; assumption).
          destruct Hu as [<-|Hu]; [lra|]. split; [|lra]. intros Hux; apply IH in Hux; [lra | assumption]. }
    destruct (Hlevel (map fst d)) as [Hnone|[z [Hz Hsz]]].
    - replace (empirical xs x) with 0; [replace (cdf d x) with 0|].
      + now rewrite Rminus_0_r, Rabs_R0.
      + symmetry; apply cdf_below. intros w p Hin _. apply Hnone, in_map_iff; now exists (w, p).
      + unfold empirical, average. rewrite (sum_ext xs _ (fun _ => 0)).
        * rewrite sum_const; unfold Rdiv; ring.
        * intros w Hw. apply ind_no. rewrite Forall_forall in Hxs. specialize (Hnone w (Hxs w Hw)); lra.
    - destruct (Hsame z Hsz) as [-> ->]. apply Rnot_le_lt; intros Hle. apply Hnot, Exists_exists; now exists z.
  Qed.

  Theorem near_at_every_real :
    almost_surely sample (fun xs =>
      ~ Exists (fun z => v <= Rabs (empirical xs z - cdf d z)) (map fst d) ->
      forall x, Rabs (empirical xs x - cdf d x) < v).
  Proof.
    assert (Hs : almost_surely d (fun x => In x (map fst d))) by (intros x p H _; apply in_map_iff; now exists (x, p)).
    apply (draws_support d n) in Hs. revert Hs; apply as_impl; intros xs Hxs. now apply near_at_every_real_of_support.
  Qed.
End Dkw.
