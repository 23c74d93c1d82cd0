# SPDX-License-Identifier: Apache-2.0
"""Medians, quartiles, and when they are too far apart to be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

#: Quartiles further apart than this share of the median are noise.
WIDE = 0.10


@dataclass(frozen=True)
class Spread:
    """The median of some turns, and their quartiles."""

    median: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """How far the quartiles are apart, as a share of the median."""
        return (self.high - self.low) / self.median


def spread_of(values: Sequence[float]) -> Spread:
    low, median, high = np.percentile(values, [25, 50, 75])
    return Spread(float(median), float(low), float(high))


def is_noisy(spread: Spread, turns: int, discarded: int) -> bool:
    """spread: of the ratio where there is a baseline, else of the time."""
    return spread.width > WIDE or discarded > turns
