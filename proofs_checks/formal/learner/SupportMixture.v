(** * The mixture over supports: one law of sequences for a whole row

    [outs] lists the K possible outcomes of a pair.  After a sequence with N outcomes, k different ones among them, x_o
    times the outcome o, the mixture of the laws of Krichevsky and Trofimov on all sets of at most [most] outcomes has

      q = sum_m  w_m  choose (K - k) (m - k) / choose K m * prod_o prod_{i < x_o} (i + 1/2) / prod_{j < N} (j + m/2),

    m from k to [most], w_m = (most + 1) / (most m (m + 1)).  The last quotient is that of Gamma functions, since
    Gamma(a + n) / Gamma(a) = prod_{i < n} (a + i).  [mixture_is_sequential]: for every [most] <= K it is a law of
    sequences, of which the true law enters nowhere. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw KtRedundancy AnyBehaviour Sequences.
Import ListNotations.
Open Scope R_scope.

(** ** Binomial coefficients *)

Fixpoint choose (n k : nat) : nat :=
  match n, k with
  | _, O => 1
  | O, S _ => 0
  | S n', S k' => choose n' k' + choose n' k
  end.

Lemma choose_none n : choose n 0 = 1%nat.
Proof. destruct n; reflexivity. Qed.

Lemma choose_absorbs n : forall k, (S k * choose (S n) (S k) = S n * choose n k)%nat.
Proof.
  induction n as [|n IH]; intros k; [destruct k; cbn [choose]; lia|].
  change (choose (S (S n)) (S k)) with (choose (S n) k + choose (S n) (S k))%nat. destruct k as [|k].
  - pose proof (IH O) as H. rewrite choose_none in *. lia.
  - pose proof (IH (S k)) as H1. pose proof (IH k) as H2.
    change (choose (S n) (S k)) with (choose n k + choose n (S k))%nat in *. lia.
Qed.

Lemma choose_pos n : forall k, (k <= n)%nat -> (0 < choose n k)%nat.
Proof.
  induction n as [|n IH]; intros [|k] H; cbn [choose]; try lia. specialize (IH k). lia.
Qed.

(** prod_{j < n} (j + a) *)
Fixpoint rising_from (a : R) (n : nat) : R :=
  match n with
  | O => 1
  | S n' => rising_from a n' * (INR n' + a)
  end.

Lemma rising_from_pos a n : 0 < a -> 0 < rising_from a n.
Proof.
  intros Ha. induction n as [|n IH]; cbn [rising_from]; [lra|]. pose proof (pos_INR n). apply Rmult_lt_0_compat; lra.
Qed.

Section Mixture.
  Context {O : Type}.
  Variable dec : forall x y : O, {x = y} + {x <> y}.
  Variables (outs : list O) (most : nat).
  Hypothesis Houts : NoDup outs.
  Hypothesis Hmost : (1 <= most <= length outs)%nat.
  Local Notation count := (count_occ dec).
  Local Notation K := (length outs).

  (** ** The mixture *)

  Definition is_seen (xs : list O) (o : O) : bool := negb (Nat.eqb (count xs o) 0).
  Definition different_seen (xs : list O) : nat := length (filter (is_seen xs) outs).
  Definition support_weight (m : nat) : R := (INR most + 1) / (INR most * (INR m * (INR m + 1))).
  (** The part of the supports of size m that contain k given outcomes. *)
  Definition share (k m : nat) : R :=
    if le_dec k m then INR (choose (K - k) (m - k)) / INR (choose K m) else 0.
  Definition by_counts (xs : list O) : R := product_over outs (fun o => rising (count xs o)).
  Definition term (xs : list O) (m : nat) : R :=
    support_weight m * (share (different_seen xs) m * (by_counts xs / rising_from (INR m / 2) (length xs))).
  Definition support_mixture (xs : list O) : R := sum (seq 1 most) (term xs).

  Lemma support_weights_sum : sum (seq 1 most) support_weight = 1.
  Proof.
    assert (H : forall n a, (1 <= a)%nat -> sum (seq a n) (fun m => / (INR m * (INR m + 1))) = / INR a - / INR (a + n)).
    { induction n as [|n IH]; intros a Ha; cbn [seq sum]; [rewrite Nat.add_0_r; ring|].
      rewrite IH by lia. assert (0 < INR a) by (apply lt_0_INR; lia). rewrite Nat.add_succ_l, <- Nat.add_succ_r.
      rewrite S_INR. assert (0 < INR (a + S n)) by (apply lt_0_INR; lia). field. repeat split; lra. }
    assert (Hm : 0 < INR most) by (apply lt_0_INR; lia).
    rewrite (sum_ext _ _ (fun m => (INR most + 1) / INR most * / (INR m * (INR m + 1)))).
    - rewrite sum_scal, H by lia. rewrite plus_INR. simpl (INR 1). field. lra.
    - intros m Hin. apply in_seq in Hin. assert (0 < INR m) by (apply lt_0_INR; lia). unfold support_weight. field. lra.
  Qed.

  Lemma support_weight_nonneg m : (1 <= m)%nat -> 0 <= support_weight m.
  Proof.
    intros H. assert (0 < INR m) by (apply lt_0_INR; lia). assert (0 < INR most) by (apply lt_0_INR; lia).
    left. apply Rdiv_lt_0_compat; [lra|]. apply Rmult_lt_0_compat; [assumption|]. apply Rmult_lt_0_compat; lra.
  Qed.

  Lemma share_nonneg k m : (m <= K)%nat -> 0 <= share k m.
  Proof.
    intros H. unfold share. destruct (le_dec k m); [|lra].
    apply Rdiv_le_0_compat; [apply pos_INR | apply lt_0_INR, choose_pos, H].
  Qed.

  (** One more different outcome: of the supports with the first k, (m - k) / (K - k) have it. *)
  Lemma share_step k m : (k <= K)%nat -> (m <= K)%nat ->
    (INR K - INR k) * share (S k) m = (if le_dec k m then INR m - INR k else 0) * share k m.
  Proof.
    intros Hk Hm. unfold share. destruct (le_dec k m) as [H|H], (le_dec (S k) m) as [H'|H']; try lia; try ring.
    - rewrite <- !minus_INR by lia. unfold Rdiv. rewrite <- !Rmult_assoc, <- !mult_INR. do 2 f_equal.
      pose proof (choose_absorbs (K - S k) (m - S k)) as E. replace (S (K - S k)) with (K - k)%nat in E by lia.
      replace (S (m - S k)) with (m - k)%nat in E by lia. symmetry. exact E.
    - replace m with k by lia. ring.
  Qed.

  Lemma seen_le xs : (different_seen xs <= K)%nat.
  Proof. unfold different_seen. clear. induction outs as [|o l IH]; cbn; [lia|]. destruct (is_seen xs o); cbn; lia. Qed.

  Lemma seen_step o xs : In o outs -> different_seen (o :: xs) = if is_seen xs o then different_seen xs else S
    (different_seen xs).
  Proof.
    unfold different_seen. clear Hmost. revert Houts. induction outs as [|o1 l IH]; [intros _ []|]. intros Hd Hin.
    inversion Hd; subst. cbn [filter]. destruct (dec o o1) as [<-|Hne].
    - assert (Hl : filter (is_seen (o :: xs)) l = filter (is_seen xs) l).
      { apply filter_ext_in. intros o' Ho'. unfold is_seen. rewrite count_occ_cons_neq; [reflexivity|]. intros <-.
        contradiction. }
      rewrite Hl. unfold is_seen at 1. rewrite count_occ_cons_eq by reflexivity. cbn [Nat.eqb negb length].
      destruct (is_seen xs o); reflexivity.
    - destruct Hin as [->|Hin]; [congruence|]. specialize (IH ltac:(assumption) Hin).
      assert (He : is_seen (o :: xs) o1 = is_seen xs o1)
        by (unfold is_seen; now rewrite count_occ_cons_neq by assumption).
      rewrite He. destruct (is_seen xs o1); cbn [length]; rewrite IH; destruct (is_seen xs o); reflexivity.
  Qed.

  (** What the outcomes multiply the mixture of one size by, summed: with c the shares before and d after a new one. *)
  Lemma sum_of_steps xs c d :
    sum outs (fun o => (if is_seen xs o then c else d) * (INR (count xs o) + / 2)) =
    c * (sum outs (fun o => INR (count xs o)) + INR (different_seen xs) / 2) +
    (INR K - INR (different_seen xs)) * d / 2.
  Proof.
    unfold different_seen. clear. induction outs as [|o l IH]; cbn [sum filter length]; [simpl; field|]. rewrite IH.
    assert (E : is_seen xs o = false -> INR (count xs o) = 0).
    { unfold is_seen. destruct (Nat.eqb_spec (count xs o) 0) as [->|]; [reflexivity | discriminate]. }
    destruct (is_seen xs o); cbn [length]; rewrite ?E, !S_INR by reflexivity; field.
  Qed.

  Lemma term_step xs m : (1 <= m <= K)%nat -> sum outs (fun o => term (o :: xs) m) <= term xs m.
  Proof.
    intros Hm. assert (Hm0 : 0 < INR m) by (apply lt_0_INR; lia). pose proof (pos_INR (length xs)) as HN.
    pose proof (rising_from_pos (INR m / 2) (length xs) ltac:(lra)) as Hr. set (r := rising_from _ _) in Hr.
    assert (Hg : 0 < by_counts xs) by (apply product_pos; intros; apply rising_pos).
    set (k := different_seen xs). set (N := INR (length xs)) in *.
    rewrite (sum_ext _ _ (fun o => support_weight m * (by_counts xs / (r * (N + INR m / 2))) *
      ((if is_seen xs o then share k m else share (S k) m) * (INR (count xs o) + / 2)))).
    - rewrite sum_scal, sum_of_steps. fold k. pose proof (share_step k m (seen_le xs) ltac:(lia)) as Hs.
      set (c := share k m) in *. set (d := share (S k) m) in *.
      assert (Hc : 0 <= c) by (apply share_nonneg; lia). pose proof (proj1 (counts_sum dec outs xs Houts)) as Hx.
      fold N in Hx.
      set (x := sum outs (fun o => INR (count xs o))) in *.
      assert (Hb : c * (x + INR k / 2) + (INR K - INR k) * d / 2 <= c * (N + INR m / 2)).
      { rewrite Hs. unfold c, share in *. destruct (le_dec k m); [|lra]. set (c' := INR _ / INR _) in *. nra. }
      unfold term. fold r k c. pose proof (support_weight_nonneg m ltac:(lia)) as Hw.
      replace (support_weight m * (c * (by_counts xs / r)))
        with (support_weight m * (by_counts xs / (r * (N + INR m / 2))) * (c * (N + INR m / 2))) by (field; lra).
      apply Rmult_le_compat_l; [|assumption]. apply Rmult_le_pos; [assumption|]. left. apply Rdiv_lt_0_compat;
        [assumption|]. apply Rmult_lt_0_compat; lra.
    - intros o Ho. unfold term. rewrite seen_step by assumption. fold k.
      assert (Hb : by_counts (o :: xs) = by_counts xs * (INR (count xs o) + / 2))
        by exact (product_step dec outs Houts rising (fun n => INR n + / 2) o xs (fun n => eq_refl) Ho).
      rewrite Hb. cbn [length rising_from]. fold r N.
      destruct (is_seen xs o); field; lra.
  Qed.

  (** Given: a list of possible outcomes without repetitions, and a largest support, at least 1.
      Differs: the law of sequences alone, whatever the true law.
      In words: 10-kl-learner.md#kl-ball.
      Step of: corrected/ii. *)
  Theorem mixture_is_sequential : sequential outs support_mixture.
  Proof.
    split; [|intros xs; split].
    - rewrite <- support_weights_sum. unfold support_mixture. apply sum_le. intros m Hin. apply in_seq in Hin.
      assert (E0 : different_seen [] = 0%nat).
      { unfold different_seen. clear. induction outs as [|o l IH]; [reflexivity | exact IH]. }
      assert (E1 : by_counts [] = 1).
      { unfold by_counts. clear. induction outs as [|o l IH]; cbn [product_over]; [reflexivity|]. rewrite IH. simpl.
        ring. }
      unfold term, share. rewrite E0, E1, !Nat.sub_0_r. destruct (le_dec 0 m); [|lia]. cbn [length rising_from].
      assert (0 < INR (choose K m)) by (apply lt_0_INR, choose_pos; lia). right. field. lra.
    - unfold support_mixture. apply sum_nonneg. intros m Hin. apply in_seq in Hin.
      assert (Hm0 : 0 < INR m) by (apply lt_0_INR; lia).
      apply Rmult_le_pos; [apply support_weight_nonneg; lia|]. apply Rmult_le_pos; [apply share_nonneg; lia|].
      left. apply Rdiv_lt_0_compat; [apply product_pos; intros; apply rising_pos | apply rising_from_pos; lra].
    - unfold support_mixture. assert (Hswap : forall (l : list O) (ms : list nat) (f : O -> nat -> R),
        sum l (fun o => sum ms (f o)) = sum ms (fun m => sum l (fun o => f o m))).
      { intros l ms f. induction l as [|o l IH]; cbn [sum]; [now rewrite sum_const, Rmult_0_r|].
        now rewrite IH, <- sum_plus. }
      rewrite Hswap. apply sum_le. intros m Hin. apply in_seq in Hin. apply term_step. lia.
  Qed.
End Mixture.
