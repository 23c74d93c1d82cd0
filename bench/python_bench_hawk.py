# SPDX-License-Identifier: Apache-2.0
"""raptor-hawk kernels of python_bench.py, for an interpreter that has raptor-hawk and raptor-eagle."""

from pathlib import Path

import hawk
import hawk.artifact
from hawk import Mutable, Param, Scalar


@hawk.kernel
def axpy(x: Scalar, a: Param, b: Param, y: Mutable[Scalar]):
    y = a * x + b


@hawk.kernel
def product(x: Scalar, y: Scalar, p: Mutable[Scalar]):
    p = x * y


@hawk.kernel
def dot(x: Scalar, y: Scalar, total: Mutable[Scalar]):
    total = hawk.sum(x * y)


def build(folder):
    """Writes a bundle of each kernel and gives hawk's own plugin objects by name."""
    plugins = {}
    for kernel in (axpy, product, dot):
        name = kernel.name if hasattr(kernel, "name") else kernel.__name__
        bundle = hawk.build([kernel], Path(folder) / name, targets=("host",), host_profile="portable")
        plugins |= hawk.artifact.plugins(bundle)
    return plugins
