(** * The printed closeness of models is false      (paper: lem:genbound)

    lem:genbound bounds |Phi'(pi) - Phi(pi)| by T L_G E_{M, pi} sum_t ( ||P' - P||_1 + KS(R', R) ) for every policy.
    T = 2, one state, mean.  R(a) = 0 or 1 with probability 1/2 each, R'(a) = 1/8, b pays 1 in both.  Play a, then a if
    y = 1/8 and else b:  Phi = 3/2 and Phi' = 1/4, and the printed right side is 2 * 1 * 1/2 = 1 < 5/4. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp Telescoping TwoSteps.
Import ListNotations.
Open Scope R_scope.

(** ** lem:genbound *)

(** [false] is a, [true] is b. *)
Definition coin (d : dist R) : mdp unit bool := {|
  horizon := 2;
  init := ret tt;
  trans := fun _ _ => ret tt;
  reward := fun _ (b : bool) => if b then ret 1 else d
|}.

Definition fair : dist R := [(0, / 2); (1, / 2)].

Lemma law_fair : is_law fair.
Proof. split; [intros x p [H|[H|[]]]; injection H as <- <-; lra | simpl; lra]. Qed.

Lemma is_mdp_coin d : is_law d -> is_mdp (coin d).
Proof. intros Hd; split; simpl; intros; try apply law_ret. destruct a; [apply law_ret | assumption]. Qed.

Definition ks_bound (s : unit) (a : bool) : R := if a then 0 else / 2.

Lemma coins_ks s a x : Rabs (cdf (reward (coin fair) s a) x - cdf (reward (coin (ret (1 / 8))) s a) x) <= ks_bound s a.
Proof.
  destruct a; simpl reward; simpl ks_bound; [rewrite Rminus_eq_0, Rabs_R0; lra|].
  unfold cdf; rewrite E_ret; unfold fair; simpl. unfold Rabs.
  destruct (Rle_dec 0 x), (Rle_dec 1 x), (Rle_dec (1 / 8) x); simpl; destruct Rcase_abs; lra.
Qed.

Theorem printed_closeness_false :
  let pi := of_y_policy (repeat_at (1 / 8)) in
  let M := coin fair in let M' := coin (ret (1 / 8)) in
  (forall s a x, Rabs (cdf (reward M s a) x - cdf (reward M' s a) x) <= ks_bound s a) /\
  (forall s a, trans M' s a = trans M s a) /\
  value mean_weight M pi = 3 / 2 /\ value mean_weight M' pi = 1 / 4 /\
  INR (horizon M) * 1 * expected_cost M pi (fun _ s a => ks_bound s a) < Rabs (value mean_weight M' pi - value mean_weight M pi).
Proof.
  intros pi M M'. split; [apply coins_ks|]. split; [reflexivity|].
  assert (H1 : value mean_weight M pi = 3 / 2).
  { unfold pi, M. rewrite mean_of_two_steps; [|apply is_mdp_coin, law_fair | apply is_y_policy_repeat_at | reflexivity].
    simpl. destruct (Req_EM_T (0 + 0) (1 / 8)) as [H|_]; [lra|]. destruct (Req_EM_T (1 + 0) (1 / 8)) as [H|_]; [lra|]. simpl; field. }
  assert (H2 : value mean_weight M' pi = 1 / 4).
  { unfold pi, M'. rewrite mean_of_two_steps; [|apply is_mdp_coin, law_ret | apply is_y_policy_repeat_at | reflexivity].
    simpl. destruct (Req_EM_T (1 / 8 + 0) (1 / 8)) as [_|H]; [simpl; field | lra]. }
  split; [assumption|]. split; [assumption|]. rewrite H1, H2.
  assert (Hc : expected_cost M pi (fun _ s a => ks_bound s a) = / 2).
  { unfold expected_cost; simpl seq; cbn [sum]. rewrite E_history_law_S, !E_history_law_0.
    assert (Hb : forall r, r <> 1 / 8 -> pi (extend (start tt) false r tt) = ret true).
    { intros r Hr; unfold pi, of_y_policy; simpl. unfold collected; simpl.
      destruct (Req_EM_T (r + 0) (1 / 8)) as [H|_]; [lra | reflexivity]. }
    simpl. rewrite !Hb by lra. simpl; field. }
  rewrite Hc; simpl INR. unfold Rabs; destruct Rcase_abs; lra.
Qed.
