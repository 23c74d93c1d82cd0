# SPDX-License-Identifier: Apache-2.0
"""Plans on a CUDA device, each case of device/ in a child: on the stand-in driver, and on the machine's where it has one."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import eagle
import pytest
from conftest import BUNDLES, SOURCE
from eagle.exec import DeviceKernel, RankPartition
from test_rank_partition import on_ranks

os.environ.setdefault("EAGLE_BUNDLES", str(BUNDLES))
from device import CASES, arrays, groups, libraries, lifetimes, places, streams  # noqa: E402, F401

BUILD = Path(os.environ.get("EAGLE_BUILD", SOURCE / "build")).resolve()
STAND_IN = BUILD / "tests" / "device" / "stand_in" / "lib"
#: The stand-in driver's, and that of NCCL.
LIBRARIES = f"{STAND_IN}:{BUILD / 'tests' / 'device_group' / 'stand_in' / 'lib'}"
TWINS = f"{BUNDLES.resolve()}:{BUILD / 'tests' / 'host_team' / 'bundles'}"

pytestmark = [
    pytest.mark.skipif(not DeviceKernel.built, reason="this eagle was built without CUDA"),
    pytest.mark.skipif("device" not in eagle.load(BUNDLES / "axpy")["axpy"].exec_targets, reason="no nvcc built the bundles"),
]


def cases(driver):
    return [name for name, (_, drivers, _) in CASES.items() if driver in drivers]


def run(name, **variables):
    module = CASES[name][0]
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "2", **variables}
    command = [sys.executable, "-c", f"import {module}; {module}.{name}()"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not STAND_IN.exists(), reason="the stand-in driver is not built")
@pytest.mark.parametrize("ranks", [1, 2])
def test_ranks_with_a_device_each(ranks, monkeypatch, bundles, tmp_path):
    pytest.importorskip("mpi4py")
    if not RankPartition.available or shutil.which("mpiexec") is None:
        pytest.skip("no MPI")
    for name, value in dict(
        LD_LIBRARY_PATH=LIBRARIES, STAND_IN_TWINS=TWINS, STAND_IN_DEVICES=str(ranks), TMPDIR=str(tmp_path)
    ).items():
        monkeypatch.setenv(name, value)
    on_ranks(ranks, "groups.py", bundles=bundles)


@pytest.mark.skipif(not STAND_IN.exists(), reason="the stand-in driver is not built")
@pytest.mark.parametrize("name", cases("stand-in"))
def test_on_the_stand_in(name, tmp_path):
    log, setup = tmp_path / "log", CASES[name][2]
    run(name, LD_LIBRARY_PATH=LIBRARIES, STAND_IN_TWINS=TWINS, STAND_IN_LOG=str(log), **setup)
    lines = log.read_text().splitlines()
    assert [each for each in lines if each.startswith("misuse")] == []
    left = re.fullmatch(r"outstanding: (\d+) allocations of \d+ bytes, (\d+) pinned, \d+ streams, (\d+) events, .*", lines[-1])
    assert left and left.groups() == ("0", "0", "0"), lines[-1]


def test_producers_are_waited_for_by_the_device_alone(tmp_path):
    if not STAND_IN.exists():
        pytest.skip("the stand-in driver is not built")
    log = tmp_path / "log"
    run("producers_come_first", LD_LIBRARY_PATH=LIBRARIES, STAND_IN_TWINS=TWINS, STAND_IN_LOG=str(log))
    text = log.read_text()
    for binding in re.findall(r"cuPointerGetAttributes 0x1\n(.*?)cuPointerGetAttributes 0x2\n", text, re.S):
        record, wait = re.search(r"cuEventRecord (.*)", binding)[1], re.search(r"cuStreamWaitEvent (.*)", binding)[1]
        assert record != wait
        assert "cuEventSynchronize" not in binding and f"cuStreamSynchronize {record}" not in binding
        assert f"cuStreamSynchronize {wait}" not in binding
    assert text.count("cuPointerGetAttributes 0x1\n") == 3


@pytest.mark.skipif(DeviceKernel.available, reason="this machine has a device")
@pytest.mark.parametrize("name", cases("no driver"))
def test_on_this_machine_without_a_driver(name):
    run(name)


@pytest.mark.skipif(not DeviceKernel.available, reason="this machine has no device")
@pytest.mark.parametrize("name", cases("machine"))
def test_on_this_machine(name):
    run(name)
