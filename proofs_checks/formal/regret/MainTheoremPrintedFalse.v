(** * The printed regret theorem is false      (paper: thm:main)

    The paper lets the planner return any policy that is optimal in the optimistic model.  An optimal policy may do
    anything at rewards so far that the optimistic model cannot produce, and the true model produces them all the time.

    One ordinary state, T = 2, two actions.  Action a pays one of m values in [999/1000, 1), uniformly; action b pays 0;
    both are mixed with mass 1/1000 at 1, so that the paper's assumption F†(1) = T holds for every policy.  The planner
    returns a policy that is greedy, hence optimal, in the optimistic model, except that it plays b in the second step
    at every y that the optimistic model cannot reach.  In the true model the first reward is almost always new.  So
    every episode loses at least 995/1000 against always playing a, whatever was seen and whatever the radii are.  At K
    = 10^6 and delta = 1/100 the regret of the mean is at least 995000 on every path, hence in expectation, and the
    printed bound

      4 T^{3/2} L_G |S| sqrt( 5 |S| |A| K ln(4 |S| |A| K / delta) ),     |S| = |A| = 2,  L_G = 1,

    is below 475000: it is exceeded with probability one.  The argument goes through choices off the support of the
    optimistic model; a planner that is greedy at every (t, s, y) is not affected ([ConcaveLearner.v]). *)

Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Rcomplements.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp OneState LargestReturn
  DynamicProgramming QuantileCoupling OptimisticModel HoeffdingFinite DkwFinite MartingaleStep EventHolds RegretAssembly
  OptimisticLearner.
Import ListNotations.
Open Scope R_scope.

Local Notation mean := (fun tau : R => tau).

(** ** Two policies that agree where the process goes *)

Lemma same_where_it_goes {S A} (M : mdp S A) (p q : policy S A) n :
  (forall t, (t < n)%nat -> almost_surely (history_law M p t) (fun h => p h = q h)) ->
  forall f, E (history_law M p n) f = E (history_law M q n) f.
Proof.
  induction n as [|n IH]; intros H f; [reflexivity|].
  rewrite !E_history_law_S, <- IH by (intros t Ht; apply H; lia).
  apply E_ext_as. generalize (H n ltac:(lia)); apply as_impl; intros h Hh. now rewrite !E_step, Hh.
Qed.

(** ** Lengths of lists of atoms *)

Lemma length_insert z p l : length (insert z p l) = Datatypes.S (length l).
Proof.
  induction l as [|[a q] l IH]; simpl; [reflexivity|]. destruct (Rle_dec z a); simpl; [reflexivity | now rewrite IH].
Qed.

Lemma length_sort d : length (sort d) = length d.
Proof. induction d as [|[z p] d IH]; simpl; [reflexivity | now rewrite length_insert, IH]. Qed.

Lemma length_trim eps l : length (trim eps l) = length l.
Proof. revert eps; induction l as [|[x p] l IH]; intros eps; simpl; [reflexivity | now rewrite IH]. Qed.

Lemma length_raise eps d : length (raise eps d) = Datatypes.S (length d).
Proof. unfold raise; simpl. now rewrite length_trim, length_sort. Qed.

(** ** The true model *)

Section Printed.
  Variables (m K : nat) (rad : nat -> R).
  Hypothesis Hm : (0 < m)%nat.
  Hypothesis Hrad : forall N, 0 <= rad N.

  Definition points : list R := map (fun i => 999 / 1000 + INR i / (1000 * INR m)) (seq 0 m).
  Definition plain (b : bool) : dist R := if b then ret 0 else map (fun x => (x, / INR m)) points.
  Definition arm_pays (b : bool) : dist R := mixed (1 / 1000) (plain b).
  Definition two_arms : mdp unit bool := one_state 2 arm_pays.

  Lemma m_positive : 0 < INR m.
  Proof. apply lt_0_INR, Hm. Qed.

  Lemma length_points : length points = m.
  Proof. unfold points; now rewrite map_length, seq_length. Qed.

  Lemma points_within x : In x points -> 999 / 1000 <= x <= 1.
  Proof.
    intros Hx; apply in_map_iff in Hx; destruct Hx as [i [<- Hi]]; apply in_seq in Hi.
    pose proof m_positive as Hp. assert (Hi' : INR i <= INR m) by (apply le_INR; lia). pose proof (pos_INR i).
    assert (0 <= INR i / (1000 * INR m) <= 1 / 1000); [|lra]. split.
    - apply Rmult_le_pos; [assumption | left; apply Rinv_0_lt_compat; lra].
    - apply Rmult_le_reg_r with (1000 * INR m); [lra|].
      replace (INR i / (1000 * INR m) * (1000 * INR m)) with (INR i) by (field; lra). lra.
  Qed.

  Lemma NoDup_points : NoDup points.
  Proof.
    apply FinFun.Injective_map_NoDup; [|apply seq_NoDup]. intros i j Hij. pose proof m_positive.
    apply INR_eq. apply Rplus_eq_reg_l in Hij. apply (f_equal (fun x => x * (1000 * INR m))) in Hij.
    replace (INR i / (1000 * INR m) * (1000 * INR m)) with (INR i) in Hij by (field; lra).
    replace (INR j / (1000 * INR m) * (1000 * INR m)) with (INR j) in Hij by (field; lra). exact Hij.
  Qed.

  Lemma E_points f : E (plain false) f = / INR m * sum points f.
  Proof. simpl. rewrite E_equal_weights. ring. Qed.

  Lemma law_plain b : is_law (plain b).
  Proof.
    destruct b; [apply law_ret|]. split.
    - intros x p Hin; apply in_map_iff in Hin; destruct Hin as [y [Heq _]]; injection Heq as <- <-.
      left; apply Rinv_0_lt_compat, m_positive.
    - rewrite E_points, sum_const, length_points. pose proof m_positive. field; lra.
  Qed.

  Lemma plain_within b : almost_surely (plain b) (fun x => 0 <= x <= 1).
  Proof.
    destruct b; [apply as_ret; lra|]. intros x p Hin _. apply in_map_iff in Hin.
    destruct Hin as [y [Heq Hy]]; injection Heq as <- _.
    pose proof (points_within y Hy); lra.
  Qed.

  Lemma law_pays b : is_law (arm_pays b).
  Proof. apply law_mixed; [lra | apply law_plain]. Qed.

  Lemma is_mdp_two_arms : is_mdp two_arms.
  Proof. apply is_mdp_one_state, law_pays. Qed.

  Definition mu : R := E (arm_pays false) (fun x => x).

  Lemma mu_range : 999 / 1000 <= mu <= 1.
  Proof.
    assert (H : almost_surely (plain false) (fun x => 999 / 1000 <= x <= 1)).
    { intros x p Hin _; apply in_map_iff in Hin; destruct Hin as [y [Heq Hy]]; injection Heq as <- _.
      now apply points_within. }
    assert (Hp : 999 / 1000 <= E (plain false) (fun x => x) <= 1)
      by (split; [apply E_ge_const | apply E_le_const]; try apply law_plain; revert H; apply as_impl; tauto).
    unfold mu, arm_pays. rewrite E_mixed. lra.
  Qed.

  Lemma mean_of_b : E (arm_pays true) (fun x => x) = 1 / 1000.
  Proof. unfold arm_pays. rewrite E_mixed. unfold plain. rewrite E_ret. lra. Qed.

  Lemma mean_pays_le b : E (arm_pays b) (fun x => x) <= mu.
  Proof. destruct b; [rewrite mean_of_b; pose proof mu_range; lra | unfold mu; lra]. Qed.

  (** ** The optimistic model of a past, with any radii, and the planner's policy *)

  Definition radii : list (history unit bool) -> unit -> bool -> R := radius_by unit_dec Bool.bool_dec rad.

  Local Notation rewards_of past := (known_reward unit_dec Bool.bool_dec past).

  Definition hat (past : list (history unit bool)) : mdp (option unit) bool :=
    optimistic unit_dec [tt] two_arms (known_trans unit_dec Bool.bool_dec past) (rewards_of past) (radii past).

  Local Notation both := (fun _ : option unit => [false; true]).

  Lemma hat_estimates past : estimates (known_trans unit_dec Bool.bool_dec past) (rewards_of past) (radii past).
  Proof. now apply estimates_by. Qed.

  Lemma is_mdp_optimistic_arms past : is_mdp (hat past).
  Proof.
    apply is_mdp_optimistic; [repeat constructor; intros [] | intros [];
      now left | apply is_mdp_two_arms | apply hat_estimates].
  Qed.

  (** The rewards of one step in the optimistic model. *)
  Definition reach (past : list (history unit bool)) : list R :=
    map fst (reward (hat past) (Some tt) false) ++ map fst (reward (hat past) (Some tt) true).

  Definition planned (past : list (history unit bool)) : y_policy (option unit) bool := fun t s y =>
    match t with
    | O => greedy both (hat past) (fun z => z) t s y
    | _ => if in_dec Req_EM_T y (reach past) then greedy both (hat past) (fun z => z) t s y else ret true
    end.

  Lemma both_nonempty (s : option unit) : [false; true] <> [].
  Proof. discriminate. Qed.

  Lemma is_policy_planned past : is_policy (of_y_policy (planned past)).
  Proof.
    apply is_policy_of_y_policy. intros [|t] s y; unfold planned.
    - apply is_y_policy_greedy, both_nonempty.
    - destruct (in_dec Req_EM_T y (reach past)); [apply is_y_policy_greedy, both_nonempty | apply law_ret].
  Qed.

  Lemma planned_is_greedy_where_it_goes past t :
    (t < 2)%nat -> almost_surely (history_law (hat past) (of_y_policy (planned past)) t)
      (fun h => of_y_policy (planned past) h = of_y_policy (greedy both (hat past) (fun z => z)) h).
  Proof.
    intros Ht. destruct t as [|[|t]]; [| |lia].
    - generalize (history_time (hat past) (of_y_policy (planned past)) 0); apply as_impl; intros h Hh.
      unfold of_y_policy; now rewrite Hh.
    - cbn [history_law]. apply as_bind. change (init (hat past)) with (image Some (ret tt)).
      do 2 apply as_image. apply as_ret. apply as_step. intros a pa _ _ r pr Hr _ s' ps _ _.
      assert (Hin : In r (reach past)).
      { apply in_or_app. change (state (start (Some tt) : history (option unit) bool)) with (Some tt) in Hr.
        destruct a; [right | left]; apply in_map_iff; now exists (r, pr). }
      assert (Hc : collected (extend (start (Some tt)) a r s' : history (option unit) bool) = r)
        by (unfold collected; simpl; ring).
      unfold of_y_policy. rewrite Hc. change (time (extend (start (Some tt)) a r s')) with 1%nat. unfold planned.
      destruct (in_dec Req_EM_T r (reach past)); [reflexivity | contradiction].
  Qed.

  (** The planner's policy is optimal in the optimistic model, among all policies. *)
  Theorem planned_is_optimal past pi :
    is_policy pi -> value mean (hat past) pi <= value mean (hat past) (of_y_policy (planned past)).
  Proof.
    intros Hpi. unfold value. pose proof (is_mdp_optimistic_arms past) as HM.
    rewrite !Phi_id_eq_mean by (apply law_return; [exact HM | assumption || apply is_policy_planned]).
    eapply Rle_trans; [apply (utility_le_dp both (hat past) (fun z => z)); [exact HM | exact Hpi |]|].
    - intros h _ [|] p _ _; simpl; auto.
    - rewrite <- (greedy_utility_eq_dp both (hat past) (fun z => z)
        (of_y_policy (greedy both (hat past) (fun z => z)))).
      + rewrite !E_return_law. right; symmetry. apply same_where_it_goes. exact (planned_is_greedy_where_it_goes past).
      + apply is_policy_of_y_policy, is_y_policy_greedy, both_nonempty.
      + apply greedy_is_greedy, both_nonempty.
  Qed.

  (** ** What it earns in the true model *)

  Definition arm_played (past : list (history unit bool)) : policy unit bool :=
    fun h => planned past (time h) (Some (state h)) (collected h).

  Lemma is_policy_play past : is_policy (arm_played past).
  Proof.
    intros h; unfold arm_played, planned. destruct (time h).
    - apply is_y_policy_greedy, both_nonempty.
    - destruct (in_dec Req_EM_T _ _); [apply is_y_policy_greedy, both_nonempty | apply law_ret].
  Qed.

  (** Few of the points have been seen. *)
  Lemma few_points_reached past :
    sum points (fun x => ind (in_dec Req_EM_T x (reach past))) <= INR (length (reach past)).
  Proof.
    assert (H : sum points (fun x => ind (in_dec Req_EM_T x (reach past))) =
                INR (length (filter (fun x => if in_dec Req_EM_T x (reach past) then true else false) points))).
    { clear; induction points as [|x l IH]; cbn [sum filter]; [reflexivity|]. rewrite IH.
      destruct (in_dec Req_EM_T x (reach past)); cbn [ind length]; [rewrite S_INR|]; ring. }
    rewrite H. apply le_INR, NoDup_incl_length; [apply NoDup_filter, NoDup_points|].
    intros x Hx; apply filter_In in Hx; destruct Hx as [_ Hx]. now destruct (in_dec Req_EM_T x (reach past)).
  Qed.

  Lemma length_reach past n :
    (forall b, (length (seen unit_dec Bool.bool_dec (tt, b) past) <= n)%nat) -> (length (reach past) <= 2 * n + 4)%nat.
  Proof.
    intros H. unfold reach. rewrite app_length, !map_length. simpl reward. rewrite !length_raise.
    assert (Hk : forall b, (length (rewards_of past tt b) <= n + 1)%nat).
    { intros b; specialize (H b); unfold known_reward.
      destruct (seen unit_dec Bool.bool_dec (tt, b) past) as [|x xs]; [simpl; lia|].
      unfold image, empirical_law. rewrite !map_length. lia. }
    pose proof (Hk false). pose proof (Hk true). lia.
  Qed.

  Lemma value_of_play past n :
    (forall b, (length (seen unit_dec Bool.bool_dec (tt, b) past) <= n)%nat) ->
    value mean two_arms (arm_played past) <= mu + mu * (INR (2 * n + 4) / INR m + 1 / 1000) + 2 / 1000.
  Proof.
    intros Hn. pose proof mu_range as Hmu. pose proof m_positive as Hp.
    assert (Hfrac : 0 <= INR (2 * n + 4) / INR m).
    { apply Rmult_le_pos; [apply pos_INR | left; now apply Rinv_0_lt_compat]. }
    unfold value. rewrite Phi_id_eq_mean by (apply law_return; [apply is_mdp_two_arms | apply is_policy_play]).
    unfold two_arms; rewrite E_one_state_return.
    apply E_le_const; [apply is_policy_play|]. apply as_always; intros a.
    assert (Hsecond : forall a r, E (arm_played past (after a r)) (fun b => E (arm_pays b) (fun q => q + r)) <=
      mu * ind (in_dec Req_EM_T r (reach past)) + 1 / 1000 + r).
    { intros a' r. unfold arm_played. rewrite collected_after. change (time (after a' r)) with 1%nat. unfold planned.
      assert (Hb : forall b, E (arm_pays b) (fun q => q + r) = E (arm_pays b) (fun q => q) + r)
        by (intros b; rewrite E_plus, (E_const _ r) by apply law_pays; reflexivity).
      destruct (in_dec Req_EM_T r (reach past)); cbn [ind].
      - apply E_le_const; [apply is_y_policy_greedy, both_nonempty|]. apply as_always; intros b. rewrite Hb.
        pose proof (mean_pays_le b); lra.
      - rewrite E_ret, Hb, mean_of_b. lra. }
    apply Rle_trans with (E (arm_pays a) (fun r => mu * ind (in_dec Req_EM_T r (reach past)) + 1 / 1000 + r)).
    { apply E_le; [apply law_pays|]. intros r. apply Hsecond. }
    rewrite !E_plus, E_scal, (E_const _ (1 / 1000)) by apply law_pays.
    assert (Hind : 0 <= E (arm_pays a) (fun r => ind (in_dec Req_EM_T r (reach past))) <= 1).
    { split; [apply E_nonneg; [apply law_pays | intros; apply ind_range]|].
      apply E_le_const; [apply law_pays | apply as_always; intros; apply ind_range]. }
    destruct a.
    - (* first b: at most the mean of b and then that of a *)
      rewrite mean_of_b. nra.
    - (* first a: the second reward is lost unless the first was seen or is 1 *)
      fold mu. assert (Hseen : E (arm_pays false) (fun r => ind (in_dec Req_EM_T r (reach past))) <=
        INR (2 * n + 4) / INR m + 1 / 1000); [|nra].
      unfold arm_pays. rewrite E_mixed, E_points.
      assert (Hle : / INR m * sum points (fun x => ind (in_dec Req_EM_T x (reach past))) <= INR (2 * n + 4) / INR m).
      { unfold Rdiv. rewrite Rmult_comm. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
        eapply Rle_trans; [apply few_points_reached|]. now apply le_INR, length_reach. }
      pose proof (ind_range (in_dec Req_EM_T 1 (reach past))). lra.
  Qed.

  Lemma value_of_always_a : value mean two_arms (fun _ => ret false) = 2 * mu.
  Proof.
    unfold two_arms. rewrite (mean_one_state _ _ false (fun _ => false));
      [|apply law_pays | intros h; apply law_ret | reflexivity | reflexivity].
    fold mu. rewrite E_plus, E_const by apply law_pays. fold mu. ring.
  Qed.

  (** ** The regret *)

  Theorem every_episode_loses past best :
    (forall pi, is_policy pi -> value mean two_arms pi <= best) ->
    (4000 * (K + 1) <= m)%nat -> (length past <= K)%nat -> List.Forall (fun h => time h = 2%nat) past ->
    995 / 1000 <= best - value mean two_arms (arm_played past).
  Proof.
    intros Hbest HmK Hlen Hfull. pose proof mu_range as Hmu. pose proof m_positive as Hp.
    assert (Hseen : forall b, (length (seen unit_dec Bool.bool_dec (tt, b) past) <= K * 2)%nat).
    { intros b. pose proof (seen_length unit_dec Bool.bool_dec two_arms (tt, b) past Hfull) as H.
      change (horizon two_arms) with 2%nat in H. nia. }
    pose proof (value_of_play past (K * 2) Hseen) as Hv.
    pose proof (Hbest (fun _ => ret false) (fun h => law_ret false)) as Hb. rewrite value_of_always_a in Hb.
    assert (Hfrac : INR (2 * (K * 2) + 4) / INR m <= 1 / 1000).
    { apply Rmult_le_reg_r with (INR m); [assumption|].
      replace (INR (2 * (K * 2) + 4) / INR m * INR m) with (INR (2 * (K * 2) + 4)) by (field; lra).
      apply le_INR in HmK. rewrite mult_INR, plus_INR in HmK. rewrite plus_INR, !mult_INR. simpl (INR 1) in HmK.
      simpl (INR 2). simpl (INR 4).
      assert (H4 : INR 4000 = 4000) by (rewrite INR_IZR_INZ; reflexivity). rewrite H4 in HmK. lra. }
    assert (mu * (INR (2 * (K * 2) + 4) / INR m + 1 / 1000) <= mu * (2 / 1000)) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  Lemma regret_is_linear best :
    (forall pi, is_policy pi -> value mean two_arms pi <= best) -> (4000 * (K + 1) <= m)%nat ->
    almost_surely (episodes two_arms arm_played K)
      (fun path => 995 / 1000 * INR K <= regret two_arms arm_played mean best path).
  Proof.
    intros Hbest HmK. generalize (episodes_are_full two_arms arm_played K); apply as_impl. intros path [Hlen Hfull].
    rewrite <- Hlen. assert (Hle : (length path <= K)%nat) by lia. clear Hlen.
    induction Hfull as [|h past Hh Hfull IH]; cbn [regret length]; [simpl; lra|].
    rewrite S_INR. simpl length in Hle. specialize (IH ltac:(lia)).
    pose proof (every_episode_loses past best Hbest HmK ltac:(lia) Hfull). lra.
  Qed.

  Lemma model_satisfies_assumption : satisfies_assumption two_arms.
  Proof.
    apply rewards_at_1_satisfy_assumption with (1 / 1000); [apply is_mdp_two_arms | | lra|].
    - intros s b. apply mixed_within, plain_within.
    - intros s b. apply mixed_at_1; [lra | apply law_plain].
  Qed.
End Printed.

(** ** Against the printed bound *)

Definition printed_bound (T S A K L delta : R) : R :=
  4 * (T * sqrt T) * L * S * sqrt (5 * S * A * K * ln (4 * S * A * K / delta)).

Lemma exp_22_ge : 2 * 10 ^ 9 <= exp 22.
Proof.
  assert (He : (33 / 32) ^ 32 <= exp 1).
  { replace (exp 1) with (exp (1 / 32) ^ 32).
    - apply pow_incr. pose proof (exp_ineq1_le (1 / 32)). lra.
    - rewrite <- Rpower_pow by apply exp_pos. unfold Rpower. rewrite ln_exp. f_equal. rewrite INR_IZR_INZ. simpl. field.
      }
  assert (H1 : 267 / 100 <= exp 1) by (eapply Rle_trans; [|exact He]; lra).
  replace (exp 22) with (exp 1 ^ 22).
  - apply Rle_trans with ((267 / 100) ^ 22); [lra | apply pow_incr; lra].
  - rewrite <- Rpower_pow by apply exp_pos. unfold Rpower. rewrite ln_exp. f_equal. rewrite INR_IZR_INZ. simpl. ring.
Qed.

Lemma printed_bound_at_a_million : printed_bound 2 2 2 1000000 1 (1 / 100) < 475000.
Proof.
  unfold printed_bound.
  assert (Hln : ln (4 * 2 * 2 * 1000000 / (1 / 100)) <= 22).
  { rewrite <- (ln_exp 22). apply ln_le; [lra|]. pose proof exp_22_ge. lra. }
  set (l := ln (4 * 2 * 2 * 1000000 / (1 / 100))) in *.
  assert (Hl : 0 <= l) by (unfold l; rewrite <- ln_1; apply ln_le; lra).
  replace (4 * (2 * sqrt 2) * 1 * 2 * sqrt (5 * 2 * 2 * 1000000 * l)) with (16 * sqrt (2 * (5 * 2 * 2 * 1000000 * l)))
    by (rewrite (sqrt_mult 2) by lra; ring).
  assert (Hs : sqrt (2 * (5 * 2 * 2 * 1000000 * l)) <= 29666).
  { rewrite <- (sqrt_square 29666) by lra. apply sqrt_le_1_alt. lra. }
  lra.
Qed.

(** A planner whose policies are optimal in the optimistic models, with any radii, and a model with one ordinary state,
    two actions and two steps that satisfies the paper's assumption, such that the regret exceeds the printed bound on
    every path and in expectation.
    Given: any radii: one ordinary state, T = 2, K = 10^6, delta = 1/100, F†(1) = T, planners optimal in every
    optimistic model: regret at least 995000 on every path and in expectation, printed bound below 475000.
    Differs: through choices off the support of the optimistic model. *)
Theorem printed_regret_theorem_is_false (rad : nat -> R) :
  (forall N, 0 <= rad N) ->
  exists (m K : nat), let M := two_arms m in
    INR K = 1000000 /\ is_mdp M /\ rewards_within 1 M /\ horizon M = 2%nat /\ satisfies_assumption M /\
    (forall past pi, is_policy pi -> value mean (hat m rad past) pi <=
      value mean (hat m rad past) (of_y_policy (planned m rad past))) /\
    (forall past h, arm_played m rad past h =
      of_y_policy (planned m rad past) (map (fun st => (Some (fst (fst st)), snd (fst st), snd st)) (fst h),
      Some (state h))) /\
    (forall best, (forall pi, is_policy pi -> value mean M pi <= best) ->
       printed_bound 2 2 2 (INR K) 1 (1 / 100) < 475000 /\
       almost_surely (episodes M (arm_played m rad) K)
         (fun path => 995000 <= regret M (arm_played m rad) mean best path) /\
       995000 <= E (episodes M (arm_played m rad) K) (regret M (arm_played m rad) mean best)).
Proof.
  intros Hrad.
  assert (HK : exists K : nat, INR K = 1000000).
  { exists (Z.to_nat 1000000). rewrite INR_IZR_INZ, Z2Nat.id by lia. reflexivity. }
  destruct HK as [K HK]. set (m := (4000 * (K + 1))%nat).
  assert (Hm : (0 < m)%nat) by (unfold m; lia).
  exists m, K. intros M. split; [assumption|]. split; [now apply is_mdp_two_arms|].
  split; [intros s b; now apply mixed_within, plain_within|].
  split; [reflexivity|]. split; [now apply model_satisfies_assumption|].
  split; [intros past pi Hpi; now apply planned_is_optimal|]. split.
  - intros past h. unfold arm_played, of_y_policy. f_equal.
    + unfold time; simpl. now rewrite map_length.
    + unfold collected; simpl. induction (fst h) as [|st l IH]; simpl; [reflexivity | now rewrite IH].
  - intros best Hbest. split; [rewrite HK; apply printed_bound_at_a_million|].
    assert (Hall : almost_surely (episodes M (arm_played m rad) K)
      (fun path => 995000 <= regret M (arm_played m rad) mean best path)).
    { generalize (regret_is_linear m K rad Hm best Hbest (Nat.le_refl _)). apply as_impl. intros path Hpath.
      eapply Rle_trans; [|exact Hpath]. rewrite HK; lra. }
    split; [assumption|]. apply E_ge_const; [|assumption].
    apply law_episodes; [now apply is_mdp_two_arms | intros past; apply is_policy_play].
Qed.
