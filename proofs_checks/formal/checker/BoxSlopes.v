(** * Slopes of a polygon in a box

    [slopes_correct]: around every place of the box the polygon rises at most by the steepest slope to the right, and
    falls at least by the flattest slope to the left, of the pieces that [ContractCheck.v] compares.
    [least_from_correct]: everywhere in the box, G(tau) - (c / V) tau is at least what [least_from] says. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import Rows Program Check PolygonCheck ContractCheck Meaning RatFacts PolygonObjective.
Import ListNotations.
Open Scope R_scope.

Lemma polygon_first x g l : corners_to_1 x l = true -> ok x -> ok g ->
  polygon (real_of x) (real_of g) l (real_of x) = real_of g.
Proof.
  destruct l as [|[x' g'] l]; intros H Hx Hg; [reflexivity|]. cbn [corners_to_1] in H.
  repeat rewrite andb_true_iff in H. destruct H as [[[H1 _] H3] _]. apply Z.ltb_lt in H1.
  apply rat_lt_correct in H3; try assumption.
  rewrite polygon_unfold. destruct (Rle_dec (real_of x) (real_of x')); [apply chord_left | lra].
Qed.

Lemma chord_difference x g x' g' s t : x < x' ->
  chord x g x' g' t - chord x g x' g' s = (g' - g) / (x' - x) * (t - s).
Proof. intros H. unfold chord. field. lra. Qed.

Lemma slope_of_correct x g x' g' : ok x -> ok g -> ok x' -> ok g' -> real_of x < real_of x' ->
  ok (piece_slope x g x' g') /\
  real_of (piece_slope x g x' g') = (real_of g' - real_of g) / (real_of x' - real_of x).
Proof.
  intros Hx Hg Hx' Hg' Hlt. assert (Hd : ok (rminus x' x)) by now apply ok_rminus.
  assert (Hn : (0 < num (rminus x' x))%Z) by (apply (real_of_sign _ Hd); rewrite real_rminus by assumption; lra).
  assert (Hi : ok (rinv (rminus x' x))) by exact Hn. unfold piece_slope. split; [auto using ok_rmult, ok_rminus|].
  rewrite real_rmult, real_rinv, !real_rminus by auto using ok_rmult, ok_rminus. reflexivity.
Qed.

(** Consecutive corners, read from the test. *)
Lemma corners_cons x x' g' l : ok x -> corners_to_1 x ((x', g') :: l) = true ->
  ok x' /\ ok g' /\ real_of x < real_of x' /\ corners_to_1 x' l = true.
Proof.
  intros Hx H. cbn [corners_to_1] in H. repeat rewrite andb_true_iff in H. destruct H as [[[H1 H2] H3] H5].
  apply Z.ltb_lt in H1, H2. apply rat_lt_correct in H3; try assumption. now repeat split.
Qed.

Lemma corners_nil x : ok x -> corners_to_1 x [] = true -> real_of x = 1.
Proof.
  intros Hx H. cbn [corners_to_1] in H. apply Z.eqb_eq in H. unfold real_of. rewrite H. apply Rinv_r.
  apply ok_pos in Hx. lra.
Qed.

(** Behind a corner the pieces before it do not matter. *)
Lemma polygon_next x g x' g' l y : ok x' -> ok g' -> real_of x < real_of x' -> corners_to_1 x' l = true ->
  real_of x' <= y ->
  polygon (real_of x) (real_of g) ((x', g') :: l) y = polygon (real_of x') (real_of g') l y.
Proof.
  intros Hx' Hg' Hlt Hl Hy. rewrite polygon_unfold. destruct (Rle_dec y (real_of x')) as [Hle|]; [|reflexivity].
  assert (y = real_of x') as -> by lra. now rewrite chord_right, polygon_first by assumption.
Qed.

Lemma polygon_lipschitz l : forall x g, corners_to_1 x l = true -> ok x -> ok g ->
  exists L, 0 <= L /\ forall s t, real_of x <= s -> s <= t ->
    Rabs (polygon (real_of x) (real_of g) l t - polygon (real_of x) (real_of g) l s) <= L * (t - s).
Proof.
  induction l as [|[x' g'] l IH]; intros x g H Hx Hg.
  - exists 0. split; [lra|]. intros. cbn. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - destruct (corners_cons _ _ _ _ Hx H) as [H1 [H2 [H3 H5]]].
    destruct (IH x' g' H5 H1 H2) as [L [HL HLip]]. set (sl := (real_of g' - real_of g) / (real_of x' - real_of x)).
    exists (Rmax (Rabs sl) L). pose proof (Rmax_l (Rabs sl) L) as M1. pose proof (Rmax_r (Rabs sl) L) as M2.
    pose proof (Rabs_pos sl). split; [lra|].
    assert (Hin : forall s t, s <= t -> Rabs (chord (real_of x) (real_of g) (real_of x') (real_of g') t -
      chord (real_of x) (real_of g) (real_of x') (real_of g') s) <= Rmax (Rabs sl) L * (t - s)).
    { intros s t Hst. rewrite chord_difference by assumption. fold sl. rewrite Rabs_mult, (Rabs_right (t - s)) by lra.
      apply Rmult_le_compat_r; lra. }
    assert (Hout : forall s t, real_of x' <= s -> s <= t -> Rabs (polygon (real_of x') (real_of g') l t -
      polygon (real_of x') (real_of g') l s) <= Rmax (Rabs sl) L * (t - s)).
    { intros s t Hs Hst. eapply Rle_trans; [now apply HLip|]. apply Rmult_le_compat_r; lra. }
    intros s t Hs Hst. rewrite !polygon_unfold.
    destruct (Rle_dec t (real_of x')) as [Ht|Ht]; destruct (Rle_dec s (real_of x')) as [Hs'|Hs']; try lra.
    + now apply Hin.
    + pose proof (Hin s (real_of x') Hs') as I1. rewrite chord_right in I1 by assumption.
      pose proof (Hout (real_of x') t ltac:(lra) ltac:(lra)) as I2. rewrite (polygon_first x' g' l H5 H1 H2) in I2.
      replace (polygon (real_of x') (real_of g') l t - chord (real_of x) (real_of g) (real_of x') (real_of g') s)
        with ((polygon (real_of x') (real_of g') l t - real_of g') +
          (real_of g' - chord (real_of x) (real_of g) (real_of x') (real_of g') s)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. lra.
    + apply Hout; lra.
Qed.

Lemma scaled_slope V s d y : ok s -> 0 <= d -> y = real_of s * d ->
  IZR V * y <= IZR (rceil (rmult (of_Z V) s)) * d /\ IZR (rfloor (rmult (of_Z V) s)) * d <= IZR V * y.
Proof.
  intros Hs Hd ->. assert (Ho : ok (rmult (of_Z V) s)) by auto using ok_rmult, ok_of_Z.
  pose proof (le_rceil _ Ho) as H1. pose proof (rfloor_le _ Ho) as H2.
  rewrite real_rmult, real_of_Z in H1, H2 by auto using ok_of_Z.
  split; rewrite <- Rmult_assoc; now apply Rmult_le_compat_r.
Qed.

Lemma rat_lt_iff p q : ok p -> ok q -> (rat_lt p q = true <-> real_of p < real_of q).
Proof.
  intros Hp Hq. split; [now apply rat_lt_correct|]. intros H. unfold rat_lt.
  destruct (rat_le q p) eqn:E; [|reflexivity]. apply rat_le_correct in E; try assumption. lra.
Qed.

Section Slopes.
  Variables (V : Z) (p q : rat) (f : R).
  Hypothesis Hp : ok p.
  Hypothesis Hq : ok q.
  Hypothesis Hf : real_of p <= f <= real_of q.

  (** To the right the polygon goes up at most as the steepest piece says. *)
  Lemma steepest_correct l : forall x g, corners_to_1 x l = true -> ok x -> ok g -> real_of x <= f -> f < 1 ->
    exists c e, steepest V x g l p q = Some c /\ 0 < e /\ forall d, 0 <= d <= e ->
      IZR V * (polygon (real_of x) (real_of g) l (f + d) - polygon (real_of x) (real_of g) l f) <= IZR c * d.
  Proof.
    induction l as [|[x' g'] l IH]; intros x g H Hx Hg Hxf Hf1.
    - pose proof (corners_nil x Hx H). lra.
    - destruct (corners_cons _ _ _ _ Hx H) as [H1 [H2 [H3 H5]]]. cbn [steepest].
      destruct (slope_of_correct x g x' g' Hx Hg H1 H2 H3) as [Hs Hslope].
      set (c0 := rceil (rmult (of_Z V) (piece_slope x g x' g'))).
      destruct (Rlt_dec f (real_of x')) as [Hin|Hout].
      + assert (E1 : rat_le x q = true) by (apply rat_le_iff; try assumption; lra).
        assert (E2 : rat_lt p x' = true) by (apply rat_lt_iff; try assumption; lra). rewrite E1, E2. cbn [andb].
        eexists _, (real_of x' - f). split; [reflexivity|]. split; [lra|]. intros d Hd.
        rewrite !polygon_unfold. destruct (Rle_dec (f + d) (real_of x')); [|lra].
        destruct (Rle_dec f (real_of x')); [|lra].
        destruct (scaled_slope V _ d (real_of (piece_slope x g x' g') * d) Hs (proj1 Hd) eq_refl) as [Hle _].
        fold c0 in Hle. rewrite chord_difference by assumption. rewrite <- Hslope.
        replace (f + d - f) with d by ring. eapply Rle_trans; [exact Hle|].
        apply Rmult_le_compat_r; [apply Hd|]. apply IZR_le. destruct (steepest V x' g' l p q); lia.
      + destruct (IH x' g' H5 H1 H2 ltac:(lra) Hf1) as [c [e [Hc [He Hle]]]]. rewrite Hc.
        assert (Hgoal : forall c', (c <= c')%Z -> forall d, 0 <= d <= e ->
          IZR V * (polygon (real_of x) (real_of g) ((x', g') :: l) (f + d) -
            polygon (real_of x) (real_of g) ((x', g') :: l) f) <= IZR c' * d).
        { intros c' Hcc d Hd. rewrite !(polygon_next x g x' g') by (assumption || lra).
          eapply Rle_trans; [now apply Hle|].
          apply Rmult_le_compat_r; [apply Hd | now apply IZR_le]. }
        destruct (rat_le x q && rat_lt p x'); eexists _, e; (split; [reflexivity|]); (split; [assumption|]);
          apply Hgoal; lia.
  Qed.

  (** To the left it goes down at least as the flattest piece says. *)
  Lemma flattest_correct l : forall x g, corners_to_1 x l = true -> ok x -> ok g -> real_of x < f -> f <= 1 ->
    exists c e, flattest V x g l p q = Some c /\ 0 < e /\ forall d, 0 <= d <= e ->
      IZR V * (polygon (real_of x) (real_of g) l (f - d) - polygon (real_of x) (real_of g) l f) <= - (IZR c * d).
  Proof.
    induction l as [|[x' g'] l IH]; intros x g H Hx Hg Hxf Hf1.
    - pose proof (corners_nil x Hx H). lra.
    - destruct (corners_cons _ _ _ _ Hx H) as [H1 [H2 [H3 H5]]]. cbn [flattest].
      destruct (slope_of_correct x g x' g' Hx Hg H1 H2 H3) as [Hs Hslope].
      set (c0 := rfloor (rmult (of_Z V) (piece_slope x g x' g'))).
      destruct (Rle_dec f (real_of x')) as [Hin|Hout].
      + assert (E1 : rat_lt x q = true) by (apply rat_lt_iff; try assumption; lra).
        assert (E2 : rat_le p x' = true) by (apply rat_le_iff; try assumption; lra). rewrite E1, E2. cbn [andb].
        eexists _, (f - real_of x). split; [reflexivity|]. split; [lra|]. intros d Hd.
        rewrite !polygon_unfold. destruct (Rle_dec (f - d) (real_of x')); [|lra].
        destruct (Rle_dec f (real_of x')); [|lra].
        destruct (scaled_slope V _ d (real_of (piece_slope x g x' g') * d) Hs (proj1 Hd) eq_refl) as [_ Hle].
        fold c0 in Hle. rewrite chord_difference by assumption. rewrite <- Hslope.
        replace (f - d - f) with (- d) by ring.
        replace (IZR V * (real_of (piece_slope x g x' g') * - d)) with (- (IZR V * (real_of (piece_slope x g x' g') *
          d)))
          by ring.
        apply Ropp_le_contravar. eapply Rle_trans; [|exact Hle].
        apply Rmult_le_compat_r; [apply Hd|]. apply IZR_le. destruct (flattest V x' g' l p q); lia.
      + destruct (IH x' g' H5 H1 H2 ltac:(lra) Hf1) as [c [e [Hc [He Hle]]]]. rewrite Hc.
        assert (Hgoal : forall c', (c' <= c)%Z -> forall d, 0 <= d <= Rmin e (f - real_of x') ->
          IZR V * (polygon (real_of x) (real_of g) ((x', g') :: l) (f - d) -
            polygon (real_of x) (real_of g) ((x', g') :: l) f) <= - (IZR c' * d)).
        { intros c' Hcc d Hd. pose proof (Rmin_l e (f - real_of x')). pose proof (Rmin_r e (f - real_of x')).
          rewrite !(polygon_next x g x' g') by (assumption || lra).
          eapply Rle_trans; [apply Hle; lra|]. apply Ropp_le_contravar.
          apply Rmult_le_compat_r; [apply Hd | now apply IZR_le]. }
        assert (0 < Rmin e (f - real_of x')) by (apply Rmin_pos; lra).
        destruct (rat_lt x q && rat_le p x'); eexists _, (Rmin e (f - real_of x'));
          (split; [reflexivity|]); (split; [assumption|]); apply Hgoal; lia.
  Qed.

  (** Both, as the theorem on best mixtures needs them. *)
  Lemma slopes_correct l : corners_to_1 (of_Z 0) l = true -> (0 < V)%Z -> 0 <= f <= 1 ->
    exists e, 0 < e /\ forall d, 0 <= d <= e ->
      (f + d <= 1 -> polygon 0 0 l (f + d) - polygon 0 0 l f <=
        IZR (or_zero (steepest V (of_Z 0) (of_Z 0) l p q)) / IZR V * d) /\
      (0 <= f - d -> polygon 0 0 l (f - d) - polygon 0 0 l f <=
        - (IZR (or_zero (flattest V (of_Z 0) (of_Z 0) l p q)) / IZR V * d)).
  Proof.
    intros Hl HV Hf1. pose proof (IZR_lt _ _ HV) as HV'. pose proof (real_of_Z 0) as R0. pose proof (ok_of_Z 0) as O0.
    assert (Hone : forall x y, IZR V * x <= y -> x <= y / IZR V).
    { intros x y Hxy. apply Rmult_le_reg_l with (IZR V); [assumption|].
      replace (IZR V * (y / IZR V)) with y by (field; lra). exact Hxy. }
    assert (Hup : exists e, 0 < e /\ forall d, 0 <= d <= e -> f + d <= 1 ->
      polygon 0 0 l (f + d) - polygon 0 0 l f <= IZR (or_zero (steepest V (of_Z 0) (of_Z 0) l p q)) / IZR V * d).
    { destruct (Rlt_dec f 1) as [Hlt|Hge].
      - destruct (steepest_correct l (of_Z 0) (of_Z 0) Hl O0 O0 ltac:(lra) Hlt) as [c [e [Hc [He H]]]].
        exists e. split; [assumption|]. intros d Hd _. rewrite Hc. cbn [or_zero]. specialize (H d Hd). rewrite !R0 in H.
        apply Hone in H. unfold Rdiv in *. lra.
      - exists 1. split; [lra|]. intros d Hd Hle. assert (d = 0) as -> by lra. rewrite Rplus_0_r. lra. }
    assert (Hdown : exists e, 0 < e /\ forall d, 0 <= d <= e -> 0 <= f - d ->
      polygon 0 0 l (f - d) - polygon 0 0 l f <= - (IZR (or_zero (flattest V (of_Z 0) (of_Z 0) l p q)) / IZR V * d)).
    { destruct (Rlt_dec 0 f) as [Hlt|Hge].
      - destruct (flattest_correct l (of_Z 0) (of_Z 0) Hl O0 O0 ltac:(lra) (proj2 Hf1)) as [c [e [Hc [He H]]]].
        exists e. split; [assumption|]. intros d Hd _. rewrite Hc. cbn [or_zero]. specialize (H d Hd). rewrite !R0 in H.
        apply Hone in H. unfold Rdiv in *. lra.
      - exists 1. split; [lra|]. intros d Hd Hle. assert (d = 0) as -> by lra. rewrite Rminus_0_r. lra. }
    destruct Hup as [e1 [He1 H1]]. destruct Hdown as [e2 [He2 H2]]. exists (Rmin e1 e2).
    split; [now apply Rmin_pos|]. intros d Hd. pose proof (Rmin_l e1 e2). pose proof (Rmin_r e1 e2).
    split; [apply H1 | apply H2]; lra.
  Qed.
End Slopes.

(** ** The least of a tilted polygon in a box *)

(** Two places of a piece, with values that the tilted piece reaches there, bound it between them. *)
Lemma piece_below V c x g x' g' a b y z tau : 0 < V -> x < x' -> a <= tau <= b ->
  y <= V * chord x g x' g' a - c * a -> z <= V * chord x g x' g' b - c * b ->
  Rmin y z <= V * chord x g x' g' tau - c * tau.
Proof.
  intros HV Hx Htau Hy Hz. pose proof (chord_affine x g x' g' (c / V) a b tau Hx Htau) as H.
  apply (Rmult_le_compat_l V) in H; [|lra].
  assert (Hscale : forall u, V * (chord x g x' g' u - c / V * u) = V * chord x g x' g' u - c * u)
    by (intros; field; lra).
  rewrite Hscale in H. eapply Rle_trans; [|exact H].
  pose proof (Rmin_l y z). pose proof (Rmin_r y z). unfold Rmin at 2. destruct (Rle_dec _ _); rewrite Hscale; lra.
Qed.

Lemma least_from_correct V c p q : (0 < V)%Z -> ok p -> ok q -> forall l x g here, corners_to_1 x l = true ->
  ok x -> ok g -> (real_of p <= real_of x -> IZR here <= IZR V * real_of g - IZR c * real_of x) ->
  forall tau, real_of x <= tau -> tau <= 1 -> (l <> [] \/ real_of x < tau) -> real_of p <= tau <= real_of q ->
  exists y, least_from V c x g here l p q = Some y /\
    IZR y <= IZR V * polygon (real_of x) (real_of g) l tau - IZR c * tau.
Proof.
  intros HV Hp Hq. pose proof (IZR_lt _ _ HV) as HV'.
  induction l as [|[x' g'] l IH]; intros x g here H Hx Hg Hhere tau Hxt Ht1 Hne Hbox.
  - exfalso. destruct Hne as [Hne|Hne]; [congruence|]. cbn [corners_to_1] in H. apply Z.eqb_eq in H.
    assert (real_of x = 1); [|lra]. unfold real_of. rewrite H. apply Rinv_r. apply ok_pos in Hx. lra.
  - cbn [corners_to_1] in H. repeat rewrite andb_true_iff in H. destruct H as [[[H1 H2] H3] H5].
    apply Z.ltb_lt in H1, H2. apply rat_lt_correct in H3; try assumption. cbn [least_from].
    assert (Hsegment : forall y, ok y -> IZR (tilted V c (segment x g x' g' y) y) <=
      IZR V * chord (real_of x) (real_of g) (real_of x') (real_of g') (real_of y) - IZR c * real_of y).
    { intros y Hy. destruct (segment_correct x g x' g' y Hx Hg H1 H2 Hy H3) as [Hoky Hreal]. rewrite <- Hreal.
      now apply tilted_correct. }
    rewrite polygon_unfold. destruct (rat_lt x' p) eqn:Eleft.
    { apply rat_lt_correct in Eleft; try assumption. destruct (Rle_dec tau (real_of x')) as [Hin|Hout]; [lra|].
      apply (IH x' g' here H5 H1 H2 ltac:(intros; lra) tau ltac:(lra) Ht1 ltac:(right; lra) Hbox). }
    set (a := if rat_le p x then here else _).
    assert (Ha : exists u, u <= tau /\ IZR a <=
      IZR V * chord (real_of x) (real_of g) (real_of x') (real_of g') u - IZR c * u).
    { unfold a. destruct (rat_le p x) eqn:E.
      - exists (real_of x). split; [assumption|]. rewrite chord_left. apply Hhere. now apply rat_le_correct.
      - exists (real_of p). split; [lra | now apply Hsegment]. }
    destruct Ha as [u [Hu Ha]]. destruct (rat_lt x' q) eqn:Eright.
    + set (there := tilted V c g' x'). pose proof (tilted_correct V c g' x' H2 H1) as Hthere. fold there in Hthere.
      destruct (lesser_some there (least_from V c x' g' there l p q)) as [z Hz]. rewrite Hz.
      destruct (lesser_some a (Some z)) as [y Hy]. rewrite Hy. exists y. split; [reflexivity|].
      apply lesser_le in Hy, Hz. destruct Hy as [Hya Hyz]. specialize (Hyz z eq_refl). destruct Hz as [Hzt Hz].
      destruct (Rle_dec tau (real_of x')) as [Hin|Hout].
      * assert (Hyt : (y <= there)%Z) by lia. apply IZR_le in Hya, Hyt.
        eapply Rle_trans; [|apply (piece_below _ _ _ _ _ _ u (real_of x') (IZR a) (IZR there)); try assumption].
        -- apply Rmin_glb; assumption.
        -- split; assumption.
        -- now rewrite chord_right.
      * destruct (IH x' g' there H5 H1 H2 ltac:(intros; assumption) tau ltac:(lra) Ht1 ltac:(right; lra) Hbox)
          as [w [Hw Hle]]. specialize (Hz w Hw). assert (Hyw : (y <= w)%Z) by lia. apply IZR_le in Hyw. lra.
    + assert (Hqx : real_of q <= real_of x').
      { apply rat_le_correct; try assumption. unfold rat_lt in Eright. now apply negb_false_iff in Eright. }
      destruct (lesser_some a (Some (tilted V c (segment x g x' g' q) q))) as [y Hy]. rewrite Hy. exists y.
      split; [reflexivity|]. apply lesser_le in Hy. destruct Hy as [Hya Hyz]. specialize (Hyz _ eq_refl).
      destruct (Rle_dec tau (real_of x')) as [Hin|Hout]; [|lra]. apply IZR_le in Hya, Hyz.
      eapply Rle_trans; [|apply (piece_below _ _ _ _ _ _ u (real_of q) (IZR a)
        (IZR (tilted V c (segment x g x' g' q) q))); try assumption].
      * apply Rmin_glb; assumption.
      * split; [assumption | lra].
      * now apply Hsegment.
Qed.
