(** * The learner: intervals and regret from the data, at every moment at once

    In every episode the learner has beliefs about every pair ([BestRow.v]), a utility below Phi and a policy that is
    greedy for its optimistic value up to w_n.  Suppose that the beliefs hold whenever no test misleads or has misled
    ([KlEvent.v]), the number of tests being at most delta C.  The number K of episodes is not known to the learner, and
    every statement is about all moments k = 0, ..., K at once.

    - Interval: with probability at least 1 - delta, at every moment
        v- - sum w  <=  Phi(cautious policy)  <=  best  <=  v^ + w_0 .
    - Regret from the data: with probability at least 1 - 2 delta, at every moment k
        regret_k  <=  L e/(e-1) ( sum of the costs of the steps made + T(T+1)/2 ln(1/delta) ) + planner errors so far.
    - In expectation: E regret_K <= L E (costs of the steps made) + E (planner errors) + delta K z.

    z is a bound on every return (T, or a smaller one that was declared). *)

Require Import Reals Lra Lia Psatz List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp SupportingUtility LawDistances
  DynamicProgramming HoeffdingFinite MartingaleStep EventHolds RegretAssembly HistoryCost KlSets Ville KlEvent BestRow.
Import ListNotations.
Open Scope R_scope.

Section Learner.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Load "setup/Successors".

  (** The truth. *)
  Load "setup/Model".
  Hypothesis Hrew : rewards_within 1 M.
  Hypothesis Hhorizon : (1 <= horizon M)%nat.
  Load "setup/ConcaveGoal".

  Local Notation T := (horizon M).

  (** A utility that is below Phi for all laws on [0, z]. *)
  Definition supports_on (h : R -> R) : Prop :=
    is_utility L h /\ forall e, is_law e -> almost_surely e (fun x => 0 <= x <= z) -> E e h <= Phi G e.

  (** Returns beyond z do not occur; a utility need not tell them apart. *)
  Definition capped (h : R -> R) : Prop := forall x, z <= x -> h x = h z.

  (** The learner's beliefs, utilities, policies and errors, as functions of the episodes before. *)
  Load "setup/Planned".

  Definition v_hat (past : list (history S A)) (h : R -> R) : R :=
    E (init M) (fun s => Vhat acts succ (believes past) h T s 0).
  Definition v_chk (past : list (history S A)) (h : R -> R) : R :=
    E (init M) (fun s => Vchk acts succ (believes past) h T s 0).

  Record optimistic_play : Prop := {
    play_policy : forall past, is_policy (learner past);
    play_proper : forall past, proper succ (believes past);
    play_utility : forall past, supports_on (utility past);
    play_near_best : forall past h, supports_on h -> capped h -> v_hat past h <= v_hat past (utility past) + w0 past;
    play_greedy : forall past, near_greedy_hat acts succ (believes past) (utility past) T (w past) (learner past)
  }.
  Hypothesis Hplay : optimistic_play.

  (** The tests, and that beliefs hold when none misleads. *)
  Context {I : Type}.
  Variables (tests : list I) (test_of : I -> test S A) (chance : I -> R) (C delta : R).
  Hypothesis HC : 0 < C.
  Hypothesis Hdelta : 0 < delta.
  Hypothesis Hcount : INR (length tests) <= delta * C.
  Hypothesis Hchance : forall i, In i tests -> has_chance M (test_of i) (chance i).

  (** No test misleads now or did before.  (Sets may be kept from an earlier moment.) *)
  Definition calm (past : list (history S A)) : Prop := forall q,
    In q (moments_of past) -> ~ misled tests test_of chance C q.
  Hypothesis Hsets : forall past, calm past -> hold acts succ (believes past) state_dec M.

  Local Notation misled_at := (misled tests test_of chance C).

  Lemma L_nonneg : 0 <= L.
  Proof. exact (lipschitz_nonneg G L HG HGL). Qed.

  Lemma learner_allowed past : allowed acts M (learner past).
  Proof.
    intros g Hg. destruct (horizon M - time g)%nat as [|n] eqn:Hn; [lia|].
    generalize (play_greedy Hplay past g n ltac:(lia)); apply as_impl; tauto.
  Qed.

  Lemma ever_misled_rarely K : prob (episodes M learner K) (ever_misled_dec tests test_of chance C) <= delta.
  Proof.
    eapply Rle_trans; [apply (rarely_misled M HM learner (play_policy Hplay) tests test_of chance C Hchance HC K)|].
    apply (Rmult_le_reg_r C); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  Qed.

  (** ** Optimism *)

  Theorem best_le_v_hat past : calm past -> best <= v_hat past (utility past) + w0 past.
  Proof.
    intros Hm. apply (proj2 Hbest). intros x [pi [Hpi [Hal ->]]].
    pose proof (law_return M pi HM Hpi) as Hlaw. pose proof (Hreturn pi Hpi Hal) as Hin.
    destruct (supporting_spec G L HG HGL HGc (return_law M pi) 0 z Hlaw Hz Hin) as [H1 [H2 H3]].
    assert (Hs : supports_on (supporting G (return_law M pi) 0 z)) by (split; assumption).
    assert (Hcap : capped (supporting G (return_law M pi) 0 z)).
    { intros x Hx. unfold supporting, slope_utility, utility_of. do 3 f_equal. unfold clamp. rewrite !Rmin_right by lra.
      reflexivity. }
    unfold value. rewrite <- H2. eapply Rle_trans; [|exact (play_near_best Hplay past _ Hs Hcap)].
    apply (optimistic_for_every_policy acts succ (believes past) _ (play_proper Hplay past) L L_nonneg H1 state_dec M HM
      (Hsets past Hm) pi Hpi Hal).
  Qed.

  (** ** One episode *)

  Variable cost : list (history S A) -> history S A -> A -> R.
  Hypothesis Hpays : forall past, pays acts succ (believes past) (utility past) L M (cost past).

  Definition Y (past : list (history S A)) (g : history S A) : R := cost_of_steps (cost past) (fst g).
  Definition error (past : list (history S A)) : R := w0 past + sum (seq 0 T) (w past).

  Local Notation next := (fun past => history_law M (learner past) T).

  Theorem episode_loss past :
    calm past -> best - value G M (learner past) <= L * E (next past) (Y past) + error past.
  Proof.
    intros Hm. pose proof (best_le_v_hat past Hm) as Hb. destruct (play_utility Hplay past) as [Hu Hbelow].
    pose proof (play_policy Hplay past) as Hpi.
    pose proof (Hbelow _ (law_return M _ HM Hpi) (Hreturn _ Hpi (learner_allowed past))) as Hphi.
    pose proof (near_greedy_close acts succ (believes past) (utility past) (play_proper Hplay past) L L_nonneg Hu
      state_dec M HM Hrew (Hsets past Hm) (learner past) (w past) (cost past) Hpi (play_greedy Hplay past) (Hpays past))
        as Hclose.
    unfold value, v_hat, error, Y in *. lra.
  Qed.

  Local Notation B := (RegretAssembly.B M).
  Hypothesis Hcost : forall past g a, (time g < T)%nat -> 0 <= cost past g a <= INR (T - time g).

  Lemma B_pos : 0 < B.
  Proof. pose proof (le_INR 1 T Hhorizon). simpl in *. unfold RegretAssembly.B. nra. Qed.

  Lemma costs_in_range past : almost_surely (next past) (fun g => 0 <= Y past g <= B).
  Proof.
    generalize (history_time M (learner past) T); apply as_impl; intros g Hg. unfold Y, RegretAssembly.B.
    unfold time in Hg.
    pose proof (cost_of_range (cost past) (fst g) 0) as H. rewrite Hg in H. cbn [INR Nat.add] in H.
    rewrite Rmult_0_r, Rplus_0_l in H. apply H. intros h a Hh. now apply Hcost.
  Qed.

  (** ** All episodes *)

  Fixpoint errors (path : list (history S A)) : R :=
    match path with
    | [] => 0
    | _ :: past => error past + errors past
    end.

  Lemma regret_le_costs path :
    (forall past, In past (moments_of path) -> ~ misled_at past) ->
    regret M learner G best path <= L * sum_of_means next Y path + errors path.
  Proof.
    induction path as [|g past IH]; intros H; cbn [regret sum_of_means errors]; [lra|].
    assert (Hp : calm past) by (intros q Hq; apply H; right; exact Hq).
    assert (Hi := IH (fun q Hq => H q (or_intror Hq))). pose proof (episode_loss past Hp). lra.
  Qed.

  (** The bound, with b at least the cost of any episode. *)
  Definition data_bound_with (b : R) (past : list (history S A)) : R :=
    L * (exp 1 / (exp 1 - 1) * (sum_observed Y past + b * ln (/ delta))) + errors past.

  Definition over_bound_with_dec (b : R) (path : list (history S A)) :
    {Exists (fun past => data_bound_with b past < regret M learner G best past) (moments_of path)} +
    {~ Exists (fun past => data_bound_with b past < regret M learner G best past) (moments_of path)} :=
    Exists_dec _ (moments_of path) (fun past => Rlt_dec _ _).

  Theorem regret_from_data_with b K :
    0 < b -> (forall past, almost_surely (next past) (fun g => 0 <= Y past g <= b)) ->
    prob (episodes M learner K) (over_bound_with_dec b) <= 2 * delta.
  Proof.
    intros Hb HYb. pose proof (fun past => law_history M (learner past) T HM (play_policy Hplay past)) as Hnext.
    pose proof (sums_of_means_rarely_large next Hnext Y b Hb HYb K delta Hdelta) as Hmart.
    pose proof (ever_misled_rarely K) as Hev.
    assert (Hl : is_law (episodes M learner K)) by (apply law_episodes; [assumption | apply Hplay]).
    apply Rle_trans with (E (episodes M learner K) (fun path =>
      ind (ever_misled_dec tests test_of chance C path) + ind (means_large_dec next Y b delta path))).
    - apply E_le; [apply Hl|]. intros path. destruct (over_bound_with_dec b path) as [Hover|]; cbn [ind].
      + pose proof (ind_range (means_large_dec next Y b delta path)) as Hr.
        destruct (ever_misled_dec tests test_of chance C path) as [Hm|Hm]; cbn [ind]; [lra|].
        apply Exists_exists in Hover; destruct Hover as [past [Hin Hover]].
        rewrite ind_yes; [lra|]. apply Exists_exists; exists past; split; [assumption|].
        assert (Hreg : regret M learner G best past <= L * sum_of_means next Y past + errors past).
        { apply regret_le_costs. intros q Hq Hbad. apply Hm, Exists_exists. exists q; split; [|assumption].
          now apply (moment_of_moment path past). }
        unfold data_bound_with in Hover. unfold means_bound. pose proof L_nonneg.
        apply Rnot_lt_le; intros Hlt. apply Rlt_le in Hlt. pose proof (Rmult_le_compat_l L _ _ L_nonneg Hlt). lra.
      + pose proof (ind_range (ever_misled_dec tests test_of chance C path)).
        pose proof (ind_range (means_large_dec next Y b delta path)). lra.
    - rewrite E_plus. unfold prob, episodes in *. lra.
  Qed.

  Definition data_bound : list (history S A) -> R := data_bound_with B.
  Definition over_bound_dec := over_bound_with_dec B.

  Theorem regret_from_data K : prob (episodes M learner K) over_bound_dec <= 2 * delta.
  Proof. exact (regret_from_data_with B K B_pos costs_in_range). Qed.

  (** In expectation. *)
  Hypothesis Herror : forall past, 0 <= error past.

  Lemma errors_nonneg path : 0 <= errors path.
  Proof. induction path as [|g past IH]; cbn [errors]; [lra | specialize (Herror past); lra]. Qed.

  Lemma regret_le_largest path : regret M learner G best path <= INR (length path) * z.
  Proof.
    induction path as [|g past IH]; cbn [regret length]; [simpl; lra|]. rewrite S_INR.
    assert (Hb : best <= z).
    { apply (proj2 Hbest); intros x [pi [Hpi [Hal ->]]].
      apply (Phi_range G HG _ 0 z (law_return M pi HM Hpi) (Hreturn pi Hpi Hal)). }
    pose proof (Phi_range G HG _ 0 z (law_return M _ HM (play_policy Hplay past))
      (Hreturn _ (play_policy Hplay past) (learner_allowed past))) as Hv. unfold value. lra.
  Qed.

  Theorem expected_regret_from_data K :
    E (episodes M learner K) (regret M learner G best) <=
    L * E (episodes M learner K) (sum_observed Y) + E (episodes M learner K) errors + delta * INR K * z.
  Proof.
    pose proof (fun past => law_history M (learner past) T HM (play_policy Hplay past)) as Hnext.
    assert (Hl : is_law (episodes M learner K)) by (apply law_episodes; [assumption | apply Hplay]).
    pose proof (ever_misled_rarely K) as Hev. unfold episodes in *.
    rewrite <- (mean_of_observed next Hnext Y K), <- (E_scal _ L), <- E_plus.
    assert (H0K : 0 <= INR K * z) by (apply Rmult_le_pos; [apply pos_INR | assumption]).
    apply Rle_trans with (E (process next K) (fun path => L * sum_of_means next Y path + errors path +
      ind (ever_misled_dec tests test_of chance C path) * (INR K * z))).
    - apply E_le_as; [apply Hl|].
      pose proof (episodes_are_full M learner K) as Hf. unfold episodes in Hf.
      revert Hf; apply as_impl; intros path [Hlen _].
      assert (Hmeans : 0 <= sum_of_means next Y path).
      { clear Hlen; induction path as [|g past IH]; cbn [sum_of_means]; [lra|].
        assert (0 <= E (next past) (Y past)); [|lra].
        rewrite <- (E_zero (next past)). apply E_le_as; [apply Hnext|].
        generalize (costs_in_range past); apply as_impl; intros; lra. }
      pose proof (errors_nonneg path). pose proof L_nonneg.
      destruct (ever_misled_dec tests test_of chance C path) as [Hm|Hm]; cbn [ind].
      + pose proof (regret_le_largest path) as Ht. rewrite Hlen in Ht. nra.
      + rewrite Rmult_0_l, Rplus_0_r. apply regret_le_costs. intros q Hq Hbad. apply Hm, Exists_exists. now exists q.
    - rewrite !E_plus, E_scal_r. unfold prob in Hev.
      pose proof (Rmult_le_compat_r (INR K * z) _ _ H0K Hev). lra.
  Qed.

  (** ** The interval *)

  Variables (cautious : list (history S A) -> policy S A) (cautious_utility : list (history S A) -> R -> R)
            (wc : list (history S A) -> nat -> R).

  Record cautious_play : Prop := {
    cautious_policy : forall past, is_policy (cautious past);
    cautious_supports : forall past, supports_on (cautious_utility past);
    cautious_greedy : forall past, near_greedy_chk acts succ (believes past) (cautious_utility past) T (wc past)
      (cautious past)
  }.
  Hypothesis Hcautious : cautious_play.

  Definition in_interval (past : list (history S A)) : Prop :=
    v_chk past (cautious_utility past) - sum (seq 0 T) (wc past) <= value G M (cautious past) /\
    value G M (cautious past) <= best /\ best <= v_hat past (utility past) + w0 past.

  Lemma not_misled_in_interval past : calm past -> in_interval past.
  Proof.
    intros Hm. destruct (cautious_supports Hcautious past) as [Hu Hbelow].
    pose proof (cautious_policy Hcautious past) as Hpi.
    assert (Hal : allowed acts M (cautious past)).
    { intros g Hg. destruct (horizon M - time g)%nat as [|n] eqn:Hn; [lia|].
      generalize (cautious_greedy Hcautious past g n ltac:(lia)); apply as_impl; tauto. }
    pose proof (Hbelow _ (law_return M _ HM Hpi) (Hreturn _ Hpi Hal)) as Hphi.
    pose proof (near_greedy_chk_lower acts succ (believes past) (cautious_utility past)
      (play_proper Hplay past) L L_nonneg Hu
      state_dec M HM (Hsets past Hm) (cautious past) (wc past) Hpi (cautious_greedy Hcautious past)) as Hlow.
    split; [|split].
    - unfold v_chk, value. lra.
    - destruct Hbest as [Hub _]. apply Hub. exists (cautious past).
      split; [assumption | split; [assumption | reflexivity]].
    - now apply best_le_v_hat.
  Qed.

  Definition in_interval_dec past : {in_interval past} + {~ in_interval past}.
  Proof.
    unfold in_interval. destruct (Rle_dec (v_chk past (cautious_utility past) - sum (seq 0 T) (wc past))
      (value G M (cautious past)));
      [|right; tauto]. destruct (Rle_dec (value G M (cautious past)) best); [|right; tauto].
    destruct (Rle_dec best (v_hat past (utility past) + w0 past)); [left; tauto | right; tauto].
  Defined.

  Definition outside_dec (path : list (history S A)) :
    {Exists (fun past => ~ in_interval past) (moments_of path)} +
      {~ Exists (fun past => ~ in_interval past) (moments_of path)}.
  Proof. apply Exists_dec. intros past. destruct (in_interval_dec past); [right; tauto | left; assumption]. Defined.

  Theorem intervals_hold K : prob (episodes M learner K) outside_dec <= delta.
  Proof.
    eapply Rle_trans; [|exact (ever_misled_rarely K)]. apply E_le; [apply law_episodes; [assumption | apply Hplay]|].
    intros path. apply ind_le. intros H. apply Exists_exists in H; destruct H as [past [Hin Hno]].
    destruct (ever_misled_dec tests test_of chance C past) as [Hm|Hm].
    - apply Exists_exists in Hm; destruct Hm as [q [Hq Hbad]]. apply Exists_exists; exists q; split; [|assumption].
      now apply (moment_of_moment path past).
    - exfalso; apply Hno, not_misled_in_interval. intros q Hq Hbad. apply Hm, Exists_exists. now exists q.
  Qed.
End Learner.
