r"""lem:key for any number of atoms, by induction over the atoms.

A law with atoms :math:`x_1 \le \dots \le x_n` enters through the levels :math:`g_i = G(F(x_i))`, with :math:`g_0 = 0`:

.. math:: \Phi_n = \sum_{i \le n} x_i (g_i - g_{i-1}), \qquad
          A_n = \sum_{i < n} g_i (x_{i+1} - x_i) + g_n (M - x_n) ,

and :math:`A_n` is the area under G(F) on [0, M], since G(F) = 0 before the first atom.  The claim is
:math:`\Phi_n = M g_n - A_n`; with all atoms :math:`g_n = G(1) = 1`.  An atom y with level h behind the last one, x with
level g, adds :math:`y (h - g)` to the left side; in the area it cuts the strip from x to M at y.
"""

from __future__ import annotations

from ...engine.symbolic import Proof, Step, parameters


def steps(planted: bool) -> list[Step]:
    """One atom, then one more."""
    x, y, g, h, top = parameters("x, y, g, h, M")
    area_before = g * (top - x)
    area_after = (h if planted else g) * (y - x) + h * (top - y)
    return [
        Step("one atom: x g = M g - g (M - x)", x * g - (top * g - area_before), equation=True),
        Step(
            "one more atom adds the same to both sides",
            y * (h - g) - (top * (h - g) - (area_after - area_before)),
            equation=True,
        ),
    ]


PROOF = Proof("any number of atoms, any G and every M", steps, "F is already larger before the atom")
