(** * Two models, every policy      (replaces lem:genbound; closeness (a))

    M = (P, R) and M' = (P', R') share states, actions, initial law and horizon T; rewards in [0, 1]; G is an
    L-Lipschitz weighting.  For every randomised history-dependent policy

      | Phi'(pi) - Phi(pi) |  <=  L  E_{M, pi} sum over t of [ (T - t + 1) TV(R, R') + (T - t) TV(P, P') ]
                              <=  T L  E_{M, pi} [ sum_{t <= T} TV(R, R') + sum_{t < T} TV(P, P') ] .

    Exchanging the models gives the bound with the expectation under M'. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Mdp SupportingUtility LawDistances Telescoping.
Import ListNotations.
Open Scope R_scope.

Section Closeness.
  Context {S A : Type}.
  Variables M M' : mdp S A.
  Variable pi : policy S A.
  Hypothesis HM : is_mdp M.
  Hypothesis HM' : is_mdp M'.
  Hypothesis Hpi : is_policy pi.
  Hypothesis Hinit : init M' = init M.
  Hypothesis Hhor : horizon M' = horizon M.
  Hypothesis Hrew : rewards_within 1 M.
  Hypothesis Hrew' : rewards_within 1 M'.

  (** Bounds of the total variation of each pair. *)
  Variables dP dR : S -> A -> R.
  Hypothesis HdP : forall s a, tv_le (trans M' s a) (trans M s a) (dP s a).
  Hypothesis HdR : forall s a, tv_le (reward M' s a) (reward M s a) (dR s a).

  (** A step with n steps left after it. *)
  Definition tv_cost (n : nat) (s : S) (a : A) : R := INR (Datatypes.S n) * dR s a + INR n * dP s a.

  Section Utility.
    Variables (L : R) (f : R -> R).
    Hypothesis HL : 0 <= L.
    Hypothesis Hf : is_utility L f.

    (** The expected utility in M' of what is still to come, from a history of either model. *)
    Definition outlook (n : nat) (h : history S A) : R := E (run M' pi n h) (fun h' => f (collected h')).

    Lemma run_collected_within n h :
      almost_surely (run M' pi n h) (fun h' => collected h <= collected h' <= collected h + INR n).
    Proof.
      revert h; induction n as [|n IH]; intros h; [apply as_ret; simpl; lra|].
      apply as_bind, as_step; intros a _ _ _ r p Hr Hp s _ _ _. generalize (IH (extend h a r s)); apply as_impl.
      intros h'; rewrite collected_extend, S_INR. pose proof (Hrew' _ _ r p Hr Hp); simpl in *; lra.
    Qed.

    Lemma outlook_within n h y w :
      y <= collected h -> collected h + INR n <= y + w -> f y <= outlook n h <= f y + L * w.
    Proof.
      intros H1 H2; pose proof (law_run M' pi n h HM' Hpi) as Hlaw; split.
      - apply E_ge_const; [assumption|]. generalize (run_collected_within n h); apply as_impl; intros h' Hh.
        specialize (Hf y (collected h') ltac:(lra)); lra.
      - apply E_le_const; [assumption|]. generalize (run_collected_within n h); apply as_impl; intros h' Hh.
        pose proof (Hf y (collected h') ltac:(lra)) as Hu.
        pose proof (Rmult_le_compat_l L (collected h' - y) w HL ltac:(lra)); lra.
    Qed.

    Lemma step_difference n h :
      Rabs (E (step M' pi h) (outlook n) - E (step M pi h) (outlook n)) <= L * E (pi h) (tv_cost n (state h)).
    Proof.
      rewrite !E_step, <- E_minus, <- E_scal.
      eapply Rle_trans; [apply Rabs_E_le, Hpi|]. apply E_le; [apply Hpi | intros a].
      set (s := state h). pose proof (pos_INR n) as Hn0.
      set (k := fun P r => E P (fun s' => outlook n (extend h a r s'))).
      assert (Hk : forall P r, is_law P -> 0 <= r <= 1 ->
                f (collected h) <= k P r <= f (collected h) + L * INR (Datatypes.S n)).
      { intros P r HP Hr; unfold k.
        assert (Hb : forall s', f (collected h) <= outlook n (extend h a r s') <= f (collected h) + L * INR (Datatypes.S n)).
        { intros s'; apply outlook_within; rewrite collected_extend, ?S_INR; lra. }
        split; [apply E_ge_const | apply E_le_const]; auto; apply as_always; intros; apply Hb. }
      assert (HR : Rabs (E (reward M' s a) (k (trans M' s a)) - E (reward M s a) (k (trans M' s a))) <=
                   L * INR (Datatypes.S n) * dR s a).
      { replace (L * INR (Datatypes.S n)) with ((f (collected h) + L * INR (Datatypes.S n)) - f (collected h)) by ring.
        assert (0 <= L * INR (Datatypes.S n)) by (apply Rmult_le_pos; [assumption | apply pos_INR]).
        apply tv_le_spread_abs; auto; try lra; try now apply reward_law.
        - generalize (Hrew' s a); apply as_impl; intros r Hr; apply Hk; [now apply trans_law | assumption].
        - generalize (Hrew s a); apply as_impl; intros r Hr; apply Hk; [now apply trans_law | assumption]. }
      assert (HP : forall r, Rabs (k (trans M' s a) r - k (trans M s a) r) <= L * INR n * dP s a).
      { intros r. replace (L * INR n) with ((f (r + collected h) + L * INR n) - f (r + collected h)) by ring.
        assert (0 <= L * INR n) by now apply Rmult_le_pos.
        unfold k; apply tv_le_spread_abs; auto; try lra; try now apply trans_law.
        - apply as_always; intros s'; apply outlook_within; rewrite collected_extend; lra.
        - apply as_always; intros s'; apply outlook_within; rewrite collected_extend; lra. }
      replace (E (reward M' s a) (fun r => E (trans M' s a) (fun s' => outlook n (extend h a r s'))) -
               E (reward M s a) (fun r => E (trans M s a) (fun s' => outlook n (extend h a r s'))))
        with ((E (reward M' s a) (k (trans M' s a)) - E (reward M s a) (k (trans M' s a))) +
              E (reward M s a) (fun r => k (trans M' s a) r - k (trans M s a) r))
        by (rewrite E_minus; unfold k; ring).
      eapply Rle_trans; [apply Rabs_triang|].
      assert (Rabs (E (reward M s a) (fun r => k (trans M' s a) r - k (trans M s a) r)) <= L * INR n * dP s a).
      { eapply Rle_trans; [apply Rabs_E_le; now apply reward_law|].
        apply E_le_const; [now apply reward_law | apply as_always; intros; apply HP]. }
      unfold tv_cost. lra.
    Qed.

    Lemma outlook_S n h : outlook (Datatypes.S n) h = E (step M' pi h) (outlook n).
    Proof. apply E_run_S. Qed.

    Lemma E_return_outlook : E (return_law M' pi) f = E (init M) (fun s => outlook (horizon M) (start s)).
    Proof. now rewrite E_return_law, E_history_law_from_start, Hinit, Hhor. Qed.

    Lemma expected_utility_close :
      Rabs (E (return_law M' pi) f - E (return_law M pi) f) <= L * expected_cost M pi tv_cost.
    Proof.
      rewrite E_return_outlook, E_return_law, <- expected_cost_scal.
      assert (H0 : E (history_law M pi (horizon M)) (fun h => f (collected h)) = E (history_law M pi (horizon M)) (outlook 0))
        by (apply E_ext; intros h; unfold outlook; simpl; ring).
      rewrite H0. apply Rabs_le; split.
      - assert (H : E (init M) (fun s => -1 * outlook (horizon M) (start s)) <=
                    E (history_law M pi (horizon M)) (fun h => -1 * outlook 0 h) +
                    expected_cost M pi (fun n s a => L * tv_cost n s a)).
        { apply (telescope M pi HM Hpi (fun n h => -1 * outlook n h)). intros n h _. rewrite outlook_S, !E_scal.
          pose proof (step_difference n h) as Hd. apply Rabs_le_between in Hd. lra. }
        rewrite !E_scal in H; lra.
      - assert (H : E (init M) (fun s => outlook (horizon M) (start s)) <=
                    E (history_law M pi (horizon M)) (outlook 0) + expected_cost M pi (fun n s a => L * tv_cost n s a)).
        { apply (telescope M pi HM Hpi outlook). intros n h _. rewrite outlook_S, E_scal.
          pose proof (step_difference n h) as Hd. apply Rabs_le_between in Hd. lra. }
        lra.
    Qed.
  End Utility.

  Variables (G : R -> R) (L : R).
  Hypothesis HG : weighting G.
  Hypothesis HGL : lipschitz_weighting G L.

  Theorem value_close_of_tv_bounds : Rabs (value G M' pi - value G M pi) <= L * expected_cost M pi tv_cost.
  Proof.
    unfold value.
    destruct (Phi_difference_is_utility_difference G L HG HGL (return_law M' pi) (return_law M pi)
      (law_return M' pi HM' Hpi) (law_return M pi HM Hpi)) as [f [Hf ->]].
    apply expected_utility_close; [now apply (lipschitz_nonneg G) | assumption].
  Qed.
End Closeness.

(** ** The statement with the total variation itself *)

Section Statement.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Variables M M' : mdp S A.
  Hypothesis HM : is_mdp M.
  Hypothesis HM' : is_mdp M'.
  Hypothesis Hinit : init M' = init M.
  Hypothesis Hhor : horizon M' = horizon M.
  Hypothesis Hrew : rewards_within 1 M.
  Hypothesis Hrew' : rewards_within 1 M'.
  Variables (G : R -> R) (L : R).
  Hypothesis HG : weighting G.
  Hypothesis HGL : lipschitz_weighting G L.

  Definition tv_trans (s : S) (a : A) : R := tv state_dec (trans M' s a) (trans M s a).
  Definition tv_reward (s : S) (a : A) : R := tv Req_EM_T (reward M' s a) (reward M s a).

  Theorem value_close_in_total_variation pi :
    is_policy pi ->
    Rabs (value G M' pi - value G M pi) <=
    L * expected_cost M pi (fun n s a => INR (Datatypes.S n) * tv_reward s a + INR n * tv_trans s a).
  Proof.
    intros Hpi. apply (value_close_of_tv_bounds M M' pi HM HM' Hpi Hinit Hhor Hrew Hrew' tv_trans tv_reward);
      try assumption; intros s a; apply tv_le_tv; try (now apply trans_law); now apply reward_law.
  Qed.

  (** The common factor T; the last transition does not matter. *)
  Theorem value_close_in_total_variation_T pi :
    is_policy pi ->
    Rabs (value G M' pi - value G M pi) <=
    INR (horizon M) * L * expected_cost M pi (fun n s a => tv_reward s a + match n with O => 0 | _ => tv_trans s a end).
  Proof.
    intros Hpi. eapply Rle_trans; [now apply value_close_in_total_variation|].
    replace (INR (horizon M) * L * expected_cost M pi (fun n s a => tv_reward s a + match n with O => 0 | _ => tv_trans s a end))
      with (L * expected_cost M pi (fun n s a => INR (horizon M) * (tv_reward s a + match n with O => 0 | _ => tv_trans s a end)))
      by (rewrite expected_cost_scal; ring).
    apply Rmult_le_compat_l; [now apply (lipschitz_nonneg G)|].
    apply expected_cost_le; try assumption. intros n s a Hn.
    assert (HR : 0 <= tv_reward s a) by apply tv_nonneg. assert (HP : 0 <= tv_trans s a) by apply tv_nonneg.
    assert (H1 : INR (Datatypes.S n) <= INR (horizon M)) by (apply le_INR; lia).
    pose proof (Rmult_le_compat_r _ _ _ HR H1). destruct n as [|n]; [simpl in *; lra|].
    assert (H2 : INR (Datatypes.S n) <= INR (horizon M)) by (apply le_INR; lia).
    pose proof (Rmult_le_compat_r _ _ _ HP H2). lra.
  Qed.
End Statement.
