(** * A function and its quantile      (paper: lem:quantileinverse, lem:monotoneinversebound)

    With F†(tau) = inf { x | F(x) >= tau } in the extended reals:

      F†(F(x)) <= x                       for every F whatsoever;
      F(F†(tau)) >= tau                   for F nondecreasing, right-continuous, F†(tau) finite;
      the latter is false for nondecreasing F alone, as printed (F = 1(x > 0), tau = 1/2),
      and false for right-continuous F when F†(tau) is infinite (F = 1, tau = 1: F† = -infinity is no real);
      F(x) <= G(x + eta) for all x   implies   F†(tau) >= G†(tau) - eta,   for every F and G.

    Distribution functions of finite laws satisfy every hypothesis, at every level in (0, 1]. *)

Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity.
Import ListNotations.
Open Scope R_scope.

Lemma quantile_le_of_reached F tau x : tau <= F x -> Rbar_le (quantile F tau) x.
Proof. intros H; apply (Glb_Rbar_correct (fun x => tau <= F x)), H. Qed.

(** First half.
    Given: none: every function F, quantiles in the extended reals. *)
Theorem quantile_of_value_le F x : Rbar_le (quantile F (F x)) x.
Proof. apply quantile_le_of_reached, Rle_refl. Qed.

(** Below its infimum plus anything, the level is reached. *)
Lemma level_reached_near_quantile F tau eps :
  is_finite (quantile F tau) -> 0 < eps -> exists x, tau <= F x /\ x < real (quantile F tau) + eps.
Proof.
  intros Hfin Heps. set (q := real (quantile F tau)).
  destruct (Classical_Prop.classic (exists x, tau <= F x /\ x < q + eps)) as [|Hno]; [assumption | exfalso].
  destruct (Glb_Rbar_correct (fun x => tau <= F x)) as [_ Hglb].
  assert (H : Rbar_le (q + eps) (quantile F tau)).
  { apply Hglb; intros x Hx; simpl. destruct (Rle_lt_dec (q + eps) x) as [|Hlt]; [assumption|].
    exfalso; apply Hno; now exists x. }
  rewrite <- Hfin in H; fold q in H; simpl in H; lra.
Qed.

(** Second half, with the hypotheses it needs.
    Given: F nondecreasing and right-continuous, the quantile finite. *)
Theorem value_of_quantile_ge F tau :
  nondecreasing F -> right_continuous F -> is_finite (quantile F tau) -> tau <= F (real (quantile F tau)).
Proof.
  intros HM HR Hfin. set (q := real (quantile F tau)).
  destruct (Rle_lt_dec tau (F q)) as [|Hlt]; [assumption | exfalso].
  destruct (HR q (tau - F q)) as [delta [Hd Hnear]]; [lra|].
  destruct (level_reached_near_quantile F tau delta Hfin Hd) as [x [Hx Hxd]]; fold q in Hxd.
  assert (Hqx : q <= x).
  { pose proof (quantile_le_of_reached F tau x Hx) as H. rewrite <- Hfin in H; exact H. }
  specialize (Hnear x ltac:(lra)). apply Rabs_def2 in Hnear. lra.
Qed.

(** As printed, for monotone F only, it is false.
    Given: none: a nondecreasing F with a finite quantile. *)
Theorem value_of_quantile_ge_false_for_monotone :
  exists F tau, nondecreasing F /\ is_finite (quantile F tau) /\ F (real (quantile F tau)) < tau.
Proof.
  set (F := fun x => ind (Rlt_dec 0 x)).
  assert (Hq : quantile F (1 / 2) = Finite 0).
  { apply is_glb_Rbar_unique; split.
    - intros x Hx; unfold F in Hx; simpl. destruct (Rlt_dec 0 x); simpl in Hx; lra.
    - intros b Hb. destruct b as [b| |]; simpl; [|apply (Hb 1); unfold F; rewrite ind_yes; lra | exact I].
      destruct (Rle_lt_dec b 0) as [|Hpos]; [assumption | exfalso].
      specialize (Hb (b / 2)); simpl in Hb. unfold F in Hb; rewrite ind_yes in Hb; lra. }
  exists F, (1 / 2); repeat split.
  - intros x y Hxy; apply ind_le; lra.
  - rewrite Hq; reflexivity.
  - rewrite Hq; unfold F; simpl; rewrite ind_no; lra.
Qed.

(** Finiteness cannot be dropped: with F = 1 every level up to 1 has quantile -infinity, and level 2 has +infinity.
    Given: none: a constant F.
    Differs: finiteness cannot be dropped. *)
Theorem quantile_of_constant_is_infinite :
  right_continuous (fun _ => 1) /\ quantile (fun _ => 1) 1 = m_infty /\ quantile (fun _ => 1) 2 = p_infty.
Proof.
  split; [|split].
  - intros x eps Heps; exists 1; split; [lra|]. intros y _; rewrite Rminus_eq_0, Rabs_R0; assumption.
  - apply is_glb_Rbar_unique; split; [intros x _; exact I|].
    intros [b| |] Hb; simpl; [|apply (Hb 0); lra | exact I].
    specialize (Hb (b - 1) (Rle_refl 1)); simpl in Hb; lra.
  - apply is_glb_Rbar_unique; split; [intros x Hx; lra|]. intros [b| |] _; exact I.
Qed.

(** The monotone inverse bound asks nothing of F and G.
    Given: F(x) <= G(x + eta) for all x; all functions, any eta. *)
Theorem quantile_ge_of_shifted_bound F G eta tau :
  (forall x, F x <= G (x + eta)) -> Rbar_le (Rbar_plus (quantile G tau) (Finite (- eta))) (quantile F tau).
Proof.
  intros H. apply (Glb_Rbar_correct (fun x => tau <= F x)); intros x Hx.
  assert (Hg : Rbar_le (quantile G tau) (x + eta)) by (apply quantile_le_of_reached; specialize (H x); lra).
  destruct (quantile G tau); simpl in *; try easy; lra.
Qed.

(** ** Distribution functions *)

Lemma cdf_locally_constant d x : exists delta, 0 < delta /\ forall y, x <= y < x + delta -> cdf d y = cdf d x.
Proof.
  unfold cdf; induction d as [|[z p] d [delta [Hd H]]].
  - exists 1; split; [lra | reflexivity].
  - destruct (Rle_dec z x) as [Hz|Hz].
    + exists delta; split; [assumption|]. intros y Hy; simpl. rewrite H by assumption.
      now rewrite !ind_yes by lra.
    + exists (Rmin delta (z - x)); split; [apply Rmin_pos; lra|]. intros y Hy.
      pose proof (Rmin_l delta (z - x)); pose proof (Rmin_r delta (z - x)); simpl.
      rewrite H by lra. now rewrite !ind_no by lra.
Qed.

Theorem cdf_right_continuous d : right_continuous (cdf d).
Proof.
  intros x eps Heps; destruct (cdf_locally_constant d x) as [delta [Hd H]]; exists delta; split; [assumption|].
  intros y Hy; rewrite H, Rminus_eq_0, Rabs_R0 by assumption; assumption.
Qed.

Theorem quantile_of_law_is_finite d tau : is_law d -> 0 < tau <= 1 -> is_finite (quantile (cdf d) tau).
Proof.
  intros [Hn H1] Htau. destruct (bounded_law d) as [lo [hi [Hle B]]].
  destruct (sorted_listing d lo hi Hle Hn B) as [l [Hs [Hl HE]]].
  rewrite (quantile_of_iff (cdf d) tau (lo + climb lo 0 l tau)); [reflexivity|].
  intros x. rewrite <- (level_reached_iff lo hi 0 l tau x); [|assumption..|unfold total_mass; rewrite <- HE; lra].
  unfold cdf; rewrite HE, Rplus_0_l; tauto.
Qed.

(** Given: a finite law, 0 < tau <= 1.
    Step of: lem:quantileinverse/second. *)
Theorem cdf_of_quantile_ge d tau : is_law d -> 0 < tau <= 1 -> tau <= cdf d (real (quantile (cdf d) tau)).
Proof.
  intros Hd Htau; apply value_of_quantile_ge.
  - apply cdf_nondecreasing, Hd.
  - apply cdf_right_continuous.
  - now apply quantile_of_law_is_finite.
Qed.
