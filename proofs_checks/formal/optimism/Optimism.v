(** * Optimism of the value on the event      (L1; replaces lem:optimismhat)

    On the event, every randomised history-dependent policy pi of M has a policy pi^ of the optimistic model with
    F_{Z^} <= F_Z.  Hence  Phi^(pi^) >= Phi(pi)  for every weighting G, and sup Phi^ >= sup Phi.
    (For one and the same policy the inequality may fail.)

    The two models are drawn together: rewards by the quantile coupling, r <= r^ because F_{R^} <= F_R; the next states
    agree with the masses P^ <= P and the excess P - P^ goes with a real jump to s_inf; there the real reward is 1. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp DynamicProgramming QuantileCoupling
  OptimisticModel Simulation.
Import ListNotations.
Open Scope R_scope.

Section Optimism.
  Load "setup/Event".

  Let M' : mdp (option S) A := optimistic state_dec states M Pt Rt eps.
  Let lo := low state_dec Pt eps.
  Let P (s : S) (a : A) (s' : S) : R := mass state_dec (trans M s a) s'.

  Definition related (s' : option S) (s : S) : Prop := s' = Some s \/ s' = None.

  Definition joint_states (s : S) (a : A) : dist (option S * S) :=
    map (fun s1 => ((Some s1, s1), lo s a s1)) states ++ map (fun s1 => ((None, s1), P s a s1 - lo s a s1)) states.

  Definition joint_step (s' : option S) (s : S) (a : A) : dist ((R * R) * (option S * S)) :=
    match s' with
    | Some _ => bind (quantile_coupling (reward M s a) (raise (eps s a) (Rt s a)))
                  (fun rr => image (fun ss => ((snd rr, fst rr), ss)) (joint_states s a))
    | None => bind (reward M s a) (fun r => image (fun s1 => ((1, r), (None, s1))) (trans M s a))
    end.

  Lemma E_joint_states s a f :
    E (joint_states s a) f = sum states (fun s1 => lo s a s1 * f (Some s1, s1) + (P s a s1 - lo s a s1) * f (None, s1)).
  Proof.
    unfold joint_states; rewrite E_app, sum_plus. f_equal; clear; induction states as [|s1 l IH]; simpl;
      [reflexivity | now rewrite IH | reflexivity | now rewrite IH].
  Qed.

  Lemma E_true_states s a f : E (trans M s a) f = sum states (fun s1 => P s a s1 * f s1).
  Proof. now apply E_sum_mass. Qed.

  Lemma law_joint_states s a : is_law (joint_states s a).
  Proof.
    split.
    - intros x p Hin; apply in_app_or in Hin; destruct Hin as [Hin|Hin];
        apply in_map_iff in Hin; destruct Hin as [s1 [Heq _]]; injection Heq as _ <-.
      + apply Rmax_l.
      + pose proof (low_le_true state_dec M Pt eps HM s a s1 HP). unfold lo, P; lra.
    - transitivity (E (trans M s a) (fun _ => 1)); [|now apply trans_law].
      rewrite E_joint_states, E_true_states. apply sum_ext; intros; ring.
  Qed.

  Lemma joint_states_related s a : almost_surely (joint_states s a) (fun ss => related (fst ss) (snd ss)).
  Proof.
    intros [s' s1] p Hin _; apply in_app_or in Hin; destruct Hin as [Hin|Hin]; apply in_map_iff in Hin;
      destruct Hin as [s2 [Heq _]]; injection Heq as <- <- _; [left | right]; reflexivity.
  Qed.

  Lemma coupling_of_rewards s a :
    let c := quantile_coupling (reward M s a) (raise (eps s a) (Rt s a)) in
    is_law c /\ (forall f, E c (fun xy => f (fst xy)) = E (reward M s a) f) /\
    (forall f, E c (fun xy => f (snd xy)) = E (raise (eps s a) (Rt s a)) f) /\
    almost_surely c (fun xy => fst xy <= snd xy).
  Proof.
    destruct (quantile_coupling_spec (reward M s a) (raise (eps s a) (Rt s a)) (reward_law M HM s a)
      (law_raise (eps s a) (Rt s a) (eps_nonneg _ _ _ Hest s a) (Rt_law _ _ _ Hest s a))) as [H1 [H2 [H3 H4]]].
    repeat split; try assumption; try apply H1.
    apply H4; intros x; now apply cdf_optimistic_le with (Pt := Pt).
  Qed.

  Lemma optimistic_simulates : simulates M M' related (image (fun s => (Some s, s)) (init M)) joint_step.
  Proof.
    split.
    - apply law_image, HM.
    - intros f; simpl; now rewrite !E_image.
    - intros f; now rewrite E_image.
    - apply as_image, as_always; intros s; now left.
    - intros [s'|] s a; simpl.
      + apply law_bind; [apply coupling_of_rewards | intros rr; apply law_image, law_joint_states].
      + apply law_bind; [now apply reward_law | intros r; apply law_image; now apply trans_law].
    - intros [s'|] s a f [Hrel|Hrel]; try discriminate; simpl joint_step.
      + injection Hrel as ->. destruct (coupling_of_rewards s a) as [_ [_ [Hsnd _]]]. rewrite E_bind.
        etransitivity; [|exact (Hsnd (fun r => E (trans M' (Some s) a) (fun s1 => f r s1)))].
        apply E_ext; intros [r r']; rewrite E_image, E_joint_states; simpl fst; simpl snd.
        unfold M'; rewrite E_optimistic_trans. fold lo. rewrite sum_plus, Rplus_comm. f_equal.
        rewrite (sum_ext states _ (fun s1 => f r' None * (P s a s1 - lo s a s1))) by (intros; simpl; ring).
        rewrite sum_scal, sum_minus. unfold jump; fold lo. unfold P.
        rewrite (sum_mass state_dec states); auto; [ring | now apply trans_law].
      + rewrite E_bind. change (reward M' None a) with (ret 1). change (trans M' None a) with (ret (@None S)).
        rewrite !E_ret. rewrite (E_ext _ _ (fun _ => f 1 None)); [apply E_const; now apply reward_law|].
        intros r; rewrite E_image; simpl. apply E_const; now apply trans_law.
    - intros [s'|] s a f _; simpl joint_step.
      + destruct (coupling_of_rewards s a) as [_ [Hfst _]]. rewrite E_bind.
        etransitivity; [|exact (Hfst (fun r => E (trans M s a) (fun s1 => f r s1)))].
        apply E_ext; intros [r r']; rewrite E_image, E_joint_states, E_true_states. apply sum_ext; intros; simpl; ring.
      + rewrite E_bind; apply E_ext; intros r. now rewrite E_image.
    - intros [s'|] s a _; simpl joint_step.
      + apply as_bind. destruct (coupling_of_rewards s a) as [_ [_ [_ Hle]]].
        generalize Hle; apply as_impl; intros [r r'] Hr.
        apply as_image. generalize (joint_states_related s a); apply as_impl; intros ss Hss; simpl in *; tauto.
      + apply as_bind. generalize (Hrew s a); apply as_impl; intros r Hr. apply as_image, as_always; intros s1; simpl.
        split; [lra | now right].
  Qed.

  (** Actions of the optimistic model: those of the state; in s_inf all of them. *)
  Variable acts : S -> list A.
  Hypothesis Hacts : forall s, acts s <> [].

  Definition optimistic_acts (s : option S) : list A :=
    match s with
    | Some s => acts s
    | None => flat_map acts states
    end.

  Lemma acts_incl s' s : related s' s -> incl (acts s) (optimistic_acts s').
  Proof.
    intros [->| ->] a Ha; [assumption|]. apply in_flat_map; exists s; split; [apply Hall | assumption].
  Qed.

  Lemma some_state : exists s : S, True.
  Proof. destruct (law_inhabited (init M) (init_law M HM)) as [s _]; now exists s. Qed.

  Lemma optimistic_acts_nonempty s' : optimistic_acts s' <> [].
  Proof.
    destruct s' as [s|]; [apply Hacts|]. destruct some_state as [s _]. pose proof (Hacts s) as H.
    pose proof (acts_incl None s (or_intror eq_refl)) as Hi. destruct (acts s) as [|a l]; [congruence|].
    intros Hnil; rewrite Hnil in Hi. apply (Hi a); now left.
  Qed.

  (** Given: the event; rewards in [0, 1], any randomised history-dependent policy, any G as in the key identity.
      Differs: finite laws. *)
  Theorem optimistic_policy_dominates pi :
    is_policy pi -> allowed acts M pi ->
    exists pi' : y_policy (option S) A,
      is_y_policy pi' /\ allowed optimistic_acts M' (of_y_policy pi') /\
      (forall x, cdf (return_law M' (of_y_policy pi')) x <= cdf (return_law M pi) x) /\
      (forall G, weighting G -> value G M pi <= value G M' (of_y_policy pi')).
  Proof.
    intros Hpi Hal.
    assert (Hdec : forall s s' : option S, {s = s'} + {s <> s'}) by (decide equality).
    assert (HM' : is_mdp M') by now apply is_mdp_optimistic.
    assert (Ha0 : exists a0 : A, True).
    { destruct some_state as [s _]. pose proof (Hacts s); destruct (acts s) as [|a l]; [congruence | now exists a]. }
    destruct Ha0 as [a0 _].
    set (fallback := fun s' => hd a0 (optimistic_acts s')).
    assert (Hfall : forall s', In (fallback s') (optimistic_acts s')).
    { intros s'; unfold fallback. pose proof (optimistic_acts_nonempty s').
      destruct (optimistic_acts s'); [congruence | now left]. }
    pose proof optimistic_simulates as Hsim.
    set (joint0 := image (fun s => (Some s, s)) (init M)) in *.
    exists (simulated Hdec joint0 joint_step pi fallback).
    assert (Hyp : is_y_policy (simulated Hdec joint0 joint_step pi fallback))
      by now apply (is_y_policy_simulated Hdec M M' related joint0 joint_step Hsim).
    assert (Hdom : forall x, cdf (return_law M' (of_y_policy (simulated Hdec joint0 joint_step pi fallback))) x <=
                             cdf (return_law M pi) x)
      by (intros x; now apply (simulated_return_dominates Hdec M M' eq_refl related joint0 joint_step Hsim)).
    repeat split; try apply Hyp; try assumption.
    - apply (simulated_allowed Hdec M M' eq_refl related joint0 joint_step Hsim pi fallback acts optimistic_acts); auto.
      apply acts_incl.
    - intros G HG. apply Phi_antitone_in_cdf; [assumption | now apply law_return | | assumption].
      apply law_return; [assumption | now apply is_policy_of_y_policy].
  Qed.
End Optimism.
