(** * Bets where rewards come with the next state, and weights w_t

    [BetRegret.v] for the carrying model of an outcome model ([Carried.v]), stated with the means and the optimum of the
    outcome model.  Let U_u be the learner's table for u steps left, U_0 = 0.  An outcome (r, s') after which u steps
    are left is worth

      v_u(r, s') = w_{T-u} r + U_u(s')

    to it.  A bet on u and a pair is one on  f(r, s') = w_{T-u} r + V*_u(s') .  The table is at least, for every action,
    the sum of  low (r, s') v_u(r, s')  and of the missing mass times the largest v_u, or a number that the bet allows,
    its values read from v_u.

    Costs of a step: the missing mass times the weights still to come; b is the sum of the M_t ([CarriedRegret.v]). *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp DynamicProgramming MartingaleStep
  EventHolds RegretAssembly Ville ClosenessInArea HistoryCost BestRow KlBeliefs KlRadii KlLearner KlRegret Carried
  Remaining CarriedRegret Betting BetTables BetRegret.
Import ListNotations.
Open Scope R_scope.

Section OutcomeBets.
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

  Local Notation M := (carried O w rest).
  Local Notation T := (o_horizon O).
  Local Notation acts' := (carried_acts acts).
  Local Notation k := (carried_knowledge O w rest outs).
  Local Notation succ := (successors k).
  Local Notation classes := (map Some pairs ++ [None]).
  Local Notation data := (list (history (@carrier S) A)).
  Local Notation o_mean := (fun pi => E (o_return O w pi) (fun y => y)).

  (** The largest mean of the outcome model. *)
  Variable best : R.
  Hypothesis Hbest : is_lub (fun x => exists pi, is_policy pi /\ o_allowed O acts pi /\ x = o_mean pi) best.

  (** What is tested, and what is bet on: the steps left after an outcome, and the pair. *)
  Variable tested : option (S * A) -> list (S * R).
  Variable bets : list (nat * (S * A)).
  Hypothesis Hbets : forall u s a, In (u, (s, a)) bets -> In (s, a) pairs.

  Variables (believes : data -> beliefs (@carrier S) A) (learner : data -> policy (@carrier S) A)
    (table : data -> nat -> S -> R) (C C' delta : R).
  Hypothesis Hpolicy : forall past, is_policy (learner past).
  Hypothesis Hproper : forall past, proper succ (believes past).
  Hypothesis HC : 0 < C.
  Hypothesis HC' : 0 < C'.
  Hypothesis Hdelta : 0 < delta.
  Hypothesis Hcount :
    INR (length (all_tests classes tested (fun _ => Datatypes.O))) / C + INR (length bets) / C' <= delta.
  Hypothesis Hprescribed : forall past,
    prescribed carried_label (carried_label_dec state_dec) acts' k (carried_key O) (class_dec state_dec action_dec)
      tested (fun _ => Datatypes.O) (fun _ _ _ => 0) C past (believes past).
  (** Rewards are known when they are carried. *)
  Hypothesis Hknown : forall past c a, hat (believes past) c a = ret (pay w c) /\
    chk (believes past) c a = ret (pay w c).

  (** What an outcome is worth to the learner if u steps are left after it. *)
  Definition outcome_worth (past : data) (u : nat) (l : S * R) : R :=
    w (T - u)%nat * unit_clip (snd l) + table past u (fst l).

  Definition outcome_row (past : data) (u : nat) (c : @carrier S) (a : A) : R :=
    row_max succ (believes past) (fun c' => outcome_worth past u (snd c')) c a.

  Definition outcomes_seen (s : S) (a : A) (past : data) : list (S * R) :=
    labels_seen carried_label (carried_key O) (class_dec state_dec action_dec) (Some (s, a)) past.

  Definition outcome_bound (past : data) (u : nat) (c : @carrier S) (a : A) (B : R) : Prop :=
    outcome_row past u c a <= B \/
    (In (u, (fst (snd c), a)) bets /\ exists q eta, In q (moments_of past) /\
       (forall r s', In (r, s') (outs (fst (snd c)) a) -> outcome_worth past u (s', r) <= eta) /\
       below_bet C' eta (map (outcome_worth past u) (outcomes_seen (fst (snd c)) a q)) B).

  Hypothesis Hend : forall past s, table past Datatypes.O s = 0.
  Hypothesis Habove : forall past u c a, (u < T)%nat -> fst c = (T - Datatypes.S u)%nat -> In a (acts (fst (snd c))) ->
    exists B, outcome_bound past u c a B /\ B <= table past (Datatypes.S u) (fst (snd c)).

  (** ** In the carrying model *)

  Definition carried_table (past : data) (n : nat) (c : @carrier S) : R :=
    match n with Datatypes.O => 0 | Datatypes.S u => pay w c + table past u (fst (snd c)) end.
  Definition carried_place (n : nat) (l : S * R) : @carrier S := ((Datatypes.S T - n)%nat, l).
  Definition carried_bets : list (nat * option (S * A)) := map (fun i => (Datatypes.S (fst i), Some (snd i))) bets.

  Lemma place_is_clock n c : due carried_label carried_place n c <-> fst c = (Datatypes.S T - n)%nat.
  Proof.
    unfold due, carried_place, carried_label. split; [intros <-; reflexivity|]. intros H. destruct c as [t l].
    cbn [fst snd] in *. now rewrite H.
  Qed.

  Lemma next_is_due n c a c' : (n < Datatypes.S T)%nat -> due carried_label carried_place (Datatypes.S n) c ->
    In c' (succ c a) -> due carried_label carried_place n c'.
  Proof.
    intros Hn Hd Hc'. apply place_is_clock in Hd. apply place_is_clock.
    rewrite (successor_clock O w rest outs c a c' Hc'), Hd. lia.
  Qed.

  Lemma row_max_ext b f g c a :
    (forall c', In c' (succ c a) -> f c' = g c') -> row_max succ b f c a = row_max succ b g c a.
  Proof.
    intros H. unfold row_max. f_equal.
    - apply sum_ext; intros c' Hc'. now rewrite H.
    - f_equal. now apply max_over_ext.
  Qed.

  (** The carried table at a successor is the worth of the outcome. *)
  Lemma carried_table_next past u c a c' :
    (u < T)%nat -> fst c = (T - Datatypes.S u)%nat -> In c' (succ c a) ->
    carried_table past (Datatypes.S u) c' = outcome_worth past u (snd c').
  Proof.
    intros Hu Hc Hc'. unfold carried_table, outcome_worth, pay. rewrite (successor_clock O w rest outs c a c' Hc'), Hc.
    replace (Datatypes.S (T - Datatypes.S u)) with (T - u)%nat by lia. reflexivity.
  Qed.

  Lemma carried_bracket past u c a :
    (u < T)%nat -> fst c = (T - Datatypes.S u)%nat ->
    mean_bracket succ (believes past) (carried_table past (Datatypes.S u)) c a = pay w c + outcome_row past u c a.
  Proof.
    intros Hu Hc. unfold mean_bracket. rewrite (proj1 (Hknown past c a)), E_ret. f_equal. unfold outcome_row.
    apply row_max_ext. intros c' Hc'. now apply (carried_table_next past u c a).
  Qed.

  Lemma row_max_zero past c a : row_max succ (believes past) (carried_table past 0) c a = 0.
  Proof.
    unfold row_max. destruct (max_over_attained (carried_table past 0) (succ c a)
      (outcome_successors O w rest outs Houts_some c a)) as [c0 [_ ->]]. cbn [carried_table].
    rewrite (sum_ext _ _ (fun _ => 0)) by (intros; ring). rewrite sum_const. ring.
  Qed.

  Lemma carried_optimistic past :
    optimistic_table carried_label acts' k (carried_key O) (class_dec state_dec action_dec) carried_bets [] M
      carried_place believes C' past (carried_table past).
  Proof.
    split; [reflexivity|]. intros n c a Hn Hd Ha. apply place_is_clock in Hd. cbn [horizon carried] in Hn.
    assert (Hr : reward_bound k (carried_key O) (class_dec state_dec action_dec) [] believes C' past c a (pay w c)).
    { left. rewrite (proj1 (Hknown past c a)), E_ret. lra. }
    destruct n as [|u].
    - exists (pay w c), 0. split; [assumption|]. split; [left; rewrite row_max_zero; lra|].
      cbn [carried_table]. rewrite Hend. lra.
    - assert (Hc : fst c = (T - Datatypes.S u)%nat) by lia. assert (Hu : (u < T)%nat) by lia.
      destruct (Habove past u c a Hu Hc Ha) as [B [HB Hle]]. exists (pay w c), B.
      split; [assumption|]. split; [|cbn [carried_table]; lra].
      assert (Hkey : carried_key O c a = Some (fst (snd c), a))
        by (unfold carried_key; destruct (lt_dec (fst c) T); [reflexivity | lia]).
      destruct HB as [Hrow|[Hi [q [eta [Hq [Heta Hbelow]]]]]].
      + left. eapply Rle_trans; [|exact Hrow]. right. apply row_max_ext. intros c' Hc'.
        now apply (carried_table_next past u c a).
      + right. rewrite Hkey. split.
        * apply in_map_iff. now exists (u, (fst (snd c), a)).
        * exists q, eta. split; [assumption|]. split.
          -- intros c' Hc'. rewrite (carried_table_next past u c a c') by assumption. simpl in Hc'.
             destruct (lt_dec (fst c) T); [|lia]. apply in_map_iff in Hc'. destruct Hc' as [[r s'] [<- Ho]].
             cbn [snd fst]. now apply Heta.
          -- rewrite (map_ext _ (outcome_worth past u)); [exact Hbelow|]. intros l.
             unfold carried_place, carried_table, outcome_worth, pay. cbn [fst snd].
             replace (Datatypes.S T - Datatypes.S u)%nat with (T - u)%nat by lia. reflexivity.
  Qed.

  Lemma carried_play :
    betting_play carried_label acts' k (carried_key O) (class_dec state_dec action_dec) carried_bets [] M
      carried_place believes learner carried_table C'.
  Proof. split; [exact Hpolicy | exact Hproper | exact carried_optimistic]. Qed.

  Lemma carried_mean pi : is_policy pi -> value (fun tau => tau) M pi = o_mean (play w pi).
  Proof.
    intros Hpi. unfold value. rewrite Phi_id_eq_mean by (apply law_return; [now apply is_mdp_carried | assumption]).
    exact (carried_return O w HO rest pi (fun y => y) Hpi).
  Qed.

  Lemma carried_best :
    is_lub (fun x => exists pi, is_policy pi /\ allowed acts' M pi /\ x = value (fun tau => tau) M pi) best.
  Proof.
    destruct Hbest as [Hub Hleast].
    pose proof (carried_optimum O w HO rest acts idle Hidle (fun tau => tau) weighting_id) as Heq.
    assert (Hphi : forall x, (exists pi, is_policy pi /\ o_allowed O acts pi /\ x = o_mean pi) <->
      (exists pi, is_policy pi /\ o_allowed O acts pi /\ x = Phi (fun tau => tau) (o_return O w pi))).
    { intros x. split; intros [pi [Hpi [Hal ->]]]; exists pi; (split; [assumption | split; [assumption|]]);
        rewrite (Phi_id_eq_mean _ (law_o_return O w HO pi Hpi)); reflexivity. }
    split.
    - intros x Hx. apply Hub. now apply Hphi, Heq.
    - intros b Hb. apply Hleast. intros x Hx. apply Hb. now apply Heq, Hphi.
  Qed.

  Lemma carried_start : almost_surely (init M) (due carried_label carried_place (horizon M)).
  Proof.
    cbn [init carried horizon]. apply as_image, as_always; intros s. apply place_is_clock. cbn [fst]. lia.
  Qed.

  Lemma carried_table_start past : E (init M) (carried_table past (horizon M)) = E (o_init O) (table past T).
  Proof.
    cbn [init carried horizon]. rewrite E_image. apply E_ext; intros s. unfold carried_table, pay. cbn [fst snd].
    rewrite unit_clip_id by lra. ring.
  Qed.

  Lemma carried_bet_classes n c : In (n, c) carried_bets -> In c classes.
  Proof.
    intros Hi. apply in_map_iff in Hi. destruct Hi as [[u [s a]] [Heq Hi]]. injection Heq as _ <-.
    apply in_or_app. left. apply in_map. now apply (Hbets u).
  Qed.

  Lemma carried_count :
    INR (length (all_tests classes tested (fun _ => Datatypes.O))) / C +
      INR (length carried_bets + length (@nil (option (S * A)))) / C' <= delta.
  Proof. unfold carried_bets. rewrite map_length. cbn [length]. rewrite Nat.add_0_r. exact Hcount. Qed.

  (** ** The interval *)

  Section Interval.
    Variables (cautious : data -> policy (@carrier S) A) (wc : data -> nat -> R).
    Hypothesis Hcautious : forall past, is_policy (cautious past) /\
      near_greedy_chk acts' succ (believes past) (fun y => y) (horizon M) (wc past) (cautious past).

    Definition in_outcome_interval (past : data) : Prop :=
      v_chk acts' succ M believes past (fun y => y) - sum (seq 0 (horizon M)) (wc past) <=
        o_mean (play w (cautious past)) /\
      o_mean (play w (cautious past)) <= best /\ best <= E (o_init O) (table past T).

    Definition outside_outcome_dec (path : data) :
      {Exists (fun past => ~ in_outcome_interval past) (moments_of path)} +
        {~ Exists (fun past => ~ in_outcome_interval past) (moments_of path)}.
    Proof.
      apply Exists_dec. intros past. unfold in_outcome_interval.
      destruct (Rle_dec (v_chk acts' succ M believes past (fun y => y) - sum (seq 0 (horizon M)) (wc past))
        (o_mean (play w (cautious past)))); [|left; tauto].
      destruct (Rle_dec (o_mean (play w (cautious past))) best); [|left; tauto].
      destruct (Rle_dec best (E (o_init O) (table past T))); [right; tauto | left; tauto].
    Defined.

    (** Given: as outcome_regret_from_weighted_bets.
        Differs: the interval.
        In words: 10-kl-learner.md#kl-bets.
        Step of: corrected/ii. *)
    Theorem outcome_bet_intervals_hold K : prob (episodes M learner K) outside_outcome_dec <= delta.
    Proof.
      pose proof (bet_intervals_hold (carrier_dec state_dec) carried_label (carried_label_dec state_dec) acts'
        (outcome_acts acts idle Hidle) k (carried_key O) (class_dec state_dec action_dec) classes
        (outcome_classes O acts pairs Hpairs) (carried_labels O w rest acts outs) tested (fun _ => Datatypes.O)
        (fun _ _ _ => 0) carried_bets [] carried_bet_classes (fun c H => match H with end) M
        (is_mdp_carried O w HO rest) ltac:(simpl; lia) (carried_knows O w rest acts outs Houts) _ _
        (carried_shares O w rest idle state_dec pairs HT) (fun _ _ _ _ H => match H with end) carried_place
        (fun n l _ => eq_refl) carried_start (fun n c a c' Hn Hd _ Hc' => next_is_due n c a c' Hn Hd Hc') best
        carried_best believes learner carried_table C C' delta carried_play HC HC' carried_count Hprescribed
        cautious wc Hcautious K) as H.
      eapply Rle_trans; [|exact H].
      apply E_le; [apply law_episodes; [now apply is_mdp_carried | exact Hpolicy]|]. intros path. apply ind_le.
      intros He. apply Exists_exists in He. destruct He as [past [Hin He]]. apply Exists_exists. exists past.
      split; [assumption|]. intros Hin'. apply He. unfold in_bet_interval in Hin'. unfold in_outcome_interval.
      rewrite carried_table_start, carried_mean in Hin' by apply Hcautious. exact Hin'.
    Qed.
  End Interval.

  (** ** Regret from the data *)

  Section Data.
    Variable werr : data -> nat -> R.
    Hypothesis Hwerr : forall past, 0 <= werr past Datatypes.O.
    (** The last step of the carrying model is a formality. *)
    Hypothesis Hlast : forall past (g : history (@carrier S) A), time g = T -> fst (state g) = T ->
      almost_surely (learner past g) (fun a => In a (acts (fst (snd (state g))))).
    Hypothesis Hgreedy : forall past (g : history (@carrier S) A) u,
      (Datatypes.S u + time g = T)%nat -> fst (state g) = time g ->
      almost_surely (learner past g) (fun a => In a (acts (fst (snd (state g)))) /\
        table past (Datatypes.S u) (fst (snd (state g))) <=
          outcome_row past u (state g) a + werr past (Datatypes.S u)).
    (** The table is between 0 and the weights of the steps left. *)
    Hypothesis Hrange : forall past u s, (u < T)%nat ->
      0 <= table past u s <= to_come w u (Datatypes.S (T - u)).

    Local Notation cost := (fun past => weighted_cost O w rest outs (believes past)).

    Lemma no_gap past c a : gap (believes past) c a = 0.
    Proof.
      destruct (Hknown past c a) as [H1 H2].
      apply Rle_antisym; [|apply (gap_range succ); apply Hproper]. unfold gap. rewrite H1, H2.
      apply excess_integral_le; [lra|]. intros x; lra.
    Qed.

    Lemma timely_clock g : (time g <= Datatypes.S T)%nat -> timely carried_label M carried_place g ->
      fst (state g) = time g.
    Proof.
      intros Hg Ht. specialize (Ht Hg). cbn [horizon carried] in Ht. apply place_is_clock in Ht. lia.
    Qed.

    Lemma carried_greedy past g n :
      (Datatypes.S n + time g = horizon M)%nat -> timely carried_label M carried_place g ->
      almost_surely (learner past g) (fun a => In a (acts' (state g)) /\
        carried_table past (Datatypes.S n) (state g) <=
          mean_bracket succ (believes past) (carried_table past n) (state g) a + werr past n).
    Proof.
      cbn [horizon carried]. intros Hn Ht. apply timely_clock in Ht; [|lia]. destruct n as [|u].
      - assert (Hg : time g = T) by lia.
        generalize (Hlast past g Hg (eq_trans Ht Hg)); apply as_impl; intros a Ha. split; [exact Ha|].
        unfold mean_bracket. rewrite row_max_zero, (proj1 (Hknown past (state g) a)), E_ret. cbn [carried_table].
        rewrite Hend. specialize (Hwerr past). lra.
      - generalize (Hgreedy past g u ltac:(lia) Ht); apply as_impl; intros a [Ha Hle]. split; [exact Ha|].
        rewrite carried_bracket by lia. cbn [carried_table]. lra.
    Qed.

    Lemma weighted_cost_enough past g n a :
      (Datatypes.S n + time g = horizon M)%nat -> timely carried_label M carried_place g -> In a (acts' (state g)) ->
      miss succ (believes past) (state g) a * table_span succ (carried_table past n) (state g) a +
        gap (believes past) (state g) a <= cost past g a.
    Proof.
      cbn [horizon carried]. intros Hn Ht Ha. apply timely_clock in Ht; [|lia]. unfold weighted_cost.
      cbn [horizon carried]. replace (Datatypes.S T - Datatypes.S (time g))%nat with n by lia.
      assert (Hspan : table_span succ (carried_table past n) (state g) a <=
        to_come w n (Datatypes.S (fst (state g))) - 0).
      { apply (table_span_le succ (outcome_successors O w rest outs Houts_some)). intros c' Hc'. destruct n as [|u].
        - cbn [carried_table to_come]. lra.
        - rewrite (carried_table_next past u (state g) a c') by (assumption || lia). unfold outcome_worth.
          cbn [to_come]. replace (Datatypes.S (fst (state g))) with (T - u)%nat by lia.
          pose proof (Hrange past u (fst (snd c')) ltac:(lia)). pose proof (unit_clip_range (snd (snd c'))).
          pose proof (o_weights O w HO (T - u)%nat). nra. }
      pose proof (miss_nonneg _ _ (Hproper past) (state g) a). nra.
    Qed.

    Lemma cost_of_carried_steps past steps c n :
      on_time steps c -> (n + length steps = Datatypes.S T)%nat ->
      0 <= cost_of_steps (cost past) steps <= episode_weight w n (length steps).
    Proof.
      revert c n; induction steps as [|[[c0 a] r] steps IH]; intros c n Hon Hn;
        cbn [cost_of_steps length episode_weight]; [simpl; lra|].
      destruct Hon as [_ Hon]. cbn [length] in Hn. specialize (IH c0 (Datatypes.S n) Hon ltac:(lia)).
      assert (Hc0 : fst c0 = length steps) by (destruct steps as [|[[c1 a1] r1] steps]; apply Hon).
      assert (Hcost : 0 <= cost past (steps, c0) a <= to_come w n (Datatypes.S (length steps))).
      { unfold weighted_cost. rewrite no_gap, Rplus_0_r. unfold state, time. cbn [fst snd horizon carried].
        replace (Datatypes.S T - Datatypes.S (length steps))%nat with n by lia. rewrite Hc0.
        pose proof (to_come_range O w HO n (Datatypes.S (length steps))).
        pose proof (miss_nonneg _ _ (Hproper past) c0 a).
        pose proof (miss_le_1 succ (believes past) (Hproper past) c0 a).
        nra. }
      lra.
    Qed.

    (** The regret in the outcome model: policies are played through [carry]. *)
    Fixpoint mean_regret (path : data) : R :=
      match path with
      | [] => 0
      | _ :: past => (best - o_mean (play w (learner past))) + mean_regret past
      end.

    Lemma mean_regret_eq path : mean_regret path = regret M learner (fun tau => tau) best path.
    Proof.
      induction path as [|g past IH]; cbn [mean_regret regret]; [reflexivity|].
      now rewrite IH, (carried_mean (learner past) (Hpolicy past)).
    Qed.

    (** Given: the mean of an outcome model; rewards known when seen, tables above any of the bounds, every action
        played has a bracket of at least the table, up to werr; tests and bets share delta.
        Differs: another learner; its table may be lower than the optimistic recursion.
        In words: 10-kl-learner.md#kl-bets.
        Step of: corrected/ii. *)
    Theorem outcome_regret_from_weighted_bets K :
      0 < b_weight O w ->
      prob (episodes M learner K) (fun path => Exists_dec
        (fun past => data_bound_with M 1 (fun _ => 0) werr delta cost (b_weight O w) past < mean_regret past)
        (moments_of path) (fun past => Rlt_dec _ _)) <= 2 * delta.
    Proof.
      intros Hb.
      pose proof (bet_regret_from_data_with (carrier_dec state_dec) carried_label (carried_label_dec state_dec) acts'
        (outcome_acts acts idle Hidle) k (outcome_successors O w rest outs Houts_some) (carried_key O)
        (class_dec state_dec action_dec) classes
        (outcome_classes O acts pairs Hpairs) (carried_labels O w rest acts outs) tested (fun _ => Datatypes.O)
        (fun _ _ _ => 0) carried_bets [] carried_bet_classes (fun c H => match H with end) M
        (is_mdp_carried O w HO rest) (carried_rewards_within O w HO rest) ltac:(simpl; lia)
        (carried_knows O w rest acts outs Houts) _ _
        (carried_shares O w rest idle state_dec pairs HT) (fun _ _ _ _ H => match H with end) carried_place
        (fun n l _ => eq_refl) carried_start (fun n c a c' Hn Hd _ Hc' => next_is_due n c a c' Hn Hd Hc') best
        carried_best believes learner carried_table C C' delta carried_play HC HC' Hdelta carried_count Hprescribed
        werr carried_greedy cost weighted_cost_enough (b_weight O w) K Hb) as H.
      eapply Rle_trans; [|apply H].
      - apply E_le; [apply law_episodes; [now apply is_mdp_carried | exact Hpolicy]|].
        intros path. apply ind_le. intros He. apply Exists_exists in He. destruct He as [past [Hin He]].
        apply Exists_exists. exists past. split; [assumption|]. rewrite <- mean_regret_eq. exact He.
      - intros past. pose proof (as_and _ _ _ (history_time M (learner past) (horizon M))
          (carried_on_time O w rest (learner past) (horizon M))) as Ha.
        revert Ha; apply as_impl; intros g [Ht Hon]. unfold Y, b_weight. unfold time in Ht. cbn [horizon carried] in Ht.
        pose proof (cost_of_carried_steps past (fst g) (snd g) 0 Hon ltac:(simpl; lia)) as Hr. rewrite Ht in Hr.
        exact Hr.
    Qed.
  End Data.
End OutcomeBets.
