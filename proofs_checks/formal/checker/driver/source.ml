(* Words of a text file, read once from front to back, with the line for messages.

   Nothing is believed: a word has a bounded length, a count is bounded before anything is allocated, and whatever is
   wrong ends in [Refused] with the line where it was found. *)

exception Refused of string

type t = { channel : in_channel; word : Buffer.t; mutable line : int; mutable line_ended : bool }

(* Digits of one number: an exact scale of a long horizon has some thousands. *)
let longest_word = 50_000
let most_items = 50_000_000

let of_channel channel = { channel; word = Buffer.create 64; line = 1; line_ended = false }
let refuse source text = raise (Refused (Printf.sprintf "line %d: %s" source.line text))

(* For messages: a word that was not expected, cut. *)
let shown word =
  if String.length word <= 40 then "'" ^ String.escaped word ^ "'" else "'" ^ String.escaped (String.sub word 0 40) ^ "...'"

let rec skip_blanks source =
  match input_char source.channel with
  | '\n' -> source.line <- source.line + 1; skip_blanks source
  | ' ' | '\t' | '\r' -> skip_blanks source
  | c -> Some c
  | exception End_of_file -> None

(* The next word.  The end of its line is counted when the following word is asked for: messages name the word's line. *)
let word_or_end source =
  if source.line_ended then (source.line <- source.line + 1; source.line_ended <- false);
  match skip_blanks source with
  | None -> None
  | Some first ->
    Buffer.clear source.word;
    Buffer.add_char source.word first;
    let rec go () =
      match input_char source.channel with
      | ' ' | '\t' | '\r' -> ()
      | '\n' -> source.line_ended <- true
      | c ->
        if Buffer.length source.word >= longest_word then
          refuse source (Printf.sprintf "a word of more than %d characters" longest_word);
        Buffer.add_char source.word c; go ()
      | exception End_of_file -> () in
    go ();
    Some (Buffer.contents source.word)

let word source what =
  match word_or_end source with
  | Some word -> word
  | None -> refuse source (Printf.sprintf "the file ends where %s was expected" what)

let keyword source wanted =
  let found = word source (Printf.sprintf "'%s'" wanted) in
  if found <> wanted then refuse source (Printf.sprintf "%s where '%s' was expected" (shown found) wanted)

let is_number text =
  let length = String.length text in
  let first = if length > 0 && text.[0] = '-' then 1 else 0 in
  let rec digits i = i = length || (text.[i] >= '0' && text.[i] <= '9' && digits (i + 1)) in
  length > first && digits first

let number_of source what text =
  if is_number text then Integer.of_string text
  else refuse source (Printf.sprintf "%s is %s, wanted an integer in decimal digits" what (shown text))

let integer source what = number_of source what (word source what)

let positive source what =
  let n = integer source what in
  if Integer.sign n > 0 then n else refuse source (Printf.sprintf "%s is %s, wanted a positive integer" what (shown (Integer.to_string n)))

let natural source what =
  let n = integer source what in
  if Integer.sign n >= 0 then n else refuse source (Printf.sprintf "%s is %s, wanted 0 or more" what (shown (Integer.to_string n)))

(* An int between [least] and [most]. *)
let between source what least most =
  let n = integer source what in
  if Integer.lt n (Integer.of_int least) || Integer.gt n (Integer.of_int most) then
    refuse source (Printf.sprintf "%s is %s, wanted %d to %d" what (shown (Integer.to_string n)) least most);
  Integer.to_int n

(* "p/q" with a positive q, or "p". *)
let rational source what =
  let text = word source what in
  match String.index_opt text '/' with
  | None -> (number_of source what text, Integer.one)
  | Some i ->
    let p = number_of source what (String.sub text 0 i) in
    let q = number_of source what (String.sub text (i + 1) (String.length text - i - 1)) in
    if Integer.sign q > 0 then (p, q)
    else refuse source (Printf.sprintf "%s is %s, wanted a positive denominator" what (shown text))

(* [count] items in their order, without recursion: lists may be long. *)
let items count read =
  let found = ref [] in
  for _ = 1 to count do found := read () :: !found done;
  List.rev !found
