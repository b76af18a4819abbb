(** * Two steps in one state: the return written out

    Most printed claims already fail with one state and two steps.  Here the reward law depends on the action only, and
    the expectation of a function of the return is a sum over two actions and two rewards. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp Telescoping.
Import ListNotations.
Open Scope R_scope.

Definition unit_dec (s s' : unit) : {s = s'} + {s <> s'}.
Proof. destruct s, s'; now left. Defined.

Definition one_state {A} (T : nat) (rewards : A -> dist R) : mdp unit A := {|
  horizon := T;
  init := ret tt;
  trans := fun _ _ => ret tt;
  reward := fun _ a => rewards a
|}.

Section OneState.
  Context {A : Type}.
  Variable rewards : A -> dist R.
  Local Notation M := (one_state 2 rewards).

  Lemma is_mdp_one_state T : (forall a, is_law (rewards a)) -> is_mdp (one_state T rewards).
  Proof. intros H; split; simpl; intros; try apply law_ret; apply H. Qed.

  Definition nothing_played : history unit A := start tt.
  Definition after (a : A) (r : R) : history unit A := extend nothing_played a r tt.

  Lemma collected_after a r : collected (after a r) = r.
  Proof. unfold after; rewrite collected_extend; unfold nothing_played; rewrite collected_start; ring. Qed.

  Lemma E_one_state_step pi h f :
    E (step M pi h) f = E (pi h) (fun a => E (rewards a) (fun r => f (extend h a r tt))).
  Proof.
    rewrite E_step. apply E_ext; intros a. apply E_ext; intros r. apply (E_ret tt (fun s => f (extend h a r s))).
  Qed.

  Lemma E_one_state_0 pi f : E (history_law M pi 0) f = f nothing_played.
  Proof. rewrite E_history_law_0. apply (E_ret tt (fun s => f (start s))). Qed.

  Lemma E_one_state_1 pi f : E (history_law M pi 1) f =
    E (pi nothing_played) (fun a => E (rewards a) (fun r => f (after a r))).
  Proof. now rewrite E_history_law_S, E_one_state_0, E_one_state_step. Qed.

  Lemma E_one_state_return pi f :
    E (return_law M pi) f =
    E (pi nothing_played) (fun a => E (rewards a)
      (fun r => E (pi (after a r)) (fun b => E (rewards b) (fun q => f (q + r))))).
  Proof.
    rewrite E_return_law. change (horizon M) with 2%nat. rewrite E_history_law_S, E_one_state_1.
    apply E_ext; intros a. apply E_ext; intros r. rewrite E_one_state_step.
    apply E_ext; intros b. apply E_ext; intros q. now rewrite collected_extend, collected_after.
  Qed.

  (** The mean of a policy that is deterministic along the way. *)
  Lemma mean_one_state pi a (choice : R -> A) :
    (forall a, is_law (rewards a)) -> is_policy pi -> pi nothing_played = ret a ->
      (forall r, pi (after a r) = ret (choice r)) ->
    value (fun tau => tau) M pi = E (rewards a) (fun r => E (rewards (choice r)) (fun q => q) + r).
  Proof.
    intros Hl Hpi H0 H1. unfold value.
    rewrite Phi_id_eq_mean by (apply law_return; [now apply is_mdp_one_state | assumption]).
    rewrite E_one_state_return, H0, E_ret. apply E_ext; intros r. rewrite H1, E_ret, E_plus, E_const by apply Hl.
    reflexivity.
  Qed.

  (** The paper's B(pi): expected errors of the pairs met. *)
  Lemma expected_cost_one_state pi err :
    expected_cost M pi (fun _ _ a => err a) =
    E (pi nothing_played) err + E (pi nothing_played) (fun a => E (rewards a) (fun r => E (pi (after a r)) err)).
  Proof.
    unfold expected_cost. change (horizon M) with 2%nat. cbn [seq sum]. rewrite E_one_state_0, E_one_state_1, Rplus_0_r.
    reflexivity.
  Qed.
End OneState.
