(** * The learner for the mean whose upper bounds also use bets

    Setting of [KlRegret.v], for the mean: classes of pairs that share their laws, beliefs that are prescribed by tests.
    Besides, for a class c and a number n of steps left, a bet on the value V*_n of the next state at the visits to c,
    and for a class a bet on the reward ([Betting.v]).  The learner has a table W with W_0 = 0 and, for every action,

      W_{n+1}(s)  >=  (upper bound of E r)  +  (upper bound of E V*_n(s')) ,

    where the first is E_{R^} r or a number that the bet on the reward allows, and the second is
    sum low s' W_n(s') + miss max W_n or a number that the bet on V*_n allows, its values read from W_n: V*_n is
    unknown, and W_n >= V*_n.  With n_T tests, n_B bets and  n_T / C + n_B / C' <= delta:

    - [bet_intervals_hold]: with probability at least 1 - delta, at every moment,
        v-  <=  mean of the cautious policy  <=  best  <=  E W_T ;
    - [bet_regret_from_data_with], [bet_regret_from_data]: if every action played has a bracket of at least W up to w,
      with probability at least 1 - 2 delta, for all k at once,
        regret_k  <=  e/(e-1) ( sum of the costs of the steps made + b ln(1/delta) ) + planner errors ,
      with any costs that pay for the spread of W, so with  (T - t) miss + integral (F+ - F^)  if W_n is in [0, n].

    States may tell the time: [place n l] is the state with label l when n steps are left. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp SupportingUtility LawDistances
  DynamicProgramming HoeffdingFinite MartingaleStep EventHolds RegretAssembly HistoryCost KlSets Ville KlEvent BestRow
  KlBeliefs VisitCosts KlRadii KlLearner KlRegret Betting BetTables.
Import ListNotations.
Open Scope R_scope.

(** ** Laws *)

(** The largest value that carries mass. *)
Definition ess_max {X} (f : X -> R) (d : dist X) : R :=
  max_over f (map fst (filter (fun xp => if Req_EM_T (snd xp) 0 then false else true) d)).

Lemma ess_max_carried {X} (d : dist X) x :
  In x (map fst (filter (fun xp => if Req_EM_T (snd xp) 0 then false else true) d)) <->
  exists p, In (x, p) d /\ p <> 0.
Proof.
  rewrite in_map_iff. split.
  - intros [[y p] [<- Hin]]. apply filter_In in Hin. destruct Hin as [Hin Hp]. exists p. split; [assumption|].
    cbn [snd] in Hp. destruct (Req_EM_T p 0); [discriminate | assumption].
  - intros [p [Hin Hp]]. exists (x, p). split; [reflexivity|]. apply filter_In. split; [assumption|]. cbn [snd].
    destruct (Req_EM_T p 0); [contradiction | reflexivity].
Qed.

Lemma below_ess_max {X} (f : X -> R) (d : dist X) : almost_surely d (fun x => f x <= ess_max f d).
Proof. intros x p Hin Hp. apply max_over_ge, ess_max_carried. now exists p. Qed.

Lemma ess_max_le {X} (f : X -> R) (d : dist X) c :
  is_law d -> almost_surely d (fun x => f x <= c) -> ess_max f d <= c.
Proof.
  intros Hd Hf. destruct (law_inhabited d Hd) as [x [p [Hin Hp]]].
  destruct (max_over_attained f (map fst (filter (fun xp => if Req_EM_T (snd xp) 0 then false else true) d)))
    as [y [Hy He]].
  - intros Hnil. assert (Hx : In x []) by (rewrite <- Hnil; apply ess_max_carried; exists p; split; [assumption | lra]).
    destruct Hx.
  - unfold ess_max. rewrite He. apply ess_max_carried in Hy. destruct Hy as [q [Hy Hq]]. exact (Hf y q Hy Hq).
Qed.

(** Equal masses, equal expectations. *)
Lemma E_of_same_masses {X} (eq_dec : forall x y : X, {x = y} + {x <> y}) (d e : dist X) f :
  (forall x, E d (fun y => ind (eq_dec y x)) = E e (fun y => ind (eq_dec y x))) -> E d f = E e f.
Proof.
  intros H. pose (l := nodup eq_dec (map fst d ++ map fst e)).
  assert (Hd : almost_surely d (fun x => In x l)).
  { intros x p Hin _. apply nodup_In, in_or_app. left. apply in_map_iff. now exists (x, p). }
  assert (He : almost_surely e (fun x => In x l)).
  { intros x p Hin _. apply nodup_In, in_or_app. right. apply in_map_iff. now exists (x, p). }
  rewrite (E_sum_over eq_dec l d), (E_sum_over eq_dec l e); try apply NoDup_nodup; try assumption.
  apply sum_ext; intros x _. f_equal. apply H.
Qed.

(** Laws with the same expectations: a bound that holds surely for one holds surely for the other. *)
Lemma bound_of_same_expectations {X Z} (d : dist X) (e : dist Z) (f : X -> R) (g : Z -> R) c :
  is_law d -> nonneg e -> (forall u : R -> R, E d (fun x => u (f x)) = E e (fun z => u (g z))) ->
  almost_surely d (fun x => f x <= c) -> almost_surely e (fun z => g z <= c).
Proof.
  intros Hd He H Hf.
  assert (Hz : almost_surely e (fun z => Rmax 0 (g z - c) = 0)).
  { apply as_zero_of_mean; [assumption | apply as_always; intros z; apply Rmax_l|].
    rewrite <- (H (fun y => Rmax 0 (y - c))), (E_ext_as d _ (fun _ => 0)); [apply E_zero|].
    revert Hf; apply as_impl; intros x Hx. apply Rmax_left. lra. }
  revert Hz; apply as_impl; intros z Hz. pose proof (Rmax_r 0 (g z - c)). lra.
Qed.

(** A member of each listed class. *)
Lemma representatives {K X} (dec : forall c c' : K, {c = c'} + {c <> c'}) (key : X -> K) (x0 : X) (l : list K) :
  (forall c, In c l -> exists x, key x = c) -> exists rep : K -> X, forall c, In c l -> key (rep c) = c.
Proof.
  induction l as [|c l IH]; intros H; [exists (fun _ => x0); intros c []|].
  destruct IH as [rep Hrep]; [intros c' Hc'; apply H; now right|]. destruct (H c ltac:(now left)) as [x Hx].
  exists (fun c' => if dec c' c then x else rep c'). intros c' Hc'. destruct (dec c' c) as [->|Hne]; [assumption|].
  apply Hrep. destruct Hc' as [->|Hc']; [congruence | assumption].
Qed.

Lemma lipschitz_id : lipschitz_weighting (fun tau => tau) 1.
Proof. intros x y. rewrite Rmult_1_l. lra. Qed.

Section BetRegret.
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
  Hypothesis Hclasses : forall s a, In a (acts s) -> In (key s a) classes.
  Hypothesis Hlabels : forall s a s1 s2, In a (acts s) -> In s1 (successors k s a) -> In s2 (successors k s a) ->
    label s1 = label s2 -> s1 = s2.
  Variables (tested : Kt -> list Lb) (levels : Kt -> nat) (level : S -> A -> nat -> R).

  (** What is bet on: the value of the next state with n steps left at a class, the reward at a class. *)
  Variables (value_bets : list (nat * Kt)) (reward_bets : list Kt).
  Hypothesis Hvalue_bets : forall n c, In (n, c) value_bets -> In c classes.
  Hypothesis Hreward_bets : forall c, In c reward_bets -> In c classes.

  (** The truth, for which the declarations hold. *)
  Load "setup/Model".
  Hypothesis Hrew : rewards_within 1 M.
  Hypothesis Hhorizon : (1 <= horizon M)%nat.
  Hypothesis Hknows : knows acts k M.
  Variables (PK : Kt -> Lb -> R) (FK : Kt -> nat -> R).
  Hypothesis Hshares : shares label label_dec key classes levels level M PK FK.
  Hypothesis Hsame_rewards : forall s a s1 a1, In (key s a) reward_bets -> key s1 a1 = key s a ->
    forall f : R -> R, E (reward M s1 a1) f = E (reward M s a) f.

  Local Notation T := (horizon M).
  Local Notation data := (list (history S A)).
  Local Notation succ := (successors k).
  Local Notation V := (mean_to_go acts M).

  (** The states with n steps left. *)
  Variable place : nat -> Lb -> S.
  Definition due (n : nat) (s : S) : Prop := place n (label s) = s.
  Hypothesis Hplace : forall n l, (n < T)%nat -> label (place n l) = l.
  Hypothesis Hstart : almost_surely (init M) (due T).
  Hypothesis Hnext : forall n s a s', (n < T)%nat -> due (Datatypes.S n) s -> In a (acts s) -> In s' (succ s a) ->
    due n s'.

  (** The largest mean. *)
  Variable best : R.
  Hypothesis Hbest :
    is_lub (fun x => exists pi, is_policy pi /\ allowed acts M pi /\ x = value (fun tau => tau) M pi) best.

  Lemma value_is_mean pi : is_policy pi -> value (fun tau => tau) M pi = E (return_law M pi) (fun y => y).
  Proof. intros Hpi. apply Phi_id_eq_mean. now apply law_return. Qed.

  (** ** The learner *)

  Variables (believes : data -> beliefs S A) (learner : data -> policy S A) (table : data -> nat -> S -> R).
  Variables (C C' delta : R).

  Definition at_class (c : Kt) (s : S) (a : A) : bool := if key_dec (key s a) c then true else false.

  (** What was seen at a class: labels of the next state, rewards. *)
  Definition labels_seen (c : Kt) (past : data) : list Lb :=
    map (at_gamble (fun _ _ _ s' => label s')) (gambles (at_class c) past).
  Definition rewards_seen (c : Kt) (past : data) : list R :=
    map (at_gamble (fun _ _ r _ => r)) (gambles (at_class c) past).

  (** Numbers at least E V*_n(s') and E r, from the beliefs or from the data of a bet, now or at an earlier moment. *)
  Definition value_bound (past : data) (W : nat -> S -> R) (n : nat) (s : S) (a : A) (B : R) : Prop :=
    row_max succ (believes past) (W n) s a <= B \/
    (In (n, key s a) value_bets /\ exists q eta, In q (moments_of past) /\
       (forall s', In s' (succ s a) -> W n s' <= eta) /\
       below_bet C' eta (map (fun l => W n (place n l)) (labels_seen (key s a) q)) B).

  Definition reward_bound (past : data) (s : S) (a : A) (B : R) : Prop :=
    E (hat (believes past) s a) (fun r => r) <= B \/
    (In (key s a) reward_bets /\ exists q eta, In q (moments_of past) /\
       (forall r, In r (atoms k s a) -> r <= eta) /\ below_bet C' eta (rewards_seen (key s a) q) B).

  Record optimistic_table (past : data) (W : nat -> S -> R) : Prop := {
    table_end : forall s, W O s = 0;
    table_above : forall n s a, (n < T)%nat -> due (Datatypes.S n) s -> In a (acts s) -> exists Br Bv,
      reward_bound past s a Br /\ value_bound past W n s a Bv /\ Br + Bv <= W (Datatypes.S n) s
  }.

  (** The smaller of the two, for rewards and for values: a table that meets the conditions, and a bracket below that of
      the beliefs. *)
  Section Smaller.
    Variables (reward_number : data -> S -> A -> R) (value_number : data -> (S -> R) -> nat -> S -> A -> R).
    Hypothesis Hreward_number : forall past s a, In a (acts s) -> reward_bound past s a (reward_number past s a).
    Hypothesis Hvalue_number : forall past W n s a, (n < T)%nat -> In a (acts s) ->
      value_bound past W n s a (value_number past (W n) n s a).

    Definition smaller_bracket (past : data) (W : S -> R) (n : nat) (s : S) (a : A) : R :=
      Rmin (E (hat (believes past) s a) (fun r => r)) (reward_number past s a) +
      Rmin (row_max succ (believes past) W s a) (value_number past W n s a).

    Fixpoint smaller_table (past : data) (n : nat) (s : S) : R :=
      match n with
      | Datatypes.O => 0
      | Datatypes.S n' => max_over (smaller_bracket past (smaller_table past n') n' s) (acts s)
      end.

    Lemma smaller_bracket_le past W n s a : smaller_bracket past W n s a <= mean_bracket succ (believes past) W s a.
    Proof. unfold smaller_bracket, mean_bracket. apply Rplus_le_compat; apply Rmin_l. Qed.

    (** Given: any numbers that bets or beliefs allow.
        In words: 10-kl-learner.md#kl-bets.
        Step of: corrected/ii. *)
    Theorem smaller_table_is_optimistic past : optimistic_table past (smaller_table past).
    Proof.
      split; [reflexivity|]. intros n s a Hn _ Ha. set (W := smaller_table past).
      exists (Rmin (E (hat (believes past) s a) (fun r => r)) (reward_number past s a)),
        (Rmin (row_max succ (believes past) (W n) s a) (value_number past (W n) n s a)).
      split; [|split].
      - unfold Rmin. destruct (Rle_dec _ _); [left; lra | now apply Hreward_number].
      - unfold Rmin. destruct (Rle_dec _ _); [left; lra | now apply Hvalue_number].
      - exact (max_over_ge (smaller_bracket past (W n) n s) (acts s) a Ha).
    Qed.

    (** An action that attains the maximum has a bracket of at least the table.
        Given: as smaller_table_is_optimistic.
        In words: 10-kl-learner.md#kl-bets.
        Step of: corrected/ii. *)
    Theorem smaller_table_is_played past n s :
      exists a, In a (acts s) /\
        smaller_table past (Datatypes.S n) s <= mean_bracket succ (believes past) (smaller_table past n) s a.
    Proof.
      destruct (max_over_attained (smaller_bracket past (smaller_table past n) n s) (acts s) (Hacts s)) as [a [Ha He]].
      exists a. split; [assumption|]. cbn [smaller_table]. rewrite He. apply smaller_bracket_le.
    Qed.

    Lemma smaller_table_range past n s :
      proper succ (believes past) -> (forall s a, 0 <= reward_number past s a) ->
      (forall W n s a, 0 <= value_number past W n s a) -> 0 <= smaller_table past n s <= INR n.
    Proof.
      intros Hp H1 H2. revert s; induction n as [|n IH]; intros s; [simpl; lra|]. rewrite S_INR. cbn [smaller_table].
      destruct (max_over_attained (smaller_bracket past (smaller_table past n) n s) (acts s) (Hacts s)) as [a [_ ->]].
      pose proof (row_max_range succ Hsucc (believes past) Hp (smaller_table past n) s a 0 (INR n) (fun s' _ => IH s')).
      assert (0 <= E (hat (believes past) s a) (fun r => r) <= 1).
      { pose proof (hat_within _ _ Hp s a) as Hr. split.
        - apply E_ge_const; [apply (hat_law _ _ Hp)|]. revert Hr; apply as_impl; intros; lra.
        - apply E_le_const; [apply (hat_law _ _ Hp)|]. revert Hr; apply as_impl; intros; lra. }
      unfold smaller_bracket. specialize (H1 s a). specialize (H2 (smaller_table past n) n s a).
      pose proof (Rmin_l (E (hat (believes past) s a) (fun r => r)) (reward_number past s a)).
      pose proof (Rmin_l (row_max succ (believes past) (smaller_table past n) s a)
        (value_number past (smaller_table past n) n s a)).
      assert (0 <= Rmin (E (hat (believes past) s a) (fun r => r)) (reward_number past s a))
        by (apply Rmin_glb; lra).
      assert (0 <= Rmin (row_max succ (believes past) (smaller_table past n) s a)
        (value_number past (smaller_table past n) n s a)) by (apply Rmin_glb; lra).
      lra.
    Qed.
  End Smaller.

  Record betting_play : Prop := {
    betting_policy : forall past, is_policy (learner past);
    betting_proper : forall past, proper succ (believes past);
    betting_table : forall past, optimistic_table past (table past)
  }.
  Hypothesis Hplay : betting_play.
  Hypothesis HC : 0 < C.
  Hypothesis HC' : 0 < C'.
  Hypothesis Hdelta : 0 < delta.
  Hypothesis Hcount :
    INR (length (all_tests classes tested levels)) / C + INR (length value_bets + length reward_bets) / C' <= delta.
  Hypothesis Hprescribed : forall past,
    prescribed label label_dec acts k key key_dec tested levels level C past (believes past).

  Local Notation tests := (all_tests classes tested levels).
  Local Notation test_of := (the_test label label_dec key key_dec level).
  Local Notation chance := (the_chance PK FK).

  (** ** The bets *)

  Lemma same_label_law s a s1 a1 (f : Lb -> R) :
    key s1 a1 = key s a -> E (trans M s1 a1) (fun s' => f (label s')) = E (trans M s a) (fun s' => f (label s')).
  Proof.
    intros Hk. rewrite <- !(E_image label _ f). apply (E_of_same_masses label_dec). intros l. rewrite !E_image.
    rewrite !(shares_trans _ _ _ _ _ _ _ _ _ Hshares). now rewrite Hk.
  Qed.

  Section Bets.
    (** A pair of each class; the bets do not depend on which. *)
    Variable rep : Kt -> S * A.
    Hypothesis Hrep : forall c, In c classes -> key (fst (rep c)) (snd (rep c)) = c.

    Definition next_value (n : nat) (s' : S) : R := V n (place n (label s')).
    Definition the_bet (i : (nat * Kt) + Kt) : bet S A :=
      match i with
      | inl (n, c) => {| backs := at_class c; payoff := fun _ _ _ s' => next_value n s';
                         payoff_top := ess_max (next_value n) (trans M (fst (rep c)) (snd (rep c))) |}
      | inr c => {| backs := at_class c; payoff := fun _ _ r _ => r;
                    payoff_top := ess_max (fun r => r) (reward M (fst (rep c)) (snd (rep c))) |}
      end.
    Definition the_mean (i : (nat * Kt) + Kt) : R :=
      match i with
      | inl (n, c) => E (trans M (fst (rep c)) (snd (rep c))) (next_value n)
      | inr c => E (reward M (fst (rep c)) (snd (rep c))) (fun r => r)
      end.
    Definition all_bets : list ((nat * Kt) + Kt) := map inl value_bets ++ map inr reward_bets.

    Lemma length_all_bets : length all_bets = (length value_bets + length reward_bets)%nat.
    Proof. unfold all_bets. now rewrite app_length, !map_length. Qed.

    Lemma at_class_key c s a : at_class c s a = true -> key s a = c.
    Proof. unfold at_class. destruct (key_dec (key s a) c); [auto | discriminate]. Qed.

    Lemma bets_have_means i : In i all_bets -> has_mean M (the_bet i) (the_mean i).
    Proof.
      intros Hi. apply in_app_or in Hi. destruct Hi as [Hi|Hi]; apply in_map_iff in Hi.
      - destruct Hi as [[n c] [<- Hi]]. pose proof (Hrep c (Hvalue_bets n c Hi)) as Hk. unfold the_bet, the_mean.
        set (s0 := fst (rep c)) in *. set (a0 := snd (rep c)) in *. split; cbn [payoff_top payoff backs].
        + apply E_le_const; [now apply trans_law | apply below_ess_max].
        + intros s a Hs. apply at_class_key in Hs. split.
          * rewrite (E_ext (reward M s a) _ (fun _ => E (trans M s a) (next_value n))) by reflexivity.
            rewrite E_const by now apply reward_law.
            apply (same_label_law s0 a0 s a (fun l => V n (place n l))). congruence.
          * apply as_always; intros r.
            apply (bound_of_same_expectations (trans M s0 a0) (trans M s a) (next_value n) (next_value n)).
            -- now apply trans_law.
            -- now apply trans_law.
            -- intros u. apply (same_label_law s a s0 a0 (fun l => u (V n (place n l)))). congruence.
            -- apply below_ess_max.
      - destruct Hi as [c [<- Hi]]. pose proof (Hrep c (Hreward_bets c Hi)) as Hk. unfold the_bet, the_mean.
        set (s0 := fst (rep c)) in *. set (a0 := snd (rep c)) in *. split; cbn [payoff_top payoff backs].
        + apply E_le_const; [now apply reward_law | apply below_ess_max].
        + intros s a Hs. apply at_class_key in Hs. split.
          * rewrite (E_ext (reward M s a) _ (fun r => r)) by (intros r; apply E_const; now apply trans_law).
            apply Hsame_rewards; [now rewrite Hk | congruence].
          * assert (Hall : almost_surely (reward M s a) (fun r => r <= ess_max (fun r => r) (reward M s0 a0))).
            { apply (bound_of_same_expectations (reward M s0 a0) (reward M s a) (fun r => r) (fun r => r)).
              - now apply reward_law.
              - now apply reward_law.
              - intros u. symmetry. apply Hsame_rewards; [now rewrite Hk | congruence].
              - apply below_ess_max. }
            revert Hall; apply as_impl; intros r Hr. now apply as_always.
    Qed.

    Local Notation outbet_at := (outbet all_bets the_bet the_mean C').

    Definition steady (past : data) : Prop := forall q, In q (moments_of past) -> ~ outbet_at q.

    (** ** What the bounds say on the event *)

    Lemma value_bound_holds past W n s a B :
      steady past -> hold acts succ (believes past) state_dec M -> (n < T)%nat -> due (Datatypes.S n) s ->
      In a (acts s) -> below_table acts M due W n -> value_bound past W n s a B -> E (trans M s a) (V n) <= B.
    Proof.
      intros Hs Hhold Hn Hd Ha HW [Hrow|[Hi [q [eta [Hq [Heta Hbelow]]]]]].
      - eapply Rle_trans; [|exact Hrow].
        apply (mean_value_below acts succ (believes past) state_dec M HM Hhold (W n)); [assumption|].
        intros s' Hs'. apply HW. now apply (Hnext n s a).
      - assert (Hk : key s a = key (fst (rep (key s a))) (snd (rep (key s a))))
          by (symmetry; apply Hrep, (Hvalue_bets n), Hi).
        assert (Hv : almost_surely (trans M s a) (fun s' => next_value n s' = V n s')).
        { generalize (knows_successors _ _ _ Hknows s a Ha); apply as_impl; intros s' Hs'. unfold next_value.
          now rewrite (Hnext n s a s' Hn Hd Ha Hs'). }
        assert (Hmean : the_mean (inl (n, key s a)) = E (trans M s a) (V n)).
        { cbn [the_mean]. rewrite <- (E_ext_as _ _ _ Hv). symmetry.
          exact (same_label_law _ _ s a (fun l => V n (place n l)) Hk). }
        rewrite <- Hmean.
        apply (not_outbet_bounds M all_bets the_bet the_mean C' bets_have_means HC' q (inl (n, key s a))
          (fun o => W n (place n (at_gamble (fun _ _ _ s' => label s') o))) eta).
        + now apply Hs.
        + apply in_or_app. left. apply in_map_iff. now exists (n, key s a).
        + cbn [the_bet payoff_top]. apply ess_max_le; [now apply trans_law|].
          apply (bound_of_same_expectations (trans M s a) _ (next_value n) (next_value n)).
          * now apply trans_law.
          * now apply trans_law.
          * intros u. exact (same_label_law _ _ s a (fun l => u (V n (place n l))) Hk).
          * generalize (as_and _ _ _ Hv (knows_successors _ _ _ Hknows s a Ha)); apply as_impl; intros s' [He Hs'].
            rewrite He. eapply Rle_trans; [|exact (Heta s' Hs')]. apply HW. now apply (Hnext n s a).
        + intros [[[s1 a1] r1] s1'] _. cbn [at_gamble payoff the_bet]. unfold next_value. apply HW.
          unfold due. now rewrite Hplace.
        + cbn [the_bet backs]. unfold labels_seen in Hbelow. rewrite map_map in Hbelow. exact Hbelow.
    Qed.

    Lemma reward_bound_holds past s a B :
      steady past -> hold acts succ (believes past) state_dec M -> In a (acts s) -> reward_bound past s a B ->
      E (reward M s a) (fun r => r) <= B.
    Proof.
      intros Hs Hhold Ha [Hhat|[Hi [q [eta [Hq [Heta Hbelow]]]]]].
      - eapply Rle_trans; [|exact Hhat].
        apply (mean_reward_below acts succ (believes past) (betting_proper Hplay past) state_dec M HM Hhold s a Ha).
      - assert (Hk : key (fst (rep (key s a))) (snd (rep (key s a))) = key s a) by (apply Hrep, Hreward_bets, Hi).
        assert (Hmean : the_mean (inr (key s a)) = E (reward M s a) (fun r => r))
          by (cbn [the_mean]; apply Hsame_rewards; assumption).
        rewrite <- Hmean.
        apply (not_outbet_bounds M all_bets the_bet the_mean C' bets_have_means HC' q (inr (key s a))
          (at_gamble (fun _ _ r _ => r)) eta).
        + now apply Hs.
        + apply in_or_app. right. apply in_map_iff. now exists (key s a).
        + cbn [the_bet payoff_top]. apply ess_max_le; [now apply reward_law|].
          apply (bound_of_same_expectations (reward M s a) _ (fun r => r) (fun r => r)).
          * now apply reward_law.
          * now apply reward_law.
          * intros u. symmetry. now apply Hsame_rewards.
          * generalize (knows_atoms _ _ _ Hknows s a Ha); apply as_impl; exact Heta.
        + intros o _. cbn [the_bet payoff]. lra.
        + exact Hbelow.
    Qed.

    Lemma the_table_is_above past :
      steady past -> hold acts succ (believes past) state_dec M ->
      forall n, (n <= T)%nat -> below_table acts M due (table past) n.
    Proof.
      intros Hs Hhold. destruct (betting_table Hplay past) as [H0 HS].
      apply (table_above_best acts Hacts M HM due (table past)).
      - intros s _. rewrite H0. lra.
      - intros n s a Hn HW Hd Ha. destruct (HS n s a Hn Hd Ha) as [Br [Bv [HBr [HBv Hle]]]].
        pose proof (reward_bound_holds past s a Br Hs Hhold Ha HBr).
        pose proof (value_bound_holds past (table past) n s a Bv Hs Hhold Hn Hd Ha HW HBv). lra.
    Qed.

    Lemma best_below_the_table past :
      steady past -> hold acts succ (believes past) state_dec M -> best <= E (init M) (table past T).
    Proof.
      intros Hs Hhold. apply (proj2 Hbest). intros x [pi [Hpi [Hal ->]]]. rewrite value_is_mean by assumption.
      apply (mean_below_table acts M HM due); try assumption.
      apply (the_table_is_above past Hs Hhold); lia.
    Qed.
  End Bets.

  (** ** The event: no test misled and no gambler owned C' *)

  Lemma test_chances j : In j tests -> has_chance M (test_of j) (chance j).
  Proof.
    intros Hj. now apply (tests_have_chances label label_dec key key_dec classes tested levels level M HM PK FK
      Hshares).
  Qed.

  Lemma calm_beliefs_hold past :
    calm tests test_of chance C past -> hold acts succ (believes past) state_dec M.
  Proof.
    intros Hm. apply (supported_beliefs_hold state_dec acts k M HM Hknows tests test_of chance C test_chances HC).
    intros s a Ha. destruct (Hprescribed past s a Ha) as [q [Hq Hp]]. exists q. split; [now apply Hm|].
    now apply (prescribed_is_supported label label_dec acts k key key_dec classes tested levels level C HC Hclasses
      Hlabels).
  Qed.

  Lemma some_representatives : exists rep : Kt -> S * A, forall c, In c classes -> key (fst (rep c)) (snd (rep c)) = c.
  Proof.
    destruct (law_inhabited (init M) (init_law M HM)) as [s0 _].
    assert (H0 : exists a0, In a0 (acts s0)).
    { pose proof (Hacts s0) as H. destruct (acts s0) as [|a0 l]; [congruence|]. exists a0. now left. }
    destruct H0 as [a0 _]. apply (representatives key_dec (fun sa => key (fst sa) (snd sa)) (s0, a0)).
    intros c Hc. destruct (shares_somewhere _ _ _ _ _ _ _ _ _ Hshares c Hc) as [s [a Hk]]. now exists (s, a).
  Qed.

  (** The event, for any choice of representatives; the theorems below do not mention them. *)
  Section Event.
    Variable rep : Kt -> S * A.
    Hypothesis Hrep : forall c, In c classes -> key (fst (rep c)) (snd (rep c)) = c.

    Definition ever_wrong (path : data) : Prop :=
      Exists (misled tests test_of chance C) (moments_of path) \/
      Exists (outbet all_bets (the_bet rep) (the_mean rep) C') (moments_of path).
    Definition ever_wrong_dec path : {ever_wrong path} + {~ ever_wrong path}.
    Proof.
      unfold ever_wrong. destruct (ever_misled_dec tests test_of chance C path); [left; tauto|].
      destruct (ever_outbet_dec all_bets (the_bet rep) (the_mean rep) C' path); [left; tauto | right; tauto].
    Defined.

    Lemma rarely_wrong_by_delta K : prob (episodes M learner K) ever_wrong_dec <= delta.
    Proof.
      eapply Rle_trans; [|exact Hcount].
      pose proof (rarely_misled M HM learner (betting_policy Hplay) tests test_of chance C test_chances HC K) as H1.
      pose proof (rarely_outbet M HM learner (betting_policy Hplay) all_bets (the_bet rep) (the_mean rep) C'
        (bets_have_means rep Hrep) HC' K) as H2.
      rewrite length_all_bets in H2. unfold prob in *.
      apply Rle_trans with (E (episodes M learner K) (fun path =>
        ind (ever_misled_dec tests test_of chance C path) +
        ind (ever_outbet_dec all_bets (the_bet rep) (the_mean rep) C' path))).
      - apply E_le; [apply law_episodes; [assumption | apply Hplay]|]. intros path.
        unfold ever_wrong_dec. destruct (ever_misled_dec tests test_of chance C path); cbn [ind];
          destruct (ever_outbet_dec all_bets (the_bet rep) (the_mean rep) C' path); cbn [ind]; lra.
      - rewrite E_plus. lra.
    Qed.

    Lemma right_so_far path past :
      ~ ever_wrong path -> In past (moments_of path) ->
      steady rep past /\ hold acts succ (believes past) state_dec M.
    Proof.
      intros Hn Hin. split.
      - intros q Hq Hbad. apply Hn. right. apply Exists_exists. exists q. split; [|assumption].
        now apply (moment_of_moment path past).
      - apply calm_beliefs_hold. intros q Hq Hbad. apply Hn. left. apply Exists_exists. exists q. split; [|assumption].
        now apply (moment_of_moment path past).
    Qed.
  End Event.

  (** ** The interval *)

  Section Interval.
    Variables (cautious : data -> policy S A) (wc : data -> nat -> R).
    Hypothesis Hcautious : forall past, is_policy (cautious past) /\
      near_greedy_chk acts succ (believes past) (fun y => y) T (wc past) (cautious past).

    Definition in_bet_interval (past : data) : Prop :=
      v_chk acts succ M believes past (fun y => y) - sum (seq 0 T) (wc past) <=
        value (fun tau => tau) M (cautious past) /\
      value (fun tau => tau) M (cautious past) <= best /\ best <= E (init M) (table past T).

    Lemma right_in_interval rep (Hrep : forall c, In c classes -> key (fst (rep c)) (snd (rep c)) = c) past :
      steady rep past -> hold acts succ (believes past) state_dec M -> in_bet_interval past.
    Proof.
      intros Hs Hhold. destruct (Hcautious past) as [Hpi Hgreedy].
      assert (Hal : allowed acts M (cautious past)).
      { intros g Hg. destruct (T - time g)%nat as [|n] eqn:Hn; [lia|].
        generalize (Hgreedy g n ltac:(lia)); apply as_impl; tauto. }
      split; [|split].
      - rewrite value_is_mean by assumption. unfold v_chk.
        apply (near_greedy_chk_lower acts succ (believes past) (fun y => y) (betting_proper Hplay past) 1 ltac:(lra)
          ltac:(intros x y Hxy; lra) state_dec M HM Hhold (cautious past) (wc past) Hpi Hgreedy).
      - apply (proj1 Hbest). exists (cautious past). auto.
      - now apply (best_below_the_table rep Hrep).
    Qed.

    Definition in_bet_interval_dec past : {in_bet_interval past} + {~ in_bet_interval past}.
    Proof.
      unfold in_bet_interval.
      destruct (Rle_dec (v_chk acts succ M believes past (fun y => y) - sum (seq 0 T) (wc past))
        (value (fun tau => tau) M (cautious past))); [|right; tauto].
      destruct (Rle_dec (value (fun tau => tau) M (cautious past)) best); [|right; tauto].
      destruct (Rle_dec best (E (init M) (table past T))); [left; tauto | right; tauto].
    Defined.

    Definition outside_bet_dec (path : data) :
      {Exists (fun past => ~ in_bet_interval past) (moments_of path)} +
        {~ Exists (fun past => ~ in_bet_interval past) (moments_of path)}.
    Proof.
      apply Exists_dec. intros past. destruct (in_bet_interval_dec past); [right; tauto | left; assumption].
    Defined.

    (** Given: the mean; tables above any of the bounds, of the KL sets or of the bets; tests and bets share delta.
        Differs: the interval for the best mean and for the policy played.
        In words: 10-kl-learner.md#kl-bets.
        Step of: corrected/ii. *)
    Theorem bet_intervals_hold K : prob (episodes M learner K) outside_bet_dec <= delta.
    Proof.
      destruct some_representatives as [rep Hrep].
      eapply Rle_trans; [|exact (rarely_wrong_by_delta rep Hrep K)].
      apply E_le; [apply law_episodes; [assumption | apply Hplay]|]. intros path. apply ind_le. intros H.
      destruct (ever_wrong_dec rep path) as [|Hok]; [assumption | exfalso].
      apply Exists_exists in H; destruct H as [past [Hin Hno]].
      destruct (right_so_far rep path past Hok Hin) as [Hs Hhold]. now apply Hno, (right_in_interval rep Hrep).
    Qed.
  End Interval.

  (** ** Regret from the data *)

  Section Data.
    Variable w : data -> nat -> R.

    (** A history that can occur: its state tells the time. *)
    Definition timely (g : history S A) : Prop := (time g <= T)%nat -> due (T - time g) (state g).

    Hypothesis Hgreedy : forall past g n, (Datatypes.S n + time g = T)%nat -> timely g ->
      almost_surely (learner past g) (fun a => In a (acts (state g)) /\
        table past (Datatypes.S n) (state g) <=
          mean_bracket succ (believes past) (table past n) (state g) a + w past n).

    Variable cost : data -> history S A -> A -> R.
    Hypothesis Hcost_pays : forall past g n a, (Datatypes.S n + time g = T)%nat -> timely g -> In a (acts (state g)) ->
      miss succ (believes past) (state g) a * table_span succ (table past n) (state g) a +
        gap (believes past) (state g) a <= cost past g a.

    Lemma always_timely past t : almost_surely (history_law M (learner past) t) timely.
    Proof.
      induction t as [|t IH]; cbn [history_law].
      - apply as_image. revert Hstart; apply as_impl; intros s Hs _. unfold time. cbn. now rewrite Nat.sub_0_r.
      - apply as_bind. generalize (as_and _ _ _ (history_time M (learner past) t) IH); apply as_impl; intros g [Ht Hg].
        destruct (le_lt_dec T t) as [Hle|Hlt].
        + apply as_step, as_always; intros a. apply as_always; intros r. apply as_always; intros s' Hbad.
          rewrite time_extend in Hbad. lia.
        + destruct (T - time g)%nat as [|n] eqn:Hn; [lia|]. unfold timely in Hg. rewrite Hn in Hg.
          specialize (Hg ltac:(lia)). apply as_step.
          generalize (Hgreedy past g n ltac:(lia) ltac:(intros _; now rewrite Hn)); apply as_impl; intros a [Ha _].
          apply as_always; intros r. generalize (knows_successors _ _ _ Hknows (state g) a Ha); apply as_impl.
          intros s' Hs' _. rewrite time_extend, state_extend. replace (T - Datatypes.S (time g))%nat with n by lia.
          apply (Hnext n (state g) a); auto. lia.
    Qed.

    Local Notation next := (fun past => history_law M (learner past) T).

    Lemma bet_episode_loss rep (Hrep : forall c, In c classes -> key (fst (rep c)) (snd (rep c)) = c) past :
      steady rep past -> hold acts succ (believes past) state_dec M ->
      best - value (fun tau => tau) M (learner past) <= E (next past) (Y cost past) + error M (fun _ => 0) w past.
    Proof.
      intros Hs Hhold. pose proof (best_below_the_table rep Hrep past Hs Hhold) as Hup.
      pose proof (betting_policy Hplay past) as Hpi. rewrite value_is_mean by assumption.
      pose proof (table_loss acts succ Hsucc (believes past) (betting_proper Hplay past) state_dec M HM Hrew Hhold
        timely (table past) (learner past) (w past) (cost past) Hpi (always_timely past)
        ltac:(intros s; rewrite (table_end _ _ (betting_table Hplay past)); lra) (Hgreedy past) (Hcost_pays past)) as H.
      unfold Y, error. lra.
    Qed.

    Lemma bet_regret_le_costs rep (Hrep : forall c, In c classes -> key (fst (rep c)) (snd (rep c)) = c) path :
      ~ ever_wrong rep path -> forall past, In past (moments_of path) ->
      regret M learner (fun tau => tau) best past <=
        sum_of_means next (Y cost) past + errors M (fun _ => 0) w past.
    Proof.
      intros Hok past. induction past as [|g past IH]; intros Hin; cbn [regret sum_of_means errors]; [lra|].
      assert (Hin' : In past (moments_of path)).
      { apply (moment_of_moment path (g :: past)); [assumption|]. right. apply moment_itself. }
      destruct (right_so_far rep path past Hok Hin') as [Hs Hhold].
      pose proof (bet_episode_loss rep Hrep past Hs Hhold). specialize (IH Hin'). lra.
    Qed.

    (** Given: as bet_intervals_hold; every action played has a bracket of at least the table, up to w; any cost that
        pays for the spread of the table, any b above the cost of an episode.
        Differs: another learner; its table may be lower than the optimistic recursion.
        In words: 10-kl-learner.md#kl-bets.
        Step of: corrected/ii. *)
    Theorem bet_regret_from_data_with b K :
      0 < b -> (forall past, almost_surely (next past) (fun g => 0 <= Y cost past g <= b)) ->
      prob (episodes M learner K)
        (over_bound_with_dec M (fun tau => tau) 1 best learner (fun _ => 0) w delta cost b) <= 2 * delta.
    Proof.
      intros Hb HYb. destruct some_representatives as [rep Hrep].
      pose proof (fun past => law_history M (learner past) T HM (betting_policy Hplay past)) as Hlaw.
      pose proof (sums_of_means_rarely_large next Hlaw (Y cost) b Hb HYb K delta Hdelta) as Hmart.
      pose proof (rarely_wrong_by_delta rep Hrep K) as Hev.
      assert (Hl : is_law (episodes M learner K)) by (apply law_episodes; [assumption | apply Hplay]).
      apply Rle_trans with (E (episodes M learner K) (fun path =>
        ind (ever_wrong_dec rep path) + ind (means_large_dec next (Y cost) b delta path))).
      - apply E_le; [apply Hl|]. intros path.
        pose proof (ind_range (means_large_dec next (Y cost) b delta path)) as Hr.
        pose proof (ind_range (ever_wrong_dec rep path)) as Hr'.
        destruct (over_bound_with_dec _ _ _ _ _ _ _ _ _ b path) as [Hover|]; cbn [ind]; [|lra].
        destruct (ever_wrong_dec rep path) as [Hm|Hok]; cbn [ind] in *; [lra|].
        apply Exists_exists in Hover; destruct Hover as [past [Hin Hover]].
        rewrite ind_yes; [lra|]. apply Exists_exists; exists past; split; [assumption|].
        pose proof (bet_regret_le_costs rep Hrep path Hok past Hin) as Hreg.
        unfold data_bound_with in Hover. unfold means_bound. lra.
      - rewrite E_plus. unfold prob, episodes in *. lra.
    Qed.
  End Data.

  (** With the plain cost, for a table between 0 and the number of steps left. *)
  Section Plain.
    Variable w : data -> nat -> R.
    Hypothesis Hgreedy : forall past g n, (Datatypes.S n + time g = T)%nat -> timely g ->
      almost_surely (learner past g) (fun a => In a (acts (state g)) /\
        table past (Datatypes.S n) (state g) <=
          mean_bracket succ (believes past) (table past n) (state g) a + w past n).
    Hypothesis Hrange : forall past n s, (n < T)%nat -> 0 <= table past n s <= INR n.

    Local Notation plain := (fun past => plain_cost succ (believes past) M).

    (** Given: as bet_regret_from_data_with, tables between 0 and the number of steps left.
        Differs: another learner; the same costs as in kl_regret_from_data.
        In words: 10-kl-learner.md#kl-bets.
        Step of: corrected/ii. *)
    Theorem bet_regret_from_data K :
      prob (episodes M learner K)
        (over_bound_dec M (fun tau => tau) 1 best learner (fun _ => 0) w delta plain) <= 2 * delta.
    Proof.
      apply (bet_regret_from_data_with w Hgreedy plain).
      - intros past g n a Hn _ _. unfold plain_cost. replace (T - Datatypes.S (time g))%nat with n by lia.
        pose proof (table_span_le succ Hsucc (table past n) (state g) a 0 (INR n)
          (fun s' _ => Hrange past n s' ltac:(lia))).
        pose proof (miss_nonneg _ _ (betting_proper Hplay past) (state g) a). nra.
      - pose proof (le_INR 1 T Hhorizon). simpl in *. unfold RegretAssembly.B. nra.
      - intros past. generalize (history_time M (learner past) T); apply as_impl; intros g Hg.
        unfold Y, RegretAssembly.B. unfold time in Hg.
        pose proof (cost_of_range (plain past) (fst g) 0) as H. rewrite Hg in H. cbn [INR Nat.add] in H.
        rewrite Rmult_0_r, Rplus_0_l in H. apply H. intros h a Hh.
        apply (plain_cost_range succ (believes past) (betting_proper Hplay past) M h a Hh).
    Qed.
  End Plain.
End BetRegret.
