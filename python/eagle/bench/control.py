# SPDX-License-Identifier: Apache-2.0
"""Whether something else has had the cores: a fixed piece of arithmetic, timed on each of them at once."""

from __future__ import annotations

import hashlib
import os
import time
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from types import TracebackType

#: A control that takes more than this share longer than the best one seen is disturbed.
DISTURBED = 0.10


class Control:
    """One thread on each CPU. hashlib lets go of the GIL, so they run at once."""

    def __init__(self, cpus: list[int], seconds: float = 0.003) -> None:
        places: SimpleQueue[int] = SimpleQueue()
        for cpu in cpus:
            places.put(cpu)
        self._pool = ThreadPoolExecutor(len(cpus), initializer=lambda: os.sched_setaffinity(0, {places.get()}))
        self._width, self._rounds, self._best = len(cpus), 1000, float("inf")
        self._rounds = max(1, round(1000 * seconds / min(self._slowest() for _ in range(5))))

    def is_disturbed(self) -> bool:
        """Takes the calibrated time; the best one seen counts from the first call on."""
        taken = self._slowest()
        self._best = min(self._best, taken)
        return taken > (1 + DISTURBED) * self._best

    def _slowest(self) -> float:
        return max(self._pool.map(_spin, [self._rounds] * self._width))

    def __enter__(self) -> Control:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._pool.shutdown()


def _spin(rounds: int) -> float:
    """Seconds for these rounds; a few before them bring the core out of idling."""
    hashlib.pbkdf2_hmac("sha256", b"eagle", b"eagle", rounds // 2 + 1)
    start = time.perf_counter()
    hashlib.pbkdf2_hmac("sha256", b"eagle", b"eagle", rounds)
    return time.perf_counter() - start
