# SPDX-License-Identifier: Apache-2.0
"""The suite "python": eagle's Python package against the ways that its users have now. They take turns, case by case.

Before and after each turn is a control; a turn beside a disturbed one is taken again and counted as discarded, up to
`PATIENCE` times as many as are wanted. Contestants whose answer is not NumPy's are left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from .contest import Contestant, ContestError, Ended
from .contestants.cases import CASES, TOLERANCE
from .record import Record
from .spread import is_noisy, spread_of

OVERHEADS = ("run", "bind", "launch")
SMALL = 64
SIZES = (64, 1000, 10**4, 10**5, 10**6, 10**7)
PATIENCE = 3
#: Until the threads of who ran before have stopped waiting actively.
PAUSE = 0.05
Way = tuple[str, str]  # contestant, variant


class Cell(NamedTuple):
    """What is timed in one go: a case at one size, by these rivals."""

    case: str
    n: int
    rivals: dict[Way, Contestant]


@dataclass
class Effort:
    """How long a run takes: turns of so many seconds for each cell."""

    turns: int = 15
    seconds: float = 0.03
    sizes: tuple[int, ...] = SIZES
    pause: float = PAUSE


QUICK = Effort(turns=7, seconds=0.005, sizes=(64, 10**4, 10**6))


@dataclass
class Turns:
    seconds: list[float] = field(default_factory=list)
    discarded: int = 0


class Suite:
    """ours: eagle; rivals: who else takes part; disturbed: whether something else has the cores at this moment."""

    def __init__(
        self,
        ours: Contestant,
        rivals: Iterable[Contestant],
        threads: int,
        effort: Effort,
        disturbed: Callable[[], bool],
        say: Callable[[str], None],
    ) -> None:
        self.ours, self.rivals, self.threads, self.effort = ours, list(rivals), threads, effort
        self.disturbed, self.say = disturbed, say
        self.failed = False

    def cells(self, wanted: Callable[[str], bool] = lambda _: True) -> list[Cell]:
        """Of the comparisons whose names are wanted; eagle alone where no rival does a case."""
        found = []
        for case in CASES:
            for n in (SMALL,) if case in OVERHEADS else self.effort.sizes:
                rivals = {(rival.name, way): rival for rival in self.rivals for way in rival.variants(case, n)}
                chosen = {way: rival for way, rival in rivals.items() if wanted(self._name(case, n, way))}
                alone = not rivals and wanted(self._name(case, n, None))
                if self.ours.variants(case, n) and (chosen or alone):
                    found.append(Cell(case, n, chosen))
        return found

    def measure(self, cell: Cell) -> list[Record]:
        mine = self._checked(self.ours, self.ours.variants(cell.case, cell.n), cell)
        if not mine:
            return []
        ways = dict(mine)
        for rival in self.rivals:
            variants = [variant for name, variant in cell.rivals if name == rival.name]
            ways |= self._checked(rival, variants, cell) if variants else {}
        turns = self._turns(cell, ways)
        if not all(way in turns for way in mine):
            return []
        rivals = [way for way in turns if way not in mine]
        return [self._record(cell, turns, way) for way in (rivals if cell.rivals else [None])]

    def _checked(self, contestant: Contestant, variants: list[str], cell: Cell) -> dict[Way, Contestant]:
        """Its ways that answer as NumPy does."""
        try:
            differences = contestant.prepare(cell.case, variants, cell.n, self.effort.seconds)
        except ContestError as error:
            self._leave_out(contestant, cell, contestant.name, error)
            return {}
        accepted = TOLERANCE[CASES[cell.case].dtype]
        ways: dict[Way, Contestant] = {}
        for variant, difference in differences.items():
            if difference is None or difference <= accepted:
                ways[contestant.name, variant] = contestant
            else:
                found = f"WRONG: its answer is {difference:.1e} from NumPy's, accepted is {accepted:.0e}"
                self._leave_out(contestant, cell, label((contestant.name, variant)), ContestError(found))
        return ways

    def _leave_out(self, contestant: Contestant, cell: Cell, name: str, why: ContestError) -> None:
        self.failed |= contestant is self.ours
        place = f"{cell.case}, n = {cell.n}"
        if isinstance(why, Ended):
            self.rivals = [rival for rival in self.rivals if rival is not contestant]
            place += ", and of all after it"
        self.say(f"{name} is left out of {place}: {why}")

    def _turns(self, cell: Cell, ways: dict[Way, Contestant]) -> dict[Way, Turns]:
        turns = {way: Turns() for way in ways}
        time.sleep(self.effort.pause)
        quiet = not self.disturbed()
        for _ in range(self.effort.turns):
            for way in list(turns):
                try:
                    quiet = self._turn(turns[way], ways[way], way[1], quiet)
                except ContestError as error:
                    del turns[way]
                    self._leave_out(ways[way], cell, label(way), error)
        return turns

    def _turn(self, mine: Turns, contestant: Contestant, variant: str, quiet: bool) -> bool:
        """Takes one turn, again while it is disturbed; gives whether the control after it was quiet."""
        while True:
            before, seconds = quiet, contestant.time(variant)
            time.sleep(self.effort.pause)
            quiet = not self.disturbed()
            if (before and quiet) or mine.discarded >= PATIENCE * self.effort.turns:
                mine.seconds.append(seconds)
                return quiet
            mine.discarded += 1

    def _name(self, case: str, n: int, way: Way | None) -> str:
        """As :attr:`Record.name`."""
        return f"{case}/{CASES[case].dtype}/{label(way) if way else '-'}/n:{n}/threads:{self.threads}"

    def _record(self, cell: Cell, turns: dict[Way, Turns], rival: Way | None) -> Record:
        ours = turns[self._way_of_ours(turns, rival)]
        theirs = turns[rival] if rival else None
        ratio = None
        if theirs:
            ratio = spread_of([b / a for a, b in zip(ours.seconds, theirs.seconds, strict=True)])
        discarded = max(ours.discarded, theirs.discarded if theirs else 0)
        mine, case = spread_of(ours.seconds), CASES[cell.case]
        return Record(
            suite="python",
            case=cell.case,
            dtype=case.dtype,
            n=cell.n,
            threads=self.threads,
            ranks=1,
            ours=mine,
            against=label(rival) if rival else None,
            baseline=spread_of(theirs.seconds) if theirs else None,
            ratio=ratio,
            turns=len(ours.seconds),
            discarded=discarded,
            noisy=is_noisy(ratio or mine, len(ours.seconds), discarded),
            bytes=case.bytes(cell.n),
        )

    def _way_of_ours(self, turns: dict[Way, Turns], rival: Way | None) -> Way:
        """On the body that the rival runs, where there is one for both."""
        same_body = (self.ours.name, "hawk")
        if rival and rival[0] == "raptor-eagle" and same_body in turns:
            return same_body
        return next(way for way in turns if way[0] == self.ours.name)


def label(way: Way) -> str:
    return " ".join(word for word in way if word)
