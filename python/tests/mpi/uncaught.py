# SPDX-License-Identifier: Apache-2.0
"""An exception on rank 1 that nothing catches, while the others wait for it."""

from bed import RANK
from eagle.exec import RankPartition

if RANK == 1:
    print("said before")
    raise KeyError("lost")
RankPartition.allgather_fold("sum", 1)
