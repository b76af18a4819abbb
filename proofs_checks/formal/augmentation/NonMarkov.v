(** * Optimal policies may be non-Markov      (paper: introduction; intro:nonmarkov)

    T = 2.  The first step pays 0 or 1, each with probability 1/2.  Then action a pays 1/2 and action b pays 1 with
    probability p, else 0.  For CVaR at level 3/4 and p in [1/2, 3/4] the policy that plays b after 0 and a after 1 is
    better than every policy of (t, s), randomised or not, by at least  2/3 min(p - 1/2, 3/4 - p). *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp RockafellarUryasev.
Import ListNotations.
Open Scope R_scope.

Section NonMarkov.
  Variable p : R.
  Hypothesis Hp : 1 / 2 <= p <= 3 / 4.

  (** Of the states, [false] is the first; of the actions, [false] is a and [true] is b. *)
  Definition coin_then_bet : mdp bool bool := {|
    horizon := 2;
    init := ret false;
    trans := fun _ _ => ret true;
    reward := fun (s b : bool) => if s then (if b then [(0, 1 - p); (1, p)] else ret (1 / 2))
      else [(0, 1 / 2); (1, 1 / 2)]
  |}.

  Lemma law_two_points x y q : 0 <= q <= 1 -> is_law [(x : R, 1 - q); (y, q)].
  Proof. intros Hq. split; [|simpl; lra]. intros z m [H|[H|[]]]; injection H as <- <-; lra. Qed.

  Lemma is_mdp_coin_then_bet : is_mdp coin_then_bet.
  Proof.
    split; simpl; [apply law_ret | intros; apply law_ret |]. intros [|] [|].
    - apply law_two_points; lra.
    - apply law_ret.
    - replace (1 / 2) with (1 - 1 / 2) at 1 by lra. apply law_two_points; lra.
    - replace (1 / 2) with (1 - 1 / 2) at 1 by lra. apply law_two_points; lra.
  Qed.

  Definition bets_after_0 : y_policy bool bool := fun _ _ y => ret (if Req_EM_T y 0 then true else false).

  (** The return of a policy of (t, s, y). *)
  Lemma return_of_two_steps (pi : y_policy bool bool) f :
    is_y_policy pi ->
    E (return_law coin_then_bet (of_y_policy pi)) f =
    1 / 2 * E (pi 1%nat true 0) (fun b => E (reward coin_then_bet true b) f) +
    1 / 2 * E (pi 1%nat true 1) (fun b => E (reward coin_then_bet true b) (fun r => f (r + 1))).
  Proof.
    intros Hpi. rewrite E_return_law, E_history_law_from_start. simpl init. rewrite E_ret.
    change (horizon coin_then_bet) with 2%nat. rewrite E_run_S, E_step.
    rewrite (E_ext _ _ (fun _ => 1 / 2 * E (pi 1%nat true 0) (fun b => E (reward coin_then_bet true b) f) +
      1 / 2 * E (pi 1%nat true 1) (fun b => E (reward coin_then_bet true b) (fun r => f (r + 1))))).
    { apply E_const, Hpi. }
    intros a. transitivity (E [(0, 1 / 2); (1, 1 / 2)] (fun r => E (ret true) (fun s =>
      E (run coin_then_bet (of_y_policy pi) 1 (extend (start false) a r s)) (fun h => f (collected h)))));
        [reflexivity|].
    assert (Hrun : forall r, E (ret true) (fun s =>
        E (run coin_then_bet (of_y_policy pi) 1 (extend (start false) a r s)) (fun h => f (collected h))) =
        E (pi 1%nat true r) (fun b => E (reward coin_then_bet true b) (fun q => f (q + r)))).
    { intros r. rewrite E_ret, E_run_S, E_step.
      unfold of_y_policy at 1. rewrite time_extend, state_extend, collected_extend, collected_start, Rplus_0_r.
      apply E_ext; intros b. apply E_ext; intros q. simpl trans. rewrite E_ret. etransitivity; [apply E_ret|].
      rewrite !collected_extend, collected_start. f_equal; ring. }
    rewrite (E_ext _ _ _ Hrun). simpl E at 1.
    rewrite (E_ext (pi 1%nat true 0) _ (fun b => E (reward coin_then_bet true b) f)).
    - unfold reward, coin_then_bet. lra.
    - intros b. apply E_ext; intros q. f_equal; ring.
  Qed.

  Local Notation cvar := (Phi (cvar_weight (3 / 4))).

  Lemma cvar_listed d l lo hi :
    is_law d -> is_law l -> sorted_in lo hi l -> (forall f, E d f = E l f) ->
      cvar d = rank_sum (cvar_weight (3 / 4)) 0 l.
  Proof.
    intros Hd Hl Hs HE. assert (HG : weighting (cvar_weight (3 / 4))) by (apply weighting_cvar; lra).
    rewrite (Phi_of_same_expectations _ HG d l Hd Hl HE). now apply Phi_eq_rank_sum with lo hi.
  Qed.

  Lemma value_of_bets_after_0 : value (cvar_weight (3 / 4)) coin_then_bet (of_y_policy bets_after_0) =
    2 / 3 * p + 1 / 2.
  Proof.
    assert (Hpi : is_y_policy bets_after_0) by (intros t s y; apply law_ret).
    unfold value. rewrite (cvar_listed _ [(0, (1 - p) / 2); (1, p / 2); (3 / 2, 1 / 2)] 0 2).
    - cbn [rank_sum]. unfold cvar_weight, Rmin; repeat destruct Rle_dec; lra.
    - apply law_return; [apply is_mdp_coin_then_bet | now apply is_policy_of_y_policy].
    - split; [|simpl; lra]. intros z m [H|[H|[H|[]]]]; injection H as <- <-; lra.
    - simpl; lra.
    - intros f. rewrite return_of_two_steps by assumption. unfold bets_after_0.
      destruct (Req_EM_T 0 0) as [_|]; [|lra]. destruct (Req_EM_T 1 0) as [|_]; [lra|]. rewrite !E_ret. simpl.
      replace (1 / 2 + 1) with (3 / 2) by lra. lra.
  Qed.

  (** The laws of the two deterministic policies of (t, s). *)
  Definition law_of (b : bool) : dist R :=
    if b then [(0, (1 - p) / 2); (1, 1 / 2); (2, p / 2)] else [(1 / 2, 1 / 2); (3 / 2, 1 / 2)].

  Lemma is_law_of b : is_law (law_of b).
  Proof.
    destruct b; split; try (simpl; lra); intros z m Hin; repeat (destruct Hin as [H|Hin]; [injection H as <- <-; lra|]);
      contradiction.
  Qed.

  Lemma cvar_of_law b : cvar (law_of b) = if b then 4 / 3 * p else 5 / 6.
  Proof.
    rewrite (cvar_listed (law_of b) (law_of b) 0 2); try apply is_law_of; [| destruct b; simpl; lra | reflexivity].
    destruct b; cbn [rank_sum law_of]; unfold cvar_weight, Rmin; repeat destruct Rle_dec; lra.
  Qed.

  (** Given: the models of the claim, 1/2 <= p <= 3/4, every policy of (t, s).
      Differs: randomised policies of (t, s) too. *)
  Theorem markov_policies_are_worse (pi : markov_policy bool bool) :
    is_markov_policy pi ->
    value (cvar_weight (3 / 4)) coin_then_bet (of_markov_policy pi) + 2 / 3 * Rmin (p - 1 / 2) (3 / 4 - p) <=
    value (cvar_weight (3 / 4)) coin_then_bet (of_y_policy bets_after_0).
  Proof.
    intros Hpi. rewrite value_of_bets_after_0. set (d := return_law coin_then_bet (of_markov_policy pi)).
    assert (Hd : is_law d) by (apply law_return; [apply is_mdp_coin_then_bet | now apply is_policy_of_markov_policy]).
    assert (HE : forall f, E d f = E (pi 1%nat true) (fun b => E (law_of b) f)).
    { intros f. change (of_markov_policy pi) with (of_y_policy (fun t s (_ : R) => pi t s)) in d. unfold d.
      rewrite return_of_two_steps by (intros t s y; apply Hpi). rewrite <- !E_scal, <- E_plus. apply E_ext; intros b.
      destruct b; simpl; replace (0 + 1) with 1 by ring; replace (1 + 1) with 2 by ring;
        replace (1 / 2 + 1) with (3 / 2) by lra; lra. }
    (* CVaR is a maximum of functions that are linear in the law *)
    destruct (rockafellar_uryasev d (3 / 4) Hd ltac:(lra)) as [_ [rho [m [_ [_ [_ Hrho]]]]]].
    unfold value; fold d. rewrite <- Hrho. unfold ru, shortfall. rewrite HE.
    assert (H : E (pi 1%nat true) (fun b => rho - E (law_of b) (fun z => Rmax 0 (rho - z)) / (3 / 4)) <=
                2 / 3 * p + 1 / 2 - 2 / 3 * Rmin (p - 1 / 2) (3 / 4 - p)).
    { apply E_le_const; [apply Hpi | apply as_always; intros b].
      destruct (rockafellar_uryasev (law_of b) (3 / 4) (is_law_of b) ltac:(lra)) as [Hle _]. specialize (Hle rho).
      rewrite cvar_of_law in Hle. unfold ru, shortfall in Hle. eapply Rle_trans; [exact Hle|].
      pose proof (Rmin_l (p - 1 / 2) (3 / 4 - p)). pose proof (Rmin_r (p - 1 / 2) (3 / 4 - p)). destruct b; lra. }
    rewrite E_minus, E_const in H by apply Hpi. unfold Rdiv in *. rewrite E_scal_r in H. lra.
  Qed.
End NonMarkov.
