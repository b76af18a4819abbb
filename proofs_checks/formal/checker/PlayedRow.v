(** * The row of a policy that plays by cells

    [played_row_cells]: in each cell the row has the values of the action that the policy plays there. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check InterpolationCheck CellsCheck
  LawCheck Meaning ModelFacts RatFacts TablesBelow TablesAbove Budgets Means CostBounds TailObjective TailRoute
  Interpolation Coarser.
Import ListNotations.
Open Scope R_scope.

(** What a merged action computes. *)
Definition row_node (fit : bool) r bottom lo' hi' v bent (a : action) (b : Z) : Z :=
  let '(d, v', _, a') := merged fit bottom lo' hi' v bent a in node r d lo' v' a' b.
Definition row_off (fit : bool) r bottom lo' hi' v bent (a : action) (b : Z) : Z :=
  let '(_, _, bent', a') := merged fit bottom lo' hi' v bent a in off r lo' bent' a' b.

Lemma action_rows_along fit r bottom lo hi lo' hi' v bent a : action_rows fit r bottom lo hi lo' hi' v bent a =
  (along (row_node fit r bottom lo' hi' v bent a) lo (counter lo hi),
    along (row_off fit r bottom lo' hi' v bent a) (lo - 1) (counter (lo - 1) hi)).
Proof.
  unfold action_rows, row_node, row_off. destruct (merged fit bottom lo' hi' v bent a) as [[[d v'] bent'] a'].
  unfold cell_nodes, cell_excess.
  rewrite !zeros_along, averages_along, taken_along, !map_along. f_equal; apply along_ext; reflexivity.
Qed.

Section Played.
  Open Scope Z_scope.
  Variables (rows : action -> list Z * list Z) (bottom lo hi : Z) (N O : action -> Z -> Z) (runs : list (Z * Z))
    (acts : list action).
  Hypothesis Hlohi : lo <= hi.
  Hypothesis Hrows : forall a, rows a = (along (N a) lo (counter lo hi), along (O a) (lo - 1) (counter (lo - 1) hi)).

  Lemma counter_first b : b <= hi -> counter b hi = tt :: counter (b + 1) hi.
  Proof.
    intros H. pose proof (counter_cons (b + 1) hi ltac:(lia)) as Hc. now replace (b + 1 - 1) with b in Hc by lia.
  Qed.

  Lemma left_ends_along a : left_ends (rows a) = along (fun c => N a c - O a c) lo (counter lo hi).
  Proof.
    unfold left_ends. rewrite Hrows, (counter_cons lo hi) by lia. cbn [fst snd along tl].
    replace (lo - 1 + 1) with lo by lia. apply zmap2_along.
  Qed.

  Lemma zmap2_shifted {X} (f : Z -> Z -> Z) P Q (l : list X) x : forall b,
    zmap2 f (along P b l) (along Q (b - 1) (x :: l)) = along (fun c => f (P c) (Q (c - 1))) b l.
  Proof.
    revert x. induction l as [|y l IH]; intros x b; [reflexivity|]. cbn [along zmap2]. f_equal.
    specialize (IH y (b + 1)). cbn [along] in IH. replace (b + 1 - 1) with b in IH by lia.
    replace (b - 1 + 1) with b by lia. exact IH.
  Qed.

  Lemma right_ends_along a : right_ends (rows a) = along (fun c => N a c - O a (c - 1)) (lo + 1) (counter (lo + 1) hi).
  Proof.
    unfold right_ends. rewrite Hrows, (counter_cons lo hi) by lia. cbn [fst snd]. rewrite zmap2_shifted.
    rewrite (counter_first lo) by lia. reflexivity.
  Qed.

  Lemma map_used_rows {X Y} (g : X -> Y) f : forall l i,
    map (option_map g) (used_rows f runs i l) = used_rows (fun a => g (f a)) runs i l.
  Proof.
    induction l as [|a l IH]; intros i; cbn [used_rows map]; [reflexivity|]. rewrite IH. now destruct (is_used runs i).
  Qed.

  Lemma used_rows_inv {X} (f : action -> X) : forall l i j row,
    znth (used_rows f runs i l) j = Some (Some row) -> exists a, znth l j = Some a /\ row = f a.
  Proof.
    induction l as [|a l IH]; intros i j row; cbn [used_rows znth]; [discriminate|].
    destruct (j =? 0); intros H; [|now apply (IH (i + 1))].
    injection H as H. exists a. destruct (is_used runs i); [split; congruence | discriminate].
  Qed.

  Lemma picked f P b (l : list unit) : (forall a, f a = along (P a) b l) -> forall i x,
    znth (pick runs (used_rows f runs 0 acts)) i = Some x -> exists a,
      znth acts (run_at runs i) = Some a /\ x = P a (b + i).
  Proof.
    intros Hf i x H. set (Q := fun j c => match znth acts j with Some a => P a c | None => 0 end).
    destruct (pick_inv Q runs (used_rows f runs 0 acts) b l) with (i := i) (x := x) as [[row Hrow] Hx]; [|assumption|].
    - intros j row Hj. destruct (used_rows_inv _ _ _ _ _ Hj) as [a [Ha ->]]. rewrite Hf. apply along_ext. intros c _.
      unfold Q. now rewrite Ha.
    - destruct (used_rows_inv _ _ _ _ _ Hrow) as [a [Ha _]]. exists a. split; [assumption|]. rewrite Hx. unfold Q.
      now rewrite Ha.
  Qed.

  Lemma znth_exists {X} (l : list X) i : 0 <= i < zlen l -> exists x, znth l i = Some x.
  Proof.
    revert i. induction l as [|y l IH]; intros i Hi; cbn [zlen znth] in *; [lia|].
    destruct (Z.eqb_spec i 0); [now exists y|]. apply IH; lia.
  Qed.

  Lemma zlen_zmap2 f : forall l k, zlen (zmap2 f l k) = Z.min (zlen l) (zlen k).
  Proof.
    induction l as [|x l IH]; intros [|y k]; cbn [zmap2 zlen]; try reflexivity.
    - pose proof (zlen_nonneg k). lia.
    - pose proof (zlen_nonneg l). lia.
    - rewrite IH. lia.
  Qed.

  Lemma znth_zmap2 f : forall l k i z, znth (zmap2 f l k) i = Some z -> exists x y,
    znth l i = Some x /\ znth k i = Some y /\ z = f x y.
  Proof.
    induction l as [|x l IH]; intros [|y k] i z; cbn [zmap2 znth]; try discriminate.
    destruct (i =? 0); intros H; [injection H as <-; now exists x, y | now apply IH].
  Qed.

  (** In every cell of the window one action of the model proves both ends. *)
  Lemma played_row_cells : let row := played_row rows bottom runs acts in zlen row = hi - lo + 1 ->
    look bottom lo row lo <= bottom /\ look bottom lo row hi <= bottom /\
    forall k, lo <= k < hi -> exists a, znth acts (run_at runs (k - lo)) = Some a /\
      look bottom lo row k <= N a k - O a k /\ look bottom lo row (k + 1) <= N a (k + 1) - O a k.
  Proof.
    unfold played_row. rewrite !map_used_rows.
    set (lefts := pick runs (used_rows (fun a => left_ends (rows a)) runs 0 acts)).
    set (rights := pick runs (used_rows (fun a => right_ends (rows a)) runs 0 acts)).
    set (joined := join_ends lefts rights). cbv zeta. intros Hlen.
    rewrite (proj1 (cap_ends_spec bottom joined)) in Hlen.
    pose proof (fun b => proj1 (cap_ends_look bottom lo joined b)) as Hin.
    pose proof (fun b => proj2 (cap_ends_look bottom lo joined b)) as Hend.
    split; [apply Hend; lia|]. split; [apply Hend; lia|]. intros k Hk.
    assert (Hjoin : lefts <> []) by (intros E; unfold joined in Hlen; rewrite E in Hlen; cbn in Hlen; lia).
    destruct lefts as [|x lefts'] eqn:El; [congruence|]. cbn [join_ends] in joined.
    assert (Hz : zlen (zmap2 Z.min lefts' rights) = hi - lo) by (unfold joined in Hlen; cbn [zlen] in Hlen; lia).
    rewrite zlen_zmap2 in Hz. pose proof (zlen_nonneg lefts'). pose proof (zlen_nonneg rights).
    destruct (znth_exists (x :: lefts') (k - lo)) as [y Hy]; [cbn [zlen]; lia|].
    destruct (znth_exists rights (k - lo)) as [z Hz']; [lia|].
    assert (Hjk : look bottom lo joined k <= y).
    { unfold look. destruct (Z.ltb_spec k lo); [lia|]. unfold joined. cbn [znth] in Hy |- *.
      destruct (Z.eqb_spec (k - lo) 0); [injection Hy as ->; lia|].
      destruct (znth (zmap2 Z.min lefts' rights) (k - lo - 1)) as [q|] eqn:Eq.
      - apply znth_zmap2 in Eq. destruct Eq as [q1 [q2 [Q1 [Q2 ->]]]]. assert (q1 = y) by congruence. lia.
      - destruct (znth_exists (zmap2 Z.min lefts' rights) (k - lo - 1)) as [q Hq];
          [rewrite zlen_zmap2; lia | congruence]. }
    assert (Hjk1 : look bottom lo joined (k + 1) <= z).
    { unfold look. destruct (Z.ltb_spec (k + 1) lo); [lia|]. unfold joined. cbn [znth].
      destruct (Z.eqb_spec (k + 1 - lo) 0); [lia|].
      replace (k + 1 - lo - 1) with (k - lo) by lia.
      destruct (znth (zmap2 Z.min lefts' rights) (k - lo)) as [q|] eqn:Eq.
      - apply znth_zmap2 in Eq. destruct Eq as [q1 [q2 [Q1 [Q2 ->]]]]. assert (q2 = z) by congruence. lia.
      - destruct (znth_exists (zmap2 Z.min lefts' rights) (k - lo)) as [q Hq]; [rewrite zlen_zmap2; lia | congruence]. }
    rewrite <- El in Hy. unfold lefts in Hy.
    destruct (picked _ _ lo (counter lo hi) left_ends_along _ _ Hy) as [a [Ha Hya]].
    unfold rights in Hz'. destruct (picked _ _ (lo + 1) (counter (lo + 1) hi) right_ends_along _ _ Hz')
      as [a' [Ha' Hza]].
    assert (a' = a) by congruence. subst a'. exists a. split; [assumption|].
    replace (lo + (k - lo)) with k in Hya by lia. replace (lo + 1 + (k - lo)) with (k + 1) in Hza by lia.
    replace (k + 1 - 1) with k in Hza by lia.
    pose proof (Hin k ltac:(lia)). pose proof (Hin (k + 1) ltac:(lia)). lia.
  Qed.
End Played.
