(** * The corrected regret theorem, to be read on its own      (thm:main, corrected)

    Imported: finite laws (the first page of FiniteLaw.v), [Phi] and weightings (Objective.v), models, histories and
    policies (the first page of Mdp.v).

    For concave L-Lipschitz G there are learners, functions of the horizon, the initial law and the episodes seen and of
    nothing else, with these regrets in every model with rewards in [0, 1]. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp.
From VerifiedRisk Require ConcaveLearner PrintedBoundHolds RegretAssembly.
Import ListNotations.
Open Scope R_scope.

Section Statement.
  Context {S A : Type}.
  Local Notation data := (list (history S A)).   (* the episodes so far, latest first *)

  (** Each episode is drawn with the policy that the learner makes of the episodes before. *)
  Definition episodes (M : mdp S A) (learner : data -> policy S A) : nat -> dist data := fix episodes n :=
    match n with
    | O => ret []
    | Datatypes.S n' => bind (episodes n') (fun past =>
      image (fun x => x :: past) (history_law M (learner past) (horizon M)))
    end.
  Definition regret (M : mdp S A) (learner : data -> policy S A) (G : R -> R) (best : R) : data -> R :=
    fix regret path :=
    match path with
    | [] => 0
    | _ :: past => (best - value G M (learner past)) + regret past
    end.

  Theorem regret_statement (state_dec : forall s s' : S, {s = s'} + {s <> s'}) (action_dec : forall a a' : A,
    {a = a'} + {a <> a'})
    (states : list S) (actions : list A) (acts : S -> list A) (G : R -> R) (L : R) (T K : nat) (D : dist S)
      (delta : R) :
    NoDup states -> NoDup actions -> (forall s, In s states) -> (forall a, In a actions) -> (forall s, acts s <> []) ->
    weighting G -> lipschitz_weighting G L -> concave_weighting G -> (1 <= T)%nat -> (1 <= K)%nat -> 0 < delta <= 1 ->
    let S0 := INR (length states) in let A0 := INR (length actions) in let t := INR T in let k := INR K in
    let l := ln ((S0 + 2) * S0 * A0 * k * t / delta) in
    let beta := ((t - 1) * S0 + 2) * sqrt (2 * S0 * A0 * k * t * l) + t ^ 2 * (S0 * A0) in
    exists first second : data -> policy S A,
    forall (M : mdp S A) (best : R), horizon M = T -> init M = D -> is_mdp M -> rewards_within 1 M ->
      is_lub (fun x => exists pi, is_policy pi /\
        (forall h, (time h < horizon M)%nat -> almost_surely (pi h) (fun a => In a (acts (state h)))) /\
          x = value G M pi) best ->
      (* (i) *)   E (episodes M first K) (regret M first G best) <= L * beta + delta * k * t /\
      (* (ii) *)  prob (episodes M first K) (fun path => Rlt_dec
                    (L * (exp 1 / (exp 1 - 1) * (beta + t * (t + 1) / 2 * ln (/ delta)))) (regret M first G best path))
                      <= 2 * delta /\
      (* (iii) *) prob (episodes M second K) (fun path => Rlt_dec
                    (L * (4 * (t * sqrt t) * (S0 + 1) * sqrt ((S0 + 1) * A0 * k * ln (4 * (S0 + 1) * A0 * k / delta))))
                    (regret M second G best path)) <= delta.
  Proof.
    intros Hs Ha Hall Hall_a Hacts HG HGL HGc HT HK Hd S0 A0 t k l beta.
    set (M0 := Build_mdp S A T D (fun _ _ => D) (fun _ _ => [])).
    exists (ConcaveLearner.concave_learner state_dec action_dec states actions acts M0 G K delta),
           (ConcaveLearner.concave_learner state_dec action_dec states actions acts M0 G K (delta / 2)).
    intros M best Hh Hi HM Hrew Hbest.
    rewrite !(ConcaveLearner.concave_learner_ignores_unknowns state_dec action_dec states actions acts M M0 G K)
      by (symmetry; assumption).
    assert (Hsize : forall X (x : X) (xs : list X), In x xs -> 1 <= INR (length xs))
      by (intros X x [|y xs] Hin; [destruct Hin | apply (le_INR 1); simpl; lia]).
    destruct (law_inhabited (init M) (init_law M HM)) as [s _]. pose proof (Hsize S s states (Hall s)) as HS1.
    fold S0 in HS1.
    assert (HA1 : 1 <= A0) by (specialize (Hacts s); destruct (acts s) as [|a0 rest];
      [congruence | exact (Hsize A a0 actions (Hall_a a0))]).
    assert (HT1 : 1 <= INR (horizon M)) by (rewrite Hh; apply (le_INR 1); assumption).
    assert (HK1 : 1 <= INR K) by (apply (le_INR 1); assumption).
    assert (Hlog : 0 < RegretAssembly.log_term M states actions K delta).
    { unfold RegretAssembly.log_term; fold S0 A0. rewrite <- ln_1. apply ln_increasing; [lra|].
      assert (1 <= A0 * INR K) by nra. assert (1 <= A0 * INR K * INR (horizon M)) by nra.
      assert (1 <= S0 * (A0 * INR K * INR (horizon M))) by nra.
      assert (3 <= (S0 + 2) * (S0 * (A0 * INR K * INR (horizon M)))) by nra.
      replace ((S0 + 2) * S0 * A0 * INR K * INR (horizon M) / delta)
        with ((S0 + 2) * (S0 * (A0 * INR K * INR (horizon M))) * / delta) by (field; lra).
      assert (1 <= / delta) by (rewrite <- Rinv_1 at 1; apply Rinv_le_contravar; lra). nra. }
    unfold beta, l, t, k; rewrite <- Hh. split; [|split].
    - exact (ConcaveLearner.concave_learner_expected_regret state_dec action_dec states actions Hs Ha Hall Hall_a acts
        Hacts M HM Hrew
        G L HG HGL HGc K delta best Hbest (proj1 Hd) Hlog).
    - exact (ConcaveLearner.concave_learner_regret_with_high_probability state_dec action_dec states actions Hs Ha Hall
        Hall_a acts Hacts
        M HM Hrew G L HG HGL HGc K delta best Hbest (proj1 Hd) Hlog).
    - exact (ConcaveLearner.concave_learner_meets_printed_bound state_dec action_dec states actions Hs Ha Hall Hall_a
        acts Hacts
        M HM Hrew G L HG HGL HGc K delta best Hbest Hd ltac:(rewrite Hh; exact HT) HK).
  Qed.
End Statement.
