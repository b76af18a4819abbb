r"""Hypothesis strategies for the objects of the paper, public.

They construct rather than filter, reach ties and zero masses, and shrink towards one state, one action, no reward and
small denominators.

>>> from hypothesis import given
>>> from proofs_checks import strategies
>>> @given(strategies.laws(), strategies.levels())
... def test_cvar_is_below_the_mean(law, alpha): ...
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from hypothesis import strategies as st

import verified_risk as vr
from verified_risk.mdp import Action

from .enumeration import return_cells
from .estimation import Episode, Radii, rebuilt, row_of
from .greedy import reachable_sums
from .histories import history_policy, possible_histories, weighted

Shape: TypeAlias = Literal["any", "linear", "concave", "convex", "general"]
Kind: TypeAlias = Literal["markov", "return", "history"]
Event: TypeAlias = Literal["on", "off", "any"]


@st.composite
def rationals(
    draw: st.DrawFn, *, min_value: int | Fraction = 0, max_value: int | Fraction = 1, max_denominator: int = 4
) -> Fraction:
    """Rationals of small denominator in ``[min_value, max_value]``; they shrink to small denominators first."""
    if min_value > max_value:
        raise ValueError(f"min_value is {min_value}, above max_value {max_value}")
    fitting = [d for d in range(1, max_denominator + 1) if math.ceil(min_value * d) <= math.floor(max_value * d)]
    if not fitting:
        raise ValueError(f"no rational in [{min_value}, {max_value}] has a denominator up to {max_denominator}")
    d = draw(st.sampled_from(fitting))
    return Fraction(draw(st.integers(math.ceil(min_value * d), math.floor(max_value * d))), d)


@st.composite
def levels(draw: st.DrawFn, *, max_denominator: int = 8, include_one: bool = True) -> Fraction:
    """Levels in (0, 1], or in (0, 1); they shrink to the mean's level 1 or to 1/2."""
    if not include_one and max_denominator < 2:
        raise ValueError("no level in (0, 1) has denominator 1: wanted max_denominator of at least 2")
    d = draw(st.integers(1 if include_one else 2, max_denominator))
    return 1 - Fraction(draw(st.integers(0 if include_one else 1, d - 1)), d)


@st.composite
def masses(draw: st.DrawFn, count: int, *, max_weight: int = 3, positive: bool = False) -> tuple[Fraction, ...]:
    """Probability vectors; zeros are reachable unless ``positive``; they shrink to all mass on the first entry."""
    low = 1 if positive else 0
    weights = [draw(st.integers(1, max_weight)), *(draw(st.integers(low, max_weight)) for _ in range(count - 1))]
    if not positive and count > 1 and draw(st.booleans()):  # the first entry may be zero too
        weights = weights[1:] + weights[:1]
    total = sum(weights)
    return tuple(Fraction(w, total) for w in weights)


@st.composite
def laws(
    draw: st.DrawFn,
    *,
    min_value: int | Fraction = 0,
    max_value: int | Fraction = 1,
    max_atoms: int = 3,
    max_denominator: int = 4,
    max_weight: int = 3,
) -> vr.Law:
    """Finite laws on a small grid of ``[min_value, max_value]``; they shrink to a point."""
    d = draw(st.integers(1, max_denominator))
    low, high = math.ceil(min_value * d), math.floor(max_value * d)
    while low > high:  # a coarse grid may have no point in a short interval
        d += 1
        low, high = math.ceil(min_value * d), math.floor(max_value * d)
    count = draw(st.integers(1, min(max_atoms, high - low + 1)))
    atoms = draw(st.lists(st.integers(low, high), min_size=count, max_size=count, unique=True))
    weights = draw(masses(count, max_weight=max_weight, positive=True))
    return vr.Law.of_weights({Fraction(x, d): p for x, p in zip(atoms, weights, strict=True)})


@st.composite
def weightings(
    draw: st.DrawFn, *, shape: Shape = "any", max_corners: int = 2, max_denominator: int = 4, jumps: bool = False
) -> vr.Weighting:
    """Rational piecewise-linear weightings with up to ``max_corners`` inner corners; with ``jumps`` also VaR.  They
    shrink to the mean.  Concave ones are mixtures of CVaRs, convex ones their reflections ``1 - H(1 - tau)``."""
    if jumps and draw(st.booleans()):
        return draw(quantile_weightings(max_denominator=max_denominator))
    kind = draw(st.sampled_from(("linear", "concave", "convex", "general"))) if shape == "any" else shape
    if kind == "linear":
        return vr.Mean()
    count = draw(st.integers(1, max_corners))
    if kind == "general":
        d = draw(st.integers(count + 1, max(count + 1, max_denominator)))
        taus = sorted(draw(st.lists(st.integers(1, d - 1), min_size=count, max_size=count, unique=True)))
        values = sorted(draw(st.lists(st.integers(0, d), min_size=count, max_size=count)))
        inner = [(Fraction(t, d), Fraction(v, d)) for t, v in zip(taus, values, strict=True)]
        return vr.PiecewiseLinear([(0, 0), *inner, (1, 1)])
    parts = draw(st.lists(levels(max_denominator=max_denominator), min_size=count, max_size=count, unique=True))
    weights = draw(masses(count, positive=True))
    concave = vr.Spectral(parts, weights)
    if kind == "concave":
        return concave if count > 1 else vr.CVaR(parts[0])
    assert concave.knots is not None
    return vr.PiecewiseLinear([(1 - tau, 1 - value) for tau, value in reversed(concave.knots)])


@st.composite
def quantile_weightings(draw: st.DrawFn, *, max_denominator: int = 4) -> vr.VaR:
    """Lower and upper quantiles, weightings with one jump."""
    upper = draw(st.booleans())
    level = draw(levels(max_denominator=max_denominator))
    return vr.VaR(1 - level, upper=True) if upper else vr.VaR(level)


@st.composite
def mdps(
    draw: st.DrawFn,
    *,
    min_states: int = 1,
    max_states: int = 2,
    min_actions: int = 1,
    max_actions: int = 2,
    min_horizon: int = 1,
    max_horizon: int = 3,
    max_atoms: int = 3,
    max_denominator: int = 4,
    max_weight: int = 3,
    product: bool = True,
) -> vr.MDP:
    """Exact MDPs with rewards in [0, 1]; they shrink towards one state, one action, no reward.

    With ``product`` reward and next state are independent, as in the paper; otherwise they come as joint outcomes.
    Ties between actions and zero probabilities are reachable.  States beyond ``min_states`` are there only if some
    policy reaches them.
    """
    most = draw(st.integers(min_states, max_states))
    horizon = draw(st.integers(min_horizon, max_horizon))
    d = draw(st.integers(1, max_denominator))
    rewards = st.integers(0, d).map(lambda i: Fraction(i, d))
    initial = draw(masses(most, max_weight=max_weight))
    found = dict.fromkeys([*range(min_states), *(s for s, p in enumerate(initial) if p)])
    waiting, states = list(found), []
    for _ in waiting:  # grows as successors are found, so that shrinking a row removes what it led to
        actions: list[Any] = []
        for _ in range(draw(st.integers(min_actions, max_actions))):
            if product:
                row = draw(masses(most, max_weight=max_weight))
                actions.append((row, draw(_reward_laws(rewards, min(max_atoms, d + 1), max_weight))))
                ends = [s for s, p in enumerate(row) if p]
            else:
                entry = st.tuples(st.integers(0, most - 1), rewards)
                drawn = draw(st.lists(entry, min_size=1, max_size=max_atoms, unique=True))
                weights = draw(masses(len(drawn), max_weight=max_weight, positive=True))
                actions.append([(p, s, r) for p, (s, r) in zip(weights, drawn, strict=True)])
                ends = [s for s, _ in drawn]
            waiting += [s for s in dict.fromkeys(ends) if s not in found]
            found.update(dict.fromkeys(ends))
        states.append(actions)
    start = [initial[s] for s in waiting]
    if product:
        transitions = [[[row[s] for s in waiting] for row, _ in actions] for actions in states]
        return vr.MDP(start, transitions, [[law for _, law in actions] for actions in states], horizon)
    number = {s: i for i, s in enumerate(waiting)}
    outcomes = [[[(p, number[s], r) for p, s, r in action] for action in actions] for actions in states]
    return vr.MDP.from_outcomes(outcomes, initial=start, horizon=horizon)


@st.composite
def _reward_laws(draw: st.DrawFn, rewards: st.SearchStrategy[Fraction], max_atoms: int, max_weight: int) -> vr.Law:
    values = draw(st.lists(rewards, min_size=1, max_size=max_atoms, unique=True))
    weights = draw(masses(len(values), max_weight=max_weight, positive=True))
    return vr.Law.of_weights(dict(zip(values, weights, strict=True)))


@st.composite
def choices(
    draw: st.DrawFn, count: int, *, deterministic: bool = False, max_weight: int = 2
) -> int | dict[int, Fraction]:
    """An action of ``count``, or a lottery over them; they shrink to action 0."""
    if count == 1:
        return 0
    if deterministic or not draw(st.booleans()):
        return draw(st.integers(0, count - 1))
    return {a: p for a, p in enumerate(draw(masses(count, max_weight=max_weight))) if p}


@st.composite
def markov_policies(draw: st.DrawFn, mdp: vr.MDP, *, deterministic: bool = False) -> vr.MarkovPolicy:
    """Policies of step and state."""
    table = [[draw(choices(count, deterministic=deterministic)) for count in mdp.n_actions] for _ in range(mdp.horizon)]
    return vr.MarkovPolicy(mdp, table)


@st.composite
def return_policies(draw: st.DrawFn, mdp: vr.MDP, *, deterministic: bool = False) -> vr.ReturnPolicy:
    """Policies of step, state and return so far, with an entry wherever some policy leads."""
    cells = return_cells(mdp)
    return vr.ReturnPolicy(
        mdp, {cell: draw(choices(mdp.n_actions[cell[1]], deterministic=deterministic)) for cell in cells}
    )


@st.composite
def history_policies(draw: st.DrawFn, mdp: vr.MDP, *, deterministic: bool = False) -> vr.HistoryPolicy:
    """Policies of the whole history, with an entry for every possible one."""
    rows = {
        xi: draw(choices(mdp.n_actions[xi[-1]], deterministic=deterministic))
        for t in range(mdp.horizon)
        for xi in possible_histories(mdp, t)
    }
    return history_policy(mdp, rows)


def policies(
    mdp: vr.MDP, *, kinds: Sequence[Kind] = ("markov", "return", "history"), deterministic: bool = False
) -> st.SearchStrategy[vr.Policy]:
    """Policies of one model: Markov, y-dependent and history-dependent, with lotteries unless ``deterministic``."""
    by_kind: dict[str, Any] = {"markov": markov_policies, "return": return_policies, "history": history_policies}
    return st.one_of([by_kind[kind](mdp, deterministic=deterministic) for kind in kinds])


def mdps_with_policies(
    *, kinds: Sequence[Kind] = ("markov", "return", "history"), deterministic: bool = False, **bounds: Any
) -> st.SearchStrategy[tuple[vr.MDP, vr.Policy]]:
    """Pairs of a model and one of its policies; ``bounds`` go to :func:`mdps`, with at most two atoms by default."""
    return mdps(**{"max_atoms": 2, **bounds}).flatmap(
        lambda mdp: st.tuples(st.just(mdp), policies(mdp, kinds=kinds, deterministic=deterministic))
    )


# -- learning ---------------------------------------------------------------------------------------------------------
#
# The closeness lemma of the paper fails if the rewards of two models *interlace*: the CDFs are close, but the atoms
# differ, and a y-policy can tell the models apart.  Random pairs rarely interlace, so mdp_pairs constructs them.


@st.composite
def mdp_pairs(
    draw: st.DrawFn, /, *, max_horizon: int = 2, max_atoms: int = 2, max_denominator: int = 4, **bounds: Any
) -> tuple[vr.MDP, vr.MDP]:
    """Two models that differ in transitions and rewards only; half of them have interlaced rewards.  ``bounds`` go to
    :func:`mdps`.  They shrink towards two equal models."""
    if draw(st.booleans()):
        return draw(interlaced_pairs())
    mdp = draw(mdps(max_horizon=max_horizon, max_atoms=max_atoms, max_denominator=max_denominator, **bounds))
    shifted = draw(st.booleans())
    half = Fraction(1, 2 * max_denominator)

    def pair(s: int, a: int, action: Action) -> tuple[Any, Any]:
        row = draw(st.one_of(st.just(row_of(mdp, s, a)), masses(mdp.n_states)))
        if shifted:
            return row, _moved(action.reward_law, draw(st.sampled_from((Fraction(), half, -half))))
        other = laws(max_atoms=max_atoms, max_denominator=max_denominator)
        return row, draw(st.one_of(st.just(action.reward_law), other))

    return mdp, rebuilt(mdp, pair)


@st.composite
def interlaced_pairs(draw: st.DrawFn, *, max_teeth: int = 4) -> tuple[vr.MDP, vr.MDP]:
    """One state, T = 2: the first action pays a comb of ``m`` equally likely rewards, its twin the comb between.  The
    other actions pay 0 or 1 in both.  KS is at most ``1/m``, TV is 1."""
    teeth = draw(st.integers(1, max_teeth))
    shift = Fraction(1, teeth * draw(st.sampled_from((2, 4, 8))))
    pays = draw(st.lists(st.integers(0, 1), min_size=1, max_size=2, unique=True))
    rows = [[[1]] * (1 + len(pays))]
    mass = Fraction(1, teeth)
    combs = [{Fraction(j, teeth) + move: mass for j in range(teeth)} for move in (Fraction(), shift)]
    if draw(st.booleans()):
        combs.reverse()
    mdp, twin = (vr.MDP(0, rows, [[vr.Law(comb), *pays]], 2) for comb in combs)
    return mdp, twin


def _moved(law: vr.Law, move: Fraction) -> vr.Law:
    """Every atom moved by the same amount, kept inside [0, 1]."""
    return weighted((min(max(r + move, Fraction()), Fraction(1)), p) for r, p in law)


def _shared_keys(mdp: vr.MDP, models: Iterable[vr.MDP]) -> list[tuple[int, int, Fraction]]:
    """All ``(t, s, y)`` where some policy leads in some of the models, s a state of ``mdp``."""
    return sorted(
        {
            (t, s, y)
            for model in models
            for t, level in enumerate(reachable_sums(model)[:-1])
            for s, y in level
            if s < mdp.n_states
        }
    )


@st.composite
def shared_return_policies(draw: st.DrawFn, mdp: vr.MDP, models: Iterable[vr.MDP]) -> vr.ReturnPolicy:
    """y-policies of ``mdp`` with an entry wherever some policy leads in any of ``models``."""
    choose = {s: choices(mdp.n_actions[s]) for s in range(mdp.n_states)}
    return vr.ReturnPolicy(mdp, {(t, s, y): draw(choose[s]) for t, s, y in _shared_keys(mdp, models)})


@st.composite
def origin_policies(draw: st.DrawFn, mdp: vr.MDP, models: Iterable[vr.MDP]) -> vr.ReturnPolicy:
    """y-policies that play one action per state where the first model leads and one elsewhere."""
    several = tuple(models)
    own = reachable_sums(several[0])
    actions = [st.integers(0, count - 1) for count in mdp.n_actions]
    first, inside, outside = ([draw(choice) for choice in actions] for _ in range(3))
    table = {}
    for t, s, y in _shared_keys(mdp, several):
        table[t, s, y] = first[s] if t == 0 else (inside if (s, y) in own[t] else outside)[s]
    return vr.ReturnPolicy(mdp, table)


def shared_policies(mdp: vr.MDP, models: Iterable[vr.MDP]) -> st.SearchStrategy[vr.Policy]:
    """Markov policies, y-policies, origin policies and mixtures of two y-policies, playable in all of ``models``."""
    several = tuple(models)
    returns = shared_return_policies(mdp, several)
    mixtures = st.tuples(st.integers(1, 3), returns, returns).map(
        lambda parts: vr.MixturePolicy([(Fraction(parts[0], 4), parts[1]), (1 - Fraction(parts[0], 4), parts[2])])
    )
    markov: st.SearchStrategy[vr.Policy] = markov_policies(mdp)
    return st.one_of(markov, returns, origin_policies(mdp, several), mixtures)


@st.composite
def episodes(draw: st.DrawFn, mdp: vr.MDP) -> Episode:
    """One episode of positive probability under some policy."""
    s = draw(st.sampled_from([state for state, _ in mdp.initial]))
    steps = []
    for _ in range(mdp.horizon):
        a = draw(st.integers(0, mdp.n_actions[s] - 1))
        _, following, r = draw(st.sampled_from(mdp.actions(s)[a].outcomes))
        steps.append((s, a, r))
        s = following
    return Episode(tuple(steps), s)


def histories(mdp: vr.MDP, *, min_episodes: int = 0, max_episodes: int = 6) -> st.SearchStrategy[tuple[Episode, ...]]:
    """Sequences of episodes of ``mdp``, played by any learner; they shrink to no episode."""
    return st.lists(episodes(mdp), min_size=min_episodes, max_size=max_episodes).map(tuple)


@st.composite
def empirical_models(draw: st.DrawFn, mdp: vr.MDP, *, event: Event = "on", max_weight: int = 3) -> tuple[vr.MDP, Radii]:
    """An estimate of ``mdp`` whose atoms are atoms of ``mdp``, and a radius for every pair.  On the event the radii
    cover the errors (often with nothing to spare); off it, some radius does not."""
    needed: list[list[Fraction]] = [[] for _ in range(mdp.n_states)]

    def pair(s: int, a: int, action: Action) -> tuple[Any, Any]:
        row, law = row_of(mdp, s, a), action.reward_law
        support = [i for i, p in enumerate(row) if p]
        moved = [Fraction()] * mdp.n_states
        for i, p in zip(support, draw(masses(len(support), max_weight=max_weight)), strict=True):
            moved[i] = p
        estimate = tuple(moved) if draw(st.booleans()) else row
        seen = law
        if draw(st.booleans()):
            weights = draw(masses(len(law), max_weight=max_weight))
            seen = vr.Law.of_weights(dict(zip(law.atoms, weights, strict=True)))
        excess = max(q - p for p, q in zip(row, estimate, strict=True))
        needed[s].append(max(excess, law.kolmogorov(seen)))
        return estimate, seen

    estimated = rebuilt(mdp, pair)
    spare = st.sampled_from((Fraction(), Fraction(1, 8), Fraction(1, 4), Fraction(1, 2), Fraction(1)))
    radii = [[min(Fraction(1), least + draw(spare)) for least in row] for row in needed]
    off = event == "off" or (event == "any" and draw(st.booleans()))
    if off:
        radii = [[least / draw(st.sampled_from((1, 2, 4))) for least in row] for row in needed]
    return estimated, tuple(tuple(row) for row in radii)


def register() -> None:
    """Register these strategies for their types, so that ``@given(m=...)`` works with annotated arguments.  Hypothesis
    calls this through its entry point."""
    st.register_type_strategy(vr.MDP, mdps())
    st.register_type_strategy(vr.Law, laws())
    st.register_type_strategy(vr.Weighting, weightings())
    st.register_type_strategy(vr.Policy, mdps_with_policies().map(lambda pair: pair[1]))
