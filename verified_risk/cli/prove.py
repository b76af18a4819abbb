"""``verified-risk prove``: a saved plan confirmed by the verified checker."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from ..errors import NotProved, Unsupported
from .model_argument import readable, save_option
from .terminal import Screen, emit_json, json_option, working


@click.command(short_help="Have a plan confirmed by a program proved in Coq.")
@click.argument("file", metavar="PLAN", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@save_option("Write a Coq file whose compilation is the theorem about this model; for small models.", "--coq",
             sign="VerifiedRisk Require Import")  # fmt: skip
@save_option("Keep the certificate that the checker read.", "--certificate", sign="verified-risk-proof")
@save_option("Write a page for a safety case: statement, policy, proof, what is left to trust, how to check it again.",
             "--report", sign="<!doctype html>")  # fmt: skip
@click.option(
    "--time-limit", type=click.FloatRange(min=0), default=None, metavar="SECONDS",
    help="Seconds; what is not proved by then is not covered, and the answer says how far it came.",
)  # fmt: skip
@json_option
def prove(
    file: Path, coq: Path | None, certificate: Path | None, report: Path | None, time_limit: float | None, as_json: bool
) -> None:
    """Prove the bounds of the plan in PLAN (a saved plan): write a certificate, run the verified checker on it, and
    say in one line what was proved, by which theorem, on which axioms, in what time.

    Exits with 0 if it is proved, 1 if the checker refuses it or does not cover it, 2 if PLAN is not a plan or the
    checker is not built.
    """
    import verified_risk as vr

    from ..proving import write_coq

    with working(f"proving {file}") as note, readable(file), TemporaryDirectory(prefix="verified-risk-") as folder:
        plan = vr.Plan.load(file)
        kept = certificate or Path(folder) / "certificate.txt"
        try:
            found = plan.prove(
                certificate=kept, time_limit=time_limit, progress=note and (lambda step: note(step.doing))
            )
            if coq is not None:
                write_coq(plan, coq)
            if report is not None:
                from ..plotting.page.proof import write_proof_page

                write_proof_page(plan, found, kept.read_text("ascii"), report)
        except (NotProved, Unsupported) as error:
            answer, line = {"proved": False, "why": str(error)}, f"NOT PROVED: {error}"
        else:
            answer, line = {"proved": True, **found.to_json()}, str(found)
    if as_json:
        emit_json(answer)
    else:
        Screen().paragraph(line, indent=0)
        for wrote, what in ((coq, "compiled against proofs_checks/formal, it is the theorem"), (report, "the page")):
            if wrote is not None and answer["proved"]:
                Screen().paragraph(f"wrote {wrote}: {what}", indent=0)
    sys.exit(0 if answer["proved"] else 1)


COMMANDS = (prove,)
