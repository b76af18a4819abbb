"""``verified-risk plan`` and ``evaluate``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InvalidArgument, NotProved, Unsupported
from ..files import kind_of
from ..numbers.format import above, json_law, json_number, number, span
from .model_argument import ModelSource, model_options, readable, save_option
from .terminal import Screen, emit_json, json_option, path_text, print_law, working

if TYPE_CHECKING:
    from ..mdp import MDP
    from ..objectives import Weighting
    from ..planning import ConstrainedPlan, Plan
    from ..policy import Policy

OBJECTIVE_HELP = (
    'mean, "cvar(a)", "var(a)", "var(a, upper)", "wang(b)", "cpw(g)", "hazard(k)", "dual(k)", "erm(b)", "evar(a)", '
    '"pl(0, 0; t, g; ...; 1, 1)", or a weighted sum, "0.5*mean + 0.5*cvar(1/10)".'
)


@click.command(short_help="A policy with certified bounds, and what it does.")
@model_options
@click.option("--objective", "text", default="cvar(1/4)", show_default=True, help=OBJECTIVE_HELP)
@click.option("--eta", default=None, help="Grid on which the return is tracked; default: the rewards' own grid.")
@click.option("--gap", default=None, help="Stop when upper - lower is at most this.")
@click.option("--time-limit", type=float, default=None, help="Stop after this many seconds; --prove has as many again.")
@click.option("--then", default="auto", help="Of policies as good, prefer one better for this; auto, or none.")
@click.option("--subject-to", multiple=True, help='Repeatable: a bound to keep to, "cvar(1/10) >= -5".')
@click.option("--exact", is_flag=True, help="Exact integer arithmetic.")
@click.option("--prove", "proving", is_flag=True, help="Have the bounds confirmed by the verified checker as well.")
@save_option("Write the plan as JSON; `evaluate`, `recheck` and `prove` read it.", sign="verified_risk/plan")
@save_option("Draw the law of the return here (.svg, .png, .pdf).", "--plot", sign="")
@json_option
def plan(
    source: ModelSource, text: str, then: str, subject_to: tuple[str, ...], exact: bool, proving: bool,
    save: Path | None, plot: Path | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Plan a policy for MODEL with certified bounds, and say what it does."""
    import verified_risk as vr

    time_limit = options["time_limit"]
    given = {
        "--eta": options["eta"],
        "--gap": options["gap"],
        "--then": None if then == "auto" else then,
        "--subject-to": subject_to or None,
    }
    unused = [name for name, value in given.items() if value is not None]
    if exact and unused:
        raise InvalidArgument(f"--exact has no error: leave out {' and '.join(unused)}, or --exact")
    weighting = vr.objective(text)
    mdp = source.read()
    if subject_to:
        others = {"--then": given["--then"], "--prove": proving or None, "--save": save, "--plot": plot}
        extra = next((name for name, value in others.items() if value is not None), None)
        if extra is not None:
            raise InvalidArgument(f"{extra} has no form for plans with constraints: leave it out, or --subject-to")
        with working("planning"):
            bounded = vr.plan(mdp, weighting, subject_to=subject_to, **options)
        _show_constrained(bounded, as_json)
        return
    with working("planning") as note:
        if exact:
            answer = _exactly(mdp, weighting, time_limit)
        else:
            report = None if note is None else lambda now: note(now.bounds)
            answer = vr.plan(mdp, weighting, then=None if then == "none" else then, progress=report, **options)
        if save is not None:
            answer.save(save)
        if plot is not None:
            answer.plot().save(plot)
        refused = _refusal(answer, time_limit) if proving else None
        shown = _plan_json(answer, save) if as_json else None
    if shown is not None:
        emit_json({**shown, "not_proved": refused} if refused else shown)
    else:
        _print_plan(answer, save, refused)
    if refused:
        sys.exit(1)


def _show_constrained(answer: ConstrainedPlan, as_json: bool) -> None:
    if not as_json:
        screen = Screen()
        screen.line(str(answer))
        print_policy(screen, answer.policy)
        print_law(screen, answer.law)
        return
    met = {str(c): {"missed": json_number(x)} for c, x in zip(answer.constraints, answer.missed, strict=True)}
    numbers = {name: json_number(getattr(answer, name)) for name in ("lower", "upper", "gap", "eta", "law_error")}
    named = {"objective": answer.objective.spec, "model": repr(answer.mdp), **numbers, "constraints": met}
    emit_json({**named, "policy": _policy_json(answer.policy), "law": json_law(answer.law)})


def _refusal(answer: Plan, time_limit: float | None) -> str | None:
    """Prove the plan; return the reason if that fails."""
    try:
        answer.prove(time_limit=time_limit)
    except (NotProved, Unsupported) as error:
        return str(error)
    return None


def _exactly(mdp: MDP, weighting: Weighting, time_limit: float | None) -> Plan:
    """Return the exact plan; if there is none, raise with the alternative in terms of the command line."""
    import verified_risk as vr

    try:
        return vr.exact_plan(mdp, weighting, time_limit=time_limit)
    except Unsupported as error:
        raise Unsupported(f"--exact does not work here, {error.why}: leave out --exact") from None


def _plan_json(answer: Plan, save: Path | None) -> dict[str, Any]:
    numbers = {name: json_number(getattr(answer, name)) for name in ("value", "lower", "upper", "gap", "eta")}
    sources = {source: json_number(amount) for source, amount in answer.certificate.contributions}
    return {
        "objective": answer.objective.spec,
        "model": repr(answer.mdp),
        **numbers,
        "proved": None if answer.proved is None else answer.proved.to_json(),
        "because": {"method": answer.certificate.method, "contributions": sources},
        "policy": _policy_json(answer.policy),
        "law": None if answer.law is None else json_law(answer.law),
        "law_error": None if answer.law_error is None else json_number(answer.law_error),
        "saved": path_text(save),
    }


def _policy_json(policy: Policy) -> dict[str, Any]:
    from ..describe import accounts

    draw, parts = accounts(policy)
    return {"draw": draw or None, "parts": [part.to_json() for part in parts]}


def _print_plan(answer: Plan, save: Path | None, refused: str | None) -> None:
    screen = Screen()
    screen.field("objective", f"{answer.objective.spec} of the return")
    _print_model(screen, answer.mdp)
    screen.field("value", answer.value_words, "bold green")
    if answer.gap == 0:
        screen.field("certified", "no policy is better: the bounds meet exactly")
    else:
        screen.field("certified", span(answer.lower, answer.upper))
    if answer.proved is not None:
        screen.field("proved", answer.proved.how, "bold green")
    elif refused:
        screen.field("proved", f"NO: {refused}", "bold red")
    screen.field("because", answer.certificate.method)
    width = max((len(source) for source, _ in answer.certificate.contributions), default=0)
    for source, amount in answer.certificate.contributions:
        screen.field("", f"{source:<{width}}  {above(amount)}")
    print_policy(screen, answer.policy)
    if answer.law is None:
        screen.field("return", answer.why_no_law)
    else:
        print_law(screen, answer.law)
    if answer.law_error:
        screen.line(f"  in float64: the CDF is off by at most {above(answer.law_error)}", "dim")
    screen.written("saved", save)


def _print_model(screen: Screen, mdp: MDP) -> None:
    """Print the model's size, and the meaning of its states, letters and actions."""
    from ..describe import legend

    screen.field("model", repr(mdp))
    for line in legend(mdp):
        screen.field("", line)


def print_policy(screen: Screen, policy: Policy) -> None:
    """Describe the policy: maps side by side if the model has a map, sentences for the rest."""
    from ..describe import accounts, side_by_side

    draw, parts = accounts(policy)
    mapped = any(part.maps for part in parts)
    screen.field("policy", draw or ("where it goes" if mapped else "what it plays, by state"))
    for part in parts:
        indent = 4 if part.name else 2
        if part.name:
            screen.line(f"  {part.name}:", "bold")
        for line in side_by_side(policy.mdp, part.maps, screen.width):
            screen.line(f"{' ' * indent}{line}".rstrip())
        for line in (*part.preface, *part.sentences):
            screen.paragraph(line, indent)
        for line in part.left_out:
            screen.paragraph(f"… left out: {line}", indent, "dim")


@click.command(short_help="The exact law of a saved policy or plan.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--objective", "texts", multiple=True, help=f"Repeatable. Default: the plan's, else cvar(1/4). {OBJECTIVE_HELP}"
)
@json_option
def evaluate(file: Path, texts: tuple[str, ...], as_json: bool) -> None:
    """Evaluate the policy in FILE (a saved policy or plan) exactly in its model, and say what it does."""
    import verified_risk as vr

    asked = [vr.objective(text) for text in texts]
    with working(f"evaluating {file}"), readable(file):
        if kind_of(file) == "plan":
            held = vr.Plan.load(file)
            policy, own = held.policy, held.objective
        else:
            policy, own = vr.Policy.load(file), vr.objective("cvar(1/4)")
        law = vr.return_law(policy.mdp, policy)
        values = [(weighting, weighting.of(law)) for weighting in asked or [own]]
    weighting, value = values[0]
    if as_json:
        emit_json(
            {
                "objective": weighting.spec,
                "model": repr(policy.mdp),
                "value": json_number(value),
                "values": {each.spec: json_number(x) for each, x in values},
                "policy": _policy_json(policy),
                "law": json_law(law),
            }
        )
        return
    screen = Screen()
    screen.field("objective", f"{', '.join(each.spec for each, _ in values)} of the return")
    _print_model(screen, policy.mdp)
    for each, x in values:
        named = f"{each.spec} is " if len(values) > 1 else ""
        screen.field("value", f"{named}{number(x)}, evaluated exactly", "bold green")
    print_policy(screen, policy)
    print_law(screen, law)


COMMANDS = (plan, evaluate)
