(** * The index of a budget and the budget it stands for

    [index_le_budget]: the index never overstates the budget that is left, because rewards are rounded.
    [budget_le_index]: it understates the budget by at most the loss of rounding so far. [index_never_below]: no
    history leaves a window that was tested to be wide enough. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check Meaning ModelFacts RatFacts
  TablesBelow TablesAbove.
Import ListNotations.
Open Scope R_scope.

Fixpoint unit_at (g : grid) (t : nat) : rat := match t with O => unit_size g | S t' => unit_next g (unit_at g t') end.

Section Budgets.
  Variables (m : model) (g : grid) (start : Z).
  Hypothesis Hm : good_model m = true.
  Hypothesis Hg : good_grid g = true.
  Let M := meaning m.
  Let gamma := real_of (discount_rate m).

  Lemma grid_positive : (0 < num (unit_size g))%Z /\ (0 < den (unit_size g))%Z /\ (0 < stretch g)%Z /\ (0 < shrink g)%Z.
  Proof. unfold good_grid in Hg. repeat rewrite andb_true_iff in Hg. rewrite !Z.ltb_lt in Hg. tauto. Qed.

  Lemma unit_positive t : (0 < num (unit_at g t))%Z /\ ok (unit_at g t).
  Proof.
    destruct grid_positive as [H1 [H2 [H3 H4]]]. unfold ok. induction t as [|t [IH1 IH2]]; cbn; [tauto | nia].
  Qed.

  Lemma rate_positive t : (0 < num (rate_at m g t))%Z /\ ok (rate_at m g t).
  Proof.
    destruct grid_positive as [H1 [H2 [H3 H4]]]. destruct (good_facts m Hm) as [G1 [G2 [G3 _]]].
    unfold ok. induction t as [|t [IH1 IH2]]; cbn [rate_at rate_0 rate_next num den]; split; repeat apply Z.mul_pos_pos;
      assumption.
  Qed.

  Lemma real_unit_next t : real_of (unit_at g (S t)) * IZR (stretch g) = real_of (unit_at g t) * IZR (shrink g).
  Proof.
    destruct grid_positive as [_ [_ [H3 _]]]. destruct (unit_positive t) as [_ H]. apply ok_pos in H.
    apply IZR_lt in H3.
    cbn [unit_at]. unfold real_of, unit_next; cbn [num den]. rewrite !mult_IZR. field. lra.
  Qed.

  (** A charge of gain times rate, divided by shrink, is the discounted reward in units of the next step. *)
  Lemma real_rate t : real_of (rate_at m g t) * real_of (unit_at g (S t)) =
    IZR (shrink g) * gamma ^ t / IZR (reward_den m).
  Proof.
    destruct grid_positive as [H1 [H2 [H3 H4]]]. destruct (good_facts m Hm) as [G1 [G2 [G3 _]]].
    apply IZR_lt in H1, H2, H3, H4, G1, G2, G3.
    induction t as [|t IH].
    - cbn [rate_at unit_at pow]. unfold real_of, rate_0, unit_next; cbn [num den]. rewrite !mult_IZR. field. lra.
    - replace (real_of (rate_at m g (S t))) with (real_of (rate_at m g t) * gamma * (IZR (stretch g) / IZR (shrink g))).
      + replace (real_of (unit_at g (S (S t)))) with (real_of (unit_at g (S t)) * (IZR (shrink g) / IZR (stretch g))).
        * replace (real_of (rate_at m g t) * gamma * (IZR (stretch g) / IZR (shrink g)) *
            (real_of (unit_at g (S t)) * (IZR (shrink g) / IZR (stretch g))))
            with (real_of (rate_at m g t) * real_of (unit_at g (S t)) * gamma) by (field; lra).
          rewrite IH. cbn [pow]. field. lra.
        * pose proof (real_unit_next (S t)) as Hu. apply Rmult_eq_reg_r with (IZR (stretch g)); [|lra]. rewrite Hu.
          field. lra.
      + destruct (rate_positive t) as [_ Hr]. apply ok_pos in Hr. cbn [rate_at].
        unfold gamma, real_of, rate_next; cbn [num den].
        rewrite !mult_IZR. field. lra.
  Qed.

  Lemma charge_ge r o : ok r -> IZR (gain o) * real_of r <= IZR (charge r o).
  Proof.
    intros H. unfold charge. eapply Rle_trans; [|now apply le_cdiv_div]. rewrite mult_IZR. unfold real_of. right.
    unfold Rdiv. ring.
  Qed.

  Lemma charge_eq r o : ok r -> IZR (charge r o) = IZR (gain o) * real_of r + IZR (excess r o) / IZR (den r).
  Proof. intros H. apply ok_pos in H. unfold excess. rewrite minus_IZR, !mult_IZR. unfold real_of. field. lra. Qed.

  (** One move, bounded on both sides. *)
  Lemma move_le t o b :
    real_of (unit_at g (S t)) * IZR (move g (rate_at m g t) o b) <=
    real_of (unit_at g t) * IZR b - gamma ^ t * (IZR (gain o) / IZR (reward_den m)).
  Proof.
    destruct grid_positive as [_ [_ [H3 H4]]]. destruct (unit_positive (S t)) as [Hn Hu].
    pose proof (proj1 (real_of_sign _ Hu) Hn) as Hupos.
    destruct (rate_positive t) as [_ Hr]. pose proof (charge_ge (rate_at m g t) o Hr) as Hc.
    pose proof (floor_div_le (stretch g * b - charge (rate_at m g t) o) (shrink g) H4) as Hf.
    fold (move g (rate_at m g t) o b) in Hf.
    rewrite minus_IZR, mult_IZR in Hf. apply IZR_lt in H3, H4.
    pose proof (real_unit_next t) as Hnext. pose proof (real_rate t) as Hrate.
    set (u' := real_of (unit_at g (S t))) in *. set (u := real_of (unit_at g t)) in *.
    apply Rle_trans with (u' * ((IZR (stretch g) * IZR b - IZR (gain o) * real_of (rate_at m g t)) / IZR (shrink g))).
    - apply Rmult_le_compat_l; [lra|]. eapply Rle_trans; [exact Hf|].
      apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | lra].
    - right. replace (u' * ((IZR (stretch g) * IZR b - IZR (gain o) * real_of (rate_at m g t)) / IZR (shrink g)))
        with ((u' * IZR (stretch g)) * IZR b / IZR (shrink g) -
          IZR (gain o) * (real_of (rate_at m g t) * u') / IZR (shrink g)) by (field; lra).
      rewrite Hnext, Hrate. destruct (good_facts m Hm) as [_ [_ [G3 _]]]. apply IZR_lt in G3. field. lra.
  Qed.

  Lemma move_ge t o b (X : Z) : (excess (rate_at m g t) o <= X)%Z ->
    real_of (unit_at g t) * IZR b - gamma ^ t * (IZR (gain o) / IZR (reward_den m)) -
    real_of (unit_at g (S t)) * real_of (Rat (X + (shrink g - 1) * den (rate_at m g t))
      (shrink g * den (rate_at m g t)))
    <= real_of (unit_at g (S t)) * IZR (move g (rate_at m g t) o b).
  Proof.
    intros HX. destruct grid_positive as [_ [_ [H3 H4]]]. destruct (unit_positive (S t)) as [Hn Hu].
    pose proof (proj1 (real_of_sign _ Hu) Hn) as Hupos.
    destruct (rate_positive t) as [_ Hr]. pose proof (charge_eq (rate_at m g t) o Hr) as Hc.
    assert (Hf : (stretch g * b - charge (rate_at m g t) o - (shrink g - 1) <=
      move g (rate_at m g t) o b * shrink g)%Z).
    { unfold move. pose proof (Z.mul_succ_div_gt (stretch g * b - charge (rate_at m g t) o) (shrink g) H4). nia. }
    apply IZR_le in Hf. rewrite !minus_IZR, !mult_IZR, Hc in Hf. apply IZR_le in HX. apply IZR_lt in H3, H4.
    apply ok_pos in Hr.
    pose proof (real_unit_next t) as Hnext. pose proof (real_rate t) as Hrate.
    destruct (good_facts m Hm) as [_ [_ [G3 _]]]. apply IZR_lt in G3.
    set (u' := real_of (unit_at g (S t))) in *. set (u := real_of (unit_at g t)) in *.
    set (d := IZR (den (rate_at m g t))) in *.
    set (rho := real_of (rate_at m g t)) in *. set (mv := IZR (move g (rate_at m g t) o b)) in *.
    assert (He : IZR (excess (rate_at m g t) o) / d <= IZR X / d)
      by (apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | assumption]).
    unfold real_of; cbn [num den]. rewrite plus_IZR, !mult_IZR, minus_IZR. fold d.
    replace (u * IZR b) with (u' * IZR (stretch g) * IZR b / IZR (shrink g)) by (rewrite Hnext; field; lra).
    replace (gamma ^ t * (IZR (gain o) / IZR (reward_den m))) with (IZR (gain o) * (rho * u') / IZR (shrink g))
      by (rewrite Hrate; field; lra).
    apply Rle_trans with (u' * ((IZR (stretch g) * IZR b - (IZR (gain o) * rho + IZR X / d) - (IZR (shrink g) - 1)) /
      IZR (shrink g))).
    - right. field. lra.
    - apply Rmult_le_compat_l; [lra|]. apply Rmult_le_reg_r with (IZR (shrink g)); [assumption|].
      unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. lra.
  Qed.

  (** ** Along a history *)

  Theorem index_le_budget (l : list (positive * Z * Z)) :
    real_of (unit_at g (length l)) * IZR (index_after m g start l) <= real_of (unit_size g) * IZR start - earned M l.
  Proof.
    induction l as [|[[s a] label] l IH]; [cbn; lra|]. cbn [length index_after earned].
    eapply Rle_trans; [apply (move_le (length l) (Outcome 0 label 1))|]. cbn [gain].
    change (worth M label) with (IZR label / IZR (reward_den m)). change (discount M) with gamma. lra.
  Qed.

  Definition rest_loss (t : nat) : R := real_of (loss_after m g (rate_at m g t) (unit_at g t) (skipn t (steps m))).

  Lemma largest_ge {X} (f : X -> Z) l x : In x l -> (f x <= largest f l)%Z.
  Proof.
    induction l as [|y l IH]; intros H; [destruct H|]. cbn [largest].
    destruct H as [->|H]; [lia | specialize (IH H); lia].
  Qed.

  Lemma ok_step_loss t st : ok (step_loss g (rate_at m g t) (unit_at g (S t)) st).
  Proof.
    destruct grid_positive as [_ [_ [_ H4]]]. destruct (rate_positive t) as [_ Hr].
    destruct (unit_positive (S t)) as [_ Hu].
    apply ok_rmult; [assumption|]. unfold ok in *; cbn [den]. nia.
  Qed.

  Lemma ok_loss_after sts : forall t, ok (loss_after m g (rate_at m g t) (unit_at g t) sts).
  Proof.
    induction sts as [|st sts IH]; intros t; cbn [loss_after]; [apply ok_of_Z|].
    apply ok_rplus; [apply (IH (S t)) | apply (ok_step_loss t)].
  Qed.

  Lemma rest_loss_step t st : nth_error (steps m) t = Some st ->
    rest_loss t = rest_loss (S t) + real_of (step_loss g (rate_at m g t) (unit_at g (S t)) st).
  Proof.
    intros H. unfold rest_loss. destruct (skipn t (steps m)) as [|st' rest] eqn:E.
    - exfalso. assert (Hn : nth_error (skipn t (steps m)) 0 = None) by now rewrite E.
      rewrite skipn_nth_error, Nat.add_0_r in Hn. congruence.
    - destruct (skipn_cons _ _ _ _ E) as [H1 H2]. rewrite H1 in H. injection H as ->. rewrite H2. cbn [loss_after].
      apply real_rplus; [apply (ok_loss_after rest (S t)) | apply (ok_step_loss t)].
  Qed.

  (** At the end the true budget is at most the index plus what rounding can have taken. *)
  Theorem budget_le_index pi h n : (jtime h + n = length (steps m))%nat ->
    real_of (unit_size g) * IZR start - earned M (fst h) <=
      real_of (unit_at g (jtime h)) * IZR (index_after m g start (fst h)) + (rest_loss 0 - rest_loss (jtime h)) ->
    almost_surely (jrun M pi n h) (fun h' =>
      real_of (unit_size g) * IZR start - earned M (fst h') <=
      real_of (unit_at g (length (steps m))) * IZR (index_after m g start (fst h')) + rest_loss 0).
  Proof.
    intros Hn H.
    pose (P := fun h : jhistory positive Z Z => real_of (unit_size g) * IZR start - earned M (fst h) <=
      real_of (unit_at g (jtime h)) * IZR (index_after m g start (fst h)) + (rest_loss 0 - rest_loss (jtime h))).
    assert (Has : almost_surely (jrun M pi n h) (fun h' => P h' /\ jtime h' = (jtime h + n)%nat)).
    { apply as_jrun; [|cbn; lia | exact H].
      intros h0 a os p Ht HP Hin. unfold P in *. set (t := jtime h0) in *.
      change (jtime (jextend h0 a os)) with (S t). unfold jextend. cbn [fst snd earned index_after].
      change (length (fst h0)) with t. change (jhorizon M) with (length (steps m)) in Ht.
      destruct (nth_error (steps m) t) as [st|] eqn:Est; [|apply nth_error_None in Est; lia].
      rewrite (rest_loss_step t st Est) in HP.
      assert (Hex : (excess (rate_at m g t) (Outcome 0 (fst os) 1) <= step_excess (rate_at m g t) st)%Z).
      { destruct (in_kernel m t (jstate h0) a os p Hin) as [->|[act [o [Hact [Ho ->]]]]]; cbn [fst].
        - unfold excess, charge; cbn [gain]. unfold cdiv. cbn. apply tlargest_nonneg.
        - unfold actions_at in Hact. rewrite Est in Hact.
          destruct (get (jstate h0) st) as [acts|] eqn:Eacts; [|discriminate].
          unfold step_excess. eapply Z.le_trans; [|apply (tlargest_get _ _ _ _ Eacts)].
          eapply Z.le_trans; [|apply (largest_ge _ _ act), (znth_In _ _ _ Hact)].
          apply (largest_ge (excess (rate_at m g t)) (outcomes act) o Ho). }
      pose proof (move_ge t (Outcome 0 (fst os) 1) (index_after m g start (fst h0)) _ Hex) as Hmove.
      cbn [gain] in Hmove.
      fold (moved m g t (fst os) (index_after m g start (fst h0))) in Hmove.
      unfold step_loss in HP. rewrite real_rmult in HP; [|apply unit_positive|].
      - change (worth M (fst os)) with (IZR (fst os) / IZR (reward_den m)). change (discount M) with gamma. lra.
      - destruct grid_positive as [_ [_ [_ H4]]]. destruct (rate_positive t) as [_ Hr]. unfold ok in *; cbn [den]. nia.
        }
    revert Has. apply as_impl. intros h' [HP Ht]. unfold P in HP. rewrite Ht, Hn in HP.
    assert (rest_loss (length (steps m)) = 0) as Hz by (unfold rest_loss; rewrite skipn_all; apply real_of_Z).
    rewrite Hz in HP. lra.
  Qed.

  (** ** Windows that are never left below *)

  Lemma never_below_at sts : forall t ws, skipn t (steps m) = sts -> skipn t (windows g) = ws ->
    all_never_below m g (rate_at m g t) ws sts = true -> forall i st, nth_error sts i = Some st ->
    never_below g (rate_at m g (t + i)) (window_start g (t + i)) (window_start g (S (t + i))) st = true.
  Proof.
    induction sts as [|st0 sts IH]; intros t ws Hsts Hws H i st Hi; [now destruct i|]. cbn [all_never_below] in H.
    destruct ws as [|[lo hi] [|[lo' hi'] ws]]; try discriminate. apply andb_true_iff in H. destruct H as [H1 H2].
    destruct (skipn_cons _ _ _ _ Hsts) as [_ Hrest]. destruct (skipn_cons _ _ _ _ Hws) as [Hw Hwrest].
    destruct (skipn_cons _ _ _ _ Hwrest) as [Hw' _].
    destruct i as [|i].
    - cbn in Hi. injection Hi as <-. rewrite Nat.add_0_r. unfold window_start. now rewrite Hw, Hw'.
    - cbn in Hi. cbn [tl] in H2. rewrite Nat.add_succ_r. apply (IH (S t) ((lo', hi') :: ws) Hrest Hwrest H2 i st Hi).
  Qed.

  Theorem index_never_below pi h n : (jtime h + n = length (steps m))%nat ->
    all_never_below m g (rate_0 m g) (windows g) (steps m) = true ->
    (window_start g (jtime h) <= index_after m g start (fst h))%Z ->
    almost_surely (jrun M pi n h) (fun h' => (window_start g (length (steps m)) <= index_after m g start (fst h'))%Z).
  Proof.
    intros Hn Hall H.
    pose (P := fun h : jhistory positive Z Z => (window_start g (jtime h) <= index_after m g start (fst h))%Z).
    assert (Has : almost_surely (jrun M pi n h) (fun h' => P h' /\ jtime h' = (jtime h + n)%nat)).
    { apply as_jrun; [|cbn; lia | exact H].
      intros h0 a os p Ht HP Hin. unfold P in *. set (t := jtime h0) in *.
      change (jtime (jextend h0 a os)) with (S t). unfold jextend. cbn [fst snd index_after].
      change (length (fst h0)) with t. change (jhorizon M) with (length (steps m)) in Ht.
      destruct (nth_error (steps m) t) as [st|] eqn:Est; [|apply nth_error_None in Est; lia].
      pose proof (never_below_at (steps m) 0 (windows g) eq_refl eq_refl Hall t st Est) as Hnb. cbn [Nat.add] in Hnb.
      unfold never_below in Hnb. apply andb_true_iff in Hnb. destruct Hnb as [H0 Hrest].
      destruct grid_positive as [_ [_ [H3 H4]]].
      assert (Hone : (window_start g (S t) <= move g (rate_at m g t) (Outcome 0 (fst os) 1) (window_start g t))%Z).
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
End Budgets.
