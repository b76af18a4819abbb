"""Dense and sparse matrices in one form: compressed rows, columns increasing, zeros omitted."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidModel
from ..mdp.packed import Rows


def rows_of(matrix: Any, where: str) -> Rows:
    """Convert a dense or sparse matrix to compressed rows, columns increasing, zeros omitted."""
    if not hasattr(matrix, "tocsr"):
        array = array_of(matrix, where)
        height, width = array.shape
        at, column = np.nonzero(array != 0)
        start = np.concatenate(([0], np.cumsum(np.bincount(at, minlength=height))))
        return Rows(start, column, array[at, column], width, bits_of(matrix))
    if matrix.format == "csr" and matrix.data.dtype == np.float64:
        start, column = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
        ahead = np.diff(column) > 0
        ahead[start[1:-1][(start[1:-1] > 0) & (start[1:-1] < len(column))] - 1] = True  # between rows
        if ahead.all():
            return Rows(start, column[: start[-1]], matrix.data[: start[-1]].copy(), matrix.shape[1])
    listed = matrix.tocoo(copy=True)
    order = np.lexsort((listed.col, listed.row))
    at, column, value = (
        listed.row[order].astype(np.int64),
        listed.col[order].astype(np.int64),
        widened(listed.data[order]),
    )
    twice = np.flatnonzero((np.diff(at) == 0) & (np.diff(column) == 0))
    if len(twice):
        k = twice[0]
        raise InvalidModel(
            f"{where}[{at[k]}, {column[k]}] is stored twice, as {value[k]} and {value[k + 1]}, wanted one entry "
            "(sum_duplicates() adds them up)"
        )
    start = np.concatenate(([0], np.cumsum(np.bincount(at, minlength=matrix.shape[0]))))
    return Rows(start, column, value, matrix.shape[1], bits_of(matrix))


def array_of(nested: Any, where: str) -> npt.NDArray[Any]:
    """Return a rectangular array; entries other than floats and integers are kept unchanged."""
    if isinstance(nested, np.ma.MaskedArray) and np.any(nested.mask):
        first = ", ".join(str(i) for i in np.argwhere(nested.mask)[0])
        raise InvalidModel(f"{where}[{first}] is masked, wanted a number")
    if isinstance(nested, np.ndarray):
        return widened(np.asarray(nested))  # a numpy.matrix would stay two-dimensional
    try:
        array = np.array(nested)
    except ValueError:
        raise InvalidModel(f"{where} is ragged, wanted rows of equal length") from None
    return array if array.dtype.kind in "fiu" else np.array(nested, dtype=object)


def widened(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Convert float32 and float16 to the float64 of their shortest decimals: 0.1 stays 0.1."""
    if array.dtype.kind != "f" or array.dtype == np.float64:
        return array
    return array.astype(str).astype(np.float64)


def bits_of(matrix: Any) -> int:
    """Return the significant bits with which rows should sum to 1: 24 for float32; float16 gets no tolerance."""
    return 24 if getattr(matrix, "dtype", None) == np.float32 else 53


def is_matrix_list(P: Any) -> bool:
    """Whether ``P`` is a list of square matrices, one per action."""
    if not isinstance(P, (list, tuple)) or not P:
        return False
    if not all(hasattr(part, "tocsr") or (isinstance(part, np.ndarray) and part.ndim == 2) for part in P):
        return False
    return all(part.shape[0] == part.shape[1] for part in P)


def interleaved(parts: list[Rows]) -> Rows:
    """Interleave matrices: the rows of state 0 of all of them, then those of state 1, and so on."""
    counts = np.stack([np.diff(part.start) for part in parts], axis=1)
    start = np.concatenate(([0], np.cumsum(counts.ravel())))
    column = np.empty(start[-1], dtype=np.int64)
    value = np.empty(start[-1], dtype=np.result_type(*(part.value.dtype for part in parts)))
    for a, part in enumerate(parts):
        firsts = start[:-1].reshape(counts.shape)[:, a]
        place = np.repeat(firsts - part.start[:-1], counts[:, a]) + np.arange(len(part.column))
        column[place], value[place] = part.column, part.value
    return Rows(start, column, value, parts[0].width, min(part.bits for part in parts))
