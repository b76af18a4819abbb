(** * Costs of steps that may depend on the whole history

    A step from history h with action a costs [cost h a].  Its expected sum along an episode is the mean of the sum over
    the steps made, and it bounds what a value loses along the episode.  ([Telescoping.v] has the case of costs that
    depend on the state, the action and the steps left.) *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp.
Import ListNotations.
Open Scope R_scope.

Section Cost.
  Context {S A : Type}.
  Load "setup/Model".
  Variable cost : history S A -> A -> R.

  (** The costs of the steps of an episode, which are listed latest first. *)
  Fixpoint cost_of_steps (steps : list (S * A * R)) : R :=
    match steps with
    | [] => 0
    | (s, a, _) :: rest => cost (rest, s) a + cost_of_steps rest
    end.

  Section Policy.
    Variable pi : policy S A.
    Hypothesis Hpi : is_policy pi.

    Lemma mean_cost_step t :
      E (history_law M pi (Datatypes.S t)) (fun h => cost_of_steps (fst h)) =
      E (history_law M pi t) (fun h => cost_of_steps (fst h) + E (pi h) (cost h)).
    Proof.
      rewrite E_history_law_S. apply E_ext; intros h. rewrite E_step.
      rewrite (E_ext (pi h) _ (fun a => cost_of_steps (fst h) + cost h a)).
      - rewrite E_plus, E_const by apply Hpi. reflexivity.
      - intros a. rewrite (E_ext _ _ (fun _ => cost_of_steps (fst h) + cost h a));
          [apply E_const; now apply reward_law|].
        intros r. rewrite (E_ext _ _ (fun _ => cost_of_steps (fst h) + cost h a));
          [apply E_const; now apply trans_law|].
        intros s. destruct h as [steps s0]; simpl. ring.
    Qed.

    (** If a value loses at most the cost and w n in a step with n steps left, at every history that can occur, it
        loses at most their sums in an episode. *)
    Theorem telescope_along (occurs : history S A -> Prop) (v : nat -> history S A -> R) (w : nat -> R) :
      (forall t, almost_surely (history_law M pi t) occurs) ->
      (forall n h, (Datatypes.S n + time h = horizon M)%nat -> occurs h ->
         v (Datatypes.S n) h <= E (step M pi h) (v n) + E (pi h) (cost h) + w n) ->
      E (init M) (fun s => v (horizon M) (start s)) <=
      E (history_law M pi (horizon M)) (fun h => v O h + cost_of_steps (fst h)) + sum (seq 0 (horizon M)) w.
    Proof.
      intros Hocc H.
      assert (Hgo : forall t, (t <= horizon M)%nat ->
        E (init M) (fun s => v (horizon M) (start s)) <=
        E (history_law M pi t) (fun h => v (horizon M - t)%nat h + cost_of_steps (fst h)) +
          sum (seq (horizon M - t) t) w).
      { induction t as [|t IH]; intros Ht.
        - rewrite E_history_law_0, Nat.sub_0_r. simpl. right. rewrite Rplus_0_r. apply E_ext; intros s. ring.
        - eapply Rle_trans; [apply IH; lia|]. set (n := (horizon M - Datatypes.S t)%nat).
          replace (horizon M - t)%nat with (Datatypes.S n) by lia. cbn [seq sum].
          rewrite (E_plus (history_law M pi (Datatypes.S t)) (v n)), mean_cost_step.
          assert (Hstep : E (history_law M pi t) (v (Datatypes.S n)) <=
            E (history_law M pi (Datatypes.S t)) (v n) + E (history_law M pi t) (fun h => E (pi h) (cost h)) + w n).
          { rewrite E_history_law_S, <- E_plus.
            rewrite <- (E_const (history_law M pi t) (w n)) by now apply law_history.
            rewrite <- E_plus. apply E_le_as; [now apply law_history|].
            generalize (as_and _ _ _ (history_time M pi t) (Hocc t)); apply as_impl; intros h [Hh Ho].
            apply H; [lia | assumption]. }
          rewrite !E_plus. lra. }
      specialize (Hgo (horizon M) (Nat.le_refl _)). rewrite Nat.sub_diag in Hgo. exact Hgo.
    Qed.

    Theorem telescope_history (v : nat -> history S A -> R) (w : nat -> R) :
      (forall n h, (Datatypes.S n + time h = horizon M)%nat ->
         v (Datatypes.S n) h <= E (step M pi h) (v n) + E (pi h) (cost h) + w n) ->
      E (init M) (fun s => v (horizon M) (start s)) <=
      E (history_law M pi (horizon M)) (fun h => v O h + cost_of_steps (fst h)) + sum (seq 0 (horizon M)) w.
    Proof.
      intros H. apply (telescope_along (fun _ => True)); [intros t; now apply as_always|]. intros n h Hn _. now apply H.
    Qed.
  End Policy.

  (** Costs between 0 and (steps left) + 1 add up to at most T (T + 1) / 2. *)
  Lemma cost_of_range (steps : list (S * A * R)) (n : nat) :
    (forall h a, (time h < n + length steps)%nat -> 0 <= cost h a <= INR (n + length steps - time h)) ->
    0 <= cost_of_steps steps <= INR (length steps) * INR n + INR (length steps) * (INR (length steps) + 1) / 2.
  Proof.
    revert n; induction steps as [|[[s a] r] steps IH]; intros n H; cbn [cost_of_steps length]; [simpl; lra|].
    specialize (IH (Datatypes.S n)). cbn [length] in H.
    assert (Hc := H (steps, s) a ltac:(unfold time; simpl; lia)).
    replace (n + Datatypes.S (length steps) - time (steps, s))%nat with (Datatypes.S n) in Hc
      by (unfold time; simpl; lia).
    assert (Hi : 0 <= cost_of_steps steps <= INR (length steps) * INR (Datatypes.S n) +
      INR (length steps) * (INR (length steps) + 1) / 2).
    { apply IH. intros h b Hh.
      replace (Datatypes.S n + length steps)%nat with (n + Datatypes.S (length steps))%nat in * by lia. now apply H. }
    rewrite !S_INR in *. nra.
  Qed.
End Cost.
