"""Sphinx configuration: offline, executed examples, mathematics as MathML (no script, no font to download).

python -m sphinx -W --keep-going -b html docs docs/_build/html
"""

from __future__ import annotations

import logging
import os
import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import sphinx_mathml  # noqa: E402

import verified_risk  # noqa: E402

project = "verified_risk"
author = "the verified_risk authors"
version = release = verified_risk.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "sphinx_mathml"]
assert sphinx_mathml.setup  # found next to this file
exclude_patterns = ["_build", "paper", "pictures/*.py", "decisions/template.md"]
html_theme = "furo"
html_title = "verified_risk"
html_math_renderer = "mathml"
html_static_path = [
    "_static/docs.css",
    "../verified_risk/plotting/page/formulas.woff2",
    "../verified_risk/plotting/page/OFL.txt",
]
html_css_files = ["docs.css"]
html_show_sourcelink = False
html_show_copyright = False
templates_path: list[str] = []

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
myst_dmath_double_inline = True
myst_ref_domains = ["std"]  # a link in the text means an anchor, never a method of the same name

# The kernels of the tutorials read no settings of the user's, and keep to themselves how they talk to Sphinx.
profile = HERE / "_build" / "ipython" / "profile_default"
profile.mkdir(parents=True, exist_ok=True)
(profile / "ipython_kernel_config.py").write_text('c = get_config()\nc.IPKernelApp.log_level = "ERROR"\n')
os.environ["IPYTHONDIR"] = str(profile.parent)
logging.getLogger("traitlets").setLevel(logging.ERROR)

nb_execution_mode = "auto"
nb_execution_timeout = 180
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_execution_show_tb = True

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_class_signature = "mixed"
suppress_warnings = ["mystnb.unknown_mime_type"]
nitpicky = False


def write_audit_page(app: Sphinx, failure: Exception | None) -> None:
    """The interactive page of the audit stands next to the documentation, made of the stored ledger."""
    ledger = HERE / "audit.json"
    if failure is None and app.builder.format == "html" and ledger.exists():
        from proofs_checks.engine.ledger import Ledger
        from proofs_checks.report.page import page_html

        Path(app.outdir, "audit_page.html").write_text(page_html(Ledger.load(ledger)), "utf-8")


ANCHORS = {
    name
    for page in HERE.rglob("*.md")
    for name in re.findall(r"^\(([\w-]+)\)=$", page.read_text("utf-8"), re.MULTILINE)
}


def link_to_anchors(app: Sphinx, name: str, source: list[str]) -> None:
    """``[text](page.md#L0)`` works where Markdown is read as it is; here the anchor alone finds its page."""

    def shortened(match: re.Match[str]) -> str:
        return f"](#{match.group(1)})" if match.group(1) in ANCHORS else match.group()

    text = source[0]
    for own in re.findall(r'^<a id="([\w-]+)"></a>$', text, re.MULTILINE):  # generated pages mark their headings so
        target = f"{name.replace('/', '-')}-{own}"
        text = text.replace(f'<a id="{own}"></a>\n', f"({target})=\n").replace(f"](#{own})", f"](#{target})")
    source[0] = re.sub(r"\]\([\w./-]+\.md#([\w-]+)\)", shortened, text)


WORKED = re.compile(r"^- \[.+\]\((\.\./proofs_checks/theory/\w+/worked\.md)\)$", re.MULTILINE)


def include_worked(app: Sphinx, name: str, source: list[str]) -> None:
    """On a code host the page of counterexamples links to its parts; here it contains them."""
    if name == "counterexamples":
        block = "```{include} \\1\n:relative-docs: ../../../docs\n:heading-offset: 1\n```\n"
        source[0] = WORKED.sub(block, source[0])


def setup(app: Sphinx) -> None:
    app.connect("source-read", include_worked)
    app.connect("source-read", link_to_anchors)
    app.connect("build-finished", write_audit_page)
