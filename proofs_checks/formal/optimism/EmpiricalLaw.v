(** * The empirical law of a sample      (paper: def:empirical)

    Each observation has mass 1/n.  Its distribution function is the share of observations that are not above r. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity QuantileInverse HoeffdingFinite ChainOfEvents
  DkwFinite.
Import ListNotations.
Open Scope R_scope.

Definition empirical_law {X} (xs : list X) : dist X := map (fun x => (x, / INR (length xs))) xs.

Lemma E_equal_weights {X} (c : R) (xs : list X) f : E (map (fun x => (x, c)) xs) f = sum xs f * c.
Proof. induction xs as [|x xs IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma E_empirical_law {X} (xs : list X) f : E (empirical_law xs) f = average f xs.
Proof. apply E_equal_weights. Qed.

Lemma law_empirical {X} (xs : list X) : xs <> [] -> is_law (empirical_law xs).
Proof.
  intros Hne. assert (Hpos : 0 < INR (length xs)) by (apply lt_0_INR; destruct xs; [congruence | simpl; lia]). split.
  - intros x p Hin; apply in_map_iff in Hin; destruct Hin as [y [Heq _]]; injection Heq as _ <-.
    left; now apply Rinv_0_lt_compat.
  - rewrite E_empirical_law; unfold average. rewrite sum_const. field; lra.
Qed.

(** Rewards as the learner stores them; on [0, 1] nothing changes. *)
Definition clip (r : R) : R := Rmax 0 (Rmin r 1).

Lemma clip_range r : 0 <= clip r <= 1.
Proof. unfold clip; split; [apply Rmax_l | apply Rmax_lub; [lra | apply Rmin_r]]. Qed.

Lemma clip_le_iff r x : 0 <= x < 1 -> (clip r <= x <-> r <= x).
Proof. intros Hx; unfold clip, Rmax, Rmin; repeat destruct Rle_dec; lra. Qed.

(** The share of observations not above r is the distribution function of the empirical law.
    Given: a nonempty sample. *)
Theorem empirical_cdf_is_a_cdf xs :
  xs <> [] ->
  is_law (empirical_law xs) /\ (forall r, sum xs (fun x => ind (Rle_dec x r)) / INR (length xs) =
    cdf (empirical_law xs) r).
Proof. intros Hne; split; [now apply law_empirical | intros r; unfold cdf; now rewrite E_empirical_law]. Qed.

(** A sample cannot exceed the support: the largest reward of an empirical model is at most the largest reward.
    Given: a nonempty sample of values that carry mass in a finite law.
    Differs: finite laws. *)
Theorem empirical_largest_le d xs :
  is_law d -> xs <> [] -> List.Forall (fun x => exists p, In (x, p) d /\ p <> 0) xs ->
  Rbar_le (quantile (cdf (empirical_law xs)) 1) (quantile (cdf d) 1).
Proof.
  intros Hd Hne Hxs. pose proof (law_empirical xs Hne) as He.
  pose proof (quantile_of_law_is_finite d 1 Hd ltac:(lra)) as Hfin. rewrite <- Hfin.
  apply quantile_le_of_reached. pose proof (cdf_of_quantile_ge d 1 Hd ltac:(lra)) as Hq.
  set (q := real (quantile (cdf d) 1)) in *. right; symmetry. apply cdf_above; [assumption|].
  intros x p Hin _. apply in_map_iff in Hin; destruct Hin as [y [Heq Hy]]; injection Heq as <- _.
  rewrite Forall_forall in Hxs; destruct (Hxs y Hy) as [py [Hyd Hpy]].
  apply Rnot_lt_le; intros Hlt.
  assert (Hpos : 0 < prob d (fun z => Rlt_dec q z))
    by (apply (prob_pos d (fun z => Rlt_dec q z) y py); [apply Hd | assumption..]).
  assert (Hsum : cdf d q + prob d (fun z => Rlt_dec q z) = 1).
  { unfold cdf, prob. rewrite <- E_plus, <- (E_const d 1 Hd). apply E_ext; intros z.
    destruct (Rle_dec z q), (Rlt_dec q z); simpl; lra. }
  lra.
Qed.
