(** * A learner that sees rounded rewards

    The learner's model is hat-M, M with rewards rounded up to the eta-grid ([Discretisation.v]).  In M it plays the
    adapted policies and sees the rounded histories.  Its data have the law that they have in hat-M, so an event of the
    data has the same probability; the optimum of hat-M is at least that of M, and an adapted policy loses at most T
    eta.  Hence a regret bound in hat-M is one in M with T eta more for each episode, and an interval [v-, v^] becomes
    [v- - T eta, v^]. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp DynamicProgramming MartingaleStep EventHolds RegretAssembly
  Summary RoundingRule Discretisation Ville.
Import ListNotations.
Open Scope R_scope.

(** ** Two processes, one of which is read through a map *)

Section Transfer.
  Context {X Y : Type}.
  Variables (next1 : list X -> dist X) (next2 : list Y -> dist Y) (f : X -> Y).
  Hypothesis Hnext1 : forall past, is_law (next1 past).
  Hypothesis Hread : forall past g, E (next1 past) (fun x => g (f x)) = E (next2 (map f past)) g.

  Lemma process_read n g : E (process next1 n) (fun path => g (map f path)) = E (process next2 n) g.
  Proof.
    revert g; induction n as [|n IH]; intros g; [reflexivity|]. rewrite !E_process_S. cbn [map].
    rewrite <- (IH (fun past => E (next2 past) (fun y => g (y :: past)))). apply E_ext; intros past.
    apply (Hread past (fun y => g (y :: map f past))).
  Qed.

  Lemma moments_of_map path : moments_of (map f path) = map (map f) (moments_of path).
  Proof. induction path as [|x path IH]; simpl; [reflexivity | now rewrite IH]. Qed.

  Theorem sometime_read (P : list X -> Prop) (Q : list Y -> Prop)
    (decP : forall path, {Exists P (moments_of path)} + {~ Exists P (moments_of path)})
    (decQ : forall path, {Exists Q (moments_of path)} + {~ Exists Q (moments_of path)}) n :
    (forall past, P past -> Q (map f past)) -> prob (process next1 n) decP <= prob (process next2 n) decQ.
  Proof.
    intros H. unfold prob. rewrite <- process_read. apply E_le; [now apply law_process|]. intros path. apply ind_le.
    rewrite moments_of_map, !Exists_exists. intros [past [Hin HP]]. exists (map f past).
    split; [now apply in_map | now apply H].
  Qed.
End Transfer.

(** ** The grid *)

Section Grid.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Variable acts : S -> list A.
  Variables (eta : R) (M : mdp S A) (G : R -> R).
  Hypothesis Heta : 0 < eta.
  Hypothesis HM : is_mdp M.
  Hypothesis Hhorizon : (1 <= horizon M)%nat.
  Hypothesis HG : weighting G.
  Local Notation T := (INR (horizon M)).
  Local Notation Mhat := (discretise eta M).
  Local Notation rounded := (replaced_history (fun _ : S => round_up eta)).

  Lemma conditioned_allowed pi :
    is_policy pi -> allowed acts M pi -> allowed acts Mhat
      (of_y_policy (conditioned state_dec (fun _ : S => round_up eta) M pi)).
  Proof.
    intros Hpi Hal h Hh. change (horizon Mhat) with (horizon M) in Hh. unfold of_y_policy, conditioned.
    destruct (Req_EM_T _ 0) as [_|_].
    - apply (Hal (start (state h))). unfold time, start; simpl; lia.
    - apply as_bind. intros h' p Hin Hp. unfold given in Hin. apply in_map_iff in Hin.
      destruct Hin as [[h0 q] [Heq Hin]].
      injection Heq as <- <-. apply filter_In in Hin. destruct Hin as [Hin Hsel]. cbn [fst snd] in *.
      destruct (summary_dec state_dec (fun _ : S => round_up eta) (collected h, state h) h0) as [Hs|];
        [|discriminate Hsel].
      assert (Hstate : state h0 = state h) by (unfold summary in Hs; now injection Hs).
      assert (Hq : q <> 0) by (intros ->; apply Hp; ring).
      pose proof (history_time M pi (time h) h0 q Hin Hq) as Ht. cbv beta in Ht.
      intros a r Ha Hr. cbv beta. rewrite <- Hstate. apply (Hal h0 ltac:(lia) a r Ha Hr).
  Qed.

  Variables (best best_hat : R).
  Hypothesis Hbest : is_lub (fun x => exists pi, is_policy pi /\ allowed acts M pi /\ x = value G M pi) best.
  Hypothesis Hbest_hat : is_lub (fun x => exists pi,
    is_policy pi /\ allowed acts Mhat pi /\ x = value G Mhat pi) best_hat.

  Theorem grid_optimum : best <= best_hat.
  Proof.
    destruct Hbest as [_ Hleast], Hbest_hat as [Hub _]. apply Hleast. intros x [pi [Hpi [Hal ->]]].
    eapply Rle_trans; [apply (discretised_value_ge state_dec eta Heta M HM G pi HG Hpi)|]. apply Hub.
    exists (of_y_policy (conditioned state_dec (fun _ : S => round_up eta) M pi)).
    split; [now apply is_policy_of_y_policy, is_y_policy_conditioned|].
    split; [now apply conditioned_allowed | reflexivity].
  Qed.

  (** The learner of hat-M, and what is played in M. *)
  Variable learner : list (history S A) -> policy S A.
  Hypothesis Hlearner : forall past, is_policy (learner past).
  Definition played_rounded (past : list (history S A)) : policy S A := adapt eta (learner (map rounded past)).

  Lemma grid_regret_le past : regret M played_rounded G best past <=
    regret Mhat learner G best_hat (map rounded past) + INR (length past) * (T * eta).
  Proof.
    induction past as [|h past IH]; cbn [regret map length]; [simpl; lra|]. rewrite S_INR.
    pose proof (adapted_value_ge eta Heta M HM G (learner (map rounded past)) HG (Hlearner _)) as Hv.
    pose proof grid_optimum. unfold played_rounded at 1. lra.
  Qed.

  Lemma grid_read past g :
    E (history_law M (played_rounded past) (horizon M)) (fun h => g (rounded h)) =
      E (history_law Mhat (learner (map rounded past)) (horizon Mhat)) g.
  Proof. symmetry. apply rounded_history_law. Qed.

  (** Any event of the data. *)
  Theorem grid_event (P Q : list (history S A) -> Prop)
    (decP : forall path, {Exists P (moments_of path)} + {~ Exists P (moments_of path)})
    (decQ : forall path, {Exists Q (moments_of path)} + {~ Exists Q (moments_of path)}) K :
    (forall past, P past -> Q (map rounded past)) ->
      prob (episodes M played_rounded K) decP <= prob (episodes Mhat learner K) decQ.
  Proof.
    intros H. unfold episodes.
    apply (sometime_read (fun past => history_law M (played_rounded past) (horizon M))
             (fun past => history_law Mhat (learner past) (horizon Mhat)) rounded); [|exact grid_read | exact H].
    intros past. apply law_history; [assumption|]. apply is_policy_adapt, Hlearner.
  Qed.

  (** Given: rewards rounded up to a grid, eta > 0; a bound in the rounded model.
      Differs: T eta more an episode.
      In words: 10-kl-learner.md#kl-grid.
      Step of: corrected/ii. *)
  Theorem grid_regret (bound : list (history S A) -> R) p K :
    prob (episodes Mhat learner K) (fun path =>
      Exists_dec (fun past => bound past < regret Mhat learner G best_hat past)
      (moments_of path) (fun past => Rlt_dec _ _)) <= p ->
    prob (episodes M played_rounded K) (fun path => Exists_dec
      (fun past => bound (map rounded past) + INR (length past) * (T * eta) < regret M played_rounded G best past)
      (moments_of path) (fun past => Rlt_dec _ _)) <= p.
  Proof.
    intros H. eapply Rle_trans; [|exact H]. apply grid_event. intros past Hp. pose proof (grid_regret_le past). lra.
  Qed.

  (** Given: as grid_regret.
      Differs: the interval loses T eta below.
      In words: 10-kl-learner.md#kl-grid.
      Step of: corrected/ii. *)
  Theorem grid_interval cautious (lower upper : list (history S A) -> R) past :
    is_policy (cautious (map rounded past)) -> allowed acts M (adapt eta (cautious (map rounded past))) ->
    lower (map rounded past) <= value G Mhat (cautious (map rounded past)) -> best_hat <= upper (map rounded past) ->
    lower (map rounded past) - T * eta <= value G M (adapt eta (cautious (map rounded past))) /\
    value G M (adapt eta (cautious (map rounded past))) <= best /\ best <= upper (map rounded past).
  Proof.
    intros Hpi Hal Hlow Hup. pose proof (adapted_value_ge eta Heta M HM G _ HG Hpi) as Hv. pose proof grid_optimum.
    split; [lra|]. split; [|lra]. destruct Hbest as [Hub _]. apply Hub.
    exists (adapt eta (cautious (map rounded past))). split; [now apply is_policy_adapt|].
    split; [assumption | reflexivity].
  Qed.
End Grid.
