# SPDX-License-Identifier: Apache-2.0
"""Figures of the Python package for docs/performance.md: `./scripts/shell python3 bench/python_bench.py`.

Every contestant is a process of its own and they take turns; a figure is the median over turns. NumPy is always there, Numba
where it is installed (or --numba PYTHON names an interpreter that has it), raptor-eagle where --raptor PYTHON names one that
has raptor-eagle and raptor-hawk: it and eagle then run the same hawk bundle, else eagle runs its own worked plugins.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
SIZES = {"run 64": 64, "bind 64": 64, "launch 64": 64, "map 1e6": 10**6, "map 1e7": 10**7, "fold 1e6": 10**6, "fold 1e7": 10**7}
THREADS = 2


def planes(n: int):
    import numpy as np

    random = np.random.default_rng(1)
    return random.random(n), random.random(n)


def eagle_cases(bundles: str) -> dict[str, Callable[[], object]]:
    import eagle
    from eagle.plan import plan

    def host(name: str):
        return plan(eagle.load(Path(bundles) / name), structure=eagle.exec.HostTeam, threads=THREADS)

    axpy, dot = host("axpy"), host("dot")
    cases: dict[str, Callable[[], object]] = {}
    x, y = planes(64)
    cases["run 64"] = lambda x=x, y=y: axpy.run(x=x, y=y, a=2.0, b=-1.5)
    cases["bind 64"] = lambda x=x, y=y: axpy.bind(x=x, y=y, a=2.0, b=-1.5)
    cases["launch 64"] = axpy.bind(x=x, y=y, a=2.0, b=-1.5).launch
    for label, n in (("1e6", 10**6), ("1e7", 10**7)):
        x, y = planes(n)
        cases[f"map {label}"] = axpy.bind(x=x, y=y, a=2.0, b=-1.5).launch
        cases[f"fold {label}"] = lambda x=x, y=y: dot.run(x=x, y=y)
    return cases


def raptor_cases(bundles: str) -> dict[str, Callable[[], object]]:
    """The same host libraries, given to raptor-eagle as loaded plugins; its mapreduce is a run to partials and an ordered sum."""
    import ctypes
    from types import SimpleNamespace

    import eagle.exec as eexec
    import numpy as np
    from eagle import plan as eplan

    def host(name: str):
        sidecar = json.loads((Path(bundles) / name / f"{name}.json").read_text())
        library = ctypes.CDLL(str(Path(bundles) / name / f"{name}.so"))
        entry = getattr(library, sidecar.get("host_entry", f"{sidecar['kernel']}_host"))
        address = ctypes.cast(entry, ctypes.c_void_p).value
        spec = [tuple(each) for each in sidecar["arg_spec"]]
        plugin = SimpleNamespace(**{**sidecar, "host_entry": address, "arg_spec": spec, "library": library})
        return eplan.plan(plugin, structure=eexec.HostTeam)

    axpy, dot = host("axpy"), host("dot")
    cases: dict[str, Callable[[], object]] = {}
    x, y = planes(64)
    cases["run 64"] = lambda x=x, y=y: axpy.run(x=x, y=y, a=2.0, b=-1.5)
    cases["bind 64"] = lambda x=x, y=y: axpy.bind(x=x, y=y, a=2.0, b=-1.5)
    cases["launch 64"] = axpy.bind(x=x, y=y, a=2.0, b=-1.5).launch
    for label, n in (("1e6", 10**6), ("1e7", 10**7)):
        x, y = planes(n)
        cases[f"map {label}"] = axpy.bind(x=x, y=y, a=2.0, b=-1.5).launch
        partials = np.zeros(n)
        bound = dot.bind(x=x, y=y, total=partials)

        def fold(bound=bound, partials=partials):
            bound.launch()
            return eexec.fold("sum", partials)

        cases[f"fold {label}"] = fold
    return cases


def numpy_cases(_: str) -> dict[str, Callable[[], object]]:
    import numpy as np

    def axpy(x, y):
        np.multiply(x, 2.0, out=y)
        np.subtract(y, 1.5, out=y)

    cases: dict[str, Callable[[], object]] = {}
    for label, n in (("64", 64), ("1e6", 10**6), ("1e7", 10**7)):
        x, y = planes(n)
        cases[f"run {label}" if n == 64 else f"map {label}"] = lambda x=x, y=y: axpy(x, y)
        cases[f"fold {label}"] = lambda x=x, y=y: np.sum(x * y)
    return cases


def numba_cases(_: str) -> dict[str, Callable[[], object]]:
    import numba

    numba.set_num_threads(THREADS)

    @numba.njit(parallel=True)
    def axpy(x, y):
        for i in numba.prange(x.size):
            y[i] = 2.0 * x[i] - 1.5

    @numba.njit(parallel=True, fastmath=True)
    def dot(x, y):
        total = 0.0
        for i in numba.prange(x.size):
            total += x[i] * y[i]
        return total

    cases: dict[str, Callable[[], object]] = {}
    for label, n in (("64", 64), ("1e6", 10**6), ("1e7", 10**7)):
        x, y = planes(n)
        cases[f"run {label}" if n == 64 else f"map {label}"] = lambda x=x, y=y: axpy(x, y)
        cases[f"fold {label}"] = lambda x=x, y=y: dot(x, y)
    return cases


CASES = {"eagle": eagle_cases, "raptor-eagle": raptor_cases, "numpy": numpy_cases, "numba": numba_cases}


def work(name: str, bundles: str) -> None:
    """Answers each case name on standard input with seconds a call."""
    cases = CASES[name](bundles)
    print(json.dumps(sorted(cases)), flush=True)
    for line in sys.stdin:
        case = cases[line.strip()]
        size = SIZES.get(line.strip(), 64)
        calls = max(1, 10**5 // size) if size < 10**5 else 3
        case()
        start = time.perf_counter()
        for _ in range(calls):
            case()
        print((time.perf_counter() - start) / calls, flush=True)


class Contestant:
    def __init__(self, name: str, command: list[str]) -> None:
        self.name = name
        environment = {**os.environ, "OMP_NUM_THREADS": str(THREADS), "OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.cases = set(json.loads(self.process.stdout.readline()))

    def time(self, case: str) -> float:
        self.process.stdin.write(case + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raptor", help="a Python that has raptor-eagle")
    parser.add_argument("--numba", default=sys.executable, help="a Python that has Numba")
    parser.add_argument("--cpp", default=SOURCE / "build" / "bin" / "eagle_bench_worker", help="the C++ contestant")
    parser.add_argument("--bundles", default=SOURCE / "build" / "bundles", help="the folder of the bundles axpy and dot")
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--worker", choices=CASES)
    options = parser.parse_args()
    if options.worker:
        return work(options.worker, options.bundles)

    def python(name: str, interpreter: str) -> list[str]:
        return [interpreter, __file__, "--worker", name, "--bundles", str(options.bundles)]

    commands = {"eagle": python("eagle", sys.executable), "numpy": python("numpy", sys.executable)}
    if subprocess.run([options.numba, "-c", "import numba"], capture_output=True).returncode == 0:
        commands["numba"] = python("numba", options.numba)
    if options.raptor:
        commands["raptor-eagle"] = python("raptor-eagle", options.raptor)
    if Path(options.cpp).exists():
        commands["C++"] = [str(options.cpp), str(options.bundles), str(THREADS)]
    contestants = [Contestant(name, command) for name, command in commands.items()]
    print(f"{'us a call':<12}" + "".join(f"{each.name:>14}" for each in contestants))
    for case in SIZES:
        here = [each for each in contestants if case in each.cases]
        times: dict[str, list[float]] = {each.name: [] for each in here}
        for _ in range(options.turns):
            for each in here:
                times[each.name].append(each.time(case))
        medians = {name: statistics.median(values) * 1e6 for name, values in times.items()}
        print(f"{case:<12}" + "".join(f"{medians[each.name]:14.2f}" if each in here else f"{'-':>14}" for each in contestants))


if __name__ == "__main__":
    main()
