(** * The printed internal state of the second adaptation is wrong      (paper: lem:picdfbound, lem:piphibound)

    To play a policy pi of M in hat-M, where step tau is rounded, the paper keeps an internal state alpha, plays
    pi(y + alpha), and sets alpha = r after step tau, r drawn given the rounded reward rho.  It should be alpha = r -
    rho. With T = 2, tau = 1, eta = 1, action a paying 3/4 and b paying 0, and pi playing a and then a again iff y =
    3/4:

      Z = 3/2 in M;   in hat-M the printed rule gives Z^ = 1 < Z, the rule alpha = r - rho gives Z^ = 7/4. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp Summary RoundingRule Discretisation
  DiscretisationOneStep TwoSteps.
Import ListNotations.
Open Scope R_scope.

(** [false] is a, [true] is b; the state carries the step. *)
Definition timed : mdp (unit * nat) bool := {|
  horizon := 2;
  init := ret (tt, O);
  trans := fun s _ => ret (fst s, S (snd s));
  reward := fun _ (b : bool) => ret (if b then 0 else 3 / 4)
|}.

Lemma is_mdp_timed : is_mdp timed.
Proof. split; intros; apply law_ret. Qed.

(** The first step, our step 0, is rounded up to the grid of width 1. *)
Definition timed_hat : mdp (unit * nat) bool := replaced (round_at 1 0) timed.

(** pi(y + alpha) in the second step. *)
Definition shifted (alpha : R) : y_policy (unit * nat) bool := fun t s y =>
  match t with
  | O => repeat_at (3 / 4) t s y
  | _ => repeat_at (3 / 4) t s (y + alpha)
  end.

Lemma is_y_policy_shifted alpha : is_y_policy (shifted alpha).
Proof. intros [|t] s y; apply is_y_policy_repeat_at. Qed.

Lemma rounded_reward : round_up 1 (3 / 4) = 1.
Proof. rewrite (round_up_eq 1 (3 / 4) 1) by (simpl; lra). ring. Qed.

(** Given: none: T = 2, eta = 1, mean: 1 with the printed rule, 3/2 in the raw model, 7/4 with the right rule.
    In words: 03-discretisation.md#adaptation-printed. *)
Theorem printed_internal_state_fails :
  value mean_weight timed (of_y_policy (repeat_at (3 / 4))) = 3 / 2 /\
  value mean_weight timed_hat (of_y_policy (shifted (3 / 4))) = 1 /\
  value mean_weight timed_hat (of_y_policy (shifted (3 / 4 - round_up 1 (3 / 4)))) = 7 / 4.
Proof.
  assert (Hhat : is_mdp timed_hat) by (apply is_mdp_replaced, is_mdp_timed).
  rewrite rounded_reward. split; [|split].
  - rewrite mean_of_two_steps; [|apply is_mdp_timed | apply is_y_policy_repeat_at | reflexivity].
    simpl. destruct (Req_EM_T (3 / 4 + 0) (3 / 4)); [simpl; lra | lra].
  - rewrite mean_of_two_steps; [|exact Hhat | apply is_y_policy_shifted | reflexivity].
    simpl. unfold round_at; simpl. rewrite rounded_reward.
    destruct (Req_EM_T (1 + 0 + 3 / 4) (3 / 4)); [lra | simpl; lra].
  - rewrite mean_of_two_steps; [|exact Hhat | apply is_y_policy_shifted | reflexivity].
    simpl. unfold round_at; simpl. rewrite rounded_reward.
    destruct (Req_EM_T (1 + 0 + (3 / 4 - 1)) (3 / 4)); [simpl; lra | lra].
Qed.
