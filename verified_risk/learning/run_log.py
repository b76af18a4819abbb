"""A finished run as a log, and the proof of its policy from that log.

Confidence sets of counts hold whatever collected the data (theory, page 10, kl-logs), so also for the episodes of a
learner.  A run in a model is played again, which gives its episodes; of a run in an environment the counts are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from os import PathLike

import numpy as np

from ..errors import InvalidArgument, Unsupported
from ..kernels.learn_data import Actions
from ..numbers.rational import Rational, as_fraction
from ..proving.proved import Proved
from .episodes import played_again
from .log import Log, log_of_counts
from .log_answers import Question, prove_answer
from .log_problem import Facts
from .policies import BlackBox, BlackBoxPolicy
from .problem import Standard, standard_form
from .run import Run


def log_of(run: Run, delta: Rational | None) -> Log:
    """Return the log of a run; see :meth:`.Run.log`."""
    if run.mdp is None:
        assert run.shell is not None
        if run.counts is None:
            raise Unsupported("the file of this run has no counts", instead="Log.from_checkpoint")
        return log_of_counts(run.shell, run.counts, run.episodes, delta, "the run")
    if not run.mdp.is_discrete:
        raise Unsupported("continuous rewards were rounded to a grid before they were counted", instead="Log.from_csv")
    task, _, batches = played_again(run, run.episodes)
    standard = task.standard
    played = ((x.states, x.actions, x.rewards + x.paid, x.returns) for x in batches)  # one of two atoms is 0
    states, actions, rewards, returns = (np.concatenate(parts) for parts in zip(*played, strict=True))
    if not np.array_equal(float(standard.offset) + float(standard.range * standard.unit) * returns, run.returns):
        raise InvalidArgument("the run earned other returns when it was played again: was it made by another version?")
    paid = [standard.low + standard.range * x for x in standard.atoms]
    columns = {"state": states[:, :-1], "action": actions, "next_state": states[:, 1:]}
    return Log.from_arrays(
        delta=delta, episode=np.repeat(np.arange(run.episodes), standard.horizon).tolist(),
        reward=[paid[i] for i in rewards.ravel()], **{name: x.ravel().tolist() for name, x in columns.items()},
    )  # fmt: skip


def prove_run(
    run: Run, delta: Rational | None, certificate: str | PathLike[str] | None, seconds: float | None
) -> Proved:
    """Prove the policy of a run from its episodes; see :meth:`.Run.prove`."""
    level = run.delta if delta is None else as_fraction(delta, "delta")
    if run.mdp is not None and run.mdp.discount != 1:
        raise Unsupported(f"not covered: from data, the discount {run.mdp.discount}")
    standard = None if run.mdp is None else standard_form(run.mdp, run.eta)
    if not (run.shell or standard).exact:  # type: ignore[union-attr]
        raise Unsupported("not covered: rewards that are rounded to a grid")
    log = log_of(run, None)
    facts = _facts_of_box(run) if standard is None else _facts_of_model(run, standard)
    question = Question("the policy of a run", log, run.objective, level, None, facts)
    problem = question.problem
    table = run.table if standard is None else _regridded(run.table, standard, problem.shell)
    stated = "the run states no interval"
    if run.interval is not None:
        stated = f"the run states {run.interval}, and with probability at least {1 - level - run.delta} both are right"
    policy = BlackBoxPolicy(problem.shell, table, problem.live, problem.own)
    return prove_answer(question, policy, stated, certificate, seconds)


def _facts_of_box(run: Run) -> Facts:
    """Return the form of the environment and what was declared about it, by the names of the log.

    What proofs do not use is left out, a largest return and a number of successors, and so is a function that the file
    of a run did not keep.
    """
    shell, declared = run.shell, run.declared
    assert shell is not None
    names = (*shell.names, None)
    number = {name: s for s, name in enumerate(names)}
    facts: Facts = {
        "horizon": shell.steps, "rewards": [shell.low + shell.range * x for x in shell.atoms],
        "states": names[:-1], "actions": range(shell.actions),
    }  # fmt: skip
    if isinstance(declared.successors, Mapping):
        named = {(names[s], a): [names[x] for x in after] for (s, a), after in declared.successors.items()}
        facts["known_successors"] = named
    rewards = declared.rewards
    if callable(rewards):
        facts["known_rewards"] = lambda s, a, after: rewards(number[s], a, number[after])
    if not shell.random_starts:
        assert run.counts is not None
        assert run.counts.first is not None
        facts["initial"] = names[run.counts.first]
    return facts


def _facts_of_model(run: Run, standard: Standard) -> Facts:
    """Return the form of the model and what was declared about it."""
    mdp = run.mdp
    assert mdp is not None
    rewards = sorted(standard.low + standard.range * x for x in standard.atoms)
    paid: dict[tuple[int, int], dict[int, set[Fraction]]] = {}
    for s, a, action in mdp:
        for _, after, r in action.outcomes:
            paid.setdefault((s, a), {}).setdefault(after, set()).add(r)
    facts: Facts = {
        "horizon": mdp.horizon, "rewards": rewards, "initial": dict(mdp.initial), "states": range(mdp.n_states),
        "actions": {s: range(len(mdp.actions(s))) for s in range(mdp.n_states)},
    }  # fmt: skip
    if run.declared.successors is True:
        facts["known_successors"] = {pair: sorted(after) for pair, after in paid.items()}
    elif isinstance(run.declared.successors, Mapping):
        facts["known_successors"] = run.declared.successors
    if run.declared.rewards:
        facts["known_rewards"] = lambda s, a, after: paid[s, a].get(after, rewards[-1])
    elif 0 not in rewards:  # which the form of a black box adds
        facts["known_rewards"] = lambda s, a, after: rewards
    return facts


def _regridded(table: Actions, standard: Standard, shell: BlackBox) -> Actions:
    """Return a table by the return so far in units of ``shell``, whose rewards include 0 and may be finer."""
    if table.shape[2] == 1:
        return table
    unit = standard.range * standard.unit
    step, shift = shell.range * shell.unit / unit, (shell.low - standard.low) / unit
    units, common = np.arange((shell.steps - 1) * int(1 / shell.unit) + 1), step.denominator * shift.denominator
    found = np.empty((*table.shape[:2], len(units)), table.dtype)
    for t in range(shell.steps):
        earned = (units * int(step * common) + t * int(shift * common)) // common
        found[t] = table[t][:, np.clip(earned, 0, table.shape[2] - 1)]
    return found
