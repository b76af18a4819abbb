(** * Policies of state and reward so far suffice, to be read on its own      (paper: thm:augmented)

    Imported: finite laws ([dist], [E], [bind], [image], [is_law]: the first page of FiniteLaw.v), [Phi] (Objective.v),
    models, histories and policies (the first page of Mdp.v). *)

Require Import Reals List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp.
From VerifiedRisk Require Augmentation Summary.
Import ListNotations.
Open Scope R_scope.

Section Statement.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Variables (M : mdp S A) (pi : policy S A).

  (** Histories with reward so far y in state s. *)
  Definition here_dec (y : R) (s : S) (h : history S A) :
    {(collected h, state h) = (y, s)} + {(collected h, state h) <> (y, s)} :=
    Summary.summary_dec state_dec (fun _ r => r) (y, s) h.

  (** The average of the policy over them: pi~(t, s, y) = E[ pi(. | history) | J = y, S = s ]. *)
  Definition averaged (t : nat) (s : S) (y : R) : dist A :=
    let d := history_law M pi t in
    if Req_EM_T (prob d (here_dec y s)) 0 then pi (start s) else bind (given d (here_dec y s)) pi.

  (** Its law of (reward so far, state) is the policy's at every time; so is its objective, for every weighting. *)
  Theorem augmentation_statement :
    is_mdp M -> is_policy pi ->
    is_y_policy averaged /\
    (forall t (g : R -> S -> R), E (history_law M (of_y_policy averaged) t) (fun h => g (collected h) (state h)) =
                                 E (history_law M pi t) (fun h => g (collected h) (state h))) /\
    (forall G, weighting G -> value G M (of_y_policy averaged) = value G M pi).
  Proof.
    intros HM Hpi. split; [exact (Augmentation.is_y_policy_augmented state_dec M pi HM Hpi)|].
    split; [exact (Augmentation.augmented_same_joint_law state_dec M pi HM Hpi)|].
    exact (fun G => Augmentation.augmented_same_value state_dec M pi HM Hpi G).
  Qed.
End Statement.
