# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole or not at all, where links lead, with the mode of what is there, and over regular files alone."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from .ending import Refusal


def check(path: Path) -> None:
    """Refusal where write_whole() would fail, as far as that can be known before."""
    with _beside(path):
        pass


def write_whole(path: Path, text: str) -> None:
    with _beside(path) as beside:
        beside.write_text(text, encoding="utf-8")
        if path.exists():
            shutil.copymode(path, beside)
        beside.replace(os.path.realpath(path))


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """An empty file in the folder of the place where path leads, gone in the end."""
    try:
        _refuse_what_is_there(path)
        place = Path(os.path.realpath(path))
        if not place.parent.is_dir():
            raise Refusal(f"{path} cannot be written: there is no folder {place.parent}: make it first")
        beside = place.with_name(f".eagle.bench.{token_hex(4)}")
        try:
            beside.touch(exist_ok=False)
            yield beside
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise Refusal(f"{path} cannot be written: {error.strerror or error}") from None


def _refuse_what_is_there(path: Path) -> None:
    try:
        found = path.stat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found):
        what = "a folder" if stat.S_ISDIR(found) else "a device, pipe or socket"
        raise Refusal(f"{path} is {what}, accepted is a regular file, or a name for a new one")
    if not os.access(path, os.W_OK):
        raise Refusal(f"{path} is write-protected: give another name, or make it writable")
