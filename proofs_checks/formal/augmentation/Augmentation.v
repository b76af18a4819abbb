(** * State and reward so far suffice      (paper: lem:augmented:1, lem:augmented:2, thm:augmented)

    Let pi be any randomised history-dependent policy of any MDP, and let tilde-pi choose, at time t in state s with
    reward so far y, as pi does on average over the histories with J = y and state s.  Then

      E[ pi(a | H_t) ; J = y, S = s ]  =  E[ tilde-pi(a | H_t) ; J = y, S = s ]      for every a, y, s, t,
      (J(H_t), S(H_t)) has the same joint law under pi and tilde-pi                   for every t,
      Phi(tilde-pi) = Phi(pi)                                                         for every weighting G.

    The paper conditions on J <= y; that this changes the law of the return is shown in
    [AugmentationPrintedFalse.v]. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp Summary.
Import ListNotations.
Open Scope R_scope.

Section Augmentation.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Load "setup/Policy".

  (** The event { J = y, S = s }. *)
  Definition here_dec (y : R) (s : S) : forall h : history S A, {summary (fun _ r => r) h = (y, s)} + {_} :=
    summary_dec state_dec (fun _ r => r) (y, s).

  (** tilde-pi: as pi on average given { J = y, S = s }. *)
  Definition augmented : y_policy S A := conditioned state_dec (fun _ r => r) M pi.

  Lemma augmented_unfold t s y :
    augmented t s y = let d := history_law M pi t in
      if Req_EM_T (prob d (here_dec y s)) 0 then pi (start s) else bind (given d (here_dec y s)) pi.
  Proof. reflexivity. Qed.

  Lemma is_y_policy_augmented : is_y_policy augmented.
  Proof. now apply is_y_policy_conditioned. Qed.

  Lemma records_itself : records (fun _ r => r) M M.
  Proof. split; reflexivity. Qed.

  (** lem:augmented:1, corrected; [f] ranges over all functions of the action, in particular indicators.
      Given: any MDP with finite laws, any randomised history-dependent policy, equality of states decidable.
      Differs: cell by cell, J = y; the claim's J <= y adds up cells. *)
  Theorem augmented_same_average t y s (f : A -> R) :
    E (history_law M pi t) (fun h => ind (here_dec y s h) * E (pi h) f) =
    E (history_law M pi t) (fun h => ind (here_dec y s h) * E (of_y_policy augmented h) f).
  Proof.
    pose proof (conditioned_same_average state_dec (fun _ r => r) M pi HM Hpi t
      (fun y' s' a => (if Req_EM_T y' y then if state_dec s' s then 1 else 0 else 0) * f a)) as H.
    assert (Hi : forall h, ind (here_dec y s h) =
                 if Req_EM_T (recorded (fun _ r => r) h) y then if state_dec (state h) s then 1 else 0 else 0).
    { intros h; unfold here_dec, summary_dec. destruct (Req_EM_T _ y); [|reflexivity].
      now destruct (state_dec (state h) s). }
    rewrite (E_ext_as _ (fun h => ind (here_dec y s h) * E (of_y_policy augmented h) f)
      (fun h => E (conditioned state_dec (fun _ r => r) M pi t (state h) (recorded (fun _ r => r) h))
         (fun a => (if Req_EM_T (recorded (fun _ r => r) h) y then if state_dec (state h) s then 1 else 0
           else 0) * f a))).
    - rewrite H; apply E_ext; intros h. now rewrite E_scal, Hi.
    - pose proof (history_time M pi t) as Ht; revert Ht; apply as_impl; intros h Hh.
      rewrite E_scal, Hi; unfold of_y_policy; now rewrite Hh.
  Qed.

  (** lem:augmented:2, corrected: the joint law of (J, S), through all its expectations.
      Given: as augmented_same_average; every t, any function of (J, S).
      Differs: for the law of the return take t = T and functions of J. *)
  Theorem augmented_same_joint_law t (g : R -> S -> R) :
    E (history_law M (of_y_policy augmented) t) (fun h => g (collected h) (state h)) =
    E (history_law M pi t) (fun h => g (collected h) (state h)).
  Proof. apply (joint_law_of_summary state_dec (fun _ r => r) M pi HM Hpi M records_itself). Qed.

  Theorem augmented_same_return_law f : E (return_law M (of_y_policy augmented)) f = E (return_law M pi) f.
  Proof. rewrite !E_return_law; apply (augmented_same_joint_law (horizon M) (fun y _ => f y)). Qed.

  (** thm:augmented.
      Given: as augmented_same_average; G as in the key identity.
      Differs: every objective is the same. *)
  Theorem augmented_same_value G : weighting G -> value G M (of_y_policy augmented) = value G M pi.
  Proof.
    intros HG; apply Phi_of_same_expectations; [assumption | | now apply law_return | apply augmented_same_return_law].
    apply law_return; [assumption | apply is_policy_of_y_policy, is_y_policy_augmented].
  Qed.
End Augmentation.

(** Consequence: whatever is optimal among y-policies is optimal among all policies.
    Given: any MDP with finite laws, decidable states; an upper bound over y-policies bounds all policies.
    Differs: M itself, not the augmented MDP.
    Step of: def:augmented. *)
Theorem best_y_policy_is_best {S A} (state_dec : forall s s' : S, {s = s'} + {s <> s'}) (M : mdp S A) G best :
  is_mdp M -> weighting G ->
  (forall pi, is_y_policy pi -> value G M (of_y_policy pi) <= best) ->
  forall pi, is_policy pi -> value G M pi <= best.
Proof.
  intros HM HG H pi Hpi. rewrite <- (augmented_same_value state_dec M pi HM Hpi G HG).
  apply H; now apply is_y_policy_augmented.
Qed.
