(** * The key identity, to be read on its own      (paper: lem:key)

    Nothing of the development is used in the statement: finite laws, quantile and integral are defined here. *)

Require Import Reals List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require FiniteLaw Objective KeyIdentity.
Import ListNotations.
Open Scope R_scope.

(** A finite law: values with masses that are nonnegative and sum to one. *)
Definition dist (X : Type) : Type := list (X * R).
Fixpoint E {X} (d : dist X) (f : X -> R) : R :=
  match d with [] => 0 | (x, p) :: d' => p * f x + E d' f end.
Definition is_law {X} (d : dist X) : Prop := (forall x p, In (x, p) d -> 0 <= p) /\ E d (fun _ => 1) = 1.
Definition almost_surely {X} (d : dist X) (P : X -> Prop) : Prop := forall x p, In (x, p) d -> p <> 0 -> P x.

(** F and F†; the infimum is taken in the extended reals. *)
Definition cdf (d : dist R) (x : R) : R := E d (fun z => if Rle_dec z x then 1 else 0).
Definition quantile (F : R -> R) (tau : R) : Rbar := Glb_Rbar (fun x => tau <= F x).

(** The Stieltjes integral over (0, 1]: the limit of tagged sums along refining partitions. *)
Fixpoint tagged (lo a b : R) (l : list (R * R)) : Prop :=
  match l with [] => a = b | (t, u) :: l' => a <= t <= u /\ lo < t /\ tagged lo u b l' end.
Fixpoint stieltjes_sum (f G : R -> R) (a : R) (l : list (R * R)) : R :=
  match l with [] => 0 | (t, u) :: l' => f t * (G u - G a) + stieltjes_sum f G u l' end.
Definition refines (a b : R) (l : list (R * R)) (ps : list R) : Prop := forall p,
  In p ps -> a <= p <= b -> In p (a :: map snd l).
Definition is_stieltjes (f G : R -> R) (a b v : R) : Prop :=
  forall eps, 0 < eps -> exists ps, forall l,
    tagged a a b l -> refines a b l ps -> Rabs (stieltjes_sum f G a l - v) < eps.

(** For a law on [0, M] and G nondecreasing and right-continuous on [0, 1] from 0 to 1, the integral of F† exists and is
    M minus the area under G(F).  Nothing is asked of F†(1). *)
Theorem key_identity_statement (G : R -> R) (d : dist R) (M : R) :
  G 0 = 0 -> G 1 = 1 -> (forall x y, 0 <= x -> x <= y -> y <= 1 -> G x <= G y) ->
  (forall x eps, 0 <= x < 1 -> 0 < eps -> exists delta, 0 < delta /\ forall y,
    x <= y < x + delta -> y <= 1 -> G y - G x < eps) ->
  is_law d -> 0 <= M -> almost_surely d (fun z => 0 <= z <= M) ->
  is_stieltjes (fun tau => real (quantile (cdf d) tau)) G 0 1 (M - RInt (fun x => G (cdf d x)) 0 M) /\
    ex_RInt (fun x => G (cdf d x)) 0 M.
Proof.
  intros H0 H1 H2 H3 Hd HM Hb.
  exact (KeyIdentity.is_stieltjes_quantile G d 0 M (Objective.Build_weighting G H0 H1 H2 H3) Hd HM Hb).
Qed.
