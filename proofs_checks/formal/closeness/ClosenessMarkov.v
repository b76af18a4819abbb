(** * Two models, Markov policies      (closeness (b))

    M = (P, R) and M' = (P', R') share states, actions, initial law and horizon T; rewards in [0, 1]; G is an
    L-Lipschitz weighting.  For every randomised policy that sees only the time and the state

      | Phi'(pi) - Phi(pi) |  <=  L  E_{M, pi} sum over t of [ KS(R, R') + (T - t) TV(P, P') ] ,

    where KS is any bound of |F_R - F_{R'}| and TV any bound of the total variation. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Mdp SupportingUtility LawDistances DynamicProgramming Telescoping
  ClosenessGreedy.
Import ListNotations.
Open Scope R_scope.

Section Markov.
  Context {S A : Type}.
  Load "setup/TwoModels".
  Variable pi : markov_policy S A.
  Hypothesis Hpi : is_markov_policy pi.
  Hypothesis Hrew : rewards_within 1 M.
  Hypothesis Hrew' : rewards_within 1 M'.
  Variables dP dR : S -> A -> R.
  Hypothesis HdP : forall s a, tv_le (trans M' s a) (trans M s a) (dP s a).

  Section Utility.
    Variables (L : R) (f : R -> R).
    Hypothesis HL : 0 <= L.
    Hypothesis Hf : is_utility L f.
    (** dR bounds the difference of expected utilities: the area between the CDFs does, and their largest distance. *)
    Hypothesis HdR : forall s a g, is_utility L g -> Rabs (E (reward M' s a) g - E (reward M s a) g) <= L * dR s a.

    (** The value in M' with n steps to go. *)
    Fixpoint U (n : nat) (s : S) (y : R) : R :=
      match n with
      | O => f y
      | Datatypes.S n' => E (pi (horizon M - n)%nat s) (backup M' (U n') s y)
      end.

    Lemma U_is_utility n s : is_utility L (U n s).
    Proof.
      revert s; induction n as [|n IH]; intros s; cbn [U]; [assumption|].
      apply is_utility_average; [apply Hpi | intros a]. unfold backup.
      apply is_utility_average; [now apply reward_law | intros r].
      apply is_utility_average; [now apply trans_law | intros s']. now apply is_utility_shift_l.
    Qed.

    Lemma U_spread n s y : f y <= U n s y <= f y + L * INR n.
    Proof.
      revert s y; induction n as [|n IH]; intros s y; cbn [U]; [simpl; lra|]. rewrite S_INR. unfold backup.
      assert (H : forall a, almost_surely (reward M' s a) (fun r => forall s',
        f y <= U n s' (r + y) <= f y + L * (INR n + 1))).
      { intros a; generalize (Hrew' s a); apply as_impl; intros r Hr s'. specialize (IH s' (r + y)).
        pose proof (Hf y (r + y) ltac:(lra)) as Hu. pose proof (Rmult_le_compat_l L (r + y - y) 1 HL ltac:(lra)). lra. }
      split.
      - apply E_ge_const; [apply Hpi | apply as_always; intros a]. apply E_ge_const; [now apply reward_law|].
        generalize (H a); apply as_impl; intros r Hr.
        apply E_ge_const; [now apply trans_law | apply as_always; intros s'; apply Hr].
      - apply E_le_const; [apply Hpi | apply as_always; intros a]. apply E_le_const; [now apply reward_law|].
        generalize (H a); apply as_impl; intros r Hr.
        apply E_le_const; [now apply trans_law | apply as_always; intros s'; apply Hr].
    Qed.

    Lemma backup_close_both n s y a :
      Rabs (backup M' (U n) s y a - backup M (U n) s y a) <= L * (dR s a + INR n * dP s a).
    Proof.
      assert (Hks : forall g, is_utility L g ->
                E (reward M' s a) g - E (reward M s a) g <= L * dR s a /\
                  E (reward M s a) g - E (reward M' s a) g <= L * dR s a).
      { intros g Hg. specialize (HdR s a g Hg). apply Rabs_le_between in HdR. lra. }
      assert (Hn : 0 <= L * INR n) by (apply Rmult_le_pos; [assumption | apply pos_INR]).
      assert (Hlo : forall z, exists lo, forall s, lo <= U n s z <= lo + L * INR n)
        by (intros z; exists (f z); intros s'; apply U_spread).
      unfold backup; apply Rabs_le; split.
      - enough (E (reward M s a) (fun r => E (trans M s a) (fun s' => U n s' (r + y))) -
                E (reward M' s a) (fun r => E (trans M' s a) (fun s' => U n s' (r + y))) <=
                  L * (INR n * dP s a + dR s a)) by lra.
        apply step_exchange; auto; try (now apply trans_law); try (now apply reward_law); try (apply U_is_utility).
        + apply tv_le_sym; auto; now apply trans_law.
        + intros g Hg; now apply Hks.
      - enough (E (reward M' s a) (fun r => E (trans M' s a) (fun s' => U n s' (r + y))) -
                E (reward M s a) (fun r => E (trans M s a) (fun s' => U n s' (r + y))) <= L * (INR n * dP s a + dR s a))
                  by lra.
        apply step_exchange; auto; try (now apply trans_law); try (now apply reward_law); try (apply U_is_utility).
        intros g Hg; now apply Hks.
    Qed.

    Lemma run_eq_U n h :
      (n + time h = horizon M)%nat ->
      E (run M' (of_markov_policy pi) n h) (fun h' => f (collected h')) = U n (state h) (collected h).
    Proof.
      revert h; induction n as [|n IH]; intros h Hn; [simpl; ring|].
      rewrite E_run_S, E_step; cbn [U]; unfold of_markov_policy at 1.
      replace (horizon M - Datatypes.S n)%nat with (time h) by lia.
      apply E_ext; intros a; unfold backup. apply E_ext; intros r; apply E_ext; intros s'.
      rewrite IH; [reflexivity | rewrite time_extend; lia].
    Qed.

    Lemma markov_utility_close :
      Rabs (E (return_law M' (of_markov_policy pi)) f - E (return_law M (of_markov_policy pi)) f) <=
      L * expected_cost M (of_markov_policy pi) (fun n s a => dR s a + INR n * dP s a).
    Proof.
      assert (Hp : is_policy (of_markov_policy pi)) by now apply is_policy_of_markov_policy.
      rewrite !E_return_law, <- expected_cost_scal, E_history_law_from_start, Hinit, Hhor.
      rewrite (E_ext (init M) _ (fun s => U (horizon M) s 0))
        by (intros s; rewrite run_eq_U; [reflexivity | unfold time; simpl; lia]).
      assert (Hstep : forall n h, (Datatypes.S n + time h = horizon M)%nat ->
        Rabs (U (Datatypes.S n) (state h) (collected h) -
              E (step M (of_markov_policy pi) h) (fun h' => U n (state h') (collected h'))) <=
        E (of_markov_policy pi h) (fun a => L * (dR (state h) a + INR n * dP (state h) a))).
      { intros n h Hn. rewrite E_step_backup; cbn [U]; unfold of_markov_policy.
        replace (horizon M - Datatypes.S n)%nat with (time h) by lia. rewrite <- E_minus.
        eapply Rle_trans; [apply Rabs_E_le, Hpi|]. apply E_le; [apply Hpi | intros a; apply backup_close_both]. }
      apply Rabs_le; split.
      - assert (H : E (init M) (fun s => -1 * U (horizon M) s 0) <=
          E (history_law M (of_markov_policy pi) (horizon M)) (fun h => -1 * f (collected h)) +
          expected_cost M (of_markov_policy pi) (fun n s a => L * (dR s a + INR n * dP s a))).
        { apply (telescope M _ HM Hp (fun n h => -1 * U n (state h) (collected h))). intros n h Hn. rewrite E_scal.
          pose proof (Hstep n h Hn) as Hd. apply Rabs_le_between in Hd. lra. }
        rewrite !E_scal in H; lra.
      - assert (H : E (init M) (fun s => U (horizon M) s 0) <=
          E (history_law M (of_markov_policy pi) (horizon M)) (fun h => f (collected h)) +
          expected_cost M (of_markov_policy pi) (fun n s a => L * (dR s a + INR n * dP s a))).
        { apply (telescope M _ HM Hp (fun n h => U n (state h) (collected h))). intros n h Hn.
          pose proof (Hstep n h Hn) as Hd. apply Rabs_le_between in Hd. lra. }
        lra.
    Qed.
  End Utility.

  Theorem markov_value_close_of_utilities G L :
    weighting G -> lipschitz_weighting G L ->
    (forall s a g, is_utility L g -> Rabs (E (reward M' s a) g - E (reward M s a) g) <= L * dR s a) ->
    Rabs (value G M' (of_markov_policy pi) - value G M (of_markov_policy pi)) <=
    L * expected_cost M (of_markov_policy pi) (fun n s a => dR s a + INR n * dP s a).
  Proof.
    intros HG HGL HdR. assert (Hp : is_policy (of_markov_policy pi)) by now apply is_policy_of_markov_policy.
    unfold value.
    destruct (Phi_difference_is_utility_difference G L HG HGL (return_law M' (of_markov_policy pi))
      (return_law M (of_markov_policy pi)) (law_return M' _ HM' Hp) (law_return M _ HM Hp)) as [f [Hf ->]].
    apply markov_utility_close; [now apply (lipschitz_nonneg G) | assumption..].
  Qed.

  (** Given: policies of (t, s), G L-Lipschitz, rewards in [0, 1], equal initial laws; KS(R) <= dR, TV(P) <= dP.
      Differs: KS in place of the area.
      Step of: close/markov, lem:tildebound. *)
  Theorem markov_value_close G L :
    (forall s a x, Rabs (cdf (reward M s a) x - cdf (reward M' s a) x) <= dR s a) ->
    weighting G -> lipschitz_weighting G L ->
    Rabs (value G M' (of_markov_policy pi) - value G M (of_markov_policy pi)) <=
    L * expected_cost M (of_markov_policy pi) (fun n s a => dR s a + INR n * dP s a).
  Proof.
    intros HdR HG HGL. apply markov_value_close_of_utilities; try assumption. intros s a g Hg.
    pose proof (lipschitz_nonneg G L HG HGL) as HL.
    assert (Hd0 : 0 <= dR s a) by (eapply Rle_trans; [apply Rabs_pos | apply (HdR s a 0)]).
    apply Rabs_le. replace (L * dR s a) with (L * (1 - 0) * dR s a) by ring.
    assert (H : forall Q Q', is_law Q -> is_law Q' -> almost_surely Q (fun r => 0 <= r <= 1) ->
      almost_surely Q' (fun r => 0 <= r <= 1) ->
      (forall x, Rabs (cdf Q x - cdf Q' x) <= dR s a) -> E Q' g - E Q g <= L * (1 - 0) * dR s a).
    { intros Q Q' HQ HQ' B B' Hx. apply utility_difference_le_kolmogorov; auto; try lra. intros x _.
      specialize (Hx x); apply Rabs_le_between in Hx; lra. }
    pose proof (H (reward M s a) (reward M' s a) (reward_law M HM s a) (reward_law M' HM' s a) (Hrew s a) (Hrew' s a)
      (HdR s a)).
    pose proof (H (reward M' s a) (reward M s a) (reward_law M' HM' s a) (reward_law M HM s a) (Hrew' s a) (Hrew s a)
      ltac:(intros x; rewrite Rabs_minus_sym; apply HdR)). lra.
  Qed.
End Markov.
