(** * The shape of W, and a window for rho      (used by the planner's search)

    For rewards >= 0:  W_n(s, b) = 0 for b <= 0, W_n(s, .) is nondecreasing and 1-Lipschitz.
    Let J1 be the largest mean and alpha < 1.  Every rho with J(rho) >= c lies in

      [ c,  J1 + (J1 - c) alpha / (1 - alpha) ] ,

    so with c <= max J the window contains every maximiser. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp RockafellarUryasev
  DynamicProgramming CvarPlanner.
Import ListNotations.
Open Scope R_scope.

Section Shape.
  Load "setup/Choices".

  (** Given: any MDP with finite laws, a nonempty list of actions per state.
      In words: 04-planning.md#w-shape.
      Step of: cvar:value. *)
  Theorem W_nondecreasing_and_lipschitz n s b b' : b <= b' -> 0 <= W acts M n s b' - W acts M n s b <= b' - b.
  Proof.
    revert s b b'; induction n as [|n IH]; intros s b b' Hb; cbn [W].
    - unfold Rmax; repeat destruct Rle_dec; lra.
    - assert (H : forall a, 0 <= spend M (W acts M n) s b' a - spend M (W acts M n) s b a <= b' - b).
      { intros a; unfold spend. rewrite <- E_minus. split.
        - apply E_nonneg; [apply (reward_law M HM) | intros r]. rewrite <- E_minus.
          apply E_nonneg; [apply (trans_law M HM) | intros s']. apply IH; lra.
        - apply E_le_const; [apply (reward_law M HM) | apply as_always; intros r]. rewrite <- E_minus.
          apply E_le_const; [apply (trans_law M HM) | apply as_always; intros s'].
          replace (b' - b) with ((b' - r) - (b - r)) by ring. apply IH; lra. }
      destruct (min_over_attained (spend M (W acts M n) s b) (acts s) (Hacts s)) as [a [Ha Ea]].
      destruct (min_over_attained (spend M (W acts M n) s b') (acts s) (Hacts s)) as [a' [Ha' Ea']].
      pose proof (min_over_le (spend M (W acts M n) s b) (acts s) a' Ha').
      pose proof (min_over_le (spend M (W acts M n) s b') (acts s) a Ha).
      pose proof (H a); pose proof (H a'). lra.
  Qed.

  (** Given: as W_nondecreasing_and_lipschitz, rewards at least 0.
      In words: 04-planning.md#w-shape.
      Step of: cvar:value. *)
  Theorem W_zero_without_budget rmax n s b : rewards_within rmax M -> b <= 0 -> W acts M n s b = 0.
  Proof.
    intros Hr; revert s b; induction n as [|n IH]; intros s b Hb; cbn [W]; [apply Rmax_left; assumption|].
    destruct (min_over_attained (spend M (W acts M n) s b) (acts s) (Hacts s)) as [a [_ ->]].
    unfold spend. rewrite <- (E_zero (reward M s a)). apply E_ext_as. generalize (Hr s a); apply as_impl; intros r Hr0.
    rewrite <- (E_zero (trans M s a)). apply E_ext; intros s'. apply IH; lra.
  Qed.

  (** The largest mean. *)
  Definition largest_mean : R := E (init M) (fun s => V acts M (fun y => y) (horizon M) s 0).

  Lemma budget_ge_gap rho : rho - largest_mean <= E (init M) (fun s => W acts M (horizon M) s rho).
  Proof.
    destruct (budget_greedy_exists acts M Hacts rho) as [pi [Hpi [Hg Hal]]].
    assert (Hp : is_policy (of_y_policy pi)) by now apply is_policy_of_y_policy.
    rewrite <- (budget_greedy_attains acts M rho (of_y_policy pi) Hp Hg).
    pose proof (utility_le_dp acts M (fun y => y) HM (of_y_policy pi) Hp Hal) as Hmean. fold largest_mean in Hmean.
    assert (Hlaw : is_law (return_law M (of_y_policy pi))) by now apply law_return.
    apply Rle_trans with (rho - E (return_law M (of_y_policy pi)) (fun z => z)); [lra|].
    unfold shortfall. rewrite <- (E_const (return_law M (of_y_policy pi)) rho) at 1 by assumption. rewrite <- E_minus.
    apply E_le; [apply Hlaw | intros z; apply Rmax_r].
  Qed.

  (** Given: as W_nondecreasing_and_lipschitz, 0 < alpha < 1.
      In words: 04-planning.md#rho-window.
      Step of: cvar:min. *)
  Theorem rho_window alpha rho c :
    0 < alpha < 1 -> c <= J acts M alpha rho -> c <= rho <= largest_mean + (largest_mean - c) * alpha / (1 - alpha).
  Proof.
    intros Ha Hc. unfold J in Hc. pose proof (budget_ge_gap rho) as Hgap.
    assert (H0 : 0 <= E (init M) (fun s => W acts M (horizon M) s rho) / alpha).
    { apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; lra]. apply E_nonneg; [apply HM|]. intros s.
      generalize (horizon M) as n; intros n; revert s rho Hc Hgap; clear - Hacts HM. intros s rho _ _; revert s rho.
      induction n as [|n IH]; intros s rho; cbn [W]; [apply Rmax_l|].
      destruct (min_over_attained (spend M (W acts M n) s rho) (acts s) (Hacts s)) as [a [_ ->]].
      apply E_nonneg; [apply (reward_law M HM) | intros r]. apply E_nonneg; [apply (trans_law M HM) | intros; apply IH].
      }
    split; [lra|].
    pose proof (div_le_div _ _ alpha (proj1 Ha) Hgap) as Hd.
    assert (Hlin : c * alpha <= rho * alpha - (rho - largest_mean)).
    { replace (rho * alpha - (rho - largest_mean)) with ((rho - (rho - largest_mean) / alpha) * alpha) by (field; lra).
      apply Rmult_le_compat_r; lra. }
    apply (Rmult_le_reg_r (1 - alpha)); [lra|].
    replace ((largest_mean + (largest_mean - c) * alpha / (1 - alpha)) * (1 - alpha)) with (largest_mean - c * alpha)
      by (field; lra).
    lra.
  Qed.
End Shape.
