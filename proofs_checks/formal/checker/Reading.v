(** * Readers: from a place in a text to a value and the place behind it, or to a complaint

    [gives r Q]: whatever value the reader r answers, the words that it went over spell items of which Q holds.  The
    readers of numbers, names and lists are here with their rules, those of a certificate in [ReadFile.v]. *)

Require Import ZArith List Bool Lia String Zwf Sumbool.
From VerifiedRisk Require Import Rows Tree Program Text Written.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.
Open Scope list_scope.

(** An answer in parts that a driver prints one after another: words, a number, the word of the text at a place, the
    words between two places or the MD5 of these. *)
Inductive phrase := Say (s : string) | Figure (z : Z) | Quote (place : Z) | Span (from to : Z)
  | Fingerprint (from to : Z).

Inductive reply (X : Type) :=
| Got (x : X) (behind : Z)
| Stopped (place : Z) (why : list phrase).
Arguments Got {X} _ _.
Arguments Stopped {X} _ _.

(** A word has at most so many characters, a list at most so many items. *)
Definition longest_word : Z := 50000.
Definition most_items : Z := 50000000.

Section Readers.
  Variable t : text.
  Definition reader (X : Type) := Z -> reply X.

  Definition answered {X} (x : X) : reader X := fun i => Got x i.
  Definition and_then {X Y} (r : reader X) (f : X -> reader Y) : reader Y :=
    fun i => match r i with Got x j => f x j | Stopped p why => Stopped p why end.
  Definition here : reader Z := fun i => Got i i.
  (** Nothing is read; a complaint, if there is one, is about the word before. *)
  Definition unless (why : list phrase) : reader unit := fun i => match why with []
    => Got tt i | _ => Stopped i why end.

  (** ** Numbers and names *)

  Definition unexpected {X} (what : string) (i : Z) (why : list phrase) : reply X :=
    if i <? byte_count t then Stopped i why else Stopped i [Say "the file ends where "; Say what; Say " was expected"].
  Definition no_number {X} (what : string) (i j : Z) (wanted : string) : reply X :=
    if longest_word <=? j - i then Stopped i [Say "a word of more than "; Figure longest_word; Say " characters"]
    else unexpected what i [Say what; Say " is "; Quote i; Say wanted].

  Definition integer (what : string) : reader Z := fun i =>
    let a := skip t i in
    match integer_at t (a + longest_word) a with
    | Some (z, j) => if ends t j then Got z j else no_number what a j ", wanted an integer in decimal digits"
    | None => no_number what a a ", wanted an integer in decimal digits"
    end.
  Definition rational (what : string) : reader rat := fun i =>
    let a := skip t i in
    match ratio_at t (a + longest_word) a with
    | Some (q, j) => if ends t j then Got q j else no_number what a j
      ", wanted an integer or p/q in decimal digits, q > 0"
    | None => no_number what a a ", wanted an integer or p/q in decimal digits, q > 0"
    end.
  Definition wrong {X} (what : string) (i : Z) (wanted : list phrase) : reply X :=
    let a := skip t i in Stopped a (Say what :: Say " is " :: Quote a :: Say ", wanted " :: wanted).
  Definition between (what : string) (least most : Z) : reader Z := fun i =>
    match integer what i with
    | Got z j => if (least <=? z) && (z <=? most) then Got z j else wrong what i [Figure least; Say " to "; Figure most]
    | stop => stop
    end.
  Definition positive_number (what : string) : reader Z := fun i =>
    match integer what i with
    | Got z j => if 0 <? z then Got z j else wrong what i [Say "a positive integer"]
    | stop => stop
    end.
  Definition natural (what : string) : reader Z := fun i =>
    match integer what i with
    | Got z j => if 0 <=? z then Got z j else wrong what i [Say "0 or more"]
    | stop => stop
    end.
  (** States count from 0 in files, from 1 in the checker. *)
  Definition state_named (what : string) (states : Z) : reader positive := fun i =>
    match between what 0 (states - 1) i with
    | Got z j => Got (Z.to_pos (z + 1)) j
    | Stopped p why => Stopped p why
    end.

  Definition name (s : string) (i : Z) : option Z :=
    match name_at t (codes s) (skip t i) with Some j => if ends t j then Some j else None | None => None end.
  Definition keyword (s : string) : reader unit := fun i =>
    match name s i with
    | Some j => Got tt j
    | None =>
        let a := skip t i in
        if a <? byte_count t then Stopped a [Quote a; Say " where '"; Say s; Say "' was expected"]
        else Stopped a [Say "the file ends where '"; Say s; Say "' was expected"]
    end.
  (** The reader behind the name that is there. *)
  Fixpoint select {X} (what : string) (why : Z -> list phrase) (l : list (string * reader X)) : reader X := fun i =>
    match l with
    | [] => let a := skip t i in unexpected what a (why a)
    | (s, r) :: l' => match name s i with Some j => r j | None => select what why l' i end
    end.
  Definition not_covered_word (what : string) (a : Z) : list phrase := [Say "not covered: "; Say what; Say " ";
    Quote a].
  Definition other_word (wanted : string) (a : Z) : list phrase := [Quote a; Say " where "; Say wanted;
    Say " was expected"].

  (** ** Lists *)

  Lemma less n : (0 <? n) = true -> Zwf 0 (n - 1) n.
  Proof. intros H. apply Z.ltb_lt in H. unfold Zwf. lia. Qed.
  Fixpoint loop {S} (step : S -> reader S) (n : Z) (a : Acc (Zwf 0) n) (s : S) (i : Z) {struct a} : reply S :=
    match sumbool_of_bool (0 <? n) with
    | left H => match step s i with Got s' j => loop step (n - 1) (Acc_inv a (less n H)) s' j | stop => stop end
    | right _ => Got s i
    end.
  Definition push {X} (r : reader X) (found : list X) : reader (list X) :=
    fun i => match r i with Got x j => Got (x :: found) j | Stopped p why => Stopped p why end.
  Definition exactly {X} (n : Z) (r : reader X) : reader (list X) := fun i =>
    match loop (push r) n (computable (Zwf_well_founded 0) n) [] i with Got l j => Got (rev' l) j | stop => stop end.
  Definition several_to {X} (most : Z) (what : string) (least : Z) (r : reader X) : reader (list X) :=
    and_then (between what least most) (fun n => exactly n r).
  Definition several {X} : string -> Z -> reader X -> reader (list X) := several_to most_items.

  (** What belongs to so many states, each of them once. *)
  Definition push_state {X} (what : string) (states : Z) (r : reader X) (found : tree unit * listing X) :
    reader (tree unit * listing X) := fun i =>
    match state_named what states i with
    | Got s j =>
        match get s (fst found) with
        | Some _ => Stopped (skip t i) [Say "state "; Figure (Zpos s - 1); Say " twice"]
        | None =>
            match r j with
            | Got x k => Got (set s tt (fst found), (s, x) :: snd found) k
            | Stopped p why => Stopped p why
            end
        end
    | Stopped p why => Stopped p why
    end.
  Definition each_state {X} (what : string) (states n : Z) (r : reader X) : reader (listing X) := fun i =>
    match loop (push_state what states r) n (computable (Zwf_well_founded 0) n) (Leaf, []) i with
    | Got found j => Got (rev' (snd found)) j
    | Stopped p why => Stopped p why
    end.

  Definition states_to {X} (number : string) (least : Z) (what : string) (states : Z) (r : reader X)
    : reader (listing X) :=
    and_then (between number least states) (fun n => each_state what states n r).

  (** Pairs (k, x) until the k sum to n. *)
  Lemma less_by n k : (0 <? k) && (k <=? n) = true -> Zwf 0 (n - k) n.
  Proof. intros H. apply andb_true_iff in H. rewrite Z.ltb_lt, Z.leb_le in H. unfold Zwf. lia. Qed.
  Fixpoint fill_from {X} (r : Z -> reader (Z * X)) (n : Z) (a : Acc (Zwf 0) n) (found : list (Z * X)) (i : Z)
    {struct a} :
    reply (list (Z * X)) :=
    if n =? 0 then Got (rev' found) i
    else match r n i with
         | Got kx j =>
             match sumbool_of_bool ((0 <? fst kx) && (fst kx <=? n)) with
             | left H => fill_from r (n - fst kx) (Acc_inv a (less_by n (fst kx) H)) (kx :: found) j
             | right _ => Stopped j [Say "a length out of range"]
             end
         | Stopped p why => Stopped p why
         end.
  Definition fill {X} (n : Z) (r : Z -> reader (Z * X)) : reader (list (Z * X)) :=
    fill_from r n (computable (Zwf_well_founded 0) n) [].

  (** ** What readers give *)

  Definition tells (i j : Z) (l : list item) : Prop :=
    exists ws, words (rest t i) = (ws ++ words (rest t j)) /\ Forall2 spells ws l.
  Definition gives {X} (r : reader X) (Q : X -> list item -> Prop) : Prop :=
    forall i x j, r i = Got x j -> exists l, tells i j l /\ Q x l.
  Definition reads {X} (r : reader X) (f : X -> list item) : Prop := gives r (fun x l => l = f x).

  Lemma tells_nil i : tells i i [].
  Proof. exists []. split; [reflexivity | constructor]. Qed.
  Lemma tells_app i j k l l' : tells i j l -> tells j k l' -> tells i k (l ++ l').
  Proof.
    intros [ws [H1 H2]] [ws' [H3 H4]]. exists (ws ++ ws'). split; [now rewrite H1, H3, app_assoc | now apply
      Forall2_app].
  Qed.

  Lemma gives_ret {X} (x : X) (Q : X -> list item -> Prop) : Q x [] -> gives (answered x) Q.
  Proof. intros H i y j E. injection E as <- <-. exists []. split; [apply tells_nil | assumption]. Qed.
  Lemma gives_bind {X Y} (r : reader X) (f : X -> reader Y) P Q : gives r P ->
    (forall x l, P x l -> gives (f x) (fun y l' => Q y (l ++ l'))) -> gives (and_then r f) Q.
  Proof.
    intros Hr Hf i y k E. unfold and_then in E. destruct (r i) as [x j|] eqn:R; [|discriminate].
    destruct (Hr i x j R) as [l [T P1]]. destruct (Hf x l P1 j y k E) as [l' [T' Q1]].
    exists (l ++ l'). split; [now apply (tells_app i j k) | assumption].
  Qed.
  Lemma gives_weaker {X} (r : reader X) (P Q : X -> list item -> Prop) : gives r P -> (forall x l, P x l -> Q x l) ->
    gives r Q.
  Proof. intros H HPQ i x j E. destruct (H i x j E) as [l [T P1]]. exists l. auto. Qed.
  Lemma gives_unless why (Q : unit -> list item -> Prop) : Q tt [] -> gives (unless why) Q.
  Proof.
    intros H i x j E. unfold unless in E. destruct why; [|discriminate]. injection E as <- <-. exists [].
    split; [apply tells_nil | assumption].
  Qed.

  Lemma reads_here : reads here (fun _ => []).
  Proof. intros i x j E. injection E as <- <-. exists []. split; [apply tells_nil | reflexivity]. Qed.

  Lemma tells_word i j w x : solid w -> rest t (skip t i) = (w ++ rest t j) -> ends t j = true -> spells w x ->
    tells i j [x].
  Proof.
    intros H1 H2 H3 H4. exists [w]. split; [|now repeat constructor].
    rewrite <- (skip_from_words t i (below_end t i)). exact (next_word t w _ j H1 H2 H3).
  Qed.
  Lemma no_number_got {X} what i j wanted (x : X) k : no_number what i j wanted = Got x k -> False.
  Proof. unfold no_number, unexpected. destruct (longest_word <=? _), (i <? byte_count t); discriminate. Qed.

  Lemma reads_integer what : reads (integer what) (fun z => [Int z]).
  Proof.
    intros i z j E. unfold integer in E. cbv zeta in E.
    destruct (integer_at t _ (skip t i)) as [[z' j']|] eqn:H; [|now apply no_number_got in E].
    destruct (ends t j') eqn:F; [|now apply no_number_got in E]. injection E as <- <-.
    destruct (integer_at_says t _ _ _ _ H) as [w [H1 H2]]. exists [Int z']. split; [|reflexivity].
    apply (tells_word i j' w); [now apply (integer_solid w z') | assumption | assumption | exact H2].
  Qed.
  Lemma reads_ratio what : reads (rational what) (fun q => [Ratio q]).
  Proof.
    intros i q j E. unfold rational in E. cbv zeta in E.
    destruct (ratio_at t _ (skip t i)) as [[q' j']|] eqn:H; [|now apply no_number_got in E].
    destruct (ends t j') eqn:F; [|now apply no_number_got in E]. injection E as <- <-.
    destruct (ratio_at_says t _ _ _ _ H) as [w [H1 H2]]. exists [Ratio q']. split; [|reflexivity].
    apply (tells_word i j' w); [now apply (ratio_solid w q') | assumption | assumption | exact H2].
  Qed.
  Lemma gives_between what least most : gives (between what least most) (fun z l => l = [Int z] /\ least <= z <= most).
  Proof.
    intros i z j E. unfold between in E. destruct (integer what i) as [z' j'|] eqn:H; [|discriminate].
    destruct ((least <=? z') && (z' <=? most)) eqn:B; [|discriminate]. injection E as <- <-.
    destruct (reads_integer what i z' j' H) as [l [T ->]]. exists [Int z']. apply andb_true_iff in B.
    rewrite !Z.leb_le in B. auto.
  Qed.
  Lemma reads_between what least most : reads (between what least most) (fun z => [Int z]).
  Proof. apply (gives_weaker _ _ _ (gives_between what least most)). now intros x l [-> _]. Qed.
  Lemma reads_positive_number what : reads (positive_number what) (fun z => [Int z]).
  Proof.
    intros i z j E. unfold positive_number in E. destruct (integer what i) as [z' j'|] eqn:H; [|discriminate].
    destruct (0 <? z'); [|discriminate]. injection E as <- <-. exact (reads_integer what i z' j' H).
  Qed.
  Lemma reads_natural what : reads (natural what) (fun z => [Int z]).
  Proof.
    intros i z j E. unfold natural in E. destruct (integer what i) as [z' j'|] eqn:H; [|discriminate].
    destruct (0 <=? z'); [|discriminate]. injection E as <- <-. exact (reads_integer what i z' j' H).
  Qed.
  Lemma reads_state what states : reads (state_named what states) (fun s => [item_of_state s]).
  Proof.
    intros i s j E. unfold state_named in E. destruct (between what 0 (states - 1) i) as [z j'|] eqn:H; [|discriminate].
    injection E as <- <-. destruct (gives_between what 0 (states - 1) i z j' H) as [l [T [-> B]]]. exists [Int z].
    split; [assumption|]. unfold item_of_state. rewrite Z2Pos.id by lia. f_equal. f_equal. lia.
  Qed.

  Lemma name_tells s i j : solid (codes s) -> name s i = Some j -> tells i j [Name s].
  Proof.
    intros H E. unfold name in E. destruct (name_at t (codes s) (skip t i)) as [j'|] eqn:N; [|discriminate].
    destruct (ends t j') eqn:F; [|discriminate]. injection E as <-.
    apply (tells_word i j' (codes s)); [assumption | now apply name_at_says | assumption | reflexivity].
  Qed.
  Lemma gives_keyword s : solid (codes s) -> reads (keyword s) (fun _ => [Name s]).
  Proof.
    intros H i x j E. unfold keyword in E. destruct (name s i) as [j'|] eqn:N.
    - injection E as <- <-. exists [Name s]. split; [now apply name_tells | reflexivity].
    - cbv zeta in E. destruct (skip t i <? byte_count t); discriminate.
  Qed.
  Lemma gives_select {X} what why (l : list (string * reader X)) (Q : X -> list item -> Prop) :
    Forall (fun sr => solid (codes (fst sr)) /\ gives (snd sr) (fun x l' => Q x (Name (fst sr) :: l'))) l ->
    gives (select what why l) Q.
  Proof.
    intros H i x k E. induction H as [|[s r] l [H1 H2] _ IH]; cbn [select] in E.
    - unfold unexpected in E. cbv zeta in E. destruct (skip t i <? byte_count t); discriminate.
    - destruct (name s i) as [j|] eqn:N; [|now apply IH]. destruct (H2 j x k E) as [l' [T Q1]].
      exists (Name s :: l'). split; [|assumption]. exact (tells_app i j k [Name s] l' (name_tells s i j H1 N) T).
  Qed.

  (** Invariants of the loop: of the number of rounds, the state and the items so far. *)
  Lemma gives_loop {S} (step : S -> reader S) (Inv : Z -> S -> list item -> Prop) :
    (forall k s l, Inv k s l -> gives (step s) (fun s' l' => Inv (k + 1) s' (l ++ l'))) ->
    forall n a k s l, Inv k s l -> gives (loop step n a s) (fun s' l' => Inv (k + Z.max 0 n) s' (l ++ l')).
  Proof.
    intros Hstep n a. induction a as [n a IH] using Acc_inv_dep. intros k s l H i x j E. cbn [loop] in E.
    destruct (sumbool_of_bool (0 <? n)) as [N|N].
    - apply Z.ltb_lt in N as N'. destruct (step s i) as [s' j'|] eqn:R; [|discriminate].
      destruct (Hstep k s l H i s' j' R) as [l1 [T1 I1]].
      destruct (IH (n - 1) (less n N) (k + 1) s' (l ++ l1) I1 j' x j E) as [l2 [T2 I2]].
      exists (l1 ++ l2). split; [now apply (tells_app i j' j)|]. rewrite app_assoc.
      now replace (k + Z.max 0 n) with (k + 1 + Z.max 0 (n - 1)) by lia.
    - apply Z.ltb_ge in N. injection E as <- <-. exists []. split; [apply tells_nil|]. rewrite app_nil_r.
      now replace (k + Z.max 0 n) with k by lia.
  Qed.

  Lemma rev'_rev {X} (l : list X) : rev' l = rev l.
  Proof. symmetry. apply rev_alt. Qed.

  Lemma gives_exactly {X} n (r : reader X) f : reads r f ->
    gives (exactly n r) (fun x l => l = flat_map f x /\ Z.of_nat (List.length x) = Z.max 0 n).
  Proof.
    intros Hr i x j E. unfold exactly in E. destruct (loop (push r) n _ [] i) as [found j'|] eqn:L; [|discriminate].
    injection E as <- <-.
    apply (gives_loop (push r) (fun k s l => l = flat_map f (rev s) /\ Z.of_nat (List.length s) = k)) with (k := 0)
      (l := []) in L;
      [|clear - Hr|now split].
    - destruct L as [l [T [H1 H2]]]. exists l. rewrite rev'_rev, rev_length. auto.
    - intros k s l [-> <-] i x j E. unfold push in E. destruct (r i) as [y j'|] eqn:R; [|discriminate].
      injection E as <- <-. destruct (Hr i y j' R) as [l' [T ->]]. exists (f y). split; [assumption|].
      cbn [rev List.length]. rewrite flat_map_app. cbn [flat_map]. rewrite app_nil_r. split; [reflexivity | lia].
  Qed.
  Lemma reads_exactly {X} n (r : reader X) f : reads r f -> reads (exactly n r) (flat_map f).
  Proof. intros H. apply (gives_weaker _ _ _ (gives_exactly n r f H)). now intros x l [-> _]. Qed.
  Lemma reads_several {X} most what least (r : reader X) f : 0 <= least -> reads r f ->
    reads (several_to most what least r) (items_of_list f).
  Proof.
    intros Hl Hr. eapply gives_bind; [apply gives_between|]. intros n l [-> B].
    apply (gives_weaker _ _ _ (gives_exactly n r f Hr)). intros x l [-> H]. unfold items_of_list, item_of_length.
    rewrite H, Z.max_r by lia. reflexivity.
  Qed.

  Lemma gives_each_state {X} what states n (r : reader X) f : reads r f ->
    gives (each_state what states n r) (fun x l => l = flat_map (by_state f) x /\ Z.of_nat (List.length x) = Z.max 0 n).
  Proof.
    intros Hr i x j E. unfold each_state in E.
    destruct (loop (push_state what states r) n _ (Leaf, []) i) as [found j'|] eqn:L; [|discriminate].
      injection E as <- <-.
    apply (gives_loop (push_state what states r)
      (fun k s l => l = flat_map (by_state f) (rev (snd s)) /\ Z.of_nat (List.length (snd s)) = k)) with (k := 0) (l :=
        []) in L;
      [|clear - Hr|now split].
    - destruct L as [l [T [H1 H2]]]. exists l. rewrite rev'_rev, rev_length. auto.
    - intros k s l [-> <-] i x j E. unfold push_state in E.
      destruct (state_named what states i) as [p j1|] eqn:S1; [|discriminate]. destruct (get p (fst s));
        [discriminate|].
      destruct (r j1) as [y j2|] eqn:R; [|discriminate]. injection E as <- <-.
      destruct (reads_state what states i p j1 S1) as [l1 [T1 ->]]. destruct (Hr j1 y j2 R) as [l2 [T2 ->]].
      exists ([item_of_state p] ++ f y). split; [now apply (tells_app i j1 j2)|]. cbn [snd rev List.length].
      rewrite flat_map_app. cbn [flat_map]. rewrite app_nil_r. split; [reflexivity | lia].
  Qed.

  Lemma reads_states_to {X} number least what states (r : reader X) f : 0 <= least -> reads r f ->
    reads (states_to number least what states r) (items_of_list (by_state f)).
  Proof.
    intros Hl Hr. eapply gives_bind; [apply gives_between|]. intros n l [-> B].
    apply (gives_weaker _ _ _ (gives_each_state what states n r f Hr)). intros x l [-> H].
      unfold items_of_list, item_of_length.
    rewrite H, Z.max_r by lia. reflexivity.
  Qed.

  Lemma gives_fill {X} n (r : Z -> reader (Z * X)) f : (forall m, reads (r m) f) -> 0 <= n ->
    gives (fill n r) (fun x l => l = flat_map f x /\ zsum fst x = n).
  Proof.
    intros Hr. unfold fill. intros Hn i x j E.
    assert (G : forall n a found i x j, fill_from r n a found i = Got x j -> exists more,
      x = (rev found ++ more) /\ zsum fst more = n /\ tells i j (flat_map f more)).
    { clear - Hr. intros n a. induction a as [n a IH] using Acc_inv_dep. intros found i x j E. cbn [fill_from] in E.
      destruct (Z.eqb_spec n 0) as [->|N].
      - injection E as <- <-. exists []. rewrite rev'_rev, app_nil_r. repeat split. apply tells_nil.
      - destruct (r n i) as [kx j'|] eqn:R; [|discriminate].
        destruct (sumbool_of_bool _) as [H|H] in E; [|discriminate].
        destruct (IH _ _ _ _ _ _ E) as [more [-> [H2 T]]]. destruct (Hr n i kx j' R) as [l [T' ->]].
        exists (kx :: more). cbn [rev flat_map]. rewrite <- app_assoc. repeat split.
        + cbn [zsum]. lia.
        + now apply (tells_app i j' j). }
    destruct (G _ _ _ _ _ _ E) as [more [-> [H T]]]. exists (flat_map f more). auto.
  Qed.
End Readers.
