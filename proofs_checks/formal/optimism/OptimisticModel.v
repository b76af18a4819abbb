(** * The optimistic model, corrected

    Ordinary states are listed; [None] is the state s_inf, which pays 1 and returns to itself.  Given any estimates
    (in the algorithm: the empirical laws) P~, R~ and radii eps >= 0 of each pair,

      P^(s')    = max(P~(s') - eps, 0)  for ordinary s',       P^(s_inf) = 1 - sum over ordinary s' of P^(s'),
      F_{R^}(x) = max(F_{R~}(x) - eps, 0)  for x < 1,          1 for x >= 1.

    For eps >= 1 this is a sure jump to s_inf with reward 1, whatever the estimates: the rule for unvisited pairs.

    The event, for every pair:  P~(s') - P(s') <= eps  for every s' (Hoeffding),  |F_{R~} - F_R| <= eps (DKW).
    On it  P^ <= P on ordinary states,  F_{R^} <= F_R,  P^(s_inf) <= min(1, S0 eps),  F_R - F_{R^} <= min(1, 2 eps). *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity Mdp QuantileCoupling.
Import ListNotations.
Open Scope R_scope.

(** ** Rewards: the lowest mass [eps] moves to 1 *)

Fixpoint trim (eps : R) (l : dist R) : dist R :=
  match l with
  | [] => []
  | (x, p) :: l' => (x, Rmax 0 (p - eps)) :: trim (Rmax 0 (eps - p)) l'
  end.

Definition raise (eps : R) (d : dist R) : dist R := (1, Rmin 1 eps) :: trim eps (sort d).

Lemma cdf_cons x p d z : cdf ((x, p) :: d) z = p * ind (Rle_dec x z) + cdf d z.
Proof. reflexivity. Qed.

Lemma nonneg_trim eps l : nonneg (trim eps l).
Proof.
  revert eps; induction l as [|[x p] l IH]; simpl; intros eps y q Hin; [contradiction|].
  destruct Hin as [Heq|Hin]; [injection Heq as _ <-; apply Rmax_l | exact (IH (Rmax 0 (eps - p)) y q Hin)].
Qed.

Lemma total_trim eps l : 0 <= eps -> nonneg l -> total_mass (trim eps l) = Rmax 0 (total_mass l - eps).
Proof.
  revert eps; induction l as [|[x p] l IH]; intros eps He Hl; unfold total_mass; simpl.
  - rewrite Rmax_left; lra.
  - apply nonneg_cons in Hl. fold (total_mass (trim (Rmax 0 (eps - p)) l)) (total_mass l).
    rewrite IH by (apply Rmax_l || tauto). pose proof (total_nonneg l (proj2 Hl)).
    unfold Rmax; repeat destruct Rle_dec; lra.
Qed.

Lemma cdf_trim eps l lo hi z :
  0 <= eps -> nonneg l -> sorted_in lo hi l -> cdf (trim eps l) z = Rmax 0 (cdf l z - eps).
Proof.
  revert eps lo; induction l as [|[x p] l IH]; intros eps lo He Hl Hs.
  - unfold cdf; simpl. rewrite Rmax_left; lra.
  - apply nonneg_cons in Hl; destruct Hl as [Hp Hl], Hs as [Hlo Hs]. cbn [trim]. rewrite !cdf_cons.
    rewrite (IH _ x) by (apply Rmax_l || assumption). pose proof (cdf_nonneg l z Hl).
    destruct (Rle_dec x z) as [Hx|Hx]; simpl ind.
    + unfold Rmax; repeat destruct Rle_dec; lra.
    + rewrite (cdf_before x hi l z Hs) by lra. unfold Rmax; repeat destruct Rle_dec; lra.
Qed.

Lemma as_trim eps l (P : R -> Prop) : 0 <= eps -> nonneg l -> almost_surely l P -> almost_surely (trim eps l) P.
Proof.
  revert eps; induction l as [|[x p] l IH]; simpl; intros eps He Hl H y q Hin Hq; [contradiction|].
  apply nonneg_cons in Hl; destruct Hl as [Hp Hl]. destruct Hin as [Heq|Hin].
  - injection Heq as <- <-. apply (H x p); [now left|]. intros ->; apply Hq, Rmax_left; lra.
  - apply (IH (Rmax 0 (eps - p))) with q; try assumption; [apply Rmax_l|]. intros w r Hw; apply (H w r); now right.
Qed.

Lemma as_sort d (P : R -> Prop) : almost_surely d P -> almost_surely (sort d) P.
Proof.
  induction d as [|[z p] d IH]; simpl; intros H; [assumption|].
  assert (Hz : p <> 0 -> P z) by (apply (H z p); now left).
  assert (Hd : almost_surely (sort d) P) by (apply IH; intros w r Hw; apply (H w r); now right).
  clear - Hz Hd. induction (sort d) as [|[a q] l IH]; simpl.
  - intros w m [Heq|[]] Hm; injection Heq as <- <-; auto.
  - destruct (Rle_dec z a).
    + intros w m [Heq|Hin] Hm; [injection Heq as <- <-; auto | now apply (Hd w m)].
    + intros w m [Heq|Hin] Hm; [apply (Hd w m); [now left | assumption]|].
      apply (IH ltac:(intros u v Hu; apply (Hd u v); now right) w m Hin Hm).
Qed.

Section Raise.
  Variables (eps : R) (d : dist R).
  Hypothesis He : 0 <= eps.
  Hypothesis Hd : is_law d.
  Hypothesis Hb : almost_surely d (fun r => 0 <= r <= 1).

  Lemma law_raise : is_law (raise eps d).
  Proof.
    pose proof (nonneg_sort d (proj1 Hd)) as Hn. split.
    - intros x p [Heq|Hin]; [injection Heq as <- <-; unfold Rmin; destruct Rle_dec; lra | now apply nonneg_trim in Hin].
    - change (Rmin 1 eps * 1 + total_mass (trim eps (sort d)) = 1).
      rewrite total_trim by assumption. unfold total_mass; rewrite E_sort, (proj2 Hd).
      unfold Rmin, Rmax; repeat destruct Rle_dec; lra.
  Qed.

  Lemma raise_within : almost_surely (raise eps d) (fun r => 0 <= r <= 1).
  Proof.
    intros x p [Heq|Hin] Hp; [injection Heq as <- <-; lra|].
    apply (as_trim eps (sort d) (fun r => 0 <= r <= 1) He (nonneg_sort d (proj1 Hd)) (as_sort d _ Hb) x p Hin Hp).
  Qed.

  (** The definition in words is the distribution function.
      Given: a finite law on [0, 1], eps >= 0.
      Differs: the CDF only; not the distance in TV.
      Step of: def:optimistic/rewards. *)
  Theorem cdf_raise x : cdf (raise eps d) x = if Rlt_dec x 1 then Rmax 0 (cdf d x - eps) else 1.
  Proof.
    destruct (Rlt_dec x 1) as [Hx|Hx].
    - unfold raise; rewrite cdf_cons, ind_no by lra. destruct (sort_sorted d) as [lo [hi Hs]].
      rewrite (cdf_trim eps (sort d) lo hi) by (assumption || apply nonneg_sort, Hd).
      unfold cdf at 1; rewrite E_sort. fold (cdf d x). ring.
    - apply cdf_above; [apply law_raise|]. generalize raise_within; apply as_impl; intros; lra.
  Qed.
End Raise.

(** ** The model *)

Section Optimistic.
  Load "setup/Estimates".

  Definition low (s : S) (a : A) (s' : S) : R := Rmax 0 (mass state_dec (Pt s a) s' - eps s a).

  (** The mass that moves to s_inf. *)
  Definition jump (s : S) (a : A) : R := 1 - sum states (low s a).

  Definition optimistic : mdp (option S) A := {|
    horizon := horizon M;
    init := image Some (init M);
    trans := fun s a => match s with
      | Some s => (None, jump s a) :: of_masses (map Some states)
        (fun s' => match s' with Some s' => low s a s' | None => 0 end)
      | None => ret None
      end;
    reward := fun s a => match s with Some s => raise (eps s a) (Rt s a) | None => ret 1 end
  |}.

  Record estimates : Prop := {
    Pt_law : forall s a, is_law (Pt s a);
    Rt_law : forall s a, is_law (Rt s a);
    Rt_within : forall s a, almost_surely (Rt s a) (fun r => 0 <= r <= 1);
    eps_nonneg : forall s a, 0 <= eps s a
  }.

  (** The two halves of the event. *)
  Definition hoeffding_event : Prop :=
    forall s a s', mass state_dec (Pt s a) s' - mass state_dec (trans M s a) s' <= eps s a.
  Definition dkw_event : Prop :=
    forall s a x, Rabs (cdf (Rt s a) x - cdf (reward M s a) x) <= eps s a.

  Hypothesis HM : is_mdp M.
  Hypothesis Hest : estimates.

  Lemma mass_nonneg (d : dist S) s : nonneg d -> 0 <= mass state_dec d s.
  Proof. intros H; apply E_nonneg; [assumption | intros; apply ind_range]. Qed.

  Lemma sum_mass (d : dist S) : is_law d -> sum states (mass state_dec d) = 1.
  Proof.
    intros [_ H]. rewrite (E_sum_mass state_dec states d _ Hnodup Hall) in H. rewrite <- H; apply sum_ext; intros; ring.
  Qed.

  Lemma low_le_estimate s a s' : low s a s' <= mass state_dec (Pt s a) s'.
  Proof.
    apply Rmax_lub; [apply mass_nonneg, (Pt_law Hest) | pose proof (eps_nonneg Hest s a); lra].
  Qed.

  Lemma jump_range s a : 0 <= jump s a <= 1.
  Proof.
    unfold jump. pose proof (sum_mass (Pt s a) (Pt_law Hest s a)).
    assert (sum states (low s a) <= sum states (mass state_dec (Pt s a)))
      by (apply sum_le; intros; apply low_le_estimate).
    assert (0 <= sum states (low s a)) by (apply sum_nonneg; intros; apply Rmax_l). lra.
  Qed.

  (** Given: empirical rows, states listed without repetition.
      Differs: the bound of the mass at s_inf.
      In words: 06-event-and-optimism.md#optimistic-bounds.
      Step of: def:optimistic/rows. *)
  Theorem jump_le s a : jump s a <= Rmin 1 (INR (length states) * eps s a).
  Proof.
    apply Rmin_glb; [apply jump_range|]. unfold jump.
    rewrite <- (sum_mass (Pt s a) (Pt_law Hest s a)), <- sum_minus, <- sum_const. apply sum_le; intros s' _.
    unfold low. pose proof (Rmax_r 0 (mass state_dec (Pt s a) s' - eps s a)); lra.
  Qed.

  Lemma E_optimistic_trans s a f :
    E (trans optimistic (Some s) a) f = jump s a * f None + sum states (fun s' => low s a s' * f (Some s')).
  Proof.
    simpl; rewrite E_of_masses; f_equal. clear; induction states as [|s' l IH]; simpl; [reflexivity | now rewrite IH].
  Qed.

  Lemma is_mdp_optimistic : is_mdp optimistic.
  Proof.
    split.
    - apply law_image, HM.
    - intros [s|] a; [|apply law_ret]. split.
      + intros x p [Heq|Hin]; [injection Heq as <- <-; apply jump_range|].
        apply in_map_iff in Hin; destruct Hin as [y [Heq Hin]]; injection Heq as <- <-.
        destruct y; [apply Rmax_l | lra].
      + rewrite E_optimistic_trans, (sum_ext states _ (low s a)) by (intros; ring). unfold jump; ring.
    - intros [s|] a; simpl; [|apply law_ret]. apply law_raise; apply Hest.
  Qed.

  Lemma optimistic_rewards_within : rewards_within 1 optimistic.
  Proof.
    intros [s|] a; simpl; [apply raise_within; apply Hest | apply as_ret; lra].
  Qed.

  (** ** On the event *)

  (** Given: the transition half of the event.
      Step of: L0/adaptive. *)
  Theorem low_le_true s a s' : hoeffding_event -> low s a s' <= mass state_dec (trans M s a) s'.
  Proof.
    intros H; apply Rmax_lub; [apply mass_nonneg; now apply trans_law | specialize (H s a s'); lra].
  Qed.

  Hypothesis Hrew : rewards_within 1 M.

  (** Given: the reward half of the event, rewards in [0, 1].
      Step of: L0/adaptive. *)
  Theorem cdf_optimistic_le s a x : dkw_event -> cdf (raise (eps s a) (Rt s a)) x <= cdf (reward M s a) x.
  Proof.
    intros H; specialize (H s a x); rewrite cdf_raise by apply Hest.
    destruct (Rlt_dec x 1) as [Hx|Hx].
    - apply Rmax_lub; [apply cdf_range; now apply reward_law|].
      pose proof (Rle_trans _ _ _ (Rle_abs _) H); lra.
    - right; symmetry; apply cdf_above; [now apply reward_law|]. generalize (Hrew s a); apply as_impl; intros; lra.
  Qed.

  (** Given: as cdf_optimistic_le.
      Step of: L0/adaptive. *)
  Theorem cdf_optimistic_ge s a x :
    dkw_event -> cdf (reward M s a) x - cdf (raise (eps s a) (Rt s a)) x <= Rmin 1 (2 * eps s a).
  Proof.
    intros H; pose proof (H s a x) as Hx; rewrite Rabs_minus_sym in Hx.
    pose proof (Rle_trans _ _ _ (Rle_abs _) Hx) as Hx'.
    pose proof (cdf_range (reward M s a) x (reward_law M HM s a)) as Hr. pose proof (eps_nonneg Hest s a).
    pose proof (cdf_range (raise (eps s a) (Rt s a)) x
      (law_raise (eps s a) (Rt s a) (eps_nonneg Hest s a) (Rt_law Hest s a))) as Hr'.
    apply Rmin_glb; [lra|]. rewrite cdf_raise by apply Hest. destruct (Rlt_dec x 1); [|lra].
    pose proof (Rmax_r 0 (cdf (Rt s a) x - eps s a)). lra.
  Qed.
End Optimistic.
