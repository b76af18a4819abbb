(* The answer to the bytes of a certificate: [Checker.check_any_text], which is extracted, decides; here it is put into a line. *)

let is_blank c = c = ' ' || c = '\n' || c = '\t' || c = '\r'
let cut word = if String.length word <= 40 then word else String.sub word 0 40 ^ "..."

(* The words between two places, one blank between them. *)
let words text first last =
  let found = Buffer.create 64 in
  for i = first to last - 1 do
    if not (is_blank text.[i]) then (
      if Buffer.length found > 0 && is_blank text.[i - 1] then Buffer.add_char found ' ';
      Buffer.add_char found text.[i])
  done;
  Buffer.contents found

let word_at text i = String.escaped (List.hd (String.split_on_char ' ' (words text i (min (i + 50) (String.length text)))))
let said text = function
  | Checker.Say words -> words
  | Figure z -> cut (Integer.to_string z)
  | Quote i -> "'" ^ cut (word_at text (Integer.to_int i)) ^ "'"
  | Span (i, j) -> words text (Integer.to_int i) (Integer.to_int j)
  | Fingerprint (i, j) -> Stdlib.Digest.(to_hex (string (words text (Integer.to_int i) (Integer.to_int j))))

(* Whether the claim of the text is proved, and the line that says so; [deeper] says how to get more stack. *)
let judge ~deeper (limits : Checker.limits) text =
  let started = Sys.time () in
  let byte i = Integer.of_int (Char.code text.[Integer.to_int i]) in
  let line phrases = String.concat "" (List.map (said text) phrases) in
  try
    match Checker.check_any_text limits { byte_count = Integer.of_int (String.length text); byte } with
    | Proved how -> (true, Printf.sprintf "%s; checked in %.3f s" (line how) (Sys.time () -. started))
    | Refused why -> (false, line why)
  with
  | Stack_overflow -> (false, "refused: a window too wide for the stack; " ^ deeper)
  | Out_of_memory -> (false, "refused: not enough memory")
  | Integer.Overflow -> (false, "refused: a number too long for a place in a table")
