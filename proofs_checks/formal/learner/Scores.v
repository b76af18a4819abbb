(** * Objectives as the largest of scores  r - E c(Z)

    A bound on an expected cost of the return bounds an objective: if the objective of every law is at least the score
    r_i - E c_i(Z) of every index i, and is one of them, a bound from above on one cost bounds it from below, and bounds
    from below on all costs bound it from above.  [mean_cvar_scores]: the mean, CVaR and their mixtures, i a possible
    return; [concave_scores]: concave weightings, i a utility.  [Phi_levels]: a mixture of several CVaRs is the mixture
    of their values.  [quantile_at_least], [quantile_below]: VaR, by the probability of a return below a threshold. *)

Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts RockafellarUryasev SupportingUtility
  CvarLearner RhoSearch.
Import ListNotations.
Open Scope R_scope.

(** [grid] holds at every possible return; the indices that can be needed are those with [index]. *)
Record scores {I} (value : dist R -> R) (grid : R -> Prop) (index : I -> Prop) (r : I -> R) (c : I -> R -> R) : Prop
  := {
  score_le : forall i d, index i -> is_law d -> almost_surely d grid -> r i - E d (c i) <= value d;
  score_attained : forall d, is_law d -> almost_surely d grid -> exists i, index i /\ value d = r i - E d (c i)
}.

(** ** Mean, CVaR, mixtures *)

Section MeanCvar.
  Variables (w alpha : R).
  Hypothesis Hw : 0 <= w <= 1.
  Hypothesis Halpha : 0 < alpha <= 1.

  (** The slopes of the cost of what is missing to the target: w above it, and w + (1 - w) / alpha below. *)
  Definition missing_cost (b : R) : R := w * b + (1 - w) / alpha * Rmax 0 b.

  Lemma score_is_tail_utility d rho : is_law d ->
    rho - E d (fun z => missing_cost (rho - z)) = w * E d (fun z => z) + (1 - w) * ru alpha d rho.
  Proof.
    intros Hd. unfold missing_cost. rewrite E_plus, !E_scal, E_minus, (E_const d rho Hd). unfold ru, shortfall. field.
    lra.
  Qed.

  (** Given: the mean, CVaR or a mixture of both; every return in the grid.
      In words: 10-kl-learner.md#kl-logs.
      Step of: corrected/ii. *)
  Theorem mean_cvar_scores grid :
    scores (Phi (mean_cvar_weight w alpha)) grid grid (fun rho => rho) (fun rho z => missing_cost (rho - z)).
  Proof.
    split.
    - intros rho d _ Hd _. rewrite score_is_tail_utility, (Phi_mean_cvar w alpha Hw Halpha d Hd) by assumption.
      apply Rplus_le_compat_l, Rmult_le_compat_l; [lra | now apply ru_le_cvar].
    - intros d Hd Hgrid. destruct (rockafellar_uryasev d alpha Hd Halpha) as [_ [rho [p [Hin [Hp [_ H]]]]]]. exists rho.
      split; [apply (Hgrid rho p Hin); lra|].
      now rewrite score_is_tail_utility, (Phi_mean_cvar w alpha Hw Halpha d Hd), H by assumption.
  Qed.
End MeanCvar.

(** For the mean one target is enough. *)
Theorem mean_scores grid : scores (Phi (fun tau => tau)) grid (fun rho => rho = 0) (fun rho => rho)
  (fun rho z => rho - z).
Proof.
  assert (H : forall d, is_law d -> 0 - E d (fun z => 0 - z) = Phi (fun tau => tau) d).
  { intros d Hd. rewrite E_minus, E_zero, (Phi_id_eq_mean d Hd). ring. }
  split; [intros i d -> Hd _; rewrite H by assumption; lra|]. intros d Hd _. exists 0. now rewrite H.
Qed.

(** ** Mixtures of several CVaRs: weights and levels, level 1 for the mean *)

Definition levels_weight (levels : list (R * R)) (tau : R) : R :=
  sum levels (fun wa => fst wa * cvar_weight (snd wa) tau).
Definition are_levels (levels : list (R * R)) : Prop :=
  (forall w a, In (w, a) levels -> 0 <= w /\ 0 < a <= 1) /\ sum levels fst = 1.

Lemma weighting_levels levels : are_levels levels -> weighting (levels_weight levels).
Proof.
  intros [Hl H1].
  assert (Hw : forall wa, In wa levels -> 0 <= fst wa /\ weighting (cvar_weight (snd wa)) /\ 0 < snd wa).
  { intros [w a] Hin. destruct (Hl w a Hin) as [Hw Ha]. cbn. split; [assumption|].
    split; [now apply weighting_cvar | lra]. }
  unfold levels_weight. split.
  - rewrite (sum_ext _ _ (fun _ => 0)), sum_const; [ring|]. intros wa Hin. destruct (Hw wa Hin) as [_ [HG _]].
    rewrite (weighting_0 _ HG). ring.
  - transitivity (sum levels fst); [|exact H1]. apply sum_ext. intros wa Hin. destruct (Hw wa Hin) as [_ [HG _]].
    rewrite (weighting_1 _ HG). ring.
  - intros x y Hx Hxy Hy. apply sum_le. intros wa Hin. destruct (Hw wa Hin) as [H0 [HG _]].
    apply Rmult_le_compat_l; [assumption | now apply (weighting_mono _ HG)].
  - intros x eps Hx Heps. clear H1 Hl. revert eps Heps.
    induction levels as [|wa l IH]; intros eps Heps; [exists 1; split; [lra|]; intros; cbn; lra|].
    destruct (IH ltac:(intros; apply Hw; now right) (eps / 2) ltac:(lra)) as [d1 [Hd1 B1]].
    destruct (Hw wa (or_introl eq_refl)) as [H0 [HG _]].
    destruct (weighting_right _ HG x (eps / 2 / (fst wa + 1)) Hx ltac:(repeat apply Rdiv_lt_0_compat; lra))
      as [d2 [Hd2 B2]].
    exists (Rmin d1 d2). split; [now apply Rmin_glb_lt|]. intros y Hy Hy1. pose proof (Rmin_l d1 d2).
    pose proof (Rmin_r d1 d2). specialize (B1 y ltac:(lra) Hy1). specialize (B2 y ltac:(lra) Hy1). cbn [sum].
    set (k := cvar_weight (snd wa)) in *.
    assert (fst wa * (k y - k x) <= eps / 2); [|lra].
    apply Rle_trans with (fst wa * (eps / 2 / (fst wa + 1))); [apply Rmult_le_compat_l; lra|].
    apply Rmult_le_reg_r with (fst wa + 1); [lra|].
    replace (fst wa * (eps / 2 / (fst wa + 1)) * (fst wa + 1)) with (fst wa * (eps / 2)) by (field; lra). nra.
Qed.

(** Given: weights that sum to 1, levels in (0, 1].
    In words: 10-kl-learner.md#kl-logs.
    Step of: corrected/ii. *)
Theorem Phi_levels levels d : are_levels levels -> is_law d ->
  Phi (levels_weight levels) d = sum levels (fun wa => fst wa * Phi (cvar_weight (snd wa)) d).
Proof.
  intros Hg Hd. destruct (bounded_law d) as [lo [hi [Hle B]]].
  rewrite (Phi_eq_hi_minus_area _ d lo hi (weighting_levels levels Hg) Hd Hle B). destruct Hg as [Hl H1].
  assert (I : is_RInt (fun x => levels_weight levels (cdf d x)) lo hi
    (sum levels (fun wa => fst wa * (hi - Phi (cvar_weight (snd wa)) d)))).
  { unfold levels_weight. clear H1. induction levels as [|wa l IH]; cbn [sum].
    - apply is_RInt_zero.
    - apply (is_RInt_plus (V := R_NormedModule)); [|apply IH; intros w a Ha; apply Hl; now right].
      apply (is_RInt_scal (V := R_NormedModule)). destruct wa as [w a]. destruct (Hl w a (or_introl eq_refl)) as [_ Ha].
      cbn [snd]. pose proof (weighting_cvar a Ha) as HG.
      assert (Ea : hi - Phi (cvar_weight a) d = RInt (fun x => cvar_weight a (cdf d x)) lo hi)
        by (rewrite (Phi_eq_hi_minus_area _ d lo hi HG Hd Hle B); ring).
      rewrite Ea. apply (RInt_correct (V := R_CompleteNormedModule)). now apply ex_RInt_weighted_cdf. }
  rewrite (is_RInt_unique _ _ _ _ I).
  rewrite (sum_ext levels (fun wa => fst wa * (hi - Phi (cvar_weight (snd wa)) d))
    (fun wa => hi * fst wa - fst wa * Phi (cvar_weight (snd wa)) d)) by (intros; ring).
  rewrite sum_minus, sum_scal, H1. ring.
Qed.

(** ** Concave weightings *)

(** Given: a concave Lipschitz weighting; every return in [lo, hi].
    In words: 10-kl-learner.md#kl-logs.
    Step of: corrected/ii. *)
Theorem concave_scores G L lo hi : weighting G -> lipschitz_weighting G L -> concave_weighting G -> lo <= hi ->
  scores (Phi G) (fun z => lo <= z <= hi)
    (fun h => is_utility L h /\ forall e, is_law e -> almost_surely e (fun z => lo <= z <= hi) -> E e h <= Phi G e)
    (fun _ => 0) (fun h z => - h z).
Proof.
  intros HG HL Hc Hle. assert (Hneg : forall (d : dist R) h, 0 - E d (fun z => - h z) = E d h).
  { intros d h. rewrite (E_ext d _ (fun z => -1 * h z)), E_scal by (intros; ring). ring. }
  split; [intros h d [_ Hh] Hd B; rewrite Hneg; now apply Hh|]. intros d Hd B.
  destruct (supporting_utility_exists G L HG HL Hc d lo hi Hd Hle B) as [h [H1 [H2 H3]]]. exists h.
  split; [split; assumption|]. now rewrite Hneg.
Qed.

(** ** VaR *)

Definition below_target (rho z : R) : R := if Rlt_dec z rho then 1 else 0.

(** Given: a finite law, 0 < alpha <= 1.
    In words: 10-kl-learner.md#kl-logs.
    Step of: corrected/ii. *)
Theorem quantile_at_least d alpha rho : is_law d -> 0 < alpha <= 1 ->
  E d (below_target rho) < alpha -> rho <= real (quantile (cdf d) alpha).
Proof.
  intros Hd Ha H. destruct (quantile_is_atom d alpha Hd Ha) as [q [p [_ [_ [-> Hiff]]]]]. cbn [real].
  destruct (Rle_dec rho q) as [|Hn]; [assumption|]. exfalso.
  assert (alpha <= cdf d q) by (apply Hiff; lra). assert (cdf d q <= E d (below_target rho)); [|lra].
  apply E_le; [apply Hd|]. intros z. unfold below_target, ind. destruct (Rle_dec z q), (Rlt_dec z rho); lra.
Qed.

(** Given: a finite law, 0 < alpha <= 1.
    In words: 10-kl-learner.md#kl-logs.
    Step of: corrected/ii. *)
Theorem quantile_below d alpha rho : is_law d -> 0 < alpha <= 1 ->
  alpha <= E d (below_target rho) -> real (quantile (cdf d) alpha) < rho.
Proof.
  intros Hd Ha H. destruct (quantile_is_atom d alpha Hd Ha) as [q [p [_ [_ [-> Hiff]]]]]. cbn [real].
  destruct (Rlt_dec q rho) as [|Hn]; [assumption|]. exfalso.
  set (l := filter (fun z => if Rlt_dec z rho then true else false) (map fst d)).
  destruct l as [|z0 l'] eqn:El.
  - assert (E d (below_target rho) <= 0); [|lra]. rewrite <- (E_zero d). apply E_le_as; [apply Hd|]. intros z m Hin _.
    unfold below_target. destruct (Rlt_dec z rho) as [Hz|]; [|lra]. exfalso.
    assert (Hl : In z l) by (apply filter_In; split; [apply in_map_iff; now exists (z, m)|]; destruct (Rlt_dec z rho);
      [reflexivity | contradiction]). rewrite El in Hl. destruct Hl.
  - destruct (list_argmin (fun z => - z) l ltac:(rewrite El; discriminate)) as [z1 [H1 Hmax]].
    assert (Hz1 : z1 < rho).
    { apply filter_In in H1. destruct H1 as [_ H1]. destruct (Rlt_dec z1 rho); [assumption | discriminate]. }
    assert (E d (below_target rho) <= cdf d z1).
    { apply E_le_as; [apply Hd|]. intros z m Hin _. unfold below_target, ind.
      destruct (Rlt_dec z rho) as [Hz|], (Rle_dec z z1) as [|Hn1]; try lra. exfalso. apply Hn1.
      assert (Hl : In z l) by (apply filter_In; split; [apply in_map_iff; now exists (z, m)|]; destruct (Rlt_dec z rho);
        [reflexivity | contradiction]). specialize (Hmax z Hl). lra. }
    assert (q <= z1) by (apply Hiff; lra). lra.
Qed.
