(** * Covers by returns are sound

    [polygon_by_returns_correct]: an accepted upper bound exceeds the objective of every policy.

    The return is at most the next of the returns that the certificate lists, and that is counted from the first one in
    units of the sums: the objective is a sum over these units, as many of which are alike as the next return is away.
    *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective ObjectiveFacts JointModel Rows Tree Program Check PolygonCheck
  CellsCheck ReturnsCheck LawCheck Meaning ModelFacts RatFacts TablesBelow TablesAbove Budgets Means CostBounds
  PolygonObjective PolygonRoute CellsRoute CellEnds CellCover.
Import ListNotations.
Open Scope R_scope.

(** ** Rows *)

Lemma Forall2_weaker {X Y} (P P' : X -> Y -> Prop) : (forall x y, P x y -> P' x y) ->
  forall l k, Forall2 P l k -> Forall2 P' l k.
Proof. intros H l k HP. induction HP; constructor; auto. Qed.

Lemma drop_below_in y row x : In x (drop_below y row) -> In x row.
Proof.
  induction row as [|z row IH]; cbn [drop_below]; [trivial|]. destruct (fst z <? y)%Z; [intros; right; auto | trivial].
Qed.

Lemma cost_at_le bottom y row B : IZR bottom <= B -> (forall x, In (y, x) row -> IZR x <= B) ->
  IZR (cost_at bottom y (drop_below y row)) <= B.
Proof.
  intros Hb H. unfold cost_at. destruct (drop_below y row) as [|[z x] l] eqn:E; [assumption|]. cbn [fst snd].
  destruct (Z.eqb_spec z y) as [->|]; [|assumption]. apply H, drop_below_in with y. rewrite E. now left.
Qed.

Lemma add_at_le bottom w d y A B : (0 <= w)%Z -> IZR bottom <= B -> forall ys acc row,
  (forall x, In (y + d, x)%Z row -> IZR x <= B) -> Forall2 (fun z x => z = y -> IZR x <= A) ys acc ->
  Forall2 (fun z x => z = y -> IZR x <= A + IZR w * B) ys (add_at bottom w d row ys acc).
Proof.
  intros Hw Hb. induction ys as [|z ys IH]; intros acc row Hrow H; inversion H as [|z' x' ys' acc' Hx Hrest]; subst;
    cbn [add_at]; [constructor|]. constructor.
  - intros ->. rewrite plus_IZR, mult_IZR. apply Rplus_le_compat; [now apply Hx|].
    apply Rmult_le_compat_l; [now apply IZR_le|]. now apply cost_at_le.
  - apply IH; [|assumption]. intros x Hin. apply Hrow. now apply drop_below_in in Hin.
Qed.

Lemma length_zmap2 f l : forall k, length l = length k -> length (zmap2 f l k) = length l.
Proof.
  induction l as [|x l IH]; intros [|y k] H; try discriminate; [reflexivity|]. cbn. f_equal. apply IH. now injection H.
Qed.

Lemma length_least (rows : action -> list Z) n acts : acts <> [] -> (forall a, In a acts -> length (rows a) = n) ->
  length (least (map rows acts)) = n.
Proof.
  induction acts as [|a acts IH]; intros Hne H; [congruence|]. destruct acts as [|a' acts]; [apply H; now left|].
  change (length (zmap2 Z.min (rows a) (least (map rows (a' :: acts)))) = n).
  rewrite length_zmap2; [apply H; now left|]. rewrite IH; [apply H; now left | discriminate | intros; apply H; now
    right].
Qed.

(** What holds of the row of an action, and of all that is less, holds of the least row. *)
Lemma least_le (P : Z -> Z -> Prop) (rows : action -> list Z) ys acts a :
  (forall z x x', (x <= x')%Z -> P z x' -> P z x) -> (forall a', In a' acts -> length (rows a') = length ys) ->
  In a acts -> Forall2 P ys (rows a) -> Forall2 P ys (least (map rows acts)).
Proof.
  intros HP. assert (Hmin : forall l r r', length r' = length l -> Forall2 P l r ->
    Forall2 P l (zmap2 Z.min r r') /\ Forall2 P l (zmap2 Z.min r' r)).
  { induction l as [|z l IH]; intros r r' Hl H; inversion H as [|z' x l' r0 Hx Hr]; subst;
      destruct r' as [|x' r']; try discriminate; cbn [zmap2]; [now split|].
    injection Hl as Hl. destruct (IH r0 r' Hl Hr) as [H1 H2].
    split; constructor; try assumption; apply (HP z _ x); try assumption; lia. }
  induction acts as [|b acts IH]; intros Hlen Hin H; [destruct Hin|]. destruct acts as [|b' acts].
  - destruct Hin as [<-|[]]. exact H.
  - change (Forall2 P ys (zmap2 Z.min (rows b) (least (map rows (b' :: acts))))). destruct Hin as [->|Hin].
    + apply (fun Hl => proj1 (Hmin ys _ _ Hl H)). apply length_least; [discriminate | intros; apply Hlen; now right].
    + apply (fun Hl Hr => proj2 (Hmin ys _ _ Hl Hr)); [apply Hlen; now left|].
      apply IH; [intros; apply Hlen; now right | assumption | assumption].
Qed.

Lemma in_combine_Forall2 (P : Z -> Z -> Prop) l r z x : Forall2 P l r -> In (z, x) (combine l r) -> P z x.
Proof.
  intros H. induction H as [|a b l r Hab H IH]; cbn [combine]; [intros []|]. intros [E|E]; [congruence | auto].
Qed.

(** ** Sums of rewards as integers *)

Section Sums.
  Variable m : model.
  Hypothesis Hm : good_model m = true.
  Let M := meaning m.
  Let p := num (discount_rate m).
  Let q := den (discount_rate m).
  Let T := length (steps m).

  Definition weight_at (t : nat) : Z := (p ^ Z.of_nat t * q ^ Z.of_nat (T - t))%Z.
  Fixpoint whole_sum (l : list (positive * Z * Z)) : Z :=
    match l with [] => 0 | (_, _, o) :: l' => whole_sum l' + weight_at (length l') * o end.
  Definition units : Z := (reward_den m * q ^ Z.of_nat T)%Z.

  Lemma rest_power_eq sts : rest_power q sts = (q ^ Z.of_nat (length sts))%Z.
  Proof.
    induction sts as [|st sts IH]; [reflexivity|]. cbn [rest_power length].
    rewrite IH, Nat2Z.inj_succ, Z.pow_succ_r by lia.
    ring.
  Qed.

  Lemma weight_at_eq t sts : skipn t (steps m) = sts -> (t + length sts = T)%nat ->
    (p ^ Z.of_nat t * rest_power q sts)%Z = weight_at t.
  Proof. intros _ H. unfold weight_at. rewrite rest_power_eq. do 3 f_equal. lia. Qed.

  Lemma units_positive : (0 < units)%Z.
  Proof.
    destruct (good_facts m Hm) as [_ [G2 [G3 _]]]. unfold units. apply Z.mul_pos_pos; [assumption|].
    apply Z.pow_pos_nonneg; [exact G2 | lia].
  Qed.

  Lemma weight_nonneg t : (0 <= weight_at t)%Z.
  Proof.
    destruct (good_facts m Hm) as [G1 [G2 _]]. apply Z.mul_nonneg_nonneg; apply Z.pow_nonneg; [fold p in G1; lia |].
    fold q in G2. lia.
  Qed.

  Lemma earned_whole l : (length l <= T)%nat -> earned M l * IZR units = IZR (whole_sum l).
  Proof.
    destruct (good_facts m Hm) as [_ [G2 [G3 _]]]. apply IZR_lt in G2, G3. fold q in G2.
    induction l as [|[[s a] o] l IH]; intros Hl; [cbn; ring|]. cbn [length] in Hl. cbn [earned whole_sum].
    rewrite Rmult_plus_distr_r, IH by lia. rewrite plus_IZR. f_equal.
    change (worth M o) with (IZR o / IZR (reward_den m)). change (discount M) with (real_of (discount_rate m)).
    unfold units, weight_at. rewrite !mult_IZR, <- !pow_IZR. unfold real_of. fold p q.
    replace T with (length l + (T - length l))%nat at 1 by lia. rewrite pow_add.
    unfold Rdiv at 1. rewrite Rpow_mult_distr.
    assert (IZR q ^ length l <> 0) by (apply pow_nonzero; lra). rewrite pow_inv. field. split; lra.
  Qed.

  Lemma whole_sum_le pi s : almost_surely (jrun M pi T ([], s)) (fun h => length (fst h) = T /\
    (whole_sum (fst h) <= largest_sum m)%Z).
  Proof.
    set (most := most_of (fun z => z) m).
    assert (Hmost : (0 <= most)%Z) by (unfold most, most_of; lia).
    pose (S := fix S (n : nat) : Z := match n with O => 0%Z | Datatypes.S n' => (S n' + weight_at n')%Z end).
    assert (Hsum : forall sts t, skipn t (steps m) = sts -> (t + length sts = T)%nat ->
      (S t + weights_of p q (p ^ Z.of_nat t) sts = S T)%Z).
    { induction sts as [|st sts IH]; intros t Hsts Ht; cbn [weights_of].
      - cbn in Ht. rewrite Nat.add_0_r in Ht. subst t. lia.
      - destruct (skipn_cons _ _ _ _ Hsts) as [_ Hrest]. cbn [length] in Ht.
        rewrite (weight_at_eq t (st :: sts)) by (try assumption; cbn [length]; lia).
        rewrite <- (IH (Datatypes.S t) Hrest ltac:(lia)). rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia.
        rewrite (Z.mul_comm p). cbn [S]. lia. }
    pose proof (Hsum (steps m) 0%nat eq_refl eq_refl) as Htotal. cbn [S] in Htotal.
    change (p ^ Z.of_nat 0)%Z with 1%Z in Htotal.
    pose (P := fun h : jhistory positive Z Z => (whole_sum (fst h) <= most * S (length (fst h)))%Z).
    assert (Has : almost_surely (jrun M pi T ([], s))
      (fun h' => P h' /\ jtime h' = (jtime (([], s) : jhistory positive Z Z) + T)%nat)).
    { apply as_jrun.
      - intros h0 a os x Ht HP Hin. unfold P in *. change (jhorizon M) with T in Ht.
        pose proof (most_of_label m (fun z => z) (jtime h0) _ _ _ _ Ht Hin) as H1. fold most in H1. cbn beta in H1.
        unfold jextend. cbn [fst whole_sum length S]. pose proof (weight_nonneg (length (fst h0))). nia.
      - cbn. unfold T. lia.
      - unfold P. cbn. lia. }
    revert Has. apply as_impl. intros h [HP Ht]. cbn [jtime fst length Nat.add] in Ht. unfold jtime in Ht.
    unfold P in HP.
    rewrite Ht in HP. split; [exact Ht|]. unfold largest_sum. fold most p q. lia.
  Qed.

  (** ** The table is below the cost of every policy *)

  Section Table.
    Variables (bottom : Z) (terminal : list (Z * Z)) (Fn : Z -> R) (pi : jpolicy positive Z Z).
    Hypothesis Hpi : is_jpolicy pi.
    Hypothesis Hal : plays_allowed M pi.
    Hypothesis Hfloor : forall y, IZR bottom <= Fn y.
    Hypothesis Hterminal : forall y x, In (y, x) terminal -> IZR x <= Fn y.
    Let value n h := E (jrun M pi n h) (fun h' => Fn (whole_sum (fst h'))).

    Lemma floor_of_value n h : IZR bottom <= value n h.
    Proof.
      apply E_ge_const; [apply law_jrun; [now apply is_jmdp_meaning | assumption]|]. apply as_always. intros h'.
      apply Hfloor.
    Qed.

    Lemma length_action_at w v ys a : length (action_at bottom w v ys a) = length ys.
    Proof.
      assert (Hgen : forall l acc, length acc = length ys -> length (outcomes_at bottom w v ys l acc) = length ys).
      { induction l as [|o l IH]; intros acc Hacc; cbn [outcomes_at]; [assumption|]. apply IH.
        revert acc Hacc. generalize (pairs_at v (next o)). clear. induction ys as [|z ys IH]; intros row [|x acc] H;
          try discriminate; cbn [add_at length] in *; [reflexivity|]. injection H as H. f_equal. now apply IH. }
      unfold action_at. rewrite map_length. apply Hgen. now rewrite map_length.
    Qed.

    Theorem returns_table_le : forall sts t sums h, skipn t (steps m) = sts -> (t + length sts = T)%nat -> jtime h = t
      ->
      forall x, In (whole_sum (fst h), x)
        (pairs_at (returns_table p q bottom terminal (p ^ Z.of_nat t) sums sts) (jstate h)) ->
      IZR x <= value (length sts) h.
    Proof.
      induction sts as [|st sts IH]; intros t sums h Hsts Hlen Ht x Hin.
      - cbn [returns_table] in Hin. unfold pairs_at in Hin. cbn [value_at] in Hin. unfold value. cbn [length jrun].
        rewrite E_ret. now apply Hterminal.
      - destruct (skipn_cons _ _ _ _ Hsts) as [Hst Hrest]. cbn [returns_table] in Hin.
        replace (p ^ Z.of_nat t * p)%Z with (p ^ Z.of_nat (S t))%Z in Hin
          by (rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia; ring).
        rewrite (weight_at_eq t (st :: sts) Hsts Hlen) in Hin.
        set (v := returns_table p q bottom terminal (p ^ Z.of_nat (S t)) (tl sums) sts) in *.
        unfold pairs_at at 1 in Hin. cbn [value_at] in Hin. rewrite get_tzip in Hin.
        destruct (get (jstate h) st) as [acts|] eqn:Ea; cbn [join] in Hin; [|now destruct Hin].
        unfold state_at in Hin. destruct (get (jstate h) (first_tree sums)) as [ys|]; cbn [join] in Hin;
          [|now destruct Hin].
        assert (Hacts : actions_at m t (jstate h) = acts) by (unfold actions_at; now rewrite Hst, Ea).
        assert (Hne : acts <> []) by now apply (listed_nonempty m Hm t st (jstate h)).
        set (y := whole_sum (fst h)) in *.
        (* the average of an action, and what it is at most *)
        assert (Hrow : forall a, In a acts -> forall i, znth (actions_at m t (jstate h)) i = Some a ->
          Forall2 (fun z x => z = y -> IZR x <= E (kernel M t (jstate h) i)
            (fun os => value (length sts) (jextend h i os))) ys (action_at bottom (weight_at t) v ys a)).
        { intros a Hina i Ha. destruct (action_facts m Hm _ _ _ _ Ha) as [Htot [Hwt _]].
          pose proof (IZR_lt _ _ Htot) as Htot'. rewrite (E_kernel m t (jstate h) i a _ Ha).
          set (B := fun o => value (length sts) (jextend h i (gain o, next o))).
          assert (Hsum : forall l A acc, (forall o, In o l -> In o (outcomes a)) ->
            Forall2 (fun z x => z = y -> IZR x <= A) ys acc ->
            Forall2 (fun z x => z = y -> IZR x <= A + sum l (fun o => IZR (weight o) * B o)) ys
              (outcomes_at bottom (weight_at t) v ys l acc)).
          { induction l as [|o l IHl]; intros A acc Hl H; cbn [outcomes_at sum].
            - revert H. apply Forall2_weaker. intros z x' Hx Hz. specialize (Hx Hz). lra.
            - rewrite <- Rplus_assoc. apply IHl; [intros; apply Hl; now right|].
              apply add_at_le; [apply Hwt, Hl; now left | apply floor_of_value | | assumption].
              intros x' Hx'. unfold B.
              assert (Htime : jtime (jextend h i (gain o, next o)) = S t)
                by (unfold jtime, jextend; cbn; unfold jtime in Ht; now rewrite Ht).
              apply (IH (S t) (tl sums) (jextend h i (gain o, next o)) Hrest ltac:(cbn in Hlen; lia) Htime).
              cbn [jextend fst whole_sum jstate snd]. unfold jtime in Ht. rewrite Ht. exact Hx'. }
          unfold action_at.
          assert (H0 : Forall2 (fun z x => z = y -> IZR x <= 0) ys (map (fun _ => 0%Z) ys)).
          { clear. induction ys as [|z ys IHy]; cbn [map]; constructor; [intros _; lra | assumption]. }
          specialize (Hsum (outcomes a) 0 _ (fun o Ho => Ho) H0). rewrite Rplus_0_l in Hsum.
          clear -Hsum Htot Htot'. induction Hsum as [|z x' ys' r' Hx Hs IHs]; cbn [map]; constructor; [|assumption].
          intros Hz. specialize (Hx Hz). eapply Rle_trans; [now apply floor_div_le|]. unfold Rdiv.
          rewrite Rmult_comm. apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat | exact Hx]. }
        unfold value. cbn [length]. rewrite E_jrun_S, E_jstep, Ht.
        apply E_ge_const; [apply Hpi|]. pose proof (Hal h ltac:(cbn; cbn in Hlen; unfold T in Hlen; lia)) as Has.
        rewrite Ht in Has. revert Has. apply as_impl. intros i Hi. apply allowed_listed in Hi; [|now rewrite Hacts].
        destruct Hi as [a Ha]. assert (Hina : In a acts) by (rewrite <- Hacts; now apply znth_In in Ha).
        set (after := E (kernel M t (jstate h) i) (fun os => value (length sts) (jextend h i os))).
        assert (Hleast : Forall2 (fun z x => z = y -> IZR x <= after) ys
          (least (map (action_at bottom (weight_at t) v ys) acts))).
        { apply (least_le (fun z x => z = y -> IZR x <= after) _ ys acts a);
            [| intros; apply length_action_at | exact Hina | exact (Hrow a Hina i Ha)].
          intros z x1 x2 Hle Hx Hz. apply IZR_le in Hle. specialize (Hx Hz). lra. }
        exact (in_combine_Forall2 _ _ _ _ _ Hleast Hin eq_refl).
    Qed.
  End Table.
End Sums.

(** ** The next of the returns listed *)

(** How many of z_1, ..., z_n are at least y, and the last of z_0, ..., z_n that is. *)
Fixpoint rank (l : list Z) (y : Z) : Z :=
  match l with z :: l' => if (y <=? z)%Z then (1 + rank l' y)%Z else 0%Z | [] => 0%Z end.
Fixpoint landing (z0 : Z) (l : list Z) (y : Z) : Z :=
  match l with z :: l' => if (y <=? z)%Z then landing z l' y else z0 | [] => z0 end.

Lemma rank_range l y : (0 <= rank l y <= zlen l)%Z.
Proof.
  induction l as [|z l IH]; cbn [rank zlen]; [lia|]. pose proof (zlen_nonneg l). destruct (y <=? z)%Z; lia.
Qed.

Lemma landing_range l y : forall z0, decreasing z0 l = true ->
  (z0 - zsum (fun w => w) (widths z0 l) <= landing z0 l y <= z0)%Z /\ (y <= z0 -> y <= landing z0 l y)%Z.
Proof.
  induction l as [|z l IH]; intros z0 H; cbn [widths zsum landing decreasing] in *; [lia|].
  apply andb_true_iff in H. destruct H as [H1 H2]. apply Z.ltb_lt in H1. destruct (IH z H2) as [I1 I2].
  assert (Hw : (0 <= zsum (fun w => w) (widths z l))%Z).
  { clear -H2. revert z H2. induction l as [|z' l IH]; intros z H; cbn [widths zsum decreasing] in *; [lia|].
    apply andb_true_iff in H. destruct H as [H1 H2]. apply Z.ltb_lt in H1. specialize (IH z' H2). lia. }
  destruct (Z.leb_spec y z); lia.
Qed.

(** Sums of as many equal terms as the widths say. *)
Fixpoint blocks (f g : Z -> R) (s k : Z) (ws : list Z) : Prop :=
  match ws with
  | [] => True
  | w :: ws' => (0 <= w)%Z /\ (forall j, (s <= j < s + w)%Z -> f j = g k) /\ blocks f g (s + w) (k + 1) ws'
  end.
Fixpoint weighted_steps (g : Z -> R) (k : Z) (ws : list Z) : R :=
  match ws with [] => 0 | w :: ws' => IZR w * g k + weighted_steps g (k + 1) ws' end.

Lemma sum_of_blocks f g ws : forall s k, blocks f g s k ws ->
  (0 <= zsum (fun w => w) ws)%Z /\
  sum_along f s (repeat tt (Z.to_nat (zsum (fun w => w) ws))) = weighted_steps g k ws.
Proof.
  induction ws as [|w ws IH]; intros s k H; [split; [cbn; lia | reflexivity]|]. destruct H as [Hw [Hj Hrest]].
  destruct (IH _ _ Hrest) as [I1 I2]. cbn [zsum weighted_steps]. split; [lia|].
  rewrite Z2Nat.inj_add, repeat_app, sum_along_app, zlen_repeat, Z2Nat.id, I2 by lia. f_equal.
  rewrite (sum_along_ext f (fun _ => g k)); [rewrite sum_along_const, zlen_repeat, Z2Nat.id by lia; ring|].
  intros i Hi. rewrite zlen_repeat in Hi. apply Hj. lia.
Qed.

Section Cover.
  Variables (m : model) (corners : rat -> list (rat * rat)) (G : R -> R).
  Hypothesis Hm : good_model m = true.
  Hypothesis HG : weighting G.
  Hypothesis Hcorners : forall p, ok p -> corners_to_1 (of_Z 0) (corners p) = true /\ forall tau,
    0 <= tau <= 1 -> real_of p <= tau -> polygon 0 0 (corners p) tau <= G tau.
  Let M := meaning m.

  Lemma wide_sum_correct V (F : Z -> R) costs : (0 < V)%Z -> (forall k, 0 <= F k <= 1) -> forall ws b k x,
    Forall (fun w => 0 <= w)%Z ws -> wide_sum V corners costs ws b = Some x -> inside F k b ->
    length costs = length b /\ length ws = length b /\
    IZR x <= IZR V * weighted_steps (fun j => G (F j)) k ws - cost_sum F k (zmap2 Z.mul costs ws).
  Proof.
    intros HV HF. induction costs as [|c costs IH]; intros [|w ws] [|[p q] b] k x Hws; cbn [wide_sum];
      try discriminate.
    - intros H _. injection H as <-. repeat split. cbn. lra.
    - destruct (least_on V c (of_Z 0) (of_Z 0) (corners p) p q) as [y|] eqn:Ey; [|discriminate].
      destruct (wide_sum V corners costs ws b) as [z|] eqn:Ez; [|discriminate]. intros H [Hp [Hq [Hb Hrest]]].
      injection H as <-. inversion Hws as [|w' ws' Hw Hws']; subst.
      destruct (IH ws b (k + 1)%Z z Hws' Ez Hrest) as [Hlen [Hlen' Hz]]. cbn [length]. split; [congruence|].
      split; [congruence|]. destruct (Hcorners p Hp) as [Hto1 Hbelow].
      destruct (least_on_correct V c p q HV Hp Hq (corners p) (of_Z 0) (of_Z 0) Hto1 (ok_of_Z 0) (ok_of_Z 0) (F k))
        as [y' [Hy' Hle]];
        [rewrite real_of_Z; apply HF | apply HF | left; intros E; rewrite E in Hto1; discriminate | assumption |].
      rewrite Ey in Hy'. injection Hy' as <-. rewrite !real_of_Z in Hle.
      cbn [zmap2 weighted_steps cost_sum]. rewrite plus_IZR, !mult_IZR.
      pose proof (Rmult_le_compat_l (IZR V) _ _ ltac:(apply IZR_lt in HV; lra) (Hbelow (F k) (HF k) (proj1 Hb))) as H1.
      apply IZR_le in Hw. pose proof (Rmult_le_compat_l (IZR w) _ _ Hw (Rle_trans _ _ _ Hle ltac:(apply
        Rplus_le_compat_r;
        exact H1))). lra.
  Qed.

  Lemma cost_of_landing costs : forall l z0 y acc x, decreasing z0 l = true ->
    In (y, x) (combine (z0 :: l) (partial_sums acc costs)) -> length costs = length l ->
    forall k, IZR x = IZR acc + cost_sum (fun j => is_above j (k + rank l y)) k costs /\ (y <= z0)%Z.
  Proof.
    induction costs as [|c costs IH]; intros l z0 y acc x Hdec Hin Hlen k.
    - destruct l; [|discriminate]. cbn in Hin. destruct Hin as [E|[]]. injection E as <- <-. cbn. split; [ring | lia].
    - destruct l as [|z l]; [discriminate|]. injection Hlen as Hlen. cbn [decreasing] in Hdec.
      apply andb_true_iff in Hdec. destruct Hdec as [Hz Hdec]. apply Z.ltb_lt in Hz.
      cbn [partial_sums] in Hin. cbn [combine] in Hin. destruct Hin as [E|Hin].
      + injection E as <- <-. split; [|lia]. cbn [rank]. destruct (Z.leb_spec z0 z); [lia|].
        rewrite Z.add_0_r, cost_sum_zero by lia. ring.
      + destruct (IH l z y (acc + c)%Z x Hdec Hin Hlen (k + 1)%Z) as [-> Hy]. split; [|lia].
        cbn [rank cost_sum]. destruct (Z.leb_spec y z); [|lia]. rewrite plus_IZR.
        replace (k + (1 + rank l y))%Z with (k + 1 + rank l y)%Z by lia.
        assert (is_above k (k + 1 + rank l y) = 1) as ->.
        { unfold is_above. pose proof (rank_range l y). destruct (Z.ltb_spec k (k + 1 + rank l y)); [reflexivity |
          lia]. }
        ring.
  Qed.

  Theorem polygon_by_returns_correct V returns boxes bound pi : ok bound ->
    polygon_by_returns m V returns boxes corners bound = true ->
    is_jpolicy pi -> plays_allowed M pi -> Phi G (jreturn_law M pi) <= real_of bound.
  Proof.
    intros Hb H Hpi Hal. unfold polygon_by_returns in H. destruct returns as [|z0 l]; [discriminate|].
    set (p := num (discount_rate m)) in *. set (q := den (discount_rate m)) in *.
    set (sums := all_sums _ p q 1 (start_sums m) (steps m)) in *. cbv zeta in H.
    repeat rewrite andb_true_iff in H. destruct H as [[[HV Hdec] Hlargest] Hcov].
    apply Z.ltb_lt in HV. apply Z.leb_le in Hlargest. pose proof (IZR_lt _ _ HV) as HV'.
    destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]]. pose proof (IZR_lt _ _ G4) as G4'.
    set (T := length (steps m)). set (H := full_history_law M pi).
    assert (HH : is_law H) by now apply law_H.
    pose proof (units_positive m Hm) as HU. pose proof (IZR_lt _ _ HU) as HU'.
    assert (Hunits : (reward_den m * rest_power q (steps m) = units m)%Z)
      by (unfold units, q; now rewrite rest_power_eq).
    rewrite Hunits in Hcov. set (need := rminus (of_Z z0) (rmult bound (of_Z (units m)))) in *.
    assert (Hneed : ok need /\ real_of need = IZR z0 - real_of bound * IZR (units m)).
    { unfold need. split; [auto using ok_rminus, ok_rmult, ok_of_Z|].
      rewrite real_rminus, real_rmult, !real_of_Z by auto using ok_rmult, ok_of_Z. reflexivity. }
    destruct Hneed as [Hokneed Hneed].
    set (y := fun h : jhistory positive Z Z => whole_sum m (fst h)).
    assert (Hends : almost_surely H (fun h => (y h <= z0)%Z /\ earned M (fst h) = IZR (y h) / IZR (units m))).
    { apply as_H. intros s. pose proof (whole_sum_le m Hm pi s) as Has. revert Has. apply as_impl. intros h [Hlen Hle].
      split; [unfold y; lia|]. pose proof (earned_whole m Hm (fst h) ltac:(lia)) as He. unfold y. rewrite <- He. fold M.
      field. lra. }
    set (X := fun h => rank l (y h)). set (Y := fun h => (z0 - landing z0 l (y h))%Z).
    set (ws := widths z0 l) in *. set (F := exceeds H X).
    assert (HF : forall j, 0 <= F j <= 1) by (intros j; now apply exceeds_range).
    assert (Hanti : forall i j, (i <= j)%Z -> F j <= F i) by (intros i j Hij; now apply exceeds_antitone).
    assert (HY : forall h, (0 <= Y h <= zsum (fun w => w) ws)%Z)
      by (intros h; unfold Y; destruct (landing_range l (y h) z0 Hdec) as [I1 _]; fold ws in I1; lia).
    assert (Hw1 : 0 < / IZR (units m)) by now apply Rinv_0_lt_compat.
    apply Rle_trans with (Phi G (image (fun h => IZR z0 / IZR (units m) - / IZR (units m) * IZR (Y h)) H)).
    { unfold jreturn_law. apply (Phi_mono_coupling G HG H); [assumption|]. revert Hends. apply as_impl.
      intros h [Hy ->]. unfold Y. rewrite minus_IZR. destruct (landing_range l (y h) z0 Hdec) as [_ I2].
      specialize (I2 Hy). apply IZR_le in I2. pose proof (Rmult_le_compat_l _ _ _ (Rlt_le _ _ Hw1) I2).
      unfold Rdiv. lra. }
    assert (Htotal : (0 <= zsum (fun w => w) ws)%Z) by (pose proof (HY ([], 1%positive)); lia).
    rewrite (Phi_eq_sum G H Y (IZR z0 / IZR (units m)) (/ IZR (units m)) HG HH Hw1 (zsum (fun w => w) ws) Htotal
      (as_always _ _ HY)).
    assert (Hblocks : blocks (fun j => G (exceeds H Y j)) (fun k => G (F k)) 0 0 ws).
    { assert (Hgen : forall l' z k, decreasing z l' = true ->
        (forall h, (y h <= z0)%Z -> ((y h <= z)%Z -> X h = (k + rank l' (y h))%Z /\
          landing z0 l (y h) = landing z l' (y h)) /\ ((z < y h)%Z -> (X h < k)%Z /\ (z < landing z0 l (y h))%Z)) ->
        blocks (fun j => G (exceeds H Y j)) (fun k => G (F k)) (z0 - z) k (widths z l')).
      { induction l' as [|z' l' IH]; intros z k Hd Hh; [exact I|]. cbn [decreasing] in Hd.
        apply andb_true_iff in Hd. destruct Hd as [Hz Hd]. apply Z.ltb_lt in Hz. cbn [widths blocks].
        split; [lia|]. split.
        - intros j Hj. f_equal. unfold F, exceeds. apply E_ext_as. revert Hends. apply as_impl. intros h [Hy _].
          destruct (Hh h Hy) as [H1 H2]. unfold Y.
          destruct (Z_le_gt_dec (y h) z) as [E|E].
          + destruct (H1 E) as [HX HL]. rewrite HX, HL. cbn [rank landing]. pose proof (rank_range l' (y h)).
            destruct (landing_range l' (y h) z' Hd) as [[_ I1] _].
            destruct (Z.leb_spec (y h) z').
            * destruct (Z.ltb_spec j (z0 - landing z' l' (y h))), (Z.ltb_spec k (k + (1 + rank l' (y h))));
                try reflexivity; lia.
            * destruct (Z.ltb_spec j (z0 - z)), (Z.ltb_spec k (k + 0)); try reflexivity; lia.
          + destruct (H2 ltac:(lia)) as [HX HL].
            destruct (Z.ltb_spec j (z0 - landing z0 l (y h))), (Z.ltb_spec k (X h)); try reflexivity; lia.
        - replace (z0 - z + (z - z'))%Z with (z0 - z')%Z by lia. apply (IH z' (k + 1)%Z Hd). intros h Hy.
          destruct (Hh h Hy) as [H1 H2]. split; intros E.
          + destruct (H1 ltac:(lia)) as [HX HL]. rewrite HX, HL. cbn [rank landing].
          destruct (Z.leb_spec (y h) z'); lia.
          + destruct (Z_le_gt_dec (y h) z) as [E'|E'].
            * destruct (H1 E') as [HX HL]. rewrite HX, HL. cbn [rank landing]. destruct (Z.leb_spec (y h) z'); lia.
            * destruct (H2 ltac:(lia)). lia. }
      replace 0%Z with (z0 - z0)%Z at 1 by lia. apply Hgen; [assumption|]. intros h Hy. split; [now split | lia]. }
    destruct (sum_of_blocks _ _ ws 0 0 Hblocks) as [_ ->].
    set (S := weighted_steps (fun k => G (F k)) 0 ws).
    assert (HS : real_of need <= S).
    { assert (Hlen0 : forall (k : list Z) i, length (along (fun _ => (of_Z 0, of_Z 1)) i k) = length k)
        by (induction k as [|z k IH]; intros i; cbn; [reflexivity | now rewrite IH]).
      apply (covered_correct F 1 0 (returns_dual_test m V z0 l sums corners need) (fun _ _ _ => false) (length l)
        (real_of need <= S) Hanti) with (c := boxes) (b := along (fun _ => (of_Z 0, of_Z 1)) 0 l);
        [lia | now left | | discriminate | apply Hlen0 | assumption | intros i _; apply inside_everything; auto].
      intros costs b Hlen Htest Hheld.
      assert (Hin : inside F 0 b)
        by (apply (inside_ext (fun k => F (k * 1 + 0)%Z)); [intros k; f_equal; lia | apply Hheld; lia]).
      unfold returns_dual_test in Htest. fold ws in Htest. set (wide := zmap2 Z.mul costs ws) in *.
      set (terminal := partial_sums 0 wide) in *. set (bottom := smallest 0 terminal) in *.
      destruct (wide_sum V corners costs ws b) as [x|] eqn:Ex; [|discriminate]. fold p q in Htest.
      set (row := rev' (combine (z0 :: l) terminal)) in *.
      set (v := returns_table p q bottom row 1 sums (steps m)) in *. cbv zeta in Htest.
      apply andb_true_iff in Htest. destruct Htest as [Hbot Htest].
      assert (Hws : Forall (fun w => 0 <= w)%Z ws).
      { unfold ws. clear -Hdec. revert z0 Hdec. induction l as [|z l IH]; intros z0 H; cbn [widths decreasing] in *;
          constructor; apply andb_true_iff in H; destruct H as [H1 H2]; [apply Z.ltb_lt in H1; lia | now apply IH]. }
      destruct (wide_sum_correct V F costs HV HF ws b 0 x Hws Ex Hin) as [Hl1 [Hl2 Hx]]. fold wide S in Hx.
      assert (Hlw : length wide = length l)
        by (unfold wide; rewrite length_zmap2 by congruence; congruence).
      set (Fn := fun z => cost_sum (fun j => is_above j (rank l z)) 0 wide).
      assert (Hfloor : forall z, IZR bottom <= Fn z).
      { intros z. unfold Fn. pose proof (rank_range l z) as Hr.
        destruct (znth terminal (rank l z - 0)) as [w|] eqn:Ew.
        - pose proof (partial_sums_correct wide 0 0 (rank l z) w ltac:(lia) Ew) as Hw. rewrite Rplus_0_l in Hw.
          rewrite <- Hw. apply IZR_le. rewrite forallb_forall in Hbot. apply znth_In, Hbot in Ew.
          now apply Z.leb_le in Ew.
        - exfalso. assert (Hgen : forall (k : list Z) i, (0 <= i < zlen k)%Z -> znth k i <> None).
          { induction k as [|z' k IH]; intros i Hi; cbn [zlen znth] in *; [lia|].
            destruct (Z.eqb_spec i 0); [discriminate|]. apply IH; lia. }
          assert (Hz : forall X (k : list X), zlen k = Z.of_nat (length k))
            by (intros X0 k; induction k as [|z' k IH]; cbn [zlen length]; lia).
          apply (Hgen terminal (rank l z - 0)%Z); [|assumption]. unfold terminal. rewrite zlen_partial_sums, !Hz, Hlw.
          rewrite Hz in Hr. lia. }
      assert (Hterminal : forall z w, In (z, w) row -> IZR w <= Fn z).
      { intros z w Hzw. unfold row in Hzw. unfold rev' in Hzw. rewrite <- rev_alt in Hzw. apply in_rev in Hzw.
        destruct (cost_of_landing wide l z0 z 0 w Hdec Hzw Hlw 0%Z) as [-> _].
        rewrite Z.add_0_l. unfold Fn. lra. }
      pose proof (returns_table_le m Hm bottom row Fn pi Hpi Hal Hfloor Hterminal (steps m) 0 sums) as Htable.
      cbn [Z.of_nat] in Htable. rewrite Z.pow_0_r in Htable. fold p q v in Htable.
      assert (Hdual : IZR (at_start m bottom v) <= IZR (initial_den m) * cost_sum F 0 wide).
      { unfold F. rewrite <- E_cost_sum. unfold H. rewrite (E_H m pi). unfold M. rewrite (E_init m).
        rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. unfold at_start. rewrite IZR_zsum. apply sum_le.
        intros [s w] Hsw. cbn [fst snd]. rewrite mult_IZR. apply Rmult_le_compat_l.
        - apply IZR_le. destruct (good_facts m Hm) as [_ [_ [_ [_ [G5 _]]]]]. rewrite forallb_forall in G5.
          specialize (G5 _ Hsw). now apply Z.leb_le in G5.
        - apply cost_at_le.
          + apply E_ge_const; [apply law_jrun; [now apply is_jmdp_meaning | assumption]|]. apply as_always. intros h.
            exact (Hfloor (y h)).
          + intros w' Hw'. exact (Htable ([], s) eq_refl eq_refl eq_refl w' Hw'). }
      apply rat_le_correct in Htest; [|assumption | apply ok_rplus; unfold ok; cbn [den];
        [now apply Z.mul_pos_pos | assumption]].
      rewrite real_rplus in Htest by (unfold ok; cbn [den]; try apply Z.mul_pos_pos; assumption).
      unfold real_of at 2 3 in Htest. cbn [num den] in Htest. rewrite mult_IZR in Htest.
      apply Rmult_le_reg_l with (IZR V); [assumption|].
      set (e := cost_sum F 0 wide) in *. set (sl := IZR (at_start m bottom v)) in *.
      assert (Hs1 : sl / IZR (initial_den m) <= e).
      { apply Rmult_le_reg_l with (IZR (initial_den m)); [assumption|].
        replace (IZR (initial_den m) * (sl / IZR (initial_den m))) with sl by (field; lra). lra. }
      assert (Ht1 : IZR V * real_of need <= sl / IZR (initial_den m) + IZR x).
      { apply Rle_trans with (IZR V * (sl / (IZR V * IZR (initial_den m)) + IZR x / IZR V)).
        - apply Rmult_le_compat_l; lra.
        - right. field. lra. }
      lra. }
    rewrite Hneed in HS. apply (Rmult_le_compat_l (/ IZR (units m))) in HS; [|lra].
    replace (/ IZR (units m) * (IZR z0 - real_of bound * IZR (units m))) with (IZR z0 / IZR (units m) - real_of bound)
      in HS by (field; lra). lra.
  Qed.
End Cover.
