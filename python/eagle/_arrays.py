# SPDX-License-Identifier: Apache-2.0
"""What becomes of a given object that is no array of eagle's own dtypes: the slow way in, with what to do in every refusal."""

from __future__ import annotations

from typing import Any

import numpy as np


def as_array(given: Any, dtype: str, written: bool, number: bool) -> Any:
    """An array of `dtype` for an input, or a Python number; errors read on from "argument 'x' ..."."""
    if isinstance(given, np.generic):
        return given.item()
    if isinstance(given, list | tuple):
        return _from_list(given, dtype, written)
    if given is None or isinstance(given, str | dict | set):
        raise TypeError(f"is a {type(given).__name__}: an array or a number is accepted")
    array = given if isinstance(given, np.ndarray) else _from_buffer(given, written)
    if array.ndim == 0 and number and array.dtype.kind in "biuf":
        return array.item()
    return _widened(array, dtype, written)


def _from_list(given: Any, dtype: str, written: bool) -> np.ndarray:
    if written:
        raise TypeError(
            f"is a {type(given).__name__}, and the body writes it: give an array, e.g. numpy.array(values, '{dtype}')"
        )
    try:
        array = np.asarray(given)
    except ValueError:
        raise ValueError("is a list whose rows have uneven lengths: every sample needs the same shape") from None
    except OverflowError as error:
        raise ValueError(f"is a list of numbers that do not fit: {error}") from None
    if array.dtype.kind not in "biuf" and array.size:
        if array.dtype.kind == "O" and any(isinstance(x, list | tuple | np.ndarray) for x in array.flat):
            raise ValueError("is a list whose rows have uneven lengths: every sample needs the same shape")
        raise TypeError(f"is a list of {array.dtype} elements: numbers are accepted")
    due = np.dtype(dtype)
    if due.kind != "f" and array.dtype.kind == "f" and array.size:
        raise TypeError(f"is a list of floating-point numbers, and {dtype} is due")
    with np.errstate(over="ignore"):
        made = np.asarray(array, dtype=due)
    lost = np.isinf(made) & ~np.isinf(array) if due.kind == "f" else made != array
    if due.kind != "b" and np.any(lost):
        raise ValueError(f"is a list with numbers that {dtype} does not hold, e.g. {array[lost].flat[0]}")
    return made


def _from_buffer(given: Any, written: bool) -> np.ndarray:
    """What has the buffer protocol without a copy; what only turns itself into an array is an input."""
    try:
        return np.asarray(memoryview(given))
    except (TypeError, ValueError, BufferError):
        pass
    kind = type(given).__name__
    if not hasattr(given, "__array__"):
        raise TypeError(f"is a {kind}: an array, a buffer, something with __dlpack__ or a number is accepted")
    if written:
        raise TypeError(f"is a {kind}, and the body writes it: give an array that eagle can write in place")
    return np.asarray(given)


def _widened(array: np.ndarray, dtype: str, written: bool) -> np.ndarray:
    due = np.dtype(dtype)
    if not array.dtype.isnative and array.dtype.newbyteorder("=") == due:
        raise TypeError(f"is {array.dtype} in another byte order: give x.astype('{dtype}')")
    if not written and array.dtype.kind in "biuf" and np.can_cast(array.dtype, due, "safe"):
        return np.ascontiguousarray(array, dtype=due) if array.ndim else array.astype(due)
    if array.dtype == due:
        raise ValueError(f"has strides of {array.strides} bytes, no multiples of its elements: give a copy")
    why = "is written in place" if written else "would lose values"
    raise TypeError(f"is {array.dtype}, and {dtype} is due (another type {why}): give x.astype('{dtype}')")
