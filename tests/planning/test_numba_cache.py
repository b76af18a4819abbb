"""The compiled-kernel cache cannot lie: numba's three hazards, reproduced, and shown not to happen here."""

import ast
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from patience import PATIENCE

import verified_risk

KERNELS = Path(verified_risk.__file__).parent / "kernels"
CALLEE = "LEVEL = {level}\n\n@DECORATOR\ndef inner(x):\n    return x + LEVEL\n"
CALLER = "@DECORATOR\ndef outer(x):\n    return 10.0 * inner(x)\n"


def python(code: str, **environment: str) -> str:
    """Run code in a process of its own and return what it prints."""
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=PATIENCE,
    )
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
    from verified_risk.kernels.cache import sources_digest

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


def test_a_second_process_compiles_nothing(tmp_path):
    kernel_folder(tmp_path, 1, OURS)
    ask = "from pack.caller import outer; outer(1.0); print(sum(outer.compiled.stats.cache_hits.values()))"
    assert python(ask, PYTHONPATH=str(tmp_path)).strip() == "0"
    assert python(ask, PYTHONPATH=str(tmp_path)).strip() == "1"


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
