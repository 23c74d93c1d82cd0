# SPDX-License-Identifier: Apache-2.0
"""Boxes and host entries by hand: what a plan packs and calls by itself, for programs that hold raw addresses.

Nothing is checked here, and a wrong address ends the process. A plan is the checked way.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence

__all__ = ["DEVICE_CPU", "GRefMirror", "ScalarHandle", "run", "run_serial", "tile_count", "tile_size"]

#: DLPack's code of host memory.
DEVICE_CPU = 1

Triple = tuple[int, int, int]
_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


class GRefMirror(ctypes.Structure):
    """The box of a vector or matrix plane, 40 bytes: component c of sample i is ``data_[c * compStride_ + i]``."""

    _fields_ = [
        ("data_", ctypes.c_void_p),
        ("samples_", ctypes.c_uint64),
        ("compStride_", ctypes.c_uint64),
        ("sampleStride_", ctypes.c_uint64),
        ("deviceType_", ctypes.c_int32),
        ("deviceId_", ctypes.c_int32),
    ]


class ScalarHandle(ctypes.Structure):
    """The box of a scalar or integer plane and of tables, 32 bytes: sample i is ``data[i]``."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("samples", ctypes.c_uint64),
        ("stride", ctypes.c_uint64),
        ("deviceType", ctypes.c_int32),
        ("deviceId", ctypes.c_int32),
    ]


def tile_size(bytes_per_sample: int = 0) -> int:
    """Samples of a tile of :func:`run`: 128 KiB of planes, at least 64 and at most 4096."""
    return max(64, min(4096, 2**17 // max(1, bytes_per_sample)))


def tile_count(partition: Triple, bytes_per_sample: int = 0) -> int:
    """How many tiles :func:`run` cuts a partition into."""
    return -(-partition[1] // tile_size(bytes_per_sample))


def run_serial(entry: int, params: Sequence[int], partition: Triple) -> None:
    """Calls an aether-abi/2 host entry once, over a whole partition (base, count, n_samples).

    `entry` is its address, `params` the addresses of its boxes in arg_spec order.
    """
    _call(entry, params)(*partition)


def run(entry: int, params: Sequence[int], partition: Triple, *, bytes_per_sample: int = 0) -> int:
    """As :func:`run_serial`, in tiles that the CPUs of this process share; gives the number of tiles.

    Each tile is a call of its own, so the body must be one that may be cut: not cross_sample_write.
    """
    from concurrent.futures import ThreadPoolExecutor  # here: it takes longer to import than the whole package

    base, count, n = partition
    tile = tile_size(bytes_per_sample)
    call = _call(entry, params)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as team:
        tiles = [team.submit(call, base + first, min(tile, count - first), n) for first in range(0, count, tile)]
    for each in tiles:
        each.result()
    return len(tiles)


def _call(entry: int, params: Sequence[int]) -> Callable[[int, int, int], None]:
    body = _ENTRY(entry)
    boxes = (ctypes.c_void_p * len(params))(*params)
    return lambda base, count, n: body(boxes, base, count, n)
