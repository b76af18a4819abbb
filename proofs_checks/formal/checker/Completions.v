(** * Every policy of the true process is a policy of the model of completions

    The true row of a pair is at least the proved part, and its mass outside of the outcomes seen is at most the part
    [beyond] of what is missing.  So it is a mixture of completions: of the rows that give that part to one possible
    outcome and the rest of the missing mass to one that was seen.  A policy of the true process, followed by that
    mixture, is a policy of the model in which each completion is an action, and has the same law of histories
    ([same_return]). *)

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

Fixpoint spread_from {X} (w : X -> R) (k : Z) (l : list X) : dist Z :=
  match l with [] => [] | o :: l' => (k, w o) :: spread_from w (k + 1) l' end.

Lemma E_spread {X} (w : X -> R) F f l : forall k, (forall j o, znth l j = Some o -> F (k + j)%Z = f o) ->
  E (spread_from w k l) F = sum l (fun o => w o * f o).
Proof.
  induction l as [|o l IH]; intros k H; cbn [spread_from E sum]; [reflexivity|].
  pose proof (H 0%Z o eq_refl) as H0. rewrite Z.add_0_r in H0. rewrite H0, (IH (k + 1)%Z); [reflexivity|].
  intros j o' Hj. pose proof (znth_inside _ _ _ Hj). rewrite <- (H (j + 1)%Z o').
  - f_equal. lia.
  - cbn [znth]. destruct (Z.eqb_spec (j + 1) 0); [lia|]. now replace (j + 1 - 1)%Z with j by lia.
Qed.

Lemma in_spread {X} (w : X -> R) l : forall k i p, In (i, p) (spread_from w k l) ->
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

Lemma sum_pairs {X Y} (l : list X) (l' : list Y) f :
  sum (flat_map (fun x => map (fun y => (x, y)) l') l) f = sum l (fun x => sum l' (fun y => f (x, y))).
Proof. induction l as [|x l IH]; [reflexivity|]. cbn [flat_map sum]. now rewrite sum_app, sum_map, IH. Qed.
Lemma sum_filter {X} (P : X -> bool) (l : list X) f : sum (filter P l) f = sum l (fun x => if P x then f x else 0).
Proof. induction l as [|x l IH]; [reflexivity|]. cbn [filter sum]. destruct (P x); cbn [sum]; lra. Qed.

Section Completions.
  Variables (d : data) (world : positive -> Z -> dist (Z * positive)).
  Hypothesis Hworld : forall s i, is_law (world s i).
  Local Notation chance s i o := (DataEvent.chance world (s, i) [seen_as o]).

  Record row_holds (s : positive) (i : Z) (p : sampled) : Prop := {
    row_once : NoDup (map seen_as (possible p));
    row_beyond : (0 < beyond p)%Z;
    row_inner : (0 <= inner p)%Z;
    row_shares : (0 < shares p)%Z;
    row_possible : almost_surely (world s i) (fun os => In os (map seen_as (possible p)));
    row_ends : forall o, In o (possible p) -> 0 <= IZR (share o) / IZR (shares p) <= chance s i o;
    row_seen : inner p <> 0%Z -> 1 - IZR (beyond p) / IZR (shares p) <= sum (seen_of p) (fun o => chance s i o)
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

  (** What is left of an outcome, and how much of that stays among the outcomes seen. *)
  Definition left_of (s : positive) (i : Z) (p : sampled) (o : possibility) : R :=
    chance s i o - IZR (share o) / IZR (shares p).
  Definition left_seen (s : positive) (i : Z) (p : sampled) : R := sum (seen_of p) (left_of s i p).
  Definition kept_of (s : positive) (i : Z) (p : sampled) (o : possibility) : R :=
    if (inner p =? 0)%Z then 0
    else if (0 <? times o)%Z then IZR (inner p) / IZR (shares p) / left_seen s i p * left_of s i p o else 0.
  Definition part_of (s : positive) (i : Z) (p : sampled) (x : option possibility * possibility) : R :=
    (match fst x with Some o => left_of s i p o / left_seen s i p | None => 1 end) *
    ((left_of s i p (snd x) - kept_of s i p (snd x)) / (IZR (beyond p) / IZR (shares p))).
  Definition mixture_of_completions (s : positive) (i : Z) : dist Z :=
    match znth (sampled_at d s) i with
    | Some p => spread_from (part_of s (label p) p) (offset (map completions (sampled_at d s)) i) (places p)
    | None => ret i
    end.

  Lemma chance_one s i os : DataEvent.chance world (s, i) [os] = prob (world s i) (fun y => drawn_dec y os).
  Proof.
    unfold DataEvent.chance, prob. apply E_ext. intros y. unfold ind.
    destruct (into_dec [os] y) as [[H|[]]|H], (drawn_dec y os) as [E|E]; try reflexivity; [now elim E|].
    elim H. left. congruence.
  Qed.
  Lemma E_row s i p f : row_holds s i p -> E (world s i) f = sum (possible p) (fun o => chance s i o * f (seen_as o)).
  Proof.
    intros [H1 _ _ _ H4 _ _]. rewrite (E_listed drawn_dec _ _ f H1 H4), sum_map. apply sum_ext. intros o _.
    now rewrite chance_one.
  Qed.
  Lemma sum_shares s i p : row_holds s i p ->
    sum (possible p) (fun o => IZR (share o) / IZR (shares p)) = 1 - IZR (missing p) / IZR (shares p).
  Proof.
    intros [_ _ _ H3 _ _ _]. apply IZR_lt in H3. unfold missing. rewrite minus_IZR, IZR_zsum.
    rewrite (sum_ext _ _ (fun o => / IZR (shares p) * IZR (share o))) by (intros; unfold Rdiv; ring). rewrite sum_scal.
    field. lra.
  Qed.
  Lemma sum_chances s i p : row_holds s i p -> sum (possible p) (fun o => chance s i o) = 1.
  Proof.
    intros H. rewrite <- (E_const (world s i) 1) by apply Hworld. rewrite (E_row s i p _ H). apply sum_ext. intros.
      ring.
  Qed.
  Lemma beyond_pos s i p : row_holds s i p -> 0 < IZR (beyond p) / IZR (shares p).
  Proof. intros [_ H2 _ H3 _ _ _]. apply Rdiv_lt_0_compat; now apply IZR_lt. Qed.
  Lemma left_nonneg s i p o : row_holds s i p -> In o (possible p) -> 0 <= left_of s i p o.
  Proof. intros H Ho. destruct (row_ends _ _ _ H o Ho). unfold left_of. lra. Qed.
  Lemma in_seen p o : In o (seen_of p) -> In o (possible p).
  Proof. intros H. now apply filter_In in H. Qed.

  Lemma sum_left s i p : row_holds s i p ->
    sum (possible p) (left_of s i p) = IZR (inner p) / IZR (shares p) + IZR (beyond p) / IZR (shares p).
  Proof.
    intros H. unfold left_of. rewrite sum_minus, (sum_chances s i p H), (sum_shares s i p H).
    unfold inner. rewrite minus_IZR. unfold Rdiv. ring.
  Qed.

  (** What is proved of the outcomes seen leaves them more than the part that stays among them. *)
  Lemma left_seen_ge s i p : row_holds s i p -> inner p <> 0%Z ->
    0 < IZR (inner p) / IZR (shares p) <= left_seen s i p.
  Proof.
    intros H Hi. pose proof (row_seen _ _ _ H Hi) as Hs. pose proof (row_inner _ _ _ H) as Hn.
    pose proof (IZR_lt _ _ (row_shares _ _ _ H)) as Hd. split.
    - apply Rdiv_lt_0_compat; [apply IZR_lt; lia | assumption].
    - unfold left_seen, left_of. rewrite sum_minus.
      assert (Hle : sum (seen_of p) (fun o => IZR (share o) / IZR (shares p)) <=
        sum (possible p) (fun o => IZR (share o) / IZR (shares p))).
      { unfold seen_of. rewrite sum_filter. apply sum_le. intros o Ho. destruct (row_ends _ _ _ H o Ho).
        destruct (0 <? times o)%Z; lra. }
      rewrite (sum_shares s i p H) in Hle. unfold inner. rewrite minus_IZR. unfold Rdiv in *. lra.
  Qed.

  Lemma kept_range s i p o : row_holds s i p -> In o (possible p) -> 0 <= kept_of s i p o <= left_of s i p o.
  Proof.
    intros H Ho. pose proof (left_nonneg s i p o H Ho) as Hl. unfold kept_of. destruct (Z.eqb_spec (inner p) 0) as
      [E|E];
      [lra|]. destruct (0 <? times o)%Z; [|lra]. destruct (left_seen_ge s i p H E) as [H1 H2].
    assert (0 <= IZR (inner p) / IZR (shares p) / left_seen s i p <= 1); [|nra]. split.
    - apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
    - apply Rmult_le_reg_r with (left_seen s i p); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l; lra.
  Qed.

  (** The mean over the places: what goes beyond, and what stays, at [G]. *)
  Lemma sum_places s i p (G : possibility -> R) (rest : R) : row_holds s i p ->
    sum (places p) (fun x => part_of s i p x * (IZR (beyond p) / IZR (shares p) * G (snd x) +
      match fst x with Some o => IZR (inner p) / IZR (shares p) * G o | None => 0 end + rest)) =
    sum (possible p) (fun o => left_of s i p o * G o) + rest.
  Proof.
    intros H. pose proof (beyond_pos s i p H) as HB. set (B := IZR (beyond p) / IZR (shares p)) in *.
    set (I := IZR (inner p) / IZR (shares p)) in *. unfold places. rewrite sum_pairs.
    set (K := sum (possible p) (fun o => kept_of s i p o * G o)).
    assert (HK1 : sum (possible p) (kept_of s i p) = I).
    { unfold kept_of. fold I. destruct (Z.eqb_spec (inner p) 0) as [E|E].
      - rewrite (sum_const (possible p) 0). unfold I. rewrite E. unfold Rdiv. ring.
      - destruct (left_seen_ge s i p H E) as [H1 H2]. fold I in H1, H2.
        rewrite (sum_ext _ _ (fun o => I / left_seen s i p * (if (0 <? times o)%Z then left_of s i p o else 0)))
          by (intros o _; destruct (0 <? times o)%Z; ring).
        rewrite sum_scal, <- sum_filter. fold (seen_of p). fold (left_seen s i p). field. lra. }
    assert (Hone : forall c, sum (possible p) (fun o => (left_of s i p o - kept_of s i p o) / B * (B * G o + c)) =
      sum (possible p) (fun o => left_of s i p o * G o) - K + c).
    { intros c. rewrite (sum_ext _ _ (fun o => (left_of s i p o * G o - kept_of s i p o * G o) +
        c / B * (left_of s i p o - kept_of s i p o))) by (intros; field; lra).
      rewrite sum_plus, sum_scal, !sum_minus, (sum_left s i p H), HK1. fold K I B. field. lra. }
    destruct (Z.eqb_spec (inner p) 0) as [E|E].
    - cbn [sum fst snd]. unfold part_of; cbn [fst snd]. fold B.
      rewrite (sum_ext _ _ (fun o => (left_of s i p o - kept_of s i p o) / B * (B * G o + rest)))
        by (intros; ring). rewrite Hone. unfold K, kept_of. rewrite E. cbn [Z.eqb].
      rewrite (sum_ext _ (fun o => 0 * G o) (fun _ => 0)) by (intros; ring). rewrite sum_const. ring.
    - destruct (left_seen_ge s i p H E) as [H1 H2]. fold I in H1, H2. rewrite sum_map.
      rewrite (sum_ext _ _ (fun o => left_of s i p o / left_seen s i p *
        (sum (possible p) (fun o => left_of s i p o * G o) - K + rest + I * G o))).
      + rewrite (sum_ext _ _ (fun o => (sum (possible p) (fun o => left_of s i p o * G o) - K + rest) /
          left_seen s i p * left_of s i p o + I / left_seen s i p * (left_of s i p o * G o)))
          by (intros; field; lra).
        rewrite sum_plus, !sum_scal. fold (left_seen s i p).
        assert (HK : K = I / left_seen s i p * sum (seen_of p) (fun o => left_of s i p o * G o)).
        { unfold K, kept_of, seen_of. fold I. rewrite sum_filter, <- sum_scal. apply sum_ext. intros o _.
          destruct (Z.eqb_spec (inner p) 0); [contradiction|]. destruct (0 <? times o)%Z; ring. }
        rewrite <- HK. field. lra.
      + intros o _. unfold part_of; cbn [fst snd]. fold B.
        rewrite (sum_ext _ _ (fun o' => left_of s i p o / left_seen s i p *
          ((left_of s i p o' - kept_of s i p o') / B * (B * G o' + (I * G o + rest))))) by (intros; ring).
        rewrite sum_scal, Hone. ring.
  Qed.

  Lemma sum_parts s i p : row_holds s i p -> sum (places p) (part_of s i p) = 1.
  Proof.
    intros H. pose proof (sum_places s i p (fun _ => 0) 1 H) as E.
    assert (H0 : sum (possible p) (fun o => left_of s i p o * 0) = 0)
      by (rewrite (sum_ext _ _ (fun _ => 0)), sum_const by (intros; ring); ring).
    cbv beta in E. rewrite H0, Rplus_0_l in E.
    rewrite <- E. apply sum_ext. intros [[o|] o'] _; cbn [fst snd]; ring.
  Qed.

  Lemma in_places p x : In x (places p) -> In (snd x) (possible p) /\
    match fst x with Some o => inner p <> 0%Z /\ In o (seen_of p) | None => inner p = 0%Z end.
  Proof.
    unfold places. intros H. apply in_flat_map in H. destruct H as [e [He Hx]]. apply in_map_iff in Hx.
    destruct Hx as [o [<- Ho]]. split; [assumption|]. cbn [fst]. destruct (Z.eqb_spec (inner p) 0) as [E|E].
    - destruct He as [<-|[]]. assumption.
    - apply in_map_iff in He. destruct He as [o' [<- Ho']]. now split.
  Qed.

  Lemma law_mixture s i : is_law (mixture_of_completions s i).
  Proof.
    unfold mixture_of_completions. destruct (znth (sampled_at d s) i) as [p|] eqn:E; [|apply law_ret].
    pose proof (Hrows s i p E) as H. split.
    - intros j q Hin. destruct (in_spread _ _ _ _ _ Hin) as [k [o [Hk [_ ->]]]]. unfold part_of.
      destruct (in_places p o (znth_In _ _ _ Hk)) as [H1 H2]. pose proof (beyond_pos s (label p) p H) as HB.
      destruct (kept_range s (label p) p (snd o) H H1) as [_ H3]. apply Rmult_le_pos.
      + destruct (fst o) as [o'|]; [|lra]. destruct H2 as [H2 H4]. destruct (left_seen_ge s (label p) p H H2).
        apply Rmult_le_pos; [apply (left_nonneg s (label p) p o' H), (in_seen p o' H4) | left;
          apply Rinv_0_lt_compat; lra].
      + apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat].
    - rewrite (E_spread _ _ (fun _ => 1)) by reflexivity.
      transitivity (sum (places p) (part_of s (label p) p)); [apply sum_ext; intros; ring | now apply sum_parts].
  Qed.

  Lemma mixture_plays t s i p : (t < T)%nat -> znth (sampled_at d s) i = Some p ->
    almost_surely (mixture_of_completions s i) (fun j => exists o, In o (places p) /\
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
    intros Ht E0 HF. pose proof (Hrows s i p E0) as H. assert (H3 := row_shares _ _ _ H).
    assert (H5 := row_ends _ _ _ H). pose proof (IZR_lt _ _ H3) as H3'.
    unfold mixture_of_completions. rewrite E0.
    set (rest := sum (possible p) (fun o => IZR (share o) * G (seen_as o))).
    rewrite (E_spread _ _ (fun x => IZR (beyond p) / IZR (shares p) * G (seen_as (snd x)) +
      match fst x with Some o => IZR (inner p) / IZR (shares p) * G (seen_as o) | None => 0 end +
      / IZR (shares p) * rest)).
    - rewrite (sum_places s (label p) p (fun o => G (seen_as o)) _ H), (E_row s (label p) p G H). unfold left_of, rest.
      rewrite <- sum_scal, <- sum_plus. apply sum_ext. intros o _. unfold Rdiv. ring.
    - intros k o Hk.
      destruct (in_group (map completions (sampled_at d s)) i (completions p) k (completed p o)) as [G1 G2].
      { rewrite znth_map, E0. reflexivity. }
      { unfold completions. cbv zeta. rewrite znth_map, Hk. reflexivity. }
      set (j := (offset (map completions (sampled_at d s)) i + k)%Z) in *.
      unfold Mo. rewrite (E_kernel mo t s j (completed p o)) by (rewrite (optimistic_actions t s Ht); exact G2).
      unfold completed, completed_with. cbn [total outcomes sum added weight gain next]. rewrite HF by assumption.
      assert (Hrest : sum (proved_outcomes p) (fun o => IZR (weight o) * F j (gain o, next o)) = rest).
      { rewrite (sum_ext _ _ (fun o => IZR (weight o) * G (gain o, next o))) by (intros; now rewrite HF).
        unfold rest. apply sum_proved. intros o' Ho'. destruct (H5 o' Ho') as [Hs _].
        apply (Rmult_le_compat_r (IZR (shares p))) in Hs; [|lra]. unfold Rdiv in Hs. rewrite Rmult_assoc, Rinv_l in Hs
          by lra. lra. }
      unfold seen_as. destruct (fst o) as [o'|]; cbn [sum added weight gain next]; rewrite Hrest;
        [rewrite HF by assumption|]; field; lra.
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
