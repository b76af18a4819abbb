(** * Pairs that were never visited      (paper: def:unvisited)

    The printed estimates and radii divide by N(s, a).  Completed with radius 1, an unvisited pair leads to s_inf and
    pays 1, whatever its estimate, and every pair has a law of the next state and of the reward, after every history. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity Mdp QuantileCoupling OptimisticModel MartingaleStep
  EventHolds RegretAssembly OptimisticLearner.
Import ListNotations.
Open Scope R_scope.

(** Given: any past, listed states.
    Differs: the radius of an unvisited pair is 1. *)
Theorem unvisited_pairs {S A} (state_dec : forall s s' : S, {s = s'} + {s <> s'}) (action_dec : forall a a' : A,
  {a = a'} + {a <> a'})
  (states : list S) (actions : list A) (M : mdp S A) (K : nat) (delta : R) (past : list (history S A)) :
  NoDup states -> (forall s, In s states) -> is_mdp M ->
  let model := optimistic_model state_dec action_dec states actions M K delta past in
  is_mdp model /\ rewards_within 1 model /\
  forall s a, seen state_dec action_dec (s, a) past = [] ->
    (forall f, E (trans model (Some s) a) f = f None) /\ (forall f, E (reward model (Some s) a) f = f 1).
Proof.
  intros Hnd Hall HM model. pose proof (known_estimates state_dec action_dec states actions M K delta past) as Hest.
  split; [now apply is_mdp_optimistic|]. split; [now apply optimistic_rewards_within|].
  intros s a Hseen. split; intros f; unfold model, optimistic_model.
  - rewrite E_optimistic_trans. unfold jump, low, known_trans, known_radius, radius_by. rewrite Hseen.
    rewrite (sum_ext states _ (fun _ => 0)).
    + rewrite (sum_ext states (fun s' => Rmax 0 (mass state_dec (ret s) s' - 1) * f (Some s')) (fun _ => 0)).
      * rewrite sum_const. ring.
      * intros s' _. rewrite Rmax_left; [ring|]. unfold mass; rewrite E_ret. pose proof (ind_range (state_dec s s')).
        lra.
    + intros s' _. apply Rmax_left. unfold mass; rewrite E_ret. pose proof (ind_range (state_dec s s')). lra.
  - simpl reward. unfold known_reward, known_radius, radius_by. rewrite Hseen. unfold raise; simpl.
    rewrite Rmin_left, Rmax_left by lra. ring.
Qed.
