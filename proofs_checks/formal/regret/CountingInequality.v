(** * Counting visits      (L3)

    A pair is visited n_1, n_2, ..., n_K times in K episodes, each n_k <= T.  A visit in episode k costs
    min(B, c / sqrt(N_k)), where N_k = n_1 + ... + n_{k-1} counts the visits before the episode, and B if N_k = 0.
    With N visits in all,

      sum over visits of  min(B, c / sqrt(N_k))   <=   B min(T, N) + 2 c sqrt(N) .

    The paper's case is B = T.  Over a finite set of pairs with Nall visits in all, the costs add up to at most
    B T #pairs + 2 c sqrt(#pairs * Nall), by Cauchy-Schwarz. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw.
Import ListNotations.
Open Scope R_scope.

Definition bonus (B c : R) (N : nat) : R :=
  match N with
  | O => B
  | S _ => Rmin B (c / sqrt (INR N))
  end.

(** The cost of the visits [ns] of the coming episodes after [N] visits. *)
Fixpoint visit_cost (B c : R) (N : nat) (ns : list nat) : R :=
  match ns with
  | [] => 0
  | n :: ns' => INR n * bonus B c N + visit_cost B c (N + n) ns'
  end.

(** 1 / sqrt(i + 1) is at most twice the growth of sqrt from i to i + 1. *)
Lemma inv_sqrt_le_growth i : / sqrt (INR (S i)) <= 2 * (sqrt (INR (S i)) - sqrt (INR i)).
Proof.
  assert (Hi : 0 <= INR i) by apply pos_INR. rewrite S_INR.
  assert (Hp : 0 < sqrt (INR i + 1)) by (apply sqrt_lt_R0; lra).
  assert (Hq : 0 <= sqrt (INR i)) by apply sqrt_pos.
  pose proof (sqrt_sqrt (INR i + 1) ltac:(lra)) as H1. pose proof (sqrt_sqrt (INR i) Hi) as H2.
  apply (Rmult_le_reg_r (sqrt (INR i + 1))); [assumption|]. rewrite Rinv_l by lra.
  pose proof (Rle_0_sqr (sqrt (INR i + 1) - sqrt (INR i))) as H3; unfold Rsqr in H3. nra.
Qed.

Section Counting.
  Variables (B c : R) (T : nat).
  Hypothesis HB : 0 <= B.
  Hypothesis Hc : 0 <= c.

  (** The potential that pays for the visits: B for each of the first T, then the growth of 2 c sqrt. *)
  Definition potential (N : nat) : R := B * INR (min T N) + 2 * c * sqrt (INR (N - T)).

  Lemma bonus_le_growth N j : (N <= j < N + T)%nat -> bonus B c N <= potential (S j) - potential j.
  Proof.
    intros Hj; unfold potential. destruct (Nat.lt_ge_cases j T) as [HjT|HjT].
    - replace (min T (S j)) with (S j) by lia. replace (min T j) with j by lia.
      replace (S j - T)%nat with O by lia. replace (j - T)%nat with O by lia. rewrite S_INR; simpl INR.
      assert (bonus B c N <= B) by (destruct N; simpl bonus; [lra | apply Rmin_l]). lra.
    - replace (min T (S j)) with T by lia. replace (min T j) with T by lia.
      replace (S j - T)%nat with (S (j - T)) by lia. set (i := (j - T)%nat).
      assert (HN : (S i <= N)%nat) by lia.
      apply Rle_trans with (c * / sqrt (INR (S i))).
      + destruct N as [|N]; [lia|]. unfold bonus. eapply Rle_trans; [apply Rmin_r|].
        apply Rmult_le_compat_l; [assumption|]. apply Rinv_le_contravar.
        * apply sqrt_lt_R0, lt_0_INR; lia.
        * apply sqrt_le_1_alt, le_INR; lia.
      + pose proof (Rmult_le_compat_l c _ _ Hc (inv_sqrt_le_growth i)). lra.
  Qed.

  Lemma episode_le_growth N n : (n <= T)%nat -> INR n * bonus B c N <= potential (N + n) - potential N.
  Proof.
    intros Hn. assert (H : forall k, (k <= n)%nat -> INR k * bonus B c N <= potential (N + k) - potential N).
    { induction k as [|k IH]; intros Hk; [rewrite Nat.add_0_r; simpl; lra|].
      rewrite S_INR, Nat.add_succ_r. specialize (IH ltac:(lia)).
      pose proof (bonus_le_growth N (N + k) ltac:(lia)). lra. }
    now apply H.
  Qed.

  Lemma visit_cost_le_growth N ns :
    Forall (fun n => (n <= T)%nat) ns -> visit_cost B c N ns <= potential (N + list_sum ns) - potential N.
  Proof.
    intros H; revert N; induction H as [|n ns Hn Hns IH]; intros N; simpl.
    - rewrite Nat.add_0_r; lra.
    - pose proof (episode_le_growth N n Hn). specialize (IH (N + n)%nat). rewrite Nat.add_assoc. lra.
  Qed.

  (** Given: at most T visits per episode, B, c >= 0.
      Differs: a cap B in place of T. *)
  Theorem visit_cost_le ns :
    Forall (fun n => (n <= T)%nat) ns ->
    visit_cost B c 0 ns <= B * INR (min T (list_sum ns)) + 2 * c * sqrt (INR (list_sum ns)).
  Proof.
    intros H. pose proof (visit_cost_le_growth 0 ns H) as Hg. unfold potential in Hg; simpl in Hg.
    rewrite Nat.min_0_r in Hg; simpl in Hg; rewrite sqrt_0 in Hg.
    assert (sqrt (INR (list_sum ns - T)) <= sqrt (INR (list_sum ns))) by (apply sqrt_le_1_alt, le_INR; lia).
    pose proof (Rmult_le_compat_l (2 * c) _ _ ltac:(lra) H0). lra.
  Qed.

  (** ** All pairs together *)

  Lemma sum_square_deviation {X} (l : list X) (f : X -> R) x :
    sum l (fun y => (f y - x) * (f y - x)) = sum l (fun y => f y * f y) - 2 * x * sum l f + INR (length l) * (x * x).
  Proof. induction l as [|y l IH]; cbn [sum length]; [simpl; ring | rewrite IH, S_INR; ring]. Qed.

  Lemma cauchy_schwarz {X} (l : list X) (f : X -> R) :
    sum l f * sum l f <= INR (length l) * sum l (fun y => f y * f y).
  Proof.
    induction l as [|x l IH]; cbn [sum length]; [simpl; lra|]. rewrite S_INR.
    assert (0 <= sum l (fun y => (f y - f x) * (f y - f x))) by (apply sum_nonneg; intros; apply Rle_0_sqr).
    rewrite sum_square_deviation in H. nra.
  Qed.

  Lemma sum_sqrt_le {X} (l : list X) (N : X -> nat) :
    sum l (fun x => sqrt (INR (N x))) <= sqrt (INR (length l) * sum l (fun x => INR (N x))).
  Proof.
    assert (Hs : 0 <= sum l (fun x => sqrt (INR (N x)))) by (apply sum_nonneg; intros; apply sqrt_pos).
    rewrite <- (sqrt_square _ Hs). apply sqrt_le_1_alt. eapply Rle_trans; [apply cauchy_schwarz|]. right; f_equal.
    apply sum_ext; intros x _. apply sqrt_sqrt, pos_INR.
  Qed.

  (** Given: as visit_cost_le, for every pair.
      In words: 08-regret.md#regret-theorem.
      Step of: corrected/i. *)
  Theorem visit_costs_le {X} (pairs : list X) (ns : X -> list nat) :
    (forall x, Forall (fun n => (n <= T)%nat) (ns x)) ->
    sum pairs (fun x => visit_cost B c 0 (ns x)) <=
    B * INR T * INR (length pairs) +
    2 * c * sqrt (INR (length pairs) * sum pairs (fun x => INR (list_sum (ns x)))).
  Proof.
    intros H. apply Rle_trans with (sum pairs (fun x => B * INR T + 2 * c * sqrt (INR (list_sum (ns x))))).
    - apply sum_le; intros x _. eapply Rle_trans; [apply visit_cost_le, H|]. apply Rplus_le_compat_r.
      apply Rmult_le_compat_l; [assumption | apply le_INR; lia].
    - rewrite sum_plus, sum_const, sum_scal.
      pose proof (Rmult_le_compat_l (2 * c) _ _ ltac:(lra) (sum_sqrt_le pairs (fun x => list_sum (ns x)))). lra.
  Qed.
End Counting.
