# SPDX-License-Identifier: Apache-2.0
"""What a run was measured on."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Any

from .readers import plain


def machine() -> dict[str, Any]:
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "caches": _caches(),
        "system": _system(),
        "load": [round(each, 2) for each in os.getloadavg()],
    }


def cpus() -> list[int]:
    """The CPUs that this process may use, one of each core first."""
    mine = sorted(os.sched_getaffinity(0))
    return sorted(mine, key=lambda cpu: [each in mine and each < cpu for each in _siblings(cpu)].count(True))


def cores() -> int:
    """How many cores these CPUs are."""
    return len({min(_siblings(cpu)) for cpu in os.sched_getaffinity(0)})


def _siblings(cpu: int) -> list[int]:
    """The CPUs of its core, itself among them; written like 0,64 or 0-1."""
    found = {cpu}
    for part in _read(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1)) if first else set()
    return sorted(found)


def _cpu() -> str:
    models = [line.partition(":")[2].strip() for line in _read("/proc/cpuinfo").splitlines() if line.startswith("model name")]
    return plain(models[0] if models else platform.processor() or platform.machine())


def _caches() -> str:
    found = []
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = (_read(str(index / name)) for name in ("level", "type", "size"))
        if kind != "Instruction" and size:
            found.append(f"L{level} {_binary(size)}")
    return ", ".join(found) or "unknown"


def _binary(size: str) -> str:
    kibibytes = int(size.rstrip("KM")) * (1024 if size.endswith("M") else 1)
    return f"{kibibytes // 1024} MiB" if kibibytes % 1024 == 0 else f"{kibibytes} KiB"


def _system() -> str:
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        name = ""
    release = re.match(r"\d+\.\d+", platform.release())
    kernel = f"{platform.system()} {release[0] if release else platform.release()}"
    return plain(", ".join(part for part in (name, kernel, platform.machine()) if part))


def _read(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
