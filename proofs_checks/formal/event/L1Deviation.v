(** * The l1 deviation of an empirical law      (Weissman; cited in the paper's lem:event)

    For n independent draws from a law p on S listed states and the frequencies p^,

      P( sum over s of |p^(s) - p(s)|  >=  v )   <=   (2^S - 2) exp(-n v^2 / 2),      n >= 1, v > 0.

    Half of the l1 distance is the excess p^(A) - p(A) of the set A of states seen too often; one of the 2^S sets
    deviates by v/2, and Hoeffding's inequality bounds each. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw HoeffdingFinite EventHolds.
Import ListNotations.
Open Scope R_scope.

Fixpoint subsets {X} (l : list X) : list (list X) :=
  match l with
  | [] => [[]]
  | x :: l' => subsets l' ++ map (cons x) (subsets l')
  end.

Lemma filter_is_subset {X} (f : X -> bool) l : In (filter f l) (subsets l).
Proof.
  induction l as [|x l IH]; simpl; [now left|]. apply in_or_app. destruct (f x); [right; now apply in_map | now left].
Qed.

(** A function of the subsets that vanishes at the empty and at the full one has 2^S - 2 terms left. *)
Lemma sum_subsets_le {X} (l : list X) g c :
  (forall A, g A <= c) -> sum (subsets l) g <= 2 ^ length l * c /\
  (g [] <= 0 -> sum (subsets l) g <= (2 ^ length l - 1) * c) /\
    (g l <= 0 -> sum (subsets l) g <= (2 ^ length l - 1) * c).
Proof.
  revert g; induction l as [|x l IH]; intros g Hg; cbn [subsets length pow]; [simpl; specialize (Hg []); lra|].
  rewrite sum_app, sum_map. destruct (IH g Hg) as [H1 [H2 _]].
  destruct (IH (fun A => g (x :: A)) (fun A => Hg (x :: A))) as [K1 [_ K3]].
  split; [lra|]. split; intros H0; [specialize (H2 H0) | specialize (K3 H0)]; lra.
Qed.

Lemma sum_subsets_le_proper {X} (l : list X) g c :
  l <> [] -> (forall A, g A <= c) -> g [] <= 0 -> g l <= 0 -> sum (subsets l) g <= (2 ^ length l - 2) * c.
Proof.
  intros Hne Hg H0 H1. destruct l as [|x l]; [congruence|]. cbn [subsets length pow]. rewrite sum_app, sum_map.
  destruct (sum_subsets_le l g c Hg) as [_ [H2 _]]. specialize (H2 H0).
  destruct (sum_subsets_le l (fun A => g (x :: A)) c (fun A => Hg (x :: A))) as [_ [_ H3]]. specialize (H3 H1). lra.
Qed.

Section L1.
  Context {X : Type}.
  Variable eq_dec : forall x y : X, {x = y} + {x <> y}.
  Variable states : list X.
  Hypothesis Hnodup : NoDup states.
  Hypothesis Hall : forall x, In x states.
  Variable d : dist X.
  Hypothesis Hd : is_law d.
  Variables (n : nat) (v : R).
  Hypothesis Hn : (0 < n)%nat.
  Hypothesis Hv : 0 < v.

  Local Notation sample := (draws (repeat d n)).
  Local Notation share := (fun xs x => average (fun y => ind (eq_dec y x)) xs).
  Local Notation p := (mass eq_dec d).

  (** The l1 distance between frequencies and masses. *)
  Definition l1 (xs : list X) : R := sum states
    (fun x => Rabs (average (fun y => ind (eq_dec y x)) xs - mass eq_dec d x)).

  Local Notation member A := (fun y => ind (in_dec eq_dec y A)).

  Lemma sum_over_list {Y} (l : list Y) (A : list X) (f : Y -> X -> R) :
    sum l (fun y => sum A (f y)) = sum A (fun x => sum l (fun y => f y x)).
  Proof. induction l as [|y l IH]; simpl; [rewrite sum_const; ring | now rewrite IH, sum_plus]. Qed.

  (** The indicator of a set without repetitions is the sum of the indicators of its points. *)
  Lemma member_sum A y : NoDup A -> ind (in_dec eq_dec y A) = sum A (fun x => ind (eq_dec y x)).
  Proof.
    intros HA. destruct (in_dec eq_dec y A) as [Hin|Hno]; cbn [ind].
    - rewrite (sum_ext A _ (fun x => ind (eq_dec y x) * 1)) by (intros; ring).
      symmetry. now apply (sum_point eq_dec A y (fun _ => 1)).
    - rewrite (sum_ext A _ (fun _ => 0)); [rewrite sum_const; ring|]. intros x Hx. apply ind_no.
      intros ->; contradiction.
  Qed.

  Lemma average_member A xs : NoDup A -> average (member A) xs = sum A (share xs).
  Proof.
    intros HA. unfold average, Rdiv.
    rewrite (sum_ext xs _ (fun y => sum A (fun x => ind (eq_dec y x)))) by (intros; now apply member_sum).
    rewrite sum_over_list. rewrite (sum_ext A (fun x => _ * / INR (length xs))
      (fun x => / INR (length xs) * sum xs (fun y => ind (eq_dec y x))))
      by (intros; ring). rewrite sum_scal. ring.
  Qed.

  Lemma E_member A : NoDup A -> E d (member A) = sum A p.
  Proof.
    intros HA. rewrite (E_ext d _ (fun y => sum A (fun x => ind (eq_dec y x)))) by (intros; now apply member_sum).
    unfold mass. clear HA. induction A as [|x A IH]; simpl; [apply E_zero | now rewrite E_plus, IH].
  Qed.

  (** The states seen too often. *)
  Definition frequent (xs : list X) : list X :=
    filter (fun x => if Rle_dec (p x) (share xs x) then true else false) states.

  Lemma half_l1 xs : sum states (share xs) = 1 -> l1 xs = 2 * (sum (frequent xs) (share xs) - sum (frequent xs) p).
  Proof.
    intros H1. assert (H2 : sum states p = 1).
    { destruct Hd as [_ H]. rewrite (E_sum_mass eq_dec states d _ Hnodup Hall) in H.
      rewrite <- H; apply sum_ext; intros; ring. }
    assert (H : forall l, sum l (fun x => Rabs (share xs x - p x)) =
      2 * (sum (filter (fun x => if Rle_dec (p x) (share xs x) then true else false) l) (share xs) -
           sum (filter (fun x => if Rle_dec (p x) (share xs x) then true else false) l) p) -
             (sum l (share xs) - sum l p)).
    { induction l as [|x l IH]; [simpl; ring|]. cbn [sum filter]. rewrite IH.
      destruct (Rle_dec (p x) (share xs x)) as [Hx|Hx]; cbn [sum];
        [rewrite Rabs_pos_eq by lra | rewrite Rabs_left1 by lra]; ring. }
    unfold l1, frequent. rewrite H, H1, H2. ring.
  Qed.

  Lemma far_from_everything_or_nothing xs :
    length xs = n -> average (member []) xs = 0 /\ average (member states) xs = 1 /\ E d (member []) = 0 /\
      E d (member states) = 1.
  Proof.
    intros Hlen. pose proof (lt_0_INR n Hn). unfold average. rewrite Hlen.
    rewrite (sum_ext xs (member []) (fun _ => 0)) by (intros y _; apply ind_no; intros []).
    rewrite (sum_ext xs (member states) (fun _ => 1)) by (intros y _; apply ind_yes, Hall). rewrite !sum_const, Hlen.
    rewrite (E_ext d (member []) (fun _ => 0)) by (intros y; apply ind_no; intros []).
    rewrite (E_ext d (member states) (fun _ => 1)) by (intros y; apply ind_yes, Hall). rewrite !E_const by assumption.
    repeat split; field; lra.
  Qed.

  (** Given: n >= 1 independent draws from a law on listed states, v > 0. *)
  Theorem l1_rarely_large : prob sample (fun xs => Rle_dec v (l1 xs)) <=
    (2 ^ length states - 2) * exp (- INR n * v ^ 2 / 2).
  Proof.
    assert (Hl : is_law sample) by (apply law_draws, Forall_repeat, Hd).
    set (far := fun A xs => E d (member A) + v / 2 <= average (member A) xs).
    assert (Hfar : forall A xs, {far A xs} + {~ far A xs}) by (intros; apply Rle_dec).
    assert (Hlen : almost_surely sample (fun xs => length xs = n))
      by (pose proof (draws_length (repeat d n)) as H; now rewrite repeat_length in H).
    apply Rle_trans with (prob sample (fun xs => Exists_dec (fun A => far A xs) (subsets states) (fun A => Hfar A xs))).
    - apply E_le_as; [apply Hl|]. revert Hlen; apply as_impl; intros xs Hlen.
      apply ind_le; intros Hxs. apply Exists_exists. exists (frequent xs).
      split; [apply filter_is_subset|]. assert (HA : NoDup (frequent xs)) by now apply NoDup_filter.
      assert (H1 : sum states (share xs) = 1) by (rewrite <- average_member by assumption;
        now apply far_from_everything_or_nothing).
      pose proof (half_l1 xs H1). unfold far. rewrite E_member, average_member by assumption. lra.
    - eapply Rle_trans; [apply (prob_exists_le sample far Hfar); apply Hl|].
      assert (Hnever : forall A, (forall xs, length xs = n -> ~ far A xs) -> prob sample (Hfar A) <= 0).
      { intros A HA. unfold prob. rewrite <- (E_zero sample). apply E_le_as; [apply Hl|].
        revert Hlen; apply as_impl; intros xs Hxs. rewrite ind_no by now apply HA. lra. }
      apply sum_subsets_le_proper.
      + destruct (law_inhabited d Hd) as [x _]. specialize (Hall x). intros ->; destruct Hall.
      + intros A. replace (- INR n * v ^ 2 / 2) with (- 2 * INR n * (v / 2) ^ 2) by field.
        eapply Rle_trans; [|apply (average_rarely_above d (member A) n Hd);
          [apply as_always; intros; apply ind_range | exact Hn | lra]].
        apply E_le; [apply Hl|]. intros xs. apply ind_le. unfold far; tauto.
      + apply Hnever; intros xs Hxs. unfold far. destruct (far_from_everything_or_nothing xs Hxs) as [-> [_ [-> _]]].
        lra.
      + apply Hnever; intros xs Hxs. unfold far. destruct (far_from_everything_or_nothing xs Hxs) as [_ [-> [_ ->]]].
        lra.
  Qed.
End L1.

(** The printed radius is large enough: with u = delta / (|A| K) and eps_P = sqrt( (2 m / n) ln(6 m / u) ), m = |S|.
    Given: m, n >= 1, u = delta / (|A| K) in (0, 1].
    Differs: the printed radius, at a fixed n. *)
Theorem l1_radius_is_large_enough (m n : nat) (u : R) :
  (0 < m)%nat -> (0 < n)%nat -> 0 < u <= 1 ->
  let eps := sqrt (2 * INR m / INR n * ln (6 * INR m / u)) in
  0 < eps /\ (2 ^ m - 2) * exp (- INR n * eps ^ 2 / 2) <= u / (3 * INR m).
Proof.
  intros Hm Hn Hu eps. assert (Hm1 : 1 <= INR m) by (apply (le_INR 1); lia).
  assert (Hn1 : 1 <= INR n) by (apply (le_INR 1); lia).
  assert (H6 : 6 <= 6 * INR m / u).
  { apply Rmult_le_reg_r with u; [lra|]. replace (6 * INR m / u * u) with (6 * INR m) by (field; lra). nra. }
  assert (Hln : 0 < ln (6 * INR m / u)) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (Hpos : 0 < 2 * INR m / INR n * ln (6 * INR m / u))
    by (apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra | assumption]).
  split; [now apply sqrt_lt_R0|].
  assert (Hexp : exp (- INR n * eps ^ 2 / 2) = (u / (6 * INR m)) ^ m).
  { replace (eps ^ 2) with (eps * eps) by ring. unfold eps. rewrite sqrt_sqrt by lra.
    replace (- INR n * (2 * INR m / INR n * ln (6 * INR m / u)) / 2) with (INR m * ln (/ (6 * INR m / u)))
      by (rewrite ln_Rinv by lra; field; lra).
    replace (/ (6 * INR m / u)) with (u / (6 * INR m)) by (field; lra).
    rewrite <- Rpower_pow by (apply Rdiv_lt_0_compat; lra). reflexivity. }
  rewrite Hexp. set (w := u / (3 * INR m)).
  assert (Hw : 0 < w <= 1).
  { unfold w; split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (3 * INR m); [lra|].
    replace (u / (3 * INR m) * (3 * INR m)) with u by (field; lra). lra. }
  replace (u / (6 * INR m)) with (w / 2) by (unfold w; field; lra).
  apply Rle_trans with (2 ^ m * (w / 2) ^ m).
  - apply Rmult_le_compat_r; [apply pow_le; lra | lra].
  - rewrite <- Rpow_mult_distr. replace (2 * (w / 2)) with w by field.
    destruct m as [|m]; [lia|]. simpl. assert (w ^ m <= 1) by (rewrite <- (pow1 m); apply pow_incr; lra).
    assert (0 <= w ^ m) by (apply pow_le; lra). nra.
Qed.
