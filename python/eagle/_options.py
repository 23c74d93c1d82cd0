# SPDX-License-Identifier: Apache-2.0
"""Options of plan() as they are given, each checked to be of its kind; what they mean is checked where plans are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import index
from typing import Any

from ._given import is_text, path_of
from .errors import make

_OPS = "sum, times, max or land"
_WORDS = {
    "op": _OPS,
    "exec_op": _OPS,
    "exec_access": "sample_local, cross_sample_read, cross_sample_write or mapreduce",
    "access": "sample_local, cross_sample_read, cross_sample_write or mapreduce",
    "layout": "component or sample",
    "precision": "working or compensated",
    "schedule": "static or dynamic",
    "inner": "eagle.exec.HostTeam, DeviceKernel or a name",
    "structure": "eagle.exec.HostTeam, DeviceKernel, RankPartition, DeviceGroup or a name",
}


def integer(name: str, value: Any, most: int = 2**63 - 1) -> int:
    """An integer of at most `most` and at least -2^63; True and False are none."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = index(value)
    except TypeError:
        raise make("type", f"{name} is {value!r:.80}: an integer is due") from None
    if not -(2**63) <= number <= most:
        raise make("argument", f"{name} is an integer of {number.bit_length()} bits: at most {most} is accepted")
    return number


def integers(name: str, given: Any) -> list[int]:
    """A list of integers that are CUDA's ordinals, at least one."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise make("type", f"{name} is {given!r:.80}: a list of integers is due")
    found = [integer(f"one of {name}", each, 2**31 - 1) for each in given]
    if not found:
        raise make("argument", f"{name} is empty: at least one is due, or none given for all")
    return found


def text(name: str, value: Any) -> str:
    """A string; which ones an option of this name has is checked where it counts."""
    if not isinstance(value, str):
        raise make("type", f"{name} is {value!r:.80}: {_WORDS.get(name, 'a string')} is accepted")
    if not is_text(value):
        raise make("argument", f"{name} is {value!r:.80}: {_WORDS.get(name, 'a string of whole characters')} is accepted")
    return value


def flag(name: str, value: Any) -> bool:
    """True or False, NumPy's own included."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise make("type", f"{name} is {value!r:.80}: True or False is due")
    return bool(value)


def profile_path(given: Any) -> str:
    """A file's name, "auto" for True, "none" for False, "" for None."""
    if given is None:
        return ""
    if type(given).__name__ in ("bool", "bool_"):
        return "auto" if given else "none"
    return path_of(given, "profile")


def stream_handle(given: Any) -> int:
    """The handle of a CUDA stream: an int, or an object with __cuda_stream__ (version, handle), CuPy's ptr or PyTorch's
    cuda_stream."""
    handle = _handle_of(given)
    if handle is None or isinstance(handle, bool):
        raise make(
            "type",
            f"stream is a {type(given).__name__}: the handle of a CUDA stream is due, as an int or an object with "
            "__cuda_stream__, ptr (CuPy) or cuda_stream (PyTorch)",
        )
    number = integer("stream", handle, 2**64 - 1)
    if number < 0:
        raise make("argument", f"stream is {number}: the handle of a CUDA stream is at least 0, the legacy default stream")
    return number


def _handle_of(given: Any) -> Any:
    if not hasattr(given, "__cuda_stream__"):
        return getattr(given, "cuda_stream", getattr(given, "ptr", given if hasattr(given, "__index__") else None))
    said = given.__cuda_stream__
    said = said() if callable(said) else said
    if not isinstance(said, tuple) or len(said) != 2 or said[0] != 0:
        raise make("type", f"stream has a __cuda_stream__ of {said!r:.80}: (0, handle) is due, of version 0 of that protocol")
    return said[1]


def triples(given: Any) -> list[tuple[int, int, int]]:
    """Partitions."""
    if not isinstance(given, Iterable):
        raise make("type", f"partitions is {given!r:.80}: a list of triples (base, count, n_samples) is due")
    return [_triple(each) for each in given]


def _triple(each: Any) -> tuple[int, int, int]:
    try:
        base, count, n = each
    except (TypeError, ValueError):
        raise make("partition", f"partitions hold {each!r:.80}: triples (base, count, n_samples) are due") from None
    return integer("base of a partition", base), integer("count of a partition", count), integer("n_samples of a partition", n)


def triple(given: Any) -> tuple[int, int, int]:
    """One partition, of any part of the samples."""
    base, count, n = _triple(given)
    if base < 0 or count < 0 or base + count > n:
        raise make(
            "partition",
            f"the partition is ({base}, {count}, {n}): base and count are at least 0, and base + count at most n_samples",
        )
    return base, count, n


def layouts(given: Any) -> dict[str, str]:
    """Layouts by the name of a plane."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise make("type", f"layout is {given!r:.80}: a mapping is due, e.g. {{'p': 'sample'}}")
    return {text("name in layout", name): text("layout", value) for name, value in given.items()}


def refuse_foreign(plugin: str, structure: str, owners: tuple[str, ...], **options: Any) -> None:
    """Refuses options, given where they are not None, that only other structures have."""
    for name, value in options.items():
        if value is not None and structure not in owners:
            raise make(
                "placement",
                f"plugin '{plugin}': {name}={value!r:.80} is refused: it is an option of {' and '.join(owners)}, and this plan "
                f"drives the body with {structure}",
            )
