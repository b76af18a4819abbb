(** * Rewards that depend on the step, and discounts, as the learner treats them

    In an outcome model the pair (s, a) has a law of outcomes (r, s'), reward and next state together, and the reward of
    the t-th step counts with weight w_t (a discount, or 1).  The carrying model has states (t, (s, r)): the time, the
    state and the reward still to be paid.  It pays w_t r one step later, so that its rewards are known, and has T + 1
    steps; its last transition is a formality.

    - An episode of the carrying model is the episode of the outcome model, read through [carry], and its return is the
      weighted return; every policy of either is one of the other.  So values and optima agree.
    - All carried rewards and times of a pair (s, a) are one class ([KlRadii.v]): counts are those of (s, a), and
    nothing is
      paid for the rewards.

    Hence the theorems of [KlRegret.v] hold for outcome models. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp DynamicProgramming BestRow KlBeliefs
  KlRadii.
Import ListNotations.
Open Scope R_scope.

Record outcome_model (S A : Type) : Type := {
  o_horizon : nat;
  o_init : dist S;
  o_law : S -> A -> dist (R * S)
}.
Arguments o_horizon {S A} _.
Arguments o_init {S A} _.
Arguments o_law {S A} _ _ _.

Section Carried.
  Context {S A : Type}.
  Variable O : outcome_model S A.
  Variable w : nat -> R.
  Local Notation T := (o_horizon O).

  Record is_outcome_model : Prop := {
    o_init_law : is_law (o_init O);
    o_law_law : forall s a, is_law (o_law O s a);
    o_rewards : forall s a, almost_surely (o_law O s a) (fun o => 0 <= fst o <= 1);
    o_weights : forall t, 0 <= w t <= 1
  }.
  Hypothesis HO : is_outcome_model.

  (** ** Episodes of an outcome model; policies see the same histories as those of an MDP *)

  Definition o_step (pi : policy S A) (h : history S A) : dist (history S A) :=
    bind (pi h) (fun a => image (fun o => extend h a (fst o) (snd o)) (o_law O (state h) a)).
  Fixpoint o_history (pi : policy S A) (t : nat) : dist (history S A) :=
    match t with
    | Datatypes.O => image start (o_init O)
    | Datatypes.S t' => bind (o_history pi t') (o_step pi)
    end.

  (** The weighted return; steps are listed latest first, the first step has weight w 1. *)
  Fixpoint weighted (steps : list (S * A * R)) : R :=
    match steps with
    | [] => 0
    | (_, _, r) :: rest => w (Datatypes.S (length rest)) * r + weighted rest
    end.
  Definition o_return (pi : policy S A) : dist R := image (fun h => weighted (fst h)) (o_history pi T).

  Lemma law_o_history pi t : is_policy pi -> is_law (o_history pi t).
  Proof.
    intros Hpi; induction t as [|t IH]; simpl; [apply law_image, HO|]. apply law_bind; [assumption|]. intros h.
    apply law_bind; [apply Hpi|]. intros a. apply law_image, HO.
  Qed.

  Lemma law_o_return pi : is_policy pi -> is_law (o_return pi).
  Proof. intros Hpi. now apply law_image, law_o_history. Qed.

  Lemma o_history_good pi t :
    almost_surely (o_history pi t) (fun h => time h = t /\ List.Forall (fun step => 0 <= snd step <= 1) (fst h)).
  Proof.
    induction t as [|t IH]; simpl; [apply as_image, as_always; intros s; split; [reflexivity | constructor]|].
    apply as_bind; revert IH; apply as_impl; intros h [Hh Hr]. apply as_bind, as_always; intros a. apply as_image.
    generalize (o_rewards HO (state h) a); apply as_impl; intros o Ho.
    split; [now rewrite time_extend, Hh | now constructor].
  Qed.

  (** ** The carrying model *)

  Definition carrier : Type := (nat * (S * R))%type.
  Definition unit_clip (r : R) : R := Rmax 0 (Rmin 1 r).
  Definition pay (c : carrier) : R := w (fst c) * unit_clip (snd (snd c)).
  Variable rest : S.   (* where an episode that is over stays *)

  Definition carried : mdp carrier A := {|
    horizon := Datatypes.S T;
    init := image (fun s => (Datatypes.O, (s, 0))) (o_init O);
    trans := fun c a => if lt_dec (fst c) T
                        then image (fun o => (Datatypes.S (fst c), (snd o, fst o))) (o_law O (fst (snd c)) a)
                        else ret (Datatypes.S (fst c), (rest, 0));
    reward := fun c _ => ret (pay c)
  |}.

  Lemma is_mdp_carried : is_mdp carried.
  Proof.
    split; simpl.
    - apply law_image, HO.
    - intros c a. destruct (lt_dec (fst c) T); [apply law_image, HO | apply law_ret].
    - intros c a. apply law_ret.
  Qed.

  Lemma unit_clip_range r : 0 <= unit_clip r <= 1.
  Proof. unfold unit_clip, Rmax, Rmin; repeat destruct Rle_dec; lra. Qed.

  Lemma unit_clip_id r : 0 <= r <= 1 -> unit_clip r = r.
  Proof. intros H; unfold unit_clip. rewrite Rmin_right, Rmax_right; lra. Qed.

  Lemma carried_rewards_within : rewards_within 1 carried.
  Proof.
    intros c a. apply as_ret. pose proof (unit_clip_range (snd (snd c))). pose proof (o_weights HO (fst c)). unfold pay.
    nra.
  Qed.

  (** ** Reading a history as a carried one, and back *)

  Definition cstate (steps : list (S * A * R)) (s : S) : carrier :=
    match steps with
    | [] => (Datatypes.O, (s, 0))
    | (_, _, r) :: _ => (length steps, (s, r))
    end.
  Fixpoint carry_steps (steps : list (S * A * R)) : list (carrier * A * R) :=
    match steps with
    | [] => []
    | (s, a, _) :: rest' => (cstate rest' s, a, pay (cstate rest' s)) :: carry_steps rest'
    end.
  Definition carry (h : history S A) : history carrier A := (carry_steps (fst h), cstate (fst h) (snd h)).

  Fixpoint uncarry_steps (steps : list (carrier * A * R)) (c : carrier) : list (S * A * R) :=
    match steps with
    | [] => []
    | (c0, a, _) :: rest' => (fst (snd c0), a, snd (snd c)) :: uncarry_steps rest' c0
    end.
  Definition uncarry (g : history carrier A) : history S A := (uncarry_steps (fst g) (snd g), fst (snd (snd g))).

  Lemma cstate_time steps s : fst (cstate steps s) = length steps.
  Proof. destruct steps as [|[[s0 a] r] steps]; reflexivity. Qed.

  Lemma cstate_state steps s : fst (snd (cstate steps s)) = s.
  Proof. destruct steps as [|[[s0 a] r] steps]; reflexivity. Qed.

  Lemma time_carry h : time (carry h) = time h.
  Proof.
    destruct h as [steps s]; unfold time, carry; simpl.
    induction steps as [|[[s0 a] r] steps IH]; simpl; [reflexivity | now rewrite IH].
  Qed.

  Lemma uncarry_carry h : uncarry (carry h) = h.
  Proof.
    destruct h as [steps s]; unfold uncarry, carry; simpl. rewrite cstate_state. f_equal. revert s.
    induction steps as [|[[s0 a] r] steps IH]; intros s; [reflexivity|]. cbn [carry_steps uncarry_steps].
    rewrite cstate_state, IH. reflexivity.
  Qed.

  Lemma time_uncarry g : time (uncarry g) = time g.
  Proof.
    destruct g as [steps c]; unfold time, uncarry; simpl.
    revert c; induction steps as [|[[c0 a] r] steps IH]; intros c; simpl; [reflexivity | now rewrite IH].
  Qed.

  (** What is still to be paid and what was paid make up the weighted return. *)
  Lemma collected_carry steps s :
    List.Forall (fun step => 0 <= snd step <= 1) steps ->
      pay (cstate steps s) + collected (carry (steps, s)) = weighted steps.
  Proof.
    intros H; revert s; induction H as [|[[s0 a] r] steps Hr _ IH]; intros s.
    - unfold pay, collected, carry; simpl. rewrite unit_clip_id by lra. ring.
    - specialize (IH s0). unfold carry, collected in *. cbn [fst carry_steps fold_right snd weighted] in *.
      rewrite <- IH.
      unfold pay at 1. cbn [cstate fst snd length]. simpl in Hr. rewrite unit_clip_id by assumption. ring.
  Qed.

  (** ** The laws agree *)

  Definition play (pi : policy carrier A) : policy S A := fun h => pi (carry h).

  Theorem carried_law pi t f : (t <= T)%nat ->
    E (history_law carried pi t) f = E (o_history (play pi) t) (fun h => f (carry h)).
  Proof.
    revert f; induction t as [|t IH]; intros f Ht.
    - rewrite E_history_law_0. simpl. rewrite !E_image. reflexivity.
    - rewrite E_history_law_S, (IH _ ltac:(lia)). simpl o_history. rewrite E_bind. apply E_ext_as.
      generalize (o_history_good (play pi) t); apply as_impl; intros h [Hh _].
      rewrite E_step. unfold o_step. rewrite E_bind. apply E_ext; intros a. rewrite E_image.
      cbn [reward carried]. rewrite E_ret. cbn [trans carried]. change (state (carry h)) with (cstate (fst h) (snd h)).
      unfold time in Hh. rewrite cstate_time, cstate_state, Hh. destruct (lt_dec t T); [|lia].
      rewrite E_image. apply E_ext; intros o. unfold carry, extend, state. cbn [fst snd carry_steps cstate length].
      now rewrite Hh.
  Qed.

  Definition finish (h : history S A) (a : A) : history carrier A :=
    extend (carry h) a (pay (state (carry h))) (Datatypes.S T, (rest, 0)).

  (** A whole episode: the learner's data are a function of the outcome model's episode (and of an idle action).
      Given: as carried_optimum.
      Differs: the law of an episode.
      In words: 10-kl-learner.md#kl-carried.
      Step of: corrected/ii. *)
  Theorem carried_episode pi f :
    E (history_law carried pi (horizon carried)) f =
    E (o_history (play pi) T) (fun h => E (play pi h) (fun a => f (finish h a))).
  Proof.
    cbn [horizon carried]. rewrite E_history_law_S, carried_law by lia. apply E_ext_as.
    generalize (o_history_good (play pi) T); apply as_impl; intros h [Hh _].
    rewrite E_step. apply E_ext; intros a. cbn [reward carried]. rewrite E_ret. cbn [trans carried].
    unfold finish. change (state (carry h)) with (cstate (fst h) (snd h)). unfold time in Hh.
    rewrite cstate_time, Hh. destruct (lt_dec T T); [lia|]. now rewrite E_ret.
  Qed.

  Theorem carried_return pi f : is_policy pi -> E (return_law carried pi) f = E (o_return (play pi)) f.
  Proof.
    intros Hpi. rewrite E_return_law, carried_episode. unfold o_return. rewrite E_image. apply E_ext_as.
    generalize (o_history_good (play pi) T); apply as_impl; intros h [_ Hr].
    rewrite (E_ext _ _ (fun _ => f (weighted (fst h)))); [apply E_const, Hpi|]. intros a. unfold finish.
    rewrite collected_extend.
    f_equal. destruct h as [steps s]. now apply collected_carry.
  Qed.

  (** ** Policies and optima agree *)

  Variable acts : S -> list A.
  Variable idle : S -> A.
  Hypothesis Hidle : forall s, In (idle s) (acts s).

  Definition carried_acts (c : carrier) : list A := acts (fst (snd c)).
  Definition o_allowed (pi : policy S A) : Prop :=
    forall h, (time h < T)%nat -> almost_surely (pi h) (fun a => In a (acts (state h))).

  Definition carried_policy (pi : policy S A) : policy carrier A := fun g =>
    if lt_dec (time g) T then pi (uncarry g) else ret (idle (fst (snd (state g)))).

  Lemma play_allowed pi : allowed carried_acts carried pi -> o_allowed (play pi).
  Proof.
    intros Hal h Hh. assert (Ht : (time (carry h) < horizon carried)%nat) by (rewrite time_carry; simpl; lia).
    generalize (Hal (carry h) Ht); apply as_impl; intros a Ha.
    unfold carried_acts, state, carry in Ha. cbn [snd] in Ha. rewrite cstate_state in Ha. exact Ha.
  Qed.

  Lemma lift_policy pi : is_policy pi -> is_policy (carried_policy pi).
  Proof. intros Hpi g. unfold carried_policy. destruct (lt_dec (time g) T); [apply Hpi | apply law_ret]. Qed.

  Lemma lift_allowed pi : o_allowed pi -> allowed carried_acts carried (carried_policy pi).
  Proof.
    intros Hal g _. unfold carried_policy. destruct (lt_dec (time g) T) as [Hg|Hg].
    - assert (Ht : (time (uncarry g) < T)%nat) by now rewrite time_uncarry. exact (Hal (uncarry g) Ht).
    - apply as_ret. apply Hidle.
  Qed.

  Lemma play_lift pi t f : (t <= T)%nat -> E (o_history (play (carried_policy pi)) t) f = E (o_history pi t) f.
  Proof.
    revert f; induction t as [|t IH]; intros f Ht; [reflexivity|]. simpl. rewrite !E_bind, IH by lia. apply E_ext_as.
    generalize (o_history_good pi t); apply as_impl; intros h [Hh _]. unfold o_step. rewrite !E_bind.
    assert (Hp : play (carried_policy pi) h = pi h); [|now rewrite Hp].
    unfold play, carried_policy. rewrite time_carry, uncarry_carry, Hh. destruct (lt_dec t T); [reflexivity | lia].
  Qed.

  Variable G : R -> R.
  Hypothesis HG : weighting G.

  Theorem carried_value pi : is_policy pi -> value G carried pi = Phi G (o_return (play pi)).
  Proof.
    intros Hpi. apply Phi_of_same_expectations; [assumption | now apply law_return; [apply is_mdp_carried|] | |].
    - apply law_o_return. intros h; apply Hpi.
    - intros f. now apply carried_return.
  Qed.

  (** Given: any outcome model with finite laws and weights in [0, 1].
      Differs: values of the outcome model and of the carrying model.
      In words: 10-kl-learner.md#kl-carried.
      Step of: corrected/ii. *)
  Theorem carried_optimum x :
    (exists pi, is_policy pi /\ o_allowed pi /\ x = Phi G (o_return pi)) <->
    (exists pi, is_policy pi /\ allowed carried_acts carried pi /\ x = value G carried pi).
  Proof.
    split; intros [pi [Hpi [Hal ->]]].
    - exists (carried_policy pi). split; [now apply lift_policy|]. split; [now apply lift_allowed|].
      rewrite carried_value by now apply lift_policy.
      apply Phi_of_same_expectations; [assumption | now apply law_o_return | |].
      + apply law_o_return. intros h; now apply lift_policy.
      + intros f. unfold o_return. rewrite !E_image. symmetry. now apply play_lift.
    - exists (play pi). split; [intros h; apply Hpi|]. split; [now apply play_allowed | now apply carried_value].
  Qed.

  (** ** What the learner may take as known, and which pairs share their counts *)

  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Variable outs : S -> A -> list (R * S).
  Hypothesis Houts : forall s a, In a (acts s) -> NoDup (outs s a) /\
    almost_surely (o_law O s a) (fun o => In o (outs s a)).

  Definition carried_label (c : carrier) : S * R := snd c.
  Definition carried_label_dec (x y : S * R) : {x = y} + {x <> y}.
  Proof. decide equality. apply Req_EM_T. Defined.
  Definition carried_key (c : carrier) (a : A) : option (S * A) := if lt_dec (fst c) T then Some (fst (snd c), a)
    else None.

  Definition carried_knowledge : knowledge carrier A := {|
    successors := fun c a => if lt_dec (fst c) T
                             then map (fun o => (Datatypes.S (fst c), (snd o, fst o))) (outs (fst (snd c)) a)
                             else [(Datatypes.S (fst c), (rest, 0))];
    atoms := fun c _ => [pay c];
    known_law := fun c _ => Some (ret (pay c))
  |}.

  Theorem carried_knows : knows carried_acts carried_knowledge carried.
  Proof.
    split.
    - intros c a Ha. simpl. destruct (lt_dec (fst c) T); [|repeat constructor; intros []].
      apply FinFun.Injective_map_NoDup; [|now apply Houts]. intros [r s] [r' s'] H. now injection H as -> ->.
    - intros c a Ha. simpl. destruct (lt_dec (fst c) T); [|apply as_ret; now left].
      apply as_image. destruct (Houts (fst (snd c)) a Ha) as [_ Ho]. revert Ho; apply as_impl; intros o Ho.
      apply in_map_iff. now exists o.
    - intros c a _. simpl. apply as_ret. now left.
    - intros c a d _ H x. simpl in H. injection H as <-. reflexivity.
  Qed.

  Theorem carried_labels c a c1 c2 :
    In a (carried_acts c) -> In c1 (successors carried_knowledge c a) -> In c2 (successors carried_knowledge c a) ->
    carried_label c1 = carried_label c2 -> c1 = c2.
  Proof.
    intros _ H1 H2 Hl. simpl in *. destruct (lt_dec (fst c) T).
    - apply in_map_iff in H1, H2. destruct H1 as [o1 [<- _]], H2 as [o2 [<- _]]. unfold carried_label in Hl.
      simpl in Hl. now rewrite Hl.
    - destruct H1 as [<-|[]], H2 as [<-|[]]. reflexivity.
  Qed.

  Theorem carried_shares (pairs : list (S * A)) :
    (1 <= T)%nat ->
    shares carried_label carried_label_dec carried_key (map Some pairs ++ [None]) (fun _ => Datatypes.O)
      (fun _ _ _ => 0) carried
      (fun k l => match k with
                  | Some (s, a) => E (o_law O s a) (fun o => ind (carried_label_dec (snd o, fst o) l))
                  | None => ind (carried_label_dec (rest, 0) l)
                  end) (fun _ _ => 0).
  Proof.
    intros HT. split.
    - intros c a l. cbn [trans carried]. unfold carried_key.
      destruct (lt_dec (fst c) T); [rewrite E_image | rewrite E_ret]; reflexivity.
    - intros c a i Hi. lia.
    - intros k Hk. apply in_app_or in Hk. destruct Hk as [Hk|[<-|[]]].
      + apply in_map_iff in Hk. destruct Hk as [[s a] [<- _]]. exists (Datatypes.O, (s, 0)), a. unfold carried_key.
        simpl.
        destruct (lt_dec 0 T); [reflexivity | lia].
      + exists (T, (rest, 0)), (idle rest). unfold carried_key. simpl. destruct (lt_dec T T); [lia | reflexivity].
  Qed.
End Carried.
