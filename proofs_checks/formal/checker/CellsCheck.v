(** * Tables that are read between their nodes, on a grid that gets finer: all policies, and one that plays by cells

    As in [InterpolationCheck.v], for rewards less a base, on a grid that is halved at some steps.  From a finer grid to
    a coarser one every second node is kept, and lowered by what the chord exceeds the node between.

    Both tables bound an expectation from below: the least expected cost of all policies, and minus the cost of a policy
    that plays one action in each cell [k, k + 1] of the fine grid.  So both are lowered, never raised. *)

Require Import ZArith List Bool.
From VerifiedRisk Require Import Rows Tree Program Check InterpolationCheck.
Import ListNotations.
Open Scope Z_scope.

(** ** Rewards less the base *)

Definition shift_outcome (b : Z) (o : outcome) : outcome := Outcome (weight o) (gain o - b) (next o).
Definition shift_action (b : Z) (a : action) : action := Action (total a) (map (shift_outcome b) (outcomes a)).

(** ** Finer and coarser grids *)

Fixpoint doubled (n : nat) (z : Z) : Z := match n with O => z | S n' => doubled n' (2 * z) end.

Fixpoint half_nodes (row : list Z) : list Z :=
  match row with
  | x :: (_ :: row') => x :: half_nodes row'
  | _ => row
  end.
Fixpoint half_excess (row : list Z) : list Z :=
  match row with
  | x :: (y :: ((z :: _) as row')) => let e := Z.max 0 (cdiv (x + z - 2 * y) 2) in e :: half_excess row'
  | _ => [0]
  end.
Definition halved (row : list Z) : list Z := lowered (half_nodes row) (0 :: half_excess row).
Fixpoint coarsened (n : nat) (row : list Z) : list Z := match n with O => row | S n' => halved (coarsened n' row) end.

(** Discounted rewards in units of the grid: before a time, at it, and before the next. *)
Definition cell_rate_0 (m : model) (c : cells) : rat := Rat (den (cell_unit c)) (reward_den m * num (cell_unit c)).
Definition fine_rate (n : nat) (r : rat) : rat := Rat (doubled n (num r)) (den r).
Definition cell_rate_next (m : model) (r : rat) : rat :=
  Rat (num r * num (discount_rate m)) (den r * den (discount_rate m)).

(** ** The tables *)

Definition cell_nodes (r : rat) (bottom lo hi lo' : Z) (v : values (list Z)) (a : action) : list Z :=
  map (fun x => x / (total a * den r)) (averages r bottom lo lo' v (outcomes a) (zeros lo hi)).
Definition cell_excess (r : rat) (lo hi lo' : Z) (bent : values (list Z)) (a : action) : list Z :=
  map (fun x => cdiv x (total a * den r * den r)) (taken r lo lo' bent (outcomes a) (zeros (lo - 1) hi)).

(** Where rewards and next states are independent, the rows of the next states are added up first: a sum bends less than
    its parts. *)
Fixpoint sum_rows (d : Z) (l : list (Z * list Z)) (acc : list Z) : list Z :=
  match l with [] => acc | (w, row) :: l' => sum_rows d l' (add_shifted d w 0 row acc) end.
Definition merged (fit : bool) (bottom lo' hi' : Z) (v bent : values (list Z)) (a : action)
  : Z * values (list Z) * values (list Z) * action :=
  match (if fit then factors a else None) with
  | Some (qs, ps) =>
      let row := sum_rows bottom (stage_rows v qs) (zeros lo' hi') in
      let b := zsum fst qs * bottom in
      (b, Everywhere row, Everywhere (bends b lo' hi' row),
       Action (zsum fst ps * zsum fst qs) (map (fun pz => Outcome (fst pz) (snd pz) 1) ps))
  | None => (bottom, v, bent, a)
  end.
Definition action_rows (fit : bool) (r : rat) (bottom lo hi lo' hi' : Z) (v bent : values (list Z)) (a : action) :
  list Z * list Z :=
  let '(b, v', bent', a') := merged fit bottom lo' hi' v bent a
    in (cell_nodes r b lo hi lo' v' a', cell_excess r lo hi lo' bent' a').

(** What the actions that are used prove for the left and for the right end of each cell. *)
Fixpoint used_rows {X} (f : action -> X) (runs : list (Z * Z)) (i : Z) (acts : list action) : list (option X) :=
  match acts with
  | [] => []
  | a :: acts' => (if is_used runs i then Some (f a) else None) :: used_rows f runs (i + 1) acts'
  end.
Definition left_ends (rows : list Z * list Z) : list Z := zmap2 Z.sub (fst rows) (tl (snd rows)).
Definition right_ends (rows : list Z * list Z) : list Z := tl (zmap2 Z.sub (fst rows) (snd rows)).
Definition join_ends (lefts rights : list Z) : list Z :=
  match lefts with [] => [] | x :: lefts' => x :: zmap2 Z.min lefts' rights end.
Definition played_row (rows : action -> list Z * list Z) (bottom : Z) (runs : list (Z * Z)) (acts : list action) :
  list Z :=
  let used := used_rows rows runs 0 acts in
  cap_ends bottom (join_ends (pick runs (map (option_map left_ends) used))
    (pick runs (map (option_map right_ends) used))).

(** The row of a state on the fine grid; then on the coarser one. *)
Definition fine_row (all : bool) (rows : action -> list Z * list Z) (bottom : Z) (choice : option (list (Z * Z)))
  (acts : list action) : list Z :=
  if all then least (map (fun a => let (nodes, excess) := rows a in lowered nodes excess) acts)
  else match choice with Some runs => played_row rows bottom runs acts | None => [] end.
Definition state_cells (all fit : bool) (n : nat) (r : rat) (bottom b lo hi lo' hi' : Z) (v bent : values (list Z))
  (choice : option (list (Z * Z))) (acts : list action) : option (list Z) :=
  let rows := action_rows fit r bottom (doubled n lo) (doubled n hi) lo' hi' v bent in
  let row := fine_row all rows bottom choice (map (shift_action b) acts) in
  if (zlen row =? doubled n hi - doubled n lo + 1) && (lo <=? hi) then Some (coarsened n row) else None.

Definition first_tree {X} (l : list (tree X)) : tree X := match l with t :: _ => t | [] => Leaf end.
Fixpoint cells_table (m : model) (all : bool) (b bottom : Z) (terminal : list Z) (r : rat) (ws : list (Z * Z))
  (hs : list Z) (sts : list step)
  (choices : list budget_rows) {struct sts} : values (list Z) :=
  match sts, ws, hs with
  | [], _, _ => Everywhere terminal
  | st :: rest, (lo, hi) :: (lo', hi') :: _, h :: hs' =>
      let n := Z.to_nat h in
      let r' := fine_rate n r in
      let v := on_rows (cap_ends bottom)
                 (cells_table m all b bottom terminal (cell_rate_next m r') (tl ws) hs' rest (tl choices)) in
      let bent := on_rows (bends bottom lo' hi') v in
      let fit := rows_fit (hi' - lo' + 1) v in
      At (tzip (state_cells all fit n r' bottom b lo hi lo' hi' v bent) (first_tree choices) st)
  | _, _, _ => At Leaf
  end.

(** ** The tests *)

(** The sum of discount^t over all times, and the grid before the last time. *)
Fixpoint discount_weights (m : model) (sts : list step) : rat :=
  match sts with
  | [] => of_Z 0
  | _ :: rest =>
      let w := discount_weights m rest in
      Rat (den (discount_rate m) * den w + num (discount_rate m) * num w) (den (discount_rate m) * den w)
  end.
Fixpoint last_cell_unit (u : rat) (hs : list Z) (sts : list step) : rat :=
  match sts, hs with
  | _ :: rest, h :: hs' => last_cell_unit (Rat (num u) (doubled (Z.to_nat h) (den u))) hs' rest
  | _, _ => u
  end.
Definition good_cells (m : model) (c : cells) : bool :=
  (0 <? num (cell_unit c)) && (0 <? den (cell_unit c)) && (zlen (halvings c) =? zlen (steps m)).

(** The most that a reward exceeds the base, or falls short of it; a reward of 0 included. *)
Definition most_of (f : Z -> Z) (m : model) : Z :=
  Z.max (f 0) (largest (tlargest (largest (fun a => largest (fun o => f (gain o)) (outcomes a)))) (steps m)).
Definition most_above (m : model) (b : Z) : Z := most_of (fun z => Z.max 0 (z - b)) m.
Definition most_below (m : model) (b : Z) : Z := most_of (fun z => Z.max 0 (b - z)) m.

Definition tail_by_all_cells (m : model) (V : Z) (c : cells) (w alpha bound : rat) : bool :=
  match cell_windows c, window_after (cell_windows c) (steps m), best_mean m V with
  | (lo, hi) :: _, Some (lo', hi'), Some mean =>
      let u := cell_unit c in
      let u' := last_cell_unit u (halvings c) (steps m) in
      let sum := discount_weights m (steps m) in
      let shift := rmult sum (Rat (base c) (reward_den m)) in
      let deepest := rminus (rmult u (of_Z lo)) (rmult sum (Rat (most_above m (base c)) (reward_den m))) in
      let bottom := if num w =? 0 then 0 else cost_below V w alpha deepest in
      let terminal := terminal_row (cost_below V w alpha) u' (of_Z 0) lo' hi' in
      let kappa := rplus w (tail_slope w alpha) in
      (0 <? V) && good_cells m c && (lo <=? hi) && (lo' <=? hi') &&
      rat_le (rplus (rmult (rminus (of_Z 1) w) (rplus (rmult u (of_Z lo)) shift)) (rmult w mean)) bound &&
      rat_le (rminus (rmult kappa mean) (rmult (rminus kappa (of_Z 1)) (rplus (rmult u (of_Z hi)) shift))) bound &&
      (let v := cells_table m true (base c) bottom terminal (cell_rate_0 m c) (cell_windows c) (halvings c)
        (steps m) [] in
       let room := rminus bound shift in
       all_at_most (fun b x => rat_le (rminus (rmult u (of_Z b)) (Rat x (V * initial_den m))) room) lo
                   (start_row bottom v (initial m) (zeros lo hi)))
  | _, _, _ => false
  end.

Definition tail_by_cells (m : model) (V : Z) (c : cells) (start : Z) (choices : list budget_rows)
  (w alpha bound : rat) : bool :=
  match cell_windows c, window_after (cell_windows c) (steps m) with
  | (lo, hi) :: _, Some (lo', hi') =>
      let u := cell_unit c in
      let u' := last_cell_unit u (halvings c) (steps m) in
      let sum := discount_weights m (steps m) in
      let shift := rmult sum (Rat (base c) (reward_den m)) in
      let highest := rplus (rmult u (of_Z start)) (rmult sum (Rat (most_below m (base c)) (reward_den m))) in
      let bottom := - cost_above V w alpha highest in
      let terminal := terminal_row (fun x => - cost_above V w alpha x) u' (of_Z 0) lo' hi' in
      (0 <? V) && good_cells m c && (lo <=? start) && (start <? hi) && (lo' <=? hi') &&
      (let v := cells_table m false (base c) bottom terminal (cell_rate_0 m c) (cell_windows c) (halvings c)
        (steps m) choices in
       rat_le bound (rplus (rplus (rmult u (of_Z start)) shift)
         (Rat (start_look m bottom lo v start) (V * initial_den m))))
  | _, _ => false
  end.
