"""Faults of what writes certificates for the table of :mod:`weakenings`: name, file, old text, new text, tests that
must notice."""

from __future__ import annotations

LIMITS = "tests/proving/test_prove_limits.py::"
BOXES = "verified_risk/proving/boxes.py"

PROVING = (
    (
        "the search for a cover does not look at the clock",
        BOXES,
        "        self.clock.require()\n",
        "",
        (LIMITS + "test_a_search_that_runs_out_of_time_says_what_its_boxes_would_prove",),
    ),
    (
        "the search for a cover goes on although a policy exceeds the bound",
        BOXES,
        "            self.hopeless = True\n",
        "            pass\n",
        (LIMITS + "test_a_bound_that_a_policy_exceeds_is_refused_at_once",),
    ),
    (
        "the checker may compute for ever",
        "verified_risk/proving/program.py",
        "timeout=seconds)",
        "timeout=None)",
        (LIMITS + "test_a_checker_that_does_not_answer_is_stopped",),
    ),
    (
        "values behind the last return are searched for like any other",
        "verified_risk/proving/relaxed.py",
        "self.free = slice(int(ends[0][met].min()), int(ends[1][met].max()))",
        "self.free = slice(0, oracle.top)",
        (LIMITS + "test_covers_of_curves_are_short",),
    ),
)
