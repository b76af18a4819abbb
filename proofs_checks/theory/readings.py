"""The readings of the main theorem, from the printed one to those that are proved, for the page and docs/audit.md.

docs/theory/08-regret.md has the same table with the proofs; a test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """Who plans, which weightings are allowed, which radii are used; what is known, and by which statement."""

    planner: str
    weighting: str
    radii: str
    status: str
    label: str


READINGS = (
    Reading(
        *("any optimal one, as printed", "any Lipschitz G", "any"),
        *("false: through choices off the support of the optimistic model; Coq", "thm:main"),
    ),
    Reading(
        *("greedy at every (t, s, y)", "concave", "corrected"),
        *("true with the printed right side, even without its root of 5; Coq, finite reward laws", "thm:main/greedy"),
    ),
    Reading(
        *("greedy at every (t, s, y)", "concave", "printed"),
        *(
            "true with the printed right side, even without its root of 5; Coq, finite reward laws",
            "thm:main/printed-radii",
        ),
    ),
    Reading(
        *("any optimal one, Markov policies", "any Lipschitz G", "corrected"),
        *("order sqrt K; Coq, finite reward laws", "class/markov"),
    ),
    Reading(
        *("any optimal one, known atoms", "any Lipschitz G", "corrected"),
        *("order sqrt K; closeness in Coq, the rest in words", "class/atoms"),
    ),
    Reading(
        *("any optimal one, on a grid", "any Lipschitz G", "corrected"),
        *("order K^(2/3), in words; order sqrt K is open", "class/atoms"),
    ),
)
