"""Evidence that does not come from running cases: machine-checked proofs, by label.

Each entry names a file of ``proofs_checks/formal`` and a theorem in it; a test fails when either is missing.  Only
theorems that say what our corrected claim says (or more) are listed.
"""

from __future__ import annotations

from pathlib import Path

from .model import Evidence, Rank

FORMAL = Path(__file__).with_name("formal")

THEOREMS: dict[str, tuple[str, str]] = {
    "intro:key": ("KeyIdentity.v", "key_identity"),
    "lem:key": ("KeyIdentity.v", "key_identity"),
    "assump:quantile": ("KeyIdentity.v", "key_identity"),
    "lem:augmented:1": ("Augmentation.v", "augmented_same_average"),
    "lem:augmented:2": ("Augmentation.v", "augmented_same_joint_law"),
    "thm:augmented": ("Augmentation.v", "augmented_same_value"),
    "def:augmented": ("Augmentation.v", "best_y_policy_is_best"),
    "lem:quantileinverse/first": ("QuantileInverse.v", "quantile_of_value_le"),
    "lem:quantileinverse/second": ("QuantileInverse.v", "value_of_quantile_ge"),
    "lem:monotoneinversebound": ("QuantileInverse.v", "quantile_ge_of_shifted_bound"),
    "thm:discretized": ("Discretisation.v", "adapted_optimal_loses_at_most_T_eta"),
    "thm:discretized/constant": ("DiscretisationPrintedFalse.v", "no_constant_below_T"),
    "adaptation/pathwise": ("Discretisation.v", "return_within_T_eta"),
}


def machine_checked(label: str) -> tuple[Evidence, ...]:
    """The theorem that proves the corrected claim of a label for all sizes, if there is one."""
    if label not in THEOREMS:
        return ()
    file, theorem = THEOREMS[label]
    return (Evidence(Rank.MACHINE_CHECKED, f"Coq, {file}: {theorem}"),)
