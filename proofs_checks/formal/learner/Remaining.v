(** * Costs with what can still be earned      (discounts)

    Let [top n s] bound what the optimistic recursion can pay from state s with n steps left.  Then the optimistic value
    spreads over successors with top at most m by at most L m, and a step may be charged  m miss + gap  in place of  n
    miss + gap. In the carrying model of [Carried.v] this is  M_t miss,  M_t the sum of the weights that are still to
    come. *)

Require Import Reals Lra Lia Psatz List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp SupportingUtility DynamicProgramming HistoryCost BestRow
  KlBeliefs Carried.
Import ListNotations.
Open Scope R_scope.

Section Top.
  Context {S A : Type}.
  Load "setup/Successors".
  Variable b : beliefs S A.
  Hypothesis Hb : proper succ b.
  Variables (h : R -> R) (L : R).
  Hypothesis HL : 0 <= L.
  Hypothesis Hh : is_utility L h.
  Variable top : nat -> S -> R.
  Hypothesis Htop0 : forall s, 0 <= top 0 s.
  Hypothesis Htop : forall n s a s', In a (acts s) -> In s' (succ s a) ->
    almost_surely (hat b s a) (fun r => r + top n s' <= top (Datatypes.S n) s).

  Lemma Vhat_le_top n s y : Vhat acts succ b h n s y <= h (y + top n s).
  Proof.
    revert s y; induction n as [|n IH]; intros s y; cbn [Vhat];
      [pose proof (Hh y (y + top 0 s) ltac:(pose proof (Htop0 s); lra)); lra|].
    destruct (max_over_attained (backup_hat succ b (Vhat acts succ b h n) s y) (acts s) (Hacts s)) as [a [Ha ->]].
    unfold backup_hat.
    assert (Hall : forall l : list S, incl l (succ s a) ->
      almost_surely (hat b s a) (fun r => forall s', In s' l -> r + top n s' <= top (Datatypes.S n) s)).
    { induction l as [|s' l IHl]; intros Hi; [apply as_always; intros r s' []|].
      pose proof (as_and _ _ _ (Htop n s a s' Ha (Hi s' (or_introl eq_refl))) (IHl (fun x Hx => Hi x (or_intror Hx))))
        as H.
      revert H; apply as_impl; intros r [H1 H2] s1 [<-|Hs1]; [assumption | now apply H2]. }
    apply E_le_const; [apply (hat_law succ b Hb)|].
    generalize (Hall (succ s a) (incl_refl _)); apply as_impl; intros r Hr.
    assert (Hle : forall s', In s' (succ s a) -> Vhat acts succ b h n s' (r + y) <= h (y + top (Datatypes.S n) s)).
    { intros s' Hs'. eapply Rle_trans; [apply IH|]. specialize (Hr s' Hs').
      pose proof (Hh (r + y + top n s') (y + top (Datatypes.S n) s) ltac:(lra)). lra. }
    unfold row_max. destruct (max_over_attained (fun s' => Vhat acts succ b h n s' (r + y)) (succ s a) (Hsucc s a))
      as [s0 [H0 ->]].
    assert (Hsum : sum (succ s a) (fun s' => low b s a s' * Vhat acts succ b h n s' (r + y)) <=
                   sum (succ s a) (low b s a) * h (y + top (Datatypes.S n) s)).
    { rewrite Rmult_comm, <- sum_scal. apply sum_le; intros s' Hs'. pose proof (low_nonneg succ b Hb s a s').
      specialize (Hle s' Hs'). nra. }
    pose proof (Hle s0 H0). pose proof (miss_nonneg succ b Hb s a). unfold miss in *. nra.
  Qed.

  Lemma spread_le_top n s y a m : 0 <= m -> (forall s', In s' (succ s a) -> top n s' <= m) ->
    spread acts succ b h n s y a <= L * m.
  Proof.
    intros Hm0 Hm. apply E_le_const; [apply (hat_law succ b Hb)|]. apply as_always; intros r.
    destruct (max_over_attained (fun s' => Vhat acts succ b h n s' (r + y)) (succ s a) (Hsucc s a)) as [s1 [H1 ->]].
    destruct (min_over_attained (fun s' => Vhat acts succ b h n s' (r + y)) (succ s a) (Hsucc s a)) as [s2 [_ ->]].
    pose proof (Vhat_le_top n s1 (r + y)) as Hup.
    pose proof (Vhat_between acts Hacts succ Hsucc b h Hb L Hh n s2 (r + y)) as [Hlow _].
    specialize (Hm s1 H1). pose proof (Hh (r + y) (r + y + m) ltac:(lra)).
    pose proof (Rle_dec (r + y + top n s1) (r + y + m)).
    assert (h (r + y + top n s1) <= h (r + y + m)) by (pose proof (Hh (r + y + top n s1) (r + y + m) ltac:(lra)); lra).
    replace (r + y + m - (r + y)) with m in * by ring. lra.
  Qed.

  (** [most n s a] bounds what the successors can still earn. *)
  Variable most : nat -> S -> A -> R.
  Hypothesis Hmost0 : forall n s a, 0 <= most n s a.
  Hypothesis Hmost : forall n s a s', In a (acts s) -> In s' (succ s a) -> top n s' <= most n s a.
  Variable M : mdp S A.

  Definition top_cost (g : history S A) (a : A) : R :=
    most (horizon M - Datatypes.S (time g)) (state g) a * miss succ b (state g) a + gap b (state g) a.

  Theorem top_cost_pays : pays acts succ b h L M top_cost.
  Proof.
    intros g n a Hn Ha. unfold top_cost. replace (horizon M - Datatypes.S (time g))%nat with n by lia.
    pose proof (spread_le_top n (state g) (collected g) a (most n (state g) a) (Hmost0 _ _ _)
      (fun s' Hs' => Hmost n (state g) a s' Ha Hs')).
    pose proof (miss_nonneg succ b Hb (state g) a). nra.
  Qed.
End Top.

(** ** The carrying model: the weights that are still to come *)

Section Weights.
  Context {S A : Type}.
  Variables (O : outcome_model S A) (w : nat -> R) (rest : S) (acts : S -> list A) (outs : S -> A -> list (R * S)).
  Hypothesis HO : is_outcome_model O w.

  (** w_t + ... + w_{t+n-1}: what a state with clock t can pay in n steps, its carried reward first. *)
  Fixpoint to_come (n t : nat) : R := match n
    with Datatypes.O => 0 | Datatypes.S n' => w t + to_come n' (Datatypes.S t) end.

  Lemma to_come_range n t : 0 <= to_come n t <= INR n.
  Proof.
    revert t; induction n as [|n IH]; intros t; cbn [to_come]; [simpl; lra|]. rewrite S_INR.
    specialize (IH (Datatypes.S t)).
    pose proof (o_weights O w HO t). lra.
  Qed.

  Variable b : beliefs (@carrier S) A.
  Local Notation k := (carried_knowledge O w rest outs).
  Local Notation succ := (successors k).
  Hypothesis Hb : proper succ b.
  Hypothesis Hknown : forall c a, hat b c a = ret (pay w c) /\ chk b c a = ret (pay w c).
  Hypothesis Hacts : forall s, acts s <> [].
  Hypothesis Houts : forall s a, outs s a <> [].
  Variables (h : R -> R) (L : R).
  Hypothesis HL : 0 <= L.
  Hypothesis Hh : is_utility L h.

  (** A step at time t of the outcome model costs (w_{t+1} + ... + w_T) times the missing mass. *)
  Definition weighted_cost (g : history (@carrier S) A) (a : A) : R :=
    to_come (horizon (carried O w rest) - Datatypes.S (time g)) (Datatypes.S (fst (state g))) * miss succ b
      (state g) a + gap b (state g) a.

  Lemma successor_clock c a c' : In c' (succ c a) -> fst c' = Datatypes.S (fst c).
  Proof.
    simpl. destruct (lt_dec (fst c) (o_horizon O)); intros Hin.
    - apply in_map_iff in Hin. destruct Hin as [o [<- _]]. reflexivity.
    - destruct Hin as [<-|[]]. reflexivity.
  Qed.

  Theorem weighted_cost_pays : pays (carried_acts acts) succ b h L (carried O w rest) weighted_cost.
  Proof.
    apply (top_cost_pays (carried_acts acts) (fun c => Hacts (fst (snd c))) succ) with
      (top := fun n c => to_come n (fst c)) (most := fun n c _ => to_come n (Datatypes.S (fst c))); auto.
    - intros c a. simpl. destruct (lt_dec (fst c) (o_horizon O)); [|discriminate]. intros H.
      apply (Houts (fst (snd c)) a).
      destruct (outs (fst (snd c)) a); [reflexivity | discriminate].
    - intros c. simpl. lra.
    - intros n c a c' _ Hc'. rewrite (proj1 (Hknown c a)). apply as_ret. rewrite (successor_clock c a c' Hc').
      cbn [to_come].
      apply Rplus_le_compat_r. unfold pay. pose proof (unit_clip_range (snd (snd c))).
      pose proof (o_weights O w HO (fst c)). nra.
    - intros n c _. apply to_come_range.
    - intros n c a c' _ Hc'. rewrite (successor_clock c a c' Hc'). lra.
  Qed.

  Lemma weighted_cost_range g a : (time g < horizon (carried O w rest))%nat ->
    0 <= weighted_cost g a <= INR (horizon (carried O w rest) - time g).
  Proof.
    intros Hg. unfold weighted_cost. set (n := (horizon (carried O w rest) - Datatypes.S (time g))%nat).
    replace (horizon (carried O w rest) - time g)%nat with (Datatypes.S n) by lia. rewrite S_INR.
    pose proof (to_come_range n (Datatypes.S (fst (state g)))). pose proof (miss_nonneg succ b Hb (state g) a).
    pose proof (miss_le_1 succ b Hb (state g) a). pose proof (gap_range succ b Hb (state g) a). nra.
  Qed.
End Weights.
