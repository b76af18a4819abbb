(** * Hoeffding's inequality for finite laws      (used in the paper's lem:event)

    For independent draws X_1, ..., X_n from finite laws and a function u with values in [0, 1],

      P( sum u(X_i) - sum E u(X_i)  >=  s )  <=  exp(-2 s^2 / n),      s >= 0,

    and the same for the lower tail; for n draws of one law the average is within v of its mean except with probability
    2 exp(-2 n v^2).  The laws may differ from draw to draw.  Nothing is cited: Hoeffding's lemma
    E exp(h u(X)) <= exp(h E u(X) + h^2 / 8) is proved by two mean-value steps. *)

Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw.
Import ListNotations.
Open Scope R_scope.

(** ** Hoeffding's lemma *)

Lemma exp_ge_tangent c x : exp c * (1 + (x - c)) <= exp x.
Proof.
  replace x with (c + (x - c)) at 2 by ring. rewrite exp_plus.
  apply Rmult_le_compat_l; [left; apply exp_pos | apply exp_ineq1_le].
Qed.

(** The chord lies above the exponential. *)
Lemma exp_le_chord h x : 0 <= x <= 1 -> exp (h * x) <= 1 - x + x * exp h.
Proof.
  intros Hx. pose proof (exp_ge_tangent (h * x) 0) as H0. pose proof (exp_ge_tangent (h * x) h) as H1.
  rewrite exp_0 in H0.
  apply (Rmult_le_compat_l (1 - x)) in H0; [|lra]. apply (Rmult_le_compat_l x) in H1; [|lra].
  replace (exp (h * x)) with ((1 - x) * (exp (h * x) * (1 + (0 - h * x))) + x * (exp (h * x) * (1 + (h - h * x))))
    by ring.
  lra.
Qed.

(** 1 - p + p e^h <= exp(h p + h^2/8): the logarithm's second derivative is u (1 - u) <= 1/4. *)
Lemma two_point_bound p h : 0 <= p <= 1 -> 1 - p + p * exp h <= exp (h * p + h ^ 2 / 8).
Proof.
  intros Hp.
  set (D := fun x => 1 - p + p * exp x).
  assert (HD : forall x, 0 < D x).
  { intros x; unfold D; pose proof (exp_pos x). destruct (Req_dec p 0) as [->|]; [lra | nra]. }
  set (g := fun x => x * p + x ^ 2 / 8 - ln (D x)).
  set (g1 := fun x => p + x / 4 - p * exp x / D x).
  set (g2 := fun x => / 4 - p * exp x * (1 - p) / (D x) ^ 2).
  assert (Hg1 : forall x, is_derive g x (g1 x)).
  { intros x; unfold g, g1, D; specialize (HD x); unfold D in HD. auto_derive; [lra | field; lra]. }
  assert (Hg2 : forall x, is_derive g1 x (g2 x)).
  { intros x; unfold g1, g2, D; specialize (HD x); unfold D in HD. auto_derive; [lra | field; lra]. }
  assert (Hpos : forall x, 0 <= g2 x).
  { intros x; unfold g2. pose proof (exp_pos x) as Hx. specialize (HD x).
    assert (H4 : p * exp x * (1 - p) <= / 4 * (D x) ^ 2) by (unfold D; pose proof (pow2_ge_0 (1 - p - p * exp x)); lra).
    assert (Hd2 : 0 < (D x) ^ 2) by (apply pow_lt; assumption).
    apply (Rmult_le_reg_r ((D x) ^ 2)); [assumption|]. unfold Rdiv.
    rewrite Rmult_minus_distr_r, Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hmvt : forall f df x, (forall y, is_derive f y (df y)) -> exists c,
    Rmin 0 x <= c <= Rmax 0 x /\ f x - f 0 = df c * x).
  { intros f df x Hf. destruct (MVT_gen f 0 x df) as [c [Hc Heq]].
    - intros y _; apply Hf.
    - intros y _; apply continuity_pt_filterlim, (ex_derive_continuous (V := R_NormedModule)). eexists; apply Hf.
    - exists c; split; [assumption|]. rewrite Heq; ring. }
  destruct (Hmvt g g1 h Hg1) as [c [Hc Heq]]. destruct (Hmvt g1 g2 c Hg2) as [c' [_ Heq']].
  assert (G0 : g 0 = 0) by (unfold g, D; rewrite exp_0; replace (1 - p + p * 1) with 1 by ring; rewrite ln_1; lra).
  assert (G10 : g1 0 = 0) by (unfold g1, D; rewrite exp_0; replace (1 - p + p * 1) with 1 by ring; field).
  assert (Hch : 0 <= c * h).
  { destruct (Rle_dec 0 h); [rewrite Rmin_left, Rmax_right in Hc by lra | rewrite Rmin_right, Rmax_left in Hc by lra];
      nra. }
  assert (Hg : 0 <= g h).
  { rewrite G0 in Heq; rewrite G10 in Heq'.
    replace (g h) with (g2 c' * (c * h)) by (replace (g h) with (g1 c * h) by lra;
      replace (g1 c) with (g2 c' * c) by lra; ring).
    apply Rmult_le_pos; [apply Hpos | assumption]. }
  unfold g in Hg. fold (D h). rewrite <- (exp_ln (D h) (HD h)).
  destruct (Req_dec (ln (D h)) (h * p + h ^ 2 / 8)) as [->|Hne]; [lra|]. left; apply exp_increasing; lra.
Qed.

(** Given: a finite law, values in [0, 1].
    In words: index.md#cited.
    Step of: lem:event/hoeffding. *)
Theorem hoeffding_lemma {X} (d : dist X) (u : X -> R) h :
  is_law d -> almost_surely d (fun x => 0 <= u x <= 1) ->
  E d (fun x => exp (h * u x)) <= exp (h * E d u + h ^ 2 / 8).
Proof.
  intros Hd Hu.
  apply Rle_trans with (E d (fun x => 1 - u x + u x * exp h)).
  - apply E_le_as; [apply Hd|]. revert Hu; apply as_impl; intros x Hx; now apply exp_le_chord.
  - rewrite E_plus, E_minus, E_const, E_scal_r by assumption. apply two_point_bound; split.
    + apply E_ge_const; [assumption|]. revert Hu; apply as_impl; tauto.
    + apply E_le_const; [assumption|]. revert Hu; apply as_impl; tauto.
Qed.

(** ** Independent draws *)

(** One draw from each law of the list, independently. *)
Fixpoint draws {X} (ds : list (dist X)) : dist (list X) :=
  match ds with
  | [] => ret []
  | d :: ds' => bind d (fun x => image (cons x) (draws ds'))
  end.

Lemma E_draws_cons {X} (d : dist X) ds f :
  E (draws (d :: ds)) f = E d (fun x => E (draws ds) (fun xs => f (x :: xs))).
Proof. simpl; rewrite E_bind; apply E_ext; intros x; apply E_image. Qed.

Lemma law_draws {X} (ds : list (dist X)) : List.Forall is_law ds -> is_law (draws ds).
Proof.
  induction 1 as [|d ds Hd Hds IH]; simpl; [apply law_ret|].
  apply law_bind; [assumption | intros x; now apply law_image].
Qed.

(** The exponential moment of a sum of independent terms. *)
Lemma moment_of_draws {X} (ds : list (dist X)) (u : X -> R) h :
  List.Forall is_law ds -> List.Forall (fun d => almost_surely d (fun x => 0 <= u x <= 1)) ds ->
  E (draws ds) (fun xs => exp (h * sum xs u)) <=
  exp (h * sum ds (fun d => E d u) + INR (length ds) * (h ^ 2 / 8)).
Proof.
  intros Hds; induction Hds as [|d ds Hd Hds IH]; intros Hu.
  - simpl; rewrite Rmult_0_r, Rmult_0_l, Rplus_0_l, exp_0; lra.
  - inversion Hu as [|? ? Hud Huds]; subst. specialize (IH Huds).
    rewrite E_draws_cons.
    rewrite (E_ext d _ (fun x => exp (h * u x) * E (draws ds) (fun xs => exp (h * sum xs u)))).
    + rewrite E_scal_r. cbn [sum length]; rewrite S_INR.
      replace (h * (E d u + sum ds (fun d => E d u)) + (INR (length ds) + 1) * (h ^ 2 / 8))
        with ((h * E d u + h ^ 2 / 8) + (h * sum ds (fun d => E d u) + INR (length ds) * (h ^ 2 / 8))) by ring.
      rewrite exp_plus. apply Rmult_le_compat; [| |now apply hoeffding_lemma|assumption];
        apply E_nonneg; try (intros; left; apply exp_pos); [apply Hd | apply law_draws, Hds].
    + intros x. rewrite <- E_scal. apply E_ext; intros xs. cbn [sum]. rewrite Rmult_plus_distr_l, exp_plus; reflexivity.
Qed.

(** Markov's inequality for the exponential. *)
Lemma exponential_markov {X} (d : dist X) (f : X -> R) c :
  is_law d -> prob d (fun x => Rle_dec c (f x)) <= exp (- c) * E d (fun x => exp (f x)).
Proof.
  intros Hd; unfold prob; rewrite <- E_scal. apply E_le; [apply Hd|]. intros x.
  rewrite <- exp_plus. destruct (Rle_dec c (f x)) as [Hx|Hx]; simpl; [|left; apply exp_pos].
  pose proof (exp_ineq1_le (- c + f x)); lra.
Qed.

Section Hoeffding.
  Context {X : Type}.
  Variables (ds : list (dist X)) (u : X -> R).
  Hypothesis Hds : List.Forall is_law ds.
  Hypothesis Hu : List.Forall (fun d => almost_surely d (fun x => 0 <= u x <= 1)) ds.
  Local Notation n := (INR (length ds)).
  Local Notation m := (sum ds (fun d => E d u)).

  Lemma chernoff s h :
    prob (draws ds) (fun xs => Rle_dec (h * m + h * s) (h * sum xs u)) <= exp (n * (h ^ 2 / 8) - h * s).
  Proof.
    eapply Rle_trans; [apply exponential_markov; now apply law_draws|].
    apply Rle_trans with (exp (- (h * m + h * s)) * exp (h * m + n * (h ^ 2 / 8))).
    - apply Rmult_le_compat_l; [left; apply exp_pos | now apply moment_of_draws].
    - rewrite <- exp_plus. right; f_equal; ring.
  Qed.

  (** Given: independent draws from finite laws, values in [0, 1], s >= 0.
      Differs: one sum at a time.
      In words: index.md#cited.
      Step of: lem:event/hoeffding. *)
  Theorem hoeffding_upper s :
    (0 < length ds)%nat -> 0 <= s ->
    prob (draws ds) (fun xs => Rle_dec (m + s) (sum xs u)) <= exp (- 2 * s ^ 2 / n).
  Proof.
    intros Hlen Hs. assert (Hn : 0 < n) by (apply lt_0_INR; assumption).
    set (h := 4 * s / n). assert (Hh : 0 <= h) by (apply Rdiv_le_0_compat; lra).
    replace (- 2 * s ^ 2 / n) with (n * (h ^ 2 / 8) - h * s) by (unfold h; field; lra).
    eapply Rle_trans; [|apply chernoff]. apply E_le; [now apply law_draws|].
    intros xs; apply ind_le; nra.
  Qed.

  (** Given: as hoeffding_upper.
      Differs: one sum at a time.
      In words: index.md#cited.
      Step of: lem:event/hoeffding. *)
  Theorem hoeffding_lower s :
    (0 < length ds)%nat -> 0 <= s ->
    prob (draws ds) (fun xs => Rle_dec (sum xs u) (m - s)) <= exp (- 2 * s ^ 2 / n).
  Proof.
    intros Hlen Hs. assert (Hn : 0 < n) by (apply lt_0_INR; assumption).
    set (h := 4 * s / n). assert (Hh : 0 <= h) by (apply Rdiv_le_0_compat; lra).
    replace (- 2 * s ^ 2 / n) with (n * ((- h) ^ 2 / 8) - (- h) * (- s)) by (unfold h; field; lra).
    eapply Rle_trans; [|apply chernoff]. apply E_le; [now apply law_draws|].
    intros xs; apply ind_le; nra.
  Qed.
End Hoeffding.

(** ** n draws of one law *)

Definition average {X} (u : X -> R) (xs : list X) : R := sum xs u / INR (length xs).

Lemma sum_repeat {X} (d : dist X) n (f : dist X -> R) : sum (repeat d n) f = INR n * f d.
Proof. induction n as [|n IH]; cbn [repeat sum]; [simpl | rewrite IH, S_INR]; ring. Qed.

Lemma Forall_repeat {X} (P : X -> Prop) x n : P x -> List.Forall P (repeat x n).
Proof. intros H; induction n; simpl; auto. Qed.

Lemma draws_length {X} (ds : list (dist X)) : almost_surely (draws ds) (fun xs => length xs = length ds).
Proof.
  induction ds as [|d ds IH]; simpl; [now apply as_ret|].
  apply as_bind, as_always; intros x. apply as_image. revert IH; apply as_impl; intros xs H; simpl; now rewrite H.
Qed.

Section Average.
  Context {X : Type}.
  Variables (d : dist X) (u : X -> R) (n : nat).
  Hypothesis Hd : is_law d.
  Hypothesis Hu : almost_surely d (fun x => 0 <= u x <= 1).
  Hypothesis Hn : (0 < n)%nat.
  Local Notation sample := (draws (repeat d n)).

  Lemma law_sample : is_law sample.
  Proof. apply law_draws, Forall_repeat, Hd. Qed.

  Lemma average_of_sample : almost_surely sample (fun xs => INR n * average u xs = sum xs u).
  Proof.
    pose proof (draws_length (repeat d n)) as H; revert H; apply as_impl; intros xs H.
    rewrite repeat_length in H. unfold average; rewrite H. field. apply not_0_INR; intros ->; inversion Hn.
  Qed.

  Theorem average_rarely_above v :
    0 <= v -> prob sample (fun xs => Rle_dec (E d u + v) (average u xs)) <= exp (- 2 * INR n * v ^ 2).
  Proof.
    intros Hv. pose proof (lt_0_INR n Hn) as Hn'.
    pose proof (hoeffding_upper (repeat d n) u (Forall_repeat _ _ _ Hd)
      (Forall_repeat (fun d => almost_surely d (fun x => 0 <= u x <= 1)) _ _ Hu) (INR n * v)) as H.
    rewrite repeat_length, sum_repeat in H. specialize (H Hn ltac:(apply Rmult_le_pos; lra)).
    replace (- 2 * (INR n * v) ^ 2 / INR n) with (- 2 * INR n * v ^ 2) in H by (field; lra).
    eapply Rle_trans; [|exact H]. apply E_le_as; [apply law_sample|].
    pose proof average_of_sample as Ha; revert Ha; apply as_impl; intros xs Hxs. apply ind_le; nra.
  Qed.

  Theorem average_rarely_below v :
    0 <= v -> prob sample (fun xs => Rle_dec (average u xs) (E d u - v)) <= exp (- 2 * INR n * v ^ 2).
  Proof.
    intros Hv. pose proof (lt_0_INR n Hn) as Hn'.
    pose proof (hoeffding_lower (repeat d n) u (Forall_repeat _ _ _ Hd)
      (Forall_repeat (fun d => almost_surely d (fun x => 0 <= u x <= 1)) _ _ Hu) (INR n * v)) as H.
    rewrite repeat_length, sum_repeat in H. specialize (H Hn ltac:(apply Rmult_le_pos; lra)).
    replace (- 2 * (INR n * v) ^ 2 / INR n) with (- 2 * INR n * v ^ 2) in H by (field; lra).
    eapply Rle_trans; [|exact H]. apply E_le_as; [apply law_sample|].
    pose proof average_of_sample as Ha; revert Ha; apply as_impl; intros xs Hxs. apply ind_le; nra.
  Qed.

  (** Given: n >= 1 independent draws, values in [0, 1], v >= 0.
      Differs: one successor.
      Step of: lem:event/hoeffding, lem:event/sup-norm. *)
  Theorem average_rarely_far v :
    0 <= v -> prob sample (fun xs => Rle_dec v (Rabs (average u xs - E d u))) <= 2 * exp (- 2 * INR n * v ^ 2).
  Proof.
    intros Hv. pose proof (average_rarely_above v Hv) as H1. pose proof (average_rarely_below v Hv) as H2.
    apply Rle_trans with (E sample (fun xs => ind (Rle_dec (E d u + v) (average u xs)) +
                                              ind (Rle_dec (average u xs) (E d u - v)))).
    - apply E_le; [apply law_sample|]. intros xs.
      destruct (Rle_dec v (Rabs (average u xs - E d u))) as [Hx|Hx]; simpl;
        destruct (Rle_dec (E d u + v) (average u xs)), (Rle_dec (average u xs) (E d u - v)); simpl; try lra.
      exfalso; revert Hx; apply Rlt_not_le, Rabs_def1; lra.
    - rewrite E_plus; unfold prob in *; lra.
  Qed.
End Average.
