(** * The weighting of Tversky and Kahneman, tau^g / (tau^g + (1 - tau)^g)^(1/g), g < 1

    With v = tau / (1 - tau) and r = v^g its slope has the sign of g + v - (1 - g) r, which the tangent of v^g at g^2 /
    (1 - g) bounds, and its second derivative that of a polynomial in v and r, which is bounded cell by cell. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Rows Program Check PolygonCheck CurveCheck Meaning RatFacts
  PolygonObjective Curves PowerCurve NormalCurve.
Import ListNotations.
Open Scope R_scope.

Lemma power_tangent k y t : 0 < k <= 1 -> 0 < y -> 0 < t -> power k t <= power k y + k * Rpower y (k - 1) * (t - y).
Proof.
  intros Hk Hy Ht. set (c := k * Rpower y (k - 1)). set (b := y + t + 1).
  assert (power k t - c * t <= power k y - c * y); [|lra].
  apply (largest_at (fun x => power k x - c * x) (fun x => k * Rpower x (k - 1) - c) 0 b);
    [unfold b; lra | unfold b; lra | | |].
  - intros x Hx. replace (k * Rpower x (k - 1) - c) with (minus (k * Rpower x (k - 1)) (c * 1))
      by (unfold minus, plus, opp; cbn; ring).
    apply (is_derive_minus (V := R_NormedModule)); [apply is_derive_power; lra|]. apply is_derive_scal.
    apply (is_derive_id (K := R_AbsRing)).
  - intros x Hx. pose proof (Rpower_falls (k - 1) x y ltac:(lra) ltac:(lra) ltac:(lra)). unfold c. nra.
  - intros x Hx. pose proof (Rpower_falls (k - 1) y x ltac:(lra) ltac:(lra) ltac:(lra)). unfold c. nra.
Qed.

Section Exponent.
  Variable g : R.
  Hypothesis Hg : 0 < g < 1.

  Definition up (t : R) : R := exp (g * ln t).
  Definition down (t : R) : R := exp (g * ln (1 - t)).
  Definition formula (t : R) : R := up t / exp (/ g * ln (up t + down t)).
  Definition growth (t : R) : R := g / t - (up t / t - down t / (1 - t)) / (up t + down t).
  Definition growth' (t : R) : R :=
    - (g / (t * t)) - (g - 1) * (up t / (t * t) + down t / ((1 - t) * (1 - t))) / (up t + down t)
    + g * ((up t / t - down t / (1 - t)) * (up t / t - down t / (1 - t))) / ((up t + down t) * (up t + down t)).

  Lemma up_pos t : 0 < up t.
  Proof. apply exp_pos. Qed.
  Lemma down_pos t : 0 < down t.
  Proof. apply exp_pos. Qed.

  Lemma cpw_formula t : 0 < t < 1 -> cpw g t = formula t.
  Proof.
    intros Ht. unfold cpw, formula. rewrite (power_pos g t), (power_pos g (1 - t)) by lra.
    change (Rpower t g) with (up t). change (Rpower (1 - t) g) with (down t).
    rewrite power_pos; [reflexivity|]. pose proof (up_pos t). pose proof (down_pos t). lra.
  Qed.

  Lemma is_derive_up t : 0 < t -> is_derive up t (g * up t / t).
  Proof. intros Ht. unfold up. auto_derive; [assumption|]. field. lra. Qed.
  Lemma is_derive_down t : t < 1 -> is_derive down t (- (g * down t / (1 - t))).
  Proof.
    intros Ht. unfold down. auto_derive; [lra|]. change (1 - t) with (1 + - t). generalize (exp (g * ln (1 + - t))).
    intros e. field. lra.
  Qed.

  Lemma is_derive_formula t : 0 < t < 1 -> is_derive formula t (formula t * growth t).
  Proof.
    intros Ht. pose proof (up_pos t) as Hu. pose proof (down_pos t) as Hw. unfold formula.
    assert (Du : Derive (fun x => up x) t = g * up t / t) by (apply is_derive_unique, is_derive_up; lra).
    assert (Dw : Derive (fun x => down x) t = - (g * down t / (1 - t)))
      by (apply is_derive_unique, is_derive_down; lra).
    auto_derive.
    - split; [eexists; apply is_derive_up; lra|]. split; [eexists; apply is_derive_up; lra|].
      split; [eexists; apply is_derive_down; lra|].
      split; [lra|]. split; [apply Rgt_not_eq, exp_pos | trivial].
    - rewrite Du, Dw. unfold growth. pose proof (exp_pos (/ g * ln (up t + down t))) as He.
      generalize dependent (exp (/ g * ln (up t + down t))). intros e He.
      field. repeat split; lra.
  Qed.

  Lemma is_derive_growth t : 0 < t < 1 -> is_derive growth t (growth' t).
  Proof.
    intros Ht. pose proof (up_pos t) as Hu. pose proof (down_pos t) as Hw. unfold growth.
    assert (Du : Derive (fun x => up x) t = g * up t / t) by (apply is_derive_unique, is_derive_up; lra).
    assert (Dw : Derive (fun x => down x) t = - (g * down t / (1 - t)))
      by (apply is_derive_unique, is_derive_down; lra).
    auto_derive.
    - assert (Eu : ex_derive (fun x => up x) t) by (eexists; apply is_derive_up; lra).
      assert (Ew : ex_derive (fun x => down x) t) by (eexists; apply is_derive_down; lra).
      refine (conj _ (conj Eu (conj _ (conj Ew (conj _ (conj Eu (conj Ew (conj _ I)))))))); lra.
    - rewrite Du, Dw. unfold growth'. generalize dependent (up t). generalize dependent (down t). intros w Hw _ u Hu _.
      field. repeat split; lra.
  Qed.

  (** ** Signs in terms of v and r *)

  Definition ratio (t : R) : R := power g (t / (1 - t)).
  Definition bend_of (r v : R) : R :=
    (1 - g) * (1 - g + 1) * (r * r) + r * (2 * g * g - 5 * g + 1 - 2 * v + (1 - g) * (v * v)) +
      (2 * (g * v) + 2 * (v * v) - g * (1 - g)).

  Lemma ratio_eq t : 0 < t < 1 -> ratio t = up t / down t.
  Proof.
    intros Ht. unfold ratio, up, down. rewrite power_pos by (apply Rdiv_lt_0_compat; lra). unfold Rpower, Rdiv.
    rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; lra). rewrite <- exp_Ropp, <- exp_plus. f_equal. ring.
  Qed.

  Lemma growth_sign t : 0 < t < 1 -> growth t = (g + t / (1 - t) - (1 - g) * ratio t) / (t * (1 + ratio t)).
  Proof.
    intros Ht. rewrite ratio_eq by assumption. unfold growth. pose proof (up_pos t). pose proof (down_pos t).
    generalize dependent (up t). generalize dependent (down t). intros w Hw u Hu. field. repeat split; lra.
  Qed.

  Lemma curvature_sign t : 0 < t < 1 -> growth t * growth t + growth' t =
    bend_of (ratio t) (t / (1 - t)) / (t * t * ((1 + ratio t) * (1 + ratio t))).
  Proof.
    intros Ht. rewrite ratio_eq by assumption. unfold growth, growth', bend_of. pose proof (up_pos t).
    pose proof (down_pos t).
    generalize dependent (up t). generalize dependent (down t). intros w Hw u Hu. field. repeat split; lra.
  Qed.

  Lemma ratio_nonneg t : 0 <= ratio t.
  Proof. apply power_nonneg. Qed.
  Lemma formula_pos t : 0 < formula t.
  Proof. unfold formula. apply Rdiv_lt_0_compat; apply exp_pos. Qed.

  (** ** The slope is not negative *)

  Hypothesis Hmono : power g (g * g / (1 - g)) <= g / ((1 - g) * (1 - g)).

  Lemma growth_nonneg t : 0 < t < 1 -> 0 <= growth t.
  Proof.
    intros Ht. rewrite growth_sign by assumption. pose proof (ratio_nonneg t) as Hr. apply Rmult_le_pos.
    2:{ left. apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; lra. }
    set (v := t / (1 - t)). assert (Hv : 0 < v) by (apply Rdiv_lt_0_compat; lra). set (c := g * g / (1 - g)) in *.
    assert (Hc : 0 < c) by (apply Rdiv_lt_0_compat; nra). pose proof (power_tangent g c v ltac:(lra) Hc Hv) as Htan.
    fold (ratio t) in Htan.
    assert (Hs : Rpower c (g - 1) = power g c / c).
    { rewrite power_pos by assumption. unfold Rpower, Rdiv. rewrite <- (exp_ln c Hc) at 3.
      rewrite <- exp_Ropp, <- exp_plus. f_equal. ring. }
    rewrite Hs in Htan. set (s := power g c) in *.
    replace (s + g * (s / c) * (v - c)) with (s * (1 - g) + g * s * v / c) in Htan by (field; lra).
    assert (H1 : (1 - g) * (s * (1 - g)) <= g).
    { replace g with ((1 - g) * (g / ((1 - g) * (1 - g)) * (1 - g))) at 3 by (field; lra).
      apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra. }
    assert (H2 : (1 - g) * (g * s * v / c) <= v).
    { apply Rle_trans with ((1 - g) * (g * (g / ((1 - g) * (1 - g))) * v / c)).
      - apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
        apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra.
      - right. unfold c. field. split; lra. }
    change (power g v) with (ratio t) in *.
    assert ((1 - g) * ratio t <= (1 - g) * (s * (1 - g) + g * s * v / c)) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  Lemma power_ge_id x : 0 <= x <= 1 -> x <= power g x.
  Proof.
    intros Hx. destruct (Req_dec x 0) as [->|]; [apply power_nonneg|]. rewrite power_pos by lra.
    rewrite <- (Rpower_1 x) at 1 by lra.
    unfold Rpower. apply exp_mono.
    assert (ln x <= ln 1) by (destruct (Req_dec x 1) as [->|]; [lra | left; apply ln_increasing; lra]).
    rewrite ln_1 in H0. nra.
  Qed.

  Lemma whole_ge_1 t : 0 <= t <= 1 -> 1 <= power g t + power g (1 - t).
  Proof. intros Ht. pose proof (power_ge_id t Ht). pose proof (power_ge_id (1 - t) ltac:(lra)). lra. Qed.

  Lemma root_ge_1 d : 1 <= d -> d <= power (/ g) d.
  Proof.
    intros Hd. rewrite power_pos by lra. rewrite <- (Rpower_1 d) at 1 by lra. unfold Rpower. apply exp_mono.
    assert (0 <= ln d) by (rewrite <- ln_1; destruct (Req_dec d 1) as [->|]; [lra | left; apply ln_increasing; lra]).
    assert (1 <= / g) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra). nra.
  Qed.

  Lemma cpw_range t : 0 <= t <= 1 -> 0 <= cpw g t <= 1.
  Proof.
    intros Ht. pose proof (whole_ge_1 t Ht) as Hd. pose proof (root_ge_1 _ Hd) as Hr. pose proof (power_nonneg g t).
    pose proof (power_nonneg g (1 - t)).
    unfold cpw. split; [apply Rmult_le_pos; [assumption | left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (power (/ g) (power g t + power g (1 - t))); [lra|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. lra.
  Qed.

  Theorem weighting_cpw : weighting (cpw g).
  Proof.
    assert (H0 : cpw g 0 = 0) by (unfold cpw; rewrite (power_0 g 0) by lra; unfold Rdiv; ring).
    assert (H1 : cpw g 1 = 1) by (unfold cpw; rewrite (power_0 g (1 - 1)), power_1, Rplus_0_r, power_1 by lra; field).
    apply weighting_of_continuous; try assumption.
    - intros x y Hx Hxy Hy. destruct (Req_dec x 0) as [->|]; [rewrite H0; apply cpw_range; lra|].
      destruct (Req_dec y 1) as [->|]; [rewrite H1; apply cpw_range; lra|].
      rewrite !cpw_formula by lra.
      apply (grows formula (fun t => formula t * growth t)); [assumption | intros t Ht; apply is_derive_formula; lra|].
      intros t Ht. apply Rmult_le_pos; [left; apply formula_pos | apply growth_nonneg; lra].
    - intros x Hx. assert (Cd : continuous (fun t => power g t + power g (1 - t)) x).
      { apply (continuous_plus (V := R_NormedModule)); [apply continuous_power; lra|].
        apply (continuous_comp (fun t => 1 - t)); [|apply continuous_power; lra].
        apply (continuous_minus (V := R_NormedModule) (fun _ => 1) (fun t => t));
          [apply continuous_const | apply continuous_id]. }
      unfold cpw. apply (continuous_mult (K := R_AbsRing)); [apply continuous_power; lra|].
      apply continuous_Rinv_comp.
      + apply (continuous_comp (fun t => power g t + power g (1 - t)));
          [exact Cd | apply continuous_power; apply Rinv_0_lt_compat; lra].
      + pose proof (root_ge_1 _ (whole_ge_1 x ltac:(lra))). pose proof (whole_ge_1 x ltac:(lra)). lra.
  Qed.

  (** ** Shape from the sign of the curvature *)

  Lemma is_derive_cpw t : 0 < t < 1 -> is_derive (cpw g) t (formula t * growth t).
  Proof.
    intros Ht. apply is_derive_ext_loc with formula; [|now apply is_derive_formula].
    assert (Hr : 0 < Rmin t (1 - t)) by (apply Rmin_glb_lt; lra).
    exists (mkposreal _ Hr). intros y Hy. unfold ball in Hy; cbn in Hy.
    unfold AbsRing_ball, abs, minus, plus, opp in Hy; cbn in Hy. apply Rabs_def2 in Hy.
    pose proof (Rmin_l t (1 - t)). pose proof (Rmin_r t (1 - t)). symmetry. apply cpw_formula. lra.
  Qed.

  Lemma is_derive_slope t : 0 < t < 1 -> is_derive (fun t => formula t * growth t) t
    (formula t * (growth t * growth t + growth' t)).
  Proof.
    intros Ht. replace (formula t * (growth t * growth t + growth' t))
      with (plus (mult (formula t * growth t) (growth t)) (mult (formula t) (growth' t)))
      by (unfold plus, mult; cbn; ring).
    apply (is_derive_mult (K := R_AbsRing) formula growth);
      [now apply is_derive_formula | now apply is_derive_growth | intros; apply Rmult_comm].
  Qed.

  Lemma curvature_nonneg t : 0 < t < 1 -> 0 <= bend_of (ratio t) (t / (1 - t)) ->
    0 <= formula t * (growth t * growth t + growth' t).
  Proof.
    intros Ht H. apply Rmult_le_pos; [left; apply formula_pos|]. rewrite curvature_sign by assumption.
    pose proof (ratio_nonneg t).
    apply Rmult_le_pos; [assumption|]. left. apply Rinv_0_lt_compat. repeat apply Rmult_lt_0_compat; lra.
  Qed.
  Lemma curvature_nonpos t : 0 < t < 1 -> bend_of (ratio t) (t / (1 - t)) <= 0 ->
    formula t * (growth t * growth t + growth' t) <= 0.
  Proof.
    intros Ht H. rewrite curvature_sign by assumption. pose proof (ratio_nonneg t). pose proof (formula_pos t).
    assert (Hp : 0 < / (t * t * ((1 + ratio t) * (1 + ratio t))))
      by (apply Rinv_0_lt_compat; repeat apply Rmult_lt_0_compat; lra).
    assert (bend_of (ratio t) (t / (1 - t)) / (t * t * ((1 + ratio t) * (1 + ratio t))) <= 0) by (unfold Rdiv; nra).
    nra.
  Qed.

  Theorem cpw_bends_down a b : 0 <= a -> b <= 1 -> (forall t, a < t < b -> bend_of (ratio t) (t / (1 - t)) <= 0) ->
    bends_down (cpw g) a b.
  Proof.
    intros Ha Hb H. apply (bends_down_of_slope _ (fun t => formula t * growth t));
      [intros t Ht; apply is_derive_cpw; lra|].
    intros s t Hs Hst Ht. assert (- (formula s * growth s) <= - (formula t * growth t)); [|lra].
    apply (grows (fun t => - (formula t * growth t)) (fun t => - (formula t * (growth t * growth t + growth' t))));
      [assumption | |].
    - intros x Hx. apply (is_derive_opp (V := R_NormedModule)). apply is_derive_slope. lra.
    - intros x Hx. pose proof (curvature_nonpos x ltac:(lra) (H x ltac:(lra))). lra.
  Qed.
  Theorem cpw_bends_up a b : 0 <= a -> b <= 1 -> (forall t, a < t < b -> 0 <= bend_of (ratio t) (t / (1 - t))) ->
    bends_up (cpw g) a b.
  Proof.
    intros Ha Hb H. apply (bends_up_of_slope _ (fun t => formula t * growth t));
      [intros t Ht; apply is_derive_cpw; lra|].
    intros s t Hs Hst Ht. apply (grows (fun t => formula t * growth t)
      (fun t => formula t * (growth t * growth t + growth' t))); [assumption | |].
    - intros x Hx. apply is_derive_slope. lra.
    - intros x Hx. apply curvature_nonneg; [lra | apply H; lra].
  Qed.
End Exponent.
