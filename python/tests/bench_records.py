# SPDX-License-Identifier: Apache-2.0
"""Records of python -m eagle.bench as tests want them."""

from eagle.bench.record import Record, Run
from eagle.bench.spread import Spread

MACHINE = {"cpu": "a cpu", "cores": 2, "caches": "L1 32 KiB", "system": "a system", "load": [0.0, 0.0, 0.0]}


def wide(median, width):
    return Spread(median, median * (1 - width / 2), median * (1 + width / 2))


def made(case="map_axpy", *, ours=1e-3, ratio=2.0, width=0.02, against="numpy", **changed):
    """A record of 15 turns whose quartiles are so far apart; or with a ratio that is a Spread already."""
    compared = against is not None
    ratio = ratio if isinstance(ratio, Spread) else wide(ratio, width)
    values = {
        "suite": "python",
        "case": case,
        "dtype": "float64",
        "n": 1000,
        "threads": 2,
        "ranks": 1,
        "ours": wide(ours, width),
        "against": against,
        "baseline": wide(ours * ratio.median, width) if compared else None,
        "ratio": ratio if compared else None,
        "turns": 15,
        "discarded": 0,
        "noisy": width > 0.1,
        "bytes": 16000,
    }
    return Record(**values | changed)


def run_of(*records, **changed):
    return Run("2026-01-02T03:04:05+00:00", MACHINE | changed, {"eagle": "0.1", "numpy": "2.0"}, list(records))
