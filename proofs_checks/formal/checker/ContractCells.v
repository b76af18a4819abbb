(** * What the cells of a contraction compute

    [at_row]: a row at all coordinates.  [state_cells_at]: the cell of a state at an index of its window, from the
    averages of its actions there ([parts_average]), and which actions it keeps.
    [columns_at], [kept_in_spans_of]: flags of spans.  [regained_correct]: what other slopes can regain. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Rows Tree Program Check PolygonCheck CellsCheck ContractCheck Averages
  TablesAbove KeptTables.
Import ListNotations.
Open Scope Z_scope.

(** ** Rows: V before them, 0 behind *)

Definition at_row (V : Z) (row : list Z) (j : Z) : Z :=
  if j <? 0 then V else match znth row j with Some v => v | None => 0 end.

Lemma at_row_before V row j : j < 0 -> at_row V row j = V.
Proof. intros H. unfold at_row. destruct (Z.ltb_spec j 0); [reflexivity | lia]. Qed.

Lemma at_row_behind V row j : 0 <= j -> zlen row <= j -> at_row V row j = 0.
Proof.
  intros H0 H. unfold at_row. destruct (Z.ltb_spec j 0); [lia|]. now rewrite znth_beyond.
Qed.

Lemma at_row_cons V x row j : 0 < j -> at_row V (x :: row) j = at_row V row (j - 1).
Proof.
  intros H. unfold at_row. destruct (Z.ltb_spec j 0), (Z.ltb_spec (j - 1) 0); try lia. cbn [znth].
  destruct (Z.eqb_spec j 0); [lia | reflexivity].
Qed.

Lemma at_row_along {X} V A (l : list X) j : 0 <= j < zlen l -> at_row V (along A 0 l) j = A j.
Proof. intros H. unfold at_row. destruct (Z.ltb_spec j 0); [lia|]. rewrite znth_along by lia. f_equal. Qed.

Lemma zlen_merged f l : forall k, zlen l = zlen k -> zlen (zmap2 f l k) = zlen l.
Proof.
  induction l as [|x l IH]; intros [|y k] H; cbn [zmap2 zlen] in *; try reflexivity.
  - pose proof (zlen_nonneg l). lia.
  - rewrite IH; lia.
Qed.

Lemma at_zmap2 V f l : f V V = V -> f 0 0 = 0 -> forall k j, zlen l = zlen k ->
  at_row V (zmap2 f l k) j = f (at_row V l j) (at_row V k j).
Proof.
  intros HV H0. induction l as [|x l IH]; intros [|y k] j H; cbn [zmap2 zlen] in *.
  - unfold at_row. destruct (j <? 0); cbn [znth]; congruence.
  - pose proof (zlen_nonneg k). lia.
  - pose proof (zlen_nonneg l). lia.
  - destruct (Z.ltb_spec j 0) as [Hj|Hj]; [now rewrite !at_row_before|].
    destruct (Z.eq_dec j 0) as [->|Hne]; [reflexivity|]. rewrite !at_row_cons by lia. apply IH. lia.
Qed.

(** ** Sums of rows *)

Lemma add_law_along {X} V w (l : list X) : forall gap row A b, 0 <= gap ->
  add_law (w * V) w gap row (along A b l) = along (fun j => A j + w * at_row V row (j - b - gap)) b l.
Proof.
  induction l as [|x l IH]; intros gap row A b Hgap; [reflexivity|]. cbn [along add_law].
  destruct (Z.ltb_spec 0 gap) as [Hpos|Hpos].
  - rewrite at_row_before by lia. f_equal. rewrite IH by lia. apply along_ext. intros j _. do 3 f_equal. lia.
  - assert (gap = 0) as -> by lia. destruct row as [|v row].
    + change (A b :: along A (b + 1) l) with (along A b (x :: l)).
      change ((A b + w * at_row V [] (b - b - 0)) :: along (fun j => A j + w * at_row V [] (j - b - 0)) (b + 1) l)
        with (along (fun j => A j + w * at_row V [] (j - b - 0)) b (x :: l)).
      apply along_ext. intros j Hj. rewrite at_row_behind by (cbn [zlen]; lia). ring.
    + replace (b - b - 0) with 0 by lia. f_equal. rewrite IH by lia. apply along_ext. intros j Hj.
      rewrite (at_row_cons V v) by lia. do 3 f_equal. lia.
Qed.

Lemma sum_laws_along {X Y} V f (w gap : X -> Z) (c : X -> law_cell) (l : list Y) os :
  (forall o, In o os -> 0 <= gap o) -> forall A,
  sum_laws V f (map (fun o => (w o, gap o, c o)) os) (along A 0 l) =
    along (fun j => A j + zsum (fun o => w o * at_row V (f (c o)) (j - gap o)) os) 0 l.
Proof.
  induction os as [|o os IH]; intros Hgap A; cbn [map sum_laws zsum].
  - apply along_ext. intros; lia.
  - rewrite add_law_along by (apply Hgap; now left). rewrite IH by (intros; apply Hgap; now right).
    apply along_ext. intros j _. rewrite Z.sub_0_r. lia.
Qed.

Lemma sum_costs_sum {X} f (w gap : X -> Z) (c : X -> law_cell) os :
  sum_costs f (map (fun o => (w o, gap o, c o)) os) = zsum (fun o => w o * f (c o)) os.
Proof. induction os as [|o os IH]; cbn [map sum_costs zsum]; [reflexivity | now rewrite IH]. Qed.

Lemma zlen_map {X Y} (f : X -> Y) l : zlen (map f l) = zlen l.
Proof. induction l as [|x l IH]; cbn [map zlen]; [reflexivity | now rewrite IH]. Qed.

Lemma zlen_add_law e w acc : forall gap row, zlen (add_law e w gap row acc) = zlen acc.
Proof.
  induction acc as [|a acc IH]; intros gap row; cbn [add_law]; [reflexivity|].
  destruct (0 <? gap); [cbn [zlen]; now rewrite IH|]. destruct row; cbn [zlen]; [reflexivity | now rewrite IH].
Qed.

Lemma zlen_sum_laws V f l : forall acc, zlen (sum_laws V f l acc) = zlen acc.
Proof.
  induction l as [|[[w gap] c] l IH]; intros acc; cbn [sum_laws]; [reflexivity|]. now rewrite IH, zlen_add_law.
Qed.

Lemma room_along n : map (fun _ => 0) (counter 1 n) = along (fun _ => 0) 0 (counter 1 n).
Proof. pose proof (zeros_along 1 n) as H. unfold zeros in H. rewrite H. apply constant_along. Qed.

(** ** Streams *)

Definition no_cell : law_cell := Cell 0 0 [] [] [].
Definition cell_at (v : values cell_row) (s : positive) (place : Z) : law_cell :=
  match znth (cells_at v s) place with Some (Some c) => c | _ => no_cell end.
Definition skip_stream (p : Z) (l : stream) : stream := map (fun x => (fst x, zskip p (snd x))) l.

Lemma zskip_tl {X} p (l : list X) : 0 < p -> zskip (p - 1) (tl l) = zskip p l.
Proof.
  intros H. destruct l as [|x l]; cbn [tl zskip].
  - destruct (p - 1 <=? 0), (p <=? 0); reflexivity.
  - destruct (Z.leb_spec p 0); [lia | reflexivity].
Qed.

Lemma zskip_head {X} p (l : list X) x rest : 0 <= p -> zskip p l = x :: rest -> znth l p = Some x.
Proof.
  intros Hp H. pose proof (znth_zskip l p 0 Hp ltac:(lia)) as Hz. rewrite H, Z.add_0_r in Hz. now rewrite <- Hz.
Qed.

Lemma heads_at r most lo lo' v p : 0 <= p -> forall outs heads,
  (forall o, In o outs -> 0 <= lo - charge r o - lo') ->
  stream_heads (skip_stream p (map (fun o => (weight o, most - charge r o,
    zskip (lo - charge r o - lo') (cells_at v (next o)))) outs)) = Some heads ->
  heads = map (fun o => (weight o, most - charge r o, cell_at v (next o) (lo + p - charge r o - lo'))) outs /\
  forall o, In o outs -> znth (cells_at v (next o)) (lo + p - charge r o - lo') =
    Some (Some (cell_at v (next o) (lo + p - charge r o - lo'))).
Proof.
  intros Hp. induction outs as [|o outs IH]; intros heads Hlo; cbn [map skip_stream stream_heads].
  - intros H. injection H as <-. split; [reflexivity | intros o []].
  - cbn [fst snd]. set (k := lo - charge r o - lo').
    assert (Hk : 0 <= k) by (apply Hlo; now left).
    assert (Hz : zskip p (zskip k (cells_at v (next o))) = zskip (k + p) (cells_at v (next o))).
    { rewrite <- (zskip_zskip _ k (k + p)) by lia. f_equal. lia. }
    rewrite Hz. destruct (zskip (k + p) (cells_at v (next o))) as [|[c|] rest] eqn:E; try discriminate.
    apply zskip_head in E; [|lia]. replace (k + p) with (lo + p - charge r o - lo') in E by (unfold k; lia).
    match goal with |- match ?x with _ => _ end = _ -> _ => destruct x as [hs|] eqn:Ehs; [|discriminate] end.
    destruct (IH hs ltac:(intros; apply Hlo; now right) Ehs) as [-> Hall]. intros H. injection H as <-.
    assert (Hc : cell_at v (next o) (lo + p - charge r o - lo') = c) by (unfold cell_at; now rewrite E).
    split; [now rewrite Hc|]. intros o' [<-|Hin]; [now rewrite Hc | now apply Hall].
Qed.

(** The cell of an action, from those of its outcomes. *)
Definition average_cell (V : Z) (width : list unit) (gap : outcome -> Z) (c : outcome -> law_cell) (a : action) :
  law_cell :=
  let mean f j := zsum (fun o => weight o * at_row V (f (c o)) (j - gap o)) (outcomes a) in
  Cell (zsum (fun o => weight o * cost (c o)) (outcomes a) / total a)
    (cdiv (zsum (fun o => weight o * own_cost (c o)) (outcomes a)) (total a))
    (along (fun j => mean own_law j / total a) 0 width) (along (fun j => mean least_law j / total a) 0 width)
    (along (fun j => cdiv (mean most_law j) (total a)) 0 width).

(** What the program computes of it. *)
Lemma parts_average V n gap c a : (forall o, In o (outcomes a) -> 0 <= gap o) ->
  let x := (total a, map (fun o => (weight o, gap o, c o)) (outcomes a)) in
  let room := map (fun _ => 0) (counter 1 n) in
  let average := average_cell V (counter 1 n) gap c a in
  least_cost x = cost average /\ cdiv (sum_costs own_cost (snd x)) (fst x) = own_cost average /\
  law_below V room own_law x = own_law average /\ law_below V room least_law x = least_law average /\
  law_above V room most_law x = most_law average.
Proof.
  intros Hgap x room average. unfold least_cost, law_below, law_above, x, room, average, average_cell.
  cbn [fst snd cost own_cost own_law least_law most_law].
  rewrite !sum_costs_sum, room_along, !sum_laws_along, !map_along by assumption. now repeat split.
Qed.

(** ** The actions of a state *)

Lemma kept_parts_at : forall flags acts streams l, kept_parts flags acts streams = Some l ->
  (forall i f a st, znth flags i = Some f -> znth acts i = Some a -> znth streams i = Some st -> on_flag f = true ->
     exists x, znth l i = Some (Some (total a, x)) /\ stream_heads st = Some x) /\
  forall i y, znth l i = Some (Some y) -> exists a st x,
    znth acts i = Some a /\ znth streams i = Some st /\ stream_heads st = Some x /\ y = (total a, x).
Proof.
  induction flags as [|f flags IH]; intros [|a acts] [|st streams] l; cbn [kept_parts];
    try (intros H; injection H as <-; split; intros; discriminate).
  destruct (kept_parts flags acts streams) as [rest|] eqn:Erest; [|discriminate].
  destruct (IH _ _ _ Erest) as [H1 H2]. destruct (on_flag f) eqn:Ef.
  - destruct (stream_heads st) as [x|] eqn:Ex; [|discriminate]. intros H. injection H as <-. split; intros i.
    + intros f' a' st'. cbn [znth]. destruct (i =? 0); [|apply H1]. intros _ Ha Hst _. injection Ha as <-.
      injection Hst as <-. now exists x.
    + intros y. cbn [znth]. destruct (i =? 0); [|apply H2]. intros Hy. injection Hy as <-. now exists a, st, x.
  - intros H. injection H as <-. split; intros i.
    + intros f' a' st'. cbn [znth]. destruct (i =? 0); [|apply H1]. intros Hf _ _ Hf'. congruence.
    + intros y. cbn [znth]. destruct (i =? 0); [discriminate | apply H2].
Qed.

Lemma greediest_correct l : forall c x, greediest l = Some (c, x) ->
  c = least_cost x /\ (exists i, znth l i = Some (Some x)) /\
  forall i y, znth l i = Some (Some y) -> c <= least_cost y.
Proof.
  assert (Hnext : forall (z : option (Z * parts)) l i x, znth l i = Some x -> znth (z :: l) (i + 1) = Some x).
  { intros z l' i x H. pose proof (znth_inside _ _ _ H). cbn [znth]. destruct (Z.eqb_spec (i + 1) 0); [lia|].
    now replace (i + 1 - 1) with i by lia. }
  assert (Hnone : forall l, greediest l = None -> forall i y, znth l i = Some (Some y) -> False).
  { induction l0 as [|[z|] l0 IH]; intros H i y; try discriminate. cbn [znth]. destruct (i =? 0); [discriminate|].
    now apply IH. }
  induction l as [|[z|] l IH]; intros c x; cbn [greediest]; cbv zeta; [discriminate | |].
  - destruct (greediest l) as [[d y]|] eqn:Erest.
    + destruct (IH d y eq_refl) as [H1 [[i Hi] H3]]. destruct (Z.leb_spec (least_cost z) d) as [Hle|Hlt];
        intros H; injection H as Hc Hx; subst c x; (split; [reflexivity || assumption|]).
      * split; [now exists 0|]. intros j y'. cbn [znth]. destruct (j =? 0); [intros H; injection H as <-; lia|].
        intros H. specialize (H3 _ _ H). lia.
      * split; [exists (i + 1); now apply Hnext|]. intros j y'. cbn [znth].
        destruct (j =? 0); [intros H; injection H as <-; lia | apply H3].
    + intros H. injection H as <- <-. split; [reflexivity|]. split; [now exists 0|]. intros j y'. cbn [znth].
      destruct (j =? 0); [intros H; injection H as <-; lia|]. intros H. destruct (Hnone l Erest _ _ H).
  - intros H. destruct (IH c x H) as [H1 [[i Hi] H3]]. split; [assumption|].
    split; [exists (i + 1); now apply Hnext|]. intros j y'. cbn [znth]. destruct (j =? 0); [discriminate | apply H3].
Qed.

Definition rows_of_width (width : Z) (c : law_cell) : Prop :=
  zlen (own_law c) = width /\ zlen (least_law c) = width /\ zlen (most_law c) = width.

Lemma still_kept_correct V n room rs own_c own_l l : 0 <= V -> forall flags laws,
  still_kept V n room rs own_c own_l l = (flags, laws) ->
  (forall low high, laws = Some (low, high) -> zlen low = zlen room /\ zlen high = zlen room) /\
  forall i x, znth l i = Some (Some x) ->
  V * (least_cost x - own_c) <= regained n rs own_l (law_below V room least_law x) (law_above V room most_law x) ->
  znth flags i = Some true /\ exists low high, laws = Some (low, high) /\ forall j,
    at_row V low j <= at_row V (law_below V room least_law x) j /\
    at_row V (law_above V room most_law x) j <= at_row V high j.
Proof.
  intros HV. assert (Hbelow : forall x, zlen (law_below V room least_law x) = zlen room)
    by (intros; unfold law_below; now rewrite zlen_map, zlen_sum_laws).
  assert (Habove : forall x, zlen (law_above V room most_law x) = zlen room)
    by (intros; unfold law_above; now rewrite zlen_map, zlen_sum_laws).
  induction l as [|[z|] l IH]; intros flags laws; cbn [still_kept].
  - intros H. injection H as <- <-. split; intros; discriminate.
  - destruct (still_kept V n room rs own_c own_l l) as [flags' laws'] eqn:E. destruct (IH _ _ eq_refl) as [Hw Hin].
    set (low := law_below V room least_law z) in *. set (high := law_above V room most_law z) in *.
    destruct ((least_cost z <=? own_c) || _) eqn:Etest; intros H; injection H as <- <-; split.
    + intros lw hg Hlaws. injection Hlaws as Hlaws. destruct laws' as [[lw' hg']|]; injection Hlaws as <- <-.
      * destruct (Hw _ _ eq_refl). rewrite !zlen_merged; unfold low, high; rewrite ?Hbelow, ?Habove; lia.
      * split; [apply Hbelow | apply Habove].
    + intros i x. cbn [znth]. destruct (i =? 0).
      * intros Hx Htest. injection Hx as <-. split; [reflexivity|].
        exists (fst (wider low high laws')), (snd (wider low high laws')).
        split; [now rewrite <- surjective_pairing|]. intros j. fold low high.
        destruct laws' as [[lw' hg']|]; cbn [wider fst snd]; [|lia]. destruct (Hw _ _ eq_refl) as [W1 W2].
        rewrite !at_zmap2 by (try lia; unfold low, high; rewrite ?Hbelow, ?Habove; lia). lia.
      * intros Hx Htest. destruct (Hin _ _ Hx Htest) as [F [lw' [hg' [-> Hj]]]]. split; [exact F|].
        exists (zmap2 Z.min low lw'), (zmap2 Z.max high hg'). split; [reflexivity|]. intros j.
        destruct (Hw _ _ eq_refl) as [W1 W2].
        rewrite !at_zmap2 by (try lia; unfold low, high; rewrite ?Hbelow, ?Habove; lia). specialize (Hj j). lia.
    + exact Hw.
    + intros i x. cbn [znth]. destruct (i =? 0); [|apply Hin]. intros Hx Htest. injection Hx as <-.
      apply orb_false_iff in Etest. destruct Etest as [_ Etest]. apply Z.leb_gt in Etest. fold low high in Htest. lia.
  - destruct (still_kept V n room rs own_c own_l l) as [flags' laws'] eqn:E. destruct (IH _ _ eq_refl) as [Hw Hin].
    intros H. injection H as <- <-. split; [exact Hw|]. intros i x. cbn [znth]. destruct (i =? 0); [discriminate|].
    apply Hin.
Qed.

Lemma state_cells_at V n room acts places : forall rs flags streams p fc,
  znth (contract_state V n room rs flags acts streams places) p = Some (Some fc) ->
  0 <= p < zlen places /\
  contract_cell V n room (zskip p rs) (map (zskip p) flags) acts (map (skip_stream p) streams) = Some fc.
Proof.
  induction places as [|wanted places IH]; intros rs flags streams p fc; cbn [contract_state znth zlen];
    [discriminate|].
  pose proof (zlen_nonneg places). destruct (Z.eqb_spec p 0) as [->|Hne].
  - destruct wanted; [|discriminate]. intros H'. injection H' as H'. split; [lia|]. rewrite zskip_nonpos by lia.
    rewrite <- H'. f_equal.
    + rewrite <- (map_id flags) at 2. apply map_ext. intros f. now rewrite zskip_nonpos by lia.
    + rewrite <- (map_id streams) at 2. apply map_ext. intros st. unfold skip_stream.
      rewrite <- (map_id st) at 2. apply map_ext. intros [x cl]. cbn [fst snd]. now rewrite zskip_nonpos by lia.
  - intros H'. destruct (IH _ _ _ _ _ H') as [Hp Hcell]. split; [lia|]. rewrite zskip_tl in Hcell by lia.
    rewrite <- Hcell. rewrite !map_map. f_equal.
    + apply map_ext. intros f. now rewrite zskip_tl by lia.
    + apply map_ext. intros st. unfold skip_stream, stream_tails. rewrite map_map. apply map_ext. intros [x cl].
      cbn [fst snd]. now rewrite zskip_tl by lia.
Qed.

(** ** Spans *)

Lemma flag_at_cons f l j : 0 < j -> flag_at (f :: l) j = flag_at l (j - 1).
Proof. intros H. unfold flag_at. cbn [znth]. destruct (Z.eqb_spec j 0); [lia | reflexivity]. Qed.

Lemma flag_at_neg l j : j < 0 -> flag_at l j = false.
Proof. intros H. unfold flag_at. now rewrite znth_neg. Qed.

Lemma flag_at_ended l : forall j, flag_at (ended l) j = flag_at l j.
Proof.
  induction l as [|f l IH]; intros j; [reflexivity|].
  destruct (Z_lt_le_dec j 0) as [Hj|Hj]; [now rewrite !flag_at_neg|]. cbn [ended].
  destruct (Z.eq_dec j 0) as [->|Hne]; [destruct (ended l), f; reflexivity|].
  rewrite flag_at_cons, <- IH by lia. destruct (ended l) as [|f' l']; [|now rewrite flag_at_cons by lia].
  destruct f; [now rewrite flag_at_cons by lia | reflexivity].
Qed.

Lemma in_span_of l : forall p j, 0 <= p -> in_span (span_of p l) j = flag_at l (j - p).
Proof.
  induction l as [|f l IH]; intros p j Hp; cbn [span_of].
  - unfold in_span, flag_at. cbn [fst snd znth]. now rewrite andb_false_r.
  - destruct f.
    + unfold in_span. cbn [fst snd]. rewrite flag_at_ended. destruct (Z.leb_spec 0 p); [reflexivity | lia].
    + rewrite IH by lia. destruct (Z_lt_le_dec 0 (j - p)) as [Hj|Hj].
      * rewrite flag_at_cons by lia. f_equal. lia.
      * rewrite flag_at_neg by lia. unfold flag_at. cbn [znth]. destruct (Z.eqb_spec (j - p) 0); [reflexivity|].
        now rewrite znth_neg by lia.
Qed.

Lemma flag_at_0 f : on_flag f = flag_at f 0.
Proof. now destruct f. Qed.

Lemma kept_in_spans_of {X} (acts : list X) : forall l i a j, znth acts i = Some a ->
  kept_in (Some (spans_of acts l)) i j = match znth l j with Some row => flag_at row i | None => false end.
Proof.
  induction acts as [|a' acts IH]; intros l i a j Ha; [discriminate|]. cbn [spans_of kept_in znth] in *.
  pose proof (znth_inside (a' :: acts) i a Ha) as Hi. destruct (Z.eqb_spec i 0) as [->|Hne].
  - rewrite in_span_of, Z.sub_0_r by lia. unfold flag_at at 1. rewrite znth_map.
    destruct (znth l j) as [row|]; cbn [option_map]; [apply flag_at_0 | reflexivity].
  - specialize (IH (map (@tl bool) l) (i - 1) a j Ha). cbn [kept_in] in IH. rewrite IH, znth_map.
    destruct (znth l j) as [[|f row]|]; cbn [option_map tl]; [reflexivity | | reflexivity].
    now rewrite flag_at_cons by lia.
Qed.

Lemma on_flag_skip j l : 0 <= j -> on_flag (zskip j l) = flag_at l j.
Proof. intros H. rewrite flag_at_0. unfold flag_at. now rewrite znth_zskip, Z.add_0_r by lia. Qed.

Lemma flag_at_padded n l : forall j, 0 <= j -> flag_at (repeat false n ++ l) j = flag_at l (j - Z.of_nat n).
Proof.
  induction n as [|n IH]; intros j Hj; [cbn; f_equal; lia|]. cbn [repeat app].
  destruct (Z.eq_dec j 0) as [->|Hne]; [rewrite (flag_at_neg l) by lia; reflexivity|].
  rewrite flag_at_cons, IH by lia. f_equal. lia.
Qed.

Lemma columns_at {X Y} k (acts : list X) (window : list Y) i j a : znth acts i = Some a -> 0 <= j < zlen window ->
  kept_in k i j = true -> exists f, znth (columns k acts window) i = Some f /\ on_flag (zskip j f) = true.
Proof.
  intros Ha Hj Hk. unfold columns. destruct k as [spans|]; cbn [kept_in] in Hk; rewrite znth_map; unfold span in *.
  - destruct (znth spans i) as [[p flags]|]; [|discriminate]. unfold in_span in Hk; cbn [option_map fst snd] in *.
    apply andb_true_iff in Hk. destruct Hk as [Hp Hk]. apply Z.leb_le in Hp. eexists. split; [reflexivity|].
    rewrite on_flag_skip, flag_at_padded by lia. rewrite <- Hk. f_equal. lia.
  - rewrite Ha. eexists. split; [reflexivity|]. rewrite on_flag_skip by lia. unfold flag_at. rewrite znth_map.
    destruct (znth window j) as [y|] eqn:E; [reflexivity|].
    exfalso. revert E Hj. clear. revert j. induction window as [|y l IH]; intros j; cbn [znth zlen]; [lia|].
    destruct (Z.eqb_spec j 0); [discriminate|]. intros E Hj. apply (IH (j - 1) E). lia.
Qed.

(** ** What other slopes regain *)

Open Scope R_scope.

Fixpoint gained (F F' : Z -> R) (k : Z) (rs : list (Z * Z)) : R :=
  match rs with
  | [] => 0
  | (down, up) :: rs' => IZR down * Rmax 0 (F k - F' k) + IZR up * Rmax 0 (F' k - F k) + gained F F' (k + 1) rs'
  end.

Lemma gained_same F F' rs : forall k, (forall j, (k <= j)%Z -> F j = F' j) -> gained F F' k rs = 0.
Proof.
  induction rs as [|[down up] rs IH]; intros k H; cbn [gained]; [reflexivity|].
  rewrite IH by (intros; apply H; lia). rewrite (H k) by lia. rewrite Rminus_diag_eq, Rmax_left by lra. ring.
Qed.

Lemma gained_skip F F' rs : forall k j, (0 <= j)%Z -> (forall i, (k <= i < k + j)%Z -> F i = F' i) ->
  gained F F' k rs = gained F F' (k + j) (zskip j rs).
Proof.
  induction rs as [|[down up] rs IH]; intros k j Hj H; cbn [zskip].
  - destruct (j <=? 0)%Z; reflexivity.
  - destruct (Z.leb_spec j 0) as [Hle|Hgt]; [now replace (k + j)%Z with k by lia|]. cbn [gained].
    rewrite (IH (k + 1)%Z (j - 1)%Z) by (try lia; intros; apply H; lia). rewrite (H k) by lia.
    rewrite Rminus_diag_eq, Rmax_left by lra. replace (k + 1 + (j - 1))%Z with (k + j)%Z by lia. ring.
Qed.

Lemma regained_term down up x y z n f f' : (y <= f <= z) -> (x <= f' <= x + n) ->
  IZR down * Rmax 0 (f - f') + IZR up * Rmax 0 (f' - f) <=
    Rmax 0 (Rmax (IZR down * (z - x)) (IZR up * (x + n - y))).
Proof.
  intros Hf Hf'. pose proof (Rmax_l 0 (Rmax (IZR down * (z - x)) (IZR up * (x + n - y)))) as M0.
  pose proof (Rmax_r 0 (Rmax (IZR down * (z - x)) (IZR up * (x + n - y)))) as M1.
  pose proof (Rmax_l (IZR down * (z - x)) (IZR up * (x + n - y))) as M2.
  pose proof (Rmax_r (IZR down * (z - x)) (IZR up * (x + n - y))) as M3.
  destruct (Rle_dec f f') as [H|H].
  - rewrite (Rmax_left 0 (f - f')), (Rmax_right 0 (f' - f)) by lra. destruct (Rle_dec 0 (IZR up)) as [Hu|Hu].
    + pose proof (Rmult_le_compat_l (IZR up) (f' - f) (x + n - y) Hu ltac:(lra)). lra.
    + pose proof (Rmult_le_pos (- IZR up) (f' - f) ltac:(lra) ltac:(lra)). lra.
  - rewrite (Rmax_right 0 (f - f')), (Rmax_left 0 (f' - f)) by lra. destruct (Rle_dec 0 (IZR down)) as [Hu|Hu].
    + pose proof (Rmult_le_compat_l (IZR down) (f - f') (z - x) Hu ltac:(lra)). lra.
    + pose proof (Rmult_le_pos (- IZR down) (f - f') ltac:(lra) ltac:(lra)). lra.
Qed.

Lemma IZR_max a b : IZR (Z.max a b) = Rmax (IZR a) (IZR b).
Proof.
  destruct (Z.max_spec a b) as [[H ->]|[H ->]].
  - apply IZR_lt in H. rewrite Rmax_right; lra.
  - apply IZR_le in H. rewrite Rmax_left; lra.
Qed.

Lemma regained_correct V n F F' rs : forall k own low high, zlen low = zlen own -> zlen high = zlen own ->
  (forall j, (0 <= j)%Z -> IZR (at_row V low j) <= F (k + j)%Z <= IZR (at_row V high j)) ->
  (forall j, (0 <= j)%Z -> IZR (at_row V own j) <= F' (k + j)%Z <= IZR (at_row V own j) + IZR n) ->
  (forall j, (zlen own <= j)%Z -> F (k + j)%Z = F' (k + j)%Z) ->
  gained F F' k rs <= IZR (regained n rs own low high).
Proof.
  induction rs as [|[down up] rs IH]; intros k own low high Hlow Hhigh HF HF' Hout; [cbn; lra|].
  assert (Hshift : forall {j}, (k + 1 + j = k + (j + 1))%Z) by (intros; lia).
  destruct own as [|x own], low as [|y low], high as [|z high]; cbn [zlen] in *;
    try match goal with H : context [(1 + zlen ?l)%Z] |- _ => pose proof (zlen_nonneg l); exfalso; lia end.
  - rewrite gained_same; [cbn; lra|]. intros j Hj. replace j with (k + (j - k))%Z by lia. apply Hout. lia.
  - cbn [gained regained]. rewrite plus_IZR. apply Rplus_le_compat.
    + pose proof (HF 0%Z ltac:(lia)) as H0. pose proof (HF' 0%Z ltac:(lia)) as H0'. rewrite Z.add_0_r in H0, H0'.
      cbn in H0, H0'. rewrite !IZR_max, !mult_IZR, !minus_IZR, plus_IZR. now apply regained_term.
    + apply IH; [lia | lia | | |]; intros j Hj; rewrite Hshift.
      * pose proof (HF (j + 1)%Z ltac:(lia)) as H'. rewrite !at_row_cons in H' by lia.
        now replace (j + 1 - 1)%Z with j in H' by lia.
      * pose proof (HF' (j + 1)%Z ltac:(lia)) as H'. rewrite !at_row_cons in H' by lia.
        now replace (j + 1 - 1)%Z with j in H' by lia.
      * apply Hout. lia.
Qed.
