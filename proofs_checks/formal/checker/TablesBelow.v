(** * A lower bound for the cost of every policy

    [table_below_le_cost]: the expected terminal cost of every policy is at least what the table below says. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Mixing Program Check Meaning ModelFacts.
From VerifiedRisk Require Export Averages.
Import ListNotations.
Open Scope R_scope.

(** ** What the rows are *)

Notation row_at := next_row (only parsing).

Lemma row_at_leaf s : row_at (At Leaf) s = [].
Proof. now destruct s. Qed.

Section Rows.
  Open Scope Z_scope.
  Variables (g : grid) (r : rat).
  Hypothesis Hstretch : 0 < stretch g.
  Hypothesis Hshrink : 0 < shrink g.

  Definition average_below bottom lo' v (a : action) (b : Z) : Z := outcome_sum g r bottom lo' v a b / total a.

  Lemma least_along {X} (Q : action -> Z -> Z) lo (l : list X) acts : acts <> [] ->
    exists F, least (map (fun a => along (Q a) lo l) acts) = along F lo l /\ forall a b, In a acts -> F b <= Q a b.
  Proof.
    induction acts as [|a acts IH]; intros Hne; [congruence|]. destruct acts as [|a' acts].
    - exists (Q a). split; [reflexivity|]. intros a0 b [<-|[]]. lia.
    - destruct IH as [F [HF Hle]]; [discriminate|]. exists (fun b => Z.min (Q a b) (F b)). split.
      + change (zmap2 Z.min (along (Q a) lo l) (least (map (fun a => along (Q a) lo l) (a' :: acts))) =
          along (fun b => Z.min (Q a b) (F b)) lo l).
        rewrite HF. apply zmap2_along.
      + intros a0 b [<-|Hin]; [lia|]. specialize (Hle a0 b Hin). lia.
  Qed.

  (** At every index a row is at most every action's average, or it is [bottom]. *)
  Lemma state_below_le bottom lo hi lo' hi' v acts a b : In a acts -> 0 < total a ->
    zsum weight (outcomes a) = total a ->
    let row := state_below g r bottom (rows_fit (hi' - lo' + 1) v) lo lo' (zeros lo hi) (zeros lo' hi') v acts in
    look bottom lo row b = bottom \/ look bottom lo row b <= average_below bottom lo' v a b.
  Proof.
    intros Hin Htotal Hweights row. unfold row, state_below. set (fit := rows_fit (hi' - lo' + 1) v).
    rewrite (map_ext _ (fun a => along (averaged g r Z.div bottom fit lo lo' (zeros lo' hi') v a) lo (counter lo hi)))
      by (intros; now apply action_average_along).
    destruct (least_along (averaged g r Z.div bottom fit lo lo' (zeros lo' hi') v) lo (counter lo hi) acts)
      as [F [HF Hle]]; [intros ->; destruct Hin|].
    rewrite HF. destruct (Z_lt_le_dec b lo) as [H|H]; [left; apply look_outside; lia|].
    destruct (Z_lt_le_dec b (lo + zlen (counter lo hi))) as [H'|H'];
      [|left; apply look_outside; rewrite zlen_along; lia].
    right. rewrite look_along by lia. eapply Z.le_trans; [now apply (Hle a)|]. now apply averaged_below.
  Qed.
End Rows.

(** ** The table *)

Lemma move_label m g t label b o : gain o = label -> moved m g t label b = move g (rate_at m g t) o b.
Proof. intros <-. reflexivity. Qed.

Section Below.
  Variables (m : model) (g : grid) (bottom : Z) (terminal : list Z) (start : Z).
  Hypothesis Hm : good_model m = true.
  Hypothesis Hg : good_grid g = true.
  Hypothesis Hbottom : forallb (fun x => bottom <=? x)%Z terminal = true.

  Let M := meaning m.
  Let last := window_start g (length (steps m)).
  Let cost (h : jhistory positive Z Z) : R := IZR (look bottom last terminal (index_after m g start (fst h))).

  Lemma bottom_le_look lo b : (bottom <= look bottom lo terminal b)%Z.
  Proof.
    unfold look. destruct (b <? lo)%Z; [lia|]. destruct (znth terminal (b - lo)) as [x|] eqn:E; [|lia].
    rewrite forallb_forall in Hbottom. apply znth_In, Hbottom in E. now apply Z.leb_le in E.
  Qed.

  Lemma grid_facts : (0 < stretch g)%Z /\ (0 < shrink g)%Z.
  Proof. unfold good_grid in Hg. repeat rewrite andb_true_iff in Hg. rewrite !Z.ltb_lt in Hg. tauto. Qed.

  (** The table at time t, as a bound. *)
  Definition bound_at (v : values (list Z)) (t : nat) (h : jhistory positive Z Z) : Z :=
    look bottom (window_start g t) (row_at v (jstate h)) (index_after m g start (fst h)).

  Theorem table_below_le_cost pi : is_jpolicy pi -> plays_allowed M pi ->
    forall sts t ws h, skipn t (steps m) = sts -> skipn t (windows g) = ws -> (t + length sts = length (steps m))%nat ->
      jtime h = t ->
    IZR (bound_at (table_below m g (rate_at m g t) bottom terminal ws sts) t h) <= E (jrun M pi (length sts) h) cost.
  Proof.
    intros Hpi Hal. destruct grid_facts as [Hs Hk].
    assert (HM : is_jmdp M) by now apply is_jmdp_meaning.
    assert (Hlow : forall n h, IZR bottom <= E (jrun M pi n h) cost).
    { intros n h. apply E_ge_const; [now apply law_jrun|]. apply as_always. intros h'. apply IZR_le, bottom_le_look. }
    induction sts as [|st sts IH]; intros t ws h Hsts Hws Hlen Ht.
    - cbn [length jrun table_below]. rewrite E_ret. right. unfold cost, bound_at, next_row. cbn [value_at].
      unfold last. do 3 f_equal. cbn in Hlen. lia.
    - destruct (skipn_cons _ _ _ _ Hsts) as [Hst Hrest].
      cbn [table_below]. destruct ws as [|[lo hi] ws]; [unfold bound_at; rewrite row_at_leaf, look_nil; apply Hlow|].
      destruct ws as [|[lo' hi'] ws]; [unfold bound_at; rewrite row_at_leaf, look_nil; apply Hlow|].
      destruct (skipn_cons _ _ _ _ Hws) as [Hw Hwrest]. destruct (skipn_cons _ _ _ _ Hwrest) as [Hw' _].
      cbn [tl]. set (v := table_below m g (rate_next m g (rate_at m g t)) bottom terminal ((lo', hi') :: ws) sts).
      unfold bound_at at 1, next_row at 1. cbn [value_at]. rewrite get_tmap.
      destruct (get (jstate h) st) as [acts|] eqn:Ea; cbn [option_map join]; [|rewrite look_nil; apply Hlow].
      assert (Hacts : actions_at m t (jstate h) = acts) by (unfold actions_at; now rewrite Hst, Ea).
      assert (Hne : acts <> []) by now apply (listed_nonempty m Hm t st (jstate h)).
      cbn [length]. rewrite E_jrun_S, E_jstep, Ht.
      apply E_ge_const; [apply Hpi|]. pose proof (Hal h ltac:(cbn; cbn in Hlen; lia)) as Has. rewrite Ht in Has.
      revert Has. apply as_impl. intros i Hi. apply allowed_listed in Hi; [|now rewrite Hacts]. destruct Hi as [a Ha].
      assert (Hin : In a acts) by (rewrite <- Hacts; now apply znth_In in Ha).
      assert (Hws' : window_start g t = lo) by (unfold window_start; now rewrite Hw). rewrite Hws'.
      destruct (action_facts m Hm _ _ _ _ Ha) as [Htot [_ Hweights]].
      destruct (state_below_le g (rate_at m g t) Hs Hk bottom lo hi lo' hi' v acts a
        (index_after m g start (fst h)) Hin Htot Hweights) as [->|Hle].
      { apply E_ge_const; [apply HM|]. apply as_always. intros os. apply Hlow. }
      apply IZR_le in Hle. eapply Rle_trans; [exact Hle|]. unfold average_below, outcome_sum.
      eapply Rle_trans; [now apply floor_div_le|].
      apply (kernel_below m Hm t (jstate h) i a _ _ Ha). intros o Ho.
      assert (Htime : jtime (jextend h i (gain o, next o)) = S t)
        by (unfold jtime, jextend; cbn; unfold jtime in Ht; now rewrite Ht).
      pose proof (IH (S t) ((lo', hi') :: ws) (jextend h i (gain o, next o)) Hrest Hwrest ltac:(cbn in Hlen; lia) Htime)
        as HIH.
      eapply Rle_trans; [|exact HIH]. right. unfold bound_at. cbn [rate_at]. fold v.
      assert (window_start g (S t) = lo') as -> by (unfold window_start; now rewrite Hw').
      do 2 f_equal. cbn [jextend fst snd index_after]. unfold jtime in Ht. rewrite Ht. now apply move_label.
  Qed.
End Below.
