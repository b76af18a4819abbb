(** * The learner when nothing is known but the possible rewards

    S0 listed states, the actions [acts s] of each, rewards in the list [xs ++ [1]] of numbers in [0, 1].  Every pair is
    a class of its own, every state is a possible successor: n = (number of pairs) (S0 + number of xs) tests.
    [KlRegret.v] in these terms, with counts read from the list of the outcomes seen at a pair.  [KlStatement.v]
    restates it. *)

Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp SupportingUtility LawDistances
  DynamicProgramming HoeffdingFinite MartingaleStep EventHolds RegretAssembly HistoryCost KlSets Ville
  KlEvent BestRow KlBeliefs VisitCosts KlRadii KlWidths KlLearner KlRegret.
Import ListNotations.
Open Scope R_scope.

Section Plain.
  Load "setup/Equality".
  Variable states : list S.
  Variable acts : S -> list A.
  Variable xs : list R.

  Local Notation pasts := (list (history S A)).
  Local Notation outcomes := (seen state_dec action_dec).

  (** ** Counts *)

  Definition pairs : list (S * A) := flat_map (fun s => map (pair s) (acts s)) states.
  Definition number_of_tests : R := INR (length pairs) * (INR (length states) + INR (length xs)).

  Definition N_at (past : pasts) (s : S) (a : A) : nat := length (outcomes (s, a) past).
  Definition n_next (past : pasts) (s : S) (a : A) (s' : S) : nat :=
    length (filter (fun o => if state_dec (snd o) s' then true else false) (outcomes (s, a) past)).
  Definition n_below (past : pasts) (s : S) (a : A) (x : R) : nat :=
    length (filter (fun o => if Rle_dec (fst o) x then true else false) (outcomes (s, a) past)).

  Variable delta : R.

  Definition lambda (N : nat) : R := ln (number_of_tests / delta) + / 2 * ln (INR N) + ln 2.

  (** q is at most the lower end of the set of the p with  N kl(x/N, p) <= lambda_N. *)
  Definition end_below (N x : nat) (q : R) : Prop :=
    q <= 0 \/ ((1 <= N)%nat /\ 0 < q < 1 /\ INR N * q <= INR x /\ lambda N <= INR N * kl (INR x / INR N) q).

  Record valid_beliefs (past : pasts) (b : beliefs S A) : Prop := {
    valid_low : forall s a s', 0 <= low b s a s' /\ end_below (N_at past s a) (n_next past s a s') (low b s a s');
    valid_sum : forall s a, sum states (low b s a) <= 1;
    valid_hat : forall s a, is_law (hat b s a) /\ almost_surely (hat b s a) (fun r => In r (xs ++ [1])) /\
      forall x, In x xs -> end_below (N_at past s a) (n_below past s a x) (cdf (hat b s a) x);
    valid_chk : forall s a, is_law (chk b s a) /\ almost_surely (chk b s a) (fun r => In r (xs ++ [1])) /\
      forall x, In x xs -> end_below (N_at past s a) (N_at past s a - n_below past s a x) (1 - cdf (chk b s a) x)
  }.

  (** ** The same in the terms of [KlRadii.v] *)

  Hypothesis Hstates : NoDup states.
  Hypothesis Hall : forall s, In s states.
  Hypothesis Hacts : forall s, acts s <> [].
  Hypothesis Hacts_nodup : forall s, NoDup (acts s).
  Hypothesis Hxs : forall x, In x xs -> 0 <= x < 1.
  Hypothesis Hdelta : 0 < delta.

  Let k : knowledge S A := {| successors := fun _ _ => states; atoms := fun _ _ => xs ++ [1];
    known_law := fun _ _ => None |}.
  Let label (s : S) : S := s.
  Let key (s : S) (a : A) : S * A := (s, a).
  Let key_dec := pair_dec state_dec action_dec.
  Let tested (_ : S * A) : list S := states.
  Let levels (_ : S * A) : nat := length xs.
  Let level (_ : S) (_ : A) (i : nat) : R := nth i xs 0.
  Let C : R := number_of_tests / delta.

  Lemma pairs_all s a : In a (acts s) -> In (key s a) pairs.
  Proof. intros Ha. apply in_flat_map. exists s; split; [apply Hall | now apply in_map]. Qed.

  Lemma pairs_nodup : NoDup pairs.
  Proof.
    enough (H : forall l, NoDup l -> NoDup (flat_map (fun s => map (pair s) (acts s)) l)) by now apply H.
    induction 1 as [|s l Hs Hl IH]; simpl; [constructor|]. apply NoDup_append; [|assumption|].
    - apply FinFun.Injective_map_NoDup; [intros x y H; now injection H | apply Hacts_nodup].
    - intros p Hp Hq. apply in_map_iff in Hp; destruct Hp as [a [<- _]].
      apply in_flat_map in Hq; destruct Hq as [s2 [H2 Hq]].
      apply in_map_iff in Hq; destruct Hq as [a2 [Heq _]]. injection Heq as -> _. contradiction.
  Qed.

  Lemma number_of_tests_eq : INR (length (all_tests pairs tested levels)) = number_of_tests.
  Proof.
    rewrite length_all_tests. unfold number_of_tests, tested, levels. generalize pairs; intros l.
    assert (Hcons : forall x m, list_sum (x :: m) = (x + list_sum m)%nat) by reflexivity.
    induction l as [|c l IH]; [simpl; ring|]. cbn [map length]. rewrite Hcons, S_INR, !plus_INR, IH. ring.
  Qed.

  (** A tally is a count of outcomes. *)
  Lemma tally_is_filter (j : index) past :
    let o := fun x : R * S => hits (the_test label state_dec key key_dec level j) (fst (fst j)) (snd (fst j)) (fst x)
      (snd x) in
    tally (the_test label state_dec key key_dec level j) past =
    (length (filter o (outcomes (fst j) past)), length (filter (fun x => negb (o x)) (outcomes (fst j) past))).
  Proof.
    intros o. set (tau := the_test label state_dec key key_dec level j).
    assert (Hin : forall before steps s', tally_in tau before steps s' =
      (length (filter o (seen_in state_dec action_dec (fst j) steps s')) + fst before,
       length (filter (fun x => negb (o x)) (seen_in state_dec action_dec (fst j) steps s')) + snd before)%nat).
    { intros before steps; induction steps as [|[[s a] r] steps IH]; intros s'; [now destruct before|].
      cbn [tally_in seen_in]. rewrite IH.
      assert (Hsel : selects tau s a = if key_dec (key s a) (fst j) then true else false)
        by (unfold tau, the_test; destruct (snd j); reflexivity).
      rewrite Hsel. unfold key, key_dec.
      destruct (pair_dec state_dec action_dec (s, a) (fst j)) as [Heq|]; [|reflexivity].
      assert (Hhit : hits tau s a r s' = o (r, s')) by (unfold o; rewrite <- Heq; reflexivity). rewrite Hhit.
      cbn [filter].
      destruct (o (r, s')); simpl; reflexivity. }
    induction past as [|g past IH]; [reflexivity|]. cbn [tally]. rewrite Hin, IH. unfold seen. cbn [flat_map].
    rewrite !filter_app, !app_length. reflexivity.
  Qed.

  Lemma filter_complement {X} (f : X -> bool) (l : list X) :
    (length (filter f l) + length (filter (fun x => negb (f x)) l))%nat = length l.
  Proof. induction l as [|x l IH]; simpl; [reflexivity|]. destruct (f x); simpl; lia. Qed.

  Lemma counts_of_successor past s a s' :
    successes label state_dec key key_dec level past (key s a, inl (label s')) = n_next past s a s' /\
    failures label state_dec key key_dec level past (key s a, inl (label s')) =
      (N_at past s a - n_next past s a s')%nat.
  Proof.
    unfold successes, failures. rewrite tally_is_filter. split; [reflexivity|]. symmetry; apply Nat.add_sub_eq_l.
    exact (filter_complement (fun o : R * S => if state_dec (snd o) s' then true else false) (outcomes (s, a) past)).
  Qed.

  Lemma counts_of_level past s a i :
    successes label state_dec key key_dec level past (key s a, inr i) = n_below past s a (nth i xs 0) /\
    failures label state_dec key key_dec level past (key s a, inr i) =
      (N_at past s a - n_below past s a (nth i xs 0%R))%nat.
  Proof.
    unfold successes, failures. rewrite tally_is_filter. split; [reflexivity|]. symmetry; apply Nat.add_sub_eq_l.
    exact (filter_complement (fun o : R * S => if Rle_dec (fst o) (nth i xs 0) then true else false)
      (outcomes (s, a) past)).
  Qed.

  Lemma filter_le {X} (f : X -> bool) (l : list X) : (length (filter f l) <= length l)%nat.
  Proof. pose proof (filter_complement f l). lia. Qed.

  (** Between neighbouring atoms nothing changes. *)
  Lemma atom_at (x : R) :
    (forall r, In r (xs ++ [1]) -> ~ r <= x) \/ (forall r, In r (xs ++ [1]) -> r <= x) \/
    exists i, (i < length xs)%nat /\ forall r, In r (xs ++ [1]) -> (r <= x <-> r <= nth i xs 0).
  Proof.
    destruct (Rle_dec 1 x) as [H1|H1].
    { right; left. intros r Hr. apply in_app_or in Hr.
      destruct Hr as [Hr|[<-|[]]]; [specialize (Hxs r Hr); lra | assumption]. }
    set (l := filter (fun r => if Rle_dec r x then true else false) xs).
    destruct l as [|r0 l'] eqn:Hl.
    - left. intros r Hr Hle. apply in_app_or in Hr. destruct Hr as [Hr|[<-|[]]]; [|contradiction].
      assert (Hin : In r l) by (apply filter_In; split; [assumption|]; destruct (Rle_dec r x);
        [reflexivity | contradiction]).
      rewrite Hl in Hin. destruct Hin.
    - right; right. set (m := argmax (fun r => r) r0 l').
      destruct (argmax_spec (fun r : R => r) r0 l') as [Hm Hmax]. fold m in Hm, Hmax. rewrite <- Hl in Hm, Hmax.
      apply filter_In in Hm; destruct Hm as [Hm Hmx]. destruct (Rle_dec m x) as [Hmx'|]; [|discriminate].
      destruct (In_nth xs m 0 Hm) as [i [Hi Hni]]. exists i; split; [assumption|]. rewrite Hni.
      intros r Hr; split; intros Hle; [|lra].
      apply in_app_or in Hr. destruct Hr as [Hr|[<-|[]]]; [|specialize (Hxs m Hm); lra].
      apply Hmax. apply filter_In; split; [assumption|]. destruct (Rle_dec r x); [reflexivity | contradiction].
  Qed.

  Lemma cdf_by_atoms (d : dist R) x y :
    almost_surely d (fun r => In r (xs ++ [1])) -> (forall r, In r (xs ++ [1]) -> (r <= x <-> r <= y)) ->
      cdf d x = cdf d y.
  Proof.
    intros Hd H. unfold cdf. apply E_ext_as. revert Hd; apply as_impl; intros r Hr. apply ind_iff. now apply H.
  Qed.

  Lemma end_is_kl_below N x q : (x <= N)%nat -> end_below N x q -> q <= 0 \/ kl_below C x (N - x) q.
  Proof.
    intros Hx [H|[H1 [H2 [H3 H4]]]]; [now left | right]. unfold kl_below. replace (x + (N - x))%nat with N by lia. auto.
  Qed.

  Theorem valid_is_prescribed past b : valid_beliefs past b ->
    prescribed label state_dec acts k key key_dec tested levels level C past b.
  Proof.
    intros Hb s a _. exists past. split; [apply moment_itself|]. split.
    - intros s' _. destruct (valid_low past b Hb s a s') as [_ He].
      assert (Hle : (n_next past s a s' <= N_at past s a)%nat) by apply filter_le.
      destruct (end_is_kl_below _ _ _ Hle He) as [H|H]; [now apply mass_zero|].
      apply mass_tested; [apply Hall|]. destruct (counts_of_successor past s a s') as [-> ->]. exact H.
    - intros x. destruct (valid_hat past b Hb s a) as [Hl [Hin He]].
      destruct (atom_at x) as [Hno|[Hyes|[i [Hi Hx]]]].
      + apply below_zero. rewrite (cdf_below _ x); [lra|]. revert Hin; apply as_impl; intros r Hr.
        specialize (Hno r Hr); lra.
      + apply below_top; [apply cdf_range, Hl | exact Hyes].
      + rewrite (cdf_by_atoms _ x (nth i xs 0) Hin Hx).
        assert (Hle : (n_below past s a (nth i xs 0%R) <= N_at past s a)%nat) by apply filter_le.
        destruct (end_is_kl_below _ _ _ Hle (He (nth i xs 0) ltac:(now apply nth_In))) as [H|H];
          [now apply below_zero|].
        apply below_level with i; [now split|]. destruct (counts_of_level past s a i) as [-> ->]. exact H.
    - intros x. destruct (valid_chk past b Hb s a) as [Hl [Hin He]].
      destruct (atom_at x) as [Hno|[Hyes|[i [Hi Hx]]]].
      + apply above_bottom; [apply cdf_range, Hl | exact Hno].
      + apply above_one. rewrite (cdf_above _ x Hl); [lra|]. revert Hin; apply as_impl; exact Hyes.
      + rewrite (cdf_by_atoms _ x (nth i xs 0) Hin Hx).
        assert (Hle : (n_below past s a (nth i xs 0%R) <= N_at past s a)%nat) by apply filter_le.
        destruct (end_is_kl_below _ _ _ (Nat.le_sub_l _ _) (He (nth i xs 0) ltac:(now apply nth_In))) as [H|H];
          [apply above_one; lra|].
        apply above_level with i; [now split|]. destruct (counts_of_level past s a i) as [-> ->].
        replace (N_at past s a - (N_at past s a - n_below past s a (nth i xs 0%R)))%nat
          with (n_below past s a (nth i xs 0%R)) in H by lia.
        exact H.
  Qed.

  Lemma atoms_within r : In r (xs ++ [1]) -> 0 <= r <= 1.
  Proof. intros Hr. apply in_app_or in Hr. destruct Hr as [Hr|[<-|[]]]; [specialize (Hxs r Hr); lra | lra]. Qed.

  Lemma valid_is_proper past b : valid_beliefs past b -> proper (successors k) b.
  Proof.
    intros Hb. split; intros s a.
    - intros s'. apply (valid_low past b Hb s a s').
    - unfold miss. pose proof (valid_sum past b Hb s a). simpl. lra.
    - apply (valid_hat past b Hb s a).
    - destruct (valid_hat past b Hb s a) as [_ [H _]]. revert H; apply as_impl; apply atoms_within.
    - apply (valid_chk past b Hb s a).
    - destruct (valid_chk past b Hb s a) as [_ [H _]]. revert H; apply as_impl; apply atoms_within.
  Qed.

  (** ** The theorem *)

  Load "setup/Model".
  Hypothesis Hhorizon : (1 <= horizon M)%nat.
  Hypothesis Hrewards : forall s a, almost_surely (reward M s a) (fun r => In r (xs ++ [1])).
  Variables (G : R -> R) (L best : R).
  Hypothesis HG : weighting G.
  Hypothesis HGL : lipschitz_weighting G L.
  Hypothesis HGc : concave_weighting G.
  Hypothesis Hbest : is_lub (fun x => exists pi, is_policy pi /\ allowed acts M pi /\ x = value G M pi) best.

  Local Notation T := (horizon M).
  Let succ (_ : S) (_ : A) : list S := states.

  Variables (believes : pasts -> beliefs S A) (learner : pasts -> policy S A) (utility : pasts -> R -> R)
            (w0 : pasts -> R) (w : pasts -> nat -> R).
  Hypothesis Hvalid : forall past, valid_beliefs past (believes past).
  Hypothesis Hplay_policy : forall past, is_policy (learner past).
  Hypothesis Hplay_utility : forall past, supports_on G L (INR T) (utility past).
  Hypothesis Hplay_best : forall past h, supports_on G L (INR T) h ->
    v_hat acts succ M believes past h <= v_hat acts succ M believes past (utility past) + w0 past.
  Hypothesis Hplay_greedy : forall past, near_greedy_hat acts succ (believes past) (utility past) T (w past)
    (learner past).

  Lemma plain_play : optimistic_play acts (successors k) M G L (INR T) believes learner utility w0 w.
  Proof.
    split; [exact Hplay_policy | intros past;
      now apply (valid_is_proper past) | exact Hplay_utility | | exact Hplay_greedy].
    intros past h Hh _. exact (Hplay_best past h Hh).
  Qed.

  Lemma plain_rewards_within : rewards_within 1 M.
  Proof. intros s a. generalize (Hrewards s a); apply as_impl; apply atoms_within. Qed.

  Lemma plain_knows : knows acts k M.
  Proof.
    split.
    - intros; exact Hstates.
    - intros s a _. apply as_always; intros s'; apply Hall.
    - intros s a _. apply Hrewards.
    - intros s a d _ H; discriminate H.
  Qed.

  Lemma plain_shares :
    shares label state_dec key pairs levels level M (fun c s' => mass state_dec (trans M (fst c) (snd c)) s')
      (fun c i => cdf (reward M (fst c) (snd c)) (nth i xs 0)).
  Proof.
    split; [reflexivity | reflexivity|]. intros c _. exists (fst c), (snd c). unfold key.
    symmetry; apply surjective_pairing.
  Qed.

  Lemma plain_labels s a s1 s2 :
    In a (acts s) -> In s1 (successors k s a) -> In s2 (successors k s a) -> label s1 = label s2 -> s1 = s2.
  Proof. intros _ _ _ H; exact H. Qed.

  Lemma tests_pos : 0 < number_of_tests.
  Proof.
    destruct (law_inhabited (init M) (init_law M HM)) as [s [p _]].
    assert (H1 : (1 <= length states)%nat) by (pose proof (Hall s); destruct states; [destruct H | simpl; lia]).
    assert (H2 : (1 <= length pairs)%nat).
    { pose proof (Hacts s). destruct (acts s) as [|a l] eqn:Ha; [congruence|].
      pose proof (pairs_all s a ltac:(rewrite Ha; now left)) as Hin. destruct pairs; [destruct Hin | simpl; lia]. }
    unfold number_of_tests. apply le_INR in H1, H2. simpl in H1, H2. pose proof (pos_INR (length xs)). nra.
  Qed.

  Lemma C_pos : 0 < C.
  Proof. apply Rdiv_lt_0_compat; [apply tests_pos | assumption]. Qed.

  Lemma count_ok : INR (length (all_tests pairs tested levels)) <= delta * C.
  Proof. rewrite number_of_tests_eq. unfold C. right. field. lra. Qed.

  Lemma plain_returns pi : is_policy pi -> allowed acts M pi ->
    almost_surely (return_law M pi) (fun x => 0 <= x <= INR T).
  Proof. intros _ _. generalize (return_within M pi 1 plain_rewards_within); apply as_impl; intros x Hx. lra. Qed.

  Lemma states_nonempty (s : S) (a : A) : successors k s a <> [].
  Proof. simpl. intros H. pose proof (Hall s) as Hs. rewrite H in Hs. destruct Hs. Qed.

  Local Notation the_bound := (over_bound_dec M G L best learner w0 w delta (the_cost k M believes)).

  Theorem plain_intervals_hold cautious cautious_utility wc K :
    (forall past, is_policy (cautious past)) -> (forall past, supports_on G L (INR T) (cautious_utility past)) ->
    (forall past, near_greedy_chk acts succ (believes past) (cautious_utility past) T (wc past) (cautious past)) ->
    prob (episodes M learner K) (outside_dec acts succ M G best believes utility w0 cautious cautious_utility wc) <=
      delta.
  Proof.
    intros H1 H2 H3.
    exact (kl_intervals_hold state_dec label state_dec acts k key key_dec pairs pairs_all plain_labels tested levels
      level M HM Hhorizon plain_knows _ _ plain_shares
      G L (INR T) HG HGL HGc (pos_INR T) plain_returns best Hbest believes learner utility w0 w plain_play C delta C_pos
        count_ok
      (fun past => valid_is_prescribed past _ (Hvalid past)) cautious cautious_utility wc K
      {| cautious_policy := H1; cautious_supports := H2; cautious_greedy := H3 |}).
  Qed.

  Theorem plain_regret_from_data K : prob (episodes M learner K) the_bound <= 2 * delta.
  Proof.
    exact (kl_regret_from_data state_dec label state_dec acts k key key_dec pairs pairs_all plain_labels tested levels
      level M HM plain_rewards_within Hhorizon
      plain_knows _ _ plain_shares G L (INR T) HG HGL HGc
        (pos_INR T) plain_returns best Hbest believes learner utility w0 w plain_play
      C delta C_pos Hdelta count_ok (fun past => valid_is_prescribed past _ (Hvalid past)) (the_cost k M believes)
      (the_cost_pays acts Hacts k states_nonempty M G L (INR T) believes learner utility w0 w plain_play)
      (the_cost_range acts k M G L (INR T) believes learner utility w0 w plain_play) K).
  Qed.

  (** ** A priori *)

  Variables (part : S -> A -> list S) (Gamma : R).

  (** The sets are the prescribed ones, not wider. *)
  Record exact_sets (past : pasts) : Prop := {
    exact_low : forall s a s', In a (acts s) -> (1 <= N_at past s a)%nat ->
      near (lambda (N_at past s a)) (N_at past s a) (INR (n_next past s a s') / INR (N_at past s a))
        (low (believes past) s a s');
    exact_hat : forall s a x, In a (acts s) -> (1 <= N_at past s a)%nat -> In x xs ->
      near (lambda (N_at past s a)) (N_at past s a) (INR (n_below past s a x) / INR (N_at past s a))
        (cdf (hat (believes past) s a) x);
    exact_chk : forall s a x, In a (acts s) -> (1 <= N_at past s a)%nat -> In x xs ->
      near (lambda (N_at past s a)) (N_at past s a) (1 - INR (n_below past s a x) / INR (N_at past s a))
        (1 - cdf (chk (believes past) s a) x)
  }.

  (** The frequency of rewards up to the largest atom that is at most x. *)
  Definition frequency_below (past : pasts) (s : S) (a : A) (x : R) : R :=
    if Rle_dec 1 x then 1 else
    match filter (fun r => if Rle_dec r x then true else false) xs with
    | [] => 0
    | r0 :: l => INR (n_below past s a (argmax (fun r => r) r0 l)) / INR (N_at past s a)
    end.

  Lemma near_everywhere past s a :
    exact_sets past -> In a (acts s) -> (1 <= N_at past s a)%nat -> forall x,
    near (lambda (N_at past s a)) (N_at past s a) (frequency_below past s a x) (cdf (hat (believes past) s a) x) /\
    near (lambda (N_at past s a)) (N_at past s a) (1 - frequency_below past s a x)
      (1 - cdf (chk (believes past) s a) x).
  Proof.
    intros He Ha HN x. destruct (valid_hat past _ (Hvalid past) s a) as [Hl [Hin _]].
    destruct (valid_chk past _ (Hvalid past) s a) as [Hl' [Hin' _]]. unfold frequency_below.
    destruct (Rle_dec 1 x) as [H1|H1].
    - assert (Hle : forall r, In r (xs ++ [1]) -> r <= x) by (intros r Hr; apply atoms_within in Hr; lra).
      rewrite !(cdf_above _ x); try assumption;
        [split; left; ring | revert Hin'; apply as_impl; exact Hle | revert Hin; apply as_impl; exact Hle].
    - set (l := filter (fun r => if Rle_dec r x then true else false) xs). destruct l as [|r0 l'] eqn:Hfl.
      + assert (Hno : forall r, In r (xs ++ [1]) -> x < r).
        { intros r Hr. apply Rnot_le_lt; intros Hle. apply in_app_or in Hr.
          destruct Hr as [Hr|[<-|[]]]; [|contradiction].
          assert (Hrl : In r l) by (apply filter_In; split; [assumption|]; destruct (Rle_dec r x);
            [reflexivity | contradiction]).
          rewrite Hfl in Hrl. destruct Hrl. }
        rewrite !cdf_below; [split; left; ring | revert Hin'; apply as_impl; exact Hno | revert Hin; apply as_impl;
          exact Hno].
      + set (m := argmax (fun r => r) r0 l'). destruct (argmax_spec (fun r : R => r) r0 l') as [Hm Hmax].
        fold m in Hm, Hmax.
        rewrite <- Hfl in Hm, Hmax. apply filter_In in Hm; destruct Hm as [Hm Hmx].
        destruct (Rle_dec m x) as [Hmx'|]; [|discriminate].
        assert (Hsame : forall r, In r (xs ++ [1]) -> (r <= x <-> r <= m)).
        { intros r Hr; split; intros Hle; [|lra]. apply in_app_or in Hr. destruct Hr as [Hr|[<-|[]]]; [|contradiction].
          apply Hmax. apply filter_In; split; [assumption|]. destruct (Rle_dec r x); [reflexivity | contradiction]. }
        rewrite (cdf_by_atoms _ x m Hin Hsame), (cdf_by_atoms _ x m Hin' Hsame).
        split; [now apply (exact_hat past He) | now apply (exact_chk past He)].
  Qed.

  Lemma lambda_grows n n' : (1 <= n <= n')%nat -> lambda n <= lambda n'.
  Proof.
    intros [H1 H2]. unfold lambda. assert (0 < INR n) by (apply lt_0_INR; lia). apply le_INR in H2.
    assert (ln (INR n) <= ln (INR n')); [|lra]. destruct H2 as [H2| ->]; [left; now apply ln_increasing | lra].
  Qed.

  Lemma lambda_nonneg n : delta <= 1 -> (1 <= n)%nat -> 0 <= lambda n.
  Proof.
    intros Hd Hn. eapply Rle_trans; [|apply (lambda_grows 1 n); lia]. unfold lambda. simpl INR. rewrite ln_1.
    assert (Ht : 1 <= number_of_tests).
    { pose proof tests_pos as Hp. rewrite <- number_of_tests_eq in *.
      destruct (length (all_tests pairs tested levels)); [simpl in Hp; lra|].
      rewrite S_INR. pose proof (pos_INR n0). lra. }
    assert (H : 1 <= number_of_tests / delta).
    { apply (Rmult_le_reg_r delta); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (0 <= ln (number_of_tests / delta))
      by (rewrite <- ln_1; destruct H as [H| <-]; [left; apply ln_increasing; lra | lra]).
    assert (0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra). lra.
  Qed.

  Lemma count_is_N past s a : count key key_dec (key s a) past = N_at past s a.
  Proof.
    destruct (law_inhabited (init M) (init_law M HM)) as [s' [p _]].
    pose proof (tally_total label state_dec key key_dec level (key s a, inl (label s')) past) as Ht. cbn [fst] in Ht.
    rewrite <- Ht.
    destruct (counts_of_successor past s a s') as [-> ->].
    assert (n_next past s a s' <= N_at past s a)%nat by apply filter_le. lia.
  Qed.

  Theorem plain_regret_a_priori K :
    delta <= 1 -> (forall s a, NoDup (part s a)) -> (forall s a, INR (length (part s a)) <= Gamma) -> 0 <= Gamma ->
    (forall s a, In a (acts s) -> almost_surely (trans M s a) (fun s' => In s' (part s a))) ->
      (forall past, exact_sets past) ->
    prob (episodes M learner K) (over_a_priori_dec pairs M G L best learner w0 w delta Gamma lambda) <= 2 * delta.
  Proof.
    intros Hd1 Hnd HGamma HG0 Hsupp Hexact.
    apply (kl_regret_a_priori state_dec label state_dec acts Hacts k states_nonempty key key_dec pairs pairs_nodup
      pairs_all plain_labels tested levels level M HM
      plain_rewards_within Hhorizon plain_knows _ _ plain_shares G L (INR T) HG HGL HGc
        (pos_INR T) plain_returns best Hbest
      believes learner utility w0 w plain_play C delta C_pos Hdelta count_ok
        (fun past => valid_is_prescribed past _ (Hvalid past))
      part (fun c => map label (part (fst c) (snd c))) Gamma lambda lambda); auto.
    - intros s a _ s' _. apply Hall.
    - intros N HN. now apply lambda_nonneg.
    - intros N N' HN. now apply lambda_grows.
    - intros past _ s a Ha HN. specialize (Hexact past). exists past. rewrite !count_is_N in *. cbv zeta.
      split; [apply moment_itself|]. split; [assumption|]. split; [now apply lambda_nonneg|]. split; [lra|]. split.
      + intros s' _. destruct (counts_of_successor past s a s') as [-> _]. now apply (exact_low past Hexact).
      + right. exists (frequency_below past s a). split; intros x; now apply near_everywhere.
  Qed.
End Plain.
