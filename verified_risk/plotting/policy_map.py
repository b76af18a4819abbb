"""Maps of a gridworld policy: one panel per return so far, with arrows for its moves.

A y-policy may act differently in the same cell, depending on what it has earned so far.  A large return so far is a
small remaining budget.  The strength of an arrow shows the probability of the cell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..describe import moves_of
from ..errors import InvalidArgument, Unsupported
from ..mdp import MDP
from ..models.gridworld import FLOOR, HOLE, ICE, START, WALL, map_lines
from ..numbers.rational import Rational, as_fraction, text
from ..planning import ConstrainedPlan, Plan
from ..policy import Policy
from ..policy.evaluation import behavioural_form, joint_law
from .picture import BLUE, INK, QUIET, Picture, new_figure, short, style

ARROWS = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}
LEAST_SHARE = 0.05  # actions taken less often in a cell get no arrow
MOST_PANELS = 6


@dataclass(frozen=True)
class _Panel:
    """One return so far: the probability of each cell, and of each action there."""

    earned: Fraction
    steps: tuple[int, int]
    visits: dict[int, float]
    taken: dict[tuple[int, int], float]


@style()
def draw_policy_map(
    policy: Policy | Plan | ConstrainedPlan,
    *,
    earned: Sequence[Rational] | None = None,
    threshold: Rational | None = None,
    moves: Sequence[str] | None = None,
    title: str = "Where the policy goes",
) -> Picture:
    r"""Plot the map of the model of a policy, or of a plan's, once for each return so far in ``earned`` (by default the
    likeliest six).

    With a ``threshold`` :math:`\rho` (for CVaR: ``plan.law.quantile(alpha)``) each panel also shows the budget :math:`b
    = \rho - y`.  ``moves`` names the direction of each action; by default it is derived from the transitions.
    """
    rho = None if threshold is None else as_fraction(threshold, "threshold")
    policy = policy if isinstance(policy, Policy) else policy.policy
    mdp = policy.mdp
    lines = map_lines(mdp)
    if moves is None:
        found = moves_of(mdp)
        if not found:
            raise Unsupported(
                f"the transitions of {mdp!r} do not say which way each action goes", instead="moves=[...]"
            )
        moves = [found[a] for a in sorted(found)]
    wrong = [name for name in moves if name not in ARROWS]
    if wrong:
        raise InvalidArgument(f"moves names {wrong[0]!r}, wanted directions among {', '.join(ARROWS)}")
    shown = _panels(mdp, policy, earned)
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    height, width = len(lines), len(lines[0])
    side = min(0.42, 2.9 / width) if columns > 1 else min(0.5, 5.0 / width)
    figure = new_figure(
        columns * max(width * side + 0.25, 2.4 if columns > 1 else 4.0), rows * (height * side + 0.42) + 0.5
    )
    axes = figure.subplots(rows, columns, squeeze=False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=10, fontweight="bold")
    for i, place in enumerate(axes.flat):
        if i >= len(shown):
            place.axis("off")
            continue
        _draw_cells(place, lines)
        _draw_arrows(place, lines, shown[i], moves, side)
        first, last = shown[i].steps
        when = f"step {first + 1}" if first == last else f"steps {first + 1} to {last + 1}"
        left = "" if rho is None else f", budget {short(rho - shown[i].earned)} left"
        place.set_title(f"{when}: earned {short(shown[i].earned)}{left}", fontsize=8.5, fontweight="normal")
    _draw_key(figure, set("".join(lines)))
    return Picture(figure)


def _panels(mdp: MDP, policy: Policy, earned: Sequence[Rational] | None) -> list[_Panel]:
    rule = behavioural_form(mdp, policy)
    settled = {s for s in range(mdp.n_states) if _decides_nothing(mdp, s)}
    found: dict[Fraction, _Panel] = {}
    for t in range(mdp.horizon):
        for (s, y), mass in joint_law(mdp, policy, t).items():
            if s in settled:
                continue
            panel = found.get(y) or _Panel(y, (t, t), {}, {})
            found[y] = panel = _Panel(y, (panel.steps[0], t), panel.visits, panel.taken)
            panel.visits[s] = panel.visits.get(s, 0.0) + float(mass)
            for a, p in rule.choice(t, s, y):
                panel.taken[s, a] = panel.taken.get((s, a), 0.0) + float(mass * p)
    if earned is not None:
        wanted = [as_fraction(y, "earned") for y in earned]
        strange = next((y for y in wanted if y not in found), None)
        if strange is not None:
            met = ", ".join(text(z) for z in sorted(found))
            raise InvalidArgument(f"the policy decides nothing after earning {strange}, wanted one of {met}")
        return [found[y] for y in wanted]
    likeliest = sorted(found.values(), key=lambda panel: -sum(panel.visits.values()))[:MOST_PANELS]
    return sorted(likeliest, key=lambda panel: (panel.steps, panel.earned))


def _decides_nothing(mdp: MDP, s: int) -> bool:
    """Return whether every action stays with the same reward, as in holes and goals."""
    ways = {tuple((target, r) for _, target, r in action.outcomes) for action in mdp.actions(s)}
    return len(ways) == 1 and all(target == s for way in ways for target, _ in way)


def _draw_cells(axes: Any, lines: list[str]) -> None:
    from matplotlib.patches import Circle, Rectangle

    for row, line in enumerate(lines):
        for column, letter in enumerate(line):
            corner = (column - 0.5, row - 0.5)
            if letter == WALL:
                axes.add_patch(Rectangle(corner, 1, 1, facecolor="#bdbdbd", edgecolor="none"))
                continue
            axes.add_patch(Rectangle(corner, 1, 1, facecolor="white", edgecolor="#dddddd", linewidth=0.6))
            if letter == ICE:
                axes.add_patch(
                    Rectangle(corner, 1, 1, facecolor="#e3edf5", edgecolor="#9db8cc", hatch="////", linewidth=0.0)
                )
            elif letter in (HOLE, "H"):
                axes.add_patch(Circle((column, row), 0.32, facecolor=INK, edgecolor="none"))
            elif letter == START:
                axes.add_patch(Circle((column, row), 0.36, facecolor="none", edgecolor=QUIET, linewidth=1.2))
            elif letter not in (FLOOR, "F"):
                axes.text(column, row, letter, ha="center", va="center", fontsize=9, fontweight="bold")
    axes.set(xlim=(-0.5, len(lines[0]) - 0.5), ylim=(len(lines) - 0.5, -0.5), aspect="equal", xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set_visible(False)


def _draw_key(figure: Any, letters: set[str]) -> None:
    """Draw one line below the maps that explains the symbols."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    def dot(marker: str = "o", **look: Any) -> Any:
        return Line2D([], [], marker=marker, color="none", **look)

    signs: list[tuple[bool, str, Any]] = [
        (START in letters, "start", dot(markeredgecolor=QUIET, markersize=8)),
        (ICE in letters, "ice: may slip", Patch(facecolor="#e3edf5", edgecolor="#9db8cc", hatch="////", linewidth=0.0)),
        (bool({HOLE, "H"} & letters), "hole", dot(markerfacecolor=INK, markersize=7)),
        (WALL in letters, "wall", Patch(facecolor="#bdbdbd", edgecolor="none")),
        (True, "move", dot(marker=r"$\rightarrow$", markerfacecolor=BLUE, markeredgecolor=BLUE, markersize=11)),
    ]
    shown = [(sign, name) for present, name, sign in signs if present]
    spacing = {"fontsize": 8, "handletextpad": 0.4, "columnspacing": 1.2, "handlelength": 1.4}
    figure.legend(*zip(*shown, strict=True), loc="outside lower left", ncols=len(shown), **spacing)


def _draw_arrows(axes: Any, lines: list[str], panel: _Panel, moves: Sequence[str], side: float) -> None:
    cells = [(column, row) for row, line in enumerate(lines) for column, letter in enumerate(line) if letter != WALL]
    for (s, a), mass in sorted(panel.taken.items()):
        share = mass / panel.visits[s]
        if share < LEAST_SHARE or a >= len(moves):
            continue
        (x, y), (dx, dy) = cells[s], ARROWS[moves[a]]
        reach = 0.38 * (0.5 + 0.5 * share)
        strength = 0.3 + 0.7 * min(1.0, panel.visits[s]) ** 0.5
        width = (0.8 + 1.6 * min(1.0, panel.visits[s])) * side / 0.4
        arrow = {"arrowstyle": "-|>", "color": BLUE, "linewidth": width, "mutation_scale": 26 * side}
        arrow |= {"alpha": strength, "shrinkA": 0, "shrinkB": 0}
        tip, tail = (x + dx * reach, y + dy * reach), (x - dx * reach, y - dy * reach)
        axes.annotate("", tip, xytext=tail, arrowprops=arrow)
