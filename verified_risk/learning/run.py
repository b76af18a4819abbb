"""The result of a run: regret, bounds, interval and notes in the user's units."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from .. import files
from ..errors import InvalidArgument, InvalidFile, Unsupported
from ..files import decode_array, encode_array, plain
from ..kernels.learn_data import CURVE, MEAN, Actions, Floats
from ..mdp import MDP
from ..numbers.format import above, at_least, at_most, ends
from ..numbers.rational import Rational, as_fraction, float_above
from ..objectives import Weighting, objective
from .declarations import Declared
from .evaluate import SEARCHED, SECONDS_FOR_THE_OPTIMUM, WIDEST
from .guarantee import UNIFORM, Guarantee, data_bound, guarantee_of
from .log import Log, Tally
from .policies import BlackBox, BlackBoxPolicy, LearnedPolicy, checked_table
from .problem import standard_form

if TYPE_CHECKING:
    from ..plotting import Picture
    from ..proving.proved import Proved
    from .audit import AuditReport
    from .episodes import Record
    from .evaluate import Bracket
    from .learner import Learner
    from .task import Settings, Task

PLAIN = ("algorithm", "episodes", "asked", "seed", "guarantee", "proved", "on_paper")
"""Fields that are JSON as they are."""
ASKED = ("objective", "algorithm", "delta", "eta", "seed", "bonus_scale", "declared", "stop_when")
"""Fields that are the arguments of the run."""
RATIONAL = ("delta", "bonus_scale", "eta", "stop_when")  # fields that are rationals; the last two may be None
SERIES = (
    "returns", "values", "values_width", "optimistic", "planner_error", "regret", "bound", "expected_bound",
    "data_bound",
)  # fmt: skip


class OptimumInterval(NamedTuple):
    """Exact ends; as text they are decimals, rounded outward.

    >>> print(OptimumInterval(Fraction(-1, 3), Fraction(2**60 + 1, 2**60)))
    [-1/3, 1.000000001]
    """

    lower: Fraction
    upper: Fraction

    def __str__(self) -> str:
        return f"[{at_least(self.lower)}, {at_most(self.upper)}]"


@dataclass(frozen=True, eq=False, repr=False)
class Run(files.Saved):
    """A run: one entry per episode in every series, in the user's units.

    ``mdp``, ``best``, ``values``, ``values_width`` and ``regret`` are None for a black-box environment: they need the
    model.  A bound is None where no theorem gives one; with narrowed sets (``bonus_scale < 1``) it is that of the
    theorem's own sets, for comparison.

    :param mdp: the model
    :param objective: the weighting
    :param algorithm: its name
    :param episodes: how many were played
    :param asked: how many were asked for, None if the run ended by itself
    :param delta: the probability with which the guarantee may fail
    :param eta: the step of the grid of rewards, None for the rewards' own
    :param seed: of the episodes
    :param bonus_scale: the factor of the radii; theorems cover 1 and more
    :param declared: the declarations about the model
    :param stop_when: the length of the interval at which it was to stop
    :param best: certified bounds of the optimum.  Weightings that are searched get a limited time, so their bounds
        depend on the speed of the machine; a note says so
    :param interval: bounds of the optimum from data alone (algorithm ``kl``, concave objectives).  With probability
        ``1 - delta`` the optimum lies between them, whatever the number of episodes, and :meth:`policy` is worth at
        least the lower one
    :param guarantee: the theorem that covers the run, in a sentence, or why none does
    :param proved: whether a theorem in Coq covers the interval and the regret from data of this run
    :param returns: what each episode earned
    :param values: ``Phi`` of each policy played, certified lower ends
    :param values_width: how far above ``values`` the truth may be
    :param optimistic: the value of each plan in its optimistic model
    :param planner_error: how far each plan may be from the best in its optimistic model
    :param regret: cumulative pseudo-regret, ``sum of Phi* - Phi(pi)``: an upper bound within ``regret_width`` of it
    :param bound: the theorem's bound after each episode, with probability ``1 - 2 delta``, on paper
    :param expected_bound: the theorem's bound in expectation, on paper
    :param data_bound: the bound from the visits that were made (algorithms ``kl`` and ``bernstein``), for all episodes
        at once with probability ``1 - 2 delta``; a theorem in Coq if ``proved``
    :param table: the policy to use
    :param shell: the form of an environment, None for a model
    :param audit: the theorem's claims, compared with the truth, None unless asked for
    :param notes: what a reader should know
    :param on_paper: whether a theorem covers this run whose proof is in words, in docs/theory
    :param history: the interval after some numbers of episodes, all of which hold at once; the last is ``interval``
    :param counts: of an environment, what was seen how often; files written before they were kept have None
    """

    KIND: ClassVar[str] = "run"
    mdp: MDP | None
    objective: Weighting
    algorithm: str
    episodes: int
    asked: int | None
    delta: Fraction
    eta: Fraction | None
    seed: int
    bonus_scale: Fraction
    declared: Declared
    stop_when: Fraction | None
    best: tuple[Fraction, Fraction] | None
    interval: OptimumInterval | None
    guarantee: str
    proved: bool
    returns: Floats
    values: Floats | None
    values_width: Floats | None
    optimistic: Floats
    planner_error: Floats
    regret: Floats | None
    bound: Floats | None
    expected_bound: Floats | None
    data_bound: Floats | None
    table: Actions
    shell: BlackBox | None = None
    audit: AuditReport | None = None
    notes: tuple[str, ...] = ()
    on_paper: bool = False
    history: tuple[tuple[int, OptimumInterval], ...] = ()
    counts: Tally | None = None

    @property
    def settings(self) -> Settings:
        """The arguments of the run."""
        from .task import Settings

        return Settings.read(episodes=self.asked, **{name: getattr(self, name) for name in ASKED})

    @property
    def mark(self) -> str:
        """The note behind the interval and the bound from data: empty if they are theorems in Coq."""
        return "" if self.proved else ", on paper" if self.on_paper else ", not proved"

    @property
    def value_gap(self) -> Floats | None:
        """Optimistic value minus true value of the policy played, which the closeness step of the proof bounds."""
        return None if self.values is None else self.optimistic - self.values

    @property
    def regret_width(self) -> Floats | None:
        """A bound on ``regret`` minus the true cumulative pseudo-regret."""
        if self.values_width is None or self.best is None or self.regret is None:
            return None
        width = float_above(Fraction(float_above(self.best[1])) - self.best[0])
        rounded = (np.arange(self.episodes) + 3) * 2.0**-52
        return np.cumsum(self.values_width + width) * (1 + rounded) + 2 * rounded * self.regret

    @property
    def trivial_regret(self) -> Fraction:
        """The most that so many episodes can lose, whatever is played; a bound above it says nothing."""
        if self.shell is not None:
            return self.episodes * self.shell.steps * self.shell.range
        assert self.mdp is not None
        low, high = self.mdp.remaining_range(0)
        return self.episodes * ((high if self.best is None else self.best[1]) - low)

    def policy(self, k: int | None = None) -> LearnedPolicy | BlackBoxPolicy:
        """Return the policy to use, or that of an episode, up to which the run is then replayed.

        :param k: an episode; None for the policy to use
        :returns: the policy; without ``k`` one worth at least ``interval[0]`` where there is an interval, else that of
            the last plan
        :raises InvalidArgument: if there was no such episode
        :raises Unsupported: if the episode was one of an environment
        """
        from .episodes import played_again

        if k is None:
            if self.mdp is not None:
                return LearnedPolicy(self.mdp, standard_form(self.mdp, self.eta), self.table.tolist())
            assert self.shell is not None
            return BlackBoxPolicy(self.shell, self.table)
        if not 0 <= k < self.episodes:
            raise InvalidArgument(f"episode {k} is outside 0..{self.episodes - 1}")
        if self.mdp is None:
            raise Unsupported(
                "the environment is a black box: its episodes cannot be replayed; policy() is the policy to use"
            )
        task, learner, _ = played_again(self, k)
        learner.plan()
        return LearnedPolicy(self.mdp, task.standard, learner.policy_table().tolist())

    def log(self, *, delta: Rational | None = None) -> Log:
        """Return what was played as a log, for questions of other objectives, horizons or policies.

        A run in a model is played again; of a run in an environment the log has the counts only.

        :param delta: the most that all questions may spend
        :returns: the log; what is asked of it has a ``delta`` of its own, beside that of the run
        :raises Unsupported: if rewards were rounded to a grid
        """
        from .run_log import log_of

        return log_of(self, delta)

    def prove(
        self,
        *,
        delta: Rational | None = None,
        certificate: str | PathLike[str] | None = None,
        seconds: float | None = None,
    ) -> Proved:
        """Have the verified checker prove a lower bound of :meth:`policy` and an upper bound of all policies, from what
        was seen.

        The proof has tests of its own, and holds whatever the algorithm did.  It is right with
        probability at least ``1 - delta``; both it and ``interval`` are, with probability at least
        ``1 - delta - run.delta``.  Of what was declared it uses which successors and rewards are possible.

        :param delta: the probability with which the proof may be wrong, by default that of the run
        :param certificate: a file to keep the certificate in (docs/proof_format.md)
        :param seconds: the longest time for the checker
        :returns: the theorem, its axioms and the proved interval
        :raises Unsupported: "not covered": all but the mean, CVaR and their mixtures, rewards that were rounded, and
            discounts
        :raises NotProved: if the checker refuses
        :raises MissingDependency: if the checker is not built
        """
        from .run_log import prove_run

        return prove_run(self, delta, certificate, seconds)

    def __repr__(self) -> str:
        where = "an environment" if self.mdp is None else repr(self.mdp)
        return f"Run({self.algorithm} on {self.objective}, {self.episodes} episodes, {where})"

    def __str__(self) -> str:
        lines = [
            f"{self.algorithm} on {self.objective}: {self.episodes} episodes, delta {self.delta}, seed {self.seed}"
        ]
        if self.bonus_scale != 1:
            lines[0] += f", radii times {self.bonus_scale}"
        if self.regret is not None and self.best is not None:
            last = max(1, self.episodes // 10)
            before = self.regret[-last - 1] if self.episodes > last else 0.0
            recent = (self.regret[-1] - before) / last
            low, high = self.best
            known = f"{float(low):.6g} (exact)" if low == high else " to ".join(ends(low, high))
            lines.append(f"  best value             {known}")
            lines.append(f"  pseudo-regret          {self.regret[-1]:.6g}")
            lines.append(f"  per episode, last {last:<4} {recent:.6g}")
        if self.interval is not None:
            lines.append(f"  optimum, from data     {self.interval} with probability {1 - self.delta}{self.mark}")
        lines.append(f"  mean return            {float(np.mean(self.returns)):.6g}")
        beforehand = self.mark or ", on paper"
        for name, series, mark in (
            ("prob. 1-2delta", self.bound, beforehand),
            ("expectation", self.expected_bound, beforehand),
            ("from the data", self.data_bound, self.mark),
        ):
            if series is not None:
                most = self.trivial_regret
                vacuous = f"vacuous: above {above(most, 6)}, all that {self.episodes} episodes can lose"
                lines.append(
                    f"  {f'bound ({name})':<22} {vacuous if series[-1] >= most else above(series[-1], 6)}{mark}"
                )
        lines.append(f"  guarantee: {self.guarantee}")
        lines.extend(f"  note: {note}" for note in self.notes)
        if self.audit is not None:
            lines += ["", str(self.audit)]
        return "\n".join(lines)

    def plot(self) -> Picture:
        """Draw the cumulative regret and the theorem's bound; of an environment, the interval for the optimum.

        :returns: the picture
        :raises MissingDependency: if matplotlib is not installed
        """
        from ..plotting import draw_run

        return draw_run(self)

    # -- files --------------------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """As JSON, rationals as ``"p/q"``.

        :returns: plain lists, dicts, numbers and text
        """
        named = ("objective", *PLAIN, *RATIONAL, "declared", "best", "interval", "shell", "notes", "audit")
        return {
            "model": plain(self.mdp),
            **{name: plain(getattr(self, name)) for name in named},
            "history": plain([(k, *found) for k, found in self.history]),
            "table": encode_array(self.table),
            "counts": self.counts and [self.counts.first, *map(encode_array, self.counts[1:])],
            **{name: None if (x := getattr(self, name)) is None else x.tolist() for name in SERIES},
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Run:
        """The inverse of :meth:`to_json`.

        :param data: what :meth:`to_json` gave; a file may be damaged, and is checked where it is loaded
        :returns: the run
        """
        from .audit import AuditReport

        mdp = None if data["model"] is None else MDP.from_json(data["model"])
        shell = None if data["shell"] is None else BlackBox.from_json(data["shell"])
        table = decode_array(data["table"])
        if mdp is not None and shell is None:
            table = checked_table(table, mdp.horizon, mdp.n_actions)
        elif shell is not None and mdp is None:
            table = shell.checked(table)
        else:
            raise InvalidFile("a run has either a model or a shell, the outside of an environment, and this has not")
        counts = data.get("counts")
        arrays: dict[str, Any] = {
            name: None if data[name] is None else np.array(data[name], dtype=np.float64) for name in SERIES
        }
        for name, values in arrays.items():
            if values is not None and len(values) != data["episodes"]:
                raise InvalidFile(f"{name} has {len(values)} entries, wanted {data['episodes']}, one per episode")
            if values is not None and not np.isfinite(values).all():
                k = int(np.argmin(np.isfinite(values)))
                raise InvalidFile(f"{name}[{k}] is {values[k]}, wanted a finite number")
        fields: dict[str, Any] = {name: data[name] for name in PLAIN if name != "on_paper" or name in data}
        for name in RATIONAL:
            optional = data[name] is None and name in RATIONAL[2:]
            fields[name] = None if optional else as_fraction(data[name], name)
        return cls(
            mdp=mdp,
            objective=objective(data["objective"]),
            **fields,
            declared=Declared.from_json(data["declared"]),
            best=None if data["best"] is None else _ends(data["best"]),
            interval=None if data["interval"] is None else OptimumInterval(*_ends(data["interval"])),
            history=tuple((int(k), OptimumInterval(*_ends(found))) for k, *found in data.get("history", ())),
            table=table,
            shell=shell,
            counts=None if counts is None else Tally(counts[0], *map(decode_array, counts[1:])),
            notes=tuple(data["notes"]),
            audit=None if data["audit"] is None else AuditReport.from_json(data["audit"]),
            **arrays,
        )


def assemble(
    mdp: MDP | None,
    task: Task,
    record: Record,
    best: tuple[Fraction, Fraction, str] | None,
    report: AuditReport | None,
    bracket: Bracket,
    learner: Learner,
    shell: BlackBox | None = None,
) -> Run:
    """Return the result of the episodes in ``record``.

    ``best`` is what :func:`.evaluate.best_value` returned; it and ``mdp`` are None for a black box, whose form is
    ``shell``.  ``report`` is None unless the run was audited.
    """
    standard, settings = task.standard, task.settings
    guarantee = guarantee_of(task, continuous=mdp is not None and not mdp.is_discrete)
    unit, offset = float(standard.range * standard.unit), float(standard.offset)
    errors = unit * (np.maximum(record.uppers - record.optimistic, 0.0) + task.slack)
    k = np.arange(1, len(record.returns) + 1, dtype=np.float64)
    regret = width = None
    if record.low is not None and record.high is not None and best is not None:
        each = np.maximum(float_above(best[1]) - record.low, 0.0)
        regret = np.cumsum(each) * (1 + (k + 2) * 2.0**-52)  # each difference, each sum and the product are rounded
        width = record.high - record.low
    extra = np.cumsum(errors) + float(standard.rounding) * k

    def outward(scale: Fraction, bound: Floats | None) -> Floats | None:
        # k sums and at most a dozen other roundings of nonnegative numbers
        return None if bound is None else (float(scale) * bound + extra) * (1 + (k + 12) * 2.0**-52)

    expected, likely = (None if bound is None else bound.at(k) for bound in (guarantee.expected, guarantee.likely))
    return Run(
        mdp=mdp,
        episodes=len(record.returns),
        asked=settings.episodes,
        **{name: getattr(settings, name) for name in ASKED},
        best=None if best is None else best[:2],
        interval=OptimumInterval(bracket.lower, bracket.upper) if settings.has_interval else None,
        history=tuple((k, OptimumInterval(*found)) for k, *found in bracket.history),
        guarantee=guarantee.text,
        proved=guarantee.proved,
        on_paper=guarantee.on_paper,
        returns=offset + unit * record.returns if record.earned is None else record.earned,
        values=record.low,
        values_width=width,
        optimistic=offset + unit * record.optimistic,
        planner_error=errors,
        regret=regret,
        bound=outward(standard.range, likely),
        expected_bound=outward(standard.range, expected),
        data_bound=outward(standard.range * standard.unit, _from_data(task, record, guarantee)),
        table=learner.policy_table() if bracket.table is None else bracket.table,
        shell=shell,
        counts=None if shell is None else Tally(standard.initial[0][0], *(x.copy() for x in learner.counts[1:5])),
        audit=report,
        notes=_notes(task, width, best),
    )


def _from_data(task: Task, record: Record, guarantee: Guarantee) -> Floats | None:
    """Return the regret bound from data, in units, planner error not included; None if no theorem covers it."""
    covered = guarantee.likely is not None if task.settings.algorithm in UNIFORM else guarantee.on_paper
    if task.settings.algorithm not in (*UNIFORM, "bernstein") or not covered:
        return None
    lipschitz = Fraction(task.settings.objective.lipschitz)
    return data_bound(record.widths, data_range(task), lipschitz, task.settings.delta)


def data_range(task: Task) -> Fraction:
    """Return b, the greatest sum of the widths of one episode, in units."""
    top, known = task.standard.top, task.knowledge.rewards and not task.standard.joint
    return Fraction(sum(top[1:] if known and task.settings.algorithm != "bernstein" else top[:-1]))


def _notes(task: Task, width: Floats | None, best: tuple[Fraction, Fraction, str] | None) -> tuple[str, ...]:
    standard, notes = task.standard, []
    if str(task.settings.declared):
        notes.append(f"declared: {task.settings.declared}; the guarantee relies on it")
    capped = task.settings.algorithm in UNIFORM and task.knowledge.largest < standard.top[0]
    if capped and task.target.kind == MEAN:
        notes.append("the largest return bounds the interval only: tables by the return so far would be too long")
    if standard.joint:
        notes.append("rewards are drawn together with the next state: each outcome of a step is counted as one")
    if not standard.exact:
        notes.append(
            f"rewards are rounded up to a grid: up to {above(standard.rounding, 4)} per episode is due to that"
        )
    if task.settings.algorithm in ("kl", "ucb") and task.target.kind == CURVE:
        apart = ", the interval is not affected" if task.settings.has_interval else ""
        notes.append(
            f"the planner's certified error does not vanish for this weighting: the regret bound grows linearly{apart}"
        )
    if best is not None and best[2] == SEARCHED:
        notes.append(
            f"the optimum was searched for at most {SECONDS_FOR_THE_OPTIMUM} s and is known to "
            f"{above(best[1] - best[0])}: on another machine it, and the regret of an episode, may differ by that much"
        )
    if width is not None and len(width) and float(np.max(width)) > WIDEST * max(1.0, float(standard.range)):
        notes.append(f"values are known to {above(float(np.max(width)))} only")
    return tuple(notes)


def _ends(data: list[str]) -> tuple[Fraction, Fraction]:
    return as_fraction(data[0], "the lower bound"), as_fraction(data[1], "the upper bound")
