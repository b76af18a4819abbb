(** * The masses of the forward pass are below the law of the return

    [forward_below]: after every step the rounded masses are at most the probabilities of state, memory and return.
    [mixed_entries_below]: at the end, the masses of a mixture of machines are at most the law of the return of the
    policy they describe. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check LawCheck Meaning ModelFacts
  RatFacts TablesAbove Means Machines.
Import ListNotations.
Open Scope R_scope.

(** ** Sums over entries and groups *)

Fixpoint esum (f : Z -> Z -> R) (es : list entry) : R :=
  match es with [] => 0 | ((a, y), p) :: es' => IZR p * f a y + esum f es' end.
Fixpoint gsum (f : positive -> Z -> Z -> R) (gs : list group) : R :=
  match gs with [] => 0 | (s, es) :: gs' => esum (f s) es + gsum f gs' end.
Definition masses_nonneg (es : list entry) : Prop := forall k p, In (k, p) es -> (0 <= p)%Z.
Definition all_nonneg (gs : list group) : Prop := forall s es, In (s, es) gs -> masses_nonneg es.

Lemma gsum_app f gs hs : gsum f (gs ++ hs) = gsum f gs + gsum f hs.
Proof. induction gs as [|[s es] gs IH]; cbn [app gsum]; [ring | rewrite IH; ring]. Qed.

Lemma esum_app f es fs : esum f (es ++ fs) = esum f es + esum f fs.
Proof. induction es as [|[[a y] p] es IH]; cbn [app esum]; [ring | rewrite IH; ring]. Qed.

Lemma esum_merge f l : forall k, esum f (merge l k) = esum f l + esum f k.
Proof.
  induction l as [|[[a y] p] l IH]; intros k; [cbn; ring|].
  induction k as [|[[b z] q] k IHk]; [cbn; ring|]. cbn [merge].
  destruct ((a =? b)%Z && (y =? z)%Z) eqn:E1.
  - apply andb_true_iff in E1. rewrite !Z.eqb_eq in E1. destruct E1 as [-> ->]. cbn [esum]. rewrite IH, plus_IZR. ring.
  - destruct ((a <? b)%Z || (a =? b)%Z && (y <? z)%Z).
    + cbn [esum]. rewrite IH. cbn [esum]. ring.
    + change (esum f (((b, z), q) :: merge (((a, y), p) :: l) k) =
        esum f (((a, y), p) :: l) + esum f (((b, z), q) :: k)).
      change (IZR q * f b z + esum f (merge (((a, y), p) :: l) k) =
        esum f (((a, y), p) :: l) + esum f (((b, z), q) :: k)). unfold entry in IHk. rewrite IHk. cbn [esum]. ring.
Qed.

Lemma nonneg_merge l : forall k, masses_nonneg l -> masses_nonneg k -> masses_nonneg (merge l k).
Proof.
  induction l as [|[[a y] p] l IH]; intros k Hl Hk; [exact Hk|].
  assert (Hp : (0 <= p)%Z) by (apply (Hl (a, y)); now left).
  assert (Hl' : masses_nonneg l) by (intros k0 p0 Hin; apply (Hl k0); now right).
  induction k as [|[[b z] q] k IHk]; [exact Hl|]. assert (Hq : (0 <= q)%Z) by (apply (Hk (b, z)); now left).
  assert (Hk' : masses_nonneg k) by (intros k0 p0 Hin; apply (Hk k0); now right). cbn [merge].
  destruct ((a =? b)%Z && (y =? z)%Z); [|destruct ((a <? b)%Z || (a =? b)%Z && (y <? z)%Z)].
  - intros k0 p0 [Heq|Hin]; [injection Heq as _ <-; lia | now apply (IH k Hl' Hk' k0)].
  - intros k0 p0 [Heq|Hin]; [injection Heq as _ <-; lia | now apply (IH _ Hl' Hk k0)].
  - intros k0 p0 [Heq|Hin]; [injection Heq as _ <-; lia | now apply (IHk Hk' k0)].
Qed.

Lemma gsum_add_group f s es gs : gsum f (add_group s es gs) = esum (f s) es + gsum f gs.
Proof.
  unfold add_group. destruct gs as [|[s' es'] gs]; [cbn; ring|].
  destruct (Pos.eqb_spec s s') as [->|]; cbn [gsum]; [rewrite esum_merge|]; ring.
Qed.

Lemma nonneg_add_group s es gs : masses_nonneg es -> all_nonneg gs -> all_nonneg (add_group s es gs).
Proof.
  intros He Hg. unfold add_group. destruct gs as [|[s' es'] gs]; [intros s0 es0 [Heq|[]]; now injection Heq as <- <-|].
  destruct (Pos.eqb s s').
  - intros s0 es0 [Heq|Hin]; [injection Heq as <- <-; apply nonneg_merge;
      [apply (Hg s'); now left | assumption] | apply (Hg s0); now right].
  - intros s0 es0 [Heq|Hin]; [now injection Heq as <- <- | now apply (Hg s0)].
Qed.

Lemma gsum_tadd f s es : forall p t, gsum f (groups_of (tadd p s es t)) = esum (f s) es + gsum f (groups_of t).
Proof.
  induction p as [p IH|p IH|]; intros [|l x r]; cbn [tadd groups_of]; rewrite ?gsum_app, ?IH, ?gsum_add_group;
    cbn [groups_of gsum app]; rewrite ?gsum_app; cbn [gsum]; try ring;
    destruct x; cbn [gsum]; ring.
Qed.

Lemma all_nonneg_app gs hs : all_nonneg gs -> all_nonneg hs -> all_nonneg (gs ++ hs).
Proof.
  intros Hg Hh s es Hin. apply in_app_or in Hin. destruct Hin as [Hin|Hin]; [now apply (Hg s) | now apply (Hh s)].
Qed.

Lemma all_nonneg_app_inv gs hs : all_nonneg (gs ++ hs) -> all_nonneg gs /\ all_nonneg hs.
Proof. intros H. split; intros s es Hin; apply (H s), in_or_app; auto. Qed.

Lemma all_nonneg_nil : all_nonneg [].
Proof. intros s es []. Qed.

Lemma nonneg_tadd s es : masses_nonneg es -> forall p t,
  all_nonneg (groups_of t) -> all_nonneg (groups_of (tadd p s es t)).
Proof.
  intros He. induction p as [p IH|p IH|]; intros [|l x r] Ht; cbn [tadd groups_of] in *.
  - apply all_nonneg_app; [apply all_nonneg_nil|]. apply all_nonneg_app; [apply all_nonneg_nil|].
    apply IH, all_nonneg_nil.
  - apply all_nonneg_app_inv in Ht. destruct Ht as [H1 H2]. apply all_nonneg_app_inv in H2. destruct H2 as [H2 H3].
    auto using all_nonneg_app.
  - apply all_nonneg_app; [apply IH, all_nonneg_nil|]. apply all_nonneg_app; apply all_nonneg_nil.
  - apply all_nonneg_app_inv in Ht. destruct Ht as [H1 H2]. apply all_nonneg_app_inv in H2. destruct H2 as [H2 H3].
    auto using all_nonneg_app.
  - apply all_nonneg_app; [apply all_nonneg_nil|]. apply all_nonneg_app; [|apply all_nonneg_nil].
    apply nonneg_add_group; [assumption | apply all_nonneg_nil].
  - apply all_nonneg_app_inv in Ht. destruct Ht as [H1 H2]. apply all_nonneg_app_inv in H2. destruct H2 as [H2 H3].
    apply all_nonneg_app; [assumption|]. apply all_nonneg_app; [|assumption].
    destruct x; apply nonneg_add_group; auto using all_nonneg_nil.
Qed.

Lemma gsum_collect f gs : gsum f (collect gs) = gsum f gs.
Proof.
  unfold collect. induction gs as [|[s es] gs IH]; [reflexivity|]. cbn [fold_right fst snd gsum].
  now rewrite gsum_tadd, IH.
Qed.

Lemma nonneg_collect gs : all_nonneg gs -> all_nonneg (collect gs).
Proof.
  unfold collect. induction gs as [|[s es] gs IH]; intros H; [apply all_nonneg_nil|]. cbn [fold_right fst snd].
  apply nonneg_tadd; [apply (H s); now left|]. apply IH. intros s0 es0 Hin. apply (H s0). now right.
Qed.

Lemma esum_nonneg f es : masses_nonneg es -> (forall a y, 0 <= f a y) -> 0 <= esum f es.
Proof.
  intros He Hf. induction es as [|[[a y] p] es IH]; cbn [esum]; [lra|].
  assert (0 <= IZR p) by (apply IZR_le, (He (a, y)); now left).
  assert (0 <= esum f es) by (apply IH; intros k q Hin; apply (He k); now right).
  pose proof (Rmult_le_pos _ _ H (Hf a y)). lra.
Qed.

Lemma esum_plus f g es : esum (fun a y => f a y + g a y) es = esum f es + esum g es.
Proof. induction es as [|[[a y] p] es IH]; cbn [esum]; [ring | rewrite IH; ring]. Qed.

Lemma esum_scal c f es : esum (fun a y => c * f a y) es = c * esum f es.
Proof. induction es as [|[[a y] p] es IH]; cbn [esum]; [ring | rewrite IH; ring]. Qed.

Lemma esum_ext f g es : (forall a y, f a y = g a y) -> esum f es = esum g es.
Proof. intros H. induction es as [|[[a y] p] es IH]; cbn [esum]; [reflexivity | now rewrite IH, H]. Qed.

Lemma esum_zero f es : (forall a y, f a y = 0) -> esum f es = 0.
Proof. intros H. induction es as [|[[a y] p] es IH]; cbn [esum]; [reflexivity | rewrite IH, H; ring]. Qed.

Lemma esum_filter (P : Z -> bool) f es :
  esum f (filter (fun e => P (fst (fst e))) es) = esum (fun a y => if P a then f a y else 0) es.
Proof.
  induction es as [|[[a y] p] es IH]; cbn [filter esum fst]; [reflexivity|].
  destruct (P a); cbn [esum]; rewrite IH; ring.
Qed.

Lemma esum_sum {X} (l : list X) (f : X -> Z -> Z -> R) es :
  sum l (fun x => esum (f x) es) = esum (fun a y => sum l (fun x => f x a y)) es.
Proof.
  induction l as [|x l IH]; cbn [sum]; [symmetry; apply esum_zero; intros; reflexivity|].
  now rewrite IH, esum_plus.
Qed.

(** ** The value of a machine at (state, memory, return) *)

Section Machine.
  Variables (m : model) (mc : machine) (phi : R -> R).
  Hypothesis Hm : good_model m = true.
  Hypothesis Hphi : forall x, 0 <= phi x.
  Let M := meaning m.
  Let q := den (discount_rate m).
  Let gamma := real_of (discount_rate m).

  Definition pt_at (t : nat) : Z := (num (discount_rate m) ^ Z.of_nat t)%Z.
  Definition den_at (t : nat) : R := IZR (reward_den m) * IZR q ^ t.

  Fixpoint worth_from (n t : nat) (s : positive) (mem y : Z) : R :=
    match n with
    | O => phi (IZR y / den_at t)
    | S n' =>
        E (kernel M t s (machine_choice m t s (mc, mem))) (fun os =>
        E (memories (rule_for mc t) (fst os) mem)
          (fun mem' => worth_from n' (S t) (snd os) mem' (q * (y + fst os * pt_at t))%Z))
    end.

  Lemma worth_nonneg n : forall t s mem y, 0 <= worth_from n t s mem y.
  Proof.
    induction n as [|n IH]; intros t s mem y; cbn [worth_from]; [apply Hphi|].
    apply E_nonneg; [now apply is_jmdp_meaning|]. intros os. apply E_nonneg; [apply law_memories|]. intros mem'.
    apply IH.
  Qed.

  Lemma den_pos t : 0 < den_at t.
  Proof.
    destruct (good_facts m Hm) as [_ [G2 [G3 _]]]. apply IZR_lt in G2, G3. unfold den_at.
    apply Rmult_lt_0_compat; [assumption | now apply pow_lt].
  Qed.

  Lemma return_step y t o : IZR (q * (y + o * pt_at t)) / den_at (S t) =
    IZR y / den_at t + gamma ^ t * (IZR o / IZR (reward_den m)).
  Proof.
    destruct (good_facts m Hm) as [_ [G2 [G3 _]]]. apply IZR_lt in G2, G3. fold q in G2. unfold den_at, pt_at.
    rewrite mult_IZR, plus_IZR, mult_IZR, <- pow_IZR. unfold gamma, real_of. fold q. cbn [pow].
    assert (Hpow : (IZR (num (discount_rate m)) / IZR q) ^ t = IZR (num (discount_rate m)) ^ t / IZR q ^ t)
      by (unfold Rdiv; rewrite Rpow_mult_distr, pow_inv; reflexivity).
    rewrite Hpow. assert (IZR q ^ t <> 0) by (apply pow_nonzero; lra). field. repeat split; try assumption; lra.
  Qed.

  Lemma worth_is_prun n : forall h mem y, earned M (fst h) = IZR y / den_at (jtime h) ->
    E (prun m n (mc, mem) h) (fun h' => phi (earned M (fst h'))) = worth_from n (jtime h) (jstate h) mem y.
  Proof.
    induction n as [|n IH]; intros h mem y Hy; cbn [prun worth_from]; [now rewrite E_ret, Hy|].
    rewrite E_bind. apply E_ext. intros os. rewrite E_bind. apply E_ext. intros mem'. cbn [fst snd].
    rewrite (IH (jextend h _ os) mem' (q * (y + fst os * pt_at (jtime h)))%Z); [reflexivity|].
    change (jtime (jextend h (machine_choice m (jtime h) (jstate h) (mc, mem)) os)) with (S (jtime h)).
    rewrite return_step, <- Hy. unfold jextend. cbn [fst earned]. reflexivity.
  Qed.

  (** ** One step forward *)

  Section Step.
    Variables (t n : nat) (st : step) (rule : memory_rule) (rows : tree memory_row).
    Hypothesis Hst : nth_error (steps m) t = Some st.
    Hypothesis Hrule : nth_error (mem_rules mc) t = Some rule.
    Hypothesis Hrows : nth_error (mem_tables mc) t = Some rows.
    Hypothesis Hgood : good_rule rule = true.
    Let w' := worth_from n (S t).
    Let w := worth_from (S n) t.

    Lemma esum_moved s a o (coin : bool) es : masses_nonneg es -> (0 <= weight o)%Z -> (0 < total a)%Z ->
      let sc := move_for rule (gain o) in
      let share := if coin then snd sc else (coin_den rule - snd sc)%Z in
      esum (w' s) (moved_entries rule (pt_at t) q a o coin es) <=
      esum (fun mem y => IZR (weight o) / IZR (total a) * (IZR share / IZR (coin_den rule) *
        w' s (factor rule * mem + fst sc + (if coin then 1 else 0))%Z (q * (y + gain o * pt_at t))%Z)) es /\
      masses_nonneg (moved_entries rule (pt_at t) q a o coin es).
    Proof.
      intros He Hw Ha sc share. destruct (move_for_range rule (gain o) Hgood) as [Hc Hcd]. fold sc in Hc.
      assert (Hshare : (0 <= share)%Z) by (unfold share; destruct coin; lia).
      unfold moved_entries. fold sc. fold share. split.
      - induction es as [|[[mem y] p] es IH]; cbn [map esum fst snd]; [lra|].
        assert (Hp : (0 <= p)%Z) by (apply (He (mem, y)); now left).
        apply Rplus_le_compat; [|apply IH; intros k0 p0 Hin; apply (He k0); now right].
        set (v := w' s (factor rule * mem + fst sc + (if coin then 1 else 0))%Z (q * (y + gain o * pt_at t))%Z).
        assert (Hv : 0 <= v) by apply worth_nonneg.
        assert (Hden : (0 < total a * coin_den rule)%Z) by (apply Z.mul_pos_pos; assumption).
        eapply Rle_trans; [apply Rmult_le_compat_r; [assumption | now apply floor_div_le]|]. rewrite !mult_IZR.
        apply IZR_lt in Ha, Hcd. right. field. lra.
      - intros k p Hin. apply in_map_iff in Hin. destruct Hin as [[[mem y] p0] [Heq Hin]]. injection Heq as _ <-.
        cbn [snd].
        apply Z.div_pos; [|apply Z.mul_pos_pos; assumption].
        apply Z.mul_nonneg_nonneg; [apply (He (mem, y) p0 Hin) | apply Z.mul_nonneg_nonneg; assumption].
    Qed.

    Lemma gsum_outcome a o es : masses_nonneg es -> (0 <= weight o)%Z -> (0 < total a)%Z ->
      gsum w' (outcome_groups rule (pt_at t) q a es o) <=
      esum (fun mem y => IZR (weight o) / IZR (total a) * E (memories rule (gain o) mem)
        (fun mem' => w' (next o) mem' (q * (y + gain o * pt_at t))%Z)) es /\
      all_nonneg (outcome_groups rule (pt_at t) q a es o).
    Proof.
      intros He Hw Ha. destruct (esum_moved (next o) a o false es He Hw Ha) as [H1 N1].
      destruct (esum_moved (next o) a o true es He Hw Ha) as [H2 N2].
      cbn zeta in H1, H2. set (sc := move_for rule (gain o)) in *.
      assert (Heq : forall mem y, IZR (weight o) / IZR (total a) * E (memories rule (gain o) mem)
        (fun mem' => w' (next o) mem' (q * (y + gain o * pt_at t))%Z) =
        IZR (weight o) / IZR (total a) * (IZR (coin_den rule - snd sc) / IZR (coin_den rule) * w' (next o)
          (factor rule * mem + fst sc + 0)%Z (q * (y + gain o * pt_at t))%Z) +
        IZR (weight o) / IZR (total a) * (IZR (snd sc) / IZR (coin_den rule) * w' (next o)
          (factor rule * mem + fst sc + 1)%Z (q * (y + gain o * pt_at t))%Z)).
      { intros mem y. unfold memories. rewrite Hgood. fold sc. cbn [E]. rewrite Z.add_0_r. ring. }
      rewrite (esum_ext _ _ es Heq), esum_plus. unfold outcome_groups. fold sc.
      destruct (Z.eqb_spec (snd sc) 0) as [Hz|Hz]; cbn [gsum].
      - split; [|intros s0 es0 [Heq0|[]]; injection Heq0 as <- <-; exact N1].
        assert (Hzero : esum (fun mem y => IZR (weight o) / IZR (total a) *
          (IZR (snd sc) / IZR (coin_den rule) * w' (next o) (factor rule * mem + fst sc + 1)%Z
          (q * (y + gain o * pt_at t))%Z)) es = 0).
        { apply esum_zero. intros. rewrite Hz. unfold Rdiv. ring. }
        rewrite Hzero. lra.
      - split; [lra|]. intros s0 es0 [Heq0|[Heq0|[]]]; injection Heq0 as <- <-; assumption.
    Qed.

    Lemma gsum_actions s row acts es : row = row_for mc t s -> acts = actions_at m t s -> masses_nonneg es ->
      forall l i, (0 <= i)%Z ->
      (forall j, (0 <= j)%Z -> znth l j = znth acts (i + j)) ->
      gsum w' (action_groups rule (pt_at t) q row acts es i l) <=
      esum (fun mem y => if (i <=? machine_choice m t s (mc, mem))%Z then w s mem y else 0) es /\
      all_nonneg (action_groups rule (pt_at t) q row acts es i l).
    Proof.
      intros Hrow Hacts He. induction l as [|a l IH]; intros i Hi Hl; cbn [action_groups].
      - split; [|apply all_nonneg_nil]. cbn [gsum]. apply esum_nonneg; [assumption|]. intros mem y.
        destruct (i <=? _)%Z; [apply worth_nonneg | lra].
      - destruct (IH (i + 1)%Z ltac:(lia)) as [IH1 IH2].
        { intros j Hj. specialize (Hl (j + 1)%Z ltac:(lia)). cbn [znth] in Hl. destruct (Z.eqb_spec (j + 1) 0); [lia|].
          replace (j + 1 - 1)%Z with j in Hl by lia. rewrite Hl. f_equal. lia. }
        assert (Ha : znth (actions_at m t s) i = Some a)
          by (specialize (Hl 0%Z ltac:(lia)); cbn in Hl; rewrite Z.add_0_r in Hl; now rewrite <- Hacts, <- Hl).
        destruct (action_facts m Hm _ _ _ _ Ha) as [Htot [Hwt _]].
        set (mine := filter (fun e => valid acts (row_choice row (fst (fst e))) =? i)%Z es).
        assert (Hmine : masses_nonneg mine) by (intros k p Hin; apply filter_In in Hin; now apply (He k)).
        assert (Hall : gsum w' (flat_map (outcome_groups rule (pt_at t) q a mine) (outcomes a)) <=
          sum (outcomes a) (fun o => esum (fun mem y =>
            IZR (weight o) / IZR (total a) * E (memories rule (gain o) mem)
            (fun mem' => w' (next o) mem' (q * (y + gain o * pt_at t))%Z)) mine) /\
          all_nonneg (flat_map (outcome_groups rule (pt_at t) q a mine) (outcomes a))).
        { assert (Hw : forall o, In o (outcomes a) -> (0 <= weight o)%Z) by exact Hwt.
          clear - Hmine Hw Htot Hgood Hphi Hm. revert Hw.
          induction (outcomes a) as [|o outs IHo]; intros Hw; cbn [flat_map sum];
            [split; [cbn; lra | apply all_nonneg_nil]|].
          destruct (gsum_outcome a o mine Hmine (Hw o (or_introl eq_refl)) Htot) as [G1 G2].
          destruct IHo as [I1 I2]; [intros o' Ho'; apply Hw; now right|].
          rewrite gsum_app. split; [lra | now apply all_nonneg_app]. }
        rewrite esum_sum in Hall. destruct Hall as [Hall Nall].
        assert (Hstep : esum (fun mem y => sum (outcomes a)
          (fun o => IZR (weight o) / IZR (total a) * E (memories rule (gain o) mem)
          (fun mem' => w' (next o) mem' (q * (y + gain o * pt_at t))%Z))) mine =
          esum (fun mem y => if (machine_choice m t s (mc, mem) =? i)%Z then w s mem y else 0) es).
        { unfold mine. rewrite (esum_filter (fun mem => valid acts (row_choice row mem) =? i)%Z). apply esum_ext.
          intros mem y.
          assert (Hc : machine_choice m t s (mc, mem) = valid acts (row_choice row mem))
            by (unfold machine_choice; cbn [fst snd]; now rewrite Hrow, Hacts).
          rewrite Hc. destruct (Z.eqb_spec (valid acts (row_choice row mem)) i) as [Ei|Ei]; [|reflexivity].
          unfold w. cbn [worth_from]. rewrite Hc, Ei. rewrite (E_kernel m t s i a _ Ha).
          assert (Hr : rule_for mc t = rule) by (unfold rule_for; now rewrite Hrule). rewrite Hr, <- sum_scal.
          apply sum_ext. intros o _. cbn [fst snd]. unfold w', Rdiv. ring. }
        assert (Hhead : gsum w' (match mine with [] => [] | _ =>
          flat_map (outcome_groups rule (pt_at t) q a mine) (outcomes a) end) <=
          esum (fun mem y => if (machine_choice m t s (mc, mem) =? i)%Z then w s mem y else 0) es /\
          all_nonneg (match mine with [] => [] | _ =>
            flat_map (outcome_groups rule (pt_at t) q a mine) (outcomes a) end)).
        { destruct mine as [|e0 mine'].
          - split; [|apply all_nonneg_nil]. cbn [gsum]. apply esum_nonneg; [assumption|]. intros mem y.
            destruct (_ =? i)%Z; [apply worth_nonneg | lra].
          - split; [|assumption]. rewrite <- Hstep. exact Hall. }
        destruct Hhead as [Hh Nh]. rewrite gsum_app. split; [|now apply all_nonneg_app].
        eapply Rle_trans; [apply Rplus_le_compat; [exact Hh | exact IH1]|]. rewrite <- esum_plus. right. apply esum_ext.
        intros mem y.
        destruct (Z.eqb_spec (machine_choice m t s (mc, mem)) i), (Z.leb_spec (i + 1) (machine_choice m t s (mc, mem))),
          (Z.leb_spec i (machine_choice m t s (mc, mem))); try lia; ring.
    Qed.

    Lemma gsum_step gs : all_nonneg gs ->
      gsum w' (collect (flat_map (group_step rule (pt_at t) q rows st) gs)) <= gsum w gs /\
      all_nonneg (collect (flat_map (group_step rule (pt_at t) q rows st) gs)).
    Proof.
      intros Hgs. rewrite gsum_collect.
      enough (H : gsum w' (flat_map (group_step rule (pt_at t) q rows st) gs) <= gsum w gs /\
        all_nonneg (flat_map (group_step rule (pt_at t) q rows st) gs)) by (split; [apply H | apply nonneg_collect, H]).
      induction gs as [|[s es] gs IH]; cbn [flat_map gsum]; [split; [lra | apply all_nonneg_nil]|].
      destruct IH as [I1 I2]; [intros s0 es0 Hin; apply (Hgs s0); now right|].
      assert (He : masses_nonneg es) by (apply (Hgs s); now left).
      rewrite gsum_app. assert (Hone : gsum w' (group_step rule (pt_at t) q rows st (s, es)) <= esum (w s) es /\
        all_nonneg (group_step rule (pt_at t) q rows st (s, es))).
      { unfold group_step; cbn [fst snd]. destruct (get s st) as [acts|] eqn:Ea.
        - assert (Hacts : acts = actions_at m t s) by (unfold actions_at; now rewrite Hst, Ea).
          assert (Hrow : match get s rows with Some row => row | None => no_row end = row_for mc t s)
            by (unfold row_for; now rewrite Hrows).
          destruct (gsum_actions s _ acts es Hrow Hacts He acts 0%Z ltac:(lia) ltac:(intros; f_equal; lia)) as [H1 H2].
          split; [|assumption].
          eapply Rle_trans; [exact H1|]. right. clear - Hm Hphi Hacts. 
          assert (Hc : forall mem, (0 <= machine_choice m t s (mc, mem))%Z).
          { intros mem. unfold machine_choice, valid. destruct (znth (actions_at m t s) _) eqn:Ez; [|lia].
            now apply znth_inside in Ez. }
          apply esum_ext. intros mem y.
          destruct (Z.leb_spec 0 (machine_choice m t s (mc, mem))); [reflexivity | specialize (Hc mem); lia].
        - split; [|apply all_nonneg_nil]. cbn [gsum]. apply esum_nonneg; [assumption|]. intros. apply worth_nonneg. }
      destruct Hone as [O1 O2]. split; [lra | now apply all_nonneg_app].
    Qed.
  End Step.

  Lemma pt_step t : (pt_at t * num (discount_rate m))%Z = pt_at (S t).
  Proof. unfold pt_at. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. lia. Qed.

  Theorem forward_below sts : forall t rules tables gs gs',
    skipn t (steps m) = sts -> skipn t (mem_rules mc) = rules -> skipn t (mem_tables mc) = tables ->
    (t + length sts = length (steps m))%nat -> all_nonneg gs -> forward m (pt_at t) sts rules tables gs = Some gs' ->
    gsum (fun _ _ y => phi (IZR y / den_at (length (steps m)))) gs' <= gsum (worth_from (length sts) t) gs /\
      all_nonneg gs'.
  Proof.
    induction sts as [|st sts IH]; intros t rules tables gs gs' Hs Hr Ht Hlen Hgs Hf; cbn [forward] in Hf.
    - injection Hf as <-. split; [|assumption]. cbn [length worth_from]. cbn in Hlen. rewrite Nat.add_0_r in Hlen.
      rewrite Hlen. lra.
    - destruct rules as [|rule rules]; [discriminate|]. destruct tables as [|rows tables]; [discriminate|].
      destruct (good_rule rule) eqn:Eg; [|discriminate]. destruct (skipn_cons _ _ _ _ Hs) as [Hst Hs'].
      destruct (skipn_cons _ _ _ _ Hr) as [Hrule Hr'].
      destruct (skipn_cons _ _ _ _ Ht) as [Hrows Ht']. rewrite pt_step in Hf.
      destruct (gsum_step t (length sts) st rule rows Hst Hrule Hrows Eg gs Hgs) as [G1 G2].
      destruct (IH (S t) rules tables _ gs' Hs' Hr' Ht' ltac:(cbn in Hlen; lia) G2 Hf) as [I1 I2]. split; [|assumption].
      cbn [length]. eapply Rle_trans; [exact I1 | exact G1].
  Qed.
End Machine.

(** ** The mixture *)

Lemma esum_returns phi d gs : esum (fun _ y => phi (IZR y / d)) (returns_of gs) =
  gsum (fun _ _ y => phi (IZR y / d)) gs.
Proof.
  unfold returns_of. induction gs as [|[s es] gs IH]; cbn [flat_map gsum snd]; [reflexivity|]. rewrite esum_app, IH.
  f_equal.
  induction es as [|[[a y] p] es IHe]; cbn [map esum fst snd]; [reflexivity | now rewrite IHe].
Qed.

Lemma nonneg_returns gs : all_nonneg gs -> masses_nonneg (returns_of gs).
Proof.
  intros H k p Hin. unfold returns_of in Hin. apply in_flat_map in Hin. destruct Hin as [[s es] [Hg Hin]].
  apply in_map_iff in Hin.
  destruct Hin as [[k0 p0] [Heq Hin]]. injection Heq as _ <-. apply (H s es Hg k0 p0 Hin).
Qed.

Section Mixture.
  Variables (m : model) (V mix_den : Z) (parts : list (Z * machine)).
  Hypothesis Hm : good_model m = true.
  Hypothesis HV : (0 < V)%Z.
  Hypothesis Hparts : good_parts mix_den parts = true.
  Let M := meaning m.
  Let T := length (steps m).
  Let D := den_at m T.

  (** The program's masses never exceed V times the probability. *)
  Theorem mixed_entries_below es : mixed_entries m V mix_den parts = Some es ->
    masses_nonneg es /\ forall phi, (forall x, 0 <= phi x) ->
    esum (fun _ y => phi (IZR y / D)) es <= IZR V * E (jreturn_law M (mixture_policy m mix_den parts)) phi.
  Proof.
    destruct (parts_facts mix_den parts Hparts) as [Hmix [Hw _]].
    destruct (good_facts m Hm) as [_ [_ [G3 [G4 [G5 _]]]]].
    pose proof (IZR_lt _ _ HV) as HV'. pose proof (IZR_lt _ _ Hmix) as Hmix'. pose proof (IZR_lt _ _ G4) as G4'.
    intros Hes.
    assert (HE : forall phi, E (jreturn_law M (mixture_policy m mix_den parts)) phi =
      sum parts (fun wc => IZR (fst wc) / IZR mix_den * E (jinit M)
        (fun s => worth_from m (snd wc) phi T 0 s (mem_0 (snd wc)) 0))).
    { intros phi. rewrite E_jreturn_law. change (jhorizon M) with T.
      rewrite (E_ext (jinit M) _ (fun s => sum parts
        (fun wc => IZR (fst wc) / IZR mix_den * worth_from m (snd wc) phi T 0 s (mem_0 (snd wc)) 0))).
      - clear. induction parts as [|wc l IH]; cbn [sum]; [apply E_zero|]. now rewrite E_plus, E_scal, IH.
      - intros s. unfold M. rewrite (E_mixture m mix_den parts Hparts T s). cbn [belief].
        rewrite (E_weights parts fst (fun wc => (snd wc, mem_0 (snd wc)))).
        rewrite <- sum_scal. apply sum_ext. intros wc _.
        rewrite (worth_is_prun m (snd wc) phi Hm T ([], s) (mem_0 (snd wc)) 0%Z) by (cbn; unfold Rdiv; ring).
        cbn [jtime jstate fst snd length].
        unfold Rdiv. ring. }
    assert (Hgen : forall l es, forallb (fun x : Z * machine => 0 <=? fst x)%Z l = true ->
      mixed_entries m V mix_den l = Some es ->
      masses_nonneg es /\ forall phi, (forall x, 0 <= phi x) -> esum (fun _ y => phi (IZR y / D)) es <=
        IZR V * sum l (fun wc => IZR (fst wc) / IZR mix_den * E (jinit M)
          (fun s => worth_from m (snd wc) phi T 0 s (mem_0 (snd wc)) 0))).
    { clear Hes es Hw HE. induction l as [|[w mc] l IH]; intros es Hw Hes; cbn [mixed_entries] in Hes.
      - injection Hes as <-. split; [intros k p []|]. intros phi _. cbn. lra.
      - destruct (forward m 1 (steps m) (mem_rules mc) (mem_tables mc) (start_groups m V mix_den w mc)) as [gs|] eqn:Ef;
          [|discriminate].
        destruct (mixed_entries m V mix_den l) as [es'|] eqn:El; [|discriminate]. injection Hes as <-.
        cbn [forallb fst] in Hw. apply andb_true_iff in Hw. destruct Hw as [Hw0 Hw]. apply Z.leb_le in Hw0.
        destruct (IH es' Hw eq_refl) as [N1 B1].
        assert (Hstart : all_nonneg (start_groups m V mix_den w mc)).
        { intros s es0 Hin. unfold start_groups in Hin. apply in_map_iff in Hin. destruct Hin as [[s0 w0] [Heq Hin]].
          injection Heq as <- <-.
          intros k p [Heq|[]]. injection Heq as _ <-. cbn [snd]. rewrite forallb_forall in G5. specialize (G5 _ Hin).
          cbn [snd] in G5. apply Z.leb_le in G5.
          apply Z.div_pos; [|apply Z.mul_pos_pos; assumption]. apply Z.mul_nonneg_nonneg; [lia|].
          apply Z.mul_nonneg_nonneg; assumption. }
        assert (Hzero : forall x, 0 <= (fun _ : R => 0) x) by (intros; lra).
        destruct (forward_below m mc (fun _ => 0) Hm Hzero (steps m) 0 (mem_rules mc)
          (mem_tables mc) _ gs eq_refl eq_refl eq_refl eq_refl Hstart Ef) as [_ Ngs].
        split.
        + intros k p Hin. apply in_app_or in Hin.
          destruct Hin as [Hin|Hin]; [now apply (nonneg_returns gs Ngs k) | now apply (N1 k)].
        + intros phi Hphi. rewrite esum_app, esum_returns. cbn [sum fst snd]. rewrite Rmult_plus_distr_l.
          apply Rplus_le_compat; [|now apply B1].
          destruct (forward_below m mc phi Hm Hphi (steps m) 0 (mem_rules mc)
            (mem_tables mc) _ gs eq_refl eq_refl eq_refl eq_refl Hstart Ef) as [Hle _].
          eapply Rle_trans; [exact Hle|]. fold T. unfold M. rewrite (E_init m). unfold start_groups.
          rewrite forallb_forall in G5. clear - G5 G4 G4' Hmix Hmix' Hw0 HV' Hm Hphi.
          induction (initial m) as [|[s0 w0] l0 IH]; cbn [map gsum sum esum fst snd]; [lra|].
          rewrite Rmult_plus_distr_l, Rmult_plus_distr_l, Rmult_plus_distr_l.
          apply Rplus_le_compat; [|apply IH; intros x Hx; apply G5; now right].
          pose proof (worth_nonneg m mc phi Hm Hphi T 0 s0 (mem_0 mc) 0) as Hwn.
          rewrite Rplus_0_r. eapply Rle_trans; [apply Rmult_le_compat_r;
            [exact Hwn | apply floor_div_le; apply Z.mul_pos_pos; assumption]|].
          rewrite !mult_IZR. right. field. lra. }
    destruct (Hgen parts es Hw Hes) as [N1 B1]. split; [assumption|]. intros phi Hphi. rewrite HE. now apply B1.
  Qed.
End Mixture.
