"""Objectives as text: ``"0.5*mean + 0.5*cvar(1/10)"``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..errors import InvalidObjective
from .cpw import CPW
from .cvar import CVaR, Mean
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
}
FORMS = "mean, cvar(a), var(a), var(a, upper), wang(b), cpw(g), hazard(k), dual(k), pl(0, 0; t, g; ...; 1, 1)"


def objective(text: str) -> Weighting:
    """Read a weighting, or a mixture of weightings, from text.

    >>> objective("0.5*mean + 0.5*cvar(1/10)")
    1/2*mean + 1/2*cvar(1/10)
    """
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
    """The terms of a sum; a plus sign inside parentheses or after an exponent's e does not separate."""
    compact = re.sub(r"\s+", "", text)
    return re.split(r"\+(?![^()]*\))", compact)


def _leaf(name: str, arguments: str | None, text: str) -> Weighting:
    if name == "mean":
        return Mean()
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
