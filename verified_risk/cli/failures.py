"""Error handling: one line on the standard error, and an exit code for the kind of error."""

import _thread
import errno
import os
import shutil
import signal
import sys
import textwrap
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from ..errors import VerifiedRiskError

BAD_INPUT, BUG, STOPPED, UNHEARD = 2, 3, 130, 141
LONGEST_LINE = 1000  # maximum number of characters of an error message, which may quote the contents of a file
EXTRAS = {
    "hypothesis": "audit", "pytest": "audit", "latex2mathml": "audit", "matplotlib": "plot",
    "gymnasium": "gym", "sympy": "audit", "distributed": "cluster", "stormpy": "storm",
}  # fmt: skip
"""The extra of this package that installs a library."""


class Commands(click.Group):
    """A group that reports errors on one line; ``--debug`` also shows the traceback.

    Errors raised on purpose, errors of the operating system and wrong usage exit with 2; Ctrl-C exits with 130 and a
    closed output pipe with 141, as shells expect; anything else is a bug and exits with 3.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in order of use, not alphabetically."""
        return list(self.commands)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # print question marks, not a traceback, for unsupported characters
                stream.reconfigure(errors="replace")
        try:
            code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(error.exit_code)
        except click.ClickException as error:
            _say_and_exit(_usage(error), BAD_INPUT)
        except click.Abort:
            _say_and_exit(STOPPED_LINE, STOPPED)
        sys.exit(code if isinstance(code, int) else 0)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        try:
            return super().make_context(*args, **extra)  # prints the help
        except OSError as error:
            _end_if_unheard(error)
            raise

    def invoke(self, ctx: click.Context) -> Any:
        lost: list[Any] = []
        try:
            with _interrupts_are_not_lost(lost):
                return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except KeyboardInterrupt:
            _say_and_exit(STOPPED_LINE, STOPPED)
        except Exception as error:
            _end_if_unheard(error)
            if lost:  # the interrupted code left an inconsistent state behind
                _say_and_exit(STOPPED_LINE, STOPPED)
            if ctx.find_root().params.get("debug"):
                raise
            _say_and_exit(*_line_and_code(error))


def _end_if_unheard(error: Exception) -> None:
    """Exit quietly with the code of SIGPIPE if the reader of our output has ended (``| head``)."""
    if isinstance(error, OSError) and error.errno == errno.EPIPE:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # discard what is still buffered
        sys.exit(UNHEARD)


def _interrupt() -> None:
    main = threading.main_thread().ident
    if main is not None and hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main, signal.SIGINT)
    else:
        _thread.interrupt_main()


@contextmanager
def _interrupts_are_not_lost(lost: list[Any]) -> Iterator[None]:
    """Resend a Ctrl-C that Python discards because C code was calling back into it (numba loading a kernel).

    It is sent as a signal to the main thread, which also wakes it.  ``lost`` collects the discarded ones.
    """
    before = sys.unraisablehook

    def hook(ignored: Any) -> None:
        if ignored.exc_type is not None and issubclass(ignored.exc_type, KeyboardInterrupt):
            lost.append(ignored.exc_type)
            again = threading.Timer(0.05, _interrupt)
            again.daemon = True
            again.start()
        else:
            before(ignored)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


STOPPED_LINE = "stopped: no file was left half-written"


def _line_and_code(error: Exception) -> tuple[str, int]:
    if isinstance(error, VerifiedRiskError):
        return f"error: {error}", BAD_INPUT
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in EXTRAS:
        module = (error.name or "").partition(".")[0]
        return f"error: this needs {module}: pip install 'verified-risk[{EXTRAS[module]}]'", BAD_INPUT
    if isinstance(error, OSError):
        if error.filename is not None and error.strerror:
            return f"error: {error.filename}: {error.strerror}: check the path", BAD_INPUT
        return f"error: {error}", BAD_INPUT
    if isinstance(error, MemoryError):
        return "error: not enough memory: a larger --eta or a shorter --horizon needs less", BAD_INPUT
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return f"bug: {what}; run `verified-risk --debug ...` with the same words and report what it prints", BUG


def _usage(error: click.ClickException) -> str:
    """Format a usage error on one line, with a hint where to look."""
    context = getattr(error, "ctx", None)
    hint = "" if context is None else f" (try: {context.command_path} --help)"
    return f"error: {' '.join(error.format_message().split())}{hint}"


def _wrapped(line: str) -> str:
    """Wrap between words on a terminal; elsewhere keep one line, for programs that read it."""
    if not sys.stderr.isatty():
        return line
    width = max(20, shutil.get_terminal_size().columns)
    return textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)


def _say_and_exit(line: str, code: int) -> NoReturn:
    if code == STOPPED and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # already exiting: ignore further Ctrl-C
    line = " ".join(line.splitlines())
    click.echo(_wrapped(line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"), err=True)
    sys.exit(code)
