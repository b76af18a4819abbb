(** * Tables for the mean that may be lower than the optimistic recursion

    For the mean the return so far only adds up: with V*_n the largest mean of the n last steps,

      V*_{n+1}(s) = max_a ( E r + E V*_n(s') ) ,

    and the bracket of an action for a table W_n of the next step is  E_{R^} r + sum low s' W_n(s') + miss max W_n.

    - A table with W_0 >= 0 whose W_{n+1}(s) is at least an upper bound of  E r + E V*_n(s')  for every action, where
      the bound may use that V*_n <= W_n, is above V*.  The bracket is such a bound when the beliefs hold; other bounds
      may be lower ([BetRegret.v]).
    - If every action played has a bracket of at least W_{n+1} - w_n, an episode loses at most the expected sum of
      miss (max W_n - min W_n) + integral (F+ - F^), and w.  It does not matter how W was made. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Mdp SupportingUtility LawDistances DynamicProgramming
  ClosenessGreedy ClosenessInArea HistoryCost BestRow.
Import ListNotations.
Open Scope R_scope.

Lemma max_over_shift {X} (f : X -> R) c (l : list X) : l <> [] -> max_over (fun x => c + f x) l = c + max_over f l.
Proof.
  intros Hl. apply Rle_antisym.
  - destruct (max_over_attained (fun x => c + f x) l Hl) as [x [Hx ->]]. pose proof (max_over_ge f l x Hx). lra.
  - destruct (max_over_attained f l Hl) as [x [Hx ->]]. exact (max_over_ge (fun x => c + f x) l x Hx).
Qed.

Lemma min_over_shift {X} (f : X -> R) c (l : list X) : l <> [] -> min_over (fun x => c + f x) l = c + min_over f l.
Proof.
  intros Hl. unfold min_over. rewrite (max_over_ext (fun a => - (c + f a)) (fun a => - c + - f a)) by (intros; ring).
  rewrite max_over_shift by assumption. ring.
Qed.

Lemma mean_is_utility c : is_utility 1 (fun y => y + c).
Proof. intros x y Hxy. lra. Qed.

Section Tables.
  Context {S A : Type}.
  Load "setup/Successors".
  Variable b : beliefs S A.

  (** The bracket of an action, without the return so far. *)
  Definition mean_bracket (W : S -> R) (s : S) (a : A) : R := E (hat b s a) (fun r => r) + row_max succ b W s a.

  (** The spread over the successors. *)
  Definition table_span (W : S -> R) (s : S) (a : A) : R := max_over W (succ s a) - min_over W (succ s a).

  Hypothesis Hb : proper succ b.

  Lemma row_max_shift W c s a : row_max succ b (fun s' => c + W s') s a = c + row_max succ b W s a.
  Proof.
    unfold row_max. rewrite max_over_shift by apply Hsucc.
    rewrite (sum_ext (succ s a) (fun s' => low b s a s' * (c + W s'))
      (fun s' => c * low b s a s' + low b s a s' * W s')) by (intros; ring).
    rewrite sum_plus, sum_scal. unfold miss. ring.
  Qed.

  Lemma backup_hat_mean W s y a : backup_hat succ b (fun s' z => z + W s') s y a = y + mean_bracket W s a.
  Proof.
    unfold backup_hat, mean_bracket.
    rewrite (E_ext _ _ (fun r => r + (y + row_max succ b W s a))) by (intros r; rewrite row_max_shift; ring).
    rewrite E_plus, E_const by apply (hat_law succ b Hb). ring.
  Qed.

  Lemma spread_of_mean W s y a : spread_of succ b (fun s' z => z + W s') s y a = table_span W s a.
  Proof.
    unfold spread_of, table_span. rewrite (E_ext _ _ (fun _ => max_over W (succ s a) - min_over W (succ s a))).
    - apply E_const, (hat_law succ b Hb).
    - intros r. rewrite max_over_shift, min_over_shift by apply Hsucc. ring.
  Qed.

  Lemma table_span_le W s a lo hi : (forall s', In s' (succ s a) -> lo <= W s' <= hi) -> table_span W s a <= hi - lo.
  Proof.
    intros H. unfold table_span. destruct (max_over_attained W (succ s a) (Hsucc s a)) as [s1 [H1 ->]].
    destruct (min_over_attained W (succ s a) (Hsucc s a)) as [s2 [H2 ->]].
    pose proof (H s1 H1). pose proof (H s2 H2). lra.
  Qed.

  (** ** The truth *)

  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Load "setup/Model".
  Hypothesis Hrew : rewards_within 1 M.

  (** The largest mean of the n last steps. *)
  Definition mean_to_go (n : nat) (s : S) : R := V acts M (fun y => y) n s 0.

  Lemma V_mean n s y : V acts M (fun y => y) n s y = y + mean_to_go n s.
  Proof.
    unfold mean_to_go. revert s y; induction n as [|n IH]; intros s y; cbn [V]; [ring|].
    rewrite <- max_over_shift by apply Hacts. apply max_over_ext; intros a _. unfold backup.
    rewrite <- (E_const (reward M s a) y) at 1 by now apply reward_law. rewrite <- E_plus. apply E_ext; intros r.
    rewrite <- (E_const (trans M s a) y) at 1 by now apply trans_law. rewrite <- E_plus. apply E_ext; intros s'.
    rewrite (IH s' (r + y)), (IH s' (r + 0)). ring.
  Qed.

  Lemma mean_to_go_S n s :
    mean_to_go (Datatypes.S n) s =
    max_over (fun a => E (reward M s a) (fun r => r) + E (trans M s a) (mean_to_go n)) (acts s).
  Proof.
    unfold mean_to_go at 1. cbn [V]. apply max_over_ext; intros a _. unfold backup.
    rewrite (E_ext _ _ (fun r => r + E (trans M s a) (mean_to_go n))).
    - rewrite E_plus, E_const by now apply reward_law. reflexivity.
    - intros r. rewrite (E_ext _ _ (fun s' => r + mean_to_go n s')) by (intros s'; rewrite V_mean; ring).
      rewrite E_plus, E_const by now apply trans_law. reflexivity.
  Qed.

  Lemma mean_to_go_nonneg n s : 0 <= mean_to_go n s.
  Proof.
    revert s; induction n as [|n IH]; intros s; [unfold mean_to_go; cbn [V]; lra|]. rewrite mean_to_go_S.
    destruct (max_over_attained (fun a => E (reward M s a) (fun r => r) + E (trans M s a) (mean_to_go n)) (acts s)
      (Hacts s)) as [a [_ ->]].
    assert (0 <= E (reward M s a) (fun r => r)).
    { apply E_ge_const; [now apply reward_law|]. generalize (Hrew s a); apply as_impl; intros; lra. }
    assert (0 <= E (trans M s a) (mean_to_go n)) by (apply E_nonneg; [now apply trans_law | exact IH]). lra.
  Qed.

  (** ** Optimism *)

  (** The states that can be met with n steps left; all states, unless a state tells the time. *)
  Variable due : nat -> S -> Prop.

  Definition below_table (W : nat -> S -> R) (n : nat) : Prop := forall s, due n s -> mean_to_go n s <= W n s.

  (** Given: any upper bounds, which may use that the table of the next step is above.
      In words: 10-kl-learner.md#kl-bets.
      Step of: corrected/ii. *)
  Theorem table_above_best (W : nat -> S -> R) :
    (forall s, due O s -> 0 <= W O s) ->
    (forall n s a, (n < horizon M)%nat -> below_table W n -> due (Datatypes.S n) s -> In a (acts s) ->
       E (reward M s a) (fun r => r) + E (trans M s a) (mean_to_go n) <= W (Datatypes.S n) s) ->
    forall n, (n <= horizon M)%nat -> below_table W n.
  Proof.
    intros H0 HS n; induction n as [|n IH]; intros Hn s Hs; [unfold mean_to_go; cbn [V]; now apply H0|].
    rewrite mean_to_go_S.
    destruct (max_over_attained (fun a => E (reward M s a) (fun r => r) + E (trans M s a) (mean_to_go n)) (acts s)
      (Hacts s)) as [a [Ha ->]].
    apply HS; auto. apply IH; lia.
  Qed.

  (** A policy's mean is at most the table at the start. *)
  Theorem mean_below_table (W : nat -> S -> R) pi :
    below_table W (horizon M) -> almost_surely (init M) (due (horizon M)) -> is_policy pi -> allowed acts M pi ->
    E (return_law M pi) (fun y => y) <= E (init M) (W (horizon M)).
  Proof.
    intros HW Hstart Hpi Hal. eapply Rle_trans; [exact (utility_le_dp acts M (fun y => y) HM pi Hpi Hal)|].
    apply E_le_as; [now apply init_law|]. revert Hstart; apply as_impl; intros s Hs. exact (HW s Hs).
  Qed.

  Hypothesis Hhold : hold acts succ b state_dec M.

  Lemma mean_reward_below s a : In a (acts s) -> E (reward M s a) (fun r => r) <= E (hat b s a) (fun r => r).
  Proof.
    intros Ha. apply E_dominated; [now apply reward_law | apply (hat_law succ b Hb) | | auto].
    intros x. now apply (hat_below _ _ _ _ _ Hhold).
  Qed.

  Lemma mean_value_below W n s a :
    In a (acts s) -> (forall s', In s' (succ s a) -> mean_to_go n s' <= W s') ->
    E (trans M s a) (mean_to_go n) <= row_max succ b W s a.
  Proof.
    intros Ha H. eapply Rle_trans; [|apply (E_trans_le_row_max acts succ b state_dec M HM Hhold W s a Ha)].
    apply E_le_as; [now apply trans_law|]. generalize (succ_all _ _ _ _ _ Hhold s a Ha); apply as_impl; exact H.
  Qed.

  (** ** One episode *)

  (** Given: beliefs that hold, any table with W_0 <= 0, a policy whose actions have brackets of at least W up to w.
      In words: 10-kl-learner.md#kl-bets.
      Step of: corrected/ii. *)
  Theorem table_loss (occurs : history S A -> Prop) (W : nat -> S -> R) pi w cost :
    is_policy pi -> (forall t, almost_surely (history_law M pi t) occurs) -> (forall s, W O s <= 0) ->
    (forall g n, (Datatypes.S n + time g = horizon M)%nat -> occurs g ->
      almost_surely (pi g) (fun a => In a (acts (state g)) /\
        W (Datatypes.S n) (state g) <= mean_bracket (W n) (state g) a + w n)) ->
    (forall g n a, (Datatypes.S n + time g = horizon M)%nat -> occurs g -> In a (acts (state g)) ->
      miss succ b (state g) a * table_span (W n) (state g) a + gap b (state g) a <= cost g a) ->
    E (init M) (W (horizon M)) - E (return_law M pi) (fun y => y) <=
    E (history_law M pi (horizon M)) (fun g => cost_of_steps cost (fst g)) + sum (seq 0 (horizon M)) w.
  Proof.
    intros Hpi Hocc H0 Hg Hc.
    pose proof (near_greedy_table_close acts succ b (fun y => y) Hb 1 ltac:(lra) state_dec M HM Hrew Hhold occurs
      (fun n s y => y + W n s) pi w cost Hpi Hocc (fun n s => mean_is_utility (W n s))
      ltac:(intros s y; specialize (H0 s); cbn beta; lra)) as H.
    assert (Hstart : E (init M) (fun s => 0 + W (horizon M) s) = E (init M) (W (horizon M)))
      by (apply E_ext; intros; ring).
    cbv beta in H. rewrite Hstart, Rmult_1_l in H. apply H.
    - intros g n Hn Ho. generalize (Hg g n Hn Ho); apply as_impl; intros a [Ha Hle]. split; [assumption|].
      rewrite backup_hat_mean. lra.
    - intros g n a Hn Ho Ha. rewrite spread_of_mean. specialize (Hc g n a Hn Ho Ha). lra.
  Qed.
End Tables.
