(** * Conditioning on "at most y so far" changes the return
    (paper: lem:augmented:1, lem:augmented:2, thm:augmented)

    The paper averages pi over the histories with J <= y.  Take T = 2, one state, actions a and b paying 0 and 1, and
    let pi toss a fair coin once and repeat the action.  Then Z is 0 or 2, each with probability 1/2, but under the
    printed tilde-pi

      P(Z = 0) = 1/2,   P(Z = 1) = 1/4,   P(Z = 2) = 1/4,

    so the mean falls from 1 to 3/4. *)

Require Import Reals Lra List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp OneState.
Import ListNotations.
Open Scope R_scope.

(** ** The printed construction *)

Section Printed.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.

  (** The event { J <= y, S = s }. *)
  Definition at_most_dec (y : R) (s : S) (h : history S A) :
    {collected h <= y /\ state h = s} + {~ (collected h <= y /\ state h = s)}.
  Proof.
    destruct (Rle_dec (collected h) y) as [Hy|Hy]; [destruct (state_dec (state h) s) as [Hs|Hs]|];
      [left; now split | right; tauto | right; tauto].
  Defined.

  Definition printed_augmented (M : mdp S A) (pi : policy S A) : y_policy S A := fun t s y =>
    let d := history_law M pi t in
    if Req_EM_T (prob d (at_most_dec y s)) 0 then pi (start s) else bind (given d (at_most_dec y s)) pi.

  Lemma E_printed_augmented M pi t s y f :
    prob (history_law M pi t) (at_most_dec y s) <> 0 ->
    E (printed_augmented M pi t s y) f =
    / prob (history_law M pi t) (at_most_dec y s) *
    E (history_law M pi t) (fun h => ind (at_most_dec y s h) * E (pi h) f).
  Proof.
    intros H; unfold printed_augmented. destruct (Req_EM_T _ 0); [contradiction|]. now rewrite E_bind, E_given.
  Qed.
End Printed.

(** ** The counterexample *)

(** Action [true] pays 1, action [false] pays 0. *)
Local Notation paid b := (if (b : bool) then 1 else 0).
Definition coin_mdp : mdp unit bool := one_state 2 (fun b : bool => ret (paid b)).

(** A fair coin first, then the same action again. *)
Definition toss_once : policy unit bool := fun h =>
  match fst h with
  | [] => [(true, 1 / 2); (false, 1 / 2)]
  | (_, b, _) :: _ => ret b
  end.

Lemma is_mdp_coin : is_mdp coin_mdp.
Proof. apply is_mdp_one_state; intros b; apply law_ret. Qed.

Lemma is_policy_toss_once : is_policy toss_once.
Proof.
  intros [[|[[s b] r] past] s']; unfold toss_once; simpl; [|apply law_ret].
  split; [|simpl; lra]. intros x p [H|[H|[]]]; injection H as <- <-; lra.
Qed.

Local Notation root := (nothing_played (A := bool)).
Local Notation next b := (after b (paid b)).

Lemma E_coin_history_0 pi f : E (history_law coin_mdp pi 0) f = f root.
Proof. apply E_one_state_0. Qed.

Lemma E_coin_history_1 pi f : E (history_law coin_mdp pi 1) f = E (pi root) (fun b => f (next b)).
Proof. unfold coin_mdp. rewrite E_one_state_1. apply E_ext; intros b. now rewrite E_ret. Qed.

Lemma E_coin_return pi f :
  E (return_law coin_mdp pi) f = E (pi root) (fun b => E (pi (next b)) (fun c => f (paid c + paid b))).
Proof.
  unfold coin_mdp. rewrite E_one_state_return. apply E_ext; intros b. rewrite E_ret. apply E_ext; intros c.
  now rewrite E_ret.
Qed.

Lemma return_of_toss_once f : E (return_law coin_mdp toss_once) f = 1 / 2 * f 0 + 1 / 2 * f 2.
Proof.
  rewrite E_coin_return; unfold toss_once; simpl. replace (1 + 1) with 2 by ring. replace (0 + 0) with 0 by ring. ring.
Qed.

Lemma ind_below y (h : history unit bool) : ind (at_most_dec unit_dec y tt h) = ind (Rle_dec (collected h) y).
Proof.
  unfold at_most_dec; destruct h as [past []]; simpl. now destruct (Rle_dec _ y).
Qed.

Local Definition tilde := of_y_policy (printed_augmented unit_dec coin_mdp toss_once).

(** The first choice is the fair coin; after reward 0 the action paying 0 is repeated; after reward 1 the printed
    condition mixes both histories and the choice is again a fair coin. *)
Lemma printed_first f : E (tilde root) f = 1 / 2 * f true + 1 / 2 * f false.
Proof.
  unfold tilde, of_y_policy. change (time root) with 0%nat. change (collected root) with 0.
  assert (Hp : prob (history_law coin_mdp toss_once 0) (at_most_dec unit_dec 0 (state root)) = 1).
  { unfold prob. rewrite E_coin_history_0. apply ind_yes. change (collected root) with 0; split; [lra | reflexivity]. }
  rewrite E_printed_augmented; rewrite Hp; [|lra].
  rewrite E_coin_history_0, ind_yes by (change (collected root) with 0; split; [lra | reflexivity]).
  unfold toss_once; simpl; lra.
Qed.

Lemma printed_prob_after (b : bool) :
  prob (history_law coin_mdp toss_once 1) (at_most_dec unit_dec (collected (next b)) (state (next b))) =
  if b then 1 else 1 / 2.
Proof.
  unfold prob. rewrite E_coin_history_1. unfold toss_once; simpl E.
  change (state (next b)) with tt. rewrite !ind_below, !collected_after.
  destruct b.
  - rewrite !ind_yes by lra. lra.
  - rewrite ind_no, ind_yes by lra. lra.
Qed.

Lemma printed_second (b : bool) f :
  E (tilde (next b)) f = if b then 1 / 2 * f true + 1 / 2 * f false else f false.
Proof.
  unfold tilde, of_y_policy. change (time (next b)) with 1%nat.
  rewrite E_printed_augmented; rewrite printed_prob_after; [|destruct b; lra].
  rewrite E_coin_history_1. unfold toss_once; simpl E.
  change (state (next b)) with tt. rewrite !ind_below, !collected_after.
  destruct b.
  - rewrite !ind_yes by lra. lra.
  - rewrite ind_no, ind_yes by lra. lra.
Qed.

(** The law of the return under the printed policy, through all its expectations.
    Given: none: T = 2, one state, two actions; the law of the return computed.
    In words: 02-augmentation.md#augmented-refuted. *)
Theorem return_of_printed_augmented f :
  E (return_law coin_mdp (of_y_policy (printed_augmented unit_dec coin_mdp toss_once))) f =
  1 / 2 * f 0 + 1 / 4 * f 1 + 1 / 4 * f 2.
Proof.
  rewrite E_coin_return. fold tilde. rewrite printed_first, !printed_second.
  replace (1 + 1) with 2 by ring. replace (0 + 1) with 1 by ring. replace (0 + 0) with 0 by ring. lra.
Qed.

Lemma is_policy_printed : is_policy tilde.
Proof.
  apply is_policy_of_y_policy; intros t s y; unfold printed_augmented.
  destruct (Req_EM_T _ 0); [apply is_policy_toss_once|].
  apply law_bind; [|apply is_policy_toss_once].
  apply law_given; [apply law_history; [apply is_mdp_coin | apply is_policy_toss_once] | assumption].
Qed.

(** thm:augmented as printed is false, already for the mean.
    Given: none: T = 2, one state, two actions; mean 1 becomes 3/4.
    In words: 02-augmentation.md#augmented-refuted. *)
Theorem printed_augmentation_changes_value :
  value (fun tau => tau) coin_mdp toss_once = 1 /\
  value (fun tau => tau) coin_mdp (of_y_policy (printed_augmented unit_dec coin_mdp toss_once)) = 3 / 4.
Proof.
  unfold value; split; rewrite Phi_id_eq_mean.
  - rewrite return_of_toss_once; lra.
  - apply law_return; [apply is_mdp_coin | apply is_policy_toss_once].
  - rewrite return_of_printed_augmented; lra.
  - apply law_return; [apply is_mdp_coin | apply is_policy_printed].
Qed.

(** lem:augmented:1 as printed, at t = 2 (one completed step), y = 1 and the action paying 0: 1/2 against 3/4.
    Given: none: T = 2, one state, two actions.
    In words: 02-augmentation.md#augmented-refuted. *)
Theorem printed_average_differs :
  let is_a := fun b : bool => if b then 0 else 1 in
  E (history_law coin_mdp toss_once 1) (fun h => ind (at_most_dec unit_dec 1 tt h) * E (toss_once h) is_a) = 1 / 2 /\
  E (history_law coin_mdp toss_once 1) (fun h => ind (at_most_dec unit_dec 1 tt h) * E (tilde h) is_a) = 3 / 4.
Proof.
  intros is_a; split; rewrite E_coin_history_1; unfold toss_once; simpl E;
    rewrite ?printed_second, !ind_below, !collected_after, !ind_yes by lra; unfold is_a; lra.
Qed.
