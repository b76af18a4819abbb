(** The assumptions of the main theorems, grouped by the paper's labels; each group is walked once.
    [EACH=1 ./compile.sh] prints them theorem by theorem. *)

From VerifiedRisk Require Import FiniteLaw Objective Mdp KeyIdentity ObjectiveFacts QuantileInverse
  KeyIdentityPrintedDiverges Summary Augmentation AugmentationPrintedFalse Discretisation DiscretisationOneStep
  DiscretisationPrintedFalse
  HoeffdingFinite ChainOfEvents DkwFinite MartingaleStep EventHolds RegretAssembly
  RockafellarUryasev DynamicProgramming CvarPlanner FloatCertificate CountingInequality
  SupportingUtility LawDistances Telescoping ClosenessTotalVariation ClosenessGreedy ClosenessMarkov QuantileCoupling
  Simulation OptimisticModel Optimism ClosenessOptimistic OptimisticLearner CvarLearner
  OneState WeightingsNotLipschitz ClosenessPrintedFalse ClosenessUnbounded OptimismPrintedFalse
  MainTheoremPrintedFalse CvarPlannerPrintedFalse CertifiedCvar MarkovLearner PrintedBoundHolds ConcavePlanner BudgetShape
  ClosenessConstantAttained ClosenessInArea ConcaveLearner AdaptationPrintedFalse EventPrintedFalse L1Deviation.

Definition lem_key := (@key_identity, @Phi_eq_hi_minus_area, @is_stieltjes_quantile, @Phi_eq_rank_sum,
  @no_improper_integral_of_weighted_cdf, @printed_right_side_drifts).
Print Assumptions lem_key.

Definition examples_of_objectives := (@var_is_not_continuous, @cpw_is_not_lipschitz, @cvar_is_lipschitz).
Print Assumptions examples_of_objectives.

Definition thm_augmented := (@augmented_same_average, @augmented_same_joint_law, @augmented_same_value,
  @best_y_policy_is_best, @printed_average_differs, @return_of_printed_augmented, @printed_augmentation_changes_value).
Print Assumptions thm_augmented.

Definition lem_quantileinverse := (@quantile_of_value_le, @value_of_quantile_ge, @value_of_quantile_ge_false_for_monotone,
  @quantile_of_constant_is_infinite, @quantile_ge_of_shifted_bound, @cdf_of_quantile_ge).
Print Assumptions lem_quantileinverse.

Definition thm_discretized := (@overshoot_of_one_step, @one_step_cdf_bounds, @one_step_value_ge,
  @one_step_conditioned_cdf_le, @one_step_conditioned_value_ge, @return_within_T_eta, @rounded_history_law, @adapted_cdf_bounds, @adapted_value_ge,
  @discretised_cdf_le, @discretised_value_ge, @adapted_optimal_loses_at_most_T_eta, @discretisation_loss_exceeds_eta,
  @no_constant_below_T, @printed_internal_state_fails).
Print Assumptions thm_discretized.

Definition lem_event := (@hoeffding_lemma, @hoeffding_upper, @hoeffding_lower, @average_rarely_far, @chain_rarely_exceeds,
  @empirical_rarely_above, @empirical_rarely_below, @dkw, @near_at_every_real, @l1_rarely_large, @optional_skipping, @event_holds,
  @event_given_counts_is_impossible).
Print Assumptions lem_event.

Definition lem_genbound := (@Phi_difference_is_utility_difference, @supporting_utility_exists, @tv_le_tv,
  @utility_difference_le_kolmogorov, @value_close_in_total_variation, @value_close_in_total_variation_T, @closeness_factor_T_is_attained,
  @markov_value_close, @greedy_value_close, @maximising_utility_exists, @optimistic_value_close, @utility_difference_le_excess,
  @greedy_value_close_in_area, @optimistic_value_close_in_area, @pair_radius_le_visit_radius,
  @printed_closeness_false, @closeness_fails_for_y_policies).
Print Assumptions lem_genbound.

Definition lem_optimismhat := (@quantile_coupling_spec, @simulated_return_dominates, @cdf_raise, @jump_le, @low_le_true,
  @cdf_optimistic_le, @cdf_optimistic_ge, @optimistic_policy_dominates, @markov_optimism, @markov_optimistic_close,
  @printed_optimism_false).
Print Assumptions lem_optimismhat.

Definition thm_main := (@visit_cost_le, @visit_costs_le, @mean_of_observed, @sum_of_means_rarely_large, @observed_cost_le,
  @expected_regret_le, @regret_le_with_high_probability, @episode_loss_le, @optimistic_learner_expected_regret,
  @optimistic_learner_regret_with_high_probability, @cvar_learner_expected_regret,
  @cvar_learner_regret_with_high_probability, @best_is_attained, @markov_learner_expected_regret,
  @markov_learner_regret_with_high_probability, @concave_planner_correct, @printed_bound_holds_for_cvar,
  @concave_learner_expected_regret, @concave_learner_regret_with_high_probability, @concave_learner_meets_printed_bound,
  @concave_best_is_attained, @concave_learner_ignores_unknowns, @printed_regret_theorem_is_false).
Print Assumptions thm_main.

Definition appendix_cvar := (@rockafellar_uryasev, @quantile_is_atom, @utility_le_dp, @greedy_utility_eq_dp,
  @budget_le_shortfall, @budget_greedy_attains, @W_nondecreasing_and_lipschitz, @W_zero_without_budget, @rho_window,
  @cvar_planner_correct, @best_action_per_state_is_not_best,
  @outer_objective_is_not_concave).
Print Assumptions appendix_cvar.

Definition float_certificate := (@computed_budget_within_gamma, @chosen_policy_within_gamma, @certified_cvar_of_policy,
  @certified_upper_bound).
Print Assumptions float_certificate.
