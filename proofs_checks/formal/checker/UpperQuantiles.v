(** * Upper quantiles inside mixtures

    The upper quantile at a level L is between the lower quantiles at L and at L + e, for every e > 0.  So a certificate that
    [check_curved] accepts for both, with the same claim, proves the claim for the mixture with the upper quantile. *)

Require Import ZArith Reals Lra List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective ObjectiveFacts RockafellarUryasev ObjectiveExamples JointModel Rows Tree Program Check PolygonCheck CurveCheck Verdict Meaning RatFacts ModelFacts
  Curves PowerCurve CurveRoute CurvedSoundness.
From VerifiedRisk Require KeyIdentity QuantileRoute.
Import ListNotations.
Open Scope R_scope.

(** A part of a mixture: a curve, or the upper quantile at a level. *)
Inductive mixed_part := Whole (f : curve) | UpperQuantile (level : rat).

(** Lower quantiles at levels that are larger by e, in place of the upper ones. *)
Definition raised_part (e : rat) (p : mixed_part) : curve := match p with Whole f => f | UpperQuantile level => Jump (rplus level e) end.
Definition raised (e : rat) (o : list (rat * mixed_part)) : mixture := map (fun wp => (fst wp, raised_part e (snd wp))) o.

Definition part_value (p : mixed_part) (d : dist R) : R :=
  match p with Whole f => Phi (curve_of f) d | UpperQuantile level => real (upper_quantile (cdf d) (real_of level)) end.
Definition value_with_upper (o : list (rat * mixed_part)) (d : dist R) : R := fold_right (fun wp r => real_of (fst wp) * part_value (snd wp) d + r) 0 o.

(** ** Phi is linear in the weighting *)

Definition values_sum (o : mixture) (d : dist R) : R := fold_right (fun wf r => real_of (fst wf) * Phi (curve_of (snd wf)) d + r) 0 o.

Lemma mixture_area o d lo hi :
  forallb (fun wf => positive_den (fst wf) && (0 <=? num (fst wf))%Z && good_curve (snd wf)) o = true ->
  is_law d -> lo <= hi -> almost_surely d (fun z => lo <= z <= hi) ->
  is_RInt (fun x => mixture_of o (cdf d x)) lo hi (weight_sum o * hi - values_sum o d).
Proof.
  intros Ho Hd Hle B. induction o as [|[w f] o IH]; cbn [mixture_of weight_sum values_sum fold_right fst snd].
  - replace (0 * hi - 0) with (scal (hi - lo) 0) by (unfold scal; cbn; unfold mult; cbn; ring). apply (is_RInt_const (V := R_NormedModule)).
  - cbn [forallb fst snd] in Ho. repeat rewrite andb_true_iff in Ho. destruct Ho as [[[W1 W2] W3] W4]. specialize (IH W4). pose proof (weighting_curve f W3) as HG.
    assert (E : (real_of w + weight_sum o) * hi - (real_of w * Phi (curve_of f) d + values_sum o d)
      = plus (scal (real_of w) (hi - Phi (curve_of f) d)) (weight_sum o * hi - values_sum o d)) by (unfold plus, scal; cbn; unfold mult; cbn; ring).
    change (is_RInt (fun x => real_of w * curve_of f (cdf d x) + mixture_of o (cdf d x)) lo hi
      ((real_of w + weight_sum o) * hi - (real_of w * Phi (curve_of f) d + values_sum o d))). rewrite E.
    apply (is_RInt_plus (V := R_NormedModule)); [|exact IH]. apply (is_RInt_scal (V := R_NormedModule)).
    assert (A : hi - Phi (curve_of f) d = RInt (fun x => curve_of f (cdf d x)) lo hi) by (rewrite (KeyIdentity.Phi_eq_hi_minus_area (curve_of f) d lo hi HG Hd Hle B); lra).
    rewrite A.
    apply (RInt_correct (V := R_CompleteNormedModule)). now apply KeyIdentity.ex_RInt_weighted_cdf.
Qed.

Theorem Phi_mixture_of o d : good_mixture o = true -> is_law d -> Phi (mixture_of o) d = values_sum o d.
Proof.
  intros Ho Hd. pose proof (weighting_mixture o Ho) as HG. unfold good_mixture in Ho. apply andb_true_iff in Ho. destruct Ho as [Hos Ht]. cbn zeta in Ht. apply Z.eqb_eq in Ht.
  destruct (total_weight o Hos) as [T1 T2]. assert (Hs : weight_sum o = 1).
  { rewrite <- T2. unfold real_of. rewrite Ht. apply Rinv_r. apply ok_pos in T1. lra. }
  destruct (bounded_law d) as [lo [hi [Hle B]]]. rewrite (KeyIdentity.Phi_eq_hi_minus_area _ d lo hi HG Hd Hle B).
  rewrite (is_RInt_unique _ _ _ _ (mixture_area o d lo hi Hos Hd Hle B)), Hs. ring.
Qed.

(** ** Quantiles *)

Lemma real_Glb_mono (P Q : R -> Prop) x0 x1 : (forall x, Q x -> P x) -> Q x1 -> (forall x, P x -> x0 <= x) -> real (Glb_Rbar P) <= real (Glb_Rbar Q).
Proof.
  intros HPQ H1 H0. pose proof (QuantileRoute.real_Glb_bounds P x0 x1 (HPQ x1 H1) H0) as HP.
  apply (QuantileRoute.real_Glb_bounds Q (real (Glb_Rbar P)) x1 H1). intros x Hx. now apply (QuantileRoute.real_Glb_bounds P x0 x (HPQ x Hx) H0).
Qed.

Lemma level_bounds d : is_law d -> exists lo hi, (forall a, a <= 1 -> a <= cdf d hi) /\ forall a x, 0 < a -> a <= cdf d x -> lo <= x.
Proof.
  intros Hd. destruct (bounded_law d) as [lo [hi [_ B]]]. exists lo, hi. split.
  - intros a Ha. rewrite cdf_above; [assumption | assumption | revert B; apply as_impl; intros; lra].
  - intros a x Ha Hx. destruct (Rle_dec lo x) as [|Hn]; [assumption|]. exfalso. rewrite cdf_below in Hx; [lra|]. revert B. apply as_impl. intros; lra.
Qed.

Lemma Phi_jump level d : good_curve (Jump level) = true -> is_law d -> Phi (curve_of (Jump level)) d = real (quantile (cdf d) (real_of level)).
Proof.
  intros Hl Hd. destruct (jump_facts level Hl) as [_ Hr].
  destruct (quantile_is_atom d (real_of level) Hd Hr) as [q [p [Hq [Hp [Hqu Hiff]]]]]. rewrite Hqu. cbn [real].
  destruct (bounded_law d) as [lo [hi [Hle B]]]. rewrite (KeyIdentity.Phi_eq_hi_minus_area _ d lo hi (weighting_curve _ Hl) Hd Hle B).
  assert (Hb : lo <= q <= hi) by (apply (B q p); [assumption | lra]).
  rewrite (RInt_ext _ (fun x => ind (Rle_dec q x))).
  - rewrite (is_RInt_unique _ _ _ _ (is_RInt_step q lo hi Hb)). ring.
  - intros x _. cbn [curve_of]. unfold ind. destruct (Rle_dec (real_of level) (cdf d x)) as [H|H], (Rle_dec q x) as [H'|H']; try reflexivity; exfalso; [apply H', Hiff, H | apply H, Hiff, H'].
Qed.

Lemma upper_quantile_between level e d : good_curve (Jump (rplus level e)) = true -> ok level -> ok e -> 0 <= real_of level -> 0 < real_of e -> is_law d ->
  real (upper_quantile (cdf d) (real_of level)) <= Phi (curve_of (Jump (rplus level e))) d.
Proof.
  intros Hg Hl He Hpos Hepos Hd. rewrite (Phi_jump _ d Hg Hd). destruct (jump_facts _ Hg) as [_ Hr]. rewrite real_rplus in * by assumption.
  destruct (level_bounds d Hd) as [lo [hi [H1 H0]]]. unfold upper_quantile, quantile.
  apply (real_Glb_mono _ _ lo hi); [intros x Hx; lra | apply H1; lra|]. intros x Hx. apply (H0 ((real_of level + cdf d x) / 2)); lra.
Qed.

Lemma lower_quantile_le_upper level d : good_curve (Jump level) = true -> real_of level < 1 -> is_law d ->
  Phi (curve_of (Jump level)) d <= real (upper_quantile (cdf d) (real_of level)).
Proof.
  intros Hg Hlt Hd. rewrite (Phi_jump _ d Hg Hd). destruct (jump_facts _ Hg) as [_ Hr]. destruct (level_bounds d Hd) as [lo [hi [H1 H0]]].
  unfold upper_quantile, quantile. apply (real_Glb_mono _ _ lo hi); [intros x Hx; lra | pose proof (H1 1 ltac:(lra)); lra|].
  intros x Hx. now apply (H0 (real_of level)).
Qed.

(** ** The theorem *)

Lemma value_between e o d : ok e -> 0 < real_of e -> good_mixture (raised (of_Z 0) o) = true -> good_mixture (raised e o) = true -> is_law d ->
  List.Forall (fun wp => match snd wp with UpperQuantile level => ok level | Whole _ => True end) o ->
  Phi (mixture_of (raised (of_Z 0) o)) d <= value_with_upper o d <= Phi (mixture_of (raised e o)) d.
Proof.
  intros He Hepos H0 H1 Hd Hl. rewrite (Phi_mixture_of _ d H0 Hd), (Phi_mixture_of _ d H1 Hd).
  unfold good_mixture in H0, H1. apply andb_true_iff in H0, H1. destruct H0 as [H0 _]. destruct H1 as [H1 _].
  revert H0 H1 Hl. induction o as [|[w p] o IH]; intros H0 H1 Hl; [cbn; lra|].
  cbn [raised map forallb fst snd] in H0, H1. repeat rewrite andb_true_iff in H0. repeat rewrite andb_true_iff in H1.
  destruct H0 as [[[W1 W2] W3] W4]. destruct H1 as [[_ V3] V4]. inversion_clear Hl as [|? ? Hp Hl']. cbn [snd] in Hp.
  apply Z.ltb_lt in W1. apply Z.leb_le in W2. specialize (IH W4 V4 Hl'). pose proof (real_nonneg w W1 W2) as Hw.
  change (real_of w * Phi (curve_of (raised_part (of_Z 0) p)) d + values_sum (raised (of_Z 0) o) d <= real_of w * part_value p d + value_with_upper o d <=
    real_of w * Phi (curve_of (raised_part e p)) d + values_sum (raised e o) d).
  assert (Hmid : Phi (curve_of (raised_part (of_Z 0) p)) d <= part_value p d <= Phi (curve_of (raised_part e p)) d).
  { destruct p as [f|level]; cbn [raised_part part_value] in *; [lra|].
    destruct (jump_facts _ W3) as [_ R0]. destruct (jump_facts _ V3) as [_ R1]. rewrite real_rplus in R0, R1 by (assumption || apply ok_of_Z). rewrite real_of_Z in R0.
    assert (Heq : real_of (rplus level (of_Z 0)) = real_of level) by (rewrite real_rplus, real_of_Z by (assumption || apply ok_of_Z); lra). split.
    - pose proof (lower_quantile_le_upper (rplus level (of_Z 0)) d W3 ltac:(lra) Hd) as H. rewrite Heq in H. exact H.
    - apply upper_quantile_between; try assumption; lra. }
  pose proof (Rmult_le_compat_l _ _ _ Hw (proj1 Hmid)). pose proof (Rmult_le_compat_l _ _ _ Hw (proj2 Hmid)). lra.
Qed.

(** Two runs of the checker, on certificates that differ in the levels of the jumps only. *)
Theorem upper_quantiles_sound (m : model) (o : list (rat * mixed_part)) (e : rat) (c : claim) (k : curved) :
  ok e -> 0 < real_of e -> List.Forall (fun wp => match snd wp with UpperQuantile level => ok level | Whole _ => True end) o ->
  check_curved m (raised (of_Z 0) o) c k = true -> check_curved m (raised e o) c k = true ->
  (exists pi, pi = policy_of m (low (proofs k)) /\ is_jpolicy pi /\ plays_allowed (meaning m) pi /\
     real_of (lower c) <= value_with_upper o (jreturn_law (meaning m) pi)) /\
  (forall pi, is_jpolicy pi -> plays_allowed (meaning m) pi ->
     value_with_upper o (jreturn_law (meaning m) pi) <= real_of (upper c)).
Proof.
  intros He Hepos Hl H0 H1.
  assert (Hgood : forall o', check_curved m o' c k = true -> good_model m = true /\ good_mixture o' = true).
  { intros o' H. unfold check_curved, tests_curved in H. cbn [forallb snd] in H. repeat rewrite andb_true_iff in H. tauto. }
  destruct (Hgood _ H0) as [Hm G0]. destruct (Hgood _ H1) as [_ G1].
  assert (Hlaw : forall pi, is_jpolicy pi -> is_law (jreturn_law (meaning m) pi)) by (intros pi Hpi; apply law_jreturn; [now apply is_jmdp_meaning | assumption]).
  destruct (check_curved_sound m _ c k H0) as [[pi [P1 [P2 [P3 P4]]]] _]. destruct (check_curved_sound m _ c k H1) as [_ U]. split.
  - exists pi. repeat (split; [assumption|]). pose proof (value_between e o _ He Hepos G0 G1 (Hlaw pi P2) Hl). lra.
  - intros pi' Q1 Q2. pose proof (value_between e o _ He Hepos G0 G1 (Hlaw pi' Q1) Hl). specialize (U pi' Q1 Q2). lra.
Qed.
