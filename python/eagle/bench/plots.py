# SPDX-License-Identifier: Apache-2.0
"""Charts as SVG, by matplotlib: sized for a phone, told apart by marker and colour, with plain labels on logarithmic axes."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import words
from .ending import Refusal
from .series import OURS, Chart, Line
from .spread import Spread
from .svg import FAINT, INK, SERIES, inline

WIDTH, HEIGHT = 340, 280
#: How fast memory is: no contestant, so it has no colour.
LIMIT = "stream"
#: Characters of a label.
LONGEST = 32
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1.2)))
MARKERS = "os^DvPX<>phd"


class MissingError(Refusal):
    """matplotlib is not there, or cannot be used."""


def _rate(value: float) -> str:
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g}"


def _plain(value: float) -> str:
    return f"{value:g}"


def _seconds(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= 0.999 * size:
            return f"{value / size:g} {unit}"
    return f"{value / 1e-9:g} ns"


@dataclass(frozen=True)
class Axes:
    x: str
    y: str
    write_x: Callable[[float], str]
    write_y: Callable[[float], str]
    #: The base of the axis of x; of y it is 10, or 0 where that axis is not logarithmic.
    base: int = 10
    base_of_y: int = 10


AXES = {
    "throughput": Axes("samples", "samples a second", lambda n: words.count(round(n)), _rate),
    "overhead": Axes("time a call", "", _seconds, _plain),
    "sped_up": Axes("times as fast", "", _plain, _plain, 0),
    "threads": Axes("threads", "times as fast as on the fewest", _plain, _plain, 2, 2),
    "ranks": Axes("ranks", "time a call", _plain, _seconds, 2),
    "memory": Axes("bytes moved", "time of stream / time of eagle", words.binary, _plain, 2, 0),
}


class Painter:
    """A contestant keeps its colour and marker through all charts of a suite; its variants have its colour."""

    def __init__(self) -> None:
        try:
            self._matplotlib: Any = importlib.import_module("matplotlib")
            self._figures: Any = importlib.import_module("matplotlib.figure")
            self._ticker: Any = importlib.import_module("matplotlib.ticker")
        except Exception as error:  # what one for another NumPy raises is no ImportError
            raise MissingError(
                f"the report needs matplotlib ({type(error).__name__}: {error}): pip install 'eagle-exec[bench]'"
            ) from None
        self._colours: dict[tuple[str, str], int] = {}
        self._markers: dict[tuple[str, str], int] = {}
        self._count = 0

    def draw(self, chart: Chart) -> str:
        style = {
            "svg.fonttype": "none",
            "svg.hashsalt": "eagle",
            "font.size": 11,
            "text.parse_math": False,
            "text.usetex": False,
            "axes.edgecolor": INK,
            "axes.labelcolor": INK,
            "text.color": INK,
            "xtick.color": INK,
            "ytick.color": INK,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
        with self._matplotlib.rc_context(style):
            rows, columns = len(chart.labels), _columns(list(chart.lines))
            height = 90 + rows * (10 + 7 * len(chart.lines)) if rows else HEIGHT
            height += 18 * ((len(chart.lines) - 1) // columns)
            figure = self._figures.Figure((WIDTH / 72, height / 72), layout="constrained")
            axes = figure.add_subplot()
            axes.grid(color=FAINT, linewidth=0.6)
            shown = (self._dots if rows else self._curves)(axes, chart)
            axes.set_axisbelow(True)
            place: dict[str, Any] = {"loc": "outside lower center", "ncols": columns}
            figure.legend(shown, map(shortened, chart.lines), **place, frameon=False, handlelength=1.8, columnspacing=1.0)
            self._count += 1
            return inline(figure, f"f{self._count}", chart.title, describe(chart))

    def _look(self, chart: Chart, name: str) -> dict[str, Any]:
        family = name if name.startswith(OURS) else name.partition(" ")[0]
        colour, marker = _place(self._colours, chart.suite, family), _place(self._markers, chart.suite, name)
        mine, limit = name == OURS, name == LIMIT
        variant = [each for each in chart.lines if each.partition(" ")[0] == family].index(name) if family != name else 0
        return {
            "color": INK if limit else SERIES[colour % len(SERIES)],
            "linestyle": "--" if limit else DASHES[variant % len(DASHES)],
            "marker": MARKERS[marker % len(MARKERS)],
            "markersize": 6 if mine else 5,
            "linewidth": 2.4 if mine else 1.4,
            "zorder": 3 if mine else 2,
        }

    def _curves(self, axes: Any, chart: Chart) -> list[Any]:
        """What stands for each line in the legend."""
        kind, shown = AXES[chart.kind], []
        for name, line in chart.lines.items():
            at, spreads = list(line), list(line.values())
            look = self._look(chart, name)
            shown += axes.plot(at, [each.median for each in spreads], **look)
            lows, highs = [each.low for each in spreads], [each.high for each in spreads]
            axes.vlines(at, lows, highs, color=look["color"], linewidth=look["linewidth"])
        axes.set_xscale("log", base=kind.base)
        if kind.base_of_y:
            axes.set_yscale("log", base=kind.base_of_y)
        values = sorted({x for line in chart.lines.values() for x in line}) if chart.kind != "memory" else None
        self._ticks(axes.xaxis, kind.write_x, values, kind.base)
        self._ticks(axes.yaxis, kind.write_y, None, kind.base_of_y)
        axes.set_xlabel(kind.x)
        axes.set_ylabel(kind.y)
        if chart.kind == "threads":
            ends, first = axes.get_xlim(), min(min(line) for line in chart.lines.values())
            axes.plot(ends, [each / first for each in ends], color=INK, linestyle=":", zorder=1)
            axes.set_xlim(ends)
        if chart.kind == "memory":
            axes.axhline(1.0, color=INK, linestyle=":", zorder=1)
            axes.set_ylim(bottom=0)
        return shown

    def _dots(self, axes: Any, chart: Chart) -> list[Any]:
        """As _curves, a row a label."""
        shown = []
        for k, (name, line) in enumerate(chart.lines.items()):
            look = self._look(chart, name) | {"linestyle": "none"}
            shift = (k - (len(chart.lines) - 1) / 2) * 0.8 / max(1, len(chart.lines))
            heights = [place + shift for place in line]
            shown += axes.plot([each.median for each in line.values()], heights, **look)
            ends = [s.low for s in line.values()], [s.high for s in line.values()]
            axes.hlines(heights, *ends, color=look["color"], linewidth=look["linewidth"])
        kind = AXES[chart.kind]
        if kind.base:
            axes.set_xscale("log", base=kind.base)
        self._ticks(axes.xaxis, kind.write_x, None, kind.base)
        axes.set_xlabel(kind.x)
        axes.set_yticks(range(len(chart.labels)), map(shortened, chart.labels))
        axes.set_ylim(len(chart.labels) - 0.5, -0.5)
        axes.grid(axis="y", visible=False)
        for place in range(1, len(chart.labels)):
            axes.axhline(place - 0.5, color=FAINT, linewidth=0.6, zorder=1)
        return shown

    def _ticks(self, axis: Any, write: Callable[[float], str], values: list[float] | None, base: int) -> None:
        """A label at each value where they are few, else at powers of the base."""
        ticker = self._ticker
        if values is not None and len(values) <= 5:
            axis.set_major_locator(ticker.FixedLocator(values))
        elif base == 2:
            axis.set_major_locator(ticker.LogLocator(base=2, numticks=5))
        elif base:
            low, high = axis.get_view_interval()
            subs = (1.0,) if high / low > 300 else (1.0, 3.0) if high / low > 15 else (1.0, 2.0, 5.0)
            axis.set_major_locator(ticker.LogLocator(base=10, subs=subs, numticks=8))
        axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: write(value)))
        axis.set_minor_formatter(ticker.NullFormatter())
        axis.set_minor_locator(ticker.NullLocator())


def _place(places: dict[tuple[str, str], int], suite: str, name: str) -> int:
    """In the order in which a suite's names come."""
    return places.setdefault((suite, name), sum(other == suite for other, _ in places))


def shortened(label: str) -> str:
    """Both of its ends, where it is too long for a chart."""
    half = LONGEST // 2
    return label if len(label) <= LONGEST else f"{label[:half]}…{label[1 - half :]}"


def _columns(names: list[str]) -> int:
    longest = max(len(name) for name in names)
    return 3 if longest < 14 else 2 if longest < 24 else 1


def describe(chart: Chart) -> str:
    """What a reader who does not see it is told: both ends of each line."""
    kind = AXES[chart.kind]
    if chart.labels:
        rows = {name: ", ".join(_row(chart, at, each) for at, each in line.items()) for name, line in chart.lines.items()}
        return f"{kind.x.capitalize()}. " + " ".join(f"{name}: {row}." for name, row in rows.items())
    return f"{kind.y.capitalize()} over {kind.x}. " + " ".join(
        f"{name} {_ends(line, kind)}." for name, line in chart.lines.items()
    )


def _row(chart: Chart, at: float, spread: Spread) -> str:
    return f"{chart.labels[int(at)]} {AXES[chart.kind].write_x(float(f'{spread.median:.3g}'))}"


def _ends(line: Line, kind: Axes) -> str:
    first, last = min(line), max(line)
    both = [f"{kind.write_y(float(f'{line[at].median:.3g}'))} at {kind.write_x(at)}" for at in dict.fromkeys((first, last))]
    return "from " + " to ".join(both) if len(both) > 1 else both[0]
