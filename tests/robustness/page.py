# SPDX-License-Identifier: Apache-2.0
"""Tries all bad inputs, and compares what each was told with the tables of docs/robustness.md.

usage: EAGLE=build/bin/eagle EAGLE_BUNDLES=build/bundles python page.py PAGE [--write | --try]
--write writes the tables, --try compares nothing: other compilers and machines say some things in other words."""

import difflib
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import artifacts  # noqa: F401  they add their cases
import bundles  # noqa: F401
import calls  # noqa: F401
import faults  # noqa: F401
from case import CASES, Case, outcome

BEGIN = "<!-- what follows is written by tests/robustness/page.py -->\n"


def row(case: Case) -> str:
    with TemporaryDirectory(prefix="eagle") as name:
        folder = Path(name)
        try:
            said = outcome(case.attempt(folder), folder)
        except Exception as error:
            sys.exit(f"{case.area}: {case.given}: {type(error).__name__}: {error}")
    return f"| {case.given} | {said.replace('|', '&#124;').replace('<', '&lt;')} |\n"


def tables() -> str:
    with ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(row, CASES))
    text = ""
    for area, numbers in groupby(range(len(CASES)), key=lambda k: CASES[k].area):
        text += f"\n## {area}\n\n| given | answer |\n|---|---|\n" + "".join(rows[k] for k in numbers)
    return text


def main(page: Path, mode: str) -> None:
    found = page.read_text()
    wanted = found.partition(BEGIN)[0] + BEGIN + tables()
    if mode == "--write":
        page.write_text(wanted)
    elif mode == "" and wanted != found:
        sys.stdout.writelines(difflib.unified_diff(found.splitlines(True), wanted.splitlines(True), str(page), "as it is now"))
        sys.exit(f"{page} is not what the run gives: python {' '.join(sys.argv)} --write")
    print(f"robustness: {len(CASES)} bad inputs: ok")


if __name__ == "__main__":
    main(Path(sys.argv[1]), "".join(sys.argv[2:]))
