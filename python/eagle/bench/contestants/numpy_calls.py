# SPDX-License-Identifier: Apache-2.0
"""NumPy: each case the way its users write it, into given arrays where there is such a way."""

from __future__ import annotations

from typing import Any

import numpy as np

from .cases import BINS, A, B, Call, Planes


def versions(_: dict[str, Any]) -> dict[str, str]:
    config: Any = np.show_config(mode="dicts")
    blas = config.get("Build Dependencies", {}).get("blas", {})
    return {"numpy": np.__version__, "numpy blas": f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()}


def calls(case: str, p: Planes, _threads: int, _options: dict[str, Any]) -> dict[str, Call]:
    if case in ("run", "map_axpy"):
        return {"": Call(lambda: axpy(p["x"], p["y"]))}
    if case == "map_saxpy":
        product = np.empty_like(p["x"])
        return {"": Call(lambda: saxpy(p["x"], p["y"], product))}
    if case == "dot_plugin":
        return {"dot": Call(lambda: np.dot(p["x"], p["y"])), "sum": Call(lambda: np.sum(p["x"] * p["y"]))}
    if case == "asum_plugin":
        return {"": Call(lambda: np.sum(np.abs(p["x"])))}
    if case == "lookup_gather":  # what mode="raise" writes goes through a buffer
        return {"": Call(lambda: np.take(p["table"], p["k"], out=p["y"], mode="clip"))}
    if case == "scatter_histogram":
        return {
            "bincount": Call(lambda: np.bincount((p["x"] * BINS).astype(np.intp), minlength=BINS)),
            "histogram": Call(lambda: np.histogram(p["x"], BINS, (0.0, 1.0))[0]),
        }
    return {}


def axpy(x: Any, y: Any) -> Any:
    np.multiply(x, A, out=y)
    return np.add(y, B, out=y)


def saxpy(x: Any, y: Any, product: Any) -> Any:
    np.multiply(x, np.float32(A), out=product)
    return np.add(product, y, out=y)
