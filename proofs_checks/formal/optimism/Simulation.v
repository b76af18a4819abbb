(** * A model that simulates another does at least as well

    M' simulates M if their steps can be drawn together: from related states (s', s) and one action a there is a joint
    law of (r', r, s1', s1) whose real part (r', s1') is a step of M', whose virtual part (r, s1) is a step of M, with
    r <= r' and s1', s1 related again, almost surely.

    Then every randomised history-dependent policy pi of M has a policy of (t, s', y') in M' whose return is
    stochastically larger:  F_{Z'} <= F_Z .  The policy runs pi on the virtual history.  It needs no private memory: at
    (t, s', y') it acts as pi does on average over the virtual histories that go with (s', y'). *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp DynamicProgramming.
Import ListNotations.
Open Scope R_scope.

Lemma as_given {X} {P : X -> Prop} (d : dist X) (dec : forall x, {P x} + {~ P x}) (Q : X -> Prop) :
  almost_surely d (fun x => P x -> Q x) -> almost_surely (given d dec) Q.
Proof.
  intros H x p Hin Hp. unfold given, scale in Hin.
  apply in_map_iff in Hin; destruct Hin as [[y q] [Heq Hin]]; injection Heq as <- <-; simpl in *.
  apply filter_In in Hin; destruct Hin as [Hin Hdec]; simpl in Hdec.
  destruct (dec y) as [HP|]; [|discriminate]. apply (H y q Hin); [intros ->; apply Hp; ring | assumption].
Qed.

Section Simulation.
  Context {S S' A : Type}.
  Variable real_dec : forall s s' : S', {s = s'} + {s <> s'}.
  Variables (M : mdp S A) (M' : mdp S' A).
  Hypothesis HM : is_mdp M.
  Hypothesis HM' : is_mdp M'.
  Hypothesis Hhor : horizon M' = horizon M.

  Variable related : S' -> S -> Prop.

  (** Joint laws of (real, virtual) initial states and of ((r', r), (s1', s1)). *)
  Variable joint_init : dist (S' * S).
  Variable joint : S' -> S -> A -> dist ((R * R) * (S' * S)).

  Record simulates : Prop := {
    joint_init_law : is_law joint_init;
    joint_init_real : forall f, E joint_init (fun ss => f (fst ss)) = E (init M') f;
    joint_init_virtual : forall f, E joint_init (fun ss => f (snd ss)) = E (init M) f;
    joint_init_related : almost_surely joint_init (fun ss => related (fst ss) (snd ss));
    joint_law : forall s' s a, is_law (joint s' s a);
    joint_real : forall s' s a f, related s' s ->
      E (joint s' s a) (fun o => f (fst (fst o)) (fst (snd o))) =
      E (reward M' s' a) (fun r => E (trans M' s' a) (fun s1 => f r s1));
    joint_virtual : forall s' s a f, related s' s ->
      E (joint s' s a) (fun o => f (snd (fst o)) (snd (snd o))) =
      E (reward M s a) (fun r => E (trans M s a) (fun s1 => f r s1));
    joint_related : forall s' s a, related s' s ->
      almost_surely (joint s' s a) (fun o => snd (fst o) <= fst (fst o) /\ related (fst (snd o)) (snd (snd o)))
  }.

  Hypothesis Hsim : simulates.
  Variable pi : policy S A.
  Hypothesis Hpi : is_policy pi.
  Variable fallback : S' -> A.

  (** The virtual history together with the real state and the real reward so far. *)
  Definition advance (c : history S A * (S' * R)) (a : A) (o : (R * R) * (S' * S)) : history S A * (S' * R) :=
    (extend (fst c) a (snd (fst o)) (snd (snd o)), (fst (snd o), fst (fst o) + snd (snd c))).

  Fixpoint coupled (t : nat) : dist (history S A * (S' * R)) :=
    match t with
    | O => image (fun ss => (start (snd ss), (fst ss, 0))) joint_init
    | Datatypes.S t' => bind (coupled t') (fun c => bind (pi (fst c)) (fun a =>
        image (advance c a) (joint (fst (snd c)) (state (fst c)) a)))
    end.

  Definition real_is_dec (sy : S' * R) (c : history S A * (S' * R)) : {snd c = sy} + {snd c <> sy}.
  Proof.
    destruct c as [h [s y]], sy as [s' y']; simpl.
    destruct (real_dec s s') as [->|Hs]; [destruct (Req_EM_T y y') as [->|Hy]|].
    - now left.
    - right; now intros [= H].
    - right; now intros [= H _].
  Defined.

  (** As pi on average over the virtual histories that go with (s', y'). *)
  Definition simulated : y_policy S' A := fun t s' y' =>
    if Req_EM_T (prob (coupled t) (real_is_dec (s', y'))) 0 then ret (fallback s')
    else bind (given (coupled t) (real_is_dec (s', y'))) (fun c => pi (fst c)).

  Lemma law_coupled t : is_law (coupled t).
  Proof.
    induction t as [|t IH]; simpl; [apply law_image, Hsim|].
    apply law_bind; [assumption | intros c]. apply law_bind; [apply Hpi | intros a]. apply law_image, Hsim.
  Qed.

  Lemma is_y_policy_simulated : is_y_policy simulated.
  Proof.
    intros t s' y'; unfold simulated. destruct (Req_EM_T _ 0) as [_|Hp]; [apply law_ret|].
    apply law_bind; [|intros c; apply Hpi]. apply law_given; [apply law_coupled | assumption].
  Qed.

  Lemma coupled_invariant t :
    almost_surely (coupled t) (fun c => related (fst (snd c)) (state (fst c)) /\
      collected (fst c) <= snd (snd c) /\ time (fst c) = t).
  Proof.
    induction t as [|t IH]; simpl.
    - apply as_image. generalize (joint_init_related Hsim); apply as_impl; intros [s' s] H; simpl in *.
      split; [assumption | split; [rewrite collected_start; lra | reflexivity]].
    - apply as_bind; revert IH; apply as_impl; intros [h [s' y']] [Hrel [Hle Ht]]; simpl in *.
      apply as_bind, as_always; intros a. apply as_image.
      generalize (joint_related Hsim s' (state h) a Hrel); apply as_impl; intros [[r' r] [s1' s1]] [Hr Hrel1];
        simpl in *.
      unfold advance; simpl. split; [assumption|]. rewrite collected_extend, time_extend. split; [lra | lia].
  Qed.

  Lemma E_coupled_S t f :
    E (coupled (Datatypes.S t)) f =
    E (coupled t) (fun c => E (pi (fst c)) (fun a =>
      E (joint (fst (snd c)) (state (fst c)) a) (fun o => f (advance c a o)))).
  Proof.
    simpl; rewrite E_bind; apply E_ext; intros c. rewrite E_bind; apply E_ext; intros a. apply E_image.
  Qed.

  (** The virtual part is the process of pi in M. *)
  Lemma virtual_law t f : E (coupled t) (fun c => f (fst c)) = E (history_law M pi t) f.
  Proof.
    revert f; induction t as [|t IH]; intros f.
    - simpl; rewrite !E_image; simpl. apply (joint_init_virtual Hsim (fun s => f (start s))).
    - rewrite E_coupled_S, E_history_law_S, <- IH. apply E_ext_as.
      generalize (coupled_invariant t); apply as_impl; intros [h [s' y']] [Hrel _]; simpl in *.
      rewrite E_step; apply E_ext; intros a.
      apply (joint_virtual Hsim s' (state h) a (fun r s1 => f (extend h a r s1)) Hrel).
  Qed.

  (** The real part is the process of the simulated policy in M'. *)
  Lemma real_law t f :
    E (history_law M' (of_y_policy simulated) t) (fun h => f (state h, collected h)) =
      E (coupled t) (fun c => f (snd c)).
  Proof.
    revert f; induction t as [|t IH]; intros f.
    - simpl; rewrite !E_image; simpl. symmetry; apply (joint_init_real Hsim (fun s => f (s, 0))).
    - pose (q := fun a (sy : S' * R) => E (reward M' (fst sy) a)
        (fun r => E (trans M' (fst sy) a) (fun s1 => f (s1, r + snd sy)))).
      rewrite E_history_law_S, E_coupled_S.
      rewrite (E_ext_as _ _ (fun h => E (simulated t (state h) (collected h)) (fun a => q a (state h, collected h)))).
      2: { generalize (history_time M' (of_y_policy simulated) t); apply as_impl; intros h Hh.
           rewrite E_step; unfold of_y_policy; rewrite Hh. reflexivity. }
      etransitivity; [exact (IH (fun sy => E (simulated t (fst sy) (snd sy)) (fun a => q a sy)))|].
      rewrite (E_ext_as _ _ (fun c => E (given (coupled t) (real_is_dec (snd c)))
        (fun c' => E (pi (fst c')) (fun a => q a (snd c))))).
      2: { intros c p Hin Hp; unfold simulated.
           replace (fst (snd c), snd (snd c)) with (snd c) by (destruct c as [h [s y]]; reflexivity).
           pose proof (prob_pos (coupled t) (real_is_dec (snd c)) c p (proj1 (law_coupled t)) Hin Hp eq_refl).
           destruct (Req_EM_T _ 0) as [H0|_]; [lra|]. apply E_bind. }
      rewrite (tower (coupled t) snd real_is_dec (fun c sy => E (pi (fst c)) (fun a => q a sy))
        (proj1 (law_coupled t))).
      apply E_ext_as. generalize (coupled_invariant t); apply as_impl; intros [h [s' y']] [Hrel _]; simpl in *.
      apply E_ext; intros a. symmetry. apply (joint_real Hsim s' (state h) a (fun r s1 => f (s1, r + y')) Hrel).
  Qed.

  (** Given: a model that simulates another with larger rewards.
      Step of: L1/coupling. *)
  Theorem simulated_return_dominates x :
    cdf (return_law M' (of_y_policy simulated)) x <= cdf (return_law M pi) x.
  Proof.
    unfold cdf; rewrite !E_return_law, Hhor.
    pose proof (real_law (horizon M) (fun sy => ind (Rle_dec (snd sy) x))) as Hreal; simpl in Hreal; rewrite Hreal.
    rewrite <- (virtual_law (horizon M) (fun h => ind (Rle_dec (collected h) x))).
    apply E_le_as; [apply law_coupled|]. generalize (coupled_invariant (horizon M)); apply as_impl.
    intros c [_ [Hle _]]. apply ind_le; lra.
  Qed.

  (** It uses listed actions if pi does. *)
  Lemma simulated_allowed (acts : S -> list A) (acts' : S' -> list A) :
    (forall s', In (fallback s') (acts' s')) -> (forall s' s, related s' s -> incl (acts s) (acts' s')) ->
    allowed acts M pi -> allowed acts' M' (of_y_policy simulated).
  Proof.
    intros Hfall Hincl Hal h Hh; unfold of_y_policy, simulated.
    destruct (Req_EM_T _ 0) as [_|_]; [apply as_ret, Hfall|].
    apply as_bind, as_given. generalize (coupled_invariant (time h)); apply as_impl.
    intros c [Hrel [_ Ht]] Hc a p Hin Hp. apply (Hincl (state h) (state (fst c))).
    - rewrite Hc in Hrel; exact Hrel.
    - apply (Hal (fst c) ltac:(lia) a p Hin Hp).
  Qed.
End Simulation.
