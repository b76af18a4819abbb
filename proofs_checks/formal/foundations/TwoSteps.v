(** * Policies of counterexamples, and their means

    The mean as an objective; the policy that always plays one action; two steps of a y-policy written out; the policy
    that repeats its action exactly at one reward so far. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp.
Import ListNotations.
Open Scope R_scope.

Definition mean_weight : R -> R := fun tau => tau.

(** ** A constant action earns its mean reward at every step *)

Definition always {S A} (a : A) : policy S A := fun _ => ret a.

Lemma is_policy_always {S A} (a : A) : is_policy (always (S := S) a).
Proof. intros h; apply law_ret. Qed.

Lemma mean_of_always {A} (M : mdp unit A) a m :
  is_mdp M -> E (reward M tt a) (fun r => r) = m -> value mean_weight M (always a) = INR (horizon M) * m.
Proof.
  intros HM Hm. unfold value, mean_weight.
  rewrite Phi_id_eq_mean by (apply law_return; [assumption | apply is_policy_always]).
  rewrite E_return_law.
  assert (H : forall t, E (history_law M (always a) t) collected = INR t * m); [|apply H].
  induction t as [|t IH].
  - rewrite E_history_law_0. change (E (init M) (fun _ => 0) = 0 * m). rewrite E_zero; ring.
  - rewrite E_history_law_S, S_INR.
    rewrite (E_ext _ _ (fun h => m + collected h)).
    + rewrite E_plus, E_const, IH by (apply law_history; [assumption | apply is_policy_always]). ring.
    + intros h. rewrite E_step; unfold always; rewrite E_ret.
      assert (Hs : state h = tt) by now destruct (state h). rewrite Hs.
      rewrite (E_ext _ _ (fun r => r + collected h)).
      * rewrite E_plus, Hm, E_const by (apply reward_law, HM). reflexivity.
      * intros r. rewrite (E_ext _ _ (fun _ => r + collected h)) by reflexivity.
        apply E_const, trans_law, HM.
Qed.

(** ** Two steps, written out *)

Lemma mean_of_two_steps {S A} (M : mdp S A) (pi : y_policy S A) :
  is_mdp M -> is_y_policy pi -> horizon M = 2%nat ->
  value mean_weight M (of_y_policy pi) =
  E (init M) (fun s => E (pi 0%nat s 0) (fun a => E (reward M s a) (fun r => E (trans M s a) (fun s' =>
    E (pi 1%nat s' (r + 0)) (fun a' => E (reward M s' a') (fun r' => r' + (r + 0))))))).
Proof.
  intros HM Hpi HT. assert (Hp : is_policy (of_y_policy pi)) by now apply is_policy_of_y_policy.
  unfold value, mean_weight. rewrite Phi_id_eq_mean by now apply law_return.
  rewrite E_return_law, HT, E_history_law_from_start. apply E_ext; intros s.
  rewrite E_run_S, E_step. apply E_ext; intros a; apply E_ext; intros r; apply E_ext; intros s'.
  rewrite E_run_S, E_step. apply E_ext; intros a'; apply E_ext; intros r'.
  rewrite (E_ext _ _ (fun _ => r' + (r + 0))); [apply E_const, trans_law, HM|]. intros s''.
  etransitivity; [apply E_ret | reflexivity].
Qed.

(** Play [false] first; then [false] exactly at the reward [y0]. *)
Definition repeat_at {S} (y0 : R) : y_policy S bool := fun t _ y =>
  match t with
  | O => ret false
  | _ => if Req_EM_T y y0 then ret false else ret true
  end.

Lemma is_y_policy_repeat_at {S} y0 : is_y_policy (repeat_at (S := S) y0).
Proof. intros [|t] s y; simpl; [apply law_ret|]. destruct (Req_EM_T y y0); apply law_ret. Qed.
