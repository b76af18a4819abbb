(** * The tests for means, CVaR and quantiles

    Programs only, over the integers. Their soundness is in [Means.v], [TailRoute.v] and [QuantileRoute.v]. *)

Require Import ZArith List Bool.
From VerifiedRisk Require Import Rows Tree Program.
Import ListNotations.
Open Scope Z_scope.

(** ** Rational arithmetic without reduction *)

Definition of_Z (z : Z) : rat := Rat z 1.
Definition rplus (p q : rat) : rat :=
  if num q =? 0 then p
  else if den p =? den q then Rat (num p + num q) (den p)
  else Rat (num p * den q + num q * den p) (den p * den q).
Definition rmult (p q : rat) : rat := Rat (num p * num q) (den p * den q).
Definition ropp (p : rat) : rat := Rat (- num p) (den p).
Definition rminus (p q : rat) : rat := rplus p (ropp q).
(** Meant for positive numerators. *)
Definition rinv (p : rat) : rat := Rat (den p) (num p).
Definition rfloor (p : rat) : Z := num p / den p.
Definition rceil (p : rat) : Z := cdiv (num p) (den p).

(** ** The grid of a certificate *)

Definition good_grid (g : grid) : bool :=
  (0 <? num (unit_size g)) && (0 <? den (unit_size g)) && (0 <? stretch g) && (0 <? shrink g).

(** The unit at the next step. *)
Definition unit_next (g : grid) (u : rat) : rat := Rat (num u * shrink g) (den u * stretch g).
Fixpoint unit_after (g : grid) (u : rat) (sts : list step) : rat :=
  match sts with [] => u | _ :: rest => unit_after g (unit_next g u) rest end.

Fixpoint window_after (ws : list (Z * Z)) (sts : list step) : option (Z * Z) :=
  match sts, ws with
  | [], w :: _ => Some w
  | _ :: rest, _ :: ws' => window_after ws' rest
  | _, [] => None
  end.

(** What rounding at one step can take from the budget, as a multiple of the next unit / (shrink den rate). *)
Definition excess (r : rat) (o : outcome) : Z := charge r o * den r - gain o * num r.
Fixpoint largest {X} (f : X -> Z) (l : list X) : Z := match l with [] => 0 | x :: l' => Z.max (f x) (largest f l') end.
Definition step_excess (r : rat) (st : step) : Z :=
  tlargest (largest (fun a => largest (excess r) (outcomes a))) st.
Definition step_loss (g : grid) (r u' : rat) (st : step) : rat :=
  rmult u' (Rat (step_excess r st + (shrink g - 1) * den r) (shrink g * den r)).
Fixpoint loss_after (m : model) (g : grid) (r u : rat) (sts : list step) : rat :=
  match sts with
  | [] => of_Z 0
  | st :: rest => rplus (loss_after m g (rate_next m g r) (unit_next g u) rest) (step_loss g r (unit_next g u) st)
  end.

(** Every start at or above the window's first index stays so; also if nothing is earned. *)
Definition never_below (g : grid) (r : rat) (lo lo' : Z) (st : step) : bool :=
  (lo' <=? move g r (Outcome 0 0 1) lo) &&
  tall (forallb (fun a => forallb (fun o => lo' <=? move g r o lo) (outcomes a))) st.
Fixpoint all_never_below (m : model) (g : grid) (r : rat) (ws : list (Z * Z)) (sts : list step) : bool :=
  match sts, ws with
  | [], _ => true
  | st :: rest, (lo, _) :: (lo', _) :: _ =>
      never_below g r lo lo' st && all_never_below m g (rate_next m g r) (tl ws) rest
  | _, _ => false
  end.

(** ** Mean and CVaR: J(rho) = rho - E c(rho - Z), with c(x) = w x + k x^+ and k = (1 - w) / alpha *)

Definition good_tail (w alpha : rat) : bool :=
  (0 <? den w) && (0 <? den alpha) && (0 <=? num w) && (num w <=? den w) && (0 <? num alpha) &&
    (num alpha <=? den alpha).
Definition tail_slope (w alpha : rat) : rat := rmult (rminus (of_Z 1) w) (rinv alpha).
Definition tail_cost (w alpha x : rat) : rat :=
  if 0 <? num x then rmult (rplus w (tail_slope w alpha)) x else rmult w x.

(** The terminal costs on the last window, times V, rounded. *)
Definition terminal_row (f : rat -> Z) (u e : rat) (lo hi : Z) : list Z :=
  along (fun b => f (rplus (rmult u (of_Z b)) e)) lo (counter lo hi).
Definition cost_below (V : Z) (w alpha x : rat) : Z := rfloor (rmult (of_Z V) (tail_cost w alpha x)).
Definition cost_above (V : Z) (w alpha x : rat) : Z := rceil (rmult (of_Z V) (tail_cost w alpha x)).

Definition best_mean (m : model) (V : Z) : option rat :=
  match start_sum (value_at (best_means m V (steps m))) (initial m) with
  | Some x => Some (Rat x (V * initial_den m))
  | None => None
  end.

Definition tail_by_mean (m : model) (V : Z) (bound : rat) : bool :=
  (0 <? V) && match best_mean m V with Some x => rat_le x bound | None => false end.

(** The sum over the initial law, as a row. *)
Fixpoint start_row (d : Z) (v : values (list Z)) (l : list (positive * Z)) (acc : list Z) : list Z :=
  match l with
  | [] => acc
  | (s, w) :: l' => start_row d v l' (add_shifted d w 0 (match value_at v s with Some row => row | None => [] end) acc)
  end.

(** J at every index of the first window is at most the bound; without shifts, J on the whole cell to its right. *)
Definition cell_end (g : grid) (b : Z) : Z := if (stretch g =? 1) && (shrink g =? 1) then b else b + 1.
Fixpoint all_at_most (f : Z -> Z -> bool) (b : Z) (row : list Z) : bool :=
  match row with [] => true | x :: row' => f b x && all_at_most f (b + 1) row' end.

Definition tail_by_budgets (m : model) (V : Z) (g : grid) (w alpha bound : rat) : bool :=
  match windows g, window_after (windows g) (steps m), best_mean m V with
  | (lo, hi) :: _, Some (lo', hi'), Some mean =>
      let u := unit_size g in
      let u' := unit_after g u (steps m) in
      let bottom := if num w =? 0 then 0 else cost_below V w alpha (rmult u' (of_Z lo')) in
      let terminal := terminal_row (cost_below V w alpha) u' (of_Z 0) lo' hi' in
      let kappa := rplus w (tail_slope w alpha) in
      (0 <? V) && good_grid g && (lo <=? hi) && forallb (fun x => bottom <=? x) terminal &&
      ((num w =? 0) || all_never_below m g (rate_0 m g) (windows g) (steps m)) &&
      (* rho to the left and to the right of the window *)
      rat_le (rplus (rmult (rminus (of_Z 1) w) (rmult u (of_Z lo))) (rmult w mean)) bound &&
      rat_le (rminus (rmult kappa mean) (rmult (rminus kappa (of_Z 1)) (rmult u (of_Z hi)))) bound &&
      (let row := start_row bottom (table_below m g (rate_0 m g) bottom terminal (windows g) (steps m)) (initial m)
        (zeros lo hi) in
       all_at_most (fun b x => rat_le (rminus (rmult u (of_Z (cell_end g b))) (Rat x (V * initial_den m))) bound) lo
         row)
  | _, _, _ => false
  end.

Definition markov_mean (m : model) (V : Z) (choices : list (tree Z)) (bound : rat) : bool :=
  (0 <? V) && match start_sum (value_at (chosen_means m V (steps m) choices)) (initial m) with
              | Some x => rat_le bound (Rat x (V * initial_den m))
              | None => false
              end.

(** The expected terminal cost of the policy from [start], from above, times V initial_den. *)
Definition policy_cost (m : model) (g : grid) (start : Z) (choices : list budget_rows) (cost : rat -> Z) (shift : rat) :
  option Z :=
  match windows g, window_after (windows g) (steps m) with
  | (lo, hi) :: _, Some (lo', hi') =>
      let u' := unit_after g (unit_size g) (steps m) in
      let e := rplus (loss_after m g (rate_0 m g) (unit_size g) (steps m)) shift in
      let under := cost (rplus (rmult u' (of_Z (lo' - 1))) e) in
      let v := table_above m g (rate_0 m g) under (terminal_row cost u' e lo' hi') (windows g) (steps m) choices in
      if (start <=? hi) && good_grid g
      then start_sum (fun s => match value_at v s with Some row => Some (look under lo row start) | None => None end)
        (initial m)
      else None
  | _, _ => None
  end.

Definition tail_at (m : model) (V : Z) (g : grid) (start : Z) (choices : list budget_rows) (w alpha bound shift : rat) :
  bool :=
  match policy_cost m g start choices (cost_above V w alpha) shift with
  | Some x => rat_le bound (rminus (rplus (rmult (unit_size g) (of_Z start)) shift) (Rat x (V * initial_den m)))
  | None => false
  end.

(** rho is the budget of the start, or that less what rounding can have taken: then the terminal costs are those of the
    index, and what rounding took is lost once instead of being weighed. *)
Definition tail_by_policy (m : model) (V : Z) (g : grid) (start : Z) (choices : list budget_rows)
  (w alpha bound : rat) : bool :=
  (0 <? V) && good_grid g &&
  (tail_at m V g start choices w alpha bound (of_Z 0) ||
   tail_at m V g start choices w alpha bound (ropp (loss_after m g (rate_0 m g) (unit_size g) (steps m)))).

(** ** Quantiles: the policy falls short of [bound] with probability below alpha; every policy stays at or below [bound]
    with probability alpha at least (upper quantile: at most alpha; more than alpha) *)

Definition good_quantile (alpha : rat) (is_upper : bool) : bool :=
  (0 <? den alpha) && (if is_upper then (0 <=? num alpha) && (num alpha <? den alpha)
    else (0 <? num alpha) && (num alpha <=? den alpha)).

(** V if the budget is positive (or zero, unless [strict]). *)
Definition threshold_cost (V : Z) (strict : bool) (x : rat) : Z := if (if strict then 0 <? num x else 0 <=? num x)
  then V else 0.

Definition quantile_by_policy (m : model) (V : Z) (g : grid) (start : Z) (choices : list budget_rows) (alpha : rat)
  (is_upper : bool) (bound : rat) : bool :=
  (0 <? V) &&
  match policy_cost m g start choices (threshold_cost V true) (rminus bound (rmult (unit_size g) (of_Z start))) with
  | Some x => let p := Rat x (V * initial_den m) in if is_upper then rat_le p alpha else negb (rat_le alpha p)
  | None => false
  end.

(** The table below at one start, summed over the initial law. *)
Definition start_look (m : model) (d lo : Z) (v : values (list Z)) (b : Z) : Z :=
  zsum (fun sw => snd sw * look d lo (match value_at v (fst sw) with Some row => row | None => [] end) b) (initial m).

Definition quantile_by_threshold (m : model) (V : Z) (g : grid) (start : Z) (alpha : rat) (is_upper : bool)
  (bound : rat) : bool :=
  match windows g, window_after (windows g) (steps m) with
  | (lo, hi) :: _, Some (lo', hi') =>
      let u' := unit_after g (unit_size g) (steps m) in
      let terminal := terminal_row (threshold_cost V false) u' (of_Z 0) lo' hi' in
      (0 <? V) && good_grid g && (lo <=? start) && forallb (fun x => 0 <=? x) terminal &&
      rat_le (rmult (unit_size g) (of_Z start)) bound &&
      (let v := table_below m g (rate_0 m g) 0 terminal (windows g) (steps m) in
       let p := Rat (start_look m 0 lo v start) (V * initial_den m) in
       if is_upper then negb (rat_le p alpha) else rat_le alpha p)
  | _, _ => false
  end.
