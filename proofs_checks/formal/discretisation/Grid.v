(** * The law of the rounded reward, and the size of the grid      (paper: def:pushforward, def:grid)

    Rounding up to multiples of eta gives eta i the mass of (eta (i - 1), eta i].  Sums of at most T rounded rewards in
    [0, 1] are multiples eta i with 0 <= i <= T ceil(1/eta): at most T ceil(1/eta) + 1 values, the largest
    T eta ceil(1/eta). *)

Require Import Reals Lra Lia List ZArith.
From VerifiedRisk Require Import FiniteLaw Objective Mdp Summary RoundingRule Discretisation.
Import ListNotations.
Open Scope R_scope.

Lemma ceiling_unique x k : IZR k - 1 < x <= IZR k -> ceiling x = k.
Proof.
  intros H. pose proof (ceiling_spec x) as Hc. apply Z.le_antisymm; apply Z.lt_succ_r, lt_IZR; rewrite succ_IZR; lra.
Qed.

Lemma ceiling_mono x y : x <= y -> (ceiling x <= ceiling y)%Z.
Proof.
  intros H. pose proof (ceiling_spec x) as Hx; pose proof (ceiling_spec y) as Hy.
  apply Z.lt_succ_r, lt_IZR; rewrite succ_IZR; lra.
Qed.

Lemma ceiling_0 : ceiling 0 = 0%Z.
Proof. apply ceiling_unique; simpl; lra. Qed.

(** Each grid point gets the mass of the band just below it; all grid points together get everything.
    Given: a finite law, eta > 0.
    Differs: finite laws. *)
Theorem pushforward d eta :
  is_law d -> 0 < eta ->
  is_law (image (round_up eta) d) /\
  (forall i : Z, prob (image (round_up eta) d) (fun x => Req_EM_T x (eta * IZR i)) =
                 cdf d (eta * IZR i) - cdf d (eta * (IZR i - 1))) /\
  almost_surely (image (round_up eta) d) (fun x => exists i : Z, x = eta * IZR i).
Proof.
  intros Hd Heta. split; [now apply law_image|]. split.
  - intros i. unfold prob. rewrite E_image. unfold cdf. rewrite <- E_minus. apply E_ext; intros r.
    assert (Hiff : round_up eta r = eta * IZR i <-> eta * (IZR i - 1) < r <= eta * IZR i).
    { split; [|intros H; now apply round_up_eq]. intros H. pose proof (round_up_spec eta r Heta) as Hs. rewrite H in Hs.
      lra. }
    destruct (Req_EM_T (round_up eta r) (eta * IZR i)) as [H|H], (Rle_dec r (eta * IZR i)),
      (Rle_dec r (eta * (IZR i - 1)));
      simpl; try lra; try (apply Hiff in H; lra); exfalso; try (apply H, Hiff; lra); nra.
  - apply as_image, as_always; intros r. now exists (ceiling (r / eta)).
Qed.

(** Sums of rounded rewards. *)
Definition top (eta : R) : Z := ceiling (1 / eta).

Lemma rounded_reward_on_grid eta r : 0 < eta -> 0 <= r <= 1 -> exists i : Z,
  (0 <= i <= top eta)%Z /\ round_up eta r = eta * IZR i.
Proof.
  intros Heta Hr. exists (ceiling (r / eta)). split; [|reflexivity].
  assert (Hi : 0 < / eta) by now apply Rinv_0_lt_compat. split.
  - rewrite <- ceiling_0. apply ceiling_mono. unfold Rdiv; nra.
  - apply ceiling_mono. unfold Rdiv; nra.
Qed.

Section Sums.
  Context {S A : Type}.
  Variables (M : mdp S A) (eta : R) (pi : policy S A).
  Hypothesis Heta : 0 < eta.
  Hypothesis Hrew : rewards_within 1 M.

  Lemma sums_on_grid t :
    almost_surely (history_law (discretise eta M) pi t) (fun h => exists i : Z,
      (0 <= i <= Z.of_nat t * top eta)%Z /\ collected h = eta * IZR i).
  Proof.
    apply (history_invariant (discretise eta M) pi
      (fun t h => exists i : Z, (0 <= i <= Z.of_nat t * top eta)%Z /\ collected h = eta * IZR i)).
    - intros s. exists 0%Z. split; [lia | rewrite collected_start; ring].
    - intros t' h a r s [i [Hi Hc]] [p [Hin Hp]]. apply in_map_iff in Hin; destruct Hin as [[r0 p0] [Heq Hin]].
      injection Heq as <- <-. destruct (rounded_reward_on_grid eta r0 Heta (Hrew _ _ r0 p0 Hin Hp)) as [j [Hj Hr]].
      exists (j + i)%Z. split; [nia|]. rewrite collected_extend, Hc, plus_IZR. simpl fst. rewrite Hr. ring.
  Qed.

  (** The list of the values that sums of at most T rounded rewards can take. *)
  Definition grid_points : list R := map (fun i => eta * INR i) (seq 0 (horizon M * Z.to_nat (top eta) + 1)).

  Lemma top_nonneg : (0 <= top eta)%Z.
  Proof. rewrite <- ceiling_0. apply ceiling_mono. left; apply Rdiv_lt_0_compat; lra. Qed.

  (** At most T ceil(1/eta) + 1 values at all steps together.
      Given: rewards in [0, 1], eta > 0, any policy; all steps together. *)
  Theorem grid_size :
    length grid_points = (horizon M * Z.to_nat (ceiling (1 / eta)) + 1)%nat /\
    forall t, (t <= horizon M)%nat -> almost_surely (history_law (discretise eta M) pi t)
      (fun h => In (collected h) grid_points).
  Proof.
    split; [unfold grid_points; now rewrite map_length, seq_length|].
    intros t Ht. generalize (sums_on_grid t); apply as_impl; intros h [i [Hi Hc]]. pose proof top_nonneg.
    apply in_map_iff. exists (Z.to_nat i). split.
    - rewrite Hc, INR_IZR_INZ, Z2Nat.id by lia. reflexivity.
    - apply in_seq. split; [lia|]. assert (Hle : (i <= Z.of_nat (horizon M) * top eta)%Z) by nia. nia.
  Qed.

  (** None exceeds T eta ceil(1/eta).
      Given: as grid_size. *)
  Theorem grid_range t :
    (t <= horizon M)%nat ->
    almost_surely (history_law (discretise eta M) pi t)
      (fun h => 0 <= collected h <= INR (horizon M) * eta * IZR (ceiling (1 / eta))).
  Proof.
    intros Ht. generalize (sums_on_grid t); apply as_impl; intros h [i [Hi Hc]]. pose proof top_nonneg. rewrite Hc.
    assert (Hle : (0 <= i <= Z.of_nat (horizon M) * top eta)%Z) by nia. destruct Hle as [H0 H1].
    apply IZR_le in H0. apply IZR_le in H1. rewrite mult_IZR, <- INR_IZR_INZ in H1. fold (top eta).
    split; [nra|]. apply Rle_trans with (eta * (INR (horizon M) * IZR (top eta)));
      [apply Rmult_le_compat_l; lra | right; ring].
  Qed.
End Sums.
