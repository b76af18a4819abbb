(** * The theorem: what [check] accepts is true

    If [check m o c k] is true, then in the decision process that the model m stands for, the policy that the
    certificate k describes attains at least [lower c], and no policy, randomised and history-dependent ones included,
    exceeds [upper c]. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity JointModel Rows Tree Program Check PolygonCheck Verdict
  Meaning ModelFacts RatFacts TablesAbove TailRoute QuantileRoute CellsRoute PolygonObjective PolygonRoute LawCheck
  Machines TailObjective LawRoute CellCover ReturnsCover Contractions.
Import ListNotations.
Open Scope R_scope.

Lemma lower_test_sound m o p bound : good_model m = true -> good_objective o = true -> ok bound ->
  snd (lower_test m o p bound) tt = true ->
  let pi := policy_of m p in
  is_jpolicy pi /\ plays_allowed (meaning m) pi /\ real_of bound <= value_of o (jreturn_law (meaning m) pi).
Proof.
    intros Hm Ho Hokl Hlow. cbn zeta.
    unfold lower_test in Hlow.
    destruct p as [V choices|V g start choices|V c start choices|V c start costs choices|V mix_den parts]; cbn
      [policy_of].
    + split; [apply is_jpolicy_playing|]. split; [apply plays_allowed_playing|].
      destruct o as [w alpha|alpha is_upper|corners]; try discriminate.
      destruct (Z.eqb_spec (num w) (den w)) as [E|E]; [|discriminate]. now apply (markov_mean_Phi m w alpha Hm Ho V).
    + split; [apply is_jpolicy_playing|]. split; [apply plays_allowed_playing|].
      destruct o as [w alpha|alpha is_upper|corners].
      * now apply (tail_by_policy_correct m w alpha Hm Ho V).
      * now apply (quantile_by_policy_correct m alpha is_upper Hm Ho V).
      * now apply (polygon_by_policy_correct m corners Hm Ho V).
    + split; [apply is_jpolicy_playing|]. split; [apply plays_allowed_playing|].
      destruct o as [w alpha|alpha is_upper|corners]; try discriminate.
      now apply (tail_by_cells_correct m w alpha Hm Ho V).
    + split; [apply is_jpolicy_playing|]. split; [apply plays_allowed_playing|].
      destruct o as [w alpha|alpha is_upper|corners]; try discriminate.
      now apply (polygon_by_lines_correct m corners Hm Ho V c start costs choices).
    + assert (H : good_parts mix_den parts = true /\
        real_of bound <= value_of o (jreturn_law (meaning m) (mixture_policy m mix_den parts))).
      { destruct o as [w alpha|alpha is_upper|corners]; cbn [snd] in Hlow.
        - destruct (tail_facts w alpha Ho) as [_ [_ [_ [HW HA]]]].
          apply (weighted_by_law_correct m V mix_den parts Hm _ (tail_weight_at w alpha));
            [now apply weighting_tail | assumption | | assumption].
          intros tau Htau _. destruct (tail_weight_at_correct w alpha Ho tau Htau) as [H1 H2].
          split; [assumption | now right].
        - now apply (quantile_by_law_correct m V mix_den parts Hm).
        - apply (weighted_by_law_correct m V mix_den parts Hm _ (polygon_at (of_Z 0) (of_Z 0) corners));
            [now apply weighting_polygon | assumption | | assumption].
          intros tau Htau _. destruct (polygon_at_correct corners (of_Z 0) (of_Z 0) tau Ho (ok_of_Z 0) (ok_of_Z 0) Htau)
            as [H1 H2].
          rewrite !real_of_Z in H2. split; [assumption | now right]. }
      destruct H as [Hp H]. split; [now apply is_jpolicy_mixture|]. split; [apply plays_allowed_mixture | assumption].
Qed.

Lemma upper_test_sound m o p bound pi : good_model m = true -> good_objective o = true -> ok bound ->
  snd (upper_test m o p bound) tt = true ->
  is_jpolicy pi -> plays_allowed (meaning m) pi -> value_of o (jreturn_law (meaning m) pi) <= real_of bound.
Proof.
    intros Hm Ho Hoku Hup Hpi Hal. unfold upper_test in Hup.
    destruct o as [w alpha|alpha is_upper|corners], p as [V|V g|V c|V g start|V g start boxes|V c start boxes|V returns
      boxes|V g start boxes]; try discriminate.
    + now apply (tail_by_mean_correct m w alpha Hm Ho V).
    + now apply (tail_by_budgets_correct m w alpha Hm Ho V g).
    + now apply (tail_by_all_cells_correct m w alpha Hm Ho V c).
    + now apply (quantile_by_threshold_correct m alpha is_upper Hm Ho V g start).
    + apply (polygon_by_cover_correct m (fun _ => corners) (polygon 0 0 corners) Hm (weighting_polygon corners Ho))
        with V g start boxes; try assumption.
      intros p _. split; [apply (corners_to_1_good _ _ _ Ho) | intros; lra].
    + apply (polygon_by_cell_cover_correct m (fun _ => corners) (polygon 0 0 corners) Hm (weighting_polygon corners Ho))
        with V c start boxes; try assumption.
      intros p _. split; [apply (corners_to_1_good _ _ _ Ho) | intros; lra].
    + apply (polygon_by_returns_correct m (fun _ => corners) (polygon 0 0 corners) Hm (weighting_polygon corners Ho))
        with V returns boxes; try assumption.
      intros p _. split; [apply (corners_to_1_good _ _ _ Ho) | intros; lra].
    + apply (polygon_by_contraction_correct m (fun _ => corners) (polygon 0 0 corners) Hm
        (weighting_polygon corners Ho)) with V g start boxes; try assumption.
      intros p _. split; [apply (corners_to_1_good _ _ _ Ho) | intros; lra].
Qed.

(** Given: integers: the certificate's policy and all policies of the model given; see
    proofs_checks/formal/checker.
    Differs: every route of the checker, not only the two tables of CVaR; the checker, not the planner.
    Step of: production/plan. *)
Theorem check_sound (m : model) (o : objective) (c : claim) (k : certificate) :
  check m o c k = true ->
  (exists pi, pi = policy_of m (low k) /\ is_jpolicy pi /\ plays_allowed (meaning m) pi /\
     real_of (lower c) <= value_of o (jreturn_law (meaning m) pi)) /\
  (forall pi, is_jpolicy pi -> plays_allowed (meaning m) pi ->
     value_of o (jreturn_law (meaning m) pi) <= real_of (upper c)).
Proof.
  intros H. unfold check, tests in H. cbn [forallb snd] in H. repeat rewrite andb_true_iff in H.
  destruct H as [Hm [Ho [[Hl Hu] [Hlow [Hup _]]]]].
  assert (Hokl : ok (lower c)) by now apply Z.ltb_lt in Hl. assert (Hoku : ok (upper c)) by now apply Z.ltb_lt in Hu.
  split.
  - exists (policy_of m (low k)). split; [reflexivity|]. now apply lower_test_sound.
  - intros pi Hpi Hal. now apply (upper_test_sound m o (up k)).
Qed.

(** The driver's two questions agree. *)
Lemma no_failure_iff (l : list (reason * (unit -> bool))) : first_failure l = None <->
  forallb (fun test => snd test tt) l = true.
Proof.
  induction l as [|[why test] l IH]; cbn [first_failure forallb snd]; [tauto|].
  destruct (test tt); cbn [andb]; [exact IH | split; discriminate].
Qed.

Lemma verdict_none_iff_check (m : model) (o : objective) (c : claim) (k : certificate) : verdict m o c k = None <->
  check m o c k = true.
Proof. apply no_failure_iff. Qed.

