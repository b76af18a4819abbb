(** * Words of a text

    A text is a size and a function from places to bytes: a driver hands over its buffer and nothing is copied.  What
    it says is defined first: its [words] are what stands between blanks, and [spells] says which number or name a word
    stands for.  Then the program that looks at the bytes, and that what it finds is what the text says.  Loops recurse
    on the accessibility of a place, a proof that extraction drops: they need neither fuel nor stack. *)

Require Import ZArith List Bool Lia String Ascii Zwf Sumbool.
From VerifiedRisk Require Import Program.
Import ListNotations.
Open Scope Z_scope.

Record text := Text { byte_count : Z; byte : Z -> Z }.

(** ** What a text says *)

(** Codes as constants: extraction computes a constant once. *)
Definition space : Z := 32.
Definition tab : Z := 9.
Definition line_feed : Z := 10.
Definition carriage_return : Z := 13.
Definition minus : Z := 45.
Definition slash : Z := 47.
Definition zero_digit : Z := 48.
Definition nine_digit : Z := 57.
Definition ten : Z := 10.

Definition blank (c : Z) : bool :=
  (c <=? space) && ((c =? space) || (c =? line_feed) || (c =? tab) || (c =? carriage_return)).
Definition digit (c : Z) : bool := (zero_digit <=? c) && (c <=? nine_digit).

(** The words of a list of bytes, where [begun] are the bytes of a word that has begun. *)
Fixpoint words_from (begun l : list Z) : list (list Z) :=
  match l with
  | [] => match begun with [] => [] | _ => [begun] end
  | c :: l' =>
      if blank c then match begun with [] => words_from [] l' | _ => begun :: words_from [] l' end
      else words_from (begun ++ [c]) l'
  end.
Definition words (l : list Z) : list (list Z) := words_from [] l.

(** The bytes from place i on. *)
Definition rest (t : text) (i : Z) : list Z :=
  map (fun k => byte t (i + Z.of_nat k)) (seq 0 (Z.to_nat (byte_count t - i))).
Definition bytes (t : text) : list Z := rest t 0.

Definition bit (b : bool) (z : Z) : Z := if b then z else 0.
Definition code (a : ascii) : Z :=
  match a with
  | Ascii a b c d e f g h =>
      bit a 1 + (bit b 2 + (bit c 4 + (bit d 8 + (bit e 16 + (bit f 32 + (bit g 64 + bit h 128))))))
  end.
Fixpoint codes (s : string) : list Z := match s with EmptyString => [] | String a s' => code a :: codes s' end.

(** What a word can stand for. *)
Inductive item := Name (s : string) | Int (z : Z) | Ratio (q : rat).

Definition value_from (n : Z) (l : list Z) : Z := fold_left (fun n c => ten * n + (c - zero_digit)) l n.
Definition spells_natural (w : list Z) (n : Z) : Prop := w <> [] /\ forallb digit w = true /\ n = value_from 0 w.
Definition spells_integer (w : list Z) (z : Z) : Prop :=
  spells_natural w z \/ exists w', w = minus :: w' /\ spells_natural w' (- z).
Definition spells (w : list Z) (x : item) : Prop :=
  match x with
  | Name s => w = codes s
  | Int z => spells_integer w z
  | Ratio q =>
      (spells_integer w (num q) /\ den q = 1) \/
      exists p d, w = p ++ slash :: d /\ spells_integer p (num q) /\ spells_natural d (den q) /\ 0 < den q
  end.

(** ** The program *)

(** A number from its digits in base b, the last one first; and the same by joining neighbours, whose base is b b. *)
Fixpoint in_base (b : Z) (l : list Z) : Z := match l with [] => 0 | c :: l' => c + b * in_base b l' end.
Fixpoint paired (b : Z) (l : list Z) : list Z :=
  match l with c :: d :: l' => (c + b * d) :: paired b l' | _ => l end.
Fixpoint joined (n : nat) (b : Z) (l : list Z) : Z :=
  match l with
  | [] => 0
  | [c] => c
  | _ => match n with O => in_base b l | S n' => joined n' (b * b) (paired b l) end
  end.
Definition levels : nat := 16.

Lemma in_base_paired b l : in_base (b * b) (paired b l) = in_base b l.
Proof.
  cut (forall n l, (List.length l <= n)%nat -> in_base (b * b) (paired b l) = in_base b l); [eauto|].
  clear l. induction n as [|n IH]; intros [|c [|d l]] H; cbn [paired in_base List.length] in *; try lia;
    try reflexivity.
  rewrite IH by lia. ring.
Qed.
Lemma joined_eq n : forall b l, joined n b l = in_base b l.
Proof.
  induction n as [|n IH]; intros b [|c [|d l]]; cbn [joined]; try (cbn [in_base]; lia).
  rewrite IH. apply in_base_paired.
Qed.

(** Accessibility that Coq itself can compute with: an opaque proof would stop its evaluation. *)
Definition computable {X} {R : X -> X -> Prop} (wf : well_founded R) : well_founded R := Acc_intro_generator 64 wf.
Global Opaque computable.

Section Scan.
  Variable t : text.

  Lemma further i : (i <? byte_count t) = true -> Zwf_up (byte_count t) (i + 1) i.
  Proof. intros H. apply Z.ltb_lt in H. unfold Zwf_up. lia. Qed.
  Definition below_end (i : Z) : Acc (Zwf_up (byte_count t)) i := computable (Zwf_up_well_founded (byte_count t)) i.

  (** The first place from i on that has no blank. *)
  Fixpoint skip_from (i : Z) (a : Acc (Zwf_up (byte_count t)) i) {struct a} : Z :=
    match sumbool_of_bool (i <? byte_count t) with
    | left H => if blank (byte t i) then skip_from (i + 1) (Acc_inv a (further i H)) else i
    | right _ => i
    end.
  Definition skip (i : Z) : Z := skip_from i (below_end i).

  (** The number in the digits from i on, and the place behind them.  They are cut into chunks of eighteen, the last one
      first, which are joined in pairs: that takes little more than a multiplication of the whole. *)
  Definition full : Z := ten ^ 18.
  Definition joined_value (chunks : list Z) (chunk scale : Z) : Z :=
    match chunks with [] => chunk | _ => joined levels full chunks * scale + chunk end.
  Fixpoint digits_from (stop i : Z) (a : Acc (Zwf_up (byte_count t)) i) (chunks : list Z) (chunk scale : Z) {struct a} :
    Z * Z :=
    match sumbool_of_bool (i <? byte_count t) with
    | left H =>
        let c := byte t i in
        if digit c && (i <? stop) then
          let chunk' := ten * chunk + (c - zero_digit) in
          let scale' := ten * scale in
          if scale' =? full then digits_from stop (i + 1) (Acc_inv a (further i H)) (chunk' :: chunks) 0 1
          else digits_from stop (i + 1) (Acc_inv a (further i H)) chunks chunk' scale'
        else (joined_value chunks chunk scale, i)
    | right _ => (joined_value chunks chunk scale, i)
    end.

  Definition natural_at (stop i : Z) : option (Z * Z) :=
    let '(n, j) := digits_from stop i (below_end i) [] 0 1 in if i <? j then Some (n, j) else None.
  Definition has (c i : Z) : bool := (i <? byte_count t) && (byte t i =? c).
  Definition integer_at (stop i : Z) : option (Z * Z) :=
    if has minus i then match natural_at stop (i + 1) with Some (n, j) => Some (- n, j) | None => None end
    else natural_at stop i.
  Definition ratio_at (stop i : Z) : option (rat * Z) :=
    match integer_at stop i with
    | Some (p, j) =>
        if has slash j then
          match natural_at stop (j + 1) with
          | Some (q, k) => if 0 <? q then Some (Rat p q, k) else None
          | None => None
          end
        else Some (Rat p 1, j)
    | None => None
    end.
  Fixpoint name_at (l : list Z) (i : Z) : option Z :=
    match l with
    | [] => Some i
    | c :: l' => if has c i then name_at l' (i + 1) else None
    end.
  (** Does a word end before place i? *)
  Definition ends (i : Z) : bool := negb (i <? byte_count t) || blank (byte t i).

  (** The line of place [stop]: for messages. *)
  Fixpoint lines_to (line stop i : Z) (a : Acc (Zwf_up (byte_count t)) i) {struct a} : Z :=
    match sumbool_of_bool (i <? byte_count t) with
    | left H =>
        if i <? stop then
          lines_to (if byte t i =? line_feed then line + 1 else line) stop (i + 1) (Acc_inv a (further i H))
        else line
    | right _ => line
    end.
  Definition line_of (i : Z) : Z := lines_to 1 i 0 (below_end 0).

  (** ** What it finds is what the text says *)

  Lemma rest_here i : i < byte_count t -> rest t i = byte t i :: rest t (i + 1).
  Proof.
    intros H. unfold rest. replace (Z.to_nat (byte_count t - i)) with (S (Z.to_nat (byte_count t - (i + 1)))) by lia.
    cbn [seq map]. f_equal; [f_equal; lia|]. rewrite <- seq_shift, map_map. apply map_ext. intros k. f_equal. lia.
  Qed.
  Lemma rest_end i : byte_count t <= i -> rest t i = [].
  Proof. intros H. unfold rest. now replace (Z.to_nat (byte_count t - i)) with 0%nat by lia. Qed.

  Lemma skip_from_words i a : words (rest t (skip_from i a)) = words (rest t i).
  Proof.
    induction a as [i a IH] using Acc_inv_dep. cbn [skip_from].
    destruct (sumbool_of_bool (i <? byte_count t)) as [H|H]; [|reflexivity].
    destruct (blank (byte t i)) eqn:B; [|reflexivity]. rewrite IH, (rest_here i) by now apply Z.ltb_lt.
    unfold words. cbn [words_from]. now rewrite B.
  Qed.

  Lemma joined_value_eq chunks chunk scale : joined_value chunks chunk scale = in_base full chunks * scale + chunk.
  Proof. unfold joined_value. destruct chunks; [reflexivity | now rewrite joined_eq]. Qed.

  Lemma digits_from_says stop i a : forall chunks chunk scale v j, digits_from stop i a chunks chunk scale = (v, j) ->
    exists w, rest t i = w ++ rest t j /\ forallb digit w = true /\ v = value_from (in_base full chunks * scale +
      chunk) w /\
      (i < j -> w <> []).
  Proof.
    assert (none : forall i v, exists w, rest t i = w ++ rest t i /\ forallb digit w = true /\ v = value_from v w /\
      (i < i -> w <> [])) by (intros k v; exists []; repeat split; lia).
    induction a as [i a IH] using Acc_inv_dep. intros chunks chunk scale v j. cbn [digits_from].
    rewrite joined_value_eq.
    destruct (sumbool_of_bool (i <? byte_count t)) as [H|H]; [|intros E; injection E as <- <-; apply none].
    destruct (digit (byte t i) && (i <? stop)) eqn:B; [|intros E; injection E as <- <-; apply none].
    apply andb_true_iff in B. destruct B as [B _]. set (n := in_base full chunks) in *.
    assert (more : forall v' j', (exists w, rest t (i + 1) = w ++ rest t j' /\ forallb digit w = true /\
      v' = value_from (ten * (n * scale + chunk) + (byte t i - zero_digit)) w /\ (i + 1 < j' -> w <> [])) ->
      exists w, rest t i = w ++ rest t j' /\ forallb digit w = true /\ v' = value_from (n * scale + chunk) w /\
        (i < j' -> w <> [])).
    { intros v' j' [w [H1 [H2 [H3 _]]]]. exists (byte t i :: w). cbn [app forallb]. rewrite B, H2, <- H1.
      repeat split; [now apply rest_here, Z.ltb_lt | exact H3 | discriminate]. }
    destruct (Z.eqb_spec (ten * scale) full) as [F|F]; intros E; apply IH in E; apply more;
      destruct E as [w [H1 [H2 [H3 H4]]]]; exists w; repeat split; try assumption; rewrite H3;
      apply (f_equal (fun z => value_from z w)); cbn [in_base]; fold n;
      [rewrite <- F|]; ring.
  Qed.

  Lemma natural_at_says stop i n j : natural_at stop i = Some (n, j) ->
    exists w, rest t i = w ++ rest t j /\ spells_natural w n.
  Proof.
    unfold natural_at. destruct (digits_from stop i (below_end i) [] 0 1) as [v k] eqn:E.
    destruct (Z.ltb_spec i k); [|discriminate]. intros F; injection F as <- <-.
    destruct (digits_from_says _ _ _ _ _ _ _ _ E) as [w [H1 [H2 [H3 H4]]]]. exists w. split; [assumption|].
    split; [now apply H4 | now split].
  Qed.

  Lemma has_rest c i : has c i = true -> rest t i = c :: rest t (i + 1).
  Proof.
    unfold has. intros H. apply andb_true_iff in H. destruct H as [H1 H2]. apply Z.ltb_lt in H1. apply Z.eqb_eq in H2.
    rewrite rest_here, H2 by assumption. reflexivity.
  Qed.

  Lemma integer_at_says stop i z j : integer_at stop i = Some (z, j) ->
    exists w, rest t i = w ++ rest t j /\ spells_integer w z.
  Proof.
    unfold integer_at. destruct (has minus i) eqn:M.
    - destruct (natural_at stop (i + 1)) as [[n k]|] eqn:E; [|discriminate]. intros F; injection F as <- <-.
      destruct (natural_at_says _ _ _ _ E) as [w [H1 H2]]. exists (minus :: w). split.
      + rewrite (has_rest _ _ M), H1. reflexivity.
      + right. exists w. rewrite Z.opp_involutive. now split.
    - intros E. destruct (natural_at_says _ _ _ _ E) as [w [H1 H2]]. exists w. split; [assumption | now left].
  Qed.

  Lemma ratio_at_says stop i q j : ratio_at stop i = Some (q, j) ->
    exists w, rest t i = w ++ rest t j /\ spells w (Ratio q).
  Proof.
    unfold ratio_at. destruct (integer_at stop i) as [[p k]|] eqn:E; [|discriminate].
    destruct (integer_at_says _ _ _ _ E) as [w [H1 H2]]. destruct (has slash k) eqn:S.
    - destruct (natural_at stop (k + 1)) as [[d l]|] eqn:D; [|discriminate].
      destruct (natural_at_says _ _ _ _ D) as [w' [H3 H4]]. destruct (Z.ltb_spec 0 d); [|discriminate].
      intros F; injection F as <- <-. exists (w ++ slash :: w'). split.
      + rewrite H1, (has_rest _ _ S), H3, <- app_assoc. reflexivity.
      + right. exists w, w'. split; [reflexivity|]. split; [exact H2|]. split; assumption.
    - intros F; injection F as <- <-. exists w. split; [assumption | left; now split].
  Qed.

  Lemma name_at_says l : forall i j, name_at l i = Some j -> rest t i = l ++ rest t j.
  Proof.
    induction l as [|c l IH]; intros i j H; cbn [name_at] in H; [now injection H as <-|].
    destruct (has c i) eqn:E; [|discriminate]. rewrite (has_rest _ _ E), (IH _ _ H). reflexivity.
  Qed.

  (** ** A word that ends is the next word *)

  Definition solid (w : list Z) : Prop := w <> [] /\ forallb (fun c => negb (blank c)) w = true.

  Lemma digit_not_blank c : digit c = true -> negb (blank c) = true.
  Proof. unfold digit, blank, zero_digit, nine_digit, space. intros H. apply andb_true_iff in H.
    destruct (Z.leb_spec c 32); [lia | reflexivity]. Qed.
  Lemma natural_solid w n : spells_natural w n -> solid w.
  Proof.
    intros [H1 [H2 _]]. split; [assumption|]. rewrite forallb_forall in *. intros c Hc. now apply digit_not_blank, H2.
  Qed.
  Lemma integer_solid w z : spells_integer w z -> solid w.
  Proof.
    intros [H|[w' [-> H]]]; [now apply natural_solid in H|]. apply natural_solid in H. destruct H as [_ H].
    split; [discriminate | cbn [forallb]; now rewrite H].
  Qed.
  Lemma ratio_solid w q : spells w (Ratio q) -> solid w.
  Proof.
    intros [[H _]|[p [d [-> [H1 [H2 _]]]]]]; [now apply integer_solid in H|].
    apply integer_solid in H1. apply natural_solid in H2. destruct H1 as [_ H1]. destruct H2 as [_ H2].
    split; [destruct p; discriminate|]. rewrite forallb_app, H1. cbn [forallb]. now rewrite H2.
  Qed.

  Lemma words_from_solid w l : forall begun, forallb (fun c => negb (blank c)) w = true ->
    words_from begun (w ++ l) = words_from (begun ++ w) l.
  Proof.
    induction w as [|c w IH]; intros begun H; [now rewrite app_nil_r|]. cbn [forallb] in H. apply andb_true_iff in H.
    destruct H as [H1 H2]. cbn [app words_from]. destruct (blank c); [discriminate|].
    rewrite IH by assumption. now rewrite <- app_assoc.
  Qed.

  Lemma next_word w i j : solid w -> rest t i = w ++ rest t j -> ends j = true ->
    words (rest t i) = w :: words (rest t j).
  Proof.
    intros [H1 H2] Hi Hj. rewrite Hi. unfold words. rewrite words_from_solid by assumption. cbn [app].
    unfold ends in Hj. destruct (Z.ltb_spec j (byte_count t)) as [L|L].
    - cbn [negb orb] in Hj. rewrite (rest_here j L). cbn [words_from]. rewrite Hj. destruct w;
      [contradiction | reflexivity].
    - rewrite rest_end by assumption. destruct w; [contradiction | reflexivity].
  Qed.

  Lemma no_more_words i : (skip i <? byte_count t) = false -> words (rest t i) = [].
  Proof.
    intros H. apply Z.ltb_ge in H. rewrite <- (skip_from_words i (below_end i)). change (skip_from i (below_end i))
      with (skip i).
    now rewrite rest_end.
  Qed.
End Scan.
