(** * Interpolation: the rows of the program, and one outcome between two nodes

    [outcome_below]: between two nodes, the chord less the correction is at most the value of one outcome at every
    budget. [cap_ends_look]: outside its window a row is at most its bottom value. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check InterpolationCheck LawCheck
  Meaning ModelFacts RatFacts TablesBelow TablesAbove Budgets Means CostBounds TailObjective TailRoute.
Import ListNotations.
Open Scope R_scope.

(** ** What the rows are *)

Section Rows.
  Open Scope Z_scope.

  Lemma row_at_on_rows f v s : (f [] = []) -> row_at (on_rows f v) s = f (row_at v s).
  Proof.
    intros Hf. unfold row_at. destruct v as [row|table]; cbn [on_rows value_at]; [reflexivity|]. rewrite get_tmap.
    destruct (get s table) as [[row|]|]; cbn; congruence.
  Qed.

  Lemma counter_cons lo hi : lo <= hi + 1 -> counter (lo - 1) hi = tt :: counter lo hi.
  Proof.
    intros H. unfold counter. replace (Z.to_nat (hi - (lo - 1) + 1)) with (S (Z.to_nat (hi - lo + 1))) by lia.
    reflexivity.
  Qed.

  Lemma lowered_along (P Q : Z -> Z) (l : list unit) : forall b,
    lowered (along P b l) (along Q (b - 1) (tt :: l)) = along (fun c => P c - Z.max (Q (c - 1)) (Q c)) b l.
  Proof.
    induction l as [|x l IH]; intros b; [reflexivity|]. cbn [along lowered]. replace (b - 1 + 1) with b by lia. f_equal.
    specialize (IH (b + 1)). cbn [along] in IH. replace (b + 1 - 1) with b in IH by lia. exact IH.
  Qed.

  Lemma lowered_counter P Q lo hi :
    lowered (along P lo (counter lo hi)) (along Q (lo - 1) (counter (lo - 1) hi)) =
      along (fun c => P c - Z.max (Q (c - 1)) (Q c)) lo (counter lo hi).
  Proof.
    destruct (Z_le_gt_dec lo (hi + 1)) as [H|H]; [rewrite (counter_cons lo hi H); apply lowered_along|].
    assert (counter lo hi = []) as -> by (unfold counter; now replace (Z.to_nat (hi - lo + 1)) with O by lia).
    reflexivity.
  Qed.

  Variables (r : rat) (bottom : Z).

  Definition mixture_of (lo' : Z) (v : values (list Z)) (o : outcome) (b : Z) : Z :=
    let L := look bottom lo' (row_at v (next o)) in
    (den r - part r o) * L (b - whole r o) + part r o * L (b - whole r o - 1).

  Lemma averages_along {X} lo lo' v outs (l : list X) : forall F,
    averages r bottom lo lo' v outs (along F lo l) =
      along (fun b => F b + zsum (fun o => weight o * mixture_of lo' v o b) outs) lo l.
  Proof.
    induction outs as [|o outs IH]; intros F; cbn [averages zsum]; [apply along_ext; intros; lia|].
    rewrite !add_shifted_along, IH. apply along_ext. intros b Hb. unfold mixture_of. rewrite !(look_shift bottom lo').
    fold (row_at v (next o)).
    replace (lo - whole r o - lo' + (b - lo)) with (b - whole r o - lo') by lia.
    replace (lo - whole r o - lo' - 1 + (b - lo)) with (b - whole r o - 1 - lo') by lia. lia.
  Qed.

  Definition bend_of (lo' : Z) (bent : values (list Z)) (o : outcome) (b : Z) : Z :=
    part r o * (den r - part r o) * look 0 (lo' - 1) (row_at bent (next o)) (b - whole r o).

  Lemma taken_along {X} lo lo' bent outs (l : list X) : forall F,
    taken r lo lo' bent outs (along F (lo - 1) l) =
      along (fun b => F b + zsum (fun o => weight o * bend_of lo' bent o b) outs) (lo - 1) l.
  Proof.
    induction outs as [|o outs IH]; intros F; cbn [taken zsum]; [apply along_ext; intros; lia|].
    rewrite add_shifted_along, IH. apply along_ext. intros b Hb. unfold bend_of. rewrite (look_shift 0 (lo' - 1)).
    fold (row_at bent (next o)).
    replace (lo - whole r o - lo' + (b - (lo - 1))) with (b - whole r o - (lo' - 1)) by lia. lia.
  Qed.

  Definition node lo' v (a : action) (b : Z) : Z :=
    zsum (fun o => weight o * mixture_of lo' v o b) (outcomes a) / (total a * den r).
  Definition off lo' bent (a : action) (b : Z) : Z :=
    cdiv (zsum (fun o => weight o * bend_of lo' bent o b) (outcomes a)) (total a * den r * den r).

  Lemma action_nodes_along lo hi lo' v bent a :
    action_nodes r bottom lo hi lo' v bent a =
      along (fun c => node lo' v a c - Z.max (off lo' bent a (c - 1)) (off lo' bent a c)) lo (counter lo hi).
  Proof.
    unfold action_nodes. rewrite !zeros_along, averages_along, taken_along, !map_along, lowered_counter.
    apply along_ext. intros c _. reflexivity.
  Qed.

  Lemma bends_look lo hi row b : zlen row <= Z.max 0 (hi - lo + 1) -> let L := look bottom lo row in
    look 0 (lo - 1) (bends bottom lo hi row) b = Z.max 0 (L (b + 1) - 2 * L b + L (b - 1)).
  Proof.
    intros Hlen L. unfold bends. rewrite zeros_along, !add_shifted_along, map_along. pose proof (zlen_nonneg row).
    destruct (Z_lt_le_dec b (lo - 1)) as [H1|H1].
    - rewrite look_outside by lia. unfold L. rewrite !look_outside by lia. lia.
    - destruct (Z_le_gt_dec b (hi + 1)) as [H2|H2].
      + rewrite look_along by (rewrite zlen_counter; lia). unfold L. rewrite !(look_shift bottom lo).
        replace (0 + (b - (lo - 1))) with (b + 1 - lo) by lia. replace (-1 + (b - (lo - 1))) with (b - lo) by lia.
        replace (-2 + (b - (lo - 1))) with (b - 1 - lo) by lia. lia.
      + rewrite look_outside by (rewrite zlen_along, zlen_counter; lia). unfold L.
        rewrite (look_outside bottom lo row (b + 1)), (look_outside bottom lo row b),
          (look_outside bottom lo row (b - 1)) by lia. lia.
  Qed.

  Lemma cap_last_spec row : forall i x, znth (cap_last bottom row) i = Some x ->
    exists y, znth row i = Some y /\ x <= y /\ (i = zlen row - 1 -> x <= bottom).
  Proof.
    induction row as [|y row IH]; intros i x; [discriminate|]. destruct row as [|z row].
    - cbn. destruct (i =? 0) eqn:E; [|discriminate]. intros H. injection H as <-. exists y. split; [reflexivity | lia].
    - change (cap_last bottom (y :: z :: row)) with (y :: cap_last bottom (z :: row)). cbn [znth].
      destruct (Z.eqb_spec i 0) as [->|E]; intros H.
      + injection H as <-. exists y. split; [reflexivity|]. split; [lia|]. cbn [zlen]. pose proof (zlen_nonneg row).
        lia.
      + destruct (IH _ _ H) as [y' [H1 [H2 H3]]]. exists y'. split; [exact H1|]. split; [assumption|]. intros Hi.
        apply H3. cbn [zlen] in *. lia.
  Qed.

  Lemma zlen_cap_last row : zlen (cap_last bottom row) = zlen row.
  Proof.
    induction row as [|y row IH]; [reflexivity|]. destruct row as [|z row]; [reflexivity|].
    change (cap_last bottom (y :: z :: row)) with (y :: cap_last bottom (z :: row)). cbn [zlen] in *. lia.
  Qed.

  Lemma cap_ends_spec row : zlen (cap_ends bottom row) = zlen row /\ forall i x,
    znth (cap_ends bottom row) i = Some x ->
    exists y, znth row i = Some y /\ x <= y /\ (i = 0 \/ i = zlen row - 1 -> x <= bottom).
  Proof.
    unfold cap_ends. pose proof (zlen_cap_last row) as Hlen. pose proof (cap_last_spec row) as Hspec.
    destruct (cap_last bottom row) as [|z l]; [split; [exact Hlen | discriminate]|].
    split; [cbn [zlen] in *; lia|]. intros i x. cbn [znth]. destruct (Z.eqb_spec i 0) as [->|E]; intros H.
    - injection H as <-. destruct (Hspec 0 z eq_refl) as [y [H1 [H2 H3]]]. exists y. split; [assumption|].
      split; [lia | lia].
    - destruct (Hspec i x) as [y [H1 [H2 H3]]]; [cbn [znth]; destruct (Z.eqb_spec i 0); [contradiction | assumption]|].
      exists y. split; [assumption|]. split; [assumption|]. intros [->|Hi]; [contradiction | auto].
  Qed.

  Lemma cap_ends_look lo row b :
    (lo <= b < lo + zlen row -> look bottom lo (cap_ends bottom row) b <= look bottom lo row b) /\
    (b <= lo \/ lo + zlen row - 1 <= b -> look bottom lo (cap_ends bottom row) b <= bottom).
  Proof.
    destruct (cap_ends_spec row) as [Hlen Hspec]. destruct (Z_lt_le_dec b lo) as [H1|H1].
    { split; [lia|]. intros _. rewrite look_outside by lia. lia. }
    destruct (Z_le_gt_dec (lo + zlen row) b) as [H2|H2].
    { split; [lia|]. intros _. rewrite look_outside by lia. lia. }
    unfold look. destruct (Z.ltb_spec b lo); [lia|]. destruct (znth (cap_ends bottom row) (b - lo)) as [x|] eqn:Ex.
    - destruct (Hspec _ _ Ex) as [y [H3 [H4 H5]]]. rewrite H3. split; [lia|]. intros Hb. apply H5. lia.
    - exfalso. assert (Hgen : forall (l : list Z) j, 0 <= j < zlen l -> znth l j <> None).
      { induction l as [|z l IH]; intros j Hj; cbn [zlen znth] in *; [lia|]. destruct (Z.eqb_spec j 0); [discriminate|].
        apply IH; lia. }
      apply (Hgen (cap_ends bottom row) (b - lo)); [lia | assumption].
  Qed.
End Rows.

(** ** One outcome: the chord exceeds the polygon by at most the bend *)

Lemma IZR_max_0 z : IZR (Z.max 0 z) = Rmax 0 (IZR z).
Proof.
  destruct (Z_le_gt_dec 0 z) as [H|H].
  - rewrite Z.max_r, Rmax_right; [reflexivity | now apply IZR_le | assumption].
  - rewrite Z.max_l, Rmax_left; [reflexivity | apply IZR_le; lia | lia].
Qed.

Lemma outcome_below (L : Z -> R) (j : Z) (lam theta : R) : 0 <= lam <= 1 -> 0 <= theta <= 1 ->
  exists j' theta', 0 <= theta' <= 1 /\ IZR j' + theta' = IZR j + theta - lam /\
  (1 - theta) * ((1 - lam) * L j + lam * L (j - 1)%Z) + theta * ((1 - lam) * L (j + 1)%Z + lam * L j)
    - lam * (1 - lam) * Rmax 0 (L (j + 1)%Z - 2 * L j + L (j - 1)%Z) <= (1 - theta') * L j' + theta' * L (j' + 1)%Z.
Proof.
  intros Hl Ht. set (D := L (j + 1)%Z - 2 * L j + L (j - 1)%Z). pose proof (Rmax_r 0 D). pose proof (Rmax_l 0 D).
  destruct (Rle_dec lam theta) as [Hc|Hc].
  - exists j, (theta - lam). split; [lra|]. split; [lra|].
    assert (lam * (1 - theta) * D <= lam * (1 - lam) * Rmax 0 D).
    { apply Rle_trans with (lam * (1 - theta) * Rmax 0 D).
      - apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | assumption].
      - apply Rmult_le_compat_r; [assumption|]. apply Rmult_le_compat_l; lra. }
    unfold D in *. lra.
  - exists (j - 1)%Z, (1 + theta - lam). split; [lra|]. rewrite minus_IZR. split; [lra|].
    replace (j - 1 + 1)%Z with j by lia.
    assert (theta * (1 - lam) * D <= lam * (1 - lam) * Rmax 0 D).
    { apply Rle_trans with (theta * (1 - lam) * Rmax 0 D).
      - apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | assumption].
      - apply Rmult_le_compat_r; [assumption|]. apply Rmult_le_compat_r; lra. }
    unfold D in *. lra.
Qed.
