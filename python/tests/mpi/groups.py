# SPDX-License-Identifier: Apache-2.0
"""Ranks with a device each."""

import eagle
import numpy as np
from bed import BUNDLES, RANK, SIZE, finish, single
from eagle.exec import DeviceGroup
from eagle.plan import plan
from mpi4py import MPI


def on_group(name, comm=MPI.COMM_WORLD, **options):
    return plan(eagle.load(BUNDLES / name), structure=DeviceGroup, comm=comm, staging=True, **options)


random = np.random.default_rng(1)
for n in (1, 10 * SIZE, 1021):
    x, p = random.random(n), random.random((3, n))
    for parts in (1, 3):
        np.testing.assert_array_equal(on_group("axpy", npartitions=parts).run(x=x, a=2.0, b=-1.5), 2.0 * x - 1.5)
        drifted = on_group("drift3", npartitions=parts).run(p=p, v=p, dt=0.5)
        assert drifted.tobytes() == single("drift3").run(p=p, v=p, dt=0.5).tobytes()
        assert on_group("dot", npartitions=parts).run(x=x, y=x) == single("dot").run(x=x, y=x)

assert f"device_group(ranks={SIZE}, device_kernel(" in repr(on_group("axpy"))
for options, words in (
    ({"devices": [0]}, "with comm= each rank has one device"),
    ({"gather": False}, "an option of rank_partition"),
    ({"device": 0}, "an option of device_kernel"),
):
    try:
        on_group("axpy", **options)
    except ValueError as error:
        assert words in str(error), error
    else:
        raise AssertionError(options)
try:
    on_group("axpy", check_replicated=True).run(x=np.full(9, 1.0 if RANK == 0 else 2.0), a=1.0, b=0.0)
except ValueError as error:
    assert "argument 'x' is not that of rank 0" in str(error), error
else:
    assert SIZE == 1
finish()
