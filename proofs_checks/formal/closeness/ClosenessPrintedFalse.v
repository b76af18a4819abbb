(** * The printed closeness of models is false      (paper: lem:genbound)

    lem:genbound bounds |Phi'(pi) - Phi(pi)| by T L_G E_{M, pi} sum_t ( ||P' - P||_1 + KS(R', R) ) for every policy,
    under the assumption F†(1) = T.  T = 2, one state, mean.  R(a) is 0 or 1 with probability 1/2 each and R'(a) = 1/8,
    both mixed with mass 1/10 at 1; b pays 1 in both.  Play a, then a if y = 1/8 and else b:  Phi = 31/20 and Phi' =
    403/800, and the printed right side is 2 * 9/20 = 9/10 < 837/800. *)

Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp Telescoping TwoSteps LargestReturn.
Import ListNotations.
Open Scope R_scope.

(** [false] is a, [true] is b. *)
Definition coin_paying (d : dist R) : mdp unit bool := {|
  horizon := 2;
  init := ret tt;
  trans := fun _ _ => ret tt;
  reward := fun _ (b : bool) => if b then ret 1 else mixed (1 / 10) d
|}.

Definition fair : dist R := [(0, / 2); (1, / 2)].

Lemma law_fair : is_law fair.
Proof. split; [intros x p [H|[H|[]]]; injection H as <- <-; lra | simpl; lra]. Qed.

Lemma is_mdp_coin_paying d : is_law d -> is_mdp (coin_paying d).
Proof.
  intros Hd; split; simpl; intros; try apply law_ret.
  destruct a; [apply law_ret | apply law_mixed; (lra || assumption)].
Qed.

Lemma coin_within d : almost_surely d (fun r => 0 <= r <= 1) -> rewards_within 1 (coin_paying d).
Proof. intros Hd s [|]; [apply as_ret; lra | now apply mixed_within]. Qed.

Lemma coin_satisfies_assumption d : is_law d -> almost_surely d (fun r => 0 <= r <= 1) ->
  satisfies_assumption (coin_paying d).
Proof.
  intros Hd Hw. apply rewards_at_1_satisfy_assumption with (1 / 10);
    [now apply is_mdp_coin_paying | now apply coin_within | lra|].
  intros s [|]; simpl reward; [unfold prob; rewrite E_ret, ind_yes by reflexivity; lra | apply mixed_at_1;
    [lra | apply Hd]].
Qed.

Definition ks_bound (s : unit) (a : bool) : R := if a then 0 else 9 / 20.

Lemma coins_ks s a x : Rabs (cdf (reward (coin_paying fair) s a) x - cdf (reward (coin_paying (ret (1 / 8))) s a) x) <=
  ks_bound s a.
Proof.
  destruct a; simpl reward; simpl ks_bound; [rewrite Rminus_eq_0, Rabs_R0; lra|].
  unfold cdf; rewrite !E_mixed, E_ret; unfold fair; simpl E. unfold Rabs.
  destruct (Rle_dec 0 x), (Rle_dec 1 x), (Rle_dec (1 / 8) x); simpl ind; destruct Rcase_abs; lra.
Qed.

Lemma fair_within : almost_surely fair (fun r => 0 <= r <= 1).
Proof. intros x p [H|[H|[]]] _; injection H as <- <-; lra. Qed.

(** Two steps of the policy, for any first law that never pays exactly 0 + 1/8, or always.
    Given: none: T = 2, one state, mean, a y-policy, F†(1) = T in both models; difference 837/800, printed right
    side 9/10. *)
Theorem printed_closeness_false :
  let pi := of_y_policy (repeat_at (1 / 8)) in
  let M := coin_paying fair in let M' := coin_paying (ret (1 / 8)) in
  is_mdp M /\ is_mdp M' /\ rewards_within 1 M /\ rewards_within 1 M' /\ satisfies_assumption M /\
    satisfies_assumption M' /\
  (forall s a x, Rabs (cdf (reward M s a) x - cdf (reward M' s a) x) <= ks_bound s a) /\
  (forall s a, trans M' s a = trans M s a) /\
  value mean_weight M pi = 31 / 20 /\ value mean_weight M' pi = 403 / 800 /\
  INR (horizon M) * 1 * expected_cost M pi (fun _ s a => ks_bound s a) <
    Rabs (value mean_weight M' pi - value mean_weight M pi).
Proof.
  intros pi M M'.
  assert (B' : almost_surely (ret (1 / 8)) (fun r => 0 <= r <= 1)) by (apply as_ret; lra).
  split; [apply is_mdp_coin_paying, law_fair|]. split; [apply is_mdp_coin_paying, law_ret|].
  split; [apply coin_within, fair_within|].
  split; [now apply coin_within|]. split; [apply coin_satisfies_assumption; [apply law_fair | apply fair_within]|].
  split; [apply coin_satisfies_assumption; [apply law_ret | assumption]|]. split; [apply coins_ks|].
  split; [reflexivity|].
  assert (H1 : value mean_weight M pi = 31 / 20).
  { unfold pi, M. rewrite mean_of_two_steps;
      [|apply is_mdp_coin_paying, law_fair | apply is_y_policy_repeat_at | reflexivity].
    simpl. destruct (Req_EM_T (0 + 0) (1 / 8)) as [H|_]; [lra|]. destruct (Req_EM_T (1 + 0) (1 / 8)) as [H|_]; [lra|].
    simpl; field. }
  assert (H2 : value mean_weight M' pi = 403 / 800).
  { unfold pi, M'. rewrite mean_of_two_steps;
      [|apply is_mdp_coin_paying, law_ret | apply is_y_policy_repeat_at | reflexivity].
    simpl. destruct (Req_EM_T (1 / 8 + 0) (1 / 8)) as [_|H]; [|lra].
    destruct (Req_EM_T (1 + 0) (1 / 8)) as [H|_]; [lra|]. simpl; field. }
  split; [assumption|]. split; [assumption|]. rewrite H1, H2.
  assert (Hc : expected_cost M pi (fun _ s a => ks_bound s a) = 9 / 20).
  { unfold expected_cost; simpl seq; cbn [sum]. rewrite E_history_law_S, !E_history_law_0.
    assert (Hb : forall r, r <> 1 / 8 -> pi (extend (start tt) false r tt) = ret true).
    { intros r Hr; unfold pi, of_y_policy; simpl. unfold collected; simpl.
      destruct (Req_EM_T (r + 0) (1 / 8)) as [H|_]; [lra | reflexivity]. }
    simpl. rewrite !Hb by lra. simpl; field. }
  rewrite Hc; simpl INR. unfold Rabs; destruct Rcase_abs; lra.
Qed.
