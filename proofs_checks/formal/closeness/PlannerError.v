(** * Closeness (c) for the values themselves, and with an error of the planner      (L2)

    A maximising utility h of M' supports Phi from below and its dynamic programming value v' is the largest Phi'.  A
    policy that is greedy for h in M' at every (t, s, y) has Phi' = v', so closeness bounds Phi'(pi') - Phi(pi') itself:

      Phi'(pi') - Phi(pi')  <=  L E_{M, pi'} sum over t of [ (T - t) TV(P', P) + integral of (F_R - F_{R'})^+ ] .

    If the actions that pi may take where M may lead are greedy only up to w_t at step t, sum of w_t is added. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp RockafellarUryasev SupportingUtility
  LawDistances DynamicProgramming Telescoping ClosenessGreedy ClosenessInArea OptimisticModel Optimism
  ClosenessOptimistic ConcavePlanner.
Import ListNotations.
Open Scope R_scope.

(** ** Values of a utility *)

(** Given: any MDP with finite laws, rewards in [0, 1], any L-Lipschitz nondecreasing utility.
    Differs: utilities of any origin. *)
Theorem values_rise_slowly_and_are_close {S A} (acts : S -> list A) (M : mdp S A) L h :
  (forall s, acts s <> []) -> is_mdp M -> rewards_within 1 M -> 0 <= L -> is_utility L h ->
  forall n, (forall s y z, y <= z -> 0 <= V acts M h n s z - V acts M h n s y <= L * (z - y)) /\
            (forall s s' y, Rabs (V acts M h n s y - V acts M h n s' y) <= L * INR n).
Proof.
  intros Hacts HM Hrew HL Hh n. split.
  - intros s y z Hyz. now apply (V_is_utility acts M HM L HL h Hh n s).
  - intros s s' y. pose proof (V_spread acts Hacts M HM Hrew L HL h Hh n s y).
    pose proof (V_spread acts Hacts M HM Hrew L HL h Hh n s' y). apply Rabs_le; lra.
Qed.

(** ** Utilities that maximise *)

Section Maximising.
  Load "setup/Choices".
  Hypothesis Hrew : rewards_within 1 M.
  Variables (G : R -> R) (L : R).

  (** h supports Phi from below and its value is the largest. *)
  Record maximises (h : R -> R) : Prop := {
    maximises_supports : supports M L G h;
    maximises_value : forall pi, is_policy pi -> allowed acts M pi ->
      value G M pi <= E (init M) (fun s => V acts M h (horizon M) s 0)
  }.

  (** Greedy policies for a maximising utility attain the largest value.
      Given: a utility that supports Phi and whose value is the largest.
      Differs: greedy policies attain the largest value.
      Step of: L2/greedy. *)
  Theorem greedy_for_maximiser_is_optimal h pi :
    maximises h -> is_policy pi -> is_greedy acts M h pi ->
    value G M pi = E (init M) (fun s => V acts M h (horizon M) s 0) /\
    forall pi', is_policy pi' -> allowed acts M pi' -> value G M pi' <= value G M pi.
  Proof.
    intros [[Hu Hs] Hv] Hpi Hg.
    assert (Heq : value G M pi = E (init M) (fun s => V acts M h (horizon M) s 0)).
    { apply Rle_antisym; [now apply Hv, is_greedy_allowed with h|].
      rewrite <- (greedy_utility_eq_dp acts M h pi Hpi Hg). apply Hs; [now apply law_return|].
      pose proof (return_within M pi 1 Hrew) as Hr. revert Hr; apply as_impl; intros z; rewrite Rmult_1_r; tauto. }
    split; [assumption|]. intros pi' Hpi' Hal. rewrite Heq. now apply Hv.
  Qed.

  (** For concave Lipschitz G there is one.
      Given: G concave and L-Lipschitz, rewards in [0, 1], a nonempty list of actions per state.
      Step of: L2/greedy. *)
  Theorem maximiser_exists : weighting G -> lipschitz_weighting G L -> concave_weighting G ->
    maximises (best_utility acts M G).
  Proof.
    intros HG HGL HGc. destruct (best_utility_spec acts M Hacts HM G L HG HGL HGc Hrew) as [H1 [_ H2]].
    split; [split; assumption|]. intros pi Hpi Hal.
    rewrite (best_utility_maximises acts M Hacts HM G L HG HGL HGc Hrew).
    now apply (value_le_best_law acts M Hacts HM G L HG HGL HGc Hrew).
  Qed.
End Maximising.

(** ** Closeness of the values *)

Section Close.
  Context {S A : Type}.
  Variable acts : S -> list A.
  Hypothesis Hacts : forall s, acts s <> [].
  Load "setup/TwoModels".
  Hypothesis Hrew : rewards_within 1 M.
  Hypothesis Hrew' : rewards_within 1 M'.
  Load "setup/Lipschitz".
  Variable dP : S -> A -> R.
  Hypothesis HdP : forall s a, tv_le (trans M' s a) (trans M s a) (dP s a).

  Lemma supports_same_horizon h : supports M' L G h -> supports M L G h.
  Proof. intros [H1 H2]; split; [assumption|]. intros e He Hb. apply H2; [assumption | now rewrite Hhor]. Qed.

  (** Given: rewards in [0, 1], equal initial laws, TV(P) <= dP; a maximising utility of M', which exists for
      concave G; the policy greedy for it in M' at every (t, s, y).
      Differs: finite laws. *)
  Theorem greedy_values_close_in_area h pi :
    maximises acts M' G L h -> is_policy pi -> is_greedy acts M' h pi ->
    value G M' pi - value G M pi <=
    L * expected_cost M pi (fun n s a => INR n * dP s a + RInt (cdf_excess (reward M s a) (reward M' s a)) 0 1).
  Proof.
    intros Hmax Hpi Hg. pose proof (lipschitz_nonneg G L HG HGL) as HL.
    destruct (greedy_for_maximiser_is_optimal acts M' HM' Hrew' G L h pi Hmax Hpi Hg) as [-> _].
    apply (greedy_value_close_in_area acts M M' L G h dP pi); auto. apply supports_same_horizon, Hmax.
  Qed.

  (** The same with the Kolmogorov distance of the rewards.
      Given: as greedy_values_close_in_area, KS(R) <= dR.
      Differs: the corrected claims only: greedy everywhere and G concave; finite laws. *)
  Theorem greedy_values_close_in_kolmogorov h pi (dR : S -> A -> R) :
    (forall s a x, Rabs (cdf (reward M s a) x - cdf (reward M' s a) x) <= dR s a) ->
    maximises acts M' G L h -> is_policy pi -> is_greedy acts M' h pi ->
    value G M' pi - value G M pi <= L * expected_cost M pi (fun n s a => INR n * dP s a + dR s a).
  Proof.
    intros HdR Hmax Hpi Hg. eapply Rle_trans; [now apply (greedy_values_close_in_area h)|].
    apply Rmult_le_compat_l; [now apply (lipschitz_nonneg G)|]. apply expected_cost_le; auto. intros n s a _.
    apply Rplus_le_compat_l, excess_integral_le.
    - eapply Rle_trans; [apply Rabs_pos | apply (HdR s a 0)].
    - intros x. specialize (HdR s a x). apply Rabs_le_between in HdR; lra.
  Qed.

  (** ** With an error of the planner *)

  (** Where M may lead, with n steps left after it, the actions lose at most [w n] in the value of M'. *)
  Definition greedy_up_to (h : R -> R) (w : nat -> R) (pi : policy S A) : Prop :=
    forall t, (t < horizon M)%nat -> almost_surely (history_law M pi t) (fun x => almost_surely (pi x) (fun a =>
      V acts M' h (horizon M - t) (state x) (collected x) <=
      backup M' (V acts M' h (horizon M - Datatypes.S t)) (state x) (collected x) a +
        w (horizon M - Datatypes.S t)%nat)).

  (** Given: rewards in [0, 1], equal initial laws, TV(P) <= dP; a supporting L-Lipschitz utility; actions greedy
      up to w_t wherever M leads under the policy.
      Differs: finite laws. *)
  Theorem planner_error_adds h w pi :
    supports M L G h -> is_policy pi -> greedy_up_to h w pi ->
    E (init M') (fun s => V acts M' h (horizon M') s 0) - value G M pi <=
    L * expected_cost M pi (fun n s a => INR n * dP s a + RInt (cdf_excess (reward M s a) (reward M' s a)) 0 1) +
    sum (seq 0 (horizon M)) (fun t => w (horizon M - Datatypes.S t)%nat).
  Proof.
    intros [Hh Hsup] Hpi Hg. pose proof (lipschitz_nonneg G L HG HGL) as HL.
    set (dR := fun s a => RInt (cdf_excess (reward M s a) (reward M' s a)) 0 1).
    set (cost := fun n s a => L * (INR n * dP s a + dR s a)).
    assert (HdR : forall s a f, is_utility L f -> E (reward M' s a) f - E (reward M s a) f <= L * dR s a).
    { intros s a f Hf. unfold dR.
      apply utility_difference_le_excess; try assumption; try lra; try (now apply reward_law);
        apply Hrew || apply Hrew'. }
    assert (Hgo : forall n t, (t + n = horizon M)%nat ->
      E (history_law M pi t) (fun x => V acts M' h n (state x) (collected x)) <=
      E (history_law M pi (horizon M)) (fun x => h (collected x)) +
      sum (seq t n) (fun t => E (history_law M pi t)
        (fun x => E (pi x) (cost (horizon M - Datatypes.S t)%nat (state x))) +
                              w (horizon M - Datatypes.S t)%nat)).
    { induction n as [|n IH]; intros t Ht; cbn [seq sum]; [rewrite Nat.add_0_r in Ht; subst; cbn [V]; lra|].
      specialize (IH (Datatypes.S t) ltac:(lia)). specialize (Hg t ltac:(lia)).
      replace (horizon M - Datatypes.S t)%nat with n in * by lia.
      replace (horizon M - t)%nat with (Datatypes.S n) in Hg by lia.
      assert (Hl : is_law (history_law M pi t)) by now apply law_history.
      apply Rle_trans with (E (history_law M pi t) (fun x =>
        E (step M pi x) (fun x' => V acts M' h n (state x') (collected x')) + E (pi x) (cost n (state x)) + w n)).
      - apply E_le_as; [apply Hl|]. revert Hg; apply as_impl; intros x Hx.
        rewrite E_step_backup, <- E_plus, <- (E_const (pi x) (w n) (Hpi x)), <- E_plus.
        rewrite <- (E_const (pi x) (V acts M' h (Datatypes.S n) (state x) (collected x)) (Hpi x)) at 1.
        apply E_le_as; [apply Hpi|]. revert Hx; apply as_impl; intros a Ha.
        assert (Hc : backup M' (V acts M' h n) (state x) (collected x) a -
          backup M (V acts M' h n) (state x) (collected x) a <=
                     L * (INR n * dP (state x) a + dR (state x) a)) by (eapply backup_close; eassumption).
        unfold cost; lra.
      - rewrite !E_plus, E_const by assumption. rewrite <- E_history_law_S. lra. }
    specialize (Hgo (horizon M) O eq_refl). rewrite E_history_law_0 in Hgo.
    assert (Hval : E (history_law M pi (horizon M)) (fun x => h (collected x)) <= value G M pi).
    { rewrite <- E_return_law. apply Hsup; [now apply law_return|].
      pose proof (return_within M pi 1 Hrew) as Hr. revert Hr; apply as_impl; intros z; rewrite Rmult_1_r; tauto. }
    rewrite sum_plus in Hgo. fold (expected_cost M pi cost) in Hgo.
    unfold cost in Hgo; rewrite expected_cost_scal in Hgo by assumption.
    unfold dR in Hgo. rewrite Hinit, Hhor.
    change (fun s => V acts M' h (horizon M) (state (start s)) (collected (start s)))
      with (fun s : S => V acts M' h (horizon M) s 0) in Hgo. lra.
  Qed.
End Close.

(** ** The optimistic pair *)

Section Pair.
  Load "setup/OptimisticPair".
  Load "setup/Lipschitz".

  (** Given: the event; rewards in [0, 1]; a maximising utility of the optimistic model, which exists for concave
      G; the policy greedy for it at every (t, s, y).
      Differs: finite laws. *)
  Theorem optimistic_values_close h pi :
    maximises acts' M' G L h -> is_policy pi -> is_greedy acts' M' h pi ->
    value G M' pi - value G M (played pi) <= L * expected_cost M (played pi)
      (pair_radius state_dec states M Pt Rt eps) /\
    L * expected_cost M (played pi) (pair_radius state_dec states M Pt Rt eps) <=
    L * expected_cost M (played pi) (visit_radius states eps).
  Proof.
    intros Hmax Hpi Hg. pose proof (lipschitz_nonneg G L HG HGL) as HL.
    assert (HM' : is_mdp M') by now apply is_mdp_optimistic.
    assert (Hw : rewards_within 1 M') by now apply optimistic_rewards_within. split.
    - destruct (greedy_for_maximiser_is_optimal acts' M' HM' Hw G L h pi Hmax Hpi Hg) as [-> _].
      apply (optimistic_value_close_in_area state_dec states Hnodup Hall M Pt Rt eps HM Hrew Hest HP acts Hacts G L HG
        HGL); try assumption.
      exact (maximises_supports _ _ _ _ _ Hmax).
    - apply Rmult_le_compat_l; [assumption|]. apply expected_cost_le; [assumption | now apply is_policy_played|].
      intros n s a _. now apply pair_radius_le_visit_radius.
  Qed.
End Pair.
