(** * The history measure, the return from step t, and the distributional Bellman equation

    (paper: def:history, def:history/episode, def:return, def:bellman)

      P(xi o (a, r, s'))  =  P(xi) pi(a | xi) R(s, a)(r) P(s' | s, a)                the measure, step by step;
      Z  =  J(xi_{T+1})  =  y_t + Z_t                                              the return is read off the episode;
      F_{Z_t(xi)}(x)  =  sum_a pi(a | xi) sum_{s'} P(s' | s, a)
                         integral F_{Z_{t+1}(xi o (a, r, s'))}(x - r) dR(s, a)(r).

    Z_t(xi) is the conditional law, given that the episode begins with xi, of the rewards after xi. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp.
Import ListNotations.
Open Scope R_scope.

Section Histories.
  Context {S A : Type}.

  (** The history [n] steps earlier. *)
  Fixpoint before (n : nat) (h : history S A) : history S A :=
    match n with
    | O => h
    | Datatypes.S n' => match fst h with [] => h | (s, _, _) :: rest => before n' (rest, s) end
    end.

  Lemma before_extend n h a r s : before (Datatypes.S n) (extend h a r s) = before n h.
  Proof. destruct h as [steps s0]; reflexivity. Qed.

  Lemma before_one_more n h : before (Datatypes.S n) h = before 1 (before n h).
  Proof.
    revert h; induction n as [|n IH]; intros [steps s]; [reflexivity|].
    destruct steps as [|[[s0 a] r] rest]; [reflexivity|].
    change (before (Datatypes.S n) (rest, s0) = before 1 (before n (rest, s0))). apply IH.
  Qed.

  (** The rewards of the latest [n] steps. *)
  Definition latest (n : nat) (h : history S A) : R := fold_right (fun step y => snd step + y) 0 (firstn n (fst h)).

  (** ** The return *)

  (** y_t + Z_t = Z: what was collected before the latest [n] steps, and in them.
      Given: every history, any number n of latest steps.
      Differs: path by path, hence in law. *)
  Theorem return_is_before_and_after n (h : history S A) : collected h = collected (before n h) + latest n h.
  Proof.
    revert h; induction n as [|n IH]; intros [steps s]; [unfold latest; simpl; ring|].
    destruct steps as [|[[s0 a] r] rest]; [unfold latest; simpl; ring|].
    change (r + collected (rest, s0) = collected (before n (rest, s0)) + (r + latest n (rest, s0))).
    rewrite (IH (rest, s0)). ring.
  Qed.

  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Variable action_dec : forall a a' : A, {a = a'} + {a <> a'}.

  Definition step_dec (x y : S * A * R) : {x = y} + {x <> y}.
  Proof. decide equality; [apply Req_EM_T | decide equality]. Defined.

  Definition history_dec (h h' : history S A) : {h = h'} + {h <> h'}.
  Proof. decide equality. apply list_eq_dec, step_dec. Defined.

  Load "setup/Policy".

  Local Notation P t := (mass history_dec (history_law M pi t)).

  Lemma extend_iff (h : history S A) a r s h' a' r' s' : extend h' a' r' s' = extend h a r s <-> h' = h /\ a' = a /\
    r' = r /\ s' = s.
  Proof.
    destruct h as [l s0], h' as [l' s0']; unfold extend, state; simpl. split.
    - intros H; injection H as -> -> -> -> ->; auto.
    - intros [H [-> [-> ->]]]; injection H as -> ->; reflexivity.
  Qed.

  (** The measure of the paper: mass one, and one factor for each draw of a step.
      Given: any MDP with finite laws, any randomised history-dependent policy; equality of states and of actions
      decidable.
      Differs: mass one, and one factor for each draw. *)
  Theorem history_measure t :
    is_law (history_law M pi t) /\
    forall h a r s, P (Datatypes.S t) (extend h a r s) =
      P t h * mass action_dec (pi h) a * mass Req_EM_T (reward M (state h) a) r * mass state_dec
        (trans M (state h) a) s.
  Proof.
    split; [now apply law_history|]. intros h a r s. unfold mass at 1. rewrite E_history_law_S.
    rewrite (E_ext _ _ (fun h' => ind (history_dec h' h) * (mass action_dec (pi h) a *
      mass Req_EM_T (reward M (state h) a) r * mass state_dec (trans M (state h) a) s))).
    - rewrite E_scal_r. fold (P t h). ring.
    - intros h'. rewrite E_step. destruct (history_dec h' h) as [->|Hne]; simpl ind.
      + rewrite Rmult_1_l. unfold mass at 1. rewrite Rmult_assoc, <- E_scal_r. apply E_ext; intros a'.
        destruct (action_dec a' a) as [->|Ha]; simpl ind.
        * rewrite Rmult_1_l. unfold mass at 1. rewrite <- E_scal_r. apply E_ext; intros r'.
          destruct (Req_EM_T r' r) as [->|Hr]; simpl ind.
          -- rewrite Rmult_1_l. apply E_ext; intros s'. apply ind_iff. rewrite extend_iff; tauto.
          -- rewrite Rmult_0_l, <- (E_zero (trans M (state h) a)). apply E_ext; intros s'.
             apply ind_no; rewrite extend_iff; tauto.
        * rewrite Rmult_0_l, <- (E_zero (reward M (state h) a')). apply E_ext; intros r'.
          rewrite <- (E_zero (trans M (state h) a')). apply E_ext; intros s'. apply ind_no; rewrite extend_iff; tauto.
      + rewrite Rmult_0_l, <- (E_zero (pi h')). apply E_ext; intros a'. rewrite <- (E_zero (reward M (state h') a')).
        apply E_ext; intros r'. rewrite <- (E_zero (trans M (state h') a')). apply E_ext; intros s'.
        apply ind_no; rewrite extend_iff; tauto.
  Qed.

  (** The return is the reward recorded in the episode of T steps.
      Given: any MDP with finite laws, any policy. *)
  Theorem return_is_recorded x :
    prob (history_law M pi (horizon M)) (fun h => Rle_dec (collected h) x) = cdf (return_law M pi) x /\
    almost_surely (history_law M pi (horizon M)) (fun h => time h = horizon M).
  Proof. split; [unfold cdf; now rewrite E_return_law | apply history_time]. Qed.

  (** ** Conditioning on the beginning of the episode *)

  Definition begins_dec (n : nat) (h h' : history S A) : {before n h' = h} + {before n h' <> h} :=
    history_dec (before n h') h.

  Lemma run_begins n h : almost_surely (run M pi n h) (fun h' => before n h' = h).
  Proof.
    revert h; induction n as [|n IH]; intros h; cbn [run]; [now apply as_ret|].
    apply as_bind, as_step. intros a pa _ _ r p _ _ s q _ _.
    generalize (IH (extend h a r s)); apply as_impl; intros h' Hh'.
    rewrite before_one_more, Hh'. now rewrite before_extend.
  Qed.

  (** The episode, given its beginning, is the run from there. *)
  Lemma E_given_beginning t n h f :
    P t h <> 0 -> E (given (history_law M pi (t + n)) (begins_dec n h)) f = E (run M pi n h) f.
  Proof.
    intros HP. rewrite E_given.
    assert (H : forall g, E (history_law M pi (t + n)) (fun h' => ind (begins_dec n h h') * g h') =
      P t h * E (run M pi n h) g).
    { intros g. rewrite E_history_law_run. unfold mass; rewrite <- E_scal_r. apply E_ext; intros h0.
      rewrite (E_ext_as _ _ (fun h' => ind (history_dec h0 h) * g h')).
      - rewrite E_scal. destruct (history_dec h0 h) as [->|]; simpl; ring.
      - generalize (run_begins n h0); apply as_impl; intros h' Hh'. f_equal. apply ind_iff. now rewrite Hh'. }
    rewrite H. unfold prob. rewrite (E_ext _ _ (fun h' => ind (begins_dec n h h') * 1)) by (intros; ring).
    rewrite H, E_const by (now apply law_run). field. exact HP.
  Qed.

  (** Z_t(xi): the rewards after [h], which has [t] steps, when [n] are left. *)
  Definition return_to_come (t n : nat) (h : history S A) : dist R :=
    image (latest n) (given (history_law M pi (t + n)) (begins_dec n h)).

  Lemma cdf_to_come t n h x : P t h <> 0 ->
    cdf (return_to_come t n h) x = E (run M pi n h) (fun h' => ind (Rle_dec (collected h') (x + collected h))).
  Proof.
    intros HP. unfold cdf, return_to_come. rewrite E_image, E_given_beginning by assumption.
    apply E_ext_as. generalize (run_begins n h); apply as_impl; intros h' Hh'. apply ind_iff.
    rewrite (return_is_before_and_after n h'), Hh'. lra.
  Qed.

  Lemma mass_positive {X} (eq_dec : forall x y : X, {x = y} + {x <> y}) d x p :
    nonneg d -> In (x, p) d -> p <> 0 -> mass eq_dec d x <> 0.
  Proof. intros Hd Hin Hp. apply Rgt_not_eq. apply (prob_pos d (fun y => eq_dec y x) x p); auto. Qed.

  (** At the beginning: the mixture of the laws of Z_1(s) is the law of the return.
      Given: as distributional_bellman.
      Differs: at t = 1. *)
  Theorem return_from_the_start x :
    cdf (return_law M pi) x = E (init M) (fun s => cdf (return_to_come 0 (horizon M) (start s)) x).
  Proof.
    unfold cdf at 1. rewrite E_return_law, E_history_law_from_start. apply E_ext_as; intros s p Hs Hp.
    rewrite cdf_to_come.
    - rewrite collected_start, Rplus_0_r. reflexivity.
    - apply (mass_positive history_dec _ _ p); [apply nonneg_image, HM | | assumption].
      apply in_map_iff. now exists (s, p).
  Qed.

  (** Given: any MDP with finite laws, any randomised history-dependent policy; a history of positive probability.
      Differs: conditional laws given the beginning of the episode. *)
  Theorem distributional_bellman t n h x :
    P t h <> 0 ->
    cdf (return_to_come t (Datatypes.S n) h) x =
    E (pi h) (fun a => E (trans M (state h) a) (fun s' => E (reward M (state h) a) (fun r =>
      cdf (return_to_come (Datatypes.S t) n (extend h a r s')) (x - r)))).
  Proof.
    intros HP. rewrite cdf_to_come by assumption. rewrite E_run_S, E_step.
    apply E_ext_as; intros a pa Ha Hpa. rewrite E_swap. apply E_ext_as; intros s' ps Hs Hps.
    apply E_ext_as; intros r pr Hr Hpr.
    rewrite cdf_to_come.
    - apply E_ext; intros h'. apply ind_iff. rewrite collected_extend. lra.
    - rewrite (proj2 (history_measure t)). repeat apply Rmult_integral_contrapositive_currified; try assumption;
        eapply mass_positive; try eassumption; [apply Hpi | now apply reward_law | now apply trans_law].
  Qed.
End Histories.

(** ** The forward recursion on (state, reward so far), as the evaluator computes it, for policies of (t, s, y) *)

Section Evaluator.
  Context {S A : Type}.
  Variable M : mdp S A.
  Variable pi : y_policy S A.

  Fixpoint forward_law (t : nat) : dist (S * R) :=
    match t with
    | O => image (fun s => (s, 0)) (init M)
    | Datatypes.S t' => bind (forward_law t') (fun sy => bind (pi t' (fst sy) (snd sy)) (fun a =>
        bind (reward M (fst sy) a) (fun r => image (fun s' => (s', r + snd sy)) (trans M (fst sy) a))))
    end.

  (** Given: any policy of (t, s, y).
      Differs: the forward recursion on (s, y) has the marginals; the evaluator's table for history-dependent
      policies is not modelled. *)
  Theorem evaluator_gives_the_marginals t f :
    E (forward_law t) f = E (history_law M (of_y_policy pi) t) (fun h => f (state h, collected h)).
  Proof.
    revert f; induction t as [|t IH]; intros f; cbn [forward_law].
    - now rewrite E_image, E_history_law_0.
    - rewrite E_bind, E_history_law_S, IH. apply E_ext_as.
      generalize (history_time M (of_y_policy pi) t); apply as_impl; intros h Hh. rewrite E_step, E_bind.
      unfold of_y_policy; rewrite Hh.
      apply E_ext; intros a. rewrite E_bind. apply E_ext; intros r. now rewrite E_image.
  Qed.
End Evaluator.
