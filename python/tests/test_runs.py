# SPDX-License-Identifier: Apache-2.0
"""Long runs and their surroundings: the GIL, Ctrl-C, progress, threads, fork, interpreters, import and exit."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import eagle
import numpy as np
import pytest
from eagle.plan import plan

START = """
import os, signal, sys, threading, time, warnings
import numpy as np, eagle
warnings.filterwarnings("ignore", "This process .* is multi-threaded, use of fork", DeprecationWarning)  # which is the point
from eagle.plan import plan
def host(path, **options): return plan(eagle.load(path), structure=eagle.exec.HostTeam, **options)
x = np.ones(1000)
axpy = host({axpy!r}, threads=2)
slow = host({slow!r}, n_samples=10**7)
"""


@pytest.fixture
def python(bundles, slow, tmp_path):
    """python(code): a process of its own, with two plans ready."""

    def start(code, **options):
        script = tmp_path / "script.py"
        script.write_text(START.format(axpy=str(bundles / "axpy"), slow=str(slow)) + code)
        return subprocess.Popen(
            [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
        )

    return start


def output(process, code=0):
    text = process.stdout.read()
    assert process.wait(60) == code, text
    return text


@pytest.mark.parametrize("threads", [1, 2])
def test_other_threads_work_while_a_body_runs(slow, threads):
    done = threading.Event()

    def run():
        plan(eagle.load(slow), structure="host_team", n_samples=4000 * threads, threads=threads).run(microseconds=100)
        done.set()

    counted = 0
    thread = threading.Thread(target=run)
    thread.start()
    while not done.is_set():
        counted += 1
        time.sleep(0.001)
    thread.join()
    assert counted > 50


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_stops_a_run(python, threads):
    process = python(f"""
slow = host(slow.plugin.sidecar.parent, n_samples=10**7, threads={threads})
print("ready", flush=True)
try:
    slow.run(microseconds=50)
except KeyboardInterrupt:
    print("stopped", flush=True)
print(axpy.run(x=x, a=1.0, b=1.0).sum())
""")
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "stopped\n"
    assert time.monotonic() - sent < 0.4
    assert output(process) == "2000.0\n"


def test_what_a_signal_handler_raises_comes_through(python):
    process = python("""
def handler(*_): raise LookupError("mine")
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try: slow.run(microseconds=50)
except LookupError as error: print(error)
""")
    assert output(process) == "mine\n"


def test_a_handler_that_raises_nothing_stops_nothing(python):
    process = python("""
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
print(host(slow.plugin.sidecar.parent, n_samples=20000).run(microseconds=20).sum())
signal.setitimer(signal.ITIMER_REAL, 0)
""")
    assert output(process) == "20000\n"


def test_one_plan_from_many_threads(host):
    axpy, dot = host("axpy", threads=2), host("dot", npartitions=3)
    x = np.random.default_rng(1).random(50_000)

    def work(k):
        y = axpy.run(x=x, a=float(k), b=1.0)
        return np.array_equal(y, k * x + 1.0), dot.run(x=x, y=x)

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(64)))
    assert all(equal for equal, _ in results)
    assert len({value.hex() for _, value in results}) == 1


def test_a_bound_plan_belongs_to_one_thread_at_a_time(slow):
    bound = plan(eagle.load(slow), structure="host_team", n_samples=3000, threads=1).bind(microseconds=100)
    thread = threading.Thread(target=bound.launch)
    thread.start()
    time.sleep(0.1)
    with pytest.raises(eagle.Error, match="another call"):
        bound.launch()
    thread.join()
    bound.launch()


TOTAL = """
def total(a): return float(axpy.run(x=x, a=a, b=1.0).sum())
"""


def test_a_host_has_no_stream(host):
    bound = host("axpy").bind(x=np.ones(3), a=1.0, b=1.0)
    with pytest.raises(ValueError, match="stream"):
        bound.launch(7)


def test_a_bound_plan_is_launched_and_bound_anew(host):
    x, z, y = np.arange(4.0), np.ones(4), np.empty(4)
    bound = host("axpy", npartitions=2).bind(x=x, y=y, a=2.0, b=1.0)
    bound.launch()
    assert bound.result() is y and bound.outputs["y"] is y and y.tolist() == [1, 3, 5, 7]
    x[:] = 1
    bound.launch()
    assert y.tolist() == [3, 3, 3, 3]
    with pytest.raises(TypeError, match="float32"):
        bound.rebind(y=np.empty(4, np.float32))
    bound.rebind(x=z, a=5).launch()
    assert y.tolist() == [6, 6, 6, 6] and bound.n_samples == 4


def test_a_folded_value_is_there_after_a_launch(host):
    bound = host("dot").bind(x=np.arange(4.0), y=np.ones(4))
    with pytest.raises(ValueError, match="no launch has run"):
        bound.result()
    bound.launch()
    assert bound.result() == 6 and bound.outputs["total"].shape == ()


def test_a_child_forked_before_the_first_run_works(python):
    process = python(
        TOTAL
        + """
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(total, [1.0, 2.0]), flush=True)
if os.fork() == 0:
    print(total(3.0), flush=True)
    sys.exit(0)
assert os.wait()[1] == 0
print(total(4.0))
"""
    )
    assert output(process) == "[2000.0, 3000.0]\n4000.0\n5000.0\n"


def test_a_child_of_a_started_runtime_is_told_so(python):
    process = python("""
axpy.run(x=x, a=1.0, b=1.0)
if os.fork() == 0:
    try: axpy.run(x=x, a=1.0, b=1.0)
    except RuntimeError as error: print(error.code, error, flush=True)
    sys.exit(0)
assert os.wait()[1] == 0
""")
    text = output(process)
    assert text.startswith("unavailable") and "forked" in text and "spawn" in text


@pytest.mark.parametrize("threads", [1, 2, None])
def test_a_child_forked_in_the_middle_of_a_launch_ends(python, bundles, threads):
    """Also where the parent ends in the middle of it."""
    process = python(f"""
long = plan(eagle.load({str(bundles / "sum_index64")!r}), structure="host_team", n_samples=2**40, threads={threads})
threading.Thread(target=long.run, daemon=True).start()
time.sleep(0.5)
child = os.fork()
if child == 0:
    print("child", end=" ")
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    assert output(process) == "child 7\n"


def test_spawned_workers_run(python):
    process = python(
        TOTAL
        + """
if __name__ == "__main__":
    total(1.0)
    import multiprocessing
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(total, [2.0]))
"""
    )
    assert output(process) == "3000.0\n"


@pytest.mark.parametrize(
    "code",
    [
        "import eagle",
        "import eagle, numpy",
        "import numpy, eagle",
        "import eagle; import eagle._core; import importlib; importlib.reload(eagle)",
        "import sys, eagle; del sys.modules['eagle']; import eagle; eagle.exec.HostTeam",
        "import threading, eagle; t = threading.Thread(target=eagle.exec.layout_sizes); t.start(); t.join()",
        "import threading; t = threading.Thread(target=lambda: __import__('eagle')); t.start(); t.join(); import eagle",
    ],
)
def test_imports_print_nothing_and_exit_cleanly(code):
    done = subprocess.run([sys.executable, "-X", "dev", "-W", "error", "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_exit_while_things_are_alive(python):
    process = python("""
bound = axpy.bind(x=x, a=1.0, b=1.0)
bound.launch()
kept = [bound.result(), axpy, bound]
print("end")
""")
    assert output(process) == "end\n"


def test_exit_while_a_thread_runs(python):
    process = python("""
threading.Thread(target=slow.run, kwargs={"microseconds": 50}, daemon=True).start()
time.sleep(0.2)
print("end", flush=True)
""")
    assert output(process).startswith("end\n")


def test_importing_starts_nothing():
    code = """
import os, numpy
before = len(os.listdir("/proc/self/task")), os.sched_getaffinity(0)
import eagle
assert (len(os.listdir("/proc/self/task")), os.sched_getaffinity(0)) == before
maps = open("/proc/self/maps").read()
assert "libmpi" not in maps and "libcuda" not in maps
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_sub_interpreters_are_refused():
    interpreters = pytest.importorskip("_interpreters")
    one = interpreters.create()
    try:
        error = interpreters.exec(one, "import eagle._core")
        assert error is not None and "ImportError" in error.formatted and "interpreter" in error.formatted
    finally:
        interpreters.destroy(one)


def read_terminal(command):
    """What a program writes to a terminal of its own."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("4H", 24, 100, 0, 0))
    process = subprocess.Popen(command, stdout=follower, stderr=follower)
    os.close(follower)
    chunks = []
    try:
        while chunk := os.read(leader, 4096):
            chunks.append(chunk)
    except OSError:  # the other end is closed
        pass
    os.close(leader)
    assert process.wait(60) == 0, b"".join(chunks)
    return b"".join(chunks).decode()


PROGRESS = """
import sys
{hide}
import eagle
from eagle.plan import plan
plan(eagle.load({slow!r}), structure="host_team", n_samples=20000, threads=1, progress=True).run(microseconds=20)
"""


@pytest.mark.parametrize("hide", ["", "sys.modules['tqdm'] = None"], ids=["tqdm", "plain"])
def test_progress_is_shown_on_a_terminal(slow, hide):
    text = read_terminal([sys.executable, "-c", PROGRESS.format(hide=hide, slow=str(slow))])
    assert "slow" in text and "100" in text and text.count("\r") > 2


def test_progress_is_silent_elsewhere(slow):
    code = PROGRESS.format(hide="", slow=str(slow))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
