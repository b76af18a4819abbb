(** * The examples of objectives      (paper: def:objective, assump:lipschitz)

    VaR is the lower quantile and its left-continuous twin the upper one; CVaR is the mean of the worst share; a
    Lipschitz weighting makes the objective Lipschitz in the area between the distribution functions. *)

Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts QuantileInverse RockafellarUryasev
  SupportingUtility WeightingsNotLipschitz.
Import ListNotations.
Open Scope R_scope.

(** ** Value at risk *)

(** The indicator of the levels from alpha on is a weighting; that of the levels up to alpha decreases.
    Given: 0 < alpha <= 1. *)
Theorem var_weight_is_a_weighting alpha : 0 < alpha <= 1 -> weighting (fun tau => ind (Rle_dec alpha tau)).
Proof. exact (weighting_var alpha). Qed.

(** The upper quantile F†(alpha+). *)
Definition upper_quantile (F : R -> R) (tau : R) : Rbar := Glb_Rbar (fun x => tau < F x).

Lemma glb_of_iff (P : R -> Prop) q : (forall x, P x <-> q <= x) -> Glb_Rbar P = Finite q.
Proof.
  intros H. apply is_glb_Rbar_unique. split; [intros x Hx; now apply H | intros b Hb; apply (Hb q), H, Rle_refl].
Qed.

(** Above a level alpha < 1 the distribution function of a finite law starts at an atom. *)
Lemma exceeded_from (d : dist R) alpha :
  is_law d -> 0 <= alpha < 1 -> exists q p, In (q, p) d /\ 0 < p /\ forall x, alpha < cdf d x <-> q <= x.
Proof.
  intros Hd Ha.
  set (l := filter (fun z => if Rlt_dec alpha (cdf d z) then true else false) (map fst d)).
  assert (Hl : forall z, In z l <-> In z (map fst d) /\ alpha < cdf d z).
  { intros z; unfold l; rewrite filter_In. destruct (Rlt_dec alpha (cdf d z)); intuition (try congruence; lra). }
  destruct (bounded_law d) as [lo [hi [Hle Hb]]].
  assert (Hne : l <> []).
  { assert (H1 : cdf d hi = 1) by (apply cdf_above; [assumption | revert Hb; apply as_impl; tauto]).
    destruct (cdf_reached_at_atom d hi (proj1 Hd) ltac:(lra)) as [z [p [Hin [_ [_ Hz]]]]].
    assert (Hzl : In z l) by (apply Hl; split; [now apply (in_map fst) in Hin | lra]). intros H; now rewrite H in Hzl. }
  destruct (list_argmin (cdf d) l Hne) as [z0 [Hz0 Hmin]]. apply Hl in Hz0; destruct Hz0 as [Hz0 Hlt].
  pose proof (cdf_range d z0 Hd) as Hr.
  destruct (quantile_is_atom d (cdf d z0) Hd ltac:(lra)) as [q [p [Hin [Hp [_ Hq]]]]].
  exists q, p. split; [assumption|]. split; [assumption|]. intros x. rewrite <- Hq. split; [|lra]. intros Hx.
  destruct (cdf_reached_at_atom d x (proj1 Hd) ltac:(lra)) as [z [pz [Hzin [_ [_ Hz]]]]]. rewrite <- Hz.
  apply Hmin, Hl. split; [now apply (in_map fst) in Hzin | lra].
Qed.

(** Where an indicator starts, its area ends. *)
Lemma area_of_start {P : R -> Prop} (dec : forall x, {P x} + {~ P x}) q M :
  0 <= q <= M -> (forall x, P x <-> q <= x) -> M - RInt (fun x => ind (dec x)) 0 M = q.
Proof.
  intros Hq H. rewrite (RInt_ext _ (fun x => ind (Rle_dec q x))).
  - rewrite (is_RInt_unique _ _ _ _ (is_RInt_step q 0 M Hq)). ring.
  - intros x _. now apply ind_iff.
Qed.

(** The value of G at a jump decides between the quantiles.
    Given: a finite law on [0, M], 0 < alpha < 1.
    Differs: finite laws. *)
Theorem value_at_the_jump_decides d alpha M :
  is_law d -> almost_surely d (fun z => 0 <= z <= M) -> 0 < alpha < 1 ->
  Finite (M - RInt (fun x => ind (Rle_dec alpha (cdf d x))) 0 M) = quantile (cdf d) alpha /\
  Finite (M - RInt (fun x => ind (Rlt_dec alpha (cdf d x))) 0 M) = upper_quantile (cdf d) alpha /\
  Finite (Phi (var_weight alpha) d) = quantile (cdf d) alpha.
Proof.
  intros Hd Hb Ha.
  assert (Hin : forall z p, In (z, p) d -> 0 < p -> 0 <= z <= M)
    by (intros z p Hz Hp; apply (Hb z p); [assumption | lra]).
  destruct (quantile_is_atom d alpha Hd ltac:(lra)) as [q [p [Hq [Hp [Hqu Hiff]]]]].
  destruct (exceeded_from d alpha Hd ltac:(lra)) as [u [pu [Hu [Hpu Hiffu]]]].
  assert (Hlow : M - RInt (fun x => ind (Rle_dec alpha (cdf d x))) 0 M = q)
    by (apply area_of_start; [now apply (Hin q p) | assumption]).
  split; [now rewrite Hlow, Hqu|]. split.
  - f_equal. rewrite (area_of_start (fun x => Rlt_dec alpha (cdf d x)) u M (Hin u pu Hu Hpu) Hiffu).
    symmetry; unfold upper_quantile. now apply glb_of_iff.
  - rewrite Hqu. f_equal. rewrite <- Hlow. pose proof (Hin q p Hq Hp).
    apply (key_identity (var_weight alpha) d M); [apply weighting_var; lra | assumption | lra | assumption].
Qed.

(** ** Conditional value at risk *)

Lemma is_RInt_above c alpha : 0 < alpha -> 0 <= c ->
  is_RInt (fun t => ind (Rlt_dec c t)) 0 alpha (alpha * (1 - Rmin (c / alpha) 1)).
Proof.
  intros Ha Hc. assert (Hca : c / alpha * alpha = c) by (field; lra).
  destruct (Rle_dec c alpha) as [Hle|Hgt].
  - assert (c / alpha <= 1) by (apply Rmult_le_reg_r with alpha; lra). rewrite Rmin_left by assumption.
    replace (alpha * (1 - c / alpha)) with (0 + (alpha - c)) by (field; lra).
    apply (is_RInt_Chasles (V := R_NormedModule)) with c.
    + apply is_RInt_ext with (fun _ => 0); [|apply is_RInt_zero].
      intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. symmetry; apply ind_no; lra.
    + apply is_RInt_ext with (fun _ => 1).
      * intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. symmetry; apply ind_yes; lra.
      * replace (alpha - c) with ((alpha - c) * 1) by ring. apply is_RInt_constant.
  - assert (1 <= c / alpha) by (apply Rmult_le_reg_r with alpha; lra). rewrite Rmin_right by assumption.
    replace (alpha * (1 - 1)) with 0 by ring.
    apply is_RInt_ext with (fun _ => 0); [|apply is_RInt_zero].
    intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. symmetry; apply ind_no; lra.
Qed.

Lemma is_RInt_climb alpha lo c l :
  0 < alpha <= 1 -> nonneg l -> 0 <= c -> is_RInt (climb lo c l) 0 alpha
    (alpha * climb_integral (cvar_weight alpha) lo c l).
Proof.
  intros Ha; revert lo c; induction l as [|[a p] l IH]; intros lo c Hn Hc; simpl.
  - rewrite Rmult_0_r. apply is_RInt_zero.
  - apply nonneg_cons in Hn.
    replace (alpha * ((a - lo) * (cvar_weight alpha 1 - cvar_weight alpha c) +
      climb_integral (cvar_weight alpha) a (c + p) l))
      with ((a - lo) * (alpha * (1 - Rmin (c / alpha) 1)) + alpha * climb_integral (cvar_weight alpha) a (c + p) l).
    + apply (is_RInt_plus (V := R_NormedModule)).
      * apply (is_RInt_scal (V := R_NormedModule)). apply is_RInt_above; lra.
      * apply IH; [tauto | lra].
    + rewrite (weighting_1 _ (weighting_cvar alpha Ha)). unfold cvar_weight. ring.
Qed.

(** CVaR is the mean of the worst alpha share, and 1/alpha is its constant.
    Given: a finite law, 0 < alpha <= 1.
    Differs: finite laws. *)
Theorem cvar_is_mean_of_worst_share d alpha :
  is_law d -> 0 < alpha <= 1 ->
  Phi (cvar_weight alpha) d = / alpha * RInt (fun tau => real (quantile (cdf d) tau)) 0 alpha /\
  lipschitz_weighting (cvar_weight alpha) (/ alpha).
Proof.
  intros Hd Ha. split; [|now apply cvar_is_lipschitz].
  destruct (bounded_law d) as [lo [hi [Hle Hb]]].
  destruct (sorted_listing d lo hi Hle (proj1 Hd) Hb) as [l [Hs [Hn HE]]].
  assert (H1 : 0 + total_mass l = 1) by (unfold total_mass; rewrite <- HE, (proj2 Hd); ring).
  assert (HPhi : Phi (cvar_weight alpha) d = lo + climb_integral (cvar_weight alpha) lo 0 l).
  { unfold Phi. apply stieltjes_unique; [lra|].
    apply (is_stieltjes_quantile_listing (cvar_weight alpha) d l lo hi (weighting_cvar alpha Ha) Hs Hn H1 HE). }
  assert (Hi : is_RInt (fun tau => real (quantile (cdf d) tau)) 0 alpha
    (lo * alpha + alpha * climb_integral (cvar_weight alpha) lo 0 l)).
  { apply is_RInt_ext with (fun tau => lo + climb lo 0 l tau).
    - intros tau Htau. rewrite Rmin_left, Rmax_right in Htau by lra. symmetry.
      rewrite (quantile_of_iff (cdf d) tau (lo + climb lo 0 l tau)); [reflexivity|]. intros x.
      replace (cdf d x) with (0 + cdf l x) by (unfold cdf; rewrite HE; ring).
      apply (level_reached_iff lo hi 0 l tau x Hs Hn). lra.
    - apply (is_RInt_plus (V := R_NormedModule)); [|apply is_RInt_climb; (assumption || lra)].
      replace (lo * alpha) with ((alpha - 0) * lo) by ring. apply is_RInt_constant. }
  rewrite (is_RInt_unique _ _ _ _ Hi), HPhi. field; lra.
Qed.

(** ** Lipschitz weightings *)

(** Given: finite laws on [lo, hi], G L-Lipschitz.
    Differs: finite laws. *)
Theorem Phi_lipschitz_in_area G L d e lo hi :
  weighting G -> lipschitz_weighting G L -> is_law d -> is_law e -> lo <= hi ->
  almost_surely d (fun z => lo <= z <= hi) -> almost_surely e (fun z => lo <= z <= hi) ->
  Rabs (Phi G d - Phi G e) <= L * RInt (fun x => Rabs (cdf d x - cdf e x)) lo hi.
Proof.
  intros HG HL Hd He Hle Bd Be.
  rewrite (Phi_eq_hi_minus_area G d lo hi), (Phi_eq_hi_minus_area G e lo hi) by assumption.
  pose proof (ex_RInt_weighted_cdf G d lo hi HG Hd Hle Bd) as Xd.
  pose proof (ex_RInt_weighted_cdf G e lo hi HG He Hle Be) as Xe.
  replace (hi - RInt (fun x => G (cdf d x)) lo hi - (hi - RInt (fun x => G (cdf e x)) lo hi))
    with (- (RInt (fun x => G (cdf d x)) lo hi - RInt (fun x => G (cdf e x)) lo hi)) by ring.
  rewrite Rabs_Ropp.
  pose proof (RInt_minus (V := R_CompleteNormedModule) _ _ lo hi Xd Xe) as Hminus. change minus with Rminus in Hminus.
  rewrite <- Hminus.
  pose proof (ex_RInt_of_cdfs (fun a b => Rabs (a - b)) d e lo hi Hle) as Xa.
  pose proof (ex_RInt_of_cdfs (fun a b => minus (G a) (G b)) d e lo hi Hle) as Xm.
  eapply Rle_trans; [apply abs_RInt_le; assumption|].
  rewrite <- (RInt_scal (V := R_CompleteNormedModule)) by exact Xa.
  apply RInt_le; [assumption | | |].
  - exact (ex_RInt_of_cdfs (fun a b => Rabs (minus (G a) (G b))) d e lo hi Hle).
  - exact (ex_RInt_of_cdfs (fun a b => scal L (Rabs (a - b))) d e lo hi Hle).
  - intros x _. apply HL; now apply cdf_range.
Qed.

(** For every constant, cumulative probability weighting grows faster near 0.
    Given: gamma = 1/2, every constant L.
    Differs: every real L. *)
Theorem cpw_grows_faster L : exists tau, 0 < tau <= 1 /\ L * tau < cpw_half tau.
Proof.
  set (n := Z.to_nat (up (4 * Rmax L 0 + 1))).
  destruct (archimed (4 * Rmax L 0 + 1)) as [H1 _]. pose proof (Rmax_r L 0). pose proof (Rmax_l L 0).
  assert (Hup : (0 < up (4 * Rmax L 0 + 1))%Z) by (apply lt_IZR; lra).
  assert (HnL : 4 * L < INR n) by (unfold n; rewrite INR_IZR_INZ, Z2Nat.id by lia; lra).
  destruct (cpw_at n ltac:(unfold n; lia)) as [Htau [_ Hge]]. exists (/ (INR n ^ 2 + 1)). split; [assumption|]. nra.
Qed.

(** For gamma = 1/2 cumulative probability weighting is nondecreasing.
    Given: gamma = 1/2, 0 <= sigma <= tau <= 1. *)
Theorem cpw_is_nondecreasing sigma tau : 0 <= sigma -> sigma <= tau -> tau <= 1 -> cpw_half sigma <= cpw_half tau.
Proof.
  intros H0 H1 H2. unfold cpw_half.
  set (u := sqrt sigma). set (v := sqrt (1 - sigma)). set (u' := sqrt tau). set (v' := sqrt (1 - tau)).
  assert (Hu : 0 <= u) by apply sqrt_pos. assert (Hv' : 0 <= v') by apply sqrt_pos.
  assert (Huu : u <= u') by (apply sqrt_le_1_alt; lra). assert (Hvv : v' <= v) by (apply sqrt_le_1_alt; lra).
  assert (Hs : u * u = sigma) by (apply sqrt_sqrt; lra). assert (Hs' : u' * u' = tau) by (apply sqrt_sqrt; lra).
  assert (Ht : v * v = 1 - sigma) by (apply sqrt_sqrt; lra). assert (Ht' : v' * v' = 1 - tau) by (apply sqrt_sqrt; lra).
  replace ((u + v) ^ 2) with (1 + 2 * (u * v)) by (simpl; nra).
  replace ((u' + v') ^ 2) with (1 + 2 * (u' * v')) by (simpl; nra).
  assert (P1 : 0 < 1 + 2 * (u * v)) by nra. assert (P2 : 0 < 1 + 2 * (u' * v')) by nra.
  apply Rmult_le_reg_r with ((1 + 2 * (u * v)) * (1 + 2 * (u' * v'))); [now apply Rmult_lt_0_compat|].
  replace (u / (1 + 2 * (u * v)) * ((1 + 2 * (u * v)) * (1 + 2 * (u' * v')))) with (u + 2 * (u * u') * v')
    by (field; lra).
  replace (u' / (1 + 2 * (u' * v')) * ((1 + 2 * (u * v)) * (1 + 2 * (u' * v')))) with (u' + 2 * (u * u') * v)
    by (field; lra).
  assert (0 <= u * u') by (apply Rmult_le_pos; lra). nra.
Qed.
