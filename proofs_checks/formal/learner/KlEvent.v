(** * The confidence event, at every moment at once, whatever the learner does

    A test is a set of pairs (s, a) and an event of the outcome (r, s') that has the same probability at every pair of
    the set: that s' is a given state, or that r is at most a given level.  Along the episodes it has x successes in N
    visits. For every learner, every number of episodes and every constant C > 0, the probability that at some moment
    some test has  kt x (N - x) >= C p^x (1 - p)^(N - x)  is at most (number of tests) / C.  With C = (number of tests)
    / delta this is delta, and otherwise every p is covered by the sets of [KlSets.v] at every moment.

    Sets of several pairs serve models in which pairs are known to share a law: rewards carried in the state, a clock in
    the state. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Mdp HoeffdingFinite MartingaleStep EventHolds KtRedundancy KlSets
  Ville ShareTests.
Import ListNotations.
Open Scope R_scope.

Record test (S A : Type) : Type := {
  selects : S -> A -> bool;
  hits : S -> A -> R -> S -> bool
}.
Arguments selects {S A} _ _ _.
Arguments hits {S A} _ _ _ _ _.

Section Event.
  Context {S A : Type}.
  Load "setup/Play".

  Definition has_chance (tau : test S A) (p : R) : Prop :=
    0 <= p <= 1 /\
    forall s a, selects tau s a = true ->
      E (reward M s a) (fun r => E (trans M s a) (fun s' => if hits tau s a r s' then 1 else 0)) = p.

  (** Successes and failures.  Steps are listed latest first. *)
  Fixpoint tally_in (tau : test S A) (before : nat * nat) (steps : list (S * A * R)) (s' : S) : nat * nat :=
    match steps with
    | [] => before
    | (s, a, r) :: rest =>
        let (x, b) := tally_in tau before rest s in
        if selects tau s a then (if hits tau s a r s' then (Datatypes.S x, b) else (x, Datatypes.S b)) else (x, b)
    end.

  Fixpoint tally (tau : test S A) (path : list (history S A)) : nat * nat :=
    match path with
    | [] => (O, O)
    | h :: past => tally_in tau (tally tau past) (fst h) (snd h)
    end.

  (** ** The wealth of a gambler against p *)

  Section Wealth.
    Variables (C p : R).
    Hypothesis Hp : 0 <= p <= 1.
    Definition wealth : nat * nat -> R := capital kt C p.

    Variable tau : test S A.
    Hypothesis Hchance : has_chance tau p.

    Lemma wealth_episode pi t before :
      is_policy pi -> E (history_law M pi t) (fun h => wealth (tally_in tau before (fst h) (snd h))) <= wealth before.
    Proof.
      intros Hpi; induction t as [|t IH].
      - rewrite E_history_law_0. cbn [start fst tally_in]. rewrite E_const by apply HM. lra.
      - rewrite E_history_law_S. eapply Rle_trans; [|exact IH]. apply E_le; [now apply law_history|]. intros h.
        rewrite E_step. apply E_le_const; [apply Hpi|]. apply as_always; intros a.
        cbn [extend fst snd tally_in]. change (snd h) with (state h).
        destruct (tally_in tau before (fst h) (state h)) as [x b].
        destruct (selects tau (state h) a) eqn:Hsel.
        + set (u := wealth (Datatypes.S x, b)). set (v := wealth (x, Datatypes.S b)).
          apply Rle_trans with (p * u + (1 - p) * v); [|apply (capital_mean kt C p mixture_kt Hp)].
          right. rewrite <- (proj2 Hchance (state h) a Hsel).
          set (P1 := E (reward M (state h) a) (fun r =>
            E (trans M (state h) a) (fun s' => if hits tau (state h) a r s' then 1 else 0))).
          transitivity (v + (u - v) * P1); [|ring]. unfold P1. rewrite <- E_scal.
          transitivity (E (reward M (state h) a) (fun r =>
            v + (u - v) * E (trans M (state h) a) (fun s' => if hits tau (state h) a r s' then 1 else 0))).
          * apply E_ext; intros r. rewrite <- E_scal.
            rewrite <- (E_const (trans M (state h) a) v) at 1 by now apply trans_law.
            rewrite <- E_plus. apply E_ext; intros s'. destruct (hits tau (state h) a r s'); unfold u, v; ring.
          * rewrite E_plus, E_const by now apply reward_law. reflexivity.
        + right. rewrite (E_ext _ _ (fun _ => wealth (x, b))); [apply E_const; now apply reward_law|].
          intros r. rewrite E_const by now apply trans_law. reflexivity.
    Qed.

    (** One test at every moment. *)
    Definition doubted (path : list (history S A)) : Prop :=
      C * lik p (fst (tally tau path)) (snd (tally tau path)) <= kt (fst (tally tau path)) (snd (tally tau path)).
  End Wealth.

  (** ** All tests *)

  Context {I : Type}.
  Variables (tests : list I) (test_of : I -> test S A) (chance : I -> R) (C : R).
  Hypothesis Hchance : forall i, In i tests -> has_chance (test_of i) (chance i).
  Hypothesis HC : 0 < C.

  Definition misled (past : list (history S A)) : Prop := Exists (fun i => doubted C (chance i) (test_of i) past) tests.
  Definition misled_dec_at past : {misled past} + {~ misled past} := Exists_dec _ tests (fun i => Rle_dec _ _).
  Definition ever_misled_dec path : {Exists misled (moments_of path)} + {~ Exists misled (moments_of path)} :=
    Exists_dec misled (moments_of path) misled_dec_at.

  (** Given: any learner, any finite MDP, any list of tests, any number of episodes.
      Differs: the event.
      In words: 10-kl-learner.md#kl-ville.
      Step of: corrected/ii. *)
  Theorem rarely_misled K : prob (episodes M learner K) ever_misled_dec <= INR (length tests) / C.
  Proof.
    unfold Rdiv. rewrite <- sum_const.
    apply (ville_of_many (fun past => history_law M (learner past) (horizon M))
      (fun past => law_history M (learner past) (horizon M) HM (Hlearner past)) tests
      (fun i past => wealth C (chance i) (tally (test_of i) past)) (fun _ => C)) with (bad := misled); auto.
    - intros i Hi. right. apply (capital_start kt C (chance i) mixture_kt).
    - intros i Hi past. apply capital_nonneg; [exact mixture_kt | exact (proj1 (Hchance i Hi)) | lra].
    - intros i Hi past. exact (wealth_episode C (chance i) (proj1 (Hchance i Hi)) (test_of i) (Hchance i Hi)
        (learner past) (horizon M) (tally (test_of i) past) (Hlearner past)).
    - intros past H. apply Exists_exists in H. destruct H as [i [Hi Hd]]. apply Exists_exists. exists i.
      split; [assumption|]. unfold wealth. rewrite (surjective_pairing (tally (test_of i) past)).
      exact (capital_reached kt C (chance i) (proj1 (Hchance i Hi)) _ _ Hd).
  Qed.

  Theorem not_misled_covers past i :
    ~ misled past -> In i tests -> kt_covered C (fst (tally (test_of i) past)) (snd (tally (test_of i) past))
      (chance i).
  Proof.
    intros Hn Ht. apply Rnot_le_lt; intros Hd. apply Hn, Exists_exists. now exists i.
  Qed.
End Event.
