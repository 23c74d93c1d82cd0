# SPDX-License-Identifier: Apache-2.0
"""README.md and docs/, taken apart into the blocks that tests run, build or check."""

import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(os.environ["EAGLE_SOURCE"]).resolve()
BUILD = Path(os.environ["EAGLE_BUILD"]).resolve()
BUNDLES = Path(os.environ["EAGLE_BUNDLES"]).resolve()
EAGLE = os.environ["EAGLE"]

#: All but the sources that pages are made from.
PAGES = [SOURCE / "README.md", *sorted(page for page in (SOURCE / "docs").rglob("*.md") if not page.name.endswith(".in.md"))]
BLOCK = re.compile(r"(?:`(?P<name>[\w.]+)`:\n\n)?^```(?P<language>[\w{}-]+)(?P<arguments>.*)\n(?P<text>(?:.*\n)*?)```$", re.M)
#: What is run of an indented block; the rest is for the reader's machine.
COMMAND = re.compile(r"^    \./scripts/shell ((?:eagle|mpiexec|python3 -c) .*)$", re.M)


class Step(NamedTuple):
    """One block of a page. `name` is that of the file which it is, or empty; "shell" is an indented command."""

    name: str
    language: str
    text: str
    line: int


def steps_of(text):
    """The blocks of a text in order."""
    found, end = [], 0
    for block in BLOCK.finditer(text):
        found += commands(text, end, block.start())
        line = text.count("\n", 0, block.start("text"))
        found.append(Step(block["name"] or "", block["language"], block["text"], line))
        end = block.end()
    return found + commands(text, end, len(text))


def commands(text, start, end):
    """The indented commands of a part of a text, continued lines joined."""
    part = text[start:end].replace("\\\n", "")
    return [Step("", "shell", match[1], text.count("\n", 0, start)) for match in COMMAND.finditer(part)]


def is_there(command):
    """Whether this build has what a command needs."""
    needed = [name for name in ("mpiexec", "conjugate_gradient") if re.search(rf"\b{name}\b", command)]
    return all(shutil.which(name) or (BUILD / "bin" / name).exists() for name in needed)
