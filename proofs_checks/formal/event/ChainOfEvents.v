(** * Scanning a chain of events

    Scan a decreasing chain of events A of probability p.  Given how many of n independent draws lie in the larger
    events, the product over the draws of (1 + (a/p) 1_A) keeps its mean (1 + a)^n.  Where the frequency of A is at
    least p + v the product is at least (1 + a/p)^{n (p + v)}.  So the probability that this happens anywhere along the
    chain is at most the largest of ( (1 + a) / (1 + a/p)^{p + v} )^n, which the tilt of [DkwTilt.v] makes at most
    exp(-2 n v^2). *)

Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective HoeffdingFinite DkwTilt.
Import ListNotations.
Open Scope R_scope.

Definition indicator {X} (A : X -> bool) (x : X) : R := if A x then 1 else 0.

Definition within {X} (B A : X -> bool) : Prop := forall x, B x = true -> A x = true.

Fixpoint decreasing_events {X} (A : X -> bool) (chain : list (X -> bool)) : Prop :=
  match chain with
  | [] => True
  | B :: chain' => within B A /\ decreasing_events B chain'
  end.

Section Scan.
  Context {X : Type}.
  Variable d : dist X.
  Hypothesis Hd : is_law d.
  Variables (n : nat) (v a : R).
  Hypothesis Ha : 0 < a.

  Local Notation P A := (E d (indicator A)).
  Local Notation sample := (draws (repeat d n)).

  Fixpoint product (w : X -> R) (xs : list X) : R :=
    match xs with
    | [] => 1
    | x :: xs' => w x * product w xs'
    end.

  (** The weight of a draw, and of a sample, at the event [A]. *)
  Definition weight (A : X -> bool) (x : X) : R := 1 + a / P A * indicator A x.

  (** [phi] cannot tell the points of [A] apart. *)
  Definition blind (A : X -> bool) (phi : list X -> R) : Prop :=
    forall xs ys, Forall2 (fun x y => x = y \/ (A x = true /\ A y = true)) xs ys -> phi xs = phi ys.

  Lemma same_refl (A : X -> bool) xs : Forall2 (fun x y => x = y \/ (A x = true /\ A y = true)) xs xs.
  Proof. induction xs; constructor; auto. Qed.

  Lemma some_point (A : X -> bool) : 0 < P A -> exists x, A x = true.
  Proof.
    intros H. destruct (Exists_dec (fun xp => A (fst xp) = true) d) as [He|He].
    - intros xp; destruct (A (fst xp)); auto.
    - apply Exists_exists in He; destruct He as [xp [_ Hxp]]; now exists (fst xp).
    - exfalso. assert (Hz : P A = E d (fun _ => 0)); [|rewrite E_zero in Hz; lra].
      apply E_ext_as; intros x p Hin _. unfold indicator. destruct (A x) eqn:Hx; [|reflexivity].
      exfalso; apply He, Exists_exists; now exists (x, p).
  Qed.

  Lemma one_draw_exchange A B g :
    within B A -> 0 < P A -> 0 < P B -> (forall x y, A x = true -> A y = true -> g x = g y) ->
    E d (fun x => weight B x * g x) = E d (fun x => weight A x * g x).
  Proof.
    intros HBA HA HB Hg. destruct (some_point A HA) as [x0 Hx0].
    assert (H : forall C, within C A -> 0 < P C -> E d (fun x => weight C x * g x) = E d g + a * g x0).
    { intros C HCA HC.
      rewrite (E_ext d _ (fun x => g x + (a / P C * g x0) * indicator C x)).
      - rewrite E_plus, E_scal. field; lra.
      - intros x; unfold weight. change (indicator C x) with (if C x then 1 else 0). destruct (C x) eqn:Hx; [|ring].
        rewrite (Hg x x0) by auto. ring. }
    rewrite !H by (auto; intros x Hx; exact Hx). reflexivity.
  Qed.

  Lemma draws_exchange A B m phi :
    within B A -> 0 < P A -> 0 < P B -> blind A phi ->
    E (draws (repeat d m)) (fun xs => phi xs * product (weight B) xs) =
    E (draws (repeat d m)) (fun xs => phi xs * product (weight A) xs).
  Proof.
    intros HBA HA HB; revert phi; induction m as [|m IH]; intros phi Hphi; [reflexivity|].
    cbn [repeat]. rewrite !E_draws_cons.
    set (g := fun x => E (draws (repeat d m)) (fun xs => phi (x :: xs) * product (weight A) xs)).
    transitivity (E d (fun x => weight B x * g x)); [|transitivity (E d (fun x => weight A x * g x))].
    - apply E_ext; intros x. unfold g. rewrite <- IH, <- E_scal.
      + apply E_ext; intros xs; simpl; ring.
      + intros xs ys H; apply Hphi; constructor; auto.
    - apply one_draw_exchange; auto. intros x y Hx Hy; unfold g. apply E_ext; intros xs.
      f_equal. apply Hphi; constructor; [auto | apply same_refl].
    - apply E_ext; intros x. unfold g. rewrite <- E_scal. apply E_ext; intros xs; simpl; ring.
  Qed.

  (** The frequency of [A] among the draws exceeds its probability by [v]. *)
  Definition too_often (A : X -> bool) (xs : list X) : Prop := INR n * (P A + v) <= sum xs (indicator A).
  Definition exceeds_dec A xs : {too_often A xs} + {~ too_often A xs} := Rle_dec _ _.
  Definition some_exceeds_dec chain xs : {Exists (fun A => too_often A xs) chain} +
    {~ Exists (fun A => too_often A xs) chain} :=
    Exists_dec _ chain (fun A => exceeds_dec A xs).

  Lemma product_weight A xs : 0 < P A -> product (weight A) xs = exp (ln (1 + a / P A) * sum xs (indicator A)).
  Proof.
    intros HA. assert (0 < a / P A) by (apply Rdiv_lt_0_compat; assumption).
    induction xs as [|x xs IH]; simpl; [now rewrite Rmult_0_r, exp_0|].
    rewrite IH, Rmult_plus_distr_l, exp_plus. f_equal. unfold weight.
    change (indicator A x) with (if A x then 1 else 0). destruct (A x).
    - rewrite !Rmult_1_r, exp_ln by lra. reflexivity.
    - rewrite !Rmult_0_r, exp_0; ring.
  Qed.

  Lemma sum_one_blind (A : X -> bool) xs ys :
    Forall2 (fun x y => x = y \/ (A x = true /\ A y = true)) xs ys -> sum xs (indicator A) = sum ys (indicator A).
  Proof.
    induction 1 as [|x y xs ys Hxy _ IH]; simpl; [reflexivity|]. rewrite IH; f_equal.
    destruct Hxy as [->|[Hx Hy]]; [reflexivity | unfold indicator; now rewrite Hx, Hy].
  Qed.

  (** [c] bounds from below the product at every event whose frequency exceeds. *)
  Variable c : R.
  Hypothesis Hgain : forall A xs, 0 < P A -> too_often A xs -> c <= product (weight A) xs.

  Lemma law_scan_sample : is_law sample.
  Proof. apply law_draws, Forall_repeat, Hd. Qed.

  Lemma scan chain : forall A phi,
    decreasing_events A chain -> 0 < P A -> List.Forall (fun B => 0 < P B) chain ->
    (forall xs, 0 <= phi xs) -> blind A phi ->
    c * E sample (fun xs => phi xs * ind (some_exceeds_dec chain xs)) <=
    E sample (fun xs => phi xs * product (weight A) xs).
  Proof.
    pose proof law_scan_sample as Hl.
    induction chain as [|B chain IH]; intros A phi Hnest HA Hpos Hphi Hblind.
    - rewrite (E_ext sample _ (fun _ => 0)), E_zero.
      + rewrite Rmult_0_r. apply E_nonneg; [apply Hl|]. intros xs. apply Rmult_le_pos; [apply Hphi|].
        rewrite product_weight by assumption. left; apply exp_pos.
      + intros xs. rewrite ind_no by (intros H; inversion H). ring.
    - destruct Hnest as [HBA Hnest]. inversion Hpos as [|? ? HB Hpos']; subst.
      rewrite <- (draws_exchange A B n phi HBA HA HB Hblind).
      specialize (IH B (fun xs => phi xs * (1 - ind (exceeds_dec B xs))) Hnest HB Hpos').
      assert (IH' : c * E sample (fun xs => phi xs * (1 - ind (exceeds_dec B xs)) * ind (some_exceeds_dec chain xs)) <=
                    E sample (fun xs => phi xs * (1 - ind (exceeds_dec B xs)) * product (weight B) xs)).
      { apply IH.
        - intros xs; apply Rmult_le_pos; [apply Hphi|]. pose proof (ind_range (exceeds_dec B xs)); lra.
        - intros xs ys H. f_equal.
          + apply Hblind. clear -H HBA. induction H as [|x y xs ys [Hxy|[Hx Hy]] _ IH]; constructor; auto.
          + f_equal. apply ind_iff. unfold too_often. now rewrite (sum_one_blind B xs ys H). }
      clear IH. rewrite <- E_scal in IH' |- *.
      apply Rle_trans with (E sample (fun xs => phi xs * ind (exceeds_dec B xs) * product (weight B) xs) +
        E sample (fun xs => c * (phi xs * (1 - ind (exceeds_dec B xs)) * ind (some_exceeds_dec chain xs)))).
      + rewrite <- E_plus. apply E_le; [apply Hl|]. intros xs.
        assert (Hi : ind (some_exceeds_dec (B :: chain) xs) =
                     ind (exceeds_dec B xs) + (1 - ind (exceeds_dec B xs)) * ind (some_exceeds_dec chain xs)).
        { destruct (exceeds_dec B xs) as [Hx|Hx]; cbn [ind].
          - rewrite ind_yes by (now apply Exists_cons_hd). ring.
          - rewrite (ind_iff _ (some_exceeds_dec chain xs)); [ring|].
            rewrite Exists_cons. tauto. }
        rewrite Hi. specialize (Hphi xs). specialize (Hgain B xs HB).
        destruct (exceeds_dec B xs) as [Hx|Hx]; cbn [ind]; [|lra].
        specialize (Hgain Hx). nra.
      + rewrite (E_ext sample (fun xs => phi xs * product (weight B) xs)
          (fun xs => phi xs * ind (exceeds_dec B xs) * product (weight B) xs +
                     phi xs * (1 - ind (exceeds_dec B xs)) * product (weight B) xs)) by (intros; ring).
        rewrite E_plus. lra.
  Qed.
End Scan.

(** ** Along any chain of events the frequencies rarely exceed the probabilities *)

Lemma draws_support {X} (d : dist X) n (Q : X -> Prop) :
  almost_surely d Q -> almost_surely (draws (repeat d n)) (List.Forall Q).
Proof.
  intros H; induction n as [|n IH]; simpl; [apply as_ret; constructor|].
  apply as_bind. revert H; apply as_impl; intros x Hx. apply as_image.
  revert IH; apply as_impl; intros xs Hxs. now constructor.
Qed.

Section Chain.
  Context {X : Type}.
  Variable d : dist X.
  Hypothesis Hd : is_law d.
  Variables (n : nat) (v : R).
  Hypothesis Hn : (0 < n)%nat.
  Hypothesis Hv : 0 < v.

  Local Notation sample := (draws (repeat d n)).
  Local Notation top := (fun _ : X => true).

  Lemma P_top : E d (indicator top) = 1.
  Proof. apply Hd. Qed.

  Lemma sum_one_le_length (A : X -> bool) xs : 0 <= sum xs (indicator A) <= INR (length xs).
  Proof.
    induction xs as [|x xs IH]; cbn [sum length]; [simpl; lra|]. rewrite S_INR. unfold indicator at 1 3.
    destruct (A x); lra.
  Qed.

  Lemma sum_one_top xs : sum xs (indicator top) = INR (length xs).
  Proof. unfold indicator; rewrite sum_const; ring. Qed.

  Lemma sample_length : almost_surely sample (fun xs => length xs = n).
  Proof. pose proof (draws_length (repeat d n)) as H; now rewrite repeat_length in H. Qed.

  Lemma law_chain_sample : is_law sample.
  Proof. apply law_draws, Forall_repeat, Hd. Qed.

  Lemma chain_of_likely_events chain :
    decreasing_events top chain -> List.Forall (fun B => 0 < E d (indicator B)) chain ->
    prob sample (some_exceeds_dec d n v chain) <= exp (- 2 * INR n * v ^ 2).
  Proof.
    intros Hnest Hpos. pose proof law_chain_sample as Hl. pose proof (lt_0_INR n Hn) as Hn'.
    destruct (Rlt_le_dec v 1) as [Hv1|Hv1].
    - destruct (tilt_exists v (conj Hv Hv1)) as [a [Ha Hgain]].
      set (c := exp (INR n * (2 * v ^ 2 + ln (1 + a)))).
      assert (Hc : 0 < c) by apply exp_pos.
      assert (Hprod : forall A xs, 0 < E d (indicator A) -> too_often d n v A xs -> c <= product (weight d a A) xs).
      { intros A xs HA Hx. rewrite product_weight by assumption. unfold c, too_often in *.
        set (p := E d (indicator A)) in *. specialize (Hgain p HA). unfold tilt_gain in Hgain.
        assert (HL : 0 <= ln (1 + a / p)).
        { rewrite <- ln_1. apply ln_le; [lra|]. assert (0 < a / p) by (apply Rdiv_lt_0_compat; assumption). lra. }
        assert (Hle : INR n * (2 * v ^ 2 + ln (1 + a)) <= ln (1 + a / p) * sum xs (indicator A)).
        { apply Rle_trans with (ln (1 + a / p) * (INR n * (p + v))); [|now apply Rmult_le_compat_l].
          replace (ln (1 + a / p) * (INR n * (p + v))) with (INR n * ((p + v) * ln (1 + a / p))) by ring.
          apply Rmult_le_compat_l; lra. }
        destruct Hle as [Hlt|Heq]; [left; now apply exp_increasing | rewrite Heq; lra]. }
      pose proof (scan d Hd n v a Ha c Hprod chain top (fun _ => 1) Hnest) as H.
      rewrite P_top in H. specialize (H Rlt_0_1 Hpos (fun _ => Rle_0_1) (fun _ _ _ => eq_refl)).
      rewrite (E_ext sample _ (fun xs => ind (some_exceeds_dec d n v chain xs))) in H by (intros; ring).
      rewrite (E_ext_as sample (fun xs => 1 * product (weight d a top) xs) (fun _ => exp (INR n * ln (1 + a)))) in H.
      + rewrite E_const in H by assumption. fold (prob sample (some_exceeds_dec d n v chain)) in H.
        apply Rmult_le_reg_l with c; [assumption|]. eapply Rle_trans; [exact H|].
        unfold c. rewrite <- exp_plus. right; f_equal; ring.
      + pose proof sample_length as Hlen; revert Hlen; apply as_impl; intros xs Hlen.
        rewrite product_weight by (rewrite ?P_top; lra). rewrite P_top, sum_one_top, Hlen.
        rewrite Rmult_1_l. f_equal. replace (a / 1) with a by field. ring.
    - unfold prob. rewrite (E_ext_as sample _ (fun _ => 0)).
      + rewrite E_zero; left; apply exp_pos.
      + pose proof sample_length as Hlen; revert Hlen; apply as_impl; intros xs Hlen. apply ind_no. intros Hex.
        apply Exists_exists in Hex; destruct Hex as [A [Hin Hx]].
        rewrite Forall_forall in Hpos; specialize (Hpos A Hin). unfold too_often in Hx.
        pose proof (sum_one_le_length A xs) as Hs. rewrite Hlen in Hs. nra.
  Qed.

  (** Events of probability zero do not occur in the sample, so they may stay in the chain. *)
  Definition likely (A : X -> bool) : bool := if Rlt_dec 0 (E d (indicator A)) then true else false.

  Lemma nested_filter A chain : decreasing_events A chain -> decreasing_events A (filter likely chain).
  Proof.
    assert (Hup : forall C (A B : X -> bool), within B A -> decreasing_events B C -> decreasing_events A C).
    { intros [|D C] A' B' HBA; simpl; [trivial|]. intros [H1 H2]; split; [|assumption]. intros x Hx; auto. }
    revert A; induction chain as [|B chain IH]; intros A; simpl; [trivial|].
    intros [HBA Hnest]. destruct (likely B); simpl; [split; [assumption | now apply IH]|].
    apply Hup with B; [assumption | now apply IH].
  Qed.

  (** Given: n >= 1 independent draws from a finite law, v > 0, nested sets.
      Step of: lem:event/rewards. *)
  Theorem chain_rarely_exceeds chain :
    decreasing_events top chain -> prob sample (some_exceeds_dec d n v chain) <= exp (- 2 * INR n * v ^ 2).
  Proof.
    intros Hnest. eapply Rle_trans; [|apply (chain_of_likely_events (filter likely chain))].
    - apply E_le_as; [apply law_chain_sample|].
      assert (Hs : almost_surely d (fun x => exists p, In (x, p) d /\ p <> 0)) by (intros x p H1 H2; now exists p).
      apply (draws_support d n) in Hs.
      revert Hs; apply as_impl; intros xs Hxs. apply ind_le. intros Hex.
      apply Exists_exists in Hex; destruct Hex as [A [Hin Hx]]. apply Exists_exists; exists A; split; [|assumption].
      apply filter_In; split; [assumption|]. unfold likely.
      destruct (Rlt_dec 0 (E d (indicator A))) as [|H0]; [reflexivity|].
      exfalso.
      assert (Hz : sum xs (indicator A) = 0).
      { rewrite (sum_ext xs _ (fun _ => 0)); [rewrite sum_const; ring|]. intros x Hxin.
        rewrite Forall_forall in Hxs; destruct (Hxs x Hxin) as [p [Hp1 Hp2]].
        unfold indicator. destruct (A x) eqn:HAx; [|reflexivity]. exfalso; apply H0.
        assert (Hpos : 0 < prob d (fun x => Bool.bool_dec (A x) true)) by (apply (prob_pos d _ x p); auto; apply Hd).
        eapply Rlt_le_trans; [exact Hpos|]. right. apply E_ext; intros y. unfold indicator. now destruct (A y). }
      unfold too_often in Hx. rewrite Hz in Hx. pose proof (lt_0_INR n Hn).
      assert (0 <= E d (indicator A)) by (apply E_nonneg; [apply Hd | intros y; unfold indicator; destruct (A y); lra]).
      nra.
    - now apply nested_filter.
    - apply Forall_forall; intros A HA. apply filter_In in HA; destruct HA as [_ HA].
      unfold likely in HA. now destruct (Rlt_dec 0 (E d (indicator A))).
  Qed.
End Chain.
