(** * From the computed table to a certified CVaR and a policy that attains it

    Let pi take at each cell (n, s, b) an action whose computed value was least, with one action per (n, s) beyond the
    largest return still possible (where the linear tail is used).  Its exact shortfall W^pi lies in the same enclosure
    as W:

      W^ (1 - K u)  <=  W  <=  W^pi  <=  W^ / (1 - K u) ,       K = T (nnz + m + 3),  K u < 1.

    Hence, with w(rho) the computed W^ averaged over the initial law, for every level alpha in (0, 1]:
    - the policy pi_rho played with budget rho has  CVaR >= rho - w(rho) / (alpha (1 - K u));
    - every randomised history-dependent policy has  CVaR <= rho - w(rho) (1 - K u) / alpha  at some attainable return
    rho. Ties broken differently in exact arithmetic are harmless. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp RockafellarUryasev
  DynamicProgramming CvarPlanner FloatCertificate.
Import ListNotations.
Open Scope R_scope.

Section Certified.
  Load "setup/StoredModel".
  Variable rmax : R.
  Hypothesis Hrew : rewards_within rmax M.

  (** The action taken with n steps to go, and the exact shortfall of taking these actions. *)
  Variable choice : nat -> S -> R -> A.

  Fixpoint Wpi (n : nat) (s : S) (b : R) : R :=
    match n with
    | O => Rmax 0 b
    | Datatypes.S n' => spend M (Wpi n') s b (choice n s b)
    end.

  Definition budget_policy (rho : R) : y_policy S A := fun t s y => ret (choice (horizon M - t)%nat s (rho - y)).

  (** The table [w] and the actions that attained its minima. *)
  Variable w : nat -> S -> R -> R.

  Definition chosen_cell (n : nat) (s : S) (b z : R) : Prop :=
    exists Q : A -> R, z = min_over Q (acts s) /\
      (forall a, In a (acts s) -> computed_action u P' R' (w n) s b a (Q a)) /\
      In (choice (Datatypes.S n) s b) (acts s) /\ Q (choice (Datatypes.S n) s b) = z.

  Record chosen_table : Prop := {
    chosen_end : forall s b, w O s b = Rmax 0 b;
    chosen_step : forall n s b, chosen_cell n s b (w (Datatypes.S n) s b) \/
      exists b0 z, INR (Datatypes.S n) * rmax <= b0 <= b /\ chosen_cell n s b0 z /\
        rounds u (z + (b - b0)) (w (Datatypes.S n) s b);
    chosen_tail : forall n s b b', INR n * rmax <= b -> INR n * rmax <= b' -> choice n s b = choice n s b'
  }.

  Hypothesis Htable : chosen_table.

  Local Notation K n := (n * (nnz + m + 3))%nat.

  Lemma computed_table_of_chosen : computed_table acts u P' R' rmax w.
  Proof.
    split; [apply Htable|]. intros n s b.
    destruct (chosen_step Htable n s b) as [[Q [H1 [H2 _]]]|[b0 [z [Hb [[Q [H1 [H2 _]]] Hz]]]]].
    - left; exists Q; now split.
    - right; exists b0, z; split; [assumption | split; [|assumption]]. exists Q; now split.
  Qed.

  Lemma Wpi_nonneg n s b : 0 <= Wpi n s b.
  Proof.
    revert s b; induction n as [|n IH]; intros s b; cbn [Wpi]; [apply Rmax_l|].
    apply E_nonneg; [apply (reward_law M HM) | intros r]. apply E_nonneg; [apply (trans_law M HM) | intros; apply IH].
  Qed.

  Lemma choice_listed n s b : In (choice (Datatypes.S n) s b) (acts s).
  Proof.
    destruct (chosen_step Htable n s b) as [[Q [_ [_ [H _]]]]|[b0 [z [Hb [[Q [_ [_ [H _]]]] _]]]]]; [assumption|].
    rewrite (chosen_tail Htable (Datatypes.S n) s b b0); [assumption | lra | lra].
  Qed.

  Lemma W_le_Wpi n s b : W acts M n s b <= Wpi n s b.
  Proof.
    revert s b; induction n as [|n IH]; intros s b; cbn [W Wpi]; [lra|].
    eapply Rle_trans; [apply min_over_le, choice_listed|].
    apply E_le; [apply (reward_law M HM) | intros r]. apply E_le; [apply (trans_law M HM) | intros; apply IH].
  Qed.

  Lemma Wpi_linear_tail n s b0 b : INR n * rmax <= b0 <= b -> Wpi n s b = Wpi n s b0 + (b - b0).
  Proof.
    revert s b0 b; induction n as [|n IH]; intros s b0 b Hb; cbn [Wpi].
    - simpl in Hb; rewrite !Rmax_right by lra; ring.
    - rewrite (chosen_tail Htable (Datatypes.S n) s b b0) by lra. set (a := choice (Datatypes.S n) s b0).
      rewrite S_INR in Hb. unfold spend. rewrite <- (E_const (reward M s a) (b - b0)) by apply (reward_law M HM).
      rewrite <- E_plus; apply E_ext_as; intros r p Hin Hp. pose proof (Hrew s a r p Hin Hp); simpl in *.
      rewrite <- (E_const (trans M s a) (b - b0)) by apply (trans_law M HM).
      rewrite <- E_plus; apply E_ext; intros s'. rewrite (IH s' (b0 - r) (b - r)) by lra. ring.
  Qed.

  Lemma chosen_cell_near n k s b z :
    (forall s' c, within_roundings u k (Wpi n s' c) (w n s' c)) -> chosen_cell n s b z ->
      within_roundings u (k + nnz + m + 2) (Wpi (Datatypes.S n) s b) z.
  Proof.
    intros Hw [Q [_ [HQ [Hin Hz]]]]; cbn [Wpi]. rewrite <- Hz.
    apply computed_action_near with P' R' (w n); auto. intros; apply Wpi_nonneg.
  Qed.

  Lemma chosen_policy_near n s b : within_roundings u (K n) (Wpi n s b) (w n s b).
  Proof.
    revert s b; induction n as [|n IH]; intros s b; [rewrite (chosen_end Htable); apply near_refl|].
    destruct (chosen_step Htable n s b) as [Hc|[b0 [z [Hb [Hc Hz]]]]]; apply (chosen_cell_near n (K n) _ _ _ IH) in Hc.
    - apply near_weaken with (K n + nnz + m + 2)%nat; [assumption | apply Wpi_nonneg | simpl; lia | assumption].
    - pose proof (Wpi_nonneg (Datatypes.S n) s b0). rewrite (Wpi_linear_tail (Datatypes.S n) s b0 b Hb).
      replace (K (Datatypes.S n)) with (Datatypes.S (K n + nnz + m + 2)) by (simpl; lia).
      apply near_round with (z + (b - b0)); [assumption | lra | | assumption].
      apply near_plus; [assumption|]. apply near_weaken with 0%nat; [assumption | lra | lia | apply near_refl].
  Qed.

  (** Given: as computed_budget_within_gamma; the action whose computed value was least.
      Differs: a standard model of rounding.
      In words: 05-certificates.md#float-policy.
      Step of: production/plan. *)
  Theorem chosen_policy_within_gamma n s b :
    INR (K n) * u < 1 ->
    w n s b * (1 - INR (K n) * u) <= W acts M n s b /\ W acts M n s b <= Wpi n s b /\
    Wpi n s b <= w n s b / (1 - INR (K n) * u).
  Proof.
    intros HK. split; [|split; [apply W_le_Wpi|]].
    - apply (computed_budget_within_gamma acts M u P' R' nnz m Hacts HM Hu HP HR Hnnz Hm rmax w n s b Hrew
        computed_table_of_chosen HK).
    - apply (near_within_gamma u Hu (K n) _ _ (Wpi_nonneg n s b) HK (chosen_policy_near n s b)).
  Qed.

  (** ** The policy *)

  Lemma is_y_policy_budget rho : is_y_policy (budget_policy rho).
  Proof. intros t s y; apply law_ret. Qed.

  Lemma run_eq_Wpi rho n h :
    (n + time h = horizon M)%nat ->
    E (run M (of_y_policy (budget_policy rho)) n h) (fun h' => Rmax 0 (rho - collected h')) =
      Wpi n (state h) (rho - collected h).
  Proof.
    revert h; induction n as [|n IH]; intros h Hn; [simpl; ring|].
    rewrite E_run_S, E_step. unfold of_y_policy at 1, budget_policy at 1. rewrite E_ret.
    replace (horizon M - time h)%nat with (Datatypes.S n) by lia. cbn [Wpi]; unfold spend.
    apply E_ext; intros r; apply E_ext; intros s'. rewrite IH by (rewrite time_extend; lia).
    rewrite state_extend, collected_extend. f_equal; ring.
  Qed.

  Theorem shortfall_of_budget_policy rho :
    shortfall (return_law M (of_y_policy (budget_policy rho))) rho = E (init M) (fun s => Wpi (horizon M) s rho).
  Proof.
    unfold shortfall. rewrite E_return_law, E_history_law_from_start. apply E_ext; intros s.
    rewrite run_eq_Wpi by (unfold time; simpl; lia). now rewrite collected_start, Rminus_0_r.
  Qed.

  Variable alpha : R.
  Hypothesis Halpha : 0 < alpha <= 1.

  Let KT : nat := K (horizon M).
  Hypothesis HKT : INR KT * u < 1.

  (** Given: as computed_budget_within_gamma, 0 < alpha <= 1.
      Differs: a standard model of rounding.
      In words: 05-certificates.md#float-cvar.
      Step of: production/plan. *)
  Theorem certified_cvar_of_policy rho :
    rho - E (init M) (fun s => w (horizon M) s rho) / (1 - INR KT * u) / alpha <=
    value (cvar_weight alpha) M (of_y_policy (budget_policy rho)).
  Proof.
    eapply Rle_trans; [|apply (ru_le_cvar alpha _ Halpha) with (rho := rho);
      apply law_return; [assumption | apply is_policy_of_y_policy, is_y_policy_budget]].
    unfold ru. rewrite shortfall_of_budget_policy.
    apply Rplus_le_compat_l, Ropp_le_contravar, div_le_div; [lra|].
    unfold Rdiv; rewrite <- E_scal_r. apply E_le; [apply HM | intros s].
    now apply chosen_policy_within_gamma.
  Qed.

  (** Given: as computed_budget_within_gamma, every randomised history-dependent policy.
      Differs: a standard model of rounding.
      In words: 05-certificates.md#float-cvar.
      Step of: production/plan. *)
  Theorem certified_upper_bound pi :
    is_policy pi -> allowed acts M pi ->
    exists rho, In rho (candidates acts M) /\
      value (cvar_weight alpha) M pi <= rho - E (init M) (fun s => w (horizon M) s rho) * (1 - INR KT * u) / alpha.
  Proof.
    intros Hpi Hal. destruct (cvar_le_J_at_candidate acts M HM alpha Halpha pi Hpi Hal) as [rho [Hin Hle]].
    exists rho; split; [assumption|]. eapply Rle_trans; [exact Hle|]. unfold J.
    apply Rplus_le_compat_l, Ropp_le_contravar, div_le_div; [lra|].
    rewrite <- E_scal_r. apply E_le; [apply HM | intros s]. now apply chosen_policy_within_gamma.
  Qed.
End Certified.
