(** * Rewards on known atoms, any Lipschitz weighting, every policy      (class/atoms)

    If the frequencies of the rewards are within c eps of the reward laws in total variation, c = sqrt(m + 1) for m
    known values, and the transitions are on the event, then for every policy

      | Phi^(pi) - Phi(pi) |  <=  L  E_{M, pi} sum over t of (T - t + 1) min(1, (|S| + c) eps),    |S| = S0 + 1. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp SupportingUtility LawDistances
  Telescoping OptimisticModel Optimism ClosenessTotalVariation ClosenessOptimistic OptimisticRows.
Import ListNotations.
Open Scope R_scope.

Section KnownAtoms.
  Load "setup/Transitions".
  Load "setup/Lipschitz".
  Variable c : R.
  Hypothesis Hrewards : forall s a, tv Req_EM_T (Rt s a) (reward M s a) <= c * eps s a.
  Variable pi : policy (option S) A.
  Hypothesis Hpi : is_policy pi.

  Let hat : mdp (option S) A := optimistic state_dec states M Pt Rt eps.
  Let dR (s : option S) (a : A) : R := match s with Some s => eps s a + c * eps s a | None => 0 end.

  Lemma raised_rewards_close s a : tv_le (reward hat s a) (reward (lift M) s a) (dR s a).
  Proof.
    destruct s as [s|]; [|intros f _; simpl; lra]. intros f Hf.
    change (E (raise (eps s a) (Rt s a)) f - E (reward M s a) f <= eps s a + c * eps s a).
    pose proof (tv_le_raise (eps s a) (Rt s a) (eps_nonneg _ _ _ Hest s a) (Rt_law _ _ _ Hest s a) f Hf) as H1.
    pose proof (tv_le_tv Req_EM_T (Rt s a) (reward M s a) (Rt_law _ _ _ Hest s a) (reward_law M HM s a) f Hf) as H2.
    pose proof (Rmin_r 1 (eps s a)). specialize (Hrewards s a). lra.
  Qed.

  (** Given: transitions on the event, frequencies of the rewards within c times the radius in total variation, any
      c (the claim: sqrt(m + 1)); rewards in [0, 1], every policy, G L-Lipschitz.
      Differs: finite laws. *)
  Theorem known_atoms_close :
    Rabs (value G hat pi - value G M (played pi)) <=
    L * expected_cost M (played pi) (fun n s a =>
      INR (Datatypes.S n) * Rmin 1 ((INR (length states) + 1 + c) * eps s a)).
  Proof.
    pose proof (lipschitz_nonneg G L HG HGL) as HL.
    assert (Hhat : is_mdp hat) by now apply is_mdp_optimistic. assert (Hl : is_mdp (lift M)) by now apply is_mdp_lift.
    assert (Hrows : forall s a, tv_le (trans hat s a) (trans (lift M) s a) (jumps state_dec states Pt eps s a))
      by now apply all_transitions_close.
    assert (Hclose : Rabs (value G hat pi - value G (lift M) pi) <=
        L * expected_cost (lift M) pi (capped_cost (jumps state_dec states Pt eps) dR)).
    { apply value_close_capped; auto using raised_rewards_close, lift_rewards_within.
      now apply optimistic_rewards_within. }
    rewrite <- (value_lift M pi G HG HM Hpi). eapply Rle_trans; [exact Hclose|].
    apply Rmult_le_compat_l; [assumption|]. rewrite expected_cost_lift.
    apply expected_cost_le; [assumption | now apply is_policy_played |]. intros n s a _.
    eapply Rle_trans; [apply Rmin_r|]. apply Rmult_le_compat_l; [apply pos_INR|]. apply Rle_min_compat_l.
    unfold jumps, dR. pose proof (jump_le state_dec states Hnodup Hall Pt Rt eps Hest s a) as Hj.
    pose proof (Rmin_r 1 (INR (length states) * eps s a)). lra.
  Qed.
End KnownAtoms.
