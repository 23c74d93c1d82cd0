# SPDX-License-Identifier: Apache-2.0
"""Bundles that raptor-hawk builds, as they lie on disk, and hawk's own plugin objects, against NumPy."""

import copy
import pickle
import re
import shutil
import subprocess
import sys
from fcntl import LOCK_EX, flock
from os import environ
from pathlib import Path

import eagle
import numpy as np
import pytest
from eagle.plan import plan
from hawk_cases import Case, cases

pytestmark = pytest.mark.skipif("EAGLE_SANITIZER" in environ, reason="hawk limits the addresses of its compiler")
SOURCE = Path(environ.get("EAGLE_SOURCE", Path(__file__).parents[2]))
BUILD = Path(environ.get("EAGLE_BUILD", SOURCE / "build"))
AUTHOR = Path(__file__).with_name("hawk_author.py")
VERSIONS = ["0.5.1", "0.7.1"]
CASES = {version: cases(version) for version in VERSIONS}


def each(chosen=lambda case: True):
    return [
        pytest.param(version, k, id=f"{version}-{case.bundle}-{case.kernel}-{k}")
        for version in VERSIONS
        for k, case in enumerate(CASES[version])
        if chosen(case)
    ]


UNREACHABLE = "NewConnectionError|NameResolutionError|timed out|Network is unreachable|ProxyError|from versions: none"


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **options)


def must(*command, **options):
    done = run(*command, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"


#: Bundles with what schema 3 asks of a launcher: a kernel, planes that it would take, the word by which an object is refused.
ONES = {"x": np.ones(4)}
REFUSED = {
    "cells": ("total", {**ONES, "total": np.zeros(4), "total_comp": np.zeros(4)}, "accum_out"),
    "companions": ("compensated", {**ONES, "k": np.zeros(4, int), "bins": np.zeros(16), "bins_c": np.zeros(16)}, "companions"),
}


class Hawk:
    """A venv with one version of hawk, made once and kept in the build folder, and the bundles that it builds."""

    def __init__(self, version: str) -> None:
        self.folder = BUILD / f"hawk-{version}"
        self.python = self.folder / "venv" / "bin" / "python"
        self.bundles = self.folder / "bundles"
        self.version = version
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "lock", "w") as lock:
            flock(lock, LOCK_EX)
            self.missing = "" if (self.folder / "installed").exists() else self.install()
            if not self.missing:
                self.author("build")

    def install(self) -> str:
        """Why it cannot be installed here, or nothing."""
        must(sys.executable, "-m", "venv", "--clear", self.folder / "venv")
        pip = [self.python, "-m", "pip", "install", "-q", "--retries", 1, "--timeout", 20]
        done = run(*pip, f"raptor-hawk=={self.version}")
        if done.returncode and re.search(UNREACHABLE, done.stderr):
            return f"raptor-hawk {self.version} is not installed, and pip reaches no index: {done.stderr[-300:]}"
        assert done.returncode == 0, done.stderr
        (self.folder / "installed").touch()
        return ""

    def author(self, command: str, *files, **variables) -> None:
        changed = {"HAWK_CACHE_DIR": self.folder / "cache", **variables}
        must(self.python, AUTHOR, command, self.bundles, *files, env={**environ, **{k: str(v) for k, v in changed.items()}})

    def run(self, calls: dict) -> dict:
        """{case: (result or message, planes after the run)} of hawk's plugin objects, planned in a process of hawk's Python."""
        (self.folder / "path").mkdir(exist_ok=True)
        link = self.folder / "path" / "eagle"
        link.unlink(missing_ok=True)
        link.symlink_to(Path(eagle.__file__).parent)
        given, results = self.folder / "calls", self.folder / "results"
        given.write_bytes(pickle.dumps(calls))
        self.author("run", given, results, PYTHONPATH=link.parent)
        return pickle.loads(results.read_bytes())


@pytest.fixture(scope="session")
def hawks():
    made = {}

    def of(version: str) -> Hawk:
        if version not in made:
            made[version] = Hawk(version)
        if made[version].missing:
            pytest.skip(made[version].missing)
        return made[version]

    return of


@pytest.fixture(scope="session")
def objects(hawks):
    """What hawk's plugin objects give for all cases of a version, whole and cut, and for those that are to be refused."""
    answers = {}

    def of(version: str) -> dict:
        if version not in answers:
            calls = {
                (k, cut): (case.bundle, case.kernel, options(cut), case.planes)
                for k, case in enumerate(CASES[version])
                for cut in (False, case.cut)
            }
            if version == "0.7.1":
                calls |= {key: (key, kernel, options(False), planes) for key, (kernel, planes, _) in REFUSED.items()}
            planes = {"x": np.ones(4), "rate": 0.5, "terminated": np.zeros(4, bool)}
            calls["read-only"] = ("local", "decay", options(False), planes)
            answers[version] = hawks(version).run(calls)
        return answers[version]

    return of


def options(cut: bool) -> dict:
    return {"structure": "host_team", "threads": 2, "npartitions": 3 if cut else 1}


def check(case: Case, result, planes) -> None:
    expected = case.expected if isinstance(case.expected, dict) else {"": case.expected}
    got = result if isinstance(case.expected, dict) else {"": result}
    assert list(got) == list(expected)
    for name, value in expected.items():
        assert got[name].dtype == value.dtype and got[name].shape == value.shape, name
        np.testing.assert_array_equal(got[name], value, name)
    for name, value in case.written.items():
        np.testing.assert_array_equal(planes[name], value, name)
        assert name not in got or got[name] is planes[name]


@pytest.mark.parametrize("version, k", each())
def test_bundles_equal_numpy(hawks, version, k):
    case = CASES[version][k]
    plugin = eagle.load(hawks(version).bundles / case.bundle)[case.kernel]
    for cut in {False, case.cut}:
        planes = copy.deepcopy(case.planes)
        check(case, plan(plugin, **options(cut)).run(**planes), planes)


@pytest.mark.parametrize("version, k", each(lambda case: case.objects))
def test_objects_equal_numpy(objects, version, k):
    case = CASES[version][k]
    for cut in {False, case.cut}:
        result, planes = objects(version)[k, cut]
        assert not isinstance(result, str), result
        check(case, result, planes)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_bundle_is_in_order(hawks, version):
    folders = {each.parent.name: each.parent for each in hawks(version).bundles.glob("*/manifest.json")}
    assert {case.bundle for case in CASES[version]} <= set(folders)
    for name, folder in folders.items():
        assert bool(eagle.check(folder)) == (name in ("cells", "companions")), name


@pytest.mark.skipif(not shutil.which("nvcc"), reason="hawk builds device code with nvcc, which is not there")
@pytest.mark.parametrize("version", VERSIONS)
def test_bundles_of_two_targets(hawks, version):
    plugin = eagle.load(hawks(version).bundles / "two_targets")["axpy"]
    assert plugin.exec_targets == ("device", "host") and plugin.artifact.suffix == ".ptx"
    x = np.arange(7.0)
    assert (plan(plugin, structure="host_team").run(x=x, a=2.0, b=1.0) == 2 * x + 1).all()


@pytest.mark.parametrize("key", REFUSED)
def test_what_only_hawk_0_7_writes_is_refused(hawks, objects, key):
    with pytest.raises(ValueError, match=f"{key} asks for what this eagle does not do"):
        eagle.load(hawks("0.7.1").bundles / key)
    refused, _ = objects("0.7.1")[key]
    assert isinstance(refused, str) and refused.startswith("InvalidError") and REFUSED[key][2] in refused, refused


@pytest.mark.parametrize("version", VERSIONS)
def test_a_mask_that_an_object_finishes_is_an_output(objects, version):
    refused, _ = objects(version)["read-only"]
    assert isinstance(refused, str) and "argument 'terminated' is read-only" in refused, refused


@pytest.mark.parametrize("version", VERSIONS)
def test_scatters_are_not_cut(hawks, version):
    plugin = eagle.load(hawks(version).bundles / "write")["histogram"]
    with pytest.raises(ValueError, match="cross_sample_write"):
        plan(plugin, structure="host_team", npartitions=2)
