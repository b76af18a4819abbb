(** * What [check_text] proves of a text is said by its bytes, and true

    [says]: the words of the text spell the items of a file, one by one.  The theorem begins at the bytes; the reader's
    part of it is [reads_file], the checker's [check_sound], [check_curved_sound] and [upper_quantiles_sound].  Because
    a text says one thing ([file_once]), it holds for every file that the text says. *)

Require Import ZArith Reals List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check CurveCheck Verdict Meaning
  ModelFacts Soundness CurvedSoundness UpperQuantiles Text Written Allowed Reading ReadFile FileReads
  OneReading CheckText.
From VerifiedRisk Require Curves.
Import ListNotations.
Open Scope R_scope.

Definition says (t : text) (f : file) : Prop := Forall2 spells (words (bytes t)) (items_of_file f).

(** What a file asks about: the value of the return's law. *)
Definition value_asked (q : question) (d : dist R) : R :=
  match q with Plain o => value_of o d | Mixed parts _ _ _ => value_with_upper parts d end.

Lemma value_without_upper parts d : has_upper parts = false -> good_mixture (bounded_mixture parts None) = true ->
  is_law d -> Phi (Curves.mixture_of (bounded_mixture parts None)) d = value_with_upper parts d.
Proof.
  intros Hn Hg Hd. rewrite (Phi_mixture_of _ d Hg Hd). clear Hg.
  unfold bounded_mixture, raised, values_sum, value_with_upper.
  induction parts as [|[w p] parts IH]; [reflexivity|]. cbn [has_upper existsb snd] in Hn. apply orb_false_iff in Hn.
  destruct Hn as [Hp Hn]. cbn [map fold_right fst snd]. rewrite IH by assumption.
  destruct p as [f|level]; [reflexivity | discriminate].
Qed.

Definition is_true_of (f : file) : Prop :=
  (exists pi, pi = policy_of (model_of (described f)) (lower_of (lower_part f)) /\ is_jpolicy pi /\
     plays_allowed (meaning (model_of (described f))) pi /\
     real_of (lower (claimed f)) <= value_asked (asked f) (jreturn_law (meaning (model_of (described f))) pi)) /\
  (forall pi, is_jpolicy pi -> plays_allowed (meaning (model_of (described f))) pi ->
     value_asked (asked f) (jreturn_law (meaning (model_of (described f))) pi) <= real_of (upper (claimed f))).

Lemma true_of_what_is_said t f g : says t f -> says t g -> is_true_of f -> is_true_of g.
Proof.
  intros Hf Hg. destruct (file_once f g (ex_intro _ _ (conj Hf Hg))) as [E1 [E2 [E3 E4]]]. unfold is_true_of.
  rewrite E2, E3, E4. replace (value_asked (asked g)) with (value_asked (asked f)); [auto|].
  destruct (asked f), (asked g); try discriminate E1; injection E1 as <-; reflexivity.
Qed.

Lemma judged_is_true f theorem : judge f = (None, theorem) -> is_true_of f.
Proof.
  unfold judge. intros J. unfold is_true_of. destruct (asked f) as [o|parts [e|] marks l] eqn:Q; cbn [value_asked].
  - injection J as J _. apply verdict_none_iff_check in J. exact (check_sound _ _ _ _ J).
  - injection J as J _. apply verdict_upper_none_iff in J. exact (upper_quantiles_sound _ _ _ _ _ J).
  - injection J as J _. destruct (has_upper parts) eqn:N; [discriminate|]. apply verdict_curved_none_iff in J.
    set (m := model_of (described f)) in *.
    assert (G : good_model m = true /\ good_mixture (bounded_mixture parts None) = true).
    { clear - J. unfold check_curved, tests_curved in J. cbn [forallb snd] in J. repeat rewrite andb_true_iff in J.
      tauto. }
    destruct G as [Gm Go].
    assert (L : forall pi, is_jpolicy pi -> is_law (jreturn_law (meaning m) pi))
      by (intros pi Hpi; apply law_jreturn; [now apply is_jmdp_meaning | assumption]).
    destruct (check_curved_sound m _ _ _ J) as [[pi [P1 [P2 [P3 P4]]]] U]. split.
    + exists pi. repeat (split; [assumption|]). now rewrite <- value_without_upper by auto.
    + intros pi' A1 A2. rewrite <- value_without_upper by auto. now apply U.
Qed.

(** Given: bytes; models, objectives and certificates of docs/proof_format.md.
    Differs: the program that reads the text, not the planner.
    Step of: production/proved, production/plan. *)
Theorem check_text_sound (allowed : limits) (t : text) (how : list phrase) :
  check_text allowed t = Proved how -> (exists f, says t f) /\ forall f, says t f -> is_true_of f.
Proof.
  unfold check_text. destruct (read_file t allowed 0%Z) as [f j|i why] eqn:R; [|discriminate]. cbv zeta.
  destruct (skip t j <? byte_count t)%Z eqn:S; [discriminate|].
  destruct (judge (read f)) as [[why|] theorem] eqn:J; [discriminate|]. intros _.
  assert (H : says t (read f)).
  { destruct (reads_file t allowed 0%Z f j R) as [l [[ws [H1 H2]] ->]]. unfold says, bytes.
    rewrite H1, (no_more_words t j S), app_nil_r. exact H2. }
  split; [now exists (read f)|]. intros g Hg. apply (true_of_what_is_said t (read f) g H Hg).
  exact (judged_is_true _ _ J).
Qed.
