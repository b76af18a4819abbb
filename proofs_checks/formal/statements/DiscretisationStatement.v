(** * Rounding the rewards up to a grid costs T eta, to be read on its own      (paper: thm:discretized)

    Imported: finite laws (the first page of FiniteLaw.v), [Phi] (Objective.v), models, histories and policies (the
    first page of Mdp.v). *)

Require Import Reals List ZArith.
From VerifiedRisk Require Import FiniteLaw Objective Mdp.
From VerifiedRisk Require DiscretisationChain.
Import ListNotations.
Open Scope R_scope.

Section Statement.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Variables (M : mdp S A) (eta : R) (G : R -> R).

  (** The least multiple of eta that is at least r. *)
  Definition round_up (r : R) : R := eta * IZR (1 - up (- (r / eta))).

  (** The model with rounded rewards; and a policy of it played in M, on the history it would see there. *)
  Definition rounded : mdp S A := {|
    horizon := horizon M; init := init M; trans := trans M; reward := fun s a => image round_up (reward M s a)
  |}.
  Definition rounded_history (h : history S A) : history S A :=
    (map (fun step => (fst step, round_up (snd step))) (fst h), snd h).
  Definition adapted (hat : policy S A) : policy S A := fun h => hat (rounded_history h).

  (** The suprema over all randomised history-dependent policies, and a policy of the rounded model within w of its own.
      *)
  Theorem discretisation_statement (best hat_best w : R) (hat : policy S A) :
    is_mdp M -> 0 < eta -> weighting G ->
    is_lub (fun x => exists pi, is_policy pi /\ x = value G M pi) best ->
    is_lub (fun x => exists pi, is_policy pi /\ x = value G rounded pi) hat_best ->
    is_policy hat -> hat_best - w <= value G rounded hat ->
    hat_best - INR (horizon M) * eta - w <= value G M (adapted hat) /\ value G M (adapted hat) <= best /\
      best <= hat_best /\
    hat_best <= best + INR (horizon M) * eta.
  Proof.
    exact (fun HM Heta HG => DiscretisationChain.discretisation_chain state_dec M HM eta G Heta HG best hat_best hat w).
  Qed.
End Statement.
