r"""Finite laws with rational atoms and masses.

For a law with atoms :math:`x_1 < \dots < x_n` of masses :math:`p_i > 0`:

.. math:: F(x) = \sum_{x_i \le x} p_i, \qquad
          F^\dagger(\tau) = \inf\{x : F(x) \ge \tau\}, \qquad
          F^\dagger(\tau+) = \inf\{x : F(x) > \tau\}.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from . import files
from .errors import InvalidLaw, InvalidNumber
from .numbers.rational import Rational, as_fraction, as_step, ceil_div, said, text

if TYPE_CHECKING:
    from .objectives import Weighting
    from .plotting import Picture

Masses: TypeAlias = Mapping[Any, Rational] | Iterable[tuple[Rational, Rational]]
"""``{value: probability}`` or pairs.  Keys are numbers of any kind; a union type would reject dicts of one kind."""

Key = TypeVar("Key")
Mass = TypeVar("Mass", Fraction, float, int)


def added_up(pairs: Iterable[tuple[Key, Mass]]) -> dict[Key, Mass]:
    """Return the sum of the masses of each key, keys in the order of their first appearance."""
    total: dict[Key, Mass] = {}
    for key, mass in pairs:
        total[key] = total[key] + mass if key in total else mass
    return total


@dataclass(frozen=True, init=False, repr=False)
class Law(files.Saved):
    """A probability law on finitely many rationals, written ``{value: probability}``.

    >>> coin = Law({0: "1/2", 1: "1/2"})
    >>> coin.mean, coin.cdf(0), coin.quantile("1/2"), coin.upper_quantile("1/2")
    (Fraction(1, 2), Fraction(1, 2), Fraction(0, 1), Fraction(1, 1))

    Atoms of mass zero are dropped, so laws are equal if and only if they are the same measure.

    :param masses: ``{value: probability}`` or pairs; exact numbers, decimals or fractions as text
    :param where: its name in error messages
    :raises InvalidLaw: if a value or mass is not an exact finite number, a mass is negative, a value is repeated, or
        the sum is not 1
    """

    KIND: ClassVar[str] = "law"
    atoms: tuple[Fraction, ...]
    masses: tuple[Fraction, ...]

    def __init__(self, masses: Masses, *, where: str = "law") -> None:
        pairs = masses.items() if isinstance(masses, Mapping) else masses
        read: dict[Fraction, Fraction] = {}
        for value, mass in pairs:
            x, p = as_fraction(value, f"{where}: atom", InvalidLaw), as_fraction(mass, f"{where}[{value}]", InvalidLaw)
            if p < 0:
                raise InvalidLaw(f"{where}[{said(x)}] is {said(p)}, wanted a probability in [0, 1]")
            if x in read:
                raise InvalidLaw(f"{where} repeats the value {said(x)}, wanted distinct values")
            read[x] = p
        if not read:
            raise InvalidLaw(f"{where} is empty, wanted at least one value")
        total = sum(read.values(), Fraction())
        if total != 1:
            shown = ", ".join(f"{said(x)}: {said(p)}" for x, p in read.items())
            raise InvalidLaw(f"{where} sums to {said(total)}, not to 1: {{{shown}}}")
        self._set(sorted((x, p) for x, p in read.items() if p))

    def _set(self, pairs: list[tuple[Fraction, Fraction]]) -> None:
        object.__setattr__(self, "atoms", tuple(x for x, _ in pairs))
        object.__setattr__(self, "masses", tuple(p for _, p in pairs))

    @classmethod
    def of_weights(cls, weights: Mapping[Fraction, Fraction]) -> Law:
        """Build a law from rational masses already known to sum to 1, without parsing or checks.

        :param weights: ``{value: mass}``
        :returns: the law
        """
        law = cls.__new__(cls)
        law._set(sorted((x, p) for x, p in weights.items() if p))
        return law

    @classmethod
    def of_integers(cls, weights: Mapping[int, int], *, unit: Fraction, total: int) -> Law:
        """Build the law with mass ``weights[i] / total`` at ``i * unit``.

        :param weights: ``{i: weight}``
        :param unit: the step of the grid
        :param total: the sum of the weights
        :returns: the law
        """
        return cls.of_weights({i * unit: Fraction(w, total) for i, w in weights.items()})

    @classmethod
    def point(cls, value: Rational) -> Law:
        """Return the law of a constant.

        :param value: a number
        :returns: the law
        """
        return cls({value: 1})

    def __iter__(self) -> Iterator[tuple[Fraction, Fraction]]:
        """Iterate over pairs ``(atom, mass)``, atoms increasing."""
        return zip(self.atoms, self.masses, strict=True)

    def __len__(self) -> int:
        return len(self.atoms)

    def __repr__(self) -> str:
        shown = ", ".join(f"{text(x)}: {text(p)}" for x, p in list(self)[:8])
        return f"Law({{{shown}{', …' if len(self) > 8 else ''}}})"

    @cached_property
    def _cumulative(self) -> tuple[Fraction, ...]:
        return tuple(accumulate(self.masses))

    def mass(self, x: Rational) -> Fraction:
        """Return P(X = x).

        :param x: a number
        :returns: a probability, 0 if x is not an atom
        """
        value = as_fraction(x, "x")
        i = bisect_left(self.atoms, value)
        return self.masses[i] if i < len(self.atoms) and self.atoms[i] == value else Fraction()

    def cdf(self, x: Rational) -> Fraction:
        """Return F(x) = P(X <= x).

        :param x: a number
        :returns: a probability
        """
        i = bisect_right(self.atoms, as_fraction(x, "x"))
        return self._cumulative[i - 1] if i else Fraction()

    def cumulative(self) -> tuple[Fraction, ...]:
        """Return F at the atoms.

        :returns: one value per atom, the last 1
        """
        return self._cumulative

    def quantile(self, tau: Rational) -> Fraction:
        r"""Return the lower quantile :math:`F^\dagger(\tau) = \inf\{x : F(x) \ge \tau\}`, for tau in (0, 1].

        :param tau: a level in (0, 1]
        :returns: the quantile, an atom
        :raises InvalidNumber: if the level is outside
        """
        level = as_fraction(tau, "tau")
        if not 0 < level <= 1:
            raise InvalidNumber(f"tau is {said(level)}, wanted a level in (0, 1]: the infimum at 0 is -infinity")
        return self.atoms[bisect_left(self._cumulative, level)]

    def upper_quantile(self, tau: Rational) -> Fraction:
        r"""Return the upper quantile :math:`F^\dagger(\tau+) = \inf\{x : F(x) > \tau\}`, for tau in [0, 1).

        :param tau: a level in [0, 1)
        :returns: the quantile, an atom
        :raises InvalidNumber: if the level is outside
        """
        level = as_fraction(tau, "tau")
        if not 0 <= level < 1:
            raise InvalidNumber(f"tau is {said(level)}, wanted a level in [0, 1): nothing exceeds 1")
        return self.atoms[bisect_right(self._cumulative, level)]

    @property
    def mean(self) -> Fraction:
        return sum((x * p for x, p in self), Fraction())

    @property
    def variance(self) -> Fraction:
        return sum((x * x * p for x, p in self), Fraction()) - self.mean**2

    def convolve(self, other: Law) -> Law:
        """Return the law of the sum of independent draws.

        :param other: the law of the second term
        :returns: the law of the sum
        """
        return Law.of_weights(added_up((x + y, p * q) for x, p in self for y, q in other))

    @staticmethod
    def mixture(parts: Iterable[tuple[Rational, Law]]) -> Law:
        """Return the mixture of laws with the given probabilities.

        :param parts: pairs of a probability and a law
        :returns: the law of a draw from a randomly drawn law
        :raises InvalidLaw: if the probabilities do not sum to 1
        """
        read = [(as_fraction(weight, f"weight {i}"), law) for i, (weight, law) in enumerate(parts)]
        for i, (w, _) in enumerate(read):
            if w < 0:
                raise InvalidLaw(f"mixture weight {i} is {said(w)}, wanted a probability")
        total = sum((w for w, _ in read), Fraction())
        if total != 1:
            raise InvalidLaw(f"mixture weights sum to {said(total)}, not to 1")
        return Law.of_weights(added_up((x, w * p) for w, law in read for x, p in law))

    def affine(self, scale: Rational = 1, shift: Rational = 0) -> Law:
        """Return the law of ``scale * X + shift``.

        :param scale: a number, possibly 0 or negative
        :param shift: a number
        :returns: the new law
        """
        a, b = as_fraction(scale, "scale"), as_fraction(shift, "shift")
        return Law.of_weights(added_up((a * x + b, p) for x, p in self))

    def round_up(self, eta: Rational) -> Law:
        r"""Return the pushforward under :math:`\phi(x) = \eta \lceil x / \eta \rceil`.

        >>> Law({"1/4": "1/2", 1: "1/2"}).round_up("1/2")
        Law({1/2: 1/2, 1: 1/2})

        :param eta: the grid's step, positive
        :returns: the law of the rounded value
        """
        step = as_step(eta)
        return Law.of_weights(added_up((ceil_div(x, step) * step, p) for x, p in self))

    def round_down(self, eta: Rational) -> Law:
        r"""Return the pushforward under :math:`\phi(x) = \eta \lfloor x / \eta \rfloor`.

        :param eta: the grid's step, positive
        :returns: the law of the rounded value
        """
        step = as_step(eta)
        return Law.of_weights(added_up((x // step * step, p) for x, p in self))

    def kolmogorov(self, other: Law) -> Fraction:
        """Return the KS distance, the largest difference of the two CDFs.

        :param other: a law
        :returns: the distance
        """
        return max(abs(self.cdf(x) - other.cdf(x)) for x in (*self.atoms, *other.atoms))

    def wasserstein(self, other: Law) -> Fraction:
        """Return the Wasserstein distance of order 1, the area between the two CDFs.

        >>> Law({0: "1/2", 1: "1/2"}).wasserstein(Law.point("1/4"))
        Fraction(1, 2)

        :param other: a law
        :returns: the distance
        """
        points = pairwise(sorted({*self.atoms, *other.atoms}))
        return sum((abs(self.cdf(x) - other.cdf(x)) * (y - x) for x, y in points), Fraction())

    def total_variation(self, other: Law) -> Fraction:
        """Return the TV distance, half the sum of the absolute differences of the masses.

        :param other: a law
        :returns: the distance
        """
        points = {*self.atoms, *other.atoms}
        return sum((abs(self.mass(x) - other.mass(x)) for x in points), Fraction()) / 2

    def plot(self, objective: Weighting | str | None = None) -> Picture:
        """Plot masses, CDF and quantiles; with an ``objective``, also its weights.

        :param objective: a weighting, or its text form, whose weights are drawn too
        :returns: the picture
        :raises MissingDependency: if matplotlib is not installed
        """
        from .plotting import draw_law

        return draw_law(self, objective)

    def _repr_html_(self) -> str:
        from .plotting.html import law_html

        return law_html(self)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON representation, with rationals as ``"p/q"``.

        :returns: plain lists, dicts, numbers and text
        """
        return {"atoms": [text(x) for x in self.atoms], "masses": [text(p) for p in self.masses]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Law:
        """Invert :meth:`to_json`.

        :param data: the output of :meth:`to_json`; files are validated on loading
        :returns: the law
        """
        atoms, masses = data["atoms"], data["masses"]
        if len(atoms) != len(masses):
            raise InvalidLaw(f"law has {len(atoms)} atoms and {len(masses)} masses, wanted as many of each")
        return cls(zip(atoms, masses, strict=True))


def moved(law: Law, mass: Fraction, end: Fraction) -> Law:
    """Return the law with ``mass``, at most all, taken from the atoms farthest from ``end`` and put there."""
    weights, left = dict(law), min(mass, Fraction(1))
    for x in sorted(weights, key=lambda x: -abs(x - end)):
        taken = min(left, weights[x])
        weights[x], left = weights[x] - taken, left - taken
    weights[end] = weights.get(end, Fraction()) + min(mass, Fraction(1))
    return Law.of_weights(weights)
