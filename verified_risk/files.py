"""Versioned JSON files, written atomically and rejected on reading if edited or truncated.

``{"format": "verified_risk/KIND", "version": 1, "sha256": ..., "data": {...}}``: the digest is over the canonical text
of ``data``.  It guards against accidents, not forgery; certificates can be recomputed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import stat
import tempfile
import zlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from .errors import InvalidFile, InvalidNumber, VerifiedRiskError
from .numbers.rational import text

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSION = 1
LONGEST_INDENTED = 300_000  # characters up to which a file is indented for readers; larger ones are written on one line
MOST_UNPACKED = 2**30  # maximum number of bytes of one packed array: a file of a megabyte may claim a gigabyte
Thing = TypeVar("Thing")


def canonical(data: Any) -> str:
    """Return the unique text of a value: sorted keys, no white space."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(data: Any) -> str:
    """Return the SHA-256 of the canonical text."""
    return _sha256(canonical(data))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write_text(path: str | PathLike[str], content: str) -> None:
    """Write a text file by :func:`write_bytes`."""
    write_bytes(path, content.encode())


def write_bytes(path: str | PathLike[str], content: bytes) -> None:
    """Write a file atomically: readers see the old file or the new one, never a partial one."""
    target = Path(path)
    if target.exists() and not target.is_file() and not target.is_dir():  # /dev/null would be replaced by a file
        raise InvalidFile(f"{target} is a device or a pipe, wanted the name of a file")
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:  # it would name the temporary file
        raise OSError(error.errno, error.strerror, str(target)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    except OSError as error:  # a full disk does not name the file
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


def read_text(path: str | PathLike[str], encoding: str = "utf-8", most: int = -1) -> str:
    """Return the text of a file or pipe, or its first ``most`` characters; raise for a device, which may never end."""
    with open(path, encoding=encoding) as file:
        if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):
            raise InvalidFile(f"{path} is a device, wanted a file")
        return file.read(most)


def without_repeats(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object, or raise if a key is repeated, which readers interpret differently."""
    listed = list(pairs)
    found = dict(listed)
    if len(found) < len(listed):
        repeated = next(key for key, times in Counter(key for key, _ in listed).items() if times > 1)
        raise InvalidFile(f"the key {repeated[:60]!r} stands twice in one object, wanted it once")
    return found


def plain(value: Any) -> Any:
    """Return a field of an object as JSON: rationals as text, tuples as lists, and objects by their ``to_json``."""
    if isinstance(value, Fraction):
        return text(value)
    if isinstance(value, (tuple, list)):
        return [plain(x) for x in value]
    return value.to_json() if hasattr(value, "to_json") else value


def packed(array: NDArray[Any]) -> str:
    """Return the bytes of an array, compressed by zlib, in base 64."""
    return base64.b64encode(zlib.compress(array.tobytes(), 6)).decode("ascii")


def unpacked(text: str, most: int = MOST_UNPACKED) -> bytes:
    """Invert :func:`packed`, for at most ``most`` bytes; more are never held in memory."""
    machine = zlib.decompressobj()
    found = machine.decompress(base64.b64decode(text, validate=True), most + 1)
    if len(found) > most:
        raise ValueError(f"it unpacks to more than {most} bytes")
    if not machine.eof:
        raise ValueError("it ends too early")
    return found


def encode_array(array: NDArray[Any]) -> dict[str, Any]:
    """Return an array as JSON: type, shape, and its bytes compressed in base 64.

    >>> import numpy as np
    >>> decode_array(encode_array(np.arange(3))).tolist()
    [0, 1, 2]
    """
    return {"type": array.dtype.str, "shape": list(array.shape), "data": packed(array)}


def decode_array(data: dict[str, Any]) -> NDArray[Any]:
    """Return the array written by :func:`encode_array`.

    :raises InvalidFile: if the data is damaged
    """
    import numpy as np

    try:
        return np.frombuffer(unpacked(data["data"]), dtype=np.dtype(data["type"])).reshape(data["shape"]).copy()
    except (ValueError, TypeError, SyntaxError, zlib.error) as error:  # numpy parses some types as Python
        raise InvalidFile(f"an array of the run cannot be unpacked ({error}), wanted base64 of zlib") from None


def read(path: str | PathLike[str], kind: str, parse: Callable[[Any], Thing]) -> Thing:
    """Read a file of the given kind and ``parse`` its data."""
    return parse_envelope(read_text(path), kind, parse, where=str(path))


def kind_of(path: str | PathLike[str]) -> str:
    """Return the kind of a file: ``"model"``, ``"policy"``, ``"plan"``, ``"law"`` ..."""
    envelope = _envelope(read_text(path), str(path))
    return str(envelope["format"]).removeprefix("verified_risk/")


def parse_json(content: str, where: str) -> Any:
    """Parse JSON text, or raise with the reason: truncated, nested too deeply, a repeated key, or an unquoted number
    that Python does not convert."""
    try:
        return json.loads(content, object_pairs_hook=without_repeats)
    except json.JSONDecodeError as error:
        raise InvalidFile(
            f"{where} is not complete JSON (line {error.lineno}: {error.msg}): the file is truncated or damaged"
        ) from None
    except RecursionError:
        raise InvalidFile(f"{where} is nested too deeply to be read") from None
    except InvalidFile as error:
        raise InvalidFile(f"{where}: {error}") from None
    except ValueError:  # from Python: more digits than it converts
        raise InvalidFile(f"{where} holds a whole number of thousands of digits, wanted it in quotes") from None


def _envelope(content: str, where: str) -> dict[str, Any]:
    envelope = parse_json(content, where)
    if not isinstance(envelope, dict) or not {"format", "version", "sha256", "data"} <= envelope.keys():
        raise InvalidFile(f"{where} is not a verified_risk file: wanted the keys format, version, sha256 and data")
    return envelope


def parse_envelope(content: str, kind: str, parse: Callable[[Any], Thing], *, where: str) -> Thing:
    """Check format, version and digest of a file's text, then ``parse`` its data."""
    envelope = _envelope(content, where)
    wanted = f"verified_risk/{kind}"
    if envelope["format"] != wanted:
        raise InvalidFile(f"{where} holds {repr(envelope['format'])[:60]}, wanted {wanted!r}")
    if envelope["version"] != VERSION:
        raise InvalidFile(f"{where} has version {repr(envelope['version'])[:60]}, this library reads version {VERSION}")
    try:
        found = digest(envelope["data"])
        if found != envelope["sha256"]:
            raise InvalidFile(
                f"{where} was edited: its data hash to {found[:12]}…, the file says {str(envelope['sha256'])[:12]}…"
            )
        return parse(envelope["data"])
    except InvalidNumber as error:
        raise InvalidFile(f"{where}: {error}") from None
    except VerifiedRiskError:
        raise
    except RecursionError:
        raise InvalidFile(f"{where} is nested too deeply to be read") from None
    except (KeyError, TypeError, IndexError, AttributeError, ValueError, ArithmeticError) as error:
        raise InvalidFile(f"{where} lacks what a {kind} needs: {type(error).__name__} {error}") from None


class Saved(ABC):
    """Base of objects stored in a file: ``KIND`` names its kind, ``to_json`` and ``from_json`` convert its data."""

    KIND: ClassVar[str]

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return plain data, with rationals as ``"p/q"``.

        :returns: the input of :meth:`from_json`
        """

    @classmethod
    @abstractmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Invert :meth:`to_json`.

        :param data: the output of :meth:`to_json`; files are validated on loading
        :returns: the object
        """

    def save(self, path: str | PathLike[str]) -> None:
        """Write as versioned JSON, atomically, with rationals as ``"p/q"``.

        :param path: the file, which is replaced
        :raises OSError: if it cannot be written; no partial file is left behind
        """
        write(path, self.KIND, self.to_json())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read an object written by :meth:`save`, with its model.

        :param path: a file written by :meth:`save`
        :returns: the object
        :raises InvalidFile: if the file is truncated, edited, or of another kind or version
        """
        return read(path, cls.KIND, cls.from_json)
