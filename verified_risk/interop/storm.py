r"""Models in Storm's formats, read by Storm itself: explicit DRN, the PRISM language, JANI.

Storm (the library ``stormpy``) parses and builds the model in rational arithmetic, so every probability and reward is
the exact fraction that the file means: ``0.1`` is 1/10.  There is no second parser that could disagree with Storm.

Rewards of a step.  Storm's files have no horizon and three kinds of rewards.  Step t, taken in state :math:`s_t` with
action :math:`a_t` and arriving in :math:`s_{t+1}`, has the reward

.. math:: r_t = \text{state}(s_t) + \text{action}(s_t, a_t) + \text{transition}(s_t, a_t, s_{t+1}):

a state's reward is collected when it is *left*, and not in the state after the last step.  The mean of the return over
``horizon`` steps is thus Storm's ``R=? [C<=horizon]``, for every scheduler.

Variables and labels become the names of states and actions.  A state without a command is absorbing and has no reward,
as Storm builds it.  UMB archives are read by their own package (:mod:`~verified_risk.interop.umb`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import InvalidArgument, InvalidFile, InvalidModel, MissingDependency, Unsupported, VerifiedRiskError
from ..files import read_text
from ..mdp import MDP, Outcome
from ..mdp.readers import Horizon
from ..numbers.rational import LARGEST_EXPONENT, Rational, as_fraction, text
from .outcomes import mdp_of_outcomes
from .time_varying import own_law
from .umb import read_umb, umb_names, umb_outcomes

Outcomes: TypeAlias = list[list[list[Any]]]
"""``outcomes[s][a]``: triples of probability, next state and reward."""

PRISM = (".prism", ".nm", ".pm", ".sm")
SUFFIXES = (".drn", *PRISM, ".jani", ".umb")
"""Suffixes of the files read here."""

HUGE = re.compile(r"(?<![\w.])[\d.]+[eE][+-]?0*[1-9]\d{5,}", re.ASCII)
"""A number that Storm would spend hours writing out, digit by digit."""
BUILT_IN = {"init", "deadlock"}
"""Labels that Storm adds by itself."""


def read_storm(
    path: str | PathLike[str],
    *,
    horizon: Horizon = None,
    rewards: str | None = None,
    constants: str | Mapping[str, Any] | None = None,
    initial: Any = None,
    discount: Rational = 1,
) -> MDP:
    """Read the model of a DRN, PRISM or JANI file, an MDP or a discrete-time Markov chain.

    ``rewards`` names the reward model (needed if the file has several), ``constants`` gives the undefined constants of
    a PRISM or JANI file, ``{"N": 3, "p": "1/3"}`` or ``"N=3,p=1/3"``.  ``initial`` is a state or a dict ``{state:
    probability}``, needed if the file has several initial states; states are numbered as in Storm, which for DRN is as
    in the file.  Without ``horizon`` the model must end by itself: every path reaches an absorbing state without
    rewards, and the longest such path is the horizon.
    """
    where, stuck = str(path), 0
    if Path(path).suffix.lower() == ".umb":
        if constants:
            raise InvalidArgument(f"constants is {constants!r}, but a UMB archive has none: leave it out")
        ats, models, labels = read_umb(Path(path))
        name, chosen = _reward_model(models, rewards, where)
        outcomes, starts, (states, actions) = (
            umb_outcomes(ats, chosen, where),
            ats.initial_states,
            umb_names(ats, labels),
        )
    else:
        built = _build(Path(path), constants)
        _require_choices_in_discrete_time(built, where)
        name, chosen = _reward_model(dict(built.reward_models), rewards, where)
        outcomes, starts, (states, actions) = _outcomes(built, chosen), _starts(built), _names(built)
        stuck = _deadlocks(built)
    start = _initial(starts, len(outcomes), initial, where)
    steps = _longest_path(outcomes, start, where) if horizon is None else horizon
    reader = "umbi" if where.lower().endswith(".umb") else "Storm"
    notes = [f"read by {reader} from {where}" + (f", reward model {name!r}" if name else "")]
    if stuck:
        notes.append(f"{stuck} state{'s' * (stuck > 1)} without a command: Storm lets them stay, paying nothing")
    return mdp_of_outcomes(
        [outcomes], lambda t, s, a: f"{where}: state {s}, action {a}", varies=False, initial=start, horizon=steps,
        discount=discount, notes=notes, state_names=states, action_names=actions,
    )  # fmt: skip


def _storm() -> Any:
    try:
        import stormpy
    except ImportError:
        raise MissingDependency("DRN, PRISM and JANI files are read by Storm", extra="storm") from None
    if not hasattr(stormpy, "instantiate_constants"):
        version = getattr(stormpy, "__version__", "?")
        raise MissingDependency(f"stormpy is {version}, wanted 2.0 or newer", extra="storm")
    from stormpy import developer

    developer.set_log_level(developer.LogLevel.OFF)  # Storm logs to the standard output
    return stormpy


def _build(path: Path, constants: str | Mapping[str, Any] | None) -> Any:
    """Build Storm's sparse model of the file, in rationals."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InvalidFile(f"{path} ends in {suffix!r}, wanted one of {' '.join(SUFFIXES)}")
    huge = HUGE.search(read_text(path, "latin-1"))  # a missing file is an error of the operating system
    if huge:
        raise InvalidFile(f"{path} holds {huge[0][:40]}, wanted an exponent of at most {LARGEST_EXPONENT}")
    storm = _storm()
    given = _constants(constants)
    try:
        if suffix == ".drn":
            if given:
                raise InvalidArgument(f"constants is {given!r}, but a DRN file has none: leave it out")
            return storm.build_model_from_drn[storm.Rational](str(path))
        program = storm.parse_jani_model(str(path))[0] if suffix == ".jani" else storm.parse_prism_program(str(path))
        if given:
            program, _ = storm.instantiate_constants(program, given)
        missing = [constant.name for constant in program.constants if not constant.defined]
        if missing:
            raise InvalidArgument(
                f"{path} leaves {', '.join(missing)} open, wanted constants such as {missing[0]}=3 (--constants)"
            )
        options = storm.BuilderOptions()
        options.set_build_all_reward_models()
        options.set_build_all_labels()
        options.set_build_state_valuations()
        options.set_build_choice_labels()
        # By default Storm replaces rewards on transitions by their mean, which is another law of the return.
        options.set_scale_and_lift_transition_rewards(False)
        return storm.build_model[storm.Rational](program, options=options)
    except (RuntimeError, LookupError, ValueError, storm.exceptions.StormError) as error:
        if isinstance(error, VerifiedRiskError):  # one of ours
            raise
        raise InvalidFile(f"Storm cannot read {path}: {_one_line(error)}") from None


def _one_line(error: Exception) -> str:
    """Return Storm's message without its class name and source excerpt, as one line."""
    message = " ".join(re.sub(r"^\w+Exception: ", "", str(error)).split())
    if "transition rewards" in message.lower():
        message += " Write them as rewards of actions or states."
    return message


def _constants(constants: str | Mapping[str, Any] | None) -> str:
    """Return ``N=3,p=1/3``, the form that Storm reads exactly."""
    if constants is None or isinstance(constants, str):
        return (constants or "").strip()

    def shown(name: str, value: Any) -> str:
        return str(value).lower() if isinstance(value, bool) else text(as_fraction(value, f"constants[{name!r}]"))

    return ",".join(f"{name}={shown(name, value)}" for name, value in constants.items())


def _require_choices_in_discrete_time(built: Any, where: str) -> None:
    kind = str(built.model_type).rpartition(".")[2]
    reasons = {
        "CTMC": "its steps take random times",
        "MA": "its steps take random times",
        "POMDP": "its policies may not see the state",
        "SMG": "it has several players",
    }
    if kind not in ("MDP", "DTMC"):
        shown = f"an {kind}" if kind == "MA" else f"a {kind}"
        why = reasons.get(kind, "another kind of model")
        raise Unsupported(f"{where} is {shown} ({why}), wanted an MDP or a DTMC")


def _reward_model(models: Mapping[str, Any], wanted: str | None, where: str) -> tuple[str, Any]:
    named = ", ".join(repr(name) if name else "the one without a name ('')" for name in sorted(models))
    if not models:
        raise InvalidModel(f"{where} has no rewards, wanted at least one reward model: it says what the return is")
    if wanted is None:
        if len(models) > 1:
            raise InvalidArgument(f"{where} has the reward models {named}: choose one, rewards=NAME (--rewards NAME)")
        return next(iter(models.items()))
    if wanted not in models:
        raise InvalidArgument(f"{where} has no reward model {wanted!r}, wanted {named}")
    return wanted, models[wanted]


class _Numbers:
    """Converts Storm's rationals to fractions; a large model repeats few distinct numbers."""

    def __init__(self) -> None:
        self._known: dict[str, Fraction] = {}

    def __call__(self, value: Any) -> Fraction:
        shown = str(value)
        if shown not in self._known:
            self._known[shown] = Fraction(shown)
        return self._known[shown]


def _outcomes(built: Any, rewards: Any) -> Outcomes:
    number = _Numbers()
    matrix = built.transition_matrix
    of_state = [number(r) for r in rewards.state_rewards] if rewards.has_state_rewards else None
    of_choice = [number(r) for r in rewards.state_action_rewards] if rewards.has_state_action_rewards else None
    on_the_way = rewards.transition_rewards if rewards.has_transition_rewards else None
    single = matrix.has_trivial_row_grouping
    zero = Fraction()

    def choice(s: int, row: int) -> list[Outcome]:
        base = of_state[s] if of_state else zero
        base = base + of_choice[row] if of_choice else base
        extra = {e.column: number(e.value) for e in on_the_way.get_row(row)} if on_the_way else {}
        return [
            (number(entry.value), entry.column, base + extra[entry.column] if entry.column in extra else base)
            for entry in matrix.get_row(row)
        ]

    return [
        [
            choice(s, row)
            for row in ((s,) if single else range(matrix.get_row_group_start(s), matrix.get_row_group_end(s)))
        ]
        for s in range(built.nr_states)
    ]


def _starts(built: Any) -> list[int]:
    try:
        return [int(s) for s in built.initial_states]
    except RuntimeError:  # no state has the label
        return []


def _initial(starts: list[int], n: int, initial: Any, where: str) -> Any:
    if initial is None:
        if len(starts) != 1:
            shown = ", ".join(map(str, starts[:6])) + ("..." if len(starts) > 6 else "")
            raise InvalidArgument(
                f"{where} has {len(starts)} initial states ({shown or 'none'}) and no law on them: "
                "give initial, a state or {state: probability} (--initial STATE)"
            )
        return starts[0]
    return own_law(initial, n)


def _longest_path(outcomes: Outcomes, initial: Any, where: str) -> int:
    """Return the steps until every path has ended: the depth of the graph above the absorbing states."""

    def successors(s: int) -> set[int]:
        over = all(target == s and r == 0 for action in outcomes[s] for p, target, r in action if p)
        return set() if over else {target for action in outcomes[s] for p, target, _ in action if p}

    starts = list(initial) if isinstance(initial, Mapping) else [initial]
    graph, met = {}, list(starts)
    for s in met:  # grows while it is read
        if s not in graph:
            graph[s] = successors(s)
            met += graph[s]
    depth: dict[int, int] = {}
    try:
        for s in TopologicalSorter(graph).static_order():
            depth[s] = max((1 + depth[target] for target in graph[s]), default=0)
    except CycleError as error:
        raise InvalidModel(
            f"{where} need not end by itself (state {error.args[1][0]} can come back): give horizon, the steps to play "
            "(--horizon N)"
        ) from None
    return max(1, *(depth[start] for start in starts))


def _deadlocks(built: Any) -> int:
    labels = built.labeling
    return len(list(labels.get_states("deadlock"))) if "deadlock" in labels.get_labels() else 0


def _names(built: Any) -> tuple[list[str] | None, list[list[str]] | None]:
    """Return the variables and labels of every state, and the labels of its actions, if the file has any."""
    n, matrix = built.nr_states, built.transition_matrix
    variables, actions = [""] * n, None
    if built.has_state_valuations():
        variables = [built.state_valuations.to_string(s).strip("[]").replace("\t", " ").strip() for s in range(n)]
    labels = [", ".join(sorted(set(built.labeling.get_labels_of_state(s)) - BUILT_IN)) for s in range(n)]
    states = ["; ".join(filter(None, pair)) for pair in zip(variables, labels, strict=True)]
    if built.has_choice_labeling() and not matrix.has_trivial_row_grouping:
        groups = [range(matrix.get_row_group_start(s), matrix.get_row_group_end(s)) for s in range(n)]
        own = [[", ".join(sorted(built.choice_labeling.get_labels_of_choice(row))) for row in rows] for rows in groups]
        if any(map(any, own)):
            actions = [[name or str(a) for a, name in enumerate(names)] for names in own]
    return (states if any(states) else None), actions
