(** * The Wang transform: a weighting, its shape, and the tests of its points

    Every level strictly between 0 and 1 is N(z) for one z, and there the transform is N(z + s). *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Rows Program Check PolygonCheck CurveCheck Meaning RatFacts
  PolygonObjective Curves PowerCurve NormalCurve.
Open Scope R_scope.

Lemma half_pos : 0 < half_mass.
Proof. pose proof (area_lt_half 0) as H. now rewrite area_0 in H. Qed.

(** ** N *)

Lemma normal_increasing x y : x < y -> normal x < normal y.
Proof.
  intros H. apply area_increasing in H. pose proof half_pos. unfold normal. apply Rplus_lt_compat_l.
  apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; lra | assumption].
Qed.

Lemma normal_nondecreasing x y : x <= y -> normal x <= normal y.
Proof. intros [H| ->]; [left; now apply normal_increasing | lra]. Qed.

Lemma normal_le_reg x y : normal x <= normal y -> x <= y.
Proof. intros H. apply Rnot_lt_le. intros Hlt. apply normal_increasing in Hlt. lra. Qed.

Lemma normal_range z : 0 < normal z < 1.
Proof.
  pose proof half_pos as Hh. unfold normal. pose proof (area_lt_half z) as H1. pose proof (area_lt_half (- z)) as H2.
  rewrite area_opp in H2.
  assert (area z / (2 * half_mass) < 1 / 2) by (apply Rmult_lt_reg_r with (2 * half_mass); [lra|]; unfold Rdiv;
    rewrite Rmult_assoc, Rinv_l; lra).
  assert (- (1 / 2) < area z / (2 * half_mass))
    by (apply Rmult_lt_reg_r with (2 * half_mass); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
  lra.
Qed.

Lemma is_derive_normal z : is_derive normal z (bell z / (2 * half_mass)).
Proof.
  pose proof half_pos. unfold normal.
  replace (bell z / (2 * half_mass)) with (plus 0 (/ (2 * half_mass) * bell z)) by (unfold plus; cbn; field; lra).
  apply (is_derive_plus (V := R_NormedModule)); [apply (is_derive_const (V := R_NormedModule))|].
  apply is_derive_ext with (fun z => / (2 * half_mass) * area z); [intros t; in_reals; field; lra|].
  apply is_derive_scal. apply is_derive_area.
Qed.

Lemma continuous_normal z : continuous normal z.
Proof.
  apply (ex_derive_continuous (V := R_NormedModule)). exists (bell z / (2 * half_mass)). apply is_derive_normal.
Qed.

Lemma normal_small eps : 0 < eps -> exists z, normal z < eps.
Proof.
  intros He. pose proof half_pos as Hh.
  destruct (half_approached (2 * half_mass * eps)) as [z Hz]; [repeat apply Rmult_lt_0_compat; lra|].
  exists (- z). unfold normal. rewrite area_opp. apply Rmult_lt_reg_r with (2 * half_mass); [lra|].
  replace ((1 / 2 + - area z / (2 * half_mass)) * (2 * half_mass)) with (half_mass - area z) by (field; lra). lra.
Qed.

Lemma normal_opp z : normal (- z) = 1 - normal z.
Proof. pose proof half_pos. unfold normal. rewrite area_opp. field. lra. Qed.

Lemma normal_onto tau : 0 < tau < 1 -> exists z, normal z = tau.
Proof.
  intros Ht. destruct (normal_small tau ltac:(lra)) as [a Ha]. destruct (normal_small (1 - tau) ltac:(lra)) as [b Hb].
  pose proof (normal_opp b) as Ho. destruct (IVT_gen normal a (- b) tau) as [z [_ Hz]].
  - intros x. apply continuity_pt_filterlim. apply continuous_normal.
  - split; [eapply Rle_trans; [apply Rmin_l | lra] | eapply Rle_trans; [|apply Rmax_r]; lra].
  - now exists z.
Qed.

Lemma quantile_normal z : quantile normal (normal z) = Finite z.
Proof.
  unfold quantile. apply is_glb_Rbar_unique. split.
  - intros x Hx. cbn. now apply normal_le_reg.
  - intros b Hb. apply (Hb z). lra.
Qed.

(** ** The transform *)

Lemma wang_at s z : wang s (normal z) = normal (z + s).
Proof.
  pose proof (normal_range z). unfold wang. destruct (Rle_dec (normal z) 0); [lra|].
  destruct (Rle_dec 1 (normal z)); [lra|]. now rewrite quantile_normal.
Qed.
Lemma wang_0 s : wang s 0 = 0.
Proof. unfold wang. destruct (Rle_dec 0 0); lra. Qed.
Lemma wang_1 s : wang s 1 = 1.
Proof. unfold wang. destruct (Rle_dec 1 0); [lra|]. destruct (Rle_dec 1 1); lra. Qed.

Lemma wang_cases (P : R -> Prop) : P 0 -> P 1 -> (forall z, P (normal z)) -> forall x, 0 <= x <= 1 -> P x.
Proof.
  intros H0 H1 H x Hx. destruct (Req_dec x 0) as [->|]; [assumption|]. destruct (Req_dec x 1) as [->|]; [assumption|].
  destruct (normal_onto x ltac:(lra)) as [z <-]. apply H.
Qed.

Theorem weighting_wang s : weighting (wang s).
Proof.
  assert (Hr : forall x, 0 <= x <= 1 -> 0 <= wang s x <= 1).
  { apply wang_cases; [rewrite wang_0; lra | rewrite wang_1; lra | intros z; rewrite wang_at;
      pose proof (normal_range (z + s)); lra]. }
  split; [apply wang_0 | apply wang_1 | |].
  - intros x y Hx Hxy Hy. destruct (Req_dec x 0) as [->|]; [rewrite wang_0; apply Hr; lra|].
    destruct (Req_dec y 1) as [->|]; [rewrite wang_1; apply Hr; lra|].
    destruct (normal_onto x ltac:(lra)) as [a <-]. destruct (normal_onto y ltac:(lra)) as [b <-]. rewrite !wang_at.
    apply normal_nondecreasing. apply normal_le_reg in Hxy. lra.
  - intros x eps Hx Heps. destruct (Req_dec x 0) as [->|].
    + destruct (normal_small eps Heps) as [z Hz]. pose proof (normal_range (z - s)) as Hn. exists (normal (z - s)).
      split; [lra|]. intros y Hy _.
      rewrite wang_0, Rminus_0_r. destruct (Req_dec y 0) as [->|]; [rewrite wang_0; lra|].
      destruct (normal_onto y ltac:(lra)) as [b <-]. rewrite wang_at.
      eapply Rle_lt_trans; [|exact Hz]. apply normal_nondecreasing. assert (b < z - s); [|lra]. apply Rnot_le_lt.
      intros Hle. apply normal_nondecreasing in Hle. lra.
    + destruct (normal_onto x ltac:(lra)) as [a <-]. pose proof (continuous_normal (a + s)) as Hc.
      apply continuity_pt_filterlim in Hc.
      destruct (Hc eps Heps) as [d [Hd Hlim]]. cbn in Hlim. unfold R_dist, D_x, no_cond in Hlim.
      exists (normal (a + d / 2) - normal a). pose proof (normal_increasing a (a + d / 2) ltac:(lra)). split; [lra|].
      intros y Hy Hy1.
      pose proof (normal_range (a + d / 2)). destruct (normal_onto y ltac:(lra)) as [b <-]. rewrite !wang_at.
      assert (a <= b) by (apply normal_le_reg; lra).
      assert (b < a + d / 2) by (apply Rnot_le_lt; intros Hle; apply normal_nondecreasing in Hle; lra).
      destruct (Req_dec a b) as [->|Hne]; [lra|]. specialize (Hlim (b + s)).
      assert (Hs : Rabs (normal (b + s) - normal (a + s)) < eps)
        by (apply Hlim; repeat split; [lra | rewrite Rabs_pos_eq; lra]). apply Rabs_def2 in Hs. lra.
Qed.

(** ** Shape: the slope at N(z) is exp(- s z - s^2 / 2) *)

Lemma bell_shifted t s : bell (t + s) = exp (- (s * t) - s * s / 2) * bell t.
Proof. unfold bell. rewrite <- exp_plus. f_equal. field. Qed.

Lemma wang_tangent s y z t : y = normal z -> 0 < t < 1 -> let c := exp (- (s * z) - s * s / 2) in
  (0 <= s -> wang s t <= wang s y + c * (t - y)) /\ (s <= 0 -> wang s y + c * (t - y) <= wang s t).
Proof.
  intros -> Ht c. destruct (normal_onto t Ht) as [x <-]. rewrite !wang_at. pose proof half_pos as Hh.
  set (f := fun u => normal (u + s) - c * normal u).
  set (df := fun u => (exp (- (s * u) - s * s / 2) - c) * (bell u / (2 * half_mass))).
  assert (Hd : forall u, is_derive f u (df u)).
  { intros u. unfold f, df. replace ((exp (- (s * u) - s * s / 2) - c) * (bell u / (2 * half_mass)))
      with (minus (scal 1 (bell (u + s) / (2 * half_mass))) (c * (bell u / (2 * half_mass)))).
    - apply (is_derive_minus (V := R_NormedModule)); [|apply is_derive_scal, is_derive_normal].
      apply (is_derive_comp normal (fun u => u + s)); [apply is_derive_normal | auto_derive; [trivial | ring]].
    - rewrite bell_shifted. unfold minus, plus, opp, scal; cbn. unfold mult; cbn. field. lra. }
  assert (Hpos : forall u, 0 <= bell u / (2 * half_mass))
    by (intros u; left; apply Rdiv_lt_0_compat; [apply bell_pos | lra]).
  set (a := Rmin x z - 1). set (b := Rmax x z + 1). pose proof (Rmin_l x z). pose proof (Rmin_r x z).
  pose proof (Rmax_l x z). pose proof (Rmax_r x z).
  split; intros Hs.
  - assert (f x <= f z); [|unfold f in *; lra].
    apply (largest_at f df a b); [unfold a, b; lra | unfold a, b; lra | intros; apply Hd | |]; intros u Hu; unfold df.
    + apply Rmult_le_pos; [|apply Hpos]. assert (c <= exp (- (s * u) - s * s / 2)) by (apply exp_mono; nra). lra.
    + assert (exp (- (s * u) - s * s / 2) <= c) by (apply exp_mono; nra). pose proof (Hpos u). nra.
  - assert (- f x <= - f z); [|unfold f in *; lra].
    apply (largest_at (fun u => - f u) (fun u => - df u) a b); [unfold a, b; lra | unfold a, b; lra | | |].
    + intros u _. apply (is_derive_opp (V := R_NormedModule)), Hd.
    + intros u Hu; unfold df. assert (exp (- (s * u) - s * s / 2) <= c) by (apply exp_mono; nra). pose proof (Hpos u).
      nra.
    + intros u Hu; unfold df. assert (c <= exp (- (s * u) - s * s / 2)) by (apply exp_mono; nra). pose proof (Hpos u).
      nra.
Qed.

Theorem wang_bends_down s : 0 <= s -> bends_down (wang s) 0 1.
Proof.
  intros Hs y Hy. destruct (normal_onto y Hy) as [z Hz]. exists (exp (- (s * z) - s * s / 2)). intros t Ht.
  now apply (wang_tangent s y z t (eq_sym Hz) Ht).
Qed.
Theorem wang_bends_up s : s <= 0 -> bends_up (wang s) 0 1.
Proof.
  intros Hs y Hy. destruct (normal_onto y Hy) as [z Hz]. exists (exp (- (s * z) - s * s / 2)). intros t Ht.
  now apply (wang_tangent s y z t (eq_sym Hz) Ht).
Qed.

(** ** The tests *)

Lemma half_share_correct a h : ok a -> ok h -> (0 < num h)%Z -> ok (half_share a h) /\
  real_of (half_share a h) = real_of a / (2 * real_of h).
Proof.
  intros Ha Hh Hn. assert (O2 : ok (rmult (of_Z 2) h)) by (apply ok_rmult; [reflexivity | assumption]).
  assert (P : (0 < num (rmult (of_Z 2) h))%Z) by (unfold rmult, of_Z; cbn [num]; lia).
  assert (Oi : ok (rinv (rmult (of_Z 2) h))) by exact P.
  unfold half_share. split; [now apply ok_rmult|].
  rewrite real_rmult, real_rinv, real_rmult, real_of_Z by (try assumption; reflexivity). reflexivity.
Qed.

Lemma share_bounds z h : ok z -> (0 <= num z)%Z -> ok h -> (0 < num h)%Z ->
  (ok (half_share (area_below z) h) /\ (half_mass <= real_of h ->
    real_of (half_share (area_below z) h) <= area (real_of z) / (2 * half_mass))) /\
  (ok (half_share (area_above z) h) /\ (real_of h <= half_mass ->
    area (real_of z) / (2 * half_mass) <= real_of (half_share (area_above z) h))).
Proof.
  intros Hz Hn Hh Hp. destruct (area_tests z Hz Hn) as [[O1 A1] [O2 A2]]. pose proof half_pos as Hhp.
  pose proof (proj1 (real_of_sign h Hh) Hp) as Hhr.
  destruct (half_share_correct _ h O1 Hh Hp) as [O3 E3]. destruct (half_share_correct _ h O2 Hh Hp) as [O4 E4].
  assert (Hm : 0 <= area (real_of z)).
  { destruct (real_nonneg z Hz Hn) as [H|H];
      [apply area_increasing in H; rewrite area_0 in H; lra | rewrite <- H, area_0; lra]. }
  split; (split; [assumption|]); intros Hle; [rewrite E3 | rewrite E4].
  - apply Rle_trans with (area (real_of z) / (2 * real_of h)).
    + apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | assumption].
    + apply Rmult_le_compat_l; [assumption|]. apply Rinv_le_contravar; lra.
  - apply Rle_trans with (area (real_of z) / (2 * real_of h)).
    + apply Rmult_le_compat_l; [assumption|]. apply Rinv_le_contravar; lra.
    + apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | assumption].
Qed.

Theorem normal_tests z : ok z -> (ok (normal_below z) /\ real_of (normal_below z) <= normal (real_of z)) /\
  ok (normal_above z) /\ normal (real_of z) <= real_of (normal_above z).
Proof.
  intros Hz. destruct half_mass_between as [HL HU]. assert (OL : ok half_low) by reflexivity.
  assert (OU : ok half_high) by reflexivity.
  assert (OH : ok one_half) by reflexivity. assert (EH : real_of one_half = 1 / 2) by (unfold real_of; cbn; field).
  unfold normal_below, normal_above, normal. destruct (Z.leb_spec 0 (num z)) as [Hn|Hn].
  - destruct (share_bounds z half_high Hz Hn OU ltac:(reflexivity)) as [[O1 B1] _].
    destruct (share_bounds z half_low Hz Hn OL ltac:(reflexivity)) as [_ [O2 B2]].
    specialize (B1 HU). specialize (B2 HL). rewrite !real_rplus, EH by assumption.
    repeat split; try (now apply ok_rplus); lra.
  - assert (Hz' : ok (ropp z)) by now apply ok_ropp.
    assert (Hn' : (0 <= num (ropp z))%Z) by (unfold ropp; cbn [num]; lia).
    destruct (share_bounds (ropp z) half_high Hz' Hn' OU ltac:(reflexivity)) as [[O1 B1] _].
    destruct (share_bounds (ropp z) half_low Hz' Hn' OL ltac:(reflexivity)) as [_ [O2 B2]].
    specialize (B1 HU). specialize (B2 HL). rewrite real_ropp, area_opp in B1, B2. unfold Rdiv in *.
    rewrite !real_rminus, EH by assumption.
    repeat split; try (now apply ok_rminus); lra.
Qed.

(** N(z) <= x and y <= N(z + s) place (x, y) below the curve; the other way round, above it. *)
Lemma wang_below s z x y : 0 <= x <= 1 -> normal z <= x -> y <= normal (z + s) -> y <= wang s x.
Proof.
  intros Hx H1 H2. pose proof (normal_range z).
  pose proof (weighting_mono (wang s) (weighting_wang s) (normal z) x ltac:(lra) H1 ltac:(lra)) as Hm.
  rewrite wang_at in Hm. lra.
Qed.
Lemma wang_above s z x y : 0 <= x <= 1 -> x <= normal z -> normal (z + s) <= y -> wang s x <= y.
Proof.
  intros Hx H1 H2. pose proof (normal_range z).
  pose proof (weighting_mono (wang s) (weighting_wang s) x (normal z) ltac:(lra) H1 ltac:(lra)) as Hm.
  rewrite wang_at in Hm. lra.
Qed.
