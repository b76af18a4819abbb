(** * Replacing a history by its summary

    One argument serves augmentation and discretisation.  Let N be M with every reward r of a state s recorded as
    phi(s, r).  From a history-dependent policy pi of M build the y-policy of N that, at (t, s, y), draws a history of M
    under pi conditioned on { recorded reward = y, state = s } and acts as pi does there.  Then for every t the joint
    law of (collected reward, state) in N under the y-policy is the joint law of (recorded reward, state) in M under pi.

    With phi(s, r) = r this is augmentation; with phi = rounding up it is half of discretisation. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp.
Import ListNotations.
Open Scope R_scope.

Section Summary.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Variable phi : S -> R -> R.

  (** The recorded reward of a history. *)
  Definition recorded (h : history S A) : R := fold_right (fun step y => phi (fst (fst step)) (snd step) + y) 0 (fst h).

  (** [N] is [M] with rewards recorded through [phi]; laws are compared by their expectations. *)
  Record records (M N : mdp S A) : Prop := {
    records_horizon : horizon N = horizon M;
    records_init : forall f, E (init N) f = E (init M) f;
    records_trans : forall s a f, E (trans N s a) f = E (trans M s a) f;
    records_reward : forall s a f, E (reward N s a) f = E (reward M s a) (fun r => f (phi s r))
  }.

  Definition summary (h : history S A) : R * S := (recorded h, state h).

  Definition summary_dec (ys : R * S) (h : history S A) : {summary h = ys} + {summary h <> ys}.
  Proof.
    destruct ys as [y s]; unfold summary.
    destruct (Req_EM_T (recorded h) y) as [Hy|Hy]; [destruct (state_dec (state h) s) as [Hs|Hs]|].
    - left; now rewrite Hy, Hs.
    - right; now intros [= _ H].
    - right; now intros [= H _].
  Defined.

  Load "setup/Policy".

  (** Where (y, s) has probability zero nothing depends on the choice; take pi's first choice at s. *)
  Definition conditioned : y_policy S A := fun t s y =>
    let d := history_law M pi t in
    if Req_EM_T (prob d (summary_dec (y, s))) 0 then pi (start s) else bind (given d (summary_dec (y, s))) pi.

  Lemma is_y_policy_conditioned : is_y_policy conditioned.
  Proof.
    intros t s y; unfold conditioned. destruct (Req_EM_T _ 0) as [_|Hpos]; [apply Hpi|].
    apply law_bind; [|apply Hpi]. apply law_given; [now apply law_history | assumption].
  Qed.

  (** On histories that can occur, the conditioned policy is the conditional average. *)
  Lemma E_conditioned t f :
    almost_surely (history_law M pi t) (fun h =>
      E (conditioned t (state h) (recorded h)) (f h) =
      E (given (history_law M pi t) (summary_dec (summary h))) (fun h' => E (pi h') (f h))).
  Proof.
    intros h p Hin Hp; unfold conditioned, summary.
    pose proof (prob_pos _ (summary_dec (summary h)) h p (proj1 (law_history M pi t HM Hpi)) Hin Hp eq_refl) as Hpos.
    destruct (Req_EM_T _ 0) as [H0|_]; [unfold summary in Hpos; lra|]. now rewrite E_bind.
  Qed.

  (** Averaging any action-dependent quantity of the summary, pi may be replaced by the conditioned policy. *)
  Lemma conditioned_same_average t (f : R -> S -> A -> R) :
    E (history_law M pi t) (fun h => E (conditioned t (state h) (recorded h)) (f (recorded h) (state h))) =
    E (history_law M pi t) (fun h => E (pi h) (f (recorded h) (state h))).
  Proof.
    rewrite (E_ext_as _ _ _ (E_conditioned t (fun h => f (recorded h) (state h)))).
    apply (tower (history_law M pi t) summary summary_dec (fun h ys => E (pi h) (f (fst ys) (snd ys)))).
    now apply law_history.
  Qed.

  Variable N : mdp S A.
  Hypothesis HN : records M N.

  Theorem joint_law_of_summary t (g : R -> S -> R) :
    E (history_law N (of_y_policy conditioned) t) (fun h => g (collected h) (state h)) =
    E (history_law M pi t) (fun h => g (recorded h) (state h)).
  Proof.
    revert g; induction t as [|t IH]; intros g.
    - rewrite !E_history_law_0. apply (records_init M N HN).
    - rewrite !E_history_law_S.
      (* one step from the summary (y, s) with action a *)
      set (k := fun y s a => E (reward M s a) (fun r => E (trans M s a) (fun s' => g (phi s r + y) s'))).
      transitivity (E (history_law N (of_y_policy conditioned) t)
                      (fun h => E (conditioned t (state h) (collected h)) (k (collected h) (state h)))).
      { apply E_ext_as. pose proof (history_time N (of_y_policy conditioned) t) as Ht.
        revert Ht; apply as_impl; intros h Hh. rewrite E_step; unfold of_y_policy; rewrite Hh.
        apply E_ext; intros a; unfold k. rewrite (records_reward M N HN); apply E_ext; intros r.
        rewrite (records_trans M N HN); reflexivity. }
      rewrite (IH (fun y s => E (conditioned t s y) (k y s))), conditioned_same_average.
      apply E_ext; intros h. now rewrite E_step.
  Qed.

  (** The return of N under the conditioned policy is distributed as the recorded return of M under pi. *)
  Corollary return_of_conditioned f :
    E (return_law N (of_y_policy conditioned)) f = E (history_law M pi (horizon M)) (fun h => f (recorded h)).
  Proof.
    rewrite E_return_law, (records_horizon M N HN). apply (joint_law_of_summary (horizon M) (fun y _ => f y)).
  Qed.
End Summary.

Arguments recorded {S A} _ _.
