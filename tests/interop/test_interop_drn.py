"""DRN files, read back by a parser written here; by Storm itself in ``test_interop_storm.py``."""

import random
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

import oracles
import pytest
from plan_models import as_mdp

import verified_risk as vr
from verified_risk import models
from verified_risk.interop.storm import write_drn

every_model = pytest.mark.parametrize("name", models.NAMES)


@dataclass
class State:
    reward: Fraction
    labels: list[str]
    choices: list[tuple[Fraction, list[tuple[int, Fraction]]]] = field(default_factory=list)


def parse(path):
    """The states of a DRN file, checking counts, numbering and row sums on the way."""
    lines = path.read_text(encoding="utf-8").splitlines()
    cut = lines.index("@model")
    header = [line for line in lines[:cut] if not line.startswith("//")]
    assert header[0] == "@type: MDP"
    assert header[header.index("@reward_models") + 1] == "return"
    states = []
    for line in lines[cut + 1 :]:
        words = line.split()
        if words[0] == "state":
            assert int(words[1]) == len(states)
            states.append(State(Fraction(words[2].strip("[]")), words[3:]))
        elif words[0] == "action":
            assert int(words[1]) == len(states[-1].choices)
            states[-1].choices.append((Fraction(words[2].strip("[]")), []))
        else:
            target, colon, mass = words
            assert colon == ":"
            states[-1].choices[-1][1].append((int(target), Fraction(mass)))
    assert int(header[header.index("@nr_states") + 1]) == len(states)
    assert int(header[header.index("@nr_choices") + 1]) == sum(len(state.choices) for state in states)
    for state in states:
        assert state.choices
        assert all(sum(p for _, p in branches) == 1 for _, branches in state.choices)
        assert all(0 <= target < len(states) and p > 0 for _, branches in state.choices for target, p in branches)
    return states


def start_of(states):
    (start,) = [i for i, state in enumerate(states) if "init" in state.labels]
    return start


def best_reward(states):
    """R{"return"}max=? [F "end"]: the files are acyclic up to the end."""

    @cache
    def value(i):
        if "end" in states[i].labels:
            return Fraction(0)
        return states[i].reward + max(
            reward + sum(p * value(target) for target, p in branches) for reward, branches in states[i].choices
        )

    return value(start_of(states))


def law_of_first_actions(states):
    """{accumulated reward: probability} when the first action is always taken."""
    ended, level = [], {(start_of(states), Fraction()): Fraction(1)}
    while level:
        ended += [(z, p) for (i, z), p in level.items() if "end" in states[i].labels]
        left = [(i, z, p) for (i, z), p in level.items() if "end" not in states[i].labels]
        steps = [(z + states[i].reward + states[i].choices[0][0], p, states[i].choices[0][1]) for i, z, p in left]
        level = oracles.added(((target, z), p * q) for z, p, branches in steps for target, q in branches)
    return oracles.added(ended)


def small_models():
    rng = random.Random("drn")
    for _ in range(40):
        model = oracles.random_model(rng, max_states=3, max_actions=2, max_horizon=2, max_branches=3)
        if oracles.count_return_policies(model) <= 300:
            yield model, as_mdp(model)


@every_model
def test_the_unrolled_file_has_the_largest_mean(name, tmp_path):
    mdp = models.load(name)
    mdp.to_drn(tmp_path / "model.drn")
    assert best_reward(parse(tmp_path / "model.drn")) == vr.exact_plan(mdp, vr.Mean()).value


def test_the_accumulated_reward_has_the_law_of_the_return(tmp_path):
    path = tmp_path / "model.drn"
    uncertain = 0
    for _, mdp in small_models():
        write_drn(mdp, path)
        first = vr.MarkovPolicy(mdp, [[0] * mdp.n_states] * mdp.horizon)
        states = parse(path)
        assert law_of_first_actions(states) == dict(vr.return_law(mdp, first))
        uncertain += any(state.reward for state in states)  # pay states were needed
    assert uncertain > 10
