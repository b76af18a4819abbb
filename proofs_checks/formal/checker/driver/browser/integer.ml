(* The integers of a browser, in the place of zarith's: the functions that the extracted code names.  integers.js has them. *)
type t

exception Overflow

external of_int : int -> t = "%identity"
external fits_int : t -> bool = "integer_fits_int"
external place : t -> int = "%identity"
external to_string : t -> string = "integer_to_string"
external sign : t -> int = "integer_sign"
external compare : t -> t -> int = "integer_compare"
external equal : t -> t -> bool = "integer_equal"
external lt : t -> t -> bool = "integer_lt"
external leq : t -> t -> bool = "integer_leq"
external add : t -> t -> t = "integer_add"
external sub : t -> t -> t = "integer_sub"
external mul : t -> t -> t = "integer_mul"
external fdiv : t -> t -> t = "integer_fdiv"
external shift_left : t -> int -> t = "integer_shift_left"
external shift_right : t -> int -> t = "integer_shift_right"
external is_odd : t -> bool = "integer_is_odd"
external numbits : t -> int = "integer_numbits"

let zero = of_int 0
let one = of_int 1
let succ x = add x one
let neg x = sub zero x
let min x y = if leq x y then x else y
let max x y = if leq x y then y else x
let to_int x = if fits_int x then place x else raise Overflow
