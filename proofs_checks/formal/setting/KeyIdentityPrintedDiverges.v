(** * The printed key identity integrates to infinity      (paper: lem:key, and its form in the introduction)

    For every finite law and every weighting G, the integral of G(F(x)) over the whole line is infinite: it has no
    value as an improper integral, so neither T - integral nor 2T - integral means anything.  Cut off at M >= T, the
    printed right-hand side is Phi - (M - T), which is right only at M = T. *)

Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity.
Open Scope R_scope.

(** Given: any finite law, any G as in the key identity. *)
Theorem no_improper_integral_of_weighted_cdf G d :
  weighting G -> is_law d ->
  forall v, ~ is_RInt_gen (fun x => G (cdf d x)) (Rbar_locally m_infty) (Rbar_locally p_infty) v.
Proof.
  intros HG Hd v Hv. destruct (bounded_law d) as [lo [hi [Hle B]]].
  assert (Hball : locally v (ball v 1)) by (exists (mkposreal 1 Rlt_0_1); auto).
  destruct (Hv _ Hball) as [P Q [a0 HP] [b0 HQ] Hint].
  set (a := Rmin (a0 - 1) lo). set (b := Rmax (b0 + 1) (Rmax hi (v + Phi G d + 2))).
  assert (Ha : a < a0 /\ a <= lo) by (unfold a; pose proof (Rmin_l (a0 - 1) lo); pose proof (Rmin_r (a0 - 1) lo); lra).
  assert (Hb : b0 < b /\ hi <= b /\ v + Phi G d + 2 <= b).
  { unfold b; pose proof (Rmax_l (b0 + 1) (Rmax hi (v + Phi G d + 2))).
    pose proof (Rmax_r (b0 + 1) (Rmax hi (v + Phi G d + 2))).
    pose proof (Rmax_l hi (v + Phi G d + 2)); pose proof (Rmax_r hi (v + Phi G d + 2)); lra. }
  destruct (Hint a b (HP a (proj1 Ha)) (HQ b (proj1 Hb))) as [y [Hy Hnear]]; simpl in Hy.
  assert (HPhi : Phi G d = b - y).
  { rewrite (Phi_eq_hi_minus_area G d a b); [now rewrite (is_RInt_unique _ _ _ _ Hy) | assumption.. | lra |].
    revert B; apply as_impl; intros z Hz; lra. }
  unfold ball in Hnear; simpl in Hnear; unfold AbsRing_ball, abs, minus, plus, opp in Hnear; simpl in Hnear.
  apply Rabs_def2 in Hnear. lra.
Qed.

(** Given: a finite law on [0, T], M >= T. *)
Theorem printed_right_side_drifts G d T M :
  weighting G -> is_law d -> 0 <= T <= M -> almost_surely d (fun z => 0 <= z <= T) ->
  T - RInt (fun x => G (cdf d x)) 0 M = Phi G d - (M - T).
Proof.
  intros HG Hd HT H. rewrite (key_identity G d M); [ring | assumption.. | lra |].
  revert H; apply as_impl; intros z Hz; lra.
Qed.
