(* What a certificate may ask of the machine: it can name large tables in few characters. *)

open Checker

let longest_horizon = 100_000
let deepest_cover = 5_000
let most_curves = 1_000

type t = {
  bytes : int;  (* for the tables of two neighbouring steps *)
  widest : int;  (* cells of a row: the extracted code walks a row by recursion, on the stack *)
}

(* A frame of that recursion takes less than 128 bytes; the default fits a stack of 8 MB. *)
let default = { bytes = 4_000_000_000; widest = 50_000 }

type room = { limits : t; states : int; horizon : int; bits : int; rate_bits : int }

let largest_weight model =
  let most = List.fold_left (fun m (_, w) -> Integer.max m w) model.initial_den model.initial in
  let in_action m (a : action) = Integer.max m a.total in
  let rec in_tree m = function
    | Leaf -> m
    | Node (l, x, r) ->
      let here = match x with Some actions -> List.fold_left in_action m actions | None -> m in
      in_tree (in_tree here l) r in
  let rec in_steps m previous = function
    | [] -> m
    | step :: rest -> in_steps (if step == previous then m else in_tree m step) step rest in
  in_steps most Leaf model.steps

let bits_of_rat (q : rat) = Integer.numbits q.num + Integer.numbits q.den

(* Rates and units are powers that are not reduced: a rational of so many bits at the last step. *)
let most_power_bits = 50_000_000
let require_powers source horizon bits =
  if horizon * bits > most_power_bits then
    Source.refuse source (Printf.sprintf "powers of %d bits over %d steps, more than %d in all" bits horizon most_power_bits)

(* Powers of the discount are multiplied into every step, in all kinds of proofs. *)
let most_rate_bits = 2_000_000
let require_rates room source =
  if room.horizon * room.rate_bits > most_rate_bits then
    Source.refuse source (Printf.sprintf "a discount of %d bits over %d steps, more than %d in all" room.rate_bits room.horizon most_rate_bits)

let of_model limits model states =
  { limits; states; horizon = List.length model.steps; rate_bits = bits_of_rat model.discount_rate;
    bits = Integer.numbits (largest_weight model) + Integer.numbits model.reward_den + bits_of_rat model.discount_rate }

let require_number room source scale =
  let bytes = room.states * 8 * (8 + (Integer.numbits scale + room.bits) / 64) in
  require_powers source room.horizon 1;
  if bytes > room.limits.bytes then Source.refuse source (Printf.sprintf "needs %d MB, more than allowed" (bytes / 1_000_000))

let bits_of_objective = function
  | Tail (w, alpha) -> bits_of_rat w + bits_of_rat alpha
  | Quantile (alpha, _) -> bits_of_rat alpha
  | Polygon corners -> List.fold_left (fun n (x, g) -> max n (bits_of_rat x + bits_of_rat g)) 0 corners

let require_grid room source scale objective grid =
  let width (lo, hi) =
    let cells = Integer.succ (Integer.sub hi lo) in
    if Integer.gt cells (Integer.of_int room.limits.widest) then
      Source.refuse source
        (Printf.sprintf "a window of %s indices, more than the %d that are allowed" (Source.shown (Integer.to_string cells)) room.limits.widest);
    (max 0 (Integer.to_int cells), max (Integer.numbits lo) (Integer.numbits hi)) in
  let widest, places = List.fold_left (fun (w, p) window -> let w', p' = width window in (max w w', max p p')) (0, 0) grid.windows in
  require_powers source room.horizon
    (Integer.numbits grid.stretch + Integer.numbits grid.shrink + bits_of_rat { num = grid.stretch; den = grid.shrink });
  let bits = Integer.numbits scale + places + bits_of_rat grid.unit_size + bits_of_objective objective + room.bits in
  let bytes = 2 * room.states * widest * 8 * (6 + (bits / 64)) in
  if bytes > room.limits.bytes then
    Source.refuse source (Printf.sprintf "tables of %d MB, more than the %d MB that are allowed" (bytes / 1_000_000) (room.limits.bytes / 1_000_000))

(* The windows on the finer grid of each time; all halvings together are powers of the unit. *)
let require_cells room source scale objective cells =
  let halved = List.fold_left (fun n h -> n + Integer.to_int h) 0 cells.halvings in
  require_powers source 1 (halved + room.horizon * bits_of_rat cells.cell_unit);
  let rec finer windows halvings = match windows, halvings with
    | (lo, hi) :: windows', h :: halvings' ->
      let n = Integer.to_int h in (Integer.shift_left lo n, Integer.shift_left hi n) :: finer windows' halvings'
    | windows, _ -> windows in
  require_grid room source scale objective
    { unit_size = cells.cell_unit; stretch = Integer.one; shrink = Integer.one; windows = finer cells.cell_windows cells.halvings }

let last_width grid =
  match List.rev grid.windows with
  | (lo, hi) :: _ when Integer.leq lo hi -> Integer.to_int (Integer.succ (Integer.sub hi lo))
  | _ -> 1

let require_leaves room source scale size leaves =
  let bytes = leaves * size * 8 * (6 + (Integer.numbits scale / 64)) in
  if bytes > room.limits.bytes then
    Source.refuse source (Printf.sprintf "multipliers of %d MB, more than the %d MB that are allowed" (bytes / 1_000_000) (room.limits.bytes / 1_000_000))
