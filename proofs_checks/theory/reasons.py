"""Why random cases do not come close to some bounds (:attr:`proofs_checks.engine.model.Statement.reaches`)."""

UNION = "a union bound over many events, far from attained by the few that can be enumerated"
CLOSED_FORMS = "two closed forms, one far below the other at every size"
COARSE = "the coarse form is approached only as T and the number of states grow"
EPISODES = "regret bounds are large against the few episodes that can be enumerated"
FORM = {"hypotheses": ("not noticed", "they say which data form a case; without them the claim has no meaning")}
CONCAVE = {"hypotheses": ("not noticed", "for other weightings the greedy planner is not defined")}
