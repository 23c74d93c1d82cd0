# SPDX-License-Identifier: Apache-2.0
"""Each argument of plan() with a value on the last rank that it cannot have."""

import inspect

import eagle
from bed import BUNDLES, RANK, SIZE, finish
from eagle.plan import plan

ODD = SIZE - 1
WORDS = (3, "bogus")
BAD = {
    "plugin": (3, "axpy"),
    "structure": (3, "rankpartition", "host_team"),
    "partitions": ([], 3, [(0, 1)], [(0, 50, 100)]),
    "npartitions": ("two", 0, 2**64),
    "n_samples": ("many", -1),
    "inner": (*WORDS, "device_group"),
    "exec_access": (*WORDS, "mapreduce"),
    "exec_op": (*WORDS, "sum"),
    "combine": (3, False),
    "precision": WORDS,
    "gather": WORDS,
    "comm": WORDS,
    "threads": ("two", -1),
    "schedule": WORDS,
    "tile": ("small", -1),
    "device": (0,),
    "devices": ([0],),
    "block": (3,),
    "stream": (3,),
    "staging": (3, True),
    "layout": (3, {"p": "bogus"}, {"p": 3}, {3: "sample"}, {"x": "sample"}),
    "progress": WORDS,
    "profile": (3, "", "no/such/file"),
    "check_replicated": WORDS,
}
assert BAD.keys() == {name for name in inspect.signature(plan).parameters if not name.startswith("_")}
good = {"plugin": eagle.load(BUNDLES / "axpy"), "structure": "rank_partition", "inner": "host_team"}
for name, values in BAD.items():
    for value in values:
        try:
            plan(**good | ({name: value} if RANK == ODD else {}))
        except (TypeError, ValueError, RuntimeError, OSError) as error:
            assert f"rank {ODD} of {SIZE}: " in str(error), (name, value, error)
        else:
            raise AssertionError(f"{name}={value!r}: accepted")


def broken():
    yield (0, 3, 3)
    raise KeyError("lost")


try:
    plan(**good, partitions=broken() if RANK == ODD else None)
except KeyError:
    assert RANK == ODD
except RuntimeError as error:
    assert RANK != ODD and f"rank {ODD} of {SIZE}: KeyError: 'lost'" in str(error), error
finish()
