"""Every docstring is well-formed reStructuredText, and its displayed formulas are whole.

docutils finds broken tables, literals and lists.  It does not find a formula that re-wrapping cut off: what follows a
displayed formula at the margin must begin a sentence or a paragraph of its own.
"""

import ast
import inspect
import re
from functools import partial
from pathlib import Path

import pytest
from docutils import nodes, utils
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles

import verified_risk as vr
from verified_risk import errors

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for package in ("verified_risk", "proofs_checks") for path in (ROOT / package).rglob("*.py"))
SPHINX_ROLES = ("class", "func", "meth", "mod", "attr", "data", "exc", "ref", "doc")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class _Formula(Directive):
    """``.. math::`` as a literal block: its LaTeX is not ours to parse here."""

    has_content, optional_arguments, final_argument_whitespace = True, 1, True

    def run(self) -> list[nodes.Node]:
        return [nodes.literal_block("", "\n".join([*self.arguments, *self.content]))]


def _plain_role(name, rawtext, text, lineno, inliner, options=None, content=None):
    return [nodes.literal(rawtext, utils.unescape(text))], []


def faults(docstring: str) -> list[str]:
    """Warnings of docutils, and formulas that are cut off."""
    directives.register_directive("math", _Formula)
    for role in SPHINX_ROLES:
        roles.register_local_role(role, partial(_plain_role))
    text = inspect.cleandoc(docstring)
    settings = {"report_level": 5, "halt_level": 6, "file_insertion_enabled": False, "raw_enabled": False}
    tree = publish_doctree(text, settings_overrides=settings)
    found = [message.astext() for message in tree.findall(nodes.system_message) if message["level"] >= 2]
    return found + [f"a displayed formula is cut off before {line!r}" for line in _cut_formulas(text)]


def _cut_formulas(text: str) -> list[str]:
    """Lines at the margin directly below a displayed formula: re-wrapping moved the rest of the formula there."""
    lines, cut = text.splitlines(), []
    for i, line in enumerate(lines):
        if not line.lstrip().startswith(".. math::"):
            continue
        margin = len(line) - len(line.lstrip())
        for after in lines[i + 1 :]:
            if not after.strip():
                break
            if len(after) - len(after.lstrip()) <= margin:
                cut.append(after.strip())
                break
    return cut


def docstrings(path: Path) -> list[tuple[int, str]]:
    tree = ast.parse(path.read_text("utf-8"))
    held = [(node, ast.get_docstring(node, clean=False)) for node in ast.walk(tree) if isinstance(node, DOCUMENTED)]
    return [(getattr(node, "lineno", 1), text) for node, text in held if text]


@pytest.mark.parametrize("package", ["verified_risk", "proofs_checks"])
def test_every_docstring_is_well_formed(package):
    broken = [
        f"{path.relative_to(ROOT)}:{line}: {fault}"
        for path in FILES
        if path.relative_to(ROOT).parts[0] == package
        for line, text in docstrings(path)
        for fault in faults(text)
    ]
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize(
    "planted",
    [
        "A table.\n\n===== =====\na     b\n1     2\nthat goes on here too long\n===== =====\n",
        "A list.\n\n- one\nis continued at the margin.\n",
        "A *word that never ends.",
        "A formula\n\n.. math:: a + b,\n\\qquad\n          c\n",
        "The role :mth:`x` does not exist.",
        "Literal ``without end.",
    ],
)
def test_a_broken_docstring_is_noticed(planted):
    assert faults(planted)


def test_a_sound_docstring_passes():
    assert not faults("One line.\n\n.. math:: a + b,\n          c\n\nThen *words*, ``code`` and :func:`f`.\n")


MUST_RAISE = re.compile(r"(\.(from_(?!json)\w+|load|save)$)|^[a-z]\w*$")
"""Functions, readers and files: they meet what users bring."""


def public():
    """``(name, callable, holder of the docstring)``; a method is that of the class where it is first defined."""
    seen = set()
    for name in vr.__all__:
        value = getattr(vr, name)
        if inspect.isfunction(value) or inspect.isclass(value):
            yield name, value
        if not inspect.isclass(value):
            continue
        for method in sorted(dir(value)):
            owners = [one for one in value.__mro__ if method in vars(one)]
            if method.startswith("_") or not owners or not owners[-1].__module__.startswith("verified_risk"):
                continue
            function = vars(owners[-1])[method]
            function = function.__func__ if isinstance(function, classmethod | staticmethod) else function
            if inspect.isfunction(function) and function not in seen:
                seen.add(function)
                yield f"{name}.{method}", function


EVERY = dict(public())


@pytest.mark.parametrize("name", EVERY)
def test_every_public_name_documents_exactly_its_parameters(name):
    value = EVERY[name]
    text = inspect.cleandoc(vars(value).get("__doc__") or value.__doc__ or "")
    signature = inspect.signature(value)
    wanted = [p for p in signature.parameters if p not in ("self", "cls") and not p.startswith("_")]
    assert re.findall(r"^:param (\w+): \S", text, re.MULTILINE) == wanted
    answers = inspect.isfunction(value) and signature.return_annotation not in (None, "None")
    assert len(re.findall(r"^:returns: \S", text, re.MULTILINE)) == int(answers)
    raised = re.findall(r"^:raises (\w+): \S", text, re.MULTILINE)
    assert all(hasattr(errors, one) or one == "OSError" for one in raised)
    assert raised or not MUST_RAISE.search(name)


DRAWN = {name: value for name, value in vars(vr.plotting).items() if inspect.isfunction(value)}
OF_POLICIES = {"choice", "remember", "memories"}
"""Their parameter ``memory`` is whatever the policy itself remembers."""


def faults_of(name, value):
    """Surprises in a signature: missing types, and arguments that may be given without their name."""
    if inspect.isclass(value) and "__init__" not in vars(value):  # a tuple, say, which is made by the library only
        return
    parameters = inspect.signature(value).parameters
    written = {key: str(one.annotation) for key, one in parameters.items()}
    free = [key for key, one in parameters.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
    if inspect.isfunction(value) and "objective" in free[:2] and free[free.index("objective") + 1 :]:
        yield f"{name}: {free[-1]} follows the objective and may be given without its name"
    if inspect.isfunction(value) and "str" not in written.get("objective", "str"):
        yield f"{name}: the objective cannot be text"
    if "Report" not in written.get("progress", "Report"):
        yield f"{name}: progress is {written['progress']}"
    for key, annotation in written.items():
        memory = key == "memory" and name.rpartition(".")[2] in OF_POLICIES
        if (
            key not in ("self", "cls")
            and annotation in ("Any", "Any | None", "<class 'inspect._empty'>")
            and not memory
        ):
            yield f"{name}: {key} has no type"


@pytest.mark.parametrize("name", [*EVERY, *DRAWN])
def test_a_parameter_has_one_meaning_everywhere(name):
    assert list(faults_of(name, {**EVERY, **DRAWN}[name])) == []


def test_a_surprising_signature_is_seen():
    def surprising(mdp: vr.MDP, objective: vr.Weighting, eta, *, progress: bool = False) -> None:
        """Four faults."""

    assert len(list(faults_of("surprising", surprising))) == 4


MODEL = vr.models.two_paths()
RUN = vr.learn(MODEL, "mean", episodes=2)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda: vr.MDP(0, [[[1, 1]]], [[0]], 1), errors.InvalidModel),
        (lambda: vr.MDP(0, [[["x"]]], [[0]], 1), errors.InvalidModel),
        (lambda: MODEL.discretised(0), errors.InvalidArgument),
        (lambda: MODEL.with_horizon(0), errors.InvalidModel),
        (lambda: MODEL.with_discount(2), errors.InvalidModel),
        (lambda: vr.Law({0: "1/2"}), errors.InvalidLaw),
        (lambda: vr.Law({float("nan"): 1}), errors.InvalidLaw),
        (lambda: vr.Law.point(0).quantile(2), errors.InvalidNumber),
        (lambda: vr.Law.point(0).upper_quantile(1), errors.InvalidNumber),
        (lambda: vr.Law.mixture([("1/2", vr.Law.point(0))]), errors.InvalidLaw),
        (lambda: vr.CVaR(2), errors.InvalidObjective),
        (lambda: vr.VaR(2), errors.InvalidObjective),
        (lambda: vr.Wang("x"), errors.InvalidObjective),
        (lambda: vr.CPW(2), errors.InvalidObjective),
        (lambda: vr.PiecewiseLinear([(0, 0), (1, 2)]), errors.InvalidObjective),
        (lambda: vr.Spectral(["1/2"], [2]), errors.InvalidObjective),
        (lambda: vr.ProportionalHazard(0), errors.InvalidObjective),
        (lambda: vr.DualPower(0), errors.InvalidObjective),
        (lambda: vr.Wang(1).require_levels(), errors.Unsupported),
        (lambda: vr.objective("cvr(1)"), errors.InvalidObjective),
        (lambda: vr.MarkovPolicy(MODEL, [[9]]), errors.InvalidPolicy),
        (lambda: vr.return_law(MODEL.with_horizon(1), vr.plan(MODEL, "mean").policy), errors.InvalidPolicy),
        (lambda: vr.plan(MODEL, "mean").policy.player().act(99), errors.InvalidArgument),
        (lambda: vr.rollout(object(), vr.plan(MODEL, "mean")), errors.InvalidArgument),
        (lambda: vr.rollout(MODEL, vr.plan(MODEL, "mean"), episodes=0), errors.InvalidArgument),
        (lambda: vr.plan(MODEL, "mean", eta=0), errors.InvalidArgument),
        (lambda: vr.plan(MODEL, "mean", gap=-1), errors.InvalidArgument),
        (lambda: vr.cvar_frontier(MODEL, eta=0), errors.InvalidArgument),
        (lambda: vr.cvar_frontier(MODEL).plan(2), errors.InvalidObjective),
        (lambda: vr.mean_cvar_front(MODEL, "1/2", eta=0), errors.InvalidArgument),
        (lambda: vr.exact_plan(MODEL, "wang(1)"), errors.Unsupported),
        (lambda: vr.plan(MODEL, "mean").recheck(time_limit=-1), errors.InvalidArgument),
        (lambda: vr.compare(MODEL, []), errors.InvalidArgument),
        (lambda: vr.compare(MODEL, "mode"), errors.InvalidObjective),
        (lambda: vr.learn(MODEL, "mean", episodes=0), errors.InvalidArgument),
        (lambda: vr.learn(MODEL, "mean", episodes=1, delta=2), errors.InvalidArgument),
        (lambda: RUN.policy(2), errors.InvalidArgument),
    ],
)
def test_errors_are_as_documented(wrong, error):
    with pytest.raises(errors.VerifiedRiskError) as caught:
        wrong()
    assert type(caught.value) is error, caught.value
