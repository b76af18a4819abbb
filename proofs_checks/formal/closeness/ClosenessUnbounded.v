(** * Kolmogorov-close rewards do not make y-policies close      (paper: lem:genbound)

    The printed bound is  |Phi'(pi) - Phi(pi)| <= T L_G B(pi),  B(pi) the expected sum of the Kolmogorov and l1 errors
    of the pairs met.  It fails without bound, whichever of the two models B is taken under:  for every c there are
    models with one state, T = 2, rewards in [0, 1] and a deterministic y-policy such that, for the mean (L_G = 1),

      | Phi'(pi) - Phi(pi) |  >  c T B(pi)     under M and under M'.

    Action a pays 1 with probability 1/100; otherwise an odd multiple of 1/4m in M, an even multiple in M', uniformly
    among m values: distance at most 1/m.  Action b pays 1.  So F†(1) = T for every policy of either model, as the paper
    assumes. The policy plays a, and then again a exactly after a multiple that is possible in M'. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp Telescoping OneState LargestReturn.
Import ListNotations.
Open Scope R_scope.

Definition uniform (xs : list R) : dist R := map (fun x => (x, / INR (length xs))) xs.

Lemma E_uniform xs f : E (uniform xs) f = / INR (length xs) * sum xs f.
Proof.
  unfold uniform. generalize (/ INR (length xs)); intros p.
  induction xs as [|x xs IH]; simpl; [ring | rewrite IH; ring].
Qed.

Lemma law_uniform xs : xs <> [] -> is_law (uniform xs).
Proof.
  intros H. assert (Hn : 0 < INR (length xs)) by (apply lt_0_INR; destruct xs; [congruence | simpl; lia]).
  split.
  - intros x p Hin; apply in_map_iff in Hin; destruct Hin as [y [Heq _]]; injection Heq as <- <-.
    left; now apply Rinv_0_lt_compat.
  - rewrite E_uniform, sum_const. field; lra.
Qed.

Section Interlaced.
  Variable m : nat.
  Hypothesis Hm : (0 < m)%nat.

  Let e : R := / (4 * INR m).
  Definition odd_points : list R := map (fun i => INR (2 * i + 1) * / (4 * INR m)) (seq 0 m).
  Definition even_points : list R := map (fun i => INR (2 * i) * / (4 * INR m)) (seq 0 m).

  Lemma m_pos : 0 < INR m.
  Proof. apply lt_0_INR, Hm. Qed.

  Lemma e_pos : 0 < e.
  Proof. apply Rinv_0_lt_compat; pose proof m_pos; lra. Qed.

  Lemma points_range x : In x odd_points \/ In x even_points -> 0 <= x <= 1 / 2.
  Proof.
    pose proof m_pos as Hp. pose proof e_pos as He. unfold e in He.
    assert (H : forall j, (j <= 2 * m)%nat -> 0 <= INR j * / (4 * INR m) <= 1 / 2).
    { intros j Hj. apply le_INR in Hj. rewrite mult_INR in Hj. simpl (INR 2) in Hj. pose proof (pos_INR j).
      split; [nra|].
      replace (1 / 2) with (2 * INR m * / (4 * INR m)) by (field; lra). apply Rmult_le_compat_r; lra. }
    intros [Hx|Hx]; apply in_map_iff in Hx; destruct Hx as [i [<- Hi]]; apply in_seq in Hi; apply H; lia.
  Qed.

  Lemma odd_not_even x : In x odd_points -> ~ In x even_points.
  Proof.
    intros Hx Hy; apply in_map_iff in Hx; destruct Hx as [i [<- _]]; apply in_map_iff in Hy; destruct Hy as [j [Heq _]].
    pose proof e_pos as He; unfold e in He. apply Rmult_eq_reg_r in Heq; [|lra]. apply INR_eq in Heq. lia.
  Qed.

  (** Between the two distribution functions lies at most one step of height 1/m. *)
  Lemma steps_interlace n x :
    let D := sum (seq 0 n) (fun i => ind (Rle_dec (INR (2 * i) * e) x) - ind (Rle_dec (INR (2 * i + 1) * e) x)) in
    0 <= D <= 1 /\ (INR (2 * n) * e - e <= x -> D = 0).
  Proof.
    pose proof e_pos as He. induction n as [|n [IH1 IH2]]; intros D; subst D.
    - simpl; split; lra.
    - rewrite seq_S, Nat.add_0_l.
      assert (Hs : forall f, sum (seq 0 n ++ [n]) f = sum (seq 0 n) f + f n).
      { intros f; clear. induction (seq 0 n) as [|i l IH]; simpl; [ring | rewrite IH; ring]. }
      rewrite !Hs.
      assert (H2 : INR (2 * Datatypes.S n) = INR (2 * n) + 2) by
        (replace (2 * Datatypes.S n)%nat with (2 * n + 2)%nat by lia; rewrite plus_INR; simpl (INR 2); ring).
      assert (H1 : INR (2 * n + 1) = INR (2 * n) + 1) by (rewrite plus_INR; reflexivity). rewrite H2, H1. clear H1 H2.
      set (D := sum (seq 0 n) _) in *.
      destruct (Rle_dec (INR (2 * n) * e) x) as [H1|H1]; destruct (Rle_dec ((INR (2 * n) + 1) * e) x) as [H2|H2];
        simpl ind.
      + rewrite IH2 by lra. split; lra.
      + rewrite IH2 by lra. split; lra.
      + exfalso; lra.
      + split; lra.
  Qed.

  Definition paid_from (points : list R) (b : bool) : dist R := mixed (1 / 100) (if b then ret 1 else uniform points).
  Definition odd_model : mdp unit bool := one_state 2 (paid_from odd_points).
  Definition even_model : mdp unit bool := one_state 2 (paid_from even_points).

  Lemma length_odd : length odd_points = m.
  Proof. unfold odd_points; now rewrite map_length, seq_length. Qed.

  Lemma length_even : length even_points = m.
  Proof. unfold even_points; now rewrite map_length, seq_length. Qed.

  Lemma law_pay points b : length points = m -> is_law (paid_from points b).
  Proof.
    intros H; apply law_mixed; [lra|]. destruct b; [apply law_ret | apply law_uniform]. intros ->; simpl in H; lia.
  Qed.

  Lemma law_points points : length points = m -> is_law (uniform points).
  Proof. intros H; apply law_uniform. intros ->; simpl in H; lia. Qed.

  (** The Kolmogorov errors: 1/m at a, 0 at b. *)
  Definition reward_error (b : bool) : R := if b then 0 else / INR m.

  Lemma cdfs_of_rewards_close b x : Rabs (cdf (paid_from even_points b) x - cdf (paid_from odd_points b) x) <=
    reward_error b.
  Proof.
    unfold cdf, paid_from. rewrite !E_mixed. destruct b; cbn [reward_error].
    - rewrite Rminus_eq_0, Rabs_R0; lra.
    - rewrite !E_uniform, length_odd, length_even.
      unfold even_points, odd_points; rewrite !sum_map. fold e.
      destruct (steps_interlace m x) as [HD _]; cbv zeta in HD; rewrite sum_minus in HD.
      pose proof (Rinv_0_lt_compat _ m_pos).
      rewrite Rabs_pos_eq; nra.
  Qed.

  (** First a; then a again exactly after a reward of the even model. *)
  Definition parity : y_policy unit bool := fun t _ y =>
    ret (if Nat.eqb t 0 then false else if in_dec Req_EM_T y even_points then false else true).

  Lemma is_policy_parity : is_policy (of_y_policy parity).
  Proof. intros h; apply law_ret. Qed.

  Lemma parity_after a r : of_y_policy parity (after a r) = ret (if in_dec Req_EM_T r even_points then false else true).
  Proof. unfold of_y_policy, parity. now rewrite collected_after. Qed.

  Lemma mean_of_points points : (forall x, In x points -> 0 <= x <= 1 / 2) -> length points = m ->
    0 <= E (uniform points) (fun x => x) <= 1 / 2.
  Proof.
    intros H Hl. assert (Hlaw : is_law (uniform points)) by (apply law_uniform; intros ->; simpl in Hl; lia).
    assert (Has : almost_surely (uniform points) (fun x => 0 <= x <= 1 / 2)).
    { intros x p Hin _; apply in_map_iff in Hin; destruct Hin as [y [Heq Hy]]; injection Heq as <- _; auto. }
    split; [apply E_ge_const | apply E_le_const]; auto; revert Has; apply as_impl; tauto.
  Qed.

  (** After a reward of 1 the policy plays b, whose mean is 1. *)
  Lemma mean_of_true points : E (paid_from points true) (fun q => q) = 1.
  Proof. unfold paid_from. rewrite E_mixed, E_ret. lra. Qed.

  Lemma one_is_no_point : (if in_dec Req_EM_T 1 even_points then false else true) = true.
  Proof.
    destruct (in_dec Req_EM_T 1 even_points) as [H|]; [|reflexivity]. pose proof (points_range 1 (or_intror H)); lra.
  Qed.

  Lemma value_odd : 1 <= value (fun tau => tau) odd_model (of_y_policy parity).
  Proof.
    unfold odd_model. rewrite (mean_one_state _ _ false
      (fun r => if in_dec Req_EM_T r even_points then false else true));
      [|intros b; apply law_pay, length_odd | apply is_policy_parity | reflexivity | apply parity_after].
    unfold paid_from at 1. rewrite E_mixed, one_is_no_point, mean_of_true. rewrite (E_ext_as _ _ (fun r => 1 + r)).
    - rewrite E_plus, E_const by (apply law_points, length_odd).
      pose proof (mean_of_points odd_points (fun x Hx => points_range x (or_introl Hx)) length_odd). lra.
    - intros r p Hin _. apply in_map_iff in Hin; destruct Hin as [y [Heq Hy]]; injection Heq as <- _.
      destruct (in_dec Req_EM_T y even_points) as [Hin|_];
        [exfalso; now apply (odd_not_even y) | now rewrite mean_of_true].
  Qed.

  (** The mean of the even points is (m - 1)/4m. *)
  Lemma sum_of_evens n : sum (seq 0 n) (fun i => INR (2 * i)) = INR n * (INR n - 1).
  Proof.
    induction n as [|n IH]; [simpl; ring|]. rewrite seq_S, Nat.add_0_l.
    assert (Hs : forall f, sum (seq 0 n ++ [n]) f = sum (seq 0 n) f + f n).
    { intros f; clear. induction (seq 0 n) as [|i l IH]; simpl; [ring | rewrite IH; ring]. }
    rewrite Hs, IH, mult_INR, (S_INR n). simpl (INR 2). ring.
  Qed.

  Lemma value_even : value (fun tau => tau) even_model (of_y_policy parity) <= 3 / 4.
  Proof.
    unfold even_model. rewrite (mean_one_state _ _ false
      (fun r => if in_dec Req_EM_T r even_points then false else true));
      [|intros b; apply law_pay, length_even | apply is_policy_parity | reflexivity | apply parity_after].
    set (mu := E (uniform even_points) (fun x => x)).
    unfold paid_from at 1. rewrite E_mixed, one_is_no_point, mean_of_true.
    rewrite (E_ext_as _ _ (fun r => ((1 - 1 / 100) * mu + 1 / 100 * 1) + r)).
    - rewrite E_plus, E_const by (apply law_points, length_even). fold mu.
      assert (Hmu : mu = (INR m - 1) / (4 * INR m)).
      { unfold mu. rewrite E_uniform, length_even. unfold even_points; rewrite sum_map.
        rewrite (sum_ext _ _ (fun i => / (4 * INR m) * INR (2 * i))) by (intros; ring). rewrite sum_scal, sum_of_evens.
        pose proof m_pos. field; lra. }
      pose proof m_pos. assert (mu <= 1 / 4); [|lra].
      rewrite Hmu. apply Rmult_le_reg_r with (4 * INR m); [lra|].
      replace ((INR m - 1) / (4 * INR m) * (4 * INR m)) with (INR m - 1) by (field; lra). lra.
    - intros r p Hin _. apply in_map_iff in Hin; destruct Hin as [y [Heq Hy]]; injection Heq as <- _.
      destruct (in_dec Req_EM_T y even_points) as [_|Hno]; [|contradiction]. unfold paid_from, mu. now rewrite E_mixed.
  Qed.

  (** B(pi) is at most 2/m in either model. *)
  Lemma errors_met points : length points = m ->
    expected_cost (one_state 2 (paid_from points)) (of_y_policy parity) (fun _ _ b => reward_error b) <= 2 / INR m.
  Proof.
    intros Hl. rewrite expected_cost_one_state. pose proof (Rinv_0_lt_compat _ m_pos) as Hi.
    assert (He : forall b, reward_error b <= / INR m) by (intros []; simpl; lra).
    assert (H : forall h, E (of_y_policy parity h) reward_error <= / INR m).
    { intros h; apply E_le_const; [apply is_policy_parity | apply as_always, He]. }
    assert (H2 : E (of_y_policy parity nothing_played)
      (fun a => E (paid_from points a) (fun r => E (of_y_policy parity (after a r)) reward_error)) <= / INR m).
    { apply E_le_const; [apply is_policy_parity|]. apply as_always; intros a.
      apply E_le_const; [now apply law_pay | apply as_always; intros r; apply H]. }
    specialize (H nothing_played). unfold Rdiv; lra.
  Qed.
End Interlaced.

(** Given: any c: T = 2, one state, mean, a deterministic y-policy, F†(1) = T in both models; expectation under
    either model. *)
Theorem closeness_fails_for_y_policies (c : R) :
  exists (M M' : mdp unit bool) (pi : y_policy unit bool) (err : bool -> R),
    horizon M = 2%nat /\ horizon M' = 2%nat /\ is_mdp M /\ is_mdp M' /\ rewards_within 1 M /\ rewards_within 1 M' /\
    satisfies_assumption M /\ satisfies_assumption M' /\ is_y_policy pi /\
    (forall s a, trans M' s a = trans M s a) /\ init M' = init M /\
    (forall s a x, Rabs (cdf (reward M' s a) x - cdf (reward M s a) x) <= err a) /\
    c * 2 * expected_cost M (of_y_policy pi) (fun _ _ a => err a) <
      Rabs (value (fun tau => tau) M' (of_y_policy pi) - value (fun tau => tau) M (of_y_policy pi)) /\
    c * 2 * expected_cost M' (of_y_policy pi) (fun _ _ a => err a) <
      Rabs (value (fun tau => tau) M' (of_y_policy pi) - value (fun tau => tau) M (of_y_policy pi)).
Proof.
  set (m := Z.to_nat (up (16 * Rmax c 0 + 1))).
  assert (HM : 16 * Rmax c 0 < INR m /\ (0 < m)%nat).
  { destruct (archimed (16 * Rmax c 0 + 1)) as [H1 _]. pose proof (Rmax_r c 0).
    assert (Hup : (0 < up (16 * Rmax c 0 + 1))%Z) by (apply lt_IZR; lra).
    unfold m. rewrite INR_IZR_INZ, Z2Nat.id by lia. split; [lra | lia]. }
  destruct HM as [Hc Hm]. pose proof (lt_0_INR m Hm) as Hm'.
  assert (Hwithin : forall points, (forall x, In x points -> 0 <= x <= 1 / 2) ->
    rewards_within 1 (one_state 2 (paid_from points))).
  { intros points H s b. apply mixed_within. destruct b; [apply as_ret; lra|]. intros x p Hin _.
    apply in_map_iff in Hin; destruct Hin as [y [Heq Hy]]; injection Heq as <- _. specialize (H y Hy); lra. }
  assert (Hassume : forall points, length points = m -> (forall x, In x points -> 0 <= x <= 1 / 2) ->
    satisfies_assumption (one_state 2 (paid_from points))).
  { intros points Hl H. apply rewards_at_1_satisfy_assumption with (1 / 100); [| now apply Hwithin | lra |].
    - apply is_mdp_one_state; intros b; now apply (law_pay m Hm).
    - intros s b. apply mixed_at_1; [lra|]. destruct b; [apply law_ret | now apply (law_points m Hm)]. }
  assert (Hdiff : 1 / 4 <= Rabs (value (fun tau => tau) (even_model m) (of_y_policy (parity m)) -
                                 value (fun tau => tau) (odd_model m) (of_y_policy (parity m)))).
  { pose proof (value_odd m Hm). pose proof (value_even m Hm). rewrite Rabs_left1 by lra. lra. }
  assert (Hbound : forall B, B <= 2 / INR m -> c * 2 * B < 1 / 4 \/ B < 0).
  { intros B HB. destruct (Rlt_le_dec B 0) as [|HB0]; [now right | left].
    apply Rle_lt_trans with (Rmax c 0 * 2 * (2 / INR m)).
    - pose proof (Rmax_l c 0). pose proof (Rmax_r c 0). nra.
    - apply Rmult_lt_reg_r with (INR m); [assumption|].
      replace (Rmax c 0 * 2 * (2 / INR m) * INR m) with (4 * Rmax c 0) by (field; lra). lra. }
  assert (Hcost : forall points, length points = m ->
    c * 2 * expected_cost (one_state 2 (paid_from points)) (of_y_policy (parity m)) (fun _ _ b => reward_error m b) <
      1 / 4).
  { intros points Hl. destruct (Hbound _ (errors_met m Hm points Hl)) as [|Hneg]; [assumption | exfalso].
    assert (0 <= expected_cost (one_state 2 (paid_from points)) (of_y_policy (parity m))
      (fun _ _ b => reward_error m b)); [|lra].
    apply sum_nonneg; intros t _.
    assert (HMp : is_mdp (one_state 2 (paid_from points)))
      by (apply is_mdp_one_state; intros b; now apply (law_pay m Hm)).
    apply E_nonneg; [apply law_history; [assumption | apply is_policy_parity]|].
    intros h. apply E_nonneg; [apply is_policy_parity|]. intros []; simpl; [lra | left; now apply Rinv_0_lt_compat]. }
  exists (odd_model m), (even_model m), (parity m), (reward_error m).
  split; [reflexivity|]. split; [reflexivity|].
  split; [apply is_mdp_one_state; intros b; apply (law_pay m Hm), length_odd|].
  split; [apply is_mdp_one_state; intros b; apply (law_pay m Hm), length_even|].
  split; [apply Hwithin; intros x Hx; apply (points_range m Hm); now left|].
  split; [apply Hwithin; intros x Hx; apply (points_range m Hm); now right|].
  split; [apply Hassume; [apply length_odd | intros x Hx; apply (points_range m Hm); now left]|].
  split; [apply Hassume; [apply length_even | intros x Hx; apply (points_range m Hm); now right]|].
  split; [intros t s y; apply law_ret|]. split; [reflexivity|]. split; [reflexivity|].
  split; [intros s a x; now apply cdfs_of_rewards_close|].
  split; (eapply Rlt_le_trans; [|exact Hdiff]); apply Hcost; [apply length_odd | apply length_even].
Qed.
