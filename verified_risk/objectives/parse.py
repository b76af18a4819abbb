"""Objectives as text: ``"0.5*mean + 0.5*cvar(1/10)"``."""

import re
from collections.abc import Callable
from typing import Any

from ..errors import InvalidObjective
from .cpw import CPW
from .cvar import CVaR, Mean
from .entropic import ERM, EVaR
from .mixture import Mixture
from .piecewise import PiecewiseLinear
from .power import DualPower, ProportionalHazard
from .var import VaR
from .wang import Wang
from .weighting import Weighting

_TERM = re.compile(r"(?:(?P<weight>[^*()]+)\*)?(?P<name>[a-z]+)(?:\((?P<arguments>[^()]*)\))?")

FAMILIES: dict[str, Callable[[str], Weighting]] = {
    "cvar": CVaR,
    "wang": Wang,
    "cpw": CPW,
    "hazard": ProportionalHazard,
    "dual": DualPower,
    "erm": ERM,
    "evar": EVaR,
}
INSTEAD = {
    "variance std sd stdev meanvar meanvariance": "a mean less a variance can fall when every return rises; "
    "erm(b) is about the mean less b/2 variances, and does not",
    "expectile expectiles": "expectiles are no weighting and have no recursion here; cvar(a) and erm(b) are close",
    "nested iterated dynamic": "nested risk, applied step by step, is another problem; here the return of all steps "
    "is judged",
}
"""Objectives of other libraries: why they are not here, and what to use."""
FORMS = (
    "mean, cvar(a), var(a), var(a, upper), wang(b), cpw(g), hazard(k), dual(k), erm(b), evar(a), "
    "pl(0, 0; t, g; ...; 1, 1)"
)


def objective(text: str | Weighting) -> Weighting:
    r"""Parse a weighting, or a mixture of weightings, from text; return a weighting unchanged.

    Planners and learners read their objective with this function, so all of them accept text.

    An objective is a *term*, or a sum ``weight*term + weight*term + ...`` with nonnegative weights that sum to exactly
    1; an omitted weight is 1.  A number is ``3``, ``0.25``, ``1/4`` or ``1e-2`` and is read exactly; spaces are
    ignored.  The terms, each a weighting :math:`G` on [0, 1]:

    =============================  ==================================================================================
    ``mean``                       the expected return, :math:`G(\tau) = \tau`
    ``cvar(a)``                    the mean of the worst share a of outcomes, 0 < a <= 1
    ``var(a)``                     the lower a-quantile, 0 < a <= 1
    ``var(a, upper)``              the upper a-quantile, 0 <= a < 1
    ``wang(b)``                    :math:`N(N^{-1}(\tau) + b)`, N the normal CDF, any b; averse to risk for b > 0
    ``cpw(g)``                     probability weighting after Tversky and Kahneman, 0.28 <= g <= 1
    ``hazard(k)``                  :math:`\tau^k`, k > 0
    ``dual(k)``                    :math:`1 - (1 - \tau)^k`, k > 0; for whole k the mean of the worst of k draws
    ``erm(b)``                     entropic risk, about the mean less b/2 variances, any b but 0; in no sum
    ``evar(a)``                    the entropic value at risk, 0 < a <= 1, at most ``cvar(a)``; in no sum
    ``pl(0, 0; t, g; ...; 1, 1)``  the polygon through the corners (t, g), t increasing, g nowhere decreasing
    =============================  ==================================================================================

    The printed form of an objective parses to the same objective.

    >>> objective("0.5*mean + 0.5*cvar(1/10)")
    1/2*mean + 1/2*cvar(1/10)
    >>> for text in ("mean", "cvar(0.25)", "var(1/2)", "var(1/2, upper)", "wang(-3/4)", "cpw(0.71)", "hazard(2)",
    ...              "dual(3)", "pl(0, 0; 1/2, 1/5; 1, 1)", "1/4*var(1/2) + 3/4*pl(0, 0; 1/3, 1; 1, 1)"):
    ...     print(objective(text))
    mean
    cvar(1/4)
    var(1/2)
    var(1/2, upper)
    wang(-3/4)
    cpw(71/100)
    hazard(2)
    dual(3)
    pl(0, 0; 1/2, 1/5; 1, 1)
    1/4*var(1/2) + 3/4*pl(0, 0; 1/3, 1; 1, 1)
    >>> objective("0.5*mean + 0.4*cvar(1/10)")
    Traceback (most recent call last):
        ...
    verified_risk.errors.InvalidObjective: mixture weights sum to 9/10, not to 1: ['1/2', '2/5']

    :param text: ``"cvar(1/10)"``, ``"1/2*mean + 1/2*cvar(1/10)"``, or a weighting
    :returns: the weighting
    :raises InvalidObjective: if the text cannot be parsed; the message lists the valid forms
    """
    if isinstance(text, Weighting):
        return text
    if not isinstance(text, str):
        raise InvalidObjective(
            f"{text!r} is not a weighting, wanted one such as CVaR('1/4') or text such as 'cvar(1/4)'"
        )
    if re.search(r"-\s*[\d./\s*]*(var|std|sd)", text.lower()):
        raise InvalidObjective(f"{text!r} takes a variance, or a deviation, from a mean: {_instead('variance')}")
    terms = []
    for part in _split(text):
        match = _TERM.fullmatch(part)
        if match is None:
            raise InvalidObjective(
                f"cannot read {part!r} in {text!r}, wanted weight*name(arguments) with name one of {FORMS}"
            )
        terms.append((match["weight"] or 1, _leaf(match["name"], match["arguments"], text)))
    return terms[0][1] if len(terms) == 1 and terms[0][0] == 1 else Mixture(terms)


def _split(text: str) -> list[str]:
    """Split a sum into terms; a plus sign inside parentheses or after an exponent's e does not separate."""
    compact = re.sub(r"\s+", "", text).lower()  # CVaR(1/4), like the class name
    return re.split(r"(?<![0-9.][eE])\+(?![^()]*\))", compact)


def _instead(name: str) -> str:
    return next((why for names, why in INSTEAD.items() if name in names.split()), "")


def _leaf(name: str, arguments: str | None, text: str) -> Weighting:
    if name == "mean":
        return Mean()
    if _instead(name):
        raise InvalidObjective(f"{name!r} in {text!r} is not an objective: {_instead(name)}")
    if arguments is None and name in {*FAMILIES, "var"}:
        raise InvalidObjective(f"{name!r} in {text!r} has no parameter, wanted {name}(1/4), say")
    if arguments is None or name not in {*FAMILIES, "var", "pl"}:
        raise InvalidObjective(f"{name!r} in {text!r} is not an objective, wanted one of {FORMS}")
    if name == "var":
        level, *rest = arguments.split(",")
        if rest not in ([], ["upper"]):
            raise InvalidObjective(f"var({arguments}) in {text!r}: wanted var(a) or var(a, upper)")
        return VaR(level, upper=bool(rest))
    if name == "pl":
        corners: list[Any] = [corner.split(",") for corner in arguments.split(";")]
        return PiecewiseLinear(corners)
    return FAMILIES[name](arguments)
