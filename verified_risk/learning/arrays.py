"""Arrays as JSON: type, shape, and the bytes compressed and in base 64."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import files
from ..errors import InvalidFile


def encode(array: NDArray[Any]) -> dict[str, Any]:
    """The same array gives the same text.

    >>> decode(encode(np.arange(3))).tolist()
    [0, 1, 2]
    """
    packed = zlib.compress(np.ascontiguousarray(array).tobytes(), 6)
    return {"type": array.dtype.str, "shape": list(array.shape), "data": base64.b64encode(packed).decode("ascii")}


def decode(data: dict[str, Any]) -> NDArray[Any]:
    """The array that :func:`encode` wrote; damaged data is the file's fault."""
    try:
        raw = files.unpacked(base64.b64decode(data["data"]))
        return np.frombuffer(raw, dtype=np.dtype(data["type"])).reshape(data["shape"]).copy()
    except (ValueError, TypeError, SyntaxError, zlib.error) as error:  # numpy parses some types as Python
        raise InvalidFile(f"an array of the run cannot be unpacked ({error}), wanted base64 of zlib") from None
