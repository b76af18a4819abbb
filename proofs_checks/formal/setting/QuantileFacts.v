(** * The quantile at level 0, and when it is the inverse of F      (paper: def:quantile)

    On (0, 1] the quantiles of a return are returns; at level 0 the infimum is over all reals.  A strictly increasing F
    is inverted by its quantile if it is continuous; a jump skips levels. *)

Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity QuantileInverse.
Import ListNotations.
Open Scope R_scope.

Theorem quantile_at_zero d : is_law d -> quantile (cdf d) 0 = m_infty.
Proof.
  intros Hd. unfold quantile. apply is_glb_Rbar_unique. split.
  - intros x _; exact I.
  - intros b Hb. destruct b as [b| |]; [|exact (Hb 0 (proj1 (cdf_range d 0 Hd)))|exact I].
    specialize (Hb (b - 1) (proj1 (cdf_range d (b - 1) Hd))). simpl in Hb. lra.
Qed.

Theorem quantile_is_at_least_the_least_return d tau z0 :
  is_law d -> 0 < tau <= 1 -> almost_surely d (fun z => z0 <= z) -> Rbar_le (Finite z0) (quantile (cdf d) tau).
Proof.
  intros Hd Htau Hz. unfold quantile. destruct (Glb_Rbar_correct (fun x => tau <= cdf d x)) as [_ H]. apply H.
  intros x Hx; simpl. apply Rnot_lt_le; intros Hlt. rewrite cdf_below in Hx; [lra|].
  revert Hz; apply as_impl; intros z Hz; lra.
Qed.

(** Both at once: the quantiles on (0, 1] lie above the least return, and the level 0 must be left out.
    Given: a finite law.
    Differs: finite laws. *)
Theorem quantiles_are_returns_above_level_zero d :
  is_law d -> quantile (cdf d) 0 = m_infty /\
  forall tau z0, 0 < tau <= 1 -> almost_surely d (fun z => z0 <= z) -> Rbar_le (Finite z0) (quantile (cdf d) tau).
Proof. intros Hd; split; [now apply quantile_at_zero | intros; now apply quantile_is_at_least_the_least_return]. Qed.

(** F nondecreasing and continuous: F(F†(tau)) = tau at every level that F passes.  If F is strictly increasing, F† also
    undoes F.
    Given: F nondecreasing and continuous, below the level somewhere and at least the level somewhere.
    Differs: strictness is not needed. *)
Theorem quantile_inverts_continuous F a b tau :
  nondecreasing F -> continuity F -> F a < tau -> tau <= F b ->
  is_finite (quantile F tau) /\ F (real (quantile F tau)) = tau.
Proof.
  intros Hmono Hcont Ha Hb.
  assert (Hfin : is_finite (quantile F tau)).
  { unfold quantile. destruct (Glb_Rbar_correct (fun x => tau <= F x)) as [H1 H2].
    assert (Hle : Rbar_le (Glb_Rbar (fun x => tau <= F x)) (Finite b)) by (apply H1; exact Hb).
    assert (Hge : Rbar_le (Finite a) (Glb_Rbar (fun x => tau <= F x))).
    { apply H2. intros x Hx; simpl. apply Rnot_lt_le; intros Hlt. pose proof (Hmono x a ltac:(lra)); lra. }
    destruct (Glb_Rbar (fun x => tau <= F x)); [reflexivity | contradiction | contradiction]. }
  split; [assumption|]. set (q := real (quantile F tau)).
  assert (Hrc : right_continuous F).
  { intros x eps Heps. destruct (Hcont x eps Heps) as [delta [Hd H]]. exists delta; split; [assumption|].
    intros y Hy. destruct (Req_dec x y) as [->|Hne]; [rewrite Rminus_eq_0, Rabs_R0; lra|].
    apply (H y). split; [split; [exact I | exact Hne]|]. simpl; unfold R_dist. rewrite Rabs_right; lra. }
  pose proof (value_of_quantile_ge F tau Hmono Hrc Hfin) as Hge. fold q in Hge.
  apply Rle_antisym; [|assumption]. apply Rnot_lt_le; intros Hlt.
  (* otherwise the level is reached a little earlier *)
  destruct (Hcont q (F q - tau) ltac:(lra)) as [delta [Hd H]].
  assert (Hearly : tau <= F (q - delta / 2)).
  { specialize (H (q - delta / 2)). simpl in H; unfold R_dist in H.
    assert (Hclose : Rabs (F (q - delta / 2) - F q) < F q - tau).
    { apply H. split; [split; [exact I | lra]|]. rewrite Rabs_left; lra. }
    apply Rabs_def2 in Hclose; lra. }
  pose proof (quantile_le_of_reached F tau _ Hearly) as Hq. rewrite <- Hfin in Hq. fold q in Hq. simpl in Hq. lra.
Qed.
