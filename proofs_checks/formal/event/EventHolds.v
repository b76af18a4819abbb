(** * The confidence event holds with probability 1 - delta      (paper: lem:event, corrected)

    A learner plays K episodes of an MDP; its policy in each episode is any function of the earlier episodes.  For each
    pair (s, a) and each moment between episodes, compare the empirical law of the rewards and next states seen there
    with the true ones.  With S0 states, |A| actions and

      eps(N) = sqrt( l / (2 N) ),      l = ln( (S0 + 2) S0 |A| K T / delta ),

    it holds with probability at least 1 - delta, simultaneously for every pair, every moment and N the number of visits
    so far (N > 0), that

      | F~(x) - F(x) | < eps(N) for every real x,        P~(s') - P(s') < eps(N) for every state s'.

    The counts are random and are not conditioned on: the first n observations of a pair, if there are that many, are no
    more likely to mislead than n independent draws (optional skipping), and n ranges over 1, ..., K T.
    Nothing is cited: DKW is [DkwFinite.v], Hoeffding is [HoeffdingFinite.v]. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective Mdp HoeffdingFinite ChainOfEvents DkwFinite MartingaleStep.
Import ListNotations.
Open Scope R_scope.

(** ** Lists: the oldest observations, draws taken in any order, draws read through a map *)

(** Lists of observations have the latest first. *)
Definition oldest {X} (n : nat) (w : list X) : list X := skipn (length w - n) w.

Lemma oldest_app {X} (newer w : list X) : oldest (length w) (newer ++ w) = w.
Proof. unfold oldest. rewrite app_length, Nat.add_sub, skipn_app, skipn_all, Nat.sub_diag. reflexivity. Qed.

Lemma oldest_cons {X} n (x : X) w : (n <= length w)%nat -> oldest n (x :: w) = oldest n w.
Proof. intros H; unfold oldest; simpl length. now rewrite Nat.sub_succ_l. Qed.

Lemma E_draws_last {X} (d : dist X) n f :
  E (draws (repeat d (S n))) f = E d (fun x => E (draws (repeat d n)) (fun xs => f (xs ++ [x]))).
Proof.
  revert f; induction n as [|n IH]; intros f.
  - cbn [repeat]. rewrite E_draws_cons. reflexivity.
  - cbn [repeat] in *. rewrite E_draws_cons.
    rewrite (E_ext d _ _ (fun x => IH (fun xs => f (x :: xs)))). rewrite E_swap.
    apply E_ext; intros x. now rewrite E_draws_cons.
Qed.

Lemma E_draws_map {X Y} (h : X -> Y) (d : dist X) (e : dist Y) n f :
  (forall g, E e g = E d (fun x => g (h x))) ->
  E (draws (repeat d n)) (fun xs => f (map h xs)) = E (draws (repeat e n)) f.
Proof.
  intros He; revert f; induction n as [|n IH]; intros f; [reflexivity|]. cbn [repeat]. rewrite !E_draws_cons, He.
  apply E_ext; intros x. apply (IH (fun ys => f (h x :: ys))).
Qed.

(** ** The interaction *)

Section Interaction.
  Load "setup/Equality".
  Load "setup/Play".

  Local Notation T := (horizon M).

  (** The law of the episodes, latest first. *)
  Definition episodes (K : nat) : dist (list (history S A)) :=
    process (fun past => history_law M (learner past) T) K.

  Definition pair_dec (x y : S * A) : {x = y} + {x <> y}.
  Proof. decide equality. Defined.

  (** What was seen at a pair: rewards and next states, latest first. *)
  Fixpoint seen_in (sa : S * A) (steps : list (S * A * R)) (s' : S) : list (R * S) :=
    match steps with
    | [] => []
    | (s, a, r) :: rest => if pair_dec (s, a) sa then (r, s') :: seen_in sa rest s else seen_in sa rest s
    end.
  Definition seen_once (sa : S * A) (h : history S A) : list (R * S) := seen_in sa (fst h) (snd h).
  Definition seen (sa : S * A) (path : list (history S A)) : list (R * S) := flat_map (seen_once sa) path.

  Lemma law_episode past : is_law (history_law M (learner past) T).
  Proof. now apply law_history. Qed.

  Lemma law_episodes K : is_law (episodes K).
  Proof. apply law_process; intros; apply law_episode. Qed.

  (** The law of one observation. *)
  Definition observation (sa : S * A) : dist (R * S) :=
    bind (reward M (fst sa) (snd sa)) (fun r => image (pair r) (trans M (fst sa) (snd sa))).

  Lemma E_observation sa f :
    E (observation sa) f =
    E (reward M (fst sa) (snd sa)) (fun r => E (trans M (fst sa) (snd sa)) (fun s => f (r, s))).
  Proof. unfold observation; rewrite E_bind; apply E_ext; intros r; apply E_image. Qed.

  Lemma law_observation sa : is_law (observation sa).
  Proof. apply law_bind; [now apply reward_law | intros r; apply law_image; now apply trans_law]. Qed.

  (** ** Optional skipping *)

  Section Skipping.
    Variables (sa : S * A) (n : nat) (g : list (R * S) -> R).
    Local Notation d := (observation sa).

    (** What [g] of the first [n] observations is worth when [w] has been seen. *)
    Definition outlook (w : list (R * S)) : R :=
      if le_dec n (length w) then g (oldest n w) else E (draws (repeat d (n - length w))) (fun ys => g (ys ++ w)).

    Lemma outlook_before w : (length w <= n)%nat ->
      outlook w = E (draws (repeat d (n - length w))) (fun ys => g (ys ++ w)).
    Proof.
      intros H; unfold outlook. destruct (le_dec n (length w)) as [Hle|]; [|reflexivity].
      replace n with (length w) by lia. rewrite Nat.sub_diag. cbn [repeat draws]. rewrite E_ret.
      now rewrite (oldest_app [] w : oldest (length w) w = w).
    Qed.

    Lemma outlook_step w : E d (fun x => outlook (x :: w)) = outlook w.
    Proof.
      destruct (le_dec n (length w)) as [Hle|Hgt].
      - rewrite (E_ext d _ (fun _ => outlook w)); [apply E_const, law_observation|].
        intros x; unfold outlook; simpl length.
        destruct (le_dec n (Datatypes.S (length w))); [|lia]. destruct (le_dec n (length w)); [|lia].
        now rewrite oldest_cons.
      - rewrite (outlook_before w) by lia.
        replace (n - length w)%nat with (Datatypes.S (n - Datatypes.S (length w))) by lia.
        rewrite E_draws_last. apply E_ext; intros x. rewrite outlook_before by (simpl; lia). simpl length.
        apply E_ext; intros ys. now rewrite <- app_assoc.
    Qed.

    Lemma seen_once_extend h a r s' :
      seen_once sa (extend h a r s') =
      if pair_dec (state h, a) sa then (r, s') :: seen_once sa h else seen_once sa h.
    Proof. reflexivity. Qed.

    Lemma outlook_episode pi t w :
      is_policy pi -> E (history_law M pi t) (fun h => outlook (seen_once sa h ++ w)) = outlook w.
    Proof.
      intros Hpi; induction t as [|t IH].
      - rewrite E_history_law_0. change (E (init M) (fun _ => outlook w) = outlook w). apply E_const, init_law, HM.
      - rewrite E_history_law_S. rewrite <- IH at 1. apply E_ext; intros h. rewrite E_step.
        rewrite (E_ext (pi h) _ (fun _ => outlook (seen_once sa h ++ w))); [apply E_const, Hpi|]. intros a.
        destruct (pair_dec (state h, a) sa) as [Heq|Hne].
        + transitivity (E d (fun x => outlook (x :: seen_once sa h ++ w))); [|apply outlook_step].
          assert (H1 : fst sa = state h) by (now rewrite <- Heq). assert (H2 : snd sa = a) by (now rewrite <- Heq).
          rewrite E_observation, H1, H2. apply E_ext; intros r. apply E_ext; intros s.
          rewrite seen_once_extend. destruct (pair_dec (state h, a) sa); [reflexivity | contradiction].
        + rewrite (E_ext _ _ (fun _ => outlook (seen_once sa h ++ w))); [apply E_const, reward_law, HM|]. intros r.
          rewrite (E_ext _ _ (fun _ => outlook (seen_once sa h ++ w))); [apply E_const, trans_law, HM|]. intros s.
          rewrite seen_once_extend. destruct (pair_dec (state h, a) sa); [contradiction | reflexivity].
    Qed.

    Lemma outlook_episodes K : E (episodes K) (fun path => outlook (seen sa path)) = E (draws (repeat d n)) g.
    Proof.
      induction K as [|K IH].
      - unfold episodes; simpl process. rewrite E_ret. simpl seen. rewrite outlook_before by (simpl; lia).
        simpl length. rewrite Nat.sub_0_r. apply E_ext; intros ys. now rewrite app_nil_r.
      - unfold episodes in *. rewrite E_process_S, <- IH. apply E_ext; intros past. now apply outlook_episode.
    Qed.

    (** The first [n] observations of a pair, if there are that many, against [n] independent draws.
        Given: any learner, any finite MDP, decidable states and actions.
        Step of: L0/adaptive. *)
    Theorem optional_skipping K :
      (forall xs, 0 <= g xs) ->
      E (episodes K) (fun path => ind (le_dec n (length (seen sa path))) * g (oldest n (seen sa path)))
      <= E (draws (repeat d n)) g.
    Proof.
      intros Hg. rewrite <- (outlook_episodes K). apply E_le; [apply law_episodes|]. intros path.
      unfold outlook. destruct (le_dec n (length (seen sa path))); cbn [ind]; [lra|].
      rewrite Rmult_0_l. apply E_nonneg; [apply law_draws, Forall_repeat, law_observation | intros; apply Hg].
    Qed.
  End Skipping.

  (** ** Misleading samples *)

  Variables (states : list S) (acts : list A).

  (** The frequency of a next state among the observations. *)
  Definition frequency (s' : S) (xs : list (R * S)) : R := average (fun x => ind (state_dec (snd x) s')) xs.

  Definition odd_reward (sa : S * A) (xs : list (R * S)) : Prop :=
    Exists (fun x => ~ In (fst x) (map fst (reward M (fst sa) (snd sa)))) xs.
  Definition far_rewards (sa : S * A) (eps : R) (xs : list (R * S)) : Prop :=
    Exists (fun z => eps <= Rabs (empirical (map fst xs) z - cdf (reward M (fst sa) (snd sa)) z))
           (map fst (reward M (fst sa) (snd sa))).
  Definition high_frequency (sa : S * A) (eps : R) (xs : list (R * S)) : Prop :=
    Exists (fun s' => mass state_dec (trans M (fst sa) (snd sa)) s' + eps <= frequency s' xs) states.

  Definition odd_reward_dec sa xs : {odd_reward sa xs} + {~ odd_reward sa xs}.
  Proof.
    apply Exists_dec; intros x.
    destruct (in_dec Req_EM_T (fst x) (map fst (reward M (fst sa) (snd sa)))); [right; tauto | left; assumption].
  Defined.
  Definition far_rewards_dec sa eps xs : {far_rewards sa eps xs} + {~ far_rewards sa eps xs} :=
    Exists_dec _ _ (fun z => Rle_dec _ _).
  Definition high_frequency_dec sa eps xs : {high_frequency sa eps xs} + {~ high_frequency sa eps xs} :=
    Exists_dec _ _ (fun z => Rle_dec _ _).

  Definition misleading sa eps xs : Prop := odd_reward sa xs \/ far_rewards sa eps xs \/ high_frequency sa eps xs.
  Definition misleading_dec sa eps xs : {misleading sa eps xs} + {~ misleading sa eps xs}.
  Proof.
    unfold misleading. destruct (odd_reward_dec sa xs); [now left; left|].
    destruct (far_rewards_dec sa eps xs); [now left; right; left|].
    destruct (high_frequency_dec sa eps xs); [now left; right; right | right; tauto].
  Defined.

  Local Notation S0 := (INR (length states)).

  Lemma misleading_is_rare sa n eps :
    (0 < n)%nat -> 0 < eps ->
    prob (draws (repeat (observation sa) n)) (misleading_dec sa eps) <= (S0 + 2) * exp (- 2 * INR n * eps ^ 2).
  Proof.
    intros Hn Heps. set (sample := draws (repeat (observation sa) n)).
    assert (Hl : is_law sample) by (apply law_draws, Forall_repeat, law_observation).
    assert (H1 : prob sample (odd_reward_dec sa) = 0).
    { unfold prob. rewrite <- (E_zero sample). apply E_ext_as.
      assert (Hs : almost_surely (observation sa) (fun x => In (fst x) (map fst (reward M (fst sa) (snd sa))))).
      { apply as_bind. intros r p Hr _. apply as_image, as_always. intros s; simpl. apply in_map_iff; now exists (r, p).
        }
      apply (draws_support _ n) in Hs. revert Hs; apply as_impl; intros xs Hxs. apply ind_no. intros Hodd.
      apply Exists_exists in Hodd; destruct Hodd as [x [Hx Hno]]. rewrite Forall_forall in Hxs. now apply Hno, Hxs. }
    assert (H2 : prob sample (far_rewards_dec sa eps) <= 2 * exp (- 2 * INR n * eps ^ 2)).
    { pose proof (dkw (reward M (fst sa) (snd sa)) (reward_law M HM _ _) n eps Hn Heps) as H.
      eapply Rle_trans; [|exact H]. right. unfold prob, sample.
      rewrite <- (E_draws_map fst (observation sa)).
      - apply E_ext; intros xs. apply ind_iff; unfold far_rewards; tauto.
      - intros f. rewrite E_observation. apply E_ext; intros r. simpl. symmetry; apply E_const, trans_law, HM. }
    assert (H3 : prob sample (high_frequency_dec sa eps) <= S0 * exp (- 2 * INR n * eps ^ 2)).
    { rewrite <- (sum_const states). unfold high_frequency_dec.
      eapply Rle_trans; [apply (prob_exists_le sample (fun s' xs => mass state_dec _ s' + eps <= frequency s' xs)
        (fun s' xs => Rle_dec _ _)); apply Hl|].
      apply sum_le; intros s' _.
      pose proof (average_rarely_above (observation sa) (fun x => ind (state_dec (snd x) s')) n (law_observation sa)
        ltac:(apply as_always; intros; apply ind_range) Hn eps (Rlt_le _ _ Heps)) as H.
      replace (E (observation sa) (fun x => ind (state_dec (snd x) s')))
        with (mass state_dec (trans M (fst sa) (snd sa)) s') in H.
      - exact H.
      - rewrite E_observation. symmetry.
        apply (E_const (reward M (fst sa) (snd sa)) (mass state_dec (trans M (fst sa) (snd sa)) s')), reward_law, HM. }
    apply Rle_trans with (prob sample (odd_reward_dec sa) + prob sample (far_rewards_dec sa eps) +
                          prob sample (high_frequency_dec sa eps)); [|lra].
    unfold prob. rewrite <- !E_plus. apply E_le; [apply Hl|]. intros xs.
    pose proof (ind_range (odd_reward_dec sa xs)). pose proof (ind_range (far_rewards_dec sa eps xs)).
    pose proof (ind_range (high_frequency_dec sa eps xs)).
    destruct (misleading_dec sa eps xs) as [[Hm|[Hm|Hm]]|]; cbn [ind]; [| | |lra].
    - rewrite (ind_yes (odd_reward_dec sa xs)) by assumption; lra.
    - rewrite (ind_yes (far_rewards_dec sa eps xs)) by assumption; lra.
    - rewrite (ind_yes (high_frequency_dec sa eps xs)) by assumption; lra.
  Qed.

  (** ** The event *)

  Variable radius : nat -> R.
  Hypothesis Hradius : forall n, (0 < n)%nat -> 0 < radius n.
  Variable K : nat.

  Definition moments : list (S * A * nat) := list_prod (list_prod states acts) (seq 1 (K * T)).

  Definition misled_at (i : S * A * nat) (path : list (history S A)) : Prop :=
    (snd i <= length (seen (fst i) path))%nat /\
      misleading (fst i) (radius (snd i)) (oldest (snd i) (seen (fst i) path)).

  Definition misled_at_dec i path : {misled_at i path} + {~ misled_at i path}.
  Proof.
    unfold misled_at. destruct (le_dec (snd i) (length (seen (fst i) path))); [|right; tauto].
    destruct (misleading_dec (fst i) (radius (snd i)) (oldest (snd i) (seen (fst i) path))); [now left | right; tauto].
  Defined.

  Definition misled_dec path : {Exists (fun i => misled_at i path) moments} +
    {~ Exists (fun i => misled_at i path) moments} :=
    Exists_dec _ moments (fun i => misled_at_dec i path).

  Theorem misled_is_rare :
    prob (episodes K) misled_dec <=
    sum moments (fun i => (S0 + 2) * exp (- 2 * INR (snd i) * radius (snd i) ^ 2)).
  Proof.
    eapply Rle_trans; [apply (prob_exists_le (episodes K) misled_at misled_at_dec); apply law_episodes|].
    apply sum_le; intros [sa n] Hin; simpl.
    assert (Hn : (0 < n)%nat) by (apply in_prod_iff in Hin; destruct Hin as [_ Hin]; apply in_seq in Hin; lia).
    eapply Rle_trans; [|apply (misleading_is_rare sa n (radius n)); auto].
    eapply Rle_trans; [|apply (optional_skipping sa n (fun xs => ind (misleading_dec sa (radius n) xs)) K)];
      [|intros; apply ind_range].
    apply E_le; [apply law_episodes|]. intros path. unfold misled_at_dec; simpl.
    destruct (le_dec n (length (seen sa path))); simpl; [|lra].
    destruct (misleading_dec sa (radius n) (oldest n (seen sa path))); simpl; lra.
  Qed.

  (** What it means not to be misled: at every moment, at every pair seen at least once. *)
  Definition confident (past : list (history S A)) : Prop :=
    forall s a, In s states -> In a acts -> let xs := seen (s, a) past in
    (0 < length xs)%nat ->
    (forall x, Rabs (empirical (map fst xs) x - cdf (reward M s a) x) < radius (length xs)) /\
    (forall s', In s' states -> frequency s' xs < mass state_dec (trans M s a) s' + radius (length xs)).

  Lemma episodes_are_full : almost_surely (episodes K)
    (fun path => length path = K /\ List.Forall (fun h => time h = T) path).
  Proof.
    unfold episodes; induction K as [|k IH]; simpl; [apply as_ret; now split|].
    apply as_bind; revert IH; apply as_impl; intros past [Hlen Hall]. apply as_image.
    pose proof (history_time M (learner past) T) as Ht; revert Ht; apply as_impl; intros h Hh. simpl; split; auto.
  Qed.

  Lemma seen_length sa path : List.Forall (fun h => time h = T) path -> (length (seen sa path) <= length path * T)%nat.
  Proof.
    unfold seen; induction 1 as [|h path Hh _ IH]; simpl; [lia|]. rewrite app_length.
    assert (length (seen_once sa h) <= time h)%nat; [|lia].
    destruct h as [steps s']; unfold seen_once, time; simpl; clear.
    revert s'; induction steps as [|[[s a] r] steps IH]; intros s'; cbn [seen_in length]; [lia|].
    destruct (pair_dec (s, a) sa); cbn [length]; specialize (IH s); lia.
  Qed.

  Theorem not_misled_is_confident :
    almost_surely (episodes K) (fun path =>
      ~ Exists (fun i => misled_at i path) moments -> forall newer past, path = newer ++ past -> confident past).
  Proof.
    pose proof episodes_are_full as H; revert H; apply as_impl.
    intros path [Hlen Hall] Hnot newer past -> s a Hs Ha xs Hpos.
    set (n := length xs).
    assert (Hseen : seen (s, a) (newer ++ past) = seen (s, a) newer ++ xs) by apply flat_map_app.
    assert (Hn : (n <= K * T)%nat).
    { pose proof (seen_length (s, a) _ Hall) as Hl. rewrite Hseen, app_length, Hlen in Hl. unfold n; lia. }
    assert (Hgood : ~ misleading (s, a) (radius n) xs).
    { intros Hm; apply Hnot, Exists_exists. exists ((s, a), n); split.
      - apply in_prod; [now apply in_prod | apply in_seq; unfold n in *; lia].
      - split; simpl; rewrite Hseen; [rewrite app_length; unfold n; lia|]. unfold n; now rewrite oldest_app. }
    assert (Hrad : 0 < radius n) by (apply Hradius; assumption).
    split.
    - apply near_at_every_real_of_support; [assumption| |].
      + apply Forall_forall; intros r Hr. apply in_map_iff in Hr; destruct Hr as [x [<- Hx]].
        destruct (in_dec Req_EM_T (fst x) (map fst (reward M s a))) as [|Hno]; [assumption | exfalso].
        apply Hgood; left. apply Exists_exists; now exists x.
      + intros Hfar; apply Hgood; right; left; exact Hfar.
    - intros s' Hs'. apply Rnot_le_lt; intros Hle. apply Hgood; right; right. apply Exists_exists; now exists s'.
  Qed.
End Interaction.

(** ** With the radius of the corrected theorem *)

(** Given: any learner, any MDP with finite laws, delta > 0, l > 0; states and actions listed and decidable.
    Differs: finite reward laws; nothing cited, nothing conditioned on.
    In words: 06-event-and-optimism.md#L0. *)
Theorem event_holds {S A} (state_dec : forall s s' : S, {s = s'} + {s <> s'})
  (action_dec : forall a a' : A, {a = a'} + {a <> a'}) (M : mdp S A) (learner : list (history S A) -> policy S A)
  (states : list S) (acts : list A) (K : nat) (delta : R) :
  is_mdp M -> (forall past, is_policy (learner past)) -> 0 < delta ->
  let l := ln ((INR (length states) + 2) * INR (length states) * INR (length acts) * INR K * INR (horizon M) / delta) in
  let radius := fun N => sqrt (l / (2 * INR N)) in
  0 < l ->
  prob (episodes M learner K) (misled_dec state_dec action_dec M states acts radius K) <= delta /\
  almost_surely (episodes M learner K) (fun path =>
    ~ Exists (fun i => misled_at state_dec action_dec M states radius i path) (moments M states acts K) ->
    forall newer past, path = newer ++ past -> confident state_dec action_dec M states acts radius past).
Proof.
  intros HM Hlearner Hdelta l radius Hl.
  assert (Hpos : forall n, (0 < n)%nat -> 0 < l / (2 * INR n)).
  { intros n Hn. pose proof (lt_0_INR n Hn). apply Rdiv_lt_0_compat; lra. }
  assert (Hradius : forall n, (0 < n)%nat -> 0 < radius n) by (intros n Hn; apply sqrt_lt_R0, Hpos, Hn).
  split; [|now apply not_misled_is_confident].
  eapply Rle_trans; [now apply misled_is_rare|].
  set (S0 := INR (length states)). set (A0 := INR (length acts)).
  rewrite (sum_ext _ _ (fun _ => (S0 + 2) * exp (- l))).
  - rewrite sum_const. unfold moments. rewrite !prod_length, seq_length, !mult_INR. fold S0 A0.
    set (m := (S0 + 2) * S0 * A0 * INR K * INR (horizon M)) in *.
    replace (S0 * A0 * (INR K * INR (horizon M)) * ((S0 + 2) * exp (- l))) with (m * exp (- l)) by (unfold m; ring).
    assert (Hm : 0 < m / delta).
    { destruct (Rle_lt_dec (m / delta) 0) as [Hle|]; [exfalso | assumption].
      unfold l in Hl. fold S0 A0 m in Hl. unfold ln in Hl. destruct (Rlt_dec 0 (m / delta)); lra. }
    rewrite exp_Ropp. unfold l. fold S0 A0 m. rewrite exp_ln by assumption.
    right. field. split; [lra|]. intros H0; rewrite H0 in Hm; unfold Rdiv in Hm; lra.
  - intros [sa n] Hin; simpl. f_equal. f_equal.
    assert (Hn : (0 < n)%nat) by (apply in_prod_iff in Hin; destruct Hin as [_ Hin]; apply in_seq in Hin; lia).
    pose proof (lt_0_INR n Hn). unfold radius. rewrite Rmult_1_r, sqrt_sqrt by (left; now apply Hpos). field; lra.
Qed.
