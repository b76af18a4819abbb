(** * Beliefs that come from tests

    What is declared of a pair: a list of possible successors, a list of possible rewards, and, if it is known, the law
    of the reward.  A believed mass of a successor, and a believed value of a distribution function, is supported by the
    data if it is an end of the set of a test of that very event ([KlSets.v]), or trivial, or declared.  If every
    believed number is supported and no test misleads, the beliefs hold. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp LawDistances KtRedundancy KlSets KlEvent BestRow.
Import ListNotations.
Open Scope R_scope.

Record knowledge (S A : Type) : Type := {
  successors : S -> A -> list S;
  atoms : S -> A -> list R;
  known_law : S -> A -> option (dist R)
}.
Arguments successors {S A} _ _ _.
Arguments atoms {S A} _ _ _.
Arguments known_law {S A} _ _ _.

Section Beliefs.
  Context {S A I : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Variable acts : S -> list A.
  Variable k : knowledge S A.
  Load "setup/Model".
  Hypothesis Hrew : rewards_within 1 M.

  (** The declarations are true. *)
  Record knows : Prop := {
    knows_nodup : forall s a, In a (acts s) -> NoDup (successors k s a);
    knows_successors : forall s a, In a (acts s) -> almost_surely (trans M s a) (fun s' => In s' (successors k s a));
    knows_atoms : forall s a, In a (acts s) -> almost_surely (reward M s a) (fun r => In r (atoms k s a));
    knows_law : forall s a d, In a (acts s) -> known_law k s a = Some d -> forall x, cdf (reward M s a) x = cdf d x
  }.
  Hypothesis Hknows : knows.

  Variables (tests : list I) (test_of : I -> test S A) (chance : I -> R) (C : R).
  Hypothesis Hchance : forall i, In i tests -> has_chance M (test_of i) (chance i).
  Hypothesis HC : 0 < C.

  (** Test [i] is a test of the event [P] of the outcome at the pair (s, a). *)
  Definition tests_event (i : I) (s : S) (a : A) (P : R -> S -> Prop) : Prop :=
    In i tests /\ selects (test_of i) s a = true /\
    forall r s', In r (atoms k s a) -> In s' (successors k s a) -> (hits (test_of i) s a r s' = true <-> P r s').

  (** Lower and upper numbers for the probability of an event, from a test of it or of its complement. *)
  Inductive supports_lower (past : list (history S A)) (s : S) (a : A) (P : R -> S -> Prop) (q : R) : Prop :=
  | lower_trivial : q <= 0 -> supports_lower past s a P q
  | lower_certain : q <= 1 -> (forall r s', In r (atoms k s a) -> In s' (successors k s a) -> P r s') ->
    supports_lower past s a P q
  | lower_tested i : q <= 1 -> tests_event i s a P ->
      lower_end C (fst (tally (test_of i) past)) (snd (tally (test_of i) past)) q -> supports_lower past s a P q
  | lower_complement i : q <= 1 -> tests_event i s a (fun r s' => ~ P r s') ->
      lower_end C (snd (tally (test_of i) past)) (fst (tally (test_of i) past)) q -> supports_lower past s a P q.

  Definition supports_upper past s a (P : R -> S -> Prop) (q : R) : Prop :=
    supports_lower past s a (fun r s' => ~ P r s') (1 - q).

  (** The probability of a decided event of the outcome. *)
  Definition chance_of (s : S) (a : A) {P : R -> S -> Prop} (dec : forall r s', {P r s'} + {~ P r s'}) : R :=
    E (reward M s a) (fun r => E (trans M s a) (fun s' => ind (dec r s'))).

  Lemma chance_of_test i s a (P : R -> S -> Prop) (dec : forall r s', {P r s'} + {~ P r s'}) :
    In a (acts s) -> tests_event i s a P -> chance_of s a dec = chance i.
  Proof.
    intros Ha [Hi [Hs Hh]]. rewrite <- (proj2 (Hchance i Hi) s a Hs). unfold chance_of. apply E_ext_as.
    generalize (knows_atoms Hknows s a Ha); apply as_impl; intros r Hr. apply E_ext_as.
    generalize (knows_successors Hknows s a Ha); apply as_impl; intros s' Hs'. specialize (Hh r s' Hr Hs').
    destruct (hits (test_of i) s a r s'); [apply ind_yes; tauto | apply ind_no; intros HP; destruct Hh as [_ Hh];
      discriminate (Hh HP)].
  Qed.

  Lemma chance_of_range s a (P : R -> S -> Prop) (dec : forall r s', {P r s'} + {~ P r s'}) :
    0 <= chance_of s a dec <= 1.
  Proof.
    unfold chance_of. split.
    - apply E_nonneg; [now apply reward_law|]. intros r.
      apply E_nonneg; [now apply trans_law | intros; apply ind_range].
    - apply E_le_const; [now apply reward_law|]. apply as_always; intros r.
      apply E_le_const; [now apply trans_law|]. apply as_always; intros; apply ind_range.
  Qed.

  Definition complement_dec {P : R -> S -> Prop} (dec : forall r s', {P r s'} + {~ P r s'}) r s' :
    {~ P r s'} + {~ ~ P r s'}.
  Proof. destruct (dec r s'); [right; tauto | left; assumption]. Defined.

  Lemma chance_of_complement s a (P : R -> S -> Prop) (dec : forall r s', {P r s'} + {~ P r s'}) :
    chance_of s a (complement_dec dec) = 1 - chance_of s a dec.
  Proof.
    unfold chance_of. rewrite <- (E_const (reward M s a) 1) at 1 by now apply reward_law. rewrite <- E_minus.
    apply E_ext; intros r.
    rewrite <- (E_const (trans M s a) 1) at 1 by now apply trans_law. rewrite <- E_minus. apply E_ext; intros s'.
    unfold complement_dec. destruct (dec r s'); simpl; ring.
  Qed.

  Theorem supported_lower past s a (P : R -> S -> Prop) (dec : forall r s', {P r s'} + {~ P r s'}) q :
    ~ misled tests test_of chance C past -> In a (acts s) -> supports_lower past s a P q -> q <= chance_of s a dec.
  Proof.
    intros Hm Ha Hq. pose proof (chance_of_range s a P dec) as Hr.
    destruct Hq as [H0|H1 Hcertain|i H1 Ht Hend|i H1 Ht Hend].
    - lra.
    - enough (chance_of s a dec = 1) by lra. unfold chance_of.
      rewrite (E_ext_as _ _ (fun _ => 1)); [apply E_const; now apply reward_law|].
      generalize (knows_atoms Hknows s a Ha); apply as_impl; intros r Hr'.
      rewrite (E_ext_as _ _ (fun _ => 1)); [apply E_const; now apply trans_law|].
      generalize (knows_successors Hknows s a Ha); apply as_impl; intros s' Hs'. apply ind_yes. now apply Hcertain.
    - rewrite (chance_of_test i s a P dec Ha Ht) in *. destruct Ht as [Hi _].
      apply (lower_end_below C (fst (tally (test_of i) past)) (snd (tally (test_of i) past))); try assumption; try lra.
      now apply not_misled_covers with (tests := tests).
    - pose proof (chance_of_test i s a _ (complement_dec dec) Ha Ht) as He. rewrite chance_of_complement in He.
      destruct Ht as [Hi _]. replace (chance_of s a dec) with (1 - chance i) in * by lra.
      apply (lower_end_below C (snd (tally (test_of i) past)) (fst (tally (test_of i) past))); try assumption; try lra.
      pose proof (not_misled_covers tests test_of chance C past i Hm Hi) as Hc. unfold kt_covered in *.
      now rewrite kt_sym, lik_sym.
  Qed.

  Theorem supported_upper past s a (P : R -> S -> Prop) (dec : forall r s', {P r s'} + {~ P r s'}) q :
    ~ misled tests test_of chance C past -> In a (acts s) -> supports_upper past s a P q -> chance_of s a dec <= q.
  Proof.
    intros Hm Ha Hq. pose proof (supported_lower past s a _ (complement_dec dec) (1 - q) Hm Ha Hq) as H.
    rewrite chance_of_complement in H. lra.
  Qed.

  (** ** Supported beliefs *)

  Record supported_at (past : list (history S A)) (b : beliefs S A) (s : S) (a : A) : Prop := {
    low_supported : forall s', In s' (successors k s a) ->
      supports_lower past s a (fun _ s'' => s'' = s') (low b s a s');
    hat_supported : forall x,
      (exists d, known_law k s a = Some d /\ cdf (hat b s a) x <= cdf d x) \/
      supports_lower past s a (fun r _ => r <= x) (cdf (hat b s a) x);
    chk_supported : forall x,
      (exists d, known_law k s a = Some d /\ cdf d x <= cdf (chk b s a) x) \/
      supports_upper past s a (fun r _ => r <= x) (cdf (chk b s a) x)
  }.

  Lemma chance_of_successor s a s' : chance_of s a (fun _ s'' => state_dec s'' s') = mass state_dec (trans M s a) s'.
  Proof. unfold chance_of. apply (E_const (reward M s a) (mass state_dec (trans M s a) s')). now apply reward_law. Qed.

  Lemma chance_of_level s a x : chance_of s a (fun r _ => Rle_dec r x) = cdf (reward M s a) x.
  Proof. unfold chance_of, cdf. apply E_ext; intros r. apply E_const. now apply trans_law. Qed.

  (** Each pair at a moment of its own at which no test misled.
      Given: declared successors, atoms and reward laws that are true; numbers supported by tests, each pair at a
      moment of its own.
      In words: 10-kl-learner.md#kl-declared.
      Step of: corrected/ii. *)
  Theorem supported_beliefs_hold b :
    (forall s a, In a (acts s) -> exists past, ~ misled tests test_of chance C past /\ supported_at past b s a) ->
    hold acts (successors k) b state_dec M.
  Proof.
    intros Hb. split; try apply Hknows.
    - intros s a s' Ha Hs'. destruct (Hb s a Ha) as [past [Hm Hs]]. rewrite <- chance_of_successor.
      apply (supported_lower past s a (fun _ s'' => s'' = s') (fun _ s'' => state_dec s'' s') (low b s a s') Hm Ha).
      now apply Hs.
    - intros s a x Ha. destruct (Hb s a Ha) as [past [Hm Hs]].
      destruct (hat_supported past b s a Hs x) as [[d [Hd Hx]]|Hx].
      + now rewrite (knows_law Hknows s a d Ha Hd).
      + rewrite <- chance_of_level. now apply (supported_lower past s a (fun r _ => r <= x) (fun r _ => Rle_dec r x)).
    - intros s a x Ha. destruct (Hb s a Ha) as [past [Hm Hs]].
      destruct (chk_supported past b s a Hs x) as [[d [Hd Hx]]|Hx].
      + now rewrite (knows_law Hknows s a d Ha Hd).
      + rewrite <- chance_of_level. now apply (supported_upper past s a (fun r _ => r <= x) (fun r _ => Rle_dec r x)).
  Qed.
End Beliefs.
