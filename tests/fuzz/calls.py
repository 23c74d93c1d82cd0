#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The random calls of python/tests/test_calls.py, drawn by atheris from bytes that coverage guides. Arguments are libFuzzer's."""

import sys
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[2] / "python" / "tests"))
with atheris.instrument_imports(include=["eagle"]):
    import test_calls

atheris.Setup(sys.argv, test_calls.test_any_call_is_answered.hypothesis.fuzz_one_input)
atheris.Fuzz()
