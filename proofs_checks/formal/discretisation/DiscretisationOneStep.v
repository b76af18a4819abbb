(** * Rounding one step up costs at most eta
      (paper: lem:pihatcdfbound, lem:pihatphibound, lem:picdfbound, lem:piphibound, one link of its chain)

    The paper goes from M to hat-M through M_0, ..., M_T, where M_tau rounds the rewards of the first tau steps; its
    four adaptation lemmas are about one link.  Rewards that vary with time are written with the time in the state: a
    model on (state, step) whose step starts at 0 and goes up by one.  Let hat-M be M with the rewards of step tau
    rounded up, and let the adapted policy play hat-pi(t, s, y + alpha), alpha = 0 up to step tau and phi(r_tau) - r_tau
    after it.  Then

      along every history  0 <= Z^ - Z < eta,
      F_Z(x) <= F_Z^(x + eta)                     for the adapted policy,
      Phi_M(adapted)  >=  Phi_hat-M(hat-pi) - eta,
      F_Z^(x) <= F_Z(x),  Phi_hat-M >= Phi_M      for every policy of M and a y-policy of hat-M built from it.

    Going through all T links costs T eta in all; see [Discretisation.v] for the whole chain at once. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp Summary RoundingRule Discretisation.
Import ListNotations.
Open Scope R_scope.

Section OneStep.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S * nat, {s = s'} + {s <> s'}.
  Variables (eta : R) (tau : nat).
  Hypothesis Heta : 0 < eta.

  (** The second component of the state counts the steps. *)
  Record keeps_time (M : mdp (S * nat) A) : Prop := {
    starts_at_0 : almost_surely (init M) (fun s => snd s = O);
    goes_up : forall s a, almost_surely (trans M s a) (fun s' => snd s' = Datatypes.S (snd s))
  }.

  Definition round_at (s : S * nat) (r : R) : R := if Nat.eqb (snd s) tau then round_up eta r else r.

  Variable M : mdp (S * nat) A.
  Hypothesis HM : is_mdp M.
  Hypothesis Htime : keeps_time M.

  (** Nothing before step tau; at most one rounding after it.
      Given: the rewards of step tau rounded up, eta > 0; the time kept in the state; any policy.
      Step of: lem:pihatcdfbound/before. *)
  Theorem overshoot_of_one_step pi t :
    almost_surely (history_law M pi t) (fun h =>
      snd (state h) = t /\ 0 <= overshoot round_at h < eta /\ ((t <= tau)%nat -> overshoot round_at h = 0)).
  Proof.
    induction t as [|t IH]; simpl.
    - apply as_image. generalize (starts_at_0 M Htime); apply as_impl; intros s Hs. split; [exact Hs|].
      unfold overshoot, recorded, collected; simpl. split; [lra | intros; ring].
    - apply as_bind; revert IH; apply as_impl; intros h [Ht [He H0]]. apply as_step.
      apply as_always; intros a. apply as_always; intros r.
      generalize (goes_up M Htime (state h) a); apply as_impl; intros s' Hs'.
      rewrite overshoot_extend, state_extend, Hs', Ht. split; [reflexivity|].
      set (x := overshoot round_at h) in *. unfold round_at. rewrite Ht.
      pose proof (round_up_spec eta r Heta) as Hr. destruct (Nat.eqb_spec t tau) as [Heq|Hne].
      + specialize (H0 ltac:(lia)). split; [lra | intros; exfalso; lia].
      + split; [lra|]. intros Hle. rewrite H0 by lia. ring.
  Qed.

  Lemma overshoot_within_eta pi :
    is_policy pi -> almost_surely (history_law M pi (horizon M)) (fun h => 0 <= overshoot round_at h <= eta).
  Proof. intros _. generalize (overshoot_of_one_step pi (horizon M)); apply as_impl; intros h [_ [He _]]; lra. Qed.

  (** The internal state: zero up to step tau, then the rounding error of that step. *)
  Theorem adapted_plays_shifted (hat : y_policy (S * nat) A) h :
    adapted round_at (of_y_policy hat) h = hat (time h) (state h) (collected h + overshoot round_at h).
  Proof. apply adapted_y_policy. Qed.

  (** lem:pihatcdfbound
      Given: as overshoot_of_one_step; any policy of the rounded model, and its adaptation.
      Differs: from the first step on; the claim is for every t up to tau.
      Step of: lem:pihatcdfbound/before. *)
  Theorem one_step_cdf_bounds hat x :
    is_policy hat ->
    cdf (return_law (replaced round_at M) hat) x <= cdf (return_law M (adapted round_at hat)) x /\
    cdf (return_law M (adapted round_at hat)) x <= cdf (return_law (replaced round_at M) hat) (x + eta).
  Proof. now apply adapted_cdf_between, overshoot_within_eta. Qed.

  (** lem:pihatphibound
      Given: as overshoot_of_one_step; G as in the key identity.
      Differs: finite laws. *)
  Theorem one_step_value_ge G hat :
    weighting G -> is_policy hat ->
    value G (replaced round_at M) hat - eta <= value G M (adapted round_at hat) <= value G (replaced round_at M) hat.
  Proof. intros HG; now apply adapted_value_between; [|apply overshoot_within_eta|]. Qed.

  (** lem:picdfbound
      Given: as overshoot_of_one_step; any randomised history-dependent policy.
      Differs: a y-policy made by conditioning, in place of an internal state.
      Step of: lem:picdfbound/before. *)
  Theorem one_step_conditioned_cdf_le pi x :
    is_policy pi ->
    cdf (return_law (replaced round_at M) (of_y_policy (conditioned state_dec round_at M pi))) x <=
      cdf (return_law M pi) x.
  Proof. now apply conditioned_cdf_le with eta, overshoot_within_eta. Qed.

  (** lem:piphibound
      Given: as overshoot_of_one_step; G as in the key identity.
      Differs: a y-policy made by conditioning, in place of an internal state.
      Step of: lem:piphibound. *)
  Theorem one_step_conditioned_value_ge G pi :
    weighting G -> is_policy pi ->
    value G M pi <= value G (replaced round_at M) (of_y_policy (conditioned state_dec round_at M pi)).
  Proof. intros HG; now apply conditioned_value_ge with eta; [|apply overshoot_within_eta|]. Qed.
End OneStep.
