(** * What the cells of a contraction compute

    [at_row]: a row at all coordinates.  [state_cells_at]: the cell of a state at an index of its window, from the
    averages of its actions there ([action_cell_at]).  [regained_correct]: what other slopes can regain. *)

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

Lemma zlen_zmap2 f l : forall k, zlen l = zlen k -> zlen (zmap2 f l k) = zlen l.
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

Lemma add_one_cell {Y} V w gap c (l : list Y) x y A B C : 0 <= gap ->
  add_cell V (w, gap, c) (Cell x y (along A 0 l) (along B 0 l) (along C 0 l)) =
  Cell (x + w * cost c) (y + w * own_cost c) (along (fun j => A j + w * at_row V (own_law c) (j - 0 - gap)) 0 l)
    (along (fun j => B j + w * at_row V (least_law c) (j - 0 - gap)) 0 l)
    (along (fun j => C j + w * at_row V (most_law c) (j - 0 - gap)) 0 l).
Proof.
  intros H. unfold add_cell. cbn [cost own_cost own_law least_law most_law]. now rewrite !add_law_along.
Qed.

Lemma add_cells {X Y} V (w gap : X -> Z) (c : X -> law_cell) (l : list Y) os : (forall o, In o os -> 0 <= gap o) ->
  forall x y A B C,
  let total f := fun j => zsum (fun o => w o * at_row V (f (c o)) (j - gap o)) os in
  fold_left (fun acc x => add_cell V x acc) (map (fun o => (w o, gap o, c o)) os)
    (Cell x y (along A 0 l) (along B 0 l) (along C 0 l)) =
  Cell (x + zsum (fun o => w o * cost (c o)) os) (y + zsum (fun o => w o * own_cost (c o)) os)
    (along (fun j => A j + total own_law j) 0 l) (along (fun j => B j + total least_law j) 0 l)
    (along (fun j => C j + total most_law j) 0 l).
Proof.
  induction os as [|o os IH]; intros Hgap x y A B C total; unfold total; cbn [map fold_left zsum].
  - f_equal; try lia; apply along_ext; intros; lia.
  - rewrite add_one_cell by (apply Hgap; now left). rewrite IH by (intros; apply Hgap; now right).
    f_equal; try lia; apply along_ext; intros j _; rewrite ?Z.sub_0_r; lia.
Qed.

Lemma room_along n : map (fun _ => 0) (counter 1 n) = along (fun _ => 0) 0 (counter 1 n).
Proof. pose proof (zeros_along 1 n) as H. unfold zeros in H. rewrite H. apply constant_along. Qed.

(** ** Streams *)

Definition no_cell : law_cell := Cell 0 0 [] [] [].
Definition cell_at (v : values (list law_cell)) (s : positive) (place : Z) : law_cell :=
  match znth (cells_at v s) place with Some c => c | None => no_cell end.
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
    Some (cell_at v (next o) (lo + p - charge r o - lo')).
Proof.
  intros Hp. induction outs as [|o outs IH]; intros heads Hlo; cbn [map skip_stream stream_heads].
  - intros H. injection H as <-. split; [reflexivity | intros o []].
  - cbn [fst snd]. set (k := lo - charge r o - lo').
    assert (Hk : 0 <= k) by (apply Hlo; now left).
    assert (Hz : zskip p (zskip k (cells_at v (next o))) = zskip (k + p) (cells_at v (next o))).
    { rewrite <- (zskip_zskip _ k (k + p)) by lia. f_equal. lia. }
    rewrite Hz. destruct (zskip (k + p) (cells_at v (next o))) as [|c rest] eqn:E; [discriminate|].
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

Lemma action_cell_at V n r most lo lo' v p a c : 0 <= p ->
  (forall o, In o (outcomes a) -> 0 <= lo - charge r o - lo') -> (forall o, In o (outcomes a) -> charge r o <= most) ->
  action_law_cell V (map (fun _ => 0) (counter 1 n)) (total a) (skip_stream p (stream_of r most lo lo' v a)) = Some c ->
  let child o := cell_at v (next o) (lo + p - charge r o - lo') in
  c = average_cell V (counter 1 n) (fun o => most - charge r o) child a /\
  forall o, In o (outcomes a) -> znth (cells_at v (next o)) (lo + p - charge r o - lo') = Some (child o).
Proof.
  intros Hp Hlo Hmost H child. unfold action_law_cell, stream_of in H.
  destruct (stream_heads _) as [heads|] eqn:E in H; [|discriminate].
  destruct (heads_at r most lo lo' v p Hp _ _ Hlo E) as [-> Hall]. split; [|exact Hall].
  injection H as <-. rewrite room_along.
  rewrite (add_cells V weight (fun o => most - charge r o) child (counter 1 n) (outcomes a))
    by (intros o Ho; specialize (Hmost o Ho); lia).
  unfold divided, average_cell. cbn [cost own_cost own_law least_law most_law]. now rewrite !map_along.
Qed.

(** ** The actions of a state *)

Lemma combine_map {X Y} (f : X -> Y) l : combine l (map f l) = map (fun x => (x, f x)) l.
Proof. induction l as [|x l IH]; cbn; [reflexivity | now rewrite IH]. Qed.

Lemma all_some_at {X Y} (h : X -> option Y) l : forall cs, all_some (map h l) = Some cs ->
  (forall i x, znth l i = Some x -> exists c, znth cs i = Some c /\ h x = Some c) /\
  (forall i c, znth cs i = Some c -> exists x, znth l i = Some x /\ h x = Some c).
Proof.
  induction l as [|x l IH]; intros cs; cbn [map all_some].
  - intros H. injection H as <-. split; intros i y H; discriminate.
  - destruct (h x) as [c|] eqn:Eh; [|discriminate]. destruct (all_some (map h l)) as [rest|]; [|discriminate].
    intros H. injection H as <-. destruct (IH rest eq_refl) as [H1 H2].
    split; intros i y; cbn [znth]; destruct (i =? 0); try (intros H; injection H as <-; eauto); auto.
Qed.

Lemma greediest_correct flags cs : forall i0,
  match greediest flags i0 cs with
  | Some best => (exists i, znth cs i = Some best /\ is_kept flags (i0 + i) = true) /\
      forall i c, znth cs i = Some c -> is_kept flags (i0 + i) = true -> cost best <= cost c
  | None => forall i c, znth cs i = Some c -> is_kept flags (i0 + i) = false
  end.
Proof.
  induction cs as [|c cs IH]; intros i0; cbn [greediest]; [intros i c H; discriminate|]. specialize (IH (i0 + 1)).
  set (rest := greediest flags (i0 + 1) cs) in *.
  assert (Hsplit : forall i d, znth (c :: cs) i = Some d ->
    (i = 0 /\ d = c) \/ (znth cs (i - 1) = Some d /\ i0 + i = i0 + 1 + (i - 1))).
  { intros i d. cbn [znth]. destruct (Z.eqb_spec i 0) as [->|Hne]; intros H; [injection H as <-; now left|].
    right. split; [assumption | lia]. }
  assert (Hnext : forall i d, znth cs i = Some d -> znth (c :: cs) (i + 1) = Some d).
  { intros i d H. pose proof (znth_inside _ _ _ H). cbn [znth]. destruct (Z.eqb_spec (i + 1) 0); [lia|].
    now replace (i + 1 - 1) with i by lia. }
  destruct (is_kept flags i0) eqn:Ek.
  - assert (Hfirst : exists i, znth (c :: cs) i = Some c /\ is_kept flags (i0 + i) = true)
      by (exists 0; now rewrite Z.add_0_r).
    destruct rest as [d|].
    + destruct IH as [[i [Hi Hki]] Hmin].
      assert (Hlater : exists i, znth (c :: cs) i = Some d /\ is_kept flags (i0 + i) = true).
      { exists (i + 1). split; [now apply Hnext|]. now replace (i0 + (i + 1)) with (i0 + 1 + i) by lia. }
      destruct (Z.leb_spec (cost c) (cost d)); (split; [assumption|]); intros j e Hj Hkj;
        (destruct (Hsplit j e Hj) as [[-> ->]|[Hj' E]]; [lia|]); rewrite E in Hkj; specialize (Hmin _ _ Hj' Hkj); lia.
    + split; [assumption|]. intros j e Hj Hkj. destruct (Hsplit j e Hj) as [[-> ->]|[Hj' E]]; [lia|].
      rewrite E, (IH _ _ Hj') in Hkj. discriminate.
  - destruct rest as [d|].
    + destruct IH as [[i [Hi Hki]] Hmin]. split.
      * exists (i + 1). split; [now apply Hnext|]. now replace (i0 + (i + 1)) with (i0 + 1 + i) by lia.
      * intros j e Hj Hkj. destruct (Hsplit j e Hj) as [[-> ->]|[Hj' E]].
        -- rewrite Z.add_0_r, Ek in Hkj. discriminate.
        -- rewrite E in Hkj. now apply (Hmin _ _ Hj').
    + intros j e Hj. destruct (Hsplit j e Hj) as [[-> ->]|[Hj' E]]; [now rewrite Z.add_0_r | rewrite E; eauto].
Qed.

Lemma still_kept_at V n rs best flags cs : forall i0 i, znth (still_kept V n rs best flags i0 cs) i =
  option_map (fun c => is_kept flags (i0 + i) &&
    (V * (cost c - own_cost best) <=? regained n rs (own_law best) (least_law c) (most_law c))) (znth cs i).
Proof.
  induction cs as [|c cs IH]; intros i0 i; cbn [still_kept znth]; [reflexivity|].
  destruct (Z.eqb_spec i 0) as [->|Hne]; [now rewrite Z.add_0_r|]. rewrite IH.
  now replace (i0 + 1 + (i - 1)) with (i0 + i) by lia.
Qed.

Definition rows_of_width (width : Z) (c : law_cell) : Prop :=
  zlen (own_law c) = width /\ zlen (least_law c) = width /\ zlen (most_law c) = width.

Lemma spread_correct V width best flags : forall cs, 0 <= V -> (forall c, In c cs -> rows_of_width width c) ->
  rows_of_width width best ->
  let d := spread_laws flags cs best in
  rows_of_width width d /\ cost d = cost best /\ own_cost d = own_cost best /\ own_law d = own_law best /\
  forall i c, znth flags i = Some true -> znth cs i = Some c -> forall j,
    at_row V (least_law d) j <= at_row V (least_law c) j /\ at_row V (most_law c) j <= at_row V (most_law d) j.
Proof.
  induction flags as [|f flags IH]; intros cs HV Hcs Hbest; cbn [spread_laws].
  - repeat split; try apply Hbest; discriminate.
  - destruct cs as [|c cs]; [repeat split; try apply Hbest; discriminate|]. cbn zeta.
    destruct (IH cs HV ltac:(intros; apply Hcs; now right) Hbest) as [Hw [H1 [H2 [H3 H4]]]].
    set (rest := spread_laws flags cs best) in *. pose proof (Hcs c (or_introl eq_refl)) as Hc. destruct f.
    + unfold rows_of_width in *. cbn [cost own_cost own_law least_law most_law].
      rewrite !zlen_zmap2 by lia. repeat split; try tauto;
        (rewrite at_zmap2; [| lia | reflexivity | lia]);
        revert H H0; cbn [znth]; destruct (Z.eqb_spec i 0) as [->|]; intros F C;
        try (injection C as <-; lia); destruct (H4 _ _ F C j); lia.
    + repeat split; try assumption; try apply Hw; revert H H0; cbn [znth]; (destruct (Z.eqb_spec i 0) as [->|];
        [discriminate|]); intros F C; now destruct (H4 _ _ F C j).
Qed.

Lemma state_cells_at V n room acts places : forall rs flags streams l,
  contract_state V n room rs flags acts streams places = Some l -> forall p fc, znth l p = Some fc ->
  exists cs best,
    all_some (map (fun al => action_law_cell V room (total (fst al)) (snd al))
      (combine acts (map (skip_stream p) streams))) = Some cs /\
    greediest (flag_row flags p) 0 cs = Some best /\
    fc = (still_kept V n (zskip p rs) best (flag_row flags p) 0 cs,
          spread_laws (still_kept V n (zskip p rs) best (flag_row flags p) 0 cs) cs best).
Proof.
  induction places as [|y places IH]; intros rs flags streams l; cbn [contract_state].
  - intros H. injection H as <-. intros p fc Hp. discriminate.
  - set (here := match flags with f :: _ => f | [] => [] end).
    destruct (all_some _) as [cs|] eqn:Ecs; [|discriminate].
    destruct (greediest here 0 cs) as [best|] eqn:Ebest; [|discriminate].
    destruct (contract_state V n room (tl rs) (tl flags) acts (map stream_tails streams) places) as [rest|] eqn:Erest;
      [|discriminate].
    intros H. injection H as <-. intros p fc Hp. pose proof (znth_inside _ _ _ Hp) as Hrange. cbn [znth] in Hp.
    destruct (Z.eqb_spec p 0) as [->|Hne].
    + injection Hp as <-. exists cs, best.
      assert (Hhere : flag_row flags 0 = here) by (unfold flag_row, here; now destruct flags).
      rewrite Hhere, zskip_nonpos by lia. split; [|now split]. rewrite <- Ecs. do 3 f_equal.
      rewrite <- (map_id streams) at 2. apply map_ext. intros st. unfold skip_stream.
      rewrite <- (map_id st) at 2. apply map_ext. intros [x cl]. cbn [fst snd]. now rewrite zskip_nonpos by lia.
    + destruct (IH _ _ _ _ Erest _ _ Hp) as [cs' [best' [H1 [H2 H3]]]]. exists cs', best'.
      assert (Hflag : flag_row (tl flags) (p - 1) = flag_row flags p).
      { unfold flag_row. destruct flags as [|f flags]; cbn [tl znth]; [reflexivity|].
        destruct (Z.eqb_spec p 0); [lia | reflexivity]. }
      rewrite Hflag, zskip_tl in * by lia. split; [|now split]. rewrite <- H1. do 3 f_equal. rewrite map_map.
      apply map_ext. intros st. unfold skip_stream, stream_tails. rewrite map_map. apply map_ext. intros [x cl].
      cbn [fst snd]. now rewrite zskip_tl by lia.
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
