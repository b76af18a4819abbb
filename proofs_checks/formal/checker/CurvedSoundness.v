(** * The theorem for weightings that are not piecewise linear: what [check_curved] accepts is true

    The objective is Phi of a mixture of curves ([Curves.v]): powers, Wang transforms, weightings of Tversky and
    Kahneman, piecewise linear ones. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check PolygonCheck LawCheck CurveCheck
  Verdict Meaning ModelFacts RatFacts PolygonObjective PolygonRoute Machines LawRoute Curves PowerCurve CurveRoute
  Soundness CellCover ReturnsCover Contractions.
Import ListNotations.
Open Scope R_scope.

(** ** Broken lines *)

Definition drawn (places : list rat) (l : list (rat * support)) : list (rat * rat) := combine places (map fst l).

Lemma line_below_correct f k : good_curve f = true -> forall places l x y, ok x -> ok y -> 0 <= real_of x ->
  line_below f (falls_to f k) (rises_between f k) x y places l = true ->
  length l = length places /\ List.Forall (fun ys => ok (fst ys)) l /\
  forall t, real_of x < t <= 1 -> polygon (real_of x) (real_of y) (drawn places l) t <= curve_of f t.
Proof.
  intros Hf. induction places as [|x' places IH]; intros [|[y' s] l] x y Hx Hy H0 H; cbn [line_below] in H;
    try discriminate.
  - apply rat_le_correct in H; [|apply ok_one | assumption]. rewrite real_one in H. split; [reflexivity|].
    split; [constructor | intros t Ht; lra].
  - repeat rewrite andb_true_iff in H. destruct H as [[[[[H1 H2] H3] H4] H5] H6]. apply Z.ltb_lt in H1, H2.
    apply rat_lt_correct in H3; try assumption.
    apply rat_le_correct in H4; [|assumption | apply ok_one]. rewrite real_one in H4.
    destruct (IH l x' y' H1 H2 ltac:(lra) H6) as [I1 [I2 I3]]. split; [cbn; now rewrite I1|]. split; [now constructor|].
    intros t Ht. unfold drawn. cbn [map combine fst]. rewrite polygon_unfold.
    destruct (Rle_dec t (real_of x')) as [Hle|Hle]; [|apply I3; lra].
    apply (supported_correct f k x y x' y' s); try assumption; lra.
Qed.

Lemma polygon_at_start x g x' g' l : x < real_of x' -> polygon x g ((x', g') :: l) x = g.
Proof. intros H. rewrite polygon_unfold. destruct (Rle_dec x (real_of x')); [apply chord_left | lra]. Qed.

Lemma add_line_correct w l : ok w -> List.Forall (fun ys => ok (fst ys)) l -> forall corners,
  length l = length corners -> List.Forall (fun xg => ok (snd xg)) corners ->
  List.Forall (fun xg => ok (snd xg)) (add_line w l corners) /\ map fst (add_line w l corners) = map fst corners /\
  forall x g y t, polygon x (g + real_of w * y) (add_line w l corners) t =
    polygon x g corners t + real_of w * polygon x y (drawn (map fst corners) l) t.
Proof.
  intros Hw. induction l as [|[y' s] l IH]; intros Hl [|[x' g'] corners] Hlen Hc; try discriminate.
  - split; [constructor|]. split; [reflexivity | intros; cbn; ring].
  - inversion_clear Hl as [|? ? Hy' Hl']. inversion_clear Hc as [|? ? Hg' Hc']. cbn in Hy', Hg'. injection Hlen as Hlen.
    destruct (IH Hl' corners Hlen Hc') as [I1 [I2 I3]].
    cbn [add_line map]. split; [constructor; [cbn; auto using ok_rplus, ok_rmult | assumption]|].
    split; [cbn; now rewrite I2|].
    intros x g y t. unfold drawn in *. cbn [combine map fst]. rewrite !polygon_unfold.
    rewrite real_rplus, real_rmult by auto using ok_rmult.
    destruct (Rle_dec t (real_of x')); [unfold chord; ring|]. apply I3.
Qed.

Lemma zero_line places x t : polygon x 0 (map (fun x => (x, of_Z 0)) places) t = 0.
Proof.
  revert x; induction places as [|x' places IH]; intros x; [reflexivity|]. cbn [map]. rewrite polygon_unfold, real_of_Z.
  destruct (Rle_dec t (real_of x')); [unfold chord, Rdiv; ring | apply IH].
Qed.

(** The line of a jump that is passed: 1 at every place. *)
Lemma ones_below f fall rise places : forall l x y, ok x -> line_below f fall rise x y places l = true -> forall y0 t,
  y0 <= 1 ->
  polygon (real_of x) y0 (drawn places (map (fun ys => (one, snd ys)) l)) t <= 1.
Proof.
  induction places as [|x' places IH]; intros [|[y' s] l] x y Hx H y0 t Hy0; cbn [line_below] in H; try discriminate;
    [cbn; assumption|].
  repeat rewrite andb_true_iff in H. destruct H as [[[[[H1 H2] H3] H4] H5] H6]. apply Z.ltb_lt in H1.
  apply rat_lt_correct in H3; try assumption.
  unfold drawn. cbn [map combine fst snd]. rewrite polygon_unfold. rewrite real_one.
  destruct (Rle_dec t (real_of x')) as [Hle|Hle].
  - unfold chord. set (c := (t - real_of x) / (real_of x' - real_of x)). assert (Hc : c <= 1).
    { unfold c. apply Rmult_le_reg_r with (real_of x' - real_of x); [lra|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l; lra. }
    pose proof (Rmult_le_pos (1 - c) (1 - y0) ltac:(lra) ltac:(lra)). lra.
  - apply (IH l x' y' H1 H6). lra.
Qed.

Lemma pieces_from_correct from f k places l t : ok from -> real_of from <= t -> 0 < t <= 1 -> good_curve f = true ->
  line_below f (falls_to f k) (rises_between f k) (of_Z 0) (of_Z 0) places l = true ->
  length (pieces_from from f l) = length places /\ List.Forall (fun ys => ok (fst ys)) (pieces_from from f l) /\
  polygon 0 0 (drawn places (pieces_from from f l)) t <= curve_of f t.
Proof.
  intros Hfrom Hft Ht Hf Hl.
  destruct (line_below_correct f k Hf places l (of_Z 0) (of_Z 0) (ok_of_Z 0) (ok_of_Z 0) ltac:(rewrite real_of_Z;
    lra) Hl) as [L1 [L2 L3]].
  rewrite !real_of_Z in L3. specialize (L3 t ltac:(lra)).
  assert (Hsame : length l = length places /\ List.Forall (fun ys => ok (fst ys)) l /\
    polygon 0 0 (drawn places l) t <= curve_of f t) by auto.
  destruct f as [p q|p q|s|p q|corners|level]; cbn [pieces_from]; try exact Hsame.
  destruct (rat_le level from) eqn:E; [|exact Hsame]. destruct (jump_facts level Hf) as [Hlevel _].
  apply rat_le_correct in E; try assumption.
  split; [now rewrite map_length|]. split.
  - apply List.Forall_forall. intros ys Hin. apply in_map_iff in Hin. destruct Hin as [zs [<- _]]. apply ok_one.
  - pose proof (ones_below _ _ _ places l (of_Z 0) (of_Z 0) (ok_of_Z 0) Hl 0 t ltac:(lra)) as H. rewrite real_of_Z in H.
    cbn [curve_of]. destruct (Rle_dec (real_of level) t); lra.
Qed.

Theorem mixed_line_below from places t : ok from -> real_of from <= t -> 0 < t <= 1 -> forall o bs,
  forallb (fun wf => positive_den (fst wf) && (0 <=? num (fst wf))%Z && good_curve (snd wf)) o = true ->
  all_good_bounds places o bs = true ->
  List.Forall (fun xg => ok (snd xg)) (mixed_line from places o bs) /\ map fst (mixed_line from places o bs) = places /\
  polygon 0 0 (mixed_line from places o bs) t <= mixture_of o t.
Proof.
  intros Hfrom Hft Ht. induction o as [|[w f] o IH]; intros [|b bs] Ho Hb; cbn [all_good_bounds] in Hb;
    try discriminate; cbn [mixed_line mixture_of].
  - split; [|split].
    + apply List.Forall_forall. intros xg Hin. apply in_map_iff in Hin. destruct Hin as [x [<- _]]. apply ok_of_Z.
    + rewrite map_map. cbn. apply map_id.
    + rewrite zero_line. lra.
  - cbn [forallb fst snd] in Ho. repeat rewrite andb_true_iff in Ho. destruct Ho as [[[W1 W2] W3] W4].
    apply Z.ltb_lt in W1. apply Z.leb_le in W2.
    apply andb_true_iff in Hb. destruct Hb as [Hb1 Hb2]. destruct (IH bs W4 Hb2) as [I1 [I2 I3]].
    unfold good_bounds in Hb1. apply andb_true_iff in Hb1. destruct Hb1 as [Hl _].
    destruct (pieces_from_correct from f (bend b) places (pieces b) t Hfrom Hft Ht W3 Hl) as [L1 [L2 L3]].
    assert (Hlen : length (pieces_from from f (pieces b)) = length (mixed_line from places o bs))
      by (rewrite L1, <- I2 at 1; now rewrite map_length).
    destruct (add_line_correct w (pieces_from from f (pieces b)) W1 L2 (mixed_line from places o bs) Hlen I1)
      as [A1 [A2 A3]].
    split; [assumption|]. split; [now rewrite A2|]. specialize (A3 0 0 0 t). rewrite Rmult_0_r, Rplus_0_l in A3.
    rewrite A3, I2.
    pose proof (real_nonneg w W1 W2) as Hw. pose proof (Rmult_le_compat_l (real_of w) _ _ Hw L3). lra.
Qed.

(** ** The line for values from p on *)

Lemma corners_to_1_places l : forall l' x,
  corners_to_1 x l = true -> map fst l' = map fst l -> List.Forall (fun xg => ok (snd xg)) l' ->
  corners_to_1 x l' = true.
Proof.
  induction l as [|[x1 g1] l IH]; intros [|[x2 g2] l'] x H Hmap Hok; try discriminate; [assumption|].
  cbn [map fst] in Hmap. injection Hmap as -> Hmap.
  inversion_clear Hok as [|? ? H2 Hok']. cbn [snd] in H2. cbn [corners_to_1] in *. repeat rewrite andb_true_iff in *.
  destruct H as [[[H3 _] H5] H6].
  repeat split; try assumption; [now apply Z.ltb_lt | now apply (IH l')].
Qed.

Lemma line_from_in lines p : forall best, exists x,
  line_from best lines p = snd x /\ (x = best \/ (In x lines /\ rat_le (fst x) p = true)).
Proof.
  induction lines as [|line lines IH]; intros best; cbn [line_from]; [exists best; auto|].
  destruct (IH (if rat_le (fst line) p && rat_le (fst best) (fst line) then line else best)) as [x [E H]]. exists x.
  split; [exact E|].
  destruct H as [->|[H1 H2]]; [|right; split; [now right | assumption]].
  destruct (rat_le (fst line) p && rat_le (fst best) (fst line)) eqn:Eb; [|now left]. apply andb_true_iff in Eb. right.
  split; [now left | apply Eb].
Qed.

Lemma levels_of_correct o level : forallb (fun wf =>
  positive_den (fst wf) && (0 <=? num (fst wf))%Z && good_curve (snd wf)) o = true -> In level (levels_of o) ->
  ok level /\ real_of level <= 1.
Proof.
  intros Ho Hin. apply in_flat_map in Hin. destruct Hin as [[w f] [Hwf Hf]].
  apply forallb_forall with (x := (w, f)) in Ho; [|assumption].
  apply andb_true_iff in Ho. destruct Ho as [_ Hg]. cbn [snd] in *.
  destruct f as [p q|p q|s|p q|corners|x]; try contradiction. destruct Hf as [<-|[]].
  destruct (jump_facts x Hg) as [H1 H2]. split; [assumption | lra].
Qed.

Theorem line_for_below places o bs : good_mixture o = true -> all_good_bounds places o bs = true ->
  corners_to_1 (of_Z 0) (mixed_line (of_Z 0) places o bs) = true ->
  weighting (mixture_of o) -> forall p, ok p -> let corners := line_for (mixed_lines places o bs) p in
  corners_to_1 (of_Z 0) corners = true /\ forall tau,
    0 <= tau <= 1 -> real_of p <= tau -> polygon 0 0 corners tau <= mixture_of o tau.
Proof.
  intros Ho Hb Hc HG p Hp. pose proof Ho as Ho'. unfold good_mixture in Ho'. apply andb_true_iff in Ho'.
  destruct Ho' as [Hos _].
  assert (Hx : exists x, line_for (mixed_lines places o bs) p = mixed_line x places o bs /\ ok x /\ real_of x <= 1 /\
    forall tau, 0 <= tau -> real_of p <= tau -> real_of x <= tau).
  { unfold line_for, mixed_lines. cbn [map].
    destruct (line_from_in (map (fun from => (from, mixed_line from places o bs)) (levels_of o)) p (of_Z 0,
      mixed_line (of_Z 0) places o bs)) as [x [E H]].
    rewrite E. destruct H as [->|[Hin Hle]].
    - exists (of_Z 0). cbn [snd]. split; [reflexivity|]. rewrite real_of_Z. split; [apply ok_of_Z|].
      split; [lra | intros; lra].
    - apply in_map_iff in Hin. destruct Hin as [level [<- Hin]]. cbn [fst snd] in *.
      destruct (levels_of_correct o level Hos Hin) as [H1 H2]. exists level.
      apply rat_le_correct in Hle; try assumption. split; [reflexivity|]. split; [assumption|].
      split; [assumption | intros; lra]. }
  destruct Hx as [x [-> [Hok [H1 Hle]]]]. cbn zeta.
  destruct (mixed_line_below x places 1 Hok H1 ltac:(lra) o bs Hos Hb) as [S1 [S2 _]].
  destruct (mixed_line_below (of_Z 0) places 1 (ok_of_Z 0) ltac:(rewrite real_of_Z; lra) ltac:(lra) o bs Hos Hb)
    as [_ [S3 _]].
  assert (Hcx : corners_to_1 (of_Z 0) (mixed_line x places o bs) = true)
    by (apply (corners_to_1_places (mixed_line (of_Z 0) places o bs)); [assumption | congruence | assumption]).
  split; [assumption|]. intros tau Ht Hpt. destruct (Req_dec tau 0) as [->|Hne].
  - destruct (mixed_line x places o bs) as [|[x' g'] l] eqn:E; [discriminate|].
    rewrite (weighting_0 _ HG), polygon_at_start; [lra|].
    cbn [corners_to_1] in Hcx. repeat rewrite andb_true_iff in Hcx. destruct Hcx as [[[C1 _] C3] _].
    apply Z.ltb_lt in C1. apply rat_lt_correct in C3; [|apply ok_of_Z | assumption].
    now rewrite real_of_Z in C3.
  - apply (mixed_line_below x places tau Hok (Hle tau ltac:(lra) Hpt) ltac:(lra) o bs Hos Hb).
Qed.

(** ** Staircases *)

Lemma stair_correct f l tau : good_curve f = true -> forallb (point_above f) l = true -> ok tau ->
  0 <= real_of tau <= 1 ->
  ok (stair l tau) /\ curve_of f (real_of tau) <= real_of (stair l tau).
Proof.
  intros Hf H Ht Hr. pose proof (weighting_curve f Hf) as HG. induction l as [|c l IH]; cbn [stair].
  - split; [apply ok_one|]. rewrite real_one.
    pose proof (weighting_mono _ HG (real_of tau) 1 ltac:(lra) ltac:(lra) ltac:(lra)) as Hm.
    rewrite (weighting_1 _ HG) in Hm. lra.
  - cbn [forallb] in H. apply andb_true_iff in H. destruct H as [Hc Hl].
    destruct (point_above_correct f c Hf Hc) as [[C1 [C2 C3]] C4].
    destruct (rat_le tau (place c)) eqn:E; [|now apply IH]. apply rat_le_correct in E; try assumption.
    split; [assumption|].
    pose proof (weighting_mono _ HG (real_of tau) (real_of (place c)) ltac:(lra) E ltac:(lra)). lra.
Qed.

Lemma mixed_stair_correct places tau : ok tau -> 0 <= real_of tau <= 1 -> forall o bs,
  forallb (fun wf => positive_den (fst wf) && (0 <=? num (fst wf))%Z && good_curve (snd wf)) o = true ->
    all_good_bounds places o bs = true ->
  ok (mixed_stair o bs tau) /\ mixture_of o (real_of tau) <= real_of (mixed_stair o bs tau).
Proof.
  intros Ht Hr. induction o as [|[w f] o IH]; intros [|b bs] Ho Hb; cbn [all_good_bounds] in Hb; try discriminate;
    cbn [mixed_stair mixture_of].
  - split; [apply ok_of_Z | rewrite real_of_Z; lra].
  - cbn [forallb fst snd] in Ho. repeat rewrite andb_true_iff in Ho. destruct Ho as [[[W1 W2] W3] W4].
    apply Z.ltb_lt in W1. apply Z.leb_le in W2.
    apply andb_true_iff in Hb. destruct Hb as [Hb1 Hb2]. destruct (IH bs W4 Hb2) as [I1 I2].
    unfold good_bounds in Hb1. apply andb_true_iff in Hb1. destruct Hb1 as [_ Hs].
    destruct (stair_correct f (stairs b) tau W3 Hs Ht Hr) as [S1 S2].
    split; [auto using ok_rplus, ok_rmult|]. rewrite real_rplus, real_rmult by auto using ok_rmult.
    pose proof (Rmult_le_compat_l (real_of w) _ _ (real_nonneg w W1 W2) S2). lra.
Qed.

(** ** Mixtures are weightings *)

Definition weight_sum (o : mixture) : R := fold_right (fun wf r => real_of (fst wf) + r) 0 o.

Lemma mixture_facts o : forallb (fun wf => positive_den (fst wf) && (0 <=? num (fst wf))%Z && good_curve (snd wf)) o =
  true ->
  mixture_of o 0 = 0 /\ mixture_of o 1 = weight_sum o /\
    (forall x y, 0 <= x -> x <= y -> y <= 1 -> mixture_of o x <= mixture_of o y) /\
  (forall x eps, 0 <= x < 1 -> 0 < eps -> exists delta, 0 < delta /\ forall y,
    x <= y < x + delta -> y <= 1 -> mixture_of o y - mixture_of o x <= weight_sum o * eps).
Proof.
  induction o as [|[w f] o IH]; cbn [forallb]; intros Ho; cbn [mixture_of weight_sum fold_right fst].
  - repeat split; intros; try lra. exists 1. split; [lra | intros; lra].
  - repeat rewrite andb_true_iff in Ho. cbn [fst snd] in Ho. destruct Ho as [[[W1 W2] W3] W4]. apply Z.ltb_lt in W1.
    apply Z.leb_le in W2.
    destruct (IH W4) as [I1 [I2 [I3 I4]]]. pose proof (weighting_curve f W3) as HG.
    pose proof (real_nonneg w W1 W2) as Hw. fold (weight_sum o).
    rewrite I1, I2, (weighting_0 _ HG), (weighting_1 _ HG). split; [ring|]. split; [ring|]. split.
    + intros x y Hx Hxy Hy. pose proof (I3 x y Hx Hxy Hy).
      pose proof (Rmult_le_compat_l (real_of w) _ _ Hw (weighting_mono _ HG x y Hx Hxy Hy)). lra.
    + intros x eps Hx He. destruct (I4 x eps Hx He) as [d1 [D1 E1]].
      destruct (weighting_right _ HG x eps Hx He) as [d2 [D2 E2]].
      exists (Rmin d1 d2). pose proof (Rmin_l d1 d2). pose proof (Rmin_r d1 d2). split; [now apply Rmin_glb_lt|].
      intros y Hy Hy1.
      specialize (E1 y ltac:(lra) Hy1). specialize (E2 y ltac:(lra) Hy1).
      assert (real_of w * (curve_of f y - curve_of f x) <= real_of w * eps) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma total_weight o : forallb (fun wf => positive_den (fst wf) && (0 <=? num (fst wf))%Z && good_curve (snd wf)) o =
  true ->
  ok (fold_right (fun wf r => rplus (fst wf) r) (of_Z 0) o) /\
    real_of (fold_right (fun wf r => rplus (fst wf) r) (of_Z 0) o) = weight_sum o.
Proof.
  induction o as [|[w f] o IH]; cbn [forallb fold_right fst weight_sum]; intros Ho;
    [split; [apply ok_of_Z | apply real_of_Z]|].
  repeat rewrite andb_true_iff in Ho. cbn [fst] in Ho. destruct Ho as [[[W1 _] _] W4]. apply Z.ltb_lt in W1.
  destruct (IH W4) as [I1 I2].
  split; [now apply ok_rplus|]. rewrite real_rplus by assumption. rewrite I2. reflexivity.
Qed.

Theorem weighting_mixture o : good_mixture o = true -> weighting (mixture_of o).
Proof.
  intros H. unfold good_mixture in H. apply andb_true_iff in H. destruct H as [Ho Ht]. cbn zeta in Ht.
  apply Z.eqb_eq in Ht.
  destruct (total_weight o Ho) as [T1 T2]. assert (Hs : weight_sum o = 1).
  { rewrite <- T2. unfold real_of. rewrite Ht. apply Rinv_r. apply ok_pos in T1. lra. }
  destruct (mixture_facts o Ho) as [M1 [M2 [M3 M4]]]. rewrite Hs in M2, M4. split; try assumption.
  intros x eps Hx He. destruct (M4 x (eps / 2) Hx ltac:(lra)) as [d [Hd Hy]]. exists d. split; [assumption|].
  intros y H1 H2. specialize (Hy y H1 H2). lra.
Qed.

(** ** The theorem *)

(** Given: as check_sound, for mixtures of powers, Wang transforms, Tversky-Kahneman weightings, lower quantiles
    and polygons, with rational bounds of the curve at its points in the certificate.
    Differs: the checker, not the planner.
    Step of: production/proved, production/plan. *)
Theorem check_curved_sound (m : model) (o : mixture) (c : claim) (k : curved) :
  check_curved m o c k = true ->
  (exists pi, pi = policy_of m (low (proofs k)) /\ is_jpolicy pi /\ plays_allowed (meaning m) pi /\
     real_of (lower c) <= Phi (mixture_of o) (jreturn_law (meaning m) pi)) /\
  (forall pi, is_jpolicy pi -> plays_allowed (meaning m) pi ->
     Phi (mixture_of o) (jreturn_law (meaning m) pi) <= real_of (upper c)).
Proof.
  intros H. unfold check_curved, tests_curved in H. cbn [forallb snd] in H. repeat rewrite andb_true_iff in H.
  destruct H as [Hm [Ho [[Hl Hu] [[Hb Hc] [Hlow [Hup _]]]]]]. apply Z.ltb_lt in Hl, Hu.
  pose proof (weighting_mixture o Ho) as HG.
  pose proof Ho as Ho'. unfold good_mixture in Ho'. apply andb_true_iff in Ho'. destruct Ho' as [Hos _]. split.
  - exists (policy_of m (low (proofs k))). split; [reflexivity|]. unfold curved_lower_test in Hlow.
    destruct (low (proofs k))
      as [V choices|V g start choices|V c0 start choices|V c0 start costs choices|V mix_den parts]; try discriminate.
    cbn [snd policy_of] in *.
    destruct (weighted_by_law_correct m V mix_den parts Hm (mixture_of o) (mixed_stair o (curve_bounds k)) (lower c))
      as [P1 P2]; try assumption.
    { intros tau Htau Hr. now apply (mixed_stair_correct (places k)). }
    split; [now apply is_jpolicy_mixture|]. split; [apply plays_allowed_mixture | assumption].
  - intros pi Hpi Hal. unfold curved_upper_test in Hup.
    set (line := line_for (mixed_lines (places k) o (curve_bounds k))) in *.
    destruct (up (proofs k)) as [V|V g|V c0|V g start|V g start boxes|V c0 start boxes|V returns boxes|V g start
      boxes];
      try discriminate; cbn [snd] in Hup.
    + apply (polygon_by_cover_correct m line (mixture_of o) Hm HG) with V g start boxes; try assumption.
      now apply line_for_below.
    + apply (polygon_by_cell_cover_correct m line (mixture_of o) Hm HG) with V c0 start boxes; try assumption.
      now apply line_for_below.
    + apply (polygon_by_returns_correct m line (mixture_of o) Hm HG) with V returns boxes; try assumption.
      now apply line_for_below.
    + apply (polygon_by_contraction_correct m line (mixture_of o) Hm HG) with V g start boxes; try assumption.
      now apply line_for_below.
Qed.

(** The driver's two questions agree. *)
Lemma verdict_curved_none_iff (m : model) (o : mixture) (c : claim) (k : curved) : verdict_curved m o c k = None <->
  check_curved m o c k = true.
Proof. apply no_failure_iff. Qed.
