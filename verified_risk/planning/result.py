"""The result of planning: a policy, its value, and certified bounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from .. import files
from ..describe import described
from ..errors import InvalidFile, Unsupported
from ..law import Law
from ..mdp import MDP
from ..numbers.enclosure import Interval, Real, Truth, between, bounds
from ..numbers.format import above, at_least, at_most, number, span
from ..numbers.rational import Rational, as_fraction, said, text
from ..objectives import Weighting
from ..objectives import objective as read_objective
from ..policy import GridPolicy, Policy, policy_from_json
from ..progress import Report, read_report
from .clock import read_seconds

if TYPE_CHECKING:
    from ..plotting import Picture
    from ..policy.sensitivity import Sensitivities
    from ..proving import Proved


@dataclass(frozen=True)
class ErrorBudget:
    """The method behind the bounds, and the contribution of each source of error to ``upper - lower``.

    :param method: how the bounds were found
    :param contributions: pairs of a source of error and its share of the gap
    """

    method: str
    contributions: tuple[tuple[str, Fraction], ...] = ()

    def __str__(self) -> str:
        width = max((len(source) for source, _ in self.contributions), default=0)
        lines = [f"  {source:<{width}}  {above(amount)}" for source, amount in self.contributions]
        return "\n".join([self.method, *lines])

    def to_json(self) -> dict[str, Any]:
        """Return a JSON representation, with rationals as ``"p/q"``.

        :returns: plain lists, dicts, numbers and text
        """
        return {"method": self.method, "contributions": [[source, text(x)] for source, x in self.contributions]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ErrorBudget:
        """Invert :meth:`to_json`.

        :param data: the output of :meth:`to_json`; files are validated on loading
        :returns: the error budget
        """
        return cls(data["method"], tuple((source, as_fraction(x, source)) for source, x in data["contributions"]))


@dataclass(frozen=True)
class Recheck:
    """The bounds that a certificate proves, and whether they confirm the plan's.

    :param lower: the lower bound that was proved, None if there is none
    :param upper: the upper bound that was proved, None if there is none
    :param lower_route: how the lower bound was proved, or why it was not
    :param upper_route: how the upper bound was proved, or why it was not
    :param lower_holds: whether it confirms the plan's lower bound
    :param upper_holds: whether it confirms the plan's upper bound
    """

    lower: Fraction | None
    upper: Fraction | None
    lower_route: str
    upper_route: str
    lower_holds: Truth
    upper_holds: Truth

    def __str__(self) -> str:
        rows = (
            ("lower", "" if self.lower is None else at_least(self.lower), self.lower_holds, self.lower_route),
            ("upper", "" if self.upper is None else at_most(self.upper), self.upper_holds, self.upper_route),
        )
        return "\n".join(f"{name} {holds.value:8} {bound:>22}  {route}" for name, bound, holds, route in rows)


@dataclass(frozen=True, repr=False)
class Plan(files.Saved):
    r"""A policy with certified bounds: ``lower <= sup over all policies of Phi <= upper``, and ``policy`` attains
    ``lower``.

    All three numbers are exact rationals, in the user's units.  ``eta`` is the grid on which the return was tracked;
    ``law`` is the law of the return of ``policy`` in the original model, computed on first access: exactly if
    affordable (``law_error`` is 0), otherwise in float64, with every value of the CDF off by at most ``law_error``.  If
    both would take too long, or if rewards are continuous, ``law`` is None, and the policy's value is known only to lie
    between the bounds.

    :param mdp: the model
    :param objective: the weighting
    :param value: the policy's value, or the best estimate of it between the bounds; see :meth:`worth`
    :param lower: a lower bound on the policy's value
    :param upper: an upper bound on the value of every policy
    :param policy: the policy
    :param known_law: the law of its return, if planning computed it
    :param eta: the step of the grid
    :param certificate: why the bounds hold
    :param known_error: a bound on the error of the law's CDF
    """

    KIND: ClassVar[str] = "plan"
    mdp: MDP = field(repr=False)
    objective: Weighting
    value: Fraction
    lower: Fraction
    upper: Fraction
    policy: Policy = field(repr=False)
    known_law: Law | None = field(repr=False)
    eta: Fraction
    certificate: ErrorBudget = field(repr=False)
    known_error: Fraction = field(default=Fraction(), repr=False)
    """A bound on the error of the CDF of ``known_law``."""
    proved: Proved | None = field(default=None, init=False, repr=False, compare=False)
    """The result of :meth:`prove`, once called."""
    proved_before: dict[str, Any] | None = field(default=None, init=False, repr=False, compare=False)
    """The proof that the plan's file speaks of; unconfirmed until :meth:`prove` is called."""

    @property
    def gap(self) -> Fraction:
        """A bound on how far the policy is from optimal."""
        return self.upper - self.lower

    @cached_property
    def _law(self) -> tuple[Law, Fraction] | None:
        if self.known_law is not None:
            return self.known_law, self.known_error
        from .affordable_law import affordable_law

        return affordable_law(self.mdp, self.policy)

    @property
    def law(self) -> Law | None:
        """The law of the return of ``policy`` in ``mdp``; None if it is not known."""
        return None if self._law is None else self._law[0]

    @property
    def law_error(self) -> Fraction | None:
        """A bound on the error of the CDF of ``law``: 0 if it is exact; None without a law."""
        return None if self._law is None else self._law[1]

    def required_law(self) -> Law:
        """Return :attr:`law`, which must be known.

        :returns: the law of the policy's return
        :raises Unsupported: if it is not known
        """
        if self.law is None:
            raise Unsupported(self.why_no_law)
        return self.law

    @property
    def why_no_law(self) -> str:
        """Explain why :attr:`law` is None."""
        if self.mdp.is_discrete:
            return "the law of the policy's return takes too long to compute"
        return "rewards are continuous, and so is the return; mdp.discretised(eta) has a finite law"

    def worth(self, objective: Weighting | str | None = None) -> Real | None:
        """Return the policy's value, exactly or as an enclosure; None for an objective other than the plan's if the law
        of the return is not known.

        :param objective: a weighting or its text form; by default the plan's own
        :returns: a Fraction, an :class:`Interval`, or None
        """
        from .affordable_law import worth_within

        weighting = self.objective if objective is None else read_objective(objective)
        own = weighting == self.objective
        if self._law is None:
            return Interval(self.lower, self.upper) if own else None
        low, high = bounds(worth_within(weighting, *self._law, self.mdp.remaining_range(0)))
        if own:
            low, high = max(low, self.lower), min(high, self.upper)
        return between(low, high)

    def __str__(self) -> str:
        """Return the objective, value and certified bounds, in three lines."""
        exactly = "no policy is better: the bounds meet exactly"
        lines = (
            f"{self.objective.spec} of the return in {self.mdp!r}",
            f"value      {self.value_words}",
            f"certified  {span(self.lower, self.upper) if self.gap else exactly}",
            *(f"proved     {words}" for words in self._proof_words()),
        )
        return "\n".join(lines)

    @property
    def value_words(self) -> str:
        """The value as text, prefixed by *at least* if only the lower bound is known."""
        only_below = self.known_law is None and self.value == self.lower < self.upper
        return f"at least {at_least(self.lower)}" if only_below else number(self.value)

    def __repr__(self) -> str:
        between = number(self.value) if self.gap == 0 else f"{at_least(self.lower)} to {at_most(self.upper)}"
        return f"Plan({self.objective.spec}: {between}, {self.mdp!r})"

    def describe(self) -> str:
        """Describe the plan: :meth:`__str__`, why the bounds hold, and what the policy does, in words and maps.

        :returns: the text
        """
        because = "\n".join(
            f"{'because' if i == 0 else '':<11}{line}" for i, line in enumerate(str(self.certificate).splitlines())
        )
        return "\n".join([str(self), because, "policy", described(self._described)])

    @property
    def _described(self) -> Policy:
        return self.policy

    def _proof_words(self) -> list[str]:
        if self.proved is not None:
            return [self.proved.how]
        if self.proved_before is not None:
            return ["before it was saved, says its file; prove() confirms it"]
        return []

    def recheck(self, *, time_limit: Rational | None = None, progress: Report | None = None) -> Recheck:
        """Write the certificate of the plan, as :meth:`prove` does, and read it in integers.

        The reader shares no code with the planner (docs/proof_format.md).  A bound *fails* if lossless tables
        contradict it, if the certificate's policy is not the plan's, or if the plan states another law than its
        policy's.  What the certificate does not cover, or not in time, is *unknown*, with the reason.

        :param time_limit: seconds; a bound not confirmed by then is *unknown*
        :param progress: a callback that takes a :class:`~verified_risk.Progress`
        :returns: the bounds that were confirmed, and whether they are the plan's
        :raises InvalidArgument: if the limit is not a nonnegative number
        """
        from ..proving.proved import recheck

        return recheck(self, read_seconds(time_limit), read_report(progress))

    def prove(
        self,
        *,
        certificate: str | PathLike[str] | None = None,
        time_limit: Rational | None = None,
        progress: Report | None = None,
    ) -> Proved:
        """Confirm both bounds with a program proved correct in Coq (``make checker`` builds it).

        Raise :class:`~verified_risk.errors.NotProved` if it refuses, and :class:`~verified_risk.errors.Unsupported`,
        "not covered", if it has no proof for the case.  The file ``certificate`` keeps its input.

        A bound not proved within ``time_limit`` seconds counts as not covered; the message says how far the proof got.

        :param certificate: a file to write the certificate to
        :param time_limit: seconds for finding and checking a certificate; None for no limit
        :param progress: a callback that takes a :class:`~verified_risk.Progress`
        :returns: what was proved, and how
        :raises NotProved: if the checker refuses
        :raises Unsupported: if it does not cover the weighting, or not in time
        :raises InvalidArgument: if the limit is not a nonnegative number
        """
        from ..proving import prove

        found = prove(self, certificate=certificate, seconds=read_seconds(time_limit), progress=progress)
        object.__setattr__(self, "proved", found)
        return found

    def sensitivity(self, objective: Weighting | str | None = None) -> Sensitivities:
        """Return how the policy's objective moves with each transition probability, exactly; printing it shows the ten
        largest derivatives.

        A derivative is by one probability, at all steps, as it rises and those of the other successors fall in
        proportion.  At a corner of the objective, derivatives by a falling probability may differ.

        :param objective: a weighting or its text form; by default the plan's own
        :returns: the derivatives, the largest first
        :raises Unsupported: if the weighting is not piecewise linear, or the exact law of the return takes too long
        """
        from ..policy.sensitivity import sensitivities

        weighting = self.objective if objective is None else read_objective(objective)
        if self.mdp.endless or self.law_error != 0:
            raise Unsupported("derivatives need a horizon and the exact law of the return, which takes too long here")
        return sensitivities(self.mdp, self.policy, weighting, self.required_law())

    def plot(self) -> Picture:
        """Plot the law of the policy's return, its quantiles, and the part of it that the objective weighs.

        :returns: the picture
        :raises MissingDependency: if matplotlib is not installed
        """
        from ..plotting import draw_plan

        return draw_plan(self)

    def _repr_html_(self) -> str:
        from ..plotting.html import plan_html

        return plan_html(self)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON representation, with rationals as ``"p/q"``.

        :returns: plain lists, dicts, numbers and text
        """
        return {
            "model": self.mdp.to_json(),
            "objective": self.objective.to_json(),
            **{name: text(getattr(self, name)) for name in ("value", "lower", "upper", "eta")},
            "policy": self.policy.to_json(),
            "law": None if self._law is None else self._law[0].to_json(),
            "law_error": None if self._law is None else text(self._law[1]),
            "certificate": self.certificate.to_json(),
            **({} if self.proved is None else {"proved": self.proved.to_json()}),
            **({"proved": self.proved_before} if self.proved is None and self.proved_before is not None else {}),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Plan:
        """Invert :meth:`to_json`.

        :param data: the output of :meth:`to_json`; files are validated on loading
        :returns: the plan
        """
        mdp = MDP.from_json(data["model"])
        value, lower, upper, eta = (as_fraction(data[key], key) for key in ("value", "lower", "upper", "eta"))
        if not lower <= value <= upper:
            raise InvalidFile(f"the plan says {said(lower)} <= {said(value)} <= {said(upper)}, which is false")
        if eta <= 0:
            raise InvalidFile(f"eta of the plan is {said(eta)}, wanted a positive grid step")
        policy = policy_from_json(data["policy"], mdp)
        for part in (part for _, part in policy.parts() if isinstance(part, GridPolicy)):
            if part.eta != eta:
                raise InvalidFile(f"the policy tracks multiples of {said(part.eta)}, the plan of {said(eta)}")
        # A law stored without its error cannot be trusted: compute it again when it is needed.
        stated = data.get("law_error")
        error = None if stated is None else as_fraction(stated, "law_error")
        if error is not None and error < 0:
            raise InvalidFile(f"law_error of the plan is {said(error)}, wanted a number that is not negative")
        objective, law = read_objective(data["objective"]), None if error is None else Law.from_json(data["law"])
        budget = ErrorBudget.from_json(data["certificate"])
        found = Plan(mdp, objective, value, lower, upper, policy, law, eta, budget, error or Fraction())
        before = data.get("proved")
        if before is not None and not isinstance(before, dict):
            raise InvalidFile(f"'proved' of the plan is {before!r:.60}, wanted what prove() found, or nothing")
        object.__setattr__(found, "proved_before", before)
        if "endless" in data:
            from .no_horizon import EndlessPlan

            return EndlessPlan.of_json(found, data["endless"])
        return found
