(** * The whole chain of the discretisation theorem      (paper: thm:discretized)

    With Phi* the supremum of Phi over all randomised history-dependent policies of M, Phi^* that of the rounded model,
    and pi = the adaptation of a policy hat-pi of the rounded model that is within w of Phi^*:

      Phi^* - T eta - w  <=  Phi(pi)  <=  Phi*  <=  Phi^*  <=  Phi* + T eta .

    An optimal hat-pi is the case w = 0; for concave Lipschitz G one exists, and it is a y-policy. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp Summary RoundingRule Discretisation
  DynamicProgramming SupportingUtility ConcavePlanner.
Import ListNotations.
Open Scope R_scope.

Section Chain.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Load "setup/Model".
  Variables (eta : R) (G : R -> R).
  Hypothesis Heta : 0 < eta.
  Hypothesis HG : weighting G.

  Local Notation values N := (fun x => exists pi, is_policy pi /\ x = value G N pi).
  Local Notation T := (INR (horizon M)).

  (** Given: any MDP with finite laws, eta > 0, any G as in the key identity; any policy of the rounded model
      within w of its supremum.
      Differs: the whole chain, with suprema; an optimal policy is the case w = 0. *)
  Theorem discretisation_chain best hat_best hat w :
    is_lub (values M) best -> is_lub (values (discretise eta M)) hat_best ->
    is_policy hat -> hat_best - w <= value G (discretise eta M) hat ->
    hat_best - T * eta - w <= value G M (adapt eta hat) /\ value G M (adapt eta hat) <= best /\ best <= hat_best /\
    hat_best <= best + T * eta.
  Proof.
    intros [Hub Hleast] [Hub' Hleast'] Hhat Hnear.
    assert (Hdown : forall p, is_policy p -> value G (discretise eta M) p - T * eta <= value G M (adapt eta p))
      by (intros p Hp; now apply adapted_value_ge).
    split; [specialize (Hdown hat Hhat); lra|]. split.
    - apply Hub. exists (adapt eta hat). split; [now apply is_policy_adapt | reflexivity].
    - split.
      + apply Hleast. intros x [pi [Hpi ->]].
        eapply Rle_trans; [now apply (discretised_value_ge state_dec eta Heta M HM G)|].
        apply Hub'. eexists; split; [|reflexivity]. now apply is_policy_of_y_policy, is_y_policy_conditioned.
      + apply Hleast'. intros x [pi [Hpi ->]]. specialize (Hdown pi Hpi).
        assert (value G M (adapt eta pi) <= best)
          by (apply Hub; exists (adapt eta pi); split; [now apply is_policy_adapt | reflexivity]). lra.
  Qed.

  (** For concave Lipschitz G, finitely many actions and rounded rewards in [0, 1] the best policy of the rounded model
      exists.
      Given: G concave and L-Lipschitz, rounded rewards in [0, 1], a nonempty list of actions per state.
      Differs: the maximum is attained, by a y-policy.
      Step of: thm:discretized. *)
  Theorem rounded_optimum_exists acts L :
    (forall s, acts s <> []) -> lipschitz_weighting G L -> concave_weighting G -> rewards_within 1 (discretise eta M) ->
    exists hat : y_policy S A, is_y_policy hat /\ allowed acts (discretise eta M) (of_y_policy hat) /\
      forall pi, is_policy pi -> allowed acts (discretise eta M) pi ->
        value G (discretise eta M) pi <= value G (discretise eta M) (of_y_policy hat).
  Proof.
    intros Hacts HGL HGc Hrew. set (N := discretise eta M) in *. assert (HN : is_mdp N) by now apply is_mdp_discretise.
    set (h := best_utility acts N G). exists (greedy acts N h).
    assert (Hy : is_y_policy (greedy acts N h)) by now apply is_y_policy_greedy.
    assert (Hg : is_greedy acts N h (of_y_policy (greedy acts N h))) by now apply greedy_is_greedy.
    split; [assumption|]. split; [now apply is_greedy_allowed with h|].
    apply (concave_planner_correct acts N Hacts HN G L HG HGL HGc Hrew (of_y_policy (greedy acts N h))
      (is_policy_of_y_policy _ Hy) Hg).
  Qed.
End Chain.
