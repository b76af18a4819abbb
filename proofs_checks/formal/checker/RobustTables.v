(** * An upper bound for the cost of the certificate's policy, whatever an opponent does

    Every action of the policy stands for a group of actions of the model, and an opponent plays any of them, at random
    and with regard to the whole history.  [cost_le_robust_table]: the expected terminal cost is at most what the table
    says.  [robust_cost_above]: so is that of the budget that is left at the end. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Mixing Program Check Meaning ModelFacts
  RatFacts
  TablesBelow TablesAbove Budgets Means CostBounds DataCheck.
Import ListNotations.
Open Scope R_scope.

Section Rows.
  Open Scope Z_scope.
  Variables (g : grid) (r : rat) (under lo hi lo' hi' : Z) (v : values (list Z)).
  Hypothesis Hstretch : 0 < stretch g.
  Hypothesis Hshrink : 0 < shrink g.
  Let fit := rows_fit (hi' - lo' + 1) v.
  Let bound_above (a : action) (b : Z) : Z := averaged g r cdiv under fit lo lo' (zeros lo' hi') v a b.

  Fixpoint group_bound (acts : list action) (b : Z) : Z :=
    match acts with
    | [] => 0
    | a :: acts' => match acts' with [] => bound_above a b | _ :: _ => Z.max (bound_above a b) (group_bound acts' b) end
    end.

  Lemma group_bound_ge acts a b : In a acts -> bound_above a b <= group_bound acts b.
  Proof.
    induction acts as [|a' acts IH]; intros H; [destruct H|]. cbn [group_bound].
    destruct acts as [|a2 acts]; [destruct H as [->|[]]; lia|].
    destruct H as [->|H]; [lia | specialize (IH H); lia].
  Qed.

  Lemma group_above_along acts : forall row,
    group_above g r under fit lo hi lo' hi' (zeros lo hi) (zeros lo' hi') v acts = Some row ->
    row = along (group_bound acts) lo (counter lo hi) /\
    forall a o, In a acts -> In o (outcomes a) -> sound_outcome g r lo hi lo' hi' v o.
  Proof.
    induction acts as [|a acts IH]; intros row H; cbn [group_above] in H; [discriminate|].
    destruct (action_above g r under fit lo hi lo' hi' (zeros lo hi) (zeros lo' hi') v a) as [row1|] eqn:E1;
      [|discriminate].
    apply action_above_along in E1; [|assumption | assumption]. destruct E1 as [-> H1]. destruct acts as [|a2 acts].
    - injection H as <-. split; [reflexivity|]. intros a' o [->|[]]. apply H1.
    - destruct (group_above g r under fit lo hi lo' hi' (zeros lo hi) (zeros lo' hi') v (a2 :: acts)) as [row2|] eqn:E2;
        [|discriminate].
      destruct (IH row2 eq_refl) as [-> H2]. injection H as <-. split; [apply zmap2_along|].
      intros a' o [->|Hin]; [apply H1 | now apply H2].
  Qed.

  Lemma used_groups_inv runs l : forall i j row,
    znth (used_groups g r under fit lo hi lo' hi' (zeros lo hi) (zeros lo' hi') v runs i l) j = Some (Some row) ->
    exists acts, znth l j = Some acts /\
      group_above g r under fit lo hi lo' hi' (zeros lo hi) (zeros lo' hi') v acts = Some row.
  Proof.
    induction l as [|acts l IH]; intros i j row; cbn [used_groups znth]; [discriminate|].
    destruct (j =? 0); intros H; [|now apply (IH (i + 1))].
    injection H as H. exists acts. split; [reflexivity|]. destruct (is_used runs i); [assumption | discriminate].
  Qed.

  Lemma znth_some {X} (l : list X) i : 0 <= i < zlen l -> exists x, znth l i = Some x.
  Proof.
    revert i; induction l as [|y l IH]; intros i Hi; cbn [zlen znth] in *; [lia|].
    destruct (Z.eqb_spec i 0); [now exists y|]. apply IH; lia.
  Qed.

  Lemma state_robust_inv choice l row :
    (forall acts a, In acts l -> In a acts -> 0 < total a /\ zsum weight (outcomes a) = total a) ->
    state_robust g r under fit lo hi lo' hi' (zeros lo hi) (zeros lo' hi') v choice l = Some row ->
    exists runs, choice = Some runs /\ lo <= hi /\
    forall b, lo <= b <= hi -> exists acts, znth l (run_at runs (b - lo)) = Some acts /\
      forall a, In a acts -> (forall o, In o (outcomes a) -> sound_outcome g r lo hi lo' hi' v o) /\
        average_above g r under lo' v a b <= look under lo row b.
  Proof.
    intros Hgood. unfold state_robust. destruct choice as [runs|]; [|discriminate].
    set (rows := used_groups g r under fit lo hi lo' hi' (zeros lo hi) (zeros lo' hi') v runs 0 l). intros H.
    exists runs. split; [reflexivity|].
    destruct ((zlen (pick runs rows) =? hi - lo + 1) && (lo <=? hi)) eqn:E; [|discriminate]. injection H as Hpick.
    apply andb_true_iff in E. destruct E as [Hlen Hne]. apply Z.eqb_eq in Hlen. apply Z.leb_le in Hne.
    split; [assumption|]. intros b Hb. destruct (znth_some (pick runs rows) (b - lo) ltac:(lia)) as [x Hx].
    set (Q := fun j b => match znth l j with Some acts => group_bound acts b | None => 0 end).
    assert (Hrows : forall j row', znth rows j = Some (Some row') -> row' = along (Q j) lo (counter lo hi)).
    { intros j row' Hj. destruct (used_groups_inv _ _ _ _ _ Hj) as [acts [Ha Hg']]. apply group_above_along in Hg'.
      unfold Q. rewrite Ha. tauto. }
    destruct (pick_inv Q runs rows lo (counter lo hi) Hrows _ _ Hx) as [[row' Hrow'] Heq].
    destruct (used_groups_inv _ _ _ _ _ Hrow') as [acts [Ha Hact]]. apply group_above_along in Hact.
    destruct Hact as [_ Hsound]. exists acts. split; [assumption|]. intros a Hin. split; [intros o; now apply Hsound|].
    rewrite Hpick in Hx. unfold look. destruct (Z.ltb_spec b lo); [lia|]. rewrite Hx, Heq. unfold Q. rewrite Ha.
    replace (lo + (b - lo)) with b by lia. eapply Z.le_trans; [|apply (group_bound_ge acts a b Hin)].
    destruct (Hgood acts a (znth_In _ _ _ Ha) Hin) as [Htotal Hweights]. now apply averaged_above.
  Qed.
End Rows.

Section Robust.
  Variables (m : model) (gs : list (tree (list (list action)))).
  Hypothesis Hm : good_model m = true.
  Hypothesis Hgs : steps m = map (tmap (@concat action)) gs.
  Variables (g : grid) (start : Z) (choices : list budget_rows).
  Hypothesis Hg : good_grid g = true.
  Let M := meaning m.
  Let T := length (steps m).

  (** The opponent plays in the group that the policy chooses. *)
  Variable pi : jpolicy positive Z Z.
  Hypothesis Hpi : is_jpolicy pi.
  Hypothesis Hplays : forall h st l acts, nth_error gs (jtime h) = Some st -> get (jstate h) st = Some l ->
    znth l (budget_choice m g start choices h) = Some acts ->
    almost_surely (pi h) (fun i => exists a, In a acts /\ znth (actions_at m (jtime h) (jstate h)) i = Some a).

  Section Table.
    Variables (under : Z) (terminal : list Z) (F : Z -> R).
    Hypothesis HF : forall b, (b <= window_end g T)%Z -> F b <= IZR (look under (window_start g T) terminal b).

    Theorem cost_le_robust_table :
      forall sts t ws cs h row, skipn t gs = sts -> skipn t (windows g) = ws -> skipn t choices = cs ->
      (t + length sts = T)%nat -> jtime h = t ->
      value_at (robust_table m g (rate_at m g t) under terminal ws sts cs) (jstate h) = Some row ->
      (index_after m g start (fst h) <= window_end g t)%Z ->
      E (jrun M pi (length sts) h) (fun h' => F (index_after m g start (fst h'))) <=
      IZR (look under (window_start g t) row (index_after m g start (fst h))).
    Proof.
      destruct (grid_facts g Hg) as [Hs Hk]. assert (HM : is_jmdp M) by now apply is_jmdp_meaning.
      induction sts as [|st sts IH]; intros t ws cs h row Hsts Hws Hcs Hlen Ht Hv Hb.
      - cbn [length jrun robust_table value_at] in *. injection Hv as <-. rewrite E_ret.
        replace t with T in * by lia. now apply HF.
      - destruct (skipn_cons _ _ _ _ Hsts) as [Hst Hrest]. cbn [robust_table] in Hv.
        destruct ws as [|[lo hi] ws]; [destruct (jstate h); discriminate|].
        destruct ws as [|[lo' hi'] ws]; [destruct (jstate h); discriminate|].
        destruct cs as [|c cs]; [destruct (jstate h); discriminate|].
        destruct (skipn_cons _ _ _ _ Hws) as [Hw Hwrest]. destruct (skipn_cons _ _ _ _ Hwrest) as [Hw' _].
        destruct (skipn_cons _ _ _ _ Hcs) as [Hc Hcrest]. cbn [tl value_at] in Hv. rewrite get_tzip in Hv.
        destruct (get (jstate h) st) as [l|] eqn:El; [|discriminate]. cbn [join] in Hv.
        set (v := robust_table m g (rate_next m g (rate_at m g t)) under terminal ((lo', hi') :: ws) sts cs) in *.
        match type of Hv with match ?s with _ => _ end = _ => destruct s as [row0|] eqn:Erow; [|discriminate] end.
        assert (Hacts : actions_at m t (jstate h) = concat l).
        { unfold actions_at. rewrite Hgs, nth_error_map, Hst. cbn [option_map]. now rewrite get_tmap, El. }
        assert (Hmember : forall acts a, In acts l -> In a acts -> exists i, znth (actions_at m t (jstate h)) i = Some
          a).
        { intros acts a H1 H2. apply In_znth. rewrite Hacts. apply in_concat. now exists acts. }
        injection Hv as <-. apply (state_robust_inv g (rate_at m g t) under lo hi lo' hi' v Hs Hk) in Erow;
          [|intros acts a H1 H2; destruct (Hmember acts a H1 H2) as [i Hi];
            destruct (action_facts m Hm _ _ _ _ Hi) as [H3 [_ H4]]; now split].
        destruct Erow as [runs [Hruns [Hne Hinside]]].
        assert (Hlo : window_start g t = lo) by (unfold window_start; now rewrite Hw).
        assert (Hhi : window_end g t = hi) by (unfold window_end; now rewrite Hw).
        assert (Hlo' : window_start g (S t) = lo') by (unfold window_start; now rewrite Hw').
        assert (Hhi' : window_end g (S t) = hi') by (unfold window_end; now rewrite Hw').
        rewrite Hhi in Hb. rewrite Hlo. set (b := index_after m g start (fst h)) in *.
        assert (Hone : forall i o, sound_outcome g (rate_at m g t) lo hi lo' hi' v o ->
          E (jrun M pi (length sts) (jextend h i (gain o, next o))) (fun h' => F (index_after m g start (fst h'))) <=
          IZR (look under lo' (row_at v (next o)) (move g (rate_at m g t) o b))).
        { intros i o [[row' Hrow'] Hstay]. unfold stays in Hstay. apply andb_true_iff in Hstay.
          destruct Hstay as [Hup _]. apply Z.leb_le in Hup.
          assert (Hidx : index_after m g start (fst (jextend h i (gain o, next o))) = move g (rate_at m g t) o b).
          { cbn [jextend fst snd index_after]. unfold jtime in Ht. rewrite Ht. now apply move_label. }
          assert (Htime : jtime (jextend h i (gain o, next o)) = S t)
            by (unfold jtime, jextend; cbn; unfold jtime in Ht; now rewrite Ht).
          pose proof (IH (S t) ((lo', hi') :: ws) cs
            (jextend h i (gain o, next o)) row' Hrest Hwrest Hcrest ltac:(cbn in Hlen; lia) Htime) as HIH.
          cbn [rate_at] in HIH. fold v in HIH. specialize (HIH Hrow'). rewrite Hidx, Hlo', Hhi' in HIH.
          unfold next_row. rewrite Hrow'. apply HIH. pose proof (move_mono g (rate_at m g t) o b hi Hs Hk Hb). lia. }
        assert (Hi : budget_choice m g start choices h = run_at runs (Z.max 0 (b - lo))).
        { unfold budget_choice. rewrite Ht, Hlo. fold b. unfold runs_for. now rewrite Hc, Hruns. }
        rewrite <- Ht in Hst.
        cbn [length]. rewrite E_jrun_S, E_jstep, Ht. apply E_le_const; [apply Hpi|].
        destruct (Z_lt_le_dec b lo) as [Hbl|Hbl].
        + destruct (Hinside lo ltac:(lia)) as [acts [Ha Hall]]. rewrite Z.sub_diag in Ha.
          rewrite Z.max_l in Hi by lia. rewrite <- Hi in Ha. pose proof (Hplays h st l acts Hst El Ha) as Has.
          rewrite Ht in Has. revert Has. apply as_impl. intros i [a [Hin Hia]]. destruct (Hall a Hin) as [Hok _].
          rewrite (look_outside under lo row0 b) by lia.
          eapply Rle_trans; [apply (kernel_above m Hm t (jstate h) i a _ (fun _ => under) Hia)|].
          * intros o Ho. eapply Rle_trans; [apply (Hone i o); auto|].
            destruct (Hok o Ho) as [_ Hstay]. unfold stays in Hstay. apply andb_true_iff in Hstay.
            destruct Hstay as [_ Hdown].
            apply Z.ltb_lt in Hdown. pose proof (move_mono g (rate_at m g t) o b (lo - 1) Hs Hk ltac:(lia)).
            rewrite look_outside by lia. lra.
          * destruct (action_facts m Hm _ _ _ _ Hia) as [Htot [_ Hsum]]. apply IZR_lt in Htot.
            replace (zsum (fun o => weight o * under)%Z (outcomes a)) with (total a * under)%Z.
            -- rewrite mult_IZR. right. field. lra.
            -- rewrite <- Hsum. clear. induction (outcomes a) as [|o l IH]; cbn [zsum]; [lia|]. rewrite <- IH. lia.
        + destruct (Hinside b ltac:(lia)) as [acts [Ha Hall]]. rewrite Z.max_r in Hi by lia. rewrite <- Hi in Ha.
          pose proof (Hplays h st l acts Hst El Ha) as Has. rewrite Ht in Has. revert Has. apply as_impl.
          intros i [a [Hin Hia]]. destruct (Hall a Hin) as [Hok Hval].
          eapply Rle_trans; [|apply IZR_le; exact Hval]. unfold average_above, outcome_sum.
          destruct (action_facts m Hm t (jstate h) i a Hia) as [Htot _].
          eapply Rle_trans; [|now apply le_cdiv_div].
          apply (kernel_above m Hm t (jstate h) i a); [assumption|]. intros o Ho. apply Hone. auto.
    Qed.
  End Table.

  Variable Fc : R -> R.
  Hypothesis Fc_mono : forall x y, x <= y -> Fc x <= Fc y.
  Variable cost : rat -> Z.
  Hypothesis Hcost : forall x, ok x -> Fc (real_of x) <= IZR (cost x).
  Let u0 := real_of (unit_size g).
  Let u' := unit_after g (unit_size g) (steps m).

  (** Given: a model whose actions come in groups; a policy of budgets, and an opponent who plays in its group.
      Differs: a step of the theorem about data.
      In words: 10-kl-learner.md#kl-certificate.
      Step of: production/proved. *)
  Theorem robust_cost_above y : robust_cost m gs g start choices cost = Some y ->
    E (jreturn_law M pi) (fun z => Fc (u0 * IZR start - z)) <= / IZR (initial_den m) * IZR y.
  Proof.
    unfold robust_cost. destruct (windows g) as [|[lo hi] ws] eqn:Ew; [discriminate|]. rewrite <- Ew.
    destruct (window_after (windows g) (steps m)) as [[lo' hi']|] eqn:Elast; [|discriminate]. fold u'.
    set (e := loss_after m g (rate_0 m g) (unit_size g) (steps m)).
    set (under := cost (rplus (rmult u' (of_Z (lo' - 1))) e)). set (terminal := terminal_row cost u' e lo' hi').
    destruct ((start <=? hi)%Z && good_grid g) eqn:Et; [|discriminate]. apply andb_true_iff in Et.
    destruct Et as [Hstart _].
    apply Z.leb_le in Hstart. intros Hsum.
    assert (Hl : nth_error (windows g) T = Some (lo', hi')) by now apply window_after_nth.
    assert (Hws : window_start g T = lo') by (unfold window_start; now rewrite Hl).
    assert (Hwe : window_end g T = hi') by (unfold window_end; now rewrite Hl).
    assert (Hws0 : window_start g 0 = lo) by (unfold window_start; now rewrite Ew).
    assert (Hwe0 : window_end g 0 = hi) by (unfold window_end; now rewrite Ew).
    assert (Hoke : ok e) by exact (ok_loss_after m g Hm Hg (steps m) 0).
    set (F := fun b => Fc (real_of u' * IZR b + real_of e)). pose proof (last_unit_pos m g Hg) as Hu. fold u' in Hu.
    assert (Hoku : ok u') by now apply ok_last_unit.
    assert (Hx : forall b, ok (rplus (rmult u' (of_Z b)) e) /\
      real_of (rplus (rmult u' (of_Z b)) e) = real_of u' * IZR b + real_of e).
    { intros b. assert (ok (rmult u' (of_Z b))) by auto using ok_rmult, ok_of_Z.
      split; [now apply ok_rplus|].
      rewrite real_rplus, real_rmult, real_of_Z by auto using ok_of_Z. reflexivity. }
    assert (HF : forall b, (b <= window_end g T)%Z -> F b <= IZR (look under (window_start g T) terminal b)).
    { rewrite Hws, Hwe. intros b Hb. destruct (Z_lt_le_dec b lo') as [H1|H1].
      - unfold terminal. rewrite look_terminal_outside by lia. unfold under, F.
        destruct (Hx (lo' - 1)%Z) as [Hok Hreal]. eapply Rle_trans; [|apply (Hcost _ Hok)]. rewrite Hreal.
        apply Fc_mono.
        apply Rplus_le_compat_r, Rmult_le_compat_l; [lra | apply IZR_le; lia].
      - unfold terminal. rewrite look_terminal by lia. unfold F. destruct (Hx b) as [Hok Hreal]. rewrite <- Hreal.
        now apply Hcost. }
    destruct (start_sum_inv _ _ _ Hsum) as [x [-> Hall]].
    unfold jreturn_law. rewrite E_image.
    apply Rle_trans with (E (full_history_law M pi) (fun h => F (index_after m g start (fst h)))).
    - apply E_le_as; [now apply law_H|]. apply as_H. intros s.
      pose proof (budget_le_index m g start Hm Hg pi ([], s) T ltac:(reflexivity)) as Has.
      cbn [fst earned index_after jtime length unit_at] in Has. specialize (Has ltac:(lra)). revert Has.
      apply as_impl. intros h Hh.
      unfold F. apply Fc_mono. unfold u'. rewrite last_unit. unfold rest_loss in Hh.
      change (skipn 0 (steps m)) with (steps m) in Hh.
      change (loss_after m g (rate_at m g 0) (unit_at g 0) (steps m)) with e in Hh.
      fold T in Hh |- *. fold M in Hh. unfold u0. idtac. lra.
    - rewrite (E_H m). replace (/ IZR (initial_den m) * IZR (zsum (fun sw => snd sw * x (fst sw))%Z (initial m)))
        with (E (jinit M) (fun s => IZR (x s))).
      2:{ unfold M. rewrite (E_init m), IZR_zsum. f_equal. apply sum_ext. intros sw _. now rewrite mult_IZR. }
      apply E_le_as; [now apply is_jmdp_meaning|]. intros s p Hin _. destruct (in_init m s p Hin) as [w Hw].
      specialize (Hall s w Hw).
      destruct (value_at (robust_table m g (rate_0 m g) under terminal (windows g) gs choices) s)
        as [row|] eqn:Erow; [|discriminate].
      injection Hall as <-.
      assert (Hlen : length gs = T) by (unfold T; rewrite Hgs, map_length; reflexivity).
      pose proof (cost_le_robust_table under terminal F HF gs 0 (windows g) choices ([], s) row
        eq_refl eq_refl eq_refl Hlen eq_refl Erow) as Hle.
      cbn [fst index_after] in Hle. rewrite Hws0, Hwe0, Hlen in Hle. apply (Hle Hstart).
  Qed.
End Robust.
