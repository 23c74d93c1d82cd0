# SPDX-License-Identifier: Apache-2.0
"""Under mpiexec: some runs on all ranks, of the random numbers of a seed. usage: ranks.py SEED"""

import sys

import eagle
import numpy as np
from bed import NAMES, compare, cut, due, loaded, pick, require, samples
from bodies import BODIES
from eagle.exec import HostTeam, RankPartition
from eagle.plan import plan

rank, size = RankPartition.world()
random = np.random.default_rng(int(sys.argv[1]))
names = [name for name in NAMES if BODIES[name].cuts and name != "emit"]
for _ in range(8):
    name = pick(random, names)
    body = BODIES[name]
    n = samples(random, body)
    given, outputs = body.make(random, n)
    cuts = cut(random, n)
    made = plan(loaded(random, name), structure=RankPartition, inner=HostTeam, threads=1, n_samples=n, **cuts)
    compare(body, made.run(**given), given, due(body, outputs), name, n, "on rank", rank)
    try:
        made.run(**given, unknown=rank)
        require(False, "an unknown plane is taken")
    except eagle.Error as error:
        require(error.code == "argument", error.code, error)
if RankPartition.allgather_fold("sum", 1) == size == 2 and rank == 0:
    print("ranks: ok", flush=True)
