(* checker [--memory MB] [--widest CELLS] FILE...: are the claims of these certificates proved?

   checker --version: the latest format that it reads, and the digest of the sources that it was built from.

   One line for each file: "proved ...", "refused: ..." or "not covered: ...".  FILE may be "-", the standard input.
   Exit code 0 if all are proved, 1 if one is not, 2 for wrong usage.  What is said to be proved is so by the theorem
   check_sound about Checker.check, which is extracted. *)

let words_of = function
  | Checker.Model_is_wrong -> "the model is not one: a row does not sum to its total, or a number has the wrong sign"
  | Checker.Objective_is_wrong -> "the objective is not one: its numbers are out of range"
  | Checker.Claim_is_wrong -> "the claim has a denominator that is not positive"
  | Checker.Lower_not_proved -> "the policy of the certificate does not prove the lower bound"
  | Checker.Upper_not_proved -> "the tables of the certificate do not prove the upper bound"
  | Checker.Not_covered -> "this objective with this kind of proof"
  | Checker.Curve_not_bounded -> "a point of a curve is not proved"

(* What the policy of a certificate does prove, for a claim that asks for more: the number that the test compares with
   the claim, rounded down to a short one.  It is a hint for whoever wrote the certificate; no claim rests on it. *)
let provable model objective certificate =
  let open Checker in
  let short bound =
    let denominator = Integer.shift_left Integer.one 64 in
    Some (Q.make (Integer.fdiv (Integer.mul bound.num denominator) bound.den) denominator) in
  match objective, certificate.low with
  | Tail (w, alpha), ByBudget (scale, grid, start, choices) ->
    let budget = rmult grid.unit_size (of_Z start) in
    Option.bind (policy_cost model grid start choices (cost_above scale w alpha) (of_Z Integer.zero)) (fun cost ->
        short (rminus budget { num = cost; den = Integer.mul scale model.initial_den }))
  | Tail (w, alpha), ByCells (scale, cells, start, choices) ->
    (match cells.cell_windows, window_after cells.cell_windows model.steps with
     | (first, _) :: _, Some (lo, hi) ->
       let unit = cells.cell_unit and sum = discount_weights model model.steps in
       let rewards gain = rmult sum { num = gain; den = model.reward_den } in
       let budget = rmult unit (of_Z start) in
       let cost x = Integer.neg (cost_above scale w alpha x) in
       let bottom = cost (rplus budget (rewards (most_below model cells.base))) in
       let terminal = terminal_row cost (last_cell_unit unit cells.halvings model.steps) (of_Z Integer.zero) lo hi in
       let v = cells_table model false cells.base bottom terminal (cell_rate_0 model cells) cells.cell_windows cells.halvings model.steps choices in
       short (rplus (rplus budget (rewards cells.base)) { num = start_look model bottom first v start; den = Integer.mul scale model.initial_den })
     | _ -> None)
  | Polygon corners, ByBudget (scale, grid, start, choices) ->
    (match grid.windows, window_after grid.windows model.steps with
     | (first, _) :: _, Some (lo, hi) ->
       let unit = unit_after grid grid.unit_size model.steps in
       let loss = loss_after model grid (rate_0 model grid) grid.unit_size model.steps in
       let top = rminus (rminus (rmult grid.unit_size (of_Z start)) loss) (rmult unit (of_Z (Integer.pred lo))) in
       let levels = along (fun level -> level) lo (counter lo hi) in
       let cost = level_cost model scale grid start choices first lo hi in
       Option.bind (level_sum cost scale model.initial_den corners levels) (fun sum ->
           short (rminus top (rmult unit { num = sum; den = scale })))
     | _ -> None)
  | _ -> None

(* Why the answer is no. *)
let verdict { Reader.model; question; claim; certificate } =
  match question with
  | Reader.Plain objective -> Checker.verdict model objective claim certificate
  | Reader.Mixed (parts, above, places, curve_bounds) ->
    let bounded = { Checker.places; curve_bounds; proofs = certificate } in
    (match above with
     | None -> Checker.verdict_curved model (Reader.mixture_of parts None) claim bounded
     | Some e -> Checker.verdict_upper model parts e claim bounded)

let refusal ({ Reader.model; question; certificate; _ } as proof) =
  match verdict proof with
  | Some Checker.Not_covered -> "not covered: " ^ words_of Checker.Not_covered
  | Some Checker.Lower_not_proved ->
    let found = match question with Reader.Plain objective -> provable model objective certificate | Reader.Mixed _ -> None in
    let more = match found with
      | Some bound -> ": it proves only " ^ Q.to_string bound
      | None -> "" in
    "refused: " ^ words_of Checker.Lower_not_proved ^ more
  | Some Checker.Curve_not_bounded ->
    let where = match question with
      | Reader.Mixed (parts, above, places, bounds) -> Curve_reader.first_fault places (Reader.mixture_of parts above) bounds
      | Reader.Plain _ -> None in
    "refused: " ^ words_of Checker.Curve_not_bounded ^ (match where with Some text -> ": " ^ text | None -> "")
  | Some reason -> "refused: " ^ words_of reason
  | None -> "refused: check and verdict disagree"

let accepted { Reader.model; question; claim; certificate } =
  match question with
  | Reader.Plain objective -> Checker.check model objective claim certificate
  | Reader.Mixed (parts, above, places, curve_bounds) ->
    let bounded = { Checker.places; curve_bounds; proofs = certificate } in
    (match above with
     | None -> Checker.check_curved model (Reader.mixture_of parts None) claim bounded
     | Some e -> Checker.check_upper model parts e claim bounded)

let theorem_of { Reader.question; _ } =
  match question with
  | Reader.Plain _ -> "check_sound"
  | Reader.Mixed (_, None, _, _) -> "check_curved_sound"
  | Reader.Mixed (_, Some _, _, _) -> "upper_quantiles_sound"

let judge_channel channel limits =
  let started = Sys.time () in
  let proof = Reader.read (Source.of_channel channel) limits in
  let read = Sys.time () in
  if accepted proof then
    (true, Printf.sprintf "proved by %s; read in %.3f s, checked in %.3f s" (theorem_of proof) (read -. started) (Sys.time () -. read))
  else (false, refusal proof)

exception Too_large

(* What a certificate leads to may be much larger than itself: the heap is looked at whenever it was gone through. *)
let watch limits =
  ignore (Gc.create_alarm (fun () ->
      if (Gc.quick_stat ()).Gc.heap_words > limits.Limits.bytes / 8 then raise Too_large))

let judge limits file =
  try
    if file = "-" then judge_channel stdin limits
    else begin
      let channel = open_in_bin file in
      Fun.protect ~finally:(fun () -> close_in_noerr channel) (fun () -> judge_channel channel limits)
    end
  with
  | Source.Refused text -> (false, "refused: " ^ text)
  | Stack_overflow -> (false, "refused: a window too wide for the stack; ulimit -s unlimited gives more")
  | Out_of_memory -> (false, "refused: not enough memory")
  | Z.Overflow -> (false, "refused: a number too long for a place in a table")
  | Too_large -> (false, Printf.sprintf "refused: needs more than the %d MB that are allowed" (limits.Limits.bytes / 1_000_000))
  | Sys_error text -> (false, "refused: " ^ text)

let usage () = prerr_endline "usage: checker [--memory MB] [--widest CELLS] FILE... | --version"; exit 2
let number text = match int_of_string_opt text with Some n when n > 0 -> n | _ -> usage ()

let rec run limits = function
  | "--memory" :: n :: rest -> run { limits with Limits.bytes = 1_000_000 * number n } rest
  | "--widest" :: n :: rest -> run { limits with Limits.widest = number n } rest
  | [] -> usage ()
  | ["--version"] -> Printf.printf "verified-risk-checker format %d source %s\n" Reader.latest_format Version.source
  | files ->
    watch limits;
    let answers = List.map (fun file -> let proved, line = judge limits file in print_endline line; proved) files in
    exit (if List.for_all Fun.id answers then 0 else 1)

let () =
  (* Rows of tables are short-lived: a larger minor heap halves the time. *)
  Gc.set { (Gc.get ()) with Gc.minor_heap_size = 4_194_304; space_overhead = 200 };
  run Limits.default (List.tl (Array.to_list Sys.argv))
