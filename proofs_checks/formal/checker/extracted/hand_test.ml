(* A two-state model worked by hand: the best CVaR at level 1/4 is exactly 1.  The bounds 1 and 1 are accepted, bounds
   tightened by a thousandth are refused, and so are a changed probability, a changed action and a wrong window.
     ocamlfind ocamlopt -package zarith -linkpkg integer.ml checker.ml hand_test.ml -o hand_test && ./hand_test *)
module Zarith = Z
open Checker

let z = Zarith.of_int
let rat a b = { num = z a; den = z b }

(* State 1: earn 1/4 and stay, or move to state 2 and earn 0 with probability 1/8, else 1.  State 2: earn 1/2. *)
let model ?(miss = 1) () =
  let outcome w gain next = { weight = z w; gain = z gain; next = z next } in
  let stay = { total = z 1; outcomes = [ outcome 1 1 1 ] } in
  let leave = { total = z 8; outcomes = [ outcome miss 0 2; outcome (8 - miss) 4 2 ] } in
  let rest = { total = z 1; outcomes = [ outcome 1 2 2 ] } in
  let step = set (z 1) [ stay; leave ] (set (z 2) [ rest ] Leaf) in
  { discount_rate = rat 1 1; reward_den = z 4; initial_den = z 1; initial = [ (z 1, z 1) ]; steps = [ step; step ] }

let grid ?(last = 8) () =
  { unit_size = rat 1 4; stretch = z 1; shrink = z 1; windows = [ (z 0, z last); (z 0, z last); (z 0, z last) ] }

let choices action = List.init 2 (fun _ -> set (z 1) [ (z 9, z action) ] (set (z 2) [ (z 9, z 0) ] Leaf))
let scale = Zarith.shift_left Zarith.one 60

let certificate ?(action = 1) ?(last = 8) () =
  { low = ByBudget (scale, grid (), z 6, choices action); up = ByBudgets (scale, grid ~last ()) }

let cvar = Tail (rat 0 1, rat 1 4)
let failures = ref 0

let expect name wanted answer =
  if answer <> wanted then (incr failures; Printf.printf "WRONG: %s\n" name) else Printf.printf "ok: %s\n" name

let () =
  let claim lower upper = { lower; upper } in
  let one = rat 1 1 in
  expect "both bounds exact" None (verdict (model ()) cvar (claim one one) (certificate ()));
  expect "lower too high" (Some Lower_not_proved) (verdict (model ()) cvar (claim (rat 1001 1000) (rat 2 1)) (certificate ()));
  expect "upper too low" (Some Upper_not_proved) (verdict (model ()) cvar (claim one (rat 999 1000)) (certificate ()));
  expect "likelier to miss" (Some Lower_not_proved) (verdict (model ~miss:2 ()) cvar (claim one one) (certificate ()));
  expect "a negative probability" (Some Model_is_wrong) (verdict (model ~miss:(-1) ()) cvar (claim one one) (certificate ()));
  expect "another action" (Some Lower_not_proved) (verdict (model ()) cvar (claim one one) (certificate ~action:0 ()));
  expect "no such action" (Some Lower_not_proved) (verdict (model ()) cvar (claim one one) (certificate ~action:2 ()));
  expect "a window that is too small" (Some Upper_not_proved) (verdict (model ()) cvar (claim one one) (certificate ~last:4 ()));
  let mean = Tail (rat 1 1, rat 1 1) in
  (* leaving is worth 7/8 + 1/2 = 11/8, staying and then leaving 1/4 + 7/8 = 9/8 *)
  let markov = List.init 2 (fun _ -> set (z 1) (z 1) (set (z 2) (z 0) Leaf)) in
  let certificate = { low = ByMarkov (z 8, markov); up = ByMean (z 8) } in
  expect "the mean" None (verdict (model ()) mean (claim (rat 11 8) (rat 11 8)) certificate);
  expect "the mean, too low" (Some Upper_not_proved) (verdict (model ()) mean (claim (rat 11 8) (rat 10 8)) certificate);
  (* The best 1/4-quantile is 3/2, reached by leaving at once: 1/2 with probability 1/8, else 3/2. *)
  let exact = z 64 in
  let quantile = Quantile (rat 1 4, false) in
  let certificate = { low = ByBudget (exact, grid (), z 6, choices 1); up = ByThreshold (exact, grid (), z 6) } in
  let three_halves = rat 3 2 in
  expect "a quantile" None (verdict (model ()) quantile (claim three_halves three_halves) certificate);
  expect "a quantile, too high" (Some Lower_not_proved) (verdict (model ()) quantile (claim (rat 1501 1000) (rat 2 1)) certificate);
  let certificate = { certificate with up = ByThreshold (exact, grid (), z 5) } in
  expect "a quantile, too low" (Some Upper_not_proved) (verdict (model ()) quantile (claim three_halves (rat 1499 1000)) certificate);
  (* P(Z < 3/2) = 1/8 when leaving: the upper 1/8-quantile is 3/2, the lower one is 1/2 and staying beats it. *)
  let upper_eighth = Quantile (rat 1 8, true) in
  let certificate = { certificate with up = ByThreshold (exact, grid (), z 6) } in
  expect "an upper quantile" None (verdict (model ()) upper_eighth (claim three_halves three_halves) certificate);
  expect "not a lower quantile" (Some Lower_not_proved) (verdict (model ()) (Quantile (rat 1 8, false)) (claim three_halves three_halves) certificate);
  (* A convex weighting with the corner (1/2, 1/4): leaving is worth 3/2 - G(1/8) = 23/16. *)
  let polygon = Polygon [ (rat 1 2, rat 1 4); (rat 1 1, rat 1 1) ] in
  let narrow = { (grid ()) with windows = [ (z 8, z 8); (z 4, z 8); (z 0, z 8) ] } in
  let scale = z 1024 in
  let costs = List.map z [ 1536; 1536; 512; 512; 512; 512; 512; 512 ] in
  let best = rat 23 16 in
  let certificate boxes = { low = ByBudget (scale, grid (), z 8, choices 1); up = ByCover (scale, narrow, z 8, boxes) } in
  expect "a polygon" None (verdict (model ()) polygon (claim best best) (certificate (Dual costs)));
  expect "a polygon, lower too high" (Some Lower_not_proved)
    (verdict (model ()) polygon (claim (rat 1438 1000) best) (certificate (Dual costs)));
  expect "a polygon, upper too low" (Some Upper_not_proved)
    (verdict (model ()) polygon (claim best (rat 1437 1000)) (certificate (Dual costs)));
  expect "other multipliers" (Some Upper_not_proved)
    (verdict (model ()) polygon (claim best best) (certificate (Dual (List.map z [ 0; 0; 0; 0; 0; 0; 0; 0 ]))));
  expect "a cut with both sides proved" None
    (verdict (model ()) polygon (claim best best) (certificate (Cut (z 3, rat 1 2, Dual costs, Dual costs))));
  expect "multipliers missing" (Some Upper_not_proved)
    (verdict (model ()) polygon (claim best best) (certificate (Cut (z 3, rat 1 2, Dual costs, Dual []))));
  (* The same weighting as CVaR at level 1/4, concave: the cover needs cuts, its first bound alone does not suffice. *)
  expect "the polygon of CVaR, lower" (Some Upper_not_proved)
    (verdict (model ()) (Polygon [ (rat 1 4, rat 1 1); (rat 1 1, rat 1 1) ]) (claim one one) (certificate (Dual costs)));
  (* The same policies by the law of their return.  A memory that counts nothing, and one action everywhere. *)
  let forgetful = { factor = z 0; coin_den = z 1; moves = [] } in
  let machine action =
    let row = { first = z 0; before = z 0; row_runs = [ (z 1, z action) ] } in
    { mem_0 = z 0; mem_rules = [ forgetful; forgetful ];
      mem_tables = List.init 2 (fun _ -> set (z 1) row (set (z 2) { row with row_runs = [] } Leaf)) } in
  let by_law ?(scale = exact) parts up = { low = ByLaw (scale, z 2, parts); up } in
  let leave = by_law [ (z 2, machine 1) ] in
  expect "CVaR by the law" None (verdict (model ()) cvar (claim one one) (leave (ByBudgets (scale, grid ()))));
  expect "CVaR by the law, too high" (Some Lower_not_proved)
    (verdict (model ()) cvar (claim (rat 1001 1000) (rat 2 1)) (leave (ByBudgets (scale, grid ()))));
  expect "a quantile by the law" None (verdict (model ()) quantile (claim three_halves three_halves) (leave (ByThreshold (exact, grid (), z 6))));
  expect "a polygon by the law" None (verdict (model ()) polygon (claim best best) (leave (ByCover (scale, narrow, z 8, Dual costs))));
  expect "a scale that loses" (Some Lower_not_proved)
    (verdict (model ()) cvar (claim one one) (by_law ~scale:(z 7) [ (z 2, machine 1) ] (ByBudgets (scale, grid ()))));
  (* Half and half: 1/2 with probability 1/2 + 1/16, else 3/2; its mean is 15/16. *)
  let half = by_law [ (z 1, machine 0); (z 1, machine 1) ] (ByMean (z 8)) in
  expect "the mean of a mixture" None (verdict (model ()) mean (claim (rat 15 16) (rat 11 8)) half);
  expect "the mean of a mixture, too high" (Some Lower_not_proved) (verdict (model ()) mean (claim (rat 16 16) (rat 11 8)) half);
  expect "weights that do not sum to one" (Some Lower_not_proved)
    (verdict (model ()) mean (claim (rat 1 2) (rat 11 8)) (by_law [ (z 1, machine 0) ] (ByMean (z 8))));
  (* A coin that is tossed after the first reward decides whether to leave at the second step: 1/4 + (1/4 + 7/8) / 2. *)
  let tossing = { factor = z 1; coin_den = z 2; moves = [ (z 1, (z 0, z 1)) ] } in
  let by_coin =
    let row runs = { first = z 0; before = z 0; row_runs = runs } in
    { mem_0 = z 0; mem_rules = [ tossing; tossing ];
      mem_tables = [ set (z 1) (row [ (z 1, z 0) ]) Leaf; set (z 1) (row [ (z 1, z 0); (z 1, z 1) ]) Leaf ] } in
  expect "a coin" None (verdict (model ()) mean (claim (rat 13 16) (rat 11 8)) (by_law [ (z 2, by_coin) ] (ByMean (z 8))));
  expect "a coin, too high" (Some Lower_not_proved)
    (verdict (model ()) mean (claim (rat 14 16) (rat 11 8)) (by_law [ (z 2, by_coin) ] (ByMean (z 8))));
  (* Rewards between the nodes of a grid of step 1/7, and on those of one of step 1/12.  The windows have a node to spare at
     both ends. *)
  let sevenths = { cell_unit = rat 1 7; base = z 0; halvings = [ z 0; z 0 ]; cell_windows = List.init 3 (fun _ -> (z (-1), z 17)) } in
  let upper up bound = verdict (model ()) cvar (claim (rat 1 2) bound) { (leave (ByMean exact)) with up } in
  expect "between the nodes" None (upper (ByAllCells (scale, sevenths)) (rat 113 100));
  expect "between the nodes, too low" (Some Upper_not_proved) (upper (ByAllCells (scale, sevenths)) (rat 999 1000));
  let twelfths = { sevenths with cell_unit = rat 1 12; cell_windows = List.init 3 (fun _ -> (z (-1), z 26)) } in
  let scale = Zarith.mul scale (z 3) in
  expect "on the nodes nothing is lost" None (upper (ByAllCells (scale, twelfths)) one);
  (* Halved before the first step: the same nodes, every second one kept. *)
  let halved = { twelfths with cell_unit = rat 1 6; halvings = [ z 1; z 0 ]; cell_windows = [ (z (-1), z 13); (z (-2), z 26); (z (-2), z 26) ] } in
  expect "a grid that is halved" None (upper (ByAllCells (scale, halved)) one);
  expect "a grid that is halved, too low" (Some Upper_not_proved) (upper (ByAllCells (scale, halved)) (rat 999 1000));
  (* Leaving at once, by cells: its worst quarter is worth 1, at a budget of 3/2. *)
  let wide = { twelfths with cell_windows = List.init 3 (fun _ -> (z (-12), z 26)) } in
  let by_cells action bound =
    let rows = List.init 2 (fun _ -> set (z 1) [ (z 39, z action) ] (set (z 2) [ (z 39, z 0) ] Leaf)) in
    verdict (model ()) cvar (claim bound (rat 11 8)) { low = ByCells (scale, wide, z 18, rows); up = ByMean exact } in
  expect "a policy by cells" None (by_cells 1 one);
  expect "a policy by cells, too high" (Some Lower_not_proved) (by_cells 1 (rat 1001 1000));
  expect "another policy by cells" (Some Lower_not_proved) (by_cells 0 one);
  (* The convex polygon as a curve of a mixture: its own corners are the line, stairs at sixteenths. *)
  let corners = [ (rat 1 2, rat 1 4); (one, one) ] in
  let stair k = { place = rat k 16; height = (if k <= 8 then rat k 32 else rat (3 * k - 16) 32); hints = [] } in
  let no_turn = { falling = []; rising_from = rat 0 1; rising_low = rat 0 1; rising = [] } in
  let curved ?(stairs = List.init 17 stair) ?(at_half = rat 1 4) () =
    { places = [ rat 1 2; one ]; curve_bounds = [ { bend = no_turn; pieces = [ (at_half, Linear); (one, Linear) ]; stairs } ];
      proofs = { low = ByLaw (z 64000, z 2, [ (z 2, machine 1) ]); up = ByCover (z 1024, narrow, z 8, Dual costs) } } in
  let mixture = [ (one, Corners corners) ] in
  let ask ?(mixture = mixture) ?(lower = best) ?(upper = best) k = verdict_curved (model ()) mixture (claim lower upper) k in
  expect "a curve that is a polygon" None (ask (curved ()));
  expect "a curve, lower too high" (Some Lower_not_proved) (ask ~lower:(rplus best (rat 1 1000)) (curved ()));
  expect "a curve, upper too low" (Some Upper_not_proved) (ask ~upper:(rminus best (rat 1 1000)) (curved ()));
  expect "a line above the curve" (Some Curve_not_bounded) (ask (curved ~at_half:(rat 26 100) ()));
  expect "a stair below the curve" (Some Curve_not_bounded)
    (ask (curved ~stairs:[ { place = rat 1 2; height = rat 24 100; hints = [] } ] ()));
  expect "weights that sum to 1/2" (Some Objective_is_wrong) (ask ~mixture:[ (rat 1 2, Corners corners) ] (curved ()));
  (* Points by hand: the square root of 1/4; N(1) = 0.84134474..., N(0) = 1/2; at 1/2, 2^(-1/2) / (2 2^(-1/2))^2 = 0.35355339... *)
  let point ?(hints = []) place height = { place; height; hints } in
  expect "root" true (point_below (Hazard (z 1, z 2)) (point (rat 1 4) (rat 1 2)));
  expect "root, too high" false (point_below (Hazard (z 1, z 2)) (point (rat 1 4) (rat 501 1000)));
  expect "root from above" true (point_above (Hazard (z 1, z 2)) (point (rat 1 4) (rat 1 2)));
  expect "root from above, too low" false (point_above (Hazard (z 1, z 2)) (point (rat 1 4) (rat 499 1000)));
  expect "dual square" true (point_above (DualPower (z 2, z 1)) (point (rat 1 4) (rat 7 16)));
  expect "dual square, too low" false (point_above (DualPower (z 2, z 1)) (point (rat 1 4) (rat 6 16)));
  let wang height = point ~hints:[ rat 0 1 ] (rat 1 2) (rat height 10_000_000) in
  expect "Wang" true (point_below (Wang one) (wang 8413447));
  expect "Wang, too high" false (point_below (Wang one) (wang 8413448));
  expect "Wang from above" true (point_above (Wang one) (wang 8413448));
  expect "Wang from above, too low" false (point_above (Wang one) (wang 8413447));
  let low = rat 70710678 100000000 and high = rat 70710679 100000000 in
  let half = Cpw (z 1, z 2) in
  expect "CPW" true (point_below half (point ~hints:[ low; high; high ] (rat 1 2) (rat 353553 1000000)));
  expect "CPW, too high" false (point_below half (point ~hints:[ low; high; high ] (rat 1 2) (rat 353554 1000000)));
  expect "CPW, a root that is none" false (point_below half (point ~hints:[ high; high; high ] (rat 1 2) (rat 353553 1000000)));
  expect "CPW from above" true (point_above half (point ~hints:[ high; low; low ] (rat 1 2) (rat 353554 1000000)));
  expect "CPW from above, too low" false (point_above half (point ~hints:[ high; low; low ] (rat 1 2) (rat 353553 1000000)));
  (* On a grid of step 1/3 leaving earns 2/3 or 5/3, each rounded up by at most 1/6 a step: CVaR is at least 7/6 - 2/6. *)
  let thirds = { unit_size = rat 1 3; stretch = z 1; shrink = z 1; windows = List.init 3 (fun _ -> (z 0, z 5)) } in
  let rows = List.init 2 (fun _ -> set (z 1) [ (z 6, z 1) ] (set (z 2) [ (z 6, z 0) ] Leaf)) in
  let rounded = { low = ByBudget (scale, thirds, z 5, rows); up = ByMean exact } in
  expect "rounded rewards" None (verdict (model ()) cvar (claim (rat 5 6) (rat 11 8)) rounded);
  expect "rounded rewards, too high" (Some Lower_not_proved) (verdict (model ()) cvar (claim (rat 834 1000) (rat 11 8)) rounded);
  exit (min 1 !failures)
