(** * [check_text]: is the claim of these bytes proved?

    The whole program: the text is read ([ReadFile.v]) and its claim tested ([Verdict.v]).  The rest puts the answer in
    words; no claim rests on it.  [TextStatement.v] has the theorem. *)

Require Import ZArith List Bool String.
From VerifiedRisk Require Import Rows Tree Program Check CellsCheck PolygonCheck LawCheck CurveCheck Verdict Text
  Written
  Reading Allowed ReadFile.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.
Open Scope list_scope.

(** ** Hints for whoever wrote a certificate that is refused *)

(** What its policy does prove, for a claim that asks for more: the number that the test compares with the claim,
  rounded
    down to a short one. *)
Definition short_den : Z := 2 ^ 64.
Definition short (bound : rat) : list phrase :=
  [Say ": it proves only "; Figure (num bound * short_den / den bound); Say "/"; Figure short_den].
Definition provable (m : model) (o : objective) (p : lower_proof) : list phrase :=
  match o, p with
  | Tail w alpha, ByBudget V g start choices =>
      match policy_cost m g start choices (cost_above V w alpha) (of_Z 0) with
      | Some cost => short (rminus (rmult (unit_size g) (of_Z start)) (Rat cost (V * initial_den m)))
      | None => []
      end
  | Tail w alpha, ByCells V c start choices =>
      match cell_windows c, window_after (cell_windows c) (steps m) with
      | (lo, _) :: _, Some (lo', hi') =>
          let u := cell_unit c in
          let sum := discount_weights m (steps m) in
          let budget := rmult u (of_Z start) in
          let cost := fun x => - cost_above V w alpha x in
          let bottom := cost (rplus budget (rmult sum (Rat (most_below m (base c)) (reward_den m)))) in
          let terminal := terminal_row cost (last_cell_unit u (halvings c) (steps m)) (of_Z 0) lo' hi' in
          let v := cells_table m false (base c) bottom terminal (cell_rate_0 m c) (cell_windows c) (halvings c)
            (steps m)
            choices in
          short (rplus (rplus budget (rmult sum (Rat (base c) (reward_den m))))
            (Rat (start_look m bottom lo v start) (V * initial_den m)))
      | _, _ => []
      end
  | Polygon corners, ByBudget V g start choices =>
      match windows g, window_after (windows g) (steps m) with
      | (lo, _) :: _, Some (lo', hi') =>
          let u := unit_after g (unit_size g) (steps m) in
          let loss := loss_after m g (rate_0 m g) (unit_size g) (steps m) in
          let top := rminus (rminus (rmult (unit_size g) (of_Z start)) loss) (rmult u (of_Z (lo' - 1))) in
          match level_sum (level_cost m V g start choices lo lo' hi') V (initial_den m) corners
            (along (fun j => j) lo' (counter lo' hi')) with
          | Some sum => short (rminus top (rmult u (Rat sum V)))
          | None => []
          end
      | _, _ => []
      end
  | _, _ => []
  end.

(** The first piece or stair that is not proved. *)
Fixpoint faulty_piece (f : curve) (fall_end : rat) (rise : rat * rat) (i : Z) (x y : rat) (marks : list rat)
  (l : list (rat * support)) : list phrase :=
  match marks, l with
  | [], [] => complain (negb (rat_le one x)) (fun _ => [Say "the line does not reach 1"])
  | x' :: marks', (y', s) :: l' =>
      if positive_den x' && positive_den y' && rat_lt x x' && rat_le x' one && supported f fall_end rise x y x' y' s
      then faulty_piece f fall_end rise (i + 1) x' y' marks' l'
      else [Say "piece "; Figure i; Say " of its line is not proved to be below it"]
  | _, _ => [Say "its line has another length than the places"]
  end.
Fixpoint faulty_stair (f : curve) (i : Z) (l : list point) : list phrase :=
  match l with
  | [] => []
  | c :: l' => if point_above f c then faulty_stair f (i + 1) l'
               else [Say "stair "; Figure i; Say " is not proved to be above it"]
  end.
Fixpoint faulty_curve (i : Z) (marks : list rat) (o : mixture) (l : list bounds) : list phrase :=
  match o, l with
  | (_, f) :: o', b :: l' =>
      match or_else
        (faulty_piece f (falls_to f (bend b)) (rises_between f (bend b)) 0 (of_Z 0) (of_Z 0) marks (pieces b))
        (faulty_stair f 0 (stairs b)) with
      | [] => faulty_curve (i + 1) marks o' l'
      | why => Say ": curve " :: Figure i :: Say ": " :: why
      end
  | _, _ => []
  end.

(** ** The answer *)

Definition words_of (why : reason) : string :=
  match why with
  | model_is_wrong => "refused: the model is not one: a row does not sum to its total, or a number has the wrong sign"
  | objective_is_wrong => "refused: the objective is not one: its numbers are out of range"
  | claim_is_wrong => "refused: the claim has a denominator that is not positive"
  | lower_not_proved => "refused: the policy of the certificate does not prove the lower bound"
  | upper_not_proved => "refused: the tables of the certificate do not prove the upper bound"
  | not_covered => "not covered: this objective with this kind of proof"
  | curve_not_bounded => "refused: a point of a curve is not proved"
  end.

(** The first test that fails, and the theorem that speaks where none does. *)
Definition judge (f : file) : option reason * string :=
  let m := model_of (described f) in
  let k := certificate_of f in
  match asked f with
  | Plain o => (verdict m o (claimed f) k, "check_sound")
  | Mixed parts None marks l =>
      (if has_upper parts then Some objective_is_wrong
       else verdict_curved m (bounded_mixture parts None) (claimed f) (Curved marks l k), "check_curved_sound")
  | Mixed parts (Some e) marks l => (verdict_upper m parts e (claimed f) (Curved marks l k), "upper_quantiles_sound")
  end.
Definition more_of (f : file) (why : reason) : list phrase :=
  match why, asked f with
  | lower_not_proved, Plain o => provable (model_of (described f)) o (lower_of (lower_part f))
  | curve_not_bounded, Mixed parts room marks l => faulty_curve 0 marks (bounded_mixture parts room) l
  | _, _ => []
  end.

Inductive answer := Proved (how : list phrase) | Refused (why : list phrase).

Definition refused_at (t : text) (i : Z) (why : list phrase) : answer :=
  Refused (Say "refused: line " :: Figure (line_of t i) :: Say ": " :: why).
Definition check_text (allowed : limits) (t : text) : answer :=
  match read_file t allowed 0 with
  | Stopped i why => refused_at t i why
  | Got f j =>
      let a := skip t j in
      if a <? byte_count t then refused_at t a [Quote a; Say " behind the end"]
      else match judge (read f) with
           | (None, theorem) =>
               Proved [Say "proved by "; Say theorem; Say "; objective "; Span (objective_at f) (claim_at f);
                       Say " "; Span (claim_at f) (model_at f); Say "; model "; Fingerprint (model_at f) (curves_at f);
                       Say "; policy "; Fingerprint (lower_at f) (upper_at f)]
           | (Some why, _) => Refused (Say (words_of why) :: more_of (read f) why)
           end
  end.
