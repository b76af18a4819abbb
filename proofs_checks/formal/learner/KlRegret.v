(** * The regret of the learner with the prescribed sets

    Finite state and action lists, rewards in [0, 1], horizon T, G concave and L-Lipschitz.  Pairs fall into classes
    that share their laws; n tests in all, C = n / delta, lambda_N = ln C + (1/2) ln N + ln 2 ([KlRadii.v]).  In every
    episode the learner's sets are at least as wide as prescribed, the missing mass goes to the best successor, its
    utility is within w_0 of the best one, and its policy is greedy up to w_n ([KlLearner.v]).  It knows neither K nor
    the model.

    - [kl_intervals_hold], [kl_regret_from_data], [kl_expected_regret_from_data]: see [KlLearner.v].
    - [kl_regret_a_priori]: if moreover the sets are no wider than W_N (W = lambda for the prescribed ones,
      (1 + p) lambda if they are kept while visits grow by the share p) and no pair has more than Gamma successors, then
      with g = min(Gamma, 2 sqrt Gamma) and #c classes, with probability at least 1 - 2 delta, for all k at once,

        regret_k <= L e/(e-1) [ ((T - 1) g + 2) sqrt(2 #c k T W_{kT}) + T^2 #c + T(T+1)/2 ln(1/delta) ]
                    + planner errors. *)

Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp SupportingUtility LawDistances
  DynamicProgramming HoeffdingFinite MartingaleStep EventHolds CountingInequality RegretAssembly HistoryCost KlSets
  Ville KlEvent BestRow KlBeliefs VisitCosts KlRadii KlWidths KlLearner.
Import ListNotations.
Open Scope R_scope.

Lemma NoDup_map_on {X Y} (f : X -> Y) (l : list X) :
  NoDup l -> (forall x y, In x l -> In y l -> f x = f y -> x = y) -> NoDup (map f l).
Proof.
  induction 1 as [|x l Hx Hl IH]; intros Hf; simpl; constructor.
  - intros Hin. apply in_map_iff in Hin; destruct Hin as [y [He Hy]]. apply Hx.
    rewrite (Hf x y); [assumption | now left | now right | now symmetry].
  - apply IH. intros y z Hy Hz. apply Hf; now right.
Qed.

(** Sets kept while the visits grow from n to at most (1 + p) n are as if of the present visits, with (1 + p) times the
    width. *)
Lemma kept_sets_width (V : nat -> R) (p : R) (n n' : nat) :
  (1 <= n)%nat -> (n <= n')%nat -> 0 <= p -> 0 <= V n -> V n <= V n' -> INR n' <= (1 + p) * INR n ->
  eps (V n) n <= eps ((1 + p) * V n') n'.
Proof.
  intros H1 Hn Hp HV HVV Hgrow. assert (Hpos : 0 < INR n) by (apply lt_0_INR; lia).
  assert (Hpos' : 0 < INR n') by (apply lt_0_INR; lia).
  unfold eps. apply sqrt_le_1_alt. apply Rle_trans with (V n' / (2 * INR n)).
  - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | assumption].
  - apply (Rmult_le_reg_r (2 * INR n * INR n')); [nra|].
    replace (V n' / (2 * INR n) * (2 * INR n * INR n')) with (V n' * INR n') by (field; lra).
    replace ((1 + p) * V n' / (2 * INR n') * (2 * INR n * INR n')) with (V n' * ((1 + p) * INR n)) by (field; lra).
    apply Rmult_le_compat_l; lra.
Qed.

Section Regret.
  Context {S A Kt Lb : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Variable label : S -> Lb.
  Variable label_dec : forall l l' : Lb, {l = l'} + {l <> l'}.
  Variable acts : S -> list A.
  Hypothesis Hacts : forall s, acts s <> [].

  (** What is declared: successors, rewards, classes, tests. *)
  Variable k : knowledge S A.
  Hypothesis Hsucc : forall s a, successors k s a <> [].
  Variable key : S -> A -> Kt.
  Variable key_dec : forall c c' : Kt, {c = c'} + {c <> c'}.
  Variable classes : list Kt.
  Hypothesis Hnodup : NoDup classes.
  Hypothesis Hclasses : forall s a, In a (acts s) -> In (key s a) classes.
  Hypothesis Hlabels : forall s a s1 s2, In a (acts s) -> In s1 (successors k s a) -> In s2 (successors k s a) ->
    label s1 = label s2 -> s1 = s2.
  Variables (tested : Kt -> list Lb) (levels : Kt -> nat) (level : S -> A -> nat -> R).

  (** The truth, for which the declarations hold. *)
  Load "setup/Model".
  Hypothesis Hrew : rewards_within 1 M.
  Hypothesis Hhorizon : (1 <= horizon M)%nat.
  Hypothesis Hknows : knows acts k M.
  Variables (PK : Kt -> Lb -> R) (FK : Kt -> nat -> R).
  Hypothesis Hshares : shares label label_dec key classes levels level M PK FK.
  Load "setup/ConcaveGoal".

  (** The learner. *)
  Load "setup/Planned".
  Hypothesis Hplay : optimistic_play acts (successors k) M G L z believes learner utility w0 w.
  Variables (C delta : R).
  Hypothesis HC : 0 < C.
  Hypothesis Hdelta : 0 < delta.
  Hypothesis Hcount : INR (length (all_tests classes tested levels)) <= delta * C.
  Hypothesis Hprescribed : forall past,
    prescribed label label_dec acts k key key_dec tested levels level C past (believes past).

  Local Notation T := (horizon M).
  Local Notation tests := (all_tests classes tested levels).
  Local Notation test_of := (the_test label label_dec key key_dec level).
  Local Notation chance := (the_chance PK FK).

  Lemma chances j : In j tests -> has_chance M (test_of j) (chance j).
  Proof.
    intros Hj. now apply (tests_have_chances label label_dec key key_dec classes tested levels level M HM PK FK
      Hshares).
  Qed.

  Lemma beliefs_hold past : calm tests test_of chance C past -> hold acts (successors k) (believes past) state_dec M.
  Proof.
    intros Hm. apply (supported_beliefs_hold state_dec acts k M HM Hknows tests test_of chance C chances HC).
    intros s a Ha. destruct (Hprescribed past s a Ha) as [q [Hq Hp]]. exists q. split; [now apply Hm|].
    now apply (prescribed_is_supported label label_dec acts k key key_dec classes tested levels level C HC Hclasses
      Hlabels).
  Qed.

  (** ** From the data *)

  (** Given: as kl_regret_from_data.
      Differs: the interval for the best value and for the policy played.
      In words: 10-kl-learner.md#kl-interval.
      Step of: corrected/ii. *)
  Theorem kl_intervals_hold cautious cautious_utility wc K :
    cautious_play acts (successors k) M G L z believes cautious cautious_utility wc ->
    prob (episodes M learner K) (outside_dec acts
      (successors k) M G best believes utility w0 cautious cautious_utility wc) <= delta.
  Proof.
    intros Hc. exact (intervals_hold state_dec acts (successors k) M HM Hhorizon G L z HG HGL HGc Hz Hreturn best Hbest
      believes learner utility w0 w Hplay tests test_of chance C delta HC Hcount chances beliefs_hold cautious
        cautious_utility wc Hc K).
  Qed.

  Section Data.
    Variable cost : list (history S A) -> history S A -> A -> R.
    Hypothesis Hpays : forall past, pays acts (successors k) (believes past) (utility past) L M (cost past).

    (** Given: as kl_regret_from_data; any cost that pays for the spread of the value, any b above the cost of an
        episode.
        Differs: another learner.
        In words: 10-kl-learner.md#kl-data.
        Step of: corrected/ii. *)
    Theorem kl_regret_from_data_with b K :
      0 < b -> (forall past, almost_surely (history_law M (learner past) T) (fun h => 0 <= Y cost past h <= b)) ->
      prob (episodes M learner K) (over_bound_with_dec M G L best learner w0 w delta cost b) <= 2 * delta.
    Proof.
      exact (regret_from_data_with state_dec acts
        (successors k) M HM Hrew Hhorizon G L z HG HGL HGc Hz Hreturn best Hbest
        believes learner utility w0 w Hplay tests test_of chance C delta HC Hdelta Hcount chances beliefs_hold cost
          Hpays b K).
    Qed.

    Hypothesis Hcost : forall past g a, (time g < T)%nat -> 0 <= cost past g a <= INR (T - time g).

    (** Given: the learner with KL sets, planner error w_k per episode; any past.
        Differs: another learner: time-uniform KL sets, the bound read off the run.
        In words: 10-kl-learner.md#kl-data.
        Step of: corrected/ii. *)
    Theorem kl_regret_from_data K :
      prob (episodes M learner K) (over_bound_dec M G L best learner w0 w delta cost) <= 2 * delta.
    Proof.
      exact (regret_from_data state_dec acts (successors k) M HM Hrew Hhorizon G L z HG HGL HGc Hz Hreturn best Hbest
        believes learner utility w0 w Hplay tests test_of chance C delta HC Hdelta Hcount chances beliefs_hold cost
          Hpays Hcost K).
    Qed.

    (** Given: as kl_regret_from_data.
        Differs: another learner.
        In words: 10-kl-learner.md#kl-data.
        Step of: corrected/i. *)
    Theorem kl_expected_regret_from_data K :
      (forall past, 0 <= error M w0 w past) ->
      E (episodes M learner K) (regret M learner G best) <=
      L * E (episodes M learner K) (sum_observed (Y cost)) + E (episodes M learner K) (errors M w0 w) +
        delta * INR K * z.
    Proof.
      intros Herr. exact (expected_regret_from_data state_dec acts
        (successors k) M HM Hrew Hhorizon G L z HG HGL HGc Hz Hreturn best Hbest
        believes learner utility w0 w Hplay tests test_of chance C delta HC Hcount chances beliefs_hold cost Hpays Hcost
          Herr K).
    Qed.
  End Data.

  (** ** The plain cost: (T - t) miss + integral of (F+ - F^) *)

  Definition the_cost (past : list (history S A)) : history S A -> A -> R :=
    plain_cost (successors k) (believes past) M.

  Lemma the_cost_pays past : pays acts (successors k) (believes past) (utility past) L M (the_cost past).
  Proof.
    apply plain_cost_pays; auto; apply Hplay.
  Qed.

  Lemma the_cost_range past g a : (time g < T)%nat -> 0 <= the_cost past g a <= INR (T - time g).
  Proof. apply plain_cost_range. apply Hplay. Qed.

  (** ** A priori *)

  (** Lists of the successors that can occur; the labels are those of the class. *)
  Variables (part : S -> A -> list S) (part_labels : Kt -> list Lb) (Gamma : R) (V W : nat -> R).
  Hypothesis Hpart : forall s a, In a (acts s) -> NoDup (part s a).
  Hypothesis Hpart_incl : forall s a, In a (acts s) -> incl (part s a) (successors k s a).
  Hypothesis Hpart_all : forall s a, In a (acts s) -> almost_surely (trans M s a) (fun s' => In s' (part s a)).
  Hypothesis Hpart_labels : forall s a, In a (acts s) -> part_labels (key s a) = map label (part s a).
  Hypothesis HGamma : forall s a, In a (acts s) -> INR (length (part s a)) <= Gamma.
  Hypothesis HGamma0 : 0 <= Gamma.
  Hypothesis HW : forall N, (1 <= N)%nat -> 0 <= W N.
  Hypothesis HWmono : forall N N', (1 <= N <= N')%nat -> W N <= W N'.

  Local Notation N_of := (count key key_dec).

  (** The sets of a pair come from a moment q with N' >= 1 visits and are no wider than V there, and V at N' is no wider
      than W now: sqrt(V_{N'} / 2N') <= sqrt(W_N / 2N).  (Sets of this moment: V = W.  Sets kept while the visits grow
      by the share p: W = (1 + p) V, see [kept_sets_width].) *)
  Definition narrow (past : list (history S A)) : Prop :=
    forall s a, In a (acts s) -> (1 <= N_of (key s a) past)%nat -> exists q,
      let n := N_of (key s a) q in
      In q (moments_of past) /\ (1 <= n)%nat /\ 0 <= V n /\
        eps (V n) n <= eps (W (N_of (key s a) past)) (N_of (key s a) past) /\
      (forall s', In s' (part s a) ->
         near (V n) n (INR (successes label label_dec key key_dec level q (key s a, inl (label s'))) / INR n)
           (low (believes past) s a s')) /\
      (gap (believes past) s a = 0 \/ exists F : R -> R,
         (forall x, near (V n) n (F x) (cdf (hat (believes past) s a) x)) /\
         (forall x, near (V n) n (1 - F x) (1 - cdf (chk (believes past) s a) x))).
  Hypothesis Hnarrow : forall past, consistent acts part T past -> narrow past.

  Definition g : R := Rmin Gamma (2 * sqrt Gamma).

  Lemma g_nonneg : 0 <= g.
  Proof. unfold g. apply Rmin_glb; [assumption|]. pose proof (sqrt_pos Gamma); lra. Qed.

  Definition slope_at (n : nat) : R := ((INR T - 1) * g + 2) * sqrt (W (n * T) / 2).

  Lemma T_ge_1 : 1 <= INR T.
  Proof. pose proof (le_INR 1 T Hhorizon) as H. simpl in H. exact H. Qed.

  Lemma slope_at_nonneg n : 0 <= slope_at n.
  Proof. unfold slope_at. pose proof T_ge_1. pose proof g_nonneg. apply Rmult_le_pos; [nra | apply sqrt_pos]. Qed.

  Lemma visits_are_cheap path past :
    consistent acts part T path -> In past (moments_of path) -> (length past < length path)%nat ->
    cheap acts key key_dec T the_cost (slope_at (length path)) past.
  Proof.
    intros Hp Hin Hlt. assert (Hc : consistent acts part T past) by now apply (consistent_moment acts part T path).
    pose proof (Hnarrow past Hc) as Hn. pose proof T_ge_1 as HT1. pose proof g_nonneg as Hg.
    intros h a Hh Ha. pose proof (the_cost_range past h a Hh) as Hr.
    assert (HleT : the_cost past h a <= INR T) by (eapply Rle_trans; [apply Hr | apply le_INR; lia]).
    set (N := N_of (key (state h) a) past). unfold bonus. destruct N as [|N'] eqn:HN; [assumption|].
    apply Rmin_glb; [assumption|]. rewrite <- HN. unfold N in *.
    assert (H1 : (1 <= N_of (key (state h) a) past)%nat) by lia. pose proof (HW _ H1) as HW0.
    assert (HNle : (N_of (key (state h) a) past <= length path * T)%nat).
    { eapply Nat.le_trans; [now apply (count_le acts part key key_dec T)|]. apply Nat.mul_le_mono_r; lia. }
    set (n := N_of (key (state h) a) past) in *. clear HN N'.
    destruct (Hn (state h) a Ha H1) as [q [Hq [Hq1 [HV [Heq [Hlow Hgaps]]]]]].
    fold n in Heq. set (m := N_of (key (state h) a) q) in *.
    assert (Hcq : consistent acts part T q) by now apply (consistent_moment acts part T past).
    assert (Hmiss : miss (successors k) (believes past) (state h) a <= g * eps (W n) n).
    { apply Rle_trans with (g * eps (V m) m); [|apply Rmult_le_compat_l; assumption].
      apply (missing_mass_le (part (state h) a) (successors k (state h) a) (low (believes past) (state h) a)
        (fun s' => successes label label_dec key key_dec level q (key (state h) a, inl (label s'))) m (V m) Gamma);
          auto.
      - intros s' _. apply (low_nonneg _ _ (play_proper _ _ _ _ _ _ _ _ _ _ _ Hplay past)).
      - pose proof (Hpart_labels (state h) a Ha) as Hlab.
        transitivity (sum (part_labels (key (state h) a))
          (fun l => INR (successes label label_dec key key_dec level q (key (state h) a, inl l)))).
        + rewrite Hlab. clear. induction (part (state h) a) as [|s' l IH]; cbn [sum map];
            [reflexivity | now rewrite IH].
        + apply (successes_total label label_dec acts key key_dec level (key (state h) a)
            (part_labels (key (state h) a)) part T q); auto.
          * rewrite Hlab. apply NoDup_map_on; [now apply Hpart|]. intros s1 s2 Hs1 Hs2.
            apply (Hlabels (state h) a); auto; now apply Hpart_incl.
          * intros s1 a1 s' Ha1 Hk Hs'. rewrite <- Hk, (Hpart_labels s1 a1 Ha1). now apply in_map. }
    assert (Hgap : gap (believes past) (state h) a <= 2 * eps (W n) n).
    { pose proof (eps_nonneg (W n) n). destruct Hgaps as [Hz0|[F [HF1 HF2]]]; [lra|].
      apply Rle_trans with (2 * eps (V m) m); [|lra].
      eapply Rle_trans; [apply (gap_le (successors k) (believes past) (state h) a (V m) m F); auto; apply Hplay|].
      apply Rmin_r. }
    assert (Hnpos : 0 < INR n) by (apply lt_0_INR; lia).
    assert (Heps : eps (W n) n <= sqrt (W (length path * T)%nat / 2) / sqrt (INR n)).
    { unfold eps. replace (W n / (2 * INR n)) with (W n / 2 / INR n) by (field; lra). rewrite sqrt_div by lra.
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, sqrt_lt_R0; assumption|]. apply sqrt_le_1_alt.
      apply Rmult_le_compat_r; [lra|]. apply HWmono; lia. }
    pose proof (eps_nonneg (W n) n) as He.
    pose proof (miss_nonneg _ _ (play_proper _ _ _ _ _ _ _ _ _ _ _ Hplay past) (state h) a) as Hm0.
    unfold the_cost, plain_cost.
    assert (Hrest : INR (T - Datatypes.S (time h)) <= INR T - 1).
    { rewrite minus_INR by lia. rewrite S_INR. pose proof (pos_INR (time h)). lra. }
    pose proof (pos_INR (T - Datatypes.S (time h))) as Hrest0.
    apply Rle_trans with (((INR T - 1) * g + 2) * eps (W n) n); [nra|].
    unfold slope_at. unfold Rdiv at 1. rewrite Rmult_assoc. apply Rmult_le_compat_l; [nra | exact Heps].
  Qed.

  Definition beta (n : nat) : R :=
    ((INR T - 1) * g + 2) * sqrt (2 * INR (length classes) * INR n * INR T * W (n * T)) +
      INR T ^ 2 * INR (length classes).

  Lemma beta_eq n : INR T * INR T * INR (length classes) +
    2 * slope_at n * sqrt (INR (length classes) * (INR n * INR T)) <= beta n.
  Proof.
    unfold beta, slope_at. destruct n as [|n].
    - simpl INR at 4. rewrite !Rmult_0_l, !Rmult_0_r, !Rmult_0_l, sqrt_0. right; ring.
    - assert (HTpos : (1 <= Datatypes.S n * T)%nat) by nia. pose proof (HW _ HTpos) as HW0.
      set (Wn := W (Datatypes.S n * T)) in *.
      pose proof (pos_INR (length classes)). pose proof (pos_INR (Datatypes.S n)). pose proof T_ge_1.
      assert (Hs : 2 * sqrt (Wn / 2) * sqrt (INR (length classes) * (INR (Datatypes.S n) * INR T)) =
                   sqrt (2 * INR (length classes) * INR (Datatypes.S n) * INR T * Wn)).
      { replace 2 with (sqrt (2 * 2)) at 1 by (apply sqrt_square; lra).
        rewrite <- !sqrt_mult by (try apply Rmult_le_pos; try apply Rdiv_le_0_compat; try lra; apply Rmult_le_pos; lra).
        f_equal. field. }
      rewrite <- Hs. right; ring.
  Qed.

  Lemma paths_cost_little K :
    almost_surely (episodes M learner K) (fun path => forall past, In past (moments_of path) ->
      sum_observed (Y the_cost) past <= beta (length past)).
  Proof.
    pose proof (episodes_consistent acts part T M eq_refl Hpart_all learner K) as H.
    specialize (H (learner_allowed acts (successors k) M Hhorizon G L z believes learner utility w0 w Hplay)).
    revert H; apply as_impl; intros path [_ Hp] past Hin.
    assert (Hc : consistent acts part T past) by now apply (consistent_moment acts part T path).
    eapply Rle_trans; [|apply beta_eq].
    apply (observed_cost_le acts part key key_dec classes Hnodup Hclasses T the_cost (slope_at (length past))
      (slope_at_nonneg _) past Hc).
    intros q Hq Hl. now apply visits_are_cheap.
  Qed.

  Definition a_priori_bound (past : list (history S A)) : R :=
    L * (exp 1 / (exp 1 - 1) * (beta (length past) + B M * ln (/ delta))) + errors M w0 w past.

  Definition over_a_priori_dec (path : list (history S A)) :
    {Exists (fun past => a_priori_bound past < regret M learner G best past) (moments_of path)} +
    {~ Exists (fun past => a_priori_bound past < regret M learner G best past) (moments_of path)} :=
    Exists_dec _ (moments_of path) (fun past => Rlt_dec _ _).

  (** Given: as kl_regret_from_data.
      Differs: another learner; S in place of S^(3/2).
      In words: 10-kl-learner.md#kl-apriori.
      Step of: corrected/ii. *)
  Theorem kl_regret_a_priori K : prob (episodes M learner K) over_a_priori_dec <= 2 * delta.
  Proof.
    eapply Rle_trans; [|exact (kl_regret_from_data the_cost the_cost_pays the_cost_range K)].
    apply E_le_as; [apply law_episodes; [assumption | apply Hplay]|].
    generalize (paths_cost_little K); apply as_impl; intros path Hp. apply ind_le. intros H.
    apply Exists_exists in H; destruct H as [past [Hin H]]. apply Exists_exists; exists past; split; [assumption|].
    eapply Rle_lt_trans; [|exact H]. unfold data_bound, a_priori_bound. apply Rplus_le_compat_r.
    apply Rmult_le_compat_l; [exact (lipschitz_nonneg G L HG HGL)|].
    assert (1 < exp 1) by (pose proof (exp_ineq1 1 R1_neq_R0); lra).
    apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra|]. specialize (Hp past Hin). lra.
  Qed.

  (** Given: as kl_regret_from_data.
      Differs: another learner.
      In words: 10-kl-learner.md#kl-apriori.
      Step of: corrected/i. *)
  Theorem kl_expected_regret_a_priori K :
    (forall past, 0 <= error M w0 w past) ->
    E (episodes M learner K) (regret M learner G best) <=
    L * beta K + E (episodes M learner K) (errors M w0 w) + delta * INR K * z.
  Proof.
    intros Herr. eapply Rle_trans; [exact (kl_expected_regret_from_data the_cost the_cost_pays the_cost_range K Herr)|].
    do 2 apply Rplus_le_compat_r. apply Rmult_le_compat_l; [exact (lipschitz_nonneg G L HG HGL)|].
    assert (Hl : is_law (episodes M learner K)) by (apply law_episodes; [assumption | apply Hplay]).
    apply E_le_const; [assumption|].
    pose proof (as_and _ _ _ (paths_cost_little K) (episodes_are_full M learner K)) as H. revert H; apply as_impl.
    intros path [Hp [Hlen _]]. rewrite <- Hlen. apply Hp, moment_itself.
  Qed.
End Regret.
