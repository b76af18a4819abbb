(** * The tests of the learner, and its prescribed sets

    Every pair (s, a) has a class, its key, and every state a label; pairs of one class share the law of the label of
    the next state and the probabilities of the reward levels.  (If nothing is known, every pair is a class and every
    state its own label.  If rewards are carried or the time is in the state, a class is a pair of the original model,
    for all carried rewards and times, and the label forgets the time.)  The possible successors of a pair have
    different labels.  The tests of a class c are: that the next state has label l, for the l in [tested c], and that
    the reward is at most its level i, for i < [levels c].  With C = (number of tests) / delta and, after x successes in
    N visits of the class,

      lambda_N = ln C + (1/2) ln N + ln 2 ,

    a number q is prescribed as a lower end if  N kl(x/N, q) >= lambda_N  (or q = 0).  Beliefs made of such numbers hold
    whenever no test misleads. *)

Require Import Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective Mdp DynamicProgramming LawDistances KtRedundancy KlSets KlEvent
  BestRow KlBeliefs VisitCosts Ville.
Import ListNotations.
Open Scope R_scope.

Section Radii.
  Context {S A Kt Lb : Type}.
  Variable label : S -> Lb.
  Variable label_dec : forall l l' : Lb, {l = l'} + {l <> l'}.
  Variable acts : S -> list A.
  Variable k : knowledge S A.
  Variable key : S -> A -> Kt.
  Variable key_dec : forall c c' : Kt, {c = c'} + {c <> c'}.
  Variable classes : list Kt.
  Variables (tested : Kt -> list Lb) (levels : Kt -> nat) (level : S -> A -> nat -> R).

  Definition index : Type := (Kt * (Lb + nat))%type.

  Definition tests_of_class (c : Kt) : list index :=
    map (fun l => (c, inl l)) (tested c) ++ map (fun i => (c, inr i)) (seq 0 (levels c)).
  Definition all_tests : list index := flat_map tests_of_class classes.

  Definition successor_test (c : Kt) (l : Lb) : test S A := {|
    selects := fun s a => if key_dec (key s a) c then true else false;
    hits := fun _ _ _ s' => if label_dec (label s') l then true else false
  |}.
  Definition level_test (c : Kt) (i : nat) : test S A := {|
    selects := fun s a => if key_dec (key s a) c then true else false;
    hits := fun s a r _ => if Rle_dec r (level s a i) then true else false
  |}.
  Definition the_test (j : index) : test S A :=
    match snd j with inl l => successor_test (fst j) l | inr i => level_test (fst j) i end.

  Lemma length_all_tests : length all_tests = list_sum (map (fun c => length (tested c) + levels c)%nat classes).
  Proof.
    unfold all_tests. induction classes as [|c l IH]; simpl; [reflexivity|].
    rewrite app_length, IH. unfold tests_of_class. rewrite app_length, !map_length, seq_length. reflexivity.
  Qed.

  Lemma in_all_tests_successor c l : In c classes -> In l (tested c) -> In (c, inl l) all_tests.
  Proof.
    intros Hc Hs. apply in_flat_map. exists c; split; [assumption|]. apply in_or_app; left. apply in_map_iff.
    now exists l.
  Qed.

  Lemma in_all_tests_level c i : In c classes -> (i < levels c)%nat -> In (c, inr i) all_tests.
  Proof.
    intros Hc Hi. apply in_flat_map. exists c; split; [assumption|]. apply in_or_app; right. apply in_map_iff.
    exists i; split; [reflexivity | apply in_seq; lia].
  Qed.

  (** ** Their chances *)

  Load "setup/Model".

  (** Pairs of one class agree, and every listed class has a pair. *)
  Variables (PK : Kt -> Lb -> R) (FK : Kt -> nat -> R).
  Record shares : Prop := {
    shares_trans : forall s a l, E (trans M s a) (fun s' => ind (label_dec (label s') l)) = PK (key s a) l;
    shares_reward : forall s a i, (i < levels (key s a))%nat -> cdf (reward M s a) (level s a i) = FK (key s a) i;
    shares_somewhere : forall c, In c classes -> exists s a, key s a = c
  }.
  Hypothesis Hshares : shares.

  Definition the_chance (j : index) : R := match snd j with inl l => PK (fst j) l | inr i => FK (fst j) i end.

  Lemma tests_have_chances j : In j all_tests -> has_chance M (the_test j) (the_chance j).
  Proof.
    intros Hj. apply in_flat_map in Hj; destruct Hj as [c [Hc Hj]].
    destruct (shares_somewhere Hshares c Hc) as [s0 [a0 H0]].
    apply in_app_or in Hj; destruct Hj as [Hj|Hj]; apply in_map_iff in Hj; destruct Hj as [x [<- Hx]]; unfold the_test,
      the_chance; simpl.
    - split.
      + rewrite <- H0, <- (shares_trans Hshares).
        apply (prob_range (trans M s0 a0) (fun y => label_dec (label y) x)). now apply trans_law.
      + intros s a Hsel. simpl in *. destruct (key_dec (key s a) c) as [Hk|]; [|discriminate].
        rewrite <- Hk, <- (shares_trans Hshares).
        rewrite (E_ext _ _ (fun _ => E (trans M s a) (fun s' => ind (label_dec (label s') x))));
          [apply E_const; now apply reward_law|].
        intros r. apply E_ext; intros s'. destruct (label_dec (label s') x); reflexivity.
    - apply in_seq in Hx. split.
      + rewrite <- H0, <- (shares_reward Hshares) by (rewrite H0; lia). apply cdf_range. now apply reward_law.
      + intros s a Hsel. simpl in *. destruct (key_dec (key s a) c) as [Hk|]; [|discriminate].
        rewrite <- Hk, <- (shares_reward Hshares) by (rewrite Hk; lia). unfold cdf. apply E_ext; intros r.
        rewrite (E_ext _ _ (fun _ => ind (Rle_dec r (level s a x)))); [apply E_const; now apply trans_law|].
        intros s'. destruct (Rle_dec r (level s a x)); reflexivity.
  Qed.

  (** ** The prescribed ends *)

  Variable C : R.
  Hypothesis HC : 0 < C.

  (** [q] is at most the lower end of the prescribed set after x successes and b failures. *)
  Definition kl_below (x b : nat) (q : R) : Prop :=
    (1 <= x + b)%nat /\ 0 < q < 1 /\ INR (x + b) * q <= INR x /\
      log_width C (x + b) <= INR (x + b) * kl (INR x / INR (x + b)) q.

  Lemma kl_below_end x b q : kl_below x b q -> lower_end C x b q.
  Proof. intros [H1 [H2 [H3 H4]]]. now apply kl_lower_end. Qed.

  Definition successes (past : list (history S A)) (j : index) : nat := fst (tally (the_test j) past).
  Definition failures (past : list (history S A)) (j : index) : nat := snd (tally (the_test j) past).

  Inductive prescribed_mass (past : list (history S A)) (s : S) (a : A) (s' : S) (q : R) : Prop :=
  | mass_zero : q <= 0 -> prescribed_mass past s a s' q
  | mass_only : q <= 1 -> successors k s a = [s'] -> prescribed_mass past s a s' q
  | mass_tested : In (label s') (tested (key s a)) ->
      kl_below (successes past (key s a, inl (label s'))) (failures past (key s a, inl (label s'))) q ->
        prescribed_mass past s a s' q
  | mass_other l : In l (tested (key s a)) -> l <> label s' ->
    (forall s2, In s2 (successors k s a) -> s2 = s' \/ label s2 = l) ->
      kl_below (failures past (key s a, inl l)) (successes past (key s a, inl l)) q -> prescribed_mass past s a s' q.

  (** Level i of the pair is what the value x amounts to. *)
  Definition level_at (s : S) (a : A) (x : R) (i : nat) : Prop :=
    (i < levels (key s a))%nat /\ forall r, In r (atoms k s a) -> (r <= x <-> r <= level s a i).

  Inductive prescribed_below (past : list (history S A)) (s : S) (a : A) (x q : R) : Prop :=
  | below_zero : q <= 0 -> prescribed_below past s a x q
  | below_top : q <= 1 -> (forall r, In r (atoms k s a) -> r <= x) -> prescribed_below past s a x q
  | below_known d : known_law k s a = Some d -> q <= cdf d x -> prescribed_below past s a x q
  | below_level i : level_at s a x i ->
      kl_below (successes past (key s a, inr i)) (failures past (key s a, inr i)) q -> prescribed_below past s a x q.

  Inductive prescribed_above (past : list (history S A)) (s : S) (a : A) (x q : R) : Prop :=
  | above_one : 1 <= q -> prescribed_above past s a x q
  | above_bottom : 0 <= q -> (forall r, In r (atoms k s a) -> ~ r <= x) -> prescribed_above past s a x q
  | above_known d : known_law k s a = Some d -> cdf d x <= q -> prescribed_above past s a x q
  | above_level i : level_at s a x i ->
      kl_below (failures past (key s a, inr i)) (successes past (key s a, inr i)) (1 - q) ->
        prescribed_above past s a x q.

  Record prescribed_at (past : list (history S A)) (b : beliefs S A) (s : S) (a : A) : Prop := {
    prescribed_low : forall s', In s' (successors k s a) -> prescribed_mass past s a s' (low b s a s');
    prescribed_hat : forall x, prescribed_below past s a x (cdf (hat b s a) x);
    prescribed_chk : forall x, prescribed_above past s a x (cdf (chk b s a) x)
  }.

  (** The sets of a pair come from the data of this moment or of an earlier one. *)
  Definition prescribed (past : list (history S A)) (b : beliefs S A) : Prop :=
    forall s a, In a (acts s) -> exists q, In q (moments_of past) /\ prescribed_at q b s a.

  Hypothesis Hclasses : forall s a, In a (acts s) -> In (key s a) classes.
  Hypothesis Hlabels : forall s a s1 s2, In a (acts s) -> In s1 (successors k s a) -> In s2 (successors k s a) ->
    label s1 = label s2 -> s1 = s2.

  Lemma selects_own s a c : key s a = c -> (if key_dec (key s a) c then true else false) = true.
  Proof. intros H; destruct (key_dec (key s a) c); [reflexivity | contradiction]. Qed.

  (** Given: KL ends of the prescribed width.
      In words: 10-kl-learner.md#kl-sets.
      Step of: corrected/ii. *)
  Theorem prescribed_is_supported past b s a :
    In a (acts s) -> prescribed_at past b s a -> supported_at k all_tests the_test C past b s a.
  Proof.
    intros Ha Hb. split.
    - intros s' Hs'. destruct (prescribed_low past b s a Hb s' Hs') as [H0|H1 Honly|Ht Hk|l Ht Hne Htwo Hk].
      + now apply lower_trivial.
      + apply lower_certain; [assumption|]. intros r s2 _ Hs2. rewrite Honly in Hs2.
        destruct Hs2 as [<-|[]]; reflexivity.
      + apply lower_tested with (key s a, inl (label s')); [destruct Hk as [_ [Hq _]]; lra | | now apply kl_below_end].
        split; [apply in_all_tests_successor; auto|]. split; [exact (selects_own s a (key s a) eq_refl)|].
        intros r s2 _ Hs2. unfold the_test; simpl. destruct (label_dec (label s2) (label s')) as [He|Hn].
        * split; [intros _; now apply (Hlabels s a) | reflexivity].
        * split; [discriminate | intros ->; congruence].
      + apply lower_complement with (key s a, inl l); [destruct Hk as [_ [Hq _]]; lra | | now apply kl_below_end].
        split; [apply in_all_tests_successor; auto|]. split; [exact (selects_own s a (key s a) eq_refl)|].
        intros r s2 _ Hs2. unfold the_test; simpl. destruct (label_dec (label s2) l) as [He|Hn].
        * split; [intros _ ->; congruence | reflexivity].
        * split; [discriminate|]. intros Hno. destruct (Htwo s2 Hs2); contradiction.
    - intros x. destruct (prescribed_hat past b s a Hb x) as [H0|H1 Htop|d Hd Hq|i [Hi Hl] Hk].
      + right. now apply lower_trivial.
      + right. apply lower_certain; [assumption|]. intros r _ Hr _. now apply Htop.
      + left. now exists d.
      + right. apply lower_tested with (key s a, inr i); [destruct Hk as [_ [Hq _]]; lra | | now apply kl_below_end].
        split; [apply in_all_tests_level; auto|]. split; [exact (selects_own s a (key s a) eq_refl)|].
        intros r s2 Hr _. unfold the_test; simpl. specialize (Hl r Hr).
        destruct (Rle_dec r (level s a i)); split; intros; tauto || congruence.
    - intros x. destruct (prescribed_chk past b s a Hb x) as [H0|H1 Hbot|d Hd Hq|i [Hi Hl] Hk].
      + right. apply lower_trivial. lra.
      + right. apply lower_certain; [lra|]. intros r _ Hr _. now apply Hbot.
      + left. now exists d.
      + right. apply lower_complement with (key s a, inr i);
          [destruct Hk as [_ [Hq _]]; lra | | now apply kl_below_end].
        split; [apply in_all_tests_level; auto|]. split; [exact (selects_own s a (key s a) eq_refl)|].
        intros r s2 Hr _. unfold the_test; simpl. specialize (Hl r Hr).
        destruct (Rle_dec r (level s a i)); split; intros H; try tauto; try congruence.
  Qed.

  (** ** Counts *)

  Local Notation count := (count key key_dec).

  Lemma tally_total j past : (successes past j + failures past j)%nat = count (fst j) past.
  Proof.
    unfold successes, failures, VisitCosts.count. induction past as [|g past IH]; [reflexivity|].
    cbn [tally map list_sum].
    assert (Hin : forall before steps s', (fst (tally_in (the_test j) before steps s') +
      snd (tally_in (the_test j) before steps s'))%nat =
      (count_in key key_dec (fst j) steps + (fst before + snd before))%nat).
    { intros before steps; induction steps as [|[[s a] r] steps IHs]; intros s'; [reflexivity|].
      cbn [tally_in count_in].
      specialize (IHs s). destruct (tally_in (the_test j) before steps s) as [x y]. simpl in IHs.
      assert (Hsel : selects (the_test j) s a = if key_dec (key s a) (fst j) then true else false)
        by (unfold the_test; destruct (snd j); reflexivity).
      rewrite Hsel. destruct (key_dec (key s a) (fst j)); [|simpl; lia].
      destruct (hits (the_test j) s a r s'); simpl; lia. }
    rewrite Hin, IH. simpl. lia.
  Qed.

  (** Every visit has one next label. *)
  Lemma successes_total c (part : list Lb) (possible : S -> A -> list S) T past :
    NoDup part -> (forall s a s', In a (acts s) -> key s a = c -> In s' (possible s a) -> In (label s') part) ->
      consistent acts possible T past ->
    sum part (fun l => INR (successes past (c, inl l))) = INR (count c past).
  Proof.
    intros Hn Hpart. unfold successes, VisitCosts.count. induction 1 as [|g past [_ Hc] _ IH].
    - simpl. rewrite sum_const; ring.
    - assert (Hcons : forall x l, list_sum (x :: l) = (x + list_sum l)%nat) by reflexivity.
      cbn [tally map]. rewrite Hcons, plus_INR, <- IH. clear IH.
      assert (Hin : forall (before : Lb -> nat * nat) steps s', consistent_in acts possible steps s' ->
        sum part (fun l => INR (fst (tally_in (the_test (c, inl l)) (before l) steps s'))) =
        INR (count_in key key_dec c steps) + sum part (fun l => INR (fst (before l)))).
      { intros before steps; induction steps as [|[[s a] r] steps IHs]; intros s' H; [simpl; ring|].
        destruct H as [Ha [Hs' H]]. specialize (IHs s H). cbn [tally_in count_in].
        destruct (key_dec (key s a) c) as [Hk|Hk].
        - rewrite (sum_ext part _ (fun l => ind (label_dec (label s') l) * 1 +
            INR (fst (tally_in (the_test (c, inl l)) (before l) steps s)))).
          + rewrite sum_plus, (sum_point label_dec), IHs, S_INR; [ring | assumption | now apply (Hpart s a)].
          + intros l _. destruct (tally_in (the_test (c, inl l)) (before l) steps s) as [x y].
            assert (Hsel : selects (the_test (c, inl l)) s a = true) by (exact (selects_own s a c Hk)).
            assert (Hhit : hits (the_test (c, inl l)) s a r s' = if label_dec (label s') l then true else false)
              by reflexivity.
            rewrite Hsel, Hhit. destruct (label_dec (label s') l); cbn [fst ind]; [rewrite S_INR|]; ring.
        - rewrite <- IHs. apply sum_ext; intros l _.
          destruct (tally_in (the_test (c, inl l)) (before l) steps s) as [x y].
          assert (Hsel : selects (the_test (c, inl l)) s a = false).
          { unfold the_test; simpl. destruct (key_dec (key s a) c); [contradiction | reflexivity]. }
          rewrite Hsel. reflexivity. }
      apply (Hin (fun l => tally (the_test (c, inl l)) past) (fst g) (snd g) Hc).
  Qed.
End Radii.
