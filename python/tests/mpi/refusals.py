# SPDX-License-Identifier: Apache-2.0
import numpy as np
from bed import BUNDLES, RANK, SIZE, finish, ranked

ODD = SIZE - 1
odd = RANK == ODD
x = np.ones(100)


def refused(kind, words, call):
    try:
        call()
    except kind as error:
        assert f"rank {ODD} of {SIZE}: " in str(error) and words in str(error), error
    else:
        raise AssertionError(f"{words}: accepted")


axpy = ranked("axpy", check_replicated=True)
refused(TypeError, "argument 'x' is a str", lambda: axpy.run(x="x" if odd else x, a=1.0, b=1.0))
refused(TypeError, "float32", lambda: axpy.run(x=x, y=np.zeros(100, np.float32 if odd else float), a=1.0, b=1.0))
refused(ValueError, "the number of samples", lambda: axpy.run(x=x[:50] if odd else x, a=1.0, b=1.0))
refused(ValueError, "argument 'x' is not that of rank 0", lambda: axpy.run(x=x + 1 if odd else x, a=1.0, b=1.0))
refused(ValueError, "the plugin", lambda: ranked("saxpy" if odd else "axpy"))
refused(ValueError, "the partitions", lambda: ranked("axpy", npartitions=3 if odd else 2))
refused(ValueError, "precision", lambda: ranked("axpy", precision="compensated" if odd else "working"))
refused(TypeError, "threads", lambda: ranked("axpy", threads="two" if odd else 2))


class Interrupting:
    def __dlpack__(self, **_):
        raise KeyboardInterrupt


try:
    axpy.run(x=Interrupting() if odd else x, a=1.0, b=1.0)
except KeyboardInterrupt:
    assert odd
except RuntimeError as error:
    assert not odd and f"rank {ODD}" in str(error)
np.testing.assert_array_equal(axpy.run(x=x, a=1.0, b=1.0), x + 1.0)
assert BUNDLES.exists()
finish()
