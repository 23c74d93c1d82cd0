# SPDX-License-Identifier: Apache-2.0
"""What the system does meanwhile: the outputs that were there before stay."""

import signal
import subprocess
import time
from pathlib import Path

import numpy as np
from case import BUNDLES, EAGLE, case, ended, python, run, start, stop

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


@case(AREA, "no room for 512 threads")
def _(folder: Path) -> str:
    said = run(folder, BUNDLES / "axpy", *files(folder), "--threads", 512, "--schedule", "dynamic", most_bytes=1 << 30)
    kept(folder)
    return said


@case(AREA, "a disk that takes no more of the output")
def _(folder: Path) -> str:
    said = run(folder, BUNDLES / "axpy", *files(folder), most_file=4096)
    kept(folder)
    return said


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
