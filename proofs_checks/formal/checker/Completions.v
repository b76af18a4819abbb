(** * Every policy of the true process is a policy of the model of completions

    The true row of a pair is at least the proved part.  So it is a mixture of completions: of the rows that give the
    whole missing mass to one possible outcome.  A policy of the true process, followed by that mixture, is a policy of
    the model in which each completion is an action, and has the same law of histories ([same_return]). *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check Meaning ModelFacts TablesAbove
  DataCheck DataEvent.
Import ListNotations.
Open Scope R_scope.

Definition sampled_at (d : data) (s : positive) : list sampled := match get s (pair_rows d) with Some l => l | None =>
  []
  end.
Definition seen_as (o : possibility) : Z * positive := (drawn o, leads_to o).

(** The process that the data are from, with the horizon, initial law, unit of rewards and discount of the
    certificate; an action of the certificate is the world's action that its row names.  As in [Meaning.v], nothing
    happens where there are no actions. *)
Definition truth (d : data) (world : positive -> Z -> dist (Z * positive)) : jmdp positive Z Z := {|
  jhorizon := Z.to_nat (data_horizon d);
  jinit := map (fun sw => (fst sw, IZR (snd sw) / IZR (data_initial_den d))) (data_initial d);
  kernel := fun _ s i => match znth (sampled_at d s) i with Some p => world s (label p) | None => ret (0%Z, s) end;
  allowed_action := fun _ s i => sampled_at d s = [] \/ exists p, znth (sampled_at d s) i = Some p;
  worth := fun z => IZR z / IZR (data_reward_den d);
  discount := real_of (data_discount d)
|}.

(** ** Groups of actions *)

Fixpoint offset {X} (l : list (list X)) (i : Z) : Z :=
  match l with [] => 0%Z | x :: l' => if (i =? 0)%Z then 0%Z else (zlen x + offset l' (i - 1))%Z end.
Fixpoint group_of {X} (l : list (list X)) (i : Z) : Z :=
  match l with
  | [] => i
  | x :: l' => if (i <? zlen x)%Z then 0%Z else (1 + group_of l' (i - zlen x))%Z
  end.

Lemma offset_nonneg {X} (l : list (list X)) : forall i, (0 <= offset l i)%Z.
Proof.
  induction l as [|x l IH]; intros i; cbn [offset]; [lia|]. destruct (i =? 0)%Z; [lia|].
  pose proof (zlen_nonneg x). specialize (IH (i - 1)%Z). lia.
Qed.

Lemma znth_app {X} (l l' : list X) i : (0 <= i)%Z ->
  znth (l ++ l') i = if (i <? zlen l)%Z then znth l i else znth l' (i - zlen l).
Proof.
  revert i; induction l as [|x l IH]; intros i Hi; cbn [app zlen znth].
  - destruct (Z.ltb_spec i 0); [lia|]. now rewrite Z.sub_0_r.
  - pose proof (zlen_nonneg l). destruct (Z.eqb_spec i 0) as [->|Hne]; [destruct (Z.ltb_spec 0 (1 + zlen l));
    [reflexivity | lia]|].
    rewrite IH by lia. destruct (Z.ltb_spec (i - 1) (zlen l)), (Z.ltb_spec i (1 + zlen l)); try lia; [reflexivity|].
    f_equal. lia.
Qed.

Lemma in_group {X} (l : list (list X)) : forall i x k a, znth l i = Some x -> znth x k = Some a ->
  group_of l (offset l i + k) = i /\ znth (concat l) (offset l i + k) = Some a.
Proof.
  induction l as [|y l IH]; intros i x k a Hx Ha; [discriminate|]. pose proof (znth_inside _ _ _ Hx) as Hi.
  pose proof (znth_inside _ _ _ Ha) as Hk. cbn [znth group_of offset concat zlen] in *.
  destruct (Z.eqb_spec i 0) as [->|Hne].
  - injection Hx as ->. rewrite Z.add_0_l. rewrite znth_app by lia. destruct (Z.ltb_spec k (zlen x)); [tauto | lia].
  - pose proof (offset_nonneg l (i - 1)) as Ho. pose proof (zlen_nonneg y).
    destruct (IH (i - 1)%Z x k a Hx Ha) as [H1 H2]. rewrite znth_app by lia.
    destruct (Z.ltb_spec (zlen y + offset l (i - 1) + k) (zlen y)); [lia|].
    replace (zlen y + offset l (i - 1) + k - zlen y)%Z with (offset l (i - 1) + k)%Z by lia.
    rewrite H1. split; [lia | exact H2].
Qed.

(** ** A law on the members of a group *)

Fixpoint spread_from (w : possibility -> R) (k : Z) (l : list possibility) : dist Z :=
  match l with [] => [] | o :: l' => (k, w o) :: spread_from w (k + 1) l' end.

Lemma E_spread w F f l : forall k, (forall j o, znth l j = Some o -> F (k + j)%Z = f o) ->
  E (spread_from w k l) F = sum l (fun o => w o * f o).
Proof.
  induction l as [|o l IH]; intros k H; cbn [spread_from E sum]; [reflexivity|].
  pose proof (H 0%Z o eq_refl) as H0. rewrite Z.add_0_r in H0. rewrite H0, (IH (k + 1)%Z); [reflexivity|].
  intros j o' Hj. pose proof (znth_inside _ _ _ Hj). rewrite <- (H (j + 1)%Z o').
  - f_equal. lia.
  - cbn [znth]. destruct (Z.eqb_spec (j + 1) 0); [lia|]. now replace (j + 1 - 1)%Z with j by lia.
Qed.

Lemma in_spread w l : forall k i p, In (i, p) (spread_from w k l) ->
  exists j o, znth l j = Some o /\ i = (k + j)%Z /\ p = w o.
Proof.
  induction l as [|o l IH]; intros k i p H; cbn [spread_from] in H; [destruct H|]. destruct H as [H|H].
  - injection H as <- <-. exists 0%Z, o. repeat split; lia.
  - destruct (IH _ _ _ H) as [j [o' [H1 [H2 H3]]]]. pose proof (znth_inside _ _ _ H1). exists (j + 1)%Z, o'.
    split; [|split; [lia | assumption]]. cbn [znth]. destruct (Z.eqb_spec (j + 1) 0); [lia|].
    now replace (j + 1 - 1)%Z with j by lia.
Qed.

(** A law that stays in a list has the sum of masses for its expectation. *)
Lemma E_listed {X} (eq_dec : forall x y : X, {x = y} + {x <> y}) (l : list X) (e : dist X) f : NoDup l ->
  almost_surely e (fun x => In x l) -> E e f = sum l (fun x => prob e (fun y => eq_dec y x) * f x).
Proof.
  intros Hl Has. unfold prob. induction e as [|[x p] e IH]; cbn [E].
  - rewrite (sum_ext l _ (fun _ => 0)) by (intros; ring). rewrite sum_const. ring.
  - rewrite (sum_ext l _ (fun y => p * (ind (eq_dec x y) * f y) + E e (fun z => ind (eq_dec z y)) * f y))
      by (intros; ring).
    rewrite sum_plus, sum_scal, <- IH by (intros y q Hy; apply (Has y q); now right). f_equal.
    destruct (Req_EM_T p 0) as [->|Hp]; [ring|]. f_equal. symmetry. apply sum_point; [assumption|].
    apply (Has x p); [now left | assumption].
Qed.

Section Completions.
  Variables (d : data) (world : positive -> Z -> dist (Z * positive)).
  Hypothesis Hworld : forall s i, is_law (world s i).
  Local Notation chance s i o := (outcome_chance world ((s, i), seen_as o)).

  Record row_holds (s : positive) (i : Z) (p : sampled) : Prop := {
    row_once : NoDup (map seen_as (possible p));
    row_missing : (0 < missing p)%Z;
    row_shares : (0 < shares p)%Z;
    row_possible : almost_surely (world s i) (fun os => In os (map seen_as (possible p)));
    row_ends : forall o, In o (possible p) -> 0 <= IZR (share o) / IZR (shares p) <= chance s i o
  }.
  Hypothesis Hrows : forall s i p, znth (sampled_at d s) i = Some p -> row_holds s (label p) p.

  Let Mt := truth d world.
  Let mo := completed_model d.
  Let Mo := meaning mo.
  Let T := Z.to_nat (data_horizon d).

  Lemma horizon_optimistic : jhorizon Mo = T.
  Proof. cbn. apply repeat_length. Qed.

  Lemma nth_error_repeat {X} (x : X) n t : (t < n)%nat -> nth_error (repeat x n) t = Some x.
  Proof. revert t; induction n as [|n IH]; intros t H; [lia|]. destruct t; [reflexivity|]. apply IH. lia. Qed.

  Lemma optimistic_actions t s : (t < T)%nat -> actions_at mo t s = concat (map completions (sampled_at d s)).
  Proof.
    intros Ht. unfold actions_at, mo, completed_model, model_with. cbn [steps]. rewrite nth_error_repeat by assumption.
    unfold groups, sampled_at. rewrite !get_tmap. destruct (get s (pair_rows d)); reflexivity.
  Qed.

  (** ** The mixture of a row *)

  Definition part_of (s : positive) (i : Z) (p : sampled) (o : possibility) : R :=
    (chance s i o - IZR (share o) / IZR (shares p)) / (IZR (missing p) / IZR (shares p)).
  Definition mixture_of_completions (s : positive) (i : Z) : dist Z :=
    match znth (sampled_at d s) i with
    | Some p => spread_from (part_of s (label p) p) (offset (map completions (sampled_at d s)) i) (possible p)
    | None => ret i
    end.

  Lemma E_row s i p f : row_holds s i p -> E (world s i) f = sum (possible p) (fun o => chance s i o * f (seen_as o)).
  Proof.
    intros [H1 _ _ H4 _]. rewrite (E_listed drawn_dec _ _ f H1 H4), sum_map. reflexivity.
  Qed.
  Lemma sum_shares s i p : row_holds s i p ->
    sum (possible p) (fun o => IZR (share o) / IZR (shares p)) = 1 - IZR (missing p) / IZR (shares p).
  Proof.
    intros [_ _ H3 _ _]. apply IZR_lt in H3. unfold missing. rewrite minus_IZR, IZR_zsum.
    rewrite (sum_ext _ _ (fun o => / IZR (shares p) * IZR (share o))) by (intros; unfold Rdiv; ring). rewrite sum_scal.
    field. lra.
  Qed.
  Lemma sum_chances s i p : row_holds s i p -> sum (possible p) (fun o => chance s i o) = 1.
  Proof.
    intros H. rewrite <- (E_const (world s i) 1) by apply Hworld. rewrite (E_row s i p _ H). apply sum_ext. intros.
      ring.
  Qed.
  Lemma missing_pos s i p : row_holds s i p -> 0 < IZR (missing p) / IZR (shares p).
  Proof. intros [_ H2 H3 _ _]. apply Rdiv_lt_0_compat; now apply IZR_lt. Qed.

  Lemma sum_parts s i p : row_holds s i p -> sum (possible p) (part_of s i p) = 1.
  Proof.
    intros H. pose proof (missing_pos s i p H) as Hm. unfold part_of.
    rewrite (sum_ext _ _ (fun o => / (IZR (missing p) / IZR (shares p)) * (chance s i o - IZR (share o) / IZR (shares
      p))))
      by (intros; unfold Rdiv; ring).
    rewrite sum_scal, sum_minus, (sum_chances s i p H), (sum_shares s i p H). field. unfold Rdiv in Hm |- *.
    destruct H as [_ H2 H3 _ _]. apply IZR_lt in H2, H3. split; lra.
  Qed.

  Lemma law_mixture s i : is_law (mixture_of_completions s i).
  Proof.
    unfold mixture_of_completions. destruct (znth (sampled_at d s) i) as [p|] eqn:E; [|apply law_ret].
    pose proof (Hrows s i p E) as H. split.
    - intros j q Hin. destruct (in_spread _ _ _ _ _ Hin) as [k [o [Hk [_ ->]]]]. unfold part_of.
      destruct (row_ends _ _ _ H o (znth_In _ _ _ Hk)) as [_ Ho]. pose proof (missing_pos s (label p) p H).
      apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat].
    - rewrite (E_spread _ _ (fun _ => 1)) by reflexivity.
      transitivity (sum (possible p) (part_of s (label p) p)); [apply sum_ext; intros; ring | now apply sum_parts].
  Qed.

  Lemma mixture_plays t s i p : (t < T)%nat -> znth (sampled_at d s) i = Some p ->
    almost_surely (mixture_of_completions s i) (fun j => exists o, In o (possible p) /\
      group_of (map completions (sampled_at d s)) j = i /\ znth (actions_at mo t s) j = Some (completed p o)).
  Proof.
    intros Ht E j q Hin _. unfold mixture_of_completions in Hin. rewrite E in Hin.
    destruct (in_spread _ _ _ _ _ Hin) as [k [o [Hk [-> _]]]]. exists o. split; [now apply znth_In in Hk|].
    rewrite (optimistic_actions t s Ht).
    apply (in_group (map completions (sampled_at d s)) i (completions p) k (completed p o)).
    - rewrite znth_map, E. reflexivity.
    - unfold completions. cbv zeta. rewrite znth_map, Hk. reflexivity.
  Qed.

  Lemma sum_proved p (G : Z * positive -> R) : (forall o, In o (possible p) -> 0 <= IZR (share o)) ->
    sum (proved_outcomes p) (fun o => IZR (weight o) * G (gain o, next o)) =
    sum (possible p) (fun o => IZR (share o) * G (seen_as o)).
  Proof.
    unfold proved_outcomes. induction (possible p) as [|o l IH]; intros H; [reflexivity|]. cbn [filter sum].
    rewrite <- IH by (intros; apply H; now right). destruct (Z.ltb_spec 0 (share o)) as [Hs|Hs]; cbn [map sum];
      [reflexivity|].
    pose proof (H o (or_introl eq_refl)) as H0. apply le_IZR in H0. assert (share o = 0%Z) as -> by lia. ring.
  Qed.

  Hypothesis Hgood : good_model mo = true.

  (** The mixture of the completions of a row is the row. *)
  Lemma mixture_is_row t s i p (F : Z -> Z * positive -> R) (G : Z * positive -> R) : (t < T)%nat ->
    znth (sampled_at d s) i = Some p ->
    (forall j os, group_of (map completions (sampled_at d s)) j = i -> F j os = G os) ->
    E (mixture_of_completions s i) (fun j => E (kernel Mo t s j) (F j)) = E (world s (label p)) G.
  Proof.
    intros Ht E0 HF. pose proof (Hrows s i p E0) as H. assert (H2 := row_missing _ _ _ H). assert (H3 := row_shares _
      _ _ H).
    assert (H5 := row_ends _ _ _ H). pose proof (IZR_lt _ _ H2) as H2'. pose proof (IZR_lt _ _ H3) as H3'.
    unfold mixture_of_completions. rewrite E0.
    set (rest := sum (possible p) (fun o => IZR (share o) * G (seen_as o))).
    rewrite (E_spread _ _ (fun o => / IZR (shares p) * (IZR (missing p) * G (seen_as o) + rest))).
    - rewrite (E_row s (label p) p G H).
      rewrite (sum_ext _ _ (fun o => (chance s (label p) o * G (seen_as o) - / IZR (shares p) * (IZR (share o) * G
        (seen_as o))) +
        / IZR (shares p) * rest * part_of s (label p) p o)) by (intros o _; unfold part_of; field; split; lra).
      rewrite sum_plus, sum_minus, !sum_scal, (sum_parts s (label p) p H). fold rest. ring.
    - intros k o Hk.
      destruct (in_group (map completions (sampled_at d s)) i (completions p) k (completed p o)) as [G1 G2].
      { rewrite znth_map, E0. reflexivity. }
      { unfold completions. cbv zeta. rewrite znth_map, Hk. reflexivity. }
      set (j := (offset (map completions (sampled_at d s)) i + k)%Z) in *.
      unfold Mo. rewrite (E_kernel mo t s j (completed p o)) by (rewrite (optimistic_actions t s Ht); exact G2).
      cbn [completed total outcomes sum weight gain next]. f_equal. rewrite HF by assumption. f_equal.
      rewrite (sum_ext _ _ (fun o => IZR (weight o) * G (gain o, next o))) by (intros; now rewrite HF).
      unfold rest. apply sum_proved. intros o' Ho'. destruct (H5 o' Ho') as [Hs _].
      apply (Rmult_le_compat_r (IZR (shares p))) in Hs; [|lra]. unfold Rdiv in Hs. rewrite Rmult_assoc, Rinv_l in Hs
        by lra.
      lra.
  Qed.

  (** ** Policies *)

  Definition original (h : jhistory positive Z Z) : jhistory positive Z Z :=
    (map (fun x => (fst (fst x), group_of (map completions (sampled_at d (fst (fst x)))) (snd (fst x)), snd x)) (fst h),
     snd h).
  Definition completed_policy (pi : jpolicy positive Z Z) : jpolicy positive Z Z :=
    fun h => bind (pi (original h)) (mixture_of_completions (jstate h)).

  Lemma original_time h : jtime (original h) = jtime h.
  Proof. apply map_length. Qed.
  Lemma original_extend h j os i : group_of (map completions (sampled_at d (jstate h))) j = i ->
    original (jextend h j os) = jextend (original h) i os.
  Proof. intros <-. reflexivity. Qed.
  Lemma original_earned l : earned Mt (fst (original (l, xH))) = earned Mo l.
  Proof.
    induction l as [|[[s i] z] l IH]; [reflexivity|]. cbn [original fst map earned] in *. rewrite IH, map_length.
    reflexivity.
  Qed.

  Variable pi : jpolicy positive Z Z.
  Hypothesis Hpi : is_jpolicy pi.
  Hypothesis Hal : plays_allowed Mt pi.

  Lemma law_completed : is_jpolicy (completed_policy pi).
  Proof. intros h. apply law_bind; [apply Hpi|]. intros i. apply law_mixture. Qed.

  Lemma plays_completed : plays_allowed Mo (completed_policy pi).
  Proof.
    intros h Ht. rewrite horizon_optimistic in Ht. apply as_bind. rewrite <- original_time in Ht.
    pose proof (Hal (original h) Ht) as Has. rewrite original_time in Ht. revert Has. apply as_impl.
    change (jstate (original h)) with (jstate h). intros i Hi. unfold Mo. cbn [allowed_action meaning truth] in *.
    rewrite (optimistic_actions _ _ Ht). destruct Hi as [Hi|[p Hp]].
    - rewrite Hi. apply as_always. intros j. now left.
    - pose proof (mixture_plays (jtime h) (jstate h) i p Ht Hp) as Hm. rewrite (optimistic_actions _ _ Ht) in Hm.
      revert Hm. apply as_impl. intros j [o [_ [_ Hj]]]. right. eauto.
  Qed.

  Lemma same_run f n : forall h, (jtime h + n = T)%nat ->
    E (jrun Mo (completed_policy pi) n h) (fun h' => f (original h')) = E (jrun Mt pi n (original h)) f.
  Proof.
    induction n as [|n IH]; intros h Hn; cbn [jrun]; [now rewrite !E_ret|].
    change (bind (jstep Mo (completed_policy pi) h) (jrun Mo (completed_policy pi) n))
      with (jrun Mo (completed_policy pi) (S n) h).
    change (bind (jstep Mt pi (original h)) (jrun Mt pi n)) with (jrun Mt pi (S n) (original h)).
    rewrite !E_jrun_S, !E_jstep. unfold completed_policy at 1. rewrite E_bind, original_time.
    change (jstate (original h)) with (jstate h). assert (Ht : (jtime h < T)%nat) by lia.
    apply E_ext_as. pose proof (Hal (original h)) as Has. rewrite original_time in Has. specialize (Has Ht).
    revert Has. apply as_impl. change (jstate (original h)) with (jstate h). intros i Hi. cbn [allowed_action truth
      Mt] in Hi.
    unfold Mt at 1. cbn [kernel truth].
    destruct (znth (sampled_at d (jstate h)) i) as [p|] eqn:Ep.
    - apply (mixture_is_row (jtime h) (jstate h) i p); [assumption | assumption|]. intros j os Hj.
      rewrite IH by (cbn; unfold jtime in Hn; lia). now rewrite (original_extend h j os i Hj).
    - destruct Hi as [Hi|[p Hp]]; [|congruence]. unfold mixture_of_completions. rewrite Ep, E_ret.
      unfold Mo at 1. cbn [kernel meaning]. rewrite (optimistic_actions _ _ Ht), Hi. cbn [map concat znth]. rewrite
        !E_ret.
      rewrite IH by (cbn; unfold jtime in Hn; lia). rewrite (original_extend h i _ i); [reflexivity|]. now rewrite Hi.
  Qed.

  (** Given: rows that are at least the proved parts; any policy of the true process.
      Differs: a step of the theorem about data.
      In words: 10-kl-learner.md#kl-certificate.
      Step of: production/proved. *)
  Theorem same_return f : E (jreturn_law Mo (completed_policy pi)) f = E (jreturn_law Mt pi) f.
  Proof.
    rewrite !E_jreturn_law, horizon_optimistic. change (jhorizon Mt) with T. change (jinit Mo) with (jinit Mt).
    apply E_ext. intros s. change ([], s) with (original ([], s)) at 2.
    rewrite <- (same_run (fun h => f (earned Mt (fst h))) T ([], s)) by reflexivity. apply E_ext. intros [l s'].
    f_equal. symmetry. apply original_earned.
  Qed.
End Completions.
