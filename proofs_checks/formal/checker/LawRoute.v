(** * Lower bounds from the forward pass: the tests are sound

    [weighted_by_law_correct] and [quantile_by_law_correct]: an accepted lower bound is at most the objective, or
    the quantile, of the policy in the certificate. [law_avoids_correct]: its CDF has no value in the gaps that were
    tested. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts RockafellarUryasev JointModel Rows Tree
  Program Check PolygonCheck LawCheck Meaning ModelFacts RatFacts TablesAbove Budgets Means CostBounds TailObjective
  TailRoute QuantileRoute PolygonObjective Machines ForwardLaw.
Import ListNotations.
Open Scope R_scope.

(** ** Sorting changes no sum *)

Fixpoint lsum (f : Z -> Z -> R) (ls : list (list entry)) : R := match ls
  with [] => 0 | l :: ls' => esum f l + lsum f ls' end.
Definition all_masses (ls : list (list entry)) : Prop := forall l, In l ls -> masses_nonneg l.

Lemma merge_pairs_correct f n : forall ls, (length ls <= n)%nat ->
  lsum f (merge_pairs ls) = lsum f ls /\ (all_masses ls -> all_masses (merge_pairs ls)).
Proof.
  induction n as [|n IH]; intros ls Hn; [destruct ls; [split; auto | cbn in Hn; lia]|].
  destruct ls as [|a [|b ls]]; [split; auto | split; auto|]. cbn [merge_pairs lsum].
  destruct (IH ls ltac:(cbn in Hn; lia)) as [I1 I2]. rewrite esum_merge, I1. split; [ring|]. intros H l [<-|Hin].
  - apply nonneg_merge; apply H; [now left | right; now left].
  - apply I2; [|assumption]. intros l0 Hl0. apply H. right; now right.
Qed.

Lemma sorted_correct f l : esum f (sorted l) = esum f l /\ (masses_nonneg l -> masses_nonneg (sorted l)).
Proof.
  unfold sorted. set (k := 40%nat). set (ls := map (fun e => [e]) l).
  assert (H0 : lsum f ls = esum f l /\ (masses_nonneg l -> all_masses ls)).
  { unfold ls. split.
    - induction l as [|[[a y] p] l IH]; cbn [map lsum esum]; [reflexivity|]. rewrite IH. ring.
    - intros H x Hin. apply in_map_iff in Hin. destruct Hin as [e [<- He]]. intros k0 p [Heq|[]]. apply (H k0).
      now rewrite <- Heq. }
  assert (Hi : lsum f (Nat.iter k merge_pairs ls) = lsum f ls /\
    (all_masses ls -> all_masses (Nat.iter k merge_pairs ls))).
  { induction k as [|k IH]; [split; auto|]. cbn [Nat.iter nat_rect]. fold (Nat.iter k merge_pairs ls).
    destruct (merge_pairs_correct f _ (Nat.iter k merge_pairs ls) (le_n _)) as [M1 M2].
    split; [now rewrite M1 | intros H; apply M2, IH, H]. }
  destruct Hi as [Hi1 Hi2]. destruct H0 as [H1 H2].
  assert (Hf : forall ls, esum f (fold_right merge [] ls) = lsum f ls /\
    (all_masses ls -> masses_nonneg (fold_right merge [] ls))).
  { clear. induction ls as [|l ls [I1 I2]]; cbn [fold_right lsum]; [split; [reflexivity | intros _ k p []]|].
    rewrite esum_merge, I1. split; [reflexivity|].
    intros H. apply nonneg_merge; [apply H; now left | apply I2; intros l0 Hl0; apply H; now right]. }
  destruct (Hf (Nat.iter k merge_pairs ls)) as [F1 F2].
  split; [now rewrite F1, Hi1, H1 | intros H; apply F2, Hi2, H2, H].
Qed.

(** ** Layers *)

Definition at_least (d : dist R) (c : R) : R := E d (fun z => if Rle_dec c z then 1 else 0).

Lemma layers_order wa V l : forall y x, layers wa V y l = Some x -> forall k p, In (k, p) l -> (y <= snd k)%Z.
Proof.
  induction l as [|[[a z] p] l IH]; intros y x H k p0 Hin; [destruct Hin|]. cbn [layers] in H.
  destruct (Z.leb_spec y z) as [Hyz|]; [|discriminate]. destruct (layers wa V z l) as [x'|] eqn:Ex; [|discriminate].
  destruct Hin as [Heq|Hin]; [injection Heq as <- _; exact Hyz|]. specialize (IH z x' Ex k p0 Hin). lia.
Qed.

Lemma mass_of_esum l : IZR (mass_of l) = esum (fun _ _ => 1) l.
Proof. induction l as [|[[a y] p] l IH]; cbn [mass_of esum snd]; [reflexivity|]. rewrite plus_IZR, IH. ring. Qed.

Section Layers.
  Variables (G : R -> R) (d : dist R) (V : Z) (D : R) (wa : rat -> rat).
  Hypothesis HG : weighting G.
  Hypothesis Hd : is_law d.
  Hypothesis HV : (0 < V)%Z.
  Hypothesis HD : 0 < D.
  Hypothesis Hwa : forall tau, ok tau -> 0 <= real_of tau <= 1 -> ok (wa tau) /\ G (real_of tau) <= real_of (wa tau).

  Lemma layers_le lo hi : lo <= hi -> almost_surely d (fun z => lo <= z <= hi) -> forall l y x,
    masses_nonneg l -> (forall z : Z, esum (fun _ yy => if (z <=? yy)%Z then 1 else 0) l <=
      IZR V * at_least d (IZR z / D)) ->
    layers wa V y l = Some x -> lo <= IZR y / D <= hi -> (forall k p, In (k, p) l -> IZR (snd k) / D <= hi) ->
    IZR x / (D * IZR V) <= RInt (fun x => 1 - G (cdf d x)) (IZR y / D) hi.
  Proof.
    intros Hlh B. pose proof (IZR_lt _ _ HV) as HV'.
    assert (Hex : ex_RInt (fun x => 1 - G (cdf d x)) lo hi).
    { apply (ex_RInt_minus (V := R_NormedModule)); [apply ex_RInt_const | now apply ex_RInt_weighted_cdf]. }
    assert (Hsub : forall a b, lo <= a -> a <= b -> b <= hi -> ex_RInt (fun x => 1 - G (cdf d x)) a b).
    { intros a b H1 H2 H3. apply (ex_RInt_Chasles_1 (V := R_CompleteNormedModule)) with hi; [lra|].
      apply (ex_RInt_Chasles_2 (V := R_CompleteNormedModule)) with lo; [lra | assumption]. }
    assert (Hnn : forall x, 0 <= 1 - G (cdf d x)).
    { intros x. pose proof (cdf_range d x Hd).
      pose proof (weighting_mono G HG (cdf d x) 1 ltac:(lra) ltac:(lra) ltac:(lra)). rewrite (weighting_1 G HG) in H0.
      lra. }
    induction l as [|[[a z] p] l IH]; intros y x Hm Hmass H Hy Hplaces; cbn [layers] in H.
    - injection H as <-. replace (0 / (D * IZR V)) with 0 by (unfold Rdiv; ring).
      replace 0 with (RInt (fun _ : R => 0) (IZR y / D) hi)
        by (rewrite RInt_const; unfold scal; cbn; unfold mult; cbn; ring).
      apply RInt_le; [lra | apply ex_RInt_const | apply Hsub; lra | intros; apply Hnn].
    - destruct (Z.leb_spec y z) as [Hyz|]; [|discriminate]. destruct (layers wa V z l) as [x'|] eqn:Ex; [|discriminate].
      injection H as <-.
      assert (Hz : IZR z / D <= hi) by (apply (Hplaces (a, z) p); now left).
      assert (Hyz' : IZR y / D <= IZR z / D) by (apply Rmult_le_compat_r;
        [left; now apply Rinv_0_lt_compat | now apply IZR_le]).
      assert (Hp : (0 <= p)%Z) by (apply (Hm (a, z)); now left).
      assert (Hml : masses_nonneg l) by (intros k0 p0 Hin; apply (Hm k0); now right).
      assert (Hrest : IZR x' / (D * IZR V) <= RInt (fun x => 1 - G (cdf d x)) (IZR z / D) hi).
      { apply IH; [assumption | | exact Ex | lra | intros k0 p0 Hin; apply (Hplaces k0 p0); now right].
        intros z0. specialize (Hmass z0). cbn [esum] in Hmass. apply IZR_le in Hp.
        assert (0 <= IZR p * (if (z0 <=? z)%Z then 1 else 0)) by (destruct (z0 <=? z)%Z; lra). lra. }
      set (S := (p + mass_of l)%Z). set (tau := Rat (V - S) V). set (c := rceil (rmult (of_Z V) (wa tau))).
      assert (HS : IZR S <= IZR V * at_least d (IZR z / D)).
      { eapply Rle_trans; [|apply Hmass]. right. cbn [esum]. rewrite Z.leb_refl. unfold S.
        rewrite plus_IZR, mass_of_esum, Rmult_1_r. f_equal.
        pose proof (layers_order wa V l z x' Ex) as Hord. clear - Hord.
        induction l as [|[[b yy] q] l IH]; cbn [esum]; [reflexivity|].
        assert (Hb : (z <= yy)%Z) by (apply (Hord (b, yy) q); now left). destruct (Z.leb_spec z yy); [|lia].
        rewrite IH; [reflexivity|].
        intros k p Hin. apply (Hord k p). now right. }
      assert (HS0 : 0 <= IZR S).
      { unfold S. rewrite plus_IZR, mass_of_esum. apply IZR_le in Hp.
        pose proof (esum_nonneg (fun _ _ => 1) l Hml ltac:(intros; lra)). lra. }
      assert (Hal : 0 <= at_least d (IZR z / D) <= 1).
      { unfold at_least. split; [apply E_nonneg; [apply Hd | intros u; destruct (Rle_dec _ u); lra]|].
        apply E_le_const; [assumption|]. apply as_always. intros u. destruct (Rle_dec _ u); lra. }
      assert (Htau : ok tau /\ real_of tau = 1 - IZR S / IZR V).
      { split; [exact HV|]. unfold tau, real_of; cbn [num den]. rewrite minus_IZR. field. lra. }
      destruct Htau as [Hokt Ht].
      assert (HSV : 0 <= IZR S / IZR V <= at_least d (IZR z / D)).
      { split; [apply Rmult_le_pos; [assumption | left; now apply Rinv_0_lt_compat]|].
        apply Rmult_le_reg_l with (IZR V); [assumption|].
        replace (IZR V * (IZR S / IZR V)) with (IZR S) by (field; lra). exact HS. }
      destruct (Hwa tau Hokt ltac:(rewrite Ht; lra)) as [Hokw Hw].
      assert (Hc : IZR V * G (real_of tau) <= IZR c).
      { unfold c. eapply Rle_trans; [|apply le_rceil; apply ok_rmult; [apply ok_of_Z | assumption]].
        rewrite real_rmult, real_of_Z by auto using ok_of_Z.
        apply Rmult_le_compat_l; [lra | exact Hw]. }
      rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) _ (IZR y / D) (IZR z / D) hi
        (Hsub (IZR y / D) (IZR z / D) ltac:(lra) Hyz' ltac:(lra)) (Hsub (IZR z / D) hi ltac:(lra) Hz ltac:(lra))).
      unfold plus; cbn. rewrite plus_IZR, mult_IZR, !minus_IZR.
      replace (((IZR z - IZR y) * (IZR V - IZR c) + IZR x') / (D * IZR V))
        with ((IZR z / D - IZR y / D) * (1 - IZR c / IZR V) + IZR x' / (D * IZR V)) by (field; lra).
      apply Rplus_le_compat; [|exact Hrest].
      replace ((IZR z / D - IZR y / D) * (1 - IZR c / IZR V))
        with (RInt (fun _ : R => 1 - IZR c / IZR V) (IZR y / D) (IZR z / D))
        by (rewrite RInt_const; unfold scal; cbn; unfold mult; cbn; ring).
      apply RInt_le; [assumption | apply ex_RInt_const | apply Hsub; lra|].
      intros u Hu. assert (HF : cdf d u <= real_of tau).
      { rewrite Ht. assert (cdf d u + at_least d (IZR z / D) <= 1); [|lra]. unfold cdf, at_least. rewrite <- E_plus.
        apply E_le_const; [assumption|].
        apply as_always. intros v. unfold ind. destruct (Rle_dec v u), (Rle_dec (IZR z / D) v); lra. }
      pose proof (cdf_range d u Hd) as Hr.
      pose proof (weighting_mono G HG (cdf d u) (real_of tau) ltac:(lra) HF ltac:(rewrite Ht; lra)) as Hmono.
      assert (G (real_of tau) <= IZR c / IZR V); [|lra]. apply Rmult_le_reg_l with (IZR V); [assumption|].
      replace (IZR V * (IZR c / IZR V)) with (IZR c) by (field; lra). exact Hc.
  Qed.

  Theorem layers_Phi l y x : masses_nonneg l -> almost_surely d (fun z => IZR y / D <= z) ->
    (forall z : Z, esum (fun _ yy => if (z <=? yy)%Z then 1 else 0) l <= IZR V * at_least d (IZR z / D)) ->
    layers wa V y l = Some x -> IZR y / D + IZR x / (D * IZR V) <= Phi G d.
  Proof.
    intros Hm Hlow Hmass H. destruct (bounded_law d) as [lo0 [hi0 [Hle0 B0]]].
    assert (Hhi : exists hi, hi0 <= hi /\ IZR y / D <= hi /\ forall k p, In (k, p) l -> IZR (snd k) / D <= hi).
    { clear. induction l as [|[[a z] p] l [hi [H1 [H2 H3]]]].
      - exists (Rmax hi0 (IZR y / D)). split; [apply Rmax_l|]. split; [apply Rmax_r | intros k p []].
      - exists (Rmax hi (IZR z / D)). pose proof (Rmax_l hi (IZR z / D)). split; [lra|]. split; [lra|].
        intros k q [Heq|Hin]; [injection Heq as <- _; apply Rmax_r | specialize (H3 k q Hin); lra]. }
    destruct Hhi as [hi [Hhi1 [Hhi2 Hhi3]]]. set (lo := IZR y / D) in *.
    assert (B : almost_surely d (fun z => lo <= z <= hi)).
    { pose proof (as_and _ _ _ Hlow B0) as H3. revert H3. apply as_impl. intros z Hz. lra. }
    rewrite (Phi_eq_hi_minus_area G d lo hi HG Hd Hhi2 B).
    pose proof (layers_le lo hi Hhi2 B l y x Hm Hmass H ltac:(fold lo; lra) Hhi3) as Hle. fold lo in Hle.
    assert (Hexw : ex_RInt (fun x => G (cdf d x)) lo hi) by now apply ex_RInt_weighted_cdf.
    assert (Heq : RInt (fun x => 1 - G (cdf d x)) lo hi = (hi - lo) - RInt (fun x => G (cdf d x)) lo hi).
    { apply is_RInt_unique.
      replace (hi - lo - RInt (fun x => G (cdf d x)) lo hi)
        with (minus (scal (hi - lo) 1) (RInt (fun x => G (cdf d x)) lo hi))
        by (unfold minus, plus, opp, scal; cbn; unfold mult; cbn; ring).
      apply (is_RInt_minus (V := R_NormedModule));
        [apply (is_RInt_const (V := R_NormedModule)) | now apply (RInt_correct (V := R_CompleteNormedModule))]. }
    lra.
  Qed.
End Layers.

(** ** The tests *)

Section Route.
  Variables (m : model) (V mix_den : Z) (parts : list (Z * machine)).
  Hypothesis Hm : good_model m = true.
  Let M := meaning m.
  Let T := length (steps m).
  Let D := den_at m T.
  Let q := den (discount_rate m).

  Lemma final_den_correct sts : forall d, IZR (final_den m d sts) = IZR d * IZR q ^ length sts.
  Proof.
    induction sts as [|st sts IH]; intros d; cbn [final_den length pow]; [ring|]. rewrite IH, mult_IZR. fold q. ring.
  Qed.

  Lemma final_den_D : IZR (final_den m (reward_den m) (steps m)) = D.
  Proof. apply final_den_correct. Qed.

  Definition most_lost (st : step) : Z := tlargest (largest (fun a => largest (fun o => - gain o)%Z (outcomes a))) st.
  Fixpoint least_at (t : nat) : Z :=
    match t with
    | O => 0%Z
    | S t' => match nth_error (steps m) t' with Some st => (q * (least_at t' - pt_at m t' * most_lost st))%Z | None =>
      0%Z end
    end.

  Lemma least_return_at sts : forall t, skipn t (steps m) = sts -> (t + length sts = T)%nat ->
    least_return m (pt_at m t) (least_at t) sts = least_at T.
  Proof.
    induction sts as [|st sts IH]; intros t Hs Hlen; cbn [least_return].
    - cbn in Hlen. now replace t with T by lia.
    - destruct (skipn_cons _ _ _ _ Hs) as [Hst Hrest]. rewrite pt_step.
      replace (den (discount_rate m) * (least_at t -
        pt_at m t * tlargest (largest (fun a => largest (fun o => - gain o)%Z (outcomes a))) st))%Z
        with (least_at (S t)) by (cbn [least_at]; rewrite Hst; reflexivity).
      apply IH; [assumption | cbn in Hlen; lia].
  Qed.

  Theorem earned_ge_least pi : almost_surely (jreturn_law M pi) (fun z => IZR (least_return m 1 0 (steps m)) / D <= z).
  Proof.
    change (least_return m 1 0 (steps m)) with (least_return m (pt_at m 0) (least_at 0) (steps m)).
    rewrite (least_return_at (steps m) 0 eq_refl eq_refl).
    unfold jreturn_law. apply as_image. apply as_H. intros s.
    pose (P := fun h : jhistory positive Z Z => IZR (least_at (jtime h)) / den_at m (jtime h) <= earned M (fst h)).
    assert (Has : almost_surely (jrun M pi T ([], s)) (fun h' => P h' /\ jtime h' = (0 + T)%nat)).
    { apply (as_jrun M pi P T); [|cbn; lia|].
      2:{ unfold P; cbn. unfold Rdiv. rewrite Rmult_0_l. lra. }
      intros h0 a os p Ht HP Hin. unfold P in *. set (t := jtime h0) in *. change (jtime (jextend h0 a os)) with (S t).
      change (jhorizon M) with (length (steps m)) in Ht.
      destruct (nth_error (steps m) t) as [st|] eqn:Est; [|apply nth_error_None in Est; lia].
      cbn [least_at]. rewrite Est.
      replace (least_at t - pt_at m t * most_lost st)%Z with (least_at t + (- most_lost st) * pt_at m t)%Z by lia.
      rewrite (return_step m Hm). unfold jextend. cbn [fst earned]. change (length (fst h0)) with t.
      change (discount M) with (real_of (discount_rate m)).
      change (worth M (fst os)) with (IZR (fst os) / IZR (reward_den m)).
      assert (Hlab : (- most_lost st <= fst os)%Z).
      { destruct (in_kernel m t (jstate h0) a os p Hin) as [->|[act [o [Hact [Ho ->]]]]]; cbn [fst];
          [pose proof (tlargest_nonneg (largest (fun a => largest (fun o => - gain o)%Z (outcomes a))) st);
          unfold most_lost; lia|].
        unfold actions_at in Hact. rewrite Est in Hact.
        destruct (get (jstate h0) st) as [acts|] eqn:Eacts; [|discriminate].
        pose proof (tlargest_get (largest (fun a => largest (fun o => - gain o)%Z (outcomes a))) st _ _ Eacts) as H1.
        pose proof (largest_ge (fun a => largest (fun o => - gain o)%Z (outcomes a)) acts act (znth_In _ _ _ Hact))
          as H2.
        pose proof (largest_ge (fun o => - gain o)%Z (outcomes act) o Ho) as H3. unfold most_lost. cbn beta in *. lia. }
      destruct (good_facts m Hm) as [G1 [G2 [G3 _]]]. apply IZR_lt in G3. apply IZR_le in Hlab.
      apply Rplus_le_compat; [exact HP|]. apply Rmult_le_compat_l; [left; now apply (gamma_pos m Hm)|].
      apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | exact Hlab]. }
    revert Has. apply as_impl. intros h [HP Ht]. unfold P in HP. rewrite Ht in HP. exact HP.
  Qed.

  Lemma entries_at_least es : (0 < V)%Z -> good_parts mix_den parts = true ->
    mixed_entries m V mix_den parts = Some es ->
    masses_nonneg es /\ forall c, esum (fun _ y => if Rle_dec c (IZR y / D) then 1 else 0) es <=
      IZR V * at_least (jreturn_law M (mixture_policy m mix_den parts)) c.
  Proof.
    intros HV Hp Hes. destruct (mixed_entries_below m V mix_den parts Hm HV Hp es Hes) as [N1 B1]. split; [assumption|].
    intros c.
    apply (B1 (fun z => if Rle_dec c z then 1 else 0)). intros x. destruct (Rle_dec c x); lra.
  Qed.

  Theorem weighted_by_law_correct G wa bound : weighting G -> ok bound ->
    (forall tau, ok tau -> 0 <= real_of tau <= 1 -> ok (wa tau) /\ G (real_of tau) <= real_of (wa tau)) ->
    weighted_by_law m V mix_den parts wa bound = true ->
    good_parts mix_den parts = true /\ real_of bound <= Phi G (jreturn_law M (mixture_policy m mix_den parts)).
  Proof.
    intros HG Hb Hwa H. unfold weighted_by_law in H. repeat rewrite andb_true_iff in H. destruct H as [[HV Hp] H].
    apply Z.ltb_lt in HV.
    destruct (mixed_entries m V mix_den parts) as [es|] eqn:Ees; [|discriminate].
    destruct (layers wa V (least_return m 1 0 (steps m)) (sorted es)) as [x|] eqn:Ex; [|discriminate].
    split; [assumption|].
    set (d := jreturn_law M (mixture_policy m mix_den parts)).
    assert (Hd : is_law d) by (apply law_jreturn; [now apply is_jmdp_meaning | now apply is_jpolicy_mixture]).
    assert (HD : 0 < D) by now apply den_pos. destruct (entries_at_least es HV Hp Ees) as [N1 B1].
    pose proof final_den_D as Hfd. set (dd := final_den m (reward_den m) (steps m)) in *.
    assert (Hdd : (0 < dd)%Z) by (apply lt_IZR; rewrite Hfd; exact HD).
    pose proof (IZR_lt _ _ HV) as HV'.
    apply rat_le_correct in H; [|assumption | apply ok_rplus; unfold ok; cbn [den];
      [assumption | now apply Z.mul_pos_pos]].
    rewrite real_rplus in H by (unfold ok; cbn [den]; try apply Z.mul_pos_pos; assumption). unfold real_of at 2 3 in H.
    cbn [num den] in H. rewrite mult_IZR, Hfd in H.
    eapply Rle_trans; [exact H|].
    apply (layers_Phi G d V D wa HG Hd HV HD Hwa (sorted es));
      [apply (sorted_correct (fun _ _ => 0)); assumption | apply earned_ge_least | | exact Ex].
    intros z. rewrite (proj1 (sorted_correct _ es)). eapply Rle_trans; [|apply (B1 (IZR z / D))]. right. apply esum_ext.
    intros _ y.
    destruct (Z.leb_spec z y) as [Hzy|Hzy], (Rle_dec (IZR z / D) (IZR y / D)) as [Hr|Hr]; try reflexivity; exfalso.
    - apply Hr. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | now apply IZR_le].
    - apply IZR_lt in Hzy. apply Rmult_le_compat_r with (r := D) in Hr; [|lra]. unfold Rdiv in Hr.
      rewrite !Rmult_assoc, Rinv_l in Hr by lra. lra.
  Qed.

  (** *** The exact law *)

  Lemma sums_avoid_order bad l : forall acc y, sums_avoid bad acc y l = true -> forall k p,
    In (k, p) l -> (y <= snd k)%Z.
  Proof.
    induction l as [|[[a z] p] l IH]; intros acc y H k p0 Hin; [destruct Hin|]. cbn [sums_avoid] in H.
    repeat rewrite andb_true_iff in H. destruct H as [_ [H1 H2]].
    apply Z.leb_le in H1. destruct Hin as [Heq|Hin]; [injection Heq as <- _; exact H1|].
    specialize (IH _ z H2 k p0 Hin). lia.
  Qed.

  Lemma sums_avoid_correct bad x l : 0 < D -> forall acc y, sums_avoid bad acc y l = true ->
    exists c, bad c = false /\ IZR c = IZR acc + esum (fun _ yy => if Rle_dec (IZR yy / D) x then 1 else 0) l.
  Proof.
    intros HD. induction l as [|[[a z] p] l IH]; intros acc y H; pose proof H as H0; cbn [sums_avoid] in H;
      apply andb_true_iff in H; destruct H as [Hbad H]; apply negb_true_iff in Hbad.
    - exists acc. split; [assumption|]. cbn [esum]. lra.
    - apply andb_true_iff in H. destruct H as [_ H]. cbn [esum]. destruct (Rle_dec (IZR z / D) x) as [Hle|Hgt].
      + destruct (IH _ z H) as [c [C1 C2]]. exists c. split; [assumption|]. rewrite C2, plus_IZR. ring.
      + exists acc. split; [assumption|].
        assert (Hz : esum (fun _ yy => if Rle_dec (IZR yy / D) x then 1 else 0) l = 0); [|rewrite Hz; ring].
        pose proof (sums_avoid_order bad l _ z H) as Hord. clear - Hord Hgt HD.
        induction l as [|[[b yy] q0] l IH]; cbn [esum]; [reflexivity|].
        assert (Hb : (z <= yy)%Z) by (apply (Hord (b, yy) q0); now left). destruct (Rle_dec (IZR yy / D) x) as [Hle|_].
        * exfalso. apply Hgt. eapply Rle_trans; [|exact Hle].
          apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | now apply IZR_le].
        * rewrite IH; [ring|]. intros k p0 Hin. apply (Hord k p0). now right.
  Qed.

  Theorem law_avoids_correct gaps gap x : law_avoids m V mix_den parts gaps = true -> In gap gaps -> ok (fst gap) ->
    ok (snd gap) ->
    let F := cdf (jreturn_law M (mixture_policy m mix_den parts)) x in real_of (fst gap) < F -> real_of (snd gap) <= F.
  Proof.
    intros H Hgap Hok1 Hok2. unfold law_avoids in H. repeat rewrite andb_true_iff in H. destruct H as [[HV Hp] H].
    apply Z.ltb_lt in HV.
    destruct (mixed_entries m V mix_den parts) as [es|] eqn:Ees; [|discriminate]. apply andb_true_iff in H.
    destruct H as [Hmass H]. apply Z.eqb_eq in Hmass.
    cbn zeta in H. apply forallb_forall with (x := gap) in H; [|assumption].
    set (d := jreturn_law M (mixture_policy m mix_den parts)). cbn zeta.
    assert (Hd : is_law d) by (apply law_jreturn; [now apply is_jmdp_meaning | now apply is_jpolicy_mixture]).
    assert (HD : 0 < D) by now apply den_pos. pose proof (IZR_lt _ _ HV) as HV'.
    destruct (mixed_entries_below m V mix_den parts Hm HV Hp es Ees) as [_ B1]. fold M in B1. fold d in B1.
    destruct (sums_avoid_correct _ x (sorted es) HD _ _ H) as [c [C1 C2]].
    rewrite (proj1 (sorted_correct _ es)), Rplus_0_l in C2.
    assert (Hlow : esum (fun _ yy => if Rle_dec (IZR yy / D) x then 1 else 0) es <=
      IZR V * E d (fun z => if Rle_dec z x then 1 else 0)).
    { apply (B1 (fun z => if Rle_dec z x then 1 else 0)). intros z. destruct (Rle_dec z x); lra. }
    assert (Hhigh : esum (fun _ yy => 1 - (if Rle_dec (IZR yy / D) x then 1 else 0)) es <=
      IZR V * E d (fun z => 1 - (if Rle_dec z x then 1 else 0))).
    { apply (B1 (fun z => 1 - (if Rle_dec z x then 1 else 0))). intros z. destruct (Rle_dec z x); lra. }
    assert (Hc : IZR c = IZR V * cdf d x).
    { assert (E1 : E d (fun z => if Rle_dec z x then 1 else 0) = cdf d x) by reflexivity.
      assert (E2 : E d (fun z => 1 - (if Rle_dec z x then 1 else 0)) = 1 - cdf d x).
      { rewrite <- E1. rewrite (E_ext d _ (fun z => (fun _ => 1) z + (-1) * (if Rle_dec z x then 1 else 0)))
          by (intros; ring). rewrite E_plus, E_scal. replace (E d (fun _ => 1)) with 1 by (symmetry; apply Hd). ring. }
      assert (E3 : esum (fun _ y => 1 - (if Rle_dec (IZR y / D) x then 1 else 0)) es = IZR V - IZR c).
      { rewrite C2, <- Hmass, mass_of_esum. clear. induction es as [|[[a y] p] es IH]; cbn [esum]; [ring|]. rewrite IH.
        ring. }
      rewrite E1, <- C2 in Hlow. rewrite E2, E3 in Hhigh. lra. }
    unfold inside_gap in C1. set (q0 := Rat c V) in *. assert (Hokq : ok q0) by exact HV.
    assert (Hq : real_of q0 = cdf d x) by (unfold q0, real_of; cbn [num den]; rewrite Hc; field; lra).
    intros Hlt. apply andb_false_iff in C1. unfold rat_lt in C1. rewrite !negb_false_iff in C1.
    destruct C1 as [C1|C1]; apply rat_le_correct in C1; try assumption; lra.
  Qed.

  Lemma tail_weight_at_correct w alpha : good_tail w alpha = true -> forall tau, ok tau ->
    ok (tail_weight_at w alpha tau) /\ real_of (tail_weight_at w alpha tau) =
      tail_weight (real_of w) (real_of alpha) (real_of tau).
  Proof.
    intros Ht tau Htau. destruct (tail_facts w alpha Ht) as [H1 [H2 [H3 _]]]. assert (H4 : ok (rinv alpha)) by exact H3.
    assert (H5 : ok (rmult tau (rinv alpha))) by now apply ok_rmult.
    assert (H6 : ok (rmin (rmult tau (rinv alpha)) (of_Z 1))) by (apply ok_rmin; auto using ok_of_Z).
    assert (H7 : ok (rminus (of_Z 1) w)) by auto using ok_rminus, ok_of_Z. unfold tail_weight_at.
    split; [auto using ok_rplus, ok_rmult|].
    rewrite real_rplus, !real_rmult, real_rminus, real_rmin, real_rmult, real_rinv, !real_of_Z by auto using ok_rmult,
      ok_of_Z. reflexivity.
  Qed.

  Theorem quantile_by_law_correct alpha is_upper bound : good_quantile alpha is_upper = true -> ok bound ->
    quantile_by_law m V mix_den parts alpha is_upper bound = true ->
    good_parts mix_den parts = true /\ real_of bound <=
      value_of (Quantile alpha is_upper) (jreturn_law M (mixture_policy m mix_den parts)).
  Proof.
    intros Ha Hb H. unfold quantile_by_law in H. repeat rewrite andb_true_iff in H. destruct H as [[HV Hp] H].
    apply Z.ltb_lt in HV.
    destruct (mixed_entries m V mix_den parts) as [es|] eqn:Ees; [|discriminate]. split; [assumption|].
    set (d := jreturn_law M (mixture_policy m mix_den parts)).
    assert (Hd : is_law d) by (apply law_jreturn; [now apply is_jmdp_meaning | now apply is_jpolicy_mixture]).
    assert (HD : 0 < D) by now apply den_pos. destruct (entries_at_least es HV Hp Ees) as [_ B1].
    pose proof final_den_D as Hfd.
    set (dd := final_den m (reward_den m) (steps m)) in *.
    assert (Hdd : (0 < dd)%Z) by (apply lt_IZR; rewrite Hfd; exact HD). pose proof (IZR_lt _ _ HV) as HV'.
    set (mass := mass_of (filter (fun e => rat_le bound (Rat (snd (fst e)) dd)) es)) in *.
    set (p := Rat (V - mass) V) in *.
    assert (Hmass : IZR mass <= IZR V * at_least d (real_of bound)).
    { eapply Rle_trans; [|apply (B1 (real_of bound))]. right. unfold mass. rewrite mass_of_esum. clear - Hb Hdd Hfd.
      induction es as [|[[a y] w] es IH]; cbn [filter esum]; [reflexivity|]. cbn [fst snd].
      assert (Hoky : ok (Rat y dd)) by exact Hdd.
      assert (Hry : real_of (Rat y dd) = IZR y / D) by (unfold real_of; cbn [num den]; now rewrite Hfd).
      destruct (rat_le bound (Rat y dd)) eqn:El; cbn [esum]; rewrite IH.
      - apply rat_le_correct in El; try assumption. rewrite Hry in El.
        destruct (Rle_dec (real_of bound) (IZR y / D)); [ring | contradiction].
      - apply rat_le_false in El; try assumption. rewrite Hry in El.
        destruct (Rle_dec (real_of bound) (IZR y / D)); [lra | ring]. }
    assert (Hokp : ok p) by exact HV. assert (Hpr : prob_below d (real_of bound) <= real_of p).
    { unfold p, real_of at 2; cbn [num den]. rewrite minus_IZR. apply Rmult_le_reg_l with (IZR V); [assumption|].
      replace (IZR V * ((IZR V - IZR mass) / IZR V)) with (IZR V - IZR mass) by (field; lra).
      assert (prob_below d (real_of bound) + at_least d (real_of bound) = 1).
      { unfold prob_below, at_least. rewrite <- E_plus, (E_ext d _ (fun _ => 1)); [apply Hd|].
        intros z. destruct (Rlt_dec 0 (real_of bound - z)), (Rle_dec (real_of bound) z); lra. }
      replace (prob_below d (real_of bound)) with (1 - at_least d (real_of bound)) by lra. lra. }
    apply (value_ge alpha is_upper Ha d (real_of bound) Hd). destruct (quantile_facts alpha is_upper Ha) as [Hoka _].
    destruct is_upper.
    - apply rat_le_correct in H; try assumption. lra.
    - apply negb_true_iff in H. apply rat_le_false in H; try assumption. lra.
  Qed.
End Route.
