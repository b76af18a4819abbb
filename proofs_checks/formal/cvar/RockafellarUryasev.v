(** * Rockafellar-Uryasev for finite laws

    CVaR at level alpha in (0, 1] is the objective with weighting G(tau) = min(tau / alpha, 1).  For every finite law

      Phi  =  max over rho of  rho - E (rho - Z)^+ / alpha ,

    and the maximum is attained at rho = F†(alpha), which is an atom of the law. *)

Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts.
Import ListNotations.
Open Scope R_scope.

Definition cvar_weight (alpha tau : R) : R := Rmin (tau / alpha) 1.

(** The expected shortfall below [rho], and the Rockafellar-Uryasev function. *)
Definition shortfall (d : dist R) (rho : R) : R := E d (fun z => Rmax 0 (rho - z)).

Definition ru (alpha : R) (d : dist R) (rho : R) : R := rho - shortfall d rho / alpha.

Lemma div_le_div x y a : 0 < a -> x <= y -> x / a <= y / a.
Proof. intros Ha H; apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | assumption]. Qed.

Lemma weighting_cvar alpha : 0 < alpha <= 1 -> weighting (cvar_weight alpha).
Proof.
  intros Ha; unfold cvar_weight; split.
  - rewrite Rmin_left; unfold Rdiv; lra.
  - apply Rmin_right. apply (Rmult_le_reg_r alpha); [lra | field_simplify; lra].
  - intros x y _ Hxy _. apply Rle_min_compat_r, div_le_div; lra.
  - intros x eps Hx Heps; exists (alpha * eps); split; [apply Rmult_lt_0_compat; lra|].
    intros y Hy _. assert (y / alpha < x / alpha + eps).
    { apply (Rmult_lt_reg_r alpha); [lra | field_simplify; lra]. }
    unfold Rmin; destruct (Rle_dec (y / alpha) 1), (Rle_dec (x / alpha) 1); lra.
Qed.

Lemma is_RInt_zero a b : is_RInt (fun _ => 0) a b 0.
Proof. pose proof (is_RInt_constant 0 a b) as H; now rewrite Rmult_0_r in H. Qed.

(** The area under F up to [rho] is the expected shortfall below [rho]. *)
Lemma is_RInt_cdf_shortfall d lo rho :
  lo <= rho -> almost_surely d (fun z => lo <= z) -> is_RInt (cdf d) lo rho (shortfall d rho).
Proof.
  intros Hle; unfold cdf, shortfall; induction d as [|[z p] d IH]; intros H; simpl.
  - apply is_RInt_zero.
  - apply (is_RInt_plus (V := R_NormedModule)); [|apply IH; intros x q Hin; apply (H x q); now right].
    destruct (Req_EM_T p 0) as [->|Hp].
    + apply is_RInt_ext with (fun _ => 0); [intros x _; symmetry; apply Rmult_0_l|].
      rewrite Rmult_0_l; apply is_RInt_zero.
    + apply (is_RInt_scal (V := R_NormedModule)).
      pose proof (H z p (or_introl eq_refl) Hp) as Hz; simpl in Hz.
      destruct (Rle_dec z rho) as [Hzr|Hzr].
      * rewrite Rmax_right by lra. apply is_RInt_step; lra.
      * rewrite Rmax_left by lra.
        apply is_RInt_ext with (fun _ => 0); [|apply is_RInt_zero].
        intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. symmetry; apply ind_no; lra.
Qed.

(** A window that contains the law and [rho]. *)
Lemma window (d : dist R) rho :
  exists lo hi, lo <= rho <= hi /\ almost_surely d (fun z => lo <= z <= hi).
Proof.
  destruct (bounded_law ((rho, 1) :: d)) as [lo [hi [_ H]]]; exists lo, hi; split.
  - apply (H rho 1); [now left | lra].
  - intros z p Hin; apply (H z p); now right.
Qed.

Section Level.
  Variables (alpha : R) (d : dist R).
  Hypothesis Halpha : 0 < alpha <= 1.
  Hypothesis Hd : is_law d.

  Let Hw : weighting (cvar_weight alpha) := weighting_cvar alpha Halpha.

  (** The weighted area, split at [rho]. *)
  Lemma Phi_cvar_split lo hi rho :
    lo <= rho <= hi -> almost_surely d (fun z => lo <= z <= hi) ->
    Phi (cvar_weight alpha) d = hi - RInt (fun x => cvar_weight alpha (cdf d x)) lo rho
                                   - RInt (fun x => cvar_weight alpha (cdf d x)) rho hi /\
    ex_RInt (fun x => cvar_weight alpha (cdf d x)) lo rho /\ ex_RInt (fun x => cvar_weight alpha (cdf d x)) rho hi.
  Proof.
    intros Hr B. assert (Hle : lo <= hi) by lra.
    pose proof (ex_RInt_weighted_cdf _ d lo hi Hw Hd Hle B) as Hex.
    assert (H1 : ex_RInt (fun x => cvar_weight alpha (cdf d x)) lo rho)
      by (apply (ex_RInt_Chasles_1 (V := R_CompleteNormedModule)) with hi; assumption).
    assert (H2 : ex_RInt (fun x => cvar_weight alpha (cdf d x)) rho hi)
      by (apply (ex_RInt_Chasles_2 (V := R_CompleteNormedModule)) with lo; assumption).
    split; [|tauto]. rewrite (Phi_eq_hi_minus_area _ d lo hi Hw Hd Hle B).
    rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) _ lo rho hi H1 H2). unfold plus; simpl; ring.
  Qed.

  Lemma is_RInt_cdf_over_alpha lo rho :
    lo <= rho -> almost_surely d (fun z => lo <= z) ->
    is_RInt (fun x => cdf d x / alpha) lo rho (shortfall d rho / alpha).
  Proof.
    intros Hle H. apply is_RInt_ext with (fun x => scal (/ alpha) (cdf d x)).
    - intros x _; apply Rmult_comm.
    - replace (shortfall d rho / alpha) with (scal (/ alpha) (shortfall d rho))
        by apply Rmult_comm.
      apply (is_RInt_scal (V := R_NormedModule)); now apply is_RInt_cdf_shortfall.
  Qed.

  Theorem ru_le_cvar rho : ru alpha d rho <= Phi (cvar_weight alpha) d.
  Proof.
    destruct (window d rho) as [lo [hi [Hr B]]].
    destruct (Phi_cvar_split lo hi rho Hr B) as [-> [H1 H2]].
    assert (RInt (fun x => cvar_weight alpha (cdf d x)) lo rho <= shortfall d rho / alpha).
    { assert (Hi : is_RInt (fun x => cdf d x / alpha) lo rho (shortfall d rho / alpha))
        by (apply is_RInt_cdf_over_alpha; [lra | revert B; apply as_impl; intros; lra]).
      rewrite <- (is_RInt_unique _ _ _ _ Hi). apply RInt_le; [lra | assumption | now exists (shortfall d rho / alpha)|].
      intros x _; apply Rmin_l. }
    assert (RInt (fun x => cvar_weight alpha (cdf d x)) rho hi <= hi - rho).
    { pose proof (is_RInt_constant 1 rho hi) as Hi. rewrite Rmult_1_r in Hi.
      rewrite <- (is_RInt_unique _ _ _ _ Hi). apply RInt_le; [lra | assumption | now exists (hi - rho)|].
      intros x _; apply Rmin_r. }
    unfold ru; lra.
  Qed.

  (** Equality when F crosses the level [alpha] at [rho]. *)
  Theorem ru_eq_cvar_at_quantile rho :
    (forall x, alpha <= cdf d x <-> rho <= x) -> ru alpha d rho = Phi (cvar_weight alpha) d.
  Proof.
    intros Hq. destruct (window d rho) as [lo [hi [Hr B]]].
    destruct (Phi_cvar_split lo hi rho Hr B) as [-> [H1 H2]].
    assert (Ha : is_RInt (fun x => cvar_weight alpha (cdf d x)) lo rho (shortfall d rho / alpha)).
    { apply is_RInt_ext with (fun x => cdf d x / alpha);
        [|apply is_RInt_cdf_over_alpha; [lra | revert B; apply as_impl; intros; lra]].
      intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. symmetry; apply Rmin_left.
      apply (Rmult_le_reg_r alpha); [lra|]. field_simplify; [|lra].
      destruct (Rle_dec alpha (cdf d x)) as [Hc|Hc]; [apply Hq in Hc; lra | lra]. }
    assert (Hb : is_RInt (fun x => cvar_weight alpha (cdf d x)) rho hi (hi - rho)).
    { pose proof (is_RInt_constant 1 rho hi) as Hi. rewrite Rmult_1_r in Hi. revert Hi; apply is_RInt_ext.
      intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. symmetry; apply Rmin_right.
      apply (Rmult_le_reg_r alpha); [lra|]. field_simplify; [|lra]. apply Hq; lra. }
    rewrite (is_RInt_unique _ _ _ _ Ha), (is_RInt_unique _ _ _ _ Hb). unfold ru; ring.
  Qed.
End Level.

(** ** The quantile of a finite law is one of its atoms *)

(** The mass up to [x] sits on the atoms up to the largest atom that is at most [x]. *)
Lemma cdf_reached_at_atom (d : dist R) x :
  nonneg d -> 0 < cdf d x -> exists z p, In (z, p) d /\ 0 < p /\ z <= x /\ cdf d z = cdf d x.
Proof.
  intros Hn Hx.
  assert (H : exists z p, In (z, p) d /\ 0 < p /\ z <= x /\ forall y q, In (y, q) d -> 0 < q -> y <= x -> y <= z).
  { assert (Hex : exists z p, In (z, p) d /\ 0 < p /\ z <= x).
    { destruct (Exists_dec (fun zp => 0 < snd zp /\ fst zp <= x) d) as [He|He].
      - intros [z p]; simpl. destruct (Rlt_dec 0 p), (Rle_dec z x); tauto.
      - apply Exists_exists in He; destruct He as [[z p] [Hin Hz]]; exists z, p; tauto.
      - exfalso. assert (Hz : cdf d x = 0); [|lra]. unfold cdf. rewrite <- (E_zero d). apply E_ext_as.
        intros z p Hin Hp. apply ind_no; intros Hz. apply He, Exists_exists.
        exists (z, p); split; [assumption|]. specialize (Hn z p Hin); simpl; lra. }
    clear Hx Hn; induction d as [|[a m] d IH]; [destruct Hex as [z [p [[] _]]]|].
    destruct (Exists_dec (fun zp => 0 < snd zp /\ fst zp <= x) d) as [He|He].
    - intros [z p]; simpl. destruct (Rlt_dec 0 p), (Rle_dec z x); tauto.
    - apply Exists_exists in He; destruct He as [[z p] [Hin Hz]]; simpl in Hz.
      destruct IH as [w [q [Hw [Hq [Hwx Hmax]]]]]; [exists z, p; tauto|].
      destruct (Rlt_dec 0 m) as [Hm|Hm]; [destruct (Rle_dec a x) as [Hax|Hax]; [destruct (Rle_dec a w) as [Haw|Haw]|]|].
      + exists w, q; repeat split; try assumption; [now right|].
        intros y r [Heq|Hy]; [injection Heq as <- <-; lra | now apply Hmax].
      + exists a, m; repeat split; try assumption; [now left|].
        intros y r [Heq|Hy] Hr Hyx; [injection Heq as <- <-; lra|]. specialize (Hmax y r Hy Hr Hyx); lra.
      + exists w, q; repeat split; try assumption; [now right|].
        intros y r [Heq|Hy]; [injection Heq as <- <-; lra | now apply Hmax].
      + exists w, q; repeat split; try assumption; [now right|].
        intros y r [Heq|Hy]; [injection Heq as <- <-; lra | now apply Hmax].
    - assert (Hno : forall y r, In (y, r) d -> 0 < r -> y <= x -> False).
      { intros y r Hy Hr Hyx; apply He, Exists_exists; exists (y, r); simpl; tauto. }
      destruct Hex as [z [p [[Heq|Hin] [Hp Hz]]]]; [|exfalso; now apply (Hno z p)].
      injection Heq as <- <-. exists a, m; repeat split; try assumption; [now left|].
      intros y r [Heq|Hy] Hr Hyx; [injection Heq as <- <-; lra | exfalso; now apply (Hno y r)]. }
  destruct H as [z [p [Hin [Hp [Hz Hmax]]]]]; exists z, p; repeat split; try assumption.
  unfold cdf; apply E_ext_as; intros y q Hy Hq. apply ind_iff.
  assert (0 < q) by (specialize (Hn y q Hy); lra). split; [lra | now apply (Hmax y q)].
Qed.

Lemma list_argmin {X} (f : X -> R) (l : list X) : l <> [] -> exists x, In x l /\ forall y, In y l -> f x <= f y.
Proof.
  induction l as [|a l IH]; intros Hne; [congruence|].
  destruct l as [|b l]; [exists a; split; [now left | intros y [<-|[]]; lra]|].
  destruct IH as [x [Hx Hmin]]; [discriminate|].
  destruct (Rle_dec (f a) (f x)) as [H|H].
  - exists a; split; [now left|]. intros y [<-|Hy]; [lra | specialize (Hmin y Hy); lra].
  - exists x; split; [now right|]. intros y [<-|Hy]; [lra | now apply Hmin].
Qed.

(** The least atom at which F reaches [alpha].
    Given: as rockafellar_uryasev.
    Step of: cvar:ru. *)
Theorem quantile_is_atom (d : dist R) alpha :
  is_law d -> 0 < alpha <= 1 ->
  exists rho p, In (rho, p) d /\ 0 < p /\ quantile (cdf d) alpha = Finite rho /\
    forall x, alpha <= cdf d x <-> rho <= x.
Proof.
  intros Hd Ha. pose proof (proj1 Hd) as Hn.
  set (reached := filter (fun zp => if Rlt_dec 0 (snd zp) then if Rle_dec alpha (cdf d (fst zp)) then true else false
                                    else false) d).
  assert (Hin : forall z p, In (z, p) reached <-> In (z, p) d /\ 0 < p /\ alpha <= cdf d z).
  { intros z p; unfold reached; rewrite filter_In; simpl.
    destruct (Rlt_dec 0 p), (Rle_dec alpha (cdf d z)); intuition (try discriminate; try lra). }
  assert (Hsome : forall x, alpha <= cdf d x -> exists z p, In (z, p) reached /\ z <= x).
  { intros x Hx. destruct (cdf_reached_at_atom d x Hn ltac:(lra)) as [z [p [H1 [H2 [H3 H4]]]]].
    exists z, p; split; [apply Hin; repeat split; try assumption; lra | assumption]. }
  destruct (list_argmin fst reached) as [[rho p] [Hrho Hmin]].
  { intros Hnil. destruct (bounded_law d) as [lo [hi [_ B]]].
    destruct (Hsome hi) as [z [p [Hz _]]]; [|rewrite Hnil in Hz; contradiction].
    rewrite cdf_above; [lra | assumption | revert B; apply as_impl; intros; lra]. }
  apply Hin in Hrho. assert (Hiff : forall x, alpha <= cdf d x <-> rho <= x).
  { intros x; split; intros Hx.
    - destruct (Hsome x Hx) as [z [q [Hz Hzx]]]. specialize (Hmin _ Hz); simpl in Hmin; lra.
    - apply Rle_trans with (cdf d rho); [tauto | now apply cdf_nondecreasing]. }
  exists rho, p; repeat split; try tauto; try apply Hiff. now apply quantile_of_iff.
Qed.

(** ** The statement *)

(** Given: a finite law, 0 < alpha <= 1. *)
Theorem rockafellar_uryasev (d : dist R) alpha :
  is_law d -> 0 < alpha <= 1 ->
  (forall rho, ru alpha d rho <= Phi (cvar_weight alpha) d) /\
  exists rho p, In (rho, p) d /\ 0 < p /\ quantile (cdf d) alpha = Finite rho /\
    ru alpha d rho = Phi (cvar_weight alpha) d.
Proof.
  intros Hd Ha; split; [intros; now apply ru_le_cvar|].
  destruct (quantile_is_atom d alpha Hd Ha) as [rho [p [H1 [H2 [H3 H4]]]]].
  exists rho, p; repeat split; try assumption. now apply ru_eq_cvar_at_quantile.
Qed.
