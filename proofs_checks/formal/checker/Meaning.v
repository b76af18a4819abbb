(** * What the integers of a model, an objective, a claim and a certificate mean

    This is all that one has to read to understand the theorem of [Soundness.v], besides [FiniteLaw.v], [Objective.v]
    and [JointModel.v]: the decision process that a [model] stands for, the value of a law under an [objective], and
    the policy that a [lower_proof] describes. *)

Require Import ZArith Reals List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective RockafellarUryasev JointModel Rows Tree Program Check CellsCheck
  LawCheck.
Import ListNotations.
Open Scope R_scope.

Definition real_of (q : rat) : R := IZR (num q) / IZR (den q).

(** ** The model *)

Definition actions_at (m : model) (t : nat) (s : positive) : list action :=
  match nth_error (steps m) t with
  | Some st => match get s st with Some acts => acts | None => [] end
  | None => []
  end.

Definition law_of_action (a : action) : dist (Z * positive) :=
  map (fun o => ((gain o, next o), IZR (weight o) / IZR (total a))) (outcomes a).

(** Actions are numbered from 0.  A state that the step does not list is never reached if the model is good; there, and
    for numbers that are no action, nothing is earned and nothing changes. *)
Definition meaning (m : model) : jmdp positive Z Z := {|
  jhorizon := length (steps m);
  jinit := map (fun sw => (fst sw, IZR (snd sw) / IZR (initial_den m))) (initial m);
  kernel := fun t s i => match znth (actions_at m t s) i with Some a => law_of_action a | None => ret (0%Z, s) end;
  allowed_action := fun t s i => actions_at m t s = [] \/ exists a, znth (actions_at m t s) i = Some a;
  worth := fun z => IZR z / IZR (reward_den m);
  discount := real_of (discount_rate m)
|}.

(** ** The objective *)

Definition tail_weight (w alpha tau : R) : R := w * tau + (1 - w) * cvar_weight alpha tau.

(** The polygon through the corners, which are listed from left to right. *)
Fixpoint polygon (x g : R) (corners : list (rat * rat)) (tau : R) : R :=
  match corners with
  | [] => g
  | (x', g') :: rest =>
      if Rle_dec tau (real_of x') then g + (tau - x) / (real_of x' - x) * (real_of g' - g)
      else polygon (real_of x') (real_of g') rest tau
  end.

Definition value_of (o : objective) (d : dist R) : R :=
  match o with
  | Tail w alpha => Phi (tail_weight (real_of w) (real_of alpha)) d
  | Quantile alpha false => real (quantile (cdf d) (real_of alpha))
  | Quantile alpha true => real (Glb_Rbar (fun x => real_of alpha < cdf d x))
  | Polygon corners => Phi (polygon 0 0 corners) d
  end.

(** ** The certificate's policy *)

(** The rate and the unit at time t. *)
Fixpoint rate_at (m : model) (g : grid) (t : nat) : rat :=
  match t with O => rate_0 m g | S t' => rate_next m g (rate_at m g t') end.

Definition moved (m : model) (g : grid) (t : nat) (label b : Z) : Z :=
  move g (rate_at m g t) (Outcome 0 label 1) b.

(** The index after the steps of a history, latest first. *)
Fixpoint index_after {S A} (m : model) (g : grid) (start : Z) (l : list (S * A * Z)) : Z :=
  match l with
  | [] => start
  | (_, _, label) :: l' => moved m g (length l') label (index_after m g start l')
  end.

Definition runs_for (choices : list budget_rows) (t : nat) (s : positive) : list (Z * Z) :=
  match nth_error choices t with
  | Some c => match get s c with Some runs => runs | None => [] end
  | None => []
  end.
Definition window_start (g : grid) (t : nat) : Z := match nth_error (windows g) t
  with Some (lo, _) => lo | None => 0%Z end.

Definition markov_choice (choices : list (tree Z)) (t : nat) (s : positive) : Z :=
  match nth_error choices t with Some c => match get s c with Some i => i | None => 0%Z end | None => 0%Z end.

(** Below the window the policy plays what it plays at the window's first index; and action 0 where its table names no
    action that the model has. *)
Definition budget_choice (m : model) (g : grid) (start : Z) (choices : list budget_rows) (h : jhistory positive Z Z) :
  Z :=
  let b := index_after m g start (fst h) in
  let lo := window_start g (jtime h) in
  run_at (runs_for choices (jtime h) (jstate h)) (Z.max 0 (b - lo)).
Definition playing (m : model) (choice : jhistory positive Z Z -> Z) : jpolicy positive Z Z :=
  fun h => ret (valid (actions_at m (jtime h) (jstate h)) (choice h)).

(** *** Cells: the budget is known exactly, for rewards less a base

    At time t the policy sees in which cell [k, k + 1] of the grid of that time its budget lies, at or below 0 the cell
    to the left, and plays the action of the cell; below the window that of the window's first cell. *)

Fixpoint discount_sum (m : model) (n : nat) : R := match n
  with O => 0 | S n' => discount_sum m n' + real_of (discount_rate m) ^ n' end.
Definition left_over (m : model) (b : Z) (budget : R) (l : list (positive * Z * Z)) : R :=
  budget + discount_sum m (length l) * (IZR b / IZR (reward_den m)) - earned (meaning m) l.
Definition halvings_at (c : cells) (t : nat) : nat := Z.to_nat (nth t (halvings c) 0%Z).
Fixpoint grid_before (c : cells) (t : nat) : R :=
  match t with O => real_of (cell_unit c) | S t' => grid_before c t' / 2 ^ halvings_at c t' end.
Definition cell_of (x : R) : Z := if Rle_dec x 0 then (- Int_part (- x) - 1)%Z else Int_part x.
Definition cell_start (c : cells) (t : nat) : Z := match nth_error (cell_windows c) t
  with Some (lo, _) => lo | None => 0%Z end.
Definition cell_choice (m : model) (c : cells) (budget : R) (choices : list budget_rows) (h : jhistory positive Z Z) :
  Z :=
  let t := jtime h in
  let k := cell_of (left_over m (base c) budget (fst h) / grid_before c (S t)) in
  run_at (runs_for choices t (jstate h)) (Z.max 0 (k - doubled (halvings_at c t) (cell_start c t))).

(** *** Machines: a policy with a private memory is played by its conditional law of the action, given the history *)

Definition row_for (mc : machine) (t : nat) (s : positive) : memory_row :=
  match nth_error (mem_tables mc) t with
  | Some rows => match get s rows with Some row => row | None => no_row end
  | None => no_row
  end.
Definition rule_for (mc : machine) (t : nat) : memory_rule :=
  match nth_error (mem_rules mc) t with Some rule => rule | None => MemoryRule 1 1 [] end.
Definition machine_choice (m : model) (t : nat) (s : positive) (cm : machine * Z) : Z :=
  valid (actions_at m t s) (row_choice (row_for (fst cm) t s) (snd cm)).

(** The law of the memory after a reward. *)
Definition memories (rule : memory_rule) (label mem : Z) : dist Z :=
  if good_rule rule then
    let sc := move_for rule label in
    let here := (factor rule * mem + fst sc)%Z in
    [(here, IZR (coin_den rule - snd sc) / IZR (coin_den rule)); ((here + 1)%Z, IZR (snd sc) / IZR (coin_den rule))]
  else ret mem.

(** The machines and memories that agree with the actions of a history, with their probabilities. *)
Fixpoint belief (m : model) (mix_den : Z) (parts : list (Z * machine)) (l : list (positive * Z * Z)) :
  dist (machine * Z) :=
  match l with
  | [] => map (fun wc => ((snd wc, mem_0 (snd wc)), IZR (fst wc) / IZR mix_den)) parts
  | (s, a, label) :: l' =>
      bind (filter (fun x => machine_choice m (length l') s (fst x) =? a)%Z (belief m mix_den parts l'))
           (fun cm => image (pair (fst cm)) (memories (rule_for (fst cm) (length l')) label (snd cm)))
  end.
Definition mixture_policy (m : model) (mix_den : Z) (parts : list (Z * machine)) : jpolicy positive Z Z :=
  fun h =>
    let b := belief m mix_den parts (fst h) in
    if Req_EM_T (E b (fun _ => 1)) 0 then ret 0%Z
    else scale (/ E b (fun _ => 1)) (image (machine_choice m (jtime h) (jstate h)) b).

Definition policy_of (m : model) (p : lower_proof) : jpolicy positive Z Z :=
  match p with
  | ByMarkov _ choices => playing m (fun h => markov_choice choices (jtime h) (jstate h))
  | ByBudget _ g start choices => playing m (budget_choice m g start choices)
  | ByCells _ c start choices | ByLines _ c start _ choices =>
      playing m (cell_choice m c (real_of (cell_unit c) * IZR start) choices)
  | ByLaw _ mix_den parts => mixture_policy m mix_den parts
  end.
