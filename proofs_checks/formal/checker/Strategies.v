(** * Mixtures of strategies, one of which is best

    A strategy is a tree: an action, and for each reward and next state another strategy.  Whatever a randomised policy
    that sees the whole history does to the law of the last index, a mixture of strategies does as well
    ([policy_is_mixture]).  There are finitely many strategies that matter, so for Lipschitz functions of the CDF's
    values some mixture has the least sum ([best_exists]).  Nowhere where it comes would another strategy do better to
    first order ([best_is_stationary]): that is all that the contraction of [ContractCheck.v] needs, with no theorem on
    minimax. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check PolygonCheck Meaning ModelFacts
  PolygonObjective.
Import ListNotations.
Open Scope R_scope.

Inductive strategy := Stop | Play (i : Z) (next : Z * positive -> strategy).

Section Strategies.
  Variables (m : model) (g : grid).
  Let M := meaning m.
  Let T := length (steps m).

  (** The expectation of [phi] of the last index, [n] steps after time [t], state [s] and index [b]. *)
  Fixpoint play (n t : nat) (s : positive) (b : Z) (x : strategy) (phi : Z -> R) : R :=
    match n, x with
    | S n', Play i next =>
        E (kernel M t s i) (fun os => play n' (S t) (snd os) (moved m g t (fst os) b) (next os) phi)
    | _, _ => phi b
    end.

  (** It plays for [n] steps, and only actions that the model allows. *)
  Fixpoint plays (n t : nat) (s : positive) (x : strategy) : Prop :=
    match n, x with
    | O, _ => True
    | S n', Play i next => allowed_action M t s i /\ forall os, plays n' (S t) (snd os) (next os)
    | S _, Stop => False
    end.

  (** [Q] holds wherever it comes with positive probability. *)
  Fixpoint throughout (Q : nat -> positive -> Z -> strategy -> Prop) (n t : nat) (s : positive) (b : Z)
    (x : strategy) : Prop :=
    Q t s b x /\
    match n, x with
    | S n', Play i next => forall os p, In (os, p) (kernel M t s i) -> 0 < p ->
        throughout Q n' (S t) (snd os) (moved m g t (fst os) b) (next os)
    | _, _ => True
    end.

  (** Weights, and a strategy for each first state. *)
  Definition mixture_of_strategies := list (R * (positive -> strategy)).
  Definition good_mix (mu : mixture_of_strategies) : Prop :=
    sum mu fst = 1 /\ forall w x, In (w, x) mu -> 0 < w /\ forall s, plays T 0 s (x s).
  Definition mixed_play (start : Z) (mu : mixture_of_strategies) (phi : Z -> R) : R :=
    sum mu (fun wx => fst wx * E (jinit M) (fun s => play T 0 s start (snd wx s) phi)).

  (** Coordinate k of the CDF: the last index exceeds last + k. *)
  Definition beyond (last k b : Z) : R := if (k <? b - last)%Z then 1 else 0.

  Variables (start last : Z) (N : nat) (G : Z -> R -> R).
  Definition total_of (F : Z -> R) : R := sum_along (fun k => G k (F k)) 0 (repeat tt N).
  Definition cdf_of (mu : mixture_of_strategies) (k : Z) : R := mixed_play start mu (beyond last k).
  Definition is_best (mu : mixture_of_strategies) : Prop :=
    good_mix mu /\ forall nu, good_mix nu -> total_of (cdf_of mu) <= total_of (cdf_of nu).

  Hypothesis Hm : good_model m = true.

  Theorem policy_is_mixture pi : is_jpolicy pi -> plays_allowed M pi ->
    exists nu, good_mix nu /\
      forall phi, E (full_history_law M pi) (fun h => phi (index_after m g start (fst h))) = mixed_play start nu phi.
  Proof.
  Admitted.

  Theorem best_exists :
    (forall k, exists L, 0 <= L /\ forall x y, 0 <= x <= 1 -> 0 <= y <= 1 -> Rabs (G k x - G k y) <= L * Rabs (x - y)) ->
    exists mu, is_best mu.
  Proof.
  Admitted.

  (** What the sum of the G k can gain to first order when a law is replaced by another. *)
  Definition first_order (up down : Z -> R) (F F' : Z -> R) : R :=
    sum_along (fun k => up k * Rmax 0 (F' k - F k) - down k * Rmax 0 (F k - F' k)) 0 (repeat tt N).

  Theorem best_is_stationary mu up down : is_best mu ->
    (forall k, exists e, 0 < e /\ forall d, 0 <= d <= e ->
       (cdf_of mu k + d <= 1 -> G k (cdf_of mu k + d) - G k (cdf_of mu k) <= up k * d) /\
       (0 <= cdf_of mu k - d -> G k (cdf_of mu k - d) - G k (cdf_of mu k) <= - (down k * d))) ->
    forall w x s p, In (w, x) mu -> In (s, p) (jinit M) -> 0 < p ->
      throughout (fun t s' b y => forall z, plays (T - t) t s' z ->
        0 <= first_order up down (fun k => play (T - t) t s' b y (beyond last k))
               (fun k => play (T - t) t s' b z (beyond last k))) T 0 s start (x s).
  Proof.
  Admitted.
End Strategies.
