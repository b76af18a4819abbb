(** * Tables of kept actions, and mixtures of strategies

    [table_kept_le_play]: a strategy that plays only kept actions, wherever it comes with positive probability, costs at
    least what the table of kept actions says.  [mixture_duality]: so does a mixture of such strategies, where costs c
    of the CDF's coordinates are terminal costs. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Mixing Program Check PolygonCheck CellsCheck
  ContractCheck Meaning ModelFacts RatFacts TablesBelow TablesAbove Budgets Means CostBounds PolygonObjective
  PolygonRoute CellEnds Strategies Averages.
Import ListNotations.
Open Scope R_scope.

(** ** Rows *)

Definition flag_at (flags : list bool) (j : Z) : bool := match znth flags j with Some f => f | None => false end.
Definition in_span (x : span) (j : Z) : bool := (0 <=? fst x)%Z && flag_at (snd x) (j - fst x).
(** Whether action i is kept at place j. *)
Definition kept_in (k : option (list span)) (i j : Z) : bool :=
  match k with
  | Some spans => match znth spans i with Some x => in_span x j | None => false end
  | None => true
  end.

Lemma least_where_at flags : forall gap row acc j z, (0 <= gap)%Z -> znth (least_where gap flags row acc) j = Some z ->
  exists x, znth acc j = Some x /\ (z <= x)%Z /\
    forall y, flag_at flags (j - gap) = true -> znth row (j - gap) = Some y -> (z <= y)%Z.
Proof.
  intros gap row acc; revert gap flags row; induction acc as [|x acc IH]; intros gap flags row j z Hgap;
    cbn [least_where]; [discriminate|].
  destruct (Z.ltb_spec 0 gap) as [Hpos|Hpos].
  - cbn [znth]. destruct (Z.eqb_spec j 0) as [->|Hne].
    + intros H. injection H as <-. exists x. split; [reflexivity|]. split; [lia|]. intros y _ Hy.
      apply znth_inside in Hy. lia.
    + intros H. destruct (IH (gap - 1)%Z flags row (j - 1)%Z z ltac:(lia) H) as [x' [H1 [H2 H3]]]. exists x'.
      split; [assumption|]. split; [assumption|]. intros y. replace (j - gap)%Z with (j - 1 - (gap - 1))%Z by lia.
      apply H3.
  - assert (gap = 0)%Z as -> by lia. rewrite Z.sub_0_r.
    destruct flags as [|f flags]; [intros H; exists z; split; [exact H|]; split; [lia|]; intros y Hf _; discriminate|].
    destruct row as [|y row]; [intros H; exists z; split; [exact H|]; split; [lia|]; intros y _ Hy; discriminate|].
    unfold flag_at. cbn [znth]. destruct (Z.eqb_spec j 0) as [->|Hne].
    + intros H. injection H as <-. exists x. split; [reflexivity|]. split; [destruct f; lia|]. intros y' -> Hy.
      injection Hy as <-. lia.
    + intros H. destruct (IH 0%Z flags row (j - 1)%Z z ltac:(lia) H) as [x' [H1 [H2 H3]]]. exists x'.
      split; [assumption|]. split; [assumption|]. intros y'. specialize (H3 y'). now rewrite Z.sub_0_r in H3.
Qed.

Lemma least_where_low flags : forall gap row acc j z, znth (least_where gap flags row acc) j = Some z ->
  exists x, znth acc j = Some x /\ (z <= x)%Z.
Proof.
  intros gap row acc; revert gap flags row; induction acc as [|x acc IH]; intros gap flags row j z;
    cbn [least_where]; [discriminate|].
  destruct (0 <? gap)%Z;
    [|destruct flags as [|f flags], row as [|y row]; try (intros H; exists z; split; [exact H | lia])].
  all: cbn [znth]; destruct (j =? 0)%Z; [intros H; injection H as <-; exists x; split; [reflexivity|] | apply IH].
  - lia.
  - destruct f; lia.
Qed.

(** What is kept at a time, a state and an index. *)
Definition is_kept_at (g : grid) (keep : kept) (t : nat) (s : positive) (b i : Z) : bool :=
  kept_in (get s (first_tree (skipn t keep))) i (b - window_start g t).

(** ** Averages at some indices *)

Lemma smallest_le l : forall x, (smallest x l <= x)%Z /\ forall y, In y l -> (smallest x l <= y)%Z.
Proof.
  induction l as [|z l IH]; intros x; cbn [smallest]; [split; [lia | intros y []]|].
  destruct (IH (Z.min x z)) as [H1 H2]. split; [lia|]. intros y [<-|Hy]; [lia | auto].
Qed.

Lemma greatest_ge l : forall x, (x <= greatest x l)%Z /\ forall y, In y l -> (y <= greatest x l)%Z.
Proof.
  induction l as [|z l IH]; intros x; cbn [greatest]; [split; [lia | intros y []]|].
  destruct (IH (Z.max x z)) as [H1 H2]. split; [lia|]. intros y [<-|Hy]; [lia | auto].
Qed.

Open Scope Z_scope.

(** Two stages where all that the second one reads is there. *)
Lemma two_stages_inside d qs ps (room' : list unit) i : qs <> [] -> ps <> [] -> 0 < zsum fst qs -> 0 < zsum fst ps ->
  (forall pk, In pk ps -> 0 <= fst pk) -> 0 <= i -> (forall pk, In pk ps -> 0 <= snd pk + i < zlen room') ->
  zsum fst ps * zsum fst qs * two_stage_value Z.div d qs ps (along (fun _ => 0) 0 room') i <= product_sum d qs ps i.
Proof.
  intros Hqs Hps HQ HP Hpos Hi Hin. unfold two_stage_value.
  set (row := average_rows Z.div (zsum fst qs) d qs (along (fun _ => 0) 0 room')).
  pose proof (average_below_sum d (map (fun pk => (fst pk, row_from d (snd pk) row)) ps) i) as H.
  assert (HPm : zsum fst (map (fun pk => (fst pk, row_from d (snd pk) row)) ps) = zsum fst ps)
    by (rewrite zsum_map; reflexivity).
  rewrite HPm, zsum_map in H. cbn [fst snd] in H.
  specialize (H ltac:(destruct ps; [congruence | discriminate]) HP). set (x := average_value _ _ _ _ _) in *.
  apply Z.le_trans with (zsum fst qs * zsum (fun pk => fst pk * row_value d (row_from d (snd pk) row) i) ps); [nia|].
  rewrite <- zsum_scal. unfold product_sum. apply zsum_le. intros pk Hpk. specialize (Hpos pk Hpk).
  rewrite value_row_from by assumption. unfold row. rewrite average_rows_along. unfold row_value at 1.
  rewrite look_along by (specialize (Hin pk Hpk); lia). rewrite Z.sub_0_r.
  pose proof (average_below_sum d qs (snd pk + i) Hqs HQ) as Hbelow. nia.
Qed.

Lemma stages_at_below d qs ps n i z : qs <> [] -> ps <> [] -> 0 < zsum fst qs -> 0 < zsum fst ps ->
  (forall pk, In pk ps -> 0 <= fst pk) -> znth (stages_at d qs ps n) i = Some z ->
  zsum fst ps * zsum fst qs * z <= product_sum d qs ps i.
Proof.
  intros Hqs Hps HQ HP Hpos H. unfold stages_at in H.
  set (ks := map snd ps) in *. set (k0 := smallest (hd 0 ks) ks) in *. set (k1 := greatest k0 ks) in *.
  assert (Hk : forall pk, In pk ps -> k0 <= snd pk <= k1).
  { intros pk Hpk. apply (in_map snd) in Hpk. split.
    - exact (proj2 (smallest_le ks (hd 0 ks)) _ Hpk).
    - exact (proj2 (greatest_ge ks k0) _ Hpk). }
  rewrite !zeros_along, (constant_along 0 1 0) in H.
  rewrite two_stages_along in H. pose proof (znth_inside _ _ _ H) as Hi. rewrite zlen_along, zlen_counter in Hi.
  apply znth_along_inv in H. replace (1 + i - 1) with i in H by lia.
  set (qs' := map (fun wr => (fst wr, row_from d k0 (snd wr))) qs) in *.
  set (ps' := map (fun pk => (fst pk, snd pk - k0)) ps) in *.
  assert (HQ' : zsum fst qs' = zsum fst qs) by (unfold qs'; now rewrite zsum_map).
  assert (HP' : zsum fst ps' = zsum fst ps) by (unfold ps'; now rewrite zsum_map).
  assert (Hps' : forall pk, In pk ps' -> exists pk0, In pk0 ps /\ pk = (fst pk0, snd pk0 - k0)).
  { intros pk Hpk. apply in_map_iff in Hpk. destruct Hpk as [pk0 [<- Hin]]. now exists pk0. }
  pose proof (two_stages_inside d qs' ps' (counter 1 (k1 - k0 + n)) i) as Hbelow. rewrite HQ', HP', <- H in Hbelow.
  eapply Z.le_trans; [apply Hbelow; try assumption; try lia|].
  - unfold qs'. destruct qs; [congruence | discriminate].
  - unfold ps'. destruct ps; [congruence | discriminate].
  - intros pk Hpk. destruct (Hps' pk Hpk) as [pk0 [Hin ->]]. cbn [fst]. now apply Hpos.
  - intros pk Hpk. destruct (Hps' pk Hpk) as [pk0 [Hin ->]]. cbn [snd]. rewrite zlen_counter.
    specialize (Hk _ Hin). lia.
  - unfold product_sum, ps', qs'. rewrite zsum_map. apply Z.eq_le_incl, zsum_ext. intros pk Hpk. cbn [fst snd]. f_equal.
    rewrite zsum_map. apply zsum_ext. intros wr _. cbn [fst snd]. f_equal. specialize (Hk _ Hpk).
    rewrite value_row_from by lia. f_equal. lia.
Qed.

Lemma average_at_below g r bottom lo lo' v n a i z : 0 < stretch g -> 0 < shrink g -> 0 < total a ->
  zsum weight (outcomes a) = total a -> znth (average_at g r bottom lo lo' v n a) i = Some z ->
  z <= average_below g r bottom lo' v a (lo + i).
Proof.
  intros Hs Hk Htotal Hweights H. unfold average_at in H. pose proof (znth_inside _ _ _ H) as Hi.
  destruct (if is_shift g then factors a else None) as [[qs ps]|] eqn:Ef.
  - assert (Hboth : is_shift g = true /\ factors a = Some (qs, ps)) by (destruct (is_shift g); [auto | discriminate]).
    clear Ef. destruct Hboth as [Es Ef].
    destruct (stage_facts r lo lo' v a qs ps Ef) as [H1 [H2 [HQ [HP [HQ' [HP' Hpos]]]]]].
    apply stages_at_below in H; try assumption; try congruence. rewrite HQ, HP in H.
    pose proof (product_is_sum g r bottom lo lo' v a qs ps (lo + i) Es Ef) as Hsum.
    replace (lo + i - lo) with i in Hsum by lia. unfold average_below. apply Z.div_le_lower_bound; [assumption|].
    set (S1 := outcome_sum _ _ _ _ _ _ _) in *. set (S2 := product_sum _ _ _ _) in *.
    apply Z.mul_le_mono_pos_l with (zsum fst ps * zsum fst qs); [nia|]. rewrite Hsum.
    replace (zsum fst ps * zsum fst qs * (total a * z)) with (total a * (zsum fst ps * zsum fst qs * z)) by ring.
    apply Z.mul_le_mono_nonneg_l; lia.
  - clear Ef Hi. rewrite action_average_along in H by assumption. pose proof (znth_inside _ _ _ H) as Hi.
    apply znth_along_inv in H. rewrite H.
    change (averaged g r Z.div bottom false lo lo' (zeros lo' 0) v a (lo + i) <=
      average_below g r bottom lo' v a (lo + i)).
    apply averaged_below; try assumption; [discriminate | lia].
Qed.

Lemma zlen_average_at g r bottom lo lo' v n a : 0 < stretch g -> 0 < shrink g ->
  zlen (average_at g r bottom lo lo' v n a) = Z.max 0 n.
Proof.
  intros Hs Hk. unfold average_at. destruct (if is_shift g then factors a else None) as [[qs ps]|].
  - unfold stages_at. rewrite !zeros_along, two_stages_along, zlen_along, zlen_counter. f_equal. lia.
  - rewrite action_average_along, zlen_along, zlen_counter by assumption. f_equal. lia.
Qed.

Lemma znth_in_bounds {X} (l : list X) i : 0 <= i < zlen l -> exists x, znth l i = Some x.
Proof.
  revert i; induction l as [|x l IH]; intros i H; cbn [zlen znth] in *; [lia|].
  destruct (Z.eqb_spec i 0); [eauto|]. apply IH. lia.
Qed.

Close Scope Z_scope.

Section StateKept.
  Variables (g : grid) (r : rat) (bottom lo lo' hi' : Z) (v : values (list Z)) (b : Z).
  Hypothesis Hs : (0 < stretch g)%Z.
  Hypothesis Hk : (0 < shrink g)%Z.
  Let fit := rows_fit (hi' - lo' + 1) v.

  Lemma least_kept_le : forall acts spans acc z,
    znth (least_kept g r bottom lo lo' v acts spans acc) (b - lo) = Some z ->
    forall i a, znth acts i = Some a -> (0 < total a)%Z -> zsum weight (outcomes a) = total a ->
    kept_in (Some spans) i (b - lo) = true -> (z <= average_below g r bottom lo' v a b)%Z.
  Proof.
    induction acts as [|a' acts IH]; intros [|[p flags] spans] acc z Hz i a Ha Htotal Hweights Hkept; try discriminate.
    cbn [least_kept] in Hz. cbn [kept_in znth] in Ha, Hkept.
    set (rest := least_kept g r bottom lo lo' v acts spans acc) in *.
    assert (Hz' : exists x, znth rest (b - lo) = Some x /\ (z <= x)%Z /\ (in_span (p, flags) (b - lo) = true ->
      forall y, znth (average_at g r bottom (lo + p) lo' v (zlen flags) a') (b - lo - p) = Some y -> (z <= y)%Z)).
    { destruct flags as [|f flags].
      - exists z. split; [exact Hz|]. split; [lia|]. unfold in_span. intros H. apply andb_true_iff in H.
        now destruct H as [_ H].
      - destruct (Z_lt_le_dec p 0) as [Hneg|Hp].
        + destruct (least_where_low _ _ _ _ _ _ Hz) as [x [H1 H2]]. exists x. split; [exact H1|]. split; [exact H2|].
          unfold in_span. intros H. apply andb_true_iff in H. destruct H as [H _]. apply Z.leb_le in H.
          cbn [fst] in H. lia.
        + destruct (least_where_at _ _ _ _ _ _ Hp Hz) as [x [H1 [H2 H3]]]. exists x. split; [exact H1|].
          split; [exact H2|]. unfold in_span. intros H. apply andb_true_iff in H. exact (fun y => H3 y (proj2 H)). }
    destruct Hz' as [x [Hx [Hle Hhere]]]. destruct (i =? 0)%Z.
    - injection Ha as ->. pose proof Hkept as Hspan. unfold in_span in Hspan. apply andb_true_iff in Hspan.
      destruct Hspan as [_ Hflag]. cbn [snd fst] in Hflag.
      assert (Hin : (0 <= b - lo - p < zlen flags)%Z).
      { unfold flag_at in Hflag. destruct (znth flags (b - lo - p)) as [f|] eqn:E; [|discriminate].
        exact (znth_inside _ _ _ E). }
      destruct (znth_in_bounds (average_at g r bottom (lo + p) lo' v (zlen flags) a) (b - lo - p)) as [y Hy];
        [rewrite zlen_average_at by assumption; lia|].
      eapply Z.le_trans; [exact (Hhere Hkept y Hy)|]. apply average_at_below in Hy; try assumption.
      now replace (lo + p + (b - lo - p))%Z with b in Hy by lia.
    - eapply Z.le_trans; [exact Hle|]. now apply (IH spans acc x Hx (i - 1)%Z a).
  Qed.

  Lemma state_kept_le huge hi k acts i a : znth acts i = Some a -> (0 < total a)%Z ->
    zsum weight (outcomes a) = total a -> kept_in k i (b - lo) = true ->
    let row := state_kept g r bottom huge fit lo lo' (zeros lo hi) (zeros lo' hi') v k acts in
    look bottom lo row b = bottom \/ (look bottom lo row b <= average_below g r bottom lo' v a b)%Z.
  Proof.
    intros Ha Htotal Hweights Hkept. destruct k as [spans|]; cbn [state_kept].
    - unfold look. destruct (b <? lo)%Z; [now left|].
      destruct (znth _ (b - lo)) as [z|] eqn:Ez; [right | now left]. now apply (least_kept_le acts spans _ z Ez i).
    - unfold fit. apply state_below_le; try assumption. now apply (znth_In _ i).
  Qed.
End StateKept.

(** With nothing removed it is the table of all policies. *)
Lemma table_kept_nothing m g r bottom huge terminal ws sts :
  table_kept m g r bottom huge terminal [] ws sts = table_below m g r bottom terminal ws sts.
Proof.
  revert r ws; induction sts as [|st sts IH]; intros r ws; cbn [table_kept table_below]; [reflexivity|].
  destruct ws as [|[lo hi] [|[lo' hi'] ws]]; try reflexivity. cbn [tl first_tree]. rewrite IH. f_equal.
  set (v := table_below m g (rate_next m g r) bottom terminal ((lo', hi') :: ws) sts). clearbody v. clear.
  induction st as [|l IHl x h IHh]; cbn [tzip tmap]; [reflexivity|]. rewrite IHl, IHh. reflexivity.
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

  Lemma law_of_mixed start mu : good_mix m mu -> is_law (mixed_law start mu).
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
    match x with Play i _ => is_kept_at g keep t s b i = true | Stop => True end.

  Lemma keeps_nothing n : forall t s b x, throughout m g (keeps_here []) n t s b x.
  Proof.
    assert (H0 : forall t s b x, keeps_here [] t s b x).
    { intros t s b [|i nx]; [exact I|]. unfold keeps_here, is_kept_at. rewrite skipn_nil. cbn [first_tree].
      assert (get s (@Leaf (list span)) = None) as -> by now destruct s. reflexivity. }
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
        rewrite Hlo. pose proof Hkeeps as [Hhere _]. unfold keeps_here, is_kept_at in Hhere. rewrite Hlo in Hhere.
        assert (Ha' : znth acts i = Some a) by (rewrite <- Hacts; exact Ha).
        destruct (state_kept_le g (rate_at m g t) bottom lo lo' hi' v b Hs Hk huge hi
          (get s (first_tree (skipn t keep))) acts i a Ha' Htot Hweights Hhere) as [->|Hle]; [apply Hlow|].
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

      Lemma mixed_cdf_range mu k : good_mix m mu -> 0 <= cdf_of m g start lo' mu k <= 1.
      Proof.
        intros Hmu. unfold cdf_of. rewrite mixed_is_E.
        apply (exceeds_range (mixed_law start mu) (fun b => b - lo')%Z (law_of_mixed start mu Hmu) k).
      Qed.

      Lemma cdf_antitone mu j k : good_mix m mu -> (j <= k)%Z ->
        cdf_of m g start lo' mu k <= cdf_of m g start lo' mu j.
      Proof.
        intros Hmu Hjk. unfold cdf_of. rewrite !mixed_is_E.
        apply (exceeds_antitone (mixed_law start mu) (fun b => b - lo')%Z (law_of_mixed start mu Hmu) j k Hjk).
      Qed.
    End Duality.
  End Inside.
End Kept.
