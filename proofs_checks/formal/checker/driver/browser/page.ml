(* The checker inside a page: a function from the bytes of a certificate to the line that `checker` prints for them. *)
external provide : (string -> string) -> unit = "page_provide"

let limits : Checker.limits = { most_bytes = Integer.of_int 2_000_000_000; widest = Integer.of_int 50_000 }
let () = provide (fun text -> snd (Answer.judge ~deeper:"the program that is built by `make checker` has more" limits text))
