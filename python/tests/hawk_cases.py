# SPDX-License-Identifier: Apache-2.0
"""What the kernels of hawk_author.py get, and what NumPy says that they give."""

from typing import Any, NamedTuple

import numpy as np

N = 1003
RNG = np.random.default_rng(17)


class Case(NamedTuple):
    bundle: str
    kernel: str
    planes: dict[str, Any]
    #: As run() gives it: one output bare, several by name.
    expected: Any
    #: Outputs that were given and so come back as the same object, and inputs that the body writes, with what they hold then.
    written: dict[str, Any] = {}
    #: Whether it may be cut into partitions.
    cut: bool = True
    #: Whether hawk's plugin objects take it too: they do not say the R and C of a matrix.
    objects: bool = True


def eighths(*shape, dtype=np.float64):
    """Numbers whose sums and products are exact in any order."""
    return (RNG.integers(-16, 17, shape) / 8).astype(dtype)


def local(bundle, dtype):
    x, rest = RNG.standard_normal(N).astype(dtype), RNG.standard_normal((2, 3, N)).astype(dtype)
    m, v = eighths(2, 3, N, dtype=dtype), eighths(3, N, dtype=dtype)
    k = RNG.integers(-1000, 1000, N).astype(np.int32)
    u = RNG.integers(0, 2**32, N).astype(np.uint32)
    a, b = dtype(2.7), dtype(-1.3)
    yield Case(bundle, "axpy", {"x": x, "a": float(a), "b": float(b)}, a * x + b)
    q = rest[0] + a * v
    yield Case(bundle, "drift", {"p": rest[0], "v": v, "dt": float(a)}, {"energy": dtype(0.5) * (v * v).sum(0), "q": q})
    expected = {"mt": m.transpose(1, 0, 2).reshape(6, N), "y": np.einsum("rcn,cn->rn", m, v)}
    yield Case(bundle, "matvec", {"m": m.reshape(6, N), "v": v}, expected)
    yield Case(bundle, "matvec", {"m": m, "v": v}, expected, objects=False)
    yield Case(bundle, "ints", {"k": k, "u": u, "s": -7}, {"j": k * np.int32(-7), "w": u + u})


def steps(x, done, rate, most):
    """What at most so many steps of decay do; gives x, done and how many samples they finish."""
    x, before = x.copy(), done
    for _ in range(most):
        x = np.where(done, x, x * rate)
        done = done | (x < 1)
    return x, done, int((done & ~before).sum())


def float64_only():
    x, done = RNG.uniform(1, 100, N), RNG.random(N) < 0.2
    v, seed = eighths(3, N), eighths(N)
    yield Case("local", "place", {"x": x}, x + np.arange(N) / N)
    top = np.where(done, 5.0, np.maximum(5.0, x))
    given = np.full(N, 5.0)
    yield Case("local", "highest", {"x": x, "terminated": done, "top": given}, top, {"top": top})
    for kernel, most, more in [("decay", 1, {}), ("decay_auto", 1, {}), ("decay_auto", 6, {"fused_steps": np.array([6])})]:
        after, finished, count = steps(x, done, 0.5, most)
        planes = {"x": x.copy(), "rate": 0.5, "terminated": done.copy(), **more}
        expected = {"x": after, "finished_count": np.array([count], np.uint32)}
        yield Case("local", kernel, planes, expected, {"x": after, "terminated": finished})
    after, finished, count = steps(x, np.zeros(N, bool), 0.5, 1)
    expected = {"x": after, "finished_count": np.array([count], np.uint32), "terminated": finished}
    yield Case("local", "decay", {"x": x.copy(), "rate": 0.5}, expected, {"x": after})
    yield Case("local", "energy", {"v": v}, 0.5 * (v * v).sum(0))
    yield Case("local", "energy_vjp", {"v": v, "bar_out": seed}, seed * v)
    yield Case("local", "energy_jvp", {"v": v, "dot_v": v[::-1].copy()}, (v * v[::-1]).sum(0))
    yield Case("local", "own_column", {"x": x, "w": np.zeros(N)}, 2 * x, {"w": 2 * x})


def tables():
    k = RNG.integers(0, 5, N)
    table = RNG.standard_normal(20)
    ints = RNG.integers(-(2**31), 2**31, 5).astype(np.int32)
    yield Case("read", "look_up", {"k": k, "table": table}, table[k])
    yield Case("read", "grid", {"k": k, "table": table}, table.reshape(4, 5)[2, k])
    yield Case("read", "grid", {"k": k, "table": table.reshape(4, 5)}, table.reshape(4, 5)[2, k])
    yield Case("read", "int_table", {"k": k, "table": ints}, ints[k])
    yield Case("read", "staged", {"k": k, "table": table.reshape(2, 10)}, table[10 + k])
    ends = RNG.standard_normal((5, 2))
    yield Case("read", "edges", {"k": k, "ends": ends.ravel()}, ends[k, 1] - ends[k, 0])
    lane, x, bins = RNG.integers(0, 16, N), eighths(N), eighths(16)
    total = bins + np.bincount(lane, x, 16)
    yield Case("write", "histogram", {"k": lane, "x": x, "bins": bins}, total, {"bins": total}, cut=False)


def reductions(suffix, dtype):
    x, y = eighths(N, dtype=dtype), eighths(N, dtype=dtype)
    done = RNG.random(N) < 0.3
    yield Case(f"sum{suffix}", "dot", {"x": x, "y": y}, dtype((x * y).sum()))
    yield Case(f"sum{suffix}", "guarded_sum", {"x": x, "terminated": done}, x[~done].sum())
    below = -np.abs(x) - dtype(1)
    yield Case(f"max{suffix}", "guarded_max", {"x": below, "terminated": done}, below[~done].max())
    yield Case(f"max{suffix}", "guarded_max", {"x": below, "terminated": np.ones(N, bool)}, dtype(-np.inf))


def of_0_5():
    yield from reductions("", np.float64)
    yield from reductions("_float32", np.float32)
    signs, done = RNG.choice([-1.0, 1.0, 2.0, 0.5], N), RNG.random(N) < 0.3
    yield Case("times", "guarded_times", {"x": signs, "terminated": done}, signs[~done].prod())
    k = RNG.integers(-1000, 1000, N).astype(np.int32)
    yield Case("sum", "count", {"k": k}, k.sum(dtype=np.int32))


def cases(version: str) -> list[Case]:
    both = [*local("local", np.float64), *local("local_float32", np.float32), *float64_only(), *tables()]
    return both + (list(of_0_5()) if version.startswith("0.5") else [])
