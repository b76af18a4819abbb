(** * Recording rewards by a rule that rounds up

    Let hat-M be M with every reward r of a state s replaced by phi(s, r) >= r.  A policy of hat-M is adapted to M by
    feeding it the history with replaced rewards; for a y-policy this is hat-pi(t, s, y + alpha), where alpha adds up
    phi(s, r) - r.  If along every history of M the replaced rewards exceed the true ones by at most b in all, then

      F_Z^(x) <= F_Z(x) <= F_Z^(x + b)           for the adapted policy,
      Phi_M(adapted)  >=  Phi_hat-M(hat-pi) - b,
      Phi_M(pi)  <=  Phi_hat-M(some y-policy)    for every policy pi of M,

    so an optimal hat-pi, adapted, loses at most b against every history-dependent policy of M.
    Rounding all steps ([Discretisation.v], b = T eta) and rounding one step ([DiscretisationOneStep.v], b = eta) are
    instances. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp Summary.
Import ListNotations.
Open Scope R_scope.

Section RoundingRule.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Variable phi : S -> R -> R.

  (** ** The replaced model and the adapted policy *)

  Definition replaced (M : mdp S A) : mdp S A := {|
    horizon := horizon M;
    init := init M;
    trans := trans M;
    reward := fun s a => image (phi s) (reward M s a)
  |}.

  Definition replaced_history (h : history S A) : history S A :=
    (map (fun step => (fst step, phi (fst (fst step)) (snd step))) (fst h), snd h).

  Definition adapted (hat : policy S A) : policy S A := fun h => hat (replaced_history h).

  Lemma is_mdp_replaced M : is_mdp M -> is_mdp (replaced M).
  Proof. intros [H1 H2 H3]; split; simpl; auto; intros; now apply law_image. Qed.

  Lemma is_policy_adapted hat : is_policy hat -> is_policy (adapted hat).
  Proof. intros H h; apply H. Qed.

  Lemma replaced_records M : records phi M (replaced M).
  Proof. split; try reflexivity. intros s a f; apply E_image. Qed.

  Lemma collected_replaced_history h : collected (replaced_history h) = recorded phi h.
  Proof.
    destruct h as [past s]; unfold collected, recorded, replaced_history; simpl.
    induction past as [|step past IH]; simpl; [reflexivity | now rewrite IH].
  Qed.

  (** The overshoot so far, the paper's internal state. *)
  Definition overshoot (h : history S A) : R := recorded phi h - collected h.

  Lemma overshoot_extend h a r s : overshoot (extend h a r s) = (phi (state h) r - r) + overshoot h.
  Proof. unfold overshoot, recorded, collected, extend, state; simpl. ring. Qed.

  (** For y-policies the adaptation only needs the overshoot: hat-pi(t, s, y + alpha). *)
  Lemma adapted_y_policy (hat : y_policy S A) h :
    adapted (of_y_policy hat) h = hat (time h) (state h) (collected h + overshoot h).
  Proof.
    unfold adapted, of_y_policy. rewrite collected_replaced_history. unfold overshoot.
    replace (collected h + (recorded phi h - collected h)) with (recorded phi h) by ring.
    f_equal. unfold time, replaced_history; simpl. apply map_length.
  Qed.

  (** The replaced process under hat-pi is the process of the adapted policy, with rewards replaced. *)
  Theorem replaced_history_law M hat t f :
    E (history_law (replaced M) hat t) f = E (history_law M (adapted hat) t) (fun h => f (replaced_history h)).
  Proof.
    revert f; induction t as [|t IH]; intros f.
    - now rewrite !E_history_law_0.
    - rewrite !E_history_law_S, IH. apply E_ext; intros h. rewrite !E_step.
      apply E_ext; intros a. simpl reward. rewrite E_image. apply E_ext; intros r. now apply E_ext.
  Qed.

  Load "setup/Model".
  Variable b : R.
  Hypothesis Hovershoot : forall pi, is_policy pi ->
    almost_surely (history_law M pi (horizon M)) (fun h => 0 <= overshoot h <= b).

  Lemma replaced_return_law hat f :
    E (return_law (replaced M) hat) f = E (image (recorded phi) (history_law M (adapted hat) (horizon M))) f.
  Proof.
    rewrite E_return_law, replaced_history_law, E_image. apply E_ext; intros h. now rewrite collected_replaced_history.
  Qed.

  (** ** The distribution functions *)

  Theorem adapted_cdf_between hat x :
    is_policy hat ->
    cdf (return_law (replaced M) hat) x <= cdf (return_law M (adapted hat)) x /\
    cdf (return_law M (adapted hat)) x <= cdf (return_law (replaced M) hat) (x + b).
  Proof.
    intros Hhat. assert (Hp : is_policy (adapted hat)) by now apply is_policy_adapted.
    assert (Hl : is_law (history_law M (adapted hat) (horizon M))) by now apply law_history.
    unfold cdf; rewrite !replaced_return_law, !E_image, !E_return_law.
    split; apply E_le_as; try apply Hl; generalize (Hovershoot _ Hp); apply as_impl; intros h Hh;
      unfold overshoot in Hh; apply ind_le; lra.
  Qed.

  Theorem conditioned_cdf_le pi x :
    is_policy pi ->
    cdf (return_law (replaced M) (of_y_policy (conditioned state_dec phi M pi))) x <= cdf (return_law M pi) x.
  Proof.
    intros Hpi; unfold cdf.
    rewrite (return_of_conditioned state_dec phi M pi HM Hpi _ (replaced_records M)), E_return_law.
    apply E_le_as; [now apply law_history|]. generalize (Hovershoot pi Hpi); apply as_impl; intros h Hh.
    unfold overshoot in Hh; apply ind_le; lra.
  Qed.

  (** ** The objective *)

  Section Objective.
    Variable G : R -> R.
    Hypothesis HG : weighting G.

    Theorem adapted_value_between hat :
      is_policy hat -> value G (replaced M) hat - b <= value G M (adapted hat) <= value G (replaced M) hat.
    Proof.
      intros Hhat. assert (Hp : is_policy (adapted hat)) by now apply is_policy_adapted.
      assert (Hl : is_law (history_law M (adapted hat) (horizon M))) by now apply law_history.
      unfold value.
      rewrite (Phi_of_same_expectations G HG (return_law (replaced M) hat) _
        (law_return _ _ (is_mdp_replaced M HM) Hhat)
        (law_image (recorded phi) _ Hl) (replaced_return_law hat)).
      split.
      - replace (Phi G (image (recorded phi) (history_law M (adapted hat) (horizon M))) - b)
          with (Phi G (image (fun h => recorded phi h + - b) (history_law M (adapted hat) (horizon M))))
          by (rewrite (Phi_shift G HG) by assumption; ring).
        apply Phi_mono_coupling; [assumption..|]. generalize (Hovershoot _ Hp); apply as_impl; intros h Hh.
        unfold overshoot in Hh; lra.
      - apply Phi_mono_coupling; [assumption..|]. generalize (Hovershoot _ Hp); apply as_impl; intros h Hh.
        unfold overshoot in Hh; lra.
    Qed.

    Theorem conditioned_value_ge pi :
      is_policy pi -> value G M pi <= value G (replaced M) (of_y_policy (conditioned state_dec phi M pi)).
    Proof.
      intros Hpi; apply Phi_antitone_in_cdf; [assumption | now apply law_return | | intros x;
        now apply conditioned_cdf_le].
      apply law_return; [now apply is_mdp_replaced|]. now apply is_policy_of_y_policy, is_y_policy_conditioned.
    Qed.

    Theorem adapted_optimal_loses_at_most_b hat :
      is_policy hat ->
      (forall pi, is_y_policy pi -> value G (replaced M) (of_y_policy pi) <= value G (replaced M) hat) ->
      forall pi, is_policy pi -> value G M pi - b <= value G M (adapted hat).
    Proof.
      intros Hhat Hopt pi Hpi.
      pose proof (conditioned_value_ge pi Hpi) as H1.
      pose proof (Hopt _ (is_y_policy_conditioned state_dec phi M pi HM Hpi)) as H2.
      pose proof (adapted_value_between hat Hhat) as H3. lra.
    Qed.
  End Objective.
End RoundingRule.
