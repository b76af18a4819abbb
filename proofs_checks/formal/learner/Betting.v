(** * Bets on one function of the outcome, at every moment at once, whatever the learner does

    A bet is a set of pairs (s, a) and a function f of the outcome, fixed but perhaps unknown to the learner, that has
    the same mean m at every pair of the set and is at most c there.  Let f_1, ..., f_N be its values at the N visits so
    far.  The gambler of [Portfolio.v] with x_i = (c - f_i) / (c - m) has a fair game, so for every learner, every
    number of episodes and every constant C > 0, the probability that at some moment some gambler owns C is at most
    (number of bets) / C.  Otherwise, at every moment with N >= 1 and for every eta >= c with eta > m,

      prod_i (eta - f_i)  <  2 C sqrt N (eta - m)^N ,    so    m  <  eta - (prod_i (eta - f_i) / (2 C sqrt N))^(1/N) .

    A larger function g >= f makes the product smaller: the bound holds with g in place of f, so f need not be known. *)

Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Mdp HoeffdingFinite MartingaleStep EventHolds KtRedundancy KlSets
  Ville KlEvent Portfolio.
Import ListNotations.
Open Scope R_scope.

(** ** The product and what it tells *)

(** prod_i (eta - y_i), with 0 for a factor below 0. *)
Fixpoint room (eta : R) (ys : list R) : R :=
  match ys with
  | [] => 1
  | y :: rest => Rmax 0 (eta - y) * room eta rest
  end.

(** What B must satisfy; the least such B is the root below. *)
Definition below_bet (C eta : R) (ys : list R) (B : R) : Prop :=
  eta <= B \/
  (ys <> [] /\ 2 * C * sqrt (INR (length ys)) * (eta - B) ^ length ys <= room eta ys).

Lemma room_nonneg eta ys : 0 <= room eta ys.
Proof. induction ys as [|y ys IH]; cbn [room]; [lra|]. apply Rmult_le_pos; [apply Rmax_l | assumption]. Qed.

Lemma room_antitone {X} eta (f g : X -> R) (l : list X) :
  (forall x, In x l -> f x <= g x) -> room eta (map g l) <= room eta (map f l).
Proof.
  induction l as [|x l IH]; intros H; cbn [map room]; [lra|].
  apply Rmult_le_compat; [apply Rmax_l | apply room_nonneg | | apply IH; intros; apply H; now right].
  apply Rle_max_compat_l. specialize (H x ltac:(now left)). lra.
Qed.

Lemma pow_lt_compat x y n : 0 <= x -> x < y -> (1 <= n)%nat -> x ^ n < y ^ n.
Proof.
  intros Hx Hy Hn. destruct n as [|n]; [lia|]. clear Hn. induction n as [|n IH]; [simpl; lra|].
  change (x ^ S (S n)) with (x * x ^ S n). change (y ^ S (S n)) with (y * y ^ S n).
  assert (0 <= x ^ S n) by now apply pow_le. apply Rle_lt_trans with (y * x ^ S n).
  - apply Rmult_le_compat_r; lra.
  - apply Rmult_lt_compat_l; lra.
Qed.

Lemma root_pos (ys : list R) : ys <> [] -> 0 < sqrt (INR (length ys)).
Proof. intros H. apply sqrt_lt_R0, lt_0_INR. destruct ys; [congruence | simpl; lia]. Qed.

(** The bound in closed form.
    Given: N >= 1 and a product above 0.
    In words: 10-kl-learner.md#kl-bets.
    Step of: corrected/ii. *)
Theorem bet_bound_is_below C eta ys :
  0 < C -> ys <> [] -> 0 < room eta ys ->
  below_bet C eta ys (eta - exp (ln (room eta ys / (2 * C * sqrt (INR (length ys)))) / INR (length ys))).
Proof.
  intros HC Hne Hr. right; split; [assumption|]. pose proof (root_pos ys Hne) as Hs.
  assert (Hn : 0 < INR (length ys)) by (apply lt_0_INR; destruct ys; [congruence | simpl; lia]).
  set (D := 2 * C * sqrt (INR (length ys))). assert (HD : 0 < D) by (unfold D; apply Rmult_lt_0_compat; lra).
  replace (eta - (eta - exp (ln (room eta ys / D) / INR (length ys))))
    with (exp (ln (room eta ys / D) / INR (length ys))) by ring.
  rewrite exp_pow.
  replace (INR (length ys) * (ln (room eta ys / D) / INR (length ys))) with (ln (room eta ys / D)) by (field; lra).
  rewrite exp_ln by (now apply Rdiv_lt_0_compat). right. field. lra.
Qed.

Lemma below_bet_further C eta ys B B' : 0 < C -> B <= B' -> below_bet C eta ys B -> below_bet C eta ys B'.
Proof.
  intros HC HB [H|[Hne H]]; [left; lra|]. destruct (Rle_dec eta B') as [|Hlt]; [now left | right].
  split; [assumption|]. eapply Rle_trans; [|exact H]. pose proof (root_pos ys Hne). apply Rmult_le_compat_l; [nra|].
  apply pow_incr. lra.
Qed.

(** A number that a bet allows, at least 0; eta itself as long as nothing was seen. *)
Definition bet_number (C eta : R) (ys : list R) : R :=
  match ys with
  | [] => Rmax 0 eta
  | _ => if Rlt_dec 0 (room eta ys)
         then Rmax 0 (eta - exp (ln (room eta ys / (2 * C * sqrt (INR (length ys)))) / INR (length ys)))
         else Rmax 0 eta
  end.

Lemma bet_number_nonneg C eta ys : 0 <= bet_number C eta ys.
Proof. unfold bet_number. destruct ys; [apply Rmax_l|]. destruct (Rlt_dec _ _); apply Rmax_l. Qed.

Lemma bet_number_below C eta ys : 0 < C -> below_bet C eta ys (bet_number C eta ys).
Proof.
  intros HC. unfold bet_number. destruct ys as [|y ys]; [left; apply Rmax_r|].
  destruct (Rlt_dec 0 (room eta (y :: ys))) as [Hr|]; [|left; apply Rmax_r].
  eapply below_bet_further; [assumption | apply Rmax_r|]. now apply bet_bound_is_below.
Qed.

(** A mean of 0 of a function that is at least 0. *)
Lemma as_zero_of_mean {X} (d : dist X) (f : X -> R) :
  nonneg d -> almost_surely d (fun x => 0 <= f x) -> E d f = 0 -> almost_surely d (fun x => f x = 0).
Proof.
  induction d as [|[x p] d IH]; intros Hd Hf He y q Hin Hq; [destruct Hin|]. cbn [E] in He.
  assert (Hd' : nonneg d) by (intros z r Hz; apply (Hd z r); now right).
  assert (Hf' : almost_surely d (fun x => 0 <= f x)) by (intros z r Hz; apply (Hf z r); now right).
  assert (H0 : 0 <= E d f) by (rewrite <- (E_zero d); now apply E_le_as).
  assert (Hp : 0 <= p) by (apply (Hd x p); now left).
  assert (Hx : 0 <= p * f x).
  { destruct (Req_EM_T p 0) as [->|Hp0]; [lra|]. apply Rmult_le_pos; [assumption|].
    apply (Hf x p); [now left | assumption]. }
  destruct Hin as [Heq|Hin].
  - injection Heq as -> ->. assert (Hz : q * f y = 0) by lra. apply Rmult_integral in Hz. lra.
  - apply (IH Hd' Hf' ltac:(lra) y q Hin Hq).
Qed.

(** ** The gambler against m *)

Section Fortune.
  Variables (C c m : R).

  (** What can happen if the mean is m and no value is above c. *)
  Definition possible (v : R) : Prop := v <= c /\ (m = c -> v = c).

  Definition possible_dec v : {possible v} + {~ possible v}.
  Proof.
    unfold possible. destruct (Rle_dec v c); [|right; tauto].
    destruct (Req_EM_T m c); [|left; tauto]. destruct (Req_EM_T v c); [left; tauto | right; tauto].
  Defined.

  Definition stake (v : R) : R := if Req_EM_T m c then 1 else (c - v) / (c - m).

  Definition fortune (vs : list R) : R :=
    if Forall_dec possible possible_dec vs then portfolio 0 0 (map stake vs) else C.

  Hypothesis Hm : m <= c.

  Lemma stake_nonneg v : possible v -> 0 <= stake v.
  Proof.
    intros [H _]. unfold stake. destruct (Req_EM_T m c) as [|Hne]; [lra|]. apply Rdiv_le_0_compat; lra.
  Qed.

  Lemma stakes_nonneg vs : List.Forall possible vs -> List.Forall (fun x => 0 <= x) (map stake vs).
  Proof. induction 1; constructor; [now apply stake_nonneg | assumption]. Qed.

  Lemma fortune_nonneg vs : 0 <= C -> 0 <= fortune vs.
  Proof.
    intros HC. unfold fortune. destruct (Forall_dec _ _ vs) as [H|]; [|assumption].
    now apply portfolio_nonneg, stakes_nonneg.
  Qed.

  Lemma fortune_start : fortune [] = 1.
  Proof. unfold fortune. destruct (Forall_dec _ _ []) as [|H]; [exact kt_0 | exfalso; apply H; constructor]. Qed.

  Lemma fortune_mean {X} (d : dist X) (f : X -> R) vs :
    is_law d -> E d f = m -> almost_surely d (fun x => f x <= c) -> E d (fun x => fortune (f x :: vs)) = fortune vs.
  Proof.
    intros Hd He Hf.
    assert (Hpos : almost_surely d (fun x => possible (f x))).
    { apply as_and; [assumption|]. destruct (Req_EM_T m c) as [Hmc|Hmc]; [|apply as_always; intros x H; contradiction].
      assert (Hz : almost_surely d (fun x => c - f x = 0)).
      { apply as_zero_of_mean; [apply Hd | revert Hf; apply as_impl; intros x Hx; lra|].
        rewrite E_minus, E_const by assumption. lra. }
      revert Hz; apply as_impl; intros x Hx _. lra. }
    unfold fortune at 2. destruct (Forall_dec _ _ vs) as [Hall|Hno].
    - rewrite (E_ext_as d _ (fun x => stake (f x) * portfolio 1 0 (map stake vs) + portfolio 0 1 (map stake vs))).
      + rewrite E_plus, E_scal_r, E_const by assumption. rewrite <- (portfolio_fair 0 0).
        enough (Hs : E d (fun x => stake (f x)) = 1) by (rewrite Hs; ring).
        unfold stake. destruct (Req_EM_T m c) as [|Hne]; [now apply E_const|].
        rewrite (E_ext d _ (fun x => / (c - m) * (c - f x))) by (intros; unfold Rdiv; ring).
        rewrite E_scal, E_minus, E_const, He by assumption. field. lra.
      + revert Hpos; apply as_impl; intros x Hx. unfold fortune.
        destruct (Forall_dec _ _ (f x :: vs)) as [|Hbad]; [reflexivity|]. exfalso. apply Hbad. now constructor.
    - rewrite (E_ext d _ (fun _ => C)); [now apply E_const|]. intros x. unfold fortune.
      destruct (Forall_dec _ _ (f x :: vs)) as [Hall|]; [|reflexivity]. exfalso. apply Hno. now inversion Hall.
  Qed.

  (** Given: a gambler who owns less than C; N >= 1, eta at least the largest value and above the mean.
      In words: 10-kl-learner.md#kl-bets. *)
  Theorem product_is_small eta vs :
    0 < C -> fortune vs < C -> vs <> [] -> c <= eta -> m < eta ->
    room eta vs < 2 * C * sqrt (INR (length vs)) * (eta - m) ^ length vs.
  Proof.
    intros HC Hlt Hne Hc Hmeta. unfold fortune in Hlt. destruct (Forall_dec _ _ vs) as [Hall|]; [|lra].
    set (p := (c - m) / (eta - m)).
    assert (Hp0 : 0 <= p) by (apply Rdiv_le_0_compat; lra).
    assert (Hpe : p * (eta - m) = c - m) by (unfold p; field; lra).
    assert (Hp1 : p <= 1) by (apply (Rmult_le_reg_r (eta - m)); lra).
    assert (Hroom : room eta vs = (eta - m) ^ length vs * constant_share p (map stake vs)).
    { clear Hlt Hne. induction Hall as [|v vs Hv _ IH]; cbn [room length pow map constant_share]; [ring|]. rewrite IH.
      assert (Hone : Rmax 0 (eta - v) = (eta - m) * (p * stake v + (1 - p))); [|rewrite Hone; ring].
      destruct Hv as [Hv1 Hv2]. rewrite Rmax_right by lra. unfold stake. destruct (Req_EM_T m c) as [Hmc|Hmc].
      - rewrite (Hv2 Hmc). rewrite Hmc. ring.
      - transitivity (p * (eta - m) * ((c - v) / (c - m)) + (eta - m) - p * (eta - m));
          [rewrite Hpe; field; lra | ring]. }
    assert (Hpow : 0 < (eta - m) ^ length vs) by (apply pow_lt; lra).
    pose proof (portfolio_is_universal p (map stake vs) (conj Hp0 Hp1) (stakes_nonneg vs Hall)) as Hu.
    rewrite map_length in Hu. specialize (Hu ltac:(destruct vs; [congruence | discriminate])).
    pose proof (root_pos vs Hne) as Hs. rewrite Hroom.
    apply Rle_lt_trans with ((eta - m) ^ length vs * (2 * sqrt (INR (length vs)) * portfolio 0 0 (map stake vs))).
    - apply Rmult_le_compat_l; lra.
    - replace (2 * C * sqrt (INR (length vs)) * (eta - m) ^ length vs)
        with ((eta - m) ^ length vs * (2 * sqrt (INR (length vs)) * C)) by ring.
      apply Rmult_lt_compat_l; [assumption|]. apply Rmult_lt_compat_l; [lra | assumption].
  Qed.

  Lemma below_bet_above_mean {X} eta (f g : X -> R) (l : list X) B :
    0 < C -> fortune (map f l) < C -> c <= eta -> (forall x, In x l -> f x <= g x) -> below_bet C eta (map g l) B ->
    m <= B.
  Proof.
    intros HC Hlt Hc Hfg [HB|[Hne Hprod]]; [lra|]. destruct (Rle_dec m B) as [|HBm]; [assumption|].
    destruct (Rle_dec eta B) as [|HetaB]; [lra | exfalso].
    assert (Hne' : map f l <> []) by (destruct l; [now contradiction Hne | discriminate]).
    pose proof (room_antitone eta f g l Hfg) as Hroom. rewrite map_length in *.
    assert (HD : 0 < 2 * C * sqrt (INR (length l))).
    { pose proof (root_pos _ Hne') as Hs. rewrite map_length in Hs. apply Rmult_lt_0_compat; lra. }
    destruct (Rle_dec eta m) as [Hem|Hem].
    - (* eta = c = m: all values are m, so the product is 0 *)
      assert (Hc' : m = c) by lra. assert (He : eta = c) by lra. unfold fortune in Hlt.
      destruct (Forall_dec _ _ (map f l)) as [Hall|]; [|lra].
      assert (Hz : room eta (map f l) = 0).
      { destruct l as [|x l]; [now contradiction Hne|]. cbn [map room]. inversion Hall as [|? ? [_ Hx] _].
        rewrite (Hx Hc'), He. replace (c - c) with 0 by ring. rewrite Rmax_left by lra. ring. }
      assert (0 < (eta - B) ^ length l) by (apply pow_lt; lra).
      pose proof (Rmult_lt_0_compat _ _ HD H). lra.
    - pose proof (product_is_small eta (map f l) HC Hlt Hne' Hc ltac:(lra)) as Hs. rewrite map_length in Hs.
      assert (Hp : (eta - m) ^ length l < (eta - B) ^ length l).
      { apply pow_lt_compat; try lra. destruct l; [now contradiction Hne | simpl; lia]. }
      pose proof (Rmult_lt_compat_l _ _ _ HD Hp). lra.
  Qed.
End Fortune.

(** ** Along the episodes *)

Record bet (S A : Type) : Type := {
  backs : S -> A -> bool;
  payoff : S -> A -> R -> S -> R;
  payoff_top : R
}.
Arguments backs {S A} _ _ _.
Arguments payoff {S A} _ _ _ _ _.
Arguments payoff_top {S A} _.

(** A visit: state, action, reward, next state. *)
Definition gamble (S A : Type) : Type := (S * A * R * S)%type.
Definition at_gamble {S A Z} (f : S -> A -> R -> S -> Z) (o : gamble S A) : Z :=
  match o with (s, a, r, s') => f s a r s' end.

Section Event.
  Context {S A : Type}.
  Load "setup/Play".

  Definition has_mean (beta : bet S A) (m : R) : Prop :=
    m <= payoff_top beta /\
    forall s a, backs beta s a = true ->
      E (reward M s a) (fun r => E (trans M s a) (fun s' => payoff beta s a r s')) = m /\
      almost_surely (reward M s a) (fun r =>
        almost_surely (trans M s a) (fun s' => payoff beta s a r s' <= payoff_top beta)).

  (** The visits to a set of pairs, latest first. *)
  Fixpoint gambles_in (sel : S -> A -> bool) (before : list (gamble S A)) (steps : list (S * A * R)) (s' : S) :
    list (gamble S A) :=
    match steps with
    | [] => before
    | (s, a, r) :: rest =>
        if sel s a then (s, a, r, s') :: gambles_in sel before rest s else gambles_in sel before rest s
    end.

  Fixpoint gambles (sel : S -> A -> bool) (path : list (history S A)) : list (gamble S A) :=
    match path with
    | [] => []
    | h :: past => gambles_in sel (gambles sel past) (fst h) (snd h)
    end.

  Section OneBet.
    Variables (C m : R) (beta : bet S A).
    Hypothesis Hmean : has_mean beta m.

    Definition owned (l : list (gamble S A)) : R := fortune C (payoff_top beta) m (map (at_gamble (payoff beta)) l).

    Lemma owned_episode pi t before :
      is_policy pi ->
      E (history_law M pi t) (fun h => owned (gambles_in (backs beta) before (fst h) (snd h))) <= owned before.
    Proof.
      intros Hpi; induction t as [|t IH].
      - rewrite E_history_law_0. cbn [start fst gambles_in]. rewrite E_const by apply HM. lra.
      - rewrite E_history_law_S. eapply Rle_trans; [|exact IH]. apply E_le; [now apply law_history|]. intros h.
        rewrite E_step. apply E_le_const; [apply Hpi|]. apply as_always; intros a.
        cbn [extend fst snd gambles_in]. change (snd h) with (state h).
        destruct (backs beta (state h) a) eqn:Hsel.
        + destruct (proj2 Hmean (state h) a Hsel) as [Hm Hc]. right. unfold owned. cbn [map at_gamble].
          set (d := bind (reward M (state h) a) (fun r => image (pair r) (trans M (state h) a))).
          assert (Hd : forall f : R * S -> R,
            E d f = E (reward M (state h) a) (fun r => E (trans M (state h) a) (fun s => f (r, s)))).
          { intros f. unfold d. rewrite E_bind. apply E_ext; intros r. apply E_image. }
          set (vs := map (at_gamble (payoff beta)) (gambles_in (backs beta) before (fst h) (state h))).
          rewrite <- (fortune_mean C (payoff_top beta) m (proj1 Hmean) d
            (fun o => payoff beta (state h) a (fst o) (snd o)) vs).
          * rewrite Hd. reflexivity.
          * apply law_bind; [now apply reward_law|]. intros r. now apply law_image, trans_law.
          * rewrite Hd. exact Hm.
          * apply as_bind. revert Hc; apply as_impl; intros r Hr. now apply as_image.
        + right. rewrite (E_ext _ _ (fun _ => owned (gambles_in (backs beta) before (fst h) (state h))));
            [apply E_const; now apply reward_law|]. intros r. rewrite E_const by now apply trans_law. reflexivity.
    Qed.

    (** The gambler owns C. *)
    Definition won (path : list (history S A)) : Prop := C <= owned (gambles (backs beta) path).
  End OneBet.

  (** ** All bets *)

  Context {I : Type}.
  Variables (bets : list I) (bet_of : I -> bet S A) (mean : I -> R) (C : R).
  Hypothesis Hmeans : forall i, In i bets -> has_mean (bet_of i) (mean i).
  Hypothesis HC : 0 < C.

  Definition outbet (past : list (history S A)) : Prop := Exists (fun i => won C (mean i) (bet_of i) past) bets.
  Definition outbet_dec_at past : {outbet past} + {~ outbet past} := Exists_dec _ bets (fun i => Rle_dec _ _).
  Definition ever_outbet_dec path : {Exists outbet (moments_of path)} + {~ Exists outbet (moments_of path)} :=
    Exists_dec outbet (moments_of path) outbet_dec_at.

  (** Given: any learner, any finite MDP, any list of bets on fixed functions, any number of episodes.
      Differs: the event.
      In words: 10-kl-learner.md#kl-bets.
      Step of: corrected/ii. *)
  Theorem rarely_outbet K : prob (episodes M learner K) ever_outbet_dec <= INR (length bets) / C.
  Proof.
    unfold Rdiv. rewrite <- sum_const.
    apply (ville_of_many (fun past => history_law M (learner past) (horizon M))
      (fun past => law_history M (learner past) (horizon M) HM (Hlearner past)) bets
      (fun i past => owned C (mean i) (bet_of i) (gambles (backs (bet_of i)) past)) (fun _ => C)) with (bad := outbet);
      auto.
    - intros i Hi. right. apply fortune_start.
    - intros i Hi past. apply fortune_nonneg; [exact (proj1 (Hmeans i Hi)) | lra].
    - intros i Hi past. now apply owned_episode; [apply Hmeans|].
  Qed.

  (** Given: no gambler owns C; N >= 1 visits, eta at least c and above the mean.
      In words: 10-kl-learner.md#kl-bets.
      Step of: corrected/ii. *)
  Theorem not_outbet_product past i eta :
    ~ outbet past -> In i bets -> let l := gambles (backs (bet_of i)) past in
    l <> [] -> payoff_top (bet_of i) <= eta -> mean i < eta ->
    room eta (map (at_gamble (payoff (bet_of i))) l) < 2 * C * sqrt (INR (length l)) * (eta - mean i) ^ length l.
  Proof.
    intros Hn Hi l Hl Hc Hm.
    assert (Hlt : owned C (mean i) (bet_of i) l < C).
    { apply Rnot_le_lt; intros Hw. apply Hn, Exists_exists. exists i; split; assumption. }
    pose proof (product_is_small C (payoff_top (bet_of i)) (mean i) (proj1 (Hmeans i Hi)) eta
      (map (at_gamble (payoff (bet_of i))) l) HC Hlt ltac:(destruct l; [congruence | discriminate]) Hc Hm) as H.
    now rewrite map_length in H.
  Qed.

  (** A bound on the mean, from the values of a larger function.
      Given: no gambler owns C; a function that is at least f at the visits, and any eta that is at least c.
      In words: 10-kl-learner.md#kl-bets.
      Step of: corrected/ii. *)
  Theorem not_outbet_bounds past i g eta B :
    ~ outbet past -> In i bets -> payoff_top (bet_of i) <= eta ->
    (forall o, In o (gambles (backs (bet_of i)) past) -> at_gamble (payoff (bet_of i)) o <= g o) ->
    below_bet C eta (map g (gambles (backs (bet_of i)) past)) B -> mean i <= B.
  Proof.
    intros Hn Hi Hc Hg HB.
    assert (Hlt : owned C (mean i) (bet_of i) (gambles (backs (bet_of i)) past) < C).
    { apply Rnot_le_lt; intros Hw. apply Hn, Exists_exists. exists i; split; assumption. }
    exact (below_bet_above_mean C (payoff_top (bet_of i)) (mean i) (proj1 (Hmeans i Hi)) eta _ g _ B HC Hlt Hc Hg HB).
  Qed.
End Event.
