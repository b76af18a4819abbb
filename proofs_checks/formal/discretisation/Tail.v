(** * What the steps after the first T add to a discounted objective

    With a discount [g] >= 0, the return of the first [t] steps is  Z_t = sum over k < t of g^k r_k.  If every reward
    lies in [a, b], then for every weighting, every policy and every [n],

      Phi(Z_t) + a g^t (1 + g + ... + g^(n-1))  <=  Phi(Z_(t+n))  <=  Phi(Z_t) + b g^t (1 + g + ... + g^(n-1)) .

    The sums in brackets are at most 1 / (1 - g) if g < 1: planning [t] steps bounds all longer plays. *)

Require Import Reals Lra Lia List Arith.
From VerifiedRisk Require Import FiniteLaw Objective ObjectiveFacts Mdp.
Import ListNotations.
Open Scope R_scope.

Section Tail.
  Context {S A : Type}.
  Variable g : R.
  Hypothesis Hg : 0 <= g.

  (** The discounted sum of a list of completed steps, latest first. *)
  Fixpoint discounted (l : list (S * A * R)) : R :=
    match l with
    | [] => 0
    | step :: l' => g ^ length l' * snd step + discounted l'
    end.

  Fixpoint powers (n : nat) : R := match n with O => 0 | Datatypes.S n' => powers n' + g ^ n' end.

  Definition rewards_between (a b : R) (M : mdp S A) : Prop :=
    forall s c, almost_surely (reward M s c) (fun r => a <= r <= b).

  (** Along every path the last [n] of [t + n] steps add between a and b times their powers. *)
  Lemma added_between a b (l : list (S * A * R)) n t :
    (forall step, In step l -> a <= snd step <= b) -> length l = (t + n)%nat ->
    discounted (skipn n l) + a * (g ^ t * powers n) <= discounted l
      <= discounted (skipn n l) + b * (g ^ t * powers n).
  Proof.
    revert l; induction n as [|n IH]; intros l Hl Hn; simpl.
    - lra.
    - destruct l as [|x l]; simpl in *; [lia|].
      assert (Hx : a <= snd x <= b) by (apply Hl; now left).
      assert (Hlen : length l = (t + n)%nat) by lia.
      specialize (IH l (fun step Hs => Hl step (or_intror Hs)) Hlen).
      rewrite Hlen, pow_add.
      assert (Hp : 0 <= g ^ t * g ^ n) by (apply Rmult_le_pos; now apply pow_le).
      assert (Hlo : a * (g ^ t * g ^ n) <= g ^ t * g ^ n * snd x).
      { rewrite Rmult_comm; apply Rmult_le_compat_l; lra. }
      assert (Hhi : g ^ t * g ^ n * snd x <= b * (g ^ t * g ^ n)).
      { rewrite (Rmult_comm b); apply Rmult_le_compat_l; lra. }
      rewrite !Rmult_plus_distr_l. lra.
  Qed.

  Definition paid_between a b t (h : history S A) : Prop :=
    length (fst h) = t /\ forall step, In step (fst h) -> a <= snd step <= b.

  Lemma rewards_on_paths a b (M : mdp S A) pi t : rewards_between a b M ->
    almost_surely (history_law M pi t) (paid_between a b t).
  Proof.
    intros Hr. apply (history_invariant M pi (paid_between a b)).
    - intros s; split; [reflexivity | intros step []].
    - intros t' h c r s [Hlen Hh] [p [Hin Hp]]; split; simpl; [now rewrite Hlen|].
      intros step [<-|Hs]; [exact (Hr _ _ r p Hin Hp) | now apply Hh].
  Qed.

  (** After [n] more steps, all but the latest [n] are those of the history before. *)
  Lemma skipn_tail {X} k (y : X) l l' z l3 : skipn k (y :: l) = l' -> l' = z :: l3 -> skipn k l = l3.
  Proof.
    revert y l; induction k as [|k IH]; intros y l H1 H2; simpl in H1.
    - rewrite <- H1 in H2; now injection H2.
    - destruct l as [|y' l]; [destruct k; simpl in H1; subst; discriminate|]. now apply (IH y' l).
  Qed.

  Lemma run_keeps_the_past (M : mdp S A) pi n h : almost_surely (run M pi n h) (fun h' => skipn n (fst h') = fst h).
  Proof.
    revert h; induction n as [|n IH]; intros h; simpl.
    - apply as_ret; reflexivity.
    - apply as_bind, as_step, as_always; intros c; apply as_always; intros r; apply as_always; intros s.
      generalize (IH (extend h c r s)); apply as_impl; intros h' Hh'. simpl in Hh'.
      destruct (fst h') as [|x l]; [destruct n; discriminate|].
      exact (skipn_tail n x l _ _ _ Hh' eq_refl).
  Qed.

  (** Given: a discount that is not negative, rewards in [a, b], any policy.
      Differs: plays of t + n steps for every n; the range of single rewards in place of that of their sums.
      In words: 05-certificates.md#tail-discounted.  Step of: production/plan. *)
  Theorem discounted_tail (G : R -> R) (M : mdp S A) pi a b t n :
    weighting G -> is_mdp M -> is_policy pi -> rewards_between a b M ->
    let before := Phi G (image (fun h : history S A => discounted (fst h)) (history_law M pi t)) in
    let after := Phi G (image (fun h : history S A => discounted (fst h)) (history_law M pi (t + n))) in
    before + a * (g ^ t * powers n) <= after <= before + b * (g ^ t * powers n).
  Proof.
    intros HG HM Hpi Hr before after.
    assert (Hlaw : is_law (history_law M pi (t + n))) by now apply law_history.
    pose (past := fun h : history S A => discounted (skipn n (fst h))).
    assert (Hsame : before = Phi G (image past (history_law M pi (t + n)))).
    { apply Phi_of_same_expectations; [assumption | | |]; try (apply law_image; now apply law_history).
      intros f. rewrite !E_image, E_history_law_run. apply E_ext; intros h.
      transitivity (E (run M pi n h) (fun _ => f (discounted (fst h)))).
      - symmetry; apply E_const; now apply law_run.
      - apply E_ext_as. generalize (run_keeps_the_past M pi n h); apply as_impl; intros h' Hh'.
        unfold past; now rewrite Hh'. }
    assert (Hb : almost_surely (history_law M pi (t + n)) (fun h =>
      past h + a * (g ^ t * powers n) <= discounted (fst h) <= past h + b * (g ^ t * powers n))).
    { generalize (rewards_on_paths a b M pi (t + n) Hr); apply as_impl; intros h [Hlen Hh]; now apply added_between. }
    rewrite Hsame; split.
    - rewrite <- Phi_shift by assumption. apply Phi_mono_coupling; try assumption.
      revert Hb; apply as_impl; intros h; tauto.
    - rewrite <- Phi_shift by assumption. apply Phi_mono_coupling; try assumption.
      revert Hb; apply as_impl; intros h; tauto.
  Qed.

  (** Given: 0 <= g < 1.  In words: 05-certificates.md#tail-discounted.  Step of: production/plan. *)
  Lemma powers_below n : g < 1 -> powers n <= / (1 - g).
  Proof.
    intros H1. assert (Heq : powers n * (1 - g) = 1 - g ^ n) by (induction n as [|n IH]; simpl; [ring|nra]).
    apply (Rmult_le_reg_r (1 - g)); [lra|]. rewrite Heq, Rinv_l by lra. pose proof (pow_le g n Hg); lra.
  Qed.
End Tail.
