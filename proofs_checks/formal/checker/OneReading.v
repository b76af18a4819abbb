(** * What a text says is one thing

    Two files whose words are those of one text have the same objective, claim, model and policy: the words of
    Written.v can be taken apart in one way.  What bounds curves, and the upper proof, are not compared: no claim
    depends on them. *)

Require Import ZArith List Bool Lia String.
From VerifiedRisk Require Import Rows Tree Program Check CurveCheck Text Written.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.
Open Scope list_scope.

(** ** A word spells one number *)

Lemma integer_once w y z : spells_integer w y -> spells_integer w z -> y = z.
Proof.
  intros [H|[v [E H]]] [K|[u [F K]]]; unfold spells_natural in *.
  - destruct H as [_ [_ ->]], K as [_ [_ ->]]. reflexivity.
  - subst w. destruct H as [_ [H _]]. discriminate.
  - subst w. destruct K as [_ [K _]]. discriminate.
  - subst w. injection F as <-. destruct H as [_ [_ H]], K as [_ [_ K]]. lia.
Qed.
Lemma natural_no_slash w n : spells_natural w n -> ~ In slash w.
Proof. intros [_ [H _]] Hin. rewrite forallb_forall in H. specialize (H _ Hin). discriminate. Qed.
Lemma integer_no_slash w z : spells_integer w z -> ~ In slash w.
Proof.
  intros [H|[v [-> H]]]; [now apply natural_no_slash in H|]. intros [F|F]; [discriminate | now apply natural_no_slash
    in H].
Qed.
Lemma cut_once (c : Z) p q d e : ~ In c p -> ~ In c q -> p ++ c :: d = q ++ c :: e -> p = q /\ d = e.
Proof.
  revert q. induction p as [|x p IH]; intros [|y q] Hp Hq E; cbn in *.
  - injection E as ->. auto.
  - injection E as -> _. tauto.
  - injection E as -> _. tauto.
  - injection E as -> E. destruct (IH q) as [-> ->]; auto.
Qed.
Lemma ratio_once w p q : spells w (Ratio p) -> spells w (Ratio q) -> p = q.
Proof.
  destruct p as [a b], q as [c d]. cbn [spells num den]. intros [[H ->]|[u [v [-> [H [H' _]]]]]]
    [[K ->]|[u' [v' [E [K [K' _]]]]]].
  - now rewrite (integer_once w a c H K).
  - subst w. apply integer_no_slash in H. destruct H. apply in_or_app. right. now left.
  - apply integer_no_slash in K. destruct K. apply in_or_app. right. now left.
  - destruct (cut_once slash u u' v v' (integer_no_slash _ _ H) (integer_no_slash _ _ K) E) as [<- <-].
    rewrite (integer_once u a c H K). destruct H' as [_ [_ ->]], K' as [_ [_ ->]]. reflexivity.
Qed.

(** ** Items that the same words spell *)

Definition agree (l m : list item) : Prop := exists ws, Forall2 spells ws l /\ Forall2 spells ws m.

Lemma agree_cons x y l m : agree (x :: l) (y :: m) -> (exists w, spells w x /\ spells w y) /\ agree l m.
Proof. intros [ws [H K]]. inversion H; subst. inversion K; subst. split; eexists; eauto. Qed.
Lemma agree_sym l m : agree l m -> agree m l.
Proof. intros [ws [H K]]. now exists ws. Qed.
Lemma agree_int y z l m : agree (Int y :: l) (Int z :: m) -> y = z /\ agree l m.
Proof. intros H. apply agree_cons in H. destruct H as [[w [H K]] A]. split; [now apply (integer_once w) | assumption].
  Qed.
Lemma agree_state r s l m : agree (item_of_state r :: l) (item_of_state s :: m) -> r = s /\ agree l m.
Proof. intros H. apply agree_int in H. destruct H as [H A]. split; [lia | assumption]. Qed.
Lemma agree_ratio p q l m : agree (Ratio p :: l) (Ratio q :: m) -> p = q /\ agree l m.
Proof. intros H. apply agree_cons in H. destruct H as [[w [H K]] A]. split; [now apply (ratio_once w) | assumption].
  Qed.
Lemma agree_names r s l m : agree (Name r :: l) (Name s :: m) -> codes r = codes s /\ agree l m.
Proof. intros H. apply agree_cons in H. destruct H as [[w [H K]] A]. cbn in H, K. split; [congruence | assumption]. Qed.
(** No number begins like this. *)
Definition no_digit (s : string) : bool := match codes s with c :: _ => negb (digit c || (c =? minus)) | [] => true end.
Lemma agree_int_name z s l m : no_digit s = true -> agree (Int z :: l) (Name s :: m) -> False.
Proof.
  intros Hs H. apply agree_cons in H. destruct H as [[w [H ->]] _]. cbn in H. unfold no_digit in Hs.
  destruct H as [[H1 [H2 _]]|[v [E _]]].
  - destruct (codes s) as [|c r]; [contradiction|]. cbn in H2. destruct (digit c); discriminate.
  - rewrite E in Hs. discriminate.
Qed.

Class Decodes {X} (f : X -> list item) := decodes : forall x y l m, agree (f x ++ l) (f y ++ m) -> x = y /\ agree l m.

(** Lists with their length, and lists whose end is seen by what follows. *)
Lemma decodes_same_length {X} (f : X -> list item) (D : Decodes f) x : forall y l m, List.length x = List.length y ->
  agree (flat_map f x ++ l) (flat_map f y ++ m) -> x = y /\ agree l m.
Proof.
  induction x as [|a x IH]; intros [|b y] l m Hl H; try discriminate; cbn [flat_map] in H; [auto|].
  rewrite <- !app_assoc in H. apply D in H. destruct H as [-> H]. apply IH in H; [|now injection Hl].
  destruct H as [-> H]. auto.
Qed.
#[export] Instance decodes_list {X} (f : X -> list item) (D : Decodes f) : Decodes (items_of_list f).
Proof.
  intros x y l m H. unfold items_of_list in H. cbn [app] in H. apply agree_int in H. destruct H as [E H].
  apply (decodes_same_length f D) in H; [exact H | lia].
Qed.
Definition unlike {X} (f : X -> list item) (l : list item) : Prop := forall x m, ~ agree (f x ++ m) l.
Lemma decodes_run {X} (f : X -> list item) (D : Decodes f) x : forall y l m, unlike f l -> unlike f m ->
  agree (flat_map f x ++ l) (flat_map f y ++ m) -> x = y /\ agree l m.
Proof.
  induction x as [|a x IH]; intros [|b y] l m Hl Hm H; cbn [flat_map] in H; rewrite <- ?app_assoc in H.
  - auto.
  - apply agree_sym in H. now apply Hl in H.
  - now apply Hm in H.
  - apply D in H. destruct H as [-> H]. apply IH in H; auto. destruct H as [-> H]. auto.
Qed.

Ltac differ H := exfalso; first
  [ apply agree_names in H; destruct H as [H _]; discriminate H
  | now apply agree_int_name in H
  | apply agree_sym in H; now apply agree_int_name in H ].
Ltac apart := let x := fresh in let m := fresh in let A := fresh in intros x m A; cbn [app flat_map] in A; differ A.
Ltac decode H :=
  cbn [app flat_map map fst snd] in H; rewrite <- ?app_assoc in H; cbn [app] in H;
  lazymatch type of H with
  | agree (Name ?s :: _) (Name ?s :: _) => apply agree_names in H; destruct H as [_ H]; decode H
  | agree (Name _ :: _) (Name _ :: _) => differ H
  | agree (item_of_state _ :: _) (item_of_state _ :: _) =>
      apply agree_state in H; let E := fresh in destruct H as [E H]; subst; decode H
  | agree (Int _ :: _) (Int _ :: _) => apply agree_int in H; let E := fresh in destruct H as [E H]; subst; decode H
  | agree (Ratio _ :: _) (Ratio _ :: _) => apply agree_ratio in H; let E := fresh in destruct H as [E H]; subst;
    decode H
  | agree (flat_map ?f _ ++ _) (flat_map ?f _ ++ _) =>
      first [ apply (decodes_run f _) in H; [let E := fresh in destruct H as [E H]; subst; decode H | apart | apart]
        | idtac ]
  | agree (?f _ ++ _) (?f _ ++ _) =>
      first [ apply (decodes (f := f)) in H; let E := fresh in destruct H as [E H]; subst; decode H | idtac ]
  | _ => idtac
  end.
#[export] Instance decodes_pair : Decodes pair.
Proof. intros [a b] [c d] l m H. unfold pair in H. decode H. auto. Qed.
#[export] Instance decodes_int : Decodes (fun z => [Int z]).
Proof. intros x y l m H. decode H. auto. Qed.
#[export] Instance decodes_by_state {X} (f : X -> list item) (D : Decodes f) : Decodes (by_state f).
Proof. intros [r x] [s y] l m H. unfold by_state in H. decode H. auto. Qed.
#[export] Instance decodes_outcome : Decodes items_of_outcome.
Proof. intros [a b c] [d e g] l m H. unfold items_of_outcome in H. cbn [weight gain next] in H. decode H. auto. Qed.
#[export] Instance decodes_action : Decodes items_of_action.
Proof. intros [a b] [c d] l m H. unfold items_of_action in H. cbn [total outcomes] in H. decode H. auto. Qed.
#[export] Instance decodes_block : Decodes items_of_block.
Proof. intros [a b] [c d] l m H. unfold items_of_block in H. decode H. auto. Qed.
#[export] Instance decodes_corners : Decodes items_of_corners.
Proof. apply decodes_list. intros [a b] [c d] l m H. decode H. auto. Qed.
#[export] Instance decodes_part : Decodes items_of_part.
Proof.
  intros [[a b|a b|a|a b|a|a]|a] [[c d|c d|c|c d|c|c]|c] l m H; cbn [items_of_part] in H; decode H; auto.
  all: match goal with E : Rat _ _ = Rat _ _ |- _ => injection E as -> -> end; auto.
Qed.
#[export] Instance decodes_choices {X} (f : X -> list item) (D : Decodes f) : Decodes (items_of_choices f).
Proof. intros x y l m H. unfold items_of_choices in H. decode H. auto. Qed.
#[export] Instance decodes_rule : Decodes items_of_rule.
Proof.
  assert (D : Decodes (fun m : Z * (Z * Z) => [Int (fst m); Int (fst (snd m)); Int (snd (snd m))]))
    by (intros [a [b c]] [d [e g]] l m H; decode H; auto).
  intros [a b c] [d e g] l m H. unfold items_of_rule in H. cbn [factor coin_den moves] in H. decode H. auto.
Qed.
#[export] Instance decodes_row : Decodes items_of_row.
Proof. intros [a b c] [d e g] l m H. unfold items_of_row in H. cbn [first before row_runs] in H. decode H. auto. Qed.

(** ** Objective and model *)

Definition objective_part (q : question) : objective + list (rat * mixed_part) :=
  match q with Plain o => inl o | Mixed parts _ _ _ => inr parts end.
Lemma question_once q r l m : agree (items_of_question q ++ l) (items_of_question r ++ m) ->
  objective_part q = objective_part r /\ agree l m.
Proof.
  assert (D : Decodes (fun wp : rat * mixed_part => Name "weight" :: Ratio (fst wp) :: items_of_part (snd wp)))
    by (intros [a b] [c d] l' m' H; decode H; auto).
  intros H.
  destruct q as [[a b|a [|]|a]|a ? ? ?], r as [[c d|c [|]|c]|c ? ? ?]; cbn [items_of_question] in H; decode H; auto.
Qed.

Lemma model_once w v l m : unlike items_of_block l -> unlike items_of_block m ->
  agree (items_of_model w ++ l) (items_of_model v ++ m) -> w = v /\ agree l m.
Proof.
  intros Hl Hm H. destruct w as [a b c d e g], v as [a' b' c' d' e' g']. unfold items_of_model in H.
  cbn [file_discount file_reward_den state_count file_initial_den file_initial blocks] in H.
  cbn [app] in H; rewrite <- ?app_assoc in H; cbn [app] in H.
  do 5 (apply agree_names in H; destruct H as [_ H]; first
    [apply agree_ratio in H; destruct H as [-> H] | apply agree_int in H; destruct H as [? H]]).
  subst. apply (decodes (f := items_of_list (by_state (fun n => [Int n])))) in H. destruct H as [-> H].
  apply (decodes_run items_of_block _) in H; auto. destruct H as [-> H]. auto.
Qed.

(** ** The policy *)

Lemma machines_once x : forall y l m, List.length x = List.length y ->
  agree (flat_map items_of_machine x ++ Name "upper" :: l) (flat_map items_of_machine y ++ Name "upper" :: m) -> x = y.
Proof.
  assert (D : Decodes (fun x : memory_rule * listing memory_row => items_of_rule (fst x)
    ++ items_of_choices items_of_row (snd x)))
    by (intros [a b] [c d] l m H; decode H; auto).
  assert (U : forall l', (exists s r, l' = Name s :: r /\ codes s <> codes "rule") ->
    unlike (fun x : memory_rule * listing memory_row => items_of_rule (fst x) ++ items_of_choices items_of_row (snd x))
      l').
  { intros l' [s [r [-> Hs]]] [a b] m' A. cbn [fst] in A. unfold items_of_rule in A. cbn [app] in A.
    apply agree_names in A. destruct A as [A _]. now apply Hs. }
  induction x as [|[w [z k]] x IH]; intros [|[w' [z' k']] y] l m Hl H; try discriminate; [reflexivity|].
  cbn [flat_map] in H. unfold items_of_machine at 1 3 in H. cbn [fst snd] in H. cbn [app] in H.
  apply agree_names in H. destruct H as [_ H]. apply agree_int in H. destruct H as [-> H]. apply agree_int in H.
  destruct H as [-> H]. rewrite <- !app_assoc in H. apply (decodes_run _ D) in H.
  - destruct H as [-> H]. f_equal. injection Hl as Hl. exact (IH y l m Hl H).
  - apply U. destruct x as [|p x]; cbn [flat_map app]; [|unfold items_of_machine at 1; cbn [app]];
      eexists; eexists; (split; [reflexivity | discriminate]).
  - apply U. destruct y as [|p y]; cbn [flat_map app]; [|unfold items_of_machine at 1; cbn [app]];
      eexists; eexists; (split; [reflexivity | discriminate]).
Qed.

Lemma grid_once g h l m : agree (items_of_grid g ++ Name "start" :: l) (items_of_grid h ++ Name "start" :: m) ->
  g = h /\ agree l m.
Proof.
  destruct g as [a b c d], h as [a' b' c' d']. intros H. unfold items_of_grid in H.
  cbn [unit_size stretch shrink windows] in H. unfold pair in H. fold pair in H. decode H. auto.
Qed.
Lemma cells_once c d l m : agree (items_of_cells c ++ Name "start" :: l) (items_of_cells d ++ Name "start" :: m) ->
  c = d /\ agree l m.
Proof.
  destruct c as [a b h w], d as [a' b' h' w']. intros H. unfold items_of_cells in H.
  cbn [cell_unit base halvings cell_windows] in H.
  assert (S : forall k, map Int k = flat_map (fun z => [Int z]) k)
    by (induction k as [|z k IH]; cbn [map flat_map app]; [reflexivity | now rewrite IH]).
  rewrite !S in H. decode H. auto.
Qed.

Lemma lower_once p q l m : agree (items_of_lower p ++ Name "upper" :: l) (items_of_lower q ++ Name "upper" :: m) ->
  p = q.
Proof.
  intros H. unfold items_of_lower in H.
  destruct p as [V c|V g b c|V g b c|V g b r c|V n k], q as [V' c'|V' g' b' c'|V' g' b' c'|V' g' b' r' c'|V' n' k'];
    decode H; auto.
  - apply grid_once in H. destruct H as [-> H]. decode H. reflexivity.
  - apply cells_once in H. destruct H as [-> H]. decode H. reflexivity.
  - apply cells_once in H. destruct H as [-> H]. decode H. reflexivity.
  - unfold items_of_list in H. cbn [app] in H. apply agree_int in H. destruct H as [E H].
    apply machines_once in H; [now subst | lia].
Qed.

(** ** Past the bounds of curves: the policy begins at the first word "lower" behind the model *)

Definition not_lower (x : item) : bool :=
  match x with Name s => if list_eq_dec Z.eq_dec (codes s) (codes "lower") then false else true | _ => true end.
Lemma not_lower_spells x : not_lower x = true -> ~ spells (codes "lower") x.
Proof.
  destruct x as [s|z|q]; cbn [not_lower]; intros H K.
  - destruct (list_eq_dec Z.eq_dec (codes s) (codes "lower")) as [|N]; [discriminate|]. apply N. now rewrite K.
  - destruct K as [[_ [K _]]|[v [K _]]]; discriminate.
  - destruct K as [[[[_ [K _]]|[v [K _]]] _]|[p [d [E [[[_ [K _]]|[v [K _]]] _]]]]]; try discriminate.
    + destruct p as [|c p]; [discriminate|]. injection E as <- _. discriminate.
    + subst p. discriminate.
Qed.
Lemma past_curves c : forall d l m, forallb not_lower c = true -> forallb not_lower d = true ->
  agree (c ++ Name "lower" :: l) (d ++ Name "lower" :: m) -> agree (Name "lower" :: l) (Name "lower" :: m).
Proof.
  induction c as [|x c IH]; intros [|y d] l m Hc Hd H; cbn [app forallb] in *; try apply andb_true_iff in Hc;
    try apply andb_true_iff in Hd; apply agree_cons in H as K; destruct K as [[w [K1 K2]] K].
  - assumption.
  - cbn [spells] in K1. subst w. now apply not_lower_spells in K2.
  - cbn [spells] in K2. subst w. now apply not_lower_spells in K1.
  - now apply (IH d).
Qed.
Lemma all_flat_map {X} (f : X -> list item) l : (forall x, forallb not_lower (f x) = true) ->
  forallb not_lower (flat_map f l) = true.
Proof. intros H. induction l as [|x l IH]; cbn [flat_map]; [reflexivity | now rewrite forallb_app, H, IH]. Qed.
Lemma all_list {X} (f : X -> list item) l : (forall x, forallb not_lower (f x) = true) ->
  forallb not_lower (items_of_list f l) = true.
Proof. intros H. unfold items_of_list. cbn [forallb not_lower item_of_length andb]. now apply all_flat_map. Qed.
Lemma all_point c : forallb not_lower (items_of_point c) = true.
Proof. unfold items_of_point. cbn [forallb not_lower andb]. induction (hints c) as [|q l IH]; [reflexivity | exact IH].
  Qed.
Lemma all_bounds f b : forallb not_lower (items_of_bounds f b) = true.
Proof.
  unfold items_of_bounds. cbn [forallb]. rewrite !forallb_app. cbn [forallb]. rewrite !forallb_app. cbn [forallb].
  rewrite (all_list items_of_point) by apply all_point.
  rewrite (all_flat_map (fun ys => Ratio (fst ys) :: items_of_support (snd ys))).
  - destruct f; try reflexivity. unfold items_of_turn. cbn [forallb]. rewrite forallb_app. cbn [forallb].
    rewrite !all_list by (intros [a [c d]]; reflexivity). reflexivity.
  - intros [y s]. cbn [forallb not_lower fst snd andb].
    destruct s; cbn [items_of_support forallb]; rewrite ?forallb_app, ?all_point; reflexivity.
Qed.
Lemma all_curves q : forallb not_lower (items_of_curves q) = true.
Proof.
  destruct q as [o|parts e marks l]; [reflexivity|]. unfold items_of_curves. rewrite forallb_app. cbn [forallb].
  rewrite forallb_app, all_list by reflexivity. apply andb_true_iff. split; [now destruct e|]. cbn [andb].
  generalize (bounded_mixture parts e). intros o. revert l.
  induction o as [|[w f] o IH]; intros [|b l]; try reflexivity. cbn [items_of_all_bounds].
  now rewrite forallb_app, all_bounds, IH.
Qed.

(** ** The theorem *)

Theorem file_once f g : agree (items_of_file f) (items_of_file g) ->
  objective_part (asked f) = objective_part (asked g) /\ claimed f = claimed g /\ described f = described g /\
  lower_part f = lower_part g.
Proof.
  assert (U : forall q p l, unlike items_of_block (items_of_curves q ++ items_of_lower p ++ l)).
  { intros q p l [a b] m A. unfold items_of_block, items_of_lower in A. cbn [app] in A.
    destruct q as [o|parts [e|] marks k]; cbn [items_of_curves app] in A; differ A. }
  destruct f as [v q [a b] w p u], g as [v' q' [a' b'] w' p' u']. unfold items_of_file.
  cbn [format asked claimed described lower_part upper_part lower upper]. intros H.
  cbn [app] in H. apply agree_names in H. destruct H as [_ H]. apply agree_int in H. destruct H as [_ H].
  apply agree_names in H. destruct H as [_ H].
  apply question_once in H. destruct H as [E H]. apply agree_names in H. destruct H as [_ H].
  apply agree_ratio in H. destruct H as [<- H]. apply agree_ratio in H. destruct H as [<- H].
  apply model_once in H; [|apply U|apply U]. destruct H as [<- H]. repeat (split; [assumption || reflexivity|]).
  unfold items_of_lower in H at 1 2. cbn [app] in H. apply past_curves in H; [|apply all_curves|apply all_curves].
  unfold items_of_upper in H. cbn [app] in H. exact (lower_once p p' _ _ H).
Qed.
