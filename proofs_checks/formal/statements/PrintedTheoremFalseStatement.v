(** * The printed regret theorem is false, to be read on its own      (paper: thm:main)

    Imported: finite laws (the first page of FiniteLaw.v, and [of_masses]), [cdf], [quantile] and [Phi] (Objective.v),
    models, histories and policies (the first page of Mdp.v).

    The printed theorem is for any planner that is optimal in the optimistic model, under the assumption F†(1) = T.
    Here is one, whatever the radii: its regret exceeds the printed bound with probability one, and in expectation. *)

Require Import Reals List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Mdp.
From VerifiedRisk Require MainTheoremPrintedFalse OneState.
Import ListNotations.
Open Scope R_scope.

(** ** The optimistic model of the paper, its rows set right *)

Section Optimistic.
  Context {S A : Type}.
  Variables (state_dec : forall s s' : S, {s = s'} + {s <> s'}) (action_dec : forall a a' : A, {a = a'} + {a <> a'}).
  Variables (states : list S) (M : mdp S A) (rad : nat -> R).

  (** What was seen at a pair: rewards and next states. *)
  Definition pair_dec (x y : S * A) : {x = y} + {x <> y}. Proof. decide equality. Defined.
  Fixpoint seen_in (sa : S * A) (steps : list (S * A * R)) (s' : S) : list (R * S) :=
    match steps with
    | [] => []
    | (s, a, r) :: rest => if pair_dec (s, a) sa then (r, s') :: seen_in sa rest s else seen_in sa rest s
    end.
  Definition seen (sa : S * A) (past : list (history S A)) : list (R * S) :=
    flat_map (fun h => seen_in sa (fst h) (snd h)) past.

  (** Empirical laws; rewards are read in [0, 1].  A pair never seen has radius 1. *)
  Definition uniform {X} (xs : list X) : dist X := map (fun x => (x, / INR (length xs))) xs.
  Definition P_tilde (past : list (history S A)) s a : dist S := match seen (s, a) past
    with [] => ret s | xs => image snd (uniform xs) end.
  Definition R_tilde (past : list (history S A)) s a : dist R :=
    match seen (s, a) past with [] => ret 1 | xs => image (fun x => Rmax 0 (Rmin (fst x) 1)) (uniform xs) end.
  Definition radius (past : list (history S A)) s a : R := match seen (s, a) past
    with [] => 1 | xs => rad (length xs) end.

  (** The lowest eps of mass is moved to reward 1. *)
  Definition place : R * R -> list (R * R) -> list (R * R) := fix place x l :=
    match l with [] => [x] | y :: l' => if Rle_dec (fst x) (fst y) then x :: l else y :: place x l' end.
  Fixpoint trim (eps : R) (l : dist R) : dist R :=
    match l with
    | [] => []
    | (x, p) :: l' => (x, Rmax 0 (p - eps)) :: trim (Rmax 0 (eps - p)) l'
    end.
  Definition raise (eps : R) (d : dist R) : dist R := (1, Rmin 1 eps) :: trim eps (fold_right place [] d).

  (** Every successor loses eps, and s_inf ([None]), which pays 1 for ever, gets what is missing. *)
  Definition low past s a s' : R := Rmax 0 (mass state_dec (P_tilde past s a) s' - radius past s a).
  Definition optimistic (past : list (history S A)) : mdp (option S) A := {|
    horizon := horizon M;
    init := image Some (init M);
    trans := fun s a => match s with
      | Some s => (None, 1 - sum states (low past s a)) ::
                  of_masses (map Some states) (fun s' => match s' with Some s' => low past s a s' | None => 0 end)
      | None => ret None
      end;
    reward := fun s a => match s with Some s => raise (radius past s a) (R_tilde past s a) | None => ret 1 end
  |}.
End Optimistic.

(** ** Learning *)

Definition episodes {S A} (M : mdp S A) (learner : list (history S A) -> policy S A) : nat ->
  dist (list (history S A)) := fix episodes n :=
  match n with
  | O => ret []
  | Datatypes.S n' => bind (episodes n') (fun past =>
    image (fun x => x :: past) (history_law M (learner past) (horizon M)))
  end.
Definition regret {S A} (M : mdp S A) (learner : list (history S A) -> policy S A) G (best : R) : list (history S A) ->
  R := fix regret path :=
  match path with [] => 0 | _ :: past => (best - value G M (learner past)) + regret past end.

(** 4 T^{3/2} L |S| sqrt( 5 |S| |A| K ln(4 |S| |A| K / delta) ). *)
Definition printed_bound (T S A K L delta : R) : R :=
  4 * (T * sqrt T) * L * S * sqrt (5 * S * A * K * ln (4 * S * A * K / delta)).

(** One ordinary state, so |S| = 2 with s_inf; two actions; T = 2; the mean, so L = 1; K = 10^6; delta = 1/100. *)
Theorem printed_theorem_false_statement (rad : nat -> R) :
  (forall N, 0 <= rad N) ->
  exists (M : mdp unit bool) (K : nat) (planner : list (history unit bool) -> y_policy (option unit) bool),
    INR K = 1000000 /\ is_mdp M /\ rewards_within 1 M /\ horizon M = 2%nat /\
    (* the assumption: every policy can reach the return T *)
    (forall pi, is_policy pi -> quantile (cdf (return_law M pi)) 1 = Finite (INR (horizon M))) /\
    let mean := fun tau => tau in
    let hat := optimistic OneState.unit_dec Bool.bool_dec [tt] M rad in
    let play := fun past h => planner past (time h) (Some (state h)) (collected h) in
    (* the planner is optimal in every optimistic model, among all randomised history-dependent policies *)
    (forall past pi, is_policy pi -> value mean (hat past) pi <= value mean (hat past) (of_y_policy (planner past))) /\
    (* whatever bounds the values of all policies *)
    forall best, (forall pi, is_policy pi -> value mean M pi <= best) ->
      printed_bound 2 2 2 (INR K) 1 (1 / 100) < 475000 /\
      almost_surely (episodes M play K) (fun path => 995000 <= regret M play mean best path) /\
      995000 <= E (episodes M play K) (regret M play mean best).
Proof.
  intros Hrad. destruct (MainTheoremPrintedFalse.printed_regret_theorem_is_false rad Hrad)
    as [m [K [H1 [H2 [H3 [H4 [H5 [H6 [_ H7]]]]]]]]].
  exists (MainTheoremPrintedFalse.two_arms m), K, (MainTheoremPrintedFalse.planned m rad).
  exact (conj H1 (conj H2 (conj H3 (conj H4 (conj H5 (conj H6 H7)))))).
Qed.
