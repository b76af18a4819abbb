(** * Finite-horizon Markov decision processes

    States and actions range over arbitrary types; the initial law, the transitions, the rewards and the policy are
    finite laws.  A history is the list of completed steps (state, action, reward), latest first, with the current
    state.  Policies are randomised and see the whole history, hence also the time.

    Time counts completed steps: after [t] steps the history is the paper's xi_{t+1}, and the return is the sum of the
    [T] rewards of a history of [T] completed steps. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective.
Import ListNotations.
Open Scope R_scope.

(** ** Definitions *)

Record mdp (S A : Type) : Type := {
  horizon : nat;
  init : dist S;
  trans : S -> A -> dist S;
  reward : S -> A -> dist R
}.
Arguments horizon {S A} _.
Arguments init {S A} _.
Arguments trans {S A} _ _ _.
Arguments reward {S A} _ _ _.

Section Definitions.
  Context {S A : Type}.

  Record is_mdp (M : mdp S A) : Prop := {
    init_law : is_law (init M);
    trans_law : forall s a, is_law (trans M s a);
    reward_law : forall s a, is_law (reward M s a)
  }.

  (** The paper's normalisation, with bound [b] for its 1. *)
  Definition rewards_within (b : R) (M : mdp S A) : Prop :=
    forall s a, almost_surely (reward M s a) (fun r => 0 <= r <= b).

  Definition history : Type := (list (S * A * R) * S)%type.

  Definition time (h : history) : nat := length (fst h).
  Definition state (h : history) : S := snd h.
  Definition start (s : S) : history := ([], s).
  Definition extend (h : history) (a : A) (r : R) (s : S) : history := ((state h, a, r) :: fst h, s).

  (** The reward collected so far, the paper's J. *)
  Definition collected (h : history) : R := fold_right (fun step y => snd step + y) 0 (fst h).

  Definition policy : Type := history -> dist A.
  Definition is_policy (pi : policy) : Prop := forall h, is_law (pi h).

  (** Policies that see the time, the state and the reward so far; and those that see the time and the state. *)
  Definition y_policy : Type := nat -> S -> R -> dist A.
  Definition of_y_policy (pi : y_policy) : policy := fun h => pi (time h) (state h) (collected h).
  Definition is_y_policy (pi : y_policy) : Prop := forall t s y, is_law (pi t s y).

  Definition markov_policy : Type := nat -> S -> dist A.
  Definition of_markov_policy (pi : markov_policy) : policy := fun h => pi (time h) (state h).
  Definition is_markov_policy (pi : markov_policy) : Prop := forall t s, is_law (pi t s).

  (** One step: the action, then independently the reward and the next state. *)
  Definition step (M : mdp S A) (pi : policy) (h : history) : dist history :=
    bind (pi h) (fun a =>
    bind (reward M (state h) a) (fun r =>
    image (extend h a r) (trans M (state h) a))).

  (** The law of the history after [t] steps, the law of the return, and the objective of a policy. *)
  Fixpoint history_law (M : mdp S A) (pi : policy) (t : nat) : dist history :=
    match t with
    | O => image start (init M)
    | Datatypes.S t' => bind (history_law M pi t') (step M pi)
    end.

  Definition return_law (M : mdp S A) (pi : policy) : dist R := image collected (history_law M pi (horizon M)).

  Definition value (G : R -> R) (M : mdp S A) (pi : policy) : R := Phi G (return_law M pi).

  (** The history after [n] more steps from [h]: the same process read backwards in time. *)
  Fixpoint run (M : mdp S A) (pi : policy) (n : nat) (h : history) : dist history :=
    match n with
    | O => ret h
    | Datatypes.S n' => bind (step M pi h) (run M pi n')
    end.

  (** ** Expectations along the process *)

  Lemma collected_start s : collected (start s) = 0.
  Proof. reflexivity. Qed.

  Lemma collected_extend h a r s : collected (extend h a r s) = r + collected h.
  Proof. reflexivity. Qed.

  Lemma time_extend h a r s : time (extend h a r s) = Datatypes.S (time h).
  Proof. reflexivity. Qed.

  Lemma state_extend h a r s : state (extend h a r s) = s.
  Proof. reflexivity. Qed.

  Lemma E_step M pi h f :
    E (step M pi h) f =
    E (pi h) (fun a => E (reward M (state h) a) (fun r => E (trans M (state h) a) (fun s => f (extend h a r s)))).
  Proof.
    unfold step; rewrite E_bind; apply E_ext; intros a. rewrite E_bind; apply E_ext; intros r. apply E_image.
  Qed.

  Lemma E_history_law_0 M pi f : E (history_law M pi 0) f = E (init M) (fun s => f (start s)).
  Proof. apply E_image. Qed.

  Lemma E_history_law_S M pi t f :
    E (history_law M pi (Datatypes.S t)) f = E (history_law M pi t) (fun h => E (step M pi h) f).
  Proof. apply E_bind. Qed.

  Lemma E_run_S M pi n h f : E (run M pi (Datatypes.S n) h) f = E (step M pi h) (fun h' => E (run M pi n h') f).
  Proof. apply E_bind. Qed.

  (** Going [t] steps forward and then running [n] more is going [t + n] steps forward. *)
  Lemma E_history_law_run M pi t n f :
    E (history_law M pi (t + n)) f = E (history_law M pi t) (fun h => E (run M pi n h) f).
  Proof.
    revert t; induction n as [|n IH]; intros t.
    - rewrite Nat.add_0_r; apply E_ext; intros h; symmetry; apply E_ret.
    - rewrite Nat.add_succ_r, <- Nat.add_succ_l, IH, E_history_law_S.
      apply E_ext; intros h; now rewrite E_run_S.
  Qed.

  Lemma E_history_law_from_start M pi n f :
    E (history_law M pi n) f = E (init M) (fun s => E (run M pi n (start s)) f).
  Proof. now rewrite <- (Nat.add_0_l n), E_history_law_run, E_history_law_0. Qed.

  Lemma E_return_law M pi f : E (return_law M pi) f = E (history_law M pi (horizon M)) (fun h => f (collected h)).
  Proof. apply E_image. Qed.

  (** ** Laws stay laws *)

  Lemma law_step M pi h : is_mdp M -> is_policy pi -> is_law (step M pi h).
  Proof.
    intros HM Hpi; unfold step; apply law_bind; [apply Hpi | intros a].
    apply law_bind; [now apply reward_law | intros r; apply law_image; now apply trans_law].
  Qed.

  Lemma law_history M pi t : is_mdp M -> is_policy pi -> is_law (history_law M pi t).
  Proof.
    intros HM Hpi; induction t as [|t IH]; simpl.
    - apply law_image; now apply init_law.
    - apply law_bind; [assumption | intros h; now apply law_step].
  Qed.

  Lemma law_run M pi n h : is_mdp M -> is_policy pi -> is_law (run M pi n h).
  Proof.
    intros HM Hpi; revert h; induction n as [|n IH]; intros h; simpl; [apply law_ret|].
    apply law_bind; [now apply law_step | assumption].
  Qed.

  Lemma law_return M pi : is_mdp M -> is_policy pi -> is_law (return_law M pi).
  Proof. intros HM Hpi; apply law_image; now apply law_history. Qed.

  Lemma is_policy_of_y_policy pi : is_y_policy pi -> is_policy (of_y_policy pi).
  Proof. intros H h; apply H. Qed.

  Lemma is_policy_of_markov_policy pi : is_markov_policy pi -> is_policy (of_markov_policy pi).
  Proof. intros H h; apply H. Qed.

  (** ** What holds along every path *)

  Lemma as_step M pi h (P : history -> Prop) :
    almost_surely (pi h) (fun a => almost_surely (reward M (state h) a) (fun r =>
      almost_surely (trans M (state h) a) (fun s => P (extend h a r s)))) ->
    almost_surely (step M pi h) P.
  Proof.
    intros H; unfold step; apply as_bind; revert H; apply as_impl; intros a H.
    apply as_bind; revert H; apply as_impl; intros r H. now apply as_image.
  Qed.

  (** An invariant: true at the start and kept by every reward that can occur. *)
  Lemma history_invariant M pi (P : nat -> history -> Prop) :
    (forall s, P O (start s)) ->
    (forall t h a r s, P t h ->
       (exists p, In (r, p) (reward M (state h) a) /\ p <> 0) -> P (Datatypes.S t) (extend h a r s)) ->
    forall t, almost_surely (history_law M pi t) (P t).
  Proof.
    intros H0 HS t; induction t as [|t IH]; simpl.
    - apply as_image, as_always; assumption.
    - apply as_bind; revert IH; apply as_impl; intros h Hh.
      apply as_step; intros a pa _ _ r p Hr Hp s ps _ _. apply HS; [assumption | now exists p].
  Qed.

  Lemma history_time M pi t : almost_surely (history_law M pi t) (fun h => time h = t).
  Proof.
    apply (history_invariant M pi (fun t h => time h = t)); [reflexivity|].
    intros t' h a r s Hh _. now rewrite time_extend, Hh.
  Qed.

  Lemma history_collected_within M pi b t :
    rewards_within b M -> almost_surely (history_law M pi t) (fun h => 0 <= collected h <= INR t * b).
  Proof.
    intros Hb; apply (history_invariant M pi (fun t h => 0 <= collected h <= INR t * b)).
    - intros s; rewrite collected_start; simpl; lra.
    - intros t' h a r s Hh [p [Hr Hp]]. rewrite collected_extend, S_INR.
      pose proof (Hb _ _ r p Hr Hp); simpl in *; lra.
  Qed.

  Lemma return_within M pi b :
    rewards_within b M -> almost_surely (return_law M pi) (fun z => 0 <= z <= INR (horizon M) * b).
  Proof. intros Hb; apply as_image, history_collected_within, Hb. Qed.

End Definitions.

Arguments history : clear implicits.
Arguments policy : clear implicits.
Arguments y_policy : clear implicits.
Arguments markov_policy : clear implicits.
