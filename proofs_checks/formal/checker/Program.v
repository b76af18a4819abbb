(** * The program: models, certificates and [check], over the integers

    Nothing here is proved and no real number occurs: this file is what is extracted.  The meaning of a model is in
    [Meaning.v], the theorem in [Soundness.v]; README.md in this folder says in words what every field means. *)

Require Import ZArith List Bool.
From VerifiedRisk Require Import Rows Tree Mixing.
Import ListNotations.
Open Scope Z_scope.

(** ** Numbers, models, objectives, claims *)

Record rat := Rat { num : Z; den : Z }.
Definition positive_den (q : rat) : bool := 0 <? den q.
Definition rat_le (p q : rat) : bool := num p * den q <=? num q * den p.

(** An outcome has probability [weight / total] of its action, reward [gain / reward_den] and a next state. *)
Record outcome := Outcome { weight : Z; gain : Z; next : positive }.
Record action := Action { total : Z; outcomes : list outcome }.
Definition step := tree (list action).
Record model := Model {
  discount_rate : rat;
  reward_den : Z;
  initial_den : Z;
  initial : list (positive * Z);
  steps : list step
}.

(** w mean + (1 - w) CVaR_alpha; the alpha-quantile, lower or upper; a piecewise linear weighting by its corners. *)
Inductive objective :=
| Tail (w alpha : rat)
| Quantile (alpha : rat) (is_upper : bool)
| Polygon (corners : list (rat * rat)).

(** Some policy attains at least [lower]; none exceeds [upper]. *)
Record claim := Claim { lower : rat; upper : rat }.

(** ** Certificates *)

(** Budgets: index b before step t stands for b times unit (shrink / stretch)^t.  An outcome whose discounted reward
    is x leads from index b to (stretch b - ceiling (x in units of the next step, times shrink)) / shrink, rounded
    down.  [windows] has the first and last index at each time 0, ..., T. *)
Record grid := Grid { unit_size : rat; stretch : Z; shrink : Z; windows : list (Z * Z) }.

(** Budgets that are known exactly, for rewards less a base.  Before time t the grid is [cell_unit], halved as often as
    [halvings] say for the times before; at time t it is halved again, as often as they say for t.  [cell_windows] has
    the first and last node at each time 0, ..., T, on the grid before it is halved. *)
Record cells := Cells { cell_unit : rat; base : Z; halvings : list Z; cell_windows : list (Z * Z) }.

(** For every time and state, the action at each index of the window as runs (length, action). *)
Definition budget_rows := tree (list (Z * Z)).

(** A machine with an integer for a memory, which starts at [mem_0]: see [LawCheck.v].  [moves] lists (gain, (shift,
    coin)); [memory_row] has the action before the memory [first], and runs (length, action) from there on. *)
Record memory_rule := MemoryRule { factor : Z; coin_den : Z; moves : list (Z * (Z * Z)) }.
Record memory_row := MemoryRow { first : Z; before : Z; row_runs : list (Z * Z) }.
Record machine := Machine { mem_0 : Z; mem_rules : list memory_rule; mem_tables : list (tree memory_row) }.

(** [ByLines]: the policy of [ByCells], and multipliers over the scale for the cells: see [CellCoverCheck.v].
    [ByLaw]: machines drawn at the start with probabilities weight / mix_den. *)
Inductive lower_proof :=
| ByMarkov (scale : Z) (choices : list (tree Z))
| ByBudget (scale : Z) (g : grid) (start : Z) (choices : list budget_rows)
| ByCells (scale : Z) (c : cells) (start : Z) (choices : list budget_rows)
| ByLines (scale : Z) (c : cells) (start : Z) (costs : list Z) (choices : list budget_rows)
| ByLaw (scale : Z) (mix_den : Z) (parts : list (Z * machine)).
(** A tree of cuts whose leaves hold multipliers over the scale, of levels that every policy passes, and of
    contractions, both by tables of their own scale: see [PolygonCheck.v]; by cells [CellCoverCheck.v], by returns
    [ReturnsCheck.v], with contractions [ContractCheck.v]. *)
Inductive cover :=
| Dual (costs : list Z)
| Cut (coordinate : Z) (level : rat) (below above : cover)
| Passed (own_scale coordinate : Z) (level : rat) (rest : cover)
| Contract (own_scale : Z) (costs : list Z) (rest : cover).
Inductive upper_proof :=
| ByMean (scale : Z)
| ByBudgets (scale : Z) (g : grid)
| ByAllCells (scale : Z) (c : cells)
| ByThreshold (scale : Z) (g : grid) (start : Z)
| ByCover (scale : Z) (g : grid) (start : Z) (boxes : cover)
| ByCellCover (scale : Z) (c : cells) (start : Z) (boxes : cover)
| ByReturns (scale : Z) (returns : list Z) (boxes : cover)
| ByContraction (scale : Z) (g : grid) (start : Z) (boxes : cover).
Record certificate := Certificate { low : lower_proof; up : upper_proof }.

(** ** Models that are what they should be *)

Definition good_outcome (o : outcome) : bool := 0 <=? weight o.
Definition good_action (a : action) : bool :=
  (0 <? total a) && forallb good_outcome (outcomes a) && (zsum weight (outcomes a) =? total a).
Definition good_step (st : step) : bool :=
  tall (fun acts => negb (match acts with [] => true | _ => false end) && forallb good_action acts) st.
Definition good_model (m : model) : bool :=
  (0 <? num (discount_rate m)) && (0 <? den (discount_rate m)) && (0 <? reward_den m) && (0 <? initial_den m) &&
  forallb (fun sw => 0 <=? snd sw) (initial m) && (zsum snd (initial m) =? initial_den m) &&
  forallb good_step (steps m).

(** ** The largest mean, and the mean of a Markov policy

    Tables hold V times the mean of the rewards to come, discounted to the step; a state whose successors are not all
    in the next table is not in the table. *)

Definition join {X} (o : option (option X)) : option X := match o with Some (Some x) => Some x | _ => None end.

Inductive values (X : Type) := Everywhere (x : X) | At (table : tree (option X)).
Arguments Everywhere {X} _.
Arguments At {X} _.
Definition value_at {X} (v : values X) (s : positive) : option X :=
  match v with Everywhere x => Some x | At table => join (get s table) end.

(** Sum over the outcomes of weight (gain V q + p rd value), where the discount is p / q. *)
Fixpoint mean_sum (m : model) (V : Z) (v : values Z) (l : list outcome) : option Z :=
  match l with
  | [] => Some 0
  | o :: l' =>
      match value_at v (next o), mean_sum m V v l' with
      | Some x, Some y =>
          Some (weight o * (gain o * V * den (discount_rate m) + num (discount_rate m) * reward_den m * x) + y)
      | _, _ => None
      end
  end.
Definition mean_unit (m : model) (a : action) : Z := total a * reward_den m * den (discount_rate m).

Fixpoint most (l : list (option Z)) : option Z :=
  match l with
  | [] => None
  | [x] => x
  | x :: l' => match x, most l' with Some y, Some z => Some (Z.max y z) | _, _ => None end
  end.
Definition best_mean_of (m : model) (V : Z) (v : values Z) (acts : list action) : option Z :=
  most (map (fun a => match mean_sum m V v (outcomes a)
    with Some x => Some (cdiv x (mean_unit m a)) | None => None end) acts).
Fixpoint best_means (m : model) (V : Z) (sts : list step) : values Z :=
  match sts with
  | [] => Everywhere 0
  | st :: rest => At (tmap (best_mean_of m V (best_means m V rest)) st)
  end.

Definition chosen_mean_of (m : model) (V : Z) (v : values Z) (choice : option Z) (acts : list action) : option Z :=
  match choice with
  | None => None
  | Some i => match znth acts i with
              | None => None
              | Some a => match mean_sum m V v (outcomes a) with Some x => Some (x / mean_unit m a) | None => None end
              end
  end.
Fixpoint chosen_means (m : model) (V : Z) (sts : list step) (choices : list (tree Z)) : values Z :=
  match sts, choices with
  | st :: rest, c :: choices' => At (tzip (chosen_mean_of m V (chosen_means m V rest choices')) c st)
  | [], _ => Everywhere 0
  | _, [] => At Leaf
  end.

(** Sum over the initial law, a multiple of 1 / (V initial_den). *)
Fixpoint start_sum (f : positive -> option Z) (l : list (positive * Z)) : option Z :=
  match l with
  | [] => Some 0
  | (s, w) :: l' => match f s, start_sum f l' with Some x, Some y => Some (w * x + y) | _, _ => None end
  end.

(** ** Actions whose reward and next state are independent

    Outcomes are listed next state by next state, with the same rewards for each.  [factors] proposes weights of next
    states and of rewards, and answers only if [is_product] says that weight / total is their product over the product
    of their sums. *)

Fixpoint block_of (s : positive) (l : list outcome) : list outcome :=
  match l with o :: l' => if Pos.eqb (next o) s then o :: block_of s l' else [] | [] => [] end.
Fixpoint heads (size : Z) (l left : list outcome) : list outcome :=
  match l, left with _ :: l', o :: _ => o :: heads size l' (zskip size left) | _, _ => [] end.
Definition enough : nat := Z.to_nat 200.
Fixpoint common_divisor (n : nat) (a b : Z) : Z :=
  match n with O => 1 | S n' => if b =? 0 then a else common_divisor n' b (a - b * (a / b)) end.
Definition reduced {X} (l : list (Z * X)) : list (Z * X) :=
  let d := fold_right (fun wx => common_divisor enough (fst wx)) 0 l in map (fun wx => (fst wx / d, snd wx)) l.

Fixpoint is_block (all : Z) (tot q : Z) (s : positive) (ps : list (Z * Z)) (l : list outcome) : option (list outcome) :=
  match ps, l with
  | [], _ => Some l
  | (p, z) :: ps', o :: l' =>
      if Pos.eqb (next o) s && (gain o =? z) && (weight o * all =? tot * (q * p)) then is_block all tot q s ps' l'
        else None
  | _, [] => None
  end.
Fixpoint are_blocks (all tot : Z) (qs : list (Z * positive)) (ps : list (Z * Z)) (l : list outcome) : bool :=
  match qs with
  | [] => match l with [] => true | _ => false end
  | (q, s) :: qs' => match is_block all tot q s ps l with Some l' => are_blocks all tot qs' ps l' | None => false end
  end.
Definition is_product (a : action) (qs : list (Z * positive)) (ps : list (Z * Z)) : bool :=
  (0 <? zsum fst qs) && (0 <? zsum fst ps) && forallb (fun pz => 0 <=? fst pz) ps && forallb
    (fun qs => 0 <=? fst qs) qs &&
  are_blocks (zsum fst ps * zsum fst qs) (total a) qs ps (outcomes a).
Definition factors (a : action) : option (list (Z * positive) * list (Z * Z)) :=
  match outcomes a with
  | [] => None
  | o :: _ =>
      let block := block_of (next o) (outcomes a) in
      match block with
      | _ :: _ :: _ =>
          let ps := reduced (map (fun o => (weight o, gain o)) block) in
          let qs := reduced (map (fun o => (weight o, next o)) (heads (zlen block) (outcomes a) (outcomes a))) in
          match qs with
          | _ :: _ :: _ => if is_product a qs ps then Some (qs, ps) else None
          | _ => None
          end
      | _ => None
      end
  end.

(** ** Budgets *)

(** The charge of an outcome at a time, in units of the next step times shrink, is its gain times [rate], rounded up:
    rate at time 0 and its growth per step. *)
Definition rate_0 (m : model) (g : grid) : rat :=
  Rat (den (unit_size g) * stretch g) (reward_den m * num (unit_size g)).
Definition rate_next (m : model) (g : grid) (r : rat) : rat :=
  Rat (num r * num (discount_rate m) * stretch g) (den r * den (discount_rate m) * shrink g).
Definition charge (r : rat) (o : outcome) : Z := cdiv (gain o * num r) (den r).
Definition move (g : grid) (r : rat) (o : outcome) (b : Z) : Z := (stretch g * b - charge r o) / shrink g.

(** [acc] plus weight times the row of the next state, read at the next index, for the indices lo, lo + 1, ... *)
Definition add_outcome (g : grid) (r : rat) (d lo lo' : Z) (o : outcome) (row acc : list Z) : list Z :=
  if (stretch g =? 1) && (shrink g =? 1)
  then add_shifted d (weight o) (lo - charge r o - lo') row acc
  else add_stretched d (weight o) (stretch g) (shrink g) lo' (stretch g * lo - charge r o) 0 row acc.

Definition next_row (v : values (list Z)) (s : positive) : list Z := match value_at v s
  with Some row => row | None => [] end.

(** The sum over the outcomes of an action, row by row. *)
Fixpoint backup (g : grid) (r : rat) (d lo lo' : Z) (v : values (list Z)) (l : list outcome) (acc : list Z) : list Z :=
  match l with
  | [] => acc
  | o :: l' => backup g r d lo lo' v l' (add_outcome g r d lo lo' o (next_row v (next o)) acc)
  end.
Definition zeros (lo hi : Z) : list Z := map (fun _ => 0) (counter lo hi).

(** Where index b goes to b minus the charge, the average is made of differences, in two stages if the action is a
    product (see [Mixing.v]) and no row of [v] is longer than its window.  [room] and [room'] are zeros for this window
    and the next. *)
Definition is_shift (g : grid) : bool := (stretch g =? 1) && (shrink g =? 1).
Definition rows_fit (width : Z) (v : values (list Z)) : bool :=
  match v with
  | Everywhere row => zlen row <=? width
  | At table => tall (fun x => match x with Some row => zlen row <=? width | None => true end) table
  end.
Definition stage_rows (v : values (list Z)) (qs : list (Z * positive)) : list (Z * list Z) :=
  map (fun qs => (fst qs, next_row v (snd qs))) qs.
Definition stage_shifts (r : rat) (lo lo' : Z) (ps : list (Z * Z)) : list (Z * Z) :=
  map (fun pg => (fst pg, lo - charge r (Outcome 0 (snd pg) 1) - lo')) ps.
Definition outcome_rows (r : rat) (d lo lo' : Z) (v : values (list Z)) (l : list outcome) : list (Z * list Z) :=
  map (fun o => (weight o, row_from d (lo - charge r o - lo') (next_row v (next o)))) l.
Definition action_average (div : Z -> Z -> Z) g r d (fit : bool) lo lo' room room' v (a : action) : list Z :=
  if is_shift g then
    match (if fit then factors a else None) with
    | Some (qs, ps) => two_stages div d (stage_rows v qs) (stage_shifts r lo lo' ps) room' room
    | None => average_rows div (total a) d (outcome_rows r d lo lo' v (outcomes a)) room
    end
  else map (fun x => div x (total a)) (backup g r d lo lo' v (outcomes a) room).

(** The least expected terminal cost over all policies, from below: [bottom] is at most every terminal cost. *)
Fixpoint least (l : list (list Z)) : list Z :=
  match l with
  | [] => []
  | [row] => row
  | row :: l' => zmap2 Z.min row (least l')
  end.
Definition state_below g r bottom (fit : bool) lo lo' room room' v (acts : list action) : list Z :=
  least (map (action_average Z.div g r bottom fit lo lo' room room' v) acts).
Fixpoint table_below (m : model) (g : grid) (r : rat) (bottom : Z) (terminal : list Z) (ws : list (Z * Z))
  (sts : list step)
  : values (list Z) :=
  match sts, ws with
  | [], _ => Everywhere terminal
  | st :: rest, (lo, hi) :: (lo', hi') :: _ =>
      let v := table_below m g (rate_next m g r) bottom terminal (tl ws) rest in
      let fit := rows_fit (hi' - lo' + 1) v in
      let room := zeros lo hi in
      let room' := zeros lo' hi' in
      At (tmap (fun acts => Some (state_below g r bottom fit lo lo' room room' v acts)) st)
  | _, _ => At Leaf
  end.

(** ** The expected terminal cost of the certificate's policy, from above

    Below the window the cost is at most [under]; above it the policy never comes.  Both are tested outcome by outcome.
    *)

Definition stays (g : grid) (r : rat) (lo hi lo' hi' : Z) (o : outcome) : bool :=
  (move g r o hi <=? hi') && (move g r o (lo - 1) <? lo').
Definition is_sound (g : grid) (r : rat) (lo hi lo' hi' : Z) (v : values (list Z)) (o : outcome) : bool :=
  match value_at v (next o) with Some _ => stays g r lo hi lo' hi' o | None => false end.
Definition action_above g r under fit lo hi lo' hi' room room' v (a : action) : option (list Z) :=
  if forallb (is_sound g r lo hi lo' hi' v) (outcomes a)
  then Some (action_average cdiv g r under fit lo lo' room room' v a)
  else None.
Fixpoint run_at (runs : list (Z * Z)) (i : Z) : Z :=
  match runs with
  | [] => 0
  | (c, a) :: runs' => if i <? Z.max c 0 then a else run_at runs' (i - Z.max c 0)
  end.
Definition is_used (runs : list (Z * Z)) (i : Z) : bool := existsb (fun ca => snd ca =? i) runs.
Fixpoint used_above g r under fit lo hi lo' hi' room room' v (runs : list (Z * Z)) (i : Z) (acts : list action)
  : list (option (list Z)) :=
  match acts with
  | [] => []
  | a :: acts' =>
      (if is_used runs i then action_above g r under fit lo hi lo' hi' room room' v a else None)
      :: used_above g r under fit lo hi lo' hi' room room' v runs (i + 1) acts'
  end.
Definition skip_all (c : Z) (l : list (option (list Z))) : list (option (list Z)) :=
  map (fun x => match x with Some row => Some (zskip c row) | None => None end) l.
Fixpoint pick (runs : list (Z * Z)) (rows : list (option (list Z))) : list Z :=
  match runs with
  | [] => []
  | (c, a) :: runs' =>
      match znth rows a with
      | Some (Some row) => take_then c row (pick runs' (skip_all c rows))
      | _ => []
      end
  end.
(** A window has an index: below it the policy plays what it plays at the first one. *)
Definition state_above g r under fit lo hi lo' hi' room room' v (choice : option (list (Z * Z))) (acts : list action)
  : option (list Z) :=
  match choice with
  | None => None
  | Some runs =>
      let row := pick runs (used_above g r under fit lo hi lo' hi' room room' v runs 0 acts) in
      if (zlen row =? hi - lo + 1) && (lo <=? hi) then Some row else None
  end.
Fixpoint table_above (m : model) (g : grid) (r : rat) (under : Z) (terminal : list Z) (ws : list (Z * Z))
  (sts : list step)
  (choices : list budget_rows) : values (list Z) :=
  match sts, ws, choices with
  | [], _, _ => Everywhere terminal
  | st :: rest, (lo, hi) :: (lo', hi') :: _, c :: choices' =>
      let v := table_above m g (rate_next m g r) under terminal (tl ws) rest choices' in
      let fit := rows_fit (hi' - lo' + 1) v in
      let room := zeros lo hi in
      let room' := zeros lo' hi' in
      At (tzip (state_above g r under fit lo hi lo' hi' room room' v) c st)
  | _, _, _ => At Leaf
  end.
