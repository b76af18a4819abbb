(** * Given the counts, the confidence event may be impossible      (paper: lem:event)

    The paper claims P[ E | counts ] >= 1 - delta.  The counts depend on the transitions, and may give them away.  Two
    states, one action, T = 2, start in state 1, P(1|1) = 1/100, state 2 absorbing, K = 7, delta = 1/2.  Before episode
    7, the counts N(1) = 12, N(2) = 0 have positive probability.  They mean that each of the six episodes stayed in
    state 1 for its second step, so at least 6 of the 12 transitions seen at state 1 went to 1:

      P~(1|1) - P(1|1)  >=  1/2 - 1/100   >   eps  =  sqrt( ln(6 |S| |A| K / delta) / (2 N) )  =  sqrt( ln(252) / 24 ),

    |S| = 3 with s_inf.  So P[ E | counts ] = 0 there. *)

Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Rcomplements.
From VerifiedRisk Require Import FiniteLaw Objective Mdp OneState HoeffdingFinite ChainOfEvents DkwFinite MartingaleStep
  EventHolds.
Import ListNotations.
Open Scope R_scope.

(** ** The model: [true] is state 1, [false] is state 2 *)

Definition leaving : mdp bool unit := {|
  horizon := 2;
  init := ret true;
  trans := fun (s : bool) _ => if s then [(true, 1 / 100); (false, 99 / 100)] else ret false;
  reward := fun _ _ => ret 0
|}.

Definition only (past : list (history bool unit)) : policy bool unit := fun _ => ret tt.

Lemma is_mdp_leaving : is_mdp leaving.
Proof.
  split; simpl; intros; try apply law_ret. destruct s; [|apply law_ret]. split; [|simpl; lra].
  intros x p [H|[H|[]]]; injection H as <- <-; lra.
Qed.

Lemma is_policy_only past : is_policy (only past).
Proof. intros h; apply law_ret. Qed.

Local Notation at1 := (seen bool_dec unit_dec (true, tt)).
Local Notation at2 := (seen bool_dec unit_dec (false, tt)).
Local Notation once1 := (seen_once bool_dec unit_dec (true, tt)).
Local Notation once2 := (seen_once bool_dec unit_dec (false, tt)).

(** Counts N(1) = 2 n, N(2) = 0 after n episodes. *)
Definition counted (n : nat) (path : list (history bool unit)) : Prop := length (at1 path) = (2 * n)%nat /\
  length (at2 path) = O.

Definition counted_dec n path : {counted n path} + {~ counted n path}.
Proof.
  unfold counted. destruct (Nat.eq_dec (length (at1 path)) (2 * n)); [|right; tauto].
  destruct (Nat.eq_dec (length (at2 path)) 0); [now left | right; tauto].
Defined.

(** ** The counts have positive probability *)

Definition stay (s : bool) : history bool unit := ([(true, tt, 0); (true, tt, 0)], s).

Lemma E_leaving_episode past f :
  (forall h, 0 <= f h) -> 1 / 100 * E (trans leaving true tt) (fun s => f (stay s)) <=
    E (history_law leaving (only past) 2) f.
Proof.
  intros Hf. rewrite E_history_law_S, E_history_law_S, E_history_law_0.
  change (init leaving) with (ret true). rewrite E_ret, E_step. unfold only at 1. rewrite E_ret.
  change (reward leaving (state (start true)) tt) with (ret 0). rewrite E_ret.
  change (trans leaving (state (start true)) tt) with [(true, 1 / 100); (false, 99 / 100)]. cbn [E].
  assert (H1 : E (step leaving (only past) (extend (start true) tt 0 true)) f =
    E (trans leaving true tt) (fun s => f (stay s))).
  { rewrite E_step. unfold only. rewrite E_ret.
    change (reward leaving (state (extend (start true) tt 0 true)) tt) with (ret 0). rewrite E_ret. reflexivity. }
  assert (H2 : 0 <= E (step leaving (only past) (extend (start true) tt 0 false)) f).
  { apply E_nonneg; [apply law_step; [apply is_mdp_leaving | apply is_policy_only] | exact Hf]. }
  rewrite H1. lra.
Qed.

Lemma counts_are_possible n : (1 / 100) ^ n <= prob (episodes leaving only n) (counted_dec n).
Proof.
  induction n as [|n IH].
  - unfold episodes, prob; simpl process. rewrite E_ret, ind_yes by (split; reflexivity). simpl; lra.
  - unfold prob, episodes in *. rewrite E_process_S.
    apply Rle_trans with (E (process (fun past => history_law leaving (only past) (horizon leaving)) n)
                            (fun past => 1 / 100 * ind (counted_dec n past))).
    + rewrite E_scal. simpl pow. lra.
    + apply E_le; [apply law_process; intros past; apply law_history; [apply is_mdp_leaving | apply is_policy_only]|].
      intros past. change (horizon leaving) with 2%nat.
      eapply Rle_trans; [|apply E_leaving_episode; intros h; apply ind_range].
      apply Rmult_le_compat_l; [lra|].
      rewrite <- (E_const (trans leaving true tt) (ind (counted_dec n past))) by (apply trans_law, is_mdp_leaving).
      apply E_le; [apply trans_law, is_mdp_leaving|]. intros s. apply ind_le. intros [H1 H2].
      split; unfold seen in *; cbn [flat_map]; rewrite app_length.
      * change (length (once1 (stay s))) with 2%nat. lia.
      * change (length (once2 (stay s))) with 0%nat. lia.
Qed.

(** ** Given the counts, half of the transitions went to state 1 *)

Local Notation hits := (fun xs => sum xs (fun x : R * bool => ind (bool_dec (snd x) true))).

Lemma episode_hits h : time h = 2%nat -> (length (once1 h) <= 2)%nat /\
  (length (once1 h) = 2%nat -> 1 <= hits (once1 h)).
Proof.
  destruct h as [[|[[s2 []] r2] [|[[s1 []] r1] [|step rest]]] s3]; unfold time; simpl length; try discriminate.
  intros _.
  unfold seen_once; cbn [fst snd seen_in].
  destruct (pair_dec bool_dec unit_dec (s2, tt) (true, tt)) as [H2|H2];
    destruct (pair_dec bool_dec unit_dec (s1, tt) (true, tt)) as [H1|H1]; cbn [length]; split; try lia; intros _.
  injection H2 as ->. cbn [sum snd]. rewrite (ind_yes (bool_dec true true)) by reflexivity.
  pose proof (ind_range (bool_dec s3 true)). lra.
Qed.

Lemma counted_hits path :
  List.Forall (fun h => time h = 2%nat) path ->
  (length (at1 path) <= 2 * length path)%nat /\
    (length (at1 path) = (2 * length path)%nat -> INR (length path) <= hits (at1 path)).
Proof.
  unfold seen; induction 1 as [|h path Hh _ [IH1 IH2]]; [simpl; split; [lia | intros; lra]|].
  destruct (episode_hits h Hh) as [He1 He2]. cbn [flat_map]. rewrite app_length. cbn [length]. split; [lia|].
  intros Heq. rewrite sum_app, S_INR. specialize (He2 ltac:(lia)). specialize (IH2 ltac:(lia)). lra.
Qed.

Theorem counts_give_the_transitions_away n :
  (0 < n)%nat ->
  almost_surely (episodes leaving only n) (fun path =>
    counted n path -> 1 / 2 <= frequency bool_dec true (at1 path)).
Proof.
  intros Hn. generalize (episodes_are_full leaving only n); apply as_impl. intros path [Hlen Hfull] [Hc _].
  destruct (counted_hits path Hfull) as [_ H]. rewrite Hlen in H. specialize (H Hc).
  unfold frequency, average. rewrite Hc, mult_INR. change (INR 2) with (1 + 1). pose proof (lt_0_INR n Hn).
  apply Rmult_le_reg_r with ((1 + 1) * INR n); [lra|].
  match goal with |- _ <= ?s / _ * _ => replace (s / ((1 + 1) * INR n) * ((1 + 1) * INR n)) with s by (field; lra) end.
  lra.
Qed.

(** ** The printed radius *)

Definition printed_radius (S A K delta N : R) : R := sqrt (1 / (2 * N) * ln (6 * S * A * K / delta)).

Lemma ln_252 : ln 252 < 576 / 100.
Proof.
  rewrite <- (ln_exp (576 / 100)). apply ln_increasing; [lra|].
  set (a := exp (8 / 100)). assert (Ha : 27 / 25 <= a) by (unfold a; pose proof (exp_ineq1_le (8 / 100)); lra).
  replace (576 / 100) with (8 * (8 / 100) + 8 * (8 * (8 / 100))) by field.
  assert (Hmul : forall x, exp (8 * x) = exp x ^ 8).
  { intros x. replace (8 * x) with (x + x + (x + x) + (x + x + (x + x))) by ring. rewrite !exp_plus. ring. }
  rewrite exp_plus, !Hmul. fold a.
  assert (H8 : 18506 / 10000 <= a ^ 8).
  { apply Rle_trans with ((27 / 25) ^ 8); [simpl; lra | apply pow_incr; lra]. }
  assert (H64 : 13754 / 100 <= (a ^ 8) ^ 8).
  { apply Rle_trans with ((18506 / 10000) ^ 8); [simpl; lra | apply pow_incr; lra]. }
  nra.
Qed.

Lemma radius_is_small : printed_radius 3 1 7 (1 / 2) 12 < 49 / 100.
Proof.
  unfold printed_radius. replace (6 * 3 * 1 * 7 / (1 / 2)) with 252 by field.
  rewrite <- (sqrt_square (49 / 100)) by lra. apply sqrt_lt_1_alt. pose proof ln_252.
  assert (0 < ln 252) by (rewrite <- ln_1; apply ln_increasing; lra). split; [nra | lra].
Qed.

(** The counts are possible, and on every path with these counts the estimate is off by more than the radius.
    Given: none: two states, one action, T = 2, K = 7, delta = 1/2. *)
Theorem event_given_counts_is_impossible :
  0 < prob (episodes leaving only 6) (counted_dec 6) /\
  almost_surely (episodes leaving only 6) (fun path => counted 6 path ->
    printed_radius 3 1 7 (1 / 2) (INR (length (at1 path))) <
    Rabs (frequency bool_dec true (at1 path) - mass bool_dec (trans leaving true tt) true)).
Proof.
  split.
  - eapply Rlt_le_trans; [|apply counts_are_possible]. apply pow_lt; lra.
  - generalize (counts_give_the_transitions_away 6 ltac:(lia)); apply as_impl. intros path H Hc.
    specialize (H Hc). destruct Hc as [Hc _]. rewrite Hc.
    assert (Hm : mass bool_dec (trans leaving true tt) true = 1 / 100) by (unfold mass; simpl; lra). rewrite Hm.
    replace (INR (2 * 6)) with 12 by (simpl; ring). pose proof radius_is_small.
    eapply Rlt_le_trans; [|apply Rle_abs]. lra.
Qed.
