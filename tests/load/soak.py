#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random work for a long time. It fails at the first wrong result, at memory, descriptors, mappings or threads that grow, and at
files that stay. Everything that a step does follows from the seed and its number."""

import argparse
import collections
import faulthandler
import itertools
import os
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import numpy as np
import refusals  # noqa: F401  # adds its kinds
import spoil
from bed import Wrong, open_all, require
from watch import LEAST, Held, growth, held, keep_little
from work import KINDS

#: No step takes so long: one that does hangs, and the process ends.
MOST_SECONDS = 150
NAMES = list(KINDS)
SHARES = np.cumsum([weight for _, weight in KINDS.values()])


def random_of(seed: int, step: int) -> tuple[str, np.random.Generator]:
    """The kind of a step and its random numbers; the first steps are one of each kind."""
    random = np.random.default_rng([seed, step])
    drawn = int(np.searchsorted(SHARES, random.random() * SHARES[-1], side="right"))
    return NAMES[step if step < len(NAMES) else drawn], random


class Soak:
    def __init__(self, seed: int, threads: int, spoiled: str | None) -> None:
        self.seed, self.threads, self.spoil = seed, threads, spoil.SPOILS[spoiled] if spoiled else None
        self.steps, self.done = itertools.count(), collections.Counter[str]()
        self.pool = ThreadPoolExecutor(threads)
        self.failed: list[str] = []
        self.measured: list[Held] = []
        self.temporary = Path(tempfile.gettempdir())

    def step(self, step: int) -> bool:
        name, random = random_of(self.seed, step)
        try:
            if self.spoil:
                self.spoil()
            KINDS[name][0](random)
            self.done[name] += 1
        except BaseException as error:
            said = str(error) if isinstance(error, Wrong) else traceback.format_exc()
            self.failed.append(f"step {step} ({name}): {said}\nthis step again: scripts/soak --seed {self.seed} --step {step}")
        return not self.failed

    def turn(self, until: float) -> None:
        while time.monotonic() < until and self.step(next(self.steps)):
            pass

    def round(self, seconds: float) -> None:
        """All threads work so long; then nothing is left of it."""
        faulthandler.dump_traceback_later(seconds + MOST_SECONDS, exit=True)  # needs no GIL, which a thread that hangs may have
        wait([self.pool.submit(self.turn, time.monotonic() + seconds) for _ in range(self.threads)])
        if self.failed:
            raise Wrong(self.failed[0])
        left = sorted(each.name for each in self.temporary.iterdir())
        require(not left, "files stay in the temporary folder:", left)

    def line(self, minutes: float) -> str:
        kinds = " ".join(f"{name} {self.done[name]}" for name in NAMES)
        now = held()
        holds = f"{now.rss_kib / 1024:.1f} MiB, {now.descriptors} descriptors, {now.mappings} mappings, {now.threads} threads"
        return f"{minutes:6.2f} min  {holds}  {kinds}"

    def run(self, minutes: float) -> None:
        """So long; the first third of it, at most five minutes, warms up and is not measured."""
        open_all()
        start = time.monotonic()
        warm, end, due = start + min(20 * minutes, 300), start + 60 * minutes, start + 60
        while time.monotonic() < end or len(self.measured) < LEAST:
            self.round(min(1.0, 2 * minutes))
            if time.monotonic() > warm:
                self.measured.append(held())
            if time.monotonic() > min(due, end):
                due += 60
                print(self.line((time.monotonic() - start) / 60), flush=True)
                self.refuse_growth()

    def refuse_growth(self) -> None:
        grown = growth(self.measured)
        require(not grown, grown)


def positive(kind: type[float]) -> Callable[[str], float]:
    def parse(text: str) -> float:
        number = kind(text)
        if not 0 < number < 10**6:
            raise argparse.ArgumentTypeError(f"{text} is not accepted: more than 0 and less than a million is")
        return number

    return parse


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/soak", description=__doc__)
    parser.add_argument("--minutes", type=positive(float), default=60, help="how long, 60 if not given")
    parser.add_argument(
        "--seed", type=int, default=int.from_bytes(os.urandom(4)), help="of all random numbers; a new one if not given"
    )
    parser.add_argument("--threads", type=positive(int), default=2, help="Python threads that work together, 2 if not given")
    parser.add_argument("--step", type=int, help="do this one step again and nothing else")
    parser.add_argument("--spoil", choices=spoil.SPOILS, help="do something wrong before each step, which must be noticed")
    given = parser.parse_args()
    keep_little()
    faulthandler.enable()
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory(prefix="eagle-soak-") as tempfile.tempdir:
        soak = Soak(given.seed, given.threads, given.spoil)
        print(f"soak: seed {given.seed}, {given.threads} threads", flush=True)
        try:
            if given.step is None:
                soak.run(given.minutes)
            elif not soak.step(given.step):
                raise Wrong(soak.failed[0])
        except Wrong as wrong:
            again = f"--minutes {given.minutes:g} --seed {given.seed} --threads {given.threads}"
            sys.exit(f"soak: {wrong}\nall of it again: scripts/soak {again}")
    print("soak: ok", flush=True)


if __name__ == "__main__":
    main()
