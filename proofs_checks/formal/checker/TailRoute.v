(** * Mean, CVaR and their mixtures: the tests are sound

    [tail_by_mean_correct], [tail_by_budgets_correct]: an accepted upper bound exceeds the objective of every
    policy. [markov_mean_Phi], [tail_by_policy_correct]: an accepted lower bound is at most the objective of the
    policy in the certificate. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check Meaning ModelFacts RatFacts
  TablesBelow TablesAbove Budgets Means CostBounds TailObjective.
Import ListNotations.
Open Scope R_scope.

Lemma floor_exists x : exists b, IZR b <= x < IZR b + 1.
Proof.
  exists (Rdefinitions.up x - 1)%Z. destruct (archimed x) as [H1 H2]. rewrite minus_IZR. lra.
Qed.

Lemma start_row_along {X} d lo v l (c : list X) : forall F,
  start_row d v l (along F lo c) = along (fun b =>
    F b + zsum (fun sw => snd sw * look d lo (row_at v (fst sw)) b) l)%Z lo c.
Proof.
  induction l as [|[s w] l IH]; intros F; cbn [start_row zsum fst snd]; [apply along_ext; intros; lia|].
  rewrite add_shifted_along, IH. apply along_ext. intros b Hb. rewrite (look_shift d lo), !Z.add_0_l. unfold row_at.
  lia.
Qed.

Lemma all_at_most_along {X} f F lo (c : list X) : all_at_most f lo (along F lo c) = true ->
  forall b, (lo <= b < lo + zlen c)%Z -> f b (F b) = true.
Proof.
  revert lo; induction c as [|x c IH]; intros lo; cbn [along all_at_most zlen]; intros H b Hb; [lia|].
  apply andb_true_iff in H. destruct H as [H1 H2]. destruct (Z.eq_dec b lo) as [->|Hne]; [assumption|].
  apply (IH (lo + 1)%Z); [assumption | lia].
Qed.

Section Tail.
  Variables (m : model) (w alpha : rat).
  Hypothesis Hm : good_model m = true.
  Hypothesis Htail : good_tail w alpha = true.
  Let M := meaning m.
  Let W := real_of w.
  Let A := real_of alpha.
  Let c := cost_of W A.

  Lemma tail_facts : ok w /\ ok alpha /\ (0 < num alpha)%Z /\ (0 <= W <= 1) /\ 0 < A <= 1.
  Proof.
    unfold good_tail in Htail. repeat rewrite andb_true_iff in Htail. rewrite !Z.ltb_lt, !Z.leb_le in Htail.
    destruct Htail as [[[[[H1 H2] H3] H4] H5] H6]. unfold ok. repeat split; try assumption; unfold W, A, real_of.
    - apply Rmult_le_pos; [now apply IZR_le|]. left. now apply Rinv_0_lt_compat, IZR_lt.
    - apply IZR_lt in H1. apply Rmult_le_reg_r with (IZR (den w)); [assumption|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra.
      apply IZR_le in H4. lra.
    - apply Rdiv_lt_0_compat; now apply IZR_lt.
    - apply IZR_lt in H2. apply Rmult_le_reg_r with (IZR (den alpha)); [assumption|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra.
      apply IZR_le in H6. lra.
  Qed.

  Lemma ok_slope : ok (tail_slope w alpha) /\ real_of (tail_slope w alpha) = slope_of W A.
  Proof.
    destruct tail_facts as [H1 [H2 [H3 _]]]. assert (H4 : ok (rinv alpha)) by exact H3.
    assert (H5 : ok (rminus (of_Z 1) w)) by auto using ok_rminus, ok_of_Z. split; [now apply ok_rmult|].
    unfold tail_slope. rewrite real_rmult, real_rminus, real_of_Z, real_rinv by auto using ok_of_Z. reflexivity.
  Qed.

  Lemma tail_cost_correct x : ok x -> ok (tail_cost w alpha x) /\ real_of (tail_cost w alpha x) = c (real_of x).
  Proof.
    intros Hx. destruct tail_facts as [H1 _]. destruct ok_slope as [H2 H3]. unfold tail_cost, c, cost_of.
    destruct (Z.ltb_spec 0 (num x)) as [Hs|Hs].
    - split; [auto using ok_rmult, ok_rplus|]. rewrite real_rmult, real_rplus by auto using ok_rplus. rewrite H3.
      apply (real_of_sign x Hx) in Hs. rewrite Rmax_right by lra. fold W. ring.
    - split; [now apply ok_rmult|]. rewrite real_rmult by assumption. fold W. rewrite Rmax_left; [ring|].
      destruct (Rle_dec (real_of x) 0) as [|Hn]; [assumption|]. exfalso. apply Rnot_le_lt, (real_of_sign x Hx) in Hn.
      lia.
  Qed.

  Lemma c_mono x y : x <= y -> c x <= c y.
  Proof. destruct tail_facts as [_ [_ [_ [H4 H5]]]]. now apply cost_mono. Qed.

  Lemma cost_below_correct V x : ok x -> IZR (cost_below V w alpha x) <= IZR V * c (real_of x).
  Proof.
    intros Hx. destruct (tail_cost_correct x Hx) as [H1 H2]. unfold cost_below.
    eapply Rle_trans; [apply rfloor_le; auto using ok_rmult, ok_of_Z|].
    rewrite real_rmult, real_of_Z, H2 by auto using ok_of_Z. lra.
  Qed.

  Lemma cost_above_correct V x : ok x -> IZR V * c (real_of x) <= IZR (cost_above V w alpha x).
  Proof.
    intros Hx. destruct (tail_cost_correct x Hx) as [H1 H2]. unfold cost_above.
    eapply Rle_trans; [|apply le_rceil; auto using ok_rmult, ok_of_Z].
    rewrite real_rmult, real_of_Z, H2 by auto using ok_of_Z. lra.
  Qed.

  (** ** Upper bounds *)

  Theorem tail_by_mean_correct V bound pi : ok bound -> tail_by_mean m V bound = true -> is_jpolicy pi ->
    plays_allowed M pi ->
    Phi (tail_weight W A) (jreturn_law M pi) <= real_of bound.
  Proof.
    intros Hb H Hpi Hal. unfold tail_by_mean in H. apply andb_true_iff in H. destruct H as [HV H]. apply Z.ltb_lt in HV.
    destruct (best_mean m V) as [x|] eqn:Ex; [|discriminate]. destruct tail_facts as [_ [_ [_ [H4 H5]]]].
    assert (Hlaw : is_law (jreturn_law M pi)) by (apply law_jreturn; [now apply is_jmdp_meaning | assumption]).
    destruct (Phi_attained W A H4 H5 _ Hlaw) as [rho ->]. eapply Rle_trans; [now apply J_le_mean|].
    eapply Rle_trans; [apply (mean_le_best_mean m V Hm HV pi x Hpi Hal Ex)|].
    apply rat_le_correct; [|assumption | assumption].
    unfold best_mean in Ex. destruct (start_sum _ _); [|discriminate]. injection Ex as <-.
    destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]]. unfold ok; cbn [den]. now apply Z.mul_pos_pos.
  Qed.

  Theorem tail_by_budgets_correct V g bound pi : ok bound -> tail_by_budgets m V g w alpha bound = true ->
    is_jpolicy pi -> plays_allowed M pi -> Phi (tail_weight W A) (jreturn_law M pi) <= real_of bound.
  Proof.
    intros Hbound H Hpi Hal. unfold tail_by_budgets in H.
    destruct (windows g) as [|[lo hi] ws] eqn:Ew; [discriminate|]. rewrite <- Ew in H.
    destruct (window_after (windows g) (steps m)) as [[lo' hi']|] eqn:Elast; [|discriminate].
    destruct (best_mean m V) as [mean|] eqn:Emean; [|discriminate].
    set (u := unit_size g) in *. set (u' := unit_after g u (steps m)) in *.
    set (bottom := if (num w =? 0)%Z then 0%Z else cost_below V w alpha (rmult u' (of_Z lo'))) in *.
    set (terminal := terminal_row (cost_below V w alpha) u' (of_Z 0) lo' hi') in *.
    set (kappa := rplus w (tail_slope w alpha)) in *.
    repeat rewrite andb_true_iff in H. destruct H as [[[[[[[HV Hg] Hlohi] Hbot] Hnb] Hleft] Hright] Hinside].
    apply Z.ltb_lt in HV. apply Z.leb_le in Hlohi. destruct tail_facts as [Hokw [_ [_ [HW HA]]]].
    destruct ok_slope as [Hoks Hs].
    destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]]. pose proof (IZR_lt _ _ HV) as HV'.
    pose proof (IZR_lt _ _ G4) as G4'.
    destruct (grid_positive g Hg) as [Hu1 [Hu2 _]]. assert (Hoku : ok u) by exact Hu2.
    assert (Hu : 0 < real_of u) by now apply real_of_sign.
    assert (Hoku' : ok u') by now apply ok_last_unit. assert (Hu' : 0 < real_of u') by now apply last_unit_pos.
    assert (Hmean : E (jreturn_law M pi) (fun z => z) <= real_of mean) by now apply (mean_le_best_mean m V Hm HV).
    assert (Hokmean : ok mean).
    { unfold best_mean in Emean. destruct (start_sum _ _); [|discriminate]. injection Emean as <-. unfold ok; cbn [den].
      now apply Z.mul_pos_pos. }
    assert (Hlaw : is_law (jreturn_law M pi)) by (apply law_jreturn; [now apply is_jmdp_meaning | assumption]).
    assert (Hkappa : ok kappa /\ real_of kappa = W + slope_of W A)
      by (unfold kappa; split; [now apply ok_rplus | rewrite real_rplus, Hs by assumption; reflexivity]).
    destruct Hkappa as [Hokk Hk].
    set (Fc := fun x => IZR V * c x).
    assert (Fc_mono : forall x y, x <= y -> Fc x <= Fc y)
      by (intros x y Hxy; apply Rmult_le_compat_l; [lra | now apply c_mono]).
    assert (Hcost : forall x, ok x -> IZR (cost_below V w alpha x) <= Fc (real_of x))
      by (intros; now apply cost_below_correct).
    assert (Hfirst : nth_error (windows g) 0 = Some (lo, hi)) by now rewrite Ew.
    assert (Hfloor : (forall x, IZR bottom <= Fc x) \/
      (IZR bottom <= Fc (real_of u' * IZR lo') /\ all_never_below m g (rate_0 m g) (windows g) (steps m) = true)).
    { apply orb_true_iff in Hnb. unfold bottom. destruct (Z.eqb_spec (num w) 0) as [E0|E0].
      - left. intros x. unfold Fc. apply Rmult_le_pos; [lra|]. unfold c.
        eapply Rle_trans; [|apply (cost_ge_left W A HW HA)].
        unfold W, real_of. rewrite E0. unfold Rdiv. lra.
      - right. split; [|destruct Hnb; [discriminate | assumption]].
        eapply Rle_trans; [apply Hcost; auto using ok_rmult, ok_of_Z|].
        rewrite real_rmult, real_of_Z by auto using ok_of_Z. lra. }
    set (v := table_below m g (rate_0 m g) bottom terminal (windows g) (steps m)) in *.
    set (L := fun b => zsum (fun sw => snd sw * look bottom lo (row_at v (fst sw)) b)%Z (initial m)).
    rewrite zeros_along, start_row_along in Hinside. pose proof (all_at_most_along _ _ _ _ Hinside) as Hrow.
    clear Hinside.
    rewrite zlen_counter in Hrow.
    assert (Hat : forall b, (lo <= b <= hi)%Z ->
      real_of u * IZR (cell_end g b) - IZR (L b) / (IZR V * IZR (initial_den m)) <= real_of bound).
    { intros b Hb. specialize (Hrow b ltac:(lia)). rewrite Z.add_0_l in Hrow. fold (L b) in Hrow.
      assert (HokL : ok (Rat (L b) (V * initial_den m))) by (unfold ok; cbn [den]; now apply Z.mul_pos_pos).
      assert (Hokb : ok (rmult u (of_Z (cell_end g b)))) by auto using ok_rmult, ok_of_Z.
      apply rat_le_correct in Hrow; [|now apply ok_rminus | assumption].
      rewrite real_rminus, real_rmult, real_of_Z in Hrow by auto using ok_of_Z. unfold real_of at 2 in Hrow.
      cbn [num den] in Hrow.
      rewrite mult_IZR in Hrow. exact Hrow. }
    destruct (Phi_attained W A HW HA _ Hlaw) as [rho ->].
    (* to the left, to the right *)
    destruct (Rle_dec rho (real_of u * IZR lo)) as [H1|H1].
    { eapply Rle_trans; [apply (J_left W A HW HA _ rho _ _ Hlaw Hmean H1)|].
      apply rat_le_correct in Hleft; [|auto 6 using ok_rplus, ok_rmult, ok_rminus, ok_of_Z | assumption].
      rewrite real_rplus, !real_rmult, real_rminus, !real_of_Z in Hleft by auto 6 using ok_rplus, ok_rmult, ok_rminus,
        ok_of_Z. exact Hleft. }
    destruct (Rle_dec (real_of u * IZR hi) rho) as [H2|H2].
    { eapply Rle_trans; [apply (J_right W A HW HA _ rho _ _ Hlaw Hmean H2)|].
      apply rat_le_correct in Hright; [|auto 6 using ok_rplus, ok_rmult, ok_rminus, ok_of_Z | assumption].
      rewrite real_rminus, !real_rmult, real_rminus, !real_of_Z, Hk in Hright by auto 6 using ok_rplus, ok_rmult,
        ok_rminus, ok_of_Z. exact Hright. }
    apply Rnot_le_lt in H1, H2.
    destruct (floor_exists (rho / real_of u)) as [b [Hb1 Hb2]].
    assert (Hrho1 : real_of u * IZR b <= rho).
    { apply Rmult_le_reg_r with (/ real_of u); [now apply Rinv_0_lt_compat|].
      replace (real_of u * IZR b * / real_of u) with (IZR b) by (field; lra). exact Hb1. }
    assert (Hrho2 : rho <= real_of u * (IZR b + 1)).
    { apply Rmult_le_reg_r with (/ real_of u); [now apply Rinv_0_lt_compat|].
      replace (real_of u * (IZR b + 1) * / real_of u) with (IZR b + 1) by (field; lra). unfold Rdiv in Hb2. lra. }
    assert (Hlob : (lo <= b)%Z).
    { apply Z.lt_succ_r, lt_IZR. rewrite succ_IZR. apply Rmult_lt_reg_l with (real_of u); [assumption|]. lra. }
    assert (Hbhi : (b < hi)%Z) by (apply lt_IZR; apply Rmult_lt_reg_l with (real_of u); [assumption | lra]).
    assert (Hscale : forall b0 q, / IZR (initial_den m) * IZR (L b0) <= IZR V * q ->
      IZR (L b0) / (IZR V * IZR (initial_den m)) <= q).
    { intros b0 q Hq. apply Rmult_le_reg_l with (IZR V); [assumption|]. eapply Rle_trans; [|exact Hq]. right. field.
      lra. }
    destruct ((stretch g =? 1) && (shrink g =? 1))%Z eqn:Eshift.
    - (* shifts: the cost is linear between two indices *)
      assert (Hend : forall b0, cell_end g b0 = b0) by (intros b0; unfold cell_end; now rewrite Eshift).
      apply andb_true_iff in Eshift. rewrite !Z.eqb_eq in Eshift. destruct Eshift as [Es1 Es2].
      set (spent := fun l : list (positive * Z * Z) => (- index_after m g 0 l)%Z).
      assert (Hspent : forall b0 (l : list (positive * Z * Z)), index_after m g b0 l = (b0 - spent l)%Z).
      { intros b0 l. unfold spent. induction l as [|[[s a] label] l IH]; cbn [index_after]; [lia|].
        unfold moved, move. rewrite Es1, Es2, !Z.div_1_r, !Z.mul_1_l. rewrite IH. lia. }
      assert (Hunit : forall t, real_of (unit_at g t) = real_of u).
      { induction t as [|t IH]; [reflexivity|]. pose proof (real_unit_next g Hg t) as Hn. rewrite Es1, Es2 in Hn. lra. }
      assert (Hlast : real_of u' = real_of u) by (change u' with (unit_after g (unit_size g) (steps m));
        rewrite (last_unit m g); apply Hunit).
      set (H := full_history_law M pi).
      assert (HL : forall b0, (lo <= b0)%Z -> IZR (L b0) / (IZR V * IZR (initial_den m)) <=
        E H (fun h => c (real_of u * IZR b0 - real_of u * IZR (spent (fst h))))).
      { intros b0 Hb0. apply Hscale.
        eapply Rle_trans; [apply (table_below_cost m g Hm Hg Fc Fc_mono
          (cost_below V w alpha) Hcost bottom lo hi lo' hi' Hfirst Elast Hbot Hfloor pi b0 Hpi Hal Hb0)|].
        rewrite <- E_scal. right. apply E_ext. intros h. unfold Fc. fold u u'. rewrite Hlast, Hspent, minus_IZR.
        do 2 f_equal. ring. }
      set (lam := rho / real_of u - IZR b). assert (Hlam : 0 <= lam <= 1) by (unfold lam; lra).
      assert (Hrho : rho = real_of u * (IZR b + lam)) by (unfold lam; field; lra).
      pose proof (HL b Hlob) as HLb. pose proof (HL (b + 1)%Z ltac:(lia)) as HLb'. rewrite plus_IZR in HLb'.
      pose proof (Hat b ltac:(lia)) as Hab. pose proof (Hat (b + 1)%Z ltac:(lia)) as Hab'. rewrite Hend in Hab, Hab'.
      rewrite plus_IZR in Hab'.
      assert (HE : (1 - lam) * E H (fun h => c (real_of u * IZR b - real_of u * IZR (spent (fst h)))) +
                   lam * E H (fun h => c (real_of u * (IZR b + 1) - real_of u * IZR (spent (fst h)))) <=
                   E (jreturn_law M pi) (fun z => c (rho - z))).
      { rewrite <- !E_scal, <- E_plus. unfold jreturn_law. rewrite E_image. fold H. apply E_le_as; [now apply law_H|].
        pose proof (H_time m pi) as Ht. revert Ht. apply as_impl. intros h Ht.
        unfold c. rewrite <- (cost_linear W A (real_of u) b (spent (fst h)) lam Hu Hlam). apply c_mono. rewrite <- Hrho.
        pose proof (index_le_budget m g 0 Hm Hg (fst h)) as Hle. rewrite Hunit, (Hspent 0%Z), minus_IZR in Hle.
        fold u in Hle. unfold M. lra. }
      unfold J. fold c. set (e1 := E H (fun h => c (real_of u * IZR b - real_of u * IZR (spent (fst h))))) in *.
      set (e2 := E H (fun h => c (real_of u * (IZR b + 1) - real_of u * IZR (spent (fst h))))) in *.
      assert (Ha : real_of u * IZR b - e1 <= real_of bound) by lra.
      assert (Hb' : real_of u * (IZR b + 1) - e2 <= real_of bound) by lra.
      pose proof (Rmult_le_compat_l (1 - lam) _ _ ltac:(lra) Ha). pose proof (Rmult_le_compat_l lam _ _ ltac:(lra) Hb').
      rewrite Hrho in *. lra.
    - (* otherwise the whole cell at once *)
      assert (Hend : cell_end g b = (b + 1)%Z) by (unfold cell_end; now rewrite Eshift).
      pose proof (Hat b ltac:(lia)) as Hab. rewrite Hend, plus_IZR in Hab.
      pose proof (table_below_return m g Hm Hg Fc Fc_mono
        (cost_below V w alpha) Hcost bottom lo hi lo' hi' Hfirst Elast Hbot Hfloor pi b Hpi Hal Hlob) as HL.
      fold u u' in HL. unfold Fc in HL. rewrite E_scal in HL. apply Hscale in HL.
      unfold J. fold c. assert (E (jreturn_law M pi) (fun z => c (real_of u * IZR b - z)) <=
        E (jreturn_law M pi) (fun z => c (rho - z))).
      { apply E_le; [apply Hlaw|]. intros z. apply c_mono. lra. }
      fold M in HL. lra.
  Qed.

  (** ** Lower bounds *)

  Theorem markov_mean_Phi V choices bound : ok bound -> num w = den w -> markov_mean m V choices bound = true ->
    real_of bound <= Phi (tail_weight W A) (jreturn_law M (policy_of m (ByMarkov V choices))).
  Proof.
    intros Hb Hone H. destruct tail_facts as [Hokw [_ [_ [HW HA]]]].
    assert (HV : (0 < V)%Z) by (unfold markov_mean in H; apply andb_true_iff in H; destruct H as [H _];
      now apply Z.ltb_lt in H).
    assert (HW1 : W = 1) by (unfold W, real_of; rewrite Hone; apply Rinv_r; apply ok_pos in Hokw; lra).
    rewrite (Phi_tail W A HW HA); [|apply law_jreturn; [now apply is_jmdp_meaning | apply is_jpolicy_playing]].
    rewrite HW1. pose proof (markov_mean_correct m V Hm HV choices bound Hb H). fold M in H0. lra.
  Qed.

  Lemma tail_at_correct V g start choices bound shift : (0 < V)%Z -> good_grid g = true -> ok bound -> ok shift ->
    tail_at m V g start choices w alpha bound shift = true ->
    real_of bound <= Phi (tail_weight W A) (jreturn_law M (policy_of m (ByBudget V g start choices))).
  Proof.
    intros HV Hg Hb Hshift H. unfold tail_at in H.
    destruct (policy_cost m g start choices (cost_above V w alpha) shift) as [x|] eqn:Ex; [|discriminate].
    destruct tail_facts as [Hokw [_ [_ [HW HA]]]]. destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]].
    destruct (grid_positive g Hg) as [_ [Hu2 _]]. pose proof (IZR_lt _ _ HV) as HV'. pose proof (IZR_lt _ _ G4) as G4'.
    set (pi := policy_of m (ByBudget V g start choices)).
    assert (Hlaw : is_law (jreturn_law M pi))
      by (apply law_jreturn; [now apply is_jmdp_meaning | apply is_jpolicy_playing]).
    eapply Rle_trans; [|apply (J_le_Phi W A HW HA _ (real_of (unit_size g) * IZR start + real_of shift) Hlaw)].
    set (Fc := fun y => IZR V * c y).
    assert (Fc_mono : forall y z, y <= z -> Fc y <= Fc z)
      by (intros y z Hyz; apply Rmult_le_compat_l; [lra | now apply c_mono]).
    pose proof (policy_cost_above m g Hm Hg Fc Fc_mono (cost_above V w alpha)
      (fun y Hy => cost_above_correct V y Hy) V start choices shift Hshift x Ex) as Hle.
    unfold Fc in Hle. rewrite E_scal in Hle. fold M in Hle. fold pi in Hle.
    rewrite (E_ext _ _ (fun z => c (real_of (unit_size g) * IZR start + real_of shift - z))) in Hle
      by (intros z; f_equal; ring).
    assert (Hokx : ok (Rat x (V * initial_den m))) by (unfold ok; cbn [den]; now apply Z.mul_pos_pos).
    assert (Hoku : ok (rmult (unit_size g) (of_Z start))) by (apply ok_rmult; [exact Hu2 | apply ok_of_Z]).
    apply rat_le_correct in H; [|assumption | auto using ok_rminus, ok_rplus].
    rewrite real_rminus, real_rplus, real_rmult, real_of_Z in H by auto using ok_rplus, ok_of_Z.
    eapply Rle_trans; [exact H|]. unfold J. fold c. apply Rplus_le_compat_l, Ropp_le_contravar.
    apply Rmult_le_reg_l with (IZR V); [assumption|]. eapply Rle_trans; [exact Hle|]. right.
    unfold real_of; cbn [num den]. rewrite mult_IZR. field. lra.
  Qed.

  Theorem tail_by_policy_correct V g start choices bound : ok bound ->
    tail_by_policy m V g start choices w alpha bound = true ->
    real_of bound <= Phi (tail_weight W A) (jreturn_law M (policy_of m (ByBudget V g start choices))).
  Proof.
    intros Hb H. unfold tail_by_policy in H. repeat rewrite andb_true_iff in H. destruct H as [[HV Hg] H].
    apply Z.ltb_lt in HV.
    apply orb_true_iff in H. destruct H as [H|H].
    - exact (tail_at_correct V g start choices bound _ HV Hg Hb (ok_of_Z 0) H).
    - exact (tail_at_correct V g start choices bound _ HV Hg Hb (ok_ropp _ (ok_loss_after m g Hm Hg (steps m) 0)) H).
  Qed.
End Tail.
