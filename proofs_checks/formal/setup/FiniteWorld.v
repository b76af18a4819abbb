(** What a learner plays in: listed states and actions, a nonempty list of actions for each state, rewards in [0, 1]. *)
Load "setup/Equality".
Variables (states : list S) (actions : list A).
Hypothesis Hstates : NoDup states.
Hypothesis Hactions : NoDup actions.
Hypothesis Hall : forall s, In s states.
Hypothesis Hall_actions : forall a, In a actions.
Variable acts : S -> list A.
Hypothesis Hacts : forall s, acts s <> [].
Load "setup/Model".
Hypothesis Hrew : rewards_within 1 M.
