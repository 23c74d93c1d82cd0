# SPDX-License-Identifier: Apache-2.0
"""What __cuda_array_interface__ says of an array
(https://nvidia.github.io/numba-cuda/user/cuda_array_interface.html), each part checked to be of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

#: The legacy default stream; what versions before 3, which name none, are taken to mean.
_LEGACY = 1


def interface_of(given: Any, due: str) -> tuple[int, bool, str, tuple[int, ...], tuple[int, ...] | None, int | None]:
    """(address, read-only, dtype, shape, strides in elements or None, stream or None); errors read on from "argument 'x' ..."."""
    interface = given.__cuda_array_interface__
    if not isinstance(interface, Mapping):
        raise TypeError(f"has a __cuda_array_interface__ that is a {type(interface).__name__}: a dict is due")
    if interface.get("mask") is not None:
        raise TypeError("has a mask in its __cuda_array_interface__, and masks are not kept: fill it first")
    address, read_only = _data(interface)
    dtype = _dtype(interface, due)
    shape = _extents(interface, "shape")
    strides = None if interface.get("strides") is None else _elements(_extents(interface, "strides"), shape, dtype)
    name = "bool" if dtype == np.uint8 else dtype.name
    return address, read_only, name, shape, strides, _stream(interface)


def _is_within(value: Any, least: int, end: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and least <= int(value) < end


def _odd(key: str, value: Any, due: str) -> TypeError:
    return TypeError(f"has {key}={value!r:.80} in its __cuda_array_interface__: {due} is due")


def _data(interface: Mapping[str, Any]) -> tuple[int, bool]:
    data = interface.get("data")
    if not isinstance(data, tuple) or len(data) != 2 or not _is_within(data[0], 0, 2**64):
        raise _odd("data", data, "a tuple (address, read-only)")
    return int(data[0]), bool(data[1])


def _dtype(interface: Mapping[str, Any], due: str) -> np.dtype[Any]:
    text = interface.get("typestr")
    try:
        dtype = np.dtype(text) if isinstance(text, str) else None
    except (TypeError, ValueError, SyntaxError):
        dtype = None
    if dtype is None:
        raise _odd("typestr", text, "a type as NumPy writes it, e.g. '<f8',")
    fits = dtype.kind == "b" or (dtype.kind in "iuf" and dtype.itemsize in (4, 8)) or (dtype == np.uint8 and due == "bool")
    if not fits or not dtype.isnative:
        raise TypeError(f"is {dtype if dtype.isnative else text}, and {due} is due: give an array of that type")
    return dtype


def _extents(interface: Mapping[str, Any], key: str) -> tuple[int, ...]:
    extents = interface.get(key)
    if not isinstance(extents, tuple | list) or not all(_is_within(each, -(2**63), 2**63) for each in extents):
        raise _odd(key, extents, "a tuple of integers")
    return tuple(int(each) for each in extents)


def _elements(strides: tuple[int, ...], shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[int, ...]:
    if len(strides) != len(shape):
        raise _odd("strides", strides, f"one stride for each of the {len(shape)} axes")
    for stride, extent in zip(strides, shape, strict=True):
        if stride % dtype.itemsize and extent > 1:
            raise ValueError(f"has strides of {strides} bytes, which are no multiples of its elements: give a copy")
    return tuple(stride // dtype.itemsize for stride in strides)


def _stream(interface: Mapping[str, Any]) -> int | None:
    version = interface.get("version", 0)
    if not _is_within(version, 0, 2**31):
        raise _odd("version", version, "an integer")
    if version < 3:
        return _LEGACY
    stream = interface.get("stream")
    if stream is None:
        return None
    if not _is_within(stream, 1, 2**64):
        raise _odd("stream", stream, "None, 1 (legacy default), 2 (per thread) or a handle")
    return int(stream)
