# SPDX-License-Identifier: Apache-2.0
"""Numba: loops with prange. Sums are unordered over threads; the variant "fastmath" lets them be unordered within, and so
vectorised. The histogram has bins for each thread, as the plain loop would count wrongly in parallel."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from .cases import BINS, A, B, Call, Planes


def versions(_: dict[str, Any]) -> dict[str, str]:
    return {"numba": import_module("numba").__version__}


def calls(case: str, p: Planes, threads: int, _options: dict[str, Any]) -> dict[str, Call]:
    numba = import_module("numba")
    numba.set_num_threads(threads)
    parallel = numba.njit(parallel=True)
    if case in ("run", "map_axpy"):
        axpy = parallel(_axpy(numba))
        return {"": Call(lambda: axpy(p["x"], p["y"]), lambda _: p["y"])}
    if case == "map_saxpy":
        saxpy = parallel(_saxpy(numba))
        return {"": Call(lambda: saxpy(p["x"], p["y"]), lambda _: p["y"])}
    if case == "lookup_gather":
        lookup = parallel(_lookup(numba))
        return {"": Call(lambda: lookup(p["k"], p["table"], p["y"]), lambda _: p["y"])}
    if case == "scatter_histogram":
        count = parallel(_histogram(numba))
        return {"": Call(lambda: count(p["x"], threads))}
    if case not in ("dot_plugin", "asum_plugin"):
        return {}
    fold = _dot(numba) if case == "dot_plugin" else _asum(numba)
    plain, fast = parallel(fold), numba.njit(fold, parallel=True, fastmath=True)
    given = tuple(p[name] for name in ("x", "y") if name in p)
    return {"": Call(lambda: plain(*given)), "fastmath": Call(lambda: fast(*given))}


def _axpy(numba: Any) -> Any:
    def axpy(x, y):  # type: ignore[no-untyped-def]
        for i in numba.prange(x.size):
            y[i] = A * x[i] + B

    return axpy


def _saxpy(numba: Any) -> Any:
    a = np.float32(A)

    def saxpy(x, y):  # type: ignore[no-untyped-def]
        for i in numba.prange(x.size):
            y[i] = a * x[i] + y[i]

    return saxpy


def _lookup(numba: Any) -> Any:
    def lookup(k, table, y):  # type: ignore[no-untyped-def]
        for i in numba.prange(k.size):
            y[i] = table[k[i]]

    return lookup


def _histogram(numba: Any) -> Any:
    def histogram(x, threads):  # type: ignore[no-untyped-def]
        bins = np.zeros((threads, BINS))
        for t in numba.prange(threads):
            mine = bins[t]
            for i in range(x.size * t // threads, x.size * (t + 1) // threads):
                mine[int(x[i] * BINS)] += 1.0
        return bins.sum(axis=0)

    return histogram


def _dot(numba: Any) -> Any:
    def dot(x, y):  # type: ignore[no-untyped-def]
        total = 0.0
        for i in numba.prange(x.size):
            total += x[i] * y[i]
        return total

    return dot


def _asum(numba: Any) -> Any:
    def asum(x):  # type: ignore[no-untyped-def]
        total = np.float32(0.0)
        for i in numba.prange(x.size):
            total += abs(x[i])
        return total

    return asum
