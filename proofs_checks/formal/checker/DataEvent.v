(** * Data from any behaviour: rarely does an outcome's mixture reach C times its likelihood

    Data are transitions ((state, action), (reward, next state)).  Whoever collects them chooses the next state and
    action by any rule, at random or not, that sees all transitions so far: episodes of any lengths, any policies that
    change with the data, any initial states.  Only the outcome is drawn from the law of the state and action.
    [rarely_doubted]: whatever the rule and the number of transitions, with probability at most (number of tests) / C
    some test is doubted at some moment. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Mdp HoeffdingFinite MartingaleStep EventHolds KtRedundancy KlSets
  Ville
  KlEvent.
Import ListNotations.
Open Scope R_scope.

Definition transition : Type := ((positive * Z) * (Z * positive))%type.
Definition asked_dec (x y : positive * Z) : {x = y} + {x <> y}.
Proof. decide equality; [apply Z.eq_dec | apply Pos.eq_dec]. Defined.
Definition drawn_dec (x y : Z * positive) : {x = y} + {x <> y}.
Proof. decide equality; [apply Pos.eq_dec | apply Z.eq_dec]. Defined.

(** How often the pair of a transition led to its outcome, and how often to another one. *)
Fixpoint tally_of (tau : transition) (past : list transition) : nat * nat :=
  match past with
  | [] => (O, O)
  | t :: past' =>
      let (x, b) := tally_of tau past' in
      if asked_dec (fst t) (fst tau) then if drawn_dec (snd t) (snd tau) then (S x, b) else (x, S b) else (x, b)
  end.

Section Event.
  Variable world : positive -> Z -> dist (Z * positive).
  Hypothesis Hworld : forall s i, is_law (world s i).
  Variable ask : list transition -> dist (positive * Z).
  Hypothesis Hask : forall past, is_law (ask past).

  Definition next_transition (past : list transition) : dist transition :=
    bind (ask past) (fun sa => image (pair sa) (world (fst sa) (snd sa))).
  Definition outcome_chance (tau : transition) : R := prob (world (fst (fst tau)) (snd (fst tau))) (fun os =>
    drawn_dec os
    (snd tau)).

  Lemma law_answer past : is_law (next_transition past).
  Proof. apply law_bind; [apply Hask|]. intros sa. apply law_image, Hworld. Qed.
  Lemma chance_range tau : 0 <= outcome_chance tau <= 1.
  Proof. apply prob_range, Hworld. Qed.

  Variable C : R.
  Hypothesis HC : 0 < C.
  Definition doubted_at (tau : transition) (past : list transition) : Prop :=
    C * lik (outcome_chance tau) (fst (tally_of tau past)) (snd (tally_of tau past)) <=
      kt (fst (tally_of tau past)) (snd (tally_of tau past)).
  Let W tau past := wealth C (outcome_chance tau) (tally_of tau past).

  Lemma wealth_step tau past : E (next_transition past) (fun t => W tau (t :: past)) <= W tau past.
  Proof.
    unfold next_transition. rewrite E_bind. apply E_le_const; [apply Hask|]. apply as_always. intros sa. rewrite
      E_image.
    unfold W. cbn [tally_of fst snd]. destruct (tally_of tau past) as [x b]. destruct (asked_dec sa (fst tau)) as
      [->|Hn].
    - set (u := wealth C (outcome_chance tau) (S x, b)). set (v := wealth C (outcome_chance tau) (x, S b)).
      rewrite (E_ext _ _ (fun os => v + (u - v) * ind (drawn_dec os (snd tau))))
        by (intros os; destruct (drawn_dec os (snd tau)); cbn [ind]; fold u v; ring).
      rewrite E_plus, E_const, E_scal by apply Hworld. fold (prob (world (fst (fst tau)) (snd (fst tau)))
        (fun os => drawn_dec os (snd tau))). fold (outcome_chance tau).
      pose proof (wealth_mean C (outcome_chance tau) (chance_range tau) x b) as H. fold u v in H. lra.
    - rewrite E_const by apply Hworld. lra.
  Qed.

  Lemma one_rarely_doubted tau n : prob (process next_transition n)
    (fun path => Exists_dec (doubted_at tau) (moments_of path) (fun past => Rle_dec _ _)) <= / C.
  Proof.
    assert (Hv := ville next_transition law_answer (W tau)
      (fun past => wealth_nonneg C (outcome_chance tau) (chance_range tau) (tally_of tau past) ltac:(lra)) (wealth_step
        tau) C n
        HC).
    assert (H1 : W tau [] = 1).
    { unfold W, wealth. cbn [tally_of fst snd]. assert (Hl : lik (outcome_chance tau) 0 0 = 1) by (unfold lik; simpl;
      ring).
      rewrite Hl, kt_0. destruct (Req_EM_T 1 0); lra. }
    rewrite H1 in Hv. replace (1 / C) with (/ C) in Hv by (field; lra).
    eapply Rle_trans; [|exact Hv]. apply E_le; [apply law_process, law_answer|]. intros path. apply ind_le. intros H.
    apply Exists_exists in H. destruct H as [past [Hin Hd]]. apply Exists_exists. exists past. split; [assumption|].
    unfold doubted_at in Hd. unfold W, wealth.
    destruct (Req_EM_T (lik (outcome_chance tau) _ _) 0) as [_|Hl]; [lra|].
    pose proof (lik_nonneg (outcome_chance tau) (fst (tally_of tau past)) (snd (tally_of tau past)) (chance_range
      tau)) as
      Hn.
    apply (Rmult_le_reg_r (lik (outcome_chance tau) (fst (tally_of tau past)) (snd (tally_of tau past)))); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by assumption. lra.
  Qed.

  Variable tests : list transition.
  Definition misled_by_data (past : list transition) : Prop := Exists (fun tau => doubted_at tau past) tests.
  Definition misled_sometime (path : list transition) : {Exists misled_by_data (moments_of path)} +
    {~ Exists misled_by_data (moments_of path)} :=
    Exists_dec misled_by_data (moments_of path) (fun past => Exists_dec _ tests (fun tau => Rle_dec _ _)).

  (** Given: any rule that chooses what is asked, any laws of outcomes, any list of tests, any number of transitions.
      Differs: the event, for data that are given.
      In words: 10-kl-learner.md#kl-ville.
      Step of: production/proved. *)
  Theorem rarely_doubted n : prob (process next_transition n) misled_sometime <= INR (length tests) / C.
  Proof.
    pose (P := fun tau path => Exists (doubted_at tau) (moments_of path)).
    pose (dec := fun tau path => Exists_dec (doubted_at tau) (moments_of path) (fun past => Rle_dec _ _) :
      {P tau path} + {~ P tau path}).
    pose proof (prob_exists_le (process next_transition n) P dec tests ltac:(apply law_process, law_answer)) as Hu.
    apply Rle_trans with (sum tests (fun tau => prob (process next_transition n) (dec tau))).
    - eapply Rle_trans; [|exact Hu]. apply E_le; [apply law_process, law_answer|]. intros path. apply ind_le. intros H.
      apply Exists_exists in H; destruct H as [past [Hin H]]. apply Exists_exists in H; destruct H as [tau [Ht Hd]].
      apply Exists_exists; exists tau; split; [assumption|]. apply Exists_exists; now exists past.
    - unfold Rdiv. rewrite <- sum_const. apply sum_le; intros tau Ht. apply one_rarely_doubted.
  Qed.

  Lemma not_misled_covered past tau : ~ misled_by_data past -> In tau tests ->
    kt_covered C (fst (tally_of tau past)) (snd (tally_of tau past)) (outcome_chance tau).
  Proof. intros Hn Ht. apply Rnot_le_lt. intros Hd. apply Hn, Exists_exists. now exists tau. Qed.
End Event.
