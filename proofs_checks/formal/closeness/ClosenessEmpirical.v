(** * The empirical model      (paper: lem:tildebound, lem:hattildebound; close/markov, close/hat-tilde)

    The empirical model has the estimates in place of the truth.  Against the true model, for policies of (t, s) on the
    event sum |P~ - P| <= eps_P, |F~ - F| <= eps_R:

      |Phi~(pi) - Phi(pi)|  <=  L E_M sum over t of [ eps_R + (T - t) eps_P / 2 ] .

    Against the optimistic model, for every policy, on or off the event, with the expectation in either of the two:

      |Phi^(pi) - Phi~(pi)|  <=  L E sum over t of [ (T - t + 1) min(1, eps) + (T - t) P^(s_inf) ]
                             <=  T L E sum over t of |S| eps . *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp RockafellarUryasev SupportingUtility
  LawDistances DynamicProgramming Telescoping ClosenessGreedy ClosenessTotalVariation ClosenessMarkov ClosenessInArea
  QuantileCoupling OptimisticModel OptimisticRows Optimism ClosenessOptimistic.
Import ListNotations.
Open Scope R_scope.

(** ** Closeness (b) with the area between the distribution functions *)

Definition area_between (d e : dist R) : R := RInt (fun x => Rabs (cdf d x - cdf e x)) 0 1.

Lemma excess_le_area d e : RInt (cdf_excess d e) 0 1 <= area_between d e.
Proof.
  apply RInt_le; [lra | apply ex_RInt_excess; lra | apply (ex_RInt_of_cdfs (fun a b => Rabs (a - b)) d e 0 1); lra|].
  intros x _. unfold cdf_excess. apply Rmax_lub; [apply Rabs_pos | apply Rle_abs].
Qed.

Lemma area_sym d e : area_between d e = area_between e d.
Proof. apply RInt_ext; intros x _. apply Rabs_minus_sym. Qed.

Lemma utilities_close_in_area L d e g :
  0 <= L -> is_utility L g -> is_law d -> is_law e -> almost_surely d (fun z => 0 <= z <= 1) ->
    almost_surely e (fun z => 0 <= z <= 1) ->
  Rabs (E e g - E d g) <= L * area_between d e.
Proof.
  intros HL Hg Hd He Bd Be. apply Rabs_le.
  pose proof (utility_difference_le_excess L g d e 0 1 Hg HL Hd He ltac:(lra) Bd Be) as H1.
  pose proof (utility_difference_le_excess L g e d 0 1 Hg HL He Hd ltac:(lra) Be Bd) as H2.
  pose proof (Rmult_le_compat_l L _ _ HL (excess_le_area d e)).
  pose proof (Rmult_le_compat_l L _ _ HL (excess_le_area e d)).
  rewrite (area_sym e d) in *. unfold area_between in *. lra.
Qed.

Section Markov.
  Context {S A : Type}.
  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Load "setup/TwoModels".
  Variable pi : markov_policy S A.
  Hypothesis Hpi : is_markov_policy pi.
  Hypothesis Hrew : rewards_within 1 M.
  Hypothesis Hrew' : rewards_within 1 M'.
  Load "setup/Lipschitz".

  Definition area_cost (N N' : mdp S A) (n : nat) (s : S) (a : A) : R :=
    area_between (reward N s a) (reward N' s a) + INR n * tv state_dec (trans N' s a) (trans N s a).

  Lemma markov_close_in_area :
    Rabs (value G M' (of_markov_policy pi) - value G M (of_markov_policy pi)) <=
    L * expected_cost M (of_markov_policy pi) (area_cost M M').
  Proof.
    apply (markov_value_close_of_utilities M M' HM HM' Hinit Hhor pi Hpi Hrew'
      (fun s a => tv state_dec (trans M' s a) (trans M s a)) (fun s a => area_between (reward M s a) (reward M' s a)));
        try assumption.
    - intros s a. apply tv_le_tv; now apply trans_law.
    - intros s a g Hg. apply utilities_close_in_area; auto; try (now apply reward_law). now apply (lipschitz_nonneg G).
  Qed.
End Markov.

(** In either model.
    Given: policies of (t, s), G L-Lipschitz, rewards in [0, 1], equal initial laws; expectation under M or M'.
    Differs: finite laws. *)
Theorem markov_values_close_in_area {S A} (state_dec : forall s s' : S, {s = s'} + {s <> s'}) (M M' : mdp S A) pi G L :
  is_mdp M -> is_mdp M' -> is_markov_policy pi -> init M' = init M -> horizon M' = horizon M ->
  rewards_within 1 M -> rewards_within 1 M' -> weighting G -> lipschitz_weighting G L ->
  Rabs (value G M' (of_markov_policy pi) - value G M (of_markov_policy pi)) <=
    L * expected_cost M (of_markov_policy pi) (area_cost state_dec M M') /\
  Rabs (value G M' (of_markov_policy pi) - value G M (of_markov_policy pi)) <=
    L * expected_cost M' (of_markov_policy pi) (area_cost state_dec M M').
Proof.
  intros HM HM' Hpi Hi Hh Hr Hr' HG HGL. split; [now apply markov_close_in_area|].
  rewrite Rabs_minus_sym. pose proof (markov_close_in_area state_dec M' M HM' HM (eq_sym Hi)
    (eq_sym Hh) pi Hpi Hr' Hr G L HG HGL) as H.
  eapply Rle_trans; [exact H|]. apply Rmult_le_compat_l; [now apply (lipschitz_nonneg G)|].
  apply expected_cost_le; try assumption; [now apply is_policy_of_markov_policy|]. intros n s a _. unfold area_cost.
  rewrite (area_sym (reward M s a)), (tv_sym state_dec (trans M' s a)). apply Rle_refl.
Qed.

(** ** The empirical and the true model *)

Definition empirical_model {S A} (M : mdp S A) (Pt : S -> A -> dist S) (Rt : S -> A -> dist R) : mdp S A := {|
  horizon := horizon M; init := init M; trans := Pt; reward := Rt
|}.

Lemma is_mdp_empirical {S A} (M : mdp S A) Pt Rt eps : is_mdp M -> estimates Pt Rt eps ->
  is_mdp (empirical_model M Pt Rt).
Proof. intros HM Hest; split; simpl; [apply HM | apply Hest | apply Hest]. Qed.

Lemma empirical_rewards_within {S A} (M : mdp S A) Pt Rt eps : estimates Pt Rt eps ->
  rewards_within 1 (empirical_model M Pt Rt).
Proof. intros Hest s a; apply Hest. Qed.

(** Half of the l1 distance is the total variation. *)
Lemma tv_le_of_l1 {S} (state_dec : forall s s' : S, {s = s'} + {s <> s'}) (states : list S) (d e : dist S) eps :
  NoDup states -> (forall s, In s states) -> is_law d -> is_law e ->
  sum states (fun s => Rabs (mass state_dec d s - mass state_dec e s)) <= eps -> tv_le d e (eps / 2).
Proof.
  intros Hnd Hall Hd He H f Hf. rewrite !(E_sum_mass state_dec states _ f Hnd Hall).
  assert (H1 : forall g, is_law g -> sum states (mass state_dec g) = 1).
  { intros g Hg. rewrite <- (proj2 Hg), (E_sum_mass state_dec states g _ Hnd Hall). apply sum_ext; intros; ring. }
  rewrite <- sum_minus.
  apply Rle_trans with (sum states (fun s =>
    / 2 * Rabs (mass state_dec d s - mass state_dec e s) + / 2 * (mass state_dec d s - mass state_dec e s))).
  - apply sum_le; intros s _. specialize (Hf s). set (x := mass state_dec d s - mass state_dec e s).
    replace (mass state_dec d s * f s - mass state_dec e s * f s) with (x * f s) by (unfold x; ring).
    unfold Rabs; destruct Rcase_abs; nra.
  - rewrite sum_plus, !sum_scal, sum_minus, !H1 by assumption. lra.
Qed.

(** Given: the empirical model of any estimates within eps_P in l1 and eps_R in KS; policies of (t, s), G
    L-Lipschitz, rewards in [0, 1].
    Differs: finite laws. *)
Theorem empirical_value_close {S A} (state_dec : forall s s' : S,
  {s = s'} + {s <> s'}) (states : list S) (M : mdp S A) Pt Rt
  (epsP epsR : S -> A -> R) (pi : markov_policy S A) G L :
  NoDup states -> (forall s, In s states) -> is_mdp M -> rewards_within 1 M -> estimates Pt Rt epsR ->
    is_markov_policy pi ->
  weighting G -> lipschitz_weighting G L ->
  (forall s a, sum states (fun s' => Rabs (mass state_dec (Pt s a) s' - mass state_dec (trans M s a) s')) <=
    epsP s a) ->
  (forall s a x, Rabs (cdf (Rt s a) x - cdf (reward M s a) x) <= epsR s a) ->
  Rabs (value G (empirical_model M Pt Rt) (of_markov_policy pi) - value G M (of_markov_policy pi)) <=
  L * expected_cost M (of_markov_policy pi) (fun n s a => epsR s a + INR n * (epsP s a / 2)).
Proof.
  intros Hnd Hall HM Hrew Hest Hpi HG HGL HP HR.
  pose proof (is_mdp_empirical M Pt Rt epsR HM Hest) as HM'.
  apply (markov_value_close M (empirical_model M Pt Rt) HM HM' eq_refl eq_refl pi Hpi Hrew
    (empirical_rewards_within M Pt Rt epsR Hest)
    (fun s a => epsP s a / 2) epsR); try assumption.
  - intros s a. apply (tv_le_of_l1 state_dec states); auto; [apply Hest | now apply trans_law].
  - intros s a x. rewrite Rabs_minus_sym. apply HR.
Qed.

(** ** The optimistic and the empirical model *)

Section HatTilde.
  Load "setup/Estimates".
  Hypothesis HM : is_mdp M.
  Hypothesis Hest : estimates Pt Rt eps.
  Load "setup/Lipschitz".
  Variable pi : policy (option S) A.
  Hypothesis Hpi : is_policy pi.

  Let hat : mdp (option S) A := optimistic state_dec states M Pt Rt eps.
  (** The empirical model with an unreachable s_inf. *)
  Let tilde : mdp (option S) A := lift (empirical_model M Pt Rt).

  Definition shift_cost (n : nat) (s : option S) (a : A) : R :=
    match s with Some s => INR (Datatypes.S n) * Rmin 1 (eps s a) + INR n * jump state_dec states Pt eps s a | None =>
      0 end.

  Definition coarse_cost (s : option S) (a : A) : R := match s
    with Some s => (INR (length states) + 1) * eps s a | None => 0 end.

  Lemma is_mdp_tilde : is_mdp tilde.
  Proof. apply is_mdp_lift. now apply (is_mdp_empirical M Pt Rt eps). Qed.

  Lemma is_mdp_hat : is_mdp hat.
  Proof. now apply is_mdp_optimistic. Qed.

  Let dP (s : option S) (a : A) : R := match s with Some s => jump state_dec states Pt eps s a | None => 0 end.
  Let dR (s : option S) (a : A) : R := match s with Some s => Rmin 1 (eps s a) | None => 0 end.

  Lemma hat_rows_close s a : tv_le (trans hat s a) (trans tilde s a) (dP s a).
  Proof.
    destruct s as [s|]; [|intros f _; simpl; lra].
    apply (transitions_close state_dec states Hnodup Hall (empirical_model M Pt Rt) Pt Rt eps); auto.
    - now apply (is_mdp_empirical M Pt Rt eps).
    - intros s0 a0 s'. simpl. pose proof (eps_nonneg _ _ _ Hest s0 a0). lra.
  Qed.

  Lemma hat_rewards_close s a : tv_le (reward hat s a) (reward tilde s a) (dR s a).
  Proof. destruct s as [s|]; [apply tv_le_raise; apply Hest | intros f _; simpl; lra]. Qed.

  Lemma tilde_within : rewards_within 1 tilde.
  Proof. apply lift_rewards_within. now apply (empirical_rewards_within M Pt Rt eps). Qed.

  Lemma hat_within : rewards_within 1 hat.
  Proof. now apply optimistic_rewards_within. Qed.

  Lemma shift_le_coarse n s a : (n < horizon M)%nat -> shift_cost n s a <= INR (horizon M) * coarse_cost s a.
  Proof.
    intros Hn. pose proof (pos_INR n). pose proof (pos_INR (length states)).
    destruct s as [s|]; unfold shift_cost, coarse_cost; [|lra].
    pose proof (eps_nonneg _ _ _ Hest s a) as He.
    pose proof (jump_le state_dec states Hnodup Hall Pt Rt eps Hest s a) as Hj.
    pose proof (Rmin_r 1 (INR (length states) * eps s a)). pose proof (Rmin_r 1 (eps s a)).
    assert (HT : INR (Datatypes.S n) <= INR (horizon M)) by (apply le_INR; lia). rewrite S_INR in *.
    assert (Hpos : 0 <= INR (length states) * eps s a) by now apply Rmult_le_pos.
    apply Rle_trans with ((INR n + 1) * eps s a + INR n * (INR (length states) * eps s a)).
    - apply Rplus_le_compat; [apply Rmult_le_compat_l; lra | apply Rmult_le_compat_l; lra].
    - apply Rle_trans with ((INR n + 1) * ((INR (length states) + 1) * eps s a)); [lra | apply Rmult_le_compat_r; lra].
  Qed.

  (** Given: any policy, any estimates and radii, G L-Lipschitz; expectation under the empirical or the optimistic
      model.
      Differs: finite laws. *)
  Theorem hat_and_tilde_close :
    (Rabs (value G hat pi - value G tilde pi) <= L * expected_cost tilde pi shift_cost /\
     Rabs (value G hat pi - value G tilde pi) <= L * expected_cost hat pi shift_cost) /\
    (L * expected_cost tilde pi shift_cost <= INR (horizon M) * L * expected_cost tilde pi (fun _ => coarse_cost) /\
     L * expected_cost hat pi shift_cost <= INR (horizon M) * L * expected_cost hat pi (fun _ => coarse_cost)).
  Proof.
    pose proof (lipschitz_nonneg G L HG HGL) as HL. split; split.
    - eapply Rle_trans; [apply (value_close_of_tv_bounds tilde hat is_mdp_tilde is_mdp_hat eq_refl eq_refl pi Hpi
        tilde_within hat_within
        dP dR hat_rows_close hat_rewards_close G L HG HGL)|].
      apply Rmult_le_compat_l; [assumption|]. apply expected_cost_le; auto using is_mdp_tilde.
      intros n [s|] a _; unfold tv_cost, shift_cost, dP, dR; lra.
    - rewrite Rabs_minus_sym.
      assert (HP : forall s a, tv_le (trans tilde s a) (trans hat s a) (dP s a))
        by (intros s a; apply tv_le_sym; [apply (trans_law _ is_mdp_hat) | apply
          (trans_law _ is_mdp_tilde) | apply hat_rows_close]).
      assert (HR : forall s a, tv_le (reward tilde s a) (reward hat s a) (dR s a))
        by (intros s a; apply tv_le_sym; [apply (reward_law _ is_mdp_hat) | apply
          (reward_law _ is_mdp_tilde) | apply hat_rewards_close]).
      eapply Rle_trans; [apply (value_close_of_tv_bounds hat tilde is_mdp_hat is_mdp_tilde eq_refl eq_refl pi Hpi
        hat_within tilde_within
        dP dR HP HR G L HG HGL)|].
      apply Rmult_le_compat_l; [assumption|]. apply expected_cost_le; auto using is_mdp_hat.
      intros n [s|] a _; unfold tv_cost, shift_cost, dP, dR; lra.
    - rewrite (Rmult_comm (INR (horizon M))), Rmult_assoc,
        <- (expected_cost_scal tilde pi (INR (horizon M)) (fun _ => coarse_cost)).
      apply Rmult_le_compat_l; [assumption|]. apply expected_cost_le; auto using is_mdp_tilde. intros n s a Hn.
      now apply shift_le_coarse.
    - rewrite (Rmult_comm (INR (horizon M))), Rmult_assoc,
        <- (expected_cost_scal hat pi (INR (horizon M)) (fun _ => coarse_cost)).
      apply Rmult_le_compat_l; [assumption|]. apply expected_cost_le; auto using is_mdp_hat. intros n s a Hn.
      now apply shift_le_coarse.
  Qed.
End HatTilde.

(** The two printed radii:  2 |S| eps_R = sqrt|S| eps_P. *)
Lemma printed_radii (m N l : R) :
  0 < m -> 0 < N -> 0 <= l -> 2 * m * sqrt (l / (2 * N)) = sqrt m * sqrt (2 * m / N * l).
Proof.
  intros Hm HN Hl. assert (H1 : 0 <= 2 * m / N * l) by (apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; lra | lra]).
  assert (H2 : 0 <= l / (2 * N)) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
  rewrite <- (sqrt_mult m) by lra.
  rewrite <- (sqrt_square (2 * m)) at 1 by lra.
  rewrite <- sqrt_mult by (assumption || (apply Rmult_le_pos; lra)).
  f_equal. field; lra.
Qed.

(** lem:hattildebound with the expectation in the empirical model: |S| = S0 + 1, eps_R = sqrt(l / 2N), eps_P =
    sqrt((2|S|/N) l).
    Given: as hat_and_tilde_close, with the printed radii.
    Differs: finite laws. *)
Theorem hat_and_tilde_close_with_printed_radii {S A} (state_dec : forall s s' : S,
  {s = s'} + {s <> s'}) (states : list S) (M : mdp S A)
  Pt Rt (N : S -> A -> R) (l : R) G L pi :
  NoDup states -> (forall s, In s states) -> is_mdp M -> (forall s a, 0 < N s a) -> 0 <= l ->
  let m := INR (length states) + 1 in
  let epsR := fun s a => sqrt (l / (2 * N s a)) in let epsP := fun s a => sqrt (2 * m / N s a * l) in
  estimates Pt Rt epsR -> weighting G -> lipschitz_weighting G L -> is_policy pi ->
  let hat := optimistic state_dec states M Pt Rt epsR in let tilde := lift (empirical_model M Pt Rt) in
  let at_ordinary := fun (eps : S -> A -> R) (_ : nat) (s : option S) a => match s
    with Some s => eps s a | None => 0 end in
  Rabs (value G hat pi - value G tilde pi) <=
    INR (horizon M) * L * expected_cost tilde pi (at_ordinary (fun s a => m * epsR s a)) /\
  INR (horizon M) * L * expected_cost tilde pi (at_ordinary (fun s a => m * epsR s a)) =
    / 2 * (INR (horizon M) * L * sqrt m * expected_cost tilde pi (at_ordinary epsP)).
Proof.
  intros Hnd Hall HM HN Hl m epsR epsP Hest HG HGL Hpi hat tilde at_ordinary.
  destruct (hat_and_tilde_close state_dec states Hnd Hall M Pt Rt epsR HM Hest G L HG HGL pi Hpi) as [[H1 _] [H2 _]].
  split.
  - eapply Rle_trans; [exact H1|]. eapply Rle_trans; [exact H2|]. apply Rle_refl.
  - assert (Hm : 0 < m) by (unfold m; pose proof (pos_INR (length states)); lra).
    assert (Htil : is_mdp tilde) by now apply is_mdp_lift, (is_mdp_empirical M Pt Rt epsR).
    assert (Heq : expected_cost tilde pi (at_ordinary (fun s a => m * epsR s a)) =
      expected_cost tilde pi (fun n s a => sqrt m / 2 * at_ordinary epsP n s a)).
    { unfold expected_cost. apply sum_ext; intros t _. apply E_ext; intros h. apply E_ext; intros a. unfold at_ordinary.
      destruct (state h) as [s|]; [|ring]. pose proof (printed_radii m (N s a) l Hm (HN s a) Hl) as Hr.
      unfold epsR, epsP. lra. }
    rewrite Heq, expected_cost_scal. field.
Qed.
