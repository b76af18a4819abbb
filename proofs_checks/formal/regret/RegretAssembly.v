(** * From one episode to the regret      (paper: thm:main, its last part)

    A learner plays K episodes of an MDP M; its policy in each is any function of the episodes before.  N(s, a) counts
    the visits before the episode, eps(N) = sqrt(l / 2N) with l = ln((S0 + 2) S0 |A| K T / delta), and a visit with n
    steps left after it costs

      n min(1, S0 eps(N)) + min(1, 2 eps(N)),           n + 1 when N = 0.

    Suppose that, whenever the past is confident (see [EventHolds.v]), the episode's loss is at most L times the
    expected cost of its visits, plus w.  Then for the regret  sum_k best - Phi(pi_k),  with

      C = ((T - 1) S0 + 2) sqrt(2 S0 |A| K T l) + T^2 S0 |A| ,

      (i)   E regret  <=  L C + K w + delta K T ;
      (ii)  regret  <=  L e/(e-1) ( C + T(T+1)/2 ln(1/delta) ) + K w    with probability at least 1 - 2 delta.

    The supposition is what optimism and closeness give for the optimistic greedy learner. *)

Require Import Reals Lra Lia Psatz List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp HoeffdingFinite DkwFinite
  MartingaleStep EventHolds Telescoping CountingInequality.
Import ListNotations.
Open Scope R_scope.

Lemma NoDup_append {X} (l l' : list X) : NoDup l -> NoDup l' -> (forall x, In x l -> ~ In x l') -> NoDup (l ++ l').
Proof.
  intros Hl Hl'; induction Hl as [|x l Hx Hl IH]; intros H; simpl; [assumption|].
  constructor; [|apply IH; intros y Hy; apply H; now right].
  intros Hin; apply in_app_or in Hin; destruct Hin as [Hin|Hin]; [contradiction | apply (H x); [now left | assumption]].
Qed.

Lemma NoDup_list_prod {X Y} (l : list X) (l' : list Y) : NoDup l -> NoDup l' -> NoDup (list_prod l l').
Proof.
  intros Hl Hl'; induction Hl as [|x l Hx Hl IH]; simpl; [constructor|].
  apply NoDup_append; [|assumption|].
  - apply FinFun.Injective_map_NoDup; [|assumption]. intros y z H; now injection H.
  - intros p Hp Hin. apply in_map_iff in Hp; destruct Hp as [y [<- _]]. apply in_prod_iff in Hin; tauto.
Qed.

(** Visit costs, read from the latest episode. *)
Lemma visit_cost_snoc B c N ns n :
  visit_cost B c N (ns ++ [n]) = visit_cost B c N ns + INR n * bonus B c (N + list_sum ns).
Proof.
  revert N; induction ns as [|m ns IH]; intros N; simpl.
  - rewrite Nat.add_0_r; ring.
  - rewrite IH, Nat.add_assoc; ring.
Qed.

(** ** The cost of an episode *)

Section Cost.
  Context {S A : Type}.

  (** Steps are listed latest first: the latest has [n] steps left after it, the one before [n + 1], and so on. *)
  Fixpoint cost_in (cost : nat -> S -> A -> R) (n : nat) (steps : list (S * A * R)) : R :=
    match steps with
    | [] => 0
    | (s, a, _) :: rest => cost n s a + cost_in cost (Datatypes.S n) rest
    end.

  Lemma E_cost_in (M : mdp S A) pi cost t n :
    is_mdp M -> is_policy pi ->
    E (history_law M pi t) (fun h => cost_in cost n (fst h)) =
    sum (seq 0 t) (fun i => E (history_law M pi i) (fun h => E (pi h) (cost (n + (t - Datatypes.S i))%nat (state h)))).
  Proof.
    intros HM Hpi; revert n; induction t as [|t IH]; intros n.
    - rewrite E_history_law_0. simpl. apply E_zero.
    - rewrite E_history_law_S, seq_S, sum_app. cbn [sum]. rewrite Rplus_0_r, Nat.add_0_l, Nat.sub_diag, Nat.add_0_r.
      rewrite (E_ext _ _ (fun h => cost_in cost (Datatypes.S n) (fst h) + E (pi h) (cost n (state h)))).
      + rewrite E_plus, IH. f_equal. apply sum_ext; intros i Hi; apply in_seq in Hi.
        now replace (Datatypes.S n + (t - Datatypes.S i))%nat with (n + (Datatypes.S t - Datatypes.S i))%nat by lia.
      + intros h. rewrite E_step.
        rewrite (E_ext (pi h) _ (fun a => cost_in cost (Datatypes.S n) (fst h) + cost n (state h) a)).
        * rewrite E_plus, E_const by apply Hpi. reflexivity.
        * intros a. rewrite (E_ext _ _ (fun _ => cost_in cost (Datatypes.S n) (fst h) + cost n (state h) a));
            [apply E_const, reward_law, HM|]. intros r.
          rewrite (E_ext _ _ (fun _ => cost_in cost (Datatypes.S n) (fst h) + cost n (state h) a));
            [apply E_const, trans_law, HM|]. intros s. simpl. ring.
  Qed.

  Lemma expected_cost_is_mean (M : mdp S A) pi cost :
    is_mdp M -> is_policy pi ->
    E (history_law M pi (horizon M)) (fun h => cost_in cost 0 (fst h)) = expected_cost M pi cost.
  Proof. intros HM Hpi; now rewrite E_cost_in. Qed.

  Lemma cost_in_range cost n steps :
    (forall n s a, 0 <= cost n s a <= INR n + 1) ->
    0 <= cost_in cost n steps <= INR (length steps) * INR n + INR (length steps) * (INR (length steps) + 1) / 2.
  Proof.
    intros H; revert n; induction steps as [|[[s a] r] steps IH]; intros n; cbn [cost_in length].
    - simpl; lra.
    - specialize (IH (Datatypes.S n)). specialize (H n s a). rewrite S_INR in *. nra.
  Qed.
End Cost.

(** ** The regret *)

Section Regret.
  Load "setup/Equality".
  Load "setup/Play".

  (** The play stays among the listed states and actions. *)
  Variables (states : list S) (acts : list A).
  Hypothesis Hstates : NoDup states.
  Hypothesis Hacts : NoDup acts.
  Hypothesis Hinit : almost_surely (init M) (fun s => In s states).
  Hypothesis Htrans : forall s a, In s states -> almost_surely (trans M s a) (fun s' => In s' states).
  Hypothesis Hchoice : forall past h, almost_surely (learner past h) (fun a => In a acts).

  Variables (K : nat) (delta : R).
  Hypothesis Hdelta : 0 < delta.

  Local Notation T := (horizon M).
  Local Notation S0 := (INR (length states)).
  Local Notation A0 := (INR (length acts)).
  Local Notation pairs := (list_prod states acts).
  Local Notation seen_at := (seen state_dec action_dec).
  Local Notation seen_now := (seen_once state_dec action_dec).

  Definition log_term : R := ln ((S0 + 2) * S0 * A0 * INR K * INR T / delta).
  Definition radius (N : nat) : R := sqrt (log_term / (2 * INR N)).
  Hypothesis Hlog : 0 < log_term.

  (** The cost of a visit with [n] steps left, after [N] earlier visits of the pair. *)
  Definition visit (N n : nat) : R :=
    match N with
    | O => INR n + 1
    | _ => INR n * Rmin 1 (S0 * radius N) + Rmin 1 (2 * radius N)
    end.

  Definition cost (past : list (history S A)) (n : nat) (s : S) (a : A) : R := visit (length (seen_at (s, a) past)) n.

  Definition C : R := ((INR T - 1) * S0 + 2) * sqrt (2 * S0 * A0 * INR K * INR T * log_term) + INR T ^ 2 * (S0 * A0).

  Local Notation next := (fun past => history_law M (learner past) T).
  Local Notation Y := (fun past h => cost_in (cost past) 0 (fst h)).

  Lemma S0_nonneg : 0 <= S0.
  Proof. apply pos_INR. Qed.

  Lemma T_pos : 1 <= INR T.
  Proof.
    destruct T as [|t] eqn:Ht; [|rewrite S_INR; pose proof (pos_INR t); lra].
    exfalso. unfold log_term in Hlog. rewrite Ht in Hlog. simpl in Hlog. unfold Rdiv in Hlog.
    rewrite Rmult_0_r, Rmult_0_l in Hlog.
    unfold ln in Hlog. destruct (Rlt_dec 0 0); lra.
  Qed.

  Lemma visit_range N n : 0 <= visit N n <= INR n + 1.
  Proof.
    pose proof (pos_INR n). destruct N as [|N]; simpl visit; [lra|].
    pose proof (sqrt_pos (log_term / (2 * INR (Datatypes.S N)))) as Hr. fold (radius (Datatypes.S N)) in Hr.
    pose proof S0_nonneg.
    assert (0 <= Rmin 1 (S0 * radius (Datatypes.S N)) <= 1) by (split; [apply Rmin_glb; nra | apply Rmin_l]).
    assert (0 <= Rmin 1 (2 * radius (Datatypes.S N)) <= 1) by (split; [apply Rmin_glb; nra | apply Rmin_l]).
    nra.
  Qed.

  (** The bonus of the counting inequality dominates the cost of a visit. *)
  Definition c : R := ((INR T - 1) * S0 + 2) * sqrt (log_term / 2).

  Lemma visit_le_bonus N n : (n < T)%nat -> visit N n <= bonus (INR T) c N.
  Proof.
    intros Hn. assert (HnT : INR n + 1 <= INR T) by (rewrite <- S_INR; apply le_INR; lia).
    pose proof (visit_range N n) as Hv. destruct N as [|N]; [simpl; lra|]. unfold bonus.
    apply Rmin_glb; [lra|]. simpl visit.
    assert (HN : 0 < INR (Datatypes.S N)) by (apply lt_0_INR; lia).
    assert (Hr : radius (Datatypes.S N) = sqrt (log_term / 2) / sqrt (INR (Datatypes.S N))).
    { unfold radius. rewrite <- sqrt_div by lra. f_equal. field; lra. }
    pose proof (sqrt_pos (log_term / (2 * INR (Datatypes.S N)))) as Hr0. fold (radius (Datatypes.S N)) in Hr0.
    apply Rle_trans with (((INR T - 1) * S0 + 2) * radius (Datatypes.S N)).
    - pose proof (Rmin_r 1 (S0 * radius (Datatypes.S N))). pose proof (Rmin_r 1 (2 * radius (Datatypes.S N))).
      pose proof (pos_INR n). pose proof S0_nonneg.
      apply Rle_trans with (INR n * (S0 * radius (Datatypes.S N)) + 2 * radius (Datatypes.S N)); [nra|].
      assert (0 <= S0 * radius (Datatypes.S N)) by nra. nra.
    - rewrite Hr; unfold c, Rdiv; right; ring.
  Qed.

  (** ** Along a path *)

  Lemma episode_lives past t :
    almost_surely (history_law M (learner past) t) (fun h =>
      In (state h) states /\ List.Forall (fun step => In (fst step) pairs) (fst h)).
  Proof.
    induction t as [|t IH]; simpl.
    - apply as_image. revert Hinit; apply as_impl; intros s Hs. split; [exact Hs | constructor].
    - apply as_bind; revert IH; apply as_impl; intros h [Hs Hall]. apply as_step.
      specialize (Hchoice past h); revert Hchoice; apply as_impl; intros a Ha. apply as_always; intros r.
      specialize (Htrans (state h) a Hs); revert Htrans; apply as_impl; intros s' Hs'. split; [assumption|].
      constructor; [now apply in_prod | assumption].
  Qed.

  (** A sum over the steps of an episode is a sum over pairs of visits. *)
  Lemma cost_in_le_by_pairs past steps s' n :
    (n + length steps <= T)%nat -> List.Forall (fun step => In (fst step) pairs) steps ->
    cost_in (cost past) n steps <=
    sum pairs (fun sa => INR (length (seen_in state_dec action_dec sa steps s')) *
                         bonus (INR T) c (length (seen_at sa past))).
  Proof.
    intros Hlen Hall; revert n s' Hlen; induction Hall as [|[[s a] r] steps Hin _ IH]; intros n s' Hlen;
      simpl length in Hlen.
    - simpl. rewrite (sum_ext pairs _ (fun _ => 0)) by (intros; ring). rewrite sum_const; simpl; lra.
    - cbn [cost_in seen_in]. specialize (IH (Datatypes.S n) s ltac:(lia)).
      pose proof (visit_le_bonus (length (seen_at (s, a) past)) n ltac:(lia)) as Hv.
      rewrite (sum_ext pairs _ (fun sa =>
        ind (pair_dec state_dec action_dec (s, a) sa) * bonus (INR T) c (length (seen_at sa past)) +
        INR (length (seen_in state_dec action_dec sa steps s)) * bonus (INR T) c (length (seen_at sa past)))).
      + rewrite sum_plus, (sum_point (pair_dec state_dec action_dec));
          [unfold cost at 1; lra | now apply NoDup_list_prod | exact Hin].
      + intros sa _. destruct (pair_dec state_dec action_dec (s, a) sa); cbn [length ind]; [rewrite S_INR|]; ring.
  Qed.

  (** The number of visits of a pair in each episode, earliest first. *)
  Definition visits (sa : S * A) (path : list (history S A)) : list nat :=
    rev (map (fun h => length (seen_now sa h)) path).

  Lemma visits_total sa path : list_sum (visits sa path) = length (seen_at sa path).
  Proof.
    unfold visits, seen. induction path as [|h path IH]; simpl; [reflexivity|].
    rewrite list_sum_app, IH, app_length. simpl; lia.
  Qed.

  Lemma observed_le_visit_costs path :
    List.Forall (fun h => time h = T /\ List.Forall (fun step => In (fst step) pairs) (fst h)) path ->
    sum_observed Y path <= sum pairs (fun sa => visit_cost (INR T) c 0 (visits sa path)).
  Proof.
    induction 1 as [|h path [Hh Hall] _ IH]; cbn [sum_observed].
    - apply sum_nonneg. intros sa _. simpl; lra.
    - rewrite (sum_ext pairs _ (fun sa => visit_cost (INR T) c 0 (visits sa path) +
        INR (length (seen_now sa h)) * bonus (INR T) c (length (seen_at sa path)))).
      + rewrite sum_plus.
        pose proof (cost_in_le_by_pairs path (fst h) (snd h) 0 ltac:(unfold time in Hh; simpl; lia) Hall) as H.
        unfold seen_once. lra.
      + intros sa _. unfold visits; simpl map; simpl rev. fold (visits sa path).
        rewrite visit_cost_snoc, Nat.add_0_l, visits_total. reflexivity.
  Qed.

  Lemma visits_le sa path : List.Forall (fun h => time h = T) path ->
    List.Forall (fun n => (n <= T)%nat) (visits sa path).
  Proof.
    intros H; apply Forall_forall; intros n Hn. apply in_rev, in_map_iff in Hn; destruct Hn as [h [<- Hin]].
    rewrite Forall_forall in H; specialize (H h Hin).
    pose proof (seen_length state_dec action_dec M sa [h] ltac:(repeat constructor; assumption)) as Hl.
    unfold seen in Hl; simpl in Hl. rewrite app_nil_r in Hl. lia.
  Qed.

  (** Every visit is a step, so there are K T of them. *)
  Lemma total_visits path :
    List.Forall (fun h => time h = T /\ List.Forall (fun step => In (fst step) pairs) (fst h)) path ->
    sum pairs (fun sa => INR (list_sum (visits sa path))) = INR (length path) * INR T.
  Proof.
    intros H. rewrite (sum_ext pairs _ (fun sa => INR (length (seen_at sa path))))
      by (intros; now rewrite visits_total).
    induction H as [|h path [Hh Hall] _ IH]; unfold seen in *.
    - simpl. rewrite sum_const; simpl; ring.
    - simpl flat_map. rewrite (sum_ext pairs _ (fun sa => INR (length (seen_now sa h)) +
        INR (length (flat_map (seen_now sa) path)))) by (intros; now rewrite app_length, plus_INR).
      rewrite sum_plus, IH. cbn [length]; rewrite S_INR.
      enough (H : forall steps s', List.Forall (fun step => In (fst step) pairs) steps ->
        sum pairs (fun sa => INR (length (seen_in state_dec action_dec sa steps s'))) = INR (length steps)).
      { unfold seen_once. rewrite (H _ _ Hall). unfold time in Hh; rewrite Hh; ring. }
      clear -Hstates Hacts; intros steps s' Hall; revert s'; induction Hall as [|[[s a] r] steps Hin _ IH]; intros s'.
      + simpl. rewrite sum_const; ring.
      + cbn [seen_in]. rewrite (sum_ext pairs _ (fun sa => ind (pair_dec state_dec action_dec (s, a) sa) * 1 +
          INR (length (seen_in state_dec action_dec sa steps s)))).
        * rewrite sum_plus, (sum_point (pair_dec state_dec action_dec)), IH; [|now apply NoDup_list_prod | exact Hin].
          cbn [length]; rewrite S_INR; ring.
        * intros sa _. destruct (pair_dec state_dec action_dec (s, a) sa); cbn [length ind]; [rewrite S_INR|]; ring.
  Qed.

  (** The counting inequality bounds the observed cost by C.
      Given: any learner, states and actions listed, l > 0.
      In words: 08-regret.md#regret-theorem.
      Step of: corrected/i. *)
  Theorem observed_costs_le : almost_surely (episodes M learner K) (fun path => sum_observed Y path <= C).
  Proof.
    assert (Hfull : almost_surely (episodes M learner K) (fun path => length path = K /\
      List.Forall (fun h => time h = T /\ List.Forall (fun step => In (fst step) pairs) (fst h)) path)).
    { unfold episodes; induction K as [|k IH]; simpl; [apply as_ret; now split|].
      apply as_bind; revert IH; apply as_impl; intros past [Hlen Hall]. apply as_image.
      pose proof (as_and _ _ _ (history_time M (learner past) T) (episode_lives past T)) as H.
      revert H; apply as_impl; intros h [Hh [_ Hin]]. simpl; split; auto. }
    revert Hfull; apply as_impl; intros path [Hlen Hall].
    assert (Htime : List.Forall (fun h => time h = T) path) by (revert Hall; apply Forall_impl; tauto).
    pose proof T_pos as HT. pose proof S0_nonneg as HS. pose proof (pos_INR (length acts)) as HA.
    pose proof (pos_INR K) as HK.
    assert (Hc : 0 <= c) by (unfold c; pose proof (sqrt_pos (log_term / 2)); apply Rmult_le_pos; nra).
    eapply Rle_trans; [now apply observed_le_visit_costs|].
    eapply Rle_trans; [apply (visit_costs_le (INR T) c T); [lra | assumption | intros sa; now apply visits_le]|].
    cbv beta. rewrite total_visits, Hlen, prod_length, mult_INR by assumption. unfold C, c.
    replace (2 * S0 * A0 * INR K * INR T * log_term) with ((2 * 2) * ((log_term / 2) * (S0 * A0 * (INR K * INR T))))
      by field.
    rewrite (sqrt_mult (2 * 2)), sqrt_square, (sqrt_mult (log_term / 2)); try lra.
    - apply Rmult_le_pos; apply Rmult_le_pos; lra.
    - apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; apply Rmult_le_pos; lra.
  Qed.

  Definition B : R := INR T * (INR T + 1) / 2.

  Lemma Y_range past : almost_surely (next past) (fun h => 0 <= Y past h <= B).
  Proof.
    pose proof (history_time M (learner past) T) as H; revert H; apply as_impl; intros h Hh.
    pose proof (cost_in_range (cost past) 0 (fst h) (fun n s a => visit_range _ n)) as Hr.
    unfold time in Hh; rewrite Hh in Hr. simpl INR in Hr at 2. unfold B. lra.
  Qed.

  (** ** The theorem *)

  Variables (G : R -> R) (L w best : R).
  Hypothesis HG : weighting G.
  Hypothesis HL : 0 <= L.
  Hypothesis Hw : 0 <= w.
  Hypothesis Hrewards : rewards_within 1 M.
  Hypothesis Hbest : best <= INR T.

  Fixpoint regret (path : list (history S A)) : R :=
    match path with
    | [] => 0
    | _ :: past => (best - value G M (learner past)) + regret past
    end.

  (** What optimism and closeness give: on a confident past the episode loses at most L times its expected cost. *)
  Hypothesis Hepisode : forall past,
    confident state_dec action_dec M states acts radius past ->
    best - value G M (learner past) <= L * expected_cost M (learner past) (cost past) + w.

  Lemma regret_le_means path :
    (forall newer past, path = newer ++ past -> confident state_dec action_dec M states acts radius past) ->
    regret path <= L * sum_of_means next Y path + INR (length path) * w.
  Proof.
    induction path as [|h past IH]; intros H; cbn [regret sum_of_means length]; [simpl; lra|].
    rewrite S_INR. specialize (IH (fun newer past' Heq => H (h :: newer) past' (f_equal (cons h) Heq))).
    specialize (Hepisode past (H [h] past eq_refl)).
    rewrite <- expected_cost_is_mean in Hepisode by auto. lra.
  Qed.

  Lemma regret_le_trivially path : regret path <= INR (length path) * INR T.
  Proof.
    induction path as [|h past IH]; cbn [regret length]; [simpl; lra|]. rewrite S_INR.
    assert (0 <= value G M (learner past)); [|lra].
    apply (Phi_range G HG (return_law M (learner past)) 0 (INR T * 1));
      [now apply law_return | now apply return_within].
  Qed.

  Lemma means_nonneg path : 0 <= sum_of_means next Y path.
  Proof.
    induction path as [|h past IH]; cbn [sum_of_means]; [lra|].
    apply Rplus_le_le_0_compat; [|assumption].
    apply E_ge_const; [now apply law_history|]. pose proof (Y_range past) as H; revert H; apply as_impl; tauto.
  Qed.

  Local Notation misled := (misled_dec state_dec action_dec M states acts radius K).

  Lemma event : prob (episodes M learner K) misled <= delta /\
    almost_surely (episodes M learner K) (fun path =>
      ~ Exists (fun i => misled_at state_dec action_dec M states radius i path) (moments M states acts K) ->
      regret path <= L * sum_of_means next Y path + INR K * w).
  Proof.
    destruct (event_holds state_dec action_dec M learner states acts K delta HM Hlearner Hdelta Hlog) as [H1 H2].
    split; [exact H1|].
    pose proof (as_and _ _ _ H2 (episodes_are_full M learner K)) as H. revert H; apply as_impl.
    intros path [Hconf [Hlen _]] Hnot. rewrite <- Hlen. apply regret_le_means. exact (Hconf Hnot).
  Qed.

  (** Given: on a confident past each episode loses at most L times its expected cost, plus w.
      Step of: corrected/i. *)
  Theorem expected_regret_le : E (episodes M learner K) regret <= L * C + INR K * w + delta * INR K * INR T.
  Proof.
    destruct event as [Hprob Has]. assert (Hl : is_law (episodes M learner K)) by (apply law_episodes; assumption).
    apply Rle_trans with (E (episodes M learner K) (fun path =>
      L * sum_of_means next Y path + INR K * w + ind (misled path) * (INR K * INR T))).
    - apply E_le_as; [apply Hl|].
      pose proof (as_and _ _ _ Has (episodes_are_full M learner K)) as H; revert H; apply as_impl.
      intros path [Hgood [Hlen _]]. destruct (misled path) as [Hm|Hm]; cbn [ind].
      + pose proof (regret_le_trivially path) as Ht. rewrite Hlen in Ht.
        pose proof (Rmult_le_pos _ _ HL (means_nonneg path)). pose proof (Rmult_le_pos _ _ (pos_INR K) Hw). lra.
      + specialize (Hgood Hm). lra.
    - rewrite !E_plus, (E_const _ (INR K * w)), (E_scal _ L), E_scal_r by assumption. unfold episodes.
      rewrite (mean_of_observed next (fun past => law_history M (learner past) T HM (Hlearner past)) Y K).
      assert (HC : E (process next K) (sum_observed Y) <= C).
      { apply E_le_const; [exact Hl | exact observed_costs_le]. }
      pose proof (Rmult_le_compat_l L _ _ HL HC).
      assert (0 <= INR K * INR T) by (apply Rmult_le_pos; apply pos_INR).
      pose proof (Rmult_le_compat_r (INR K * INR T) _ _ ltac:(assumption) Hprob). unfold prob, episodes in *. lra.
  Qed.

  (** Whatever bounds the probability of being misled. *)
  Theorem regret_le_if_rarely_misled p q :
    0 < q -> prob (episodes M learner K) misled <= p ->
    prob (episodes M learner K) (fun path =>
      Rlt_dec (L * (exp 1 / (exp 1 - 1) * (C + B * ln (/ q))) + INR K * w) (regret path)) <= p + q.
  Proof.
    intros Hq Hprob. destruct event as [_ Has].
    assert (Hl : is_law (episodes M learner K)) by (apply law_episodes; assumption).
    pose proof T_pos as HT. assert (HB : 0 < B) by (unfold B; nra).
    pose proof (sum_of_means_rarely_large next
      (fun past => law_history M (learner past) T HM (Hlearner past)) Y B HB Y_range
      K q Hq) as Hmart.
    set (large := fun path => Rle_dec (exp 1 / (exp 1 - 1) * (sum_observed Y path + B * ln (/ q)))
                                      (sum_of_means next Y path)) in *.
    apply Rle_trans with (E (episodes M learner K) (fun path => ind (misled path) + ind (large path))).
    - apply E_le_as; [apply Hl|].
      pose proof (as_and _ _ _ Has observed_costs_le) as H; revert H; apply as_impl. intros path [Hgood Hobs].
      pose proof (ind_range (misled path)). pose proof (ind_range (large path)).
      destruct (Rlt_dec _ (regret path)) as [Hlarge|]; cbn [ind]; [|lra].
      destruct (misled path) as [Hm|Hm]; cbn [ind] in *; [lra|]. specialize (Hgood Hm).
      rewrite (ind_yes (large path)); [lra|].
      apply Rnot_lt_le; intros Hlt. apply (Rlt_not_le _ _ Hlarge).
      eapply Rle_trans; [exact Hgood|]. apply Rplus_le_compat_r, Rmult_le_compat_l; [assumption|].
      apply Rlt_le, Rlt_le_trans with (1 := Hlt). apply Rmult_le_compat_l; [|lra].
      assert (1 < exp 1) by (pose proof (exp_ineq1 1 R1_neq_R0); lra). left; apply Rdiv_lt_0_compat; lra.
    - rewrite E_plus. unfold prob, episodes in *. lra.
  Qed.

  (** Given: as expected_regret_le.
      Step of: corrected/ii. *)
  Theorem regret_le_with_high_probability :
    prob (episodes M learner K) (fun path =>
      Rlt_dec (L * (exp 1 / (exp 1 - 1) * (C + B * ln (/ delta))) + INR K * w) (regret path)) <= 2 * delta.
  Proof.
    replace (2 * delta) with (delta + delta) by ring. apply regret_le_if_rarely_misled; [assumption | apply event].
  Qed.
End Regret.
