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
        checker, js_sha256 = program.path.read_text("ascii"), program.sha256
    except MissingDependency:
        checker = js_sha256 = ""
    discounted = plan.mdp.discount != 1
    page = page_of(
        HERE,
        title=_title(plan, proved),
        spec=f"<code>{escape(plan.objective.spec)}</code>",
        lower=at_least(proved.lower),
        upper=at_most(proved.upper),
        within="exactly the best"
        if proved.lower == proved.upper
        else f"within {above(proved.upper - proved.lower)} of the best",
        weighting=_weighting(proved),
        note=f"<p>{escape(proved.note.capitalize())}.</p>" if proved.note else "",
        power="<msup><mi>γ</mi><mrow><mi>t</mi><mo>−</mo><mn>1</mn></mrow></msup>" if discounted else "",
        horizon=str(plan.mdp.horizon),
        gamma=f" with γ = {plan.mdp.discount}" if discounted else "",
        said=_said(proved, certificate, js_sha256),
        policy=_policy(plan.policy),
        law="" if plan.law is None else law_html(plan.law),
        model=mdp_html(plan.mdp),
        states=_states(plan.mdp),
        open=" open" if plan.mdp.state_names else "",
        by=_by(plan, proved),
        trusted=_trusted(),
        name=shlex.quote(Path(path).name),
        version=__version__,
        certificate=_embedded(certificate),
        checker=_embedded(checker),
    )
    write_text(path, page)


def _title(plan: Plan, proved: Proved) -> str:
    spec = plan.objective.spec
    if proved.lower == proved.upper:
        return f"The best {spec} is {proved.lower}, and this policy attains it"
    return f"This policy attains {spec} ≥ {at_least(proved.lower)}; no policy exceeds {at_most(proved.upper)}"


def _weighting(proved: Proved) -> str:
    """Return what the objective of the certificate weighs, term by term."""
    words = proved.answer.split("; ")[1].removeprefix("objective ").partition(" claim ")[0]
    kind, _, rest = words.partition(" ")
    if kind == "tail":
        mean, level = (Fraction(word) for word in rest.split())
        terms = [(mean, "mean"), (1 - mean, f"cvar {level}")]
    elif kind == "mixture":
        named = [part.strip().split(" ", 1) for part in rest.split("weight ")[1:]]
        terms = [(Fraction(weight), name) for weight, name in named]
    else:
        terms = [(Fraction(1), words)]
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


def _said(proved: Proved, certificate: str, js_sha256: str) -> str:
    """Return the rows that the script compares with the checker's answer and with digests of its own."""
    theorem, asked, model, policy, _ = proved.answer.split("; ")
    objective, _, claim = asked.removeprefix("objective ").partition(" claim ")
    rows = [
        ("theorem", "theorem", theorem.removeprefix("proved by ")),
        ("objective", "objective", objective),
        ("claim", "claim: lower and upper bound", claim),
        ("model", "model, MD5 of its words", model.removeprefix("model ")),
        ("policy", "policy, MD5 of its words", policy.removeprefix("policy ")),
        ("certificate", "certificate, SHA-256", hashlib.sha256(certificate.encode()).hexdigest()),
    ]
    if js_sha256:
        rows.append(("checker", "checker of this page, SHA-256", js_sha256))
    cells = [
        (what, f'<code id="said-{key}">{escape(x)}</code>', f'<span id="found-{key}">–</span>') for key, what, x in rows
    ]
    return table_html(("what", "this page says", "your browser finds"), cells)


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
    names, actions = mdp.state_names, mdp.action_names
    rows = [
        (
            str(s),
            escape(names[s]) if names else "–",
            escape(", ".join(actions[s])) if actions else f"{mdp.n_actions[s]}",
        )
        for s in range(mdp.n_states)
    ]
    return table_html(("state", "name", "actions"), rows)


def _by(plan: Plan, proved: Proved) -> str:
    axioms = ", ".join(f"<code>{escape(axiom)}</code>" for axiom in proved.axioms)
    rows = [
        ("program", f"the verified checker, SHA-256 <code>{proved.program_sha256}</code>"),
        ("its answer", f"<code>{escape(proved.answer)}</code>"),
        (
            "theorem",
            f"<code>{proved.theorem}</code>; <code>check_text_sound</code> begins at the bytes of the certificate",
        ),
        ("axioms", f"{axioms}: those of Coq's classical reals"),
        ("work", f"{proved.cells} cells of tables, {proved.size} bytes of certificate, {proved.seconds:.2f} s"),
        ("model", f"<code>mdp.fingerprint</code> (SHA-256 of its content) <code>{plan.mdp.fingerprint}</code>"),
        ("statement", f"SHA-256 of the certificate up to its proofs <code>{proved.digest}</code>"),
    ]
    return table_html(("what", "which"), rows)


def _trusted() -> str:
    """Return the first table of docs/trusted_base.md, without the columns about plans that are not proved."""
    text = next(file for file in TRUSTED if file.exists()).read_text("utf-8")
    table = text[text.index("\n| ") + 1 :].partition("\n\n")[0]
    heads, _, *rows = [[_inline(cell.strip()) for cell in line[1:-1].split("|")] for line in table.splitlines()]
    kept = [0, *(i for i, head in enumerate(heads) if "plan.prove()" in head or "--report" in head)]
    shown = [[row[i] or "no" for i in kept] for row in rows]
    return table_html([heads[i] for i in kept], [row for row in shown if set(row[1:]) != {"no"}])


def _inline(words: str) -> str:
    """Return a line of Markdown as HTML: code, and the text of links."""
    linked = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", escape(words, quote=False))
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", linked)


def _embedded(text: str) -> str:
    """Return the text as the content of a ``script`` element, after a line break."""
    if re.search(r"</script|<!--", text, re.IGNORECASE):
        raise Unsupported("a text that would end the element of the page which holds it cannot be embedded")
    return f"\n{text}"
