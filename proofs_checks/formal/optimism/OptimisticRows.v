(** * The rows and rewards of the optimistic model      (paper: def:optimistic)

    With the mass missing from the shifted row at s_inf the row is a law: no ordinary state gains, none loses more than
    eps, and s_inf gets at most min(1, S0 eps).  Shifting the distribution function of the rewards down by eps gives a
    law on [0, 1] that dominates the empirical one, within eps in Kolmogorov distance, in total variation and in the
    mean. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp QuantileCoupling OptimisticModel
  SupportingUtility LawDistances.
Import ListNotations.
Open Scope R_scope.

(** Given: any estimates and radii, listed states. *)
Theorem optimistic_rows {S A} (state_dec : forall s s' : S,
  {s = s'} + {s <> s'}) (states : list S) (M : mdp S A) Pt Rt eps s a :
  NoDup states -> (forall s, In s states) -> is_mdp M -> estimates Pt Rt eps ->
  let row := trans (optimistic state_dec states M Pt Rt eps) (Some s) a in
  let hat := low state_dec Pt eps s a in
  is_law row /\
  (forall f, E row f = jump state_dec states Pt eps s a * f None + sum states (fun s' => hat s' * f (Some s'))) /\
  (forall s', 0 <= mass state_dec (Pt s a) s' - hat s' <= eps s a) /\
  jump state_dec states Pt eps s a = 1 - sum states hat /\
  jump state_dec states Pt eps s a <= Rmin 1 (INR (length states) * eps s a).
Proof.
  intros Hnd Hall HM Hest row hat. split; [|split; [|split; [|split]]].
  - apply (trans_law _ (is_mdp_optimistic state_dec states Hnd Hall M Pt Rt eps HM Hest)).
  - intros f. apply E_optimistic_trans.
  - intros s'. unfold hat, low. pose proof (mass_nonneg state_dec (Pt s a) s' (proj1 (Pt_law _ _ _ Hest s a))).
    pose proof (eps_nonneg _ _ _ Hest s a). unfold Rmax; destruct Rle_dec; lra.
  - reflexivity.
  - now apply (jump_le state_dec states Hnd Hall Pt Rt eps Hest).
Qed.

(** The printed row puts the mass missing from the empirical row, which is none, at s_inf: it does not sum to 1. *)
Lemma E_trim_le eps l f : 0 <= eps -> nonneg l -> (forall x, 0 <= f x) -> E (trim eps l) f <= E l f.
Proof.
  revert eps; induction l as [|[x p] l IH]; intros eps He Hn Hf; simpl; [lra|]. apply nonneg_cons in Hn.
  specialize (IH (Rmax 0 (eps - p)) (Rmax_l _ _) (proj2 Hn) Hf). specialize (Hf x).
  assert (Rmax 0 (p - eps) <= p) by (unfold Rmax; destruct Rle_dec; lra). nra.
Qed.

Lemma tv_le_raise eps d : 0 <= eps -> is_law d -> tv_le (raise eps d) d (Rmin 1 eps).
Proof.
  intros He Hd f Hf. unfold raise. cbn [E].
  pose proof (E_trim_le eps (sort d) f He (nonneg_sort d (proj1 Hd)) (fun x => proj1 (Hf x))) as H. rewrite E_sort in H.
  assert (0 <= Rmin 1 eps) by (apply Rmin_glb; lra). pose proof (Hf 1). nra.
Qed.

(** A bound for all functions with values in [0, 1] bounds the total variation itself. *)
Lemma tv_of_tv_le {X} (eq_dec : forall x y : X, {x = y} + {x <> y}) d e delta :
  is_law d -> is_law e -> tv_le d e delta -> tv eq_dec d e <= delta.
Proof.
  intros Hd He H. set (l := nodup eq_dec (map fst d ++ map fst e)).
  assert (Hl : NoDup l) by apply NoDup_nodup.
  assert (Inl : forall g : dist X, (g = d \/ g = e) -> forall x p, In (x, p) g -> In x l).
  { intros g Hg x p Hin. apply nodup_In, in_or_app.
    destruct Hg as [-> | ->]; [left | right]; now apply (in_map fst) in Hin. }
  pose proof (E_eq_sum_mass eq_dec l d) as Ed. pose proof (E_eq_sum_mass eq_dec l e) as Ee.
  set (p := mass eq_dec d) in *. set (q := mass eq_dec e) in *.
  specialize (H (fun x => ind (Rlt_dec (q x) (p x))) (fun x => ind_range _)).
  rewrite Ed, Ee in H by (auto; apply Inl; auto). rewrite <- sum_minus in H.
  assert (H1 : sum l (fun x => p x - q x) = 0).
  { rewrite sum_minus. transitivity (E d (fun _ => 1) - E e (fun _ => 1)).
    - rewrite Ed, Ee by (auto; apply Inl; auto). f_equal; apply sum_ext; intros; ring.
    - rewrite (proj2 Hd), (proj2 He); ring. }
  unfold tv. fold l p q.
  enough (Heq : sum l (fun x => p x * ind (Rlt_dec (q x) (p x)) - q x * ind (Rlt_dec (q x) (p x))) =
    / 2 * sum l (fun x => Rabs (p x - q x)) + / 2 * sum l (fun x => p x - q x)) by lra.
  rewrite <- !sum_scal, <- sum_plus. apply sum_ext; intros x _.
  destruct (Rlt_dec (q x) (p x)); simpl; [rewrite Rabs_pos_eq by lra | rewrite Rabs_left1 by lra]; field.
Qed.

(** Given: a finite law on [0, 1], radius at least 0.
    Differs: finite laws. *)
Theorem optimistic_rewards d eps :
  is_law d -> almost_surely d (fun r => 0 <= r <= 1) -> 0 <= eps ->
  let hat := raise eps d in
  is_law hat /\ almost_surely hat (fun r => 0 <= r <= 1) /\
  (forall x, cdf hat x = if Rlt_dec x 1 then Rmax 0 (cdf d x - eps) else 1) /\
  (forall x, cdf hat x <= cdf d x) /\ (forall x, Rabs (cdf hat x - cdf d x) <= eps) /\
  tv Req_EM_T hat d <= eps /\ 0 <= E hat (fun r => r) - E d (fun r => r) <= eps.
Proof.
  intros Hd Hb He hat. pose proof (law_raise eps d He Hd) as Hl. fold hat in Hl.
  pose proof (raise_within eps d He Hd Hb) as Hw. fold hat in Hw.
  assert (Hc : forall x, cdf hat x = if Rlt_dec x 1 then Rmax 0 (cdf d x - eps) else 1)
    by (intros x; now apply cdf_raise).
  assert (Hle : forall x, cdf hat x <= cdf d x /\ cdf d x - cdf hat x <= eps).
  { intros x. rewrite Hc. pose proof (cdf_range d x Hd). destruct (Rlt_dec x 1) as [Hx|Hx].
    - unfold Rmax; destruct Rle_dec; lra.
    - rewrite (cdf_above d x); [lra | assumption|]. revert Hb; apply as_impl; intros; lra. }
  assert (Htv : tv_le hat d (Rmin 1 eps)) by now apply tv_le_raise. pose proof (Rmin_r 1 eps) as Hmin.
  split; [assumption|]. split; [assumption|]. split; [assumption|]. split; [intros x; apply Hle|].
  split; [|split; [|split]].
  - intros x. destruct (Hle x). apply Rabs_le; lra.
  - eapply Rle_trans; [apply (tv_of_tv_le Req_EM_T hat d (Rmin 1 eps)); assumption | assumption].
  - rewrite <- !Phi_id_eq_mean by assumption.
    pose proof (Phi_antitone_in_cdf _ weighting_id d hat Hd Hl (fun x => proj1 (Hle x))). lra.
  - pose proof (tv_le_spread hat d (Rmin 1 eps) (fun r => r) 0 1 Hl Hd Htv ltac:(lra) Hw Hb). lra.
Qed.
