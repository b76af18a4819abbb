(** * The printed optimism is false      (paper: lem:optimismhat)

    The paper claims Phi^(pi) >= Phi(pi) on the event for every policy, under the assumption F†(1) = T.  T = 2, one
    ordinary state, mean; a pays 15/16 and b pays 0, both mixed with mass 1/100 at 1; estimates equal to the truth (so
    the event holds), radius 1/2.  Play a, then a if y = 15/16 and else b: Phi exceeds 1866/1000 and Phi^ is below
    1837/1000. Only the suprema are ordered, see [Optimism.v]. *)

Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp OneState QuantileCoupling
  OptimisticModel TwoSteps LargestReturn.
Import ListNotations.
Open Scope R_scope.

Definition sure : mdp unit bool := {|
  horizon := 2;
  init := ret tt;
  trans := fun _ _ => ret tt;
  reward := fun _ (b : bool) => mixed (1 / 100) (ret (if b then 0 else 15 / 16))
|}.

Lemma is_mdp_sure : is_mdp sure.
Proof. split; simpl; intros; try apply law_ret. apply law_mixed; [lra | apply law_ret]. Qed.

Lemma sure_within : rewards_within 1 sure.
Proof. intros s a. apply mixed_within. destruct a; apply as_ret; lra. Qed.

Lemma sure_satisfies_assumption : satisfies_assumption sure.
Proof.
  apply rewards_at_1_satisfy_assumption with (1 / 100); [apply is_mdp_sure | apply sure_within | lra|].
  intros s a. apply mixed_at_1; [lra | apply law_ret].
Qed.

Lemma sure_estimates : estimates (trans sure) (reward sure) (fun _ _ => / 2).
Proof.
  split; intros; [apply law_ret | apply law_mixed; [lra | apply law_ret] | apply sure_within | lra].
Qed.

(** Given: none: exact estimates, radius 1/2, mean, a y-policy, F†(1) = T: above 1.866 in the true model, below
    1.837 in the optimistic one.
    Differs: the radius 1/2 is given, not derived from counts; rows corrected. *)
Theorem printed_optimism_false :
  let M' := optimistic unit_dec [tt] sure (trans sure) (reward sure) (fun _ _ => / 2) in
  is_mdp sure /\ rewards_within 1 sure /\ satisfies_assumption sure /\
  hoeffding_event unit_dec sure (trans sure) (fun _ _ => / 2) /\ dkw_event sure (reward sure) (fun _ _ => / 2) /\
  1866 / 1000 < value mean_weight sure (of_y_policy (repeat_at (15 / 16))) /\
  value mean_weight M' (of_y_policy (repeat_at (15 / 16))) < 1837 / 1000.
Proof.
  intros M'. split; [apply is_mdp_sure|]. split; [apply sure_within|]. split; [apply sure_satisfies_assumption|].
  split; [intros s a s'; lra|]. split; [intros s a x; rewrite Rminus_eq_0, Rabs_R0; lra|]. split.
  - rewrite mean_of_two_steps; [|apply is_mdp_sure | apply is_y_policy_repeat_at | reflexivity].
    simpl. destruct (Req_EM_T (15 / 16 + 0) (15 / 16)) as [_|H]; [|lra].
    destruct (Req_EM_T (1 + 0) (15 / 16)) as [H|_]; [lra|]. simpl; lra.
  - assert (Hstates : NoDup [tt]) by (constructor; [intros [] | constructor]).
    assert (Hall : forall s, In s [tt]) by (intros []; now left).
    assert (HM' : is_mdp M') by (apply is_mdp_optimistic; auto using is_mdp_sure, sure_estimates).
    rewrite mean_of_two_steps; [|assumption | apply is_y_policy_repeat_at | reflexivity].
    assert (Hjump : forall a f, E (trans M' (Some tt) a) f = / 2 * f None + / 2 * f (Some tt)).
    { intros a f; unfold M'; rewrite E_optimistic_trans; unfold jump; simpl.
      unfold low, mass; simpl. destruct (unit_dec tt tt) as [_|H]; [|congruence]; simpl.
      rewrite Rmax_right by lra. field. }
    assert (Hraise : forall x f, x < 1 -> E (raise (/ 2) (mixed (1 / 100) (ret x))) f =
      51 / 100 * f 1 + 49 / 100 * f x).
    { intros x f Hx; unfold raise, mixed; simpl. destruct (Rle_dec x 1) as [_|H]; [|lra]. simpl.
      rewrite (Rmin_right 1), (Rmax_right 0 ((1 - 1 / 100) * 1 - / 2)), (Rmax_left 0 (/ 2 - (1 - 1 / 100) * 1)),
        (Rmax_right 0 (1 / 100 - 0))
        by lra. field. }
    assert (HR : forall (a : bool) f, E (reward M' (Some tt) a) f =
      51 / 100 * f 1 + 49 / 100 * f (if a then 0 else 15 / 16)).
    { intros [|] f; apply Hraise; lra. }
    assert (HN : forall (a : bool) f, E (reward M' None a) f = f 1) by (intros a f; apply E_ret).
    change (init M') with (ret (Some tt)). rewrite E_ret. simpl repeat_at. rewrite E_ret, HR, !Hjump.
    simpl repeat_at. destruct (Req_EM_T (1 + 0) (15 / 16)) as [H|_]; [lra|].
    destruct (Req_EM_T (15 / 16 + 0) (15 / 16)) as [_|H]; [|lra]. rewrite !E_ret, !HN, !HR. lra.
Qed.
