(** A learner's beliefs, policies, utilities and errors, as functions of the episodes before. *)
Variables (believes : list (history S A) -> beliefs S A) (learner : list (history S A) -> policy S A)
          (utility : list (history S A) -> R -> R) (w0 : list (history S A) -> R) (w : list (history S A) -> nat -> R).
