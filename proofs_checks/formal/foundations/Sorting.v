(** * Insertion sort, by any total order

    The one sort of the development: laws are listed by their values, levels by size, up or down. *)

Require Import List Sorting.Sorted.
Import ListNotations.

Section Sorting.
  Context {X : Type} {ord : X -> X -> Prop}.
  Variable ord_dec : forall x y, {ord x y} + {~ ord x y}.

  Fixpoint place (x : X) (l : list X) : list X :=
    match l with
    | [] => [x]
    | y :: l' => if ord_dec x y then x :: l else y :: place x l'
    end.

  Definition arrange (l : list X) : list X := fold_right place [] l.

  Lemma In_place x y l : In x (place y l) <-> x = y \/ In x l.
  Proof.
    induction l as [|z l IH]; simpl; [intuition|]. destruct (ord_dec y z); simpl; [intuition|]. rewrite IH; intuition.
  Qed.

  Lemma In_arrange x l : In x (arrange l) <-> In x l.
  Proof. induction l as [|y l IH]; simpl; [tauto|]. rewrite In_place, IH. intuition. Qed.

  Hypothesis total : forall x y, ~ ord x y -> ord y x.
  Hypothesis trans : forall x y z, ord x y -> ord y z -> ord x z.

  Lemma sorted_place x l : StronglySorted ord l -> StronglySorted ord (place x l).
  Proof.
    induction 1 as [|y l Hl IH Hy]; simpl; [repeat constructor|].
    destruct (ord_dec x y) as [Hxy|Hxy].
    - constructor; [now constructor|]. constructor; [assumption|]. revert Hy; apply Forall_impl; eauto.
    - constructor; [assumption|]. apply Forall_forall; intros z Hz; apply In_place in Hz.
      destruct Hz as [->|Hz]; [now apply total|]. rewrite Forall_forall in Hy; auto.
  Qed.

  Lemma sorted_arrange l : StronglySorted ord (arrange l).
  Proof. induction l as [|x l IH]; simpl; [constructor | now apply sorted_place]. Qed.
End Sorting.
