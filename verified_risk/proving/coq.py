"""A certificate as a Coq file that, compiled against ``proofs_checks/formal``, proves the theorem about this model.

The file states model, objective, claim and certificate as integers, evaluates ``check`` inside Coq (``vm_compute``) and
applies ``check_sound``; this requires no trust in OCaml or extraction.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike

from .. import files
from ..errors import Unsupported
from ..planning.result import Plan
from .certificate import (
    ByBudgets,
    ByLaw,
    ByMarkov,
    ByMean,
    ByThreshold,
    Certificate,
    Grid,
    IntegerModel,
    Machine,
    Piecewise,
    Quantile,
    Tail,
    numbers_of_any_length,
)
from .coq_curves import bounds, coq_list, mixture, parts, rat, z
from .cover import Cover, Dual, Passed
from .curves import ROOM, Curved
from .discounted import ByAllCells, ByCells, CellGrid
from .same_policy import require_same_policy
from .write import Draft

UPPER_WORTH = "value_with_upper the_objective"
"""The value of a mixture with upper quantiles, part by part."""
MOST_CELLS = 200_000
"""Cells that ``vm_compute`` processes in about a minute."""


def write_coq(plan: Plan, path: str | PathLike[str]) -> None:
    """Write the theorem about ``plan``; its tables are exact, so it can fail to compile only if the plan's bounds are
    not those of its policy."""
    draft = Draft.of(plan)
    certificate = draft.certificate(exact=True, bits=draft.fixed_bits())
    objective = certificate.objective
    if isinstance(objective, Curved) and any(c.name.startswith(("wang", "cpw")) for c in objective.curves):
        raise Unsupported(
            f"not covered by --coq: {plan.objective.spec}, whose points take Coq's own integers minutes; "
            "leave out --coq, the extracted checker is faster"
        )
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
    objective = certificate.objective
    curved = isinstance(objective, Curved)
    asked, theorem = "the_objective", "check_curved_sound _ _ _ _" if curved else "check_sound _ _ _ _"
    if isinstance(objective, Curved):
        made, proofs = f"curved :=\n  Curved {bounds(objective)}\n  (", "(proofs the_certificate)"
        if objective.has_upper_quantiles:
            kind, stated, accepts = "list (rat * mixed_part)", parts(objective), "check_upper"
            asked, theorem, worth = f"the_objective {rat(ROOM)}", "upper_quantiles_sound _ _ _ _ _", UPPER_WORTH
        else:
            kind, stated, accepts = "mixture", mixture(objective), "check_curved"
            worth = "Phi (mixture_of the_objective)"
    else:
        kind, stated, accepts = "objective", _objective(objective), "check"
        made, proofs, worth = "certificate :=\n  (", "the_certificate", "value_of the_objective"
    return f"""(* coqc -Q proofs_checks/formal VerifiedRisk THIS_FILE, after `make proofs`. *)
Require Import ZArith Reals List.
From VerifiedRisk Require Import FiniteLaw Objective JointModel Rows Tree Program Check PolygonCheck CurveCheck Verdict.
From VerifiedRisk Require Import Meaning Soundness{" Curves CurvedSoundness UpperQuantiles" if curved else ""}.
Import ListNotations.
Open Scope Z_scope.

Definition tree_of {{X}} (l : list (positive * X)) : tree X := fold_right (fun kx t => set (fst kx) (snd kx) t) Leaf l.

Definition the_model : model := {_model(certificate.model)}.

Definition the_objective : {kind} := {stated}.

Definition the_claim : claim := Claim {rat(certificate.lower)} {rat(certificate.upper)}.

Definition the_certificate : {made}Certificate ({_low(certificate)})
    ({_up(certificate)})).

Lemma accepted : {accepts} the_model {asked} the_claim the_certificate = true.
Proof. vm_compute. reflexivity. Qed.

(* The policy of the certificate attains the lower bound; no policy, randomised and history-dependent ones included,
   exceeds the upper bound. *)
Theorem the_plan_is_right :
  (real_of {rat(certificate.lower)} <= {worth}
     (jreturn_law (meaning the_model) (policy_of the_model (low {proofs}))))%R /\\
  (forall pi, is_jpolicy pi -> plays_allowed (meaning the_model) pi ->
     {worth} (jreturn_law (meaning the_model) pi) <= real_of {rat(certificate.upper)})%R.
Proof.
  destruct ({theorem} accepted) as [[pi [-> [_ [_ lower_holds]]]] upper_holds]. split; assumption.
Qed.

Print Assumptions the_plan_is_right.
"""


def _tree(items: Iterable[tuple[int, str]]) -> str:
    """Return a tree of states, which Coq numbers from 1."""
    return f"(tree_of {coq_list(f'({s + 1}%positive, {entry})' for s, entry in items)})"


def _model(model: IntegerModel) -> str:
    def action(total: int, outcomes: Iterable[tuple[int, int, int]]) -> str:
        return f"Action {total} {coq_list(f'Outcome {w} {z(gain)} {s + 1}' for w, gain, s in outcomes)}"

    step = _tree((s, coq_list(action(*entry) for entry in actions)) for s, actions in enumerate(model.states))
    initial = coq_list(f"({s + 1}%positive, {w})" for s, w in model.initial)
    return (
        f"Model {rat(model.discount)} {model.reward_denominator} {model.initial_total}\n  {initial}\n"
        f"  (repeat {step} {model.horizon}%nat)"
    )


def _objective(objective: Tail | Quantile | Piecewise) -> str:
    if isinstance(objective, Tail):
        return f"Tail {rat(objective.weight)} {rat(objective.level)}"
    if isinstance(objective, Quantile):
        return f"Quantile {rat(objective.level)} {'true' if objective.upper else 'false'}"
    return f"Polygon {coq_list(f'({rat(x)}, {rat(g)})' for x, g in objective.corners)}"


def _grid(grid: Grid) -> str:
    windows = coq_list(f"({z(first)}, {z(last)})" for first, last in grid.windows)
    return f"(Grid {rat(grid.unit)} {grid.stretch} {grid.shrink} {windows})"


def _cells(grid: CellGrid) -> str:
    windows = coq_list(f"({z(first)}, {z(last)})" for first, last in grid.windows)
    return f"(Cells {rat(grid.unit)} {z(grid.base)} {coq_list(map(str, grid.halvings))} {windows})"


def _low(certificate: Certificate) -> str:
    low = certificate.low
    if isinstance(low, ByMarkov):
        return f"ByMarkov {low.scale} {coq_list(_tree((s, str(a)) for s, a in enumerate(row)) for row in low.choices)}"
    if isinstance(low, ByLaw):
        machines = coq_list(f"({weight}, {_machine(machine)})" for weight, machine in low.parts)
        return f"ByLaw {low.scale} {low.total} {machines}"
    rows = [
        _tree((s, coq_list(f"({count}, {a})" for count, a in runs)) for s, runs in enumerate(low.choices(t)))
        for t in range(certificate.model.horizon)
    ]
    if isinstance(low, ByCells):
        return f"ByCells {low.scale} {_cells(low.grid)} {z(low.start)} {coq_list(rows)}"
    return f"ByBudget {low.scale} {_grid(low.grid)} {z(low.start)} {coq_list(rows)}"


def _machine(machine: Machine) -> str:
    rules = coq_list(
        f"MemoryRule 1 1 {coq_list(f'({z(gain)}, ({z(shift)}, 0))' for gain, shift in moves)}"
        for moves in machine.moves
    )
    tables = coq_list(
        _tree(
            (s, f"MemoryRow {z(first)} 0 {coq_list(f'({count}, {a})' for count, a in runs)}")
            for s, (first, runs) in enumerate(machine.rows(t))
        )
        for t in range(len(machine.moves))
    )
    return f"Machine 0 {rules} {tables}"


def _up(certificate: Certificate) -> str:
    up = certificate.up
    if isinstance(up, ByMean):
        return f"ByMean {up.scale}"
    if isinstance(up, ByBudgets):
        return f"ByBudgets {up.scale} {_grid(up.grid)}"
    if isinstance(up, ByAllCells):
        return f"ByAllCells {up.scale} {_cells(up.grid)}"
    if isinstance(up, ByThreshold):
        return f"ByThreshold {up.scale} {_grid(up.grid)} {z(up.start)}"

    def cover(one: Cover) -> str:
        if isinstance(one, Dual):
            return f"(Dual {coq_list(z(c) for c in up.multipliers(one))})"
        if isinstance(one, Passed):
            return f"(Passed {one.scale} {z(up.shift - one.coordinate)} {rat(one.level)} {cover(one.rest)})"
        return f"(Cut {up.shift - one.coordinate} {rat(one.level)} {cover(one.below)} {cover(one.above)})"

    return f"ByCover {up.scale} {_grid(up.grid)} {z(up.start)} {cover(up.cover)}"
