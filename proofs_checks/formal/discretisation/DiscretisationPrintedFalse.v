(** * The loss of discretisation is T eta, not eta      (paper: thm:discretized)

    One state, horizon T, two actions: a pays d in (0, eta]; b pays eta with probability 1 - e and else 0.  Rounding up
    turns d into eta, so always-a is optimal in the discretised MDP, and for the mean

      Phi(always b) - Phi(always a, adapted)  =  T ((1 - e) eta - d).

    At T = 2, eta = 1, d = 1/4, e = 1/10 the loss is 13/10 > eta; with d mixed with mass 1/100 at 1, so that the paper's
    assumption F†(1) = T holds, it is 1285/1000.  For small d and e it exceeds c eta, for any c < T:
    no constant below T will do. *)

Require Import Reals Lra List ZArith.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp TwoSteps LargestReturn
  Discretisation.
Import ListNotations.
Open Scope R_scope.

(** ** The family *)

Section Family.
  Variables (T : nat) (eta d e : R).
  Hypothesis Heta : 0 < eta.
  Hypothesis Hd : 0 < d <= eta.
  Hypothesis He : 0 <= e <= 1.

  (** [false] is the sure action a, [true] the risky action b. *)
  Definition trap : mdp unit bool := {|
    horizon := T;
    init := ret tt;
    trans := fun _ _ => ret tt;
    reward := fun _ (b : bool) => if b then [(eta, 1 - e); (0, e)] else ret d
  |}.

  Lemma is_mdp_trap : is_mdp trap.
  Proof.
    split; simpl; intros; try apply law_ret.
    destruct a; [|apply law_ret]. split; [|simpl; ring].
    intros x p [H|[H|[]]]; injection H as <- <-; lra.
  Qed.

  Lemma trap_rewards : rewards_within eta trap.
  Proof.
    intros s [|] r p; simpl; intros Hin _.
    - destruct Hin as [H|[H|[]]]; injection H as <- <-; lra.
    - destruct Hin as [H|[]]; injection H as <- <-; lra.
  Qed.

  Lemma round_trap : round_up eta d = eta /\ round_up eta eta = eta /\ round_up eta 0 = 0.
  Proof.
    repeat split.
    - rewrite (round_up_eq eta d 1) by (simpl; lra). ring.
    - rewrite (round_up_eq eta eta 1) by (simpl; lra). ring.
    - rewrite (round_up_eq eta 0 0) by (simpl; lra). ring.
  Qed.

  Lemma rounded_trap_rewards : rewards_within eta (discretise eta trap).
  Proof.
    destruct round_trap as [R1 [R2 R3]]. intros s [|]; apply as_image; intros r p Hin _; simpl in Hin.
    - destruct Hin as [H|[H|[]]]; injection H as <- <-; rewrite ?R2, ?R3; lra.
    - destruct Hin as [H|[]]; injection H as <- <-; rewrite R1; lra.
  Qed.

  (** In the discretised MDP the sure action attains the largest return there is. *)
  Lemma always_a_optimal_after_rounding pi :
    is_policy pi -> value mean_weight (discretise eta trap) pi <=
      value mean_weight (discretise eta trap) (always false).
  Proof.
    intros Hpi. pose proof (is_mdp_discretise eta trap is_mdp_trap) as HM.
    rewrite (mean_of_always (discretise eta trap) false eta HM) by (simpl; rewrite (proj1 round_trap); ring).
    apply (Phi_range mean_weight weighting_id _ 0); [now apply law_return|].
    apply (return_within (discretise eta trap) pi eta rounded_trap_rewards).
  Qed.

  Lemma loss_of_adapted_always_a :
    value mean_weight trap (always true) - value mean_weight trap (adapt eta (always false)) =
    INR T * ((1 - e) * eta - d).
  Proof.
    change (adapt eta (always false)) with (always (S := unit) false).
    rewrite (mean_of_always trap true ((1 - e) * eta) is_mdp_trap) by (simpl; ring).
    rewrite (mean_of_always trap false d is_mdp_trap) by (simpl; ring). simpl horizon. ring.
  Qed.
End Family.

(** ** The printed theorem at T = 2, and the exact constant *)

(** The sure action pays 1/4, mixed with mass 1/100 at 1, so that every policy can reach the return T. *)
Definition mixed_trap : mdp unit bool := {|
  horizon := 2;
  init := ret tt;
  trans := fun _ _ => ret tt;
  reward := fun _ (b : bool) => if b then [(1, 9 / 10); (0, 1 / 10)] else mixed (1 / 100) (ret (1 / 4))
|}.

Lemma is_mdp_mixed_trap : is_mdp mixed_trap.
Proof.
  split; simpl; intros; try apply law_ret. destruct a; [|apply law_mixed; [lra | apply law_ret]].
  split; [intros x p [H|[H|[]]]; injection H as <- <-; lra | simpl; lra].
Qed.

Lemma mixed_trap_within : rewards_within 1 mixed_trap.
Proof.
  intros s [|]; [|apply mixed_within, as_ret; lra]. intros r p [H|[H|[]]] _; injection H as <- <-; lra.
Qed.

(** Given: none: T = 2, eta = 1, mean, F†(1) = T; the loss is 1285/1000.
    In words: 03-discretisation.md#discretised-refuted. *)
Theorem discretisation_loss_exceeds_eta :
  exists (M : mdp unit bool) (hat pi : policy unit bool),
    horizon M = 2%nat /\ is_mdp M /\ rewards_within 1 M /\ satisfies_assumption M /\ is_policy hat /\ is_policy pi /\
    (forall pi', is_policy pi' ->
       value mean_weight (discretise 1 M) pi' <= value mean_weight (discretise 1 M) hat) /\
    value mean_weight M pi - value mean_weight M (adapt 1 hat) = 1285 / 1000.
Proof.
  exists mixed_trap, (always false), (always true).
  split; [reflexivity|]. split; [apply is_mdp_mixed_trap|]. split; [apply mixed_trap_within|]. split.
  { apply rewards_at_1_satisfy_assumption with (1 / 100); [apply is_mdp_mixed_trap | apply mixed_trap_within | lra|].
    intros s [|]; [|apply mixed_at_1; [lra | apply law_ret]]. unfold prob; simpl.
    destruct (Req_EM_T 1 1), (Req_EM_T 0 1); simpl; lra. }
  split; [apply is_policy_always|]. split; [apply is_policy_always|].
  assert (R1 : round_up 1 1 = 1) by (rewrite (round_up_eq 1 1 1) by (simpl; lra); ring).
  assert (R2 : round_up 1 (1 / 4) = 1) by (rewrite (round_up_eq 1 (1 / 4) 1) by (simpl; lra); ring).
  assert (R3 : round_up 1 0 = 0) by (rewrite (round_up_eq 1 0 0) by (simpl; lra); ring). split.
  - intros pi' Hpi'. pose proof (is_mdp_discretise 1 mixed_trap is_mdp_mixed_trap) as HM.
    rewrite (mean_of_always (discretise 1 mixed_trap) false 1 HM) by (simpl; rewrite R1, R2; lra).
    apply (Phi_range mean_weight weighting_id _ 0); [now apply law_return|].
    apply (return_within (discretise 1 mixed_trap) pi' 1). intros s [|]; apply as_image; intros r p Hin _; simpl in Hin.
    + destruct Hin as [H|[H|[]]]; injection H as <- <-; rewrite ?R1, ?R3; lra.
    + destruct Hin as [H|[H|[]]]; injection H as <- <-; rewrite ?R1, ?R2; lra.
  - change (adapt 1 (always false)) with (always (S := unit) false).
    rewrite (mean_of_always mixed_trap true (9 / 10) is_mdp_mixed_trap) by (simpl; lra).
    rewrite (mean_of_always mixed_trap false (2575 / 10000) is_mdp_mixed_trap) by (simpl; lra). simpl; lra.
Qed.

(** Given: any T, eta > 0, c < T. *)
Theorem no_constant_below_T (T : nat) (eta c : R) :
  0 < eta -> c < INR T ->
  exists (M : mdp unit bool) (hat pi : policy unit bool),
    horizon M = T /\ is_mdp M /\ rewards_within eta M /\ is_policy hat /\ is_policy pi /\
    (forall pi', is_policy pi' ->
       value mean_weight (discretise eta M) pi' <= value mean_weight (discretise eta M) hat) /\
    c * eta < value mean_weight M pi - value mean_weight M (adapt eta hat).
Proof.
  intros Heta Hc. pose proof (pos_INR T) as HT.
  set (e := Rmin (1 / 4) ((INR T - c) / (4 * (INR T + 1)))).
  assert (Hpos : 0 < (INR T - c) / (4 * (INR T + 1))) by (apply Rdiv_lt_0_compat; lra).
  assert (He : 0 < e <= 1 / 4) by (unfold e; split; [apply Rmin_pos; lra | apply Rmin_l]).
  assert (Hsmall : e * (4 * (INR T + 1)) <= INR T - c).
  { apply Rle_trans with ((INR T - c) / (4 * (INR T + 1)) * (4 * (INR T + 1))).
    - apply Rmult_le_compat_r; [lra | apply Rmin_r].
    - right; field; lra. }
  assert (Hd : 0 < e * eta <= eta) by nra.
  exists (trap T eta (e * eta) e), (always false), (always true).
  split; [reflexivity|]. split; [apply is_mdp_trap; lra|]. split; [apply trap_rewards; lra|].
  split; [apply is_policy_always|]. split; [apply is_policy_always|]. split.
  - intros pi' Hpi'; apply always_a_optimal_after_rounding; (assumption || lra).
  - rewrite loss_of_adapted_always_a by lra.
    replace (INR T * ((1 - e) * eta - e * eta)) with ((INR T - 2 * (INR T * e)) * eta) by ring.
    apply Rmult_lt_compat_r; [assumption|]. nra.
Qed.
