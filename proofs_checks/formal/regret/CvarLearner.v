(** * A CVaR learner, explicitly      (thm:main for CVaR, corrected)

    Finite state and action sets, rewards in [0, 1], horizon T, level alpha in (0, 1].  Before each episode the learner
    builds the optimistic model, finds the best rho among its attainable returns by the budget recursion, and plays
    greedily for the utility  h(y) = rho - (rho - y)^+ / alpha.  This planner is exact, so with  best = CVaR* over all
    randomised history-dependent policies,  l = ln((S0 + 2) S0 |A| K T / delta) > 0  and

      C = ((T - 1) S0 + 2) sqrt(2 S0 |A| K T l) + T^2 S0 |A| ,

      E regret  <=  C / alpha + delta K T ,
      regret  <=  (1/alpha) e/(e-1) ( C + T(T+1)/2 ln(1/delta) )    with probability at least 1 - 2 delta. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp RockafellarUryasev
  DynamicProgramming CvarPlanner SupportingUtility ClosenessGreedy OptimisticModel Optimism ClosenessOptimistic
  MartingaleStep EventHolds RegretAssembly OptimisticLearner.
Import ListNotations.
Open Scope R_scope.

Definition cvar_utility (alpha rho y : R) : R := rho - Rmax 0 (rho - y) / alpha.

Section Utility.
  Variable alpha : R.
  Hypothesis Halpha : 0 < alpha <= 1.

  Lemma cvar_utility_is_utility rho : is_utility (/ alpha) (cvar_utility alpha rho).
  Proof.
    intros x y Hxy; unfold cvar_utility, Rdiv. assert (0 < / alpha) by (apply Rinv_0_lt_compat; lra).
    assert (0 <= Rmax 0 (rho - x) - Rmax 0 (rho - y) <= y - x) by (unfold Rmax; repeat destruct Rle_dec; lra).
    replace (rho - Rmax 0 (rho - y) * / alpha - (rho - Rmax 0 (rho - x) * / alpha))
      with (/ alpha * (Rmax 0 (rho - x) - Rmax 0 (rho - y))) by ring.
    split; [apply Rmult_le_pos; lra | apply Rmult_le_compat_l; lra].
  Qed.

  Lemma E_cvar_utility (e : dist R) rho : is_law e -> E e (cvar_utility alpha rho) = ru alpha e rho.
  Proof.
    intros He; unfold cvar_utility, ru, shortfall. rewrite E_minus, E_const by assumption.
    unfold Rdiv; now rewrite E_scal_r.
  Qed.

  Lemma lipschitz_cvar : lipschitz_weighting (cvar_weight alpha) (/ alpha).
  Proof.
    intros x y _ _; unfold cvar_weight. assert (Ha : 0 < / alpha) by (apply Rinv_0_lt_compat; lra).
    apply Rle_trans with (Rabs (x / alpha - y / alpha)).
    - unfold Rmin, Rabs; repeat destruct Rle_dec; repeat destruct Rcase_abs; lra.
    - right; unfold Rdiv; rewrite <- Rmult_minus_distr_r, Rabs_mult, (Rabs_right (/ alpha)) by lra. ring.
  Qed.

  (** Its dynamic programming value is read off the budget recursion. *)
  Lemma V_cvar_utility {S A} (acts : S -> list A) (M : mdp S A) rho n s y :
    (forall s, acts s <> []) -> is_mdp M ->
    V acts M (cvar_utility alpha rho) n s y = rho - W acts M n s (rho - y) / alpha.
  Proof.
    intros Hacts HM; revert s y; induction n as [|n IH]; intros s y; cbn [V W]; [reflexivity|].
    assert (Hb : forall a, backup M (V acts M (cvar_utility alpha rho) n) s y a =
                           rho - spend M (W acts M n) s (rho - y) a / alpha).
    { intros a; unfold backup, spend, Rdiv.
      rewrite <- (E_const (reward M s a) rho) at 1 by now apply reward_law.
      rewrite <- E_scal_r, <- E_minus; apply E_ext; intros r.
      rewrite <- (E_const (trans M s a) rho) at 1 by now apply trans_law.
      rewrite <- E_scal_r, <- E_minus; apply E_ext; intros s'. rewrite IH.
      replace (rho - (r + y)) with (rho - y - r) by ring. reflexivity. }
    destruct (max_over_attained (backup M (V acts M (cvar_utility alpha rho) n) s y) (acts s) (Hacts s)) as [a [Ha Ea]].
    destruct (min_over_attained (spend M (W acts M n) s (rho - y)) (acts s) (Hacts s)) as [b [Hb' Eb]].
    pose proof (max_over_ge (backup M (V acts M (cvar_utility alpha rho) n) s y) (acts s) b Hb') as H1.
    pose proof (min_over_le (spend M (W acts M n) s (rho - y)) (acts s) a Ha) as H2.
    rewrite Hb in H1, Ea. rewrite Eb in *. pose proof (div_le_div _ _ alpha (proj1 Halpha) H2). lra.
  Qed.
End Utility.

Section CvarLearner.
  Load "setup/FiniteWorld".
  Variables (K : nat) (delta alpha : R).
  Hypothesis Hdelta : 0 < delta.
  Hypothesis Halpha : 0 < alpha <= 1.
  Hypothesis Hlog : 0 < log_term M states actions K delta.

  Local Notation acts' := (optimistic_acts states acts).
  Local Notation model := (optimistic_model state_dec action_dec states actions M K delta).

  (** The best rho among the attainable returns of the optimistic model. *)
  Definition best_rho (past : list (history S A)) : R :=
    match candidates acts' (model past) with
    | [] => 0
    | r :: l => argmax (J acts' (model past) alpha) r l
    end.

  Definition cvar_planned (past : list (history S A)) : policy (option S) A :=
    of_y_policy (greedy acts' (model past) (cvar_utility alpha (best_rho past))).

  Definition cvar_learner (past : list (history S A)) : policy S A := played (cvar_planned past).

  Lemma is_mdp_model past : is_mdp (model past).
  Proof. apply is_mdp_optimistic; auto. now apply known_estimates. Qed.

  Lemma acts_nonempty s : acts' s <> [].
  Proof. now apply (optimistic_acts_nonempty states Hall M HM acts Hacts). Qed.

  Lemma J_le_best past rho : In rho (candidates acts' (model past)) ->
    J acts' (model past) alpha rho <= J acts' (model past) alpha (best_rho past).
  Proof.
    unfold best_rho. destruct (candidates acts' (model past)) as [|r l]; [intros []|]. apply argmax_spec.
  Qed.

  Lemma cvar_plans :
    plans state_dec action_dec states actions acts M K delta (cvar_weight alpha) (/ alpha) 0
      (fun past => cvar_utility alpha (best_rho past)) cvar_planned.
  Proof.
    split.
    - intros past; split; [now apply cvar_utility_is_utility|].
      intros e He _. rewrite E_cvar_utility by assumption. now apply ru_le_cvar.
    - intros past. apply is_policy_of_y_policy, is_y_policy_greedy, acts_nonempty.
    - intros past. apply greedy_is_greedy, acts_nonempty.
    - intros past pi Hpi Hal.
      destruct (cvar_le_J_at_candidate acts' (model past) (is_mdp_model past) alpha Halpha pi Hpi Hal)
        as [rho [Hin Hle]].
      eapply Rle_trans; [exact Hle|]. eapply Rle_trans; [now apply J_le_best|].
      unfold J, optimistic_value. rewrite Rplus_0_r. change (horizon M) with (horizon (model past)). right.
      rewrite (E_ext (init (model past)) (fun s =>
        V acts' (model past) (cvar_utility alpha (best_rho past)) (horizon (model past)) s 0)
        (fun s => best_rho past - W acts' (model past) (horizon (model past)) s (best_rho past) * / alpha)).
      + rewrite E_minus, E_const, E_scal_r; [reflexivity | apply (is_mdp_model past)].
      + intros s. rewrite V_cvar_utility by (auto using acts_nonempty, is_mdp_model). now rewrite Rminus_0_r.
  Qed.

  (** The largest CVaR of M. *)
  Variable best : R.
  Hypothesis Hbest : is_lub (fun x => exists pi,
    is_policy pi /\ allowed acts M pi /\ x = value (cvar_weight alpha) M pi) best.

  (** Given: as optimistic_learner_expected_regret, for CVaR, 0 < alpha <= 1, with an explicit exact planner.
      Differs: CVaR.
      Step of: corrected/i. *)
  Theorem cvar_learner_expected_regret :
    E (episodes M cvar_learner K) (regret M cvar_learner (cvar_weight alpha) best) <=
    / alpha * C M states actions K delta + delta * INR K * INR (horizon M).
  Proof.
    unfold cvar_learner. rewrite <- (Rplus_0_r (/ alpha * _)), <- (Rmult_0_r (INR K)).
    eapply optimistic_learner_expected_regret; eauto using cvar_plans, weighting_cvar, lipschitz_cvar, Rle_refl.
  Qed.

  (** Given: as cvar_learner_expected_regret.
      Differs: CVaR.
      Step of: corrected/ii. *)
  Theorem cvar_learner_regret_with_high_probability :
    prob (episodes M cvar_learner K) (fun path =>
      Rlt_dec (/ alpha * (exp 1 / (exp 1 - 1) * (C M states actions K delta + B M * ln (/ delta))))
              (regret M cvar_learner (cvar_weight alpha) best path)) <= 2 * delta.
  Proof.
    unfold cvar_learner. rewrite <- (Rplus_0_r (/ alpha * _)), <- (Rmult_0_r (INR K)).
    eapply optimistic_learner_regret_with_high_probability; eauto using cvar_plans, weighting_cvar, lipschitz_cvar.
  Qed.

  (** The supremum is a maximum: it is max J, and the budget-greedy policy attains it.
      Given: as cvar_learner_expected_regret.
      In words: 04-planning.md#budget.
      Step of: corrected/i. *)
  Theorem best_is_attained : exists rho, best = J acts M alpha rho.
  Proof.
    destruct (cvar_planner_correct acts M Hacts HM alpha Halpha) as [rho [_ [_ [Hle Heq]]]]. exists rho.
    destruct Hbest as [Hub Hleast]; apply Rle_antisym.
    - apply Hleast; intros x [pi [Hpi [Hal ->]]]; now apply Hle.
    - destruct (budget_greedy_exists acts M Hacts rho) as [pi [Hpi [Hg Hal]]].
      rewrite <- (Heq (of_y_policy pi) (is_policy_of_y_policy pi Hpi) Hg). apply Hub.
      exists (of_y_policy pi); split; [now apply is_policy_of_y_policy | split; [assumption | reflexivity]].
  Qed.
End CvarLearner.

(** The learner knows the horizon, the initial law and what it has seen; of the transitions and rewards it knows
    nothing. *)
Theorem cvar_learner_ignores_unknowns {S A} state_dec action_dec (states : list S) (actions : list A) acts
  (M M2 : mdp S A) K delta alpha :
  horizon M2 = horizon M -> init M2 = init M ->
  cvar_learner state_dec action_dec states actions acts M2 K delta alpha =
  cvar_learner state_dec action_dec states actions acts M K delta alpha.
Proof. destruct M, M2; simpl; intros -> ->. reflexivity. Qed.
