"""Paths, names and labels in the inline code of the documentation exist, and short expressions can be evaluated."""

import ast
import importlib.util
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from documented import FENCE, PAGES, ROOT, START

from proofs_checks import theory as statements
from verified_risk.cli.plan import OBJECTIVE_HELP
from verified_risk.errors import MissingDependency, Unsupported
from verified_risk.objectives import objective, parse

#: Where a path may begin: at the root, next to the page, or in a package or one of its folders.
PACKAGES = ("verified_risk", "proofs_checks", "tests")
WRITTEN_BY_COMMANDS = ("docs/_build/html", "audit.html", "lake.csv", "plan.json", "summary.md")
FILE = re.compile(r"[\w-][\w./-]*(?:/|\.(?:py|md|sh|v|json|svg|png|css|js|csv|html|toml|yml))")
LABEL = re.compile(r"(?:assump|cvar|def|exp|experiment|intro|lem|thm):[\w:/-]+")
WRITTEN = [page for page in PAGES if page != ROOT / "docs" / "audit.md"]  # that one is generated from the statements


def spans(text: str) -> list[str]:
    """Inline code that is no command."""
    found = (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", FENCE.sub("\n", text)))
    return [span for span in found if not (START.match(span) and " " in span)]


@cache
def folders() -> tuple[Path, ...]:
    inside = [path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_dir()]
    return ROOT, *(ROOT / package for package in PACKAGES), *inside


@cache
def namespace() -> dict[str, Any]:
    """An object for every name that the pages use without saying where it comes from."""
    import fractions

    import scipy.stats

    import proofs_checks.cases.estimation
    import verified_risk as vr
    from verified_risk import grid, models, planning, plotting
    from verified_risk.planning import affordable_law as laws
    from verified_risk.planning.tails import budget_tables

    mdp = vr.MDP(initial=[1], transitions=[[[1], [1]]], rewards=[[0, 1]], horizon=2, drawing="S")
    G = vr.CVaR("1/2")
    plan = vr.exact_plan(mdp, G)
    log = vr.Log.from_arrays(episode=[0, 1], state=["s"] * 2, action=[0, 0], reward=[0, 1], terminated=[1, 1])
    names = {name: getattr(vr, name) for name in vr.__all__}
    names |= {"verified_risk": vr, "vr": vr, "models": models, "planning": planning, "plotting": plotting, "laws": laws}
    names |= {"proofs_checks": proofs_checks, "search": proofs_checks.search, "budget": budget_tables, "json": json}
    names |= {"fractions": fractions, "scipy": scipy, "grid_model": grid.grid_model}
    names |= {"mdp": mdp, "lake": mdp, "initial": [1], "transitions": [[[1]]], "rewards": [[0]], "horizon": 1}
    names |= {**dict.fromkeys(("s", "a", "action", "t", "y", "observation"), 0), "r": 1, "state": None, "eta": 1}
    names |= {**dict.fromkeys(("alpha", "b", "gamma", "tau"), "1/2"), "accuracy": fractions.Fraction(1, 100)}
    names |= {"plan": plan, "policy": plan.policy, "law": plan.law, "other": plan.law, "G": G, "objective": G}
    names |= {"log": log, "answer": vr.plan_from_log(log, "mean", rewards=[0, 1]), "run": vr.learn(mdp, G, episodes=2)}
    names |= {"P": [[[1], [1]]], "R": [[0, 1]], "found": vr.compare(mdp, ["mean"]), "rule": lambda history: 0}
    trace = plotting.BoundsTrace([(0.0, 0.0, 1.0)])
    return {**names, "content": {}, "episodes": [], "name": "one", "trace": trace}


def is_expression(span: str) -> bool:
    """A dotted name, with or without calls, or a call of a public name."""
    try:
        tree = ast.parse(span, mode="eval").body
    except SyntaxError:
        return False
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        return tree.func.id in namespace()
    while isinstance(tree, (ast.Call, ast.Subscript)):
        tree = tree.func if isinstance(tree, ast.Call) else tree.value
    return isinstance(tree, ast.Attribute)


def _is_module(name: str) -> bool:
    """Return whether a module of this name exists, imported or not."""
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # of a package on the way
        return False


def problem(span: str, page: Path) -> str | None:
    """The fault of a piece of inline code; None if it exists or is neither a path nor a name nor a label."""
    labels = {statement.label for statement in statements.ALL}
    if LABEL.fullmatch(span):
        known = span in labels or any(label.startswith((f"{span}/", f"{span}:")) for label in labels)
        return None if known else "no statement has this label"
    if span in labels or span in WRITTEN_BY_COMMANDS:
        return None
    if FILE.fullmatch(span):
        return None if any((place / span).exists() for place in (page.parent, *folders())) else "no such file"
    if re.fullmatch(r"\w+\.\w+", span) and page.parent.name == "formal":
        return None if span in (page.parent / "compile.sh").read_text() else "unknown to compile.sh"
    if is_expression(span):
        if re.fullmatch(r"(verified_risk|proofs_checks)(\.\w+)+", span) and _is_module(span):
            return None
        try:
            eval(span, dict(namespace()))
        except (MissingDependency, Unsupported):
            return None  # it exists and took its arguments; this machine, or the toy model, cannot do it
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return None


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_path_name_and_label_on_a_page_exists(page):
    wrong = {span: problem(span, page) for span in spans(page.read_text("utf-8"))}
    assert {span: why for span, why in wrong.items() if why} == {}


def test_every_form_of_an_objective_is_documented_where_people_look():
    forms = re.findall(r"\w+(?:\([^)]*\))?", parse.FORMS)
    assert {form.partition("(")[0] for form in forms} == {*parse.FAMILIES, "mean", "var", "pl"}
    page = (ROOT / "docs" / "command_line.md").read_text("utf-8")
    for form in forms:
        assert f"| `{form}` |" in page
        assert f"``{form}``" in objective.__doc__
        assert form in OBJECTIVE_HELP


@pytest.mark.parametrize(
    ("span", "why"),
    [
        ("verified_risk/castle.py", "no such file"),
        ("castle.md", "no such file"),
        ("proofs_checks/moat/", "no such file"),
        ("thm:castle", "no statement"),
        ("plan.castle", "AttributeError"),
        ("vr.castle(mdp)", "AttributeError"),
        ("law.quantile()", "TypeError"),
        ("CVaR(castle)", "NameError"),
    ],
)
def test_what_does_not_exist_is_noticed(span, why):
    found = problem(span, ROOT / "README.md")
    assert found is not None
    assert why in found


@pytest.mark.parametrize(
    "span", ["0.1", "J = y", "cvar(a)", "left", "plan.lower", "lem:event", "tests/support/oracles.py"]
)
def test_other_inline_code_is_left_alone(span):
    assert problem(span, ROOT / "README.md") is None
