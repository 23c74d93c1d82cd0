# SPDX-License-Identifier: Apache-2.0
"""Bad inputs, each tried in a process of its own in an empty folder; what it says then is the row of a page."""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

T = TypeVar("T")
EAGLE = os.environ["EAGLE"]
BUNDLES = Path(os.environ["EAGLE_BUNDLES"]).resolve()
#: Of one process, which must not need more for any of these.
MOST_BYTES = 3 << 30
MOST_SECONDS = 60


class Case(NamedTuple):
    area: str
    given: str
    attempt: Callable[[Path], str]


CASES: list[Case] = []


def case(area: str, given: str) -> Callable[[Callable[[Path], str]], Callable[[Path], str]]:
    """Adds a function of an empty folder, which gives what was said, to the cases."""

    def add(attempt: Callable[[Path], str]) -> Callable[[Path], str]:
        CASES.append(Case(area, given, attempt))
        return attempt

    return add


def cases(area: str, attempt: Callable[[Path, T], str], rows: dict[str, T]) -> None:
    """Adds a case for each row: its title, and what `attempt` is given beside the empty folder."""
    for given, what in rows.items():
        case(area, given)(lambda folder, what=what: attempt(folder, what))


def start(command: list[object], folder: Path, most_bytes: int = MOST_BYTES, most_file: int = 1 << 40) -> subprocess.Popen[str]:
    """A process with limits on its memory and on each file that it writes, beyond which a write fails as on a full disk."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_file, most_file))

    environment = os.environ | {"OMP_NUM_THREADS": "2", "HOME": str(folder), "PYTHONWARNINGS": "ignore"}
    return subprocess.Popen(
        list(map(str, command)), cwd=folder, env=environment, preexec_fn=limit, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def ended(process: subprocess.Popen[str], code: int) -> str:
    """What a process has said on standard error (or, of findings, on standard output) when it has ended with a code."""
    out, error = process.communicate(timeout=MOST_SECONDS)
    assert process.returncode == code, f"ended with {process.returncode}, not {code}\n{out}{error}"
    said = error or out
    assert said and said.replace("\n", "").isprintable(), repr(said)
    return said


def eagle(folder: Path, *arguments: object, code: int = 1, **more: int) -> str:
    """The command is refused (1), or knows no such option (2)."""
    return ended(start([EAGLE, *arguments], folder, **more), code)


def run(folder: Path, bundle: Path, *arguments: object, **more: int) -> str:
    return eagle(folder, "run", bundle, "--structure", "host_team", *arguments, **more)


def python(folder: Path, script: str, **more: int) -> str:
    """A call from Python raises an error of eagle, and leaves a process that computes as before."""
    head = f"import eagle, numpy as np\nfrom eagle.plan import plan\nfrom eagle.exec import *\nbundles = {str(BUNDLES)!r}\n"
    head += (
        "def planned(name, **options): return plan(eagle.load(f'{bundles}/{name}'), **{'structure': 'host_team'} | options)\n"
    )
    body = "".join(f"    {line}\n" for line in script.splitlines())
    tail = "except (eagle.Error, TypeError, ValueError, MemoryError) as error: print(f'{type(error).__name__}: {error}')\n"
    tail += "else: raise SystemExit('was not refused')\n"
    tail += "assert planned('axpy').run(x=np.ones(3), a=2.0, b=1.0).tolist() == [3.0, 3.0, 3.0]\n"
    return ended(start([sys.executable, "-c", f"{head}try:\n{body}{tail}"], folder, **more), 0)


def copy(folder: Path, name: str = "axpy") -> Path:
    return Path(shutil.copytree(BUNDLES / name, folder / name))


def stop(process: subprocess.Popen[str], number: signal.Signals) -> str:
    process.send_signal(number)
    process.communicate(timeout=MOST_SECONDS)
    assert process.returncode in (-number, 128 + number, 1), process.returncode
    return f"the process ends by {number.name}"


def outcome(said: str, folder: Path) -> str:
    """The first line that is more than a heading, without what differs from run to run."""
    text = said.replace(str(folder), "FOLDER").replace(str(BUNDLES), "BUNDLES")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    line = next((line for line in lines if not line.endswith(" is refused:")), lines[0])
    line = re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", line).removeprefix("eagle: ")
    line = re.sub(r"the system gives \d+", "the system gives N", line)
    line = re.sub(r"take \d+ bytes at \d+, and there are \d+", "take N bytes at N, and there are N", line)
    return line if len(line) <= 200 else line[:199] + "…"
