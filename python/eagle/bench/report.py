# SPDX-License-Identifier: Apache-2.0
"""A run as one HTML file that needs nothing beside it: no network, no script."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

from . import gaps, series, tables, words
from .ending import Refusal
from .files import check, write_whole
from .plots import MissingError, Painter
from .record import Record, Run
from .series import Chart

__all__ = ["MissingError", "page", "place", "write"]

METHOD = (
    "eagle and what it is compared with take turns in one run, on the same cores. A figure is the median over turns; lines and "
    "brackets show the quartiles. A turn beside which something else had the cores is thrown away and counted as discarded.",
    "The ratio is time of the other / time of eagle, turn by turn: above 1 eagle is faster. What lies above or below by less "
    "than the quartiles are apart is no difference.",
)


def write(run: Run, folder: Path) -> Path:
    """DIR/index.html; what stood there before stays until the new one is whole."""
    text, file = page(run), place(folder)
    write_whole(file, text)
    return file


def place(folder: Path) -> Path:
    """Of the page, in a folder that is there from now on. Refusal where it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "it is a file" if folder.exists() else error.strerror
        raise Refusal(f"{folder} cannot be the folder of a report: {why}") from None
    check(folder / "index.html")
    return folder / "index.html"


def page(run: Run) -> str:
    painter = Painter()
    style = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
    body = [
        "<header><h1>eagle, measured</h1>",
        f"<p>{escape(words.machine(run.machine))}. {escape(words.date(run.date))}</p></header>",
        "<main>",
        *_about(run),
        *_charts(run.records, painter),
        *_tables(run.records),
        "</main>",
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>eagle, measured</title>\n<style>\n{style}</style>\n</head>\n"
        "<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def _about(run: Run) -> Iterable[str]:
    noisy = sum(record.noisy for record in run.records)
    yield "<section><h2>How this was measured</h2>"
    yield from (f"<p>{escape(text)}</p>" for text in METHOD)
    yield f"<p>{words.counted(len(run.records), 'comparison')}, {noisy} of them noisy: marked {tables.NOISY} in the tables.</p>"
    yield "<h3>Versions</h3><dl>"
    yield from (f"<div><dt>{escape(name)}</dt><dd>{escape(version)}</dd></div>" for name, version in run.versions.items())
    load = " ".join(f"{each:.2f}" for each in run.machine["load"])
    yield f"<div><dt>load before</dt><dd>{load}</dd></div></dl>"
    yield "<h3>Not measured</h3><ul>"
    yield from (f"<li>{escape(line)}</li>" for line in gaps.unmeasured(run))
    yield "</ul></section>"


def _charts(records: list[Record], painter: Painter) -> Iterable[str]:
    for theme, charts in series.throughput(records).items():
        yield from _section(f"{theme}: throughput", "Higher is faster.", charts, painter)
    yield from _section("Overhead a call", "Further left is faster.", series.overhead(records), painter)
    yield from _section(
        "Over threads",
        "How many times as fast each is as itself on the fewest threads, at the largest n that was measured on several.",
        series.over_threads(records),
        painter,
    )
    yield from _section("Over ranks", "Lower is faster.", series.over_ranks(records), painter)
    yield from _section(
        "Against the limit of memory",
        "The time that as many bytes take to stream without more work, divided by eagle's: at 1 (dotted) memory allows no more.",
        series.memory(records),
        painter,
    )


def _section(title: str, words_: str, charts: list[Chart], painter: Painter) -> Iterable[str]:
    if not charts:
        return
    yield f'<section><h2>{escape(title)}</h2><p>{escape(words_)}</p><div class="charts">'
    for chart in charts:
        yield f"<figure><figcaption>{escape(chart.title)}</figcaption>{painter.draw(chart)}</figure>"
    yield "</div></section>"


def _tables(records: list[Record]) -> Iterable[str]:
    yield f"<section><h2>Tables</h2><p>{escape(tables.LEGEND)}</p>"
    for theme, some in tables.by_theme(records).items():
        cases = tables.by_case(some)
        kept = tables.columns(row for rows in cases.values() for row in rows)
        yield f'<h3>{escape(theme)}</h3><div class="scroll" role="region" tabindex="0" aria-label="{escape(theme)}, table"><table>'
        yield "<thead>" + _row("th", tables.HEAD[:-1] + ("noisy",), kept) + "</thead>"
        for heading, rows in cases.items():
            yield f'<tbody><tr><th scope="rowgroup" colspan="{len(kept)}">{escape(heading)}</th></tr>'
            yield from (_row("td", row, kept) for row in rows)
            yield "</tbody>"
        yield "</table></div>"
    yield "</section>"


def _row(tag: str, texts: tables.Row, kept: list[int]) -> str:
    return "<tr>" + "".join(_cell(tag, k, texts[k]) for k in kept) + "</tr>"


def _cell(tag: str, column: int, text: str) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    number = ' class="number"' if column in tables.NUMBERS else ""
    return f"<{tag}{scope}{number}>{escape(text)}</{tag}>"
