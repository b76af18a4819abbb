"""A case in words and small tables, as HTML and as text, for checking by hand.

States are numbered as in the file, steps from 1 as in the paper; actions 0, 1, 2 are called a, b, c.
"""

import re
from collections.abc import Iterable
from fractions import Fraction
from html import escape, unescape
from itertools import zip_longest
from typing import Any

from . import codec

NAMES = {
    "mdp": "model",
    "other": "other model",
    "tau": "level τ",
    "eta": "grid η",
    "eps": "radius ε",
    "alpha": "level α",
    "delta": "confidence δ",
    "horizon": "T",
    "top": "M",
}
COUNTS = ("no", "one", "two", "three", "four", "five", "six")


def text(case: Any) -> str:
    """The case as lines of text, models and policies as tables; its repr if it has no JSON form."""
    try:
        html = value_html(codec.encode(case))
    except TypeError:
        return repr(case)
    for table in re.findall(r"<table>.*?</table>", html):
        rows = [re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row) for row in re.findall(r"<tr>(.*?)</tr>", table)]
        widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        html = html.replace(table, "".join(f"<p>  {line}</p>" for line in lines), 1)
    html = re.sub(r"<dt>(.*?)</dt>", r"<p>\1: ", html)
    lines = [re.sub(r"<.*?>", "", line).rstrip() for line in re.split(r"</?(?:p|li)>|</dd>", html)]
    return unescape("\n".join(line for line in lines if line))


def instance_html(instance: dict[str, Any]) -> str:
    """Every field of the instance as a row."""
    own = {"tau": "step τ"} if "rule" in instance else {}  # a step in an adaptation, a level elsewhere
    rows = "".join(
        f"<dt>{escape(own.get(key) or name_of(key))}</dt><dd>{value_html(value)}</dd>"
        for key, value in instance.items()
    )
    return f'<dl class="instance">{rows}</dl>'


def name_of(key: str) -> str:
    """The displayed name of a field."""
    return NAMES.get(key, key.replace("_", " "))


def value_html(value: Any) -> str:
    """One value: models, laws and policies in words, anything else by its structure."""
    if isinstance(value, dict):
        return _dict_html(value)
    if isinstance(value, list):
        return _list_html(value)
    if value is None:
        return "none"
    return escape(number(value))


def _dict_html(value: dict[str, Any]) -> str:
    keys = set(value)
    if {"horizon", "initial", "states"} <= keys:
        return model_html(value)
    if keys == {"atoms", "masses"}:
        return escape(law_words(value))
    if "kind" in keys:
        return policy_html(value)
    if keys == {"corners"}:
        return function_html(value["corners"])
    if keys == {"rows"}:
        return rule_html(value["rows"])
    return instance_html(value)


def _list_html(value: list[Any]) -> str:
    if not value:
        return "none"
    if all(not isinstance(entry, (dict, list)) for entry in value):
        return escape("(" + ", ".join(number(entry) for entry in value) + ")")
    if all(isinstance(entry, dict) and set(entry) == {"atoms", "masses"} for entry in value):
        return "; ".join(escape(law_words(entry)) for entry in value)
    if all(isinstance(entry, list) and not any(isinstance(x, (dict, list)) for x in entry) for entry in value):
        return escape(", ".join("(" + ", ".join(number(x) for x in entry) + ")" for entry in value))
    return "<ol>" + "".join(f"<li>{value_html(entry)}</li>" for entry in value) + "</ol>"


def model_html(model: dict[str, Any]) -> str:
    """One row for each state and action: where it leads and what it pays."""
    states = model["states"]
    choices = sorted({len(actions) for actions in states})
    several = "s" if choices[-1] > 1 else ""
    actions = f"{count(choices[-1])} action{several}" if len(choices) == 1 else f"up to {choices[-1]} actions"
    size = f"{count(len(states))} state{'s' * (len(states) > 1)}, {actions}, T = {model['horizon']}"
    discount = "" if model.get("discount", "1") == "1" else f", discount {model['discount']}"
    start = lottery([(s, p) for s, p in model["initial"]], str)
    begin = "" if len(states) == 1 else f"; starts in {start}"
    rows = []
    for s, entries in enumerate(states):
        for a, entry in enumerate(entries):
            where = "" if len(states) == 1 else f"<td>{s}</td>"
            rows.append(f"<tr>{where}<td>{letter(a)}</td>{_action_cells(entry, len(states) > 1)}</tr>")
    head = ("<th>state</th>" if len(states) > 1 else "") + "<th>action</th><th>pays</th>"
    head += "<th>leads to</th>" if len(states) > 1 else ""
    return f"<p>{escape(size + discount + begin)}</p><table><tr>{head}</tr>{''.join(rows)}</table>"


def _action_cells(entry: dict[str, Any], several_states: bool) -> str:
    if "outcomes" in entry:
        ways = "; ".join(f"{number(r)} and on to {s} with {number(p)}" for p, s, r in entry["outcomes"])
        return f'<td colspan="2">{escape(ways)}</td>'
    pays = escape(law_words(entry["reward"])) if "atoms" in entry["reward"] else escape(str(entry["reward"]))
    leads = escape(lottery([(s, p) for s, p in entry["next"]], str))
    return f"<td>{pays}</td>" + (f"<td>{leads}</td>" if several_states else "")


def function_html(corners: list[dict[str, Any]]) -> str:
    """A function that is linear between its corners."""
    names = {"at": "x", "left": "F(x−)", "value": "F(x)", "right": "F(x+)"}
    head = "".join(f"<th>{name}</th>" for name in names.values())
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(number(corner[key]))}</td>' for key in names)}</tr>" for corner in corners
    )
    return f"<table><tr>{head}</tr>{rows}</table><p>linear between, constant outside</p>"


def rule_html(rows: list[list[Any]]) -> str:
    """A rule for every real y: its entries; elsewhere it plays a."""
    lines = "".join(
        f"<tr><td>step {t + 1}, state {s}, earned {number(y)}</td>"
        f"<td>{escape(lottery([(a, p) for a, p in enumerate(chances) if Fraction(p)], letter))}</td></tr>"
        for t, s, y, chances in rows
    )
    return f"<table><tr><th>when</th><th>plays</th></tr>{lines}<tr><td>otherwise</td><td>a</td></tr></table>"


def policy_html(policy: dict[str, Any]) -> str:
    """A table of the actions played."""
    kind = policy["kind"]
    if kind == "markov":
        steps = policy["table"]
        rows: Iterable[tuple[str, Any]] = (
            (f"step {t + 1}" + (f", state {s}" if len(row) > 1 else ""), choice)
            for t, row in enumerate(steps)
            for s, choice in enumerate(row)
        )
    elif kind in ("return", "grid"):
        unit = "" if kind == "return" else f" times {policy['eta']}, rounded up"
        states = {s for _, s, _, _ in policy["rows"]}
        rows = (
            (f"step {t + 1}" + (f", state {s}" if len(states) > 1 else "") + f", earned {y}{unit}", choice)
            for t, s, y, choice in policy["rows"]
        )
    elif kind == "history":
        rows = ((_history_words(history), choice) for history, choice in policy["rows"])
    elif kind == "mixture":
        parts = "".join(f"<li>with {number(w)}: {policy_html(part)}</li>" for w, part in policy["parts"])
        return f"<ul>{parts}</ul>"
    else:
        return instance_html({key: entry for key, entry in policy.items() if key != "kind"})
    lines = "".join(f"<tr><td>{escape(when)}</td><td>{escape(choice_words(c))}</td></tr>" for when, c in rows)
    return f"<table><tr><th>when</th><th>plays</th></tr>{lines}</table>"


def _history_words(history: list[Any]) -> str:
    *past, state = history
    if not past:
        return f"at the start, in state {state}" if state else "at the start"
    seen = ", then ".join(f"{letter(a)} paid {number(r)}" for _, a, r in past)
    return f"after {seen}" + (f", in state {state}" if any(s for s, *_ in past) or state else "")


def choice_words(choice: Any) -> str:
    """An action, or a lottery over actions."""
    if isinstance(choice, dict):
        return lottery(list(choice.items()), lambda a: letter(int(a)))
    return letter(int(choice))


def law_words(law: dict[str, Any]) -> str:
    """``0 with 1/2, 2 with 1/2``."""
    return lottery(list(zip(law["atoms"], law["masses"], strict=True)), number)


def lottery(pairs: list[tuple[Any, Any]], name: Any) -> str:
    if len(pairs) == 1:
        return str(name(pairs[0][0]))
    return ", ".join(f"{name(x)} with {number(p)}" for x, p in pairs)


def letter(action: int) -> str:
    """Actions 0, 1, 2 are a, b, c."""
    return "abcdefghijklmnopqrstuvwxyz"[action] if action < 26 else f"action {action}"


def count(n: int) -> str:
    return COUNTS[n] if n < len(COUNTS) else str(n)


def number(value: Any) -> str:
    """A rational, with its decimal if the fraction is long; text unchanged."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float, Fraction)):
        return str(value)
    try:
        exact = Fraction(value) if not isinstance(value, float) else None
    except (ValueError, ZeroDivisionError):
        return str(value)
    if exact is None:
        return f"{value:.6g}"
    if exact.denominator == 1 or exact.denominator <= 100:
        return str(exact)
    return f"{exact} ≈ {float(exact):.6g}" if len(str(exact)) <= 24 else f"≈ {float(exact):.6g}"
