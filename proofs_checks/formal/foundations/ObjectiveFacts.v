(** * What the key identity gives at once

    The objective depends on the law only through F; it is larger when F is smaller; it is monotone along couplings;
    it moves with translations; for G(tau) = tau it is the mean; and for L-Lipschitz G two laws on [lo, hi] whose
    distribution functions differ by at most [delta] have objectives within L (hi - lo) delta. *)

Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity.
Import ListNotations.
Open Scope R_scope.

Section Facts.
  Variable G : R -> R.
  Hypothesis HG : weighting G.

  (** Two laws live in a common bounded interval. *)
  Lemma common_bounds (d e : dist R) :
    exists lo hi, lo <= hi /\ almost_surely d (fun z => lo <= z <= hi) /\ almost_surely e (fun z => lo <= z <= hi).
  Proof.
    destruct (bounded_law (d ++ e)) as [lo [hi [Hle H]]]; exists lo, hi.
    split; [assumption|]. split; intros z p Hin; apply (H z p); apply in_or_app; auto.
  Qed.

  Lemma Phi_antitone_in_cdf (d e : dist R) : is_law d -> is_law e -> (forall x, cdf e x <= cdf d x) ->
    Phi G d <= Phi G e.
  Proof.
    intros Hd He H. destruct (common_bounds d e) as [lo [hi [Hle [Bd Be]]]].
    rewrite (Phi_eq_hi_minus_area G d lo hi), (Phi_eq_hi_minus_area G e lo hi) by assumption.
    apply Rplus_le_compat_l, Ropp_le_contravar, RInt_le; try assumption; try now apply ex_RInt_weighted_cdf.
    intros x _. apply (weighting_mono G HG); [now apply cdf_range | apply H | now apply cdf_range].
  Qed.

  Lemma Phi_of_same_cdf (d e : dist R) : is_law d -> is_law e -> (forall x, cdf d x = cdf e x) -> Phi G d = Phi G e.
  Proof. intros Hd He H; apply Rle_antisym; apply Phi_antitone_in_cdf; auto; intros x; rewrite H; lra. Qed.

  Lemma Phi_of_same_expectations (d e : dist R) : is_law d -> is_law e -> (forall f, E d f = E e f) ->
    Phi G d = Phi G e.
  Proof. intros Hd He H; apply Phi_of_same_cdf; auto; intros x; apply H. Qed.

  (** Coupling: [f <= g] almost surely orders the objectives of the images. *)
  Lemma Phi_mono_coupling {X} (d : dist X) (f g : X -> R) :
    is_law d -> almost_surely d (fun x => f x <= g x) -> Phi G (image f d) <= Phi G (image g d).
  Proof.
    intros Hd H; apply Phi_antitone_in_cdf; try now apply law_image.
    intros x; unfold cdf; rewrite !E_image; apply E_le_as; [apply Hd|].
    revert H; apply as_impl; intros z Hz; apply ind_le; lra.
  Qed.

  Lemma Phi_shift {X} (d : dist X) (f : X -> R) c : is_law d ->
    Phi G (image (fun x => f x + c) d) = Phi G (image f d) + c.
  Proof.
    intros Hd. destruct (bounded_law (image f d)) as [lo [hi [Hle B]]].
    assert (Hf : is_law (image f d)) by now apply law_image.
    rewrite (Phi_eq_hi_minus_area G (image f d) lo hi) by assumption.
    rewrite (Phi_eq_hi_minus_area G _ (lo + c) (hi + c)); [|assumption|now apply law_image|lra|].
    - replace (RInt (fun x => G (cdf (image (fun x => f x + c) d) x)) (lo + c) (hi + c))
        with (RInt (fun x => G (cdf (image f d) x)) lo hi); [ring|].
      symmetry; apply is_RInt_unique.
      replace (RInt (fun x => G (cdf (image f d) x)) lo hi)
        with (RInt (fun x => G (cdf (image f d) x)) (1 * (lo + c) + - c) (1 * (hi + c) + - c)) by (f_equal; ring).
      apply is_RInt_ext with (fun x => scal 1 (G (cdf (image f d) (1 * x + - c)))).
      + intros x _. rewrite (scal_one (V := R_NormedModule)). f_equal. unfold cdf; rewrite !E_image.
        apply E_ext; intros z; apply ind_iff; lra.
      + apply (is_RInt_comp_lin (V := R_NormedModule) (fun x => G (cdf (image f d) x)) 1 (- c)).
        apply (RInt_correct (V := R_CompleteNormedModule) (fun x => G (cdf (image f d) x))).
        replace (1 * (lo + c) + - c) with lo by ring; replace (1 * (hi + c) + - c) with hi by ring.
        now apply ex_RInt_weighted_cdf.
    - apply as_image; intros x p Hin Hp.
      assert (Hx : In (f x, p) (image f d)) by (apply in_map_iff; now exists (x, p)).
      specialize (B _ _ Hx Hp); simpl in B; lra.
  Qed.

  (** A point mass. *)
  Lemma Phi_ret x : Phi G (ret x) = x.
  Proof.
    rewrite (Phi_eq_rank_sum G (ret x) x x HG (law_ret x)) by (simpl; lra).
    simpl. rewrite Rplus_0_l, (weighting_0 G HG), (weighting_1 G HG); ring.
  Qed.

  Lemma Phi_range d lo hi : is_law d -> almost_surely d (fun z => lo <= z <= hi) -> lo <= Phi G d <= hi.
  Proof.
    intros Hd H; split.
    - rewrite <- (Phi_ret lo) at 1. apply Phi_antitone_in_cdf; auto using law_ret; intros x.
      unfold cdf at 2; rewrite E_ret. destruct (Rle_dec lo x) as [Hx|Hx]; simpl.
      + now apply cdf_range.
      + right; apply cdf_below. revert H; apply as_impl; intros; lra.
    - rewrite <- (Phi_ret hi). apply Phi_antitone_in_cdf; auto using law_ret; intros x.
      unfold cdf at 1; rewrite E_ret. destruct (Rle_dec hi x) as [Hx|Hx]; simpl.
      + right; symmetry; apply cdf_above; [assumption|]. revert H; apply as_impl; intros; lra.
      + now apply cdf_range.
  Qed.

  (** Lipschitz weightings: the Kolmogorov distance controls the objective. *)
  Lemma Phi_lipschitz_in_cdf (d e : dist R) lo hi L delta :
    is_law d -> is_law e -> lo <= hi ->
    almost_surely d (fun z => lo <= z <= hi) -> almost_surely e (fun z => lo <= z <= hi) ->
    lipschitz_weighting G L -> 0 <= L -> (forall x, Rabs (cdf d x - cdf e x) <= delta) ->
    Rabs (Phi G d - Phi G e) <= L * (hi - lo) * delta.
  Proof.
    intros Hd He Hle Bd Be HL HL0 H.
    rewrite (Phi_eq_hi_minus_area G d lo hi), (Phi_eq_hi_minus_area G e lo hi) by assumption.
    replace (hi - RInt (fun x => G (cdf d x)) lo hi - (hi - RInt (fun x => G (cdf e x)) lo hi))
      with (minus (RInt (fun x => G (cdf e x)) lo hi) (RInt (fun x => G (cdf d x)) lo hi))
      by (unfold minus, plus, opp; simpl; ring).
    rewrite <- (RInt_minus (V := R_CompleteNormedModule)) by now apply ex_RInt_weighted_cdf.
    replace (L * (hi - lo) * delta) with ((hi - lo) * (L * delta)) by ring.
    apply abs_RInt_le_const; [assumption | |].
    - apply (ex_RInt_minus (V := R_NormedModule)); now apply ex_RInt_weighted_cdf.
    - intros x _. unfold minus, plus, opp; simpl.
      apply Rle_trans with (L * Rabs (cdf e x - cdf d x)).
      + apply HL; now apply cdf_range.
      + apply Rmult_le_compat_l; [assumption|]. rewrite Rabs_minus_sym; apply H.
  Qed.
End Facts.

(** ** The mean *)

Lemma weighting_id : weighting (fun tau => tau).
Proof.
  split; try lra; [auto|]. intros x eps Hx Heps; exists eps; split; [assumption | intros; lra].
Qed.

Lemma is_RInt_step a lo hi : lo <= a <= hi -> is_RInt (fun x => ind (Rle_dec a x)) lo hi (hi - a).
Proof.
  intros Ha. replace (hi - a) with (plus ((a - lo) * 0) ((hi - a) * 1)) by (unfold plus; simpl; ring).
  apply (is_RInt_Chasles (V := R_NormedModule)) with a.
  - apply is_RInt_ext with (fun _ => 0); [|apply is_RInt_constant].
    intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. symmetry; apply ind_no; lra.
  - apply is_RInt_ext with (fun _ => 1); [|apply is_RInt_constant].
    intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. symmetry; apply ind_yes; lra.
Qed.

(** The area under F up to [hi] is the expected shortfall below [hi]. *)
Lemma is_RInt_cdf d lo hi :
  almost_surely d (fun z => lo <= z <= hi) -> is_RInt (cdf d) lo hi (E d (fun z => hi - z)).
Proof.
  unfold cdf; induction d as [|[z p] d IH]; intros H; simpl.
  - pose proof (is_RInt_constant 0 lo hi) as H0. now rewrite Rmult_0_r in H0.
  - apply (is_RInt_plus (V := R_NormedModule)); [|apply IH; intros x q Hin; apply (H x q); now right].
    destruct (Req_EM_T p 0) as [->|Hp].
    + apply is_RInt_ext with (fun _ => 0); [intros x _; symmetry; apply Rmult_0_l|].
      replace (0 * (hi - z)) with ((hi - lo) * 0) by ring; apply is_RInt_constant.
    + apply (is_RInt_scal (V := R_NormedModule)), is_RInt_step, (H z p); [now left | assumption].
Qed.

Theorem Phi_id_eq_mean d : is_law d -> Phi (fun tau => tau) d = E d (fun z => z).
Proof.
  intros Hd; destruct (bounded_law d) as [lo [hi [Hle B]]].
  rewrite (Phi_eq_hi_minus_area _ d lo hi weighting_id Hd Hle B).
  change (hi - RInt (cdf d) lo hi = E d (fun z => z)).
  rewrite (is_RInt_unique _ _ _ _ (is_RInt_cdf d lo hi B)), E_minus, E_const by assumption. ring.
Qed.
