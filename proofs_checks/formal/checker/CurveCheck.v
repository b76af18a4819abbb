(** * The tests for weightings that are not piecewise linear

    A weighting is a mixture of curves.  A certificate has, for every curve, points of its graph from above, a
    staircase that bounds the curve at every level; and a broken line below it, with a reason for every piece.  Both
    rest on points that are tested here with integers: a power by powers of integers, the normal distribution by a
    series that is below or above it.  The lower bound takes the staircase, the upper bound the broken lines. *)

Require Import ZArith List Bool.
From VerifiedRisk Require Import Rows Tree Program Check PolygonCheck.
Import ListNotations.
Open Scope Z_scope.

(** tau^(p/q); 1 - (1 - tau)^(p/q); the Wang transform by its shift; Tversky and Kahneman's weighting with exponent
    p/q < 1; a piecewise linear one; the lower quantile at a level, whose weighting jumps from 0 to 1 there. *)
Inductive curve :=
| Hazard (p q : Z)
| DualPower (p q : Z)
| Wang (shift : rat)
| Cpw (p q : Z)
| Corners (corners : list (rat * rat))
| Jump (level : rat).

(** The curve at [place] is at most, or at least, [height].  What [hints] are depends on the curve. *)
Record point := Point { place : rat; height : rat; hints : list rat }.

Definition one : rat := of_Z 1.

(** ** Powers *)

(** y^m <= x^n, and x^n <= y^m, for numbers that are not negative. *)
Definition powers_le (y : rat) (m : Z) (x : rat) (n : Z) : bool := num y ^ m * den x ^ n <=? num x ^ n * den y ^ m.
(** y <= x^(p/q), and x^(p/q) <= y. *)
Definition root_below (p q : Z) (x y : rat) : bool := (num y <=? 0) || ((0 <=? num x) && powers_le y q x p).
Definition root_above (p q : Z) (x y : rat) : bool := (0 <=? num x) && (0 <=? num y) && powers_le x p y q.

(** y^p d^q <= a^p and y^p d^q >= a^p, for y, d > 0 and a >= 0. *)
Definition product_le (p q : Z) (y d a : rat) : bool :=
  (0 <? num y) && (0 <? num d) && (0 <=? num a) &&
    (num y ^ p * num d ^ q * den a ^ p <=? num a ^ p * den y ^ p * den d ^ q).
Definition product_ge (p q : Z) (y d a : rat) : bool :=
  (0 <? num y) && (0 <? num d) && (0 <=? num a) &&
    (num a ^ p * den y ^ p * den d ^ q <=? num y ^ p * num d ^ q * den a ^ p).

(** ** The normal distribution *)

(** 1 / (2n + 1) - u / (n + 1) (1 / (2n + 3) - u / (n + 2) (...)), k times. *)
Fixpoint series (u : rat) (n : Z) (k : nat) : rat :=
  match k with
  | O => Rat 1 (2 * n + 1)
  | S k' =>
      let r := series u (n + 1) k' in
      Rat (den u * (n + 1) * den r - (2 * n + 1) * num u * num r) ((2 * n + 1) * (den u * (n + 1) * den r))
  end.
(** Terms that are enough for some twenty digits; any number is right. *)
Definition terms_for (u : rat) : nat := Z.to_nat (24 + 4 * (num u / den u)).
(** The integral of exp(- t^2 / 2) from 0 to z >= 0, from below and from above. *)
Definition square_half (z : rat) : rat := Rat (num z * num z) (2 * (den z * den z)).
Definition area_below (z : rat) : rat := let u := square_half z in rmult z (series u 0 (2 * terms_for u + 1)).
Definition area_above (z : rat) : rat := let u := square_half z in rmult z (series u 0 (2 * terms_for u)).
(** Half of the whole, the square root of pi / 2, is between these. *)
Definition half_low : rat := Rat 125331413731550025120788264240552262 (10 ^ 35).
Definition half_high : rat := Rat 125331413731550025120788264240552263 (10 ^ 35).
Definition half_share (area half : rat) : rat := rmult area (rinv (rmult (of_Z 2) half)).
Definition one_half : rat := Rat 1 2.
(** N(z) from below and from above. *)
Definition normal_below (z : rat) : rat :=
  if 0 <=? num z then rplus one_half (half_share (area_below z) half_high)
    else rminus one_half (half_share (area_above (ropp z)) half_low).
Definition normal_above (z : rat) : rat :=
  if 0 <=? num z then rplus one_half (half_share (area_above z) half_low)
    else rminus one_half (half_share (area_below (ropp z)) half_high).

(** ** Points *)

Definition good_point (c : point) : bool :=
  positive_den (place c) && positive_den (height c) && forallb positive_den (hints c) && (0 <=? num (place c)) && rat_le
    (place c) one.

(** The curve at [place] is at least [height]. *)
Definition point_below (f : curve) (c : point) : bool :=
  let x := place c in
  let y := height c in
  good_point c &&
  match f with
  | Hazard p q => root_below p q x y
  | DualPower p q => root_above p q (rminus one x) (rminus one y)
  | Wang shift =>
      (num y <=? 0) || match hints c with z :: _ =>
        rat_le (normal_above z) x && rat_le y (normal_below (rplus z shift)) | [] => false end
  | Cpw p q =>
      (num y <=? 0) ||
      match hints c with
      | a :: a' :: b :: _ =>
          root_below p q x a && root_above p q x a' && root_above p q (rminus one x) b && product_le p q y
            (rplus a' b) a
      | _ => false
      end
  | Corners corners => rat_le y (polygon_at (of_Z 0) (of_Z 0) corners x)
  | Jump level => (num y <=? 0) || (rat_le level x && rat_le y one)
  end.

(** The curve at [place] is at most [height]. *)
Definition point_above (f : curve) (c : point) : bool :=
  let x := place c in
  let y := height c in
  good_point c &&
  (rat_le one y || ((num x <=? 0) && (0 <=? num y)) ||
  match f with
  | Hazard p q => root_above p q x y
  | DualPower p q => root_below p q (rminus one x) (rminus one y)
  | Wang shift =>
      match hints c with z :: _ => rat_le x (normal_below z) && rat_le (normal_above (rplus z shift)) y | [] =>
        false end
  | Cpw p q =>
      match hints c with
      | a :: a' :: b :: _ =>
          root_above p q x a && root_below p q x a' && root_below p q (rminus one x) b && product_ge p q y
            (rplus a' b) a
      | _ => false
      end
  | Corners corners => rat_le (polygon_at (of_Z 0) (of_Z 0) corners x) y
  | Jump level => (0 <=? num y) && rat_lt x level
  end).

(** ** Shapes

    Where the curve bends down and where it bends up.  For the weighting of Tversky and Kahneman, with v = tau / (1 -
    tau), r = v^g and g = p / q, the second derivative has the sign of

      (1-g)(2-g) r^2 + r (2 g^2 - 5 g + 1 - 2 v + (1-g) v^2) + 2 g v + 2 v^2 - g (1-g).

    A cell is two values of tau with a bound of r from below at the first and from above at the second. *)

Definition cell := (rat * (rat * rat))%type.
Record turn := Turn { falling : list cell; rising_from : rat; rising_low : rat; rising : list cell }.

Definition odds (t : rat) : rat := Rat (num t) (den t - num t).
Section Bend.
  Variables (p q : Z).
  Let g := Rat p q.
  Let g' := Rat (q - p) q.
  Definition bend_square : rat := rmult g' (rplus g' one).
  Definition bend_middle : rat := Rat (2 * p * p - 5 * p * q + q * q) (q * q).
  (** 2 g^2 - 5 g + 1 - 2 v + (1-g) v^2, with one value for each v. *)
  Definition middle (minus plus : rat) : rat :=
    rplus (rminus bend_middle (rmult (of_Z 2) minus)) (rmult g' (rmult plus plus)).
  Definition last_part (v : rat) : rat := rminus (rplus (rmult (of_Z 2) (rmult g v)) (rmult (of_Z 2) (rmult v v)))
    (rmult g g').
  Definition bend_above (v1 v2 r1 r2 : rat) : rat :=
    let w := middle v1 v2 in
    rplus (rplus (rmult bend_square (rmult r2 r2)) (rmult (if 0 <=? num w then r2 else r1) w)) (last_part v2).
  Definition bend_below (v1 v2 r1 r2 : rat) : rat :=
    let w := middle v2 v1 in
    rplus (rplus (rmult bend_square (rmult r1 r1)) (rmult (if 0 <=? num w then r1 else r2) w)) (last_part v1).
  Definition falls (v1 v2 r1 r2 : rat) : bool := num (bend_above v1 v2 r1 r2) <=? 0.
  Definition rises (v1 v2 r1 r2 : rat) : bool := 0 <=? num (bend_below v1 v2 r1 r2).

  (** How far the sign of the curvature is proved, from t on, where r is at least [low]. *)
  Fixpoint proved_to (test : rat -> rat -> rat -> rat -> bool) (t low : rat) (cells : list cell) : rat :=
    match cells with
    | [] => t
    | (t', (low', high')) :: cells' =>
        if positive_den t' && positive_den low' && positive_den high' && rat_lt t t' && rat_lt t' one &&
          (0 <=? num low') &&
           root_below p q (odds t') low' && root_above p q (odds t') high' && test (odds t) (odds t') low high'
        then proved_to test t' low' cells' else t
    end.
End Bend.

(** The curve bends down between 0 and this. *)
Definition falls_to (f : curve) (k : turn) : rat :=
  match f with
  | Hazard p q => if p <=? q then one else of_Z 0
  | DualPower p q => if q <=? p then one else of_Z 0
  | Wang shift => if 0 <=? num shift then one else of_Z 0
  | Cpw p q => proved_to p q (falls p q) (of_Z 0) (of_Z 0) (falling k)
  | Corners _ | Jump _ => of_Z 0
  end.
(** The curve bends up between these. *)
Definition rises_between (f : curve) (k : turn) : rat * rat :=
  match f with
  | Hazard p q => if q <=? p then (of_Z 0, one) else (one, one)
  | DualPower p q => if p <=? q then (of_Z 0, one) else (one, one)
  | Wang shift => if num shift <=? 0 then (of_Z 0, one) else (one, one)
  | Cpw p q =>
      if positive_den (rising_from k) && positive_den (rising_low k) && (0 <? num (rising_from k)) && rat_lt
        (rising_from k) one &&
         (0 <=? num (rising_low k)) && root_below p q (odds (rising_from k)) (rising_low k)
      then (rising_from k, proved_to p q (rises p q) (rising_from k) (rising_low k) (rising k)) else (one, one)
  | Corners _ | Jump _ => (one, one)
  end.

(** ** Broken lines below a curve *)

(** Why the curve is above the piece from (x, y) to (x', y'): it is not lower than at a place to the left; it bends down
    and the piece is below a chord; it bends up, and the piece is below the line through [helper], a point above the
    curve, and [touch], a point below it between the helper and the piece; or the curve is linear there. *)
Inductive support :=
| Level (left : point)
| Chord (left right : point)
| Line (touch helper : point)
| Linear.

Fixpoint no_corner_between (x x' : rat) (corners : list (rat * rat)) : bool :=
  match corners with [] => true | (u, _) :: l => (rat_le u x || rat_le x' u) && no_corner_between x x' l end.

Definition line_at (a b : point) (tau : rat) : rat := segment (place a) (height a) (place b) (height b) tau.

Definition supported (f : curve) (fall_end : rat) (rise : rat * rat) (x y x' y' : rat) (s : support) : bool :=
  match s with
  | Level c => point_below f c && rat_le (place c) x && rat_le y (height c) && rat_le y' (height c)
  | Chord a b =>
      point_below f a && point_below f b && rat_lt (place a) (place b) && rat_lt (place b) fall_end && rat_le
        (place a) x && rat_le x' (place b) &&
      rat_le y (line_at a b x) && rat_le y' (line_at a b x')
  | Line t c =>
      point_below f t && point_above f c &&
      if rat_lt (place c) (place t)
      then rat_lt (fst rise) (place c) && rat_le (place t) x && rat_lt x' (snd rise) && rat_le y
        (line_at c t x) && rat_le y' (line_at c t x')
      else rat_lt (fst rise) x && rat_le x' (place t) && rat_lt (place t) (place c) && rat_lt (place c) (snd rise) &&
           rat_le y (line_at t c x) && rat_le y' (line_at t c x')
  | Linear =>
      match f with
      | Corners corners =>
          no_corner_between x x' corners && rat_le y (polygon_at (of_Z 0) (of_Z 0) corners x) && rat_le y'
            (polygon_at (of_Z 0) (of_Z 0) corners x')
      | _ => false
      end
  end.

(** From (x, y) on, a piece to each of the places. *)
Fixpoint line_below (f : curve) (fall_end : rat) (rise : rat * rat) (x y : rat) (places : list rat)
  (pieces : list (rat * support)) : bool :=
  match places, pieces with
  | [], [] => rat_le one x
  | x' :: places', (y', s) :: pieces' =>
      positive_den x' && positive_den y' && rat_lt x x' && rat_le x' one && supported f fall_end rise x y x' y' s &&
      line_below f fall_end rise x' y' places' pieces'
  | _, _ => false
  end.

(** ** Staircases above a curve *)

Fixpoint stair (steps : list point) (tau : rat) : rat :=
  match steps with [] => one | c :: steps' => if rat_le tau (place c) then height c else stair steps' tau end.

(** ** Mixtures *)

Record bounds := Bounds { bend : turn; pieces : list (rat * support); stairs : list point }.

Definition good_curve (f : curve) : bool :=
  match f with
  | Hazard p q | DualPower p q => (0 <? p) && (0 <? q)
  | Wang shift => positive_den shift
  | Cpw p q => (0 <? p) && (p <? q) && powers_le (Rat (p * p) (q * (q - p))) p (Rat (p * q) ((q - p) * (q - p))) q
  | Corners corners => good_corners (of_Z 0) (of_Z 0) corners
  | Jump level => positive_den level && (0 <? num level) && rat_le level one
  end.
Definition mixture := list (rat * curve).
Definition good_mixture (o : mixture) : bool :=
  forallb (fun wf => positive_den (fst wf) && (0 <=? num (fst wf)) && good_curve (snd wf)) o &&
  (let total := fold_right (fun wf r => rplus (fst wf) r) (of_Z 0) o in num total =? den total).

Definition good_bounds (places : list rat) (f : curve) (b : bounds) : bool :=
  line_below f (falls_to f (bend b)) (rises_between f (bend b)) (of_Z 0) (of_Z 0) places (pieces b) && forallb
    (point_above f) (stairs b).
Fixpoint all_good_bounds (places : list rat) (o : mixture) (bs : list bounds) : bool :=
  match o, bs with
  | [], [] => true
  | (_, f) :: o', b :: bs' => good_bounds places f b && all_good_bounds places o' bs'
  | _, _ => false
  end.

(** The mixture of the broken lines, corner by corner; and that of the staircases. *)
Fixpoint add_line (w : rat) (pieces : list (rat * support)) (corners : list (rat * rat)) : list (rat * rat) :=
  match pieces, corners with
  | (y, _) :: pieces', (x, g) :: corners' => (x, rplus g (rmult w y)) :: add_line w pieces' corners'
  | _, _ => corners
  end.
(** For values that are not below [from]: a jump that is not behind it counts as 1. *)
Definition pieces_from (from : rat) (f : curve) (l : list (rat * support)) : list (rat * support) :=
  match f with
  | Jump level => if rat_le level from then map (fun ys => (one, snd ys)) l else l
  | _ => l
  end.
Fixpoint mixed_line (from : rat) (places : list rat) (o : mixture) (bs : list bounds) : list (rat * rat) :=
  match o, bs with
  | (w, f) :: o', b :: bs' => add_line w (pieces_from from f (pieces b)) (mixed_line from places o' bs')
  | _, _ => map (fun x => (x, of_Z 0)) places
  end.

(** These for all values, and for the values from each jump on; and the one of them for values from p on. *)
Definition levels_of (o : mixture) : list rat :=
  flat_map (fun wf => match snd wf with Jump level => [level] | _ => [] end) o.
Definition mixed_lines (places : list rat) (o : mixture) (bs : list bounds) : list (rat * list (rat * rat)) :=
  map (fun from => (from, mixed_line from places o bs)) (of_Z 0 :: levels_of o).
Fixpoint line_from (best : rat * list (rat * rat)) (lines : list (rat * list (rat * rat))) (p : rat) :
  list (rat * rat) :=
  match lines with
  | [] => snd best
  | line :: lines' => line_from (if rat_le (fst line) p && rat_le (fst best) (fst line) then line else best) lines' p
  end.
Definition line_for (lines : list (rat * list (rat * rat))) (p : rat) : list (rat * rat) :=
  match lines with [] => [] | line :: lines' => line_from line lines' p end.
Fixpoint mixed_stair (o : mixture) (bs : list bounds) (tau : rat) : rat :=
  match o, bs with
  | (w, _) :: o', b :: bs' => rplus (rmult w (stair (stairs b) tau)) (mixed_stair o' bs' tau)
  | _, _ => of_Z 0
  end.

(** ** Upper quantiles, each as the lower quantile at a level that is larger by e *)

Inductive mixed_part := Whole (f : curve) | UpperQuantile (level : rat).
Definition raised_part (e : rat) (p : mixed_part) : curve := match p
  with Whole f => f | UpperQuantile level => Jump (rplus level e) end.
Definition raised (e : rat) (o : list (rat * mixed_part)) : mixture :=
  map (fun wp => (fst wp, raised_part e (snd wp))) o.
Definition good_levels (o : list (rat * mixed_part)) : bool :=
  forallb (fun wp => match snd wp with UpperQuantile level => positive_den level && (0 <=? num level) | Whole _ =>
    true end) o.
(** What lies between their levels and the larger ones. *)
Definition gaps_of (e : rat) (o : list (rat * mixed_part)) : list (rat * rat) :=
  flat_map (fun wp => match snd wp with UpperQuantile level => [(level, rplus level e)] | Whole _ => [] end) o.
