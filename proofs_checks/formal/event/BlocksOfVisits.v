(** * The event without a union over the number of visits      (L0/block, L0/printed-radii)

    Radii sqrt(l / 2n) at every number n <= K T of visits of every pair: the sizes n >= l/2 are covered by at most
    1 + (l + 1) ln(2 K T / l) blocks [m, (1 + 1/l) m], and below l/2 the radius exceeds 1.  So for l >= 5, l <= 2 K T,

      P( some estimate leaves its radius )  <=  21 (S0 + 2) S0 |A| (1 + (l + 1) ln(2 K T / l)) exp(-l). *)

Require Import Reals ZArith Lra Lia Psatz List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp HoeffdingFinite ChainOfEvents DkwFinite MartingaleStep
  EventHolds Blocks.
Import ListNotations.
Open Scope R_scope.

Lemma oldest_app_le {X} k (newer w : list X) : (k <= length w)%nat -> oldest k (newer ++ w) = oldest k w.
Proof.
  intros H; induction newer as [|x newer IH]; [reflexivity|]. simpl app.
  rewrite oldest_cons; [exact IH | rewrite app_length; lia].
Qed.

Lemma length_oldest {X} k (w : list X) : (k <= length w)%nat -> length (oldest k w) = k.
Proof. intros H; unfold oldest. rewrite skipn_length. lia. Qed.

Lemma oldest_oldest {X} k n (w : list X) : (k <= n <= length w)%nat -> oldest k (oldest n w) = oldest k w.
Proof.
  intros H. rewrite <- (firstn_skipn (length w - n) w) at 2. fold (oldest n w).
  symmetry; apply oldest_app_le. rewrite length_oldest; lia.
Qed.

Lemma radius_times_size l n : 0 <= l -> (0 < n)%nat -> INR n * sqrt (l / (2 * INR n)) = sqrt (INR n * l / 2).
Proof.
  intros Hl Hn. pose proof (lt_0_INR n Hn) as Hn'.
  rewrite <- (sqrt_square (INR n)) at 1 by lra. rewrite <- sqrt_mult_alt by nra. f_equal. field; lra.
Qed.

(** ** Deviations of a distribution function *)

Section Cdf.
  Context {X : Type}.
  Variables (d : dist X) (r : X -> R) (e : dist R).
  Hypothesis Hd : is_law d.
  Hypothesis He : is_law e.
  Hypothesis Hr : forall g, E e g = E d (fun x => g (r x)).
  Local Notation sample n := (draws (repeat d n)).

  (** Both sides, at every value of the law. *)
  Definition sides : list (X -> R) :=
    flat_map (fun z => [(fun x => ind (Rle_dec (r x) z) - cdf e z); (fun x => cdf e z - ind (Rle_dec (r x) z))])
      (map fst e).

  Lemma in_sides u : In u sides -> exists z, In z (map fst e) /\
    (u = (fun x => ind (Rle_dec (r x) z) - cdf e z) \/ u = (fun x => cdf e z - ind (Rle_dec (r x) z))).
  Proof.
    unfold sides; intros Hu. apply in_flat_map in Hu; destruct Hu as [z [Hz Hu]]. exists z; split; [assumption|].
    destruct Hu as [<-|[<-|[]]]; auto.
  Qed.

  Lemma sides_mean u : In u sides -> E d u = 0.
  Proof.
    intros Hu; destruct (in_sides u Hu) as [z [_ [->| ->]]]; rewrite E_minus, E_const by assumption;
      unfold cdf; rewrite Hr; ring.
  Qed.

  Lemma sides_le_1 u x : In u sides -> u x <= 1.
  Proof.
    intros Hu; destruct (in_sides u Hu) as [z [_ [->| ->]]]; pose proof (ind_range (Rle_dec (r x) z));
      pose proof (cdf_range e z He); lra.
  Qed.

  Lemma sum_side z xs : (0 < length xs)%nat ->
    sum xs (fun x => ind (Rle_dec (r x) z) - cdf e z) = INR (length xs) * (empirical (map r xs) z - cdf e z).
  Proof.
    intros H. rewrite sum_minus, sum_const. unfold empirical, average. rewrite map_length, sum_map. field.
    apply not_0_INR; lia.
  Qed.

  Lemma sum_other_side z xs : (0 < length xs)%nat ->
    sum xs (fun x => cdf e z - ind (Rle_dec (r x) z)) = - (INR (length xs) * (empirical (map r xs) z - cdf e z)).
  Proof. intros H. rewrite <- sum_side by assumption. rewrite !sum_minus. ring. Qed.

  Lemma far_is_high n v xs : (0 < n)%nat -> length xs = n ->
    Exists (fun z => v <= Rabs (empirical (map r xs) z - cdf e z)) (map fst e) ->
      Exists (fun u => INR n * v <= sum xs u) sides.
  Proof.
    intros Hn Hxs Hex. apply Exists_exists in Hex; destruct Hex as [z [Hz Hv]]. pose proof (pos_INR n).
    apply Exists_exists. unfold Rabs in Hv; destruct (Rcase_abs (empirical (map r xs) z - cdf e z)).
    - exists (fun x => cdf e z - ind (Rle_dec (r x) z)); split;
        [apply in_flat_map; exists z; split; [assumption | right; now left]|].
      rewrite sum_other_side, Hxs by lia. nra.
    - exists (fun x => ind (Rle_dec (r x) z) - cdf e z); split;
        [apply in_flat_map; exists z; split; [assumption | now left]|].
      rewrite sum_side, Hxs by lia. nra.
  Qed.

  Lemma high_is_far n v xs : (0 < n)%nat -> length xs = n ->
    Exists (fun u => INR n * v <= sum xs u) sides ->
      Exists (fun z => v <= Rabs (empirical (map r xs) z - cdf e z)) (map fst e).
  Proof.
    intros Hn Hxs Hex. apply Exists_exists in Hex; destruct Hex as [u [Hu Hv]]. pose proof (lt_0_INR n Hn).
    destruct (in_sides u Hu) as [z [Hz [->| ->]]]; apply Exists_exists; exists z; (split; [assumption|]).
    - rewrite sum_side, Hxs in Hv by lia. apply Rmult_le_reg_l in Hv; [|assumption].
      eapply Rle_trans; [exact Hv | apply Rle_abs].
    - rewrite sum_other_side, Hxs in Hv by lia. rewrite Ropp_mult_distr_r in Hv.
      apply Rmult_le_reg_l in Hv; [|assumption].
      rewrite <- Rabs_Ropp. eapply Rle_trans; [exact Hv | apply Rle_abs].
  Qed.

  Lemma sides_tail n b : (0 < n)%nat -> 0 < b -> prob (sample n) (high_dec sides b) <= 2 * exp (- 2 * b ^ 2 / INR n).
  Proof.
    intros Hn Hb. pose proof (lt_0_INR n Hn) as Hn'. assert (Hv : 0 < b / INR n) by now apply Rdiv_lt_0_compat.
    pose proof (dkw e He n (b / INR n) Hn Hv) as H.
    replace (- 2 * INR n * (b / INR n) ^ 2) with (- 2 * b ^ 2 / INR n) in H by (field; lra).
    eapply Rle_trans; [|exact H]. unfold prob at 2. rewrite <- (E_draws_map r d e n) by exact Hr.
    apply E_le_as; [apply law_draws, Forall_repeat, Hd|].
    pose proof (draws_length (repeat d n)) as Hl; rewrite repeat_length in Hl. revert Hl; apply as_impl; intros xs Hxs.
    apply ind_le. intros Hex. apply (high_is_far n (b / INR n) xs Hn Hxs).
    replace (INR n * (b / INR n)) with b by (field; lra). exact Hex.
  Qed.

  (** The empirical distribution function leaves its band at some size of the block.
      Given: draws from a finite law, l >= 5, sizes between m and (1 + 1/l) m.
      Differs: finite laws; the sup over the atoms. *)
  Theorem cdf_block_rarely_far (l m : R) (n : nat) (sizes : list nat) :
    5 <= l -> 0 < m -> (0 < n)%nat -> INR n <= (1 + / l) * m -> (forall k, In k sizes -> m <= INR k /\ (k <= n)%nat) ->
    prob (sample n) (fun xs => Exists_dec (fun k => Exists (fun z => sqrt (l / (2 * INR k)) <=
        Rabs (empirical (map r (oldest k xs)) z - cdf e z)) (map fst e)) sizes
      (fun k => Exists_dec _ _ (fun z => Rle_dec _ _))) <= 42 * exp (- l).
  Proof.
    intros Hl Hm Hn Hblock Hsizes.
    pose proof (block_rarely_high d sides 2 Hd sides_mean sides_le_1 ltac:(lra) sides_tail l m n sizes Hl Hm Hn Hblock
      Hsizes) as H.
    replace (42 * exp (- l)) with (21 * 2 * exp (- l)) by ring. eapply Rle_trans; [|exact H].
    apply E_le_as; [apply law_draws, Forall_repeat, Hd|].
    pose proof (draws_length (repeat d n)) as Hlen; rewrite repeat_length in Hlen.
    revert Hlen; apply as_impl; intros xs Hxs.
    apply ind_le. intros Hex. apply Exists_exists in Hex; destruct Hex as [k [Hk Hfar]].
    destruct (Hsizes k Hk) as [Hmk Hkn]. assert (Hk0 : (0 < k)%nat) by (apply INR_lt; simpl; lra).
    apply Exists_exists; exists k; split; [assumption|]. rewrite <- radius_times_size by (lra || assumption).
    apply far_is_high; [assumption | apply length_oldest; lia | exact Hfar].
  Qed.
End Cdf.

(** ** The blocks *)

Section Blocks.
  Variable l : R.
  Hypothesis Hl : 5 <= l.

  Definition block_start (j : nat) : R := l / 2 * (1 + / l) ^ j.

  Lemma inv_l : 0 < / l.
  Proof. apply Rinv_0_lt_compat; lra. Qed.

  Lemma block_start_S j : block_start (S j) = (1 + / l) * block_start j.
  Proof. unfold block_start; simpl; ring. Qed.

  Lemma block_start_ge j : l / 2 <= block_start j.
  Proof. unfold block_start. pose proof inv_l. pose proof (pow_R1_Rle (1 + / l) j ltac:(lra)). nra. Qed.

  (** The largest size of a block, and its sizes. *)
  Definition last_size (j : nat) : nat := Z.to_nat (up (block_start (S j)) - 1).

  Lemma last_size_spec j : INR (last_size j) <= block_start (S j) < INR (last_size j) + 1.
  Proof.
    unfold last_size. destruct (archimed (block_start (S j))) as [H1 H2]. pose proof (block_start_ge (S j)).
    assert (Hz : (0 <= up (block_start (S j)) - 1)%Z).
    { assert (0 < up (block_start (S j)))%Z by (apply lt_IZR; lra). lia. }
    rewrite INR_IZR_INZ, Z2Nat.id, minus_IZR by assumption. lra.
  Qed.

  Definition sizes (j : nat) : list nat :=
    filter (fun k => if Rle_dec (block_start j) (INR k) then true else false) (seq 0 (S (last_size j))).

  Lemma in_sizes j k : In k (sizes j) <-> block_start j <= INR k /\ (k <= last_size j)%nat.
  Proof.
    unfold sizes. rewrite filter_In, in_seq.
    destruct (Rle_dec (block_start j) (INR k)); split; intros [H1 H2]; split; try assumption; try lia; try congruence;
      tauto.
  Qed.

  Lemma covered_by_a_block J k : l / 2 <= INR k -> INR k <= block_start (S J) -> exists j,
    (j <= J)%nat /\ In k (sizes j).
  Proof.
    intros Hlow; induction J as [|J IH]; intros Hup.
    - exists 0%nat; split; [lia|]. apply in_sizes; split; [unfold block_start; simpl; lra|].
      pose proof (last_size_spec 0). apply INR_le. apply Rnot_lt_le; intros Hlt. apply INR_lt in Hlt.
      assert (S (last_size 0) <= k)%nat by lia. apply le_INR in H0. rewrite S_INR in H0. lra.
    - destruct (Rle_dec (INR k) (block_start (S J))) as [Hle|Hgt].
      + destruct (IH Hle) as [j [Hj Hin]]. exists j; split; [lia | assumption].
      + exists (S J); split; [lia|]. apply in_sizes; split; [lra|].
        pose proof (last_size_spec (S J)) as Hs. apply INR_le. apply Rnot_lt_le; intros Hlt. apply INR_lt in Hlt.
        assert (Hge : (S (last_size (S J)) <= k)%nat) by lia. apply le_INR in Hge. rewrite S_INR in Hge. lra.
  Qed.

  (** Few blocks reach a given size. *)
  Lemma few_blocks N : l / 2 <= N -> exists J, INR (S J) <= 1 + (l + 1) * ln (2 * N / l) /\ N <= block_start (S J).
  Proof.
    intros HN. set (x := (l + 1) * ln (2 * N / l)).
    assert (H1 : 1 <= 2 * N / l) by (apply (Rmult_le_reg_r l); [lra|];
      replace (2 * N / l * l) with (2 * N) by (field; lra); lra).
    assert (Hln : 0 <= ln (2 * N / l)).
    { rewrite <- ln_1. destruct H1 as [H1| <-]; [left; apply ln_increasing; lra | lra]. }
    assert (Hx : 0 <= x) by (apply Rmult_le_pos; lra).
    destruct (archimed x) as [Hu1 Hu2].
    assert (Hz : (0 <= up x - 1)%Z) by (assert (0 < up x)%Z by (apply lt_IZR; lra); lia).
    exists (Z.to_nat (up x - 1)). rewrite S_INR, INR_IZR_INZ, Z2Nat.id, minus_IZR by assumption. split; [lra|].
    unfold block_start. set (n := S (Z.to_nat (up x - 1))).
    assert (Hn : x <= INR n) by (unfold n; rewrite S_INR, INR_IZR_INZ, Z2Nat.id, minus_IZR by assumption; lra).
    assert (Hstep : exp (/ (l + 1)) <= 1 + / l).
    { replace (/ (l + 1)) with (- - / (l + 1)) by ring. rewrite exp_Ropp.
      replace (1 + / l) with (/ (1 + - / (l + 1))) by (field; lra). apply Rinv_le_contravar; [|apply exp_ineq1_le].
      replace (1 + - / (l + 1)) with (l * / (l + 1)) by (field; lra).
      apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat; lra]. }
    apply Rle_trans with (l / 2 * exp (/ (l + 1)) ^ n).
    - rewrite <- exp_times. apply Rle_trans with (l / 2 * exp (ln (2 * N / l))).
      + rewrite exp_ln by lra. right; field; lra.
      + apply Rmult_le_compat_l; [lra|]. apply exp_monotone. apply (Rmult_le_reg_r (l + 1)); [lra|].
        rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. unfold x in Hn. lra.
    - apply Rmult_le_compat_l; [lra|]. apply pow_incr. split; [left; apply exp_pos | exact Hstep].
  Qed.
End Blocks.

(** ** The event *)

Section Event.
  Load "setup/Equality".
  Load "setup/Play".
  Variables (states : list S) (acts : list A) (K : nat) (l : R).
  Hypothesis Hl : 5 <= l.
  Hypothesis Hlarge : l <= 2 * INR (K * horizon M).

  Local Notation T := (horizon M).
  Local Notation S0 := (INR (length states)).
  Local Notation A0 := (INR (length acts)).
  Local Notation seen_at := (seen state_dec action_dec).
  Local Notation rate := (exp (- l)).
  Let radius (n : nat) : R := sqrt (l / (2 * INR n)).

  Definition far sa eps xs : Prop := far_rewards M sa eps xs \/ high_frequency state_dec M states sa eps xs.
  Definition far_from_dec sa eps xs : {far sa eps xs} + {~ far sa eps xs}.
  Proof.
    unfold far. destruct (far_rewards_dec M sa eps xs); [left; now left|].
    destruct (high_frequency_dec state_dec M states sa eps xs); [left; now right | right; tauto].
  Defined.

  Lemma radius_large n : (0 < n)%nat -> INR n < l / 2 -> 1 < radius n.
  Proof.
    intros Hn Hlt. pose proof (lt_0_INR n Hn). rewrite <- sqrt_1. apply sqrt_lt_1_alt. split; [lra|].
    apply (Rmult_lt_reg_r (2 * INR n)); [lra|]. replace (l / (2 * INR n) * (2 * INR n)) with l by (field; lra). lra.
  Qed.

  Lemma average_in_unit {X} (u : X -> R) (xs : list X) : (0 < length xs)%nat -> (forall x, 0 <= u x <= 1) ->
    0 <= average u xs <= 1.
  Proof.
    intros Hn Hu. pose proof (lt_0_INR _ Hn). unfold average.
    assert (H0 : 0 <= sum xs u) by (apply sum_nonneg; intros; apply Hu).
    assert (H1 : sum xs u <= INR (length xs) * 1) by (rewrite <- sum_const; apply sum_le; intros; apply Hu).
    split; [apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat]|].
    apply (Rmult_le_reg_r (INR (length xs))); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  Qed.

  Lemma not_far_if_few sa xs : (0 < length xs)%nat -> INR (length xs) < l / 2 -> ~ far sa (radius (length xs)) xs.
  Proof.
    intros Hn Hlt. pose proof (radius_large _ Hn Hlt) as Hr.
    intros [Hf|Hf]; apply Exists_exists in Hf; destruct Hf as [z [_ Hz]].
    - pose proof (cdf_range (reward M (fst sa) (snd sa)) z (reward_law M HM _ _)).
      assert (0 <= empirical (map fst xs) z <= 1).
      { apply average_in_unit; [now rewrite map_length | intros; apply ind_range]. }
      revert Hz; apply Rlt_not_le. apply Rabs_def1; lra.
    - assert (0 <= frequency state_dec z xs <= 1) by (apply average_in_unit; [assumption | intros; apply ind_range]).
      assert (0 <= mass state_dec (trans M (fst sa) (snd sa)) z); [|lra].
      apply E_nonneg; [apply trans_law, HM | intros; apply ind_range].
  Qed.

  (** One block of one pair, for independent draws. *)
  Definition far_in_block_dec sa j xs :
    {Exists (fun k => far sa (radius k) (oldest k xs)) (sizes l j)} + {~ _} :=
      Exists_dec _ _ (fun k => far_from_dec sa (radius k) (oldest k xs)).

  Lemma block_of_draws sa j :
    prob (draws (repeat (observation M sa) (last_size l j))) (far_in_block_dec sa j) <= 21 * (S0 + 2) * rate.
  Proof.
    set (d := observation M sa). set (n := last_size l j). set (sample := draws (repeat d n)).
    pose proof (law_observation M HM sa) as Hd. fold d in Hd.
    assert (Hlaw : is_law sample) by (apply law_draws, Forall_repeat, Hd).
    pose proof (last_size_spec l Hl j) as Hlast. fold n in Hlast. pose proof (block_start_ge l Hl j) as Hst.
    pose proof (block_start_ge l Hl (Datatypes.S j)) as Hst'.
    assert (Hn : (0 < n)%nat) by (apply INR_lt; simpl; lra).
    assert (Hblock : INR n <= (1 + / l) * block_start l j) by (rewrite <- block_start_S; apply Hlast).
    assert (Hsizes : forall k, In k (sizes l j) -> block_start l j <= INR k /\ (k <= n)%nat)
      by (intros k Hk; now apply in_sizes).
    assert (Hlength : almost_surely sample (fun xs => length xs = n)).
    { pose proof (draws_length (repeat d n)) as H; now rewrite repeat_length in H. }
    set (e := reward M (fst sa) (snd sa)).
    assert (He : forall g, E e g = E d (fun x => g (fst x))).
    { intros g. unfold d, e. rewrite E_observation. apply E_ext; intros r. cbn [fst].
      symmetry; apply E_const, trans_law, HM. }
    set (high := fun s' => fun k xs => mass state_dec (trans M (fst sa) (snd sa)) s' + radius k <=
      frequency state_dec s' (oldest k xs)).
    set (high_block := fun s' (xs : list (R * S)) =>
      Exists_dec (fun k => high s' k xs) (sizes l j) (fun k => Rle_dec _ _) : {_} + {~ _}).
    assert (H1 : prob sample (fun xs => Exists_dec (fun k => far_rewards M sa (radius k) (oldest k xs)) (sizes l j)
      (fun k => far_rewards_dec M sa (radius k) (oldest k xs))) <= 42 * rate).
    { eapply Rle_trans; [|apply (cdf_block_rarely_far d fst e Hd (reward_law M HM _ _) He l (block_start l j) n
        (sizes l j) Hl ltac:(lra) Hn Hblock Hsizes)].
      apply E_le; [apply Hlaw|]. intros xs. apply ind_le. intros H; exact H. }
    assert (H2 : forall s', prob sample (high_block s') <= 21 * rate).
    { intros s'. set (p := mass state_dec (trans M (fst sa) (snd sa)) s').
      set (u := fun x : R * S => ind (state_dec (snd x) s')).
      assert (Hp : E d u = p).
      { unfold d. rewrite E_observation. unfold u; cbn [snd].
        apply (E_const (reward M (fst sa) (snd sa)) (mass state_dec (trans M (fst sa) (snd sa)) s')), reward_law, HM. }
      assert (Hp0 : 0 <= p) by (rewrite <- Hp; apply E_nonneg; [apply Hd | intros; apply ind_range]).
      pose proof (block_rarely_high d [(fun x => u x - p)] 1 Hd) as H.
      specialize (H ltac:(intros v [<-|[]]; rewrite E_minus, E_const, Hp by assumption; ring)).
      specialize (H ltac:(intros v x [<-|[]]; pose proof (ind_range (state_dec (snd x) s')); unfold u; lra) ltac:(lra)).
      assert (Htail : forall k b, (0 < k)%nat -> 0 < b ->
        prob (draws (repeat d k)) (high_dec [(fun x => u x - p)] b) <= 1 * exp (- 2 * b ^ 2 / INR k)).
      { intros k b Hk Hb. pose proof (lt_0_INR k Hk) as Hk'. rewrite Rmult_1_l.
        pose proof (average_rarely_above d u k Hd (as_always _ _ (fun x => ind_range _)) Hk (b / INR k) ltac:(left;
          now apply Rdiv_lt_0_compat)) as Ht.
        replace (- 2 * INR k * (b / INR k) ^ 2) with (- 2 * b ^ 2 / INR k) in Ht by (field; lra).
        eapply Rle_trans; [|exact Ht]. apply E_le_as; [apply law_draws, Forall_repeat, Hd|].
        pose proof (draws_length (repeat d k)) as Hlk; rewrite repeat_length in Hlk.
        revert Hlk; apply as_impl; intros xs Hxs.
        apply ind_le. intros Hex. inversion Hex as [? ? Hb'|? ? Hb']; [|inversion Hb'].
        rewrite sum_minus, sum_const, Hxs in Hb'.
        rewrite Hp. unfold average. rewrite Hxs. apply (Rmult_le_reg_r (INR k)); [assumption|].
        replace ((p + b / INR k) * INR k) with (p * INR k + b) by (field; lra).
        replace (sum xs u / INR k * INR k) with (sum xs u) by (field; lra). lra. }
      specialize (H Htail l (block_start l j) n (sizes l j) Hl ltac:(lra) Hn Hblock Hsizes).
      rewrite Rmult_1_r in H. eapply Rle_trans; [|exact H]. apply E_le_as; [apply Hlaw|].
      revert Hlength; apply as_impl; intros xs Hxs. apply ind_le. intros Hex.
      apply Exists_exists in Hex; destruct Hex as [k [Hk Hhigh]]. destruct (Hsizes k Hk) as [Hmk Hkn].
      assert (Hk0 : (0 < k)%nat) by (apply INR_lt; simpl; lra). pose proof (lt_0_INR k Hk0).
      apply Exists_exists; exists k; split; [assumption|]. constructor.
      rewrite <- radius_times_size by (lra || assumption).
      unfold high, frequency, average in Hhigh. rewrite length_oldest in Hhigh by lia. fold p in Hhigh.
      rewrite sum_minus, sum_const, length_oldest by lia. fold (radius k).
      apply (Rmult_le_compat_r (INR k)) in Hhigh; [|lra].
      replace (sum (oldest k xs) (fun x => ind (state_dec (snd x) s')) / INR k * INR k)
        with (sum (oldest k xs) (fun x => ind (state_dec (snd x) s'))) in Hhigh by (field; lra).
      unfold u; nra. }
    assert (H3 : prob sample (fun xs => Exists_dec (fun s' => Exists (fun k => high s' k xs) (sizes l j)) states
      (fun s' => high_block s' xs)) <= S0 * (21 * rate)).
    { eapply Rle_trans; [apply (prob_exists_le sample
        (fun s' xs => Exists (fun k => high s' k xs) (sizes l j)) high_block); apply Hlaw|].
      rewrite <- sum_const. apply sum_le; intros s' _; apply H2. }
    set (bad1 := fun xs => Exists_dec (fun k => far_rewards M sa (radius k) (oldest k xs)) (sizes l j)
      (fun k => far_rewards_dec M sa (radius k) (oldest k xs))) in *.
    set (bad2 := fun xs => Exists_dec (fun s' => Exists (fun k => high s' k xs) (sizes l j)) states
      (fun s' => high_block s' xs)) in *.
    apply Rle_trans with (prob sample bad1 + prob sample bad2); [|lra].
    unfold prob; rewrite <- E_plus. apply E_le; [apply Hlaw|]. intros xs.
    pose proof (ind_range (bad1 xs)). pose proof (ind_range (bad2 xs)).
    destruct (far_in_block_dec sa j xs) as [Hb|Hb]; cbn [ind]; [|lra].
    apply Exists_exists in Hb; destruct Hb as [k [Hk [Hf|Hf]]].
    - rewrite (ind_yes (bad1 xs)); [lra|]. apply Exists_exists; now exists k.
    - rewrite (ind_yes (bad2 xs)); [lra|]. apply Exists_exists in Hf; destruct Hf as [s' [Hs' Hf]].
      apply Exists_exists; exists s'; split; [assumption|]. apply Exists_exists; now exists k.
  Qed.

  (** The same for what the learner has seen, however it plays. *)
  Definition misled_in (i : S * A * nat) (path : list (history S A)) : Prop :=
    Exists (fun k => (k <= length (seen_at (fst i) path))%nat /\
      far (fst i) (radius k) (oldest k (seen_at (fst i) path))) (sizes l (snd i)).
  Definition misled_in_dec i path : {misled_in i path} + {~ misled_in i path}.
  Proof.
    apply Exists_dec. intros k. destruct (le_dec k (length (seen_at (fst i) path))); [|right; tauto].
    destruct (far_from_dec (fst i) (radius k) (oldest k (seen_at (fst i) path))); [now left | right; tauto].
  Defined.

  Lemma block_of_visits i : prob (episodes M learner K) (misled_in_dec i) <= 21 * (S0 + 2) * rate.
  Proof.
    destruct i as [sa j]. eapply Rle_trans; [|apply (block_of_draws sa j)]. unfold prob at 2.
    rewrite <- (outlook_episodes state_dec action_dec M HM learner Hlearner sa (last_size l j)
      (fun xs => ind (far_in_block_dec sa j xs)) K).
    apply E_le; [now apply law_episodes|]. intros path. set (w := seen_at sa path).
    destruct (misled_in_dec (sa, j) path) as [Hm|Hno]; cbn [ind].
    - apply Exists_exists in Hm; destruct Hm as [k [Hk [Hkw Hfar]]]. cbn [fst snd] in *. fold w in Hkw, Hfar.
      assert (Hkn : (k <= last_size l j)%nat) by now apply in_sizes.
      unfold outlook. destruct (le_dec (last_size l j) (length w)) as [Hle|Hgt].
      + rewrite ind_yes; [lra|]. apply Exists_exists; exists k; split; [assumption|]. now rewrite oldest_oldest by lia.
      + right. symmetry. rewrite <- (E_const (draws (repeat (observation M sa) (last_size l j - length w))) 1)
          by (apply law_draws, Forall_repeat; now apply law_observation).
        apply E_ext; intros ys. apply ind_yes. apply Exists_exists; exists k; split; [assumption|].
        now rewrite oldest_app_le.
    - unfold outlook. destruct (le_dec _ _); [apply ind_range|]. apply E_nonneg; [|intros; apply ind_range].
      apply law_draws, Forall_repeat; now apply law_observation.
  Qed.

  Definition odd_at (i : S * A * nat) (path : list (history S A)) : Prop :=
    (snd i <= length (seen_at (fst i) path))%nat /\ odd_reward M (fst i) (oldest (snd i) (seen_at (fst i) path)).
  Definition odd_at_dec i path : {odd_at i path} + {~ odd_at i path}.
  Proof.
    unfold odd_at. destruct (le_dec (snd i) (length (seen_at (fst i) path))); [|right; tauto].
    destruct (odd_reward_dec M (fst i) (oldest (snd i) (seen_at (fst i) path))); [now left | right; tauto].
  Defined.

  Lemma odd_never i : prob (episodes M learner K) (odd_at_dec i) <= 0.
  Proof.
    destruct i as [sa n].
    assert (H1 : E (draws (repeat (observation M sa) n)) (fun xs => ind (odd_reward_dec M sa xs)) = 0).
    { rewrite <- (E_zero (draws (repeat (observation M sa) n))). apply E_ext_as.
      assert (Hs : almost_surely (observation M sa) (fun x => In (fst x) (map fst (reward M (fst sa) (snd sa))))).
      { apply as_bind. intros r p Hr _. apply as_image, as_always. intros s; simpl. apply in_map_iff; now exists (r, p).
        }
      apply (draws_support _ n) in Hs. revert Hs; apply as_impl; intros xs Hxs. apply ind_no. intros Hodd.
      apply Exists_exists in Hodd; destruct Hodd as [x [Hx Hno]]. rewrite Forall_forall in Hxs. now apply Hno, Hxs. }
    rewrite <- H1. eapply Rle_trans; [|apply (optional_skipping state_dec action_dec M HM learner Hlearner sa n _ K);
      intros; apply ind_range].
    apply E_le; [now apply law_episodes|]. intros path. unfold odd_at_dec; simpl.
    destruct (le_dec n (length (seen_at sa path))); simpl; [|lra].
    destruct (odd_reward_dec M sa (oldest n (seen_at sa path))); simpl; lra.
  Qed.

  (** Given: any learner, any MDP with finite laws, states and actions listed and decidable; 5 <= l <= 2 K T.
      Differs: the event, any such l.
      In words: 08-regret.md#blocks.
      Step of: thm:main/printed-radii. *)
  Theorem misled_rarely_by_blocks :
    prob (episodes M learner K) (misled_dec state_dec action_dec M states acts radius K) <=
    21 * (S0 + 2) * S0 * A0 * (1 + (l + 1) * ln (2 * INR (K * T) / l)) * rate.
  Proof.
    destruct (few_blocks l Hl (INR (K * T)) ltac:(lra)) as [J [HJ Hreach]].
    set (blocks := list_prod (list_prod states acts) (seq 0 (Datatypes.S J))).
    set (bad1 := fun path => Exists_dec (fun i => misled_in i path) blocks (fun i => misled_in_dec i path) :
      {_} + {~ _}).
    set (bad2 := fun path => Exists_dec (fun i => odd_at i path) (moments M states acts K)
      (fun i => odd_at_dec i path) : {_} + {~ _}).
    assert (Hlaw : is_law (episodes M learner K)) by now apply law_episodes.
    assert (H1 : prob (episodes M learner K) bad1 <= S0 * A0 * INR (Datatypes.S J) * (21 * (S0 + 2) * rate)).
    { eapply Rle_trans; [apply (prob_exists_le (episodes M learner K) misled_in misled_in_dec); apply Hlaw|].
      replace (S0 * A0 * INR (Datatypes.S J)) with (INR (length blocks))
        by (unfold blocks; now rewrite !prod_length, seq_length, !mult_INR).
      rewrite <- sum_const. apply sum_le; intros i _; apply block_of_visits. }
    assert (H2 : prob (episodes M learner K) bad2 <= 0).
    { eapply Rle_trans; [apply (prob_exists_le (episodes M learner K) odd_at odd_at_dec); apply Hlaw|].
      apply Rle_trans with (sum (moments M states acts K) (fun _ => 0)); [apply sum_le; intros i _; apply odd_never|].
      rewrite sum_const; lra. }
    apply Rle_trans with (prob (episodes M learner K) bad1 + prob (episodes M learner K) bad2).
    - unfold prob; rewrite <- E_plus. apply E_le; [apply Hlaw|]. intros path.
      pose proof (ind_range (bad1 path)). pose proof (ind_range (bad2 path)).
      destruct (misled_dec state_dec action_dec M states acts radius K path) as [Hm|Hm]; cbn [ind]; [|lra].
      apply Exists_exists in Hm; destruct Hm as [[sa n] [Hin [Hn Hm]]]. cbn [fst snd] in *.
      apply in_prod_iff in Hin; destruct Hin as [Hsa Hrange]. apply in_seq in Hrange.
      destruct Hm as [Hodd|Hfar].
      + rewrite (ind_yes (bad2 path)); [lra|]. apply Exists_exists; exists (sa, n); split; [|now split].
        apply in_prod_iff; split; [assumption | apply in_seq; lia].
      + rewrite (ind_yes (bad1 path)); [lra|].
        assert (Hlen : length (oldest n (seen_at sa path)) = n) by now apply length_oldest.
        assert (Hge : l / 2 <= INR n).
        { apply Rnot_lt_le; intros Hlt. pose proof (not_far_if_few sa (oldest n (seen_at sa path))) as Hnot.
          rewrite Hlen in Hnot.
          exact (Hnot ltac:(lia) Hlt Hfar). }
        destruct (covered_by_a_block l Hl J n Hge) as [j [Hj Hsize]].
        { eapply Rle_trans; [|exact Hreach]. apply le_INR; lia. }
        apply Exists_exists; exists (sa, j); split; [apply in_prod_iff; split; [assumption | apply in_seq; lia]|].
        apply Exists_exists; exists n; split; [assumption|]. now split.
    - pose proof (pos_INR (length states)). pose proof (pos_INR (length acts)). pose proof (exp_pos (- l)).
      apply Rle_trans with (S0 * A0 * (1 + (l + 1) * ln (2 * INR (K * T) / l)) * (21 * (S0 + 2) * rate));
        [|right; ring].
      assert (0 <= 21 * (S0 + 2) * rate) by (apply Rmult_le_pos; lra).
      apply Rle_trans with (S0 * A0 * INR (Datatypes.S J) * (21 * (S0 + 2) * rate)); [lra|].
      apply Rmult_le_compat_r; [assumption|]. apply Rmult_le_compat_l; [nra | exact HJ].
  Qed.
End Event.
