# SPDX-License-Identifier: Apache-2.0
"""The bar on a terminal: one a run and thread, whatever became of the run before."""

import re
import sys

import pytest
from test_runs import read_terminal

START = """
import sys
{hide}
from threading import Thread
from eagle import _progress
show = _progress.bar("label")
"""
HIDES = pytest.mark.parametrize("hide", ["", "sys.modules['tqdm'] = None"], ids=["tqdm", "plain"])


def lines_of(code, hide):
    """What stands on the terminal in the end, line by line."""
    text = read_terminal([sys.executable, "-c", START.format(hide=hide) + code])
    shown = [line.rpartition("\r")[2] for line in re.sub(r"\x1b\[A", "", text).replace("\r\n", "\n").split("\n")]
    return [line for line in shown if line.strip()]


@HIDES
def test_a_run_after_one_that_failed_has_a_bar_of_its_own(hide):
    for again in ("show(30, 100); show(100, 100)", "show(70, 200); show(200, 200)"):
        lines = lines_of("show(60, 100); " + again, hide)
        assert [re.search(r"label: +(\d+) ?%", line)[1] for line in lines] == ["60", "100"]


@HIDES
def test_runs_one_after_the_other(hide):
    lines = lines_of("show(50, 100); show(100, 100); show(200, 200)", hide)
    assert [re.search(r"(\d+) ?%", line)[1] for line in lines] == ["100", "100"]


@HIDES
def test_a_run_without_samples_shows_nothing(hide):
    assert lines_of("show(0, 0); show(0, 0)", hide) == []


@HIDES
def test_threads_do_not_share_a_bar(hide):
    code = """
def run():
    for done in range(0, 201):
        show(done, 200)
team = [Thread(target=run) for _ in range(4)]
for each in team: each.start()
for each in team: each.join()
print("no thread failed")
"""
    lines = lines_of(code, hide)
    assert "no thread failed" in lines[-1] and "Traceback" not in "".join(lines)


RUNS = """
import os, signal
import numpy as np, eagle
from threading import Timer
from eagle.plan import plan
slow = plan(eagle.load({slow!r}), structure="host_team", n_samples=100_000, threads=1, progress=True)
Timer(0.6, signal.raise_signal, [signal.SIGINT]).start()
try:
    slow.run(microseconds=30)
except KeyboardInterrupt:
    print("stopped")
slow.run(microseconds=5)
"""


@HIDES
def test_a_run_after_one_that_was_stopped(hide, slow):
    lines = lines_of(RUNS.format(slow=str(slow)), hide)
    assert "stopped" in "".join(lines) and re.search(r"100 ?%", lines[-1])
