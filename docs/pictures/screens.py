"""Photograph the first pages, the audit page and the command line: ``python docs/pictures/screens.py [LEDGER]``.

Needs chromium, and for the quick start what ``make docs`` wrote.  The ledger is ``docs/audit.json`` unless another one
is named, for instance one written by ``verified-risk audit --json FILE``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from chromium import Chromium  # noqa: E402

from proofs_checks.engine.ledger import Ledger  # noqa: E402
from proofs_checks.report.page import write_page  # noqa: E402

COMMANDS = {
    "command_plan": ["plan", "frozen_lake", "--objective", "cvar(33/100)"],
    "command_models": ["models", "show", "frozen_lake"],
}
PAPER = """<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>
body { margin: 1.5rem auto; max-width: 54rem; padding: 0 1rem; color: #1b1b1b;
font: 16px/1.5 "DejaVu Sans", sans-serif; }
pre { background: #f4f4f2; padding: 0.8rem 1rem; overflow-x: auto; font-size: 13px; } img { max-width: 100%; }
table { border-collapse: collapse; } th, td { border: 1px solid #ccc; padding: 0.25rem 0.7rem; }</style>"""
TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #fff; }
div { display: inline-block; background: #16181a; color: #e6e6e3; padding: 16px 22px;
border-radius: 8px; margin: 10px; } pre { margin: 0; font: 14px/1.35 "DejaVu Sans Mono", Menlo, Consolas, monospace; }
b { color: #8ab8ee; font-weight: 600; }</style>"""


def photograph_readme(browser: Chromium, folder: Path) -> None:
    """The first screen of README.md, wide and on a telephone, in plain type."""
    from markdown_it import MarkdownIt

    text = MarkdownIt("commonmark", {"html": True}).enable("table").render((ROOT / "README.md").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as place:
        page = Path(place) / "readme.html"
        page.write_text(f'{PAPER}<base href="{ROOT.as_uri()}/">{text}', "utf-8")
        for name, width, height in (("readme", 1000, 1150), ("readme_narrow", 390, 844)):
            browser.prefer("light")
            browser.size(width, height)
            browser.open(page)
            time.sleep(0.5)
            browser.screenshot(folder / f"{name}.png")


def photograph_quick_start(browser: Chromium, folder: Path) -> None:
    page = ROOT / "docs" / "_build" / "html" / "tutorials" / "quickstart.html"
    if not page.exists():
        print("the quick start is left out: it needs what `make docs` writes")
        return
    for name, width, height in (("quickstart", 1100, 1000), ("quickstart_narrow", 390, 844)):
        browser.prefer("light")
        browser.size(width, height)
        browser.open(page)
        time.sleep(0.5)
        browser.screenshot(folder / f"{name}.png")


def photograph_page(browser: Chromium, ledger: Path, folder: Path) -> None:
    """Light, dark and narrow, the graph, and a card with its counterexample."""
    with tempfile.TemporaryDirectory() as place:
        page = Path(place) / "audit.html"
        write_page(Ledger.load(ledger), page)
        for name, scheme, width, height, target in (
            ("page_light", "light", 1100, 900, None),
            ("page_dark", "dark", 1100, 1120, "s-lem-genbound"),
            ("page_narrow", "light", 390, 844, "s-thm-augmented"),
        ):
            browser.size(width, height)
            browser.prefer(scheme)
            browser.open(page)
            if target:
                browser.run(f"document.documentElement.style.scrollBehavior = 'auto', location.hash = '#{target}'")
            time.sleep(0.5)
            browser.screenshot(folder / f"{name}.png")


def photograph_command(browser: Chromium, name: str, words: list[str], folder: Path) -> None:
    """Save a picture of a terminal that shows the command and its output."""
    program = Path(sys.executable).with_name("verified-risk")
    done = subprocess.run([program, *words], capture_output=True, text=True, check=True)
    typed = " ".join(["verified-risk", *(f'"{word}"' if set(" ()*") & set(word) else word for word in words)])
    with tempfile.TemporaryDirectory() as place:
        page = Path(place) / "terminal.html"
        page.write_text(
            f"{TERMINAL}<div><pre><b>$ {escape(typed)}</b>\n{escape(done.stdout.rstrip())}</pre></div>", "utf-8"
        )
        browser.prefer("light")
        browser.size(1400, 1200)
        browser.open(page)
        box = browser.run("(b => [b.width, b.height])(document.querySelector('div').getBoundingClientRect())")
        browser.size(int(box[0]) + 20, int(box[1]) + 20)
        browser.screenshot(folder / f"{name}.png")


def main(ledger: Path, folder: Path) -> None:
    with Chromium() as browser:
        photograph_readme(browser, folder)
        photograph_quick_start(browser, folder)
        photograph_page(browser, ledger, folder)
        for name, words in COMMANDS.items():
            photograph_command(browser, name, words, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent / "audit.json", HERE)
