(** * Adapted policies with an internal state, from any point of an episode
      (paper: lem:pihatcdfbound, lem:picdfbound, lem:piphibound)

    Rewards may vary with time.  [raw t s a] is the reward law of the step with [t] steps behind it; [rounded_at_tau]
    rounds up the rewards of step tau only.  A policy of (t, s, y) is played with an internal correction alpha of the
    reward so far: pi(t, s, y + alpha).  Going from the rounded model to the raw one, alpha = phi(r) - r after step tau
    ([lift_alpha]).  Going from the raw model to the rounded one, r is drawn given phi(r) = rho and alpha = r - rho
    ([undo_alpha]).  Then

      after step tau   the rewards to come from (y, alpha) have the law of those from y + alpha in the other model;
      up to step tau   F_raw(x) <= F_rounded(x + eta)   for the first,   F_rounded(x) <= F_raw(x)   for the second,

    from every state and reward so far, and the objectives are ordered accordingly. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp RoundingRule Discretisation.
Import ListNotations.
Open Scope R_scope.

Section InternalState.
  Context {S A : Type}.
  Variable next : S -> A -> dist S.
  Variable raw : nat -> S -> A -> dist R.
  Variable pi : y_policy S A.
  Hypothesis Hnext : forall s a, is_law (next s a).
  Hypothesis Hraw : forall t s a, is_law (raw t s a).
  Hypothesis Hpi : is_y_policy pi.
  Variables (eta : R) (tau : nat).
  Hypothesis Heta : 0 < eta.

  Local Notation phi := (round_up eta).

  Definition rounded_at_tau (t : nat) (s : S) (a : A) : dist R := if Nat.eqb t tau then image phi (raw t s a)
    else raw t s a.

  (** How the internal state changes: by the time, the pair, the reward paid and the state before. *)
  Definition update : Type := nat -> S -> A -> R -> R -> dist R.
  Definition keep_alpha : update := fun _ _ _ _ alpha => ret alpha.
  Definition lift_alpha : update := fun t _ _ r alpha => ret (if Nat.eqb t tau then phi r - r else alpha).
  Definition undo_alpha : update := fun t s a rho alpha =>
    if Nat.eqb t tau then image (fun r => r - rho) (given (raw t s a) (fun r => Req_EM_T (phi r) rho)) else ret alpha.

  (** The law of the next [n] rewards, added up, from state s, reward so far y and internal state alpha after t steps.
      *)
  Fixpoint rewards_ahead (rewards : nat -> S -> A -> dist R) (u : update) (n t : nat) (s : S) (y alpha : R) : dist R :=
    match n with
    | O => ret 0
    | Datatypes.S n' =>
        bind (pi t s (y + alpha)) (fun a => bind (rewards t s a) (fun r => bind (next s a) (fun s' =>
        bind (u t s a r alpha) (fun beta => image (Rplus r)
          (rewards_ahead rewards u n' (Datatypes.S t) s' (y + r) beta)))))
    end.

  Lemma E_rewards_ahead_S rewards u n t s y alpha f :
    E (rewards_ahead rewards u (Datatypes.S n) t s y alpha) f =
    E (pi t s (y + alpha)) (fun a => E (rewards t s a)
      (fun r => E (next s a) (fun s' => E (u t s a r alpha) (fun beta =>
      E (rewards_ahead rewards u n (Datatypes.S t) s' (y + r) beta) (fun z => f (r + z)))))).
  Proof.
    cbn [rewards_ahead]. rewrite E_bind; apply E_ext; intros a. rewrite E_bind; apply E_ext; intros r.
    rewrite E_bind; apply E_ext; intros s'. rewrite E_bind; apply E_ext; intros beta. apply E_image.
  Qed.

  (** ** After step tau *)

  Lemma after_tau rewards rewards' u n t s y alpha f :
    (forall t s a, (tau < t)%nat -> rewards t s a = rewards' t s a) ->
    (forall t s a r alpha, (tau < t)%nat -> u t s a r alpha = ret alpha) -> (tau < t)%nat ->
    E (rewards_ahead rewards u n t s y alpha) f = E (rewards_ahead rewards' keep_alpha n t s (y + alpha) 0) f.
  Proof.
    intros Hr Hu; revert t s y alpha f; induction n as [|n IH]; intros t s y alpha f Ht; [reflexivity|].
    rewrite !E_rewards_ahead_S, Rplus_0_r. apply E_ext; intros a. rewrite Hr by assumption. apply E_ext; intros r.
    apply E_ext; intros s'.
    rewrite Hu by assumption. unfold keep_alpha. rewrite !E_ret, IH by lia. fold keep_alpha.
    replace (y + r + alpha) with (y + alpha + r) by ring. reflexivity.
  Qed.

  Lemma rounded_at_other t s a : t <> tau -> rounded_at_tau t s a = raw t s a.
  Proof. intros H; unfold rounded_at_tau. now apply Nat.eqb_neq in H as ->. Qed.

  (** lem:pihatcdfbound, t > tau
      Given: reward laws that may vary with time, any policy of (t, s, y), any internal state; t > tau, eta > 0.
      Differs: finite laws; the law by recursion over the steps, as in the claim. *)
  Theorem lifted_rewards_ahead n t s y alpha f :
    (tau < t)%nat -> E (rewards_ahead raw lift_alpha n t s y alpha) f =
      E (rewards_ahead rounded_at_tau keep_alpha n t s (y + alpha) 0) f.
  Proof.
    apply after_tau.
    - intros t' s' a Ht. symmetry; apply rounded_at_other; lia.
    - intros t' s' a r b Ht. unfold lift_alpha. destruct (Nat.eqb_spec t' tau); [lia | reflexivity].
  Qed.

  (** lem:picdfbound, t > tau
      Given: as lifted_rewards_ahead; t > tau.
      Differs: finite laws; the law by recursion over the steps. *)
  Theorem undone_rewards_ahead n t s y alpha f :
    (tau < t)%nat -> E (rewards_ahead rounded_at_tau undo_alpha n t s y alpha) f =
      E (rewards_ahead raw keep_alpha n t s (y + alpha) 0) f.
  Proof.
    apply after_tau.
    - intros t' s' a Ht. apply rounded_at_other; lia.
    - intros t' s' a r b Ht. unfold undo_alpha. destruct (Nat.eqb_spec t' tau); [lia | reflexivity].
  Qed.

  (** ** Up to step tau *)

  Lemma cdf_rewards_ahead_S rewards u n t s y alpha x :
    cdf (rewards_ahead rewards u (Datatypes.S n) t s y alpha) x =
    E (pi t s (y + alpha)) (fun a => E (rewards t s a)
      (fun r => E (next s a) (fun s' => E (u t s a r alpha) (fun beta =>
      cdf (rewards_ahead rewards u n (Datatypes.S t) s' (y + r) beta) (x - r))))).
  Proof.
    unfold cdf. rewrite E_rewards_ahead_S. apply E_ext; intros a. apply E_ext; intros r. apply E_ext; intros s'.
    apply E_ext; intros beta.
    apply E_ext; intros z. apply ind_iff; lra.
  Qed.

  Lemma nonneg_rewards_ahead rewards u n t s y alpha :
    (forall t s a, nonneg (rewards t s a)) -> (forall t s a r alpha, nonneg (u t s a r alpha)) ->
      nonneg (rewards_ahead rewards u n t s y alpha).
  Proof.
    intros Hr Hu; revert t s y alpha; induction n as [|n IH]; intros t s y alpha; [apply law_ret|]. cbn [rewards_ahead].
    apply nonneg_bind; [apply Hpi | intros a]. apply nonneg_bind; [apply Hr | intros r].
    apply nonneg_bind; [apply Hnext | intros s'].
    apply nonneg_bind; [apply Hu | intros beta]. apply nonneg_image, IH.
  Qed.

  Lemma nonneg_rounded t s a : nonneg (rounded_at_tau t s a).
  Proof. unfold rounded_at_tau. destruct (Nat.eqb t tau); [apply nonneg_image|]; apply Hraw. Qed.

  Lemma cdf_monotone (d : dist R) x y : nonneg d -> x <= y -> cdf d x <= cdf d y.
  Proof. intros Hd Hxy. apply E_le; [assumption | intros z; apply ind_le; lra]. Qed.

  (** lem:pihatcdfbound, t <= tau
      Given: as lifted_rewards_ahead; t <= tau, every state and reward so far.
      Differs: finite laws; the law by recursion over the steps. *)
  Theorem lifted_cdf_le n t s y x :
    (t <= tau)%nat -> cdf (rewards_ahead raw lift_alpha n t s y 0) x <=
      cdf (rewards_ahead rounded_at_tau keep_alpha n t s y 0) (x + eta).
  Proof.
    revert t s y x; induction n as [|n IH]; intros t s y x Ht.
    - apply cdf_monotone; [apply law_ret | lra].
    - rewrite !cdf_rewards_ahead_S. apply E_le; [apply Hpi | intros a]. destruct (Nat.eq_dec t tau) as [->|Hne].
      + unfold rounded_at_tau at 1. rewrite Nat.eqb_refl, E_image. apply E_le; [apply Hraw | intros r].
        apply E_le; [apply Hnext | intros s']. unfold lift_alpha at 1, keep_alpha at 1. rewrite Nat.eqb_refl, !E_ret.
        unfold cdf at 1. rewrite lifted_rewards_ahead by lia. replace (y + r + (phi r - r)) with (y + phi r) by ring.
        apply cdf_monotone; [apply nonneg_rewards_ahead; [apply nonneg_rounded | intros; apply law_ret]|].
        pose proof (round_up_spec eta r Heta); lra.
      + rewrite rounded_at_other by assumption. apply E_le; [apply Hraw | intros r].
        apply E_le; [apply Hnext | intros s'].
        unfold lift_alpha at 1, keep_alpha at 1. destruct (Nat.eqb_spec t tau); [contradiction|]. rewrite !E_ret.
        replace (x + eta - r) with (x - r + eta) by ring. apply IH; lia.
  Qed.

  (** Drawing rho and then r given phi(r) = rho is drawing r. *)
  Lemma draw_and_undo t s a (f : R -> R -> R) :
    E (image phi (raw t s a)) (fun rho => E (given (raw t s a) (fun r => Req_EM_T (phi r) rho)) (fun r => f r rho)) =
    E (raw t s a) (fun r => f r (phi r)).
  Proof. rewrite E_image. apply (tower (raw t s a) phi (fun rho r => Req_EM_T (phi r) rho) f), Hraw. Qed.

  (** lem:picdfbound, t <= tau
      Given: as lifted_rewards_ahead; t <= tau, internal state r - rho with r drawn given its rounding.
      Differs: finite laws; the law by recursion over the steps. *)
  Theorem undone_cdf_le n t s y x :
    (t <= tau)%nat -> cdf (rewards_ahead rounded_at_tau undo_alpha n t s y 0) x <=
      cdf (rewards_ahead raw keep_alpha n t s y 0) x.
  Proof.
    revert t s y x; induction n as [|n IH]; intros t s y x Ht; [apply Rle_refl|].
    rewrite !cdf_rewards_ahead_S. apply E_le; [apply Hpi | intros a]. destruct (Nat.eq_dec t tau) as [->|Hne].
    - unfold rounded_at_tau at 1, undo_alpha at 1. rewrite Nat.eqb_refl.
      rewrite (E_ext (image phi (raw tau s a)) _
        (fun rho => E (given (raw tau s a) (fun r => Req_EM_T (phi r) rho)) (fun r =>
        E (next s a) (fun s' => cdf (rewards_ahead raw keep_alpha n (Datatypes.S tau) s' (y + r) 0) (x - rho))))).
      + rewrite (draw_and_undo tau s a (fun r rho =>
          E (next s a) (fun s' => cdf (rewards_ahead raw keep_alpha n (Datatypes.S tau) s' (y + r) 0) (x - rho)))).
        apply E_le; [apply Hraw | intros r]. apply E_le; [apply Hnext | intros s']. unfold keep_alpha at 2.
        rewrite E_ret.
        apply cdf_monotone; [apply nonneg_rewards_ahead; intros; [apply Hraw | apply law_ret]|].
        pose proof (round_up_spec eta r Heta); lra.
      + intros rho. rewrite E_swap, E_image. apply E_ext; intros r. apply E_ext; intros s'.
        unfold cdf at 1. rewrite undone_rewards_ahead by lia. replace (y + rho + (r - rho)) with (y + r) by ring.
        reflexivity.
    - rewrite rounded_at_other by assumption. apply E_le; [apply Hraw | intros r].
      apply E_le; [apply Hnext | intros s'].
      unfold undo_alpha at 1, keep_alpha at 1. destruct (Nat.eqb_spec t tau); [contradiction|]. rewrite !E_ret.
      apply IH; lia.
  Qed.

  (** ** The objective *)

  Lemma nonneg_given (d : dist R) {P : R -> Prop} (dec : forall x, {P x} + {~ P x}) : nonneg d -> nonneg (given d dec).
  Proof.
    intros Hd. apply nonneg_scale.
    - destruct (E_nonneg d (fun x => ind (dec x)) Hd (fun x => proj1 (ind_range (dec x)))) as [H|H]; unfold prob.
      + left; now apply Rinv_0_lt_compat.
      + rewrite <- H, Rinv_0; lra.
    - intros x p Hin. apply filter_In in Hin. now apply (Hd x).
  Qed.

  Lemma law_raw_rewards_ahead n t s y alpha : is_law (rewards_ahead raw keep_alpha n t s y alpha).
  Proof.
    revert t s y alpha; induction n as [|n IH]; intros t s y alpha; [apply law_ret|]. cbn [rewards_ahead].
    apply law_bind; [apply Hpi | intros a]. apply law_bind; [apply Hraw | intros r].
    apply law_bind; [apply Hnext | intros s'].
    apply law_bind; [apply law_ret | intros beta]. apply law_image, IH.
  Qed.

  Lemma law_undone_rewards_ahead n t s y : (t <= tau)%nat -> is_law (rewards_ahead rounded_at_tau undo_alpha n t s y 0).
  Proof.
    intros Ht. split.
    - apply nonneg_rewards_ahead; [apply nonneg_rounded|]. intros t' s' a r alpha. unfold undo_alpha.
      destruct (Nat.eqb t' tau); [apply nonneg_image, nonneg_given, Hraw | apply law_ret].
    - revert t s y Ht; induction n as [|n IH]; intros t s y Ht; [apply law_ret|]. rewrite E_rewards_ahead_S.
      transitivity (E (pi t s (y + 0)) (fun _ => 1)); [|apply Hpi]. apply E_ext; intros a.
      destruct (Nat.eq_dec t tau) as [->|Hne].
      + unfold rounded_at_tau at 1, undo_alpha at 1. rewrite Nat.eqb_refl.
        rewrite (E_ext _ _ (fun rho => E (given (raw tau s a) (fun r => Req_EM_T (phi r) rho)) (fun _ => 1))).
        * rewrite (draw_and_undo tau s a (fun _ _ => 1)). apply Hraw.
        * intros rho. rewrite E_swap, E_image. apply E_ext; intros r. rewrite (E_ext _ _ (fun _ => 1)); [apply Hnext|].
          intros s'. rewrite undone_rewards_ahead by lia. apply law_raw_rewards_ahead.
      + rewrite rounded_at_other by assumption. rewrite (E_ext _ _ (fun _ => 1)); [apply Hraw|]. intros r.
        rewrite (E_ext _ _ (fun _ => 1)); [apply Hnext|]. intros s'. unfold undo_alpha at 1.
        destruct (Nat.eqb_spec t tau); [contradiction|]. rewrite E_ret. apply IH; lia.
  Qed.

  (** lem:piphibound: the adapted policy is worth at least the original.
      Given: as lifted_rewards_ahead, from any initial law; G as in the key identity.
      Differs: finite laws; the law by recursion over the steps. *)
  Theorem undone_value_ge (init : dist S) (T : nat) G :
    is_law init -> weighting G ->
    Phi G (bind init (fun s => rewards_ahead raw keep_alpha T 0 s 0 0)) <=
      Phi G (bind init (fun s => rewards_ahead rounded_at_tau undo_alpha T 0 s 0 0)).
  Proof.
    intros Hi HG. apply Phi_antitone_in_cdf; [assumption | | |].
    - apply law_bind; [assumption | intros s; apply law_raw_rewards_ahead].
    - apply law_bind; [assumption | intros s; apply law_undone_rewards_ahead; lia].
    - intros x. unfold cdf. rewrite !E_bind. apply E_le; [apply Hi | intros s]. apply undone_cdf_le; lia.
  Qed.
End InternalState.
