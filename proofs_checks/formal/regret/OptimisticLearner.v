(** * The regret of the optimistic learner      (thm:main, corrected)

    Any finite state and action sets, rewards in [0, 1], any horizon T, any weighting G.  Before each episode the
    learner builds the optimistic model from its empirical laws with radii eps(N) = sqrt(l / 2N), l = ln((S0 + 2) S0 |A|
    K T / delta), eps = 1 where nothing was seen.  Its planner returns a nondecreasing L-Lipschitz utility h that
    supports Phi from below and a policy that is greedy for h in the optimistic model at every (t, s, y); the value of h
    there is within w of the largest optimistic objective.  With best the supremum of Phi over all randomised
    history-dependent policies of M and

      C = ((T - 1) S0 + 2) sqrt(2 S0 |A| K T l) + T^2 S0 |A| ,

      (i)   E regret  <=  L C + K w + delta K T ;
      (ii)  regret  <=  L e/(e-1) ( C + T(T+1)/2 ln(1/delta) ) + K w    with probability at least 1 - 2 delta.

    For concave L-Lipschitz G such a utility exists for every w > 0 ([maximising_utility_exists] in
    [ClosenessGreedy.v]); for CVaR an exact planner is given in [CvarLearner.v].
    Nothing is assumed: DKW, Hoeffding, the martingale step, optimism, closeness and counting are all proved. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Export EmpiricalLaw.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp DynamicProgramming SupportingUtility
  Telescoping ClosenessGreedy OptimisticModel Optimism ClosenessOptimistic HoeffdingFinite DkwFinite MartingaleStep
  EventHolds RegretAssembly.
Import ListNotations.
Open Scope R_scope.

Section Learner.
  Load "setup/FiniteWorld".
  Variables (K : nat) (delta : R).
  Hypothesis Hdelta : 0 < delta.

  Local Notation seen_at := (seen state_dec action_dec).
  Let rad : nat -> R := radius M states actions K delta.

  (** ** What the learner knows before an episode *)

  Definition known_trans (past : list (history S A)) (s : S) (a : A) : dist S :=
    match seen_at (s, a) past with
    | [] => ret s
    | xs => image snd (empirical_law xs)
    end.

  Definition known_reward (past : list (history S A)) (s : S) (a : A) : dist R :=
    match seen_at (s, a) past with
    | [] => ret 1
    | xs => image (fun x => clip (fst x)) (empirical_law xs)
    end.

  (** A radius for each number of visits, and 1 where nothing was seen. *)
  Definition radius_by (r : nat -> R) (past : list (history S A)) (s : S) (a : A) : R :=
    match seen_at (s, a) past with
    | [] => 1
    | xs => r (length xs)
    end.

  Definition known_radius : list (history S A) -> S -> A -> R := radius_by rad.

  Definition optimistic_model (past : list (history S A)) : mdp (option S) A :=
    optimistic state_dec states M (known_trans past) (known_reward past) (known_radius past).

  Lemma estimates_by r past :
    (forall N, 0 <= r N) -> estimates (known_trans past) (known_reward past) (radius_by r past).
  Proof.
    intros Hr; split; intros s a; unfold known_trans, known_reward, radius_by;
      destruct (seen_at (s, a) past) as [|x xs].
    - apply law_ret.
    - apply law_image, law_empirical; discriminate.
    - apply law_ret.
    - apply law_image, law_empirical; discriminate.
    - apply as_ret; lra.
    - apply as_image, as_always; intros y; apply clip_range.
    - lra.
    - apply Hr.
  Qed.

  Lemma known_estimates past : estimates (known_trans past) (known_reward past) (known_radius past).
  Proof. apply estimates_by; intros N; apply sqrt_pos. Qed.

  Section Confident.
    Variable past : list (history S A).
    Hypothesis Hconf : confident state_dec action_dec M states actions rad past.

    Lemma confident_hoeffding : hoeffding_event state_dec M (known_trans past) (known_radius past).
    Proof.
      intros s a s'. specialize (Hconf s a (Hall s) (Hall_actions a)); cbv zeta in Hconf.
      unfold known_trans, known_radius, radius_by. destruct (seen_at (s, a) past) as [|x xs].
      - pose proof (mass_nonneg state_dec (trans M s a) s' (proj1 (trans_law M HM s a))).
        assert (mass state_dec (ret s) s' <= 1) by (unfold mass; rewrite E_ret; apply ind_range). lra.
      - destruct (Hconf ltac:(simpl; lia)) as [_ Hf]. specialize (Hf s' (Hall s')).
        unfold mass at 1. rewrite E_image, E_empirical_law. unfold frequency in Hf. lra.
    Qed.

    Lemma confident_dkw : dkw_event M (known_reward past) (known_radius past).
    Proof.
      intros s a x. specialize (Hconf s a (Hall s) (Hall_actions a)); cbv zeta in Hconf.
      pose proof (known_estimates past) as Hest. pose proof (eps_nonneg _ _ _ Hest s a) as Heps.
      pose proof (cdf_range (known_reward past s a) x (Rt_law _ _ _ Hest s a)) as H1.
      pose proof (cdf_range (reward M s a) x (reward_law M HM s a)) as H2.
      destruct (Rlt_dec x 0) as [Hx0|Hx0].
      { rewrite (cdf_below (known_reward past s a)), (cdf_below (reward M s a)).
        - rewrite Rminus_0_r, Rabs_R0; assumption.
        - generalize (Hrew s a); apply as_impl; intros; lra.
        - generalize (Rt_within _ _ _ Hest s a); apply as_impl; intros; lra. }
      destruct (Rlt_dec x 1) as [Hx1|Hx1].
      2: { rewrite (cdf_above (known_reward past s a)), (cdf_above (reward M s a)).
        - rewrite Rminus_eq_0, Rabs_R0; assumption.
        - now apply reward_law.
        - generalize (Hrew s a); apply as_impl; intros; lra.
        - apply Hest.
        - generalize (Rt_within _ _ _ Hest s a); apply as_impl; intros; lra. }
      unfold known_reward, known_radius, radius_by in *. destruct (seen_at (s, a) past) as [|y ys].
      - apply Rabs_le; lra.
      - destruct (Hconf ltac:(simpl; lia)) as [Hf _]. specialize (Hf x). left.
        replace (cdf (image (fun z => clip (fst z)) (empirical_law (y :: ys))) x)
          with (empirical (map fst (y :: ys)) x);
          [assumption|].
        unfold cdf; rewrite E_image, E_empirical_law. unfold empirical, average. rewrite map_length. f_equal.
        clear - Hx0 Hx1. induction (y :: ys) as [|z zs IH]; [reflexivity|]. cbn [map sum]. rewrite IH. f_equal.
        apply ind_iff. rewrite clip_le_iff by lra. tauto.
    Qed.
  End Confident.

  (** ** The learner *)

  Variables (G : R -> R) (L w best : R).
  Hypothesis HG : weighting G.
  Hypothesis HGL : lipschitz_weighting G L.
  Hypothesis Hw : 0 <= w.

  Local Notation acts' := (optimistic_acts states acts).

  (** The value of a utility in the optimistic model. *)
  Definition optimistic_value (past : list (history S A)) (h : R -> R) : R :=
    E (init (optimistic_model past)) (fun s => V acts' (optimistic_model past) h (horizon M) s 0).

  Record plans (utility : list (history S A) -> R -> R) (planned : list (history S A) -> policy (option S) A) : Prop :=
    {
    plans_support : forall past, supports M L G (utility past);
    plans_policy : forall past, is_policy (planned past);
    plans_greedy : forall past, is_greedy acts' (optimistic_model past) (utility past) (planned past);
    plans_maximise : forall past pi, is_policy pi -> allowed acts' (optimistic_model past) pi ->
      value G (optimistic_model past) pi <= optimistic_value past (utility past) + w
  }.

  Variables (utility : list (history S A) -> R -> R) (planned : list (history S A) -> policy (option S) A).
  Hypothesis Hplans : plans utility planned.

  Definition learner (past : list (history S A)) : policy S A := played (planned past).

  (** [best] is the largest value, or the supremum if it is not attained. *)
  Hypothesis Hbest : is_lub (fun x => exists pi, is_policy pi /\ allowed acts M pi /\ x = value G M pi) best.
  Hypothesis Hlog : 0 < log_term M states actions K delta.

  Lemma is_policy_learner past : is_policy (learner past).
  Proof. apply is_policy_played, Hplans. Qed.

  Lemma radius_cost past n s a :
    visit_radius states (known_radius past) n s a <= cost state_dec action_dec M states actions K delta past n s a.
  Proof.
    unfold visit_radius, cost, visit, known_radius, radius_by. pose proof (pos_INR n).
    destruct (seen_at (s, a) past) as [|x xs].
    - simpl length. pose proof (Rmin_l 1 (INR (length states) * 1)). pose proof (Rmin_l 1 (2 * 1)).
      pose proof (Rmult_le_compat_l (INR n) _ _ H H0). lra.
    - simpl length. unfold rad. lra.
  Qed.

  Lemma known_radius_cost past pi :
    is_policy pi -> expected_cost M pi (visit_radius states (known_radius past)) <=
    expected_cost M pi (cost state_dec action_dec M states actions K delta past).
  Proof. intros Hpi. apply expected_cost_le; [assumption | assumption | intros n s a _; apply radius_cost]. Qed.

  Lemma optimistic_episode_loss past :
    confident state_dec action_dec M states actions rad past ->
    best - value G M (learner past) <=
    L * expected_cost M (learner past) (cost state_dec action_dec M states actions K delta past) + w.
  Proof.
    intros Hconf. pose proof (lipschitz_nonneg G L HG HGL) as HL.
    enough (best <= value G M (learner past) +
      (L * expected_cost M (learner past) (cost state_dec action_dec M states actions K delta past) + w)) by lra.
    apply Hbest. intros x [pi [Hpi [Hal ->]]].
    pose proof (episode_loss_le state_dec states Hstates Hall M (known_trans past) (known_reward past)
      (known_radius past)
      HM Hrew (known_estimates past) (confident_hoeffding past Hconf) (confident_dkw past Hconf) acts Hacts G L HG HGL
      (utility past) (planned past) w pi (plans_support _ _ Hplans past) (plans_policy _ _ Hplans past)
      (plans_greedy _ _ Hplans past) (plans_maximise _ _ Hplans past) Hpi Hal) as Hloss.
    fold (learner past) in Hloss.
    pose proof (Rmult_le_compat_l L _ _ HL (known_radius_cost past (learner past) (is_policy_learner past))). lra.
  Qed.

  Lemma best_le_horizon : best <= INR (horizon M).
  Proof.
    apply Hbest; intros x [pi [Hpi [_ ->]]]. rewrite <- (Rmult_1_r (INR (horizon M))).
    apply (Phi_range G HG (return_law M pi) 0); [now apply law_return | now apply return_within].
  Qed.

  (** Given: finite state and action sets, rewards in [0, 1], G L-Lipschitz, a planner that is greedy at every (t,
      s, y) for a supporting utility within w of the best; delta > 0, l > 0.
      Differs: finite reward laws; nothing cited. *)
  Theorem optimistic_learner_expected_regret :
    E (episodes M learner K) (regret M learner G best) <=
    L * C M states actions K delta + INR K * w + delta * INR K * INR (horizon M).
  Proof.
    apply (expected_regret_le state_dec action_dec);
      eauto using is_policy_learner, as_always, lipschitz_nonneg, best_le_horizon, optimistic_episode_loss.
  Qed.

  Theorem optimistic_learner_regret_if_rarely_misled p q :
    0 < q -> prob (episodes M learner K) (misled_dec state_dec action_dec M states actions rad K) <= p ->
    prob (episodes M learner K) (fun path =>
      Rlt_dec (L * (exp 1 / (exp 1 - 1) * (C M states actions K delta + B M * ln (/ q))) + INR K * w)
              (regret M learner G best path)) <= p + q.
  Proof.
    intros Hq Hp. apply (regret_le_if_rarely_misled state_dec action_dec);
      eauto using is_policy_learner, as_always, lipschitz_nonneg, optimistic_episode_loss.
  Qed.

  (** Given: as optimistic_learner_expected_regret.
      Differs: finite reward laws; nothing cited. *)
  Theorem optimistic_learner_regret_with_high_probability :
    prob (episodes M learner K) (fun path =>
      Rlt_dec (L * (exp 1 / (exp 1 - 1) * (C M states actions K delta + B M * ln (/ delta))) + INR K * w)
              (regret M learner G best path)) <= 2 * delta.
  Proof.
    apply (regret_le_with_high_probability state_dec action_dec);
      eauto using is_policy_learner, as_always, lipschitz_nonneg, optimistic_episode_loss.
  Qed.
End Learner.
