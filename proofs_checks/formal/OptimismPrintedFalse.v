(** * A given y-policy may do worse in the optimistic model      (paper: lem:optimismhat)

    The paper claims Phi^(pi) >= Phi(pi) for every policy pi on the event.  Take T = 2, one ordinary state, action a paying
    15/16 and action b paying 0, estimates that are exact (so that the event certainly holds), radius 1/2, and the policy
    that plays a and then plays a again if y = 15/16, else b: optimal in the true model.  For the mean, in the corrected
    optimistic model,

      Phi^(pi) = 235/128   <   Phi(pi) = 240/128. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp OneState QuantileCoupling OptimisticModel.
Import ListNotations.
Open Scope R_scope.

(** [false] is a, [true] is b. *)
Definition payment (b : bool) : dist R := ret (if b then 0 else 15 / 16).
Definition true_model : mdp unit bool := one_state 2 payment.

Definition exact_P (s : unit) (b : bool) : dist unit := ret tt.
Definition exact_R (s : unit) (b : bool) : dist R := payment b.
Definition half (s : unit) (b : bool) : R := 1 / 2.

Definition optimistic_model : mdp (option unit) bool := optimistic unit_dec [tt] true_model exact_P exact_R half.

(** The same rule in both models: it looks at the time and at y only. *)
Definition again {S} : y_policy S bool := fun t _ y =>
  ret (if Nat.eqb t 0 then false else if Req_EM_T y (15 / 16) then false else true).

Lemma is_policy_again {S} : is_policy (of_y_policy (again (S := S))).
Proof. intros h; apply law_ret. Qed.

Lemma is_mdp_true : is_mdp true_model.
Proof. apply is_mdp_one_state; intros b; apply law_ret. Qed.

Lemma exact_estimates : estimates exact_P exact_R half.
Proof.
  split; intros; try apply law_ret; [|unfold half; lra]. apply as_ret. destruct a; lra.
Qed.

Lemma event_is_certain : hoeffding_event unit_dec true_model exact_P half /\ dkw_event true_model exact_R half.
Proof.
  split.
  - intros s a s'. simpl. unfold exact_P, half. lra.
  - intros s a x. simpl. unfold exact_R. rewrite Rminus_eq_0, Rabs_R0. unfold half; lra.
Qed.

Lemma true_value : value (fun tau => tau) true_model (of_y_policy again) = 240 / 128.
Proof.
  unfold true_model. rewrite (mean_one_state _ _ false (fun r => if Req_EM_T r (15 / 16) then false else true)).
  - unfold payment. rewrite E_ret. destruct (Req_EM_T (15 / 16) (15 / 16)); [|lra]. rewrite E_ret; lra.
  - intros b; apply law_ret.
  - apply is_policy_again.
  - reflexivity.
  - intros r. unfold of_y_policy, again. now rewrite collected_after.
Qed.

(** ** The optimistic model *)

Lemma optimistic_trans b f : E (trans optimistic_model (Some tt) b) f = 1 / 2 * f None + 1 / 2 * f (Some tt).
Proof.
  unfold optimistic_model. rewrite E_optimistic_trans.
  assert (Hl : low unit_dec exact_P half tt b tt = 1 / 2).
  { unfold low, exact_P, half, mass. rewrite E_ret, ind_yes by reflexivity. rewrite Rmax_right; lra. }
  unfold jump. cbn [sum]. rewrite Hl. lra.
Qed.

Lemma optimistic_reward b f :
  E (reward optimistic_model (Some tt) b) f = 1 / 2 * f 1 + 1 / 2 * f (if b then 0 else 15 / 16).
Proof.
  simpl. unfold raise, exact_R, payment, half. simpl.
  rewrite Rmin_right, Rmax_right by lra. lra.
Qed.

Lemma at_infinity b f : E (reward optimistic_model None b) f = f 1 /\ forall g, E (trans optimistic_model None b) g = g None.
Proof. split; [apply E_ret | intros g; apply E_ret]. Qed.

Lemma optimistic_value : value (fun tau => tau) optimistic_model (of_y_policy again) = 235 / 128.
Proof.
  assert (HM : is_mdp optimistic_model).
  { apply is_mdp_optimistic; [repeat constructor; intros [] | intros []; now left | apply is_mdp_true | apply exact_estimates]. }
  unfold value. rewrite Phi_id_eq_mean by (apply law_return; [exact HM | apply is_policy_again]).
  rewrite E_return_law. change (horizon optimistic_model) with 2%nat.
  rewrite E_history_law_S, E_history_law_S, E_history_law_0.
  change (init optimistic_model) with (image Some (ret tt)). rewrite E_image, E_ret.
  (* first step: action a *)
  rewrite E_step. change (of_y_policy again (start (Some tt))) with (ret (X := bool) false). rewrite E_ret.
  change (state (start (Some tt) : history (option unit) bool)) with (Some tt).
  rewrite optimistic_reward, !optimistic_trans.
  (* second step, by the reward and the state reached *)
  assert (Hinf : forall r, E (step optimistic_model (of_y_policy again) (extend (start (Some tt)) false r None)) collected = 1 + r).
  { intros r. rewrite E_step. unfold of_y_policy at 1, again. rewrite E_ret.
    rewrite (proj1 (at_infinity _ _)), (proj2 (at_infinity _ (fun _ => 0))).
    unfold collected; simpl; ring. }
  assert (Hord : forall r, E (step optimistic_model (of_y_policy again) (extend (start (Some tt)) false r (Some tt))) collected =
    1 / 2 * (1 + r) + 1 / 2 * ((if Req_EM_T r (15 / 16) then 15 / 16 else 0) + r)).
  { intros r. rewrite E_step. unfold of_y_policy at 1, again. rewrite E_ret.
    change (state (extend (start (Some tt)) false r (Some tt) : history (option unit) bool)) with (Some tt).
    rewrite optimistic_reward, !optimistic_trans. unfold collected; simpl.
    rewrite Rplus_0_r. destruct (Req_EM_T r (15 / 16)); lra. }
  rewrite !Hinf, !Hord.
  destruct (Req_EM_T 1 (15 / 16)); [lra|]. destruct (Req_EM_T (15 / 16) (15 / 16)); [lra | lra].
Qed.

Theorem optimism_fails_for_a_given_y_policy :
  hoeffding_event unit_dec true_model exact_P half /\ dkw_event true_model exact_R half /\
  (forall pi, is_policy pi -> value (fun tau => tau) true_model pi <= value (fun tau => tau) true_model (of_y_policy again)) /\
  value (fun tau => tau) optimistic_model (of_y_policy again) < value (fun tau => tau) true_model (of_y_policy again).
Proof.
  split; [apply event_is_certain|]. split; [apply event_is_certain|]. split.
  - intros pi Hpi. rewrite true_value.
    apply (Phi_range (fun tau => tau) weighting_id (return_law true_model pi) 0); [apply law_return; [apply is_mdp_true | assumption]|].
    assert (Hw : rewards_within (15 / 16) true_model) by (intros s [|]; apply as_ret; lra).
    pose proof (return_within true_model pi (15 / 16) Hw) as H; revert H; apply as_impl; intros z Hz; simpl in Hz; lra.
  - rewrite true_value, optimistic_value; lra.
Qed.
