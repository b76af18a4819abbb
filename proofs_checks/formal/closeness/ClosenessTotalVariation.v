(** * Two models, every policy      (replaces lem:genbound; closeness (a))

    M = (P, R) and M' = (P', R') share states, actions, initial law and horizon T; rewards in [0, 1]; G is an
    L-Lipschitz weighting.  For every randomised history-dependent policy

      | Phi'(pi) - Phi(pi) |  <=  L  E_{M, pi} sum over t of [ (T - t + 1) TV(R, R') + (T - t) TV(P, P') ]
                              <=  T L  E_{M, pi} [ sum_{t <= T} TV(R, R') + sum_{t < T} TV(P, P') ] .

    Exchanging the models gives the bound with the expectation under M'. *)

Require Import Reals Lra Lia List Permutation.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Mdp SupportingUtility LawDistances Telescoping.
Import ListNotations.
Open Scope R_scope.

(** ** Two draws at once *)

Definition both {X Y} (Q : dist X) (P : dist Y) : dist (X * Y) := bind Q (fun x => image (pair x) P).

Lemma E_both {X Y} (Q : dist X) (P : dist Y) f : E (both Q P) f = E Q (fun x => E P (fun y => f (x, y))).
Proof. unfold both; rewrite E_bind. apply E_ext; intros x. apply E_image. Qed.

Lemma law_both {X Y} (Q : dist X) (P : dist Y) : is_law Q -> is_law P -> is_law (both Q P).
Proof. intros HQ HP; apply law_bind; [assumption | intros x; now apply law_image]. Qed.

(** The total variation of a pair of independent draws is at most the sum, and at most 1. *)
Lemma tv_le_both {X Y} (Q Q' : dist X) (P P' : dist Y) dQ dP :
  is_law Q -> is_law Q' -> is_law P -> is_law P' -> tv_le Q' Q dQ -> tv_le P' P dP ->
  tv_le (both Q' P') (both Q P) (Rmin 1 (dQ + dP)).
Proof.
  intros HQ HQ' HP HP' HdQ HdP f Hf. pose proof (law_both Q P HQ HP) as H1. pose proof (law_both Q' P' HQ' HP') as H2.
  apply Rmin_glb.
  - assert (E (both Q' P') f <= 1) by (apply E_le_const; [assumption | apply as_always; intros; apply Hf]).
    assert (0 <= E (both Q P) f) by (apply E_nonneg; [apply H1 | intros; apply Hf]). lra.
  - rewrite !E_both.
    assert (Hq : E Q' (fun x => E P (fun y => f (x, y))) - E Q (fun x => E P (fun y => f (x, y))) <= dQ).
    { apply HdQ; intros x. split; [apply E_nonneg; [apply HP | intros; apply Hf]|].
      apply E_le_const; [assumption | apply as_always; intros; apply Hf]. }
    assert (Hp : E Q' (fun x => E P' (fun y => f (x, y)) - E P (fun y => f (x, y))) <= dP)
      by (apply E_le_const; [assumption | apply as_always; intros x; apply HdP; intros; apply Hf]).
    rewrite E_minus in Hp. lra.
Qed.

Section Closeness.
  Context {S A : Type}.
  Load "setup/TwoModels".
  Variable pi : policy S A.
  Hypothesis Hpi : is_policy pi.
  Hypothesis Hrew : rewards_within 1 M.
  Hypothesis Hrew' : rewards_within 1 M'.

  (** Bounds of the total variation of each pair. *)
  Variables dP dR : S -> A -> R.
  Hypothesis HdP : forall s a, tv_le (trans M' s a) (trans M s a) (dP s a).
  Hypothesis HdR : forall s a, tv_le (reward M' s a) (reward M s a) (dR s a).

  (** A step with n steps left after it. *)
  Definition tv_cost (n : nat) (s : S) (a : A) : R := INR (Datatypes.S n) * dR s a + INR n * dP s a.

  (** The same, and never more than the steps left times the chance that anything differs. *)
  Definition capped_cost (n : nat) (s : S) (a : A) : R :=
    Rmin (tv_cost n s a) (INR (Datatypes.S n) * Rmin 1 (dR s a + dP s a)).

  Section Utility.
    Variables (L : R) (f : R -> R).
    Hypothesis HL : 0 <= L.
    Hypothesis Hf : is_utility L f.

    (** The expected utility in M' of what is still to come, from a history of either model. *)
    Definition prospect (n : nat) (h : history S A) : R := E (run M' pi n h) (fun h' => f (collected h')).

    Lemma run_collected_within n h :
      almost_surely (run M' pi n h) (fun h' => collected h <= collected h' <= collected h + INR n).
    Proof.
      revert h; induction n as [|n IH]; intros h; [apply as_ret; simpl; lra|].
      apply as_bind, as_step; intros a _ _ _ r p Hr Hp s _ _ _. generalize (IH (extend h a r s)); apply as_impl.
      intros h'; rewrite collected_extend, S_INR. pose proof (Hrew' _ _ r p Hr Hp); simpl in *; lra.
    Qed.

    Lemma outlook_within n h y w :
      y <= collected h -> collected h + INR n <= y + w -> f y <= prospect n h <= f y + L * w.
    Proof.
      intros H1 H2; pose proof (law_run M' pi n h HM' Hpi) as Hlaw; split.
      - apply E_ge_const; [assumption|]. generalize (run_collected_within n h); apply as_impl; intros h' Hh.
        specialize (Hf y (collected h') ltac:(lra)); lra.
      - apply E_le_const; [assumption|]. generalize (run_collected_within n h); apply as_impl; intros h' Hh.
        pose proof (Hf y (collected h') ltac:(lra)) as Hu.
        pose proof (Rmult_le_compat_l L (collected h' - y) w HL ltac:(lra)); lra.
    Qed.

    (** One action, the finer and the capped bound. *)
    Lemma action_difference n h a :
      let s := state h in
      Rabs (E (reward M' s a) (fun r => E (trans M' s a) (fun s' => prospect n (extend h a r s'))) -
            E (reward M s a) (fun r => E (trans M s a) (fun s' => prospect n (extend h a r s')))) <= L * tv_cost n s a.
    Proof.
      intros s. pose proof (pos_INR n) as Hn0.
      set (k := fun P r => E P (fun s' => prospect n (extend h a r s'))).
      assert (Hk : forall P r, is_law P -> 0 <= r <= 1 ->
                f (collected h) <= k P r <= f (collected h) + L * INR (Datatypes.S n)).
      { intros P r HP Hr; unfold k.
        assert (Hb : forall s', f (collected h) <= prospect n (extend h a r s') <=
          f (collected h) + L * INR (Datatypes.S n)).
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
      replace (E (reward M' s a) (fun r => E (trans M' s a) (fun s' => prospect n (extend h a r s'))) -
               E (reward M s a) (fun r => E (trans M s a) (fun s' => prospect n (extend h a r s'))))
        with ((E (reward M' s a) (k (trans M' s a)) - E (reward M s a) (k (trans M' s a))) +
              E (reward M s a) (fun r => k (trans M' s a) r - k (trans M s a) r))
        by (rewrite E_minus; unfold k; ring).
      eapply Rle_trans; [apply Rabs_triang|].
      assert (Rabs (E (reward M s a) (fun r => k (trans M' s a) r - k (trans M s a) r)) <= L * INR n * dP s a).
      { eapply Rle_trans; [apply Rabs_E_le; now apply reward_law|].
        apply E_le_const; [now apply reward_law | apply as_always; intros; apply HP]. }
      unfold tv_cost. lra.
    Qed.

    Lemma action_difference_capped n h a :
      let s := state h in
      Rabs (E (reward M' s a) (fun r => E (trans M' s a) (fun s' => prospect n (extend h a r s'))) -
            E (reward M s a) (fun r => E (trans M s a) (fun s' => prospect n (extend h a r s')))) <=
      L * (INR (Datatypes.S n) * Rmin 1 (dR s a + dP s a)).
    Proof.
      intros s.
      set (g := fun rs : R * S => prospect n (extend h a (fst rs) (snd rs))).
      change (Rabs (E (reward M' s a) (fun r => E (trans M' s a) (fun s' => g (r, s'))) -
                    E (reward M s a) (fun r => E (trans M s a) (fun s' => g (r, s')))) <=
              L * (INR (Datatypes.S n) * Rmin 1 (dR s a + dP s a))).
      rewrite <- !E_both.
      replace (L * (INR (Datatypes.S n) * Rmin 1 (dR s a + dP s a)))
        with ((f (collected h) + L * INR (Datatypes.S n) - f (collected h)) * Rmin 1 (dR s a + dP s a)) by ring.
      assert (H0 : 0 <= L * INR (Datatypes.S n)) by (apply Rmult_le_pos; [assumption | apply pos_INR]).
      assert (Hb : forall N, rewards_within 1 N -> almost_surely (both (reward N s a) (trans N s a)) (fun rs =>
        f (collected h) <= g rs <= f (collected h) + L * INR (Datatypes.S n))).
      { intros N HN. apply as_bind. generalize (HN s a); apply as_impl; intros r Hr.
        apply as_image, as_always; intros s'.
        unfold g; simpl fst; simpl snd. apply outlook_within; rewrite collected_extend, ?S_INR; lra. }
      apply tv_le_spread_abs; auto; try lra; try (apply law_both; (now apply reward_law) || now apply trans_law).
      apply tv_le_both; auto; (now apply reward_law) || now apply trans_law.
    Qed.

    Lemma step_difference n h :
      Rabs (E (step M' pi h) (prospect n) - E (step M pi h) (prospect n)) <= L * E (pi h) (capped_cost n (state h)).
    Proof.
      rewrite !E_step, <- E_minus, <- E_scal.
      eapply Rle_trans; [apply Rabs_E_le, Hpi|]. apply E_le; [apply Hpi | intros a].
      unfold capped_cost, Rmin at 1. destruct Rle_dec; [apply action_difference | apply action_difference_capped].
    Qed.

    Lemma outlook_S n h : prospect (Datatypes.S n) h = E (step M' pi h) (prospect n).
    Proof. apply E_run_S. Qed.

    Lemma E_return_outlook : E (return_law M' pi) f = E (init M) (fun s => prospect (horizon M) (start s)).
    Proof. now rewrite E_return_law, E_history_law_from_start, Hinit, Hhor. Qed.

    Lemma expected_utility_close :
      Rabs (E (return_law M' pi) f - E (return_law M pi) f) <= L * expected_cost M pi capped_cost.
    Proof.
      rewrite E_return_outlook, E_return_law, <- expected_cost_scal.
      assert (H0 : E (history_law M pi (horizon M)) (fun h => f (collected h)) =
        E (history_law M pi (horizon M)) (prospect 0))
        by (apply E_ext; intros h; unfold prospect; simpl; ring).
      rewrite H0. apply Rabs_le; split.
      - assert (H : E (init M) (fun s => -1 * prospect (horizon M) (start s)) <=
                    E (history_law M pi (horizon M)) (fun h => -1 * prospect 0 h) +
                    expected_cost M pi (fun n s a => L * capped_cost n s a)).
        { apply (telescope M pi HM Hpi (fun n h => -1 * prospect n h)). intros n h _. rewrite outlook_S, !E_scal.
          pose proof (step_difference n h) as Hd. apply Rabs_le_between in Hd. lra. }
        rewrite !E_scal in H; lra.
      - assert (H : E (init M) (fun s => prospect (horizon M) (start s)) <=
                    E (history_law M pi (horizon M)) (prospect 0) +
                      expected_cost M pi (fun n s a => L * capped_cost n s a)).
        { apply (telescope M pi HM Hpi prospect). intros n h _. rewrite outlook_S, E_scal.
          pose proof (step_difference n h) as Hd. apply Rabs_le_between in Hd. lra. }
        lra.
    Qed.
  End Utility.

  Load "setup/Lipschitz".

  Theorem value_close_capped : Rabs (value G M' pi - value G M pi) <= L * expected_cost M pi capped_cost.
  Proof.
    unfold value.
    destruct (Phi_difference_is_utility_difference G L HG HGL (return_law M' pi) (return_law M pi)
      (law_return M' pi HM' Hpi) (law_return M pi HM Hpi)) as [f [Hf ->]].
    apply expected_utility_close; [now apply (lipschitz_nonneg G) | assumption].
  Qed.

  Theorem value_close_of_tv_bounds : Rabs (value G M' pi - value G M pi) <= L * expected_cost M pi tv_cost.
  Proof.
    eapply Rle_trans; [apply value_close_capped|]. apply Rmult_le_compat_l; [now apply (lipschitz_nonneg G)|].
    apply expected_cost_le; try assumption. intros n s a _; apply Rmin_l.
  Qed.
End Closeness.

(** ** The statement with the total variation itself *)

Section Statement.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Load "setup/TwoModels".
  Hypothesis Hrew : rewards_within 1 M.
  Hypothesis Hrew' : rewards_within 1 M'.
  Load "setup/Lipschitz".

  Definition tv_trans (s : S) (a : A) : R := tv state_dec (trans M' s a) (trans M s a).
  Definition tv_reward (s : S) (a : A) : R := tv Req_EM_T (reward M' s a) (reward M s a).

  (** Given: any policy, G L-Lipschitz, rewards in [0, 1], equal initial laws; expectation under M.
      Differs: without the cap.
      Step of: close/tv. *)
  Theorem value_close_in_total_variation pi :
    is_policy pi ->
    Rabs (value G M' pi - value G M pi) <=
    L * expected_cost M pi (fun n s a => INR (Datatypes.S n) * tv_reward s a + INR n * tv_trans s a).
  Proof.
    intros Hpi. apply (value_close_of_tv_bounds M M' HM HM' Hinit Hhor pi Hpi Hrew Hrew' tv_trans tv_reward);
      try assumption; intros s a; apply tv_le_tv; try (now apply trans_law); now apply reward_law.
  Qed.

  (** The common factor T; the last transition does not matter.
      Given: any policy, G L-Lipschitz, rewards in [0, 1], equal initial laws.
      Differs: finite laws; expectation under M, hence by exchange under M'.
      In words: 07-closeness.md#close-a. *)
  Theorem value_close_in_total_variation_T pi :
    is_policy pi ->
    Rabs (value G M' pi - value G M pi) <=
    INR (horizon M) * L * expected_cost M pi (fun n s a => tv_reward s a + match n with O => 0 | _ => tv_trans s a end).
  Proof.
    intros Hpi. eapply Rle_trans; [now apply value_close_in_total_variation|].
    replace (INR (horizon M) * L * expected_cost M pi
      (fun n s a => tv_reward s a + match n with O => 0 | _ => tv_trans s a end))
      with (L * expected_cost M pi (fun n s a =>
        INR (horizon M) * (tv_reward s a + match n with O => 0 | _ => tv_trans s a end)))
      by (rewrite expected_cost_scal; ring).
    apply Rmult_le_compat_l; [now apply (lipschitz_nonneg G)|].
    apply expected_cost_le; try assumption. intros n s a Hn.
    assert (HR : 0 <= tv_reward s a) by apply tv_nonneg. assert (HP : 0 <= tv_trans s a) by apply tv_nonneg.
    assert (H1 : INR (Datatypes.S n) <= INR (horizon M)) by (apply le_INR; lia).
    pose proof (Rmult_le_compat_r _ _ _ HR H1). destruct n as [|n]; [simpl in *; lra|].
    assert (H2 : INR (Datatypes.S n) <= INR (horizon M)) by (apply le_INR; lia).
    pose proof (Rmult_le_compat_r _ _ _ HP H2). lra.
  Qed.

  (** With the cap, and the expectation in M. *)
  Theorem value_close_in_capped_total_variation pi :
    is_policy pi ->
    Rabs (value G M' pi - value G M pi) <=
    L * expected_cost M pi (fun n s a => Rmin (INR (Datatypes.S n) * tv_reward s a + INR n * tv_trans s a)
                                              (INR (Datatypes.S n) * Rmin 1 (tv_reward s a + tv_trans s a))).
  Proof.
    intros Hpi. apply (value_close_capped M M' HM HM' Hinit Hhor pi Hpi Hrew Hrew' tv_trans tv_reward);
      try assumption; intros s a; apply tv_le_tv; try (now apply trans_law); now apply reward_law.
  Qed.
End Statement.

Lemma tv_sym {X} eq_dec (d e : dist X) : tv eq_dec d e = tv eq_dec e d.
Proof.
  unfold tv; f_equal. transitivity (sum (nodup eq_dec (map fst d ++ map fst e))
    (fun x => Rabs (mass eq_dec e x - mass eq_dec d x))).
  - apply sum_ext; intros x _. apply Rabs_minus_sym.
  - apply sum_Permutation, NoDup_Permutation; try apply NoDup_nodup.
    intros x. rewrite !nodup_In, !in_app_iff. tauto.
Qed.

(** The same with the expectation in M or in M', as one likes.
    Given: any policy, G L-Lipschitz, rewards in [0, 1], equal initial laws; expectation under M or M'.
    Differs: finite laws. *)
Theorem value_close_in_either_model {S A} (state_dec : forall s s' : S, {s = s'} + {s <> s'}) (M M' : mdp S A) G L pi :
  is_mdp M -> is_mdp M' -> init M' = init M -> horizon M' = horizon M -> rewards_within 1 M -> rewards_within 1 M' ->
  weighting G -> lipschitz_weighting G L -> is_policy pi ->
  let cost := fun n s a => Rmin (INR (Datatypes.S n) * tv_reward M M' s a + INR n * tv_trans state_dec M M' s a)
                                (INR (Datatypes.S n) * Rmin 1 (tv_reward M M' s a + tv_trans state_dec M M' s a)) in
  Rabs (value G M' pi - value G M pi) <= L * expected_cost M pi cost /\
  Rabs (value G M' pi - value G M pi) <= L * expected_cost M' pi cost.
Proof.
  intros HM HM' Hi Hh Hr Hr' HG HGL Hpi cost. split; [now apply value_close_in_capped_total_variation|].
  rewrite Rabs_minus_sym. pose proof (value_close_in_capped_total_variation state_dec M' M HM' HM (eq_sym Hi)
    (eq_sym Hh) Hr' Hr G L HG HGL pi Hpi) as H.
  eapply Rle_trans; [exact H|]. apply Rmult_le_compat_l; [now apply (lipschitz_nonneg G)|].
  apply expected_cost_le; try assumption. intros n s a _. unfold cost, tv_reward, tv_trans.
  rewrite (tv_sym Req_EM_T (reward M s a)), (tv_sym state_dec (trans M s a)). apply Rle_refl.
Qed.
