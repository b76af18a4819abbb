(** * What forty episodes can tell      (exp:forty/information)

    Two lakes differ only in the slip of path 6 at each of its three steps: 1/10, where at level 0.33 path 4 is best,
    and 2/25, where path 6 is.  A learner walks any path in each episode, chosen at random or not from what it has seen,
    and names a path at the end.  After at most 40 episodes the probabilities that it names the wrong one add up to at
    least 38/100.

    The affinity of what an episode shows in the two lakes is at least b = 998/1000; n adaptive episodes have at least
    b^n, and P(wrong in one) + P(wrong in the other) >= b^(2n) / 2  (Bretagnolle and Huber, with the affinity in place
    of the divergence). *)

Require Import Reals Lra Lia Psatz List.
From VerifiedRisk Require Import FiniteLaw MartingaleStep.
Import ListNotations.
Open Scope R_scope.

(** Two laws of affinity at least [b]: where the product of F and G is at least c^2, that of their means is at least (b
    c)^2. *)
Definition affine {X} (b : R) (d e : dist X) : Prop :=
  forall F G c, 0 <= c -> (forall x, 0 <= F x) -> (forall x, 0 <= G x) -> (forall x, c ^ 2 <= F x * G x) ->
    (b * c) ^ 2 <= E d F * E e G.

(** It is enough that  E F + t^2 E G >= 2 b c t  for every t > 0. *)
Lemma product_of_means x y m : 0 <= x -> 0 <= y -> 0 <= m -> (forall t, 0 < t -> 2 * m * t <= x + t ^ 2 * y) ->
  m ^ 2 <= x * y.
Proof.
  intros Hx Hy Hm H. destruct (Rle_lt_dec m 0) as [H0|Hpos];
    [replace m with 0 by lra; simpl; rewrite Rmult_0_l; now apply Rmult_le_pos|].
  destruct (Rle_lt_dec y 0) as [Hy0|Hy0].
  - exfalso. specialize (H (x / m + 1) ltac:(assert (0 <= x / m)
      by (apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat]); lra)).
    replace y with 0 in H by lra. rewrite Rmult_0_r, Rplus_0_r in H.
    replace (2 * m * (x / m + 1)) with (2 * x + 2 * m) in H by (field; lra). lra.
  - specialize (H (m / y) ltac:(now apply Rdiv_lt_0_compat)).
    replace (2 * m * (m / y)) with (2 * (m ^ 2 / y)) in H by (field; lra).
    replace ((m / y) ^ 2 * y) with (m ^ 2 / y) in H by (field; lra).
    apply (Rmult_le_reg_r (/ y)); [now apply Rinv_0_lt_compat|]. unfold Rdiv in H. rewrite Rmult_assoc, Rinv_r by lra.
    lra.
Qed.

Lemma weighted_means a c t F G : 0 <= a -> 0 <= c -> 0 <= t -> 0 <= F -> 0 <= G -> c ^ 2 <= F * G ->
  2 * (a * c) * t <= a * (F + t ^ 2 * G).
Proof.
  intros Ha Hc Ht HF HG H. apply Rle_trans with (a * (2 * c * t)); [lra|]. apply Rmult_le_compat_l; [assumption|].
  apply Rsqr_incr_0_var; [|nra]. unfold Rsqr.
  assert (0 <= (F - t ^ 2 * G) ^ 2) by apply pow2_ge_0. assert (0 <= t ^ 2) by apply pow2_ge_0.
  assert (t ^ 2 * c ^ 2 <= t ^ 2 * (F * G)) by (apply Rmult_le_compat_l; assumption). nra.
Qed.

Lemma affine_itself {X} (d : dist X) : is_law d -> affine 1 d d.
Proof.
  intros Hd F G c Hc HF HG H. rewrite Rmult_1_l. apply product_of_means; [| |assumption|].
  1, 2: apply E_nonneg; [apply Hd | assumption].
  intros t Ht. rewrite <- E_scal, <- E_plus. apply E_ge_const; [assumption|]. apply as_always; intros x.
  pose proof (weighted_means 1 c t (F x) (G x) ltac:(lra) Hc (Rlt_le _ _ Ht) (HF x) (HG x) (H x)). lra.
Qed.

Lemma affine_bind {X Y} b (d : dist X) (k k' : X -> dist Y) :
  0 <= b -> is_law d -> (forall x, is_law (k x)) -> (forall x, is_law (k' x)) -> (forall x, affine b (k x) (k' x)) ->
    affine b (bind d k) (bind d k').
Proof.
  intros Hb Hd Hk Hk' H F G c Hc HF HG HFG. rewrite !E_bind.
  pose proof (affine_itself d Hd (fun x => E (k x) F) (fun x => E (k' x) G) (b * c)) as Hi. rewrite Rmult_1_l in Hi.
  apply Hi; [now apply Rmult_le_pos | intros x; apply E_nonneg; [apply Hk | assumption] | intros x; apply E_nonneg;
    [apply Hk' | assumption]|].
  intros x; now apply H.
Qed.

Lemma affine_image {X Y} b (f : X -> Y) (d e : dist X) : affine b d e -> affine b (image f d) (image f e).
Proof. intros H F G c Hc HF HG HFG. rewrite !E_image. apply (H (fun x => F (f x)) (fun x => G (f x))); auto. Qed.

Lemma affine_less {X} a b (d e : dist X) : 0 <= a <= b -> affine b d e -> affine a d e.
Proof.
  intros Hab H F G c Hc HF HG HFG. eapply Rle_trans; [|apply (H F G c); assumption].
  apply pow_incr. split; [now apply Rmult_le_pos | apply Rmult_le_compat_r; lra].
Qed.

(** ** Adaptive processes *)

Section Processes.
  Context {X : Type}.
  Variables (next other : list X -> dist X) (b : R).
  Hypothesis Hnext : forall past, is_law (next past).
  Hypothesis Hother : forall past, is_law (other past).
  Hypothesis Hb : 0 < b.
  Hypothesis Haff : forall past, affine b (next past) (other past).

  Lemma affine_process n : affine (b ^ n) (process next n) (process other n).
  Proof.
    induction n as [|n IH]; intros F G c Hc HF HG HFG.
    - simpl process. rewrite !E_ret. simpl. rewrite Rmult_1_l. simpl in HFG. apply HFG.
    - rewrite !E_process_S. replace (b ^ S n * c) with (b ^ n * (b * c)) by (simpl; ring).
      apply (IH (fun past => E (next past) (fun x => F (x :: past)))
        (fun past => E (other past) (fun x => G (x :: past)))).
      + apply Rmult_le_pos; lra.
      + intros past; apply E_nonneg; [apply Hnext | intros; apply HF].
      + intros past; apply E_nonneg; [apply Hother | intros; apply HG].
      + intros past; apply (Haff past (fun x => F (x :: past)) (fun x => G (x :: past))); auto.
  Qed.

  (** Whatever is named, the two probabilities of being wrong add up to at least half the squared affinity.
      Given: two adaptive processes of finite laws whose steps have affinity at least b > 0.
      Differs: any such processes: total error at least b^(2n)/2.
      Step of: exp:forty/information. *)
  Theorem errors_add_up n (P : list X -> Prop) (dec : forall path, {P path} + {~ P path}) :
    (b ^ n) ^ 2 / 2 <= prob (process next n) dec + E (process other n) (fun path => 1 - ind (dec path)).
  Proof.
    set (p := prob (process next n) dec). set (q := E (process other n) (fun path => 1 - ind (dec path))).
    assert (Hp : 0 <= p) by (apply prob_range, law_process, Hnext).
    assert (Hq : 0 <= q).
    { apply E_nonneg; [now apply law_process | intros path; pose proof (ind_range (dec path)); lra]. }
    set (B := b ^ n). assert (HB : 0 < B) by now apply pow_lt.
    (* the weights 1 + u on the errors, 1 elsewhere *)
    assert (Hall : forall u, 0 <= u -> B ^ 2 * (1 + u) <= (1 + u * p) * (1 + u * q)).
    { intros u Hu. pose proof (affine_process n (fun path => 1 + u * ind (dec path))
        (fun path => 1 + u * (1 - ind (dec path))) (sqrt (1 + u))) as H.
      assert (H1 : E (process next n) (fun path => 1 + u * ind (dec path)) = 1 + u * p).
      { rewrite E_plus, E_const, E_scal by now apply law_process. reflexivity. }
      assert (H2 : E (process other n) (fun path => 1 + u * (1 - ind (dec path))) = 1 + u * q).
      { rewrite E_plus, E_const, E_scal by now apply law_process. reflexivity. }
      rewrite H1, H2 in H. replace (B ^ 2 * (1 + u)) with ((B * sqrt (1 + u)) ^ 2).
      - apply H; [apply sqrt_pos| | |]; intros path; pose proof (ind_range (dec path)) as Hi; try nra.
        simpl. rewrite Rmult_1_r, sqrt_sqrt by lra. destruct (dec path); cbn [ind]; lra.
      - rewrite Rpow_mult_distr. simpl. rewrite !Rmult_1_r, sqrt_sqrt by lra. ring. }
    assert (HB1 : B ^ 2 <= 1) by (specialize (Hall 0 ltac:(lra)); lra).
    destruct (Rle_lt_dec (1 / 2) (p + q)) as [Hbig|Hsmall]; [lra|].
    destruct (Rle_lt_dec (p + q) 0) as [H0|Hpos].
    - exfalso. replace p with 0 in Hall by lra. replace q with 0 in Hall by lra. rename Hall into H.
      assert (HB2 : 0 < B ^ 2) by now apply pow_lt. specialize (H (/ B ^ 2)).
      assert (0 < / B ^ 2) by now apply Rinv_0_lt_compat. specialize (H ltac:(lra)).
      rewrite Rmult_plus_distr_l, Rinv_r in H by lra. lra.
    - set (e := p + q) in *. set (u := 2 / e - 2).
      assert (Hu : 0 <= u).
      { unfold u. assert (4 <= 2 / e); [|lra]. apply (Rmult_le_reg_r e); [assumption|].
        replace (2 / e * e) with 2 by (field; lra). lra. }
      specialize (Hall u Hu). assert (Hue : u * e = 2 - 2 * e) by (unfold u; field; lra).
      assert (Hprod : (1 + u * p) * (1 + u * q) <= (2 - e) ^ 2).
      { replace (2 - e) with (1 + u * e / 2) by (rewrite Hue; lra).
        assert (0 <= (u * (p - q)) ^ 2) by apply pow2_ge_0. unfold e. nra. }
      assert (Hle : B ^ 2 * (1 + u) <= (2 - e) ^ 2) by lra.
      assert (Hmul : B ^ 2 * (2 - e) <= (2 - e) ^ 2 * e).
      { apply (Rmult_le_compat_r e) in Hle; [|lra].
        replace (B ^ 2 * (1 + u) * e) with (B ^ 2 * (e + u * e)) in Hle by ring. rewrite Hue in Hle.
        replace (e + (2 - 2 * e)) with (2 - e) in Hle by ring. exact Hle. }
      assert (B ^ 2 <= (2 - e) * e).
      { apply (Rmult_le_reg_r (2 - e)); [lra|]. simpl in Hmul |- *. lra. }
      nra.
  Qed.
End Processes.

(** ** The lake *)

(** The steps made on path 6 before the first slip: 3 is success. *)
Definition walk (slip : R) : dist nat :=
  [(0%nat, slip); (1%nat, (1 - slip) * slip); (2%nat, (1 - slip) ^ 2 * slip); (3%nat, (1 - slip) ^ 3)].

Lemma law_walk slip : 0 <= slip <= 1 -> is_law (walk slip).
Proof.
  intros H. split; [|simpl; ring]. intros x p Hin.
  assert (0 <= (1 - slip) ^ 2) by apply pow2_ge_0. assert (0 <= (1 - slip) ^ 3) by (apply pow_le; lra).
  destruct Hin as [Hin|[Hin|[Hin|[Hin|[]]]]]; injection Hin; intros <- _; try nra; assumption.
Qed.

Lemma walks_are_close : affine (998 / 1000) (walk (1 / 10)) (walk (2 / 25)).
Proof.
  intros F G c Hc HF HG H. pose proof (law_walk (1 / 10) ltac:(lra)) as Hd.
  pose proof (law_walk (2 / 25) ltac:(lra)) as He.
  apply product_of_means; [apply E_nonneg; [apply Hd | assumption] | apply E_nonneg; [apply He | assumption] | lra|].
  intros t Ht.
  (* p F + t^2 q G >= 2 a c t  where a^2 <= p q *)
  assert (Hcell : forall p q a x, 0 <= p -> 0 <= q -> 0 <= a -> a ^ 2 <= p * q ->
    2 * (a * c) * t <= p * F x + t ^ 2 * (q * G x)).
  { intros p q a x Hp Hq Ha Hapq. replace (2 * (a * c) * t) with (2 * (1 * (a * c)) * t) by ring.
    eapply Rle_trans; [apply (weighted_means 1 (a * c) t (p * F x) (q * G x))|lra]; try lra;
      try (apply Rmult_le_pos; auto); auto.
    rewrite Rpow_mult_distr. replace (p * F x * (q * G x)) with (p * q * (F x * G x)) by ring.
    apply Rmult_le_compat; [apply pow2_ge_0 | apply pow2_ge_0 | assumption | apply H]. }
  pose proof (Hcell (1 / 10) (2 / 25) (894 / 10000) 0%nat ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as H0.
  pose proof (Hcell (9 / 10 * (1 / 10)) (23 / 25 * (2 / 25))
    (813 / 10000) 1%nat ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as H1.
  pose proof (Hcell ((9 / 10) ^ 2 * (1 / 10)) ((23 / 25) ^ 2 * (2 / 25))
    (740 / 10000) 2%nat ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as H2.
  pose proof (Hcell ((9 / 10) ^ 3) ((23 / 25) ^ 3) (7534 / 10000) 3%nat ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra))
    as H3.
  cbn [E walk]. replace (1 - 1 / 10) with (9 / 10) by lra. replace (1 - 2 / 25) with (23 / 25) by lra.
  assert (0 <= c * t) by (apply Rmult_le_pos; lra). lra.
Qed.

Section Learner.
  Context {A : Type}.
  Variables (six : A -> bool) (elsewhere : A -> dist nat) (chooses : list (A * nat) -> dist A)
    (names : list (A * nat) -> nat).
  Hypothesis Helsewhere : forall a, is_law (elsewhere a).
  Hypothesis Hchooses : forall past, is_law (chooses past).

  (** An episode of the learner on the lake with this slip. *)
  Definition episode (slip : R) (past : list (A * nat)) : dist (A * nat) :=
    bind (chooses past) (fun a => image (pair a) (if six a then walk slip else elsewhere a)).

  Definition not_four_dec path : {names path <> 4%nat} + {~ names path <> 4%nat}.
  Proof. destruct (Nat.eq_dec (names path) 4); [right; tauto | now left]. Defined.
  Definition not_six_dec path : {names path <> 6%nat} + {~ names path <> 6%nat}.
  Proof. destruct (Nat.eq_dec (names path) 6); [right; tauto | now left]. Defined.

  (** Given: any randomised adaptive choice of paths, any naming of a path; the other paths alike in both lakes.
      Differs: the affinity of the laws in place of their divergence. *)
  Theorem forty_episodes_tell_little K :
    (K <= 40)%nat ->
    38 / 100 <= prob (process (episode (1 / 10)) K) not_four_dec + prob (process (episode (2 / 25)) K) not_six_dec.
  Proof.
    intros HK.
    assert (Hlaw : forall slip, 0 <= slip <= 1 -> forall past, is_law (episode slip past)).
    { intros slip Hs past. apply law_bind; [apply Hchooses|]. intros a. apply law_image.
      destruct (six a); [now apply law_walk | apply Helsewhere]. }
    assert (Haff : forall past, affine (998 / 1000) (episode (1 / 10) past) (episode (2 / 25) past)).
    { intros past. apply affine_bind; [lra | apply Hchooses | | |]; intros a; try apply affine_image;
        try apply law_image; destruct (six a);
        auto; try (apply law_walk; lra); [apply walks_are_close|].
      apply (affine_less (998 / 1000) 1); [lra | now apply affine_itself]. }
    set (is_six := fun path => Nat.eq_dec (names path) 6).
    pose proof (errors_add_up (episode (1 / 10)) (episode (2 / 25)) (998 / 1000) (Hlaw (1 / 10) ltac:(lra))
      (Hlaw (2 / 25) ltac:(lra))
      ltac:(lra) Haff K _ is_six) as H.
    assert (Hpow : 968 / 1000 <= (998 / 1000) ^ 16) by (simpl; lra).
    assert (Hb : 849 / 1000 <= (998 / 1000) ^ 80).
    { replace 80%nat with (16 * 5)%nat by reflexivity. rewrite pow_mult.
      apply Rle_trans with ((968 / 1000) ^ 5); [simpl; lra|].
      apply pow_incr; lra. }
    assert (Hk : (998 / 1000) ^ 80 <= ((998 / 1000) ^ K) ^ 2).
    { rewrite <- pow_mult. replace 80%nat with (K * 2 + (80 - K * 2))%nat by lia. rewrite pow_add.
      assert (0 < (998 / 1000) ^ (K * 2)) by (apply pow_lt; lra).
      assert ((998 / 1000) ^ (80 - K * 2) <= 1 ^ (80 - K * 2)) by (apply pow_incr; lra). rewrite pow1 in *. nra. }
    eapply Rle_trans; [|apply Rplus_le_compat; [|right; reflexivity]].
    2: { apply E_le with (f := fun path => ind (is_six path)); [apply law_process; apply Hlaw; lra|].
         intros path. unfold is_six, not_four_dec.
         destruct (Nat.eq_dec (names path) 6) as [Heq|]; cbn [ind];
           [|destruct (Nat.eq_dec (names path) 4); cbn [ind]; lra].
         destruct (Nat.eq_dec (names path) 4) as [H4|]; cbn [ind]; [congruence | lra]. }
    fold (prob (process (episode (1 / 10)) K) is_six).
    replace (prob (process (episode (2 / 25)) K) not_six_dec)
      with (E (process (episode (2 / 25)) K) (fun path => 1 - ind (is_six path))); [lra|].
    apply E_ext; intros path. unfold is_six, not_six_dec. destruct (Nat.eq_dec (names path) 6); cbn [ind]; lra.
  Qed.
End Learner.
