(** * What a log says about the rows of the world, at every moment at once

    A log is a list of draws ((state, action), (reward, next state)), collected by any behaviour.  Known beforehand: the
    possible outcomes of a pair, the most different ones that it has, and the law itself for some pairs.  A row bounds
    the mean of a function f of the outcome of a pair from above, by one of

      - the largest f over the outcomes that are possible (once as many different ones were seen as there are: over
        those);
      - the mean under a known law;
      - a ball ([ball_row]):  eta - exp(- rate) prod (eta - f_o)^{p~_o} , eta at least f where it is possible, the rate
        from the mixture over supports;
      - lower ends ([ends_row]):  sum q_o f_o + (1 - sum q_o) max f, the ends from the mixture of coins.

    [rarely_outside_balls], [rarely_outside_ends]: with probability at least 1 - delta all such bounds hold at every
    moment, whatever the behaviour. *)

Require Import Reals Lra Lia List PeanoNat.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw HoeffdingFinite MartingaleStep KtRedundancy KlSets Ville BestRow AnyBehaviour
  Sequences SupportMixture BallBound ShareTests.
Import ListNotations.
Open Scope R_scope.

Section Log.
  Context {S A B : Type}.
  Variables (pair_dec : forall x y : S * A, {x = y} + {x <> y}) (outcome_dec : forall x y : B * S, {x = y} + {x <> y}).

  Local Notation log := (list ((S * A) * (B * S))).
  Local Notation outcomes := (outcomes_of pair_dec).

  (** ** What is known beforehand *)

  Variables (outs : S * A -> list (B * S)) (limit : S * A -> nat) (known : S * A -> option (dist (B * S))).

  Record fits (world : S * A -> dist (B * S)) : Prop := {
    fits_law : forall sa, is_law (world sa);
    fits_once : forall sa, NoDup (outs sa);
    fits_outs : forall sa, almost_surely (world sa) (fun o => In o (outs sa));
    fits_limit : forall sa, exists support, (length support <= limit sa)%nat /\ NoDup support /\
      almost_surely (world sa) (fun o => In o support);
    fits_known : forall sa d, known sa = Some d -> forall f, E (world sa) f = E d f
  }.

  Definition still_possible (past : log) (sa : S * A) : list (B * S) :=
    if le_dec (limit sa) (length (nodup outcome_dec (outcomes sa past))) then outcomes sa past else outs sa.

  (** Pairs whose laws are learned: with balls, n of them; with ends, each with as many tests as it can have outcomes,
      one if these are two, none if it is one. *)
  Variables (learned : list (S * A)) (delta : R).
  Hypothesis Hdelta : 0 < delta.

  Definition most_outcomes (sa : S * A) : nat := Nat.min (limit sa) (length (outs sa)).
  Definition tests_for (k : nat) : nat := match k with O | 1%nat => O | 2%nat => 1 | _ => k end.
  Definition number_of_ends : nat := fold_right (fun sa n => (tests_for (most_outcomes sa) + n)%nat) O learned.
  Definition level_of (n : nat) : R := INR (Nat.max 1 n) / delta.
  Definition ball_level : R := level_of (length learned).
  Definition ends_level : R := level_of number_of_ends.

  Lemma level_pos n : 0 < level_of n.
  Proof. apply Rdiv_lt_0_compat; [apply lt_0_INR; lia | assumption]. Qed.
  Lemma levels_add_up {X} (l : list X) n : (length l <= n)%nat -> sum l (fun _ => / level_of n) <= delta.
  Proof.
    intros H. rewrite sum_const. assert (0 < INR (Nat.max 1 n)) by (apply lt_0_INR; lia).
    apply Rmult_le_reg_r with (level_of n); [apply level_pos|].
    rewrite Rmult_assoc, Rinv_l by (pose proof (level_pos n); lra).
    unfold level_of. replace (delta * (INR (Nat.max 1 n) / delta)) with (INR (Nat.max 1 n)) by (field; lra).
    rewrite Rmult_1_r. apply le_INR. lia.
  Qed.

  (** ** Rows *)

  Definition bounded_on (l : list (B * S)) (f : B * S -> R) (b : R) : Prop := forall o, In o l -> f o <= b.

  Definition plain_row (past : log) (sa : S * A) (f : B * S -> R) (b : R) : Prop :=
    bounded_on (still_possible past sa) f b \/ exists d, known sa = Some d /\ E d f <= b.

  Definition ball_row (past : log) (sa : S * A) (f : B * S -> R) (b : R) : Prop :=
    plain_row past sa f b \/
    let xs := outcomes sa past in
    In sa learned /\ xs <> [] /\ exists rate eta,
      rate_of_sequence outcome_dec xs (support_mixture outcome_dec (outs sa) (most_outcomes sa)) ball_level rate /\
      bounded_on (still_possible past sa) f eta /\ ball_above outcome_dec xs rate eta f <= b.

  Definition ends_row (past : log) (sa : S * A) (f : B * S -> R) (b : R) : Prop :=
    plain_row past sa f b \/
    let xs := outcomes sa past in
    In sa learned /\ xs <> [] /\ exists q top,
      (forall o, In o (outs sa) -> 0 <= q o <= 1 /\
        lower_end ends_level (count_occ outcome_dec xs o) (length xs - count_occ outcome_dec xs o) (q o)) /\
      bounded_on (still_possible past sa) f top /\
      sum (outs sa) (fun o => q o * f o) + (1 - sum (outs sa) q) * top <= b.

  Section World.
    Variable world : S * A -> dist (B * S).
    Hypothesis Hfits : fits world.
    Variable ask : log -> dist (S * A).
    Hypothesis Hask : forall past, is_law (ask past).

    Local Notation mass := (mass outcome_dec).
    Local Notation count := (count_occ outcome_dec).
    Let Hworld := fits_law world Hfits.
    Local Notation logs := (process (next_draw world ask)).

    Definition all_drawn (past : log) : Prop := forall sa o, In o (outcomes sa past) -> 0 < mass (world sa) o.

    Lemma possible_almost_surely past sa : all_drawn past -> almost_surely (world sa)
      (fun o => In o (still_possible past sa)).
    Proof.
      intros Hd. unfold still_possible. destruct (le_dec _ _) as [Hle|_]; [|now apply fits_outs].
      destruct (fits_limit world Hfits sa) as [support [H1 [H2 H3]]].
      assert (Hincl : incl (nodup outcome_dec (outcomes sa past)) support).
      { intros o Ho. apply nodup_In, (Hd sa) in Ho. exact (has_mass outcome_dec (world sa) _ o Ho H3). }
      assert (Hlen : (length support <= length (nodup outcome_dec (outcomes sa past)))%nat) by lia.
      revert H3. apply as_impl. intros o Ho. apply (nodup_In outcome_dec).
      exact (NoDup_length_incl (NoDup_nodup outcome_dec _) Hlen Hincl o Ho).
    Qed.

    Lemma plain_row_holds past sa f b : all_drawn past -> plain_row past sa f b -> E (world sa) f <= b.
    Proof.
      intros Hd [H|[d [Hk H]]].
      - apply E_le_const; [apply Hworld|]. generalize (possible_almost_surely past sa Hd). apply as_impl. exact H.
      - now rewrite (fits_known world Hfits sa d Hk).
    Qed.

    (** At some moment of the log. *)
    Definition at_some_moment (bad : log -> Prop) (path : log) : Prop :=
      exists newer past, path = newer ++ past /\ bad past.

    (** What is bad only if a gambler is rich, or something impossible was drawn. *)
    Lemma rarely_or_impossible {I} (gamblers : list I) about owns level bad n
      (dec : forall path, {at_some_moment bad path} + {~ at_some_moment bad path}) :
      (forall i, In i gamblers -> gambler (world (about i)) (owns i) /\ 0 < level i) ->
      (forall past, all_drawn past -> ~ some_rich pair_dec gamblers about owns level past -> ~ bad past) ->
      prob (logs n) dec <= sum gamblers (fun i => / level i).
    Proof.
      intros Hg Ht. eapply Rle_trans;
        [|exact (rarely_rich pair_dec world Hworld ask Hask gamblers about owns level Hg n)].
      apply E_le_as; [apply law_process, law_next_draw; assumption|].
      generalize (drawn_have_mass pair_dec world Hworld ask outcome_dec n). apply as_impl. intros path Hd. apply ind_le.
      intros [newer [past [-> Hn]]]. apply Exists_exists. exists past. split; [apply in_moments_iff; now exists newer|].
      destruct (Exists_dec (fun i => rich pair_dec about owns level i past) gamblers (fun i => Rle_dec _ _))
        as [Hr|Hr]; [exact Hr|]. exfalso. apply (Ht past); [|exact Hr | exact Hn]. intros sa o Ho. apply (Hd sa).
      now apply outcomes_of_moment.
    Qed.

    (** ** Balls *)

    Definition trusted_balls (past : log) : Prop := forall sa f b, ball_row past sa f b -> E (world sa) f <= b.

    Lemma outs_inhabited sa : (1 <= most_outcomes sa <= length (outs sa))%nat.
    Proof.
      destruct (law_inhabited _ (Hworld sa)) as [o [p [Hin Hp]]].
      pose proof (fits_outs world Hfits sa o p Hin ltac:(lra)) as H1.
      destruct (fits_limit world Hfits sa) as [support [H2 [_ H3]]]. specialize (H3 o p Hin ltac:(lra)).
      unfold most_outcomes. destruct (outs sa); [destruct H1|]. destruct support; [destruct H3|]. cbn [length] in *.
      lia.
    Qed.

    (** Given: any behaviour, any world that fits what is known, 0 < delta.
        Differs: balls of the mixture over supports, for every row and at every moment.
        In words: 10-kl-learner.md#kl-ball.
        Step of: corrected/ii. *)
    Theorem rarely_outside_balls bad n (dec : forall path, {at_some_moment bad path} + {~ at_some_moment bad path}) :
      (forall past, bad past -> ~ trusted_balls past) -> prob (logs n) dec <= delta.
    Proof.
      intros Hbad. pose proof (level_pos (length learned)) as HC. fold ball_level in HC.
      pose (q := fun sa => support_mixture outcome_dec (outs sa) (most_outcomes sa)).
      eapply Rle_trans; [apply (rarely_or_impossible learned (fun sa => sa)
        (fun sa => owned_against outcome_dec (world sa) (q sa) ball_level) (fun _ => ball_level))|].
      - intros sa _. split; [|assumption].
        apply (sequence_gambler outcome_dec (outs sa) (fits_once _ Hfits sa) _ _ _ (Hworld sa) (fits_outs _ Hfits sa));
          [|assumption]. apply mixture_is_sequential; [now apply (fits_once world) | apply outs_inhabited].
      - intros past Hd Hpoor Hb0. apply (Hbad past Hb0). clear Hb0.
        intros sa f b [H|[Hin [Hxs [rate [eta [Hrate [Heta Hb]]]]]]]; [now apply (plain_row_holds past)|].
        eapply Rle_trans; [|exact Hb]. apply ball_above_mean; [apply Hworld | exact Hxs | |].
        + apply (sequence_ball outcome_dec (world sa) (Hworld sa) (outcomes sa past) (q sa) ball_level HC);
            [|assumption].
          exact (none_rich pair_dec learned (fun sa => sa) _ _ past sa Hpoor Hin).
        + generalize (possible_almost_surely past sa Hd). apply as_impl. exact Heta.
      - now apply levels_add_up.
    Qed.

    (** ** Ends *)

    Definition trusted_ends (past : log) : Prop := forall sa f b, ends_row past sa f b -> E (world sa) f <= b.

    (** Tests of every outcome that can occur; of two, one stands for the other; a single one needs no test. *)
    Definition tested_by (l : list (B * S)) (sa : S * A) : Prop := forall o, 0 < mass (world sa) o ->
      In o l \/ mass (world sa) o = 1 \/
      exists o', In o' l /\ o' <> o /\ almost_surely (world sa) (fun z => z = o \/ z = o').

    Lemma tests_of_pair sa : exists l, (length l <= tests_for (most_outcomes sa))%nat /\ tested_by l sa.
    Proof.
      assert (Hs : exists l, (length l <= most_outcomes sa)%nat /\ NoDup l /\ almost_surely (world sa)
        (fun o => In o l)).
      { unfold most_outcomes. destruct (fits_limit world Hfits sa) as [l [H1 [H2 H3]]].
        destruct (le_dec (limit sa) (length (outs sa))); [exists l | exists (outs sa)];
          (split; [lia | split; auto]); [now apply (fits_once world) | now apply fits_outs]. }
      destruct Hs as [l [Hlen [Hdup Has]]].
      assert (Hl : forall o, 0 < mass (world sa) o -> In o l)
        by (intros o Ho; exact (has_mass outcome_dec (world sa) _ o Ho Has)).
      assert (Hone : forall o, l = [o] -> mass (world sa) o = 1).
      { intros o ->. unfold FiniteLaw.mass. rewrite (E_ext_as _ _ (fun _ => 1)); [apply Hworld|]. revert Has.
        apply as_impl.
        intros z [->|[]]. now apply ind_yes. }
      destruct (most_outcomes sa) as [|[|[|k]]]; cbn [tests_for].
      - destruct l; [|simpl in Hlen; lia]. exists []. split; [apply le_n|]. intros o Ho. destruct (Hl o Ho).
      - exists []. split; [apply le_n|]. intros o Ho. right; left. apply Hone. specialize (Hl o Ho).
        destruct l as [|o1 [|]]; [destruct Hl | destruct Hl as [->|[]]; reflexivity | simpl in Hlen; lia].
      - exists (firstn 1 l). split; [rewrite firstn_length; lia|]. intros o Ho. specialize (Hl o Ho).
        destruct l as [|o1 [|o2 [|]]]; [destruct Hl | left; exact Hl | | simpl in Hlen; lia].
        destruct Hl as [->|[->|[]]]; [left; now left|]. right; right. exists o1. split; [now left|].
        split; [inversion Hdup as [|? ? Hn _]; intros ->; apply Hn; now left|].
        revert Has. apply as_impl. intros z [->|[->|[]]]; auto.
      - exists l. split; [assumption|]. intros o Ho. left. auto.
    Qed.

    Lemma tests_of_all : exists tests : list ((S * A) * (B * S)), (length tests <= number_of_ends)%nat /\
      forall sa, In sa learned -> exists l, tested_by l sa /\ forall o, In o l -> In (sa, o) tests.
    Proof.
      unfold number_of_ends. induction learned as [|sa l [tests [H1 H2]]];
        [exists []; split; [apply le_n | intros ? []]|].
      destruct (tests_of_pair sa) as [t [H3 H4]]. exists (map (pair sa) t ++ tests). cbn [fold_right].
      split; [rewrite app_length, map_length; lia|]. intros sa' [<-|Hin].
      - exists t. split; [assumption|]. intros o Ho. apply in_or_app. left. now apply in_map.
      - destruct (H2 sa' Hin) as [t' [H5 H6]]. exists t'. split; [assumption|]. intros o Ho. apply in_or_app. right.
        auto.
    Qed.

    Lemma split_is_count o xs : split_count _ (fun y => outcome_dec y o) xs = (count xs o, length xs - count xs o)%nat.
    Proof.
      induction xs as [|x xs IH]; [reflexivity|]. cbn [split_count]. rewrite IH.
      pose proof (count_occ_bound outcome_dec o xs).
      destruct (outcome_dec x o) as [->|Hne].
      - rewrite count_occ_cons_eq by reflexivity. f_equal.
      - rewrite count_occ_cons_neq by assumption. cbn [length]. f_equal. lia.
    Qed.

    Lemma two_counts o o' xs : o' <> o -> (forall z, In z xs -> z = o \/ z = o') ->
      (count xs o + count xs o' = length xs)%nat.
    Proof.
      intros Hne. induction xs as [|x xs IH]; intros H; [reflexivity|]. cbn [length].
      destruct (H x (or_introl eq_refl)) as [->| ->].
      - rewrite count_occ_cons_eq, count_occ_cons_neq by congruence. rewrite <- IH by (intros; apply H; now right). lia.
      - rewrite count_occ_cons_neq, count_occ_cons_eq by congruence. rewrite <- IH by (intros; apply H; now right). lia.
    Qed.

    Lemma ends_are_below past sa l q : all_drawn past -> tested_by l sa -> outcomes sa past <> [] ->
      (forall o, In o l -> kt_covered ends_level (count (outcomes sa past) o)
        (length (outcomes sa past) - count (outcomes sa past) o) (mass (world sa) o)) ->
      forall o, 0 <= q <= 1 ->
      lower_end ends_level (count (outcomes sa past) o) (length (outcomes sa past) - count (outcomes sa past) o) q ->
      q <= mass (world sa) o.
    Proof.
      intros Hd Hl Hxs Hcov o Hq He. set (xs := outcomes sa past) in *.
      assert (HC : 0 <= ends_level) by (left; apply level_pos).
      pose proof (mass_range outcome_dec (world sa) o (Hworld sa)) as Hm.
      destruct (Req_EM_T (mass (world sa) o) 0) as [H0|H0].
      - rewrite H0. destruct He as [|[He _]]; [assumption|].
        assert (Hc : count xs o = O) by (apply count_occ_not_In; intros Ho; specialize (Hd sa o Ho); lra).
        rewrite Hc, Nat.sub_0_r in He. cbn [Nat.add] in He. assert (0 < INR (length xs)).
        { apply lt_0_INR. destruct xs; [congruence | simpl; lia]. } simpl (INR 0) in He. nra.
      - destruct (Hl o ltac:(lra)) as [Ho|[->|[o' [Ho [Hne Htwo]]]]]; [|lra|].
        + exact (lower_end_below ends_level _ _ _ q HC Hm ltac:(lra) (Hcov o Ho) He).
        + specialize (Hcov o' Ho). assert (Hsum : mass (world sa) o = 1 - mass (world sa) o').
          { unfold FiniteLaw.mass. rewrite <- (E_const (world sa) 1 (Hworld sa)) at 1. rewrite <- E_minus.
            apply E_ext_as. revert Htwo. apply as_impl. intros z [->| ->].
            - rewrite (ind_yes (outcome_dec o o)), (ind_no (outcome_dec o o')) by congruence. ring.
            - rewrite (ind_no (outcome_dec o' o)), (ind_yes (outcome_dec o' o')) by congruence. ring. }
          assert (Hcounts : (count xs o + count xs o' = length xs)%nat).
          { apply two_counts; [assumption|]. intros z Hz.
            exact (has_mass outcome_dec (world sa) _ z (Hd sa z Hz) Htwo). }
          apply (lower_end_below ends_level (count xs o) (length xs - count xs o) _ q HC Hm ltac:(lra)); [|exact He].
          rewrite Hsum. unfold kt_covered in *. rewrite kt_sym, lik_sym.
          replace (length xs - count xs o)%nat with (count xs o') by lia.
          replace (length xs - count xs o')%nat with (count xs o) in Hcov by lia. exact Hcov.
    Qed.

    (** Given: as rarely_outside_balls.
        Differs: a test for each outcome.
        In words: 10-kl-learner.md#kl-logs.
        Step of: corrected/ii. *)
    Theorem rarely_outside_ends bad n (dec : forall path, {at_some_moment bad path} + {~ at_some_moment bad path}) :
      (forall past, bad past -> ~ trusted_ends past) -> prob (logs n) dec <= delta.
    Proof.
      intros Hbad. pose proof (level_pos number_of_ends) as HC. fold ends_level in HC.
      destruct tests_of_all as [tests [Hlen Htests]].
      pose (owns := fun (t : (S * A) * (B * S)) xs => capital kt ends_level (mass (world (fst t)) (snd t))
        (split_count _ (fun y => outcome_dec y (snd t)) xs)).
      eapply Rle_trans; [apply (rarely_or_impossible tests fst owns (fun _ => ends_level))|].
      - intros t _. split; [|assumption].
        exact (share_gambler _ (fun y => outcome_dec y (snd t)) (world (fst t)) kt ends_level (Hworld _) mixture_kt HC).
      - intros past Hd Hpoor Hb0. apply (Hbad past Hb0). clear Hb0.
        intros sa f b [H|[Hin [Hxs [q [top [Hq [Htop Hb]]]]]]]; [now apply (plain_row_holds past)|].
        eapply Rle_trans; [|exact Hb]. destruct (Htests sa Hin) as [l [Hl Hall]].
        assert (Hlow : forall o, In o (outs sa) -> q o <= mass (world sa) o).
        { intros o Ho. destruct (Hq o Ho) as [H01 He]. apply (ends_are_below past sa l (q o) Hd Hl Hxs); auto.
          intros o' Ho'. pose proof (none_rich pair_dec tests fst owns _ past (sa, o') Hpoor (Hall o' Ho')) as Hp.
          unfold owns in Hp. cbn [fst snd] in Hp. rewrite split_is_count in Hp. apply Rnot_le_lt. intros Hle.
          apply Rlt_not_le in Hp. apply Hp. apply capital_reached; [|exact Hle].
          apply (mass_range outcome_dec), Hworld. }
        assert (Hone : sum (outs sa) (fun o => mass (world sa) o) = 1).
        { rewrite <- (proj2 (Hworld sa)), (E_sum_over outcome_dec (outs sa) (world sa) (fun _ => 1)) by
            (now apply (fits_once world) || now apply fits_outs). apply sum_ext. intros. ring. }
        rewrite (E_sum_over outcome_dec (outs sa) (world sa) f) by (now apply (fits_once world) || now apply fits_outs).
        rewrite <- Hone, <- sum_minus, (Rmult_comm (sum _ _)), <- sum_scal, <- sum_plus. apply sum_le. intros o Ho.
        specialize (Hlow o Ho). destruct (Hq o Ho) as [[H0 _] _].
        destruct (Req_EM_T (mass (world sa) o) 0) as [Hz|Hz]; [rewrite Hz in *; replace (q o) with 0 by lra; lra|].
        pose proof (mass_range outcome_dec (world sa) o (Hworld sa)).
        assert (f o <= top).
        { apply Htop. exact (has_mass outcome_dec (world sa) _ o ltac:(lra) (possible_almost_surely past sa Hd)). }
        nra.
      - now apply levels_add_up.
    Qed.
  End World.
End Log.
