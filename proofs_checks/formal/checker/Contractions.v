(** * Covers with contractions are sound

    [polygon_by_contraction_correct]: an accepted upper bound exceeds the objective of every policy.

    Among the mixtures of strategies one is best ([Strategies.v]); it is inside every box that the tree comes to, and
    wherever it comes with positive probability it plays what is kept.  A contraction removes nothing that it plays
    ([contract_correct]): the greedy strategy would be better to first order. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective ObjectiveFacts JointModel Rows Tree Program Check PolygonCheck
  CellsCheck ContractCheck Meaning ModelFacts RatFacts Averages TablesBelow TablesAbove Budgets Means CostBounds
  PolygonObjective PolygonRoute CellEnds CellCover Strategies KeptTables BoxSlopes ContractCells.
Import ListNotations.
Open Scope R_scope.

(** ** Strategies that are put together *)

Definition label_eq : forall x y : Z * positive, {x = y} + {x <> y}.
Proof. decide equality; [apply Pos.eq_dec | apply Z.eq_dec]. Defined.

(** A choice for each of finitely many outcomes. *)
Lemma choose_next {Y} (P : Z * positive -> Y -> Prop) (d : Z * positive -> Y) l :
  (forall os, In os l -> exists z, P os z) ->
  exists f, (forall os, In os l -> P os (f os)) /\ forall os, ~ In os l -> f os = d os.
Proof.
  induction l as [|os l IH]; intros H; [exists d; split; [intros os [] | reflexivity]|].
  destruct IH as [f [H1 H2]]; [intros; apply H; now right|]. destruct (H os (or_introl eq_refl)) as [z Hz].
  exists (fun x => if label_eq x os then z else f x). split; intros x Hx; destruct (label_eq x os) as [->|Hne].
  - assumption.
  - apply H1. destruct Hx as [->|Hx]; [congruence | assumption].
  - exfalso. apply Hx. now left.
  - apply H2. intros Hin. apply Hx. now right.
Qed.

Lemma floor_div_gt x d : (0 < d)%Z -> IZR x / IZR d <= IZR (x / d) + 1.
Proof.
  intros H. pose proof (Z.mul_succ_div_gt x d H) as Hm. assert (Hle : (x <= d * (x / d + 1))%Z) by lia.
  apply IZR_le in Hle. rewrite mult_IZR, plus_IZR in Hle. apply IZR_lt in H.
  apply Rmult_le_reg_r with (IZR d); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma zlen_length {X} (l : list X) : zlen l = Z.of_nat (length l).
Proof. induction l as [|x l IH]; cbn [zlen length]; lia. Qed.

(** ** Cells bound strategies *)

Section Cells.
  Variables (m : model) (g : grid) (V : Z) (rs : list (Z * Z)) (costs : list Z) (keep kept' : kept).
  Hypothesis Hm : good_model m = true.
  Hypothesis Hg : good_grid g = true.
  Hypothesis Hshift : is_shift g = true.
  Hypothesis HV : (0 < V)%Z.
  Let M := meaning m.
  Let T := length (steps m).
  Let last := window_start g T.

  (** V where the last index exceeds coordinate k; and the costs. *)
  Definition level (k b : Z) : R := IZR V * index_beyond last k b.
  Definition tilt (b : Z) : R := cost_sum (fun j => is_above j (b - last)) 0 costs.

  (** What is known of a strategy where it comes: to play another one from there on is no better to first order. *)
  Variable stationary : nat -> positive -> Z -> strategy -> Prop.
  Hypothesis Hstationary : forall n t s b y z, (t + n = T)%nat -> stationary t s b y -> plays m n t s z ->
    IZR V * (playout m g n t s b y tilt - playout m g n t s b z tilt) <=
    gained (fun k => playout m g n t s b y (level k)) (fun k => playout m g n t s b z (level k)) 0 rs.

  Definition contracted_from (t : nat) (ws : list (Z * Z)) (reached : reach_rows) (sts : list step) : contraction :=
    contract_steps m g V last rs costs (rate_at m g t) (skipn t keep) ws reached sts.

  Lemma level_range k b : 0 <= level k b <= IZR V.
  Proof. pose proof (IZR_lt _ _ HV). unfold level, index_beyond. destruct (k <? b - last)%Z; lra. Qed.

  (** *** How far an index can move *)

  Lemma moved_by t label b : moved m g t label b = (b - charge (rate_at m g t) (Outcome 0 label 1))%Z.
  Proof. unfold moved. now apply move_shift. Qed.

  Lemma charges t st s i os p b : nth_error (steps m) t = Some st -> In (os, p) (kernel M t s i) ->
    (b - most_charge (rate_at m g t) st <= moved m g t (fst os) b <= b - least_charge (rate_at m g t) st)%Z.
  Proof.
    intros Hst Hin. rewrite moved_by. unfold most_charge, least_charge.
    destruct (in_kernel m t s i os p Hin) as [->|[a [o [Ha [Ho ->]]]]]; cbn [fst].
    - assert (Hz : charge (rate_at m g t) (Outcome 0 0 1) = 0%Z) by (unfold charge, cdiv; cbn; reflexivity).
      rewrite Hz. match goal with |- (_ - tlargest ?f _ <= _ <= _ - - tlargest ?f' _)%Z =>
        pose proof (tlargest_nonneg f st); pose proof (tlargest_nonneg f' st) end. lia.
    - unfold actions_at in Ha. rewrite Hst in Ha. destruct (get s st) as [acts|] eqn:Es; [|discriminate].
      change (charge (rate_at m g t) (Outcome 0 (gain o) 1)) with (charge (rate_at m g t) o).
      pose proof (znth_In _ _ _ Ha) as Hact. set (r := rate_at m g t).
      pose proof (tlargest_get (largest (fun a => largest (charge r) (outcomes a))) st s acts Es) as H1.
      pose proof (tlargest_get (largest (fun a => largest (fun o => - charge r o)%Z (outcomes a))) st s acts Es) as H2.
      pose proof (largest_ge (fun a => largest (charge r) (outcomes a)) acts a Hact) as H3.
      pose proof (largest_ge (fun a => largest (fun o => - charge r o)%Z (outcomes a)) acts a Hact) as H4.
      pose proof (largest_ge (charge r) (outcomes a) o Ho) as H5.
      pose proof (largest_ge (fun o => - charge r o)%Z (outcomes a) o Ho) as H6. cbn beta in *. lia.
  Qed.

  (** Before its row a law is 1, behind it 0. *)
  Lemma level_outside : forall sts t ws, skipn t (steps m) = sts -> skipn t (windows g) = ws ->
    all_never_below m g (rate_at m g t) ws sts = true -> forall reached s b x k, plays m (length sts) t s x ->
    let found := contracted_from t ws reached sts in
    ((k < b - spent found - last)%Z -> playout m g (length sts) t s b x (level k) = IZR V) /\
    ((b - spent found - last + open found <= k)%Z -> playout m g (length sts) t s b x (level k) = 0).
  Proof.
    induction sts as [|st sts IH]; intros t ws Hsts Hws Hnb reached s b x k Hplays found.
    - unfold found, contracted_from. cbn [contract_steps spent open length playout]. unfold level, index_beyond.
      destruct (Z.ltb_spec k (b - last)); split; intros; try lia; ring.
    - destruct (skipn_cons _ _ _ _ Hsts) as [Hst Hrest]. cbn [all_never_below] in Hnb.
      destruct ws as [|[lo hi] [|[lo' hi'] ws]]; try discriminate. apply andb_true_iff in Hnb. destruct Hnb as [_ Hnb].
      destruct (skipn_cons _ _ _ _ Hws) as [_ Hwrest]. cbn [tl] in Hnb.
      destruct x as [|i nx]; [destruct Hplays|]. cbn [length plays] in Hplays. destruct Hplays as [_ Hplays].
      unfold found, contracted_from. cbn [contract_steps spent open length playout tl]. rewrite <- skipn_tl.
      change (rate_next m g (rate_at m g t)) with (rate_at m g (S t)).
      set (reached' := reach_after _ _ _ _ _ _). fold (contracted_from (S t) ((lo', hi') :: ws) reached' sts).
      assert (Hlaw : is_law (kernel M t s i)) by apply (kernel_law _ (is_jmdp_meaning m Hm)).
      split; intros Hk.
      + transitivity (E (kernel M t s i) (fun _ => IZR V)); [|now apply E_const]. apply E_ext_as. intros os p Hin _.
        apply (IH (S t) ((lo', hi') :: ws) Hrest Hwrest Hnb reached'); [apply Hplays|].
        pose proof (charges t st s i os p b Hst Hin). lia.
      + transitivity (E (kernel M t s i) (fun _ => 0)); [|apply E_zero]. apply E_ext_as. intros os p Hin _.
        apply (IH (S t) ((lo', hi') :: ws) Hrest Hwrest Hnb reached'); [apply Hplays|].
        pose proof (charges t st s i os p b Hst Hin). lia.
  Qed.

  Lemma outside_row sts t ws reached s b x k row : skipn t (steps m) = sts -> skipn t (windows g) = ws ->
    all_never_below m g (rate_at m g t) ws sts = true -> plays m (length sts) t s x ->
    let found := contracted_from t ws reached sts in let j := (k - (b - spent found - last))%Z in
    zlen row = Z.max 0 (open found) -> ~ (0 <= j < zlen row)%Z ->
    playout m g (length sts) t s b x (level k) = IZR (at_row V row j).
  Proof.
    intros Hsts Hws Hnb Hplays found j Hrow Hj.
    destruct (level_outside sts t ws Hsts Hws Hnb reached s b x k Hplays) as [H1 H2]. fold found in H1, H2.
    destruct (Z.ltb_spec j 0) as [Hneg|Hpos].
    - rewrite at_row_before by assumption. apply H1. unfold j in *. lia.
    - rewrite at_row_behind by lia. apply H2. unfold j in *. lia.
  Qed.

  (** *** What a cell cell_says *)

  Definition attains (n t : nat) (s : positive) (b k0 : Z) (c : law_cell) : Prop :=
    exists z, plays m n t s z /\ playout m g n t s b z tilt <= IZR (own_cost c) /\
      forall k, IZR (at_row V (own_law c) (k - k0)) <= playout m g n t s b z (level k) <=
        IZR (at_row V (own_law c) (k - k0)) + INR n.
  Definition cell_bounds (n t : nat) (s : positive) (b k0 : Z) (c : law_cell) (y : strategy) : Prop :=
    IZR (cost c) <= playout m g n t s b y tilt /\
    forall k, IZR (at_row V (least_law c) (k - k0)) <= playout m g n t s b y (level k) <=
      IZR (at_row V (most_law c) (k - k0)).
  Definition cell_says (n t : nat) (s : positive) (b k0 width : Z) (c : law_cell) : Prop :=
    rows_of_width width c /\ attains n t s b k0 c /\
    forall y, plays m n t s y -> throughout m g stationary n t s b y ->
      throughout m g (keeps_here g keep) n t s b y ->
      throughout m g (keeps_here g kept') n t s b y /\ cell_bounds n t s b k0 c y.

  (** *** Averages *)

  Section Action.
    Variables (sts : list step) (t : nat) (ws : list (Z * Z)) (s : positive) (b i : Z) (a : action).
    Variables (k0 most : Z) (width : list unit) (c : outcome -> law_cell).
    Let n := length sts.
    Let r := rate_at m g t.
    Let k1 (o : outcome) : Z := (k0 + most - charge r o)%Z.
    Hypothesis Ha : znth (actions_at m t s) i = Some a.
    Let average := average_cell V width (fun o => most - charge r o)%Z c a.
    (** Where a row ends the law is known. *)
    Hypothesis Houtside : forall y row k, plays m (S n) t s y -> zlen row = zlen width ->
      ~ (0 <= k - k0 < zlen row)%Z -> playout m g (S n) t s b y (level k) = IZR (at_row V row (k - k0)).

    Lemma width_of_average : rows_of_width (zlen width) average.
    Proof. unfold rows_of_width, average, average_cell. cbn [own_law least_law most_law]. now rewrite !zlen_along. Qed.

    Lemma inside_or_not k : (0 <= k - k0 < zlen width)%Z \/ ~ (0 <= k - k0 < zlen width)%Z.
    Proof. lia. Qed.

    Lemma average_bounds nx : plays m (S n) t s (Play i nx) ->
      (forall o, In o (outcomes a) -> (0 < weight o)%Z ->
        cell_bounds n (S t) (next o) (move g r o b) (k1 o) (c o) (nx (gain o, next o))) ->
      cell_bounds (S n) t s b k0 average (Play i nx).
    Proof.
      intros Hplays H. destruct (action_facts m Hm t s i a Ha) as [Htot _]. split.
      - unfold average, average_cell. cbn [cost]. eapply Rle_trans; [now apply floor_div_le|].
        apply (average_le m g Hm n t s b i nx a _ Ha). intros o Ho Hw. now apply H.
      - intros k. destruct (inside_or_not k) as [Hin|Hout].
        2:{ destruct width_of_average as [_ [W2 W3]].
          rewrite <- (Houtside _ _ k Hplays W2) by now rewrite W2.
          rewrite <- (Houtside _ _ k Hplays W3) by now rewrite W3. lra. }
        unfold average, average_cell. cbn [least_law most_law]. rewrite !at_row_along by assumption.
        assert (Hk : forall o, (k - k0 - (most - charge r o) = k - k1 o)%Z) by (intros; unfold k1; lia). split.
        + eapply Rle_trans; [now apply floor_div_le|].
          apply (average_le m g Hm n t s b i nx a _ Ha). intros o Ho Hw. rewrite Hk. now apply (proj2 (H o Ho Hw)).
        + eapply Rle_trans; [|now apply le_cdiv_div].
          apply (average_ge m g Hm n t s b i nx a _ Ha). intros o Ho Hw. rewrite Hk. now apply (proj2 (H o Ho Hw)).
    Qed.

    Lemma average_attains :
      (forall o, In o (outcomes a) -> attains n (S t) (next o) (move g r o b) (k1 o) (c o)) ->
      (forall o o', In o (outcomes a) -> In o' (outcomes a) -> gain o = gain o' -> next o = next o' -> c o = c o') ->
      attains (S n) t s b k0 average.
    Proof.
      intros H Hsame. destruct (action_facts m Hm t s i a Ha) as [Htot [_ Hweights]].
      set (good os z := plays m n (S t) (snd os) z /\ forall o, In o (outcomes a) -> (gain o, next o) = os ->
        playout m g n (S t) (next o) (move g r o b) z tilt <= IZR (own_cost (c o)) /\
        forall k, IZR (at_row V (own_law (c o)) (k - k1 o)) <= playout m g n (S t) (next o) (move g r o b) z (level
          k) <=
          IZR (at_row V (own_law (c o)) (k - k1 o)) + INR n).
      destruct (choose_next good (fun _ => idle n) (map (fun o => (gain o, next o)) (outcomes a))) as [nx [H1 H2]].
      { intros os Hos. apply in_map_iff in Hos. destruct Hos as [o [<- Ho]]. destruct (H o Ho) as [z [Hz [Hc Hl]]].
        exists z. split; [exact Hz|]. intros o' Ho' E. injection E as E1 E2. rewrite (Hsame o' o Ho' Ho E1 E2), E2.
        unfold k1, move, charge. rewrite E1. now split. }
      assert (Hnext : forall o, In o (outcomes a) -> good (gain o, next o) (nx (gain o, next o))).
      { intros o Ho. apply H1, in_map_iff. now exists o. }
      assert (Hplays : plays m (S n) t s (Play i nx)).
      { split; [right; now exists a|]. intros os.
        destruct (in_dec label_eq os (map (fun o => (gain o, next o)) (outcomes a))) as [Hin|Hout];
          [apply (H1 os Hin) | rewrite (H2 os Hout); apply plays_idle]. }
      exists (Play i nx). split; [exact Hplays|]. split.
      - unfold average, average_cell. cbn [own_cost]. eapply Rle_trans; [|now apply le_cdiv_div].
        apply (average_ge m g Hm n t s b i nx a _ Ha). intros o Ho _. now apply (proj2 (Hnext o Ho)).
      - intros k. destruct (inside_or_not k) as [Hin|Hout].
        2:{ destruct width_of_average as [W1 _]. pose proof (pos_INR (S n)).
          rewrite <- (Houtside _ _ k Hplays W1) by now rewrite W1. lra. }
        unfold average, average_cell. cbn [own_law]. rewrite !at_row_along by assumption.
        assert (Hk : forall o, (k - k0 - (most - charge r o) = k - k1 o)%Z) by (intros; unfold k1; lia). split.
        + eapply Rle_trans; [now apply floor_div_le|].
          apply (average_le m g Hm n t s b i nx a _ Ha). intros o Ho _. rewrite Hk.
          now apply (proj2 (proj2 (Hnext o Ho) o Ho eq_refl)).
        + apply Rle_trans with (IZR (zsum (fun o => weight o *
            (at_row V (own_law (c o)) (k - k0 - (most - charge r o)) + Z.of_nat n))%Z (outcomes a)) / IZR (total a)).
          * apply (average_ge m g Hm n t s b i nx a _ Ha). intros o Ho _. rewrite Hk, plus_IZR, <- INR_IZR_INZ.
            now apply (proj2 (proj2 (Hnext o Ho) o Ho eq_refl)).
          * rewrite (zsum_ext _ (fun o => weight o * at_row V (own_law (c o)) (k - k0 - (most - charge r o)) +
              Z.of_nat n * weight o)%Z) by (intros; ring).
            rewrite Mixing.zsum_plus, Mixing.zsum_scal, Hweights, plus_IZR, mult_IZR, <- INR_IZR_INZ, S_INR.
            pose proof (floor_div_gt (zsum (fun o => weight o * at_row V (own_law (c o))
              (k - k0 - (most - charge r o)))%Z (outcomes a)) (total a) Htot) as Hgt.
            apply IZR_lt in Htot. unfold Rdiv in *. rewrite Rmult_plus_distr_r, Rmult_assoc, Rinv_r by lra. lra.
    Qed.
  End Action.

  (** *** One step *)

  Lemma contracted_step t st sts lo hi lo' hi' ws reached :
    let r := rate_at m g t in let most := most_charge r st in
    let found := contracted_from t ((lo, hi) :: (lo', hi') :: ws) reached (st :: sts) in
    exists reached', let after := contracted_from (S t) ((lo', hi') :: ws) reached' sts in
    (spent found = spent after + most)%Z /\ tl (kept_after found) = kept_after after /\
    forall s, match get s st with
    | None => cells_at (layer found) s = []
    | Some acts => exists l,
        cells_at (layer found) s = map (option_map snd) l /\
        get s (first_tree (kept_after found)) = Some (spans_of acts (map flags_found l)) /\
        (l = [] \/ exists places, (last <= lo - spent found)%Z /\ zlen places = zlen (counter lo hi) /\
          l = contract_state V (zlen (st :: sts)) (map (fun _ => 0%Z) (counter 1 (open found)))
            (zskip (lo - spent found - last) rs) (columns (get s (first_tree (skipn t keep))) acts (counter lo hi)) acts
            (map (stream_of r most lo lo' (layer after)) acts) places)
    end.
  Proof.
    intros r most found. eexists. unfold found, contracted_from.
    cbn [contract_steps spent open kept_after layer tl first_tree].
    rewrite <- skipn_tl. change (rate_next m g (rate_at m g t)) with (rate_at m g (S t)).
    set (reached' := reach_after _ _ _ _ _ _).
    set (after := contract_steps m g V last rs costs (rate_at m g (S t)) _ _ _ sts).
    fold r most. split; [reflexivity|]. split; [reflexivity|].
    intros s. unfold cells_at. cbn [value_at]. rewrite !get_tmap, !get_tzip.
    destruct (get s st) as [acts|]; [|reflexivity]. cbn [option_map join fst snd]. eexists. split; [reflexivity|].
    split; [reflexivity|]. destruct (get s reached) as [places|]; [|now left].
    destruct ((last <=? _)%Z && _) eqn:E; [right | now left]. apply andb_true_iff in E. destruct E as [E1 E2].
    apply Z.leb_le in E1. apply Z.eqb_eq in E2. exists places. now repeat split.
  Qed.

  Theorem contract_correct : forall sts t ws, skipn t (steps m) = sts -> skipn t (windows g) = ws ->
    (t + length sts = T)%nat -> all_never_below m g (rate_at m g t) ws sts = true ->
    forall reached, let found := contracted_from t ws reached sts in kept_after found = skipn t kept' -> forall s b c,
    (window_start g t <= b)%Z -> znth (cells_at (layer found) s) (b - window_start g t) = Some (Some c) ->
    cell_says (length sts) t s b (b - spent found - last) (Z.max 0 (open found)) c.
  Proof.
    pose proof (IZR_lt _ _ HV) as HV'.
    induction sts as [|st sts IH]; intros t ws Hsts Hws Hlen Hnb reached found Hkept s b c Hb Hc.
    - (* at the end *)
      assert (Ht : t = T) by (cbn in Hlen; lia). rewrite Ht in Hb, Hc. fold last in Hb, Hc.
      unfold found, contracted_from in *. cbn [contract_steps layer kept_after spent open] in *.
      unfold cells_at in Hc. cbn [value_at] in Hc. rewrite znth_map in Hc.
      destruct (znth (partial_sums 0 costs) (b - last)) as [x|] eqn:Ex; [|discriminate]. injection Hc as <-.
      assert (Hx : IZR x = tilt b).
      { replace (b - last)%Z with (b - last - 0)%Z in Ex by lia.
        rewrite (partial_sums_correct costs 0 0 (b - last) x ltac:(lia) Ex). unfold tilt. ring. }
      assert (Hlevel : forall k, IZR (at_row V [] (k - (b - 0 - last))) = level k b).
      { intros k. unfold level, index_beyond. destruct (Z.ltb_spec k (b - last)).
        - rewrite at_row_before by lia. ring.
        - rewrite at_row_behind by (cbn [zlen]; lia). ring. }
      split; [now repeat split|]. split.
      + exists Stop. cbn [length plays playout own_cost own_law INR]. split; [exact I|]. split; [lra|].
        intros k. rewrite Hlevel. lra.
      + intros y _ _ _. cbn [length playout cost least_law most_law throughout]. split.
        * split; [|now destruct y]. destruct y as [|i nx]; [exact I|]. unfold keeps_here, is_kept_at.
          rewrite <- Hkept. cbn [first_tree]. now destruct s.
        * unfold cell_bounds. cbn [cost least_law most_law]. split; [cbn [playout]; lra|]. intros k. rewrite Hlevel. cbn
          [playout].
          lra.
    - destruct (skipn_cons _ _ _ _ Hsts) as [Hst Hrest]. cbn [all_never_below] in Hnb.
      pose proof Hnb as Hnb0. destruct ws as [|[lo hi] [|[lo' hi'] ws]]; try discriminate. apply andb_true_iff in Hnb.
      destruct Hnb as [Hbelow Hnb]. destruct (skipn_cons _ _ _ _ Hws) as [Hw Hwrest]. cbn [tl] in Hnb.
      destruct (skipn_cons _ _ _ _ Hwrest) as [Hw' _].
      assert (Hlo : window_start g t = lo) by (unfold window_start; now rewrite Hw).
      assert (Hlo' : window_start g (S t) = lo') by (unfold window_start; now rewrite Hw').
      rewrite Hlo in Hb, Hc.
      destruct (contracted_step t st sts lo hi lo' hi' ws reached) as [reached' [Hspent [Htail Hcells]]].
      fold found in Hspent, Htail, Hcells.
      set (r := rate_at m g t) in *. set (most := most_charge r st) in *.
      set (after := contracted_from (S t) ((lo', hi') :: ws) reached' sts) in *. specialize (Hcells s).
      destruct (get s st) as [acts|] eqn:Eacts; [|rewrite Hcells in Hc; discriminate].
      destruct Hcells as [l [Hcells [Hflags Hl]]]. rewrite Hcells, znth_map in Hc.
      destruct (znth l (b - lo)) as [[[still c']|]|] eqn:Efc; try discriminate. injection Hc as Hc. cbn [snd] in Hc.
      subst c'. assert (Hkeep' : forall i a, znth acts i = Some a -> is_kept_at g kept' t s b i = flag_at still i).
      { intros i a Ha. unfold is_kept_at. rewrite <- Hkept, Hflags, Hlo, (kept_in_spans_of _ _ _ a) by assumption.
        now rewrite znth_map, Efc. }
      destruct Hl as [->|[places [Hleft [Hplaces ->]]]]; [discriminate|].
      apply state_cells_at in Efc. destruct Efc as [Hb' Hcell].
      set (k0 := (b - spent found - last)%Z). assert (Hk0 : (0 <= k0)%Z) by (unfold k0; lia).
      assert (Hskip : zskip (b - lo) (zskip (lo - spent found - last) rs) = zskip k0 rs).
      { rewrite <- (zskip_zskip rs (lo - spent found - last) k0) by (unfold k0; lia). f_equal. unfold k0. lia. }
      rewrite Hskip, map_map in Hcell. unfold contract_cell in Hcell.
      set (flags := map (zskip (b - lo)) (columns (get s (first_tree (skipn t keep))) acts (counter lo hi))) in *.
      set (streams := map (fun a => skip_stream (b - lo) (stream_of r most lo lo' (layer after) a)) acts) in *.
      destruct (kept_parts flags acts streams) as [each|] eqn:Eparts; [|discriminate].
      destruct (greediest each) as [[cost0 best]|] eqn:Ebest; [|discriminate].
      set (room := map (fun _ => 0%Z) (counter 1 (open found))) in *.
      destruct (still_kept V _ room _ _ _ each) as [still' [[low high]|]] eqn:Estill; [|discriminate].
      injection Hcell as <- <-.
      assert (Hacts : actions_at m t s = acts) by (unfold actions_at; now rewrite Hst, Eacts).
      set (child := fun o => cell_at (layer after) (next o) (b - charge r o - lo')).
      set (width := counter 1 (open found)) in *.
      assert (Hwidth : zlen width = Z.max 0 (open found)) by (unfold width; rewrite zlen_counter; lia).
      set (avg := fun a => average_cell V width (fun o => (most - charge r o)%Z) child a).
      (* the parts of the actions, and the cells of their outcomes *)
      destruct (kept_parts_at _ _ _ _ Eparts) as [Hin Hout].
      assert (Hpart : forall i a x, znth acts i = Some a ->
        stream_heads (skip_stream (b - lo) (stream_of r most lo lo' (layer after) a)) = Some x ->
        (forall o, In o (outcomes a) -> (charge r o <= most)%Z) /\
        x = map (fun o => (weight o, (most - charge r o)%Z, child o)) (outcomes a) /\
        forall o, In o (outcomes a) -> cell_says (length sts) (S t) (next o) (move g r o b) (k0 + most - charge r o)
          (Z.max 0 (open after)) (child o)).
      { intros i a x Ha Hx.
        assert (Hcharge : forall o, In o (outcomes a) -> (0 <= lo - charge r o - lo' /\ charge r o <= most)%Z).
        { intros o Ho. unfold never_below in Hbelow. apply andb_true_iff in Hbelow. destruct Hbelow as [_ Htall].
          pose proof (tall_get _ _ _ _ Htall Eacts) as Hall. rewrite forallb_forall in Hall.
          specialize (Hall a (znth_In _ _ _ Ha)). rewrite forallb_forall in Hall. specialize (Hall o Ho).
          apply Z.leb_le in Hall. fold r in Hall. rewrite move_shift in Hall by assumption. split; [lia|].
          unfold most, most_charge.
          eapply Z.le_trans; [|apply (tlargest_get _ _ _ _ Eacts)].
          eapply Z.le_trans; [|apply (largest_ge _ _ a), (znth_In _ _ _ Ha)].
          apply (largest_ge (charge r) (outcomes a) o Ho). }
        destruct (heads_at r most lo lo' (layer after) (b - lo) ltac:(lia) _ _ (fun o Ho => proj1 (Hcharge o Ho)) Hx)
          as [Heq Hchild]. replace (lo + (b - lo))%Z with b in Heq, Hchild by lia.
        split; [intros o Ho; now apply Hcharge|]. split; [exact Heq|].
        intros o Ho. specialize (Hchild o Ho). destruct (Hcharge o Ho) as [H1 _].
        rewrite (move_shift g r o b Hshift).
        replace (k0 + most - charge r o)%Z with (b - charge r o - spent after - last)%Z
          by (unfold k0; rewrite Hspent; lia).
        apply (IH (S t) ((lo', hi') :: ws) Hrest Hwrest ltac:(cbn [length] in Hlen; lia) Hnb reached').
        - fold after. rewrite skipn_tl, <- Hkept. now symmetry.
        - rewrite Hlo'. lia.
        - rewrite Hlo'. exact Hchild. }
      assert (Hparts : forall a (x : parts), (forall o, In o (outcomes a) -> (charge r o <= most)%Z) ->
        x = map (fun o => (weight o, (most - charge r o)%Z, child o)) (outcomes a) ->
        least_cost (total a, x) = cost (avg a) /\
        cdiv (sum_costs own_cost (snd (total a, x))) (fst (total a, x)) = own_cost (avg a) /\
        law_below V room own_law (total a, x) = own_law (avg a) /\
        law_below V room least_law (total a, x) = least_law (avg a) /\
        law_above V room most_law (total a, x) = most_law (avg a)).
      { intros a x Hmost ->. apply parts_average. intros o Ho. specialize (Hmost o Ho). lia. }
      assert (Houtside : forall y row k, plays m (S (length sts)) t s y -> zlen row = zlen width ->
        ~ (0 <= k - k0 < zlen row)%Z -> playout m g (S (length sts)) t s b y (level k) = IZR (at_row V row (k - k0))).
      { intros y row k Hy Hrow Hk. apply (outside_row (st :: sts) t ((lo, hi) :: (lo', hi') :: ws) reached s b y k row
          Hsts Hws Hnb0 Hy); [fold found; lia | exact Hk]. }
      destruct (greediest_correct _ _ _ Ebest) as [_ [[i0 Hi0] Hleast]].
      destruct (Hout i0 best Hi0) as [a0 [st0 [x0 [Ha0 [Hst0 [Hx0 Hbest]]]]]].
      unfold streams in Hst0. rewrite znth_map, Ha0 in Hst0. injection Hst0 as <-.
      destruct (Hpart i0 a0 x0 Ha0 Hx0) as [Hmost0 [Heq0 Hch0]]. destruct (Hparts a0 x0 Hmost0 Heq0) as [_ [P2 [P3 _]]].
      rewrite Hbest, P2, P3 in Estill. rewrite Hbest, P2, P3.
      assert (Hrows : forall a, rows_of_width (Z.max 0 (open found)) (avg a))
        by (intros a; rewrite <- Hwidth; apply width_of_average).
      assert (Hattains : attains (S (length sts)) t s b k0 (avg a0)).
      { apply (average_attains sts t s b i0 a0 k0 most width child); [now rewrite Hacts | exact Houtside | |].
        - intros o Ho. now apply Hch0.
        - intros o o' _ _ E1 E2. unfold child, charge. now rewrite E1, E2. }
      assert (Hroom : zlen room = Z.max 0 (open found)) by (unfold room; now rewrite zlen_map).
      destruct (still_kept_correct _ _ _ _ _ _ _ (Z.lt_le_incl _ _ HV) _ _ Estill) as [Hlaws Hstill].
      destruct (Hlaws _ _ eq_refl) as [L1 L2].
      split; [split; [apply Hrows | cbn [least_law most_law]; lia]|]. split; [exact Hattains|].
      (* a strategy that keeps *)
      intros y Hplays Hstat Hkeeps. destruct y as [|i nx]; [destruct Hplays|]. pose proof Hplays as [Hallowed Hnext].
      apply allowed_listed in Hallowed; [|rewrite Hacts; now apply (listed_nonempty m Hm t st s)].
      destruct Hallowed as [a Ha]. pose proof Ha as Ha'. rewrite Hacts in Ha'.
      assert (Hhere : is_kept_at g keep t s b i = true) by exact (proj1 Hkeeps).
      unfold is_kept_at in Hhere. rewrite Hlo in Hhere.
      destruct (columns_at _ acts (counter lo hi) i (b - lo)%Z a Ha' ltac:(lia) Hhere) as [f [Hf Hon]].
      destruct (Hin i (zskip (b - lo) f) a (skip_stream (b - lo) (stream_of r most lo lo' (layer after) a)))
        as [x [Hpx Hx]]; try assumption; [unfold flags; now rewrite znth_map, Hf | unfold streams; now rewrite
          znth_map, Ha' |].
      destruct (Hpart i a x Ha' Hx) as [Hmost [Heq Hch]]. destruct (Hparts a x Hmost Heq) as [Q1 [_ [_ [Q4 Q5]]]].
      assert (Hafter : forall o, In o (outcomes a) -> (0 < weight o)%Z ->
        throughout m g (keeps_here g kept') (length sts) (S t) (next o) (move g r o b) (nx (gain o, next o)) /\
        cell_bounds (length sts) (S t) (next o) (move g r o b) (k0 + most - charge r o) (child o) (nx (gain o, next
          o))).
      { intros o Ho Hpos. destruct (Hch o Ho) as [_ [_ H]]. apply H; [apply (Hnext (gain o, next o)) | |];
          eapply (throughout_next m g Hm); eassumption. }
      assert (Hbounds : cell_bounds (S (length sts)) t s b k0 (avg a) (Play i nx)).
      { apply (average_bounds sts t s b i a k0 most width child); try assumption. intros o Ho Hpos. now apply Hafter. }
      assert (Hnow : znth still' i = Some true /\ exists l h, Some (low, high) = Some (l, h) /\ forall j,
        (at_row V l j <= at_row V (least_law (avg a)) j /\ at_row V (most_law (avg a)) j <= at_row V h j)%Z).
      { rewrite <- Q4, <- Q5. apply (Hstill i (total a, x) Hpx). rewrite Q1, Q4, Q5.
        apply le_IZR. rewrite mult_IZR, minus_IZR.
        destruct Hattains as [z [Hz [Hzcost Hzlaw]]]. destruct Hbounds as [Hycost Hylaw].
        pose proof (Hstationary (S (length sts)) t s b (Play i nx) z Hlen (proj1 Hstat) Hz) as Hs.
        eapply Rle_trans; [|eapply Rle_trans; [exact Hs|]].
        - apply Rmult_le_compat_l; lra.
        - assert (Hedge : forall y', plays m (S (length sts)) t s y' -> forall k,
            ((k < k0)%Z -> playout m g (S (length sts)) t s b y' (level k) = IZR V) /\
            ((k0 + open found <= k)%Z -> playout m g (S (length sts)) t s b y' (level k) = 0)).
          { intros y' Hy' k.
            exact (level_outside (st :: sts) t ((lo, hi) :: (lo', hi') :: ws) Hsts Hws Hnb0 reached s b y' k Hy'). }
          rewrite (gained_skip _ _ rs 0 k0 Hk0).
          2:{ intros k Hk. now rewrite (proj1 (Hedge _ Hplays k)), (proj1 (Hedge _ Hz k)) by lia. }
          rewrite Z.add_0_l.
          destruct (Hrows a0) as [R1 _]. destruct (Hrows a) as [_ [R2 R3]].
          apply (regained_correct V); try congruence.
          + intros j Hj. specialize (Hylaw (k0 + j)%Z). now replace (k0 + j - k0)%Z with j in Hylaw by lia.
          + intros j Hj. specialize (Hzlaw (k0 + j)%Z). replace (k0 + j - k0)%Z with j in Hzlaw by lia.
            rewrite INR_IZR_INZ in Hzlaw. change (S (length sts)) with (length (st :: sts)) in Hzlaw at 3.
            rewrite <- zlen_length in Hzlaw. exact Hzlaw.
          + intros j Hj. rewrite (proj2 (Hedge _ Hplays (k0 + j)%Z)), (proj2 (Hedge _ Hz (k0 + j)%Z)) by lia.
            reflexivity. }
      destruct Hnow as [Hflag [l1 [h1 [E Hspread]]]]. injection E as <- <-. split.
      + apply (throughout_listed m g Hm _ _ _ _ _ _ _ a Ha); [|intros o Ho Hpos; now apply Hafter].
        unfold keeps_here. rewrite (Hkeep' i a Ha'). unfold flag_at. now rewrite Hflag.
      + destruct Hbounds as [Hycost Hylaw]. split.
        * pose proof (Hleast i _ Hpx) as Hle. rewrite Q1 in Hle. apply IZR_le in Hle. cbn [cost length]. lra.
        * intros k. destruct (Hspread (k - k0)%Z) as [S1 S2]. apply IZR_le in S1, S2.
          specialize (Hylaw k). fold k0. cbn [least_law most_law length]. lra.
  Qed.
End Cells.

(** ** First order, in the program's units *)

Definition corners_at (gs : list (list (rat * rat))) (k : Z) : list (rat * rat) :=
  match znth gs k with Some l => l | None => [] end.
Definition slope_within (V : Z) (of : list (rat * rat) -> rat -> rat -> option Z) (gs : list (list (rat * rat))) (b :
  box)
  (k : Z) : R :=
  match znth gs k, znth b k with Some l, Some (p, q) => IZR (or_zero (of l p q)) / IZR V | _, _ => 0 end.
Definition up_at V := slope_within V (steepest V (of_Z 0) (of_Z 0)).
Definition down_at V := slope_within V (flattest V (of_Z 0) (of_Z 0)).

Lemma znth_tail {X} (x : X) l k j : (k + 1 <= j)%Z -> znth (x :: l) (j - k) = znth l (j - (k + 1)).
Proof.
  intros H. cbn [znth]. destruct (Z.eqb_spec (j - k) 0); [lia|]. f_equal. lia.
Qed.

Lemma parts_difference x y : y - x = Rmax 0 (y - x) - Rmax 0 (x - y).
Proof.
  destruct (Rle_dec x y).
  - rewrite (Rmax_right 0 (y - x)), (Rmax_left 0 (x - y)); lra.
  - rewrite (Rmax_left 0 (y - x)), (Rmax_right 0 (x - y)); lra.
Qed.

Lemma first_order_gained V F F' gs : (0 < V)%Z -> forall costs b k, length costs = length gs -> length b = length gs ->
  IZR V * sum_along (fun j => up_at V gs b (j - k) * Rmax 0 (F' j - F j) - down_at V gs b (j - k) * Rmax 0 (F j - F' j))
    k (repeat tt (length gs)) =
  cost_sum F' k costs - cost_sum F k costs + gained F F' k (regains V gs costs b).
Proof.
  intros HV. apply IZR_lt in HV. induction gs as [|l gs IH]; intros [|c costs] [|[p q] b] k Hc Hb; try discriminate;
    cbn [length repeat sum_along cost_sum regains gained]; [ring|].
  injection Hc as Hc. injection Hb as Hb. rewrite Rmult_plus_distr_l.
  rewrite (sum_along_ext _ (fun j => up_at V gs b (j - (k + 1)) * Rmax 0 (F' j - F j) -
    down_at V gs b (j - (k + 1)) * Rmax 0 (F j - F' j)))
    by (intros j Hj; unfold up_at, down_at, slope_within; now rewrite !znth_tail by lia).
  rewrite (IH costs b (k + 1)%Z Hc Hb). unfold up_at, down_at, slope_within. rewrite Z.sub_diag. cbn [znth Z.eqb].
  set (st := or_zero (steepest V (of_Z 0) (of_Z 0) l p q)). set (fl := or_zero (flattest V (of_Z 0) (of_Z 0) l p q)).
  rewrite !minus_IZR. pose proof (parts_difference (F k) (F' k)) as Hparts.
  set (P := Rmax 0 (F' k - F k)) in *. set (Q := Rmax 0 (F k - F' k)) in *.
  replace (F' k) with (F k + (P - Q)) by lra. field. lra.
Qed.

Lemma gained_scal x F F' rs : 0 <= x -> forall k,
  gained (fun j => x * F j) (fun j => x * F' j) k rs = x * gained F F' k rs.
Proof.
  intros Hx. assert (Hmax : forall y z, Rmax 0 (x * y - x * z) = x * Rmax 0 (y - z)).
  { intros y z. rewrite <- Rmult_minus_distr_l. destruct (Rle_dec 0 (y - z)).
    - rewrite (Rmax_right 0 (y - z)) by lra. apply Rmax_right. now apply Rmult_le_pos.
    - rewrite (Rmax_left 0 (y - z)) by lra. rewrite Rmax_left; [ring|].
      pose proof (Rmult_le_pos x (- (y - z)) Hx ltac:(lra)). lra. }
  induction rs as [|[down up] rs IH]; intros k; cbn [gained]; [ring|]. rewrite IH, !Hmax. ring.
Qed.

Lemma inside_at F (b : box) : forall k j p q, inside F k b -> znth b j = Some (p, q) ->
  ok p /\ ok q /\ real_of p <= F (k + j)%Z <= real_of q.
Proof.
  induction b as [|[l u] b IH]; intros k j p q Hin H; [discriminate|]. destruct Hin as [Hl [Hu [Hb Hrest]]].
  cbn [znth] in H. destruct (Z.eqb_spec j 0) as [->|Hne].
  - injection H as <- <-. rewrite Z.add_0_r. now repeat split.
  - destruct (IH (k + 1)%Z (j - 1)%Z p q Hrest H) as [H1 [H2 H3]].
    replace (k + 1 + (j - 1))%Z with (k + j)%Z in H3 by lia. now repeat split.
Qed.

(** ** The start *)

Lemma start_parts_at gap place v init : forall l, start_parts gap place v init = Some l ->
  l = map (fun sw => (snd sw, gap, cell_at v (fst sw) place)) init /\
  forall s w, In (s, w) init -> znth (cells_at v s) place = Some (Some (cell_at v s place)).
Proof.
  induction init as [|[s w] init IH]; intros l; cbn [start_parts map].
  - intros H. injection H as <-. split; [reflexivity | intros s w []].
  - destruct (znth (cells_at v s) place) as [[d|]|] eqn:Ed; try discriminate.
    destruct (start_parts gap place v init) as [rest|]; [|discriminate]. intros H. injection H as <-.
    assert (Hd : cell_at v s place = d) by (unfold cell_at; now rewrite Ed).
    destruct (IH _ eq_refl) as [-> H2]. cbn [fst snd]. rewrite Hd. split; [reflexivity|].
    intros s' w' [E|Hin]; [injection E as <- <-; now rewrite Hd | now apply (H2 s' w')].
Qed.

Lemma inside_narrowed F A B D (b : box) : (0 < D)%Z -> forall k, inside F k b ->
  (forall j, (k <= j < k + zlen b)%Z -> IZR (A j) / IZR D <= F j <= IZR (B j) / IZR D) ->
  inside F k (narrowed D (along A k b) (along B k b) b).
Proof.
  intros HD. induction b as [|[p q] b IH]; intros k Hin H; [exact I|]. destruct Hin as [Hp [Hq [Hb Hrest]]].
  cbn [along narrowed inside zlen] in *. pose proof (zlen_nonneg b).
  assert (HokA : ok (Rat (A k) D)) by exact HD. assert (HokB : ok (Rat (B k) D)) by exact HD.
  split; [now apply ok_rmax|]. split; [now apply ok_rmin|]. split.
  - rewrite real_rmax, real_rmin by assumption. unfold real_of at 2 4. cbn [num den].
    specialize (H k ltac:(lia)). split; [apply Rmax_lub | apply Rmin_glb]; lra.
  - apply IH; [assumption|]. intros j Hj. apply H. lia.
Qed.

Lemma length_narrowed D low high (b : box) : length (narrowed D low high b) = length b.
Proof.
  revert low high; induction b as [|[p q] b IH]; intros [|x low] [|y high]; cbn; try reflexivity. now rewrite IH.
Qed.

Lemma zeros_of {X} (l : list X) : forall k, map (fun _ => 0%Z) l = along (fun _ => 0%Z) k l.
Proof. induction l as [|x l IH]; intros k; cbn; [reflexivity | now rewrite <- IH]. Qed.

(** ** A best mixture is followed through the tree *)

Section Traced.
  Variables (m : model) (V : Z) (g : grid) (start lo hi : Z) (ws : list (Z * Z)) (hi' : Z).
  Hypothesis Hm : good_model m = true.
  Let M := meaning m.
  Let T := length (steps m).
  Let last := window_start g T.
  Let N := Z.to_nat (hi' - last).
  Hypothesis Hwindows : windows g = (lo, hi) :: ws.
  Hypothesis Hlast : window_after (windows g) (steps m) = Some (last, hi').
  Hypothesis Htests : cover_tests m V g start lo hi last hi' = true.
  Variables (gs : list (list (rat * rat))) (need : rat).
  Hypothesis Hgs : forallb (corners_to_1 (of_Z 0)) gs = true.
  Hypothesis Hlength : length gs = N.
  Hypothesis Hneed : ok need.
  Let Gk (k : Z) : R -> R := polygon 0 0 (corners_at gs k).

  Lemma corners_at_good k l : znth gs k = Some l -> corners_to_1 (of_Z 0) l = true.
  Proof. intros H. rewrite forallb_forall in Hgs. apply Hgs. now apply (znth_In _ k). Qed.

  Lemma polygons_lipschitz k : exists L, 0 <= L /\ forall x y, 0 <= x <= 1 -> 0 <= y <= 1 ->
    Rabs (Gk k x - Gk k y) <= L * Rabs (x - y).
  Proof.
    unfold Gk, corners_at. destruct (znth gs k) as [l|] eqn:E.
    - destruct (polygon_lipschitz l (of_Z 0) (of_Z 0) (corners_at_good k l E) (ok_of_Z 0) (ok_of_Z 0)) as [L [HL H]].
      rewrite !real_of_Z in H. exists L. split; [assumption|]. intros x y Hx Hy. destruct (Rle_dec x y).
      + rewrite Rabs_minus_sym, (Rabs_minus_sym x y), (Rabs_right (y - x)) by lra. apply H; lra.
      + rewrite (Rabs_right (x - y)) by lra. apply H; lra.
    - exists 0. split; [lra|]. intros. cbn. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  Qed.

  Variable mu : mixture_of_strategies.
  Hypothesis Hbest : is_best_mix m g start last N Gk mu.
  Let F := cdf_of m g start last mu.
  Let Hmu : good_mix m mu := proj1 Hbest.

  Lemma best_range k : 0 <= F k <= 1.
  Proof. now apply mixed_cdf_range. Qed.

  Lemma fixed_sum_correct costs : forall gs' b k x, (forall l, In l gs' -> corners_to_1 (of_Z 0) l = true) ->
    fixed_sum V gs' costs b = Some x -> inside F k b ->
    length costs = length gs' /\ IZR x <= IZR V *
      sum_along (fun j => polygon 0 0 (corners_at gs' (j - k)) (F j)) k (repeat tt (length gs')) - cost_sum F k costs.
  Proof.
    destruct (cover_tests_facts _ _ _ _ _ _ _ _ Htests) as [HV _]. pose proof (IZR_lt _ _ HV) as HV'.
    induction costs as [|c costs IH]; intros [|l gs'] [|[p q] b] k x Hgood; cbn [fixed_sum]; try discriminate.
    - intros H _. injection H as <-. split; [reflexivity|]. cbn. lra.
    - destruct (least_from V c (of_Z 0) (of_Z 0) 0 l p q) as [y|] eqn:Ey; [|discriminate].
      destruct (fixed_sum V gs' costs b) as [z|] eqn:Ez; [|discriminate]. intros H [Hp [Hq [Hb Hrest]]].
      injection H as <-.
      destruct (IH gs' b (k + 1)%Z z ltac:(intros; apply Hgood; now right) Ez Hrest) as [Hlen Hz].
      split; [cbn; now rewrite Hlen|]. pose proof (Hgood l (or_introl eq_refl)) as Hl. pose proof (best_range k).
      destruct (least_from_correct V c p q HV Hp Hq l (of_Z 0) (of_Z 0) 0 Hl (ok_of_Z 0) (ok_of_Z 0))
        with (tau := F k) as [y' [Hy' Hle]];
        [intros _; rewrite !real_of_Z; lra | rewrite real_of_Z; lra | lra | left; intros ->; discriminate
        | assumption |].
      rewrite Ey in Hy'. injection Hy' as <-. rewrite !real_of_Z in Hle. rewrite plus_IZR.
      cbn [length repeat sum_along cost_sum]. rewrite Rmult_plus_distr_l.
      rewrite (sum_along_ext _ (fun j => polygon 0 0 (corners_at gs' (j - (k + 1))) (F j)))
        by (intros j Hj; unfold corners_at; now rewrite znth_tail by lia).
      unfold corners_at at 1. rewrite Z.sub_diag. cbn [znth Z.eqb]. lra.
  Qed.

  Lemma kept_dual_correct costs keep b : length b = N -> kept_dual_test m V g start lo gs need costs keep b = true ->
    inside F 0 b -> keeps m g start keep mu -> real_of need <= weighted_total N Gk F.
  Proof.
    intros Hlen H Hin Hkeeps. destruct (cover_tests_facts _ _ _ _ _ _ _ _ Htests) as [HV [Hg [Hst [_ [Hnb Hna]]]]].
    unfold kept_dual_test in H. apply orb_true_iff in H. destruct H as [H|H].
    - exfalso. apply existsb_exists in H. destruct H as [[p q] [Hpq H]]. cbn [fst snd] in H.
      destruct (In_znth _ _ Hpq) as [j Hj]. destruct (inside_at F b 0 j p q Hin Hj) as [Hp [Hq Hb]].
      apply rat_lt_correct in H; try assumption. lra.
    - set (terminal := partial_sums 0 costs) in *. set (bottom := smallest 0 terminal) in *.
      destruct (fixed_sum V gs costs b) as [x|] eqn:Ex; [|discriminate]. apply andb_true_iff in H.
      destruct H as [Hbot Htest].
      destruct (fixed_sum_correct costs gs b 0 x ltac:(rewrite <- forallb_forall; exact Hgs) Ex Hin) as [Hlen' Hx].
      pose proof (mixture_duality m g Hm Hg Hnb Hna start lo hi ws last hi' Hwindows Hlast Hst mu keep costs bottom
        (greatest 0 terminal) Hmu Hkeeps ltac:(fold N; congruence) Hbot) as Hdual.
      apply (weak_duality m Hm V _ x (cost_sum F 0 costs) need _ HV Hneed Htest Hdual).
      rewrite Hlength in Hx. unfold weighted_total.
      rewrite (sum_along_ext _ (fun j => polygon 0 0 (corners_at gs (j - 0)) (F j)))
        by (intros j _; unfold Gk; now rewrite Z.sub_0_r).
      exact Hx.
  Qed.

  Section Contraction.
    Variables (V' : Z) (costs : list Z) (keep keep' : kept) (b b' : box).
    Hypothesis Hcontract : contracted m g start gs V' costs keep b = Some (keep', b').
    Hypothesis Hlen : length b = N.
    Hypothesis Hin : inside F 0 b.
    Hypothesis Hkeeps : keeps m g start keep mu.

    Definition stays_best (t : nat) (s : positive) (b0 : Z) (y : strategy) : Prop :=
      forall z, plays m (T - t) t s z -> 0 <= first_order N (up_at V' gs b) (down_at V' gs b)
        (fun k => playout m g (T - t) t s b0 y (index_beyond last k)) (fun k => playout m g (T - t) t s b0 z
          (index_beyond last k)).

    Lemma best_stays_best w x s p : (0 < V')%Z -> In (w, x) mu -> In (s, p) (jinit M) -> 0 < p ->
      throughout m g stays_best T 0 s start (x s).
    Proof.
      intros HV' Hx Hs Hp. eapply best_is_stationary; try eassumption.
      intros k. fold F. unfold Gk, corners_at, up_at, down_at, slope_within.
      destruct (znth gs k) as [l|] eqn:El.
      - pose proof (znth_inside _ _ _ El) as Hk. destruct (znth_in_bounds b k) as [[p' q'] Eb].
        { rewrite zlen_length, Hlen. rewrite zlen_length, Hlength in Hk. exact Hk. }
        rewrite Eb. destruct (inside_at F b 0 k p' q' Hin Eb) as [Hp' [Hq' Hf]]. rewrite Z.add_0_l in Hf.
        apply slopes_correct; try assumption; [now apply (corners_at_good k) | apply best_range].
      - exists 1. split; [lra|]. intros d _. cbn [polygon]. lra.
    Qed.

    Lemma contraction_facts : is_shift g = true /\ (0 < V')%Z /\ zlen costs = zlen b /\
      exists reached l,
      let found := contracted_from m g V' (regains V' gs costs b) costs keep 0 (windows g) reached (steps m) in
      let room := map (fun _ => 0%Z) b in
      (last <= start - spent found)%Z /\
      start_parts (start - spent found - last) (start - lo) (layer found) (initial m) = Some l /\
      keep' = kept_after found /\
      b' = narrowed (V' * initial_den m) (sum_laws V' least_law l room) (sum_laws V' most_law l room) b.
    Proof.
      pose proof Hcontract as H. unfold contracted in H. rewrite Hlast in H.
      destruct (windows g) as [|[lo0 hi0] ws0] eqn:Ew; [discriminate|].
      assert (Hlo : lo0 = lo) by congruence. rewrite <- Ew in H.
      set (reached := reach_start _ _ _) in H.
      change (contract_steps m g V' last (regains V' gs costs b) costs (rate_0 m g) keep (windows g) reached (steps m))
        with (contracted_from m g V' (regains V' gs costs b) costs keep 0 (windows g) reached (steps m)) in H.
      set (found := contracted_from m g V' (regains V' gs costs b) costs keep 0 (windows g) reached (steps m)) in *.
      destruct ((0 <? V')%Z && is_shift g && (zlen costs =? zlen b)%Z && (lo0 <=? start)%Z &&
        (last <=? start - spent found)%Z) eqn:Etests; [|discriminate].
      repeat rewrite andb_true_iff in Etests. rewrite Z.ltb_lt, Z.eqb_eq, !Z.leb_le in Etests.
      destruct (start_parts _ _ _ _) as [l|] eqn:El in H; [|discriminate]. injection H as <- <-.
      split; [tauto|]. split; [tauto|]. split; [tauto|]. exists reached, l. cbv zeta. rewrite <- Ew. fold found.
      split; [tauto|]. rewrite <- Hlo. now repeat split.
    Qed.

    Theorem contracted_correct : keeps m g start keep' mu /\ inside F 0 b' /\ length b' = N.
    Proof.
      destruct (cover_tests_facts _ _ _ _ _ _ _ _ Htests) as [_ [Hg [Hst [_ [Hnb _]]]]].
      destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]]. pose proof (IZR_lt _ _ G4) as G4'.
      destruct contraction_facts as [Hshift [HV' [Hcosts [reached [l [Hleft [Hbegin [-> ->]]]]]]]].
      pose proof (IZR_lt _ _ HV') as HVR.
      set (rs := regains V' gs costs b) in *.
      set (found := contracted_from m g V' rs costs keep 0 (windows g) reached (steps m)) in *.
      destruct (start_parts_at _ _ _ _ _ Hbegin) as [Hparts Hcells].
      set (k0 := (start - spent found - last)%Z) in *.
      set (at_start := fun s => cell_at (layer found) s (start - lo)) in *.
      assert (Hlo : window_start g 0 = lo) by (unfold window_start; now rewrite Hwindows).
      assert (Hsays : forall s w, In (s, w) (initial m) ->
        cell_says m g V' costs keep (kept_after found) stays_best T 0 s start k0 (Z.max 0 (open found)) (at_start s)).
      { intros s w Hs. apply (contract_correct m g V' rs costs keep (kept_after found) Hm Hshift HV' stays_best) with
          (sts := steps m) (t := 0%nat) (ws := windows g); try reflexivity; try assumption.
        - intros n t s' b0 y z Ht Hbest' Hz. assert (n = T - t)%nat as -> by lia. specialize (Hbest' z Hz).
          assert (Htilt : forall x, playout m g (T - t) t s' b0 x (tilt m g costs) =
            cost_sum (fun k => playout m g (T - t) t s' b0 x (index_beyond last k)) 0 costs).
          { intros x. rewrite play_is_E. unfold tilt. rewrite E_cost_sum. clear. generalize 0%Z as k.
            induction costs as [|c0 l IH]; intros k; cbn [cost_sum]; [reflexivity|]. rewrite IH. f_equal. f_equal.
            rewrite play_is_E. reflexivity. }
          assert (Hlevel : forall x k, playout m g (T - t) t s' b0 x (level m g V' k) =
            IZR V' * playout m g (T - t) t s' b0 x (index_beyond last k)).
          { intros x k. rewrite !play_is_E. unfold level. now rewrite E_scal. }
          rewrite !Htilt. set (Fy := fun k => playout m g (T - t) t s' b0 y (index_beyond last k)) in *.
          set (Fz := fun k => playout m g (T - t) t s' b0 z (index_beyond last k)) in *.
          assert (Hgain : gained (fun k => playout m g (T - t) t s' b0 y (level m g V' k))
            (fun k => playout m g (T - t) t s' b0 z (level m g V' k)) 0 rs = IZR V' * gained Fy Fz 0 rs).
          { rewrite <- gained_scal by lra. clear -Hlevel. generalize 0%Z as k.
            induction rs as [|[down up] l IH]; intros k; cbn [gained]; [reflexivity|]. now rewrite IH, !Hlevel. }
          rewrite Hgain. apply Rmult_le_compat_l; [lra|].
          pose proof (first_order_gained V' Fy Fz gs HV' costs b 0
            ltac:(rewrite !zlen_length in Hcosts; lia) ltac:(congruence)) as Hfirst.
          rewrite Hlength in Hfirst. unfold first_order in Hbest'.
          rewrite (sum_along_ext _ (fun k => up_at V' gs b k * Rmax 0 (Fz k - Fy k) -
            down_at V' gs b k * Rmax 0 (Fy k - Fz k))) in Hfirst by (intros k _; now rewrite Z.sub_0_r).
          fold rs in Hfirst. pose proof (Rmult_le_pos _ _ (Rlt_le _ _ HVR) Hbest'). lra.
        - rewrite Hlo. apply Hst.
        - rewrite Hlo. now apply (Hcells s w). }
      assert (Hall : forall w x s p, In (w, x) mu -> In (s, p) (jinit M) -> 0 < p ->
        throughout m g (keeps_here g (kept_after found)) T 0 s start (x s) /\
        cell_bounds m g V' costs T 0 s start k0 (at_start s) (x s)).
      { intros w x s p Hx Hs Hp. destruct (in_init m s p Hs) as [w0 Hw0].
        destruct (Hsays s w0 Hw0) as [_ [_ H]].
        apply H; [apply (proj2 Hmu w x Hx) | now apply (best_stays_best w x s p) | now apply (Hkeeps w x s p)]. }
      split; [intros w x s p Hx Hs Hp; now apply (Hall w x s p)|]. split; [|now rewrite length_narrowed].
      rewrite Hparts, (zeros_of b 0), !(sum_laws_along V' _ snd (fun _ => k0) (fun sw => at_start (fst sw)) b)
        by (intros; unfold k0; lia).
      apply inside_narrowed; [now apply Z.mul_pos_pos | assumption|]. intros k _.
      assert (Hsum : forall f,
        IZR (0 + zsum (fun sw => snd sw * at_row V' (f (at_start (fst sw))) (k - k0))%Z (initial m)) /
          IZR (V' * initial_den m) = E (jinit M) (fun s => IZR (at_row V' (f (at_start s)) (k - k0)) / IZR V')).
      { intros f. unfold M. rewrite (E_init m), Z.add_0_l, IZR_zsum, mult_IZR.
        rewrite (sum_ext (initial m)
          (fun sw => IZR (snd sw) * (IZR (at_row V' (f (at_start (fst sw))) (k - k0)) / IZR V'))
          (fun sw => / IZR V' * IZR (snd sw * at_row V' (f (at_start (fst sw))) (k - k0))))
          by (intros; rewrite mult_IZR; unfold Rdiv; ring).
        rewrite sum_scal. field. lra. }
      assert (Hplay : forall w x s p, In (w, x) mu -> In (s, p) (jinit M) -> 0 < p ->
        IZR (at_row V' (least_law (at_start s)) (k - k0)) / IZR V' <= playout m g T 0 s start (x s) (index_beyond
          last k) <=
        IZR (at_row V' (most_law (at_start s)) (k - k0)) / IZR V').
      { intros w x s p Hx Hs Hp. destruct (Hall w x s p Hx Hs Hp) as [_ [_ H]]. specialize (H k).
        assert (Hl : playout m g T 0 s start (x s) (level m g V' k) = IZR V' * playout m g T 0 s start (x s)
          (index_beyond last k))
          by (rewrite !play_is_E; unfold level; now rewrite E_scal).
        rewrite Hl in H. split; apply Rmult_le_reg_l with (IZR V'); try assumption;
          unfold Rdiv; rewrite (Rmult_comm (IZR _) (/ IZR V')), <- Rmult_assoc, Rinv_r, Rmult_1_l by lra; lra. }
      rewrite (Hsum least_law), (Hsum most_law). split.
      - apply (mixed_ge m g Hm start mu _ _ _ Hmu (Rle_refl _)). intros w x s p Hx Hs Hp.
        now apply (Hplay w x s p).
      - apply (mixed_le m g Hm start mu _ _ _ Hmu (Rle_refl _)). intros w x s p Hx Hs Hp.
        now apply (Hplay w x s p).
    Qed.
  End Contraction.

  Theorem traced_correct c : forall keep b, length b = N -> traced m V g start lo gs need c keep b = true ->
    inside F 0 b -> keeps m g start keep mu -> real_of need <= weighted_total N Gk F.
  Proof.
    induction c as [costs|k p below IHb above IHa|V0 k p rest IH|V' costs rest IH]; intros keep b Hlen H Hin Hkeeps;
      cbn [traced] in H; [now apply (kept_dual_correct costs keep b) | | discriminate |].
    - repeat rewrite andb_true_iff in H. destruct H as [[Hp Hbelow] Habove]. apply Z.ltb_lt in Hp.
      destruct (Rle_dec (F k) (real_of p)) as [Hle|Hgt].
      + apply (IHb keep (cap k p b)); try assumption; [now rewrite length_cap|]. apply inside_cap; try assumption.
        intros j Hj. eapply Rle_trans; [|exact Hle]. apply (cdf_antitone m g Hm start last mu); [exact Hmu | lia].
      + apply (IHa keep (raise k p b)); try assumption; [now rewrite length_raised|]. apply inside_raise; try
        assumption.
        intros j Hj. apply Rle_trans with (F k); [lra|]. apply (cdf_antitone m g Hm start last mu); [exact Hmu | lia].
    - destruct (contracted m g start gs V' costs keep b) as [[keep' b']|] eqn:E; [|discriminate].
      destruct (contracted_correct V' costs keep keep' b b' E Hlen Hin Hkeeps) as [H1 [H2 H3]].
      now apply (IH keep' b').
  Qed.
End Traced.

(** ** Levels that every mixture passes *)

Lemma passed_first_correct (F : Z -> R) (passed : Z -> Z -> rat -> bool) :
  (forall j k, (j <= k)%Z -> F k <= F j) ->
  (forall V k p, ok p -> passed V k p = true -> real_of p <= F k) -> forall c b c' b',
  passed_first passed c b = Some (c', b') -> inside F 0 b -> inside F 0 b' /\ length b' = length b.
Proof.
  intros HF Hpassed.
  assert (Hsame : forall (c : cover) b c' b', Some (c, b) = Some (c', b') -> inside F 0 b ->
    inside F 0 b' /\ length b' = length b) by (intros c b c' b' H Hin; injection H as _ <-; now split).
  induction c as [costs|k p below _ above _|V k p rest IH|V costs rest _]; intros b c' b'; cbn [passed_first];
    try apply Hsame.
  destruct (positive_den p && passed V k p) eqn:E; [|discriminate]. apply andb_true_iff in E. destruct E as [Hp E].
  apply Z.ltb_lt in Hp. intros H Hin. destruct (IH _ _ _ H) as [H1 H2].
  - apply inside_raise; try assumption. intros j Hj. eapply Rle_trans; [now apply (Hpassed V k p Hp)|]. apply HF. lia.
  - split; [assumption|]. now rewrite H2, length_raised.
Qed.

(** ** Every policy *)

Section Contractions.
  Variables (m : model) (corners : rat -> list (rat * rat)) (G : R -> R).
  Hypothesis Hm : good_model m = true.
  Hypothesis HG : weighting G.
  (** The polygon for values from p on. *)
  Hypothesis Hcorners : forall p, ok p -> corners_to_1 (of_Z 0) (corners p) = true /\ forall tau,
    0 <= tau <= 1 -> real_of p <= tau -> polygon 0 0 (corners p) tau <= G tau.
  Let M := meaning m.

  Theorem polygon_by_contraction_correct V g start boxes bound pi : ok bound ->
    polygon_by_contraction m V g start boxes corners bound = true ->
    is_jpolicy pi -> plays_allowed M pi -> Phi G (jreturn_law M pi) <= real_of bound.
  Proof.
    intros Hb H Hpi Hal. unfold polygon_by_contraction in H.
    destruct (windows g) as [|[lo hi] ws] eqn:Ew; [discriminate|].
    pose proof Ew as Ew'. rewrite <- Ew in H.
    destruct (window_after (windows g) (steps m)) as [[lo' hi']|] eqn:Elast; [|discriminate].
    apply andb_true_iff in H. destruct H as [Htests H]. fold (cover_tests m V g start lo hi lo' hi') in Htests.
    fold (cover_top m g start lo') in H. fold (cover_need m g start lo' bound) in H.
    destruct (cover_tests_facts _ _ _ _ _ _ _ _ Htests) as [HV [Hg [Hst [_ [Hnb Hna]]]]].
    destruct (tested_windows m g lo hi ws lo' hi' Ew' Elast) as [_ [_ [W3 _]]].
    set (b0 := along (fun _ => (of_Z 0, of_Z 1)) lo' (counter (lo' + 1) hi')) in *.
    assert (Hlen0 : length b0 = Z.to_nat (hi' - lo')) by now apply length_first_box.
    destruct (passed_first (passed_test m g start lo lo' hi') boxes b0) as [[rest b]|] eqn:Epassed; [|discriminate].
    apply andb_true_iff in H. destruct H as [Hgs Htraced]. set (gs := map (fun pq => corners (fst pq)) b) in *.
    assert (Hinside : forall nu, good_mix m nu ->
      inside (cdf_of m g start lo' nu) 0 b /\ length b = Z.to_nat (hi' - lo')).
    { intros nu Hnu. rewrite <- Hlen0.
      apply (passed_first_correct _ (passed_test m g start lo lo' hi')) with (c := boxes) (c' := rest);
        [intros; now apply cdf_antitone | | assumption |].
      - intros V0 k p Hp. apply (passed_level m Hm g start lo lo' hi'); [intros; now apply mixed_cdf_range |
        assumption|].
        intros costs bottom Hlen Hbot. rewrite <- (table_kept_nothing m g _ bottom 0).
        apply (mixture_duality m g Hm Hg Hnb Hna start lo hi ws lo' hi' Ew' Elast Hst nu [] costs); try assumption.
        intros w x s p' _ _ _. apply keeps_nothing.
      - apply inside_everything. intros k. now apply mixed_cdf_range. }
    set (N := Z.to_nat (hi' - lo')) in *. set (Gk := fun k => polygon 0 0 (corners_at gs k)).
    assert (Hmixture : exists nu, good_mix m nu /\ forall phi,
      E (full_history_law M pi) (fun h => phi (index_after m g start (fst h))) = mixed_play m g start nu phi)
      by now apply policy_is_mixture.
    destruct Hmixture as [nu [Hnu Hlaw]]. destruct (Hinside nu Hnu) as [Hin Hlen].
    assert (Hlength : length gs = N) by (unfold gs; now rewrite map_length).
    assert (Hbest : exists mu, is_best_mix m g start lo' N Gk mu).
    { apply best_exists; try assumption. intros k. now apply polygons_lipschitz. }
    destruct Hbest as [mu Hbest].
    apply (cover_enough m G Hm HG V g start lo hi ws lo' hi' Ew' Elast Htests pi Hpi bound Hb).
    apply Rle_trans with (weighted_total N Gk (cdf_of m g start lo' nu)).
    - eapply Rle_trans; [|now apply (proj2 Hbest)]. destruct (Hinside mu (proj1 Hbest)) as [Hinmu _]. subst lo'.
      apply (traced_correct m V g start lo hi ws hi' Hm Ew' Elast Htests gs _ Hgs Hlength
        (ok_cover_need m V g start lo hi _ hi' Htests bound Hb) mu Hbest rest [] b Hlen Htraced Hinmu).
      intros w x s p _ _ _. apply keeps_nothing.
    - unfold weighted_total. apply sum_along_le. intros k Hk. rewrite zlen_repeat in Hk.
      assert (Hcdf : index_cdf m g start lo' pi k = cdf_of m g start lo' nu k) by exact (Hlaw (index_beyond lo' k)).
      rewrite Hcdf. destruct (znth_in_bounds b k) as [[p q] Epq]; [rewrite zlen_length, Hlen; lia|].
      destruct (inside_at _ b 0 k p q Hin Epq) as [Hp [_ Hpq]]. rewrite Z.add_0_l in Hpq.
      unfold Gk, corners_at, gs. rewrite znth_map, Epq. cbn [option_map fst]. apply (Hcorners p Hp); [|apply Hpq].
      now apply mixed_cdf_range.
  Qed.
End Contractions.
