r"""lem:quantileinverse/second, :math:`F(F^\dagger(\tau)) \ge \tau`, for right-continuous F of jumps and linear pieces.

The level tau is reached either by a jump or on a piece that rises; ``low`` is the value of F just before.

* By a jump at q from ``low`` to ``low + into + rest``, with tau ``into > 0`` above ``low``: to the left of q the values
  are at most ``low < tau``, so q is the infimum, and right-continuity puts the upper end of the jump at q itself.
* On a piece of width w and rise c, tau is the value at the share z of the piece, so q is there.
"""

from __future__ import annotations

from ...engine.symbolic import Proof, Step, parameters


def steps(planted: bool) -> list[Step]:
    """The two ways to reach a level."""
    low, into, rest, w, c, z = parameters("low, into, rest, w, c, z")
    level = low + into
    at_jump = low if planted else low + into + rest
    q = z * w  # from the beginning of the piece, where F is low
    return [
        Step("before the jump F is below the level", level - low),
        Step("at the jump F is at least the level", at_jump - level),
        Step("on a piece F equals the level (times the width)", (w * low + c * q) - w * (low + z * c), equation=True),
    ]


PROOF = Proof("any number of jumps and linear pieces", steps, "F is left-continuous")
