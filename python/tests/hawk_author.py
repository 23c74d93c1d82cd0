# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F821, F841 - hawk reads the body, where an assignment is what a kernel does
"""Kernels written with raptor-hawk, of every access class, op and role that it has words for; run by a Python that has it.

hawk_author.py build FOLDER              builds the bundles
hawk_author.py run FOLDER CASES RESULTS  plans and runs hawk's own plugin objects: eagle must be importable too
"""

import copy
import pickle
import shutil
import sys
from pathlib import Path

import hawk
import hawk.artifact
import hawk.math as hm
from hawk import Index, Int32, Kernel, Matrix, Mutable, Param, Scalar, Staged, Table, Terminated, UInt32, Vector, Wide, WideOut
from hawk.diff import jvp, vjp

REDUCES = not hasattr(hawk, "scatter")  # 0.5 declares mapreduces, 0.7 cells


@hawk.kernel
def axpy(x: Scalar, a: Param, b: Param, y: Mutable[Scalar]):
    y = a * x + b


@hawk.kernel
def drift(p: Vector[3], v: Vector[3], dt: Param, q: Mutable[Vector[3]], energy: Mutable[Scalar]):
    q = p + dt * v
    energy = 0.5 * hm.dot(v, v)


@hawk.kernel
def matvec(m: Matrix[2, 3], v: Vector[3], y: Mutable[Vector[2]], mt: Mutable[Matrix[3, 2]]):
    y = m @ v
    mt = hm.transpose(m)


@hawk.kernel
def ints(k: Int32, u: UInt32, s: Param[Int32], j: Mutable[Int32], w: Mutable[UInt32]):
    j = k * s
    w = u + u


@hawk.kernel
def place(x: Scalar, y: Mutable[Scalar]):
    y = x + hm.real(hm.sample_index()) / hm.real(hm.n_samples())


@hawk.kernel
def highest(x: Scalar, terminated: Terminated, top: Mutable[Scalar]):
    top = hm.maximum(top, x)


@hawk.kernel(steps=1)
def decay(rate: Param, terminated: Terminated, x: Mutable[Scalar]):
    x = x * rate
    terminated = x < 1.0


@hawk.kernel
def decay_auto(rate: Param, terminated: Terminated, x: Mutable[Scalar]):
    x = x * rate
    terminated = x < 1.0


@hawk.kernel
def energy(v: Vector[3], out: Mutable[Scalar]):
    out = 0.5 * hm.dot(v, v)


@hawk.kernel
def own_column(x: Scalar, w: WideOut[Scalar]):
    w = 2.0 * x


@hawk.kernel
def look_up(k: Index, table: Table[Scalar], y: Mutable[Scalar]):
    y = table.at(k)


@hawk.kernel
def grid(k: Index, table: Table["row":4, "col":5], y: Mutable[Scalar]):
    y = table.at(row=2, col=k)


@hawk.kernel
def int_table(k: Index, table: Table[Int32], j: Mutable[Int32]):
    j = table.at(k)


@hawk.kernel
def staged(k: Index, table: Staged[Vector[2], 10], y: Mutable[Scalar]):
    y = table.at(plane=1, sample=k)


@hawk.kernel
def edges(k: Index, ends: Wide[2], y: Mutable[Scalar]):
    y = ends.at(edge=k, component=1) - ends.at(edge=k, component=0)


if REDUCES:
    from hawk import Accum, Reduce

    @hawk.kernel
    def histogram(k: Index, x: Scalar, bins: Accum[Scalar]):
        bins.add(x, at=k)

    @hawk.kernel
    def dot(x: Scalar, y: Scalar, total: Reduce("sum")):
        total.contribute(x * y)

    @hawk.kernel
    def count(k: Int32, total: Reduce("sum", Int32)):
        total.contribute(k)

    @hawk.kernel
    def guarded_sum(x: Scalar, terminated: Terminated, total: Reduce("sum")):
        total.contribute(x)

    @hawk.kernel
    def guarded_times(x: Scalar, terminated: Terminated, total: Reduce("times")):
        total.contribute(x)

    @hawk.kernel
    def guarded_max(x: Scalar, terminated: Terminated, total: Reduce("max")):
        total.contribute(x)

    OTHERS = {
        "sum": ([dot, guarded_sum, count], {}),
        "times": ([guarded_times], {}),
        "max": ([guarded_max], {}),
        "sum_float32": ([dot, guarded_sum], {"mode": "float32"}),
        "max_float32": ([guarded_max], {"mode": "float32"}),
    }
else:

    @hawk.kernel
    def histogram(k: Index, x: Scalar, bins: Mutable["bin":16]):
        hawk.scatter(bins, policy="plain")[k] += x

    @hawk.kernel
    def compensated(k: Index, x: Scalar, bins: Mutable["bin":16]):
        hawk.scatter(bins)[k] += x

    @hawk.kernel
    def total(x: Scalar, total: Mutable[Scalar]):
        total = hawk.sum(x)

    OTHERS = {"companions": ([compensated], {}), "cells": ([total], {})}

LOCAL = [axpy, drift, matvec, ints, place, highest, decay, decay_auto, energy, own_column]
LOCAL += [Kernel("energy_vjp", vjp(energy, wrt=("v",))), Kernel("energy_jvp", jvp(energy, wrt=("v",)))]
BUNDLES = {
    "local": (LOCAL, {}),
    "local_float32": ([axpy, drift, matvec, ints], {"mode": "float32"}),
    "read": ([look_up, grid, int_table, staged, edges], {}),
    "write": ([histogram], {}),
    **OTHERS,
}
if shutil.which("nvcc"):
    BUNDLES["two_targets"] = ([axpy], {"targets": ("cuda", "host")})


def build(folder, name):
    kernels, options = BUNDLES[name]
    options = {"targets": ("host",), "host_profile": "portable", **options}
    return hawk.build(kernels, folder / name, **options)


def run(folder, cases, results):
    from eagle.plan import plan

    loaded, answers = {}, {}
    for case, (bundle, kernel, options, planes) in pickle.loads(cases.read_bytes()).items():
        planes = copy.deepcopy(planes)
        if case == "read-only":  # which no pickle keeps
            planes["terminated"].flags.writeable = False
        if bundle not in loaded:
            loaded[bundle] = hawk.artifact.plugins(build(folder, bundle))
        try:
            answers[case] = plan(loaded[bundle][kernel], **options).run(**planes), planes
        except (ValueError, TypeError, RuntimeError) as error:
            answers[case] = f"{type(error).__name__}: {error}", planes
    results.write_bytes(pickle.dumps(answers))


if __name__ == "__main__":
    command, folder, *files = sys.argv[1:]
    if command == "build":
        for name in BUNDLES:
            build(Path(folder), name)
    else:
        run(Path(folder), *map(Path, files))
