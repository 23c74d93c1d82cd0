# SPDX-License-Identifier: Apache-2.0
"""RankPartition in one process, and on ranks as children: python/tests/mpi holds what they run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import eagle
import numpy as np
import pytest
from eagle.exec import HostTeam, Partition, RankPartition
from eagle.plan import plan

BUILT = pytest.mark.skipif(not RankPartition.available, reason="this eagle was built without MPI")
SCRIPTS = Path(__file__).parent / "mpi"


def start(ranks, script, *arguments, bundles):
    """What a script on ranks printed when all of them had ended."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "EAGLE_BUNDLES": str(bundles)}
    if ranks > (os.cpu_count() or 1):
        environment["MPIR_CVAR_ENABLE_HEAVY_YIELD"] = "1"
    command = ["mpiexec", "-n", str(ranks), sys.executable, SCRIPTS / script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)


def on_ranks(ranks, script, *arguments, bundles):
    """What rank 0 of a script prints; it has to end with its own "ranks: ok", since mpiexec's exit code is not to be trusted."""
    done = start(ranks, script, *arguments, bundles=bundles)
    assert done.stdout.strip().splitlines()[-1:] == ["ranks: ok"], done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def ranked(bundles):
    if not RankPartition.available or shutil.which("mpiexec") is None:
        pytest.skip("no MPI")
    return lambda ranks, script, *arguments: on_ranks(ranks, script, *arguments, bundles=bundles)


@BUILT
def test_one_process_is_rank_0_of_1_and_starts_no_mpi(bundles):
    x = np.random.default_rng(1).random(1000)
    assert RankPartition.world() == (0, 1)
    assert RankPartition.local(Partition.whole(10)) == RankPartition.local((0, 10, 10)) == (0, 10, 10)
    assert RankPartition.local([2, 3, 10]) == (2, 3, 10)
    assert RankPartition.allgather_fold("times", 3) == 3
    made = plan(eagle.load(bundles / "axpy"), structure=RankPartition, inner=HostTeam, npartitions=3, check_replicated=True)
    assert "rank_partition(inner=host_team" in repr(made)
    np.testing.assert_array_equal(made.run(x=x, a=2.0, b=1.0), 2.0 * x + 1.0)
    code = f"""
import eagle
from eagle.plan import plan
import numpy as np
plan(eagle.load({str(bundles / "dot")!r}), structure="rank_partition").run(x=np.ones(9), y=np.ones(9))
import ctypes
flag = ctypes.c_int()
assert ctypes.CDLL(None).MPI_Initialized(ctypes.byref(flag)) in (0,) and flag.value == 0
"""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PMI")}
    subprocess.run(
        [sys.executable, "-c", "import ctypes, eagle._mpi; ctypes.CDLL(eagle._mpi.__file__, ctypes.RTLD_GLOBAL)\n" + code],
        check=True,
        timeout=60,
        env=environment,
    )


def test_the_compiled_core_knows_no_mpi():
    dynamic = subprocess.run(["readelf", "-d", eagle._core.__file__], capture_output=True, text=True, check=True).stdout
    needed = [line for line in dynamic.splitlines() if "NEEDED" in line]
    assert needed and not any("mpi" in line for line in needed)


def test_without_the_extension_every_call_names_the_switch(bundles):
    code = f"""
import sys
sys.modules["eagle._mpi"] = None
import eagle
from eagle.exec import RankPartition, Partition
from eagle.plan import plan
import importlib.util
for call in (RankPartition.world, lambda: RankPartition.local(Partition.whole(4)),
             lambda: RankPartition.allgather_fold("sum", 1.0),
             lambda: plan(eagle.load({str(bundles / "axpy")!r}), structure=RankPartition)):
    try: call()
    except RuntimeError as error: assert error.code == "not_built" and "EAGLE_PYTHON_MPI=ON" in str(error), error
    else: raise SystemExit("accepted")
try: plan(eagle.load({str(bundles / "histogram")!r}), structure=RankPartition)
except ValueError as error: assert "cross_sample_write" in str(error)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@BUILT
@pytest.mark.parametrize(
    "options, words",
    [
        ({"comm": 3}, "communicator of mpi4py"),
        ({"inner": "rank_partition"}, "inner"),
        ({"check_replicated": 1}, "check_replicated"),
    ],
)
def test_mistakes(bundles, options, words):
    with pytest.raises((ValueError, TypeError, RuntimeError), match=words):
        plan(eagle.load(bundles / "axpy"), structure=RankPartition, **options)


@BUILT
@pytest.mark.parametrize("whole", [(-1, 5, 10), (0, -1, 10), (6, 5, 10), (0, 0, -1), (0, 10), 10, (0, 2**64, 2**65)])
def test_a_partition_that_cannot_be_has_no_local_part(whole):
    with pytest.raises(ValueError, match="partition"):
        RankPartition.local(whole)


@pytest.mark.parametrize("ranks", [2, 3])
def test_planes_and_values_are_those_of_one_process(ranked, ranks):
    ranked(ranks, "identity.py")


@pytest.mark.parametrize("ranks", [2, 3])
def test_what_one_rank_refuses_all_refuse(ranked, ranks):
    ranked(ranks, "refusals.py")


def test_each_argument_of_plan_that_one_rank_has_wrong_all_refuse(ranked):
    ranked(2, "mistakes.py")


def test_an_exception_that_nothing_catches_ends_all_ranks(ranked, bundles):
    done = start(2, "uncaught.py", bundles=bundles)
    assert "said before" in done.stdout and "KeyError: 'lost'" in done.stderr, done


@pytest.mark.parametrize("first", ["mpi4py", "eagle"])
def test_communicators_of_mpi4py(ranked, first):
    pytest.importorskip("mpi4py")
    ranked(3, "communicators.py", first)
