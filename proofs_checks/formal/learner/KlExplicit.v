(** * An explicit learner: nothing is assumed of its planner or of its sets

    Mean, CVaR and their mixtures, G = c tau + (1 - c) min(tau / alpha, 1).  The sets have the prescribed ends exactly;
    rho maximises the optimistic value over the returns that the optimistic recursion can reach; the policy takes an
    action of largest optimistic value at every (t, s, y), and the cautious policy of largest pessimistic value.  All
    planner errors are 0, and the learner depends on the model through its horizon and initial law alone.  So the
    theorem of [KlStatement.v] is about something that exists. *)

Require Import Reals Lra Lia Psatz List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts RockafellarUryasev Mdp SupportingUtility
  DynamicProgramming EventHolds RegretAssembly CvarLearner KtRedundancy KlSets BestRow KlWidths KlLearner KlPlain
  KlHeadline RhoSearch KlEnds.
Import ListNotations.
Open Scope R_scope.

(** ** The weighting *)

Section Weight.
  Variables (c alpha : R).
  Hypothesis Hc : 0 <= c <= 1.
  Hypothesis Halpha : 0 < alpha <= 1.

  Lemma lipschitz_tail : lipschitz_weighting (mean_cvar_weight c alpha) (mean_cvar_slope c alpha).
  Proof.
    intros x y Hx Hy. pose proof (lipschitz_cvar alpha Halpha x y Hx Hy) as H. unfold mean_cvar_weight, mean_cvar_slope.
    replace (c * x + (1 - c) * cvar_weight alpha x - (c * y + (1 - c) * cvar_weight alpha y))
      with (c * (x - y) + (1 - c) * (cvar_weight alpha x - cvar_weight alpha y)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rabs_right c), (Rabs_right (1 - c)) by lra.
    unfold Rdiv. nra.
  Qed.

  Lemma concave_tail : concave_weighting (mean_cvar_weight c alpha).
  Proof.
    intros x y t Hx Hy Ht. unfold mean_cvar_weight.
    assert (H : t * cvar_weight alpha x + (1 - t) * cvar_weight alpha y <= cvar_weight alpha (t * x + (1 - t) * y)).
    { unfold cvar_weight. pose proof (Rmin_l (x / alpha) 1). pose proof (Rmin_r (x / alpha) 1).
      pose proof (Rmin_l (y / alpha) 1). pose proof (Rmin_r (y / alpha) 1). apply Rmin_glb; [|nra].
      replace ((t * x + (1 - t) * y) / alpha) with (t * (x / alpha) + (1 - t) * (y / alpha)) by (field; lra). nra. }
    nra.
  Qed.
End Weight.

(** ** The returns that the recursion can reach *)

Section Attainable.
  Context {S A : Type}.
  Variables (acts : S -> list A) (succ : S -> A -> list S) (b : beliefs S A).

  Fixpoint attainable_from (n : nat) (s : S) (y : R) : list R :=
    match n with
    | O => [y]
    | Datatypes.S n' => flat_map (fun a => flat_map
      (fun rp => flat_map (fun s' => attainable_from n' s' (fst rp + y)) (succ s a)) (hat b s a)) (acts s)
    end.

  Lemma in_bind {X Y} (d : dist X) (k : X -> dist Y) y p : In (y, p) (bind d k) -> exists x q r,
    In (x, q) d /\ In (y, r) (k x).
  Proof.
    induction d as [|[x q] d IH]; simpl; intros H; [destruct H|]. apply in_app_or in H. destruct H as [H|H].
    - apply in_map_iff in H. destruct H as [[y' r] [Heq H]]. injection Heq as -> _. exists x, q, r.
      split; [now left | assumption].
    - destruct (IH H) as [x' [q' [r [H1 H2]]]]. exists x', q', r. split; [now right | assumption].
  Qed.

  Lemma value_law_attainable h n s y x p : In (x, p) (value_law acts succ b h n s y) -> In x (attainable_from n s y).
  Proof.
    revert s y x p; induction n as [|n IH]; intros s y x p Hin; cbn [value_law attainable_from] in *.
    - destruct Hin as [Heq|[]]. injection Heq as -> _. now left.
    - destruct (acts s) as [|a l] eqn:Ha; [destruct Hin|]. set (a' := best_action acts succ b h n s y a l) in *.
      apply in_bind in Hin. destruct Hin as [r [q [p' [Hr Hin]]]].
      apply in_flat_map. exists a'. split; [apply argmax_spec|]. apply in_flat_map. exists (r, q). split; [assumption|].
      apply in_flat_map.
      assert (Hscale : forall c s', In (x, p') (scale c (value_law acts succ b h n s' (r + y))) ->
        In x (attainable_from n s' (r + y))).
      { intros c s' H. apply in_map_iff in H. destruct H as [[x' q'] [Heq H]]. injection Heq as -> _.
        exact (IH s' (r + y) x q' H). }
      apply in_app_or in Hin. destruct Hin as [Hin|Hin].
      + apply in_flat_map in Hin. destruct Hin as [s' [Hs' Hin]]. exists s'.
        split; [assumption | exact (Hscale _ s' Hin)].
      + destruct (succ s a') as [|s0 m] eqn:Hs; [destruct Hin|]. eexists. split; [|exact (Hscale _ _ Hin)].
        apply argmax_spec.
  Qed.
End Attainable.

(** The widths are positive as soon as there is a state. *)
Lemma lambda_positive {S A} (states : list S) (acts : S -> list A) (xs : list R) delta (s : S) N :
  In s states -> acts s <> [] -> 0 < delta <= 1 -> (1 <= N)%nat -> 0 < lambda states acts xs delta N.
Proof.
  intros Hs Ha Hd HN.
  assert (Hp : (1 <= length (pairs states acts))%nat).
  { destruct (acts s) as [|a l] eqn:He; [congruence|].
    assert (Hin : In (s, a) (pairs states acts))
      by (apply in_flat_map; exists s; rewrite He; split; [assumption | now left]).
    destruct (pairs states acts); [destruct Hin | simpl; lia]. }
  assert (Hn : (1 <= length states)%nat) by (destruct states; [destruct Hs | simpl; lia]).
  assert (Ht : 1 <= number_of_tests states acts xs / delta).
  { apply le_INR in Hp, Hn. simpl in Hp, Hn. pose proof (pos_INR (length xs)).
    assert (1 <= number_of_tests states acts xs) by (unfold number_of_tests; nra).
    apply (Rmult_le_reg_r delta); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hl : forall x, 1 <= x -> 0 <= ln x)
    by (intros x [Hx|<-]; [left; rewrite <- ln_1; apply ln_increasing; lra | rewrite ln_1; lra]).
  assert (0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra). pose proof (Hl _ Ht).
  pose proof (Hl (INR N) ltac:(apply le_INR in HN; exact HN)). unfold lambda. lra.
Qed.

Section Explicit.
  Load "setup/Equality".
  Variables (states : list S) (acts : S -> list A) (xs : list R) (delta c alpha : R).
  Hypothesis Hstates : NoDup states.
  Hypothesis Hall : forall s, In s states.
  Hypothesis Hacts : forall s, acts s <> [] /\ NoDup (acts s).
  Hypothesis Hxs : forall x, In x xs -> 0 <= x < 1.
  Hypothesis Hsorted : increasing_to_1 (-1) xs.
  Hypothesis Hc : 0 <= c <= 1.
  Hypothesis Halpha : 0 < alpha <= 1.
  Hypothesis Hdelta : 0 < delta <= 1.

  Local Notation pasts := (list (history S A)).
  Local Notation lam := (lambda states acts xs delta).
  Local Notation N_at := (N_at state_dec action_dec).
  Local Notation n_next := (n_next state_dec action_dec).
  Local Notation n_below := (n_below state_dec action_dec).
  Hypothesis Hlam : forall N, (1 <= N)%nat -> 0 < lam N.
  Local Notation e := (the_end lam Hlam).

  (** ** The sets *)

  Definition hat_level (past : pasts) s a (x : R) : R := e (N_at past s a) (n_below past s a x).
  Definition chk_level (past : pasts) s a (x : R) : R := 1 - e (N_at past s a) (N_at past s a - n_below past s a x).

  Definition exact_beliefs (past : pasts) : beliefs S A := {|
    low := fun s a s' => e (N_at past s a) (n_next past s a s');
    hat := fun s a => law_of_levels (hat_level past s a) 0 xs;
    chk := fun s a => law_of_levels (chk_level past s a) 0 xs
  |}.

  Lemma n_below_le past s a x : (n_below past s a x <= N_at past s a)%nat.
  Proof. apply filter_le. Qed.
  Lemma n_next_le past s a s' : (n_next past s a s' <= N_at past s a)%nat.
  Proof. apply filter_le. Qed.

  Lemma n_below_grows past s a x y : x <= y -> (n_below past s a x <= n_below past s a y)%nat.
  Proof.
    intros Hxy. unfold KlPlain.n_below. induction (seen state_dec action_dec (s, a) past) as [|o l IH]; simpl; [lia|].
    destruct (Rle_dec (fst o) x), (Rle_dec (fst o) y); simpl; try lia. exfalso; lra.
  Qed.

  Lemma hat_level_spec past s a :
    (forall x y, x <= y -> hat_level past s a x <= hat_level past s a y) /\ (forall x, 0 <= hat_level past s a x <= 1).
  Proof.
    split.
    - intros x y Hxy. apply the_end_grows; [now apply n_below_grows | apply n_below_le].
    - intros x. destruct (the_end_range lam Hlam (N_at past s a) (n_below past s a x) (n_below_le past s a x)).
      unfold hat_level. lra.
  Qed.

  Lemma chk_level_spec past s a :
    (forall x y, x <= y -> chk_level past s a x <= chk_level past s a y) /\ (forall x, 0 <= chk_level past s a x <= 1).
  Proof.
    split.
    - intros x y Hxy. unfold chk_level. pose proof (n_below_grows past s a x y Hxy).
      pose proof (the_end_grows lam Hlam (N_at past s a) (N_at past s a - n_below past s a y)
        (N_at past s a - n_below past s a x)
        ltac:(lia) ltac:(lia)). lra.
    - intros x. destruct (the_end_range lam Hlam (N_at past s a) (N_at past s a - n_below past s a x) ltac:(lia)).
      unfold chk_level. lra.
  Qed.

  Lemma levels_law (F : R -> R) :
    (forall x y, x <= y -> F x <= F y) -> (forall x, 0 <= F x <= 1) ->
    is_law (law_of_levels F 0 xs) /\ almost_surely (law_of_levels F 0 xs) (fun r => In r (xs ++ [1])) /\
    forall x, In x xs -> cdf (law_of_levels F 0 xs) x = F x.
  Proof.
    intros Hm Hr. split; [|split].
    - split; [|rewrite law_of_levels_total; ring].
      apply (law_of_levels_nonneg F Hm (fun x => proj2 (Hr x)) 0 xs (-1) Hsorted); [apply Hr | lra].
    - apply law_of_levels_support.
    - intros x Hx. rewrite (cdf_law_of_levels F 0 xs (-1) x Hsorted Hx). ring.
  Qed.

  Lemma end_is_below N x : (x <= N)%nat -> end_below states acts xs delta N x (e N x).
  Proof.
    intros H. destruct x as [|x]; [left; rewrite the_end_zero; lra|]. right.
    destruct (the_end_spec lam Hlam N (Datatypes.S x) ltac:(lia)) as [Hq Hk].
    pose proof (frequency_le_1 N (Datatypes.S x) H).
    assert (HN : 0 < INR N) by (apply lt_0_INR; lia). split; [lia|]. split; [lra|]. split; [|rewrite Hk; lra].
    destruct Hq as [_ Hq]. apply Rlt_le in Hq. apply (Rmult_le_compat_l (INR N)) in Hq; [|lra].
    replace (INR N * (INR (Datatypes.S x) / INR N)) with (INR (Datatypes.S x)) in Hq by (field; lra). exact Hq.
  Qed.

  Lemma sum_n_next past s a : sum states (fun s' => INR (n_next past s a s')) = INR (N_at past s a).
  Proof.
    unfold KlPlain.n_next, KlPlain.N_at.
    induction (seen state_dec action_dec (s, a) past) as [|o l IH]; cbn [filter length].
    - rewrite sum_const. simpl; ring.
    - rewrite (sum_ext states _ (fun s' => ind (state_dec (snd o) s') * 1 +
        INR (length (filter (fun o => if state_dec (snd o) s' then true else false) l)))).
      + rewrite sum_plus, (sum_point state_dec), IH, S_INR; [ring | assumption | apply Hall].
      + intros s' _. destruct (state_dec (snd o) s'); cbn [length ind]; [rewrite S_INR|]; ring.
  Qed.

  Theorem exact_beliefs_valid past : valid_beliefs state_dec action_dec states acts xs delta past (exact_beliefs past).
  Proof.
    split.
    - intros s a s'. split; [apply (the_end_range lam Hlam); apply n_next_le | apply end_is_below, n_next_le].
    - intros s a. cbn [low exact_beliefs]. destruct (N_at past s a) as [|N] eqn:HN.
      + rewrite (sum_ext states _ (fun _ => 0)); [rewrite sum_const; lra|]. intros s' _.
        pose proof (n_next_le past s a s') as Hle.
        rewrite HN in Hle. replace (n_next past s a s') with 0%nat by lia. apply the_end_zero.
      + assert (Hpos : 0 < INR (Datatypes.S N)) by (apply lt_0_INR; lia).
        apply Rle_trans with (sum states (fun s' => / INR (Datatypes.S N) * INR (n_next past s a s'))).
        * apply sum_le; intros s' _. pose proof (n_next_le past s a s') as Hle. rewrite HN in Hle.
          destruct (the_end_range lam Hlam (Datatypes.S N) (n_next past s a s') Hle) as [[_ H] _]. unfold Rdiv in H.
          lra.
        * rewrite sum_scal, sum_n_next, HN, Rinv_l; lra.
    - intros s a. destruct (hat_level_spec past s a) as [Hm Hr]. destruct (levels_law _ Hm Hr) as [H1 [H2 H3]].
      split; [exact H1|]. split; [exact H2|]. intros x Hx. cbn [hat exact_beliefs]. rewrite (H3 x Hx).
      apply end_is_below, n_below_le.
    - intros s a. destruct (chk_level_spec past s a) as [Hm Hr]. destruct (levels_law _ Hm Hr) as [H1 [H2 H3]].
      split; [exact H1|]. split; [exact H2|]. intros x Hx. cbn [chk exact_beliefs]. rewrite (H3 x Hx). unfold chk_level.
      replace (1 - (1 - e (N_at past s a) (N_at past s a - n_below past s a x)))
        with (e (N_at past s a) (N_at past s a - n_below past s a x)) by ring.
      apply end_is_below. lia.
  Qed.

  Theorem exact_beliefs_exact past : exact_sets state_dec action_dec states acts xs delta exact_beliefs past.
  Proof.
    split.
    - intros s a s' _ _. apply the_end_near, n_next_le.
    - intros s a x _ _ Hx. destruct (hat_level_spec past s a) as [Hm Hr]. destruct (levels_law _ Hm Hr) as [_ [_ H3]].
      cbn [hat exact_beliefs]. rewrite (H3 x Hx). apply the_end_near, n_below_le.
    - intros s a x _ HN Hx. destruct (chk_level_spec past s a) as [Hm Hr]. destruct (levels_law _ Hm Hr) as [_ [_ H3]].
      cbn [chk exact_beliefs]. rewrite (H3 x Hx). unfold chk_level.
      pose proof (n_below_le past s a x) as Hle. assert (Hpos : 0 < INR (N_at past s a)) by (apply lt_0_INR; lia).
      pose proof (the_end_near lam Hlam (N_at past s a) (N_at past s a - n_below past s a x) ltac:(lia)) as Hn.
      rewrite minus_INR in Hn by assumption.
      replace ((INR (N_at past s a) - INR (n_below past s a x)) / INR (N_at past s a))
        with (1 - INR (n_below past s a x) / INR (N_at past s a)) in Hn by (field; lra).
      replace (1 - (1 - e (N_at past s a) (N_at past s a - n_below past s a x)))
        with (e (N_at past s a) (N_at past s a - n_below past s a x)) by ring.
      exact Hn.
  Qed.

  (** ** The plans *)

  Load "setup/Model".
  Local Notation T := (horizon M).
  Local Notation succ := (fun (_ : S) (_ : A) => states).

  Definition believed_candidates (past : pasts) : list R :=
    flat_map (fun sp => attainable_from acts succ (exact_beliefs past) T (fst sp) 0) (init M).
  Definition rho_hat (past : pasts) : R := argmax
    (fun rho => v_hat acts succ M exact_beliefs past (tail_utility c alpha rho)) 0 (believed_candidates past).
  Definition rho_chk (past : pasts) : R := argmax
    (fun rho => v_chk acts succ M exact_beliefs past (tail_utility c alpha rho)) 0 (believed_candidates past).

  Definition policy_of_table (q : nat -> S -> R -> A -> R) : policy S A := fun g =>
    match acts (state g) with
    | [] => []
    | a :: l => ret (argmax (q (T - Datatypes.S (time g))%nat (state g) (collected g)) a l)
    end.
  Definition explicit_learner (past : pasts) : policy S A :=
    policy_of_table (fun n s y => backup_hat succ (exact_beliefs past)
      (Vhat acts succ (exact_beliefs past) (tail_utility c alpha (rho_hat past)) n) s y).
  Definition explicit_cautious (past : pasts) : policy S A :=
    policy_of_table (fun n s y => backup_chk succ (exact_beliefs past)
      (Vchk acts succ (exact_beliefs past) (tail_utility c alpha (rho_chk past)) n) s y).

  Lemma policy_of_is_policy q : is_policy (policy_of_table q).
  Proof.
    intros g. unfold policy_of_table. destruct (Hacts (state g)) as [H _].
    destruct (acts (state g)); [congruence | apply law_ret].
  Qed.

  Lemma explicit_greedy past :
    near_greedy_hat acts succ (exact_beliefs past) (tail_utility c alpha (rho_hat past)) T (fun _ => 0)
      (explicit_learner past).
  Proof.
    intros g n Hn. unfold explicit_learner, policy_of_table. replace (T - Datatypes.S (time g))%nat with n by lia.
    destruct (Hacts (state g)) as [H _]. destruct (acts (state g)) as [|a l] eqn:Ha; [congruence|]. apply as_ret.
    split; [apply argmax_spec|]. cbn [Vhat]. rewrite Ha. cbn [max_over]. lra.
  Qed.

  Lemma explicit_cautious_greedy past :
    near_greedy_chk acts succ (exact_beliefs past) (tail_utility c alpha (rho_chk past)) T (fun _ => 0)
      (explicit_cautious past).
  Proof.
    intros g n Hn. unfold explicit_cautious, policy_of_table. replace (T - Datatypes.S (time g))%nat with n by lia.
    destruct (Hacts (state g)) as [H _]. destruct (acts (state g)) as [|a l] eqn:Ha; [congruence|]. apply as_ret.
    split; [apply argmax_spec|]. cbn [Vchk]. rewrite Ha. cbn [max_over]. lra.
  Qed.

  Lemma explicit_near_best past h :
    supports_on (mean_cvar_weight c alpha) (mean_cvar_slope c alpha) (INR T) h ->
    v_hat acts succ M exact_beliefs past h <=
      v_hat acts succ M exact_beliefs past (tail_utility c alpha (rho_hat past)) + 0.
  Proof.
    intros [Hu Hbelow]. rewrite Rplus_0_r.
    assert (Hsucc : forall (s : S) (a : A), succ s a <> [])
      by (intros s a H; pose proof (Hall s) as Hs; rewrite H in Hs; destruct Hs).
    pose proof (valid_is_proper state_dec action_dec states acts xs delta Hxs past _ (exact_beliefs_valid past)) as Hb.
    set (b := exact_beliefs past) in *.
    assert (Hspec := fun s => value_law_spec acts (fun s => proj1 (Hacts s)) succ Hsucc b Hb h T s 0).
    set (d := bind (init M) (fun s => value_law acts succ b h T s 0)).
    assert (Hd : is_law d) by (apply law_bind; [apply HM | intros s; apply Hspec]).
    assert (Hdh : E d h = v_hat acts succ M exact_beliefs past h)
      by (unfold d; rewrite E_bind; apply E_ext; intros s; apply Hspec).
    assert (Hdf : forall f, E d f <= v_hat acts succ M exact_beliefs past f)
      by (intros f; unfold d; rewrite E_bind; apply E_le; [apply HM | intros s; apply Hspec]).
    assert (Hin : almost_surely d (fun x => 0 <= x <= INR T)).
    { apply as_bind, as_always. intros s. destruct (Hspec s) as [_ [_ [_ Hw]]]. revert Hw; apply as_impl; intros x Hx.
      lra. }
    destruct (rockafellar_uryasev d alpha Hd Halpha) as [_ [rho [p [Hrho [_ [_ Hru]]]]]].
    assert (Hcand : In rho (believed_candidates past)).
    { apply in_bind in Hrho. destruct Hrho as [s [q [r [Hs Hr]]]]. apply in_flat_map. exists (s, q).
      split; [assumption|].
      exact (value_law_attainable acts succ b h T s 0 rho r Hr). }
    rewrite <- Hdh. eapply Rle_trans; [exact (Hbelow d Hd Hin)|].
    rewrite (Phi_mean_cvar c alpha Hc Halpha d Hd), <- Hru, <- (E_tail_utility c alpha d rho Hd).
    eapply Rle_trans; [apply Hdf|].
    exact (proj2 (argmax_spec (fun rho => v_hat acts succ M exact_beliefs past (tail_utility c alpha rho)) 0
      (believed_candidates past)) rho (or_intror Hcand)).
  Qed.

  (** ** The theorem *)

  Hypothesis Hhorizon : (1 <= T)%nat.
  Hypothesis Hrewards : forall s a, almost_surely (reward M s a) (fun r => In r (xs ++ [1])).
  Variable best : R.
  Hypothesis Hbest : is_lub (fun x => exists pi,
    is_policy pi /\ allowed acts M pi /\ x = value (mean_cvar_weight c alpha) M pi) best.

  Definition explicit_theorem := kl_headline state_dec action_dec states acts xs M (mean_cvar_weight c alpha)
    (mean_cvar_slope c alpha) best delta
    Hstates Hall Hacts Hxs HM Hhorizon Hrewards (weighting_mean_cvar c alpha Hc Halpha)
      (lipschitz_tail c alpha Hc Halpha)
    (concave_tail c alpha Hc Halpha) Hbest Hdelta
    exact_beliefs explicit_learner (fun past => tail_utility c alpha (rho_hat past)) (fun _ => 0) (fun _ _ => 0)
    exact_beliefs_valid (fun past => policy_of_is_policy _)
      (fun past => tail_utility_supports c alpha Hc Halpha (INR T) (rho_hat past))
    explicit_near_best explicit_greedy
    explicit_cautious (fun past => tail_utility c alpha (rho_chk past)) (fun _ _ => 0)
    (fun past => policy_of_is_policy _) (fun past =>
      tail_utility_supports c alpha Hc Halpha (INR T) (rho_chk past)) explicit_cautious_greedy.

  (** The regret of the explicit learner, a priori, with no planner error left.
      Given: mean, CVaR and mixtures; an explicit learner with the exact sets and planner error 0.
      Differs: another learner; a priori, no planner assumed.
      In words: 10-kl-learner.md#kl-apriori.
      Step of: corrected/ii. *)
  Theorem explicit_learner_regret Gamma part K :
    (forall s a, NoDup (part s a) /\ INR (length (part s a)) <= Gamma) ->
    (forall s a, In a (acts s) -> almost_surely (trans M s a) (fun s' => In s' (part s a))) ->
    let G := mean_cvar_weight c alpha in
    let bound := fun past : pasts => mean_cvar_slope c alpha * (exp 1 / (exp 1 - 1) * (
      ((INR T - 1) * Rmin Gamma (2 * sqrt Gamma) + 2) *
        sqrt (2 * INR (length (pairs states acts)) * INR (length past) * INR T * lam (length past * T)%nat) +
      INR T ^ 2 * INR (length (pairs states acts)) + INR T * (INR T + 1) / 2 * ln (/ delta))) in
    forall dec : (forall path, {sometime (fun past => bound past < regret M explicit_learner G best past) path} +
                               {~ sometime (fun past => bound past < regret M explicit_learner G best past) path}),
    prob (episodes M explicit_learner K) dec <= 2 * delta.
  Proof.
    intros Hpart Hsupp G bound dec.
    assert (He : forall past, errors M (fun _ : pasts => 0) (fun (_ : pasts) (_ : nat) => 0) past = 0).
    { induction past as [|g past IH]; cbn [errors]; [reflexivity|]. unfold error. rewrite IH, sum_const. ring. }
    assert (Hiff : forall path, sometime (fun past => bound past < regret M explicit_learner G best past) path <->
      sometime (fun past => plain_a_priori_bound states acts xs M (mean_cvar_slope c alpha) delta (fun _ => 0)
        (fun _ _ => 0) Gamma past <
                            regret M explicit_learner G best past) path).
    { intros path. unfold sometime, plain_a_priori_bound, bound.
      split; intros [newer [past [Hn H]]]; exists newer, past;
        (split; [exact Hn|]); rewrite He, Rplus_0_r in *; exact H. }
    pose (dec2 := fun path => match dec path with left H => left (proj1 (Hiff path) H) | right n =>
      right (fun H => n (proj2 (Hiff path) H)) end).
    rewrite (prob_same _ _ _ dec dec2 Hiff).
    exact (proj2 (proj2 (explicit_theorem K)) Gamma part Hpart Hsupp exact_beliefs_exact dec2).
  Qed.
End Explicit.

(** The learner knows the horizon, the initial law and what it has seen; of transitions and rewards it knows nothing.
    Given: two models with the same horizon and initial law.
    Differs: the learner knows nothing else of the model.
    In words: 10-kl-learner.md#kl-apriori.
    Step of: corrected/ii. *)
Theorem explicit_learner_ignores_unknowns {S A} state_dec action_dec (states : list S)
  (acts : S -> list A) xs delta c alpha Hlam (M M2 : mdp S A) :
  horizon M2 = horizon M -> init M2 = init M ->
  explicit_learner state_dec action_dec states acts xs delta c alpha Hlam M2 =
  explicit_learner state_dec action_dec states acts xs delta c alpha Hlam M.
Proof. destruct M, M2; simpl; intros -> ->. reflexivity. Qed.
