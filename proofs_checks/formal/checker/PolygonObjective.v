(** * Polygons are weightings

    [weighting_polygon]: accepted corners give a weighting. [Phi_eq_sum]: for a return top - u X with an integer X
    in [0, N], Phi = top - u (sum over k < N of G(P(X > k))). *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Rows Program Check PolygonCheck Meaning
  RatFacts.
Import ListNotations.
Open Scope R_scope.

(** ** Phi as a sum *)

(** The probability that X exceeds k. *)
Definition exceeds {H} (D : dist H) (X : H -> Z) (k : Z) : R := E D (fun h => if (k <? X h)%Z then 1 else 0).

(** f k + f (k + 1) + ..., one term for each element of the list. *)
Fixpoint sum_along {Y} (f : Z -> R) (k : Z) (l : list Y) : R := match l
  with [] => 0 | _ :: l' => f k + sum_along f (k + 1) l' end.

Lemma sum_along_snoc {Y} f (l : list Y) y : forall k, sum_along f k (l ++ [y]) = sum_along f k l + f (k + zlen l)%Z.
Proof.
  induction l as [|x l IH]; intros k; cbn [app sum_along zlen]; [rewrite Z.add_0_r; ring|]. rewrite IH.
  replace (k + 1 + zlen l)%Z with (k + (1 + zlen l))%Z by lia. ring.
Qed.

Lemma sum_along_length {Y Y'} f (l : list Y) (l' : list Y') : length l = length l' -> forall k,
  sum_along f k l = sum_along f k l'.
Proof.
  revert l'; induction l as [|x l IH]; intros [|y l'] H k; try discriminate; [reflexivity|]. cbn. f_equal. apply IH.
  now injection H.
Qed.

Lemma sum_along_app {Y} f (l l' : list Y) : forall k,
  sum_along f k (l ++ l') = sum_along f k l + sum_along f (k + zlen l)%Z l'.
Proof.
  induction l as [|x l IH]; intros k; cbn [app sum_along zlen]; [rewrite Z.add_0_r; ring|]. rewrite IH.
  replace (k + 1 + zlen l)%Z with (k + (1 + zlen l))%Z by lia. ring.
Qed.

Lemma sum_along_ext {Y} f g (l : list Y) : forall k, (forall i, (k <= i < k + zlen l)%Z -> f i = g i) ->
  sum_along f k l = sum_along g k l.
Proof.
  induction l as [|x l IH]; intros k H; [reflexivity|]. cbn [sum_along zlen] in *. pose proof (zlen_nonneg l).
  rewrite H, IH by (intros; try apply H; lia). reflexivity.
Qed.

Lemma sum_along_plus {Y} f g (l : list Y) : forall k,
  sum_along (fun i => f i + g i) k l = sum_along f k l + sum_along g k l.
Proof. induction l as [|x l IH]; intros k; cbn [sum_along]; [ring|]. rewrite IH. ring. Qed.

Lemma sum_along_scal {Y} c f (l : list Y) : forall k, sum_along (fun i => c * f i) k l = c * sum_along f k l.
Proof. induction l as [|x l IH]; intros k; cbn [sum_along]; [ring|]. rewrite IH. ring. Qed.

Lemma sum_along_minus {Y} f g (l : list Y) : forall k,
  sum_along (fun i => f i - g i) k l = sum_along f k l - sum_along g k l.
Proof. induction l as [|x l IH]; intros k; cbn [sum_along]; [ring|]. rewrite IH. ring. Qed.

Lemma sum_along_const {Y} c (l : list Y) : forall k, sum_along (fun _ => c) k l = c * IZR (zlen l).
Proof. induction l as [|x l IH]; intros k; cbn [sum_along zlen]; [ring|]. rewrite IH, plus_IZR. ring. Qed.

Lemma sum_along_shift {Y} f d (l : list Y) : forall k, sum_along (fun i => f (d + i)%Z) k l = sum_along f (d + k)%Z l.
Proof. induction l as [|x l IH]; intros k; cbn [sum_along]; [reflexivity|]. now rewrite IH, Z.add_assoc. Qed.

Lemma sum_along_le {Y} f g (l : list Y) : forall k, (forall i, (k <= i < k + zlen l)%Z -> f i <= g i) ->
  sum_along f k l <= sum_along g k l.
Proof.
  induction l as [|x l IH]; intros k H; cbn [sum_along zlen] in *; [lra|]. pose proof (zlen_nonneg l).
  apply Rplus_le_compat; [apply H; lia | apply IH; intros; apply H; lia].
Qed.

Lemma E_sum_along {H Y} (D : dist H) (f : H -> Z -> R) (l : list Y) : forall k,
  E D (fun h => sum_along (f h) k l) = sum_along (fun i => E D (fun h => f h i)) k l.
Proof. induction l as [|x l IH]; intros k; cbn [sum_along]; [apply E_zero|]. now rewrite E_plus, IH. Qed.

Section Sum.
  Context {H : Type}.
  Variables (G : R -> R) (D : dist H) (X : H -> Z) (top u : R).
  Hypothesis HG : weighting G.
  Hypothesis HD : is_law D.
  Hypothesis Hu : 0 < u.
  Let law := image (fun h => top - u * IZR (X h)) D.

  Lemma cdf_on_cell k x : top - u * (IZR k + 1) < x < top - u * IZR k -> cdf law x = exceeds D X k.
  Proof.
    intros Hx. unfold cdf, law, exceeds. rewrite E_image. apply E_ext. intros h. unfold ind.
    destruct (Rle_dec (top - u * IZR (X h)) x) as [Hle|Hle]; destruct (Z.ltb_spec k (X h)) as [Hk|Hk]; try reflexivity;
      exfalso.
    - apply IZR_le in Hk. pose proof (Rmult_le_compat_l u _ _ ltac:(lra) Hk). lra.
    - assert (Hk' : (k + 1 <= X h)%Z) by lia. apply IZR_le in Hk'. rewrite plus_IZR in Hk'.
      pose proof (Rmult_le_compat_l u _ _ ltac:(lra) Hk'). lra.
  Qed.

  Lemma is_RInt_cells (n : nat) :
    is_RInt (fun x => G (cdf law x)) (top - u * INR n) top (u * sum_along (fun k => G (exceeds D X k)) 0 (repeat tt n)).
  Proof.
    induction n as [|n IH].
    - cbn [repeat sum_along INR]. rewrite Rmult_0_r. replace (top - 0) with top by ring.
      apply (is_RInt_point (V := R_NormedModule)).
    - replace (repeat tt (S n)) with (repeat tt n ++ [tt])
        by (clear; induction n as [|n IH]; [reflexivity | cbn [repeat app]; f_equal; exact IH]).
      rewrite sum_along_snoc, zlen_repeat, Z.add_0_l.
      replace (u * (sum_along (fun k => G (exceeds D X k)) 0 (repeat tt n) + G (exceeds D X (Z.of_nat n))))
        with (plus (u * G (exceeds D X (Z.of_nat n))) (u * sum_along (fun k => G (exceeds D X k)) 0 (repeat tt n)))
          by (unfold plus; cbn; ring).
      apply (is_RInt_Chasles (V := R_NormedModule)) with (top - u * INR n); [|exact IH].
      apply is_RInt_ext with (fun _ => G (exceeds D X (Z.of_nat n))).
      + intros x Hx. rewrite S_INR in Hx. rewrite Rmin_left, Rmax_right in Hx by nra. symmetry. f_equal.
        apply cdf_on_cell.
        rewrite <- INR_IZR_INZ. exact Hx.
      + replace (u * G (exceeds D X (Z.of_nat n)))
          with ((top - u * INR n - (top - u * INR (S n))) * G (exceeds D X (Z.of_nat n))) by (rewrite S_INR; ring).
        apply (is_RInt_const (V := R_NormedModule)).
  Qed.

  Theorem Phi_eq_sum N : (0 <= N)%Z -> almost_surely D (fun h => (0 <= X h <= N)%Z) ->
    Phi G law = top - u * sum_along (fun k => G (exceeds D X k)) 0 (repeat tt (Z.to_nat N)).
  Proof.
    intros HN B. set (n := Z.to_nat N).
    assert (Hn : INR n = IZR N) by (unfold n; rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
    rewrite (Phi_eq_hi_minus_area G law (top - u * INR n) top); [|assumption | now apply law_image | |].
    - f_equal. f_equal. apply is_RInt_unique. apply is_RInt_cells.
    - rewrite Hn. apply IZR_le in HN. pose proof (Rmult_le_pos u (IZR N) ltac:(lra) HN). lra.
    - apply as_image. revert B. apply as_impl. intros h [H1 H2]. apply IZR_le in H1, H2. rewrite Hn.
      pose proof (Rmult_le_compat_l u _ _ ltac:(lra) H1). pose proof (Rmult_le_compat_l u _ _ ltac:(lra) H2). lra.
  Qed.

  Lemma exceeds_range k : 0 <= exceeds D X k <= 1.
  Proof.
    unfold exceeds. split.
    - apply E_nonneg; [apply HD|]. intros h. destruct (k <? X h)%Z; lra.
    - apply E_le_const; [assumption|]. apply as_always. intros h. destruct (k <? X h)%Z; lra.
  Qed.

  Lemma exceeds_antitone k l : (k <= l)%Z -> exceeds D X l <= exceeds D X k.
  Proof.
    intros Hkl. apply E_le; [apply HD|]. intros h. destruct (Z.ltb_spec l (X h)), (Z.ltb_spec k (X h)); try lra; lia.
  Qed.
End Sum.

(** ** The polygon *)

Lemma rat_lt_correct p q : ok p -> ok q -> rat_lt p q = true -> real_of p < real_of q.
Proof.
  intros Hp Hq H. unfold rat_lt in H. apply negb_true_iff in H. pose proof (ok_pos p Hp). pose proof (ok_pos q Hq).
  unfold rat_le in H. apply Z.leb_gt, IZR_lt in H. rewrite !mult_IZR in H.
  unfold real_of. apply Rmult_lt_reg_r with (IZR (den p) * IZR (den q)); [now apply Rmult_lt_0_compat|].
  replace (IZR (num p) / IZR (den p) * (IZR (den p) * IZR (den q))) with (IZR (num p) * IZR (den q)) by (field; lra).
  replace (IZR (num q) / IZR (den q) * (IZR (den p) * IZR (den q))) with (IZR (num q) * IZR (den p)) by (field; lra).
  lra.
Qed.

Lemma rat_le_false p q : ok p -> ok q -> rat_le p q = false -> real_of q < real_of p.
Proof. intros Hp Hq H. apply rat_lt_correct; try assumption. unfold rat_lt. now rewrite H. Qed.

Lemma rat_le_iff p q : ok p -> ok q -> (rat_le p q = true <-> real_of p <= real_of q).
Proof.
  intros Hp Hq. split; [now apply rat_le_correct|]. intros H. destruct (rat_le p q) eqn:E; [reflexivity|].
  apply rat_le_false in E; try assumption. lra.
Qed.

Lemma ok_rmax p q : ok p -> ok q -> ok (rmax p q).
Proof. unfold rmax. destruct (rat_le p q); auto. Qed.
Lemma ok_rmin p q : ok p -> ok q -> ok (rmin p q).
Proof. unfold rmin. destruct (rat_le p q); auto. Qed.
Lemma real_rmax p q : ok p -> ok q -> real_of (rmax p q) = Rmax (real_of p) (real_of q).
Proof.
  intros Hp Hq. unfold rmax. destruct (rat_le p q) eqn:E.
  - apply rat_le_correct in E; try assumption. now rewrite Rmax_right.
  - apply rat_le_false in E; try assumption. rewrite Rmax_left; lra.
Qed.
Lemma real_rmin p q : ok p -> ok q -> real_of (rmin p q) = Rmin (real_of p) (real_of q).
Proof.
  intros Hp Hq. unfold rmin. destruct (rat_le p q) eqn:E.
  - apply rat_le_correct in E; try assumption. now rewrite Rmin_left.
  - apply rat_le_false in E; try assumption. rewrite Rmin_right; lra.
Qed.

Definition chord (x g x' g' tau : R) : R := g + (tau - x) / (x' - x) * (g' - g).

Lemma chord_step x g x' g' s t : x < x' -> g <= g' -> s <= t ->
  0 <= chord x g x' g' t - chord x g x' g' s <= (g' - g) / (x' - x) * (t - s).
Proof.
  intros Hx Hg Hst. assert (Heq : chord x g x' g' t - chord x g x' g' s = (g' - g) / (x' - x) * (t - s))
    by (unfold chord; field; lra).
  rewrite Heq. split; [|lra]. apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
Qed.

Lemma chord_left x g x' g' : chord x g x' g' x = g.
Proof. unfold chord. unfold Rdiv. ring. Qed.
Lemma chord_right x g x' g' : x < x' -> chord x g x' g' x' = g'.
Proof. intros H. unfold chord. field. lra. Qed.

Lemma polygon_unfold x g x' g' rest tau : polygon x g ((x', g') :: rest) tau =
  if Rle_dec tau (real_of x') then chord x g (real_of x') (real_of g') tau
    else polygon (real_of x') (real_of g') rest tau.
Proof. reflexivity. Qed.

Lemma polygon_start x g l : good_corners x g l = true -> ok x -> ok g ->
  polygon (real_of x) (real_of g) l (real_of x) = real_of g.
Proof.
  destruct l as [|[x' g'] l]; intros H Hx Hg; [reflexivity|]. cbn [good_corners] in H.
  repeat rewrite andb_true_iff in H.
  destruct H as [[[[H1 H2] H3] H4] _]. apply Z.ltb_lt in H1. apply rat_lt_correct in H3; try assumption.
  rewrite polygon_unfold. destruct (Rle_dec (real_of x) (real_of x')); [apply chord_left | lra].
Qed.

(** Nondecreasing and Lipschitz. *)
Lemma polygon_step l : forall x g, good_corners x g l = true -> ok x -> ok g ->
  exists L, 0 <= L /\ forall s t, real_of x <= s -> s <= t ->
    0 <= polygon (real_of x) (real_of g) l t - polygon (real_of x) (real_of g) l s <= L * (t - s).
Proof.
  induction l as [|[x' g'] l IH]; intros x g H Hx Hg.
  - exists 0. split; [lra|]. intros. cbn. lra.
  - pose proof H as H0. cbn [good_corners] in H. repeat rewrite andb_true_iff in H.
    destruct H as [[[[H1 H2] H3] H4] H5].
    apply Z.ltb_lt in H1, H2. apply rat_lt_correct in H3; try assumption. apply rat_le_correct in H4; try assumption.
    destruct (IH x' g' H5 H1 H2) as [L [HL HLip]]. set (sl := (real_of g' - real_of g) / (real_of x' - real_of x)).
    assert (Hsl : 0 <= sl) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
    exists (Rmax sl L). pose proof (Rmax_l sl L). pose proof (Rmax_r sl L). split; [lra|].
    intros s t Hs Hst. rewrite !polygon_unfold.
    destruct (Rle_dec t (real_of x')) as [Ht|Ht]; destruct (Rle_dec s (real_of x')) as [Hs'|Hs']; try lra.
    + pose proof (chord_step (real_of x) (real_of g) (real_of x') (real_of g') s t H3 H4 Hst) as Hc. fold sl in Hc.
      pose proof (Rmult_le_compat_r (t - s) _ _ ltac:(lra) H). lra.
    + pose proof (chord_step (real_of x) (real_of g) (real_of x') (real_of g') s (real_of x') H3 H4 Hs') as Hc.
      fold sl in Hc.
      rewrite chord_right in Hc by assumption. pose proof (HLip (real_of x') t ltac:(lra) ltac:(lra)) as Hr.
      rewrite (polygon_start x' g' l H5 H1 H2) in Hr.
      pose proof (Rmult_le_compat_r (real_of x' - s) _ _ ltac:(lra) H).
      pose proof (Rmult_le_compat_r (t - real_of x') _ _ ltac:(lra) H6). lra.
    + pose proof (HLip s t ltac:(lra) Hst) as Hr. pose proof (Rmult_le_compat_r (t - s) _ _ ltac:(lra) H6). lra.
Qed.

Lemma polygon_end l : forall x g, good_corners x g l = true -> ok x -> ok g -> real_of x <= 1 /\
  polygon (real_of x) (real_of g) l 1 = 1.
Proof.
  induction l as [|[x' g'] l IH]; intros x g H Hx Hg; cbn [good_corners] in H.
  - apply andb_true_iff in H. rewrite !Z.eqb_eq in H. destruct H as [H1 H2]. apply ok_pos in Hx, Hg.
    unfold real_of at 1. cbn [polygon].
    unfold real_of. rewrite H1, H2. split; [right|]; field; lra.
  - repeat rewrite andb_true_iff in H. destruct H as [[[[H1 H2] H3] H4] H5]. apply Z.ltb_lt in H1, H2.
    apply rat_lt_correct in H3; try assumption.
    destruct (IH x' g' H5 H1 H2) as [Hle Hend]. split; [lra|]. rewrite polygon_unfold.
    destruct (Rle_dec 1 (real_of x')) as [Hge|]; [|assumption].
    assert (E1 : real_of x' = 1) by lra. rewrite <- E1 at 1. rewrite chord_right by assumption.
    rewrite <- E1 in Hend at 1. rewrite (polygon_start x' g' l H5 H1 H2) in Hend. exact Hend.
Qed.

Theorem weighting_polygon corners : good_corners (of_Z 0) (of_Z 0) corners = true -> weighting (polygon 0 0 corners).
Proof.
  intros H. pose proof (real_of_Z 0) as R0.
  destruct (polygon_step corners _ _ H (ok_of_Z 0) (ok_of_Z 0)) as [L [HL Hstep]].
  rewrite !R0 in Hstep. split.
  - pose proof (polygon_start _ _ _ H (ok_of_Z 0) (ok_of_Z 0)) as Hs. now rewrite !R0 in Hs.
  - pose proof (polygon_end _ _ _ H (ok_of_Z 0) (ok_of_Z 0)) as [_ He]. now rewrite !R0 in He.
  - intros x y Hx Hxy _. pose proof (Hstep x y Hx Hxy). lra.
  - intros x eps Hx Heps. exists (eps / (L + 1)). assert (Hd : 0 < eps / (L + 1)) by (apply Rdiv_lt_0_compat; lra).
    split; [assumption|].
    intros y Hy _. pose proof (Hstep x y ltac:(lra) ltac:(lra)) as Hs.
    assert (L * (y - x) <= L * (eps / (L + 1))) by (apply Rmult_le_compat_l; lra).
    assert ((L + 1) * (eps / (L + 1)) = eps) by (field; lra). lra.
Qed.

(** ** The program's polygon *)

Lemma segment_correct x g x' g' tau : ok x -> ok g -> ok x' -> ok g' -> ok tau -> real_of x < real_of x' ->
  ok (segment x g x' g' tau) /\ real_of (segment x g x' g' tau) =
    chord (real_of x) (real_of g) (real_of x') (real_of g') (real_of tau).
Proof.
  intros Hx Hg Hx' Hg' Ht Hlt. assert (Hd : ok (rminus x' x)) by now apply ok_rminus.
  assert (Hn : (0 < num (rminus x' x))%Z) by (apply (real_of_sign _ Hd); rewrite real_rminus by assumption; lra).
  assert (Hi : ok (rinv (rminus x' x))) by exact Hn.
  assert (Hp : ok (rmult (rminus tau x) (rminus g' g))) by auto using ok_rmult, ok_rminus.
  unfold segment. split; [auto using ok_rplus, ok_rmult|].
  rewrite real_rplus, real_rmult, real_rmult, real_rinv, !real_rminus by auto using ok_rmult, ok_rminus. unfold chord.
  field. lra.
Qed.

Lemma polygon_at_correct l : forall x g tau, good_corners x g l = true -> ok x -> ok g -> ok tau ->
  ok (polygon_at x g l tau) /\ real_of (polygon_at x g l tau) = polygon (real_of x) (real_of g) l (real_of tau).
Proof.
  induction l as [|[x' g'] l IH]; intros x g tau H Hx Hg Ht; cbn [polygon_at]; [split; [assumption | reflexivity]|].
  cbn [good_corners] in H. repeat rewrite andb_true_iff in H. destruct H as [[[[H1 H2] H3] _] H5].
  apply Z.ltb_lt in H1, H2.
  apply rat_lt_correct in H3; try assumption. rewrite polygon_unfold. destruct (rat_le tau x') eqn:E.
  - apply rat_le_correct in E; try assumption. destruct (Rle_dec (real_of tau) (real_of x')); [|lra].
    now apply segment_correct.
  - apply rat_le_false in E; try assumption. destruct (Rle_dec (real_of tau) (real_of x')); [lra|]. now apply IH.
Qed.

Lemma chord_affine x g x' g' c a b tau : x < x' -> a <= tau <= b ->
  Rmin (chord x g x' g' a - c * a) (chord x g x' g' b - c * b) <= chord x g x' g' tau - c * tau.
Proof.
  intros Hx Ht. set (k := (g' - g) / (x' - x) - c).
  assert (Haff : forall y, chord x g x' g' y - c * y = (g - x * ((g' - g) / (x' - x))) + k * y)
    by (intros y; unfold chord, k; field; lra).
  rewrite !Haff. destruct (Rle_dec 0 k) as [Hk|Hk].
  - eapply Rle_trans; [apply Rmin_l|]. apply Rplus_le_compat_l, Rmult_le_compat_l; lra.
  - eapply Rle_trans; [apply Rmin_r|]. apply Rplus_le_compat_l.
    pose proof (Rmult_le_compat_l (- k) _ _ ltac:(lra) (proj2 Ht)). lra.
Qed.

Lemma tilted_correct V c value y : ok value -> ok y ->
  IZR (tilted V c value y) <= IZR V * real_of value - IZR c * real_of y.
Proof.
  intros Hv Hy. unfold tilted. eapply Rle_trans; [apply rfloor_le; auto using ok_rminus, ok_rmult, ok_of_Z|].
  rewrite real_rminus, !real_rmult, !real_of_Z by auto using ok_rmult, ok_of_Z. lra.
Qed.

Lemma lesser_le a b x : lesser a b = Some x -> (x <= a)%Z /\ forall y, b = Some y -> (x <= y)%Z.
Proof.
  unfold lesser. destruct b as [y|]; intros H; injection H as <-; split; try lia; intros z Hz; try discriminate.
  injection Hz as <-. lia.
Qed.

Lemma lesser_some a b : exists x, lesser a b = Some x.
Proof. destruct b; cbn; eauto. Qed.

Lemma corners_to_1_good l : forall x g, good_corners x g l = true -> corners_to_1 x l = true.
Proof.
  induction l as [|[x' g'] l IH]; intros x g H; cbn [good_corners corners_to_1] in *; repeat rewrite andb_true_iff in *;
    [apply H|].
  destruct H as [[[[H1 H2] H3] _] H5]. repeat split; try assumption. now apply (IH x' g').
Qed.

(** Everywhere in the box, G(tau) - (c / V) tau is at least what [least_on] says. *)
Lemma least_on_correct V c p q : (0 < V)%Z -> ok p -> ok q -> forall l x g, corners_to_1 x l = true -> ok x -> ok g ->
  forall tau, real_of x <= tau -> tau <= 1 -> (l <> [] \/ real_of x < tau) -> real_of p <= tau <= real_of q ->
  exists y, least_on V c x g l p q = Some y /\ IZR y <= IZR V * polygon (real_of x) (real_of g) l tau - IZR c * tau.
Proof.
  intros HV Hp Hq. pose proof (IZR_lt _ _ HV) as HV'.
  induction l as [|[x' g'] l IH]; intros x g H Hx Hg tau Hxt Ht1 Hne Hbox.
  - exfalso. destruct Hne as [Hne|Hne]; [congruence|]. cbn [corners_to_1] in H. apply Z.eqb_eq in H.
    assert (real_of x = 1); [|lra]. unfold real_of. rewrite H. apply Rinv_r. apply ok_pos in Hx. lra.
  - cbn [corners_to_1] in H. repeat rewrite andb_true_iff in H. destruct H as [[[H1 H2] H3] H5].
    apply Z.ltb_lt in H1, H2.
    apply rat_lt_correct in H3; try assumption. cbn [least_on].
    destruct (rat_lt x' p) eqn:Eleft.
    { apply rat_lt_correct in Eleft; try assumption. rewrite polygon_unfold.
      destruct (Rle_dec tau (real_of x')) as [Hin|Hout]; [lra|].
      apply (IH x' g' H5 H1 H2 tau ltac:(lra) Ht1 ltac:(right; lra) Hbox). }
    set (rest := if rat_lt x' q then least_on V c x' g' l p q else None).
    set (a := rmax x p). set (b := rmin x' q). assert (Ha : ok a) by now apply ok_rmax.
    assert (Hb : ok b) by now apply ok_rmin.
    rewrite polygon_unfold. destruct (Rle_dec tau (real_of x')) as [Hin|Hout].
    + assert (Hab : real_of a <= tau <= real_of b).
      { unfold a, b. rewrite real_rmax, real_rmin by assumption. split; [apply Rmax_lub; lra | apply Rmin_glb; lra]. }
      assert (E : rat_le a b = true) by (apply rat_le_iff; try assumption; lra). rewrite E.
      destruct (lesser_some (tilted V c (segment x g x' g' b) b) rest) as [z Hz]. rewrite Hz.
      destruct (lesser_some (tilted V c (segment x g x' g' a) a) (Some z)) as [y Hy]. exists y. split; [exact Hy|].
      apply lesser_le in Hy. destruct Hy as [Hya Hyz]. specialize (Hyz z eq_refl). apply lesser_le in Hz.
      destruct Hz as [Hzb _].
      destruct (segment_correct x g x' g' a Hx Hg H1 H2 Ha H3) as [Hoka Hreala].
      destruct (segment_correct x g x' g' b Hx Hg H1 H2 Hb H3) as [Hokb Hrealb].
      pose proof (tilted_correct V c _ a Hoka Ha) as Hta. pose proof (tilted_correct V c _ b Hokb Hb) as Htb.
      rewrite Hreala in Hta. rewrite Hrealb in Htb.
      pose proof (chord_affine (real_of x) (real_of g) (real_of x') (real_of g') (IZR c / IZR V) (real_of a)
        (real_of b) tau H3 Hab) as Hch.
      assert (Hy' : (y <= tilted V c (segment x g x' g' b) b)%Z) by lia. apply IZR_le in Hya, Hy'.
      apply Rmult_le_reg_l with (/ IZR V); [now apply Rinv_0_lt_compat|].
      replace (/ IZR V * (IZR V * chord (real_of x) (real_of g) (real_of x') (real_of g') tau - IZR c * tau))
        with (chord (real_of x) (real_of g) (real_of x') (real_of g') tau - IZR c / IZR V * tau) by (field; lra).
      eapply Rle_trans; [|exact Hch]. apply Rmin_glb.
      * replace (chord (real_of x) (real_of g) (real_of x') (real_of g') (real_of a) - IZR c / IZR V * real_of a)
          with (/ IZR V * (IZR V * chord (real_of x) (real_of g) (real_of x') (real_of g') (real_of a) -
            IZR c * real_of a)) by (field; lra).
        apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat | lra].
      * replace (chord (real_of x) (real_of g) (real_of x') (real_of g') (real_of b) - IZR c / IZR V * real_of b)
          with (/ IZR V * (IZR V * chord (real_of x) (real_of g) (real_of x') (real_of g') (real_of b) -
            IZR c * real_of b)) by (field; lra).
        apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat | lra].
    + assert (Hq' : rat_lt x' q = true).
      { unfold rat_lt. destruct (rat_le q x') eqn:E; [|reflexivity]. apply rat_le_correct in E; try assumption. lra. }
      destruct (IH x' g' H5 H1 H2 tau ltac:(lra) Ht1 ltac:(right; lra) Hbox) as [y [Hy Hle]].
      unfold rest. rewrite Hq', Hy.
      destruct (rat_le a b).
      * destruct (lesser_some (tilted V c (segment x g x' g' b) b) (Some y)) as [z Hz]. rewrite Hz.
        destruct (lesser_some (tilted V c (segment x g x' g' a) a) (Some z)) as [w Hw]. exists w. split; [exact Hw|].
        apply lesser_le in Hw. destruct Hw as [_ Hw]. specialize (Hw z eq_refl). apply lesser_le in Hz.
        destruct Hz as [_ Hz]. specialize (Hz y eq_refl).
        assert (Hwy : (w <= y)%Z) by lia. apply IZR_le in Hwy. lra.
      * now exists y.
Qed.
