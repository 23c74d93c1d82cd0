# SPDX-License-Identifier: Apache-2.0
"""The worked bundles: random planes for each, and what NumPy makes of them. Values are chosen so that no sum rounds."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Planes = dict[str, Any]
Random = np.random.Generator


class Body(NamedTuple):
    #: Of n samples: what is given, and each output as it must be afterwards; of a mapreduce the plane of partials.
    make: Callable[[Random, int], tuple[Planes, Planes]]
    #: Of a mapreduce, what NumPy folds its partials with.
    fold: Callable[..., Any] | None = None
    #: Whether it may be cut.
    cuts: bool = True
    #: The most samples for which the arithmetic is exact and fast.
    most: int = 200_000
    #: Whether outputs may differ in the last digits.
    rounds: bool = False


BODIES: dict[str, Body] = {}


def body(**words: Any) -> Callable[[Callable[[Random, int], tuple[Planes, Planes]]], None]:
    def add(make: Callable[[Random, int], tuple[Planes, Planes]]) -> None:
        BODIES[make.__name__] = Body(make, **words)

    return add


def whole(random: Random, *shape: int, most: int = 1000, dtype: str = "f8") -> np.ndarray:
    """Integers but 0: of negative zeros eagle's sum is one too, and NumPy's is not."""
    return (random.integers(1, most + 1, shape) * random.choice([-1, 1], shape)).astype(dtype)


@body()
def axpy(random, n):
    x, a, b = random.standard_normal(n), random.standard_normal(), random.standard_normal()
    return {"x": x, "a": a, "b": b}, {"y": a * x + b}


@body()
def saxpy(random, n):
    x, y, a = random.random(n, "f4"), random.random(n, "f4"), random.random(dtype="f4")
    return {"x": x, "y": y, "a": a}, {"y": a * x + y}


@body()
def drift3(random, n):
    p, v, dt = random.random((3, n)), random.random((3, n)), random.random()
    return {"p": p, "v": v, "dt": dt}, {"q": p + dt * v}


@body(most=20_000)
def matvec3(random, n):
    m, x = random.random((3, 3, n)), random.random((3, n))
    return {"m": m, "x": x}, {"y": m[:, 0] * x[0] + m[:, 1] * x[1] + m[:, 2] * x[2]}


@body(most=20_000)
def outer3(random, n):
    a, b = random.random((3, n)), random.random((3, n))
    return {"a": a, "b": b}, {"m": (a[:, None] * b[None]).reshape(9, n)}


@body(most=2000, rounds=True)
def solve4(random, n):
    a, x = random.random((4, 4, n)) + 4 * np.eye(4)[:, :, None], random.random((4, n))
    return {"a": a, "b": np.einsum("rkn,kn->rn", a, x)}, {"x": x}


@body()
def hash_mix(random, n):
    k, seed = random.integers(-(2**63), 2**63, n), int(random.integers(-(2**63), 2**63))
    z = k.astype("u8") + np.uint64(seed % 2**64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
    return {"k": k, "seed": seed}, {"h": (z ^ (z >> np.uint64(31))).astype("i8")}


@body()
def emit(random, n):
    x = random.random(n)
    return {"x": x, "pairs": np.full(2 * n, 7.0)}, {"pairs": np.stack([x, -x], axis=1).ravel()}


@body(most=5000)
def newton(random, n):
    x = random.random(n) * 10.0 ** random.integers(-3, 9)
    root, steps = np.maximum(x, 1.0), np.zeros(n, "i8")
    while (falls := (nearer := 0.5 * (root + x / root)) < root).any():
        root[falls] = nearer[falls]
        steps += falls
    return {"x": x}, {"root": root, "steps": steps}


@body()
def countdown(random, n):
    left, done = random.integers(1, 4, n), random.random(n) < 0.3
    after = np.where(done, left, left - 1)
    return {"left": left, "done": done}, {"left": after, "done": done | (after == 0)}


@body()
def gather(random, n):
    table = random.random(int(random.integers(1, 5000)))
    k = random.integers(0, len(table), n)
    return {"k": k, "table": table}, {"y": table[k]}


@body()
def interp(random, n):
    values = random.random(int(random.integers(2, 300)))
    x = random.uniform(-2, len(values) + 2, n)
    t = np.clip(x, 0, len(values) - 1)
    k = np.minimum(t, len(values) - 2).astype("i8")
    return {"values": values, "x": x}, {"y": values[k] + (t - k) * (values[k + 1] - values[k])}


@body()
def shift(random, n):
    x = random.random(n)
    return {"x": x}, {"y": np.roll(x, -1) - x}


@body(cuts=False)
def histogram(random, n):
    nbins, x = int(random.integers(1, 100)), random.random(n)
    bins = whole(random, nbins)
    counts = np.bincount(np.minimum((x * nbins).astype("i8"), nbins - 1), minlength=nbins)
    return {"bins": bins, "x": x, "lo": 0.0, "hi": 1.0, "nbins": nbins}, {"bins": bins + counts}


@body(cuts=False)
def count_index(random, n):
    counts = whole(random, 3, dtype="i8")
    return {"counts": counts}, {"counts": counts + [(n + 2) // 3, (n + 1) // 3, n // 3]}


BODIES["count_index64"] = BODIES["count_index"]


@body(fold=np.sum)
def dot(random, n):
    x, y = whole(random, n), whole(random, n)
    return {"x": x, "y": y}, {"total": x * y}


@body(fold=np.sum)
def root_dot(random, n):
    roots, y = np.abs(whole(random, n)), whole(random, n)
    return {"x": roots * roots, "y": y}, {"total": roots * y}


@body(fold=np.sum)
def dot3(random, n):
    p, v = whole(random, 3, n), whole(random, 3, n)
    return {"p": p, "v": v}, {"total": (p * v).sum(axis=0)}


@body(fold=np.sum)
def asumf(random, n):
    x = whole(random, n, most=40, dtype="f4")
    return {"x": x}, {"total": np.abs(x)}


@body(fold=np.prod, most=20_000)
def product(random, n):
    x, terminated = random.choice([0.5, -1.0, 1.0, 2.0], n), random.random(n) < 0.2
    return {"x": x, "terminated": terminated}, {"total": np.where(terminated, 1.0, x)}


@body(fold=lambda partials: np.max(partials, initial=-np.inf))
def maximum(random, n):
    x = random.standard_normal(n)
    return {"x": x}, {"largest": x.copy()}


@body(fold=lambda partials: np.int64(partials.all()))
def all_finite(random, n):
    x = np.where(random.random(n) < random.choice([0.0, 0.001]), np.inf, random.random(n))
    return {"x": x}, {"finite": np.isfinite(x).astype("i8")}


@body(fold=np.sum)
def sum_index(random, n):
    return {}, {"total": np.arange(n)}


BODIES["sum_index64"] = BODIES["sum_index"]
