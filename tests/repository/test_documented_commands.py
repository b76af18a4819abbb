"""Every documented command is run: here, when the documentation is built, or in a named place.

The commands run in a copy of the repository, so that those that write files write them there; the installed package is
the one of this environment, with its compiled kernels.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import chromium
import pytest
from documented import PAGES, ROOT, Command, commands, every_command, python_blocks
from proof_files import require_checker

#: Words in capitals stand for something of the reader's.
PLACEHOLDERS = {"FILE": "proofs_checks/certificates/thm_augmented.json", "DIR": "results"}

#: The documented command with these words after it is the same command on less work.
LESS = {
    "verified-risk fuzz": "--seconds 2 --workers 0 --property read-number",
    "verified-risk audit": "--statement intro:key --examples 5",
    "verified-risk experiment lake": "--episodes 40 --seeds 1 --workers 0",
    "verified-risk experiment rivals": "--out rivals --model random --seeds 1 --workers 0",
    "python -m proofs_checks report": "--only-stale",
    "python tests/benchmarks/run.py": "--quick --rows c",
}

#: Benchmarks of several minutes each.
MEASURED = (
    "against_rlberry.py --write FOLDER",
    "first_minute.py", "large.py", "log_studies.py coverage", "log_studies.py sharpness",
)  # fmt: skip

HERE = "tests/repository/test_documented_commands.py"
#: Not run here: why, and the file and words that show where it is run.
ELSEWHERE = {
    "source .venv/bin/activate": ("a choice of path: these tests run in there", "Makefile", "BIN := $(VENV)/bin"),
    'pip install ".[plot,gym]"': ("the wheel is installed so", "tests/rehearsal.sh", "$wheel[audit,plot,gym"),
    "python -m proofs_checks.evidence.coq.record --write": ("minutes of Coq", ".ci/run", "make proofs"),
    "make statements": ("minutes of Coq", "proofs_checks/formal/statements.sh", "Print Assumptions"),
    "make test": ("it runs this", ".ci/run", "make test"),
    "make check": ("a minute, and it is the next line of CI", ".ci/run", "make check"),
    "make proofs": ("minutes of Coq", ".ci/run", "make proofs"),
    "make checker": ("it needs root; tests build it", "tests/support/proof_files.py", '"driver" / "build.sh"'),
    "INSTALL=1 ./compile.sh": ("the same", "Makefile", "INSTALL=1 sh proofs_checks/formal/compile.sh"),
    "./compile.sh": ("the same where Coq is installed", "Makefile", "INSTALL=1 sh proofs_checks/formal/compile.sh"),
    "CHECK=1 ./compile.sh": ("minutes of Coq and coqchk", "Makefile", "CHECK=1 sh proofs_checks/formal/compile.sh"),
    "EACH=1 ./compile.sh": ("minutes of Coq", HERE, '"EACH=1 '),
    "make run": ("minutes; its lines run here", HERE, '"make run"'),
    "make report": ("minutes; what it writes is compared", "Makefile", "proofs_checks report --check"),
    "make docs": ("minutes", "tests/repository/test_docs.py", "def test_the_documentation_builds_without_a_warning"),
    "make bench": ("minutes; its script runs here with less to do", "docs/decisions/planner.md", "benchmarks/run.py"),
    "make mutate": ("hours; its parts are tested", "tests/mutation/test_operators.py", "campaign.drawn"),
    "make mutate MUTATE=--map": ("twice the suite", "tests/mutation/test_operators.py", "campaign.drawn"),
    "python tests/support/proof_coverage.py": (
        "minutes",
        "tests/proving/test_prove_coverage.py",
        "coverage(models(200",
    ),
    "python tests/support/proof_coverage.py --discount 9/10 --seconds 20": (
        "an hour",
        "tests/support/proof_coverage.py",
        "def searched",
    ),
    "make lowest": ("an environment of its own", ".github/workflows/ci.yml", "run: make lowest"),
    "make test PYTHON=python3.13": ("another Python", ".github/workflows/ci.yml", 'python: "3.13"'),
    "make rehearsal": ("an environment of its own", ".github/workflows/ci.yml", "run: make rehearsal"),
    "verified-risk fuzz --hours 1": ("an hour", "tests/checks/test_fuzz.py", "fuzz.run(tmp_path"),
    "make coverage": ("it runs these tests", "Makefile", "--cov-report=term-missing"),
    "pytest --audit-statement lem:key": ("a suite of its own", "tests/checks/test_own_claim.py", '"--audit-statement"'),
    "make nightly": ("it is the slow half of these tests", "Makefile", 'pytest -m "slow or not slow"'),
    **{f"python tests/benchmarks/{name}": ("minutes", HERE, "MEASURED = (") for name in MEASURED},
    "python docs/pictures/make.py --record": ("a minute", HERE, 'make.py --record", *('),
    "python docs/pictures/make.py": ("one by one", "tests/repository/test_docs.py", "def test_pictures_are_what_their"),
}
#: Skipped, with these words, where a program or library is missing.
NEEDS_STORM = (".prism",)
NEEDS_THE_CHECKER = ("verified-risk prove",)
NEEDS_A_BROWSER = ("python docs/pictures/screens.py",)
RUN_HERE = ("verified-risk ", "python ")
COMMANDS = every_command()


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The repository without its caches and environments."""
    place = tmp_path_factory.mktemp("copy") / "repository"
    clutter = shutil.ignore_patterns(
        ".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "_build", "*.vo*", "*.glob", ".*.aux"
    )
    shutil.copytree(ROOT, place, ignore=clutter)
    return place


def run(line: str, place: Path) -> subprocess.CompletedProcess[str]:
    """Type a line into a shell that finds this environment's programs first."""
    here = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "COLUMNS": "120",
    }
    return subprocess.run(
        ["bash", "-c", line], cwd=place, env={**os.environ, **here}, capture_output=True, text=True, timeout=600
    )


def runnable(words: str) -> str:
    """The line to run for a documented command; an error if no test runs it."""
    assert words.startswith(RUN_HERE), f"`{words}` is run nowhere: run it here, or add the place to ELSEWHERE"
    for name, value in PLACEHOLDERS.items():
        words = re.sub(rf"\b{name}\b", value, words)
    for start, less in LESS.items():
        if words.startswith(start):
            return f"{words} {less}"
    return words


def check(command: Command, place: Path) -> None:
    """Run a command of the documentation and compare what it prints with what the page shows."""
    done = run(runnable(command.words), place)
    if "the verified checker is not built" in done.stderr:
        pytest.skip("the verified checker is not built: `make checker` builds it where OCaml is")
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    if command.output is not None:
        assert trimmed(done.stdout) == trimmed(command.output), f"{command} prints something else"


def trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]


def prepare(command: Command, place: Path) -> None:
    """Run the commands higher up on the page that save a file which this one reads: tests come in any order."""
    for other in COMMANDS[: COMMANDS.index(command)]:
        saved = re.search(r"--(?:save|certificate) (\S+)", other.words)
        if other.page == command.page and saved and saved.group(1) in command.words and "&&" not in other.words:
            run(runnable(other.words), place)


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.words not in ELSEWHERE], ids=str)
def test_every_command_of_the_documentation_runs_and_prints_what_the_page_shows(command, copy):
    if command.words.startswith(NEEDS_A_BROWSER) and chromium.find() is None:
        pytest.skip("no Chromium to take photographs with: `make test` installs one as root")
    if any(suffix in command.words for suffix in NEEDS_STORM) and find_spec("stormpy") is None:
        pytest.skip("Storm is not installed: pip install stormpy")
    if any(words in command.words for words in NEEDS_THE_CHECKER):
        require_checker()
    prepare(command, copy)
    check(command, copy)


def test_every_command_that_is_run_elsewhere_is_documented_and_is_run_there():
    documented = {command.words for command in COMMANDS}
    for words, (reason, file, evidence) in ELSEWHERE.items():
        assert words in documented, f"`{words}` is in the table but on no page"
        assert reason
        assert evidence in (ROOT / file).read_text("utf-8"), f"{file} does not run `{words}`"


def recipe(target: str) -> list[str]:
    """The lines of a target of the Makefile, without those that only speak."""
    found = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert found is not None
    lines = [line.strip().replace("$(BIN)/", "") for line in found.group(1).splitlines()]
    return [line for line in lines if not line.startswith("@echo")]


@pytest.mark.parametrize("line", recipe("run"))
def test_every_line_of_make_run_runs(line, copy):
    check(Command("Makefile", line), copy)


@pytest.mark.slow
@pytest.mark.parametrize("line", ["make run", "EACH=1 sh proofs_checks/formal/compile.sh"])
def test_long_commands_run(line):
    done = run(line, ROOT)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["python docs/pictures/make.py --record", *(f"python tests/benchmarks/{name}" for name in MEASURED)]
)
def test_long_commands_that_write_run_in_a_copy(line, copy):
    done = run(line, copy)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


@pytest.mark.parametrize(
    ("page", "code", "output"),
    [(page, *block) for page in PAGES for block in python_blocks(page.read_text("utf-8"))],
    ids=lambda value: value.relative_to(ROOT).as_posix() if isinstance(value, Path) else "",
)
def test_every_block_of_python_runs_and_prints_what_the_page_shows(page, code, output):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, str(page), "exec", dont_inherit=True), {"__name__": "__main__"})
    if output is not None:
        assert printed.getvalue() == output


def test_the_cells_of_every_tutorial_run_when_the_documentation_is_built():
    """Sphinx does not run cells outside notebook pages."""
    settings: dict[str, object] = {}
    for line in (ROOT / "docs" / "conf.py").read_text().splitlines():
        if line.startswith("nb_execution"):
            exec(line, settings)
    assert settings["nb_execution_mode"] in ("auto", "force", "cache")
    assert settings["nb_execution_raise_on_error"] is True
    assert "nb_execution_excludepatterns" not in settings
    with_cells = [page for page in PAGES if "```{code-cell}" in page.read_text("utf-8")]
    assert len(with_cells) >= 5
    for page in with_cells:
        assert page.read_text("utf-8").startswith("---\nfile_format: mystnb\n"), f"{page.name}: its cells never run"


def test_a_command_that_nobody_runs_is_noticed(copy):
    """A command is found in every form in which pages write commands."""
    planted = commands(
        "Type `make castle`, or `verified-risk\nplan no_such_model`.\n\n    EACH=1 make   moat # quick\n\n"
        "```sh\n# only words\npython -c 'print(1)'  # one\n```\n\n```text\n2\n```\n"
        "```console\n$ verified-risk models show two_paths\nnothing of the kind\n```\n"
        "`make` alone and `python.exe` are no commands.\n",
        "planted.md",
    )
    by_words = {" ".join(command.words.split()): command for command in planted}
    faults = {
        "make castle": "is run nowhere",
        "verified-risk plan no_such_model": "no_such_model",
        "EACH=1 make moat": "is run nowhere",
        "python -c 'print(1)'": "prints something else",
        "verified-risk models show two_paths": "prints something else",
    }
    assert set(by_words) == set(faults)
    for words, fault in faults.items():
        with pytest.raises(AssertionError, match=fault):
            check(by_words[words], copy)
