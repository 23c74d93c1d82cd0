# SPDX-License-Identifier: Apache-2.0
"""The format "eagle-bench", version 1: what a run has measured, as one JSON file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import readers
from .files import write_whole
from .readers import FormatError, take, take_all
from .spread import Spread

FORMAT, VERSION = "eagle-bench", 1
SUITES = ("cpp", "ranks", "python")
Key = tuple[str, str, str, str, int, int, int]


@dataclass(frozen=True)
class Record:
    """One comparison. Times are seconds a call; ratio is baseline / ours, turn by turn: above 1 eagle is faster."""

    suite: str
    case: str
    dtype: str
    n: int
    threads: int
    ranks: int
    ours: Spread
    against: str | None
    baseline: Spread | None
    ratio: Spread | None
    turns: int
    discarded: int
    noisy: bool
    bytes: int

    @property
    def key(self) -> Key:
        return self.suite, self.case, self.dtype, self.against or "", self.n, self.threads, self.ranks

    @property
    def name(self) -> str:
        """As benchmarks are named: what --filter is searched in."""
        name = f"{self.case}/{self.dtype}/{self.against or '-'}/n:{self.n}/threads:{self.threads}"
        return name + (f"/ranks:{self.ranks}" if self.suite == "ranks" else "")


@dataclass(frozen=True)
class Run:
    date: str
    machine: dict[str, Any]
    versions: dict[str, str]
    records: list[Record]


def save(run: Run, path: Path) -> None:
    """A record a line."""
    found = asdict(run)
    records = ",\n".join(json.dumps(_rounded(each)) for each in found.pop("records"))
    head = json.dumps({"format": FORMAT, "version": VERSION} | found, indent=1).removesuffix("\n}")
    write_whole(path, f'{head},\n "records": [\n{records}\n]}}\n')


def _rounded(value: Any) -> Any:
    """Times to six digits, which is more than they have."""
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return float(f"{value:.6g}") if isinstance(value, float) else value


def load(path: Path) -> Run:
    """FormatError where the file cannot be read or is something else."""
    try:
        found = readers.parsed(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8 ({error.reason}): {_HINT}") from None
    except FormatError as error:
        raise FormatError(f"{path}: {error}: {_HINT}") from None
    try:
        return _run(found)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None


_HINT = "give a file that --output has written"


def _run(found: Any) -> Run:
    if isinstance(found, dict) and "benchmarks" in found:
        raise FormatError("this is what Google Benchmark writes: run `python -m eagle.bench --output FILE` and give that file")
    name = found.get("format") if isinstance(found, dict) else found
    if name != FORMAT:
        written = name[:60] if isinstance(name, str) else type(name).__name__
        raise FormatError(f'the format is {written!r}, accepted is "{FORMAT}": {_HINT}')
    version = take(found, "version", readers.integer)
    if version != VERSION:
        raise FormatError(f"version {version} is not known: this eagle reads version {VERSION}, a newer one may read it")
    run = Run(
        take(found, "date", readers.text),
        take_all(take(found, "machine", readers.table), MACHINE, "machine"),
        take(found, "versions", readers.named_texts),
        [record_of(each, f"records[{k}]") for k, each in enumerate(take(found, "records", readers.items))],
    )
    _refuse_twice(run.records)
    return run


def _refuse_twice(records: list[Record]) -> None:
    seen: dict[Key, int] = {}
    for k, record in enumerate(records):
        if record.key in seen:
            raise FormatError(f"records[{seen[record.key]}] and records[{k}] are both {record.suite} {record.name}")
        seen[record.key] = k


def record_of(found: Any, where: str = "") -> Record:
    """where: what a FormatError says first."""
    record = Record(**take_all(found, READERS, where))
    given = [name for name in ("against", "baseline", "ratio") if getattr(record, name) is not None]
    if len(given) not in (0, 3):
        raise FormatError(f"{where}: against, baseline and ratio come together or are null, found is only {', '.join(given)}")
    return record


MACHINE: dict[str, readers.Reader] = {
    "cpu": readers.text,
    "cores": readers.count,
    "caches": readers.text,
    "system": readers.text,
    "load": readers.loads,
}
READERS: dict[str, readers.Reader] = {
    "suite": readers.reader(str, f"one of {', '.join(SUITES)}", lambda value: value in SUITES),
    "case": readers.text,
    "dtype": readers.text,
    "n": readers.integer,
    "threads": readers.count,
    "ranks": readers.count,
    "ours": readers.spread(*readers.SECONDS),
    "against": readers.or_null(readers.text),
    "baseline": readers.or_null(readers.spread(*readers.SECONDS)),
    "ratio": readers.or_null(readers.spread(*readers.RATIOS)),
    "turns": readers.count,
    "discarded": readers.integer,
    "noisy": readers.flag,
    "bytes": readers.integer,
}
