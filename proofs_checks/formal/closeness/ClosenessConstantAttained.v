(** * The factor T of closeness in total variation is attained

    [value_close_in_total_variation_T] bounds |Phi' - Phi| by  T L E [ sum_{t <= T} TV(R, R') + sum_{t < T} TV(P, P') ].
    For every T >= 1 there is equality: one state, mean (L = 1), three actions.  a pays 0 in M and 1 in M', b pays 1 and
    c pays 0 in both.  Play a, then b for ever if y >= 1 and else c for ever.  The means are 0 and T, and the total
    variation met along M is 1, once. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp LawDistances Telescoping
  ClosenessTotalVariation TwoSteps.
Import ListNotations.
Open Scope R_scope.

Inductive arm := first | rich | poor.

Section Attained.
  Variable T : nat.

  (** The model in which the first action pays [x]. *)
  Definition paying (x : R) : mdp unit arm := {|
    horizon := S T;
    init := ret tt;
    trans := fun _ _ => ret tt;
    reward := fun _ m => match m with first => ret x | rich => ret 1 | poor => ret 0 end
  |}.

  Definition follow : y_policy unit arm := fun t _ y =>
    match t with
    | O => ret first
    | _ => if Rle_dec 1 y then ret rich else ret poor
    end.

  Lemma is_mdp_pays x : is_mdp (paying x).
  Proof. split; simpl; intros; try apply law_ret. destruct a; apply law_ret. Qed.

  Lemma is_y_policy_follow : is_y_policy follow.
  Proof. intros [|t] s y; simpl; [apply law_ret|]. destruct (Rle_dec 1 y); apply law_ret. Qed.

  Local Notation pi := (of_y_policy follow).

  (** Along M' every step pays 1; along M none does. *)
  Lemma collected_along x t :
    x = 0 \/ x = 1 -> almost_surely (history_law (paying x) pi t) (fun h => time h = t /\ collected h = INR t * x).
  Proof.
    intros Hx; induction t as [|t IH]; cbn [history_law].
    - apply as_image, as_always; intros s. unfold time; simpl. rewrite collected_start; split; [reflexivity | ring].
    - apply as_bind; revert IH; apply as_impl; intros h [Ht Hc]. apply as_step. unfold of_y_policy; rewrite Ht, Hc.
      assert (Hr : almost_surely (follow t (state h) (INR t * x)) (fun a => reward (paying x) (state h) a = ret x)).
      { destruct t as [|t]; [apply as_ret; reflexivity|]. unfold follow. rewrite S_INR. pose proof (pos_INR t).
        destruct Hx as [-> | ->]; destruct Rle_dec; try lra; apply as_ret; reflexivity. }
      revert Hr; apply as_impl; intros a ->. apply as_ret, as_ret.
      rewrite time_extend, collected_extend, Hc, Ht, S_INR. split; [reflexivity | ring].
  Qed.

  Lemma mean_of_follow x : x = 0 \/ x = 1 -> value mean_weight (paying x) pi = INR (S T) * x.
  Proof.
    intros Hx. assert (Hp : is_policy pi) by apply is_policy_of_y_policy, is_y_policy_follow.
    unfold value, mean_weight. rewrite Phi_id_eq_mean by (apply law_return; [apply is_mdp_pays | assumption]).
    rewrite E_return_law. simpl horizon. rewrite (E_ext_as _ _ (fun _ => INR (S T) * x)).
    - apply E_const, law_history; [apply is_mdp_pays | assumption].
    - generalize (collected_along x (S T) Hx); apply as_impl; tauto.
  Qed.

  Lemma tv_same {X} dec (d : dist X) : tv dec d d = 0.
  Proof.
    unfold tv. rewrite (sum_ext _ _ (fun _ => 0)) by (intros; rewrite Rminus_eq_0; apply Rabs_R0).
    rewrite sum_const; ring.
  Qed.

  Lemma tv_first : tv Req_EM_T (ret 1) (ret 0) = 1.
  Proof.
    unfold tv. change (map fst (ret 1) ++ map fst (ret 0)) with [1; 0]. rewrite nodup_fixed_point.
    - cbn [sum]. unfold mass; rewrite !E_ret.
      rewrite (ind_yes (Req_EM_T 1 1)), (ind_no (Req_EM_T 0 1)), (ind_no (Req_EM_T 1 0)),
        (ind_yes (Req_EM_T 0 0)) by lra.
      unfold Rabs; repeat destruct Rcase_abs; lra.
    - constructor; [intros [H|[]]; lra|]. constructor; [intros []|]. constructor.
  Qed.

  Variable unit_dec : forall s s' : unit, {s = s'} + {s <> s'}.
  Let tvr := tv_reward (paying 0) (paying 1).
  Let tvp := tv_trans unit_dec (paying 0) (paying 1).

  Lemma total_variation_met_once :
    expected_cost (paying 0) pi (fun n s a => tvr s a + match n with O => 0 | _ => tvp s a end) = 1.
  Proof.
    assert (Hp : is_policy pi) by apply is_policy_of_y_policy, is_y_policy_follow.
    assert (Htvp : forall s a, tvp s a = 0) by (intros; apply tv_same).
    assert (Hcost : forall n s a, tvr s a + match n with O => 0 | _ => tvp s a end = match a
      with first => 1 | _ => 0 end).
    { intros n s a. assert (H0 : match n with O => 0 | _ => tvp s a end = 0)
        by (destruct n; [reflexivity | apply Htvp]).
      rewrite H0, Rplus_0_r. unfold tvr, tv_reward; destruct a; simpl; [apply tv_first | apply tv_same | apply tv_same].
      }
    unfold expected_cost; simpl horizon. cbn [seq sum]. rewrite E_history_law_0. simpl init; rewrite E_ret.
    unfold of_y_policy at 1; simpl follow. rewrite E_ret, Hcost.
    rewrite (sum_ext (seq 1 T) _ (fun _ => 0)); [rewrite sum_const; ring|].
    intros t Ht; apply in_seq in Ht.
    transitivity (E (history_law (paying 0) pi t) (fun _ => 0)); [apply E_ext_as | apply E_zero].
    generalize (collected_along 0 t (or_introl eq_refl)); apply as_impl; intros h [Hh Hc].
    unfold of_y_policy; rewrite Hh, Hc. destruct t as [|t]; [lia|]. unfold follow.
    destruct Rle_dec as [H|_]; [rewrite Rmult_0_r in H; lra|]. now rewrite E_ret, Hcost.
  Qed.

  (** Given: any T >= 1, mean.
      Differs: the factor T cannot be lowered.
      In words: 07-closeness.md#close-a.
      Step of: lem:genbound. *)
  Theorem closeness_factor_T_is_attained :
    Rabs (value mean_weight (paying 1) pi - value mean_weight (paying 0) pi) =
    INR (horizon (paying 0)) * 1 *
    expected_cost (paying 0) pi (fun n s a => tvr s a + match n with O => 0 | _ => tvp s a end).
  Proof.
    rewrite total_variation_met_once, (mean_of_follow 1), (mean_of_follow 0) by tauto. simpl horizon.
    rewrite !Rmult_1_r, Rmult_0_r, Rminus_0_r. apply Rabs_right, Rle_ge, pos_INR.
  Qed.
End Attained.
