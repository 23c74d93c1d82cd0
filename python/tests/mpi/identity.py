# SPDX-License-Identifier: Apache-2.0
import eagle
import numpy as np
from bed import RANK, SIZE, finish, ranked, single
from eagle.exec import Partition, RankPartition

random = np.random.default_rng(1)
assert SIZE > 1
if RANK == 0:
    eagle.show_config()
for n in (0, 1, SIZE - 1, 1021, 20011):
    x, p = random.random(n), random.random((3, n))
    k = random.integers(0, 50, n)
    planes = {
        "axpy": {"x": x, "a": 2.0, "b": -1.5},
        "drift3": {"p": p, "v": p, "dt": 0.5},
        "hash_mix": {"k": k, "seed": 7},
        "newton": {"x": x},
        "gather": {"k": k, "table": np.arange(50.0)},
        "dot": {"x": x, "y": x},
        "maximum": {"x": x},
        "product": {"x": x, "terminated": k % 2 == 0},
    }
    for name, given in planes.items():
        whole = single(name, n_samples=n).run(**given)
        for cut in ({}, {"npartitions": 3}):
            split = ranked(name, n_samples=n, **cut).run(**given)
            for a, b in zip(*(each.values() if isinstance(each, dict) else [each] for each in (whole, split)), strict=True):
                assert np.asarray(a).tobytes() == np.asarray(b).tobytes(), (name, n, cut)

y = np.full(1021, -1.0)
x = random.random(1021)
part = RankPartition.local(Partition.whole(1021))
assert part == RankPartition.local((0, 1021, 1021)) == Partition.whole(1021).part(SIZE, RANK)
assert ranked("axpy", gather=False).run(x=x, y=y, a=1.0, b=0.0) is y
mine = np.zeros(1021, bool)
mine[part.base : part.base + part.count] = True
np.testing.assert_array_equal(y, np.where(mine, x, -1.0))
assert RankPartition.allgather_fold("max", float(RANK)) == SIZE - 1.0
finish()
