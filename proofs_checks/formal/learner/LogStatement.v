(** * What a log guarantees, to be read on its own

    Imported: finite laws ([dist], [E], [is_law], [almost_surely], [prob], [bind], [image], [ret], [sum]: the first page
    of FiniteLaw.v), [cdf], [quantile] and [Phi] (Objective.v), and [count_occ] of the standard library.  Everything
    else is defined here. *)

Require Import Reals List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective.
From VerifiedRisk Require LogAnswers LogRows RowTables Scores RhoSearch JointModel.
Import ListNotations.
Open Scope R_scope.

Section Statement.
  (** States, actions, and what an outcome is labelled with: its reward. *)
  Context {S A B : Type} (pair_dec : forall x y : S * A, {x = y} + {x <> y})
    (outcome_dec : forall x y : B * S, {x = y} + {x <> y}).

  (** ** The world, and the behaviour that collects data *)

  Variables (world : S * A -> dist (B * S)) (ask : list ((S * A) * (B * S)) -> dist (S * A)).
  Local Notation log := (list ((S * A) * (B * S))).   (* the draws so far, latest first *)

  (** The next pair is chosen by a rule that sees all draws so far; its outcome is drawn from its law. *)
  Fixpoint collected (n : nat) : dist log :=
    match n with
    | O => ret []
    | Datatypes.S n' => bind (collected n') (fun past => image (fun d => d :: past)
        (bind (ask past) (fun sa => image (pair sa) (world sa))))
    end.

  (** ** What is known beforehand: possible outcomes, the most different ones, some laws; delta, and what is learned *)

  Variables (outs : S * A -> list (B * S)) (limit : S * A -> nat) (known : S * A -> option (dist (B * S)))
    (learned : list (S * A)) (delta : R).

  Definition fits : Prop := forall sa, is_law (world sa) /\ NoDup (outs sa) /\
    almost_surely (world sa) (fun o => In o (outs sa)) /\
    (exists support, (length support <= limit sa)%nat /\ NoDup support /\
      almost_surely (world sa) (fun o => In o support)) /\
    forall d, known sa = Some d -> forall f, E (world sa) f = E d f.

  (** ** The mixture over supports *)

  Local Notation count := (count_occ outcome_dec).
  Local Notation N xs := (INR (length xs)).

  Fixpoint product {X} (l : list X) (f : X -> R) : R := match l with [] => 1 | x :: l' => f x * product l' f end.
  Fixpoint choose (n k : nat) : nat :=
    match n, k with
    | _, O => 1
    | O, Datatypes.S _ => 0
    | Datatypes.S n', Datatypes.S k' => choose n' k' + choose n' k
    end.
  (** (1/2) (3/2) ... (n - 1/2)  and  a (a + 1) ... (a + n - 1) *)
  Fixpoint rising (n : nat) : R := match n with O => 1 | Datatypes.S n' => rising n' * (INR n' + / 2) end.
  Fixpoint rising_from (a : R) (n : nat) : R :=
    match n with O => 1 | Datatypes.S n' => rising_from a n' * (INR n' + a) end.

  Definition most (sa : S * A) : nat := Nat.min (limit sa) (length (outs sa)).
  Definition different (sa : S * A) (xs : list (B * S)) : nat :=
    length (filter (fun o => negb (Nat.eqb (count xs o) 0)) (outs sa)).
  Definition mixture (sa : S * A) (xs : list (B * S)) : R := sum (seq 1 (most sa)) (fun m =>
    (INR (most sa) + 1) / (INR (most sa) * (INR m * (INR m + 1))) *
    ((if le_dec (different sa xs) m
      then INR (choose (length (outs sa) - different sa xs) (m - different sa xs)) / INR (choose (length (outs sa)) m)
      else 0) *
     (product (outs sa) (fun o => rising (count xs o)) / rising_from (INR m / 2) (length xs)))).

  (** ** Bounds of the mean of f over the outcomes of a pair, from a log *)

  Fixpoint outcomes (sa : S * A) (past : log) : list (B * S) :=
    match past with
    | [] => []
    | d :: past' => if pair_dec (fst d) sa then snd d :: outcomes sa past' else outcomes sa past'
    end.
  (** Once as many different outcomes were seen as there are, they are the possible ones. *)
  Definition possible (past : log) (sa : S * A) : list (B * S) :=
    if le_dec (limit sa) (length (nodup outcome_dec (outcomes sa past))) then outcomes sa past else outs sa.

  Definition frequency (xs : list (B * S)) (o : B * S) : R := INR (count xs o) / N xs.
  Definition power (v p : R) : R := if Rle_dec v 0 then 0 else exp (p * ln v).
  Definition at_rate (sa : S * A) (xs : list (B * S)) (rate : R) : Prop :=
    INR (Nat.max 1 (length learned)) / delta * product (nodup outcome_dec xs) (fun o => frequency xs o ^ count xs o) *
      exp (- (N xs * rate)) <= mixture sa xs.

  Definition bounded (past : log) (sa : S * A) (f : B * S -> R) (b : R) : Prop :=
    (* the largest value, the mean under a known law, *)
    ((forall o, In o (possible past sa) -> f o <= b) \/ exists d, known sa = Some d /\ E d f <= b) \/
    (* or the bound of a ball *)
    let xs := outcomes sa past in
    In sa learned /\ xs <> [] /\ exists rate eta,
      at_rate sa xs rate /\ (forall o, In o (possible past sa) -> f o <= eta) /\
      eta - exp (- rate) * product (nodup outcome_dec xs) (fun o => power (eta - f o) (frequency xs o)) <= b.

  (** ** Episodes of T steps: histories have the latest step first *)

  Variables (acts : S -> list A) (T : nat) (first : dist S) (pays : nat -> B -> R).
  Local Notation history := (list (S * A * B) * S)%type.

  Definition policy : Type := history -> dist A.
  Definition allowed (pi : policy) : Prop := (forall h, is_law (pi h)) /\
    forall h, (length (fst h) < T)%nat -> almost_surely (pi h) (fun a => In a (acts (snd h))).
  Fixpoint run (pi : policy) (n : nat) (h : history) : dist history :=
    match n with
    | O => ret h
    | Datatypes.S n' => bind (bind (pi h) (fun a =>
        image (fun o => ((snd h, a, fst o) :: fst h, snd o)) (world (snd h, a)))) (run pi n')
    end.
  Fixpoint paid (steps : list (S * A * B)) : R :=
    match steps with
    | [] => 0
    | (_, _, b) :: before => paid before + pays (length before) b
    end.
  Definition return_of (pi : policy) : dist R :=
    image (fun h => paid (fst h)) (bind first (fun s => run pi T ([], s))).

  (** A rule sees step, state and return so far. *)
  Definition rule : Type := nat -> S -> R -> dist A.
  Definition is_rule (r : rule) : Prop :=
    forall t s y, is_law (r t s y) /\ almost_surely (r t s y) (fun a => In a (acts s)).
  Definition plays (r : rule) : policy := fun h => r (length (fst h)) (snd h) (paid (fst h)).

  (** ** Tables: V n s y with n steps to go from s, y earned before *)

  Definition later (V : S -> R -> R) (t : nat) (y : R) (o : B * S) : R := V (snd o) (y + pays t (fst o)).

  (** From above and from below for a rule, from below for all actions. *)
  Definition above_for (past : log) (r : rule) (c : R -> R) (V : nat -> S -> R -> R) : Prop :=
    (forall s y, c y <= V O s y) /\ forall t n s y, (t + Datatypes.S n = T)%nat -> exists b : A -> R,
      almost_surely (r t s y) (fun a => bounded past (s, a) (later (V n) t y) (b a)) /\
      E (r t s y) b <= V (Datatypes.S n) s y.
  Definition below_for (past : log) (r : rule) (c : R -> R) (V : nat -> S -> R -> R) : Prop :=
    (forall s y, V O s y <= c y) /\ forall t n s y, (t + Datatypes.S n = T)%nat -> exists b : A -> R,
      almost_surely (r t s y) (fun a => bounded past (s, a) (fun o => - later (V n) t y o) (- b a)) /\
      V (Datatypes.S n) s y <= E (r t s y) b.
  Definition below_for_all (past : log) (c : R -> R) (V : nat -> S -> R -> R) : Prop :=
    (forall s y, V O s y <= c y) /\ forall t n s y a, (t + Datatypes.S n = T)%nat -> In a (acts s) ->
      bounded past (s, a) (fun o => - later (V n) t y o) (- V (Datatypes.S n) s y).
  Definition at_start (V : nat -> S -> R -> R) : R := E first (fun s => V T s 0).

  (** ** Objectives: w times the mean and 1 - w times CVaR at level alpha; VaR *)

  Definition mean_cvar (w alpha tau : R) : R := w * tau + (1 - w) * Rmin (tau / alpha) 1.
  Definition missing (w alpha rho y : R) : R := w * (rho - y) + (1 - w) / alpha * Rmax 0 (rho - y).
  Definition falls_short (rho y : R) : R := if Rlt_dec y rho then 1 else 0.
  Definition var (alpha : R) (d : dist R) : R := real (quantile (cdf d) alpha).

  (** Every return is in [grid]; targets in [grid] suffice. *)
  Definition answers_hold (past : log) (grid : R -> Prop) : Prop :=
    (forall w alpha, 0 <= w <= 1 -> 0 < alpha <= 1 ->
      (forall r rho V, is_rule r -> grid rho -> above_for past r (missing w alpha rho) V ->
        rho - at_start V <= Phi (mean_cvar w alpha) (return_of (plays r))) /\
      (forall r u, is_rule r ->
        (forall rho, grid rho -> exists V, below_for past r (missing w alpha rho) V /\ rho - at_start V <= u) ->
        Phi (mean_cvar w alpha) (return_of (plays r)) <= u) /\
      (forall u,
        (forall rho, grid rho -> exists V, below_for_all past (missing w alpha rho) V /\ rho - at_start V <= u) ->
        forall pi, allowed pi -> Phi (mean_cvar w alpha) (return_of pi) <= u)) /\
    (forall alpha rho V, 0 < alpha <= 1 ->
      (forall r, is_rule r -> above_for past r (falls_short rho) V -> at_start V < alpha ->
        rho <= var alpha (return_of (plays r))) /\
      (forall r, is_rule r -> below_for past r (falls_short rho) V -> alpha <= at_start V ->
        var alpha (return_of (plays r)) < rho) /\
      (below_for_all past (falls_short rho) V -> alpha <= at_start V ->
        forall pi, allowed pi -> var alpha (return_of pi) < rho)).
End Statement.

Section Runs.
  Context {S A B : Type}.
  Variables (world : S * A -> dist (B * S)) (acts : S -> list A) (T : nat) (first : dist S) (pays : nat -> B -> R).

  Lemma run_eq pi n h : run world pi n h = JointModel.jrun (RowTables.task_process world acts T first) pi n h.
  Proof. revert h. induction n as [|n IH]; intros h; [reflexivity|]. apply bind_ext. exact IH. Qed.

  Lemma return_eq pi : RowTables.return_of world acts T first pays pi = return_of world T first pays pi.
  Proof.
    unfold RowTables.return_of, return_of. f_equal. apply bind_ext. intros s. symmetry. apply run_eq.
  Qed.
End Runs.

Section Theorem_.
  Context {S A B : Type} (pair_dec : forall x y : S * A, {x = y} + {x <> y})
    (outcome_dec : forall x y : B * S, {x = y} + {x <> y}).
  Variables (world : S * A -> dist (B * S)) (ask : list ((S * A) * (B * S)) -> dist (S * A)).
  Variables (outs : S * A -> list (B * S)) (limit : S * A -> nat) (known : S * A -> option (dist (B * S)))
    (learned : list (S * A)) (delta : R).

  (** Some answer, to a question about any actions, horizon, initial law and payments, is wrong ... *)
  Definition some_answer_is_wrong (past : list ((S * A) * (B * S))) : Prop :=
    ~ forall acts T first pays grid, is_law first ->
      (forall pi, allowed acts T pi -> almost_surely (return_of world T first pays pi) grid) ->
      answers_hold pair_dec outcome_dec world outs limit known learned delta acts T first pays past grid.
  (** ... at some moment. *)
  Definition wrong_at_some_moment (path : list ((S * A) * (B * S))) : Prop :=
    exists newer past, path = newer ++ past /\ some_answer_is_wrong past.

  (** Given: any behaviour that collects the log, any world that fits what is known.
      Differs: from a log to intervals, for all objectives, horizons and policies at once; all definitions restated.
      In words: 10-kl-learner.md#kl-ball.
      Step of: corrected/ii. *)
  Theorem what_a_log_guarantees : 0 < delta -> (forall past, is_law (ask past)) -> fits world outs limit known ->
    forall n (dec : forall path, {wrong_at_some_moment path} + {~ wrong_at_some_moment path}),
      prob (collected world ask n) dec <= delta.
  Proof.
    intros Hdelta Hask Hfits n dec.
    assert (F : LogRows.fits outs limit known world)
      by (split; intros sa; [apply (Hfits sa) .. | intros d; now apply (Hfits sa)]).
    apply (LogAnswers.rarely_wrong_with_balls pair_dec outcome_dec outs limit known learned delta Hdelta world ask F
      Hask some_answer_is_wrong n dec).
    intros past Hwrong Hright. apply Hwrong. intros acts T first pays grid Hfirst Hgrid.
    assert (Hg : forall pi, JointModel.is_jpolicy pi ->
      JointModel.plays_allowed (RowTables.task_process world acts T first) pi ->
      almost_surely (RowTables.return_of world acts T first pays pi) grid)
      by (intros pi H1 H2; rewrite return_eq; exact (Hgrid pi (conj H1 H2))).
    destruct (Hright acts T first pays grid Hfirst Hg) as [H1 H2]. split.
    - intros w alpha Hw Ha. destruct (H1 R _ _ _ _ (Scores.mean_cvar_scores w alpha Hw Ha grid)) as [L [U1 U2]].
      split; [|split].
      + intros r rho V Hr Hrho HV. rewrite <- (return_eq world acts). exact (L r rho V Hr Hrho HV).
      + intros r u Hr Hu. rewrite <- (return_eq world acts). exact (U1 r u Hr Hu).
      + intros u Hu pi [Hpi Hal]. rewrite <- (return_eq world acts). exact (U2 u Hu pi Hpi Hal).
    - intros alpha rho V Ha. destruct (H2 alpha rho V Ha) as [L [U1 U2]]. split; [|split].
      + intros r. rewrite <- (return_eq world acts). exact (L r).
      + intros r. rewrite <- (return_eq world acts). exact (U1 r).
      + intros HV Hle pi [Hpi Hal]. rewrite <- (return_eq world acts). exact (U2 HV Hle pi Hpi Hal).
  Qed.
End Theorem_.
