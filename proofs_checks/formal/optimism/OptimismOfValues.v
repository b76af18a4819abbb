(** * Optimism of the best values, and of greedy policies      (L1; paper: lem:optimismhat)

    On the event the supremum of Phi over the optimistic model is at least that over the true one, for every weighting;
    for concave Lipschitz G both are attained, so the maxima are ordered.  And a policy that is greedy in M at every (t,
    s, y) for a utility h that supports the optimistic objective does at least as well, measured by Phi, in the
    optimistic model. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp DynamicProgramming SupportingUtility
  QuantileCoupling ClosenessGreedy OptimisticModel Optimism ClosenessOptimistic ConcavePlanner PlannerError.
Import ListNotations.
Open Scope R_scope.

Section Values.
  Load "setup/Event".
  Variable acts : S -> list A.
  Hypothesis Hacts : forall s, acts s <> [].
  Variable G : R -> R.
  Hypothesis HG : weighting G.

  Let M' : mdp (option S) A := optimistic state_dec states M Pt Rt eps.
  Let acts' : option S -> list A := optimistic_acts states acts.
  Local Notation values N ok := (fun x => exists pi, is_policy pi /\ allowed ok N pi /\ x = value G N pi).

  (** Suprema, for every weighting.
      Given: the event; rewards in [0, 1], any G as in the key identity.
      Differs: suprema, which need not be attained; finite laws.
      In words: 06-event-and-optimism.md#L1. *)
  Theorem optimistic_supremum_dominates best hat_best :
    is_lub (values M acts) best -> is_lub (values M' acts') hat_best -> best <= hat_best.
  Proof.
    intros [_ Hleast] [Hub _]. apply Hleast. intros x [pi [Hpi [Hal ->]]].
    destruct (optimistic_policy_dominates state_dec states Hnodup Hall M Pt Rt eps HM Hrew Hest HP HR acts Hacts pi Hpi
      Hal)
      as [pi' [Hyp [Hal' [_ Hv]]]].
    eapply Rle_trans; [apply (Hv G HG)|]. apply Hub. exists (of_y_policy pi').
    split; [now apply is_policy_of_y_policy | split; [assumption | reflexivity]].
  Qed.

  Lemma is_mdp_M' : is_mdp M'.
  Proof. now apply is_mdp_optimistic. Qed.

  Lemma within_M' : rewards_within 1 M'.
  Proof. now apply optimistic_rewards_within. Qed.

  (** Maxima, for concave Lipschitz weightings.
      Given: as optimistic_supremum_dominates, G concave and L-Lipschitz.
      Differs: maxima, attained in both models.
      In words: 06-event-and-optimism.md#L1. *)
  Theorem optimistic_maximum_dominates L :
    lipschitz_weighting G L -> concave_weighting G ->
    exists pi hat, is_policy pi /\ allowed acts M pi /\ is_policy hat /\ allowed acts' M' hat /\
      (forall p, is_policy p -> allowed acts M p -> value G M p <= value G M pi) /\
      (forall p, is_policy p -> allowed acts' M' p -> value G M' p <= value G M' hat) /\
      value G M pi <= value G M' hat.
  Proof.
    intros HGL HGc.
    assert (Hne : forall s, acts' s <> []) by now apply (optimistic_acts_nonempty states Hall M HM acts Hacts).
    set (pi := of_y_policy (greedy acts M (best_utility acts M G))).
    set (hat := of_y_policy (greedy acts' M' (best_utility acts' M' G))).
    assert (Hpi : is_policy pi) by now apply is_policy_of_y_policy, is_y_policy_greedy.
    assert (Hhat : is_policy hat) by now apply is_policy_of_y_policy, is_y_policy_greedy.
    assert (Hg : is_greedy acts M (best_utility acts M G) pi) by now apply greedy_is_greedy.
    assert (Hg' : is_greedy acts' M' (best_utility acts' M' G) hat) by now apply greedy_is_greedy.
    pose proof (is_greedy_allowed acts M _ pi Hg) as Hal. pose proof (is_greedy_allowed acts' M' _ hat Hg') as Hal'.
    destruct (concave_planner_correct acts M Hacts HM G L HG HGL HGc Hrew pi Hpi Hg) as [_ Hmax].
    destruct (concave_planner_correct acts' M' Hne is_mdp_M' G L HG HGL HGc within_M' hat Hhat Hg') as [_ Hmax'].
    exists pi, hat. do 6 (split; [assumption|]).
    destruct (optimistic_policy_dominates state_dec states Hnodup Hall M Pt Rt eps HM Hrew Hest HP HR acts Hacts pi Hpi
      Hal)
      as [pi' [Hyp [Hal'' [_ Hv]]]].
    eapply Rle_trans; [apply (Hv G HG)|]. apply Hmax'; [now apply is_policy_of_y_policy | assumption].
  Qed.

  (** ** Greedy policies *)

  Section Greedy.
    Variable L : R.
    Hypothesis HL : 0 <= L.
    Variable h : R -> R.
    Hypothesis Hh : is_utility L h.
    Variable pi : y_policy (option S) A.
    Hypothesis Hpi : is_y_policy pi.
    (** At the ordinary states the policy is greedy for h in M, at every (t, s, y); at s_inf it may do anything. *)
    Hypothesis Hgreedy : forall n s y, (n < horizon M)%nat ->
      almost_surely (pi (horizon M - Datatypes.S n)%nat (Some s) y)
        (fun a => V acts M h (Datatypes.S n) s y = backup M (V acts M h n) s y a).

    (** The expected utility of the rest, played in the optimistic model. *)
    Fixpoint U_of_policy (n : nat) (s : option S) (y : R) : R :=
      match n with
      | O => h y
      | Datatypes.S n' => E (pi (horizon M - n)%nat s y) (backup M' (U_of_policy n') s y)
      end.

    Lemma run_eq_W n g : (n + time g = horizon M)%nat ->
      E (run M' (of_y_policy pi) n g) (fun g' => h (collected g')) = U_of_policy n (state g) (collected g).
    Proof.
      revert g; induction n as [|n IH]; intros g Hn; [simpl; ring|].
      rewrite E_run_S, E_step; cbn [U_of_policy]; unfold of_y_policy at 1.
      replace (horizon M - Datatypes.S n)%nat with (time g) by lia.
      apply E_ext; intros a; unfold backup. apply E_ext; intros r; apply E_ext; intros s'.
      rewrite IH; [reflexivity | rewrite time_extend; lia].
    Qed.

    Lemma W_None n y : U_of_policy n None y = h (INR n + y).
    Proof.
      revert y; induction n as [|n IH]; intros y; cbn [U_of_policy]; [simpl; f_equal; ring|].
      rewrite (E_ext _ _ (fun _ => h (INR (Datatypes.S n) + y))); [apply E_const, Hpi|].
      intros a; unfold backup; simpl reward; simpl trans. rewrite !E_ret, IH, S_INR. f_equal; ring.
    Qed.

    Lemma V_le_top n s y : V acts M h n s y <= h (INR n + y).
    Proof.
      revert s y; induction n as [|n IH]; intros s y; cbn [V]; [simpl; right; f_equal; ring|].
      destruct (max_over_attained (backup M (V acts M h n) s y) (acts s) (Hacts s)) as [a [_ ->]]. unfold backup.
      apply E_le_const; [now apply reward_law|]. generalize (Hrew s a); apply as_impl; intros r Hr.
      apply E_le_const; [now apply trans_law | apply as_always; intros s'].
      eapply Rle_trans; [apply IH|]. rewrite S_INR. destruct (Hh (INR n + (r + y)) (INR n + 1 + y) ltac:(lra)); lra.
    Qed.

    (** Better rewards and mass moved to the top state: the optimistic backup of a value of M is larger. *)
    Lemma backup_optimistic n s y a : (forall s' z, V acts M h n s' z <= U_of_policy n (Some s') z) ->
      backup M (V acts M h n) s y a <= backup M' (U_of_policy n) (Some s) y a.
    Proof.
      intros IH. unfold backup.
      set (g := fun r => E (trans M s a) (fun s' => V acts M h n s' (r + y))).
      apply Rle_trans with (E (raise (eps s a) (Rt s a)) g).
      - destruct (quantile_coupling_spec (reward M s a) (raise (eps s a) (Rt s a)) (reward_law M HM s a)
          (law_raise (eps s a) (Rt s a) (eps_nonneg _ _ _ Hest s a) (Rt_law _ _ _ Hest s a))) as [H1 [H2 [H3 H4]]].
        rewrite <- H2, <- H3. apply E_le_as; [apply H1|].
        assert (Hdom : forall x, cdf (raise (eps s a) (Rt s a)) x <= cdf (reward M s a) x)
          by (intros x; now apply cdf_optimistic_le with (Pt := Pt)).
        generalize (H4 Hdom); apply as_impl; intros [r r'] Hr; simpl in Hr |- *. unfold g.
        apply E_le; [now apply trans_law | intros s'].
        destruct (V_is_utility acts M HM L HL h Hh n s' (r + y) (r' + y) ltac:(lra)); lra.
      - simpl reward. apply E_le; [apply law_raise; apply Hest | intros r]. unfold g, M'; rewrite E_optimistic_trans.
        rewrite (E_sum_mass state_dec states (trans M s a) _ Hnodup Hall). unfold jump.
        rewrite <- (sum_mass state_dec states Hnodup Hall (trans M s a)) by now apply trans_law.
        rewrite <- sum_minus, Rmult_comm, <- sum_scal, <- sum_plus. apply sum_le; intros s' _. rewrite W_None.
        pose proof (low_le_true state_dec M Pt eps HM s a s' HP) as Hlow.
        pose proof (Rmax_l 0 (mass state_dec (Pt s a) s' - eps s a)) as Hl0. fold (low state_dec Pt eps s a s') in Hl0.
        pose proof (V_le_top n s' (r + y)) as Ht. specialize (IH s' (r + y)).
        pose proof (Rmult_le_compat_r (mass state_dec (trans M s a) s' - low state_dec Pt eps s a s') _ _ ltac:(lra)
          Ht).
        pose proof (Rmult_le_compat_l (low state_dec Pt eps s a s') _ _ Hl0 IH). lra.
    Qed.

    Lemma V_le_W n s y : (n <= horizon M)%nat -> V acts M h n s y <= U_of_policy n (Some s) y.
    Proof.
      revert s y; induction n as [|n IH]; intros s y Hn; [simpl; lra|]. cbn [U_of_policy].
      rewrite <- (E_const (pi (horizon M - Datatypes.S n)%nat (Some s) y) (V acts M h (Datatypes.S n) s y))
        by apply Hpi.
      apply E_le_as; [apply Hpi|]. generalize (Hgreedy n s y ltac:(lia)); apply as_impl; intros a ->.
      apply backup_optimistic. intros s' z. apply IH; lia.
    Qed.

    Hypothesis Hsup : forall e, is_law e -> almost_surely e (fun z => 0 <= z <= INR (horizon M)) -> E e h <= Phi G e.

    (** The value of h in M is at most the optimistic objective of the policy. *)
    Theorem greedy_policy_is_flattered :
      E (init M) (fun s => V acts M h (horizon M) s 0) <= value G M' (of_y_policy pi).
    Proof.
      assert (Hp : is_policy (of_y_policy pi)) by now apply is_policy_of_y_policy.
      eapply Rle_trans; [|apply Hsup; [apply law_return; [apply is_mdp_M' | assumption]|]].
      - rewrite E_return_law, E_history_law_from_start. simpl init. rewrite E_image. simpl horizon.
        apply E_le; [apply HM | intros s]. rewrite run_eq_W by (unfold time; simpl; lia). now apply V_le_W.
      - pose proof (return_within M' (of_y_policy pi) 1 within_M') as Hr.
        revert Hr; apply as_impl; intros z; rewrite Rmult_1_r; simpl horizon; tauto.
    Qed.
  End Greedy.

  (** A policy that is greedy in M for a maximising utility of M does at least as well in the optimistic model.
      Given: the event; rewards in [0, 1]; a maximising utility of M, which exists for concave G; a policy of (t,
      s, y) greedy for it in M at every (t, s, y).
      Differs: finite laws. *)
  Theorem optimism_of_greedy_policies L h (pi : y_policy (option S) A) :
    0 <= L -> maximises acts M G L h -> is_y_policy pi ->
    is_greedy acts M h (played (of_y_policy pi)) ->
    (forall n s y, (n < horizon M)%nat ->
      almost_surely (pi (horizon M - Datatypes.S n)%nat (Some s) y)
        (fun a => V acts M h (Datatypes.S n) s y = backup M (V acts M h n) s y a)) ->
    value G M (played (of_y_policy pi)) <= value G M' (of_y_policy pi).
  Proof.
    intros HL Hmax Hpi Hg Hall_y.
    assert (Hp : is_policy (played (of_y_policy pi))) by now apply is_policy_played, is_policy_of_y_policy.
    destruct (greedy_for_maximiser_is_optimal acts M HM Hrew G L h (played (of_y_policy pi)) Hmax Hp Hg) as [-> _].
    destruct (maximises_supports _ _ _ _ _ Hmax) as [Hu Hs].
    now apply (greedy_policy_is_flattered L HL h Hu pi Hpi Hall_y Hs).
  Qed.
End Values.
