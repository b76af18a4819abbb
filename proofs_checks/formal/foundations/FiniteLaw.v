(** * Finite laws

    A finite law on a type [X] is a list of pairs (value, mass) whose masses are nonnegative and sum to one.
    Values may repeat and masses may vanish, so drawing, mapping and conditioning need no equality test.
    Everything is read through the expectation

      E d f  =  sum over (x, p) in d of  p * f x.

    "Any finite set" costs nothing here: [X] is an arbitrary type and a law is finitely supported. *)

Require Import Reals Lra List Permutation.
Import ListNotations.
Open Scope R_scope.

(** ** Definitions *)

Definition dist (X : Type) : Type := list (X * R).

(** The expectation of [f] under [d]. *)
Fixpoint E {X} (d : dist X) (f : X -> R) : R :=
  match d with
  | [] => 0
  | (x, p) :: d' => p * f x + E d' f
  end.

Definition nonneg {X} (d : dist X) : Prop := forall x p, In (x, p) d -> 0 <= p.

Definition is_law {X} (d : dist X) : Prop := nonneg d /\ E d (fun _ => 1) = 1.

(** [P] holds at every value that carries mass. *)
Definition almost_surely {X} (d : dist X) (P : X -> Prop) : Prop :=
  forall x p, In (x, p) d -> p <> 0 -> P x.

(** The indicator of a decided proposition. *)
Definition ind {P Q : Prop} (b : {P} + {Q}) : R := if b then 1 else 0.

(** The point mass, the image under a function, and drawing from a law that depends on a first draw. *)
Definition ret {X} (x : X) : dist X := [(x, 1)].

Definition image {X Y} (f : X -> Y) (d : dist X) : dist Y := map (fun xp => (f (fst xp), snd xp)) d.

Definition scale {X} (c : R) (d : dist X) : dist X := map (fun xp => (fst xp, c * snd xp)) d.

Fixpoint bind {X Y} (d : dist X) (k : X -> dist Y) : dist Y :=
  match d with
  | [] => []
  | (x, p) :: d' => scale p (k x) ++ bind d' k
  end.

(** The probability of a decided event, and the law conditioned on it (meaningful when it has positive probability). *)
Definition prob {X} {P : X -> Prop} (d : dist X) (dec : forall x, {P x} + {~ P x}) : R := E d (fun x => ind (dec x)).

Definition given {X} {P : X -> Prop} (d : dist X) (dec : forall x, {P x} + {~ P x}) : dist X :=
  scale (/ prob d dec) (filter (fun x => if dec (fst x) then true else false) d).

(** The mass of one point. *)
Definition mass {X} (eq_dec : forall x y : X, {x = y} + {x <> y}) (d : dist X) (x : X) : R :=
  E d (fun y => ind (eq_dec y x)).

(** A plain finite sum. *)
Fixpoint sum {X} (l : list X) (f : X -> R) : R :=
  match l with
  | [] => 0
  | x :: l' => f x + sum l' f
  end.

(** ** Indicators *)

Lemma ind_range {P Q : Prop} (b : {P} + {Q}) : 0 <= ind b <= 1.
Proof. destruct b; simpl; lra. Qed.

Lemma ind_yes {P : Prop} (b : {P} + {~ P}) : P -> ind b = 1.
Proof. destruct b; simpl; tauto. Qed.

Lemma ind_no {P : Prop} (b : {P} + {~ P}) : ~ P -> ind b = 0.
Proof. destruct b; simpl; tauto. Qed.

Lemma ind_le {P Q : Prop} (b : {P} + {~ P}) (c : {Q} + {~ Q}) : (P -> Q) -> ind b <= ind c.
Proof. destruct b, c; simpl; intros; try lra; tauto. Qed.

Lemma ind_iff {P Q : Prop} (b : {P} + {~ P}) (c : {Q} + {~ Q}) : (P <-> Q) -> ind b = ind c.
Proof. destruct b, c; simpl; intros; try lra; tauto. Qed.

(** ** The expectation is linear, monotone, and blind to null values *)

Lemma E_app {X} (d e : dist X) f : E (d ++ e) f = E d f + E e f.
Proof. induction d as [|[x p] d IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma E_scale {X} c (d : dist X) f : E (scale c d) f = c * E d f.
Proof. unfold scale; induction d as [|[x p] d IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma E_ret {X} (x : X) f : E (ret x) f = f x.
Proof. simpl; ring. Qed.

Lemma E_image {X Y} (g : X -> Y) d f : E (image g d) f = E d (fun x => f (g x)).
Proof. unfold image; induction d as [|[x p] d IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma E_bind {X Y} (d : dist X) (k : X -> dist Y) f : E (bind d k) f = E d (fun x => E (k x) f).
Proof. induction d as [|[x p] d IH]; simpl; [|rewrite E_app, E_scale, IH]; ring. Qed.

Lemma bind_ext {X Y} (d : dist X) (k l : X -> dist Y) : (forall x, k x = l x) -> bind d k = bind d l.
Proof. intros H. induction d as [|[x p] d IH]; cbn; [reflexivity | now rewrite IH, H]. Qed.

Lemma E_ext_as {X} (d : dist X) f g : almost_surely d (fun x => f x = g x) -> E d f = E d g.
Proof.
  induction d as [|[x p] d IH]; simpl; intros H; [reflexivity|].
  rewrite IH by (intros y q Hy; apply (H y q); now right).
  destruct (Req_EM_T p 0) as [->|Hp]; [ring|].
  now rewrite (H x p (or_introl eq_refl) Hp).
Qed.

Lemma E_ext {X} (d : dist X) f g : (forall x, f x = g x) -> E d f = E d g.
Proof. intros H; apply E_ext_as; intros x p _ _; apply H. Qed.

Lemma E_plus {X} (d : dist X) f g : E d (fun x => f x + g x) = E d f + E d g.
Proof. induction d as [|[x p] d IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma E_minus {X} (d : dist X) f g : E d (fun x => f x - g x) = E d f - E d g.
Proof. induction d as [|[x p] d IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma E_scal {X} (d : dist X) c f : E d (fun x => c * f x) = c * E d f.
Proof. induction d as [|[x p] d IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma E_scal_r {X} (d : dist X) f c : E d (fun x => f x * c) = E d f * c.
Proof. induction d as [|[x p] d IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma E_zero {X} (d : dist X) : E d (fun _ => 0) = 0.
Proof. induction d as [|[x p] d IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma E_swap {X Y} (d : dist X) (e : dist Y) f :
  E d (fun x => E e (fun y => f x y)) = E e (fun y => E d (fun x => f x y)).
Proof.
  induction d as [|[x p] d IH]; simpl.
  - now rewrite E_zero.
  - now rewrite IH, E_plus, E_scal.
Qed.

Lemma E_le_as {X} (d : dist X) f g : nonneg d -> almost_surely d (fun x => f x <= g x) -> E d f <= E d g.
Proof.
  induction d as [|[x p] d IH]; simpl; intros Hd H; [lra|].
  assert (E d f <= E d g) by
    (apply IH; [intros y q Hy; apply (Hd y q) | intros y q Hy; apply (H y q)]; now right).
  assert (0 <= p) by (apply (Hd x p); now left).
  destruct (Req_EM_T p 0) as [->|Hp]; [lra|].
  pose proof (Rmult_le_compat_l p _ _ ltac:(assumption) (H x p (or_introl eq_refl) Hp)); lra.
Qed.

Lemma E_le {X} (d : dist X) f g : nonneg d -> (forall x, f x <= g x) -> E d f <= E d g.
Proof. intros Hd H; apply E_le_as; [assumption | intros x p _ _; apply H]. Qed.

Lemma E_nonneg {X} (d : dist X) f : nonneg d -> (forall x, 0 <= f x) -> 0 <= E d f.
Proof. intros Hd H; rewrite <- (E_zero d); now apply E_le. Qed.

Lemma E_const {X} (d : dist X) c : is_law d -> E d (fun _ => c) = c.
Proof.
  intros [_ H]. rewrite (E_ext d _ (fun _ => c * 1)) by (intros; ring).
  rewrite E_scal, H; ring.
Qed.

Lemma E_le_const {X} (d : dist X) f c : is_law d -> almost_surely d (fun x => f x <= c) -> E d f <= c.
Proof. intros Hd H; rewrite <- (E_const d c Hd); apply E_le_as; [apply Hd | assumption]. Qed.

Lemma E_ge_const {X} (d : dist X) f c : is_law d -> almost_surely d (fun x => c <= f x) -> c <= E d f.
Proof. intros Hd H; rewrite <- (E_const d c Hd) at 1; apply E_le_as; [apply Hd | assumption]. Qed.

Lemma Rabs_E_le {X} (d : dist X) f : nonneg d -> Rabs (E d f) <= E d (fun x => Rabs (f x)).
Proof.
  intros Hd; apply Rabs_le; split.
  - replace (- E d (fun x => Rabs (f x))) with (E d (fun x => (-1) * Rabs (f x))) by (rewrite E_scal; ring).
    apply E_le; [assumption | intros x; pose proof (Rle_abs (- f x)); rewrite Rabs_Ropp in *; lra].
  - apply E_le; [assumption | intros x; apply Rle_abs].
Qed.

(** A law has at least one value that carries mass. *)
Lemma law_inhabited {X} (d : dist X) : is_law d -> exists x p, In (x, p) d /\ 0 < p.
Proof.
  intros [Hn H1].
  destruct (Exists_dec (fun xp => 0 < snd xp) d) as [He|He].
  - intros xp; destruct (Rlt_dec 0 (snd xp)); auto.
  - apply Exists_exists in He; destruct He as [[x p] [Hin Hp]]; now exists x, p.
  - exfalso. assert (Hz : E d (fun _ => 1) = E d (fun _ => 0)); [|rewrite E_zero in Hz; lra].
    apply E_ext_as; intros x p Hin Hp. exfalso; apply He, Exists_exists.
    exists (x, p); split; [assumption | simpl; specialize (Hn x p Hin); lra].
Qed.

(** ** Laws are closed under the constructions *)

Lemma nonneg_scale {X} c (d : dist X) : 0 <= c -> nonneg d -> nonneg (scale c d).
Proof.
  intros Hc Hd x p Hin; apply in_map_iff in Hin; destruct Hin as [[y q] [Heq Hin]].
  injection Heq as <- <-; simpl; apply Rmult_le_pos; [assumption | now apply (Hd y)].
Qed.

Lemma nonneg_image {X Y} (f : X -> Y) d : nonneg d -> nonneg (image f d).
Proof.
  intros Hd x p Hin; apply in_map_iff in Hin; destruct Hin as [[y q] [Heq Hin]].
  injection Heq as <- <-; now apply (Hd y).
Qed.

Lemma nonneg_bind {X Y} (d : dist X) (k : X -> dist Y) : nonneg d -> (forall x, nonneg (k x)) -> nonneg (bind d k).
Proof.
  induction d as [|[x p] d IH]; simpl; intros Hd Hk y q Hin; [contradiction|].
  apply in_app_or in Hin; destruct Hin as [Hin|Hin].
  - apply (nonneg_scale p (k x)) in Hin; [assumption | apply (Hd x p); now left | apply Hk].
  - apply (IH ltac:(intros z r Hz; apply (Hd z r); now right) Hk y q Hin).
Qed.

Lemma law_ret {X} (x : X) : is_law (ret x).
Proof. split; [intros y p [H|[]]; injection H as <- <-; lra | rewrite E_ret; ring]. Qed.

Lemma law_image {X Y} (f : X -> Y) d : is_law d -> is_law (image f d).
Proof. intros [Hn H1]; split; [now apply nonneg_image | now rewrite E_image]. Qed.

Lemma law_bind {X Y} (d : dist X) (k : X -> dist Y) : is_law d -> (forall x, is_law (k x)) -> is_law (bind d k).
Proof.
  intros [Hn H1] Hk; split.
  - apply nonneg_bind; [assumption | intros x; apply Hk].
  - rewrite E_bind, (E_ext d _ (fun _ => 1)); [assumption | intros x; apply Hk].
Qed.

(** ** Almost sure events *)

Lemma as_impl {X} (d : dist X) (P Q : X -> Prop) : (forall x, P x -> Q x) -> almost_surely d P -> almost_surely d Q.
Proof. intros H HP x p Hin Hp; apply H, (HP x p Hin Hp). Qed.

Lemma as_always {X} (d : dist X) (P : X -> Prop) : (forall x, P x) -> almost_surely d P.
Proof. intros H x p _ _; apply H. Qed.

Lemma as_and {X} (d : dist X) (P Q : X -> Prop) :
  almost_surely d P -> almost_surely d Q -> almost_surely d (fun x => P x /\ Q x).
Proof. intros HP HQ x p Hin Hp; split; [apply (HP x p) | apply (HQ x p)]; assumption. Qed.

Lemma as_ret {X} (x : X) (P : X -> Prop) : P x -> almost_surely (ret x) P.
Proof. intros H y p [Hin|[]] _; injection Hin as <- _; assumption. Qed.

Lemma as_image {X Y} (f : X -> Y) d (P : Y -> Prop) : almost_surely d (fun x => P (f x)) -> almost_surely (image f d) P.
Proof.
  intros H y p Hin Hp; apply in_map_iff in Hin; destruct Hin as [[x q] [Heq Hin]].
  injection Heq as <- <-; now apply (H x q).
Qed.

Lemma as_bind {X Y} (d : dist X) (k : X -> dist Y) (P : Y -> Prop) :
  almost_surely d (fun x => almost_surely (k x) P) -> almost_surely (bind d k) P.
Proof.
  induction d as [|[x p] d IH]; simpl; intros H y q Hin Hq; [contradiction|].
  apply in_app_or in Hin; destruct Hin as [Hin|Hin].
  - apply in_map_iff in Hin; destruct Hin as [[z r] [Heq Hin]]; injection Heq as <- <-; simpl in *.
    apply (H x p (or_introl eq_refl)) with r; [intros ->; apply Hq; ring | assumption | intros ->; apply Hq; ring].
  - apply (IH ltac:(intros z r Hz; apply (H z r); now right) y q Hin Hq).
Qed.

(** ** Events and conditioning *)

Lemma prob_range {X} {P : X -> Prop} (d : dist X) (dec : forall x, {P x} + {~ P x}) : is_law d -> 0 <= prob d dec <= 1.
Proof.
  intros Hd; split.
  - apply E_nonneg; [apply Hd | intros; apply ind_range].
  - apply E_le_const; [assumption | apply as_always; intros; apply ind_range].
Qed.

(** The union bound. *)
Lemma prob_exists_le {X I} (d : dist X) (P : I -> X -> Prop) (dec : forall i x, {P i x} + {~ P i x}) (l : list I) :
  nonneg d -> prob d (fun x => Exists_dec (fun i => P i x) l (fun i => dec i x)) <= sum l (fun i => prob d (dec i)).
Proof.
  intros Hd; induction l as [|i l IH]; cbn [sum].
  - unfold prob. rewrite (E_ext d _ (fun _ => 0)), E_zero; [lra|]. intros x; apply ind_no. intros H; inversion H.
  - eapply Rle_trans; [|apply Rplus_le_compat_l, IH]. unfold prob; rewrite <- E_plus.
    apply E_le; [assumption|]. intros x.
    assert (Hdec : forall Q (b : {Q} + {~ Q}), (Q -> P i x \/ Exists (fun i => P i x) l) ->
      ind b <= ind (dec i x) + ind (Exists_dec (fun i => P i x) l (fun i => dec i x))).
    { intros Q b HQ. pose proof (ind_range b). pose proof (ind_range (dec i x)) as H1.
      pose proof (ind_range (Exists_dec (fun i => P i x) l (fun i => dec i x))) as H2.
      destruct b as [Hb|Hb]; cbn [ind] in *; [|lra].
      destruct (HQ Hb); [rewrite (ind_yes (dec i x)) by assumption | rewrite (ind_yes (Exists_dec _ _ _))
        by assumption]; lra. }
    apply Hdec. intros H; inversion H; auto.
Qed.

(** A value that carries mass gives its events positive probability. *)
Lemma prob_pos {X} {P : X -> Prop} (d : dist X) (dec : forall x, {P x} + {~ P x}) x p :
  nonneg d -> In (x, p) d -> p <> 0 -> P x -> 0 < prob d dec.
Proof.
  unfold prob; induction d as [|[y q] d IH]; simpl; intros Hd Hin Hp HP; [contradiction|].
  assert (Hd' : nonneg d) by (intros z r Hz; apply (Hd z r); now right).
  assert (Hq : 0 <= q) by (apply (Hd y q); now left).
  assert (0 <= E d (fun x => ind (dec x))) by (apply E_nonneg; [assumption | intros; apply ind_range]).
  destruct Hin as [Heq|Hin].
  - injection Heq as -> ->. rewrite ind_yes by assumption. lra.
  - pose proof (Rmult_le_pos _ _ Hq (proj1 (ind_range (dec y)))). specialize (IH Hd' Hin Hp HP); lra.
Qed.

Lemma E_given {X} {P : X -> Prop} (d : dist X) (dec : forall x, {P x} + {~ P x}) f :
  E (given d dec) f = / prob d dec * E d (fun x => ind (dec x) * f x).
Proof.
  unfold given; rewrite E_scale; f_equal.
  induction d as [|[x p] d IH]; simpl; [reflexivity|].
  destruct (dec x); simpl; rewrite IH; ring.
Qed.

Lemma law_given {X} {P : X -> Prop} (d : dist X) (dec : forall x, {P x} + {~ P x}) :
  is_law d -> prob d dec <> 0 -> is_law (given d dec).
Proof.
  intros Hd Hm; pose proof (prob_range d dec Hd); split.
  - apply nonneg_scale; [left; apply Rinv_0_lt_compat; lra|].
    intros x p Hin; apply filter_In in Hin; apply (proj1 Hd x), Hin.
  - rewrite E_given, (E_ext d _ (fun x => ind (dec x))) by (intros; ring).
    now apply Rinv_l.
Qed.

(** Averaging the conditional averages over a label gives back the average. *)
Lemma tower {X Y} (d : dist X) (label : X -> Y) (dec : forall y x, {label x = y} + {label x <> y}) (f : X -> Y -> R) :
  nonneg d ->
  E d (fun x => E (given d (dec (label x))) (fun x' => f x' (label x))) = E d (fun x => f x (label x)).
Proof.
  intros Hd.
  rewrite (E_ext d _ (fun x => E d (fun x' => / prob d (dec (label x)) * (ind (dec (label x) x') * f x' (label x)))))
    by (intros; now rewrite E_given, E_scal).
  rewrite E_swap; apply E_ext_as; intros x p Hin Hp.
  pose proof (prob_pos d (dec (label x)) x p Hd Hin Hp eq_refl) as Hpos.
  rewrite (E_ext d _ (fun x' => ind (dec (label x) x') * (/ prob d (dec (label x)) * f x (label x)))).
  - rewrite E_scal_r; fold (prob d (dec (label x))); field; lra.
  - intros x'. destruct (dec (label x') x) as [Heq|Hne]; simpl.
    + rewrite (ind_yes (dec (label x) x')) by (now symmetry). rewrite Heq; ring.
    + rewrite (ind_no (dec (label x) x')) by (intros H; now apply Hne). ring.
Qed.

(** ** Sums over a listed type *)

Lemma sum_ext {X} (l : list X) f g : (forall x, In x l -> f x = g x) -> sum l f = sum l g.
Proof.
  induction l as [|x l IH]; simpl; intros H; [reflexivity|].
  rewrite (H x) by now left. rewrite IH; [reflexivity | intros; apply H; now right].
Qed.

Lemma sum_le {X} (l : list X) f g : (forall x, In x l -> f x <= g x) -> sum l f <= sum l g.
Proof.
  induction l as [|x l IH]; simpl; intros H; [lra|].
  assert (f x <= g x) by (apply H; now left).
  assert (sum l f <= sum l g) by (apply IH; intros; apply H; now right). lra.
Qed.

Lemma sum_plus {X} (l : list X) f g : sum l (fun x => f x + g x) = sum l f + sum l g.
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_minus {X} (l : list X) f g : sum l (fun x => f x - g x) = sum l f - sum l g.
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_scal {X} (l : list X) c f : sum l (fun x => c * f x) = c * sum l f.
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_app {X} (l l' : list X) f : sum (l ++ l') f = sum l f + sum l' f.
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_Permutation {X} (l l' : list X) f : Permutation l l' -> sum l f = sum l' f.
Proof. induction 1; simpl; lra. Qed.

Lemma sum_map {X Y} (g : X -> Y) l f : sum (map g l) f = sum l (fun x => f (g x)).
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; reflexivity. Qed.

Lemma sum_const {X} (l : list X) c : sum l (fun _ => c) = INR (length l) * c.
Proof. induction l as [|x l IH]; cbn [sum length]; [simpl | rewrite IH, S_INR]; ring. Qed.

Lemma sum_nonneg {X} (l : list X) f : (forall x, In x l -> 0 <= f x) -> 0 <= sum l f.
Proof. intros H; replace 0 with (sum l (fun _ : X => 0)) by (rewrite sum_const; ring); now apply sum_le. Qed.

Lemma sum_point {X} (eq_dec : forall x y : X, {x = y} + {x <> y}) (l : list X) x f :
  NoDup l -> In x l -> sum l (fun y => ind (eq_dec x y) * f y) = f x.
Proof.
  induction 1 as [|y l Hy Hl IH]; simpl; intros Hin; [contradiction|].
  destruct (eq_dec x y) as [->|Hne]; simpl.
  - rewrite (sum_ext l _ (fun _ => 0 * 0)), sum_const; [ring|].
    intros z Hz. rewrite (ind_no (eq_dec y z)) by (intros ->; contradiction). ring.
  - destruct Hin as [->|Hin]; [contradiction|]. rewrite IH by assumption; ring.
Qed.

(** On a listed type the expectation is the familiar sum of masses times values. *)
Lemma E_sum_mass {X} (eq_dec : forall x y : X, {x = y} + {x <> y}) (l : list X) (d : dist X) f :
  NoDup l -> (forall x, In x l) -> E d f = sum l (fun x => mass eq_dec d x * f x).
Proof.
  intros Hl Hall; unfold mass; induction d as [|[x p] d IH]; simpl.
  - rewrite (sum_ext l _ (fun _ => 0)) by (intros; ring). rewrite sum_const; ring.
  - rewrite (sum_ext l _ (fun y => p * (ind (eq_dec x y) * f y) + E d (fun z => ind (eq_dec z y)) * f y))
      by (intros; ring).
    rewrite sum_plus, sum_scal, sum_point, IH by auto. reflexivity.
Qed.

(** The law with given masses on a listed type. *)
Definition of_masses {X} (l : list X) (w : X -> R) : dist X := map (fun x => (x, w x)) l.

Lemma E_of_masses {X} (l : list X) w f : E (of_masses l w) f = sum l (fun x => w x * f x).
Proof. unfold of_masses; induction l as [|x l IH]; simpl; [|rewrite IH]; reflexivity. Qed.

Lemma law_of_masses {X} (l : list X) w : (forall x, In x l -> 0 <= w x) -> sum l w = 1 -> is_law (of_masses l w).
Proof.
  intros Hw H1; split.
  - intros x p Hin; apply in_map_iff in Hin; destruct Hin as [y [Heq Hin]]; injection Heq as <- <-; now apply Hw.
  - rewrite E_of_masses, (sum_ext l _ w) by (intros; ring); assumption.
Qed.
