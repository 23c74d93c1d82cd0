# SPDX-License-Identifier: Apache-2.0
"""What scripts on ranks share."""

import os
from pathlib import Path

import eagle
from eagle.exec import HostTeam, RankPartition
from eagle.plan import plan

BUNDLES = Path(os.environ["EAGLE_BUNDLES"])
RANK, SIZE = RankPartition.world()


def single(name, **options):
    return plan(eagle.load(BUNDLES / name), structure=HostTeam, threads=1, **options)


def ranked(name, **options):
    return plan(eagle.load(BUNDLES / name), structure=RankPartition, **{"inner": HostTeam, "threads": 2} | options)


def finish():
    """The line that says that every rank came so far."""
    if RankPartition.allgather_fold("sum", 1) == SIZE and RANK == 0:
        print("ranks: ok", flush=True)
