(** * Piecewise linear weightings where returns lie between the points of a grid: covers by cells, and lines

    As in [PolygonCheck.v], with cells in the place of coordinates: F is not one number in a cell, and a box bounds all
    its values there.  The multipliers make a polygon of the budget that is left at the end, and its least expectation
    is read between the nodes of tables, as in [CellsCheck.v]. *)

Require Import ZArith List Bool.
From VerifiedRisk Require Import Rows Tree Program Check CellsCheck PolygonCheck.
Import ListNotations.
Open Scope Z_scope.

Definition cells_dual_test (m : model) (V : Z) (c : cells) (start lo : Z) (corners : rat -> list (rat * rat))
  (need : rat) (costs : list Z) (b : box) : bool :=
  let terminal := partial_sums 0 costs in
  let bottom := smallest 0 terminal in
  match tilted_sum V corners costs b with
  | Some x =>
      let v := cells_table m true (base c) bottom terminal (cell_rate_0 m c) (cell_windows c) (halvings c) (steps m) []
      in
      forallb (fun y => bottom <=? y) terminal &&
      rat_le need (rplus (Rat (start_look m bottom lo v start) (V * initial_den m)) (Rat x V))
  | None => false
  end.

(** All budgets that are left at the end lie in the last window. *)
Definition ends_inside (m : model) (c : cells) (budget u' sum : rat) (lo' hi' : Z) : bool :=
  rat_le (rmult u' (of_Z lo')) (rminus budget (rmult sum (Rat (most_above m (base c)) (reward_den m)))) &&
  rat_le (rplus budget (rmult sum (Rat (most_below m (base c)) (reward_den m)))) (rmult u' (of_Z hi')).

Definition polygon_by_cell_cover (m : model) (V : Z) (c : cells) (start : Z) (boxes : cover)
  (corners : rat -> list (rat * rat)) (bound : rat) : bool :=
  match cell_windows c, window_after (cell_windows c) (steps m) with
  | (lo, hi) :: _, Some (lo', hi') =>
      let u' := last_cell_unit (cell_unit c) (halvings c) (steps m) in
      let sum := discount_weights m (steps m) in
      let budget := rmult (cell_unit c) (of_Z start) in
      let top := rminus (rplus budget (rmult sum (Rat (base c) (reward_den m)))) (rmult u' (of_Z lo')) in
      let need := rmult (rminus top bound) (rinv u') in
      (0 <? V) && good_cells m c && (lo <=? start) && (start <? hi) && (lo' <=? hi') &&
      ends_inside m c budget u' sum lo' hi' &&
      covered 1 (cells_dual_test m V c start lo corners need) (fun _ _ _ => false) boxes
        (along (fun _ => (of_Z 0, of_Z 1)) lo' (counter (lo' + 1) hi'))
  | _, _ => false
  end.

(** ** Lower bounds: in each cell the polygon is below a line, the same for all values of F *)

Definition tilted_up (V c : Z) (value y : rat) : Z := rceil (rminus (rmult (of_Z V) value) (rmult (of_Z c) y)).
(** V times the largest G(x) - (c / V) x, at a corner, rounded up. *)
Fixpoint most_on (V c : Z) (x g : rat) (l : list (rat * rat)) : Z :=
  match l with
  | [] => tilted_up V c g x
  | (x', g') :: l' => Z.max (tilted_up V c g x) (most_on V c x' g' l')
  end.
Definition polygon_by_lines (m : model) (V : Z) (c : cells) (start : Z) (costs : list Z) (choices : list budget_rows)
  (corners : list (rat * rat)) (bound : rat) : bool :=
  match cell_windows c, window_after (cell_windows c) (steps m) with
  | (lo, hi) :: _, Some (lo', hi') =>
      let u' := last_cell_unit (cell_unit c) (halvings c) (steps m) in
      let sum := discount_weights m (steps m) in
      let budget := rmult (cell_unit c) (of_Z start) in
      let top := rminus (rplus budget (rmult sum (Rat (base c) (reward_den m)))) (rmult u' (of_Z lo')) in
      let terminal := partial_sums 0 (map Z.opp costs) in
      let bottom := smallest 0 terminal in
      (0 <? V) && good_cells m c && (lo <=? start) && (start <? hi) && (lo' <=? hi') &&
      ends_inside m c budget u' sum lo' hi' && (zlen costs =? hi' - lo') &&
      forallb (fun y => bottom <=? y) terminal &&
      (let v := cells_table m false (base c) bottom terminal (cell_rate_0 m c) (cell_windows c) (halvings c) (steps m)
         choices in
       let most := zsum (fun c => most_on V c (of_Z 0) (of_Z 0) corners) costs in
       rat_le bound (rminus top
         (rmult u' (Rat (most * initial_den m - start_look m bottom lo v start) (V * initial_den m)))))
  | _, _ => false
  end.
