# SPDX-License-Identifier: Apache-2.0
"""The three suites, one after the other, with what is there."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from . import machine, programs, words
from .contest import Contestant, ContestError, CppContestant, PythonContestant
from .control import Control
from .progress import bar, say
from .python_suite import QUICK, Effort, Suite
from .readers import plain
from .record import Record

#: Samples above which --quick leaves a benchmark of the programs out.
QUICK_MOST = 1 << 20
#: Threads of the programs' own libraries stay one a rank.
RANKS_ENVIRONMENT = {"OMP_NUM_THREADS": "1"}


@dataclass
class Found:
    """What has been measured so far; failed: something answered wrong or ended with an error; stopped: by Ctrl-C."""

    records: list[Record] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    failed: bool = False
    stopped: bool = False

    def leave_out(self, what: str, why: str) -> None:
        say(f"{what}: left out: {why}")

    def wrong(self, line: str) -> None:
        self.failed = True
        say(line)


def run(options: Any) -> Found:
    """options: what the command line says."""
    found = Found()
    if profile := os.environ.get("EAGLE_PROFILE"):  # plans take it up, so it is as good as another eagle
        found.versions["profile"] = plain(Path(profile).name)
    try:
        for suite, measure in (("cpp", _cpp), ("ranks", _ranks), ("python", _python)):
            if suite in options.only:
                measure(options, found)
    except KeyboardInterrupt:
        found.stopped = True
    return found


def _cpp(options: Any, found: Found) -> None:
    program = shutil.which(options.bench)
    if program is None:
        return found.leave_out("cpp", f"no program {options.bench}: --bench PATH names an eagle_bench")
    _program("cpp", [program], {}, options, found)


def _ranks(options: Any, found: Found) -> None:
    program, launcher = shutil.which(options.ranks_bench), options.mpiexec.split()
    if program is None:
        return found.leave_out("ranks", f"no program {options.ranks_bench}: --ranks-bench PATH names an eagle_ranks_bench")
    if not launcher or shutil.which(launcher[0]) is None:
        return found.leave_out("ranks", f"no command {options.mpiexec!r}: --mpiexec CMD names one")
    counts = [2**k for k in range(1, 20) if 2**k <= machine.cores()]
    if not counts:
        return found.leave_out("ranks", "this machine has one core, and ranks that share it measure each other")
    for ranks in counts:
        _program("ranks", [*launcher, "-n", str(ranks), program], RANKS_ENVIRONMENT, options, found)


def _program(suite: str, command: list[str], environment: dict[str, str], options: Any, found: Found) -> None:
    label = suite if suite == "cpp" else f"{suite}, {command[-2]}"
    try:
        every = programs.names(command, environment)
        chosen = [name for name in every if _is_wanted(name, options)]
        if not chosen:
            return found.leave_out(label, f"none of its {words.counted(len(every), 'benchmark')} is asked for")
        with closing(bar(label, len(chosen))) as shown:
            result, why, stopped = programs.measure(command, chosen, every, environment, lambda: shown.update(1))
    except programs.ProgramError as error:
        return found.wrong(f"{label}: left out: {error}")
    records, left_out = programs.records_of(result, suite)
    for line in left_out:
        found.leave_out(label, line)
    if why:
        found.wrong(f"{label}: {why}")
    found.records += records
    found.versions = programs.versions_of(result) | found.versions
    if stopped:
        raise KeyboardInterrupt


def _is_wanted(name: str, options: Any) -> bool:
    parts = programs.name_of(name)
    small = not options.quick or parts is None or parts.n <= QUICK_MOST
    return small and options.filter.search(name) is not None


def _python(options: Any, found: Found) -> None:
    if not options.bundles.is_dir():
        return found.leave_out("python", f"no folder {options.bundles}: --bundles DIR names that of the worked bundles")
    threads = options.threads or machine.cores()
    cpus = machine.cpus()
    if threads > len(cpus):
        return found.leave_out("python", f"{threads} threads are asked for and {len(cpus)} CPUs are there")
    effort = QUICK if options.quick else Effort()
    effort = replace(effort, sizes=options.sizes) if options.sizes else effort
    with ExitStack() as open_things:
        hawk = open_things.enter_context(tempfile.TemporaryDirectory())
        contestants = _contestants(options, threads, cpus, hawk, open_things, found)
        for contestant in contestants:
            found.versions |= contestant.versions
        ours = next((each for each in contestants if each.name == "eagle"), None)
        if ours is None:
            return
        control = open_things.enter_context(Control(cpus[:threads]))
        rivals = sorted((each for each in contestants if each is not ours), key=lambda each: each.name == "raptor-eagle")
        _contest(Suite(ours, rivals, threads, effort, control.is_disturbed, say), options, found)


def _contest(suite: Suite, options: Any, found: Found) -> None:
    cells = suite.cells(lambda name: options.filter.search(name) is not None)
    if not suite.cells():
        return found.leave_out("python", f"no worked bundle can be used in {options.bundles}: --bundles DIR names their folder")
    if not cells:
        return found.leave_out("python", "none of its comparisons is asked for")
    with closing(bar("python", len(cells))) as shown:
        for cell in cells:
            found.records += suite.measure(cell)
            shown.update(1)
    found.failed |= suite.failed


def _contestants(
    options: Any, threads: int, cpus: list[int], hawk: str, open_things: ExitStack, found: Found
) -> list[Contestant]:
    """Those that start; raptor first, since it builds what eagle loads too. Each is closed with the open things."""
    started: list[Contestant] = []
    built = {"hawk": hawk} if options.raptor else {}
    where = {"bundles": str(options.bundles.resolve())} | built

    def start(name: str, module: str, interpreter: str, hint: str = "") -> None:
        try:
            contestant = PythonContestant(name, module, interpreter, threads, cpus, where)
            started.append(open_things.enter_context(closing(contestant)))
        except (ContestError, OSError) as error:
            found.leave_out(name, f"{error} ({interpreter}){hint}")

    if options.raptor:
        start("raptor-eagle", "raptor_plans", options.raptor)
        if not started:
            where.pop("hawk")
    start("eagle", "eagle_plans", sys.executable)
    found.failed |= not any(each.name == "eagle" for each in started)
    start("numpy", "numpy_calls", sys.executable)
    start("numba", "numba_calls", options.numba, ": --numba PYTHON names an interpreter that has it")
    start("jax", "jax_calls", options.jax, ": --jax PYTHON names an interpreter that has it")
    if not options.raptor:
        found.leave_out("raptor-eagle", "--raptor PYTHON names an interpreter that has it and raptor-hawk")
    if options.cpp:
        try:
            started.append(open_things.enter_context(closing(CppContestant(options.cpp, options.bundles, threads))))
        except (ContestError, OSError) as error:
            found.leave_out("eagle C++", f"{error} ({options.cpp})")
    else:
        found.leave_out("eagle C++", "--cpp PATH names an eagle_bench_worker")
    return started
