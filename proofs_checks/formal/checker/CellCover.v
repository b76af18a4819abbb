(** * Covers by cells are sound

    [polygon_by_cell_cover_correct]: an accepted upper bound exceeds the objective of every policy.
    [polygon_by_lines_correct]: an accepted lower bound is at most the objective of the policy in the certificate.

    Rewards, discount and grid are rational, so that all returns lie on a common grid that is finer by a factor K than
    that of the cells.  There the objective is a sum over K numbers in each cell, which a box bounds alike. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective ObjectiveFacts JointModel Rows Tree Program Check PolygonCheck
  InterpolationCheck CellsCheck CellCoverCheck LawCheck Meaning ModelFacts RatFacts TablesBelow TablesAbove Budgets
  Means CostBounds TailObjective TailRoute PolygonObjective PolygonRoute Interpolation Coarser PlayedRow CellEnds Cells
  CellsRoute.
Import ListNotations.
Open Scope R_scope.

(** ** Sums over K numbers in each cell *)

Lemma sum_along_cells f (K : nat) : forall (n : nat) k,
  sum_along f (k * Z.of_nat K)%Z (repeat tt (n * K)) =
  sum_along (fun i => sum_along (fun j => f (j * Z.of_nat K + i)%Z) k (repeat tt n)) 0 (repeat tt K).
Proof.
  induction n as [|n IH]; intros k.
  - cbn [Nat.mul repeat sum_along]. rewrite sum_along_const. ring.
  - cbn [Nat.mul repeat sum_along]. rewrite repeat_app, sum_along_app, zlen_repeat, sum_along_plus, <- IH.
    f_equal; [|f_equal; lia].
    rewrite (sum_along_shift f (k * Z.of_nat K)). f_equal. lia.
Qed.

(** Of K numbers r are one, and the others another. *)
Lemma sum_of_two a b (K : nat) (r : Z) : (0 <= r <= Z.of_nat K)%Z ->
  sum_along (fun i => if (i <? r)%Z then a else b) 0 (repeat tt K) = IZR r * a + IZR (Z.of_nat K - r) * b.
Proof.
  intros Hr. assert (K = Z.to_nat r + Z.to_nat (Z.of_nat K - r))%nat as E by lia.
  rewrite E at 1. rewrite repeat_app, sum_along_app, zlen_repeat.
  set (f := fun i => if (i <? r)%Z then a else b).
  rewrite (sum_along_ext f (fun _ => a) (repeat tt (Z.to_nat r)) 0).
  2:{ intros i Hi. rewrite zlen_repeat in Hi. unfold f. destruct (Z.ltb_spec i r); [reflexivity | lia]. }
  rewrite (sum_along_ext f (fun _ => b) (repeat tt (Z.to_nat (Z.of_nat K - r)))).
  2:{ intros i Hi. unfold f. destruct (Z.ltb_spec i r); [lia | reflexivity]. }
  rewrite !sum_along_const, !zlen_repeat, !Z2Nat.id by lia. ring.
Qed.

(** The costs of a budget of x / K cells are those of a polygon, K times. *)
Lemma fine_costs costs (K : nat) x : (0 < K)%nat -> let k := Z.of_nat K in
  sum_along (fun i => cost_sum (fun j => is_above (j * k + i) x) 0 costs) 0 (repeat tt K) =
  IZR (x mod k) * cost_sum (fun j => is_above j (x / k + 1)) 0 costs +
    IZR (k - x mod k) * cost_sum (fun j => is_above j (x / k)) 0 costs.
Proof.
  intros HK k. assert (Hk : (0 < k)%Z) by lia. pose proof (Z.mod_pos_bound x k Hk) as Hr.
  pose proof (Z.div_mod x k ltac:(lia)) as Hx. set (r := (x mod k)%Z) in *. set (q := (x / k)%Z) in *.
  pose proof (sum_of_two (cost_sum (fun j => is_above j (q + 1)) 0 costs) (cost_sum (fun j => is_above j q) 0 costs) K
    r)
    as H2. fold k in H2. rewrite <- H2 by lia. apply sum_along_ext. intros i Hi. rewrite zlen_repeat in Hi.
  assert (Hext : forall f g, (forall j, f j = g j) -> forall c j, cost_sum f j c = cost_sum g j c).
  { intros f g H c. induction c as [|z c IH]; intros j; cbn [cost_sum]; [reflexivity|]. now rewrite H, IH. }
  destruct (Z.ltb_spec i r); apply Hext; intros j; unfold is_above; destruct (Z.ltb_spec (j * k + i) x).
  - destruct (Z.ltb_spec j (q + 1)); [reflexivity | nia].
  - destruct (Z.ltb_spec j (q + 1)); [nia | reflexivity].
  - destruct (Z.ltb_spec j q); [reflexivity | nia].
  - destruct (Z.ltb_spec j q); [nia | reflexivity].
Qed.

(** ** All returns lie on a common grid *)

Section Rational.
  Variable m : model.
  Hypothesis Hm : good_model m = true.
  Let M := meaning m.
  Let p := num (discount_rate m).
  Let q := den (discount_rate m).

  Lemma power_of_discount n : real_of (discount_rate m) ^ n * IZR q ^ n = IZR (p ^ Z.of_nat n).
  Proof.
    destruct (good_facts m Hm) as [_ [G2 _]]. apply IZR_lt in G2. fold q in G2.
    rewrite <- Rpow_mult_distr, <- pow_IZR. f_equal. unfold real_of. fold p q. field. lra.
  Qed.

  Lemma earned_rational l : exists z, earned M l * (IZR (reward_den m) * IZR q ^ length l) = IZR z.
  Proof.
    destruct (good_facts m Hm) as [_ [G2 [G3 _]]]. apply IZR_lt in G2, G3. fold q in G2.
    induction l as [|[[s a] o] l [z Hz]]; [exists 0%Z; cbn; ring|].
    exists (z * q + p ^ Z.of_nat (length l) * o * q)%Z. cbn [earned length pow].
    change (worth M o) with (IZR o / IZR (reward_den m)). change (discount M) with (real_of (discount_rate m)).
    rewrite plus_IZR, !mult_IZR, <- Hz, <- power_of_discount. field. lra.
  Qed.

  Lemma discounts_rational n : exists z, discount_sum m n * IZR q ^ n = IZR z.
  Proof.
    induction n as [|n [z Hz]]; [exists 0%Z; cbn; ring|]. exists (z * q + p ^ Z.of_nat n * q)%Z.
    cbn [discount_sum pow]. rewrite plus_IZR, !mult_IZR, <- Hz, <- power_of_discount. ring.
  Qed.

  Definition fineness (u u' : rat) : Z := (num u' * den u * reward_den m * q ^ Z.of_nat (length (steps m)))%Z.

  Lemma left_rational b u u' start l : ok u -> ok u' -> (0 < num u')%Z -> length l = length (steps m) ->
    exists z, left_over m b (real_of u * IZR start) l / real_of u' * IZR (fineness u u') = IZR z.
  Proof.
    intros Hu Hu' Hn Hl. destruct (good_facts m Hm) as [_ [G2 [G3 _]]]. apply IZR_lt in G2, G3, Hn. fold q in G2.
    apply ok_pos in Hu, Hu'.
    destruct (earned_rational l) as [z1 H1]. destruct (discounts_rational (length l)) as [z2 H2]. rewrite Hl in H1, H2.
    set (w := IZR q ^ length (steps m)) in *. set (T := length (steps m)) in *.
    exists (den u' * (num u * start * reward_den m * q ^ Z.of_nat T + den u * (z2 * b - z1)))%Z.
    unfold fineness, left_over. rewrite Hl. fold T. fold M.
    rewrite !mult_IZR, plus_IZR, !mult_IZR, minus_IZR, mult_IZR, <- H1, <- H2, <- pow_IZR. fold w.
    unfold real_of. field. repeat split; try lra.
  Qed.
End Rational.

Lemma Int_part_IZR z r : r = IZR z -> IZR (Int_part r) = r.
Proof.
  intros ->. destruct (base_Int_part (IZR z)) as [H1 H2]. f_equal. apply le_IZR in H1.
  assert (H3 : IZR z < IZR (Int_part (IZR z)) + 1) by lra. rewrite <- plus_IZR in H3. apply lt_IZR in H3. lia.
Qed.

(** ** The law of the budget that is left at the end *)

Section Ends.
  Variables (m : model) (c : cells) (start lo hi lo' hi' : Z) (pi : jpolicy positive Z Z).
  Hypothesis Hm : good_model m = true.
  Hypothesis Hc : good_cells m c = true.
  Let M := meaning m.
  Let T := length (steps m).
  Let u := cell_unit c.
  Let u' := last_cell_unit u (halvings c) (steps m).
  Let wsum := discount_weights m (steps m).
  Let budget := rmult u (of_Z start).
  Definition cells_top : rat :=
    rminus (rplus budget (rmult wsum (Rat (base c) (reward_den m)))) (rmult u' (of_Z lo')).
  Hypothesis Hfirst : nth_error (cell_windows c) 0 = Some (lo, hi).
  Hypothesis Hlast : window_after (cell_windows c) (steps m) = Some (lo', hi').
  Hypothesis Hstart : (lo <= start < hi)%Z.
  Hypothesis Hlohi' : (lo' <= hi')%Z.
  Hypothesis Hinside : ends_inside m c budget u' wsum lo' hi' = true.
  Hypothesis Hpi : is_jpolicy pi.
  Hypothesis Hal : plays_allowed M pi.
  Let H := full_history_law M pi.

  (** Numbers in each cell. *)
  Definition fine_cells : nat := Z.to_nat (fineness m u u').
  Let K := fine_cells.
  Let k := Z.of_nat K.
  Let left (h : jhistory positive Z Z) := left_over m (base c) (real_of u * IZR start) (fst h).
  Definition fine_index (h : jhistory positive Z Z) : Z := (Int_part (left h / real_of u' * IZR k) - lo' * k)%Z.
  Let X := fine_index.
  Definition fine_cdf : Z -> R := exceeds H X.
  Let F := fine_cdf.

  Lemma unit_facts : ok u /\ ok u' /\ 0 < real_of u' /\ (0 < num u')%Z /\ real_of u' = grid_before c T.
  Proof.
    destruct (cells_facts m c Hc) as [_ [Hu2 _]]. destruct (last_cell_unit_correct m c Hc) as [Hoku' Hu'].
    assert (Hpos : 0 < real_of u') by (unfold u', u; rewrite Hu'; now apply (grid_positive_at m c Hc)).
    repeat split; try assumption. now apply real_of_sign.
  Qed.

  Lemma fine_positive : (0 < k)%Z.
  Proof.
    destruct unit_facts as [Hu [_ [_ [Hn _]]]]. destruct (good_facts m Hm) as [_ [Gq [G3 _]]]. unfold k, K, fine_cells.
    assert (0 < fineness m u u')%Z; [|lia]. unfold fineness. unfold ok in Hu.
    repeat apply Z.mul_pos_pos; try assumption. apply Z.pow_pos_nonneg; [exact Gq | lia].
  Qed.

  Lemma top_facts : ok cells_top /\ real_of cells_top =
    real_of u * IZR start + discount_sum m T * (IZR (base c) / IZR (reward_den m)) - real_of u' * IZR lo'.
  Proof.
    destruct unit_facts as [Hu [Hu' _]]. destruct (good_facts m Hm) as [_ [_ [G3 _]]].
    destruct (discount_weights_correct m Hm (steps m)) as [Hoksum Hsum]. fold wsum T in Hoksum, Hsum.
    assert (Hokq : forall z, ok (Rat z (reward_den m))) by (intros z; exact G3).
    unfold cells_top, budget. split; [auto using ok_rminus, ok_rplus, ok_rmult, ok_of_Z|].
    rewrite real_rminus, real_rplus, !real_rmult, !real_of_Z, Hsum by auto using ok_rplus, ok_rmult, ok_of_Z.
    reflexivity.
  Qed.

  Lemma cell_ends : almost_surely H (fun h => left h = real_of u' * (IZR lo' + IZR (X h) / IZR k) /\
    (0 <= X h <= (hi' - lo') * k)%Z /\ earned M (fst h) = real_of cells_top - real_of u' / IZR k * IZR (X h)).
  Proof.
    destruct unit_facts as [Hoku [Hoku' [Hu' [Hn' _]]]]. pose proof fine_positive as Hkz.
    pose proof (IZR_lt _ _ Hkz) as Hk.
    destruct (good_facts m Hm) as [_ [_ [G3 _]]]. destruct top_facts as [_ Htop].
    destruct (discount_weights_correct m Hm (steps m)) as [Hoksum Hsum]. fold wsum T in Hoksum, Hsum.
    assert (Hokq : forall z, ok (Rat z (reward_den m))) by (intros z; exact G3).
    assert (Hreal : forall z, real_of (Rat z (reward_den m)) = IZR z / IZR (reward_den m)) by reflexivity.
    assert (Hokbudget : ok budget) by (unfold budget; auto using ok_rmult, ok_of_Z).
    assert (Hbudget : real_of budget = real_of u * IZR start)
      by (unfold budget; rewrite real_rmult, real_of_Z by auto using ok_of_Z; reflexivity).
    pose proof Hinside as Hin. unfold ends_inside in Hin. apply andb_true_iff in Hin. destruct Hin as [Hlow Hhigh].
    apply rat_le_correct in Hlow, Hhigh; auto using ok_rmult, ok_rminus, ok_rplus, ok_of_Z.
    rewrite real_rminus, !real_rmult, real_of_Z, Hsum, Hreal, Hbudget in Hlow by auto using ok_rmult, ok_of_Z.
    rewrite real_rplus, !real_rmult, real_of_Z, Hsum, Hreal, Hbudget in Hhigh by auto using ok_rmult, ok_of_Z.
    assert (HKz : k = fineness m u u') by (unfold k, K, fine_cells in *; lia).
    apply as_H. intros s. pose proof (left_range m c Hm pi (real_of u * IZR start) s) as Has. revert Has.
    apply as_impl. intros h [Hlen Hrange]. fold T in Hrange. change (left_over _ _ _ _) with (left h) in Hrange.
    destruct (left_rational m Hm (base c) u u' start (fst h) Hoku Hoku' Hn' Hlen) as [z Hz].
    change (left_over _ _ _ _) with (left h) in Hz. rewrite <- HKz in Hz. apply Int_part_IZR in Hz.
    assert (HX : IZR (X h) = (left h / real_of u' - IZR lo') * IZR k)
      by (unfold X, fine_index; rewrite minus_IZR, mult_IZR, Hz; ring).
    assert (Hleft : left h = real_of u' * (IZR lo' + IZR (X h) / IZR k)) by (rewrite HX; field; lra).
    split; [exact Hleft|]. split.
    - assert (IZR 0 <= IZR (X h) <= IZR ((hi' - lo') * k)).
      { rewrite HX, mult_IZR, minus_IZR. split.
        - apply Rmult_le_pos; [|lra]. apply Rmult_le_reg_l with (real_of u'); [assumption|].
          replace (real_of u' * (left h / real_of u' - IZR lo')) with (left h - real_of u' * IZR lo') by (field; lra).
          lra.
        - apply Rmult_le_compat_r; [lra|]. apply Rmult_le_reg_l with (real_of u'); [assumption|].
          replace (real_of u' * (left h / real_of u' - IZR lo')) with (left h - real_of u' * IZR lo') by (field; lra).
          lra. }
      split; apply le_IZR; lra.
    - pose proof (left_at_end m c (real_of u * IZR start) h Hlen) as Hend. fold T M in Hend.
      change (left_over _ _ _ _) with (left h) in Hend. rewrite Htop.
      replace (real_of u' / IZR k * IZR (X h)) with (left h - real_of u' * IZR lo') by (rewrite Hleft; field; lra).
      lra.
  Qed.

  Lemma law_of_ends : is_law H.
  Proof. now apply law_H. Qed.
  Lemma fine_cdf_range j : 0 <= F j <= 1.
  Proof. apply exceeds_range, law_of_ends. Qed.
  Lemma fine_cdf_antitone i j : (i <= j)%Z -> F j <= F i.
  Proof. intros Hij. apply exceeds_antitone; [apply law_of_ends | assumption]. Qed.

  (** The objective, as a sum over the numbers in all cells. *)
  Theorem Phi_of_cells G : weighting G -> Phi G (jreturn_law M pi) = real_of cells_top - real_of u' / IZR k *
    sum_along (fun i => sum_along (fun j => G (F (j * k + i)%Z)) 0 (repeat tt (Z.to_nat (hi' - lo')))) 0 (repeat tt K).
  Proof.
    intros HG. destruct unit_facts as [_ [_ [Hu' _]]]. pose proof fine_positive as Hkz.
    pose proof (IZR_lt _ _ Hkz) as Hk.
    assert (Hwidth : 0 < real_of u' / IZR k) by now apply Rdiv_lt_0_compat.
    set (value := fun h => real_of cells_top - real_of u' / IZR k * IZR (X h)).
    transitivity (Phi G (image value H)).
    { unfold jreturn_law. apply Rle_antisym; (apply (Phi_mono_coupling G HG H); [apply law_of_ends|];
        pose proof cell_ends as He; revert He; apply as_impl; intros h [_ [_ E]]; unfold value; rewrite E; lra). }
    unfold value.
    rewrite (Phi_eq_sum G H X (real_of cells_top) (real_of u' / IZR k) HG law_of_ends Hwidth ((hi' - lo') * k));
      [|nia | pose proof cell_ends as He; revert He; apply as_impl; tauto].
    do 2 f_equal. replace (Z.to_nat ((hi' - lo') * k)) with (Z.to_nat (hi' - lo') * K)%nat by (unfold k in *; nia).
    exact (sum_along_cells (fun j => G (F j)) K _ 0).
  Qed.

  (** Multipliers are the costs of a polygon of the budget that is left, which a table bounds. *)
  Theorem cells_costs all choices costs bottom : zlen costs = (hi' - lo')%Z ->
    forallb (fun y => bottom <=? y)%Z (partial_sums 0 costs) = true ->
    (all = false -> pi = playing m (cell_choice m c (real_of u * IZR start) choices)) ->
    IZR k * IZR (start_look m bottom lo (cells_table m all (base c) bottom (partial_sums 0 costs) (cell_rate_0 m c)
      (cell_windows c) (halvings c) (steps m) choices) start) <=
    IZR (initial_den m) * sum_along (fun i => cost_sum (fun j => F (j * k + i)%Z) 0 costs) 0 (repeat tt K).
  Proof.
    intros Hzlen Hbot Hplays. destruct unit_facts as [_ [_ [Hu'pos [_ Hu']]]]. pose proof fine_positive as Hkz.
    pose proof (IZR_lt _ _ Hkz) as Hk. destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]].
    pose proof (IZR_lt _ _ G4) as G4'.
    set (terminal := partial_sums 0 costs) in *.
    set (v := cells_table m all (base c) bottom terminal (cell_rate_0 m c) (cell_windows c) (halvings c) (steps m)
      choices).
    set (t := fun z => IZR (look bottom lo' terminal z)).
    assert (Hbt : forall z, IZR bottom <= t z).
    { intros z. unfold t. apply IZR_le. unfold look. destruct (z <? lo')%Z; [lia|].
      destruct (znth terminal (z - lo')) as [y|] eqn:E; [|lia].
      rewrite forallb_forall in Hbot. apply znth_In, Hbot in E. now apply Z.leb_le in E. }
    assert (Hterm : forall j, (0 <= j <= hi' - lo')%Z -> cost_sum (fun i => is_above i j) 0 costs = t (lo' + j)%Z).
    { intros j Hj. unfold t, look. destruct (Z.ltb_spec (lo' + j) lo'); [lia|].
      replace (lo' + j - lo')%Z with (j - 0)%Z by lia.
      destruct (znth terminal (j - 0)) as [y|] eqn:Ey.
      - rewrite (partial_sums_correct costs 0 0 j y ltac:(lia) Ey). ring.
      - exfalso. assert (Hgen : forall (l : list Z) i, (0 <= i < zlen l)%Z -> znth l i <> None).
        { induction l as [|z l IH]; intros i Hi; cbn [zlen znth] in *; [lia|].
          destruct (Z.eqb_spec i 0); [discriminate|]. apply IH; lia. }
        apply (Hgen terminal (j - 0)%Z); [unfold terminal; rewrite zlen_partial_sums; lia | assumption]. }
    set (Fn := fun beta => let z := Int_part (beta / real_of u') in let th := beta / real_of u' - IZR z in
      (1 - th) * t z + th * t (z + 1)%Z).
    assert (HFn : forall beta z th, 0 <= th <= 1 -> beta = real_of u' * (IZR z + th) ->
      Fn beta = (1 - th) * t z + th * t (z + 1)%Z).
    { intros beta z th Hth ->. unfold Fn. replace (real_of u' * (IZR z + th) / real_of u') with (IZR z + th)
        by (field; lra). destruct (base_Int_part (IZR z + th)) as [I1 I2].
      apply (same_place (Int_part (IZR z + th)) (IZR z + th - IZR (Int_part (IZR z + th))) z th ltac:(lra) Hth).
      ring. }
    assert (Hfloor : forall beta, IZR bottom <= Fn beta).
    { intros beta. unfold Fn. destruct (base_Int_part (beta / real_of u')) as [I1 I2].
      set (z := Int_part (beta / real_of u')) in *. set (th := beta / real_of u' - IZR z).
      pose proof (Rmult_le_compat_l (1 - th) _ _ ltac:(unfold th; lra) (Hbt z)).
      pose proof (Rmult_le_compat_l th _ _ ltac:(unfold th; lra) (Hbt (z + 1)%Z)). lra. }
    assert (Hws0 : cell_start c 0 = lo) by (unfold cell_start; now rewrite Hfirst).
    assert (Hwe0 : cell_end_of c 0 = hi) by (unfold cell_end_of; now rewrite Hfirst).
    assert (HwsT : cell_start c T = lo') by (unfold cell_start, T; now rewrite (window_after_nth _ _ _ _ Hlast)).
    assert (HweT : cell_end_of c T = hi') by (unfold cell_end_of, T; now rewrite (window_after_nth _ _ _ _ Hlast)).
    assert (Hterminal : forall beta, polygon_le (grid_before c T) bottom (cell_start c T) (cell_end_of c T) terminal
      beta (Fn beta)).
    { intros beta z th Hth Hbeta _ _. rewrite <- Hu' in Hbeta. rewrite HwsT. right. symmetry. now apply HFn. }
    assert (Hzterm : (zlen terminal = Z.max 0 (cell_end_of c T - cell_start c T + 1))%Z)
      by (rewrite HwsT, HweT; unfold terminal; rewrite zlen_partial_sums; lia).
    destruct (cells_table_le m c all choices bottom terminal (real_of u * IZR start) Fn pi Hm Hc Hfloor Hpi Hal
      Hplays Hterminal Hzterm (steps m) 0 (cell_windows c) (halvings c) eq_refl eq_refl eq_refl eq_refl)
      as [_ Htable]. cbn [cell_rate_at skipn] in Htable. fold v in Htable. rewrite Hws0, Hwe0 in Htable.
    assert (Hdual : IZR (start_look m bottom lo v start) <= IZR (initial_den m) * E H (fun h => Fn (left h))).
    { unfold H. rewrite (E_H m pi).
      apply Rle_trans with (IZR (initial_den m) * E (jinit M) (fun s => IZR (look bottom lo (row_at v s) start))).
      - right. unfold M. rewrite (E_init m). unfold start_look. rewrite IZR_zsum.
        rewrite (sum_ext (initial m) _ (fun sw => IZR (snd sw) * IZR (look bottom lo (row_at v (fst sw)) start)))
          by (intros; apply mult_IZR). field. lra.
      - apply Rmult_le_compat_l; [lra|]. apply E_le; [now apply is_jmdp_meaning|]. intros s.
        assert (Hone := Htable ([], s) eq_refl start 0 ltac:(lra)).
        rewrite Rminus_0_r, Rmult_1_l, Rmult_0_l, !Rplus_0_r in Hone.
        apply Hone; [|lia | lia]. unfold left_over. cbn [fst length discount_sum earned grid_before]. fold u.
        ring. }
    assert (Hcost : sum_along (fun i => cost_sum (fun j => F (j * k + i)%Z) 0 costs) 0 (repeat tt K) =
      IZR k * E H (fun h => Fn (left h))).
    { transitivity (E H (fun h => sum_along (fun i => cost_sum (fun j => is_above (j * k + i) (X h)) 0 costs) 0
        (repeat tt K))).
      - rewrite E_sum_along. apply sum_along_ext. intros i _. clear. generalize 0%Z as j.
        induction costs as [|z costs IH]; intros j; cbn [cost_sum]; [symmetry; apply E_zero|].
        rewrite E_plus, IH, E_scal. reflexivity.
      - rewrite <- E_scal. apply E_ext_as. pose proof cell_ends as He. revert He. apply as_impl. intros h [Hleft [HX
        _]].
        unfold k at 1. rewrite (fine_costs costs K (X h)) by (unfold k in *; lia). fold k.
        pose proof (Z.mod_pos_bound (X h) k Hkz) as Hr.
        pose proof (Z.div_mod (X h) k ltac:(lia)) as Hx. set (r := (X h mod k)%Z) in *. set (a := (X h / k)%Z) in *.
        assert (Ha : (0 <= a <= hi' - lo')%Z) by nia.
        rewrite (HFn (left h) (lo' + a)%Z (IZR r / IZR k)).
        + rewrite (Hterm a Ha). replace (lo' + a + 1)%Z with (lo' + (a + 1))%Z by lia. rewrite minus_IZR.
          destruct (Z.eq_dec a (hi' - lo')) as [E|E].
          * assert (Hr0 : r = 0%Z) by nia. rewrite Hr0. field. lra.
          * rewrite (Hterm (a + 1)%Z ltac:(lia)). field. lra.
        + destruct Hr as [R1 R2]. apply IZR_le in R1. apply IZR_lt in R2. split.
          * apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat].
          * apply Rmult_le_reg_r with (IZR k); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
        + rewrite Hleft, Hx, !plus_IZR, mult_IZR. field. lra. }
    rewrite Hcost. apply (Rmult_le_compat_l (IZR k)) in Hdual; [|lra]. lra.
  Qed.
End Ends.

(** ** Upper bounds *)

Section Cover.
  Variables (m : model) (corners : rat -> list (rat * rat)) (G : R -> R).
  Hypothesis Hm : good_model m = true.
  Hypothesis HG : weighting G.
  Hypothesis Hcorners : forall p, ok p -> corners_to_1 (of_Z 0) (corners p) = true /\ forall tau,
    0 <= tau <= 1 -> real_of p <= tau -> polygon 0 0 (corners p) tau <= G tau.
  Let M := meaning m.

  Theorem polygon_by_cell_cover_correct V c start boxes bound pi : ok bound ->
    polygon_by_cell_cover m V c start boxes corners bound = true ->
    is_jpolicy pi -> plays_allowed M pi -> Phi G (jreturn_law M pi) <= real_of bound.
  Proof.
    intros Hb H Hpi Hal. unfold polygon_by_cell_cover in H.
    destruct (cell_windows c) as [|[lo hi] ws] eqn:Ew; [discriminate|]. rewrite <- Ew in H.
    destruct (window_after (cell_windows c) (steps m)) as [[lo' hi']|] eqn:Elast; [|discriminate]. cbv zeta in H.
    set (u' := last_cell_unit (cell_unit c) (halvings c) (steps m)) in *.
    change (rminus (rplus (rmult (cell_unit c) (of_Z start)) _) _) with (cells_top m c start lo') in H.
    set (need := rmult (rminus (cells_top m c start lo') bound) (rinv u')) in *.
    repeat rewrite andb_true_iff in H. destruct H as [[[[[[HV Hc] Hlo] Hhi] Hlohi'] Hends] Hcov].
    apply Z.ltb_lt in HV, Hhi. apply Z.leb_le in Hlo, Hlohi'. pose proof (IZR_lt _ _ HV) as HV'.
    destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]]. pose proof (IZR_lt _ _ G4) as G4'.
    destruct (unit_facts m c Hc) as [_ [Hoku' [Hu' [Hn' _]]]]. fold u' in Hoku', Hu', Hn'.
    destruct (top_facts m c start lo' Hm Hc) as [Hoktop _].
    assert (Hneed : ok need /\ real_of need = (real_of (cells_top m c start lo') - real_of bound) / real_of u').
    { assert (Hi : ok (rinv u')) by exact Hn'. unfold need.
      split; [auto using ok_rmult, ok_rminus|]. rewrite real_rmult, real_rminus, real_rinv by auto using ok_rminus.
      reflexivity. }
    destruct Hneed as [Hokneed Hneed].
    assert (Hfirst : nth_error (cell_windows c) 0 = Some (lo, hi)) by now rewrite Ew.
    unfold M. rewrite (Phi_of_cells m c start lo hi lo' hi' pi Hm Hc (conj Hlo Hhi) Hlohi' Hends Hpi G HG). fold u'.
    pose proof (fine_positive m c Hm Hc) as Hkz. pose proof (IZR_lt _ _ Hkz) as Hk.
    set (K := fine_cells m c) in *. set (k := Z.of_nat K) in *. set (F := fine_cdf m c start lo' pi).
    set (n := Z.to_nat (hi' - lo')).
    assert (HF : forall j, 0 <= F j <= 1) by (intros j; now apply fine_cdf_range).
    assert (Hanti : forall i j, (i <= j)%Z -> F j <= F i) by (intros i j Hij; now apply fine_cdf_antitone).
    set (S := sum_along (fun i => sum_along (fun j => G (F (j * k + i)%Z)) 0 (repeat tt n)) 0 (repeat tt K)).
    assert (HS : IZR k * real_of need <= S).
    { set (b0 := along (fun _ => (of_Z 0, of_Z 1)) lo' (counter (lo' + 1) hi')) in *.
      assert (Hlen0 : length b0 = n).
      { unfold b0, counter, n. replace (hi' - (lo' + 1) + 1)%Z with (hi' - lo')%Z by lia.
        generalize (Z.to_nat (hi' - lo')) as i. generalize lo' as z.
        intros z i; revert z; induction i as [|i IH]; intros z; cbn; [reflexivity | now rewrite IH]. }
      apply (covered_correct F k 1 (cells_dual_test m V c start lo corners need) (fun _ _ _ => false) n
        (IZR k * real_of need <= S) Hanti) with (c := boxes) (b := b0);
        [lia | now right | | discriminate | assumption | assumption | intros i _; apply inside_everything; auto].
      intros costs b Hlen Htest Hheld. unfold cells_dual_test in Htest.
      destruct (tilted_sum V corners costs b) as [x|] eqn:Ex; [|discriminate]. apply andb_true_iff in Htest.
      destruct Htest as [Hbot Htest]. set (bottom := smallest 0 (partial_sums 0 costs)) in *.
      set (look0 := start_look m bottom lo _ start) in Htest.
      assert (Hl : length costs = length b)
        by (eapply (tilted_sum_correct corners G Hcorners V (fun j => F (j * k + 0)%Z));
          [assumption | intros; apply HF | exact Ex | apply (Hheld 0%Z); lia]).
      assert (Hzlen : zlen costs = (hi' - lo')%Z).
      { assert (Hz : forall l : list Z, zlen l = Z.of_nat (length l))
          by (intros l; induction l as [|y l IH]; cbn [zlen length]; lia).
        rewrite Hz, Hl, Hlen. unfold n. lia. }
      assert (Hmin : IZR k * IZR x <= IZR V * S -
        sum_along (fun i => cost_sum (fun j => F (j * k + i)%Z) 0 costs) 0 (repeat tt K)).
      { unfold S. rewrite <- sum_along_scal.
        apply Rle_trans with (sum_along (fun _ => IZR x) 0 (repeat tt K)).
        { rewrite sum_along_const, zlen_repeat. fold k. lra. }
        apply Rle_trans with (sum_along (fun i => IZR V * sum_along (fun j => G (F (j * k + i)%Z)) 0 (repeat tt n) -
          cost_sum (fun j => F (j * k + i)%Z) 0 costs) 0 (repeat tt K)).
        2:{ right. exact (sum_along_minus (fun i => IZR V * sum_along (fun j => G (F (j * k + i)%Z)) 0 (repeat tt n))
              (fun i => cost_sum (fun j => F (j * k + i)%Z) 0 costs) (repeat tt K) 0). }
        apply sum_along_le. intros i Hi. rewrite zlen_repeat in Hi.
        destruct (tilted_sum_correct corners G Hcorners V (fun j => F (j * k + i)%Z) costs HV
          ltac:(intros; apply HF) b 0 x Ex ltac:(apply Hheld; lia)) as [_ Hx].
        rewrite (sum_along_length _ (repeat tt n) costs) by (rewrite repeat_length; congruence). exact Hx. }
      pose proof (cells_costs m c start lo hi lo' hi' pi Hm Hc Hfirst Elast (conj Hlo Hhi) Hlohi' Hends Hpi Hal true []
        costs
        bottom Hzlen Hbot ltac:(discriminate)) as Hdual. fold K k F look0 in Hdual.
      set (e := sum_along (fun i => cost_sum (fun j => F (j * k + i)%Z) 0 costs) 0 (repeat tt K)) in *.
      apply rat_le_correct in Htest; [|assumption | apply ok_rplus; unfold ok; cbn [den];
        [now apply Z.mul_pos_pos | assumption]].
      rewrite real_rplus in Htest by (unfold ok; cbn [den]; try apply Z.mul_pos_pos; assumption).
      unfold real_of at 2 3 in Htest. cbn [num den] in Htest. rewrite mult_IZR in Htest.
      apply Rmult_le_reg_l with (IZR V); [assumption|].
      assert (Hs1 : IZR k * (IZR look0 / IZR (initial_den m)) <= e).
      { apply Rmult_le_reg_l with (IZR (initial_den m)); [assumption|].
        replace (IZR (initial_den m) * (IZR k * (IZR look0 / IZR (initial_den m)))) with (IZR k * IZR look0)
          by (field; lra). lra. }
      assert (Ht1 : IZR V * (IZR k * real_of need) <= IZR k * (IZR look0 / IZR (initial_den m)) + IZR k * IZR x).
      { apply Rle_trans with (IZR V * (IZR k * (IZR look0 / (IZR V * IZR (initial_den m)) + IZR x / IZR V))).
        - apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra.
        - right. field. lra. }
      lra. }
    rewrite Hneed in HS. assert (Hwidth : 0 < real_of u' / IZR k) by now apply Rdiv_lt_0_compat.
    apply (Rmult_le_compat_l (real_of u' / IZR k)) in HS; [|lra].
    replace (real_of u' / IZR k * (IZR k * ((real_of (cells_top m c start lo') - real_of bound) / real_of u')))
      with (real_of (cells_top m c start lo') - real_of bound) in HS by (field; lra). lra.
  Qed.
End Cover.

(** ** Lower bounds: lines above the polygon, one for each cell *)

Lemma chord_below_ends x g x' g' c tau : x < x' -> x <= tau <= x' ->
  chord x g x' g' tau - c * tau <= Rmax (g - c * x) (g' - c * x').
Proof.
  intros Hx Ht. set (s := (g' - g) / (x' - x)).
  assert (Haff : forall y, chord x g x' g' y - c * y = (g - x * s) + (s - c) * y)
    by (intros y; unfold chord, s; field; lra).
  rewrite Haff. destruct (Rle_dec 0 (s - c)).
  - eapply Rle_trans; [|apply Rmax_r]. replace (g' - c * x') with ((g - x * s) + (s - c) * x')
      by (unfold s; field; lra). apply Rplus_le_compat_l, Rmult_le_compat_l; lra.
  - eapply Rle_trans; [|apply Rmax_l]. replace (g - c * x) with ((g - x * s) + (s - c) * x) by ring.
    apply Rplus_le_compat_l. pose proof (Rmult_le_compat_neg_l (s - c) x tau ltac:(lra) ltac:(lra)). lra.
Qed.

Lemma most_on_ge V c : (0 < V)%Z -> forall l x g tau, good_corners x g l = true -> ok x -> ok g ->
  real_of x <= tau <= 1 ->
  IZR V * polygon (real_of x) (real_of g) l tau - IZR c * tau <= IZR (most_on V c x g l).
Proof.
  intros HV. pose proof (IZR_lt _ _ HV) as HV'.
  assert (Hend : forall x g, ok x -> ok g -> IZR V * real_of g - IZR c * real_of x <= IZR (tilted_up V c g x)).
  { intros x g Hx Hg. unfold tilted_up. eapply Rle_trans; [|apply le_rceil; auto using ok_rminus, ok_rmult, ok_of_Z].
    rewrite real_rminus, !real_rmult, !real_of_Z by auto using ok_rmult, ok_of_Z. lra. }
  induction l as [|[x' g'] l IH]; intros x g tau H Hx Hg Htau.
  - cbn [most_on polygon]. cbn [good_corners] in H. apply andb_true_iff in H. destruct H as [E _].
    apply Z.eqb_eq in E. assert (real_of x = 1) by (unfold real_of; rewrite E; apply ok_pos in Hx; field; lra).
    assert (tau = real_of x) as -> by lra. now apply Hend.
  - pose proof H as H0. cbn [good_corners] in H. repeat rewrite andb_true_iff in H.
    destruct H as [[[[H1 H2] H3] _] H5]. apply Z.ltb_lt in H1, H2. apply rat_lt_correct in H3; try assumption.
    cbn [most_on]. rewrite polygon_unfold. destruct (Rle_dec tau (real_of x')) as [Hle|Hgt].
    + pose proof (chord_below_ends (real_of x) (real_of g) (real_of x') (real_of g') (IZR c / IZR V) tau H3
        ltac:(lra)) as Hc. apply (Rmult_le_compat_l (IZR V)) in Hc; [|lra].
      rewrite <- RmaxRmult in Hc by lra.
      replace (IZR V * (chord (real_of x) (real_of g) (real_of x') (real_of g') tau - IZR c / IZR V * tau))
        with (IZR V * chord (real_of x) (real_of g) (real_of x') (real_of g') tau - IZR c * tau) in Hc by (field; lra).
      eapply Rle_trans; [exact Hc|]. apply Rmax_lub.
      * eapply Rle_trans; [|apply IZR_le, Z.le_max_l]. eapply Rle_trans; [|apply (Hend x g Hx Hg)]. right. field. lra.
      * eapply Rle_trans; [|apply IZR_le, Z.le_max_r].
        eapply Rle_trans; [|apply (IH x' g' (real_of x') H5 H1 H2)].
        -- rewrite (polygon_start x' g' l H5 H1 H2). right. field. lra.
        -- pose proof (polygon_end l x' g' H5 H1 H2). lra.
    + eapply Rle_trans; [|apply IZR_le, Z.le_max_r]. apply IH; try assumption. lra.
Qed.

Section Lines.
  Variables (m : model) (corners : list (rat * rat)).
  Hypothesis Hm : good_model m = true.
  Hypothesis Hcorners : good_corners (of_Z 0) (of_Z 0) corners = true.
  Let M := meaning m.
  Let G := polygon 0 0 corners.
  Let HG : weighting G := weighting_polygon corners Hcorners.

  Lemma lines_sum_ge V (F : Z -> R) : (0 < V)%Z -> (forall j, 0 <= F j <= 1) -> forall costs j,
    IZR V * sum_along (fun j => G (F j)) j costs - cost_sum F j costs <= IZR (zsum (fun c =>
      most_on V c (of_Z 0) (of_Z 0) corners) costs).
  Proof.
    intros HV HF. induction costs as [|c costs IH]; intros j; cbn [sum_along cost_sum zsum]; [lra|].
    specialize (IH (j + 1)%Z). rewrite plus_IZR.
    pose proof (most_on_ge V c HV corners (of_Z 0) (of_Z 0) (F j) Hcorners (ok_of_Z 0) (ok_of_Z 0)) as H1.
    rewrite !real_of_Z in H1. specialize (H1 (HF j)). fold G in H1. lra.
  Qed.

  Theorem polygon_by_lines_correct V c start costs choices bound : ok bound ->
    polygon_by_lines m V c start costs choices corners bound = true ->
    real_of bound <= Phi G (jreturn_law M (policy_of m (ByLines V c start costs choices))).
  Proof.
    intros Hb H. unfold polygon_by_lines in H.
    destruct (cell_windows c) as [|[lo hi] ws] eqn:Ew; [discriminate|]. rewrite <- Ew in H.
    destruct (window_after (cell_windows c) (steps m)) as [[lo' hi']|] eqn:Elast; [|discriminate]. cbv zeta in H.
    set (u' := last_cell_unit (cell_unit c) (halvings c) (steps m)) in *.
    change (rminus (rplus (rmult (cell_unit c) (of_Z start)) _) _) with (cells_top m c start lo') in H.
    repeat rewrite andb_true_iff in H. destruct H as [[[[[[[[HV Hc] Hlo] Hhi] Hlohi'] Hends] Hzlen] Hbot] Htest].
    apply Z.ltb_lt in HV, Hhi. apply Z.leb_le in Hlo, Hlohi'. apply Z.eqb_eq in Hzlen.
    pose proof (IZR_lt _ _ HV) as HV'.
    destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]]. pose proof (IZR_lt _ _ G4) as G4'.
    destruct (unit_facts m c Hc) as [_ [Hoku' [Hu' [Hn' _]]]]. fold u' in Hoku', Hu', Hn'.
    destruct (top_facts m c start lo' Hm Hc) as [Hoktop _].
    set (pi := policy_of m (ByLines V c start costs choices)).
    assert (Hpi : is_jpolicy pi) by apply is_jpolicy_playing.
    assert (Hal : plays_allowed M pi) by apply plays_allowed_playing.
    assert (Hfirst : nth_error (cell_windows c) 0 = Some (lo, hi)) by now rewrite Ew.
    unfold M. rewrite (Phi_of_cells m c start lo hi lo' hi' pi Hm Hc (conj Hlo Hhi) Hlohi' Hends Hpi G HG). fold u'.
    pose proof (fine_positive m c Hm Hc) as Hkz. pose proof (IZR_lt _ _ Hkz) as Hk.
    set (K := fine_cells m c) in *. set (k := Z.of_nat K) in *. set (F := fine_cdf m c start lo' pi).
    assert (HF : forall j, 0 <= F j <= 1) by (intros j; now apply fine_cdf_range).
    set (S := sum_along _ 0 (repeat tt K)). set (lost := map Z.opp costs) in *.
    assert (Hzlost : zlen lost = (hi' - lo')%Z).
    { rewrite <- Hzlen. unfold lost. clear. induction costs as [|z costs IH]; cbn [map zlen]; [reflexivity | now
      rewrite IH]. }
    set (bottom := smallest 0 (partial_sums 0 lost)) in *.
    pose proof (cells_costs m c start lo hi lo' hi' pi Hm Hc Hfirst Elast (conj Hlo Hhi) Hlohi' Hends Hpi Hal false
      choices lost
      bottom Hzlost Hbot (fun _ => eq_refl)) as Hdual. fold K k F in Hdual.
    set (look0 := start_look m bottom lo _ start) in *.
    set (e := sum_along (fun i => cost_sum (fun j => F (j * k + i)%Z) 0 costs) 0 (repeat tt K)).
    assert (He : sum_along (fun i => cost_sum (fun j => F (j * k + i)%Z) 0 lost) 0 (repeat tt K) = - e).
    { assert (Hopp : forall (f : Z -> R) (l : list Z) j, cost_sum f j (map Z.opp l) = -1 * cost_sum f j l).
      { induction l as [|z l IH]; intros j; cbn [map cost_sum]; [ring|]. rewrite IH, opp_IZR. ring. }
      transitivity (-1 * e); [|ring]. unfold e. rewrite <- sum_along_scal. apply sum_along_ext. intros i _.
      apply Hopp. }
    rewrite He in Hdual. set (most := zsum (fun c => most_on V c (of_Z 0) (of_Z 0) corners) costs) in *.
    assert (Hmost : IZR V * S - e <= IZR k * IZR most).
    { unfold S, e. rewrite <- sum_along_scal. rewrite <- sum_along_minus.
      apply Rle_trans with (sum_along (fun _ => IZR most) 0 (repeat tt K)).
      2:{ rewrite sum_along_const, zlen_repeat. fold k. lra. }
      apply sum_along_le. intros i Hi. cbn beta.
      assert (Hz : forall l : list Z, zlen l = Z.of_nat (length l))
        by (intros l; induction l as [|y l IH]; cbn [zlen length]; lia).
      rewrite (sum_along_length _ (repeat tt (Z.to_nat (hi' - lo'))) costs)
        by (rewrite repeat_length, <- Hzlen, Hz; lia).
      apply lines_sum_ge; [assumption | intros; apply HF]. }
    assert (Hokq : ok (Rat (most * initial_den m - look0) (V * initial_den m)))
      by (unfold ok; cbn [den]; now apply Z.mul_pos_pos).
    apply rat_le_correct in Htest; auto using ok_rminus, ok_rmult.
    rewrite real_rminus, real_rmult in Htest by auto using ok_rmult.
    eapply Rle_trans; [exact Htest|]. apply Rplus_le_compat_l, Ropp_le_contravar.
    unfold real_of at 3; cbn [num den]. rewrite minus_IZR, !mult_IZR.
    replace (real_of u' / IZR k * S) with (real_of u' * (S / IZR k)) by (field; lra).
    apply Rmult_le_compat_l; [lra|].
    apply Rmult_le_reg_l with (IZR V * IZR (initial_den m) * IZR k);
      [apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat | assumption]|].
    replace (IZR V * IZR (initial_den m) * IZR k * (S / IZR k)) with (IZR (initial_den m) * (IZR V * S)) by (field;
      lra).
    replace (IZR V * IZR (initial_den m) * IZR k *
      ((IZR most * IZR (initial_den m) - IZR look0) / (IZR V * IZR (initial_den m))))
      with (IZR (initial_den m) * (IZR k * IZR most) - IZR k * IZR look0) by (field; lra).
    apply (Rmult_le_compat_l (IZR (initial_den m))) in Hmost; [|lra]. lra.
  Qed.
End Lines.
