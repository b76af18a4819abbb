(* Curves that are not piecewise linear, and the bounds of them that a certificate brings: points with their hints.

   Powers of long numbers and long series are cheap to ask for: what they may cost is bounded here, before they are
   computed. *)

open Checker

let refuse = Source.refuse
let rat source what = let num, den = Source.rational source what in { num; den }
let zero = { num = Integer.zero; den = Integer.one }

(* --- curves --- *)

let largest_exponent = 1_000
let largest_shift = 10
let largest_hint = 16
let most_hint_bits = 512
let most_power_bits = 2_000_000

let read_exponent source =
  let p, q = Source.rational source "an exponent" in
  if Integer.sign p <= 0 || Integer.gt (Integer.max p q) (Integer.of_int largest_exponent) then
    refuse source (Printf.sprintf "not covered: an exponent whose numerator or denominator is not 1 to %d" largest_exponent);
  (p, q)

let no_larger_than bound (z : rat) = Integer.leq (Integer.abs z.num) (Integer.mul (Integer.of_int bound) z.den)

let read_part source read_corners =
  match Source.word source "a curve" with
  | "upper" -> UpperQuantile (rat source "the level")
  | kind -> Whole (match kind with
  | "hazard" -> let p, q = read_exponent source in Hazard (p, q)
  | "dual" -> let p, q = read_exponent source in DualPower (p, q)
  | "cpw" -> let p, q = read_exponent source in Cpw (p, q)
  | "wang" ->
    let shift = rat source "the shift" in
    if not (no_larger_than largest_shift shift) || Limits.bits_of_rat shift > most_hint_bits then
      refuse source (Printf.sprintf "not covered: a shift larger than %d, or of more than %d bits" largest_shift most_hint_bits);
    Wang shift
  | "polygon" -> Corners (read_corners source)
  | "jump" -> Jump (rat source "the level")
  | other -> refuse source (Printf.sprintf "not covered: the curve %s" (Source.shown other)))

(* --- points --- *)

let exponents = function Hazard (p, q) | DualPower (p, q) | Cpw (p, q) -> Integer.to_int (Integer.max p q) | Wang _ | Corners _ | Jump _ -> 0
let hint_count = function Wang _ -> 1 | Cpw _ -> 3 | Hazard _ | DualPower _ | Corners _ | Jump _ -> 0

(* A number of a point: short enough for the powers of its curve. *)
let number source curve what =
  let x = rat source what in
  let bits = Limits.bits_of_rat x in
  let power = exponents curve in
  if power > 0 && bits * power > most_power_bits then
    refuse source (Printf.sprintf "%s has %d bits, too many for powers of %d" what bits power);
  (match curve with
   | Wang _ when bits > most_hint_bits -> refuse source (Printf.sprintf "%s has more than %d bits" what most_hint_bits)
   | _ -> ());
  x

let read_point source curve =
  let place = number source curve "a point" in
  let height = number source curve "the height of a point" in
  let hints = Source.items (hint_count curve) (fun () ->
      let hint = number source curve "a hint" in
      (match curve with
       | Wang _ when not (no_larger_than largest_hint hint) -> refuse source (Printf.sprintf "a hint larger than %d" largest_hint)
       | _ -> ());
      hint) in
  { place; height; hints }

(* --- shapes, broken lines, staircases --- *)

let read_cells source curve =
  let count = Source.between source "the number of cells" 0 Source.most_items in
  Source.items count (fun () ->
      let t = number source curve "the end of a cell" in
      let low = number source curve "a bound of a cell" in
      (t, (low, number source curve "a bound of a cell")))

let read_turn source curve =
  match curve with
  | Cpw _ ->
    Source.keyword source "falling";
    let falling = read_cells source curve in
    Source.keyword source "rising";
    let rising_from = number source curve "the begin of the cells" in
    let rising_low = number source curve "a bound of a cell" in
    { falling; rising_from; rising_low; rising = read_cells source curve }
  | _ -> { falling = []; rising_from = zero; rising_low = zero; rising = [] }

let read_support source curve =
  match Source.word source "why a piece is below the curve" with
  | "level" -> Level (read_point source curve)
  | "chord" -> let left = read_point source curve in Chord (left, read_point source curve)
  | "line" -> let touch = read_point source curve in Line (touch, read_point source curve)
  | "linear" -> Linear
  | other -> refuse source (Printf.sprintf "%s where 'level', 'chord', 'line' or 'linear' was expected" (Source.shown other))

let read_curve_bounds source count (_, curve) =
  Source.keyword source "curve";
  let bend = read_turn source curve in
  Source.keyword source "line";
  let pieces = Source.items count (fun () -> let y = number source curve "a height" in (y, read_support source curve)) in
  Source.keyword source "stairs";
  let steps = Source.between source "the number of stairs" 0 Source.most_items in
  { bend; pieces; stairs = Source.items steps (fun () -> read_point source curve) }

(* How far above their levels upper quantiles are taken for lower ones; nothing if there are none. *)
let read_room source parts =
  let is_upper = function _, UpperQuantile _ -> true | _, Whole _ -> false in
  if not (List.exists is_upper parts) then None
  else begin
    Source.keyword source "room";
    let e = rat source "the room above a level" in
    if Integer.sign e.num <= 0 then refuse source "the room above a level is not positive";
    Some e
  end

let read_bounds source mixture =
  Source.keyword source "places";
  let count = Source.between source "the number of places" 1 Source.most_items in
  let places = Source.items count (fun () -> rat source "a place") in
  let bounds = List.map (read_curve_bounds source count) mixture in
  (places, bounds)

(* --- for messages --- *)

(* The first piece or stair that is not proved, in words. *)
let first_fault places mixture bounds =
  let fault number (_, curve) b =
    let fall = falls_to curve b.bend and rise = rises_between curve b.bend in
    let rec pieces i x y places l =
      match places, l with
      | [], [] -> if rat_le one x then None else Some "the line does not reach 1"
      | x' :: places, (y', s) :: l ->
        if positive_den x' && positive_den y' && rat_lt x x' && rat_le x' one && supported curve fall rise x y x' y' s then pieces (i + 1) x' y' places l
        else Some (Printf.sprintf "piece %d of its line is not proved to be below it" i)
      | _ -> Some "its line has another length than the places" in
    let rec stairs i = function
      | [] -> None
      | c :: l -> if point_above curve c then stairs (i + 1) l else Some (Printf.sprintf "stair %d is not proved to be above it" i) in
    let found = match pieces 0 zero zero places b.pieces with Some text -> Some text | None -> stairs 0 b.stairs in
    Option.map (fun text -> Printf.sprintf "curve %d: %s" number text) found in
  let rec go number o bs =
    match o, bs with
    | wf :: o, b :: bs -> (match fault number wf b with Some text -> Some text | None -> go (number + 1) o bs)
    | _ -> None in
  go 0 mixture bounds
