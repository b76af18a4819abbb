(** * The averages that [action_average] computes

    [averaged_below] and [averaged_above]: rounded down, an average row is at most the exact average over the
    outcomes; rounded up, at least. Averaging in two stages ([Mixing.v]) gives the same average ([product_is_sum]). *)

Require Import ZArith Lia List Bool.
From VerifiedRisk Require Import Rows Tree Mixing Program.
Import ListNotations.
Open Scope Z_scope.

Lemma zeros_along lo hi : zeros lo hi = along (fun _ => 0) lo (counter lo hi).
Proof.
  unfold zeros. generalize (counter lo hi) as l. intros l. revert lo.
  induction l as [|x l IH]; intros lo; [reflexivity|].
  cbn. f_equal. apply IH.
Qed.

Lemma constant_along {X} (c : Z) b b' (l : list X) : along (fun _ => c) b l = along (fun _ => c) b' l.
Proof. revert b b'; induction l as [|x l IH]; intros b b'; cbn [along]; [reflexivity | f_equal; apply IH]. Qed.

(** ** Products *)

Section Product.
  Variables (all tot : Z) (f : Z -> positive -> Z).

  Lemma is_block_sum q s ps : forall l rest, is_block all tot q s ps l = Some rest ->
    all * zsum (fun o => weight o * f (gain o) (next o)) l =
    tot * (q * zsum (fun pz => fst pz * f (snd pz) s) ps) + all * zsum (fun o => weight o * f (gain o) (next o)) rest.
  Proof.
    induction ps as [|[p z] ps IH]; intros l rest H; cbn [is_block] in H.
    - injection H as <-. cbn [zsum]. lia.
    - destruct l as [|o l]; [discriminate|].
      destruct (Pos.eqb (next o) s && (gain o =? z) && (weight o * all =? tot * (q * p))) eqn:E; [|discriminate].
      apply andb_true_iff in E. destruct E as [E E3]. apply andb_true_iff in E. destruct E as [E1 E2].
      apply Pos.eqb_eq in E1. apply Z.eqb_eq in E2, E3. apply IH in H. cbn [zsum fst snd].
      rewrite Z.mul_add_distr_l, H, E1, E2. replace (all * (weight o * f z s)) with (weight o * all * f z s) by ring.
      rewrite E3. ring.
  Qed.

  Lemma are_blocks_sum ps qs : forall l, are_blocks all tot qs ps l = true ->
    all * zsum (fun o => weight o * f (gain o) (next o)) l =
      tot * zsum (fun qs => fst qs * zsum (fun pz => fst pz * f (snd pz) (snd qs)) ps) qs.
  Proof.
    induction qs as [|[q s] qs IH]; intros l H; cbn [are_blocks] in H.
    - destruct l; [cbn; lia | discriminate].
    - destruct (is_block all tot q s ps l) as [rest|] eqn:E; [|discriminate]. apply is_block_sum in E. apply IH in H.
      rewrite E, H. cbn [zsum fst snd]. ring.
  Qed.
End Product.

Lemma zsum_swap {X Y} (g : X -> Y -> Z) (l : list X) (k : list Y) :
  zsum (fun x => zsum (g x) k) l = zsum (fun y => zsum (fun x => g x y) l) k.
Proof.
  induction l as [|x l IH]; cbn [zsum].
  - induction k as [|y k IHk]; cbn [zsum]; lia.
  - rewrite IH, <- zsum_plus. reflexivity.
Qed.

Lemma factors_correct a qs ps : factors a = Some (qs, ps) ->
  qs <> [] /\ ps <> [] /\ 0 < zsum fst qs /\ 0 < zsum fst ps /\ (forall pz, In pz ps -> 0 <= fst pz) /\
  (forall q, In q qs -> 0 <= fst q) /\ are_blocks (zsum fst ps * zsum fst qs) (total a) qs ps (outcomes a) = true /\
  forall f : Z -> positive -> Z,
    zsum fst ps * zsum fst qs * zsum (fun o => weight o * f (gain o) (next o)) (outcomes a) =
    total a * zsum (fun pz => fst pz * zsum (fun qs => fst qs * f (snd pz) (snd qs)) qs) ps.
Proof.
  intros H. assert (Hp : is_product a qs ps = true).
  { unfold factors in H. destruct (outcomes a) as [|o l]; [discriminate|].
    destruct (block_of _ _) as [|? [|? ?]]; try discriminate.
    destruct (reduced (map (fun o => (weight o, next o)) _)) as [|? [|? ?]]; try discriminate.
    match type of H with (if ?c then _ else _) = _ => destruct c eqn:E; [|discriminate] end. injection H as <- <-.
    exact E. }
  unfold is_product in Hp. repeat rewrite andb_true_iff in Hp. destruct Hp as [[[[HQ HP] Hpos] Hpos'] Hb].
  apply Z.ltb_lt in HQ, HP. repeat split.
  - intros ->. cbn in HQ. lia.
  - intros ->. cbn in HP. lia.
  - exact HQ.
  - exact HP.
  - intros pz Hin. rewrite forallb_forall in Hpos. specialize (Hpos pz Hin). now apply Z.leb_le in Hpos.
  - intros q Hin. rewrite forallb_forall in Hpos'. specialize (Hpos' q Hin). now apply Z.leb_le in Hpos'.
  - exact Hb.
  - intros f. rewrite (are_blocks_sum _ _ f _ _ _ Hb). f_equal.
    rewrite (zsum_ext _ (fun qs => zsum (fun pz => fst qs * (fst pz * f (snd pz) (snd qs))) ps))
      by (intros; symmetry; apply zsum_scal).
    rewrite zsum_swap. apply zsum_ext. intros pz _. rewrite <- zsum_scal. apply zsum_ext. intros; ring.
Qed.

(** ** The average *)

Section Average.
  Variables (g : grid) (r : rat).
  Hypothesis Hstretch : 0 < stretch g.
  Hypothesis Hshrink : 0 < shrink g.

  Lemma add_outcome_along {X} d lo lo' o row F (l : list X) :
    add_outcome g r d lo lo' o row (along F lo l) =
      along (fun b => F b + weight o * look d lo' row (move g r o b)) lo l.
  Proof.
    unfold add_outcome. destruct ((stretch g =? 1) && (shrink g =? 1)) eqn:E.
    - apply andb_true_iff in E. rewrite !Z.eqb_eq in E. destruct E as [E1 E2]. rewrite add_shifted_along.
      apply along_ext. intros b Hb. unfold move. rewrite E1, E2, Z.div_1_r, (look_shift d lo'). do 3 f_equal. lia.
    - rewrite (add_stretched_along d (weight o) (stretch g) (shrink g) lo' F row l Hstretch Hshrink _ 0 row lo);
        [|lia | now rewrite zskip_nonpos by lia | now left].
      apply along_ext. intros b Hb. unfold move. rewrite (look_shift d lo').
      replace (stretch g * lo - charge r o + stretch g * (b - lo)) with (stretch g * b - charge r o) by lia.
      reflexivity.
  Qed.

  (** The sum that is averaged: weight times the value that an outcome leads to. *)
  Definition outcome_sum (d lo' : Z) (v : values (list Z)) (a : action) (b : Z) : Z :=
    zsum (fun o => weight o * look d lo' (next_row v (next o)) (move g r o b)) (outcomes a).

  Lemma backup_along {X} d lo lo' v outs (l : list X) : forall F,
    backup g r d lo lo' v outs (along F lo l) =
    along (fun b => F b + zsum (fun o => weight o * look d lo' (next_row v (next o)) (move g r o b)) outs) lo l.
  Proof.
    induction outs as [|o outs IH]; intros F; cbn [backup zsum].
    - apply along_ext. intros; lia.
    - rewrite add_outcome_along, IH. apply along_ext. intros b Hb. lia.
  Qed.

  Definition averaged (div : Z -> Z -> Z) d fit lo lo' room' v (a : action) (b : Z) : Z :=
    if is_shift g then
      match (if fit : bool then factors a else None) with
      | Some (qs, ps) => two_stage_value div d (stage_rows v qs) (stage_shifts r lo lo' ps) room' (b - lo)
      | None => average_value div (total a) d (outcome_rows r d lo lo' v (outcomes a)) (b - lo)
      end
    else div (outcome_sum d lo' v a b) (total a).

  Lemma action_average_along div d fit lo hi lo' room' v a :
    action_average div g r d fit lo lo' (zeros lo hi) room' v a =
      along (averaged div d fit lo lo' room' v a) lo (counter lo hi).
  Proof.
    unfold action_average. rewrite zeros_along. destruct (is_shift g) eqn:Es.
    - destruct (if fit then factors a else None) as [[qs ps]|] eqn:Ef.
      + rewrite two_stages_along. apply along_ext. intros b Hb. unfold averaged. now rewrite Es, Ef.
      + rewrite average_rows_along. apply along_ext. intros b Hb. unfold averaged. now rewrite Es, Ef.
    - rewrite backup_along, map_along. apply along_ext. intros b Hb. unfold averaged. rewrite Es. reflexivity.
  Qed.

  Lemma move_shift o b : is_shift g = true -> move g r o b = b - charge r o.
  Proof.
    unfold is_shift. intros H. apply andb_true_iff in H. rewrite !Z.eqb_eq in H. destruct H as [H1 H2]. unfold move.
    rewrite H1, H2, Z.div_1_r. lia.
  Qed.

  Lemma rows_fit_at width v s : 0 <= width -> rows_fit width v = true -> zlen (next_row v s) <= width.
  Proof.
    intros Hw H. unfold next_row, value_at. destruct v as [row|table]; cbn [rows_fit] in H; [now apply Z.leb_le in H|].
    destruct (get s table) as [x|] eqn:E; cbn [join]; [|assumption]. pose proof (tall_get _ _ _ _ H E) as Hx.
    cbn beta in Hx.
    destruct x as [row|]; [now apply Z.leb_le in Hx | assumption].
  Qed.

  Lemma stage_shifts_sum d lo lo' ps v qs b : is_shift g = true ->
    product_sum d (stage_rows v qs) (stage_shifts r lo lo' ps) (b - lo) =
    zsum (fun pz => fst pz * zsum (fun qs => fst qs * look d lo' (next_row v (snd qs))
      (move g r (Outcome 0 (snd pz) 1) b)) qs) ps.
  Proof.
    intros Es. unfold product_sum, stage_shifts, stage_rows. rewrite zsum_map. apply zsum_ext. intros pz _.
    cbn [fst snd]. f_equal.
    rewrite zsum_map. apply zsum_ext. intros q _. cbn [fst snd]. f_equal.
    rewrite (move_shift _ _ Es), (look_shift d lo').
    unfold row_value. f_equal. lia.
  Qed.

  Lemma outcome_rows_sum d lo lo' v l b : is_shift g = true -> lo <= b ->
    zsum (fun wr => fst wr * row_value d (snd wr) (b - lo)) (outcome_rows r d lo lo' v l) =
    zsum (fun o => weight o * look d lo' (next_row v (next o)) (move g r o b)) l.
  Proof.
    intros Es Hb. unfold outcome_rows. rewrite zsum_map. apply zsum_ext. intros o _. cbn [fst snd]. f_equal.
    rewrite value_row_from by lia. rewrite (move_shift _ _ Es), (look_shift d lo'). unfold row_value. f_equal. lia.
  Qed.

  Section Bounds.
    Variables (d lo lo' hi' : Z) (v : values (list Z)) (a : action) (fit : bool).
    Hypothesis Htotal : 0 < total a.
    Hypothesis Hweights : zsum weight (outcomes a) = total a.
    Hypothesis Hfit : fit = true -> rows_fit (hi' - lo' + 1) v = true.

    Lemma room_fits qs : fit = true -> forall wr, In wr (stage_rows v qs) -> zlen (snd wr) <= zlen (counter lo' hi').
    Proof.
      intros H wr Hin. unfold stage_rows in Hin. apply in_map_iff in Hin. destruct Hin as [q [<- _]]. cbn [snd].
      rewrite zlen_counter.
      destruct (Z_lt_le_dec (hi' - lo' + 1) 0) as [Hneg|Hneg].
      - specialize (Hfit H). unfold next_row, value_at. pose proof (fun row : list Z => zlen_nonneg row) as Hlen.
        destruct v as [row|table]; cbn [rows_fit] in Hfit.
        + apply Z.leb_le in Hfit. specialize (Hlen row). lia.
        + destruct (get (snd q) table) as [x|] eqn:E; cbn [join zlen]; [|lia].
          pose proof (tall_get _ _ _ _ Hfit E) as Hx. cbn beta in Hx.
          destruct x as [row|]; cbn [zlen]; [apply Z.leb_le in Hx; specialize (Hlen row); lia | lia].
      - pose proof (rows_fit_at _ _ (snd q) Hneg (Hfit H)). lia.
    Qed.

    Lemma rows_nonempty : outcome_rows r d lo lo' v (outcomes a) <> [].
    Proof. unfold outcome_rows. destruct (outcomes a) as [|o l]; [cbn in Hweights; lia | discriminate]. Qed.

    Lemma rows_weights : zsum fst (outcome_rows r d lo lo' v (outcomes a)) = total a.
    Proof. unfold outcome_rows. rewrite zsum_map. exact Hweights. Qed.

    (** The product's sum is that of the outcomes. *)
    Lemma product_is_sum qs ps b : is_shift g = true -> factors a = Some (qs, ps) ->
      zsum fst ps * zsum fst qs * outcome_sum d lo' v a b =
        total a * product_sum d (stage_rows v qs) (stage_shifts r lo lo' ps) (b - lo).
    Proof.
      intros Es Ef. destruct (factors_correct a qs ps Ef) as [_ [_ [_ [_ [_ [_ [_ Hsum]]]]]]].
      rewrite (stage_shifts_sum _ _ _ _ _ _ _ Es).
      rewrite <- (Hsum (fun z s => look d lo' (next_row v s) (move g r (Outcome 0 z 1) b))). reflexivity.
    Qed.

    Lemma stage_facts qs ps : factors a = Some (qs, ps) ->
      stage_rows v qs <> [] /\ stage_shifts r lo lo' ps <> [] /\ zsum fst (stage_rows v qs) = zsum fst qs /\
      zsum fst (stage_shifts r lo lo' ps) = zsum fst ps /\ 0 < zsum fst qs /\ 0 < zsum fst ps /\
      forall pk, In pk (stage_shifts r lo lo' ps) -> 0 <= fst pk.
    Proof.
      intros Ef. destruct (factors_correct a qs ps Ef) as [Hqs [Hps [HQ [HP [Hpos _]]]]].
      unfold stage_rows, stage_shifts.
      repeat split; try rewrite zsum_map; try assumption; try reflexivity.
      - destruct qs; [congruence | discriminate].
      - destruct ps; [congruence | discriminate].
      - intros pk Hin. apply in_map_iff in Hin. destruct Hin as [pz [<- Hin]]. cbn [fst]. now apply Hpos.
    Qed.

    Lemma averaged_below b : lo <= b -> averaged Z.div d fit lo lo' (zeros lo' hi') v a b <=
      outcome_sum d lo' v a b / total a.
    Proof.
      intros Hb. unfold averaged. destruct (is_shift g) eqn:Es; [|lia]. apply Z.div_le_lower_bound; [assumption|].
      destruct (if fit then factors a else None) as [[qs ps]|] eqn:Ef.
      - assert (Hboth : fit = true /\ factors a = Some (qs, ps)) by (destruct fit; [auto | discriminate]).
        clear Ef. destruct Hboth as [Htrue Ef]. destruct (stage_facts qs ps Ef) as [H1 [H2 [HQ [HP [HQ' [HP' Hpos]]]]]].
        rewrite zeros_along, (constant_along 0 lo' 0).
        pose proof (two_stages_below d (stage_rows v qs) (stage_shifts r lo lo' ps) H1 H2) as H. rewrite HQ, HP in H.
        specialize (H HQ' HP' Hpos (counter lo' hi') (room_fits qs Htrue) (b - lo) ltac:(lia)).
        pose proof (product_is_sum qs ps b Es Ef) as Hsum. set (x := two_stage_value _ _ _ _ _ _) in *.
        set (S1 := outcome_sum d lo' v a b) in *. set (S2 := product_sum _ _ _ _) in *.
        apply Z.mul_le_mono_pos_l with (zsum fst ps * zsum fst qs); [nia|]. rewrite Hsum.
        replace (zsum fst ps * zsum fst qs * (total a * x)) with (total a * (zsum fst ps * zsum fst qs * x)) by ring.
        apply Z.mul_le_mono_nonneg_l; lia.
      - pose proof (average_below_sum d (outcome_rows r d lo lo' v (outcomes a)) (b - lo) rows_nonempty) as H.
        rewrite rows_weights in H. specialize (H Htotal). rewrite (outcome_rows_sum _ _ _ _ _ _ Es Hb) in H. exact H.
    Qed.

    Lemma averaged_above b : lo <= b -> cdiv (outcome_sum d lo' v a b) (total a) <=
      averaged cdiv d fit lo lo' (zeros lo' hi') v a b.
    Proof.
      intros Hb. unfold averaged. destruct (is_shift g) eqn:Es; [|lia].
      assert (Hup : forall x, outcome_sum d lo' v a b <= total a * x -> cdiv (outcome_sum d lo' v a b) (total a) <= x).
      { intros x Hx. pose proof (cdiv_mul_lt (outcome_sum d lo' v a b) (total a) Htotal). nia. }
      apply Hup. destruct (if fit then factors a else None) as [[qs ps]|] eqn:Ef.
      - assert (Hboth : fit = true /\ factors a = Some (qs, ps)) by (destruct fit; [auto | discriminate]).
        clear Ef. destruct Hboth as [Htrue Ef]. destruct (stage_facts qs ps Ef) as [H1 [H2 [HQ [HP [HQ' [HP' Hpos]]]]]].
        rewrite zeros_along, (constant_along 0 lo' 0).
        pose proof (two_stages_above d (stage_rows v qs) (stage_shifts r lo lo' ps) H1 H2) as H. rewrite HQ, HP in H.
        specialize (H HQ' HP' Hpos (counter lo' hi') (room_fits qs Htrue) (b - lo) ltac:(lia)).
        pose proof (product_is_sum qs ps b Es Ef) as Hsum. set (x := two_stage_value _ _ _ _ _ _) in *.
        set (S1 := outcome_sum d lo' v a b) in *. set (S2 := product_sum _ _ _ _) in *.
        apply Z.mul_le_mono_pos_l with (zsum fst ps * zsum fst qs); [nia|]. rewrite Hsum.
        replace (zsum fst ps * zsum fst qs * (total a * x)) with (total a * (zsum fst ps * zsum fst qs * x)) by ring.
        apply Z.mul_le_mono_nonneg_l; lia.
      - pose proof (average_above_sum d (outcome_rows r d lo lo' v (outcomes a)) (b - lo) rows_nonempty) as H.
        rewrite rows_weights in H. specialize (H Htotal). rewrite (outcome_rows_sum _ _ _ _ _ _ Es Hb) in H. exact H.
    Qed.
  End Bounds.
End Average.
