# SPDX-License-Identifier: Apache-2.0
"""core/eagle/abi.h as prose, code and tables: its comments are the reference of the ABI."""

import re
from pathlib import Path

HEADER = Path(__file__).parents[2] / "core" / "eagle" / "abi.h"
#: A comment and the declarations below it, up to the next comment or blank line.
PIECE = re.compile(r"/\* ((?:(?!\*/)[\s\S])*) \*/\n((?:(?!/\*).+\n)+)")
NAME = re.compile(r"^#define (\w+)|^} (\w+);|^typedef (?:\w+ )?\(?\*?(\w+)\)?[;(]|^enum \{ (\w+)", re.M)
FIELD = re.compile(r"^  ([\w* ]+?) ?(\w+);", re.M)


def pieces():
    """(names, prose, code) of each declaration that a comment stands above."""
    for prose, code in PIECE.findall(HEADER.read_text()):
        names = [next(filter(None, match)) for match in NAME.findall(code)]
        if names:
            yield names, re.sub(r"\s*\n \* ?", " ", prose), code.rstrip()


def text(*wanted):
    """The pieces that declare the wanted names, in Markdown."""
    chosen = [(names, prose, code) for names, prose, code in pieces() if set(names) & set(wanted)]
    missing = set(wanted) - {name for names, _, _ in chosen for name in names}
    if missing:
        raise ValueError(f"abi.h has no commented declaration of {', '.join(sorted(missing))}")
    return "\n\n".join(f"{prose}\n\n```c\n{code}\n```\n\n{layout(names[-1], code)}" for names, prose, code in chosen)


def layout(name, code):
    """Where each field of a struct lies, by the header's own assertions."""
    if "struct" not in code or "{" not in code:
        return ""
    asserted = HEADER.read_text()
    fields = FIELD.findall(code)
    offsets = {fields[0][1]: 0, **dict(re.findall(rf"offsetof\({name}, (\w+)\) == (\d+)", asserted))}
    size = re.search(rf"sizeof\({name}\) == (\d+)", asserted)[1]
    rows = [f"| `{field}` | `{kind}` | {offsets[field]} |" for kind, field in fields]
    return "\n".join([f"{size} bytes:", "", "| field | type | offset |", "|---|---|---|", *rows])
