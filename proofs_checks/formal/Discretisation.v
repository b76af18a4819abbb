(** * Rounding rewards up to a grid costs at most T eta
      (paper: thm:discretized, lem:pihatcdfbound, lem:pihatphibound, lem:picdfbound, lem:piphibound)

    Let hat-M be M with every reward rounded up to the grid eta Z.  A policy of hat-M is adapted to M by feeding it the
    history with rounded rewards; for a y-policy this is hat-pi(t, s, y + alpha), where alpha adds up phi(r) - r.  Then

      along every history of T >= 1 steps       Z^ - T eta  <  Z  <=  Z^,
      F_Z^(x) <= F_Z(x) <= F_Z^(x + T eta)      for the adapted policy,
      Phi_M(adapted)  >=  Phi_hat-M(hat-pi) - T eta,
      Phi_M(pi)  <=  Phi_hat-M(some y-policy)   for every policy pi of M,

    hence an optimal hat-pi, adapted, loses at most T eta against every history-dependent policy of M.  Rewards may be
    any reals.  The paper prints eta for T eta; see [DiscretisationPrintedFalse.v]. *)

Require Import Reals Lra List ZArith.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp Summary.
Import ListNotations.
Open Scope R_scope.

(** ** Rounding up *)

Definition ceiling (x : R) : Z := (1 - up (- x))%Z.

Lemma ceiling_spec x : x <= IZR (ceiling x) < x + 1.
Proof. unfold ceiling; rewrite minus_IZR; destruct (archimed (- x)); lra. Qed.

Definition round_up (eta r : R) : R := eta * IZR (ceiling (r / eta)).

Lemma round_up_spec eta r : 0 < eta -> r <= round_up eta r < r + eta.
Proof.
  intros Heta; unfold round_up; destruct (ceiling_spec (r / eta)) as [H1 H2].
  apply (Rmult_le_compat_l eta) in H1; [|lra]. apply (Rmult_lt_compat_l eta) in H2; [|lra].
  replace (eta * (r / eta + 1)) with (r + eta) in H2 by (field; lra).
  replace (eta * (r / eta)) with r in H1 by (field; lra). lra.
Qed.

(** A value on the grid stays, and a value between two grid points goes to the upper one. *)
Lemma round_up_eq eta r k : 0 < eta -> eta * (IZR k - 1) < r <= eta * IZR k -> round_up eta r = eta * IZR k.
Proof.
  intros Heta Hr; unfold round_up; f_equal; f_equal.
  destruct (ceiling_spec (r / eta)) as [H1 H2].
  assert (Hk : IZR k - 1 < r / eta <= IZR k).
  { split.
    - apply Rmult_lt_reg_l with eta; [assumption|]. replace (eta * (r / eta)) with r by (field; lra). lra.
    - apply Rmult_le_reg_l with eta; [assumption|]. replace (eta * (r / eta)) with r by (field; lra). lra. }
  apply Z.le_antisymm; apply Z.lt_succ_r; apply lt_IZR; rewrite succ_IZR; lra.
Qed.

Section Discretisation.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Variable eta : R.
  Hypothesis Heta : 0 < eta.

  (** ** The discretised MDP and the adapted policy *)

  Definition discretise (M : mdp S A) : mdp S A := {|
    horizon := horizon M;
    init := init M;
    trans := trans M;
    reward := fun s a => image (round_up eta) (reward M s a)
  |}.

  Definition round_history (h : history S A) : history S A :=
    (map (fun step => (fst step, round_up eta (snd step))) (fst h), snd h).

  Definition adapt (hat : policy S A) : policy S A := fun h => hat (round_history h).

  Lemma is_mdp_discretise M : is_mdp M -> is_mdp (discretise M).
  Proof. intros [H1 H2 H3]; split; simpl; auto; intros; now apply law_image. Qed.

  Lemma is_policy_adapt hat : is_policy hat -> is_policy (adapt hat).
  Proof. intros H h; apply H. Qed.

  Lemma discretise_records M : records (round_up eta) M (discretise M).
  Proof. split; try reflexivity. intros s a f; apply E_image. Qed.

  Lemma time_round_history h : time (round_history h) = time h.
  Proof. apply map_length. Qed.

  Lemma state_round_history h : state (round_history h) = state h.
  Proof. reflexivity. Qed.

  Lemma round_history_extend h a r s :
    round_history (extend h a r s) = extend (round_history h) a (round_up eta r) s.
  Proof. reflexivity. Qed.

  Lemma collected_round_history h : collected (round_history h) = recorded (round_up eta) h.
  Proof.
    destruct h as [past s]; unfold collected, recorded, round_history; simpl.
    induction past as [|step past IH]; simpl; [reflexivity | now rewrite IH].
  Qed.

  (** The rounding error so far, the paper's internal state. *)
  Definition excess (h : history S A) : R := fold_right (fun step y => (round_up eta (snd step) - snd step) + y) 0 (fst h).

  Lemma recorded_eq_collected_plus_excess h : recorded (round_up eta) h = collected h + excess h.
  Proof.
    destruct h as [past s]; unfold collected, recorded, excess; simpl.
    induction past as [|step past IH]; simpl; [ring | rewrite IH; ring].
  Qed.

  (** For y-policies the adaptation only needs the excess: hat-pi(t, s, y + alpha). *)
  Lemma adapt_y_policy (hat : y_policy S A) h :
    adapt (of_y_policy hat) h = hat (time h) (state h) (collected h + excess h).
  Proof.
    unfold adapt, of_y_policy.
    now rewrite time_round_history, collected_round_history, recorded_eq_collected_plus_excess.
  Qed.

  (** ** Pathwise bounds *)

  Lemma recorded_bounds (h : history S A) :
    recorded (round_up eta) h - INR (time h) * eta <= collected h <= recorded (round_up eta) h.
  Proof.
    destruct h as [past s]; unfold collected, recorded, time; simpl.
    induction past as [|step past IH]; [simpl; lra|].
    cbn [fold_right length]; rewrite S_INR. pose proof (round_up_spec eta (snd step) Heta). lra.
  Qed.

  Theorem return_within_T_eta (h : history S A) :
    (1 <= time h)%nat ->
    recorded (round_up eta) h - INR (time h) * eta < collected h <= recorded (round_up eta) h.
  Proof.
    destruct h as [[|step past] s]; unfold time; simpl length; [intros H; inversion H | intros _].
    pose proof (recorded_bounds (past, s)) as H. unfold collected, recorded, time in *; simpl fst in *.
    cbn [fold_right]. rewrite S_INR. pose proof (round_up_spec eta (snd step) Heta). lra.
  Qed.

  (** ** The discretised process under hat-pi is the rounded process under the adapted policy *)

  Theorem rounded_history_law M hat t f :
    E (history_law (discretise M) hat t) f = E (history_law M (adapt hat) t) (fun h => f (round_history h)).
  Proof.
    revert f; induction t as [|t IH]; intros f.
    - now rewrite !E_history_law_0.
    - rewrite !E_history_law_S, IH. apply E_ext; intros h. rewrite !E_step.
      apply E_ext; intros a. simpl reward. rewrite E_image. apply E_ext; intros r. apply E_ext; intros s.
      now rewrite round_history_extend.
  Qed.

  Variable M : mdp S A.
  Hypothesis HM : is_mdp M.
  Local Notation T := (INR (horizon M)).

  Lemma discretised_return_law hat f :
    E (return_law (discretise M) hat) f =
    E (image (recorded (round_up eta)) (history_law M (adapt hat) (horizon M))) f.
  Proof.
    rewrite E_return_law, rounded_history_law, E_image. apply E_ext; intros h. now rewrite collected_round_history.
  Qed.

  Lemma law_recorded_return pi : is_policy pi -> is_law (image (recorded (round_up eta)) (history_law M pi (horizon M))).
  Proof. intros H; apply law_image; now apply law_history. Qed.

  (** ** The distribution functions (lem:pihatcdfbound, all T steps at once) *)

  Theorem adapted_cdf_bounds hat x :
    is_policy hat ->
    cdf (return_law (discretise M) hat) x <= cdf (return_law M (adapt hat)) x /\
    cdf (return_law M (adapt hat)) x <= cdf (return_law (discretise M) hat) (x + T * eta).
  Proof.
    intros Hhat.
    assert (Hl : is_law (history_law M (adapt hat) (horizon M))) by (apply law_history; auto using is_policy_adapt).
    unfold cdf; rewrite !discretised_return_law, !E_image, !E_return_law.
    pose proof (history_time M (adapt hat) (horizon M)) as Ht.
    split; apply E_le_as; try apply Hl; revert Ht; apply as_impl; intros h Hh;
      pose proof (recorded_bounds h) as Hb; rewrite Hh in Hb; apply ind_le; lra.
  Qed.

  (** ** The objective *)

  (** lem:pihatphibound, all steps at once. *)
  Theorem adapted_value_ge G hat :
    weighting G -> is_policy hat ->
    value G (discretise M) hat - T * eta <= value G M (adapt hat) <= value G (discretise M) hat.
  Proof.
    intros HG Hhat.
    assert (Hl : is_law (history_law M (adapt hat) (horizon M))) by (apply law_history; auto using is_policy_adapt).
    unfold value.
    rewrite (Phi_of_same_expectations G HG (return_law (discretise M) hat) _
      (law_return _ _ (is_mdp_discretise M HM) Hhat) (law_recorded_return _ (is_policy_adapt _ Hhat))
      (discretised_return_law hat)).
    pose proof (history_time M (adapt hat) (horizon M)) as Ht.
    split.
    - replace (Phi G (image (recorded (round_up eta)) (history_law M (adapt hat) (horizon M))) - T * eta)
        with (Phi G (image (fun h => recorded (round_up eta) h + - (T * eta)) (history_law M (adapt hat) (horizon M))))
        by (rewrite (Phi_shift G HG) by assumption; ring).
      apply Phi_mono_coupling; [assumption..|]. revert Ht; apply as_impl; intros h Hh.
      pose proof (recorded_bounds h) as Hb; rewrite Hh in Hb; lra.
    - apply Phi_mono_coupling; [assumption..|]. apply as_always; intros h; apply recorded_bounds.
  Qed.

  (** lem:picdfbound and lem:piphibound: hat-M does at least as well as M, already with y-policies. *)
  Theorem discretised_cdf_le pi x :
    is_policy pi ->
    cdf (return_law (discretise M) (of_y_policy (conditioned state_dec (round_up eta) M pi))) x
    <= cdf (return_law M pi) x.
  Proof.
    intros Hpi; unfold cdf.
    rewrite (return_of_conditioned state_dec (round_up eta) M pi HM Hpi _ (discretise_records M)), E_return_law.
    apply E_le; [now apply law_history | intros h; apply ind_le; pose proof (recorded_bounds h); lra].
  Qed.

  Theorem discretised_value_ge G pi :
    weighting G -> is_policy pi ->
    value G M pi <= value G (discretise M) (of_y_policy (conditioned state_dec (round_up eta) M pi)).
  Proof.
    intros HG Hpi; apply Phi_antitone_in_cdf; [assumption | now apply law_return | | intros x; now apply discretised_cdf_le].
    apply law_return; [now apply is_mdp_discretise|]. now apply is_policy_of_y_policy, is_y_policy_conditioned.
  Qed.

  (** thm:discretized with T eta: hat-pi need only be optimal among the y-policies of hat-M. *)
  Theorem adapted_optimal_loses_at_most_T_eta G hat :
    weighting G -> is_policy hat ->
    (forall pi, is_y_policy pi -> value G (discretise M) (of_y_policy pi) <= value G (discretise M) hat) ->
    forall pi, is_policy pi -> value G M pi - T * eta <= value G M (adapt hat).
  Proof.
    intros HG Hhat Hopt pi Hpi.
    pose proof (discretised_value_ge G pi HG Hpi) as H1.
    pose proof (Hopt _ (is_y_policy_conditioned state_dec (round_up eta) M pi HM Hpi)) as H2.
    pose proof (adapted_value_ge G hat HG Hhat) as H3. lra.
  Qed.
End Discretisation.
