"""``verified-risk from-log``: a policy from logged episodes, with what is guaranteed for it."""

from pathlib import Path
from typing import Any

import click

from ..errors import InvalidArgument
from .model_argument import save_option
from .plan import OBJECTIVE_HELP
from .terminal import Column, Screen, emit_json, json_option, path_text


@click.command("from-log", short_help="Plan from logged episodes, with a guarantee.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--objective", "text", default="cvar(1/4)", show_default=True, help=OBJECTIVE_HELP)
@click.option("--rewards", metavar="LIST", default=None, help="All rewards that a step can pay, such as -10,0,1.")
@click.option("--horizon", type=click.IntRange(min=1), metavar="N", default=None,
              help="Steps whose rewards are added up.  [default: those of the longest episode]")  # fmt: skip
@click.option("--terminal", metavar="LIST", default="", help="States that end an episode, such as home,dead.")
@click.option("--states", metavar="LIST", default=None, help="All states.  [default: those of the log]")
@click.option("--initial", metavar="STATE", default=None, help="Where episodes begin.  [default: estimated]")
@click.option("--column", "columns", metavar="ROLE=NAME", multiple=True,
              help="A column called otherwise, such as episode=patient.")  # fmt: skip
@click.option("--delta", default="1/20", show_default=True, help="The guarantee may fail with this probability.")
@click.option("--sets", type=click.Choice(["ball", "kl"]), default=None, help="The kind of confidence sets.")
@click.option(
    "--replay/--no-replay", default=None, help="Run a policy of the first half on the second.  [default: yes]"
)
@click.option("--behaviour", is_flag=True, help="Bound what the policy that collected the log is worth, too.")
@save_option("Write the policy as JSON.", sign="verified_risk/black-box-policy")
@save_option("Write a page: guarantee, behaviour, policy, thin pairs, assumptions.", "--report", sign="<!doctype html>")
@json_option
def from_log(
    file: Path, text: str, rewards: str | None, horizon: int | None, terminal: str, states: str | None,
    initial: str | None, columns: tuple[str, ...], delta: str, sets: str | None, replay: bool | None, behaviour: bool,
    save: Path | None, report: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Find a policy in the episodes of FILE; say what it is worth at least, and the best policy at most.

    FILE is a CSV table with the columns episode, state, action, reward and, if there are such, next_state, terminated
    and step.
    """
    import verified_risk as vr

    named = {role: name for role, _, name in (part.partition("=") for part in columns)}
    log = vr.Log.from_csv(file, terminal=_listed(terminal), **named)
    whole = all(isinstance(x, int) for x in log.states)

    def read(x: str) -> Any:
        if whole and not x.lstrip("-").isdecimal():
            raise InvalidArgument(f"the state is {x!r}, wanted a whole number as in {file}")
        return int(x) if whole else x

    facts: dict[str, Any] = {"rewards": None if rewards is None else _listed(rewards), "horizon": horizon}
    facts |= {"states": None if states is None else [read(x) for x in _listed(states)]}
    facts |= {"initial": None if initial is None else read(initial)}
    facts = {key: value for key, value in facts.items() if value is not None}
    found = vr.plan_from_log(log, text, delta=delta, sets=sets, replay=replay, **facts)
    own, why = None, ""
    if behaviour or report is not None:
        try:
            own = vr.evaluate_from_log(log, "behaviour", text, delta=delta, **facts)
        except InvalidArgument as error:
            if behaviour:
                raise
            why = str(error)
    if report is not None:
        from ..plotting.page.log import write_log_page

        write_log_page(found, own or why, log, report)
    if save is not None and found.policy is not None:
        found.policy.save(save)
    if as_json:
        more = {
            "behaviour": None if own is None else own.to_json(),
            "saved": path_text(save),
            "report": path_text(report),
        }
        emit_json({**found.to_json(), **more, "together": str(1 - log.budget.spent)})
        return
    screen = Screen()
    for line in str(found).splitlines():
        screen.paragraph(line.strip(), indent=0 if line[0] != " " else 2)
    if own is not None:
        screen.paragraph(f"the behaviour is worth {own.interval} with probability {1 - own.delta}")
        screen.paragraph(f"assumed: {own.assumptions[0]}")
        screen.paragraph(f"both at once with probability {1 - log.budget.spent}")
    if found.policy is not None:
        rule = found.policy.rule().items()
        screen.table([Column("state"), Column("first action")], [[str(s), str(a)] for s, a in rule])
    for thin in found.thin:
        screen.field("thin", str(thin))
    screen.written("saved", save)
    screen.written("report", report)


def _listed(words: str) -> list[str]:
    return [x.strip() for x in words.split(",") if x.strip()]


COMMANDS = (from_log,)
