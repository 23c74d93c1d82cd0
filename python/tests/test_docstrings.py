# SPDX-License-Identifier: Apache-2.0
"""Each example of a docstring is run."""

import doctest
import importlib
import pkgutil

import eagle
import pytest

MODULES = ["eagle", *(f"eagle.{each.name}" for each in pkgutil.iter_modules(eagle.__path__) if each.name != "_core")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, bundles):
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs={"bundles": bundles}, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
