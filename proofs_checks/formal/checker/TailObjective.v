(** * Mean, CVaR and their mixtures as a maximum

    With c(x) = w x + k x^+, k = (1 - w) / alpha and J(rho) = rho - E c(rho - Z): [J_le_Phi], J(rho) is at most w
    Mean + (1 - w) CVaR_alpha for every rho; [Phi_attained], some rho attains it. *)

Require Import ZArith Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts RockafellarUryasev Meaning.
Import ListNotations.
Open Scope R_scope.

Lemma weighting_mix w G H : 0 <= w <= 1 -> weighting G -> weighting H ->
  weighting (fun tau => w * G tau + (1 - w) * H tau).
Proof.
  intros Hw HG HH. split.
  - rewrite (weighting_0 G HG), (weighting_0 H HH). ring.
  - rewrite (weighting_1 G HG), (weighting_1 H HH). ring.
  - intros x y Hx Hxy Hy. pose proof (weighting_mono G HG x y Hx Hxy Hy).
    pose proof (weighting_mono H HH x y Hx Hxy Hy).
    apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
  - intros x eps Hx Heps.
    destruct (weighting_right G HG x eps Hx Heps) as [d1 [Hd1 H1]].
    destruct (weighting_right H HH x eps Hx Heps) as [d2 [Hd2 H2]].
    exists (Rmin d1 d2). split; [now apply Rmin_glb_lt|]. intros y Hy Hy1. pose proof (Rmin_l d1 d2).
    pose proof (Rmin_r d1 d2).
    specialize (H1 y ltac:(lra) Hy1). specialize (H2 y ltac:(lra) Hy1).
    destruct (Req_EM_T w 0) as [->|Hw0]; [lra|]. destruct (Req_EM_T w 1) as [->|Hw1]; [lra|].
    pose proof (Rmult_lt_compat_l w _ _ ltac:(lra) H1). pose proof (Rmult_lt_compat_l (1 - w) _ _ ltac:(lra) H2). lra.
Qed.

Lemma Phi_mix w G H d : 0 <= w <= 1 -> weighting G -> weighting H -> is_law d ->
  Phi (fun tau => w * G tau + (1 - w) * H tau) d = w * Phi G d + (1 - w) * Phi H d.
Proof.
  intros Hw HG HH Hd. destruct (bounded_law d) as [lo [hi [Hle B]]].
  rewrite (Phi_eq_hi_minus_area _ d lo hi (weighting_mix w G H Hw HG HH) Hd Hle B).
  rewrite (Phi_eq_hi_minus_area G d lo hi HG Hd Hle B), (Phi_eq_hi_minus_area H d lo hi HH Hd Hle B).
  pose proof (ex_RInt_weighted_cdf G d lo hi HG Hd Hle B) as E1.
  pose proof (ex_RInt_weighted_cdf H d lo hi HH Hd Hle B) as E2.
  replace (RInt (fun x => w * G (cdf d x) + (1 - w) * H (cdf d x)) lo hi)
    with (w * RInt (fun x => G (cdf d x)) lo hi + (1 - w) * RInt (fun x => H (cdf d x)) lo hi); [ring|].
  symmetry. apply is_RInt_unique. apply (is_RInt_plus (V := R_NormedModule)).
  - apply (is_RInt_scal (V := R_NormedModule)). now apply (RInt_correct (V := R_CompleteNormedModule)).
  - apply (is_RInt_scal (V := R_NormedModule)). now apply (RInt_correct (V := R_CompleteNormedModule)).
Qed.

Section Tail.
  Variables (w alpha : R).
  Hypothesis Hw : 0 <= w <= 1.
  Hypothesis Halpha : 0 < alpha <= 1.

  Definition slope_of : R := (1 - w) / alpha.
  Definition cost_of (x : R) : R := w * x + slope_of * Rmax 0 x.
  Definition J (d : dist R) (rho : R) : R := rho - E d (fun z => cost_of (rho - z)).

  Lemma slope_nonneg : 0 <= slope_of.
  Proof. unfold slope_of. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra. Qed.

  Lemma slope_sum : 1 <= w + slope_of.
  Proof.
    assert (1 - w <= slope_of); [|lra]. unfold slope_of. apply Rmult_le_reg_r with alpha; [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r. rewrite <- (Rmult_1_r (1 - w)) at 2.
    apply Rmult_le_compat_l; lra.
  Qed.

  Lemma cost_mono x y : x <= y -> cost_of x <= cost_of y.
  Proof.
    intros H. unfold cost_of. pose proof slope_nonneg. apply Rplus_le_compat; apply Rmult_le_compat_l; try lra.
    unfold Rmax; destruct (Rle_dec 0 x), (Rle_dec 0 y); lra.
  Qed.

  Lemma cost_ge_left x : w * x <= cost_of x.
  Proof. unfold cost_of. pose proof slope_nonneg. pose proof (Rmax_l 0 x). pose proof (Rmult_le_pos _ _ H H0). lra. Qed.

  Lemma cost_ge_right x : (w + slope_of) * x <= cost_of x.
  Proof.
    unfold cost_of. pose proof slope_nonneg. pose proof (Rmax_r 0 x). pose proof (Rmult_le_compat_l _ _ _ H H0). lra.
  Qed.

  Lemma weighting_tail : weighting (tail_weight w alpha).
  Proof.
    apply (weighting_mix w (fun tau => tau) (cvar_weight alpha) Hw weighting_id (weighting_cvar alpha Halpha)).
  Qed.

  Lemma Phi_tail d : is_law d -> Phi (tail_weight w alpha) d =
    w * E d (fun z => z) + (1 - w) * Phi (cvar_weight alpha) d.
  Proof.
    intros Hd. pose proof (Phi_mix w (fun tau => tau) (cvar_weight alpha) d Hw weighting_id
      (weighting_cvar alpha Halpha) Hd) as H.
    rewrite (Phi_id_eq_mean d Hd) in H. exact H.
  Qed.

  Lemma J_eq d rho : is_law d -> J d rho = w * E d (fun z => z) + (1 - w) * ru alpha d rho.
  Proof.
    intros Hd. unfold J, cost_of. rewrite E_plus, !E_scal, E_minus, (E_const d rho Hd). unfold ru, shortfall, slope_of.
    unfold Rdiv. ring.
  Qed.

  Theorem J_le_Phi d rho : is_law d -> J d rho <= Phi (tail_weight w alpha) d.
  Proof.
    intros Hd. rewrite (J_eq d rho Hd), (Phi_tail d Hd). apply Rplus_le_compat_l, Rmult_le_compat_l; [lra|].
    now apply ru_le_cvar.
  Qed.

  Theorem Phi_attained d : is_law d -> exists rho, Phi (tail_weight w alpha) d = J d rho.
  Proof.
    intros Hd. destruct (rockafellar_uryasev d alpha Hd Halpha) as [_ [rho [p [_ [_ [_ H]]]]]]. exists rho.
    now rewrite (J_eq d rho Hd), (Phi_tail d Hd), H.
  Qed.

  (** Where the window ends, the mean decides. *)
  Lemma J_left d rho b mean : is_law d -> E d (fun z => z) <= mean -> rho <= b -> J d rho <= (1 - w) * b + w * mean.
  Proof.
    intros Hd Hmean Hrho. unfold J.
    assert (w * (rho - E d (fun z => z)) <= E d (fun z => cost_of (rho - z))).
    { replace (w * (rho - E d (fun z => z))) with (E d (fun z => w * (rho - z)))
        by (rewrite E_scal, E_minus, (E_const d rho Hd); ring).
      apply E_le; [apply Hd|]. intros z. apply cost_ge_left. }
    pose proof (Rmult_le_compat_l w _ _ (proj1 Hw) Hmean). pose proof (Rmult_le_compat_l (1 - w) _ _ ltac:(lra) Hrho).
    lra.
  Qed.

  Lemma J_right d rho b mean : is_law d -> E d (fun z => z) <= mean -> b <= rho ->
    J d rho <= (w + slope_of) * mean - (w + slope_of - 1) * b.
  Proof.
    intros Hd Hmean Hrho. pose proof slope_sum as Hs. unfold J. set (kappa := w + slope_of) in *.
    assert (kappa * (rho - E d (fun z => z)) <= E d (fun z => cost_of (rho - z))).
    { replace (kappa * (rho - E d (fun z => z))) with (E d (fun z => kappa * (rho - z)))
        by (rewrite E_scal, E_minus, (E_const d rho Hd); ring).
      apply E_le; [apply Hd|]. intros z. apply cost_ge_right. }
    pose proof (Rmult_le_compat_l kappa _ _ ltac:(lra) Hmean).
    pose proof (Rmult_le_compat_l (kappa - 1) _ _ ltac:(lra) Hrho). lra.
  Qed.

  Lemma J_le_mean d rho : is_law d -> J d rho <= E d (fun z => z).
  Proof.
    intros Hd. unfold J. pose proof slope_sum.
    assert (rho - E d (fun z => z) <= E d (fun z => cost_of (rho - z))); [|lra].
    replace (rho - E d (fun z => z)) with (E d (fun z => rho - z)) by (rewrite E_minus, (E_const d rho Hd); ring).
    apply E_le; [apply Hd|]. intros z. unfold cost_of. unfold Rmax. destruct (Rle_dec 0 (rho - z)) as [H0|H0].
    - pose proof (Rmult_le_compat_r (rho - z) _ _ H0 H). lra.
    - pose proof (Rmult_le_compat_r (- (rho - z)) w 1 ltac:(lra) (proj2 Hw)). lra.
  Qed.

  (** Between two points of a grid that contains z, the cost is linear. *)
  Lemma cost_linear u b y lam : 0 < u -> 0 <= lam <= 1 ->
    cost_of (u * (IZR b + lam) - u * IZR y) =
      (1 - lam) * cost_of (u * IZR b - u * IZR y) + lam * cost_of (u * (IZR b + 1) - u * IZR y).
  Proof.
    intros Hu Hlam. unfold cost_of.
    assert (Rmax 0 (u * (IZR b + lam) - u * IZR y) =
      (1 - lam) * Rmax 0 (u * IZR b - u * IZR y) + lam * Rmax 0 (u * (IZR b + 1) - u * IZR y)) as ->; [|ring].
    destruct (Z_le_gt_dec y b) as [H|H].
    - apply IZR_le in H. pose proof (Rmult_le_compat_l u _ _ ltac:(lra) H).
      pose proof (Rmult_le_pos u lam ltac:(lra) ltac:(lra)).
      rewrite !Rmax_right by lra. ring.
    - assert (Hy : (b + 1 <= y)%Z) by (apply Z.gt_lt in H; apply Zlt_le_succ in H; exact H). apply IZR_le in Hy.
      rewrite plus_IZR in Hy.
      pose proof (Rmult_le_compat_l u _ _ ltac:(lra) Hy). pose proof (Rmult_le_compat_l u lam 1 ltac:(lra) ltac:(lra)).
      rewrite !Rmax_left by lra. ring.
  Qed.
End Tail.
