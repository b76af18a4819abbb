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

Fixpoint idle (n : nat) : strategy := match n with O => Stop | S n' => Play 0 (fun _ => idle n') end.

Lemma idle_plays m n : forall t s, plays m n t s (idle n).
Proof.
  induction n as [|n IH]; intros t s; cbn [idle plays]; [exact I|]. split; [|intros; apply IH].
  destruct (actions_at m t s) as [|a acts] eqn:E; [left; exact E|]. right. exists a. rewrite E. reflexivity.
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
  Definition level (k b : Z) : R := IZR V * beyond last k b.
  Definition tilt (b : Z) : R := cost_sum (fun j => is_above j (b - last)) 0 costs.

  (** What is known of a strategy where it comes: to play another one from there on is no better to first order. *)
  Variable stationary : nat -> positive -> Z -> strategy -> Prop.
  Hypothesis Hstationary : forall n t s b y z, (t + n = T)%nat -> stationary t s b y -> plays m n t s z ->
    IZR V * (play m g n t s b y tilt - play m g n t s b z tilt) <=
    gained (fun k => play m g n t s b y (level k)) (fun k => play m g n t s b z (level k)) 0 rs.

  Definition contracted_from (t : nat) (ws : list (Z * Z)) (sts : list step) : contraction :=
    contract_steps m g V last rs costs (rate_at m g t) (skipn t keep) ws sts.

  Lemma level_range k b : 0 <= level k b <= IZR V.
  Proof. pose proof (IZR_lt _ _ HV). unfold level, beyond. destruct (k <? b - last)%Z; lra. Qed.

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
    all_never_below m g (rate_at m g t) ws sts = true -> forall s b x k, plays m (length sts) t s x ->
    let found := contracted_from t ws sts in
    ((k < b - spent found - last)%Z -> play m g (length sts) t s b x (level k) = IZR V) /\
    ((b - spent found - last + open found <= k)%Z -> play m g (length sts) t s b x (level k) = 0).
  Proof.
    induction sts as [|st sts IH]; intros t ws Hsts Hws Hnb s b x k Hplays found.
    - unfold found, contracted_from. cbn [contract_steps spent open length play]. unfold level, beyond.
      destruct (Z.ltb_spec k (b - last)); split; intros; try lia; ring.
    - destruct (skipn_cons _ _ _ _ Hsts) as [Hst Hrest]. cbn [all_never_below] in Hnb.
      destruct ws as [|[lo hi] [|[lo' hi'] ws]]; try discriminate. apply andb_true_iff in Hnb. destruct Hnb as [_ Hnb].
      destruct (skipn_cons _ _ _ _ Hws) as [_ Hwrest]. cbn [tl] in Hnb.
      destruct x as [|i nx]; [destruct Hplays|]. cbn [length plays] in Hplays. destruct Hplays as [_ Hplays].
      unfold found, contracted_from. cbn [contract_steps spent open length play tl]. rewrite <- skipn_tl.
      change (rate_next m g (rate_at m g t)) with (rate_at m g (S t)).
      fold (contracted_from (S t) ((lo', hi') :: ws) sts).
      assert (Hlaw : is_law (kernel M t s i)) by apply (kernel_law _ (is_jmdp_meaning m Hm)).
      split; intros Hk.
      + transitivity (E (kernel M t s i) (fun _ => IZR V)); [|now apply E_const]. apply E_ext_as. intros os p Hin _.
        apply (IH (S t) ((lo', hi') :: ws) Hrest Hwrest Hnb); [apply Hplays|].
        pose proof (charges t st s i os p b Hst Hin). lia.
      + transitivity (E (kernel M t s i) (fun _ => 0)); [|apply E_zero]. apply E_ext_as. intros os p Hin _.
        apply (IH (S t) ((lo', hi') :: ws) Hrest Hwrest Hnb); [apply Hplays|].
        pose proof (charges t st s i os p b Hst Hin). lia.
  Qed.

  Lemma outside_row sts t ws s b x k row : skipn t (steps m) = sts -> skipn t (windows g) = ws ->
    all_never_below m g (rate_at m g t) ws sts = true -> plays m (length sts) t s x ->
    let found := contracted_from t ws sts in let j := (k - (b - spent found - last))%Z in
    zlen row = Z.max 0 (open found) -> ~ (0 <= j < zlen row)%Z ->
    play m g (length sts) t s b x (level k) = IZR (at_row V row j).
  Proof.
    intros Hsts Hws Hnb Hplays found j Hrow Hj.
    destruct (level_outside sts t ws Hsts Hws Hnb s b x k Hplays) as [H1 H2]. fold found in H1, H2.
    destruct (Z.ltb_spec j 0) as [Hneg|Hpos].
    - rewrite at_row_before by assumption. apply H1. unfold j in *. lia.
    - rewrite at_row_behind by lia. apply H2. unfold j in *. lia.
  Qed.

  (** *** What a cell says *)

  Definition attains (n t : nat) (s : positive) (b k0 : Z) (c : cell) : Prop :=
    exists z, plays m n t s z /\ play m g n t s b z tilt <= IZR (own_cost c) /\
      forall k, IZR (at_row V (own_law c) (k - k0)) <= play m g n t s b z (level k) <=
        IZR (at_row V (own_law c) (k - k0)) + INR n.
  Definition bounds (n t : nat) (s : positive) (b k0 : Z) (c : cell) (y : strategy) : Prop :=
    IZR (cost c) <= play m g n t s b y tilt /\
    forall k, IZR (at_row V (least_law c) (k - k0)) <= play m g n t s b y (level k) <=
      IZR (at_row V (most_law c) (k - k0)).
  Definition says (n t : nat) (s : positive) (b k0 width : Z) (c : cell) : Prop :=
    rows_of_width width c /\ attains n t s b k0 c /\
    forall y, plays m n t s y -> throughout m g stationary n t s b y ->
      throughout m g (keeps_here g keep) n t s b y ->
      throughout m g (keeps_here g kept') n t s b y /\ bounds n t s b k0 c y.

  (** *** Averages *)

  Section Action.
    Variables (sts : list step) (t : nat) (ws : list (Z * Z)) (s : positive) (b i : Z) (a : action).
    Variables (k0 most : Z) (width : list unit) (c : outcome -> cell).
    Let n := length sts.
    Let r := rate_at m g t.
    Let k1 (o : outcome) : Z := (k0 + most - charge r o)%Z.
    Hypothesis Ha : znth (actions_at m t s) i = Some a.
    Let average := average_cell V width (fun o => most - charge r o)%Z c a.
    (** Where a row ends the law is known. *)
    Hypothesis Houtside : forall y row k, plays m (S n) t s y -> zlen row = zlen width ->
      ~ (0 <= k - k0 < zlen row)%Z -> play m g (S n) t s b y (level k) = IZR (at_row V row (k - k0)).

    Lemma width_of_average : rows_of_width (zlen width) average.
    Proof. unfold rows_of_width, average, average_cell. cbn [own_law least_law most_law]. now rewrite !zlen_along. Qed.

    Lemma inside_or_not k : (0 <= k - k0 < zlen width)%Z \/ ~ (0 <= k - k0 < zlen width)%Z.
    Proof. lia. Qed.

    Lemma average_bounds nx : plays m (S n) t s (Play i nx) ->
      (forall o, In o (outcomes a) -> (0 < weight o)%Z ->
        bounds n (S t) (next o) (move g r o b) (k1 o) (c o) (nx (gain o, next o))) ->
      bounds (S n) t s b k0 average (Play i nx).
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
        play m g n (S t) (next o) (move g r o b) z tilt <= IZR (own_cost (c o)) /\
        forall k, IZR (at_row V (own_law (c o)) (k - k1 o)) <= play m g n (S t) (next o) (move g r o b) z (level k) <=
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
          [apply (H1 os Hin) | rewrite (H2 os Hout); apply idle_plays]. }
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

  Lemma contracted_step t st sts lo hi lo' hi' ws :
    let r := rate_at m g t in let most := most_charge r st in
    let after := contracted_from (S t) ((lo', hi') :: ws) sts in
    let found := contracted_from t ((lo, hi) :: (lo', hi') :: ws) (st :: sts) in
    (spent found = spent after + most)%Z /\ tl (kept_after found) = kept_after after /\
    forall s, match get s st with
    | None => cells_at (layer found) s = []
    | Some acts =>
        let x := if (last <=? lo - spent found)%Z
          then state_cells V (zlen (st :: sts)) (map (fun _ => 0%Z) (counter 1 (open found)))
            (zskip (lo - spent found - last) rs) (flags_of (get s (first_tree (skipn t keep)))) acts
            (map (stream_of r most lo lo' (layer after)) acts) (counter lo hi)
          else None in
        cells_at (layer found) s = match split_cells x with Some l => l | None => [] end /\
        flags_of (get s (first_tree (kept_after found))) = split_flags x
    end.
  Proof.
    intros r most after found. unfold found, contracted_from.
    cbn [contract_steps spent open kept_after layer tl first_tree].
    rewrite <- skipn_tl. change (rate_next m g (rate_at m g t)) with (rate_at m g (S t)).
    fold (contracted_from (S t) ((lo', hi') :: ws) sts). fold r most after. split; [reflexivity|].
    split; [reflexivity|]. intros s. unfold cells_at. cbn [value_at]. rewrite !get_tmap, get_tzip.
    destruct (get s st) as [acts|]; [|reflexivity]. cbn [option_map join flags_of].
    split; [|reflexivity]. match goal with |- context [split_cells ?x] => now destruct (split_cells x) end.
  Qed.

  Theorem contract_correct : forall sts t ws, skipn t (steps m) = sts -> skipn t (windows g) = ws ->
    (t + length sts = T)%nat -> all_never_below m g (rate_at m g t) ws sts = true ->
    let found := contracted_from t ws sts in kept_after found = skipn t kept' -> forall s b c,
    (window_start g t <= b)%Z -> znth (cells_at (layer found) s) (b - window_start g t) = Some c ->
    says (length sts) t s b (b - spent found - last) (Z.max 0 (open found)) c.
  Proof.
    pose proof (IZR_lt _ _ HV) as HV'.
    induction sts as [|st sts IH]; intros t ws Hsts Hws Hlen Hnb found Hkept s b c Hb Hc.
    - (* at the end *)
      assert (Ht : t = T) by (cbn in Hlen; lia). rewrite Ht in Hb, Hc. fold last in Hb, Hc.
      unfold found, contracted_from in *. cbn [contract_steps layer kept_after spent open] in *.
      unfold cells_at in Hc. cbn [value_at] in Hc. rewrite znth_map in Hc.
      destruct (znth (partial_sums 0 costs) (b - last)) as [x|] eqn:Ex; [|discriminate]. injection Hc as <-.
      assert (Hx : IZR x = tilt b).
      { replace (b - last)%Z with (b - last - 0)%Z in Ex by lia.
        rewrite (partial_sums_correct costs 0 0 (b - last) x ltac:(lia) Ex). unfold tilt. ring. }
      assert (Hlevel : forall k, IZR (at_row V [] (k - (b - 0 - last))) = level k b).
      { intros k. unfold level, beyond. destruct (Z.ltb_spec k (b - last)).
        - rewrite at_row_before by lia. ring.
        - rewrite at_row_behind by (cbn [zlen]; lia). ring. }
      split; [now repeat split|]. split.
      + exists Stop. cbn [length plays play own_cost own_law INR]. split; [exact I|]. split; [lra|].
        intros k. rewrite Hlevel. lra.
      + intros y _ _ _. cbn [length play cost least_law most_law throughout]. split.
        * split; [|now destruct y]. destruct y as [|i nx]; [exact I|]. unfold keeps_here, flags_at.
          rewrite <- Hkept. cbn [first_tree]. now destruct s.
        * unfold bounds. cbn [cost least_law most_law]. split; [cbn [play]; lra|]. intros k. rewrite Hlevel. cbn [play].
          lra.
    - destruct (skipn_cons _ _ _ _ Hsts) as [Hst Hrest]. cbn [all_never_below] in Hnb.
      pose proof Hnb as Hnb0. destruct ws as [|[lo hi] [|[lo' hi'] ws]]; try discriminate. apply andb_true_iff in Hnb.
      destruct Hnb as [Hbelow Hnb]. destruct (skipn_cons _ _ _ _ Hws) as [Hw Hwrest]. cbn [tl] in Hnb.
      destruct (skipn_cons _ _ _ _ Hwrest) as [Hw' _].
      assert (Hlo : window_start g t = lo) by (unfold window_start; now rewrite Hw).
      assert (Hlo' : window_start g (S t) = lo') by (unfold window_start; now rewrite Hw').
      rewrite Hlo in Hb, Hc.
      destruct (contracted_step t st sts lo hi lo' hi' ws) as [Hspent [Htail Hcells]].
      fold found in Hspent, Htail, Hcells.
      set (r := rate_at m g t) in *. set (most := most_charge r st) in *.
      set (after := contracted_from (S t) ((lo', hi') :: ws) sts) in *. specialize (Hcells s).
      destruct (get s st) as [acts|] eqn:Eacts; [|rewrite Hcells in Hc; discriminate].
      set (x := if (last <=? lo - spent found)%Z then _ else None) in Hcells. destruct Hcells as [Hcells Hflags].
      rewrite Hcells in Hc. destruct x as [l|] eqn:Ex; [|discriminate]. unfold x in Ex. clear x.
      destruct (Z.leb_spec last (lo - spent found)) as [Hleft|]; [|discriminate].
      cbn [split_cells split_flags] in Hc, Hflags. rewrite znth_map in Hc.
      destruct (znth l (b - lo)) as [fc|] eqn:Efc; [|discriminate]. injection Hc as Hc.
      destruct (state_cells_at _ _ _ _ _ _ _ _ _ Ex _ _ Efc) as [cs [best [Hcs [Hbest Hfc]]]].
      rewrite map_map, combine_map, map_map in Hcs. cbn [fst snd] in Hcs.
      set (here := flag_row (flags_of (get s (first_tree (skipn t keep)))) (b - lo)) in *.
      set (k0 := (b - spent found - last)%Z). assert (Hk0 : (0 <= k0)%Z) by (unfold k0; lia).
      assert (Hskip : zskip (b - lo) (zskip (lo - spent found - last) rs) = zskip k0 rs).
      { rewrite <- (zskip_zskip rs (lo - spent found - last) k0) by (unfold k0; lia). f_equal. unfold k0. lia. }
      rewrite Hskip in Hfc.
      set (still := still_kept V (zlen (st :: sts)) (zskip k0 rs) best here 0 cs) in *.
      assert (Hkeep' : flags_at g kept' t s b = still).
      { unfold flags_at, flag_row. rewrite <- Hkept, Hflags, Hlo, znth_map, Efc, Hfc. reflexivity. }
      rewrite Hfc in Hc. cbn [snd] in Hc.
      assert (Hacts : actions_at m t s = acts) by (unfold actions_at; now rewrite Hst, Eacts).
      destruct (all_some_at _ _ _ Hcs) as [Hin Hout].
      set (child := fun o => cell_at (layer after) (next o) (b - charge r o - lo')).
      set (width := counter 1 (open found)) in *.
      assert (Hwidth : zlen width = Z.max 0 (open found)) by (unfold width; rewrite zlen_counter; lia).
      set (avg := fun a => average_cell V width (fun o => (most - charge r o)%Z) child a).
      (* the cells of the actions, and of their outcomes *)
      assert (Hcell : forall i a, znth acts i = Some a -> znth cs i = Some (avg a) /\
        forall o, In o (outcomes a) -> says (length sts) (S t) (next o) (move g r o b) (k0 + most - charge r o)
          (Z.max 0 (open after)) (child o)).
      { intros i a Ha. destruct (Hin i a Ha) as [ci [Hci Hact]].
        assert (Hcharge : forall o, In o (outcomes a) -> (0 <= lo - charge r o - lo' /\ charge r o <= most)%Z).
        { intros o Ho. unfold never_below in Hbelow. apply andb_true_iff in Hbelow. destruct Hbelow as [_ Htall].
          pose proof (tall_get _ _ _ _ Htall Eacts) as Hall. rewrite forallb_forall in Hall.
          specialize (Hall a (znth_In _ _ _ Ha)). rewrite forallb_forall in Hall. specialize (Hall o Ho).
          apply Z.leb_le in Hall. fold r in Hall. rewrite move_shift in Hall by assumption. split; [lia|].
          unfold most, most_charge.
          eapply Z.le_trans; [|apply (tlargest_get _ _ _ _ Eacts)].
          eapply Z.le_trans; [|apply (largest_ge _ _ a), (znth_In _ _ _ Ha)].
          apply (largest_ge (charge r) (outcomes a) o Ho). }
        destruct (action_cell_at V (open found) r most lo lo' (layer after) (b - lo) a ci ltac:(lia)
          (fun o Ho => proj1 (Hcharge o Ho)) (fun o Ho => proj2 (Hcharge o Ho)) Hact) as [Heq Hchild].
        replace (lo + (b - lo))%Z with b in Heq, Hchild by lia. split; [now rewrite Hci, Heq|].
        intros o Ho. specialize (Hchild o Ho). destruct (Hcharge o Ho) as [H1 _].
        rewrite (move_shift g r o b Hshift).
        replace (k0 + most - charge r o)%Z with (b - charge r o - spent after - last)%Z
          by (unfold k0; rewrite Hspent; lia).
        apply (IH (S t) ((lo', hi') :: ws) Hrest Hwrest ltac:(cbn [length] in Hlen; lia) Hnb).
        - fold after. rewrite skipn_tl, <- Hkept. now symmetry.
        - rewrite Hlo'. lia.
        - rewrite Hlo'. exact Hchild. }
      assert (Houtside : forall y row k, plays m (S (length sts)) t s y -> zlen row = zlen width ->
        ~ (0 <= k - k0 < zlen row)%Z -> play m g (S (length sts)) t s b y (level k) = IZR (at_row V row (k - k0))).
      { intros y row k Hy Hrow Hk. apply (outside_row (st :: sts) t ((lo, hi) :: (lo', hi') :: ws) s b y k row Hsts Hws
          Hnb0 Hy); [fold found; lia | exact Hk]. }
      pose proof (greediest_correct here cs 0) as Hgreedy. rewrite Hbest in Hgreedy.
      destruct Hgreedy as [[i0 [Hi0 _]] Hleast]. destruct (Hout i0 best Hi0) as [a0 [Ha0 _]].
      assert (Hbestavg : best = avg a0) by (destruct (Hcell i0 a0 Ha0) as [E _]; congruence).
      assert (Hrows : forall d, In d cs -> rows_of_width (Z.max 0 (open found)) d).
      { intros d Hd. destruct (In_znth _ _ Hd) as [i Hi]. destruct (Hout i d Hi) as [a [Ha _]].
        destruct (Hcell i a Ha) as [E _]. assert (d = avg a) as -> by congruence. rewrite <- Hwidth.
        apply width_of_average. }
      assert (Hattains : attains (S (length sts)) t s b k0 best).
      { rewrite Hbestavg. destruct (Hcell i0 a0 Ha0) as [_ Hch].
        apply (average_attains sts t s b i0 a0 k0 most width child); [now rewrite Hacts | exact Houtside | |].
        - intros o Ho. now apply Hch.
        - intros o o' _ _ E1 E2. unfold child, charge. now rewrite E1, E2. }
      destruct (spread_correct V (Z.max 0 (open found)) best still cs ltac:(lia) Hrows (Hrows best (znth_In _ _ _ Hi0)))
        as [S1 [S2 [S3 [S4 S5]]]]. rewrite Hc in S1, S2, S3, S4, S5.
      split; [exact S1|]. split; [unfold attains; rewrite S3, S4; exact Hattains|].
      (* a strategy that keeps *)
      intros y Hplays Hstat Hkeeps. destruct y as [|i nx]; [destruct Hplays|]. pose proof Hplays as [Hallowed Hnext].
      apply allowed_listed in Hallowed; [|rewrite Hacts; now apply (listed_nonempty m Hm t st s)].
      destruct Hallowed as [a Ha]. pose proof Ha as Ha'. rewrite Hacts in Ha'.
      destruct (Hcell i a Ha') as [Hci Hch].
      assert (Hafter : forall o, In o (outcomes a) -> (0 < weight o)%Z ->
        throughout m g (keeps_here g kept') (length sts) (S t) (next o) (move g r o b) (nx (gain o, next o)) /\
        bounds (length sts) (S t) (next o) (move g r o b) (k0 + most - charge r o) (child o) (nx (gain o, next o))).
      { intros o Ho Hpos. destruct (Hch o Ho) as [_ [_ H]]. apply H; [apply (Hnext (gain o, next o)) | |];
          eapply (throughout_next m g Hm); eassumption. }
      assert (Hbounds : bounds (S (length sts)) t s b k0 (avg a) (Play i nx)).
      { apply (average_bounds sts t s b i a k0 most width child); try assumption. intros o Ho Hpos. now apply Hafter. }
      assert (Hhere : is_kept here i = true).
      { pose proof Hkeeps as [H _]. unfold keeps_here, flags_at in H. now rewrite Hlo in H. }
      assert (Hstill : znth still i = Some true).
      { unfold still. rewrite still_kept_at, Hci. cbn [option_map]. rewrite Z.add_0_l, Hhere. cbn [andb]. f_equal.
        apply Z.leb_le, le_IZR. rewrite mult_IZR, minus_IZR.
        destruct Hattains as [z [Hz [Hzcost Hzlaw]]]. destruct Hbounds as [Hycost Hylaw].
        pose proof (Hstationary (S (length sts)) t s b (Play i nx) z Hlen (proj1 Hstat) Hz) as Hs.
        eapply Rle_trans; [|eapply Rle_trans; [exact Hs|]].
        - apply Rmult_le_compat_l; lra.
        - assert (Hedge : forall y', plays m (S (length sts)) t s y' -> forall k,
            ((k < k0)%Z -> play m g (S (length sts)) t s b y' (level k) = IZR V) /\
            ((k0 + open found <= k)%Z -> play m g (S (length sts)) t s b y' (level k) = 0)).
          { intros y' Hy' k.
            exact (level_outside (st :: sts) t ((lo, hi) :: (lo', hi') :: ws) Hsts Hws Hnb0 s b y' k Hy'). }
          rewrite (gained_skip _ _ rs 0 k0 Hk0).
          2:{ intros k Hk. now rewrite (proj1 (Hedge _ Hplays k)), (proj1 (Hedge _ Hz k)) by lia. }
          rewrite Z.add_0_l.
          destruct (Hrows best (znth_In _ _ _ Hi0)) as [R1 _].
          destruct (Hrows (avg a) (znth_In _ _ _ Hci)) as [_ [R2 R3]].
          apply (regained_correct V); try congruence.
          + intros j Hj. specialize (Hylaw (k0 + j)%Z). now replace (k0 + j - k0)%Z with j in Hylaw by lia.
          + intros j Hj. specialize (Hzlaw (k0 + j)%Z). replace (k0 + j - k0)%Z with j in Hzlaw by lia.
            rewrite INR_IZR_INZ in Hzlaw. change (S (length sts)) with (length (st :: sts)) in Hzlaw at 3.
            rewrite <- zlen_length in Hzlaw. exact Hzlaw.
          + intros j Hj. rewrite (proj2 (Hedge _ Hplays (k0 + j)%Z)), (proj2 (Hedge _ Hz (k0 + j)%Z)) by lia.
            reflexivity. }
      split.
      + apply (throughout_listed m g Hm _ _ _ _ _ _ _ a Ha); [|intros o Ho Hpos; now apply Hafter].
        unfold keeps_here. rewrite Hkeep'. unfold is_kept. now rewrite Hstill.
      + destruct Hbounds as [Hycost Hylaw]. split.
        * rewrite S2. pose proof (Hleast i (avg a) Hci Hhere) as Hle. apply IZR_le in Hle. cbn [length]. lra.
        * intros k. destruct (S5 i (avg a) Hstill Hci (k - k0)%Z) as [L1 L2]. apply IZR_le in L1, L2.
          specialize (Hylaw k). fold k0. cbn [length]. lra.
  Qed.
End Cells.
