# SPDX-License-Identifier: Apache-2.0
"""What is asked of every contestant: the planes of each case, from a fixed seed, and NumPy's answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

A, B = 2.0, -1.5
TABLE = 1 << 16
BINS = 256
#: How far an answer may be from NumPy's, relative to the largest of its numbers.
TOLERANCE = {"float64": 1e-10, "float32": 1e-4}
Planes = dict[str, Any]


class Call(NamedTuple):
    """One call as it is timed, and how to read its answer from what it returns."""

    run: Callable[[], Any]
    answer: Callable[[Any], Any] = np.asarray


class Case(NamedTuple):
    dtype: str
    planes: Callable[[np.random.Generator, int], Planes]
    expected: Callable[[Planes], Any]
    #: Bytes that a call must move between memory and core; 0 for what is all overhead.
    bytes: Callable[[int], int]


def _two(random: np.random.Generator, n: int) -> Planes:
    return {"x": random.random(n), "y": random.random(n)}


def _two_single(random: np.random.Generator, n: int) -> Planes:
    return {"x": random.random(n, np.float32), "y": random.random(n, np.float32)}


def _one_single(random: np.random.Generator, n: int) -> Planes:
    return {"x": random.random(n, np.float32) * 2 - 1}


def _lookup(random: np.random.Generator, n: int) -> Planes:
    return {"k": random.integers(0, TABLE, n), "table": random.random(TABLE), "y": np.zeros(n)}


def _one(random: np.random.Generator, n: int) -> Planes:
    return {"x": random.random(n), "bins": np.zeros(BINS)}


def _axpy(p: Planes) -> Any:
    return A * p["x"] + B


def _nothing(_: int) -> int:
    return 0


CASES = {
    "run": Case("float64", _two, _axpy, _nothing),
    "bind": Case("float64", _two, _axpy, _nothing),
    "launch": Case("float64", _two, _axpy, _nothing),
    "map_axpy": Case("float64", _two, _axpy, lambda n: 16 * n),
    "map_saxpy": Case("float32", _two_single, lambda p: np.float32(A) * p["x"] + p["y"], lambda n: 12 * n),
    "dot_plugin": Case("float64", _two, lambda p: np.sum(p["x"] * p["y"]), lambda n: 16 * n),
    "asum_plugin": Case("float32", _one_single, lambda p: np.sum(np.abs(p["x"]), dtype=np.float64), lambda n: 4 * n),
    "lookup_gather": Case("float64", _lookup, lambda p: p["table"][p["k"]], lambda n: 16 * n + 8 * min(n, TABLE)),
    "scatter_histogram": Case(
        "float64",
        _one,
        lambda p: np.bincount((p["x"] * BINS).astype(np.intp), minlength=BINS),
        lambda n: 8 * n + 8 * BINS,
    ),
}


def planes_of(case: str, n: int) -> Planes:
    return CASES[case].planes(np.random.default_rng(20), n)


def difference(answer: Any, expected: Any) -> float:
    """Largest distance of an answer, relative to the largest number expected; inf for another shape."""
    found, wanted = np.asarray(answer, np.float64), np.asarray(expected, np.float64)
    if found.shape != wanted.shape:
        return float("inf")
    distance = float(np.max(np.abs(found - wanted))) / float(np.max(np.abs(wanted)))
    return distance if np.isfinite(distance) else float("inf")
