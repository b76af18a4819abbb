(** * Lists of integers read at integer positions

    A row holds values at the consecutive budgets [lo, lo + 1, ...].  [add_shifted] and [add_stretched] add a multiple
    of one row, read at other budgets, to another row in one walk, so that a backup of a whole row takes linear time.  A
    sum is bound to a name before the list goes on: so OCaml computes it first, which is half as fast again. *)

Require Import ZArith List Lia Bool.
Import ListNotations.
Open Scope Z_scope.

Fixpoint znth {X} (l : list X) (i : Z) : option X :=
  match l with
  | [] => None
  | x :: l' => if i =? 0 then Some x else znth l' (i - 1)
  end.

Fixpoint zskip {X} (n : Z) (l : list X) : list X :=
  if n <=? 0 then l else match l with [] => [] | _ :: l' => zskip (n - 1) l' end.

Fixpoint zlen {X} (l : list X) : Z := match l with [] => 0 | _ :: l' => 1 + zlen l' end.

Fixpoint zsum {X} (f : X -> Z) (l : list X) : Z := match l with [] => 0 | x :: l' => f x + zsum f l' end.

(** The value of a row that starts at [lo], at budget [b]; [d] outside. *)
Definition look (d lo : Z) (row : list Z) (b : Z) : Z :=
  if b <? lo then d else match znth row (b - lo) with Some v => v | None => d end.

(** [acc] plus [w] times [row], from the first value of both on; plus [e] where the row has ended. *)
Fixpoint add_rows (e w : Z) (row acc : list Z) : list Z :=
  match acc with
  | [] => []
  | a :: acc' =>
      match row with
      | [] => let x := a + e in x :: add_rows e w [] acc'
      | v :: row' => let x := a + w * v in x :: add_rows e w row' acc'
      end
  end.

(** [acc] at position i, plus [w] times [row] at position k + i, k not positive; [d] outside of the row. *)
Fixpoint add_from (d w k : Z) (row acc : list Z) : list Z :=
  match acc with
  | [] => []
  | a :: acc' => if k <? 0 then let x := a + w * d in x :: add_from d w (k + 1) row acc' else add_rows (w * d) w row acc
  end.

(** The same for a row at positions k + i where k may be positive. *)
Definition add_shifted (d w k : Z) (row acc : list Z) : list Z := add_from d w (Z.min k 0) (zskip k row) acc.

(** [acc] at position i, plus [w] times the row, which starts at position [pos], at (x + i stretch) / shrink - base. *)
Fixpoint add_stretched (d w stretch shrink base x pos : Z) (row acc : list Z) : list Z :=
  match acc with
  | [] => []
  | a :: acc' =>
      let i := x / shrink - base in
      if i <? 0 then let y := a + w * d in y :: add_stretched d w stretch shrink base (x + stretch) pos row acc'
      else let row' := zskip (i - pos) row in
           match row' with
           | [] => let y := a + w * d in y :: add_stretched d w stretch shrink base (x + stretch) i row' acc'
           | v :: _ => let y := a + w * v in y :: add_stretched d w stretch shrink base (x + stretch) i row' acc'
           end
  end.

(** The first [c] values of [l], then [rest]; if [l] is shorter, [l] alone. *)
Fixpoint take_then {X} (c : Z) (l rest : list X) : list X :=
  if c <=? 0 then rest else match l with [] => [] | x :: l' => x :: take_then (c - 1) l' rest end.

Fixpoint zmap2 (f : Z -> Z -> Z) (l m : list Z) : list Z :=
  match l, m with
  | x :: l', y :: m' => let z := f x y in z :: zmap2 f l' m'
  | _, _ => []
  end.

(** As many units as a window has budgets. *)
Definition counter (lo hi : Z) : list unit := repeat tt (Z.to_nat (hi - lo + 1)).

(** The quotient rounded up. *)
Definition cdiv (a b : Z) : Z := - ((- a) / b).

(** ** What they compute: [along f b l] is f b, f (b + 1), ..., one value for each element of [l] *)

Fixpoint along {X Y} (f : Z -> Y) (b : Z) (l : list X) : list Y :=
  match l with [] => [] | _ :: l' => f b :: along f (b + 1) l' end.

Lemma zlen_nonneg {X} (l : list X) : 0 <= zlen l.
Proof. induction l; cbn [zlen]; lia. Qed.

Lemma znth_neg {X} (l : list X) i : i < 0 -> znth l i = None.
Proof.
  revert i; induction l as [|x l IH]; intros i Hi; [reflexivity|]. cbn [znth]. destruct (Z.eqb_spec i 0); [lia|].
  apply IH; lia.
Qed.

Lemma znth_beyond {X} (l : list X) i : zlen l <= i -> znth l i = None.
Proof.
  revert i; induction l as [|x l IH]; intros i Hi; [reflexivity|]. cbn [znth zlen] in *. pose proof (zlen_nonneg l).
  destruct (Z.eqb_spec i 0); [lia|]. apply IH; lia.
Qed.

Lemma znth_inside {X} (l : list X) i x : znth l i = Some x -> 0 <= i < zlen l.
Proof.
  intros H. split.
  - destruct (Z_lt_le_dec i 0) as [Hi|]; [|assumption]. now rewrite znth_neg in H.
  - destruct (Z_lt_le_dec i (zlen l)) as [|Hi]; [assumption|]. now rewrite znth_beyond in H.
Qed.

Lemma znth_In {X} (l : list X) i x : znth l i = Some x -> In x l.
Proof.
  revert i; induction l as [|y l IH]; cbn [znth]; intros i H; [discriminate|].
  destruct (i =? 0); [injection H as <-; now left | right; eauto].
Qed.

Lemma zskip_nonpos {X} n (l : list X) : n <= 0 -> zskip n l = l.
Proof. intros H; destruct l; cbn [zskip]; destruct (Z.leb_spec n 0); try reflexivity; lia. Qed.

Lemma znth_zskip {X} (l : list X) n i : 0 <= n -> 0 <= i -> znth (zskip n l) i = znth l (n + i).
Proof.
  revert n i; induction l as [|x l IH]; intros n i Hn Hi; cbn [zskip].
  - destruct (n <=? 0); reflexivity.
  - destruct (Z.leb_spec n 0) as [H|H]; [replace (n + i) with i by lia; reflexivity|].
    rewrite IH by lia. cbn [znth]. destruct (Z.eqb_spec (n + i) 0); [lia|]. f_equal; lia.
Qed.

Lemma zlen_zskip {X} (l : list X) n : 0 <= n -> zlen (zskip n l) = Z.max 0 (zlen l - n).
Proof.
  revert n; induction l as [|x l IH]; intros n Hn; cbn [zskip zlen].
  - destruct (n <=? 0); cbn [zlen]; lia.
  - pose proof (zlen_nonneg l). destruct (Z.leb_spec n 0); cbn [zlen]; [lia|]. rewrite IH; lia.
Qed.

Lemma zlen_along {X Y} (f : Z -> Y) b (l : list X) : zlen (along f b l) = zlen l.
Proof. revert b; induction l as [|x l IH]; intros b; cbn [along zlen]; [reflexivity | now rewrite IH]. Qed.

Lemma znth_along {X Y} (f : Z -> Y) b (l : list X) i : 0 <= i < zlen l -> znth (along f b l) i = Some (f (b + i)).
Proof.
  revert b i; induction l as [|x l IH]; intros b i Hi; cbn [along zlen znth] in *; [lia|].
  destruct (Z.eqb_spec i 0) as [->|Hne]; [f_equal; f_equal; lia|]. rewrite IH by lia. f_equal; f_equal; lia.
Qed.

Lemma along_ext {X Y} (f g : Z -> Y) b (l : list X) :
  (forall c, b <= c -> f c = g c) -> along f b l = along g b l.
Proof.
  revert b; induction l as [|x l IH]; intros b H; cbn [along]; [reflexivity|].
  rewrite H by lia. f_equal. apply IH; intros; apply H; lia.
Qed.

Lemma zskip_along {X Y} (f : Z -> Y) n b (l : list X) : 0 <= n -> zskip n (along f b l) = along f (b + n) (zskip n l).
Proof.
  revert n b; induction l as [|x l IH]; intros n b Hn; cbn [along zskip]; destruct (Z.leb_spec n 0); try reflexivity.
  - cbn [along]. now replace (b + n) with b by lia.
  - rewrite IH by lia. f_equal; lia.
Qed.

Lemma zmap2_along {X} (h : Z -> Z -> Z) f g b (l : list X) :
  zmap2 h (along f b l) (along g b l) = along (fun c => h (f c) (g c)) b l.
Proof. revert b; induction l as [|x l IH]; intros b; cbn [along zmap2]; [reflexivity | now rewrite IH]. Qed.

Lemma map_along {X Y Y'} (h : Y -> Y') (f : Z -> Y) b (l : list X) :
  map h (along f b l) = along (fun c => h (f c)) b l.
Proof. revert b; induction l as [|x l IH]; intros b; cbn [along map]; [reflexivity | now rewrite IH]. Qed.

Lemma zlen_repeat n : zlen (repeat tt n) = Z.of_nat n.
Proof. induction n as [|n IH]; [reflexivity|]. cbn [repeat zlen]. rewrite IH. lia. Qed.

Lemma zlen_counter lo hi : zlen (counter lo hi) = Z.max 0 (hi - lo + 1).
Proof. unfold counter. rewrite zlen_repeat. lia. Qed.

Lemma look_nil d lo b : look d lo [] b = d.
Proof. unfold look; cbn. now destruct (b <? lo). Qed.

Lemma look_along {X} d lo f (l : list X) b : lo <= b < lo + zlen l -> look d lo (along f lo l) b = f b.
Proof.
  intros H. unfold look. destruct (Z.ltb_spec b lo); [lia|]. rewrite znth_along by lia. f_equal; lia.
Qed.

Lemma look_outside d lo row b : b < lo \/ lo + zlen row <= b -> look d lo row b = d.
Proof.
  intros H. unfold look. destruct (Z.ltb_spec b lo); [reflexivity|]. rewrite znth_beyond by lia. reflexivity.
Qed.

Lemma look_cons d k v row : 0 < k -> look d 0 (v :: row) k = look d 0 row (k - 1).
Proof.
  intros H. unfold look. destruct (Z.ltb_spec k 0), (Z.ltb_spec (k - 1) 0); try lia. cbn [znth].
  destruct (Z.eqb_spec (k - 0) 0); [lia|]. now replace (k - 1 - 0) with (k - 0 - 1) by lia.
Qed.

Lemma add_rows_along {X} d w (g : Z -> Z) (l : list X) : forall row b,
  add_rows (w * d) w row (along g b l) = along (fun c => g c + w * look d 0 row (c - b)) b l.
Proof.
  induction l as [|x l IH]; intros row b; [reflexivity|]. cbn [along add_rows]. replace (b - b) with 0 by lia.
  destruct row as [|v row].
  - rewrite look_nil. f_equal. rewrite IH. apply along_ext; intros c Hc. now rewrite !look_nil.
  - unfold look at 1; cbn [znth]. change (0 <? 0) with false. cbn. f_equal. rewrite IH. apply along_ext; intros c Hc.
    rewrite look_cons by lia. do 3 f_equal. lia.
Qed.

Lemma add_from_along {X} d w (g : Z -> Z) (l : list X) : forall k row b, k <= 0 ->
  add_from d w k row (along g b l) = along (fun c => g c + w * look d 0 row (k + (c - b))) b l.
Proof.
  induction l as [|x l IH]; intros k row b Hk; [reflexivity|]. cbn [along add_from].
  destruct (Z.ltb_spec k 0) as [Hn|Hn].
  - replace (k + (b - b)) with k by lia. rewrite (look_outside d 0 row k) by lia. f_equal. rewrite IH by lia.
    apply along_ext; intros c Hc.
    do 3 f_equal. lia.
  - assert (k = 0) as -> by lia. change (g b :: along g (b + 1) l) with (along g b (x :: l)). rewrite add_rows_along.
    reflexivity.

Qed.

Lemma look_skip d k row i : 0 <= k -> 0 <= i -> look d 0 (zskip k row) i = look d 0 row (k + i).
Proof.
  intros Hk Hi. unfold look. destruct (Z.ltb_spec i 0), (Z.ltb_spec (k + i) 0); try lia.
  rewrite !Z.sub_0_r, znth_zskip by lia. reflexivity.
Qed.

Lemma add_shifted_along {X} d w k row (g : Z -> Z) b (l : list X) :
  add_shifted d w k row (along g b l) = along (fun c => g c + w * look d 0 row (k + (c - b))) b l.
Proof.
  unfold add_shifted. rewrite add_from_along by lia. apply along_ext; intros c Hc. do 2 f_equal.
  destruct (Z_le_gt_dec k 0) as [H|H].
  - rewrite zskip_nonpos by lia. f_equal; lia.
  - rewrite look_skip by lia. f_equal; lia.
Qed.

Lemma zskip_zskip {X} (l : list X) : forall pos i, 0 <= pos -> pos <= i -> zskip (i - pos) (zskip pos l) = zskip i l.
Proof.
  induction l as [|r l IH]; intros pos i Hpos Hle; cbn [zskip].
  - destruct (pos <=? 0); cbn [zskip]; destruct (i - pos <=? 0), (i <=? 0); reflexivity.
  - destruct (Z.leb_spec pos 0).
    + replace (i - pos) with i by lia. reflexivity.
    + destruct (Z.leb_spec i 0); [lia|]. rewrite <- (IH (pos - 1) (i - 1)) by lia. f_equal. lia.
Qed.

Lemma add_stretched_along {X} d w stretch shrink base (g : Z -> Z) (row0 : list Z) (l : list X) :
  0 < stretch -> 0 < shrink -> forall x pos row b, 0 <= pos -> row = zskip pos row0 ->
  pos = 0 \/ pos <= x / shrink - base ->
  add_stretched d w stretch shrink base x pos row (along g b l) =
  along (fun c => g c + w * look d 0 row0 ((x + stretch * (c - b)) / shrink - base)) b l.
Proof.
  intros Hs Hk. induction l as [|y l IH]; intros x pos row b Hpos Hrow Hle; [reflexivity|]. cbn [along add_stretched].
  replace (x + stretch * (b - b)) with x by lia.
  assert (Hmono : x / shrink <= (x + stretch) / shrink) by (apply Z.div_le_mono; lia).
  assert (Htail : forall pos' row', 0 <= pos' -> row' = zskip pos' row0 -> pos' = 0 \/
    pos' <= (x + stretch) / shrink - base ->
    add_stretched d w stretch shrink base (x + stretch) pos' row' (along g (b + 1) l) =
    along (fun c => g c + w * look d 0 row0 ((x + stretch * (c - b)) / shrink - base)) (b + 1) l).
  { intros pos' row' H1 H2 H3. rewrite (IH _ pos' row' _ H1 H2 H3). apply along_ext; intros c Hc.
    replace (x + stretch + stretch * (c - (b + 1))) with (x + stretch * (c - b)) by lia. reflexivity. }
  destruct (Z.ltb_spec (x / shrink - base) 0) as [Hn|Hn].
  - rewrite look_outside by lia. f_equal. apply Htail; [assumption | assumption | lia].
  - set (i := x / shrink - base) in *.
    assert (Hrow' : zskip (i - pos) row = zskip i row0).
    { rewrite Hrow. apply zskip_zskip; lia. }
    rewrite Hrow'. assert (Hval : look d 0 row0 i = match zskip i row0 with [] => d | v :: _ => v end).
    { replace i with (i + 0) at 1 by lia. rewrite <- look_skip by lia. destruct (zskip i row0); reflexivity. }
    rewrite Hval. destruct (zskip i row0) as [|v row'] eqn:Eq; f_equal; apply Htail; try lia; now symmetry.
Qed.

(** Reading a row at [c] is reading it from 0 at [c - lo]. *)
Lemma look_shift d lo row c : look d lo row c = look d 0 row (c - lo).
Proof.
  unfold look. destruct (Z.ltb_spec c lo), (Z.ltb_spec (c - lo) 0); try lia; try reflexivity. now rewrite Z.sub_0_r.
Qed.

Lemma take_then_spec {X} (l rest : list X) : forall c i x, znth (take_then c l rest) i = Some x ->
  (i < c /\ znth l i = Some x) \/ (Z.max c 0 <= i /\ znth rest (i - Z.max c 0) = Some x).
Proof.
  induction l as [|y l IH]; intros c i x; cbn [take_then].
  - destruct (Z.leb_spec c 0) as [H|H]; [|discriminate]. intros Hx. right. pose proof (znth_inside _ _ _ Hx).
    replace (Z.max c 0) with 0 by lia. rewrite Z.sub_0_r. split; [lia | assumption].
  - destruct (Z.leb_spec c 0) as [H|H]; [intros Hx; right; pose proof (znth_inside _ _ _ Hx);
      replace (Z.max c 0) with 0 by lia; rewrite Z.sub_0_r; split; [lia | assumption]|].
    intros Hx. pose proof (znth_inside _ _ _ Hx) as Hr. cbn [znth] in Hx |- *.
    destruct (Z.eqb_spec i 0) as [->|Hne]; [left; split; [lia | assumption]|].
    destruct (IH _ _ _ Hx) as [[H1 H2]|[H1 H2]]; [left; split; [lia | assumption]|].
    right. split; [lia|]. replace (i - Z.max c 0) with (i - 1 - Z.max (c - 1) 0) by lia. assumption.
Qed.

(** ** Division that rounds down and up *)

Lemma div_mul_le a b : 0 < b -> a / b * b <= a.
Proof. intros H. pose proof (Z.mul_div_le a b H). lia. Qed.

Lemma le_cdiv_mul a b : 0 < b -> a <= cdiv a b * b.
Proof. intros H. unfold cdiv. pose proof (Z.mul_div_le (- a) b H). lia. Qed.

Lemma cdiv_mul_lt a b : 0 < b -> cdiv a b * b < a + b.
Proof. intros H. unfold cdiv. pose proof (Z.mul_succ_div_gt (- a) b H). lia. Qed.

(** ** Sums *)

Lemma zsum_ext {X} (f g : X -> Z) l : (forall x, In x l -> f x = g x) -> zsum f l = zsum g l.
Proof.
  induction l as [|x l IH]; cbn [zsum]; intros H; [reflexivity|]. rewrite (H x) by now left.
  f_equal. apply IH; intros; apply H; now right.
Qed.
