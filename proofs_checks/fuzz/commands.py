"""The command line on mutated files and arguments: exit status 0, 1 or 2, no traceback, a message for bad input."""

import os
import random
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from verified_risk.cli import main

from . import readers
from .property import Case, Falsified, Property
from .readers import mutated

FILE = "FILE"  # placeholder for the mutated file in the arguments of a command
KINDS = {
    "model": (["models", "show", FILE], ["models", "show", FILE, "--json"], ["models", "show", FILE, "--horizon", "1"]),
    "csv": (["models", "show", FILE, "--horizon", "2"], ["models", "show", FILE]),
    "plan": (["recheck", FILE, "--json"], ["models", "show", FILE]),
    "certificate": (["recheck", FILE], ["recheck", FILE, "--json"]),
    "objective": (["plan", "two_paths", "--json", "--time-limit", "1", "--objective", FILE],),
    "number": (
        ["plan", "two_paths", "--json", "--time-limit", "1", "--gap", FILE],
        ["models", "show", "two_paths", "--discount", FILE],
        ["models", "show", "two_paths", "--horizon", FILE],
    ),
}
SPOKEN = ("objective", "number")  # kinds that are passed as arguments, not in a file


def make(rng: random.Random) -> Case:
    kind = rng.choice(sorted(KINDS))
    case = readers.make(rng, kind)
    words = list(rng.choice(KINDS[kind]))
    if kind not in SPOKEN and rng.random() < 0.2:
        extra = mutated(rng.choice(("--horizon 2", "--initial 0", "--index-base 1", "--discount 1/2", "--json")), rng)
        words += extra.replace("\x00", "").split()  # a shell cannot pass NUL
    return {**case, "words": words}


def check(case: Case) -> None:
    spoken = case["kind"] in SPOKEN
    with TemporaryDirectory(prefix="verified_risk-") as folder:
        path = Path(folder) / f"file.{'csv' if case['kind'] == 'csv' else 'json'}"
        if not spoken:
            path.write_text(readers.file_text(case), encoding="utf-8", errors="surrogatepass", newline="")
        given = case["text"].replace("\x00", "") if spoken else str(path)
        words = [given if word == FILE else word for word in case["words"]]
        held = sorted(os.listdir(folder))
        ran = CliRunner().invoke(main, words)
        if sorted(os.listdir(folder)) != held:
            raise Falsified(f"`{' '.join(case['words'])}` left a file behind")
    if ran.exception is not None and not isinstance(ran.exception, SystemExit):
        raise ran.exception
    if ran.exit_code not in (0, 1, 2):
        raise Falsified(f"`{' '.join(case['words'])}` ended with {ran.exit_code}: {ran.stderr[-300:]}")
    if "Traceback" in ran.stderr:
        raise Falsified(f"`{' '.join(case['words'])}` printed a traceback: {ran.stderr[-300:]}")
    if ran.exit_code == 2 and not ran.stderr.strip() and "REJECTED" not in ran.stdout and "rejected" not in ran.stdout:
        raise Falsified(f"`{' '.join(case['words'])}` rejected its input without a message")


PROPERTIES = (
    Property(
        "commands", "the command line against mutated files and words", make, check, readers.smaller, warm=readers.warm
    ),
)
