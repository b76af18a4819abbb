"""The other sides of the ratios: a C kernel compiled on the spot, scipy.sparse, quantecon, Storm, Fractions."""

import ctypes
import subprocess
import tempfile
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
from instances import Instance

HERE = Path(__file__).parent


@cache
def c_library() -> ctypes.CDLL:
    """``gcc -O3 -march=native``; fused operations are allowed, as they are in our kernels."""
    target = Path(tempfile.mkdtemp(prefix="kernel-")) / "kernel.so"
    flags = ("-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC")
    subprocess.run(["gcc", *flags, str(HERE / "kernel.c"), "-o", str(target)], check=True)
    return ctypes.CDLL(str(target))


class CKernel:
    """The whole recursion in C; :meth:`run` returns W_0(s, b) for all b, and like ours allocates its tables."""

    def __init__(self, x: Instance) -> None:
        self.x = x
        rows = x.n_states * x.n_actions
        self.start = np.arange(rows + 1, dtype=np.int64) * x.succ.shape[1]
        self.rstart = np.arange(rows + 1, dtype=np.int64) * x.reward.shape[1]
        self.state, self.r = x.succ.ravel().astype(np.int64), x.reward.ravel().astype(np.int64)
        self.p = x.weight.ravel() / x.denominator
        self.q = x.reward_weight.ravel() / x.denominator
        self.stride = x.units * (x.horizon + 1) + 1

    def run(self) -> np.ndarray:
        x = self.x
        v, w = np.zeros((x.n_states, self.stride)), np.zeros((x.n_states, self.stride))
        policy = np.empty(x.n_states * x.units * x.horizon * (x.horizon + 1) // 2, dtype=np.int8)
        pointer = lambda array: array.ctypes.data_as(ctypes.c_void_p)  # noqa: E731
        sizes = [ctypes.c_long(v) for v in (x.n_states, x.n_actions, x.horizon, x.units)]
        arrays = [pointer(a) for a in (self.start, self.state, self.p, self.rstart, self.r, self.q, v, w)]
        swapped = c_library().plan(*sizes, *arrays, ctypes.c_long(self.stride), pointer(policy))
        return (w if swapped else v)[:, x.units :]


def scipy_sparse(x: Instance) -> np.ndarray:
    """The same recursion with a sparse matrix product per step, rewards by shifted columns."""
    import scipy.sparse

    rows, m = x.n_states * x.n_actions, x.units
    start = np.arange(rows + 1) * x.succ.shape[1]
    matrix = scipy.sparse.csr_matrix(
        ((x.weight / x.denominator).ravel(), x.succ.ravel(), start), shape=(rows, x.n_states)
    )
    q = x.reward_weight / x.denominator
    value = np.tile(np.arange(m + 1.0), (x.n_states, 1))
    for n in range(1, x.horizon + 1):
        w = n * m
        padded = np.zeros((rows, m + w + 1))
        padded[:, m:] = matrix @ value[:, : w + 1]
        columns = np.arange(w + 1)[None, :] + m
        total = np.zeros((rows, w + 1))
        for k in range(x.reward.shape[1]):
            total += q[:, k : k + 1] * np.take_along_axis(padded, columns - x.reward[:, k : k + 1], axis=1)
        total = total.reshape(x.n_states, x.n_actions, w + 1)
        total.argmin(axis=1).astype(np.int8)  # the policy, as on our side
        value = total.min(axis=1)
        if n < x.horizon:
            value = np.hstack([value, value[:, -1:] + np.arange(1.0, m + 1)])
    return value


def augmented(x: Instance):
    """Transitions of the model on states ``s * (top + 1) + budget``, rows ``state * A + a``; below budget 0 the
    shortfall stays 0."""
    import scipy.sparse

    width = x.units * x.horizon + 1
    rows, cols, data = [], [], []
    for i in range(x.n_states * x.n_actions):
        s, a = divmod(i, x.n_actions)
        pair = (s * width + np.arange(width)) * x.n_actions + a
        for r, q in zip(x.reward[i], x.reward_weight[i] / x.denominator, strict=True):
            after = np.maximum(np.arange(width) - r, 0)
            for target, p in zip(x.succ[i], x.weight[i] / x.denominator, strict=True):
                rows.append(pair)
                cols.append(target * width + after)
                data.append(np.full(width, p * q))
    n = x.n_states * width
    return scipy.sparse.csr_matrix(
        (np.concatenate(data), (np.concatenate(rows), np.concatenate(cols))), shape=(n * x.n_actions, n)
    )


def quantecon_augmented(x: Instance):
    """Backward induction of ``quantecon.markov.DiscreteDP`` on states (s, budget); None where it is not installed.

    Returns three callables: build the model, solve it, read the shortfall of every state and budget.
    """
    try:
        from quantecon.markov import DiscreteDP, backward_induction
    except ImportError:
        return None
    width = x.units * x.horizon + 1

    def build():
        n = x.n_states * width
        states, actions = np.divmod(np.arange(n * x.n_actions), x.n_actions)
        return DiscreteDP(np.zeros(n * x.n_actions), augmented(x), 1.0, states, actions)

    def solve(model):
        terminal = -np.tile(np.arange(width, dtype=float), x.n_states)
        return backward_induction(model, x.horizon, v_term=terminal)[0]

    return build, solve, lambda values: -values[0].reshape(x.n_states, width)


def storm_augmented(x: Instance):
    """Storm's sparse engine on states (s, budget); None where stormpy is not installed.

    Storm has no terminal costs, so every step pays what it takes off the shortfall: the least ``E[budget_T]`` is
    ``budget - Rmax=? [C<=T]``, for all states at once.
    """
    try:
        import stormpy
        from stormpy import developer
    except ImportError:
        return None
    storage, width = developer.storage, x.units * x.horizon + 1

    def build():
        matrix = augmented(x)
        n = x.n_states * width
        left = np.tile(np.arange(width, dtype=float), x.n_states)
        gains = np.repeat(left, x.n_actions) - matrix @ left
        builder = storage.SparseMatrixBuilder[float](matrix.shape[0], n, matrix.nnz, True, True, n)
        start, column, value = matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()
        for row in range(matrix.shape[0]):
            if row % x.n_actions == 0:
                builder.new_row_group(row)
            for k in range(start[row], start[row + 1]):
                builder.add_next_value(row, column[k], value[k])
        labels = storage.StateLabeling(n)
        labels.add_label("init")
        labels.add_label_to_state("init", 0)
        rewards = {"gain": storage.SparseRewardModel[float](optional_state_action_reward_vector=gains.tolist())}
        return storage.SparseMdp[float](storage.SparseModelComponents[float](builder.build(), labels, rewards))

    (formula,) = stormpy.parse_properties(f'R{{"gain"}}max=? [C<={x.horizon}]')

    def solve(model):
        return stormpy.model_checking(model, formula, only_initial_states=False)

    def read(answer):
        gained = np.array([answer.get_value(k) for k in range(x.n_states * width)])
        return np.arange(width) - gained.reshape(x.n_states, width)

    return build, solve, read


def fractions(x: Instance) -> list[list[Fraction]]:
    """The recursion in Fractions: what one writes first."""
    p = [[Fraction(int(v), x.denominator) for v in row] for row in x.weight]
    q = [[Fraction(int(v), x.denominator) for v in row] for row in x.reward_weight]
    value = [[Fraction(b) for b in range(x.units + 1)] for _ in range(x.n_states)]
    for n in range(1, x.horizon + 1):
        w, after = n * x.units, []
        for s in range(x.n_states):
            best: list[Fraction] | None = None
            for i in range(s * x.n_actions, (s + 1) * x.n_actions):
                u = [
                    sum((pj * value[t][b] for pj, t in zip(p[i], x.succ[i], strict=True)), Fraction())
                    for b in range(w + 1)
                ]
                total = [
                    sum((qk * u[b - r] for qk, r in zip(q[i], x.reward[i], strict=True) if b > r), Fraction())
                    for b in range(w + 1)
                ]
                best = total if best is None else [min(a, b) for a, b in zip(best, total, strict=True)]
            assert best is not None
            after.append(best + [best[-1] + b for b in range(1, x.units + 1)] if n < x.horizon else best)
        value = after
    return value
