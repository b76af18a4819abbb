(** * The float certificate: the computed budget recursion is within gamma_K of the exact one

    Standard model of rounding: each addition, product and fused multiply-add returns its exact result up to a relative
    error u; min does not round; budgets b - r on the integer grid are exact.  Every probability is rounded once.
    Sums run in any order and by any tree, with or without fused operations.

    Let nnz bound the number of successors and m the number of reward values of a pair (s, a).  One step of

      U(r) = sum over s' of P(s') W_n(s', b - r),      W_{n+1}(s, b) = min over a of  sum over r of R(r) U(r)

    adds at most nnz + m + 2 roundings, the linear tail  W(b) = W(b0) + (b - b0)  one more.  With K = n (nnz + m + 3)
    and gamma_K = K u / (1 - K u), if K u < 1,

      | W^_n - W_n |  <=  gamma_K W_n       and       W^_n (1 - K u)  <=  W_n  <=  W^_n / (1 - K u). *)

Require Import Reals Lra Lia List Permutation.
From VerifiedRisk Require Import FiniteLaw Objective Mdp DynamicProgramming CvarPlanner.
Import ListNotations.
Open Scope R_scope.

(** ** Rounding *)

Definition rounds (u exact computed : R) : Prop := Rabs (computed - exact) <= u * Rabs exact.

(** After at most [k] roundings of a nonnegative quantity. *)
Definition within_roundings (u : R) (k : nat) (exact computed : R) : Prop :=
  exact * (1 - u) ^ k <= computed <= exact * (1 + u) ^ k.

Definition gamma (u : R) (k : nat) : R := INR k * u / (1 - INR k * u).

(** A sum of products p x as a machine evaluates it: any order, any tree, any use of fused operations. *)
Inductive dot (u : R) : list (R * R) -> R -> Prop :=
  | dot_none : dot u [] 0
  | dot_product p x z : rounds u (p * x) z -> dot u [(p, x)] z
  | dot_fused p x l y z : dot u l y -> rounds u (p * x + y) z -> dot u ((p, x) :: l) z
  | dot_sum l1 l2 x y z : l1 <> [] -> l2 <> [] -> dot u l1 x -> dot u l2 y -> rounds u (x + y) z -> dot u (l1 ++ l2) z
  | dot_order l l' z : Permutation l l' -> dot u l z -> dot u l' z.

(** The law as stored: the same values, each mass rounded once. *)
Definition stored {X} (u : R) (d d' : dist X) : Prop :=
  Forall2 (fun xp xp' => fst xp = fst xp' /\ rounds u (snd xp) (snd xp')) d d'.

Definition terms {X} (d : dist X) (f : X -> R) : list (R * R) := map (fun xp => (snd xp, f (fst xp))) d.

Section Rounding.
  Variable u : R.
  Hypothesis Hu : 0 <= u < 1.

  Lemma down_power_range k : 0 < (1 - u) ^ k <= 1.
  Proof.
    split; [apply pow_lt; lra|]. pose proof (pow_incr (1 - u) 1 k ltac:(lra)) as H; now rewrite pow1 in H.
  Qed.

  Lemma up_power_ge k : 1 <= (1 + u) ^ k.
  Proof. apply pow_R1_Rle; lra. Qed.

  Lemma near_refl x : within_roundings u 0 x x.
  Proof. unfold within_roundings; simpl; lra. Qed.

  Lemma near_nonneg k x x' : 0 <= x -> within_roundings u k x x' -> 0 <= x'.
  Proof.
    intros Hx [H _]. pose proof (down_power_range k).
    pose proof (Rmult_le_pos x ((1 - u) ^ k) Hx ltac:(lra)); lra.
  Qed.

  Lemma near_weaken k j x x' : 0 <= x -> (k <= j)%nat -> within_roundings u k x x' -> within_roundings u j x x'.
  Proof.
    intros Hx Hkj [H1 H2]; replace j with (k + (j - k))%nat by lia.
    unfold within_roundings; rewrite !pow_add. pose proof (down_power_range k); pose proof (down_power_range (j - k)).
    pose proof (up_power_ge k); pose proof (up_power_ge (j - k)). split.
    - eapply Rle_trans; [|apply H1]. apply Rmult_le_compat_l; [assumption|].
      rewrite <- (Rmult_1_r ((1 - u) ^ k)) at 2. apply Rmult_le_compat_l; lra.
    - eapply Rle_trans; [apply H2|]. apply Rmult_le_compat_l; [assumption|].
      rewrite <- (Rmult_1_r ((1 + u) ^ k)) at 1. apply Rmult_le_compat_l; lra.
  Qed.

  Lemma near_round k x x' z : 0 <= x -> within_roundings u k x x' -> rounds u x' z -> within_roundings u (S k) x z.
  Proof.
    intros Hx H Hz. pose proof (near_nonneg k x x' Hx H) as Hx'. destruct H as [H1 H2].
    unfold rounds in Hz; rewrite (Rabs_right x') in Hz by lra.
    pose proof (Rle_trans _ _ _ (Rle_abs (z - x')) Hz) as Ha.
    pose proof (Rle_trans _ _ _ (Rle_abs (- (z - x'))) ltac:(rewrite Rabs_Ropp; exact Hz)) as Hb.
    unfold within_roundings; simpl; split.
    - replace (x * ((1 - u) * (1 - u) ^ k)) with ((1 - u) * (x * (1 - u) ^ k)) by ring.
      apply Rle_trans with ((1 - u) * x'); [apply Rmult_le_compat_l; lra | lra].
    - replace (x * ((1 + u) * (1 + u) ^ k)) with ((1 + u) * (x * (1 + u) ^ k)) by ring.
      apply Rle_trans with ((1 + u) * x'); [lra | apply Rmult_le_compat_l; lra].
  Qed.

  Lemma near_plus k x x' y y' : within_roundings u k x x' -> within_roundings u k y y' ->
    within_roundings u k (x + y) (x' + y').
  Proof. unfold within_roundings; intros; rewrite !Rmult_plus_distr_r; lra. Qed.

  Lemma near_mult k j x x' y y' : 0 <= x -> 0 <= y -> within_roundings u k x x' -> within_roundings u j y y' ->
    within_roundings u (k + j) (x * y) (x' * y').
  Proof.
    intros Hx Hy H1 H2. pose proof (near_nonneg k x x' Hx H1). pose proof (near_nonneg j y y' Hy H2).
    destruct H1, H2. unfold within_roundings; rewrite !pow_add.
    pose proof (down_power_range k); pose proof (down_power_range j).
    split.
    - replace (x * y * ((1 - u) ^ k * (1 - u) ^ j)) with ((x * (1 - u) ^ k) * (y * (1 - u) ^ j)) by ring.
      apply Rmult_le_compat; try assumption; apply Rmult_le_pos; lra.
    - replace (x * y * ((1 + u) ^ k * (1 + u) ^ j)) with ((x * (1 + u) ^ k) * (y * (1 + u) ^ j)) by ring.
      now apply Rmult_le_compat.
  Qed.

  (** Minima do not round, whichever actions attain them. *)
  Lemma near_min {A} k (f f' : A -> R) l :
    l <> [] -> (forall a, In a l -> within_roundings u k (f a) (f' a)) ->
      within_roundings u k (min_over f l) (min_over f' l).
  Proof.
    intros Hl H. pose proof (down_power_range k); pose proof (up_power_ge k).
    destruct (min_over_attained f l Hl) as [a [Ha Ea]], (min_over_attained f' l Hl) as [b [Hb Eb]]; split.
    - rewrite Eb. eapply Rle_trans; [|apply (H b Hb)].
      apply Rmult_le_compat_r; [lra | now apply min_over_le].
    - rewrite Ea. eapply Rle_trans; [apply min_over_le, Ha | apply (H a Ha)].
  Qed.

  (** ** Sums of products *)

  Definition total_of (l : list (R * R)) : R := sum l (fun px => fst px * snd px).
  Definition terms_nonneg (l : list (R * R)) : Prop := forall p x, In (p, x) l -> 0 <= p /\ 0 <= x.

  Lemma total_of_app l1 l2 : total_of (l1 ++ l2) = total_of l1 + total_of l2.
  Proof. unfold total_of; induction l1 as [|px l1 IH]; simpl; [|rewrite IH]; ring. Qed.

  Lemma total_of_nonneg l : terms_nonneg l -> 0 <= total_of l.
  Proof. intros H; apply sum_nonneg; intros [p x] Hin; apply Rmult_le_pos; apply (H p x Hin). Qed.

  Lemma dot_near l z : dot u l z -> terms_nonneg l -> within_roundings u (length l) (total_of l) z.
  Proof.
    induction 1 as [|p x z Hz|p x l y z Hy IH Hz|l1 l2 x y z N1 N2 Hx IHx Hy IHy Hz|l l' z Hperm Hl IH]; intros Hn.
    - apply near_refl.
    - destruct (Hn p x (or_introl eq_refl)). unfold total_of; cbn [length]; simpl sum; rewrite Rplus_0_r.
      apply near_round with (p * x); [now apply Rmult_le_pos | apply near_refl | assumption].
    - assert (Hn' : terms_nonneg l) by (intros q w Hin; apply (Hn q w); now right).
      destruct (Hn p x (or_introl eq_refl)) as [Hp Hx].
      change (total_of ((p, x) :: l)) with (p * x + total_of l). cbn [length].
      pose proof (total_of_nonneg l Hn'). pose proof (Rmult_le_pos p x Hp Hx).
      apply near_round with (p * x + y); [lra | apply near_plus; [|now apply IH] | assumption].
      apply near_weaken with 0%nat; [assumption | lia | apply near_refl].
    - assert (H1 : terms_nonneg l1) by (intros q w Hin; apply (Hn q w), in_or_app; now left).
      assert (H2 : terms_nonneg l2) by (intros q w Hin; apply (Hn q w), in_or_app; now right).
      rewrite total_of_app, app_length. pose proof (total_of_nonneg l1 H1). pose proof (total_of_nonneg l2 H2).
      assert (0 < length l1 /\ 0 < length l2)%nat by (destruct l1, l2; simpl; try congruence; lia).
      apply near_weaken with (S (max (length l1) (length l2))); [lra | lia|].
      apply near_round with (x + y); [lra | | assumption].
      apply near_plus; (eapply near_weaken; [| |now (apply IHx || apply IHy)]); auto; lia.
    - assert (Hn' : terms_nonneg l)
        by (intros q w Hin; apply (Hn q w), (Permutation_in _ Hperm Hin)).
      rewrite <- (Permutation_length Hperm). replace (total_of l') with (total_of l); [now apply IH|].
      unfold total_of; clear - Hperm; induction Hperm; simpl in *; lra.
  Qed.

  (** An expectation, with stored masses and approximate values. *)
  Lemma near_expectation {X} (d d' : dist X) (f f' : X -> R) k z :
    nonneg d -> stored u d d' ->
    (forall x p, In (x, p) d' -> 0 <= f x /\ within_roundings u k (f x) (f' x)) -> dot u (terms d' f') z ->
    within_roundings u (k + length d + 1) (E d f) z.
  Proof.
    intros Hn Hs Hf Hz.
    assert (Hall : terms_nonneg (terms d' f') /\ within_roundings u (k + 1) (E d f) (total_of (terms d' f')) /\
      0 <= E d f /\
                   length (terms d' f') = length d).
    { clear Hz; induction Hs as [|[x p] [x' p'] d d' [Hx Hp] Hs IH].
      - split; [intros ? ? []|]. unfold within_roundings, total_of; simpl; repeat split; lra.
      - simpl in Hx, Hp; subst x'.
        destruct IH as [Ha [Hb [Hc Hd]]];
          [intros y q Hy; apply (Hn y q); now right | intros y q Hy; apply (Hf y q); now right|].
        destruct (Hf x p' (or_introl eq_refl)) as [Hfx Hnx].
        assert (Hp0 : 0 <= p) by (apply (Hn x p); now left).
        assert (Hp1 : within_roundings u 1 p p')
          by (apply near_round with p; [assumption | apply near_refl | assumption]).
        pose proof (near_nonneg _ _ _ Hp0 Hp1). pose proof (near_nonneg _ _ _ Hfx Hnx).
        pose proof (Rmult_le_pos p (f x) Hp0 Hfx).
        split; [|split; [|split; [simpl; lra | simpl; now rewrite Hd]]].
        + intros q w [Heq|Hin]; [injection Heq as <- <-; tauto | now apply Ha].
        + change (total_of (terms ((x, p') :: d') f')) with (p' * f' x + total_of (terms d' f')).
          change (E ((x, p) :: d) f) with (p * f x + E d f).
          apply near_plus; [|assumption]. rewrite Nat.add_comm. now apply near_mult. }
    destruct Hall as [Ha [Hb [Hc Hd]]].
    pose proof (dot_near _ _ Hz Ha) as Hdot; rewrite Hd in Hdot.
    replace (k + length d + 1)%nat with ((k + 1) + length d)%nat by lia.
    destruct Hb as [Hb1 Hb2], Hdot as [Hd1 Hd2]; unfold within_roundings; rewrite !(pow_add _ (k + 1)).
    pose proof (down_power_range (length d)); pose proof (up_power_ge (length d)). split.
    - eapply Rle_trans; [|apply Hd1]. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra.
    - eapply Rle_trans; [apply Hd2|]. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra.
  Qed.

  (** ** From powers to gamma *)

  Lemma down_power_ge k : 1 - INR k * u <= (1 - u) ^ k.
  Proof.
    induction k as [|k IH]; [simpl; lra|]. rewrite S_INR; simpl.
    pose proof (Rmult_le_compat_l (1 - u) _ _ ltac:(lra) IH).
    pose proof (Rmult_le_pos (INR k) (u * u) (pos_INR k) (Rle_0_sqr u)). lra.
  Qed.

  Lemma up_power_le k : INR k * u < 1 -> (1 + u) ^ k <= / (1 - INR k * u).
  Proof.
    intros Hk. apply (Rmult_le_reg_r (1 - INR k * u)); [lra|]. rewrite Rinv_l by lra.
    apply Rle_trans with ((1 + u) ^ k * (1 - u) ^ k).
    - apply Rmult_le_compat_l; [pose proof (up_power_ge k); lra | apply down_power_ge].
    - rewrite <- Rpow_mult_distr. pose proof (pow_incr ((1 + u) * (1 - u)) 1 k) as H. rewrite pow1 in H; apply H.
      split; nra.
  Qed.

  Theorem near_within_gamma k x x' : 0 <= x -> INR k * u < 1 -> within_roundings u k x x' ->
    Rabs (x' - x) <= gamma u k * x /\ x' * (1 - INR k * u) <= x <= x' / (1 - INR k * u).
  Proof.
    intros Hx Hk [H1 H2].
    pose proof (down_power_ge k) as Hd; pose proof (up_power_le k Hk) as Hup.
    assert (Hku : 0 <= INR k * u) by (apply Rmult_le_pos; [apply pos_INR | lra]).
    assert (Hg : / (1 - INR k * u) = 1 + gamma u k) by (unfold gamma; field; lra).
    assert (Hlow : x * (1 - INR k * u) <= x').
    { eapply Rle_trans; [|apply H1]. now apply Rmult_le_compat_l. }
    assert (Hhigh : x' <= x * / (1 - INR k * u)).
    { eapply Rle_trans; [apply H2|]. now apply Rmult_le_compat_l. }
    assert (Hgk : INR k * u <= gamma u k).
    { unfold gamma. rewrite <- (Rmult_1_r (INR k * u)) at 1. apply Rmult_le_compat_l; [assumption|].
      rewrite <- Rinv_1 at 1. apply Rinv_le_contravar; lra. }
    pose proof (Rmult_le_compat_r x _ _ Hx Hgk). repeat split.
    - rewrite Hg in Hhigh. apply Rabs_le; lra.
    - apply (Rmult_le_compat_r (1 - INR k * u)) in Hhigh; [|lra].
      rewrite Rmult_assoc, Rinv_l in Hhigh by lra. lra.
    - apply (Rmult_le_reg_r (1 - INR k * u)); [lra|]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra. lra.
  Qed.
End Rounding.

(** ** The budget recursion *)

Section Budget.
  Load "setup/StoredModel".

  Lemma W_nonneg n s b : 0 <= W acts M n s b.
  Proof.
    revert s b; induction n as [|n IH]; intros s b; cbn [W]; [apply Rmax_l|].
    destruct (min_over_attained (spend M (W acts M n) s b) (acts s) (Hacts s)) as [a [_ ->]].
    apply E_nonneg; [apply (reward_law M HM) | intros r]. apply E_nonneg; [apply (trans_law M HM) | intros; apply IH].
  Qed.

  (** Beyond every return that is still possible the budget is never used up, and W grows with slope one. *)
  Lemma W_linear_tail rmax n s b0 b :
    rewards_within rmax M -> INR n * rmax <= b0 <= b -> W acts M n s b = W acts M n s b0 + (b - b0).
  Proof.
    intros Hr; revert s b0 b; induction n as [|n IH]; intros s b0 b Hb; cbn [W].
    - simpl in Hb; rewrite !Rmax_right by lra; ring.
    - rewrite S_INR in Hb.
      assert (Hsp : forall a, spend M (W acts M n) s b a = spend M (W acts M n) s b0 a + (b - b0)).
      { intros a; unfold spend. rewrite <- (E_const (reward M s a) (b - b0)) by apply (reward_law M HM).
        rewrite <- E_plus; apply E_ext_as; intros r p Hin Hp. pose proof (Hr s a r p Hin Hp); simpl in *.
        rewrite <- (E_const (trans M s a) (b - b0)) by apply (trans_law M HM).
        rewrite <- E_plus; apply E_ext; intros s'. rewrite (IH s' (b0 - r) (b - r)) by lra. ring. }
      destruct (min_over_attained (spend M (W acts M n) s b) (acts s) (Hacts s)) as [a [Ha Ea]].
      destruct (min_over_attained (spend M (W acts M n) s b0) (acts s) (Hacts s)) as [a0 [Ha0 Ea0]].
      pose proof (min_over_le (spend M (W acts M n) s b) (acts s) a0 Ha0) as H1.
      pose proof (min_over_le (spend M (W acts M n) s b0) (acts s) a Ha) as H2.
      rewrite Hsp in H1; rewrite Hsp in Ea. lra.
  Qed.

  (** The value of one action computed from the table [w] of the next step: successors first, then rewards. *)
  Definition computed_action (w : S -> R -> R) (s : S) (b : R) (a : A) (z : R) : Prop :=
    exists U : R -> R,
      (forall r q, In (r, q) (R' s a) -> dot u (terms (P' s a) (fun s' => w s' (b - r))) (U r)) /\
      dot u (terms (R' s a) U) z.

  (** One cell: the minimum over the actions. *)
  Definition computed_cell (w : S -> R -> R) (s : S) (b z : R) : Prop :=
    exists Q : A -> R, z = min_over Q (acts s) /\ forall a, In a (acts s) -> computed_action w s b a (Q a).

  (** A whole computed table: each cell directly, or by the linear tail from a directly computed cell. *)
  Definition computed_table (rmax : R) (w : nat -> S -> R -> R) : Prop :=
    (forall s b, w O s b = Rmax 0 b) /\
    forall n s b, computed_cell (w n) s b (w (Datatypes.S n) s b) \/
      exists b0 z, INR (Datatypes.S n) * rmax <= b0 <= b /\ computed_cell (w n) s b0 z /\
        rounds u (z + (b - b0)) (w (Datatypes.S n) s b).

  Lemma computed_action_near (exact w : S -> R -> R) k s b a z :
    (forall s' c, 0 <= exact s' c) -> (forall s' c, within_roundings u k (exact s' c) (w s' c)) ->
      computed_action w s b a z ->
    within_roundings u (k + nnz + m + 2) (spend M exact s b a) z.
  Proof.
    intros H0 Hw [U [HU Hz]]; unfold spend.
    assert (Hin : forall r q, In (r, q) (R' s a) ->
              0 <= E (trans M s a) (fun s' => exact s' (b - r)) /\
              within_roundings u (k + nnz + 1) (E (trans M s a) (fun s' => exact s' (b - r))) (U r)).
    { intros r q Hr.
      assert (He : 0 <= E (trans M s a) (fun s' => exact s' (b - r)))
        by (apply E_nonneg; [apply (trans_law M HM) | intros; apply H0]).
      split; [assumption|].
      apply near_weaken with (k + length (trans M s a) + 1)%nat; auto; [specialize (Hnnz s a); lia|].
      apply near_expectation with (P' s a) (fun s' => w s' (b - r)); auto;
        [apply (trans_law M HM) | now apply (HU r q)]. }
    assert (He : 0 <= E (reward M s a) (fun r => E (trans M s a) (fun s' => exact s' (b - r)))).
    { apply E_nonneg; [apply (reward_law M HM) | intros r]. apply E_nonneg; [apply (trans_law M HM) | intros; apply H0].
      }
    apply near_weaken with (k + nnz + 1 + length (reward M s a) + 1)%nat; auto; [specialize (Hm s a); lia|].
    apply near_expectation with (R' s a) U; auto. apply (reward_law M HM).
  Qed.

  Lemma computed_cell_near w n k s b z :
    (forall s' c, within_roundings u k (W acts M n s' c) (w s' c)) -> computed_cell w s b z ->
    within_roundings u (k + nnz + m + 2) (W acts M (Datatypes.S n) s b) z.
  Proof.
    intros Hw [Q [-> HQ]]; cbn [W]. apply near_min; [assumption | apply Hacts|].
    intros a Ha. apply computed_action_near with w; [intros; apply W_nonneg | assumption | now apply HQ].
  Qed.

  Theorem computed_budget_near rmax w n s b :
    rewards_within rmax M -> computed_table rmax w -> within_roundings u (n * (nnz + m + 3)) (W acts M n s b) (w n s b).
  Proof.
    intros Hr [H0 HS]; revert s b; induction n as [|n IH]; intros s b; [rewrite H0; apply near_refl|].
    destruct (HS n s b) as [Hc|[b0 [z [Hb [Hc Hz]]]]];
      apply (computed_cell_near (w n) n (n * (nnz + m + 3)) _ _ _ IH) in Hc.
    - apply near_weaken with (n * (nnz + m + 3) + nnz + m + 2)%nat;
        [assumption | apply W_nonneg | simpl; lia | assumption].
    - pose proof (W_nonneg (Datatypes.S n) s b0).
      rewrite (W_linear_tail rmax (Datatypes.S n) s b0 b Hr Hb).
      replace (Datatypes.S n * (nnz + m + 3))%nat with (Datatypes.S (n * (nnz + m + 3) + nnz + m + 2)) by (simpl; lia).
      apply near_round with (z + (b - b0)); [assumption | lra | | assumption].
      apply near_plus; [assumption|]. apply near_weaken with 0%nat; [assumption | lra | lia | apply near_refl].
  Qed.

  (** The certificate.
      Given: relative error u per rounding, any order of summation, masses rounded once, K u < 1, no underflow.
      Differs: a standard model of rounding; not the kernels themselves.
      In words: 05-certificates.md#float-budget.
      Step of: production/plan. *)
  Theorem computed_budget_within_gamma rmax w n s b :
    let K := (n * (nnz + m + 3))%nat in
    rewards_within rmax M -> computed_table rmax w -> INR K * u < 1 ->
    Rabs (w n s b - W acts M n s b) <= gamma u K * W acts M n s b /\
    w n s b * (1 - INR K * u) <= W acts M n s b <= w n s b / (1 - INR K * u).
  Proof.
    intros K Hr Hw HK. apply near_within_gamma; [assumption | apply W_nonneg | assumption|].
    now apply computed_budget_near with rmax.
  Qed.
End Budget.
