(** * Two distances between finite laws

    Total variation is half the l1 distance of the masses.  It bounds every difference of expectations by the spread of
    the function:  E_d g - E_e g <= (b - a) TV(d, e)  when  a <= g <= b  almost surely.

    If  F_d(x) - F_e(x) <= kappa  for every x, then for every nondecreasing L-Lipschitz f and laws on [lo, hi]

      E_e f - E_d f  <=  L (hi - lo) kappa ,

    a one-sided Kolmogorov bound (summation by parts). *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective Sorting SupportingUtility.
Import ListNotations.
Open Scope R_scope.

(** ** Total variation *)

Section TotalVariation.
  Context {X : Type}.
  Variable eq_dec : forall x y : X, {x = y} + {x <> y}.

  Definition tv (d e : dist X) : R :=
    / 2 * sum (nodup eq_dec (map fst d ++ map fst e)) (fun x => Rabs (mass eq_dec d x - mass eq_dec e x)).

  Lemma E_eq_sum_mass (l : list X) (d : dist X) f :
    NoDup l -> (forall x p, In (x, p) d -> In x l) -> E d f = sum l (fun x => mass eq_dec d x * f x).
  Proof.
    intros Hl; unfold mass; induction d as [|[x p] d IH]; simpl; intros Hin.
    - rewrite (sum_ext l _ (fun _ => 0)) by (intros; ring). rewrite sum_const; ring.
    - rewrite (sum_ext l _ (fun y => p * (ind (eq_dec x y) * f y) + E d (fun z => ind (eq_dec z y)) * f y))
        by (intros; ring).
      rewrite sum_plus, sum_scal, sum_point, IH; auto.
      + intros y q Hy; apply (Hin y q); now right.
      + apply (Hin x p); now left.
  Qed.

  (** [delta] bounds the total variation, read through functions with values in [0, 1]. *)
  Definition tv_le (d e : dist X) (delta : R) : Prop :=
    forall f, (forall x, 0 <= f x <= 1) -> E d f - E e f <= delta.

  (** Given: finite laws on a decidable type.
      Step of: close/tv. *)
  Lemma tv_le_tv d e : is_law d -> is_law e -> tv_le d e (tv d e).
  Proof.
    intros [_ Hd] [_ He] f Hf; unfold tv. set (l := nodup eq_dec (map fst d ++ map fst e)).
    assert (Hl : NoDup l) by apply NoDup_nodup.
    assert (Ld : forall x p, In (x, p) d -> In x l).
    { intros x p H; apply nodup_In, in_or_app; left; now apply (in_map fst) in H. }
    assert (Le : forall x p, In (x, p) e -> In x l).
    { intros x p H; apply nodup_In, in_or_app; right; now apply (in_map fst) in H. }
    rewrite (E_eq_sum_mass l d) in Hd |- * by assumption. rewrite (E_eq_sum_mass l e) in He |- * by assumption.
    replace (sum l (fun x => mass eq_dec d x * f x) - sum l (fun x => mass eq_dec e x * f x))
      with (sum l (fun x => (mass eq_dec d x - mass eq_dec e x) * (f x - / 2))).
    - rewrite <- sum_scal; apply sum_le; intros x _. specialize (Hf x).
      apply Rle_trans with (Rabs ((mass eq_dec d x - mass eq_dec e x) * (f x - / 2))); [apply Rle_abs|].
      rewrite Rabs_mult, Rmult_comm. apply Rmult_le_compat_r; [apply Rabs_pos | apply Rabs_le; lra].
    - rewrite (sum_ext l _ (fun x => (mass eq_dec d x * f x - mass eq_dec e x * f x) -
                                     / 2 * (mass eq_dec d x * 1 - mass eq_dec e x * 1))) by (intros; field).
      rewrite sum_minus, sum_scal, !sum_minus. lra.
  Qed.
End TotalVariation.

Lemma tv_le_spread {X} (d e : dist X) delta g a b :
  is_law d -> is_law e -> tv_le d e delta -> a <= b ->
  almost_surely d (fun x => a <= g x <= b) -> almost_surely e (fun x => a <= g x <= b) ->
  E d g - E e g <= (b - a) * delta.
Proof.
  intros Hd He Htv Hab Hgd Hge. destruct (Req_EM_T a b) as [->|Hne].
  - rewrite (E_ext_as d g (fun _ => b)), (E_ext_as e g (fun _ => b)), !E_const by
      (assumption || (revert Hgd; apply as_impl; intros; lra) || (revert Hge; apply as_impl; intros; lra)). lra.
  - set (f := fun x => Rmax 0 (Rmin 1 ((g x - a) / (b - a)))).
    assert (Hf : forall x, 0 <= f x <= 1).
    { intros x; unfold f; split; [apply Rmax_l | apply Rmax_lub; [lra | apply Rmin_l]]. }
    assert (Hgf : forall x, a <= g x <= b -> g x = a + (b - a) * f x).
    { intros x Hx; unfold f.
      assert (0 <= (g x - a) / (b - a)) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
      assert ((g x - a) / (b - a) <= 1).
      { apply (Rmult_le_reg_r (b - a)); [lra|]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
      rewrite Rmin_right, Rmax_right by lra. field; lra. }
    rewrite (E_ext_as d g (fun x => a + (b - a) * f x)), (E_ext_as e g (fun x => a + (b - a) * f x)) by
      ((revert Hgd; apply as_impl; auto) || (revert Hge; apply as_impl; auto)).
    rewrite !E_plus, !E_scal, !E_const by assumption. specialize (Htv f Hf).
    pose proof (Rmult_le_compat_l (b - a) _ _ ltac:(lra) Htv); lra.
Qed.

Lemma tv_nonneg {X} eq_dec (d e : dist X) : 0 <= tv eq_dec d e.
Proof. unfold tv; apply Rmult_le_pos; [lra | apply sum_nonneg; intros; apply Rabs_pos]. Qed.

Lemma tv_le_sym {X} (d e : dist X) delta : is_law d -> is_law e -> tv_le d e delta -> tv_le e d delta.
Proof.
  intros Hd He H f Hf. specialize (H (fun x => 1 - f x)). rewrite !E_minus, !E_const in H by assumption.
  assert (forall x, 0 <= 1 - f x <= 1) by (intros x; specialize (Hf x); lra). specialize (H H0); lra.
Qed.

Lemma tv_le_spread_abs {X} (d e : dist X) delta g a b :
  is_law d -> is_law e -> tv_le d e delta -> a <= b ->
  almost_surely d (fun x => a <= g x <= b) -> almost_surely e (fun x => a <= g x <= b) ->
  Rabs (E d g - E e g) <= (b - a) * delta.
Proof.
  intros Hd He Htv Hab Hgd Hge; apply Rabs_le; split.
  - pose proof (tv_le_spread e d delta g a b He Hd (tv_le_sym d e delta Hd He Htv) Hab Hge Hgd); lra.
  - now apply tv_le_spread.
Qed.

(** ** Kolmogorov, one-sided *)

(** Increasing points. *)
Fixpoint ascending (x : R) (l : list R) : Prop :=
  match l with
  | [] => True
  | y :: l' => x <= y /\ ascending y l'
  end.

Fixpoint last_point (x : R) (l : list R) : R :=
  match l with
  | [] => x
  | y :: l' => last_point y l'
  end.

Lemma ascending_insert x z l : x <= z -> ascending x l -> ascending x (place Rle_dec z l).
Proof.
  revert x; induction l as [|y l IH]; simpl; intros x Hz H; [tauto|].
  destruct (Rle_dec z y); simpl; [tauto|]. split; [tauto|]. apply IH; [lra | tauto].
Qed.

Lemma ascending_listing lo (ps : list R) :
  exists l, ascending lo l /\ (forall z, In z l -> In z ps) /\ forall z, In z ps -> lo <= z -> In z l.
Proof.
  induction ps as [|p ps [l [Ha [Hsub Hin]]]].
  - exists []; simpl; tauto.
  - destruct (Rle_dec lo p) as [Hp|Hp].
    + exists (place Rle_dec p l); split; [now apply ascending_insert|]. split.
      * intros z Hz; apply In_place in Hz; destruct Hz as [->|Hz]; [now left | right; now apply Hsub].
      * intros z [<-|Hz] Hlo; apply In_place; auto.
    + exists l; split; [assumption|]. split; [intros; right; auto | intros z [<-|Hz] Hlo; [lra | auto]].
Qed.

(** [f] at a listed point, written with the indicators  z <= x_i. *)
Fixpoint by_parts (f : R -> R) (x : R) (l : list R) (z : R) : R :=
  match l with
  | [] => f x
  | y :: l' => by_parts f y l' z - ind (Rle_dec z x) * (f y - f x)
  end.

Lemma by_parts_below f x l z : ascending x l -> z <= x -> by_parts f x l z = f x.
Proof.
  revert x; induction l as [|y l IH]; simpl; intros x Ha Hz; [reflexivity|].
  rewrite IH, ind_yes by (tauto || lra). ring.
Qed.

Lemma ascending_ge x l z : ascending x l -> In z l -> x <= z.
Proof.
  revert x; induction l as [|y l IH]; simpl; intros x Ha Hin; [contradiction|].
  destruct Hin as [<-|Hin]; [tauto|]. specialize (IH y (proj2 Ha) Hin); lra.
Qed.

Lemma by_parts_listed f x l z : ascending x l -> In z (x :: l) -> by_parts f x l z = f z.
Proof.
  revert x; induction l as [|y l IH]; intros x Ha Hin.
  - destruct Hin as [<-|[]]; reflexivity.
  - destruct Hin as [<-|Hin]; [apply by_parts_below; [assumption | lra]|].
    cbn [by_parts]. rewrite IH by (assumption || apply Ha). destruct (Rle_dec z x) as [Hz|Hz]; simpl; [|ring].
    assert (y <= z) by (destruct Hin as [<-|Hin]; [lra | now apply (ascending_ge y l), Hin; apply Ha]).
    assert (x = y) by (simpl in Ha; lra). subst; ring.
Qed.

Lemma E_by_parts_difference f d e kappa x l :
  is_law d -> is_law e -> (forall x y, x <= y -> f x <= f y) -> (forall x, cdf d x - cdf e x <= kappa) ->
  ascending x l -> E e (by_parts f x l) - E d (by_parts f x l) <= kappa * (f (last_point x l) - f x).
Proof.
  intros Hd He Hf Hk; revert x; induction l as [|y l IH]; intros x Ha; cbn [by_parts last_point].
  - rewrite !E_const by assumption. lra.
  - rewrite !E_minus, !E_scal_r. fold (cdf e x) (cdf d x).
    specialize (IH y (proj2 Ha)). pose proof (Hf x y (proj1 Ha)).
    pose proof (Rmult_le_compat_r (f y - f x) _ _ ltac:(lra) (Hk x)). lra.
Qed.

Lemma last_point_in x l : In (last_point x l) (x :: l).
Proof.
  revert x; induction l as [|y l IH]; intros x; [now left|]. right; apply IH.
Qed.

(** Given: finite laws on [lo, hi], a nondecreasing L-Lipschitz utility, one-sided KS at most kappa.
    Differs: KS in place of the area between the CDFs.
    Step of: L2/greedy. *)
Theorem utility_difference_le_kolmogorov L f d e lo hi kappa :
  is_utility L f -> is_law d -> is_law e -> lo <= hi ->
  almost_surely d (fun z => lo <= z <= hi) -> almost_surely e (fun z => lo <= z <= hi) ->
  0 <= kappa -> (forall x, lo <= x < hi -> cdf d x - cdf e x <= kappa) ->
  E e f - E d f <= L * (hi - lo) * kappa.
Proof.
  intros Hf Hd He Hle Bd Be Hk H.
  assert (Hcdf : forall x, cdf d x - cdf e x <= kappa).
  { intros x. destruct (Rlt_dec x lo) as [Hx|Hx]; [|destruct (Rlt_dec x hi) as [Hx'|Hx']; [apply H; lra|]].
    - rewrite (cdf_below d), (cdf_below e);
        [lra | revert Be; apply as_impl; intros; lra | revert Bd; apply as_impl; intros; lra].
    - rewrite (cdf_above d), (cdf_above e); auto;
        [lra | revert Be; apply as_impl; intros; lra | revert Bd; apply as_impl; intros; lra]. }
  set (inside := filter (fun z => if Rle_dec z hi then true else false) (map fst d ++ map fst e)).
  destruct (ascending_listing lo inside) as [l [Ha [Hsub Hin]]].
  assert (Hlisted : forall z, In z (map fst d ++ map fst e) -> lo <= z <= hi -> In z (lo :: l)).
  { intros z Hz Hb; right; apply Hin; [|lra]. apply filter_In; split; [assumption|].
    destruct (Rle_dec z hi); [reflexivity | lra]. }
  rewrite (E_ext_as e f (by_parts f lo l)), (E_ext_as d f (by_parts f lo l)).
  - eapply Rle_trans.
    + apply (E_by_parts_difference f d e kappa lo l); try assumption.
      intros x y Hxy; specialize (Hf x y Hxy); lra.
    + assert (Hlast : lo <= last_point lo l <= hi).
      { destruct (last_point_in lo l) as [Heq|Hl]; [rewrite <- Heq; lra|].
        split; [now apply (ascending_ge lo l)|]. apply Hsub, filter_In in Hl.
        destruct (Rle_dec (last_point lo l) hi); [assumption|].
        destruct Hl; discriminate. }
      pose proof (Hf lo (last_point lo l) ltac:(lra)). pose proof (Hf lo hi Hle).
      pose proof (Hf (last_point lo l) hi ltac:(lra)).
      rewrite Rmult_comm. apply Rmult_le_compat_r; lra.
  - intros z p Hz Hp. symmetry; apply by_parts_listed; [assumption|]. apply Hlisted; [|now apply (Bd z p)].
    apply in_or_app; left; now apply (in_map fst) in Hz.
  - intros z p Hz Hp. symmetry; apply by_parts_listed; [assumption|]. apply Hlisted; [|now apply (Be z p)].
    apply in_or_app; right; now apply (in_map fst) in Hz.
Qed.
