(** * Moving and scaling rewards; CVaR of costs      (paper: def:rewards, cvar:ru)

    Phi(c Z + b) = c Phi(Z) + b for c > 0, so rewards may be taken in [0, 1].  For costs, the mean of the highest 1 -
    alpha share is the least of rho + E(C - rho)^+ / (1 - alpha): Rockafellar and Uryasev's form, read for -C. *)

Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts RockafellarUryasev ObjectiveExamples.
Import ListNotations.
Open Scope R_scope.

Section Scaled.
  Variables (c b : R).
  Hypothesis Hc : 0 < c.
  Local Notation move := (fun z => c * z + b).

  Lemma sorted_moved lo hi l : sorted_in lo hi l -> sorted_in (move lo) (move hi) (image move l).
  Proof.
    revert lo; induction l as [|[a p] l IH]; simpl; intros lo H; [nra|]. destruct H as [H1 H2].
    split; [nra | now apply IH].
  Qed.

  Lemma rank_sum_moved G q l : rank_sum G q (image move l) = c * rank_sum G q l + b * (G (q + total_mass l) - G q).
  Proof.
    revert q; induction l as [|[a p] l IH]; intros q; unfold image, total_mass in *; cbn [map rank_sum E fst snd].
    - rewrite Rplus_0_r. ring.
    - rewrite IH. replace (q + p + E l (fun _ => 1)) with (q + (p * 1 + E l (fun _ => 1))) by ring. ring.
  Qed.

  (** Given: a finite law, c > 0, any b; G as in the key identity.
      Differs: finite laws; law by law, hence for the return of every policy. *)
  Theorem Phi_of_moved_rewards G d : weighting G -> is_law d -> Phi G (image move d) = c * Phi G d + b.
  Proof.
    intros HG Hd. destruct (bounded_law d) as [lo [hi [Hle Hb]]].
    destruct (sorted_listing d lo hi Hle (proj1 Hd) Hb) as [l [Hs [Hn HE]]].
    assert (Hl : is_law l) by (split; [assumption | rewrite <- HE; apply Hd]).
    rewrite (Phi_of_same_expectations G HG d l Hd Hl HE).
    rewrite (Phi_of_same_expectations G HG (image move d) (image move l));
      [| now apply law_image | now apply law_image | intros f; now rewrite !E_image].
    rewrite (Phi_eq_rank_sum G l lo hi HG Hl Hs).
    rewrite (Phi_eq_rank_sum G (image move l) (move lo) (move hi) HG (law_image move l Hl) (sorted_moved lo hi l Hs)).
    rewrite rank_sum_moved. unfold total_mass. rewrite (proj2 Hl), Rplus_0_l, (weighting_0 G HG), (weighting_1 G HG).
    ring.
  Qed.
End Scaled.

(** The mean of the highest 1 - alpha share of a cost: minus the mean of the lowest 1 - alpha share of -C. *)
Definition cost_cvar (alpha : R) (d : dist R) : R := - Phi (cvar_weight (1 - alpha)) (image Ropp d).

(** Given: a finite law, 0 <= alpha < 1.
    Differs: finite laws; the highest share of C is the lowest share of -C. *)
Theorem rockafellar_uryasev_for_costs d alpha :
  is_law d -> 0 <= alpha < 1 ->
  cost_cvar alpha d = - (/ (1 - alpha) * RInt (fun tau => real (quantile (cdf (image Ropp d)) tau)) 0 (1 - alpha)) /\
  (forall rho, cost_cvar alpha d <= rho + E d (fun z => Rmax 0 (z - rho)) / (1 - alpha)) /\
  exists rho, cost_cvar alpha d = rho + E d (fun z => Rmax 0 (z - rho)) / (1 - alpha).
Proof.
  intros Hd Ha. assert (Hl : is_law (image Ropp d)) by now apply law_image.
  destruct (rockafellar_uryasev (image Ropp d) (1 - alpha) Hl ltac:(lra)) as [Hle [q [p [_ [_ [_ Hq]]]]]].
  assert (Hru : forall rho, ru (1 - alpha) (image Ropp d) (- rho) =
    - (rho + E d (fun z => Rmax 0 (z - rho)) / (1 - alpha))).
  { intros rho. unfold ru, shortfall. rewrite E_image.
    rewrite (E_ext d _ (fun z => Rmax 0 (z - rho))) by (intros z; f_equal; ring). unfold Rdiv; ring. }
  unfold cost_cvar. split; [|split].
  - f_equal. apply (cvar_is_mean_of_worst_share (image Ropp d) (1 - alpha)); [assumption | lra].
  - intros rho. specialize (Hle (- rho)). rewrite Hru in Hle. lra.
  - exists (- q). rewrite <- Hq. pose proof (Hru (- q)) as H. rewrite Ropp_involutive in H. rewrite H. ring.
Qed.
