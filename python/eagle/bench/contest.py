# SPDX-License-Identifier: Apache-2.0
"""Contestants as processes of their own, which are asked for one turn after the other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Protocol

from . import readers
from .readers import FormatError, Reader

FOLDER = Path(__file__).with_name("contestants")
#: Characters of an answer, which no answer has.
LONGEST = 1 << 20
#: Seconds after which one that gives no answer is ended; some compile for minutes first.
PATIENCE = 600.0
GREETING = readers.whole(
    {"versions": readers.named_texts, "variants": readers.text_lists},
    "an object with versions, texts, and variants, lists of texts",
)
DIFFERENCE = readers.or_null(readers.reader(float, ""))
SECONDS = readers.number(*readers.SECONDS)


class ContestError(Exception):
    """Why a contestant, or one of its cases, is left out."""


class Ended(ContestError):
    """Its process is no more."""


class Contestant(Protocol):
    name: str
    versions: dict[str, str]

    def variants(self, case: str, n: int) -> list[str]:
        """Its ways to do a case, "" for the plain one; none where it does not do it."""

    def prepare(self, case: str, variants: list[str], n: int, seconds: float) -> dict[str, float | None]:
        """How far the answer of each variant is from NumPy's; None where that cannot be asked."""

    def time(self, variant: str) -> float:
        """Seconds a call, over about the seconds that were prepared for."""

    def close(self) -> None: ...


class Process:
    """A process with requests and answers a line each. greeting reads the first, which comes unasked."""

    def __init__(self, name: str, command: list[str], threads: int, greeting: Reader, *, foreign: bool) -> None:
        self.name = name
        self._late = False
        count = str(threads)
        pinned = {"OMP_NUM_THREADS": count, "OMP_PROC_BIND": "true", "OMP_PLACES": "cores", "OPENBLAS_NUM_THREADS": count}
        pinned |= {"MKL_NUM_THREADS": count, "NUMBA_NUM_THREADS": count}
        environment = {key: value for key, value in os.environ.items() if not (foreign and key.startswith("PYTHON"))}
        pipe = subprocess.PIPE
        # A session of its own: Ctrl-C reaches the one who asks, and that one ends it.
        self._process = subprocess.Popen(
            command,
            stdin=pipe,
            stdout=pipe,
            encoding="utf-8",
            errors="replace",
            env=environment | pinned,
            start_new_session=True,
        )
        try:
            self.greeting = self.receive(greeting)
        except BaseException:
            self.close()
            raise

    def send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Ended(f"its process has ended (exit code {self._process.wait()})") from None

    def receive(self, read: Reader) -> Any:
        assert self._process.stdout is not None
        patience = threading.Timer(PATIENCE, self._end_late)
        patience.daemon = True  # Ctrl-C may come while it starts
        try:
            patience.start()
            line = self._process.stdout.readline(LONGEST)
        finally:
            patience.cancel()
        if not line:
            code = self._process.wait()
            raise Ended(
                f"it gives no answer within {PATIENCE:g} s" if self._late else f"its process has ended (exit code {code})"
            )
        try:
            found = readers.parsed(line)
        except FormatError:
            found = None  # which no reader takes
        if isinstance(found, dict) and "error" in found:
            raise ContestError(str(found["error"]))
        try:
            return read(found)
        except FormatError as error:
            self._process.kill()  # nobody knows which request its next line answers
            raise Ended(f"it answers {line.strip()[:60]!r}, accepted is {error}") from None

    def _end_late(self) -> None:
        self._late = True
        self._process.kill()

    def _seconds(self) -> float:
        found: float = self.receive(SECONDS)
        return found

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


class PythonContestant(Process):
    """A module of the folder `contestants`, in an interpreter of the caller's choice."""

    def __init__(
        self, name: str, module: str, interpreter: str, threads: int, cpus: list[int], options: dict[str, str]
    ) -> None:
        places = ",".join(str(cpu) for cpu in cpus[:threads])
        command = [interpreter, str(FOLDER), module, str(threads), places, json.dumps(options)]
        super().__init__(name, command, threads, GREETING, foreign=interpreter != sys.executable)
        self.versions: dict[str, str] = self.greeting["versions"]
        self._variants: dict[str, list[str]] = self.greeting["variants"]

    def variants(self, case: str, n: int) -> list[str]:
        return self._variants.get(case, [])

    def prepare(self, case: str, variants: list[str], n: int, seconds: float) -> dict[str, float | None]:
        self.send(json.dumps({"prepare": case, "variants": variants, "n": n, "seconds": seconds}))
        differences = readers.whole(dict.fromkeys(variants, DIFFERENCE), "an object of a number or null a variant")
        found: dict[str, float | None] = self.receive(differences)
        return found

    def time(self, variant: str) -> float:
        self.send(json.dumps({"time": variant}))
        return self._seconds()


class CppContestant(Process):
    """eagle_bench_worker: eagle from C++ on planes of its own. It gives times only, so its answers are not checked here."""

    versions: dict[str, str] = {}

    def __init__(self, program: str, bundles: Path, threads: int) -> None:
        command = [program, str(bundles / "axpy"), str(bundles / "dot"), str(threads)]
        super().__init__("eagle C++", command, threads, readers.texts, foreign=False)
        self._labels = set(self.greeting)
        self._label = ""

    def variants(self, case: str, n: int) -> list[str]:
        return [""] if self._label_of(case, n) else []

    def prepare(self, case: str, variants: list[str], n: int, seconds: float) -> dict[str, float | None]:
        self._label = self._label_of(case, n)
        return {"": None}

    def time(self, variant: str) -> float:
        self.send(self._label)
        return self._seconds()

    def _label_of(self, case: str, n: int) -> str:
        """As it names a case: "map 1e6"."""
        word = {"map_axpy": "map", "dot_plugin": "fold"}.get(case, case)
        sizes = [str(n), f"1e{len(str(n)) - 1}"] if n == 10 ** (len(str(n)) - 1) else [str(n)]
        return next((f"{word} {size}" for size in sizes if f"{word} {size}" in self._labels), "")
