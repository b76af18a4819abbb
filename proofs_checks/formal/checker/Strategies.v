(** * Mixtures of strategies, one of which is best

    A strategy is a tree: an action, and for each reward and next state another strategy.  Whatever a randomised policy
    that sees the whole history does to the law of the last index, a mixture of strategies does as well
    ([policy_is_mixture]).  There are finitely many strategies that matter, so for Lipschitz functions of the CDF's
    values some mixture has the least sum ([best_exists]).  Nowhere where it comes would another strategy do better to
    first order ([best_is_stationary]): that is all that the contraction of [ContractCheck.v] needs, with no theorem on
    minimax. *)

Require Import ZArith Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check PolygonCheck Meaning ModelFacts
  PolygonObjective Hulls.
Import ListNotations.
Open Scope R_scope.

Inductive strategy := Stop | Play (i : Z) (next : Z * positive -> strategy).

Section Strategies.
  Variables (m : model) (g : grid).
  Let M := meaning m.
  Let T := length (steps m).

  (** The expectation of [phi] of the last index, [n] steps after time [t], state [s] and index [b]. *)
  Fixpoint playout (n t : nat) (s : positive) (b : Z) (x : strategy) (phi : Z -> R) : R :=
    match n, x with
    | S n', Play i next =>
        E (kernel M t s i) (fun os => playout n' (S t) (snd os) (moved m g t (fst os) b) (next os) phi)
    | _, _ => phi b
    end.

  (** It plays for [n] steps, and only actions that the model allows. *)
  Fixpoint plays (n t : nat) (s : positive) (x : strategy) : Prop :=
    match n, x with
    | O, _ => True
    | S n', Play i next => allowed_action M t s i /\ forall os, plays n' (S t) (snd os) (next os)
    | S _, Stop => False
    end.

  (** [Q] holds wherever it comes with positive probability. *)
  Fixpoint throughout (Q : nat -> positive -> Z -> strategy -> Prop) (n t : nat) (s : positive) (b : Z)
    (x : strategy) : Prop :=
    Q t s b x /\
    match n, x with
    | S n', Play i next => forall os p, In (os, p) (kernel M t s i) -> 0 < p ->
        throughout Q n' (S t) (snd os) (moved m g t (fst os) b) (next os)
    | _, _ => True
    end.

  (** Weights, and a strategy for each first state. *)
  Definition mixture_of_strategies := list (R * (positive -> strategy)).
  Definition good_mix (mu : mixture_of_strategies) : Prop :=
    sum mu fst = 1 /\ forall w x, In (w, x) mu -> 0 < w /\ forall s, plays T 0 s (x s).
  Definition mixed_play (start : Z) (mu : mixture_of_strategies) (phi : Z -> R) : R :=
    sum mu (fun wx => fst wx * E (jinit M) (fun s => playout T 0 s start (snd wx s) phi)).

  (** Coordinate k of the CDF: the last index exceeds last + k. *)
  Definition index_beyond (last k b : Z) : R := if (k <? b - last)%Z then 1 else 0.

  Variables (start last : Z) (N : nat) (G : Z -> R -> R).
  Definition weighted_total (F : Z -> R) : R := sum_along (fun k => G k (F k)) 0 (repeat tt N).
  Definition cdf_of (mu : mixture_of_strategies) (k : Z) : R := mixed_play start mu (index_beyond last k).
  Definition is_best_mix (mu : mixture_of_strategies) : Prop :=
    good_mix mu /\ forall nu, good_mix nu -> weighted_total (cdf_of mu) <= weighted_total (cdf_of nu).

  (** ** Strategies exist, and finitely many matter *)

  Fixpoint idle (n : nat) : strategy := match n with O => Stop | S n' => Play 0 (fun _ => idle n') end.

  Lemma plays_idle n : forall t s, plays n t s (idle n).
  Proof.
    induction n as [|n IH]; intros t s; [exact I|]. split; [|intros os; apply IH].
    cbn. destruct (actions_at m t s) as [|a acts]; [now left | right; now exists a].
  Qed.

  Definition same_play n t s (x y : strategy) : Prop := forall b phi, playout n t s b x phi = playout n t s b y phi.

  Lemma label_dec (os os' : Z * positive) : {os = os'} + {os <> os'}.
  Proof. decide equality; [apply Pos.eq_dec | apply Z.eq_dec]. Qed.

  Lemma actions_listed t s : exists l,
    represents (allowed_action M t s) (fun i i' => kernel M t s i = kernel M t s i') l.
  Proof.
    destruct (actions_at m t s) as [|a acts] eqn:Ea.
    - exists [0%Z]. split; [intros i _; now left|]. intros i _. exists 0%Z. split; [now left|]. cbn. now rewrite Ea.
    - exists (filter (fun i => match znth (actions_at m t s) i with Some _ => true | None => false end)
        (along (fun i => i) 0 (a :: acts))). split.
      + intros i Hi. apply filter_In in Hi. destruct Hi as [_ Hi]. right.
        destruct (znth (actions_at m t s) i) as [a'|]; [now exists a' | discriminate].
      + intros i [Hi|[a' Hi]]; [congruence|]. exists i. split; [|reflexivity]. apply filter_In. rewrite Hi.
        split; [|reflexivity]. rewrite Ea in Hi. apply znth_inside in Hi.
        apply (znth_In _ i). rewrite znth_along by assumption. f_equal.
  Qed.

  Lemma strategies_listed n : forall t s, exists c, represents (plays n t s) (same_play n t s) c.
  Proof.
    induction n as [|n IH]; intros t s.
    { exists [Stop]. split; [intros x _; exact I|]. intros x _. exists Stop. split; [now left|].
      intros b phi. reflexivity. }
    destruct (actions_listed t s) as [l [Hl Hrep]].
    destruct (represents_union (fun i x => exists next, x = Play i next /\ forall os, plays n (S t) (snd os) (next os))
      (same_play (S n) t s) l) as [c [H1 H2]].
    - intros i _. destruct (functions_listed label_dec (fun os => plays n (S t) (snd os)) (fun _ => idle n)
        (fun os => plays_idle n (S t) (snd os)) (fun os => same_play n (S t) (snd os)) (map fst (kernel M t s i)))
        as [c [H1 H2]]; [intros; apply IH|].
      exists (map (Play i) c). split.
      + intros x Hx. apply in_map_iff in Hx. destruct Hx as [next [<- Hin]]. exists next. auto.
      + intros x [next [-> Hnext]]. destruct (H2 next Hnext) as [next' [Hin Hsame]].
        exists (Play i next'). split; [now apply in_map|]. intros b phi. cbn [playout]. apply E_ext_as.
        intros os p Hos _. apply Hsame. now apply (in_map fst) in Hos.
    - exists c. split.
      + intros x Hx. destruct (H1 x Hx) as [i [Hi [next [-> Hnext]]]]. split; auto.
      + intros [|i next]; [intros []|]. intros [Hi Hnext]. destruct (Hrep i Hi) as [i' [Hin Hk]].
        destruct (H2 (Play i' next)) as [y [Hy Hs]]; [exists i'; split; [assumption | now exists next]|].
        exists y. split; [assumption|]. intros b phi. rewrite <- Hs. cbn [playout]. now rewrite Hk.
  Qed.

  (** ** Mixtures as laws *)

  Let good_first (x : positive -> strategy) : Prop := forall s, plays T 0 s (x s).
  Let value (x : positive -> strategy) (phi : Z -> R) : R := E (jinit M) (fun s => playout T 0 s start (x s) phi).

  Lemma mixture_of_law nu : is_law nu -> almost_surely nu good_first ->
    exists mu, good_mix mu /\ forall phi, mixed_play start mu phi = E nu (fun x => value x phi).
  Proof.
    intros [Hn H1] Hv. destruct (positive_weights good_first nu Hn Hv) as [mu [Hmu Hs]]. exists mu. split; [split|].
    - rewrite <- H1, <- Hs. apply sum_ext. intros; ring.
    - exact Hmu.
    - intros phi. apply (Hs (fun x => value x phi)).
  Qed.

  Lemma law_of_mixture mu : good_mix mu -> exists nu, is_law nu /\ almost_surely nu good_first /\
    forall phi, mixed_play start mu phi = E nu (fun x => value x phi).
  Proof.
    intros [H1 Hmu].
    assert (Hsum : forall f, E (map (fun wx => (snd wx, fst wx)) mu) f = sum mu (fun wx => fst wx * f (snd wx)))
      by (intros f; clear; induction mu as [|wx mu IH]; cbn; [|rewrite IH]; reflexivity).
    assert (Hin : forall x w, In (x, w) (map (fun wx => (snd wx, fst wx)) mu) -> 0 < w /\ good_first x).
    { intros x w Hx. apply in_map_iff in Hx. destruct Hx as [[w' x'] [Heq Hx]]. injection Heq as <- <-. now apply Hmu. }
    exists (map (fun wx => (snd wx, fst wx)) mu). split; [split|split].
    - intros x w Hx. left. now apply (Hin x).
    - rewrite Hsum. etransitivity; [|exact H1]. apply sum_ext. intros; ring.
    - intros x w Hx _. now apply (Hin x w).
    - intros phi. now rewrite Hsum.
  Qed.

  Lemma beyond_range k b : 0 <= index_beyond last k b <= 1.
  Proof. unfold index_beyond. destruct (k <? b - last)%Z; lra. Qed.

  Hypothesis Hm : good_model m = true.
  Let HM : is_jmdp M := is_jmdp_meaning m Hm.

  Lemma E_range {X} (d : dist X) f : is_law d -> (forall x, 0 <= f x <= 1) -> 0 <= E d f <= 1.
  Proof.
    intros Hd Hf. split; [apply E_ge_const | apply E_le_const]; try assumption; apply as_always; intros x; apply Hf.
  Qed.

  Lemma play_range n k : forall t s b x, 0 <= playout n t s b x (index_beyond last k) <= 1.
  Proof.
    induction n as [|n IH]; intros t s b [|i next]; try apply beyond_range. cbn [playout].
    apply E_range; [apply HM | intros os; apply IH].
  Qed.

  Lemma value_range x k : 0 <= value x (index_beyond last k) <= 1.
  Proof. apply E_range; [apply HM | intros s; apply play_range]. Qed.

  Lemma cdf_of_range mu k : good_mix mu -> 0 <= cdf_of mu k <= 1.
  Proof.
    intros H. destruct (law_of_mixture mu H) as [nu [Hnu [_ Heq]]]. unfold cdf_of. rewrite Heq.
    apply E_range; [assumption | intros x; apply value_range].
  Qed.

  (** ** Policies are mixtures *)

  Lemma run_is_mixture pi : is_jpolicy pi -> plays_allowed M pi ->
    forall n h, (jtime h + n = T)%nat -> exists nu, mixes (plays n (jtime h) (jstate h))
      (fun x phi => playout n (jtime h) (jstate h) (index_after m g start (fst h)) x phi)
      (fun phi => E (jrun M pi n h) (fun h' => phi (index_after m g start (fst h')))) nu.
  Proof.
    intros Hpi Hal. induction n as [|n IH]; intros h Hh.
    { exists (ret Stop). split; [apply law_ret|]. split; [apply as_ret; exact I|]. intros phi.
      cbn [jrun]. rewrite !E_ret. reflexivity. }
    assert (Hstep : almost_surely (pi h) (fun i => exists nu, mixes (plays (S n) (jtime h) (jstate h))
      (fun x phi => playout (S n) (jtime h) (jstate h) (index_after m g start (fst h)) x phi)
      (fun phi => E (kernel M (jtime h) (jstate h) i)
        (fun os => E (jrun M pi n (jextend h i os)) (fun h' => phi (index_after m g start (fst h'))))) nu)).
    { pose proof (Hal h ltac:(change (jhorizon M) with T; lia)) as Has. revert Has. apply as_impl. intros i Hi.
      destruct (functions_mixed label_dec (fun os => plays n (S (jtime h)) (snd os)) (fun _ => idle n)
        (fun os => plays_idle n (S (jtime h)) (snd os))
        (fun os x phi => playout n (S (jtime h)) (snd os)
          (moved m g (jtime h) (fst os) (index_after m g start (fst h))) x phi)
        (fun os phi => E (jrun M pi n (jextend h i os)) (fun h' => phi (index_after m g start (fst h'))))
        (map fst (kernel M (jtime h) (jstate h) i))) as [nu [Hl [Hv Hq]]].
      - intros os _. apply (IH (jextend h i os)). unfold jtime in *. cbn. lia.
      - exists (image (Play i) nu). split; [now apply law_image|]. split.
        + apply as_image. revert Hv. apply as_impl. intros next Hnext. now split.
        + intros phi. rewrite E_image. cbn [playout]. rewrite E_swap. apply E_ext_as. intros os p Hos _.
          apply (Hq os phi). now apply (in_map fst) in Hos. }
    destruct (mixes_bind _ _ _ (pi h) (Hpi h) Hstep) as [nu [Hl [Hv Hq]]]. exists nu. split; [assumption|].
    split; [assumption|]. intros phi. now rewrite Hq, E_jrun_S, E_jstep.
  Qed.

  Theorem policy_is_mixture pi : is_jpolicy pi -> plays_allowed M pi ->
    exists nu, good_mix nu /\
      forall phi, E (full_history_law M pi) (fun h => phi (index_after m g start (fst h))) = mixed_play start nu phi.
  Proof.
    intros Hpi Hal.
    destruct (functions_mixed Pos.eq_dec (fun s => plays T 0 s) (fun _ => idle T) (plays_idle T 0)
      (fun s x phi => playout T 0 s start x phi)
      (fun s phi => E (jrun M pi T ([], s)) (fun h' => phi (index_after m g start (fst h'))))
      (map fst (jinit M))) as [nu [Hl [Hv Hq]]].
    { intros s _. now apply (run_is_mixture pi Hpi Hal T ([], s)). }
    destruct (mixture_of_law nu Hl Hv) as [mu [Hmu Heq]]. exists mu. split; [assumption|]. intros phi.
    unfold full_history_law. rewrite E_bind, Heq. unfold value. rewrite E_swap. apply E_ext_as. intros s p Hs _.
    symmetry. apply (Hq s phi). now apply (in_map fst) in Hs.
  Qed.

  Theorem best_exists :
    (forall k, exists L, 0 <= L /\
      forall x y, 0 <= x <= 1 -> 0 <= y <= 1 -> Rabs (G k x - G k y) <= L * Rabs (x - y)) ->
    exists mu, is_best_mix mu.
  Proof.
    intros HG. destruct (functions_listed Pos.eq_dec (fun s => plays T 0 s) (fun _ => idle T) (plays_idle T 0)
      (fun s => same_play T 0 s) (map fst (jinit M))) as [c [H1 H2]]; [intros s _; apply strategies_listed|].
    assert (Hc : c <> []) by (destruct (H2 (fun _ => idle T) (plays_idle T 0)) as [y [Hy _]]; now intros ->).
    destruct (best_weights (fun x k => value x (index_beyond last k)) N value_range c Hc G HG) as [nu [[Hl Hnu] Hmin]].
    destruct (mixture_of_law nu Hl) as [mu [Hmu Heq]].
    { intros x p Hx _. refine (H1 x _). rewrite <- Hnu. now apply (in_map fst) in Hx. }
    exists mu. split; [assumption|]. intros mu' Hmu'. destruct (law_of_mixture mu' Hmu') as [nu' [Hl' [Hv' Heq']]].
    destruct (gathered (fun x y => forall s, In s (map fst (jinit M)) -> same_play T 0 s (x s) (y s)) c nu')
      as [nu2 [Gn [Gc Gf]]]; [apply Hl' | revert Hv'; apply as_impl; exact H2|].
    assert (Gv : forall phi, E nu2 (fun x => value x phi) = mixed_play start mu' phi).
    { intros phi. rewrite Heq'. apply Gf. intros x y Hxy. apply E_ext_as. intros s p Hs _. apply Hxy.
      now apply (in_map fst) in Hs. }
    assert (Gl : is_law nu2) by (split; [assumption | rewrite Gf; [apply Hl' | reflexivity]]).
    specialize (Hmin nu2 (conj Gl Gc)). unfold weighted_total.
    rewrite (sum_along_ext _ (fun k => G k (E nu (fun x => value x (index_beyond last k)))))
      by (intros k _; unfold cdf_of; now rewrite Heq).
    rewrite (sum_along_ext (fun k => G k (cdf_of mu' k)) (fun k => G k (E nu2 (fun x => value x (index_beyond last
      k)))))
      by (intros k _; unfold cdf_of; now rewrite Gv).
    exact Hmin.
  Qed.

  (** What the sum of the G k can gain to first order when a law is replaced by another. *)
  Definition first_order (up down : Z -> R) (F F' : Z -> R) : R :=
    sum_along (fun k => up k * Rmax 0 (F' k - F k) - down k * Rmax 0 (F k - F' k)) 0 (repeat tt N).

  (** ** One strategy for another, where it comes *)

  (** Where y comes from x, it can be replaced by whatever plays there; c is the probability of coming there. *)
  Let replaceable (x : positive -> strategy) n t s b y : Prop := exists c, 0 < c /\ forall z, plays n t s z ->
    exists x', good_first x' /\
      forall phi, value x' phi = value x phi + c * (playout n t s b z phi - playout n t s b y phi).

  Lemma replaceable_first x s p : good_first x -> In (s, p) (jinit M) -> 0 < p -> replaceable x T 0 s start (x s).
  Proof.
    intros Hx Hs Hp. exists (mass Pos.eq_dec (jinit M) s). split; [apply (mass_pos _ _ _ p); auto; apply HM|].
    intros z Hz. exists (changed_at Pos.eq_dec x s z).
    split; [exact (changed_valid Pos.eq_dec (plays T 0) x s z Hx Hz)|]. intros phi.
    apply (E_changed Pos.eq_dec (jinit M) (fun s y => playout T 0 s start y phi)).
  Qed.

  Lemma replaceable_next x n t s b i next os p : plays (S n) t s (Play i next) ->
    In (os, p) (kernel M t s i) -> 0 < p -> replaceable x (S n) t s b (Play i next) ->
    replaceable x n (S t) (snd os) (moved m g t (fst os) b) (next os).
  Proof.
    intros [Hi Hnext] Hos Hp [c [Hc Hrep]]. exists (c * mass label_dec (kernel M t s i) os).
    split; [apply Rmult_lt_0_compat; [assumption|]; apply (mass_pos _ _ _ p); auto; apply HM|].
    intros z Hz. destruct (Hrep (Play i (changed_at label_dec next os z))) as [x' [Hx' Hv]].
    - split; [assumption|].
      exact (changed_valid label_dec (fun os => plays n (S t) (snd os)) next os z Hnext Hz).
    - exists x'. split; [assumption|]. intros phi. rewrite Hv. cbn [playout].
      rewrite (E_changed label_dec _ (fun os y => playout n (S t) (snd os) (moved m g t (fst os) b) y phi)). ring.
  Qed.

  Lemma throughout_replaceable (Q : nat -> positive -> Z -> strategy -> Prop) x :
    (forall n t s b y, (t + n = T)%nat -> replaceable x n t s b y -> Q t s b y) ->
    forall n t s b y, (t + n = T)%nat -> plays n t s y -> replaceable x n t s b y -> throughout Q n t s b y.
  Proof.
    intros HQ. induction n as [|n IH]; intros t s b y Ht Hy Hrep; (split; [now apply (HQ _ t s b y Ht)|]); [exact I|].
    destruct y as [|i next]; [exact I|]. intros os p Hos Hp.
    apply IH; [lia | apply Hy | now apply (replaceable_next x n t s b i next os p)].
  Qed.

  (** A part e of the weight of x goes to x'. *)
  Lemma mixture_shifted mu w x x' e : good_mix mu -> In (w, x) mu -> good_first x' -> 0 < e < w ->
    exists nu, good_mix nu /\
      forall phi, mixed_play start nu phi = mixed_play start mu phi + e * (value x' phi - value x phi).
  Proof.
    intros [H1 Hmu] Hx Hx' He. pose proof (Hmu w x Hx) as [_ Hgood]. apply in_split in Hx.
    destruct Hx as [l1 [l2 ->]]. exists (l1 ++ (w - e, x) :: (e, x') :: l2). split; [split|].
    - rewrite <- H1, !sum_app. cbn [sum fst]. ring.
    - intros v y Hy. apply in_app_or in Hy. destruct Hy as [Hy|[Hy|[Hy|Hy]]].
      + apply Hmu, in_or_app. now left.
      + injection Hy as <- <-. split; [lra | assumption].
      + injection Hy as <- <-. split; [lra | assumption].
      + apply Hmu, in_or_app. right. now right.
    - intros phi. unfold mixed_play, value. rewrite !sum_app. cbn [sum fst snd]. ring.
  Qed.

  Theorem best_is_stationary mu up down : is_best_mix mu ->
    (forall k, exists e, 0 < e /\ forall d, 0 <= d <= e ->
       (cdf_of mu k + d <= 1 -> G k (cdf_of mu k + d) - G k (cdf_of mu k) <= up k * d) /\
       (0 <= cdf_of mu k - d -> G k (cdf_of mu k - d) - G k (cdf_of mu k) <= - (down k * d))) ->
    forall w x s p, In (w, x) mu -> In (s, p) (jinit M) -> 0 < p ->
      throughout (fun t s' b y => forall z, plays (T - t) t s' z ->
        0 <= first_order up down (fun k => playout (T - t) t s' b y (index_beyond last k))
               (fun k => playout (T - t) t s' b z (index_beyond last k))) T 0 s start (x s).
  Proof.
    intros [Hmu Hbest] Hslopes w x s p Hx Hs Hp. destruct (proj2 Hmu w x Hx) as [Hw Hgood].
    apply (throughout_replaceable _ x); [|reflexivity | apply Hgood | now apply (replaceable_first x s p)].
    intros n t s' b y Ht [c [Hc Hrep]] z. replace (T - t)%nat with n by lia. intros Hz.
    destruct (Hrep z Hz) as [x' [Hx' Hv]].
    set (d k := playout n t s' b z (index_beyond last k) - playout n t s' b y (index_beyond last k)).
    set (slope k := up k * Rmax 0 (d k) - down k * Rmax 0 (- d k)).
    assert (Hgain : forall k, exists r, 0 < r /\ forall e, 0 < e <= r -> 0 <= cdf_of mu k + e * c * d k <= 1 ->
      G k (cdf_of mu k + e * c * d k) - G k (cdf_of mu k) <= e * c * slope k).
    { intros k. destruct (Hslopes k) as [r [Hr H]]. exists (r / c). split; [now apply Rdiv_lt_0_compat|].
      intros e He Hin. assert (Hec : 0 < e * c <= r).
      { split; [apply Rmult_lt_0_compat; lra|]. replace r with (r / c * c) by (field; lra).
        apply Rmult_le_compat_r; lra. }
      assert (Hd : -1 <= d k <= 1).
      { unfold d. pose proof (play_range n k t s' b z). pose proof (play_range n k t s' b y). lra. }
      unfold slope. destruct (Rle_dec 0 (d k)) as [Hpos|Hneg].
      - rewrite (Rmax_right 0 (d k)), (Rmax_left 0 (- d k)) by lra.
        destruct (H (e * c * d k)) as [Hup _]; [nra|]. specialize (Hup ltac:(lra)). lra.
      - rewrite (Rmax_left 0 (d k)), (Rmax_right 0 (- d k)) by lra.
        destruct (H (e * c * - d k)) as [_ Hdown]; [nra|].
        replace (cdf_of mu k - e * c * - d k) with (cdf_of mu k + e * c * d k) in Hdown by ring.
        specialize (Hdown ltac:(lra)). lra. }
    destruct (common_radius _ Hgain (repeat tt N) 0) as [r [Hr Hall]].
    set (e := Rmin r (w / 2)).
    assert (He : 0 < e <= r /\ e < w) by (unfold e, Rmin; destruct (Rle_dec r (w / 2)); lra).
    destruct (mixture_shifted mu w x x' e Hmu Hx Hx' ltac:(lra)) as [nu [Hnu Heq]].
    assert (Hcdf : forall k, cdf_of nu k = cdf_of mu k + e * c * d k)
      by (intros k; unfold cdf_of, d; rewrite Heq, Hv; ring).
    assert (Hsum : 0 <= e * c * sum_along slope 0 (repeat tt N)).
    { apply Rle_trans with (weighted_total (cdf_of nu) - weighted_total (cdf_of mu)); [specialize (Hbest nu Hnu); lra|].
      unfold weighted_total. rewrite <- sum_along_minus, <- sum_along_scal. apply sum_along_le. intros k Hk. rewrite
        Hcdf.
      apply Hall; [lra | assumption|]. rewrite <- Hcdf. now apply cdf_of_range. }
    assert (Hec : 0 < e * c) by (apply Rmult_lt_0_compat; lra).
    unfold first_order. rewrite (sum_along_ext _ slope); [nra|].
    intros k _. unfold slope, d. do 3 f_equal. ring.
  Qed.
End Strategies.
