(** * One ball for a row: the bound of the mean of any function

    Of N outcomes of a pair the share p~_o was o.  If N KL(p~, P) <= N rate, and f <= eta at every possible outcome,

      E_P f  <=  eta - exp(- rate) prod_{o seen} (eta - f_o)^{p~_o} ,

    by the inequality of the weighted means ([ball_above_mean]), for every eta.  A rate for which

      C  prod p~_o^{x_o}  exp(- N rate)  <=  q ,     that is    ln C + ln (prod p~_o^{x_o} / q)  <=  N rate,

    q a law of sequences, is one, unless the gambler with q owns C ([sequence_ball]). *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Blocks AnyBehaviour Sequences.
Import ListNotations.
Open Scope R_scope.

Lemma ln_product {X} (l : list X) f : (forall x, In x l -> 0 < f x) -> ln (product_over l f) = sum l
  (fun x => ln (f x)).
Proof.
  induction l as [|x l IH]; cbn [product_over sum]; intros H; [apply ln_1|].
  rewrite ln_mult, IH by (try apply product_pos; intros; apply H; simpl; auto). reflexivity.
Qed.

(** Jensen's inequality for the logarithm. *)
Lemma ln_of_mean {X} (l : list X) (p v : X -> R) : (forall x, In x l -> 0 <= p x) -> sum l p = 1 ->
  (forall x, In x l -> 0 < v x) -> 0 < sum l (fun x => p x * v x) ->
  sum l (fun x => p x * ln (v x)) <= ln (sum l (fun x => p x * v x)).
Proof.
  intros Hp H1 Hv Hs. set (m := sum l (fun x => p x * v x)) in *.
  assert (H : sum l (fun x => p x * ln (v x)) <= sum l (fun x => p x * (ln m - 1) + / m * (p x * v x))).
  { apply sum_le. intros x Hx. specialize (Hp x Hx). specialize (Hv x Hx).
    assert (Hl : ln (v x) <= ln m - 1 + / m * v x).
    { pose proof (exp_ineq1_le (ln (v x / m))) as He. assert (0 < v x / m) by (apply Rdiv_lt_0_compat; assumption).
      rewrite exp_ln in He by assumption. unfold Rdiv in He.
      rewrite ln_mult, ln_Rinv in He by (try apply Rinv_0_lt_compat; assumption). lra. }
    replace (p x * (ln m - 1) + / m * (p x * v x)) with (p x * (ln m - 1 + / m * v x)) by ring.
    now apply Rmult_le_compat_l. }
  rewrite sum_plus, sum_scal in H. fold m in H. rewrite Rinv_l in H by lra.
  rewrite (sum_ext _ (fun x => p x * (ln m - 1)) (fun x => (ln m - 1) * p x)), sum_scal, H1 in H by (intros; ring). lra.
Qed.

Section Ball.
  Context {O : Type}.
  Variable dec : forall x y : O, {x = y} + {x <> y}.
  Variable P : dist O.
  Hypothesis HP : is_law P.
  Variable xs : list O.
  Hypothesis Hxs : xs <> [].
  Local Notation count := (count_occ dec).
  Local Notation N := (INR (length xs)).

  (** The outcomes seen, and their shares. *)
  Definition seen_outcomes : list O := nodup dec xs.
  Definition visit_share (o : O) : R := INR (count xs o) / N.
  Definition best_chance : R := product_over seen_outcomes (fun o => visit_share o ^ count xs o).
  Definition weight_power (v p : R) : R := if Rle_dec v 0 then 0 else exp (p * ln v).
  Definition ball_above (rate eta : R) (f : O -> R) : R :=
    eta - exp (- rate) * product_over seen_outcomes (fun o => weight_power (eta - f o) (visit_share o)).

  Local Notation seen := seen_outcomes.

  Lemma visits_pos : 0 < N.
  Proof. destruct xs as [|o l]; [congruence|]. apply lt_0_INR. simpl; lia. Qed.
  Lemma seen_count o : In o seen -> (0 < count xs o)%nat.
  Proof. intros H. apply count_occ_In. now apply nodup_In in H. Qed.
  Lemma frequency_pos o : In o seen -> 0 < visit_share o.
  Proof. intros H. apply Rdiv_lt_0_compat; [apply lt_0_INR, seen_count, H | apply visits_pos]. Qed.
  Lemma frequency_sum : sum seen visit_share = 1.
  Proof.
    pose proof visits_pos. rewrite (sum_ext _ _ (fun o => / N * INR (count xs o))) by
      (intros; unfold visit_share; field; lra).
    rewrite sum_scal, (proj2 (counts_sum dec seen xs (NoDup_nodup dec xs))); [field; lra|].
    intros o Ho. now apply nodup_In.
  Qed.
  Lemma best_chance_pos : 0 < best_chance.
  Proof. apply product_pos. intros o Ho. now apply pow_lt, frequency_pos. Qed.
  Lemma ln_best_chance : ln best_chance = N * sum seen (fun o => visit_share o * ln (visit_share o)).
  Proof.
    pose proof visits_pos. unfold best_chance. rewrite ln_product by (intros; now apply pow_lt, frequency_pos).
    rewrite <- sum_scal. apply sum_ext. intros o Ho. rewrite ln_pow by now apply frequency_pos. unfold visit_share.
    field.
    lra.
  Qed.

  Lemma sum_masses_le (l : list O) u : NoDup l -> almost_surely P (fun o => 0 <= u o) ->
    sum l (fun o => mass dec P o * u o) <= E P u.
  Proof.
    intros Hl Hu. apply Rle_trans with (E P (fun o => ind (in_dec dec o l) * u o)).
    - right. clear Hu HP. unfold mass. induction P as [|[y p] d IH]; cbn [E].
      + rewrite (sum_ext _ _ (fun _ => 0)), sum_const by (intros; ring). ring.
      + rewrite <- IH, (sum_ext _ _ (fun o => p * (ind (dec y o) * u o) + E d (fun z => ind (dec z o)) * u o))
          by (intros; ring).
        rewrite sum_plus, sum_scal. do 2 f_equal. destruct (in_dec dec y l) as [Hy|Hy]; cbn [ind].
        * rewrite (sum_point dec l y u Hl Hy). ring.
        * rewrite (sum_ext _ _ (fun _ => 0)), sum_const; [ring|]. intros o Ho. rewrite ind_no; [ring|]. intros <-.
          contradiction.
    - apply E_le_as; [apply HP|]. revert Hu. apply as_impl. intros o Ho. destruct (in_dec dec o l); cbn [ind]; lra.
  Qed.

  Lemma has_mass (Z : O -> Prop) o : 0 < mass dec P o -> almost_surely P Z -> Z o.
  Proof.
    unfold mass. intros Hm HZ. clear HP. induction P as [|[y p] d IH]; cbn [E] in Hm; [lra|].
    destruct (Req_EM_T p 0) as [->|Hp].
    - apply IH; [lra|]. intros z q Hz. apply (HZ z q). now right.
    - destruct (dec y o) as [<-|Hne]; [apply (HZ y p (or_introl eq_refl) Hp)|]. cbn [ind] in Hm.
      apply IH; [lra|]. intros z q Hz. apply (HZ z q). now right.
  Qed.

  Lemma masses_pos : 0 < product_over seen (fun o => mass dec P o ^ count xs o) ->
    forall o, In o seen -> 0 < mass dec P o.
  Proof.
    intros H. pose proof seen_count as Hc. clear - H HP Hc. induction seen as [|o l IH]; [intros ? []|].
    cbn [product_over] in H. assert (Ho : mass dec P o <> 0).
    { intros E0. rewrite E0, pow_i in H by (apply Hc; now left). lra. }
    pose proof (mass_range dec P o HP). assert (Hm : 0 < mass dec P o ^ count xs o) by (apply pow_lt; lra).
    intros o' [<-|Ho']; [lra|]. apply IH; [nra | intros; apply Hc; now right | assumption].
  Qed.

  (** N KL(p~, P) <= N rate, multiplied out. *)
  Definition in_ball (rate : R) : Prop :=
    best_chance * exp (- (N * rate)) <= product_over seen (fun o => mass dec P o ^ count xs o).

  (** Given: a law in the ball of a row that was visited; f <= eta almost surely.
      Differs: any eta.
      In words: 10-kl-learner.md#kl-ball.
      Step of: corrected/ii. *)
  Theorem ball_above_mean rate eta f : in_ball rate -> almost_surely P (fun o => f o <= eta) ->
    E P f <= ball_above rate eta f.
  Proof.
    intros Hball Hf. pose proof visits_pos as HN. unfold ball_above. set (u := fun o => eta - f o).
    assert (Hu : almost_surely P (fun o => 0 <= u o)) by (revert Hf; apply as_impl; intros o Ho; unfold u; lra).
    assert (HE : E P f = eta - E P u) by (unfold u; rewrite E_minus, E_const by assumption; ring). rewrite HE.
    change (fun o => weight_power (eta - f o) (visit_share o)) with (fun o => weight_power (u o) (visit_share o)).
    enough (exp (- rate) * product_over seen (fun o => weight_power (u o) (visit_share o)) <= E P u) by lra.
    destruct (Exists_dec (fun o => u o <= 0) seen (fun o => Rle_dec _ _)) as [Hz|Hz].
    - assert (Hzero : product_over seen (fun o => weight_power (u o) (visit_share o)) = 0).
      { induction seen as [|o l IH]; inversion Hz as [? ? Ho|? ? Ho]; subst; cbn [product_over].
        - unfold weight_power. destruct (Rle_dec (u o) 0); [ring | contradiction].
        - rewrite IH by assumption. ring. }
      rewrite Hzero, Rmult_0_r. rewrite <- (E_zero P). now apply E_le_as; [apply HP|].
    - assert (Hpos : forall o, In o seen -> 0 < u o).
      { intros o Ho. apply Rnot_le_lt. intros H. apply Hz, Exists_exists. now exists o. }
      assert (Hmass : forall o, In o seen -> 0 < mass dec P o).
      { apply masses_pos. eapply Rlt_le_trans; [|exact Hball].
        apply Rmult_lt_0_compat; [apply best_chance_pos | apply exp_pos]. }
      set (s := sum seen (fun o => visit_share o * (mass dec P o * u o / visit_share o))).
      assert (Hs : s = sum seen (fun o => mass dec P o * u o)).
      { apply sum_ext. intros o Ho. pose proof (frequency_pos o Ho). field. lra. }
      assert (Hterm : forall o, In o seen -> 0 < mass dec P o * u o / visit_share o).
      { intros o Ho. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; auto using frequency_pos. }
      assert (Hs0 : 0 < s).
      { unfold s. assert (Hne : seen <> []).
        { destruct xs as [|o l] eqn:Ex; [congruence|]. intros H0.
          assert (Ho : In o seen) by (apply nodup_In; rewrite Ex; now left). rewrite H0 in Ho. destruct Ho. }
        pose proof frequency_pos as Hfp. clear - Hne Hterm Hfp. revert Hne Hterm Hfp.
        induction seen as [|o l IH]; intros Hne Hterm Hfp; [congruence|]. cbn [sum].
        assert (0 < visit_share o * (mass dec P o * u o / visit_share o))
          by (apply Rmult_lt_0_compat; [apply Hfp | apply Hterm]; now left).
        assert (0 <= sum l (fun o => visit_share o * (mass dec P o * u o / visit_share o))); [|lra].
        apply sum_nonneg. intros o' Ho'. left. apply Rmult_lt_0_compat; [apply Hfp | apply Hterm]; now right. }
      apply Rle_trans with s; [|rewrite Hs; apply sum_masses_le; [apply NoDup_nodup | assumption]].
      rewrite (product_ext seen _ (fun o => exp (visit_share o * ln (u o)))).
      2:{ intros o Ho. unfold weight_power. specialize (Hpos o Ho). destruct (Rle_dec (u o) 0); [lra | reflexivity]. }
      assert (Hprod : 0 < product_over seen (fun o => exp (visit_share o * ln (u o)))) by
        (apply product_pos; intros; apply exp_pos).
      rewrite <- (exp_ln s), <- (exp_ln (product_over _ _)), <- exp_plus, ln_product by
        (try intros; auto using exp_pos).
      apply exp_monotone. rewrite (sum_ext _ _ (fun o => visit_share o * ln (u o))) by (intros; apply ln_exp).
      pose proof (ln_of_mean seen visit_share (fun o => mass dec P o * u o / visit_share o)
        (fun o Ho => Rlt_le _ _ (frequency_pos o Ho)) frequency_sum Hterm Hs0) as Hj. cbv beta in Hj. fold s in Hj.
      assert (Hb : ln best_chance - N * rate <= ln (product_over seen (fun o => mass dec P o ^ count xs o))).
      { assert (Hl : ln (best_chance * exp (- (N * rate))) <= ln
          (product_over seen (fun o => mass dec P o ^ count xs o))).
        { apply ln_le; [apply Rmult_lt_0_compat; [apply best_chance_pos | apply exp_pos] | exact Hball]. }
        rewrite ln_mult, ln_exp in Hl by (apply best_chance_pos || apply exp_pos). lra. }
      rewrite ln_best_chance, ln_product in Hb by (intros; apply pow_lt; auto).
      rewrite (sum_ext _ (fun o => ln (mass dec P o ^ count xs o))
        (fun o => N * (visit_share o * ln (mass dec P o)))) in Hb
        by (intros o Ho; rewrite ln_pow by auto; unfold visit_share; field; lra).
      rewrite sum_scal in Hb.
      rewrite (sum_ext _ _ (fun o => visit_share o * ln (mass dec P o) + visit_share o * ln (u o) -
        visit_share o * ln (visit_share o))) in Hj.
      2:{ intros o Ho. specialize (Hpos o Ho). specialize (Hmass o Ho). pose proof (frequency_pos o Ho). unfold Rdiv.
          rewrite !ln_mult, ln_Rinv
            by (assumption || (apply Rinv_0_lt_compat; assumption) || (apply Rmult_lt_0_compat; assumption)). ring. }
      rewrite sum_minus, sum_plus in Hj.
      assert (Hn : N * (sum seen (fun o => visit_share o * ln (visit_share o)) - rate) <=
        N * sum seen (fun o => visit_share o * ln (mass dec P o))) by lra.
      apply Rmult_le_reg_l in Hn; [lra | assumption].
  Qed.

  (** ** A law of sequences gives a ball *)

  Variables (q : list O -> R) (C : R).
  Hypothesis HC : 0 < C.
  Hypothesis Hpoor : owned_against dec P q C xs < C.

  Lemma chance_of_seen : sequence_chance dec P xs = product_over seen (fun o => mass dec P o ^ count xs o).
  Proof. apply chance_by_counts; [apply NoDup_nodup|]. intros o Ho. now apply nodup_In. Qed.

  (** A rate that is computed from q, or from a part of it. *)
  Definition rate_of_sequence (rate : R) : Prop := C * best_chance * exp (- (N * rate)) <= q xs.

  Theorem sequence_ball rate : rate_of_sequence rate -> in_ball rate.
  Proof.
    unfold rate_of_sequence, in_ball. intros Hr. rewrite <- chance_of_seen.
    destruct (poor_chance dec P q C HP xs Hpoor) as [_ Hlt]. apply Rmult_le_reg_l with C; [assumption|]. lra.
  Qed.

  Lemma rate_from_logarithms rate part : 0 < part <= q xs -> ln C + ln (best_chance / part) <= N * rate ->
    rate_of_sequence rate.
  Proof.
    intros Hp Hr. pose proof best_chance_pos as Hb. unfold rate_of_sequence. apply Rle_trans with part; [|apply Hp].
    assert (Hpos : 0 < C * best_chance * exp (- (N * rate)))
      by (repeat apply Rmult_lt_0_compat; auto using exp_pos).
    rewrite <- (exp_ln part), <- (exp_ln (C * _ * _)) by (assumption || apply Hp). apply exp_monotone.
    rewrite !ln_mult, ln_exp by (try apply Rmult_lt_0_compat; auto using exp_pos). unfold Rdiv in Hr.
    rewrite ln_mult, ln_Rinv in Hr by (try apply Rinv_0_lt_compat; assumption || apply Hp). lra.
  Qed.

  (** Given: the gambler with q does not own C; N >= 1; q gives the sequence a positive number.
      In words: 10-kl-learner.md#kl-ball.
      Step of: corrected/ii. *)
  Theorem kl_below_rate : 0 < q xs ->
    N * sum seen (fun o => visit_share o * ln (visit_share o / mass dec P o)) < ln C + ln (best_chance / q xs).
  Proof.
    intros H0. destruct (poor_chance dec P q C HP xs Hpoor) as [Hc Hlt]. rewrite chance_of_seen in *.
    pose proof best_chance_pos as Hb. pose proof visits_pos as HN.
    assert (Hmass : forall o, In o seen -> 0 < mass dec P o) by now apply masses_pos.
    apply ln_increasing in Hlt; [|assumption]. rewrite ln_mult in Hlt by assumption.
    unfold Rdiv. rewrite ln_mult, ln_Rinv, ln_best_chance by (try apply Rinv_0_lt_compat; assumption).
    rewrite ln_product in Hlt by (intros; apply pow_lt; auto).
    rewrite (sum_ext _ _ (fun o => N * (visit_share o * ln (mass dec P o)))) in Hlt
      by (intros o Ho; rewrite ln_pow by auto; unfold visit_share; field; lra).
    rewrite sum_scal in Hlt.
    rewrite (sum_ext _ _ (fun o => visit_share o * ln (visit_share o) - visit_share o * ln (mass dec P o))), sum_minus.
    - lra.
    - intros o Ho. pose proof (frequency_pos o Ho). rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; auto).
      ring.
  Qed.
End Ball.
