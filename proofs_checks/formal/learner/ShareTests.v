(** * Tests of the probability p of a set of outcomes, by the numbers of outcomes in it and elsewhere

    A mixing law of sequences of ones and zeros depends on their numbers only.  Over the likelihood p^x (1 - p)^b it is
    the capital of a gambler against p ([capital_mean]), along episodes ([KlEvent.v]) and along the outcomes of a
    question ([share_gambler]). *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw KtRedundancy KlSets AnyBehaviour.
Import ListNotations.
Open Scope R_scope.

(** Krichevsky and Trofimov's mixture [kt] is mixing, and so is the law of the sequence that has ones only. *)
Definition is_mixing (g : nat -> nat -> R) : Prop :=
  g O O = 1 /\ forall a b, 0 <= g a b /\ g (S a) b + g a (S b) = g a b.
Definition ones_only (a b : nat) : R := match b with O => 1 | S _ => 0 end.
Lemma mixture_kt : is_mixing kt.
Proof. split; [apply kt_0|]. intros a b. split; [left; apply kt_pos | apply kt_split]. Qed.
Lemma mixture_ones : is_mixing ones_only.
Proof. split; [reflexivity|]. intros a [|b]; cbn; split; lra. Qed.

Lemma likelihood_one p x b : lik p (S x) b = p * lik p x b.
Proof. unfold lik; simpl; ring. Qed.
Lemma likelihood_zero p x b : lik p x (S b) = (1 - p) * lik p x b.
Proof. unfold lik; simpl; ring. Qed.

Section Capital.
  Variables (g : nat -> nat -> R) (C p : R).
  Hypotheses (Hg : is_mixing g) (Hp : 0 <= p <= 1).

  Definition capital (xb : nat * nat) : R :=
    if Req_EM_T (lik p (fst xb) (snd xb)) 0 then C else g (fst xb) (snd xb) / lik p (fst xb) (snd xb).

  Lemma capital_nonneg xb : 0 <= C -> 0 <= capital xb.
  Proof.
    intros HC; unfold capital. destruct (Req_EM_T _ 0) as [_|Hl]; [assumption|].
    pose proof (lik_nonneg p (fst xb) (snd xb) Hp). destruct (proj2 Hg (fst xb) (snd xb)).
    apply Rdiv_le_0_compat; [assumption | lra].
  Qed.

  Lemma capital_start : capital (O, O) = 1.
  Proof.
    unfold capital. cbn [fst snd]. assert (Hl : lik p 0 0 = 1) by (unfold lik; simpl; ring).
    rewrite Hl, (proj1 Hg). destruct (Req_EM_T 1 0); lra.
  Qed.

  Lemma capital_mean x b : p * capital (S x, b) + (1 - p) * capital (x, S b) <= capital (x, b).
  Proof.
    pose proof (lik_nonneg p x b Hp) as Hn. destruct (proj2 Hg x b) as [_ Hs].
    destruct (proj2 Hg (S x) b) as [H1 _]. destruct (proj2 Hg x (S b)) as [H2 _].
    unfold capital; cbn [fst snd]. rewrite likelihood_one, likelihood_zero.
    destruct (Req_EM_T (lik p x b) 0) as [Hl|Hl].
    - rewrite Hl, !Rmult_0_r. destruct (Req_EM_T 0 0); lra.
    - set (l := lik p x b) in *.
      assert (Hsum : g (S x) b / l + g x (S b) / l = g x b / l) by (rewrite <- Hs; field; assumption).
      assert (0 < / l) by (apply Rinv_0_lt_compat; lra).
      assert (0 <= g (S x) b / l) by (apply Rdiv_le_0_compat; lra).
      assert (0 <= g x (S b) / l) by (apply Rdiv_le_0_compat; lra).
      destruct (Req_EM_T p 0) as [E0|E0]; [|destruct (Req_EM_T p 1) as [E1|E1]].
      + rewrite E0. destruct (Req_EM_T ((1 - 0) * l) 0) as [Hz|Hz]; [exfalso; apply Hl; lra|].
        replace ((1 - 0) * l) with l by ring. lra.
      + rewrite E1. destruct (Req_EM_T (1 * l) 0) as [Hz|Hz]; [exfalso; apply Hl; lra|].
        replace (1 * l) with l by ring. lra.
      + destruct (Req_EM_T (p * l) 0) as [Hz|_]; [apply Rmult_integral in Hz; lra|].
        destruct (Req_EM_T ((1 - p) * l) 0) as [Hz|_]; [apply Rmult_integral in Hz; lra|].
        right. rewrite <- Hsum. field. repeat split; lra.
  Qed.

  (** The gambler owns C as soon as the likelihood times C is at most the mixture. *)
  Lemma capital_reached x b : C * lik p x b <= g x b -> C <= capital (x, b).
  Proof.
    intros H. unfold capital. cbn [fst snd]. destruct (Req_EM_T (lik p x b) 0) as [_|Hl]; [lra|].
    pose proof (lik_nonneg p x b Hp) as Hn. apply (Rmult_le_reg_r (lik p x b)); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by assumption. lra.
  Qed.
End Capital.

(** ** The numbers of outcomes in a set and elsewhere *)

Section Shares.
  Context {X : Type}.
  Variable A : X -> Prop.
  Variable into : forall x, {A x} + {~ A x}.

  Fixpoint split_count (xs : list X) : nat * nat :=
    match xs with
    | [] => (O, O)
    | x :: xs' => let (a, b) := split_count xs' in if into x then (S a, b) else (a, S b)
    end.

  Theorem share_gambler P g C : is_law P -> is_mixing g -> 0 < C ->
    gambler P (fun xs => capital g C (prob P into) (split_count xs)).
  Proof.
    intros HP Hg HC. pose proof (prob_range P into HP) as Hp. split; [|intros xs; split].
    - cbn [split_count]. rewrite (capital_start g C _ Hg). lra.
    - apply capital_nonneg; [assumption..|lra].
    - cbn [split_count]. destruct (split_count xs) as [x b].
      set (u := capital g C (prob P into) (S x, b)). set (v := capital g C (prob P into) (x, S b)).
      rewrite (E_ext _ _ (fun o => v + (u - v) * ind (into o)))
        by (intros o; destruct (into o); cbn [ind]; fold u v; ring).
      rewrite E_plus, E_const, E_scal by assumption. fold (prob P into).
      pose proof (capital_mean g C (prob P into) Hg Hp x b) as H. fold u v in H. lra.
  Qed.
End Shares.
