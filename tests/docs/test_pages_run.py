# SPDX-License-Identifier: Apache-2.0
"""Each page from top to bottom, in a folder of its own: its commands, and what python/tests does not run of it."""

import subprocess
import sys

import numpy as np
import pytest
from pages import PAGES, SOURCE, is_there, steps_of

pytest.importorskip("eagle")
sys.path.insert(0, str(SOURCE / "python" / "tests"))

from test_pages import CASES, folder, run_console, run_python  # noqa: E402, F401

#: Their blocks of python and console are run by python/tests/test_pages.py.
ELSEWHERE = {case.values[0].name for case in CASES}
OWN_TEST = {"cluster.md", "errors.md", "scaling.md"}
RUN = {"shell", "python", "console", "bash"}


def wanted(page):
    kinds = {"shell"} if page.name in ELSEWHERE else RUN
    return [step for step in steps_of(page.read_text()) if step.language in kinds or (step.name and kinds == RUN)]


def run_batch(script, folder):  # noqa: F811
    """A job as Slurm runs it on one node with two tasks, where mpiexec stands in for srun."""
    options = [line for line in script.read_text().splitlines() if line.startswith("#SBATCH")]
    assert options and all(line.startswith("#SBATCH --") for line in options)
    (folder / "bin").mkdir()
    launcher = "mpiexec -n 2" if is_there("mpiexec") else ""
    (folder / "bin" / "srun").write_text(f'#!/bin/sh\nwhile [ "${{1#-}}" != "$1" ]; do shift; done\nexec {launcher} "$@"\n')
    (folder / "bin" / "srun").chmod(0o755)
    subprocess.run(["bash", "-n", script], check=True)
    run_console(f'$ PATH="$PWD/bin:$PATH" SLURM_CPUS_PER_TASK=1 bash {script.name}\n...\n', script, 0)


@pytest.mark.parametrize("page", [pytest.param(p, id=p.name) for p in PAGES if p.name not in OWN_TEST and wanted(p)])
def test_page(page, folder):  # noqa: F811
    np.save("x.npy", np.linspace(-1, 1, 1000))
    names = {"__name__": "__main__"}
    for name, language, text, line in wanted(page):
        if name:
            (folder / name).write_text(text)
        if language == "shell" and is_there(text):
            run_console(f"$ {'OMP_NUM_THREADS=1 ' if 'mpiexec' in text else ''}{text}\n...\n", page, line)
        elif language == "console":
            run_console(text, page, line)
        elif language == "python" and not name:
            run_python(text, page, line, names)
        elif language == "bash":
            run_batch(folder / name, folder)


def test_the_job_of_the_cluster_page_computes_what_it_says(folder):  # noqa: F811
    page = SOURCE / "docs" / "cluster.md"
    test_page(page, folder)
    assert np.array_equal(np.load("y.npy"), 2.5 * np.load("x.npy") - 1.5)
