(** * The learner's theorem, to be read on its own

    Imported: finite laws ([dist], [E], [is_law], [almost_surely], [prob]: the first page of FiniteLaw.v), [cdf] and
    [Phi] (Objective.v), models, histories and policies (the first page of Mdp.v).  Everything else is defined here. *)

Require Import Reals List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Mdp KlHeadline.
From VerifiedRisk Require BestRow.
Import ListNotations.
Open Scope R_scope.

Section Statement.
  Context {S A : Type} (state_dec : forall s s' : S, {s = s'} + {s <> s'}) (action_dec : forall a a' : A,
    {a = a'} + {a <> a'}).

  (** Known: the states, the actions of each, the rewards xs ++ [1].  Unknown: M beyond its horizon T and initial law.
      *)
  Variables (states : list S) (acts : S -> list A) (xs : list R) (M : mdp S A) (G : R -> R) (L best delta : R).
  Local Notation T := (horizon M).
  Local Notation data := (list (history S A)).   (* the episodes so far, latest first *)

  Definition allowed (pi : policy S A) : Prop :=
    forall h, (time h < T)%nat -> almost_surely (pi h) (fun a => In a (acts (state h))).

  (** ** What was seen at a pair: rewards and next states *)

  Definition pair_dec (x y : S * A) : {x = y} + {x <> y}. Proof. decide equality. Defined.
  Fixpoint seen_in (sa : S * A) (steps : list (S * A * R)) (s' : S) : list (R * S) :=
    match steps with
    | [] => []
    | (s, a, r) :: rest => if pair_dec (s, a) sa then (r, s') :: seen_in sa rest s else seen_in sa rest s
    end.
  Definition seen (sa : S * A) (past : data) : list (R * S) := flat_map (fun h => seen_in sa (fst h) (snd h)) past.
  Definition N (past : data) s a : nat := length (seen (s, a) past).
  Definition n_next (past : data) s a s' : nat :=
    length (filter (fun o => if state_dec (snd o) s' then true else false) (seen (s, a) past)).
  Definition n_below (past : data) s a x : nat :=
    length (filter (fun o => if Rle_dec (fst o) x then true else false) (seen (s, a) past)).

  (** ** The sets: N kl(x/N, p) <= lambda_N, n tests in all *)

  Definition pairs : list (S * A) := flat_map (fun s => map (pair s) (acts s)) states.
  Definition n_tests : R := INR (length pairs) * (INR (length states) + INR (length xs)).
  Definition kl (p q : R) : R := p * ln (p / q) + (1 - p) * ln ((1 - p) / (1 - q)).
  Definition lambda (n : nat) : R := ln (n_tests / delta) + / 2 * ln (INR n) + ln 2.
  (** q is at most the lower end of the set ... *)
  Definition wide (n x : nat) (q : R) : Prop :=
    q <= 0 \/ ((1 <= n)%nat /\ 0 < q < 1 /\ INR n * q <= INR x /\ lambda n <= INR n * kl (INR x / INR n) q).
  (** ... and q belongs to the set of the frequency f. *)
  Definition tight (n : nat) (f q : R) : Prop := q = f \/
    (0 < q /\ q <= f /\ f <= 1 /\ q < 1 /\ INR n * kl f q <= lambda n).

  (** ** The learner: masses from below, a reward law from above and one from below; a utility and a policy for each *)

  Variables (low : data -> S -> A -> S -> R) (hat chk : data -> S -> A -> dist R)
            (learner cautious : data -> policy S A) (u uc : data -> R -> R) (w0 : data -> R) (w wc : data -> nat -> R).

  Fixpoint argmax {X} (f : X -> R) (x : X) (l : list X) : X :=
    match l with [] => x | y :: l' => let c := argmax f x l' in if Rle_dec (f c) (f y) then y else c end.
  Definition max_over {X} (f : X -> R) (l : list X) : R := match l with [] => 0 | x :: l' => f (argmax f x l') end.
  Definition min_over {X} (f : X -> R) (l : list X) : R := - max_over (fun x => - f x) l.
  Definition miss past s a : R := 1 - sum states (low past s a).

  (** The missing mass goes to the best state, or to the worst. *)
  Definition q_up past (v : S -> R -> R) s y a : R := E (hat past s a) (fun r =>
    sum states (fun s' => low past s a s' * v s' (r + y)) + miss past s a * max_over (fun s' => v s' (r + y)) states).
  Definition q_down past (v : S -> R -> R) s y a : R := E (chk past s a) (fun r =>
    sum states (fun s' => low past s a s' * v s' (r + y)) + miss past s a * min_over (fun s' => v s' (r + y)) states).
  Definition V_up past (h : R -> R) : nat -> S -> R -> R := fix V n s y :=
    match n with O => h y | Datatypes.S n' => max_over (q_up past (V n') s y) (acts s) end.
  Definition V_down past (h : R -> R) : nat -> S -> R -> R := fix V n s y :=
    match n with O => h y | Datatypes.S n' => max_over (q_down past (V n') s y) (acts s) end.
  Definition v_up past h : R := E (init M) (fun s => V_up past h T s 0).
  Definition v_down past h : R := E (init M) (fun s => V_down past h T s 0).

  (** Nondecreasing, L-Lipschitz, below Phi. *)
  Definition supports (h : R -> R) : Prop := (forall x y, x <= y -> 0 <= h y - h x <= L * (y - x)) /\
    forall e, is_law e -> almost_surely e (fun x => 0 <= x <= INR T) -> E e h <= Phi G e.

  (** ** Costs, errors, regret *)

  Definition gap past s a : R := RInt (fun x => Rmax 0 (cdf (chk past s a) x - cdf (hat past s a) x)) 0 1.
  Definition Y past : list (S * A * R) -> R := fix Y steps :=
    match steps with
    | [] => 0
    | (s, a, _) :: rest => (INR (T - Datatypes.S (length rest)) * miss past s a + gap past s a) + Y rest
    end.
  Fixpoint Ys (path : data) : R := match path with [] => 0 | g :: past => Y past (fst g) + Ys past end.
  Fixpoint errors (path : data) : R :=
    match path with [] => 0 | _ :: past => (w0 past + sum (seq 0 T) (w past)) + errors past end.
  Fixpoint regret (path : data) : R :=
    match path with [] => 0 | _ :: past => (best - value G M (learner past)) + regret past end.
  Fixpoint episodes (K : nat) : dist data :=
    match K with O => ret [] | Datatypes.S K' =>
      bind (episodes K') (fun past => image (fun g => g :: past) (history_law M (learner past) T)) end.

  Definition data_bound past : R :=
    L * (exp 1 / (exp 1 - 1) * (Ys past + INR T * (INR T + 1) / 2 * ln (/ delta))) + errors past.
  Definition a_priori_bound Gamma (past : data) : R :=
    L * (exp 1 / (exp 1 - 1) * (((INR T - 1) * Rmin Gamma (2 * sqrt Gamma) + 2) *
        sqrt (2 * INR (length pairs) * INR (length past) * INR T * lambda (length past * T)) +
      INR T ^ 2 * INR (length pairs) + INR T * (INR T + 1) / 2 * ln (/ delta))) + errors past.

  (** Some prefix of the run has the property; and it has so with probability at most p, whatever K. *)
  Definition sometime (P : data -> Prop) (path : data) : Prop := exists newer past, path = newer ++ past /\ P past.
  Definition at_most (p : R) (P : data -> Prop) : Prop :=
    forall K (dec : forall path, {sometime P path} + {~ sometime P path}), prob (episodes K) dec <= p.

  (** Given: concave L-Lipschitz G; states, actions and the values of the rewards known, nothing else; sets at
      least as wide as prescribed, planner errors w0, w.
      Differs: another learner; kl_headline with all definitions restated.
      In words: 10-kl-learner.md#kl-data.
      Step of: corrected/ii. *)
  Theorem kl_learner :
    (* the world *)
    NoDup states -> (forall s, In s states) -> (forall s, acts s <> [] /\ NoDup (acts s)) ->
      (forall x, In x xs -> 0 <= x < 1) ->
    is_mdp M -> (1 <= T)%nat -> (forall s a, almost_surely (reward M s a) (fun r => In r (xs ++ [1]))) ->
    weighting G -> lipschitz_weighting G L -> concave_weighting G -> 0 < delta <= 1 ->
    is_lub (fun x => exists pi, is_policy pi /\ allowed pi /\ x = value G M pi) best ->
    (* the sets are at least as wide as prescribed *)
    (forall past s a s', 0 <= low past s a s' /\ wide (N past s a) (n_next past s a s') (low past s a s')) ->
    (forall past s a, sum states (low past s a) <= 1) ->
    (forall past s a, is_law (hat past s a) /\ almost_surely (hat past s a) (fun r => In r (xs ++ [1])) /\
       forall x, In x xs -> wide (N past s a) (n_below past s a x) (cdf (hat past s a) x)) ->
    (forall past s a, is_law (chk past s a) /\ almost_surely (chk past s a) (fun r => In r (xs ++ [1])) /\
       forall x, In x xs -> wide (N past s a) (N past s a - n_below past s a x) (1 - cdf (chk past s a) x)) ->
    (* the optimistic plan: a utility within w0 of the best, a policy greedy up to w at every (t, s, y) *)
    (forall past, is_policy (learner past)) -> (forall past, supports (u past)) ->
    (forall past h, supports h -> v_up past h <= v_up past (u past) + w0 past) ->
    (forall past g n, (Datatypes.S n + time g = T)%nat ->
      almost_surely (learner past g) (fun a => In a (acts (state g)) /\
       V_up past (u past) (Datatypes.S n) (state g) (collected g) <=
         q_up past (V_up past (u past) n) (state g) (collected g) a + w past n)) ->
    (* the cautious plan *)
    (forall past, is_policy (cautious past)) -> (forall past, supports (uc past)) ->
    (forall past g n, (Datatypes.S n + time g = T)%nat ->
      almost_surely (cautious past g) (fun a => In a (acts (state g)) /\
       V_down past (uc past) (Datatypes.S n) (state g) (collected g) <=
         q_down past (V_down past (uc past) n) (state g) (collected g) a + wc past n)) ->
    (* the interval, the regret from the data, the regret a priori *)
    at_most delta (fun past => ~ (v_down past (uc past) - sum (seq 0 T) (wc past) <= value G M (cautious past) /\
                                  value G M (cautious past) <= best /\ best <= v_up past (u past) + w0 past)) /\
    at_most (2 * delta) (fun past => data_bound past < regret past) /\
    forall Gamma part,
      (forall s a, NoDup (part s a) /\ INR (length (part s a)) <= Gamma) ->
      (forall s a, In a (acts s) -> almost_surely (trans M s a) (fun s' => In s' (part s a))) ->
      (forall past s a s', In a (acts s) -> (1 <= N past s a)%nat ->
         tight (N past s a) (INR (n_next past s a s') / INR (N past s a)) (low past s a s')) ->
      (forall past s a x, In a (acts s) -> (1 <= N past s a)%nat -> In x xs ->
         tight (N past s a) (INR (n_below past s a x) / INR (N past s a)) (cdf (hat past s a) x)) ->
      (forall past s a x, In a (acts s) -> (1 <= N past s a)%nat -> In x xs ->
         tight (N past s a) (1 - INR (n_below past s a x) / INR (N past s a)) (1 - cdf (chk past s a) x)) ->
      at_most (2 * delta) (fun past => a_priori_bound Gamma past < regret past).
  Proof.
    intros H1 H2 H3 H4 H5 H6 H7 H8 H9 H10 H11 H12 H13 H14 H15 H16 H17 H18 H19 H20 H21 H22 H23.
    pose (b := fun past => BestRow.Build_beliefs S A (low past) (hat past) (chk past)).
    pose proof (kl_headline state_dec action_dec states acts xs M G L best delta H1 H2 H3 H4 H5 H6 H7 H8 H9 H10 H12 H11
      b learner u w0 w
      (fun past => @KlPlain.Build_valid_beliefs S A state_dec action_dec states acts xs delta past (b past) (H13 past)
        (H14 past) (H15 past) (H16 past))
      H17 H18 H19 H20 cautious uc wc H21 H22 H23) as H.
    split; [exact (fun K => proj1 (H K)) | split; [exact (fun K => proj1 (proj2 (H K)))|]].
    intros Gamma part P1 P2 P3 P4 P5 K. exact (proj2 (proj2 (H K)) Gamma part P1 P2
      (fun past => @KlPlain.Build_exact_sets S A state_dec action_dec states acts xs delta b past (P3 past) (P4 past)
        (P5 past))).
  Qed.
End Statement.
