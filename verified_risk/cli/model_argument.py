"""The source of a model on the command line, the options for reading it, and output files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InvalidArgument, InvalidFile
from ..files import read_text
from .terminal import working

if TYPE_CHECKING:
    from ..mdp import MDP

PICTURES = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}
"""Suffixes of pictures, and bytes near the beginning of such files."""
SEEN = 4096
"""Bytes of a file to inspect: before it is replaced, and of a CSV for its columns."""
STORM = (".drn", ".prism", ".nm", ".pm", ".sm", ".jani")
MODEL_HELP = (
    "MODEL is a name (see `models`), a saved .json, a .csv, "
    "a .drn/.prism/.nm/.pm/.jani file, or gym:ID (gym:FrozenLake-v1?map_name=8x8)."
)


@dataclass(frozen=True)
class ModelSource:
    """The argument MODEL and the options beside it."""

    model: str
    horizon: int | None = None
    initial: int | None = None
    index_base: int | None = None
    rewards: str | None = None
    constants: str | None = None
    discount: str | None = None

    def read(self) -> MDP:
        """Read the model; on a terminal, show a line meanwhile."""
        by_storm = Path(self.model).suffix.lower() in STORM  # Storm blocks everything else: show the line first
        if Path(self.model).suffix.lower() in (*STORM, ".csv") and not os.path.exists(self.model):
            raise InvalidArgument(f"there is no file {self.model}: check the path")
        with working(f"reading {self.model}", at_once=by_storm):
            found = self._read()
        return found if self.discount is None else found.with_discount(self.discount)

    def _read(self) -> MDP:
        from .. import models
        from ..mdp import MDP

        suffix = Path(self.model).suffix.lower()
        if self.model.startswith("gym:"):
            self._refuse("a gymnasium environment", "index_base", "rewards", "constants")
            name, options = _environment(self.model.removeprefix("gym:"))
            return MDP.from_gymnasium(name, horizon=self.horizon, initial=self.initial, options=options)
        if suffix == ".csv":
            self._refuse("a CSV", "rewards", "constants")
            base = self.index_base or 0
            start = base if self.initial is None else self.initial
            with readable(self.model):
                return MDP.from_csv(self.model, initial=start, horizon=self._steps(), index_base=base)
        if suffix in STORM:
            self._refuse("this file", "index_base")
            return MDP.from_storm(
                self.model, horizon=self.horizon, rewards=self.rewards, constants=self.constants, initial=self.initial
            )
        self._refuse("a named or saved model", "initial", "index_base", "rewards", "constants")
        if suffix == ".json" or os.path.exists(self.model):
            with readable(self.model):
                loaded = MDP.load(self.model)
        elif self.model in models.NAMES:
            loaded = models.load(self.model)
        else:
            raise InvalidArgument(_no_such_model(self.model, list(models.NAMES)))
        return loaded if self.horizon is None else loaded.with_horizon(self.horizon)

    def _steps(self) -> int | None:
        """Return the caller's horizon; a CSV may have a column of steps instead."""
        if self.horizon is None and "idstep" not in read_text(self.model, "utf-8-sig", SEEN).partition("\n")[0]:
            raise InvalidArgument(f"{self.model} does not say how many steps to play: add --horizon N")
        return self.horizon

    def _refuse(self, what: str, *options: str) -> None:
        for name in options:
            if getattr(self, name) is not None:
                flag = "--" + name.replace("_", "-")
                raise InvalidArgument(f"{flag} means nothing for {what} ({self.model}): leave it out")


def _environment(text: str) -> tuple[str, dict[str, object]]:
    """Split ``FrozenLake-v1?map_name=8x8&is_slippery=false`` into an id and the options of ``gymnasium.make``."""
    name, _, query = text.partition("?")
    options: dict[str, object] = {}
    for part in filter(None, query.split("&")):
        key, equals, value = part.partition("=")
        if not equals or not key:
            raise InvalidArgument(f"gym:{text} has the option {part!r}, wanted name=value")
        options[key] = _value(value)
    return name, options


def _value(text: str) -> object:
    """Return the bool or number that the text is in JSON, otherwise the text."""
    try:
        return json.loads(text.lower())
    except ValueError:
        return text


def _no_such_model(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    if os.sep in name or "." in name:
        return f"there is no file {name}: check the path; it should end in .json, .csv, {', '.join(STORM)}"
    close = get_close_matches(name, known, n=2, cutoff=0.5)
    guess = f"did you mean {' or '.join(close)}? " if close else ""
    return f"no model is named {name!r}: {guess}named models are {', '.join(known)}; a file needs its suffix"


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument MODEL and the options for some sources, passed on as one :class:`ModelSource`."""

    @wraps(command)
    def with_source(**given: Any) -> Any:
        source = ModelSource(**{one.name: given.pop(one.name) for one in fields(ModelSource)})
        return command(source=source, **given)

    with_source.__doc__ = f"{command.__doc__}\n\n    {MODEL_HELP}\n    "
    decorated: Callable[..., Any] = with_source
    for decorate in (
        click.option("--discount", metavar="G", help="Step t counts G**t, 0 < G <= 1; default: the model's own, or 1."),
        click.option("--constants", metavar="N=3,p=1/2", help="Undefined constants of a PRISM or JANI file."),
        click.option("--rewards", metavar="NAME", help="Reward model of a DRN, PRISM or JANI file with several."),
        click.option("--index-base", type=int, help="Least index in a CSV, 0 or 1; default: 0."),
        click.option("--initial", type=int, metavar="STATE", help="Initial state, as numbered in the file."),
        click.option(
            "--horizon",
            type=int,
            metavar="N",
            help="Steps; needed for CSV without idstep and for endless files; default for gym: its time limit.",
        ),
        click.argument("model", shell_complete=_complete_model),
    ):
        decorated = decorate(decorated)
    return decorated


def _complete_model(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """Complete MODEL with the named models and with files."""
    from click.shell_completion import CompletionItem

    from .. import models

    named = [CompletionItem(name) for name in models.NAMES if name.startswith(incomplete)]
    return named or [CompletionItem(incomplete, type="file")]


@contextmanager
def readable(path: str | Path) -> Iterator[None]:
    """Report a file that is not text as an error about the file, not about an encoding."""
    try:
        yield
    except UnicodeDecodeError as error:
        at = f"at byte {error.start + 1}"
        raise InvalidFile(f"{path} is not a text file ({at}), wanted one that this program or you wrote") from None


def save_option(words: str, name: str = "--save", *, sign: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add an option for an output file, validated before the work begins; ``sign`` occurs in files of its kind."""

    def writable(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
        if path is None:
            return None
        known = sign.encode()
        if name == "--plot":
            if path.suffix.lower() not in PICTURES:
                raise InvalidArgument(f"--plot {path}: wanted a name that ends in {', '.join(PICTURES)}")
            known = PICTURES[path.suffix.lower()]
        check_writable(path, name, known)
        return path

    return click.option(
        name, type=click.Path(dir_okay=False, path_type=Path), default=None, help=words, callback=writable
    )


def check_writable(path: Path, option: str, sign: bytes) -> None:
    """Raise if a file's folder is missing or not writable, or if the file holds something else."""
    folder = path.parent
    if path.is_dir():
        raise InvalidArgument(f"{option} {path}: this is a folder, wanted a file")
    if not folder.is_dir():
        raise InvalidArgument(f"{option} {path}: there is no folder {folder}: create it first")
    if not os.access(folder, os.W_OK):
        raise InvalidArgument(f"{option} {path}: the folder {folder} may not be written: choose another")
    if path.exists() and not path.is_file():
        raise InvalidArgument(f"{option} {path}: this is a device or a pipe, wanted a file")
    if path.exists():
        with path.open("rb") as file:
            head = file.read(SEEN)
        if head and sign not in head:
            raise InvalidArgument(
                f"{option} {path}: this file holds something else, which would be lost: choose another or delete it"
            )
