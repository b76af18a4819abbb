(** * Policies of time and state: optimism policy by policy, and regret for every Lipschitz weighting

    A policy that sees only (t, s) satisfies  F_{Z^} <= F_Z  on the event, hence  Phi^(pi) >= Phi(pi)  for every
    weighting: for these policies lem:optimismhat holds as printed.

    Let the learner play, in each episode, a policy of (t, s) within w of the best such policy of the optimistic model,
    and let [best] be the supremum of Phi over the policies of (t, s) of M.  For every L-Lipschitz weighting G, concave
    or not, the bounds of [OptimisticLearner.v] hold:

      (i)   E regret  <=  L C + K w + delta K T ;
      (ii)  regret  <=  L e/(e-1) ( C + T(T+1)/2 ln(1/delta) ) + K w    with probability at least 1 - 2 delta. *)

Require Import Reals Lra Lia List FunctionalExtensionality.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp DynamicProgramming SupportingUtility
  Telescoping LawDistances ClosenessGreedy ClosenessMarkov QuantileCoupling OptimisticModel Optimism ClosenessOptimistic
  HoeffdingFinite DkwFinite MartingaleStep EventHolds RegretAssembly OptimisticLearner.
Import ListNotations.
Open Scope R_scope.

(** ** Optimism policy by policy *)

Section Optimism.
  Load "setup/Event".
  Variable pi : markov_policy (option S) A.
  Hypothesis Hpi : is_markov_policy pi.

  Let M' : mdp (option S) A := optimistic state_dec states M Pt Rt eps.
  Let Ml : mdp (option S) A := lift M.

  Section Below.
    Variable f : R -> R.
    Hypothesis Hf : forall x y, x <= y -> f y <= f x.

    (** The expectations of f(y + what is to come) in the two models. *)
    Let Uo : nat -> option S -> R -> R := U Ml M' pi f.
    Let Ut : nat -> option S -> R -> R := U Ml Ml pi f.

    Lemma Uo_None n y : Uo n None y = f (INR n + y).
    Proof.
      revert y; induction n as [|n IH]; intros y; unfold Uo in *; cbn [U]; [simpl; f_equal; ring|].
      rewrite (E_ext _ _ (fun _ => f (INR (Datatypes.S n) + y))); [apply E_const, Hpi|].
      intros a; unfold backup; simpl reward; simpl trans. rewrite !E_ret, IH, S_INR. f_equal; ring.
    Qed.

    Lemma Ut_step n s y :
      Ut (Datatypes.S n) (Some s) y = E (pi (horizon Ml - Datatypes.S n)%nat (Some s)) (fun a =>
        E (reward M s a) (fun r => E (trans M s a) (fun s' => Ut n (Some s') (r + y)))).
    Proof.
      unfold Ut; cbn [U]; apply E_ext; intros a; unfold backup; simpl reward. apply E_ext; intros r.
      simpl trans. now rewrite E_image.
    Qed.

    Lemma Ut_antitone n s x y : x <= y -> Ut n (Some s) y <= Ut n (Some s) x.
    Proof.
      revert s x y; induction n as [|n IH]; intros s x y Hxy; [now apply Hf|]. rewrite !Ut_step.
      apply E_le; [apply Hpi | intros a]. apply E_le; [now apply reward_law | intros r].
      apply E_le; [now apply trans_law | intros s']. apply IH; lra.
    Qed.

    Lemma Ut_ge n s y : f (INR n + y) <= Ut n (Some s) y.
    Proof.
      revert s y; induction n as [|n IH]; intros s y; [unfold Ut; simpl; right; f_equal; ring|]. rewrite Ut_step, S_INR.
      apply E_ge_const; [apply Hpi | apply as_always; intros a]. apply E_ge_const; [now apply reward_law|].
      generalize (Hrew s a); apply as_impl; intros r Hr.
      apply E_ge_const; [now apply trans_law | apply as_always; intros s'].
      eapply Rle_trans; [|apply IH]. apply Hf; lra.
    Qed.

    (** Dominated rewards and mass moved to s_inf lower the expectation of a nonincreasing function. *)
    Lemma Uo_le_Ut n s y : Uo n (Some s) y <= Ut n (Some s) y.
    Proof.
      revert s y; induction n as [|n IH]; intros s y; [unfold Uo, Ut; simpl; lra|]. rewrite Ut_step.
      unfold Uo; cbn [U]; fold Uo. apply E_le; [apply Hpi | intros a]. unfold backup.
      set (g := fun r => E (trans M s a) (fun s' => Ut n (Some s') (r + y))).
      apply Rle_trans with (E (raise (eps s a) (Rt s a)) g).
      - simpl reward. apply E_le; [apply law_raise; apply Hest | intros r]. unfold g, M'; rewrite E_optimistic_trans.
        rewrite (E_sum_mass state_dec states (trans M s a) _ Hnodup Hall).
        unfold jump. rewrite <- (sum_mass state_dec states Hnodup Hall (trans M s a)) by now apply trans_law.
        rewrite <- sum_minus, Rmult_comm, <- sum_scal, <- sum_plus. apply sum_le; intros s' _.
        fold Uo; rewrite Uo_None.
        pose proof (low_le_true state_dec M Pt eps HM s a s' HP) as Hlow.
        pose proof (Rmax_l 0 (mass state_dec (Pt s a) s' - eps s a)) as Hl0.
        fold (low state_dec Pt eps s a s') in Hl0. pose proof (Ut_ge n s' (r + y)). specialize (IH s' (r + y)).
        pose proof (Rmult_le_compat_r (mass state_dec (trans M s a) s' - low state_dec Pt eps s a s') _ _ ltac:(lra) H).
        pose proof (Rmult_le_compat_l (low state_dec Pt eps s a s') _ _ Hl0 IH). lra.
      - destruct (quantile_coupling_spec (reward M s a) (raise (eps s a) (Rt s a)) (reward_law M HM s a)
          (law_raise (eps s a) (Rt s a) (eps_nonneg _ _ _ Hest s a) (Rt_law _ _ _ Hest s a))) as [H1 [H2 [H3 H4]]].
        rewrite <- H2, <- H3. apply E_le_as; [apply H1|].
        assert (Hdom : forall x, cdf (raise (eps s a) (Rt s a)) x <= cdf (reward M s a) x)
          by (intros x; now apply cdf_optimistic_le with (Pt := Pt)).
        generalize (H4 Hdom); apply as_impl; intros [r r'] Hr; simpl in Hr |- *. unfold g.
        apply E_le; [now apply trans_law | intros s']. apply Ut_antitone; lra.
    Qed.
  End Below.

  Let p : policy (option S) A := of_markov_policy pi.

  (** Given: the event; rewards in [0, 1], any policy of (t, s).
      Differs: finite laws.
      In words: 06-event-and-optimism.md#optimism-markov. *)
  Theorem markov_return_dominates x : cdf (return_law M' p) x <= cdf (return_law M (played p)) x.
  Proof.
    assert (Hp : is_policy p) by now apply is_policy_of_markov_policy.
    unfold cdf. rewrite <- (E_return_lift M p). fold Ml.
    set (f := fun z => ind (Rle_dec z x)).
    assert (Hf : forall a b, a <= b -> f b <= f a) by (intros; apply ind_le; lra).
    rewrite !E_return_law, !E_history_law_from_start. simpl init; rewrite !E_image. simpl horizon.
    apply E_le; [apply HM | intros s].
    pose proof (run_eq_U Ml M' eq_refl pi f (horizon M) (start (Some s)) ltac:(unfold time; simpl; lia)) as E1.
    pose proof (run_eq_U Ml Ml eq_refl pi f (horizon M) (start (Some s)) ltac:(unfold time; simpl; lia)) as E2.
    unfold p; rewrite E1, E2. now apply Uo_le_Ut.
  Qed.

  (** Given: the event; rewards in [0, 1], any policy of (t, s), any G as in the key identity.
      Differs: finite laws. *)
  Theorem markov_optimism G : weighting G -> value G M (played p) <= value G M' p.
  Proof.
    intros HG. assert (Hp : is_policy p) by now apply is_policy_of_markov_policy.
    apply Phi_antitone_in_cdf; [assumption | | | apply markov_return_dominates].
    - apply law_return; [assumption | now apply is_policy_played].
    - apply law_return; [now apply is_mdp_optimistic | assumption].
  Qed.

  (** Given: the event; rewards in [0, 1], any policy of (t, s), G L-Lipschitz.
      Differs: for lem:fullbound the upper bound; the lower one is markov_optimism.
      In words: 08-regret.md#markov-class.
      Step of: class/markov. *)
  Theorem markov_optimistic_close G L :
    weighting G -> lipschitz_weighting G L ->
    value G M' p - value G M (played p) <= L * expected_cost M (played p) (visit_radius states eps).
  Proof.
    intros HG HGL. assert (Hp : is_policy p) by now apply is_policy_of_markov_policy.
    assert (HM' : is_mdp M') by now apply is_mdp_optimistic.
    assert (HMl : is_mdp Ml) by now apply is_mdp_lift.
    set (dR := fun (s : option S) a => match s with Some s => Rmin 1 (2 * eps s a) | None => 0 end).
    assert (HdR : forall s a x, Rabs (cdf (reward Ml s a) x - cdf (reward M' s a) x) <= dR s a).
    { intros [s|] a x.
      - change (Rabs (cdf (reward M s a) x - cdf (raise (eps s a) (Rt s a)) x) <= Rmin 1 (2 * eps s a)).
        pose proof (cdf_optimistic_le M Pt Rt eps HM Hest Hrew s a x HR).
        pose proof (cdf_optimistic_ge M Pt Rt eps HM Hest s a x HR). rewrite Rabs_right; lra.
      - simpl. rewrite Rminus_eq_0, Rabs_R0; lra. }
    pose proof (markov_value_close Ml M' HMl HM' eq_refl eq_refl pi Hpi (lift_rewards_within M Hrew)
      (optimistic_rewards_within state_dec states M Pt Rt eps Hest) (jumps state_dec states Pt eps) dR
      (all_transitions_close state_dec states Hnodup Hall M Pt Rt eps HM Hest HP) G L HdR HG HGL) as Hclose.
    fold p in Hclose. unfold Ml in Hclose; rewrite expected_cost_lift, value_lift in Hclose by assumption.
    pose proof (Rle_trans _ _ _ (Rle_abs _) Hclose) as Hc. eapply Rle_trans; [exact Hc|].
    apply Rmult_le_compat_l; [now apply (lipschitz_nonneg G)|].
    apply expected_cost_le; [assumption | now apply is_policy_played |]. intros n s a _. unfold visit_radius; simpl.
    rewrite Rplus_comm. apply Rplus_le_compat_r, Rmult_le_compat_l; [apply pos_INR|].
    now apply (jump_le state_dec states Hnodup Hall Pt Rt eps Hest).
  Qed.
End Optimism.

(** ** Regret among policies of time and state *)

Section Learner.
  Load "setup/FiniteWorld".
  Variables (K : nat) (delta : R).
  Hypothesis Hdelta : 0 < delta.
  Hypothesis Hlog : 0 < log_term M states actions K delta.
  Variables (G : R -> R) (L w best : R).
  Hypothesis HG : weighting G.
  Hypothesis HGL : lipschitz_weighting G L.
  Hypothesis Hw : 0 <= w.

  Local Notation model := (optimistic_model state_dec action_dec states actions M K delta).
  Local Notation acts' := (optimistic_acts states acts).

  Definition markov_allowed {X} (ok : X -> list A) (pi : markov_policy X A) : Prop :=
    forall t x, almost_surely (pi t x) (fun a => In a (ok x)).

  (** The planner: within w of the best policy of (t, s) of the optimistic model. *)
  Variable planned : list (history S A) -> markov_policy (option S) A.
  Hypothesis Hplanned : forall past, is_markov_policy (planned past).
  Hypothesis Hmax : forall past pi, is_markov_policy pi -> markov_allowed acts' pi ->
    value G (model past) (of_markov_policy pi) <= value G (model past) (of_markov_policy (planned past)) + w.

  Definition markov_learner (past : list (history S A)) : policy S A := played (of_markov_policy (planned past)).

  Hypothesis Hbest :
    is_lub (fun x => exists pi : markov_policy S A, is_markov_policy pi /\ markov_allowed acts pi /\
                     x = value G M (of_markov_policy pi)) best.

  (** Any policy of (t, s) of M, continued at s_inf. *)
  Lemma markov_extension (pi : markov_policy S A) :
    is_markov_policy pi -> markov_allowed acts pi ->
    exists pi' : markov_policy (option S) A,
      is_markov_policy pi' /\ markov_allowed acts' pi' /\ played (of_markov_policy pi') = of_markov_policy pi.
  Proof.
    intros Hpi Hal. pose proof (optimistic_acts_nonempty states Hall M HM acts Hacts None) as Hne.
    destruct (optimistic_acts states acts None) as [|a0 l] eqn:Ha0; [congruence|].
    exists (fun t s => match s with Some s => pi t s | None => ret a0 end). split; [|split].
    - intros t [s|]; [apply Hpi | apply law_ret].
    - intros t [s|]; [apply Hal | apply as_ret; rewrite Ha0; now left].
    - apply functional_extensionality; intros h. unfold played, of_markov_policy, lift_history, time; simpl.
      now rewrite map_length.
  Qed.

  Lemma is_policy_markov_learner past : is_policy (markov_learner past).
  Proof. now apply is_policy_played, is_policy_of_markov_policy. Qed.

  Lemma markov_episode_loss past :
    confident state_dec action_dec M states actions (radius M states actions K delta) past ->
    best - value G M (markov_learner past) <=
    L * expected_cost M (markov_learner past) (cost state_dec action_dec M states actions K delta past) + w.
  Proof.
    intros Hconf. pose proof (lipschitz_nonneg G L HG HGL) as HL.
    pose proof (known_estimates state_dec action_dec states actions M K delta past) as Hest.
    pose proof (confident_hoeffding state_dec action_dec states actions Hall Hall_actions M HM K delta past Hconf)
      as HP.
    pose proof (confident_dkw state_dec action_dec states actions Hall Hall_actions M HM Hrew K delta past Hconf) as HR.
    enough (best <= value G M (markov_learner past) +
      (L * expected_cost M (markov_learner past) (cost state_dec action_dec M states actions K delta past) + w)) by lra.
    apply Hbest. intros x [pi [Hpi [Hal ->]]].
    destruct (markov_extension pi Hpi Hal) as [pi' [Hpi' [Hal' Heq]]]. rewrite <- Heq.
    pose proof (markov_optimism state_dec states Hstates Hall M _ _ _ HM Hrew Hest HP HR pi' Hpi' G HG) as H1.
    specialize (Hmax past pi' Hpi' Hal').
    pose proof (markov_optimistic_close state_dec states Hstates Hall M _ _ _ HM Hrew Hest HP HR (planned past)
      (Hplanned past)
      G L HG HGL) as H2. fold (markov_learner past) in H2.
    pose proof (known_radius_cost state_dec action_dec states actions M HM K delta past (markov_learner past)
      (is_policy_markov_learner past)) as Hc. pose proof (Rmult_le_compat_l L _ _ HL Hc).
      unfold optimistic_model in Hmax. lra.
  Qed.

  Lemma markov_best_le_horizon : best <= INR (horizon M).
  Proof.
    apply Hbest; intros x [pi [Hpi [_ ->]]]. rewrite <- (Rmult_1_r (INR (horizon M))).
    assert (Hp : is_policy (of_markov_policy pi)) by now apply is_policy_of_markov_policy.
    apply (Phi_range G HG (return_law M (of_markov_policy pi)) 0); [now apply law_return | now apply return_within].
  Qed.

  (** Given: learner and comparator restricted to policies of (t, s); any L-Lipschitz G.
      Step of: class/markov. *)
  Theorem markov_learner_expected_regret :
    E (episodes M markov_learner K) (regret M markov_learner G best) <=
    L * C M states actions K delta + INR K * w + delta * INR K * INR (horizon M).
  Proof.
    apply (expected_regret_le state_dec action_dec);
      eauto using is_policy_markov_learner, as_always, lipschitz_nonneg, markov_best_le_horizon, markov_episode_loss.
  Qed.

  (** Given: as markov_learner_expected_regret.
      Step of: class/markov. *)
  Theorem markov_learner_regret_with_high_probability :
    prob (episodes M markov_learner K) (fun path =>
      Rlt_dec (L * (exp 1 / (exp 1 - 1) * (C M states actions K delta + B M * ln (/ delta))) + INR K * w)
              (regret M markov_learner G best path)) <= 2 * delta.
  Proof.
    apply (regret_le_with_high_probability state_dec action_dec);
      eauto using is_policy_markov_learner, as_always, lipschitz_nonneg, markov_episode_loss.
  Qed.
End Learner.
