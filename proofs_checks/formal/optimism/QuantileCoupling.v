(** * The quantile coupling of two finite laws on the line

    List both laws in increasing order and cut [0, 1] into the intervals of their cumulated masses.  The pair (x_i, y_j)
    gets the length of the overlap of the i-th interval of the first law with the j-th of the second.  This is the law
    of (F_d†(U), F_e†(U)) for a uniform level U.  It has the marginals d and e, and if  F_e <= F_d  everywhere then
    x <= y almost surely. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective Sorting KeyIdentity.
Import ListNotations.
Open Scope R_scope.

(** The length of the overlap of [a, b] and [c, d]. *)
Definition overlap (a b c d : R) : R := Rmax 0 (Rmin b d - Rmax a c).

Fixpoint row (x a b c : R) (e : dist R) : dist (R * R) :=
  match e with
  | [] => []
  | (y, q) :: e' => ((x, y), overlap a b c (c + q)) :: row x a b (c + q) e'
  end.

Fixpoint coupling_from (a : R) (d e : dist R) : dist (R * R) :=
  match d with
  | [] => []
  | (x, p) :: d' => row x a (a + p) 0 e ++ coupling_from (a + p) d' e
  end.

Definition sort (d : dist R) : dist R := arrange (fun x y => Rle_dec (fst x) (fst y)) d.

Definition quantile_coupling (d e : dist R) : dist (R * R) := coupling_from 0 (sort d) (sort e).

(** ** Sorting *)

Lemma E_sort d f : E (sort d) f = E d f.
Proof. induction d as [|[z p] d IH]; simpl; [reflexivity | now rewrite E_insert, IH]. Qed.

Lemma nonneg_sort d : nonneg d -> nonneg (sort d).
Proof.
  induction d as [|[z p] d IH]; simpl; intros H; [assumption|].
  apply nonneg_cons in H; apply nonneg_insert; tauto.
Qed.

Lemma sort_sorted d : exists lo hi, sorted_in lo hi (sort d).
Proof.
  assert (H : exists lo hi, lo <= hi /\ forall z p, In (z, p) d -> lo <= z <= hi).
  { induction d as [|[z p] d [lo [hi [Hle IH]]]]; [exists 0, 0; split; [lra | intros z p []]|].
    exists (Rmin z lo), (Rmax z hi). pose proof (Rmin_l z lo); pose proof (Rmin_r z lo).
    pose proof (Rmax_l z hi); pose proof (Rmax_r z hi). split; [lra|].
    intros y q [Heq|Hin]; [injection Heq as <- <-; lra | specialize (IH y q Hin); lra]. }
  destruct H as [lo [hi [Hle H]]]; exists lo, hi.
  induction d as [|[z p] d IH]; simpl; [assumption|]. apply sorted_insert.
  - apply (H z p); now left.
  - apply IH; intros y q Hin; apply (H y q); now right.
Qed.

(** ** Marginals *)

Lemma overlap_nonneg a b c d : 0 <= overlap a b c d.
Proof. apply Rmax_l. Qed.

Lemma overlap_before a b c d : d <= a -> overlap a b c d = 0.
Proof.
  intros H; unfold overlap; apply Rmax_left. pose proof (Rmin_r b d); pose proof (Rmax_l a c); lra.
Qed.

Lemma overlap_split a b c m d : a <= b -> c <= m -> m <= d -> overlap a b c m + overlap a b m d = overlap a b c d.
Proof.
  intros H1 H2 H3; unfold overlap, Rmax, Rmin.
  repeat (destruct Rle_dec; try lra).
Qed.

Lemma overlap_split_first a m b c d : a <= m -> m <= b -> c <= d -> overlap a m c d + overlap m b c d = overlap a b c d.
Proof.
  intros H1 H2 H3; unfold overlap, Rmax, Rmin.
  repeat (destruct Rle_dec; try lra).
Qed.

Lemma overlap_inside a b : 0 <= a -> a <= b -> b <= 1 -> overlap a b 0 1 = b - a /\ overlap 0 1 a b = b - a.
Proof.
  intros H1 H2 H3; unfold overlap. rewrite (Rmin_left b 1), (Rmax_left a 0), (Rmin_right 1 b), (Rmax_right 0 a) by lra.
  rewrite Rmax_right; lra.
Qed.

Lemma E_row_fst x a b c e f :
  a <= b -> nonneg e -> E (row x a b c e) (fun xy => f (fst xy)) = overlap a b c (c + total_mass e) * f x.
Proof.
  intros Hab; revert c; induction e as [|[y q] e IH]; intros c He; unfold total_mass; simpl.
  - replace (overlap a b c (c + 0)) with 0; [ring|]. unfold overlap, Rmax, Rmin; repeat (destruct Rle_dec; try lra).
  - apply nonneg_cons in He; destruct He as [Hq He]. rewrite IH by assumption. fold (total_mass e).
    pose proof (total_nonneg e He).
    rewrite <- (overlap_split a b c (c + q) (c + (q * 1 + total_mass e))) by lra.
    replace (c + (q * 1 + total_mass e)) with (c + q + total_mass e) by ring. ring.
Qed.

Lemma E_row_snd_split x x' x'' a m b c e g :
  a <= m -> m <= b -> nonneg e ->
  E (row x a m c e) (fun xy => g (snd xy)) + E (row x' m b c e) (fun xy => g (snd xy)) =
  E (row x'' a b c e) (fun xy => g (snd xy)).
Proof.
  intros H1 H2; revert c; induction e as [|[y q] e IH]; intros c He; simpl; [ring|].
  apply nonneg_cons in He; destruct He as [Hq He].
  rewrite <- IH, <- (overlap_split_first a m b c (c + q)) by (assumption || lra). ring.
Qed.

Lemma E_row_snd_empty x a c e g : nonneg e -> E (row x a a c e) (fun xy => g (snd xy)) = 0.
Proof.
  revert c; induction e as [|[y q] e IH]; intros c He; simpl; [reflexivity|].
  apply nonneg_cons in He; rewrite IH by tauto.
  replace (overlap a a c (c + q)) with 0; [ring|]. unfold overlap, Rmax, Rmin; repeat (destruct Rle_dec; try lra).
Qed.

Lemma E_row_snd_whole x c e g :
  nonneg e -> 0 <= c -> c + total_mass e <= 1 -> E (row x 0 1 c e) (fun xy => g (snd xy)) = E e g.
Proof.
  revert c; induction e as [|[y q] e IH]; intros c He Hc Ht; simpl; [reflexivity|].
  apply nonneg_cons in He; destruct He as [Hq He]. unfold total_mass in Ht; simpl in Ht; fold (total_mass e) in Ht.
  pose proof (total_nonneg e He). rewrite IH by (assumption || lra).
  rewrite (proj2 (overlap_inside c (c + q) ltac:(lra) ltac:(lra) ltac:(lra))). ring.
Qed.

Lemma E_coupling_fst a d e f :
  nonneg d -> nonneg e -> 0 <= a -> a + total_mass d <= 1 -> total_mass e = 1 ->
  E (coupling_from a d e) (fun xy => f (fst xy)) = E d f.
Proof.
  intros Hd He Ha Ht H1; revert a Ha Ht; induction d as [|[x p] d IH]; intros a Ha Ht; simpl; [reflexivity|].
  apply nonneg_cons in Hd; destruct Hd as [Hp Hd]. unfold total_mass in Ht; simpl in Ht; fold (total_mass d) in Ht.
  pose proof (total_nonneg d Hd). rewrite E_app, IH, E_row_fst, H1, Rplus_0_l by (assumption || lra).
  rewrite (proj1 (overlap_inside a (a + p) ltac:(lra) ltac:(lra) ltac:(lra))). ring.
Qed.

Lemma E_coupling_snd a d e g :
  nonneg d -> nonneg e -> E (coupling_from a d e) (fun xy => g (snd xy)) =
    E (row 0 a (a + total_mass d) 0 e) (fun xy => g (snd xy)).
Proof.
  intros Hd He; revert a; induction d as [|[x p] d IH]; intros a; simpl.
  - unfold total_mass; simpl. rewrite Rplus_0_r; symmetry; now apply E_row_snd_empty.
  - apply nonneg_cons in Hd; destruct Hd as [Hp Hd]. pose proof (total_nonneg d Hd).
    rewrite E_app, IH by assumption. unfold total_mass; simpl; fold (total_mass d).
    replace (a + (p * 1 + total_mass d)) with (a + p + total_mass d) by ring.
    apply E_row_snd_split; (assumption || lra).
Qed.

Lemma nonneg_row x a b c e : nonneg (row x a b c e).
Proof.
  revert c; induction e as [|[y q] e IH]; simpl; intros c z w Hin; [contradiction|].
  destruct Hin as [Heq|Hin]; [injection Heq as _ <-; apply overlap_nonneg | now apply (IH (c + q) z)].
Qed.

Lemma nonneg_coupling a d e : nonneg (coupling_from a d e).
Proof.
  revert a; induction d as [|[x p] d IH]; simpl; intros a z w Hin; [contradiction|].
  apply in_app_or in Hin; destruct Hin as [Hin|Hin]; [now apply nonneg_row in Hin | now apply (IH (a + p) z)].
Qed.

(** ** Order *)

Lemma cdf_nonneg d x : nonneg d -> 0 <= cdf d x.
Proof. intros H; apply E_nonneg; [assumption | intros; apply ind_range]. Qed.

(** A cell of positive length starts before the mass up to its second entry. *)
Lemma row_level x a b c e lo hi z y w :
  sorted_in lo hi e -> nonneg e -> In ((z, y), w) (row x a b c e) -> w <> 0 -> z = x /\ a < c + cdf e y.
Proof.
  revert c lo; induction e as [|[y0 q] e IH]; simpl; intros c lo Hs He Hin Hw; [contradiction|].
  apply nonneg_cons in He; destruct He as [Hq He]. unfold cdf; simpl; fold (cdf e y).
  destruct Hin as [Heq|Hin].
  - injection Heq as <- <- <-. split; [reflexivity|]. rewrite ind_yes by lra. pose proof (cdf_nonneg e y0 He).
    destruct (Rle_dec (c + q) a) as [Hle|Hle]; [exfalso; now apply Hw, overlap_before | lra].
  - destruct (IH (c + q) y0 (proj2 Hs) He Hin Hw) as [Hz Ha]; split; [assumption|].
    assert (Hy : y0 <= y).
    { clear - Hs Hin. destruct Hs as [_ Hs]. revert y0 Hs Hin. generalize (c + q).
      induction e as [|[y1 q1] e IH]; simpl; intros c' y0 Hs Hin; [contradiction|].
      destruct Hs as [H1 H2], Hin as [Heq|Hin]; [injection Heq as _ <- _; lra|].
      specialize (IH (c' + q1) y1 H2 Hin); lra. }
    rewrite ind_yes by assumption. lra.
Qed.

Lemma coupling_level a d e lo hi lo' hi' x y w :
  sorted_in lo hi d -> nonneg d -> sorted_in lo' hi' e -> nonneg e ->
  In ((x, y), w) (coupling_from a d e) -> w <> 0 -> y < x -> a + cdf d y < cdf e y.
Proof.
  intros Hs Hd Hs' He; revert a lo Hs; induction d as [|[x0 p] d IH]; simpl; intros a lo Hs Hin Hw Hyx;
    [contradiction|].
  apply nonneg_cons in Hd; destruct Hd as [Hp Hd]. unfold cdf at 1; simpl; fold (cdf d y).
  apply in_app_or in Hin; destruct Hin as [Hin|Hin].
  - destruct (row_level x0 a (a + p) 0 e lo' hi' x y w Hs' He Hin Hw) as [-> Ha].
    rewrite ind_no by lra. rewrite (cdf_before x0 hi d y); [lra | apply Hs | lra].
  - specialize (IH Hd (a + p) x0 (proj2 Hs) Hin Hw Hyx). pose proof (ind_range (Rle_dec x0 y)).
    pose proof (Rmult_le_compat_l p _ _ Hp (proj2 H)). lra.
Qed.

(** ** The statement *)

(** Given: finite laws.
    Step of: L1/coupling. *)
Theorem quantile_coupling_spec d e :
  is_law d -> is_law e ->
  is_law (quantile_coupling d e) /\
  (forall f, E (quantile_coupling d e) (fun xy => f (fst xy)) = E d f) /\
  (forall f, E (quantile_coupling d e) (fun xy => f (snd xy)) = E e f) /\
  ((forall x, cdf e x <= cdf d x) -> almost_surely (quantile_coupling d e) (fun xy => fst xy <= snd xy)).
Proof.
  intros [Hd Hd1] [He He1]. pose proof (nonneg_sort d Hd) as Nd. pose proof (nonneg_sort e He) as Ne.
  assert (Td : total_mass (sort d) = 1) by (unfold total_mass; rewrite E_sort; exact Hd1).
  assert (Te : total_mass (sort e) = 1) by (unfold total_mass; rewrite E_sort; exact He1).
  assert (Hfst : forall f, E (quantile_coupling d e) (fun xy => f (fst xy)) = E d f).
  { intros f; unfold quantile_coupling; rewrite E_coupling_fst by (assumption || lra). apply E_sort. }
  assert (Hsnd : forall f, E (quantile_coupling d e) (fun xy => f (snd xy)) = E e f).
  { intros f; unfold quantile_coupling; rewrite E_coupling_snd by assumption. rewrite Td, Rplus_0_l.
    rewrite E_row_snd_whole by (assumption || lra). apply E_sort. }
  split; [|split; [assumption | split; [assumption|]]].
  - split; [apply nonneg_coupling | rewrite (Hfst (fun _ => 1)); exact Hd1].
  - intros Hcdf [x y] w Hin Hw; simpl.
    destruct (Rle_dec x y) as [|Hxy]; [assumption | exfalso].
    destruct (sort_sorted d) as [lo [hi Hs]], (sort_sorted e) as [lo' [hi' Hs']].
    pose proof (coupling_level 0 (sort d) (sort e) lo hi lo' hi' x y w Hs Nd Hs' Ne Hin Hw ltac:(lra)) as Hlt.
    unfold cdf in Hlt; rewrite !E_sort in Hlt. specialize (Hcdf y); unfold cdf in Hcdf. lra.
Qed.
