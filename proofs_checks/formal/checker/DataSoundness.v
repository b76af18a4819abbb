(** * What [check_data] accepts is true of the process that the data are from

    [data_check_sound]: if every proved end is at most the true probability, the certificate's policy attains the lower
    bound and no policy exceeds the upper one.  [ends_hold]: so it is, unless a test is doubted.  [rarely_wrong]: that
    has probability at most delta, whatever behaviour collected the data, for all certificates at once. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective ObjectiveFacts JointModel Rows Tree Program Check Verdict Meaning
  ModelFacts RatFacts TablesAbove Budgets TailObjective TailRoute Soundness LawCheck Written MartingaleStep KlSets
    Ville DataCheck
  DataEnds DataEvent Completions RobustTables.
Import ListNotations.
Open Scope R_scope.

(** ** If the ends hold *)

Section Ends.
  Variables (d : data) (world : positive -> Z -> dist (Z * positive)).
  Hypothesis Hworld : forall s i, is_law (world s i).
  Hypothesis Hrows : forall s i p, znth (sampled_at d s) i = Some p -> row_holds world s (label p) p.
  Hypothesis Hgood : good_model (completed_model d) = true.
  Let Mt := truth d world.
  Let mo := completed_model d.
  Let m0 := nominal d.
  Let T := Z.to_nat (data_horizon d).

  Lemma is_jmdp_truth : is_jmdp Mt.
  Proof.
    split; [exact (jinit_law _ (is_jmdp_meaning mo Hgood))|]. intros t s i. cbn.
    destruct (znth (sampled_at d s) i); [apply Hworld | apply law_ret].
  Qed.

  Lemma nominal_actions t s : (t < T)%nat -> actions_at m0 t s = map (fun p => Action 1 []) (sampled_at d s).
  Proof.
    intros Ht. unfold actions_at, m0, nominal, model_with. cbn [steps]. rewrite nth_error_repeat by assumption.
    unfold sampled_at. rewrite get_tmap. destruct (get s (pair_rows d)); reflexivity.
  Qed.

  Lemma same_rate g t : rate_at m0 g t = rate_at mo g t.
  Proof. induction t as [|t IH]; [reflexivity|]. cbn [rate_at]. rewrite IH. reflexivity. Qed.
  Lemma same_index g start l : index_after m0 g start (fst (original d (l, xH))) = index_after mo g start l.
  Proof.
    induction l as [|[[s i] z] l IH]; [reflexivity|]. cbn [original fst map index_after snd] in *. rewrite IH,
      map_length.
    unfold moved. now rewrite same_rate.
  Qed.
  Lemma same_choice g start choices h :
    budget_choice m0 g start choices (original d h) = budget_choice mo g start choices h.
  Proof.
    unfold budget_choice. rewrite original_time. destruct h as [l s].
    change (fst (original d (l, s))) with (fst (original d (l, xH))). now rewrite same_index.
  Qed.

  Lemma plays_allowed_nominal choice : plays_allowed Mt (playing m0 choice).
  Proof.
    intros h Ht. apply as_ret. cbn [allowed_action truth Mt]. change (jhorizon Mt) with T in Ht. unfold valid.
    rewrite (nominal_actions _ _ Ht), znth_map. destruct (znth (sampled_at d (jstate h)) (choice h)) as [p|] eqn:E;
      cbn [option_map]; [right; eauto|].
    destruct (sampled_at d (jstate h)) as [|p l]; [now left | right; now exists p].
  Qed.

  Section Value.
    Variables (w alpha : rat).
    Hypothesis Htail : good_tail w alpha = true.
    Let G := tail_weight (real_of w) (real_of alpha).

    Lemma same_value pi : is_jpolicy pi -> plays_allowed Mt pi ->
      Phi G (jreturn_law Mt pi) = Phi G (jreturn_law (meaning mo) (completed_policy d world pi)).
    Proof.
      intros Hpi Hal. destruct (tail_facts w alpha Htail) as [_ [_ [_ [HW HA]]]].
      apply Phi_of_same_expectations.
      - now apply weighting_tail.
      - apply law_jreturn; [apply is_jmdp_truth | assumption].
      - apply law_jreturn; [now apply is_jmdp_meaning | now apply law_completed].
      - intros f. symmetry. now apply same_return.
    Qed.

    Theorem upper_holds p bound pi : ok bound -> snd (upper_test mo (Tail w alpha) p bound) tt = true -> is_jpolicy pi
      ->
      plays_allowed Mt pi -> Phi G (jreturn_law Mt pi) <= real_of bound.
    Proof.
      intros Hb H Hpi Hal. rewrite same_value by assumption.
      apply (upper_test_sound mo (Tail w alpha) p bound); try assumption; [now apply law_completed | now apply
        plays_completed].
    Qed.

    Theorem lower_holds V g start choices bound : (0 < V)%Z -> good_grid g = true -> ok bound ->
      match robust_bound d V g start choices w alpha with Some x => rat_le bound x | None => false end = true ->
      real_of bound <= Phi G (jreturn_law Mt (policy_of m0 (ByBudget V g start choices))).
    Proof.
      intros HV Hg Hb H. unfold robust_bound in H.
      destruct (robust_cost (completed_model d) (group_steps d) g start choices (cost_above V w alpha)) as [x|] eqn:Ex;
        [|discriminate].
      destruct (tail_facts w alpha Htail) as [Hokw [_ [_ [HW HA]]]].
      destruct (good_facts mo Hgood) as [_ [_ [_ [G4 _]]]].
      destruct (grid_positive g Hg) as [_ [Hu2 _]]. pose proof (IZR_lt _ _ HV) as HV'. pose proof (IZR_lt _ _ G4) as
        G4'.
      set (pi := policy_of m0 (ByBudget V g start choices)).
      assert (Hpi : is_jpolicy pi) by apply is_jpolicy_playing.
      assert (Hal : plays_allowed Mt pi) by apply plays_allowed_nominal.
      rewrite (same_value pi Hpi Hal). set (pi' := completed_policy d world pi).
      assert (Hpi' : is_jpolicy pi') by now apply law_completed.
      assert (Hlaw : is_law (jreturn_law (meaning mo) pi')) by (apply law_jreturn; [now apply is_jmdp_meaning |
        assumption]).
      eapply Rle_trans; [|apply (J_le_Phi _ _ HW HA _ (real_of (unit_size g) * IZR start) Hlaw)].
      set (c := cost_of (real_of w) (real_of alpha)). set (Fc := fun y => IZR V * c y).
      assert (Fc_mono : forall y z, y <= z -> Fc y <= Fc z)
        by (intros y z Hyz; apply Rmult_le_compat_l; [lra | now apply (c_mono w alpha Htail)]).
      assert (Hsteps : steps mo = map (tmap (@concat action)) (group_steps d)).
      { unfold mo, completed_model, model_with, group_steps. cbn [steps].
        induction (Z.to_nat (data_horizon d)) as [|n IH]; [reflexivity|]. cbn [repeat map]. now rewrite IH. }
      assert (Hplays : forall h st l acts, nth_error (group_steps d) (jtime h) = Some st -> get (jstate h) st = Some l
        ->
        znth l (budget_choice mo g start choices h) = Some acts ->
        almost_surely (pi' h) (fun i => exists a, In a acts /\ znth (actions_at mo (jtime h) (jstate h)) i = Some a)).
      { intros h st l acts Est El Ea. assert (Ht : (jtime h < T)%nat).
        { assert (N : nth_error (group_steps d) (jtime h) <> None) by congruence. apply nth_error_Some in N.
          unfold group_steps in N. now rewrite repeat_length in N. }
        unfold group_steps in Est. rewrite nth_error_repeat in Est by assumption. injection Est as <-.
        unfold groups in El. rewrite get_tmap in El.
        destruct (get (jstate h) (pair_rows d)) as [ps|] eqn:Eps; [|discriminate]. injection El as <-.
        assert (Hs : sampled_at d (jstate h) = ps) by (unfold sampled_at; now rewrite Eps).
        rewrite znth_map in Ea. destruct (znth ps (budget_choice mo g start choices h)) as [p|] eqn:Ep; [|discriminate].
        injection Ea as <-.
        unfold pi', completed_policy, pi, policy_of, playing. apply as_bind, as_ret.
        rewrite same_choice, original_time. change (jstate (original d h)) with (jstate h). unfold valid.
        rewrite (nominal_actions _ _ Ht), znth_map, Hs, Ep. cbn [option_map].
        pose proof (mixture_plays d world (jtime h) (jstate h) (budget_choice mo g start choices h) p Ht) as Hm.
        rewrite Hs in Hm. specialize (Hm Ep). revert Hm. apply as_impl. intros j [o [Ho [_ Hj]]].
        exists (completed p o). split; [unfold completions; cbv zeta; now apply (in_map (completed p)) | exact Hj]. }
      pose proof (robust_cost_above mo (group_steps d) Hgood Hsteps g start choices Hg pi' Hpi' Hplays Fc Fc_mono
        (cost_above V w alpha) (fun y Hy => cost_above_correct w alpha Htail V y Hy) x Ex) as Hle.
      unfold Fc in Hle. rewrite E_scal in Hle.
      assert (Hokx : ok (Rat x (V * data_initial_den d))) by (unfold ok; cbn [den]; now apply Z.mul_pos_pos).
      assert (Hoku : ok (rmult (unit_size g) (of_Z start))) by (apply ok_rmult; [exact Hu2 | apply ok_of_Z]).
      apply rat_le_correct in H; [|assumption | now apply ok_rminus].
      rewrite real_rminus, real_rmult, real_of_Z in H by auto using ok_of_Z.
      eapply Rle_trans; [exact H|]. unfold J. fold c. apply Rplus_le_compat_l, Ropp_le_contravar.
      apply Rmult_le_reg_l with (IZR V); [assumption|]. eapply Rle_trans; [exact Hle|]. right.
      unfold real_of; cbn [num den]. rewrite mult_IZR. change (initial_den mo) with (data_initial_den d) in *. field.
        lra.
    Qed.
  End Value.

  (** Given: a world whose rows are at least the proved parts.
      Differs: a step of the theorem about data.
      In words: 10-kl-learner.md#kl-certificate.
      Step of: production/proved. *)
  Theorem data_check_sound o c k : check_data d o c k = true ->
    (exists pi, pi = policy_of m0 (low k) /\ is_jpolicy pi /\ plays_allowed Mt pi /\
       real_of (lower c) <= value_of o (jreturn_law Mt pi)) /\
    (forall pi, is_jpolicy pi -> plays_allowed Mt pi -> value_of o (jreturn_law Mt pi) <= real_of (upper c)).
  Proof.
    intros H. unfold check_data, data_tests in H. cbn [forallb snd] in H. repeat rewrite andb_true_iff in H.
    destruct H as [_ [_ [Ho [[Hl Hu] [Hlow [Hup _]]]]]].
    assert (Hokl : ok (lower c)) by now apply Z.ltb_lt in Hl. assert (Hoku : ok (upper c)) by now apply Z.ltb_lt in Hu.
    destruct o as [w alpha| |]; [|destruct (low k); discriminate Hlow..]. split.
    - destruct (low k) as [|V g start choices| | |]; try discriminate Hlow. exists (policy_of m0 (ByBudget V g start
      choices)).
      split; [reflexivity|]. split; [apply is_jpolicy_playing|]. split; [apply plays_allowed_nominal|].
      cbn [robust_test snd] in Hlow. repeat rewrite andb_true_iff in Hlow. destruct Hlow as [[HV Hg] Hlow].
      apply Z.ltb_lt in HV. now apply lower_holds.
    - intros pi Hpi Hal. apply (upper_holds w alpha Ho (up k)); try assumption. unfold optimistic_test in Hup.
      fold mo in Hup. destruct (upper_test mo (Tail w alpha) (up k) (upper c)) as [why test]. exact Hup.
  Qed.
End Ends.

(** ** The ends hold unless a test is doubted *)

Definition visits_in (past : list transition) (sa : positive * Z) : nat :=
  length (filter (fun t => if asked_dec (fst t) sa then true else false) past).
Definition times_in (past : list transition) (tau : transition) : nat :=
  length (filter (fun t => if asked_dec (fst t) (fst tau) then if drawn_dec (snd t) (snd tau) then true else false else
    false)
    past).
(** The counts of a data set are those of the transitions. *)
Definition counts (d : data) (past : list transition) : Prop :=
  forall s i p, znth (sampled_at d s) i = Some p -> visit_sum p = Z.of_nat (visits_in past (s, label p)) /\
    forall o, In o (possible p) -> times o = Z.of_nat (times_in past ((s, label p), seen_as o)).

Lemma tally_counts tau past : fst (tally_of tau past) = times_in past tau /\
  (fst (tally_of tau past) + snd (tally_of tau past) = visits_in past (fst tau))%nat.
Proof.
  unfold times_in, visits_in. induction past as [|t past [IH1 IH2]]; [split; reflexivity|]. cbn [tally_of filter].
  destruct (tally_of tau past) as [x b]. cbn [fst snd] in *. destruct (asked_dec (fst t) (fst tau));
    [destruct (drawn_dec (snd t) (snd tau))|]; cbn [fst snd length]; split; lia.
Qed.

Lemma get_tree_of {X} s (x : X) l : get s (tree_of l) = Some x -> In (s, x) l.
Proof.
  unfold tree_of. assert (H : forall l t, get s (fold_left (fun t sx => set (fst sx) (snd sx) t) l t) = Some x ->
    In (s, x) l \/ get s t = Some x).
  { clear l. induction l as [|[s' x'] l IH]; intros t; cbn [fold_left fst snd]; [auto|]. intros H.
    destruct (IH _ H) as [H'|H']; [left; now right|]. destruct (Pos.eq_dec s' s) as [->|Hne].
    - rewrite get_set_same in H'. injection H' as ->. left. now left.
    - rewrite get_set_other in H' by assumption. now right. }
  intros Hg. destruct (H l Leaf Hg) as [H'|H']; [assumption | destruct s; discriminate].
Qed.

Lemma listed_row d s i p : znth (sampled_at d s) i = Some p -> exists l, In (s, l) (rows d) /\ znth l i = Some p.
Proof.
  unfold sampled_at, pair_rows. destruct (get s (tree_of (rows d))) as [l|] eqn:E; [|discriminate]. intros H. exists l.
  split; [now apply get_tree_of | assumption].
Qed.

Lemma comes_before_trans a b c : comes_before a b = true -> comes_before b c = true -> comes_before a c = true.
Proof.
  unfold comes_before. rewrite !orb_true_iff, !andb_true_iff, !Z.ltb_lt, !Z.eqb_eq. intros [H|[H1 H2]] [H'|[H3 H4]];
    lia.
Qed.
Lemma in_order_once l : in_order l = true -> NoDup (map seen_as l).
Proof.
  intros H. assert (G : NoDup (map seen_as l) /\ match l with [] => True | o :: l' => forall o', In o' l' ->
    comes_before o o' = true end); [|tauto].
  induction l as [|o l IH]; [split; [constructor | exact I]|]. cbn [in_order] in H. apply andb_true_iff in H.
  destruct H as [H1 H2]. destruct (IH H2) as [N B]. clear IH.
  assert (A : forall o', In o' l -> comes_before o o' = true).
  { destruct l as [|o1 l]; [intros ? []|]. intros o' [<-|Ho]; [assumption|]. apply (comes_before_trans o o1); auto. }
  split; [|assumption]. cbn [map]. constructor; [|assumption]. intros Hin. apply in_map_iff in Hin.
  destruct Hin as [o' [He Ho]]. specialize (A o' Ho). unfold seen_as in He. injection He as E1 E2. unfold comes_before
    in A.
  rewrite E1, E2 in A. rewrite Z.ltb_irrefl, Z.eqb_refl, Z.ltb_irrefl in A. discriminate.
Qed.

Section Doubt.
  Variables (world : positive -> Z -> dist (Z * positive)) (listed : list transition) (delta : R).
  Hypothesis Hworld : forall s i, is_law (world s i).
  (** Where the pair of a listed transition leads is listed. *)
  Hypothesis Hlisted : forall s i os, In ((s, i), os) listed ->
    almost_surely (world s i) (fun os' => In ((s, i), os') listed).
  Hypothesis Hdelta : 0 < delta.
  Definition doubt_level : R := Rmax 1 (INR (length listed)) / delta.

  Lemma doubt_level_pos : 0 < doubt_level.
  Proof. apply Rdiv_lt_0_compat; [|assumption]. pose proof (Rmax_l 1 (INR (length listed))). lra. Qed.

  (** A data set about these transitions and this delta, with the counts of the past.  It has rows for some pairs, each
      with all its listed outcomes, and counts every listed transition as a test. *)
  Definition about (d : data) (past : list transition) : Prop :=
    (forall s i p, znth (sampled_at d s) i = Some p ->
       forall os, In ((s, label p), os) listed <-> In os (map seen_as (possible p))) /\
    (Z.of_nat (length listed) <= tests d)%Z /\ real_of (failure d) = delta /\ counts d past.

  Theorem ends_hold d past : about d past -> good_data d = true -> ~ misled_by_data world doubt_level listed past ->
    forall s i p, znth (sampled_at d s) i = Some p -> row_holds world s (label p) p.
  Proof.
    intros [Hsame [Htests [Hfail Hcounts]]] Hgood Hnot s i p Hp. specialize (Hsame s i p Hp).
    unfold good_data in Hgood. repeat rewrite andb_true_iff in Hgood. destruct Hgood as [[[Hn Hd] Ht1] Hall].
    apply Z.ltb_lt in Hn, Hd. apply Z.leb_le in Ht1. cbv zeta in Hall. rewrite forallb_forall in Hall.
    destruct (listed_row d s i p Hp) as [l [Hin Hi]]. specialize (Hall _ Hin). cbn [snd] in Hall.
    rewrite forallb_forall in Hall. specialize (Hall p (znth_In _ _ _ Hi)). unfold good_sampled in Hall.
    repeat rewrite andb_true_iff in Hall. destruct Hall as [[[[H1 H2] H3] H4] H5].
    apply Z.ltb_lt in H2, H3. rewrite forallb_forall in H5. destruct (Hcounts s i p Hp) as [Hv Ht].
    assert (Hc0 : (0 <= num (threshold d))%Z) by (unfold threshold; cbn [num]; nia).
    assert (Hlevel : doubt_level <= real_of (threshold d)).
    { unfold doubt_level, threshold, real_of in *. cbn [num den]. rewrite mult_IZR, <- Hfail. apply IZR_lt in Hn, Hd.
      replace (IZR (tests d) * IZR (den (failure d)) / IZR (num (failure d)))
        with (IZR (tests d) / (IZR (num (failure d)) / IZR (den (failure d)))) by (field; split; lra).
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; now apply Rdiv_lt_0_compat|].
      apply Rmax_lub; [now apply IZR_le | rewrite INR_IZR_INZ; now apply IZR_le]. }
    split.
    - now apply in_order_once.
    - exact H2.
    - exact H3.
    - destruct (possible p) as [|o0 rest] eqn:Epos; [discriminate|].
      pose proof (Hlisted s (label p) (seen_as o0) (proj2 (Hsame (seen_as o0)) (or_introl eq_refl))) as Has.
      revert Has. apply as_impl. intros os. apply Hsame.
    - intros o Ho. assert (Hin0 : In ((s, label p), seen_as o) listed) by (apply Hsame, in_map_iff; now exists o).
      pose proof (not_misled_covered world doubt_level listed past _ Hnot Hin0) as Hcov.
      pose proof (chance_range world Hworld ((s, label p), seen_as o)) as Hc.
      destruct (tally_counts ((s, label p), seen_as o) past) as [C1 C2]. cbn [fst] in C2.
      apply (good_end_below (threshold d) (shares p) o (fst (tally_of ((s, label p), seen_as o) past))
        (snd (tally_of ((s, label p), seen_as o) past))); try assumption.
      + rewrite C1. now apply Ht.
      + unfold kt_covered in *. eapply Rlt_le_trans; [exact Hcov|]. apply Rmult_le_compat_r; [|assumption].
        now apply lik_nonneg.
      + rewrite C2, <- Hv. now apply H5.
  Qed.

  (** ** All certificates at once *)

  Variable ask : list transition -> dist (positive * Z).
  Hypothesis Hask : forall past, is_law (ask past).

  Definition claim_false (past : list transition) : Prop :=
    exists d o c k, about d past /\ check_data d o c k = true /\
      ~ ((exists pi, pi = policy_of (nominal d) (low k) /\ is_jpolicy pi /\ plays_allowed (truth d world) pi /\
            real_of (lower c) <= value_of o (jreturn_law (truth d world) pi)) /\
         (forall pi, is_jpolicy pi -> plays_allowed (truth d world) pi ->
            value_of o (jreturn_law (truth d world) pi) <= real_of (upper c))).

  Lemma false_only_if_misled past : claim_false past -> misled_by_data world doubt_level listed past.
  Proof.
    intros [d [o [c [k [H1 [H3 H4]]]]]].
    destruct (Exists_dec (fun tau => doubted_at world doubt_level tau past) listed (fun tau => Rle_dec _ _)) as [H|H];
      [exact H|].
    exfalso. apply H4. pose proof H3 as H5. unfold check_data, data_tests in H5. cbn [forallb snd] in H5.
    repeat rewrite andb_true_iff in H5. destruct H5 as [G1 [G2 _]].
    apply (data_check_sound d world Hworld (ends_hold d past H1 G1 H) G2 o c k H3).
  Qed.

  Theorem rarely_misled_by_data n : prob (process (next_transition world ask) n) (misled_sometime world doubt_level
    listed) <=
    delta.
  Proof.
    eapply Rle_trans; [apply (rarely_doubted world Hworld ask Hask doubt_level doubt_level_pos listed n)|].
    unfold doubt_level. pose proof (Rmax_l 1 (INR (length listed))) as M1. pose proof (Rmax_r 1 (INR (length listed)))
      as M2.
    set (x := Rmax 1 (INR (length listed))) in *.
    replace (INR (length listed) / (x / delta)) with (delta * (INR (length listed) / x)) by (field; lra).
    rewrite <- (Rmult_1_r delta) at 2. apply Rmult_le_compat_l; [lra|].
    apply Rmult_le_reg_r with x; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  Qed.

  (** Given: any behaviour that collects the data, any laws of outcomes that stay in the list of possible transitions, a
      list and a delta fixed before the data are seen.
      Differs: the interval of given data, checked by a program; all accepted certificates and all moments at once.
      In words: 10-kl-learner.md#kl-certificate.
      Step of: production/proved. *)
  Theorem rarely_wrong n (dec : forall path, {Exists claim_false (moments_of path)} +
    {~ Exists claim_false (moments_of path)}) : prob (process (next_transition world ask) n) dec <= delta.
  Proof.
    eapply Rle_trans; [|apply (rarely_misled_by_data n)]. apply E_le; [now apply law_process, law_answer|].
    intros path. apply ind_le. intros Hx. apply Exists_exists in Hx. destruct Hx as [past [Hin Hf]].
    apply Exists_exists. exists past. split; [assumption|]. now apply false_only_if_misled.
  Qed.
End Doubt.
