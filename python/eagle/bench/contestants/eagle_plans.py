# SPDX-License-Identifier: Apache-2.0
"""eagle itself: the worked plugins on HostTeam. The variant "hawk" is the body that raptor-hawk has built, as raptor runs it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .cases import BINS, A, B, Call, Planes


def versions(_: dict[str, Any]) -> dict[str, str]:
    import eagle
    from eagle import _core

    kokkos = re.search(r"Kokkos ([\d.]+)", " ".join(detail for _, _, detail in _core.structures()))
    return {"eagle": eagle.__version__} | ({"kokkos": kokkos[1]} if kokkos else {})


def calls(case: str, planes: Planes, threads: int, options: dict[str, Any]) -> dict[str, Call]:
    def host(bundle: Path) -> Any:
        import eagle
        from eagle.plan import plan

        return plan(eagle.load(bundle), structure=eagle.exec.HostTeam, threads=threads)

    folders = {"": Path(options["bundles"])}
    if options.get("hawk") and case in AXPY:
        folders["hawk"] = Path(options["hawk"])
    return {variant: call(case, host, folder, planes) for variant, folder in folders.items()}


AXPY = {"run", "bind", "launch", "map_axpy"}


def call(case: str, host: Any, folder: Path, p: Planes) -> Call:
    if case in AXPY:
        return call_of_axpy(case, host(folder / "axpy"), p)
    if case == "map_saxpy":
        return launched(host(folder / "saxpy").bind(x=p["x"], y=p["y"], a=A), p["y"])
    if case == "lookup_gather":
        return launched(host(folder / "gather").bind(k=p["k"], table=p["table"], y=p["y"]), p["y"])
    if case == "scatter_histogram":
        histogram = host(folder / "histogram")
        return Call(lambda: histogram.run(x=p["x"], bins=p["bins"], lo=0.0, hi=1.0, nbins=BINS))
    fold = host(folder / {"dot_plugin": "dot", "asum_plugin": "asumf"}[case])
    return Call(lambda: fold.run(**p))


def call_of_axpy(case: str, axpy: Any, p: Planes) -> Call:
    """Of eagle's plan or raptor's."""
    x, y = p["x"], p["y"]
    if case == "run":
        return Call(lambda: axpy.run(x=x, y=y, a=A, b=B))
    if case == "bind":
        return Call(lambda: axpy.bind(x=x, y=y, a=A, b=B), lambda bound: (bound.launch(), y)[1])
    return launched(axpy.bind(x=x, y=y, a=A, b=B), y)


def launched(bound: Any, output: Any) -> Call:
    return Call(bound.launch, lambda _: output)
