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
  exit (min 1 !failures)
