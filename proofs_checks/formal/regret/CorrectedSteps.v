(** * Steps of the corrected theorem      (corrected/episode, corrected/iii, thm:main/expected, class/markov)

    What one visit and one episode can cost; the printed right side without its sqrt 5 bounds the lesser of the trivial
    and the corrected bound, (ii) at delta/2 or (i) at 1/KT; policies of (t, s) are flattered by the optimistic model,
    but not by much. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp DynamicProgramming SupportingUtility
  Telescoping OptimisticModel Optimism ClosenessOptimistic MarkovLearner PrintedBoundHolds.
Import ListNotations.
Open Scope R_scope.

(** ** One episode *)

(** The cost of a step with n steps left after it, at a pair of radius eps. *)
Definition step_cost (S0 eps : R) (n : nat) : R := INR n * Rmin 1 (S0 * eps) + Rmin 1 (2 * eps).

(** The episode's steps by their radii, the last step first. *)
Fixpoint episode_cost (S0 : R) (n : nat) (radii : list R) : R :=
  match radii with
  | [] => 0
  | eps :: rest => step_cost S0 eps n + episode_cost S0 (S n) rest
  end.

Lemma step_cost_le S0 eps n T :
  0 <= S0 -> 0 <= eps -> (n < T)%nat -> step_cost S0 eps n <= INR n + 1 /\
    step_cost S0 eps n <= ((INR T - 1) * S0 + 2) * eps.
Proof.
  intros HS He Hn. pose proof (pos_INR n). assert (HT : INR n + 1 <= INR T) by (rewrite <- S_INR; apply le_INR; lia).
  assert (H1 := Rmin_l 1 (S0 * eps)). assert (H2 := Rmin_r 1 (S0 * eps)). assert (H3 := Rmin_l 1 (2 * eps)).
  assert (H4 := Rmin_r 1 (2 * eps)).
  assert (0 <= S0 * eps) by now apply Rmult_le_pos. unfold step_cost. split; [nra|].
  apply Rle_trans with (INR n * (S0 * eps) + 2 * eps); [nra|].
  assert (INR n * (S0 * eps) <= (INR T - 1) * (S0 * eps)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** Given: S0 >= 0, radii at least 0. *)
Theorem what_an_episode_costs S0 radii :
  0 <= S0 -> Forall (fun eps => 0 <= eps) radii ->
  let T := length radii in
  (forall i eps, nth_error radii i = Some eps -> step_cost S0 eps i <= INR i + 1 /\
    step_cost S0 eps i <= ((INR T - 1) * S0 + 2) * eps) /\
  episode_cost S0 0 radii <= INR T * (INR T + 1) / 2.
Proof.
  intros HS Hr T. split.
  - intros i eps Hi. apply step_cost_le; [assumption | | unfold T; apply nth_error_Some; congruence].
    rewrite Forall_forall in Hr; apply Hr. now apply nth_error_In with i.
  - assert (H : forall n, episode_cost S0 n radii <=
      INR (length radii) * INR n + INR (length radii) * (INR (length radii) + 1) / 2).
    { clear T. induction Hr as [|eps radii He _ IH]; intros n; cbn [episode_cost length]; [simpl; lra|].
      specialize (IH (S n)). pose proof (proj1 (step_cost_le S0 eps n (S n) HS He ltac:(lia))). rewrite S_INR in *. nra.
      }
    specialize (H 0%nat). simpl (INR 0) in H. unfold T. lra.
Qed.

(** ** The printed right side *)

(** Given: all reals S0, |A|, K, T >= 1, 0 < delta <= 1. *)
Theorem printed_right_side_without_5 (S0 A0 K T delta : R) :
  1 <= S0 -> 1 <= A0 -> 1 <= K -> 1 <= T -> 0 < delta <= 1 ->
  let l := ln ((S0 + 2) * S0 * A0 * K * T / (delta / 2)) in
  let beta := ((T - 1) * S0 + 2) * sqrt (2 * S0 * A0 * K * T * l) + T ^ 2 * (S0 * A0) in
  Rmin (K * T) (exp 1 / (exp 1 - 1) * (beta + T * (T + 1) / 2 * ln (2 / delta))) <=
  4 * (T * sqrt T) * (S0 + 1) * sqrt ((S0 + 1) * A0 * K * ln (4 * (S0 + 1) * A0 * K / delta)).
Proof.
  intros HS HA HK HT Hd l beta.
  destruct (Rle_lt_dec K (16 * T * (S0 + 1) ^ 3 * A0 * ln (4 * (S0 + 1) * A0 * K / delta))) as [Hsmall|Hlarge].
  - eapply Rle_trans; [apply Rmin_l|]. now apply small_K.
  - eapply Rle_trans; [apply Rmin_r|]. replace (2 / delta) with (/ (delta / 2)) by (field; lra).
    apply large_K; try assumption. rewrite <- ln_1. apply ln_monotone; [lra|].
    assert (1 <= A0 * K) by nra. assert (1 <= A0 * K * T) by nra. assert (1 <= S0 * (A0 * K * T)) by nra.
    replace ((S0 + 2) * S0 * A0 * K * T / (delta / 2)) with (2 * (S0 + 2) * (S0 * (A0 * K * T)) * / delta)
      by (field; lra).
    assert (1 <= / delta) by (rewrite <- Rinv_1 at 1; apply Rinv_le_contravar; lra).
    assert (1 <= 2 * (S0 + 2) * (S0 * (A0 * K * T))) by nra. nra.
Qed.

(** The corrected bound (i), run at 1/KT, is within the printed right side without its root of 5.
    Given: all reals S0, |A|, K, T >= 1, 0 < delta <= 1.
    Differs: an inequality between two bounds, not the regret itself.
    In words: 08-regret.md#regret-i. *)
Theorem expected_bound_within_printed (S0 A0 K T delta : R) :
  1 <= S0 -> 1 <= A0 -> 1 <= K -> 1 <= T -> 0 < delta <= 1 ->
  let l := ln ((S0 + 2) * S0 * A0 * K * T / (/ (K * T))) in
  let beta := ((T - 1) * S0 + 2) * sqrt (2 * S0 * A0 * K * T * l) + T ^ 2 * (S0 * A0) in
  Rmin (K * T) (beta + / (K * T) * (K * T)) <=
  4 * (T * sqrt T) * (S0 + 1) * sqrt ((S0 + 1) * A0 * K * ln (4 * (S0 + 1) * A0 * K / delta)).
Proof.
  intros HS HA HK HT Hd l beta. set (S1 := S0 + 1). set (lam := ln (4 * S1 * A0 * K / delta)).
  set (psi := 4 * (T * sqrt T) * S1 * sqrt (S1 * A0 * K * lam)).
  destruct (Rle_lt_dec K (16 * T * S1 ^ 3 * A0 * lam)) as [Hsmall|Hlarge].
  { eapply Rle_trans; [apply Rmin_l|]. now apply small_K. }
  eapply Rle_trans; [apply Rmin_r|].
  assert (Hlam : 1 <= lam) by now apply (lam_ge_1 S0 A0 K delta).
  assert (HS1 : 2 <= S1) by (unfold S1; lra).
  assert (HKT : 0 < K * T) by nra. rewrite Rinv_l by lra.
  assert (Hcube : 8 <= S1 ^ 3) by (simpl; assert (4 <= S1 * S1) by nra; nra).
  assert (HSA : 8 <= S1 ^ 3 * A0) by nra.
  assert (HSAl : 8 <= S1 ^ 3 * A0 * lam) by nra.
  (* the logarithm of (i) is at most four times the printed one *)
  assert (Hl : l <= 4 * lam).
  { assert (HT1 : T * (S1 ^ 3 * A0) <= K).
    { assert (T * (S1 ^ 3 * A0) * 1 <= T * (S1 ^ 3 * A0) * lam) by (apply Rmult_le_compat_l; nra).
      assert (0 <= T * (S1 ^ 3 * A0)) by nra. nra. }
    assert (Hx : K <= 4 * S1 * A0 * K / delta).
    { apply Rmult_le_reg_r with delta; [lra|]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra.
      assert (1 <= 4 * S1 * A0) by nra. nra. }
    assert (Hln : ln K <= lam) by (unfold lam; apply ln_monotone; lra).
    apply Rle_trans with (4 * ln K); [|lra].
    replace (4 * ln K) with (ln ((K * K) * (K * K))) by (rewrite !ln_mult by nra; ring).
    unfold l; apply ln_monotone; [apply Rdiv_lt_0_compat;
      [repeat apply Rmult_lt_0_compat; lra | now apply Rinv_0_lt_compat]|].
    unfold Rdiv; rewrite Rinv_inv.
    replace ((S0 + 2) * S0 * A0 * K * T * (K * T)) with (K * K * (T * T * ((S0 + 2) * S0 * A0))) by ring.
    apply Rmult_le_compat_l; [nra|].
    assert (HB : (S0 + 2) * S0 * A0 <= (S1 ^ 3 * A0) * (S1 ^ 3 * A0)).
    { assert (H1 : (S0 + 2) * S0 <= S1 ^ 3) by (unfold S1; simpl; nra). assert (1 <= S1 ^ 3 * A0) by lra.
      assert ((S0 + 2) * S0 * A0 <= S1 ^ 3 * A0) by (apply Rmult_le_compat_r; lra). nra. }
    apply Rle_trans with ((T * (S1 ^ 3 * A0)) * (T * (S1 ^ 3 * A0))).
    - replace (T * (S1 ^ 3 * A0) * (T * (S1 ^ 3 * A0))) with (T * T * (S1 ^ 3 * A0 * (S1 ^ 3 * A0))) by ring.
      apply Rmult_le_compat_l; nra.
    - apply Rmult_le_compat; nra. }
  assert (Hpsi0 : 0 <= psi) by (unfold psi; repeat apply Rmult_le_pos; try lra; apply sqrt_pos).
  assert (Hq0 : 0 <= S1 * A0 * K * lam) by (repeat apply Rmult_le_pos; lra).
  set (q := sqrt (S1 * A0 * K * lam)) in *. assert (Hq : 0 <= q) by apply sqrt_pos. pose proof (sqrt_pos T) as HsT.
  assert (Hfirst : ((T - 1) * S0 + 2) * sqrt (2 * S0 * A0 * K * T * l) <= 3 / 4 * psi).
  { assert (Hs : sqrt (2 * S0 * A0 * K * T * l) <= 3 * sqrt T * q).
    { unfold q. replace (3 * sqrt T * sqrt (S1 * A0 * K * lam))
        with (sqrt (3 * 3) * (sqrt T * sqrt (S1 * A0 * K * lam)))
        by (rewrite sqrt_square by lra; ring).
      rewrite <- sqrt_mult, <- sqrt_mult; try lra; [|apply Rmult_le_pos; lra]. apply sqrt_le_1_alt.
      assert (Ha : 0 <= A0 * K * T) by (repeat apply Rmult_le_pos; lra).
      assert (Hb : S0 * l <= S1 * (4 * lam)).
      { apply Rle_trans with (S0 * (4 * lam)); [apply Rmult_le_compat_l; lra|]. apply Rmult_le_compat_r; unfold S1; lra.
        }
      pose proof (Rmult_le_compat_l _ _ _ Ha Hb).
      replace (3 * 3 * (T * (S1 * A0 * K * lam))) with (9 * (A0 * K * T * (S1 * lam))) by ring.
      assert (0 <= A0 * K * T * (S1 * lam)) by (apply Rmult_le_pos; nra).
      replace (A0 * K * T * (S1 * (4 * lam))) with (4 * (A0 * K * T * (S1 * lam))) in H by ring. lra. }
    assert (Ht : (T - 1) * S0 + 2 <= T * S1) by (unfold S1; nra).
    apply Rle_trans with (T * S1 * (3 * sqrt T * q)).
    - apply Rmult_le_compat; auto; [nra | apply sqrt_pos].
    - unfold psi. right; field. }
  assert (Hbig : 16 * (T * T) * S1 ^ 3 * A0 * lam <= psi).
  { apply Rsqr_incr_0_var; [|assumption]. unfold Rsqr.
    assert (Hpp : psi * psi = 16 * (T * T) * (S1 * S1) * (sqrt T * sqrt T) * (q * q)) by (unfold psi; ring).
    rewrite Hpp, sqrt_sqrt by lra. unfold q; rewrite sqrt_sqrt by assumption.
    replace (16 * (T * T) * S1 ^ 3 * A0 * lam * (16 * (T * T) * S1 ^ 3 * A0 * lam))
      with (16 * (T * T) * (S1 * S1) * T * (S1 * A0 * lam) * (16 * T * S1 ^ 3 * A0 * lam)) by ring.
    replace (16 * (T * T) * (S1 * S1) * T * (S1 * A0 * K * lam))
      with (16 * (T * T) * (S1 * S1) * T * (S1 * A0 * lam) * K) by ring.
    apply Rmult_le_compat_l; [|lra]. repeat apply Rmult_le_pos; lra. }
  assert (Hrest : T ^ 2 * (S0 * A0) + 1 <= 1 / 4 * psi).
  { assert (HTT : 1 <= T * T) by nra.
    assert (S0 * A0 <= S1 ^ 3 * A0 * lam).
    { assert (S0 <= S1 ^ 3) by (unfold S1; simpl; nra).
      assert (S0 * A0 <= S1 ^ 3 * A0) by (apply Rmult_le_compat_r; lra). nra. }
    assert (T * T * (S0 * A0) <= T * T * (S1 ^ 3 * A0 * lam)) by (apply Rmult_le_compat_l; lra).
    assert (1 <= T * T * (S1 ^ 3 * A0 * lam)) by nra.
    replace (16 * (T * T) * S1 ^ 3 * A0 * lam) with (16 * (T * T * (S1 ^ 3 * A0 * lam))) in Hbig by ring. simpl. lra. }
  unfold beta. lra.
Qed.

(** ** Policies of (t, s) *)

(** Given: the event; rewards in [0, 1], any policy of (t, s), G L-Lipschitz.
    Differs: finite laws. *)
Theorem markov_policies_are_flattered_a_little {S A} (state_dec : forall s s' : S,
  {s = s'} + {s <> s'}) (states : list S) (M : mdp S A)
  Pt Rt eps (pi : markov_policy (option S) A) G L :
  NoDup states -> (forall s, In s states) -> is_mdp M -> rewards_within 1 M -> estimates Pt Rt eps ->
  hoeffding_event state_dec M Pt eps -> dkw_event M Rt eps -> is_markov_policy pi -> weighting G ->
    lipschitz_weighting G L ->
  let gap := value G (optimistic state_dec states M Pt Rt eps) (of_markov_policy pi) -
    value G M (played (of_markov_policy pi)) in
  0 <= gap /\ gap <= L * expected_cost M (played (of_markov_policy pi)) (visit_radius states eps) /\
  L * expected_cost M (played (of_markov_policy pi)) (visit_radius states eps) <=
  INR (horizon M) * (INR (length states) + 2) * L * expected_cost M (played (of_markov_policy pi)) (fun _ => eps).
Proof.
  intros Hnd Hall HM Hrew Hest HP HR Hpi HG HGL gap.
  assert (Hp : is_policy (played (of_markov_policy pi))) by now apply is_policy_played, is_policy_of_markov_policy.
  pose proof (markov_optimism state_dec states Hnd Hall M Pt Rt eps HM Hrew Hest HP HR pi Hpi G HG).
  split; [unfold gap; lra|]. split; [now apply markov_optimistic_close|].
  replace (INR (horizon M) * (INR (length states) + 2) * L * expected_cost M (played (of_markov_policy pi))
    (fun _ => eps))
    with (L * expected_cost M (played (of_markov_policy pi))
      (fun _ s a => INR (horizon M) * (INR (length states) + 2) * eps s a))
    by (rewrite (expected_cost_scal M (played (of_markov_policy pi)) (INR (horizon M) * (INR (length states) + 2))
      (fun _ => eps)); ring).
  apply Rmult_le_compat_l; [now apply (lipschitz_nonneg G)|]. apply expected_cost_le; try assumption. intros n s a Hn.
  pose proof (eps_nonneg _ _ _ Hest s a) as He. pose proof (pos_INR (length states)) as HS.
  destruct (step_cost_le (INR (length states)) (eps s a) n (horizon M) HS He Hn) as [_ Hc]. unfold step_cost in Hc.
  unfold visit_radius.
  eapply Rle_trans; [exact Hc|]. apply Rmult_le_compat_r; [assumption|].
  assert (HT : 1 <= INR (horizon M)) by (apply (le_INR 1); lia). nra.
Qed.
