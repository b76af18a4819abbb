(** * The theorem about the learner in one piece

    [KlPlain.v] with events as propositions: whatever decides them, their probability is bounded.  [KlStatement.v]
    restates the definitions and this theorem on two pages. *)

Require Import Reals Lra List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp DynamicProgramming MartingaleStep EventHolds RegretAssembly
  Ville BestRow KlWidths KlLearner KlRegret KlPlain.
Import ListNotations.
Open Scope R_scope.

(** The probability of an event does not depend on the decision procedure. *)
Lemma prob_same {X} (d : dist X) (P Q : X -> Prop) (dP : forall x, {P x} + {~ P x}) (dQ : forall x, {Q x} + {~ Q x}) :
  (forall x, P x <-> Q x) -> prob d dP = prob d dQ.
Proof. intros H. apply E_ext; intros x. now apply ind_iff. Qed.

Lemma exists_moment {X} (P : list X -> Prop) (path : list X) :
  Exists P (moments_of path) <-> exists newer past, path = newer ++ past /\ P past.
Proof.
  rewrite Exists_exists. split.
  - intros [past [Hin HP]]. apply in_moments_iff in Hin. destruct Hin as [newer Hn]. now exists newer, past.
  - intros [newer [past [Hn HP]]]. exists past. split; [apply in_moments_iff; now exists newer | assumption].
Qed.

Section Headline.
  Load "setup/Equality".
  Variables (states : list S) (acts : S -> list A) (xs : list R) (M : mdp S A) (G : R -> R) (L best delta : R).
  Hypothesis Hstates : NoDup states.
  Hypothesis Hall : forall s, In s states.
  Hypothesis Hacts : forall s, acts s <> [] /\ NoDup (acts s).
  Hypothesis Hxs : forall x, In x xs -> 0 <= x < 1.
  Hypothesis HM : is_mdp M.
  Hypothesis Hhorizon : (1 <= horizon M)%nat.
  Hypothesis Hrewards : forall s a, almost_surely (reward M s a) (fun r => In r (xs ++ [1])).
  Hypothesis HG : weighting G.
  Hypothesis HGL : lipschitz_weighting G L.
  Hypothesis HGc : concave_weighting G.
  Hypothesis Hbest : is_lub (fun x => exists pi, is_policy pi /\ allowed acts M pi /\ x = value G M pi) best.
  Hypothesis Hdelta : 0 < delta <= 1.

  Local Notation pasts := (list (history S A)).
  Local Notation T := (horizon M).
  Local Notation succ := (fun _ _ => states).

  Variables (believes : pasts -> beliefs S A) (learner : pasts -> policy S A) (utility : pasts -> R -> R)
            (w0 : pasts -> R) (w : pasts -> nat -> R).
  Hypothesis Hvalid : forall past, valid_beliefs state_dec action_dec states acts xs delta past (believes past).
  Hypothesis Hpolicy : forall past, is_policy (learner past).
  Hypothesis Hutility : forall past, supports_on G L (INR T) (utility past).
  Hypothesis Hnear : forall past h, supports_on G L (INR T) h ->
    v_hat acts succ M believes past h <= v_hat acts succ M believes past (utility past) + w0 past.
  Hypothesis Hgreedy : forall past, near_greedy_hat acts succ (believes past) (utility past) T (w past) (learner past).

  Variables (cautious : pasts -> policy S A) (cautious_utility : pasts -> R -> R) (wc : pasts -> nat -> R).
  Hypothesis Hcautious : forall past, is_policy (cautious past).
  Hypothesis Hcautious_utility : forall past, supports_on G L (INR T) (cautious_utility past).
  Hypothesis Hcautious_greedy : forall past,
    near_greedy_chk acts succ (believes past) (cautious_utility past) T (wc past) (cautious past).

  Definition sometime (P : pasts -> Prop) (path : pasts) : Prop := exists newer past, path = newer ++ past /\ P past.

  Definition plain_data_bound (past : pasts) : R :=
    L * (exp 1 / (exp 1 - 1) * (sum_observed (fun p g =>
      HistoryCost.cost_of_steps (plain_cost succ (believes p) M) (fst g)) past +
         INR T * (INR T + 1) / 2 * ln (/ delta))) + errors M w0 w past.

  Definition plain_a_priori_bound (Gamma : R) (past : pasts) : R :=
    L * (exp 1 / (exp 1 - 1) * (
      ((INR T - 1) * Rmin Gamma (2 * sqrt Gamma) + 2) *
        sqrt (2 * INR (length (pairs states acts)) * INR (length past) * INR T * lambda states acts xs delta
          (length past * T)) +
      INR T ^ 2 * INR (length (pairs states acts)) + INR T * (INR T + 1) / 2 * ln (/ delta))) + errors M w0 w past.

  (** Given: concave G; states, actions and the values of the rewards known, nothing else.
      Differs: another learner; the statement of `learner/KlStatement.v`.
      In words: 10-kl-learner.md#kl-proved.
      Step of: corrected/ii. *)
  Theorem kl_headline K :
    (forall dec : forall path, {sometime (fun past =>
      ~ in_interval acts succ M G best believes utility w0 cautious cautious_utility wc past) path} +
                               {~ sometime (fun past => ~ in_interval acts succ M G best believes utility w0 cautious
                                 cautious_utility wc past) path},
       prob (episodes M learner K) dec <= delta) /\
    (forall dec : forall path, {sometime (fun past => plain_data_bound past < regret M learner G best past) path} +
                               {~ sometime (fun past => plain_data_bound past < regret M learner G best past) path},
       prob (episodes M learner K) dec <= 2 * delta) /\
    (forall Gamma part,
       (forall s a, NoDup (part s a) /\ INR (length (part s a)) <= Gamma) ->
       (forall s a, In a (acts s) -> almost_surely (trans M s a) (fun s' => In s' (part s a))) ->
       (forall past, exact_sets state_dec action_dec states acts xs delta believes past) ->
       forall dec : forall path, {sometime (fun past => plain_a_priori_bound Gamma past <
         regret M learner G best past) path} +
                                 {~ sometime (fun past => plain_a_priori_bound Gamma past <
                                   regret M learner G best past) path},
       prob (episodes M learner K) dec <= 2 * delta).
  Proof.
    pose proof (fun s => proj1 (Hacts s)) as Hne. pose proof (fun s => proj2 (Hacts s)) as Hnd.
    destruct Hdelta as [Hd0 Hd1].
    split; [|split].
    - intros dec. eapply Rle_trans; [|exact (plain_intervals_hold state_dec action_dec states acts xs delta Hstates Hall
        Hne Hxs Hd0 M HM
        Hhorizon Hrewards G L best HG HGL HGc Hbest believes learner utility w0 w Hvalid Hpolicy Hutility Hnear Hgreedy
        cautious cautious_utility wc K Hcautious Hcautious_utility Hcautious_greedy)].
      right. apply prob_same. intros path. symmetry. apply exists_moment.
    - intros dec. eapply Rle_trans; [|exact (plain_regret_from_data state_dec action_dec states acts xs delta Hstates
        Hall Hne Hxs Hd0 M HM
        Hhorizon Hrewards G L best HG HGL HGc Hbest believes learner utility w0 w Hvalid Hpolicy Hutility Hnear Hgreedy
          K)].
      right. apply prob_same. intros path. symmetry.
      apply (exists_moment (fun past => plain_data_bound past < regret M learner G best past)).
    - intros Gamma part Hpart Hsupp Hexact dec.
      assert (HG0 : 0 <= Gamma).
      { destruct (law_inhabited (init M) (init_law M HM)) as [s [p _]]. specialize (Hne s).
        destruct (acts s) as [|a l]; [congruence|].
        eapply Rle_trans; [apply pos_INR | apply (proj2 (Hpart s a))]. }
      eapply Rle_trans; [|exact (plain_regret_a_priori state_dec action_dec states acts xs delta Hstates Hall Hne Hnd
        Hxs Hd0 M HM
        Hhorizon Hrewards G L best HG HGL HGc Hbest believes learner utility w0 w Hvalid Hpolicy Hutility Hnear Hgreedy
          part Gamma K
        Hd1 (fun s a => proj1 (Hpart s a)) (fun s a => proj2 (Hpart s a)) HG0 Hsupp Hexact)].
      right. apply prob_same. intros path. symmetry.
      rewrite (exists_moment (fun past => a_priori_bound (pairs states acts) M L w0 w delta Gamma
        (lambda states acts xs delta) past < regret M learner G best past)).
      unfold sometime, plain_a_priori_bound, a_priori_bound, beta, KlRegret.g, RegretAssembly.B.
      split; intros [newer [past [Hn H]]]; exists newer, past; (split; [exact Hn|]); eapply Rle_lt_trans; try exact H;
        right; ring.
  Qed.
End Headline.
