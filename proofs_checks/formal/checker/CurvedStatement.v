(** * The checker's theorem for weightings that are not piecewise linear, to be read on its own

    Imported: what Statement.v imports and defines (the process of a model, policies, [return_law], [through], the curve
    through corners), [quantile] and [Phi] of Objective.v, the data types [curve], [mixture] of CurveCheck.v, and the
    program [check_curved] of Verdict.v.  The weightings are defined here.  For mixtures with upper quantiles: the data
    type [mixed_part] of CurveCheck.v and the program [check_upper] of Verdict.v. *)

Require Import ZArith Reals List.
From Coquelicot Require Import Coquelicot.
From VerifiedRisk Require Import FiniteLaw Objective Rows Tree Program CurveCheck LawCheck Verdict Statement.
From VerifiedRisk Require JointModel Meaning Curves CurvedSoundness UpperQuantiles.
Import ListNotations.
Open Scope R_scope.

(** x to the power k, and 0 at 0. *)
Definition to_the (k x : R) : R := if Rlt_dec 0 x then Rpower x k else 0.

(** The normal distribution function: its density is proportional to exp(- t^2 / 2).  By symmetry the area to the left
    of 0 is [half], the supremum of the areas between 0 and z. *)
Definition area_to (z : R) : R := RInt (fun t => exp (- (t * t / 2))) 0 z.
Definition half : R := real (Lub_Rbar (fun y => exists z, y = area_to z)).
Definition N (z : R) : R := 1 / 2 + area_to z / (2 * half).

Definition weighting_of (f : curve) (tau : R) : R :=
  match f with
  | Hazard p q => to_the (IZR p / IZR q) tau
  | DualPower p q => 1 - to_the (IZR p / IZR q) (1 - tau)
  | Wang s => if Rle_dec tau 0 then 0 else if Rle_dec 1 tau then 1 else N (real (quantile N tau) + number s)
  | Cpw p q => let g := IZR p / IZR q in to_the g tau / to_the (/ g) (to_the g tau + to_the g (1 - tau))
  | Corners corners => through 0 0 corners tau
  | Jump level => if Rle_dec (number level) tau then 1 else 0
  end.
Fixpoint mixed (o : mixture) (tau : R) : R :=
  match o with [] => 0 | (w, f) :: rest => number w * weighting_of f tau + mixed rest tau end.

Lemma mixed_eq o tau : mixed o tau = Curves.mixture_of o tau.
Proof.
  induction o as [|[w f] o IH]; [reflexivity|]. cbn [mixed Curves.mixture_of]. rewrite IH. destruct f; reflexivity.
Qed.

Lemma Phi_mixed o d : Phi (mixed o) d = Phi (Curves.mixture_of o) d.
Proof.
  now replace (mixed o) with (Curves.mixture_of o)
    by (apply FunctionalExtensionality.functional_extensionality; intros tau; symmetry; apply mixed_eq).
Qed.

Theorem what_check_curved_accepts_is_true (m : model) (o : mixture) (c : claim) (k : curved) :
  check_curved m o c k = true ->
  (exists pi, pi = Meaning.policy_of m (low (proofs k)) /\ admissible m pi /\
    number (lower c) <= Phi (mixed o) (return_law m pi)) /\
  (forall pi, admissible m pi -> Phi (mixed o) (return_law m pi) <= number (upper c)).
Proof.
  intros H. destruct (CurvedSoundness.check_curved_sound m o c k H) as [[pi [H1 [H2 [H3 H4]]]] H5]. split.
  - exists pi. split; [exact H1|]. split; [exact (conj H2 H3)|]. rewrite return_law_eq, Phi_mixed. exact H4.
  - intros pi0 [H6 H7]. rewrite return_law_eq, Phi_mixed. exact (H5 pi0 H6 H7).
Qed.

(** ** Upper quantiles in mixtures: the infimum of the returns whose distribution function exceeds the level *)

Definition worth (p : mixed_part) (d : dist R) : R :=
  match p with
  | Whole f => Phi (weighting_of f) d
  | UpperQuantile level => real (Glb_Rbar (fun x => number level < cdf d x))
  end.
Definition total_worth (o : list (rat * mixed_part)) (d : dist R) : R :=
  fold_right (fun wp r => number (fst wp) * worth (snd wp) d + r) 0 o.

Lemma total_worth_eq o d : total_worth o d = UpperQuantiles.value_with_upper o d.
Proof.
  induction o as [|[w p] o IH]; [reflexivity|]. unfold total_worth, UpperQuantiles.value_with_upper in *.
  cbn [fold_right fst snd]. rewrite IH. destruct p as [f|level]; [|reflexivity].
  cbn [worth UpperQuantiles.part_value]. replace (weighting_of f) with (Curves.curve_of f); [reflexivity|].
  apply FunctionalExtensionality.functional_extensionality. intros tau. destruct f; reflexivity.
Qed.

Theorem what_check_upper_accepts_is_true (m : model) (o : list (rat * mixed_part)) (e : rat) (c : claim) (k : curved) :
  check_upper m o e c k = true ->
  (exists pi, pi = Meaning.policy_of m (low (proofs k)) /\ admissible m pi /\
    number (lower c) <= total_worth o (return_law m pi)) /\
  (forall pi, admissible m pi -> total_worth o (return_law m pi) <= number (upper c)).
Proof.
  intros H. destruct (UpperQuantiles.upper_quantiles_sound m o e c k H) as [[pi [P1 [P2 [P3 P4]]]] U]. split.
  - exists pi. split; [exact P1|]. split; [exact (conj P2 P3)|]. rewrite return_law_eq, total_worth_eq. exact P4.
  - intros pi0 [H6 H7]. rewrite return_law_eq, total_worth_eq. exact (U pi0 H6 H7).
Qed.
