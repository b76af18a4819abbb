(** * Data from any behaviour: rarely does a gambler against one of the laws become rich

    Data are draws (question, outcome).  The next question is chosen by any rule, at random or not, that sees all draws
    so far; only the outcome is drawn from the law of the question.  A gambler on a question owns at most 1 before the
    first outcome of this question, never less than 0, and the amount never grows in the mean.
    [rarely_rich]: whatever the rule and the number of draws, the probability that some gambler at some moment owns his
    level is at most the sum of 1 / level. *)

Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw MartingaleStep Ville.
Import ListNotations.
Open Scope R_scope.

Section Behaviour.
  Context {Q O : Type}.
  Variable asked_dec : forall x y : Q, {x = y} + {x <> y}.
  Variable world : Q -> dist O.
  Hypothesis Hworld : forall q, is_law (world q).
  Variable ask : list (Q * O) -> dist Q.
  Hypothesis Hask : forall past, is_law (ask past).

  Definition next_draw (past : list (Q * O)) : dist (Q * O) := bind (ask past) (fun q => image (pair q) (world q)).

  Lemma law_next_draw past : is_law (next_draw past).
  Proof. apply law_bind; [apply Hask|]. intros q. apply law_image, Hworld. Qed.

  (** The outcomes of a question, latest first. *)
  Fixpoint outcomes_of (q : Q) (past : list (Q * O)) : list O :=
    match past with
    | [] => []
    | d :: past' => if asked_dec (fst d) q then snd d :: outcomes_of q past' else outcomes_of q past'
    end.

  Lemma outcomes_of_moment q newer past o : In o (outcomes_of q past) -> In o (outcomes_of q (newer ++ past)).
  Proof.
    induction newer as [|d newer IH]; intros H; [assumption|]. cbn [app outcomes_of].
    destruct (asked_dec (fst d) q); [right|]; auto.
  Qed.

  (** What is drawn has a positive mass. *)
  Lemma drawn_have_mass (dec : forall x y : O, {x = y} + {x <> y}) n :
    almost_surely (process next_draw n) (fun path => forall q o, In o (outcomes_of q path) -> 0 < mass dec (world q) o).
  Proof.
    induction n as [|n IH]; cbn [process]; [apply as_ret; intros q o []|]. apply as_bind. revert IH. apply as_impl.
    intros past IH. apply as_image. unfold next_draw. apply as_bind, as_always. intros q'. apply as_image.
    intros o' p Hin Hp q o. cbn [outcomes_of fst snd]. destruct (asked_dec q' q) as [->|_]; [|apply IH].
    intros [<-|Ho]; [|now apply IH]. now apply (prob_pos (world q) (fun y => dec y o') o' p (proj1 (Hworld q)) Hin Hp).
  Qed.

  Definition gambler (law : dist O) (W : list O -> R) : Prop :=
    W [] <= 1 /\ forall xs, 0 <= W xs /\ E law (fun o => W (o :: xs)) <= W xs.

  Lemma owns_step q W : gambler (world q) W -> forall past,
    E (next_draw past) (fun d => W (outcomes_of q (d :: past))) <= W (outcomes_of q past).
  Proof.
    intros [_ HW] past. unfold next_draw. rewrite E_bind. apply E_le_const; [apply Hask|]. apply as_always. intros q'.
    rewrite E_image. cbn [outcomes_of fst snd]. destruct (asked_dec q' q) as [->|_]; [apply HW|].
    rewrite E_const by apply Hworld. lra.
  Qed.

  Context {I : Type}.
  Variables (gamblers : list I) (about : I -> Q) (owns : I -> list O -> R) (level : I -> R).
  Hypothesis Hgamblers : forall i, In i gamblers -> gambler (world (about i)) (owns i) /\ 0 < level i.

  Definition rich (i : I) (past : list (Q * O)) : Prop := level i <= owns i (outcomes_of (about i) past).
  Definition some_rich (past : list (Q * O)) : Prop := Exists (fun i => rich i past) gamblers.
  Definition ever_rich_dec (path : list (Q * O)) :
    {Exists some_rich (moments_of path)} + {~ Exists some_rich (moments_of path)} :=
    Exists_dec some_rich (moments_of path) (fun past => Exists_dec _ gamblers (fun i => Rle_dec _ _)).

  (** Given: any rule that chooses what is asked, any laws of outcomes, any list of gamblers with levels, any number of
      draws.
      Differs: the event, for data that are given.
      In words: 10-kl-learner.md#kl-ville.
      Step of: corrected/ii, production/proved. *)
  Theorem rarely_rich n : prob (process next_draw n) ever_rich_dec <= sum gamblers (fun i => / level i).
  Proof.
    apply (ville_of_many next_draw law_next_draw gamblers (fun i past => owns i (outcomes_of (about i) past)) level)
      with (bad := some_rich); try (intros i Hi; destruct (Hgamblers i Hi) as [[H1 H2] Hlevel]); auto.
    - intros past. apply H2.
    - apply owns_step. now split.
  Qed.

  Lemma none_rich past i : ~ some_rich past -> In i gamblers -> owns i (outcomes_of (about i) past) < level i.
  Proof. intros Hn Hi. apply Rnot_le_lt. intros Hr. apply Hn, Exists_exists. now exists i. Qed.
End Behaviour.
