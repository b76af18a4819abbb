"""Ask a solver in another process, and kill that process when its time is up.

z3's own time limit is a request that it does not always honour; a killed process always stops.  One worker serves many
queries, because loading z3 takes longer than most of them; after a kill the next query gets a new one.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Sequence
from fractions import Fraction
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from .query import Answer, Build, Identity, Problem, Status, Term, sympy, z3

TIME_LIMIT = 20.0
START_LIMIT = 60.0  # to start a worker and load the solver, on a busy machine
MEMORY_LIMIT = 4 << 30


class Worker:
    """A process that answers queries one at a time; use it as a context."""

    def __init__(self) -> None:
        self._process: Any = None
        self._pipe: Connection | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()

    def kill(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            assert self._pipe is not None
            self._pipe.close()
            self._process = self._pipe = None

    def ask(self, build: Build, *, premises: bool = False, limit: float = TIME_LIMIT) -> Answer:
        """Is the problem true of all reals?  With ``premises``: can its hypotheses be met at all?"""
        pipe = self._ready()
        started = time.perf_counter()
        pipe.send((build, premises))
        if not pipe.poll(limit):
            self.kill()
            return Answer(Status.TIMEOUT, time.perf_counter() - started, "")
        try:
            answer = pipe.recv()
        except EOFError:  # out of memory, or a bug in the solver
            self.kill()
            return Answer(Status.CRASHED, time.perf_counter() - started, "")
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, Answer)
        return answer

    def _ready(self) -> Connection:
        """A live worker's pipe; loading the solver is not charged to the query."""
        if self._pipe is None:
            z3(), sympy()  # say what is missing here, not in a process that nobody watches
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
            self._process.start()
            theirs.close()
            if not self._pipe.poll(START_LIMIT):
                self.kill()
                raise TimeoutError(f"the solver's process did not start within {START_LIMIT} s")
            self._pipe.recv()
        return self._pipe


def _serve(pipe: Connection) -> None:
    """Answer until the other end is closed."""
    _limit_memory()
    z3(), sympy()
    pipe.send("ready")
    while True:
        try:
            build, premises = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(answer(build, premises=premises))
        except MemoryError:
            return
        except Exception as error:  # a mistake in a problem: the parent raises it
            pipe.send(error if _can_travel(error) else RuntimeError(f"{type(error).__name__}: {error}"))


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on this system: the time limit remains
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


def _can_travel(error: Exception) -> bool:
    import pickle

    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return False
    return True


def answer(build: Build, *, premises: bool = False) -> Answer:
    """Solve here, in this process, without any limit; :meth:`Worker.ask` is the safe way."""
    started = time.perf_counter()
    problem = build()
    if isinstance(problem, Identity):
        zero = all(difference == 0 for difference in problem.differences)
        found = Status.HOLDS if zero or premises else Status.REFUTED
        return Answer(found, time.perf_counter() - started, f"sympy {sympy().__version__}")
    status, model = _satisfied(problem) if premises else _decide(problem)
    return Answer(status, time.perf_counter() - started, f"z3 {z3().get_version_string()}", model)


def _satisfied(problem: Problem) -> tuple[Status, dict[str, Fraction]]:
    """Whether some numbers meet the hypotheses (``HOLDS``); lemma instances are consequences and play no part."""
    verdict, model = _search(problem.hypotheses)
    return {Status.REFUTED: Status.HOLDS, Status.HOLDS: Status.REFUTED}.get(verdict, verdict), model


def _decide(problem: Problem) -> tuple[Status, dict[str, Fraction]]:
    """Look for a counterexample."""
    solver = z3()
    for lemma, arity in dict.fromkeys((lemma, len(terms)) for lemma, terms in problem.instances):
        hypotheses, conclusion = lemma(*(solver.Real(f"lemma{i}") for i in range(arity)))
        status, _ = _search([*hypotheses, solver.Not(conclusion)])
        if status is not Status.HOLDS:  # the lemma failed, so nothing is known of the problem
            return Status.UNKNOWN, {}
    if not problem.instances:
        return _search([*problem.hypotheses, solver.Not(problem.conclusion)])
    known = Linear(problem.hypotheses)
    for lemma, terms in problem.instances:  # each may rest on the conclusions before it
        hypotheses, conclusion = lemma(*terms)
        if not all(known.implies(hypothesis) for hypothesis in hypotheses):
            return Status.UNKNOWN, {}
        known.add(conclusion)
    return Status.HOLDS if known.implies(problem.conclusion) else Status.UNKNOWN, {}


def _search(conditions: Sequence[Term]) -> tuple[Status, dict[str, Fraction]]:
    """``REFUTED`` with a model if the conditions can be met, ``HOLDS`` if they cannot."""
    module = z3()
    solver = module.Solver()
    solver.add(*conditions)
    verdict = solver.check()
    if verdict == module.unsat:
        return Status.HOLDS, {}
    if verdict == module.sat:
        return Status.REFUTED, _numbers(solver.model())
    return Status.UNKNOWN, {}


class Linear:
    """Facts in which every monomial is a fresh number: what follows from them follows from the facts themselves."""

    def __init__(self, facts: Sequence[Term]) -> None:
        self._solver = z3().Solver()
        self._monomials: dict[tuple[int, ...], Term] = {}
        self._rewritten: dict[int, Term] = {}
        self._alive: list[Term] = []  # z3 reuses the ids of dead terms
        for fact in facts:
            self.add(fact)

    def add(self, fact: Term) -> None:
        """Take a fact for granted."""
        self._solver.add(self._linear(fact))

    def implies(self, claim: Term) -> bool:
        """Whether the claim follows; False says nothing."""
        module = z3()
        self._solver.push()
        self._solver.add(self._linear(module.Not(claim)))
        verdict = self._solver.check()
        self._solver.pop()
        return bool(verdict == module.unsat)

    def _linear(self, condition: Term) -> Term:
        expanded = z3().simplify(condition, som=True)
        self._alive.append(expanded)
        return self._rewrite(expanded)

    def _rewrite(self, term: Term) -> Term:
        key = term.get_id()
        if key not in self._rewritten:
            module, parts = z3(), term.children()
            numerals = [part for part in parts if module.is_rational_value(part)]
            factors = [part for part in parts if not module.is_rational_value(part)]
            if module.is_mul(term) and len(factors) > 1:
                self._rewritten[key] = module.Product([*numerals, self._monomial(factors)])
            elif term.decl().kind() == module.Z3_OP_POWER:
                self._rewritten[key] = self._monomial([term])
            else:
                self._rewritten[key] = term.decl()(*map(self._rewrite, parts)) if parts else term
        return self._rewritten[key]

    def _monomial(self, factors: Sequence[Term]) -> Term:
        key = tuple(sorted(factor.get_id() for factor in factors))
        return self._monomials.setdefault(key, z3().Real(f"monomial!{len(self._monomials)}"))


def _numbers(model: Any) -> dict[str, Fraction]:
    """The rational numbers and truth values of a model; irrational ones and functions are left out."""
    module, numbers = z3(), {}
    for name in model.decls():
        value = model[name]
        if module.is_rational_value(value):
            numbers[name.name()] = Fraction(value.numerator_as_long(), value.denominator_as_long())
        elif module.is_int_value(value):
            numbers[name.name()] = Fraction(value.as_long())
        elif module.is_true(value) or module.is_false(value):
            numbers[name.name()] = Fraction(int(module.is_true(value)))
    return numbers
