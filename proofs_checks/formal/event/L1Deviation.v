(** * The l1 deviation of an empirical law      (Weissman; cited in the paper's lem:event)

    For n independent draws from a law p on S listed states and the frequencies p^,

      P( sum over s of |p^(s) - p(s)|  >=  v )   <=   2^S exp(-n v^2 / 2),      n >= 1, v > 0.

    Half of the l1 distance is the excess p^(A) - p(A) of the set A of states seen too often; one of the 2^S sets deviates
    by v/2, and Hoeffding's inequality bounds each. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw HoeffdingFinite EventHolds.
Import ListNotations.
Open Scope R_scope.

Fixpoint subsets {X} (l : list X) : list (list X) :=
  match l with
  | [] => [[]]
  | x :: l' => subsets l' ++ map (cons x) (subsets l')
  end.

Lemma length_subsets {X} (l : list X) : INR (length (subsets l)) = 2 ^ length l.
Proof.
  induction l as [|x l IH]; simpl; [reflexivity|]. rewrite app_length, map_length, plus_INR, IH. ring.
Qed.

Lemma filter_is_subset {X} (f : X -> bool) l : In (filter f l) (subsets l).
Proof.
  induction l as [|x l IH]; simpl; [now left|]. apply in_or_app. destruct (f x); [right; now apply in_map | now left].
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
  Definition l1 (xs : list X) : R := sum states (fun x => Rabs (average (fun y => ind (eq_dec y x)) xs - mass eq_dec d x)).

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
    - rewrite (sum_ext A _ (fun _ => 0)); [rewrite sum_const; ring|]. intros x Hx. apply ind_no. intros ->; contradiction.
  Qed.

  Lemma average_member A xs : NoDup A -> average (member A) xs = sum A (share xs).
  Proof.
    intros HA. unfold average, Rdiv. rewrite (sum_ext xs _ (fun y => sum A (fun x => ind (eq_dec y x)))) by (intros; now apply member_sum).
    rewrite sum_over_list. rewrite (sum_ext A (fun x => _ * / INR (length xs)) (fun x => / INR (length xs) * sum xs (fun y => ind (eq_dec y x))))
      by (intros; ring). rewrite sum_scal. ring.
  Qed.

  Lemma E_member A : NoDup A -> E d (member A) = sum A p.
  Proof.
    intros HA. rewrite (E_ext d _ (fun y => sum A (fun x => ind (eq_dec y x)))) by (intros; now apply member_sum).
    unfold mass. clear HA. induction A as [|x A IH]; simpl; [apply E_zero | now rewrite E_plus, IH].
  Qed.

  (** The states seen too often. *)
  Definition frequent (xs : list X) : list X := filter (fun x => if Rle_dec (p x) (share xs x) then true else false) states.

  Lemma half_l1 xs : sum states (share xs) = 1 -> l1 xs = 2 * (sum (frequent xs) (share xs) - sum (frequent xs) p).
  Proof.
    intros H1. assert (H2 : sum states p = 1).
    { destruct Hd as [_ H]. rewrite (E_sum_mass eq_dec states d _ Hnodup Hall) in H. rewrite <- H; apply sum_ext; intros; ring. }
    assert (H : forall l, sum l (fun x => Rabs (share xs x - p x)) =
      2 * (sum (filter (fun x => if Rle_dec (p x) (share xs x) then true else false) l) (share xs) -
           sum (filter (fun x => if Rle_dec (p x) (share xs x) then true else false) l) p) - (sum l (share xs) - sum l p)).
    { induction l as [|x l IH]; [simpl; ring|]. cbn [sum filter]. rewrite IH.
      destruct (Rle_dec (p x) (share xs x)) as [Hx|Hx]; cbn [sum]; [rewrite Rabs_pos_eq by lra | rewrite Rabs_left1 by lra]; ring. }
    unfold l1, frequent. rewrite H, H1, H2. ring.
  Qed.

  Theorem l1_rarely_large : prob sample (fun xs => Rle_dec v (l1 xs)) <= 2 ^ length states * exp (- INR n * v ^ 2 / 2).
  Proof.
    assert (Hl : is_law sample) by (apply law_draws, Forall_repeat, Hd).
    set (far := fun A xs => E d (member A) + v / 2 <= average (member A) xs).
    assert (Hfar : forall A xs, {far A xs} + {~ far A xs}) by (intros; apply Rle_dec).
    apply Rle_trans with (prob sample (fun xs => Exists_dec (fun A => far A xs) (subsets states) (fun A => Hfar A xs))).
    - apply E_le_as; [apply Hl|]. generalize (draws_length (repeat d n)); apply as_impl; intros xs Hlen.
      rewrite repeat_length in Hlen. apply ind_le; intros Hxs. apply Exists_exists. exists (frequent xs).
      split; [apply filter_is_subset|]. assert (HA : NoDup (frequent xs)) by now apply NoDup_filter.
      assert (H1 : sum states (share xs) = 1).
      { rewrite <- average_member by assumption. unfold average.
        rewrite (sum_ext xs _ (fun _ => 1)) by (intros y _; apply ind_yes, Hall). rewrite sum_const, Hlen.
        pose proof (lt_0_INR n Hn). field; lra. }
      pose proof (half_l1 xs H1). unfold far. rewrite E_member, average_member by assumption. lra.
    - eapply Rle_trans; [apply (prob_exists_le sample far Hfar); apply Hl|].
      rewrite <- length_subsets, <- sum_const. apply sum_le; intros A _.
      replace (- INR n * v ^ 2 / 2) with (- 2 * INR n * (v / 2) ^ 2) by field.
      eapply Rle_trans; [|apply (average_rarely_above d (member A) n Hd); [apply as_always; intros; apply ind_range | exact Hn | lra]].
      apply E_le; [apply Hl|]. intros xs. apply ind_le. unfold far; tauto.
  Qed.
End L1.
