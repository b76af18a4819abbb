(** * Each part of a certificate is read as it is written: [read_file] answers f only for the words of f *)

Require Import ZArith List Bool Lia String.
From VerifiedRisk Require Import Rows Tree Program Check CurveCheck Text Written Reading Allowed ReadFile.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.
Open Scope list_scope.

Lemma flat_map_single {X Y} (f : X -> Y) l : flat_map (fun x => [f x]) l = map f l.
Proof. induction l as [|x l IH]; cbn; [reflexivity | now rewrite IH]. Qed.

Section Reads.
  Variable t : text.
  Variable allowed : limits.

  Lemma reads_then {X Y} (r : reader X) (k : X -> reader Y) f (Q : Y -> list item -> Prop) : reads t r f ->
    (forall x, gives t (k x) (fun y l => Q y (f x ++ l))) -> gives t (and_then r k) Q.
  Proof. intros H1 H2. eapply gives_bind; [exact H1|]. intros x l ->. apply H2. Qed.
  Lemma unless_then {Y} why (k : unit -> reader Y) (Q : Y -> list item -> Prop) : gives t (k tt) Q ->
    gives t (and_then (unless why) k) Q.
  Proof.
    intros H. eapply gives_bind; [apply (gives_unless t why (fun _ l => l = [])); reflexivity|]. now intros [] l ->.
  Qed.

  Local Hint Resolve reads_integer reads_ratio reads_natural reads_positive_number reads_between reads_state reads_here
    : reading.
  Local Hint Extern 1 (reads _ (keyword _ _) _) => apply gives_keyword; split; [discriminate | reflexivity] : reading.
  Local Hint Extern 1 (reads _ (several _ _ _ _) _) => apply reads_several; [lia|] : reading.
  Local Hint Extern 1 (reads _ (several_to _ _ _ _ _) _) => apply reads_several; [lia|] : reading.
  Local Hint Extern 1 (reads _ (states_to _ _ _ _ _ _) _) => apply reads_states_to; [lia|] : reading.
  Local Hint Extern 1 (reads _ (exactly _ _) _) => apply reads_exactly : reading.

  (** All that is left at the end is how lists are put together. *)
  Ltac together := cbn [app flat_map map]; rewrite ?flat_map_single, ?app_nil_r, <- ?app_assoc; reflexivity.
  Ltac part :=
    cbn beta; lazymatch goal with
    | |- reads _ _ _ => unfold reads; part
    | |- gives _ (answered _) _ => apply gives_ret; try together
    | |- gives _ (and_then (unless _) _) _ => apply unless_then; part
    | |- gives _ (and_then _ _) _ => try (eapply reads_then; [solve [eauto 4 with reading] | intros ?; part])
    | |- gives _ (select _ _ _ _) _ =>
        apply gives_select;
        repeat (apply Forall_cons; [split; [split; [discriminate | reflexivity] | cbn [fst snd]; part]|]);
          try apply Forall_nil
    | |- _ => idtac
    end.

  Lemma reads_corners : reads t (read_corners t) items_of_corners.
  Proof. apply reads_several; [lia|]. part. Qed.
  Local Hint Resolve reads_corners : reading.

  Lemma reads_part : reads t (read_part t) items_of_part.
  Proof.
    unfold read_part, read_exponent. part.
    all: match goal with |- _ = items_of_part (Whole (_ (num ?q) (den ?q))) => destruct q end; reflexivity.
  Qed.
  Local Hint Resolve reads_part : reading.

  Lemma reads_objective : reads t (read_objective t) items_of_question.
  Proof.
    unfold read_objective.
    assert (H : reads t (keyword t "weight" ;; let* w := rational t "the weight of a curve" in let* p := read_part t in
      answered (w, p))
      (fun wp => Name "weight" :: Ratio (fst wp) :: items_of_part (snd wp))) by part.
    part.
  Qed.

  Lemma reads_outcome states : reads t (read_outcome t states) items_of_outcome.
  Proof. unfold read_outcome. part. Qed.
  Local Hint Resolve reads_outcome : reading.
  Lemma reads_action states : reads t (read_action t states) items_of_action.
  Proof. unfold read_action. part. Qed.
  Local Hint Resolve reads_action : reading.
  Lemma reads_block states left : reads t (read_block t states left) items_of_block.
  Proof. unfold read_block. part. Qed.

  Lemma reads_model : gives t (read_model t) (fun wh l => l = items_of_model (fst wh)).
  Proof.
    unfold read_model.
    assert (N : reads t (natural t "an initial weight") (fun n => [Int n])) by apply reads_natural.
    do 7 (eapply reads_then; [solve [eauto 4 with reading] | intros ?]).
    eapply gives_bind; [apply gives_between | intros horizon ? [-> H]].
    part. eapply gives_bind; [apply (gives_fill t horizon _ items_of_block (reads_block _)); lia|].
    intros l ? [-> F]. apply gives_ret. unfold items_of_model. cbn [fst file_discount file_reward_den state_count
      file_initial_den file_initial blocks]. rewrite F. together.
  Qed.

  Lemma reads_number f what : reads t (point_number t f what) (fun q => [Ratio q]).
  Proof. unfold point_number. part. Qed.
  Local Hint Resolve reads_number : reading.
  Lemma reads_hint f : reads t (hint t f) (fun q => [Ratio q]).
  Proof. unfold hint. part. Qed.
  Local Hint Resolve reads_hint : reading.
  Lemma reads_point f : reads t (read_point t f) items_of_point.
  Proof. unfold read_point. part. Qed.
  Local Hint Resolve reads_point : reading.
  Lemma reads_bends f : reads t (read_bends t f) (items_of_list items_of_cell).
  Proof. apply reads_several; [lia|]. part. Qed.
  Local Hint Resolve reads_bends : reading.
  Lemma reads_turn f : reads t (read_turn t f) (items_of_turn f).
  Proof. destruct f; unfold read_turn; part. Qed.
  Local Hint Resolve reads_turn : reading.
  Lemma reads_support f : reads t (read_support t f) items_of_support.
  Proof. unfold read_support. part. Qed.
  Local Hint Resolve reads_support : reading.
  Lemma reads_bounds n f : reads t (read_bounds t n f) (items_of_bounds f).
  Proof.
    assert (H : reads t (let* y := point_number t f "a height" in let* s := read_support t f in answered (y, s))
      (fun ys => Ratio (fst ys) :: items_of_support (snd ys))) by part.
    unfold read_bounds. part.
  Qed.
  Local Hint Resolve reads_bounds : reading.
  Lemma reads_all_bounds n o : reads t (read_all_bounds t n o) (items_of_all_bounds o).
  Proof. induction o as [|[w f] o IH]; cbn [read_all_bounds]; part. Qed.
  Local Hint Resolve reads_all_bounds : reading.
  Lemma reads_room parts : reads t (read_room t parts)
    (fun e => match e with Some e => [Name "room"; Ratio e] | None => [] end).
  Proof. unfold read_room. destruct (has_upper parts); part. Qed.
  Local Hint Resolve reads_room : reading.
  Lemma reads_curves q : gives t (read_curves t q)
    (fun q' l => l = items_of_curves q' /\ items_of_question q' = items_of_question q).
  Proof.
    destruct q as [o|parts e marks l]; unfold read_curves; part; (split; [together | reflexivity]).
  Qed.

  Lemma reads_scale : reads t (read_scale t) (fun z => [Int z]).
  Proof. apply reads_positive_number. Qed.
  Local Hint Resolve reads_scale : reading.
  Lemma reads_unit : reads t (read_unit t) (fun u => [Name "unit"; Ratio u]).
  Proof.
    unfold read_unit. part. intros i u j E. destruct (rational t "the unit" i) as [u' j'|] eqn:R; [|discriminate].
    destruct (0 <? num u'); [|discriminate]. injection E as <- <-.
    destruct (reads_ratio t _ _ _ _ R) as [l [T ->]]. now exists [Ratio u'].
  Qed.
  Local Hint Resolve reads_unit : reading.
  Lemma reads_windows horizon a b : reads t (read_windows t horizon a b) (fun ws => Name "windows" :: flat_map pair ws).
  Proof.
    assert (H : reads t (let* lo := integer t a in let* hi := integer t b in answered (lo, hi)) pair) by part.
    unfold read_windows. eapply reads_then; [solve [eauto 4 with reading] | intros ?].
    apply (gives_weaker _ _ _ _ (reads_exactly t _ _ _ H)). now intros y l ->.
  Qed.
  Local Hint Resolve reads_windows : reading.
  Lemma reads_grid horizon : reads t (read_grid t horizon) items_of_grid.
  Proof. unfold read_grid. part. Qed.
  Local Hint Resolve reads_grid : reading.
  Lemma reads_cells horizon : reads t (read_cells t horizon) items_of_cells.
  Proof. unfold read_cells. part. Qed.
  Local Hint Resolve reads_cells : reading.
  Lemma reads_start what : reads t (read_start t what) (fun z => [Name "start"; Int z]).
  Proof.
    unfold read_start. part. apply (gives_weaker _ _ _ _ (reads_integer t what)). now intros y l ->.
  Qed.
  Local Hint Resolve reads_start : reading.
  Lemma reads_played : reads t (read_played t) (fun i => [Int i]).
  Proof. apply reads_between. Qed.
  Local Hint Resolve reads_played : reading.
  Lemma reads_run : reads t (read_run t) pair.
  Proof. unfold read_run. part. Qed.
  Local Hint Resolve reads_run : reading.
  Lemma reads_choices {X} states (r : reader X) f : reads t r f -> reads t (read_choices t states r)
    (items_of_choices f).
  Proof.
    intros H. unfold read_choices. eapply reads_then; [solve [eauto 4 with reading] | intros ?].
    apply (gives_weaker _ _ _ _ (reads_states_to t "the number of states of the step" 0 "the state" states r f
      ltac:(lia) H)).
    now intros y l ->.
  Qed.
  Local Hint Resolve reads_choices : reading.
  Lemma reads_all_choices {X} states horizon (r : reader X) f : reads t r f ->
    reads t (read_all_choices t states horizon r) (flat_map (items_of_choices f)).
  Proof. intros H. now apply reads_exactly, reads_choices. Qed.
  Local Hint Resolve reads_all_choices : reading.
  Lemma reads_rule : reads t (read_rule t) items_of_rule.
  Proof.
    assert (H : reads t (let* z := integer t "a reward" in let* s := integer t "the shift of a move" in
      let* c := natural t "the coin of a move" in answered (z, (s, c)))
      (fun m => [Int (fst m); Int (fst (snd m)); Int (snd (snd m))])) by part.
    unfold read_rule. part.
  Qed.
  Local Hint Resolve reads_rule : reading.
  Lemma reads_row : reads t (read_row t) items_of_row.
  Proof. unfold read_row. part. Qed.
  Local Hint Resolve reads_row : reading.
  Lemma reads_machine states horizon : reads t (read_machine t states horizon) items_of_machine.
  Proof.
    assert (H : reads t (let* r := read_rule t in let* rows := read_choices t states (read_row t) in answered (r, rows))
      (fun x => items_of_rule (fst x) ++ items_of_choices items_of_row (snd x))) by part.
    unfold read_machine. part.
  Qed.
  Local Hint Resolve reads_machine : reading.
  Lemma reads_costs left : reads t (read_costs t left) pair.
  Proof. unfold read_costs. part. Qed.
  Lemma reads_fill_costs n : (0 <= n)%Z -> reads t (fill n (read_costs t)) (flat_map pair).
  Proof.
    intros H. apply (gives_weaker _ _ _ _ (gives_fill t n _ _ reads_costs H)). now intros y l [-> _].
  Qed.
  Lemma multipliers_nonneg ws : (0 <= multipliers ws)%Z.
  Proof. unfold multipliers. lia. Qed.
  Local Hint Resolve reads_fill_costs multipliers_nonneg Z.le_max_l : reading.
  Lemma reads_lower k o : reads t (read_lower t k o) items_of_lower.
  Proof. unfold read_lower. cbv zeta. part. Qed.
  Lemma reads_cover n large wide contracting levels depth : (0 <= n)%Z ->
    reads t (read_cover t n large wide contracting levels depth) items_of_cover.
  Proof.
    intros H. revert levels. induction depth as [|depth IH]; intros levels; cbn [read_cover]; [discriminate|].
    destruct contracting, levels; cbn [app]; part.
  Qed.
  Local Hint Resolve reads_cover : reading.
  Lemma reads_upper k o : reads t (read_upper t k o) items_of_upper.
  Proof. unfold read_upper. cbv zeta. part. Qed.

  Local Hint Resolve reads_lower reads_upper reads_objective : reading.
  Theorem reads_file : reads t (read_file t allowed) (fun f => items_of_file (read f)).
  Proof.
    unfold read_file. part. eapply gives_bind; [apply reads_model|]. intros model ? ->. cbv zeta. part.
    eapply gives_bind; [apply reads_curves|]. intros q ? [-> E]. part.
    unfold items_of_file. cbn [read format asked claimed described lower_part upper_part lower upper]. rewrite E.
      together.
  Qed.
End Reads.
