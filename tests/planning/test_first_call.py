"""Compiled and interpreted kernels give the same bits, small models need no compiler, and no stale code is loaded."""

import ast
import gc
import os
import subprocess
import sys
import textwrap
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from patience import PATIENCE

import verified_risk
import verified_risk as vr
from verified_risk.grid import float_model, own_unit
from verified_risk.kernels import budget_pass as _kernels  # noqa: F401 - the loops below must exist
from verified_risk.kernels import jit, polygon_bounds
from verified_risk.kernels.cache import sources_digest
from verified_risk.planning.tails import budget_tables, refine


@contextmanager
def every_kernel(way, monkeypatch):
    """``compiled``, or ``interpreted`` (by numpy where there is such a form) whatever the size."""
    with monkeypatch.context() as patch:
        patch.setattr(jit, "SMALL", 10**12)
        for one in [x for x in gc.get_objects() if type(x) is jit.Kernel]:
            patch.setattr(one, "spent", float("inf") if way == "compiled" else float("-inf"))
        yield


def model(seed, *, joint, most_successors, states=14):
    """Rows of 1 to ``most_successors`` successors, 1 to 4 actions, 1 to 7 rewards; sums that floats round."""
    rng = np.random.default_rng(seed)
    transitions, rewards, outcomes = [], [], []
    for _ in range(states):
        rows, laws = [], []
        for _ in range(rng.integers(1, 5)):
            targets = rng.choice(states, size=rng.integers(1, most_successors + 1), replace=False)
            rows.append(dict(zip(targets.tolist(), masses(rng, len(targets)), strict=True)))
            values = rng.choice(9, size=rng.integers(1, 8), replace=False)
            laws.append(dict(zip(values.tolist(), masses(rng, len(values)), strict=True)))
        transitions.append(rows)
        rewards.append(laws)
        outcomes.append([[(p, s, int(rng.integers(0, 9))) for s, p in row.items()] for row in rows])
    if joint:
        return vr.MDP.from_outcomes(outcomes, initial=0, horizon=6)
    return vr.MDP(0, transitions, rewards, 6)


def masses(rng, count):
    weights = [int(w) for w in rng.integers(1, 1000, count)]
    return [Fraction(w, sum(weights)) for w in weights]


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("most_successors", [2, 4, 13])
def test_numpy_and_the_compiled_kernels_give_the_same_bits(joint, most_successors, monkeypatch):
    mdp = model(most_successors, joint=joint, most_successors=most_successors)
    grid = float_model(mdp, own_unit(mdp))
    assert grid.product != joint
    for kappa, threshold in ((Fraction(), False), (Fraction(1, 3), False), (Fraction(), True)):
        found = {}
        for way in ("compiled", "interpreted"):
            with every_kernel(way, monkeypatch):
                linear = budget_tables.linear_part(grid, with_variance=True)
                tables = budget_tables.budget_tables(
                    grid, kappa, 3, grid.remaining[0], threshold=threshold, linear=linear
                )
                found[way] = [linear.value, linear.action, linear.variance, tables.shortfall, *tables.policy]
        for one, other in zip(*found.values(), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("text", ["cvar(1/4)", "var(1/4)", "wang(3/4)", "wang(-3/4)", "1/2*cvar(1/4) + 1/2*cvar(1/2)"])
def test_an_interpreted_plan_is_the_compiled_plan(text, monkeypatch):
    for mdp in (vr.models.two_paths(), vr.models.two_paths().with_discount("9/10"), vr.models.frozen_lake()):
        answers = []
        for way in ("compiled", "interpreted"):
            with every_kernel(way, monkeypatch):
                answers.append(vr.plan(mdp, text, gap="1/100"))
        one, other = answers
        assert str(one) == str(other)
        assert (one.lower, one.upper, one.certificate) == (other.lower, other.upper, other.certificate)


@pytest.mark.parametrize("text", ["mean", "cvar(1/4)", "var(1/4)"])
def test_an_interpreted_run_is_the_compiled_run(text, monkeypatch):
    runs = []
    for way in ("compiled", "interpreted"):
        with every_kernel(way, monkeypatch):
            runs.append(vr.learn(vr.models.two_paths(), text, episodes=12, seed=3))
    one, other = runs
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.returns, other.returns)
    assert one.interval == other.interval


def in_a_fresh_place(code, tmp_path):
    """Run ``code`` in a process that has nothing compiled; what it prints."""
    return python(code, NUMBA_CACHE_DIR=str(tmp_path)).strip()


def test_a_small_model_never_meets_the_compiler(tmp_path):
    code = """
import sys, verified_risk as vr
lake = vr.models.frozen_lake()
for text in ("mean", "cvar(1/4)", "var(1/4)", "0.5*mean + 0.5*cvar(1/10)"):
    vr.plan(lake, text)
for text in ("wang(3/4)", "wang(-3/4)"):
    vr.plan(lake, text)
vr.learn(lake, "cvar(1/4)", episodes=10)
print("numba" in sys.modules)
"""
    assert in_a_fresh_place(code, tmp_path) == "False"


def test_a_compilation_is_told_once_and_never_again(tmp_path):
    """Of the kernels in one compilation, machine code is made of the outermost only."""
    code = """
import verified_risk as vr
from numba.core.codegen import JITCodeLibrary
from verified_risk.kernels import budget_pass, jit
jit.EAGER, emit = True, JITCodeLibrary._finalize_specific
JITCodeLibrary._finalize_specific = lambda code: (hasattr(budget_pass, code.name) and print(code.name), emit(code))
vr.plan(vr.models.two_paths(), "cvar(1/4)", progress=lambda now: print(now.doing))
"""
    kernels = ("linear_pass", "variance_pass", "product_step")
    told = [x for name in kernels for x in ("compiling, once: later calls load the result", name, "compiled")]
    assert in_a_fresh_place(code, tmp_path).splitlines() == told
    assert in_a_fresh_place(code, tmp_path).splitlines() == list(kernels)  # loaded


@pytest.mark.parametrize(("horizon", "wanted"), [(6, ["clock"]), (60, ["compiler", "clock"])])
def test_a_grid_for_a_discount_is_not_chosen_by_how_long_the_compiler_took(horizon, wanted, monkeypatch):
    """Rounds are extrapolated by a clock that starts after the compiler; tiny models need none."""
    done = []
    toys, clock = refine._compile_on_toys, refine.Clock
    monkeypatch.setattr(refine, "_compile_on_toys", lambda: (done.append("compiler"), toys()))
    monkeypatch.setattr(refine, "Clock", lambda seconds: (done.append("clock"), clock(seconds))[1])
    mdp = model(3, joint=True, most_successors=4).with_horizon(horizon).with_discount("9/10")
    vr.plan(mdp, "cvar(1/10)", gap=100)
    assert done == wanted


def test_patience_ends(monkeypatch):
    """Kernels that run for long or begin with large arrays are compiled."""
    told = []
    one = jit.kernel(len)
    monkeypatch.setattr(one, "plain", lambda *_: told.append("plain"), raising=False)
    monkeypatch.setattr(one, "compiled", lambda *_: told.append("compiled"), raising=False)
    one(np.zeros(10))
    one(np.zeros(jit.SMALL + 1))
    one(np.zeros(10))
    other = jit.kernel(len)
    monkeypatch.setattr(other, "plain", "plain", raising=False)
    monkeypatch.setattr(other, "compiled", "compiled", raising=False)
    half = 0.6 * jit.PATIENCE / jit.STEP
    assert [other.at(half), other.at(half), other.at(0)] == ["plain", "compiled", "compiled"]
    assert told == ["plain", "compiled", "compiled"]


@pytest.mark.parametrize("name", ["tilted_minima", "hulls", "slope_ranges"])
def test_loops_over_pairs_are_compiled_by_the_number_of_pairs(name, monkeypatch):
    """Thousands of coordinates times thousands of corners are half a minute of Python, though the arrays are short."""
    one = getattr(polygon_bounds, name)
    monkeypatch.setattr(one, "spent", 0.0)
    monkeypatch.setattr(one, "plain", lambda *_: "plain", raising=False)
    monkeypatch.setattr(one, "compiled", lambda *_: "compiled", raising=False)
    assert one(np.zeros(20), np.zeros(4000)) == "plain"
    assert one(np.zeros(300), np.zeros(1001)) == "compiled"


KERNELS = Path(verified_risk.__file__).parent / "kernels"
CALLEE = "LEVEL = {level}\n\n@DECORATOR\ndef inner(x):\n    return x + LEVEL\n"
CALLER = "@DECORATOR\ndef outer(x):\n    return 10.0 * inner(x)\n"


def python(code: str, **environment: str) -> str:
    """Run code in a process of its own and return what it prints."""
    command, setting = [sys.executable, "-c", textwrap.dedent(code)], {**os.environ, **environment}
    result = subprocess.run(command, capture_output=True, text=True, env=setting, timeout=PATIENCE)
    assert result.returncode == 0, result.stderr
    return result.stdout + result.stderr


def kernel_folder(place: Path, level: int, decorator: str, cache: str | None = None) -> None:
    """A package of two kernels, one calling the other, in two files; the caller's file is never touched again."""
    folder = place / "pack"
    folder.mkdir(exist_ok=True)
    (folder / "callee.py").write_text(f"from .jit import DECORATOR\n{CALLEE.format(level=level)}")
    if not (folder / "caller.py").exists():
        (folder / "__init__.py").write_text("")
        (folder / "caller.py").write_text(f"from .jit import DECORATOR\nfrom .callee import inner\n{CALLER}")
        (folder / "jit.py").write_text(decorator)
        (folder / "compiling.py").write_text((KERNELS / "compiling.py").read_text())
        (folder / "cache.py").write_text((KERNELS / "cache.py").read_text() if cache is None else cache)


def run_caller(place: Path) -> str:
    return python("from pack.caller import outer; print(outer(1.0))", PYTHONPATH=str(place)).strip()


PLAIN = "import numba\nDECORATOR = numba.njit(cache=True)\n"
OURS = (KERNELS / "jit.py").read_text() + "\nEAGER = True\nDECORATOR = kernel\n"


@pytest.mark.parametrize(("decorator", "after_edit"), [(PLAIN, "20.0"), (OURS, "110.0")], ids=["numba", "ours"])
def test_editing_a_constant_of_a_called_kernel_reaches_the_caller(tmp_path, decorator, after_edit):
    """numba's own cache answers 20.0 after the edit, which is false; ours 110.0."""
    kernel_folder(tmp_path, 1, decorator)
    assert run_caller(tmp_path) == "20.0"
    kernel_folder(tmp_path, 10, decorator)
    assert run_caller(tmp_path) == after_edit


def test_editing_a_kernel_outside_the_folder_reaches_the_next_process(tmp_path):
    kernel_folder(tmp_path, 1, OURS)
    for level, answer in ((1, "2.0"), (10, "11.0"), (10, "11.0")):
        (tmp_path / "outside.py").write_text(f"from pack.jit import DECORATOR\n{CALLEE.format(level=level)}")
        assert python("from outside import inner; print(inner(1.0))", PYTHONPATH=str(tmp_path)).strip() == answer


VARIANTS = """
from __future__ import annotations
import numba
def variant(rules):
    @numba.njit(cache=True, fastmath=rules)
    def total(x):
        s = 0.0
        for i in range(x.shape[0]):
            s += x[i]
        return s
    return total
"""


def test_variants_from_one_source_share_one_compilation_in_numba_and_cannot_be_written_here(tmp_path):
    """A strict and a fast variant, asked for in turn: the second process is given the first one's machine code."""
    (tmp_path / "variants.py").write_text(VARIANTS)
    ask = (
        "import numpy as np, variants; f = variants.variant({}); f(np.ones(3)); print(sum(f.stats.cache_hits.values()))"
    )
    environment = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert python(ask.format("False"), **environment).strip() == "0"
    assert python(ask.format("True"), **environment).strip() == "1", "numba now keys on options: this guard may go"
    for path in KERNELS.glob("*.py"):
        tree = ast.parse(path.read_text())
        for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
            for inner in ast.walk(function):
                nested = isinstance(inner, ast.FunctionDef) and inner is not function and inner.decorator_list
                assert not nested, f"{path.name}: {function.name} makes compiled variants"
        if path.name != "compiling.py":
            assert "numba" not in {
                n.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for n in node.names
            }
            assert not any(
                isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numba") for node in ast.walk(tree)
            )


def test_the_options_are_part_of_the_name_of_the_cache(tmp_path):
    text = (KERNELS / "compiling.py").read_text()
    (tmp_path / "compiling.py").write_text(text)
    (tmp_path / "other.py").write_text("x = 1\n")
    before = sources_digest(tmp_path)
    assert sources_digest(tmp_path) == before
    relaxed = text.replace("frozenset[str] = frozenset()", 'frozenset[str] = frozenset({"reassoc"})')
    assert relaxed != text
    (tmp_path / "compiling.py").write_text(relaxed)
    changed_options = sources_digest(tmp_path)
    (tmp_path / "other.py").write_text("x = 2\n")
    assert len({before, changed_options, sources_digest(tmp_path)}) == 3


@pytest.mark.skipif(os.name != "posix", reason="needs a path that cannot be created")
def test_where_nothing_is_writable_there_is_one_warning_and_the_right_answer(tmp_path):
    """Paths under a file cannot be created, not even by a super-user."""
    text = (KERNELS / "cache.py").read_text()
    kernel_folder(tmp_path, 1, OURS, text.replace('KERNELS / "__pycache__"', 'Path("/dev/null/x")'))
    environment = {
        "PYTHONPATH": str(tmp_path),
        "HOME": "/dev/null",
        "XDG_CACHE_HOME": "/dev/null/cache",
        "NUMBA_CACHE_DIR": "/dev/null/numba",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    printed = python("from pack.caller import outer; print(outer(1.0))", **environment)
    assert "20.0" in printed
    assert printed.count("no writable place for compiled kernels") == 1


@pytest.mark.parametrize("error", ["OSError(28, 'No space left on device')", "RuntimeError('no compiled object yet')"])
def test_what_cannot_be_kept_is_compiled_and_used_all_the_same(tmp_path, error):
    kernel_folder(tmp_path, 1, OURS)
    refusing = f"""
        from numba.core import caching
        def refuse(*_): raise {error}
        caching.CompileResultCacheImpl.reduce = refuse
        from pack.caller import outer
        print(outer(1.0), outer(2.0))
    """
    assert python(refusing, PYTHONPATH=str(tmp_path)).strip() == "20.0 30.0"


def test_a_kernel_of_views_refuses_to_make_an_array_and_adds_up_its_slices():
    """Without counted references an array made inside would never be freed, or be freed while in use."""
    import numba
    import numpy as np

    from verified_risk.kernels.compiling import compile_lazily

    def total(rows, n):
        found = 0.0
        for i in range(rows.shape[0]):
            row = rows[i, :n]
            for j in range(n):
                found += row[j]
        return found

    def copied(rows):
        return rows.copy()[0, 0]

    rows = np.arange(12.0).reshape(3, 4)
    assert compile_lazily(total, counted=False)(rows, 2) == rows[:, :2].sum()
    with pytest.raises(numba.core.errors.NumbaError):
        compile_lazily(copied, counted=False)(rows)
