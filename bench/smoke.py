# SPDX-License-Identifier: Apache-2.0
"""Runs a benchmark program and checks the JSON that it writes: usage: smoke.py FILE CASE/BASELINE,... COMMAND..."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

NAME = re.compile(r"(\w+)/(float64|float32|-)/(\w+|-)/n:\d+/threads:[1-9]\d*(/ranks:[1-9]\d*)?(/.*)?")
CONTEXT = {"cpu", "eagle", "kokkos", "kokkos_kernels", "compiler", "flags"}


def check(benchmark: dict) -> str:
    """The case and baseline of a benchmark that has all that is promised."""
    name = NAME.fullmatch(benchmark["name"])
    assert name, f"the name does not parse: {benchmark['name']}"
    assert not benchmark.get("error_occurred"), benchmark
    figures = ["ours"] if name[3] == "-" else ["ours", "baseline", "ratio"]
    for figure in figures:
        assert 0 < benchmark[f"{figure}_low"] <= benchmark[figure] <= benchmark[f"{figure}_high"], benchmark
    assert ("ratio" in benchmark) == ("ratio" in figures), benchmark
    assert 7 <= benchmark["turns"] <= 101, benchmark
    assert benchmark["discarded"] >= 0 and benchmark["noisy"] in (0, 1) and benchmark["bytes"] >= 0, benchmark
    return f"{name[1]}/{name[3]}"


def main(file: str, expected: str, *command: str) -> None:
    Path(file).unlink(missing_ok=True)
    subprocess.run([*command, f"--benchmark_out={file}", "--benchmark_out_format=json"], check=True)
    data = json.loads(Path(file).read_text())
    missing = CONTEXT - data["context"].keys()
    assert not missing, f"the context has no {missing}"
    missing = set(expected.split(",")) - {check(benchmark) for benchmark in data["benchmarks"]}
    assert not missing, f"no benchmark of {missing}"
    print("smoke: ok")


main(*sys.argv[1:])
