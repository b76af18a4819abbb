(** * Hoeffding's half-width at a given level      (wang:half-width)

    The mean of n independent draws in [0, 1] is within  sqrt( ln(2/delta) / 2n )  of its expectation with probability
    at least 1 - delta.  With  (1/2) sqrt( ln(4/delta) / n )  in its place this fails: five tosses of a fair coin at
    delta = 1/20. *)

Require Import Reals Lra Lia Psatz List.
From VerifiedRisk Require Import FiniteLaw HoeffdingFinite.
Import ListNotations.
Open Scope R_scope.

(** Given: n >= 1 independent draws, values in [0, 1], 0 < delta <= 1.
    Differs: finite laws. *)
Theorem half_width {X} (d : dist X) (u : X -> R) (n : nat) (delta : R) :
  is_law d -> almost_surely d (fun x => 0 <= u x <= 1) -> (0 < n)%nat -> 0 < delta <= 1 ->
  prob (draws (repeat d n)) (fun xs => Rlt_dec (sqrt (ln (2 / delta) / (2 * INR n))) (Rabs (average u xs - E d u))) <=
    delta.
Proof.
  intros Hd Hu Hn Hdelta. pose proof (lt_0_INR n Hn) as Hn'. set (v := sqrt (ln (2 / delta) / (2 * INR n))).
  assert (H1 : 1 < 2 / delta) by (apply (Rmult_lt_reg_r delta); [lra|];
    replace (2 / delta * delta) with 2 by (field; lra); lra).
  assert (Hln : 0 < ln (2 / delta)) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (Hv2 : v ^ 2 = ln (2 / delta) / (2 * INR n)).
  { unfold v. simpl. rewrite Rmult_1_r. apply sqrt_sqrt. left; apply Rdiv_lt_0_compat; lra. }
  pose proof (average_rarely_far d u n Hd Hu Hn v (sqrt_pos _)) as H.
  replace (- 2 * INR n * v ^ 2) with (- ln (2 / delta)) in H by (rewrite Hv2; field; lra).
  rewrite exp_Ropp, exp_ln in H by lra. replace (2 * / (2 / delta)) with delta in H by (field; lra).
  eapply Rle_trans; [|exact H]. apply E_le; [apply law_draws, Forall_repeat, Hd|]. intros xs. apply ind_le. lra.
Qed.

(** ** The other constant *)

Definition fair_coin : dist bool := [(true, 1 / 2); (false, 1 / 2)].
Definition is_heads (b : bool) : R := if b then 1 else 0.

Lemma law_coin : is_law fair_coin.
Proof. split; [intros x p [H|[H|[]]]; injection H; intros; lra | simpl; lra]. Qed.

Lemma E_heads : E fair_coin is_heads = 1 / 2.
Proof. simpl; lra. Qed.

(** Five equal tosses. *)
Lemma five_equal f : (forall xs, 0 <= f xs) ->
  / 32 * f (repeat true 5) + / 32 * f (repeat false 5) <= E (draws (repeat fair_coin 5)) f.
Proof.
  intros Hf. assert (Hcoin : forall g : bool -> R, E fair_coin g = / 2 * g true + / 2 * g false)
    by (intros g; simpl; lra).
  assert (Hone : forall (x : bool) n g, (forall xs, 0 <= g xs) ->
    (/ 2) ^ n * g (repeat x n) <= E (draws (repeat fair_coin n)) g).
  { intros x n; induction n as [|n IH]; intros g Hg; [simpl; lra|]. cbn [repeat]. rewrite E_draws_cons, Hcoin.
    pose proof (IH (fun xs => g (x :: xs)) ltac:(intros; apply Hg)) as H. cbn [pow].
    assert (Hpos : forall y, 0 <= E (draws (repeat fair_coin n)) (fun xs => g (y :: xs)))
      by (intros y; apply E_nonneg; [apply law_draws, Forall_repeat, law_coin | intros; apply Hg]).
    pose proof (Hpos true). pose proof (Hpos false). destruct x; lra. }
  cbn [repeat]. rewrite E_draws_cons, Hcoin.
  pose proof (Hone true 4%nat (fun xs => f (true :: xs)) ltac:(intros; apply Hf)) as H1.
  pose proof (Hone false 4%nat (fun xs => f (false :: xs)) ltac:(intros; apply Hf)) as H2. simpl in *. lra.
Qed.

(** Given: none: five tosses of a fair coin, delta = 1/20.
    Differs: the formula as it was reported to us. *)
Theorem other_half_width_fails :
  1 / 20 < prob (draws (repeat fair_coin 5))
    (fun xs => Rlt_dec (1 / 2 * sqrt (ln (4 / (1 / 20)) / INR 5)) (Rabs (average is_heads xs - E fair_coin is_heads))).
Proof.
  assert (He : exp 5 > 80).
  { assert (Hdouble : forall x a b, 0 <= a -> a <= exp x -> b <= a * a -> b <= exp (2 * x))
      by (intros x a b Ha H Hb; replace (2 * x) with (x + x) by ring; rewrite exp_plus; nra).
    pose proof (exp_ineq1_le (5 / 32)) as H0.
    pose proof (Hdouble (5 / 32) (115 / 100) (132 / 100) ltac:(lra) ltac:(lra) ltac:(lra)) as H1.
    pose proof (Hdouble _ (132 / 100) (174 / 100) ltac:(lra) H1 ltac:(lra)) as H2.
    pose proof (Hdouble _ (174 / 100) (302 / 100) ltac:(lra) H2 ltac:(lra)) as H3.
    pose proof (Hdouble _ (302 / 100) (912 / 100) ltac:(lra) H3 ltac:(lra)) as H4.
    pose proof (Hdouble _ (912 / 100) (831 / 10) ltac:(lra) H4 ltac:(lra)) as H5.
    replace (2 * (2 * (2 * (2 * (2 * (5 / 32)))))) with 5 in H5 by lra. lra. }
  assert (Hln : ln 80 < 5) by (rewrite <- (ln_exp 5); apply ln_increasing; lra).
  assert (Hln0 : 0 < ln 80) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (Hwidth : 1 / 2 * sqrt (ln (4 / (1 / 20)) / INR 5) < 1 / 2).
  { replace (4 / (1 / 20)) with 80 by field. replace (INR 5) with 5 by (simpl; lra).
    assert (sqrt (ln 80 / 5) < sqrt 1) by (apply sqrt_lt_1_alt; split; lra). rewrite sqrt_1 in *. lra. }
  set (w := 1 / 2 * sqrt (ln (4 / (1 / 20)) / INR 5)) in *. clearbody w.
  eapply Rlt_le_trans; [|apply five_equal; intros; apply ind_range].
  rewrite E_heads, !ind_yes; [lra| |]; unfold average, Rabs; simpl; destruct (Rcase_abs _); lra.
Qed.
