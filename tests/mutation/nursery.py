"""A process that has imported both packages and forks a child for every run of tests: ``python nursery.py PLACE``.

It says when it is ready: until then no fault may be written into a file.  A request is a line of JSON on standard
input, the answer a line with the child's exit status, or ``null`` if the fault cannot be planted in modules that are
imported already.  To plant one, the functions of the changed file get the code
that the changed text compiles to; the file itself has that text too, for processes that tests start.  What runs while
a module is imported (constants, defaults, class bodies) cannot be changed that way.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import resource
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType

PACKAGES = ("verified_risk", "proofs_checks")


def pieces(code: CodeType) -> Iterator[CodeType]:
    """The code of a module: itself and class bodies, then every function of these, whole."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_flags & 0x02:  # CO_NEWLOCALS: a function, a lambda, a comprehension
                yield inner
            else:
                yield from pieces(inner)


def shell(code: CodeType) -> tuple[object, ...]:
    """What a module or a class body does by itself."""
    own = tuple(repr(x) for x in code.co_consts if not isinstance(x, CodeType))
    return code.co_code, own, code.co_names, code.co_varnames


def replacements(file: str, old: str, new: str) -> dict[tuple[str, int], CodeType] | None:
    """By name and first line of the old function its new code; None if more than functions changed."""
    before, after = (list(pieces(compile(text, file, "exec", dont_inherit=True))) for text in (old, new))
    if [one.co_qualname for one in before] != [one.co_qualname for one in after]:
        return None
    found = {}
    for one, other in zip(before, after, strict=True):
        if one.co_flags & 0x02:
            if one.co_freevars != other.co_freevars:
                return None
            if one != other:
                found[one.co_qualname, one.co_firstlineno] = other
        elif shell(one) != shell(other):
            return None
    return found


def plant(file: str, old: str, new: str) -> bool:
    """Whether every function of the file that changed has its new code now."""
    wanted = replacements(file, old, new)
    if wanted is None:
        return False
    left = set(wanted)
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename == file:  # isinstance would ask a dead weak proxy
            key = (one.__code__.co_qualname, one.__code__.co_firstlineno)
            if key in wanted:
                one.__code__ = wanted[key]
                left.discard(key)
    return not left


def import_all() -> None:
    """Every module of the packages that can be imported here."""
    for name in ("pytest", "numba", "hypothesis", *PACKAGES):
        importlib.import_module(name)
    for package in PACKAGES:
        for found in pkgutil.walk_packages([package], f"{package}."):
            if "__main__" not in found.name:
                try:
                    importlib.import_module(found.name)
                except ImportError:
                    continue  # an extra that is not installed


def child(request: dict[str, str]) -> None:
    """The tests in this process, their words into a file."""
    seconds = int(request["seconds"])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    with open(request["said"], "w", encoding="utf-8") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    import pytest

    code = int(pytest.main(request["arguments"]))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main(place: str) -> None:
    os.chdir(place)
    sys.path.insert(0, place)
    sys.dont_write_bytecode = True
    os.environ.update(
        PYTHONPATH=place, PYTHONDONTWRITEBYTECODE="1", HYPOTHESIS_STORAGE_DIRECTORY=f"{place}/.hypothesis"
    )
    import_all()
    gc.collect()
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            if "file" in request and not plant(request["file"], request["old"], request["new"]):
                os._exit(99)
            child(request)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(json.dumps(None if status == 99 else status), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
