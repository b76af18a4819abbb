(** * Steps of the corrected theorem      (corrected/episode, corrected/iii, class/markov)

    What one visit and one episode can cost; the printed right side without its sqrt 5 bounds the lesser of the trivial and
    the corrected bound; policies of (t, s) are flattered by the optimistic model, but not by much. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp DynamicProgramming SupportingUtility Telescoping
  OptimisticModel Optimism ClosenessOptimistic MarkovLearner PrintedBoundHolds.
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
  0 <= S0 -> 0 <= eps -> (n < T)%nat -> step_cost S0 eps n <= INR n + 1 /\ step_cost S0 eps n <= ((INR T - 1) * S0 + 2) * eps.
Proof.
  intros HS He Hn. pose proof (pos_INR n). assert (HT : INR n + 1 <= INR T) by (rewrite <- S_INR; apply le_INR; lia).
  assert (H1 := Rmin_l 1 (S0 * eps)). assert (H2 := Rmin_r 1 (S0 * eps)). assert (H3 := Rmin_l 1 (2 * eps)). assert (H4 := Rmin_r 1 (2 * eps)).
  assert (0 <= S0 * eps) by now apply Rmult_le_pos. unfold step_cost. split; [nra|].
  apply Rle_trans with (INR n * (S0 * eps) + 2 * eps); [nra|].
  assert (INR n * (S0 * eps) <= (INR T - 1) * (S0 * eps)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Theorem what_an_episode_costs S0 radii :
  0 <= S0 -> Forall (fun eps => 0 <= eps) radii ->
  let T := length radii in
  (forall i eps, nth_error radii i = Some eps -> step_cost S0 eps i <= INR i + 1 /\ step_cost S0 eps i <= ((INR T - 1) * S0 + 2) * eps) /\
  episode_cost S0 0 radii <= INR T * (INR T + 1) / 2.
Proof.
  intros HS Hr T. split.
  - intros i eps Hi. apply step_cost_le; [assumption | | unfold T; apply nth_error_Some; congruence].
    rewrite Forall_forall in Hr; apply Hr. now apply nth_error_In with i.
  - assert (H : forall n, episode_cost S0 n radii <= INR (length radii) * INR n + INR (length radii) * (INR (length radii) + 1) / 2).
    { clear T. induction Hr as [|eps radii He _ IH]; intros n; cbn [episode_cost length]; [simpl; lra|].
      specialize (IH (S n)). pose proof (proj1 (step_cost_le S0 eps n (S n) HS He ltac:(lia))). rewrite S_INR in *. nra. }
    specialize (H 0%nat). simpl (INR 0) in H. unfold T. lra.
Qed.

(** ** The printed right side *)

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
    replace ((S0 + 2) * S0 * A0 * K * T / (delta / 2)) with (2 * (S0 + 2) * (S0 * (A0 * K * T)) * / delta) by (field; lra).
    assert (1 <= / delta) by (rewrite <- Rinv_1 at 1; apply Rinv_le_contravar; lra).
    assert (1 <= 2 * (S0 + 2) * (S0 * (A0 * K * T))) by nra. nra.
Qed.

(** ** Policies of (t, s) *)

Theorem markov_policies_are_flattered_a_little {S A} (state_dec : forall s s' : S, {s = s'} + {s <> s'}) (states : list S) (M : mdp S A)
  Pt Rt eps (pi : markov_policy (option S) A) G L :
  NoDup states -> (forall s, In s states) -> is_mdp M -> rewards_within 1 M -> estimates Pt Rt eps ->
  hoeffding_event state_dec M Pt eps -> dkw_event M Rt eps -> is_markov_policy pi -> weighting G -> lipschitz_weighting G L ->
  let gap := value G (optimistic state_dec states M Pt Rt eps) (of_markov_policy pi) - value G M (played (of_markov_policy pi)) in
  0 <= gap /\ gap <= L * expected_cost M (played (of_markov_policy pi)) (visit_radius states eps) /\
  L * expected_cost M (played (of_markov_policy pi)) (visit_radius states eps) <=
  INR (horizon M) * (INR (length states) + 2) * L * expected_cost M (played (of_markov_policy pi)) (fun _ => eps).
Proof.
  intros Hnd Hall HM Hrew Hest HP HR Hpi HG HGL gap.
  assert (Hp : is_policy (played (of_markov_policy pi))) by now apply is_policy_played, is_policy_of_markov_policy.
  pose proof (markov_optimism state_dec states Hnd Hall M Pt Rt eps HM Hrew Hest HP HR pi Hpi G HG).
  split; [unfold gap; lra|]. split; [now apply markov_optimistic_close|].
  replace (INR (horizon M) * (INR (length states) + 2) * L * expected_cost M (played (of_markov_policy pi)) (fun _ => eps))
    with (L * expected_cost M (played (of_markov_policy pi)) (fun _ s a => INR (horizon M) * (INR (length states) + 2) * eps s a))
    by (rewrite (expected_cost_scal M (played (of_markov_policy pi)) (INR (horizon M) * (INR (length states) + 2)) (fun _ => eps)); ring).
  apply Rmult_le_compat_l; [now apply (lipschitz_nonneg G)|]. apply expected_cost_le; try assumption. intros n s a Hn.
  pose proof (eps_nonneg _ _ _ Hest s a) as He. pose proof (pos_INR (length states)) as HS.
  destruct (step_cost_le (INR (length states)) (eps s a) n (horizon M) HS He Hn) as [_ Hc]. unfold step_cost in Hc. unfold visit_radius.
  eapply Rle_trans; [exact Hc|]. apply Rmult_le_compat_r; [assumption|].
  assert (HT : 1 <= INR (horizon M)) by (apply (le_INR 1); lia). nra.
Qed.
