(** * Finite maps from positive numbers, as binary tries

    Reading after writing ([get_set_other]), mapping ([get_tmap]), pairing ([get_tzip]), and properties of all
    values ([tall_get]). *)

Require Import ZArith List Bool Lia.
Open Scope Z_scope.

Inductive tree (X : Type) : Type :=
| Leaf
| Node (low : tree X) (here : option X) (high : tree X).
Arguments Leaf {X}.
Arguments Node {X} _ _ _.

Fixpoint get {X} (p : positive) (t : tree X) : option X :=
  match t with
  | Leaf => None
  | Node l x r => match p with xH => x | xO q => get q l | xI q => get q r end
  end.

Fixpoint set {X} (p : positive) (x : X) (t : tree X) : tree X :=
  let '(l, y, r) := match t with Leaf => (Leaf, None, Leaf) | Node l y r => (l, y, r) end in
  match p with
  | xH => Node l (Some x) r
  | xO q => Node (set q x l) y r
  | xI q => Node l y (set q x r)
  end.

Fixpoint tmap {X Y} (f : X -> Y) (t : tree X) : tree Y :=
  match t with
  | Leaf => Leaf
  | Node l x r => Node (tmap f l) (option_map f x) (tmap f r)
  end.

(** The image of every entry, together with the entry of another map at the same place. *)
Fixpoint tzip {X Y W} (f : option Y -> X -> W) (c : tree Y) (t : tree X) : tree W :=
  match t with
  | Leaf => Leaf
  | Node l x r =>
      match c with
      | Leaf => Node (tzip f Leaf l) (option_map (f None) x) (tzip f Leaf r)
      | Node cl y cr => Node (tzip f cl l) (option_map (f y) x) (tzip f cr r)
      end
  end.

Fixpoint tall {X} (f : X -> bool) (t : tree X) : bool :=
  match t with
  | Leaf => true
  | Node l x r => tall f l && match x with Some y => f y | None => true end && tall f r
  end.

(** The largest value of [f], and 0. *)
Fixpoint tlargest {X} (f : X -> Z) (t : tree X) : Z :=
  match t with
  | Leaf => 0
  | Node l x r => Z.max (tlargest f l) (Z.max (match x with Some y => f y | None => 0 end) (tlargest f r))
  end.

Lemma get_set_same {X} p (x : X) t : get p (set p x t) = Some x.
Proof. revert t; induction p; intros [|l y r]; cbn; auto. Qed.

Lemma get_set_other {X} p q (x : X) t : p <> q -> get q (set p x t) = get q t.
Proof.
  assert (Hnil : forall r, get r (@Leaf X) = None) by now destruct r.
  revert q t; induction p as [p IH|p IH|]; intros [q|q|] [|l y r] Hne; cbn; try congruence;
    try (rewrite IH by congruence); try apply Hnil; reflexivity.
Qed.

Lemma get_tmap {X Y} (f : X -> Y) p t : get p (tmap f t) = option_map f (get p t).
Proof. revert p; induction t as [|l IHl x r IHr]; intros [p|p|]; cbn; auto. Qed.

Lemma get_tzip {X Y W} (f : option Y -> X -> W) p c t :
  get p (tzip f c t) = match get p t with Some x => Some (f (get p c) x) | None => None end.
Proof.
  assert (Hnil : forall q, get q (@Leaf Y) = None) by now destruct q.
  revert p c; induction t as [|l IHl x r IHr]; intros p c; [destruct p; reflexivity|].
  destruct c as [|cl y cr]; destruct p as [p|p|]; cbn [tzip get]; rewrite ?IHl, ?IHr, ?Hnil; try reflexivity;
    destruct x; reflexivity.
Qed.

Lemma tall_get {X} (f : X -> bool) t p x : tall f t = true -> get p t = Some x -> f x = true.
Proof.
  revert p; induction t as [|l IHl y r IHr]; intros p H Hg; [destruct p; discriminate|].
  cbn [tall] in H. apply andb_true_iff in H; destruct H as [H H3]. apply andb_true_iff in H; destruct H as [H1 H2].
  destruct p as [p|p|]; cbn [get] in Hg; eauto. now subst y.
Qed.

Lemma tlargest_get {X} (f : X -> Z) t p x : get p t = Some x -> f x <= tlargest f t.
Proof.
  revert p; induction t as [|l IHl y r IHr]; intros p Hg; [destruct p; discriminate|]. cbn [tlargest].
  destruct p as [p|p|]; cbn [get] in Hg; [specialize (IHr _ Hg) | specialize (IHl _ Hg) | subst y]; lia.
Qed.

Lemma tlargest_nonneg {X} (f : X -> Z) t : 0 <= tlargest f t.
Proof. induction t; cbn [tlargest]; lia. Qed.
