(* A certificate in its text form (docs/proof_format.md) as the values that the extracted [Checker] takes.

   The reader decides nothing about the claim.  It bounds what the checker will need (numbers, cells of memory), so that
   a hostile file ends in one line. *)

open Checker

(* What is to be proved: of an objective of [check], or of a mixture of curves with their bounds, for [check_curved]; for
   [check_upper], with the room above their levels, if it has upper quantiles. *)
type question = Plain of objective | Mixed of (rat * mixed_part) list * rat option * rat list * bounds list

(* The mixture that the bounds are of. *)
let mixture_of parts room = raised (match room with Some e -> e | None -> Curve_reader.zero) parts
type proof = { model : model; question : question; claim : claim; certificate : certificate }

let refuse = Source.refuse

(* States are numbered from 0 in files, from 1 in the checker. *)
let state source states what = Integer.of_int (1 + Source.between source what 0 (states - 1))
let rat source what = let num, den = Source.rational source what in { num; den }

(* A tree from states to what [read] gives, each state once. *)
let by_state source states count read =
  let tree = ref Leaf in
  for _ = 1 to count do
    let s = state source states "the state" in
    (match get s !tree with
     | Some _ -> refuse source (Printf.sprintf "state %s twice" (Integer.to_string (Integer.pred s)))
     | None -> ());
    tree := set s (read ()) !tree
  done;
  !tree

(* --- objective and claim --- *)

let read_corners source =
  let count = Source.between source "the number of corners" 1 Source.most_items in
  Source.items count (fun () -> let x = rat source "a corner" in (x, rat source "a corner's value"))

type objective_read = Found of objective | Mixture of (rat * mixed_part) list

let read_objective source =
  Source.keyword source "objective";
  match Source.word source "an objective" with
  | "mixture" ->
    let count = Source.between source "the number of curves" 1 Limits.most_curves in
    Mixture (Source.items count (fun () ->
        Source.keyword source "weight";
        let w = rat source "the weight of a curve" in (w, Curve_reader.read_part source read_corners)))
  | kind -> Found (match kind with
  | "tail" -> let w = rat source "the weight of the mean" in Tail (w, rat source "the level")
  | "quantile" ->
    let alpha = rat source "the level" in
    (match Source.word source "lower or upper" with
     | "lower" -> Quantile (alpha, false)
     | "upper" -> Quantile (alpha, true)
     | other -> refuse source (Printf.sprintf "%s where 'lower' or 'upper' was expected" (Source.shown other)))
  | "polygon" -> Polygon (read_corners source)
  | other -> refuse source (Printf.sprintf "not covered: the objective %s" (Source.shown other)))

let read_claim source =
  Source.keyword source "claim";
  let lower = rat source "the lower bound" in
  { lower; upper = rat source "the upper bound" }

(* --- model --- *)

let read_outcome source states () =
  let weight = Source.natural source "a weight" in
  let gain = Source.integer source "a reward" in
  { weight; gain; next = state source states "the next state" }

let read_action source states () =
  let total = Source.positive source "the sum of the weights" in
  let count = Source.between source "the number of outcomes" 1 Source.most_items in
  { total; outcomes = Source.items count (read_outcome source states) }

let read_step source states =
  Source.keyword source "states";
  let count = Source.between source "the number of states of the step" 0 states in
  by_state source states count (fun () ->
      let actions = Source.between source "the number of actions" 1 Source.most_items in
      Source.items actions (read_action source states))

(* Steps come as blocks "steps N states ..." that hold for N times in a row. *)
let read_steps source states horizon =
  let rec go left found =
    if left = 0 then List.rev found
    else begin
      Source.keyword source "steps";
      let times = Source.between source "the number of steps alike" 1 left in
      let step = read_step source states in
      go (left - times) (List.rev_append (List.init times (fun _ -> step)) found)
    end in
  go horizon []

let read_model source =
  Source.keyword source "discount";
  let discount_rate = rat source "the discount" in
  Source.keyword source "reward_denominator";
  let reward_den = Source.positive source "the denominator of rewards" in
  Source.keyword source "state_count";
  let states = Source.between source "the number of states" 1 Source.most_items in
  Source.keyword source "horizon";
  let horizon = Source.between source "the horizon" 1 Limits.longest_horizon in
  Source.keyword source "initial";
  let initial_den = Source.positive source "the sum of the initial weights" in
  let count = Source.between source "the number of initial states" 1 states in
  let initial = Source.items count (fun () ->
      let s = state source states "an initial state" in (s, Source.natural source "an initial weight")) in
  let steps = read_steps source states horizon in
  ({ discount_rate; reward_den; initial_den; initial; steps }, states, horizon)

(* --- proofs of the two bounds --- *)

let read_scale source = Source.positive source "the scale"

let read_unit source =
  Source.keyword source "unit";
  let unit = rat source "the unit" in
  if Integer.sign unit.num <= 0 then
    refuse source (Printf.sprintf "the unit is %s, wanted more than 0" (Source.shown (Integer.to_string unit.num)));
  unit

let read_windows source horizon what =
  Source.keyword source "windows";
  Source.items (horizon + 1) (fun () ->
      let lo = Source.integer source ("the first " ^ what ^ " of a window") in
      (lo, Source.integer source ("the last " ^ what ^ " of a window")))

let read_grid source horizon =
  let unit_size = read_unit source in
  Source.keyword source "stretch";
  let stretch = Source.positive source "stretch" in
  Source.keyword source "shrink";
  let shrink = Source.positive source "shrink" in
  { unit_size; stretch; shrink; windows = read_windows source horizon "index" }

(* Grids that are halved: so often at each time, at most 62 times. *)
let read_cells source horizon =
  let cell_unit = read_unit source in
  Source.keyword source "base";
  let base = Source.integer source "the base of rewards" in
  Source.keyword source "halvings";
  let halvings = Source.items horizon (fun () -> Integer.of_int (Source.between source "the number of halvings" 0 62)) in
  { cell_unit; base; halvings; cell_windows = read_windows source horizon "node" }

let read_choices source states horizon read =
  Source.items horizon (fun () ->
      Source.keyword source "choices";
      by_state source states (Source.between source "the number of states of the step" 0 states) read)

let read_action_number source () = Integer.of_int (Source.between source "an action" 0 Source.most_items)

let read_runs source () =
  let count = Source.between source "the number of runs" 1 Source.most_items in
  Source.items count (fun () -> let length = Source.positive source "the length of a run" in (length, read_action_number source ()))

(* Machines: a rule and a table for each time. *)
let read_rule source () =
  Source.keyword source "rule";
  let factor = Source.integer source "the factor of a rule" in
  let coin_den = Source.positive source "the denominator of a rule's coins" in
  let count = Source.between source "the number of moves" 0 Source.most_items in
  let moves = Source.items count (fun () ->
      let gain = Source.integer source "a reward" in
      let shift = Source.integer source "the shift of a move" in
      (gain, (shift, Source.natural source "the coin of a move"))) in
  { factor; coin_den; moves }

let read_row source () =
  let first = Source.integer source "the first memory of a row" in
  let before = read_action_number source () in
  let count = Source.between source "the number of runs" 0 Source.most_items in
  let row_runs = Source.items count (fun () ->
      let length = Source.positive source "the length of a run" in (length, read_action_number source ())) in
  { first; before; row_runs }

let read_machine source states horizon () =
  Source.keyword source "machine";
  let weight = Source.natural source "the weight of a machine" in
  let mem_0 = Source.integer source "the first memory" in
  let rules = ref [] and tables = ref [] in
  for _ = 1 to horizon do
    rules := read_rule source () :: !rules;
    Source.keyword source "choices";
    let count = Source.between source "the number of states of the step" 0 states in
    tables := by_state source states count (read_row source) :: !tables
  done;
  (weight, { mem_0; mem_rules = List.rev !rules; mem_tables = List.rev !tables })

let read_lower source states horizon =
  Source.keyword source "lower";
  match Source.word source "a kind of proof" with
  | "markov" ->
    let scale = read_scale source in
    ByMarkov (scale, read_choices source states horizon (read_action_number source))
  | "budget" ->
    let scale = read_scale source in
    let grid = read_grid source horizon in
    Source.keyword source "start";
    let start = Source.integer source "the index at the start" in
    ByBudget (scale, grid, start, read_choices source states horizon (read_runs source))
  | "cells" ->
    let scale = read_scale source in
    let cells = read_cells source horizon in
    Source.keyword source "start";
    let start = Source.integer source "the node at the start" in
    ByCells (scale, cells, start, read_choices source states horizon (read_runs source))
  | "law" ->
    let scale = read_scale source in
    let mix_den = Source.positive source "the sum of the machines' weights" in
    let count = Source.between source "the number of machines" 1 Source.most_items in
    ByLaw (scale, mix_den, Source.items count (read_machine source states horizon))
  | other -> refuse source (Printf.sprintf "not covered: a lower bound by %s" (Source.shown other))

(* Multipliers as runs "length value", so many as the last window has indices but one. *)
let read_costs source size =
  let rec go left found =
    if left = 0 then List.rev found
    else begin
      let length = Source.between source "the length of a run of multipliers" 1 left in
      let cost = Source.integer source "a multiplier" in
      go (left - length) (List.rev_append (List.init length (fun _ -> cost)) found)
    end in
  go size []

(* A tree in the order of reading: "cut k p" and its two subtrees, "passed scale k p" and what follows from it, or "dual" and its
   multipliers. *)
let read_cover source room scale objective grid =
  let size = Limits.last_width grid - 1 in
  let leaves = ref 0 in
  let rec go depth =
    if depth > Limits.deepest_cover then refuse source (Printf.sprintf "cuts more than %d deep" Limits.deepest_cover);
    match Source.word source "'cut', 'passed' or 'dual'" with
    | "cut" ->
      let k = Source.integer source "the coordinate of a cut" in
      let p = rat source "the level of a cut" in
      let below = go (depth + 1) in
      Cut (k, p, below, go (depth + 1))
    | "passed" ->
      let own_scale = read_scale source in
      Limits.require_grid room source own_scale objective grid;
      let k = Source.integer source "the coordinate of a level that is passed" in
      let p = rat source "a level that is passed" in
      Passed (own_scale, k, p, go (depth + 1))
    | "dual" ->
      incr leaves;
      Limits.require_leaves room source scale size !leaves;
      Dual (read_costs source size)
    | other -> refuse source (Printf.sprintf "%s where 'cut', 'passed' or 'dual' was expected" (Source.shown other)) in
  go 0

let read_upper source horizon room objective =
  Source.keyword source "upper";
  match Source.word source "a kind of proof" with
  | "mean" -> ByMean (read_scale source)
  | "budgets" -> let scale = read_scale source in ByBudgets (scale, read_grid source horizon)
  | "cells" -> let scale = read_scale source in ByAllCells (scale, read_cells source horizon)
  | "threshold" ->
    let scale = read_scale source in
    let grid = read_grid source horizon in
    Source.keyword source "start";
    ByThreshold (scale, grid, Source.integer source "the index at the start")
  | "cover" ->
    let scale = read_scale source in
    let grid = read_grid source horizon in
    Source.keyword source "start";
    let start = Source.integer source "the index at the start" in
    Limits.require_grid room source scale objective grid;
    ByCover (scale, grid, start, read_cover source room scale objective grid)
  | other -> refuse source (Printf.sprintf "not covered: an upper bound by %s" (Source.shown other))

(* --- the whole --- *)

(* Raised whenever certificates have something that older programs do not read; VERSION of verified_risk/proving/certificate.py. *)
let latest_format = 2

let read source limits =
  Source.keyword source "verified-risk-proof";
  ignore (Source.between source "the version of the format" 1 latest_format);
  let objective = read_objective source in
  let claim = read_claim source in
  let model, states, horizon = read_model source in
  let room = Limits.of_model limits model states in
  Limits.require_rates room source;
  let question = match objective with
    | Found objective -> Plain objective
    | Mixture parts ->
      let above = Curve_reader.read_room source parts in
      let places, bounds = Curve_reader.read_bounds source (mixture_of parts above) in
      Mixed (parts, above, places, bounds) in
  let objective = match question with
    | Plain objective -> objective
    | Mixed (parts, above, places, bounds) -> Polygon (mixed_line Curve_reader.zero places (mixture_of parts above) bounds) in
  let low = read_lower source states horizon in
  (match low with
   | ByMarkov (scale, _) | ByLaw (scale, _, _) -> Limits.require_number room source scale
   | ByBudget (scale, grid, _, _) -> Limits.require_grid room source scale objective grid
   | ByCells (scale, cells, _, _) -> Limits.require_cells room source scale objective cells);
  let up = read_upper source horizon room objective in
  (match up with
   | ByMean scale -> Limits.require_number room source scale
   | ByAllCells (scale, cells) -> Limits.require_cells room source scale objective cells
   | ByBudgets (scale, grid) | ByThreshold (scale, grid, _) | ByCover (scale, grid, _, _) ->
     Limits.require_grid room source scale objective grid);
  Source.keyword source "end";
  (match Source.word_or_end source with
   | Some word -> refuse source (Printf.sprintf "%s behind the end" (Source.shown word))
   | None -> ());
  { model; question; claim; certificate = { low; up } }
