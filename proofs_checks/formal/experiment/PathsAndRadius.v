(** * The experiment: which path is best at each level, and the radius after forty visits
      (paper: section 6; experiment:paths, exp:forty)

    A path of the frozen lake ends with return x with probability q and with 0 otherwise; (x, q) is (6, 0.729), (4,
    0.81), (2, 0.9), (1, 1).  Its CVaR at level alpha is x (1 - min(1, (1 - q) / alpha)).  The path of return 1 is best
    up to level 1/5, that of 2 up to 7/25, that of 4 up to 433/1000 and that of 6 beyond; so at the printed level 0.40
    it is 4, not 6. *)

Require Import Reals Lra Lia Psatz List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity RockafellarUryasev.
Import ListNotations.
Open Scope R_scope.

(** ** The paths *)

Definition path_law (x q : R) : dist R := [(0, 1 - q); (x, q)].

Definition paths : list (R * R) := [(6, 729 / 1000); (4, 81 / 100); (2, 9 / 10); (1, 1)].

Definition path_cvar (alpha : R) (path : R * R) : R := Phi (cvar_weight alpha) (path_law (fst path) (snd path)).

Lemma cvar_of_path alpha x q :
  0 < alpha <= 1 -> 0 <= x -> 0 <= q <= 1 -> path_cvar alpha (x, q) = x * (1 - Rmin ((1 - q) / alpha) 1).
Proof.
  intros Ha Hx Hq. unfold path_cvar, path_law; cbn [fst snd].
  rewrite (Phi_eq_rank_sum _ _ 0 x (weighting_cvar alpha Ha)).
  - cbn [rank_sum]. replace (0 + (1 - q) + q) with 1 by ring. rewrite Rplus_0_l.
    rewrite (weighting_1 _ (weighting_cvar alpha Ha)). unfold cvar_weight. ring.
  - split; [|simpl; lra]. intros z p [H|[H|[]]]; injection H as <- <-; lra.
  - simpl; lra.
Qed.

Definition is_best (alpha : R) (path : R * R) : Prop := forall other,
  In other paths -> path_cvar alpha other <= path_cvar alpha path.

(** The CVaR of a path is a maximum of two: 0, and a line in 1/alpha. *)
Lemma cvar_as_line alpha x q : 0 < alpha <= 1 -> 0 <= x -> 0 <= q <= 1 ->
  path_cvar alpha (x, q) * alpha = x * Rmax 0 (alpha - (1 - q)).
Proof.
  intros Ha Hx Hq. rewrite cvar_of_path by assumption. unfold Rmin.
  destruct (Rle_dec ((1 - q) / alpha) 1) as [H|H].
  - assert (1 - q <= alpha) by (apply Rmult_le_compat_r with (r := alpha) in H; [|lra]; unfold Rdiv in H;
      rewrite Rmult_assoc, Rinv_l in H; lra).
    rewrite Rmax_right by lra. field; lra.
  - assert (alpha < 1 - q).
    { apply Rnot_le_lt in H. apply Rmult_lt_compat_r with (r := alpha) in H; [|lra].
      unfold Rdiv in H; rewrite Rmult_assoc, Rinv_l in H; lra. }
    rewrite Rmax_left by lra. ring.
Qed.

Lemma compare_paths alpha x q x' q' :
  0 < alpha <= 1 -> 0 <= x -> 0 <= q <= 1 -> 0 <= x' -> 0 <= q' <= 1 ->
  x * Rmax 0 (alpha - (1 - q)) <= x' * Rmax 0 (alpha - (1 - q')) -> path_cvar alpha (x, q) <= path_cvar alpha (x', q').
Proof.
  intros Ha Hx Hq Hx' Hq' H. apply Rmult_le_reg_r with alpha; [lra|]. now rewrite !cvar_as_line.
Qed.

(** Given: 0 < alpha <= 1, the laws of the four paths.
    Differs: at a switch both paths are best. *)
Theorem best_path_at_each_level alpha :
  0 < alpha <= 1 ->
  (alpha <= 1 / 5 -> is_best alpha (1, 1)) /\
  (1 / 5 <= alpha <= 7 / 25 -> is_best alpha (2, 9 / 10)) /\
  (7 / 25 <= alpha <= 433 / 1000 -> is_best alpha (4, 81 / 100)) /\
  (433 / 1000 <= alpha -> is_best alpha (6, 729 / 1000)).
Proof.
  intros Ha.
  repeat split; intros H other Hin; repeat (destruct Hin as [<-|Hin]); try contradiction; apply compare_paths; try lra;
    unfold Rmax; repeat destruct Rle_dec; lra.
Qed.

(** At level 0.40, where the path of return 6 is printed, that of return 4 is better.
    Given: none: alpha = 0.40. *)
Theorem printed_level_is_off : path_cvar (2 / 5) (6, 729 / 1000) < path_cvar (2 / 5) (4, 81 / 100).
Proof.
  rewrite !cvar_of_path by lra. unfold Rmin; repeat destruct Rle_dec; lra.
Qed.

(** ** The printed radius after forty visits *)

(** exp(-x/256) is at least 1 - x/256; eight squarings give the number. *)
Lemma log_240_ge : 5408 / 1000 <= ln 240.
Proof.
  assert (H : exp (5408 / 1000) <= 240).
  { apply Rmult_le_reg_l with (exp (- (5408 / 1000))); [apply exp_pos|]. rewrite <- exp_plus, Rplus_opp_l, exp_0.
    assert (Hsq : forall x c d, 0 <= c -> d <= c * c -> c <= exp x -> d <= exp (x + x))
      by (intros; rewrite exp_plus; nra).
    pose proof (exp_ineq1_le (- (5408 / 256000))) as H0.
    assert (H1 : 95819 / 100000 <= exp (- (5408 / 256000) + - (5408 / 256000)))
      by (apply Hsq with (978875 / 1000000); lra).
    apply (Hsq _ _ (91812 / 100000)) in H1; [|lra|lra]. apply (Hsq _ _ (84294 / 100000)) in H1; [|lra|lra].
    apply (Hsq _ _ (71054 / 100000)) in H1; [|lra|lra]. apply (Hsq _ _ (50486 / 100000)) in H1; [|lra|lra].
    apply (Hsq _ _ (25488 / 100000)) in H1; [|lra|lra]. apply (Hsq _ _ (6496 / 100000)) in H1; [|lra|lra].
    apply (Hsq _ _ (421 / 100000)) in H1; [|lra|lra].
    match type of H1 with _ <= exp ?x => replace x with (- (5408 / 1000)) in H1 by lra end. lra. }
  rewrite <- (ln_exp (5408 / 1000)).
  destruct H as [H|H]; [left; apply ln_increasing; [apply exp_pos | exact H] | rewrite H; lra].
Qed.

(** One state, one action: after at most 40 visits the printed radius sqrt(ln(6 |S||A| K / delta) / 2n) is at least
    26/100.
    Given: one state, one action, 1 <= n <= 40 <= K, 0 < delta <= 1. *)
Theorem radius_after_forty_visits (n K : nat) (delta : R) :
  (1 <= n <= 40)%nat -> (40 <= K)%nat -> 0 < delta <= 1 -> 26 / 100 <= sqrt (ln (6 * INR K / delta) / (2 * INR n)).
Proof.
  intros Hn HK Hd. assert (Hn1 : 1 <= INR n <= 40)
    by (split; [change 1 with (INR 1) | change 40 with (IZR (Z.of_nat 40)); rewrite <- INR_IZR_INZ]; apply le_INR; lia).
  assert (HK1 : 40 <= INR K) by (change 40 with (IZR (Z.of_nat 40)); rewrite <- INR_IZR_INZ; apply le_INR; lia).
  assert (H240 : 240 <= 6 * INR K / delta).
  { apply Rmult_le_reg_r with delta; [lra|]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra. nra. }
  assert (Hl : 5408 / 1000 <= ln (6 * INR K / delta)).
  { eapply Rle_trans; [apply log_240_ge|]. destruct H240 as [H|H]; [left; apply ln_increasing; lra | rewrite <- H; lra].
    }
  rewrite <- (sqrt_Rsqr (26 / 100)) by lra. apply sqrt_le_1_alt. unfold Rsqr.
  apply Rmult_le_reg_r with (2 * INR n); [lra|].
  replace (ln (6 * INR K / delta) / (2 * INR n) * (2 * INR n)) with (ln (6 * INR K / delta)) by (field; lra). lra.
Qed.
