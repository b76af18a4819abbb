(** * The Wang transform is not Lipschitz      (paper: introduction; assump:lipschitz/wang)

    N is the distribution function of the standard normal law: exp(-t^2/2), divided by its integral.  The Wang transform
    with beta = 1 is G(tau) = N(N^{-1}(tau) + 1).  Since the density at t + 1 is exp(-t - 1/2) times that at t,
    N(x + 1) >= exp(-x - 1/2) N(x); so G(tau) / tau has no bound near 0. *)

Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity.
Open Scope R_scope.

(** ** The normal law *)

Definition density (t : R) : R := exp (- (t * t) / 2).

Lemma density_pos t : 0 < density t.
Proof. apply exp_pos. Qed.

Lemma continuous_density t : continuous density t.
Proof. apply (ex_derive_continuous density); unfold density; auto_derive; exact I. Qed.

(** The integral from 0. *)
Definition from_0 (x : R) : R := RInt density 0 x.

Lemma ex_RInt_bell a b : ex_RInt density a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _; apply continuous_density. Qed.

Lemma derive_from_0 x : is_derive from_0 x (density x).
Proof.
  apply (is_derive_RInt density from_0 0 x); [|apply continuous_density].
  apply filter_forall. intros y. apply (RInt_correct (V := R_CompleteNormedModule)), ex_RInt_bell.
Qed.

Lemma from_0_increases x y : x < y -> from_0 x < from_0 y.
Proof.
  intros Hxy. destruct (MVT_gen from_0 x y density) as [c [_ H]].
  - intros t _; apply derive_from_0.
  - intros t _. apply continuity_pt_filterlim, (ex_derive_continuous from_0). exists (density t); apply derive_from_0.
  - pose proof (density_pos c). nra.
Qed.

Lemma from_0_odd x : from_0 (- x) = - from_0 x.
Proof.
  (* the derivative of the sum of both sides is 0 *)
  set (f := fun t => from_0 (- t) + from_0 t).
  assert (Hd : forall t, is_derive f t 0).
  { intros t. replace 0 with (plus (scal (-1) (density (- t))) (density t)).
    - apply (is_derive_plus (fun t => from_0 (- t)) from_0); [|apply derive_from_0].
      apply (is_derive_comp from_0 Ropp); [apply derive_from_0|]. auto_derive; [exact I | ring].
    - unfold plus, scal; simpl; unfold mult; simpl. unfold density. replace (- t * - t) with (t * t) by ring. ring. }
  destruct (MVT_gen f 0 x (fun _ => 0)) as [c [_ H]].
  - intros t _; apply Hd.
  - intros t _. apply continuity_pt_filterlim, (ex_derive_continuous f). exists 0; apply Hd.
  - unfold f in H. rewrite Ropp_0 in H. unfold from_0 in H at 3 4. rewrite RInt_point in H. change zero with 0 in H.
    lra.
Qed.

(** It is bounded: t^2/2 >= t - 1/2. *)
Lemma from_0_le x : from_0 x <= exp (1 / 2).
Proof.
  destruct (Rle_dec x 0) as [Hx|Hx].
  - apply Rle_trans with (from_0 0).
    + destruct Hx as [Hx| ->]; [left; now apply from_0_increases | lra].
    + unfold from_0. rewrite RInt_point. left; apply exp_pos.
  - assert (Hi : is_RInt (fun t => exp (1 / 2 - t)) 0 x (exp (1 / 2) - exp (1 / 2 - x))).
    { replace (exp (1 / 2) - exp (1 / 2 - x)) with (minus (- exp (1 / 2 - x)) (- exp (1 / 2 - 0)))
        by (unfold minus, plus, opp; simpl; rewrite Rminus_0_r; ring).
      apply (is_RInt_derive (V := R_CompleteNormedModule) (fun t => - exp (1 / 2 - t))).
      - intros t _. auto_derive; [exact I | unfold Rminus; ring].
      - intros t _. apply (ex_derive_continuous (fun t => exp (1 / 2 - t))). auto_derive. exact I. }
    apply Rle_trans with (RInt (fun t => exp (1 / 2 - t)) 0 x).
    + apply RInt_le; [lra | apply ex_RInt_bell | now exists (exp (1 / 2) - exp (1 / 2 - x)) |].
      intros t _. unfold density.
      destruct (Rle_lt_or_eq_dec (- (t * t) / 2) (1 / 2 - t)) as [H|H];
        [|left; now apply exp_increasing | rewrite H; lra].
      pose proof (Rle_0_sqr (t - 1)) as H; unfold Rsqr in H; lra.
    + rewrite (is_RInt_unique _ _ _ _ Hi). pose proof (exp_pos (1 / 2 - x)). lra.
Qed.

(** Half of the whole integral. *)
Lemma half_exists : { h : R | is_lub (fun v => exists x, v = from_0 x) h }.
Proof.
  apply completeness.
  - exists (exp (1 / 2)). intros v [x ->]. apply from_0_le.
  - exists (from_0 0). now exists 0.
Qed.

Definition half : R := proj1_sig half_exists.

Lemma from_0_lt_half x : from_0 x < half.
Proof.
  destruct (proj2_sig half_exists) as [Hub _].
  apply Rlt_le_trans with (from_0 (x + 1)); [apply from_0_increases; lra|]. apply Hub. now exists (x + 1).
Qed.

Lemma half_positive : 0 < half.
Proof. pose proof (from_0_lt_half 0) as H. unfold from_0 in H. rewrite RInt_point in H. exact H. Qed.

Lemma half_reached e : 0 < e -> exists x, half - e < from_0 x.
Proof.
  intros He. destruct (proj2_sig half_exists) as [_ Hleast]. fold half in Hleast.
  destruct (Classical_Prop.classic (exists x, half - e < from_0 x)) as [|Hno]; [assumption | exfalso].
  assert (half <= half - e); [|lra]. apply Hleast. intros v [x ->]. apply Rnot_lt_le; intros Hlt.
  apply Hno; now exists x.
Qed.

Definition normal_cdf (x : R) : R := (half + from_0 x) / (2 * half).

Lemma normal_cdf_range x : 0 < normal_cdf x < 1.
Proof.
  pose proof half_positive. pose proof (from_0_lt_half x). pose proof (from_0_lt_half (- x)) as H1.
  rewrite from_0_odd in H1.
  unfold normal_cdf; split; [apply Rdiv_lt_0_compat; lra|].
  apply Rmult_lt_reg_r with (2 * half); [lra|]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma normal_cdf_increases x y : x < y -> normal_cdf x < normal_cdf y.
Proof.
  intros H. pose proof half_positive. unfold normal_cdf. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; lra|].
  pose proof (from_0_increases x y H). lra.
Qed.

(** N^{-1}(N(x)) = x. *)
Lemma quantile_of_normal x : quantile normal_cdf (normal_cdf x) = Finite x.
Proof.
  apply quantile_of_iff. intros z. split; intros H.
  - apply Rnot_lt_le; intros Hlt. pose proof (normal_cdf_increases z x Hlt). lra.
  - destruct H as [H| ->]; [left; now apply normal_cdf_increases | lra].
Qed.

(** ** The Wang transform with beta = 1 *)

Definition wang_one (tau : R) : R := normal_cdf (real (quantile normal_cdf tau) + 1).

Lemma shifted_normal x : exp (- x - 1 / 2) * normal_cdf x <= normal_cdf (x + 1).
Proof.
  set (c := exp (- x - 1 / 2)). pose proof half_positive as Hh. assert (Hc : 0 < c) by apply exp_pos.
  set (D := fun t => half + from_0 (t + 1) - c * (half + from_0 t)).
  assert (HD : forall t, is_derive D t (density (t + 1) - c * density t)).
  { intros t. unfold D. apply (is_derive_minus (fun t => half + from_0 (t + 1)) (fun t => c * (half + from_0 t))).
    - replace (density (t + 1)) with (plus zero (scal 1 (density (t + 1))))
        by (unfold plus, zero, scal; simpl; unfold mult; simpl; ring).
      apply (is_derive_plus (fun _ => half) (fun t => from_0 (t + 1))); [apply @is_derive_const|].
      apply (is_derive_comp from_0 (fun t => t + 1)); [apply derive_from_0|]. auto_derive; [exact I | ring].
    - apply is_derive_scal. replace (density t) with (plus zero (density t)) by (unfold plus, zero; simpl; ring).
      apply (is_derive_plus (fun _ => half) from_0); [apply @is_derive_const | apply derive_from_0]. }
  assert (Hmono : forall t, t < x -> D t <= D x).
  { intros t Ht. destruct (MVT_gen D t x (fun t => density (t + 1) - c * density t)) as [s [Hs H]].
    - intros s _; apply HD.
    - intros s _. apply continuity_pt_filterlim, (ex_derive_continuous D). eexists; apply HD.
    - rewrite Rmin_left, Rmax_right in Hs by lra.
      assert (Hb : c * density s <= density (s + 1)).
      { unfold c, density. rewrite <- exp_plus.
        destruct (Rle_lt_or_eq_dec (- x - 1 / 2 + - (s * s) / 2) (- ((s + 1) * (s + 1)) / 2)) as [Hlt|Heq];
          [lra | left; now apply exp_increasing | rewrite Heq; lra]. }
      nra. }
  assert (H0 : 0 <= D x).
  { apply Rnot_lt_le; intros Hneg. set (e := - D x / (2 * c)). assert (He : 0 < e) by (apply Rdiv_lt_0_compat; lra).
    destruct (half_reached e He) as [y Hy].
    set (t := Rmin (- y) (x - 1)). assert (Ht : t < x) by (unfold t; pose proof (Rmin_r (- y) (x - 1)); lra).
    assert (Hle : from_0 t <= from_0 (- y)).
    { unfold t. destruct (Rmin_l (- y) (x - 1)) as [H|H]; [left; now apply from_0_increases | rewrite H; lra]. }
    rewrite from_0_odd in Hle. pose proof (Hmono t Ht) as H. unfold D at 1 in H.
    pose proof (from_0_lt_half (- (t + 1))) as H1. rewrite from_0_odd in H1.
    assert (c * (half + from_0 t) <= c * e) by (apply Rmult_le_compat_l; lra).
    assert (c * e = - D x / 2) by (unfold e; field; lra). lra. }
  unfold normal_cdf, D in *. unfold Rdiv. rewrite <- Rmult_assoc.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | lra].
Qed.

(** For every constant the Wang transform grows faster near 0.
    Given: beta = 1, every constant L.
    Differs: every real L; the normal law is exp(-t^2/2) divided by its integral. *)
Theorem wang_grows_faster L : exists tau, 0 < tau < 1 /\ L * tau < wang_one tau.
Proof.
  set (x := - ln (Rmax L 0 + 1) - 1 / 2). exists (normal_cdf x). split; [apply normal_cdf_range|].
  unfold wang_one. rewrite quantile_of_normal. cbn [real]. pose proof (normal_cdf_range x) as [Hpos _].
  eapply Rlt_le_trans; [|apply shifted_normal]. apply Rmult_lt_compat_r; [assumption|].
  unfold x. replace (- (- ln (Rmax L 0 + 1) - 1 / 2) - 1 / 2) with (ln (Rmax L 0 + 1)) by ring.
  pose proof (Rmax_l L 0). pose proof (Rmax_r L 0). rewrite exp_ln by lra. lra.
Qed.
