(** * Closeness with the area between the distribution functions      (L2 as stated; the optimistic pair in full)

    For a nondecreasing L-Lipschitz f and laws d, e on [lo, hi]

      E_e f - E_d f  <=  L  integral over [lo, hi] of (F_d - F_e)^+ .

    Hence in L2 (see [ClosenessGreedy.v]) the reward term is the integral over [0, 1] of (F_R - F_{R'})^+ , and on the
    event, for the optimistic model,

      v^ - Phi(pi^)  <=  L  E_{M, pi^} sum over t of [ (T - t) P^(s_inf | s_t, a_t) + integral of (F_R - F_{R^}) ]
                     <=  L  E_{M, pi^} sum over t of [ (T - t) min(1, S0 eps) + min(1, 2 eps) ] . *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp RockafellarUryasev SupportingUtility
  LawDistances DynamicProgramming Telescoping ClosenessGreedy OptimisticModel Optimism ClosenessOptimistic.
Import ListNotations.
Open Scope R_scope.

(** ** The positive part of the difference of the distribution functions *)

Definition cdf_excess (d e : dist R) (x : R) : R := Rmax 0 (cdf d x - cdf e x).

Lemma ex_RInt_excess d e lo hi : lo <= hi -> ex_RInt (cdf_excess d e) lo hi.
Proof. intros H; now apply (ex_RInt_of_cdfs (fun p q => Rmax 0 (p - q))). Qed.

Lemma excess_nonneg d e x : 0 <= cdf_excess d e x.
Proof. apply Rmax_l. Qed.

(** Between listed points the excess is constant. *)
Lemma is_RInt_excess_gap d e x y :
  x <= y -> (forall z, In z (map fst d ++ map fst e) -> ~ x < z < y) ->
  is_RInt (cdf_excess d e) x y ((y - x) * cdf_excess d e x).
Proof.
  intros Hxy Hgap. apply is_RInt_ext with (fun _ => cdf_excess d e x); [|apply is_RInt_constant].
  intros z Hz. rewrite Rmin_left, Rmax_right in Hz by assumption.
  assert (H : forall c : dist R, (forall w, In w (map fst c) -> ~ x < w < y) -> cdf c x = cdf c z).
  { intros c Hc; unfold cdf; apply E_ext_as; intros w p Hin _. apply ind_iff.
    specialize (Hc w (in_map fst c (w, p) Hin)). split; intros Hw; destruct (Rle_dec w x); lra. }
  unfold cdf_excess; rewrite (H d), (H e); [reflexivity | |]; intros w Hw; apply Hgap, in_or_app; auto.
Qed.

Lemma E_by_parts_excess L f d e x l :
  is_utility L f -> is_law d -> is_law e -> ascending x l ->
  (forall z, In z (map fst d ++ map fst e) -> x < z < last_point x l -> In z l) ->
  E e (by_parts f x l) - E d (by_parts f x l) <= L * RInt (cdf_excess d e) x (last_point x l).
Proof.
  intros Hf Hd He; revert x; induction l as [|y l IH]; intros x Ha Hlist; cbn [by_parts last_point].
  - rewrite !E_const, RInt_point by assumption. unfold zero; simpl; lra.
  - destruct Ha as [Hxy Ha].
    assert (Hyl : y <= last_point y l).
    { destruct (last_point_in y l) as [<-|Hin]; [lra | now apply (ascending_ge y l)]. }
    assert (Hgap : forall z, In z (map fst d ++ map fst e) -> ~ x < z < y).
    { intros z Hz Hzy. destruct (Hlist z Hz ltac:(simpl; lra)) as [<-|Hin]; [lra|].
      pose proof (ascending_ge y l z Ha Hin); lra. }
    assert (Hrest : forall z, In z (map fst d ++ map fst e) -> y < z < last_point y l -> In z l).
    { intros z Hz Hzl. destruct (Hlist z Hz ltac:(simpl; lra)) as [->|Hin]; [lra | assumption]. }
    specialize (IH y Ha Hrest).
    rewrite !E_minus, !E_scal_r. fold (cdf e x) (cdf d x).
    rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) (cdf_excess d e) x y (last_point y l))
      by (apply ex_RInt_excess; assumption).
    rewrite (is_RInt_unique _ _ _ _ (is_RInt_excess_gap d e x y Hxy Hgap)). unfold plus; simpl.
    assert (Hstep : (cdf d x - cdf e x) * (f y - f x) <= L * ((y - x) * cdf_excess d e x)).
    { pose proof (Hf x y Hxy) as Hu. pose proof (excess_nonneg d e x).
      apply Rle_trans with (cdf_excess d e x * (f y - f x)); [apply Rmult_le_compat_r; [lra | apply Rmax_r]|].
      pose proof (Rmult_le_compat_l _ _ _ H (proj2 Hu)). lra. }
    lra.
Qed.

(** Given: finite laws on [lo, hi], a nondecreasing L-Lipschitz utility.
    Step of: L2/greedy. *)
Theorem utility_difference_le_excess L f d e lo hi :
  is_utility L f -> 0 <= L -> is_law d -> is_law e -> lo <= hi ->
  almost_surely d (fun z => lo <= z <= hi) -> almost_surely e (fun z => lo <= z <= hi) ->
  E e f - E d f <= L * RInt (cdf_excess d e) lo hi.
Proof.
  intros Hf HL Hd He Hle Bd Be.
  set (inside := filter (fun z => if Rle_dec z hi then true else false) (map fst d ++ map fst e)).
  destruct (ascending_listing lo inside) as [l [Ha [Hsub Hin]]].
  assert (Hlisted : forall z, In z (map fst d ++ map fst e) -> lo <= z <= hi -> In z l).
  { intros z Hz Hb; apply Hin; [|lra]. apply filter_In; split; [assumption|].
    destruct (Rle_dec z hi); [reflexivity | lra]. }
  assert (Hlast : lo <= last_point lo l <= hi).
  { destruct (last_point_in lo l) as [Heq|Hl]; [rewrite <- Heq; lra|].
    split; [now apply (ascending_ge lo l)|]. apply Hsub, filter_In in Hl.
    destruct (Rle_dec (last_point lo l) hi); [assumption | destruct Hl; discriminate]. }
  rewrite (E_ext_as e f (by_parts f lo l)), (E_ext_as d f (by_parts f lo l)).
  - eapply Rle_trans; [apply (E_by_parts_excess L); try assumption; intros z Hz Hzl; apply Hlisted;
      [assumption | lra]|].
    apply Rmult_le_compat_l; [assumption|].
    rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) (cdf_excess d e) lo (last_point lo l) hi)
      by (apply ex_RInt_excess; lra).
    assert (0 <= RInt (cdf_excess d e) (last_point lo l) hi)
      by (apply RInt_ge_0; [lra | apply ex_RInt_excess; lra | intros; apply excess_nonneg]).
    unfold plus; simpl; lra.
  - intros z p Hz Hp. symmetry; apply by_parts_listed; [assumption|]. right; apply Hlisted; [|now apply (Bd z p)].
    apply in_or_app; left; now apply (in_map fst) in Hz.
  - intros z p Hz Hp. symmetry; apply by_parts_listed; [assumption|]. right; apply Hlisted; [|now apply (Be z p)].
    apply in_or_app; right; now apply (in_map fst) in Hz.
Qed.

Lemma excess_integral_le d e kappa :
  0 <= kappa -> (forall x, cdf d x - cdf e x <= kappa) -> RInt (cdf_excess d e) 0 1 <= kappa.
Proof.
  intros Hk H. pose proof (is_RInt_constant kappa 0 1) as Hi. replace ((1 - 0) * kappa) with kappa in Hi by ring.
  rewrite <- (is_RInt_unique _ _ _ _ Hi). apply RInt_le; [lra | apply ex_RInt_excess; lra | now exists kappa|].
  intros x _. now apply Rmax_lub.
Qed.

(** ** L2 *)

(** Given: rewards in [0, 1], equal initial laws, TV(P) <= dP; a supporting L-Lipschitz utility; the policy greedy
    for it in M' at every (t, s, y).
    Differs: the utility's value v' on the left.
    Step of: L2/greedy. *)
Theorem greedy_value_close_in_area {S A} (acts : S -> list A) (M M' : mdp S A) L G h dP pi :
  (forall s, acts s <> []) -> is_mdp M -> is_mdp M' -> init M' = init M -> horizon M' = horizon M ->
  rewards_within 1 M -> rewards_within 1 M' -> 0 <= L -> supports M L G h -> is_policy pi -> is_greedy acts M' h pi ->
  (forall s a, tv_le (trans M' s a) (trans M s a) (dP s a)) ->
  E (init M') (fun s => V acts M' h (horizon M') s 0) - value G M pi <=
  L * expected_cost M pi (fun n s a => INR n * dP s a + RInt (cdf_excess (reward M s a) (reward M' s a)) 0 1).
Proof.
  intros Hacts HM HM' Hinit Hhor Hrew Hrew' HL Hh Hpi Hg HdP.
  apply (greedy_value_close acts Hacts M M' HM HM' Hinit Hhor Hrew' L HL G h dP
    (fun s a => RInt (cdf_excess (reward M s a) (reward M' s a)) 0 1)); try assumption.
  intros s a f Hf. apply utility_difference_le_excess; try assumption; try lra; try (now apply reward_law);
    [apply Hrew | apply Hrew'].
Qed.

(** ** The optimistic pair *)

Section Pair.
  Load "setup/OptimisticPair".
  Load "setup/Lipschitz".

  (** The mass moved to s_inf and the area between the distribution functions. *)
  Definition pair_radius (n : nat) (s : S) (a : A) : R :=
    INR n * jump state_dec states Pt eps s a + RInt (cdf_excess (reward M s a) (raise (eps s a) (Rt s a))) 0 1.

  (** On the event F_{R^} <= F_R, so the excess is the difference itself. *)
  Lemma excess_is_difference s a x :
    cdf_excess (reward M s a) (raise (eps s a) (Rt s a)) x = cdf (reward M s a) x - cdf (raise (eps s a) (Rt s a)) x.
  Proof.
    unfold cdf_excess; apply Rmax_right. pose proof (cdf_optimistic_le M Pt Rt eps HM Hest Hrew s a x HR). lra.
  Qed.

  (** Given: the event; a supporting utility; the policy greedy for it in the optimistic model at every (t, s, y).
      Differs: the utility's value on the left.
      Step of: L2/optimistic. *)
  Theorem optimistic_value_close_in_area h pi :
    supports M L G h -> is_policy pi -> is_greedy acts' M' h pi ->
    E (init M') (fun s => V acts' M' h (horizon M') s 0) - value G M (played pi) <=
    L * expected_cost M (played pi) pair_radius.
  Proof.
    intros Hh Hpi Hg. pose proof (lipschitz_nonneg G L HG HGL) as HL.
    assert (HM' : is_mdp M') by now apply is_mdp_optimistic.
    assert (HMl : is_mdp (lift M)) by now apply is_mdp_lift.
    pose proof (greedy_value_close_in_area acts' (lift M) M' L G h (jumps state_dec states Pt eps) pi
      ltac:(now apply (optimistic_acts_nonempty states Hall M HM acts Hacts)) HMl HM' eq_refl eq_refl
      (lift_rewards_within M Hrew) ltac:(now apply optimistic_rewards_within) HL Hh Hpi Hg
      (all_transitions_close state_dec states Hnodup Hall M Pt Rt eps HM Hest HP)) as Hclose.
    rewrite expected_cost_lift, value_lift in Hclose by assumption. exact Hclose.
  Qed.

  (** Given: the event.
      Differs: the second inequality, visit by visit.
      Step of: L2/optimistic. *)
  Theorem pair_radius_le_visit_radius n s a : pair_radius n s a <= visit_radius states eps n s a.
  Proof.
    unfold pair_radius, visit_radius. apply Rplus_le_compat.
    - apply Rmult_le_compat_l; [apply pos_INR|]. now apply (jump_le state_dec states Hnodup Hall Pt Rt eps Hest).
    - apply excess_integral_le.
      + pose proof (eps_nonneg _ _ _ Hest s a). apply Rmin_glb; lra.
      + intros x. now apply (cdf_optimistic_ge M Pt Rt eps HM Hest).
  Qed.
End Pair.
