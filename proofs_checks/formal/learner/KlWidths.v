(** * How much mass the sets leave out

    Let N >= 1 visits have had the frequencies f, and let q be an end with  N kl(f, q) <= W.  With eps = sqrt(W / 2N),

      f - q <= min( eps, 2 eps sqrt f ),

    so over at most Gamma successors seen the missing mass is at most  min(Gamma, 2 sqrt Gamma) eps,  and the two
    distribution functions of the reward are at most 2 eps apart. *)

Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity Mdp CountingInequality ClosenessInArea KlSets BestRow.
Import ListNotations.
Open Scope R_scope.

(** An end that is no further out than the width W. *)
Definition near (W : R) (N : nat) (f q : R) : Prop :=
  q = f \/ (0 < q /\ q <= f /\ f <= 1 /\ q < 1 /\ INR N * kl f q <= W).

Definition eps (W : R) (N : nat) : R := sqrt (W / (2 * INR N)).

Section Near.
  Variables (W : R) (N : nat) (f q : R).
  Hypothesis HN : (1 <= N)%nat.
  Hypothesis HW : 0 <= W.
  Hypothesis Hnear : near W N f q.

  Lemma N_pos : 0 < INR N.
  Proof. apply lt_0_INR; lia. Qed.

  Lemma eps_square : eps W N * eps W N = W / (2 * INR N).
  Proof. pose proof N_pos. apply sqrt_sqrt. apply Rdiv_le_0_compat; lra. Qed.

  Lemma eps_nonneg : 0 <= eps W N.
  Proof. apply sqrt_pos. Qed.

  Lemma near_close : f - q <= eps W N.
  Proof.
    pose proof N_pos. pose proof eps_nonneg. pose proof eps_square as He.
    destruct Hnear as [->|[H1 [H2 [H3 [H4 H5]]]]]; [lra|].
    pose proof (kl_pinsker f q H1 H2 H3 H4) as Hk.
    assert (Hs : (f - q) * (f - q) <= eps W N * eps W N).
    { rewrite He. apply (Rmult_le_reg_r (2 * INR N)); [lra|].
      replace (W / (2 * INR N) * (2 * INR N)) with W by (field; lra). nra. }
    apply Rnot_lt_le; intros Hlt. nra.
  Qed.

  Lemma near_relative : 0 <= f -> f - q <= 2 * eps W N * sqrt f.
  Proof.
    intros Hf. pose proof N_pos. pose proof eps_nonneg. pose proof eps_square as He. pose proof (sqrt_pos f) as Hs.
    pose proof (sqrt_sqrt f Hf) as Hss.
    destruct Hnear as [->|[H1 [H2 [H3 [H4 H5]]]]]; [nra|].
    pose proof (kl_relative f q H1 H2 H3 H4) as Hk.
    assert (Hsq : (f - q) * (f - q) <= (2 * eps W N * sqrt f) * (2 * eps W N * sqrt f)).
    { replace (2 * eps W N * sqrt f * (2 * eps W N * sqrt f)) with (4 * (eps W N * eps W N) * (sqrt f * sqrt f))
        by ring.
      rewrite He, Hss. replace (4 * (W / (2 * INR N)) * f) with (2 * f * W / INR N) by (field; lra).
      apply (Rmult_le_reg_r (INR N)); [lra|]. replace (2 * f * W / INR N * INR N) with (2 * f * W) by (field; lra).
      apply (Rmult_le_compat_l (2 * f)) in Hk; [|lra].
      replace (2 * f * ((f - q) ^ 2 / (2 * f))) with ((f - q) * (f - q)) in Hk by (field; lra).
      apply (Rmult_le_compat_l (INR N)) in Hk; [|lra]. apply (Rmult_le_compat_l (2 * f)) in H5; [|lra]. lra. }
    assert (0 <= 2 * eps W N * sqrt f) by nra.
    apply Rnot_lt_le; intros Hlt. nra.
  Qed.
End Near.

(** The part of a list weighs at most as much as the list. *)
Lemma sum_part {X} (part l : list X) (f : X -> R) :
  NoDup part -> incl part l -> (forall x, In x l -> 0 <= f x) -> sum part f <= sum l f.
Proof.
  intros Hn; revert l; induction Hn as [|x part Hx Hn IH]; intros l Hi Hf; cbn [sum]; [now apply sum_nonneg|].
  destruct (in_split x l (Hi x (or_introl eq_refl))) as [l1 [l2 ->]].
  assert (Hsplit : sum (l1 ++ x :: l2) f = f x + sum (l1 ++ l2) f).
  { clear; induction l1 as [|y l1 IH]; cbn [sum app]; [ring | rewrite IH; ring]. }
  rewrite Hsplit. apply Rplus_le_compat_l, IH.
  - intros y Hy. assert (Hin := Hi y (or_intror Hy)). apply in_app_or in Hin. apply in_or_app.
    destruct Hin as [|[<-|]]; [now left | contradiction | now right].
  - intros y Hy. apply Hf. apply in_app_or in Hy. apply in_or_app. destruct Hy; [now left | right; now right].
Qed.

(** The missing mass: [part] lists the successors that can have been seen, [X] counts them.
    Given: at most Gamma successors seen, ends no further than the width.
    In words: 10-kl-learner.md#kl-apriori.
    Step of: corrected/ii. *)
Theorem missing_mass_le {S} (part l : list S) (low : S -> R) (X : S -> nat) (N : nat) (W Gamma : R) :
  NoDup part -> incl part l -> INR (length part) <= Gamma -> (1 <= N)%nat -> 0 <= W ->
    (forall s, In s l -> 0 <= low s) ->
  sum part (fun s => INR (X s)) = INR N -> (forall s, In s part -> near W N (INR (X s) / INR N) (low s)) ->
  1 - sum l low <= Rmin Gamma (2 * sqrt Gamma) * eps W N.
Proof.
  intros Hn Hi HG HN HW Hl HX Hnear. pose proof (N_pos N HN) as HNp. pose proof (eps_nonneg W N) as He.
  pose proof (sum_part part l low Hn Hi Hl) as Hpart.
  assert (Hmiss : 1 - sum l low <= sum part (fun s => INR (X s) / INR N - low s)).
  { rewrite sum_minus. replace (sum part (fun s => INR (X s) / INR N)) with 1; [lra|].
    rewrite (sum_ext part _ (fun s => / INR N * INR (X s))) by (intros; field; lra). rewrite sum_scal, HX. field; lra. }
  eapply Rle_trans; [exact Hmiss|].
  assert (H1 : sum part (fun s => INR (X s) / INR N - low s) <= Gamma * eps W N).
  { apply Rle_trans with (INR (length part) * eps W N); [|nra]. rewrite <- sum_const. apply sum_le; intros s Hs.
    now apply near_close; [| |apply Hnear]. }
  assert (H2 : sum part (fun s => INR (X s) / INR N - low s) <= 2 * sqrt Gamma * eps W N).
  { apply Rle_trans with (sum part (fun s => 2 * eps W N * / sqrt (INR N) * sqrt (INR (X s)))).
    - apply sum_le; intros s Hs.
      assert (Hf : 0 <= INR (X s) / INR N) by (apply Rdiv_le_0_compat; [apply pos_INR | assumption]).
      eapply Rle_trans; [apply (near_relative W N _ _ HN HW (Hnear s Hs) Hf)|].
      rewrite sqrt_div by (try apply pos_INR; assumption). right; unfold Rdiv; ring.
    - rewrite sum_scal. pose proof (sum_sqrt_le part X) as Hs. rewrite HX in Hs.
      assert (HNs : 0 < sqrt (INR N)) by now apply sqrt_lt_R0.
      rewrite sqrt_mult in Hs by apply pos_INR.
      assert (Hg : sqrt (INR (length part)) <= sqrt Gamma) by now apply sqrt_le_1_alt.
      apply Rle_trans with (2 * eps W N * / sqrt (INR N) * (sqrt Gamma * sqrt (INR N))).
      + apply Rmult_le_compat_l; [|eapply Rle_trans; [exact Hs | apply Rmult_le_compat_r; lra]].
        assert (0 < / sqrt (INR N)) by now apply Rinv_0_lt_compat. nra.
      + right. field; lra. }
  unfold Rmin; destruct (Rle_dec Gamma (2 * sqrt Gamma)); lra.
Qed.

(** The rewards. *)
Theorem gap_le {S A} (succ : S -> A -> list S) (b : beliefs S A) s a W N (F : R -> R) :
  proper succ b -> (1 <= N)%nat -> 0 <= W ->
  (forall x, near W N (F x) (cdf (hat b s a) x)) -> (forall x, near W N (1 - F x) (1 - cdf (chk b s a) x)) ->
  gap b s a <= Rmin 1 (2 * eps W N).
Proof.
  intros Hb HN HW H1 H2. pose proof (eps_nonneg W N) as He. apply Rmin_glb.
  - apply (gap_range succ b Hb s a).
  - apply excess_integral_le; [lra|]. intros x.
    pose proof (near_close W N _ _ HN HW (H1 x)). pose proof (near_close W N _ _ HN HW (H2 x)). lra.
Qed.
