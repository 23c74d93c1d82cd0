# SPDX-License-Identifier: Apache-2.0
"""What goes wrong on purpose before each step, to see that it is noticed: leaks, and an eagle that is replaced by a worse one."""

import mmap
import os
import tempfile
import threading
from collections.abc import Callable
from typing import Any

import eagle
import numpy as np
from eagle.plan import Plan

leaked: list[Any] = []
right_run = Plan.run


def thread() -> None:
    threading.Thread(target=threading.Event().wait, daemon=True).start()


def flip_a_bit(self: Plan, /, **planes: Any) -> Any:
    result = right_run(self, **planes)
    first = np.asarray(next(iter(result.values())) if isinstance(result, dict) else result)
    if first.size:
        first = first if first.flags.writeable else first.copy()
        first.reshape(-1).view("u1")[0] ^= 1
    return result if isinstance(result, (dict, np.ndarray)) else first


def write_and_refuse(self: Plan, /, **planes: Any) -> Any:
    try:
        return right_run(self, **planes)
    except eagle.Error:
        if isinstance(planes.get("y"), np.ndarray) and planes["y"].flags.writeable:
            planes["y"][...] = 0
        raise


def refuse_otherwise(self: Plan, /, **planes: Any) -> Any:
    try:
        return right_run(self, **planes)
    except eagle.Error as error:
        raise ValueError(str(error)) from error


SPOILS: dict[str, Callable[[], object]] = {
    "descriptors": lambda: leaked.append(os.dup(0)),
    "memory": lambda: leaked.append(bytes([1]) * (256 << 10)),
    "kilobytes": lambda: leaked.append(bytes([len(leaked) % 256]) * (1 << 10)),
    "mappings": lambda: leaked.append(mmap.mmap(-1, 4096, prot=(mmap.PROT_READ, 3)[len(leaked) % 2])),
    "threads": thread,
    "files": lambda: leaked.append(tempfile.mkdtemp()),
    "bits": lambda: setattr(Plan, "run", flip_a_bit),
    "writes": lambda: setattr(Plan, "run", write_and_refuse),
    "refusals": lambda: setattr(Plan, "run", refuse_otherwise),
}
