# SPDX-License-Identifier: Apache-2.0
"""The canonical reduction by hand: what a mapreduce gives, reproduced from its samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core


def _rows(values: Any) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim == 0:
        raise ValueError("one value is given: an array of samples is due")
    if array.dtype.kind == "b":
        array = array.astype(np.int64)
    return np.ascontiguousarray(array)


def tree_v1(op: str, array: Any, precision: str = "working") -> Any:
    """The canonical fold of samples, which a plan's mapreduce of the same samples equals in bits on every structure.

    `array` has the samples on its last axis, of float64, float32, int64, int32, uint64 or uint32; the result has the other
    axes, and is a NumPy scalar where there are none. `op` is sum, times, max or land; `precision` is working or compensated
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
        return _core.tree_v1(op, rows, precision)
    flat = rows.reshape(-1, rows.shape[-1]) if rows.size else np.empty((int(np.prod(rows.shape[:-1])), 0), rows.dtype)
    return np.array([_core.tree_v1(op, row, precision) for row in flat], rows.dtype).reshape(rows.shape[:-1])


def fold(op: str, values: Any) -> Any:
    """The plain left-to-right fold of a short list, whose result depends on the order; no values give the identity.

    >>> from eagle.reduction import fold
    >>> float(fold("times", [2.0, 3.0, 4.0]))
    24.0
    """
    row = _rows(values)
    if row.ndim != 1:
        raise ValueError(f"the values have the shape {row.shape}: one list is due")
    return _core.fold(op, row)


def identity(op: str, dtype: str = "float64") -> Any:
    """The value that an op leaves alone, which unwritten samples contribute.

    >>> from eagle.reduction import identity
    >>> float(identity("max"))
    -inf
    """
    return _core.identity(op, np.dtype(dtype).name)
