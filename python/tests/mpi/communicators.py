# SPDX-License-Identifier: Apache-2.0
import sys
import time
from threading import Thread

import numpy as np

if sys.argv[1] == "mpi4py":
    from mpi4py import MPI
import bed
from eagle.exec import Partition, RankPartition

if sys.argv[1] == "eagle":
    bed.ranked("sum_index", n_samples=10).run()
    from mpi4py import MPI

world = MPI.COMM_WORLD
half = world.Split(bed.RANK % 2, bed.RANK)
back = world.Split(0, -bed.RANK)
assert RankPartition.world(half) == (half.rank, half.size)
assert RankPartition.local(Partition.whole(10), back) == Partition.whole(10).part(back.size, back.rank)
x = np.random.default_rng(1).random(5003)
whole = bed.single("dot").run(x=x, y=x)
first, second = bed.ranked("dot", comm=half, npartitions=2), bed.ranked("axpy", comm=back)
for k in range(3):
    assert first.run(x=x, y=x) == whole
    np.testing.assert_array_equal(second.run(x=x, a=1.0, b=float(k)), x + k)
assert RankPartition.allgather_fold("sum", 1, half) == half.size


def ticks_during(call, comm):
    """How often another thread comes to run while a call waits: rank 0's for the others."""
    ticks, done = [], []

    def tick():
        while not done:
            ticks.append(time.sleep(0.01))

    thread = Thread(target=tick)
    thread.start()
    time.sleep(0.0 if bed.RANK == 0 else 0.3)
    ticks.clear()
    call(comm)
    done.append(True)
    thread.join()
    return len(ticks)


for call in (
    RankPartition.world,
    lambda comm: bed.ranked("axpy", comm=comm),
    lambda comm: RankPartition.allgather_fold("sum", 1, comm),
):
    assert ticks_during(call, world.Dup()) > 3 or bed.RANK != 0
bed.finish()
