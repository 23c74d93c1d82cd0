# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""The kernels of raptor_plans.py in raptor-hawk's language, which reads this source."""

import hawk
from hawk import Mutable, Param, Scalar


@hawk.kernel
def axpy(x: Scalar, a: Param, b: Param, y: Mutable[Scalar]):
    y = a * x + b  # noqa: F841


@hawk.kernel
def product(x: Scalar, y: Scalar, p: Mutable[Scalar]):
    p = x * y  # noqa: F841


@hawk.kernel
def dot(x: Scalar, y: Scalar, total: Mutable[Scalar]):
    total = hawk.sum(x * y)  # noqa: F841
