# SPDX-License-Identifier: Apache-2.0
"""What the tests of arrays share: small planes, what the worked axpy makes of them, and a lender of memory."""

import numpy as np

N = 6


def planes(rows=3, n=N):
    return np.arange(1.0, rows * n + 1).reshape(rows, n)


def axpy_of(x):
    """What axpy gives for a = 2, b = 1."""
    return 2.0 * np.asarray(x, float) + 1.0


class Lent:
    """Lends its memory by __dlpack__ and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()
