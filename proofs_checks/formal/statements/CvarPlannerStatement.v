(** * The CVaR planner is exact, to be read on its own      (paper: appendix on CVaR)

    Imported: finite laws (the first page of FiniteLaw.v), [Phi] (Objective.v), models, histories and policies (the
    first page of Mdp.v). *)

Require Import Reals List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp.
From VerifiedRisk Require CvarPlanner.
Import ListNotations.
Open Scope R_scope.

Fixpoint argmax {A} (f : A -> R) (a : A) (l : list A) : A :=
  match l with
  | [] => a
  | b :: l' => let c := argmax f a l' in if Rle_dec (f c) (f b) then b else c
  end.
Definition max_over {A} (f : A -> R) (l : list A) : R := match l with [] => 0 | a :: l' => f (argmax f a l') end.
Definition min_over {A} (f : A -> R) (l : list A) : R := - max_over (fun a => - f a) l.

Section Statement.
  Context {S A : Type}.
  Variables (acts : S -> list A) (M : mdp S A) (alpha : R).

  (** The least expected shortfall with n steps to go and budget b. *)
  Definition spend (w : S -> R -> R) (s : S) (b : R) (a : A) : R :=
    E (reward M s a) (fun r => E (trans M s a) (fun s' => w s' (b - r))).
  Fixpoint W (n : nat) (s : S) (b : R) : R :=
    match n with O => Rmax 0 b | Datatypes.S n' => min_over (spend (W n') s b) (acts s) end.
  Definition J (rho : R) : R := rho - E (init M) (fun s => W (horizon M) s rho) / alpha.

  (** Actions allowed; actions that minimise at every (t, s, b) with b = rho - y. *)
  Definition allowed (pi : policy S A) : Prop :=
    forall h, (time h < horizon M)%nat -> almost_surely (pi h) (fun a => In a (acts (state h))).
  Definition greedy_for (rho : R) (pi : policy S A) : Prop :=
    forall h, (time h < horizon M)%nat -> almost_surely (pi h) (fun a => In a (acts (state h)) /\
      spend (W (horizon M - Datatypes.S (time h))) (state h) (rho - collected h) a =
        W (horizon M - time h) (state h) (rho - collected h)).

  (** CVaR is the objective with G(tau) = min(tau / alpha, 1). *)
  Definition CVaR (pi : policy S A) : R := value (fun tau => Rmin (tau / alpha) 1) M pi.

  (** Some rho maximises J; no randomised history-dependent policy has more CVaR than J(rho), and greedy policies have
      it. *)
  Theorem cvar_planner_statement :
    (forall s, acts s <> []) -> is_mdp M -> 0 < alpha <= 1 ->
    exists rho, (forall rho', J rho' <= J rho) /\ (forall pi, is_policy pi -> allowed pi -> CVaR pi <= J rho) /\
                (forall pi, is_policy pi -> greedy_for rho pi -> CVaR pi = J rho).
  Proof.
    intros Hacts HM Ha. destruct (CvarPlanner.cvar_planner_correct acts M Hacts HM alpha Ha) as [rho [_ H]]. exists rho.
    exact H.
  Qed.
End Statement.
