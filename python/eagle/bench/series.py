# SPDX-License-Identifier: Apache-2.0
"""The charts of a report, as numbers: which lines, over what."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from . import tables, words
from .record import Record
from .spread import Spread

OURS = "eagle"
Line = dict[float, Spread]


@dataclass(frozen=True)
class Chart:
    """lines: by name, what lies at each x. kind: a key of plots.AXES. labels: what x = 0, 1, ... stand for, where these are rows.
    suite: whose contestants the lines are."""

    kind: str
    suite: str
    title: str
    lines: dict[str, Line]
    labels: tuple[str, ...] = ()


def throughput(records: Iterable[Record]) -> dict[str, list[Chart]]:
    """By theme: samples a second over n, of each case that was measured at several n, on the most threads and ranks."""
    found: dict[str, list[Chart]] = {}
    for theme, some in tables.by_theme(each for each in records if not _is_overhead(each)).items():
        cases = map(_most, _cases(some))
        charts = [Chart("throughput", r[0].suite, _title(r[0]), _lines(r, lambda each: each.n, _rate)) for r in cases]
        if charts := [chart for chart in charts if _points(chart) > 1]:
            found[theme] = charts
    return found


def overhead(records: Iterable[Record]) -> list[Chart]:
    """Seconds a call of what moves no planes worth counting, a chart a suite."""
    some = [each for each in records if _is_overhead(each)]
    charts = []
    for suite, name in (("python", "Python"), ("cpp", "C++"), ("ranks", "MPI ranks")):
        mine = [each for cases in _cases(each for each in some if each.suite == suite) for each in _most(cases)]
        labels = list(dict.fromkeys(map(_call, mine)))
        if labels:
            places = {label: float(place) for place, label in enumerate(labels)}
            lines = _lines(mine, lambda each: places[_call(each)], _time)  # noqa: B023
            charts.append(Chart("overhead", suite, f"Time a call, {name}", lines, tuple(labels)))
    return charts


def over_threads(records: Iterable[Record]) -> list[Chart]:
    """How many times as fast as itself on the fewest threads, at the largest n that was measured on several. A chart a case,
    or where there are but two counts a chart a theme with a row a case."""
    cases = _several((r for r in records if r.suite != "ranks" and not _is_overhead(r)), lambda r: r.threads)
    charts = [
        Chart("threads", each[0].suite, _title(each[0], "threads"), _sped_up(_lines(each, lambda r: r.threads, _time)))
        for each in cases
    ]
    if any(_points(chart) > 2 for chart in charts):
        return charts
    themes = dict.fromkeys(words.theme(each[0]) for each in cases)
    return [
        _row_a_case(theme, [(r, c) for r, c in zip(cases, charts, strict=True) if words.theme(r[0]) == theme])
        for theme in themes
    ]


def _row_a_case(theme: str, cases: list[tuple[list[Record], Chart]]) -> Chart:
    lines: dict[str, Line] = {}
    for place, (_, chart) in enumerate(cases):
        for name, line in chart.lines.items():
            lines.setdefault(name, {})[float(place)] = line[max(line)]
    counts = sorted({record.threads for records, _ in cases for record in records})
    labels = tuple(f"{records[0].case}, {records[0].dtype}" for records, _ in cases)
    return Chart("sped_up", cases[0][1].suite, f"{theme}: {counts[-1]} threads against {counts[0]}", lines, labels)


def over_ranks(records: Iterable[Record]) -> list[Chart]:
    """Seconds a call, at the largest n that was measured on several."""
    return [
        Chart("ranks", "ranks", _title(each[0], "ranks"), _lines(each, lambda r: r.ranks, _time))
        for each in _several((r for r in records if r.suite == "ranks"), lambda r: r.ranks)
    ]


def memory(records: Iterable[Record]) -> list[Chart]:
    """Time of a stream of as many bytes / time of eagle, over the bytes; a chart a theme and dtype, a line a case."""
    charts = []
    streams = [each for each in records if each.against == "stream" and each.bytes]
    for theme, some in tables.by_theme(streams).items():
        for dtype in dict.fromkeys(each.dtype for each in some):
            cases = [_most(each) for each in _cases(r for r in some if r.dtype == dtype)]
            lines = {each[0].case: {float(r.bytes): r.ratio for r in each if r.ratio} for each in cases}
            charts.append(Chart("memory", dtype + theme, f"{theme}, {dtype}{_team(cases[0][0])}", lines))
    return charts


def _is_overhead(record: Record) -> bool:
    return not record.bytes or not record.n or words.theme(record) in ("Calls", "Bundles")


def _cases(records: Iterable[Record]) -> list[list[Record]]:
    """Records that differ in n, threads, ranks and against alone."""
    return _grouped(records, lambda each: (each.suite, each.case, each.dtype))


def _grouped(records: Iterable[Record], key: Callable[[Record], Any]) -> list[list[Record]]:
    found: dict[Any, list[Record]] = {}
    for record in records:
        found.setdefault(key(record), []).append(record)
    return list(found.values())


def _most(records: list[Record]) -> list[Record]:
    most = max((each.ranks, each.threads) for each in records)
    return [each for each in records if (each.ranks, each.threads) == most]


def _several(records: Iterable[Record], count: Callable[[Record], int]) -> list[list[Record]]:
    """Of each case the records at the largest n that has several counts."""
    found = []
    for case in _cases(records):
        sizes = [each for each in _grouped(case, lambda r: r.n) if len({count(r) for r in each}) > 1]
        if sizes:
            found.append(max(sizes, key=lambda each: each[0].n))
    return found


def _lines(records: list[Record], x: Callable[[Record], float], value: Callable[[Record, Spread], Spread]) -> dict[str, Line]:
    """eagle and whatever it was measured against. eagle was measured beside each of them: the middle of these."""
    found: dict[str, dict[float, list[Spread]]] = {OURS: {}}
    for record in records:
        found[OURS].setdefault(x(record), []).append(value(record, record.ours))
        if record.against and record.baseline:
            found.setdefault(record.against, {}).setdefault(x(record), []).append(value(record, record.baseline))
    return {name: {at: _middle(line[at]) for at in sorted(line)} for name, line in found.items()}


def _middle(spreads: list[Spread]) -> Spread:
    medians, lows, highs = ([getattr(each, name) for each in spreads] for name in ("median", "low", "high"))
    return Spread(statistics.median(medians), statistics.median(lows), statistics.median(highs))


def _rate(record: Record, spread: Spread) -> Spread:
    return Spread(record.n / spread.median, record.n / spread.high, record.n / spread.low)


def _time(_: Record, spread: Spread) -> Spread:
    return spread


def _sped_up(lines: dict[str, Line]) -> dict[str, Line]:
    found = {}
    for name, line in lines.items():
        if len(line) > 1:
            one = line[min(line)].median
            found[name] = {at: Spread(one / each.median, one / each.high, one / each.low) for at, each in line.items()}
    return found


def _points(chart: Chart) -> int:
    return max(len(line) for line in chart.lines.values())


def _title(record: Record, over: str = "") -> str:
    size = f", n = {words.count(record.n)}" if over and record.n else ""
    return words.heading(record) + size + _team(record, over)


def _team(record: Record, over: str = "") -> str:
    parts = [] if over == "threads" else [f", {words.counted(record.threads, 'thread')}"]
    if record.suite == "ranks":
        parts = [] if over == "ranks" else [f", {words.counted(record.ranks, 'rank')}"]
    return "".join(parts)


def _call(record: Record) -> str:
    return f"{record.case}, {record.n}" if record.n else record.case
