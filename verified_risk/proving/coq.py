"""A certificate as a Coq file that, compiled against ``proofs_checks/formal``, proves the theorem about this model.

The file holds the certificate's text (docs/proof_format.md) and evaluates ``check_text`` on it inside Coq
(``vm_compute``); this requires no trust in OCaml or extraction.
"""

from __future__ import annotations

import tempfile
from os import PathLike
from pathlib import Path

from .. import files
from ..errors import Unsupported
from ..planning.clock import Clock
from ..planning.result import Plan
from .certificate import Certificate, Curved, numbers_of_any_length
from .proved import Judge, first_accepted, read
from .same_policy import require_same_policy
from .write import Draft

MOST_CELLS = 200_000
"""Cells that ``vm_compute`` processes in about a minute."""
FILE = """\
(* coqc -Q proofs_checks/formal VerifiedRisk THIS_FILE, after `make proofs`. *)
Require Import ZArith String.
From VerifiedRisk Require Import Text TextStatement Embedded.
From VerifiedRisk Require Allowed.
Open Scope Z_scope.

Definition the_certificate : string := "{text}".

Lemma accepted : accepts (Allowed.Limits 4000000000 {widest}) the_certificate = true.
Proof. vm_compute. reflexivity. Qed.

(* The text is a certificate; whichever file its bytes say, and they say one (a_text_says_one_thing), the policy of that
   file attains the lower bound in its model, and no policy, randomised and history-dependent ones included, exceeds the
   upper bound. *)
Theorem the_plan_is_right :
  (exists f, says (text_of the_certificate) f) /\\ forall f, says (text_of the_certificate) f -> claim_holds f.
Proof. exact (an_accepted_text_is_true _ _ accepted). Qed.

Print Assumptions the_plan_is_right.
"""


def write_coq(plan: Plan, path: str | PathLike[str]) -> None:
    """Write the theorem about ``plan``; its tables are exact, so it can fail to compile only if the plan's bounds are
    not those of its policy.

    :raises Unsupported: if evaluating the certificate inside Coq would take too long
    """
    draft = Draft.of(plan)
    objective = draft.objective
    if isinstance(objective, Curved) and any(curve.kind in ("wang", "cpw") for _, curve in objective.parts):
        raise Unsupported(
            f"not covered by --coq: {plan.objective.spec}, whose points take Coq's own integers minutes; "
            "leave out --coq, the extracted checker is faster"
        )
    if isinstance(objective, Curved):  # covers differ in what they prove
        with tempfile.TemporaryDirectory(prefix="verified-risk-") as folder:
            certificate, _ = first_accepted(draft, Judge(read, None, Clock()), Path(folder) / "certificate.txt")
    else:
        certificate = draft.certificate(exact=True, bits=draft.fixed_bits())
    if certificate.cells > MOST_CELLS:
        raise Unsupported(
            f"the certificate has {certificate.cells} cells, and Coq goes through at most {MOST_CELLS} in reasonable "
            "time: leave out --coq, the extracted checker is faster"
        )
    require_same_policy(plan.policy, certificate)
    with numbers_of_any_length():
        files.write_text(path, coq_text(certificate))


def coq_text(certificate: Certificate) -> str:
    """Return the text of the file."""
    return FILE.format(text="".join(certificate.lines()), widest=max(certificate.widest, 1))
