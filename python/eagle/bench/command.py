# SPDX-License-Identifier: Apache-2.0
"""`python -m eagle.bench`: its options, and what each way of calling it does."""

from __future__ import annotations

import argparse
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from . import compare, machine, record, tables
from .ending import STOPPED, ended
from .files import check
from .plots import Painter
from .record import Run
from .report import place, write
from .running import run

ABOUT = """\
Measures eagle beside what else does the same work, on this machine: in C++ (eagle_bench), on MPI ranks (eagle_ranks_bench) and
in Python (NumPy, and Numba, JAX and raptor-eagle where an interpreter that has them is named). Prints a table a theme.
"""
METHOD = """\
In Python every contestant is a process of its own on the same cores. They take turns; before each turn it warms up, and before
and after it a fixed piece of arithmetic is timed on every core: where that takes 10 % longer than the best seen, something else
had the core, and the turn is taken again and counted as discarded. A contestant whose answer is not NumPy's is left out.
"""
CODES = f"""\
--compare: exit code 1 where anything has become slower, 0 else, 2 for files that cannot be compared.
{compare.RULE}
Ctrl-C ends a run with exit code 130: what it has measured until then is shown, and written as asked for.
"""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        "python -m eagle.bench",
        description=f"{ABOUT}\n{METHOD}",
        epilog=CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = made.add_argument_group("what is run")
    what.add_argument("--only", type=_suites, default=record.SUITES, metavar="SUITES", help="of cpp,ranks,python")
    what.add_argument("--filter", type=_regex, default=re.compile(""), metavar="REGEX", help=_FILTER)
    what.add_argument("--quick", action="store_true", help="fewer sizes and turns: a look, not a figure to quote")
    what.add_argument("--sizes", type=_sizes, metavar="N,N,...", help="samples, of the Python suite: 64 to 1e7 if not given")
    what.add_argument("--threads", type=_positive, metavar="T", help="of the Python suite: one a core if not given")
    where = made.add_argument_group("where things are")
    where.add_argument(
        "--bundles", type=_path, metavar="DIR", default=Path("build/bundles"), help="folder of the worked bundles (%(default)s)"
    )
    where.add_argument("--bench", metavar="PATH", default="eagle_bench", help="eagle_bench, else looked for on PATH")
    where.add_argument("--ranks-bench", metavar="PATH", default="eagle_ranks_bench", help="the same for eagle_ranks_bench")
    where.add_argument("--mpiexec", metavar="CMD", default="mpiexec", help='what starts ranks; "-n R" is put behind it')
    where.add_argument("--cpp", metavar="PATH", help="eagle_bench_worker, a contestant that is eagle from C++")
    where.add_argument("--numba", metavar="PYTHON", default=sys.executable, help="an interpreter that has Numba, else this one")
    where.add_argument("--jax", metavar="PYTHON", default=sys.executable, help="one that has JAX, else this one")
    where.add_argument("--raptor", metavar="PYTHON", help="one that has raptor-eagle and raptor-hawk")
    result = made.add_argument_group("what becomes of it")
    result.add_argument("--output", type=_path, metavar="FILE.json", help="write what was measured")
    result.add_argument("--report", type=_path, metavar="DIR", help="write DIR/index.html with plots (needs matplotlib)")
    result.add_argument("--from", type=_path, dest="source", metavar="FILE.json", help="run nothing: report on this file")
    result.add_argument("--compare", type=_path, nargs=2, metavar=("OLD", "NEW"), help="run nothing: what has become slower?")
    return made


_FILTER = "only comparisons in whose name it is found: CASE/DTYPE/AGAINST/n:N/threads:T, /ranks:R behind with ranks"


def main(arguments: list[str] | None = None) -> int:
    made = parser()
    options = made.parse_args(arguments)
    if options.source and not options.report:
        made.error("--from FILE goes with --report DIR: where is the report to go?")
    return ended("eagle.bench", lambda: _done(options))


def _done(options: argparse.Namespace) -> int:
    if options.compare:
        return _compare(*options.compare)
    if options.source:
        return _report(record.load(options.source), options.report)
    return _measure(options)


def _compare(old: Path, new: Path) -> int:
    before, after = record.load(old), record.load(new)
    found = compare.compare(before, after)
    print(compare.printed(before, after, found), end="")
    return 1 if found.of("slower") else 0


def _report(measured: Run, folder: Path) -> int:
    print(f"report: {write(measured, folder)}")
    return 0


def _measure(options: argparse.Namespace) -> int:
    # What would fail in the end fails now.
    if options.report:
        Painter()
        place(options.report)
    if options.output:
        check(options.output)
    on = machine.machine()
    found = run(options)
    if found.stopped:
        print("eagle.bench: stopped; what was measured until then is kept", file=sys.stderr)
    if not found.records:
        print("eagle.bench: nothing was measured; the lines above say why", file=sys.stderr)
        return STOPPED if found.stopped else 2
    measured = Run(datetime.now(UTC).isoformat(timespec="seconds"), on, found.versions, found.records)
    print(tables.printed(measured.records), end="")
    if options.output:
        record.save(measured, options.output)
        print(f"written: {options.output}")
    if options.report:
        _report(measured, options.report)
    return STOPPED if found.stopped else 1 if found.failed else 0


def _path(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError(f"{text!r} names no file")
    return Path(text)


def _suites(text: str) -> tuple[str, ...]:
    chosen = tuple(text.split(","))
    if unknown := [each for each in chosen if each not in record.SUITES]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is no suite: give some of {', '.join(record.SUITES)} with commas")
    return chosen


def _regex(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from None


def _positive(text: str) -> int:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not value.is_integer() or value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no integer of at least 1")
    return int(value)


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(sorted({_positive(each) for each in text.split(",")}))
