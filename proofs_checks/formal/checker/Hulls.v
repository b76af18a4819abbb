(** * Mixtures of functions, and a best mixture of finitely many points

    A function of finitely many labels that is drawn independently for each label has any marginals that one likes
    ([functions_mixed]), and only finitely many functions matter if this holds for their values ([functions_listed]).
    Among the mixtures of a list of points one has the least sum of Lipschitz functions of the coordinates
    ([best_weights]): by induction over the list, since the least sum is continuous in the weight of the first point. *)

Require Import ZArith Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Rows PolygonObjective.
Import ListNotations.
Open Scope R_scope.

(** ** Laws on the valid things, with given expectations *)

Definition mixes {X P} (valid : X -> Prop) (value : X -> P -> R) (V : P -> R) (nu : dist X) : Prop :=
  is_law nu /\ almost_surely nu valid /\ forall q, E nu (fun x => value x q) = V q.

Lemma mixes_bind {A X P} valid (value : X -> P -> R) (V : A -> P -> R) (d : dist A) : is_law d ->
  almost_surely d (fun a => exists nu, mixes valid value (V a) nu) ->
  exists nu, mixes valid value (fun q => E d (fun a => V a q)) nu.
Proof.
  intros [Hn H1] H.
  assert (Hnu : exists nu : dist X, nonneg nu /\ E nu (fun _ => 1) = E d (fun _ => 1) /\ almost_surely nu valid /\
    forall q, E nu (fun x => value x q) = E d (fun a => V a q)).
  { clear H1. induction d as [|[a p] d IH].
    - exists []. repeat split; intros x p [].
    - destruct IH as [nu [Gn [G1 [Gv Gq]]]];
        [intros b r Hb; apply (Hn b r); now right | intros b r Hb; apply (H b r); now right |].
      cbn [E]. destruct (Req_EM_T p 0) as [->|Hp].
      + exists nu. split; [assumption|]. split; [rewrite G1; ring|]. split; [assumption|]. intros q. rewrite Gq. ring.
      + destruct (H a p (or_introl eq_refl) Hp) as [na [[An A1] [Av Aq]]].
        exists (scale p na ++ nu). repeat split.
        * intros x r Hx. apply in_app_or in Hx. destruct Hx as [Hx|Hx]; [|now apply (Gn x)].
          revert x r Hx. apply nonneg_scale; [apply (Hn a); now left | assumption].
        * rewrite E_app, E_scale, G1, A1. ring.
        * intros x r Hx Hr. apply in_app_or in Hx. destruct Hx as [Hx|Hx]; [|now apply (Gv x r)].
          apply in_map_iff in Hx. destruct Hx as [[y u] [Heq Hy]]. injection Heq as <- <-. apply (Av y u Hy).
          cbn. intros ->. apply Hr. ring.
        * intros q. rewrite E_app, E_scale, Gq, Aq. ring. }
  destruct Hnu as [nu [Gn [G1 [Gv Gq]]]]. exists nu. repeat split; try assumption. now rewrite G1.
Qed.

(** A law as a list of positive weights. *)
Lemma positive_weights {X} (valid : X -> Prop) (nu : dist X) : nonneg nu -> almost_surely nu valid ->
  exists mu : list (R * X), (forall w x, In (w, x) mu -> 0 < w /\ valid x) /\
    forall f, sum mu (fun wx => fst wx * f (snd wx)) = E nu f.
Proof.
  induction nu as [|[x p] nu IH]; intros Hn Hv; [exists []; split; [intros w x [] | reflexivity]|].
  destruct IH as [mu [Hmu Hs]]; [intros b r Hb; apply (Hn b r); now right | intros b r Hb; apply (Hv b r); now right|].
  destruct (Req_EM_T p 0) as [->|Hp].
  - exists mu. split; [assumption|]. intros f. rewrite Hs. cbn. ring.
  - exists ((p, x) :: mu). split; [|intros f; cbn; now rewrite Hs].
    intros w y [Heq|Hin]; [|now apply Hmu]. injection Heq as <- <-.
    pose proof (Hn x p (or_introl eq_refl)). split; [lra | now apply (Hv x p (or_introl eq_refl))].
Qed.

(** ** Finitely many things that stand for all valid ones *)

Definition represents {X} (valid : X -> Prop) (same : X -> X -> Prop) (c : list X) : Prop :=
  (forall x, In x c -> valid x) /\ forall x, valid x -> exists y, In y c /\ same x y.

Lemma represents_union {I X} (valid : I -> X -> Prop) (same : X -> X -> Prop) (l : list I) :
  (forall i, In i l -> exists c, represents (valid i) same c) ->
  exists c, represents (fun x => exists i, In i l /\ valid i x) same c.
Proof.
  induction l as [|i l IH]; intros H; [exists []; split; [intros x [] | intros x [i [[] _]]]|].
  destruct (H i (or_introl eq_refl)) as [ci [Hi1 Hi2]]. destruct IH as [c [H1 H2]]; [intros; apply H; now right|].
  exists (ci ++ c). split.
  - intros x Hx. apply in_app_or in Hx. destruct Hx as [Hx|Hx]; [exists i; split; [now left | auto]|].
    destruct (H1 x Hx) as [j [Hj Hv]]. exists j. split; [now right | assumption].
  - intros x [j [[<-|Hj] Hv]].
    + destruct (Hi2 x Hv) as [y [Hy Hs]]. exists y. split; [apply in_or_app; now left | assumption].
    + destruct (H2 x) as [y [Hy Hs]]; [now exists j|]. exists y. split; [apply in_or_app; now right | assumption].
Qed.

(** A law on the valid things, moved to what stands for them. *)
Lemma gathered {X} (same : X -> X -> Prop) (c : list X) (nu : dist X) : nonneg nu ->
  almost_surely nu (fun x => exists y, In y c /\ same x y) ->
  exists nu', nonneg nu' /\ map fst nu' = c /\
    forall f : X -> R, (forall x y, same x y -> f x = f y) -> E nu' f = E nu f.
Proof.
  induction nu as [|[x p] nu IH]; intros Hn Hs.
  - exists (map (fun x => (x, 0)) c). repeat split.
    + intros x p Hx. apply in_map_iff in Hx. destruct Hx as [y [Heq _]]. injection Heq as _ <-. lra.
    + rewrite map_map. apply map_id.
    + intros f _. induction c as [|y c IH]; cbn; [reflexivity|]. rewrite IH; [cbn; ring | intros z r []].
  - destruct IH as [nu' [Gn [<- Gf]]];
      [intros b r Hb; apply (Hn b r); now right | intros b r Hb; apply (Hs b r); now right|].
    destruct (Req_EM_T p 0) as [->|Hp].
    { exists nu'. repeat split; try assumption. intros f Hf. rewrite Gf by assumption. cbn. ring. }
    destruct (Hs x p (or_introl eq_refl) Hp) as [y [Hy Hxy]].
    apply in_map_iff in Hy. destruct Hy as [[y' q] [Heq Hy]]. cbn in Heq. subst y'.
    apply in_split in Hy. destruct Hy as [l1 [l2 ->]]. exists (l1 ++ (y, p + q) :: l2). repeat split.
    + intros z r Hz. apply in_app_or in Hz. destruct Hz as [Hz|[Hz|Hz]].
      * apply (Gn z). apply in_or_app. now left.
      * injection Hz as _ <-. pose proof (Hn x p (or_introl eq_refl)).
        pose proof (Gn y q ltac:(apply in_or_app; right; now left)). lra.
      * apply (Gn z). apply in_or_app. right. now right.
    + now rewrite !map_app.
    + intros f Hf. cbn [E]. rewrite <- (Gf f Hf), !E_app. cbn [E]. rewrite (Hf x y Hxy). ring.
Qed.

(** ** Functions of a label *)

Section Functions.
  Context {D X : Type}.
  Variable eq_dec : forall d d' : D, {d = d'} + {d <> d'}.

  Definition changed_at (f : D -> X) (d0 : D) (x : X) (d : D) : X := if eq_dec d d0 then x else f d.

  Lemma changed_here f d x : changed_at f d x d = x.
  Proof. unfold changed_at. now destruct (eq_dec d d). Qed.
  Lemma changed_other f d0 x d : d <> d0 -> changed_at f d0 x d = f d.
  Proof. unfold changed_at. now destruct (eq_dec d d0). Qed.

  Lemma changed_valid (valid : D -> X -> Prop) f d0 x : (forall d, valid d (f d)) -> valid d0 x ->
    forall d, valid d (changed_at f d0 x d).
  Proof. intros Hf Hx d. unfold changed_at. destruct (eq_dec d d0) as [->|]; auto. Qed.

  Lemma E_changed (k : dist D) (v : D -> X -> R) f d0 x : E k (fun d => v d (changed_at f d0 x d)) =
    E k (fun d => v d (f d)) + mass eq_dec k d0 * (v d0 x - v d0 (f d0)).
  Proof.
    unfold mass. rewrite <- E_scal_r, <- E_plus. apply E_ext. intros d. unfold changed_at.
    destruct (eq_dec d d0) as [->|]; cbn [ind]; ring.
  Qed.

  Lemma mass_pos (k : dist D) d p : nonneg k -> In (d, p) k -> 0 < p -> 0 < mass eq_dec k d.
  Proof. intros Hk Hin Hp. apply (prob_pos k (fun y => eq_dec y d) d p); try assumption; [lra | reflexivity]. Qed.

  Variables (valid : D -> X -> Prop) (default : D -> X).
  Hypothesis Hdefault : forall d, valid d (default d).

  Lemma functions_listed (same : D -> X -> X -> Prop) (l : list D) :
    (forall d, In d l -> exists c, represents (valid d) (same d) c) ->
    exists c, represents (fun f => forall d, valid d (f d)) (fun f f' => forall d, In d l -> same d (f d) (f' d)) c.
  Proof.
    induction l as [|d l IH]; intros H.
    - exists [default]. split; [intros f [<-|[]]; assumption|].
      intros f _. exists default. split; [now left | intros d []].
    - destruct (H d (or_introl eq_refl)) as [cd [Hd1 Hd2]]. destruct IH as [c [H1 H2]]; [intros; apply H; now right|].
      exists (flat_map (fun f => map (changed_at f d) cd) c). split.
      + intros f' Hf'. apply in_flat_map in Hf'. destruct Hf' as [f [Hf Hin]]. apply in_map_iff in Hin.
        destruct Hin as [y [<- Hy]]. apply changed_valid; auto.
      + intros f Hf. destruct (H2 f Hf) as [f' [Hin Hsame]]. destruct (Hd2 (f d) (Hf d)) as [y [Hy Hs]].
        exists (changed_at f' d y). split; [apply in_flat_map; exists f'; split; [assumption | now apply in_map]|].
        intros d' Hd'. destruct (eq_dec d' d) as [->|Hne]; [now rewrite changed_here|].
        rewrite changed_other by assumption. destruct Hd' as [<-|Hd']; [contradiction | now apply Hsame].
  Qed.

  Lemma functions_mixed {P} (value : D -> X -> P -> R) (V : D -> P -> R) (l : list D) :
    (forall d, In d l -> exists nu, mixes (valid d) (value d) (V d) nu) ->
    exists nu, is_law nu /\ almost_surely nu (fun f => forall d, valid d (f d)) /\
      forall d q, In d l -> E nu (fun f => value d (f d) q) = V d q.
  Proof.
    induction l as [|d l IH]; intros H.
    - exists (ret default). split; [apply law_ret|]. split; [now apply as_ret | intros d q []].
    - destruct (H d (or_introl eq_refl)) as [nd [Dl [Dv Dq]]].
      destruct IH as [nu [Hl [Hv Hq]]]; [intros; apply H; now right|].
      exists (bind nu (fun f => image (changed_at f d) nd)). split; [|split].
      + apply law_bind; [assumption|]. intros f. now apply law_image.
      + apply as_bind. revert Hv. apply as_impl. intros f Hf. apply as_image. revert Dv. apply as_impl. intros y Hy.
        now apply changed_valid.
      + intros d' q Hd'. rewrite E_bind. destruct (eq_dec d' d) as [->|Hne].
        * rewrite <- (E_const nu (V d q) Hl). apply E_ext. intros f. rewrite E_image, <- Dq. apply E_ext. intros y.
          now rewrite changed_here.
        * destruct Hd' as [<-|Hd']; [contradiction|]. rewrite <- Hq by assumption. apply E_ext. intros f.
          rewrite E_image. rewrite (E_ext nd _ (fun _ => value d' (f d') q)) by (intros; now rewrite changed_other).
          now apply E_const.
  Qed.
End Functions.

(** ** The least value on a segment *)

Lemma least_on_segment (P : R -> R -> Prop) L : 0 <= L ->
  (forall a, 0 <= a <= 1 -> exists v, P a v /\ forall w, P a w -> v <= w) ->
  (forall a b v, 0 <= a <= 1 -> 0 <= b <= 1 -> P a v -> exists w, P b w /\ w <= v + L * Rabs (a - b)) ->
  exists a v, 0 <= a <= 1 /\ P a v /\ forall b w, 0 <= b <= 1 -> P b w -> v <= w.
Proof.
  intros HL Hmin Hlip. set (clamp a := Rmax 0 (Rmin a 1)). set (f a := real (Glb_Rbar (P (clamp a)))).
  assert (Hclamp : forall a, 0 <= clamp a <= 1).
  { intros a. unfold clamp, Rmax, Rmin. destruct (Rle_dec a 1); destruct (Rle_dec 0 _); lra. }
  assert (Hin : forall a, 0 <= a <= 1 -> clamp a = a).
  { intros a Ha. unfold clamp. rewrite Rmin_left, Rmax_right; lra. }
  assert (Hf : forall a, P (clamp a) (f a) /\ forall w, P (clamp a) w -> f a <= w).
  { intros a. destruct (Hmin (clamp a) (Hclamp a)) as [v [Hv Hle]]. unfold f.
    rewrite (is_glb_Rbar_unique (P (clamp a)) (Finite v)); [split; assumption|].
    split; [intros w Hw; now apply Hle | intros b Hb; now apply Hb]. }
  assert (Hstep : forall a b, f b <= f a + L * Rabs (a - b)).
  { intros a b. destruct (Hlip (clamp a) (clamp b) (f a) (Hclamp a) (Hclamp b) (proj1 (Hf a))) as [w [Hw Hle]].
    apply (proj2 (Hf b)) in Hw. eapply Rle_trans; [exact Hw|]. eapply Rle_trans; [exact Hle|].
    apply Rplus_le_compat_l, Rmult_le_compat_l; [assumption|]. unfold clamp, Rmax, Rmin.
    destruct (Rle_dec a 1), (Rle_dec b 1); repeat destruct (Rle_dec 0 _); unfold Rabs; repeat destruct (Rcase_abs _);
      lra. }
  assert (Hcont : forall c, 0 <= c <= 1 -> continuity_pt f c).
  { intros c _ eps Heps. exists (eps / (L + 1)). split; [apply Rdiv_lt_0_compat; lra|].
    intros x [_ Hx]. change (Rabs (x - c) < eps / (L + 1)) in Hx. change (Rabs (f x - f c) < eps).
    assert (L * Rabs (x - c) < eps).
    { apply Rle_lt_trans with (L * (eps / (L + 1))); [apply Rmult_le_compat_l; lra|].
      pose proof (Rdiv_lt_0_compat eps (L + 1) Heps ltac:(lra)).
      assert ((L + 1) * (eps / (L + 1)) = eps) by (field; lra). lra. }
    pose proof (Hstep x c). pose proof (Hstep c x) as Hc. rewrite Rabs_minus_sym in Hc. apply Rabs_def1; lra. }
  destruct (continuity_ab_min f 0 1 ltac:(lra) Hcont) as [a [Hle Ha]].
  destruct (Hf a) as [HP _]. rewrite Hin in HP by assumption.
  exists a, (f a). split; [assumption|]. split; [assumption|].
  intros b w Hb Hw. eapply Rle_trans; [now apply (Hle b)|]. apply (proj2 (Hf b)). now rewrite Hin.
Qed.

(** What holds near 0 for each of finitely many coordinates holds near 0 for all. *)
Lemma common_radius {Y} (P : Z -> R -> Prop) : (forall k, exists r, 0 < r /\ forall e, 0 < e <= r -> P k e) ->
  forall (l : list Y) k, exists r, 0 < r /\ forall e i, 0 < e <= r -> (k <= i < k + zlen l)%Z -> P i e.
Proof.
  intros H. induction l as [|y l IH]; intros k; [exists 1; split; [lra | cbn; intros; lia]|].
  destruct (IH (k + 1)%Z) as [r [Hr HP]]. destruct (H k) as [r' [Hr' HP']]. exists (Rmin r r').
  split; [now apply Rmin_pos|]. intros e i He Hi. pose proof (Rmin_l r r'). pose proof (Rmin_r r r'). cbn [zlen] in Hi.
  destruct (Z.eq_dec i k) as [->|Hne]; [apply HP'; lra | apply HP; [lra | lia]].
Qed.

(** ** The best weights of a list of points *)

Definition lipschitz_on_unit (G : Z -> R -> R) : Prop := forall k, exists L, 0 <= L /\
  forall x y, 0 <= x <= 1 -> 0 <= y <= 1 -> Rabs (G k x - G k y) <= L * Rabs (x - y).

Lemma sum_along_lipschitz {Y} G (l : list Y) : lipschitz_on_unit G -> forall k, exists L, 0 <= L /\ forall p p' d,
  (forall k, 0 <= p k <= 1) -> (forall k, 0 <= p' k <= 1) -> (forall k, Rabs (p k - p' k) <= d) ->
  sum_along (fun k => G k (p' k)) k l <= sum_along (fun k => G k (p k)) k l + L * d.
Proof.
  intros HG.
  induction l as [|y l IH]; intros k; [exists 0; split; [lra | intros; cbn [sum_along]; lra]|].
  destruct (IH (k + 1)%Z) as [L [HL H]]. destruct (HG k) as [L' [HL' H']]. exists (L + L'). split; [lra|].
  intros p p' d Hp Hp' Hd. specialize (H p p' d Hp Hp' Hd). specialize (H' (p k) (p' k) (Hp k) (Hp' k)).
  pose proof (Rmult_le_compat_l L' _ _ HL' (Hd k)). apply Rabs_le_between in H'. cbn [sum_along]. lra.
Qed.

Section Best.
  Context {X : Type}.
  Variables (F : X -> Z -> R) (N : nat).
  Hypothesis HF : forall x k, 0 <= F x k <= 1.

  Let total (G : Z -> R -> R) (p : Z -> R) : R := sum_along (fun k => G k (p k)) 0 (repeat tt N).
  Let mean (nu : dist X) (k : Z) : R := E nu (fun x => F x k).
  Let over (c : list X) (nu : dist X) : Prop := is_law nu /\ map fst nu = c.

  Lemma mean_range nu k : is_law nu -> 0 <= mean nu k <= 1.
  Proof.
    intros Hl. split; [apply E_ge_const | apply E_le_const]; try assumption; apply as_always; intros x; apply HF.
  Qed.

  Lemma total_ext G p p' : (forall k, p k = p' k) -> total G p = total G p'.
  Proof. intros H. apply sum_along_ext. intros k _. now rewrite H. Qed.

  (** A law over a list is a mixture of the first point and a law over the others. *)
  Lemma over_cons x c some nu : over c some -> over (x :: c) nu -> exists a nu', 0 <= a <= 1 /\ over c nu' /\
    forall k, mean nu k = (1 - a) * F x k + a * mean nu' k.
  Proof.
    intros Hsome [[Hn H1] Hc]. destruct nu as [|[x' p] nu]; [discriminate|]. cbn in Hc. injection Hc as -> Hc.
    cbn [E] in H1. assert (Hn' : nonneg nu) by (intros y q Hy; apply (Hn y q); now right).
    pose proof (Hn x p (or_introl eq_refl)) as Hp.
    assert (Ha : 0 <= E nu (fun _ => 1)) by (apply E_nonneg; [assumption | intros; lra]).
    exists (1 - p). destruct (Req_EM_T p 1) as [->|Hne].
    - exists some. split; [lra|]. split; [assumption|]. intros k. unfold mean. cbn [E].
      assert (E nu (fun y => F y k) <= E nu (fun _ => 1)) by (apply E_le; [assumption | intros; apply HF]).
      assert (0 <= E nu (fun y => F y k)) by (apply E_nonneg; [assumption | intros; apply HF]). nra.
    - exists (scale (/ (1 - p)) nu). split; [lra|]. split; [split|].
      + split; [apply nonneg_scale; [left; apply Rinv_0_lt_compat; lra | assumption]|].
        rewrite E_scale. replace (E nu (fun _ => 1)) with (1 - p) by lra. field. lra.
      + unfold scale. rewrite map_map. exact Hc.
      + intros k. unfold mean. cbn [E]. rewrite E_scale. field. lra.
  Qed.

  Lemma best_weights c : c <> [] -> forall G, lipschitz_on_unit G ->
    exists nu, over c nu /\ forall nu', over c nu' -> total G (mean nu) <= total G (mean nu').
  Proof.
    induction c as [|x c IH]; intros Hne G HG; [contradiction|]. destruct c as [|y c].
    { exists (ret x). split; [split; [apply law_ret | reflexivity]|]. intros nu [[_ H1] Hc]. right. apply total_ext.
      intros k. destruct nu as [|[x' p] [|z nu]]; try discriminate. cbn in Hc, H1. injection Hc as ->. unfold mean. cbn.
      replace p with 1 by lra. reflexivity. }
    remember (y :: c) as c' eqn:Ec. specialize (IH ltac:(subst c'; discriminate)).
    set (Ga a k z := G k ((1 - a) * F x k + a * z)).
    assert (Hunit : forall a u z, 0 <= a <= 1 -> 0 <= u <= 1 -> 0 <= z <= 1 -> 0 <= (1 - a) * u + a * z <= 1)
      by (intros; nra).
    assert (HGa : forall a, 0 <= a <= 1 -> lipschitz_on_unit (Ga a)).
    { intros a Ha k. destruct (HG k) as [L [HL H]]. exists L. split; [assumption|]. intros u z Hu Hz.
      eapply Rle_trans; [apply H; apply Hunit; auto|]. apply Rmult_le_compat_l; [assumption|].
      replace ((1 - a) * F x k + a * u - ((1 - a) * F x k + a * z)) with (a * (u - z)) by ring.
      rewrite Rabs_mult, (Rabs_pos_eq a) by lra. pose proof (Rabs_pos (u - z)). nra. }
    destruct (sum_along_lipschitz G (repeat tt N) HG 0) as [L [HL Hlip]].
    destruct (least_on_segment (fun a v => exists nu, over c' nu /\ v = total (Ga a) (mean nu)) L HL)
      as [a [v [Ha [[nu [Hnu ->]] Hle]]]].
    - intros a Ha. destruct (IH (Ga a) (HGa a Ha)) as [nu [Hnu Hmin]]. exists (total (Ga a) (mean nu)).
      split; [now exists nu|]. intros w [nu' [Hnu' ->]]. now apply Hmin.
    - intros a b v Ha Hb [nu [Hnu ->]]. exists (total (Ga b) (mean nu)). split; [now exists nu|].
      apply (Hlip (fun k => (1 - a) * F x k + a * mean nu k) (fun k => (1 - b) * F x k + b * mean nu k));
        try (intros k; apply Hunit; auto; now apply mean_range; apply Hnu).
      intros k. replace ((1 - a) * F x k + a * mean nu k - ((1 - b) * F x k + b * mean nu k))
        with ((a - b) * (mean nu k - F x k)) by ring.
      rewrite Rabs_mult. rewrite <- (Rmult_1_r (Rabs (a - b))) at 2. apply Rmult_le_compat_l; [apply Rabs_pos|].
      pose proof (mean_range nu k (proj1 Hnu)). pose proof (HF x k). apply Rabs_le. lra.
    - exists ((x, 1 - a) :: scale a nu). destruct Hnu as [[Hn H1] Hc]. split; [split; [split|]|].
      + intros z p [Heq|Hin]; [injection Heq as _ <-; lra|]. revert z p Hin. apply nonneg_scale; [lra | assumption].
      + cbn [E]. rewrite E_scale, H1. ring.
      + cbn. unfold scale. rewrite map_map. cbn. now rewrite <- Hc.
      + intros nu' Hnu'. destruct (over_cons x c' nu nu') as [b [nu0 [Hb [Hnu0 Hmean]]]];
          [split; [split|]; assumption | assumption|].
        rewrite (total_ext G (mean nu') (fun k => (1 - b) * F x k + b * mean nu0 k)) by assumption.
        rewrite (total_ext G _ (fun k => (1 - a) * F x k + a * mean nu k))
          by (intros k; unfold mean; cbn [E]; now rewrite E_scale).
        apply (Hle b); [assumption | now exists nu0].
  Qed.
End Best.
