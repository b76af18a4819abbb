(* checker FILE [--memory MB] [--widest CELLS]: is the claim of this certificate proved?

   Prints one line: "proved ..." (exit code 0), "refused: ..." or "not covered: ..." (exit code 1).  FILE may be "-".
   Whatever is said to be proved is so by the theorem check_sound about Checker.check, which is extracted. *)

let words_of = function
  | Checker.Model_is_wrong -> "the model is not one: a row does not sum to its total, or a number has the wrong sign"
  | Checker.Objective_is_wrong -> "the objective is not one: its numbers are out of range"
  | Checker.Claim_is_wrong -> "the claim has a denominator that is not positive"
  | Checker.Lower_not_proved -> "the policy of the certificate does not prove the lower bound"
  | Checker.Upper_not_proved -> "the tables of the certificate do not prove the upper bound"
  | Checker.Not_covered -> "this objective with this kind of proof"

(* What the certificate's policy does prove, for a claim that asks for more; rounded down to a short number. *)
let provable model objective certificate =
  match objective, certificate.Checker.low with
  | Checker.Tail (w, alpha), Checker.ByBudget (scale, grid, start, choices) ->
    (match Checker.policy_cost model grid start choices (Checker.cost_above scale w alpha) (Checker.of_Z Z.zero) with
     | None -> None
     | Some cost ->
       let budget = Checker.rmult grid.Checker.unit_size (Checker.of_Z start) in
       let bound = Checker.rminus budget { Checker.num = cost; den = Z.mul scale model.Checker.initial_den } in
       let short = Z.shift_left Z.one 64 in
       Some (Q.make (Z.fdiv (Z.mul bound.Checker.num short) bound.Checker.den) short))
  | _ -> None

let finish code line = print_endline line; exit code

let judge file limits =
  let started = Sys.time () in
  let channel = if file = "-" then stdin else open_in_bin file in
  let proof = Reader.read (Source.of_channel channel) limits in
  let read = Sys.time () in
  let { Reader.model; objective; claim; certificate } = proof in
  if Checker.check model objective claim certificate then
    finish 0 (Printf.sprintf "proved by check_sound; read in %.3f s, checked in %.3f s" (read -. started) (Sys.time () -. read))
  else
    match Checker.verdict model objective claim certificate with
    | Some Checker.Not_covered -> finish 1 ("not covered: " ^ words_of Checker.Not_covered)
    | Some Checker.Lower_not_proved ->
      let more = match provable model objective certificate with
        | Some bound -> ": it proves only " ^ Q.to_string bound
        | None -> "" in
      finish 1 ("refused: " ^ words_of Checker.Lower_not_proved ^ more)
    | Some reason -> finish 1 ("refused: " ^ words_of reason)
    | None -> finish 1 "refused: check and verdict disagree"

let rec arguments limits = function
  | "--memory" :: n :: rest -> arguments { limits with Limits.bytes = 1_000_000 * int_of_string n } rest
  | "--widest" :: n :: rest -> arguments { limits with Limits.widest = int_of_string n } rest
  | [ file ] -> judge file limits
  | _ -> prerr_endline "usage: checker [--memory MB] [--widest CELLS] FILE"; exit 2

let () =
  (* Tables are short-lived and large: a bigger minor heap halves the time. *)
  Gc.set { (Gc.get ()) with Gc.minor_heap_size = 8_388_608; space_overhead = 200 };
  try arguments Limits.default (List.tl (Array.to_list Sys.argv)) with
  | Source.Refused text when String.length text > 0 ->
    finish 1 ("refused: " ^ text)
  | Stack_overflow -> finish 1 "refused: a window too wide for the stack: ulimit -s unlimited gives more"
  | Out_of_memory -> finish 1 "refused: not enough memory"
  | Sys_error text -> prerr_endline text; exit 2
  | Failure _ -> prerr_endline "usage: checker [--memory MB] [--widest CELLS] FILE"; exit 2
