(** * The corrected main theorem, without hypotheses on a planner      (thm:main)

    Finite state and action sets, rewards in [0, 1], horizon T, G a concave L-Lipschitz weighting (mean, CVaR, spectral
    measures).  The learner plans with [best_utility] of the optimistic model ([ConcavePlanner.v]) and plays greedily
    for it.  With  best  the supremum of Phi over all randomised history-dependent policies,  l = ln((S0 + 2) S0 |A| K T
    / delta) > 0,

      C = ((T - 1) S0 + 2) sqrt(2 S0 |A| K T l) + T^2 S0 |A| ,

      (i)    E regret  <=  L C + delta K T ;
      (ii)   regret  <=  L e/(e-1) ( C + T(T+1)/2 ln(1/delta) )    with probability at least 1 - 2 delta ;
      (iii)  run with delta / 2:  regret  <=  4 T^{3/2} L |S| sqrt( |S| |A| K ln(4 |S| |A| K / delta) ),  |S| = S0 + 1,
             with probability at least 1 - delta, the printed right-hand side without its factor sqrt 5. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp SupportingUtility DynamicProgramming
  ClosenessGreedy OptimisticModel Optimism ClosenessOptimistic MartingaleStep EventHolds RegretAssembly
  OptimisticLearner ConcavePlanner PrintedBoundHolds.
Import ListNotations.
Open Scope R_scope.

Section ConcaveLearner.
  Load "setup/FiniteWorld".
  Load "setup/Lipschitz".
  Hypothesis HGc : concave_weighting G.
  Variable K : nat.

  Local Notation acts' := (optimistic_acts states acts).
  Local Notation model delta := (optimistic_model state_dec action_dec states actions M K delta).

  Definition concave_utility (delta : R) (past : list (history S A)) : R -> R :=
    best_utility acts' (model delta past) G.

  Definition concave_planned (delta : R) (past : list (history S A)) : policy (option S) A :=
    of_y_policy (greedy acts' (model delta past) (concave_utility delta past)).

  Definition concave_learner (delta : R) : list (history S A) -> policy S A := learner (concave_planned delta).

  Lemma concave_plans delta :
    plans state_dec action_dec states actions acts M K delta G L 0 (concave_utility delta) (concave_planned delta).
  Proof.
    assert (Hmdp : forall past, is_mdp (model delta past))
      by (intros past; apply is_mdp_optimistic; auto; now apply known_estimates).
    assert (Hwithin : forall past, rewards_within 1 (model delta past))
      by (intros past; now apply optimistic_rewards_within, known_estimates).
    assert (Hne : forall s, acts' s <> []) by now apply (optimistic_acts_nonempty states Hall M HM acts Hacts).
    split; intros past.
    - destruct (best_utility_spec acts' (model delta past) Hne (Hmdp past) G L HG HGL HGc (Hwithin past))
        as [H1 [_ H2]].
      split; assumption.
    - now apply is_policy_of_y_policy, is_y_policy_greedy.
    - now apply greedy_is_greedy.
    - intros pi Hpi Hal. rewrite Rplus_0_r. unfold optimistic_value, concave_utility.
      change (horizon M) with (horizon (model delta past)).
      rewrite (best_utility_maximises acts' (model delta past) Hne (Hmdp past) G L HG HGL HGc (Hwithin past)).
      now apply (value_le_best_law acts' (model delta past) Hne (Hmdp past) G L HG HGL HGc (Hwithin past)).
  Qed.

  Variables (delta best : R).
  Hypothesis Hbest : is_lub (fun x => exists pi, is_policy pi /\ allowed acts M pi /\ x = value G M pi) best.

  (** Given: finite state and action sets, rewards in [0, 1], G concave and L-Lipschitz, a learner that is defined
      outright; delta > 0, l > 0.
      Differs: finite reward laws; nothing cited, no planner assumed. *)
  Theorem concave_learner_expected_regret :
    0 < delta -> 0 < log_term M states actions K delta ->
    E (episodes M (concave_learner delta) K) (regret M (concave_learner delta) G best) <=
    L * C M states actions K delta + delta * INR K * INR (horizon M).
  Proof.
    intros Hdelta Hlog. rewrite <- (Rplus_0_r (L * _)), <- (Rmult_0_r (INR K)).
    eapply optimistic_learner_expected_regret; eauto using concave_plans, Rle_refl.
  Qed.

  (** Given: as concave_learner_expected_regret.
      Differs: finite reward laws; nothing cited, no planner assumed. *)
  Theorem concave_learner_regret_with_high_probability :
    0 < delta -> 0 < log_term M states actions K delta ->
    prob (episodes M (concave_learner delta) K) (fun path =>
      Rlt_dec (L * (exp 1 / (exp 1 - 1) * (C M states actions K delta + B M * ln (/ delta))))
              (regret M (concave_learner delta) G best path)) <= 2 * delta.
  Proof.
    intros Hdelta Hlog. rewrite <- (Rplus_0_r (L * _)), <- (Rmult_0_r (INR K)).
    eapply optimistic_learner_regret_with_high_probability; eauto using concave_plans.
  Qed.

  (** Given: as concave_learner_expected_regret, run at delta/2; 0 < delta <= 1, T, K >= 1.
      Differs: finite reward laws; nothing cited, no planner assumed.
      Step of: corrected/iii. *)
  Theorem concave_learner_meets_printed_bound :
    0 < delta <= 1 -> (1 <= horizon M)%nat -> (1 <= K)%nat ->
    prob (episodes M (concave_learner (delta / 2)) K) (fun path =>
      Rlt_dec (L * bound_without_5 states actions M K delta) (regret M (concave_learner (delta / 2)) G best path)) <=
        delta.
  Proof.
    intros Hdelta HT HK.
    apply (printed_bound_holds_for_the_corrected_learner state_dec action_dec states actions Hstates Hactions Hall
      Hall_actions
      acts Hacts M HM Hrew HT K delta HK Hdelta G L best HG HGL _ _ (concave_plans (delta / 2)) Hbest).
  Qed.

  (** The supremum is attained, by a policy of (t, s, y).
      Given: as concave_learner_expected_regret.
      In words: 08-regret.md#regret-theorem.
      Step of: corrected/i. *)
  Theorem concave_best_is_attained :
    exists pi : y_policy S A, is_y_policy pi /\ allowed acts M (of_y_policy pi) /\ value G M (of_y_policy pi) = best.
  Proof.
    set (h := best_utility acts M G). exists (greedy acts M h).
    assert (Hp : is_y_policy (greedy acts M h)) by now apply is_y_policy_greedy.
    assert (Hg : is_greedy acts M h (of_y_policy (greedy acts M h))) by now apply greedy_is_greedy.
    assert (Hal : allowed acts M (of_y_policy (greedy acts M h))) by now apply (is_greedy_allowed acts M h).
    destruct (concave_planner_correct acts M Hacts HM G L HG HGL HGc Hrew (of_y_policy (greedy acts M h))
      (is_policy_of_y_policy _ Hp) Hg) as [_ Hmax].
    split; [assumption|]. split; [assumption|]. destruct Hbest as [Hub Hleast]. apply Rle_antisym.
    - apply Hub. exists (of_y_policy (greedy acts M h)).
      split; [now apply is_policy_of_y_policy | split; [assumption | reflexivity]].
    - apply Hleast; intros x [pi [Hpi [Hal' ->]]]. now apply Hmax.
  Qed.
End ConcaveLearner.

(** The learner knows the horizon, the initial law and what it has seen; of the transitions and rewards it knows
    nothing.
    Given: two models with the same horizon and initial law.
    Differs: the learner knows nothing else of the model.
    In words: 08-regret.md#regret-theorem.
    Step of: corrected/i. *)
Theorem concave_learner_ignores_unknowns {S A} state_dec action_dec (states : list S) (actions : list A) acts
  (M M2 : mdp S A) G K delta :
  horizon M2 = horizon M -> init M2 = init M ->
  concave_learner state_dec action_dec states actions acts M2 G K delta =
  concave_learner state_dec action_dec states actions acts M G K delta.
Proof. destruct M, M2; simpl; intros -> ->. reflexivity. Qed.
