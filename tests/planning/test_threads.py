"""Threads change no bit of any answer; little work, and workers, have one."""

from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context

import numpy as np
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument
from verified_risk.grid import float_model
from verified_risk.kernels import jit
from verified_risk.models import random_sparse
from verified_risk.planning import threads
from verified_risk.planning.tails import budget_tables as budget
from verified_risk.planning.tails.budget_tables import budget_tables

PRODUCT = random_sparse(23, 3, 4, 2, 5, seed=1)
JOINT = vr.MDP.from_outcomes(
    [[[(Fraction(1, 2), (s + a) % 9, a), (Fraction(1, 2), (3 * s) % 9, (s + a) % 4)] for a in range(1 + s % 3)]
     for s in range(9)],
    initial=0, horizon=5,
)  # fmt: skip
OBJECTIVES = ("cvar(1/10)", "var(1/3)", "mean", "0.5*mean + 0.5*cvar(1/4)", "wang(1/2)", "cpw(0.71)")


@pytest.fixture
def shared(monkeypatch):
    """As many threads as asked for, however little there is to do; how many parts were made."""
    monkeypatch.setattr(threads, "WORTHWHILE", 1)
    made = []
    honest = threads.in_threads

    def watched(work, parts):
        made.append(parts)
        honest(work, parts)

    for module in ("tails.budget_tables", "tails.interpolated_tables", "search.grid_coordinates"):
        monkeypatch.setattr(f"verified_risk.planning.{module}.in_threads", watched)
    return made


def planned(mdp: vr.MDP, objective: str) -> tuple:
    plan = vr.plan(mdp, objective, gap="1/1000")
    return plan.lower, plan.upper, plan.certificate, plan.policy.to_json()


@pytest.mark.parametrize("mdp", [PRODUCT, JOINT, PRODUCT.with_discount("9/10")], ids=["product", "joint", "discounted"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_any_number_of_threads_gives_the_same_plan_to_the_last_bit(mdp, objective, monkeypatch, shared):
    if mdp.discount != 1 and objective in OBJECTIVES[4:]:
        pytest.skip("a search with a discount is one thread's work: it shares no pass")
    monkeypatch.setenv(threads.VARIABLE, "1")
    alone = planned(mdp, objective)
    shared.clear()
    for count in (2, 3, 7):
        monkeypatch.setenv(threads.VARIABLE, str(count))
        assert planned(mdp, objective) == alone
    if objective != "mean":  # it has no table to share
        assert max(shared) > 1


def test_shares_cover_every_state_once_and_weigh_about_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    for _ in range(200):
        weights = rng.integers(1, 50, rng.integers(1, 40))
        count = int(rng.integers(1, 9))
        monkeypatch.setenv(threads.VARIABLE, str(count))
        parts = threads.shares(weights, 1e12)
        assert [s for first, last in parts for s in range(first, last)] == list(range(len(weights)))
        assert len(parts) <= count
        assert all(weights[a:b].sum() <= weights.sum() / count + 2 * weights.max() for a, b in parts)


def test_little_work_is_not_shared(monkeypatch):
    monkeypatch.setenv(threads.VARIABLE, "8")
    assert len(threads.shares(np.ones(100), 1.9 * threads.WORTHWHILE)) == 1
    assert len(threads.shares(np.ones(100), 2.1 * threads.WORTHWHILE)) == 2


@pytest.mark.parametrize("mdp", [PRODUCT, JOINT], ids=["product", "joint"])
def test_the_work_of_a_pass_is_counted_product_by_product(mdp, monkeypatch):
    """Between two meetings: for every state, action, budget and successor one product, on an average step."""
    told: list[float] = []
    monkeypatch.setattr(
        "verified_risk.planning.tails.budget_tables.shares",
        lambda weights, work: told.append(work) or [(0, len(weights))],
    )
    model, steps = float_model(mdp, Fraction(1)), []
    linear = budget.linear_part(model)
    monkeypatch.setattr(jit.Kernel, "at", lambda self, work, otherwise, compiling: steps.append(work) or otherwise)
    budget_tables(model, Fraction(), 0, model.remaining[0], linear=linear)
    products = sum(
        len({target for _, target, _ in action.outcomes}) if action.independent else len(action.outcomes)
        for _, _, action in mdp
        for t in range(mdp.horizon)
        for _ in range(model.remaining[t])
    )
    assert told == [pytest.approx(products / mdp.horizon, rel=0.1)]  # outcomes that are equal may be merged or not
    assert steps[0] >= 0.9 * products / budget.NUMPY_TERMS_PER_STEP + budget.NUMPY_STEPS * mdp.horizon


def test_the_default_is_every_core_and_one_in_a_worker(monkeypatch):
    monkeypatch.delenv(threads.VARIABLE, raising=False)
    monkeypatch.setattr(threads, "_cores", lambda: 5)
    assert threads.threads() == 5
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert pool.submit(threads.threads).result() == 1


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", "1025"])
def test_a_number_of_threads_that_is_none_is_refused(text, monkeypatch):
    monkeypatch.setenv(threads.VARIABLE, text)
    with pytest.raises(InvalidArgument, match=f"is '{text}', wanted a number of threads from 1"):
        threads.threads()


def test_a_fault_in_one_thread_is_raised_in_the_caller():
    def work(k: int) -> None:
        if k == 1:
            raise ZeroDivisionError("of part 1")

    with pytest.raises(ZeroDivisionError, match="of part 1"):
        threads.in_threads(work, 3)
