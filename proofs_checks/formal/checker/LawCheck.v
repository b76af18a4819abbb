(** * The law of the return of a policy with private memory, forwards

    A machine remembers an integer.  Its memory mem becomes factor mem + shift after a reward, plus 1 with the
    probability coin / coin_den; both may depend on the time and on the reward.  A certificate names one machine or
    several that are drawn at the start.  The program follows the masses of (state, memory, return), over the scale V
    and rounded down: what is lost by rounding is taken to be earned nowhere. *)

Require Import ZArith List Bool.
From VerifiedRisk Require Import Rows Tree Program Check PolygonCheck.
Import ListNotations.
Open Scope Z_scope.

(** ** Machines *)

Definition move_for (rule : memory_rule) (label : Z) : Z * Z :=
  match find (fun x => fst x =? label) (moves rule) with Some (_, sc) => sc | None => (0, 0) end.
Definition no_row : memory_row := MemoryRow 0 0 [].
Definition row_choice (row : memory_row) (mem : Z) : Z := if mem <? first row then before row
  else run_at (row_runs row) (mem - first row).
(** The number of an action that the state has. *)
Definition valid (acts : list action) (i : Z) : Z := match znth acts i with Some _ => i | None => 0 end.
Definition good_rule (rule : memory_rule) : bool :=
  (0 <? coin_den rule) && forallb (fun x => (0 <=? snd (snd x)) && (snd (snd x) <=? coin_den rule)) (moves rule).

(** ** Masses: lists of ((memory, return), mass), kept in order so that equal places meet *)

Definition entry : Type := (Z * Z) * Z.
Fixpoint merge (l : list entry) : list entry -> list entry :=
  match l with
  | [] => fun k => k
  | ((a, y), p) :: l' =>
      fix inner (k : list entry) : list entry :=
        match k with
        | [] => ((a, y), p) :: l'
        | ((b, z), q) :: k' =>
            if (a =? b) && (y =? z) then ((a, y), p + q) :: merge l' k'
            else if (a <? b) || ((a =? b) && (y <? z)) then ((a, y), p) :: merge l' (((b, z), q) :: k')
            else ((b, z), q) :: inner k'
        end
  end.

Definition group : Type := positive * list entry.
Definition add_group (s : positive) (es : list entry) (gs : list group) : list group :=
  match gs with
  | (s', es') :: rest => if Pos.eqb s s' then (s', merge es' es) :: rest else (s, es) :: gs
  | [] => [(s, es)]
  end.
Fixpoint tadd (p : positive) (s : positive) (es : list entry) (t : tree (list group)) : tree (list group) :=
  let '(l, x, r) := match t with Leaf => (Leaf, None, Leaf) | Node l x r => (l, x, r) end in
  match p with
  | xH => Node l (Some (add_group s es (match x with Some gs => gs | None => [] end))) r
  | xO q => Node (tadd q s es l) x r
  | xI q => Node l x (tadd q s es r)
  end.
Fixpoint groups_of (t : tree (list group)) : list group :=
  match t with
  | Leaf => []
  | Node l x r => groups_of l ++ match x with Some gs => gs | None => [] end ++ groups_of r
  end.
Definition collect (l : list group) : list group :=
  groups_of (fold_right (fun g t => tadd (fst g) (fst g) (snd g) t) Leaf l).

(** ** One step: pt is p^t and q the denominator of the discount p / q; returns are over reward_den q^t *)

Definition moved_entries (rule : memory_rule) (pt q : Z) (a : action) (o : outcome) (coin : bool) (es : list entry) :
  list entry :=
  let sc := move_for rule (gain o) in
  let share := if coin then snd sc else coin_den rule - snd sc in
  map (fun e => ((factor rule * fst (fst e) + fst sc + (if coin then 1 else 0), q * (snd (fst e) + gain o * pt)),
                 snd e * (weight o * share) / (total a * coin_den rule))) es.
Definition outcome_groups (rule : memory_rule) (pt q : Z) (a : action) (es : list entry) (o : outcome) : list group :=
  (next o, moved_entries rule pt q a o false es) ::
  (if snd (move_for rule (gain o)) =? 0 then [] else [(next o, moved_entries rule pt q a o true es)]).
Fixpoint action_groups (rule : memory_rule) (pt q : Z) (row : memory_row) (all : list action) (es : list entry) (i : Z)
  (acts : list action) : list group :=
  match acts with
  | [] => []
  | a :: acts' =>
      let mine := filter (fun e => valid all (row_choice row (fst (fst e))) =? i) es in
      match mine with [] => [] | _ => flat_map (outcome_groups rule pt q a mine) (outcomes a) end
      ++ action_groups rule pt q row all es (i + 1) acts'
  end.
Definition group_step (rule : memory_rule) (pt q : Z) (rows : tree memory_row) (st : step) (g : group) : list group :=
  match get (fst g) st with
  | Some acts =>
      let row := match get (fst g) rows with Some row => row | None => no_row end in
      action_groups rule pt q row acts (snd g) 0 acts
  | None => []
  end.

Fixpoint forward (m : model) (pt : Z) (sts : list step) (rules : list memory_rule) (tables : list (tree memory_row))
  (gs : list group)
  : option (list group) :=
  match sts, rules, tables with
  | [], _, _ => Some gs
  | st :: sts', rule :: rules', rows :: tables' =>
      if good_rule rule
      then forward m (pt * num (discount_rate m)) sts' rules' tables'
             (collect (flat_map (group_step rule pt (den (discount_rate m)) rows st) gs))
      else None
  | _, _, _ => None
  end.

(** ** The law of the return: places in order, masses over V *)

Definition start_groups (m : model) (V mix_den w : Z) (mc : machine) : list group :=
  map (fun sw => (fst sw, [((mem_0 mc, 0), V * (w * snd sw) / (mix_den * initial_den m))])) (initial m).
Definition returns_of (gs : list group) : list entry :=
  flat_map (fun g => map (fun e => ((0, snd (fst e)), snd e)) (snd g)) gs.

Fixpoint merge_pairs (l : list (list entry)) : list (list entry) :=
  match l with a :: b :: l' => merge a b :: merge_pairs l' | _ => l end.
Definition sorted (l : list entry) : list entry :=
  fold_right merge [] (Nat.iter 40 merge_pairs (map (fun e => [e]) l)).

Fixpoint mixed_entries (m : model) (V mix_den : Z) (parts : list (Z * machine)) : option (list entry) :=
  match parts with
  | [] => Some []
  | (w, mc) :: parts' =>
      match forward m 1 (steps m) (mem_rules mc) (mem_tables mc) (start_groups m V mix_den w mc),
        mixed_entries m V mix_den parts' with
      | Some gs, Some es => Some (returns_of gs ++ es)
      | _, _ => None
      end
  end.

Definition good_parts (mix_den : Z) (parts : list (Z * machine)) : bool :=
  (0 <? mix_den) && forallb (fun x => 0 <=? fst x) parts && (zsum fst parts =? mix_den).

(** reward_den q^T, and a return that no history falls short of, over it. *)
Fixpoint final_den (m : model) (d : Z) (sts : list step) : Z := match sts
  with [] => d | _ :: sts' => final_den m (d * den (discount_rate m)) sts' end.
Fixpoint least_return (m : model) (pt y : Z) (sts : list step) : Z :=
  match sts with
  | [] => y
  | st :: sts' =>
      least_return m (pt * num (discount_rate m))
        (den (discount_rate m) * (y - pt * tlargest (largest (fun a => largest (fun o => - gain o) (outcomes a))) st))
          sts'
  end.

(** ** Objectives *)

Fixpoint mass_of (l : list entry) : Z := match l with [] => 0 | e :: l' => snd e + mass_of l' end.

(** Sum over the places of (place - place before) (V - V G(1 - mass from there on)), rounded down; nothing if the
    places are not in order. *)
Fixpoint layers (weight_at : rat -> rat) (V y : Z) (l : list entry) : option Z :=
  match l with
  | [] => Some 0
  | ((_, z), p) :: l' =>
      if y <=? z then
        match layers weight_at V z l' with
        | Some x => Some ((z - y) * (V - rceil (rmult (of_Z V) (weight_at (Rat (V - (p + mass_of l')) V)))) + x)
        | None => None
        end
      else None
  end.

Definition tail_weight_at (w alpha tau : rat) : rat :=
  rplus (rmult w tau) (rmult (rminus (of_Z 1) w) (rmin (rmult tau (rinv alpha)) (of_Z 1))).

Definition weighted_by_law (m : model) (V mix_den : Z) (parts : list (Z * machine)) (weight_at : rat -> rat)
  (bound : rat) : bool :=
  (0 <? V) && good_parts mix_den parts &&
  match mixed_entries m V mix_den parts with
  | Some es =>
      let y := least_return m 1 0 (steps m) in
      let d := final_den m (reward_den m) (steps m) in
      match layers weight_at V y (sorted es) with
      | Some x => rat_le bound (rplus (Rat y d) (Rat x (d * V)))
      | None => false
      end
  | None => false
  end.

Definition quantile_by_law (m : model) (V mix_den : Z) (parts : list (Z * machine)) (alpha : rat) (is_upper : bool)
  (bound : rat) : bool :=
  (0 <? V) && good_parts mix_den parts &&
  match mixed_entries m V mix_den parts with
  | Some es =>
      let d := final_den m (reward_den m) (steps m) in
      let p := Rat (V - mass_of (filter (fun e => rat_le bound (Rat (snd (fst e)) d)) es)) V in
      if is_upper then rat_le p alpha else negb (rat_le alpha p)
  | None => false
  end.

(** ** The exact law: if the masses sum to V, nothing was lost, and their partial sums are the values of the CDF.  None
    of them is strictly inside a gap. *)

Fixpoint sums_avoid (bad : Z -> bool) (acc y : Z) (l : list entry) : bool :=
  negb (bad acc) && match l with [] => true | ((_, z), p) :: l' => (y <=? z) && sums_avoid bad (acc + p) z l' end.
Definition inside_gap (V : Z) (gap : rat * rat) (x : Z) : bool :=
  rat_lt (fst gap) (Rat x V) && rat_lt (Rat x V) (snd gap).
Definition law_avoids (m : model) (V mix_den : Z) (parts : list (Z * machine)) (gaps : list (rat * rat)) : bool :=
  (0 <? V) && good_parts mix_den parts &&
  match mixed_entries m V mix_den parts with
  | Some es =>
      (mass_of es =? V) &&
      (let l := sorted es in forallb (fun gap => sums_avoid (inside_gap V gap) 0 (least_return m 1 0 (steps m)) l) gaps)
  | None => false
  end.
