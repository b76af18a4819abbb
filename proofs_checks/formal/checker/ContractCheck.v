(** * The test of a cover with contractions: piecewise linear weightings

    [Contract own_scale costs rest] removes actions that no best policy plays (docs/theory/05-certificates.md, B5), and
    goes on with the others and with the CDFs that they leave.  At every time, state and index it compares each action
    with the policy that is greedy for the costs c0: an action that loses more at c0 than any slopes of the box can
    regain is removed.  Rows of a cell hold V P(X > k) for the coordinates k at which the index of the cell leaves it
    open; it is V before these and 0 behind them. *)

Require Import ZArith List Bool.
From VerifiedRisk Require Import Rows Tree Program Check PolygonCheck CellsCheck.
Import ListNotations.
Open Scope Z_scope.

(** ** Tables of kept actions *)

(** For each time and state, at each index of the window, whether an action is kept; what is not listed is. *)
Definition kept := list (tree (list (list bool))).
Definition is_kept (flags : list bool) (i : Z) : bool := match znth flags i with Some k => k | None => true end.

(** The row of action i, with [huge] where it is removed. *)
Fixpoint masked (huge i : Z) (flags : list (list bool)) (row : list Z) : list Z :=
  match row, flags with
  | x :: row', f :: flags' => (if is_kept f i then x else huge) :: masked huge i flags' row'
  | _, _ => row
  end.
Fixpoint masked_rows (huge i : Z) (flags : list (list bool)) (rows : list (list Z)) : list (list Z) :=
  match rows with row :: rows' => masked huge i flags row :: masked_rows huge (i + 1) flags rows' | [] => [] end.
Definition flags_of (k : option (list (list bool))) : list (list bool) := match k with Some l => l | None => [] end.
Definition state_kept g r bottom huge (fit : bool) lo lo' room room' v (k : option (list (list bool)))
  (acts : list action) : list Z :=
  least (masked_rows huge 0 (flags_of k) (map (action_average Z.div g r bottom fit lo lo' room room' v) acts)).
Fixpoint table_kept (m : model) (g : grid) (r : rat) (bottom huge : Z) (terminal : list Z) (keep : kept)
  (ws : list (Z * Z)) (sts : list step) : values (list Z) :=
  match sts, ws with
  | [], _ => Everywhere terminal
  | st :: rest, (lo, hi) :: (lo', hi') :: _ =>
      let v := table_kept m g (rate_next m g r) bottom huge terminal (tl keep) (tl ws) rest in
      let fit := rows_fit (hi' - lo' + 1) v in
      let room := zeros lo hi in
      let room' := zeros lo' hi' in
      At (tzip (fun k acts => Some (state_kept g r bottom huge fit lo lo' room room' v k acts)) (first_tree keep) st)
  | _, _ => At Leaf
  end.

(** ** Slopes of a polygon between p and q, over V *)

Definition piece_slope (x g x' g' : rat) : rat := rmult (rminus g' g) (rinv (rminus x' x)).
(** The largest slope to the right of a place of the box, and the least to the left of one. *)
Fixpoint steepest (V : Z) (x g : rat) (l : list (rat * rat)) (p q : rat) : option Z :=
  match l with
  | [] => None
  | (x', g') :: l' =>
      let rest := steepest V x' g' l' p q in
      if rat_le x q && rat_lt p x'
      then let c := rceil (rmult (of_Z V) (piece_slope x g x' g')) in
           Some (match rest with Some y => Z.max c y | None => c end)
      else rest
  end.
Fixpoint flattest (V : Z) (x g : rat) (l : list (rat * rat)) (p q : rat) : option Z :=
  match l with
  | [] => None
  | (x', g') :: l' =>
      let rest := flattest V x' g' l' p q in
      if rat_lt x q && rat_le p x'
      then let c := rfloor (rmult (of_Z V) (piece_slope x g x' g')) in
           Some (match rest with Some y => Z.min c y | None => c end)
      else rest
  end.
Definition or_zero (x : option Z) : Z := match x with Some y => y | None => 0 end.

(** What other slopes can regain, for each coordinate: c0 less the flattest slope, and the steepest less c0. *)
Fixpoint regains (V : Z) (gs : list (list (rat * rat))) (costs : list Z) (b : box) : list (Z * Z) :=
  match gs, costs, b with
  | corners :: gs', c :: costs', (p, q) :: b' =>
      (c - or_zero (flattest V (of_Z 0) (of_Z 0) corners p q), or_zero (steepest V (of_Z 0) (of_Z 0) corners p q) - c)
      :: regains V gs' costs' b'
  | _, _, _ => []
  end.

(** ** Cells *)

(** Over V: the least cost of kept actions, from below; what the greedy policy costs, from above; its law from below,
    short of it by at most 1 for each step to come; the least and the greatest law of kept actions. *)
Record law_cell := Cell { cost : Z; own_cost : Z; own_law : list Z; least_law : list Z; most_law : list Z }.

(** [acc] plus [w] times a row that begins [gap] places later, where it is [e / w] before. *)
Fixpoint add_law (e w gap : Z) (row acc : list Z) : list Z :=
  match acc with
  | [] => []
  | a :: acc' =>
      if 0 <? gap then let x := a + e in x :: add_law e w (gap - 1) row acc'
      else match row with v :: row' => let x := a + w * v in x :: add_law e w 0 row' acc' | [] => acc end
  end.
Definition add_cell (V : Z) (wgc : Z * Z * law_cell) (acc : law_cell) : law_cell :=
  let '(w, gap, c) := wgc in
  Cell (cost acc + w * cost c) (own_cost acc + w * own_cost c) (add_law (w * V) w gap (own_law c) (own_law acc))
    (add_law (w * V) w gap (least_law c) (least_law acc)) (add_law (w * V) w gap (most_law c) (most_law acc)).
Definition divided (n : Z) (c : law_cell) : law_cell :=
  Cell (cost c / n) (cdiv (own_cost c) n) (map (fun x => x / n) (own_law c)) (map (fun x => x / n) (least_law c))
    (map (fun x => cdiv x n) (most_law c)).

(** For each outcome, its weight, where its rows begin, and the cells from the first one of the window on. *)
Definition stream := list (Z * Z * list law_cell).
Fixpoint stream_heads (l : stream) : option (list (Z * Z * law_cell)) :=
  match l with
  | [] => Some []
  | (w, gap, cs) :: l' =>
      match cs, stream_heads l' with c :: _, Some rest => Some ((w, gap, c) :: rest) | _, _ => None end
  end.
Definition stream_tails (l : stream) : stream := map (fun x => (fst x, tl (snd x))) l.
Definition cells_at (v : values (list law_cell)) (s : positive) : list law_cell :=
  match value_at v s with Some l => l | None => [] end.
Definition stream_of (r : rat) (most lo lo' : Z) (v : values (list law_cell)) (a : action) : stream :=
  map (fun o => (weight o, most - charge r o, zskip (lo - charge r o - lo') (cells_at v (next o)))) (outcomes a).
Definition action_law_cell (V : Z) (room : list Z) (n : Z) (l : stream) : option law_cell :=
  match stream_heads l with
  | Some heads => Some (divided n (fold_left (fun acc x => add_cell V x acc) heads (Cell 0 0 room room room)))
  | None => None
  end.
Fixpoint all_some {X} (l : list (option X)) : option (list X) :=
  match l with
  | [] => Some []
  | Some x :: l' => match all_some l' with Some rest => Some (x :: rest) | None => None end
  | None :: _ => None
  end.

(** The kept action that costs least. *)
Fixpoint greediest (flags : list bool) (i : Z) (cs : list law_cell) : option law_cell :=
  match cs with
  | [] => None
  | c :: cs' =>
      let rest := greediest flags (i + 1) cs' in
      if is_kept flags i
      then Some (match rest with Some d => if cost c <=? cost d then c else d | None => c end)
      else rest
  end.

(** What other slopes of the box regain for an action at most, over V^2. *)
Fixpoint regained (n : Z) (rs : list (Z * Z)) (own low high : list Z) : Z :=
  match rs, own, low, high with
  | (down, up) :: rs', x :: own', y :: low', z :: high' =>
      Z.max 0 (Z.max (down * (z - x)) (up * (x + n - y))) + regained n rs' own' low' high'
  | _, _, _, _ => 0
  end.
Fixpoint still_kept (V n : Z) (rs : list (Z * Z)) (best : law_cell) (flags : list bool) (i : Z) (cs : list law_cell) :
  list bool :=
  match cs with
  | [] => []
  | c :: cs' =>
      (is_kept flags i &&
       (V * (cost c - own_cost best) <=? regained n rs (own_law best) (least_law c) (most_law c)))
      :: still_kept V n rs best flags (i + 1) cs'
  end.
(** The laws of the kept actions, between the least and the greatest. *)
Fixpoint spread_laws (flags : list bool) (cs : list law_cell) (best : law_cell) : law_cell :=
  match flags, cs with
  | f :: flags', c :: cs' =>
      let rest := spread_laws flags' cs' best in
      if f then Cell (cost rest) (own_cost rest) (own_law rest) (zmap2 Z.min (least_law c) (least_law rest))
                  (zmap2 Z.max (most_law c) (most_law rest))
      else rest
  | _, _ => best
  end.

(** The cells of a state along its window, each with the actions that are kept there. *)
Fixpoint contract_state (V n : Z) (room : list Z) (rs : list (Z * Z)) (flags : list (list bool)) (acts : list action)
  (streams : list stream) (places : list unit) : option (list (list bool * law_cell)) :=
  match places with
  | [] => Some []
  | _ :: places' =>
      let here := match flags with f :: _ => f | [] => [] end in
      match all_some (map (fun al => action_law_cell V room (total (fst al)) (snd al)) (combine acts streams)) with
      | Some cs =>
          match greediest here 0 cs with
          | Some best =>
              let still := still_kept V n rs best here 0 cs in
              match contract_state V n room (tl rs) (tl flags) acts (map stream_tails streams) places' with
              | Some rest => Some ((still, spread_laws still cs best) :: rest)
              | None => None
              end
          | None => None
          end
      | None => None
      end
  end.

(** ** A contraction *)

Definition most_charge (r : rat) (st : step) : Z := tlargest (largest (fun a => largest (charge r) (outcomes a))) st.
Definition least_charge (r : rat) (st : step) : Z :=
  - tlargest (largest (fun a => largest (fun o => - charge r o) (outcomes a))) st.

(** What is kept from these steps on; the cells; and how much is spent at most, and how much more than at least. *)
Record contraction := Contraction { kept_after : kept; layer : values (list law_cell); spent : Z; open : Z }.
Definition split_cells (x : option (list (list bool * law_cell))) : option (list law_cell) :=
  match x with Some l => Some (map snd l) | None => None end.
Definition split_flags (x : option (list (list bool * law_cell))) : list (list bool) :=
  match x with Some l => map fst l | None => [] end.
Fixpoint contract_steps (m : model) (g : grid) (V : Z) (last : Z) (rs : list (Z * Z)) (costs : list Z) (r : rat)
  (keep : kept) (ws : list (Z * Z)) (sts : list step) : contraction :=
  match sts, ws with
  | [], _ => Contraction [] (Everywhere (map (fun x => Cell x x [] [] []) (partial_sums 0 costs))) 0 0
  | st :: rest, (lo, hi) :: (lo', _) :: _ =>
      let after := contract_steps m g V last rs costs (rate_next m g r) (tl keep) (tl ws) rest in
      let most := most_charge r st in
      let spent_here := spent after + most in
      let open_here := open after + most - least_charge r st in
      let room := map (fun _ => 0) (counter 1 open_here) in
      let here := zskip (lo - spent_here - last) rs in
      let n := zlen sts in
      let found :=
        tzip (fun k acts =>
          if last <=? lo - spent_here
          then contract_state V n room here (flags_of k) acts (map (stream_of r most lo lo' (layer after)) acts)
                 (counter lo hi)
          else None) (first_tree keep) st in
      Contraction (tmap split_flags found :: kept_after after) (At (tmap split_cells found)) spent_here open_here
  | _, _ => Contraction [] (At Leaf) 0 0
  end.

(** Sums over the initial law of the laws at the start, for every coordinate. *)
Fixpoint start_laws (V gap place : Z) (v : values (list law_cell)) (init : list (positive * Z)) (acc : law_cell) :
  option law_cell :=
  match init with
  | [] => Some acc
  | (s, w) :: init' =>
      match znth (cells_at v s) place with
      | Some c => start_laws V gap place v init' (add_cell V (w, gap, c) acc)
      | None => None
      end
  end.
Fixpoint narrowed (D : Z) (low high : list Z) (b : box) : box :=
  match low, high, b with
  | x :: low', y :: high', (p, q) :: b' => (rmax p (Rat x D), rmin q (Rat y D)) :: narrowed D low' high' b'
  | _, _, _ => b
  end.
Definition contracted (m : model) (g : grid) (start : Z) (gs : list (list (rat * rat))) (V : Z) (costs : list Z)
  (keep : kept) (b : box) : option (kept * box) :=
  match windows g, window_after (windows g) (steps m) with
  | (lo, _) :: _, Some (last, _) =>
      let found := contract_steps m g V last (regains V gs costs b) costs (rate_0 m g) keep (windows g) (steps m) in
      let room := map (fun _ => 0) b in
      if (0 <? V) && is_shift g && (zlen costs =? zlen b) && (lo <=? start) && (last <=? start - spent found) then
        match start_laws V (start - spent found - last) (start - lo) (layer found) (initial m) (Cell 0 0 room room room)
        with
        | Some c => Some (kept_after found, narrowed (V * initial_den m) (least_law c) (most_law c) b)
        | None => None
        end
      else None
  | _, _ => None
  end.

(** ** The test *)

Fixpoint fixed_sum (V : Z) (gs : list (list (rat * rat))) (costs : list Z) (b : box) : option Z :=
  match gs, costs, b with
  | [], [], [] => Some 0
  | corners :: gs', c :: costs', (p, q) :: b' =>
      match least_on V c (of_Z 0) (of_Z 0) corners p q, fixed_sum V gs' costs' b' with
      | Some x, Some y => Some (x + y)
      | _, _ => None
      end
  | _, _, _ => None
  end.
Fixpoint greatest (x : Z) (l : list Z) : Z := match l with [] => x | y :: l' => greatest (Z.max x y) l' end.
Definition kept_dual_test (m : model) (V : Z) (g : grid) (start lo : Z) (gs : list (list (rat * rat))) (need : rat)
  (costs : list Z) (keep : kept) (b : box) : bool :=
  let terminal := partial_sums 0 costs in
  let bottom := smallest 0 terminal in
  existsb (fun pq => rat_lt (snd pq) (fst pq)) b ||
  match fixed_sum V gs costs b with
  | Some x =>
      let v := table_kept m g (rate_0 m g) bottom (greatest 0 terminal) terminal keep (windows g) (steps m) in
      forallb (fun y => bottom <=? y) terminal &&
      rat_le need (rplus (Rat (start_look m bottom lo v start) (V * initial_den m)) (Rat x V))
  | None => false
  end.

Fixpoint traced (m : model) (V : Z) (g : grid) (start lo : Z) (gs : list (list (rat * rat))) (need : rat) (c : cover)
  (keep : kept) (b : box) : bool :=
  match c with
  | Dual costs => kept_dual_test m V g start lo gs need costs keep b
  | Cut k p below above =>
      positive_den p && traced m V g start lo gs need below keep (cap k p b) &&
      traced m V g start lo gs need above keep (raise k p b)
  | Passed _ _ _ _ => false
  | Contract V' costs rest =>
      match contracted m g start gs V' costs keep b with
      | Some (keep', b') => traced m V g start lo gs need rest keep' b'
      | None => false
      end
  end.
(** Levels that every policy passes come first; then the polygon of each coordinate is fixed. *)
Fixpoint passed_first (passed : Z -> Z -> rat -> bool) (c : cover) (b : box) : option (cover * box) :=
  match c with
  | Passed V k p rest =>
      if positive_den p && passed V k p then passed_first passed rest (raise k p b) else None
  | _ => Some (c, b)
  end.
Definition polygon_by_contraction (m : model) (V : Z) (g : grid) (start : Z) (c : cover)
  (corners : rat -> list (rat * rat)) (bound : rat) : bool :=
  match windows g, window_after (windows g) (steps m) with
  | (lo, hi) :: _, Some (lo', hi') =>
      let u' := unit_after g (unit_size g) (steps m) in
      let top := rminus (rmult (unit_size g) (of_Z start)) (rmult u' (of_Z lo')) in
      let need := rmult (rminus top bound) (rinv u') in
      (0 <? V) && good_grid g && (lo <=? start) && (start <=? hi) && (lo' <=? hi') &&
      all_never_below m g (rate_0 m g) (windows g) (steps m) && all_never_above m g (rate_0 m g) (windows g)
        (steps m) &&
      match passed_first (passed_test m g start lo lo' hi') c
        (along (fun _ => (of_Z 0, of_Z 1)) lo' (counter (lo' + 1) hi')) with
      | Some (rest, b) =>
          let gs := map (fun pq => corners (fst pq)) b in
          forallb (corners_to_1 (of_Z 0)) gs && traced m V g start lo gs need rest [] b
      | None => false
      end
  | _, _ => false
  end.
