(** * Certificates as they are written: the parts of a file, their words, and what they say

    A file lists what belongs to states in an order of its own, and says how often a thing follows itself.  The types
    here keep that; [items_of_file] are the words of a file, docs/proof_format.md as a function, and [model_of],
    [certificate_of] are what it gives to the checker. *)

Require Import ZArith List String.
From VerifiedRisk Require Import Rows Tree Program Check CurveCheck Verdict Text.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.
Open Scope list_scope.

(** ** The parts of a file *)

Definition listing (X : Type) := list (positive * X).

Record written_model := WrittenModel {
  file_discount : rat;
  file_reward_den : Z;
  state_count : Z;
  file_initial_den : Z;
  file_initial : listing Z;
  blocks : list (Z * listing (list action))  (* so many steps that are alike, and their states *)
}.

Inductive question :=
| Plain (o : objective)
| Mixed (parts : list (rat * mixed_part)) (room : option rat) (marks : list rat) (curve_parts : list bounds).

Inductive written_lower :=
| WrittenMarkov (scale : Z) (choices : list (listing Z))
| WrittenBudget (scale : Z) (g : grid) (start : Z) (choices : list (listing (list (Z * Z))))
| WrittenCells (scale : Z) (c : cells) (start : Z) (choices : list (listing (list (Z * Z))))
| WrittenLines (scale : Z) (c : cells) (start : Z) (runs : list (Z * Z)) (choices : list (listing (list (Z * Z))))
| WrittenLaw (scale mix_den : Z) (machines : list (Z * (Z * list (memory_rule * listing memory_row)))).

Inductive written_cover :=
| WrittenDual (runs : list (Z * Z))
| WrittenCut (coordinate : Z) (level : rat) (below above : written_cover)
| WrittenPassed (own_scale coordinate : Z) (level : rat) (more : written_cover)
| WrittenContract (own_scale : Z) (runs : list (Z * Z)) (more : written_cover).

Inductive written_upper :=
| WrittenMean (scale : Z)
| WrittenBudgets (scale : Z) (g : grid)
| WrittenAllCells (scale : Z) (c : cells)
| WrittenThreshold (scale : Z) (g : grid) (start : Z)
| WrittenCover (scale : Z) (g : grid) (start : Z) (boxes : written_cover)
| WrittenCellCover (scale : Z) (c : cells) (start : Z) (boxes : written_cover)
| WrittenReturns (scale : Z) (returns : list Z) (boxes : written_cover)
| WrittenContraction (scale : Z) (g : grid) (start : Z) (boxes : written_cover).

Record file := File {
  format : Z;
  asked : question;
  claimed : claim;
  described : written_model;
  lower_part : written_lower;
  upper_part : written_upper
}.

(** ** What it gives to the checker *)

Definition tree_of {X} (l : listing X) : tree X := fold_left (fun t sx => set (fst sx) (snd sx) t) l Leaf.
Fixpoint mapped_before {X Y} (f : X -> Y) (l : list X) (found : list Y) : list Y :=
  match l with [] => rev' found | x :: l' => mapped_before f l' (f x :: found) end.
Definition mapped {X Y} (f : X -> Y) (l : list X) : list Y := mapped_before f l [].
Definition repeated {X} (n : Z) (x : X) (l : list X) : list X := Z.iter n (cons x) l.
(** Every x so often as is said before it; without recursion, because lists are long. *)
Definition expanded {X Y} (f : X -> Y) (l : list (Z * X)) : list Y :=
  fold_left (fun later nx => repeated (fst nx) (f (snd nx)) later) (rev' l) [].

Definition model_of (w : written_model) : model :=
  Model (file_discount w) (file_reward_den w) (file_initial_den w) (file_initial w) (expanded tree_of (blocks w)).

Definition machine_of (m : Z * list (memory_rule * listing memory_row)) : machine :=
  Machine (fst m) (mapped fst (snd m)) (mapped (fun x => tree_of (snd x)) (snd m)).
Definition lower_of (p : written_lower) : lower_proof :=
  match p with
  | WrittenMarkov V choices => ByMarkov V (mapped tree_of choices)
  | WrittenBudget V g start choices => ByBudget V g start (mapped tree_of choices)
  | WrittenCells V c start choices => ByCells V c start (mapped tree_of choices)
  | WrittenLines V c start runs choices => ByLines V c start (expanded (fun c => c) runs) (mapped tree_of choices)
  | WrittenLaw V mix_den machines => ByLaw V mix_den (mapped (fun wm => (fst wm, machine_of (snd wm))) machines)
  end.

Fixpoint cover_of (boxes : written_cover) : cover :=
  match boxes with
  | WrittenDual runs => Dual (expanded (fun c => c) runs)
  | WrittenCut k p below above => Cut k p (cover_of below) (cover_of above)
  | WrittenPassed own_scale k p more => Passed own_scale k p (cover_of more)
  | WrittenContract own_scale runs more => Contract own_scale (expanded (fun c => c) runs) (cover_of more)
  end.
Definition upper_of (p : written_upper) : upper_proof :=
  match p with
  | WrittenMean V => ByMean V
  | WrittenBudgets V g => ByBudgets V g
  | WrittenAllCells V c => ByAllCells V c
  | WrittenThreshold V g start => ByThreshold V g start
  | WrittenCover V g start boxes => ByCover V g start (cover_of boxes)
  | WrittenCellCover V c start boxes => ByCellCover V c start (cover_of boxes)
  | WrittenReturns V returns boxes => ByReturns V returns (cover_of boxes)
  | WrittenContraction V g start boxes => ByContraction V g start (cover_of boxes)
  end.
Definition certificate_of (f : file) : certificate := Certificate (lower_of (lower_part f)) (upper_of (upper_part f)).

(** ** Its words *)

Definition item_of_state (s : positive) : item := Int (Zpos s - 1).
Definition item_of_length {X} (l : list X) : item := Int (Z.of_nat (List.length l)).
Definition pair (x : Z * Z) : list item := [Int (fst x); Int (snd x)].
Definition items_of_list {X} (f : X -> list item) (l : list X) : list item := item_of_length l :: flat_map f l.
Definition by_state {X} (f : X -> list item) (sx : positive * X) : list item := item_of_state (fst sx) :: f (snd sx).

Definition items_of_outcome (o : outcome) : list item := [Int (weight o); Int (gain o); item_of_state (next o)].
Definition items_of_action (a : action) : list item := Int (total a) :: items_of_list items_of_outcome (outcomes a).
Definition items_of_block (b : Z * listing (list action)) : list item :=
  Name "steps" :: Int (fst b) :: Name "states" :: items_of_list (by_state (items_of_list items_of_action)) (snd b).
Definition items_of_model (w : written_model) : list item :=
  Name "discount" :: Ratio (file_discount w) :: Name "reward_denominator" :: Int (file_reward_den w) ::
  Name "state_count" :: Int (state_count w) :: Name "horizon" :: Int (zsum fst (blocks w)) ::
  Name "initial" :: Int (file_initial_den w) :: items_of_list (by_state (fun n => [Int n])) (file_initial w) ++
  flat_map items_of_block (blocks w).

Definition items_of_corners : list (rat * rat) -> list item := items_of_list (fun xg => [Ratio (fst xg);
  Ratio (snd xg)]).
Definition items_of_part (p : mixed_part) : list item :=
  match p with
  | UpperQuantile level => [Name "upper"; Ratio level]
  | Whole (Hazard p q) => [Name "hazard"; Ratio (Rat p q)]
  | Whole (DualPower p q) => [Name "dual"; Ratio (Rat p q)]
  | Whole (Wang shift) => [Name "wang"; Ratio shift]
  | Whole (Cpw p q) => [Name "cpw"; Ratio (Rat p q)]
  | Whole (Corners corners) => Name "polygon" :: items_of_corners corners
  | Whole (Jump level) => [Name "jump"; Ratio level]
  end.
Definition items_of_question (q : question) : list item :=
  match q with
  | Plain (Tail w alpha) => [Name "tail"; Ratio w; Ratio alpha]
  | Plain (Quantile alpha is_upper) => [Name "quantile"; Ratio alpha; Name (if is_upper then "upper" else "lower")]
  | Plain (Polygon corners) => Name "polygon" :: items_of_corners corners
  | Mixed parts _ _ _ =>
      Name "mixture" :: items_of_list (fun wp => Name "weight" :: Ratio (fst wp) :: items_of_part (snd wp)) parts
  end.

Definition items_of_point (c : point) : list item := Ratio (place c) :: Ratio (height c) :: map Ratio (hints c).
Definition items_of_cell (c : cell) : list item := [Ratio (fst c); Ratio (fst (snd c)); Ratio (snd (snd c))].
Definition items_of_turn (f : curve) (k : turn) : list item :=
  match f with
  | Cpw _ _ =>
      Name "falling" :: items_of_list items_of_cell (falling k) ++
      Name "rising" :: Ratio (rising_from k) :: Ratio (rising_low k) :: items_of_list items_of_cell (rising k)
  | _ => []
  end.
Definition items_of_support (s : support) : list item :=
  match s with
  | Level c => Name "level" :: items_of_point c
  | Chord a b => Name "chord" :: items_of_point a ++ items_of_point b
  | Line a b => Name "line" :: items_of_point a ++ items_of_point b
  | Linear => [Name "linear"]
  end.
Definition items_of_bounds (f : curve) (b : bounds) : list item :=
  Name "curve" :: items_of_turn f (bend b) ++
  Name "line" :: flat_map (fun ys => Ratio (fst ys) :: items_of_support (snd ys)) (pieces b) ++
  Name "stairs" :: items_of_list items_of_point (stairs b).
Fixpoint items_of_all_bounds (o : mixture) (l : list bounds) : list item :=
  match o, l with
  | (_, f) :: o', b :: l' => items_of_bounds f b ++ items_of_all_bounds o' l'
  | _, _ => []
  end.
Definition has_upper (parts : list (rat * mixed_part)) : bool :=
  existsb (fun wp => match snd wp with UpperQuantile _ => true | Whole _ => false end) parts.
(** The mixture that the bounds are of. *)
Definition bounded_mixture (parts : list (rat * mixed_part)) (room : option rat) : mixture :=
  raised (match room with Some e => e | None => of_Z 0 end) parts.
Definition items_of_curves (q : question) : list item :=
  match q with
  | Plain _ => []
  | Mixed parts room marks l =>
      match room with Some e => [Name "room"; Ratio e] | None => [] end ++
      Name "places" :: items_of_list (fun x => [Ratio x]) marks ++ items_of_all_bounds (bounded_mixture parts room) l
  end.

Definition items_of_grid (g : grid) : list item :=
  Name "unit" :: Ratio (unit_size g) :: Name "stretch" :: Int (stretch g) :: Name "shrink" :: Int (shrink g) ::
  Name "windows" :: flat_map pair (windows g).
Definition items_of_cells (c : cells) : list item :=
  Name "unit" :: Ratio (cell_unit c) :: Name "base" :: Int (base c) :: Name "halvings" :: map Int (halvings c) ++
  Name "windows" :: flat_map pair (cell_windows c).
Definition items_of_choices {X} (f : X -> list item) (l : listing X) : list item :=
  Name "choices" :: items_of_list (by_state f) l.
Definition items_of_rule (r : memory_rule) : list item :=
  Name "rule" :: Int (factor r) :: Int (coin_den r) ::
  items_of_list (fun m => [Int (fst m); Int (fst (snd m)); Int (snd (snd m))]) (moves r).
Definition items_of_row (r : memory_row) : list item := Int (first r) :: Int (before r)
  :: items_of_list pair (row_runs r).
Definition items_of_machine (m : Z * (Z * list (memory_rule * listing memory_row))) : list item :=
  Name "machine" :: Int (fst m) :: Int (fst (snd m)) ::
  flat_map (fun x => items_of_rule (fst x) ++ items_of_choices items_of_row (snd x)) (snd (snd m)).
Definition items_of_lower (p : written_lower) : list item :=
  Name "lower" ::
  match p with
  | WrittenMarkov V choices => Name "markov" :: Int V :: flat_map (items_of_choices (fun i => [Int i])) choices
  | WrittenBudget V g start choices =>
      Name "budget" :: Int V :: items_of_grid g ++
      Name "start" :: Int start :: flat_map (items_of_choices (items_of_list pair)) choices
  | WrittenCells V c start choices =>
      Name "cells" :: Int V :: items_of_cells c ++
      Name "start" :: Int start :: flat_map (items_of_choices (items_of_list pair)) choices
  | WrittenLines V c start runs choices =>
      Name "lines" :: Int V :: items_of_cells c ++
      Name "start" :: Int start :: Name "multipliers" :: flat_map pair runs ++
      Name "policy" :: flat_map (items_of_choices (items_of_list pair)) choices
  | WrittenLaw V mix_den machines => Name "law" :: Int V :: Int mix_den :: items_of_list items_of_machine machines
  end.

Fixpoint items_of_cover (boxes : written_cover) : list item :=
  match boxes with
  | WrittenDual runs => Name "dual" :: flat_map pair runs
  | WrittenCut k p below above => Name "cut" :: Int k :: Ratio p :: items_of_cover below ++ items_of_cover above
  | WrittenPassed own_scale k p more => Name "passed" :: Int own_scale :: Int k :: Ratio p :: items_of_cover more
  | WrittenContract own_scale runs more => Name "contract" :: Int own_scale :: flat_map pair runs ++ items_of_cover more
  end.
Definition items_of_upper (p : written_upper) : list item :=
  Name "upper" ::
  match p with
  | WrittenMean V => [Name "mean"; Int V]
  | WrittenBudgets V g => Name "budgets" :: Int V :: items_of_grid g
  | WrittenAllCells V c => Name "cells" :: Int V :: items_of_cells c
  | WrittenThreshold V g start => Name "threshold" :: Int V :: items_of_grid g ++ [Name "start"; Int start]
  | WrittenCover V g start boxes =>
      Name "cover" :: Int V :: items_of_grid g ++ Name "start" :: Int start :: items_of_cover boxes
  | WrittenCellCover V c start boxes =>
      Name "cell_cover" :: Int V :: items_of_cells c ++ Name "start" :: Int start :: items_of_cover boxes
  | WrittenReturns V returns boxes =>
      Name "return_cover" :: Int V :: items_of_list (fun z => [Int z]) returns ++ items_of_cover boxes
  | WrittenContraction V g start boxes =>
      Name "contraction" :: Int V :: items_of_grid g ++ Name "start" :: Int start :: items_of_cover boxes
  end.

Definition items_of_file (f : file) : list item :=
  Name "verified-risk-proof" :: Int (format f) :: Name "objective" :: items_of_question (asked f) ++
  Name "claim" :: Ratio (lower (claimed f)) :: Ratio (upper (claimed f)) :: items_of_model (described f) ++
  items_of_curves (asked f) ++ items_of_lower (lower_part f) ++ items_of_upper (upper_part f) ++ [Name "end"].
