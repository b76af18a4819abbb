(** * The learner with bets when nothing is known but the possible rewards

    Setting of [KlPlain.v], for the mean: S0 listed states, the actions [acts s] of each, rewards in the list
    [xs ++ [1]], every pair a class of its own.  The sets have the prescribed width for delta/2; the bets, at delta/2,
    are one on the reward of each pair and one on the value of its next state for each number 1, ..., T - 1 of steps
    left: T (number of pairs) in all.  The table takes the smaller bound, for rewards and for values,

      W_{n+1}(s) = max_a [ min( E_{R^} r, number of the bet )
                           + min( sum low s' W_n(s') + miss max W_n, number of the bet ) ] ,

    and a policy that plays a maximiser meets every hypothesis of [BetRegret.v], with planner error 0. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective ObjectiveFacts Mdp SupportingUtility LawDistances
  DynamicProgramming MartingaleStep EventHolds RegretAssembly HistoryCost KlSets Ville KlEvent BestRow KlBeliefs
  VisitCosts KlRadii KlLearner KlRegret KlPlain Betting BetTables BetRegret.
Import ListNotations.
Open Scope R_scope.

Section PlainBets.
  Load "setup/Equality".
  Variable states : list S.
  Variable acts : S -> list A.
  Variable xs : list R.
  Hypothesis Hstates : NoDup states.
  Hypothesis Hall : forall s, In s states.
  Hypothesis Hacts : forall s, acts s <> [].
  Hypothesis Hxs : forall x, In x xs -> 0 <= x < 1.
  Variable delta : R.
  Hypothesis Hdelta : 0 < delta.

  Load "setup/Model".
  Hypothesis Hhorizon : (1 <= horizon M)%nat.
  Hypothesis Hrewards : forall s a, almost_surely (reward M s a) (fun r => In r (xs ++ [1])).
  Variable best : R.
  Hypothesis Hbest :
    is_lub (fun x => exists pi, is_policy pi /\ allowed acts M pi /\ x = value (fun tau => tau) M pi) best.

  Local Notation T := (horizon M).
  Local Notation pasts := (list (history S A)).
  Local Notation outcomes := (seen state_dec action_dec).
  Local Notation the_pairs := (pairs states acts).
  Let k : knowledge S A := {| successors := fun _ _ => states; atoms := fun _ _ => xs ++ [1];
    known_law := fun _ _ => None |}.
  Let key (s : S) (a : A) : S * A := (s, a).
  Let key_dec := pair_dec state_dec action_dec.
  Let C : R := number_of_tests states acts xs / (delta / 2).

  Definition number_of_bets : R := INR T * INR (length the_pairs).
  Definition bet_level : R := 2 * number_of_bets / delta.

  Variable believes : pasts -> beliefs S A.
  Hypothesis Hvalid : forall past, valid_beliefs state_dec action_dec states acts xs (delta / 2) past (believes past).

  (** ** The table *)

  Definition plain_reward (past : pasts) (s : S) (a : A) : R := bet_number bet_level 1 (map fst (outcomes (s, a) past)).
  Definition plain_value (past : pasts) (W : S -> R) (n : nat) (s : S) (a : A) : R :=
    match n with
    | Datatypes.O => Rmax 0 (row_max (successors k) (believes past) W s a)
    | _ => bet_number bet_level (max_over W states) (map W (map snd (outcomes (s, a) past)))
    end.
  Definition plain_table : pasts -> nat -> S -> R := smaller_table acts k believes plain_reward plain_value.

  Definition plain_value_bets : list (nat * (S * A)) :=
    flat_map (fun n => map (pair n) the_pairs) (seq 1 (T - 1)).

  Lemma length_plain_value_bets : length plain_value_bets = ((T - 1) * length the_pairs)%nat.
  Proof.
    unfold plain_value_bets. rewrite <- (seq_length (T - 1) 1) at 2.
    induction (seq 1 (T - 1)) as [|n l IH]; [reflexivity|].
    cbn [flat_map length]. rewrite app_length, map_length, IH. reflexivity.
  Qed.

  Lemma in_plain_value_bets n c : (1 <= n < T)%nat -> In c the_pairs -> In (n, c) plain_value_bets.
  Proof.
    intros Hn Hc. apply in_flat_map. exists n. split; [apply in_seq; lia | now apply in_map].
  Qed.

  Lemma pairs_some : 0 < INR (length the_pairs).
  Proof.
    destruct (law_inhabited (init M) (init_law M HM)) as [s _]. pose proof (Hacts s) as Hs.
    destruct (acts s) as [|a l] eqn:Ha; [congruence|].
    pose proof (pairs_all states acts Hall s a ltac:(rewrite Ha; now left)) as Hin. apply lt_0_INR.
    destruct the_pairs; [destruct Hin | simpl; lia].
  Qed.

  Lemma plain_test_level : 0 < C.
  Proof.
    pose proof pairs_some. assert (H1 : 0 < INR (length states)).
    { destruct (law_inhabited (init M) (init_law M HM)) as [s _]. pose proof (Hall s) as Hin. apply lt_0_INR.
      destruct states; [destruct Hin | simpl; lia]. }
    unfold C, number_of_tests. pose proof (pos_INR (length xs)). apply Rdiv_lt_0_compat; [nra | lra].
  Qed.

  Lemma bets_some : 0 < number_of_bets.
  Proof. unfold number_of_bets. apply Rmult_lt_0_compat; [apply lt_0_INR; lia | apply pairs_some]. Qed.

  Lemma plain_bet_level : 0 < bet_level.
  Proof. unfold bet_level. pose proof bets_some. apply Rdiv_lt_0_compat; lra. Qed.

  Lemma plain_count :
    INR (length (all_tests the_pairs (fun _ => states) (fun _ => length xs))) / C +
      INR (length plain_value_bets + length the_pairs) / bet_level <= delta.
  Proof.
    rewrite number_of_tests_eq, length_plain_value_bets.
    replace ((T - 1) * length the_pairs + length the_pairs)%nat with (T * length the_pairs)%nat by nia.
    rewrite mult_INR. fold number_of_bets. pose proof bets_some. pose proof plain_test_level as HC.
    unfold bet_level, C in *. set (n := number_of_tests states acts xs) in *.
    assert (Hn : 0 < n).
    { replace n with (n / (delta / 2) * (delta / 2)) by (field; lra). apply Rmult_lt_0_compat; lra. }
    right. field. repeat split; lra.
  Qed.

  (** ** What was seen at a pair *)

  Lemma gambles_are_outcomes {Z} (f : R -> S -> Z) sa past :
    map (at_gamble (fun _ _ r s' => f r s')) (gambles (at_class key key_dec sa) past) =
    map (fun o => f (fst o) (snd o)) (outcomes sa past).
  Proof.
    assert (Hin : forall before steps s',
      map (at_gamble (fun _ _ r s' => f r s')) (gambles_in (at_class key key_dec sa) before steps s') =
      map (fun o => f (fst o) (snd o)) (seen_in state_dec action_dec sa steps s') ++
        map (at_gamble (fun _ _ r s' => f r s')) before).
    { intros before steps; induction steps as [|[[s a] r] steps IH]; intros s'; [reflexivity|].
      cbn [gambles_in seen_in]. unfold at_class, key, key_dec.
      destruct (pair_dec state_dec action_dec (s, a) sa) as [Heq|]; cbn [map app at_gamble fst snd]; [f_equal|];
        apply IH. }
    induction past as [|g past IH]; [reflexivity|]. cbn [gambles]. rewrite Hin, IH. unfold seen. cbn [flat_map].
    rewrite map_app. reflexivity.
  Qed.

  Lemma labels_are_states sa past : labels_seen (fun s : S => s) key key_dec sa past = map snd (outcomes sa past).
  Proof. exact (gambles_are_outcomes (fun _ s' => s') sa past). Qed.

  Lemma rewards_are_rewards sa past : rewards_seen key key_dec sa past = map fst (outcomes sa past).
  Proof. exact (gambles_are_outcomes (fun r _ => r) sa past). Qed.

  Lemma plain_table_optimistic past :
    optimistic_table (fun s => s) acts k key key_dec plain_value_bets the_pairs M (fun _ s => s) believes bet_level past
      (plain_table past).
  Proof.
    apply smaller_table_is_optimistic; clear past.
    - intros past s a Ha. right. split; [now apply pairs_all|]. exists past, 1. split; [apply moment_itself|]. split.
      + intros r Hr. simpl in Hr. apply in_app_or in Hr. destruct Hr as [Hr|[<-|[]]]; [|lra].
        specialize (Hxs r Hr). lra.
      + rewrite rewards_are_rewards. apply bet_number_below, plain_bet_level.
    - intros past W n s a Hn Ha. destruct n as [|n]; [left; apply Rmax_r|]. right.
      split; [apply in_plain_value_bets; [lia | now apply pairs_all]|].
      exists past, (max_over (W (Datatypes.S n)) states). split; [apply moment_itself|]. split.
      + intros s' Hs'. exact (max_over_ge (W (Datatypes.S n)) states s' Hs').
      + rewrite labels_are_states. apply bet_number_below, plain_bet_level.
  Qed.

  Lemma plain_table_range past n s : 0 <= plain_table past n s <= INR n.
  Proof.
    apply smaller_table_range; try assumption.
    - exact (states_nonempty states xs Hall).
    - exact (valid_is_proper state_dec action_dec states acts xs (delta / 2) Hxs past _ (Hvalid past)).
    - intros s1 a1. apply bet_number_nonneg.
    - intros W m s1 a1. unfold plain_value. destruct m; [apply Rmax_l | apply bet_number_nonneg].
  Qed.

  (** ** The learner *)

  Variables (learner cautious : pasts -> policy S A) (w wc : pasts -> nat -> R).
  Hypothesis Hlearner : forall past, is_policy (learner past).
  Hypothesis Hgreedy : forall past g n, (Datatypes.S n + time g = T)%nat ->
    almost_surely (learner past g) (fun a => In a (acts (state g)) /\
      plain_table past (Datatypes.S n) (state g) <=
        mean_bracket (fun _ _ => states) (believes past) (plain_table past n) (state g) a + w past n).
  Hypothesis Hcautious : forall past, is_policy (cautious past) /\
    near_greedy_chk acts (fun _ _ => states) (believes past) (fun y => y) T (wc past) (cautious past).

  (** Given: the mean; states, actions and the values of the rewards known, nothing else; sets at least as wide as
      prescribed for delta/2, one bet for each pair and step, at delta/2; a policy greedy up to w for the table.
      Differs: another learner; interval and regret from the data, with bets.
      In words: 10-kl-learner.md#kl-bets.
      Step of: corrected/ii. *)
  Theorem plain_learner_with_bets K :
    prob (episodes M learner K) (outside_bet_dec acts k M best believes plain_table cautious wc) <= delta /\
    prob (episodes M learner K)
      (over_bound_dec M (fun tau => tau) 1 best learner (fun _ => 0) w delta
        (fun past => plain_cost (fun _ _ => states) (believes past) M)) <= 2 * delta.
  Proof.
    assert (Hplay : betting_play (fun s => s) acts k key key_dec plain_value_bets the_pairs M (fun _ s => s) believes
      learner plain_table bet_level).
    { split; [exact Hlearner | | exact plain_table_optimistic]. intros past.
      exact (valid_is_proper state_dec action_dec states acts xs (delta / 2) Hxs past _ (Hvalid past)). }
    assert (Hbets : forall n c, In (n, c) plain_value_bets -> In c the_pairs).
    { intros n c Hi. apply in_flat_map in Hi. destruct Hi as [n' [_ Hi]]. apply in_map_iff in Hi.
      destruct Hi as [c' [Heq Hc]]. now injection Heq as _ <-. }
    assert (Hsame : forall s a s1 a1, In (key s a) the_pairs -> key s1 a1 = key s a ->
      forall f : R -> R, E (reward M s1 a1) f = E (reward M s a) f)
      by (intros s a s1 a1 _ Heq f; now injection Heq as -> ->).
    assert (Hpre : forall past, prescribed (fun s => s) state_dec acts k key key_dec (fun _ => states)
      (fun _ => length xs) (fun _ _ i => nth i xs 0) C past (believes past))
      by (intros past; exact (valid_is_prescribed state_dec action_dec states acts xs (delta / 2) Hall Hxs past _
        (Hvalid past))).
    split.
    - exact (bet_intervals_hold state_dec (fun s => s) state_dec acts Hacts k key key_dec the_pairs
        (pairs_all states acts Hall) (plain_labels states acts xs) (fun _ => states) (fun _ => length xs)
        (fun _ _ i => nth i xs 0) plain_value_bets the_pairs Hbets (fun c H => H) M HM Hhorizon
        (plain_knows states acts xs Hstates Hall M Hrewards) _ _ (plain_shares state_dec states acts xs M) Hsame
        (fun _ s => s) (fun _ _ _ => eq_refl) (as_always _ _ (fun _ => eq_refl)) (fun _ _ _ _ _ _ _ _ => eq_refl)
        best Hbest believes learner plain_table C bet_level delta Hplay plain_test_level plain_bet_level plain_count
        Hpre cautious wc Hcautious K).
    - exact (bet_regret_from_data state_dec (fun s => s) state_dec acts Hacts k (states_nonempty states xs Hall) key
        key_dec the_pairs (pairs_all states acts Hall) (plain_labels states acts xs) (fun _ => states)
        (fun _ => length xs) (fun _ _ i => nth i xs 0) plain_value_bets the_pairs Hbets (fun c H => H) M HM
        (plain_rewards_within xs Hxs M Hrewards) Hhorizon (plain_knows states acts xs Hstates Hall M Hrewards) _ _
        (plain_shares state_dec states acts xs M) Hsame (fun _ s => s) (fun _ _ _ => eq_refl)
        (as_always _ _ (fun _ => eq_refl)) (fun _ _ _ _ _ _ _ _ => eq_refl) best Hbest believes learner plain_table C
        bet_level delta Hplay plain_test_level plain_bet_level Hdelta plain_count Hpre w
        (fun past g n Hn _ => Hgreedy past g n Hn) (fun past n s _ => plain_table_range past n s) K).
  Qed.
End PlainBets.
