(** * Tables of expected costs, bounded row by row

    A world has a law of outcomes (reward, next state) for every pair (s, a).  An episode of T steps starts in a state
    drawn from [first]; the outcome r of step t pays [pays t r].  A cost c of the return is expected to be at most what
    a table V says, V n s y for n steps to go from the state s after y was earned, if V 0 >= c and if V (n + 1) is at
    least a bound of the mean of V n over the outcomes of every action that is played.  Any bounds will do that are at
    least the means under the world: those of balls, of lower ends, of known laws.  From below likewise.

    - [rule_costs_at_most], [rule_costs_at_least]: a rule that sees step, state and return so far, possibly randomised;
    - [every_policy_costs_at_least]: all policies that play listed actions, with memory, at random or not;
    - [planned_costs_at_most]: the rule that takes an action of least bound everywhere. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw JointModel DynamicProgramming.
Import ListNotations.
Open Scope R_scope.

Section Tables.
  Context {S A B : Type}.
  Variable world : S * A -> dist (B * S).
  Hypothesis Hworld : forall sa, is_law (world sa).
  Variables (acts : S -> list A) (T : nat) (first : dist S) (pays : nat -> B -> R).
  Hypothesis Hfirst : is_law first.

  (** The process; what an outcome pays depends on the step, so returns are added up by [paid]. *)
  Definition task_process : jmdp S A B := {|
    jhorizon := T;
    jinit := first;
    kernel := fun _ s a => world (s, a);
    allowed_action := fun _ s a => In a (acts s);
    worth := fun _ => 0;
    discount := 1
  |}.

  Fixpoint paid (steps : list (S * A * B)) : R :=
    match steps with
    | [] => 0
    | (_, _, b) :: before => paid before + pays (length before) b
    end.
  Definition return_of (pi : jpolicy S A B) : dist R := image (fun h => paid (fst h))
    (full_history_law task_process pi).

  Lemma is_jmdp_episode : is_jmdp task_process.
  Proof. split; [exact Hfirst|]. intros t s a. apply Hworld. Qed.

  Lemma law_return_of pi : is_jpolicy pi -> is_law (return_of pi).
  Proof.
    intros Hpi. apply law_image, law_bind; [exact Hfirst|]. intros s.
    apply law_jrun; [exact is_jmdp_episode | exact Hpi].
  Qed.

  Definition rule : Type := nat -> S -> R -> dist A.
  Definition is_rule (r : rule) : Prop :=
    forall t s y, is_law (r t s y) /\ almost_surely (r t s y) (fun a => In a (acts s)).
  Definition of_rule (r : rule) : jpolicy S A B := fun h => r (jtime h) (jstate h) (paid (fst h)).

  Lemma is_jpolicy_of_rule r : is_rule r -> is_jpolicy (of_rule r).
  Proof. intros Hr h. apply Hr. Qed.
  Lemma of_rule_allowed r : is_rule r -> plays_allowed task_process (of_rule r).
  Proof. intros Hr h _. apply Hr. Qed.

  (** ** Bounds of the means of rows, and tables *)

  Variable above : S * A -> (B * S -> R) -> R -> Prop.
  Hypothesis Habove : forall sa f b, above sa f b -> E (world sa) f <= b.
  Definition below (sa : S * A) (f : B * S -> R) (b : R) : Prop := above sa (fun o => - f o) (- b).

  (** What a table says after an outcome of step t. *)
  Definition later (V : S -> R -> R) (t : nat) (y : R) (o : B * S) : R := V (snd o) (y + pays t (fst o)).

  Definition table : Type := nat -> S -> R -> R.

  Definition upper_table (pi : jpolicy S A B) (c : R -> R) (V : table) : Prop :=
    (forall s y, c y <= V O s y) /\
    forall h n, (jtime h + Datatypes.S n = T)%nat -> exists b : A -> R,
      almost_surely (pi h) (fun a => above (jstate h, a) (later (V n) (jtime h) (paid (fst h))) (b a)) /\
      E (pi h) b <= V (Datatypes.S n) (jstate h) (paid (fst h)).

  Lemma upper_table_along pi c V : is_jpolicy pi -> upper_table pi c V -> forall n h, (jtime h + n = T)%nat ->
    E (jrun task_process pi n h) (fun h' => c (paid (fst h'))) <= V n (jstate h) (paid (fst h)).
  Proof.
    intros Hpi [H0 HS]. induction n as [|n IH]; intros h Ht; [cbn [jrun]; rewrite E_ret; apply H0|].
    destruct (HS h n Ht) as [b [Hb Hle]]. eapply Rle_trans; [|exact Hle]. rewrite E_jrun_S, E_jstep.
    apply E_le_as; [apply Hpi|]. revert Hb. apply as_impl. intros a Ha. apply Habove in Ha.
    eapply Rle_trans; [|exact Ha]. apply E_le; [apply Hworld|]. intros o.
    eapply Rle_trans; [apply IH; unfold jtime, jextend in *; cbn; lia|]. apply Rle_refl.
  Qed.

  Theorem upper_table_holds pi c V : is_jpolicy pi -> upper_table pi c V ->
    E (return_of pi) c <= E first (fun s => V T s 0).
  Proof.
    intros Hpi HV. unfold return_of, full_history_law. rewrite E_image, E_bind. apply E_le; [apply Hfirst|]. intros s.
    exact (upper_table_along pi c V Hpi HV T ([], s) eq_refl).
  Qed.

  (** ** A given rule *)

  Definition upper_table_for (r : rule) (c : R -> R) (V : table) : Prop :=
    (forall s y, c y <= V O s y) /\
    forall t n s y, (t + Datatypes.S n = T)%nat -> exists b : A -> R,
      almost_surely (r t s y) (fun a => above (s, a) (later (V n) t y) (b a)) /\ E (r t s y) b <= V (Datatypes.S n) s y.

  Definition lower_table_for (r : rule) (c : R -> R) (V : table) : Prop :=
    (forall s y, V O s y <= c y) /\
    forall t n s y, (t + Datatypes.S n = T)%nat -> exists b : A -> R,
      almost_surely (r t s y) (fun a => below (s, a) (later (V n) t y) (b a)) /\ V (Datatypes.S n) s y <= E (r t s y) b.

  (** Given: bounds of the means of rows that hold; any cost of the return, any rule.
      Differs: outcomes that come with the next state, and what they pay may depend on the step.
      In words: 10-kl-learner.md#kl-logs.
      Step of: corrected/ii. *)
  Theorem rule_costs_at_most r c V : is_rule r -> upper_table_for r c V ->
    E (return_of (of_rule r)) c <= E first (fun s => V T s 0).
  Proof.
    intros Hr [H0 HS]. apply upper_table_holds; [now apply is_jpolicy_of_rule|]. split; [exact H0|].
    intros h n Ht. exact (HS (jtime h) n (jstate h) (paid (fst h)) Ht).
  Qed.

  Lemma E_opp {X} (d : dist X) f : E d (fun x => - f x) = - E d f.
  Proof. rewrite (E_ext d _ (fun x => -1 * f x)), E_scal by (intros; ring). ring. Qed.

  Lemma negated_upper pi c V : is_jpolicy pi -> upper_table pi (fun y => - c y) (fun n s y => - V n s y) ->
    E first (fun s => V T s 0) <= E (return_of pi) c.
  Proof.
    intros Hpi HV. pose proof (upper_table_holds pi _ _ Hpi HV) as H. rewrite !E_opp in H. lra.
  Qed.

  (** Given: as rule_costs_at_most.
      In words: 10-kl-learner.md#kl-logs.
      Step of: corrected/ii. *)
  Theorem rule_costs_at_least r c V : is_rule r -> lower_table_for r c V ->
    E first (fun s => V T s 0) <= E (return_of (of_rule r)) c.
  Proof.
    intros Hr [H0 HS]. apply negated_upper; [now apply is_jpolicy_of_rule|].
    split; [intros s y; specialize (H0 s y); lra|]. intros h n Ht.
    destruct (HS (jtime h) n (jstate h) (paid (fst h)) Ht) as [b [Hb Hle]]. exists (fun a => - b a).
    split; [exact Hb|]. rewrite E_opp. unfold of_rule. lra.
  Qed.

  (** ** Every policy *)

  Definition lower_table_for_all (c : R -> R) (V : table) : Prop :=
    (forall s y, V O s y <= c y) /\
    forall t n s y a, (t + Datatypes.S n = T)%nat -> In a (acts s) ->
      below (s, a) (later (V n) t y) (V (Datatypes.S n) s y).

  (** Given: as rule_costs_at_most; any policy that plays listed actions.
      In words: 10-kl-learner.md#kl-logs.
      Step of: corrected/ii. *)
  Theorem every_policy_costs_at_least pi c V : is_jpolicy pi -> plays_allowed task_process pi ->
    lower_table_for_all c V -> E first (fun s => V T s 0) <= E (return_of pi) c.
  Proof.
    intros Hpi Hal [H0 HS]. apply negated_upper; [assumption|].
    split; [intros s y; specialize (H0 s y); lra|]. intros h n Ht.
    exists (fun _ => - V (Datatypes.S n) (jstate h) (paid (fst h))). split; [|rewrite E_const by apply Hpi; lra].
    assert (Hlt : (jtime h < jhorizon task_process)%nat) by (cbn; lia). generalize (Hal h Hlt). apply as_impl.
    intros a Ha.
    exact (HS (jtime h) n (jstate h) (paid (fst h)) a Ht Ha).
  Qed.

  (** ** The plan: an action of least bound *)

  Variable bound : S * A -> (B * S -> R) -> R.
  Hypothesis Hbound : forall sa f, above sa f (bound sa f).
  Hypothesis Hacts : forall s, acts s <> [].

  Fixpoint plan_table (c : R -> R) (n : nat) (s : S) (y : R) : R :=
    match n with
    | O => c y
    | Datatypes.S n' => min_over (fun a => bound (s, a) (later (plan_table c n') (T - Datatypes.S n') y)) (acts s)
    end.
  Definition planned_rule (c : R -> R) : rule := fun t s y =>
    match acts s with
    | [] => []
    | a :: l => ret (argmax (fun a => - bound (s, a) (later (plan_table c (T - Datatypes.S t)) t y)) a l)
    end.

  (** Given: as rule_costs_at_most, with a bound for every function.
      In words: 10-kl-learner.md#kl-logs.
      Step of: corrected/ii. *)
  Theorem planned_costs_at_most c : is_rule (planned_rule c) /\
    E (return_of (of_rule (planned_rule c))) c <= E first (fun s => plan_table c T s 0).
  Proof.
    assert (Hr : is_rule (planned_rule c)).
    { intros t s y. unfold planned_rule. pose proof (Hacts s) as Hne. destruct (acts s) as [|a l] eqn:Ea; [congruence|].
      split; [apply law_ret | apply as_ret, argmax_spec]. }
    split; [exact Hr|]. apply rule_costs_at_most; [exact Hr|]. split; [intros; cbn; lra|]. intros t n s y Ht.
    exists (fun _ => plan_table c (Datatypes.S n) s y).
    split; [|rewrite E_const by apply Hr; lra]. unfold planned_rule. pose proof (Hacts s) as Hne.
    cbn [plan_table]. replace (T - Datatypes.S t)%nat with n by lia. replace (T - Datatypes.S n)%nat with t by lia.
    destruct (acts s) as [|a l]; [congruence|]. apply as_ret. unfold min_over. cbn [max_over].
    rewrite Ropp_involutive. apply Hbound.
  Qed.
End Tables.
