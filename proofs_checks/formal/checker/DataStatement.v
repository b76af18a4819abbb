(** * The theorem about certificates from logged data, to be read on its own

    Imported: finite laws ([dist], [E], [is_law], [prob], [ret], [bind], [image], [almost_surely]: the first page of
    FiniteLaw.v); [number], [history], [policy], [time] and [value] of Statement.v; [words] and [spells] of Text.v; the
    data types of DataCheck.v, and [data_file] with its words [items_of_data_file] of DataFile.v; and the program
    [check_data_text], of which nothing need be read.  Everything else is defined here. *)

Require Import ZArith Reals Lra List Bool.
From VerifiedRisk Require Import FiniteLaw Rows Tree Program Text Written Reading DataCheck DataFile Statement.
From VerifiedRisk Require Allowed CheckText Meaning JointModel MartingaleStep Ville TextSoundness DataReads DataEvent
  Completions DataSoundness ModelFacts.
Import ListNotations.
Open Scope R_scope.

(** ** How data are collected

    A transition is ((state, action), (reward, next state)).  The world has a law of (reward, next state) for every
    state and action.  Whoever collects the data chooses the next state and action by any law that may depend on all
    transitions so far: so do episodes of any lengths and initial states, and policies that change with the data.
    [collected n] is the law of the first n transitions, the latest first. *)

Definition transition : Type := ((positive * Z) * (Z * positive))%type.

Section World.
  Variable world : positive -> Z -> dist (Z * positive).
  Variable ask : list transition -> dist (positive * Z).

  Fixpoint collected (n : nat) : dist (list transition) :=
    match n with
    | O => ret []
    | S n' => bind (collected n') (fun past =>
        image (fun t => t :: past) (bind (ask past) (fun sa => image (fun os => (sa, os)) (world (fst sa) (snd sa)))))
    end.

  (** ** The process that a certificate is about: the world, with the certificate's horizon, initial law, discount and
      unit of rewards; the actions of a state are those that its rows name *)

  Variable d : data.

  Definition rows_of (s : positive) : list sampled := match get s (tree_of (rows d)) with Some l => l | None => [] end.
  Definition drawn_from (s : positive) (i : Z) : dist (Z * positive) :=
    match znth (rows_of s) i with Some p => world s (label p) | None => ret (0%Z, s) end.
  Fixpoint play_world (pi : policy) (n : nat) (h : history) : dist history :=
    match n with
    | O => ret h
    | S n' => bind (bind (pi h) (fun i => image (fun os => ((snd h, i, fst os) :: fst h, snd os))
        (drawn_from (snd h) i))) (play_world pi n')
    end.
  Fixpoint earned_in (l : list (positive * Z * Z)) : R :=
    match l with
    | [] => 0
    | (_, _, z) :: l' => earned_in l' + number (data_discount d) ^ length l' * (IZR z / IZR (data_reward_den d))
    end.
  Definition return_in (pi : policy) : dist R :=
    image (fun h => earned_in (fst h))
      (bind (map (fun sw => (fst sw, IZR (snd sw) / IZR (data_initial_den d))) (data_initial d))
        (fun s => play_world pi (Z.to_nat (data_horizon d)) ([], s))).
  Definition admissible_in (pi : policy) : Prop :=
    (forall h, is_law (pi h)) /\
    forall h, (time h < Z.to_nat (data_horizon d))%nat ->
      almost_surely (pi h) (fun i => rows_of (snd h) = [] \/ exists p, znth (rows_of (snd h)) i = Some p).

  (** ** The certificate's claim.  [nominal d] only says how many actions each state has. *)

  Definition claim_holds_in (o : objective) (c : claim) (p : lower_proof) : Prop :=
    (exists pi, pi = Meaning.policy_of (nominal d) p /\ admissible_in pi /\
       number (lower c) <= value o (return_in pi)) /\
    (forall pi, admissible_in pi -> value o (return_in pi) <= number (upper c)).

  (** ** A certificate is about a list of possible transitions, a delta and data

      Its rows have all the listed outcomes of their pairs and no others, its number of tests is not below the length of
      the list, and its counts are those of the data. *)

  Definition visits_among (past : list transition) (sa : positive * Z) : nat :=
    length (filter (fun t => if DataEvent.asked_dec (fst t) sa then true else false) past).
  Definition times_among (past : list transition) (x : transition) : nat :=
    length (filter (fun t => if DataEvent.asked_dec (fst t) (fst x)
      then if DataEvent.drawn_dec (snd t) (snd x) then true else false else false) past).
  Definition is_about (listed : list transition) (delta : R) (past : list transition) : Prop :=
    (forall s i p, znth (rows_of s) i = Some p ->
       forall os, In ((s, label p), os) listed <-> In os (map (fun o => (drawn o, leads_to o)) (possible p))) /\
    (Z.of_nat (length listed) <= tests d)%Z /\ number (failure d) = delta /\
    (forall s i p, znth (rows_of s) i = Some p ->
       zsum times (possible p) = Z.of_nat (visits_among past (s, label p)) /\
       forall o, In o (possible p) -> times o = Z.of_nat (times_among past ((s, label p), (drawn o, leads_to o)))).
End World.

Definition says (t : text) (f : data_file) : Prop := Forall2 spells (words (bytes t)) (items_of_data_file f).
Definition read_as (allowed : Allowed.limits) (t : text) (f : data_file) : Prop :=
  exists g j, read_data_file t allowed 0%Z = Got g j /\ data_read g = f.

(** ** The definitions of this file are those of the proof *)

Lemma collected_eq world ask n : collected world ask n = MartingaleStep.process (DataEvent.next_transition world ask) n.
Proof. induction n as [|n IH]; [reflexivity|]. cbn [collected MartingaleStep.process]. now rewrite IH. Qed.
Lemma play_world_eq world d pi n : forall h,
  play_world world d pi n h = JointModel.jrun (Completions.truth d world) pi n h.
Proof. induction n as [|n IH]; intros h; [reflexivity|]. cbn [play_world JointModel.jrun]. apply bind_ext, IH. Qed.
Lemma earned_in_eq world d l : earned_in d l = JointModel.earned (Completions.truth d world) l.
Proof. induction l as [|[[s a] z] l IH]; cbn [earned_in JointModel.earned]; [reflexivity | now rewrite IH]. Qed.
Lemma return_in_eq world d pi : return_in world d pi = JointModel.jreturn_law (Completions.truth d world) pi.
Proof.
  unfold return_in, JointModel.jreturn_law, JointModel.full_history_law, image.
  rewrite (bind_ext _ _ (fun s => JointModel.jrun (Completions.truth d world) pi (Z.to_nat (data_horizon d)) ([], s)))
    by (intros; apply play_world_eq).
  apply map_ext. intros h. now rewrite (earned_in_eq world).
Qed.
Lemma first_failure_none l : first_data_failure l = None -> forallb (fun test => snd test tt) l = true.
Proof.
  induction l as [|[why test] l IH]; cbn [first_data_failure forallb snd]; [reflexivity|].
  destruct (test tt); [exact IH | discriminate].
Qed.

(** The program that is run asks one of two: [check_text], of TextStatement.v, or [check_data_text]. *)
Lemma check_any_text_is_one_of_two allowed t : check_any_text allowed t = CheckText.check_text allowed t \/
  check_any_text allowed t = check_data_text allowed t.
Proof. unfold check_any_text. destruct (name t _ 0); auto. Qed.

(** ** The theorem *)

Section Theorem_.
  Variables (world : positive -> Z -> dist (Z * positive)) (ask : list transition -> dist (positive * Z)).
  (** What is possible and delta are fixed before the data are seen. *)
  Variables (listed : list transition) (delta : R) (allowed : Allowed.limits).

  (** Some accepted text is about the data and false. *)
  Definition some_text_is_wrong (past : list transition) : Prop :=
    exists t f how, check_data_text allowed t = CheckText.Proved how /\ read_as allowed t f /\
      is_about (data_said f) listed delta past /\
      ~ claim_holds_in world (data_said f) (data_asked f) (data_claimed f) (lower_of (data_lower f)).
  (** ... at some moment: for these transitions, or for the first ones of them. *)
  Definition wrong_at_some_moment (path : list transition) : Prop :=
    exists newer past, path = newer ++ past /\ some_text_is_wrong past.

  (** Given: any behaviour that collects the data, any laws of outcomes that stay in the list of possible transitions.
      Differs: from data to policy and interval, checked by a program that reads bytes.
      In words: 10-kl-learner.md#kl-certificate.
      Step of: production/proved. *)
  Theorem what_check_data_text_proves :
    (forall t how, check_data_text allowed t = CheckText.Proved how -> exists f, read_as allowed t f /\ says t f) /\
    ((forall s i, is_law (world s i)) -> (forall past, is_law (ask past)) -> 0 < delta ->
     (forall s i os, In ((s, i), os) listed -> almost_surely (world s i) (fun os' => In ((s, i), os') listed)) ->
     forall n (dec : forall path, {wrong_at_some_moment path} + {~ wrong_at_some_moment path}),
       prob (collected world ask n) dec <= delta).
  Proof.
    assert (R : forall t how, check_data_text allowed t = CheckText.Proved how -> exists f, read_as allowed t f /\
      says t f /\
      check_data (data_said f) (data_asked f) (data_claimed f) (data_certificate f) = true).
    { intros t how H. unfold check_data_text in H. destruct (read_data_file t allowed 0%Z) as [f j|i why] eqn:E;
        [|discriminate]. cbv zeta in H. destruct (skip t j <? byte_count t)%Z eqn:S; [discriminate|].
      destruct (data_verdict _ _ _ _) as [why|] eqn:V; [discriminate|]. exists (data_read f). split; [now exists f, j|].
      split; [|now apply first_failure_none].
      destruct (DataReads.reads_data_file t allowed 0%Z f j E) as [l [[ws [H1 H2]] ->]]. unfold says, bytes.
      rewrite H1, (no_more_words t j S), app_nil_r. exact H2. }
    split; [intros t how H; destruct (R t how H) as [f [H1 [H2 _]]]; eauto|].
    intros Hworld Hask Hdelta Hlisted n dec. rewrite collected_eq.
    eapply Rle_trans; [|apply (DataSoundness.rarely_misled_by_data world listed delta Hworld Hdelta ask Hask n)].
    apply E_le; [apply MartingaleStep.law_process, DataEvent.law_answer; assumption|]. intros path. apply ind_le.
    intros [newer [past [-> [t [f [how [H1 [[g [j [H2 H2']]] [H3 H4]]]]]]]]].
    apply Exists_exists. exists past. split; [apply Ville.in_moments_iff; now exists newer|].
    apply (DataSoundness.false_only_if_misled world listed delta Hworld Hlisted).
    destruct (R t how H1) as [f' [[g' [j' [E1 E2]]] [_ Hc]]].
    assert (f' = f) as -> by congruence. exists (data_said f), (data_asked f), (data_claimed f), (data_certificate f).
    split; [exact H3|]. split; [exact Hc|]. intros [[pi [P1 [P2 [P3 P4]]]] U]. apply H4. split.
    - exists pi. split; [exact P1|]. split; [exact (conj P2 P3)|]. rewrite (return_in_eq world), value_eq. exact P4.
    - intros pi' [A1 A2]. rewrite (return_in_eq world), value_eq. exact (U pi' A1 A2).
  Qed.
End Theorem_.
