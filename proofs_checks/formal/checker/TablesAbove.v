(** * An upper bound for the cost of the certificate's policy

    [cost_le_table_above]: the expected terminal cost of the policy in the certificate is at most what the table
    above says. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Mixing Program Check LawCheck Meaning
  ModelFacts TablesBelow.
Import ListNotations.
Open Scope R_scope.

Lemma znth_along_inv {X Y} (f : Z -> Y) b (l : list X) i x : znth (along f b l) i = Some x -> x = f (b + i)%Z.
Proof.
  intros H. pose proof (znth_inside _ _ _ H) as Hi. rewrite zlen_along in Hi. rewrite znth_along in H by lia.
  congruence.
Qed.

Lemma znth_map {X Y} (f : X -> Y) l i : znth (map f l) i = option_map f (znth l i).
Proof.
  revert i; induction l as [|x l IH]; intros i; cbn [map znth]; [reflexivity|].
  destruct (i =? 0)%Z; [reflexivity | apply IH].
Qed.

Lemma zskip_max {X} c (l : list X) : zskip c l = zskip (Z.max c 0) l.
Proof. destruct (Z_le_gt_dec c 0); [rewrite !zskip_nonpos by lia; reflexivity | f_equal; lia]. Qed.

Lemma In_znth {X} (l : list X) x : In x l -> exists i, znth l i = Some x.
Proof.
  induction l as [|y l IH]; intros H; [destruct H|]. destruct H as [->|H]; [now exists 0%Z|].
  destruct (IH H) as [i Hi]. pose proof (znth_inside _ _ _ Hi). exists (i + 1)%Z. cbn [znth].
  destruct (Z.eqb_spec (i + 1) 0); [lia|]. now replace (i + 1 - 1)%Z with i by lia.
Qed.

Section Rows.
  Open Scope Z_scope.
  Variables (g : grid) (r : rat) (under lo hi lo' hi' : Z) (v : values (list Z)).
  Hypothesis Hstretch : 0 < stretch g.
  Hypothesis Hshrink : 0 < shrink g.

  Definition sound_outcome (o : outcome) : Prop :=
    (exists row, value_at v (next o) = Some row) /\ stays g r lo hi lo' hi' o = true.
  Definition average_above (a : action) (b : Z) : Z := cdiv (outcome_sum g r under lo' v a b) (total a).
  Let fit := rows_fit (hi' - lo' + 1) v.
  Let bound_above (a : action) (b : Z) : Z := averaged g r cdiv under fit lo lo' (zeros lo' hi') v a b.

  Lemma action_above_along a row : action_above g r under fit lo hi lo' hi' (zeros lo hi) (zeros lo' hi') v a =
    Some row ->
    row = along (bound_above a) lo (counter lo hi) /\ forall o, In o (outcomes a) -> sound_outcome o.
  Proof.
    unfold action_above. destruct (forallb _ (outcomes a)) eqn:E; [|discriminate]. intros H. injection H as <-.
    split; [now apply action_average_along|]. intros o Ho. rewrite forallb_forall in E. specialize (E o Ho).
    unfold is_sound in E. unfold sound_outcome.
    destruct (value_at v (next o)) as [row|]; [split; [now exists row | assumption] | discriminate].
  Qed.

  Lemma used_above_inv runs acts : forall i j row,
    znth (used_above g r under fit lo hi lo' hi' (zeros lo hi) (zeros lo' hi') v runs i acts) j = Some (Some row) ->
    exists a, znth acts j = Some a /\ action_above g r under fit lo hi lo' hi' (zeros lo hi) (zeros lo' hi') v a =
      Some row.
  Proof.
    induction acts as [|a acts IH]; intros i j row; cbn [used_above znth]; [discriminate|].
    destruct (j =? 0); intros H; [|now apply (IH (i + 1))].
    injection H as H. exists a. split; [reflexivity|]. destruct (is_used runs i); [assumption | discriminate].
  Qed.

  Lemma pick_inv {X} (Q : Z -> Z -> Z) runs : forall rows b (l : list X),
    (forall j row, znth rows j = Some (Some row) -> row = along (Q j) b l) ->
    forall i x, znth (pick runs rows) i = Some x ->
    (exists row, znth rows (run_at runs i) = Some (Some row)) /\ x = Q (run_at runs i) (b + i).
  Proof.
    induction runs as [|[c a] runs IH]; intros rows b l Hrows i x; cbn [pick run_at]; [discriminate|].
    destruct (znth rows a) as [[row|]|] eqn:Ea; try discriminate. intros H.
    destruct (take_then_spec _ _ _ _ _ H) as [[H1 H2]|[H1 H2]].
    - pose proof (znth_inside _ _ _ H2) as Hi. destruct (Z.ltb_spec i (Z.max c 0)); [|lia].
      split; [now exists row|]. rewrite (Hrows a row Ea) in H2. now apply znth_along_inv in H2.
    - destruct (Z.ltb_spec i (Z.max c 0)); [lia|].
      destruct (IH (skip_all c rows) (b + Z.max c 0) (zskip (Z.max c 0) l)) with (i := i - Z.max c 0) (x := x)
        as [[row' Hrow'] ->].
      + intros j row' Hj. unfold skip_all in Hj. rewrite znth_map in Hj.
        destruct (znth rows j) as [[row''|]|] eqn:Ej; cbn in Hj; try discriminate. injection Hj as <-.
        rewrite (Hrows j row'' Ej), zskip_max. apply zskip_along. lia.
      + assumption.
      + split.
        * unfold skip_all in Hrow'. rewrite znth_map in Hrow'.
          destruct (znth rows (run_at runs (i - Z.max c 0))) as [[row''|]|] eqn:Ej; cbn in Hrow'; try discriminate.
          now exists row''.
        * f_equal. lia.
  Qed.

  (** The row of a state: the window has an index, and at every one the action of the table is sound. *)
  Lemma state_above_inv choice acts row :
    (forall a, In a acts -> 0 < total a /\ zsum weight (outcomes a) = total a) ->
    state_above g r under fit lo hi lo' hi' (zeros lo hi) (zeros lo' hi') v choice acts = Some row ->
    exists runs, choice = Some runs /\ lo <= hi /\
    forall b, lo <= b <= hi -> exists a, znth acts (run_at runs (b - lo)) = Some a /\
      (forall o, In o (outcomes a) -> sound_outcome o) /\ average_above a b <= look under lo row b.
  Proof.
    intros Hgood. unfold state_above. destruct choice as [runs|]; [|discriminate].
    set (rows := used_above g r under fit lo hi lo' hi' (zeros lo hi) (zeros lo' hi') v runs 0 acts). intros H.
    exists runs. split; [reflexivity|].
    destruct ((zlen (pick runs rows) =? hi - lo + 1) && (lo <=? hi)) eqn:E; [|discriminate]. injection H as Hpick.
    apply andb_true_iff in E. destruct E as [Hlen Hne]. apply Z.eqb_eq in Hlen. apply Z.leb_le in Hne.
    rewrite Hpick in Hlen. symmetry in Hpick.
    split; [assumption|]. intros b Hb. assert (Hx : exists x, znth row (b - lo) = Some x).
    { assert (Hgen : forall (l : list Z) i, 0 <= i < zlen l -> exists x, znth l i = Some x).
      { induction l as [|y l IH]; intros i Hi; cbn [zlen znth] in *; [lia|]. destruct (Z.eqb_spec i 0); [now exists y|].
        apply IH; lia. }
      apply Hgen. lia. }
    destruct Hx as [x Hx].
    set (Q := fun j b => match znth acts j with Some a => bound_above a b | None => 0 end).
    assert (Hrows : forall j row, znth rows j = Some (Some row) -> row = along (Q j) lo (counter lo hi)).
    { intros j row' Hj. destruct (used_above_inv _ _ _ _ _ Hj) as [a [Ha Hact]]. apply action_above_along in Hact.
      destruct Hact as [-> _]. apply along_ext. intros c _. unfold Q. now rewrite Ha. }
    rewrite Hpick in Hx. destruct (pick_inv Q runs rows lo (counter lo hi) Hrows _ _ Hx) as [[row' Hrow'] Heq].
    destruct (used_above_inv _ _ _ _ _ Hrow') as [a [Ha Hact]]. apply action_above_along in Hact.
    exists a. split; [assumption|]. split; [tauto|]. unfold look. destruct (Z.ltb_spec b lo); [lia|].
    rewrite <- Hpick in Hx. rewrite Hx, Heq. unfold Q. rewrite Ha. replace (lo + (b - lo)) with b by lia.
    destruct (Hgood a (znth_In _ _ _ Ha)) as [Htotal Hweights]. unfold bound_above, average_above.
    now apply averaged_above.
  Qed.
End Rows.

Lemma move_mono g r o b c : (0 < stretch g)%Z -> (0 < shrink g)%Z -> (b <= c)%Z -> (move g r o b <= move g r o c)%Z.
Proof. intros Hs Hk H. unfold move. apply Z.div_le_mono; nia. Qed.

Definition window_end (g : grid) (t : nat) : Z := match nth_error (windows g) t
  with Some (_, hi) => hi | None => 0%Z end.

Lemma is_jpolicy_playing m choice : is_jpolicy (playing m choice).
Proof. intros h. apply law_ret. Qed.

Lemma allowed_valid m t s i : allowed_action (meaning m) t s (valid (actions_at m t s) i).
Proof.
  unfold valid. cbn. destruct (znth (actions_at m t s) i) as [a|] eqn:E; [right; now exists a|].
  destruct (actions_at m t s) as [|a l]; [now left | right; now exists a].
Qed.

Lemma plays_allowed_playing m choice : plays_allowed (meaning m) (playing m choice).
Proof. intros h _. apply as_ret, allowed_valid. Qed.

Section Above.
  Variables (m : model) (V : Z) (g : grid) (under : Z) (terminal : list Z) (start : Z) (choices : list budget_rows).
  Hypothesis Hm : good_model m = true.
  Hypothesis Hg : good_grid g = true.

  Let M := meaning m.
  Let pi := policy_of m (ByBudget V g start choices).
  Variable F : Z -> R.
  Hypothesis HF : forall b, (b <= window_end g (length (steps m)))%Z ->
    F b <= IZR (look under (window_start g (length (steps m))) terminal b).

  Theorem cost_le_table_above :
    forall sts t ws cs h row, skipn t (steps m) = sts -> skipn t (windows g) = ws -> skipn t choices = cs ->
    (t + length sts = length (steps m))%nat -> jtime h = t ->
    value_at (table_above m g (rate_at m g t) under terminal ws sts cs) (jstate h) = Some row ->
    (index_after m g start (fst h) <= window_end g t)%Z ->
    E (jrun M pi (length sts) h) (fun h' => F (index_after m g start (fst h'))) <=
    IZR (look under (window_start g t) row (index_after m g start (fst h))).
  Proof.
    destruct (grid_facts g Hg) as [Hs Hk]. assert (HM : is_jmdp M) by now apply is_jmdp_meaning.
    induction sts as [|st sts IH]; intros t ws cs h row Hsts Hws Hcs Hlen Ht Hv Hb.
    - cbn [length jrun table_above value_at] in *. injection Hv as <-. rewrite E_ret.
      replace t with (length (steps m)) in * by lia. now apply HF.
    - destruct (skipn_cons _ _ _ _ Hsts) as [Hst Hrest]. cbn [table_above] in Hv.
      destruct ws as [|[lo hi] ws]; [destruct (jstate h); discriminate|].
      destruct ws as [|[lo' hi'] ws]; [destruct (jstate h); discriminate|].
      destruct cs as [|c cs]; [destruct (jstate h); discriminate|].
      destruct (skipn_cons _ _ _ _ Hws) as [Hw Hwrest]. destruct (skipn_cons _ _ _ _ Hwrest) as [Hw' _].
      destruct (skipn_cons _ _ _ _ Hcs) as [Hc Hcrest]. cbn [tl value_at] in Hv. rewrite get_tzip in Hv.
      destruct (get (jstate h) st) as [acts|] eqn:Ea; [|discriminate]. cbn [join] in Hv.
      set (v := table_above m g (rate_next m g (rate_at m g t)) under terminal ((lo', hi') :: ws) sts cs) in *.
      match type of Hv with match ?s with _ => _ end = _ => destruct s as [row0|] eqn:Erow; [|discriminate] end.
      assert (Hacts : actions_at m t (jstate h) = acts) by (unfold actions_at; now rewrite Hst, Ea).
      injection Hv as <-. apply (state_above_inv g (rate_at m g t) under lo hi lo' hi' v Hs Hk) in Erow;
        [|intros a Ha; rewrite <- Hacts in Ha; destruct (In_znth _ _ Ha) as [i Hi];
          destruct (action_facts m Hm _ _ _ _ Hi) as [H1 [_ H3]]; now split].
      destruct Erow as [runs [Hruns [Hne Hinside]]].
      assert (Hlo : window_start g t = lo) by (unfold window_start; now rewrite Hw).
      assert (Hhi : window_end g t = hi) by (unfold window_end; now rewrite Hw).
      assert (Hlo' : window_start g (S t) = lo') by (unfold window_start; now rewrite Hw').
      assert (Hhi' : window_end g (S t) = hi') by (unfold window_end; now rewrite Hw').
      rewrite Hhi in Hb. rewrite Hlo. set (b := index_after m g start (fst h)) in *.
      (* one outcome of a sound action *)
      assert (Hone : forall i o, In o (match znth acts i with Some a => outcomes a | None => [] end) ->
        sound_outcome g (rate_at m g t) lo hi lo' hi' v o ->
        E (jrun M pi (length sts) (jextend h i (gain o, next o))) (fun h' => F (index_after m g start (fst h'))) <=
        IZR (look under lo' (row_at v (next o)) (move g (rate_at m g t) o b))).
      { intros i o _ [[row' Hrow'] Hstay]. unfold stays in Hstay. apply andb_true_iff in Hstay.
        destruct Hstay as [Hup _].
        apply Z.leb_le in Hup.
        assert (Hidx : index_after m g start (fst (jextend h i (gain o, next o))) = move g (rate_at m g t) o b).
        { cbn [jextend fst snd index_after]. unfold jtime in Ht. rewrite Ht. now apply move_label. }
        assert (Htime : jtime (jextend h i (gain o, next o)) = S t)
          by (unfold jtime, jextend; cbn; unfold jtime in Ht; now rewrite Ht).
        pose proof (IH (S t) ((lo', hi') :: ws) cs
          (jextend h i (gain o, next o)) row' Hrest Hwrest Hcrest ltac:(cbn in Hlen; lia) Htime) as HIH.
        cbn [rate_at] in HIH. fold v in HIH. specialize (HIH Hrow'). rewrite Hidx, Hlo', Hhi' in HIH.
        unfold next_row. rewrite Hrow'. apply HIH. pose proof (move_mono g (rate_at m g t) o b hi Hs Hk Hb). lia. }
      cbn [length]. rewrite E_jrun_S, E_jstep. unfold pi at 1, policy_of, playing. rewrite E_ret, Ht, Hacts.
      unfold valid.
      set (i := budget_choice m g start choices h).
      assert (Hi : i = run_at runs (Z.max 0 (b - lo))).
      { unfold i, budget_choice. rewrite Ht, Hlo. fold b. unfold runs_for. now rewrite Hc, Hruns. }
      destruct (Z_lt_le_dec b lo) as [Hbl|Hbl].
      + destruct (Hinside lo ltac:(lia)) as [a0 [Ha0 [Hok0 _]]]. rewrite Z.sub_diag in Ha0.
        rewrite Z.max_l in Hi by lia. rewrite Hi, Ha0. rewrite (look_outside under lo row0 b) by lia.
        rewrite <- Hacts in Ha0.
        eapply Rle_trans; [apply (kernel_above m Hm t (jstate h) _ a0 _ (fun _ => under) Ha0)|].
        * intros o Ho. eapply Rle_trans; [apply (Hone (run_at runs 0) o); [rewrite <- Hacts, Ha0; assumption | auto]|].
          destruct (Hok0 o Ho) as [_ Hstay]. unfold stays in Hstay. apply andb_true_iff in Hstay.
          destruct Hstay as [_ Hdown].
          apply Z.ltb_lt in Hdown. pose proof (move_mono g (rate_at m g t) o b (lo - 1) Hs Hk ltac:(lia)).
          rewrite look_outside by lia. lra.
        * destruct (action_facts m Hm _ _ _ _ Ha0) as [Htot [_ Hsum]]. apply IZR_lt in Htot.
          replace (zsum (fun o => weight o * under)%Z (outcomes a0)) with (total a0 * under)%Z.
          -- rewrite mult_IZR. right. field. lra.
          -- rewrite <- Hsum. clear. induction (outcomes a0) as [|o l IH]; cbn [zsum]; [lia|]. rewrite <- IH. lia.
      + destruct (Hinside b ltac:(lia)) as [a [Ha [Hok Hval]]]. rewrite Z.max_r in Hi by lia. rewrite Hi, Ha.
        eapply Rle_trans; [|apply IZR_le; exact Hval]. unfold average_above, outcome_sum.
        destruct (action_facts m Hm t (jstate h) (run_at runs (b - lo)) a) as [Htot _]; [now rewrite Hacts|].
        eapply Rle_trans; [|now apply le_cdiv_div].
        apply (kernel_above m Hm t (jstate h) _ a); [now rewrite Hacts|]. intros o Ho.
        apply Hone; [now rewrite Ha | auto].
  Qed.
End Above.
