(** * Data from any behaviour: rarely does a mixture reach the level of a test times the likelihood

    Data are transitions ((state, action), (reward, next state)).  Whoever collects them chooses the next state and
    action by any rule, at random or not, that sees all transitions so far: episodes of any lengths, any policies that
    change with the data, any initial states.  Only the outcome is drawn from the law of the state and action.  A test
    is about the probability that a pair leads into a set of outcomes.  [rarely_doubted]: whatever the rule and the
    number of transitions, the probability that some test is doubted at some moment is at most the sum of 1 / level. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Mdp HoeffdingFinite MartingaleStep EventHolds KtRedundancy KlSets
  Ville.
Import ListNotations.
Open Scope R_scope.

Definition transition : Type := ((positive * Z) * (Z * positive))%type.
Definition asked_dec (x y : positive * Z) : {x = y} + {x <> y}.
Proof. decide equality; [apply Z.eq_dec | apply Pos.eq_dec]. Defined.
Definition drawn_dec (x y : Z * positive) : {x = y} + {x <> y}.
Proof. decide equality; [apply Pos.eq_dec | apply Z.eq_dec]. Defined.

(** How often a pair led into a set of outcomes, and how often elsewhere. *)
Definition into_dec (A : list (Z * positive)) (x : Z * positive) : {In x A} + {~ In x A} := in_dec drawn_dec x A.
Fixpoint tally_of (sa : positive * Z) (A : list (Z * positive)) (past : list transition) : nat * nat :=
  match past with
  | [] => (O, O)
  | t :: past' =>
      let (x, b) := tally_of sa A past' in
      if asked_dec (fst t) sa then if into_dec A (snd t) then (S x, b) else (x, S b) else (x, b)
  end.

(** A law of sequences of ones and zeros that depends on their numbers only: Krichevsky and Trofimov's mixture [kt], or
    the law of the sequence that has ones only. *)
Definition is_mixing (g : nat -> nat -> R) : Prop :=
  g O O = 1 /\ forall a b, 0 <= g a b /\ g (S a) b + g a (S b) = g a b.
Definition ones_only (a b : nat) : R := match b with O => 1 | S _ => 0 end.
Lemma mixture_kt : is_mixing kt.
Proof. split; [apply kt_0|]. intros a b. split; [left; apply kt_pos | apply kt_split]. Qed.
Lemma mixture_ones : is_mixing ones_only.
Proof. split; [reflexivity|]. intros a [|b]; cbn; split; lra. Qed.

Record share_test := Test { pair_of : positive * Z; into : list (Z * positive); mixing : nat -> nat -> R; level : R }.
Definition good_test (tau : share_test) : Prop := is_mixing (mixing tau) /\ 0 < level tau.

(** ** The capital of a gambler against p *)

Lemma likelihood_one p x b : lik p (S x) b = p * lik p x b.
Proof. unfold lik; simpl; ring. Qed.
Lemma likelihood_zero p x b : lik p x (S b) = (1 - p) * lik p x b.
Proof. unfold lik; simpl; ring. Qed.

Section Wealth.
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

  Lemma capital_mean x b : p * capital (S x, b) + (1 - p) * capital (x, S b) <= capital (x, b).
  Proof.
    pose proof (lik_nonneg p x b Hp) as Hn. destruct (proj2 Hg x b) as [_ Hs].
    destruct (proj2 Hg (S x) b) as [H1 _]. destruct (proj2 Hg x (S b)) as [H2 _].
    unfold capital; cbn [fst snd]. rewrite likelihood_one, likelihood_zero.
    destruct (Req_EM_T (lik p x b) 0) as [Hl|Hl].
    - rewrite Hl, !Rmult_0_r. destruct (Req_EM_T 0 0); lra.
    - set (l := lik p x b) in *.
      assert (Hsum : g (S x) b / l + g x (S b) / l = g x b / l) by (rewrite <- Hs; field; assumption).
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
End Wealth.

Section Event.
  Variable world : positive -> Z -> dist (Z * positive).
  Hypothesis Hworld : forall s i, is_law (world s i).
  Variable ask : list transition -> dist (positive * Z).
  Hypothesis Hask : forall past, is_law (ask past).

  Definition next_transition (past : list transition) : dist transition :=
    bind (ask past) (fun sa => image (pair sa) (world (fst sa) (snd sa))).
  Definition chance (sa : positive * Z) (A : list (Z * positive)) : R := prob (world (fst sa) (snd sa)) (into_dec A).

  Lemma law_answer past : is_law (next_transition past).
  Proof. apply law_bind; [apply Hask|]. intros sa. apply law_image, Hworld. Qed.
  Lemma chance_range sa A : 0 <= chance sa A <= 1.
  Proof. apply prob_range, Hworld. Qed.

  Definition likelihood (tau : share_test) (past : list transition) : R :=
    let (x, b) := tally_of (pair_of tau) (into tau) past in lik (chance (pair_of tau) (into tau)) x b.
  Definition mixed_likelihood (tau : share_test) (past : list transition) : R :=
    let (x, b) := tally_of (pair_of tau) (into tau) past in mixing tau x b.
  Definition doubted_at (tau : share_test) (past : list transition) : Prop :=
    level tau * likelihood tau past <= mixed_likelihood tau past.

  Section One.
    Variable tau : share_test.
    Hypothesis Htau : good_test tau.
    Let p := chance (pair_of tau) (into tau).
    Let W past := capital (mixing tau) (level tau) p (tally_of (pair_of tau) (into tau) past).

    Lemma wealth_step past : E (next_transition past) (fun t => W (t :: past)) <= W past.
    Proof.
      unfold next_transition. rewrite E_bind. apply E_le_const; [apply Hask|]. apply as_always. intros sa.
      rewrite E_image. unfold W. cbn [tally_of fst snd].
      destruct (tally_of (pair_of tau) (into tau) past) as [x b]. destruct (asked_dec sa (pair_of tau)) as [->|Hn].
      - set (u := capital (mixing tau) (level tau) p (S x, b)). set (v := capital (mixing tau) (level tau) p (x, S b)).
        rewrite (E_ext _ _ (fun os => v + (u - v) * ind (into_dec (into tau) os)))
          by (intros os; destruct (into_dec (into tau) os); cbn [ind]; fold u v; ring).
        rewrite E_plus, E_const, E_scal by apply Hworld.
        fold (prob (world (fst (pair_of tau)) (snd (pair_of tau))) (into_dec (into tau))).
        fold (chance (pair_of tau) (into tau)). fold p.
        pose proof (capital_mean (mixing tau) (level tau) p (proj1 Htau) (chance_range _ _) x b) as H.
        fold u v in H. lra.
      - rewrite E_const by apply Hworld. lra.
    Qed.

    Lemma one_rarely_doubted n : prob (process next_transition n)
      (fun path => Exists_dec (doubted_at tau) (moments_of path) (fun past => Rle_dec _ _)) <= / level tau.
    Proof.
      destruct Htau as [Hg HC].
      assert (Hv := ville next_transition law_answer W
        (fun past => capital_nonneg (mixing tau) (level tau) p Hg (chance_range _ _) (tally_of _ _ past) ltac:(lra))
        wealth_step (level tau) n HC).
      assert (H1 : W [] = 1).
      { unfold W, capital. cbn [tally_of fst snd]. assert (Hl : lik p 0 0 = 1) by (unfold lik; simpl; ring).
        rewrite Hl, (proj1 Hg). destruct (Req_EM_T 1 0); lra. }
      rewrite H1 in Hv. replace (1 / level tau) with (/ level tau) in Hv by (field; lra).
      eapply Rle_trans; [|exact Hv]. apply E_le; [apply law_process, law_answer|]. intros path. apply ind_le.
      intros H. apply Exists_exists in H. destruct H as [past [Hin Hd]]. apply Exists_exists. exists past.
      split; [assumption|]. unfold doubted_at, likelihood, mixed_likelihood in Hd. unfold W, capital.
      destruct (tally_of (pair_of tau) (into tau) past) as [x b]. cbn [fst snd]. fold p in Hd.
      destruct (Req_EM_T (lik p x b) 0) as [_|Hl]; [lra|].
      pose proof (lik_nonneg p x b (chance_range _ _)) as Hn. apply (Rmult_le_reg_r (lik p x b)); [lra|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l by assumption. lra.
    Qed.
  End One.

  Variable tests : list share_test.
  Hypothesis Htests : forall tau, In tau tests -> good_test tau.
  Definition misled_by_data (past : list transition) : Prop := Exists (fun tau => doubted_at tau past) tests.
  Definition misled_sometime (path : list transition) : {Exists misled_by_data (moments_of path)} +
    {~ Exists misled_by_data (moments_of path)} :=
    Exists_dec misled_by_data (moments_of path) (fun past => Exists_dec _ tests (fun tau => Rle_dec _ _)).

  (** Given: any rule that chooses what is asked, any laws of outcomes, any list of tests, any number of transitions.
      Differs: the event, for data that are given; tests with levels of their own.
      In words: 10-kl-learner.md#kl-ville.
      Step of: production/proved. *)
  Theorem rarely_doubted n : prob (process next_transition n) misled_sometime <= sum tests (fun tau => / level tau).
  Proof.
    pose (P := fun tau path => Exists (doubted_at tau) (moments_of path)).
    pose (dec := fun tau path => Exists_dec (doubted_at tau) (moments_of path) (fun past => Rle_dec _ _) :
      {P tau path} + {~ P tau path}).
    pose proof (prob_exists_le (process next_transition n) P dec tests ltac:(apply law_process, law_answer)) as Hu.
    apply Rle_trans with (sum tests (fun tau => prob (process next_transition n) (dec tau))).
    - eapply Rle_trans; [|exact Hu]. apply E_le; [apply law_process, law_answer|]. intros path. apply ind_le. intros H.
      apply Exists_exists in H; destruct H as [past [Hin H]]. apply Exists_exists in H; destruct H as [tau [Ht Hd]].
      apply Exists_exists; exists tau; split; [assumption|]. apply Exists_exists; now exists past.
    - apply sum_le; intros tau Ht. now apply one_rarely_doubted, Htests.
  Qed.

  Lemma not_misled_trusted past tau : ~ misled_by_data past -> In tau tests ->
    mixed_likelihood tau past < level tau * likelihood tau past.
  Proof. intros Hn Ht. apply Rnot_le_lt. intros Hd. apply Hn, Exists_exists. now exists tau. Qed.
End Event.
