"""Rules of the repository itself.  Each guard is also shown a violation, so that it is known to be able to fail."""

import ast
import subprocess
import sys
import tomllib
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from import_graph import Import, every_import, imports, imports_of, room

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = sorted((ROOT / "verified_risk").rglob("*.py"))
CHECKS = sorted((ROOT / "proofs_checks").rglob("*.py"))

#: Rooms in the order of the design: a module may import its own room and those before it, in functions too.
LIBRARY_ROOMS = (
    "errors", "numbers", "files", "progress", "law", "mdp", "objectives", "grid", "policy", "models", "interop",
    "describe", "kernels", "planning", "comparing", "rollouts", "proving", "learning", "pool", "plotting",
    "experiments", "cli",
)  # fmt: skip
#: The first is Coq and OCaml, and how they come into a wheel.
THEORY_ROOMS = ("formal", "recheck", "cases", "engine", "evidence", "theory")
CHECK_ROOMS = (*THEORY_ROOMS, "report", "fuzz", "own", "cli", "pytest_plugin", "__main__")
ORDER = [
    *(f"verified_risk.{name}" for name in LIBRARY_ROOMS[:-1]),
    *(f"proofs_checks.{name}" for name in CHECK_ROOMS),
    f"verified_risk.{LIBRARY_ROOMS[-1]}",
]

#: Imports against the order, all inside functions: methods that are the user's shortcut to a later room.
SHORTCUTS = {
    ("verified_risk.law", "verified_risk.plotting"),  # law.plot(), notebooks
    ("verified_risk.mdp", "verified_risk.plotting"),  # notebooks
    ("verified_risk.mdp", "verified_risk.grid"),  # mdp.discretised(eta)
    ("verified_risk.mdp", "verified_risk.interop"),  # MDP.from_csv and the like
    ("verified_risk.comparing", "verified_risk.plotting"),  # compare(...).plot()
    ("verified_risk.planning", "verified_risk.plotting"),  # plan.plot(), notebooks
    ("verified_risk.planning", "verified_risk.proving"),  # plan.prove()
    ("verified_risk.learning", "verified_risk.plotting"),  # run.plot()
    ("verified_risk.rollouts", "verified_risk.learning"),  # rollout(log=True)
    ("verified_risk.learning", "verified_risk.experiments"),  # learn(algorithm="bernstein") and "posterior"
}
#: In the checks: the engine is handed statements and evidence, and looks up all of them only when asked to.
CHECK_SHORTCUTS = {
    ("proofs_checks.engine", "proofs_checks.theory"),
    ("proofs_checks.engine", "proofs_checks.evidence"),
    ("proofs_checks.engine", "proofs_checks.report"),  # a statement in a notebook
    ("proofs_checks.evidence", "proofs_checks.theory"),
    ("proofs_checks.cli", "verified_risk.cli"),
    ("proofs_checks.fuzz", "verified_risk.cli"),
}
#: The same within a room, module to module: methods of a class whose work is done in a module that imports the class.
OWN_SHORTCUTS = {
    ("mdp.readers", "mdp.as_json"),  # MDP.load
    ("objectives.weighting", "objectives.piecewise"), ("objectives.weighting", "objectives.mixture"),  # G.levels, G + H
    ("objectives.weighting", "objectives.polygon"),  # G.polygon_below(accuracy)
    ("policy.base", "policy.combined"),  # Policy.load
    ("planning.result", "proving.proved"),  # plan.recheck()
    ("planning.result", "planning.no_horizon"),  # Plan.load
    ("learning.run", "learning.audit"),  # run.audit()
    ("learning.run", "learning.run_log"),  # run.log(), run.prove()
}  # fmt: skip


def against_the_order(found: list[Import]) -> list[Import]:
    """Imports of a room that comes later than the importing module's own."""
    later = []
    for one in found:
        here, there = room(tuple(one.path.split("/"))), room(one.name)
        if here in ORDER and there in ORDER and ORDER.index(there) > ORDER.index(here):
            later.append(one)
    return later


def own_room(path: Path) -> str:
    return room(path.relative_to(ROOT).parts)


def foreign(found: list[Import], library: str) -> bool:
    return any(one.name[0] == library for one in found)


@pytest.mark.parametrize("path", [*LIBRARY, *CHECKS], ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way_in_functions_too(path):
    if path.name == "__init__.py" and path.parent.parent == ROOT:
        return  # the public names, imported when first used
    assert own_room(path) in ORDER, f"{own_room(path)} has no place in ORDER"
    for one in against_the_order(imports_of(path)):
        pair = own_room(path), room(one.name)
        assert pair in SHORTCUTS | CHECK_SHORTCUTS, f"{one.path} imports {'.'.join(one.name)}, which comes later"
        assert one.lazy or pair in CHECK_SHORTCUTS, f"{one.path} imports {'.'.join(one.name)} at its top"


def test_every_shortcut_is_used():
    used = {(room(tuple(one.path.split("/"))), room(one.name)) for one in against_the_order(list(every_import()))}
    assert used >= SHORTCUTS


def module_graph() -> dict[str, set[str]]:
    """Which module of the library imports which, in functions too; shortcuts between rooms left out."""
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in LIBRARY}
    graph: dict[str, set[str]] = {name: set() for name in names - {"verified_risk"}}
    for one in every_import():
        here = one.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        there = next((name for k in (0, 1) if (name := ".".join(one.name[: len(one.name) - k])) in graph), None)
        pair = room(tuple(one.path.split("/"))), room(one.name)
        if here in graph and there not in (None, here) and pair not in SHORTCUTS:
            graph[here].add(there)
    short = {name: name.removeprefix("verified_risk.") for name in graph}
    return {short[here]: {short[there] for there in found} for here, found in graph.items()}


def test_no_modules_import_each_other_except_by_shortcuts():
    graph = module_graph()
    for here, there in OWN_SHORTCUTS:
        graph[here].discard(there)
    tuple(TopologicalSorter(graph).static_order())
    for here, there in OWN_SHORTCUTS:
        with pytest.raises(CycleError):
            tuple(TopologicalSorter({**graph, here: graph[here] | {there}}).static_order())


def test_the_import_guard_sees_a_violation():
    def planted(source: str, path: str) -> list[str]:
        found = imports(source, tuple(path.split("/")[:-1]), path)
        return [".".join(one.name) for one in against_the_order(found)]

    assert planted("from .planning import plan", "verified_risk/law.py") == ["verified_risk.planning.plan"]
    assert planted("from ..policy import Policy", "verified_risk/objectives/var.py") == ["verified_risk.policy.Policy"]
    assert planted("from .law import Law", "verified_risk/mdp/model.py") == []
    hidden = "def f():\n    if True:\n        from .cli.terminal import emit_json"
    assert planted(hidden, "verified_risk/describe.py") == ["verified_risk.cli.terminal.emit_json"]
    assert planted("from proofs_checks import engine", "verified_risk/grid.py") == ["proofs_checks.engine"]
    typed = "if TYPE_CHECKING:\n    from .planning import Plan"
    assert planted(typed, "verified_risk/law.py") == []


def test_nobody_asks_the_interpreter_who_called():
    for path in [*LIBRARY, *CHECKS]:
        tree = ast.parse(path.read_text("utf-8"))
        asked = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "_getframe"]
        assert not asked, f"{path.relative_to(ROOT)}:{asked[0].lineno} uses sys._getframe"


def test_evaluation_imports_no_planner():
    found = imports_of(ROOT / "verified_risk" / "policy" / "evaluation.py")
    assert not any({"planning", "learning", "kernels"} & set(one.name) for one in found)


@pytest.mark.parametrize("path", LIBRARY, ids=lambda p: str(p.relative_to(ROOT)))
def test_hypothesis_and_numba_keep_to_their_rooms(path):
    found = imports_of(path)
    assert not foreign(found, "hypothesis")
    assert not foreign(found, "proofs_checks") or own_room(path) == "verified_risk.cli"
    assert not foreign(found, "numba") or "kernels" in path.parts


@pytest.mark.parametrize("path", CHECKS, ids=lambda p: str(p.relative_to(ROOT)))
def test_checkers_do_not_use_numba(path):
    assert not foreign(imports_of(path), "numba")


def test_the_room_guard_sees_a_violation():
    assert foreign(imports("def f():\n    import numba.core", ("verified_risk",)), "numba")
    assert foreign(imports("from hypothesis import given", ("verified_risk",)), "hypothesis")


def test_importing_the_library_is_light():
    heavy = ["numba", "sympy", "scipy.stats", "matplotlib", "hypothesis", "flint", "gymnasium"]
    code = f"import sys, verified_risk; print([m for m in {heavy} if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def test_the_version_is_the_same_everywhere():
    import verified_risk

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "verified_risk/__init__.py"
    assert f"version: {verified_risk.__version__}" in (ROOT / "CITATION.cff").read_text()
    assert f"## {verified_risk.__version__}" in (ROOT / "CHANGELOG.md").read_text()
