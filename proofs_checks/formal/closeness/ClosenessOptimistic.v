(** * The optimistic pair      (L2 on the event)

    On the event, let h be nondecreasing, L-Lipschitz and supporting (E h(Z) <= Phi(Z)), v^ its dynamic programming
    value in the optimistic model, and pi^ greedy for h there at every (t, s, y).  Played in M,

      v^ - Phi(pi^)   <=   L  E_{M, pi^} sum over t of [ (T - t) min(1, S0 eps) + min(1, 2 eps) ] .

    The policy pi^ is written for the states of the optimistic model; [played] reads it on histories of M. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp SupportingUtility LawDistances
  DynamicProgramming Telescoping ClosenessGreedy OptimisticModel Optimism.
Import ListNotations.
Open Scope R_scope.

(** ** The true model on the larger state space *)

Section Lift.
  Context {S A : Type}.
  Variable M : mdp S A.

  (** M with an unreachable s_inf. *)
  Definition lift : mdp (option S) A := {|
    horizon := horizon M;
    init := image Some (init M);
    trans := fun s a => match s with Some s => image Some (trans M s a) | None => ret None end;
    reward := fun s a => match s with Some s => reward M s a | None => ret 1 end
  |}.

  Definition lift_history (h : history S A) : history (option S) A :=
    (map (fun sar => (Some (fst (fst sar)), snd (fst sar), snd sar)) (fst h), Some (state h)).

  Definition played (pi : policy (option S) A) : policy S A := fun h => pi (lift_history h).

  Lemma collected_lift h : collected (lift_history h) = collected h.
  Proof.
    unfold collected, lift_history; simpl. induction (fst h) as [|x l IH]; simpl; [reflexivity | now rewrite IH].
  Qed.

  Lemma is_mdp_lift : is_mdp M -> is_mdp lift.
  Proof.
    intros HM; split; [apply law_image, HM | |].
    - intros [s|] a; [apply law_image; now apply trans_law | apply law_ret].
    - intros [s|] a; [exact (reward_law M HM s a) | apply law_ret].
  Qed.

  Lemma lift_rewards_within : rewards_within 1 M -> rewards_within 1 lift.
  Proof. intros H [s|] a; [apply H | apply as_ret; lra]. Qed.

  Variable pi : policy (option S) A.

  Lemma is_policy_played : is_policy pi -> is_policy (played pi).
  Proof. intros H h; apply H. Qed.

  Lemma E_history_lift t f :
    E (history_law lift pi t) f = E (history_law M (played pi) t) (fun h => f (lift_history h)).
  Proof.
    revert f; induction t as [|t IH]; intros f.
    - rewrite !E_history_law_0; simpl; now rewrite E_image.
    - rewrite !E_history_law_S, IH; apply E_ext; intros h. rewrite !E_step.
      apply E_ext; intros a; simpl. apply E_ext; intros r. rewrite E_image. reflexivity.
  Qed.

  Lemma E_return_lift f : E (return_law lift pi) f = E (return_law M (played pi)) f.
  Proof.
    rewrite !E_return_law; simpl horizon. rewrite E_history_lift. apply E_ext; intros h; now rewrite collected_lift.
  Qed.

  Lemma value_lift G : weighting G -> is_mdp M -> is_policy pi -> value G lift pi = value G M (played pi).
  Proof.
    intros HG HM Hpi. apply Phi_of_same_expectations; [assumption | | | apply E_return_lift];
      apply law_return; auto using is_mdp_lift, is_policy_played.
  Qed.

  Lemma expected_cost_lift cost :
    expected_cost lift pi cost = expected_cost M (played pi) (fun n s a => cost n (Some s) a).
  Proof.
    unfold expected_cost; simpl horizon. apply sum_ext; intros t _. now rewrite E_history_lift.
  Qed.
End Lift.

(** ** Closeness *)

Section Pair.
  Load "setup/OptimisticPair".
  Load "setup/Lipschitz".

  Lemma transitions_close s a :
    tv_le (trans M' (Some s) a) (trans (lift M) (Some s) a) (jump state_dec states Pt eps s a).
  Proof.
    intros f Hf. unfold M'; rewrite E_optimistic_trans. simpl trans. rewrite E_image.
    rewrite (E_sum_mass state_dec states (trans M s a) _ Hnodup Hall).
    assert (Hlow : sum states (fun s' => low state_dec Pt eps s a s' * f (Some s')) <=
                   sum states (fun s' => mass state_dec (trans M s a) s' * f (Some s'))).
    { apply sum_le; intros s' _. apply Rmult_le_compat_r; [apply Hf | now apply low_le_true]. }
    pose proof (jump_range state_dec states Hnodup Hall Pt Rt eps Hest s a).
    pose proof (Rmult_le_compat_l (jump state_dec states Pt eps s a) _ _ ltac:(lra) (proj2 (Hf None))). lra.
  Qed.

  (** The mass that moves to s_inf, in every state. *)
  Definition jumps (s : option S) (a : A) : R :=
    match s with Some s => jump state_dec states Pt eps s a | None => 0 end.

  Lemma all_transitions_close s a : tv_le (trans M' s a) (trans (lift M) s a) (jumps s a).
  Proof. destruct s as [s|]; [apply transitions_close | intros f _; simpl; lra]. Qed.

  Lemma rewards_close s a f :
    is_utility L f -> E (reward M' (Some s) a) f - E (reward (lift M) (Some s) a) f <= L * Rmin 1 (2 * eps s a).
  Proof.
    intros Hf; change (E (raise (eps s a) (Rt s a)) f - E (reward M s a) f <= L * Rmin 1 (2 * eps s a)).
    replace (L * Rmin 1 (2 * eps s a)) with (L * (1 - 0) * Rmin 1 (2 * eps s a)) by ring.
    apply utility_difference_le_kolmogorov.
    - assumption.
    - now apply reward_law.
    - apply law_raise; apply Hest.
    - lra.
    - apply Hrew.
    - apply raise_within; apply Hest.
    - pose proof (eps_nonneg _ _ _ Hest s a). apply Rmin_glb; lra.
    - intros x _. now apply cdf_optimistic_ge with (Pt := Pt).
  Qed.

  (** The cost of a visit with n steps left after it. *)
  Definition visit_radius (n : nat) (s : S) (a : A) : R :=
    INR n * Rmin 1 (INR (length states) * eps s a) + Rmin 1 (2 * eps s a).

  (** Given: the event; a supporting utility; the policy greedy for it in the optimistic model at every (t, s, y).
      Differs: the outer inequality; not the term in the middle.
      Step of: L2/optimistic. *)
  Theorem optimistic_value_close h pi :
    supports M L G h -> is_policy pi -> is_greedy acts' M' h pi ->
    E (init M') (fun s => V acts' M' h (horizon M') s 0) - value G M (played pi) <=
    L * expected_cost M (played pi) visit_radius.
  Proof.
    intros Hh Hpi Hg. pose proof (lipschitz_nonneg G L HG HGL) as HL.
    assert (HM' : is_mdp M') by now apply is_mdp_optimistic.
    assert (HMl : is_mdp (lift M)) by now apply is_mdp_lift.
    set (dR := fun (s : option S) a => match s with Some s => Rmin 1 (2 * eps s a) | None => 0 end).
    assert (Hclose := greedy_value_close acts'
      ltac:(now apply (optimistic_acts_nonempty states Hall M HM acts Hacts)) (lift M) M' HMl HM' eq_refl eq_refl
      ltac:(now apply optimistic_rewards_within) L HL G h jumps dR pi
      (lift_rewards_within M Hrew) Hh Hpi Hg).
    assert (HdR : forall s a f, is_utility L f -> E (reward M' s a) f - E (reward (lift M) s a) f <= L * dR s a).
    { intros [s|] a f Hf; [now apply rewards_close | simpl; lra]. }
    specialize (Hclose all_transitions_close HdR). rewrite expected_cost_lift, value_lift in Hclose by assumption.
    eapply Rle_trans; [exact Hclose|]. apply Rmult_le_compat_l; [assumption|].
    apply expected_cost_le; [assumption | now apply is_policy_played |]. intros n s a _. unfold visit_radius; simpl.
    apply Rplus_le_compat_r, Rmult_le_compat_l; [apply pos_INR|].
    now apply (jump_le state_dec states Hnodup Hall Pt Rt eps Hest).
  Qed.

  (** Optimism and closeness together: the loss of one episode, with planner error w.
      Given: as optimistic_value_close, the planner within w of the best optimistic value.
      In words: 07-closeness.md#close-optimistic.
      Step of: corrected/i. *)
  Theorem episode_loss_le h pi w best :
    supports M L G h -> is_policy pi -> is_greedy acts' M' h pi ->
    (forall pi0, is_policy pi0 -> allowed acts' M' pi0 ->
       value G M' pi0 <= E (init M') (fun s => V acts' M' h (horizon M') s 0) + w) ->
    is_policy best -> allowed acts M best ->
    value G M best - value G M (played pi) <= L * expected_cost M (played pi) visit_radius + w.
  Proof.
    intros Hh Hpi Hg Hmax Hbest Hal.
    destruct (optimistic_policy_dominates state_dec states Hnodup Hall M Pt Rt eps HM Hrew Hest HP HR acts Hacts best
      Hbest Hal)
      as [pi' [Hyp [Hal' [_ Hv]]]].
    specialize (Hv G HG). specialize (Hmax (of_y_policy pi') (is_policy_of_y_policy pi' Hyp) Hal').
    pose proof (optimistic_value_close h pi Hh Hpi Hg). unfold M' in *; lra.
  Qed.
End Pair.
