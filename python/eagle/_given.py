# SPDX-License-Identifier: Apache-2.0
"""Paths and argument lists as callers hand them over, each checked to be of its kind."""

from __future__ import annotations

import os
from os import PathLike
from typing import Any, TypeAlias, TypeGuard

from .errors import make

StrOrBytesPath: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]


def is_text(value: Any) -> TypeGuard[str]:
    """Whether it is a str that UTF-8 can write, which half a surrogate pair is not."""
    return isinstance(value, str) and not any("\ud800" <= each <= "\udfff" for each in value)


def path_of(given: Any, subject: str = "the path") -> str:
    """A path as text; `subject` is what messages call it."""
    try:
        path = os.fsdecode(given)
        coded = os.fsencode(path)
    except TypeError:
        raise make("type", f"{subject} is a {type(given).__name__}: a str, bytes or os.PathLike is accepted") from None
    except UnicodeError as error:
        raise make("argument", f"{subject} is {given!r}, which no file has: {error}") from None
    if not path:
        raise make("argument", f"{subject} is empty: give that of a file or folder ('.' is the one you are in)")
    if b"\0" in coded:
        raise make("argument", f"{subject} is {given!r}, which holds a NUL character, which no path may")
    return path


def pairs_of(given: Any, subject: str) -> list[tuple[str, str]]:
    """The (role, name) pairs of an arg_spec; `subject` is what messages call it. An iterator is read once."""
    try:
        entries = list(given)
    except TypeError as error:
        raise make("type", f"{subject} is {given!r:.80}: a list of pairs (role, name) is accepted") from error
    return [_pair(each, subject) for each in entries]


def _pair(given: Any, subject: str) -> tuple[str, str]:
    pair = tuple(given) if isinstance(given, tuple | list) else ()
    if len(pair) != 2 or not all(is_text(each) for each in pair):
        raise make("type", f"{subject} holds {given!r:.80}: a pair of str, (role, name), is accepted")
    return pair
