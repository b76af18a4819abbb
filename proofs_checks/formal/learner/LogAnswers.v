(** * Answers from a log: intervals for every objective, horizon and policy, on one event

    Tables whose rows are rows of the log ([LogRows.v], [RowTables.v]) bound expected costs of the return, and scores
    ([Scores.v]) turn these into bounds of objectives.  [rarely_wrong_with_balls], [rarely_wrong_with_ends]: with
    probability at least 1 - delta, whatever behaviour collected the log, at every moment, for all horizons, initial
    laws, payments and objectives at once:

    - a rule is worth at least what tables from above say, and at most what tables from below say;
    - no policy is worth more than what tables from below for all actions say. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective RockafellarUryasev JointModel MartingaleStep RhoSearch AnyBehaviour
  LogRows RowTables Scores.
Import ListNotations.
Open Scope R_scope.

Section Answers.
  Context {S A B : Type}.
  Variables (world : S * A -> dist (B * S)) (above : S * A -> (B * S -> R) -> R -> Prop).
  Hypothesis Hworld : forall sa, is_law (world sa).
  Hypothesis Habove : forall sa f b, above sa f b -> E (world sa) f <= b.

  Section Task.
    Variables (acts : S -> list A) (T : nat) (first : dist S) (pays : nat -> B -> R).
    Hypothesis Hfirst : is_law first.
    Local Notation M := (task_process world acts T first).
    Local Notation returns pi := (return_of world acts T first pays pi).
    Local Notation plays := (of_rule pays).
    Local Notation at_start V := (E first (fun s => V T s 0)).

    (** Returns that outcomes can add up to. *)
    Variable outs : S * A -> list (B * S).
    Hypothesis Houts : forall sa, almost_surely (world sa) (fun o => In o (outs sa)).
    Inductive attained : nat -> R -> Prop :=
    | nothing_yet : attained O 0
    | one_more t y sa o : attained t y -> In o (outs sa) -> attained (Datatypes.S t) (y + pays t (fst o)).

    Lemma returns_attained pi : is_jpolicy pi -> almost_surely (returns pi) (attained T).
    Proof.
      intros Hpi. unfold return_of, full_history_law. apply as_image, as_bind, as_always. intros s.
      cbn [jhorizon task_process].
      assert (H : forall n h, attained (jtime h) (paid pays (fst h)) ->
        almost_surely (jrun M pi n h) (fun h' => attained (jtime h + n) (paid pays (fst h')))).
      { induction n as [|n IH]; intros h Hh; cbn [jrun]; [apply as_ret; now rewrite Nat.add_0_r|].
        apply as_bind. unfold jstep. apply as_bind, as_always. intros a. apply as_image.
        generalize (Houts (jstate h, a)). apply as_impl. intros o Ho.
        replace (jtime h + Datatypes.S n)%nat with (jtime (jextend h a o) + n)%nat by (unfold jtime, jextend; cbn; lia).
        apply IH. exact (one_more (jtime h) _ _ o Hh Ho). }
      exact (H T ([], s) nothing_yet).
    Qed.

    Lemma law_returns pi : is_jpolicy pi -> is_law (returns pi).
    Proof. now apply law_return_of. Qed.

    (** ** Any objective that is the largest of scores *)

    Section Value.
      Context {I : Type}.
      Variables (value : dist R -> R) (grid : R -> Prop) (index : I -> Prop) (r : I -> R) (c : I -> R -> R).
      Hypothesis Hscores : scores value grid index r c.
      Hypothesis Hgrid : forall pi, is_jpolicy pi -> plays_allowed M pi -> almost_surely (returns pi) grid.

      (** Given: any bounds of rows that hold; an objective that is the largest of scores.
          In words: 10-kl-learner.md#kl-logs.
          Step of: corrected/ii. *)
      Theorem rule_worth_at_least rl i V : is_rule acts rl -> index i -> upper_table_for T pays above rl (c i) V ->
        r i - at_start V <= value (returns (plays rl)).
      Proof.
        intros Hrl Hi HV. pose proof (is_jpolicy_of_rule acts pays rl Hrl) as Hpi.
        eapply Rle_trans; [|apply (score_le _ _ _ _ _ Hscores i); auto using law_returns].
        - pose proof (rule_costs_at_most world Hworld acts T first pays Hfirst above Habove rl (c i) V Hrl HV). lra.
        - apply Hgrid; [assumption | now apply of_rule_allowed].
      Qed.

      Lemma worth_at_most pi u : is_jpolicy pi -> plays_allowed M pi ->
        (forall i, index i -> r i - E (returns pi) (c i) <= u) -> value (returns pi) <= u.
      Proof.
        intros Hpi Hal Hu.
        destruct (score_attained _ _ _ _ _ Hscores (returns pi) (law_returns pi Hpi) (Hgrid pi Hpi Hal)) as [i [Hi ->]].
        now apply Hu.
      Qed.

      (** Given: as rule_worth_at_least; a table for every index.
          In words: 10-kl-learner.md#kl-logs.
          Step of: corrected/ii. *)
      Theorem rule_worth_at_most rl u : is_rule acts rl ->
        (forall i, index i -> exists V, lower_table_for T pays above rl (c i) V /\ r i - at_start V <= u) ->
        value (returns (plays rl)) <= u.
      Proof.
        intros Hrl Hu. apply worth_at_most;
          [now apply (is_jpolicy_of_rule acts) | now apply (of_rule_allowed world acts)|].
        intros i Hi. destruct (Hu i Hi) as [V [HV HuV]].
        pose proof (rule_costs_at_least world Hworld acts T first pays Hfirst above Habove rl (c i) V Hrl HV). lra.
      Qed.

      (** Given: as rule_worth_at_most; any policy that plays listed actions, with memory, at random or not.
          In words: 10-kl-learner.md#kl-logs.
          Step of: corrected/ii. *)
      Theorem every_policy_worth_at_most u :
        (forall i, index i -> exists V, lower_table_for_all acts T pays above (c i) V /\ r i - at_start V <= u) ->
        forall pi, is_jpolicy pi -> plays_allowed M pi -> value (returns pi) <= u.
      Proof.
        intros Hu pi Hpi Hal. apply worth_at_most; auto. intros i Hi. destruct (Hu i Hi) as [V [HV HuV]].
        pose proof (every_policy_costs_at_least world Hworld acts T first pays Hfirst above Habove pi (c i) V
          Hpi Hal HV). lra.
      Qed.
    End Value.

    (** ** The answers for one task *)

    Definition var (alpha : R) (d : dist R) : R := real (quantile (cdf d) alpha).

    Definition answers (grid : R -> Prop) : Prop :=
      (forall I value index r c, @scores I value grid index r c ->
        (forall rl i V, is_rule acts rl -> index i -> upper_table_for T pays above rl (c i) V ->
          r i - at_start V <= value (returns (plays rl))) /\
        (forall rl u, is_rule acts rl ->
          (forall i, index i -> exists V, lower_table_for T pays above rl (c i) V /\ r i - at_start V <= u) ->
          value (returns (plays rl)) <= u) /\
        (forall u,
          (forall i, index i -> exists V, lower_table_for_all acts T pays above (c i) V /\ r i - at_start V <= u) ->
          forall pi, is_jpolicy pi -> plays_allowed M pi -> value (returns pi) <= u)) /\
      (forall alpha rho V, 0 < alpha <= 1 ->
        (forall rl, is_rule acts rl -> upper_table_for T pays above rl (below_target rho) V -> at_start V < alpha ->
          rho <= var alpha (returns (plays rl))) /\
        (forall rl, is_rule acts rl -> lower_table_for T pays above rl (below_target rho) V -> alpha <= at_start V ->
          var alpha (returns (plays rl)) < rho) /\
        (lower_table_for_all acts T pays above (below_target rho) V -> alpha <= at_start V ->
          forall pi, is_jpolicy pi -> plays_allowed M pi -> var alpha (returns pi) < rho)).

    Theorem answers_hold grid : (forall pi, is_jpolicy pi -> plays_allowed M pi -> almost_surely (returns pi) grid) ->
      answers grid.
    Proof.
      intros Hgrid. split.
      - intros I value index r c Hs. split; [|split].
        + intros rl i V. now apply rule_worth_at_least with (grid := grid) (index := index).
        + intros rl u. now apply rule_worth_at_most with (grid := grid) (index := index) (r := r).
        + intros u Hu. now apply every_policy_worth_at_most with (grid := grid) (index := index) (r := r) (c := c).
      - intros alpha rho V Ha. split; [|split].
        + intros rl Hrl HV Hlt. pose proof (is_jpolicy_of_rule acts pays rl Hrl) as Hpi.
          apply quantile_at_least; [now apply law_returns | assumption|].
          pose proof (rule_costs_at_most world Hworld acts T first pays Hfirst above Habove rl _ V Hrl HV). lra.
        + intros rl Hrl HV Hle. pose proof (is_jpolicy_of_rule acts pays rl Hrl) as Hpi.
          apply quantile_below; [now apply law_returns | assumption|].
          pose proof (rule_costs_at_least world Hworld acts T first pays Hfirst above Habove rl _ V Hrl HV). lra.
        + intros HV Hle pi Hpi Hal. apply quantile_below; [now apply law_returns | assumption|].
          pose proof (every_policy_costs_at_least world Hworld acts T first pays Hfirst above Habove pi _ V Hpi Hal HV).
          lra.
    Qed.
  End Task.

  (** All tasks at once. *)
  Definition all_answers : Prop := forall acts T first pays grid, is_law first ->
    (forall pi, is_jpolicy pi -> plays_allowed (task_process world acts T first) pi ->
      almost_surely (return_of world acts T first pays pi) grid) ->
    answers acts T first pays grid.

  Theorem all_answers_hold : all_answers.
  Proof. intros acts T first pays grid Hfirst Hgrid. now apply answers_hold. Qed.
End Answers.

(** ** On one event *)

Section Log.
  Context {S A B : Type}.
  Variables (pair_dec : forall x y : S * A, {x = y} + {x <> y}) (outcome_dec : forall x y : B * S, {x = y} + {x <> y}).
  Variables (outs : S * A -> list (B * S)) (limit : S * A -> nat) (known : S * A -> option (dist (B * S)))
    (learned : list (S * A)) (delta : R).
  Hypothesis Hdelta : 0 < delta.
  Variables (world : S * A -> dist (B * S)) (ask : list ((S * A) * (B * S)) -> dist (S * A)).
  Hypothesis Hfits : fits outs limit known world.
  Hypothesis Hask : forall past, is_law (ask past).

  Local Notation balls := (ball_row pair_dec outcome_dec outs limit known learned delta).
  Local Notation ends := (ends_row pair_dec outcome_dec outs limit known learned delta).

  (** Bad is what happens only if some answer is wrong.
      Given: any behaviour, any world that fits what is known; every row by a ball, or by what is known.
      Differs: from a log to intervals, for all objectives, horizons and policies at once.
      In words: 10-kl-learner.md#kl-ball.
      Step of: corrected/ii. *)
  Theorem rarely_wrong_with_balls bad n (dec : forall path, {at_some_moment bad path} + {~ at_some_moment bad path}) :
    (forall past, bad past -> ~ all_answers world (balls past)) -> prob (process (next_draw world ask) n) dec <= delta.
  Proof.
    intros Hbad.
    apply (rarely_outside_balls pair_dec outcome_dec outs limit known learned delta Hdelta world Hfits ask Hask).
    intros past Hb Ht. apply (Hbad past Hb), all_answers_hold; [apply (fits_law _ _ _ _ Hfits) | exact Ht].
  Qed.

  (** Given: as rarely_wrong_with_balls; every row by lower ends, or by what is known.
      Differs: a test for each outcome.
      In words: 10-kl-learner.md#kl-logs.
      Step of: corrected/ii. *)
  Theorem rarely_wrong_with_ends bad n (dec : forall path, {at_some_moment bad path} + {~ at_some_moment bad path}) :
    (forall past, bad past -> ~ all_answers world (ends past)) -> prob (process (next_draw world ask) n) dec <= delta.
  Proof.
    intros Hbad.
    apply (rarely_outside_ends pair_dec outcome_dec outs limit known learned delta Hdelta world Hfits ask Hask).
    intros past Hb Ht. apply (Hbad past Hb), all_answers_hold; [apply (fits_law _ _ _ _ Hfits) | exact Ht].
  Qed.
End Log.
