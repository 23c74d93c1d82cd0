# SPDX-License-Identifier: Apache-2.0
"""The comparison tables, one a theme, with a heading a case: as rows of texts, and printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import words
from .record import Record

HEAD = ("n", "threads", "ranks", "against", "eagle", "the other", "ratio", "quartiles", "")
#: Columns of numbers, which are aligned on the right.
NUMBERS = (0, 1, 2, 4, 5, 6, 7)
NOISY = "~"
LEGEND = (
    "ratio: time of the other / time of eagle, the median over turns and its quartiles; above 1 eagle is faster. "
    f"{NOISY}: noisy, the quartiles are further apart than 10 % of the median, or more turns were discarded than kept."
)
Row = tuple[str, ...]


def by_theme(records: Iterable[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(words.theme(record), []).append(record)
    order = {"python": 0, "cpp": 1, "ranks": 2}
    for some in found.values():
        some.sort(key=lambda each: order[each.suite])
    return {theme: found[theme] for theme in words.ORDER if theme in found}


def by_case(records: Iterable[Record]) -> dict[str, list[Row]]:
    """The rows under each heading."""
    found: dict[str, list[Row]] = {}
    for record in records:
        found.setdefault(words.heading(record), []).append(row(record))
    return found


def row(record: Record) -> Row:
    return (
        words.count(record.n) if record.n else "-",
        str(record.threads),
        str(record.ranks) if record.suite == "ranks" else "-",
        record.against or "-",
        words.seconds(record.ours.median),
        words.seconds(record.baseline.median) if record.baseline else "-",
        words.ratio(record.ratio.median) if record.ratio else "-",
        f"{words.ratio(record.ratio.low)} to {words.ratio(record.ratio.high)}" if record.ratio else "-",
        NOISY if record.noisy else "",
    )


def columns(rows: Iterable[Row]) -> list[int]:
    """Those in which some row says something."""
    rows = list(rows)
    return [k for k in range(len(rows[0])) if any(each[k] not in ("", "-") for each in rows)]


def printed(records: list[Record]) -> str:
    parts = []
    for theme, some in by_theme(records).items():
        cases = by_case(some)
        lines = aligned([HEAD, *(each for rows in cases.values() for each in rows)])
        text = [theme, lines.pop(0)]
        for heading, rows in cases.items():
            text += [f"  {heading}", *(lines.pop(0) for _ in rows)]
        parts.append("\n".join(text))
    return "\n\n".join([*parts, LEGEND]) + "\n"


def aligned(rows: list[Row], numbers: Sequence[int] = NUMBERS) -> list[str]:
    """The first row is the head; columns that say nothing are left out."""
    kept = columns(rows[1:])
    width = {k: max(len(each[k]) for each in rows) for k in kept}
    return [
        ("    " + "  ".join(each[k].rjust(width[k]) if k in numbers else each[k].ljust(width[k]) for k in kept)).rstrip()
        for each in rows
    ]
