(** * The prescribed ends exist and are ordered

    For 1 <= x <= N and a width W > 0 there is exactly one q in (0, x/N) with  N kl(x/N, q) = W.  It grows with x.  So
    the lower ends of the levels of a distribution function are themselves the levels of one. *)

Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KtRedundancy KlSets KlWidths.
Import ListNotations.
Open Scope R_scope.

(** ** The end as the root of a polynomial *)

Lemma lik_continuous a b : continuity (fun q => lik q a b).
Proof.
  unfold lik. apply continuity_mult; apply derivable_continuous.
  - apply derivable_pow.
  - apply (derivable_comp (fun q => 1 - q) (fun q => q ^ b)); [|apply derivable_pow].
    apply derivable_minus; [apply derivable_const | apply derivable_id].
Qed.

Section Root.
  Variables (W : R) (N x : nat).
  Hypothesis HW : 0 < W.
  Hypothesis Hx : (1 <= x <= N)%nat.

  Local Notation b := (N - x)%nat.
  Local Notation p := (INR x / INR N).
  Local Notation target := (exp (- W) * ml x b).

  Lemma root_N : 0 < INR N.
  Proof. apply lt_0_INR; lia. Qed.

  Lemma root_p : 0 < p <= 1.
  Proof.
    pose proof root_N. assert (0 < INR x) by (apply lt_0_INR; lia). assert (INR x <= INR N) by (apply le_INR; lia).
    split; [now apply Rdiv_lt_0_compat|]. apply (Rmult_le_reg_r (INR N)); [assumption|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l; lra.
  Qed.

  Lemma ml_at_p : ml x b = lik p x b.
  Proof. unfold ml. replace (x + (N - x))%nat with N by lia. reflexivity. Qed.

  Lemma ml_positive : 0 < ml x b.
  Proof.
    rewrite ml_eq by lia. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; apply self_power_pos|].
    apply pow_lt, lt_0_INR; lia.
  Qed.

  Lemma target_range : 0 < target < ml x b.
  Proof.
    pose proof ml_positive. assert (0 < exp (- W) < 1)
      by (split; [apply exp_pos | rewrite <- exp_0; apply exp_increasing; lra]). nra.
  Qed.

  Lemma root_signs : (lik 0 x b - target) * (lik p x b - target) <= 0.
  Proof.
    pose proof target_range. rewrite <- ml_at_p. replace (lik 0 x b) with 0; [nra|].
    unfold lik. rewrite pow_i by lia. ring.
  Qed.

  Lemma root_continuous : continuity (fun q => lik q x b - target).
  Proof. apply continuity_minus; [apply lik_continuous | apply continuity_const; intros u v; reflexivity]. Qed.

  Definition root : R :=
    proj1_sig (IVT_cor (fun q => lik q x b - target) 0 p root_continuous (Rlt_le _ _ (proj1 root_p)) root_signs).

  Lemma root_spec : 0 < root < p /\ INR N * kl p root = W.
  Proof.
    unfold root. destruct (IVT_cor _ _ _ _ _ _) as [q [Hq Hv]]. simpl. pose proof target_range as Ht.
    pose proof root_p as Hp.
    assert (Hl : lik q x b = target) by lra.
    assert (Hq0 : q <> 0) by (intros ->; unfold lik in Hl; rewrite pow_i in Hl by lia; lra).
    assert (Hqp : q <> p) by (intros ->; rewrite <- ml_at_p in Hl; lra).
    split; [lra|].
    pose proof (count_kl x b q ltac:(lia) ltac:(lra)) as Hk. replace (x + (N - x))%nat with N in Hk by lia.
    rewrite Hk, Hl.
    rewrite ln_mult, ln_exp by (try apply exp_pos; apply ml_positive). ring.
  Qed.
End Root.

(** ** The relative entropy grows with the distance *)

Lemma kl_pythagoras p p' q : 0 < q -> q <= p -> p < p' -> p' <= 1 -> kl p q <= kl p' q.
Proof.
  intros Hq Hqp Hpp Hp'.
  assert (Hs : kl p' q = kl p' p + (p' * ln (p / q) + (1 - p') * ln ((1 - p) / (1 - q)))).
  { unfold kl. destruct (Req_EM_T p' 1) as [->|Hn].
    - replace (1 - 1) with 0 by ring. rewrite !Rmult_0_l, !ln_quotient by lra. ring.
    - rewrite !ln_quotient by lra. ring. }
  assert (H0 : 0 <= kl p' p).
  { pose proof (kl_pinsker p' p ltac:(lra) ltac:(lra) Hp' ltac:(lra)). pose proof (pow2_ge_0 (p' - p)). lra. }
  assert (Hslope : 0 <= ln (p / q) - ln ((1 - p) / (1 - q))).
  { rewrite !ln_quotient by lra.
    assert (ln q <= ln p) by (destruct Hqp as [Hqp| ->]; [left; apply ln_increasing; lra | lra]).
    assert (ln (1 - p) <= ln (1 - q)) by (destruct Hqp as [Hqp| ->]; [left; apply ln_increasing; lra | lra]). lra. }
  rewrite Hs. unfold kl at 1. nra.
Qed.

Lemma kl_decreases p q q' : 0 < q' -> q' < q -> q < p -> p <= 1 -> kl p q < kl p q'.
Proof.
  intros Hq' Hqq Hqp Hp.
  pose proof (kl_pythagoras q p q' Hq' ltac:(lra) Hqp Hp) as H.
  assert (Hs : kl p q' = kl p q + (p * ln (q / q') + (1 - p) * ln ((1 - q) / (1 - q')))).
  { unfold kl. destruct (Req_EM_T p 1) as [->|Hn].
    - replace (1 - 1) with 0 by ring. rewrite !Rmult_0_l, !ln_quotient by lra. ring.
    - rewrite !ln_quotient by lra. ring. }
  assert (Hk : 0 < kl q q') by (pose proof (kl_pinsker q q' Hq' ltac:(lra) ltac:(lra) ltac:(lra)); nra).
  assert (Hslope : 0 < ln (q / q') - ln ((1 - q) / (1 - q'))).
  { rewrite !ln_quotient by lra. assert (ln q' < ln q) by (apply ln_increasing; lra).
    assert (ln (1 - q) < ln (1 - q')) by (apply ln_increasing; lra). lra. }
  rewrite Hs. unfold kl in Hk. nra.
Qed.

(** ** The end, for every count *)

Section End.
  Variable W : nat -> R.
  Hypothesis HW : forall N, (1 <= N)%nat -> 0 < W N.

  Definition the_end (N x : nat) : R :=
    match le_dec 1 x with
    | left Hx1 => match le_dec x N with
                  | left HxN => root (W N) N x (HW N (Nat.le_trans _ _ _ Hx1 HxN)) (conj Hx1 HxN)
                  | right _ => 0
                  end
    | right _ => 0
    end.

  Lemma the_end_zero N : the_end N 0 = 0.
  Proof. unfold the_end. destruct (le_dec 1 0); [lia | reflexivity]. Qed.

  Lemma the_end_spec N x : (1 <= x <= N)%nat ->
    0 < the_end N x < INR x / INR N /\ INR N * kl (INR x / INR N) (the_end N x) = W N.
  Proof.
    intros Hx. unfold the_end. destruct (le_dec 1 x); [|lia]. destruct (le_dec x N); [|lia]. apply root_spec.
  Qed.

  Lemma frequency_le_1 N x : (x <= N)%nat -> INR x / INR N <= 1.
  Proof.
    intros H. destruct N as [|N]; [replace x with 0%nat by lia; simpl; unfold Rdiv; rewrite Rmult_0_l; lra|].
    assert (0 < INR (S N)) by (apply lt_0_INR; lia). apply le_INR in H.
    apply (Rmult_le_reg_r (INR (S N))); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  Qed.

  Lemma the_end_range N x : (x <= N)%nat -> 0 <= the_end N x <= INR x / INR N /\ the_end N x < 1.
  Proof.
    intros H. destruct x as [|x]; [rewrite the_end_zero; simpl; unfold Rdiv; rewrite Rmult_0_l; lra|].
    destruct (the_end_spec N (S x) ltac:(lia)) as [Hs _]. pose proof (frequency_le_1 N (S x) H). lra.
  Qed.

  (** Given: any positive width.
      Differs: the ends of a distribution function are one.
      In words: 10-kl-learner.md#kl-optimistic.
      Step of: corrected/ii. *)
  Lemma the_end_grows N x x' : (x <= x')%nat -> (x' <= N)%nat -> the_end N x <= the_end N x'.
  Proof.
    intros Hxx Hx'. destruct x as [|x]; [rewrite the_end_zero; apply the_end_range; lia|].
    destruct (Nat.eq_dec (S x) x') as [<-|Hne]; [lra|].
    destruct (the_end_spec N (S x) ltac:(lia)) as [Hq Hk]. destruct (the_end_spec N x' ltac:(lia)) as [Hq' Hk'].
    set (q := the_end N (S x)) in *. set (q' := the_end N x') in *.
    apply Rnot_lt_le. intros Hlt.
    assert (HN : 0 < INR N) by (apply lt_0_INR; lia).
    assert (Hp : INR (S x) / INR N < INR x' / INR N).
    { apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat | apply lt_INR; lia]. }
    pose proof (frequency_le_1 N x' Hx') as H1.
    pose proof (kl_pythagoras (INR (S x) / INR N) (INR x' / INR N) q ltac:(lra) ltac:(lra) Hp H1) as Hgrow.
    pose proof (kl_decreases (INR x' / INR N) q q' ltac:(lra) Hlt ltac:(lra) H1) as Hdec. nra.
  Qed.

  Lemma the_end_near N x : (x <= N)%nat -> near (W N) N (INR x / INR N) (the_end N x).
  Proof.
    intros H. destruct x as [|x]; [left; rewrite the_end_zero; simpl; unfold Rdiv; ring|]. right.
    destruct (the_end_spec N (S x) ltac:(lia)) as [Hq Hk]. pose proof (frequency_le_1 N (S x) H). repeat split; try lra.
  Qed.
End End.

(** ** A law from its distribution function at increasing points, the rest at 1 *)

Fixpoint law_of_levels (F : R -> R) (before : R) (l : list R) : dist R :=
  match l with
  | [] => [(1, 1 - before)]
  | x :: l' => (x, F x - before) :: law_of_levels F (F x) l'
  end.

Fixpoint increasing_to_1 (lo : R) (l : list R) : Prop :=
  match l with
  | [] => lo < 1
  | x :: l' => lo < x /\ increasing_to_1 x l'
  end.

Section Levels.
  Variable F : R -> R.
  Hypothesis HF : forall x y, x <= y -> F x <= F y.
  Hypothesis HF1 : forall x, F x <= 1.

  Lemma law_of_levels_nonneg before l lo : increasing_to_1 lo l -> before <= F lo -> before <= 1 ->
    nonneg (law_of_levels F before l).
  Proof.
    revert before lo; induction l as [|x l IH]; intros before lo Hl Hlo Hb y p Hin; simpl in Hin.
    - destruct Hin as [Heq|[]]; injection Heq as _ <-; lra.
    - destruct Hl as [Hx Hl]. destruct Hin as [Heq|Hin].
      + injection Heq as _ <-. pose proof (HF lo x ltac:(lra)). lra.
      + apply (IH (F x) x Hl ltac:(lra) (HF1 x) y p Hin).
  Qed.

  Lemma law_of_levels_total before l : E (law_of_levels F before l) (fun _ => 1) = 1 - before.
  Proof. revert before; induction l as [|x l IH]; intros before; simpl; [ring | rewrite IH; ring]. Qed.

  Lemma law_of_levels_support before l : almost_surely (law_of_levels F before l) (fun r => In r (l ++ [1])).
  Proof.
    revert before; induction l as [|x l IH]; intros before y p Hin Hp; simpl in *.
    - destruct Hin as [Heq|[]]; injection Heq as <- _; now left.
    - destruct Hin as [Heq|Hin]; [injection Heq as <- _; now left|]. right. exact (IH (F x) y p Hin Hp).
  Qed.

  Lemma cdf_law_below before l lo z : increasing_to_1 lo l -> z <= lo -> cdf (law_of_levels F before l) z = 0.
  Proof.
    intros Hl Hz. apply cdf_below.
    revert before lo Hl Hz; induction l as [|x l IH]; intros before lo Hl Hz y p Hin Hp; simpl in *.
    - destruct Hin as [Heq|[]]; injection Heq as <- _; lra.
    - destruct Hl as [Hx Hl]. destruct Hin as [Heq|Hin]; [injection Heq as <- _; lra|].
      apply (IH (F x) x Hl ltac:(lra) y p Hin Hp).
  Qed.

  Lemma cdf_law_of_levels before l lo x : increasing_to_1 lo l -> In x l ->
    cdf (law_of_levels F before l) x = F x - before.
  Proof.
    revert before lo; induction l as [|y l IH]; intros before lo Hl Hin; [destruct Hin|]. destruct Hl as [Hy Hl].
    unfold cdf. cbn [law_of_levels E]. fold (cdf (law_of_levels F (F y) l) x). destruct Hin as [->|Hin].
    - rewrite ind_yes by lra. rewrite (cdf_law_below (F x) l x x Hl) by lra. ring.
    - rewrite (IH (F y) y Hl Hin). rewrite ind_yes; [ring|].
      clear IH. revert y Hy Hl; induction l as [|z l IHl]; intros y Hy Hl; [destruct Hin|]. destruct Hl as [Hz Hl].
      destruct Hin as [->|Hin]; [lra|]. pose proof (IHl Hin z ltac:(lra) Hl). lra.
  Qed.
End Levels.
