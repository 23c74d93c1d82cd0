# SPDX-License-Identifier: Apache-2.0
"""How what others have written is taken. A reader gives a value as it is wanted, or raises FormatError: what is accepted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from .ending import Refusal
from .spread import Spread

Reader = Callable[[Any], Any]
#: Counts stay below, so that all arithmetic with them is that of ordinary numbers.
MOST = 2**63
SECONDS = (1e-12, 1e12)
#: Of any two such times.
RATIOS = (1e-24, 1e24)


class FormatError(Refusal):
    """What was read is not what it should be: which, where, what was found, what is accepted."""


def parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise FormatError("it is nested too deep") from None
    except ValueError as error:
        raise FormatError(f"it is not JSON ({error})") from None


def take(found: Mapping[str, Any], name: str, read: Reader, where: str = "") -> Any:
    if name not in found:
        raise FormatError(f'{where}"{name}" is missing')
    try:
        return read(found[name])
    except FormatError as error:
        raise FormatError(f'{where}"{name}" is {shown(found[name])}, accepted is {error}') from None


def take_all(found: Any, readers: Mapping[str, Reader], where: str = "") -> dict[str, Any]:
    if not isinstance(found, dict):
        raise FormatError(f"{where} is {shown(found)}, accepted is an object".lstrip())
    return {name: take(found, name, read, where and f"{where}: ") for name, read in readers.items()}


def shown(value: Any) -> str:
    """Its beginning, in ASCII."""
    try:
        return json.dumps(value)[:60]
    except RecursionError:
        return "nested too deep"


def plain(value: object) -> str:
    """As `text` accepts it: on one line, with ? for what cannot be printed."""
    return "".join(each if each.isprintable() else "?" for each in " ".join(str(value).split()))


def reader(kind: Any, what: str, accepts: Callable[[Any], bool] = lambda _: True) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool) or not accepts(value):
            raise FormatError(what)
        return value

    return read


def number(low: float, high: float) -> Reader:
    read = reader(int | float, f"a number from {low:g} to {high:g}", lambda value: low <= value <= high)
    return lambda value: float(read(value))


def spread(low: float, high: float) -> Reader:
    """Of numbers between these."""
    what = f"an object of numbers with {low:g} <= low <= median <= high <= {high:g}"
    numbers = whole(dict.fromkeys(("median", "low", "high"), number(low, high)), what)

    def read(value: Any) -> Spread:
        found = Spread(**numbers(value))
        if not found.low <= found.median <= found.high:
            raise FormatError(what)
        return found

    return read


def whole(readers: Mapping[str, Reader], what: str) -> Reader:
    """Of an object with all of these."""

    def read(value: Any) -> Any:
        try:
            return take_all(value, readers)
        except FormatError:
            raise FormatError(what) from None

    return read


def or_null(read: Reader) -> Reader:
    return lambda value: None if value is None else read(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable()


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and all(map(_is_text, values))


def _is_load(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < MOST


text = reader(str, "printable text", str.isprintable)
flag = reader(bool, "true or false")
integer = reader(int, "an integer of at least 0 and below 2^63", lambda value: 0 <= value < MOST)
count = reader(int, "an integer of at least 1 and below 2^63", lambda value: 1 <= value < MOST)
table = reader(dict, "an object")
items = reader(list, "a list")
tables = reader(list, "a list of objects", lambda found: all(isinstance(each, dict) for each in found))
loads = reader(list, "a list of numbers of at least 0", lambda found: all(map(_is_load, found)))
texts = reader(list, "a list of printable texts", _are_texts)
named_texts = reader(dict, "an object of printable texts", lambda found: _are_texts([*found, *found.values()]))
text_lists = reader(dict, "an object of lists of printable texts", lambda found: all(map(_are_texts, found.values())))
