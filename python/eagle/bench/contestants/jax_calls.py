# SPDX-License-Identifier: Apache-2.0
"""JAX on the CPU: compiled functions on arrays of its own, waited for. Its arrays are not written, so maps make theirs anew."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from .cases import BINS, A, B, Call, Planes


def versions(_: dict[str, Any]) -> dict[str, str]:
    jax = import_module("jax")
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", True)
    return {"jax": jax.__version__}


def calls(case: str, p: Planes, _threads: int, _options: dict[str, Any]) -> dict[str, Call]:
    jax, jnp = import_module("jax"), import_module("jax.numpy")
    ways = {
        "run": (lambda x: A * x + B, ("x",)),
        "map_axpy": (lambda x: A * x + B, ("x",)),
        "map_saxpy": (lambda x, y: np.float32(A) * x + y, ("x", "y")),
        "dot_plugin": (jnp.dot, ("x", "y")),
        "asum_plugin": (lambda x: jnp.sum(jnp.abs(x)), ("x",)),
        "lookup_gather": (lambda table, k: table[k], ("table", "k")),
        "scatter_histogram": (lambda x: jnp.bincount((x * BINS).astype(jnp.int32), length=BINS), ("x",)),
    }
    if case not in ways:
        return {}
    way, names = ways[case]
    compiled = jax.jit(way)
    given = [jnp.array(p[name]) for name in names]  # a copy, as other variants may write the planes
    return {"": Call(lambda: compiled(*given).block_until_ready())}
