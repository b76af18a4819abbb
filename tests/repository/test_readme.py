"""The README points to what exists; its code and commands run in test_documented_commands.py."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str]]:
    return BLOCK.findall((ROOT / "README.md").read_text())


def test_the_commands_of_the_readme_are_targets_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text()
    commands = re.findall(r"^make (\w+)", "\n".join(code for language, code in blocks() if language == "sh"), re.M)
    assert {"run", "test"} <= set(commands)
    for target in commands:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"make {target} is no target"


def test_every_file_the_readme_points_to_exists():
    text = (ROOT / "README.md").read_text()
    for target in re.findall(r"\]\(([^)#:]+)\)", text) + re.findall(r"proofs_checks/[\w/.]+", text):
        assert (ROOT / target).exists(), f"README.md points to {target}, which does not exist"


def test_the_generated_table_is_what_the_ledger_says():
    from proofs_checks.report import files, readme

    assert not readme.is_stale(files.stored()), "README.md is stale: run make report"
    stale = readme.README.read_text().replace(" machine-checked,", "9 machine-checked,")
    assert readme.with_summary(stale, files.stored()) != stale
