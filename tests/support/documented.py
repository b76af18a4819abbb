"""The code in the documentation: every command and every block of Python, with the output it shows.

A command is a line of a ``sh``, ``bash`` or ``console`` block, an indented line or a piece of inline code that begins
with one of ``PROGRAMS``; assignments to the environment may stand before it.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "proofs_checks" / "formal" / "README.md", *(ROOT / "docs").rglob("*.md")])
PROGRAMS = ("verified-risk", "python", "python3", "make", "pip", "pytest", "sh", "git", "source", "./compile.sh")
FENCE = re.compile(r"^```(\{?[\w-]*\}?)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
START = re.compile(rf"(?:[A-Z_]+=\S+ )*(?:{'|'.join(map(re.escape, PROGRAMS))})(?: |$)")


@dataclass(frozen=True)
class Command:
    """``output`` is what the page shows below the command, or None where it shows nothing."""

    page: str
    words: str
    output: str | None = None

    def __str__(self) -> str:
        return f"{self.page}: {self.words}"


def commands(text: str, page: str) -> list[Command]:
    """Every command on a page."""
    found: list[Command] = []
    blocks = list(FENCE.finditer(text))
    for i, block in enumerate(blocks):
        language, body = block.groups()
        if language == "console":
            found += _console(body, page)
        elif language in ("sh", "bash"):
            lines = [line for line in map(without_comment, body.splitlines()) if line]
            shown = _text_after(block, blocks[i + 1] if i + 1 < len(blocks) else None, text)
            found += [Command(page, line) for line in lines[:-1]]
            found += [Command(page, line, shown) for line in lines[-1:]]
    prose = FENCE.sub("\n", text)
    for line in prose.splitlines():
        if line.startswith("    ") and START.match(line.strip()):
            found.append(Command(page, without_comment(line)))
    for span in re.findall(r"`([^`]+)`", prose):
        words = " ".join(span.split())
        if START.match(words) and " " in words:
            found.append(Command(page, words))
    return found


def _console(body: str, page: str) -> list[Command]:
    """``$ command``, then what it prints."""
    found = []
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        line, _, output = part.partition("\n")
        found.append(Command(page, without_comment(line), output or None))
    return found


def _text_after(block: re.Match[str], following: re.Match[str] | None, text: str) -> str | None:
    """The ``text`` block that follows with nothing between."""
    if following is None or following.group(1) != "text" or text[block.end() : following.start()].strip():
        return None
    return following.group(2)


def without_comment(line: str) -> str:
    return re.sub(r"(^|\s)#.*", "", line).strip()


def python_blocks(text: str) -> list[tuple[str, str | None]]:
    """``(code, output shown below or None)`` of every ``python`` block; the cells of a tutorial are not among them."""
    blocks = list(FENCE.finditer(text))
    return [
        (block.group(2), _text_after(block, blocks[i + 1] if i + 1 < len(blocks) else None, text))
        for i, block in enumerate(blocks)
        if block.group(1) in ("python", "py", "python3")
    ]


def every_command() -> list[Command]:
    """Every command of every page; one that several pages repeat without an output counts once."""
    found: dict[tuple[str, str | None], Command] = {}
    for page in PAGES:
        for command in commands(page.read_text("utf-8"), page.relative_to(ROOT).as_posix()):
            found.setdefault((command.words, command.output), command)
    return list(found.values())
