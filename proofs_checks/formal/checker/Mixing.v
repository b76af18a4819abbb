(** * Averages of rows in two stages

    Where reward and next state are independent, weight = q p for a next state and a reward, the average of the next
    rows is an average over rewards of one row: their average over next states.  For n next states and k rewards these
    are n + k walks along a row instead of n k.  Each stage averages differences to its first row, which are small, and
    rounds: so numbers stay within a machine word, where zarith is fast.

    [factors] proposes numbers p and q; [is_product] says whether they are right, and only that is relied upon. *)

Require Import ZArith List Bool Lia.
From VerifiedRisk Require Import Rows.
Import ListNotations.
Open Scope Z_scope.

(** ** One stage *)

(** [acc] plus [w] times the difference of two rows; [d] where one has ended. *)
Fixpoint add_differences (d w : Z) (row base acc : list Z) : list Z :=
  match acc with
  | [] => []
  | a :: acc' =>
      match row, base with
      | v :: row', z :: base' => let x := a + w * (v - z) in x :: add_differences d w row' base' acc'
      | v :: row', [] => let x := a + w * (v - d) in x :: add_differences d w row' [] acc'
      | [], z :: base' => let x := a + w * (d - z) in x :: add_differences d w [] base' acc'
      | [], [] => acc
      end
  end.

(** [base] plus the quotients of [acc] by [n], rounded by [div]; [d] where the base has ended. *)
Fixpoint add_quotients (div : Z -> Z -> Z) (n d : Z) (base acc : list Z) : list Z :=
  match acc with
  | [] => []
  | a :: acc' =>
      match base with
      | z :: base' => let x := z + div a n in x :: add_quotients div n d base' acc'
      | [] => let x := d + div a n in x :: add_quotients div n d [] acc'
      end
  end.

(** The average of rows with weights that sum to [n]; as long as [room]. *)
Fixpoint sum_differences (d : Z) (base : list Z) (rows : list (Z * list Z)) (acc : list Z) : list Z :=
  match rows with
  | [] => acc
  | (w, row) :: rows' => sum_differences d base rows' (add_differences d w row base acc)
  end.
Definition average_rows (div : Z -> Z -> Z) (n d : Z) (rows : list (Z * list Z)) (room : list Z) : list Z :=
  match rows with
  | [] => room
  | (_, base) :: rows' => add_quotients div n d base (sum_differences d base rows' room)
  end.

(** The row from position [k] on; [d] at positions below 0. *)
Fixpoint before_row (d : Z) (n : nat) (row : list Z) : list Z :=
  match n with O => row | S n' => d :: before_row d n' row end.
Definition row_from (d k : Z) (row : list Z) : list Z :=
  if k <? 0 then before_row d (Z.to_nat (- k)) row else zskip k row.

(** ** What a stage computes *)

Definition row_value (d : Z) (row : list Z) (i : Z) : Z := look d 0 row i.

Lemma value_nil d i : row_value d [] i = d.
Proof. apply look_nil. Qed.

Lemma value_0 d v row : row_value d (v :: row) 0 = v.
Proof. reflexivity. Qed.

Lemma value_next d v row i : 0 < i -> row_value d (v :: row) i = row_value d row (i - 1).
Proof. apply look_cons. Qed.

Lemma add_differences_along {X} d w F (l : list X) : forall row base b,
  add_differences d w row base (along F b l) =
    along (fun c => F c + w * (row_value d row (c - b) - row_value d base (c - b))) b l.
Proof.
  induction l as [|x l IH]; intros row base b; [reflexivity|]. cbn [along add_differences].
  assert (Hnext : forall v row' c, b + 1 <= c -> row_value d (v :: row') (c - b) = row_value d row' (c - (b + 1))).
  { intros v row' c Hc. rewrite value_next by lia. f_equal. lia. }
  replace (b - b) with 0 by lia.
  destruct row as [|v row], base as [|z base]; rewrite ?value_nil, ?value_0.
  - change (F b :: along F (b + 1) l) with (along F b (x :: l)). cbn [along]. f_equal; [lia|].
    apply along_ext. intros c Hc. rewrite !value_nil. lia.
  - f_equal. rewrite IH. apply along_ext. intros c Hc. now rewrite !value_nil, Hnext.
  - f_equal. rewrite IH. apply along_ext. intros c Hc. now rewrite !value_nil, Hnext.
  - f_equal. rewrite IH. apply along_ext. intros c Hc. now rewrite !Hnext.
Qed.

Lemma add_quotients_along {X} div n d F (l : list X) : forall base b,
  add_quotients div n d base (along F b l) = along (fun c => row_value d base (c - b) + div (F c) n) b l.
Proof.
  induction l as [|x l IH]; intros base b; [reflexivity|]. cbn [along add_quotients]. replace (b - b) with 0 by lia.
  destruct base as [|z base]; rewrite ?value_nil, ?value_0; f_equal; rewrite IH; apply along_ext; intros c Hc.
  - now rewrite !value_nil.
  - rewrite value_next by lia. do 2 f_equal. lia.
Qed.

Lemma sum_differences_along {X} d base b (l : list X) : forall rows F,
  sum_differences d base rows (along F b l) =
  along (fun c => F c + zsum (fun wr => fst wr * (row_value d (snd wr) (c - b) - row_value d base (c - b))) rows) b l.
Proof.
  induction rows as [|[w row] rows IH]; intros F; cbn [sum_differences zsum fst snd].
  - apply along_ext. intros; lia.
  - rewrite add_differences_along, IH. apply along_ext. intros; lia.
Qed.

Definition average_value (div : Z -> Z -> Z) (n d : Z) (rows : list (Z * list Z)) (i : Z) : Z :=
  match rows with
  | [] => 0
  | (_, base) :: rows' => row_value d base i +
    div (zsum (fun wr => fst wr * (row_value d (snd wr) i - row_value d base i)) rows') n
  end.

Lemma average_rows_along {X} div n d rows b (l : list X) :
  average_rows div n d rows (along (fun _ => 0) b l) = along (fun c => average_value div n d rows (c - b)) b l.
Proof.
  unfold average_rows, average_value. destruct rows as [|[w base] rows]; [reflexivity|].
  rewrite sum_differences_along, add_quotients_along. apply along_ext. reflexivity.
Qed.

(** An average of differences to the first row is that of the rows, rounded. *)
Lemma average_value_sum d rows i : exists x0 D,
  zsum (fun wr => fst wr * row_value d (snd wr) i) rows = zsum fst rows * x0 + D /\
  forall div n, rows <> [] -> average_value div n d rows i = x0 + div D n.
Proof.
  destruct rows as [|[w base] rows]; [exists 0, 0; split; [reflexivity | congruence]|].
  exists (row_value d base i), (zsum (fun wr => fst wr * (row_value d (snd wr) i - row_value d base i)) rows). split.
  - cbn [zsum fst snd]. enough (zsum (fun wr => fst wr * row_value d (snd wr) i) rows =
      zsum fst rows * row_value d base i + zsum (fun wr => fst wr * (row_value d (snd wr) i - row_value d base i)) rows)
        by lia.
    induction rows as [|[w' row] rows IH]; cbn [zsum fst snd]; [lia|]. rewrite IH. lia.
  - intros div n _. reflexivity.
Qed.

Lemma average_below_sum d rows i : rows <> [] -> 0 < zsum fst rows ->
  zsum fst rows * average_value Z.div (zsum fst rows) d rows i <= zsum (fun wr => fst wr * row_value d (snd wr) i) rows.
Proof.
  intros Hne Hn. destruct (average_value_sum d rows i) as [x0 [D [-> H]]]. rewrite H by assumption.
  pose proof (div_mul_le D (zsum fst rows) Hn). lia.
Qed.

Lemma average_above_sum d rows i : rows <> [] -> 0 < zsum fst rows ->
  zsum (fun wr => fst wr * row_value d (snd wr) i) rows <= zsum fst rows * average_value cdiv (zsum fst rows) d rows i.
Proof.
  intros Hne Hn. destruct (average_value_sum d rows i) as [x0 [D [-> H]]]. rewrite H by assumption.
  pose proof (le_cdiv_mul D (zsum fst rows) Hn). lia.
Qed.

Lemma value_before d n row i : 0 <= i -> row_value d (before_row d n row) i = row_value d row (i - Z.of_nat n).
Proof.
  revert i; induction n as [|n IH]; intros i Hi; cbn [before_row]; [f_equal; lia|].
  destruct (Z.eq_dec i 0) as [->|Hne].
  - rewrite value_0. unfold row_value. rewrite look_outside by lia. reflexivity.
  - rewrite value_next, IH by lia. f_equal. lia.
Qed.

Lemma value_row_from d k row i : 0 <= i -> row_value d (row_from d k row) i = row_value d row (k + i).
Proof.
  intros Hi. unfold row_from. destruct (Z.ltb_spec k 0) as [H|H].
  - rewrite value_before by assumption. f_equal. lia.
  - unfold row_value. now apply look_skip.
Qed.

(** ** Both stages *)

(** Rows of a next state and their weights [qs], rewards by the position [k] they read from and their weights [ps]. *)
Definition two_stages (div : Z -> Z -> Z) (d : Z) (qs : list (Z * list Z)) (ps : list (Z * Z)) (room' room : list Z) :
  list Z :=
  let row := average_rows div (zsum fst qs) d qs room' in
  average_rows div (zsum fst ps) d (map (fun pk => (fst pk, row_from d (snd pk) row)) ps) room.

Definition two_stage_value (div : Z -> Z -> Z) (d : Z) (qs : list (Z * list Z)) (ps : list (Z * Z)) (room' : list Z)
  (i : Z) : Z :=
  let row := average_rows div (zsum fst qs) d qs room' in
  average_value div (zsum fst ps) d (map (fun pk => (fst pk, row_from d (snd pk) row)) ps) i.

Lemma two_stages_along {X} div d qs ps room' b (l : list X) :
  two_stages div d qs ps room' (along (fun _ => 0) b l) =
    along (fun c => two_stage_value div d qs ps room' (c - b)) b l.
Proof. unfold two_stages. now rewrite average_rows_along. Qed.

Definition product_sum (d : Z) (qs : list (Z * list Z)) (ps : list (Z * Z)) (i : Z) : Z :=
  zsum (fun pk => fst pk * zsum (fun wr => fst wr * row_value d (snd wr) (snd pk + i)) qs) ps.

Lemma zsum_map {X Y} (f : Y -> Z) (h : X -> Y) l : zsum f (map h l) = zsum (fun x => f (h x)) l.
Proof. induction l as [|x l IH]; cbn [map zsum]; [reflexivity | now rewrite IH]. Qed.

Lemma zsum_le {X} (f g : X -> Z) l : (forall x, In x l -> f x <= g x) -> zsum f l <= zsum g l.
Proof.
  induction l as [|x l IH]; intros H; cbn [zsum]; [lia|]. pose proof (H x (or_introl eq_refl)).
  specialize (IH (fun y Hy => H y (or_intror Hy))). lia.
Qed.

Lemma zsum_scal {X} c (f : X -> Z) l : zsum (fun x => c * f x) l = c * zsum f l.
Proof. induction l as [|x l IH]; cbn [zsum]; lia. Qed.

Lemma zsum_plus {X} (f g : X -> Z) l : zsum (fun x => f x + g x) l = zsum f l + zsum g l.
Proof. induction l as [|x l IH]; cbn [zsum]; lia. Qed.

Section Stages.
  Variables (d : Z) (qs : list (Z * list Z)) (ps : list (Z * Z)) (n : Z).
  Hypothesis Hqs : qs <> [].
  Hypothesis Hps : ps <> [].
  Hypothesis HQ : 0 < zsum fst qs.
  Hypothesis HP : 0 < zsum fst ps.
  Hypothesis Hpos : forall pk, In pk ps -> 0 <= fst pk.
  (** No row is longer than the room that is kept for the average. *)
  Variable room' : list unit.
  Hypothesis Hfit : forall wr, In wr qs -> zlen (snd wr) <= zlen room'.

  Let Q := zsum fst qs.
  Let P := zsum fst ps.

  (** Outside of the room every row is [d], and so is the average. *)
  Lemma average_read (div : Z -> Z -> Z) j : div 0 Q = 0 ->
    row_value d (average_rows div Q d qs (along (fun _ => 0) 0 room')) j = average_value div Q d qs j.
  Proof.
    intros Hdiv. rewrite average_rows_along. unfold row_value at 1.
    assert (Hout : j < 0 \/ zlen room' <= j -> d = average_value div Q d qs j).
    { intros Hj. assert (Hd : forall wr, In wr qs -> row_value d (snd wr) j = d).
      { intros wr Hwr. apply look_outside. pose proof (Hfit wr Hwr). lia. }
      unfold average_value. destruct qs as [|[w base] rows]; [congruence|].
      pose proof (Hd (w, base) (or_introl eq_refl)) as Hbase. cbn [snd] in Hbase. rewrite Hbase.
      rewrite (zsum_ext _ (fun _ => 0 * 0)).
      - rewrite zsum_scal, Z.mul_0_l, Hdiv. lia.
      - intros wr Hwr. rewrite (Hd wr) by now right. lia. }
    destruct (Z_lt_le_dec j 0) as [H|H]; [rewrite look_outside by lia; auto|].
    destruct (Z_lt_le_dec j (zlen room')) as [H'|H'].
    - rewrite look_along by lia. f_equal. lia.
    - rewrite look_outside; [auto | rewrite zlen_along; lia].
  Qed.

  Let row div := average_rows div Q d qs (along (fun _ => 0) 0 room').

  Lemma second_stage div i : 0 <= i ->
    zsum (fun wr => fst wr * row_value d (snd wr) i) (map (fun pk => (fst pk, row_from d (snd pk) (row div))) ps) =
    zsum (fun pk => fst pk * row_value d (row div) (snd pk + i)) ps.
  Proof. intros Hi. rewrite zsum_map. apply zsum_ext. intros pk _. cbn [fst snd]. now rewrite value_row_from. Qed.

  Lemma weights_kept (f : Z * Z -> list Z) : zsum fst (map (fun pk => (fst pk, f pk)) ps) = P.
  Proof. rewrite zsum_map. reflexivity. Qed.

  Lemma rows_kept (f : Z * Z -> list Z) : map (fun pk => (fst pk, f pk)) ps <> [].
  Proof. destruct ps; [congruence | discriminate]. Qed.

  Theorem two_stages_below i : 0 <= i ->
    P * Q * two_stage_value Z.div d qs ps (along (fun _ => 0) 0 room') i <= product_sum d qs ps i.
  Proof.
    intros Hi. unfold two_stage_value. fold Q P. fold (row Z.div).
    pose proof (average_below_sum d (map (fun pk => (fst pk, row_from d (snd pk) (row Z.div))) ps) i (rows_kept _))
      as H.
    rewrite weights_kept, second_stage in H by assumption. specialize (H HP).
    set (x := average_value _ _ _ _ _) in *.
    apply Z.le_trans with (Q * zsum (fun pk => fst pk * row_value d (row Z.div) (snd pk + i)) ps);
      [unfold Q in *; nia|].
    rewrite <- zsum_scal. unfold product_sum. apply zsum_le. intros pk Hpk. specialize (Hpos pk Hpk).
    unfold row. rewrite average_read by (apply Z.div_0_l; unfold Q in *; lia).
    pose proof (average_below_sum d qs (snd pk + i) Hqs HQ) as Hin. fold Q in Hin. nia.
  Qed.

  Theorem two_stages_above i : 0 <= i ->
    product_sum d qs ps i <= P * Q * two_stage_value cdiv d qs ps (along (fun _ => 0) 0 room') i.
  Proof.
    intros Hi. unfold two_stage_value. fold Q P. fold (row cdiv).
    pose proof (average_above_sum d (map (fun pk => (fst pk, row_from d (snd pk) (row cdiv))) ps) i (rows_kept _)) as H.
    rewrite weights_kept, second_stage in H by assumption. specialize (H HP).
    set (x := average_value _ _ _ _ _) in *.
    apply Z.le_trans with (Q * zsum (fun pk => fst pk * row_value d (row cdiv) (snd pk + i)) ps); [|unfold Q in *; nia].
    rewrite <- zsum_scal. unfold product_sum. apply zsum_le. intros pk Hpk. specialize (Hpos pk Hpk).
    unfold row. rewrite average_read by (unfold cdiv; rewrite Z.div_0_l by (unfold Q in *; lia); reflexivity).
    pose proof (average_above_sum d qs (snd pk + i) Hqs HQ) as Hin. fold Q in Hin. nia.
  Qed.
End Stages.
