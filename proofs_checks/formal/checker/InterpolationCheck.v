(** * The least expected cost at every real budget, by interpolation

    Rounding budgets down costs the first order of the grid.  Here the table at time t is read between its nodes: the
    polygon through the nodes is below the least expected cost at every real budget.  A reward of i + n / d units (d the
    denominator of the rate) takes node b to a mixture of nodes b - i and b - i - 1; between two nodes each outcome
    bends once, so the chord through the two mixtures exceeds their average by at most the sum over outcomes of
    probability (n / d) (1 - n / d) (second difference)^+, which is taken off.  When it is read, the first and the last
    node of a window are at most [bottom], so that the polygon is, outside of the window too. *)

Require Import ZArith List Bool.
From VerifiedRisk Require Import Rows Tree Program Check.
Import ListNotations.
Open Scope Z_scope.

Definition whole (r : rat) (o : outcome) : Z := gain o * num r / den r.
Definition part (r : rat) (o : outcome) : Z := gain o * num r - whole r o * den r.

(** Positive parts of the second differences of a row that starts at lo, from lo - 1 to hi + 1. *)
Definition bends (bottom lo hi : Z) (row : list Z) : list Z :=
  map (Z.max 0) (add_shifted bottom 1 (-2) row
    (add_shifted bottom (-2) (-1) row (add_shifted bottom 1 0 row (zeros (lo - 1) (hi + 1))))).

(** For the nodes lo, lo + 1, ...: den total times the average; for the cells lo - 1, lo, ...: den^2 total times what is
    taken off. *)
Fixpoint averages (r : rat) (bottom lo lo' : Z) (v : values (list Z)) (l : list outcome) (acc : list Z) : list Z :=
  match l with
  | [] => acc
  | o :: l' =>
      let row := match value_at v (next o) with Some row => row | None => [] end in
      let k := lo - whole r o - lo' in
      averages r bottom lo lo' v l'
        (add_shifted bottom (weight o * part r o) (k - 1) row
          (add_shifted bottom (weight o * (den r - part r o)) k row acc))
  end.
Fixpoint taken (r : rat) (lo lo' : Z) (bent : values (list Z)) (l : list outcome) (acc : list Z) : list Z :=
  match l with
  | [] => acc
  | o :: l' =>
      let row := match value_at bent (next o) with Some row => row | None => [] end in
      taken r lo lo' bent l' (add_shifted 0 (weight o * (part r o * (den r - part r o))) (lo - whole r o - lo') row acc)
  end.
Fixpoint lowered (nodes cells : list Z) : list Z :=
  match nodes, cells with
  | x :: nodes', d :: cells' => match cells' with d' :: _ => let y := x - Z.max d d'
    in y :: lowered nodes' cells' | [] => [] end
  | _, _ => []
  end.
Definition action_nodes (r : rat) (bottom lo hi lo' : Z) (v bent : values (list Z)) (a : action) : list Z :=
  lowered (map (fun x => x / (total a * den r)) (averages r bottom lo lo' v (outcomes a) (zeros lo hi)))
          (map (fun x => cdiv x (total a * den r * den r)) (taken r lo lo' bent (outcomes a) (zeros (lo - 1) hi))).
Fixpoint cap_last (bottom : Z) (row : list Z) : list Z :=
  match row with [] => [] | [x] => [Z.min bottom x] | x :: row' => x :: cap_last bottom row' end.
Definition cap_ends (bottom : Z) (row : list Z) : list Z :=
  match cap_last bottom row with [] => [] | x :: row' => Z.min bottom x :: row' end.

Definition on_rows (f : list Z -> list Z) (v : values (list Z)) : values (list Z) :=
  match v with Everywhere row => Everywhere (f row) | At table => At (tmap (option_map f) table) end.
