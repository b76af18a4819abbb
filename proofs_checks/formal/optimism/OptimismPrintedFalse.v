(** * The printed optimism is false      (paper: lem:optimismhat)

    The paper claims Phi^(pi) >= Phi(pi) on the event for every policy.  T = 2, one ordinary state, mean, R(a) = 15/16,
    R(b) = 0, estimates equal to the truth (so the event holds), radius 1/2.  Play a, then a if y = 15/16 and else b:
    Phi = 240/128, the largest value in M, and Phi^ = 235/128.  Only the suprema are ordered, see [Optimism.v]. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp OneState OptimisticModel
  TwoSteps.
Import ListNotations.
Open Scope R_scope.

Definition sure : mdp unit bool := {|
  horizon := 2;
  init := ret tt;
  trans := fun _ _ => ret tt;
  reward := fun _ (b : bool) => if b then ret 0 else ret (15 / 16)
|}.

Lemma is_mdp_sure : is_mdp sure.
Proof. split; simpl; intros; try apply law_ret. destruct a; apply law_ret. Qed.

Lemma sure_estimates : estimates (trans sure) (reward sure) (fun _ _ => / 2).
Proof.
  split; simpl; intros; try apply law_ret; try lra.
  - destruct a; apply law_ret.
  - destruct a; apply as_ret; lra.
Qed.

Theorem printed_optimism_false :
  let M' := optimistic unit_dec [tt] sure (trans sure) (reward sure) (fun _ _ => / 2) in
  hoeffding_event unit_dec sure (trans sure) (fun _ _ => / 2) /\ dkw_event sure (reward sure) (fun _ _ => / 2) /\
  value mean_weight sure (of_y_policy (repeat_at (15 / 16))) = 240 / 128 /\
  value mean_weight M' (of_y_policy (repeat_at (15 / 16))) = 235 / 128.
Proof.
  intros M'. split; [intros s a s'; lra|]. split; [intros s a x; rewrite Rminus_eq_0, Rabs_R0; lra|]. split.
  - rewrite mean_of_two_steps; [|apply is_mdp_sure | apply is_y_policy_repeat_at | reflexivity].
    simpl. destruct (Req_EM_T (15 / 16 + 0) (15 / 16)) as [_|H]; [simpl; field | lra].
  - assert (Hstates : NoDup [tt]) by (constructor; [intros [] | constructor]).
    assert (Hall : forall s, In s [tt]) by (intros []; now left).
    assert (HM' : is_mdp M') by (apply is_mdp_optimistic; auto using is_mdp_sure, sure_estimates).
    rewrite mean_of_two_steps; [|assumption | apply is_y_policy_repeat_at | reflexivity].
    assert (Hjump : forall a f, E (trans M' (Some tt) a) f = / 2 * f None + / 2 * f (Some tt)).
    { intros a f; unfold M'; rewrite E_optimistic_trans; unfold jump; simpl.
      unfold low, mass; simpl. destruct (unit_dec tt tt) as [_|H]; [|congruence]; simpl.
      rewrite Rmax_right by lra. field. }
    assert (Hraise : forall x f, E (raise (/ 2) (ret x)) f = / 2 * f 1 + / 2 * f x).
    { intros x f; unfold raise; simpl. rewrite Rmin_right, Rmax_right by lra. field. }
    assert (HR : forall (a : bool) f, E (reward M' (Some tt) a) f = / 2 * f 1 + / 2 * f (if a then 0 else 15 / 16)).
    { intros [|] f; apply Hraise. }
    assert (HN : forall (a : bool) f, E (reward M' None a) f = f 1) by (intros a f; apply E_ret).
    change (init M') with (ret (Some tt)). rewrite E_ret. simpl repeat_at. rewrite E_ret, HR, !Hjump.
    simpl repeat_at. destruct (Req_EM_T (1 + 0) (15 / 16)) as [H|_]; [lra|].
    destruct (Req_EM_T (15 / 16 + 0) (15 / 16)) as [_|H]; [|lra]. rewrite !E_ret, !HN, !HR. field.
Qed.
