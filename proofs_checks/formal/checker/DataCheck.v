(** * The program for certificates from logged data, over the integers

    A data set says, for every state, action and possible outcome, how often the outcome was seen, and the certificate
    proposes a lower end for its probability.  [good_end] tests the end.  The missing mass of a row may belong to any
    possible outcome, but only a part of it to outcomes that were never seen ([good_beyond]): the upper bound is that of
    the model in which a player chooses where it goes ([completed_model]), the lower bound is that of the certificate's
    policy where an opponent does ([robust_table]). *)

Require Import ZArith List Bool.
From VerifiedRisk Require Import Rows Tree Mixing Program Check Verdict Written.
Import ListNotations.
Open Scope Z_scope.

(** A possible outcome: its reward and next state, how often it was seen, and [share]: its probability is at least
    share / [shares] of its row.  A row has the number of its action in the world that the data are from; all outcomes
    that were not seen have together at most the probability beyond / [shares]. *)
Record possibility := Possibility { drawn : Z; leads_to : positive; times : Z; share : Z }.
Record sampled := Sampled { label : Z; shares : Z; beyond : Z; possible : list possibility }.
Record data := Data {
  failure : rat;                      (* delta *)
  tests : Z;                          (* the possible transitions, those of pairs that have no row included *)
  data_discount : rat;
  data_reward_den : Z;
  data_initial_den : Z;
  data_initial : list (positive * Z);
  data_horizon : Z;
  rows : listing (list sampled)       (* the actions of each state *)
}.
Definition pair_rows (d : data) : tree (list sampled) := tree_of (rows d).

(** ** The test of an end

    Krichevsky and Trofimov's mixture gives a sequence of x ones and b zeros the probability kt x b.  q = w / d is a
    lower end if kt x b >= C q^x (1 - q)^b.  The quotient is made factor by factor, rounded down, as a number (m, e)
    for m 2^e. *)

(** Constants: extraction computes a constant once. *)
Definition up_places : Z := 128.
Definition down_places : Z := 64.
Definition up_power : Z := 2 ^ 128.
Definition down_power : Z := 2 ^ 64.
Definition too_long : Z := 2 ^ 192.
Definition two : Z := 2.
Definition normalised (x : Z * Z) : Z * Z :=
  let (m, e) := x in
  if m <? up_power then (m * up_power, e - up_places)
  else if too_long <=? m then (m / down_power, e + down_places) else (m, e).
(** The next factor: (2 i + 1) d / (2 (i + k + 1) w), where k outcomes of the other kind were before. *)
Definition factor_in (d w k : Z) (s : Z * (Z * Z)) : Z * (Z * Z) :=
  let (i, x) := s in
  let (m, e) := x in
  (i + 1, normalised (m * ((two * i + 1) * d) / (two * (i + k + 1) * w), e)).
Definition factors_in (d w k n : Z) (x : Z * Z) : Z * Z := snd (Z.iter n (factor_in d w k) (0, x)).
(** Only if c <= m 2^e, for c = p / q; large powers are not computed. *)
Definition lowest_exponent : Z := -512.
Definition at_most_number (c : rat) (x : Z * Z) : bool :=
  let (m, e) := x in
  if 0 <=? e then num c <=? m * den c else (lowest_exponent <? e) && (num c * two ^ (- e) <=? m * den c).
Definition unity : Z * Z := normalised (1, 0).
Definition good_end (c : rat) (n d : Z) (o : possibility) : bool :=
  (0 <=? times o) && (times o <=? n) && (0 <=? share o) && (share o <? d) &&
  ((share o =? 0) ||
   ((n * share o <=? times o * d) &&
    at_most_number c (factors_in d (d - share o) (times o) (n - times o) (factors_in d (share o) 0 (times o) unity)))).

(** ** The test of what lies beyond the outcomes that were seen

    The set of the m outcomes seen, of k possible ones, has the weight kt m (k - m) among all sets.  Its probability is
    at least q = w / d if all n visits led into it and  C q^n <= kt m (k - m). *)

Definition missing (p : sampled) : Z := shares p - zsum share (possible p).
Definition visit_sum (p : sampled) : Z := zsum times (possible p).
Definition seen_of (p : sampled) : list possibility := filter (fun o => 0 <? times o) (possible p).
Definition power_in (d w : Z) (x : Z * Z) : Z * Z := let (m, e) := x in normalised (m * d / w, e).
Definition powers_in (d w n : Z) (x : Z * Z) : Z * Z := Z.iter n (power_in d w) x.
Definition set_weight (m k : Z) : Z * Z := factors_in 1 1 m (k - m) (factors_in 1 1 0 m unity).
Definition good_beyond (c : rat) (p : sampled) : bool :=
  (0 <? beyond p) &&
  ((beyond p =? missing p) ||
   ((beyond p <? missing p) && (beyond p <? shares p) &&
    at_most_number c
      (powers_in (shares p) (shares p - beyond p) (visit_sum p) (set_weight (zlen (seen_of p)) (zlen (possible p)))))).

(** ** Data that are what they should be *)

(** Outcomes are listed in the order of rewards and next states, each of them once. *)
Definition comes_before (o o' : possibility) : bool :=
  (drawn o <? drawn o') || ((drawn o =? drawn o') && (Zpos (leads_to o) <? Zpos (leads_to o'))).
Fixpoint in_order (l : list possibility) : bool :=
  match l with
  | [] => true
  | o :: l' => match l' with [] => true | o' :: _ => comes_before o o' end && in_order l'
  end.
Definition four : Z := 4.
Definition share_of (c : rat) (k : Z) : rat := Rat (num c) (k * den c).
Definition good_sampled (c : rat) (p : sampled) : bool :=
  in_order (possible p) && (0 <? missing p) && (0 <? shares p) && negb (match possible p with [] => true | _ => false
    end)
  && forallb (good_end (share_of c 3) (visit_sum p) (shares p)) (possible p)
  && good_beyond (share_of c (zlen (possible p))) p.

(** Three quarters of delta are for ends, a quarter is for sets: a row has a share of it for each possible outcome. *)
Definition threshold (d : data) : rat := Rat (four * tests d * den (failure d)) (num (failure d)).
Definition good_data (d : data) : bool :=
  (0 <? num (failure d)) && (0 <? den (failure d)) && (1 <=? tests d) &&
  (let c := threshold d in forallb (fun sl => forallb (good_sampled c) (snd sl)) (rows d)).

(** ** Models: an action for every place where the missing mass may go, and the part of it that stays among the seen *)

Definition proved_outcomes (p : sampled) : list outcome :=
  map (fun o => Outcome (share o) (drawn o) (leads_to o)) (filter (fun o => 0 <? share o) (possible p)).
Definition inner (p : sampled) : Z := missing p - beyond p.
Definition places (p : sampled) : list (option possibility * possibility) :=
  flat_map (fun x => map (fun o => (x, o)) (possible p)) (if inner p =? 0 then [None] else map Some (seen_of p)).
Definition added (w : Z) (o : possibility) : outcome := Outcome w (drawn o) (leads_to o).
Definition completed_with (n lost kept : Z) (proved : list outcome) (x : option possibility * possibility) : action :=
  Action n (added lost (snd x) :: match fst x with Some o => added kept o :: proved | None => proved end).
Definition completed (p : sampled) : option possibility * possibility -> action :=
  completed_with (shares p) (beyond p) (inner p) (proved_outcomes p).
(** [map (completed p) (places p)], with one list of proved outcomes for all. *)
Definition completions (p : sampled) : list action :=
  let proved := proved_outcomes p in
  let lost := beyond p in
  let kept := inner p in
  map (completed_with (shares p) lost kept proved) (places p).

Definition model_with (d : data) (st : step) : model :=
  Model (data_discount d) (data_reward_den d) (data_initial_den d) (data_initial d)
    (repeat st (Z.to_nat (data_horizon d))).
Definition groups (d : data) : tree (list (list action)) := tmap (map completions) (pair_rows d).
Definition completed_model (d : data) : model := model_with d (tmap (@concat action) (groups d)).
(** One action for each pair: for the numbers of actions only. *)
Definition nominal (d : data) : model := model_with d (tmap (map (fun p => Action 1 [])) (pair_rows d)).

(** ** The expected terminal cost of the certificate's policy from above, whatever outcomes get the missing mass *)

Fixpoint group_above g r under fit lo hi lo' hi' room room' v (acts : list action) : option (list Z) :=
  match acts with
  | [] => None
  | a :: acts' =>
      match action_above g r under fit lo hi lo' hi' room room' v a with
      | None => None
      | Some row =>
          match acts' with
          | [] => Some row
          | _ :: _ =>
              match group_above g r under fit lo hi lo' hi' room room' v acts' with
              | Some row' => Some (zmap2 Z.max row row')
              | None => None
              end
          end
      end
  end.
Fixpoint used_groups g r under fit lo hi lo' hi' room room' v (runs : list (Z * Z)) (i : Z) (l : list (list action))
  : list (option (list Z)) :=
  match l with
  | [] => []
  | acts :: l' =>
      (if is_used runs i then group_above g r under fit lo hi lo' hi' room room' v acts else None)
      :: used_groups g r under fit lo hi lo' hi' room room' v runs (i + 1) l'
  end.
Definition state_robust g r under fit lo hi lo' hi' room room' v (choice : option (list (Z * Z)))
  (l : list (list action)) : option (list Z) :=
  match choice with
  | None => None
  | Some runs =>
      let row := pick runs (used_groups g r under fit lo hi lo' hi' room room' v runs 0 l) in
      if (zlen row =? hi - lo + 1) && (lo <=? hi) then Some row else None
  end.
Fixpoint robust_table (m : model) (g : grid) (r : rat) (under : Z) (terminal : list Z) (ws : list (Z * Z))
  (gs : list (tree (list (list action)))) (choices : list budget_rows) : values (list Z) :=
  match gs, ws, choices with
  | [], _, _ => Everywhere terminal
  | st :: rest, (lo, hi) :: (lo', hi') :: _, c :: choices' =>
      let v := robust_table m g (rate_next m g r) under terminal (tl ws) rest choices' in
      let fit := rows_fit (hi' - lo' + 1) v in
      let room := zeros lo hi in
      let room' := zeros lo' hi' in
      At (tzip (state_robust g r under fit lo hi lo' hi' room room' v) c st)
  | _, _, _ => At Leaf
  end.

Definition robust_cost (m : model) (gs : list (tree (list (list action)))) (g : grid) (start : Z)
  (choices : list budget_rows) (cost : rat -> Z) : option Z :=
  match windows g, window_after (windows g) (steps m) with
  | (lo, hi) :: _, Some (lo', hi') =>
      let u' := unit_after g (unit_size g) (steps m) in
      let e := loss_after m g (rate_0 m g) (unit_size g) (steps m) in
      let under := cost (rplus (rmult u' (of_Z (lo' - 1))) e) in
      let v := robust_table m g (rate_0 m g) under (terminal_row cost u' e lo' hi') (windows g) gs choices in
      if (start <=? hi) && good_grid g
      then start_sum (fun s => match value_at v s with Some row => Some (look under lo row start) | None => None end)
        (initial m)
      else None
  | _, _ => None
  end.
Definition group_steps (d : data) : list (tree (list (list action))) := repeat (groups d) (Z.to_nat (data_horizon d)).
Definition robust_bound (d : data) (V : Z) (g : grid) (start : Z) (choices : list budget_rows) (w alpha : rat)
  : option rat :=
  match robust_cost (completed_model d) (group_steps d) g start choices (cost_above V w alpha) with
  | Some x => Some (rminus (rmult (unit_size g) (of_Z start)) (Rat x (V * data_initial_den d)))
  | None => None
  end.

(** ** Does this certificate prove this claim about the process that the data are from? *)

Inductive data_reason := Plan (why : reason) | end_not_proved.
Definition robust_test (d : data) (o : objective) (p : lower_proof) (bound : rat) : data_reason * (unit -> bool) :=
  match o, p with
  | Tail w alpha, ByBudget V g start choices =>
      (Plan lower_not_proved, fun _ => (0 <? V) && good_grid g &&
        match robust_bound d V g start choices w alpha with Some x => rat_le bound x | None => false end)
  | _, _ => (Plan not_covered, fun _ => false)
  end.
Definition optimistic_test (d : data) (o : objective) (p : upper_proof) (bound : rat) : data_reason * (unit -> bool) :=
  match o with
  | Tail _ _ => let (why, test) := upper_test (completed_model d) o p bound in (Plan why, test)
  | _ => (Plan not_covered, fun _ => false)
  end.
Definition data_tests (d : data) (o : objective) (c : claim) (k : certificate) : list (data_reason * (unit -> bool)) :=
  [ (end_not_proved, fun _ => good_data d);
    (Plan model_is_wrong, fun _ => good_model (completed_model d));
    (Plan objective_is_wrong, fun _ => good_objective o);
    (Plan claim_is_wrong, fun _ => positive_den (lower c) && positive_den (upper c));
    robust_test d o (low k) (lower c);
    optimistic_test d o (up k) (upper c) ].
Definition check_data (d : data) (o : objective) (c : claim) (k : certificate) : bool :=
  forallb (fun test => snd test tt) (data_tests d o c k).
Fixpoint first_data_failure (l : list (data_reason * (unit -> bool))) : option data_reason :=
  match l with
  | [] => None
  | (why, test) :: l' => if test tt then first_data_failure l' else Some why
  end.
Definition data_verdict (d : data) (o : objective) (c : claim) (k : certificate) : option data_reason :=
  first_data_failure (data_tests d o c k).
