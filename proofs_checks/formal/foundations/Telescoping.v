(** * Telescoping a value function along another model

    A step with n steps left after it, in state s with action a, costs [cost n s a].  If v_0, v_1, ... satisfy

      v_{n+1}(h)  <=  E_M [ v_n(next history) | h ]  +  E_pi [ cost n s a | h ]

    at every history h, then  E_D v_T  is at most  E_M v_0  plus the expected sum of the costs along M. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp.
Import ListNotations.
Open Scope R_scope.

Section Telescoping.
  Context {S A : Type}.
  Load "setup/Policy".

  (** The expected sum of costs along an episode; in the paper's counting, sum over t of E cost(T - t, s_t, a_t). *)
  Definition expected_cost (cost : nat -> S -> A -> R) : R :=
    sum (seq 0 (horizon M)) (fun t =>
      E (history_law M pi t) (fun h => E (pi h) (cost (horizon M - Datatypes.S t)%nat (state h)))).

  Lemma expected_cost_le (c c' : nat -> S -> A -> R) :
    (forall n s a, (n < horizon M)%nat -> c n s a <= c' n s a) -> expected_cost c <= expected_cost c'.
  Proof.
    intros H; apply sum_le; intros t Ht; apply in_seq in Ht.
    apply E_le; [now apply law_history | intros h]. apply E_le; [apply Hpi | intros a; apply H; lia].
  Qed.

  Lemma expected_cost_scal k (c : nat -> S -> A -> R) :
    expected_cost (fun n s a => k * c n s a) = k * expected_cost c.
  Proof.
    unfold expected_cost; rewrite <- sum_scal; apply sum_ext; intros t _.
    rewrite <- E_scal; apply E_ext; intros h. apply E_scal.
  Qed.

  Theorem telescope (v : nat -> history S A -> R) (cost : nat -> S -> A -> R) :
    (forall n h, (Datatypes.S n + time h = horizon M)%nat ->
       v (Datatypes.S n) h <= E (step M pi h) (v n) + E (pi h) (cost n (state h))) ->
    E (init M) (fun s => v (horizon M) (start s)) <= E (history_law M pi (horizon M)) (v O) + expected_cost cost.
  Proof.
    intros H.
    assert (Hgo : forall n t, (t + n = horizon M)%nat ->
      E (history_law M pi t) (v n) <= E (history_law M pi (horizon M)) (v O) +
        sum (seq t n) (fun t => E (history_law M pi t)
          (fun h => E (pi h) (cost (horizon M - Datatypes.S t)%nat (state h))))).
    { induction n as [|n IH]; intros t Ht; cbn [seq sum]; [rewrite Nat.add_0_r in Ht; subst; lra|].
      specialize (IH (Datatypes.S t) ltac:(lia)).
      replace (horizon M - Datatypes.S t)%nat with n by lia.
      apply Rle_trans with (E (history_law M pi t) (fun h => E (step M pi h) (v n) + E (pi h) (cost n (state h)))).
      - apply E_le_as; [now apply law_history|]. generalize (history_time M pi t); apply as_impl; intros h Hh.
        apply H; lia.
      - rewrite E_plus, <- E_history_law_S. lra. }
    specialize (Hgo (horizon M) O eq_refl). rewrite E_history_law_0 in Hgo. exact Hgo.
  Qed.
End Telescoping.
