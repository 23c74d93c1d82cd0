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
    with pytest.raises(ValueError, match="another call of this bound plan"):
        bound.result()
    thread.join()
    n = 2**32 - 1
    assert int(bound.result()) == (n * (n - 1) // 2 + 2**63) % 2**64 - 2**63


def test_what_a_rebind_lets_go_may_rebind(host):
    class Again(list):
        def __del__(self):
            bound.rebind(x=[5.0])

    y = np.zeros(1)
    bound = host("axpy").bind(x=Again([1.0]), y=y, a=1.0, b=0.0)
    bound.rebind(x=[3.0])
    gc.collect()
    bound.launch()
    assert y.tolist() == [5.0]


def test_rebinds_and_outputs_of_several_threads_keep_to_one_array(host):
    arrays = [np.full(1000, float(k)) for k in range(8)]
    y = np.zeros(1000)
    bound = host("axpy").bind(x=arrays[0], y=y, a=1.0, b=0.0)
    end = time.monotonic() + 0.5
    wrong = []

    def work(k):
        while time.monotonic() < end:
            try:
                bound.rebind(x=arrays[k].copy())
                if list(bound.outputs) != ["y"]:
                    wrong.append(k)
            except ValueError as error:
                if "another call of this bound plan" not in str(error):
                    wrong.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    bound.launch()
    assert not wrong and len(set(y.tolist())) == 1 and y[0] in range(8)


def in_process(code, bundles, **environment):
    head = "import os, signal, sys, threading, time, eagle, numpy as np\nfrom eagle.plan import plan\n"
    head += f"BUNDLE = {str(bundles / 'axpy')!r}\naxpy = eagle.load(BUNDLE)\n"
    command = [sys.executable, "-W", "ignore", "-c", head + code]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-2000:]


@pytest.mark.skipif("EAGLE_SANITIZER" in os.environ, reason="a sanitizer has locks of its own")
def test_a_child_that_is_forked_while_others_bind_does_not_hang(bundles):
    in_process(
        """
x = np.ones(1000)
def work(): plan(eagle.load(BUNDLE), structure="host_team", threads=1).bind(x=x, a=1.0, b=1.0)
end = time.monotonic() + 2
def loop():
    while time.monotonic() < end: work()
threads = [threading.Thread(target=loop) for _ in range(2)]
for thread in threads: thread.start()
while time.monotonic() < end:
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        work()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
""",
        bundles,
    )


def test_a_process_ends_while_its_threads_run(bundles):
    in_process(
        """
x = np.ones(5_000_000)
def loop(threads):
    bound = plan(axpy, structure="host_team", threads=threads).bind(x=x, a=1.0, b=1.0)
    while True: bound.launch()
for threads in (None, 1, 3): threading.Thread(target=loop, args=(threads,), daemon=True).start()
time.sleep(0.2)
""",
        bundles,
        OMP_NUM_THREADS="2",
    )


@pytest.mark.skipif("EAGLE_SANITIZER" in os.environ, reason="a sanitizer needs addresses without a limit")
def test_threads_that_a_smaller_team_has_given_back_are_asked_for_again(bundles):
    in_process(
        """
import resource
x = np.ones(100000)
def run(threads): plan(axpy, structure="host_team", threads=threads, schedule="dynamic").run(x=x, a=1.0, b=1.0)
run(40)
run(2)
time.sleep(0.2)
here = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (here + (64 << 20), here + (64 << 20)))  # 40 stacks of 8 MiB do not fit
try: run(40)
except eagle.Error as error: assert "a team of 40 threads cannot start" in str(error), error
else: raise SystemExit("was not refused")
run(2)
""",
        bundles,
    )
