(** * The process of an accepted model

    A model that passes the tests of [Program.v] is a decision process whose laws are laws. Its histories play
    listed actions ([allowed_listed]), and every state has one ([listed_nonempty]). *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check Meaning.
Import ListNotations.
Open Scope R_scope.

Ltac split_tests H := repeat (apply andb_true_iff in H; let H' := fresh "Ht" in destruct H as [H H']).

Lemma IZR_zsum {X} (f : X -> Z) l : IZR (zsum f l) = sum l (fun x => IZR (f x)).
Proof. induction l as [|x l IH]; cbn [zsum sum]; [reflexivity|]. now rewrite plus_IZR, IH. Qed.

Lemma E_weights {X Y} (l : list X) (w : X -> Z) (y : X -> Y) (D : Z) (f : Y -> R) :
  E (map (fun x => (y x, IZR (w x) / IZR D)) l) f = / IZR D * sum l (fun x => IZR (w x) * f (y x)).
Proof. induction l as [|x l IH]; cbn [map E sum]; [ring|]. rewrite IH. unfold Rdiv. ring. Qed.

Lemma law_weights {X Y} (l : list X) (w : X -> Z) (y : X -> Y) (D : Z) :
  (0 < D)%Z -> forallb (fun x => 0 <=? w x)%Z l = true -> zsum w l = D ->
  is_law (map (fun x => (y x, IZR (w x) / IZR D)) l).
Proof.
  intros HD Hw Hs. assert (HD' : 0 < IZR D) by now apply IZR_lt. rewrite forallb_forall in Hw. split.
  - intros z p Hin. apply in_map_iff in Hin. destruct Hin as [x [Heq Hin]]. injection Heq as <- <-.
    specialize (Hw x Hin). apply Z.leb_le, IZR_le in Hw. apply Rmult_le_pos; [assumption|].
    left; now apply Rinv_0_lt_compat.
  - rewrite E_weights, (sum_ext l _ (fun x => IZR (w x))) by (intros; ring). rewrite <- IZR_zsum, Hs. field. lra.
Qed.

(** [M]'s process keeps [P] if every step that can occur keeps it. *)
Lemma as_jrun {S A B} (M : jmdp S A B) pi (P : jhistory S A B -> Prop) n :
  (forall h a os p, (jtime h < jhorizon M)%nat -> P h -> In (os, p) (kernel M (jtime h) (jstate h) a) ->
    P (jextend h a os)) ->
  forall h, (jtime h + n <= jhorizon M)%nat -> P h ->
  almost_surely (jrun M pi n h) (fun h' => P h' /\ jtime h' = (jtime h + n)%nat).
Proof.
  intros Hstep. induction n as [|n IH]; intros h Hn HP; cbn [jrun].
  - apply as_ret. split; [assumption | lia].
  - apply as_bind. unfold jstep. apply as_bind. intros a pa _ _. apply as_image. intros os p Hin _.
    assert (Ht : jtime (jextend h a os) = Datatypes.S (jtime h)) by reflexivity.
    pose proof (IH (jextend h a os) ltac:(lia) (Hstep h a os p ltac:(lia) HP Hin)) as H.
    revert H; apply as_impl. intros h' [H1 H2]. split; [assumption | lia].
Qed.

Section Good.
  Variable m : model.
  Hypothesis Hgood : good_model m = true.
  Let M := meaning m.

  Lemma good_facts :
    (0 < num (discount_rate m))%Z /\ (0 < den (discount_rate m))%Z /\ (0 < reward_den m)%Z /\ (0 < initial_den m)%Z /\
    forallb (fun sw => 0 <=? snd sw)%Z (initial m) = true /\ zsum snd (initial m) = initial_den m /\
    forallb good_step (steps m) = true.
  Proof.
    pose proof Hgood as H. unfold good_model in H. repeat rewrite andb_true_iff in H. rewrite !Z.ltb_lt, Z.eqb_eq in H.
    tauto.
  Qed.

  Lemma good_action_at t s a : In a (actions_at m t s) -> good_action a = true.
  Proof.
    unfold actions_at. destruct (nth_error (steps m) t) as [st|] eqn:Et; [|intros []].
    destruct (get s st) as [acts|] eqn:Es; [|intros []]. intros Hin.
    destruct good_facts as [_ [_ [_ [_ [_ [_ H]]]]]]. rewrite forallb_forall in H.
    specialize (H _ (nth_error_In _ _ Et)).
    apply (tall_get _ _ _ _ H) in Es. apply andb_true_iff in Es. destruct Es as [_ Es]. rewrite forallb_forall in Es.
    auto.
  Qed.

  Lemma action_facts t s i a : znth (actions_at m t s) i = Some a ->
    (0 < total a)%Z /\ (forall o, In o (outcomes a) -> (0 <= weight o)%Z) /\ zsum weight (outcomes a) = total a.
  Proof.
    intros H. apply znth_In, good_action_at in H. unfold good_action in H. repeat rewrite andb_true_iff in H.
    destruct H as [[H1 H2] H3]. apply Z.ltb_lt in H1. apply Z.eqb_eq in H3. rewrite forallb_forall in H2.
    repeat split; try assumption. intros o Ho. specialize (H2 o Ho). now apply Z.leb_le in H2.
  Qed.

  Lemma law_action t s i a : znth (actions_at m t s) i = Some a -> is_law (law_of_action a).
  Proof.
    intros H. destruct (action_facts t s i a H) as [H1 [H2 H3]].
    apply (law_weights (outcomes a) weight (fun o => (gain o, next o))); [assumption| |assumption].
    apply forallb_forall. intros o Ho. apply Z.leb_le. auto.
  Qed.

  Lemma is_jmdp_meaning : is_jmdp M.
  Proof.
    destruct good_facts as [_ [_ [_ [H4 [H5 [H6 _]]]]]]. split; cbn.
    - now apply (law_weights (initial m) snd fst).
    - intros t s i. destruct (znth (actions_at m t s) i) as [a|] eqn:E; [now apply (law_action t s i) | apply law_ret].
  Qed.

  Lemma E_init f : E (jinit M) f = / IZR (initial_den m) * sum (initial m) (fun sw => IZR (snd sw) * f (fst sw)).
  Proof. apply (E_weights (initial m) snd fst). Qed.

  Lemma E_kernel t s i a f : znth (actions_at m t s) i = Some a ->
    E (kernel M t s i) f = / IZR (total a) * sum (outcomes a) (fun o => IZR (weight o) * f (gain o, next o)).
  Proof. intros H. cbn. rewrite H. apply (E_weights (outcomes a) weight (fun o => (gain o, next o))). Qed.

  (** What is drawn is an outcome of the action, or nothing is earned. *)
  Lemma in_kernel t s i os p : In (os, p) (kernel M t s i) ->
    os = (0%Z, s) \/ exists a o, znth (actions_at m t s) i = Some a /\ In o (outcomes a) /\ os = (gain o, next o).
  Proof.
    cbn. destruct (znth (actions_at m t s) i) as [a|]; intros Hin.
    - apply in_map_iff in Hin. destruct Hin as [o [Heq Ho]]. injection Heq as <- _. right. now exists a, o.
    - destruct Hin as [Heq|[]]. injection Heq as <- _. now left.
  Qed.

  Lemma in_kernel_action t s i a os p : znth (actions_at m t s) i = Some a -> In (os, p) (kernel M t s i) ->
    exists o, In o (outcomes a) /\ os = (gain o, next o).
  Proof.
    intros Ha Hin. cbn in Hin. rewrite Ha in Hin. apply in_map_iff in Hin. destruct Hin as [o [Heq Ho]].
    injection Heq as <- _. now exists o.
  Qed.

  (** An average that is bounded for each outcome. *)
  Lemma kernel_above t s i a f (x : outcome -> Z) : znth (actions_at m t s) i = Some a ->
    (forall o, In o (outcomes a) -> f (gain o, next o) <= IZR (x o)) ->
    E (kernel M t s i) f <= IZR (zsum (fun o => weight o * x o)%Z (outcomes a)) / IZR (total a).
  Proof.
    intros H Hf. destruct (action_facts t s i a H) as [H1 [H2 _]]. apply IZR_lt in H1.
    rewrite (E_kernel t s i a f H), IZR_zsum. unfold Rdiv. rewrite Rmult_comm.
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply sum_le. intros o Ho. rewrite mult_IZR.
    apply Rmult_le_compat_l; [apply IZR_le; auto | auto].
  Qed.

  Lemma kernel_below t s i a f (x : outcome -> Z) : znth (actions_at m t s) i = Some a ->
    (forall o, In o (outcomes a) -> IZR (x o) <= f (gain o, next o)) ->
    IZR (zsum (fun o => weight o * x o)%Z (outcomes a)) / IZR (total a) <= E (kernel M t s i) f.
  Proof.
    intros H Hf. destruct (action_facts t s i a H) as [H1 [H2 _]]. apply IZR_lt in H1.
    rewrite (E_kernel t s i a f H), IZR_zsum. unfold Rdiv. rewrite Rmult_comm.
    apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|]. apply sum_le. intros o Ho. rewrite mult_IZR.
    apply Rmult_le_compat_l; [apply IZR_le; auto | auto].
  Qed.

  (** Where a state is listed, only its actions are allowed. *)
  Lemma allowed_listed t s i : actions_at m t s <> [] -> allowed_action M t s i -> exists a,
    znth (actions_at m t s) i = Some a.
  Proof. intros Hne [H|H]; [contradiction | assumption]. Qed.

  (** Listed states have actions. *)
  Lemma listed_nonempty t st s acts : nth_error (steps m) t = Some st -> get s st = Some acts -> acts <> [].
  Proof.
    intros Et Es. destruct good_facts as [_ [_ [_ [_ [_ [_ H]]]]]]. rewrite forallb_forall in H.
    specialize (H _ (nth_error_In _ _ Et)). apply (tall_get _ _ _ _ H) in Es. apply andb_true_iff in Es.
    destruct Es as [Es _].
    destruct acts; [discriminate | congruence].
  Qed.
End Good.

(** ** Rounding *)

Lemma floor_div_le x d : (0 < d)%Z -> IZR (x / d) <= IZR x / IZR d.
Proof.
  intros H. pose proof (div_mul_le x d H) as Hm. apply IZR_le in Hm. rewrite mult_IZR in Hm. apply IZR_lt in H.
  apply Rmult_le_reg_r with (IZR d); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma le_cdiv_div x d : (0 < d)%Z -> IZR x / IZR d <= IZR (cdiv x d).
Proof.
  intros H. pose proof (le_cdiv_mul x d H) as Hm. apply IZR_le in Hm. rewrite mult_IZR in Hm. apply IZR_lt in H.
  apply Rmult_le_reg_r with (IZR d); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** ** Suffixes of the list of steps *)

Lemma skipn_cons {X} t (l : list X) x rest : skipn t l = x :: rest -> nth_error l t = Some x /\ skipn (S t) l = rest.
Proof.
  revert l; induction t as [|t IH]; intros l H.
  - cbn in H. subst l. now split.
  - destruct l as [|y l]; [discriminate|]. cbn [skipn] in H. destruct (IH l H) as [H1 H2]. now split.
Qed.

Lemma skipn_nth_error {X} t (l : list X) i : nth_error (skipn t l) i = nth_error l (t + i).
Proof.
  revert l; induction t as [|t IH]; intros l; [reflexivity|]. destruct l as [|y l]; [now destruct i|]. apply IH.
Qed.
