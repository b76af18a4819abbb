(** * Certificates from logged data as they are written, their reader, and [check_any_text]

    [items_of_data_file] are the words of such a file, docs/proof_format.md as a function.  [check_data_text] reads the
    bytes and tests the claim; [check_any_text] is the whole program, for certificates of plans and of data.
    [DataStatement.v] has the theorem. *)

Require Import ZArith List Bool String.
From VerifiedRisk Require Import Rows Tree Program Check Verdict Text Written Reading Allowed ReadFile CheckText
  DataCheck.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.
Open Scope list_scope.

Record data_file := DataFile {
  data_format : Z;
  data_states : Z;
  data_asked : objective;
  data_claimed : claim;
  data_said : data;
  data_lower : written_lower;
  data_upper : written_upper
}.
Definition data_certificate (f : data_file) : certificate :=
  Certificate (lower_of (data_lower f)) (upper_of (data_upper f)).

(** ** Its words *)

Definition items_of_possibility (o : possibility) : list item :=
  [Int (drawn o); item_of_state (leads_to o); Int (times o); Int (share o)].
Definition items_of_sampled (p : sampled) : list item :=
  Int (label p) :: Int (shares p) :: Int (beyond p) :: items_of_list items_of_possibility (possible p).
Definition items_of_data (states : Z) (d : data) : list item :=
  Name "delta" :: Ratio (failure d) :: Name "tests" :: Int (tests d) :: Name "discount" :: Ratio (data_discount d) ::
  Name "reward_denominator" :: Int (data_reward_den d) :: Name "state_count" :: Int states ::
  Name "horizon" :: Int (data_horizon d) ::
  Name "initial" :: Int (data_initial_den d) :: items_of_list (by_state (fun n => [Int n])) (data_initial d) ++
  Name "states" :: items_of_list (by_state (items_of_list items_of_sampled)) (rows d).
Definition items_of_data_file (f : data_file) : list item :=
  Name "verified-risk-data" :: Int (data_format f) :: Name "objective" :: items_of_question (Plain (data_asked f)) ++
  Name "claim" :: Ratio (lower (data_claimed f)) :: Ratio (upper (data_claimed f)) ::
  items_of_data (data_states f) (data_said f) ++ items_of_lower (data_lower f) ++ items_of_upper (data_upper f) ++
  [Name "end"].

(** ** The reader *)

(** Factors of all tests of ends and of sets, which are multiplied one by one. *)
Definition most_factors : Z := 1000000000.
Definition factor_count (p : sampled) : Z :=
  visit_sum p * (1 + zlen (filter (fun o => 0 <? share o) (possible p))) + zlen (possible p).
Definition many_factors (l : listing (list sampled)) : list phrase :=
  let n := fold_left (fun n sl => fold_left (fun n p => n + factor_count p) (snd sl) n) l 0 in
  complain (most_factors <? n) (fun _ =>
    [Say "not covered: tests of "; Figure n; Say " factors, more than "; Figure most_factors]).
Definition data_needs (l : limits) (states : Z) (d : data) : needs :=
  let rate := bits_of_rat (data_discount d) in
  let largest := fold_left (fun n sl => fold_left (fun n p => Z.max n (shares p)) (snd sl) n) (rows d)
    (data_initial_den d) in
  Needs l states (data_horizon d) (data_horizon d * choices_of (rows d))
    (bits largest + bits (data_reward_den d) + rate) rate.

Section Reader.
  Variable t : text.
  Variable allowed : limits.

  Definition read_possibility (states : Z) : reader possibility :=
    let* z := integer t "a reward" in
    let* s := state_named t "the next state" states in
    let* x := natural t "a count" in
    let* w := natural t "a share" in
    answered (Possibility z s x w).
  Definition read_sampled (states : Z) : reader sampled :=
    let* a := integer t "the number of an action" in
    let* n := positive_number t "the sum of the shares" in
    let* b := natural t "the share of outcomes that were not seen" in
    let* l := several t "the number of possible outcomes" 1 (read_possibility states) in
    answered (Sampled a n b l).
  Definition read_data : reader (Z * data) :=
    keyword t "delta" ;;
    let* delta := rational t "delta" in
    keyword t "tests" ;;
    let* n := positive_number t "the number of tests" in
    keyword t "discount" ;;
    let* rate := rational t "the discount" in
    keyword t "reward_denominator" ;;
    let* reward_den := positive_number t "the denominator of rewards" in
    keyword t "state_count" ;;
    let* states := between t "the number of states" 1 most_items in
    keyword t "horizon" ;;
    let* horizon := between t "the horizon" 1 longest_horizon in
    keyword t "initial" ;;
    let* initial_den := positive_number t "the sum of the initial weights" in
    let* initial := states_to t "the number of initial states" 1 "an initial state" states
      (natural t "an initial weight") in
    keyword t "states" ;;
    let* l := states_to t "the number of states with actions" 0 "the state" states
      (several t "the number of actions" 1 (read_sampled states)) in
    unless (many_factors l) ;;
    answered (states, Data delta n rate reward_den initial_den initial horizon l).
  Definition read_tail : reader objective :=
    select t "an objective" (not_covered_word "from data, the objective")
      [ ("tail", let* w := rational t "the weight of the mean" in let* alpha := rational t "the level" in
        answered (Tail w alpha)) ].

  (** A file and where its parts begin: objective, claim, data, lower and upper proof. *)
  Record found_data := FoundData { data_read : data_file; data_objective_at : Z; data_claim_at : Z; data_at : Z;
    data_lower_at : Z; data_upper_at : Z }.
  Definition read_data_file : reader found_data :=
    keyword t "verified-risk-data" ;;
    let* version := between t "the version of the format" 2 2 in
    keyword t "objective" ;;
    let* at_objective := here in
    let* o := read_tail in
    keyword t "claim" ;;
    let* at_claim := here in
    let* l := rational t "the lower bound" in
    let* u := rational t "the upper bound" in
    let* at_data := here in
    let* d := read_data in
    let k := data_needs allowed (fst d) (snd d) in
    unless (long_rates k) ;;
    let* at_lower := here in
    let* low := read_lower t k o in
    let* at_upper := here in
    let* up := read_upper t k o in
    keyword t "end" ;;
    answered (FoundData (DataFile version (fst d) o (Claim l u) (snd d) low up) at_objective at_claim at_data at_lower
      at_upper).
End Reader.

(** ** The answer *)

Definition words_of_data (why : data_reason) : string :=
  match why with
  | Plan why => words_of why
  | end_not_proved =>
      "refused: an end of a probability is not proved by the counts, or a row is not in order"
  end.
Definition more_of_data (f : data_file) (why : data_reason) : list phrase :=
  match why, data_asked f, lower_of (data_lower f) with
  | Plan lower_not_proved, Tail w alpha, ByBudget V g start choices =>
      match robust_bound (data_said f) V g start choices w alpha with Some bound => short bound | None => [] end
  | _, _, _ => []
  end.
Definition check_data_text (allowed : limits) (t : text) : answer :=
  match read_data_file t allowed 0 with
  | Stopped i why => refused_at t i why
  | Got f j =>
      let a := skip t j in
      let g := data_read f in
      if a <? byte_count t then refused_at t a [Quote a; Say " behind the end"]
      else match data_verdict (data_said g) (data_asked g) (data_claimed g) (data_certificate g) with
           | None =>
               Proved [Say "proved by rarely_wrong; objective "; Span (data_objective_at f) (data_claim_at f); Say " ";
                       Span (data_claim_at f) (data_at f); Say "; data "; Fingerprint (data_at f) (data_lower_at f);
                       Say "; policy "; Fingerprint (data_lower_at f) (data_upper_at f)]
           | Some why => Refused (Say (words_of_data why) :: more_of_data g why)
           end
  end.

(** The first word says what a text is. *)
Definition check_any_text (allowed : limits) (t : text) : answer :=
  match name t "verified-risk-data" 0 with Some _ => check_data_text allowed t | None => check_text allowed t end.
