(** * What a certificate may ask of the machine: it can name large tables in few characters

    Programs only, and nothing to prove: each answers a complaint, or none.  They refuse before anything is allocated.
      *)

Require Import ZArith List Bool String.
From VerifiedRisk Require Import Rows Program Check CurveCheck Written Reading.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.
Open Scope list_scope.

Definition longest_horizon : Z := 100000.
Definition deepest_cover : Z := 5000.
Definition most_curves : Z := 1000.
Definition most_halvings : Z := 62.

(** Bytes for the tables of two neighbouring steps, and cells of a row: rows are walked by recursion, on the stack. *)
Record limits := Limits { most_bytes : Z; widest : Z }.
Record needs := Needs { within : limits; state_number : Z; step_number : Z; choice_number : Z; weight_bits : Z;
  rate_bits : Z }.

Definition complain (bad : bool) (why : unit -> list phrase) : list phrase := if bad then why tt else [].
Definition or_else (why why' : list phrase) : list phrase := match why with [] => why' | _ => why end.
Definition megabytes (n : Z) : phrase := Figure (n / 1000000).

Definition bits (z : Z) : Z := if z =? 0 then 0 else Z.log2 (Z.abs z) + 1.
Definition bits_of_rat (q : rat) : Z := bits (num q) + bits (den q).
Definition words_for (n : Z) : Z := 8 * (6 + n / 64).

Definition largest_weight (w : written_model) : Z :=
  fold_left (fun n b => fold_left (fun n sx => fold_left (fun n a => Z.max n (total a)) (snd sx) n) (snd b) n)
    (blocks w)
    (fold_left (fun n sw => Z.max n (snd sw)) (file_initial w) (file_initial_den w)).
Definition how_many {X} (l : list X) : Z := fold_left (fun n _ => n + 1) l 0.
(** The actions of all states. *)
Definition choices_of {X} (l : listing (list X)) : Z := fold_left (fun n sx => n + how_many (snd sx)) l 0.
Definition needs_of (l : limits) (w : written_model) (horizon : Z) : needs :=
  let rate := bits_of_rat (file_discount w) in
  let choices := fold_left (fun n b => n + fst b * choices_of (snd b)) (blocks w) 0 in
  Needs l (state_count w) horizon choices (bits (largest_weight w) + bits (file_reward_den w) + rate) rate.

(** Rates and units are powers that are not reduced: a rational of so many bits at the last step. *)
Definition most_power_bits : Z := 50000000.
Definition long_powers (horizon n : Z) : list phrase :=
  complain (most_power_bits <? horizon * n) (fun _ =>
    [Say "powers of "; Figure n; Say " bits over "; Figure horizon; Say " steps, more than "; Figure most_power_bits;
     Say " in all"]).
(** Powers of the discount are multiplied into every step, in all kinds of proofs. *)
Definition most_rate_bits : Z := 2000000.
Definition long_rates (k : needs) : list phrase :=
  complain (most_rate_bits <? step_number k * rate_bits k) (fun _ =>
    [Say "a discount of "; Figure (rate_bits k); Say " bits over "; Figure (step_number k); Say " steps, more than ";
     Figure most_rate_bits; Say " in all"]).

Definition too_large (k : needs) (what : string) (n : Z) : list phrase :=
  complain (most_bytes (within k) <? n) (fun _ =>
    [Say what; Say " of "; megabytes n; Say " MB, more than the "; megabytes (most_bytes (within k));
     Say " MB that are allowed"]).
Definition large_number (k : needs) (scale : Z) : list phrase :=
  too_large k "numbers" (state_number k * words_for (bits scale + weight_bits k + 128)).

Definition bits_of_objective (o : objective) : Z :=
  match o with
  | Tail w alpha => bits_of_rat w + bits_of_rat alpha
  | Quantile alpha _ => bits_of_rat alpha
  | Polygon corners => fold_left (fun n xg => Z.max n (bits_of_rat (fst xg) + bits_of_rat (snd xg))) corners 0
  end.
Definition objective_of (q : question) : objective :=
  match q with
  | Plain o => o
  | Mixed parts room marks l => Polygon (mixed_line (of_Z 0) marks (bounded_mixture parts room) l)
  end.

Definition wide_window (k : needs) (why : list phrase) (w : Z * Z) : list phrase :=
  let cells := snd w - fst w + 1 in
  or_else why (complain (widest (within k) <? cells) (fun _ =>
    [Say "a window of '"; Figure cells; Say "' indices, more than the "; Figure (widest (within k));
     Say " that are allowed"])).
Definition large_tables (k : needs) (scale : Z) (o : objective) (unit_size : rat) (ws : list (Z * Z)) : list phrase :=
  let cells := fold_left (fun n w => Z.max n (snd w - fst w + 1)) ws 0 in
  let places := fold_left (fun n w => Z.max n (Z.max (bits (fst w)) (bits (snd w)))) ws 0 in
  or_else (fold_left (wide_window k) ws [])
    (too_large k "tables" (2 * state_number k * cells *
      words_for (bits scale + places + bits_of_rat unit_size + bits_of_objective o + weight_bits k))).
Definition large_grid (k : needs) (scale : Z) (o : objective) (g : grid) : list phrase :=
  or_else (long_powers (step_number k) (2 * (bits (stretch g) + bits (shrink g))))
    (large_tables k scale o (unit_size g) (windows g)).

(** The windows on the finer grid of each time; all halvings together are powers of the unit. *)
Fixpoint finer (ws : list (Z * Z)) (hs : list Z) (found : list (Z * Z)) : list (Z * Z) :=
  match ws, hs with
  | (lo, hi) :: ws', h :: hs' => finer ws' hs' ((lo * 2 ^ h, hi * 2 ^ h) :: found)
  | _, _ => ws ++ found
  end.
Definition large_cells (k : needs) (scale : Z) (o : objective) (c : cells) : list phrase :=
  or_else (long_powers 1 (fold_left Z.add (halvings c) 0 + step_number k * bits_of_rat (cell_unit c)))
    (large_tables k scale o (cell_unit c) (finer (cell_windows c) (halvings c) [])).

(** The multipliers of a cover: one for each index of the last window but the first, at leaves and contractions. *)
Definition multipliers (ws : list (Z * Z)) : Z := let w := last ws (0, 0) in Z.max 0 (snd w - fst w).
Fixpoint leaves (boxes : written_cover) : Z :=
  match boxes with
  | WrittenDual _ => 1
  | WrittenCut _ _ below above => leaves below + leaves above
  | WrittenPassed _ _ _ more => leaves more
  | WrittenContract _ _ more => 1 + leaves more
  end.
Definition large_cover (k : needs) (scale n : Z) (boxes : written_cover) : list phrase :=
  too_large k "multipliers" (leaves boxes * n * words_for (bits scale)).
(** The numbers of a contraction at each state and index of a window: two costs, and three rows for the indices of the
    last window, of [n] multipliers, that are still open.  These are no more than this window lacks in width, because no
    window is left. *)
Definition law_numbers (n : Z) (w : Z * Z) : Z :=
  let width := snd w - fst w in (width + 1) * (2 + 3 * Z.max 0 (n - width)).
Definition large_contraction (k : needs) (own n : Z) (ws : list (Z * Z)) : list phrase :=
  too_large k "contraction tables" (2 * state_number k * fold_left (fun x w => Z.max x (law_numbers n w)) ws 0 *
    words_for (bits own + weight_bits k)).
(** Which actions are kept, at all steps, is known for all contractions above a node at once. *)
Fixpoint contractions (boxes : written_cover) : Z :=
  match boxes with
  | WrittenDual _ => 0
  | WrittenCut _ _ below above => Z.max (contractions below) (contractions above)
  | WrittenPassed _ _ _ more => contractions more
  | WrittenContract _ _ more => 1 + contractions more
  end.
Definition large_kept (k : needs) (boxes : written_cover) (ws : list (Z * Z)) : list phrase :=
  let cells := fold_left (fun n w => Z.max n (snd w - fst w + 1)) ws 0 in
  too_large k "kept actions" (contractions boxes * choice_number k * cells * words_for 0).
(** Sums of rewards, at all steps: no state has more of them than there are returns. *)
Definition large_sums (k : needs) (scale n : Z) : list phrase :=
  too_large k "tables" (2 * state_number k * step_number k * n *
    words_for (bits scale + step_number k * rate_bits k + weight_bits k)).

(** ** Curves: powers of long numbers and long series are cheap to ask for *)

Definition largest_exponent : Z := 1000.
Definition largest_shift : Z := 10.
Definition largest_hint : Z := 16.
Definition most_hint_bits : Z := 512.
Definition most_point_bits : Z := 2000000.

Definition larger_than (n : Z) (q : rat) : bool := n * den q <? Z.abs (num q).
Definition odd_exponent (q : rat) : list phrase :=
  complain ((num q <=? 0) || (largest_exponent <? Z.max (num q) (den q))) (fun _ =>
    [Say "not covered: an exponent whose numerator or denominator is not 1 to "; Figure largest_exponent]).
Definition odd_shift (q : rat) : list phrase :=
  complain (larger_than largest_shift q || (most_hint_bits <? bits_of_rat q)) (fun _ =>
    [Say "not covered: a shift larger than "; Figure largest_shift; Say ", or of more than "; Figure most_hint_bits;
     Say " bits"]).
Definition exponent (f : curve) : Z :=
  match f with Hazard p q | DualPower p q | Cpw p q => Z.max p q | Wang _ | Corners _ | Jump _ => 0 end.
Definition hint_count (f : curve) : Z :=
  match f with Wang _ => 1 | Cpw _ _ => 3 | Hazard _ _ | DualPower _ _ | Corners _ | Jump _ => 0 end.
(** A number of a point: short enough for the powers of its curve. *)
Definition long_number (f : curve) (what : string) (q : rat) : list phrase :=
  let n := bits_of_rat q in
  or_else (complain (most_point_bits <? n * exponent f) (fun _ =>
      [Say what; Say " has "; Figure n; Say " bits, too many for powers of "; Figure (exponent f)]))
    (complain (match f with Wang _ => most_hint_bits <? n | _ => false end) (fun _ =>
      [Say what; Say " has more than "; Figure most_hint_bits; Say " bits"])).
Definition far_hint (f : curve) (q : rat) : list phrase :=
  complain (match f with Wang _ => larger_than largest_hint q | _ => false end) (fun _ =>
    [Say "a hint larger than "; Figure largest_hint]).
