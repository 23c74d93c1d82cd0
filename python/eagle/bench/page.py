# SPDX-License-Identifier: Apache-2.0
"""A page of words and figures from a template and a record, so that no figure is typed.

In the template, {{...}} stands for

- ``date``, ``machine``, ``comparisons`` (how many), ``noisy`` (how many of them), ``version NAME``;
- ``time SUITE CASE DTYPE WHO N THREADS`` and ``ratio SUITE CASE DTYPE AGAINST N THREADS``: one figure;
- ``unmeasured``: a list of what the record does not say;
- ``ratios SUITE CASE... : N...``: a table of ratios, a row for each case, dtype and baseline, a column for each size on the
  fewest and the most threads (of "ranks", on the fewest and most ranks);
- ``times SUITE CASE... : N...``: a table of times a call, a row for each case and size, a column for eagle and each other.

Sizes are written 64, 1e6 or 2^20. What the record lacks is "not measured".
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

from . import gaps, record, words
from .ending import Refusal, ended
from .files import write_whole
from .record import Record, Run
from .series import OURS
from .tables import NOISY

ABSENT = "not measured"


class TemplateError(Refusal):
    """What stands between {{ and }} and is not known."""


def fill(template: str, run: Run) -> str:
    def put(found: re.Match[str]) -> str:
        name, *given = found[1].split()
        try:
            return DIRECTIVES[name](run, *given)
        except (KeyError, TypeError, ValueError, OverflowError):
            raise TemplateError(f"{{{{{found[1]}}}}} is not known: eagle.bench.page says what is accepted") from None

    return re.sub(r"\{\{(.+?)\}\}", put, template, flags=re.S)


def _size(text: str) -> int:
    base, _, power = text.partition("^")
    return int(base) ** int(power) if power else int(float(text))


def _version(run: Run, *name: str) -> str:
    return run.versions.get(" ".join(name), "unknown")


def _one(run: Run, suite: str, case: str, dtype: str, who: str, n: str, threads: str) -> Record | None:
    """who "eagle": whatever it was measured against."""
    wanted = (suite, case, dtype, _size(n), int(threads))
    for each in run.records:
        same = (each.suite, each.case, each.dtype, each.n, each.threads) == wanted
        if same and who.replace("_", " ") in (OURS, (each.against or "").replace("_", " ")):
            return each
    return None


def _time(run: Run, *given: str) -> str:
    found = _one(run, *given)
    spread = None if found is None else found.ours if given[3] == OURS else found.baseline
    return words.seconds(spread.median) if spread else ABSENT


def _ratio(run: Run, *given: str) -> str:
    found = _one(run, *given)
    return words.ratio(found.ratio.median) if found and found.ratio else ABSENT


def _split(given: tuple[str, ...]) -> tuple[list[str], list[int]]:
    middle = given.index(":")
    return list(given[:middle]), [_size(each) for each in given[middle + 1 :]]


def _ratios(run: Run, suite: str, *given: str) -> str:
    cases, sizes = _split(given)
    some = [each for each in run.records if each.suite == suite and each.case in cases and each.ratio and each.n in sizes]
    teams = sorted({_team(each) for each in some})
    ends = list(dict.fromkeys((teams[0], teams[-1]))) if teams else []
    places = [(n, team) for n in sizes for team in ends if any((each.n, _team(each)) == (n, team) for each in some)]
    what = "rank" if suite == "ranks" else "thread"
    head = ["eagle against", *(f"{words.count(n)}, {words.counted(team, what)}" for n, team in places)]
    rows = [head]
    for case in cases:
        found: dict[tuple[str, str], dict[tuple[int, int], str]] = {}
        for each in some:
            if each.case == case and each.ratio:
                row = found.setdefault((each.dtype, each.against or ""), {})
                row[each.n, _team(each)] = _marked(words.ratio(each.ratio.median), each)
        for (dtype, against), row in found.items():
            rows.append([f"{words.case(case)}, {dtype}: `{against}`", *(row.get(place, "") for place in places)])
        if not found:
            rows.append([f"{words.case(case)}: {ABSENT}", *("" for _ in places)])
    return _markdown(rows)


def _times(run: Run, suite: str, *given: str) -> str:
    cases, sizes = _split(given)
    some = [each for each in run.records if each.suite == suite and each.case in cases and each.n in sizes]
    some = [each for each in some if each.threads == max(other.threads for other in some)]
    others = list(dict.fromkeys(each.against for each in some if each.against))
    families = list(dict.fromkeys(name.partition(" ")[0] for name in others))
    others.sort(key=lambda name: families.index(name.partition(" ")[0]))
    rows = [["a call", OURS, *others]]
    for case in cases:
        mine = [each for each in some if each.case == case]
        for n in sizes:
            if here := [each for each in mine if each.n == n]:
                theirs = {each.against: _marked(words.seconds(each.baseline.median), each) for each in here if each.baseline}
                what = [words.case(case), here[0].dtype.replace("-", ""), words.count(n) if n else ""]
                rows.append([", ".join(each for each in what if each), words.seconds(here[0].ours.median)])
                rows[-1] += [theirs.get(name, "") for name in others]
        if not mine:
            rows.append([f"{words.case(case)}: {ABSENT}", "", *("" for _ in others)])
    return _markdown(rows)


def _marked(text: str, each: Record) -> str:
    return f"{text} {NOISY}" if each.noisy else text


def _team(each: Record) -> int:
    return each.ranks if each.suite == "ranks" else each.threads


def _markdown(rows: list[list[str]]) -> str:
    head, *others = rows
    lines = [head, ["---", *("--:" for _ in head[1:])], *others]
    return "\n".join("| " + " | ".join(each.replace("|", "\\|") for each in line) + " |" for line in lines)


DIRECTIVES: dict[str, Callable[..., str]] = {
    "date": lambda run: words.date(run.date),
    "machine": lambda run: words.machine(run.machine),
    "comparisons": lambda run: str(len(run.records)),
    "noisy": lambda run: str(sum(each.noisy for each in run.records)),
    "version": _version,
    "unmeasured": lambda run: "\n".join(f"- {line}" for line in gaps.unmeasured(run)),
    "time": _time,
    "ratio": _ratio,
    "ratios": _ratios,
    "times": _times,
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m eagle.bench.page", description="A page from a template and a record.")
    parser.add_argument("template", type=Path)
    parser.add_argument("record", type=Path, help="what python -m eagle.bench --output has written")
    parser.add_argument("page", type=Path)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 where the page is another")
    options = parser.parse_args(arguments)
    return ended("eagle.bench.page", lambda: _make(options))


def _make(options: argparse.Namespace) -> int:
    text = fill(_read(options.template), record.load(options.record))
    if not options.check:
        write_whole(options.page, text)
    elif _read(options.page) != text:
        print(f"{options.page} is not what {options.template} and {options.record} give: write it anew", file=sys.stderr)
        return 1
    return 0


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Refusal(f"{path} is not UTF-8 ({error.reason})") from None


if __name__ == "__main__":
    sys.exit(main())
