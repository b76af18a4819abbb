(** * Objectives as expected utilities

    A utility is nondecreasing and L-Lipschitz.  Let G be an L-Lipschitz weighting.

    - For any two finite laws there is a utility f with  Phi(d) - Phi(e) = E_d f - E_e f.
    - If G is concave, every finite law d on [lo, hi] has a supporting utility: h with  E_d h = Phi(d)  and
      E_e h <= Phi(e)  for every finite law e on [lo, hi].  So  Phi(d) = max over supporting h of E_d h, which is what
      the mixture of CVaRs gives, without the mixture.

    Both utilities are integrals of a step function g with 0 <= g <= L: a difference quotient of G between the two
    distribution functions, or the right slope of G at F_d. *)

Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts RockafellarUryasev.
Import ListNotations.
Open Scope R_scope.

Definition is_utility (L : R) (f : R -> R) : Prop := forall x y, x <= y -> 0 <= f y - f x <= L * (y - x).

(** ** Step functions are integrable *)

Lemma ex_RInt_step ps (f : R -> R) lo hi :
  lo <= hi ->
  (forall a b, lo <= a -> a < b -> b <= hi -> (forall p, In p ps -> ~ a < p < b) ->
     exists c, forall x, a < x < b -> f x = c) ->
  ex_RInt f lo hi.
Proof.
  revert lo hi; induction ps as [|p ps IH]; intros lo hi Hle H.
  - destruct (Req_EM_T lo hi) as [->|Hne]; [apply (ex_RInt_point (V := R_NormedModule))|].
    destruct (H lo hi) as [c Hc]; try lra; [intros p []|].
    exists ((hi - lo) * c). apply is_RInt_ext with (fun _ => c); [|apply is_RInt_constant].
    intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. symmetry; now apply Hc.
  - destruct (Rlt_dec lo p) as [H1|H1]; [destruct (Rlt_dec p hi) as [H2|H2]|].
    + apply (ex_RInt_Chasles (V := R_NormedModule)) with p; apply IH; try lra; intros a b Ha Hab Hb Hps; apply H;
        try lra;
        (intros q [<-|Hq]; [lra | now apply Hps]).
    + apply IH; [assumption|]. intros a b Ha Hab Hb Hps; apply H; try lra. intros q [<-|Hq]; [lra | now apply Hps].
    + apply IH; [assumption|]. intros a b Ha Hab Hb Hps; apply H; try lra. intros q [<-|Hq]; [lra | now apply Hps].
Qed.

(** A distribution function is constant between neighbouring atoms. *)
Lemma cdf_constant_between (d : dist R) a b x y :
  (forall p, In p (map fst d) -> ~ a < p < b) -> a < x < b -> a < y < b -> cdf d x = cdf d y.
Proof.
  intros H Hx Hy; unfold cdf; apply E_ext_as; intros z p Hin _. apply ind_iff.
  specialize (H z (in_map fst d (z, p) Hin)). split; intros Hz; destruct (Rle_dec z a); lra.
Qed.

Lemma ex_RInt_of_cdfs (q : R -> R -> R) d e lo hi : lo <= hi -> ex_RInt (fun x => q (cdf d x) (cdf e x)) lo hi.
Proof.
  intros Hle; apply ex_RInt_step with (map fst d ++ map fst e); [assumption|].
  intros a b _ Hab _ H. exists (q (cdf d ((a + b) / 2)) (cdf e ((a + b) / 2))). intros x Hx.
  f_equal; apply (cdf_constant_between _ a b); try lra; intros p Hp; apply H, in_or_app; auto.
Qed.

(** ** The utility of a step function *)

Section Integral.
  Variables (g : R -> R) (L lo hi : R).
  Hypothesis Hle : lo <= hi.
  Hypothesis Hg : forall x, 0 <= g x <= L.
  Hypothesis Hex : ex_RInt g lo hi.

  Definition clamp (z : R) : R := Rmax lo (Rmin z hi).

  Definition utility_of (z : R) : R := - RInt g (clamp z) hi.

  Lemma clamp_range z : lo <= clamp z <= hi.
  Proof.
    unfold clamp; split; [apply Rmax_l|]. apply Rmax_lub; [assumption | apply Rmin_r].
  Qed.

  Lemma clamp_inside z : lo <= z <= hi -> clamp z = z.
  Proof. intros H; unfold clamp. rewrite Rmin_left, Rmax_right; lra. Qed.

  Lemma clamp_close x y : x <= y -> 0 <= clamp y - clamp x <= y - x.
  Proof. intros H; unfold clamp, Rmax, Rmin; repeat destruct Rle_dec; lra. Qed.

  Lemma ex_RInt_sub a b : lo <= a -> a <= b -> b <= hi -> ex_RInt g a b.
  Proof.
    intros H1 H2 H3. apply (ex_RInt_Chasles_1 (V := R_CompleteNormedModule)) with hi; [lra|].
    apply (ex_RInt_Chasles_2 (V := R_CompleteNormedModule)) with lo; [lra | assumption].
  Qed.

  Lemma is_utility_utility_of : is_utility L utility_of.
  Proof.
    intros x y Hxy. pose proof (clamp_range x); pose proof (clamp_range y); pose proof (clamp_close x y Hxy) as Hc.
    assert (Hxy' : ex_RInt g (clamp x) (clamp y)) by (apply ex_RInt_sub; lra).
    assert (Hy : ex_RInt g (clamp y) hi) by (apply ex_RInt_sub; lra).
    unfold utility_of. rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) g _ _ _ Hxy' Hy).
    unfold plus; simpl.
    assert (0 <= RInt g (clamp x) (clamp y)) by (apply RInt_ge_0; [lra | assumption | intros; apply Hg]).
    assert (RInt g (clamp x) (clamp y) <= (clamp y - clamp x) * L).
    { pose proof (is_RInt_constant L (clamp x) (clamp y)) as Hk. rewrite <- (is_RInt_unique _ _ _ _ Hk).
      apply RInt_le; [lra | assumption | eexists; exact Hk | intros; apply Hg]. }
    assert (0 <= L) by (pose proof (Hg 0); lra).
    assert ((clamp y - clamp x) * L <= (y - x) * L) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  (** Integration by parts. *)
  Lemma is_RInt_weighted_by e :
    almost_surely e (fun z => lo <= z <= hi) -> is_RInt (fun x => g x * cdf e x) lo hi (- E e utility_of).
  Proof.
    unfold cdf; induction e as [|[z p] e IH]; intros H; simpl.
    - rewrite Ropp_0. apply is_RInt_ext with (fun _ => 0); [intros x _; symmetry; apply Rmult_0_r | apply is_RInt_zero].
    - replace (- (p * utility_of z + E e utility_of)) with (p * - utility_of z + - E e utility_of) by ring.
      apply is_RInt_ext with (fun x => p * (g x * ind (Rle_dec z x)) + g x * E e (fun z => ind (Rle_dec z x))).
      { intros x _. rewrite Rmult_plus_distr_l. f_equal. rewrite <- !Rmult_assoc. f_equal. apply Rmult_comm. }
      apply (is_RInt_plus (V := R_NormedModule)); [|apply IH; intros y q Hin; apply (H y q); now right].
      destruct (Req_EM_T p 0) as [->|Hp].
      { rewrite Rmult_0_l. apply is_RInt_ext with (fun _ => 0);
          [intros x _; symmetry; apply Rmult_0_l | apply is_RInt_zero]. }
      pose proof (H z p (or_introl eq_refl) Hp) as Hz; simpl in Hz.
      apply (is_RInt_scal (V := R_NormedModule)). unfold utility_of; rewrite Ropp_involutive, (clamp_inside z Hz).
      replace (RInt g z hi) with (plus 0 (RInt g z hi)) by apply Rplus_0_l.
      apply (is_RInt_Chasles (V := R_NormedModule)) with z.
      + apply is_RInt_ext with (fun _ => 0); [|apply is_RInt_zero].
        intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. rewrite ind_no by lra. symmetry; apply Rmult_0_r.
      + apply is_RInt_ext with g; [|apply (RInt_correct (V := R_CompleteNormedModule)), ex_RInt_sub; lra].
        intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. rewrite ind_yes by lra. symmetry; apply Rmult_1_r.
  Qed.
End Integral.

(** ** Any Lipschitz weighting: the difference of two objectives *)

Section MeanValue.
  Variables (G : R -> R) (L : R).
  Hypothesis HG : weighting G.
  Hypothesis HL : lipschitz_weighting G L.

  Definition quotient (p q : R) : R := if Req_EM_T p q then 0 else (G q - G p) / (q - p).

  Lemma lipschitz_nonneg : 0 <= L.
  Proof.
    pose proof (HL 1 0 ltac:(lra) ltac:(lra)) as H. rewrite (weighting_0 G HG), (weighting_1 G HG) in H.
    replace (1 - 0) with 1 in H by ring. rewrite Rabs_R1 in H. lra.
  Qed.

  Lemma quotient_range p q : 0 <= p <= 1 -> 0 <= q <= 1 -> 0 <= quotient p q <= L.
  Proof.
    intros Hp Hq; unfold quotient; destruct (Req_EM_T p q) as [|Hne]; [pose proof lipschitz_nonneg; lra|].
    assert (H : forall a b, 0 <= a -> a < b -> b <= 1 -> 0 <= (G b - G a) / (b - a) <= L).
    { intros a b Ha Hab Hb. pose proof (weighting_mono G HG a b Ha ltac:(lra) Hb).
      pose proof (HL b a ltac:(lra) ltac:(lra)) as Hl. rewrite !Rabs_right in Hl by lra. split.
      - apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
      - apply (Rmult_le_reg_r (b - a)); [lra|]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
    destruct (Rlt_dec p q).
    - apply H; lra.
    - replace ((G q - G p) / (q - p)) with ((G p - G q) / (p - q)) by (field; lra). apply H; lra.
  Qed.

  (** Given: finite laws, G L-Lipschitz.
      Step of: L2/duality. *)
  Theorem Phi_difference_is_utility_difference d e :
    is_law d -> is_law e -> exists f, is_utility L f /\ Phi G d - Phi G e = E d f - E e f.
  Proof.
    intros Hd He. destruct (common_bounds d e) as [lo [hi [Hle [Bd Be]]]].
    set (g := fun x => quotient (cdf d x) (cdf e x)).
    assert (Hg : forall x, 0 <= g x <= L) by (intros x; apply quotient_range; now apply cdf_range).
    assert (Hex : ex_RInt g lo hi) by now apply ex_RInt_of_cdfs.
    exists (utility_of g lo hi); split; [now apply is_utility_utility_of|].
    pose proof (is_RInt_weighted_by g lo hi Hex d Bd) as Id.
    pose proof (is_RInt_weighted_by g lo hi Hex e Be) as Ie.
    pose proof (is_RInt_minus (V := R_NormedModule) _ _ _ _ _ _ Ie Id) as I.
    pose proof (is_RInt_minus (V := R_NormedModule) _ _ _ _ _ _
      (RInt_correct (V := R_CompleteNormedModule) _ _ _ (ex_RInt_weighted_cdf G e lo hi HG He Hle Be))
      (RInt_correct (V := R_CompleteNormedModule) _ _ _ (ex_RInt_weighted_cdf G d lo hi HG Hd Hle Bd))) as I'.
    apply is_RInt_ext with (g := fun x => minus (G (cdf e x)) (G (cdf d x))) in I.
    - pose proof (eq_trans (eq_sym (is_RInt_unique _ _ _ _ I)) (is_RInt_unique _ _ _ _ I')) as U.
      unfold minus, plus, opp in U; simpl in U.
      rewrite (Phi_eq_hi_minus_area G d lo hi), (Phi_eq_hi_minus_area G e lo hi) by assumption. lra.
    - intros x _. unfold minus, plus, opp; simpl. unfold g, quotient.
      destruct (Req_EM_T (cdf d x) (cdf e x)) as [->|Hne]; [lra|]. field; lra.
  Qed.
End MeanValue.

(** ** Concave weightings: supporting utilities *)

Section Supporting.
  Variables (G : R -> R) (L : R).
  Hypothesis HG : weighting G.
  Hypothesis HL : lipschitz_weighting G L.
  Hypothesis Hconcave : concave_weighting G.

  (** The right slope: the supremum of the slopes towards the right, and 0 at 1. *)
  Definition slope (p : R) : R :=
    if Rlt_dec p 1 then real (Lub_Rbar (fun v => exists q, p < q <= 1 /\ v = (G q - G p) / (q - p))) else 0.

  Lemma slope_spec p : 0 <= p <= 1 -> 0 <= slope p <= L /\ forall q, 0 <= q <= 1 -> G q <= G p + slope p * (q - p).
  Proof.
    intros Hp; unfold slope; destruct (Rlt_dec p 1) as [Hp1|Hp1].
    - set (Q := fun v => exists q, p < q <= 1 /\ v = (G q - G p) / (q - p)).
      assert (HQ : forall q, p < q <= 1 -> 0 <= (G q - G p) / (q - p) <= L).
      { intros q Hq. pose proof (quotient_range G L HG HL p q Hp ltac:(lra)) as H. unfold quotient in H.
        destruct (Req_EM_T p q); [lra | assumption]. }
      assert (H1 : Q ((G 1 - G p) / (1 - p))) by (exists 1; split; [lra | reflexivity]).
      assert (Hleft : forall q, 0 <= q < p -> is_ub_Rbar Q (Finite ((G p - G q) / (p - q)))).
      { intros q Hq v [r [Hr ->]]; simpl.
        pose proof (Hconcave q r ((r - p) / (r - q)) ltac:(lra) ltac:(lra)) as Hc.
        replace ((r - p) / (r - q) * q + (1 - (r - p) / (r - q)) * r) with p in Hc by (field; lra).
        assert (Hc' : (r - p) * G q + (p - q) * G r <= (r - q) * G p).
        { apply (Rmult_le_reg_l (/ (r - q))); [apply Rinv_0_lt_compat; lra|].
          replace (/ (r - q) * ((r - p) * G q + (p - q) * G r))
            with ((r - p) / (r - q) * G q + (1 - (r - p) / (r - q)) * G r) by (field; lra).
          replace (/ (r - q) * ((r - q) * G p)) with (G p) by (field; lra). apply Hc. split.
          - apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
          - apply (Rmult_le_reg_r (r - q)); [lra|]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
        apply (Rmult_le_reg_r ((r - p) * (p - q))); [apply Rmult_lt_0_compat; lra|].
        replace ((G r - G p) / (r - p) * ((r - p) * (p - q))) with ((G r - G p) * (p - q)) by (field; lra).
        replace ((G p - G q) / (p - q) * ((r - p) * (p - q))) with ((G p - G q) * (r - p)) by (field; lra). lra. }
      pose proof (Lub_Rbar_correct Q) as [Hub Hleast].
      destruct (Lub_Rbar Q) as [s| |];
        [|exfalso; apply (Hleast (Finite L)); intros v [q [Hq ->]]; simpl; apply HQ, Hq | destruct (Hub _ H1)].
      simpl. split.
      { split; [apply Rle_trans with ((G 1 - G p) / (1 - p)); [apply HQ; lra | apply (Hub _ H1)]|].
        apply (Hleast (Finite L)); intros v [q [Hq ->]]; simpl; apply HQ, Hq. }
      intros q Hq. destruct (Rtotal_order q p) as [Hqp|[->|Hqp]]; [|lra|].
      + pose proof (Hleast _ (Hleft q ltac:(lra))) as Hs; simpl in Hs.
        apply (Rmult_le_compat_r (p - q)) in Hs; [|lra]. unfold Rdiv in Hs; rewrite Rmult_assoc, Rinv_l in Hs; lra.
      + assert (Hs : (G q - G p) / (q - p) <= s) by (apply Hub; exists q; split; [lra | reflexivity]).
        apply (Rmult_le_compat_r (q - p)) in Hs; [|lra]. unfold Rdiv in Hs; rewrite Rmult_assoc, Rinv_l in Hs; lra.
    - replace p with 1 by lra. split; [pose proof (lipschitz_nonneg G L HG HL); lra|].
      intros q Hq. pose proof (weighting_mono G HG q 1 ltac:(lra) ltac:(lra) ltac:(lra)); lra.
  Qed.

  (** The supporting utility of a law on [lo, hi]. *)
  Definition slope_utility (d : dist R) (lo hi : R) : R -> R := utility_of (fun x => slope (cdf d x)) lo hi.
  Definition supporting (d : dist R) (lo hi z : R) : R :=
    Phi G d - E d (slope_utility d lo hi) + slope_utility d lo hi z.

  Theorem supporting_spec d lo hi :
    is_law d -> lo <= hi -> almost_surely d (fun z => lo <= z <= hi) ->
    is_utility L (supporting d lo hi) /\ E d (supporting d lo hi) = Phi G d /\
    forall e, is_law e -> almost_surely e (fun z => lo <= z <= hi) -> E e (supporting d lo hi) <= Phi G e.
  Proof.
    intros Hd Hle Bd. set (g := fun x => slope (cdf d x)).
    assert (Hg : forall x, 0 <= g x <= L) by (intros x; apply slope_spec; now apply cdf_range).
    assert (Hex : ex_RInt g lo hi) by now apply (ex_RInt_of_cdfs (fun p _ => slope p) d d).
    unfold supporting. change (slope_utility d lo hi) with (utility_of g lo hi). set (f := utility_of g lo hi).
    split; [|split].
    - intros x y Hxy. pose proof (is_utility_utility_of g L lo hi Hle Hg Hex x y Hxy). unfold f; lra.
    - rewrite E_plus, E_const by assumption. ring.
    - intros e He Be. rewrite E_plus, E_const by assumption.
      pose proof (is_RInt_weighted_by g lo hi Hex d Bd) as Id.
      pose proof (is_RInt_weighted_by g lo hi Hex e Be) as Ie.
      pose proof (is_RInt_minus (V := R_NormedModule) _ _ _ _ _ _ Ie Id) as I.
      pose proof (is_RInt_plus (V := R_NormedModule) _ _ _ _ _ _
        (RInt_correct (V := R_CompleteNormedModule) _ _ _ (ex_RInt_weighted_cdf G d lo hi HG Hd Hle Bd)) I) as J.
      assert (Hint : RInt (fun x => G (cdf e x)) lo hi <= RInt (fun x => G (cdf d x)) lo hi + (E d f - E e f)).
      { replace (RInt (fun x => G (cdf d x)) lo hi + (E d f - E e f))
          with (RInt (fun x => plus (G (cdf d x)) (minus (g x * cdf e x) (g x * cdf d x))) lo hi).
        - apply RInt_le; [assumption | now apply ex_RInt_weighted_cdf | eexists; exact J|].
          intros x _. destruct (slope_spec (cdf d x) (cdf_range d x Hd)) as [_ Hs].
          specialize (Hs (cdf e x) (cdf_range e x He)).
          unfold minus, plus, opp; simpl. unfold g; lra.
        - etransitivity; [exact (is_RInt_unique _ _ _ _ J)|]. unfold minus, plus, opp; simpl. unfold f; lra. }
      rewrite (Phi_eq_hi_minus_area G d lo hi), (Phi_eq_hi_minus_area G e lo hi) by assumption. lra.
  Qed.

  (** Given: finite laws on [lo, hi], G concave and L-Lipschitz.
      Differs: supporting nondecreasing L-Lipschitz utilities in place of the explicit h_rho. *)
  Theorem supporting_utility_exists d lo hi :
    is_law d -> lo <= hi -> almost_surely d (fun z => lo <= z <= hi) ->
    exists h, is_utility L h /\ E d h = Phi G d /\
      forall e, is_law e -> almost_surely e (fun z => lo <= z <= hi) -> E e h <= Phi G e.
  Proof. intros; exists (supporting d lo hi); now apply supporting_spec. Qed.
End Supporting.
