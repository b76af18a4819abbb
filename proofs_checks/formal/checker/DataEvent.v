(** * Data from any behaviour: rarely does a mixture reach the level of a test times the likelihood

    Data are transitions ((state, action), (reward, next state)).  Whoever collects them chooses the next state and
    action by any rule, at random or not, that sees all transitions so far: episodes of any lengths, any policies that
    change with the data, any initial states.  Only the outcome is drawn from the law of the state and action.  A test
    is about the probability that a pair leads into a set of outcomes.  [rarely_doubted]: whatever the rule and the
    number of transitions, the probability that some test is doubted at some moment is at most the sum of 1 / level. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Mdp HoeffdingFinite MartingaleStep KtRedundancy Ville
  AnyBehaviour ShareTests.
Import ListNotations.
Open Scope R_scope.

Definition transition : Type := ((positive * Z) * (Z * positive))%type.
Definition asked_dec (x y : positive * Z) : {x = y} + {x <> y}.
Proof. decide equality; [apply Z.eq_dec | apply Pos.eq_dec]. Defined.
Definition drawn_dec (x y : Z * positive) : {x = y} + {x <> y}.
Proof. decide equality; [apply Pos.eq_dec | apply Z.eq_dec]. Defined.

(** How often a pair led into a set of outcomes, and how often elsewhere. *)
Definition into_dec (A : list (Z * positive)) (x : Z * positive) : {In x A} + {~ In x A} := in_dec drawn_dec x A.
Fixpoint tally_of (sa : positive * Z) (A : list (Z * positive)) (past : list transition) : nat * nat :=
  match past with
  | [] => (O, O)
  | t :: past' =>
      let (x, b) := tally_of sa A past' in
      if asked_dec (fst t) sa then if into_dec A (snd t) then (S x, b) else (x, S b) else (x, b)
  end.

Record share_test := Test { pair_of : positive * Z; into : list (Z * positive); mixing : nat -> nat -> R; level : R }.
Definition good_test (tau : share_test) : Prop := is_mixing (mixing tau) /\ 0 < level tau.

Section Event.
  Variable world : positive -> Z -> dist (Z * positive).
  Hypothesis Hworld : forall s i, is_law (world s i).
  Variable ask : list transition -> dist (positive * Z).
  Hypothesis Hask : forall past, is_law (ask past).

  Definition next_transition (past : list transition) : dist transition :=
    bind (ask past) (fun sa => image (pair sa) (world (fst sa) (snd sa))).
  Definition chance (sa : positive * Z) (A : list (Z * positive)) : R := prob (world (fst sa) (snd sa)) (into_dec A).

  Lemma law_answer past : is_law (next_transition past).
  Proof. apply law_bind; [apply Hask|]. intros sa. apply law_image, Hworld. Qed.
  Lemma chance_range sa A : 0 <= chance sa A <= 1.
  Proof. apply prob_range, Hworld. Qed.

  Definition likelihood (tau : share_test) (past : list transition) : R :=
    let (x, b) := tally_of (pair_of tau) (into tau) past in lik (chance (pair_of tau) (into tau)) x b.
  Definition mixed_likelihood (tau : share_test) (past : list transition) : R :=
    let (x, b) := tally_of (pair_of tau) (into tau) past in mixing tau x b.
  Definition doubted_at (tau : share_test) (past : list transition) : Prop :=
    level tau * likelihood tau past <= mixed_likelihood tau past.

  (** What the gambler of a test owns after some outcomes of its pair. *)
  Definition owned_by (tau : share_test) (outcomes : list (Z * positive)) : R :=
    capital (mixing tau) (level tau) (chance (pair_of tau) (into tau)) (split_count _ (into_dec (into tau)) outcomes).

  Lemma tally_is_split sa A past : tally_of sa A past = split_count _ (into_dec A) (outcomes_of asked_dec sa past).
  Proof.
    induction past as [|t past IH]; [reflexivity|]. cbn [tally_of outcomes_of]. rewrite IH.
    destruct (asked_dec (fst t) sa); cbn [split_count]; destruct (split_count _ _ _); reflexivity.
  Qed.

  Lemma doubted_is_rich tau past : doubted_at tau past ->
    level tau <= owned_by tau (outcomes_of asked_dec (pair_of tau) past).
  Proof.
    unfold doubted_at, likelihood, mixed_likelihood, owned_by. rewrite tally_is_split. destruct (split_count _ _ _).
    apply capital_reached, chance_range.
  Qed.

  Variable tests : list share_test.
  Hypothesis Htests : forall tau, In tau tests -> good_test tau.
  Definition misled_by_data (past : list transition) : Prop := Exists (fun tau => doubted_at tau past) tests.
  Definition misled_sometime (path : list transition) : {Exists misled_by_data (moments_of path)} +
    {~ Exists misled_by_data (moments_of path)} :=
    Exists_dec misled_by_data (moments_of path) (fun past => Exists_dec _ tests (fun tau => Rle_dec _ _)).

  (** Given: any rule that chooses what is asked, any laws of outcomes, any list of tests, any number of transitions.
      Differs: the event, for data that are given; tests with levels of their own.
      In words: 10-kl-learner.md#kl-ville.
      Step of: production/proved. *)
  Theorem rarely_doubted n : prob (process next_transition n) misled_sometime <= sum tests (fun tau => / level tau).
  Proof.
    eapply Rle_trans; [|apply (rarely_rich asked_dec (fun sa => world (fst sa) (snd sa)) (fun sa => Hworld _ _) ask Hask
      tests pair_of owned_by level)].
    - apply E_le; [apply law_process, law_answer|]. intros path. apply ind_le. apply Exists_impl. intros past.
      apply Exists_impl. intros tau. apply doubted_is_rich.
    - intros tau Ht. destruct (Htests tau Ht) as [Hg HC]. split; [|assumption].
      exact (share_gambler _ (into_dec (into tau)) _ _ _ (Hworld _ _) Hg HC).
  Qed.

  Lemma not_misled_trusted past tau : ~ misled_by_data past -> In tau tests ->
    mixed_likelihood tau past < level tau * likelihood tau past.
  Proof. intros Hn Ht. apply Rnot_le_lt. intros Hd. apply Hn, Exists_exists. now exists tau. Qed.
End Event.
