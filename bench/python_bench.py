# SPDX-License-Identifier: Apache-2.0
"""Figures of the Python package for docs/performance.md: `./scripts/shell python3 bench/python_bench.py`.

Every contestant is a process of its own and they take turns; a figure is the median over turns, in microseconds a call. NumPy
is always there, Numba where it is installed (or --numba PYTHON names an interpreter that has it), raptor-eagle where
--raptor PYTHON names one that has raptor-eagle and raptor-hawk: both then run one bundle that hawk has built. "fold" is a
mapreduce to a scalar; raptor-eagle's is its own ordered sum, and "fold by np.sum" a map and NumPy's sum.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
CALLS = {"64": 3000, "1e6": 240, "1e7": 15}
LARGE = {"1e6": 10**6, "1e7": 10**7}
NAMES = ["run 64", "bind 64", "launch 64", *(f"{what} {n}" for what in ("map", "fold", "fold by np.sum") for n in LARGE)]
THREADS = 2
Cases = dict[str, Callable[[], object]]


def planes(n: int):
    import numpy as np

    random = np.random.default_rng(1)
    return random.random(n), random.random(n)


def cases_of_plans(axpy, folds: dict[str, Callable]) -> Cases:
    """What eagle and raptor-eagle are asked for alike; `folds` take two planes."""
    x, y = planes(64)
    cases: Cases = {
        "run 64": lambda x=x, y=y: axpy.run(x=x, y=y, a=2.0, b=-1.5),
        "bind 64": lambda x=x, y=y: axpy.bind(x=x, y=y, a=2.0, b=-1.5),
        "launch 64": axpy.bind(x=x, y=y, a=2.0, b=-1.5).launch,
    }
    for label, n in LARGE.items():
        x, y = planes(n)
        cases[f"map {label}"] = axpy.bind(x=x, y=y, a=2.0, b=-1.5).launch
        for name, fold in folds.items():
            cases[f"{name} {label}"] = lambda fold=fold, x=x, y=y: fold(x, y)
    return cases


def eagle_cases(bundles: Path, hawk: str | None) -> Cases:
    import eagle
    from eagle.plan import plan

    def host(bundle: Path):
        return plan(eagle.load(bundle), structure=eagle.exec.HostTeam, threads=THREADS)

    dot = host(bundles / "dot")
    return cases_of_plans(host(Path(hawk or bundles) / "axpy"), {"fold": lambda x, y: dot.run(x=x, y=y)})


def raptor_cases(_: Path, hawk: str | None) -> Cases:
    import numpy as np
    from eagle.exec import HostTeam
    from eagle.plan import plan
    from python_bench_hawk import build

    plugins = {name: plan(plugin, structure=HostTeam) for name, plugin in build(hawk).items()}
    folds = {
        "fold": lambda x, y: plugins["dot"].run(x=x, y=y),
        "fold by np.sum": lambda x, y: np.sum(plugins["product"].run(x=x, y=y)),
    }
    return cases_of_plans(plugins["axpy"], folds)


def numpy_cases(*_) -> Cases:
    import numpy as np

    def axpy(x, y):
        np.multiply(x, 2.0, out=y)
        np.subtract(y, 1.5, out=y)

    return cases_of_loops(axpy, lambda x, y: np.sum(x * y))


def numba_cases(*_, fastmath: bool = False) -> Cases:
    """prange, whose sum is unordered over threads; with fastmath unordered within them too, and so vectorised."""
    import numba

    numba.set_num_threads(THREADS)

    @numba.njit(parallel=True)
    def axpy(x, y):
        for i in numba.prange(x.size):
            y[i] = 2.0 * x[i] - 1.5

    def dot(x, y):
        total = 0.0
        for i in numba.prange(x.size):
            total += x[i] * y[i]
        return total

    return cases_of_loops(axpy, numba.njit(dot, parallel=True, fastmath=fastmath))


def cases_of_loops(axpy: Callable, dot: Callable) -> Cases:
    x, y = planes(64)
    cases: Cases = {"run 64": lambda x=x, y=y: axpy(x, y)}
    for label, n in LARGE.items():
        x, y = planes(n)
        cases[f"map {label}"] = lambda x=x, y=y: axpy(x, y)
        cases[f"fold {label}"] = lambda x=x, y=y: dot(x, y)
    return cases


CASES = {
    "eagle": eagle_cases,
    "raptor-eagle": raptor_cases,
    "numpy": numpy_cases,
    "numba": numba_cases,
    "numba fast": partial(numba_cases, fastmath=True),
}


def work(cases: Cases) -> None:
    """Answers each case name on standard input with seconds a call."""
    print(json.dumps(sorted(cases)), flush=True)
    for line in sys.stdin:
        case = cases[line.strip()]
        calls = CALLS[line.split()[-1]]
        for _ in range(calls // 3):  # cores come out of idling within milliseconds
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
        time.sleep(0.05)  # until the threads of who ran before have stopped waiting actively
        self.process.stdin.write(case + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raptor", help="a Python that has raptor-eagle and raptor-hawk")
    parser.add_argument("--numba", default=sys.executable, help="a Python that has Numba")
    parser.add_argument("--cpp", default=SOURCE / "build" / "bin" / "eagle_bench_worker", help="the C++ contestant")
    parser.add_argument("--bundles", type=Path, default=SOURCE / "build" / "bundles", help="the folder of the worked bundles")
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--worker", choices=CASES, help=argparse.SUPPRESS)
    parser.add_argument("--hawk", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return work(CASES[options.worker](options.bundles, options.hawk))
    with tempfile.TemporaryDirectory() as folder:
        compare(commands_of(options, folder), options.turns)


def commands_of(options: argparse.Namespace, folder: str) -> dict[str, list[str]]:
    def python(name: str, interpreter: str) -> list[str]:
        hawk = ["--hawk", folder] if options.raptor else []
        return [interpreter, __file__, "--worker", name, "--bundles", str(options.bundles), *hawk]

    commands = {}
    if options.raptor:  # first, since it builds the bundles
        commands["raptor-eagle"] = python("raptor-eagle", options.raptor)
    commands |= {"eagle": python("eagle", sys.executable), "numpy": python("numpy", sys.executable)}
    if subprocess.run([options.numba, "-c", "import numba"], capture_output=True).returncode == 0:
        commands |= {name: python(name, options.numba) for name in ("numba", "numba fast")}
    if Path(options.cpp).exists():
        axpy = folder if options.raptor else str(options.bundles)
        commands["C++"] = [str(options.cpp), f"{axpy}/axpy", f"{options.bundles}/dot", str(THREADS)]
    return commands


def compare(commands: dict[str, list[str]], turns: int) -> None:
    contestants = [Contestant(name, command) for name, command in commands.items()]
    print(f"{'us a call':<20}" + "".join(f"{each.name:>14}" for each in contestants))
    for case in NAMES:
        here = [each for each in contestants if case in each.cases]
        times: dict[str, list[float]] = {each.name: [] for each in here}
        for _ in range(turns):
            for each in here:
                times[each.name].append(each.time(case))
        medians = {name: f"{statistics.median(values) * 1e6:.2f}" for name, values in times.items()}
        print(f"{case:<20}" + "".join(f"{medians.get(each.name, '-'):>14}" for each in contestants), flush=True)


if __name__ == "__main__":
    main()
