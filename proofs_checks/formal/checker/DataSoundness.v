(** * What [check_data] accepts is true of the process that the data are from

    [data_check_sound]: if every proved end is at most the true probability, and so for sets, the certificate's policy
    attains the lower bound and no policy exceeds the upper one.  [ends_hold]: so it is, unless a test is doubted.
    [rarely_wrong]: that has probability at most delta, whatever behaviour collected the data, for all certificates at
    once. *)

Require Import ZArith Reals Lra Lia List Bool Permutation.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective ObjectiveFacts Blocks L1Deviation KtRedundancy JointModel Rows
  Tree Program Check Verdict Meaning ModelFacts RatFacts TablesAbove Budgets TailObjective TailRoute Soundness LawCheck
  Written MartingaleStep KlSets Ville ShareTests DataCheck DataEnds DataEvent Completions RobustTables.
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
        exists (completed p o). split; [exact (in_map (completed p) _ _ Ho) | exact Hj]. }
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

Lemma times_step t past sa os : INR (times_in (t :: past) (sa, os)) =
  (if asked_dec (fst t) sa then ind (drawn_dec (snd t) os) * 1 else 0) + INR (times_in past (sa, os)).
Proof.
  unfold times_in. cbn [filter fst snd]. destruct (asked_dec (fst t) sa); [|lra].
  destruct (drawn_dec (snd t) os); cbn [length ind]; rewrite ?S_INR; lra.
Qed.
(** Visits that led into a list of outcomes, and all visits. *)
Lemma tally_counts sa A past : NoDup A ->
  INR (fst (tally_of sa A past)) = sum A (fun os => INR (times_in past (sa, os))) /\
  (fst (tally_of sa A past) + snd (tally_of sa A past) = visits_in past sa)%nat.
Proof.
  intros HA. unfold visits_in. induction past as [|t past [IH1 IH2]].
  - split; [|reflexivity]. cbn. rewrite sum_const. ring.
  - rewrite (sum_ext _ _ _ (fun os _ => times_step t past sa os)), sum_plus, <- IH1. cbn [tally_of filter].
    destruct (tally_of sa A past) as [x b]. cbn [fst snd] in *. destruct (asked_dec (fst t) sa) as [E|E].
    + destruct (into_dec A (snd t)) as [H|H]; cbn [fst snd length]; (split; [|lia]).
      * rewrite (sum_point drawn_dec A (snd t) (fun _ => 1) HA H), S_INR. ring.
      * rewrite (sum_ext _ _ (fun _ => 0)), sum_const; [ring|]. intros os Ho. rewrite ind_no; [ring|]. intros <-.
        contradiction.
    + split; [|exact IH2]. cbn [fst]. rewrite sum_const. ring.
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

  (** ** The tests: each listed outcome of a pair, and each set of them *)

  Definition pairs_listed : list (positive * Z) := nodup asked_dec (map fst listed).
  Definition outcomes_listed (sa : positive * Z) : list (Z * positive) :=
    nodup drawn_dec (map snd (filter (fun t => if asked_dec (fst t) sa then true else false) listed)).
  Definition unit_level : R := 4 * Rmax 1 (INR (length listed)) / delta.
  Definition end_test (tau : transition) : share_test := Test (fst tau) [snd tau] kt (unit_level / 3).
  Definition set_test (sa : positive * Z) (A : list (Z * positive)) : share_test :=
    let k := length (outcomes_listed sa) in
    Test sa A ones_only (unit_level / INR k / kt (length A) (k - length A)).
  Definition every_test : list share_test := map end_test listed ++
    flat_map (fun sa => map (set_test sa) (subsets (outcomes_listed sa))) pairs_listed.

  Lemma unit_level_pos : 0 < unit_level.
  Proof. unfold unit_level. apply Rdiv_lt_0_compat; [|assumption]. pose proof (Rmax_l 1 (INR (length listed))). lra.
    Qed.
  Lemma in_pairs tau : In tau listed -> In (fst tau) pairs_listed.
  Proof. intros H. apply nodup_In. now apply in_map. Qed.
  Lemma in_outcomes sa os : In os (outcomes_listed sa) <-> In (sa, os) listed.
  Proof.
    unfold outcomes_listed. rewrite nodup_In, in_map_iff. split.
    - intros [[sa' os'] [<- H]]. apply filter_In in H. destruct H as [H E]. cbn [fst snd] in *.
      destruct (asked_dec sa' sa) as [->|]; [assumption | discriminate].
    - intros H. exists (sa, os). split; [reflexivity|]. apply filter_In. split; [assumption|]. cbn.
      destruct (asked_dec sa sa); [reflexivity | contradiction].
  Qed.
  Lemma outcomes_pos sa : In sa pairs_listed -> 0 < INR (length (outcomes_listed sa)).
  Proof.
    intros H. apply nodup_In, in_map_iff in H. destruct H as [[sa' os] [<- H]]. apply in_outcomes in H. apply lt_0_INR.
    cbn [fst] in *. destruct (outcomes_listed sa'); [destruct H | cbn; lia].
  Qed.

  Lemma all_good tau : In tau every_test -> good_test tau.
  Proof.
    pose proof unit_level_pos as Hu. unfold every_test. intros H. apply in_app_iff in H. destruct H as [H|H].
    - apply in_map_iff in H. destruct H as [t [<- _]]. split; [exact mixture_kt | cbn; lra].
    - apply in_flat_map in H. destruct H as [sa [Hsa H]]. apply in_map_iff in H. destruct H as [A [<- _]].
      split; [exact mixture_ones|]. cbn. apply Rdiv_lt_0_compat; [|apply kt_pos].
      apply Rdiv_lt_0_compat; [assumption | now apply outcomes_pos].
  Qed.

  (** The weights of the sets sum to 1. *)
  Lemma sum_weights {X} (l : list X) : forall a b,
    sum (subsets l) (fun A => kt (a + length A) (b + length l - length A)) = kt a b.
  Proof.
    induction l as [|x l IH]; intros a b.
    - cbn. rewrite Nat.add_0_r, Nat.add_0_r, Nat.sub_0_r. ring.
    - cbn [subsets length]. rewrite sum_app, sum_map, <- (kt_split a b), <- (IH (S a) b), <- (IH a (S b)), Rplus_comm.
      f_equal; apply sum_ext; intros A _; cbn [length]; f_equal; lia.
  Qed.

  (** No transition belongs to two pairs. *)
  Lemma outcomes_few : sum pairs_listed (fun sa => INR (length (outcomes_listed sa))) <= INR (length listed).
  Proof.
    apply Rle_trans with (sum pairs_listed (fun sa =>
      INR (length (filter (fun t => if asked_dec (fst t) sa then true else false) listed)))).
    - apply sum_le. intros sa _. apply le_INR. unfold outcomes_listed.
      rewrite <- (map_length snd (filter _ listed)). apply NoDup_incl_length; [apply NoDup_nodup|].
      intros os. apply nodup_In.
    - assert (N : NoDup pairs_listed) by apply NoDup_nodup. revert N. generalize pairs_listed. intros ps N.
      clear Hlisted. induction listed as [|t l IH].
      + cbn. rewrite sum_const. lra.
      + cbn [length]. rewrite S_INR. rewrite (sum_ext _ _ (fun sa => ind (asked_dec (fst t) sa) * 1 +
          INR (length (filter (fun t => if asked_dec (fst t) sa then true else false) l)))).
        2:{ intros sa _. cbn [filter]. destruct (asked_dec (fst t) sa); cbn [length ind]; rewrite ?S_INR; ring. }
        rewrite sum_plus. apply Rplus_le_compat_r with (r := 1) in IH. eapply Rle_trans; [|exact IH].
        rewrite Rplus_comm. apply Rplus_le_compat_l.
        destruct (in_dec asked_dec (fst t) ps) as [H|H]; [right; now apply (sum_point asked_dec ps (fst t) (fun _ =>
          1))|].
        rewrite (sum_ext _ _ (fun _ => 0)), sum_const; [lra|]. intros sa Hsa. rewrite ind_no; [ring|]. intros <-.
          contradiction.
  Qed.

  Lemma all_levels : sum every_test (fun tau => / level tau) <= delta.
  Proof.
    pose proof unit_level_pos as Hu. pose proof (Rmax_l 1 (INR (length listed))) as M1.
    pose proof (Rmax_r 1 (INR (length listed))) as M2. unfold every_test. rewrite sum_app, sum_map.
    assert (H1 : sum listed (fun tau => / level (end_test tau)) = INR (length listed) * (3 / unit_level))
      by (rewrite <- sum_const; apply sum_ext; intros tau _; cbn; field; lra).
    assert (H2 : sum (flat_map (fun sa => map (set_test sa) (subsets (outcomes_listed sa))) pairs_listed)
      (fun tau => / level tau) = sum pairs_listed (fun sa => / unit_level * INR (length (outcomes_listed sa)))).
    { assert (Hin : forall sa, In sa pairs_listed -> In sa pairs_listed) by auto.
      revert Hin. generalize pairs_listed at 1 3 4. intros l. induction l as [|sa l IH]; intros Hin; [reflexivity|].
      cbn [flat_map sum]. rewrite sum_app, sum_map, IH by (intros; apply Hin; now right). f_equal.
      pose proof (outcomes_pos sa (Hin sa (or_introl eq_refl))) as Hk.
      rewrite (sum_ext _ _ (fun A => / unit_level * INR (length (outcomes_listed sa)) *
        kt (0 + length A) (0 + length (outcomes_listed sa) - length A))).
      - rewrite sum_scal, sum_weights, kt_0. ring.
      - intros A _. cbn [level set_test]. cbn [Nat.add].
        pose proof (kt_pos (length A) (length (outcomes_listed sa) - length A)). field. lra. }
    rewrite H1, H2, sum_scal. pose proof outcomes_few as H3.
    assert (H4 : 0 < / unit_level) by now apply Rinv_0_lt_compat.
    apply Rle_trans with (4 * INR (length listed) * / unit_level); [unfold Rdiv; nra|].
    unfold unit_level in *. set (x := Rmax 1 (INR (length listed))) in *.
    replace (4 * INR (length listed) * / (4 * x / delta)) with (delta * (INR (length listed) / x)) by (field; lra).
    rewrite <- (Rmult_1_r delta) at 2. apply Rmult_le_compat_l; [lra|].
    apply Rmult_le_reg_r with x; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  Qed.

  (** A data set about these transitions and this delta, with the counts of the past.  It has rows for some pairs, each
      with all its listed outcomes, and counts every listed transition as a test. *)
  Definition about (d : data) (past : list transition) : Prop :=
    (forall s i p, znth (sampled_at d s) i = Some p ->
       forall os, In ((s, label p), os) listed <-> In os (map seen_as (possible p))) /\
    (Z.of_nat (length listed) <= tests d)%Z /\ real_of (failure d) = delta /\ counts d past.

  Lemma level_le d : real_of (failure d) = delta -> (Z.of_nat (length listed) <= tests d)%Z ->
    (0 < num (failure d))%Z -> (0 < den (failure d))%Z -> (1 <= tests d)%Z -> unit_level <= real_of (threshold d).
  Proof.
    intros Hfail Htests Hn Hd Ht1. unfold unit_level, threshold, real_of, four in *. cbn [num den].
    rewrite !mult_IZR, <- Hfail. apply IZR_lt in Hn, Hd.
    replace (4 * IZR (tests d) * IZR (den (failure d)) / IZR (num (failure d)))
      with (4 * IZR (tests d) / (IZR (num (failure d)) / IZR (den (failure d)))) by (field; split; lra).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; now apply Rdiv_lt_0_compat|].
    apply Rmult_le_compat_l; [lra|]. apply Rmax_lub; [now apply IZR_le | rewrite INR_IZR_INZ; now apply IZR_le].
  Qed.
  Lemma real_share c k : (0 < den c)%Z -> (0 < k)%Z -> real_of (share_of c k) = real_of c / IZR k.
  Proof. intros Hc Hk. unfold real_of, share_of. cbn [num den]. rewrite mult_IZR. apply IZR_lt in Hc, Hk. field. lra.
    Qed.

  Lemma chance_sum sa A : NoDup A -> chance world sa A = sum A (fun os => chance world sa [os]).
  Proof.
    intros HA. unfold chance, prob. rewrite <- E_sum. apply E_ext. intros y.
    rewrite (sum_ext A _ (fun os => ind (drawn_dec y os) * 1)).
    - destruct (into_dec A y) as [H|H]; cbn [ind].
      + symmetry. now apply (sum_point drawn_dec A y (fun _ => 1)).
      + rewrite (sum_ext _ _ (fun _ => 0)), sum_const; [ring|]. intros os Ho. rewrite ind_no; [ring|]. intros <-.
        contradiction.
    - intros os _. unfold ind. destruct (into_dec [os] y) as [[H|[]]|H], (drawn_dec y os) as [E|E]; try ring;
        [now elim E | elim H; left; congruence].
  Qed.

  Lemma NoDup_map_filter {X Y} (f : X -> Y) (P : X -> bool) l : NoDup (map f l) -> NoDup (map f (filter P l)).
  Proof.
    induction l as [|x l IH]; [intros; constructor|]. cbn [map filter]. intros H. inversion H as [|? ? H1 H2]; subst.
    destruct (P x); [|now apply IH]. cbn [map]. constructor; [|now apply IH]. intros Hin. apply H1.
    apply in_map_iff in Hin. destruct Hin as [y [E Hy]]. apply filter_In in Hy. rewrite <- E. now apply in_map.
  Qed.
  Lemma zlen_of_nat {X} (l : list X) : zlen l = Z.of_nat (length l).
  Proof. induction l as [|x l IH]; [reflexivity|]. cbn [zlen length]. lia. Qed.

  Theorem ends_hold d past : about d past -> good_data d = true -> ~ misled_by_data world every_test past ->
    forall s i p, znth (sampled_at d s) i = Some p -> row_holds world s (label p) p.
  Proof.
    intros [Hsame [Htests [Hfail Hcounts]]] Hgood Hnot s i p Hp. specialize (Hsame s i p Hp).
    unfold good_data in Hgood. repeat rewrite andb_true_iff in Hgood. destruct Hgood as [[[Hn Hd] Ht1] Hall].
    apply Z.ltb_lt in Hn, Hd. apply Z.leb_le in Ht1. cbv zeta in Hall. rewrite forallb_forall in Hall.
    destruct (listed_row d s i p Hp) as [l [Hin Hi]]. specialize (Hall _ Hin). cbn [snd] in Hall.
    rewrite forallb_forall in Hall. specialize (Hall p (znth_In _ _ _ Hi)). unfold good_sampled in Hall.
    repeat rewrite andb_true_iff in Hall. destruct Hall as [[[[[H1 H2] H3] H4] H5] H6].
    apply Z.ltb_lt in H2, H3. rewrite forallb_forall in H5. destruct (Hcounts s i p Hp) as [Hv Ht].
    assert (Hc0 : (0 < num (threshold d))%Z) by (unfold threshold, four; cbn [num]; nia).
    assert (Hc1 : (0 < den (threshold d))%Z) by exact Hn.
    pose proof (level_le d Hfail Htests Hn Hd Ht1) as Hlevel. pose proof (in_order_once _ H1) as Honce.
    set (sa := (s, label p)) in *. set (k := length (possible p)). assert (Hk : (0 < k)%nat).
    { unfold k. destruct (possible p); [discriminate | cbn; lia]. }
    assert (Hlist : forall o, In o (possible p) -> In (sa, seen_as o) listed)
      by (intros o Ho; apply Hsame, in_map_iff; now exists o).
    assert (Hb0 : (0 < beyond p)%Z /\ (0 <= inner p)%Z).
    { unfold good_beyond in H6. apply andb_true_iff in H6. destruct H6 as [B0 B1]. apply Z.ltb_lt in B0.
      split; [assumption|]. unfold inner. apply orb_true_iff in B1. destruct B1 as [B1|B1]; [apply Z.eqb_eq in B1;
        lia|].
      repeat rewrite andb_true_iff in B1. destruct B1 as [[B1 _] _]. apply Z.ltb_lt in B1. lia. }
    split; [exact Honce | tauto | tauto | exact H3 | | |].
    - destruct (possible p) as [|o0 rest] eqn:Epos; [discriminate|].
      pose proof (Hlisted s (label p) (seen_as o0) (proj2 (Hsame (seen_as o0)) (or_introl eq_refl))) as Has.
      revert Has. apply as_impl. intros os. apply Hsame.
    - intros o Ho. pose proof (not_misled_trusted world every_test past (end_test (sa, seen_as o)) Hnot) as Hcov.
      unfold mixed_likelihood, likelihood in Hcov. cbn [end_test pair_of into mixing level fst snd] in Hcov.
      pose proof (chance_range world Hworld sa [seen_as o]) as Hc.
      destruct (tally_counts sa [seen_as o] past) as [C1 C2]; [repeat constructor; intros []|].
      destruct (tally_of sa [seen_as o] past) as [x b] eqn:Ex. cbn [fst snd sum] in C1, C2. rewrite Rplus_0_r in C1.
      apply INR_eq in C1. subst x.
      apply (good_end_below (share_of (threshold d) 3) (shares p) o (times_in past (sa, seen_as o)) b); try assumption.
      + cbn [share_of den]. lia.
      + cbn [share_of num]. lia.
      + now apply Ht.
      + unfold kt_covered. eapply Rlt_le_trans; [apply Hcov|].
        * apply in_or_app. left. apply (in_map end_test _ (sa, seen_as o)), Hlist, Ho.
        * apply Rmult_le_compat_r; [now apply lik_nonneg|]. rewrite real_share by (assumption || lia). lra.
      + rewrite C2, <- Hv. now apply H5.
    - intros Hi0. set (A := filter (fun os => if into_dec (map seen_as (seen_of p)) os then true else false)
        (outcomes_listed sa)).
      assert (Hs : NoDup (map seen_as (seen_of p))) by now apply NoDup_map_filter.
      assert (HA : Permutation A (map seen_as (seen_of p))).
      { apply NoDup_Permutation; [apply NoDup_filter, NoDup_nodup | exact Hs|]. intros os. unfold A. rewrite filter_In.
        destruct (into_dec (map seen_as (seen_of p)) os) as [H|H]; [|split; [intros []; discriminate | contradiction]].
        split; [tauto|]. intros _. split; [|reflexivity]. apply in_outcomes. apply in_map_iff in H.
        destruct H as [o [<- Ho]]. apply Hlist, in_seen, Ho. }
      assert (HO : Permutation (outcomes_listed sa) (map seen_as (possible p))).
      { apply NoDup_Permutation; [apply NoDup_nodup | exact Honce|]. intros os. rewrite in_outcomes. apply Hsame. }
      assert (HAlen : length A = length (seen_of p)) by (rewrite (Permutation_length HA); apply map_length).
      assert (HOlen : length (outcomes_listed sa) = k) by (rewrite (Permutation_length HO); apply map_length).
      assert (HAdup : NoDup A) by apply NoDup_filter, NoDup_nodup.
      assert (Hle : (length (seen_of p) <= k)%nat).
      { rewrite <- HAlen, <- HOlen. apply NoDup_incl_length; [assumption|]. intros os. unfold A. now rewrite filter_In.
        }
      pose proof (not_misled_trusted world every_test past (set_test sa A) Hnot) as Hcov.
      unfold mixed_likelihood, likelihood in Hcov. cbn [set_test pair_of into mixing level] in Hcov.
      destruct (tally_counts sa A past HAdup) as [C1 C2].
      assert (Hall : fst (tally_of sa A past) = visits_in past sa).
      { apply INR_eq. rewrite C1, (sum_Permutation _ _ _ HA), sum_map. unfold seen_of. rewrite sum_filter.
        rewrite (INR_IZR_INZ (visits_in past sa)), <- Hv. unfold visit_sum. rewrite IZR_zsum. apply sum_ext.
        intros o Ho. rewrite (Ht o Ho). rewrite <- INR_IZR_INZ. destruct (Z.ltb_spec 0 (Z.of_nat (times_in past (sa,
          seen_as o)))) as [H|H]; [reflexivity|].
        replace (times_in past (sa, seen_as o)) with O by lia. reflexivity. }
      destruct (tally_of sa A past) as [x b]. cbn [fst snd] in Hall, C2. assert (b = O) as -> by lia. subst x.
      rewrite HAlen, HOlen in Hcov. specialize (Hcov ltac:(apply in_or_app; right; apply in_flat_map; exists sa;
        split; [destruct (possible p) as [|o0 rest]; [discriminate|]; exact (in_pairs _ (Hlist o0 (or_introl eq_refl)))
          |
        apply in_map, filter_is_subset])).
      unfold lik in Hcov. cbn [pow ones_only] in Hcov. rewrite Rmult_1_r in Hcov.
      pose proof (chance_range world Hworld sa A) as Hc. pose proof (kt_pos (length (seen_of p)) (k - length (seen_of
        p))) as
        Hkt.
      destruct (good_beyond_below (share_of (threshold d) (zlen (possible p))) p (length (seen_of p))
        (k - length (seen_of p)) (visits_in past sa) (chance world sa A)) as [_ [He|[_ He]]]; try assumption.
      + cbn [share_of den]. rewrite zlen_of_nat. fold k. lia.
      + apply zlen_of_nat.
      + rewrite zlen_of_nat. fold k. lia.
      + eapply Rlt_le_trans; [exact Hcov|]. apply Rmult_le_compat_r; [apply pow_le, Hc|].
        apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. rewrite zlen_of_nat. fold k.
        rewrite real_share, <- INR_IZR_INZ by (assumption || lia). apply Rmult_le_compat_r; [|assumption].
        left. now apply Rinv_0_lt_compat, lt_0_INR.
      + exfalso. unfold inner in Hi0. lia.
      + eapply Rle_trans; [exact He|]. right. rewrite chance_sum by assumption.
        now rewrite (sum_Permutation _ _ _ HA), sum_map.
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

  Lemma false_only_if_misled past : claim_false past -> misled_by_data world every_test past.
  Proof.
    intros [d [o [c [k [H1 [H3 H4]]]]]].
    destruct (Exists_dec (fun tau => doubted_at world tau past) every_test (fun tau => Rle_dec _ _)) as [H|H];
      [exact H|].
    exfalso. apply H4. pose proof H3 as H5. unfold check_data, data_tests in H5. cbn [forallb snd] in H5.
    repeat rewrite andb_true_iff in H5. destruct H5 as [G1 [G2 _]].
    apply (data_check_sound d world Hworld (ends_hold d past H1 G1 H) G2 o c k H3).
  Qed.

  Theorem rarely_misled_by_data n :
    prob (process (next_transition world ask) n) (misled_sometime world every_test) <= delta.
  Proof. eapply Rle_trans; [apply (rarely_doubted world Hworld ask Hask every_test all_good n) | exact all_levels]. Qed.

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
