(** * Two models, greedy policies      (L2; closeness (c))

    M = (P, R) and M' = (P', R') share states, actions, initial law and horizon T; rewards of M' in [0, 1].
    h is nondecreasing and L-Lipschitz, V' its dynamic programming value in M', v' = E_D V'_T(s, 0), and pi' uses
    maximising actions of M' at every (t, s, y).  If  TV(P', P) <= dP  and  E_{R'} f - E_R f <= L dR  for every
    nondecreasing L-Lipschitz f  (for instance F_R - F_{R'} <= dR and rewards in [0, 1]), then

      v' - E_{M, pi'} h(Z)   <=   L  E_{M, pi'} sum over t of [ (T - t) dP(s_t, a_t) + dR(s_t, a_t) ] .

    For concave L-Lipschitz G let h support Phi from below (E h(Z) <= Phi(Z)); then the same bounds  v' - Phi(pi').
    For every w > 0 such an h exists with  Phi'(pi) <= v' + w  for every policy pi of M'. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp SupportingUtility LawDistances
  DynamicProgramming Telescoping.
Import ListNotations.
Open Scope R_scope.

(** ** One step *)

Lemma is_utility_average {X} L (d : dist X) (f : X -> R -> R) :
  is_law d -> (forall x, is_utility L (f x)) -> is_utility L (fun y => E d (fun x => f x y)).
Proof.
  intros Hd Hf x y Hxy. rewrite <- E_minus. split.
  - apply E_nonneg; [apply Hd | intros z; apply (Hf z x y Hxy)].
  - apply E_le_const; [assumption | apply as_always; intros z; apply (Hf z x y Hxy)].
Qed.

Lemma is_utility_shift L f c : is_utility L f -> is_utility L (fun y => f (y + c)).
Proof. intros Hf x y Hxy. specialize (Hf (x + c) (y + c) ltac:(lra)). lra. Qed.

Lemma is_utility_shift_l L f c : is_utility L f -> is_utility L (fun y => f (c + y)).
Proof. intros Hf x y Hxy. specialize (Hf (c + x) (c + y) ltac:(lra)). lra. Qed.

(** Exchanging reward and transition laws under a value that is a utility in y and spreads by at most L n over states.
    *)
Lemma step_exchange {S} (P P' : dist S) (Q Q' : dist R) (v : S -> R -> R) L n dP dR y :
  is_law P -> is_law P' -> is_law Q -> is_law Q' ->
  (forall s, is_utility L (v s)) -> 0 <= L * n -> (forall z, exists lo, forall s, lo <= v s z <= lo + L * n) ->
  tv_le P' P dP -> (forall f, is_utility L f -> E Q' f - E Q f <= L * dR) ->
  E Q' (fun r => E P' (fun s => v s (r + y))) - E Q (fun r => E P (fun s => v s (r + y))) <= L * (n * dP + dR).
Proof.
  intros HP HP' HQ HQ' Hv Hn Hspread HdP HdR.
  assert (H1 : E Q' (fun r => E P' (fun s => v s (r + y)) - E P (fun s => v s (r + y))) <= L * n * dP).
  { apply E_le_const; [assumption | apply as_always; intros r].
    destruct (Hspread (r + y)) as [lo Hlo]. replace (L * n * dP) with ((lo + L * n - lo) * dP) by ring.
    apply tv_le_spread; auto; try lra; apply as_always; intros s; apply Hlo. }
  assert (H2 : E Q' (fun r => E P (fun s => v s (r + y))) - E Q (fun r => E P (fun s => v s (r + y))) <= L * dR).
  { apply HdR, is_utility_average; [assumption | intros s; now apply is_utility_shift]. }
  rewrite E_minus in H1. lra.
Qed.

Section Greedy.
  Context {S A : Type}.
  Variable acts : S -> list A.
  Hypothesis Hacts : forall s, acts s <> [].
  Load "setup/TwoModels".
  Hypothesis Hrew' : rewards_within 1 M'.
  Variable L : R.
  Hypothesis HL : 0 <= L.

  (** ** The value of a utility is a utility, and spreads by at most L times the steps to go *)

  Section Utility.
    Variable h : R -> R.
    Hypothesis Hh : is_utility L h.

    Lemma V_is_utility n s : is_utility L (V acts M' h n s).
    Proof.
      revert s; induction n as [|n IH]; intros s; cbn [V]; [assumption|]. intros x y Hxy.
      assert (Hb : forall a, is_utility L (fun y => backup M' (V acts M' h n) s y a)).
      { intros a; unfold backup. apply is_utility_average; [now apply reward_law | intros r].
        apply is_utility_average; [now apply trans_law | intros s']. now apply is_utility_shift_l. }
      assert (0 <= L * (y - x)) by (apply Rmult_le_pos; lra). split.
      - enough (max_over (backup M' (V acts M' h n) s x) (acts s) <= max_over (backup M' (V acts M' h n) s y) (acts s))
          by lra. apply max_over_le; intros a _; specialize (Hb a x y Hxy); simpl in Hb; lra.
      - enough (max_over (backup M' (V acts M' h n) s y) (acts s) <=
                max_over (backup M' (V acts M' h n) s x) (acts s) + L * (y - x)) by lra.
        apply max_over_le_plus; [assumption|]. intros a _; specialize (Hb a x y Hxy); simpl in Hb; lra.
    Qed.

    Lemma V_spread n s y : h y <= V acts M' h n s y <= h y + L * INR n.
    Proof.
      revert s y; induction n as [|n IH]; intros s y; cbn [V]; [simpl; lra|]. rewrite S_INR.
      destruct (max_over_attained (backup M' (V acts M' h n) s y) (acts s) (Hacts s)) as [a [_ ->]].
      unfold backup; split.
      - apply E_ge_const; [now apply reward_law|]. generalize (Hrew' s a); apply as_impl; intros r Hr.
        apply E_ge_const; [now apply trans_law | apply as_always; intros s'].
        specialize (IH s' (r + y)). pose proof (Hh y (r + y) ltac:(lra)); lra.
      - apply E_le_const; [now apply reward_law|]. generalize (Hrew' s a); apply as_impl; intros r Hr.
        apply E_le_const; [now apply trans_law | apply as_always; intros s'].
        specialize (IH s' (r + y)). pose proof (Hh y (r + y) ltac:(lra)) as Hu.
        pose proof (Rmult_le_compat_l L (r + y - y) 1 HL ltac:(lra)). lra.
    Qed.

    (** ** Closeness *)

    Variables dP dR : S -> A -> R.
    Hypothesis HdP : forall s a, tv_le (trans M' s a) (trans M s a) (dP s a).
    Hypothesis HdR : forall s a f, is_utility L f -> E (reward M' s a) f - E (reward M s a) f <= L * dR s a.

    Lemma backup_close n s y a :
      backup M' (V acts M' h n) s y a - backup M (V acts M' h n) s y a <= L * (INR n * dP s a + dR s a).
    Proof.
      unfold backup; apply step_exchange; auto; try (now apply trans_law); try (now apply reward_law).
      - intros s'; apply V_is_utility.
      - apply Rmult_le_pos; [assumption | apply pos_INR].
      - intros z; exists (h z); intros s'; apply V_spread.
    Qed.

    Variable pi : policy S A.
    Hypothesis Hpi : is_policy pi.
    Hypothesis Hgreedy : is_greedy acts M' h pi.

    Theorem greedy_utility_close :
      E (init M') (fun s => V acts M' h (horizon M') s 0) - E (return_law M pi) h <=
      L * expected_cost M pi (fun n s a => INR n * dP s a + dR s a).
    Proof.
      rewrite Hinit, Hhor, E_return_law, <- expected_cost_scal.
      enough (E (init M) (fun s => V acts M' h (horizon M) s 0) <=
        E (history_law M pi (horizon M)) (fun h' => h (collected h')) +
              expected_cost M pi (fun n s a => L * (INR n * dP s a + dR s a))) by lra.
      apply (telescope M pi HM Hpi (fun n h' => V acts M' h n (state h') (collected h'))).
      intros n h' Hn. rewrite E_step_backup, <- E_plus.
      rewrite <- (E_const (pi h') (V acts M' h (Datatypes.S n) (state h') (collected h'))) by apply Hpi.
      apply E_le_as; [apply Hpi|]. intros a p Hin Hp.
      destruct (Hgreedy h' ltac:(lia) a p Hin Hp) as [_ Hv].
      replace (horizon M' - Datatypes.S (time h'))%nat with n in Hv by lia.
      replace (horizon M' - time h')%nat with (Datatypes.S n) in Hv by lia.
      rewrite <- Hv. pose proof (backup_close n (state h') (collected h') a). lra.
    Qed.
  End Utility.

  (** ** Concave weightings *)

  Variable G : R -> R.
  Hypothesis HG : weighting G.

  (** h supports the objective from below on laws of returns. *)
  Definition supports (h : R -> R) : Prop :=
    is_utility L h /\
    forall e, is_law e -> almost_surely e (fun z => 0 <= z <= INR (horizon M)) -> E e h <= Phi G e.

  (** Given: a supporting L-Lipschitz utility; the policy greedy for it in M' at every (t, s, y); dR bounds
      differences of expected utilities.
      Differs: the rewards enter through any such dR, of which KS is one; the area is not shown to be one.
      Step of: L2/greedy. *)
  Theorem greedy_value_close h dP dR pi :
    rewards_within 1 M -> supports h -> is_policy pi -> is_greedy acts M' h pi ->
    (forall s a, tv_le (trans M' s a) (trans M s a) (dP s a)) ->
    (forall s a f, is_utility L f -> E (reward M' s a) f - E (reward M s a) f <= L * dR s a) ->
    E (init M') (fun s => V acts M' h (horizon M') s 0) - value G M pi <=
    L * expected_cost M pi (fun n s a => INR n * dP s a + dR s a).
  Proof.
    intros Hrew [Hh Hsup] Hpi Hg HdP HdR.
    pose proof (greedy_utility_close h Hh dP dR HdP HdR pi Hpi Hg) as H.
    assert (E (return_law M pi) h <= value G M pi); [|lra].
    apply Hsup; [now apply law_return|]. generalize (return_within M pi 1 Hrew). rewrite Rmult_1_r; auto.
  Qed.

  (** A maximising utility, up to any w > 0.
      Given: G concave and L-Lipschitz, w > 0.
      Differs: within w of the supremum.
      Step of: L2/greedy. *)
  Theorem maximising_utility_exists w :
    lipschitz_weighting G L -> concave_weighting G -> 0 < w ->
    exists h, supports h /\ forall pi, is_policy pi -> allowed acts M' pi ->
      value G M' pi <= E (init M') (fun s => V acts M' h (horizon M') s 0) + w.
  Proof.
    intros HGL HGc Hw.
    set (values := fun x => exists pi, is_policy pi /\ allowed acts M' pi /\ x = value G M' pi).
    assert (Hrange : forall pi, is_policy pi -> almost_surely (return_law M' pi) (fun z => 0 <= z <= INR (horizon M))).
    { intros pi Hpi. generalize (return_within M' pi 1 Hrew'). rewrite Hhor, Rmult_1_r; auto. }
    destruct (completeness values) as [top [Hub Hleast]].
    { exists (INR (horizon M)). intros x [pi [Hpi [_ ->]]].
      apply (Phi_range G HG (return_law M' pi) 0); [now apply law_return | now apply Hrange]. }
    { exists (value G M' (of_y_policy (greedy acts M' (fun y => y)))).
      exists (of_y_policy (greedy acts M' (fun y => y))).
      split; [now apply is_policy_of_y_policy, is_y_policy_greedy|]. split; [|reflexivity].
      eapply is_greedy_allowed, greedy_is_greedy; assumption. }
    assert (Hnear : exists pi, is_policy pi /\ allowed acts M' pi /\ top - w <= value G M' pi).
    { apply Classical_Prop.NNPP; intros Hnone. assert (Htop : top <= top - w); [|lra].
      apply Hleast; intros x [pi [Hpi [Hal ->]]]. destruct (Rle_dec (value G M' pi) (top - w)) as [|Hgt]; [assumption|].
      exfalso; apply Hnone; exists pi; split; [|split]; try assumption; lra. }
    destruct Hnear as [pi0 [Hpi0 [Hal0 Hv0]]].
    destruct (supporting_utility_exists G L HG HGL HGc (return_law M' pi0) 0 (INR (horizon M))) as [h [Hh [He Hsup]]];
      [now apply law_return | apply pos_INR | now apply Hrange|].
    exists h; split; [now split|]. intros pi Hpi Hal.
    assert (value G M' pi <= top) by (apply Hub; now exists pi).
    pose proof (utility_le_dp acts M' h HM' pi0 Hpi0 Hal0). unfold value in *. lra.
  Qed.
End Greedy.
