(** * The printed right-hand side, for the corrected learner      (thm:main)

    The paper's algorithm does not satisfy its bound.  The corrected one does, without the factor sqrt 5: with
    |S| = S0 + 1 and 0 < delta <= 1, the optimistic greedy learner with an exact planner, run with delta / 2, has

      regret  <=  4 T^{3/2} L |S| sqrt( |S| |A| K ln(4 |S| |A| K / delta) )     with probability at least 1 - delta.

    If K is small the right-hand side exceeds K T, which bounds every regret; otherwise it exceeds the bound of
    [OptimisticLearner.v].  For CVaR the learner is explicit and L = 1/alpha. *)

Require Import Reals Lra Lia Psatz List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp DynamicProgramming SupportingUtility
  RockafellarUryasev MartingaleStep EventHolds RegretAssembly OptimisticLearner CvarLearner.
Import ListNotations.
Open Scope R_scope.

Lemma ln_monotone x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx [H|H]; [left; now apply ln_increasing | rewrite H; lra]. Qed.

Lemma exp_1_ge : 9 / 4 <= exp 1.
Proof.
  replace 1 with (1 / 2 + 1 / 2) by lra. rewrite exp_plus. pose proof (exp_ineq1_le (1 / 2)). nra.
Qed.

Section Numbers.
  Load "setup/Sizes".
  Let l : R := ln ((S0 + 2) * S0 * A0 * K * T / (delta / 2)).
  Let psi : R := 4 * (T * sqrt T) * S1 * sqrt (S1 * A0 * K * lam).
  Let bound (x : R) : R := ((T - 1) * S0 + 2) * sqrt (2 * S0 * A0 * K * T * x) + T ^ 2 * (S0 * A0).

  Lemma products_ge_1 : 1 <= A0 * K /\ 2 <= S1 * A0 * K /\ 1 <= / delta.
  Proof.
    assert (1 <= A0 * K) by nra. split; [assumption|]. split; [unfold S1; nra|].
    rewrite <- Rinv_1 at 1. apply Rinv_le_contravar; lra.
  Qed.

  Lemma lam_ge_1 : 1 <= lam.
  Proof.
    destruct products_ge_1 as [_ [H2 H3]]. unfold lam. rewrite <- (ln_exp 1).
    apply ln_monotone; [apply exp_pos|]. pose proof exp_le_3. unfold Rdiv.
    apply Rle_trans with (4 * S1 * A0 * K * 1); [nra|]. apply Rmult_le_compat_l; nra.
  Qed.

  Lemma small_K : K <= 16 * T * S1 ^ 3 * A0 * lam -> K * T <= psi.
  Proof.
    intros H. pose proof lam_ge_1 as Hlam. assert (HS1 : 2 <= S1) by (unfold S1; lra).
    assert (HK0 : 0 <= S1 * A0 * K * lam) by (repeat apply Rmult_le_pos; lra).
    assert (Hsq : (K * T) * (K * T) <= psi * psi).
    { unfold psi.
      replace (4 * (T * sqrt T) * S1 * sqrt (S1 * A0 * K * lam) * (4 * (T * sqrt T) * S1 * sqrt (S1 * A0 * K * lam)))
        with (16 * T * T * S1 * S1 * (sqrt T * sqrt T) * (sqrt (S1 * A0 * K * lam) * sqrt (S1 * A0 * K * lam))) by ring.
      rewrite !sqrt_sqrt by lra.
      replace (16 * T * T * S1 * S1 * T * (S1 * A0 * K * lam)) with (K * T * T * (16 * T * S1 ^ 3 * A0 * lam)) by ring.
      replace (K * T * (K * T)) with (K * T * T * K) by ring. apply Rmult_le_compat_l; [nra | assumption]. }
    apply Rsqr_incr_0_var; [exact Hsq|]. unfold psi.
    repeat apply Rmult_le_pos; try lra; apply sqrt_pos.
  Qed.

  Lemma large_K_l : 16 * T * S1 ^ 3 * A0 * lam < K -> l <= 2 * lam.
  Proof.
    intros H. pose proof lam_ge_1 as Hlam. destruct products_ge_1 as [H1 [H2 H3]].
    assert (HS1 : 2 <= S1) by (unfold S1; lra).
    assert (Hpos : 0 < 4 * S1 * A0 * K / delta) by (apply Rdiv_lt_0_compat; nra).
    replace (2 * lam) with (ln ((4 * S1 * A0 * K / delta) * (4 * S1 * A0 * K / delta)))
      by (rewrite ln_mult by assumption; unfold lam; ring).
    unfold l; apply ln_monotone.
    { apply Rdiv_lt_0_compat; [|lra]. repeat apply Rmult_lt_0_compat; lra. }
    (* (S0 + 2) S0 <= S1^2 and T <= K / 16 are all that is needed *)
    assert (HTK : T <= K).
    { assert (1 <= S1 ^ 3) by (apply pow_R1_Rle; lra).
      assert (1 <= S1 ^ 3 * A0) by nra. assert (1 <= S1 ^ 3 * A0 * lam) by nra.
      assert (T * 1 <= T * (S1 ^ 3 * A0 * lam)) by (apply Rmult_le_compat_l; lra). nra. }
    replace ((S0 + 2) * S0 * A0 * K * T / (delta / 2)) with (2 * (S0 + 2) * S0 * A0 * K * T * / delta) by (field; lra).
    replace (4 * S1 * A0 * K / delta * (4 * S1 * A0 * K / delta))
      with (16 * (S1 * S1) * (A0 * K) * (A0 * K) * / delta * / delta)
      by (field; lra).
    assert (Hinv : 0 < / delta) by (apply Rinv_0_lt_compat; lra).
    apply Rle_trans with (16 * (S1 * S1) * (A0 * K) * (A0 * K) * / delta * 1).
    - rewrite Rmult_1_r. apply Rmult_le_compat_r; [lra|].
      assert (HS2 : (S0 + 2) * S0 <= S1 * S1) by (unfold S1; nra).
      assert (HTA : T <= A0 * K) by nra.
      assert (Hstep1 : (S0 + 2) * S0 * (A0 * K) <= S1 * S1 * (A0 * K)) by (apply Rmult_le_compat_r; lra).
      assert (Hstep2 : S1 * S1 * (A0 * K) * T <= S1 * S1 * (A0 * K) * (A0 * K))
        by (apply Rmult_le_compat_l; [nra | lra]).
      assert (Hstep3 : (S0 + 2) * S0 * (A0 * K) * T <= S1 * S1 * (A0 * K) * T) by (apply Rmult_le_compat_r; lra).
      assert (0 <= S1 * S1 * (A0 * K) * (A0 * K)) by (repeat apply Rmult_le_pos; lra). lra.
    - apply Rmult_le_compat_l; [|lra]. apply Rmult_le_pos; [|lra]. repeat apply Rmult_le_pos; lra.
  Qed.

  (** For any logarithm that is at most twice the printed one. *)
  Lemma large_K_with x :
    16 * T * S1 ^ 3 * A0 * lam < K -> 0 <= x <= 2 * lam ->
    exp 1 / (exp 1 - 1) * (bound x + T * (T + 1) / 2 * ln (/ (delta / 2))) <= psi.
  Proof.
    intros H [Hl Hl2]. pose proof lam_ge_1 as Hlam. destruct products_ge_1 as [H1 [H2 H3]].
    assert (HS1 : 2 <= S1) by (unfold S1; lra).
    set (q := sqrt (S1 * A0 * K * lam)).
    assert (Hq : 0 <= q) by apply sqrt_pos. assert (HsT : 0 <= sqrt T) by apply sqrt_pos.
    assert (Hq0 : 0 <= S1 * A0 * K * lam) by (repeat apply Rmult_le_pos; lra).
    (* the first term is at most half of psi *)
    assert (Hfirst : ((T - 1) * S0 + 2) * sqrt (2 * S0 * A0 * K * T * x) <= / 2 * psi).
    { assert (Hs : sqrt (2 * S0 * A0 * K * T * x) <= 2 * sqrt T * q).
      { unfold q. replace (2 * sqrt T * sqrt (S1 * A0 * K * lam))
          with (sqrt (2 * 2) * (sqrt T * sqrt (S1 * A0 * K * lam)))
          by (rewrite sqrt_square by lra; ring).
        rewrite <- sqrt_mult, <- sqrt_mult; try lra; [|apply Rmult_le_pos; lra].
        apply sqrt_le_1_alt.
        assert (Ha : 0 <= A0 * K * T) by (repeat apply Rmult_le_pos; lra).
        assert (Hb : S0 * x <= S1 * (2 * lam)).
        { apply Rmult_le_compat; try lra; unfold S1; lra. }
        pose proof (Rmult_le_compat_l _ _ _ Ha Hb). lra. }
      assert (Ht : (T - 1) * S0 + 2 <= T * S1) by (unfold S1; nra).
      assert (Hpos : 0 <= (T - 1) * S0 + 2) by nra.
      apply Rle_trans with (T * S1 * (2 * sqrt T * q)).
      - apply Rmult_le_compat; auto. apply sqrt_pos.
      - unfold psi; fold q. right; field. }
    (* psi is at least 16 T^2 S1^3 A0 lam *)
    assert (Hpsi0 : 0 <= psi) by (unfold psi; repeat apply Rmult_le_pos; try lra; apply sqrt_pos).
    assert (Hbig : 16 * (T * T) * S1 ^ 3 * A0 * lam <= psi).
    { apply Rsqr_incr_0_var; [|assumption]. unfold Rsqr.
      assert (Hpp : psi * psi = 16 * (T * T) * (S1 * S1) * T * (S1 * A0 * K * lam)).
      { unfold psi. rewrite <- (sqrt_sqrt T) at 7 by lra. rewrite <- (sqrt_sqrt (S1 * A0 * K * lam)) at 3 by lra. ring.
        }
      rewrite Hpp.
      replace (16 * (T * T) * S1 ^ 3 * A0 * lam * (16 * (T * T) * S1 ^ 3 * A0 * lam))
        with (16 * (T * T) * (S1 * S1) * T * (S1 * A0 * lam) * (16 * T * S1 ^ 3 * A0 * lam)) by ring.
      replace (16 * (T * T) * (S1 * S1) * T * (S1 * A0 * K * lam))
        with (16 * (T * T) * (S1 * S1) * T * (S1 * A0 * lam) * K) by ring.
      apply Rmult_le_compat_l; [|lra]. repeat apply Rmult_le_pos; lra. }
    (* the other terms are small *)
    assert (Hln : ln (/ (delta / 2)) <= lam).
    { unfold lam. apply ln_monotone; [apply Rinv_0_lt_compat; lra|].
      replace (/ (delta / 2)) with (2 * / delta) by (field; lra). unfold Rdiv. apply Rmult_le_compat_r; nra. }
    assert (Hln0 : 0 <= ln (/ (delta / 2))).
    { rewrite <- ln_1. apply ln_monotone; [lra|]. replace (/ (delta / 2)) with (2 * / delta) by (field; lra). lra. }
    assert (Hrest : T ^ 2 * (S0 * A0) + T * (T + 1) / 2 * ln (/ (delta / 2)) <= 3 / 128 * psi).
    { assert (Hc1 : S0 * A0 <= S1 ^ 3 * A0 * lam / 4).
      { assert (S1 * A0 <= S1 ^ 3 * A0 / 4) by (simpl; assert (4 <= S1 * S1) by nra; assert (0 <= S1 * A0) by nra; nra).
        assert (0 <= S1 ^ 3 * A0) by (apply Rmult_le_pos; [apply pow_le; lra | lra]).
        assert (S1 ^ 3 * A0 * 1 <= S1 ^ 3 * A0 * lam) by (apply Rmult_le_compat_l; lra).
        assert (S0 * A0 <= S1 * A0) by (unfold S1; nra). lra. }
      assert (Hc2 : lam <= S1 ^ 3 * A0 * lam / 8).
      { assert (8 <= S1 ^ 3) by (simpl; assert (4 <= S1 * S1) by nra; nra).
        assert (8 <= S1 ^ 3 * A0) by nra. nra. }
      assert (Hc3 : T * (T + 1) / 2 <= T * T) by nra.
      assert (Hc4 : T * (T + 1) / 2 * ln (/ (delta / 2)) <= T * T * lam).
      { apply Rmult_le_compat; try assumption. nra. }
      assert (Hc5 : T ^ 2 * (S0 * A0) <= T * T * (S1 ^ 3 * A0 * lam / 4)).
      { simpl; rewrite Rmult_1_r. apply Rmult_le_compat_l; [nra | assumption]. }
      assert (Hc6 : T * T * lam <= T * T * (S1 ^ 3 * A0 * lam / 8)) by (apply Rmult_le_compat_l; [nra | assumption]).
      assert (T * T * (S1 ^ 3 * A0 * lam / 4) + T * T * (S1 ^ 3 * A0 * lam / 8) =
        3 / 128 * (16 * (T * T) * S1 ^ 3 * A0 * lam))
        by field. lra. }
    pose proof exp_1_ge as He.
    assert (Hratio : exp 1 / (exp 1 - 1) <= 9 / 5).
    { apply (Rmult_le_reg_r (exp 1 - 1)); [lra|]. unfold Rdiv at 1; rewrite Rmult_assoc, Rinv_l; lra. }
    assert (Hr0 : 0 <= exp 1 / (exp 1 - 1)) by (left; apply Rdiv_lt_0_compat; lra).
    apply Rle_trans with (exp 1 / (exp 1 - 1) * (67 / 128 * psi)).
    - apply Rmult_le_compat_l; [assumption|]. unfold bound. lra.
    - apply Rle_trans with (9 / 5 * (67 / 128 * psi)); [apply Rmult_le_compat_r; lra | lra].
  Qed.

  Lemma large_K :
    16 * T * S1 ^ 3 * A0 * lam < K -> 0 <= l ->
    exp 1 / (exp 1 - 1) * (bound l + T * (T + 1) / 2 * ln (/ (delta / 2))) <= psi.
  Proof. intros H Hl. apply large_K_with; [assumption | split; [assumption | now apply large_K_l]]. Qed.
End Numbers.

Section Printed.
  Load "setup/FiniteWorld".
  Hypothesis HT : (1 <= horizon M)%nat.
  Variables (K : nat) (delta : R).
  Hypothesis HK : (1 <= K)%nat.
  Hypothesis Hdelta : 0 < delta <= 1.
  Variables (G : R -> R) (L best : R).
  Hypothesis HG : weighting G.
  Hypothesis HGL : lipschitz_weighting G L.
  Variables (utility : list (history S A) -> R -> R) (planned : list (history S A) -> policy (option S) A).
  Hypothesis Hplans : plans state_dec action_dec states actions acts M K (delta / 2) G L 0 utility planned.
  Hypothesis Hbest : is_lub (fun x => exists pi, is_policy pi /\ allowed acts M pi /\ x = value G M pi) best.

  Let S0 : R := INR (length states).
  Let A0 : R := INR (length actions).

  Definition bound_without_5 : R :=
    4 * (INR (horizon M) * sqrt (INR (horizon M))) * (S0 + 1) *
    sqrt ((S0 + 1) * A0 * INR K * ln (4 * (S0 + 1) * A0 * INR K / delta)).

  Lemma lipschitz_ge_1 : 1 <= L.
  Proof.
    pose proof (HGL 1 0 ltac:(lra) ltac:(lra)) as H. rewrite (weighting_0 G HG), (weighting_1 G HG) in H.
    rewrite Rminus_0_r, Rabs_R1 in H; lra.
  Qed.

  Lemma sizes_ge_1 : 1 <= S0 /\ 1 <= A0.
  Proof.
    destruct (law_inhabited (init M) (init_law M HM)) as [s _].
    assert (Ha : exists a : A, True) by (specialize (Hacts s); destruct (acts s) as [|a l];
      [congruence | now exists a]).
    destruct Ha as [a _]. unfold S0, A0; split; change 1 with (INR 1); apply le_INR.
    - specialize (Hall s). apply in_split in Hall; destruct Hall as [l1 [l2 ->]]. rewrite app_length; simpl; lia.
    - specialize (Hall_actions a). apply in_split in Hall_actions; destruct Hall_actions as [l1 [l2 ->]].
      rewrite app_length; simpl; lia.
  Qed.

  Theorem printed_bound_holds_for_the_corrected_learner :
    prob (episodes M (learner planned) K) (fun path =>
      Rlt_dec (L * bound_without_5) (regret M (learner planned) G best path)) <= delta.
  Proof.
    destruct sizes_ge_1 as [HS HA]. pose proof lipschitz_ge_1 as HL.
    assert (HT1 : 1 <= INR (horizon M)) by (change 1 with (INR 1); now apply le_INR).
    assert (HK1 : 1 <= INR K) by (change 1 with (INR 1); now apply le_INR).
    assert (Hpol : forall past, is_policy (learner planned past)).
    { intros past. apply ClosenessOptimistic.is_policy_played. apply Hplans. }
    assert (Hlaw : is_law (episodes M (learner planned) K)) by now apply law_episodes.
    assert (Hlog : 0 < log_term M states actions K (delta / 2)).
    { unfold log_term; fold S0 A0. rewrite <- ln_1. apply ln_increasing; [lra|].
      assert (1 <= A0 * INR K) by nra. assert (1 <= A0 * INR K * INR (horizon M)) by nra.
      assert (1 <= S0 * (A0 * INR K * INR (horizon M))) by nra.
      assert (3 <= (S0 + 2) * (S0 * (A0 * INR K * INR (horizon M)))) by nra.
      replace ((S0 + 2) * S0 * A0 * INR K * INR (horizon M) / (delta / 2))
        with (2 * ((S0 + 2) * (S0 * (A0 * INR K * INR (horizon M)))) * / delta) by (field; lra).
      assert (1 <= / delta) by (rewrite <- Rinv_1 at 1; apply Rinv_le_contravar; lra). nra. }
    assert (Hpsi0 : 0 <= bound_without_5).
    { unfold bound_without_5. repeat apply Rmult_le_pos; try lra; apply sqrt_pos. }
    destruct (Rle_lt_dec (INR K) (16 * INR (horizon M) * (S0 + 1) ^ 3 * A0 * ln (4 * (S0 + 1) * A0 * INR K / delta)))
      as [Hsmall|Hlarge].
    - pose proof (small_K S0 A0 (INR K) (INR (horizon M)) delta HS HA HK1 HT1 Hdelta Hsmall) as Hb.
      unfold prob. rewrite (E_ext_as _ _ (fun _ => 0)); [rewrite E_zero; lra|].
      generalize (episodes_are_full M (learner planned) K); apply as_impl; intros path [Hlen _].
      apply ind_no, Rle_not_lt. eapply Rle_trans.
      + apply (regret_le_trivially M HM (learner planned) Hpol G best HG Hrew).
        now apply (best_le_horizon acts M HM Hrew G).
      + rewrite Hlen. fold bound_without_5 in Hb.
        apply Rle_trans with (1 * bound_without_5); [lra | apply Rmult_le_compat_r; lra].
    - pose proof (large_K S0 A0 (INR K) (INR (horizon M)) delta HS HA HK1 HT1 Hdelta Hlarge (Rlt_le _ _ Hlog)) as Hb.
      pose proof (optimistic_learner_regret_with_high_probability state_dec action_dec states actions Hstates Hactions
        Hall
        Hall_actions acts Hacts M HM Hrew K (delta / 2) ltac:(lra) G L 0 best HG HGL utility planned Hplans Hbest Hlog)
          as H.
      replace (2 * (delta / 2)) with delta in H by field. eapply Rle_trans; [|exact H].
      apply E_le; [apply Hlaw | intros path]. apply ind_le. intros Hlt. eapply Rle_lt_trans; [|exact Hlt].
      rewrite Rmult_0_r, Rplus_0_r. apply Rmult_le_compat_l; [lra|]. exact Hb.
  Qed.
End Printed.

(** ** CVaR *)

(** Given: as concave_learner_meets_printed_bound, for CVaR with an explicit exact planner.
    Differs: CVaR.
    Step of: thm:main/greedy. *)
Theorem printed_bound_holds_for_cvar {S A} (state_dec : forall s s' : S, {s = s'} + {s <> s'})
  (action_dec : forall a a' : A, {a = a'} + {a <> a'}) (states : list S) (actions : list A) (acts : S -> list A)
  (M : mdp S A) (K : nat) (delta alpha best : R) :
  NoDup states -> NoDup actions -> (forall s, In s states) -> (forall a, In a actions) -> (forall s, acts s <> []) ->
  is_mdp M -> rewards_within 1 M -> (1 <= horizon M)%nat -> (1 <= K)%nat -> 0 < delta <= 1 -> 0 < alpha <= 1 ->
  is_lub (fun x => exists pi, is_policy pi /\ allowed acts M pi /\ x = value (cvar_weight alpha) M pi) best ->
  let plays := cvar_learner state_dec action_dec states actions acts M K (delta / 2) alpha in
  prob (episodes M plays K) (fun path =>
    Rlt_dec (/ alpha * bound_without_5 states actions M K delta) (regret M plays (cvar_weight alpha) best path)) <=
      delta.
Proof.
  intros Hstates Hactions Hall Hall_actions Hacts HM Hrew HT HK Hdelta Halpha Hbest plays.
  apply (printed_bound_holds_for_the_corrected_learner state_dec action_dec states actions Hstates Hactions Hall
    Hall_actions
    acts Hacts M HM Hrew HT K delta HK Hdelta (cvar_weight alpha) (/ alpha) best (weighting_cvar alpha Halpha)
    (lipschitz_cvar alpha Halpha) _ _ (cvar_plans state_dec action_dec states actions Hstates Hall acts Hacts M HM K
      (delta / 2) alpha
    Halpha) Hbest).
Qed.
