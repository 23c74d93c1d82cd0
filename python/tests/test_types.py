# SPDX-License-Identifier: Apache-2.0
"""Types as others' checkers see them."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import eagle
import pytest


@pytest.mark.parametrize("name", ["_core", "_mpi"])
def test_the_stub_is_what_the_extension_has(tmp_path, source, name):
    """After a change of python/src: python -m pybind11_stubgen eagle._core -o python"""
    pytest.importorskip("pybind11_stubgen")
    pytest.importorskip(f"eagle.{name}")
    subprocess.run([sys.executable, "-m", "pybind11_stubgen", f"eagle.{name}", "-o", tmp_path], check=True, capture_output=True)
    made = (tmp_path / "eagle" / f"{name}.pyi").read_text()
    assert made == (source / "python" / "eagle" / f"{name}.pyi").read_text()


USE = """
import eagle
import numpy as np
from eagle.exec import HostTeam, Partition
from eagle.plan import BoundPlan, Plan, plan

made: Plan = plan(eagle.load("b")["p"], structure=HostTeam, partitions=[Partition.whole(3)])
bound: BoundPlan = made.bind(x=np.ones(3))
n: int = bound.n_samples
bound.launch()
plan(eagle.load("b"), structure=HostTeam, npartitions="two")  # type: ignore[arg-type]
access: str = eagle.load("b")["p"].exec_access
"""


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_the_package_and_its_use_are_typed(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    package = Path(eagle.__file__).parent
    assert (package / "py.typed").exists()
    for target in (["-p", "eagle", "--allow-any-generics"], ["use.py"]):
        command = [sys.executable, "-m", "mypy", "--strict", *target]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
