(** * From conditional means to observed sums      (used in thm:main)

    A process draws X_1, X_2, ... , each from a finite law that may depend on all earlier draws.  Let Y_k be a function
    of the draws up to k with 0 <= Y_k <= B.  Then, with probability at least 1 - delta,

      sum_k E[ Y_k | X_1, ..., X_{k-1} ]   <   e/(e-1) ( sum_k Y_k + B ln(1/delta) ).

    This is where a regret bound passes from expectations under the played policies to the states actually visited.
    And without the factor, in expectation:  E sum_k E[ Y_k | past ] = E sum_k Y_k. *)

Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw HoeffdingFinite.
Import ListNotations.
Open Scope R_scope.

Section Process.
  Context {X : Type}.
  Variable next : list X -> dist X.
  Hypothesis Hnext : forall past, is_law (next past).

  (** The law of the first [n] draws, latest first. *)
  Fixpoint process (n : nat) : dist (list X) :=
    match n with
    | O => ret []
    | S n' => bind (process n') (fun past => image (fun x => x :: past) (next past))
    end.

  Lemma E_process_S n f : E (process (S n)) f = E (process n) (fun past => E (next past) (fun x => f (x :: past))).
  Proof. simpl; rewrite E_bind; apply E_ext; intros past; apply E_image. Qed.

  Lemma law_process n : is_law (process n).
  Proof.
    induction n as [|n IH]; simpl; [apply law_ret|]. apply law_bind; [assumption | intros past; now apply law_image].
  Qed.

  Variable Y : list X -> X -> R.

  (** The sum of the conditional means and the sum of the observed values, along a path. *)
  Fixpoint sum_of_means (path : list X) : R :=
    match path with
    | [] => 0
    | x :: past => E (next past) (Y past) + sum_of_means past
    end.

  Fixpoint sum_observed (path : list X) : R :=
    match path with
    | [] => 0
    | x :: past => Y past x + sum_observed past
    end.

  (** Given: any adapted process of finite laws.
      Step of: martingale. *)
  Theorem mean_of_observed n : E (process n) sum_of_means = E (process n) sum_observed.
  Proof.
    induction n as [|n IH]; [reflexivity|]. rewrite !E_process_S. simpl.
    rewrite (E_ext _ (fun past => E (next past) (fun _ => _)) (fun past => E (next past) (Y past) + sum_of_means past))
      by (intros past; apply E_const, Hnext).
    rewrite (E_ext _ (fun past => E (next past) (fun x => Y past x + _))
                     (fun past => E (next past) (Y past) + sum_observed past))
      by (intros past; rewrite E_plus, (E_const _ (sum_observed past)) by apply Hnext; reflexivity).
    rewrite !E_plus, IH. reflexivity.
  Qed.

  Variable B : R.
  Hypothesis HB : 0 < B.
  Hypothesis HY : forall past, almost_surely (next past) (fun x => 0 <= Y past x <= B).

  Local Notation q := (1 - exp (-1)).

  (** One draw: E exp(-Y/B) <= exp(-(1 - 1/e) E Y / B). *)
  Lemma one_step past : E (next past) (fun x => exp (- (Y past x / B))) <= exp (- (q * (E (next past) (Y past) / B))).
  Proof.
    apply Rle_trans with (E (next past) (fun x => 1 - q / B * Y past x)).
    - apply E_le_as; [apply Hnext|]. specialize (HY past); revert HY; apply as_impl; intros x Hx.
      assert (Hu : 0 <= Y past x / B <= 1).
      { split; [apply Rdiv_le_0_compat; lra|]. apply Rmult_le_reg_r with B; [assumption|].
        replace (Y past x / B * B) with (Y past x) by (field; lra). lra. }
      pose proof (exp_le_chord (-1) (Y past x / B) Hu) as H.
      replace (-1 * (Y past x / B)) with (- (Y past x / B)) in H by ring.
      replace (1 - q / B * Y past x) with (1 - Y past x / B + Y past x / B * exp (-1)) by (field; lra). exact H.
    - rewrite E_minus, E_scal, E_const by apply Hnext.
      pose proof (exp_ineq1_le (- (q * (E (next past) (Y past) / B)))) as H.
      replace (q / B * E (next past) (Y past)) with (q * (E (next past) (Y past) / B)) by (field; lra). lra.
  Qed.

  Lemma exponential_supermartingale n :
    E (process n) (fun path => exp ((q * sum_of_means path - sum_observed path) / B)) <= 1.
  Proof.
    induction n as [|n IH].
    - simpl. replace ((q * 0 - 0) / B) with 0 by (field; lra). rewrite exp_0; lra.
    - rewrite E_process_S. eapply Rle_trans; [|exact IH]. apply E_le; [apply law_process|]. intros past. simpl.
      rewrite (E_ext _ _ (fun x => exp ((q * sum_of_means past - sum_observed past) / B +
                                        q * (E (next past) (Y past) / B)) * exp (- (Y past x / B)))).
      + rewrite E_scal. eapply Rle_trans.
        * apply Rmult_le_compat_l; [left; apply exp_pos | apply one_step].
        * rewrite <- exp_plus. right; f_equal; ring.
      + intros x. rewrite <- exp_plus. f_equal. field; lra.
  Qed.

  (** Given: an adapted process of finite laws, 0 <= Y <= B, B > 0, delta > 0.
      Differs: finite laws. *)
  Theorem sum_of_means_rarely_large n delta :
    0 < delta ->
    prob (process n) (fun path => Rle_dec (exp 1 / (exp 1 - 1) * (sum_observed path + B * ln (/ delta)))
                                          (sum_of_means path)) <= delta.
  Proof.
    intros Hdelta.
    assert (He : 1 < exp 1) by (pose proof (exp_ineq1 1 R1_neq_R0); lra).
    assert (Hq : q = (exp 1 - 1) / exp 1) 
      by (replace (exp (-1)) with (/ exp 1) by (rewrite <- exp_Ropp; f_equal; ring); field; lra).
    apply Rle_trans with
      (prob (process n) (fun path => Rle_dec (ln (/ delta)) ((q * sum_of_means path - sum_observed path) / B))).
    - apply E_le; [apply law_process|]. intros path. apply ind_le. intros H.
      apply (Rmult_le_compat_l ((exp 1 - 1) / exp 1)) in H; [|left; apply Rdiv_lt_0_compat; lra].
      rewrite <- Hq in H at 2.
      replace ((exp 1 - 1) / exp 1 * (exp 1 / (exp 1 - 1) * (sum_observed path + B * ln (/ delta))))
        with (sum_observed path + B * ln (/ delta)) in H by (field; lra).
      apply Rmult_le_reg_r with B; [assumption|].
      replace ((q * sum_of_means path - sum_observed path) / B * B) with (q * sum_of_means path - sum_observed path)
        by (field; lra). lra.
    - eapply Rle_trans; [apply exponential_markov, law_process|].
      rewrite <- ln_Rinv, Rinv_inv, exp_ln by (try apply Rinv_0_lt_compat; assumption).
      pose proof (exponential_supermartingale n). nra.
  Qed.
End Process.
