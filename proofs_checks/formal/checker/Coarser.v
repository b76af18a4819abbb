(** * Every second node of a polygon

    [coarsened_polygon_le]: the polygon through every second node, lowered by what its chords exceed the nodes
    between, is below the polygon through all nodes. *)

Require Import ZArith Reals Lra Lia List Bool.
From VerifiedRisk Require Import Rows Tree Program Check InterpolationCheck CellsCheck TablesBelow Interpolation.
Import ListNotations.
Open Scope Z_scope.

(** ** Rows as functions *)

Lemma along_same {X X' Y} (f : Z -> Y) (l : list X) : forall b (l' : list X'),
  zlen l = zlen l' -> along f b l = along f b l'.
Proof.
  induction l as [|x l IH]; intros b [|x' l'] H; cbn [zlen along] in *; try reflexivity.
  - pose proof (zlen_nonneg l'). lia.
  - pose proof (zlen_nonneg l). lia.
  - f_equal. apply IH. lia.
Qed.

Lemma row_is_along d row : forall lo, row = along (look d lo row) lo row.
Proof.
  induction row as [|x row IH]; intros lo; [reflexivity|]. cbn [along]. f_equal.
  - unfold look. destruct (Z.ltb_spec lo lo); [lia|]. now rewrite Z.sub_diag.
  - rewrite (IH (lo + 1)) at 1. apply along_ext. intros c Hc. rewrite !(look_shift d _ _ c), look_cons by lia. f_equal.
    lia.
Qed.

Lemma row_along d row lo hi : zlen row = hi - lo + 1 -> row = along (look d lo row) lo (counter lo hi).
Proof.
  intros H. rewrite (row_is_along d row lo) at 1. apply along_same. rewrite zlen_counter. pose proof (zlen_nonneg row).
  lia.
Qed.

(** ** Halving a row *)

Section Half.
  Variable F : Z -> Z.
  Let D (c : Z) : Z := Z.max 0 (cdiv (F (2 * c) + F (2 * c + 2) - 2 * F (2 * c + 1)) 2).

  Lemma half_nodes_along n : forall k, half_nodes (along F (2 * k) (repeat tt (2 * n + 1))) =
    along (fun c => F (2 * c)) k (repeat tt (S n)).
  Proof.
    induction n as [|n IH]; intros k; [reflexivity|].
    replace (2 * S n + 1)%nat with (S (S (2 * n + 1))) by lia. cbn [repeat along half_nodes]. f_equal.
    replace (2 * k + 1 + 1) with (2 * (k + 1)) by lia. rewrite IH. reflexivity.
  Qed.

  Lemma half_excess_along n : forall k, half_excess (along F (2 * k) (repeat tt (2 * n + 1))) =
    along (fun c => if c <? k + Z.of_nat n then D c else 0) k (repeat tt (S n)).
  Proof.
    induction n as [|n IH]; intros k.
    - cbn. destruct (Z.ltb_spec k (k + 0)); [lia | reflexivity].
    - replace (2 * S n + 1)%nat with (S (S (2 * n + 1))) by lia. cbn [repeat along].
      replace (2 * k + 1 + 1) with (2 * (k + 1)) by lia. specialize (IH (k + 1)).
      destruct (along F (2 * (k + 1)) (repeat tt (2 * n + 1))) as [|z row] eqn:E.
      { replace (2 * n + 1)%nat with (S (2 * n)) in E by lia. discriminate. }
      assert (Hz : z = F (2 * (k + 1))) by (replace (2 * n + 1)%nat with (S (2 * n)) in E by lia;
        cbn [repeat along] in E; congruence).
      cbn [half_excess]. cbn [half_excess] in IH. rewrite IH. cbn [along]. f_equal.
      + destruct (Z.ltb_spec k (k + Z.of_nat (S n))); [|lia]. unfold D. rewrite Hz.
        replace (2 * (k + 1)) with (2 * k + 2) by lia. reflexivity.
      + replace (k + Z.of_nat (S n)) with (k + 1 + Z.of_nat n) by lia. reflexivity.
  Qed.
End Half.

(** Both ends of a coarse cell are below the nodes by what the chord exceeds the node between. *)
Lemma halved_look d row lo hi : lo <= hi -> zlen row = 2 * hi - 2 * lo + 1 ->
  zlen (halved row) = hi - lo + 1 /\
  forall k, lo <= k < hi -> let x := look d (2 * lo) row in
    exists e, 0 <= e /\ x (2 * k) + x (2 * k + 2) - 2 * x (2 * k + 1) <= 2 * e /\
    look d lo (halved row) k <= x (2 * k) - e /\ look d lo (halved row) (k + 1) <= x (2 * k + 2) - e.
Proof.
  intros Hle Hlen. set (F := look d (2 * lo) row). set (n := Z.to_nat (hi - lo)).
  assert (Hrow : row = along F (2 * lo) (repeat tt (2 * n + 1))).
  { unfold F. rewrite (row_is_along d row (2 * lo)) at 1. apply along_same. rewrite zlen_repeat. unfold n. lia. }
  set (D := fun c => Z.max 0 (cdiv (F (2 * c) + F (2 * c + 2) - 2 * F (2 * c + 1)) 2)).
  set (Q := fun c => if c <? lo then 0 else if c <? lo + Z.of_nat n then D c else 0).
  assert (Hhalf : halved row = along (fun c => F (2 * c) - Z.max (Q (c - 1)) (Q c)) lo (counter lo hi)).
  { unfold halved. rewrite Hrow, half_nodes_along, half_excess_along.
    assert (Hc : counter lo hi = repeat tt (S n)) by (unfold counter, n; f_equal; lia). rewrite Hc.
    replace (0 :: along (fun c => if c <? lo + Z.of_nat n
      then Z.max 0 (cdiv (F (2 * c) + F (2 * c + 2) - 2 * F (2 * c + 1)) 2) else 0) lo (repeat tt (S n)))
      with (along Q (lo - 1) (tt :: repeat tt (S n))).
    - apply lowered_along.
    - cbn [along]. f_equal; [unfold Q; destruct (Z.ltb_spec (lo - 1) lo); [reflexivity | lia]|].
      replace (lo - 1 + 1) with lo by lia.
      change (Q lo :: along Q (lo + 1) (repeat tt n)) with (along Q lo (repeat tt (S n))).
      change (along Q lo (repeat tt (S n)) = along (fun c => if c <? lo + Z.of_nat n then D c else 0) lo
        (repeat tt (S n))).
      apply along_ext. intros c Hc'. unfold Q. destruct (Z.ltb_spec c lo); [lia | reflexivity]. }
  rewrite Hhalf. split; [rewrite zlen_along, zlen_counter; lia|]. intros k Hk x. exists (D k).
  assert (HQ : Q k = D k) by (unfold Q; destruct (Z.ltb_spec k lo); [lia|]; destruct (Z.ltb_spec k (lo + Z.of_nat n));
    unfold n in *; lia).
  rewrite !look_along by (rewrite zlen_counter; lia). replace (k + 1 - 1) with k by lia. rewrite HQ. fold F in x.
  unfold x.
  repeat split; try lia.
  - unfold D. lia.
  - unfold D. pose proof (le_cdiv_mul (F (2 * k) + F (2 * k + 2) - 2 * F (2 * k + 1)) 2 ltac:(lia)). lia.
  - replace (2 * (k + 1)) with (2 * k + 2) by lia. lia.
Qed.

(** ** Polygons *)

Open Scope R_scope.

(** The polygon through a row is at most [X] at the budget [beta], wherever that lies in its window. *)
Definition polygon_le (u : R) (d lo hi : Z) (row : list Z) (beta X : R) : Prop :=
  forall b theta, 0 <= theta <= 1 -> beta = u * (IZR b + theta) -> (lo <= b)%Z -> (b + 1 <= hi)%Z ->
  (1 - theta) * IZR (look d lo row b) + theta * IZR (look d lo row (b + 1)) <= X.

Lemma halved_polygon_le u d lo hi row beta X : (lo <= hi)%Z -> (zlen row = 2 * hi - 2 * lo + 1)%Z ->
  polygon_le (u / 2) d (2 * lo) (2 * hi) row beta X -> polygon_le u d lo hi (halved row) beta X.
Proof.
  intros Hle Hlen H b theta Ht Hbeta Hlo Hhi. destruct (halved_look d row lo hi Hle Hlen) as [_ Hlook].
  destruct (Hlook b ltac:(lia)) as [e [He [Hd [H0 H1]]]]. set (x := look d (2 * lo) row) in *.
  apply IZR_le in He, Hd, H0, H1. rewrite minus_IZR in H0, H1. rewrite minus_IZR, plus_IZR, !mult_IZR in Hd.
  pose proof (Rmult_le_compat_l (1 - theta) _ _ ltac:(lra) H0) as H0'.
  pose proof (Rmult_le_compat_l theta _ _ ltac:(lra) H1) as H1'.
  destruct (Rle_dec (2 * theta) 1) as [Hc|Hc].
  - assert (Hfine := H (2 * b)%Z (2 * theta) ltac:(lra)). rewrite mult_IZR in Hfine.
    specialize (Hfine ltac:(rewrite Hbeta; field) ltac:(lia) ltac:(lia)). fold x in Hfine.
    pose proof (Rmult_le_compat_l theta _ _ ltac:(lra) Hd) as Hd'.
    pose proof (Rmult_le_compat_r (IZR e) _ _ He Hc) as He'. lra.
  - assert (Hfine := H (2 * b + 1)%Z (2 * theta - 1) ltac:(lra)). rewrite plus_IZR, mult_IZR in Hfine.
    specialize (Hfine ltac:(rewrite Hbeta; field) ltac:(lia) ltac:(lia)). fold x in Hfine.
    replace (2 * b + 1 + 1)%Z with (2 * b + 2)%Z in Hfine by lia.
    pose proof (Rmult_le_compat_l (1 - theta) _ _ ltac:(lra) Hd) as Hd'.
    pose proof (Rmult_le_compat_r (IZR e) (2 * (1 - theta)) 1 He ltac:(lra)) as He'. lra.
Qed.

Lemma doubled_le n : forall a b, (a <= b)%Z -> (doubled n a <= doubled n b)%Z.
Proof. induction n as [|n IH]; intros a b H; cbn [doubled]; [assumption | apply IH; lia]. Qed.

Lemma zlen_coarsened n : forall lo hi row,
  (lo <= hi)%Z -> (zlen row = doubled n hi - doubled n lo + 1)%Z -> (zlen (coarsened n row) = hi - lo + 1)%Z.
Proof.
  induction n as [|n IH]; intros lo hi row Hle Hlen; cbn [doubled coarsened] in *; [assumption|].
  pose proof (IH (2 * lo)%Z (2 * hi)%Z row ltac:(lia) Hlen). apply (halved_look 0); lia.
Qed.

Lemma coarsened_polygon_le d beta X n : forall u lo hi row,
  (lo <= hi)%Z -> (zlen row = doubled n hi - doubled n lo + 1)%Z ->
  polygon_le (u / 2 ^ n) d (doubled n lo) (doubled n hi) row beta X -> polygon_le u d lo hi (coarsened n row) beta X.
Proof.
  induction n as [|n IH]; intros u lo hi row Hle Hlen H; cbn [doubled coarsened pow] in *.
  - replace (u / 1) with u in H by field. exact H.
  - apply halved_polygon_le; [lia | apply (zlen_coarsened n (2 * lo) (2 * hi)); [lia | exact Hlen]|].
    apply IH; [lia | exact Hlen|].
    replace (u / 2 / 2 ^ n) with (u / (2 * 2 ^ n)) by (field; apply pow_nonzero; lra). exact H.
Qed.
