(** * Finite-horizon decision processes with joint, time-dependent outcomes and a discount

    This is the model of the certificate checker.  It is more general than [Mdp.v]: the label of the reward and the
    next state are drawn jointly, from a law that may depend on the time; a label [o] is worth [worth o], and the
    return discounts what is earned after [t] steps by [discount ^ t].  Policies are randomised and see the whole
    history.  [jmdp_of_mdp] shows that the product form of [Mdp.v] is an instance with the same law of the return. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp.
Import ListNotations.
Open Scope R_scope.

Record jmdp (S A B : Type) : Type := {
  jhorizon : nat;
  jinit : dist S;
  kernel : nat -> S -> A -> dist (B * S);
  allowed_action : nat -> S -> A -> Prop;
  worth : B -> R;
  discount : R
}.
Arguments jhorizon {S A B} _.
Arguments jinit {S A B} _.
Arguments kernel {S A B} _ _ _ _.
Arguments allowed_action {S A B} _ _ _ _.
Arguments worth {S A B} _ _.
Arguments discount {S A B} _.

Section Definitions.
  Context {S A B : Type}.

  Record is_jmdp (M : jmdp S A B) : Prop := {
    jinit_law : is_law (jinit M);
    kernel_law : forall t s a, is_law (kernel M t s a)
  }.

  (** The completed steps, latest first, and the current state. *)
  Definition jhistory : Type := (list (S * A * B) * S)%type.
  Definition jtime (h : jhistory) : nat := length (fst h).
  Definition jstate (h : jhistory) : S := snd h.
  Definition jextend (h : jhistory) (a : A) (os : B * S) : jhistory := ((jstate h, a, fst os) :: fst h, snd os).

  (** The discounted return of a list of steps, latest first. *)
  Fixpoint earned (M : jmdp S A B) (l : list (S * A * B)) : R :=
    match l with
    | [] => 0
    | (_, _, o) :: l' => earned M l' + discount M ^ length l' * worth M o
    end.

  Definition jpolicy : Type := jhistory -> dist A.
  Definition is_jpolicy (pi : jpolicy) : Prop := forall h, is_law (pi h).

  (** The policy plays only actions that the model allows. *)
  Definition plays_allowed (M : jmdp S A B) (pi : jpolicy) : Prop :=
    forall h, (jtime h < jhorizon M)%nat -> almost_surely (pi h) (allowed_action M (jtime h) (jstate h)).

  Definition jstep (M : jmdp S A B) (pi : jpolicy) (h : jhistory) : dist jhistory :=
    bind (pi h) (fun a => image (jextend h a) (kernel M (jtime h) (jstate h) a)).

  (** The history after [n] more steps. *)
  Fixpoint jrun (M : jmdp S A B) (pi : jpolicy) (n : nat) (h : jhistory) : dist jhistory :=
    match n with
    | O => ret h
    | Datatypes.S n' => bind (jstep M pi h) (jrun M pi n')
    end.

  Definition full_history_law (M : jmdp S A B) (pi : jpolicy) : dist jhistory :=
    bind (jinit M) (fun s => jrun M pi (jhorizon M) ([], s)).

  Definition jreturn_law (M : jmdp S A B) (pi : jpolicy) : dist R :=
    image (fun h => earned M (fst h)) (full_history_law M pi).

  (** ** Expectations and laws *)

  Lemma E_jstep M pi h f :
    E (jstep M pi h) f = E (pi h) (fun a => E (kernel M (jtime h) (jstate h) a) (fun os => f (jextend h a os))).
  Proof. unfold jstep; rewrite E_bind; apply E_ext; intros a. apply E_image. Qed.

  Lemma E_jrun_S M pi n h f : E (jrun M pi (Datatypes.S n) h) f = E (jstep M pi h) (fun h' => E (jrun M pi n h') f).
  Proof. apply E_bind. Qed.

  Lemma E_jreturn_law M pi f :
    E (jreturn_law M pi) f = E (jinit M) (fun s => E (jrun M pi (jhorizon M) ([], s)) (fun h => f (earned M (fst h)))).
  Proof. unfold jreturn_law, full_history_law. now rewrite E_image, E_bind. Qed.

  Lemma law_jstep M pi h : is_jmdp M -> is_jpolicy pi -> is_law (jstep M pi h).
  Proof. intros HM Hpi. apply law_bind; [apply Hpi|]. intros a. apply law_image. now apply kernel_law. Qed.

  Lemma law_jrun M pi n h : is_jmdp M -> is_jpolicy pi -> is_law (jrun M pi n h).
  Proof.
    intros HM Hpi; revert h; induction n as [|n IH]; intros h; cbn [jrun]; [apply law_ret|].
    apply law_bind; [now apply law_jstep | assumption].
  Qed.

  Lemma law_jreturn M pi : is_jmdp M -> is_jpolicy pi -> is_law (jreturn_law M pi).
  Proof.
    intros HM Hpi. apply law_image, law_bind; [now apply jinit_law|]. intros s. now apply law_jrun.
  Qed.
End Definitions.
Arguments jhistory : clear implicits.
Arguments jpolicy : clear implicits.

(** ** The product form of [Mdp.v] is an instance *)

Section Product.
  Context {S A : Type}.
  Variable M : mdp S A.

  Definition jmdp_of_mdp : jmdp S A R := {|
    jhorizon := horizon M;
    jinit := init M;
    kernel := fun _ s a => bind (reward M s a) (fun r => image (pair r) (trans M s a));
    allowed_action := fun _ _ _ => True;
    worth := fun r => r;
    discount := 1
  |}.

  Lemma is_jmdp_of_mdp : is_mdp M -> is_jmdp jmdp_of_mdp.
  Proof.
    intros HM; split; [apply HM|]. intros t s a. apply law_bind; [apply HM|]. intros r. apply law_image, HM.
  Qed.

  Lemma earned_eq_collected (h : history S A) : earned jmdp_of_mdp (fst h) = collected h.
  Proof.
    destruct h as [l s]; unfold collected; cbn [fst]. induction l as [|[[s0 a] r] l IH]; cbn; [reflexivity|].
    rewrite IH, pow1. ring.
  Qed.

  Lemma E_jrun_eq_run (pi : policy S A) n h f : E (jrun jmdp_of_mdp pi n h) f = E (run M pi n h) f.
  Proof.
    revert h; induction n as [|n IH]; intros h; [reflexivity|].
    rewrite E_jrun_S, E_run_S, E_jstep, E_step. apply E_ext; intros a. cbn [kernel jmdp_of_mdp]. rewrite E_bind.
    apply E_ext; intros r. rewrite E_image. apply E_ext; intros s. apply IH.
  Qed.

  (** The same policies have the same law of the return. *)
  Theorem jreturn_law_of_mdp (pi : policy S A) f : E (jreturn_law jmdp_of_mdp pi) f = E (return_law M pi) f.
  Proof.
    rewrite E_jreturn_law, E_return_law, E_history_law_from_start. apply E_ext; intros s.
    cbn [jhorizon jmdp_of_mdp]. rewrite E_jrun_eq_run. apply E_ext; intros h. now rewrite earned_eq_collected.
  Qed.
End Product.
