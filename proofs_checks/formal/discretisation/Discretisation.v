(** * Rounding rewards up to a grid costs at most T eta
      (paper: thm:discretized, lem:pihatcdfbound, lem:pihatphibound, lem:picdfbound, lem:piphibound)

    Let hat-M be M with every reward rounded up to the grid eta Z.  A policy of hat-M is adapted to M by feeding it the
    history with rounded rewards; for a y-policy this is hat-pi(t, s, y + alpha), where alpha adds up phi(r) - r.  Then

      along every history of T >= 1 steps       Z^ - T eta  <  Z  <=  Z^,
      F_Z^(x) <= F_Z(x) <= F_Z^(x + T eta)      for the adapted policy,
      Phi_M(adapted)  >=  Phi_hat-M(hat-pi) - T eta,
      Phi_M(pi)  <=  Phi_hat-M(some y-policy)   for every policy pi of M,

    hence an optimal hat-pi, adapted, loses at most T eta against every history-dependent policy of M.  Rewards may be
    any reals.  The paper prints eta for T eta; see [DiscretisationPrintedFalse.v]. *)

Require Import Reals Lra List ZArith.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp Summary RoundingRule.
Import ListNotations.
Open Scope R_scope.

(** ** Rounding up *)

Definition ceiling (x : R) : Z := (1 - up (- x))%Z.

Lemma ceiling_spec x : x <= IZR (ceiling x) < x + 1.
Proof. unfold ceiling; rewrite minus_IZR; destruct (archimed (- x)); lra. Qed.

Definition round_up (eta r : R) : R := eta * IZR (ceiling (r / eta)).

Lemma round_up_spec eta r : 0 < eta -> r <= round_up eta r < r + eta.
Proof.
  intros Heta; unfold round_up; destruct (ceiling_spec (r / eta)) as [H1 H2].
  apply (Rmult_le_compat_l eta) in H1; [|lra]. apply (Rmult_lt_compat_l eta) in H2; [|lra].
  replace (eta * (r / eta + 1)) with (r + eta) in H2 by (field; lra).
  replace (eta * (r / eta)) with r in H1 by (field; lra). lra.
Qed.

(** A value on the grid stays, and a value between two grid points goes to the upper one. *)
Lemma round_up_eq eta r k : 0 < eta -> eta * (IZR k - 1) < r <= eta * IZR k -> round_up eta r = eta * IZR k.
Proof.
  intros Heta Hr; unfold round_up; f_equal; f_equal.
  destruct (ceiling_spec (r / eta)) as [H1 H2].
  assert (Hk : IZR k - 1 < r / eta <= IZR k).
  { split.
    - apply Rmult_lt_reg_l with eta; [assumption|]. replace (eta * (r / eta)) with r by (field; lra). lra.
    - apply Rmult_le_reg_l with eta; [assumption|]. replace (eta * (r / eta)) with r by (field; lra). lra. }
  apply Z.le_antisymm; apply Z.lt_succ_r; apply lt_IZR; rewrite succ_IZR; lra.
Qed.

Section Discretisation.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Variable eta : R.
  Hypothesis Heta : 0 < eta.

  (** Every reward is rounded up, whatever the state. *)
  Local Notation phi := (fun _ : S => round_up eta).

  Definition discretise (M : mdp S A) : mdp S A := replaced phi M.
  Definition adapt (hat : policy S A) : policy S A := adapted phi hat.

  Lemma is_mdp_discretise M : is_mdp M -> is_mdp (discretise M).
  Proof. apply is_mdp_replaced. Qed.

  Lemma is_policy_adapt hat : is_policy hat -> is_policy (adapt hat).
  Proof. apply is_policy_adapted. Qed.

  (** For y-policies the adaptation is hat-pi(t, s, y + alpha), alpha the overshoot so far. *)
  Lemma adapt_y_policy (hat : y_policy S A) h :
    adapt (of_y_policy hat) h = hat (time h) (state h) (collected h + overshoot phi h).
  Proof. apply adapted_y_policy. Qed.

  (** ** Pathwise bounds *)

  Lemma recorded_bounds (h : history S A) :
    recorded phi h - INR (time h) * eta <= collected h <= recorded phi h.
  Proof.
    destruct h as [past s]; unfold collected, recorded, time; simpl.
    induction past as [|step past IH]; [simpl; lra|].
    cbn [fold_right length]; rewrite S_INR. pose proof (round_up_spec eta (snd step) Heta). lra.
  Qed.

  (** Given: eta > 0, rewards any reals, every history with at least one step.
      Differs: the pathwise half. *)
  Theorem return_within_T_eta (h : history S A) :
    (1 <= time h)%nat -> recorded phi h - INR (time h) * eta < collected h <= recorded phi h.
  Proof.
    destruct h as [[|step past] s]; unfold time; simpl length; [intros H; inversion H | intros _].
    pose proof (recorded_bounds (past, s)) as H. unfold collected, recorded, time in *; simpl fst in *.
    cbn [fold_right]. rewrite S_INR. pose proof (round_up_spec eta (snd step) Heta). lra.
  Qed.

  (** The discretised process under hat-pi is the rounded process under the adapted policy.
      Given: any MDP with finite laws, any policy of the rounded model, eta > 0.
      Differs: the law of the believed total. *)
  Theorem rounded_history_law M hat t f :
    E (history_law (discretise M) hat t) f = E (history_law M (adapt hat) t) (fun h => f (replaced_history phi h)).
  Proof. apply replaced_history_law. Qed.

  Load "setup/Model".
  Local Notation T := (INR (horizon M)).

  Lemma overshoot_within_T_eta pi :
    is_policy pi -> almost_surely (history_law M pi (horizon M)) (fun h => 0 <= overshoot phi h <= T * eta).
  Proof.
    intros _. generalize (history_time M pi (horizon M)); apply as_impl; intros h Hh.
    pose proof (recorded_bounds h) as Hb. rewrite Hh in Hb. unfold overshoot; lra.
  Qed.

  (** ** The distribution functions and the objective *)

  (** lem:pihatcdfbound, all T steps at once.
      Given: any MDP with finite laws, any policy of the rounded model, eta > 0.
      Differs: all steps rounded at once, T eta in place of eta.
      Step of: lem:pihatcdfbound/before. *)
  Theorem adapted_cdf_bounds hat x :
    is_policy hat ->
    cdf (return_law (discretise M) hat) x <= cdf (return_law M (adapt hat)) x /\
    cdf (return_law M (adapt hat)) x <= cdf (return_law (discretise M) hat) (x + T * eta).
  Proof. now apply adapted_cdf_between, overshoot_within_T_eta. Qed.

  (** lem:pihatphibound, all steps at once.
      Given: any MDP with finite laws, any policy of the rounded model, eta > 0; G as in the key identity.
      Differs: all steps rounded at once, T eta in place of eta.
      In words: 03-discretisation.md#adapt-down.
      Step of: thm:discretized. *)
  Theorem adapted_value_ge G hat :
    weighting G -> is_policy hat ->
    value G (discretise M) hat - T * eta <= value G M (adapt hat) <= value G (discretise M) hat.
  Proof. intros HG; now apply adapted_value_between; [|apply overshoot_within_T_eta|]. Qed.

  (** lem:picdfbound and lem:piphibound: hat-M does at least as well as M, already with y-policies.
      Given: any MDP with finite laws, any randomised history-dependent policy, eta > 0.
      Differs: all steps rounded at once.
      Step of: lem:picdfbound/before. *)
  Theorem discretised_cdf_le pi x :
    is_policy pi ->
    cdf (return_law (discretise M) (of_y_policy (conditioned state_dec phi M pi))) x <= cdf (return_law M pi) x.
  Proof. now apply conditioned_cdf_le with (T * eta), overshoot_within_T_eta. Qed.

  (** Given: any MDP with finite laws, any randomised history-dependent policy, eta > 0; G as in the key identity.
      Differs: all steps rounded at once.
      In words: 03-discretisation.md#adapt-up.
      Step of: thm:discretized, lem:piphibound. *)
  Theorem discretised_value_ge G pi :
    weighting G -> is_policy pi ->
    value G M pi <= value G (discretise M) (of_y_policy (conditioned state_dec phi M pi)).
  Proof. intros HG; now apply conditioned_value_ge with (T * eta); [|apply overshoot_within_T_eta|]. Qed.

  (** thm:discretized with T eta: hat-pi need only be optimal among the y-policies of hat-M.
      Given: eta > 0, any G as in the key identity; the rounded policy is optimal among y-policies of the rounded
      model.
      Differs: one inequality of the chain.
      Step of: thm:discretized. *)
  Theorem adapted_optimal_loses_at_most_T_eta G hat :
    weighting G -> is_policy hat ->
    (forall pi, is_y_policy pi -> value G (discretise M) (of_y_policy pi) <= value G (discretise M) hat) ->
    forall pi, is_policy pi -> value G M pi - T * eta <= value G M (adapt hat).
  Proof.
    intros HG Hhat Hopt. apply (adapted_optimal_loses_at_most_b state_dec phi M HM); auto. apply overshoot_within_T_eta.
  Qed.
End Discretisation.
