(** * A universal portfolio of two assets

    One asset keeps its worth, the other multiplies it by x_1, x_2, ... >= 0.  A gambler who keeps the share p in the
    second one has  prod_i (p x_i + 1 - p)  after N rounds.  The mixture of these gamblers over the Beta(1/2, 1/2) law
    of p has, with the elementary symmetric sums e_k of x_1, ..., x_N and the numbers of [KtRedundancy.v],

      U_N = sum_k kt k (N - k) e_k ,        U_N >= prod_i (p x_i + 1 - p) / (2 sqrt N)   for every p in [0, 1] ,

    and U_{N+1} is affine in x_{N+1} with U_{N+1} = U_N at x_{N+1} = 1: if x has mean 1, U is a martingale. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw KtRedundancy KlSets.
Import ListNotations.
Open Scope R_scope.

(** The mixture after a rounds in the second asset and b in the first that are settled; [portfolio 0 0] is U. *)
Fixpoint portfolio (a b : nat) (xs : list R) : R :=
  match xs with
  | [] => kt a b
  | x :: rest => x * portfolio (S a) b rest + portfolio a (S b) rest
  end.

(** A gambler with the constant share p. *)
Fixpoint constant_share (p : R) (xs : list R) : R :=
  match xs with
  | [] => 1
  | x :: rest => (p * x + (1 - p)) * constant_share p rest
  end.

(** The elementary symmetric sums. *)
Fixpoint symmetric_sum (k : nat) (xs : list R) : R :=
  match k, xs with
  | O, _ => 1
  | S _, [] => 0
  | S k', x :: rest => x * symmetric_sum k' rest + symmetric_sum k rest
  end.

Lemma symmetric_sum_0 xs : symmetric_sum 0 xs = 1.
Proof. now destruct xs. Qed.

Lemma symmetric_sum_above k xs : (length xs < k)%nat -> symmetric_sum k xs = 0.
Proof.
  revert k; induction xs as [|x xs IH]; intros [|k] Hk; cbn [length symmetric_sum] in *; try lia; [reflexivity|].
  rewrite !IH by lia. ring.
Qed.

Lemma sum_shift (f : nat -> R) n : sum (seq 0 (S n)) f = f O + sum (seq 0 n) (fun k => f (S k)).
Proof. cbn [seq sum]. f_equal. rewrite <- seq_shift, sum_map. reflexivity. Qed.

Lemma sum_last (f : nat -> R) n : sum (seq 0 (S n)) f = sum (seq 0 n) f + f n.
Proof. rewrite seq_S, sum_app. cbn [sum]. rewrite Nat.add_0_l. ring. Qed.

(** The mixture is a sum over the symmetric sums.
    Given: any returns.
    In words: 10-kl-learner.md#kl-bets.
    Step of: corrected/ii. *)
Theorem portfolio_is_symmetric a b xs :
  portfolio a b xs =
  sum (seq 0 (S (length xs))) (fun k => kt (a + k) (b + (length xs - k)) * symmetric_sum k xs).
Proof.
  revert a b; induction xs as [|x xs IH]; intros a b.
  - cbn [portfolio length seq sum symmetric_sum]. rewrite !Nat.add_0_r. ring.
  - cbn [portfolio]. rewrite !IH. cbn [length]. set (n := length xs).
    rewrite (sum_shift _ (S n)), symmetric_sum_0, Nat.add_0_r, Nat.sub_0_r.
    cbn [symmetric_sum]. rewrite (sum_ext (seq 0 (S n)) (fun k => kt (a + S k) (b + (S n - S k)) * _)
      (fun k => x * (kt (S a + k) (b + (n - k)) * symmetric_sum k xs) +
                kt (a + S k) (b + (n - k)) * symmetric_sum (S k) xs)).
    + rewrite sum_plus, sum_scal. enough (H :
        sum (seq 0 (S n)) (fun k => kt (a + k) (S b + (n - k)) * symmetric_sum k xs) =
        kt a (b + S n) * 1 + sum (seq 0 (S n)) (fun k => kt (a + S k) (b + (n - k)) * symmetric_sum (S k) xs)) by lra.
      rewrite sum_shift, symmetric_sum_0, Nat.add_0_r, Nat.sub_0_r.
      rewrite sum_last, (symmetric_sum_above (S n)) by (unfold n; lia). rewrite Rmult_0_r, Rplus_0_r.
      replace (S b + n)%nat with (b + S n)%nat by lia. f_equal. apply sum_ext; intros k Hk. apply in_seq in Hk.
      replace (S b + (n - S k))%nat with (b + (n - k))%nat by lia. reflexivity.
    + intros k Hk. apply in_seq in Hk. replace (S a + k)%nat with (a + S k)%nat by lia.
      replace (S n - S k)%nat with (n - k)%nat by lia. ring.
Qed.

Lemma portfolio_nonneg a b xs : List.Forall (fun x => 0 <= x) xs -> 0 <= portfolio a b xs.
Proof.
  intros H; revert a b; induction H as [|x xs Hx _ IH]; intros a b; cbn [portfolio]; [left; apply kt_pos|].
  pose proof (Rmult_le_pos _ _ Hx (IH (S a) b)). specialize (IH a (S b)). lra.
Qed.

(** A fair round changes nothing. *)
Lemma portfolio_fair a b xs : portfolio (S a) b xs + portfolio a (S b) xs = portfolio a b xs.
Proof.
  revert a b; induction xs as [|x xs IH]; intros a b; cbn [portfolio]; [apply kt_split|].
  rewrite <- (IH (S a) b), <- (IH a (S b)). ring.
Qed.

Lemma lik_le_ml p a b : 0 <= p <= 1 -> (1 <= a + b)%nat -> lik p a b <= ml a b.
Proof.
  intros Hp Hn. assert (H1 : 0 < INR (a + b)) by (apply lt_0_INR; lia). unfold ml.
  set (f := INR a / INR (a + b)). assert (Hf : INR (a + b) * f = INR a) by (unfold f; field; lra).
  assert (Hf0 : 0 <= f) by (apply Rdiv_le_0_compat; [apply pos_INR | assumption]).
  pose proof (pos_INR a) as Ha. pose proof (pos_INR b) as Hb. clearbody f. rewrite plus_INR in *.
  assert (Hf1 : f <= 1) by (apply (Rmult_le_reg_l (INR a + INR b)); lra).
  destruct (Rle_dec p f) as [Hpf|Hpf].
  - apply lik_grows; try lra. rewrite plus_INR. lra.
  - rewrite <- (lik_sym p a b), <- (lik_sym f a b). apply lik_grows; try lra. rewrite Nat.add_comm, plus_INR. lra.
Qed.

(** The mixture does as well as every constant share, up to 2 sqrt N.
    Given: returns at least 0, any share, N >= 1.
    Differs: the mixture against the best constant share.
    In words: 10-kl-learner.md#kl-bets.
    Step of: corrected/ii. *)
Theorem portfolio_is_universal p xs :
  0 <= p <= 1 -> List.Forall (fun x => 0 <= x) xs -> xs <> [] ->
  constant_share p xs <= 2 * sqrt (INR (length xs)) * portfolio 0 0 xs.
Proof.
  intros Hp Hxs Hne.
  assert (Hgo : forall a b, (1 <= a + b + length xs)%nat ->
    lik p a b * constant_share p xs <= 2 * sqrt (INR (a + b + length xs)) * portfolio a b xs).
  { clear Hne. induction Hxs as [|x xs Hx _ IH]; intros a b Hn; cbn [length constant_share portfolio] in *.
    - rewrite Nat.add_0_r in *. rewrite Rmult_1_r.
      eapply Rle_trans; [now apply lik_le_ml | now apply kt_redundancy].
    - pose proof (IH (S a) b ltac:(lia)) as H1. pose proof (IH a (S b) ltac:(lia)) as H2.
      replace (S a + b + length xs)%nat with (a + b + S (length xs))%nat in H1 by lia.
      replace (a + S b + length xs)%nat with (a + b + S (length xs))%nat in H2 by lia.
      replace (lik p (S a) b) with (p * lik p a b) in H1 by (unfold lik; simpl; ring).
      replace (lik p a (S b)) with ((1 - p) * lik p a b) in H2 by (unfold lik; simpl; ring).
      pose proof (Rmult_le_compat_l x _ _ Hx H1). lra. }
  specialize (Hgo O O). unfold lik in Hgo. simpl in Hgo. rewrite !Rmult_1_l in Hgo. apply Hgo.
  destruct xs; [congruence | simpl; lia].
Qed.
