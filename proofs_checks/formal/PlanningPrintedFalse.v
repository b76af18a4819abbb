(** * Planning CVaR: two things that do not hold      (paper: appendix on CVaR)

    - One rho per initial state.  T = 1, two states with probability 1/2 each, alpha = 1/2.  State 1 pays 1.  In state 2,
      a pays 1/3 and b pays 0 or 3/4 with probability 1/2.  State by state a is better (1/3 against 0), and gives 1/3 in
      all; b gives 3/8.
    - J concave in rho.  T = 1, one state, alpha = 1/4, a pays 1/4, b pays 0 with probability 1/8 and else 1/2:
      J(1/4) = 1/4, J(3/8) = 3/16, J(1/2) = 1/4.  A local search over rho is unsafe. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp RockafellarUryasev DynamicProgramming
  CvarPlanner.
Import ListNotations.
Open Scope R_scope.

(** ** One rho for the initial law *)

(** States: [true] is state 1.  Actions: [false] is a, [true] is b. *)
Definition two_starts : mdp bool bool := {|
  horizon := 1;
  init := [(true, / 2); (false, / 2)];
  trans := fun s _ => ret s;
  reward := fun s (b : bool) => if s then ret 1 else if b then [(0, / 2); (3 / 4, / 2)] else ret (1 / 3)
|}.

Definition plays (b : bool) : policy bool bool := fun _ => ret b.

Lemma law_half {X} (x y : X) : is_law [(x, / 2); (y, / 2)].
Proof. split; [intros z p [H|[H|[]]]; injection H as <- <-; lra | simpl; lra]. Qed.

Lemma is_mdp_two_starts : is_mdp two_starts.
Proof.
  split; simpl; intros; [apply law_half | apply law_ret|].
  destruct s; [apply law_ret | destruct a; [apply law_half | apply law_ret]].
Qed.

Lemma cvar_weight_values :
  cvar_weight (1 / 2) 0 = 0 /\ cvar_weight (1 / 2) (1 / 4) = 1 / 2 /\ cvar_weight (1 / 2) (1 / 2) = 1 /\ cvar_weight (1 / 2) 1 = 1.
Proof. unfold cvar_weight, Rmin; repeat split; destruct Rle_dec; lra. Qed.

Lemma half_level : 0 < 1 / 2 <= 1.
Proof. lra. Qed.

Theorem one_rho_per_state_is_wrong :
  (* in state 2 alone, a is better than b *)
  Phi (cvar_weight (1 / 2)) (reward two_starts false true) = 0 /\
  Phi (cvar_weight (1 / 2)) (reward two_starts false false) = 1 / 3 /\
  (* from the initial law, b is better than a *)
  value (cvar_weight (1 / 2)) two_starts (plays false) = 1 / 3 /\
  value (cvar_weight (1 / 2)) two_starts (plays true) = 3 / 8.
Proof.
  pose proof (weighting_cvar (1 / 2) half_level) as HG. destruct cvar_weight_values as [G0 [G4 [G2 G1]]].
  assert (Hp : forall b, is_policy (plays b)) by (intros b h; apply law_ret).
  split; [|split; [|split]].
  - simpl reward. rewrite (Phi_eq_rank_sum _ _ 0 1 HG) by (apply law_half || (simpl; lra)).
    simpl. replace (0 + / 2) with (1 / 2) by lra. replace (1 / 2 + / 2) with 1 by lra. rewrite G0, G2, G1; lra.
  - simpl reward. now apply Phi_ret.
  - transitivity (Phi (cvar_weight (1 / 2)) [(1 / 3, / 2); (1, / 2)]).
    + apply Phi_of_same_expectations; [assumption | apply law_return; [apply is_mdp_two_starts | apply Hp] | apply law_half|].
      intros f. rewrite E_return_law. simpl. unfold collected; simpl. rewrite !Rplus_0_r. lra.
    + rewrite (Phi_eq_rank_sum _ _ 0 1 HG) by (apply law_half || (simpl; lra)).
      simpl. replace (0 + / 2) with (1 / 2) by lra. replace (1 / 2 + / 2) with 1 by lra. rewrite G0, G2, G1; lra.
  - assert (Hlaw : is_law [(0, / 4); (3 / 4, / 4); (1, / 2)])
      by (split; [intros z p [H|[H|[H|[]]]]; injection H as <- <-; lra | simpl; lra]).
    transitivity (Phi (cvar_weight (1 / 2)) [(0, / 4); (3 / 4, / 4); (1, / 2)]).
    + apply Phi_of_same_expectations; [assumption | apply law_return; [apply is_mdp_two_starts | apply Hp] | assumption|].
      intros f. rewrite E_return_law. simpl. unfold collected; simpl. rewrite !Rplus_0_r. lra.
    + rewrite (Phi_eq_rank_sum _ _ 0 1 HG) by (assumption || (simpl; lra)).
      simpl. replace (0 + / 4) with (1 / 4) by lra. replace (1 / 4 + / 4) with (1 / 2) by lra.
      replace (1 / 2 + / 2) with 1 by lra. rewrite G0, G4, G2, G1; lra.
Qed.

(** ** J is not concave *)

Definition bump : mdp unit bool := {|
  horizon := 1;
  init := ret tt;
  trans := fun _ _ => ret tt;
  reward := fun _ (b : bool) => if b then [(0, 1 / 8); (1 / 2, 7 / 8)] else ret (1 / 4)
|}.

Definition both (_ : unit) : list bool := [false; true].

Lemma min_over_two {A} (f : A -> R) a b : min_over f [a; b] = Rmin (f a) (f b).
Proof. unfold min_over, max_over; simpl. unfold Rmin; repeat destruct Rle_dec; lra. Qed.

Lemma J_bump rho : J both bump (1 / 4) rho =
  rho - 4 * Rmin (Rmax 0 (rho - 1 / 4)) (1 / 8 * Rmax 0 rho + 7 / 8 * Rmax 0 (rho - 1 / 2)).
Proof.
  unfold J. simpl horizon. cbn [W]. unfold both. simpl init. rewrite E_ret, min_over_two. unfold spend; simpl.
  rewrite Rminus_0_r, !Rplus_0_r, !Rmult_1_l. field.
Qed.

Theorem J_is_not_concave :
  J both bump (1 / 4) (1 / 4) = 1 / 4 /\ J both bump (1 / 4) (3 / 8) = 3 / 16 /\ J both bump (1 / 4) (1 / 2) = 1 / 4.
Proof.
  rewrite !J_bump. unfold Rmin, Rmax; repeat split; repeat destruct Rle_dec; lra.
Qed.
