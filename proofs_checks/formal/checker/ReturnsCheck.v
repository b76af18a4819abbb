(** * The test of a cover by returns: piecewise linear weightings where few returns are attainable

    The certificate lists returns z_0 > z_1 > ... > z_n, in units of 1 / (reward_den q^T) for a discount p / q: all sums
    of rewards are whole numbers of these.  Coordinate k is F_k = P(return <= z_{k+1}), which counts z_k - z_{k+1}
      times.
    Tables have the sums that are met, and no others; what they do not have costs the least there is. *)

Require Import ZArith List Bool.
From VerifiedRisk Require Import Rows Tree Program Check CellsCheck PolygonCheck.
Import ListNotations.
Open Scope Z_scope.

(** ** The sums that are met *)

(** A reward at the first of these steps counts power times this, where power is p^t. *)
Fixpoint rest_power (q : Z) (sts : list step) : Z := match sts with [] => 1 | _ :: rest => q * rest_power q rest end.

Fixpoint merged_sums (l : list Z) : list Z -> list Z :=
  match l with
  | [] => fun k => k
  | x :: l' =>
      fix inner (k : list Z) : list Z :=
        match k with
        | [] => l
        | y :: k' => if x <? y then x :: merged_sums l' k else if y <? x then y :: inner k' else x :: merged_sums l' k'
        end
  end.
Fixpoint tfold {X Y} (f : X -> Y -> Y) (t : tree X) (y : Y) : Y :=
  match t with Leaf => y | Node l x r => tfold f r (match x with Some z => f z | None => fun y => y end (tfold f l y))
    end.
(** No state has more sums than there are returns, if every return is listed. *)
Definition with_sums (most : Z) (ys : list Z) (s : positive) (t : tree (list Z)) : tree (list Z) :=
  let all := match get s t with Some old => merged_sums ys old | None => ys end in
  set s (take_then most all []) t.
Definition state_sums (most weight : Z) (x : option (list Z) * list action) (t : tree (list Z)) : tree (list Z) :=
  match fst x with
  | Some ys =>
      fold_left (fun t a =>
        fold_left (fun t o => with_sums most (map (fun y => y + weight * gain o) ys) (next o) t) (outcomes a) t) (snd
          x) t
  | None => t
  end.
Fixpoint all_sums (most p q power : Z) (sums : tree (list Z)) (sts : list step) : list (tree (list Z)) :=
  sums :: match sts with
          | [] => []
          | st :: rest =>
              all_sums most p q (power * p)
                (tfold (state_sums most (power * rest_power q sts)) (tzip pair sums st) Leaf) rest
          end.

(** ** Tables: rows of pairs (sum, cost) *)

Fixpoint drop_below (y : Z) (row : list (Z * Z)) : list (Z * Z) :=
  match row with yx :: row' => if fst yx <? y then drop_below y row' else row | [] => [] end.
Definition cost_at (bottom y : Z) (row : list (Z * Z)) : Z :=
  match row with yx :: _ => if fst yx =? y then snd yx else bottom | [] => bottom end.
Fixpoint add_at (bottom w d : Z) (row : list (Z * Z)) (ys acc : list Z) : list Z :=
  match ys, acc with
  | y :: ys', x :: acc' =>
      let row' := drop_below (y + d) row in x + w * cost_at bottom (y + d) row' :: add_at bottom w d row' ys' acc'
  | _, _ => []
  end.
Definition pairs_at (v : values (list (Z * Z))) (s : positive) : list (Z * Z) :=
  match value_at v s with Some row => row | None => [] end.
Fixpoint outcomes_at (bottom weight_of : Z) (v : values (list (Z * Z))) (ys : list Z) (l : list outcome) (acc : list Z)
  :
  list Z :=
  match l with
  | [] => acc
  | o :: l' =>
      outcomes_at bottom weight_of v ys l' (add_at bottom (weight o) (weight_of * gain o) (pairs_at v (next o)) ys acc)
  end.
Definition action_at (bottom weight_of : Z) (v : values (list (Z * Z))) (ys : list Z) (a : action) : list Z :=
  map (fun x => x / total a) (outcomes_at bottom weight_of v ys (outcomes a) (map (fun _ => 0) ys)).
Definition state_at (bottom weight_of : Z) (v : values (list (Z * Z))) (sums : option (list Z)) (acts : list action) :
  option (list (Z * Z)) :=
  match sums with
  | Some ys => Some (combine ys (least (map (action_at bottom weight_of v ys) acts)))
  | None => None
  end.
Fixpoint returns_table (p q bottom : Z) (terminal : list (Z * Z)) (power : Z) (sums : list (tree (list Z)))
  (sts : list step) : values (list (Z * Z)) :=
  match sts with
  | [] => Everywhere terminal
  | st :: rest =>
      let v := returns_table p q bottom terminal (power * p) (tl sums) rest in
      At (tzip (state_at bottom (power * rest_power q sts) v) (first_tree sums) st)
  end.
Definition at_start (m : model) (bottom : Z) (v : values (list (Z * Z))) : Z :=
  zsum (fun sw => snd sw * cost_at bottom 0 (drop_below 0 (pairs_at v (fst sw)))) (initial m).

(** ** The test *)

Fixpoint decreasing (z : Z) (l : list Z) : bool := match l with [] => true | y :: l' => (y <? z) && decreasing y l' end.
Fixpoint widths (z : Z) (l : list Z) : list Z := match l with [] => [] | y :: l' => z - y :: widths y l' end.
Fixpoint wide_sum (V : Z) (corners : rat -> list (rat * rat)) (costs ws : list Z) (b : box) : option Z :=
  match costs, ws, b with
  | [], [], [] => Some 0
  | c :: costs', w :: ws', (p, q) :: b' =>
      match least_on V c (of_Z 0) (of_Z 0) (corners p) p q, wide_sum V corners costs' ws' b' with
      | Some x, Some y => Some (w * x + y)
      | _, _ => None
      end
  | _, _, _ => None
  end.
Definition returns_dual_test (m : model) (V z : Z) (l : list Z) (sums : list (tree (list Z)))
  (corners : rat -> list (rat * rat)) (need : rat) (costs : list Z) (b : box) : bool :=
  let ws := widths z l in
  let terminal := partial_sums 0 (zmap2 Z.mul costs ws) in
  let bottom := smallest 0 terminal in
  match wide_sum V corners costs ws b with
  | Some x =>
      let v := returns_table (num (discount_rate m)) (den (discount_rate m)) bottom (rev' (combine (z :: l) terminal)) 1
        sums (steps m) in
      forallb (fun y => bottom <=? y) terminal &&
      rat_le need (rplus (Rat (at_start m bottom v) (V * initial_den m)) (Rat x V))
  | None => false
  end.

(** No sum of rewards is larger. *)
Fixpoint weights_of (p q power : Z) (sts : list step) : Z :=
  match sts with [] => 0 | _ :: rest => power * rest_power q sts + weights_of p q (power * p) rest end.
Definition largest_sum (m : model) : Z :=
  most_of (fun z => z) m * weights_of (num (discount_rate m)) (den (discount_rate m)) 1 (steps m).

Definition start_sums (m : model) : tree (list Z) := fold_left (fun t sw => set (fst sw) [0] t) (initial m) Leaf.
Definition polygon_by_returns (m : model) (V : Z) (returns : list Z) (boxes : cover)
  (corners : rat -> list (rat * rat)) (bound : rat) : bool :=
  match returns with
  | [] => false
  | z :: l =>
      let p := num (discount_rate m) in
      let q := den (discount_rate m) in
      let sums := all_sums (zlen returns) p q 1 (start_sums m) (steps m) in
      let need := rminus (of_Z z) (rmult bound (of_Z (reward_den m * rest_power q (steps m)))) in
      (0 <? V) && decreasing z l && (largest_sum m <=? z) &&
      covered 0 (returns_dual_test m V z l sums corners need) (fun _ _ _ => false) boxes
        (along (fun _ => (of_Z 0, of_Z 1)) 0 l)
  end.
