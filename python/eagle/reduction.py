# SPDX-License-Identifier: Apache-2.0
"""The canonical reduction by hand: what a mapreduce gives, reproduced from its samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arrays import array_of
from ._options import text
from .errors import make


def _rows(values: Any) -> np.ndarray:
    kind = type(values).__name__
    if isinstance(values, np.ma.MaskedArray):
        raise make("type", "a masked array is given, and masks are not kept: give x.filled(value)")
    try:
        array = array_of(values)
    except ValueError as error:
        raise make("argument", f"a {kind} is given whose rows have uneven lengths: every row needs the same") from error
    except TypeError as error:
        raise make("type", f"a {kind} is given {error}") from error
    if array.ndim == 0:
        raise make("argument", f"one value is given: an array of samples is due, and {array!r} has no axis")
    return np.require(array, _natural(array.dtype), requirements=["C", "A"])


def _natural(dtype: np.dtype) -> np.dtype:
    """The type that samples of another one are reduced in: native, small integers and booleans int64, float16 float32."""
    if dtype.kind in "biu" and dtype.itemsize < 4:
        return np.dtype(np.int64)
    return np.dtype(np.float32) if dtype.kind == "f" and dtype.itemsize == 2 else dtype.newbyteorder("=")


def tree_v1(op: str, array: Any, precision: str = "working") -> Any:
    """The canonical fold of samples, which a plan's mapreduce of the same samples equals in bits on every structure.

    `array` has the samples on its last axis, of float64, float32, int64, int32, uint64 or uint32; smaller integers and
    booleans are taken as int64, and float16 as float32. The result has the other axes, and is a NumPy scalar where there are
    none. `op` is sum, times, max or land; `precision` is working or compensated
    (sums of floats). No samples give the identity.

    >>> import numpy as np
    >>> from eagle.reduction import tree_v1
    >>> tree_v1("sum", np.full(1_000_000, 0.1)).hex()
    '0x1.86a0000000002p+16'
    >>> tree_v1("max", [[1.0, 3.0], [5.0, 4.0]])
    array([3., 5.])
    """
    rows = _rows(array)
    if rows.ndim == 1:
        return _core.tree_v1(text("op", op), rows, text("precision", precision))
    heads = rows.shape[:-1]
    made = np.full(heads, _core.tree_v1(text("op", op), np.empty(0, rows.dtype), text("precision", precision)))
    for head in np.ndindex(*heads):
        made[head] = _core.tree_v1(text("op", op), rows[head], text("precision", precision))
    return made


def fold(op: str, values: Any) -> Any:
    """The plain left-to-right fold of a short list, whose result depends on the order; no values give the identity.

    >>> from eagle.reduction import fold
    >>> float(fold("times", [2.0, 3.0, 4.0]))
    24.0
    """
    row = _rows(values)
    if row.ndim != 1:
        raise make("argument", f"the values have the shape {row.shape}: one list is due")
    return _core.fold(text("op", op), row)


def identity(op: str, dtype: str = "float64") -> Any:
    """The value that an op leaves alone, which unwritten samples contribute.

    >>> from eagle.reduction import identity
    >>> float(identity("max"))
    -inf
    """
    try:
        name = np.dtype(dtype).name
    except (TypeError, ValueError, SyntaxError):  # the last of a comma without a number
        name = str(dtype)
    return _core.identity(text("op", op), text("dtype", name))
