(** * Quantiles: the tests are sound

    [quantile_by_threshold_correct]: an accepted upper bound is at least the quantile of every policy.
    [quantile_by_policy_correct]: an accepted lower bound is at most the quantile of the policy in the certificate. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check Meaning ModelFacts RatFacts
  TablesBelow TablesAbove Budgets Means CostBounds.
Import ListNotations.
Open Scope R_scope.

(** The greatest lower bound of a set that has an element and a lower bound. *)
Lemma real_Glb_bounds (P : R -> Prop) x0 x1 : P x1 -> (forall x, P x -> x0 <= x) -> x0 <= real (Glb_Rbar P) <= x1.
Proof.
  intros H1 H0. destruct (Glb_Rbar_correct P) as [Hlb Hgreatest].
  assert (Hge : Rbar_le (Finite x0) (Glb_Rbar P)) by (apply Hgreatest; intros x Hx; apply H0, Hx).
  assert (Hle : Rbar_le (Glb_Rbar P) (Finite x1)) by (apply Hlb, H1).
  destruct (Glb_Rbar P) as [y| |]; cbn in *; [lra | contradiction | contradiction].
Qed.

(** The probability of staying below [x]. *)
Definition prob_below (d : dist R) (x : R) : R := E d (fun z => if Rlt_dec 0 (x - z) then 1 else 0).

Lemma cdf_le_prob_below d x y : nonneg d -> y < x -> cdf d y <= prob_below d x.
Proof.
  intros Hd Hy. apply E_le; [assumption|]. intros z. unfold ind. destruct (Rle_dec z y), (Rlt_dec 0 (x - z)); lra.
Qed.

Section Quantiles.
  Variables (m : model) (alpha : rat) (is_upper : bool).
  Hypothesis Hm : good_model m = true.
  Hypothesis Halpha : good_quantile alpha is_upper = true.
  Let M := meaning m.
  Let A := real_of alpha.

  Lemma quantile_facts : ok alpha /\ if is_upper then 0 <= A < 1 else 0 < A <= 1.
  Proof.
    unfold good_quantile in Halpha. apply andb_true_iff in Halpha. destruct Halpha as [Hd H]. apply Z.ltb_lt in Hd.
    split; [exact Hd|].
    pose proof (ok_pos alpha Hd) as Hpos. unfold A, real_of.
    destruct is_upper; apply andb_true_iff in H; destruct H as [H1 H2]; rewrite ?Z.ltb_lt, ?Z.leb_le in *; split.
    - apply Rmult_le_pos; [now apply IZR_le|]. left; now apply Rinv_0_lt_compat.
    - apply Rmult_lt_reg_r with (IZR (den alpha)); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      apply IZR_lt in H2. lra.
    - apply Rdiv_lt_0_compat; [now apply IZR_lt | assumption].
    - apply Rmult_le_reg_r with (IZR (den alpha)); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      apply IZR_le in H2. lra.
  Qed.

  (** The set whose greatest lower bound is the quantile. *)
  Definition reached (d : dist R) (x : R) : Prop := if is_upper then A < cdf d x else A <= cdf d x.

  Lemma value_reached d : value_of (Quantile alpha is_upper) d = real (Glb_Rbar (reached d)).
  Proof. unfold value_of, reached, quantile, A. destruct is_upper; reflexivity. Qed.

  Lemma reached_bounds d : is_law d -> exists x0 x1, reached d x1 /\ forall x, reached d x -> x0 <= x.
  Proof.
    intros Hd. destruct (bounded_law d) as [lo [hi [_ B]]]. exists lo, hi. destruct quantile_facts as [_ HA].
    unfold reached. split.
    - rewrite cdf_above; [|assumption | revert B; apply as_impl; intros; lra]. destruct is_upper; lra.
    - intros x Hx. destruct (Rle_dec lo x) as [|Hn]; [assumption|]. exfalso.
      rewrite cdf_below in Hx; [destruct is_upper; lra|]. revert B. apply as_impl. intros; lra.
  Qed.

  Lemma value_ge d bound : is_law d -> (if is_upper then prob_below d bound <= A else prob_below d bound < A) ->
    bound <= value_of (Quantile alpha is_upper) d.
  Proof.
    intros Hd H. rewrite value_reached. destruct (reached_bounds d Hd) as [x0 [x1 [H1 _]]].
    apply (real_Glb_bounds (reached d) bound x1); [assumption|]. intros x Hx.
    destruct (Rle_dec bound x) as [|Hn]; [assumption|]. exfalso. apply Rnot_le_lt in Hn.
    pose proof (cdf_le_prob_below d bound x (proj1 Hd) Hn). unfold reached in Hx. destruct is_upper; lra.
  Qed.

  Lemma value_le d bound : is_law d -> reached d bound -> value_of (Quantile alpha is_upper) d <= bound.
  Proof.
    intros Hd H. rewrite value_reached. destruct (reached_bounds d Hd) as [x0 [x1 [_ H0]]].
    now apply (real_Glb_bounds (reached d) x0 bound).
  Qed.

  Lemma not_rat_le p q : ok p -> ok q -> rat_le p q = false -> real_of q < real_of p.
  Proof.
    intros Hp Hq H. pose proof (ok_pos p Hp). pose proof (ok_pos q Hq). unfold rat_le in H. apply Z.leb_gt, IZR_lt in H.
    rewrite !mult_IZR in H.
    unfold real_of. apply Rmult_lt_reg_r with (IZR (den p) * IZR (den q)); [now apply Rmult_lt_0_compat|].
    replace (IZR (num p) / IZR (den p) * (IZR (den p) * IZR (den q))) with (IZR (num p) * IZR (den q)) by (field; lra).
    replace (IZR (num q) / IZR (den q) * (IZR (den p) * IZR (den q))) with (IZR (num q) * IZR (den p)) by (field; lra).
    lra.
  Qed.

  Theorem quantile_by_policy_correct V g start choices bound : ok bound ->
    quantile_by_policy m V g start choices alpha is_upper bound = true ->
    real_of bound <= value_of (Quantile alpha is_upper) (jreturn_law M (policy_of m (ByBudget V g start choices))).
  Proof.
    intros Hb H. unfold quantile_by_policy in H. apply andb_true_iff in H. destruct H as [HV H]. apply Z.ltb_lt in HV.
    set (shift := rminus bound (rmult (unit_size g) (of_Z start))) in *.
    destruct (policy_cost m g start choices (threshold_cost V true) shift) as [x|] eqn:Ex; [|discriminate].
    destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]]. destruct quantile_facts as [Hoka _].
    assert (Hg : good_grid g = true).
    { unfold policy_cost in Ex. destruct (windows g) as [|[lo hi] ws]; [discriminate|].
      destruct (window_after _ _) as [[lo' hi']|]; [|discriminate].
      destruct ((start <=? hi)%Z && good_grid g) eqn:Et; [|discriminate]. now apply andb_true_iff in Et. }
    destruct (grid_positive g Hg) as [_ [Hu2 _]]. pose proof (IZR_lt _ _ HV) as HV'. pose proof (IZR_lt _ _ G4) as G4'.
    assert (Hoku : ok (rmult (unit_size g) (of_Z start))) by (apply ok_rmult; [exact Hu2 | apply ok_of_Z]).
    assert (Hshift : ok shift) by now apply ok_rminus.
    set (pi := policy_of m (ByBudget V g start choices)).
    assert (Hlaw : is_law (jreturn_law M pi))
      by (apply law_jreturn; [now apply is_jmdp_meaning | apply is_jpolicy_playing]).
    apply value_ge; [assumption|].
    set (Fc := fun y => if Rlt_dec 0 y then IZR V else 0).
    assert (Fc_mono : forall y z, y <= z -> Fc y <= Fc z)
      by (intros y z Hyz; unfold Fc; destruct (Rlt_dec 0 y), (Rlt_dec 0 z); lra).
    assert (Hcost : forall y, ok y -> Fc (real_of y) <= IZR (threshold_cost V true y)).
    { intros y Hy. unfold Fc, threshold_cost. destruct (Rlt_dec 0 (real_of y)) as [Hp|Hp].
      - apply (real_of_sign y Hy) in Hp. apply Z.ltb_lt in Hp. rewrite Hp. lra.
      - destruct (0 <? num y)%Z; lra. }
    pose proof (policy_cost_above m g Hm Hg Fc Fc_mono (threshold_cost V true) Hcost V start choices shift Hshift x Ex)
      as Hle.
    assert (Hp : prob_below (jreturn_law M pi) (real_of bound) <= real_of (Rat x (V * initial_den m))).
    { apply Rmult_le_reg_l with (IZR V); [assumption|]. unfold prob_below. rewrite <- E_scal.
      eapply Rle_trans; [|eapply Rle_trans; [exact Hle|]].
      - right. fold M. fold pi. apply E_ext. intros z. unfold Fc, shift.
        rewrite real_rminus, real_rmult, real_of_Z by auto using ok_of_Z.
        replace (real_of (unit_size g) * IZR start - z + (real_of bound - real_of (unit_size g) * IZR start))
          with (real_of bound - z) by ring.
        destruct (Rlt_dec 0 (real_of bound - z)); ring.
      - right. unfold real_of; cbn [num den]. rewrite mult_IZR. field. lra. }
    assert (Hokx : ok (Rat x (V * initial_den m))) by (unfold ok; cbn [den]; now apply Z.mul_pos_pos).
    unfold A. destruct is_upper.
    - apply rat_le_correct in H; [lra | assumption | assumption].
    - apply negb_true_iff in H. apply not_rat_le in H; [lra | assumption | assumption].
  Qed.

  Theorem quantile_by_threshold_correct V g start bound pi : ok bound ->
    quantile_by_threshold m V g start alpha is_upper bound = true -> is_jpolicy pi -> plays_allowed M pi ->
    value_of (Quantile alpha is_upper) (jreturn_law M pi) <= real_of bound.
  Proof.
    intros Hb H Hpi Hal. unfold quantile_by_threshold in H.
    destruct (windows g) as [|[lo hi] ws] eqn:Ew; [discriminate|]. rewrite <- Ew in H.
    destruct (window_after (windows g) (steps m)) as [[lo' hi']|] eqn:Elast; [|discriminate].
    set (terminal := terminal_row (threshold_cost V false) (unit_after g (unit_size g) (steps m)) (of_Z 0) lo' hi')
      in *.
    repeat rewrite andb_true_iff in H. destruct H as [[[[[HV Hg] Hlo] Hbot] Hstart] H].
    apply Z.ltb_lt in HV. apply Z.leb_le in Hlo. destruct quantile_facts as [Hoka _].
    destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]]. destruct (grid_positive g Hg) as [_ [Hu2 _]].
    pose proof (IZR_lt _ _ HV) as HV'. pose proof (IZR_lt _ _ G4) as G4'.
    assert (Hlaw : is_law (jreturn_law M pi)) by (apply law_jreturn; [now apply is_jmdp_meaning | assumption]).
    apply value_le; [assumption|].
    set (Fc := fun y => if Rle_dec 0 y then IZR V else 0).
    assert (Fc_mono : forall y z, y <= z -> Fc y <= Fc z)
      by (intros y z Hyz; unfold Fc; destruct (Rle_dec 0 y), (Rle_dec 0 z); lra).
    assert (Hcost : forall y, ok y -> IZR (threshold_cost V false y) <= Fc (real_of y)).
    { intros y Hy. unfold Fc, threshold_cost.
      destruct (Z.leb_spec 0 (num y)) as [Hp|Hp]; destruct (Rle_dec 0 (real_of y)) as [Hr|Hr]; try lra.
      exfalso. apply Hr. unfold real_of. apply Rmult_le_pos; [now apply IZR_le|]. left. apply Rinv_0_lt_compat.
      now apply ok_pos. }
    assert (Hfirst : nth_error (windows g) 0 = Some (lo, hi)) by now rewrite Ew.
    assert (Hfloor : (forall y, IZR 0 <= Fc y) \/
      (IZR 0 <= Fc (real_of (unit_after g (unit_size g) (steps m)) * IZR lo') /\
        all_never_below m g (rate_0 m g) (windows g) (steps m) = true)).
    { left. intros y. unfold Fc. destruct (Rle_dec 0 y); lra. }
    pose proof (table_below_return m g Hm Hg Fc Fc_mono
      (threshold_cost V false) Hcost 0 lo hi lo' hi' Hfirst Elast Hbot Hfloor pi start Hpi Hal Hlo) as HL.
    fold terminal in HL. set (v := table_below m g (rate_0 m g) 0 terminal (windows g) (steps m)) in *.
    change (zsum (fun sw => snd sw * look 0 lo (row_at v (fst sw)) start)%Z (initial m))
      with (start_look m 0 lo v start) in HL.
    assert (Hstart' : real_of (unit_size g) * IZR start <= real_of bound).
    { apply rat_le_correct in Hstart; [|apply ok_rmult; [exact Hu2 | apply ok_of_Z] | assumption].
      now rewrite real_rmult, real_of_Z in Hstart by auto using ok_of_Z. }
    assert (Hp : real_of (Rat (start_look m 0 lo v start) (V * initial_den m)) <=
      cdf (jreturn_law M pi) (real_of bound)).
    { apply Rmult_le_reg_l with (IZR V); [assumption|]. eapply Rle_trans; [|eapply Rle_trans; [exact HL|]].
      - right. unfold real_of; cbn [num den]. rewrite mult_IZR. field. lra.
      - unfold cdf. rewrite <- E_scal. apply E_le; [apply Hlaw|]. intros z. unfold Fc, ind.
        destruct (Rle_dec 0 (real_of (unit_size g) * IZR start - z)), (Rle_dec z (real_of bound)); lra. }
    assert (Hokx : ok (Rat (start_look m 0 lo v start) (V * initial_den m)))
      by (unfold ok; cbn [den]; now apply Z.mul_pos_pos).
    unfold reached, A. destruct is_upper.
    - apply negb_true_iff in H. apply not_rat_le in H; [lra | assumption | assumption].
    - apply rat_le_correct in H; [lra | assumption | assumption].
  Qed.
End Quantiles.
