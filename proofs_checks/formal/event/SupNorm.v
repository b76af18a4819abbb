(** * All successors at once, and one tape at every length      (lem:event/hoeffding, lem:event/sup-norm, L0/tape)

    The union over m successors costs their number:  P( max |p^(s) - p(s)| >= v ) <= 2 m exp(-2 n v^2).

    With l = ln((S0 + 2) S0 |A| N / delta) and eps_n = sqrt(l / 2n), the first n of N independent observations of one
    pair have |F_n - F| < eps_n everywhere and p^ - p < eps_n, for every n <= N at once, but for probability delta / (S0
    |A|). *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp HoeffdingFinite ChainOfEvents DkwFinite MartingaleStep
  EventHolds.
Import ListNotations.
Open Scope R_scope.

(** Given: n >= 1 independent draws from a finite law, listed successors, v >= 0.
    Differs: no condition that the right side be small. *)
Theorem sup_norm_rarely_large {X} (eq_dec : forall x y : X,
  {x = y} + {x <> y}) (states : list X) (d : dist X) (n : nat) (v : R) :
  is_law d -> (0 < n)%nat -> 0 <= v ->
  prob (draws (repeat d n)) (fun xs =>
    Exists_dec (fun x => v <= Rabs (average (fun y => ind (eq_dec y x)) xs - mass eq_dec d x)) states
      (fun x => Rle_dec _ _))
  <= 2 * INR (length states) * exp (- 2 * INR n * v ^ 2).
Proof.
  intros Hd Hn Hv.
  eapply Rle_trans; [apply (prob_exists_le (draws (repeat d n))
    (fun x xs => v <= Rabs (average (fun y => ind (eq_dec y x)) xs - mass eq_dec d x)) (fun x xs => Rle_dec _ _));
    apply law_draws, Forall_repeat, Hd|].
  replace (2 * INR (length states) * exp (- 2 * INR n * v ^ 2))
    with (INR (length states) * (2 * exp (- 2 * INR n * v ^ 2))) by ring.
  rewrite <- sum_const. apply sum_le; intros x _.
  exact (average_rarely_far d (fun y => ind (eq_dec y x)) n Hd (as_always _ _ (fun y => ind_range _)) Hn v Hv).
Qed.

(** ** One tape *)

Lemma E_draws_skip {X} (d : dist X) k n g :
  is_law d -> E (draws (repeat d (k + n))) (fun xs => g (skipn k xs)) = E (draws (repeat d n)) g.
Proof.
  intros Hd; induction k as [|k IH]; [reflexivity|]. cbn [repeat plus]. rewrite E_draws_cons.
  rewrite (E_ext d _ (fun _ => E (draws (repeat d n)) g)); [now apply E_const | intros x; exact IH].
Qed.

Lemma E_draws_oldest {X} (d : dist X) n N g :
  is_law d -> (n <= N)%nat -> E (draws (repeat d N)) (fun xs => g (oldest n xs)) = E (draws (repeat d n)) g.
Proof.
  intros Hd Hn. rewrite <- (E_draws_skip d (N - n) n g Hd). replace (N - n + n)%nat with N by lia.
  apply E_ext_as. pose proof (draws_length (repeat d N)) as H; rewrite repeat_length in H.
  revert H; apply as_impl; intros xs Hxs.
  unfold oldest. now rewrite Hxs.
Qed.

Section Tape.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Load "setup/Model".
  Variables (states : list S) (A0 : R) (N : nat) (delta : R) (sa : S * A).
  Local Notation S0 := (INR (length states)).
  Let l : R := ln ((S0 + 2) * S0 * A0 * INR N / delta).
  Let radius (n : nat) : R := sqrt (l / (2 * INR n)).
  Hypothesis HS : 0 < S0.
  Hypothesis HA : 0 < A0.
  Hypothesis HN : (0 < N)%nat.
  Hypothesis Hdelta : 0 < delta.
  Hypothesis Hl : 0 < l.

  Local Notation bad := (misleading_dec state_dec M states sa).

  (** Some prefix of the tape is misleading. *)
  Definition leaves_dec (xs : list (R * S)) :
    {Exists (fun n => misleading state_dec M states sa (radius n) (oldest n xs)) (seq 1 N)} + {~ _} :=
    Exists_dec _ _ (fun n => bad (radius n) (oldest n xs)).

  (** Given: N >= 1 independent observations of one pair, delta > 0, l > 0.
      Differs: finite laws; the first n in the order of drawing. *)
  Theorem tape_stays_within_its_radius :
    prob (draws (repeat (observation M sa) N)) leaves_dec <= delta / (S0 * A0) /\
    forall xs, ~ Exists (fun n => misleading state_dec M states sa (radius n) (oldest n xs)) (seq 1 N) ->
    forall n, (0 < n <= N)%nat ->
      (forall x, Rabs (empirical (map fst (oldest n xs)) x - cdf (reward M (fst sa) (snd sa)) x) < radius n) /\
      (forall s', In s' states -> frequency state_dec s' (oldest n xs) <
        mass state_dec (trans M (fst sa) (snd sa)) s' + radius n).
  Proof.
    pose proof (law_observation M HM sa) as Hd.
    assert (Hrad : forall n, (0 < n)%nat -> 0 < radius n).
    { intros n Hn. apply sqrt_lt_R0, Rdiv_lt_0_compat; [assumption|]. pose proof (lt_0_INR n Hn); lra. }
    split.
    - eapply Rle_trans; [apply (prob_exists_le _ (fun n xs => misleading state_dec M states sa (radius n) (oldest n xs))
        (fun n xs => bad (radius n) (oldest n xs))); apply law_draws, Forall_repeat, Hd|].
      pose proof (lt_0_INR N HN) as HN'.
      apply Rle_trans with (sum (seq 1 N) (fun _ => (S0 + 2) * exp (- l))).
      + apply sum_le; intros n Hn; apply in_seq in Hn. unfold prob.
        rewrite (E_draws_oldest (observation M sa) n N (fun xs => ind (bad (radius n) xs)) Hd) by lia.
        eapply Rle_trans; [apply (misleading_is_rare state_dec M HM states sa n (radius n)); [lia | apply Hrad; lia]|].
        right. f_equal. f_equal. unfold radius. assert (0 < INR n) by (apply lt_0_INR; lia).
        replace (sqrt (l / (2 * INR n)) ^ 2) with (sqrt (l / (2 * INR n)) * sqrt (l / (2 * INR n))) by ring.
        rewrite sqrt_sqrt by (left; apply Rdiv_lt_0_compat; lra). field; lra.
      + rewrite sum_const, seq_length, exp_Ropp. unfold l. rewrite exp_ln.
        * right; field. repeat split; lra.
        * apply Rdiv_lt_0_compat; [|assumption]. repeat apply Rmult_lt_0_compat; lra.
    - intros xs Hnot n Hn.
      assert (Hgood : ~ misleading state_dec M states sa (radius n) (oldest n xs)).
      { intros Hm; apply Hnot, Exists_exists. exists n; split; [apply in_seq; lia | assumption]. }
      split.
      + apply near_at_every_real_of_support; [apply Hrad; lia | |].
        * apply Forall_forall; intros r Hr. apply in_map_iff in Hr; destruct Hr as [x [<- Hx]].
          destruct (in_dec Req_EM_T (fst x) (map fst (reward M (fst sa) (snd sa)))) as [|Hno]; [assumption | exfalso].
          apply Hgood; left. apply Exists_exists; now exists x.
        * intros Hfar; apply Hgood; right; left; exact Hfar.
      + intros s' Hs'. apply Rnot_le_lt; intros Hle. apply Hgood; right; right. apply Exists_exists; now exists s'.
  Qed.
End Tape.
