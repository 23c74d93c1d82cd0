# SPDX-License-Identifier: Apache-2.0
"""What a run does not say: derived from what it has, so that no page claims more."""

from __future__ import annotations

from . import words
from .record import Run

RIVALS = ("numpy", "numba", "jax", "raptor-eagle", "eagle C++")
SUITES = {
    "cpp": "the C++ suite (eagle_bench)",
    "ranks": "MPI ranks (eagle_ranks_bench)",
    "python": "the Python suite",
}


def unmeasured(run: Run) -> list[str]:
    """Lines for a list under "not measured"."""
    records = run.records
    suites = {record.suite for record in records}
    lines = [f"{what}: not in this run" for suite, what in SUITES.items() if suite not in suites]
    if "python" in suites:
        there = {name for record in records for name in RIVALS if (record.against or "").startswith(name)}
        lines += [f"{name}, in Python" for name in RIVALS if name not in there]
    if "cpp" in suites and not any(record.against == "stream" for record in records):
        lines.append("the memory limit (stream)")
    most = max((record.threads for record in records), default=0)
    cores = run.machine["cores"]
    if most:
        lines.append(f"more than {words.counted(most, 'thread')} of the {cores} that the machine has at once")
    if "ranks" in suites:
        ranks = max(record.ranks for record in records)
        lines.append(f"more than {words.counted(ranks, 'rank')}, and ranks on several nodes")
    lines.append("GPUs: DeviceKernel and DeviceGroup")
    compiler = run.versions.get("compiler")
    lines.append(f"other compilers{f' than {compiler}' if compiler else ''}, other flags and other machines")
    return lines
