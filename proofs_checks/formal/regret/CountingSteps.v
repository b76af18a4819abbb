(** * How the proof of the main theorem counts visits      (paper: thm:main, its steps; intro:bound)

    N^(k) is the number of visits to a pair before episode k; an episode has at most T visits to it.  The visits with
    N^(k) <= T are at most 2T; the others cost at most sqrt(2/j) at the j-th visit; inverse roots add up to 2 sqrt N;
    and over all pairs by Cauchy-Schwarz.  The two radii add up to sqrt 5 |S|, and the 4 in the logarithm survives. *)

Require Import Reals Lra Lia Psatz List.
From VerifiedRisk Require Import FiniteLaw CountingInequality.
Import ListNotations.
Open Scope R_scope.

(** ** Visits of one pair *)

(** Visits in episodes that begin with at most T visits. *)
Fixpoint few (T N : nat) (ns : list nat) : nat :=
  match ns with
  | [] => 0
  | n :: ns' => (if le_dec N T then n else 0) + few T (N + n) ns'
  end.

Lemma few_after T N ns : (T < N)%nat -> few T N ns = 0%nat.
Proof.
  revert N; induction ns as [|n ns IH]; intros N HN; simpl; [reflexivity|]. destruct (le_dec N T); [lia|].
  rewrite IH; lia.
Qed.

Lemma few_le T N ns : Forall (fun n => (n <= T)%nat) ns -> (N <= T)%nat -> (few T N ns + N <= 2 * T)%nat.
Proof.
  intros H; revert N; induction H as [|n ns Hn _ IH]; intros N HN; simpl; [lia|]. destruct (le_dec N T); [|lia].
  destruct (le_dec (N + n) T) as [Hle|Hgt]; [specialize (IH (N + n)%nat Hle); lia | rewrite few_after by lia; lia].
Qed.

(** They happen at most 2T times.
    Given: at most T visits per episode. *)
Theorem few_visits T ns : Forall (fun n => (n <= T)%nat) ns -> (few T 0 ns <= 2 * T)%nat.
Proof. intros H. pose proof (few_le T 0 ns H). lia. Qed.

(** The rest, with sqrt(2/j) at the j-th visit. *)
Definition root_sum (c : R) (from count : nat) : R := sum (seq from count) (fun j => sqrt (c / INR j)).

Fixpoint many (T N : nat) (ns : list nat) : R :=
  match ns with
  | [] => 0
  | n :: ns' => (if le_dec N T then 0 else root_sum 2 (N + 1) n) + many T (N + n) ns'
  end.

Lemma inverse_root_le N j : (0 < N)%nat -> (N < j <= 2 * N)%nat -> 1 / sqrt (INR N) <= sqrt (2 / INR j).
Proof.
  intros HN Hj. pose proof (lt_0_INR N HN) as HN'. assert (Hj' : 0 < INR j) by (apply lt_0_INR; lia).
  rewrite <- sqrt_1 at 1. rewrite <- sqrt_div by lra. apply sqrt_le_1_alt.
  assert (INR j <= 2 * INR N) by (replace 2 with (INR 2) by (simpl; ring); rewrite <- mult_INR; apply le_INR; lia).
  apply Rmult_le_reg_r with (INR N * INR j); [apply Rmult_lt_0_compat; assumption|].
  replace (1 / INR N * (INR N * INR j)) with (INR j) by (field; lra).
  replace (2 / INR j * (INR N * INR j)) with (2 * INR N) by (field; lra). assumption.
Qed.

Lemma bonus_1_le_1 N : 0 <= bonus 1 1 N <= 1.
Proof.
  destruct N as [|N]; unfold bonus; [lra|]. split; [|apply Rmin_l]. apply Rmin_glb; [lra|].
  left. apply Rdiv_lt_0_compat; [lra|]. apply sqrt_lt_R0, lt_0_INR; lia.
Qed.

Lemma episode_split T N n : (n <= T)%nat ->
  INR n * bonus 1 1 N <= INR (if le_dec N T then n else 0) + (if le_dec N T then 0 else root_sum 2 (N + 1) n).
Proof.
  intros Hn. pose proof (pos_INR n). destruct (le_dec N T) as [Hle|Hgt].
  - pose proof (bonus_1_le_1 N). nra.
  - simpl INR. rewrite Rplus_0_l. unfold root_sum. rewrite <- (seq_length n (N + 1)) at 1.
    rewrite <- sum_const. apply sum_le; intros j Hj. apply in_seq in Hj.
    destruct N as [|N]; [lia|]. unfold bonus. eapply Rle_trans; [apply Rmin_r|]. apply inverse_root_le; lia.
Qed.

(** With the cost capped at 1 the split is right.
    Given: as few_visits. *)
Theorem capped_costs_split T ns :
  Forall (fun n => (n <= T)%nat) ns -> visit_cost 1 1 0 ns <= INR (few T 0 ns) + many T 0 ns.
Proof.
  enough (H : forall N, Forall (fun n => (n <= T)%nat) ns -> visit_cost 1 1 N ns <= INR (few T N ns) + many T N ns)
    by apply H.
  induction ns as [|n ns IH]; intros N Hns; simpl; [lra|]. inversion Hns; subst. specialize (IH (N + n)%nat H2).
  rewrite plus_INR. pose proof (episode_split T N n H1). lra.
Qed.

(** ** Inverse roots *)

(** Given: every N.
    Differs: the right side 2 sqrt N, which is the integral. *)
Theorem inverse_roots_le N : sum (seq 1 N) (fun j => 1 / sqrt (INR j)) <= 2 * sqrt (INR N).
Proof.
  induction N as [|N IH]; [simpl; rewrite sqrt_0; lra|]. rewrite seq_S, sum_app. cbn [sum].
  change (1 + N)%nat with (S N).
  pose proof (inv_sqrt_le_growth N). unfold Rdiv. rewrite Rmult_1_l. lra.
Qed.

(** Given: any list of pairs, any counts. *)
Theorem inverse_roots_of_all_pairs {X} (pairs : list X) (N : X -> nat) :
  sum pairs (fun x => sum (seq 1 (N x)) (fun j => 1 / sqrt (INR j))) <=
  2 * sqrt (INR (length pairs) * sum pairs (fun x => INR (N x))).
Proof.
  apply Rle_trans with (sum pairs (fun x => 2 * sqrt (INR (N x)))).
  - apply sum_le; intros x _. apply inverse_roots_le.
  - rewrite sum_scal. apply Rmult_le_compat_l; [lra | apply sum_sqrt_le].
Qed.

(** The sum over all visits of all pairs, first visits included: 2T per pair, and the inverse roots with a sqrt 2. *)
Lemma many_le T N ns : many T N ns <= sqrt 2 * (sum (seq (N + 1) (list_sum ns)) (fun j => 1 / sqrt (INR j))).
Proof.
  revert N; induction ns as [|n ns IH]; intros N; simpl; [lra|]. rewrite seq_app, sum_app.
  replace (N + 1 + n)%nat with (N + n + 1)%nat by lia. specialize (IH (N + n)%nat).
  assert (H : (if le_dec N T then 0 else root_sum 2 (N + 1) n) <=
    sqrt 2 * sum (seq (N + 1) n) (fun j => 1 / sqrt (INR j))).
  { destruct (le_dec N T).
    - apply Rmult_le_pos; [apply sqrt_pos|]. apply sum_nonneg; intros j Hj; apply in_seq in Hj.
      left; apply Rdiv_lt_0_compat; [lra|]. apply sqrt_lt_R0, lt_0_INR; lia.
    - unfold root_sum. rewrite <- sum_scal. apply sum_le; intros j Hj; apply in_seq in Hj. right.
      assert (0 < INR j) by (apply lt_0_INR; lia). rewrite sqrt_div by lra. pose proof (sqrt_lt_R0 _ H). field; lra. }
  lra.
Qed.

(** Given: any list of pairs, at most T visits of each per episode.
    Differs: the number of visits in place of K T, which it is. *)
Theorem all_visits_cost {X} (pairs : list X) (T : nat) (ns : X -> list nat) :
  (forall x, Forall (fun n => (n <= T)%nat) (ns x)) ->
  sum pairs (fun x => visit_cost 1 1 0 (ns x)) <=
  2 * INR T * INR (length pairs) + 2 * sqrt (2 * INR (length pairs) * sum pairs (fun x => INR (list_sum (ns x)))).
Proof.
  intros H. pose proof (sqrt_pos 2) as H2.
  apply Rle_trans with (sum pairs (fun x => 2 * INR T +
    sqrt 2 * sum (seq 1 (list_sum (ns x))) (fun j => 1 / sqrt (INR j)))).
  - apply sum_le; intros x _. eapply Rle_trans; [now apply (capped_costs_split T)|].
    pose proof (many_le T 0 (ns x)) as Hm. simpl plus in Hm.
    assert (INR (few T 0 (ns x)) <= 2 * INR T)
      by (replace 2 with (INR 2) by (simpl; ring); rewrite <- mult_INR; apply le_INR, few_visits, H).
    lra.
  - rewrite sum_plus, sum_const, sum_scal.
    pose proof (inverse_roots_of_all_pairs pairs (fun x => list_sum (ns x))) as Hr.
    apply (Rmult_le_compat_l _ _ _ H2) in Hr.
    replace (2 * INR (length pairs) * sum pairs (fun x => INR (list_sum (ns x))))
      with (2 * (INR (length pairs) * sum pairs (fun x => INR (list_sum (ns x))))) by ring.
    assert (0 <= INR (length pairs) * sum pairs (fun x => INR (list_sum (ns x)))).
    { apply Rmult_le_pos; [apply pos_INR | apply sum_nonneg; intros; apply pos_INR]. }
    rewrite sqrt_mult by lra. lra.
Qed.

(** The sums of the corrected theorem: beta bounds the costs of all visits, however the steps are shared among the
    pairs.
    Given: any list of pairs, any counts, c >= 0. *)
Theorem costs_add_up_to_beta {X} (pairs : list X) (T : nat) (N : X -> nat) (c : R) :
  0 <= c ->
  sum pairs (fun x => INR T * INR (min T (N x)) + 2 * c * sqrt (INR (N x))) <=
  INR T ^ 2 * INR (length pairs) + 2 * c * sqrt (INR (length pairs) * sum pairs (fun x => INR (N x))).
Proof.
  intros Hc. rewrite sum_plus, (sum_scal pairs (2 * c)). pose proof (pos_INR T) as HT.
  apply Rplus_le_compat; [|apply Rmult_le_compat_l; [lra | apply sum_sqrt_le]].
  rewrite Rmult_comm, <- sum_const. apply sum_le; intros x _.
  assert (INR (min T (N x)) <= INR T) by (apply le_INR, Nat.le_min_l). simpl. rewrite Rmult_1_r.
  now apply Rmult_le_compat_l.
Qed.

(** Given: as costs_add_up_to_beta. *)
Theorem martingale_step_of_beta {X} (pairs : list X) (T : nat) (N : X -> nat) (c delta : R) :
  0 <= c ->
  exp 1 / (exp 1 - 1) * (sum pairs (fun x => INR T * INR (min T (N x)) + 2 * c * sqrt (INR (N x))) +
    sum (seq 1 T) INR * ln (/ delta)) <=
  exp 1 / (exp 1 - 1) * (INR T ^ 2 * INR (length pairs) +
    2 * c * sqrt (INR (length pairs) * sum pairs (fun x => INR (N x))) +
                         INR T * (INR T + 1) / 2 * ln (/ delta)).
Proof.
  intros Hc. assert (Hseq : sum (seq 1 T) INR = INR T * (INR T + 1) / 2).
  { induction T as [|T IH]; [simpl; lra|]. rewrite seq_S, sum_app, IH. cbn [sum]. change (1 + T)%nat with (S T).
    rewrite S_INR. lra. }
  rewrite Hseq. apply Rmult_le_compat_l.
  - assert (1 < exp 1) by (pose proof (exp_ineq1 1 R1_neq_R0); lra). left; apply Rdiv_lt_0_compat; lra.
  - pose proof (costs_add_up_to_beta pairs T N c Hc). lra.
Qed.

(** ** The constants *)

(** sqrt|S| ( sqrt(2|S|) + sqrt(1/2) ) <= sqrt 5 |S|. *)
Lemma coefficient_square s : 1 <= s ->
  0 <= sqrt s * (sqrt (2 * s) + sqrt (1 / 2)) /\
  (sqrt s * (sqrt (2 * s) + sqrt (1 / 2))) ^ 2 <= s * (2 * s + 1 / 2 + 2 * sqrt s).
Proof.
  intros Hs. pose proof (sqrt_pos s). pose proof (sqrt_pos (2 * s)). pose proof (sqrt_pos (1 / 2)). split; [nra|].
  replace ((sqrt s * (sqrt (2 * s) + sqrt (1 / 2))) ^ 2)
    with (sqrt s * sqrt s * (sqrt (2 * s) * sqrt (2 * s) + sqrt (1 / 2) * sqrt (1 / 2) +
      2 * (sqrt (2 * s) * sqrt (1 / 2)))) by ring.
  rewrite !sqrt_sqrt, <- sqrt_mult by lra. replace (2 * s * (1 / 2)) with s by field. lra.
Qed.

(** Given: every real |S| >= 1. *)
Theorem radii_add_up s : 1 <= s -> sqrt s * (sqrt (2 * s) + sqrt (1 / 2)) <= sqrt 5 * s.
Proof.
  intros Hs. destruct (coefficient_square s Hs) as [H0 H]. pose proof (sqrt_pos 5).
  assert (Hroot : 2 * sqrt s <= s + 1) by (pose proof (sqrt_sqrt s ltac:(lra)); pose proof (pow2_ge_0 (sqrt s - 1));
    nra).
  apply Rsqr_incr_0_var; [|nra]. unfold Rsqr.
  replace (sqrt 5 * s * (sqrt 5 * s)) with (sqrt 5 * sqrt 5 * (s * s)) by ring.
  rewrite sqrt_sqrt by lra. nra.
Qed.

(** The line with the 4 in the logarithm holds when there is an ordinary state; x = |S||A|K/delta >= 2. *)
Lemma log_6_le_log_4 x : 2 <= x -> ln (6 * x) <= 6 / 5 * ln (4 * x).
Proof.
  intros Hx. assert (H : ln (6 * x) = ln (4 * x) + ln (3 / 2)) by (rewrite <- ln_mult by lra; f_equal; field).
  assert (H5 : 5 * ln (3 / 2) <= ln (4 * x)).
  { replace (5 * ln (3 / 2)) with (ln ((3 / 2) ^ 5)).
    - destruct (Rle_lt_or_eq_dec ((3 / 2) ^ 5) (4 * x)) as [Hlt|Heq];
        [simpl; lra | left; apply ln_increasing; [simpl; lra | assumption] | rewrite Heq; lra].
    - rewrite <- Rpower_pow by lra. unfold Rpower. rewrite ln_exp. simpl; ring. }
  lra.
Qed.

(** Given: real |S| >= 2, x >= 2. *)
Theorem printed_logarithm_survives s x :
  2 <= s -> 2 <= x -> sqrt s * (sqrt (2 * s) + sqrt (1 / 2)) * sqrt (ln (6 * x)) <= sqrt (5 * s ^ 2 * ln (4 * x)).
Proof.
  intros Hs Hx. destruct (coefficient_square s ltac:(lra)) as [H0 H].
  assert (H4 : 0 < ln (4 * x)) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (H6 : 0 < ln (6 * x)) by (rewrite <- ln_1; apply ln_increasing; lra).
  rewrite <- (sqrt_pow2 _ H0), <- sqrt_mult by (try lra; apply pow2_ge_0). apply sqrt_le_1_alt.
  apply Rle_trans with (s * (2 * s + 1 / 2 + 2 * sqrt s) * (6 / 5 * ln (4 * x))).
  - apply Rmult_le_compat; try lra; [apply pow2_ge_0 | now apply log_6_le_log_4].
  - replace (5 * s ^ 2 * ln (4 * x)) with (s * (25 / 6 * s) * (6 / 5 * ln (4 * x))) by field.
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; [lra|].
    assert (Hroot : 2 * sqrt s <= 3 / 4 * s + 4 / 3)
      by (pose proof (sqrt_sqrt s ltac:(lra)); pose proof (pow2_ge_0 (3 * sqrt s - 4)); nra).
    lra.
Qed.

(** With 4 sqrt 2 and the dropped term the arithmetic of the proof is right.
    Given: all nonnegative reals. *)
Theorem constant_mended (T S0 A K l : R) :
  0 <= T -> 0 <= S0 -> 0 <= A -> 0 <= K -> 0 <= l -> let S := S0 + 1 in
  2 * T * sqrt (5 * S ^ 2 * l) * (2 * T * (S0 * A) + 2 * sqrt (2 * (S0 * A) * (K * T))) <=
  sqrt 2 * (4 * (T * sqrt T) * S * sqrt (5 * S * A * K * l)) + 4 * T ^ 2 * S ^ 2 * A * sqrt (5 * l).
Proof.
  intros HT HS0 HA HK Hl S. assert (HS : S0 <= S) by (unfold S; lra). assert (HS1 : 0 <= S) by lra.
  assert (E1 : sqrt (5 * S ^ 2 * l) = S * sqrt (5 * l)).
  { replace (5 * S ^ 2 * l) with (S ^ 2 * (5 * l)) by ring. rewrite sqrt_mult by (try apply pow2_ge_0; lra).
    now rewrite sqrt_pow2. }
  assert (HAK : 0 <= A * K) by now apply Rmult_le_pos.
  assert (E2 : sqrt (2 * (S0 * A) * (K * T)) <= sqrt 2 * (sqrt T * sqrt (S * A * K))).
  { rewrite <- (sqrt_mult T), <- sqrt_mult; try lra; try (apply Rmult_le_pos; [lra|]);
      try (replace (S * A * K) with (S * (A * K)) by ring; now apply Rmult_le_pos).
    apply sqrt_le_1_alt. replace (2 * (S0 * A) * (K * T)) with (2 * (T * (S0 * (A * K)))) by ring.
    replace (2 * (T * (S * A * K))) with (2 * (T * (S * (A * K)))) by ring.
    apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [lra|]. now apply Rmult_le_compat_r. }
  assert (HSAK : 0 <= S * A * K) by (replace (S * A * K) with (S * (A * K)) by ring; now apply Rmult_le_pos).
  assert (E3 : sqrt (5 * S * A * K * l) = sqrt (5 * l) * sqrt (S * A * K)).
  { rewrite <- sqrt_mult by lra. f_equal; ring. }
  rewrite E1, E3. pose proof (sqrt_pos (5 * l)) as Hr. pose proof (sqrt_pos 2). pose proof (sqrt_pos T).
  pose proof (sqrt_pos (S * A * K)).
  set (r := sqrt (5 * l)) in *. set (q := sqrt (S * A * K)) in *.
  assert (HTSr : 0 <= T * (S * r)) by (apply Rmult_le_pos; [lra | now apply Rmult_le_pos]).
  assert (F1 : T * (S * r) * sqrt (2 * (S0 * A) * (K * T)) <= T * (S * r) * (sqrt 2 * (sqrt T * q)))
    by now apply Rmult_le_compat_l.
  assert (F2 : T * (S * r) * (T * (S0 * A)) <= T * (S * r) * (T * (S * A))).
  { apply Rmult_le_compat_l; [assumption|]. apply Rmult_le_compat_l; [lra | now apply Rmult_le_compat_r]. }
  replace (2 * T * (S * r) * (2 * T * (S0 * A) + 2 * sqrt (2 * (S0 * A) * (K * T))))
    with (4 * (T * (S * r) * (T * (S0 * A))) + 4 * (T * (S * r) * sqrt (2 * (S0 * A) * (K * T)))) by ring.
  replace (sqrt 2 * (4 * (T * sqrt T) * S * (r * q)) + 4 * T ^ 2 * S ^ 2 * A * r)
    with (4 * (T * (S * r) * (sqrt 2 * (sqrt T * q))) + 4 * (T * (S * r) * (T * (S * A)))) by ring.
  lra.
Qed.

(** The first visits to a pair fit into the printed bound: it exceeds the trivial bound where K is small, and has room
    where K is large.
    Given: all reals T, |S|, |A|, K >= 1, 0 < delta <= 1. *)
Theorem first_visits_fit (T S A K delta : R) :
  1 <= T -> 1 <= S -> 1 <= A -> 1 <= K -> 0 < delta <= 1 -> let l := ln (4 * S * A * K / delta) in
  Rmin (K * T) (2 * T * sqrt (5 * S ^ 2 * l) * (2 * T * (S * A) + sqrt (2 * (S * A) * (K * T)))) <=
  4 * (T * sqrt T) * S * sqrt (5 * S * A * K * l).
Proof.
  intros HT HS HA HK Hd l.
  assert (HSA : 1 <= S * A) by nra. assert (HSAK : 1 <= S * A * K) by nra.
  assert (Hl : 1 <= l).
  { unfold l. rewrite <- (ln_exp 1). pose proof exp_le_3 as He.
    assert (H : 4 <= 4 * S * A * K / delta).
    { apply Rmult_le_reg_r with delta; [lra|]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra. nra. }
    left; apply ln_increasing; [apply exp_pos | lra]. }
  assert (E1 : sqrt (5 * S ^ 2 * l) = S * sqrt (5 * l)).
  { replace (5 * S ^ 2 * l) with (S ^ 2 * (5 * l)) by ring. rewrite sqrt_mult by (try apply pow2_ge_0; lra).
    now rewrite sqrt_pow2 by lra. }
  set (r := sqrt (5 * l)) in *. set (q := sqrt (S * A * K * T)).
  assert (Hq0 : 0 <= S * A * K * T) by nra.
  assert (Hr : 0 <= r) by apply sqrt_pos. assert (Hq : 0 <= q) by apply sqrt_pos.
  assert (Hqq : q * q = S * A * K * T) by now apply sqrt_sqrt.
  assert (Hrr : r * r = 5 * l) by (apply sqrt_sqrt; lra).
  assert (E2 : 4 * (T * sqrt T) * S * sqrt (5 * S * A * K * l) = 4 * (T * S * r * q)).
  { replace (5 * S * A * K * l) with ((5 * l) * (S * A * K)) by ring. rewrite (sqrt_mult (5 * l)) by lra. fold r.
    unfold q. rewrite (sqrt_mult (S * A * K) T) by lra. ring. }
  assert (E3 : sqrt (2 * (S * A) * (K * T)) = sqrt 2 * q).
  { unfold q. rewrite <- sqrt_mult by lra. f_equal; ring. }
  rewrite E1, E2, E3.
  assert (HTSr : 0 <= T * S * r) by (apply Rmult_le_pos; nra).
  destruct (Rle_lt_dec (12 * (T * (S * A))) K) as [Hlarge|Hsmall].
  - eapply Rle_trans; [apply Rmin_r|].
    assert (H2 : sqrt 2 <= 142 / 100) by (rewrite <- (sqrt_Rsqr (142 / 100)) by lra; apply sqrt_le_1_alt; unfold Rsqr;
      lra).
    assert (Hv : 2 * T * (S * A) <= 58 / 100 * q).
    { apply Rsqr_incr_0_var; [|lra]. unfold Rsqr.
      replace (58 / 100 * q * (58 / 100 * q)) with (3364 / 10000 * (q * q)) by field. rewrite Hqq.
      assert (0 <= T * (S * A)) by nra.
      assert (T * (S * A) * (12 * (T * (S * A))) <= T * (S * A) * K) by (apply Rmult_le_compat_l; assumption). lra. }
    assert (2 * T * (S * A) + sqrt 2 * q <= 2 * q) by nra.
    replace (2 * T * (S * r)) with (2 * (T * S * r)) by ring.
    replace (4 * (T * S * r * q)) with (2 * (T * S * r) * (2 * q)) by ring. apply Rmult_le_compat_l; lra.
  - eapply Rle_trans; [apply Rmin_l|]. apply Rsqr_incr_0_var; [|nra]. unfold Rsqr.
    replace (4 * (T * S * r * q) * (4 * (T * S * r * q))) with (16 * (T * T) * (S * S) * (r * r) * (q * q)) by ring.
    rewrite Hrr, Hqq.
    replace (16 * (T * T) * (S * S) * (5 * l) * (S * A * K * T)) with (K * (T * T) * (80 * (S * S) * l * (T * (S * A))))
      by ring.
    replace (K * T * (K * T)) with (K * (T * T) * K) by ring. apply Rmult_le_compat_l; [nra|].
    assert (1 <= S * S * l) by nra. assert (0 <= T * (S * A)) by nra. nra.
Qed.

(** The rate of the introduction is weaker than the theorem's, and follows.
    Given: all reals T, |A| >= 1, |S|, K >= 0. *)
Theorem introduction_is_weaker (T S A K : R) :
  1 <= T -> 0 <= S -> 1 <= A -> 0 <= K ->
  T * sqrt T * (S * sqrt S) * sqrt (A * K) <= T ^ 2 * (S * sqrt S) * A * sqrt K.
Proof.
  intros HT HS HA HK. rewrite sqrt_mult by lra.
  assert (H1 : forall x, 1 <= x -> 0 <= sqrt x <= x).
  { intros x Hx. split; [apply sqrt_pos|]. rewrite <- (sqrt_sqrt x) at 2 by lra.
    assert (1 <= sqrt x) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; lra). nra. }
  pose proof (H1 T HT). pose proof (H1 A HA). pose proof (sqrt_pos S). pose proof (sqrt_pos K).
  assert (HSS : 0 <= S * sqrt S * sqrt K) by (apply Rmult_le_pos; [now apply Rmult_le_pos | assumption]).
  replace (T * sqrt T * (S * sqrt S) * (sqrt A * sqrt K)) with (T * (sqrt T * sqrt A) * (S * sqrt S * sqrt K)) by ring.
  replace (T ^ 2 * (S * sqrt S) * A * sqrt K) with (T * (T * A) * (S * sqrt S * sqrt K)) by ring.
  apply Rmult_le_compat_r; [assumption|]. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat; lra.
Qed.
