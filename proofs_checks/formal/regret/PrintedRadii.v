(** * The printed bound with the printed radii      (thm:main/printed-radii)

    With |S| = S0 + 1 and radii  eps(N) = sqrt( l / 2N ),  l = ln(6 |S| |A| K / delta),  as the paper prints them, every
    learner whose planner is greedy at every (t, s, y) for a best utility ([plans], with error 0), that of
    [ConcaveLearner.v] among them, has, for concave L-Lipschitz G,

      regret  <=  4 T^{3/2} L |S| sqrt( |S| |A| K ln(4 |S| |A| K / delta) )     with probability at least 1 - delta,

    the printed right-hand side without its factor sqrt 5.  These radii have no union over the number of visits; blocks
    of visits ([BlocksOfVisits.v]) replace it.  If K is small the right-hand side exceeds K T. *)

Require Import Reals Lra Lia Psatz List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp DynamicProgramming MartingaleStep
  EventHolds Blocks BlocksOfVisits RegretAssembly OptimisticLearner PrintedBoundHolds ConcaveLearner.
Import ListNotations.
Open Scope R_scope.

Section Numbers.
  Load "setup/Sizes".
  Let l : R := ln (6 * S1 * A0 * K / delta).
  Hypothesis Hlarge : 16 * T * S1 ^ 3 * A0 * lam < K.

  Lemma lam_1 : 1 <= lam.
  Proof. exact (lam_ge_1 S0 A0 K delta HS HA HK Hd). Qed.

  Lemma sizes_small : 2 <= S1 /\ 32 * (T * S1 ^ 2 * lam) <= K /\ 64 * (S1 * lam) <= K /\ 128 * lam <= K.
  Proof.
    pose proof lam_1 as Hlam. assert (HS1 : 2 <= S1) by (unfold S1; lra).
    assert (Hc : 32 * (T * S1 ^ 2 * lam) <= K).
    { apply Rle_trans with (16 * T * S1 ^ 3 * A0 * lam); [|lra].
      assert (0 <= T * S1 ^ 2 * lam) by (repeat apply Rmult_le_pos; try lra; apply pow_le; lra).
      assert (2 * 1 <= S1 * A0) by (apply Rmult_le_compat; lra).
      replace (16 * T * S1 ^ 3 * A0 * lam) with (16 * (T * S1 ^ 2 * lam) * (S1 * A0)) by ring. nra. }
    assert (Hs : 64 * (S1 * lam) <= K).
    { apply Rle_trans with (32 * (T * S1 ^ 2 * lam)); [|assumption].
      assert (0 <= S1 * lam) by (apply Rmult_le_pos; lra). assert (1 * 2 <= T * S1) by (apply Rmult_le_compat; lra).
      replace (32 * (T * S1 ^ 2 * lam)) with (32 * (S1 * lam) * (T * S1)) by ring. nra. }
    split; [assumption|]. split; [assumption|]. split; [assumption|]. nra.
  Qed.

  Lemma lam_6 : 6 <= lam.
  Proof.
    destruct sizes_small as [HS1 [_ [_ H128]]]. pose proof lam_1 as Hlam.
    unfold lam. rewrite <- (ln_exp 6). apply ln_monotone; [apply exp_pos|].
    assert (He : exp 6 <= 729).
    { replace 6 with (INR 6 * 1) by (simpl; lra). rewrite exp_times. pose proof exp_le_3. pose proof (exp_pos 1).
      apply Rle_trans with (3 ^ 6); [apply pow_incr; lra | simpl; lra]. }
    assert (Hi : 1 <= / delta) by (rewrite <- Rinv_1 at 1; apply Rinv_le_contravar; lra).
    apply Rle_trans with (4 * S1 * A0 * K * 1);
      [|apply Rmult_le_compat_l; [repeat apply Rmult_le_pos; lra | assumption]].
    assert (128 <= K) by lra. assert (2 * 1 <= S1 * A0) by (apply Rmult_le_compat; lra).
    assert (2 * 128 <= S1 * A0 * K) by (apply Rmult_le_compat; lra). lra.
  Qed.

  Lemma size_pos : 0 < S1 * A0 * K.
  Proof. repeat apply Rmult_lt_0_compat; unfold S1; lra. Qed.

  Lemma l_near : lam <= l <= 13 / 12 * lam.
  Proof.
    pose proof lam_6 as H6. pose proof size_pos as Hp.
    assert (Heq : l = lam + ln (3 / 2)).
    { unfold l, lam. rewrite <- ln_mult; [f_equal; field; lra | | lra]. apply Rdiv_lt_0_compat; lra. }
    assert (0 <= ln (3 / 2)) by (rewrite <- ln_1; apply ln_monotone; lra).
    assert (ln (3 / 2) <= 1 / 2).
    { rewrite <- (ln_exp (1 / 2)). apply ln_monotone; [lra|]. pose proof (exp_ineq1_le (1 / 2)). lra. }
    lra.
  Qed.

  Lemma exp_minus_l : exp (- l) = delta / (6 * S1 * A0 * K).
  Proof.
    pose proof size_pos as Hp. rewrite exp_Ropp. unfold l. rewrite exp_ln by (apply Rdiv_lt_0_compat; lra).
    field. repeat split; unfold S1 in *; lra.
  Qed.

  Lemma ln_le_line z : 0 < z -> ln z <= 1 + z / exp 2.
  Proof.
    intros Hz. pose proof (exp_pos 2) as He. assert (Hq : 0 < z / exp 2) by now apply Rdiv_lt_0_compat.
    replace z with (z / exp 2 * exp 2) at 1 by (field; lra). rewrite ln_mult, ln_exp by assumption.
    assert (Hl : ln (z / exp 2) <= z / exp 2 - 1); [|lra].
    rewrite <- (ln_exp (z / exp 2 - 1)). apply ln_monotone; [assumption|]. pose proof (exp_ineq1_le (z / exp 2 - 1)).
    lra.
  Qed.

  Lemma exp_2_ge : 658 / 100 <= exp 2.
  Proof.
    replace 2 with (INR 16 * (1 / 8)) by (simpl; lra). rewrite exp_times.
    apply Rle_trans with ((9 / 8) ^ 16); [simpl; lra|]. apply pow_incr. pose proof (exp_ineq1_le (1 / 8)). lra.
  Qed.

  (** Given: all reals S0, |A|, K, T >= 1, 0 < delta <= 1, K > 16 T |S|^3 |A| log(4 |S| |A| K / delta). *)
  Theorem blocks_fit :
    21 * (S0 + 2) * S0 * A0 * (1 + (l + 1) * ln (2 * (K * T) / l)) * exp (- l) <= delta / 2.
  Proof.
    destruct sizes_small as [HS1 [Hc [Hs _]]]. pose proof lam_6 as H6. destruct l_near as [Hl1 Hl2].
    pose proof size_pos as Hp.
    assert (Hl0 : 0 < l) by lra. assert (Hsl : 0 < S1 * l) by (apply Rmult_lt_0_compat; lra).
    set (z := 13 * K / (48 * (S1 * l))).
    assert (Hz : z * (48 * (S1 * l)) = 13 * K) by (unfold z; field; split; lra).
    assert (Hz0 : 0 < z) by (unfold z; apply Rdiv_lt_0_compat; lra).
    assert (Hz16 : 16 <= z).
    { apply (Rmult_le_reg_r (48 * (S1 * l))); [lra|]. rewrite Hz.
      assert (S1 * l <= S1 * (13 / 12 * lam)) by (apply Rmult_le_compat_l; lra). lra. }
    (* the number of blocks *)
    assert (Hy : ln (2 * (K * T) / l) <= 2 * ln z).
    { replace (2 * ln z) with (ln (z * z)) by (rewrite ln_mult by assumption; ring).
      assert (HKT : 0 < K * T) by (apply Rmult_lt_0_compat; lra).
      apply ln_monotone; [apply Rdiv_lt_0_compat; lra|].
      apply (Rmult_le_reg_r (48 * (S1 * l) * (48 * (S1 * l)))); [apply Rmult_lt_0_compat; lra|].
      replace (z * z * (48 * (S1 * l) * (48 * (S1 * l)))) with ((z * (48 * (S1 * l))) * (z * (48 * (S1 * l)))) by ring.
      rewrite Hz.
      replace (2 * (K * T) / l * (48 * (S1 * l) * (48 * (S1 * l)))) with (4608 * K * (T * S1 ^ 2 * l)) by (field; lra).
      assert (0 <= T * S1 ^ 2) by (apply Rmult_le_pos; [lra | apply pow_le; lra]).
      assert (T * S1 ^ 2 * l <= T * S1 ^ 2 * (13 / 12 * lam)) by (apply Rmult_le_compat_l; lra).
      assert (Hq : T * S1 ^ 2 * l <= 13 / 384 * K) by lra.
      apply Rle_trans with (4608 * K * (13 / 384 * K)); [apply Rmult_le_compat_l; lra|]. nra. }
    assert (Hlnz : ln z <= 2145 / 10000 * z).
    { pose proof (ln_le_line z Hz0) as Hline. pose proof exp_2_ge as He.
      assert (z / exp 2 <= z * (100 / 658)).
      { apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (/ (658 / 100)); [apply Rinv_le_contravar; lra | lra]. }
      lra. }
    assert (Hb : (l + 1) * ln (2 * (K * T) / l) <= 9490 / 70000 * (K / S1)).
    { apply Rle_trans with (7 / 6 * l * (2 * (2145 / 10000 * z))).
      - apply Rle_trans with ((l + 1) * (2 * (2145 / 10000 * z))); [apply Rmult_le_compat_l; lra|].
        apply Rmult_le_compat_r; lra.
      - assert (Hzl : z * l = 13 / 48 * (K / S1)).
        { apply (Rmult_eq_reg_r (48 * S1)); [|lra].
          replace (13 / 48 * (K / S1) * (48 * S1)) with (13 * K) by (field; lra). lra. }
        assert (0 < K / S1) by (apply Rdiv_lt_0_compat; lra).
        replace (7 / 6 * l * (2 * (2145 / 10000 * z))) with (7 / 6 * 2 * (2145 / 10000) * (z * l)) by ring. rewrite Hzl.
        lra. }
    rewrite exp_minus_l. set (b := 1 + (l + 1) * ln (2 * (K * T) / l)) in *.
    assert (Hb1 : S1 * b <= 1 / 7 * K).
    { assert (S1 * (9490 / 70000 * (K / S1)) = 9490 / 70000 * K) by (field; lra).
      assert (S1 * b <= S1 * (1 + 9490 / 70000 * (K / S1))) by (apply Rmult_le_compat_l; unfold b; lra).
      assert (384 * S1 <= K) by nra. lra. }
    assert (Hln0 : 0 <= b).
    { unfold b. assert (0 <= ln (2 * (K * T) / l)); [|nra]. rewrite <- ln_1. apply ln_monotone; [lra|].
      apply (Rmult_le_reg_r l); [assumption|]. replace (2 * (K * T) / l * l) with (2 * (K * T)) by (field; lra). nra. }
    apply (Rmult_le_reg_r (6 * S1 * A0 * K)); [lra|].
    replace (21 * (S0 + 2) * S0 * A0 * b * (delta / (6 * S1 * A0 * K)) * (6 * S1 * A0 * K))
      with (21 * ((S0 + 2) * S0 * b) * A0 * delta) by (field; repeat split; lra).
    replace (delta / 2 * (6 * S1 * A0 * K)) with (21 * (S1 * (1 / 7 * K)) * A0 * delta) by field.
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; [lra|].
    apply Rle_trans with (S1 * (S1 * b)); [|apply Rmult_le_compat_l; lra].
    assert ((S0 + 2) * S0 <= S1 * S1) by (unfold S1; nra). replace (S1 * (S1 * b)) with (S1 * S1 * b) by ring.
    apply Rmult_le_compat_r; assumption.
  Qed.
End Numbers.

Section Learner.
  Load "setup/FiniteWorld".
  Load "setup/Lipschitz".
  Hypothesis HGc : concave_weighting G.
  Hypothesis HT : (1 <= horizon M)%nat.
  Variables (K : nat) (delta best : R).
  Hypothesis HK : (1 <= K)%nat.
  Hypothesis Hdelta : 0 < delta <= 1.
  Hypothesis Hbest : is_lub (fun x => exists pi, is_policy pi /\ allowed acts M pi /\ x = value G M pi) best.

  Local Notation S0 := (INR (length states)).
  Local Notation A0 := (INR (length actions)).
  Local Notation T := (INR (horizon M)).

  (** Run at this level, the radii are the printed ones. *)
  Definition printed_level : R := delta * ((S0 + 2) * S0 * T) / (6 * (S0 + 1)).

  Lemma world_sizes : 1 <= S0 /\ 1 <= A0 /\ 1 <= T /\ 1 <= INR K.
  Proof.
    destruct (sizes_ge_1 state_dec action_dec states actions Hstates Hactions Hall Hall_actions acts Hacts M HM HT K
      delta HK G L _ _
      (concave_plans state_dec action_dec states actions Hstates Hall acts Hacts M HM G L HG HGL HGc K (delta / 2)))
      as [H1 H2].
    split; [assumption|]. split; [assumption|]. split; now apply (le_INR 1).
  Qed.

  (** Given: finite state and action sets, T, K >= 1.
      Differs: the radii of the learner below are the printed ones.
      Step of: thm:main/printed-radii. *)
  Theorem printed_level_gives_printed_radii N :
    radius M states actions K printed_level N = sqrt (ln (6 * (S0 + 1) * A0 * INR K / delta) / (2 * INR N)).
  Proof.
    destruct world_sizes as [H1 [H2 [H3 H4]]]. unfold radius, log_term, printed_level. do 3 f_equal.
    field. repeat split; lra.
  Qed.

  (** Given: finite state and action sets, rewards in [0, 1], G concave and L-Lipschitz, any planner that is greedy at
      every (t, s, y) of its optimistic model for a supporting utility of largest value; 0 < delta <= 1, T, K >= 1.
      Differs: finite reward laws; nothing cited. *)
  Theorem printed_bound_holds_for_every_greedy_planner utility planned :
    plans state_dec action_dec states actions acts M K printed_level G L 0 utility planned ->
    let plays := learner planned in
    prob (episodes M plays K) (fun path => Rlt_dec (L * bound_without_5 states actions M K delta)
      (regret M plays G best path)) <= delta.
  Proof.
    intros Hplans plays.
    destruct world_sizes as [HS [HA [HT1 HK1]]]. pose proof (lipschitz_ge_1 G L HG HGL) as HL.
    assert (Hpol : forall past, is_policy (plays past))
      by (intros past; apply ClosenessOptimistic.is_policy_played, Hplans).
    assert (Hlaw : is_law (episodes M plays K)) by now apply law_episodes.
    assert (Hlevel : 0 < printed_level).
    { unfold printed_level. apply Rdiv_lt_0_compat; [|lra]. repeat apply Rmult_lt_0_compat; lra. }
    assert (Hterm : log_term M states actions K printed_level = ln (6 * (S0 + 1) * A0 * INR K / delta)).
    { unfold log_term, printed_level. f_equal. field. repeat split; lra. }
    assert (Hpsi0 : 0 <= bound_without_5 states actions M K delta).
    { unfold bound_without_5. repeat apply Rmult_le_pos; try lra; apply sqrt_pos. }
    destruct (Rle_lt_dec (INR K) (16 * T * (S0 + 1) ^ 3 * A0 * ln (4 * (S0 + 1) * A0 * INR K / delta)))
      as [Hsmall|Hlarge].
    - pose proof (small_K S0 A0 (INR K) T delta HS HA HK1 HT1 Hdelta Hsmall) as Hb.
      unfold prob. rewrite (E_ext_as _ _ (fun _ => 0)); [rewrite E_zero; lra|].
      generalize (episodes_are_full M plays K); apply as_impl; intros path [Hlen _].
      apply ind_no, Rle_not_lt. eapply Rle_trans.
      + apply (regret_le_trivially M HM plays Hpol G best HG Hrew). now apply (best_le_horizon acts M HM Hrew G).
      + rewrite Hlen. apply Rle_trans with (1 * bound_without_5 states actions M K delta);
          [|apply Rmult_le_compat_r; lra].
        unfold bound_without_5. lra.
    - pose proof (lam_6 S0 A0 (INR K) T delta HS HA HK1 HT1 Hdelta Hlarge) as H6.
      destruct (l_near S0 A0 (INR K) T delta HS HA HK1 HT1 Hdelta Hlarge) as [Hl1 Hl2].
      destruct (sizes_small S0 A0 (INR K) T delta HS HA HK1 HT1 Hdelta Hlarge) as [_ [_ [_ H128]]].
      pose proof (blocks_fit S0 A0 (INR K) T delta HS HA HK1 HT1 Hdelta Hlarge) as Hfit.
      cbv zeta in *. rewrite <- Hterm in Hl1, Hl2, Hfit.
      set (l := log_term M states actions K printed_level) in *.
      assert (Hl5 : 5 <= l) by lra.
      assert (HlKT : l <= 2 * INR (K * horizon M)) by (rewrite mult_INR; nra).
      assert (Hmisled : prob (episodes M plays K)
        (misled_dec state_dec action_dec M states actions (radius M states actions K printed_level) K) <= delta / 2).
      { eapply Rle_trans; [|exact Hfit]. rewrite <- mult_INR.
        exact (misled_rarely_by_blocks state_dec action_dec M HM plays Hpol states actions K l Hl5 HlKT). }
      pose proof (optimistic_learner_regret_if_rarely_misled state_dec action_dec states actions Hstates Hactions Hall
        Hall_actions
        acts Hacts M HM Hrew K printed_level Hlevel G L 0 best HG HGL _ _ Hplans Hbest ltac:(fold l;
          lra) (delta / 2) (delta / 2)
        ltac:(lra) Hmisled) as H.
      replace (delta / 2 + delta / 2) with delta in H by field. eapply Rle_trans; [|exact H].
      apply E_le; [apply Hlaw | intros path]. apply ind_le. intros Hlt. eapply Rle_lt_trans; [|exact Hlt].
      rewrite Rmult_0_r, Rplus_0_r. apply Rmult_le_compat_l; [lra|].
      pose proof (large_K_with S0 A0 (INR K) T delta HS HA HK1 HT1 Hdelta l Hlarge ltac:(lra)) as Hb. exact Hb.
  Qed.

  Local Notation plays := (concave_learner state_dec action_dec states actions acts M G K printed_level).

  (** Given: as printed_bound_holds_for_every_greedy_planner, a learner that is defined outright.
      Differs: finite reward laws; nothing cited, no planner assumed. *)
  Theorem printed_bound_holds_with_printed_radii :
    prob (episodes M plays K) (fun path => Rlt_dec (L * bound_without_5 states actions M K delta)
      (regret M plays G best path)) <= delta.
  Proof.
    apply (printed_bound_holds_for_every_greedy_planner _ _ (concave_plans state_dec action_dec states actions Hstates
      Hall acts Hacts M HM G L HG HGL HGc K printed_level)).
  Qed.
End Learner.
