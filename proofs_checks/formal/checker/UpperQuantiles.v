(** * Upper quantiles inside mixtures

    The upper quantile at a level L is at most the lower quantile at L + e, for every e > 0, and is equal to it if no
    value of the CDF is strictly between L and L + e; it is at least the lower quantile at L.  [check_upper] asks
    [check_curved] about the mixture with the lower quantiles at the larger levels, and for the lower bound tests that
    there is no such value, or asks again with the lower quantiles at the same levels. *)

Require Import ZArith Reals Lra List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective ObjectiveFacts RockafellarUryasev ObjectiveExamples JointModel Rows
  Tree Program Check PolygonCheck CurveCheck Verdict Meaning RatFacts ModelFacts Curves PowerCurve CurveRoute LawCheck
  LawRoute Soundness CurvedSoundness.
From VerifiedRisk Require KeyIdentity QuantileRoute.
Import ListNotations.
Open Scope R_scope.

Definition part_value (p : mixed_part) (d : dist R) : R :=
  match p with Whole f => Phi (curve_of f) d | UpperQuantile level => real (upper_quantile (cdf d) (real_of level)) end.
Definition value_with_upper (o : list (rat * mixed_part)) (d : dist R) : R :=
  fold_right (fun wp r => real_of (fst wp) * part_value (snd wp) d + r) 0 o.

(** ** Phi is linear in the weighting *)

Definition values_sum (o : mixture) (d : dist R) : R :=
  fold_right (fun wf r => real_of (fst wf) * Phi (curve_of (snd wf)) d + r) 0 o.

Lemma mixture_area o d lo hi :
  forallb (fun wf => positive_den (fst wf) && (0 <=? num (fst wf))%Z && good_curve (snd wf)) o = true ->
  is_law d -> lo <= hi -> almost_surely d (fun z => lo <= z <= hi) ->
  is_RInt (fun x => mixture_of o (cdf d x)) lo hi (weight_sum o * hi - values_sum o d).
Proof.
  intros Ho Hd Hle B. induction o as [|[w f] o IH]; cbn [mixture_of weight_sum values_sum fold_right fst snd].
  - replace (0 * hi - 0) with (scal (hi - lo) 0) by (unfold scal; cbn; unfold mult; cbn; ring).
    apply (is_RInt_const (V := R_NormedModule)).
  - cbn [forallb fst snd] in Ho. repeat rewrite andb_true_iff in Ho. destruct Ho as [[[W1 W2] W3] W4].
    specialize (IH W4). pose proof (weighting_curve f W3) as HG.
    assert (E : (real_of w + weight_sum o) * hi - (real_of w * Phi (curve_of f) d + values_sum o d)
      = plus (scal (real_of w) (hi - Phi (curve_of f) d)) (weight_sum o * hi - values_sum o d))
        by (unfold plus, scal; cbn; unfold mult; cbn; ring).
    change (is_RInt (fun x => real_of w * curve_of f (cdf d x) + mixture_of o (cdf d x)) lo hi
      ((real_of w + weight_sum o) * hi - (real_of w * Phi (curve_of f) d + values_sum o d))). rewrite E.
    apply (is_RInt_plus (V := R_NormedModule)); [|exact IH]. apply (is_RInt_scal (V := R_NormedModule)).
    assert (A : hi - Phi (curve_of f) d = RInt (fun x => curve_of f (cdf d x)) lo hi)
      by (rewrite (KeyIdentity.Phi_eq_hi_minus_area (curve_of f) d lo hi HG Hd Hle B); lra).
    rewrite A.
    apply (RInt_correct (V := R_CompleteNormedModule)). now apply KeyIdentity.ex_RInt_weighted_cdf.
Qed.

Theorem Phi_mixture_of o d : good_mixture o = true -> is_law d -> Phi (mixture_of o) d = values_sum o d.
Proof.
  intros Ho Hd. pose proof (weighting_mixture o Ho) as HG. unfold good_mixture in Ho. apply andb_true_iff in Ho.
  destruct Ho as [Hos Ht]. cbn zeta in Ht. apply Z.eqb_eq in Ht.
  destruct (total_weight o Hos) as [T1 T2]. assert (Hs : weight_sum o = 1).
  { rewrite <- T2. unfold real_of. rewrite Ht. apply Rinv_r. apply ok_pos in T1. lra. }
  destruct (bounded_law d) as [lo [hi [Hle B]]]. rewrite (KeyIdentity.Phi_eq_hi_minus_area _ d lo hi HG Hd Hle B).
  rewrite (is_RInt_unique _ _ _ _ (mixture_area o d lo hi Hos Hd Hle B)), Hs. ring.
Qed.

(** ** Quantiles *)

Lemma real_Glb_mono (P Q : R -> Prop) x0 x1 : (forall x, Q x -> P x) -> Q x1 -> (forall x, P x -> x0 <= x) ->
  real (Glb_Rbar P) <= real (Glb_Rbar Q).
Proof.
  intros HPQ H1 H0. pose proof (QuantileRoute.real_Glb_bounds P x0 x1 (HPQ x1 H1) H0) as HP.
  apply (QuantileRoute.real_Glb_bounds Q (real (Glb_Rbar P)) x1 H1). intros x Hx.
  now apply (QuantileRoute.real_Glb_bounds P x0 x (HPQ x Hx) H0).
Qed.

Lemma level_bounds d : is_law d -> exists lo hi, (forall a, a <= 1 -> a <= cdf d hi) /\ forall a x,
  0 < a -> a <= cdf d x -> lo <= x.
Proof.
  intros Hd. destruct (bounded_law d) as [lo [hi [_ B]]]. exists lo, hi. split.
  - intros a Ha. rewrite cdf_above; [assumption | assumption | revert B; apply as_impl; intros; lra].
  - intros a x Ha Hx. destruct (Rle_dec lo x) as [|Hn]; [assumption|]. exfalso. rewrite cdf_below in Hx; [lra|].
    revert B. apply as_impl. intros; lra.
Qed.

Lemma Phi_jump level d : good_curve (Jump level) = true -> is_law d ->
  Phi (curve_of (Jump level)) d = real (quantile (cdf d) (real_of level)).
Proof.
  intros Hl Hd. destruct (jump_facts level Hl) as [_ Hr].
  destruct (quantile_is_atom d (real_of level) Hd Hr) as [q [p [Hq [Hp [Hqu Hiff]]]]]. rewrite Hqu. cbn [real].
  destruct (bounded_law d) as [lo [hi [Hle B]]].
  rewrite (KeyIdentity.Phi_eq_hi_minus_area _ d lo hi (weighting_curve _ Hl) Hd Hle B).
  assert (Hb : lo <= q <= hi) by (apply (B q p); [assumption | lra]).
  rewrite (RInt_ext _ (fun x => ind (Rle_dec q x))).
  - rewrite (is_RInt_unique _ _ _ _ (is_RInt_step q lo hi Hb)). ring.
  - intros x _. cbn [curve_of]. unfold ind.
    destruct (Rle_dec (real_of level) (cdf d x)) as [H|H], (Rle_dec q x) as [H'|H']; try reflexivity; exfalso;
      [apply H', Hiff, H | apply H, Hiff, H'].
Qed.

Lemma upper_quantile_between level e d : good_curve (Jump (rplus level e)) = true -> ok level -> ok e ->
  0 <= real_of level -> 0 < real_of e -> is_law d ->
  real (upper_quantile (cdf d) (real_of level)) <= Phi (curve_of (Jump (rplus level e))) d.
Proof.
  intros Hg Hl He Hpos Hepos Hd. rewrite (Phi_jump _ d Hg Hd). destruct (jump_facts _ Hg) as [_ Hr].
  rewrite real_rplus in * by assumption.
  destruct (level_bounds d Hd) as [lo [hi [H1 H0]]]. unfold upper_quantile, quantile.
  apply (real_Glb_mono _ _ lo hi); [intros x Hx; lra | apply H1; lra|]. intros x Hx.
  apply (H0 ((real_of level + cdf d x) / 2)); lra.
Qed.

Lemma lower_quantile_le_upper level d : good_curve (Jump level) = true -> real_of level < 1 -> is_law d ->
  Phi (curve_of (Jump level)) d <= real (upper_quantile (cdf d) (real_of level)).
Proof.
  intros Hg Hlt Hd. rewrite (Phi_jump _ d Hg Hd). destruct (jump_facts _ Hg) as [_ Hr].
  destruct (level_bounds d Hd) as [lo [hi [H1 H0]]].
  unfold upper_quantile, quantile.
  apply (real_Glb_mono _ _ lo hi); [intros x Hx; lra | pose proof (H1 1 ltac:(lra)); lra|].
  intros x Hx. now apply (H0 (real_of level)).
Qed.

Lemma upper_quantile_at_gap level e d : good_curve (Jump (rplus level e)) = true -> ok level -> ok e -> 0 < real_of e ->
  is_law d ->
  (forall x, real_of level < cdf d x -> real_of (rplus level e) <= cdf d x) ->
  Phi (curve_of (Jump (rplus level e))) d <= real (upper_quantile (cdf d) (real_of level)).
Proof.
  intros Hg Hl He Hepos Hd Hgap. rewrite (Phi_jump _ d Hg Hd). destruct (jump_facts _ Hg) as [_ Hr].
  destruct (level_bounds d Hd) as [lo [hi [H1 H0]]].
  pose proof Hr as Hr'. rewrite real_rplus in Hr' by assumption. unfold upper_quantile, quantile.
  apply (real_Glb_mono _ _ lo hi); [exact Hgap | pose proof (H1 1 ltac:(lra)); lra|]. intros x Hx.
  now apply (H0 (real_of (rplus level e))).
Qed.

(** ** Part by part *)

Lemma parts_compare e o d : forallb (fun wf => positive_den (fst wf) && (0 <=? num (fst wf))%Z && good_curve (snd wf))
  (raised e o) = true ->
  ((forall p, In p (map snd o) -> good_curve (raised_part e p) = true ->
    Phi (curve_of (raised_part e p)) d <= part_value p d) -> values_sum (raised e o) d <= value_with_upper o d) /\
  ((forall p, In p (map snd o) -> good_curve (raised_part e p) = true ->
    part_value p d <= Phi (curve_of (raised_part e p)) d) -> value_with_upper o d <= values_sum (raised e o) d).
Proof.
  induction o as [|[w p] o IH]; intros H; [cbn; split; intros; lra|]. cbn [raised map forallb fst snd] in H.
  repeat rewrite andb_true_iff in H. destruct H as [[[W1 W2] W3] W4].
  apply Z.ltb_lt in W1. apply Z.leb_le in W2. destruct (IH W4) as [I1 I2]. pose proof (real_nonneg w W1 W2) as Hw.
  change (values_sum (raised e ((w, p) :: o)) d)
    with (real_of w * Phi (curve_of (raised_part e p)) d + values_sum (raised e o) d).
  change (value_with_upper ((w, p) :: o) d) with (real_of w * part_value p d + value_with_upper o d). split; intros Hp.
  - specialize (I1 (fun p0 H0 => Hp p0 (or_intror H0))).
    pose proof (Rmult_le_compat_l _ _ _ Hw (Hp p (or_introl eq_refl) W3)). lra.
  - specialize (I2 (fun p0 H0 => Hp p0 (or_intror H0))).
    pose proof (Rmult_le_compat_l _ _ _ Hw (Hp p (or_introl eq_refl) W3)). lra.
Qed.

Section Between.
  Variables (o : list (rat * mixed_part)) (e : rat) (d : dist R).
  Hypothesis He : ok e.
  Hypothesis Hepos : 0 < real_of e.
  Hypothesis Hlevels : good_levels o = true.
  Hypothesis Hgood : good_mixture (raised e o) = true.
  Hypothesis Hd : is_law d.

  Lemma level_facts level : In (UpperQuantile level) (map snd o) -> ok level /\ 0 <= real_of level /\ real_of level < 1.
  Proof.
    intros Hin. apply in_map_iff in Hin. destruct Hin as [[w p] [Hp Hin]]. cbn [snd] in Hp. subst p.
    pose proof Hlevels as Hl. unfold good_levels in Hl.
    apply forallb_forall with (x := (w, UpperQuantile level)) in Hl; [|assumption]. cbn [snd] in Hl.
    apply andb_true_iff in Hl. destruct Hl as [H1 H2]. apply Z.ltb_lt in H1. apply Z.leb_le in H2.
    split; [assumption|]. split; [now apply real_nonneg|]. pose proof Hgood as Hg. unfold good_mixture in Hg.
    apply andb_true_iff in Hg. destruct Hg as [Hg _].
    apply forallb_forall with (x := (w, Jump (rplus level e))) in Hg;
      [|apply in_map_iff; exists (w, UpperQuantile level); split; [reflexivity | assumption]].
    apply andb_true_iff in Hg. destruct Hg as [_ Hg]. cbn [snd] in Hg. destruct (jump_facts _ Hg) as [_ Hr].
    rewrite real_rplus in Hr by assumption. lra.
  Qed.

  Lemma parts_of e' : good_mixture (raised e' o) = true ->
    forallb (fun wf => positive_den (fst wf) && (0 <=? num (fst wf))%Z && good_curve (snd wf)) (raised e' o) = true.
  Proof. intros H. unfold good_mixture in H. now apply andb_true_iff in H. Qed.

  Lemma value_le_raised : value_with_upper o d <= Phi (mixture_of (raised e o)) d.
  Proof.
    rewrite (Phi_mixture_of _ d Hgood Hd). apply (parts_compare e o d (parts_of e Hgood)).
    intros [f|level] Hin Hg; cbn [raised_part part_value] in *; [lra|].
    destruct (level_facts level Hin) as [H1 [H2 _]]. now apply upper_quantile_between.
  Qed.

  Lemma raised_by_0_le_value : good_mixture (raised (of_Z 0) o) = true ->
    Phi (mixture_of (raised (of_Z 0) o)) d <= value_with_upper o d.
  Proof.
    intros H0. rewrite (Phi_mixture_of _ d H0 Hd). apply (parts_compare (of_Z 0) o d (parts_of (of_Z 0) H0)).
    intros [f|level] Hin Hg; cbn [raised_part part_value] in *; [lra|].
    destruct (level_facts level Hin) as [H1 [_ H3]].
    assert (Heq : real_of (rplus level (of_Z 0)) = real_of level)
      by (rewrite real_rplus, real_of_Z by (assumption || apply ok_of_Z); lra).
    pose proof (lower_quantile_le_upper (rplus level (of_Z 0)) d Hg ltac:(lra) Hd) as H. rewrite Heq in H. exact H.
  Qed.

  Lemma raised_le_value : (forall level x, In (UpperQuantile level) (map snd o) -> real_of level < cdf d x ->
    real_of (rplus level e) <= cdf d x) ->
    Phi (mixture_of (raised e o)) d <= value_with_upper o d.
  Proof.
    intros Hgap. rewrite (Phi_mixture_of _ d Hgood Hd). apply (parts_compare e o d (parts_of e Hgood)).
    intros [f|level] Hin Hg; cbn [raised_part part_value] in *; [lra|].
    destruct (level_facts level Hin) as [H1 _]. apply upper_quantile_at_gap; try assumption. intros x. now apply Hgap.
  Qed.
End Between.

(** ** The theorem *)

(** Given: as check_sound, for mixtures with upper quantiles: with lower quantiles at levels that are a little
    larger the certificate is accepted, and the exact law has no value between the levels, or it is accepted with
    lower quantiles at the same levels too.
    Differs: the checker, not the planner.
    Step of: production/proved, production/plan. *)
Theorem upper_quantiles_sound (m : model) (o : list (rat * mixed_part)) (e : rat) (c : claim) (k : curved) :
  check_upper m o e c k = true ->
  (exists pi, pi = policy_of m (low (proofs k)) /\ is_jpolicy pi /\ plays_allowed (meaning m) pi /\
     real_of (lower c) <= value_with_upper o (jreturn_law (meaning m) pi)) /\
  (forall pi, is_jpolicy pi -> plays_allowed (meaning m) pi ->
     value_with_upper o (jreturn_law (meaning m) pi) <= real_of (upper c)).
Proof.
  intros H. unfold check_upper, tests_upper in H. cbn [forallb snd] in H. rewrite forallb_app in H.
  cbn [forallb snd] in H. repeat rewrite andb_true_iff in H.
  destruct H as [[[He Hepos] Hlevels] [H1 [Hlow _]]]. apply Z.ltb_lt in He, Hepos. apply (real_of_sign e He) in Hepos.
  fold (check_curved m (raised e o) c k) in H1.
  assert (Hgood : forall o', check_curved m o' c k = true -> good_model m = true /\ good_mixture o' = true).
  { intros o' H. unfold check_curved, tests_curved in H. cbn [forallb snd] in H. repeat rewrite andb_true_iff in H.
    tauto. }
  destruct (Hgood _ H1) as [Hm G1].
  assert (Hlaw : forall pi, is_jpolicy pi -> is_law (jreturn_law (meaning m) pi))
    by (intros pi Hpi; apply law_jreturn; [now apply is_jmdp_meaning | assumption]).
  destruct (check_curved_sound m _ c k H1) as [[pi [P1 [P2 [P3 P4]]]] U]. split.
  - apply orb_true_iff in Hlow. destruct Hlow as [Hlow|H0].
    + exists pi. repeat (split; [assumption|]). eapply Rle_trans; [exact P4|]. apply raised_le_value; auto.
      intros level x Hin.
      unfold gaps_test in Hlow. rewrite P1.
      destruct (low (proofs k)) as [V choices|V g start choices|V c0 start choices|V c0 start costs choices|V mix_den
        parts];
        try discriminate.
      cbn [policy_of].
      destruct (level_facts o e He Hepos Hlevels G1 level Hin) as [L1 _].
      apply (law_avoids_correct m V mix_den parts Hm (gaps_of e o) (level, rplus level e) x Hlow);
        [|exact L1 | cbn [snd]; now apply ok_rplus].
      unfold gaps_of. apply in_flat_map. apply in_map_iff in Hin. destruct Hin as [wp [Hp Hin]]. exists wp.
      split; [assumption|]. rewrite Hp. now left.
    + destruct (Hgood _ H0) as [_ G0]. destruct (check_curved_sound m _ c k H0) as [[pi' [Q1 [Q2 [Q3 Q4]]]] _].
      exists pi'. repeat (split; [assumption|]).
      eapply Rle_trans; [exact Q4|]. apply (raised_by_0_le_value o e); auto.
  - intros pi' Q1 Q2. eapply Rle_trans; [|apply (U pi' Q1 Q2)]. apply value_le_raised; auto.
Qed.

(** The driver's two questions agree. *)
Lemma verdict_upper_none_iff (m : model) (o : list (rat * mixed_part)) (e : rat) (c : claim) (k : curved) :
  verdict_upper m o e c k = None <-> check_upper m o e c k = true.
Proof. apply no_failure_iff. Qed.
