# SPDX-License-Identifier: Apache-2.0
"""The format "eagle-bench", version 1: what a run has measured, as one JSON file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from .spread import Spread

FORMAT, VERSION = "eagle-bench", 1
SUITES = ("cpp", "ranks", "python")
Key = tuple[str, str, str, str, int, int, int]


class FormatError(ValueError):
    """A file that is not what it should be: which, where, what was found, what is accepted."""


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


def write_whole(path: Path, text: str) -> None:
    """Writes it beside its place first, so that no half file is ever there."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def load(path: Path) -> Run:
    """FormatError where the file cannot be read or is something else."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise FormatError(f"{path} is not JSON ({error}): give a file that --output has written") from None
    try:
        return _run(found)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None


def _run(found: Any) -> Run:
    if isinstance(found, dict) and "benchmarks" in found:
        raise FormatError("this is what Google Benchmark writes: run `python -m eagle.bench --output FILE` and give that file")
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        name = found.get("format") if isinstance(found, dict) else type(found).__name__
        raise FormatError(f'the format is {name!r}, accepted is "{FORMAT}": give a file that --output has written')
    version = _take(found, "version", _integer)
    if version != VERSION:
        raise FormatError(f"version {version} is not known: this eagle reads version {VERSION}, a newer one may read it")
    run = Run(
        _take(found, "date", _text),
        _take(found, "machine", _machine),
        _take(found, "versions", _texts),
        [_record(each, f"records[{k}]") for k, each in enumerate(_take(found, "records", _list))],
    )
    _refuse_twice(run.records)
    return run


def _refuse_twice(records: list[Record]) -> None:
    seen: dict[Key, int] = {}
    for k, record in enumerate(records):
        if record.key in seen:
            raise FormatError(f"records[{seen[record.key]}] and records[{k}] are both {record.suite} {record.name}")
        seen[record.key] = k


def _record(found: Any, where: str) -> Record:
    if not isinstance(found, dict):
        raise FormatError(f"{where} is {found!r}, accepted is an object")
    record = Record(**{each.name: _take(found, each.name, READERS[each.name], f"{where}: ") for each in fields(Record)})
    given = [name for name in ("against", "baseline", "ratio") if getattr(record, name) is not None]
    if len(given) not in (0, 3):
        raise FormatError(f"{where}: against, baseline and ratio come together or are null, found is only {', '.join(given)}")
    return record


def _take(found: dict[str, Any], name: str, read: Callable[[Any], Any], where: str = "") -> Any:
    if name not in found:
        raise FormatError(f'{where}"{name}" is missing')
    try:
        return read(found[name])
    except FormatError as error:
        raise FormatError(f'{where}"{name}" is {json.dumps(found[name])[:60]}, accepted is {error}') from None


def _reader(kind: type, what: str, accepts: Callable[[Any], bool] = lambda _: True) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)) or not accepts(value):
            raise FormatError(what)
        return value

    return read


_text = _reader(str, "text")
_list = _reader(list, "a list")
_flag = _reader(bool, "true or false")
_integer = _reader(int, "an integer of at least 0", lambda value: value >= 0)
_count = _reader(int, "an integer of at least 1", lambda value: value >= 1)
_suite = _reader(str, f"one of {', '.join(SUITES)}", lambda value: value in SUITES)
_texts = _reader(dict, "an object of texts", lambda found: all(isinstance(value, str) for value in found.values()))


def _machine(value: Any) -> dict[str, Any]:
    kinds = {"cpu": str, "cores": int, "caches": str, "system": str, "load": list}
    if not isinstance(value, dict) or not all(isinstance(value.get(name), kind) for name, kind in kinds.items()):
        raise FormatError("an object with cpu, cores, caches, system and load")
    return value


def _spread(value: Any) -> Spread:
    numbers: list[Any] = [value.get(name) for name in ("median", "low", "high")] if isinstance(value, dict) else [None]
    if any(isinstance(each, bool) or not isinstance(each, int | float) for each in numbers):
        raise FormatError(_NUMBERS)
    spread = Spread(*(float(each) for each in numbers))
    if not 0 < spread.low <= spread.median <= spread.high < float("inf"):
        raise FormatError(_NUMBERS)
    return spread


_NUMBERS = "an object of numbers with 0 < low <= median <= high"


def _or_null(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


READERS: dict[str, Callable[[Any], Any]] = {
    "suite": _suite,
    "case": _text,
    "dtype": _text,
    "n": _integer,
    "threads": _count,
    "ranks": _count,
    "ours": _spread,
    "against": _or_null(_text),
    "baseline": _or_null(_spread),
    "ratio": _or_null(_spread),
    "turns": _count,
    "discarded": _integer,
    "noisy": _flag,
    "bytes": _integer,
}
