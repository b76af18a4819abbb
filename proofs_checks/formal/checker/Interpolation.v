(** * The interpolated table is below the least expected cost at every real budget *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check InterpolationCheck LawCheck Meaning ModelFacts RatFacts
  TablesBelow TablesAbove Budgets Means CostBounds TailObjective TailRoute.
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
  Proof. intros H. unfold counter. replace (Z.to_nat (hi - (lo - 1) + 1)) with (S (Z.to_nat (hi - lo + 1))) by lia. reflexivity. Qed.

  Lemma lowered_along (P Q : Z -> Z) (l : list unit) : forall b,
    lowered (along P b l) (along Q (b - 1) (tt :: l)) = along (fun c => P c - Z.max (Q (c - 1)) (Q c)) b l.
  Proof.
    induction l as [|x l IH]; intros b; [reflexivity|]. cbn [along lowered]. replace (b - 1 + 1) with b by lia. f_equal.
    specialize (IH (b + 1)). cbn [along] in IH. replace (b + 1 - 1) with b in IH by lia. exact IH.
  Qed.

  Lemma lowered_counter P Q lo hi :
    lowered (along P lo (counter lo hi)) (along Q (lo - 1) (counter (lo - 1) hi)) = along (fun c => P c - Z.max (Q (c - 1)) (Q c)) lo (counter lo hi).
  Proof.
    destruct (Z_le_gt_dec lo (hi + 1)) as [H|H]; [rewrite (counter_cons lo hi H); apply lowered_along|].
    assert (counter lo hi = []) as -> by (unfold counter; now replace (Z.to_nat (hi - lo + 1)) with O by lia). reflexivity.
  Qed.

  Variables (r : rat) (bottom : Z).

  Definition mixture_of (lo' : Z) (v : values (list Z)) (o : outcome) (b : Z) : Z :=
    let L := look bottom lo' (row_at v (next o)) in
    (den r - part r o) * L (b - whole r o) + part r o * L (b - whole r o - 1).

  Lemma averages_along {X} lo lo' v outs (l : list X) : forall F,
    averages r bottom lo lo' v outs (along F lo l) = along (fun b => F b + zsum (fun o => weight o * mixture_of lo' v o b) outs) lo l.
  Proof.
    induction outs as [|o outs IH]; intros F; cbn [averages zsum]; [apply along_ext; intros; lia|].
    rewrite !add_shifted_along, IH. apply along_ext. intros b Hb. unfold mixture_of. rewrite !(look_shift bottom lo'). fold (row_at v (next o)).
    replace (lo - whole r o - lo' + (b - lo)) with (b - whole r o - lo') by lia.
    replace (lo - whole r o - lo' - 1 + (b - lo)) with (b - whole r o - 1 - lo') by lia. lia.
  Qed.

  Definition bend_of (lo' : Z) (bent : values (list Z)) (o : outcome) (b : Z) : Z :=
    part r o * (den r - part r o) * look 0 (lo' - 1) (row_at bent (next o)) (b - whole r o).

  Lemma taken_along {X} lo lo' bent outs (l : list X) : forall F,
    taken r lo lo' bent outs (along F (lo - 1) l) = along (fun b => F b + zsum (fun o => weight o * bend_of lo' bent o b) outs) (lo - 1) l.
  Proof.
    induction outs as [|o outs IH]; intros F; cbn [taken zsum]; [apply along_ext; intros; lia|].
    rewrite add_shifted_along, IH. apply along_ext. intros b Hb. unfold bend_of. rewrite (look_shift 0 (lo' - 1)). fold (row_at bent (next o)).
    replace (lo - whole r o - lo' + (b - (lo - 1))) with (b - whole r o - (lo' - 1)) by lia. lia.
  Qed.

  Definition node lo' v (a : action) (b : Z) : Z := zsum (fun o => weight o * mixture_of lo' v o b) (outcomes a) / (total a * den r).
  Definition off lo' bent (a : action) (b : Z) : Z := cdiv (zsum (fun o => weight o * bend_of lo' bent o b) (outcomes a)) (total a * den r * den r).

  Lemma action_nodes_along lo hi lo' v bent a :
    action_nodes r bottom lo hi lo' v bent a = along (fun c => node lo' v a c - Z.max (off lo' bent a (c - 1)) (off lo' bent a c)) lo (counter lo hi).
  Proof.
    unfold action_nodes. rewrite !zeros_along, averages_along, taken_along, !map_along, lowered_counter. apply along_ext. intros c _. reflexivity.
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
        rewrite (look_outside bottom lo row (b + 1)), (look_outside bottom lo row b), (look_outside bottom lo row (b - 1)) by lia. lia.
  Qed.

  Lemma cap_last_spec row : forall i x, znth (cap_last bottom row) i = Some x ->
    exists y, znth row i = Some y /\ x <= y /\ (i = zlen row - 1 -> x <= bottom).
  Proof.
    induction row as [|y row IH]; intros i x; [discriminate|]. destruct row as [|z row].
    - cbn. destruct (i =? 0) eqn:E; [|discriminate]. intros H. injection H as <-. exists y. split; [reflexivity | lia].
    - change (cap_last bottom (y :: z :: row)) with (y :: cap_last bottom (z :: row)). cbn [znth]. destruct (Z.eqb_spec i 0) as [->|E]; intros H.
      + injection H as <-. exists y. split; [reflexivity|]. split; [lia|]. cbn [zlen]. pose proof (zlen_nonneg row). lia.
      + destruct (IH _ _ H) as [y' [H1 [H2 H3]]]. exists y'. split; [exact H1|]. split; [assumption|]. intros Hi. apply H3. cbn [zlen] in *. lia.
  Qed.

  Lemma zlen_cap_last row : zlen (cap_last bottom row) = zlen row.
  Proof. induction row as [|y row IH]; [reflexivity|]. destruct row as [|z row]; [reflexivity|]. change (cap_last bottom (y :: z :: row)) with (y :: cap_last bottom (z :: row)). cbn [zlen] in *. lia. Qed.

  Lemma cap_ends_spec row : zlen (cap_ends bottom row) = zlen row /\ forall i x, znth (cap_ends bottom row) i = Some x ->
    exists y, znth row i = Some y /\ x <= y /\ (i = 0 \/ i = zlen row - 1 -> x <= bottom).
  Proof.
    unfold cap_ends. pose proof (zlen_cap_last row) as Hlen. pose proof (cap_last_spec row) as Hspec. destruct (cap_last bottom row) as [|z l]; [split; [exact Hlen | discriminate]|].
    split; [cbn [zlen] in *; lia|]. intros i x. cbn [znth]. destruct (Z.eqb_spec i 0) as [->|E]; intros H.
    - injection H as <-. destruct (Hspec 0 z eq_refl) as [y [H1 [H2 H3]]]. exists y. split; [assumption|]. split; [lia | lia].
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
      { induction l as [|z l IH]; intros j Hj; cbn [zlen znth] in *; [lia|]. destruct (Z.eqb_spec j 0); [discriminate|]. apply IH; lia. }
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
  - exists (j - 1)%Z, (1 + theta - lam). split; [lra|]. rewrite minus_IZR. split; [lra|]. replace (j - 1 + 1)%Z with j by lia.
    assert (theta * (1 - lam) * D <= lam * (1 - lam) * Rmax 0 D).
    { apply Rle_trans with (theta * (1 - lam) * Rmax 0 D).
      - apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | assumption].
      - apply Rmult_le_compat_r; [assumption|]. apply Rmult_le_compat_r; lra. }
    unfold D in *. lra.
Qed.

Section Table.
  Variables (m : model) (g : grid) (bottom : Z) (terminal : list Z) (rho : R) (Fc : R -> R).
  Hypothesis Hm : good_model m = true.
  Hypothesis Hg : good_grid g = true.
  Hypothesis Hone : stretch g = 1%Z /\ shrink g = 1%Z.
  Hypothesis Hfloor : forall x, IZR bottom <= Fc x.
  Let M := meaning m.
  Let T := length (steps m).
  Let u := real_of (unit_size g).
  Hypothesis Hterminal : forall b theta, (window_start g T <= b)%Z -> (b + 1 <= window_end g T)%Z -> 0 <= theta <= 1 ->
    (1 - theta) * IZR (look bottom (window_start g T) terminal b) + theta * IZR (look bottom (window_start g T) terminal (b + 1)) <= Fc (u * (IZR b + theta)).
  Hypothesis Hlength : (zlen terminal = Z.max 0 (window_end g T - window_start g T + 1))%Z.

  Lemma unit_constant t : real_of (unit_at g t) = u.
  Proof.
    destruct Hone as [H1 H2]. induction t as [|t IH]; [reflexivity|]. pose proof (real_unit_next g Hg t) as Hn. rewrite H1, H2 in Hn. lra.
  Qed.

  Lemma u_pos : 0 < u.
  Proof. destruct (grid_positive g Hg) as [H1 [H2 _]]. now apply real_of_sign. Qed.

  Lemma part_range r o : ok r -> (0 <= part r o < den r)%Z.
  Proof. intros H. unfold part, whole, ok in *. pose proof (Z.div_mod (gain o * num r) (den r) ltac:(lia)). pose proof (Z.mod_pos_bound (gain o * num r) (den r) H). lia. Qed.

  (** A reward in units: its whole part and its share. *)
  Lemma reward_units t o :
    real_of (discount_rate m) ^ t * (IZR (gain o) / IZR (reward_den m)) =
    u * (IZR (whole (rate_at m g t) o) + IZR (part (rate_at m g t) o) / IZR (den (rate_at m g t))).
  Proof.
    destruct (rate_positive m g Hm Hg t) as [_ Hr]. pose proof (ok_pos _ Hr) as Hd. pose proof (real_rate m g Hm Hg t) as Hrate. rewrite unit_constant in Hrate.
    destruct Hone as [_ H2]. rewrite H2, Rmult_1_l in Hrate. destruct (good_facts m Hm) as [_ [_ [G3 _]]]. apply IZR_lt in G3.
    replace (real_of (discount_rate m) ^ t * (IZR (gain o) / IZR (reward_den m))) with (IZR (gain o) * (real_of (discount_rate m) ^ t / IZR (reward_den m))) by (field; lra).
    rewrite <- Hrate. unfold part. rewrite minus_IZR, !mult_IZR. unfold real_of. field. lra.
  Qed.

  Definition at_node (v : values (list Z)) (lo : Z) (s : positive) (b : Z) : R := IZR (look bottom lo (row_at v s) b).

  Theorem table_between_le pi : is_jpolicy pi -> plays_allowed M pi ->
    forall sts t ws, skipn t (steps m) = sts -> skipn t (windows g) = ws -> (t + length sts = T)%nat ->
    let v := table_between m g (rate_at m g t) bottom terminal ws sts in
    (forall s, (zlen (row_at v s) = Z.max 0 (window_end g t - window_start g t + 1))%Z \/ row_at v s = []) /\
    forall h b theta, jtime h = t -> 0 <= theta <= 1 -> rho - earned M (fst h) = u * (IZR b + theta) ->
    (window_start g t <= b)%Z -> (b + 1 <= window_end g t)%Z ->
    (1 - theta) * at_node v (window_start g t) (jstate h) b + theta * at_node v (window_start g t) (jstate h) (b + 1) <=
    E (jrun M pi (length sts) h) (fun h' => Fc (rho - earned M (fst h'))).
  Proof.
    intros Hpi Hal. assert (HM : is_jmdp M) by now apply is_jmdp_meaning.
    assert (Hlow : forall n h, IZR bottom <= E (jrun M pi n h) (fun h' => Fc (rho - earned M (fst h')))).
    { intros n h. apply E_ge_const; [now apply law_jrun|]. apply as_always. intros h'. apply Hfloor. }
    assert (Hleaf : forall t h b theta n, 0 <= theta <= 1 ->
      (1 - theta) * at_node (At Leaf) (window_start g t) (jstate h) b + theta * at_node (At Leaf) (window_start g t) (jstate h) (b + 1) <=
      E (jrun M pi n h) (fun h' => Fc (rho - earned M (fst h')))).
    { intros t h b theta n Htheta. unfold at_node. rewrite row_at_leaf, !look_nil. specialize (Hlow n h). lra. }
    induction sts as [|st sts IH]; intros t ws Hsts Hws Hlen v.
    - assert (Ht : t = T) by (cbn in Hlen; lia). subst t. split; [intros s; left; exact Hlength|].
      intros h b theta _ Htheta Hrho Hlo Hhi. cbn [length jrun]. rewrite E_ret, Hrho. now apply Hterminal.
    - destruct (skipn_cons _ _ _ _ Hsts) as [Hst Hrest]. subst v. cbn [table_between].
      destruct ws as [|[lo hi] ws]; [split; [intros s; right; apply row_at_leaf | intros; now apply Hleaf]|].
      destruct ws as [|[lo' hi'] ws]; [split; [intros s; right; apply row_at_leaf | intros; now apply Hleaf]|].
      destruct (skipn_cons _ _ _ _ Hws) as [Hw Hwrest]. destruct (skipn_cons _ _ _ _ Hwrest) as [Hw' _]. cbn [tl].
      assert (Hlo0 : window_start g t = lo) by (unfold window_start; now rewrite Hw). assert (Hhi0 : window_end g t = hi) by (unfold window_end; now rewrite Hw).
      assert (Hlo1 : window_start g (S t) = lo') by (unfold window_start; now rewrite Hw'). assert (Hhi1 : window_end g (S t) = hi') by (unfold window_end; now rewrite Hw').
      destruct (IH (S t) ((lo', hi') :: ws) Hrest Hwrest ltac:(cbn in Hlen; lia)) as [IHlen IHle]. cbn [rate_at] in IHlen, IHle.
      set (v0 := table_between m g (rate_next m g (rate_at m g t)) bottom terminal ((lo', hi') :: ws) sts) in *. rewrite Hlo1, Hhi1 in IHlen, IHle.
      set (v := on_rows (cap_ends bottom) v0). set (bent := on_rows (bends bottom lo' hi') v). set (r := rate_at m g t).
      assert (Hrow : forall s, row_at v s = cap_ends bottom (row_at v0 s)) by (intros s; now apply row_at_on_rows).
      assert (Hzl : forall s, (zlen (row_at v s) <= Z.max 0 (hi' - lo' + 1))%Z).
      { intros s. rewrite Hrow, (proj1 (cap_ends_spec bottom (row_at v0 s))). destruct (IHlen s) as [->| ->]; cbn [zlen]; lia. }
      assert (Hbent : forall s b, look 0 (lo' - 1) (row_at bent s) b =
        Z.max 0 (look bottom lo' (row_at v s) (b + 1) - 2 * look bottom lo' (row_at v s) b + look bottom lo' (row_at v s) (b - 1))).
      { intros s b. destruct (value_at v s) as [row|] eqn:Ev.
        - assert (row_at bent s = bends bottom lo' hi' (row_at v s)) as ->.
          { unfold bent, row_at. destruct v as [row0|table]; cbn [on_rows value_at] in *; [reflexivity|]. rewrite get_tmap.
            destruct (get s table) as [[row1|]|]; cbn in *; try discriminate. reflexivity. }
          apply (bends_look bottom lo' hi' (row_at v s) b). apply Hzl.
        - assert (row_at bent s = []) as ->.
          { unfold bent, row_at. destruct v as [row0|table]; cbn [on_rows value_at] in *; [discriminate|]. rewrite get_tmap.
            destruct (get s table) as [[row1|]|]; cbn in *; try discriminate; reflexivity. }
          assert (row_at v s = []) as -> by (unfold row_at; now rewrite Ev). rewrite !look_nil. lia. }
      (* the capped table, at every budget *)
      assert (Hcap : forall h b theta, jtime h = S t -> 0 <= theta <= 1 -> rho - earned M (fst h) = u * (IZR b + theta) ->
        (1 - theta) * at_node v lo' (jstate h) b + theta * at_node v lo' (jstate h) (b + 1) <= E (jrun M pi (length sts) h) (fun h' => Fc (rho - earned M (fst h')))).
      { intros h b theta Ht Htheta Hrho. unfold at_node. rewrite Hrow.
        destruct (cap_ends_look bottom lo' (row_at v0 (jstate h)) b) as [C1 C2]. destruct (cap_ends_look bottom lo' (row_at v0 (jstate h)) (b + 1)) as [C3 C4].
        destruct (IHlen (jstate h)) as [Hl|Hl].
        - destruct (Z_le_gt_dec lo' b) as [Hb1|Hb1]; [destruct (Z_le_gt_dec (b + 1) hi') as [Hb2|Hb2]|].
          + eapply Rle_trans; [|apply (IHle h b theta Ht Htheta Hrho Hb1 Hb2)]. unfold at_node.
            assert (Ha := C1 ltac:(lia)). assert (Hb := C3 ltac:(lia)). apply IZR_le in Ha, Hb.
            apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
          + assert (Ha := C2 ltac:(lia)). assert (Hb := C4 ltac:(lia)). apply IZR_le in Ha, Hb. specialize (Hlow (length sts) h).
            pose proof (Rmult_le_compat_l (1 - theta) _ _ ltac:(lra) Ha). pose proof (Rmult_le_compat_l theta _ _ ltac:(lra) Hb). lra.
          + assert (Ha := C2 ltac:(lia)). assert (Hb := C4 ltac:(lia)). apply IZR_le in Ha, Hb. specialize (Hlow (length sts) h).
            pose proof (Rmult_le_compat_l (1 - theta) _ _ ltac:(lra) Ha). pose proof (Rmult_le_compat_l theta _ _ ltac:(lra) Hb). lra.
        - rewrite Hl. change (cap_ends bottom []) with (@nil Z). rewrite !look_nil. specialize (Hlow (length sts) h). lra. }
      split.
      + intros s. unfold row_at. cbn [value_at]. rewrite get_tmap, Hlo0, Hhi0. destruct (get s st) as [acts|] eqn:Ea; cbn [option_map join]; [|now right].
        left. assert (Hne : acts <> []) by now apply (listed_nonempty m Hm t st s).
        rewrite (map_ext _ (fun a => along (fun c => node r bottom lo' v a c - Z.max (off r lo' bent a (c - 1)) (off r lo' bent a c))%Z lo (counter lo hi))) by (intros; apply action_nodes_along).
        destruct (least_along (fun a c => node r bottom lo' v a c - Z.max (off r lo' bent a (c - 1)) (off r lo' bent a c))%Z lo (counter lo hi) acts Hne) as [F [-> _]].
        now rewrite zlen_along, zlen_counter.
      + intros h b theta Ht Htheta Hrho Hlo Hhi. rewrite Hlo0 in *. rewrite Hhi0 in *. unfold at_node at 1 2, row_at. cbn [value_at]. rewrite get_tmap.
        destruct (get (jstate h) st) as [acts|] eqn:Ea; cbn [option_map join]; [|rewrite !look_nil; specialize (Hlow (length (st :: sts)) h); lra].
        assert (Hacts : actions_at m t (jstate h) = acts) by (unfold actions_at; now rewrite Hst, Ea).
        assert (Hne : acts <> []) by now apply (listed_nonempty m Hm t st (jstate h)).
        rewrite (map_ext _ (fun a => along (fun c => node r bottom lo' v a c - Z.max (off r lo' bent a (c - 1)) (off r lo' bent a c))%Z lo (counter lo hi))) by (intros; apply action_nodes_along).
        destruct (least_along (fun a c => node r bottom lo' v a c - Z.max (off r lo' bent a (c - 1)) (off r lo' bent a c))%Z lo (counter lo hi) acts Hne) as [F [-> HF]].
        rewrite !look_along by (rewrite zlen_counter; lia). cbn [length]. rewrite E_jrun_S, E_jstep, Ht.
        apply E_ge_const; [apply Hpi|]. pose proof (Hal h ltac:(cbn; cbn in Hlen; lia)) as Has. rewrite Ht in Has.
        revert Has. apply as_impl. intros i Hi. apply allowed_listed in Hi; [|now rewrite Hacts]. destruct Hi as [a Ha].
        assert (Hin : In a acts) by (rewrite <- Hacts; now apply znth_In in Ha).
        destruct (action_facts m Hm _ _ _ _ Ha) as [Htot [Hwt _]]. pose proof (IZR_lt _ _ Htot) as Htot'.
        destruct (rate_positive m g Hm Hg t) as [_ Hr]. fold r in Hr. pose proof (ok_pos _ Hr) as Hd.
        pose proof (HF a b Hin) as H1. pose proof (HF a (b + 1)%Z Hin) as H2. replace (b + 1 - 1)%Z with b in H2 by lia.
        assert (H1' : (F b <= node r bottom lo' v a b - off r lo' bent a b)%Z) by lia.
        assert (H2' : (F (b + 1) <= node r bottom lo' v a (b + 1) - off r lo' bent a b)%Z) by lia.
        apply IZR_le in H1', H2'. rewrite minus_IZR in H1', H2'.
        assert (Hn : forall c, IZR (node r bottom lo' v a c) <= / (IZR (total a) * IZR (den r)) * sum (outcomes a) (fun o => IZR (weight o) * IZR (mixture_of r bottom lo' v o c))).
        { intros c. unfold node. eapply Rle_trans; [apply floor_div_le; apply Z.mul_pos_pos; assumption|]. rewrite IZR_zsum, mult_IZR. unfold Rdiv. rewrite Rmult_comm.
          right. f_equal. apply sum_ext. intros o _. apply mult_IZR. }
        assert (Ho : / (IZR (total a) * IZR (den r) * IZR (den r)) * sum (outcomes a) (fun o => IZR (weight o) * IZR (bend_of r lo' bent o b)) <= IZR (off r lo' bent a b)).
        { unfold off. eapply Rle_trans; [|apply le_cdiv_div; repeat apply Z.mul_pos_pos; assumption]. rewrite IZR_zsum, !mult_IZR. unfold Rdiv. rewrite Rmult_comm.
          right. f_equal. apply sum_ext. intros o _. now rewrite mult_IZR. }
        apply Rle_trans with (/ IZR (total a) * sum (outcomes a) (fun o => IZR (weight o) *
          ((1 - theta) * (IZR (mixture_of r bottom lo' v o b) / IZR (den r)) + theta * (IZR (mixture_of r bottom lo' v o (b + 1)) / IZR (den r)) - IZR (bend_of r lo' bent o b) / (IZR (den r) * IZR (den r))))).
        * eapply Rle_trans with ((1 - theta) * (IZR (node r bottom lo' v a b) - IZR (off r lo' bent a b)) + theta * (IZR (node r bottom lo' v a (b + 1)) - IZR (off r lo' bent a b)));
            [apply Rplus_le_compat; apply Rmult_le_compat_l; lra|].
          pose proof (Rmult_le_compat_l (1 - theta) _ _ ltac:(lra) (Hn b)) as N1. pose proof (Rmult_le_compat_l theta _ _ ltac:(lra) (Hn (b + 1)%Z)) as N2.
          rewrite (sum_ext _ _ (fun o => (1 - theta) / IZR (den r) * (IZR (weight o) * IZR (mixture_of r bottom lo' v o b)) +
            (theta / IZR (den r) * (IZR (weight o) * IZR (mixture_of r bottom lo' v o (b + 1))) - / (IZR (den r) * IZR (den r)) * (IZR (weight o) * IZR (bend_of r lo' bent o b)))))
            by (intros o _; field; lra).
          rewrite sum_plus, sum_minus, !sum_scal.
          set (A0 := sum (outcomes a) (fun o => IZR (weight o) * IZR (mixture_of r bottom lo' v o b))) in *.
          set (A1 := sum (outcomes a) (fun o => IZR (weight o) * IZR (mixture_of r bottom lo' v o (b + 1)))) in *.
          set (B0 := sum (outcomes a) (fun o => IZR (weight o) * IZR (bend_of r lo' bent o b))) in *.
          replace (/ IZR (total a) * ((1 - theta) / IZR (den r) * A0 + (theta / IZR (den r) * A1 - / (IZR (den r) * IZR (den r)) * B0)))
            with ((1 - theta) * (/ (IZR (total a) * IZR (den r)) * A0) + theta * (/ (IZR (total a) * IZR (den r)) * A1) - / (IZR (total a) * IZR (den r) * IZR (den r)) * B0) by (field; lra).
          lra.
        * rewrite (E_kernel m t (jstate h) i a _ Ha). apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|]. apply sum_le. intros o Hino.
          apply Rmult_le_compat_l; [apply IZR_le; auto|].
          pose proof (part_range r o Hr) as Hpart. set (lam := IZR (part r o) / IZR (den r)).
          assert (Hlam : 0 <= lam <= 1).
          { unfold lam. destruct Hpart as [P1 P2]. apply IZR_le in P1. apply IZR_lt in P2. split; [apply Rmult_le_pos; [assumption | left; now apply Rinv_0_lt_compat]|].
            apply Rmult_le_reg_r with (IZR (den r)); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
          set (L := fun c => IZR (look bottom lo' (row_at v (next o)) c)). set (j := (b - whole r o)%Z).
          destruct (outcome_below L j lam theta Hlam Htheta) as [j' [theta' [Ht' [Hj Hle]]]].
          eapply Rle_trans; [|apply (Hcap (jextend h i (gain o, next o)) j' theta')].
          -- unfold at_node. cbn [jextend jstate snd]. fold (L j') (L (j' + 1)%Z). eapply Rle_trans; [|exact Hle]. right.
             unfold mixture_of, bend_of. rewrite Hbent. fold j. replace (b + 1 - whole r o)%Z with (j + 1)%Z by (unfold j; lia). replace (j + 1 - 1)%Z with j by lia.
             rewrite !plus_IZR, !mult_IZR, !minus_IZR.
             assert (IZR (Z.max 0 (look bottom lo' (row_at v (next o)) (j + 1) - 2 * look bottom lo' (row_at v (next o)) j + look bottom lo' (row_at v (next o)) (j - 1))) =
               Rmax 0 (L (j + 1)%Z - 2 * L j + L (j - 1)%Z)) as ->.
             { unfold L. rewrite <- mult_IZR, <- minus_IZR, <- plus_IZR. apply IZR_max_0. }
             fold (L j) (L (j + 1)%Z) (L (j - 1)%Z). unfold lam. field. lra.
          -- unfold jtime, jextend; cbn; unfold jtime in Ht; now rewrite Ht.
          -- assumption.
          -- unfold jextend. cbn [fst earned]. unfold jtime in Ht. rewrite Ht. change (discount M) with (real_of (discount_rate m)).
             change (worth M (gain o)) with (IZR (gain o) / IZR (reward_den m)). rewrite (reward_units t o). fold r. fold lam. rewrite Hj. unfold j. rewrite minus_IZR. lra.
  Qed.
End Table.
