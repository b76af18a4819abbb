"""Planted mutations of the first half: definitions, augmentation, discretisation, CVaR, planner, evaluator, audit.

    python tests/support/mutations.py

prints the table.  Each mutation changes one line of a source file (in memory only: the packages are imported afresh
from the changed text) and must be killed by the evidence of a statement (its enumeration, its counterexample, its
generator, the standalone checker) or by a named test.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import planting

PACKAGES = ("proofs_checks", "verified_risk")
TESTS = ("test_audit", "test_certificates", "test_known_numbers", "test_strategies", "test_touched_statements")


@dataclass(frozen=True)
class Mutation:
    """``old`` becomes ``new`` in ``module``; ``killer`` is a statement's label or ``test_module.test_name``.

    A ``#label`` behind a test is its argument.
    """

    name: str
    module: str
    old: str
    new: str
    killer: str

    @property
    def path(self) -> Path:
        return planting.source_of(self.module)


def planted(mutation: Mutation) -> AbstractContextManager[None]:
    """Import the packages afresh with the mutation in place; restore everything afterwards."""
    return planting.planted(mutation.module, mutation.old, mutation.new, PACKAGES, TESTS)


def evidence(label: str) -> None:
    """What a statement carries with itself: enumeration, counterexample, certificate, generator."""
    statement, _ = planting.own_evidence(label)
    search = importlib.import_module("proofs_checks.engine.search")
    sampled = search.random(statement.true_claim, statement.cases(), examples=40, seed=1, climb=0)
    assert not sampled.refuted, f"{label}: {sampled.refuted} random cases refute what should be true"
    if statement.should_be_refuted:
        assert search.find_counterexample(statement, seed=1, shrink=False), f"{label}: the generator finds nothing"


#: Tests that take arguments, with the arguments to call them with.
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "test_audit.test_every_fault_makes_the_audit_fail": ({"least_met": 10_000}, "wanted 10000"),
}


def run(killer: str) -> None:
    """The evidence of a statement, or a test."""
    killer, _, label = killer.partition("#")
    module, _, name = killer.partition(".")
    if module not in TESTS:
        evidence(killer)
        return
    sys.path.insert(0, str(planting.ROOT / "tests" / "checks"))
    try:
        test = getattr(importlib.import_module(module), name)
        arguments = (label,) if label else ARGUMENTS.get(killer, ())
        if killer == "test_certificates.test_an_edited_certificate_is_rejected":
            arguments = (importlib.import_module("proofs_checks.theory").by_label("lem:key"),)
        test(*arguments)
    finally:
        sys.path.remove(str(planting.ROOT / "tests" / "checks"))


def killed(mutation: Mutation) -> str | None:
    """What the killer says of the mutation; None if it survives."""
    with planted(mutation):
        try:
            run(mutation.killer)
        except (KeyboardInterrupt, planting.TableError, ImportError):
            raise
        except BaseException as error:  # pytest.fail is no Exception
            return f"{type(error).__name__}: {error}".splitlines()[0]
    return None


MUTATIONS = (
    # checkers
    Mutation(
        "area takes the CDF at the right end",
        "proofs_checks.theory.setting.lem_key",
        "weight(law.cdf(x))",
        "weight(law.cdf(following))",
        "lem:key",
    ),
    Mutation(
        "key identity with T for M",
        "proofs_checks.theory.setting.lem_key",
        "equality(case.top - area(case.law, case.objective, Fraction(0), case.top)",
        "equality(case.horizon - area(case.law, case.objective, Fraction(0), case.top)",
        "lem:key",
    ),
    Mutation(
        "upper for lower quantile",
        "proofs_checks.theory.setting.def_objective",
        "lambda level: Fraction(level >= case.alpha)",
        "lambda level: Fraction(level > case.alpha)",
        "def:objective/jumps",
    ),
    Mutation(
        "an episode with all its rewards",
        "proofs_checks.theory.setting.def_history",
        "levels[case.mdp.horizon - 1].items()",
        "levels[case.mdp.horizon].items()",
        "def:history/episode",
    ),
    Mutation(
        "J = y for J <= y in the printed average",
        "proofs_checks.theory.augmentation.conditioning",
        "gain <= y]\n",
        "gain == y]\n",
        "thm:augmented",
    ),
    Mutation(
        "reaches compared before the last step only",
        "proofs_checks.theory.augmentation.lem_augmented",
        "zip([*own, last], averaged, strict=True)",
        "zip(own, averaged[:-1], strict=True)",
        "lem:augmented:2",
    ),
    Mutation(
        "histories forget the policy",
        "proofs_checks.cases.histories",
        "following.get(longer, Fraction()) + mass * q * p",
        "following.get(longer, Fraction()) + mass * p",
        "def:history",
    ),
    Mutation(
        "the internal state with the wrong sign",
        "proofs_checks.theory.discretisation.adaptation",
        "round_up_reward(r, case.eta) - r if t == case.tau - 1 else alpha",
        "r - round_up_reward(r, case.eta) if t == case.tau - 1 else alpha",
        "lem:pihatcdfbound/before",
    ),
    Mutation(
        "the printed internal state as the correction",
        "proofs_checks.theory.discretisation.adaptation",
        "r if printed else r - rho",
        "r",
        "lem:picdfbound/before",
    ),
    Mutation(
        "the internal state one step late",
        "proofs_checks.theory.discretisation.adaptation",
        "if t != case.tau - 1:",
        "if t != case.tau:",
        "lem:piphibound",
    ),
    Mutation(
        "(T - 1) eta for T eta",
        "proofs_checks.theory.discretisation.thm_discretized",
        "attained - rounded + case.mdp.horizon * case.eta",
        "attained - rounded + (case.mdp.horizon - 1) * case.eta",
        "thm:discretized",
    ),
    Mutation(
        "the inverse of a jump at its value",
        "proofs_checks.theory.setting.monotone",
        "if corner.right >= tau:",
        "if corner.value >= tau:",
        "lem:quantileinverse/second",
    ),
    Mutation(
        "minus eta for plus eta",
        "proofs_checks.theory.setting.lem_monotoneinversebound",
        "mine - other + case.eta",
        "mine - other - case.eta",
        "lem:monotoneinversebound",
    ),
    Mutation(
        "a switch moved by three thousandths",
        "proofs_checks.theory.experiment.experiment_paths",
        "(Fraction(433, 1000), 4)",
        "(Fraction(43, 100), 4)",
        "experiment:paths",
    ),
    Mutation(
        "max for min in the budget recursion",
        "proofs_checks.theory.cvar.budget",
        "self._known[key] = min(",
        "self._known[key] = max(",
        "cvar:min",
    ),
    Mutation(
        "the budget recursion one step short",
        "proofs_checks.theory.cvar.budget",
        "mdp.horizon if steps is None",
        "mdp.horizon - 1 if steps is None",
        "cvar:min",
    ),
    Mutation(
        "the printed recursion with all its steps",
        "proofs_checks.theory.cvar.cvar_appendix",
        "lambda case: _value(case, case.mdp.horizon - 1)",
        "lambda case: _value(case, case.mdp.horizon)",
        "cvar:value",
    ),
    Mutation(
        "one rho for the printed rule too",
        "proofs_checks.theory.cvar.cvar_rho",
        "lambda rho: rho - table.value(0, s, rho) / case.alpha",
        "lambda rho: rho - table.expected(rho) / case.alpha",
        "cvar:rho",
    ),
    Mutation(
        "attainable laws one step short",
        "proofs_checks.cases.enumeration",
        "for _ in range(mdp.horizon):\n        step =",
        "for _ in range(mdp.horizon - 1):\n        step =",
        "cvar:min",
    ),
    # production: laws, objectives, evaluator, planner, grid
    Mutation(
        "quantiles above their level",
        "verified_risk.law",
        "self.atoms[bisect_left(self._cumulative, level)]",
        "self.atoms[min(bisect_right(self._cumulative, level), len(self.atoms) - 1)]",
        "def:objective/jumps",
    ),
    Mutation(
        "rewards rounded down",
        "verified_risk.law",
        "y = ceil_div(x, step) * step",
        "y = (x // step) * step",
        "def:pushforward",
    ),
    Mutation(
        "VaR with > for >=",
        "verified_risk.objectives.var",
        "tau > self.alpha if self.upper else tau >= self.alpha",
        "tau > self.alpha",
        "def:objective/jumps",
    ),
    Mutation(
        "CVaR without its cap",
        "verified_risk.objectives.cvar",
        "return min(tau / self.alpha, Fraction(1))",
        "return tau / self.alpha",
        "def:objective/cvar",
    ),
    Mutation(
        "the constant of CVaR inverted",
        "verified_risk.objectives.cvar",
        "return 1 / self.alpha",
        "return self.alpha",
        "def:objective/cvar",
    ),
    Mutation(
        "behavioural form without the weights",
        "verified_risk.policy.evaluation",
        "actions.get(a, Fraction()) + mass * p",
        "actions.get(a, Fraction()) + p * reach[key]",
        "thm:augmented",
    ),
    Mutation(
        "the evaluator overwrites",
        "verified_risk.policy.evaluation",
        "following[key] = following.get(key, 0) + share * weight",
        "following[key] = share * weight",
        "production/evaluator",
    ),
    Mutation(
        "adapted policies round down",
        "verified_risk.policy.grid",
        "self._rounded[key] = ceil_div(self.mdp.step_reward(t, r), self.eta)",
        "self._rounded[key] = int(self.mdp.step_reward(t, r) / self.eta)",
        "adaptation/pathwise",
    ),
    Mutation(
        "the planner takes the worst rho",
        "verified_risk.planning.exact.route",
        "rho = max(budgets, key=score)",
        "rho = min(budgets, key=score)",
        "production/key",
    ),
    Mutation(
        "the planner stops caring too early",
        "verified_risk.planning.exact.route",
        "if b <= outlook.least[t][s]:\n            return below",
        "if b <= outlook.greatest[t][s]:\n            return below",
        "production/bellman",
    ),
    Mutation(
        "weights of levels without their tau",
        "verified_risk.objectives.levels",
        "tau * (steps[j] - steps[j + 1])",
        "(steps[j] - steps[j + 1])",
        "production/key",
    ),
    # search, audit, certificates, strategies
    Mutation(
        "unknown reads as holds",
        "proofs_checks.engine.search",
        "if self.met and not self.unknown else",
        "if self.met else",
        "test_audit.test_a_search_that_met_nothing_or_decided_nothing_does_not_hold",
    ),
    Mutation(
        "every equation holds",
        "proofs_checks.engine.model",
        "return -abs(low)",
        "return Fraction()",
        "test_audit.test_an_equation_holds_only_if_both_sides_are_exactly_equal",
    ),
    Mutation(
        "vacuous checks pass",
        "proofs_checks.engine.audit",
        "if met < wanted:",
        "if met < 0:",
        "test_audit.test_every_fault_makes_the_audit_fail",
    ),
    Mutation(
        "the digest forgets the instance",
        "proofs_checks.recheck.certificate",
        'if key != "sha256"}',
        'if key not in ("sha256", "instance")}',
        "test_certificates.test_an_edited_certificate_is_rejected",
    ),
    Mutation(
        "the checker rounds down",
        "proofs_checks.recheck.discretisation",
        "return eta * -(-r // eta)",
        "return eta * (r // eta)",
        "thm:discretized",
    ),
    Mutation(
        "the checker averages over J = y",
        "proofs_checks.recheck.augmentation",
        "if h[-1] == xi[-1] and gained(h) <= gained(xi)}",
        "if h[-1] == xi[-1] and gained(h) == gained(xi)}",
        "lem:augmented:1",
    ),
    Mutation(
        "no lotteries",
        "proofs_checks.cases.strategies",
        "if deterministic or not draw(st.booleans()):",
        "if True:",
        "test_strategies.test_every_kind_of_policy_is_reachable",
    ),
)


def report(chosen: Sequence[Mutation]) -> int:
    """Print the table; exit status 1 if a mutation survives."""

    def how(mutation: Mutation) -> str | None:
        said = killed(mutation)
        return None if said is None else f"`{mutation.killer}`: {said}"

    return planting.report(chosen, how)


if __name__ == "__main__":
    sys.exit(report(MUTATIONS))
