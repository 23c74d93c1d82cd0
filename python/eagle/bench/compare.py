# SPDX-License-Identifier: Apache-2.0
"""Which comparisons of two runs have changed beyond the noise of both."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

from . import words
from .readers import FormatError
from .record import Record, Run
from .spread import Spread
from .tables import aligned

#: A change of less than this is none.
LEAST = 0.10
#: A change of fewer than so many uncertainties is none.
CERTAIN = 5.0

DISTURBED = "disturbed"
RULE = """\
A comparison is slower, or faster, when all of this holds:
- its value has changed by more than 10 %: the ratio to the other program of the same run, so that a machine that is slower as a
  whole does not count; where nothing was measured beside eagle its bare time, and then only if both runs are of the same
  machine (cpu, cores and caches as written in the files; what else the machine did is not known);
- the quartiles of the two runs do not overlap;
- the change is more than five times its uncertainty, which is sqrt(a * a + b * b), a and b being 0.93 times the distance of the
  quartiles as a share of the median, divided by the square root of the number of turns, of the old and the new run. A
  distance counts as no smaller than the middle one of its file, since few turns may lie close together by luck.
Where either run has marked the comparison as noisy, the first and the last bound are doubled. Where either has discarded more
turns than it has kept, something else had the cores all the time: the comparison is not judged, but counted. Comparisons that
only one file has are counted and named. What a change must be to be seen is printed."""


@dataclass(frozen=True)
class Change:
    """factor: above 1 eagle is slower than before; least: the share by which it must change to count."""

    old: Record
    new: Record
    factor: float
    least: float
    verdict: str


@dataclass(frozen=True)
class Comparison:
    changes: list[Change]
    #: Bare times of different machines.
    incomparable: list[Record]
    only_old: list[Record]
    only_new: list[Record]

    def of(self, verdict: str) -> list[Change]:
        return [change for change in self.changes if change.verdict == verdict]


def compare(old: Run, new: Run) -> Comparison:
    """FormatError where they have nothing in common that can be judged."""
    before, after = ({record.key: record for record in run.records} for run in (old, new))
    same = all(old.machine[name] == new.machine[name] for name in ("cpu", "cores", "caches"))
    pairs = [(record, after[key]) for key, record in before.items() if key in after]
    bare = [pair for pair in pairs if pair[0].ratio is None]
    chosen = [pair for pair in pairs if same or pair[0].ratio is not None]
    if not chosen:
        times = words.counted(len(bare), "bare time")
        why = f"what is in both, {times}, is of different machines" if bare else "no comparison is in both"
        raise FormatError(f"there is nothing to compare: {why}")
    steady = _usual_width(old), _usual_width(new)
    changes = [_change(*pair, steady) for pair in chosen]
    if all(change.verdict == DISTURBED for change in changes):
        raise FormatError(f"there is nothing to compare: {_lost(len(changes))}: measure anew, on a machine that does less else")
    return Comparison(
        changes,
        [] if same else [old for old, _ in bare],
        [record for key, record in before.items() if key not in after],
        [record for key, record in after.items() if key not in before],
    )


def _change(old: Record, new: Record, steady: tuple[float, float]) -> Change:
    a, b = _judged(old), _judged(new)
    factor = b.median / a.median if old.ratio is None else a.median / b.median
    uncertainty = math.hypot(_uncertainty(old, steady[0]), _uncertainty(new, steady[1]))
    least = (2.0 if old.noisy or new.noisy else 1.0) * max(LEAST, CERTAIN * uncertainty)
    apart = a.high < b.low or b.high < a.low
    beyond = apart and max(factor, 1 / factor) > 1 + least
    verdict = "same" if not beyond else "slower" if factor > 1 else "faster"
    disturbed = any(each.discarded > each.turns for each in (old, new))
    return Change(old, new, factor, least, DISTURBED if disturbed else verdict)


def _lost(count: int) -> str:
    return f"{count} not judged, as more turns were discarded than kept"


def _uncertainty(record: Record, steady: float) -> float:
    """Of its median, as a share of it: one standard error if the turns scatter like a bell."""
    return 0.93 * max(_judged(record).width, steady) / math.sqrt(record.turns)


def _usual_width(run: Run) -> float:
    return statistics.median(_judged(record).width for record in run.records)


def _judged(record: Record) -> Spread:
    return record.ours if record.ratio is None else record.ratio


HEAD = ("", "suite", "comparison", "was", "is", "eagle's time", "")


def printed(old: Run, new: Run, comparison: Comparison) -> str:
    """The table of what has changed, what could not be compared, and one line of summary."""
    slower, faster = comparison.of("slower"), comparison.of("faster")
    lines = []
    if slower or faster:
        changed = sorted([*slower, *faster], key=lambda change: -change.factor)
        lines += [*aligned([HEAD, *(_row(change) for change in changed)], (3, 4, 5)), ""]
        lines += ["  was, is: other / eagle, or where there is no other its time; eagle's time: run to run, not judged", ""]
    lines += _beside(old, new, comparison)
    if lost := comparison.of(DISTURBED):
        lines.append(f"{_lost(len(lost))} (something else had the cores)")
    least = sorted(100 * change.least for change in comparison.changes if change.verdict != DISTURBED)
    lines.append(
        f"to be seen a change must be {statistics.median(least):.0f} % in half of the comparisons, "
        f"{least[math.ceil(0.9 * len(least)) - 1]:.0f} % in nine of ten"
    )
    same = len(comparison.of("same"))
    lines.append(f"{len(slower)} slower, {len(faster)} faster, {same} the same within the noise")
    return "\n".join(lines) + "\n"


def _row(change: Change) -> tuple[str, ...]:
    old, new = change.old, change.new
    was, now = _judged(old), _judged(new)
    write = words.seconds if old.ratio is None else words.ratio
    times = f"x {words.ratio(new.ours.median / old.ours.median)}"
    percent = f"{change.verdict} by {100 * (max(change.factor, 1 / change.factor) - 1):.0f} %"
    return percent, old.suite, old.name, write(was.median), write(now.median), times, "~" if old.noisy or new.noisy else ""


def _beside(old: Run, new: Run, comparison: Comparison) -> list[str]:
    """What the reader should know of the two runs."""
    lines = []
    moved = [f"{name} {was} -> {new.versions[name]}" for name, was in old.versions.items() if _moved(name, was, new)]
    if moved:
        lines.append("other versions, so ratios may have moved with the other program: " + ", ".join(moved))
    if any(old.machine[name] != new.machine[name] for name in ("cpu", "cores", "caches")):
        lines.append(f"other machine: {words.machine(old.machine)} -> {words.machine(new.machine)}")
    for one, what, records in (
        ("bare time", "not compared, as the machine is another", comparison.incomparable),
        ("comparison", "only in the old file", comparison.only_old),
        ("comparison", "only in the new file", comparison.only_new),
    ):
        if records:
            lines.append(
                f"{words.counted(len(records), one)} {what}: " + ", ".join(f"{each.suite} {each.name}" for each in records)
            )
    return lines


def _moved(name: str, was: str, new: Run) -> bool:
    return name != "eagle" and new.versions.get(name, was) != was
