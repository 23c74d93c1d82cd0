# SPDX-License-Identifier: Apache-2.0
import os
import warnings

import eagle
import numpy as np
from bed import BUNDLES, RANK, SIZE, finish, ranked
from eagle.exec import RankPartition

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
refused(ValueError, "the partition", lambda: ranked("axpy", npartitions=3 if odd else 2))
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
bound = axpy.bind(x=x, a=1.0, b=1.0)
refused(ValueError, "a stream is given", lambda: bound.launch(3 if odd else None))
bound.launch()
np.testing.assert_array_equal(bound.result(), x + 1.0)

with warnings.catch_warnings():
    warnings.simplefilter("error" if odd else "ignore")
    try:
        axpy.run(x=np.ones(200)[::2], a=1.0, b=1.0)
    except eagle.LayoutWarning as warning:
        assert odd and "'x'" in str(warning)
    except ValueError as error:
        assert not odd and f"rank {ODD} of {SIZE}: " in str(error) and "LayoutWarning" in str(error), error
np.testing.assert_array_equal(axpy.run(x=x, a=1.0, b=1.0), x + 1.0)

fold = RankPartition.allgather_fold
refused(TypeError, "the type is 'float64', and 'int64' on rank 0", lambda: fold("sum", 2.5 if odd else 1))
refused(TypeError, "the type is 'int32', and 'int64' on rank 0", lambda: fold("sum", np.int32(2) if odd else 2))
refused(ValueError, "the op is 'max', and 'sum' on rank 0", lambda: fold("max" if odd else "sum", 1))
refused(TypeError, "one number is due", lambda: fold("sum", [1, 2] if odd else 1))
refused(ValueError, "bogus", lambda: fold("bogus" if odd else "sum", 1))
refused(TypeError, "op is 3", lambda: fold(3 if odd else "sum", 1))
refused(TypeError, "comm is a int", lambda: fold("sum", 1, 3 if odd else None))
assert fold("sum", np.float32(RANK + 0.5)) == SIZE * SIZE / 2
for call in (lambda: axpy.run(x=x, a=1.0, b=1.0), lambda: fold("sum", 1), lambda: ranked("axpy"), RankPartition.world):
    if (child := os.fork()) == 0:  # no rank: it takes part in nothing
        try:
            call()
        except RuntimeError as error:
            os._exit(0 if "forked from a rank" in str(error) else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
np.testing.assert_array_equal(axpy.run(x=x, a=1.0, b=1.0), x + 1.0)
assert BUNDLES.exists()
finish()
