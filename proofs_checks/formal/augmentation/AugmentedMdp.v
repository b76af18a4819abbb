(** * The augmented MDP      (paper: def:augmented)

    States (s, y) carry the reward so far: from (s, y) an action draws r and s' and leads to (s', y + r).  Steps pay
    nothing; after step T the process pays y_{T+1}.  Policies of the augmented MDP that see its state are the y-policies
    of M, and

      sup over them of Phi(y_{T+1})   =   sup over all randomised history-dependent policies of M of Phi(Z) .

    Printed, the payment is y_T: the last reward is lost. *)

Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp Summary Augmentation.
Import ListNotations.
Open Scope R_scope.

Section Augmented.
  Context {S A : Type}.
  Load "setup/Model".

  Definition augmented_mdp : mdp (S * R) A := {|
    horizon := horizon M;
    init := image (fun s => (s, 0)) (init M);
    trans := fun sy a => bind (reward M (fst sy) a) (fun r => image (fun s' => (s', r + snd sy)) (trans M (fst sy) a));
    reward := fun _ _ => ret 0
  |}.

  Lemma is_mdp_augmented : is_mdp augmented_mdp.
  Proof.
    split; simpl; [apply law_image, HM | | intros; apply law_ret].
    intros sy a. apply law_bind; [now apply reward_law | intros r; apply law_image; now apply trans_law].
  Qed.

  (** A policy of the augmented state, played in M. *)
  Definition as_y_policy (pi : markov_policy (S * R) A) : y_policy S A := fun t s y => pi t (s, y).

  (** The law of y_{T+1}, and the objective of the augmented MDP. *)
  Definition final_law (pi : policy (S * R) A) : dist R :=
    image (fun h => snd (state h)) (history_law augmented_mdp pi (horizon M)).
  Definition augmented_value (G : R -> R) (pi : policy (S * R) A) : R := Phi G (final_law pi).

  Lemma augmented_history pi t f :
    E (history_law augmented_mdp (of_markov_policy pi) t) (fun h => f (state h)) =
    E (history_law M (of_y_policy (as_y_policy pi)) t) (fun h => f (state h, collected h)).
  Proof.
    revert f; induction t as [|t IH]; intros f.
    - rewrite !E_history_law_0. simpl init. rewrite E_image. reflexivity.
    - rewrite !E_history_law_S.
      transitivity (E (history_law augmented_mdp (of_markov_policy pi) t) (fun h =>
        E (pi t (state h)) (fun a => E (reward M (fst (state h)) a)
          (fun r => E (trans M (fst (state h)) a) (fun s' => f (s', r + snd (state h))))))).
      + apply E_ext_as. generalize (history_time augmented_mdp (of_markov_policy pi) t); apply as_impl; intros h Hh.
        rewrite E_step. unfold of_markov_policy; rewrite Hh. apply E_ext; intros a. simpl reward. rewrite E_ret.
        simpl trans.
        rewrite E_bind. apply E_ext; intros r. now rewrite E_image.
      + rewrite (IH (fun sy => E (pi t sy) (fun a =>
          E (reward M (fst sy) a) (fun r => E (trans M (fst sy) a) (fun s' => f (s', r + snd sy)))))).
        apply E_ext_as. generalize (history_time M (of_y_policy (as_y_policy pi)) t); apply as_impl; intros h Hh.
        rewrite E_step. unfold of_y_policy, as_y_policy; rewrite Hh. reflexivity.
  Qed.

  (** The payment y_{T+1} has the law of the return of the y-policy.
      Given: any MDP with finite laws, any policy of the augmented state, G as in the key identity.
      Step of: def:augmented. *)
  Theorem augmented_value_eq G pi :
    weighting G -> is_markov_policy pi -> augmented_value G (of_markov_policy pi) =
      value G M (of_y_policy (as_y_policy pi)).
  Proof.
    intros HG Hpi. unfold augmented_value, value, final_law. apply Phi_of_same_expectations; [assumption | | |].
    - apply law_image, law_history; [apply is_mdp_augmented | now apply is_policy_of_markov_policy].
    - apply law_return; [assumption|]. apply is_policy_of_y_policy. intros t s y; apply Hpi.
    - intros f. rewrite E_image, E_return_law. apply (augmented_history pi (horizon M) (fun sy => f (snd sy))).
  Qed.

  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.

  (** Policies of state and reward so far attain what all policies attain: every value, hence the supremum.
      Given: the augmented MDP of any MDP with finite laws, decidable states; G as in the key identity.
      Differs: every value is attained on both sides, so the suprema agree, and the maxima where they exist. *)
  Theorem augmented_mdp_has_the_same_optimum G best :
    weighting G ->
    (is_lub (fun x => exists pi, is_markov_policy pi /\ x = augmented_value G (of_markov_policy pi)) best <->
     is_lub (fun x => exists pi, is_policy pi /\ x = value G M pi) best).
  Proof.
    intros HG.
    assert (H : forall x, (exists pi, is_markov_policy pi /\ x = augmented_value G (of_markov_policy pi)) <->
                          (exists pi, is_policy pi /\ x = value G M pi)).
    { intros x; split.
      - intros [pi [Hpi ->]]. exists (of_y_policy (as_y_policy pi)). split; [|now apply augmented_value_eq].
        apply is_policy_of_y_policy. intros t s y; apply Hpi.
      - intros [pi [Hpi ->]]. exists (fun t sy => augmented state_dec M pi t (fst sy) (snd sy)). split.
        + intros t sy. now apply is_y_policy_augmented.
        + rewrite augmented_value_eq; [|assumption | intros t sy; now apply is_y_policy_augmented].
          symmetry. now apply augmented_same_value. }
    split; intros [Hub Hleast]; (split; [intros x Hx; apply Hub, H, Hx | intros b Hb; apply Hleast; intros x Hx;
      apply Hb, H, Hx]).
  Qed.
End Augmented.
