# SPDX-License-Identifier: Apache-2.0
"""The suites "cpp" and "ranks": the programs eagle_bench and eagle_ranks_bench, and records of what they write.

They write Google Benchmark's JSON. A benchmark is named CASE/DTYPE/BASELINE/n:N/threads:T and, with ranks, /ranks:R; `-` stands
where a word has no meaning. Its counters are seconds a call.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from . import readers
from .readers import FormatError
from .record import Record, record_of

#: What of the context goes into the versions of a run.
VERSIONS = ("eagle", "kokkos", "kokkos_kernels", "compiler", "flags", "mpi")


#: What stands behind a CASE/DTYPE/BASELINE and is taken.
SIZE = re.compile(r"(n|threads|ranks):([0-9]{1,19})")
#: A line of the tables that the programs print: a mark, n, threads.
ROW = re.compile(r"[ ~!]\s*\d+\s+\d+\s")


class ProgramError(Exception):
    """Why a program's results are not there."""


class Name(NamedTuple):
    case: str
    dtype: str
    against: str | None
    n: int
    threads: int
    ranks: int


def name_of(text: str) -> Name | None:
    """None for a name of another form; words behind the first `key:value` count where their keys are known."""
    words = text.split("/")
    if len(words) < 4 or any(not word or ":" in word for word in words[:3]):
        return None
    case, dtype, against = words[:3]
    keys = {size[1]: int(size[2]) for size in map(SIZE.fullmatch, words[3:]) if size}
    return Name(
        case, dtype, None if against == "-" else against, keys.get("n", 0), keys.get("threads", 1), keys.get("ranks", 1)
    )


def names(command: list[str], environment: dict[str, str]) -> list[str]:
    """Every benchmark that the program has."""
    lines, code, errors = _run([*command, "--benchmark_list_tests=true"], environment, lambda _: None)
    if code != 0:
        raise ProgramError(f"{' '.join(command)} ends with {code}: {errors}")
    return lines


class Measured(NamedTuple):
    """The JSON that a program has written; why it failed, if it did; whether Ctrl-C has stopped it."""

    result: dict[str, Any]
    why: str
    stopped: bool


def measure(
    command: list[str], chosen: list[str], every: list[str], environment: dict[str, str], step: Callable[[], None]
) -> Measured:
    """Runs the chosen ones, with a step after each."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "out.json"
        options = [f"--benchmark_out={file}", "--benchmark_out_format=json"]
        if chosen != every:
            options.append(f"--benchmark_filter=^({'|'.join(_exactly(name) for name in chosen)})$")
        why, stopped = "", False
        try:
            _, code, errors = _run([*command, *options], environment, lambda line: step() if ROW.match(line) else None)
            why = f"{' '.join(command)} ends with {code}. {errors}".strip() if code != 0 else ""
        except KeyboardInterrupt:
            stopped = True
        try:
            return Measured(_result(file.read_text(encoding="utf-8", errors="replace")), why, stopped)
        except (OSError, FormatError) as error:
            if stopped:
                raise KeyboardInterrupt from None
            raise ProgramError(why or f"{' '.join(command)} wrote no results that can be read: {error}") from None


def _result(text: str) -> dict[str, Any]:
    """Of a program that has ended early, what is whole: a benchmark ends with a bracket of its own on a line."""
    try:
        found = readers.parsed(text)
    except FormatError:
        found = readers.parsed(text[: text.rfind("\n    }")] + "}]}")
    return readers.take_all(found, {"context": readers.table, "benchmarks": readers.tables})


def _exactly(name: str) -> str:
    """As a POSIX extended regular expression, in which an escaped letter or dash means nothing."""
    return re.sub(r"([.\[\]\\()*+?{}|^$])", r"\\\1", name)


def _run(command: list[str], environment: dict[str, str], see: Callable[[str], None]) -> tuple[list[str], int, str]:
    """The lines that it prints, each seen as it comes, its exit code, and the end of what it says on standard error."""
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(
                command, stdout=pipe, stderr=errors, encoding="utf-8", errors="replace", env={**os.environ, **environment}
            )
        except OSError as error:
            raise ProgramError(f"{command[0]} does not start: {error.strerror}") from None
        with process:
            try:
                lines = []
                for line in process.stdout or ():
                    see(line)
                    lines.append(line.strip())
            except BaseException:
                process.terminate()
                raise
        errors.seek(0)
        return [line for line in lines if line], process.returncode, errors.read()[-500:].strip()


def records_of(found: Any, suite: str) -> tuple[list[Record], list[str]]:
    """Its records, and a line for each reason why others are left out."""
    records: dict[Any, Record] = {}
    left_out: dict[str, list[str]] = {}
    for each in found.get("benchmarks", []):
        if each.get("run_type") == "aggregate":
            continue
        name = name_of(str(each.get("name")))
        try:
            if name is None:
                raise FormatError("its name is not CASE/DTYPE/BASELINE/n:N/threads:T")
            record = _record(each, name, suite)
            if record.key in records:
                raise FormatError("a second result of what was measured already")
            records[record.key] = record
        except FormatError as error:
            left_out.setdefault(str(error), []).append(readers.plain(each.get("name")))
    lines = [f"{', '.join(some[:2])}{f' and {len(some) - 2} more' * (len(some) > 2)}: {why}" for why, some in left_out.items()]
    return list(records.values()), lines


def versions_of(found: Any) -> dict[str, str]:
    context = found.get("context", {})
    return {name: readers.plain(context[name]) for name in VERSIONS if name in context}


def _record(found: dict[str, Any], name: Name, suite: str) -> Record:
    if found.get("error_occurred") or found.get("skipped"):
        raise FormatError(str(found.get("error_message") or found.get("skip_message") or "it was skipped"))
    compared = name.against is not None
    return record_of(
        name._asdict()
        | {"suite": suite, "ours": _spread(found, "ours"), "noisy": bool(_counter(found, "noisy"))}
        | {each: _spread(found, each) if compared else None for each in ("baseline", "ratio")}
        | {each: _whole(found, each) for each in ("turns", "discarded", "bytes")}
    )


def _spread(found: dict[str, Any], name: str) -> dict[str, Any]:
    return {"median": _counter(found, name), "low": _counter(found, f"{name}_low"), "high": _counter(found, f"{name}_high")}


def _whole(found: dict[str, Any], name: str) -> Any:
    """Counters are written as floating-point numbers."""
    value = _counter(found, name)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _counter(found: dict[str, Any], name: str) -> Any:
    if name not in found:
        raise FormatError(f"the counter {name!r} is missing")
    return found[name]
