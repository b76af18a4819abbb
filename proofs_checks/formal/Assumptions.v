(** The assumptions of every main theorem, in the paper's order. *)

From VerifiedRisk Require Import FiniteLaw Objective Mdp KeyIdentity ObjectiveFacts QuantileInverse
  KeyIdentityPrintedDiverges Summary Augmentation AugmentationPrintedFalse Discretisation DiscretisationPrintedFalse
  HoeffdingFinite DkwFinite MartingaleStep EventHolds RegretAssembly.

(* lem:key *)
Print Assumptions key_identity.
Print Assumptions Phi_eq_rank_sum.
Print Assumptions no_improper_integral_of_weighted_cdf.
Print Assumptions printed_right_side_drifts.

(* lem:augmented:1, lem:augmented:2, thm:augmented *)
Print Assumptions augmented_same_average.
Print Assumptions augmented_same_joint_law.
Print Assumptions augmented_same_value.
Print Assumptions best_y_policy_is_best.
Print Assumptions printed_average_differs.
Print Assumptions return_of_printed_augmented.
Print Assumptions printed_augmentation_changes_value.

(* lem:quantileinverse, lem:monotoneinversebound *)
Print Assumptions quantile_of_value_le.
Print Assumptions value_of_quantile_ge.
Print Assumptions value_of_quantile_ge_false_for_monotone.
Print Assumptions quantile_ge_of_shifted_bound.
Print Assumptions cdf_of_quantile_ge.

(* lem:pihatcdfbound, lem:pihatphibound, lem:picdfbound, lem:piphibound, thm:discretized *)
Print Assumptions return_within_T_eta.
Print Assumptions adapted_cdf_bounds.
Print Assumptions adapted_value_ge.
Print Assumptions discretised_cdf_le.
Print Assumptions discretised_value_ge.
Print Assumptions adapted_optimal_loses_at_most_T_eta.
Print Assumptions discretisation_loss_exceeds_eta.
Print Assumptions no_constant_below_T.

(* lem:event: Hoeffding, DKW, optional skipping, the event *)
Print Assumptions hoeffding_lemma.
Print Assumptions hoeffding_upper.
Print Assumptions hoeffding_lower.
Print Assumptions average_rarely_far.
Print Assumptions chain_rarely_exceeds.
Print Assumptions empirical_rarely_above.
Print Assumptions empirical_rarely_below.
Print Assumptions dkw.
Print Assumptions near_at_every_real.
Print Assumptions optional_skipping.
Print Assumptions event_holds.

(* thm:main, from one episode to the regret *)
Print Assumptions mean_of_observed.
Print Assumptions sum_of_means_rarely_large.
Print Assumptions observed_cost_le.
Print Assumptions expected_regret_le.
Print Assumptions regret_le_with_high_probability.

From VerifiedRisk Require Import RockafellarUryasev DynamicProgramming CvarPlanner FloatCertificate CountingInequality
  SupportingUtility LawDistances Telescoping ClosenessTotalVariation ClosenessGreedy ClosenessMarkov QuantileCoupling
  Simulation OptimisticModel Optimism ClosenessOptimistic OptimisticLearner CvarLearner.

(** A group is printed at once: each answer costs one walk through the library of reals. *)

Definition cvar_planning := (@rockafellar_uryasev, @quantile_is_atom, @utility_le_dp, @greedy_utility_eq_dp,
  @budget_le_shortfall, @budget_greedy_attains, @cvar_planner_correct, @computed_budget_within_gamma).
Print Assumptions cvar_planning.

(* lem:genbound and its relatives *)
Definition closeness := (@Phi_difference_is_utility_difference, @supporting_utility_exists, @tv_le_tv,
  @utility_difference_le_kolmogorov, @value_close_in_total_variation, @value_close_in_total_variation_T,
  @markov_value_close, @greedy_value_close, @maximising_utility_exists, @optimistic_value_close, @episode_loss_le).
Print Assumptions closeness.

(* lem:optimismhat *)
Definition optimism := (@quantile_coupling_spec, @simulated_return_dominates, @cdf_raise, @jump_le, @low_le_true,
  @cdf_optimistic_le, @cdf_optimistic_ge, @optimistic_policy_dominates).
Print Assumptions optimism.

(* thm:main *)
Definition main_theorem := (@visit_cost_le, @visit_costs_le, @optimistic_learner_expected_regret,
  @optimistic_learner_regret_with_high_probability, @cvar_learner_expected_regret,
  @cvar_learner_regret_with_high_probability, @best_is_attained).
Print Assumptions main_theorem.

(* printed forms that fail: examples of objectives, lem:genbound, lem:optimismhat, thm:main, appendix on CVaR *)
From VerifiedRisk Require Import OneState WeightingsNotLipschitz ClosenessPrintedFalse OptimismPrintedFalse
  MainTheoremPrintedFalse CvarPlannerPrintedFalse.
Print Assumptions var_is_not_continuous.
Print Assumptions cpw_is_not_lipschitz.
Print Assumptions cvar_is_lipschitz.
Print Assumptions closeness_fails_for_y_policies.
Print Assumptions optimism_fails_for_a_given_y_policy.
Print Assumptions printed_regret_theorem_is_false.
Print Assumptions best_action_per_state_is_not_best.
Print Assumptions outer_objective_is_not_concave.
