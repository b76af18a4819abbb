(** * [check]: does this certificate prove this claim about this model and objective?

    The tests are a list of pairs (what is tested, the test); [check] is their conjunction, and a driver can say which
    of them failed first. *)

Require Import ZArith List Bool.
From VerifiedRisk Require Import Rows Tree Program Check CellsCheck PolygonCheck CellCoverCheck ReturnsCheck
  ContractCheck LawCheck CurveCheck.
Import ListNotations.
Open Scope Z_scope.

Inductive reason := model_is_wrong | objective_is_wrong | claim_is_wrong | lower_not_proved | upper_not_proved |
  not_covered | curve_not_bounded.

Definition lower_test (m : model) (o : objective) (p : lower_proof) (bound : rat) : reason * (unit -> bool) :=
  match o, p with
  | Tail w alpha, ByMarkov V choices =>
      if num w =? den w then (lower_not_proved, fun _ => markov_mean m V choices bound)
      else (not_covered, fun _ => false)
  | Tail w alpha, ByBudget V g start choices =>
    (lower_not_proved, fun _ => tail_by_policy m V g start choices w alpha bound)
  | Tail w alpha, ByCells V c start choices =>
    (lower_not_proved, fun _ => tail_by_cells m V c start choices w alpha bound)
  | Quantile alpha is_upper, ByBudget V g start choices =>
      (lower_not_proved, fun _ => quantile_by_policy m V g start choices alpha is_upper bound)
  | Tail w alpha, ByLaw V mix_den parts => (lower_not_proved,
    fun _ => weighted_by_law m V mix_den parts (tail_weight_at w alpha) bound)
  | Quantile alpha is_upper, ByLaw V mix_den parts =>
      (lower_not_proved, fun _ => quantile_by_law m V mix_den parts alpha is_upper bound)
  | Polygon corners, ByLaw V mix_den parts =>
      (lower_not_proved, fun _ => weighted_by_law m V mix_den parts (polygon_at (of_Z 0) (of_Z 0) corners) bound)
  | Polygon corners, ByLines V c start costs choices =>
    (lower_not_proved, fun _ => polygon_by_lines m V c start costs choices corners bound)
  | Polygon corners, ByBudget V g start choices =>
    (lower_not_proved, fun _ => polygon_by_policy m V g start choices corners bound)
  | _, _ => (not_covered, fun _ => false)
  end.

Definition upper_test (m : model) (o : objective) (p : upper_proof) (bound : rat) : reason * (unit -> bool) :=
  match o, p with
  | Tail w alpha, ByMean V => (upper_not_proved, fun _ => tail_by_mean m V bound)
  | Tail w alpha, ByBudgets V g => (upper_not_proved, fun _ => tail_by_budgets m V g w alpha bound)
  | Tail w alpha, ByAllCells V c => (upper_not_proved, fun _ => tail_by_all_cells m V c w alpha bound)
  | Quantile alpha is_upper, ByThreshold V g start =>
      (upper_not_proved, fun _ => quantile_by_threshold m V g start alpha is_upper bound)
  | Polygon corners, ByCover V g start boxes =>
    (upper_not_proved, fun _ => polygon_by_cover m V g start boxes (fun _ => corners) bound)
  | Polygon corners, ByCellCover V c start boxes =>
    (upper_not_proved, fun _ => polygon_by_cell_cover m V c start boxes (fun _ => corners) bound)
  | Polygon corners, ByReturns V returns boxes =>
    (upper_not_proved, fun _ => polygon_by_returns m V returns boxes (fun _ => corners) bound)
  | Polygon corners, ByContraction V g start boxes =>
    (upper_not_proved, fun _ => polygon_by_contraction m V g start boxes (fun _ => corners) bound)
  | _, _ => (not_covered, fun _ => false)
  end.

Definition good_objective (o : objective) : bool :=
  match o with
  | Tail w alpha => good_tail w alpha
  | Quantile alpha is_upper => good_quantile alpha is_upper
  | Polygon corners => good_corners (of_Z 0) (of_Z 0) corners
  end.

Definition tests (m : model) (o : objective) (c : claim) (k : certificate) : list (reason * (unit -> bool)) :=
  [ (model_is_wrong, fun _ => good_model m);
    (objective_is_wrong, fun _ => good_objective o);
    (claim_is_wrong, fun _ => positive_den (lower c) && positive_den (upper c));
    lower_test m o (low k) (lower c);
    upper_test m o (up k) (upper c) ].

Definition check (m : model) (o : objective) (c : claim) (k : certificate) : bool :=
  forallb (fun test => snd test tt) (tests m o c k).

(** The first test that fails. *)
Fixpoint first_failure (l : list (reason * (unit -> bool))) : option reason :=
  match l with
  | [] => None
  | (why, test) :: l' => if test tt then first_failure l' else Some why
  end.
Definition verdict (m : model) (o : objective) (c : claim) (k : certificate) : option reason :=
  first_failure (tests m o c k).

(** ** Mixtures of curves: the lower bound takes the staircases, the upper bound the broken lines *)

Record curved := Curved { places : list rat; curve_bounds : list bounds; proofs : certificate }.

Definition curved_lower_test (m : model) (o : mixture) (k : curved) (bound : rat) : reason * (unit -> bool) :=
  match low (proofs k) with
  | ByLaw V mix_den parts => (lower_not_proved,
    fun _ => weighted_by_law m V mix_den parts (mixed_stair o (curve_bounds k)) bound)
  | _ => (not_covered, fun _ => false)
  end.
Definition curved_upper_test (m : model) (o : mixture) (k : curved) (bound : rat) : reason * (unit -> bool) :=
  let lines := mixed_lines (places k) o (curve_bounds k) in
  match up (proofs k) with
  | ByCover V g start boxes => (upper_not_proved, fun _ => polygon_by_cover m V g start boxes (line_for lines) bound)
  | ByCellCover V c start boxes =>
      (upper_not_proved, fun _ => polygon_by_cell_cover m V c start boxes (line_for lines) bound)
  | ByReturns V returns boxes =>
      (upper_not_proved, fun _ => polygon_by_returns m V returns boxes (line_for lines) bound)
  | ByContraction V g start boxes =>
      (upper_not_proved, fun _ => polygon_by_contraction m V g start boxes (line_for lines) bound)
  | _ => (not_covered, fun _ => false)
  end.
Definition tests_curved (m : model) (o : mixture) (c : claim) (k : curved) : list (reason * (unit -> bool)) :=
  [ (model_is_wrong, fun _ => good_model m);
    (objective_is_wrong, fun _ => good_mixture o);
    (claim_is_wrong, fun _ => positive_den (lower c) && positive_den (upper c));
    (curve_not_bounded, fun _ =>
       all_good_bounds (places k) o (curve_bounds k) && corners_to_1 (of_Z 0)
         (mixed_line (of_Z 0) (places k) o (curve_bounds k)));
    curved_lower_test m o k (lower c);
    curved_upper_test m o k (upper c) ].
Definition check_curved (m : model) (o : mixture) (c : claim) (k : curved) : bool :=
  forallb (fun test => snd test tt) (tests_curved m o c k).
Definition verdict_curved (m : model) (o : mixture) (c : claim) (k : curved) : option reason :=
  first_failure (tests_curved m o c k).

(** ** Upper quantiles in mixtures

    The lower quantile at a larger level bounds an upper one from above.  It is the upper one, where no value of the CDF
    lies between; otherwise the lower quantile at the same level bounds it from below. *)

Definition gaps_test (m : model) (o : list (rat * mixed_part)) (e : rat) (k : curved) : bool :=
  match low (proofs k) with ByLaw V mix_den parts => law_avoids m V mix_den parts (gaps_of e o) | _ => false end.
Definition tests_upper (m : model) (o : list (rat * mixed_part)) (e : rat) (c : claim) (k : curved) :
  list (reason * (unit -> bool)) :=
  (objective_is_wrong, fun _ => positive_den e && (0 <? num e) && good_levels o) :: tests_curved m (raised e o) c k ++
  [ (lower_not_proved, fun _ => gaps_test m o e k || check_curved m (raised (of_Z 0) o) c k) ].
Definition check_upper (m : model) (o : list (rat * mixed_part)) (e : rat) (c : claim) (k : curved) : bool :=
  forallb (fun test => snd test tt) (tests_upper m o e c k).
Definition verdict_upper (m : model) (o : list (rat * mixed_part)) (e : rat) (c : claim) (k : curved) : option reason :=
  first_failure (tests_upper m o e c k).
