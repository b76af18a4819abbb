(** * Rational arithmetic

    The operations on pairs of integers are those of the real numbers they stand for: sums, products, inverses,
    comparisons ([rat_le_correct]), floor and ceiling. *)

Require Import ZArith Reals Lra Lia Bool.
From VerifiedRisk Require Import Rows Program Check Meaning.
Open Scope R_scope.

Definition ok (q : rat) : Prop := (0 < den q)%Z.

Lemma ok_pos q : ok q -> 0 < IZR (den q).
Proof. intros H. now apply IZR_lt. Qed.

Lemma ok_of_Z z : ok (of_Z z).
Proof. unfold ok; cbn; lia. Qed.
Lemma real_of_Z z : real_of (of_Z z) = IZR z.
Proof. unfold real_of; cbn. field. Qed.

Lemma ok_rmult p q : ok p -> ok q -> ok (rmult p q).
Proof. unfold ok, rmult; cbn. nia. Qed.
Lemma real_rmult p q : ok p -> ok q -> real_of (rmult p q) = real_of p * real_of q.
Proof.
  intros Hp Hq. apply ok_pos in Hp, Hq. unfold real_of, rmult; cbn [num den]. rewrite !mult_IZR. field. lra.
Qed.

Lemma ok_ropp p : ok p -> ok (ropp p).
Proof. auto. Qed.
Lemma real_ropp p : real_of (ropp p) = - real_of p.
Proof. unfold real_of, ropp; cbn [num den]. rewrite opp_IZR. unfold Rdiv. ring. Qed.

Lemma ok_rplus p q : ok p -> ok q -> ok (rplus p q).
Proof.
  unfold ok, rplus. intros Hp Hq. destruct (num q =? 0)%Z; [assumption|]. destruct (den p =? den q)%Z; cbn; nia.
Qed.
Lemma real_rplus p q : ok p -> ok q -> real_of (rplus p q) = real_of p + real_of q.
Proof.
  intros Hp Hq. apply ok_pos in Hp, Hq. unfold real_of, rplus. destruct (Z.eqb_spec (num q) 0) as [E|_].
  - rewrite E. unfold Rdiv. ring.
  - destruct (Z.eqb_spec (den p) (den q)) as [E|_]; cbn [num den].
    + rewrite plus_IZR, E. field. rewrite E in Hp. lra.
    + rewrite plus_IZR, !mult_IZR. field. lra.
Qed.

Lemma ok_rminus p q : ok p -> ok q -> ok (rminus p q).
Proof. intros. apply ok_rplus; auto using ok_ropp. Qed.
Lemma real_rminus p q : ok p -> ok q -> real_of (rminus p q) = real_of p - real_of q.
Proof. intros. unfold rminus. rewrite real_rplus, real_ropp by auto using ok_ropp. ring. Qed.

Lemma real_rinv p : ok p -> (0 < num p)%Z -> real_of (rinv p) = / real_of p.
Proof. intros Hp Hn. apply ok_pos in Hp. apply IZR_lt in Hn. unfold real_of, rinv; cbn [num den]. field. lra. Qed.

Lemma rat_le_correct p q : ok p -> ok q -> rat_le p q = true -> real_of p <= real_of q.
Proof.
  intros Hp Hq H. apply ok_pos in Hp, Hq. unfold rat_le in H. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H.
  unfold real_of. apply Rmult_le_reg_r with (IZR (den p) * IZR (den q)); [now apply Rmult_lt_0_compat|].
  replace (IZR (num p) / IZR (den p) * (IZR (den p) * IZR (den q))) with (IZR (num p) * IZR (den q)) by (field; lra).
  replace (IZR (num q) / IZR (den q) * (IZR (den p) * IZR (den q))) with (IZR (num q) * IZR (den p)) by (field; lra).
  lra.
Qed.

Lemma rfloor_le q : ok q -> IZR (rfloor q) <= real_of q.
Proof.
  intros H. pose proof (ok_pos q H). unfold rfloor, real_of. pose proof (div_mul_le (num q) (den q) H) as Hm.
  apply IZR_le in Hm.
  rewrite mult_IZR in Hm. apply Rmult_le_reg_r with (IZR (den q)); [assumption|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma le_rceil q : ok q -> real_of q <= IZR (rceil q).
Proof.
  intros H. pose proof (ok_pos q H). unfold rceil, real_of. pose proof (le_cdiv_mul (num q) (den q) H) as Hm.
  apply IZR_le in Hm.
  rewrite mult_IZR in Hm. apply Rmult_le_reg_r with (IZR (den q)); [assumption|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma real_of_sign q : ok q -> (0 < num q)%Z <-> 0 < real_of q.
Proof.
  intros H. apply ok_pos in H. unfold real_of. split; intros Hn.
  - apply Rdiv_lt_0_compat; [now apply IZR_lt | assumption].
  - apply lt_IZR. apply Rmult_lt_reg_r with (/ IZR (den q)); [now apply Rinv_0_lt_compat|]. rewrite Rmult_0_l. exact Hn.
Qed.
