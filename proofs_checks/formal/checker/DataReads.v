(** * Each part of a certificate from data is read as it is written *)

Require Import ZArith List Bool Lia String.
From VerifiedRisk Require Import Rows Tree Program Check Text Written Reading Allowed ReadFile FileReads DataCheck
  DataFile.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.
Open Scope list_scope.

Section Reads.
  Variable t : text.
  Variable allowed : limits.

  Local Hint Resolve reads_integer reads_ratio reads_natural reads_positive_number reads_between reads_state reads_here
    reads_lower reads_upper : reading.
  Local Hint Extern 1 (reads _ (keyword _ _) _) => apply gives_keyword; split; [discriminate | reflexivity] : reading.
  Local Hint Extern 1 (reads _ (several _ _ _ _) _) => apply reads_several; [lia|] : reading.
  Local Hint Extern 1 (reads _ (states_to _ _ _ _ _ _) _) => apply reads_states_to; [lia|] : reading.

  Ltac together := cbn [app flat_map map]; rewrite ?flat_map_single, ?app_nil_r, <- ?app_assoc; reflexivity.
  Ltac part :=
    cbn beta; lazymatch goal with
    | |- reads _ _ _ => unfold reads; part
    | |- gives _ (answered _) _ => apply gives_ret; try together
    | |- gives _ (and_then (unless _) _) _ => apply unless_then; part
    | |- gives _ (and_then _ _) _ => try (eapply reads_then; [solve [eauto 4 with reading] | intros ?; part])
    | |- _ => idtac
    end.

  Lemma reads_possibility states : reads t (read_possibility t states) items_of_possibility.
  Proof. unfold read_possibility. part. Qed.
  Local Hint Resolve reads_possibility : reading.
  Lemma reads_sampled states : reads t (read_sampled t states) items_of_sampled.
  Proof. unfold read_sampled. part. Qed.
  Local Hint Resolve reads_sampled : reading.
  Lemma reads_data : reads t (read_data t) (fun d => items_of_data (fst d) (snd d)).
  Proof.
    assert (N : reads t (natural t "an initial weight") (fun n => [Int n])) by apply reads_natural.
    unfold read_data. part.
  Qed.
  Local Hint Resolve reads_data : reading.
  Lemma reads_tail : reads t (read_tail t) (fun o => items_of_question (Plain o)).
  Proof.
    unfold read_tail. apply gives_select. apply Forall_cons; [|apply Forall_nil].
    split; [split; [discriminate | reflexivity]|]. cbn [fst snd]. part.
  Qed.
  Local Hint Resolve reads_tail : reading.

  Theorem reads_data_file : reads t (read_data_file t allowed) (fun f => items_of_data_file (data_read f)).
  Proof. unfold read_data_file. cbv zeta. part. Qed.
End Reads.
