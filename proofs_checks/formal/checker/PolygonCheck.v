(** * The tests for a piecewise linear weighting G

    The return, rounded, is top - u X with an integer X between 0 and N, and Phi = top - u (sum over k < N of G(F_k)),
    F_k = P(X > k).  A lower bound needs the F_k of the policy, from above.  An upper bound needs a lower bound of
    the sum of G(F_k) over all policies: a tree of cuts F_k <= p or F_k >= p whose leaves hold costs c; there
    sum G(F_k) >= sum c_k F_k + sum of the least G(x) - c_k x over the box, and sum c_k F_k is the expectation of a
    terminal cost (weak duality).  The tree may also say that every policy has F_k >= p, by a table. *)

Require Import ZArith List Bool.
From VerifiedRisk Require Import Rows Tree Program Check.
Import ListNotations.
Open Scope Z_scope.

Definition rat_lt (p q : rat) : bool := negb (rat_le q p).
Definition rmax (p q : rat) : rat := if rat_le p q then q else p.
Definition rmin (p q : rat) : rat := if rat_le p q then p else q.

(** ** The weighting *)

(** The corners go up, strictly to the right, from (x, g) to (1, 1). *)
Fixpoint good_corners (x g : rat) (l : list (rat * rat)) : bool :=
  match l with
  | [] => (num x =? den x) && (num g =? den g)
  | (x', g') :: l' => (0 <? den x') && (0 <? den g') && rat_lt x x' && rat_le g g' && good_corners x' g' l'
  end.

(** The corners go strictly to the right, from x to 1. *)
Fixpoint corners_to_1 (x : rat) (l : list (rat * rat)) : bool :=
  match l with
  | [] => num x =? den x
  | (x', g') :: l' => (0 <? den x') && (0 <? den g') && rat_lt x x' && corners_to_1 x' l'
  end.

Definition segment (x g x' g' tau : rat) : rat :=
  rplus g (rmult (rmult (rminus tau x) (rminus g' g)) (rinv (rminus x' x))).

Fixpoint polygon_at (x g : rat) (l : list (rat * rat)) (tau : rat) : rat :=
  match l with
  | [] => g
  | (x', g') :: l' => if rat_le tau x' then segment x g x' g' tau else polygon_at x' g' l' tau
  end.

(** V times the least G(y) - (c / V) y for y between p and q, rounded down; nothing if no such y is on the polygon.
    Pieces to the left of p are passed over, those to the right of q are not looked at. *)
Definition tilted (V c : Z) (value y : rat) : Z := rfloor (rminus (rmult (of_Z V) value) (rmult (of_Z c) y)).
Definition lesser (a : Z) (b : option Z) : option Z := match b with Some y => Some (Z.min a y) | None => Some a end.
Fixpoint least_on (V c : Z) (x g : rat) (l : list (rat * rat)) (p q : rat) : option Z :=
  match l with
  | [] => None
  | (x', g') :: l' =>
      if rat_lt x' p then least_on V c x' g' l' p q
      else
        let rest := if rat_lt x' q then least_on V c x' g' l' p q else None in
        let a := rmax x p in
        let b := rmin x' q in
        if rat_le a b
        then lesser (tilted V c (segment x g x' g' a) a) (lesser (tilted V c (segment x g x' g' b) b) rest)
        else rest
  end.

(** No start at or below the window's last index gets above the next window; also if nothing is earned. *)
Definition never_above (g : grid) (r : rat) (hi hi' : Z) (st : step) : bool :=
  (move g r (Outcome 0 0 1) hi <=? hi') && tall
    (forallb (fun a => forallb (fun o => move g r o hi <=? hi') (outcomes a))) st.
Fixpoint all_never_above (m : model) (g : grid) (r : rat) (ws : list (Z * Z)) (sts : list step) : bool :=
  match sts, ws with
  | [], _ => true
  | st :: rest, (_, hi) :: (_, hi') :: _ => never_above g r hi hi' st && all_never_above m g (rate_next m g r)
    (tl ws) rest
  | _, _ => false
  end.

(** ** Lower bounds *)

(** The cost of ending at index j or above. *)
Definition level_row (V j lo hi : Z) : list Z := along (fun b => if j <=? b then V else 0) lo (counter lo hi).
Definition level_cost (m : model) (V : Z) (g : grid) (start : Z) (choices : list budget_rows) (lo lo' hi' j : Z) :
  option Z :=
  let v := table_above m g (rate_0 m g) 0 (level_row V j lo' hi') (windows g) (steps m) choices in
  start_sum (fun s => match value_at v s with Some row => Some (look 0 lo row start) | None => None end) (initial m).

(** Sum over the levels of V G(probability), rounded up. *)
Fixpoint level_sum (f : Z -> option Z) (V D : Z) (corners : list (rat * rat)) (levels : list Z) : option Z :=
  match levels with
  | [] => Some 0
  | j :: levels' =>
      match f j, level_sum f V D corners levels' with
      | Some x, Some y =>
          Some (rceil (rmult (of_Z V) (polygon_at (of_Z 0) (of_Z 0) corners (rmin (of_Z 1) (Rat x (V * D))))) + y)
      | _, _ => None
      end
  end.

Definition polygon_by_policy (m : model) (V : Z) (g : grid) (start : Z) (choices : list budget_rows)
  (corners : list (rat * rat)) (bound : rat) : bool :=
  match windows g, window_after (windows g) (steps m) with
  | (lo, hi) :: _, Some (lo', hi') =>
      let u' := unit_after g (unit_size g) (steps m) in
      let e := loss_after m g (rate_0 m g) (unit_size g) (steps m) in
      let top := rminus (rminus (rmult (unit_size g) (of_Z start)) e) (rmult u' (of_Z (lo' - 1))) in
      (0 <? V) && good_grid g && (start <=? hi) && (lo' <=? hi') && all_never_above m g (rate_0 m g) (windows g)
        (steps m) &&
      match level_sum (level_cost m V g start choices lo lo' hi') V (initial_den m) corners
        (along (fun j => j) lo' (counter lo' hi')) with
      | Some x => rat_le bound (rminus top (rmult u' (Rat x V)))
      | None => false
      end
  | _, _ => false
  end.

(** ** Upper bounds *)

(** acc, acc + c_0, acc + c_0 + c_1, ... *)
Fixpoint partial_sums (acc : Z) (costs : list Z) : list Z :=
  acc :: match costs with [] => [] | c :: costs' => partial_sums (acc + c) costs' end.
Fixpoint smallest (x : Z) (l : list Z) : Z := match l with [] => x | y :: l' => smallest (Z.min x y) l' end.

Definition box := list (rat * rat).
(** The polygon of a coordinate may depend on the lower end of its box: behind a jump of the weighting there is a higher
    one. *)
Fixpoint tilted_sum (V : Z) (corners : rat -> list (rat * rat)) (costs : list Z) (b : box) : option Z :=
  match costs, b with
  | [], [] => Some 0
  | c :: costs', (p, q) :: b' =>
      match least_on V c (of_Z 0) (of_Z 0) (corners p) p q, tilted_sum V corners costs' b' with
      | Some x, Some y => Some (x + y)
      | _, _ => None
      end
  | _, _ => None
  end.

(** The F_k do not increase with k: F_k <= p holds for all later ones, F_k >= p for all earlier ones. *)
Fixpoint cap (k : Z) (p : rat) (b : box) : box :=
  match b with [] => [] | (l, u) :: b' => (l, if k <=? 0 then rmin u p else u) :: cap (k - 1) p b' end.
Fixpoint raise (k : Z) (p : rat) (b : box) : box :=
  match b with [] => [] | (l, u) :: b' => (if 0 <=? k then rmax l p else l, u) :: raise (k - 1) p b' end.

Definition dual_test (m : model) (V : Z) (g : grid) (start lo : Z) (corners : rat -> list (rat * rat)) (need : rat)
  (costs : list Z) (b : box) : bool :=
  let terminal := partial_sums 0 costs in
  let bottom := smallest 0 terminal in
  match tilted_sum V corners costs b with
  | Some x =>
      let v := table_below m g (rate_0 m g) bottom terminal (windows g) (steps m) in
      forallb (fun y => bottom <=? y) terminal &&
      rat_le need (rplus (Rat (start_look m bottom lo v start) (V * initial_den m)) (Rat x V))
  | None => false
  end.

(** F_k >= p under every policy: the least probability of an index above, in a table over V.  It loses nothing if V is a
    multiple of all denominators, so that a level which some policy meets with equality is passed. *)
Definition unit_costs (V k lo hi : Z) : list Z := along (fun j => if j =? k then V else 0) 0 (counter (lo + 1) hi).
Definition passed_test (m : model) (g : grid) (start lo lo' hi' V k : Z) (p : rat) : bool :=
  let terminal := partial_sums 0 (unit_costs V k lo' hi') in
  let v := table_below m g (rate_0 m g) 0 terminal (windows g) (steps m) in
  (0 <? V) && forallb (fun y => 0 <=? y) terminal && rat_le p (Rat (start_look m 0 lo v start) (V * initial_den m)).

(** [reach] is 0 if a coordinate is one number, which a cut compares with p, and 1 if it is a cell that holds many: a
    cut then compares the first of cell k, and what is at least p lies in the cells before. *)
Fixpoint covered (reach : Z) (leaf : list Z -> box -> bool) (passed : Z -> Z -> rat -> bool) (c : cover) (b : box) :
  bool :=
  match c with
  | Dual costs => leaf costs b
  | Cut k p below above =>
      positive_den p && covered reach leaf passed below (cap k p b) &&
      covered reach leaf passed above (raise (k - reach) p b)
  | Passed V k p rest => positive_den p && passed V k p && covered reach leaf passed rest (raise (k - reach) p b)
  | Contract _ _ _ => false
  end.

Definition polygon_by_cover (m : model) (V : Z) (g : grid) (start : Z) (c : cover) (corners : rat -> list (rat * rat))
  (bound : rat) : bool :=
  match windows g, window_after (windows g) (steps m) with
  | (lo, hi) :: _, Some (lo', hi') =>
      let u' := unit_after g (unit_size g) (steps m) in
      let top := rminus (rmult (unit_size g) (of_Z start)) (rmult u' (of_Z lo')) in
      let need := rmult (rminus top bound) (rinv u') in
      (0 <? V) && good_grid g && (lo <=? start) && (start <=? hi) && (lo' <=? hi') &&
      all_never_below m g (rate_0 m g) (windows g) (steps m) && all_never_above m g (rate_0 m g) (windows g)
        (steps m) &&
      covered 0 (dual_test m V g start lo corners need) (passed_test m g start lo lo' hi') c
        (along (fun _ => (of_Z 0, of_Z 1)) lo' (counter (lo' + 1) hi'))
  | _, _ => false
  end.
