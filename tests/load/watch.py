# SPDX-License-Identifier: Apache-2.0
"""What a process holds, and whether it grows."""

import ctypes
import gc
import os
import resource
from statistics import median
from typing import NamedTuple

LIBC = ctypes.CDLL(None)
#: glibc's M_TRIM_THRESHOLD and M_MMAP_THRESHOLD, which it raises with the largest array that was freed; an arena would then keep
#: up to 64 MiB at its top, where malloc_trim leaves them.
TRIM, MMAP = -1, -3
#: Fewer measurements than these say nothing.
LEAST = 9


class Held(NamedTuple):
    rss_kib: int
    descriptors: int
    mappings: int
    threads: int


#: How much more the last third of the measurements may hold than the first, by their medians. Memory: arenas and caches of the
#: allocator fragment, which levels off; AddressSanitizer keeps 256 MiB of what was freed. Mappings: an arena grows by one now and
#: then. Descriptors and threads are exact.
TOLERANCE = Held(rss_kib=512 << 10 if "EAGLE_SANITIZER" in os.environ else 4096, descriptors=0, mappings=40, threads=0)


def keep_little() -> None:
    """Has the allocator give back what is free, so that what a process holds is what it uses. Called before anything is done."""
    if hasattr(LIBC, "mallopt"):
        for parameter in (TRIM, MMAP):
            LIBC.mallopt(parameter, 128 << 10)


def held() -> Held:
    """What this process holds now. Free memory that the allocator keeps is given back first, that of all arenas."""
    gc.collect()
    if hasattr(LIBC, "malloc_trim"):
        LIBC.malloc_trim(0)
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[1])
    with open("/proc/self/maps") as file:
        mappings = sum(1 for _ in file)
    descriptors, threads = (len(os.listdir(f"/proc/self/{each}")) for each in ("fd", "task"))
    return Held(pages * resource.getpagesize() // 1024, descriptors, mappings, threads)


def growth(measured: list[Held]) -> str:
    """What has grown, for people; empty where nothing has."""
    third = len(measured) // 3
    if len(measured) < LEAST:
        return ""
    grown = []
    for name, tolerance in TOLERANCE._asdict().items():
        before, after = (median(getattr(each, name) for each in part) for part in (measured[:third], measured[-third:]))
        if after - before > tolerance:
            grown.append(f"{name} grows from {before:g} to {after:g}, and {tolerance} more are tolerated")
    return "; ".join(grown)
