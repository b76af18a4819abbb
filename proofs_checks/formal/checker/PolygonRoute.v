(** * Piecewise linear weightings: the tests are sound

    [polygon_by_cover_correct]: an accepted upper bound exceeds the objective of every policy.
    [polygon_by_policy_correct]: an accepted lower bound is at most the objective of the policy in the certificate. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective ObjectiveFacts JointModel Rows Tree Program Check PolygonCheck
  Meaning ModelFacts RatFacts TablesBelow TablesAbove Budgets Means CostBounds PolygonObjective.
Import ListNotations.
Open Scope R_scope.

(** ** Windows that are never left above *)

Lemma never_above_at m g sts : forall t ws, skipn t (steps m) = sts -> skipn t (windows g) = ws ->
  all_never_above m g (rate_at m g t) ws sts = true -> forall i st, nth_error sts i = Some st ->
  never_above g (rate_at m g (t + i)) (window_end g (t + i)) (window_end g (S (t + i))) st = true.
Proof.
  induction sts as [|st0 sts IH]; intros t ws Hsts Hws H i st Hi; [now destruct i|]. cbn [all_never_above] in H.
  destruct ws as [|[lo hi] [|[lo' hi'] ws]]; try discriminate. apply andb_true_iff in H. destruct H as [H1 H2].
  destruct (skipn_cons _ _ _ _ Hsts) as [_ Hrest]. destruct (skipn_cons _ _ _ _ Hws) as [Hw Hwrest].
  destruct (skipn_cons _ _ _ _ Hwrest) as [Hw' _].
  destruct i as [|i].
  - cbn in Hi. injection Hi as <-. rewrite Nat.add_0_r. unfold window_end. now rewrite Hw, Hw'.
  - cbn in Hi. cbn [tl] in H2. rewrite Nat.add_succ_r. apply (IH (S t) ((lo', hi') :: ws) Hrest Hwrest H2 i st Hi).
Qed.

Theorem index_never_above m g start pi h n : good_grid g = true -> (jtime h + n = length (steps m))%nat ->
  all_never_above m g (rate_0 m g) (windows g) (steps m) = true ->
  (index_after m g start (fst h) <= window_end g (jtime h))%Z ->
  almost_surely (jrun (meaning m) pi n h) (fun h' =>
    (index_after m g start (fst h') <= window_end g (length (steps m)))%Z).
Proof.
  intros Hg Hn Hall H.
  pose (P := fun h : jhistory positive Z Z => (index_after m g start (fst h) <= window_end g (jtime h))%Z).
  assert (Has : almost_surely (jrun (meaning m) pi n h) (fun h' => P h' /\ jtime h' = (jtime h + n)%nat)).
  { apply as_jrun; [|cbn; lia | exact H].
    intros h0 a os p Ht HP Hin. unfold P in *. set (t := jtime h0) in *.
    change (jtime (jextend h0 a os)) with (S t). unfold jextend. cbn [fst snd index_after].
    change (length (fst h0)) with t. change (jhorizon (meaning m)) with (length (steps m)) in Ht.
    destruct (nth_error (steps m) t) as [st|] eqn:Est; [|apply nth_error_None in Est; lia].
    pose proof (never_above_at m g (steps m) 0 (windows g) eq_refl eq_refl Hall t st Est) as Hnb. cbn [Nat.add] in Hnb.
    unfold never_above in Hnb. apply andb_true_iff in Hnb. destruct Hnb as [H0 Hrest].
    destruct (grid_positive g Hg) as [_ [_ [H3 H4]]].
    assert (Hone : (move g (rate_at m g t) (Outcome 0 (fst os) 1) (window_end g t) <= window_end g (S t))%Z).
    { destruct (in_kernel m t (jstate h0) a os p Hin) as [->|[act [o [Hact [Ho ->]]]]]; cbn [fst];
        [now apply Z.leb_le in H0|].
      unfold actions_at in Hact. rewrite Est in Hact.
      destruct (get (jstate h0) st) as [acts|] eqn:Eacts; [|discriminate].
      pose proof (tall_get _ _ _ _ Hrest Eacts) as Hacts. rewrite forallb_forall in Hacts.
      specialize (Hacts act (znth_In _ _ _ Hact)). rewrite forallb_forall in Hacts. specialize (Hacts o Ho).
      now apply Z.leb_le in Hacts. }
    pose proof (move_mono g (rate_at m g t) (Outcome 0 (fst os) 1) _ _ H3 H4 HP) as Hmono. unfold moved. lia. }
  revert Has. apply as_impl. intros h' [HP Ht]. unfold P in HP. now rewrite Ht, Hn in HP.
Qed.

(** ** Boxes *)

Fixpoint inside (F : Z -> R) (k : Z) (b : box) : Prop :=
  match b with [] => True | (l, u) :: b' => ok l /\ ok u /\ real_of l <= F k <= real_of u /\ inside F (k + 1) b' end.

Lemma inside_cap F p (b : box) : ok p -> forall k i, inside F k b ->
  (forall j, (k + i <= j)%Z -> F j <= real_of p) -> inside F k (cap i p b).
Proof.
  intros Hp. induction b as [|[l u] b IH]; intros k i Hin Hle; [exact I|]. destruct Hin as [Hl [Hu [Hb Hrest]]].
  cbn [cap inside].
  split; [assumption|]. split; [destruct (i <=? 0)%Z; [now apply ok_rmin | assumption]|]. split.
  - split; [apply Hb|]. destruct (Z.leb_spec i 0) as [Hi|Hi]; [|apply Hb]. rewrite real_rmin by assumption.
    apply Rmin_glb; [apply Hb|]. apply Hle. lia.
  - apply IH; [assumption|]. intros j Hj. apply Hle. lia.
Qed.

Lemma inside_raise F p (b : box) : ok p -> forall k i, inside F k b ->
  (forall j, (j <= k + i)%Z -> real_of p <= F j) -> inside F k (raise i p b).
Proof.
  intros Hp. induction b as [|[l u] b IH]; intros k i Hin Hle; [exact I|]. destruct Hin as [Hl [Hu [Hb Hrest]]].
  cbn [raise inside].
  split; [destruct (0 <=? i)%Z; [now apply ok_rmax | assumption]|]. split; [assumption|]. split.
  - split; [|apply Hb]. destruct (Z.leb_spec 0 i) as [Hi|Hi]; [|apply Hb]. rewrite real_rmax by assumption.
    apply Rmax_lub; [apply Hb|]. apply Hle. lia.
  - apply IH; [assumption|]. intros j Hj. apply Hle. lia.
Qed.

Lemma inside_ext F F' (b : box) : (forall k, F k = F' k) -> forall k, inside F k b -> inside F' k b.
Proof.
  intros H. induction b as [|[l u] b IH]; intros k; [trivial|]. cbn [inside]. rewrite H.
  intros [Hl [Hu [Hb Hrest]]]. auto.
Qed.

Lemma inside_everything F {X} (l : list X) : (forall k, 0 <= F k <= 1) ->
  forall k z, inside F k (along (fun _ => (of_Z 0, of_Z 1)) z l).
Proof.
  intros HF. induction l as [|y l IH]; intros k z; cbn [along inside]; [exact I|]. split; [apply ok_of_Z|].
  split; [apply ok_of_Z|]. split; [rewrite !real_of_Z; apply HF | apply IH].
Qed.

Lemma length_cap p (b : box) : forall k, length (cap k p b) = length b.
Proof. induction b as [|[l u] b IH]; intros k; cbn; auto. Qed.
Lemma length_raised p (b : box) : forall k, length (raise k p b) = length b.
Proof. induction b as [|[l u] b IH]; intros k; cbn; auto. Qed.

(** Coordinate k of a box holds [fine] numbers, F (k fine), ..., F (k fine + fine - 1). *)
Definition held (F : Z -> R) (fine : Z) (b : box) : Prop :=
  forall i, (0 <= i < fine)%Z -> inside (fun k => F (k * fine + i)%Z) 0 b.

(** If every leaf says Q for the boxes that hold F, so does the tree. *)
Lemma covered_correct (F : Z -> R) (fine reach : Z) (leaf : list Z -> box -> bool) (passed : Z -> Z -> rat -> bool)
  (N : nat) (Q : Prop) : (forall j k, (j <= k)%Z -> F k <= F j) -> (0 < fine)%Z ->
  (reach = 0 /\ fine = 1 \/ reach = 1)%Z ->
  (forall costs b, length b = N -> leaf costs b = true -> held F fine b -> Q) ->
  (forall V k p, ok p -> passed V k p = true -> real_of p <= F (k * fine)%Z) ->
  forall c b, length b = N -> covered reach leaf passed c b = true -> held F fine b -> Q.
Proof.
  intros HF Hfine Hreach Hleaf Hpassed.
  assert (Hup : forall k p b, ok p -> held F fine b -> F (k * fine)%Z <= real_of p -> held F fine (cap k p b)).
  { intros k p b Hp Hin Hle i Hi. apply inside_cap; [assumption | now apply Hin|]. intros j Hj.
    eapply Rle_trans; [|exact Hle]. apply HF. nia. }
  assert (Hdown : forall k p b, ok p -> held F fine b -> real_of p <= F (k * fine)%Z ->
    held F fine (raise (k - reach) p b)).
  { intros k p b Hp Hin Hle i Hi. apply inside_raise; [assumption | now apply Hin|]. intros j Hj.
    eapply Rle_trans; [exact Hle|]. apply HF. nia. }
  induction c as [costs|k p below IHb above IHa|V k p rest IH|V costs rest _]; intros b Hlen H Hin; cbn [covered] in H;
    [now apply (Hleaf costs b)| | |discriminate]; repeat rewrite andb_true_iff in H; destruct H as [[Hp H1] H2];
    apply Z.ltb_lt in Hp.
  - destruct (Rle_dec (F (k * fine)%Z) (real_of p)) as [Hle|Hgt].
    + apply (IHb (cap k p b)); [now rewrite length_cap | assumption | now apply Hup].
    + apply (IHa (raise (k - reach) p b)); [now rewrite length_raised | assumption | apply Hdown; auto; lra].
  - apply (IH (raise (k - reach) p b)); [now rewrite length_raised | assumption | apply Hdown; auto].
    now apply (Hpassed V).
Qed.

(** ** Costs *)

Fixpoint cost_sum (F : Z -> R) (k : Z) (costs : list Z) : R :=
  match costs with [] => 0 | c :: costs' => IZR c * F k + cost_sum F (k + 1) costs' end.
Definition is_above (k i : Z) : R := if (k <? i)%Z then 1 else 0.

Lemma cost_sum_zero costs : forall k i, (i <= k)%Z -> cost_sum (fun j => is_above j i) k costs = 0.
Proof.
  induction costs as [|c costs IH]; intros k i H; cbn [cost_sum]; [reflexivity|]. rewrite IH by lia. unfold is_above.
  destruct (Z.ltb_spec k i); [lia|]. ring.
Qed.

Lemma unit_costs_behind F V k (l : list unit) : forall j,
  (k < j)%Z -> cost_sum F j (along (fun i => if (i =? k)%Z then V else 0%Z) j l) = 0.
Proof.
  induction l as [|y l IH]; intros j Hj; cbn [along cost_sum]; [reflexivity|]. rewrite IH by lia.
  destruct (Z.eqb_spec j k); [lia|]. ring.
Qed.

Lemma unit_costs_le F V k (l : list unit) : 0 <= IZR V * F k -> forall j,
  cost_sum F j (along (fun i => if (i =? k)%Z then V else 0%Z) j l) <= IZR V * F k.
Proof.
  intros Hpos. induction l as [|y l IH]; intros j; cbn [along cost_sum]; [lra|]. destruct (Z.eqb_spec j k) as [->|Hne].
  - rewrite unit_costs_behind by lia. lra.
  - specialize (IH (j + 1)%Z). lra.
Qed.

Lemma partial_sums_correct costs : forall acc k i x, (k <= i)%Z -> znth (partial_sums acc costs) (i - k) = Some x ->
  IZR x = IZR acc + cost_sum (fun j => is_above j i) k costs.
Proof.
  induction costs as [|c costs IH]; intros acc k i x Hk; cbn [partial_sums znth cost_sum].
  - destruct (i - k =? 0)%Z; [|discriminate]. intros H. injection H as <-. ring.
  - destruct (Z.eqb_spec (i - k) 0) as [E|E]; intros H.
    + injection H as <-. rewrite cost_sum_zero by lia.
      assert (is_above k i = 0) as -> by (unfold is_above; destruct (Z.ltb_spec k i); [lia | reflexivity]). ring.
    + replace (i - k - 1)%Z with (i - (k + 1))%Z in H by lia.
      rewrite (IH (acc + c)%Z (k + 1)%Z i x ltac:(lia) H), plus_IZR. 
      assert (is_above k i = 1) as -> by (unfold is_above; destruct (Z.ltb_spec k i); [reflexivity | lia]). ring.
Qed.

Lemma zlen_partial_sums costs : forall acc, zlen (partial_sums acc costs) = (zlen costs + 1)%Z.
Proof. induction costs as [|c costs IH]; intros acc; cbn [partial_sums zlen]; [reflexivity|]. rewrite IH. lia. Qed.

Lemma E_cost_sum {H} (D : dist H) (X : H -> Z) costs : forall k,
  E D (fun h => cost_sum (fun j => is_above j (X h)) k costs) = cost_sum (exceeds D X) k costs.
Proof.
  induction costs as [|c costs IH]; intros k; cbn [cost_sum]; [apply E_zero|]. rewrite E_plus, IH, E_scal. reflexivity.
Qed.

(** ** Upper bounds, for every weighting that is nowhere below the polygon *)

Section Cover.
  Variables (m : model) (corners : rat -> list (rat * rat)) (G : R -> R).
  Hypothesis Hm : good_model m = true.
  Hypothesis HG : weighting G.
  (** The polygon for values from p on. *)
  Hypothesis Hcorners : forall p, ok p -> corners_to_1 (of_Z 0) (corners p) = true /\ forall tau,
    0 <= tau <= 1 -> real_of p <= tau -> polygon 0 0 (corners p) tau <= G tau.
  Let M := meaning m.

  Lemma corners_nonempty p : ok p -> corners p <> [].
  Proof. intros Hp E. destruct (Hcorners p Hp) as [H _]. rewrite E in H. discriminate. Qed.

  Lemma tilted_sum_correct V (F : Z -> R) costs : (0 < V)%Z -> (forall k, 0 <= F k <= 1) -> forall b k x,
    tilted_sum V corners costs b = Some x -> inside F k b ->
    length costs = length b /\ IZR x <= IZR V * sum_along (fun j => G (F j)) k costs - cost_sum F k costs.
  Proof.
    intros HV HF. induction costs as [|c costs IH]; intros b k x; destruct b as [|[p q] b]; cbn [tilted_sum];
      try discriminate.
    - intros H _. injection H as <-. split; [reflexivity|]. cbn. lra.
    - destruct (least_on V c (of_Z 0) (of_Z 0) (corners p) p q) as [y|] eqn:Ey; [|discriminate].
      destruct (tilted_sum V corners costs b) as [z|] eqn:Ez; [|discriminate]. intros H [Hp [Hq [Hb Hrest]]].
      injection H as <-.
      destruct (IH b (k + 1)%Z z Ez Hrest) as [Hlen Hz]. split; [cbn; now rewrite Hlen|].
      destruct (Hcorners p Hp) as [Hto1 Hbelow].
      destruct (least_on_correct V c p q HV Hp Hq (corners p) (of_Z 0) (of_Z 0) Hto1 (ok_of_Z 0) (ok_of_Z 0) (F k))
        as [y' [Hy' Hle]];
        [rewrite real_of_Z; apply HF | apply HF | left; now apply corners_nonempty | assumption |].
      rewrite Ey in Hy'. injection Hy' as <-. rewrite !real_of_Z in Hle. rewrite plus_IZR. cbn [sum_along cost_sum].
      pose proof (Rmult_le_compat_l (IZR V) _ _ ltac:(apply IZR_lt in HV; lra) (Hbelow (F k) (HF k) (proj1 Hb))). lra.
  Qed.

  (** What the costs leave and what they cost is enough together. *)
  Lemma weak_duality V y x cost need S : (0 < V)%Z -> ok need ->
    rat_le need (rplus (Rat y (V * initial_den m)) (Rat x V)) = true -> / IZR (initial_den m) * IZR y <= cost ->
    IZR x <= IZR V * S - cost -> real_of need <= S.
  Proof.
    intros HV Hok Htest Hy Hx. destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]]. pose proof (IZR_lt _ _ G4) as G4'.
    pose proof (IZR_lt _ _ HV) as HV'.
    apply rat_le_correct in Htest; [|assumption | apply ok_rplus; unfold ok; cbn [den];
      [now apply Z.mul_pos_pos | assumption]].
    rewrite real_rplus in Htest by (unfold ok; cbn [den]; try apply Z.mul_pos_pos; assumption).
    eapply Rle_trans; [exact Htest|]. unfold real_of; cbn [num den]. rewrite mult_IZR.
    apply Rmult_le_reg_l with (IZR V); [assumption|].
    replace (IZR V * (IZR y / (IZR V * IZR (initial_den m)) + IZR x / IZR V))
      with (/ IZR (initial_den m) * IZR y + IZR x) by (field; lra). lra.
  Qed.

  (** What is tested before the cover. *)
  Definition cover_tests V g start lo hi lo' hi' : bool :=
    ((0 <? V) && good_grid g && (lo <=? start) && (start <=? hi) && (lo' <=? hi') &&
     all_never_below m g (rate_0 m g) (windows g) (steps m) &&
     all_never_above m g (rate_0 m g) (windows g) (steps m))%Z.
  Definition cover_top g start lo' : rat :=
    rminus (rmult (unit_size g) (of_Z start)) (rmult (unit_after g (unit_size g) (steps m)) (of_Z lo')).
  Definition cover_need g start lo' bound : rat :=
    rmult (rminus (cover_top g start lo') bound) (rinv (unit_after g (unit_size g) (steps m))).

  Lemma cover_tests_facts V g start lo hi lo' hi' : cover_tests V g start lo hi lo' hi' = true ->
    (0 < V)%Z /\ good_grid g = true /\ (lo <= start <= hi)%Z /\ (lo' <= hi')%Z /\
    all_never_below m g (rate_0 m g) (windows g) (steps m) = true /\
    all_never_above m g (rate_0 m g) (windows g) (steps m) = true.
  Proof.
    unfold cover_tests. repeat rewrite andb_true_iff. rewrite Z.ltb_lt, !Z.leb_le. tauto.
  Qed.

  Section Tested.
    Variables (V : Z) (g : grid) (start lo hi : Z) (ws : list (Z * Z)) (lo' hi' : Z).
    Hypothesis Hwindows : windows g = (lo, hi) :: ws.
    Hypothesis Hlast : window_after (windows g) (steps m) = Some (lo', hi').
    Hypothesis Htests : cover_tests V g start lo hi lo' hi' = true.
    Let T := length (steps m).

    Lemma tested_windows : window_start g 0 = lo /\ window_end g 0 = hi /\ window_start g T = lo' /\
      window_end g T = hi'.
    Proof.
      unfold window_start, window_end, T. rewrite (window_after_nth _ _ _ _ Hlast), Hwindows. repeat split.
    Qed.

    Lemma ok_cover_need bound : ok bound -> ok (cover_need g start lo' bound).
    Proof.
      intros Hb. destruct (cover_tests_facts _ _ _ _ _ _ _ Htests) as [_ [Hg _]].
      destruct (grid_positive g Hg) as [_ [Hu2 _]].
      assert (Hoku' : ok (unit_after g (unit_size g) (steps m))) by now apply ok_last_unit.
      assert (Hi : ok (rinv (unit_after g (unit_size g) (steps m))))
        by (apply (real_of_sign _ Hoku'); now apply last_unit_pos).
      unfold cover_need, cover_top. apply ok_rmult; [|exact Hi].
      repeat apply ok_rminus; try assumption; apply ok_rmult; try apply ok_of_Z; assumption.
    Qed.

    Section Policy.
      Variable pi : jpolicy positive Z Z.
      Hypothesis Hpi : is_jpolicy pi.
      Let X (h : jhistory positive Z Z) : Z := (index_after m g start (fst h) - lo')%Z.
      Definition index_cdf : Z -> R := exceeds (full_history_law M pi) X.

      Lemma last_index_inside s : almost_surely (jrun M pi T ([], s))
        (fun h => lo' <= index_after m g start (fst h) <= hi')%Z.
      Proof.
        destruct (cover_tests_facts _ _ _ _ _ _ _ Htests) as [_ [Hg [Hlo [_ [Hnb Hna]]]]].
        destruct tested_windows as [W1 [W2 [W3 W4]]].
        pose proof (index_never_below m g start Hg pi ([], s) T eq_refl Hnb) as H1.
        pose proof (index_never_above m g start pi ([], s) T Hg eq_refl Hna) as H2.
        cbn [fst index_after jtime length] in H1, H2. rewrite W1 in H1. rewrite W2 in H2. specialize (H1 (proj1 Hlo)).
        specialize (H2 (proj2 Hlo)). fold T in H1, H2. rewrite W3 in H1. rewrite W4 in H2.
        exact (as_and _ _ _ H1 H2).
      Qed.

      (** It is enough that the sum of G is as large as is needed. *)
      Theorem cover_enough bound : ok bound ->
        real_of (cover_need g start lo' bound) <=
          sum_along (fun k => G (index_cdf k)) 0 (repeat tt (Z.to_nat (hi' - lo'))) ->
        Phi G (jreturn_law M pi) <= real_of bound.
      Proof.
        intros Hb HS. destruct (cover_tests_facts _ _ _ _ _ _ _ Htests) as [_ [Hg [_ [Hle _]]]].
        destruct (grid_positive g Hg) as [_ [Hu2 _]].
        set (u' := unit_after g (unit_size g) (steps m)) in *.
        assert (Hoku' : ok u') by now apply ok_last_unit. assert (Hu' : 0 < real_of u') by now apply last_unit_pos.
        set (top := cover_top g start lo') in *.
        assert (Hoktop : ok top) by (apply ok_rminus; apply ok_rmult; try apply ok_of_Z; assumption).
        assert (Htop : real_of top = real_of (unit_size g) * IZR start - real_of u' * IZR lo').
        { unfold top, cover_top. fold u'. rewrite real_rminus, !real_rmult, !real_of_Z by auto using ok_rmult, ok_of_Z.
          reflexivity. }
        assert (Hneed : real_of (cover_need g start lo' bound) = (real_of top - real_of bound) / real_of u').
        { assert (Hn : (0 < num u')%Z) by now apply real_of_sign. assert (Hi : ok (rinv u')) by exact Hn.
          unfold cover_need. fold top u'. rewrite real_rmult, real_rminus, real_rinv by auto using ok_rminus.
          reflexivity. }
        set (H := full_history_law M pi). assert (HH : is_law H) by now apply law_H.
        assert (HX : almost_surely H (fun h => (0 <= X h <= hi' - lo')%Z)).
        { apply as_H. intros s. pose proof (last_index_inside s) as H1. revert H1. apply as_impl. intros h Hh. unfold X.
          lia. }
        apply Rle_trans with (Phi G (image (fun h => real_of top - real_of u' * IZR (X h)) H)).
        { unfold jreturn_law. apply (Phi_mono_coupling G HG H); [assumption|]. pose proof (H_time m pi) as Ht.
          revert Ht. apply as_impl. intros h Ht.
          pose proof (index_le_budget m g start Hm Hg (fst h)) as Hle'. rewrite Ht in Hle'. unfold u' in *.
          rewrite (last_unit m g) in *.
          rewrite Htop. unfold X. rewrite minus_IZR. fold M in Hle'. lra. }
        rewrite (Phi_eq_sum G H X (real_of top) (real_of u') HG HH Hu' (hi' - lo') ltac:(lia) HX).
        fold H index_cdf in HS |- *. change (exceeds H X) with index_cdf.
        rewrite Hneed in HS. apply (Rmult_le_compat_l (real_of u')) in HS; [|lra].
        replace (real_of u' * ((real_of top - real_of bound) / real_of u')) with (real_of top - real_of bound) in HS
          by (field; lra). lra.
      Qed.
    End Policy.

    (** At the end the table is the cost. *)
    Lemma look_partial_sums bottom costs b : length costs = Z.to_nat (hi' - lo') -> (lo' <= b <= hi')%Z ->
      IZR (look bottom lo' (partial_sums 0 costs) b) = cost_sum (fun j => is_above j (b - lo')) 0 costs.
    Proof.
      intros Hlen Hb. unfold look. destruct (Z.ltb_spec b lo'); [lia|].
      assert (Hzl : (b - lo' < zlen (partial_sums 0 costs))%Z).
      { rewrite zlen_partial_sums.
        assert (zlen costs = Z.of_nat (length costs)) as ->
          by (clear; induction costs as [|y l IH]; cbn [zlen length]; lia). lia. }
      destruct (znth (partial_sums 0 costs) (b - lo')) as [y|] eqn:Ey.
      - replace (b - lo')%Z with (b - lo' - 0)%Z in Ey by lia.
        rewrite (partial_sums_correct costs 0 0 (b - lo') y ltac:(lia) Ey). ring.
      - exfalso. assert (Hgen : forall (l : list Z) j, (0 <= j < zlen l)%Z -> znth l j <> None).
        { induction l as [|z l IH]; intros j Hj; cbn [zlen znth] in *; [lia|].
          destruct (Z.eqb_spec j 0); [discriminate|]. apply IH; lia. }
        apply (Hgen (partial_sums 0 costs) (b - lo')%Z); [lia | assumption].
    Qed.

    (** A level that the test says is passed, for a table that is a lower bound. *)
    Lemma passed_level (F : Z -> R) V0 k p : (forall j, 0 <= F j) -> ok p ->
      (forall costs bottom, length costs = Z.to_nat (hi' - lo') ->
        forallb (fun y => bottom <=? y)%Z (partial_sums 0 costs) = true ->
        / IZR (initial_den m) * IZR (start_look m bottom lo
          (table_below m g (rate_0 m g) bottom (partial_sums 0 costs) (windows g) (steps m)) start) <=
          cost_sum F 0 costs) ->
      passed_test m g start lo lo' hi' V0 k p = true -> real_of p <= F k.
    Proof.
      intros HF Hp Hdual Htest. destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]]. pose proof (IZR_lt _ _ G4) as G4'.
      unfold passed_test in Htest. repeat rewrite andb_true_iff in Htest.
      destruct Htest as [[HV0 Hbot] Htest]. apply Z.ltb_lt in HV0. pose proof (IZR_lt _ _ HV0) as HV0'.
      apply rat_le_correct in Htest; [|assumption | unfold ok; cbn [den]; now apply Z.mul_pos_pos].
      assert (Hlen0 : length (unit_costs V0 k lo' hi') = Z.to_nat (hi' - lo')).
      { unfold unit_costs, counter. replace (hi' - (lo' + 1) + 1)%Z with (hi' - lo')%Z by lia.
        assert (Hgen : forall (f : Z -> Z) n z, length (along f z (repeat tt n)) = n); [|apply Hgen].
        intros f n; induction n as [|n IH]; intros z; cbn; [reflexivity | now rewrite IH]. }
      pose proof (Hdual (unit_costs V0 k lo' hi') 0%Z Hlen0 Hbot) as Hle0.
      pose proof (unit_costs_le F V0 k (counter (lo' + 1) hi') ltac:(apply Rmult_le_pos; [lra | apply HF]) 0) as Hunit.
      fold (unit_costs V0 k lo' hi') in Hunit.
      eapply Rle_trans; [exact Htest|]. unfold real_of; cbn [num den]. rewrite mult_IZR.
      apply Rmult_le_reg_l with (IZR V0); [assumption|].
      match goal with |- _ * (IZR ?a / _) <= _ => replace (IZR V0 * (IZR a / (IZR V0 * IZR (initial_den m))))
        with (/ IZR (initial_den m) * IZR a) by (field; lra) end. lra.
    Qed.

    Lemma length_first_box : length (along (fun _ => (of_Z 0, of_Z 1)) lo' (counter (lo' + 1) hi')) =
      Z.to_nat (hi' - lo').
    Proof.
      unfold counter. replace (hi' - (lo' + 1) + 1)%Z with (hi' - lo')%Z by lia.
      generalize (Z.to_nat (hi' - lo')) as n. generalize lo' as z.
      intros z n; revert z; induction n as [|n IH]; intros z; cbn; [reflexivity | now rewrite IH].
    Qed.
  End Tested.

  Theorem polygon_by_cover_correct V g start boxes bound pi : ok bound ->
    polygon_by_cover m V g start boxes corners bound = true ->
    is_jpolicy pi -> plays_allowed M pi -> Phi G (jreturn_law M pi) <= real_of bound.
  Proof.
    intros Hb H Hpi Hal. unfold polygon_by_cover in H.
    destruct (windows g) as [|[lo hi] ws] eqn:Ew; [discriminate|].
    pose proof Ew as Ew'. rewrite <- Ew in H.
    destruct (window_after (windows g) (steps m)) as [[lo' hi']|] eqn:Elast; [|discriminate].
    apply andb_true_iff in H. destruct H as [Htests Hcov]. fold (cover_tests V g start lo hi lo' hi') in Htests.
    fold (cover_top g start lo') in Hcov. fold (cover_need g start lo' bound) in Hcov.
    apply (cover_enough V g start lo hi ws lo' hi' Ew' Elast Htests pi Hpi bound Hb).
    destruct (cover_tests_facts _ _ _ _ _ _ _ Htests) as [HV [Hg [Hstart [Hle [Hnb Hna]]]]].
    pose proof (IZR_lt _ _ HV) as HV'.
    destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]]. pose proof (IZR_lt _ _ G4) as G4'.
    destruct (tested_windows g lo hi ws lo' hi' Ew' Elast) as [W1 [_ [W3 _]]].
    pose proof (ok_cover_need V g start lo hi lo' hi' Htests bound Hb) as Hokneed.
    set (need := cover_need g start lo' bound) in *. set (T := length (steps m)) in *.
    set (H := full_history_law M pi). assert (HH : is_law H) by now apply law_H.
    set (F := index_cdf g start lo' pi).
    assert (HF : forall k, 0 <= F k <= 1) by (intros k; now apply exceeds_range).
    assert (Hanti : forall j k, (j <= k)%Z -> F k <= F j) by (intros j k Hjk; now apply exceeds_antitone).
    assert (Hdual : forall costs bottom, length costs = Z.to_nat (hi' - lo') ->
      forallb (fun y => bottom <=? y)%Z (partial_sums 0 costs) = true ->
      / IZR (initial_den m) * IZR (start_look m bottom lo
        (table_below m g (rate_0 m g) bottom (partial_sums 0 costs) (windows g) (steps m)) start) <=
        cost_sum F 0 costs).
    { intros costs bottom Hlen Hbot. set (terminal := partial_sums 0 costs) in *.
      set (v := table_below m g (rate_0 m g) bottom terminal (windows g) (steps m)).
      unfold F, index_cdf. rewrite <- E_cost_sum. rewrite (E_H m pi).
      replace (/ IZR (initial_den m) * IZR (start_look m bottom lo v start))
        with (E (jinit M) (fun s => IZR (look bottom lo (row_at v s) start))).
      2:{ unfold M. rewrite (E_init m). unfold start_look. rewrite IZR_zsum. f_equal. apply sum_ext. intros sw _.
      now rewrite mult_IZR. }
      apply E_le; [now apply is_jmdp_meaning|]. intros s.
      pose proof (table_below_le_cost m g bottom terminal start Hm Hg Hbot pi Hpi Hal (steps m) 0 (windows g) ([],
        s) eq_refl eq_refl eq_refl eq_refl) as Hdp.
      unfold bound_at in Hdp. rewrite W1 in Hdp. cbn [fst index_after jstate snd rate_at] in Hdp. fold v in Hdp.
      eapply Rle_trans; [exact Hdp|]. fold T. rewrite W3. right. apply E_ext_as.
      pose proof (last_index_inside V g start lo hi ws lo' hi' Ew' Elast Htests pi s) as Hi. revert Hi.
      apply as_impl. intros h Hh. now apply (look_partial_sums lo' hi'). }
    set (S := sum_along (fun k => G (F k)) 0 (repeat tt (Z.to_nat (hi' - lo')))).
    set (b0 := along (fun _ => (of_Z 0, of_Z 1)) lo' (counter (lo' + 1) hi')) in *.
    assert (Hlen0 : length b0 = Z.to_nat (hi' - lo')) by apply length_first_box.
    apply (covered_correct F 1 0 (dual_test m V g start lo corners need) (passed_test m g start lo lo' hi')
      (Z.to_nat (hi' - lo')) (real_of need <= S) Hanti) with (c := boxes) (b := b0);
      [lia | now left | | | assumption | assumption | intros i _; apply inside_everything; auto].
    2:{ intros V0 k p. rewrite Z.mul_1_r. intros Hp Htest.
        apply (passed_level g start lo lo' hi' F V0 k p (fun j => proj1 (HF j)) Hp Hdual Htest). }
    intros costs b Hlen Htest Hheld.
    assert (Hin : inside F 0 b)
      by (apply (inside_ext (fun k => F (k * 1 + 0)%Z)); [intros k; f_equal; lia | apply Hheld; lia]).
    unfold dual_test in Htest. set (terminal := partial_sums 0 costs) in *.
    set (bottom := smallest 0 terminal) in *.
    destruct (tilted_sum V corners costs b) as [x|] eqn:Ex; [|discriminate]. apply andb_true_iff in Htest.
    destruct Htest as [Hbot Htest].
    set (v := table_below m g (rate_0 m g) bottom terminal (windows g) (steps m)) in *.
    destruct (tilted_sum_correct V F costs HV HF b 0 x Ex Hin) as [Hlen' Hx].
    pose proof (Hdual costs bottom ltac:(congruence) Hbot) as Hdp. fold terminal in Hdp. fold v in Hdp.
    apply (weak_duality V _ x (cost_sum F 0 costs) need S HV Hokneed Htest Hdp).
    unfold S. rewrite (sum_along_length _ _ costs) by (rewrite repeat_length; congruence). exact Hx.
  Qed.

End Cover.

(** ** Lower bounds *)

Section Polygon.
  Variables (m : model) (corners : list (rat * rat)).
  Hypothesis Hm : good_model m = true.
  Hypothesis Hcorners : good_corners (of_Z 0) (of_Z 0) corners = true.
  Let M := meaning m.
  Let G := polygon 0 0 corners.
  Let HG : weighting G := weighting_polygon corners Hcorners.

  Lemma level_cost_correct V g start choices lo hi lo' hi' j x : (0 < V)%Z -> good_grid g = true -> (lo' <= j)%Z ->
    nth_error (windows g) 0 = Some (lo, hi) -> window_after (windows g) (steps m) = Some (lo', hi') ->
      (start <= hi)%Z ->
    level_cost m V g start choices lo lo' hi' j = Some x ->
    E (full_history_law M (policy_of m (ByBudget V g start choices)))
      (fun h => if (j <=? index_after m g start (fst h))%Z then 1 else 0) <=
    real_of (Rat x (V * initial_den m)).
  Proof.
    intros HV Hg Hj Hfirst Hlast Hstart Hx. destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]].
    pose proof (IZR_lt _ _ HV) as HV'. pose proof (IZR_lt _ _ G4) as G4'.
    unfold level_cost in Hx. set (v := table_above m g (rate_0 m g) 0 (level_row V j lo' hi') (windows g)
      (steps m) choices) in *.
    destruct (start_sum_inv _ _ _ Hx) as [f [-> Hf]]. rewrite <- (E_init_zsum m V Hm HV f), (E_H m).
    apply E_le_as; [now apply is_jmdp_meaning|].
    intros s p Hin _. destruct (in_init m s p Hin) as [w Hw]. specialize (Hf s w Hw). cbn beta in Hf.
    destruct (value_at v s) as [row|] eqn:Erow; [|discriminate]. injection Hf as Hf.
    set (F := fun b => if (j <=? b)%Z then IZR V else 0).
    assert (Hws : window_start g (length (steps m)) = lo')
      by (unfold window_start; now rewrite (window_after_nth _ _ _ _ Hlast)).
    assert (Hwe : window_end g (length (steps m)) = hi')
      by (unfold window_end; now rewrite (window_after_nth _ _ _ _ Hlast)).
    assert (HF : forall b, (b <= window_end g (length (steps m)))%Z ->
      F b <= IZR (look 0 (window_start g (length (steps m))) (level_row V j lo' hi') b)).
    { rewrite Hws, Hwe. intros b Hb. unfold F, level_row. destruct (Z_lt_le_dec b lo') as [H1|H1].
      - rewrite look_outside by lia. destruct (Z.leb_spec j b); [lia | lra].
      - rewrite look_along by (rewrite zlen_counter; lia). destruct (j <=? b)%Z; lra. }
    pose proof (cost_le_table_above m V g 0 (level_row V j lo' hi') start choices Hm Hg F HF (steps m) 0
      (windows g) choices ([], s) row
      eq_refl eq_refl eq_refl eq_refl eq_refl Erow) as Hle.
    cbn [fst index_after] in Hle. unfold window_start at 1, window_end at 1 in Hle. rewrite Hfirst in Hle.
    specialize (Hle Hstart).
    rewrite Hf in Hle. apply Rmult_le_reg_l with (IZR V); [assumption|].
    replace (IZR V * (IZR (f s) / IZR V)) with (IZR (f s)) by (field; lra).
    eapply Rle_trans; [|exact Hle]. rewrite <- E_scal. right. fold M. apply E_ext. intros h. unfold F.
    destruct (j <=? index_after m g start (fst h))%Z; ring.
  Qed.

  Theorem polygon_by_policy_correct V g start choices bound : ok bound ->
    polygon_by_policy m V g start choices corners bound = true ->
    real_of bound <= Phi G (jreturn_law M (policy_of m (ByBudget V g start choices))).
  Proof.
    intros Hb H. unfold polygon_by_policy in H.
    destruct (windows g) as [|[lo hi] ws] eqn:Ew; [discriminate|]. rewrite <- Ew in H.
    destruct (window_after (windows g) (steps m)) as [[lo' hi']|] eqn:Elast; [|discriminate].
    set (u' := unit_after g (unit_size g) (steps m)) in *.
    set (e := loss_after m g (rate_0 m g) (unit_size g) (steps m)) in *.
    set (top := rminus (rminus (rmult (unit_size g) (of_Z start)) e) (rmult u' (of_Z (lo' - 1)))) in *.
    repeat rewrite andb_true_iff in H. destruct H as [[[[[HV Hg] Hhi] Hle] Hna] H].
    apply Z.ltb_lt in HV. apply Z.leb_le in Hhi, Hle. pose proof (IZR_lt _ _ HV) as HV'.
    set (pi := policy_of m (ByBudget V g start choices)).
    destruct (level_sum _ V _ corners _) as [x|] eqn:Ex; [|discriminate].
    destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]]. pose proof (IZR_lt _ _ G4) as G4'.
    destruct (grid_positive g Hg) as [_ [Hu2 _]].
    assert (Hoku' : ok u') by now apply ok_last_unit. assert (Hu' : 0 < real_of u') by now apply last_unit_pos.
    assert (Hoke : ok e) by exact (ok_loss_after m g Hm Hg (steps m) 0).
    assert (Hok1 : ok (rmult (unit_size g) (of_Z start))) by (apply ok_rmult; [exact Hu2 | apply ok_of_Z]).
    assert (Hok2 : ok (rmult u' (of_Z (lo' - 1)))) by (apply ok_rmult; [exact Hoku' | apply ok_of_Z]).
    assert (Hoktop : ok top) by (unfold top; auto using ok_rminus).
    assert (Htop : real_of top = real_of (unit_size g) * IZR start - real_of e - real_of u' * IZR (lo' - 1)).
    { unfold top. rewrite !real_rminus, !real_rmult, !real_of_Z by auto using ok_rminus, ok_of_Z. reflexivity. }
    set (T := length (steps m)). set (H0 := full_history_law M pi).
    assert (Hwe : window_end g T = hi') by (unfold window_end, T; now rewrite (window_after_nth _ _ _ _ Elast)).
    assert (Hwe0 : window_end g 0 = hi) by (unfold window_end; now rewrite Ew).
    assert (HH : is_law H0) by (apply law_H; [assumption | apply is_jpolicy_playing]).
    set (X := fun h : jhistory positive Z Z => Z.max 0 (index_after m g start (fst h) - (lo' - 1))%Z).
    assert (HX : almost_surely H0 (fun h => (0 <= X h <= hi' - lo' + 1)%Z)).
    { apply as_H. intros s. pose proof (index_never_above m g start pi ([], s) T Hg eq_refl Hna) as H2.
      cbn [fst index_after jtime length] in H2. rewrite Hwe0 in H2. specialize (H2 Hhi).
      fold T in H2. rewrite Hwe in H2. revert H2. apply as_impl. intros h Hh. unfold X. lia. }
    apply rat_le_correct in H; [|assumption|].
    2:{ apply ok_rminus; [assumption|]. apply ok_rmult; [assumption | exact HV]. }
    assert (HokV : ok (Rat x V)) by exact HV. rewrite real_rminus, real_rmult in H by auto using ok_rmult.
    eapply Rle_trans; [exact H|].
    apply Rle_trans with (Phi G (image (fun h => real_of top - real_of u' * IZR (X h)) H0)).
    2:{ unfold jreturn_law. apply (Phi_mono_coupling G HG H0); [assumption|]. apply as_H. intros s.
        pose proof (budget_le_index m g start Hm Hg pi ([], s) T ltac:(reflexivity)) as Has.
        cbn [fst earned index_after jtime length unit_at] in Has. specialize (Has ltac:(lra)). revert Has.
        apply as_impl. intros h Hh.
        fold T in Hh. fold M in Hh. change (unit_at g T) with (unit_at g (length (steps m))) in Hh.
        rewrite <- (last_unit m g) in Hh. fold u' in Hh.
        change (rest_loss m g 0) with (real_of e) in Hh. rewrite Htop.
        assert (HXge : IZR (index_after m g start (fst h)) - IZR (lo' - 1) <= IZR (X h))
          by (rewrite <- minus_IZR; apply IZR_le; unfold X; lia).
        apply (Rmult_le_compat_l (real_of u')) in HXge; [|lra]. lra. }
    rewrite (Phi_eq_sum G H0 X (real_of top) (real_of u') HG HH Hu' (hi' - lo' + 1) ltac:(lia) HX).
    apply Rplus_le_compat_l, Ropp_le_contravar, Rmult_le_compat_l; [lra|].
    replace (repeat tt (Z.to_nat (hi' - lo' + 1))) with (counter lo' hi') by reflexivity.
    unfold real_of; cbn [num den]. apply Rmult_le_reg_l with (IZR V); [assumption|].
    replace (IZR V * (IZR x / IZR V)) with (IZR x) by (field; lra).
    assert (Hsum : forall l k x, (0 <= k)%Z ->
      level_sum (level_cost m V g start choices lo lo' hi') V (initial_den m) corners (along (fun j => j) (lo' + k) l) =
      Some x ->
      IZR V * sum_along (fun k => G (exceeds H0 X k)) k (l : list unit) <= IZR x).
    { clear x Ex H HokV. induction l as [|y l IH]; intros k x Hk; cbn [along level_sum sum_along]; intros Hx.
      - injection Hx as <-. lra.
      - destruct (level_cost m V g start choices lo lo' hi' (lo' + k)) as [z|] eqn:Ez; [|discriminate].
        replace (lo' + k + 1)%Z with (lo' + (k + 1))%Z in Hx by lia.
        destruct (level_sum _ V (initial_den m) corners (along (fun j => j) (lo' + (k + 1)) l)) as [z'|] eqn:Ez';
          [|discriminate].
        injection Hx as <-. specialize (IH (k + 1)%Z z' ltac:(lia) Ez'). rewrite plus_IZR, Rmult_plus_distr_l.
        apply Rplus_le_compat; [|exact IH].
        assert (Hfirst : nth_error (windows g) 0 = Some (lo, hi)) by now rewrite Ew.
        pose proof (level_cost_correct V g start choices lo hi lo' hi' (lo' + k) z HV Hg ltac:(lia) Hfirst Elast Hhi Ez)
          as Hp. fold pi in Hp. fold H0 in Hp.
        assert (HE : exceeds H0 X k = E H0 (fun h => if (lo' + k <=? index_after m g start (fst h))%Z then 1 else 0)).
        { apply E_ext. intros h. unfold X.
          destruct (Z.leb_spec (lo' + k) (index_after m g start (fst h))),
            (Z.ltb_spec k (Z.max 0 (index_after m g start (fst h) - (lo' - 1)))); try reflexivity; lia. }
        set (q := Rat z (V * initial_den m)) in *.
        assert (Hokq : ok q) by (unfold q, ok; cbn [den]; now apply Z.mul_pos_pos).
        assert (Hokp : ok (rmin (of_Z 1) q)) by (apply ok_rmin; [apply ok_of_Z | assumption]).
        destruct (polygon_at_correct corners (of_Z 0) (of_Z 0) _ Hcorners (ok_of_Z 0) (ok_of_Z 0) Hokp) as [Hokr Hr].
        eapply Rle_trans; [|apply le_rceil; apply ok_rmult; [apply ok_of_Z | assumption]].
        rewrite real_rmult, real_of_Z, Hr by auto using ok_of_Z.
        apply Rmult_le_compat_l; [lra|]. rewrite !real_of_Z. fold G. rewrite real_rmin, real_of_Z by auto using ok_of_Z.
        pose proof (exceeds_range H0 X HH k) as Hrange. apply (weighting_mono G HG); [apply Hrange | | apply Rmin_l].
        apply Rmin_glb; [apply Hrange|]. rewrite HE. exact Hp. }
    apply (Hsum (counter lo' hi') 0%Z x ltac:(lia)). rewrite Z.add_0_r. exact Ex.
  Qed.
End Polygon.
