(** * An exact planner for every concave weighting

    List the return laws of all deterministic history-dependent policies of a finite MDP (one action per history, so
    finitely many laws).  For a concave Lipschitz weighting G let d_best maximise Phi among them and h_best support Phi
    at d_best. Then the dynamic programming value of h_best is Phi(d_best), the maximum of Phi over all randomised
    history-dependent policies, and policies that are greedy for h_best at every (t, s, y) attain it.

    The enumeration is exponential; the point is that a maximising utility exists and is a function of the model. *)

Require Import Reals Lra Lia List.
From VerifiedRisk Require Import FiniteLaw Objective KeyIdentity ObjectiveFacts Mdp SupportingUtility
  DynamicProgramming.
Import ListNotations.
Open Scope R_scope.

(** ** Drawing from a law that depends on a first draw, in all ways *)

Fixpoint mixtures {X} (o : dist X) (laws : X -> list (dist R)) : list (dist R) :=
  match o with
  | [] => [[]]
  | (x, p) :: o' => flat_map (fun d => map (fun e => scale p d ++ e) (mixtures o' laws)) (laws x)
  end.

Section Mixtures.
  Context {X : Type}.
  Variable laws : X -> list (dist R).

  Lemma in_mixtures_cons x p o e :
    In e (mixtures ((x, p) :: o) laws) <->
    exists d e', In d (laws x) /\ In e' (mixtures o laws) /\ e = scale p d ++ e'.
  Proof.
    simpl; rewrite in_flat_map; split.
    - intros [d [Hd He]]. apply in_map_iff in He; destruct He as [e' [<- He']]. now exists d, e'.
    - intros [d [e' [Hd [He' ->]]]]. exists d; split; [assumption|]. apply in_map_iff; now exists e'.
  Qed.

  Lemma mixtures_le (o : dist X) f v e :
    nonneg o -> (forall x d, In d (laws x) -> E d f <= v x) -> In e (mixtures o laws) -> E e f <= E o v.
  Proof.
    intros Ho Hv; revert e; induction o as [|[x p] o IH]; intros e He.
    - destruct He as [<-|[]]; simpl; lra.
    - apply in_mixtures_cons in He; destruct He as [d [e' [Hd [He' ->]]]]. rewrite E_app, E_scale.
      apply nonneg_cons in Ho. specialize (IH (proj2 Ho) e' He').
      pose proof (Rmult_le_compat_l p _ _ (proj1 Ho) (Hv x d Hd)). simpl; lra.
  Qed.

  Lemma mixtures_attain (o : dist X) f v :
    (forall x, exists d, In d (laws x) /\ E d f = v x) -> exists e, In e (mixtures o laws) /\ E e f = E o v.
  Proof.
    intros Hv; induction o as [|[x p] o [e [He Hee]]]; [exists []; split; [now left | reflexivity]|].
    destruct (Hv x) as [d [Hd Hde]]. exists (scale p d ++ e); split.
    - apply in_mixtures_cons; now exists d, e.
    - rewrite E_app, E_scale, Hee, Hde; reflexivity.
  Qed.

  Lemma law_mixtures (o : dist X) e :
    is_law o -> (forall x d, In d (laws x) -> is_law d) -> In e (mixtures o laws) -> is_law e.
  Proof.
    intros [Ho H1] Hl He. split.
    - clear H1; revert e He; induction o as [|[x p] o IH]; intros e He.
      + destruct He as [<-|[]]; intros z q [].
      + apply in_mixtures_cons in He; destruct He as [d [e' [Hd [He' ->]]]]. apply nonneg_cons in Ho.
        intros z q Hin; apply in_app_or in Hin; destruct Hin as [Hin|Hin].
        * apply (nonneg_scale p d (proj1 Ho) (proj1 (Hl x d Hd)) z q Hin).
        * apply (IH (proj2 Ho) e' He' z q Hin).
    - transitivity (E o (fun _ => 1)); [|assumption]. apply Rle_antisym.
      + apply (mixtures_le o (fun _ => 1) (fun _ => 1) e Ho); [|assumption]. intros x d Hd; right; apply (Hl x d Hd).
      + pose proof (mixtures_le o (fun _ => -1) (fun _ => -1) e Ho) as H.
        assert (Hm : forall Y (d : dist Y), E d (fun _ => -1) = - E d (fun _ => 1)).
        { intros Y d. rewrite (E_ext d _ (fun _ => -1 * 1)) by (intros; ring). rewrite E_scal; ring. }
        rewrite !Hm in H. enough (- E e (fun _ => 1) <= - E o (fun _ => 1)) by lra.
        apply H; [|assumption]. intros x d Hd; rewrite Hm, (proj2 (Hl x d Hd)); lra.
  Qed.

  Lemma as_mixtures (o : dist X) (P : R -> Prop) e :
    almost_surely o (fun x => forall d, In d (laws x) -> almost_surely d P) -> In e (mixtures o laws) ->
      almost_surely e P.
  Proof.
    intros HP; revert e; induction o as [|[x p] o IH]; intros e He.
    - destruct He as [<-|[]]; intros z q [].
    - apply in_mixtures_cons in He; destruct He as [d [e' [Hd [He' ->]]]].
      intros z q Hin Hq; apply in_app_or in Hin; destruct Hin as [Hin|Hin].
      + apply in_map_iff in Hin; destruct Hin as [[z' q'] [Heq Hin]]; injection Heq as <- <-; simpl in *.
        apply (HP x p (or_introl eq_refl) ltac:(intros ->; apply Hq; ring) d Hd z' q' Hin). intros ->; apply Hq; ring.
      + apply (IH ltac:(intros y r Hy; apply (HP y r); now right) e' He' z q Hin Hq).
  Qed.
End Mixtures.

(** ** The return laws of deterministic policies *)

Section Planner.
  Load "setup/Choices".

  Definition reward_and_state (s : S) (a : A) : dist (R * S) :=
    bind (reward M s a) (fun r => image (pair r) (trans M s a)).

  Fixpoint return_laws (n : nat) (s : S) : list (dist R) :=
    match n with
    | O => [ret 0]
    | Datatypes.S n' => flat_map (fun a => mixtures (reward_and_state s a)
        (fun rs => map (image (Rplus (fst rs))) (return_laws n' (snd rs)))) (acts s)
    end.

  Definition all_return_laws : list (dist R) := mixtures (init M) (return_laws (horizon M)).

  Lemma E_outcome s a f : E (reward_and_state s a) f =
    E (reward M s a) (fun r => E (trans M s a) (fun s' => f (r, s'))).
  Proof. unfold reward_and_state; rewrite E_bind; apply E_ext; intros r; apply E_image. Qed.

  Lemma law_outcome s a : is_law (reward_and_state s a).
  Proof. apply law_bind; [now apply reward_law | intros r; apply law_image; now apply trans_law]. Qed.

  Lemma return_laws_law n s d : In d (return_laws n s) -> is_law d.
  Proof.
    revert s d; induction n as [|n IH]; intros s d Hin.
    - destruct Hin as [<-|[]]; apply law_ret.
    - cbn [return_laws] in Hin. apply in_flat_map in Hin; destruct Hin as [a [_ Hin]].
      apply law_mixtures in Hin; [assumption | apply law_outcome|].
      intros [r s'] e He; apply in_map_iff in He; destruct He as [e' [<- He']]. apply law_image, (IH s' e' He').
  Qed.

  Lemma return_laws_within n s d :
    rewards_within 1 M -> In d (return_laws n s) -> almost_surely d (fun z => 0 <= z <= INR n).
  Proof.
    intros Hrew; revert s d; induction n as [|n IH]; intros s d Hin.
    - destruct Hin as [<-|[]]; apply as_ret; simpl; lra.
    - cbn [return_laws] in Hin. apply in_flat_map in Hin; destruct Hin as [a [_ Hin]].
      revert Hin; apply as_mixtures. apply as_bind. generalize (Hrew s a); apply as_impl; intros r Hr.
      apply as_image, as_always; intros s' e He; simpl in He. apply in_map_iff in He; destruct He as [e' [<- He']].
      apply as_image. generalize (IH s' e' He'); apply as_impl; intros z Hz. rewrite S_INR; lra.
  Qed.

  (** The recursion is the best expected utility among these laws. *)
  Lemma return_laws_le_V h n s y d : In d (return_laws n s) -> E d (fun z => h (z + y)) <= V acts M h n s y.
  Proof.
    revert s y d; induction n as [|n IH]; intros s y d Hin.
    - destruct Hin as [<-|[]]. rewrite E_ret; simpl; right; f_equal; ring.
    - cbn [return_laws] in Hin. apply in_flat_map in Hin; destruct Hin as [a [Ha Hin]]. cbn [V].
      eapply Rle_trans; [|apply (max_over_ge (backup M (V acts M h n) s y) (acts s) a Ha)].
      replace (backup M (V acts M h n) s y a) with
        (E (reward_and_state s a) (fun rs => V acts M h n (snd rs) (fst rs + y)))
        by apply E_outcome.
      revert Hin; apply mixtures_le; [apply law_outcome|].
      intros [r s'] e He; simpl in He |- *. apply in_map_iff in He; destruct He as [e' [<- He']]. rewrite E_image.
      rewrite (E_ext e' _ (fun z => h (z + (r + y)))) by (intros; f_equal; ring). now apply IH.
  Qed.

  Lemma return_laws_attain_V h n s y : exists d, In d (return_laws n s) /\ E d (fun z => h (z + y)) = V acts M h n s y.
  Proof.
    revert s y; induction n as [|n IH]; intros s y.
    - exists (ret 0); split; [now left|]. rewrite E_ret; simpl; f_equal; ring.
    - cbn [V]. destruct (max_over_attained (backup M (V acts M h n) s y) (acts s) (Hacts s)) as [a [Ha ->]].
      destruct (mixtures_attain (fun rs => map (image (Rplus (fst rs))) (return_laws n (snd rs))) (reward_and_state s a)
        (fun z => h (z + y)) (fun rs => V acts M h n (snd rs) (fst rs + y))) as [e [He Hee]].
      { intros [r s']; simpl. destruct (IH s' (r + y)) as [d [Hd Hde]].
        exists (image (Rplus r) d); split; [now apply in_map|].
        rewrite E_image, <- Hde. apply E_ext; intros z; f_equal; ring. }
      exists e; split; [cbn [return_laws]; apply in_flat_map; now exists a|]. rewrite Hee, E_outcome. reflexivity.
  Qed.

  Lemma all_return_laws_law d : In d all_return_laws -> is_law d.
  Proof. apply law_mixtures; [apply HM | intros s e; apply return_laws_law]. Qed.

  Lemma all_return_laws_within d :
    rewards_within 1 M -> In d all_return_laws -> almost_surely d (fun z => 0 <= z <= INR (horizon M)).
  Proof. intros Hrew; apply as_mixtures, as_always; intros s e; now apply return_laws_within. Qed.

  Lemma all_return_laws_le_dp h d : In d all_return_laws -> E d h <= E (init M) (fun s => V acts M h (horizon M) s 0).
  Proof.
    apply mixtures_le; [apply HM|]. intros s e He.
    rewrite (E_ext e h (fun z => h (z + 0))) by (intros; now rewrite Rplus_0_r). now apply return_laws_le_V.
  Qed.

  Lemma all_return_laws_attain_dp h : exists d,
    In d all_return_laws /\ E d h = E (init M) (fun s => V acts M h (horizon M) s 0).
  Proof.
    apply mixtures_attain. intros s. destruct (return_laws_attain_V h (horizon M) s 0) as [d [Hd Hde]].
    exists d; split; [assumption|]. rewrite <- Hde. apply E_ext; intros; now rewrite Rplus_0_r.
  Qed.

  (** ** The best law and its supporting utility *)

  Load "setup/Lipschitz".
  Hypothesis HGc : concave_weighting G.
  Hypothesis Hrew : rewards_within 1 M.

  Definition best_law : dist R :=
    match all_return_laws with
    | [] => ret 0
    | d :: l => argmax (Phi G) d l
    end.

  Definition best_utility : R -> R := supporting G best_law 0 (INR (horizon M)).

  Lemma best_law_in : In best_law all_return_laws.
  Proof.
    destruct (all_return_laws_attain_dp (fun z => z)) as [d [Hd _]]. unfold best_law.
    destruct all_return_laws as [|e l]; [contradiction | apply argmax_spec].
  Qed.

  Lemma best_law_max d : In d all_return_laws -> Phi G d <= Phi G best_law.
  Proof. unfold best_law. destruct all_return_laws as [|e l]; [intros [] | apply argmax_spec]. Qed.

  Lemma best_utility_spec :
    is_utility L best_utility /\ E best_law best_utility = Phi G best_law /\
    forall e, is_law e -> almost_surely e (fun z => 0 <= z <= INR (horizon M)) -> E e best_utility <= Phi G e.
  Proof.
    apply supporting_spec; auto; [|apply pos_INR|].
    - apply all_return_laws_law, best_law_in.
    - apply all_return_laws_within; [assumption | apply best_law_in].
  Qed.

  (** No policy exceeds the best law: support Phi at the policy's own law, and improve to a deterministic policy. *)
  Theorem value_le_best_law pi : is_policy pi -> allowed acts M pi -> value G M pi <= Phi G best_law.
  Proof.
    intros Hpi Hal. assert (Hlaw : is_law (return_law M pi)) by now apply law_return.
    assert (Hin : almost_surely (return_law M pi) (fun z => 0 <= z <= INR (horizon M)))
      by (generalize (return_within M pi 1 Hrew); rewrite Rmult_1_r; auto).
    destruct (supporting_utility_exists G L HG HGL HGc (return_law M pi) 0 (INR (horizon M)) Hlaw (pos_INR _) Hin)
      as [h [_ [He Hsup]]].
    destruct (all_return_laws_attain_dp h) as [d [Hd Hde]].
    unfold value; rewrite <- He. eapply Rle_trans; [now apply (utility_le_dp acts M h)|]. rewrite <- Hde.
    eapply Rle_trans; [apply Hsup; [now apply all_return_laws_law | now apply all_return_laws_within] | now apply
      best_law_max].
  Qed.

  Theorem best_utility_maximises :
    E (init M) (fun s => V acts M best_utility (horizon M) s 0) = Phi G best_law.
  Proof.
    destruct best_utility_spec as [_ [He Hsup]]. apply Rle_antisym.
    - destruct (all_return_laws_attain_dp best_utility) as [d [Hd <-]].
      eapply Rle_trans; [apply Hsup; [now apply all_return_laws_law | now apply all_return_laws_within] | now apply
        best_law_max].
    - rewrite <- He. apply all_return_laws_le_dp, best_law_in.
  Qed.

  (** Greedy policies for the best utility are optimal among all randomised history-dependent policies.
      Given: G concave and L-Lipschitz, rewards in [0, 1], a nonempty list of actions per state.
      In words: 08-regret.md#regret-theorem.
      Step of: corrected/i. *)
  Theorem concave_planner_correct pi :
    is_policy pi -> is_greedy acts M best_utility pi ->
    value G M pi = Phi G best_law /\ forall pi', is_policy pi' -> allowed acts M pi' -> value G M pi' <= value G M pi.
  Proof.
    intros Hpi Hg. assert (Hv : value G M pi = Phi G best_law).
    { apply Rle_antisym; [apply value_le_best_law; [assumption | now apply (is_greedy_allowed acts M best_utility)]|].
      rewrite <- best_utility_maximises, <- (greedy_utility_eq_dp acts M best_utility pi Hpi Hg).
      apply best_utility_spec; [now apply law_return|]. generalize (return_within M pi 1 Hrew); rewrite Rmult_1_r; auto.
      }
    split; [assumption|]. intros pi' Hpi' Hal'; rewrite Hv. now apply value_le_best_law.
  Qed.
End Planner.
