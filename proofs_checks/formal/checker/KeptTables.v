(** * Tables of kept actions, and mixtures of strategies

    [table_kept_le_play]: a strategy that plays only kept actions, wherever it comes with positive probability, costs at
    least what the table of kept actions says.  [mixture_duality]: so does a mixture of such strategies, where costs c
    of the CDF's coordinates are terminal costs. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check PolygonCheck CellsCheck
  ContractCheck Meaning ModelFacts RatFacts TablesBelow TablesAbove Budgets Means CostBounds PolygonObjective
  PolygonRoute CellEnds Strategies.
Import ListNotations.
Open Scope R_scope.

(** ** Rows *)

Lemma znth_zmap2 f l : forall k j z, znth (zmap2 f l k) j = Some z ->
  exists x y, znth l j = Some x /\ znth k j = Some y /\ z = f x y.
Proof.
  induction l as [|x l IH]; intros [|y k] j z; cbn [zmap2 znth]; try discriminate.
  destruct (j =? 0)%Z; [|apply IH]. intros H. injection H as <-. eauto.
Qed.

Lemma least_at (rows : list (list Z)) row j z : In row rows -> znth (least rows) j = Some z ->
  exists x, znth row j = Some x /\ (z <= x)%Z.
Proof.
  revert z; induction rows as [|r rows IH]; intros z Hin H; [destruct Hin|]. destruct rows as [|r' rows].
  - destruct Hin as [<-|[]]. exists z. split; [exact H | lia].
  - change (znth (zmap2 Z.min r (least (r' :: rows))) j = Some z) in H.
    destruct (znth_zmap2 _ _ _ _ _ H) as [x [y [Hx [Hy ->]]]]. destruct Hin as [<-|Hin].
    + exists x. split; [assumption | lia].
    + destruct (IH y Hin Hy) as [u [Hu Hle]]. exists u. split; [assumption | lia].
Qed.

Definition flag_row (flags : list (list bool)) (j : Z) : list bool :=
  match znth flags j with Some f => f | None => [] end.

Lemma masked_at huge i flags : forall row j, znth (masked huge i flags row) j =
  option_map (fun x => if is_kept (flag_row flags j) i then x else huge) (znth row j).
Proof.
  unfold flag_row. induction flags as [|f flags IH]; intros [|x row] j; cbn [masked znth]; try reflexivity.
  - destruct (j =? 0)%Z; [reflexivity|]. destruct (znth row (j - 1)); reflexivity.
  - destruct (j =? 0)%Z; [reflexivity | apply IH].
Qed.

Lemma masked_rows_at huge flags rows : forall i0 i row, znth rows i = Some row ->
  znth (masked_rows huge i0 flags rows) i = Some (masked huge (i0 + i) flags row).
Proof.
  induction rows as [|r rows IH]; intros i0 i row; cbn [masked_rows znth]; [discriminate|].
  destruct (Z.eqb_spec i 0) as [->|Hne]; [intros H; injection H as <-; now rewrite Z.add_0_r|].
  intros H. rewrite (IH (i0 + 1)%Z _ _ H). do 2 f_equal. lia.
Qed.

(** What is kept at a time, a state and an index. *)
Definition flags_at (g : grid) (keep : kept) (t : nat) (s : positive) (b : Z) : list bool :=
  flag_row (flags_of (get s (first_tree (skipn t keep)))) (b - window_start g t).

Lemma state_kept_le g r bottom huge fit lo hi lo' hi' v k acts i a b : (0 < stretch g)%Z -> (0 < shrink g)%Z ->
  znth acts i = Some a -> (0 < total a)%Z -> zsum weight (outcomes a) = total a -> fit = rows_fit (hi' - lo' + 1) v ->
  is_kept (flag_row (flags_of k) (b - lo)) i = true ->
  let row := state_kept g r bottom huge fit lo lo' (zeros lo hi) (zeros lo' hi') v k acts in
  look bottom lo row b = bottom \/ (look bottom lo row b <= average_below g r bottom lo' v a b)%Z.
Proof.
  intros Hs Hk Ha Htotal Hweights -> Hkept row. unfold look. destruct (Z.ltb_spec b lo) as [|Hb]; [now left|].
  destruct (znth row (b - lo)) as [z|] eqn:Ez; [right | now left]. unfold row, state_kept in Ez.
  set (average := action_average Z.div g r bottom (rows_fit (hi' - lo' + 1) v) lo lo' (zeros lo hi) (zeros lo' hi') v)
    in *.
  assert (Hrow : znth (map average acts) i = Some (average a)) by (rewrite znth_map, Ha; reflexivity).
  apply (masked_rows_at huge (flags_of k) _ 0) in Hrow. apply znth_In in Hrow. rewrite Z.add_0_l in Hrow.
  destruct (least_at _ _ _ _ Hrow Ez) as [x [Hx Hle]]. rewrite masked_at, Hkept in Hx.
  destruct (znth (average a) (b - lo)) as [y|] eqn:Ey; [|discriminate]. injection Hx as <-.
  unfold average in Ey. rewrite action_average_along in Ey by assumption. apply znth_along_inv in Ey.
  eapply Z.le_trans; [exact Hle|]. rewrite Ey. replace (lo + (b - lo))%Z with b by lia.
  now apply averaged_below.
Qed.

(** With nothing removed it is the table of all policies. *)
Lemma table_kept_nothing m g r bottom huge terminal ws sts :
  table_kept m g r bottom huge terminal [] ws sts = table_below m g r bottom terminal ws sts.
Proof.
  revert r ws; induction sts as [|st sts IH]; intros r ws; cbn [table_kept table_below]; [reflexivity|].
  destruct ws as [|[lo hi] [|[lo' hi'] ws]]; try reflexivity. cbn [tl first_tree]. rewrite IH. f_equal.
  assert (Hrows : forall i rows, masked_rows huge i [] rows = rows).
  { intros i rows; revert i; induction rows as [|row rows IHr]; intros i; cbn; [reflexivity|]. rewrite IHr.
    now destruct row. }
  set (v := table_below m g (rate_next m g r) bottom terminal ((lo', hi') :: ws) sts). clearbody v. clear -Hrows.
  induction st as [|l IHl x h IHh]; cbn [tzip tmap]; [reflexivity|]. rewrite IHl, IHh. f_equal.
  destruct x as [acts|]; [|reflexivity]. cbn. do 2 f_equal. unfold state_kept, state_below. cbn. now rewrite Hrows.
Qed.

(** ** Strategies *)

Section Kept.
  Variables (m : model) (g : grid).
  Hypothesis Hm : good_model m = true.
  Hypothesis Hg : good_grid g = true.
  Let M := meaning m.
  Let T := length (steps m).

  (** The law of the last index. *)
  Fixpoint play_law (n t : nat) (s : positive) (b : Z) (x : strategy) : dist Z :=
    match n, x with
    | S n', Play i next =>
        bind (kernel M t s i) (fun os => play_law n' (S t) (snd os) (moved m g t (fst os) b) (next os))
    | _, _ => ret b
    end.
  Definition mixed_law (start : Z) (mu : mixture_of_strategies) : dist Z :=
    bind (map (fun wx => (snd wx, fst wx)) mu) (fun x => bind (jinit M) (fun s => play_law T 0 s start (x s))).

  Lemma play_is_E n : forall t s b x phi, playout m g n t s b x phi = E (play_law n t s b x) phi.
  Proof.
    induction n as [|n IH]; intros t s b [|i nx] phi; cbn [playout play_law]; rewrite ?E_ret; try reflexivity.
    rewrite E_bind. apply E_ext. intros os. apply IH.
  Qed.

  Lemma mixed_is_E start mu phi : mixed_play m g start mu phi = E (mixed_law start mu) phi.
  Proof.
    unfold mixed_law, mixed_play. rewrite E_bind.
    assert (Hgen : forall l f, sum l (fun wx : R * (positive -> strategy) => fst wx * f (snd wx)) =
      E (map (fun wx => (snd wx, fst wx)) l) f).
    { intros l f; induction l as [|[w x] l IH]; cbn [sum map E fst snd]; [reflexivity | now rewrite IH]. }
    rewrite <- Hgen. apply sum_ext. intros [w x] _. cbn [fst snd]. rewrite E_bind. f_equal. apply E_ext. intros s.
    apply play_is_E.
  Qed.

  Lemma law_play n : forall t s b x, is_law (play_law n t s b x).
  Proof.
    induction n as [|n IH]; intros t s b [|i nx]; cbn [play_law]; try apply law_ret.
    apply law_bind; [now apply (kernel_law _ (is_jmdp_meaning m Hm)) | intros; apply IH].
  Qed.

  Lemma law_mixed start mu : good_mix m mu -> is_law (mixed_law start mu).
  Proof.
    intros [Hsum Hgood]. apply law_bind.
    - split.
      + intros x w Hin. apply in_map_iff in Hin. destruct Hin as [[w' x'] [Heq Hin]]. injection Heq as <- <-.
        left. now apply (Hgood w' x').
      + transitivity (sum mu fst); [|exact Hsum]. clear.
        induction mu as [|[w x] mu IH]; cbn; [reflexivity | rewrite IH; ring].
    - intros x. apply law_bind; [apply (jinit_law _ (is_jmdp_meaning m Hm)) | intros; apply law_play].
  Qed.

  (** What holds for every strategy of a mixture, wherever it starts, holds for the mixture. *)
  Lemma mixed_ge start mu phi c (B : positive -> R) : good_mix m mu -> c <= E (jinit M) B ->
    (forall w x s p, In (w, x) mu -> In (s, p) (jinit M) -> 0 < p -> B s <= playout m g T 0 s start (x s) phi) ->
    c <= mixed_play m g start mu phi.
  Proof.
    intros [Hsum Hgood] Hc H. unfold mixed_play. rewrite <- (Rmult_1_l c), <- Hsum, Rmult_comm, <- sum_scal.
    apply sum_le. intros [w x] Hin. cbn [fst snd]. rewrite Rmult_comm.
    apply Rmult_le_compat_l; [left; now apply (Hgood w x)|]. eapply Rle_trans; [exact Hc|].
    pose proof (jinit_law _ (is_jmdp_meaning m Hm)) as HI. apply E_le_as; [apply HI|]. intros s p Hs Hp.
    apply (H w x s p Hin Hs). pose proof (proj1 HI s p Hs). lra.
  Qed.
  Lemma mixed_le start mu phi c (B : positive -> R) : good_mix m mu -> E (jinit M) B <= c ->
    (forall w x s p, In (w, x) mu -> In (s, p) (jinit M) -> 0 < p -> playout m g T 0 s start (x s) phi <= B s) ->
    mixed_play m g start mu phi <= c.
  Proof.
    intros [Hsum Hgood] Hc H. unfold mixed_play. rewrite <- (Rmult_1_l c), <- Hsum, Rmult_comm, <- sum_scal.
    apply sum_le. intros [w x] Hin. cbn [fst snd]. rewrite (Rmult_comm c).
    apply Rmult_le_compat_l; [left; now apply (Hgood w x)|]. eapply Rle_trans; [|exact Hc].
    pose proof (jinit_law _ (is_jmdp_meaning m Hm)) as HI. apply E_le_as; [apply HI|]. intros s p Hs Hp.
    apply (H w x s p Hin Hs). pose proof (proj1 HI s p Hs). lra.
  Qed.

  (** Averages over the outcomes of an action that is listed; only those that can occur count. *)
  Section Average.
    Variables (n t : nat) (s : positive) (b i : Z) (nx : Z * positive -> strategy) (a : action) (phi : Z -> R).
    Hypothesis Ha : znth (actions_at m t s) i = Some a.
    Let child (o : outcome) : R :=
      playout m g n (S t) (next o) (move g (rate_at m g t) o b) (nx (gain o, next o)) phi.

    Lemma play_listed : playout m g (S n) t s b (Play i nx) phi =
      / IZR (total a) * sum (outcomes a) (fun o => IZR (weight o) * child o).
    Proof.
      cbn [playout]. rewrite (E_kernel m t s i a _ Ha). reflexivity.
    Qed.

    Lemma average_le (x : outcome -> Z) : (forall o, In o (outcomes a) -> (0 < weight o)%Z -> IZR (x o) <= child o) ->
      IZR (zsum (fun o => weight o * x o)%Z (outcomes a)) / IZR (total a) <= playout m g (S n) t s b (Play i nx) phi.
    Proof.
      intros H. destruct (action_facts m Hm t s i a Ha) as [H1 [H2 _]]. apply IZR_lt in H1.
      rewrite play_listed, IZR_zsum. unfold Rdiv. rewrite Rmult_comm.
      apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|]. apply sum_le. intros o Ho. rewrite mult_IZR.
      specialize (H2 o Ho). destruct (Z.eq_dec (weight o) 0) as [->|Hne]; [lra|].
      apply Rmult_le_compat_l; [now apply IZR_le | apply H; [assumption | lia]].
    Qed.

    Lemma average_ge (x : outcome -> Z) : (forall o, In o (outcomes a) -> (0 < weight o)%Z -> child o <= IZR (x o)) ->
      playout m g (S n) t s b (Play i nx) phi <= IZR (zsum (fun o => weight o * x o)%Z (outcomes a)) / IZR (total a).
    Proof.
      intros H. destruct (action_facts m Hm t s i a Ha) as [H1 [H2 _]]. apply IZR_lt in H1.
      rewrite play_listed, IZR_zsum. unfold Rdiv. rewrite (Rmult_comm (sum _ _)).
      apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|]. apply sum_le. intros o Ho. rewrite mult_IZR.
      specialize (H2 o Ho). destruct (Z.eq_dec (weight o) 0) as [->|Hne]; [lra|].
      apply Rmult_le_compat_l; [now apply IZR_le | apply H; [assumption | lia]].
    Qed.
  End Average.

  (** Outcomes that can occur are where [throughout] goes on. *)
  Lemma throughout_next Q n t s b i nx a o : znth (actions_at m t s) i = Some a -> In o (outcomes a) ->
    (0 < weight o)%Z -> throughout m g Q (S n) t s b (Play i nx) ->
    throughout m g Q n (S t) (next o) (move g (rate_at m g t) o b) (nx (gain o, next o)).
  Proof.
    intros Ha Ho Hw [_ H]. destruct (action_facts m Hm t s i a Ha) as [H1 _].
    rewrite <- (move_label m g t (gain o) b o eq_refl).
    apply (H (gain o, next o) (IZR (weight o) / IZR (total a))).
    - cbn. rewrite Ha. apply in_map_iff. now exists o.
    - apply Rdiv_lt_0_compat; now apply IZR_lt.
  Qed.

  Lemma throughout_listed (Q : nat -> positive -> Z -> strategy -> Prop) n t s b i nx a :
    znth (actions_at m t s) i = Some a -> Q t s b (Play i nx) ->
    (forall o, In o (outcomes a) -> (0 < weight o)%Z ->
      throughout m g Q n (S t) (next o) (move g (rate_at m g t) o b) (nx (gain o, next o))) ->
    throughout m g Q (S n) t s b (Play i nx).
  Proof.
    intros Ha HQ H. split; [exact HQ|]. intros os p Hin Hp. cbn in Hin. rewrite Ha in Hin. apply in_map_iff in Hin.
    destruct Hin as [o [E Ho]]. injection E as <- <-. cbn [fst snd]. rewrite (move_label m g t (gain o) b o eq_refl).
    apply H; [assumption|]. destruct (action_facts m Hm t s i a Ha) as [H1 [H2 _]]. specialize (H2 o Ho).
    destruct (Z.eq_dec (weight o) 0) as [E|]; [|lia]. rewrite E in Hp. unfold Rdiv in Hp. lra.
  Qed.

  Definition keeps_here (keep : kept) (t : nat) (s : positive) (b : Z) (x : strategy) : Prop :=
    match x with Play i _ => is_kept (flags_at g keep t s b) i = true | Stop => True end.

  Lemma keeps_nothing n : forall t s b x, throughout m g (keeps_here []) n t s b x.
  Proof.
    assert (H0 : forall t s b x, keeps_here [] t s b x).
    { intros t s b [|i nx]; [exact I|]. unfold keeps_here, flags_at, flag_row. rewrite skipn_nil. cbn [first_tree].
      assert (get s (@Leaf (list (list bool))) = None) as -> by now destruct s. reflexivity. }
    induction n as [|n IH]; intros t s b [|i nx]; cbn [throughout]; split; auto.
  Qed.

  (** *** A strategy that keeps costs at least what the table says *)

  Section Table.
    Variables (bottom huge : Z) (terminal : list Z) (keep : kept).
    Hypothesis Hbottom : forallb (fun x => bottom <=? x)%Z terminal = true.
    Let cost (b : Z) : R := IZR (look bottom (window_start g T) terminal b).

    Theorem table_kept_le_play : forall sts t ws, skipn t (steps m) = sts -> skipn t (windows g) = ws ->
      (t + length sts = T)%nat -> forall s b x, plays m (length sts) t s x ->
      throughout m g (keeps_here keep) (length sts) t s b x ->
      IZR (look bottom (window_start g t)
        (next_row (table_kept m g (rate_at m g t) bottom huge terminal (skipn t keep) ws sts) s) b) <=
      playout m g (length sts) t s b x cost.
    Proof.
      destruct (grid_facts g Hg) as [Hs Hk].
      assert (Hlow : forall n t s b x, IZR bottom <= playout m g n t s b x cost).
      { intros n t s b x. rewrite play_is_E. apply E_ge_const; [apply law_play|]. apply as_always. intros b'.
        apply IZR_le. now apply bottom_le_look. }
      induction sts as [|st sts IH]; intros t ws Hsts Hws Hlen s b x Hplays Hkeeps.
      - cbn [length playout table_kept]. right. unfold cost, next_row. cbn [value_at]. do 3 f_equal. cbn in Hlen. lia.
      - destruct (skipn_cons _ _ _ _ Hsts) as [Hst Hrest].
        destruct x as [|i nx]; [destruct Hplays|]. cbn [length] in *. cbn [plays] in Hplays.
        destruct Hplays as [Hallowed Hplays].
        cbn [table_kept]. destruct ws as [|[lo hi] ws]; [rewrite row_at_leaf, look_nil; apply Hlow|].
        destruct ws as [|[lo' hi'] ws]; [rewrite row_at_leaf, look_nil; apply Hlow|].
        destruct (skipn_cons _ _ _ _ Hws) as [Hw Hwrest]. destruct (skipn_cons _ _ _ _ Hwrest) as [Hw' _].
        assert (Hlo : window_start g t = lo) by (unfold window_start; now rewrite Hw).
        assert (Hlo' : window_start g (S t) = lo') by (unfold window_start; now rewrite Hw').
        cbn [tl]. rewrite <- skipn_tl.
        set (v := table_kept m g (rate_next m g (rate_at m g t)) bottom huge terminal (skipn (S t) keep)
          ((lo', hi') :: ws) sts).
        unfold next_row at 1. cbn [value_at]. rewrite get_tzip.
        destruct (get s st) as [acts|] eqn:Ea; cbn [join]; [|rewrite look_nil; apply Hlow].
        assert (Hacts : actions_at m t s = acts) by (unfold actions_at; now rewrite Hst, Ea).
        apply allowed_listed in Hallowed; [|rewrite Hacts; now apply (listed_nonempty m Hm t st s)].
        destruct Hallowed as [a Ha]. destruct (action_facts m Hm _ _ _ _ Ha) as [Htot [_ Hweights]].
        rewrite Hlo. pose proof Hkeeps as [Hhere _]. unfold keeps_here, flags_at in Hhere. rewrite Hlo in Hhere.
        assert (Ha' : znth acts i = Some a) by (rewrite <- Hacts; exact Ha).
        destruct (state_kept_le g (rate_at m g t) bottom huge _ lo hi lo' hi' v (get s (first_tree (skipn t keep))) acts
          i a b Hs Hk Ha' Htot Hweights eq_refl Hhere) as [->|Hle]; [apply Hlow|].
        apply IZR_le in Hle. eapply Rle_trans; [exact Hle|]. unfold average_below, outcome_sum.
        eapply Rle_trans; [now apply floor_div_le|]. apply (average_le _ _ _ _ _ _ _ _ Ha). intros o Ho Hpos.
        pose proof (IH (S t) ((lo', hi') :: ws) Hrest Hwrest ltac:(lia) (next o) _ _ (Hplays (gain o, next o))
          (throughout_next _ _ _ _ _ _ _ _ _ Ha Ho Hpos Hkeeps)) as HIH.
        rewrite Hlo' in HIH. exact HIH.
    Qed.
  End Table.

  (** ** Windows that are never left *)

  Section Inside.
    Hypothesis Hnb : all_never_below m g (rate_0 m g) (windows g) (steps m) = true.
    Hypothesis Hna : all_never_above m g (rate_0 m g) (windows g) (steps m) = true.

    Lemma moved_inside t s i os p b : (t < T)%nat -> In (os, p) (kernel M t s i) ->
      (window_start g t <= b <= window_end g t)%Z ->
      (window_start g (S t) <= moved m g t (fst os) b <= window_end g (S t))%Z.
    Proof.
      intros Ht Hin Hb.
      destruct (nth_error (steps m) t) as [st|] eqn:Est; [|apply nth_error_None in Est; unfold T in *; lia].
      pose proof (never_below_at m g (steps m) 0 (windows g) eq_refl eq_refl Hnb t st Est) as Hbelow.
      pose proof (never_above_at m g (steps m) 0 (windows g) eq_refl eq_refl Hna t st Est) as Habove.
      cbn [Nat.add] in Hbelow, Habove. unfold never_below in Hbelow. unfold never_above in Habove.
      apply andb_true_iff in Hbelow, Habove. destruct Hbelow as [B0 Brest]. destruct Habove as [A0 Arest].
      destruct (grid_positive g Hg) as [_ [_ [H3 H4]]].
      assert (Hone : (window_start g (S t) <= move g (rate_at m g t) (Outcome 0 (fst os) 1) (window_start g t) /\
        move g (rate_at m g t) (Outcome 0 (fst os) 1) (window_end g t) <= window_end g (S t))%Z).
      { destruct (in_kernel m t s i os p Hin) as [->|[act [o [Hact [Ho ->]]]]]; cbn [fst];
          [apply Z.leb_le in B0, A0; now split|].
        unfold actions_at in Hact. rewrite Est in Hact. destruct (get s st) as [acts|] eqn:Eacts; [|discriminate].
        pose proof (tall_get _ _ _ _ Brest Eacts) as HB. pose proof (tall_get _ _ _ _ Arest Eacts) as HA.
        rewrite forallb_forall in HB, HA. specialize (HB act (znth_In _ _ _ Hact)).
        specialize (HA act (znth_In _ _ _ Hact)). rewrite forallb_forall in HB, HA. specialize (HB o Ho).
        specialize (HA o Ho). apply Z.leb_le in HB, HA. now split. }
      pose proof (move_mono g (rate_at m g t) (Outcome 0 (fst os) 1) _ _ H3 H4 (proj1 Hb)) as H1.
      pose proof (move_mono g (rate_at m g t) (Outcome 0 (fst os) 1) _ _ H3 H4 (proj2 Hb)) as H2.
      unfold moved. lia.
    Qed.

    Lemma play_inside n : forall t s b x phi phi', (t + n = T)%nat -> (window_start g t <= b <= window_end g t)%Z ->
      (forall b', (window_start g T <= b' <= window_end g T)%Z -> phi b' = phi' b') -> plays m n t s x ->
      playout m g n t s b x phi = playout m g n t s b x phi'.
    Proof.
      induction n as [|n IH]; intros t s b x phi phi' Ht Hb Hphi Hplays.
      - cbn [playout]. apply Hphi. rewrite Nat.add_0_r in Ht. now subst t.
      - destruct x as [|i nx]; [destruct Hplays|]. cbn [playout]. apply E_ext_as. intros os p Hin _.
        apply IH; [lia | | assumption | apply Hplays]. apply (moved_inside t s i os p b); [lia | |]; assumption.
    Qed.

    (** *** Costs of the coordinates *)

    Section Duality.
      Variables (start lo hi : Z) (ws : list (Z * Z)) (lo' hi' : Z).
      Hypothesis Hwindows : windows g = (lo, hi) :: ws.
      Hypothesis Hlast : window_after (windows g) (steps m) = Some (lo', hi').
      Hypothesis Hstart : (lo <= start <= hi)%Z.

      Lemma cdf_costs mu costs : cost_sum (cdf_of m g start lo' mu) 0 costs =
        mixed_play m g start mu (fun b => cost_sum (fun j => is_above j (b - lo')) 0 costs).
      Proof.
        rewrite mixed_is_E, E_cost_sum. generalize 0%Z as k. induction costs as [|c costs IH]; intros k; cbn [cost_sum];
          [reflexivity|]. rewrite IH. f_equal. f_equal. unfold cdf_of. rewrite mixed_is_E. reflexivity.
      Qed.

      Definition keeps (keep : kept) (mu : mixture_of_strategies) : Prop :=
        forall w x s p, In (w, x) mu -> In (s, p) (jinit M) -> 0 < p ->
          throughout m g (keeps_here keep) T 0 s start (x s).

      Theorem mixture_duality mu keep costs bottom huge : good_mix m mu -> keeps keep mu ->
        length costs = Z.to_nat (hi' - lo') -> forallb (fun y => bottom <=? y)%Z (partial_sums 0 costs) = true ->
        / IZR (initial_den m) * IZR (start_look m bottom lo
          (table_kept m g (rate_0 m g) bottom huge (partial_sums 0 costs) keep (windows g) (steps m)) start) <=
          cost_sum (cdf_of m g start lo' mu) 0 costs.
      Proof.
        intros Hmu Hkeeps Hlen Hbot. rewrite cdf_costs.
        set (v := table_kept m g (rate_0 m g) bottom huge (partial_sums 0 costs) keep (windows g) (steps m)).
        destruct (tested_windows m g lo hi ws lo' hi' Hwindows Hlast) as [W1 [W2 [W3 W4]]]. fold T in W3, W4.
        apply (mixed_ge start mu _ _ (fun s => IZR (look bottom lo (next_row v s) start)) Hmu).
        - right. unfold M. rewrite (E_init m). unfold start_look. rewrite IZR_zsum. f_equal. apply sum_ext. intros sw _.
          now rewrite mult_IZR.
        - intros w x s p Hx Hs Hp.
          pose proof (table_kept_le_play bottom huge (partial_sums 0 costs) keep Hbot (steps m) 0 (windows g) eq_refl
            eq_refl eq_refl s start (x s) (proj2 (proj2 Hmu w x Hx) s) (Hkeeps w x s p Hx Hs Hp)) as H.
          rewrite W1 in H. eapply Rle_trans; [exact H|]. right. fold T.
          apply play_inside; [reflexivity | lia | | apply (proj2 Hmu w x Hx)].
          intros b' Hb'. rewrite W3, W4 in Hb'. rewrite W3. now apply (look_partial_sums m lo' hi').
      Qed.

      Lemma cdf_range mu k : good_mix m mu -> 0 <= cdf_of m g start lo' mu k <= 1.
      Proof.
        intros Hmu. unfold cdf_of. rewrite mixed_is_E.
        apply (exceeds_range (mixed_law start mu) (fun b => b - lo')%Z (law_mixed start mu Hmu) k).
      Qed.

      Lemma cdf_antitone mu j k : good_mix m mu -> (j <= k)%Z ->
        cdf_of m g start lo' mu k <= cdf_of m g start lo' mu j.
      Proof.
        intros Hmu Hjk. unfold cdf_of. rewrite !mixed_is_E.
        apply (exceeds_antitone (mixed_law start mu) (fun b => b - lo')%Z (law_mixed start mu Hmu) j k Hjk).
      Qed.
    End Duality.
  End Inside.
End Kept.
