(** What a learner plays: a policy that depends on all earlier episodes. *)
Load "setup/Model".
Variable learner : list (history S A) -> policy S A.
Hypothesis Hlearner : forall past, is_policy (learner past).
