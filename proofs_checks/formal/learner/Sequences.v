(** * Laws of sequences of outcomes, and what they own against the true law

    [outs] lists the possible outcomes of a pair.  A [sequential] law gives a number to every sequence of outcomes, at
    most 1 to the empty one, and the numbers of its continuations in [outs] sum to at most its own.  Over the chance of
    the sequence under the true law this is what a gambler owns ([sequence_gambler]), whatever the true law is. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw BestRow AnyBehaviour.
Import ListNotations.
Open Scope R_scope.

Fixpoint product_over {X} (l : list X) (f : X -> R) : R :=
  match l with
  | [] => 1
  | x :: l' => f x * product_over l' f
  end.

Lemma product_ext {X} (l : list X) f g : (forall x, In x l -> f x = g x) -> product_over l f = product_over l g.
Proof.
  induction l as [|x l IH]; simpl; intros H; [reflexivity|]. rewrite (H x), IH by auto. reflexivity.
Qed.

Lemma product_pos {X} (l : list X) f : (forall x, In x l -> 0 < f x) -> 0 < product_over l f.
Proof. induction l as [|x l IH]; simpl; intros H; [lra|]. apply Rmult_lt_0_compat; auto. Qed.

(** ** Sequences and the chance that a law gives to them *)

Section Sequences.
  Context {O : Type}.
  Variable dec : forall x y : O, {x = y} + {x <> y}.
  Variable outs : list O.
  Hypothesis Houts : NoDup outs.
  Local Notation count := (count_occ dec).

  Lemma product_step (f : nat -> R) (step : nat -> R) o xs :
    (forall n, f (S n) = f n * step n) -> In o outs ->
    product_over outs (fun o' => f (count (o :: xs) o')) = product_over outs (fun o' => f (count xs o')) * step
      (count xs o).
  Proof.
    intros Hf. revert Houts. induction outs as [|o1 l IH]; [intros _ []|]. intros Hd Hin. inversion Hd; subst.
    cbn [product_over].
    destruct (dec o o1) as [<-|Hne].
    - rewrite count_occ_cons_eq, Hf by reflexivity.
      rewrite (product_ext l _ (fun o' => f (count xs o'))); [ring|].
      intros o' Ho'. rewrite count_occ_cons_neq; [reflexivity|]. intros <-. contradiction.
    - destruct Hin as [->|Hin]; [congruence|]. rewrite count_occ_cons_neq, IH by assumption. ring.
  Qed.

  Lemma counts_sum (l : list O) xs : NoDup l -> sum l (fun o => INR (count xs o)) <= INR (length xs) /\
    ((forall o, In o xs -> In o l) -> sum l (fun o => INR (count xs o)) = INR (length xs)).
  Proof.
    intros Hl. induction xs as [|o xs [IH1 IH2]].
    - cbn [count_occ length]. rewrite sum_const. simpl. lra.
    - rewrite (sum_ext _ _ (fun o' => ind (dec o o') * 1 + INR (count xs o'))).
      + rewrite sum_plus. cbn [length]. rewrite S_INR. destruct (in_dec dec o l) as [Ho|Ho].
        * rewrite (sum_point dec l o (fun _ => 1) Hl Ho). split; [lra|]. intros H. rewrite IH2; [ring|]. intros o' Ho'.
          apply H. now right.
        * rewrite (sum_ext _ _ (fun _ => 0)), sum_const.
          -- split; [lra|]. intros H. exfalso. apply Ho, H. now left.
          -- intros o' Ho'. rewrite ind_no; [ring|]. intros <-. contradiction.
      + intros o' _. destruct (dec o o') as [<-|Hne]; cbn [ind].
        * rewrite count_occ_cons_eq, S_INR by reflexivity. ring.
        * rewrite count_occ_cons_neq by assumption. ring.
  Qed.

  (** A law of sequences that may lose mass, from which nothing outside [outs] is drawn. *)
  Definition sequential (q : list O -> R) : Prop :=
    q [] <= 1 /\ forall xs, 0 <= q xs /\ sum outs (fun o => q (o :: xs)) <= q xs.

  Fixpoint sequence_chance (P : dist O) (xs : list O) : R :=
    match xs with
    | [] => 1
    | o :: xs' => mass dec P o * sequence_chance P xs'
    end.

  Lemma mass_range P o : is_law P -> 0 <= mass dec P o <= 1.
  Proof. apply prob_range. Qed.

  Lemma chance_nonneg P xs : is_law P -> 0 <= sequence_chance P xs.
  Proof.
    intros HP. induction xs as [|o xs IH]; cbn [sequence_chance]; [lra|].
    apply Rmult_le_pos; [now apply mass_range | assumption].
  Qed.

  (** Of a sequence that has a chance, the chance is a product over the outcomes, each with its own count. *)
  Lemma chance_by_counts P xs : (forall o, In o xs -> In o outs) ->
    sequence_chance P xs = product_over outs (fun o => mass dec P o ^ count xs o).
  Proof.
    induction xs as [|o xs IH]; intros Hin.
    - cbn [sequence_chance count_occ]. rewrite (product_ext outs _ (fun _ => 1)) by reflexivity.
      clear Houts Hin. induction outs as [|o l IH]; cbn [product_over]; [reflexivity | rewrite <- IH; ring].
    - cbn [sequence_chance]. rewrite IH by (intros; apply Hin; now right).
      assert (Ho : In o outs) by (apply Hin; now left). clear IH Hin. revert Houts Ho.
      induction outs as [|o1 l IH]; [intros _ []|]. intros Hd Ho. inversion Hd; subst. cbn [product_over].
      destruct (dec o o1) as [<-|Hne].
      + rewrite count_occ_cons_eq by reflexivity. cbn [pow].
        rewrite (product_ext l _ (fun o' => mass dec P o' ^ count (o :: xs) o')); [ring|].
        intros o' Ho'. rewrite count_occ_cons_neq; [reflexivity|]. intros <-. contradiction.
      + destruct Ho as [->|Ho]; [congruence|]. rewrite count_occ_cons_neq by assumption. rewrite <- IH by assumption.
        ring.
  Qed.

  Section Gambler.
    Variables (P : dist O) (q : list O -> R) (C : R).
    Hypothesis HP : is_law P.
    Hypothesis Hin : almost_surely P (fun o => In o outs).
    Hypothesis Hq : sequential q.
    Hypothesis HC : 0 < C.

    Definition owned_against (xs : list O) : R := if Req_EM_T (sequence_chance P xs) 0 then C else q xs /
      sequence_chance P xs.

    Theorem sequence_gambler : gambler P owned_against.
    Proof.
      destruct Hq as [H1 H2]. split; [|intros xs; split].
      - unfold owned_against. cbn [sequence_chance]. destruct (Req_EM_T 1 0); lra.
      - unfold owned_against. pose proof (chance_nonneg P xs HP). destruct (Req_EM_T _ 0); [lra|].
        apply Rdiv_le_0_compat; [apply H2 | lra].
      - unfold owned_against at 2. pose proof (chance_nonneg P xs HP) as Hn.
        destruct (Req_EM_T (sequence_chance P xs) 0) as [Hz|Hz].
        + rewrite (E_ext _ _ (fun _ => C)); [rewrite E_const by assumption; lra|]. intros o. unfold owned_against.
          cbn [sequence_chance].
          rewrite Hz, Rmult_0_r. destruct (Req_EM_T 0 0); congruence.
        + rewrite (E_sum_over dec outs P) by assumption.
          apply Rle_trans with (sum outs (fun o => / sequence_chance P xs * q (o :: xs))).
          * apply sum_le. intros o _. destruct (H2 (o :: xs)) as [Hpos _]. unfold owned_against. cbn [sequence_chance].
            assert (Hi : 0 < / sequence_chance P xs) by (apply Rinv_0_lt_compat; lra).
            destruct (Req_EM_T (mass dec P o) 0) as [->|Hm].
            -- rewrite Rmult_0_l. apply Rmult_le_pos; lra.
            -- destruct (Req_EM_T _ 0) as [Hbad|_]; [apply Rmult_integral in Hbad; lra|]. right. field.
               split; assumption.
          * rewrite sum_scal, Rmult_comm. unfold Rdiv. apply Rmult_le_compat_r; [|apply H2].
            left. apply Rinv_0_lt_compat. lra.
    Qed.

    (** If the gambler owns less than C, the sequence has a chance, and q is small. *)
    Lemma poor_chance xs : owned_against xs < C -> 0 < sequence_chance P xs /\ q xs < C * sequence_chance P xs.
    Proof.
      unfold owned_against. intros H. pose proof (chance_nonneg P xs HP) as Hn.
      destruct (Req_EM_T (sequence_chance P xs) 0) as [|Hz]; [lra|]. assert (Hpos : 0 < sequence_chance P xs) by lra.
      split; [assumption|]. apply Rmult_lt_reg_r with (/ sequence_chance P xs); [now apply Rinv_0_lt_compat|].
      rewrite Rmult_assoc, Rinv_r by lra. unfold Rdiv in H. lra.
    Qed.
  End Gambler.
End Sequences.
