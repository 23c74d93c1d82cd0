# SPDX-License-Identifier: Apache-2.0
"""What the system does meanwhile: the outputs that were there before stay."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from case import BUNDLES, EAGLE, MOST_SECONDS, case, ended, python, run, start, stop
from eagle.exec import RankPartition

AREA = "Faults of the system"
AXPY = ["--set", "a=1", "--set", "b=1"]


def files(folder: Path, n: int = 1000) -> list[object]:
    np.save(folder / "x.npy", np.ones(n))
    (folder / "y.npy").write_bytes(b"old")
    return ["--in", "x=x.npy", *AXPY, "--out", "y=y.npy"]


def kept(folder: Path) -> None:
    assert (folder / "y.npy").read_bytes() == b"old"
    assert sorted(path.name for path in folder.iterdir()) == ["x.npy", "y.npy"]


@case(AREA, "no memory for the arrays")
def _(folder: Path) -> str:
    given = files(folder, 16_000_000)
    said = run(folder, BUNDLES / "axpy", *given, most_bytes=200 << 20)
    kept(folder)
    return said


@case(AREA, "any limit on memory at which the program and its libraries start")
def _(folder: Path) -> str:
    given = files(folder, 100_000)
    command = [EAGLE, "run", BUNDLES / "axpy", "--structure", "host_team", "--threads", 2, "--schedule", "dynamic", *given]
    least = next(mib for mib in range(8, 1024, 4) if ended_at(start([EAGLE, "--version"], folder, most_bytes=mib << 20)) == 0)
    outcomes = set()
    for mib in range(least, least + 64, 2):
        job = start(command, folder, most_bytes=mib << 20)
        _, said = job.communicate(timeout=MOST_SECONDS)
        assert job.returncode in (0, 1) and (job.returncode == 0 or said), (mib, job.returncode, said)
        if job.returncode == 0:
            assert (np.load(folder / "y.npy") == 2).all()
            (folder / "y.npy").write_bytes(b"old")
        kept(folder)
        outcomes.add(job.returncode)
    assert outcomes == {0, 1}, outcomes
    return "the run is right, or an error says what is missing and the old output stays"


@case(AREA, "no room for 512 threads")
def _(folder: Path) -> str:
    said = run(folder, BUNDLES / "axpy", *files(folder), "--threads", 512, "--schedule", "dynamic", most_bytes=1 << 30)
    kept(folder)
    return said


@case(AREA, "stacks of 2 GiB for a team, and no room for them")
def _(folder: Path) -> str:
    given = ["run", BUNDLES / "axpy", "--structure", "host_team", *files(folder), "--threads", 2, "--schedule", "dynamic"]
    said = ended(start(["env", "OMP_STACKSIZE=2G", EAGLE, *given], folder, most_bytes=1 << 30), 1)
    kept(folder)
    return said


@case(AREA, "a disk that takes no more of the output")
def _(folder: Path) -> str:
    said = run(folder, BUNDLES / "axpy", *files(folder), most_file=4096)
    kept(folder)
    return said


def is_writing(process: subprocess.Popen[str], folder: Path, n: int) -> bool:
    """Whether a process has a part of n values in a new file of this folder."""
    for link in Path(f"/proc/{process.pid}/fd").iterdir():
        try:
            is_new = link.readlink().parent == folder and link.readlink().name not in ("x.npy", "y.npy")
            if is_new and 0 < link.stat().st_size < 8 * n:
                return True
        except FileNotFoundError:  # closed meanwhile
            continue
    return False


@case(AREA, "a kill in the middle of writing an output")
def _(folder: Path) -> str:
    n = 8_000_000
    for _ in range(20):
        given = files(folder, n)
        process = start([EAGLE, "run", BUNDLES / "axpy", "--structure", "host_team", *given], folder)
        while process.poll() is None and not is_writing(process, folder, n):
            pass
        process.kill()
        if ended_at(process) == -signal.SIGKILL and (folder / "y.npy").read_bytes() == b"old":
            kept(folder)
            return "the old output stays"
        assert (np.load(folder / "y.npy") == 2).all()  # the kill came too late
    raise AssertionError("each kill came too late")


def ended_at(process: subprocess.Popen[str]) -> int:
    process.communicate(timeout=MOST_SECONDS)
    return process.returncode


def interrupted(folder: Path, number: signal.Signals) -> str:
    given = files(folder)
    long = ["--partitions", "1", "--samples", str(2**40)]
    process = start([EAGLE, "run", BUNDLES / "sum_index64", "--structure", "host_team", *long], folder)
    time.sleep(1)
    assert process.poll() is None, process.communicate()
    said = stop(process, number)
    assert given and (folder / "y.npy").read_bytes() == b"old"
    return said


case(AREA, "Ctrl-C in a long run")(lambda folder: interrupted(folder, signal.SIGINT))
case(AREA, "SIGTERM in a long run")(lambda folder: interrupted(folder, signal.SIGTERM))


LONG_ON_RANKS = """\
import os, sys
from mpi4py import MPI
import eagle
from eagle.plan import plan
rank = MPI.COMM_WORLD.rank
long = plan(eagle.load(sys.argv[1]), structure='rank_partition', threads=1, n_samples=2**40)
open(f'{rank}.pid', 'w').write(str(os.getpid()))
long.run()
"""


def ended_on_ranks(folder: Path, end: Callable[[subprocess.Popen[str], int], None]) -> str:
    """Two ranks in a long run, of which `end` is given mpiexec and the process of rank 1: all end."""
    (folder / "long.py").write_text(LONG_ON_RANKS)
    job = start(["mpiexec", "-n", 2, sys.executable, "long.py", BUNDLES / "sum_index64"], folder)
    paths = [folder / f"{rank}.pid" for rank in range(2)]
    while not all(path.exists() and path.read_text() for path in paths):
        assert job.poll() is None, job.communicate()
        time.sleep(0.1)
    time.sleep(1)
    ranks = [int(path.read_text()) for path in paths]
    end(job, ranks[1])
    job.communicate(timeout=MOST_SECONDS)  # mpiexec's exit code is not to be trusted
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{rank}").exists() for rank in ranks):
        assert time.monotonic() < deadline, "a rank is left"
        time.sleep(0.1)
    return "every rank ends"


if RankPartition.available and shutil.which("mpiexec"):
    for title, end in {
        "Ctrl-C in a long run on ranks": lambda job, rank: job.send_signal(signal.SIGINT),
        "SIGTERM in a long run on ranks": lambda job, rank: job.send_signal(signal.SIGTERM),
        "a rank that is killed": lambda job, rank: os.kill(rank, signal.SIGKILL),
    }.items():
        case(AREA, title)(lambda folder, end=end: ended_on_ranks(folder, end))


@case(AREA, "standard output that takes nothing")
def _(folder: Path) -> str:
    with open("/dev/full", "w") as full:
        done = subprocess.run([EAGLE, "info"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    return done.stderr


@case(AREA, "a file that vanishes between load and bind")
def _(folder: Path) -> str:
    return python(folder, f"""\
import shutil
shutil.copytree(f'{{bundles}}/axpy', {str(folder / 'axpy')!r})
body = plan(eagle.load({str(folder / 'axpy')!r}), structure='host_team')
shutil.rmtree({str(folder / 'axpy')!r})
body.run(x=np.ones(3), a=1.0, b=1.0)
""")  # fmt: skip


@case(AREA, "a bundle in a folder that may not be read")
def _(folder: Path) -> str:
    (folder / "bundle").write_text("a file, no folder")
    return ended(start([EAGLE, "check", folder / "bundle" / "manifest.json"], folder), 1)


@case(AREA, "a process forked while its team was running")
def _(folder: Path) -> str:
    return python(folder, """\
import os, sys
planned('axpy', threads=2).run(x=np.ones(100000), a=1.0, b=1.0)
reader, writer = os.pipe()
if os.fork() == 0:
    try: planned('axpy', threads=2).run(x=np.ones(100000), a=1.0, b=1.0)
    except eagle.Error as error: os.write(writer, str(error).encode())
    os._exit(0)
os.close(writer)
raise eagle.Error(os.read(reader, 10000).decode())
""")  # fmt: skip
