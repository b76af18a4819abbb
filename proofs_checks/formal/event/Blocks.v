(** * Sample sizes that are nearly equal mislead together      (L0/block)

    Draws x_1, x_2, ... from one law, functions u of mean 0 with u <= 1, and S_n(u) = u(x_1) + ... + u(x_n).  If for
    every n

      P( S_n(u) >= x for some u )  <=  C exp(-2 x^2 / n)                (Hoeffding: C = 1 for one u; DKW: C = 2),

    then for l >= 5 and m > 0 the sizes n between m and (1 + 1/l) m leave their radii with probability

      P( S_n(u) >= sqrt(n l / 2) for some n of the block and some u )  <=  21 C exp(-l).

    Doob's inequality for the excess of  max_u S_n(u)  over a level just below the radius, and a sum of tails. *)

Require Import Reals ZArith Lra Lia Psatz List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp HoeffdingFinite ChainOfEvents DkwFinite MartingaleStep
  EventHolds.
Import ListNotations.
Open Scope R_scope.

(** ** Doob's inequality *)

Section Doob.
  Context {X : Type}.
  Variables (d : dist X) (f : list X -> R) (c : R).
  Hypothesis Hd : is_law d.
  Hypothesis Hc : 0 < c.
  Hypothesis Hf : forall xs, 0 <= f xs.
  Hypothesis Hsub : forall xs, f xs <= E d (fun x => f (x :: xs)).
  Local Notation sample n := (draws (repeat d n)).

  Lemma law_repeated n : is_law (sample n).
  Proof. apply law_draws, Forall_repeat, Hd. Qed.

  Lemma submartingale n w : f w <= E (sample n) (fun ys => f (ys ++ w)).
  Proof.
    revert w; induction n as [|n IH]; intros w; [simpl repeat; cbn [draws]; rewrite E_ret; simpl; lra|].
    rewrite E_draws_last. eapply Rle_trans; [apply Hsub|]. apply E_le; [apply Hd|]. intros x.
    eapply Rle_trans; [apply IH|]. right. apply E_ext; intros ys. now rewrite <- app_assoc.
  Qed.

  (** Some beginning of [xs] that is at least as long as [w] reaches [c]. *)
  Definition reaches_dec (from n : nat) (xs : list X) :
    {Exists (fun k => c <= f (oldest k xs)) (seq from n)} + {~ _} := Exists_dec _ _ (fun k => Rle_dec _ _).

  Lemma doob_after n w : prob (sample n) (fun ys => reaches_dec (length w) (S n) (ys ++ w)) <=
    E (sample n) (fun ys => f (ys ++ w)) / c.
  Proof.
    revert w; induction n as [|n IH]; intros w; destruct (Rle_lt_dec c (f w)) as [Hw|Hw].
    1, 3: apply Rle_trans with 1; [apply prob_range, law_repeated|];
      apply (Rmult_le_reg_r c); [assumption|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra;
      rewrite Rmult_1_l; eapply Rle_trans; [exact Hw | apply submartingale].
    - simpl repeat; cbn [draws]. unfold prob; rewrite !E_ret. simpl app.
      rewrite ind_no; [apply Rmult_le_pos; [apply Hf | left; now apply Rinv_0_lt_compat]|].
      intros Hex; inversion Hex as [? ? Hk|? ? Hk]; [|inversion Hk].
      rewrite (oldest_app [] w : oldest (length w) w = w) in Hk. lra.
    - unfold prob. rewrite !E_draws_last. unfold Rdiv. rewrite <- E_scal_r. apply E_le; [apply Hd|]. intros x.
      specialize (IH (x :: w)). unfold prob, Rdiv in IH.
      rewrite (E_ext _ (fun xs => f ((xs ++ [x]) ++ w)) (fun ys => f (ys ++ x :: w)))
        by (intros ys; now rewrite <- app_assoc).
      eapply Rle_trans; [|exact IH]. apply E_le; [apply law_repeated|]. intros ys. rewrite <- app_assoc. simpl app.
      apply ind_le. intros Hex. change (seq (length w) (S (S n))) with (length w :: seq (length (x :: w)) (S n)) in Hex.
      inversion Hex as [? ? Hk|? ? Hk]; [|exact Hk]. exfalso.
      change (ys ++ x :: w) with (ys ++ [x] ++ w) in Hk. rewrite app_assoc, oldest_app in Hk. lra.
  Qed.

  (** Given: a nonnegative function of draws from one finite law whose conditional mean never falls.
      Step of: L0/block. *)
  Theorem doob n : prob (sample n) (reaches_dec 0 (S n)) <= E (sample n) f / c.
  Proof.
    pose proof (doob_after n []) as H. simpl length in H. unfold prob in *.
    rewrite (E_ext (sample n) (fun ys => f (ys ++ [])) f) in H by (intros; now rewrite app_nil_r).
    eapply Rle_trans; [|exact H]. apply E_le; [apply law_repeated|]. intros xs. rewrite app_nil_r. lra.
  Qed.
End Doob.

(** ** A sum of tails *)

Lemma exp_monotone x y : x <= y -> exp x <= exp y.
Proof. intros [H|H]; [left; now apply exp_increasing | rewrite H; lra]. Qed.

Lemma exp_times x n : exp (INR n * x) = exp x ^ n.
Proof.
  induction n as [|n IH]; [simpl; now rewrite Rmult_0_l, exp_0|].
  rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, IH. simpl; ring.
Qed.

Lemma sum_of_layers h x n : 0 <= h -> Rmin (Rmax 0 x) (INR n * h) <=
  h * sum (seq 0 n) (fun j => ind (Rle_dec (INR j * h) x)).
Proof.
  intros Hh; induction n as [|n IH]; [simpl; rewrite Rmult_0_l, Rmult_0_r; apply Rmin_r|].
  rewrite seq_S, sum_app. cbn [sum plus]. rewrite Rplus_0_r, Rmult_plus_distr_l, S_INR.
  destruct (Rle_dec (INR n * h) x) as [Hx|Hx]; cbn [ind].
  - rewrite Rmult_1_r. apply Rle_trans with (Rmin (Rmax 0 x) (INR n * h) + h); [|lra].
    unfold Rmin; destruct (Rle_dec (Rmax 0 x) ((INR n + 1) * h)), (Rle_dec (Rmax 0 x) (INR n * h)); lra.
  - rewrite Rmult_0_r, Rplus_0_r. eapply Rle_trans; [|exact IH]. pose proof (pos_INR n).
    assert (Rmax 0 x <= INR n * h) by (apply Rmax_lub; [now apply Rmult_le_pos | lra]).
    rewrite (Rmin_left _ (INR n * h)) by assumption. apply Rmin_l.
Qed.

Lemma natural_above x : exists n, x <= INR n.
Proof.
  exists (Z.to_nat (up x)). destruct (archimed x) as [H _]. destruct (Z_lt_le_dec (up x) 0) as [Hz|Hz].
  - apply IZR_lt in Hz. pose proof (pos_INR (Z.to_nat (up x))). lra.
  - rewrite INR_IZR_INZ, Z2Nat.id by assumption. lra.
Qed.

Lemma E_sum {X I} (d : dist X) (l : list I) (f : I -> X -> R) :
  E d (fun x => sum l (fun i => f i x)) = sum l (fun i => E d (f i)).
Proof. induction l as [|i l IH]; cbn [sum]; [apply E_zero | now rewrite E_plus, IH]. Qed.

Lemma geometric_le r n : 0 <= r < 1 -> sum (seq 0 n) (fun j => r ^ j) <= / (1 - r).
Proof.
  intros Hr. assert (H : (1 - r) * sum (seq 0 n) (fun j => r ^ j) = 1 - r ^ n).
  { induction n as [|n IH]; [simpl; ring|]. rewrite seq_S, sum_app, Rmult_plus_distr_l, IH. simpl. ring. }
  pose proof (pow_le r n (proj1 Hr)). apply (Rmult_le_reg_l (1 - r)); [lra|]. rewrite H, Rinv_r by lra. lra.
Qed.

(** ** Blocks *)

Section Block.
  Context {X : Type}.
  Variables (d : dist X) (us : list (X -> R)) (C : R).
  Hypothesis Hd : is_law d.
  Hypothesis Hmean : forall u, In u us -> E d u = 0.
  Hypothesis Hone : forall u x, In u us -> u x <= 1.
  Hypothesis HC : 0 <= C.
  Local Notation sample n := (draws (repeat d n)).

  Definition high_dec (b : R) (xs : list X) : {Exists (fun u => b <= sum xs u) us} + {~ _} :=
    Exists_dec _ _ (fun u => Rle_dec _ _).

  Hypothesis Htail : forall n b, (0 < n)%nat -> 0 < b -> prob (sample n) (high_dec b) <= C * exp (- 2 * b ^ 2 / INR n).

  Definition peak (xs : list X) : R := fold_right (fun u b => Rmax (sum xs u) b) 0 us.

  Lemma peak_le xs b : 0 <= b -> (forall u, In u us -> sum xs u <= b) -> peak xs <= b.
  Proof.
    unfold peak; intros Hb H. clear - Hb H. induction us as [|u l IH]; simpl; [assumption|].
    apply Rmax_lub; [apply H; now left | apply IH; intros; apply H; now right].
  Qed.

  Lemma le_peak xs u : In u us -> sum xs u <= peak xs.
  Proof.
    unfold peak; clear. induction us as [|v l IH]; [intros []|]. intros [->|Hu]; simpl; [apply Rmax_l|].
    eapply Rle_trans; [now apply IH | apply Rmax_r].
  Qed.

  Lemma peak_nonneg xs : 0 <= peak xs.
  Proof. unfold peak; clear. induction us as [|v l IH]; simpl; [lra | eapply Rle_trans; [exact IH | apply Rmax_r]]. Qed.

  Lemma peak_reached xs b : 0 < b -> b <= peak xs -> Exists (fun u => b <= sum xs u) us.
  Proof.
    intros Hb Hp. destruct (high_dec b xs) as [H|H]; [exact H | exfalso].
    assert (Hlow : forall u, In u us -> sum xs u < b).
    { intros u Hu. apply Rnot_le_lt; intros Hle. apply H, Exists_exists; now exists u. }
    revert Hp Hlow; unfold peak; clear - Hb. induction us as [|u l IH]; simpl; intros Hp Hlow; [lra|].
    destruct (Rle_dec b (fold_right (fun u b => Rmax (sum xs u) b) 0 l)) as [Hr|Hr];
      [apply IH; auto|]. specialize (Hlow u (or_introl eq_refl)). revert Hp; apply Rlt_not_le, Rmax_lub_lt; lra.
  Qed.

  Lemma peak_grows xs : peak xs <= E d (fun x => peak (x :: xs)).
  Proof.
    apply peak_le; [apply E_nonneg; [apply Hd | intros; apply peak_nonneg]|]. intros u Hu.
    apply Rle_trans with (E d (fun x => sum (x :: xs) u)).
    - cbn [sum]. rewrite E_plus, E_const, Hmean by assumption. lra.
    - apply E_le; [apply Hd|]. intros x; now apply le_peak.
  Qed.

  Lemma peak_le_length xs : peak xs <= INR (length xs).
  Proof.
    apply peak_le; [apply pos_INR|]. intros u Hu. rewrite <- (Rmult_1_r (INR (length xs))), <- (sum_const xs 1).
    apply sum_le; intros x _; now apply Hone.
  Qed.

  (** The expected excess of the peak over [c], in steps of [h]. *)
  Lemma excess_le n c h :
    (0 < n)%nat -> 0 < c -> 0 < h ->
    E (sample n) (fun xs => Rmax 0 (peak xs - c)) <=
    h * (C * exp (- 2 * c ^ 2 / INR n) * / (1 - exp (- (4 * c * h / INR n)))).
  Proof.
    intros Hn Hc Hh. pose proof (lt_0_INR n Hn) as Hn'.
    destruct (natural_above (INR n / h)) as [J HJ].
    assert (HJn : INR n <= INR J * h).
    { apply (Rmult_le_compat_r h) in HJ; [|lra]. unfold Rdiv in HJ. rewrite Rmult_assoc, Rinv_l in HJ; lra. }
    assert (Hr : 0 <= exp (- (4 * c * h / INR n)) < 1).
    { split; [left; apply exp_pos|]. rewrite <- exp_0. apply exp_increasing.
      assert (0 < 4 * c * h / INR n) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra | assumption]). lra. }
    apply Rle_trans with (E (sample n) (fun xs =>
      h * sum (seq 0 J) (fun j => ind (Rle_dec (INR j * h) (peak xs - c))))).
    - apply E_le_as; [apply law_draws, Forall_repeat, Hd|].
      pose proof (draws_length (repeat d n)) as Hl; rewrite repeat_length in Hl.
      revert Hl; apply as_impl; intros xs Hxs.
      eapply Rle_trans; [|apply sum_of_layers; lra]. apply Rmin_glb; [lra|]. apply Rmax_lub; [lra|].
      pose proof (peak_le_length xs) as Hp; rewrite Hxs in Hp. lra.
    - rewrite E_scal, E_sum. apply Rmult_le_compat_l; [lra|].
      apply Rle_trans with (sum (seq 0 J) (fun j => C * exp (- 2 * c ^ 2 / INR n) * exp (- (4 * c * h / INR n)) ^ j)).
      + apply sum_le; intros j _.
        assert (Hcj : 0 < c + INR j * h) by (pose proof (Rmult_le_pos _ _ (pos_INR j) (Rlt_le _ _ Hh)); lra).
        apply Rle_trans with (prob (sample n) (high_dec (c + INR j * h))).
        { apply E_le; [apply law_draws, Forall_repeat, Hd|]. intros xs. apply ind_le; intros Hx.
          apply peak_reached; lra. }
        eapply Rle_trans; [now apply Htail|]. rewrite Rmult_assoc. apply Rmult_le_compat_l; [assumption|].
        rewrite <- exp_times, <- exp_plus. apply exp_monotone.
        assert (0 <= 2 * (INR j * h) ^ 2 / INR n).
        { apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat]. apply Rmult_le_pos; [lra | apply pow2_ge_0]. }
        replace (- 2 * (c + INR j * h) ^ 2 / INR n)
          with (- 2 * c ^ 2 / INR n + INR j * - (4 * c * h / INR n) - 2 * (INR j * h) ^ 2 / INR n) by (field; lra).
        lra.
      + rewrite sum_scal. apply Rmult_le_compat_l;
          [apply Rmult_le_pos; [assumption | left; apply exp_pos] | now apply geometric_le].
  Qed.

  (** Given: draws from a finite law, functions of mean 0 that are at most 1, a tail bound for each size; l >= 5.
      Differs: any such functions; a CDF is one case, a frequency another.
      Step of: L0/block. *)
  Theorem block_rarely_high (l m : R) (n : nat) (sizes : list nat) :
    5 <= l -> 0 < m -> (0 < n)%nat -> INR n <= (1 + / l) * m -> (forall k, In k sizes -> m <= INR k /\ (k <= n)%nat) ->
    prob (sample n) (fun xs => Exists_dec (fun k =>
      Exists (fun u => sqrt (INR k * l / 2) <= sum (oldest k xs) u) us) sizes
      (fun k => high_dec (sqrt (INR k * l / 2)) (oldest k xs))) <= 21 * C * exp (- l).
  Proof.
    intros Hl Hm Hn Hblock Hsizes. pose proof (lt_0_INR n Hn) as Hn'.
    set (a := sqrt (m * l / 2)). set (h := a / (2 * l)). set (c := a - h).
    assert (Ha : 0 < a) by (apply sqrt_lt_R0; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra | lra]).
    assert (Haa : a * a = m * l / 2).
    { apply sqrt_sqrt. apply Rmult_le_pos; [apply Rmult_le_pos; lra | lra]. }
    assert (Hh : 0 < h) by (apply Rdiv_lt_0_compat; lra).
    assert (Hhl : h * (2 * l) = a) by (unfold h; field; lra).
    assert (Hc : 0 < c) by (assert (h * 10 <= h * (2 * l)) by (apply Rmult_le_compat_l; lra); unfold c; lra).
    assert (Hnl : INR n * l <= (l + 1) * m).
    { apply (Rmult_le_compat_r l) in Hblock; [|lra].
      replace ((1 + / l) * m * l) with ((l + 1) * m) in Hblock by (field; lra). exact Hblock. }
    set (f := fun xs => Rmax 0 (peak xs - c)).
    apply Rle_trans with (prob (sample n) (reaches_dec f h 0 (S n))).
    - apply E_le; [apply law_draws, Forall_repeat, Hd|]. intros xs. apply ind_le. intros Hex.
      apply Exists_exists in Hex; destruct Hex as [k [Hk Hu]]. destruct (Hsizes k Hk) as [Hmk Hkn].
      apply Exists_exists; exists k; split; [apply in_seq; lia|].
      apply Exists_exists in Hu; destruct Hu as [u [Hu Hsum]]. unfold f.
      apply Rle_trans with (peak (oldest k xs) - c); [|apply Rmax_r].
      pose proof (le_peak (oldest k xs) u Hu). unfold c.
      assert (a <= sqrt (INR k * l / 2)) by (apply sqrt_le_1_alt; nra). lra.
    - eapply Rle_trans; [apply (doob d f h Hd Hh)|].
      + intros xs; apply Rmax_l.
      + intros xs. unfold f at 1. apply Rmax_lub; [apply E_nonneg; [apply Hd | intros; apply Rmax_l]|].
        apply Rle_trans with (E d (fun x => peak (x :: xs) - c)).
        * rewrite E_minus, E_const by assumption. pose proof (peak_grows xs). lra.
        * apply E_le; [apply Hd|]. intros x; apply Rmax_r.
      + apply (Rmult_le_reg_r h); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
        eapply Rle_trans; [exact (excess_le n c h Hn Hc Hh)|]. rewrite (Rmult_comm h). apply Rmult_le_compat_r; [lra|].
        assert (Hexp : exp (- 2 * c ^ 2 / INR n) <= 9 * exp (- l)).
        { apply Rle_trans with (exp (2 + - l)).
          - apply exp_monotone. apply (Rmult_le_reg_r (INR n * l)); [apply Rmult_lt_0_compat; lra|].
            replace (- 2 * c ^ 2 / INR n * (INR n * l)) with (- 2 * c ^ 2 * l) by (field; lra).
            assert (H2 : 2 * c ^ 2 * l = m * (l - / 2) ^ 2).
            { unfold c, h. replace (2 * (a - a / (2 * l)) ^ 2 * l) with (2 * (a * a) * (l - / 2) ^ 2 / l)
                by (field; lra).
              rewrite Haa. field; lra. }
            assert (H3 : (l - 2) * (INR n * l) <= (l - 2) * ((l + 1) * m)) by (apply Rmult_le_compat_l; lra).
            nra.
          - rewrite exp_plus. apply Rmult_le_compat_r; [left; apply exp_pos|].
            replace 2 with (1 + 1) by ring. rewrite exp_plus. pose proof exp_le_3. pose proof (exp_pos 1). nra. }
        assert (Hratio : / (1 - exp (- (4 * c * h / INR n))) <= 7 / 3).
        { assert (H34 : 3 / 4 <= 4 * c * h / INR n).
          { apply (Rmult_le_reg_r (INR n * l)); [apply Rmult_lt_0_compat; lra|].
            replace (4 * c * h / INR n * (INR n * l)) with (4 * c * h * l) by (field; lra).
            assert (H2 : 4 * c * h * l = m * (l - / 2)).
            { unfold c, h. replace (4 * (a - a / (2 * l)) * (a / (2 * l)) * l) with (2 * (a * a) * (l - / 2) / l)
                by (field; lra).
              rewrite Haa. field; lra. }
            nra. }
          assert (Hsmall : exp (- (4 * c * h / INR n)) <= 4 / 7).
          { rewrite exp_Ropp. apply Rle_trans with (/ (7 / 4)); [|lra].
            apply Rinv_le_contravar; [lra|]. pose proof (exp_ineq1_le (4 * c * h / INR n)). lra. }
          apply Rle_trans with (/ (3 / 7)); [apply Rinv_le_contravar; lra | lra]. }
        pose proof (exp_pos (- 2 * c ^ 2 / INR n)). pose proof (exp_pos (- l)).
        apply Rle_trans with (C * (9 * exp (- l)) * (7 / 3)); [|right; field].
        apply Rmult_le_compat; [apply Rmult_le_pos; lra| |apply Rmult_le_compat_l; lra | exact Hratio].
        left. apply Rinv_0_lt_compat.
        assert (exp (- (4 * c * h / INR n)) < exp 0); [|rewrite exp_0 in *; lra].
        apply exp_increasing. assert (0 < 4 * c * h / INR n)
          by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; lra | lra] | lra]). lra.
  Qed.
End Block.
