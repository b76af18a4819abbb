(** * Budgets in cells

    Positions of a budget in its cell, values at the two ends of a cell, averages of these values over outcomes
    ([outcome_ends], [sum_rows_along]), and their products with real values. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check InterpolationCheck CellsCheck
  LawCheck Meaning ModelFacts RatFacts TablesBelow TablesAbove Budgets Means CostBounds TailObjective TailRoute
  Interpolation Coarser.
Import ListNotations.
Open Scope R_scope.

(** ** Budgets *)

Lemma same_place k theta b theta' : 0 <= theta <= 1 -> 0 <= theta' <= 1 -> IZR k + theta = IZR b + theta' -> forall f :
  Z -> R,
  (1 - theta) * f k + theta * f (k + 1)%Z = (1 - theta') * f b + theta' * f (b + 1)%Z.
Proof.
  intros H1 H2 H f. assert (Hk : (k = b \/ k = b + 1 \/ b = k + 1)%Z).
  { assert (-1 <= IZR (k - b) <= 1) by (rewrite minus_IZR; lra).
    assert (-1 <= k - b <= 1)%Z by (split; apply le_IZR; cbn; lra). lia. }
  destruct Hk as [->|[->| ->]]; rewrite ?plus_IZR in H.
  - assert (theta = theta') as -> by lra. reflexivity.
  - assert (theta = 0) as -> by lra. assert (theta' = 1) as -> by lra. ring.
  - assert (theta = 1) as -> by lra. assert (theta' = 0) as -> by lra. ring.
Qed.

Lemma cell_of_spec x : IZR (cell_of x) <= x <= IZR (cell_of x) + 1.
Proof.
  unfold cell_of. destruct (Rle_dec x 0).
  - destruct (base_Int_part (- x)) as [H1 H2]. rewrite minus_IZR, opp_IZR. lra.
  - destruct (base_Int_part x) as [H1 H2]. lra.
Qed.

Lemma IZR_doubled n : forall z, IZR (doubled n z) = 2 ^ n * IZR z.
Proof. induction n as [|n IH]; intros z; cbn [doubled pow]; [ring|]. rewrite IH, mult_IZR. ring. Qed.

Lemma doubled_pos n : forall z, (0 < z)%Z -> (0 < doubled n z)%Z.
Proof. induction n as [|n IH]; intros z Hz; cbn [doubled]; [assumption | apply IH; lia]. Qed.

Lemma pow2_pos n : 0 < 2 ^ n.
Proof. apply pow_lt; lra. Qed.

Lemma first_tree_at {X} (l : list (tree X)) : forall t,
  first_tree (skipn t l) = match nth_error l t with Some x => x | None => Leaf end.
Proof. induction l as [|x l IH]; intros [|t]; cbn [skipn nth_error first_tree]; try reflexivity. apply IH. Qed.

Lemma skipn_tl {X} (l : list X) : forall t, skipn (S t) l = tl (skipn t l).
Proof. induction l as [|x l IH]; intros [|t]; try reflexivity. change (skipn (S t) l = tl (skipn t l)). apply IH. Qed.

Lemma part_inside r o : ok r -> (0 <= part r o < den r)%Z.
Proof.
  intros H. unfold part, whole, ok in *. pose proof (Z.div_mod (gain o * num r) (den r) ltac:(lia)).
  pose proof (Z.mod_pos_bound (gain o * num r) (den r) H). lia.
Qed.

(** Both ends of a cell, as an average over the outcomes. *)
Lemma ends_average r d lo' v bent a b theta : ok r -> (0 < total a)%Z -> 0 <= theta <= 1 ->
  (1 - theta) * (IZR (node r d lo' v a b) - IZR (off r lo' bent a b)) +
    theta * (IZR (node r d lo' v a (b + 1)) - IZR (off r lo' bent a b)) <=
  / IZR (total a) * sum (outcomes a) (fun o => IZR (weight o) *
    ((1 - theta) * (IZR (mixture_of r d lo' v o b) / IZR (den r)) +
      theta * (IZR (mixture_of r d lo' v o (b + 1)) / IZR (den r)) -
     IZR (bend_of r lo' bent o b) / (IZR (den r) * IZR (den r)))).
Proof.
  intros Hr Htot Htheta. pose proof (ok_pos _ Hr) as Hd. pose proof (IZR_lt _ _ Htot) as Htot'.
  assert (Hn : forall z, IZR (node r d lo' v a z) <=
    / (IZR (total a) * IZR (den r)) * sum (outcomes a) (fun o => IZR (weight o) * IZR (mixture_of r d lo' v o z))).
  { intros z. unfold node. eapply Rle_trans; [apply floor_div_le; apply Z.mul_pos_pos; assumption|].
    rewrite IZR_zsum, mult_IZR. unfold Rdiv. rewrite Rmult_comm.
    right. f_equal. apply sum_ext. intros o _. apply mult_IZR. }
  assert (Ho : / (IZR (total a) * IZR (den r) * IZR (den r)) * sum (outcomes a)
    (fun o => IZR (weight o) * IZR (bend_of r lo' bent o b)) <= IZR (off r lo' bent a b)).
  { unfold off. eapply Rle_trans; [|apply le_cdiv_div; repeat apply Z.mul_pos_pos; assumption].
    rewrite IZR_zsum, !mult_IZR. unfold Rdiv. rewrite Rmult_comm.
    right. f_equal. apply sum_ext. intros o _. now rewrite mult_IZR. }
  pose proof (Rmult_le_compat_l (1 - theta) _ _ ltac:(lra) (Hn b)) as N1.
  pose proof (Rmult_le_compat_l theta _ _ ltac:(lra) (Hn (b + 1)%Z)) as N2.
  rewrite (sum_ext _ _ (fun o => (1 - theta) / IZR (den r) * (IZR (weight o) * IZR (mixture_of r d lo' v o b)) +
    (theta / IZR (den r) * (IZR (weight o) * IZR (mixture_of r d lo' v o (b + 1))) -
      / (IZR (den r) * IZR (den r)) * (IZR (weight o) * IZR (bend_of r lo' bent o b)))))
    by (intros o _; field; lra).
  rewrite sum_plus, sum_minus, !sum_scal.
  set (A0 := sum (outcomes a) (fun o => IZR (weight o) * IZR (mixture_of r d lo' v o b))) in *.
  set (A1 := sum (outcomes a) (fun o => IZR (weight o) * IZR (mixture_of r d lo' v o (b + 1)))) in *.
  set (B0 := sum (outcomes a) (fun o => IZR (weight o) * IZR (bend_of r lo' bent o b))) in *.
  replace (/ IZR (total a) * ((1 - theta) / IZR (den r) * A0 +
    (theta / IZR (den r) * A1 - / (IZR (den r) * IZR (den r)) * B0)))
    with ((1 - theta) * (/ (IZR (total a) * IZR (den r)) * A0) + theta * (/ (IZR (total a) * IZR (den r)) * A1) -
      / (IZR (total a) * IZR (den r) * IZR (den r)) * B0) by (field; lra).
  lra.
Qed.

(** One outcome of it, for a row L and the second differences of it. *)
Lemma outcome_ends r d lo' v bent o b theta (L : Z -> R) : ok r -> 0 <= theta <= 1 ->
  (forall z, IZR (look d lo' (row_at v (next o)) z) = L z) ->
  (forall z, look 0 (lo' - 1) (row_at bent (next o)) z =
    Z.max 0 (look d lo' (row_at v (next o)) (z + 1) - 2 * look d lo' (row_at v (next o)) z +
      look d lo' (row_at v (next o)) (z - 1)))%Z ->
  exists j theta', 0 <= theta' <= 1 /\ IZR j + theta' =
    IZR b + theta - (IZR (whole r o) + IZR (part r o) / IZR (den r)) /\
  (1 - theta) * (IZR (mixture_of r d lo' v o b) / IZR (den r)) +
    theta * (IZR (mixture_of r d lo' v o (b + 1)) / IZR (den r)) -
    IZR (bend_of r lo' bent o b) / (IZR (den r) * IZR (den r)) <= (1 - theta') * L j + theta' * L (j + 1)%Z.
Proof.
  intros Hr Htheta HL Hbent. pose proof (ok_pos _ Hr) as Hd. pose proof (part_inside r o Hr) as Hpart.
  set (lam := IZR (part r o) / IZR (den r)).
  assert (Hlam : 0 <= lam <= 1).
  { unfold lam. destruct Hpart as [P1 P2]. apply IZR_le in P1. apply IZR_lt in P2.
    split; [apply Rmult_le_pos; [assumption | left; now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with (IZR (den r)); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  set (j := (b - whole r o)%Z).
  destruct (outcome_below L j lam theta Hlam Htheta) as [j' [theta' [Ht' [Hj Hle]]]]. exists j', theta'.
  split; [assumption|].
  split; [rewrite Hj; unfold j; rewrite minus_IZR; lra|]. eapply Rle_trans; [|exact Hle]. right.
  unfold mixture_of, bend_of. rewrite Hbent. fold j. replace (b + 1 - whole r o)%Z with (j + 1)%Z by (unfold j; lia).
  replace (j + 1 - 1)%Z with j by lia.
  rewrite !plus_IZR, !mult_IZR, !minus_IZR, IZR_max_0, !plus_IZR, !minus_IZR, !mult_IZR, !HL. unfold lam. field. lra.
Qed.

(** ** Products, with real values *)

Lemma sum_swap {X Y} (g : X -> Y -> R) (l : list X) (k : list Y) :
  sum l (fun x => sum k (g x)) = sum k (fun y => sum l (fun x => g x y)).
Proof.
  induction l as [|x l IH]; cbn [sum].
  - induction k as [|y k IHk]; cbn [sum]; [reflexivity | rewrite <- IHk; ring].
  - rewrite IH, <- sum_plus. reflexivity.
Qed.

Section Blocks.
  Variables (whole_total tot : Z) (f : Z -> positive -> R).

  Lemma is_block_real q s ps : forall l rest, is_block whole_total tot q s ps l = Some rest ->
    IZR whole_total * sum l (fun o => IZR (weight o) * f (gain o) (next o)) =
    IZR tot * (IZR q * sum ps (fun pz => IZR (fst pz) * f (snd pz) s)) +
      IZR whole_total * sum rest (fun o => IZR (weight o) * f (gain o) (next o)).
  Proof.
    induction ps as [|[p z] ps IH]; intros l rest H; cbn [is_block] in H.
    - injection H as <-. cbn [sum]. ring.
    - destruct l as [|o l]; [discriminate|].
      destruct (Pos.eqb (next o) s && (gain o =? z) && (weight o * whole_total =? tot * (q * p)))%Z eqn:E;
        [|discriminate].
      apply andb_true_iff in E. destruct E as [E E3]. apply andb_true_iff in E. destruct E as [E1 E2].
      apply Pos.eqb_eq in E1. apply Z.eqb_eq in E2, E3. apply IH in H. cbn [sum fst snd].
      rewrite Rmult_plus_distr_l, H, E1, E2.
      replace (IZR whole_total * (IZR (weight o) * f z s)) with (IZR (weight o * whole_total) * f z s)
        by (rewrite mult_IZR; ring).
      rewrite E3, !mult_IZR. ring.
  Qed.

  Lemma are_blocks_real ps qs : forall l, are_blocks whole_total tot qs ps l = true ->
    IZR whole_total * sum l (fun o => IZR (weight o) * f (gain o) (next o)) =
    IZR tot * sum ps (fun pz => IZR (fst pz) * sum qs (fun qs => IZR (fst qs) * f (snd pz) (snd qs))).
  Proof.
    intros l H. replace (sum ps (fun pz => IZR (fst pz) * sum qs (fun qs => IZR (fst qs) * f (snd pz) (snd qs))))
      with (sum qs (fun qs => IZR (fst qs) * sum ps (fun pz => IZR (fst pz) * f (snd pz) (snd qs)))).
    - revert l H. induction qs as [|[q s] qs IH]; intros l H; cbn [are_blocks] in H.
      + destruct l; [cbn [sum]; ring | discriminate].
      + destruct (is_block whole_total tot q s ps l) as [rest|] eqn:E; [|discriminate]. apply is_block_real in E.
        apply IH in H.
        rewrite E, H. cbn [sum fst snd]. ring.
    - rewrite (sum_ext qs _ (fun qs => sum ps (fun pz => IZR (fst pz) * (IZR (fst qs) * f (snd pz) (snd qs)))))
        by (intros; rewrite <- sum_scal; apply sum_ext; intros; ring).
      rewrite sum_swap. apply sum_ext. intros pz _. now rewrite sum_scal.
  Qed.
End Blocks.

Lemma sum_rows_along {X} d lo' (l : list X) : forall rows F,
  sum_rows d rows (along F lo' l) = along (fun b => F b + zsum (fun wr => fst wr * look d lo' (snd wr) b) rows)%Z lo' l.
Proof.
  induction rows as [|[w row] rows IH]; intros F; cbn [sum_rows zsum fst snd].
  - apply along_ext. intros; lia.
  - rewrite add_shifted_along, IH. apply along_ext. intros b Hb. rewrite (look_shift d lo' row).
    replace (0 + (b - lo'))%Z with (b - lo')%Z by lia. lia.
Qed.

Lemma merged_row_look d lo' hi' v qs b : rows_fit (hi' - lo' + 1) v = true ->
  let row := sum_rows d (stage_rows v qs) (zeros lo' hi') in
  (zlen row <= Z.max 0 (hi' - lo' + 1))%Z /\
  look (zsum fst qs * d) lo' row b = zsum (fun q => fst q * look d lo' (row_at v (snd q)) b)%Z qs.
Proof.
  intros Hfit row. unfold row. rewrite zeros_along, sum_rows_along. split; [rewrite zlen_along, zlen_counter; lia|].
  assert (Hlen : forall s, (zlen (row_at v s) <= Z.max 0 (hi' - lo' + 1))%Z).
  { intros s. pose proof (room_fits lo' hi' v true (fun _ => Hfit) [(1%Z, s)] eq_refl (1%Z,
      row_at v s) (or_introl eq_refl)) as H. cbn [snd] in H. now rewrite zlen_counter in H. }
  assert (Hrows : (zsum (fun wr => fst wr * look d lo' (snd wr) b) (stage_rows v qs) =
    zsum (fun q => fst q * look d lo' (row_at v (snd q)) b) qs)%Z)
    by (unfold stage_rows; rewrite Mixing.zsum_map; reflexivity).
  destruct (Z_lt_le_dec b lo') as [H1|H1]; [|destruct (Z_le_gt_dec b hi') as [H2|H2]].
  - rewrite look_outside by lia. transitivity (zsum (fun q => d * fst q)%Z qs); [rewrite Mixing.zsum_scal; lia|].
    apply zsum_ext. intros q _. rewrite (look_outside d lo' (row_at v (snd q)) b) by lia. lia.
  - rewrite look_along by (rewrite zlen_counter; lia). rewrite Hrows. lia.
  - rewrite look_outside by (rewrite zlen_along, zlen_counter; lia).
    transitivity (zsum (fun q => d * fst q)%Z qs); [rewrite Mixing.zsum_scal; lia|].
    apply zsum_ext. intros q _. pose proof (Hlen (snd q)). rewrite (look_outside d lo' (row_at v (snd q)) b) by lia.
    lia.
Qed.
