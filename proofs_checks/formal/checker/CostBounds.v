(** * What the two tables say about the law of the return

    [Fc] is a nondecreasing cost of the budget that is left at the end; the program rounds it down for the table below
    and up for the table above. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check Meaning ModelFacts RatFacts
  TablesBelow TablesAbove Budgets Means.
Import ListNotations.
Open Scope R_scope.

Lemma window_after_nth ws sts lo hi : window_after ws sts = Some (lo, hi) -> nth_error ws (length sts) = Some (lo, hi).
Proof.
  revert ws; induction sts as [|st sts IH]; intros ws; destruct ws as [|w ws]; cbn; try discriminate;
    [intros H; exact H | apply IH].
Qed.

Lemma unit_after_at g sts : forall t, unit_after g (unit_at g t) sts = unit_at g (t + length sts).
Proof.
  induction sts as [|st sts IH]; intros t; cbn [unit_after length]; [now rewrite Nat.add_0_r|].
  change (unit_next g (unit_at g t)) with (unit_at g (S t)). rewrite IH. f_equal. lia.
Qed.

Lemma look_terminal d f u e lo hi b : (lo <= b <= hi)%Z ->
  look d lo (terminal_row f u e lo hi) b = f (rplus (rmult u (of_Z b)) e).
Proof. intros H. unfold terminal_row. rewrite look_along; [reflexivity|]. rewrite zlen_counter. lia. Qed.

Lemma look_terminal_outside d f u e lo hi b : (b < lo \/ hi < b)%Z -> (lo <= hi)%Z \/ (b < lo)%Z ->
  look d lo (terminal_row f u e lo hi) b = d.
Proof. intros H H'. unfold terminal_row. apply look_outside. rewrite zlen_along, zlen_counter. lia. Qed.

Section Costs.
  Variables (m : model) (g : grid).
  Hypothesis Hm : good_model m = true.
  Hypothesis Hg : good_grid g = true.
  Let M := meaning m.
  Let T := length (steps m).
  Let u0 := real_of (unit_size g).
  Let u' := unit_after g (unit_size g) (steps m).
  Let H pi := full_history_law M pi.

  Lemma last_unit : u' = unit_at g T.
  Proof. apply (unit_after_at g (steps m) 0). Qed.

  Lemma ok_last_unit : ok u'.
  Proof. rewrite last_unit. now apply unit_positive. Qed.

  Lemma last_unit_pos : 0 < real_of u'.
  Proof. rewrite last_unit. apply real_of_sign; now apply unit_positive. Qed.

  Lemma E_H pi f : E (H pi) f = E (jinit M) (fun s => E (jrun M pi T ([], s)) f).
  Proof. unfold H, full_history_law. apply E_bind. Qed.

  Lemma law_H pi : is_jpolicy pi -> is_law (H pi).
  Proof.
    intros Hpi. apply law_bind; [now apply is_jmdp_meaning|]. intros s.
    apply law_jrun; [now apply is_jmdp_meaning | assumption].
  Qed.

  Lemma as_H pi (P : jhistory positive Z Z -> Prop) :
    (forall s, almost_surely (jrun M pi T ([], s)) P) -> almost_surely (H pi) P.
  Proof. intros HP. apply as_bind, as_always, HP. Qed.

  Lemma H_time pi : almost_surely (H pi) (fun h => length (fst h) = T).
  Proof.
    apply as_H. intros s. assert (Has : almost_surely (jrun M pi T ([], s)) (fun h' => True /\ jtime h' = (0 + T)%nat)).
    { apply (as_jrun M pi (fun _ => True) T); [auto | cbn; lia | exact I]. }
    revert Has. apply as_impl. intros h [_ Ht]. exact Ht.
  Qed.

  Variable Fc : R -> R.
  Hypothesis Fc_mono : forall x y, x <= y -> Fc x <= Fc y.
  Variable cost : rat -> Z.

  (** ** All policies *)

  Section AllPolicies.
    Hypothesis Hcost : forall x, ok x -> IZR (cost x) <= Fc (real_of x).
    Variables (bottom lo hi lo' hi' : Z).
    Hypothesis Hfirst : nth_error (windows g) 0 = Some (lo, hi).
    Hypothesis Hlast : window_after (windows g) (steps m) = Some (lo', hi').
    Let terminal := terminal_row cost u' (of_Z 0) lo' hi'.
    Hypothesis Hbottom : forallb (fun x => bottom <=? x)%Z terminal = true.
    Hypothesis Hfloor : (forall x, IZR bottom <= Fc x) \/
      (IZR bottom <= Fc (real_of u' * IZR lo') /\ all_never_below m g (rate_0 m g) (windows g) (steps m) = true).
    Let v := table_below m g (rate_0 m g) bottom terminal (windows g) (steps m).

    Lemma last_window : window_start g T = lo'.
    Proof. unfold window_start, T. now rewrite (window_after_nth _ _ _ _ Hlast). Qed.
    Lemma first_window : window_start g 0 = lo.
    Proof. unfold window_start. now rewrite Hfirst. Qed.

    Lemma terminal_le b : (forall x, IZR bottom <= Fc x) \/ (IZR bottom <= Fc (real_of u' * IZR lo') /\ (lo' <= b)%Z) ->
      IZR (look bottom lo' terminal b) <= Fc (real_of u' * IZR b).
    Proof.
      intros Hb. pose proof last_unit_pos as Hu. assert (Hlow : IZR bottom <= Fc (real_of u' * IZR b)).
      { destruct Hb as [Hb|[Hb1 Hb2]]; [apply Hb|]. eapply Rle_trans; [exact Hb1|].
        apply Fc_mono, Rmult_le_compat_l; [lra | now apply IZR_le]. }
      destruct (Z_lt_le_dec b lo') as [H1|H1]; [unfold terminal; rewrite look_terminal_outside by lia; assumption|].
      destruct (Z_lt_le_dec hi' b) as [H2|H2].
      - destruct (Z_le_gt_dec lo' hi') as [H3|H3]; [unfold terminal; rewrite look_terminal_outside by lia; assumption|].
        unfold terminal, terminal_row. rewrite look_outside; [assumption|]. rewrite zlen_along, zlen_counter. lia.
      - unfold terminal. rewrite look_terminal by lia. eapply Rle_trans; [apply Hcost|].
        + apply ok_rplus; [apply ok_rmult; [apply ok_last_unit | apply ok_of_Z] | apply ok_of_Z].
        + right. f_equal. rewrite real_rplus, real_rmult, !real_of_Z by auto using ok_rmult, ok_last_unit, ok_of_Z.
          ring.
    Qed.

    (** The table is below the expected cost of the index at the end. *)
    Theorem table_below_cost pi b : is_jpolicy pi -> plays_allowed M pi -> (lo <= b)%Z ->
      / IZR (initial_den m) * IZR (zsum (fun sw => snd sw * look bottom lo (row_at v (fst sw)) b)%Z (initial m)) <=
      E (H pi) (fun h => Fc (real_of u' * IZR (index_after m g b (fst h)))).
    Proof.
      intros Hpi Hal Hb. rewrite E_H.
      replace (/ IZR (initial_den m) * IZR (zsum (fun sw => snd sw * look bottom lo (row_at v (fst sw)) b)%Z
        (initial m)))
        with (E (jinit M) (fun s => IZR (look bottom lo (row_at v s) b))).
      2:{ unfold M. rewrite (E_init m), IZR_zsum. f_equal. apply sum_ext. intros sw _. now rewrite mult_IZR. }
      apply E_le; [now apply is_jmdp_meaning|]. intros s.
      pose proof (table_below_le_cost m g bottom terminal b Hm Hg Hbottom pi Hpi Hal (steps m) 0 (windows g) ([],
        s) eq_refl eq_refl eq_refl eq_refl) as Hle.
      unfold bound_at in Hle. rewrite first_window in Hle. cbn [fst index_after jstate snd rate_at] in Hle.
      fold v in Hle. fold M in Hle.
      eapply Rle_trans; [exact Hle|]. fold T. rewrite last_window.
      apply E_le_as; [apply law_jrun; [now apply is_jmdp_meaning | assumption]|].
      destruct Hfloor as [Hf|[Hf1 Hf2]].
      - apply as_always. intros h. apply terminal_le. now left.
      - pose proof (index_never_below m g b Hg pi ([], s) T ltac:(reflexivity) Hf2) as Has.
        cbn [fst index_after jtime length] in Has.
        rewrite first_window in Has. specialize (Has Hb). fold T in Has. rewrite last_window in Has. revert Has.
        apply as_impl. intros h Hh.
        apply terminal_le. right. split; assumption.
    Qed.

    (** ... and so below the expected cost of the budget itself. *)
    Theorem table_below_return pi b : is_jpolicy pi -> plays_allowed M pi -> (lo <= b)%Z ->
      / IZR (initial_den m) * IZR (zsum (fun sw => snd sw * look bottom lo (row_at v (fst sw)) b)%Z (initial m)) <=
      E (jreturn_law M pi) (fun z => Fc (u0 * IZR b - z)).
    Proof.
      intros Hpi Hal Hb. eapply Rle_trans; [now apply (table_below_cost pi)|]. unfold jreturn_law. rewrite E_image.
      fold (H pi).
      apply E_le_as; [now apply law_H|]. pose proof (H_time pi) as Ht. revert Ht. apply as_impl. intros h Ht.
      apply Fc_mono. rewrite last_unit, <- Ht. now apply index_le_budget.
    Qed.
  End AllPolicies.

  (** ** The policy of the certificate *)

  Section ThePolicy.
    Hypothesis Hcost : forall x, ok x -> Fc (real_of x) <= IZR (cost x).
    Variables (V start : Z) (choices : list budget_rows) (shift : rat).
    Hypothesis Hshift : ok shift.
    Let pi := policy_of m (ByBudget V g start choices).

    Theorem policy_cost_above y : policy_cost m g start choices cost shift = Some y ->
      E (jreturn_law M pi) (fun z => Fc (u0 * IZR start - z + real_of shift)) <= / IZR (initial_den m) * IZR y.
    Proof.
      unfold policy_cost. destruct (windows g) as [|[lo hi] ws] eqn:Ew; [discriminate|]. rewrite <- Ew.
      destruct (window_after (windows g) (steps m)) as [[lo' hi']|] eqn:Elast; [|discriminate]. fold u'.
      set (e := rplus (loss_after m g (rate_0 m g) (unit_size g) (steps m)) shift).
      set (under := cost (rplus (rmult u' (of_Z (lo' - 1))) e)). set (terminal := terminal_row cost u' e lo' hi').
      destruct ((start <=? hi)%Z && good_grid g) eqn:Et; [|discriminate]. apply andb_true_iff in Et.
      destruct Et as [Hstart _].
      apply Z.leb_le in Hstart. intros Hsum.
      assert (Hl : nth_error (windows g) T = Some (lo', hi')) by now apply window_after_nth.
      assert (Hws : window_start g T = lo') by (unfold window_start; now rewrite Hl).
      assert (Hwe : window_end g T = hi') by (unfold window_end; now rewrite Hl).
      assert (Hws0 : window_start g 0 = lo) by (unfold window_start; now rewrite Ew).
      assert (Hwe0 : window_end g 0 = hi) by (unfold window_end; now rewrite Ew).
      assert (Hoke : ok e) by (apply ok_rplus; [exact (ok_loss_after m g Hm Hg (steps m) 0) | assumption]).
      assert (He : real_of e = rest_loss m g 0 + real_of shift).
      { unfold e. rewrite real_rplus; [reflexivity | exact (ok_loss_after m g Hm Hg (steps m) 0) | assumption]. }
      set (F := fun b => Fc (real_of u' * IZR b + real_of e)). pose proof last_unit_pos as Hu.
      assert (Hx : forall b, ok (rplus (rmult u' (of_Z b)) e) /\
        real_of (rplus (rmult u' (of_Z b)) e) = real_of u' * IZR b + real_of e).
      { intros b. assert (ok (rmult u' (of_Z b))) by auto using ok_rmult, ok_last_unit, ok_of_Z.
        split; [now apply ok_rplus|].
        rewrite real_rplus, real_rmult, real_of_Z by auto using ok_last_unit, ok_of_Z. reflexivity. }
      assert (HF : forall b, (b <= window_end g (length (steps m)))%Z ->
        F b <= IZR (look under (window_start g (length (steps m))) terminal b)).
      { fold T. rewrite Hws, Hwe. intros b Hb. destruct (Z_lt_le_dec b lo') as [H1|H1].
        - unfold terminal. rewrite look_terminal_outside by lia. unfold under, F.
          destruct (Hx (lo' - 1)%Z) as [Hok Hreal]. eapply Rle_trans; [|apply (Hcost _ Hok)]. rewrite Hreal.
          apply Fc_mono.
          apply Rplus_le_compat_r, Rmult_le_compat_l; [lra | apply IZR_le; lia].
        - unfold terminal. rewrite look_terminal by lia. unfold F. destruct (Hx b) as [Hok Hreal]. rewrite <- Hreal.
          now apply Hcost. }
      destruct (start_sum_inv _ _ _ Hsum) as [x [-> Hall]].
      unfold jreturn_law. rewrite E_image. fold (H pi).
      apply Rle_trans with (E (H pi) (fun h => F (index_after m g start (fst h)))).
      - apply E_le_as; [apply law_H, is_jpolicy_playing|]. apply as_H. intros s.
        pose proof (budget_le_index m g start Hm Hg pi ([], s) T ltac:(reflexivity)) as Has.
        cbn [fst earned index_after jtime length unit_at] in Has. specialize (Has ltac:(lra)). revert Has.
        apply as_impl. intros h Hh.
        unfold F. apply Fc_mono. rewrite last_unit, He. fold T in Hh. fold M in Hh. unfold u0. lra.
      - rewrite E_H. replace (/ IZR (initial_den m) * IZR (zsum (fun sw => snd sw * x (fst sw))%Z (initial m)))
          with (E (jinit M) (fun s => IZR (x s))).
        2:{ unfold M. rewrite (E_init m), IZR_zsum. f_equal. apply sum_ext. intros sw _. now rewrite mult_IZR. }
        apply E_le_as; [now apply is_jmdp_meaning|]. intros s p Hin _. destruct (in_init m s p Hin) as [w Hw].
        specialize (Hall s w Hw).
        destruct (value_at (table_above m g (rate_0 m g) under terminal (windows g) (steps m) choices) s)
          as [row|] eqn:Erow; [|discriminate].
        injection Hall as <-.
        pose proof (cost_le_table_above m V g under terminal start choices Hm Hg F HF (steps m) 0 (windows g) choices
          ([], s) row
          eq_refl eq_refl eq_refl eq_refl eq_refl Erow) as Hle.
        cbn [fst index_after] in Hle. rewrite Hws0, Hwe0 in Hle. apply (Hle Hstart).
    Qed.
  End ThePolicy.
End Costs.
