(** * Maximising over rho is planning      (mean, CVaR and their mixtures)

    G = c tau + (1 - c) min(tau / alpha, 1).  The planner of the learner maximises the optimistic value of the utilities

      h_rho(x) = c x + (1 - c) ( rho - (rho - x)^+ / alpha )

    over rho in [0, z].  This is a best utility among all that support Phi: the optimistic value of any utility is its
    mean under a law that the optimistic recursion realises, and that law's own quantile is a rho that does as well.
    So the hypothesis [play_near_best] of [KlLearner.v] holds with the error of the search over rho. *)

Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts RockafellarUryasev Mdp SupportingUtility
  LawDistances DynamicProgramming CvarLearner BestRow KlLearner.
Import ListNotations.
Open Scope R_scope.

(** ** The law that an optimistic value realises *)

Section Realised.
  Context {S A : Type}.
  Load "setup/Successors".
  Variable b : beliefs S A.
  Hypothesis Hb : proper succ b.

  Definition mixed_laws (q : S -> R) (laws : S -> dist R) (l : list S) : dist R :=
    flat_map (fun s => scale (q s) (laws s)) l.

  Lemma E_mixed_laws q laws l f : E (mixed_laws q laws l) f = sum l (fun s => q s * E (laws s) f).
  Proof. unfold mixed_laws. induction l as [|s l IH]; simpl; [reflexivity|]. now rewrite E_app, E_scale, IH. Qed.

  Definition best_action (h : R -> R) (n : nat) (s : S) (y : R) (a : A) (l : list A) : A :=
    argmax (backup_hat succ b (Vhat acts succ b h n) s y) a l.

  Fixpoint value_law (h : R -> R) (n : nat) (s : S) (y : R) : dist R :=
    match n with
    | O => ret y
    | Datatypes.S n' =>
      match acts s with
      | [] => []
      | a :: l =>
        let a' := best_action h n' s y a l in
        bind (hat b s a') (fun r => mixed_laws (low b s a') (fun s' => value_law h n' s' (r + y)) (succ s a') ++
          match succ s a' with
          | [] => []
          | s0 :: m => scale (miss succ b s a') (value_law h n'
            (argmax (fun s' => Vhat acts succ b h n' s' (r + y)) s0 m) (r + y))
          end)
      end
    end.

  Lemma value_law_step h n s y :
    exists a, In a (acts s) /\ Vhat acts succ b h (Datatypes.S n) s y =
      backup_hat succ b (Vhat acts succ b h n) s y a /\
    forall f, E (value_law h (Datatypes.S n) s y) f = E (hat b s a) (fun r =>
      sum (succ s a) (fun s' => low b s a s' * E (value_law h n s' (r + y)) f) +
      miss succ b s a * E (value_law h n (match succ s a
        with [] => s | s0 :: m => argmax (fun s' => Vhat acts succ b h n s' (r + y)) s0 m end) (r + y)) f).
  Proof.
    pose proof (Hacts s) as Hne. destruct (acts s) as [|a l] eqn:Ha; [congruence|].
    set (a' := best_action h n s y a l). exists a'. split; [apply argmax_spec|].
    split; [cbn [Vhat]; rewrite Ha; reflexivity|].
    intros f. cbn [value_law]. rewrite Ha. fold a'. rewrite E_bind. apply E_ext; intros r. rewrite E_app, E_mixed_laws.
    f_equal.
    pose proof (Hsucc s a') as Hs. destruct (succ s a') as [|s0 m] eqn:Hsa; [congruence|]. apply E_scale.
  Qed.

  Theorem value_law_spec h n s y :
    E (value_law h n s y) h = Vhat acts succ b h n s y /\
    (forall f, E (value_law h n s y) f <= Vhat acts succ b f n s y) /\
    is_law (value_law h n s y) /\ almost_surely (value_law h n s y) (fun x => y <= x <= y + INR n).
  Proof.
    revert s y; induction n as [|n IH]; intros s y.
    - cbn [value_law Vhat]. split; [apply E_ret|]. split; [intros f; rewrite E_ret; lra|]. split; [apply law_ret|].
      apply as_ret. simpl; lra.
    - destruct (value_law_step h n s y) as [a [Ha [Hv HE]]].
      assert (Hpick : forall r, let s1 := match succ s a
        with [] => s | s0 :: m => argmax (fun s' => Vhat acts succ b h n s' (r + y)) s0 m end in
        In s1 (succ s a) /\ Vhat acts succ b h n s1 (r + y) =
          max_over (fun s' => Vhat acts succ b h n s' (r + y)) (succ s a)).
      { intros r. pose proof (Hsucc s a). destruct (succ s a) as [|s0 m]; [congruence|]. simpl.
        split; [apply argmax_spec | reflexivity]. }
      split; [|split; [|split]].
      + rewrite HE, Hv. unfold backup_hat, row_max. apply E_ext; intros r. destruct (Hpick r) as [_ Hm]. rewrite <- Hm.
        rewrite (proj1 (IH _ (r + y))). f_equal. apply sum_ext; intros s' _. now rewrite (proj1 (IH s' (r + y))).
      + intros f. rewrite HE. eapply Rle_trans; [|cbn [Vhat]; apply max_over_ge; exact Ha]. unfold backup_hat, row_max.
        apply E_le; [apply (hat_law succ b Hb)|]. intros r. destruct (Hpick r) as [Hin _]. apply Rplus_le_compat.
        * apply sum_le; intros s' _. apply Rmult_le_compat_l; [apply (low_nonneg succ b Hb) | apply (IH s' (r + y))].
        * apply Rmult_le_compat_l; [apply (miss_nonneg succ b Hb)|].
          eapply Rle_trans; [apply (IH _ (r + y)) | exact
            (max_over_ge (fun s' => Vhat acts succ b f n s' (r + y)) (succ s a) _ Hin)].
      + pose proof (Hacts s) as Hne. split.
        * cbn [value_law]. destruct (acts s) as [|a0 l]; [congruence|]. set (a' := best_action h n s y a0 l).
          apply nonneg_bind; [apply (hat_law succ b Hb)|]. intros r x p Hin. apply in_app_or in Hin.
          destruct Hin as [Hin|Hin].
          -- apply in_flat_map in Hin. destruct Hin as [s' [_ Hin]].
             apply (nonneg_scale (low b s a' s') (value_law h n s' (r + y)) (low_nonneg succ b Hb s a' s')
               (proj1 (proj1 (proj2 (proj2 (IH s' (r + y)))))) x p Hin).
          -- destruct (succ s a') as [|s0 m]; [destruct Hin|].
             apply (nonneg_scale (miss succ b s a') _ (miss_nonneg succ b Hb s a')
               (proj1 (proj1 (proj2 (proj2 (IH _ (r + y)))))) x p Hin).
        * rewrite HE. rewrite (E_ext _ _ (fun _ => 1)); [apply (E_const _ 1), (hat_law succ b Hb)|]. intros r.
          rewrite (proj2 (proj1 (proj2 (proj2 (IH _ (r + y)))))).
          rewrite (sum_ext _ _ (low b s a)); [unfold miss; ring|]. intros s' _.
          rewrite (proj2 (proj1 (proj2 (proj2 (IH s' (r + y)))))). ring.
      + cbn [value_law]. pose proof (Hacts s) as Hne. destruct (acts s) as [|a0 l]; [congruence|].
        set (a' := best_action h n s y a0 l).
        rewrite S_INR. apply as_bind. generalize (hat_within succ b Hb s a'); apply as_impl; intros r Hr x p Hin Hp.
        assert (Hsub : forall c s' q, In (x, q) (scale c (value_law h n s' (r + y))) -> q <> 0 ->
          y <= x <= y + (INR n + 1)).
        { intros c s' q Hq Hq0. apply in_map_iff in Hq. destruct Hq as [[x' q'] [Heq Hq]]. injection Heq as -> <-.
          simpl in *.
          pose proof (proj2 (proj2 (proj2 (IH s' (r + y)))) x q' Hq ltac:(intros ->; apply Hq0; ring)) as Hx.
          simpl in Hx. lra. }
        apply in_app_or in Hin. destruct Hin as [Hin|Hin].
        * apply in_flat_map in Hin. destruct Hin as [s' [_ Hin]]. exact (Hsub _ s' p Hin Hp).
        * destruct (succ s a') as [|s0 m]; [destruct Hin|]. exact (Hsub _ _ p Hin Hp).
  Qed.
End Realised.

(** ** Mixtures of two weightings *)

Section Mixture.
  Variables (G1 G2 : R -> R) (c : R).
  Hypothesis H1 : weighting G1.
  Hypothesis H2 : weighting G2.
  Hypothesis Hc : 0 <= c <= 1.

  Lemma weighting_of_two : weighting (fun tau => c * G1 tau + (1 - c) * G2 tau).
  Proof.
    split.
    - rewrite (weighting_0 G1 H1), (weighting_0 G2 H2). ring.
    - rewrite (weighting_1 G1 H1), (weighting_1 G2 H2). ring.
    - intros x y Hx Hxy Hy. pose proof (weighting_mono G1 H1 x y Hx Hxy Hy).
      pose proof (weighting_mono G2 H2 x y Hx Hxy Hy). nra.
    - intros x e Hx He. destruct (weighting_right G1 H1 x e Hx He) as [d1 [Hd1 B1]].
      destruct (weighting_right G2 H2 x e Hx He) as [d2 [Hd2 B2]].
      exists (Rmin d1 d2). split; [now apply Rmin_glb_lt|]. intros y Hy Hy1. pose proof (Rmin_l d1 d2).
      pose proof (Rmin_r d1 d2).
      specialize (B1 y ltac:(lra) Hy1). specialize (B2 y ltac:(lra) Hy1). destruct (Req_EM_T c 0) as [->|Hc0]; [lra|].
      nra.
  Qed.

  Theorem Phi_mixture d : is_law d -> Phi (fun tau => c * G1 tau + (1 - c) * G2 tau) d =
    c * Phi G1 d + (1 - c) * Phi G2 d.
  Proof.
    intros Hd. destruct (bounded_law d) as [lo [hi [Hle B]]].
    rewrite (Phi_eq_hi_minus_area _ d lo hi weighting_of_two Hd Hle B), (Phi_eq_hi_minus_area _ d lo hi H1 Hd Hle B),
      (Phi_eq_hi_minus_area _ d lo hi H2 Hd Hle B).
    pose proof (RInt_correct (V := R_CompleteNormedModule) _ _ _ (ex_RInt_weighted_cdf G1 d lo hi H1 Hd Hle B)) as I1.
    pose proof (RInt_correct (V := R_CompleteNormedModule) _ _ _ (ex_RInt_weighted_cdf G2 d lo hi H2 Hd Hle B)) as I2.
    pose proof (is_RInt_plus (V := R_NormedModule) _ _ _ _ _ _ (is_RInt_scal (V := R_NormedModule) _ _ _ c _ I1)
      (is_RInt_scal (V := R_NormedModule) _ _ _ (1 - c) _ I2)) as I.
    pose proof (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ I) as U.
    unfold plus, scal in U; simpl in U. unfold mult in U; simpl in U. rewrite U. ring.
  Qed.
End Mixture.

(** ** The search over rho *)

Section Search.
  Variables (c alpha : R).
  Hypothesis Hc : 0 <= c <= 1.
  Hypothesis Halpha : 0 < alpha <= 1.

  Definition mean_cvar_weight (tau : R) : R := c * tau + (1 - c) * cvar_weight alpha tau.
  Definition mean_cvar_slope : R := c + (1 - c) / alpha.
  Definition tail_utility (rho x : R) : R := c * x + (1 - c) * cvar_utility alpha rho x.

  Lemma weighting_mean_cvar : weighting mean_cvar_weight.
  Proof.
    exact (weighting_of_two (fun tau => tau) (cvar_weight alpha) c weighting_id (weighting_cvar alpha Halpha) Hc).
  Qed.

  Lemma Phi_mean_cvar d : is_law d -> Phi mean_cvar_weight d =
    c * E d (fun x => x) + (1 - c) * Phi (cvar_weight alpha) d.
  Proof.
    intros Hd. unfold mean_cvar_weight.
    rewrite (Phi_mixture (fun tau => tau) (cvar_weight alpha) c weighting_id (weighting_cvar alpha Halpha) Hc d Hd).
    now rewrite Phi_id_eq_mean.
  Qed.

  Lemma E_tail_utility d rho : is_law d -> E d (tail_utility rho) = c * E d (fun x => x) + (1 - c) * ru alpha d rho.
  Proof. intros Hd. unfold tail_utility. rewrite E_plus, !E_scal. now rewrite (E_cvar_utility alpha d rho Hd). Qed.

  Lemma tail_utility_is_utility rho : is_utility mean_cvar_slope (tail_utility rho).
  Proof.
    intros x y Hxy. pose proof (cvar_utility_is_utility alpha Halpha rho x y Hxy) as H.
    unfold tail_utility, mean_cvar_slope, Rdiv. nra.
  Qed.

  Theorem tail_utility_supports z rho : supports_on mean_cvar_weight mean_cvar_slope z (tail_utility rho).
  Proof.
    split; [apply tail_utility_is_utility|]. intros e He _. rewrite Phi_mean_cvar, E_tail_utility by assumption.
    pose proof (proj1 (rockafellar_uryasev e alpha He Halpha) rho). nra.
  Qed.

  Context {S A : Type}.
  Load "setup/Successors".
  Load "setup/Model".
  Variable believes : list (history S A) -> beliefs S A.
  Variable past : list (history S A).
  Hypothesis Hb : proper succ (believes past).
  Variable z : R.
  Hypothesis Hz : 0 <= z.

  Local Notation v := (v_hat acts succ M believes past).

  (** Cut at z: a utility that does not tell returns beyond z apart sees no difference. *)
  Lemma rho_serves h : supports_on mean_cvar_weight mean_cvar_slope z h -> capped z h -> exists rho,
    0 <= rho <= z /\ v h <= v (fun x => tail_utility rho (Rmin x z)).
  Proof.
    intros [Hu Hbelow] Hcap.
    set (e := bind (init M) (fun s => value_law acts succ (believes past) h (horizon M) s 0)).
    assert (Hspec := fun s => value_law_spec acts Hacts succ Hsucc (believes past) Hb h (horizon M) s 0).
    assert (He : is_law e) by (apply law_bind; [apply HM | intros s; apply Hspec]).
    assert (Heh : E e h = v h) by (unfold e; rewrite E_bind; apply E_ext; intros s; apply Hspec).
    assert (Hef : forall f, E e f <= v f) by (intros f; unfold e; rewrite E_bind; apply E_le;
      [apply HM | intros s; apply Hspec]).
    assert (Hpos : almost_surely e (fun x => 0 <= x)).
    { apply as_bind, as_always. intros s. destruct (Hspec s) as [_ [_ [_ Hw]]]. revert Hw; apply as_impl; intros x Hx.
      lra. }
    set (d := image (fun x => Rmin x z) e). assert (Hd : is_law d) by now apply law_image.
    assert (Hin : almost_surely d (fun x => 0 <= x <= z)).
    { apply as_image. revert Hpos; apply as_impl; intros x Hx. split; [now apply Rmin_glb | apply Rmin_r]. }
    destruct (rockafellar_uryasev d alpha Hd Halpha) as [_ [rho [p [Hrho [Hp [_ Hru]]]]]].
    exists rho. split; [apply (Hin rho p Hrho); lra|].
    eapply Rle_trans; [|apply (Hef (fun x => tail_utility rho (Rmin x z)))]. rewrite <- Heh.
    apply Rle_trans with (E d h).
    - right. unfold d. rewrite E_image. apply E_ext; intros x.
      destruct (Rle_dec x z) as [Hx|Hx]; [now rewrite Rmin_left|].
      rewrite Rmin_right by lra. apply Hcap; lra.
    - eapply Rle_trans; [apply (Hbelow d Hd Hin)|]. rewrite Phi_mean_cvar, <- Hru, <- E_tail_utility by assumption.
      unfold d. rewrite E_image. lra.
  Qed.

  (** Without a declared bound, z = T, nothing is cut.
      Given: mean, CVaR and mixtures; rho within w0 of the best in [0, T].
      Differs: the planner's search over rho.
      In words: 10-kl-learner.md#kl-optimism.
      Step of: corrected/ii. *)
  Theorem best_rho_is_near_best best_rho w0 :
    INR (horizon M) <= z -> (forall rho, 0 <= rho <= z -> v (tail_utility rho) <= v (tail_utility best_rho) + w0) ->
    forall h, supports_on mean_cvar_weight mean_cvar_slope z h -> v h <= v (tail_utility best_rho) + w0.
  Proof.
    intros HT H h [Hu Hbelow].
    set (e := bind (init M) (fun s => value_law acts succ (believes past) h (horizon M) s 0)).
    assert (Hspec := fun s => value_law_spec acts Hacts succ Hsucc (believes past) Hb h (horizon M) s 0).
    assert (He : is_law e) by (apply law_bind; [apply HM | intros s; apply Hspec]).
    assert (Heh : E e h = v h) by (unfold e; rewrite E_bind; apply E_ext; intros s; apply Hspec).
    assert (Hef : forall f, E e f <= v f) by (intros f; unfold e; rewrite E_bind; apply E_le;
      [apply HM | intros s; apply Hspec]).
    assert (Hin : almost_surely e (fun x => 0 <= x <= z)).
    { apply as_bind, as_always. intros s. destruct (Hspec s) as [_ [_ [_ Hw]]]. revert Hw; apply as_impl; intros x Hx.
      lra. }
    destruct (rockafellar_uryasev e alpha He Halpha) as [_ [rho [p [Hrho [Hp [_ Hru]]]]]].
    assert (Hr : 0 <= rho <= z) by (apply (Hin rho p Hrho); lra).
    eapply Rle_trans; [|apply (H rho Hr)]. eapply Rle_trans; [|apply (Hef (tail_utility rho))].
    rewrite <- Heh, E_tail_utility by assumption. rewrite Hru, <- Phi_mean_cvar by assumption. now apply Hbelow.
  Qed.

  (** With a declared bound z, rho <= z suffices.  For CVaR alone (c = 0; alpha = 1 is the mean) the utility of such a
      rho does not tell returns beyond z apart; in a mixture it does, and is worth more.
      Given: mean, CVaR and mixtures; rho within w0 of the best in [0, z], z a declared largest return.
      Differs: the planner's search over rho.
      In words: 10-kl-learner.md#kl-largest.
      Step of: corrected/ii. *)
  Theorem best_rho_below_z_is_near_best best_rho w0 :
    (forall rho, 0 <= rho <= z -> v (tail_utility rho) <= v (tail_utility best_rho) + w0) ->
    forall h, supports_on mean_cvar_weight mean_cvar_slope z h -> capped z h -> v h <= v (tail_utility best_rho) + w0.
  Proof.
    intros H h Hh Hcap. destruct (rho_serves h Hh Hcap) as [rho [Hr Hv]]. eapply Rle_trans; [exact Hv|].
    eapply Rle_trans; [|now apply (H rho)]. apply E_le; [apply HM|]. intros s.
    destruct (value_law_spec acts Hacts succ Hsucc (believes past) Hb (fun x => tail_utility rho (Rmin x z))
      (horizon M) s 0)
      as [Hv' [Hle [Hl _]]].
    rewrite <- Hv'. eapply Rle_trans; [|apply (Hle (tail_utility rho))]. apply E_le; [apply Hl|]. intros x.
    pose proof (tail_utility_is_utility rho (Rmin x z) x (Rmin_l x z)). lra.
  Qed.
End Search.
