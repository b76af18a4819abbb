(** * The axioms of the main theorems, grouped by the paper's labels; each group is printed once.
    [EACH=1 ./compile.sh] prints them theorem by theorem. *)

From VerifiedRisk Require Import Soundness CurvedSoundness UpperQuantiles TextSoundness Embedded DataStatement
  DataSoundness DataEvent DataEnds RobustTables Completions LogStatement LogAnswers LogRows Scores
  RowTables BallBound SupportMixture AnyBehaviour KlStatement KlExplicit KlSize CarriedBets PlainBets
  BetRegret BetTables Betting Portfolio CarriedRegret Carried GridRegret RhoSearch
  KlEnds KlBeliefs KlRadii KlWidths KlEvent KlSets KtRedundancy BestRow Ville KlRegret KlHeadline.
From VerifiedRisk Require Import FiniteLaw Objective Mdp KeyIdentity ObjectiveFacts QuantileInverse QuantileFacts
  HistoryMeasure ObjectiveExamples ScaledRewards KeyIdentityPrintedDiverges Summary Augmentation AugmentedMdp
  AugmentationPrintedFalse Discretisation DiscretisationChain Grid DiscretisationOneStep DiscretisationPrintedFalse Tail
  HoeffdingFinite ChainOfEvents DkwFinite MartingaleStep EventHolds SupNorm EmpiricalLaw RegretAssembly
  RockafellarUryasev DynamicProgramming CvarPlanner FloatCertificate CountingInequality CountingSteps SupportingUtility
  LawDistances Telescoping ClosenessTotalVariation ClosenessGreedy ClosenessMarkov ClosenessEmpirical ClosenessOfCdfs
  PlannerError QuantileCoupling Simulation OptimisticModel OptimisticRows Optimism OptimismOfValues ClosenessOptimistic
  OptimisticLearner UnvisitedPairs CvarLearner OneState WeightingsNotLipschitz ClosenessPrintedFalse ClosenessUnbounded
  OptimismPrintedFalse MainTheoremPrintedFalse CvarPlannerPrintedFalse CertifiedCvar MarkovLearner CorrectedSteps
  PrintedBoundHolds ConcavePlanner BudgetShape ClosenessConstantAttained ClosenessInArea ConcaveLearner
  AdaptationPrintedFalse EventPrintedFalse L1Deviation WangNotLipschitz NonMarkov InternalState KnownAtoms
  PathsAndRadius FortyEpisodes Blocks BlocksOfVisits HalfWidth PrintedRadii.

Definition def_history := (@history_measure, @evaluator_gives_the_marginals, @return_is_recorded,
  @return_is_before_and_after, @distributional_bellman, @return_from_the_start).
Print Assumptions def_history.

Definition lem_key := (@key_identity, @Phi_eq_hi_minus_area, @is_stieltjes_quantile, @Phi_eq_rank_sum,
  @no_improper_integral_of_weighted_cdf, @printed_right_side_drifts).
Print Assumptions lem_key.

Definition examples_of_objectives := (@var_is_not_continuous, @cpw_is_not_lipschitz, @cvar_is_lipschitz,
  @var_weight_is_a_weighting, @value_at_the_jump_decides, @cvar_is_mean_of_worst_share, @empirical_largest_le,
  @Phi_lipschitz_in_area, @cpw_grows_faster, @Phi_of_moved_rewards, @cpw_is_nondecreasing, @wang_grows_faster).
Print Assumptions examples_of_objectives.

Definition thm_augmented := (@augmented_same_average, @augmented_same_joint_law, @augmented_same_value,
  @best_y_policy_is_best, @printed_average_differs, @return_of_printed_augmented, @printed_augmentation_changes_value,
  @augmented_value_eq, @augmented_mdp_has_the_same_optimum, @markov_policies_are_worse).
Print Assumptions thm_augmented.

Definition lem_quantileinverse := (@quantile_of_value_le, @value_of_quantile_ge,
  @value_of_quantile_ge_false_for_monotone, @quantile_of_constant_is_infinite, @quantile_ge_of_shifted_bound,
  @cdf_of_quantile_ge, @quantiles_are_returns_above_level_zero, @quantile_inverts_continuous).
Print Assumptions lem_quantileinverse.

Definition thm_discretized := (@overshoot_of_one_step, @one_step_cdf_bounds, @one_step_value_ge,
  @one_step_conditioned_cdf_le, @one_step_conditioned_value_ge, @return_within_T_eta, @rounded_history_law,
  @adapted_cdf_bounds, @adapted_value_ge, @discretised_cdf_le, @discretised_value_ge,
  @adapted_optimal_loses_at_most_T_eta, @discretisation_loss_exceeds_eta, @no_constant_below_T,
  @printed_internal_state_fails, @pushforward, @grid_size, @grid_range, @discretisation_chain, @rounded_optimum_exists,
  @lifted_rewards_ahead, @undone_rewards_ahead, @lifted_cdf_le, @undone_cdf_le, @undone_value_ge).
Print Assumptions thm_discretized.

Definition no_horizon := (@discounted_tail, @powers_below).
Print Assumptions no_horizon.

Definition lem_event := (@hoeffding_lemma, @hoeffding_upper, @hoeffding_lower, @average_rarely_far,
  @chain_rarely_exceeds, @empirical_rarely_above, @empirical_rarely_below, @dkw, @near_at_every_real, @l1_rarely_large,
  @optional_skipping, @event_holds, @event_given_counts_is_impossible, @l1_radius_is_large_enough,
  @sup_norm_rarely_large, @tape_stays_within_its_radius, @empirical_cdf_is_a_cdf, @doob, @block_rarely_high,
  @cdf_block_rarely_far, @misled_rarely_by_blocks, @half_width, @other_half_width_fails).
Print Assumptions lem_event.

Definition lem_genbound := (@Phi_difference_is_utility_difference, @supporting_utility_exists, @tv_le_tv,
  @utility_difference_le_kolmogorov, @value_close_in_total_variation, @value_close_in_total_variation_T,
  @closeness_factor_T_is_attained, @markov_value_close, @greedy_value_close, @maximising_utility_exists,
  @optimistic_value_close, @utility_difference_le_excess, @greedy_value_close_in_area, @optimistic_value_close_in_area,
  @pair_radius_le_visit_radius, @printed_closeness_false, @closeness_fails_for_y_policies, @value_close_in_either_model,
  @markov_values_close_in_area, @empirical_value_close, @hat_and_tilde_close, @hat_and_tilde_close_with_printed_radii,
  @values_rise_slowly_and_are_close, @greedy_for_maximiser_is_optimal, @maximiser_exists, @greedy_values_close_in_area,
  @greedy_values_close_in_kolmogorov, @planner_error_adds, @optimistic_values_close, @cdfs_close).
Print Assumptions lem_genbound.

Definition lem_optimismhat := (@quantile_coupling_spec, @simulated_return_dominates, @cdf_raise, @jump_le, @low_le_true,
  @cdf_optimistic_le, @cdf_optimistic_ge, @optimistic_policy_dominates, @markov_optimism, @markov_optimistic_close,
  @printed_optimism_false,
  @optimistic_rows, @optimistic_rewards, @unvisited_pairs,
  @optimistic_supremum_dominates, @optimistic_maximum_dominates, @optimism_of_greedy_policies,
  @markov_return_dominates).
Print Assumptions lem_optimismhat.

Definition thm_main := (@visit_cost_le, @visit_costs_le, @mean_of_observed, @sum_of_means_rarely_large,
  @observed_costs_le, @expected_regret_le, @regret_le_with_high_probability, @episode_loss_le,
  @optimistic_learner_expected_regret, @optimistic_learner_regret_with_high_probability, @cvar_learner_expected_regret,
  @cvar_learner_regret_with_high_probability, @best_is_attained, @markov_learner_expected_regret,
  @markov_learner_regret_with_high_probability, @concave_planner_correct, @printed_bound_holds_for_cvar,
  @concave_learner_expected_regret, @concave_learner_regret_with_high_probability, @concave_learner_meets_printed_bound,
  @concave_best_is_attained, @concave_learner_ignores_unknowns, @printed_regret_theorem_is_false, @few_visits,
  @capped_costs_split, @inverse_roots_le, @inverse_roots_of_all_pairs, @all_visits_cost, @radii_add_up,
  @printed_logarithm_survives, @constant_mended, @introduction_is_weaker, @what_an_episode_costs,
  @printed_right_side_without_5, @markov_policies_are_flattered_a_little, @sums_of_means_rarely_large,
  @costs_add_up_to_beta, @martingale_step_of_beta, @first_visits_fit, @expected_bound_within_printed,
  @known_atoms_close, @blocks_fit, @printed_level_gives_printed_radii,
  @printed_bound_holds_for_every_greedy_planner, @printed_bound_holds_with_printed_radii).
Print Assumptions thm_main.

Definition appendix_cvar := (@rockafellar_uryasev, @quantile_is_atom, @utility_le_dp, @greedy_utility_eq_dp,
  @budget_le_shortfall, @budget_greedy_attains, @W_nondecreasing_and_lipschitz, @W_zero_without_budget, @rho_window,
  @cvar_planner_correct, @best_action_per_state_is_not_best,
  @outer_objective_is_not_concave,
  @rockafellar_uryasev_for_costs).
Print Assumptions appendix_cvar.

Definition experiment := (@best_path_at_each_level, @printed_level_is_off, @radius_after_forty_visits, @errors_add_up,
  @forty_episodes_tell_little).
Print Assumptions experiment.

Definition float_certificate := (@computed_budget_within_gamma, @chosen_policy_within_gamma, @certified_cvar_of_policy,
  @certified_upper_bound).
Print Assumptions float_certificate.

Definition learner_with_kl_sets := (@kl_regret_from_data, @kl_expected_regret_from_data, @kl_regret_a_priori,
  @kl_expected_regret_a_priori, @kl_intervals_hold, @kl_headline).
Print Assumptions learner_with_kl_sets.

Definition learner_steps := (@kt_redundancy, @ville, @rarely_misled, @kl_lower_end, @lower_end_below, @the_end_grows,
  @kl_pinsker, @kl_relative, @missing_mass_le, @optimistic_for_every_policy, @near_greedy_close, @near_greedy_chk_lower,
  @supported_beliefs_hold, @prescribed_is_supported, @leading_term_is_linear_in_states).
Print Assumptions learner_steps.

Definition learner_that_runs := (@kl_learner, @kl_regret_from_data_with, @best_rho_is_near_best,
  @best_rho_below_z_is_near_best, @explicit_learner_regret, @explicit_learner_ignores_unknowns, @carried_optimum,
  @carried_episode, @outcome_regret_from_weighted_data, @outcome_intervals_hold, @grid_regret, @grid_interval).
Print Assumptions learner_that_runs.

Definition learner_with_bets := (@portfolio_is_symmetric, @portfolio_is_universal, @rarely_outbet,
  @not_outbet_product, @not_outbet_bounds, @bet_bound_is_below, @near_greedy_table_close, @table_above_best,
  @table_loss, @smaller_table_is_optimistic, @smaller_table_is_played, @bet_intervals_hold,
  @bet_regret_from_data_with, @bet_regret_from_data, @plain_learner_with_bets,
  @outcome_bet_intervals_hold, @outcome_regret_from_weighted_bets).
Print Assumptions learner_with_bets.

Definition intervals_from_logs := (@rarely_rich, @mixture_is_sequential, @kl_below_rate, @ball_above_mean,
  @rule_costs_at_most, @rule_costs_at_least, @every_policy_costs_at_least, @planned_costs_at_most, @mean_cvar_scores,
  @Phi_levels, @concave_scores, @quantile_at_least, @quantile_below, @rule_worth_at_least, @rule_worth_at_most,
  @every_policy_worth_at_most, @rarely_outside_balls, @rarely_outside_ends, @rarely_wrong_with_balls,
  @rarely_wrong_with_ends).
Print Assumptions intervals_from_logs.
Print Assumptions what_a_log_guarantees.

Print Assumptions check_sound.
Print Assumptions check_curved_sound.
Print Assumptions upper_quantiles_sound.
Print Assumptions check_text_sound.
Print Assumptions an_accepted_text_is_true.

Definition certificates_from_data := (@rarely_wrong, @rarely_doubted, @good_end_below, @good_beyond_below, @same_return,
  @robust_cost_above, @data_check_sound).
Print Assumptions certificates_from_data.
Print Assumptions what_check_data_text_proves.
