"""Laws as {value: probability}, and levels, drawn without the package."""

from fractions import Fraction

from hypothesis import strategies as st

atoms = st.fractions(min_value=-3, max_value=3, max_denominator=6)


@st.composite
def plain_laws(draw):
    """{value: probability} built here, so that the tests do not lean on the package's strategies."""
    values = draw(st.lists(atoms, min_size=1, max_size=5, unique=True))
    weights = draw(st.lists(st.integers(0, 4), min_size=len(values), max_size=len(values)).filter(any))
    return {x: Fraction(w, sum(weights)) for x, w in zip(values, weights, strict=True)}


levels = st.fractions(min_value=0, max_value=1, max_denominator=12)
