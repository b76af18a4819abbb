"""Plans with constraints: lower bounds on other objectives than the one that is maximised."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from ..errors import InvalidArgument, Unsupported
from ..law import Law
from ..mdp import MDP
from ..numbers.enclosure import Interval, bounds
from ..numbers.format import above, at_least, at_most, columns, ends, number, short
from ..numbers.rational import as_fraction
from ..objectives import Weighting
from ..objectives import objective as read_objective
from ..policy import Policy
from .affordable_law import affordable_law, worth_within


@dataclass(frozen=True)
class Constraint:
    """``objective >= bound``, in the user's units.

    :param objective: what is bounded
    :param bound: the least acceptable value
    """

    objective: Weighting
    bound: Fraction

    @classmethod
    def of(cls, text: object) -> Constraint:
        """Read ``"cvar(1/10) >= -5"``.

        :param text: a constraint, or its text form
        :returns: the constraint
        :raises InvalidArgument: if it is not of this form
        """
        if isinstance(text, Constraint):
            return text
        if not isinstance(text, str) or text.count(">=") != 1:
            raise InvalidArgument(f"a constraint is {text!r}, wanted text such as 'cvar(1/10) >= -5'")
        left, right = text.split(">=")
        return cls(read_objective(left.strip()), as_fraction(right.strip(), f"the bound of {text!r}"))

    def __str__(self) -> str:
        return f"{self.objective.spec} >= {short(self.bound)}"


class UpperProof(Protocol):
    """Why no policy that meets the constraints is better than a plan's upper bound."""

    def upper_again(self, mdp: MDP, objective: Weighting, constraints: tuple[Constraint, ...]) -> Fraction | None:
        """Return the bound, computed in other arithmetic; None if that cannot confirm it."""


@dataclass(frozen=True)
class ConstrainedPlan:
    """A policy and bounds on the best objective of all policies that meet the constraints.

    ``lower`` is what the policy is worth at least; ``upper`` bounds every policy that meets the constraints.  The
    policy is usually a mixture of two or more, one of which is drawn at the start.

    :param mdp: the model
    :param objective: what was maximised
    :param constraints: what had to hold
    :param policy: the policy
    :param lower: a lower bound on the policy's objective
    :param upper: an upper bound on the objective of every policy that meets the constraints
    :param worth: bounds on the policy's value of each constraint
    :param law: the law of the policy's return, off by at most ``law_error`` in its CDF
    :param law_error: 0 if the law is exact
    :param eta: the step of the grid
    :param proof: why ``upper`` holds
    """

    mdp: MDP = field(repr=False)
    objective: Weighting
    constraints: tuple[Constraint, ...]
    policy: Policy = field(repr=False)
    lower: Fraction
    upper: Fraction
    worth: tuple[Interval, ...]
    law: Law = field(repr=False)
    law_error: Fraction
    eta: Fraction
    proof: UpperProof = field(repr=False)

    @property
    def gap(self) -> Fraction:
        """A bound on how far the policy is from the best that meets the constraints; 0 if it misses some of them and is
        better than those that do not."""
        return max(self.upper - self.lower, Fraction())

    @property
    def missed(self) -> tuple[Fraction, ...]:
        """By how much the policy may miss each constraint: 0 where it surely holds."""
        return tuple(max(c.bound - w.lower, Fraction()) for c, w in zip(self.constraints, self.worth, strict=True))

    def __str__(self) -> str:
        table = [["", "this policy", "wanted", "missed by"]]
        best = f"no policy that keeps to it has more than {at_most(self.upper)}"
        table.append([self.objective.spec, f"at least {at_least(self.lower)}", "the most", ""])
        for c, w, missed in zip(self.constraints, self.worth, self.missed, strict=True):
            has = number(w.lower) if w.lower == w.upper else " to ".join(ends(w.lower, w.upper))
            table.append([c.objective.spec, has, f"at least {short(c.bound)}", above(missed)])
        return f"{self.objective.spec} in {self.mdp!r}, with constraints\n{columns(table)}\n{best}"

    def recheck(self) -> bool:
        """Compute the upper bound again from its proof, in other arithmetic, and the policy's worth from its law.

        :returns: whether both confirm the plan
        """
        span, again = self.mdp.remaining_range(0), affordable_law(self.mdp, self.policy)
        if again is None or again[1] != self.law_error:
            return False
        functionals = (self.objective, *(c.objective for c in self.constraints))
        worth = [bounds(worth_within(w, *again, span))[0] for w in functionals]
        stated = [self.lower, *(w.lower for w in self.worth)]
        upper = self.proof.upper_again(self.mdp, self.objective, self.constraints)
        return all(x >= y for x, y in zip(worth, stated, strict=True)) and (
            upper is not None and min(upper, span[1]) <= self.upper
        )


def constrained_plan(
    mdp: MDP,
    objective: Weighting,
    constraints: tuple[Constraint, ...],
    policy: Policy,
    law: tuple[Law, Fraction],
    upper: Fraction,
    eta: Fraction,
    proof: UpperProof,
) -> ConstrainedPlan:
    """Put a plan together: what the policy is worth follows from its law and the error of that law's CDF.

    :raises AssertionError: if a policy that meets the constraints exceeds the upper bound
    """
    span = mdp.remaining_range(0)
    worth = tuple(Interval(*bounds(worth_within(c.objective, *law, span))) for c in constraints)
    lower = bounds(worth_within(objective, *law, span))[0]
    found = ConstrainedPlan(
        mdp, objective, constraints, policy, lower, min(upper, span[1]), worth, *law, eta, proof
    )  # fmt: skip
    if lower > upper and not any(found.missed):
        raise AssertionError(f"a policy attains {lower}, above the upper bound {upper}: please report this model")
    return found


def undecided(constraints: tuple[Constraint, ...]) -> Unsupported:
    """Return the error for constraints that are neither met nor refuted."""
    wanted = " and ".join(map(str, constraints))
    return Unsupported(f"{wanted}: neither a policy that has this nor a proof that there is none was found")
