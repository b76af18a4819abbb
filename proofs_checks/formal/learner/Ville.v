(** * Ville's inequality for processes of finite draws

    A process draws X_1, X_2, ..., each from a finite law that may depend on all earlier draws ([MartingaleStep.v]).
    Let f >= 0 be a function of the draws so far whose conditional mean never grows.  For every number of draws,

      P( f reaches c at some moment )  <=  f(nothing drawn) / c .

    The bound does not depend on how many draws are made.  Two uses: a bound for every moment at once on the sum of
    conditional means by the sum of observed values, and the confidence event of [KlEvent.v]. *)

Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw HoeffdingFinite MartingaleStep.
Import ListNotations.
Open Scope R_scope.

(** The moments of a path: itself and what it was before each draw.  Paths have the latest draw first. *)
Fixpoint moments_of {X} (path : list X) : list (list X) :=
  match path with
  | [] => [[]]
  | _ :: past => path :: moments_of past
  end.

Lemma moment_itself {X} (path : list X) : In path (moments_of path).
Proof. destruct path; now left. Qed.

Lemma moment_of_moment {X} (path past : list X) :
  In past (moments_of path) -> forall q, In q (moments_of past) -> In q (moments_of path).
Proof.
  induction path as [|x path IH]; simpl; intros [<-|Hin] q Hq.
  - exact Hq.
  - destruct Hin.
  - exact Hq.
  - right; now apply IH.
Qed.

Lemma moment_length {X} (path past : list X) : In past (moments_of path) -> (length past <= length path)%nat.
Proof.
  induction path as [|x path IH]; simpl; intros [<-|Hin]; simpl; auto with arith. destruct Hin.
Qed.

Lemma moment_forall {X} (P : X -> Prop) (path past : list X) : In past (moments_of path) -> List.Forall P path ->
  List.Forall P past.
Proof.
  induction path as [|x path IH]; simpl; intros [<-|Hin] H; auto; [destruct Hin|].
  apply IH; [assumption | now inversion H].
Qed.

Lemma in_moments_iff {X} (path past : list X) : In past (moments_of path) <-> exists newer, path = newer ++ past.
Proof.
  split.
  - induction path as [|x path IH]; simpl; intros [<-|Hin].
    + now exists [].
    + destruct Hin.
    + now exists [].
    + destruct (IH Hin) as [newer ->]. now exists (x :: newer).
  - intros [newer ->]. induction newer as [|x newer IH]; simpl; [apply moment_itself | now right].
Qed.

Section Ville.
  Context {X : Type}.
  Variable next : list X -> dist X.
  Hypothesis Hnext : forall past, is_law (next past).
  Variable f : list X -> R.
  Hypothesis Hf : forall past, 0 <= f past.
  Hypothesis Hmean : forall past, E (next past) (fun x => f (x :: past)) <= f past.
  Variable c : R.

  Definition reached_dec (path : list X) :
    {Exists (fun past => c <= f past) (moments_of path)} + {~ Exists (fun past => c <= f past) (moments_of path)} :=
    Exists_dec _ (moments_of path) (fun past => Rle_dec c (f past)).

  (** The process stopped when it first reaches c. *)
  Fixpoint stopped (path : list X) : R :=
    match path with
    | [] => f []
    | _ :: past => if reached_dec past then stopped past else f path
    end.

  Lemma stopped_mean n : E (process next n) stopped <= f [].
  Proof.
    induction n as [|n IH]; [simpl; lra|]. rewrite E_process_S. eapply Rle_trans; [|exact IH].
    apply E_le; [now apply law_process|]. intros past. cbn [stopped].
    destruct (reached_dec past) as [Hr|Hr]; [rewrite E_const by apply Hnext; lra|].
    eapply Rle_trans; [apply Hmean|]. destruct past as [|x past]; cbn [stopped]; [lra|].
    destruct (reached_dec past) as [Hp|Hp]; [|lra]. exfalso; apply Hr. now apply Exists_cons_tl.
  Qed.

  Lemma stopped_nonneg path : 0 <= stopped path.
  Proof.
    induction path as [|x past IH]; cbn [stopped]; [apply Hf|]. destruct (reached_dec past); [assumption | apply Hf].
  Qed.

  Lemma stopped_reached path : Exists (fun past => c <= f past) (moments_of path) -> c <= stopped path.
  Proof.
    induction path as [|x past IH]; cbn [stopped moments_of]; intros H.
    - inversion H as [? ? Hc|? ? Hc]; [assumption | inversion Hc].
    - destruct (reached_dec past) as [Hp|Hp]; [now apply IH|].
      inversion H as [? ? Hc|? ? Hc]; [assumption | contradiction].
  Qed.

  (** Given: a nonnegative function of an adapted process of finite laws whose conditional mean never grows.
      In words: 10-kl-learner.md#kl-ville.
      Step of: martingale/prefix. *)
  Theorem ville n : 0 < c -> prob (process next n) reached_dec <= f [] / c.
  Proof.
    intros Hc. apply Rmult_le_reg_l with c; [assumption|]. replace (c * (f [] / c)) with (f []) by (field; lra).
    eapply Rle_trans; [|apply (stopped_mean n)]. unfold prob. rewrite <- E_scal.
    apply E_le; [now apply law_process|]. intros path. destruct (reached_dec path) as [H|H]; cbn [ind].
    - rewrite Rmult_1_r. now apply stopped_reached.
    - rewrite Rmult_0_r. apply stopped_nonneg.
  Qed.
End Ville.

(** ** Several functions, each with a level of its own: what happens only if one of them reaches its level *)

Section Many.
  Context {X I : Type}.
  Variable next : list X -> dist X.
  Hypothesis Hnext : forall past, is_law (next past).
  Variables (l : list I) (f : I -> list X -> R) (level : I -> R).
  Hypothesis Hstart : forall i, In i l -> f i [] <= 1.
  Hypothesis Hf : forall i, In i l -> forall past, 0 <= f i past.
  Hypothesis Hmean : forall i, In i l -> forall past, E (next past) (fun x => f i (x :: past)) <= f i past.
  Hypothesis Hlevel : forall i, In i l -> 0 < level i.
  Variable bad : list X -> Prop.
  Hypothesis Hbad : forall past, bad past -> Exists (fun i => level i <= f i past) l.

  Theorem ville_of_many n (dec : forall path, {Exists bad (moments_of path)} + {~ Exists bad (moments_of path)}) :
    prob (process next n) dec <= sum l (fun i => / level i).
  Proof.
    assert (Hlaw : is_law (process next n)) by now apply law_process.
    pose (reach := fun i path => reached_dec (f i) (level i) path).
    apply Rle_trans with (sum l (fun i => prob (process next n) (reach i))).
    - eapply Rle_trans; [|apply (prob_exists_le (process next n) _ reach l), Hlaw].
      apply E_le; [apply Hlaw|]. intros path. apply ind_le. intros H. apply Exists_exists in H.
      destruct H as [past [Hin H]]. apply Hbad, Exists_exists in H. destruct H as [i [Hi Hr]].
      apply Exists_exists. exists i. split; [assumption|]. apply Exists_exists. now exists past.
    - apply sum_le. intros i Hi. specialize (Hlevel i Hi).
      eapply Rle_trans; [apply (ville next Hnext (f i) (Hf i Hi) (Hmean i Hi) (level i) n Hlevel)|].
      rewrite <- (Rmult_1_l (/ level i)). apply Rmult_le_compat_r; [|now apply Hstart].
      left. now apply Rinv_0_lt_compat.
  Qed.
End Many.

(** ** Sums of conditional means, at every moment at once *)

Section Means.
  Context {X : Type}.
  Variable next : list X -> dist X.
  Hypothesis Hnext : forall past, is_law (next past).
  Variable Y : list X -> X -> R.
  Variable B : R.
  Hypothesis HB : 0 < B.
  Hypothesis HY : forall past, almost_surely (next past) (fun x => 0 <= Y past x <= B).

  Local Notation q := (1 - exp (-1)).
  Let W (path : list X) : R := exp ((q * sum_of_means next Y path - sum_observed Y path) / B).

  Lemma W_mean past : E (next past) (fun x => W (x :: past)) <= W past.
  Proof.
    unfold W. cbn [sum_of_means sum_observed].
    rewrite (E_ext _ _ (fun x => exp ((q * sum_of_means next Y past - sum_observed Y past) / B +
                                      q * (E (next past) (Y past) / B)) * exp (- (Y past x / B)))).
    - rewrite E_scal. eapply Rle_trans.
      + apply Rmult_le_compat_l; [left; apply exp_pos | now apply (one_step next Hnext Y B HB HY past)].
      + rewrite <- exp_plus. right; f_equal; ring.
    - intros x. rewrite <- exp_plus. f_equal. field; lra.
  Qed.

  Definition means_bound (delta : R) (past : list X) : R :=
    exp 1 / (exp 1 - 1) * (sum_observed Y past + B * ln (/ delta)).

  Definition means_large_dec delta (path : list X) :
    {Exists (fun past => means_bound delta past <= sum_of_means next Y past) (moments_of path)} +
    {~ Exists (fun past => means_bound delta past <= sum_of_means next Y past) (moments_of path)} :=
    Exists_dec _ (moments_of path) (fun past => Rle_dec _ _).

  (** Given: an adapted process of finite laws, 0 <= Y <= B, B > 0, delta > 0.
      Differs: finite laws. *)
  Theorem sums_of_means_rarely_large n delta : 0 < delta -> prob (process next n) (means_large_dec delta) <= delta.
  Proof.
    intros Hdelta.
    assert (Hv := ville next Hnext W ltac:(intros; unfold W; left; apply exp_pos) W_mean (/ delta) n
      ltac:(now apply Rinv_0_lt_compat)).
    assert (HW : W [] = 1) by (unfold W; simpl; replace ((q * 0 - 0) / B) with 0 by (field; lra); apply exp_0).
    rewrite HW in Hv. replace (1 / / delta) with delta in Hv by (field; lra).
    eapply Rle_trans; [|exact Hv]. apply E_le; [now apply law_process|]. intros path. apply ind_le.
    intros H. apply Exists_exists in H; destruct H as [past [Hin H]].
    apply Exists_exists; exists past; split; [assumption|].
    assert (He : 1 < exp 1) by (pose proof (exp_ineq1 1 R1_neq_R0); lra).
    assert (Hq : q = (exp 1 - 1) / exp 1)
      by (replace (exp (-1)) with (/ exp 1) by (rewrite <- exp_Ropp; f_equal; ring); field; lra).
    unfold means_bound in H. apply (Rmult_le_compat_l ((exp 1 - 1) / exp 1)) in H; [|left; apply Rdiv_lt_0_compat; lra].
    rewrite <- Hq in H at 2.
    replace ((exp 1 - 1) / exp 1 * (exp 1 / (exp 1 - 1) * (sum_observed Y past + B * ln (/ delta))))
      with (sum_observed Y past + B * ln (/ delta)) in H by (field; lra).
    unfold W. rewrite <- (exp_ln (/ delta)) by (now apply Rinv_0_lt_compat).
    assert (Hln : ln (/ delta) <= (q * sum_of_means next Y past - sum_observed Y past) / B).
    { apply Rmult_le_reg_r with B; [assumption|].
      replace ((q * sum_of_means next Y past - sum_observed Y past) / B * B)
        with (q * sum_of_means next Y past - sum_observed Y past) by (field; lra). lra. }
    destruct Hln as [Hln|Hln]; [left; now apply exp_increasing | right; now rewrite Hln].
  Qed.
End Means.
