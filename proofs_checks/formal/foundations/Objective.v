(** * CDF, quantile, and the objective

    For a finite law on the reals with distribution function F(x) = P(Z <= x) and a weighting G,

      F†(tau)  =  inf { x | F(x) >= tau }                         an extended real,
      Phi      =  integral over (0, 1] of F†(tau) dG(tau)         a Stieltjes integral.

    The integral is the limit of tagged sums  sum f(tag) (G(right end) - G(left end))  along refining partitions
    (Moore-Pollard).  The tags range over the closed intervals of the partition, except that the left end 0, where
    F† = -infinity, is no tag.  The quantile is left-continuous, so right-continuity of G makes the limit exist;
    that it does, and its value, is proved in [KeyIdentity.v]. *)

Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw.
Import ListNotations.
Open Scope R_scope.

(** ** Distribution function and quantile *)

Definition cdf (d : dist R) (x : R) : R := E d (fun z => ind (Rle_dec z x)).

Definition quantile (F : R -> R) (tau : R) : Rbar := Glb_Rbar (fun x => tau <= F x).

Definition nondecreasing (F : R -> R) : Prop := forall x y, x <= y -> F x <= F y.

Definition right_continuous (F : R -> R) : Prop :=
  forall x eps, 0 < eps -> exists delta, 0 < delta /\ forall y, x <= y < x + delta -> Rabs (F y - F x) < eps.

(** A weighting of the quantile levels: a distribution function on [0, 1] without mass at 0. *)
Record weighting (G : R -> R) : Prop := {
  weighting_0 : G 0 = 0;
  weighting_1 : G 1 = 1;
  weighting_mono : forall x y, 0 <= x -> x <= y -> y <= 1 -> G x <= G y;
  weighting_right : forall x eps, 0 <= x < 1 -> 0 < eps ->
    exists delta, 0 < delta /\ forall y, x <= y < x + delta -> y <= 1 -> G y - G x < eps
}.

(** [L]-Lipschitz and concave weightings, for the statements that need them. *)
Definition lipschitz_weighting (G : R -> R) (L : R) : Prop :=
  forall x y, 0 <= x <= 1 -> 0 <= y <= 1 -> Rabs (G x - G y) <= L * Rabs (x - y).

Definition concave_weighting (G : R -> R) : Prop :=
  forall x y c, 0 <= x <= 1 -> 0 <= y <= 1 -> 0 <= c <= 1 -> c * G x + (1 - c) * G y <= G (c * x + (1 - c) * y).

(** ** The Stieltjes integral over (lo, b]

    A tagged partition of [a, b] is a list of (tag, right end), read from left to right. *)

Fixpoint tagged (lo a b : R) (l : list (R * R)) : Prop :=
  match l with
  | [] => a = b
  | (t, u) :: l' => a <= t <= u /\ lo < t /\ tagged lo u b l'
  end.

Fixpoint stieltjes_sum (f G : R -> R) (a : R) (l : list (R * R)) : R :=
  match l with
  | [] => 0
  | (t, u) :: l' => f t * (G u - G a) + stieltjes_sum f G u l'
  end.

(** The partition points of [l] include those of [ps] that lie in the interval. *)
Definition refines (a b : R) (l : list (R * R)) (ps : list R) : Prop :=
  forall p, In p ps -> a <= p <= b -> In p (a :: map snd l).

Definition is_stieltjes (f G : R -> R) (a b : R) (v : R) : Prop :=
  forall eps, 0 < eps -> exists ps, forall l,
    tagged a a b l -> refines a b l ps -> Rabs (stieltjes_sum f G a l - v) < eps.

(** The value, as Coquelicot defines its Riemann integral: the one real with the property. *)
Definition stieltjes (f G : R -> R) (a b : R) : R := iota (is_stieltjes f G a b).

(** ** The objective *)

Definition Phi (G : R -> R) (d : dist R) : R := stieltjes (fun tau => real (quantile (cdf d) tau)) G 0 1.

(** ** The integral is unique *)

Lemma tagged_le lo a b l : tagged lo a b l -> a <= b.
Proof.
  revert a; induction l as [|[t u] l IH]; simpl; intros a H; [lra|].
  destruct H as [H1 [_ H2]]; apply IH in H2; lra.
Qed.

Lemma tagged_refine_one lo a b l p :
  lo <= a -> tagged lo a b l -> a <= p <= b ->
  exists l', tagged lo a b l' /\ In p (a :: map snd l') /\ (forall q, In q (map snd l) -> In q (map snd l')).
Proof.
  revert a; induction l as [|[t u] l IH]; simpl; intros a Hlo Ht Hp.
  - exists []; simpl; repeat split; [assumption | left; lra | tauto].
  - destruct Ht as [H1 [H2 H3]].
    destruct (Req_EM_T a p) as [->|Hap].
    { exists ((t, u) :: l); simpl; auto. }
    destruct (Rlt_le_dec p u) as [Hpu|Hpu].
    + exists ((p, p) :: (u, u) :: l); simpl; repeat split; try lra; auto.
    + destruct (IH u ltac:(lra) H3 ltac:(lra)) as [l' [Ha [Hb Hc]]].
      exists ((t, u) :: l'); simpl; repeat split; try lra; auto.
      intros q [Hq|Hq]; auto.
Qed.

Lemma tagged_refine a b ps : a < b -> exists l, tagged a a b l /\ refines a b l ps.
Proof.
  intros Hab; induction ps as [|p ps [l [Ht Hr]]].
  - exists [(b, b)]; simpl; split; [lra | intros p []].
  - destruct (Rle_dec a p) as [Hap|Hap]; [destruct (Rle_dec p b) as [Hpb|Hpb]|].
    + destruct (tagged_refine_one a a b l p (Rle_refl a) Ht (conj Hap Hpb)) as [l' [Ha [Hb Hc]]].
      exists l'; split; [assumption|]. intros q [<-|Hq] Hab'; [assumption|].
      specialize (Hr q Hq Hab'); simpl in *; destruct Hr; auto.
    + exists l; split; [assumption | intros q [<-|Hq] Hab'; [lra | auto]].
    + exists l; split; [assumption | intros q [<-|Hq] Hab'; [lra | auto]].
Qed.

Lemma refines_app a b l ps qs : refines a b l (ps ++ qs) -> refines a b l ps /\ refines a b l qs.
Proof. intros H; split; intros p Hp; apply H, in_or_app; auto. Qed.

Lemma is_stieltjes_unique f G a b v w : a < b -> is_stieltjes f G a b v -> is_stieltjes f G a b w -> v = w.
Proof.
  intros Hab Hv Hw. apply Req_lt_aux. intros [eps Heps]; simpl.
  destruct (Hv (eps / 2)) as [ps Hps]; [lra|]. destruct (Hw (eps / 2)) as [qs Hqs]; [lra|].
  destruct (tagged_refine a b (ps ++ qs) Hab) as [l [Ht Hr]]. apply refines_app in Hr.
  specialize (Hps l Ht (proj1 Hr)). specialize (Hqs l Ht (proj2 Hr)).
  apply Rabs_def2 in Hps. apply Rabs_def2 in Hqs. apply Rabs_def1; lra.
Qed.

Lemma stieltjes_unique f G a b v : a < b -> is_stieltjes f G a b v -> stieltjes f G a b = v.
Proof.
  intros Hab H. unfold stieltjes.
  apply (iota_unique (is_stieltjes f G a b) v); [|assumption].
  intros w Hw; now apply (is_stieltjes_unique f G a b w v).
Qed.

(** ** Distribution functions of finite laws *)

Lemma cdf_range d x : is_law d -> 0 <= cdf d x <= 1.
Proof. intros Hd; apply (prob_range d (fun z => Rle_dec z x) Hd). Qed.

Lemma cdf_nondecreasing d : nonneg d -> nondecreasing (cdf d).
Proof. intros Hd x y Hxy; apply E_le; [assumption | intros z; apply ind_le; lra]. Qed.

Lemma cdf_above d x : is_law d -> almost_surely d (fun z => z <= x) -> cdf d x = 1.
Proof.
  intros [_ H1] H; rewrite <- H1; apply E_ext_as. revert H; apply as_impl; intros z Hz; now apply ind_yes.
Qed.

Lemma cdf_below d x : almost_surely d (fun z => x < z) -> cdf d x = 0.
Proof.
  intros H; rewrite <- (E_zero d); apply E_ext_as. revert H; apply as_impl; intros z Hz; apply ind_no; lra.
Qed.

(** Every finite law lives in a bounded interval. *)
Lemma bounded_law (d : dist R) : exists lo hi, lo <= hi /\ almost_surely d (fun z => lo <= z <= hi).
Proof.
  induction d as [|[z p] d [lo [hi [Hle H]]]].
  - exists 0, 0; split; [lra | intros z p []].
  - exists (Rmin z lo), (Rmax z hi); split.
    + apply Rle_trans with lo; [apply Rmin_r|]. apply Rle_trans with hi; [assumption | apply Rmax_r].
    + intros y q [Heq|Hin] Hq.
      * injection Heq as <- <-; split; [apply Rmin_l | apply Rmax_l].
      * specialize (H y q Hin Hq); pose proof (Rmin_r z lo); pose proof (Rmax_r z hi); lra.
Qed.
