(** * Optimistic and pessimistic values: the missing mass goes to the best, or to the worst, successor

    Of each pair (s, a) the learner believes lower masses  low s'  of the possible successors, and two reward laws, one
    above and one below.  The missing mass is  miss = 1 - sum low.  For a utility h

      Vhat_0 = h,
      Vhat_{n+1}(s, y) = max_a E_{r ~ R^} [ sum low s' Vhat_n(s', y + r) + miss max_{s'} Vhat_n(s', y + r) ],

    and Vchk with R+ and min.  If the beliefs hold ( low <= P,  F_{R^} <= F_R <= F_{R+} ), then

    - E h(Z) <= E_D Vhat_T  for every policy (optimism);
    - a policy that is greedy for Vhat up to w_n at every (n, s, y) has
        E_D Vhat_T - E h(Z)  <=  L E sum_t [ (T - t) miss + integral (F+ - F^) ] + sum w ,
      and the factor T - t may be replaced by the spread of Vhat over the successors;
    - a policy that is greedy for Vchk up to w_n has  E h(Z) >= E_D Vchk_T - sum w . *)

Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp SupportingUtility LawDistances
  DynamicProgramming ClosenessGreedy QuantileCoupling ClosenessInArea HistoryCost.
Import ListNotations.
Open Scope R_scope.

(** ** Sums, maxima, dominance *)

Lemma E_sum_over {X} (eq_dec : forall x y : X, {x = y} + {x <> y}) (l : list X) (d : dist X) f :
  NoDup l -> almost_surely d (fun x => In x l) -> E d f = sum l (fun x => mass eq_dec d x * f x).
Proof.
  intros Hl; unfold mass; induction d as [|[x p] d IH]; simpl; intros Hin.
  - rewrite (sum_ext l _ (fun _ => 0)) by (intros; ring). rewrite sum_const; ring.
  - rewrite (sum_ext l _ (fun y => p * (ind (eq_dec x y) * f y) + E d (fun z => ind (eq_dec z y)) * f y))
      by (intros; ring).
    rewrite sum_plus, sum_scal, <- IH by (intros y q Hy; apply (Hin y q); now right).
    f_equal. destruct (Req_EM_T p 0) as [->|Hp]; [ring|]. f_equal. rewrite (sum_point eq_dec); auto.
    apply (Hin x p); [now left | assumption].
Qed.

Lemma E_dominated (d e : dist R) f :
  is_law d -> is_law e -> (forall x, cdf e x <= cdf d x) -> (forall x y, x <= y -> f x <= f y) -> E d f <= E e f.
Proof.
  intros Hd He Hc Hf. destruct (quantile_coupling_spec d e Hd He) as [Hl [H1 [H2 H3]]]. rewrite <- H1, <- H2.
  apply E_le_as; [apply Hl|]. generalize (H3 Hc); apply as_impl; intros xy Hxy. now apply Hf.
Qed.

Lemma max_over_utility {X} L (f : X -> R -> R) (l : list X) :
  0 <= L -> (forall x, In x l -> is_utility L (f x)) -> is_utility L (fun y => max_over (fun x => f x y) l).
Proof.
  intros HL Hf y z Hyz. assert (0 <= L * (z - y)) by (apply Rmult_le_pos; lra). split.
  - enough (max_over (fun x => f x y) l <= max_over (fun x => f x z) l) by lra.
    apply max_over_le; intros x Hx; specialize (Hf x Hx y z Hyz); lra.
  - enough (max_over (fun x => f x z) l <= max_over (fun x => f x y) l + L * (z - y)) by lra.
    apply max_over_le_plus; [assumption|]. intros x Hx; specialize (Hf x Hx y z Hyz); lra.
Qed.

Lemma min_over_utility {X} L (f : X -> R -> R) (l : list X) :
  0 <= L -> (forall x, In x l -> is_utility L (f x)) -> is_utility L (fun y => min_over (fun x => f x y) l).
Proof.
  intros HL Hf y z Hyz. assert (0 <= L * (z - y)) by (apply Rmult_le_pos; lra). unfold min_over. split.
  - enough (max_over (fun x => - f x z) l <= max_over (fun x => - f x y) l) by lra.
    apply max_over_le; intros x Hx; specialize (Hf x Hx y z Hyz); lra.
  - enough (max_over (fun x => - f x y) l <= max_over (fun x => - f x z) l + L * (z - y)) by lra.
    apply max_over_le_plus; [assumption|]. intros x Hx; specialize (Hf x Hx y z Hyz); lra.
Qed.

(** A weighted sum of utilities with weights that are at least 0 and sum to at most 1, and the rest on one more. *)
Lemma weighted_utility {X} L (l : list X) (q : X -> R) (f : X -> R -> R) (g : R -> R) :
  0 <= L -> (forall x, In x l -> 0 <= q x) -> 0 <= 1 - sum l q -> (forall x, In x l -> is_utility L (f x)) ->
    is_utility L g ->
  is_utility L (fun y => sum l (fun x => q x * f x y) + (1 - sum l q) * g y).
Proof.
  intros HL Hq Hm Hf Hg y z Hyz. specialize (Hg y z Hyz).
  assert (Hs : 0 <= sum l (fun x => q x * f x z) - sum l (fun x => q x * f x y) <= sum l q * (L * (z - y))).
  { rewrite <- sum_minus. split.
    - apply sum_nonneg; intros x Hx. specialize (Hf x Hx y z Hyz). specialize (Hq x Hx). nra.
    - rewrite Rmult_comm, <- sum_scal. apply sum_le; intros x Hx. specialize (Hf x Hx y z Hyz). specialize (Hq x Hx).
      nra. }
  nra.
Qed.

(** ** Beliefs *)

Record beliefs (S A : Type) : Type := {
  low : S -> A -> S -> R;
  hat : S -> A -> dist R;
  chk : S -> A -> dist R
}.
Arguments low {S A} _ _ _ _.
Arguments hat {S A} _ _ _.
Arguments chk {S A} _ _ _.

Section Values.
  Context {S A : Type}.
  Load "setup/Successors".
  Variable b : beliefs S A.

  Definition miss (s : S) (a : A) : R := 1 - sum (succ s a) (low b s a).

  (** What the learner sees to, whatever the truth is. *)
  Record proper : Prop := {
    low_nonneg : forall s a s', 0 <= low b s a s';
    miss_nonneg : forall s a, 0 <= miss s a;
    hat_law : forall s a, is_law (hat b s a);
    hat_within : forall s a, almost_surely (hat b s a) (fun r => 0 <= r <= 1);
    chk_law : forall s a, is_law (chk b s a);
    chk_within : forall s a, almost_surely (chk b s a) (fun r => 0 <= r <= 1)
  }.

  Definition row_max (f : S -> R) (s : S) (a : A) : R :=
    sum (succ s a) (fun s' => low b s a s' * f s') + miss s a * max_over f (succ s a).
  Definition row_min (f : S -> R) (s : S) (a : A) : R :=
    sum (succ s a) (fun s' => low b s a s' * f s') + miss s a * min_over f (succ s a).

  Definition backup_hat (v : S -> R -> R) (s : S) (y : R) (a : A) : R :=
    E (hat b s a) (fun r => row_max (fun s' => v s' (r + y)) s a).
  Definition backup_chk (v : S -> R -> R) (s : S) (y : R) (a : A) : R :=
    E (chk b s a) (fun r => row_min (fun s' => v s' (r + y)) s a).

  Variable h : R -> R.

  Fixpoint Vhat (n : nat) (s : S) (y : R) : R :=
    match n with
    | O => h y
    | Datatypes.S n' => max_over (backup_hat (Vhat n') s y) (acts s)
    end.
  Fixpoint Vchk (n : nat) (s : S) (y : R) : R :=
    match n with
    | O => h y
    | Datatypes.S n' => max_over (backup_chk (Vchk n') s y) (acts s)
    end.

  Definition near_greedy_hat (T : nat) (w : nat -> R) (pi : policy S A) : Prop :=
    forall g n, (Datatypes.S n + time g = T)%nat -> almost_surely (pi g) (fun a => In a (acts (state g)) /\
      Vhat (Datatypes.S n) (state g) (collected g) <= backup_hat (Vhat n) (state g) (collected g) a + w n).
  Definition near_greedy_chk (T : nat) (w : nat -> R) (pi : policy S A) : Prop :=
    forall g n, (Datatypes.S n + time g = T)%nat -> almost_surely (pi g) (fun a => In a (acts (state g)) /\
      Vchk (Datatypes.S n) (state g) (collected g) <= backup_chk (Vchk n) (state g) (collected g) a + w n).

  Hypothesis Hb : proper.
  Variable L : R.
  Hypothesis HL : 0 <= L.
  Hypothesis Hh : is_utility L h.

  Lemma row_max_utility (v : S -> R -> R) s a y :
    (forall s', is_utility L (v s')) -> is_utility L (fun r => row_max (fun s' => v s' (r + y)) s a).
  Proof.
    intros Hv. apply weighted_utility; try assumption.
    - intros s' _. apply (low_nonneg Hb).
    - apply (miss_nonneg Hb).
    - intros s' _. apply is_utility_shift, Hv.
    - apply (max_over_utility L (fun s' r => v s' (r + y))); [assumption|]. intros s' _. apply is_utility_shift, Hv.
  Qed.

  Lemma row_min_utility (v : S -> R -> R) s a y :
    (forall s', is_utility L (v s')) -> is_utility L (fun r => row_min (fun s' => v s' (r + y)) s a).
  Proof.
    intros Hv. apply weighted_utility; try assumption.
    - intros s' _. apply (low_nonneg Hb).
    - apply (miss_nonneg Hb).
    - intros s' _. apply is_utility_shift, Hv.
    - apply (min_over_utility L (fun s' r => v s' (r + y))); [assumption|]. intros s' _. apply is_utility_shift, Hv.
  Qed.

  Lemma Vhat_utility n s : is_utility L (Vhat n s).
  Proof.
    revert s; induction n as [|n IH]; intros s; cbn [Vhat]; [assumption|].
    apply (max_over_utility L (fun a y => backup_hat (Vhat n) s y a)); [assumption|]. intros a _; unfold backup_hat.
    apply is_utility_average; [apply (hat_law Hb)|]. intros r x y Hxy.
    pose proof (row_max_utility (Vhat n) s a r IH x y Hxy) as H. simpl in H.
    rewrite (Rplus_comm r x), (Rplus_comm r y). exact H.
  Qed.

  Lemma Vchk_utility n s : is_utility L (Vchk n s).
  Proof.
    revert s; induction n as [|n IH]; intros s; cbn [Vchk]; [assumption|].
    apply (max_over_utility L (fun a y => backup_chk (Vchk n) s y a)); [assumption|]. intros a _; unfold backup_chk.
    apply is_utility_average; [apply (chk_law Hb)|]. intros r x y Hxy.
    pose proof (row_min_utility (Vchk n) s a r IH x y Hxy) as H. simpl in H.
    rewrite (Rplus_comm r x), (Rplus_comm r y). exact H.
  Qed.

  (** Weighted means lie between the bounds of their terms. *)
  Lemma row_max_range f s a lo hi : (forall s', In s' (succ s a) -> lo <= f s' <= hi) -> lo <= row_max f s a <= hi.
  Proof.
    intros Hf. pose proof (miss_nonneg Hb s a) as Hm. unfold row_max.
    destruct (max_over_attained f (succ s a) (Hsucc s a)) as [s0 [H0 ->]]. pose proof (Hf s0 H0).
    assert (Hs : sum (succ s a) (low b s a) * lo <= sum (succ s a) (fun s' => low b s a s' * f s') <=
      sum (succ s a) (low b s a) * hi).
    { split; rewrite Rmult_comm, <- sum_scal; apply sum_le; intros s' Hs'; pose proof (Hf s' Hs');
        pose proof (low_nonneg Hb s a s'); nra. }
    unfold miss in *. nra.
  Qed.

  Lemma Vhat_between n s y : h y <= Vhat n s y <= h (y + INR n).
  Proof.
    revert s y; induction n as [|n IH]; intros s y; cbn [Vhat]; [simpl; rewrite Rplus_0_r; lra|]. rewrite S_INR.
    destruct (max_over_attained (backup_hat (Vhat n) s y) (acts s) (Hacts s)) as [a [_ ->]]. unfold backup_hat.
    assert (Hr : forall r, 0 <= r <= 1 -> h y <= row_max (fun s' => Vhat n s' (r + y)) s a <= h (y + (INR n + 1))).
    { intros r Hr. apply row_max_range. intros s' _. destruct (IH s' (r + y)) as [H1 H2].
      pose proof (Hh y (r + y) ltac:(lra)). pose proof (Hh (r + y + INR n) (y + (INR n + 1)) ltac:(lra)). lra. }
    split.
    - apply E_ge_const; [apply (hat_law Hb)|]. generalize (hat_within Hb s a); apply as_impl; intros r H; now apply Hr.
    - apply E_le_const; [apply (hat_law Hb)|]. generalize (hat_within Hb s a); apply as_impl; intros r H; now apply Hr.
  Qed.

  (** ** What an action costs: missing mass times the spread of the value, and the area between the reward laws *)

  Definition gap (s : S) (a : A) : R := RInt (cdf_excess (chk b s a) (hat b s a)) 0 1.

  Definition spread (n : nat) (s : S) (y : R) (a : A) : R :=
    E (hat b s a) (fun r => max_over (fun s' => Vhat n s' (r + y)) (succ s a) -
      min_over (fun s' => Vhat n s' (r + y)) (succ s a)).

  Lemma gap_range s a : 0 <= gap s a <= 1.
  Proof.
    split.
    - apply RInt_ge_0; [lra | apply ex_RInt_excess; lra | intros; apply excess_nonneg].
    - apply excess_integral_le; [lra|]. intros x. pose proof (cdf_range (chk b s a) x (chk_law Hb s a)).
      pose proof (cdf_range (hat b s a) x (hat_law Hb s a)). lra.
  Qed.

  Lemma miss_le_1 s a : miss s a <= 1.
  Proof.
    unfold miss. assert (0 <= sum (succ s a) (low b s a)) by (apply sum_nonneg; intros; apply (low_nonneg Hb)). lra.
  Qed.

  Lemma spread_le n s y a : spread n s y a <= L * INR n.
  Proof.
    apply E_le_const; [apply (hat_law Hb)|]. apply as_always; intros r.
    destruct (max_over_attained (fun s' => Vhat n s' (r + y)) (succ s a) (Hsucc s a)) as [s1 [_ ->]].
    destruct (min_over_attained (fun s' => Vhat n s' (r + y)) (succ s a) (Hsucc s a)) as [s2 [_ ->]].
    pose proof (Vhat_between n s1 (r + y)). pose proof (Vhat_between n s2 (r + y)). pose proof (pos_INR n).
    pose proof (Hh (r + y) (r + y + INR n) ltac:(lra)). replace (r + y + INR n - (r + y)) with (INR n) in * by ring.
    lra.
  Qed.

  (** ** When the beliefs hold *)

  Variable state_dec : forall s s' : S, {s = s'} + {s <> s'}.
  Load "setup/Model".
  Hypothesis Hrew : rewards_within 1 M.

  Record hold : Prop := {
    succ_nodup : forall s a, In a (acts s) -> NoDup (succ s a);
    succ_all : forall s a, In a (acts s) -> almost_surely (trans M s a) (fun s' => In s' (succ s a));
    low_le : forall s a s', In a (acts s) -> In s' (succ s a) -> low b s a s' <= mass state_dec (trans M s a) s';
    hat_below : forall s a x, In a (acts s) -> cdf (hat b s a) x <= cdf (reward M s a) x;
    chk_above : forall s a x, In a (acts s) -> cdf (reward M s a) x <= cdf (chk b s a) x
  }.
  Hypothesis Hhold : hold.

  Local Notation P s a s' := (mass state_dec (trans M s a) s').

  Lemma miss_is_excess s a : In a (acts s) -> miss s a = sum (succ s a) (fun s' => P s a s' - low b s a s').
  Proof.
    intros Ha. rewrite sum_minus. unfold miss. f_equal.
    pose proof (E_sum_over state_dec (succ s a) (trans M s a) (fun _ => 1) (succ_nodup Hhold s a Ha)
      (succ_all Hhold s a Ha)) as H.
    rewrite (proj2 (trans_law M HM s a)) in H. rewrite H. apply sum_ext; intros; ring.
  Qed.

  Lemma E_trans_le_row_max f s a : In a (acts s) -> E (trans M s a) f <= row_max f s a.
  Proof.
    intros Ha. rewrite (E_sum_over state_dec (succ s a)) by now apply Hhold. unfold row_max.
    rewrite miss_is_excess by assumption.
    rewrite (Rmult_comm (sum _ _)), <- sum_scal, <- sum_plus. apply sum_le; intros s' Hs'.
    pose proof (low_le Hhold s a s' Ha Hs'). pose proof (max_over_ge f (succ s a) s' Hs'). nra.
  Qed.

  Lemma row_min_le_E_trans f s a : In a (acts s) -> row_min f s a <= E (trans M s a) f.
  Proof.
    intros Ha. rewrite (E_sum_over state_dec (succ s a)) by now apply Hhold. unfold row_min.
    rewrite miss_is_excess by assumption.
    rewrite (Rmult_comm (sum _ (fun s' => P s a s' - low b s a s'))), <- sum_scal, <- sum_plus.
    apply sum_le; intros s' Hs'.
    pose proof (low_le Hhold s a s' Ha Hs'). pose proof (min_over_le f (succ s a) s' Hs'). nra.
  Qed.

  Lemma row_max_minus_E f s a : In a (acts s) ->
    row_max f s a - E (trans M s a) f <= miss s a * (max_over f (succ s a) - min_over f (succ s a)).
  Proof. intros Ha. pose proof (row_min_le_E_trans f s a Ha). unfold row_max, row_min in *. lra. Qed.

  (** *** Optimism *)

  Lemma V_le_Vhat n s y : V acts M h n s y <= Vhat n s y.
  Proof.
    revert s y; induction n as [|n IH]; intros s y; cbn [V Vhat]; [lra|]. apply max_over_le; intros a Ha.
    unfold backup, backup_hat.
    apply Rle_trans with (E (reward M s a) (fun r => row_max (fun s' => Vhat n s' (r + y)) s a)).
    - apply E_le; [now apply reward_law|]. intros r.
      eapply Rle_trans; [|now apply (E_trans_le_row_max (fun s' => Vhat n s' (r + y)))].
      apply E_le; [now apply trans_law | intros s'; apply IH].
    - apply E_dominated; [now apply reward_law | apply (hat_law Hb) | intros x; now apply (hat_below Hhold)|].
      intros r r' Hr. pose proof (row_max_utility (Vhat n) s a y (Vhat_utility n) r r' Hr). simpl in *. lra.
  Qed.

  (** Given: beliefs that hold; any nondecreasing Lipschitz utility, any allowed policy.
      In words: 10-kl-learner.md#kl-optimism.
      Step of: corrected/ii. *)
  Theorem optimistic_for_every_policy pi :
    is_policy pi -> allowed acts M pi -> E (return_law M pi) h <= E (init M) (fun s => Vhat (horizon M) s 0).
  Proof.
    intros Hpi Hal. eapply Rle_trans; [now apply (utility_le_dp acts M h HM pi Hpi Hal)|].
    apply E_le; [now apply init_law | intros s; apply V_le_Vhat].
  Qed.

  (** *** Closeness *)

  (** How far a table of the next step spreads over the successors. *)
  Definition spread_of (v : S -> R -> R) (s : S) (y : R) (a : A) : R :=
    E (hat b s a) (fun r =>
      max_over (fun s' => v s' (r + y)) (succ s a) - min_over (fun s' => v s' (r + y)) (succ s a)).

  Lemma backup_hat_close_of v s y a : (forall s', is_utility L (v s')) -> In a (acts s) ->
    backup_hat v s y a - backup M v s y a <= miss s a * spread_of v s y a + L * gap s a.
  Proof.
    intros Hv Ha. unfold backup_hat, backup.
    assert (H1 : E (hat b s a) (fun r => row_max (fun s' => v s' (r + y)) s a -
      E (trans M s a) (fun s' => v s' (r + y))) <= miss s a * spread_of v s y a).
    { unfold spread_of. rewrite <- E_scal. apply E_le; [apply (hat_law Hb)|]. intros r. now apply row_max_minus_E. }
    assert (H2 : E (hat b s a) (fun r => E (trans M s a) (fun s' => v s' (r + y))) -
                 E (reward M s a) (fun r => E (trans M s a) (fun s' => v s' (r + y))) <= L * gap s a).
    { eapply Rle_trans; [apply (utility_difference_le_excess L (fun r => E (trans M s a) (fun s' => v s' (r + y)))
        (reward M s a) (hat b s a) 0 1); try assumption; try lra; try apply (hat_law Hb); try apply (hat_within Hb);
          try apply Hrew;
        try (now apply reward_law)|].
      - apply is_utility_average; [now apply trans_law|]. intros s'. apply is_utility_shift, Hv.
      - apply Rmult_le_compat_l; [assumption|].
        apply RInt_le; [lra | apply ex_RInt_excess; lra | apply ex_RInt_excess; lra|].
        intros x _. unfold cdf_excess. apply Rle_max_compat_l. pose proof (chk_above Hhold s a x Ha). lra. }
    rewrite E_minus in H1. lra.
  Qed.

  Lemma backup_hat_close n s y a : In a (acts s) ->
    backup_hat (Vhat n) s y a - backup M (Vhat n) s y a <= miss s a * spread n s y a + L * gap s a.
  Proof. intros Ha. apply (backup_hat_close_of (Vhat n)); [apply Vhat_utility | assumption]. Qed.

  (** A cost that pays for the spread and the gap at every history before the horizon. *)
  Definition pays (cost : history S A -> A -> R) : Prop :=
    forall g n a, (Datatypes.S n + time g = horizon M)%nat -> In a (acts (state g)) ->
      miss (state g) a * spread n (state g) (collected g) a + L * gap (state g) a <= L * cost g a.

  (** The plain cost: (T - t) miss + gap. *)
  Definition plain_cost (g : history S A) (a : A) : R :=
    INR (horizon M - Datatypes.S (time g)) * miss (state g) a + gap (state g) a.

  Lemma plain_cost_pays : pays plain_cost.
  Proof.
    intros g n a Hn _. unfold plain_cost. replace (horizon M - Datatypes.S (time g))%nat with n by lia.
    pose proof (spread_le n (state g) (collected g) a). pose proof (miss_nonneg Hb (state g) a). nra.
  Qed.

  Lemma plain_cost_range g a : (time g < horizon M)%nat -> 0 <= plain_cost g a <= INR (horizon M - time g).
  Proof.
    intros Hg. unfold plain_cost.
    replace (horizon M - time g)%nat with (Datatypes.S (horizon M - Datatypes.S (time g))) by lia.
    rewrite S_INR. pose proof (pos_INR (horizon M - Datatypes.S (time g))). pose proof (miss_nonneg Hb (state g) a).
    pose proof (miss_le_1 (state g) a). pose proof (gap_range (state g) a). nra.
  Qed.

  (** Any table v of utilities, v_0 at most h, and any policy whose actions have brackets of at least v up to w, at the
      histories that can occur.
      Given: beliefs that hold; any such table and policy, any cost that pays for the spread of the table.
      In words: 10-kl-learner.md#kl-close.
      Step of: corrected/ii. *)
  Theorem near_greedy_table_close (occurs : history S A -> Prop) (v : nat -> S -> R -> R) pi w cost :
    is_policy pi -> (forall t, almost_surely (history_law M pi t) occurs) ->
    (forall n s, is_utility L (v n s)) -> (forall s y, v O s y <= h y) ->
    (forall g n, (Datatypes.S n + time g = horizon M)%nat -> occurs g ->
      almost_surely (pi g) (fun a => In a (acts (state g)) /\
        v (Datatypes.S n) (state g) (collected g) <= backup_hat (v n) (state g) (collected g) a + w n)) ->
    (forall g n a, (Datatypes.S n + time g = horizon M)%nat -> occurs g -> In a (acts (state g)) ->
      miss (state g) a * spread_of (v n) (state g) (collected g) a + L * gap (state g) a <= L * cost g a) ->
    E (init M) (fun s => v (horizon M) s 0) - E (return_law M pi) h <=
    L * E (history_law M pi (horizon M)) (fun g => cost_of_steps cost (fst g)) + sum (seq 0 (horizon M)) w.
  Proof.
    intros Hpi Hocc Hv H0 Hg Hc.
    pose proof (telescope_along M HM (fun g a => L * cost g a) pi Hpi occurs
      (fun n g => v n (state g) (collected g)) w Hocc) as Ht.
    cbn beta in Ht. rewrite E_return_law.
    assert (Hl : forall steps : list (S * A * R),
      cost_of_steps (fun g a => L * cost g a) steps = L * cost_of_steps cost steps).
    { induction steps as [|[[s a] r] steps IH]; simpl; [ring | rewrite IH; ring]. }
    rewrite E_plus in Ht. rewrite (E_ext _ (fun g : history S A => cost_of_steps (fun g a => L * cost g a) (fst g))
      (fun g => L * cost_of_steps cost (fst g))) in Ht by (intros; apply Hl).
    rewrite E_scal in Ht.
    assert (Hend : E (history_law M pi (horizon M)) (fun g => v O (state g) (collected g)) <=
      E (history_law M pi (horizon M)) (fun g => h (collected g)))
      by (apply E_le; [now apply law_history | intros; apply H0]).
    enough (Hs : forall n g, (Datatypes.S n + time g = horizon M)%nat -> occurs g ->
      v (Datatypes.S n) (state g) (collected g) <=
      E (step M pi g) (fun g' => v n (state g') (collected g')) + E (pi g) (fun a => L * cost g a) + w n).
    { specialize (Ht Hs). change (fun s => v (horizon M) (state (start s)) (collected (start s)))
        with (fun s : S => v (horizon M) s 0) in Ht. lra. }
    intros n g Hn Ho. rewrite E_step_backup.
    rewrite <- (E_const (pi g) (w n)) by apply Hpi. rewrite <- !E_plus.
    rewrite <- (E_const (pi g) (v (Datatypes.S n) (state g) (collected g))) at 1 by apply Hpi.
    apply E_le_as; [apply Hpi|]. generalize (Hg g n Hn Ho); apply as_impl; intros a [Ha Hva].
    pose proof (backup_hat_close_of (v n) (state g) (collected g) a (Hv n) Ha). specialize (Hc g n a Hn Ho Ha). lra.
  Qed.

  (** Given: as optimistic_for_every_policy; a policy greedy up to w, any cost that pays.
      In words: 10-kl-learner.md#kl-close.
      Step of: corrected/ii. *)
  Theorem near_greedy_close pi w cost :
    is_policy pi -> near_greedy_hat (horizon M) w pi -> pays cost ->
    E (init M) (fun s => Vhat (horizon M) s 0) - E (return_law M pi) h <=
    L * E (history_law M pi (horizon M)) (fun g => cost_of_steps cost (fst g)) + sum (seq 0 (horizon M)) w.
  Proof.
    intros Hpi Hg Hc. apply (near_greedy_table_close (fun _ => True) Vhat); auto.
    - intros t. now apply as_always.
    - intros n s. apply Vhat_utility.
    - intros s y. cbn [Vhat]. lra.
    - intros g n a Hn _ Ha. exact (Hc g n a Hn Ha).
  Qed.

  (** *** Pessimism *)

  (** Given: as optimistic_for_every_policy; a policy greedy up to w for the pessimistic value.
      In words: 10-kl-learner.md#kl-interval.
      Step of: corrected/ii. *)
  Theorem near_greedy_chk_lower pi w :
    is_policy pi -> near_greedy_chk (horizon M) w pi ->
    E (init M) (fun s => Vchk (horizon M) s 0) - sum (seq 0 (horizon M)) w <= E (return_law M pi) h.
  Proof.
    intros Hpi Hg.
    pose proof (telescope_history M HM (fun _ _ => 0) pi Hpi (fun n g => Vchk n (state g) (collected g)) w) as Ht.
    cbn beta in Ht. rewrite E_return_law.
    assert (Hl : forall steps : list (S * A * R), cost_of_steps (fun _ _ => 0) steps = 0).
    { induction steps as [|[[s a] r] steps IH]; simpl; [ring | rewrite IH; ring]. }
    rewrite E_plus in Ht. rewrite (E_ext _ (fun g : history S A => cost_of_steps (fun _ _ => 0) (fst g)) (fun _ => 0))
      in Ht by (intros; apply Hl).
    rewrite E_zero in Ht. cbn [Vchk] in Ht. enough (Hs : forall n g, (Datatypes.S n + time g = horizon M)%nat ->
      Vchk (Datatypes.S n) (state g) (collected g) <=
      E (step M pi g) (fun g' => Vchk n (state g') (collected g')) + E (pi g) (fun a => 0) + w n).
    { specialize (Ht Hs). change (fun s => Vchk (horizon M) (state (start s)) (collected (start s)))
        with (fun s : S => Vchk (horizon M) s 0) in Ht. lra. }
    intros n g Hn. rewrite E_step_backup, E_zero, Rplus_0_r.
    rewrite <- (E_const (pi g) (w n)) by apply Hpi. rewrite <- E_plus.
    rewrite <- (E_const (pi g) (Vchk (Datatypes.S n) (state g) (collected g))) at 1 by apply Hpi.
    apply E_le_as; [apply Hpi|]. generalize (Hg g n Hn); apply as_impl; intros a [Ha Hv].
    eapply Rle_trans; [exact Hv|]. apply Rplus_le_compat_r. unfold backup_chk, backup.
    apply Rle_trans with (E (reward M (state g) a)
      (fun r => row_min (fun s' => Vchk n s' (r + collected g)) (state g) a)).
    - apply E_dominated; [apply (chk_law Hb) | now apply reward_law | intros x; now apply (chk_above Hhold)|].
      intros r r' Hr. pose proof (row_min_utility (Vchk n) (state g) a (collected g) (Vchk_utility n) r r' Hr).
      simpl in *. lra.
    - apply E_le; [now apply reward_law|]. intros r.
      now apply (row_min_le_E_trans (fun s' => Vchk n s' (r + collected g))).
  Qed.
End Values.
