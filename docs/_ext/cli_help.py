# SPDX-License-Identifier: Apache-2.0
"""The text of `eagle --help`, taken apart: the one source of the man pages and of the command's page."""

import re
import subprocess
from dataclasses import dataclass


@dataclass
class Help:
    name: str
    summary: str
    usage: str
    #: Heading -> [(what is typed, what it does)], e.g. of "Options".
    sections: dict[str, list[tuple[str, str]]]


def read_help(eagle, *subcommand):
    """What the command at `eagle`, or one of its subcommands, says of itself."""
    done = subprocess.run([eagle, *subcommand, "--help"], capture_output=True, text=True, check=True, timeout=60)
    return parse(" ".join(("eagle", *subcommand)), done.stdout)


def read_all(eagle):
    """Of the command, then of each subcommand."""
    whole = read_help(eagle)
    return [whole, *(read_help(eagle, name) for name, _ in whole.sections["Subcommands"])]


HEADING = re.compile(r"^(\w+):$", re.M)


def parse(name, text):
    """A heading stands alone on a line; an entry is indented by two, and its text stands behind it or on the next line."""
    head, *rest = HEADING.split(text)
    summary, usage = re.split(rf"\n(?:Usage: )?(?={name}\b)", head, maxsplit=1)
    sections = {heading.capitalize(): entries(body) for heading, body in zip(rest[::2], rest[1::2], strict=True)}
    return Help(name, summary.strip(), usage.strip(), sections)


def entries(body):
    found = []
    for line in filter(str.strip, body.splitlines()):
        if entry := re.fullmatch(r"  (\S.*?)(?:  +(\S.*))?", line):
            found.append((entry[1], entry[2] or ""))
        else:
            typed, said = found[-1]
            found[-1] = (typed, f"{said} {line.strip()}".strip())
    return found
