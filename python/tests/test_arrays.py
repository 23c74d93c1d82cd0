# SPDX-License-Identifier: Apache-2.0
"""Arrays and buffers in and out: read and written where they lie, and what comes back."""

import array
import ctypes
import gc
import mmap
import os
import subprocess
import sys
import warnings

import eagle
import numpy as np
import pytest
from eagle._arrays import as_array
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from planes import N, axpy_of, planes


def test_a_given_output_comes_back_as_the_same_object(axpy):
    y = np.zeros(N)
    assert axpy(x=np.arange(N), y=y) is y
    np.testing.assert_array_equal(y, axpy_of(range(N)))


BUFFERS = {
    "array.array": lambda: array.array("d", [0] * N),
    "ctypes": lambda: (ctypes.c_double * N)(),
    "memoryview of bytes": lambda: memoryview(bytearray(8 * N)).cast("d"),
    "memoryview of mmap": lambda: memoryview(mmap.mmap(-1, 8 * N)).cast("d"),
    "memoryview of NumPy": lambda: memoryview(np.zeros(N)),
    "NumPy over mmap": lambda: np.frombuffer(mmap.mmap(-1, 8 * N)),
    "NumPy subclass": lambda: np.zeros(N).view(np.recarray),
}
WRITTEN = [pytest.param(make, id=name) for name, make in BUFFERS.items()]


@pytest.mark.parametrize("make", WRITTEN)
def test_buffers_are_written_in_place(axpy, make):
    y = make()
    assert axpy(x=np.arange(N), y=y) is y
    np.testing.assert_array_equal(np.asarray(y), axpy_of(range(N)))


@pytest.mark.parametrize("make", BUFFERS.values(), ids=BUFFERS)
def test_buffers_are_read_where_they_lie(host, make):
    x = make()
    bound = host("axpy").bind(x=x, a=2.0, b=1.0)
    np.asarray(x)[:] = np.arange(N)
    bound.launch()
    np.testing.assert_array_equal(bound.result(), axpy_of(range(N)))


def test_a_bound_buffer_cannot_be_resized_away(host):
    x = array.array("d", range(N))
    bound = host("axpy").bind(x=x, a=2.0, b=1.0)
    with pytest.raises(BufferError):
        x.append(1.0)
    bound.launch()
    np.testing.assert_array_equal(bound.result(), axpy_of(range(N)))


NATIVE = {
    "C order": planes,
    "padded rows": lambda: np.zeros((3, N + 4))[:, 1 : N + 1],
    "every other row": lambda: np.zeros((6, N))[::2],
    "samples first, Fortran order": lambda: np.zeros((N, 3), order="F"),
    "a transpose": lambda: np.zeros((3, N)).T,
    "overlapping windows": lambda: sliding_window_view(np.zeros(N + 2), N, writeable=True),
    "one row for all components": lambda: as_strided(np.zeros(N), (3, N), (0, 8)),
    "read-only": lambda: np.frombuffer(bytes(8 * 3 * N)).reshape(3, N),
}


@pytest.mark.parametrize("make", NATIVE.values(), ids=NATIVE)
def test_native_layouts_are_read_where_they_lie(host, make):
    p, v = make(), planes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bound = host("drift3").bind(p=p, v=v, dt=0.5)
    if p.flags.writeable:
        p[...] = np.random.default_rng(1).random(p.shape)
    bound.launch()
    expected = (p if p.shape == (3, N) else p.T) + 0.5 * v
    np.testing.assert_array_equal(bound.result(), expected)


@pytest.mark.parametrize("name", ["padded rows", "every other row", "samples first, Fortran order", "a transpose"])
def test_native_layouts_are_written_where_they_lie(host, name):
    q, p, v = NATIVE[name](), planes(), planes() + 1
    bound = host("drift3").bind(q=q, p=p, v=v, dt=0.5)
    bound.launch()
    np.testing.assert_array_equal(q if q.shape == (3, N) else q.T, p + 0.5 * v)
    assert bound.result() is q and bound.outputs["q"] is q


def test_a_padded_output_keeps_its_gaps(host):
    whole = np.full((3, N + 4), 7.0)
    host("drift3").run(q=whole[:, 2:-2], p=planes(), v=planes(), dt=1.0)
    assert (whole[:, :2] == 7).all() and (whole[:, -2:] == 7).all()
    np.testing.assert_array_equal(whole[:, 2:-2], 2 * planes())


def test_made_arrays_are_the_same_memory_launch_after_launch(host):
    x = np.arange(float(N))
    bound = host("axpy").bind(x=x, a=2.0, b=1.0)
    bound.launch()
    first = bound.result()
    x += 1
    bound.launch()
    assert bound.result().ctypes.data == first.ctypes.data == bound.outputs["y"].ctypes.data
    np.testing.assert_array_equal(first, axpy_of(x))


MEMORY = r"""
import re, sys, numpy as np, eagle
from eagle.plan import plan
kind, bundles = sys.argv[1:]
def most(): return int(re.search(r"VmHWM:\s*(\d+)", open("/proc/self/status").read())[1])
n = 1 << 22
x, y = np.ones(n), np.full(n, 3.0)
wide = np.ones(2 * n) if kind == "strided" else None
name = "dot" if kind == "dot" else "axpy"
host = plan(eagle.load(f"{bundles}/{name}"), structure="host_team", threads=2)
given = {"x": x, "y": y} if name == "dot" else {"x": wide[::2] if kind == "strided" else x, "y": y, "a": 2.0, "b": 1.0}
host.run(**{k: v[:100] if isinstance(v, np.ndarray) else v for k, v in given.items()})
before = most()
host.run(**given)
print(most() - before)
"""


@pytest.mark.skipif("EAGLE_SANITIZER" in os.environ, reason="a sanitizer needs memory of its own")
@pytest.mark.parametrize("kind, low, high", [("in place", -1, 4096), ("dot", -1, 4096), ("strided", 24 * 1024, 40 * 1024)])
def test_given_planes_of_32_mebibytes_need_no_memory(bundles, kind, low, high):
    """The growth in KiB; a copied input shows that the measure sees one."""
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", MEMORY, kind, bundles], capture_output=True, text=True)
    assert low <= int(run.stdout or "-1") <= high, run.stderr


class Makes:
    """Only turns itself into an array."""

    def __array__(self, dtype=None, copy=None):
        return np.arange(float(N))


def test_what_makes_an_array_is_an_input_only(axpy):
    np.testing.assert_array_equal(axpy(x=Makes()), axpy_of(range(N)))
    with pytest.raises(TypeError, match="'y' is a Makes, and float64 is due, which the body writes"):
        axpy(x=np.arange(N), y=Makes())


def test_an_array_interface_alone_is_told_what_is_accepted(axpy):
    class Interface:
        __array_interface__ = np.zeros(N).__array_interface__

    with pytest.raises(TypeError, match="'x' is a Interface: an array, a buffer, something with __dlpack__"):
        axpy(x=Interface())


def test_a_cuda_array_is_refused_by_a_host_plan(axpy):
    class Device:
        __cuda_array_interface__ = {"shape": (N,), "typestr": "<f8", "data": (4096, False), "version": 3}

    with pytest.raises(TypeError, match="'x' lies on cuda:0, and this plan runs on the host: give a host array"):
        axpy(x=Device())


def test_made_arrays(host):
    x = np.arange(1.0, N + 1)
    result = host("newton").run(x=x)
    assert list(result) == ["root", "steps"]
    assert result["root"].dtype == "float64" and result["steps"].dtype == "int64"
    np.testing.assert_allclose(result["root"], np.sqrt(x), rtol=1e-15)
    assert host("drift3").run(p=planes(), v=planes(), dt=1).shape == (3, N)
    assert host("outer3").run(a=planes(), b=planes()).shape == (9, N)
    for made in (*result.values(), host("outer3").run(a=planes(), b=planes())):
        assert made.flags.writeable and made.flags.aligned and made.flags.c_contiguous
        made[...] = 0


def test_results_outlive_plan_and_plugin(bundles):
    bundle = eagle.load(bundles / "newton")
    plan = eagle.plan.plan(bundle, structure="host_team")
    bound = plan.bind(x=np.full(1000, 4.0))
    bound.launch()
    result, outputs = bound.result(), bound.outputs
    del bundle, plan, bound
    gc.collect()
    assert (result["root"] == 2).all() and (outputs["root"] == 2).all()
    result["root"][0] = 5
    assert outputs["root"][0] == 5


def test_given_and_made_outputs_mix(host):
    steps = np.full(N, -1)
    result = host("newton").run(x=np.ones(N), steps=steps)
    assert list(result) == ["root", "steps"] and result["steps"] is steps and (steps == 0).all()


def test_a_made_flag_plane_is_returned_and_a_given_one_is_not(host):
    both = host("countdown").run(left=np.array([1, 2]))
    assert list(both) == ["left", "done"] and both["done"].dtype == bool and both["done"].tolist() == [True, False]
    left = np.array([1, 2])
    assert host("countdown").run(left=left, done=np.zeros(2, bool)) is left


@pytest.mark.parametrize(
    "name, given, dtype, value",
    [
        ("dot", {"x": np.ones(N), "y": np.ones(N)}, "float64", N),
        ("asumf", {"x": np.full(N, -1, "f")}, "float32", N),
        ("all_finite", {"x": np.ones(N)}, "int64", 1),
        ("maximum", {"x": np.array([])}, "float64", -np.inf),
        ("dot", {"x": [], "y": []}, "float64", 0),
    ],
)
def test_a_folded_value_is_a_scalar_of_its_dtype(host, name, given, dtype, value):
    result = host(name).run(**given)
    assert type(result) is np.dtype(dtype).type and result == value


def test_a_single_sample_has_no_sample_axis(host, axpy):
    assert type(axpy(x=2.0)) is np.float64 and axpy(x=2.0) == 5
    y = np.array(0.0)
    assert axpy(x=np.array(2.0), y=y) is y and y == 5
    np.testing.assert_array_equal(host("drift3").run(p=[1, 2, 3], v=[1, 1, 1], dt=2), [3, 4, 5])
    np.testing.assert_array_equal(host("outer3").run(a=[1, 2, 3], b=[1, 1, 2]), np.outer([1, 2, 3], [1, 1, 2]))
    assert axpy(x=[2.0]).shape == (1,)


@pytest.mark.parametrize("shape", [(3, 0), (0, 3)])
def test_no_samples(host, axpy, shape):
    assert host("drift3").run(p=np.empty(shape), v=np.empty((3, 0)), dt=1).shape == (3, 0)
    y = np.empty(0)
    assert axpy(x=np.empty(0), y=y) is y


def test_what_a_bound_plan_shows_of_a_fold(host):
    bound = host("dot").bind(x=np.ones(N), y=np.ones(N))
    total = bound.outputs["total"]
    with pytest.raises(ValueError, match="no launch has run to its end"):
        bound.result()
    bound.launch()
    assert total.shape == () and total == N and bound.result() == N


def failing(error):
    class Fails:
        def __array__(self, *_, **__):
            raise error("from the object")

    return Fails()


@pytest.mark.parametrize("error", [MemoryError, RecursionError, KeyboardInterrupt, SystemExit])
def test_what_is_not_about_the_object_passes(axpy, error):
    for x in (failing(error), [failing(error)]):
        with pytest.raises(error, match="^from the object$") as passed:
            axpy(x=x)
        assert not isinstance(passed.value, eagle.Error)


@pytest.mark.parametrize("error", [RuntimeError, KeyError, ZeroDivisionError, BufferError])
def test_what_is_about_the_object_is_a_refusal(axpy, error):
    for x in (failing(error), [failing(error)]):
        with pytest.raises(TypeError, match="argument 'x' is a (Fails|list) of which no array can be made: .*from the object"):
            axpy(x=x)
    with pytest.raises(TypeError) as refused:
        as_array(failing(error), "float64", False, False)
    assert isinstance(refused.value.__cause__.__cause__, error)
