(** * The Dvoretzky-Kiefer-Wolfowitz inequality with Massart's constant, for finite laws      (used in lem:event)

    For n independent draws from a finite law with distribution function F and empirical distribution function F_n,

      P( sup_x  F_n(x) - F(x)  >=  v )   <=  exp(-2 n v^2),     P( sup_x  F(x) - F_n(x)  >=  v )  <=  exp(-2 n v^2),
      P( sup_x |F_n(x) - F(x)| >=  v )   <=  2 exp(-2 n v^2)                       for every v > 0 and n >= 1.

    Nothing is cited: the values of the law, up or down, give a decreasing chain of events, which [ChainOfEvents.v]
    scans with the tilt of [DkwTilt.v]. *)

Require Import Reals Lra List Sorting.Sorted.
From VerifiedRisk Require Import FiniteLaw Objective Sorting HoeffdingFinite ChainOfEvents.
Import ListNotations.
Open Scope R_scope.

(** ** Chains from sorted levels *)

Lemma nested_of_sorted {X} (ord : R -> R -> Prop) (A : R -> X -> bool) l :
  (forall x y, ord x y -> within (A y) (A x)) -> StronglySorted ord l -> decreasing_events (fun _ => true) (map A l).
Proof.
  intros HA Hl.
  assert (H : forall l z, StronglySorted ord l -> List.Forall (ord z) l -> decreasing_events (A z) (map A l)).
  { clear l Hl; induction l as [|y l IH]; intros z Hs Hz; simpl; [trivial|].
    inversion Hs; inversion Hz; subst. split; auto. }
  destruct Hl as [|y l Hl Hy]; simpl; [trivial|]. split; [intros x _; reflexivity | auto].
Qed.

(** ** The inequality *)

Section Dkw.
  Variable d : dist R.
  Hypothesis Hd : is_law d.
  Variables (n : nat) (v : R).
  Hypothesis Hn : (0 < n)%nat.
  Hypothesis Hv : 0 < v.

  (** The empirical distribution function of a sample. *)
  Definition empirical (xs : list R) (x : R) : R := average (fun z => ind (Rle_dec z x)) xs.

  (** It departs from F by v at some value of the law: above, below, or either way. *)
  Definition above_dec (xs : list R) :
    {Exists (fun z => cdf d z + v <= empirical xs z) (map fst d)} + {~ _} := Exists_dec _ _ (fun z => Rle_dec _ _).
  Definition below_dec (xs : list R) :
    {Exists (fun z => empirical xs z + v <= cdf d z) (map fst d)} + {~ _} := Exists_dec _ _ (fun z => Rle_dec _ _).
  Definition far_dec (xs : list R) :
    {Exists (fun z => v <= Rabs (empirical xs z - cdf d z)) (map fst d)} + {~ _} :=
      Exists_dec _ _ (fun z => Rle_dec _ _).

  Local Notation sample := (draws (repeat d n)).
  Definition upto (z x : R) : bool := if Rle_dec x z then true else false.
  Definition beyond (z x : R) : bool := if Rle_dec x z then false else true.

  Lemma one_upto z x : indicator (upto z) x = ind (Rle_dec x z).
  Proof. unfold indicator, upto; now destruct (Rle_dec x z). Qed.

  Lemma one_beyond z x : indicator (beyond z) x = 1 - ind (Rle_dec x z).
  Proof. unfold indicator, beyond; destruct (Rle_dec x z); simpl; ring. Qed.

  Lemma sum_upto : almost_surely sample (fun xs => forall z,
    sum xs (fun x => ind (Rle_dec x z)) = INR n * empirical xs z).
  Proof.
    pose proof (draws_length (repeat d n)) as H; rewrite repeat_length in H. revert H; apply as_impl; intros xs H y.
    unfold empirical, average. rewrite H. field. apply not_0_INR; intros ->; inversion Hn.
  Qed.

  (** Given: n >= 1 independent draws from a finite law, v > 0.
      Differs: one-sided, with constant 1.
      Step of: lem:event/rewards. *)
  Theorem empirical_rarely_above : prob sample above_dec <= exp (- 2 * INR n * v ^ 2).
  Proof.
    eapply Rle_trans; [|apply (chain_rarely_exceeds d Hd n v Hn Hv (map upto (arrange Rge_dec (map fst d))))].
    - apply E_le_as; [apply law_draws, Forall_repeat, Hd|].
      pose proof sum_upto as Hs; revert Hs; apply as_impl; intros xs Hs. apply ind_le. intros Hex.
      apply Exists_exists in Hex; destruct Hex as [z [Hin Hz]].
      apply Exists_exists; exists (upto z); split; [apply in_map, In_arrange, Hin|].
      unfold too_often. rewrite (E_ext d _ _ (one_upto z)), (sum_ext xs _ _ (fun x _ => one_upto z x)), Hs.
      apply Rmult_le_compat_l; [apply pos_INR | exact Hz].
    - apply nested_of_sorted with Rge; [|apply sorted_arrange; intros; lra].
      intros x y Hxy u; unfold upto. destruct (Rle_dec u y), (Rle_dec u x); auto; lra.
  Qed.

  (** Given: as empirical_rarely_above.
      Differs: one-sided, with constant 1.
      Step of: lem:event/rewards. *)
  Theorem empirical_rarely_below : prob sample below_dec <= exp (- 2 * INR n * v ^ 2).
  Proof.
    eapply Rle_trans; [|apply (chain_rarely_exceeds d Hd n v Hn Hv (map beyond (arrange Rle_dec (map fst d))))].
    - apply E_le_as; [apply law_draws, Forall_repeat, Hd|].
      pose proof sum_upto as Hs. pose proof (sample_length d n) as Hl.
      pose proof (as_and _ _ _ Hs Hl) as H; revert H; apply as_impl; intros xs [Hxs Hlen].
      apply ind_le. intros Hex. apply Exists_exists in Hex; destruct Hex as [z [Hin Hz]].
      apply Exists_exists; exists (beyond z); split; [apply in_map, In_arrange, Hin|].
      unfold too_often. rewrite (E_ext d _ _ (one_beyond z)), (sum_ext xs _ _ (fun x _ => one_beyond z x)).
      rewrite E_minus, sum_minus, sum_const, Hlen, Hxs, (E_const d 1 Hd). fold (cdf d z).
      replace (INR n * 1 - INR n * empirical xs z) with (INR n * (1 - empirical xs z)) by ring.
      apply Rmult_le_compat_l; [apply pos_INR | lra].
    - apply nested_of_sorted with Rle; [|apply sorted_arrange; intros; lra].
      intros x y Hxy u; unfold beyond. destruct (Rle_dec u y), (Rle_dec u x); auto; lra.
  Qed.

  (** Given: n >= 1 independent draws from a finite law, v > 0; Massart's constant.
      Differs: finite laws; the sup over the atoms. *)
  Theorem dkw : prob sample far_dec <= 2 * exp (- 2 * INR n * v ^ 2).
  Proof.
    pose proof empirical_rarely_above as H1. pose proof empirical_rarely_below as H2.
    apply Rle_trans with (E sample (fun xs => ind (above_dec xs) + ind (below_dec xs))).
    - apply E_le; [apply law_draws, Forall_repeat, Hd|]. intros xs.
      destruct (far_dec xs) as [Hf|Hf]; cbn [ind];
        [|pose proof (ind_range (above_dec xs)); pose proof (ind_range (below_dec xs)); lra].
      apply Exists_exists in Hf; destruct Hf as [z [Hin Hz]].
      pose proof (ind_range (above_dec xs)); pose proof (ind_range (below_dec xs)).
      unfold Rabs in Hz; destruct (Rcase_abs (empirical xs z - cdf d z)).
      + rewrite (ind_yes (below_dec xs)) by (apply Exists_exists; exists z; split; [assumption | lra]). lra.
      + rewrite (ind_yes (above_dec xs)) by (apply Exists_exists; exists z; split; [assumption | lra]). lra.
    - rewrite E_plus; unfold prob in *; lra.
  Qed.

  (** Checking the values of the law is enough: otherwise F_n is within v of F at every real. *)
  Lemma near_at_every_real_of_support xs :
    List.Forall (fun x => In x (map fst d)) xs ->
    ~ Exists (fun z => v <= Rabs (empirical xs z - cdf d z)) (map fst d) ->
    forall x, Rabs (empirical xs x - cdf d x) < v.
  Proof.
    intros Hxs Hnot x.
    assert (Hsame : forall z, (forall w, In w (map fst d) -> (w <= x <-> w <= z)) ->
                    empirical xs x = empirical xs z /\ cdf d x = cdf d z).
    { intros z Hz; split.
      - unfold empirical, average; f_equal. apply sum_ext; intros w Hw. apply ind_iff, Hz.
        rewrite Forall_forall in Hxs; auto.
      - apply E_ext_as; intros w p Hin _. apply ind_iff, Hz. apply in_map_iff; now exists (w, p). }
    assert (Hlevel : forall l, (forall w, In w l -> x < w) \/ exists z, In z l /\ forall w,
      In w l -> (w <= x <-> w <= z)).
    { induction l as [|w l [IH|[z [Hz IH]]]]; [left; intros w []| |].
      - destruct (Rlt_le_dec x w) as [Hw|Hw]; [left; intros u [<-|Hu]; auto|].
        right; exists w; split; [now left|]. intros u [<-|Hu]; [lra|]. specialize (IH u Hu); lra.
      - assert (Hzx : z <= x) by (apply IH; [assumption | lra]).
        destruct (Rlt_le_dec x w) as [Hw|Hw].
        + right; exists z; split; [now right|]. intros u [<-|Hu]; [lra | auto].
        + right; exists (Rmax w z); split; [unfold Rmax; destruct (Rle_dec w z); [now right | now left]|].
          intros u Hu. pose proof (Rmax_l w z); pose proof (Rmax_r w z).
          assert (Rmax w z <= x) by (apply Rmax_lub; assumption).
          destruct Hu as [<-|Hu]; [lra|]. split; [|lra]. intros Hux; apply IH in Hux; [lra | assumption]. }
    destruct (Hlevel (map fst d)) as [Hnone|[z [Hz Hsz]]].
    - replace (empirical xs x) with 0; [replace (cdf d x) with 0|].
      + now rewrite Rminus_0_r, Rabs_R0.
      + symmetry; apply cdf_below. intros w p Hin _. apply Hnone, in_map_iff; now exists (w, p).
      + unfold empirical, average. rewrite (sum_ext xs _ (fun _ => 0)).
        * rewrite sum_const; unfold Rdiv; ring.
        * intros w Hw. apply ind_no. rewrite Forall_forall in Hxs. specialize (Hnone w (Hxs w Hw)); lra.
    - destruct (Hsame z Hsz) as [-> ->]. apply Rnot_le_lt; intros Hle. apply Hnot, Exists_exists; now exists z.
  Qed.

  (** Given: as dkw.
      Differs: from the atoms to every real. *)
  Theorem near_at_every_real :
    almost_surely sample (fun xs =>
      ~ Exists (fun z => v <= Rabs (empirical xs z - cdf d z)) (map fst d) ->
      forall x, Rabs (empirical xs x - cdf d x) < v).
  Proof.
    assert (Hs : almost_surely d (fun x => In x (map fst d))) by (intros x p H _; apply in_map_iff; now exists (x, p)).
    apply (draws_support d n) in Hs. revert Hs; apply as_impl; intros xs Hxs. now apply near_at_every_real_of_support.
  Qed.
End Dkw.
