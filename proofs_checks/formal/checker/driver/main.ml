(* checker [--memory MB] [--widest CELLS] FILE...: are the claims of these certificates proved?
   checker --version: the latest format that it reads, and the digest of the sources that it was built from.

   One line for each file, "-" for the standard input; exit code 0 if all are proved, 1 if one is not, 2 for wrong usage.
   Here the bytes are fetched and the limits set; [Answer.judge] has them read and decided by what is extracted. *)

exception Too_large

let contents channel =
  let read = Buffer.create 65_536 in
  (try while true do Buffer.add_channel read channel 65_536 done with End_of_file -> ());
  Buffer.contents read

let judge (limits : Checker.limits) file =
  try
    let channel = if file = "-" then stdin else open_in_bin file in
    let text = Fun.protect ~finally:(fun () -> close_in_noerr channel) (fun () -> contents channel) in
    Answer.judge ~deeper:"ulimit -s unlimited gives more" limits text
  with
  | Out_of_memory -> (false, "refused: not enough memory")
  | Too_large -> (false, Printf.sprintf "refused: needs more than the %d MB that are allowed" (Integer.to_int limits.most_bytes / 1_000_000))
  | Sys_error text -> (false, "refused: " ^ text)

let usage () = prerr_endline "usage: checker [--memory MB] [--widest CELLS] FILE... | --version"; exit 2
let number text = match int_of_string_opt text with Some n when n > 0 -> n | _ -> usage ()

let rec run (limits : Checker.limits) = function
  | "--memory" :: n :: rest -> run { limits with most_bytes = Integer.of_int (1_000_000 * number n) } rest
  | "--widest" :: n :: rest -> run { limits with widest = Integer.of_int (number n) } rest
  | [] -> usage ()
  | ["--version"] -> Printf.printf "verified-risk-checker format %s source %s\n" (Integer.to_string Checker.latest_format) Version.source
  | files ->
    (* What a certificate leads to may be much larger than itself: the heap is looked at whenever it was gone through. *)
    let most = Integer.to_int limits.most_bytes / 8 in
    ignore (Gc.create_alarm (fun () -> if (Gc.quick_stat ()).Gc.heap_words > most then raise Too_large));
    let answers = List.map (fun file -> let proved, line = judge limits file in print_endline line; proved) files in
    exit (if List.for_all Fun.id answers then 0 else 1)

let () =
  (* Rows of tables are short-lived: a larger minor heap halves the time. *)
  Gc.set { (Gc.get ()) with Gc.minor_heap_size = 4_194_304; space_overhead = 200 };
  run { Checker.most_bytes = Integer.of_int 4_000_000_000; widest = Integer.of_int 50_000 } (List.tl (Array.to_list Sys.argv))
