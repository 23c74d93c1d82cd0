# SPDX-License-Identifier: Apache-2.0
"""The pages for Python users, each run from top to bottom as it is printed, in a folder of its own.

Blocks of python share one namespace: with >>> they are doctests, else they are executed. A block of console runs its lines
with $ and compares what they print. A block of any language under a line that ends in `name`: is that file.
"""

import doctest
import importlib.util
import os
import re
import signal
import subprocess
import sys
from fcntl import LOCK_EX, flock
from pathlib import Path

import eagle
import numpy as np
import pytest
from conftest import BUNDLES, SOURCE
from eagle.plan import plan

TOP = SOURCE.resolve()
BUILD = Path(os.environ.get("EAGLE_BUILD", SOURCE / "build")).resolve()
STEP = re.compile(r"(?:`([\w.]+)`:\n\n)?```(\w+)\n(.*?)```", re.S)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
OPTIONAL = ("matplotlib", "torch")
#: Pages that begin where a user of eagle already is; the others import all that they use.
GIVEN = {"raptor.md": {"bundles": BUNDLES.resolve(), "eagle": eagle, "np": np, "plan": plan}}


def steps(page):
    """(file name or '', language, text, line) of each block that is run or written."""
    text = page.read_text()
    for step in STEP.finditer(text):
        name, language, body = step.groups()
        if name or language in ("python", "console"):
            yield name, language, body, text.count("\n", 0, step.start(3))


PAGES = [
    TOP / "README.md",
    *(TOP / "docs" / name for name in ("tutorial.md", "plugins.md", "raptor.md", "ranks.md", "kokkos_kernels.md")),
]
#: Whose commands build with what is no program of a sanitizer's.
BUILDS = ["plugins.md"] if "EAGLE_SANITIZER" in os.environ else []
CASES = [pytest.param(page, id=page.name) for page in PAGES if page.exists() and page.name not in BUILDS and any(steps(page))]


def run_python(text, page, line, names):
    if ">>>" not in text:
        exec(compile("\n" * line + text, page, "exec"), names)
        return
    report = []
    test = doctest.DocTest(doctest.DocTestParser().get_examples(text), names, page.name, str(page), line, text)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert runner.failures == 0, "".join(report)


def run_console(text, page, line):
    """Commands stop the page where they fail, or print something else than it shows."""
    path = os.pathsep.join([str(BUILD / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {"CMAKE_GENERATOR": "Ninja", **os.environ, "PATH": path, "EAGLE_BUILD": str(BUILD), "HAWK_CACHE_DIR": "cache"}
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M):
        done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, timeout=300)
        printed = done.stdout + done.stderr
        assert done.returncode == 0, f"{page.name}:{line}: {command}\n{printed}"
        assert doctest.OutputChecker().check_output(shown, printed, FLAGS), f"{page.name}:{line}: {command}\n{printed}"


def hawk(version):
    """A virtual environment with raptor-hawk, made once and kept in the build folder."""
    place = BUILD / f"hawk-{version}"
    place.mkdir(exist_ok=True)
    with open(place / "lock", "w") as lock:
        flock(lock, LOCK_EX)
        if not (place / "installed").exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", place / "venv"], check=True, timeout=120)
            pip = [place / "venv/bin/python", "-m", "pip", "install", "-q", "--retries", "1", f"raptor-hawk=={version}"]
            done = subprocess.run(pip, capture_output=True, text=True, timeout=600)
            if "from versions: none" in done.stderr:
                pytest.skip(f"pip finds no raptor-hawk {version}; all above it has passed: {done.stderr[-300:]}")
            assert done.returncode == 0, done.stderr
            (place / "installed").touch()
    return place / "venv"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to be in, where build/bundles are the worked bundles and Ctrl-C is Python's own."""
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "bundles").symlink_to(BUNDLES.resolve())
    monkeypatch.chdir(tmp_path)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield tmp_path
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("page", CASES)
def test_page(page, folder):
    if page.name == "kokkos_kernels.md" and not (BUNDLES / "solve4").exists():
        pytest.skip("built without Kokkos Kernels")
    names = {"__name__": "__main__", **GIVEN.get(page.name, {})}
    left_out = []
    for name, language, text, line in steps(page):
        needs = re.match(rf">>> (?:import|from) ({'|'.join(OPTIONAL)})\b", text)
        if name:
            (folder / name).write_text(text)
        elif language == "python" and needs and importlib.util.find_spec(needs[1]) is None:
            left_out.append(needs[1])
        elif language == "python":
            run_python(text, page, line, names)
        else:
            if "hawk/bin/" in text and not (folder / "hawk").exists():
                (folder / "hawk").symlink_to(hawk(re.search(r"raptor-hawk==([\d.]+)", page.read_text())[1]))
            run_console(text, page, line)
    for image in re.findall(r"\]\(images/([\w.]+)\)", page.read_text()):
        assert "matplotlib" in left_out or (folder / image).read_bytes().startswith(b"\x89PNG"), (
            f"{page.name} does not make {image}"
        )
        assert (page.parent / "images" / image).stat().st_size < 60_000
    if left_out:
        pytest.skip(f"passed, but for the blocks that need {' and '.join(left_out)}")
