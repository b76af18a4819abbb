"""The page of an answer from logged episodes: what is guaranteed, against what the behaviour is worth, and on what
assumptions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from html import escape
from itertools import groupby
from os import PathLike
from pathlib import Path

from .... import __version__
from ....errors import MissingDependency
from ....files import write_text
from ....law import Law
from ....learning.log import Log
from ....learning.log_answers import LogAnswer
from ....learning.policies import BlackBoxPolicy
from ....numbers.format import at_least, at_most
from ...picture import BLUE, GREY, LIGHT, RED, Picture, new_figure, quiet_grid, style
from .. import page_of, table_html

HERE = Path(__file__).parent
BARS = "Bars: bounds of what the best policy and, if known, the behaviour are worth. Dashed: the guarantee."
MOST_COLUMNS = 6
"""Periods of steps, each with one rule, that the table of the policy shows."""


def write_log_page(found: LogAnswer, behaviour: LogAnswer | str, log: Log, path: str | PathLike[str]) -> None:
    """Write the page of what ``plan_from_log`` found.

    :param found: the answer, with a policy
    :param behaviour: what the policy that collected the log is worth, or why that is not known
    :param log: the episodes
    :param path: the file
    """
    assert found.policy is not None
    lower, upper = found.interval
    own = behaviour if isinstance(behaviour, LogAnswer) else None
    bars = [("the best policy", lower, upper)]
    bars += [] if own is None else [("the behaviour", *own.interval)]
    law = "" if own is None else _figure(draw_law_band(log.returns(found.horizon), own))
    assumed = dict.fromkeys((*found.assumptions, *(() if own is None else own.assumptions)))
    page = page_of(
        HERE,
        title=f"{found.objective.spec}: at least {at_least(lower)} from logged episodes",
        found=found,
        spec=escape(found.objective.spec),
        lower=at_least(lower),
        upper=at_most(upper),
        sure=1 - found.delta,
        log=escape(found.log),
        compared=escape(_compared(found, behaviour)),
        bars=_figure(draw_intervals(bars, lower), BARS),
        law=law,
        policy=_policy(found.policy, found.horizon),
        thin=table_html(
            ("state", "action", "visits", "shorter by", "more visits"),
            [
                (escape(str(x.state)), escape(str(x.action)), str(x.visits),
                 "" if x.cost is None else f"{float(x.cost):.3g}", str(x.more))
                for x in found.thin
            ],
        ) if found.thin else "<p>No pair that the policy plays is short of data.</p>",
        assumed=_items(assumed),
        notes=_items(found.notes) or "<p>None.</p>",
        together=1 - log.budget.spent,
        version=__version__,
    )  # fmt: skip
    write_text(path, page)


def _compared(found: LogAnswer, behaviour: LogAnswer | str) -> str:
    if isinstance(behaviour, str):
        return f"What the behaviour is worth is not known: {behaviour}."
    low, high = behaviour.interval
    known = (
        f"The behaviour that collected the log is worth {behaviour.interval} with probability {1 - behaviour.delta}."
    )
    if found.lower > high:
        return f"{known} So the policy is better, if both statements hold."
    if found.lower > low:
        return f"{known} The guarantee is above the lower end of that interval: the policy may be better."
    return (
        f"{known} The guarantee does not show that the policy is better; the pairs below would have to be tried more."
    )


def _policy(policy: BlackBoxPolicy, horizon: int) -> str:
    """Return a table of the actions in every state, a column for steps with one rule, after the least return so far."""
    low = policy.shell.low
    rules = [policy.rule(t, t * low) for t in range(horizon)]
    periods = [list(run) for _, run in groupby(range(horizon), key=lambda t: list(rules[t].items()))]
    shown = periods[:MOST_COLUMNS]
    names = [f"step {run[0] + 1}" if len(run) == 1 else f"steps {run[0] + 1} to {run[-1] + 1}" for run in shown]
    rows = [[escape(str(s)), *(escape(str(rules[run[0]][s])) for run in shown)] for s in policy.states]
    more = [f"It changes {len(periods) - len(shown)} more times."] if len(periods) > len(shown) else []
    if policy.table.shape[2] > 1:
        more.append(
            "It also looks at what has been earned; the table shows what it does after the least return so far."
        )
    return table_html(("state", *names), rows) + "".join(f"<p>{line}</p>" for line in more)


def _items(lines: Sequence[str] | dict[str, None]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else ""


def _figure(picture: Picture | None, caption: str = "") -> str:
    words = f'<p class="about">{caption}</p>' if caption else ""
    return "" if picture is None else f"<figure>{picture._repr_svg_()}</figure>{words}"


def draw_intervals(bars: Sequence[tuple[str, Fraction, Fraction]], guarantee: Fraction) -> Picture | None:
    """Draw intervals below each other, with a line at the guarantee; None without matplotlib."""
    try:
        with style():
            figure = new_figure(6.4, 0.62 + 0.36 * len(bars))
            axes = figure.subplots()
            for i, (name, low, high) in enumerate(bars):
                axes.plot([float(low), float(high)], [-i, -i], color=GREY if i else BLUE, linewidth=5)
                axes.text(-0.02, -i, name, transform=axes.get_yaxis_transform(), ha="right", va="center", fontsize=8)
            axes.axvline(float(guarantee), color=RED, linewidth=1.2, linestyle=(0, (4, 2)))
            axes.set_ylim(-len(bars) + 0.4, 0.6)
            axes.set_yticks([])
            quiet_grid(axes, "x")
            return Picture(figure)
    except MissingDependency:
        return None


def draw_law_band(returns: Sequence[Fraction], behaviour: LogAnswer) -> Picture | None:
    """Draw the CDF of the logged returns with its band of Dvoretzky, Kiefer and Wolfowitz; None without matplotlib."""
    n = len(returns)
    law = Law.of_weights({z: Fraction(returns.count(z), n) for z in set(returns)})
    band = math.sqrt(math.log(2 / float(behaviour.delta)) / (2 * n))
    xs, heights = [float(x) for x in law.atoms], [float(level) for level in law.cumulative()]
    margin = 0.05 * (xs[-1] - xs[0]) or 1.0
    xs, heights = [xs[0] - margin, *xs, xs[-1] + margin], [0.0, *heights, 1.0]
    try:
        with style():
            figure = new_figure(6.4, 2.8)
            axes = figure.subplots()
            ends = [[min(max(h + sign * band, 0.0), 1.0) for h in heights] for sign in (-1, 1)]
            axes.fill_between(xs, *ends, step="post", color=LIGHT, linewidth=0, label="band of the CDF")
            axes.step(xs, heights, where="post", color=BLUE, label="returns in the log")
            axes.set_xlabel("return of an episode of the behaviour")
            axes.set_ylim(0, 1.04)
            axes.legend(loc="upper left")
            quiet_grid(axes)
            return Picture(figure)
    except MissingDependency:
        return None
