(** * The tables of cells are lower bounds

    [cells_table_le]: at every step the polygon through a table is at most the expected cost of every policy, and,
    for the table of one policy, at most minus the expected cost of the policy that plays by cells. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check InterpolationCheck CellsCheck
  LawCheck Meaning ModelFacts RatFacts TablesBelow TablesAbove Budgets Means CostBounds TailObjective TailRoute
  Interpolation Coarser PlayedRow CellEnds.
Import ListNotations.
Open Scope R_scope.

Section Table.
  Variables (m : model) (c : cells) (all : bool) (choices : list budget_rows) (bottom : Z) (terminal : list Z)
    (budget : R) (Fn : R -> R).
  Variable pi : jpolicy positive Z Z.
  Hypothesis Hm : good_model m = true.
  Hypothesis Hc : good_cells m c = true.
  Hypothesis Hfloor : forall x, IZR bottom <= Fn x.
  Hypothesis Hpi : is_jpolicy pi.
  Hypothesis Hal : plays_allowed (meaning m) pi.
  Hypothesis Hplays : all = false -> pi = playing m (cell_choice m c budget choices).
  Let M := meaning m.
  Let T := length (steps m).
  Let gamma := real_of (discount_rate m).
  Let left (h : jhistory positive Z Z) := left_over m (base c) budget (fst h).
  Definition cell_end_of (t : nat) : Z := match nth_error (cell_windows c) t with Some (_, hi) => hi | None => 0%Z end.
  Hypothesis Hterminal : forall beta, polygon_le (grid_before c T) bottom (cell_start c T) (cell_end_of T) terminal beta
    (Fn beta).
  Hypothesis Hlength : (zlen terminal = Z.max 0 (cell_end_of T - cell_start c T + 1))%Z.

  Lemma cells_facts : (0 < num (cell_unit c))%Z /\ (0 < den (cell_unit c))%Z /\ length (halvings c) = length (steps m).
  Proof.
    unfold good_cells in Hc. repeat rewrite andb_true_iff in Hc. rewrite !Z.ltb_lt, Z.eqb_eq in Hc.
    destruct Hc as [[H1 H2] H3]. repeat split; try assumption.
    assert (Hz : forall X (l : list X), zlen l = Z.of_nat (length l))
      by (intros X l; induction l as [|x l IH]; cbn [zlen length]; lia).
    rewrite !Hz in H3. lia.
  Qed.

  Lemma grid_positive_at t : 0 < grid_before c t.
  Proof.
    destruct cells_facts as [H1 [H2 _]]. induction t as [|t IH]; cbn [grid_before]; [now apply real_of_sign|].
    apply Rmult_lt_0_compat; [assumption | apply Rinv_0_lt_compat, pow2_pos].
  Qed.

  Fixpoint cell_rate_at (t : nat) : rat :=
    match t with O => cell_rate_0 m c | S t' => cell_rate_next m (fine_rate (halvings_at c t') (cell_rate_at t')) end.
  Definition fine_at (t : nat) : rat := fine_rate (halvings_at c t) (cell_rate_at t).

  Lemma rate_facts t : ok (cell_rate_at t) /\
    real_of (cell_rate_at t) * grid_before c t = gamma ^ t / IZR (reward_den m).
  Proof.
    destruct cells_facts as [H1 [H2 _]]. destruct (good_facts m Hm) as [G1 [G2 [G3 _]]].
    induction t as [|t [IH1 IH2]].
    - split; [unfold ok; cbn [cell_rate_at cell_rate_0 den]; now apply Z.mul_pos_pos|].
      cbn [cell_rate_at grid_before pow]. unfold real_of, cell_rate_0; cbn [num den].
      apply IZR_lt in H1, H2, G3. rewrite mult_IZR. field. lra.
    - split; [unfold ok in *; cbn [cell_rate_at cell_rate_next fine_rate den]; now apply Z.mul_pos_pos|].
      cbn [cell_rate_at grid_before pow]. unfold real_of at 1; cbn [cell_rate_next fine_rate num den].
      rewrite !mult_IZR, IZR_doubled.
      unfold real_of at 1 in IH2. unfold gamma, real_of. unfold ok in IH1. apply IZR_lt in IH1, G2, G3.
      pose proof (pow2_pos (halvings_at c t)).
      replace (2 ^ halvings_at c t * IZR (num (cell_rate_at t)) * IZR (num (discount_rate m)) /
        (IZR (den (cell_rate_at t)) * IZR (den (discount_rate m))) *
        (grid_before c t / 2 ^ halvings_at c t))
          with (IZR (num (cell_rate_at t)) / IZR (den (cell_rate_at t)) * grid_before c t *
          (IZR (num (discount_rate m)) / IZR (den (discount_rate m))))
        by (field; lra).
      rewrite IH2. unfold gamma, real_of. field. lra.
  Qed.

  Lemma ok_fine t : ok (fine_at t).
  Proof. unfold ok, fine_at; cbn [fine_rate den]. apply rate_facts. Qed.

  Lemma reward_in_cells t o : gamma ^ t * (IZR (gain o) / IZR (reward_den m)) =
    grid_before c (S t) * (IZR (whole (fine_at t) o) + IZR (part (fine_at t) o) / IZR (den (fine_at t))).
  Proof.
    destruct (rate_facts t) as [Hr Hrate]. pose proof (ok_fine t) as Hf. pose proof (ok_pos _ Hf) as Hd.
    pose proof (pow2_pos (halvings_at c t)) as Hp.
    destruct (good_facts m Hm) as [_ [_ [G3 _]]]. apply IZR_lt in G3. unfold part. rewrite minus_IZR, !mult_IZR.
    replace (grid_before c (S t) * (IZR (whole (fine_at t) o) +
      (IZR (gain o) * IZR (num (fine_at t)) - IZR (whole (fine_at t) o) * IZR (den (fine_at t))) / IZR
      (den (fine_at t))))
      with (IZR (gain o) * (IZR (num (fine_at t)) / IZR (den (fine_at t)) * grid_before c (S t))) by (field; lra).
    replace (IZR (num (fine_at t)) / IZR (den (fine_at t)) * grid_before c (S t))
      with (real_of (cell_rate_at t) * grid_before c t).
    - rewrite Hrate. field. lra.
    - unfold fine_at, fine_rate in *. cbn [grid_before num den] in *. rewrite IZR_doubled. unfold real_of. field. lra.
  Qed.

  (** The budget after an outcome. *)
  Lemma left_extend h i o : left (jextend h i (gain o, next o)) =
    left h - grid_before c (S (jtime h)) * (IZR (whole (fine_at (jtime h)) (shift_outcome (base c) o)) +
      IZR (part (fine_at (jtime h)) (shift_outcome (base c) o)) / IZR (den (fine_at (jtime h)))).
  Proof.
    rewrite <- (reward_in_cells (jtime h) (shift_outcome (base c) o)). unfold left, left_over, jextend, shift_outcome.
    cbn [fst length earned discount_sum gain].
    fold (jtime h). fold gamma. change (discount M) with gamma.
    change (worth (meaning m) (gain o)) with (IZR (gain o) / IZR (reward_den m)).
    change (discount (meaning m)) with gamma. rewrite minus_IZR. unfold jtime. field.
    destruct (good_facts m Hm) as [_ [_ [G3 _]]]. apply IZR_lt in G3. lra.
  Qed.

  Let value n h := E (jrun M pi n h) (fun h' => Fn (left h')).

  Lemma floor_value n h : IZR bottom <= value n h.
  Proof.
    apply E_ge_const; [apply law_jrun; [now apply is_jmdp_meaning | assumption]|]. apply as_always. intros h'.
    apply Hfloor.
  Qed.

  (** One action proves both ends of the cell in which the budget lies. *)
  Section Step.
    Variables (t n : nat) (lo' hi' : Z) (v : values (list Z)).
    Hypothesis Hzl : forall s, (zlen (row_at v s) <= Z.max 0 (hi' - lo' + 1))%Z.
    Let bent := on_rows (bends bottom lo' hi') v.
    Hypothesis Hcap : forall h b theta, jtime h = S t -> 0 <= theta <= 1 ->
      left h = grid_before c (S t) * (IZR b + theta) ->
      (1 - theta) * IZR (look bottom lo' (row_at v (jstate h)) b) +
        theta * IZR (look bottom lo' (row_at v (jstate h)) (b + 1)) <= value n h.
    Let r := fine_at t.

    Lemma bent_look s b : look 0 (lo' - 1) (row_at bent s) b =
      Z.max 0 (look bottom lo' (row_at v s) (b + 1) - 2 * look bottom lo' (row_at v s) b +
        look bottom lo' (row_at v s) (b - 1))%Z.
    Proof.
      destruct (value_at v s) as [row|] eqn:Ev.
      - assert (row_at bent s = bends bottom lo' hi' (row_at v s)) as ->.
        { unfold bent, next_row. destruct v as [row0|table]; cbn [on_rows value_at] in *; [reflexivity|].
          rewrite get_tmap.
          destruct (get s table) as [[row1|]|]; cbn in *; try discriminate. reflexivity. }
        apply (bends_look bottom lo' hi' (row_at v s) b). apply Hzl.
      - assert (row_at bent s = []) as ->.
        { unfold bent, next_row. destruct v as [row0|table]; cbn [on_rows value_at] in *; [discriminate|].
          rewrite get_tmap.
          destruct (get s table) as [[row1|]|]; cbn in *; try discriminate; reflexivity. }
        assert (row_at v s = []) as -> by (unfold next_row; now rewrite Ev). rewrite !look_nil. lia.
    Qed.

    Lemma action_cell (fit : bool) h i a b theta : (fit = true -> rows_fit (hi' - lo' + 1) v = true) ->
      jtime h = t -> znth (actions_at m t (jstate h)) i = Some a -> 0 <= theta <= 1 ->
      left h = grid_before c (S t) * (IZR b + theta) -> let a' := shift_action (base c) a in
      (1 - theta) * (IZR (row_node fit r bottom lo' hi' v bent a' b) - IZR (row_off fit r bottom lo' hi' v bent a' b)) +
        theta * (IZR (row_node fit r bottom lo' hi' v bent a' (b + 1)) - IZR (row_off fit r bottom lo' hi' v bent a' b))
          <=
      E (kernel M t (jstate h) i) (fun os => value n (jextend h i os)).
    Proof.
      intros Hfit Ht Ha Htheta Hleft a'. destruct (action_facts m Hm _ _ _ _ Ha) as [Htot [Hwt _]].
      pose proof (IZR_lt _ _ Htot) as Htot'.
      pose proof (ok_fine t) as Hr. fold r in Hr. set (sh := shift_outcome (base c)).
      rewrite (E_kernel m t (jstate h) i a _ Ha).
      assert (Hstep : forall z s j theta', 0 <= theta' <= 1 ->
        IZR j + theta' = IZR b + theta - (IZR (whole r (Outcome 0 z 1)) + IZR (part r (Outcome 0 z 1)) / IZR (den r)) ->
        (1 - theta') * IZR (look bottom lo' (row_at v s) j) + theta' * IZR (look bottom lo' (row_at v s) (j + 1)) <=
          value n (jextend h i ((z + base c)%Z, s))).
      { intros z s j theta' Hth Hj.
        apply (Hcap (jextend h i ((z + base c)%Z, s)) j theta');
          [unfold jtime, jextend; cbn; unfold jtime in Ht; now rewrite Ht | assumption|].
        pose proof (left_extend h i (Outcome 0 (z + base c) s)) as Hext. cbn [gain next] in Hext.
        rewrite Hext, Ht, Hleft. fold r. rewrite Hj.
        assert (Hz : forall s', (whole r (shift_outcome (base c) (Outcome 0 (z + base c) s)) =
          whole r (Outcome 0 z s') /\
          part r (shift_outcome (base c) (Outcome 0 (z + base c) s)) = part r (Outcome 0 z s'))%Z).
        { intros s'. unfold part, whole, shift_outcome. cbn [gain]. replace (z + base c - base c)%Z with z by lia.
          now split. }
        destruct (Hz 1%positive) as [-> ->]. ring. }
      unfold row_node, row_off, merged. destruct (if fit then factors a' else None) as [[qs ps]|] eqn:Ef.
      - assert (Hboth : fit = true /\ factors a' = Some (qs, ps)) by (destruct fit; [auto | discriminate]).
        destruct Hboth as [Htrue Hfac].
        specialize (Hfit Htrue). destruct (factors_correct a' qs ps Hfac) as [_ [_ [HQ [HP [Hpp [Hqp [Hblocks _]]]]]]].
        set (row := sum_rows bottom (stage_rows v qs) (zeros lo' hi')). set (d := (zsum fst qs * bottom)%Z).
        set (outs := map (fun pz : Z * Z => Outcome (fst pz) (snd pz) 1) ps).
        set (act := Action (zsum fst ps * zsum fst qs) outs).
        assert (HPQ : (0 < total act)%Z) by (cbn [total act]; now apply Z.mul_pos_pos).
        eapply Rle_trans; [apply (ends_average r d lo' (Everywhere row)
          (Everywhere (bends d lo' hi' row)) act b theta Hr HPQ Htheta)|].
        pose proof (IZR_lt _ _ HPQ) as HPQ'.
        set (f := fun z s => value n (jextend h i ((z + base c)%Z, s))).
        replace (/ IZR (total a) * sum (outcomes a) (fun o => IZR (weight o) * value n (jextend h i (gain o, next o))))
          with (/ IZR (total act) * sum ps (fun pz =>
            IZR (fst pz) * sum qs (fun q => IZR (fst q) * f (snd pz) (snd q)))).
        2: { pose proof (are_blocks_real _ _ f _ _ _ Hblocks) as Hreal. change (total a') with (total a) in Hreal.
        change (zsum fst ps * zsum fst qs)%Z with (total act) in Hreal.
             assert (Hsum : sum (outcomes a') (fun o => IZR (weight o) * f (gain o) (next o)) =
               sum (outcomes a) (fun o => IZR (weight o) * value n (jextend h i (gain o, next o)))).
             { unfold a', shift_action. cbn [outcomes]. rewrite sum_map. apply sum_ext. intros o _. unfold f.
               cbn [shift_outcome weight gain next].
               replace (gain o - base c + base c)%Z with (gain o) by lia. reflexivity. }
             rewrite Hsum in Hreal. apply Rmult_eq_reg_l with (IZR (total act) * IZR (total a));
               [|apply Rmult_integral_contrapositive; lra].
             set (S1 := sum ps _) in *. set (S2 := sum (outcomes a) _) in *.
             replace (IZR (total act) * IZR (total a) * (/ IZR (total act) * S1)) with (IZR (total a) * S1)
               by (field; lra).
             replace (IZR (total act) * IZR (total a) * (/ IZR (total a) * S2)) with (IZR (total act) * S2)
               by (field; lra). lra. }
        apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|]. unfold act, outs. cbn [outcomes]. rewrite sum_map.
        apply sum_le. intros pz Hpz. cbn [weight].
        apply Rmult_le_compat_l; [apply IZR_le; auto|].
        set (L := fun z => sum qs (fun q => IZR (fst q) * IZR (look bottom lo' (row_at v (snd q)) z))).
        assert (HL : forall z, IZR (look d lo' row z) = L z).
        { intros z. destruct (merged_row_look bottom lo' hi' v qs z Hfit) as [_ Hlook]. fold row d in Hlook.
          rewrite Hlook, IZR_zsum. apply sum_ext. intros q _. apply mult_IZR. }
        destruct (outcome_ends r d lo' (Everywhere row) (Everywhere (bends d lo' hi' row))
          (Outcome (fst pz) (snd pz) 1) b theta L Hr Htheta HL) as [j [theta' [Hth' [Hj Hle]]]].
        { intros z. cbn [next_row value_at]. apply (bends_look d lo' hi' row z).
          destruct (merged_row_look bottom lo' hi' v qs z Hfit) as [Hlen _]. exact Hlen. }
        eapply Rle_trans; [exact Hle|]. unfold L. rewrite <- !sum_scal, <- sum_plus. apply sum_le. intros q Hq.
        pose proof (Hstep (snd pz) (snd q) j theta' Hth' Hj) as Hone. fold (f (snd pz) (snd q)) in Hone.
        pose proof (Hqp q Hq) as Hq0. apply IZR_le in Hq0. pose proof (Rmult_le_compat_l _ _ _ Hq0 Hone). lra.
      - eapply Rle_trans; [apply (ends_average r bottom lo' v bent a' b theta Hr Htot Htheta)|].
        apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|].
        unfold a', shift_action. cbn [outcomes]. rewrite sum_map. apply sum_le. intros o Hino.
        cbn [shift_outcome weight].
        apply Rmult_le_compat_l; [apply IZR_le; auto|].
        destruct (outcome_ends r bottom lo' v bent (sh o) b theta
          (fun z => IZR (look bottom lo' (row_at v (next o)) z)) Hr Htheta (fun z => eq_refl)
          (fun z => bent_look (next o) z))
          as [j [theta' [Hth' [Hj Hle]]]].
        eapply Rle_trans; [exact Hle|]. pose proof (Hstep (gain o - base c)%Z (next o) j theta' Hth' Hj) as Hone.
        replace (gain o - base c + base c)%Z with (gain o) in Hone by lia. exact Hone.
    Qed.
  End Step.

  (** Both tables on the fine grid. *)
  Section Fine.
    Variables (t n : nat) (lo hi lo' hi' : Z) (v : values (list Z)) (acts : list action)
      (choice : option (list (Z * Z))) (h : jhistory positive Z Z).
    Hypothesis Hzl : forall s, (zlen (row_at v s) <= Z.max 0 (hi' - lo' + 1))%Z.
    Let bent := on_rows (bends bottom lo' hi') v.
    Hypothesis Hcap : forall h b theta, jtime h = S t -> 0 <= theta <= 1 ->
      left h = grid_before c (S t) * (IZR b + theta) ->
      (1 - theta) * IZR (look bottom lo' (row_at v (jstate h)) b) +
        theta * IZR (look bottom lo' (row_at v (jstate h)) (b + 1)) <= value n h.
    Hypothesis Ht : jtime h = t.
    Hypothesis Htime : (t < length (steps m))%nat.
    Hypothesis Hacts : actions_at m t (jstate h) = acts.
    Hypothesis Hne : acts <> [].
    Hypothesis Hlohi : (lo <= hi)%Z.
    Hypothesis Hruns : forall runs, choice = Some runs -> runs_for choices t (jstate h) = runs.
    Hypothesis Hstart : lo = doubled (halvings_at c t) (cell_start c t).
    Variable fit : bool.
    Hypothesis Hfit : fit = true -> rows_fit (hi' - lo' + 1) v = true.
    Let rows := action_rows fit (fine_at t) bottom lo hi lo' hi' v bent.
    Let N := row_node fit (fine_at t) bottom lo' hi' v bent.
    Let O := row_off fit (fine_at t) bottom lo' hi' v bent.
    Let row := fine_row all rows bottom choice (map (shift_action (base c)) acts).
    Hypothesis Hlen : (zlen row = hi - lo + 1)%Z.

    Lemma value_next_step : value (S n) h = E (pi h)
      (fun i => E (kernel M t (jstate h) i) (fun os => value n (jextend h i os))).
    Proof. unfold value. now rewrite E_jrun_S, E_jstep, Ht. Qed.

    Lemma fine_polygon : polygon_le (grid_before c (S t)) bottom lo hi row (left h) (value (S n) h).
    Proof.
      intros b theta Htheta Hbeta Hlo Hhi. unfold row, fine_row in *. destruct all eqn:Eall.
      - rewrite (map_ext _ (fun a => along (fun z => N a z - Z.max (O a (z - 1)) (O a z))%Z lo (counter lo hi)))
          by (intros a; unfold rows; rewrite action_rows_along; apply lowered_counter).
        destruct (least_along (fun a z => N a z - Z.max (O a (z - 1)) (O a z))%Z lo (counter lo hi)
          (map (shift_action (base c)) acts)) as [F [-> HF]]; [destruct acts; [congruence | discriminate]|].
        rewrite !look_along by (rewrite zlen_counter; lia). rewrite value_next_step. apply E_ge_const; [apply Hpi|].
        pose proof (Hal h ltac:(rewrite Ht; exact Htime)) as Has. rewrite Ht in Has. revert Has. apply as_impl.
        intros i Hi.
        apply allowed_listed in Hi; [|now rewrite Hacts]. destruct Hi as [a Ha].
        assert (Hin : In (shift_action (base c) a) (map (shift_action (base c)) acts))
          by (apply in_map; rewrite <- Hacts; now apply znth_In in Ha).
        pose proof (HF _ b Hin) as H1. pose proof (HF _ (b + 1)%Z Hin) as H2. replace (b + 1 - 1)%Z with b in H2 by lia.
        assert (H1' : (F b <= N (shift_action (base c) a) b - O (shift_action (base c) a) b)%Z) by lia.
        assert (H2' : (F (b + 1) <= N (shift_action (base c) a) (b + 1) - O (shift_action (base c) a) b)%Z) by lia.
        apply IZR_le in H1', H2'. rewrite minus_IZR in H1', H2'.
        eapply Rle_trans; [|apply (action_cell t n lo' hi' v Hzl Hcap fit h i a b theta Hfit Ht Ha Htheta Hbeta)].
        apply Rplus_le_compat; (apply Rmult_le_compat_l; [lra | assumption]).
      - destruct choice as [runs|]; [|cbn [zlen] in Hlen; lia].
        destruct (played_row_cells rows bottom lo hi N O runs (map (shift_action (base c)) acts) Hlohi
          (fun a => action_rows_along _ _ _ _ _ _ _ _ _ a) Hlen) as [Hfirst [Hlast Hcells]].
        set (played := played_row _ _ _ _) in *. set (x := left h / grid_before c (S t)).
        pose proof (grid_positive_at (S t)) as Hu.
        assert (Hx : x = IZR b + theta) by (unfold x; rewrite Hbeta; field; lra).
        pose proof (cell_of_spec x) as Hk. set (k := cell_of x) in *.
        apply IZR_le in Hfirst, Hlast. pose proof (floor_value (S n) h) as Hfl.
        destruct (Z_lt_le_dec k lo) as [Hk1|Hk1].
        { (* the budget is the first node *)
          assert (IZR k + 1 <= IZR lo) by (rewrite <- plus_IZR; apply IZR_le; lia).
          assert (IZR lo <= IZR b) by now apply IZR_le.
          assert (theta = 0) by lra. assert (IZR b = IZR lo) by lra. assert (b = lo) by now apply eq_IZR. subst b theta.
          rewrite Rminus_0_r, Rmult_1_l, Rmult_0_l, Rplus_0_r. lra. }
        destruct (Z_lt_le_dec k hi) as [Hk2|Hk2].
        2: { (* it is the last node *)
          assert (IZR hi <= IZR k) by now apply IZR_le.
          assert (IZR b + 1 <= IZR hi) by (rewrite <- plus_IZR; apply IZR_le; lia).
          assert (theta = 1) by lra. assert (IZR (b + 1) = IZR hi) by (rewrite plus_IZR; lra).
          assert (Hbh : (b + 1 = hi)%Z) by now apply eq_IZR. subst theta. rewrite Hbh.
          rewrite Rminus_diag_eq by reflexivity. lra. }
        destruct (Hcells k ltac:(lia)) as [a' [Ha' [H1 H2]]]. rewrite znth_map in Ha'.
        destruct (znth acts (run_at runs (k - lo))) as [a|] eqn:Ea; [|discriminate]. cbn in Ha'. injection Ha' as <-.
        set (theta' := x - IZR k). assert (Htheta' : 0 <= theta' <= 1) by (unfold theta'; lra).
        rewrite <- (same_place k theta' b theta Htheta' Htheta ltac:(unfold theta';
          lra) (fun z => IZR (look bottom lo played z))).
        rewrite value_next_step, (Hplays eq_refl). unfold playing at 1. rewrite E_ret, Ht, Hacts.
        unfold valid, cell_choice. rewrite Ht, (Hruns runs eq_refl), <- Hstart.
        change (left_over m (base c) budget (fst h)) with (left h). fold x. fold k. rewrite Z.max_r by lia. rewrite Ea.
        rewrite <- Hacts in Ea. apply IZR_le in H1, H2. rewrite minus_IZR in H1, H2.
        eapply Rle_trans; [|apply (action_cell t n lo' hi' v Hzl Hcap fit h _ a k theta' Hfit Ht Ea Htheta')].
        + apply Rplus_le_compat; (apply Rmult_le_compat_l; [lra | assumption]).
        + unfold theta', x. field. lra.
    Qed.
  End Fine.

  Theorem cells_table_le : forall sts t ws hs,
    skipn t (steps m) = sts -> skipn t (cell_windows c) = ws -> skipn t (halvings c) = hs -> (t + length sts = T)%nat ->
    let v := cells_table m all (base c) bottom terminal (cell_rate_at t) ws hs sts (skipn t choices) in
    (forall s, (zlen (row_at v s) = Z.max 0 (cell_end_of t - cell_start c t + 1))%Z \/ row_at v s = []) /\
    forall h, jtime h = t -> polygon_le (grid_before c t) bottom (cell_start c t) (cell_end_of t) (row_at v (jstate h))
      (left h) (value (length sts) h).
  Proof.
    assert (Hnil : forall u lo hi beta n h, polygon_le u bottom lo hi [] beta (value n h)).
    { intros u lo hi beta n h b theta Htheta _ _ _. rewrite !look_nil. pose proof (floor_value n h). lra. }
    assert (Hleaf : forall t n, (forall s, (zlen (row_at (At Leaf) s) =
      Z.max 0 (cell_end_of t - cell_start c t + 1))%Z \/ row_at (At Leaf) s = []) /\
      forall h, jtime h = t -> polygon_le (grid_before c t) bottom (cell_start c t) (cell_end_of t)
        (row_at (At Leaf) (jstate h)) (left h) (value n h)).
    { intros t n. split; [intros s; right; apply row_at_leaf | intros h _; rewrite row_at_leaf; apply Hnil]. }
    induction sts as [|st sts IH]; intros t ws hs Hsts Hws Hhs Hlen v.
    - assert (Ht : t = T) by (cbn in Hlen; lia). subst t. split; [intros s; left; exact Hlength|].
      intros h _. unfold value. cbn [length jrun]. rewrite E_ret. apply Hterminal.
    - destruct (skipn_cons _ _ _ _ Hsts) as [Hst Hrest]. subst v. cbn [cells_table].
      destruct ws as [|[lo hi] ws]; [apply Hleaf|]. destruct ws as [|[lo' hi'] ws]; [apply Hleaf|].
      destruct hs as [|h0 hs]; [apply Hleaf|].
      destruct (skipn_cons _ _ _ _ Hws) as [Hw Hwrest]. destruct (skipn_cons _ _ _ _ Hwrest) as [Hw' _].
      destruct (skipn_cons _ _ _ _ Hhs) as [Hh Hhrest]. cbn [tl].
      assert (Hlo0 : cell_start c t = lo) by (unfold cell_start; now rewrite Hw).
      assert (Hhi0 : cell_end_of t = hi) by (unfold cell_end_of; now rewrite Hw).
      assert (Hlo1 : cell_start c (S t) = lo') by (unfold cell_start; now rewrite Hw').
      assert (Hhi1 : cell_end_of (S t) = hi') by (unfold cell_end_of; now rewrite Hw').
      assert (Hn : Z.to_nat h0 = halvings_at c t) by (unfold halvings_at; now rewrite (nth_error_nth _ _ _ Hh)).
      destruct (IH (S t) ((lo', hi') :: ws) hs Hrest Hwrest Hhrest ltac:(cbn in Hlen; lia)) as [IHlen IHle]. clear IH.
      rewrite skipn_tl in IHlen, IHle. rewrite Hn. fold (fine_at t). cbn [cell_rate_at] in IHlen, IHle.
      fold (fine_at t) in IHlen, IHle.
      set (v0 := cells_table m all (base c) bottom terminal (cell_rate_next m (fine_at t)) ((lo', hi') :: ws) hs sts
        (tl (skipn t choices))) in *. rewrite Hlo1, Hhi1 in IHlen, IHle.
      set (v := on_rows (cap_ends bottom) v0).
      assert (Hrow : forall s, row_at v s = cap_ends bottom (row_at v0 s)) by (intros s; now apply row_at_on_rows).
      assert (Hzl : forall s, (zlen (row_at v s) <= Z.max 0 (hi' - lo' + 1))%Z).
      { intros s. rewrite Hrow, (proj1 (cap_ends_spec bottom (row_at v0 s))).
        destruct (IHlen s) as [->| ->]; cbn [zlen]; lia. }
      assert (Hcap : forall h b theta, jtime h = S t -> 0 <= theta <= 1 ->
        left h = grid_before c (S t) * (IZR b + theta) ->
        (1 - theta) * IZR (look bottom lo' (row_at v (jstate h)) b) +
          theta * IZR (look bottom lo' (row_at v (jstate h)) (b + 1)) <= value (length sts) h).
      { intros h b theta Ht Htheta Hleft. rewrite Hrow.
        destruct (cap_ends_look bottom lo' (row_at v0 (jstate h)) b) as [C1 C2].
        destruct (cap_ends_look bottom lo' (row_at v0 (jstate h)) (b + 1)) as [C3 C4].
        pose proof (floor_value (length sts) h) as Hlow.
        destruct (IHlen (jstate h)) as [Hl|Hl].
        - destruct (Z_le_gt_dec lo' b) as [Hb1|Hb1]; [destruct (Z_le_gt_dec (b + 1) hi') as [Hb2|Hb2]|].
          + eapply Rle_trans; [|apply (IHle h Ht b theta Htheta Hleft Hb1 Hb2)].
            assert (Ha := C1 ltac:(lia)). assert (Hb := C3 ltac:(lia)). apply IZR_le in Ha, Hb.
            apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
          + assert (Ha := C2 ltac:(lia)). assert (Hb := C4 ltac:(lia)). apply IZR_le in Ha, Hb.
            pose proof (Rmult_le_compat_l (1 - theta) _ _ ltac:(lra) Ha).
            pose proof (Rmult_le_compat_l theta _ _ ltac:(lra) Hb). lra.
          + assert (Ha := C2 ltac:(lia)). assert (Hb := C4 ltac:(lia)). apply IZR_le in Ha, Hb.
            pose proof (Rmult_le_compat_l (1 - theta) _ _ ltac:(lra) Ha).
            pose proof (Rmult_le_compat_l theta _ _ ltac:(lra) Hb). lra.
        - rewrite Hl. change (cap_ends bottom []) with (@nil Z). rewrite !look_nil. lra. }
      set (bent := on_rows (bends bottom lo' hi') v).
      assert (Hstate : forall s acts row, get s st = Some acts ->
        state_cells all (rows_fit (hi' - lo' + 1) v) (halvings_at c t) (fine_at t) bottom (base c) lo hi lo' hi' v bent
          (get s (first_tree (skipn t choices))) acts = Some row ->
        (zlen row = hi - lo + 1)%Z /\ forall h, jtime h = t -> jstate h = s ->
        polygon_le (grid_before c t) bottom lo hi row (left h) (value (length (st :: sts)) h)).
      { intros s acts row Ea Hs. unfold state_cells in Hs.
        set (choice := get s (first_tree (skipn t choices))) in *.
        set (fine := fine_row all (action_rows (rows_fit (hi' - lo' + 1) v) (fine_at t) bottom
          (doubled (halvings_at c t) lo) (doubled (halvings_at c t) hi) lo' hi' v bent) bottom choice
          (map (shift_action (base c)) acts)) in *.
        destruct ((zlen fine =? doubled (halvings_at c t) hi - doubled (halvings_at c t) lo + 1)%Z && (lo <=? hi)%Z)
          eqn:E; [|discriminate]. injection Hs as <-.
        apply andb_true_iff in E. destruct E as [E1 E2]. apply Z.eqb_eq in E1. apply Z.leb_le in E2.
        split; [now apply zlen_coarsened|]. intros h Ht Hs. apply coarsened_polygon_le; [assumption | assumption|].
        change (grid_before c t / 2 ^ halvings_at c t) with (grid_before c (S t)). cbn [length].
        apply (fine_polygon t (length sts) (doubled (halvings_at c t) lo)
          (doubled (halvings_at c t) hi) lo' hi' v acts choice h Hzl Hcap Ht).
        - cbn [length] in Hlen. unfold T in Hlen. lia.
        - rewrite Hs. unfold actions_at. now rewrite Hst, Ea.
        - apply (listed_nonempty m Hm t st s); assumption.
        - now apply doubled_le.
        - intros runs Hr. unfold runs_for. rewrite Hs. unfold choice in Hr.
          assert (Hfirst : first_tree (skipn t choices) = match nth_error choices t with Some x => x | None => Leaf end)
            by apply first_tree_at.
          rewrite Hfirst in Hr.
          destruct (nth_error choices t) as [cs|]; [now rewrite Hr | destruct s; discriminate].
        - now rewrite Hlo0.
        - reflexivity || auto.
        - exact E1. }
      assert (Hrow' : forall s, row_at (At (tzip
        (state_cells all (rows_fit (hi' - lo' + 1) v) (halvings_at c t) (fine_at t) bottom
        (base c) lo hi lo' hi' v bent) (first_tree (skipn t choices)) st)) s =
        match get s st with
        | Some acts => match state_cells all (rows_fit (hi' - lo' + 1) v) (halvings_at c t) (fine_at t) bottom
          (base c) lo hi lo' hi' v bent (get s (first_tree (skipn t choices))) acts
          with Some row => row | None => [] end
        | None => []
        end).
      { intros s. unfold next_row. cbn [value_at]. rewrite get_tzip.
        destruct (get s st) as [acts|]; cbn [join]; [|reflexivity].
        match goal with |- context [join (Some ?x)] =>
          now destruct x | |- context [match ?x with Some _ => _ | None => [] end] => now destruct x end. }
      rewrite Hlo0, Hhi0. split.
      + intros s. rewrite Hrow'. destruct (get s st) as [acts|] eqn:Ea; [|now right].
        match goal with |- context [match ?x with Some _ => _ | None => [] end] => destruct x as [row|] eqn:Es;
          [|now right] end.
        left. destruct (Hstate s acts row Ea Es) as [Hz _]. pose proof (zlen_nonneg row). lia.
      + intros h Ht. rewrite Hrow'. destruct (get (jstate h) st) as [acts|] eqn:Ea; [|apply Hnil].
        match goal with |- context [match ?x with Some _ => _ | None => [] end] => destruct x as [row|] eqn:Es;
          [|apply Hnil] end.
        exact (proj2 (Hstate (jstate h) acts row Ea Es) h Ht eq_refl).
  Qed.
End Table.
