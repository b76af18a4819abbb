(** * Mean, CVaR and their mixtures by cells: both tests are sound

    [tail_by_all_cells_correct]: an accepted upper bound exceeds the objective of every policy.
    [tail_by_cells_correct]: an accepted lower bound is at most the objective of the policy in the certificate. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check InterpolationCheck CellsCheck
  LawCheck Meaning ModelFacts RatFacts TablesBelow TablesAbove Budgets Means CostBounds TailObjective TailRoute
  Interpolation Coarser PlayedRow CellEnds Cells.
Import ListNotations.
Open Scope R_scope.

(** ** Sums of discounts, the last grid, the range of rewards *)

Section Facts.
  Variables (m : model) (c : cells).
  Hypothesis Hm : good_model m = true.
  Hypothesis Hc : good_cells m c = true.
  Let M := meaning m.
  Let gamma := real_of (discount_rate m).
  Let T := length (steps m).

  Lemma discount_sum_front n : discount_sum m (S n) = 1 + gamma * discount_sum m n.
  Proof.
    induction n as [|n IH]; [cbn; ring|].
    change (discount_sum m (S n) + gamma ^ S n = 1 + gamma * (discount_sum m n + gamma ^ n)). rewrite IH. cbn [pow].
    ring.
  Qed.

  Lemma gamma_positive : 0 < gamma.
  Proof. destruct (good_facts m Hm) as [G1 [G2 _]]. apply real_of_sign; assumption. Qed.

  Lemma discount_sum_nonneg n : 0 <= discount_sum m n.
  Proof.
    induction n as [|n IH]; cbn [discount_sum]; [lra|].
    pose proof (pow_lt (real_of (discount_rate m)) n gamma_positive). lra.
  Qed.

  Lemma discount_weights_correct sts : ok (discount_weights m sts) /\
    real_of (discount_weights m sts) = discount_sum m (length sts).
  Proof.
    destruct (good_facts m Hm) as [_ [G2 _]].
    induction sts as [|st sts [IH1 IH2]]; [split; [apply ok_of_Z | apply real_of_Z]|].
    cbn [discount_weights length]. split; [unfold ok in *; cbn [den]; now apply Z.mul_pos_pos|].
    rewrite discount_sum_front, <- IH2. unfold gamma, real_of; cbn [num den]. unfold ok in IH1. apply IZR_lt in IH1, G2.
    rewrite plus_IZR, !mult_IZR. field. lra.
  Qed.

  Lemma last_cell_unit_at sts : forall t u, skipn t (steps m) = sts -> (t + length sts = T)%nat -> ok u ->
    real_of u = grid_before c t ->
    ok (last_cell_unit u (skipn t (halvings c)) sts) /\
      real_of (last_cell_unit u (skipn t (halvings c)) sts) = grid_before c T.
  Proof.
    destruct (cells_facts m c Hc) as [_ [_ Hlen]].
    induction sts as [|st sts IH]; intros t u Hsts Ht Hok Hu.
    - cbn [last_cell_unit]. assert (t = T) as -> by (cbn in Ht; lia). destruct (skipn T (halvings c)); now split.
    - destruct (skipn_cons _ _ _ _ Hsts) as [_ Hrest]. destruct (skipn t (halvings c)) as [|h hs] eqn:Eh.
      { exfalso. assert (Hz : length (skipn t (halvings c)) = O) by now rewrite Eh. rewrite skipn_length, Hlen in Hz.
        cbn in Ht. unfold T in Ht. lia. }
      destruct (skipn_cons _ _ _ _ Eh) as [Hh Hhs]. cbn [last_cell_unit]. rewrite <- Hhs.
      apply IH; [assumption | cbn in Ht; lia|..].
      + unfold ok in *; cbn [den]. now apply doubled_pos.
      + cbn [grid_before]. rewrite <- Hu. unfold halvings_at. rewrite (nth_error_nth _ _ _ Hh).
        unfold real_of; cbn [num den]. rewrite IZR_doubled.
        apply ok_pos in Hok. pose proof (pow2_pos (Z.to_nat h)). field. lra.
  Qed.

  Lemma last_cell_unit_correct : ok (last_cell_unit (cell_unit c) (halvings c) (steps m)) /\
    real_of (last_cell_unit (cell_unit c) (halvings c) (steps m)) = grid_before c T.
  Proof.
    destruct (cells_facts m c Hc) as [_ [H2 _]].
    exact (last_cell_unit_at (steps m) 0 (cell_unit c) eq_refl eq_refl H2 eq_refl).
  Qed.

  Lemma most_of_label f t s i os p : (t < T)%nat -> In (os, p) (kernel M t s i) -> (f (fst os) <= most_of f m)%Z.
  Proof.
    intros Ht Hin. unfold most_of.
    destruct (in_kernel m t s i os p Hin) as [->|[act [o [Hact [Ho ->]]]]]; cbn [fst]; [lia|].
    unfold actions_at in Hact. destruct (nth_error (steps m) t) as [st|] eqn:Est; [|discriminate].
    destruct (get s st) as [acts|] eqn:Eacts; [|discriminate].
    pose proof (largest_ge (tlargest (largest (fun a => largest (fun o => f (gain o)) (outcomes a)))) (steps m) st
      (nth_error_In _ _ Est)) as H1.
    pose proof (tlargest_get (largest (fun a => largest (fun o => f (gain o)) (outcomes a))) _ _ _ Eacts) as H2.
    pose proof (largest_ge (fun a => largest (fun o => f (gain o)) (outcomes a)) acts act (znth_In _ _ _ Hact)) as H3.
    pose proof (largest_ge (fun o => f (gain o)) (outcomes act) o Ho) as H4. cbn beta in *. lia.
  Qed.

  (** Budgets at the end lie in a range. *)
  Lemma left_range pi B s :
    almost_surely (jrun M pi T ([], s)) (fun h => length (fst h) = T /\
      B - discount_sum m T * (IZR (most_above m (base c)) / IZR (reward_den m)) <= left_over m (base c) B (fst h) <=
      B + discount_sum m T * (IZR (most_below m (base c)) / IZR (reward_den m))).
  Proof.
    destruct (good_facts m Hm) as [_ [_ [G3 _]]]. apply IZR_lt in G3.
    pose (P := fun h : jhistory positive Z Z =>
      B - discount_sum m (jtime h) * (IZR (most_above m (base c)) / IZR (reward_den m)) <=
        left_over m (base c) B (fst h) <=
      B + discount_sum m (jtime h) * (IZR (most_below m (base c)) / IZR (reward_den m))).
    assert (Has : almost_surely (jrun M pi T ([], s))
      (fun h' => P h' /\ jtime h' = (jtime (([], s) : jhistory positive Z Z) + T)%nat)).
    { apply as_jrun.
      - intros h0 a os p Ht HP Hin. unfold P in *. set (t := jtime h0) in *.
        change (jtime (jextend h0 a os)) with (S t).
        change (jhorizon M) with T in Ht.
        pose proof (most_of_label (fun z => Z.max 0 (z - base c)) t _ _ _ _ Ht Hin) as H1.
        fold (most_above m (base c)) in H1. cbn beta in H1.
        pose proof (most_of_label (fun z => Z.max 0 (base c - z)) t _ _ _ _ Ht Hin) as H2.
        fold (most_below m (base c)) in H2. cbn beta in H2.
        assert (H1' : (fst os - base c <= most_above m (base c))%Z) by lia.
        assert (H2' : (base c - fst os <= most_below m (base c))%Z) by lia.
        apply IZR_le in H1', H2'. rewrite minus_IZR in H1', H2'.
        assert (Hleft : left_over m (base c) B (fst (jextend h0 a os)) =
          left_over m (base c) B (fst h0) - gamma ^ t * ((IZR (fst os) - IZR (base c)) / IZR (reward_den m))).
        { unfold left_over, jextend. cbn [fst length earned discount_sum]. fold gamma.
          change (discount (meaning m)) with gamma.
          change (worth (meaning m) (fst os)) with (IZR (fst os) / IZR (reward_den m)). unfold t, jtime. field. lra. }
        rewrite Hleft. cbn [discount_sum]. fold gamma. pose proof (pow_lt gamma t gamma_positive) as Hg.
        assert (K1 : (IZR (fst os) - IZR (base c)) / IZR (reward_den m) <=
          IZR (most_above m (base c)) / IZR (reward_den m))
          by (apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | lra]).
        assert (K2 : - (IZR (most_below m (base c)) / IZR (reward_den m)) <=
          (IZR (fst os) - IZR (base c)) / IZR (reward_den m)).
        { unfold Rdiv. rewrite Ropp_mult_distr_l. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | lra]. }
        pose proof (Rmult_le_compat_l (gamma ^ t) _ _ ltac:(lra) K1).
        pose proof (Rmult_le_compat_l (gamma ^ t) _ _ ltac:(lra) K2). lra.
      - cbn. unfold T. lia.
      - unfold P, left_over. cbn [fst jtime length discount_sum earned]. lra. }
    revert Has. apply as_impl. intros h [HP Ht]. cbn [jtime fst length Nat.add] in Ht. unfold P in HP. rewrite Ht in HP.
    split; [exact Ht | exact HP].
  Qed.

  Lemma left_at_end B (h : jhistory positive Z Z) : length (fst h) = T ->
    left_over m (base c) B (fst h) = B + discount_sum m T * (IZR (base c) / IZR (reward_den m)) - earned M (fst h).
  Proof. intros H. unfold left_over. now rewrite H. Qed.
End Facts.

Section Route.
  Variables (m : model) (w alpha : rat).
  Hypothesis Hm : good_model m = true.
  Hypothesis Htail : good_tail w alpha = true.
  Let M := meaning m.
  Let W := real_of w.
  Let A := real_of alpha.
  Let cost := cost_of W A.
  Let T := length (steps m).

  (** Between two nodes the cost is linear. *)
  Lemma cost_between u b theta : 0 < u -> 0 <= theta <= 1 ->
    cost (u * (IZR b + theta)) = (1 - theta) * cost (u * IZR b) + theta * cost (u * IZR (b + 1)).
  Proof.
    intros Hu Ht. pose proof (cost_linear W A u b 0 theta Hu Ht) as H. rewrite Rmult_0_r, !Rminus_0_r in H.
    rewrite plus_IZR. unfold cost. exact H.
  Qed.

  Theorem tail_by_all_cells_correct V c bound pi : ok bound -> tail_by_all_cells m V c w alpha bound = true ->
    is_jpolicy pi -> plays_allowed M pi -> Phi (tail_weight W A) (jreturn_law M pi) <= real_of bound.
  Proof.
    intros Hbound H Hpi Hal. unfold tail_by_all_cells in H.
    destruct (cell_windows c) as [|[lo hi] ws] eqn:Ew; [discriminate|]. rewrite <- Ew in H.
    destruct (window_after (cell_windows c) (steps m)) as [[lo' hi']|] eqn:Elast; [|discriminate].
    destruct (best_mean m V) as [mean|] eqn:Emean; [|discriminate].
    set (u := cell_unit c) in *. set (u' := last_cell_unit u (halvings c) (steps m)) in *.
    set (wsum := discount_weights m (steps m)) in *.
    set (shift := rmult wsum (Rat (base c) (reward_den m))) in *.
    set (deepest := rminus (rmult u (of_Z lo)) (rmult wsum (Rat (most_above m (base c)) (reward_den m)))) in *.
    set (bottom := if (num w =? 0)%Z then 0%Z else cost_below V w alpha deepest) in *.
    set (terminal := terminal_row (cost_below V w alpha) u' (of_Z 0) lo' hi') in *.
    set (kappa := rplus w (tail_slope w alpha)) in *. cbv zeta in H.
    repeat rewrite andb_true_iff in H. destruct H as [[[[[[HV Hc] Hlohi] Hlohi'] Hleft] Hright] Hinside].
    apply Z.ltb_lt in HV. apply Z.leb_le in Hlohi, Hlohi'.
    destruct (tail_facts w alpha Htail) as [Hokw [_ [_ [HW HA]]]]. destruct (ok_slope w alpha Htail) as [Hoks Hs].
    destruct (good_facts m Hm) as [_ [_ [G3 [G4 _]]]]. pose proof (IZR_lt _ _ HV) as HV'.
    pose proof (IZR_lt _ _ G4) as G4'. pose proof (IZR_lt _ _ G3) as G3'.
    destruct (cells_facts m c Hc) as [Hu1 [Hu2 _]]. assert (Hoku : ok u) by exact Hu2.
    assert (Hu : 0 < real_of u) by now apply real_of_sign.
    destruct (discount_weights_correct m Hm (steps m)) as [Hoksum Hsum]. fold wsum in Hoksum, Hsum. fold T in Hsum.
    destruct (last_cell_unit_correct m c Hc) as [Hoku' Hu']. fold u u' in Hoku', Hu'. fold T in Hu'.
    assert (Hokq : forall z, ok (Rat z (reward_den m))) by (intros z; exact G3).
    assert (Hreal : forall z, real_of (Rat z (reward_den m)) = IZR z / IZR (reward_den m)) by reflexivity.
    assert (Hokshift : ok shift) by (unfold shift; auto using ok_rmult).
    assert (Hshift : real_of shift = discount_sum m T * (IZR (base c) / IZR (reward_den m)))
      by (unfold shift; rewrite real_rmult, Hsum, Hreal by auto; reflexivity).
    assert (Hokdeep : ok deepest) by (unfold deepest; auto using ok_rminus, ok_rmult, ok_of_Z).
    assert (Hdeep : real_of deepest = real_of u * IZR lo -
      discount_sum m T * (IZR (most_above m (base c)) / IZR (reward_den m))).
    { unfold deepest. rewrite real_rminus, !real_rmult, real_of_Z, Hsum, Hreal by auto using ok_rmult, ok_of_Z.
      reflexivity. }
    assert (Hmean : E (jreturn_law M pi) (fun z => z) <= real_of mean) by now apply (mean_le_best_mean m V Hm HV).
    assert (Hokmean : ok mean).
    { unfold best_mean in Emean. destruct (start_sum _ _); [|discriminate]. injection Emean as <-. unfold ok; cbn [den].
      now apply Z.mul_pos_pos. }
    assert (Hlaw : is_law (jreturn_law M pi)) by (apply law_jreturn; [now apply is_jmdp_meaning | assumption]).
    assert (Hokk : ok kappa) by (unfold kappa; now apply ok_rplus).
    assert (Hk : real_of kappa = W + slope_of W A) by (unfold kappa; rewrite real_rplus, Hs by assumption; reflexivity).
    set (v := cells_table m true (base c) bottom terminal (cell_rate_0 m c) (cell_windows c) (halvings c) (steps m) [])
      in *.
    set (L := fun b => zsum (fun sw => snd sw * look bottom lo (row_at v (fst sw)) b)%Z (initial m)).
    rewrite zeros_along, start_row_along in Hinside. pose proof (all_at_most_along _ _ _ _ Hinside) as Hrow.
    clear Hinside. rewrite zlen_counter in Hrow.
    assert (Hat : forall b, (lo <= b <= hi)%Z ->
      real_of u * IZR b - IZR (L b) / (IZR V * IZR (initial_den m)) <= real_of bound - real_of shift).
    { intros b Hb. specialize (Hrow b ltac:(lia)). rewrite Z.add_0_l in Hrow. fold (L b) in Hrow.
      assert (HokL : ok (Rat (L b) (V * initial_den m))) by (unfold ok; cbn [den]; now apply Z.mul_pos_pos).
      assert (Hokb : ok (rmult u (of_Z b))) by auto using ok_rmult, ok_of_Z.
      apply rat_le_correct in Hrow; [|now apply ok_rminus | now apply ok_rminus].
      rewrite !real_rminus, real_rmult, real_of_Z in Hrow by auto using ok_of_Z. unfold real_of at 2 in Hrow.
      cbn [num den] in Hrow.
      rewrite mult_IZR in Hrow. exact Hrow. }
    destruct (Phi_attained W A HW HA _ Hlaw) as [rho ->]. set (B := rho - real_of shift).
    destruct (Rle_dec B (real_of u * IZR lo)) as [H1|H1].
    { eapply Rle_trans; [apply (J_left W A HW HA _ rho (real_of u * IZR lo + real_of shift) _ Hlaw Hmean);
        unfold B in H1; lra|].
      apply rat_le_correct in Hleft; [|auto 8 using ok_rplus, ok_rmult, ok_rminus, ok_of_Z | assumption].
      rewrite real_rplus, !real_rmult, real_rminus, real_rplus, real_rmult,
        !real_of_Z in Hleft by auto 8 using ok_rplus, ok_rmult, ok_rminus, ok_of_Z. exact Hleft. }
    destruct (Rle_dec (real_of u * IZR hi) B) as [H2|H2].
    { eapply Rle_trans; [apply (J_right W A HW HA _ rho (real_of u * IZR hi + real_of shift) _ Hlaw Hmean);
        unfold B in H2; lra|].
      apply rat_le_correct in Hright; [|auto 8 using ok_rplus, ok_rmult, ok_rminus, ok_of_Z | assumption].
      rewrite real_rminus, !real_rmult, real_rminus, real_rplus, real_rmult, !real_of_Z,
        Hk in Hright by auto 8 using ok_rplus, ok_rmult, ok_rminus, ok_of_Z. exact Hright. }
    apply Rnot_le_lt in H1, H2.
    destruct (floor_exists (B / real_of u)) as [b [Hb1 Hb2]]. set (theta := B / real_of u - IZR b).
    assert (Htheta : 0 <= theta <= 1) by (unfold theta; lra).
    assert (HB : B = real_of u * (IZR b + theta)) by (unfold theta; field; lra).
    assert (Hlob : (lo <= b)%Z).
    { apply Z.lt_succ_r, lt_IZR. rewrite succ_IZR. apply Rmult_lt_reg_l with (real_of u); [assumption|].
      apply Rlt_le_trans with B; [assumption|]. rewrite HB. apply Rmult_le_compat_l; lra. }
    assert (Hbhi : (b < hi)%Z).
    { apply lt_IZR. apply Rmult_lt_reg_l with (real_of u); [assumption|]. apply Rle_lt_trans with B; [|assumption].
      rewrite HB at 1. apply Rmult_le_compat_l; lra. }
    set (Fn := fun x => Rmax (IZR bottom) (IZR V * cost x)).
    assert (Hfirst : nth_error (cell_windows c) 0 = Some (lo, hi)) by now rewrite Ew.
    assert (Hws0 : cell_start c 0 = lo) by (unfold cell_start; now rewrite Hfirst).
    assert (Hwe0 : cell_end_of c 0 = hi) by (unfold cell_end_of; now rewrite Hfirst).
    assert (HwsT : cell_start c T = lo') by (unfold cell_start, T; now rewrite (window_after_nth _ _ _ _ Elast)).
    assert (HweT : cell_end_of c T = hi') by (unfold cell_end_of, T; now rewrite (window_after_nth _ _ _ _ Elast)).
    assert (Hu'pos : 0 < real_of u') by (rewrite Hu'; now apply (grid_positive_at m c Hc)).
    assert (Hterminal : forall beta, polygon_le (grid_before c T) bottom (cell_start c T)
      (cell_end_of c T) terminal beta (Fn beta)).
    { intros beta z th Hth -> Hz1 Hz2. rewrite HwsT in *. rewrite HweT in *. unfold terminal.
      rewrite !look_terminal by lia.
      assert (Hx : forall y, IZR (cost_below V w alpha (rplus (rmult u' (of_Z y)) (of_Z 0))) <=
        IZR V * cost (real_of u' * IZR y)).
      { intros y. eapply Rle_trans; [apply (cost_below_correct w alpha Htail); auto using ok_rplus, ok_rmult, ok_of_Z|].
        assert (Hr : real_of (rplus (rmult u' (of_Z y)) (of_Z 0)) = real_of u' * IZR y)
          by (rewrite real_rplus, real_rmult, !real_of_Z by auto using ok_rmult, ok_of_Z; ring).
        rewrite Hr. right. reflexivity. }
      eapply Rle_trans; [|apply Rmax_r]. rewrite <- Hu', (cost_between _ z th Hu'pos Hth).
      pose proof (Rmult_le_compat_l (1 - th) _ _ ltac:(lra) (Hx z)).
      pose proof (Rmult_le_compat_l th _ _ ltac:(lra) (Hx (z + 1)%Z)). lra. }
    assert (Hlength : (zlen terminal = Z.max 0 (cell_end_of c T - cell_start c T + 1))%Z).
    { rewrite HwsT, HweT. unfold terminal, terminal_row. now rewrite zlen_along, zlen_counter. }
    destruct (cells_table_le m c true [] bottom terminal B Fn pi Hm Hc
      (fun x => Rmax_l _ _) Hpi Hal ltac:(discriminate) Hterminal Hlength
      (steps m) 0 (cell_windows c) (halvings c) eq_refl eq_refl eq_refl eq_refl) as [_ Htable].
      cbn [cell_rate_at skipn] in Htable. fold v in Htable. rewrite Hws0, Hwe0 in Htable.
    set (H := full_history_law M pi).
    assert (Hsums : (1 - theta) * IZR (L b) + theta * IZR (L (b + 1)%Z) <=
      IZR (initial_den m) * E H (fun h => Fn (left_over m (base c) B (fst h)))).
    { unfold H. rewrite (E_H m pi).
      apply Rle_trans with (IZR (initial_den m) * E (jinit M)
        (fun s => (1 - theta) * IZR (look bottom lo (row_at v s) b) +
        theta * IZR (look bottom lo (row_at v s) (b + 1)))).
      - right. rewrite E_plus, !E_scal. unfold M. rewrite !(E_init m). unfold L. rewrite !IZR_zsum.
        rewrite (sum_ext (initial m) (fun sw => IZR (snd sw * look bottom lo (row_at v (fst sw)) b))
          (fun sw => IZR (snd sw) * IZR (look bottom lo (row_at v (fst sw)) b))) by (intros; apply mult_IZR).
        rewrite (sum_ext (initial m) (fun sw => IZR (snd sw * look bottom lo (row_at v (fst sw)) (b + 1)))
          (fun sw => IZR (snd sw) * IZR (look bottom lo (row_at v (fst sw)) (b + 1)))) by (intros; apply mult_IZR).
        field. lra.
      - apply Rmult_le_compat_l; [lra|]. apply E_le; [now apply is_jmdp_meaning|]. intros s.
        apply (Htable ([], s) eq_refl b theta Htheta); [|assumption | lia]. unfold left_over.
        cbn [fst length discount_sum earned grid_before]. fold u. rewrite HB. ring. }
    assert (Hcost : E H (fun h => Fn (left_over m (base c) B (fst h))) =
      IZR V * E (jreturn_law M pi) (fun z => cost (rho - z))).
    { rewrite <- E_scal. unfold jreturn_law. rewrite E_image. fold H. apply E_ext_as.
      assert (Has : almost_surely H (fun h => length (fst h) = T /\
        B - discount_sum m T * (IZR (most_above m (base c)) / IZR (reward_den m)) <= left_over m (base c) B (fst h) <=
        B + discount_sum m T * (IZR (most_below m (base c)) / IZR (reward_den m))))
          by (apply as_H; intros s; apply (left_range m c Hm pi B s)).
      revert Has. apply as_impl. intros h [Htime Hrange].
      assert (Hend : left_over m (base c) B (fst h) = rho - earned M (fst h))
        by (rewrite (left_at_end m c B h Htime); fold T M; unfold B; rewrite Hshift; ring).
      unfold Fn. rewrite Hend in *. apply Rmax_right. unfold bottom. destruct (Z.eqb_spec (num w) 0) as [E0|E0].
      - apply Rmult_le_pos; [lra|]. unfold cost. eapply Rle_trans; [|apply (cost_ge_left W A HW HA)]. unfold W, real_of.
        rewrite E0. unfold Rdiv. lra.
      - eapply Rle_trans; [apply (cost_below_correct w alpha Htail); assumption|]. apply Rmult_le_compat_l; [lra|].
        apply (c_mono w alpha Htail). rewrite Hdeep. lra. }
    rewrite Hcost in Hsums. pose proof (Hat b ltac:(lia)) as Ha0. pose proof (Hat (b + 1)%Z ltac:(lia)) as Ha1.
    rewrite plus_IZR in Ha1.
    unfold J. fold cost. set (e := E (jreturn_law M pi) (fun z => cost (rho - z))) in *.
    assert (He : (1 - theta) * (IZR (L b) / (IZR V * IZR (initial_den m))) +
      theta * (IZR (L (b + 1)%Z) / (IZR V * IZR (initial_den m))) <= e).
    { apply Rmult_le_reg_l with (IZR V * IZR (initial_den m)); [now apply Rmult_lt_0_compat|].
      replace (IZR V * IZR (initial_den m) * ((1 - theta) * (IZR (L b) / (IZR V * IZR (initial_den m))) +
        theta * (IZR (L (b + 1)%Z) / (IZR V * IZR (initial_den m)))))
        with ((1 - theta) * IZR (L b) + theta * IZR (L (b + 1)%Z)) by (field; lra). lra. }
    pose proof (Rmult_le_compat_l (1 - theta) _ _ ltac:(lra) Ha0).
    pose proof (Rmult_le_compat_l theta _ _ ltac:(lra) Ha1).
    assert (rho = real_of u * (IZR b + theta) + real_of shift) by (rewrite <- HB; unfold B; ring). lra.
  Qed.

  Theorem tail_by_cells_correct V c start choices bound : ok bound ->
    tail_by_cells m V c start choices w alpha bound = true ->
    real_of bound <= Phi (tail_weight W A) (jreturn_law M (policy_of m (ByCells V c start choices))).
  Proof.
    intros Hbound H. unfold tail_by_cells in H.
    destruct (cell_windows c) as [|[lo hi] ws] eqn:Ew; [discriminate|]. rewrite <- Ew in H.
    destruct (window_after (cell_windows c) (steps m)) as [[lo' hi']|] eqn:Elast; [|discriminate].
    set (u := cell_unit c) in *. set (u' := last_cell_unit u (halvings c) (steps m)) in *.
    set (wsum := discount_weights m (steps m)) in *.
    set (shift := rmult wsum (Rat (base c) (reward_den m))) in *.
    set (highest := rplus (rmult u (of_Z start)) (rmult wsum (Rat (most_below m (base c)) (reward_den m)))) in *.
    set (bottom := (- cost_above V w alpha highest)%Z) in *.
    set (terminal := terminal_row (fun x => (- cost_above V w alpha x)%Z) u' (of_Z 0) lo' hi') in *. cbv zeta in H.
    repeat rewrite andb_true_iff in H. destruct H as [[[[[HV Hc] Hlo] Hhi] Hlohi'] Hlook].
    apply Z.ltb_lt in HV, Hhi. apply Z.leb_le in Hlo, Hlohi'.
    destruct (tail_facts w alpha Htail) as [Hokw [_ [_ [HW HA]]]].
    destruct (good_facts m Hm) as [_ [_ [G3 [G4 _]]]]. pose proof (IZR_lt _ _ HV) as HV'.
    pose proof (IZR_lt _ _ G4) as G4'. pose proof (IZR_lt _ _ G3) as G3'.
    destruct (cells_facts m c Hc) as [Hu1 [Hu2 _]]. assert (Hoku : ok u) by exact Hu2.
    assert (Hu : 0 < real_of u) by now apply real_of_sign.
    destruct (discount_weights_correct m Hm (steps m)) as [Hoksum Hsum]. fold wsum in Hoksum, Hsum. fold T in Hsum.
    destruct (last_cell_unit_correct m c Hc) as [Hoku' Hu']. fold u u' in Hoku', Hu'. fold T in Hu'.
    assert (Hokq : forall z, ok (Rat z (reward_den m))) by (intros z; exact G3).
    assert (Hreal : forall z, real_of (Rat z (reward_den m)) = IZR z / IZR (reward_den m)) by reflexivity.
    assert (Hokshift : ok shift) by (unfold shift; auto using ok_rmult).
    assert (Hshift : real_of shift = discount_sum m T * (IZR (base c) / IZR (reward_den m)))
      by (unfold shift; rewrite real_rmult, Hsum, Hreal by auto; reflexivity).
    assert (Hokhigh : ok highest) by (unfold highest; auto using ok_rplus, ok_rmult, ok_of_Z).
    assert (Hhigh : real_of highest = real_of u * IZR start +
      discount_sum m T * (IZR (most_below m (base c)) / IZR (reward_den m))).
    { unfold highest. rewrite real_rplus, !real_rmult, real_of_Z, Hsum, Hreal by auto using ok_rmult, ok_of_Z.
      reflexivity. }
    set (pi := policy_of m (ByCells V c start choices)). set (B := real_of u * IZR start).
    assert (Hpi : is_jpolicy pi) by apply is_jpolicy_playing.
    assert (Hal : plays_allowed M pi) by apply plays_allowed_playing.
    assert (Hlaw : is_law (jreturn_law M pi)) by (apply law_jreturn; [now apply is_jmdp_meaning | assumption]).
    set (v := cells_table m false (base c) bottom terminal (cell_rate_0 m c) (cell_windows c) (halvings c)
      (steps m) choices) in *.
    set (Fn := fun x => Rmax (IZR bottom) (- (IZR V * cost x))).
    assert (Hfirst : nth_error (cell_windows c) 0 = Some (lo, hi)) by now rewrite Ew.
    assert (Hws0 : cell_start c 0 = lo) by (unfold cell_start; now rewrite Hfirst).
    assert (Hwe0 : cell_end_of c 0 = hi) by (unfold cell_end_of; now rewrite Hfirst).
    assert (HwsT : cell_start c T = lo') by (unfold cell_start, T; now rewrite (window_after_nth _ _ _ _ Elast)).
    assert (HweT : cell_end_of c T = hi') by (unfold cell_end_of, T; now rewrite (window_after_nth _ _ _ _ Elast)).
    assert (Hu'pos : 0 < real_of u') by (rewrite Hu'; now apply (grid_positive_at m c Hc)).
    assert (Hterminal : forall beta, polygon_le (grid_before c T) bottom (cell_start c T)
      (cell_end_of c T) terminal beta (Fn beta)).
    { intros beta z th Hth -> Hz1 Hz2. rewrite HwsT in *. rewrite HweT in *. unfold terminal.
      rewrite !look_terminal by lia.
      assert (Hx : forall y, IZR (- cost_above V w alpha (rplus (rmult u' (of_Z y)) (of_Z 0))) <=
        - (IZR V * cost (real_of u' * IZR y))).
      { intros y. rewrite opp_IZR. apply Ropp_le_contravar.
        assert (Hr : real_of (rplus (rmult u' (of_Z y)) (of_Z 0)) = real_of u' * IZR y)
          by (rewrite real_rplus, real_rmult, !real_of_Z by auto using ok_rmult, ok_of_Z; ring).
        rewrite <- Hr. apply (cost_above_correct w alpha Htail). auto using ok_rplus, ok_rmult, ok_of_Z. }
      eapply Rle_trans; [|apply Rmax_r]. rewrite <- Hu', (cost_between _ z th Hu'pos Hth).
      pose proof (Rmult_le_compat_l (1 - th) _ _ ltac:(lra) (Hx z)).
      pose proof (Rmult_le_compat_l th _ _ ltac:(lra) (Hx (z + 1)%Z)). lra. }
    assert (Hlength : (zlen terminal = Z.max 0 (cell_end_of c T - cell_start c T + 1))%Z).
    { rewrite HwsT, HweT. unfold terminal, terminal_row. now rewrite zlen_along, zlen_counter. }
    destruct (cells_table_le m c false choices bottom terminal B Fn pi Hm Hc (fun x => Rmax_l _ _) Hpi Hal
      (fun _ => eq_refl) Hterminal Hlength
      (steps m) 0 (cell_windows c) (halvings c) eq_refl eq_refl eq_refl eq_refl) as [_ Htable].
      cbn [cell_rate_at skipn] in Htable. fold v in Htable. rewrite Hws0, Hwe0 in Htable.
    set (H := full_history_law M pi). set (rho := B + real_of shift).
    assert (Hcost : E H (fun h => Fn (left_over m (base c) B (fst h))) =
      - (IZR V * E (jreturn_law M pi) (fun z => cost (rho - z)))).
    { rewrite <- E_scal. replace (- E (jreturn_law M pi) (fun z => IZR V * cost (rho - z)))
        with ((-1) * E (jreturn_law M pi) (fun z => IZR V * cost (rho - z))) by ring.
      rewrite <- E_scal. unfold jreturn_law. rewrite E_image. fold H. apply E_ext_as.
      assert (Has : almost_surely H (fun h => length (fst h) = T /\
        B - discount_sum m T * (IZR (most_above m (base c)) / IZR (reward_den m)) <= left_over m (base c) B (fst h) <=
        B + discount_sum m T * (IZR (most_below m (base c)) / IZR (reward_den m))))
          by (apply as_H; intros s; apply (left_range m c Hm pi B s)).
      revert Has. apply as_impl. intros h [Htime Hrange].
      assert (Hend : left_over m (base c) B (fst h) = rho - earned M (fst h))
        by (rewrite (left_at_end m c B h Htime); fold T M; unfold rho; rewrite Hshift; ring).
      unfold Fn. rewrite Hend in *. rewrite Rmax_right; [ring|]. unfold bottom. rewrite opp_IZR.
      apply Ropp_le_contravar.
      eapply Rle_trans; [|apply (cost_above_correct w alpha Htail); assumption]. apply Rmult_le_compat_l; [lra|].
      apply (c_mono w alpha Htail). rewrite Hhigh. unfold B in Hrange. lra. }
    assert (Hsums : IZR (start_look m bottom lo v start) <=
      IZR (initial_den m) * E H (fun h => Fn (left_over m (base c) B (fst h)))).
    { unfold H. rewrite (E_H m pi).
      apply Rle_trans with (IZR (initial_den m) * E (jinit M) (fun s => IZR (look bottom lo (row_at v s) start))).
      - right. unfold M. rewrite (E_init m). unfold start_look. rewrite IZR_zsum.
        rewrite (sum_ext (initial m) _ (fun sw => IZR (snd sw) * IZR (look bottom lo (row_at v (fst sw)) start)))
          by (intros; apply mult_IZR). field. lra.
      - apply Rmult_le_compat_l; [lra|]. apply E_le; [now apply is_jmdp_meaning|]. intros s.
        assert (Hone := Htable ([], s) eq_refl start 0 ltac:(lra)).
        rewrite Rminus_0_r, Rmult_1_l, Rmult_0_l, !Rplus_0_r in Hone.
        apply Hone; [|assumption | lia]. unfold left_over. cbn [fst length discount_sum earned grid_before]. unfold B.
        fold u. ring. }
    rewrite Hcost in Hsums.
    eapply Rle_trans; [|apply (J_le_Phi W A HW HA _ rho Hlaw)].
    apply rat_le_correct in Hlook; [|assumption|].
    2: { apply ok_rplus; [auto using ok_rplus, ok_rmult, ok_of_Z | unfold ok; cbn [den]; now apply Z.mul_pos_pos]. }
    rewrite !real_rplus, real_rmult, real_of_Z in Hlook;
      [|assumption | apply ok_of_Z | auto using ok_rmult, ok_of_Z | assumption | auto using ok_rplus, ok_rmult,
        ok_of_Z | unfold ok; cbn [den]; now apply Z.mul_pos_pos].
    eapply Rle_trans; [exact Hlook|]. unfold J. fold cost.
    set (e := E (jreturn_law M pi) (fun z => cost (rho - z))) in *.
    unfold real_of at 3; cbn [num den]. rewrite mult_IZR.
    assert (IZR (start_look m bottom lo v start) / (IZR V * IZR (initial_den m)) <= - e).
    { apply Rmult_le_reg_l with (IZR V * IZR (initial_den m)); [now apply Rmult_lt_0_compat|].
      replace (IZR V * IZR (initial_den m) * (IZR (start_look m bottom lo v start) / (IZR V * IZR (initial_den m))))
        with (IZR (start_look m bottom lo v start)) by (field; lra). lra. }
    unfold rho, B. lra.
  Qed.
End Route.
