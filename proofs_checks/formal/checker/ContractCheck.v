(** * The test of a cover with contractions: piecewise linear weightings

    [Contract own_scale costs rest] removes actions that no best policy plays (docs/theory/05-certificates.md, B5), and
    goes on with the others and with the CDFs that they leave.  At every time, state and index it compares each action
    with the policy that is greedy for the costs c0: an action that loses more at c0 than any slopes of the box can
    regain is removed.  Cells are computed only where kept actions lead from the start, and of these actions only;
    elsewhere nothing is kept.  Rows of a cell hold V P(X > k) for the coordinates k at which the index of the cell
    leaves it open; it is V before these and 0 behind them. *)

Require Import ZArith List Bool.
From VerifiedRisk Require Import Rows Tree Mixing Program Check PolygonCheck CellsCheck ReturnsCheck.
Import ListNotations.
Open Scope Z_scope.

(** ** Tables of kept actions *)

(** For each time and state, the indices of the window at which each action is kept: the place of the first one, and
    flags from there on.  It is kept nowhere else.  All actions of a state that is not listed are kept. *)
Definition span := (Z * list bool)%type.
Definition kept := list (tree (list span)).

(** [acc], or a row that begins [gap] places later where that is less and its flag is set. *)
Fixpoint least_where (gap : Z) (flags : list bool) (row acc : list Z) : list Z :=
  match acc with
  | [] => []
  | x :: acc' =>
      if 0 <? gap then x :: least_where (gap - 1) flags row acc'
      else match flags, row with
           | f :: flags', y :: row' => (if f then Z.min x y else x) :: least_where 0 flags' row' acc'
           | _, _ => acc
           end
  end.
Fixpoint greatest (x : Z) (l : list Z) : Z := match l with [] => x | y :: l' => greatest (Z.max x y) l' end.

(** The average at [n] indices from [lo] on.  The first stage goes from the first place that the second one reads to the
    last. *)
Definition stages_at (d : Z) (qs : list (Z * list Z)) (ps : list (Z * Z)) (n : Z) : list Z :=
  let ks := map snd ps in
  let k0 := smallest (hd 0 ks) ks in
  let k1 := greatest k0 ks in
  two_stages Z.div d (map (fun wr => (fst wr, row_from d k0 (snd wr))) qs) (map (fun pk => (fst pk, snd pk - k0)) ps)
    (zeros 1 (k1 - k0 + n)) (zeros 1 n).
Definition average_at g r d lo lo' v (n : Z) (a : action) : list Z :=
  match (if is_shift g then factors a else None) with
  | Some (qs, ps) => stages_at d (stage_rows v qs) (stage_shifts r lo lo' ps) n
  | None => action_average Z.div g r d false lo lo' (zeros lo (lo + n - 1)) [] v a
  end.
(** An action's row is computed from the first to the last index at which it is kept; [acc] where none is. *)
Fixpoint least_kept g r bottom lo lo' v (acts : list action) (spans : list span) (acc : list Z) : list Z :=
  match acts, spans with
  | a :: acts', (p, flags) :: spans' =>
      let rest := least_kept g r bottom lo lo' v acts' spans' acc in
      match flags with
      | [] => rest
      | _ => least_where p flags (average_at g r bottom (lo + p) lo' v (zlen flags) a) rest
      end
  | _, _ => acc
  end.
Definition state_kept g r bottom huge (fit : bool) lo lo' room room' v (k : option (list span)) (acts : list action) :
  list Z :=
  match k with
  | None => state_below g r bottom fit lo lo' room room' v acts
  | Some spans => least_kept g r bottom lo lo' v acts spans (map (fun _ => huge) room)
  end.
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
(** For each outcome, its weight, where its rows begin, and a cell. *)
Definition parts := list (Z * Z * law_cell).
Fixpoint sum_costs (f : law_cell -> Z) (l : parts) : Z :=
  match l with [] => 0 | (w, _, c) :: l' => w * f c + sum_costs f l' end.
Fixpoint sum_laws (V : Z) (f : law_cell -> list Z) (l : parts) (acc : list Z) : list Z :=
  match l with [] => acc | (w, gap, c) :: l' => sum_laws V f l' (add_law (w * V) w gap (f c) acc) end.

(** For each outcome, its weight, where its rows begin, and the cells from the first one of the window on, where there
    are some. *)
Definition cell_row := list (option law_cell).
Definition stream := list (Z * Z * cell_row).
Fixpoint stream_heads (l : stream) : option parts :=
  match l with
  | [] => Some []
  | (w, gap, cs) :: l' =>
      match cs with
      | Some c :: _ => match stream_heads l' with Some rest => Some ((w, gap, c) :: rest) | None => None end
      | _ => None
      end
  end.
Definition stream_tails (l : stream) : stream := map (fun x => (fst x, tl (snd x))) l.
Definition cells_at (v : values cell_row) (s : positive) : cell_row :=
  match value_at v s with Some l => l | None => [] end.
Definition stream_of (r : rat) (most lo lo' : Z) (v : values cell_row) (a : action) : stream :=
  map (fun o => (weight o, most - charge r o, zskip (lo - charge r o - lo') (cells_at v (next o)))) (outcomes a).

(** For each action that is kept, the total of its weights and its parts; nothing at all if a cell is missing. *)
Definition on_flag (l : list bool) : bool := match l with f :: _ => f | [] => false end.
Fixpoint kept_parts (flags : list (list bool)) (acts : list action) (streams : list stream) :
  option (list (option (Z * parts))) :=
  match flags, acts, streams with
  | f :: flags', a :: acts', l :: streams' =>
      match kept_parts flags' acts' streams' with
      | Some rest =>
          if on_flag f
          then match stream_heads l with Some x => Some (Some (total a, x) :: rest) | None => None end
          else Some (None :: rest)
      | None => None
      end
  | _, _, _ => Some []
  end.

(** Averages over the parts, rounded down and up. *)
Definition least_cost (x : Z * parts) : Z := sum_costs cost (snd x) / fst x.
Definition law_below (V : Z) (room : list Z) (f : law_cell -> list Z) (x : Z * parts) : list Z :=
  map (fun y => y / fst x) (sum_laws V f (snd x) room).
Definition law_above (V : Z) (room : list Z) (f : law_cell -> list Z) (x : Z * parts) : list Z :=
  map (fun y => cdiv y (fst x)) (sum_laws V f (snd x) room).

(** The kept action that costs least. *)
Fixpoint greediest (l : list (option (Z * parts))) : option (Z * (Z * parts)) :=
  match l with
  | [] => None
  | None :: l' => greediest l'
  | Some x :: l' =>
      let c := least_cost x in
      Some (match greediest l' with Some (d, y) => if c <=? d then (c, x) else (d, y) | None => (c, x) end)
  end.

(** What other slopes of the box regain for an action at most, over V^2. *)
Fixpoint regained (n : Z) (rs : list (Z * Z)) (own low high : list Z) : Z :=
  match rs, own, low, high with
  | (down, up) :: rs', x :: own', y :: low', z :: high' =>
      Z.max 0 (Z.max (down * (z - x)) (up * (x + n - y))) + regained n rs' own' low' high'
  | _, _, _, _ => 0
  end.
(** Those that are still kept, and their laws, between the least and the greatest. *)
Definition wider (low high : list Z) (o : option (list Z * list Z)) : list Z * list Z :=
  match o with Some (l, h) => (zmap2 Z.min low l, zmap2 Z.max high h) | None => (low, high) end.
Fixpoint still_kept (V n : Z) (room : list Z) (rs : list (Z * Z)) (own_c : Z) (own_l : list Z)
  (l : list (option (Z * parts))) : list bool * option (list Z * list Z) :=
  match l with
  | [] => ([], None)
  | None :: l' => let '(flags, laws) := still_kept V n room rs own_c own_l l' in (false :: flags, laws)
  | Some x :: l' =>
      let '(flags, laws) := still_kept V n room rs own_c own_l l' in
      let c := least_cost x in
      let low := law_below V room least_law x in
      let high := law_above V room most_law x in
      if (c <=? own_c) || (V * (c - own_c) <=? regained n rs own_l low high)
      then (true :: flags, Some (wider low high laws))
      else (false :: flags, laws)
  end.
Definition contract_cell (V n : Z) (room : list Z) (rs : list (Z * Z)) (flags : list (list bool)) (acts : list action)
  (streams : list stream) : option (list bool * law_cell) :=
  match kept_parts flags acts streams with
  | Some l =>
      match greediest l with
      | Some (c, x) =>
          let own_c := cdiv (sum_costs own_cost (snd x)) (fst x) in
          let own_l := law_below V room own_law x in
          match still_kept V n room rs own_c own_l l with
          | (still, Some (low, high)) => Some (still, Cell c own_c own_l low high)
          | (_, None) => None
          end
      | None => None
      end
  | None => None
  end.

(** The cells of a state along its window, each with the actions that are kept there.  [flags] are those of each action
    along the window; [places] says where a cell is wanted. *)
Fixpoint contract_state (V n : Z) (room : list Z) (rs : list (Z * Z)) (flags : list (list bool)) (acts : list action)
  (streams : list stream) (places : list bool) : list (option (list bool * law_cell)) :=
  match places with
  | [] => []
  | wanted :: places' =>
      let here := if wanted then contract_cell V n room rs flags acts streams else None in
      here :: contract_state V n room (tl rs) (map (@tl bool) flags) acts (map stream_tails streams) places'
  end.

(** ** Spans *)

Definition columns {X Y} (k : option (list span)) (acts : list X) (window : list Y) : list (list bool) :=
  match k with
  | None => map (fun _ => map (fun _ => true) window) acts
  | Some spans => map (fun pf => repeat false (Z.to_nat (fst pf)) ++ snd pf) spans
  end.
Fixpoint ended (l : list bool) : list bool :=
  match l with
  | [] => []
  | f :: l' => match ended l' with [] => if f then [f] else [] | rest => f :: rest end
  end.
Fixpoint span_of (p : Z) (l : list bool) : span :=
  match l with
  | [] => (p, [])
  | f :: l' => if f then (p, ended l) else span_of (p + 1) l'
  end.
(** For each action its span, from the flags of all actions at each place. *)
Fixpoint spans_of {X} (acts : list X) (l : list (list bool)) : list span :=
  match acts with
  | [] => []
  | _ :: acts' => span_of 0 (map on_flag l) :: spans_of acts' (map (@tl bool) l)
  end.

(** ** What kept actions reach

    Cells are computed only there.  Nothing relies on it: where a cell is missing, so is what needs it. *)

Fixpoint and_flags (l k : list bool) : list bool :=
  match l, k with x :: l', y :: k' => (x && y) :: and_flags l' k' | _, _ => [] end.
Fixpoint or_flags (gap : Z) (l acc : list bool) : list bool :=
  match acc with
  | [] => []
  | x :: acc' =>
      if 0 <? gap then x :: or_flags (gap - 1) l acc'
      else match l with y :: l' => (x || y) :: or_flags 0 l' acc' | [] => acc end
  end.
Definition reach_rows := tree (list bool).
Definition reach_outcome (r : rat) (lo lo' : Z) (nowhere row : list bool) (acc : reach_rows) (o : outcome) :
  reach_rows :=
  set (next o) (or_flags (lo - charge r o - lo') row (match get (next o) acc with Some x => x | None => nowhere end))
    acc.
Definition reach_next (r : rat) (lo lo' : Z) (nowhere : list bool)
  (x : option (list bool) * (list action * list (list bool))) (acc : reach_rows) : reach_rows :=
  match x with
  | (Some row, (acts, cols)) =>
      fold_left (fun acc ac =>
        let from := and_flags row (snd ac) in
        if existsb (fun f => f) from then fold_left (reach_outcome r lo lo' nowhere from) (outcomes (fst ac)) acc
        else acc) (combine acts cols) acc
  | (None, _) => acc
  end.
Definition reach_after (r : rat) (lo lo' hi' : Z) (reached : reach_rows)
  (each : tree (list action * list (list bool))) : reach_rows :=
  let nowhere := map (fun _ => false) (counter lo' hi') in
  tfold (reach_next r lo lo' nowhere) (tzip (fun row x => (row, x)) reached each) Leaf.

(** ** A contraction *)

Definition most_charge (r : rat) (st : step) : Z := tlargest (largest (fun a => largest (charge r) (outcomes a))) st.
Definition least_charge (r : rat) (st : step) : Z :=
  - tlargest (largest (fun a => largest (fun o => - charge r o) (outcomes a))) st.

(** What is kept from these steps on; the cells; and how much is spent at most, and how much more than at least. *)
Record contraction := Contraction { kept_after : kept; layer : values cell_row; spent : Z; open : Z }.
Definition flags_found (x : option (list bool * law_cell)) : list bool :=
  match x with Some (flags, _) => flags | None => [] end.
Fixpoint contract_steps (m : model) (g : grid) (V : Z) (last : Z) (rs : list (Z * Z)) (costs : list Z) (r : rat)
  (keep : kept) (ws : list (Z * Z)) (reached : reach_rows) (sts : list step) : contraction :=
  match sts, ws with
  | [], _ => Contraction [] (Everywhere (map (fun x => Some (Cell x x [] [] [])) (partial_sums 0 costs))) 0 0
  | st :: rest, (lo, hi) :: (lo', hi') :: _ =>
      let window := counter lo hi in
      let each := tzip (fun k acts => (acts, columns k acts window)) (first_tree keep) st in
      let reached' := reach_after r lo lo' hi' reached each in
      let after := contract_steps m g V last rs costs (rate_next m g r) (tl keep) (tl ws) reached' rest in
      let most := most_charge r st in
      let spent_here := spent after + most in
      let open_here := open after + most - least_charge r st in
      let room := map (fun _ => 0) (counter 1 open_here) in
      let here := zskip (lo - spent_here - last) rs in
      let n := zlen sts in
      let found :=
        tzip (fun row x =>
          (fst x, match row with
          | Some places =>
              if (last <=? lo - spent_here) && (zlen places =? zlen window)
              then contract_state V n room here (snd x) (fst x) (map (stream_of r most lo lo' (layer after)) (fst x))
                     places
              else []
          | None => []
          end)) reached each in
      Contraction (tmap (fun x => spans_of (fst x) (map flags_found (snd x))) found :: kept_after after)
        (At (tmap (fun x => Some (map (option_map snd) (snd x))) found)) spent_here open_here
  | _, _ => Contraction [] (At Leaf) 0 0
  end.

(** The cells at the start. *)
Fixpoint start_parts (gap place : Z) (v : values cell_row) (init : list (positive * Z)) : option parts :=
  match init with
  | [] => Some []
  | (s, w) :: init' =>
      match znth (cells_at v s) place, start_parts gap place v init' with
      | Some (Some c), Some rest => Some ((w, gap, c) :: rest)
      | _, _ => None
      end
  end.
Definition reach_start (place : Z) (window : list unit) (init : list (positive * Z)) : reach_rows :=
  fold_left (fun acc sw => set (fst sw) (along (fun b => b =? place) 0 window) acc) init Leaf.
Fixpoint narrowed (D : Z) (low high : list Z) (b : box) : box :=
  match low, high, b with
  | x :: low', y :: high', (p, q) :: b' => (rmax p (Rat x D), rmin q (Rat y D)) :: narrowed D low' high' b'
  | _, _, _ => b
  end.
Definition contracted (m : model) (g : grid) (start : Z) (gs : list (list (rat * rat))) (V : Z) (costs : list Z)
  (keep : kept) (b : box) : option (kept * box) :=
  match windows g, window_after (windows g) (steps m) with
  | (lo, hi) :: _, Some (last, _) =>
      let place := start - lo in
      let found := contract_steps m g V last (regains V gs costs b) costs (rate_0 m g) keep (windows g)
        (reach_start place (counter lo hi) (initial m)) (steps m) in
      let room := map (fun _ => 0) b in
      if (0 <? V) && is_shift g && (zlen costs =? zlen b) && (lo <=? start) && (last <=? start - spent found) then
        match start_parts (start - spent found - last) place (layer found) (initial m) with
        | Some l =>
            Some (kept_after found, narrowed (V * initial_den m) (sum_laws V least_law l room)
              (sum_laws V most_law l room) b)
        | None => None
        end
      else None
  | _, _ => None
  end.

(** ** The test *)

(** V times the least G(y) - (c / V) y for y between p and q, rounded down, as in [least_on].  A corner between them
    counts as it is, once; [here] is what the last one gives. *)
Fixpoint least_from (V c : Z) (x g : rat) (here : Z) (l : list (rat * rat)) (p q : rat) : option Z :=
  match l with
  | [] => None
  | (x', g') :: l' =>
      if rat_lt x' p then least_from V c x' g' here l' p q
      else
        let a := if rat_le p x then here else tilted V c (segment x g x' g' p) p in
        if rat_lt x' q
        then let there := tilted V c g' x' in lesser a (lesser there (least_from V c x' g' there l' p q))
        else lesser a (Some (tilted V c (segment x g x' g' q) q))
  end.
Fixpoint fixed_sum (V : Z) (gs : list (list (rat * rat))) (costs : list Z) (b : box) : option Z :=
  match gs, costs, b with
  | [], [], [] => Some 0
  | corners :: gs', c :: costs', (p, q) :: b' =>
      match least_from V c (of_Z 0) (of_Z 0) 0 corners p q, fixed_sum V gs' costs' b' with
      | Some x, Some y => Some (x + y)
      | _, _ => None
      end
  | _, _, _ => None
  end.
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
