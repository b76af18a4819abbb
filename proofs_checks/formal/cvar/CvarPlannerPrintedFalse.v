(** * Two traps in planning CVaR      (paper: appendix on CVaR)

    One threshold per state.  The paper chooses rho* separately for each initial state.  With T = 1, two equally likely
    states, level 1/2: state 1 pays 1; in state 2 action a pays 1/3 and action b pays 0 or 3/4 with probability 1/2
    each. Seen from state 2 alone, a is better (CVaR 1/3 against 0).  From the initial law, b is better: 3/8 against
    1/3.

    The outer objective is not concave.  With T = 1, one state, action a paying 1/4, action b paying 0 with probability
    1/8 and else 1/2, level 1/4:  J(1/4) = 1/4,  J(3/8) = 3/16,  J(1/2) = 1/4.  A local search over rho may stop short.
    *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp OneState TwoSteps RockafellarUryasev
  DynamicProgramming CvarPlanner.
Import ListNotations.
Open Scope R_scope.

(** ** One threshold per state *)

(** Of the states, [false] is 1 and [true] is 2; of the actions, [false] is a and [true] is b. *)
Definition two_states : mdp bool bool := {|
  horizon := 1;
  init := [(false, 1 / 2); (true, 1 / 2)];
  trans := fun s _ => ret s;
  reward := fun (s b : bool) => if s then (if b then [(0, 1 / 2); (3 / 4, 1 / 2)] else ret (1 / 3)) else ret 1
|}.

Lemma law_two x y : is_law [(x : R, 1 / 2); (y, 1 / 2)].
Proof. split; [|simpl; lra]. intros z p [H|[H|[]]]; injection H as <- <-; lra. Qed.

Lemma is_mdp_two_states : is_mdp two_states.
Proof.
  split; simpl.
  - split; [|simpl; lra]. intros z p [H|[H|[]]]; injection H as <- <-; lra.
  - intros s a; apply law_ret.
  - intros [|] [|]; try apply law_ret. apply law_two.
Qed.

Lemma return_of_always b f :
  E (return_law two_states (always b)) f = 1 / 2 * f 1 + 1 / 2 * E (reward two_states true b) f.
Proof.
  rewrite E_return_law. change (horizon two_states) with 1%nat. rewrite E_history_law_S, E_history_law_0.
  assert (H : forall s, E (step two_states (always b) (start s)) (fun h => f (collected h)) =
    E (reward two_states s b) f).
  { intros s. rewrite E_step. unfold always; rewrite E_ret. apply E_ext; intros r.
    change (state (start s : history bool bool)) with s. simpl trans. rewrite E_ret.
    unfold collected; simpl. f_equal; ring. }
  rewrite (E_ext _ _ _ H). simpl. ring.
Qed.

Lemma cvar_half_values : cvar_weight (1 / 2) 0 = 0 /\ cvar_weight (1 / 2) (1 / 4) = 1 / 2 /\
  cvar_weight (1 / 2) (1 / 2) = 1 /\ cvar_weight (1 / 2) 1 = 1.
Proof. unfold cvar_weight; repeat split; unfold Rmin; destruct (Rle_dec _ 1); lra. Qed.

Local Notation cvar := (Phi (cvar_weight (1 / 2))).

Lemma Phi_listed d l : is_law d -> is_law l -> sorted_in 0 1 l -> (forall f, E d f = E l f) ->
  cvar d = rank_sum (cvar_weight (1 / 2)) 0 l.
Proof.
  intros Hd Hl Hs HE. assert (HG : weighting (cvar_weight (1 / 2))) by (apply weighting_cvar; lra).
  rewrite (Phi_of_same_expectations _ HG d l Hd Hl HE). now apply Phi_eq_rank_sum with 0 1.
Qed.

(** Given: none: T = 1, two states, alpha = 1/2: 1/3 against 3/8. *)
Theorem best_action_per_state_is_not_best :
  (* seen from state 2, action a has the larger CVaR *)
  cvar (reward two_states true true) < cvar (reward two_states true false) /\
  (* in state 1 nothing is to choose *)
  reward two_states false true = reward two_states false false /\
  (* from the initial law, b is better *)
  value (cvar_weight (1 / 2)) two_states (always false) = 1 / 3 /\
  value (cvar_weight (1 / 2)) two_states (always true) = 3 / 8.
Proof.
  destruct cvar_half_values as [V0 [V1 [V2 V3]]].
  split; [|split; [reflexivity | split]].
  - rewrite (Phi_listed (reward two_states true true) [(0, 1 / 2); (3 / 4, 1 / 2)])
      by (apply law_two || (simpl; lra) || reflexivity).
    rewrite (Phi_listed (reward two_states true false) [(1 / 3, 1)]) by (apply law_ret || (simpl; lra) || reflexivity).
    simpl rank_sum. rewrite !Rplus_0_l. replace (1 / 2 + 1 / 2) with 1 by field. rewrite V0, V2, V3. lra.
  - unfold value. rewrite (Phi_listed _ [(1 / 3, 1 / 2); (1, 1 / 2)]).
    + simpl rank_sum. rewrite Rplus_0_l. replace (1 / 2 + 1 / 2) with 1 by field. rewrite V0, V2, V3. lra.
    + apply law_return; [apply is_mdp_two_states | intros h; apply law_ret].
    + apply law_two.
    + simpl; lra.
    + intros f. rewrite return_of_always. simpl. lra.
  - unfold value. rewrite (Phi_listed _ [(0, 1 / 4); (3 / 4, 1 / 4); (1, 1 / 2)]).
    + simpl rank_sum. rewrite Rplus_0_l. replace (1 / 4 + 1 / 4) with (1 / 2) by field.
      replace (1 / 2 + 1 / 2) with 1 by field.
      rewrite V0, V1, V2, V3. lra.
    + apply law_return; [apply is_mdp_two_states | intros h; apply law_ret].
    + split; [|simpl; lra]. intros z p [H|[H|[H|[]]]]; injection H as <- <-; lra.
    + simpl; lra.
    + intros f. rewrite return_of_always. simpl. lra.
Qed.

(** ** The outer objective is not concave *)

(** [false] is the sure action a, [true] the risky action b. *)
Definition risky : mdp unit bool := one_state 1
  (fun b : bool => if b then [(0, 1 / 8); (1 / 2, 7 / 8)] else ret (1 / 4)).

Local Notation both := (fun _ : unit => [false; true]).

Lemma min_over_two (f : bool -> R) : min_over f [false; true] = Rmin (f false) (f true).
Proof.
  apply Rle_antisym.
  - apply Rmin_glb; apply min_over_le; simpl; auto.
  - destruct (min_over_attained f [false; true] ltac:(discriminate)) as [b [_ ->]].
    destruct b; [apply Rmin_r | apply Rmin_l].
Qed.

Lemma J_risky rho : J both risky (1 / 4) rho =
  rho - Rmin (Rmax 0 (rho - 1 / 4)) (1 / 8 * Rmax 0 rho + 7 / 8 * Rmax 0 (rho - 1 / 2)) * 4.
Proof.
  unfold J. change (init risky) with (ret tt). rewrite E_ret. change (horizon risky) with 1%nat.
  cbn [W]. rewrite min_over_two. unfold spend, risky. simpl.
  replace (rho - 0) with rho by ring.
  match goal with |- rho - Rmin ?x ?y / _ = rho - Rmin ?u ?v * 4 => replace x with u by lra;
    replace y with v by lra end.
  field.
Qed.

(** Given: none: T = 1, alpha = 1/4: J = 1/4, 3/16, 1/4 at 1/4, 3/8, 1/2. *)
Theorem outer_objective_is_not_concave :
  J both risky (1 / 4) (1 / 4) = 1 / 4 /\ J both risky (1 / 4) (3 / 8) = 3 / 16 /\ J both risky (1 / 4) (1 / 2) = 1 / 4.
Proof.
  rewrite !J_risky. repeat split.
  - rewrite (Rmax_left 0 (1 / 4 - 1 / 4)), (Rmax_right 0 (1 / 4)), (Rmax_left 0 (1 / 4 - 1 / 2)), Rmin_left by lra. lra.
  - rewrite (Rmax_right 0 (3 / 8 - 1 / 4)), (Rmax_right 0 (3 / 8)), (Rmax_left 0 (3 / 8 - 1 / 2)), Rmin_right by lra.
    lra.
  - rewrite (Rmax_right 0 (1 / 2 - 1 / 4)), (Rmax_right 0 (1 / 2)), (Rmax_left 0 (1 / 2 - 1 / 2)), Rmin_right by lra.
    lra.
Qed.
