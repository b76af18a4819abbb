(** * Powers as weightings

    [weighting_hazard], [weighting_dual]: tau^k and 1 - (1 - tau)^k are weightings for k > 0. [hazard_bends_down],
    [hazard_bends_up]: tau^k is concave for k <= 1 and convex for k >= 1. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Rows Program Check PolygonCheck CurveCheck Meaning RatFacts
  PolygonObjective Curves.
Open Scope R_scope.

(** ** The function *)

Lemma power_nonneg k x : 0 <= power k x.
Proof. unfold power. destruct (Rlt_dec 0 x); [left; apply exp_pos | lra]. Qed.

Lemma power_pos k x : 0 < x -> power k x = Rpower x k.
Proof. intros H. unfold power. destruct (Rlt_dec 0 x); [reflexivity | contradiction]. Qed.

Lemma power_0 k x : x <= 0 -> power k x = 0.
Proof. intros H. unfold power. destruct (Rlt_dec 0 x); [lra | reflexivity]. Qed.

Lemma Rpower_1_l k : Rpower 1 k = 1.
Proof. unfold Rpower. rewrite ln_1, Rmult_0_r. apply exp_0. Qed.

Lemma power_1 k : power k 1 = 1.
Proof. rewrite power_pos by lra. apply Rpower_1_l. Qed.

Lemma power_mono k x y : 0 < k -> x <= y -> power k x <= power k y.
Proof.
  intros Hk Hxy. destruct (Rlt_dec 0 x) as [Hx|Hx]; [|rewrite (power_0 k x) by lra; apply power_nonneg].
  rewrite !power_pos by lra. apply Rle_Rpower_l; lra.
Qed.

(** (x^(p/q))^q = x^p. *)
Lemma power_root (p q : nat) x : (0 < q)%nat -> 0 < x -> power (INR p / INR q) x ^ q = x ^ p.
Proof.
  intros Hq Hx. apply lt_0_INR in Hq. rewrite power_pos by assumption. rewrite <- Rpower_pow by apply exp_pos.
  rewrite Rpower_mult. replace (INR p / INR q * INR q) with (INR p) by (field; lra). now apply Rpower_pow.
Qed.

Lemma pow_le_reg (n : nat) x y : (0 < n)%nat -> 0 <= x -> 0 <= y -> x ^ n <= y ^ n -> x <= y.
Proof.
  intros Hn Hx Hy H. apply Rnot_lt_le. intros Hlt.
  assert (y ^ n < x ^ n); [|lra]. clear H. induction n as [|n IH]; [lia|]. destruct n as [|n]; [cbn; lra|].
  specialize (IH ltac:(lia)). cbn [pow] in *. apply Rmult_le_0_lt_compat; try assumption.
  apply Rmult_le_pos; [assumption | now apply pow_le].
Qed.

(** ** The tests *)

Lemma IZR_pow_to_nat z n : (0 <= n)%Z -> IZR (z ^ n) = IZR z ^ Z.to_nat n.
Proof. intros H. rewrite pow_IZR. now rewrite Z2Nat.id. Qed.

Lemma real_nonneg x : ok x -> (0 <= num x)%Z -> 0 <= real_of x.
Proof.
  intros Hx H. apply ok_pos in Hx. apply IZR_le in H.
  apply Rmult_le_pos; [assumption | left; now apply Rinv_0_lt_compat].
Qed.
Lemma real_nonpos x : ok x -> (num x <= 0)%Z -> real_of x <= 0.
Proof.
  intros Hx H. apply ok_pos in Hx. apply IZR_le in H. unfold real_of, Rdiv.
  assert (0 < / IZR (den x)) by now apply Rinv_0_lt_compat. nra.
Qed.

Lemma powers_le_correct y m x n : ok y -> ok x -> (0 <= m)%Z -> (0 <= n)%Z -> powers_le y m x n = true ->
  real_of y ^ Z.to_nat m <= real_of x ^ Z.to_nat n.
Proof.
  intros Hy Hx Hm Hn H. apply ok_pos in Hy, Hx. unfold powers_le in H. apply Z.leb_le, IZR_le in H.
  rewrite !mult_IZR, !IZR_pow_to_nat in H by assumption. unfold real_of, Rdiv. rewrite !Rpow_mult_distr, !pow_inv.
  pose proof (pow_lt _ (Z.to_nat n) Hx). pose proof (pow_lt _ (Z.to_nat m) Hy).
  apply Rmult_le_reg_r with (IZR (den x) ^ Z.to_nat n * IZR (den y) ^ Z.to_nat m); [now apply Rmult_lt_0_compat|].
  replace (IZR (num y) ^ Z.to_nat m * / IZR (den y) ^ Z.to_nat m *
    (IZR (den x) ^ Z.to_nat n * IZR (den y) ^ Z.to_nat m))
    with (IZR (num y) ^ Z.to_nat m * IZR (den x) ^ Z.to_nat n) by (field; lra).
  replace (IZR (num x) ^ Z.to_nat n * / IZR (den x) ^ Z.to_nat n *
    (IZR (den x) ^ Z.to_nat n * IZR (den y) ^ Z.to_nat m))
    with (IZR (num x) ^ Z.to_nat n * IZR (den y) ^ Z.to_nat m) by (field; lra). exact H.
Qed.

Lemma exponent_nat p q : (0 < p)%Z -> (0 < q)%Z -> IZR p / IZR q = INR (Z.to_nat p) / INR (Z.to_nat q).
Proof. intros Hp Hq. rewrite !INR_IZR_INZ, !Z2Nat.id by lia. reflexivity. Qed.

Section Root.
  Variables (p q : Z).
  Hypothesis Hp : (0 < p)%Z.
  Hypothesis Hq : (0 < q)%Z.
  Let k := IZR p / IZR q.

  Lemma k_pos : 0 < k.
  Proof. apply Rdiv_lt_0_compat; now apply IZR_lt. Qed.

  Lemma power_to_q x : 0 <= x -> power k x ^ Z.to_nat q = x ^ Z.to_nat p.
  Proof.
    intros Hx. unfold k. rewrite exponent_nat by assumption.
    destruct (Rlt_dec 0 x) as [H|H]; [apply power_root; [lia | assumption]|].
    replace x with 0 by lra. rewrite power_0 by lra. rewrite !pow_i by lia. reflexivity.
  Qed.

  Lemma root_below_correct x y : ok x -> ok y -> root_below p q x y = true -> real_of y <= power k (real_of x).
  Proof.
    intros Hx Hy H. unfold root_below in H. apply orb_true_iff in H. destruct H as [H|H].
    - apply Z.leb_le in H. pose proof (real_nonpos y Hy H). pose proof (power_nonneg k (real_of x)). lra.
    - apply andb_true_iff in H. destruct H as [H1 H2]. apply Z.leb_le in H1.
      apply powers_le_correct in H2; try assumption; try lia.
      destruct (Rle_dec (real_of y) 0) as [Hn|Hn]; [pose proof (power_nonneg k (real_of x)); lra|].
      apply (pow_le_reg (Z.to_nat q)); [lia | lra | apply power_nonneg|]. rewrite power_to_q by now apply real_nonneg.
      exact H2.
  Qed.

  Lemma root_above_correct x y : ok x -> ok y -> root_above p q x y = true -> power k (real_of x) <= real_of y.
  Proof.
    intros Hx Hy H. unfold root_above in H. repeat rewrite andb_true_iff in H. destruct H as [[H1 H2] H3].
    apply Z.leb_le in H1, H2.
    apply powers_le_correct in H3; try assumption; try lia.
    apply (pow_le_reg (Z.to_nat q)); [lia | apply power_nonneg | now apply real_nonneg|].
    rewrite power_to_q by now apply real_nonneg. exact H3.
  Qed.
End Root.

(** ** Weightings *)

Lemma continuous_power k x : 0 < k -> continuous (power k) x.
Proof.
  intros Hk. destruct (Rlt_dec 0 x) as [Hx|Hx].
  - apply continuous_ext_loc with (fun x => Rpower x k).
    + exists (mkposreal x Hx). intros y Hy. unfold ball in Hy; cbn in Hy.
      unfold AbsRing_ball, abs, minus, plus, opp in Hy; cbn in Hy.
      apply Rabs_def2 in Hy. rewrite power_pos by lra. reflexivity.
    + apply (ex_derive_continuous (V := R_NormedModule)). unfold Rpower. auto_derive. exact Hx.
  - apply continuity_pt_filterlim. intros eps Heps. exists (Rpower eps (/ k)). split; [apply exp_pos|]. intros y [_ Hy].
    unfold dist in *; cbn in *. unfold R_dist in *. rewrite (power_0 k x), Rminus_0_r by lra.
    rewrite Rabs_pos_eq by apply power_nonneg. destruct (Rlt_dec 0 y) as [Hp|Hp]; [|rewrite power_0 by lra; lra].
    assert (Hlt : y < Rpower eps (/ k)) by (apply Rabs_def2 in Hy; lra).
    rewrite power_pos by assumption. replace eps with (Rpower (Rpower eps (/ k)) k).
    + unfold Rpower at 1 2. apply exp_increasing. apply Rmult_lt_compat_l; [assumption|].
      apply ln_increasing; assumption.
    + rewrite Rpower_mult, Rinv_l by lra. now apply Rpower_1.
Qed.

Lemma weighting_of_continuous (G : R -> R) : G 0 = 0 -> G 1 = 1 ->
  (forall x y, 0 <= x -> x <= y -> y <= 1 -> G x <= G y) ->
  (forall x, 0 <= x < 1 -> continuous G x) -> weighting G.
Proof.
  intros H0 H1 Hm Hc. split; try assumption. intros x eps Hx Heps. specialize (Hc x Hx).
  apply continuity_pt_filterlim in Hc.
  destruct (Hc eps Heps) as [d [Hd Hlim]]. exists d. split; [assumption|]. intros y Hy _.
  destruct (Req_dec x y) as [<-|Hne]; [lra|]. specialize (Hlim y). cbn in Hlim. unfold R_dist, D_x, no_cond in Hlim.
  assert (Hr : Rabs (G y - G x) < eps) by (apply Hlim; repeat split; [assumption | rewrite Rabs_pos_eq; lra]).
  apply Rabs_def2 in Hr. lra.
Qed.

Theorem weighting_hazard k : 0 < k -> weighting (power k).
Proof.
  intros Hk. apply weighting_of_continuous; [apply power_0; lra | apply power_1 | intros; now apply power_mono | intros;
    now apply continuous_power].
Qed.

Theorem weighting_dual k : 0 < k -> weighting (fun tau => 1 - power k (1 - tau)).
Proof.
  intros Hk. apply weighting_of_continuous.
  - replace (1 - 0) with 1 by ring. rewrite power_1. ring.
  - replace (1 - 1) with 0 by ring. rewrite power_0 by lra. ring.
  - intros x y Hx Hxy Hy. pose proof (power_mono k (1 - y) (1 - x) Hk ltac:(lra)). lra.
  - intros x Hx. apply (continuous_minus (V := R_NormedModule) (fun _ => 1)); [apply continuous_const|].
    apply (continuous_comp (fun t => 1 - t)); [|now apply continuous_power].
    apply (continuous_minus (V := R_NormedModule) (fun _ => 1) (fun t => t));
      [apply continuous_const | apply continuous_id].
Qed.

(** ** Shape *)

Lemma is_derive_power k x : 0 < x -> is_derive (power k) x (k * Rpower x (k - 1)).
Proof.
  intros Hx. apply is_derive_ext_loc with (fun x => Rpower x k).
  - exists (mkposreal x Hx). intros y Hy. unfold ball in Hy; cbn in Hy.
    unfold AbsRing_ball, abs, minus, plus, opp in Hy; cbn in Hy.
    apply Rabs_def2 in Hy. rewrite power_pos by lra. reflexivity.
  - unfold Rpower. auto_derive; [assumption|]. replace ((k - 1) * ln x) with (k * ln x + - ln x) by ring.
    rewrite exp_plus, exp_Ropp, exp_ln by assumption. field. lra.
Qed.

Lemma exp_mono x y : x <= y -> exp x <= exp y.
Proof. intros [H|<-]; [left; now apply exp_increasing | lra]. Qed.

Lemma Rpower_falls e s t : e <= 0 -> 0 < s -> s <= t -> Rpower t e <= Rpower s e.
Proof.
  intros He Hs Hst. unfold Rpower. apply exp_mono.
  assert (ln s <= ln t) by (destruct Hst as [H|<-]; [left; now apply ln_increasing | lra]). nra.
Qed.

Theorem hazard_bends_down k : 0 < k <= 1 -> bends_down (power k) 0 1.
Proof.
  intros Hk. apply (bends_down_of_slope _ (fun x => k * Rpower x (k - 1))).
  - intros t Ht. apply is_derive_power. lra.
  - intros s t Hs Hst Ht. apply Rmult_le_compat_l; [lra|]. apply Rpower_falls; lra.
Qed.

Theorem hazard_bends_up k : 1 <= k -> bends_up (power k) 0 1.
Proof.
  intros Hk. apply (bends_up_of_slope _ (fun x => k * Rpower x (k - 1))).
  - intros t Ht. apply is_derive_power. lra.
  - intros s t Hs Hst Ht. apply Rmult_le_compat_l; [lra|]. apply Rle_Rpower_l; lra.
Qed.
