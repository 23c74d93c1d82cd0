# SPDX-License-Identifier: Apache-2.0
"""Each example of a docstring is run, in a folder where build/bundles are the worked bundles."""

import doctest
import importlib
import pkgutil

import eagle
import pytest

MODULES = [
    "eagle",
    *(f"eagle.{each.name}" for each in pkgutil.iter_modules(eagle.__path__) if each.name not in ("_core", "_mpi")),
]


@pytest.fixture
def folder(tmp_path, bundles, monkeypatch):
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "bundles").symlink_to(bundles.resolve())
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, folder):
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
