"""How many files a call passes through, by a trace: ``python docs/pictures/journeys.py [--list] [FOLDER]``.

A *file* is one of verified_risk in which some function runs; a *jump* is a pair of files of which the first calls the
second.  Every call is made twice and the second one is traced, so that what is imported, compiled or kept once does not
count; nor do kernels, which a trace sees only where they are interpreted.  FOLDER is another tree of the project.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

ARGUMENTS = [word for word in sys.argv[1:] if word != "--list"]
HERE = Path(ARGUMENTS[0] if ARGUMENTS else __file__ + "/../../..").resolve() / "verified_risk"


def name_of(frame: FrameType | None) -> str | None:
    """The file of a function of the library, None for anything else and for kernels."""
    if frame is None or frame.f_code.co_name == "<module>":
        return None
    path = Path(frame.f_code.co_filename)
    return path.relative_to(HERE).as_posix() if path.is_relative_to(HERE) and "kernels" not in path.parts else None


def journey(call: Callable[[], object]) -> tuple[set[str], set[tuple[str, str]]]:
    """The files of a call, and which calls which."""
    files: set[str] = set()
    jumps: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        here = name_of(frame) if event == "call" else None
        if here is not None:
            files.add(here)
            there = name_of(frame.f_back)
            if there is not None and there != here:
                jumps.add((there, here))

    call()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return files, jumps


def main() -> None:
    sys.path.insert(0, str(HERE.parent))
    import verified_risk as vr

    mdp, cvar, wang = vr.models.two_paths(), vr.CVaR("1/4"), vr.Wang("3/4")
    calls: dict[str, Callable[[], object]] = {
        "plan(mdp, CVaR)": lambda: vr.plan(mdp, cvar),
        "plan(mdp, Wang)": lambda: vr.plan(mdp, wang),
        "learn(mdp, CVaR)": lambda: vr.learn(mdp, cvar, episodes=20),
    }
    for text, call in calls.items():
        files, jumps = journey(call)
        print(f"{text}: {len(files)} files, {len(jumps)} jumps")
        if "--list" in sys.argv:
            print("   ", "\n    ".join(sorted(files)))


if __name__ == "__main__":
    main()
