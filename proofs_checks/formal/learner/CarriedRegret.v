(** * The learner in outcome models: rewards that depend on the step, known when seen, and discounts

    [KlRegret.v] for the carrying model of an outcome model ([Carried.v]), stated with the values and the optimum of the
    outcome model.  [tested (Some (s, a))] lists the outcomes of (s, a) that are tested; no test is paid for rewards.  z
    bounds the weighted returns. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp DynamicProgramming MartingaleStep
  EventHolds RegretAssembly Ville ClosenessInArea HistoryCost BestRow KlBeliefs KlRadii KlLearner KlRegret Carried
  Remaining.
Import ListNotations.
Open Scope R_scope.

(** Laws with the same expectations have the same almost sure events. *)
Lemma as_of_same_expectations {X} (d e : dist X) (P : X -> Prop) :
  (forall x, {P x} + {~ P x}) -> nonneg d -> (forall f, E d f = E e f) -> almost_surely e P -> almost_surely d P.
Proof.
  intros dec Hd He HP x p Hin Hp. destruct (dec x) as [|Hx]; [assumption | exfalso].
  pose (ndec := fun x => match dec x with left H => right (fun n => n H) | right n => left n end : {~ P x} + {~ ~ P x}).
  pose proof (prob_pos d ndec x p Hd Hin Hp Hx) as Hpos. unfold prob in Hpos. rewrite He in Hpos.
  rewrite (E_ext_as e _ (fun _ => 0)), E_zero in Hpos; [lra|].
  revert HP; apply as_impl; intros y Hy. apply ind_no. tauto.
Qed.

Section Outcomes.
  Load "setup/Equality".
  Variables (O : outcome_model S A) (w : nat -> R) (rest : S) (acts : S -> list A) (idle : S -> A)
    (pairs : list (S * A)).
  Variable outs : S -> A -> list (R * S).
  Hypothesis HO : is_outcome_model O w.
  Hypothesis HT : (1 <= o_horizon O)%nat.
  Hypothesis Hidle : forall s, In (idle s) (acts s).
  Hypothesis Hpairs : forall s a, In a (acts s) -> In (s, a) pairs.
  Hypothesis Houts : forall s a, In a (acts s) -> NoDup (outs s a) /\
    almost_surely (o_law O s a) (fun o => In o (outs s a)).
  Hypothesis Houts_some : forall s a, outs s a <> [].
  Variables (G : R -> R) (L z best : R).
  Hypothesis HG : weighting G.
  Hypothesis HGL : lipschitz_weighting G L.
  Hypothesis HGc : concave_weighting G.
  Hypothesis Hz : 0 <= z.
  Hypothesis Hreturn : forall pi, is_policy pi -> o_allowed O acts pi ->
    almost_surely (o_return O w pi) (fun x => 0 <= x <= z).
  (** The optimum of the outcome model. *)
  Hypothesis Hbest : is_lub (fun x => exists pi,
    is_policy pi /\ o_allowed O acts pi /\ x = Phi G (o_return O w pi)) best.

  Local Notation M := (carried O w rest).
  Local Notation acts' := (carried_acts acts).
  Local Notation k := (carried_knowledge O w rest outs).
  Local Notation classes := (map Some pairs ++ [None]).
  Local Notation data := (list (history (@carrier S) A)).

  Definition class_dec (x y : option (S * A)) : {x = y} + {x <> y}.
  Proof. decide equality. decide equality. Defined.

  Definition carrier_dec (x y : @carrier S) : {x = y} + {x <> y}.
  Proof. decide equality; [apply (carried_label_dec state_dec) | apply Nat.eq_dec]. Defined.

  Variable tested : option (S * A) -> list (S * R).
  Variables (believes : data -> beliefs (@carrier S) A) (learner : data -> policy (@carrier S) A)
    (utility : data -> R -> R)
            (w0 : data -> R) (werr : data -> nat -> R) (C delta : R).
  Hypothesis Hplay : optimistic_play acts' (successors k) M G L z believes learner utility w0 werr.
  Hypothesis HC : 0 < C.
  Hypothesis Hdelta : 0 < delta.
  Hypothesis Hcount : INR (length (all_tests classes tested (fun _ => Datatypes.O))) <= delta * C.
  Hypothesis Hprescribed : forall past,
    prescribed carried_label (carried_label_dec state_dec) acts' k (carried_key O) class_dec tested
      (fun _ => Datatypes.O) (fun _ _ _ => 0) C
      past (believes past).

  Lemma outcome_classes c a : In a (acts' c) -> In (carried_key O c a) classes.
  Proof.
    intros Ha. unfold carried_key. destruct (lt_dec (fst c) (o_horizon O)); apply in_or_app; [left | right; now left].
    apply in_map. now apply Hpairs.
  Qed.

  Lemma outcome_successors c a : successors k c a <> [].
  Proof.
    simpl. destruct (lt_dec (fst c) (o_horizon O)); [|discriminate]. intros H. apply (Houts_some (fst (snd c)) a).
    destruct (outs (fst (snd c)) a); [reflexivity | discriminate].
  Qed.

  Lemma outcome_returns pi : is_policy pi -> allowed acts' M pi ->
    almost_surely (return_law M pi) (fun x => 0 <= x <= z).
  Proof.
    intros Hpi Hal. apply (as_of_same_expectations _ (o_return O w (play w pi))).
    - intros x. destruct (Rle_dec 0 x); [destruct (Rle_dec x z); [left; lra | right; lra] | right; lra].
    - apply law_return; [now apply is_mdp_carried | assumption].
    - intros f. now apply carried_return.
    - apply Hreturn; [intros h; apply Hpi | now apply (play_allowed O w rest acts)].
  Qed.

  Lemma outcome_best : is_lub (fun x => exists pi, is_policy pi /\ allowed acts' M pi /\ x = value G M pi) best.
  Proof.
    destruct Hbest as [Hub Hleast].
    pose proof (carried_optimum O w HO rest acts idle Hidle G HG) as Heq. split.
    - intros x Hx. apply Hub. now apply Heq.
    - intros b Hb. apply Hleast. intros x Hx. apply Hb. now apply Heq.
  Qed.

  Lemma outcome_acts c : acts' c <> [].
  Proof. unfold carried_acts. intros H. pose proof (Hidle (fst (snd c))) as Hi. rewrite H in Hi. destruct Hi. Qed.

  (** The regret in the outcome model: policies are played through [carry]. *)
  Fixpoint outcome_regret (path : data) : R :=
    match path with
    | [] => 0
    | _ :: past => (best - Phi G (o_return O w (play w (learner past)))) + outcome_regret past
    end.

  Lemma outcome_regret_eq path : outcome_regret path = regret M learner G best path.
  Proof.
    induction path as [|g past IH]; cbn [outcome_regret regret]; [reflexivity|]. rewrite IH.
    rewrite (carried_value O w HO rest G HG) by apply Hplay. reflexivity.
  Qed.

  Local Notation the_cost := (the_cost k M believes).

  Theorem outcome_regret_from_data K :
    prob (episodes M learner K) (fun path => Exists_dec
      (fun past => data_bound M L w0 werr delta the_cost past < outcome_regret past) (moments_of path)
        (fun past => Rlt_dec _ _)) <= 2 * delta.
  Proof.
    pose proof (kl_regret_from_data carrier_dec carried_label (carried_label_dec state_dec) acts' k
      (carried_key O) class_dec classes
      outcome_classes (carried_labels O w rest acts outs) tested (fun _ => Datatypes.O) (fun _ _ _ => 0) M
        (is_mdp_carried O w HO rest)
      (carried_rewards_within O w HO rest) ltac:(simpl; lia) (carried_knows O w rest acts outs Houts) _ _
      (carried_shares O w rest idle state_dec pairs HT)
      G L z HG HGL HGc Hz outcome_returns best outcome_best believes learner utility w0 werr Hplay C delta HC Hdelta
        Hcount Hprescribed
      the_cost (the_cost_pays acts' outcome_acts k outcome_successors M G L z believes learner utility w0 werr Hplay)
      (the_cost_range acts' k M G L z believes learner utility w0 werr Hplay) K) as H.
    eapply Rle_trans; [|exact H]. apply E_le; [apply law_episodes; [now apply is_mdp_carried | apply Hplay]|].
    intros path. apply ind_le. intros He. apply Exists_exists in He. destruct He as [past [Hin He]].
    apply Exists_exists. exists past. split; [assumption|]. rewrite <- outcome_regret_eq. exact He.
  Qed.

  (** Given: as outcome_regret_from_weighted_data.
      Differs: the interval.
      In words: 10-kl-learner.md#kl-carried.
      Step of: corrected/ii. *)
  Theorem outcome_intervals_hold cautious cautious_utility wc K :
    cautious_play acts' (successors k) M G L z believes cautious cautious_utility wc ->
    prob (episodes M learner K) (outside_dec acts'
      (successors k) M G best believes utility w0 cautious cautious_utility wc) <= delta.
  Proof.
    intros Hc.
    exact (kl_intervals_hold carrier_dec carried_label (carried_label_dec state_dec) acts' k
      (carried_key O) class_dec classes
      outcome_classes (carried_labels O w rest acts outs) tested (fun _ => Datatypes.O) (fun _ _ _ => 0) M
        (is_mdp_carried O w HO rest)
      ltac:(simpl; lia) (carried_knows O w rest acts outs Houts) _ _ (carried_shares O w rest idle state_dec pairs HT)
      G L z HG HGL HGc Hz outcome_returns best outcome_best believes learner utility w0 werr Hplay C delta HC Hcount
        Hprescribed
      cautious cautious_utility wc K Hc).
  Qed.

  (** ** Rewards cost nothing: the cost of a step is the missing mass times the weights still to come *)

  Hypothesis Hknown : forall past c a, hat (believes past) c a = ret (pay w c) /\
    chk (believes past) c a = ret (pay w c).
  Local Notation T := (o_horizon O).
  Local Notation cost := (fun past => weighted_cost O w rest outs (believes past)).

  Lemma known_gap past c a : gap (believes past) c a = 0.
  Proof.
    destruct (Hknown past c a) as [H1 H2].
    apply Rle_antisym; [|apply (gap_range (successors k)); apply Hplay]. unfold gap. rewrite H1, H2.
    apply excess_integral_le; [lra|]. intros x; lra.
  Qed.

  (** The clock in the state is right. *)
  Fixpoint on_time (steps : list (@carrier S * A * R)) (c : @carrier S) : Prop :=
    fst c = length steps /\ match steps with [] => True | (c0, _, _) :: rest' => on_time rest' c0 end.

  Lemma carried_on_time pi t : almost_surely (history_law M pi t) (fun g => on_time (fst g) (snd g)).
  Proof.
    induction t as [|t IH]; simpl.
    - apply as_image, as_image, as_always; intros s. now split.
    - apply as_bind; revert IH; apply as_impl; intros g Hg. apply as_step, as_always; intros a.
      apply as_always; intros r.
      assert (Hc : fst (state g) = length (fst g)) by (destruct g as [[|[[c0 a0] r0] steps] c]; apply Hg).
      cbn [trans carried]. destruct (lt_dec (fst (state g)) T).
      + apply as_image, as_always; intros o. split; [simpl; now rewrite Hc | exact Hg].
      + apply as_ret. split; [simpl; now rewrite Hc | exact Hg].
  Qed.

  (** b = M_1 + ... + M_T, M_t = w_t + ... + w_T; written from the latest step on. *)
  Fixpoint episode_weight (n t : nat) : R :=
    match t with Datatypes.O => 0 | Datatypes.S t' => to_come w n t + episode_weight (Datatypes.S n) t' end.
  Definition b_weight : R := episode_weight 0 (Datatypes.S T).

  Lemma weighted_cost_of_range past steps c n :
    on_time steps c -> (n + length steps = Datatypes.S T)%nat ->
      0 <= cost_of_steps (cost past) steps <= episode_weight n (length steps).
  Proof.
    revert c n; induction steps as [|[[c0 a] r] steps IH]; intros c n Hon Hn; cbn [cost_of_steps length episode_weight];
      [simpl; lra|].
    destruct Hon as [_ Hon]. cbn [length] in Hn. specialize (IH c0 (Datatypes.S n) Hon ltac:(lia)).
    assert (Hc0 : fst c0 = length steps) by (destruct steps as [|[[c1 a1] r1] steps]; apply Hon).
    assert (Hcost : 0 <= weighted_cost O w rest outs (believes past) (steps, c0) a <=
      to_come w n (Datatypes.S (length steps))).
    { unfold weighted_cost. rewrite known_gap, Rplus_0_r. unfold state, time. cbn [fst snd horizon carried].
      replace (Datatypes.S T - Datatypes.S (length steps))%nat with n by lia. rewrite Hc0.
      pose proof (to_come_range O w HO n (Datatypes.S (length steps))).
      pose proof (miss_nonneg _ _ (play_proper _ _ _ _ _ _ _ _ _ _ _ Hplay past) c0 a).
      pose proof (miss_le_1 (successors k) (believes past) (play_proper _ _ _ _ _ _ _ _ _ _ _ Hplay past) c0 a). nra. }
    lra.
  Qed.

  (** Given: as carried_optimum; counts shared over carried rewards and times, rewards known.
      Differs: another learner; costs M_t miss, b the sum of the M_t.
      In words: 10-kl-learner.md#kl-carried.
      Step of: corrected/ii. *)
  Theorem outcome_regret_from_weighted_data K :
    0 < b_weight ->
    prob (episodes M learner K) (fun path => Exists_dec
      (fun past => data_bound_with M L w0 werr delta cost b_weight past < outcome_regret past)
      (moments_of path) (fun past => Rlt_dec _ _)) <= 2 * delta.
  Proof.
    intros Hb0.
    pose proof (kl_regret_from_data_with carrier_dec carried_label (carried_label_dec state_dec) acts' k
      (carried_key O) class_dec classes
      outcome_classes (carried_labels O w rest acts outs) tested (fun _ => Datatypes.O) (fun _ _ _ => 0) M
        (is_mdp_carried O w HO rest)
      (carried_rewards_within O w HO rest) ltac:(simpl; lia) (carried_knows O w rest acts outs Houts) _ _
      (carried_shares O w rest idle state_dec pairs HT)
      G L z HG HGL HGc Hz outcome_returns best outcome_best believes learner utility w0 werr Hplay C delta HC Hdelta
        Hcount Hprescribed
      cost) as H.
    assert (Hacts : forall s, acts s <> []) by (intros s He; pose proof (Hidle s) as Hi; rewrite He in Hi; destruct Hi).
    specialize (H (fun past => weighted_cost_pays O w rest acts outs HO (believes past)
      (play_proper _ _ _ _ _ _ _ _ _ _ _ Hplay past)
      (Hknown past) Hacts Houts_some (utility past) L (proj1 (play_utility _ _ _ _ _ _ _ _ _ _ _ Hplay past))) b_weight
        K Hb0).
    eapply Rle_trans; [|apply H].
    - apply E_le; [apply law_episodes; [now apply is_mdp_carried | apply Hplay]|].
      intros path. apply ind_le. intros He. apply Exists_exists in He. destruct He as [past [Hin He]].
      apply Exists_exists. exists past. split; [assumption|]. rewrite <- outcome_regret_eq. exact He.
    - intros past. pose proof (as_and _ _ _ (history_time M (learner past) (horizon M))
        (carried_on_time (learner past) (horizon M))) as Ha.
      revert Ha; apply as_impl; intros g [Ht Hon]. unfold Y, b_weight. unfold time in Ht. cbn [horizon carried] in Ht.
      pose proof (weighted_cost_of_range past (fst g) (snd g) 0 Hon ltac:(simpl; lia)) as Hr. rewrite Ht in Hr.
      exact Hr.
  Qed.
End Outcomes.
