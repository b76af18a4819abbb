(** * The costs of all visits, counted by classes of pairs

    Pairs that are known to share a law are one class.  If every step costs at most min(T, c / sqrt N), N the number of
    visits to its class in the earlier episodes (T if N = 0), then the costs of k episodes add up to at most

      T^2 #classes + 2 c sqrt( #classes k T )

    on every path along which the actions are allowed and the next states are possible. *)

Require Import Reals Lra Lia Psatz List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp DynamicProgramming MartingaleStep EventHolds CountingInequality
  RegretAssembly HistoryCost Ville.
Import ListNotations.
Open Scope R_scope.

Section Visits.
  Context {S A Kt : Type}.
  Variable acts : S -> list A.
  Variable possible : S -> A -> list S.
  Variable key : S -> A -> Kt.
  Variable key_dec : forall c c' : Kt, {c = c'} + {c <> c'}.
  Variable classes : list Kt.
  Hypothesis Hnodup : NoDup classes.
  Hypothesis Hkeys : forall s a, In a (acts s) -> In (key s a) classes.
  Variable T : nat.

  Fixpoint count_in (c : Kt) (steps : list (S * A * R)) : nat :=
    match steps with
    | [] => O
    | (s, a, _) :: rest => if key_dec (key s a) c then Datatypes.S (count_in c rest) else count_in c rest
    end.
  Definition count (c : Kt) (path : list (history S A)) : nat := list_sum (map (fun g => count_in c (fst g)) path).

  Fixpoint consistent_in (steps : list (S * A * R)) (s' : S) : Prop :=
    match steps with
    | [] => True
    | (s, a, _) :: rest => In a (acts s) /\ In s' (possible s a) /\ consistent_in rest s
    end.
  Definition consistent (path : list (history S A)) : Prop :=
    List.Forall (fun g => time g = T /\ consistent_in (fst g) (snd g)) path.

  Lemma consistent_moment path past : In past (moments_of path) -> consistent path -> consistent past.
  Proof. apply moment_forall. Qed.

  Lemma count_in_le c steps : (count_in c steps <= length steps)%nat.
  Proof. induction steps as [|[[s a] r] steps IH]; simpl; [lia|]. destruct (key_dec (key s a) c); simpl; lia. Qed.

  Lemma counts_in steps s' :
    consistent_in steps s' -> sum classes (fun c => INR (count_in c steps)) = INR (length steps).
  Proof.
    revert s'; induction steps as [|[[s a] r] steps IH]; intros s' H; cbn [count_in length].
    - rewrite (sum_ext classes _ (fun _ => 0)) by (intros; reflexivity). rewrite sum_const; simpl; ring.
    - destruct H as [Ha [_ H]]. rewrite S_INR, <- (IH s H).
      rewrite (sum_ext classes _ (fun c => ind (key_dec (key s a) c) * 1 + INR (count_in c steps))).
      + rewrite sum_plus, (sum_point key_dec); [ring | assumption | now apply Hkeys].
      + intros c _. destruct (key_dec (key s a) c); cbn [ind]; [rewrite S_INR|]; ring.
  Qed.

  Lemma counts_total path : consistent path -> sum classes (fun c => INR (count c path)) = INR (length path) * INR T.
  Proof.
    unfold count; induction 1 as [|g path [Hg Hc] _ IH]; cbn [map list_sum length].
    - rewrite (sum_ext classes _ (fun _ => 0)) by (intros; reflexivity). rewrite sum_const; simpl; ring.
    - rewrite (sum_ext classes _ (fun c => INR (count_in c (fst g)) +
        INR (list_sum (map (fun g => count_in c (fst g)) path))))
        by (intros; now rewrite <- plus_INR).
      rewrite sum_plus, IH, (counts_in _ _ Hc), S_INR. unfold time in Hg. rewrite Hg. ring.
  Qed.

  Lemma count_le c path : consistent path -> (count c path <= length path * T)%nat.
  Proof.
    unfold count; induction 1 as [|g path [Hg _] _ IH]; simpl; [lia|]. pose proof (count_in_le c (fst g)).
    unfold time in Hg. lia.
  Qed.

  (** ** Costs *)

  Variables (cost : list (history S A) -> history S A -> A -> R) (cc : R).
  Hypothesis Hcc : 0 <= cc.

  Definition cheap (past : list (history S A)) : Prop :=
    forall g a, (time g < T)%nat -> In a (acts (state g)) ->
      cost past g a <= bonus (INR T) cc (count (key (state g) a) past).

  Lemma cost_by_class past steps s' :
    cheap past -> (length steps <= T)%nat -> consistent_in steps s' ->
    cost_of_steps (cost past) steps <= sum classes (fun c => INR (count_in c steps) * bonus (INR T) cc (count c past)).
  Proof.
    intros Hc; revert s'; induction steps as [|[[s a] r] steps IH]; intros s' Hlen H;
      cbn [cost_of_steps count_in length] in *.
    - rewrite (sum_ext classes _ (fun _ => 0)) by (intros; simpl; ring). rewrite sum_const; simpl; lra.
    - destruct H as [Ha [_ H]]. specialize (IH s ltac:(lia) H).
      specialize (Hc (steps, s) a ltac:(unfold time; simpl; lia) Ha). unfold state in Hc; simpl in Hc.
      rewrite (sum_ext classes _ (fun c => ind (key_dec (key s a) c) * bonus (INR T) cc (count c past) +
                                           INR (count_in c steps) * bonus (INR T) cc (count c past))).
      + rewrite sum_plus, (sum_point key_dec); [lra | assumption | now apply Hkeys].
      + intros c _. destruct (key_dec (key s a) c); cbn [ind]; [rewrite S_INR|]; ring.
  Qed.

  Definition class_visits (c : Kt) (path : list (history S A)) : list nat :=
    rev (map (fun g => count_in c (fst g)) path).

  Lemma class_visits_total c path : list_sum (class_visits c path) = count c path.
  Proof.
    unfold class_visits, count. induction path as [|g path IH]; simpl; [reflexivity|]. rewrite list_sum_app, IH.
    simpl; lia.
  Qed.

  Local Notation Y := (fun past g => cost_of_steps (cost past) (fst g)).

  Lemma observed_by_class path :
    consistent path -> (forall past, In past (moments_of path) -> (length past < length path)%nat -> cheap past) ->
    sum_observed Y path <= sum classes (fun c => visit_cost (INR T) cc 0 (class_visits c path)).
  Proof.
    induction 1 as [|g path [Hg Hc] Hp IH]; intros Hcheap; cbn [sum_observed].
    - apply sum_nonneg. intros c _. simpl; lra.
    - rewrite (sum_ext classes _ (fun c => visit_cost (INR T) cc 0 (class_visits c path) +
        INR (count_in c (fst g)) * bonus (INR T) cc (count c path))).
      + rewrite sum_plus.
        assert (Hi : sum_observed Y path <= sum classes (fun c => visit_cost (INR T) cc 0 (class_visits c path))).
        { apply IH. intros past Hin Hl. apply Hcheap; [now right | simpl; lia]. }
        assert (Hthis : cheap path) by (apply Hcheap; [right; apply moment_itself | simpl; lia]).
        unfold time in Hg. pose proof (cost_by_class path (fst g) (snd g) Hthis ltac:(lia) Hc). lra.
      + intros c _. unfold class_visits; simpl map; simpl rev. fold (class_visits c path).
        rewrite visit_cost_snoc, Nat.add_0_l, class_visits_total. reflexivity.
  Qed.

  Theorem observed_cost_le path :
    consistent path -> (forall past, In past (moments_of path) -> (length past < length path)%nat -> cheap past) ->
    sum_observed Y path <=
    INR T * INR T * INR (length classes) + 2 * cc * sqrt (INR (length classes) * (INR (length path) * INR T)).
  Proof.
    intros Hp Hcheap. eapply Rle_trans; [now apply observed_by_class|].
    eapply Rle_trans; [apply (visit_costs_le (INR T) cc T (pos_INR T) Hcc)|].
    - intros c. apply Forall_forall; intros n Hn. apply in_rev, in_map_iff in Hn; destruct Hn as [g [<- Hin]].
      destruct (proj1 (Forall_forall _ _) Hp g Hin) as [Hg _]. unfold time in Hg. rewrite <- Hg. apply count_in_le.
    - right. do 4 f_equal. rewrite <- (counts_total path Hp). apply sum_ext; intros c _. now rewrite class_visits_total.
  Qed.

  (** ** Almost every path is consistent *)

  Variable M : mdp S A.
  Hypothesis HT : horizon M = T.
  Hypothesis Hpossible : forall s a, In a (acts s) -> almost_surely (trans M s a) (fun s' => In s' (possible s a)).

  Lemma history_consistent pi t :
    allowed acts M pi -> (t <= T)%nat -> almost_surely (history_law M pi t)
      (fun g => time g = t /\ consistent_in (fst g) (snd g)).
  Proof.
    intros Hal; induction t as [|t IH]; intros Ht; simpl.
    - apply as_image, as_always; intros s; now split.
    - apply as_bind. specialize (IH ltac:(lia)). revert IH; apply as_impl; intros g [Hg Hc].
      apply as_step. generalize (Hal g ltac:(lia)); apply as_impl; intros a Ha.
      apply as_always; intros r. generalize (Hpossible (state g) a Ha); apply as_impl; intros s' Hs'.
      split; [now rewrite time_extend, Hg|]. simpl. split; [assumption | split; assumption].
  Qed.

  Theorem episodes_consistent learner K :
    (forall past, allowed acts M (learner past)) ->
    almost_surely (episodes M learner K) (fun path => length path = K /\ consistent path).
  Proof.
    intros Hal. unfold episodes; induction K as [|k IH]; simpl; [apply as_ret; split; [reflexivity | constructor]|].
    apply as_bind; revert IH; apply as_impl; intros past [Hlen Hp]. apply as_image.
    rewrite HT. generalize (history_consistent (learner past) T (Hal past) (Nat.le_refl _)); apply as_impl.
    intros g Hg. split; [simpl; lia | now constructor].
  Qed.
End Visits.
