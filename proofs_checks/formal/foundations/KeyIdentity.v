(** * The objective is the top of the range minus the area under G(F)      (paper: lem:key)

    For every finite law on [lo, hi] with distribution function F and every weighting G (nondecreasing,
    right-continuous, G(0) = 0, G(1) = 1),

      integral over (0, 1] of F†(tau) dG(tau)   =   hi - integral from lo to hi of G(F(x)) dx.

    In particular Phi = M - integral from 0 to M of G(F) for returns in [0, M]; nothing is asked of F†(1).
    On the way: the Stieltjes integral exists, and for atoms a_1 <= ... <= a_n with cumulated masses c_i it equals
    sum a_i (G(c_i) - G(c_{i-1})).

    The printed identity integrates over the whole line; that integral is infinite for every law. *)

Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Sorting.
Import ListNotations.
Open Scope R_scope.

(** ** Every law can be listed in increasing order *)

Fixpoint sorted_in (lo hi : R) (l : dist R) : Prop :=
  match l with
  | [] => lo <= hi
  | (a, _) :: l' => lo <= a /\ sorted_in a hi l'
  end.

(** Insertion by value. *)
Notation insert z p l := (place (fun x y : R * R => Rle_dec (fst x) (fst y)) (z, p) l).

Lemma sorted_in_le lo hi l : sorted_in lo hi l -> lo <= hi.
Proof.
  revert lo; induction l as [|[a p] l IH]; simpl; intros lo H; [assumption|].
  destruct H as [H1 H2]; apply IH in H2; lra.
Qed.

Lemma sorted_insert lo hi z p l : lo <= z <= hi -> sorted_in lo hi l -> sorted_in lo hi (insert z p l).
Proof.
  revert lo; induction l as [|[a q] l IH]; simpl; intros lo Hz H; [lra|].
  destruct H as [H1 H2], (Rle_dec z a); simpl; [tauto|]. split; [assumption|]. apply IH; [lra | assumption].
Qed.

Lemma E_insert z p l f : E (insert z p l) f = p * f z + E l f.
Proof.
  induction l as [|[a q] l IH]; simpl; [reflexivity|].
  destruct (Rle_dec z a); simpl; [reflexivity | rewrite IH; ring].
Qed.

Lemma nonneg_insert z p l : 0 <= p -> nonneg l -> nonneg (insert z p l).
Proof.
  intros Hp; induction l as [|[a q] l IH]; simpl; intros Hl y r Hin.
  - destruct Hin as [Heq|[]]; injection Heq as <- <-; assumption.
  - destruct (Rle_dec z a).
    + destruct Hin as [Heq|Hin]; [injection Heq as <- <-; assumption | now apply (Hl y r)].
    + destruct Hin as [Heq|Hin]; [apply (Hl y r); now left|].
      apply (IH ltac:(intros x s Hx; apply (Hl x s); now right) y r Hin).
Qed.

(** The increasing list has the same expectations; null atoms are dropped. *)
Lemma sorted_listing (d : dist R) lo hi :
  lo <= hi -> nonneg d -> almost_surely d (fun z => lo <= z <= hi) ->
  exists l, sorted_in lo hi l /\ nonneg l /\ forall f, E d f = E l f.
Proof.
  intros Hle; induction d as [|[z p] d IH]; intros Hd Has.
  - exists []; repeat split; [assumption | intros x p []].
  - destruct IH as [l [Hs [Hn HE]]].
    + intros x q Hin; apply (Hd x q); now right.
    + intros x q Hin; apply (Has x q); now right.
    + destruct (Req_EM_T p 0) as [->|Hp].
      * exists l; repeat split; [assumption.. | intros f; simpl; rewrite HE; ring].
      * exists (insert z p l); repeat split.
        -- apply sorted_insert; [apply (Has z p); [now left | assumption] | assumption].
        -- apply nonneg_insert; [apply (Hd z p); now left | assumption].
        -- intros f; simpl; now rewrite E_insert, HE.
Qed.

(** ** The quantile of an increasing list is a sum of steps *)

Definition total_mass (l : dist R) : R := E l (fun _ => 1).

Lemma total_nonneg l : nonneg l -> 0 <= total_mass l.
Proof. intros H; apply E_nonneg; [assumption | intros; lra]. Qed.

Lemma nonneg_cons {X} (x : X) p l : nonneg ((x, p) :: l) -> 0 <= p /\ nonneg l.
Proof. intros H; split; [apply (H x p); now left | intros y q Hy; apply (H y q); now right]. Qed.

(** Level [tau] climbs from [lo] over each gap between atoms whose preceding cumulated mass is below [tau]. *)
Fixpoint climb (lo c : R) (l : dist R) (tau : R) : R :=
  match l with
  | [] => 0
  | (a, p) :: l' => (a - lo) * ind (Rlt_dec c tau) + climb a (c + p) l' tau
  end.

Lemma climb_stays lo c l tau : nonneg l -> tau <= c -> climb lo c l tau = 0.
Proof.
  revert lo c; induction l as [|[a p] l IH]; simpl; intros lo c Hn H; [reflexivity|].
  apply nonneg_cons in Hn. rewrite IH by (tauto || lra). rewrite ind_no by lra. ring.
Qed.

Lemma cdf_before lo hi l x : sorted_in lo hi l -> x < lo -> cdf l x = 0.
Proof.
  unfold cdf; revert lo; induction l as [|[a p] l IH]; simpl; intros lo H Hx; [reflexivity|].
  destruct H as [H1 H2]. rewrite (IH a) by (assumption || lra). rewrite ind_no by lra. ring.
Qed.

Lemma level_reached_iff lo hi c l tau x :
  sorted_in lo hi l -> nonneg l -> c < tau <= c + total_mass l ->
  (tau <= c + cdf l x <-> lo + climb lo c l tau <= x).
Proof.
  revert lo c; induction l as [|[a p] l IH]; intros lo c Hs Hn Htau.
  - unfold total_mass in Htau; simpl in Htau; lra.
  - destruct Hs as [Hlo Hs]. apply nonneg_cons in Hn; destruct Hn as [Hp Hn].
    assert (Ht : total_mass ((a, p) :: l) = p + total_mass l) by (unfold total_mass; simpl; ring).
    assert (Hc : cdf ((a, p) :: l) x = p * ind (Rle_dec a x) + cdf l x) by reflexivity.
    assert (Hpos : 0 <= cdf l x) by (apply E_nonneg; [assumption | intros; apply ind_range]).
    rewrite Ht in Htau; rewrite Hc; simpl climb. rewrite (ind_yes (Rlt_dec c tau)) by lra.
    destruct (Rle_lt_dec tau (c + p)) as [Hin|Hout].
    + rewrite climb_stays by assumption.
      destruct (Rle_lt_dec a x) as [Hax|Hax].
      * rewrite (ind_yes (Rle_dec a x)) by assumption. split; intros; lra.
      * rewrite (ind_no (Rle_dec a x)) by lra. rewrite (cdf_before a hi) by assumption. split; intros; lra.
    + specialize (IH a (c + p) Hs Hn ltac:(lra)).
      destruct (Rle_lt_dec a x) as [Hax|Hax].
      * rewrite (ind_yes (Rle_dec a x)) by assumption.
        replace (c + (p * 1 + cdf l x)) with (c + p + cdf l x) by ring. rewrite IH. split; intros; lra.
      * rewrite (ind_no (Rle_dec a x)) by lra. rewrite (cdf_before a hi) in * by assumption. split; intros; lra.
Qed.

(** A real that bounds the level set from below and belongs to it is the quantile. *)
Lemma quantile_of_iff F tau v : (forall x, tau <= F x <-> v <= x) -> quantile F tau = Finite v.
Proof.
  intros H; apply is_glb_Rbar_unique; split.
  - intros x Hx; apply H, Hx.
  - intros b Hb; apply Hb, H; lra.
Qed.

(** ** Stieltjes integrals of constants, sums and steps *)

Lemma stieltjes_sum_ext f g G lo a b l :
  (forall t, lo < t <= b -> f t = g t) -> tagged lo a b l -> stieltjes_sum f G a l = stieltjes_sum g G a l.
Proof.
  intros H; revert a; induction l as [|[t u] l IH]; simpl; intros a Ht; [reflexivity|].
  destruct Ht as [H1 [H2 H3]]. pose proof (tagged_le _ _ _ _ H3).
  rewrite (H t) by lra. now rewrite IH.
Qed.

Lemma is_stieltjes_ext f g G a b v :
  (forall t, a < t <= b -> f t = g t) -> is_stieltjes f G a b v -> is_stieltjes g G a b v.
Proof.
  intros H Hf eps Heps; destruct (Hf eps Heps) as [ps Hps]; exists ps; intros l Ht Hr.
  rewrite <- (stieltjes_sum_ext f g G a a b l H Ht); auto.
Qed.

Lemma is_stieltjes_const k G a b : is_stieltjes (fun _ => k) G a b (k * (G b - G a)).
Proof.
  intros eps Heps; exists []; intros l Ht _.
  assert (H : forall c, tagged a c b l -> stieltjes_sum (fun _ => k) G c l = k * (G b - G c)).
  { clear Ht; induction l as [|[t u] l IH]; simpl; intros c Hc; [subst; ring|].
    rewrite IH by tauto. ring. }
  rewrite (H a Ht). unfold Rminus; rewrite Rplus_opp_r, Rabs_R0; assumption.
Qed.

Lemma is_stieltjes_plus f g G a b v w :
  is_stieltjes f G a b v -> is_stieltjes g G a b w -> is_stieltjes (fun t => f t + g t) G a b (v + w).
Proof.
  intros Hf Hg eps Heps.
  destruct (Hf (eps / 2)) as [ps Hps]; [lra|]. destruct (Hg (eps / 2)) as [qs Hqs]; [lra|].
  exists (ps ++ qs); intros l Ht Hr; apply refines_app in Hr; destruct Hr as [Hr1 Hr2].
  specialize (Hps l Ht Hr1); specialize (Hqs l Ht Hr2).
  assert (H : forall c, stieltjes_sum (fun t => f t + g t) G c l = stieltjes_sum f G c l + stieltjes_sum g G c l).
  { clear; induction l as [|[t u] l IH]; simpl; intros c; [ring | rewrite IH; ring]. }
  rewrite H. apply Rabs_def2 in Hps; apply Rabs_def2 in Hqs. apply Rabs_def1; lra.
Qed.

Lemma is_stieltjes_scal k f G a b v : is_stieltjes f G a b v -> is_stieltjes (fun t => k * f t) G a b (k * v).
Proof.
  intros Hf eps Heps.
  assert (H : forall c l, stieltjes_sum (fun t => k * f t) G c l = k * stieltjes_sum f G c l).
  { clear; intros c l; revert c; induction l as [|[t u] l IH]; simpl; intros c; [ring | rewrite IH; ring]. }
  destruct (Hf (eps / (Rabs k + 1))) as [ps Hps].
  { apply Rdiv_lt_0_compat; [assumption | pose proof (Rabs_pos k); lra]. }
  exists ps; intros l Ht Hr; specialize (Hps l Ht Hr).
  rewrite H, <- Rmult_minus_distr_l, Rabs_mult.
  pose proof (Rabs_pos k) as Hk. pose proof (Rabs_pos (stieltjes_sum f G a l - v)) as Hs.
  apply Rle_lt_trans with ((Rabs k + 1) * Rabs (stieltjes_sum f G a l - v)); [nra|].
  apply Rlt_le_trans with ((Rabs k + 1) * (eps / (Rabs k + 1))); [apply Rmult_lt_compat_l; lra | right; field; lra].
Qed.

Section Step.
  Variable G : R -> R.
  Hypothesis HG : weighting G.

  Let above (c t : R) : R := ind (Rlt_dec c t).

  Lemma points_ge lo a b l p : tagged lo a b l -> In p (map snd l) -> a <= p.
  Proof.
    revert a; induction l as [|[t u] l IH]; simpl; intros a Ht Hin; [contradiction|].
    destruct Ht as [H1 [_ H2]], Hin as [<-|Hin]; [lra|]. specialize (IH u H2 Hin); lra.
  Qed.

  Lemma sum_above_ge c a l : 0 <= a -> tagged 0 a 1 l -> 0 <= stieltjes_sum (above c) G a l <= G 1 - G a.
  Proof.
    revert a; induction l as [|[t u] l IH]; simpl; intros a Ha Ht; [subst; lra|].
    destruct Ht as [H1 [H2 H3]]. pose proof (tagged_le _ _ _ _ H3).
    specialize (IH u ltac:(lra) H3). pose proof (ind_range (Rlt_dec c t)) as Hi.
    pose proof (weighting_mono G HG a u Ha ltac:(lra) ltac:(lra)). unfold above at 1 3. nra.
  Qed.

  Lemma sum_above_upper c a l :
    0 <= a <= c -> tagged 0 a 1 l -> In c (a :: map snd l) -> stieltjes_sum (above c) G a l <= G 1 - G c.
  Proof.
    revert a; induction l as [|[t u] l IH]; intros a Ha Ht Hin.
    - destruct Hin as [<-|[]]. apply (sum_above_ge a a []); [lra | assumption].
    - destruct (Req_EM_T a c) as [->|Hne]; [now apply sum_above_ge|].
      destruct Hin as [?|Hin]; [contradiction|]. simpl in *. destruct Ht as [H1 [H2 H3]].
      assert (Huc : u <= c) by (destruct Hin as [<-|Hin]; [lra | apply (points_ge _ _ _ _ _ H3 Hin)]).
      unfold above at 1. rewrite ind_no by lra. specialize (IH u ltac:(lra) H3 Hin). lra.
  Qed.

  Lemma sum_above_exact c a l : 0 <= a -> c < a -> tagged 0 a 1 l -> stieltjes_sum (above c) G a l = G 1 - G a.
  Proof.
    revert a; induction l as [|[t u] l IH]; simpl; intros a Ha Hc Ht; [subst; ring|].
    destruct Ht as [H1 [H2 H3]]. unfold above at 1. rewrite ind_yes by lra.
    rewrite (IH u) by (assumption || lra). ring.
  Qed.

  Lemma sum_above_lower c v a l :
    0 <= a <= v -> c < v -> tagged 0 a 1 l -> In v (a :: map snd l) -> G 1 - G v <= stieltjes_sum (above c) G a l.
  Proof.
    revert a; induction l as [|[t u] l IH]; intros a Ha Hv Ht Hin.
    - destruct Hin as [<-|[]]. rewrite sum_above_exact; [lra | lra | lra | assumption].
    - destruct (Req_EM_T a v) as [->|Hne]; [right; symmetry; apply sum_above_exact; [lra | lra | assumption]|].
      destruct Hin as [?|Hin]; [contradiction|]. simpl in *. destruct Ht as [H1 [H2 H3]].
      assert (Huv : u <= v) by (destruct Hin as [<-|Hin]; [lra | apply (points_ge _ _ _ _ _ H3 Hin)]).
      pose proof (tagged_le _ _ _ _ H3).
      specialize (IH u ltac:(lra) Hv H3 Hin). pose proof (ind_range (Rlt_dec c t)) as Hi.
      pose proof (weighting_mono G HG a u ltac:(lra) ltac:(lra) ltac:(lra)). unfold above at 1. nra.
  Qed.

  (** The one place where right-continuity of G is used: a tag may sit at the jump [c] itself. *)
  Lemma is_stieltjes_step c : 0 <= c <= 1 -> is_stieltjes (fun t => ind (Rlt_dec c t)) G 0 1 (G 1 - G c).
  Proof.
    intros Hc eps Heps.
    destruct (Req_EM_T c 1) as [->|Hne].
    - exists []; intros l Ht _.
      rewrite (stieltjes_sum_ext _ (fun _ => 0) G 0 0 1) by (assumption || (intros; apply ind_no; lra)).
      assert (H : forall a, stieltjes_sum (fun _ => 0) G a l = 0).
      { clear; induction l as [|[t u] l IH]; simpl; intros a; [reflexivity | rewrite IH; ring]. }
      rewrite H. replace (0 - (G 1 - G 1)) with 0 by ring. now rewrite Rabs_R0.
    - destruct (weighting_right G HG c eps) as [delta [Hd Hnear]]; [lra | assumption|].
      set (v := Rmin 1 (c + delta / 2)).
      assert (Hv : c < v <= 1 /\ v < c + delta) by (unfold v, Rmin; destruct (Rle_dec 1 (c + delta / 2)); lra).
      exists [c; v]; intros l Ht Hr.
      pose proof (sum_above_upper c 0 l ltac:(lra) Ht (Hr c ltac:(now left) ltac:(lra))).
      pose proof (sum_above_lower c v 0 l ltac:(lra) ltac:(lra) Ht (Hr v ltac:(now right; left) ltac:(lra))).
      specialize (Hnear v ltac:(lra) ltac:(lra)). unfold above in *. apply Rabs_def1; lra.
  Qed.
End Step.

(** ** The two integrals of an increasing list *)

Fixpoint climb_integral (G : R -> R) (lo c : R) (l : dist R) : R :=
  match l with
  | [] => 0
  | (a, p) :: l' => (a - lo) * (G 1 - G c) + climb_integral G a (c + p) l'
  end.

Lemma is_stieltjes_climb G lo c l :
  weighting G -> nonneg l -> 0 <= c -> c + total_mass l = 1 ->
  is_stieltjes (climb lo c l) G 0 1 (climb_integral G lo c l).
Proof.
  intros HG; revert lo c; induction l as [|[a p] l IH]; intros lo c Hn Hc Hm; simpl.
  - pose proof (is_stieltjes_const 0 G 0 1) as H. now rewrite Rmult_0_l in H.
  - apply nonneg_cons in Hn; destruct Hn as [Hp Hn]. pose proof (total_nonneg l Hn).
    assert (Ht : total_mass ((a, p) :: l) = p + total_mass l) by (unfold total_mass; simpl; ring). rewrite Ht in Hm.
    apply (is_stieltjes_plus (fun t => (a - lo) * ind (Rlt_dec c t))).
    + apply is_stieltjes_scal, is_stieltjes_step; [assumption | lra].
    + apply IH; [assumption | lra | lra].
Qed.

Fixpoint area_of_steps (G : R -> R) (lo hi c : R) (l : dist R) : R :=
  match l with
  | [] => (hi - lo) * G c
  | (a, p) :: l' => (a - lo) * G c + area_of_steps G a hi (c + p) l'
  end.

Lemma is_RInt_constant (c a b : R) : is_RInt (fun _ => c) a b ((b - a) * c).
Proof. apply (@is_RInt_const R_NormedModule). Qed.

Lemma is_RInt_area G lo hi c l : sorted_in lo hi l ->
  is_RInt (fun x => G (c + cdf l x)) lo hi (area_of_steps G lo hi c l).
Proof.
  revert lo c; induction l as [|[a p] l IH]; intros lo c Hs.
  - apply is_RInt_ext with (fun _ => G c); [|apply is_RInt_constant].
    intros x _; unfold cdf; simpl; f_equal; ring.
  - destruct Hs as [Hlo Hs]. pose proof (sorted_in_le _ _ _ Hs).
    apply (@is_RInt_Chasles R_NormedModule) with a.
    + apply is_RInt_ext with (fun _ => G c); [|apply is_RInt_constant].
      intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra.
      rewrite (cdf_before a hi) by (simpl; repeat split; (assumption || lra)). f_equal; ring.
    + apply is_RInt_ext with (fun x => G (c + p + cdf l x)); [|now apply IH].
      intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra.
      unfold cdf; simpl. rewrite ind_yes by lra. f_equal; ring.
Qed.

(** Summation by parts. *)
Lemma climb_integral_area G lo hi c l :
  G 1 = 1 -> c + total_mass l = 1 -> lo + climb_integral G lo c l = hi - area_of_steps G lo hi c l.
Proof.
  intros G1; revert lo c; induction l as [|[a p] l IH]; unfold total_mass; simpl; intros lo c Hm.
  - replace c with 1 by lra. rewrite G1; ring.
  - specialize (IH a (c + p)). unfold total_mass in IH. rewrite G1 in *. lra.
Qed.

(** ** The key identity *)

Lemma is_stieltjes_quantile_listing G d l lo hi :
  weighting G -> sorted_in lo hi l -> nonneg l -> 0 + total_mass l = 1 -> (forall f, E d f = E l f) ->
  is_stieltjes (fun tau => real (quantile (cdf d) tau)) G 0 1 (lo + climb_integral G lo 0 l).
Proof.
  intros HG Hs Hl Ht HE.
  apply is_stieltjes_ext with (fun tau => lo + climb lo 0 l tau).
  - intros tau Htau. rewrite (quantile_of_iff (cdf d) tau (lo + climb lo 0 l tau)); [reflexivity|].
    intros x. rewrite <- (level_reached_iff lo hi 0 l tau x) by (assumption || lra).
    unfold cdf; rewrite HE; now rewrite Rplus_0_l.
  - apply (is_stieltjes_plus (fun _ => lo)); [|now apply is_stieltjes_climb; [| |lra|]].
    pose proof (is_stieltjes_const lo G 0 1) as H.
    now rewrite (weighting_0 G HG), (weighting_1 G HG), Rminus_0_r, Rmult_1_r in H.
Qed.

(** The Stieltjes integral of the quantile exists, with the stated value.
    Given: as key_identity.
    Differs: the Stieltjes integral that defines the objective exists.
    In words: 01-setting.md#def-objective.
    Step of: lem:key. *)
Theorem is_stieltjes_quantile G d lo hi :
  weighting G -> is_law d -> lo <= hi -> almost_surely d (fun z => lo <= z <= hi) ->
  is_stieltjes (fun tau => real (quantile (cdf d) tau)) G 0 1 (hi - RInt (fun x => G (cdf d x)) lo hi) /\
  ex_RInt (fun x => G (cdf d x)) lo hi.
Proof.
  intros HG [Hn H1] Hle Has.
  destruct (sorted_listing d lo hi Hle Hn Has) as [l [Hs [Hl HE]]].
  assert (Ht : 0 + total_mass l = 1) by (unfold total_mass; rewrite <- HE; lra).
  assert (Hint : is_RInt (fun x => G (cdf d x)) lo hi (area_of_steps G lo hi 0 l)).
  { apply is_RInt_ext with (fun x => G (0 + cdf l x)); [|now apply is_RInt_area].
    intros x _; unfold cdf; rewrite HE; f_equal; ring. }
  split; [|now exists (area_of_steps G lo hi 0 l)].
  rewrite (is_RInt_unique _ _ _ _ Hint), <- (climb_integral_area G lo hi 0 l) by (apply HG || assumption).
  now apply is_stieltjes_quantile_listing with hi.
Qed.

(** Given: as key_identity, on any interval [lo, hi].
    Step of: lem:key. *)
Theorem Phi_eq_hi_minus_area G d lo hi :
  weighting G -> is_law d -> lo <= hi -> almost_surely d (fun z => lo <= z <= hi) ->
  Phi G d = hi - RInt (fun x => G (cdf d x)) lo hi.
Proof. intros; apply stieltjes_unique; [lra | now apply is_stieltjes_quantile]. Qed.

Theorem ex_RInt_weighted_cdf G d lo hi :
  weighting G -> is_law d -> lo <= hi -> almost_surely d (fun z => lo <= z <= hi) ->
  ex_RInt (fun x => G (cdf d x)) lo hi.
Proof. intros; now apply is_stieltjes_quantile. Qed.

(** The paper's form, corrected: returns in [0, M].
    Given: a finite law on [0, M], M >= 0; G nondecreasing and right-continuous on [0, 1], G(0) = 0, G(1) = 1.
    Differs: finite laws. *)
Theorem key_identity G d M :
  weighting G -> is_law d -> 0 <= M -> almost_surely d (fun z => 0 <= z <= M) ->
  Phi G d = M - RInt (fun x => G (cdf d x)) 0 M.
Proof. intros; now apply Phi_eq_hi_minus_area. Qed.

(** ** The objective as a finite sum over the atoms in increasing order *)

Fixpoint rank_sum (G : R -> R) (c : R) (l : dist R) : R :=
  match l with
  | [] => 0
  | (a, p) :: l' => a * (G (c + p) - G c) + rank_sum G (c + p) l'
  end.

Lemma climb_integral_rank_sum G lo c l :
  c + total_mass l = 1 -> climb_integral G lo c l = rank_sum G c l - lo * (G 1 - G c).
Proof.
  revert lo c; induction l as [|[a p] l IH]; unfold total_mass; simpl; intros lo c Hm.
  - replace c with 1 by lra. ring.
  - rewrite IH by (unfold total_mass; lra). ring.
Qed.

(** Given: a finite law listed in increasing order; G as in the key identity.
    Step of: lem:key. *)
Theorem Phi_eq_rank_sum G l lo hi :
  weighting G -> is_law l -> sorted_in lo hi l -> Phi G l = rank_sum G 0 l.
Proof.
  intros HG [Hn H1] Hs. apply stieltjes_unique; [lra|].
  assert (Ht : 0 + total_mass l = 1) by (unfold total_mass; lra).
  replace (rank_sum G 0 l) with (lo + climb_integral G lo 0 l).
  - now apply is_stieltjes_quantile_listing with hi.
  - rewrite climb_integral_rank_sum, (weighting_0 G HG), (weighting_1 G HG) by assumption. ring.
Qed.
