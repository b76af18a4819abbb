(** * The program's theorem, which begins at the bytes, to be read on its own

    Imported: [words] and [spells] of Text.v, what the bytes of a text say; [file] and its words [items_of_file] of
    Written.v, with [model_of] and [lower_of], what a file gives to the checker; the process of a model, [value] and
    [total_worth] of Statement.v and CurvedStatement.v; and the program [check_text], of which nothing need be read. *)

Require Import ZArith Reals List.
From VerifiedRisk Require Import FiniteLaw Tree Program Text Written Reading CheckText Statement CurvedStatement.
From VerifiedRisk Require Allowed Meaning OneReading TextSoundness.
Import ListNotations.
Open Scope R_scope.

(** The words of the text spell the items of the file, one by one. *)
Definition says (t : text) (f : file) : Prop := Forall2 spells (words (bytes t)) (items_of_file f).

(** What a file asks about: the value of the return's law. *)
Definition worth_asked (q : question) (d : dist R) : R :=
  match q with Plain o => value o d | Mixed parts _ _ _ => total_worth parts d end.

(** The policy of the file attains the lower bound, and no policy exceeds the upper one. *)
Definition claim_holds (f : file) : Prop :=
  let m := model_of (described f) in
  (exists pi, pi = Meaning.policy_of m (lower_of (lower_part f)) /\ admissible m pi /\
    number (lower (claimed f)) <= worth_asked (asked f) (return_law m pi)) /\
  (forall pi, admissible m pi -> worth_asked (asked f) (return_law m pi) <= number (upper (claimed f))).

(** ** The lists of [model_of] and [lower_of], which are made without recursion, are what one expects *)

Lemma repeated_eq {X} n (x : X) l : repeated n x l = repeat x (Z.to_nat n) ++ l.
Proof.
  unfold repeated, Z.iter. destruct n as [|p|p]; try reflexivity. rewrite Pos2Nat.inj_iter. cbn [Z.to_nat].
  induction (Pos.to_nat p) as [|k IH]; [reflexivity|]. cbn [nat_rect repeat app]. now rewrite IH.
Qed.
Lemma expanded_eq {X Y} (f : X -> Y) l : expanded f l = flat_map (fun nx => repeat (f (snd nx)) (Z.to_nat (fst nx))) l.
Proof.
  unfold expanded. rewrite Reading.rev'_rev, <- fold_left_rev_right, rev_involutive.
  induction l as [|x l IH]; cbn [fold_right flat_map]; [reflexivity | now rewrite repeated_eq, IH].
Qed.
Lemma mapped_eq {X Y} (f : X -> Y) l : mapped f l = map f l.
Proof.
  unfold mapped. assert (H : forall l found, mapped_before f l found = rev found ++ map f l).
  { clear l. induction l as [|x l IH]; intros found; cbn [mapped_before map].
    - now rewrite Reading.rev'_rev, app_nil_r.
    - rewrite IH. cbn [rev]. now rewrite <- app_assoc. }
  apply H.
Qed.

(** ** The theorem *)

Lemma worth_asked_eq q d : worth_asked q d = TextSoundness.value_asked q d.
Proof. destruct q as [o|parts e marks l]; [apply value_eq | apply total_worth_eq]. Qed.

Theorem what_check_text_proves_is_said_and_true (allowed : Allowed.limits) (t : text) (how : list phrase) :
  check_text allowed t = Proved how -> (exists f, says t f) /\ forall f, says t f -> claim_holds f.
Proof.
  intros H. destruct (TextSoundness.check_text_sound allowed t how H) as [E A]. split; [exact E|].
  intros f S. destruct (A f S) as [[pi [P1 [P2 [P3 P4]]]] U]. split.
  - exists pi. split; [exact P1|]. split; [exact (conj P2 P3)|]. rewrite return_law_eq, worth_asked_eq. exact P4.
  - intros pi' [A1 A2]. rewrite return_law_eq, worth_asked_eq. exact (U pi' A1 A2).
Qed.

(** What the claim is about is the same in every file that the text says. *)
Theorem a_text_says_one_thing (t : text) (f g : file) : says t f -> says t g ->
  OneReading.objective_part (asked f) = OneReading.objective_part (asked g) /\ claimed f = claimed g /\
  described f = described g /\ lower_part f = lower_part g.
Proof. intros Hf Hg. exact (OneReading.file_once f g (ex_intro _ _ (conj Hf Hg))). Qed.
