"""Versioned JSON files that are written whole and refuse to be read when edited or cut.

``{"format": "verified_risk/KIND", "version": 1, "sha256": ..., "data": {...}}``: the digest is over the canonical text
of ``data``.  It guards against accidents, not against forgers; certificates carry their own recomputation.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from .errors import InvalidFile, InvalidNumber, VerifiedRiskError

VERSION = 1
LONGEST_INDENTED = 300_000
"""Characters up to which a file is laid out for readers; larger ones are written in one line."""
Thing = TypeVar("Thing")


def canonical(data: Any) -> str:
    """One text for one value: sorted keys, no white space."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(data: Any) -> str:
    """SHA-256 of the canonical text."""
    return _sha256(canonical(data))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write_text(path: str | PathLike[str], content: str) -> None:
    """Write a text file atomically: readers see the old file or the new one, never a part."""
    target = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:  # it would name the temporary file
        raise OSError(error.errno, error.strerror, str(target)) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    except OSError as error:  # a full disk names no file by itself
        Path(temporary).unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror or str(error), str(target)) from error
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write(path: str | PathLike[str], kind: str, data: Any) -> None:
    """Write ``data`` as a file of the given kind."""
    try:
        body = canonical(data)
        head = {"format": f"verified_risk/{kind}", "version": VERSION, "sha256": _sha256(body)}
        if len(body) <= LONGEST_INDENTED:
            content = json.dumps({**head, "data": data}, indent=1, ensure_ascii=False) + "\n"
        else:
            content = f'{canonical(head)[:-1]},"data":{body}}}\n'
    except RecursionError:
        raise InvalidFile(f"{path} is not written: this {kind} is nested too deeply for JSON") from None
    write_text(path, content)


def read(path: str | PathLike[str], kind: str, parse: Callable[[Any], Thing]) -> Thing:
    """Read a file of the given kind and ``parse`` its data."""
    return parse_envelope(Path(path).read_text(encoding="utf-8"), kind, parse, where=str(path))


def kind_of(path: str | PathLike[str]) -> str:
    """What a file of ours holds: ``"model"``, ``"policy"``, ``"plan"``, ``"law"`` ..."""
    envelope = _envelope(Path(path).read_text(encoding="utf-8"), str(path))
    return str(envelope["format"]).removeprefix("verified_risk/")


def _envelope(content: str, where: str) -> dict[str, Any]:
    try:
        envelope = json.loads(content)
    except json.JSONDecodeError as error:
        raise InvalidFile(
            f"{where} is not complete JSON (line {error.lineno}: {error.msg}): the file is truncated or damaged"
        ) from None
    except RecursionError:
        raise InvalidFile(f"{where} is nested too deeply to be read") from None
    except ValueError:  # of Python's own: more digits than it converts
        raise InvalidFile(f"{where} holds a whole number of thousands of digits, wanted it in quotes") from None
    if not isinstance(envelope, dict) or not {"format", "version", "sha256", "data"} <= envelope.keys():
        raise InvalidFile(f"{where} is not a verified_risk file: wanted the keys format, version, sha256 and data")
    return envelope


def parse_envelope(content: str, kind: str, parse: Callable[[Any], Thing], *, where: str) -> Thing:
    """Check format, version and digest of a file's text, then ``parse`` its data."""
    envelope = _envelope(content, where)
    wanted = f"verified_risk/{kind}"
    if envelope["format"] != wanted:
        raise InvalidFile(f"{where} holds {envelope['format']!r}, wanted {wanted!r}")
    if envelope["version"] != VERSION:
        raise InvalidFile(f"{where} has version {envelope['version']!r}, this library reads version {VERSION}")
    try:
        found = digest(envelope["data"])
    except RecursionError:
        raise InvalidFile(f"{where} is nested too deeply to be read") from None
    if found != envelope["sha256"]:
        raise InvalidFile(
            f"{where} was edited: its data hash to {found[:12]}…, the file says {str(envelope['sha256'])[:12]}…"
        )
    try:
        return parse(envelope["data"])
    except InvalidNumber as error:
        raise InvalidFile(f"{where}: {error}") from None
    except VerifiedRiskError:
        raise
    except RecursionError:
        raise InvalidFile(f"{where} is nested too deeply to be read") from None
    except (KeyError, TypeError, IndexError, AttributeError, ValueError, ArithmeticError) as error:
        raise InvalidFile(f"{where} lacks what a {kind} needs: {type(error).__name__} {error}") from None
