# SPDX-License-Identifier: Apache-2.0
"""The loop of a contestant: a request a line on standard input, its answer a line on standard output, both JSON.

First come its versions and, by case, its variants. {"prepare": case, "variants": [...], "n": n, "seconds": s} makes these ready
and answers how far the answer of each is from NumPy's; {"time": variant} answers seconds a call over about s seconds. An answer
{"error": text} says what went wrong.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from typing import Any

Request = dict[str, Any]


class Worker:
    def __init__(self, name: str, threads: int, options: dict[str, Any]) -> None:
        self.module = importlib.import_module(f".{name}", __package__)
        self.threads, self.options = threads, options
        self.versions: dict[str, str] = self.module.versions(options)
        self.ready: dict[str, Any] = {}
        self.counts: dict[str, int] = {}

    def variants(self, case: str) -> list[str]:
        from .cases import planes_of

        try:
            return list(self.module.calls(case, planes_of(case, 64), self.threads, self.options))
        except Exception as error:
            print(f"{self.module.__name__}: {case} is left out: {error}", file=sys.stderr)
            return []

    def prepare(self, case: str, variants: list[str], n: int, seconds: float) -> dict[str, float]:
        from .cases import CASES, difference, planes_of

        self.ready = {}  # what the case before held goes first
        planes = planes_of(case, n)
        expected = CASES[case].expected(planes)
        calls = self.module.calls(case, planes, self.threads, self.options)
        self.ready = {variant: calls[variant] for variant in variants}
        differences = {}
        for variant, call in self.ready.items():
            fresh = planes_of(case, n)
            for name, plane in planes.items():  # where a variant before this one wrote
                plane[...] = fresh[name]
            differences[variant] = difference(call.answer(call.run()), expected)
        self.counts = {variant: _count(call.run, seconds) for variant, call in self.ready.items()}
        return differences

    def time(self, variant: str) -> float:
        count = self.counts[variant]
        run = self.ready[variant].run
        _repeat(run, count // 3 + 1)  # cores come out of idling within milliseconds
        return _repeat(run, count) / count

    def answer(self, request: Request) -> Any:
        if "prepare" in request:
            return self.prepare(request["prepare"], request["variants"], request["n"], request["seconds"])
        return self.time(request["time"])


def _repeat(run: Any, count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        run()
    return time.perf_counter() - start


def _count(run: Any, seconds: float) -> int:
    """Calls that take about so long; the first ones compile and are not counted."""
    count, taken = 1, _repeat(run, 1)
    while (taken := _repeat(run, count)) < seconds / 4:
        count *= 2
    return max(1, round(count * seconds / taken))


def main(arguments: list[str]) -> None:
    name, threads, cpus, options = arguments
    os.sched_setaffinity(0, {int(cpu) for cpu in cpus.split(",")})
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no reply

    def reply(value: Any) -> None:
        print(json.dumps(value), file=replies, flush=True)

    try:
        worker = Worker(name, int(threads), json.loads(options))
    except Exception as error:
        return reply({"error": f"{type(error).__name__}: {error}"})
    from .cases import CASES

    reply({"versions": worker.versions, "variants": {case: worker.variants(case) for case in CASES}})
    for line in sys.stdin:
        try:
            reply(worker.answer(json.loads(line)))
        except Exception as error:
            reply({"error": f"{type(error).__name__}: {error}"})
