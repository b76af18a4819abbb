"""A fault planted in modules that are imported already: functions change everywhere, the rest needs a new process."""

from __future__ import annotations

import importlib.util
import sys
import weakref

import pytest
from nursery import plant

SOURCE = """from functools import cache

LIMIT = 3

class Thing:
    size: int = 4

    def grown(self, by=1):
        return max(self.size + n for n in range(by + 1))

    @property
    def twice(self):
        return 2 * self.size

@cache
def least(x):
    return min(x, LIMIT)

table = [least(n) for n in range(9)]
"""


@pytest.fixture
def module(tmp_path):
    file = tmp_path / "thing_of_the_nursery.py"
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    found = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = found
    spec.loader.exec_module(found)
    yield found
    del sys.modules[file.stem]


def changed(module, old, new):
    assert SOURCE.count(old) == 1
    return plant(module.__file__, SOURCE, SOURCE.replace(old, new))


def test_functions_methods_properties_and_cached_functions_change_for_those_who_hold_them(module):
    thing, least = module.Thing(), module.least
    assert (thing.grown(), thing.twice, least(99)) == (5, 8, 3)
    assert changed(module, "max(self.size + n", "min(self.size + n")
    assert thing.grown() == 4
    assert changed(module, "2 * self.size", "3 * self.size")
    assert thing.twice == 12
    assert changed(module, "min(x, LIMIT)", "max(x, LIMIT)")
    assert least(100) == 100


def test_weak_proxies_of_what_is_gone_are_passed_over(module):
    thing = module.Thing()
    proxy = weakref.proxy(thing)
    del thing
    assert changed(module, "min(x, LIMIT)", "max(x, LIMIT)")
    with pytest.raises(ReferenceError):
        proxy.grown()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("size: int = 4", "size: int = 5"),
        ("by=1", "by=2"),
        ("range(9)", "range(8)"),
        ("[least(n) for", "[-least(n) for"),
    ],
)
def test_what_runs_during_the_import_is_not_planted(module, old, new):
    assert not changed(module, old, new)
