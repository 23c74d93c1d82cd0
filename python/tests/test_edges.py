# SPDX-License-Identifier: Apache-2.0
"""Where Python's own machinery and eagle meet: interpreter exit, cycles, memory, exceptions that are nobody's mistake."""

import gc
import os
import subprocess
import sys
import threading
import time
import weakref

import eagle
import numpy as np
import pytest
from eagle.plan import plan


@pytest.mark.parametrize("body", ["b.launch()", "p.run(x=x, a=1.0, b=1.0)", "p.bind(x=x, a=1.0, b=1.0)"])
def test_a_daemon_thread_at_work_does_not_spoil_the_exit(bundles, body):
    code = f"""
import threading, time, eagle, numpy as np
from eagle.plan import plan
x = np.ones(1000)
p = plan(eagle.load({str(bundles / "axpy")!r}), structure="host_team", threads=2)
b = p.bind(x=x, a=1.0, b=1.0)
def loop():
    while True: {body}
threading.Thread(target=loop, daemon=True).start()
time.sleep(0.3)
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, MemoryError, RecursionError])
def test_exceptions_that_are_nobodys_mistake_come_through(axpy, kind):
    class Raises:
        def __dlpack__(self, **_):
            raise kind("mine")

    with pytest.raises(kind, match="mine") as caught:
        axpy(x=Raises())
    assert not isinstance(caught.value, eagle.Error)


@pytest.mark.skipif("EAGLE_SANITIZER" in os.environ, reason="a sanitizer needs addresses without a limit")
def test_no_memory_is_a_memory_error(bundles):
    made = plan(eagle.load(bundles / "sum_index"), structure="host_team", combine=False, n_samples=2**32 - 1)
    limit = f"""
import resource, eagle
from eagle.plan import plan
made = plan(eagle.load({str(bundles / "sum_index")!r}), structure="host_team", combine=False, n_samples=2**32 - 1)
resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))
try: made.run()
except MemoryError as error: assert error.code == "memory" and "'sum_index'" in str(error), error
else: raise SystemExit("accepted")
"""
    assert "4294967295" in repr(made)
    subprocess.run([sys.executable, "-c", limit], check=True, timeout=60)


def test_a_name_with_a_nul_is_a_name_that_nobody_knows(host):
    y = np.full(2, 7.0)
    with pytest.raises(ValueError, match="unknown"):
        host("axpy").run(**{"x": np.ones(2), "a": 1.0, "b": 0.0, "y\0z": y})
    assert y.tolist() == [7.0, 7.0]


def test_a_bound_plan_in_a_cycle_is_collected(host):
    class Array(np.ndarray):
        pass

    x = np.ones(10).view(Array)
    x.bound = host("axpy").bind(x=x, a=1.0, b=0.0)
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


def test_a_result_is_not_taken_in_the_middle_of_a_launch(host):
    bound = host("sum_index", n_samples=2**32 - 1, threads=1).bind()
    thread = threading.Thread(target=bound.launch)
    thread.start()
    time.sleep(0.2)
    with pytest.raises(ValueError, match="another thread is inside launch"):
        bound.result()
    thread.join()
    n = 2**32 - 1
    assert int(bound.result()) == (n * (n - 1) // 2 + 2**63) % 2**64 - 2**63
