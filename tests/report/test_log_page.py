"""The page of an answer from logged episodes says what the answer says, and escapes what the log says."""

import json
import re
from html import unescape
from types import SimpleNamespace

import mpmath
import pytest
from click.testing import CliRunner
from documented import ROOT

import verified_risk as vr
from verified_risk.cli import main
from verified_risk.numbers.format import at_least, at_most
from verified_risk.plotting.page.log import _compared, draw_law_band

WARD = [str(ROOT / "docs/examples/ward.csv"), "--rewards", "-20,-3,-1,10", "--terminal", "home,dead"]


def tables(page: str) -> list[list[list[str]]]:
    """The cells of every table, without their headings."""
    rows = [re.findall("<tr>(.*?)</tr>", table)[1:] for table in re.findall("<table.*?</table>", page, re.S)]
    return [[[unescape(cell) for cell in re.findall("<td[^>]*>(.*?)</td>", row)] for row in table] for table in rows]


def written(folder, words) -> tuple[str, dict]:
    done = CliRunner().invoke(main, ["from-log", *words, "--report", str(folder / "page.html"), "--json"])
    return (folder / "page.html").read_text("utf-8"), json.loads(done.output)


def test_the_page_says_what_the_answer_says(tmp_path):
    page, answer = written(tmp_path, [*WARD, "--objective", "cvar(1/2)", "--horizon", "3"])
    log = vr.Log.from_csv(WARD[0], terminal=["home", "dead"])
    found = vr.plan_from_log(log, "cvar(1/2)", rewards=[-20, -3, -1, 10], horizon=3)
    own = vr.evaluate_from_log(log, "behaviour", "cvar(1/2)", rewards=[-20, -3, -1, 10], horizon=3)
    assert (at_least(found.lower), at_most(found.interval.upper)) == tuple(
        re.search(f'<b class="{end}">(.*?)</b>', page)[1] for end in ("lower", "upper")
    )
    assert f"is worth {own.interval} with probability 19/20" in page
    assert answer["behaviour"] is not None
    policy, thin = tables(page)
    assert {row[0]: row[1] for row in policy} == {str(s): str(a) for s, a in found.policy.rule().items()}
    assert [tuple(row[:3]) for row in thin] == [(x.state, x.action, str(x.visits)) for x in found.thin]
    assert all(line in unescape(page) for line in (*found.assumptions, *found.notes, own.assumptions[0]))
    assert "With probability at least <b>19/20</b>" in page
    assert "hold at once with probability at least 9/10" in page
    assert page.count("<figure><svg") == 2
    assert not re.search(r'(src|href)="(?!#|data:)', page)


def test_a_behaviour_whose_returns_are_cut_off_is_said_to_be_unknown(tmp_path):
    page, answer = written(tmp_path, WARD)
    assert "What the behaviour is worth is not known" in page
    assert "line 17: the episode is cut off before step 8" in page
    assert answer["behaviour"] is None
    assert page.count("<figure><svg") == 1


@pytest.mark.parametrize(
    ("lower", "said"), [(1, "does not show"), (3, "may be better"), (4, "So the policy is better")]
)
def test_the_comparison_says_no_more_than_the_intervals(lower, said):
    assert said in _compared(SimpleNamespace(lower=lower), SimpleNamespace(interval=(1, 3), delta=0))


def test_names_of_the_log_are_escaped(tmp_path):
    (tmp_path / "log.csv").write_text("episode,state,action,reward\n" + "".join(f"{k},<b>&,<i>,1\n" for k in range(50)))
    page, _ = written(tmp_path, [str(tmp_path / "log.csv"), "--rewards", "0,1", "--horizon", "1"])
    assert "<b>&" not in page
    assert tables(page)[0] == [["<b>&", "<i>"]]


@pytest.mark.parametrize("n", [20, 500])
def test_the_band_around_the_law_is_that_of_massart(n):
    log = vr.Log.from_arrays(
        episode=range(n), state=["s"] * n, action=[0] * n, reward=[k % 2 for k in range(n)], terminated=[1] * n
    )
    own = vr.evaluate_from_log(log, "behaviour", "mean", rewards=[0, 1])
    (area,) = draw_law_band(log.returns(1), own).figure.axes[0].collections
    heights = area.get_paths()[0].vertices[:, 1]
    wide = mpmath.sqrt(mpmath.log(40) / (2 * n))
    assert {round(h, 9) for h in heights} == {
        round(float(h), 9) for h in (0, wide, 0.5 - wide, 0.5 + wide, 1 - wide, 1)
    }
