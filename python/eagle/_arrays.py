# SPDX-License-Identifier: Apache-2.0
"""What becomes of a given object that is no array of eagle's own dtypes: the slow way in, with what to do in every refusal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def array_of(given: Any) -> np.ndarray:
    """NumPy's array of an object. TypeError where there is none, ValueError of rows with uneven lengths as NumPy has it."""
    only_lent = hasattr(given, "__dlpack__") and not hasattr(given, "__array__")
    try:
        return np.from_dlpack(given) if only_lent else np.asarray(given)
    except (MemoryError, RecursionError, ValueError):
        raise
    except Exception as error:
        of = f"of {given.dtype} " if hasattr(given, "dtype") else ""
        graph = "; for tensors that require grad give x.detach()" if "grad" in str(error) else ""
        raise TypeError(f"{of}of which no array can be made: {error}{graph}") from error


def as_array(given: Any, dtype: str, written: bool, number: bool) -> Any:
    """An array of `dtype` for an input, or a Python number; errors read on from "argument 'x' ..."."""
    kind = type(given).__name__
    if isinstance(given, np.generic):
        return _item(given, dtype)
    if isinstance(given, list | tuple):
        return _from_list(given, dtype, written)
    if given is None or isinstance(given, str | dict | set) or (isinstance(given, bytes) and dtype != "bool"):
        raise TypeError(f"is a {kind}: an array or a number is accepted")
    array = given if isinstance(given, np.ndarray) else _from_buffer(given, dtype, written)
    if array.ndim == 0 and number:
        return _item(array, dtype)
    return _fitted(array, dtype, written)


def _item(one: Any, dtype: str) -> Any:
    if one.dtype.kind not in "biuf":
        raise TypeError(f"is {one.dtype}: a real number is due")
    if one.dtype.kind != "f":
        return one.item()
    number = float(one)
    if math.isinf(number) and not np.isinf(one):
        raise ValueError(f"is {one!s}, which {dtype} does not hold")
    return number


def _from_list(given: Any, dtype: str, written: bool) -> np.ndarray:
    kind = type(given).__name__
    if written:
        raise TypeError(f"is a {kind}, and the body writes it: give an array, e.g. numpy.array(values, '{dtype}')")
    uneven = f"is a {kind} whose rows have uneven lengths: every sample needs the same shape"
    try:
        array = array_of(given)
    except ValueError as error:
        raise ValueError(uneven) from error
    except TypeError as error:
        raise TypeError(f"is a {kind} {error}") from error
    due = np.dtype(dtype)
    if due.kind in "iu" and array.dtype.kind in "fO":  # integers of different sizes, or beyond 64 bits
        array = np.asarray(given, dtype=object)
    elements = list(array.flat) if array.dtype.kind == "O" else []
    if any(isinstance(each, list | tuple | np.ndarray) for each in elements):
        raise ValueError(uneven)
    integers = bool(elements) and all(isinstance(each, int) for each in elements)
    if array.size and not integers and (array.dtype.kind not in "biuf" or due.kind in "iu" and array.dtype.kind == "f"):
        odd = next((type(each).__name__ for each in elements if not isinstance(each, int)), array.dtype)
        raise TypeError(f"is a {kind} of {odd} elements, and {dtype} is due")
    return _exactly(array, due, kind)


def _exactly(array: np.ndarray, due: np.dtype, kind: str) -> np.ndarray:
    """The list's numbers as the type that is due: integers in range, floats rounded but finite."""
    if due.kind in "iu" and array.size:
        least, most = np.iinfo(due).min, np.iinfo(due).max
        outside = [each for each in array.flat if not least <= each <= most]
        if outside:
            raise ValueError(f"is a {kind} with {outside[0]}, which {due} does not hold")
    try:
        with np.errstate(over="ignore"):
            made = np.asarray(array, dtype=due)
    except OverflowError:
        raise ValueError(f"is a {kind} with an integer which {due} does not hold") from None
    wide = array if array.dtype.kind == "f" else np.asarray(array, dtype=np.float64)
    lost = np.isinf(made) & ~np.isinf(wide)
    if due.kind == "f" and np.any(lost):
        raise ValueError(f"is a {kind} with {array[lost][0]!s}, which {due} does not hold")
    return made


def _from_buffer(given: Any, dtype: str, written: bool) -> np.ndarray:
    """What has the buffer protocol without a copy; what only turns itself into an array is an input."""
    try:
        return np.asarray(memoryview(given))
    except (TypeError, ValueError, BufferError):
        pass
    kind = type(given).__name__
    lends = hasattr(given, "__dlpack__")
    if not lends and not hasattr(given, "__array__"):
        raise TypeError(f"is a {kind}: an array, a buffer, something with __dlpack__ or a number is accepted")
    if written and not lends:
        of = f" of {given.dtype}" if hasattr(given, "dtype") else ""
        raise TypeError(f"is a {kind}{of}, and {dtype} is due, which the body writes in place")
    try:
        array = array_of(given)
    except (TypeError, ValueError) as error:
        raise TypeError(f"is a {kind} {error}") from error
    if written:
        raise TypeError(f"is a {kind} of {array.dtype}, and {dtype} is due: give an array of {dtype} to write into")
    return array


def _fitted(array: np.ndarray, dtype: str, written: bool) -> np.ndarray:
    """As it lies where that fits, else widened for an input by NumPy's 'safe' rule."""
    due = np.dtype(dtype)
    fits = array.dtype == due or (dtype == "bool" and array.dtype == np.uint8)
    if fits and all(stride % due.itemsize == 0 for stride in array.strides):
        return array
    if not written and array.dtype.kind in "biuf" and np.can_cast(array.dtype, due, "safe"):
        return np.ascontiguousarray(array, dtype=due) if array.ndim else array.astype(due)
    if fits:
        raise ValueError(
            f"has strides of {array.strides} bytes, no multiples of its elements, and is written in place: give a copy"
        )
    if written:
        raise TypeError(f"is {array.dtype}, and {dtype} is due: give an array of {dtype} to write into")
    raise TypeError(f"is {array.dtype}, and {dtype} is due (another type would lose values): give x.astype('{dtype}')")
