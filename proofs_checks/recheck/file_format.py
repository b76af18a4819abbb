"""The certificate file: format, digest, and the result of a check."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

FORMAT = "proofs_checks/counterexample"

VERSION = 1
LONGEST = 4000  # limit of characters of a number


class Rejected(ValueError):
    """The file is not a certificate, was edited, or its instance does not meet the hypotheses."""


class Outcome(NamedTuple):
    """Both sides of the printed claim ``left relation right``, which is refuted iff it is false."""

    left: Any
    relation: str
    right: Any

    @property
    def refutes(self) -> bool:
        return not {">=": self.left >= self.right, "<=": self.left <= self.right, "=": self.left == self.right}[
            self.relation
        ]


def worst(sides: Iterable[Sequence[Any]], relation: str) -> Outcome:
    """The claim ``left relation right`` about the pair of sides that misses it most; ``"="`` or ``"<="``."""
    left, right = max(sides, key=lambda pair: abs(pair[0] - pair[1]) if relation == "=" else pair[0] - pair[1])
    return Outcome(left, relation, right)


def digest(content: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON of everything but the digest itself."""
    body = {key: value for key, value in content.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read(text: str) -> dict[str, Any]:
    """Parse a certificate; raise ``Rejected`` if it is malformed or was edited."""
    try:
        data = json.loads(text, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        raise Rejected(f"not JSON: {error}") from None
    except RecursionError:
        raise Rejected("nested too deeply to be read") from None
    except Rejected:
        raise
    except ValueError as error:  # more digits than Python converts
        raise Rejected(f"not readable: {error}") from None
    if not isinstance(data, dict) or set(data) != {"format", "version", "label", "instance", "sha256"}:
        raise Rejected("wanted the keys format, version, label, instance, sha256 and no others")
    if data["format"] != FORMAT or data["version"] != VERSION:
        raise Rejected(
            f"format {data['format']!r:.60} version {data['version']!r:.60}, wanted {FORMAT!r} version {VERSION}"
        )
    if digest(data) != data["sha256"]:
        raise Rejected("the content does not match its digest: the file was edited")
    return data


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Reject JSON objects with repeated keys, on which readers disagree."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Rejected("a key stands twice in one object")
    return found


CHECKS: dict[str, Callable[[dict[str, Any]], Outcome]] = {}


def check(label: str) -> Callable[[Callable[[dict[str, Any]], Outcome]], Callable[[dict[str, Any]], Outcome]]:
    """Register the function that recomputes the printed claim of a label."""

    def register(function: Callable[[dict[str, Any]], Outcome]) -> Callable[[dict[str, Any]], Outcome]:
        CHECKS[label] = function
        return function

    return register


def require(condition: bool, what: str) -> None:
    """Raise ``Rejected`` if an instance does not meet a hypothesis."""
    if not condition:
        raise Rejected(f"a hypothesis fails: {what}")


def number(entry: Any) -> Fraction:
    """``"p/q"`` or an integer."""
    require(isinstance(entry, (str, int)) and not isinstance(entry, bool), f"{entry!r} is a rational")
    # an exponent can make a short text a huge number
    require(isinstance(entry, int) or not set("eE") & set(entry), f"{entry!r} is written without an exponent")
    # Python accepts digits of every script, and parsing takes quadratic time
    require(isinstance(entry, int) or entry.isascii(), f"{entry!r} is written in ASCII digits")
    require(isinstance(entry, int) or len(entry) <= LONGEST, f"a number has at most {LONGEST} characters")
    return Fraction(entry)


def whole(entry: Any, least: int = 0) -> int:
    """An integer that is at least ``least``."""
    require(isinstance(entry, int) and not isinstance(entry, bool) and entry >= least, f"{entry!r} is at least {least}")
    return int(entry)
