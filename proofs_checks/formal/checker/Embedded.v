(** * A certificate that stands in a Coq file

    [text_of] makes a text of a string, whose bytes are found in logarithmic time, so that Coq itself can evaluate
    [check_text] on it: `verified-risk prove --coq` writes such files. *)

Require Import ZArith List Lia String Ascii.
From VerifiedRisk Require Import Tree Text CheckText TextStatement.
From VerifiedRisk Require Allowed.
Import ListNotations.
Open Scope Z_scope.

Fixpoint bytes_of (s : string) (i : positive) (t : tree Z) : tree Z :=
  match s with EmptyString => t | String a s' => bytes_of s' (Pos.succ i) (set i (code a) t) end.

Definition byte_of (places : tree Z) (i : Z) : Z :=
  match get (Z.to_pos (i + 1)) places with Some c => c | None => 0 end.
Definition text_of (s : string) : text :=
  let places := bytes_of s 1 Leaf in Text (Z.of_nat (String.length s)) (byte_of places).

Lemma bytes_of_before s : forall i t p, (p < i)%positive -> get p (bytes_of s i t) = get p t.
Proof.
  induction s as [|a s IH]; intros i t p H; cbn [bytes_of]; [reflexivity|].
  rewrite IH by lia. apply get_set_other. lia.
Qed.

Lemma bytes_of_places s : forall i t,
  map (fun k => get (Pos.of_nat (Pos.to_nat i + k)) (bytes_of s i t)) (seq 0 (String.length s)) = map Some (codes s).
Proof.
  induction s as [|a s IH]; intros i t; cbn [bytes_of String.length seq map codes]; [reflexivity|]. f_equal.
  - rewrite Nat.add_0_r, Pos2Nat.id, bytes_of_before by lia. apply get_set_same.
  - rewrite <- (IH (Pos.succ i) (set i (code a) t)), <- seq_shift, map_map. apply map_ext. intros k. do 2 f_equal. lia.
Qed.

(** The bytes of the text are the characters of the string. *)
Theorem bytes_text_of s : bytes (text_of s) = codes s.
Proof.
  unfold bytes, rest, text_of. cbn [byte_count byte]. rewrite Z.sub_0_r, Nat2Z.id.
  assert (H : map Some (map (fun k => byte_of (bytes_of s 1 Leaf) (0 + Z.of_nat k)) (seq 0 (String.length s))) =
    map Some (codes s)).
  { rewrite <- (bytes_of_places s 1 Leaf), map_map. apply map_ext_in. intros k Hk. apply in_seq in Hk.
    unfold byte_of. replace (Z.to_pos (0 + Z.of_nat k + 1)) with (Pos.of_nat (Pos.to_nat 1 + k)) by lia.
    destruct (get _ _) eqn:E; [reflexivity|]. exfalso.
    assert (F : nth_error (map (fun k => get (Pos.of_nat (Pos.to_nat 1 + k)) (bytes_of s 1 Leaf))
      (seq 0 (String.length s))) k = Some None).
    { rewrite nth_error_map, (nth_error_nth' _ 0%nat) by (rewrite seq_length; lia). cbn [option_map].
      rewrite seq_nth by lia. cbn [Nat.add] in *. now rewrite <- E. }
    rewrite bytes_of_places, nth_error_map in F. destruct (nth_error (codes s) k); discriminate. }
  apply (f_equal (map (fun x => match x with Some c => c | None => 0 end))) in H. rewrite !map_map in H.
  now rewrite !map_id in H.
Qed.

Definition accepts (allowed : Allowed.limits) (s : string) : bool :=
  match check_text allowed (text_of s) with Proved _ => true | Refused _ => false end.

(** Given: a string; models, objectives and certificates of docs/proof_format.md.
    Differs: Coq itself evaluates the program that reads the text, not the planner.
    Step of: production/proved. *)
Theorem an_accepted_text_is_true (allowed : Allowed.limits) (s : string) :
  accepts allowed s = true -> (exists f, says (text_of s) f) /\ forall f, says (text_of s) f -> claim_holds f.
Proof.
  unfold accepts. destruct (check_text allowed (text_of s)) as [how|why] eqn:E; [|discriminate]. intros _.
  exact (what_check_text_proves_is_said_and_true allowed (text_of s) how E).
Qed.
