"""The page of a proved plan, for a safety case: what is claimed, what proved it, what is left to trust, how to check.

The page holds the certificate and, where it was built, the checker as JavaScript, which reads the certificate in the
reader's browser; ``script.js`` compares its answer with what the page says.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from fractions import Fraction
from html import escape
from os import PathLike
from pathlib import Path

from .... import __version__
from ....describe import accounts, side_by_side
from ....errors import MissingDependency, Unsupported
from ....files import write_text
from ....mdp import MDP
from ....numbers.format import above, at_least, at_most
from ....planning import Plan
from ....policy import Policy
from ....proving import Proved
from ....proving.run_checker import find_checker
from ...html import law_html, mdp_html
from ...policy_map import draw_policy_map
from .. import page_of, table_html

HERE = Path(__file__).parent
TRUSTED = (HERE / "trusted_base.md", HERE.parents[3] / "docs" / "trusted_base.md")
"""Where a wheel and a checkout have the page that lists what must be trusted."""


def write_proof_page(plan: Plan, proved: Proved, certificate: str, path: str | PathLike[str]) -> None:
    """Write the page of a plan that was ``proved`` by the text ``certificate``."""
    try:
        program = find_checker(for_page=True)
        checker, checker_sha256 = program.path.read_text("ascii"), program.sha256
    except MissingDependency:
        checker, checker_sha256 = "", "none"
    theorem, asked, model, policy, _ = proved.answer.split("; ")
    objective, _, claim = asked.removeprefix("objective ").partition(" claim ")
    lower, upper, spec = at_least(proved.lower), at_most(proved.upper), plan.objective.spec
    discounted, gap = plan.mdp.discount != 1, proved.upper - proved.lower
    page = page_of(
        HERE,
        title=f"The best {spec} is {lower}"
        if lower == upper
        else f"{spec}: at least {lower}, no policy exceeds {upper}",
        plan=plan,
        proved=proved,
        lower=lower,
        upper=upper,
        within=f"within {above(gap)} of the best" if gap else "exactly the best",
        weighting=_weighting(objective),
        gamma=f", γ = {plan.mdp.discount}" if discounted else "",
        power="<msup><mi>γ</mi><mrow><mi>t</mi><mo>−</mo><mn>1</mn></mrow></msup>" if discounted else "",
        said=(theorem.removeprefix("proved by "), objective, claim, model[len("model ") :], policy[len("policy ") :]),
        certificate_sha256=hashlib.sha256(certificate.encode()).hexdigest(),
        checker_sha256=checker_sha256,
        policy=_policy(plan.policy),
        law="" if plan.law is None else law_html(plan.law),
        model=mdp_html(plan.mdp),
        states=_states(plan.mdp),
        open="open" if plan.mdp.state_names else "",
        axioms=", ".join(proved.axioms),
        trusted=_trusted(),
        name=shlex.quote(Path(path).name),
        version=__version__,
        certificate=certificate,
        checker=checker,
    )
    write_text(path, page)


def _weighting(objective: str) -> str:
    """Return what the objective of a certificate weighs, term by term."""
    kind, _, rest = objective.partition(" ")
    terms = [(Fraction(1), objective)]
    if kind == "tail":
        mean, level = (Fraction(word) for word in rest.split())
        terms = [(mean, "mean"), (1 - mean, f"cvar {level}")]
    elif kind == "mixture":
        named = [part.split(maxsplit=1) for part in rest.split("weight ")[1:]]
        terms = [(Fraction(weight), name) for weight, name in named]
    shown = [(weight, _term(name)) for weight, name in terms if weight]
    if len(shown) == 1:
        return f"<p>Here {shown[0][1]}.</p>"
    items = "".join(f"<li>weight {weight}: {term}</li>" for weight, term in shown)
    return f"<p>Here Φ is a weighted sum, with these terms:</p><ul>{items}</ul>"


def _term(name: str) -> str:
    """Return the weighting of one term, named in the words of a certificate."""
    kind, *numbers = name.split()
    p = numbers[0] if numbers else ""
    if kind == "polygon":
        if numbers[1:] == ["1", "1"]:
            return "G(τ) = τ"
        corners = ", ".join(f"({x}, {g})" for x, g in zip(numbers[1::2], numbers[2::2], strict=True))
        return f"G is the polygon through (0, 0), {corners}"
    if kind == "upper" or (kind == "quantile" and numbers[1] == "upper"):
        return f"Φ is the upper {p}-quantile, inf {{x : F(x) &gt; {p}}}"
    formulas = {
        "mean": "τ", "cvar": f"min(τ / ({p}), 1)", "quantile": f"0 for τ &lt; {p}, and 1 from there on",
        "jump": f"0 for τ &lt; {p}, and 1 from there on", "hazard": f"τ<sup>{p}</sup>",
        "dual": f"1 − (1 − τ)<sup>{p}</sup>", "wang": f"N(N⁻¹(τ) + {p}), N the normal CDF",
        "cpw": f"τ<sup>g</sup> / (τ<sup>g</sup> + (1 − τ)<sup>g</sup>)<sup>1/g</sup>, g = {p}",
    }  # fmt: skip
    return f"G(τ) = {formulas[kind]}"


def _policy(policy: Policy) -> str:
    """Return the map of the policy where the model has one, and what it does in words."""
    try:
        shown = f"<figure>{draw_policy_map(policy)._repr_svg_()}</figure>"
    except (Unsupported, MissingDependency):  # no map, or no matplotlib
        shown = ""
    draw, parts = accounts(policy)
    shown += f"<p>{escape(draw)}</p>" if draw else ""
    for part in parts:
        maps = "" if shown.startswith("<figure") else "\n".join(side_by_side(policy.mdp, part.maps, None))
        lines = [*part.preface, *part.sentences, *(f"left out: {line}" for line in part.left_out)]
        shown += f"<h4>{escape(part.name)}</h4>" if part.name else ""
        shown += f"<pre>{escape(maps)}</pre>" if maps else ""
        shown += f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else ""
    return shown


def _states(mdp: MDP) -> str:
    actions = mdp.action_names or [[str(a) for a in range(count)] for count in mdp.n_actions]
    rows = [(str(s), escape(mdp.state_name(s)), escape(", ".join(actions[s]))) for s in range(mdp.n_states)]
    return table_html(("number in the certificate", "state", "actions"), rows)


def _trusted() -> str:
    """Return the first table of docs/trusted_base.md, without the columns about plans that are not proved."""
    text = escape(next(file for file in TRUSTED if file.exists()).read_text("utf-8"), quote=False)
    table = re.sub(r"`([^`]*)`", r"<code>\1</code>", text[text.index("\n| ") + 1 :].partition("\n\n")[0])
    heads, _, *rows = [[cell.strip() or "no" for cell in line[1:-1].split("|")] for line in table.splitlines()]
    kept = [0, *(i for i, head in enumerate(heads) if "plan.prove()" in head or "--report" in head)]
    shown = [[row[i] for i in kept] for row in rows]
    return table_html([heads[i] for i in kept], [row for row in shown if set(row[1:]) != {"no"}])
