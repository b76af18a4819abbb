"""Laws, models and plans as HTML for a notebook: tables only, without a plotting library or scripts.

Colours come from the page (``currentColor``), so dark notebooks stay dark.
"""

from __future__ import annotations

from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING

from ..numbers.enclosure import Real, bounds, root
from ..numbers.format import above, at_least, span
from ..numbers.rational import digits, text

if TYPE_CHECKING:
    from ..law import Law
    from ..mdp import MDP
    from ..planning import Plan

MOST_ROWS = 12
BAR = "display:inline-block;height:0.7em;background:currentColor;opacity:0.55;min-width:1px"
LEFT = "text-align:left"
PRE = "line-height:1.15;margin:0.4em 0"


def law_html(law: Law) -> str:
    """Return a table of the likeliest atoms with bars."""
    shown = sorted(sorted(law, key=lambda pair: -pair[1])[:MOST_ROWS])
    peak = max(p for _, p in shown)
    rows = [
        f'<tr><td>{number(x)}</td><td>{number(p)}</td><td style="{LEFT}">'
        f'<span style="{BAR};width:{float(9 * p / peak):.2f}em"></span></td></tr>'
        for x, p in shown
    ]
    rest = Fraction(1) - sum((p for _, p in shown), Fraction())
    if len(law) > len(shown):
        rows.append(
            f'<tr><td colspan="3" style="{LEFT}">{len(law) - len(shown)} more, together {number(rest)}</td></tr>'
        )
    head = "<tr><th>value</th><th>probability</th><th></th></tr>"
    caption = f"mean {number(law.mean)}, standard deviation {number(root(law.variance))}"
    title = f"Law of {len(law)} value{'s' * (len(law) > 1)}; {caption}"
    return f"<div><p>{title}</p><table>{head}{''.join(rows)}</table></div>"


def mdp_html(mdp: MDP) -> str:
    """Return the drawing if there is one, otherwise the first actions as a table; with sizes and notes."""
    low, high = mdp.reward_range
    lines = [f"<p>{escape(repr(mdp))}, rewards from {number(low)} to {number(high)} a step</p>"]
    if mdp.drawing:
        lines.append(f'<pre style="{PRE}">{escape(mdp.drawing)}</pre>')
    elif mdp.is_discrete:
        lines.append(_actions_table(mdp))
    lines += [f"<p>{escape(note)}</p>" for note in mdp.notes]
    return f"<div>{''.join(lines)}</div>"


def _actions_table(mdp: MDP) -> str:
    rows: list[str] = []
    for s, a, action in mdp:
        if len(rows) == MOST_ROWS:
            rows.append(f'<tr><td colspan="3" style="{LEFT}">and {sum(mdp.n_actions) - MOST_ROWS} more</td></tr>')
            break
        shown = action.outcomes[:4]
        outcomes = "; ".join(f"{number(p)}: to {target}, pays {number(r)}" for p, target, r in shown)
        more = f"; {len(action.outcomes) - 4} more" if len(action.outcomes) > 4 else ""
        rows.append(f'<tr><td>{s}</td><td>{a}</td><td style="{LEFT}">{outcomes}{more}</td></tr>')
    head = f'<tr><th>state</th><th>action</th><th style="{LEFT}">outcomes</th></tr>'
    return f"<table>{head}{''.join(rows)}</table>"


def plan_html(plan: Plan) -> str:
    """Return the objective, the certified bounds, how they were obtained, and the law of the return."""
    exactly = f"best over all policies = {number(plan.value)}, exactly"
    certified = exactly if plan.gap == 0 else span(plan.lower, plan.upper).replace("<=", "≤")
    pairs = [
        ("objective", escape(plan.objective.spec)),
        ("model", escape(repr(plan.mdp))),
        ("the policy attains", at_least(plan.lower)),
        ("certified", certified),
        *(("proved", escape(words)) for words in plan._proof_words()),
        ("because", escape(plan.certificate.method)),
        *((escape(f"· {source}"), above(amount)) for source, amount in plan.certificate.contributions),
    ]
    rows = "".join(f'<tr><th style="{LEFT}">{name}</th><td style="{LEFT}">{value}</td></tr>' for name, value in pairs)
    law = f"<p>{escape(plan.why_no_law)}</p>" if plan.law is None else law_html(plan.law)
    return f"<div><table>{rows}</table>{law}</div>"


def number(x: Real) -> str:
    """Format a rational if it is short, otherwise six digits."""
    low, high = bounds(x)
    if low == high and len(text(low)) <= 12:
        return text(low)
    return digits((low + high) / 2, 6)
