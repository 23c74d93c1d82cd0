# SPDX-License-Identifier: Apache-2.0
"""raptor-eagle on bundles that raptor-hawk builds into options["hawk"], where eagle finds the same axpy. Its fold is its own
ordered sum; the variant "np.sum" is a map followed by NumPy's sum."""

from __future__ import annotations

from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import numpy as np

from .cases import Call, Planes
from .eagle_plans import AXPY, call_of_axpy

plugins: dict[str, Any] = {}


def versions(options: dict[str, Any]) -> dict[str, str]:
    found = {name: metadata.version(name) for name in ("raptor-eagle", "raptor-hawk")}
    plugins.update(_build(Path(options["hawk"])))
    return found


def calls(case: str, p: Planes, _threads: int, _options: dict[str, Any]) -> dict[str, Call]:
    plan: Any = import_module("eagle.plan").plan
    host: Any = import_module("eagle.exec").HostTeam
    if case in AXPY:
        return {"": call_of_axpy(case, plan(plugins["axpy"], structure=host), p)}
    if case != "dot_plugin":
        return {}
    dot, product = (plan(plugins[name], structure=host) for name in ("dot", "product"))
    return {
        "": Call(lambda: dot.run(x=p["x"], y=p["y"]), lambda total: np.asarray(total).reshape(())),
        "np.sum": Call(lambda: np.sum(product.run(x=p["x"], y=p["y"]))),
    }


def _build(folder: Path) -> dict[str, Any]:
    """A bundle of each kernel, and hawk's own plugin objects by name."""
    hawk = import_module("hawk")
    read = import_module("hawk.artifact").plugins
    made: dict[str, Any] = {}
    for name in ("axpy", "product", "dot"):
        kernel = getattr(import_module(".raptor_kernels", __package__), name)
        made |= read(hawk.build([kernel], folder / name, targets=("host",), host_profile="portable"))
    return made
