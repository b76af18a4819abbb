(** * The reader of certificates: docs/proof_format.md, part by part, and that each part is read as it is written

    What the certificate asks of the machine is tested as soon as it is known ([Allowed.v]). *)

Require Import ZArith List Bool Lia String.
From VerifiedRisk Require Import Rows Tree Program Check CurveCheck Text Written Reading Allowed.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.
Open Scope list_scope.

Notation "'let*' x := r 'in' k" := (and_then r (fun x => k)) (at level 200, x name, r at level 100, k at level 200).
Notation "r ;; k" := (and_then r (fun _ => k)) (at level 100, right associativity).

(** The latest format that is read. *)
Definition latest_format : Z := 4.

Section File.
  Variable t : text.
  Variable allowed : limits.

  Local Notation integer := (integer t).
  Local Notation rational := (rational t).
  Local Notation natural := (natural t).
  Local Notation positive_number := (positive_number t).
  Local Notation between := (between t).
  Local Notation keyword := (keyword t).
  Local Notation state_named := (state_named t).
  Local Notation several := (several t).

  (** ** Objective and claim *)

  Definition read_corners : reader (list (rat * rat)) :=
    several "the number of corners" 1
      (let* x := rational "a corner" in let* g := rational "a corner's value" in answered (x, g)).
  Definition read_exponent (make : Z -> Z -> curve) : reader mixed_part :=
    let* q := rational "an exponent" in unless (odd_exponent q) ;; answered (Whole (make (num q) (den q))).
  Definition read_part : reader mixed_part :=
    select t "a curve" (not_covered_word "the curve")
      [ ("upper", let* level := rational "the level" in answered (UpperQuantile level));
        ("hazard", read_exponent Hazard);
        ("dual", read_exponent DualPower);
        ("cpw", read_exponent Cpw);
        ("wang", let* shift := rational "the shift" in unless (odd_shift shift) ;; answered (Whole (Wang shift)));
        ("polygon", let* corners := read_corners in answered (Whole (Corners corners)));
        ("jump", let* level := rational "the level" in answered (Whole (Jump level))) ].
  Definition read_objective : reader question :=
    select t "an objective" (not_covered_word "the objective")
      [ ("tail", let* w := rational "the weight of the mean" in let* alpha := rational "the level" in
        answered (Plain (Tail w alpha)));
        ("quantile",
           let* alpha := rational "the level" in
           select t "'lower' or 'upper'" (other_word "'lower' or 'upper'")
             [ ("lower", answered (Plain (Quantile alpha false))); ("upper", answered (Plain (Quantile alpha true))) ]);
        ("polygon", let* corners := read_corners in answered (Plain (Polygon corners)));
        ("mixture",
           let* parts := several_to t most_curves "the number of curves" 1
             (keyword "weight" ;; let* w := rational "the weight of a curve" in let* p := read_part in answered (w, p))
               in
           answered (Mixed parts None [] [])) ].

  (** ** Model *)

  Definition read_outcome (states : Z) : reader outcome :=
    let* w := natural "a weight" in
    let* g := integer "a reward" in
    let* s := state_named "the next state" states in
    answered (Outcome w g s).
  Definition read_action (states : Z) : reader action :=
    let* n := positive_number "the sum of the weights" in
    let* l := several "the number of outcomes" 1 (read_outcome states) in
    answered (Action n l).
  Definition read_block (states left : Z) : reader (Z * listing (list action)) :=
    keyword "steps" ;;
    let* n := between "the number of steps alike" 1 left in
    keyword "states" ;;
    let* l := states_to t "the number of states of the step" 0 "the state" states (several "the number of actions" 1
      (read_action states)) in
    answered (n, l).
  Definition read_model : reader (written_model * Z) :=
    keyword "discount" ;;
    let* rate := rational "the discount" in
    keyword "reward_denominator" ;;
    let* reward_den := positive_number "the denominator of rewards" in
    keyword "state_count" ;;
    let* states := between "the number of states" 1 most_items in
    keyword "horizon" ;;
    let* horizon := between "the horizon" 1 longest_horizon in
    keyword "initial" ;;
    let* initial_den := positive_number "the sum of the initial weights" in
    let* initial := states_to t "the number of initial states" 1 "an initial state" states (natural
      "an initial weight") in
    let* l := fill horizon (read_block states) in
    answered (WrittenModel rate reward_den states initial_den initial l, horizon).

  (** ** Curves *)

  Definition point_number (f : curve) (what : string) : reader rat :=
    let* q := rational what in unless (long_number f what q) ;; answered q.
  Definition hint (f : curve) : reader rat :=
    let* q := point_number f "a hint" in unless (far_hint f q) ;; answered q.
  Definition read_point (f : curve) : reader point :=
    let* x := point_number f "a point" in
    let* y := point_number f "the height of a point" in
    let* l := exactly (hint_count f) (hint f) in
    answered (Point x y l).
  Definition read_bends (f : curve) : reader (list cell) :=
    several "the number of cells" 0
      (let* u := point_number f "the end of a cell" in
       let* low := point_number f "a bound of a cell" in
       let* high := point_number f "a bound of a cell" in
       answered (u, (low, high))).
  Definition read_turn (f : curve) : reader turn :=
    match f with
    | Cpw _ _ =>
        keyword "falling" ;;
        let* down := read_bends f in
        keyword "rising" ;;
        let* from := point_number f "the begin of the cells" in
        let* low := point_number f "a bound of a cell" in
        let* up := read_bends f in
        answered (Turn down from low up)
    | _ => answered (Turn [] (of_Z 0) (of_Z 0) [])
    end.
  Definition read_support (f : curve) : reader support :=
    select t "why a piece is below the curve" (other_word "'level', 'chord', 'line' or 'linear'")
      [ ("level", let* c := read_point f in answered (Level c));
        ("chord", let* a := read_point f in let* b := read_point f in answered (Chord a b));
        ("line", let* a := read_point f in let* b := read_point f in answered (Line a b));
        ("linear", answered Linear) ].
  Definition read_bounds (n : Z) (f : curve) : reader bounds :=
    keyword "curve" ;;
    let* k := read_turn f in
    keyword "line" ;;
    let* line := exactly n (let* y := point_number f "a height" in let* s := read_support f in answered (y, s)) in
    keyword "stairs" ;;
    let* l := several "the number of stairs" 0 (read_point f) in
    answered (Bounds k line l).
  Fixpoint read_all_bounds (n : Z) (o : mixture) : reader (list bounds) :=
    match o with
    | [] => answered []
    | (_, f) :: o' => let* b := read_bounds n f in let* l := read_all_bounds n o' in answered (b :: l)
    end.
  (** How far above their levels upper quantiles are taken for lower ones; nothing if there are none. *)
  Definition read_room (parts : list (rat * mixed_part)) : reader (option rat) :=
    if has_upper parts then
      keyword "room" ;;
      let* e := rational "the room above a level" in
      unless (complain (num e <=? 0) (fun _ => [Say "the room above a level is not positive"])) ;;
      answered (Some e)
    else answered None.
  Definition read_curves (q : question) : reader question :=
    match q with
    | Plain o => answered (Plain o)
    | Mixed parts _ _ _ =>
        let* e := read_room parts in
        keyword "places" ;;
        let* marks := several "the number of places" 1 (rational "a place") in
        let* l := read_all_bounds (fold_left (fun n _ => n + 1) marks 0) (bounded_mixture parts e) in
        answered (Mixed parts e marks l)
    end.

  (** ** Proofs of the two bounds *)

  Definition read_scale : reader Z := positive_number "the scale".
  Definition read_unit : reader rat :=
    keyword "unit" ;;
    fun i => match rational "the unit" i with
             | Got u j => if 0 <? num u then Got u j else wrong t "the unit" i [Say "more than 0"]
             | stop => stop
             end.
  Definition read_windows (horizon : Z) (first_end last_end : string) : reader (list (Z * Z)) :=
    keyword "windows" ;;
    exactly (horizon + 1) (let* lo := integer first_end in let* hi := integer last_end in answered (lo, hi)).
  Definition read_grid (horizon : Z) : reader grid :=
    let* u := read_unit in
    keyword "stretch" ;;
    let* a := positive_number "stretch" in
    keyword "shrink" ;;
    let* b := positive_number "shrink" in
    let* ws := read_windows horizon "the first index of a window" "the last index of a window" in
    answered (Grid u a b ws).
  Definition read_cells (horizon : Z) : reader cells :=
    let* u := read_unit in
    keyword "base" ;;
    let* z := integer "the base of rewards" in
    keyword "halvings" ;;
    let* hs := exactly horizon (between "the number of halvings" 0 most_halvings) in
    let* ws := read_windows horizon "the first node of a window" "the last node of a window" in
    answered (Cells u z hs ws).
  Definition read_start (what : string) : reader Z := keyword "start" ;; integer what.

  Definition read_played : reader Z := between "an action" 0 most_items.
  Definition read_run : reader (Z * Z) :=
    let* n := positive_number "the length of a run" in let* i := read_played in answered (n, i).
  Definition read_choices {X} (states : Z) (r : reader X) : reader (listing X) :=
    keyword "choices" ;; states_to t "the number of states of the step" 0 "the state" states r.
  Definition read_all_choices {X} (states horizon : Z) (r : reader X) : reader (list (listing X)) :=
    exactly horizon (read_choices states r).

  Definition read_rule : reader memory_rule :=
    keyword "rule" ;;
    let* f := integer "the factor of a rule" in
    let* d := positive_number "the denominator of a rule's coins" in
    let* l := several "the number of moves" 0
      (let* z := integer "a reward" in
       let* s := integer "the shift of a move" in
       let* c := natural "the coin of a move" in
       answered (z, (s, c))) in
    answered (MemoryRule f d l).
  Definition read_row : reader memory_row :=
    let* z := integer "the first memory of a row" in
    let* i := read_played in
    let* l := several "the number of runs" 0 read_run in
    answered (MemoryRow z i l).
  Definition read_machine (states horizon : Z) : reader (Z * (Z * list (memory_rule * listing memory_row))) :=
    keyword "machine" ;;
    let* w := natural "the weight of a machine" in
    let* z := integer "the first memory" in
    let* l := exactly horizon (let* r := read_rule in let* rows := read_choices states read_row in answered (r, rows))
      in
    answered (w, (z, l)).

  Definition read_costs (left : Z) : reader (Z * Z) :=
    let* n := between "the length of a run of multipliers" 1 left in let* c := integer "a multiplier" in
      answered (n, c).

  Definition read_lower (k : needs) (o : objective) : reader written_lower :=
    let states := state_number k in
    let horizon := step_number k in
    keyword "lower" ;;
    select t "a kind of proof" (not_covered_word "a lower bound by")
      [ ("markov",
           let* V := read_scale in
           unless (large_number k V) ;;
           let* l := read_all_choices states horizon read_played in
           answered (WrittenMarkov V l));
        ("budget",
           let* V := read_scale in
           let* g := read_grid horizon in
           unless (large_grid k V o g) ;;
           let* b := read_start "the index at the start" in
           let* l := read_all_choices states horizon (several "the number of runs" 1 read_run) in
           answered (WrittenBudget V g b l));
        ("cells",
           let* V := read_scale in
           let* c := read_cells horizon in
           unless (large_cells k V o c) ;;
           let* b := read_start "the node at the start" in
           let* l := read_all_choices states horizon (several "the number of runs" 1 read_run) in
           answered (WrittenCells V c b l));
        ("lines",
           let* V := read_scale in
           let* c := read_cells horizon in
           unless (large_cells k V o c) ;;
           let* b := read_start "the node at the start" in
           keyword "multipliers" ;;
           let* runs := fill (multipliers (cell_windows c)) read_costs in
           keyword "policy" ;;
           let* l := read_all_choices states horizon (several "the number of runs" 1 read_run) in
           answered (WrittenLines V c b runs l));
        ("law",
           let* V := read_scale in
           unless (large_number k V) ;;
           let* n := positive_number "the sum of the machines' weights" in
           let* l := several "the number of machines" 1 (read_machine states horizon) in
           answered (WrittenLaw V n l)) ].

  (** [n] multipliers at every leaf and contraction.  Levels that every policy passes are anywhere, or, where there are
      contractions, before all else.  What scales of their own may not ask for: [large] for levels, [wide] for
      contractions. *)
  Definition node_words (contracting levels : bool) : string :=
    match contracting, levels with
    | false, _ => "'cut', 'passed' or 'dual'"
    | true, true => "'passed', 'cut', 'contract' or 'dual'"
    | true, false => "'cut', 'contract' or 'dual'"
    end.
  Fixpoint read_cover (n : Z) (large wide : Z -> list phrase) (contracting levels : bool) (depth : nat) :
    reader written_cover :=
    match depth with
    | O => fun i => Stopped i [Say "cuts more than "; Figure deepest_cover; Say " deep"]
    | S depth' =>
        select t (node_words contracting levels) (other_word (node_words contracting levels))
          (("cut",
              let* c := integer "the coordinate of a cut" in
              let* p := rational "the level of a cut" in
              let* below := read_cover n large wide contracting (levels && negb contracting) depth' in
              let* above := read_cover n large wide contracting (levels && negb contracting) depth' in
              answered (WrittenCut c p below above)) ::
           (if levels then
              [ ("passed",
                   let* V := read_scale in
                   unless (large V) ;;
                   let* c := integer "the coordinate of a level that is passed" in
                   let* p := rational "a level that is passed" in
                   let* more := read_cover n large wide contracting levels depth' in
                   answered (WrittenPassed V c p more)) ]
            else []) ++
           (if contracting then
              [ ("contract",
                   let* V := read_scale in
                   unless (wide V) ;;
                   let* l := fill n read_costs in
                   let* more := read_cover n large wide contracting false depth' in
                   answered (WrittenContract V l more)) ]
            else []) ++
           [ ("dual", let* l := fill n read_costs in answered (WrittenDual l)) ])
    end.
  Definition not_wide (_ : Z) : list phrase := [].
  Definition enough_depth : nat := Z.to_nat (deepest_cover + 1).

  Definition read_upper (k : needs) (o : objective) : reader written_upper :=
    let horizon := step_number k in
    keyword "upper" ;;
    select t "a kind of proof" (not_covered_word "an upper bound by")
      [ ("mean", let* V := read_scale in unless (large_number k V) ;; answered (WrittenMean V));
        ("budgets",
           let* V := read_scale in
           let* g := read_grid horizon in
           unless (large_grid k V o g) ;;
           answered (WrittenBudgets V g));
        ("cells",
           let* V := read_scale in
           let* c := read_cells horizon in
           unless (large_cells k V o c) ;;
           answered (WrittenAllCells V c));
        ("threshold",
           let* V := read_scale in
           let* g := read_grid horizon in
           unless (large_grid k V o g) ;;
           let* b := read_start "the index at the start" in
           answered (WrittenThreshold V g b));
        ("cover",
           let* V := read_scale in
           let* g := read_grid horizon in
           unless (large_grid k V o g) ;;
           let* b := read_start "the index at the start" in
           let n := multipliers (windows g) in
           let* boxes := read_cover n (fun own => large_grid k own o g) not_wide false true enough_depth in
           unless (large_cover k V n boxes) ;;
           answered (WrittenCover V g b boxes));
        ("cell_cover",
           let* V := read_scale in
           let* c := read_cells horizon in
           unless (large_cells k V o c) ;;
           let* b := read_start "the node at the start" in
           let n := multipliers (cell_windows c) in
           let* boxes := read_cover n (fun own => large_cells k own o c) not_wide false true enough_depth in
           unless (large_cover k V n boxes) ;;
           answered (WrittenCellCover V c b boxes));
        ("return_cover",
           let* V := read_scale in
           let* returns := several "the number of returns" 1 (integer "a return") in
           let n := Z.max 0 (zlen returns - 1) in
           unless (large_sums k V (n + 1)) ;;
           let* boxes := read_cover n (fun own => large_sums k own (n + 1)) not_wide false true enough_depth in
           unless (large_cover k V n boxes) ;;
           answered (WrittenReturns V returns boxes));
        ("contraction",
           let* V := read_scale in
           let* g := read_grid horizon in
           unless (large_grid k V o g) ;;
           let* b := read_start "the index at the start" in
           let n := multipliers (windows g) in
           let wide := fun own => large_contraction k own n (windows g) in
           let* boxes := read_cover n (fun own => large_grid k own o g) wide true true enough_depth in
           unless (large_cover k V n boxes) ;;
           unless (large_kept k boxes (windows g)) ;;
           answered (WrittenContraction V g b boxes)) ].

  (** ** The whole *)

  (** A file and where its parts begin: objective, claim, model, curves, lower and upper proof. *)
  Record found := Found { read : file; objective_at : Z; claim_at : Z; model_at : Z; curves_at : Z; lower_at : Z;
    upper_at : Z }.
  Definition read_file : reader found :=
    keyword "verified-risk-proof" ;;
    let* version := between "the version of the format" 1 latest_format in
    keyword "objective" ;;
    let* at_objective := here in
    let* objective := read_objective in
    keyword "claim" ;;
    let* at_claim := here in
    let* l := rational "the lower bound" in
    let* u := rational "the upper bound" in
    let* at_model := here in
    let* model := read_model in
    let k := needs_of allowed (fst model) (snd model) in
    unless (long_rates k) ;;
    let* at_curves := here in
    let* q := read_curves objective in
    let o := objective_of q in
    let* at_lower := here in
    let* low := read_lower k o in
    let* at_upper := here in
    let* up := read_upper k o in
    keyword "end" ;;
    answered (Found (File version q (Claim l u) (fst model) low up) at_objective at_claim at_model at_curves at_lower
      at_upper).
End File.
