(** * The tables of means bound the mean of the return

    [mean_le_best_mean]: no policy has a larger mean than the table of best means says. [markov_mean_correct]: an
    accepted lower bound is at most the mean of the policy in the certificate. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check LawCheck Meaning ModelFacts
  RatFacts TablesAbove.
Import ListNotations.
Open Scope R_scope.

Section Means.
  Variables (m : model) (V : Z).
  Hypothesis Hm : good_model m = true.
  Hypothesis HV : (0 < V)%Z.
  Let M := meaning m.
  Let gamma := real_of (discount_rate m).

  Definition value_or_0 (v : values Z) (s : positive) : Z := match value_at v s with Some x => x | None => 0%Z end.
  Definition mean_term (v : values Z) (o : outcome) : Z :=
    (gain o * V * den (discount_rate m) + num (discount_rate m) * reward_den m * value_or_0 v (next o))%Z.

  Lemma mean_sum_inv v l y : mean_sum m V v l = Some y ->
    y = zsum (fun o => weight o * mean_term v o)%Z l /\ forall o,
      In o l -> value_at v (next o) = Some (value_or_0 v (next o)).
  Proof.
    revert y; induction l as [|o l IH]; intros y; cbn [mean_sum zsum]; intros H;
      [injection H as <-; split; [reflexivity | intros o []]|].
    destruct (value_at v (next o)) as [x|] eqn:Ev; [|discriminate].
    destruct (mean_sum m V v l) as [z|] eqn:El; [|discriminate].
    injection H as <-. destruct (IH z eq_refl) as [-> Hall]. split.
    - unfold mean_term at 2. unfold value_or_0. rewrite Ev. reflexivity.
    - intros o' [<-|Hin]; [unfold value_or_0; now rewrite Ev | auto].
  Qed.

  Lemma most_ge l x : most l = Some x -> forall e, In e l -> exists y, e = Some y /\ (y <= x)%Z.
  Proof.
    revert x; induction l as [|a l IH]; intros x H e Hin; [destruct Hin|]. cbn [most] in H. destruct l as [|b l].
    - destruct Hin as [<-|[]]. exists x. split; [assumption | lia].
    - destruct a as [y|]; [|discriminate]. destruct (most (b :: l)) as [z|] eqn:Ez; [|discriminate]. injection H as <-.
      destruct Hin as [<-|Hin]; [exists y; split; [reflexivity | lia]|]. destruct (IH z eq_refl e Hin) as [w [-> Hw]].
      exists w. split; [reflexivity | lia].
  Qed.

  (** One step of the recursion, for one action. *)
  Lemma mean_step t h i a v y :
    znth (actions_at m t (jstate h)) i = Some a -> jtime h = t -> mean_sum m V v (outcomes a) = Some y ->
    E (kernel M t (jstate h) i) (fun os => earned M (fst (jextend h i os)) +
      gamma ^ S t * (IZR (value_or_0 v (snd os)) / IZR V)) =
    earned M (fst h) + gamma ^ t * (IZR y / IZR (mean_unit m a) / IZR V).
  Proof.
    intros Ha Ht Hy. destruct (mean_sum_inv v _ _ Hy) as [-> _].
    destruct (action_facts m Hm _ _ _ _ Ha) as [Htot [_ Hsum]].
    destruct (good_facts m Hm) as [G1 [G2 [G3 _]]]. rewrite (E_kernel m t (jstate h) i a _ Ha).
    assert (Ht' : length (fst h) = t) by exact Ht. apply IZR_lt in G1, G2, G3. pose proof (IZR_lt _ _ HV) as HV'.
    pose proof (IZR_lt _ _ Htot) as Htot'.
    rewrite (sum_ext _ _ (fun o => earned M (fst h) * IZR (weight o) +
      gamma ^ t / (IZR V * IZR (reward_den m) * IZR (den (discount_rate m))) * IZR (weight o * mean_term v o))).
    - rewrite sum_plus, !sum_scal, <- !IZR_zsum, Hsum. unfold mean_unit. rewrite !mult_IZR. field. lra.
    - intros o _. cbn [jextend fst snd earned]. rewrite Ht'.
      change (worth M (gain o)) with (IZR (gain o) / IZR (reward_den m)).
      change (discount M) with gamma. unfold mean_term. rewrite mult_IZR, plus_IZR, !mult_IZR. cbn [pow].
      replace gamma with (IZR (num (discount_rate m)) / IZR (den (discount_rate m))) at 2 by reflexivity. field. lra.
  Qed.

  Lemma gamma_pos t : 0 < gamma ^ t.
  Proof.
    destruct (good_facts m Hm) as [G1 [G2 _]]. apply pow_lt. unfold gamma. now apply real_of_sign.
  Qed.

  Lemma mean_unit_pos a : (0 < total a)%Z -> (0 < mean_unit m a)%Z.
  Proof.
    intros H. destruct (good_facts m Hm) as [_ [G2 [G3 _]]]. unfold mean_unit. repeat apply Z.mul_pos_pos; assumption.
  Qed.

  Theorem mean_le_best_means pi : is_jpolicy pi -> plays_allowed M pi ->
    forall sts t h x, skipn t (steps m) = sts -> (t + length sts = length (steps m))%nat -> jtime h = t ->
    value_at (best_means m V sts) (jstate h) = Some x ->
    E (jrun M pi (length sts) h) (fun h' => earned M (fst h')) <= earned M (fst h) + gamma ^ t * (IZR x / IZR V).
  Proof.
    intros Hpi Hal. assert (HM : is_jmdp M) by now apply is_jmdp_meaning. pose proof (IZR_lt _ _ HV) as HV'.
    induction sts as [|st sts IH]; intros t h x Hsts Hlen Ht Hv; cbn [best_means value_at length] in *.
    - injection Hv as <-. cbn [jrun]. rewrite E_ret. unfold Rdiv. lra.
    - destruct (skipn_cons _ _ _ _ Hsts) as [Hst Hrest]. rewrite get_tmap in Hv.
      destruct (get (jstate h) st) as [acts|] eqn:Ea; cbn [option_map join] in Hv; [|discriminate].
      destruct (best_mean_of m V (best_means m V sts) acts) as [x0|] eqn:Ex; [|discriminate]. injection Hv as <-.
      assert (Hacts : actions_at m t (jstate h) = acts) by (unfold actions_at; now rewrite Hst, Ea).
      assert (Hne : acts <> []) by now apply (listed_nonempty m Hm t st (jstate h)).
      rewrite E_jrun_S, E_jstep, Ht. apply E_le_const; [apply Hpi|].
      pose proof (Hal h ltac:(cbn; lia)) as Has. rewrite Ht in Has. revert Has. apply as_impl. intros i Hi.
      apply allowed_listed in Hi; [|now rewrite Hacts]. destruct Hi as [a Ha].
      unfold best_mean_of in Ex.
      assert (Hin : In a acts) by (rewrite <- Hacts; now apply znth_In in Ha).
      destruct (most_ge _ _ Ex _ (in_map _ acts a Hin)) as [y [Hy Hle]].
      destruct (mean_sum m V (best_means m V sts) (outcomes a)) as [z|] eqn:Ez; [|discriminate]. injection Hy as <-.
      destruct (mean_sum_inv _ _ _ Ez) as [_ Hall]. destruct (action_facts m Hm _ _ _ _ Ha) as [Htot _].
      apply Rle_trans with (earned M (fst h) + gamma ^ t * (IZR z / IZR (mean_unit m a) / IZR V)).
      + rewrite <- (mean_step t h i a (best_means m V sts) z Ha Ht Ez). apply E_le_as; [apply HM|].
        intros os p Hin' _. destruct (in_kernel_action m t (jstate h) i a os p Ha Hin') as [o [Ho ->]]. cbn [snd].
        apply (IH (S t) (jextend h i (gain o, next o)) (value_or_0 (best_means m V sts) (next o)) Hrest ltac:(lia));
          [now rewrite <- Ht | now apply Hall].
      + apply Rplus_le_compat_l, Rmult_le_compat_l; [left; apply gamma_pos|].
        apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
        eapply Rle_trans; [apply le_cdiv_div; now apply mean_unit_pos | now apply IZR_le].
  Qed.

  Theorem chosen_means_le_mean (choices : list (tree Z)) : let pi := policy_of m (ByMarkov V choices) in
    forall sts t cs h x, skipn t (steps m) = sts -> skipn t choices = cs -> (t + length sts = length (steps m))%nat ->
      jtime h = t ->
    value_at (chosen_means m V sts cs) (jstate h) = Some x ->
    earned M (fst h) + gamma ^ t * (IZR x / IZR V) <= E (jrun M pi (length sts) h) (fun h' => earned M (fst h')).
  Proof.
    intros pi. assert (HM : is_jmdp M) by now apply is_jmdp_meaning. pose proof (IZR_lt _ _ HV) as HV'.
    induction sts as [|st sts IH]; intros t cs h x Hsts Hcs Hlen Ht Hv; cbn [chosen_means value_at length] in *.
    - injection Hv as <-. cbn [jrun]. rewrite E_ret. unfold Rdiv. lra.
    - destruct (skipn_cons _ _ _ _ Hsts) as [Hst Hrest]. destruct cs as [|c cs]; [destruct (jstate h); discriminate|].
      destruct (skipn_cons _ _ _ _ Hcs) as [Hc Hcrest]. cbn [value_at] in Hv. rewrite get_tzip in Hv.
      destruct (get (jstate h) st) as [acts|] eqn:Ea; cbn [join] in Hv; [|discriminate].
      destruct (get (jstate h) c) as [i|] eqn:Ei; cbn [chosen_mean_of] in Hv; [|discriminate].
      destruct (znth acts i) as [a|] eqn:Ea'; [|discriminate].
      destruct (mean_sum m V (chosen_means m V sts cs) (outcomes a)) as [z|] eqn:Ez; [|discriminate].
      injection Hv as <-.
      assert (Hacts : actions_at m t (jstate h) = acts) by (unfold actions_at; now rewrite Hst, Ea).
      assert (Hi : markov_choice choices (jtime h) (jstate h) = i) by (unfold markov_choice; now rewrite Ht, Hc, Ei).
      rewrite E_jrun_S, E_jstep. unfold pi at 1, policy_of, playing. rewrite E_ret, Hi, Ht, Hacts. unfold valid.
      rewrite Ea'.
      assert (Ha : znth (actions_at m t (jstate h)) i = Some a) by now rewrite Hacts.
      destruct (mean_sum_inv _ _ _ Ez) as [_ Hall]. destruct (action_facts m Hm _ _ _ _ Ha) as [Htot _].
      apply Rle_trans with (earned M (fst h) + gamma ^ t * (IZR z / IZR (mean_unit m a) / IZR V)).
      + apply Rplus_le_compat_l, Rmult_le_compat_l; [left; apply gamma_pos|].
        apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply floor_div_le. now apply mean_unit_pos.
      + rewrite <- (mean_step t h i a (chosen_means m V sts cs) z Ha Ht Ez). apply E_le_as; [apply HM|].
        intros os p Hin' _. destruct (in_kernel_action m t (jstate h) i a os p Ha Hin') as [o [Ho ->]]. cbn [snd].
        apply (IH (S t) cs (jextend h i (gain o, next o))
          (value_or_0 (chosen_means m V sts cs) (next o)) Hrest Hcrest ltac:(lia));
          [now rewrite <- Ht | now apply Hall].
  Qed.

  (** ** From the initial law *)

  Lemma start_sum_inv f l y : start_sum f l = Some y ->
    exists x, y = zsum (fun sw => snd sw * x (fst sw))%Z l /\ forall s w, In (s, w) l -> f s = Some (x s).
  Proof.
    intros H. exists (fun s => match f s with Some z => z | None => 0%Z end). revert y H.
    induction l as [|[s w] l IH]; intros y; cbn [start_sum zsum fst snd]; intros H;
      [injection H as <-; split; [reflexivity | intros s w []]|].
    destruct (f s) as [z|] eqn:Ef; [|discriminate]. destruct (start_sum f l) as [z'|] eqn:El; [|discriminate].
    injection H as <-.
    destruct (IH z' eq_refl) as [-> Hall]. split; [reflexivity|]. intros s' w' [Heq|Hin]; [|eauto].
    injection Heq as <- _. now rewrite Ef.
  Qed.

  Lemma E_init_zsum (x : positive -> Z) :
    E (jinit M) (fun s => IZR (x s) / IZR V) =
      real_of (Rat (zsum (fun sw => snd sw * x (fst sw))%Z (initial m)) (V * initial_den m)).
  Proof.
    destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]]. apply IZR_lt in G4. pose proof (IZR_lt _ _ HV) as HV'.
    unfold M. rewrite (E_init m), (sum_ext _ _ (fun sw => / IZR V * IZR (snd sw * x (fst sw))))
      by (intros; rewrite mult_IZR; unfold Rdiv; ring).
    rewrite sum_scal, <- IZR_zsum. unfold real_of; cbn [num den]. rewrite mult_IZR. field. lra.
  Qed.

  (** An initial state that carries mass is listed. *)
  Lemma in_init s p : In (s, p) (jinit M) -> exists w, In (s, w) (initial m).
  Proof.
    cbn. intros H. apply in_map_iff in H. destruct H as [[s' w] [Heq Hin]]. injection Heq as <- _. now exists w.
  Qed.

  Theorem mean_le_best_mean pi x : is_jpolicy pi -> plays_allowed M pi -> best_mean m V = Some x ->
    E (jreturn_law M pi) (fun z => z) <= real_of x.
  Proof.
    intros Hpi Hal H. unfold best_mean in H. destruct (start_sum _ _) as [y|] eqn:Ey; [|discriminate].
    injection H as <-.
    destruct (start_sum_inv _ _ _ Ey) as [f [-> Hf]]. rewrite <- E_init_zsum, E_jreturn_law.
    apply E_le_as; [now apply is_jmdp_meaning|].
    intros s p Hin _. destruct (in_init s p Hin) as [w Hw].
    pose proof (mean_le_best_means pi Hpi Hal (steps m) 0 ([], s) (f s) eq_refl eq_refl eq_refl (Hf s w Hw)) as Hle.
    cbn [fst earned pow] in Hle. change (jhorizon M) with (length (steps m)). lra.
  Qed.

  Theorem markov_mean_correct choices bound : ok bound -> markov_mean m V choices bound = true ->
    real_of bound <= E (jreturn_law M (policy_of m (ByMarkov V choices))) (fun z => z).
  Proof.
    intros Hb H. unfold markov_mean in H. apply andb_true_iff in H. destruct H as [_ H].
    destruct (start_sum _ _) as [y|] eqn:Ey; [|discriminate].
    destruct (good_facts m Hm) as [_ [_ [_ [G4 _]]]].
    apply rat_le_correct in H; [|assumption | unfold ok; cbn [den]; now apply Z.mul_pos_pos].
    eapply Rle_trans; [exact H|]. destruct (start_sum_inv _ _ _ Ey) as [f [-> Hf]].
    rewrite <- E_init_zsum, E_jreturn_law.
    apply E_le_as; [now apply is_jmdp_meaning|]. intros s p Hin _. destruct (in_init s p Hin) as [w Hw].
    pose proof (chosen_means_le_mean choices (steps m) 0 choices ([],
      s) (f s) eq_refl eq_refl eq_refl eq_refl (Hf s w Hw)) as Hle.
    cbn [fst earned pow] in Hle. change (jhorizon M) with (length (steps m)). lra.
  Qed.
End Means.
