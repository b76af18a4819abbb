(** * The checker's theorem, to be read on its own

    Imported: finite laws ([dist], [E], [is_law], [ret], [bind], [image], [scale], [almost_surely]: the first page of
    FiniteLaw.v), [cdf], [quantile] and [Phi] (Objective.v), [cvar_weight] (RockafellarUryasev.v), the data types of
    Program.v, the program [check] of Verdict.v with the few functions on data that are named in the comments below.
    Everything else is defined here. *)

Require Import ZArith Reals List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective RockafellarUryasev Rows Tree Program LawCheck Verdict.
From VerifiedRisk Require JointModel Meaning Soundness.
Import ListNotations.
Open Scope R_scope.

Definition number (q : rat) : R := IZR (num q) / IZR (den q).

(** ** The process of a model

    A history has the completed steps (state, action, gain), latest first, and the current state.  [znth] counts from 0.
    *)

Definition history : Type := (list (positive * Z * Z) * positive)%type.
Definition policy : Type := history -> dist Z.
Definition time (h : history) : nat := length (fst h).

Section Model.
  Variable m : model.

  Definition actions (t : nat) (s : positive) : list action :=
    match nth_error (steps m) t with
    | Some st => match get s st with Some acts => acts | None => [] end
    | None => []
    end.
  Definition draw (t : nat) (s : positive) (i : Z) : dist (Z * positive) :=
    match znth (actions t s) i with
    | Some a => map (fun o => ((gain o, next o), IZR (weight o) / IZR (total a))) (outcomes a)
    | None => ret (0%Z, s)
    end.

  Fixpoint play (pi : policy) (n : nat) (h : history) : dist history :=
    match n with
    | O => ret h
    | S n' => bind (bind (pi h) (fun i => image (fun os => ((snd h, i, fst os) :: fst h, snd os))
      (draw (time h) (snd h) i))) (play pi n')
    end.
  Fixpoint earnings (l : list (positive * Z * Z)) : R :=
    match l with
    | [] => 0
    | (_, _, z) :: l' => earnings l' + number (discount_rate m) ^ length l' * (IZR z / IZR (reward_den m))
    end.
  Definition return_law (pi : policy) : dist R :=
    image (fun h => earnings (fst h))
          (bind (map (fun sw => (fst sw, IZR (snd sw) / IZR (initial_den m))) (initial m))
            (fun s => play pi (length (steps m)) ([], s))).

  (** Randomised, history-dependent, and only actions of the model (a state without actions is never reached). *)
  Definition admissible (pi : policy) : Prop :=
    (forall h, is_law (pi h)) /\
    forall h, (time h < length (steps m))%nat ->
      almost_surely (pi h) (fun i => actions (time h) (snd h) = [] \/ exists a,
        znth (actions (time h) (snd h)) i = Some a).
End Model.

(** ** The value of a law *)

Fixpoint through (x g : R) (corners : list (rat * rat)) (tau : R) : R :=
  match corners with
  | [] => g
  | (x', g') :: rest =>
      if Rle_dec tau (number x') then g + (tau - x) / (number x' - x) * (number g' - g)
        else through (number x') (number g') rest tau
  end.
Definition value (o : objective) (d : dist R) : R :=
  match o with
  | Tail w alpha => Phi (fun tau => number w * tau + (1 - number w) * cvar_weight (number alpha) tau) d
  | Quantile alpha false => real (quantile (cdf d) (number alpha))
  | Quantile alpha true => real (Glb_Rbar (fun x => number alpha < cdf d x))
  | Polygon corners => Phi (through 0 0 corners) d
  end.

(** ** The definitions of this file are those of the proof *)

Lemma play_eq m pi n : forall h, play m pi n h = JointModel.jrun (Meaning.meaning m) pi n h.
Proof. induction n as [|n IH]; intros h; [reflexivity|]. cbn [play JointModel.jrun]. apply bind_ext, IH. Qed.

Lemma earnings_eq m l : earnings m l = JointModel.earned (Meaning.meaning m) l.
Proof. induction l as [|[[s a] z] l IH]; cbn [earnings JointModel.earned]; [reflexivity | now rewrite IH]. Qed.

Lemma return_law_eq m pi : return_law m pi = JointModel.jreturn_law (Meaning.meaning m) pi.
Proof.
  unfold return_law, JointModel.jreturn_law, JointModel.full_history_law, image.
  rewrite (bind_ext _ _ (fun s => JointModel.jrun (Meaning.meaning m) pi (length (steps m)) ([], s)))
    by (intros; apply play_eq).
  apply map_ext. intros h. now rewrite earnings_eq.
Qed.

Lemma value_eq o d : value o d = Meaning.value_of o d.
Proof. destruct o as [w alpha|alpha [|]|corners]; reflexivity. Qed.

(** ** The theorem

    [Meaning.policy_of] is the policy of the certificate, by kinds: a table of (time, state); of (time, state, index),
    the index moved by every reward; of (time, state, cell), where the cell holds what is left of a budget; or a mixture
    of machines with a memory, drawn at the start. *)

Theorem what_check_accepts_is_true (m : model) (o : objective) (c : claim) (k : certificate) :
  check m o c k = true ->
  (exists pi, pi = Meaning.policy_of m (low k) /\ admissible m pi /\ number (lower c) <= value o (return_law m pi)) /\
  (forall pi, admissible m pi -> value o (return_law m pi) <= number (upper c)).
Proof.
  intros H. destruct (Soundness.check_sound m o c k H) as [[pi [H1 [H2 [H3 H4]]]] H5]. split.
  - exists pi. split; [exact H1|]. split; [exact (conj H2 H3)|]. rewrite return_law_eq, value_eq. exact H4.
  - intros pi0 [H6 H7]. rewrite return_law_eq, value_eq. exact (H5 pi0 H6 H7).
Qed.
