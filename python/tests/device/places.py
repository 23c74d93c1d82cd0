# SPDX-License-Identifier: Apache-2.0
"""Devices, staging, and memory that host and device share."""

import contextlib
import io
import warnings

import eagle
import numpy as np
from eagle.exec import DeviceKernel, RankPartition
from eagle.plan import plan

from . import BUNDLES, case, on_device, on_host, refused
from .arrays import PLANES, RNG, N, same
from .lenders import Cai, Dl


@case(devices=2)
def arrays_lie_on_the_plans_device():
    x = RNG.standard_normal(N)
    for lender in (Cai, Dl):
        for device in (0, 1):
            y = on_device("axpy", device=device).run(x=lender(x, device=device), a=2.0, b=1.0)
            assert y.device == f"cuda:{device}" and y.__dlpack_device__() == (2, device)
            same(y.copy_to_host(), 2.0 * x + 1.0)
        there = lender(x, device=1)
        words = "argument 'x' lies on cuda:1, and this plan runs on cuda:0: give an array there"
        assert refused(TypeError, words, on_device("axpy").run, x=there, a=2.0, b=1.0).code == "type"
        refused(
            TypeError, "'y' lies on cuda:0, and this plan runs on cuda:1", on_device("dot", device=1).run, x=there, y=lender(x)
        )
        refused(TypeError, "'x' lies on cuda:1, and this plan runs on cuda:0", on_device("dot").run, x=there, y=lender(x))
        refused(TypeError, "lies on cuda:1, and this plan runs on the host", on_host("axpy").run, x=there, a=2.0, b=1.0)
    y = on_device("axpy", device=1).run(x=Cai(x, device=1), a=1.0, b=0.0)
    refused(TypeError, "lies on cuda:1", on_device("axpy").run, x=y, a=1.0, b=0.0)


@case(devices=2)
def devices_that_are_not_there():
    made = on_device("axpy", device=5)
    assert "device_kernel(device=5)" in repr(made)
    refusal = refused(RuntimeError, "there is no cuda:5: the driver finds 2 devices", made.run, x=np.ones(2), a=1.0, b=0.0)
    assert refusal.code == "unavailable"
    refused(ValueError, "device -1 is given: devices count from 0", on_device, "axpy", device=-1)
    refused(ValueError, "a block of 2048 threads is given", on_device, "axpy", block=2048)


@case()
def blocks_of_any_size_have_the_same_bits():
    x = RNG.standard_normal(N)
    for block in (1, 32, 1000, 1024):
        same(on_device("axpy", block=block).run(x=Cai(x), a=2.0, b=1.0).copy_to_host(), 2.0 * x + 1.0)


@case()
def host_arrays_are_refused_unasked():
    x = np.ones(N)
    words = "argument 'x' lies on cpu, and this plan runs on cuda:0: give an array there, or plan with staging"
    assert refused(TypeError, words, on_device("axpy").run, x=x, a=1.0, b=0.0).code == "type"
    refused(TypeError, "lies on cpu", on_device("axpy").bind, x=Cai(x), y=np.zeros(N), a=1.0, b=0.0)
    refused(TypeError, "lies on cpu", on_device("axpy").run, x=[1.0, 2.0], a=1.0, b=0.0)


@case()
def staged_runs_have_numpy_results_with_the_bits_of_the_host():
    for name, planes in PLANES.items():
        given, copies = ({k: v.copy() if isinstance(v, np.ndarray) else v for k, v in planes.items()} for _ in range(2))
        made, expected = on_device(name, staging=True).run(**given), on_host(name).run(**copies)
        assert type(made) is type(expected), name
        np.testing.assert_equal(made, expected, err_msg=name)
        np.testing.assert_equal(given, copies, err_msg=name)
    x = RNG.standard_normal(N)
    y = np.empty(N)
    assert on_device("axpy", staging=True).run(x=x, y=y, a=2.0, b=1.0) is y
    same(y, 2.0 * x + 1.0)
    same(on_device("axpy", staging=True).run(x=x.tolist(), a=2.0, b=1.0), 2.0 * x + 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", eagle.LayoutWarning)
        same(on_device("axpy", staging=True).run(x=x[::-2], a=2.0, b=1.0), 2.0 * x[::-2] + 1.0)


@case()
def a_staged_bound_plan_shows_what_the_last_result_was():
    x = np.ones(N)
    bound = on_device("axpy", staging=True).bind(x=x, a=2.0, b=1.0)
    shown = bound.outputs["y"]
    bound.launch()
    y = bound.result()
    same(y, np.full(N, 3.0))
    assert np.shares_memory(y, shown)
    x[:] = 5  # staged when it was bound
    bound.launch()
    same(bound.result(), np.full(N, 3.0))
    bound.rebind(x=x).launch()
    same(bound.result(), np.full(N, 11.0))


@case()
def with_staging_some_planes_may_be_on_the_device():
    x = RNG.standard_normal(N)
    total = on_device("dot", staging=True).run(x=x, y=Cai(x))
    assert total.hex() == on_host("dot").run(x=x, y=x).hex()
    y = np.empty(N)
    assert on_device("axpy", staging=True).run(x=Dl(x), y=y, a=2.0, b=1.0) is y
    same(y, 2.0 * x + 1.0)
    a, b = RNG.standard_normal((3, N)), RNG.standard_normal((3, N))
    m = on_device("outer3", staging=True).run(a=Dl(a), b=b)
    assert type(m) is eagle.DeviceArray
    same(m.copy_to_host(), (a[:, None] * b[None]).reshape(9, N))


@case()
def pinned_and_managed_memory_on_the_host():
    x = RNG.standard_normal(N)
    for kind in ("pinned", "managed"):
        for lender in (Cai, Dl):
            y = lender(np.zeros(N), kind=kind)
            assert on_host("axpy").run(x=lender(x, kind=kind), y=y, a=2.0, b=1.0) is y
            same(y.values(), 2.0 * x + 1.0)


@case()
def managed_memory_on_a_device():
    x = RNG.standard_normal(N)
    for lender in (Cai, Dl):
        y = lender(np.zeros(N), kind="managed")
        assert on_device("axpy").run(x=lender(x, kind="managed"), y=y, a=2.0, b=1.0) is y
        same(y.values(), 2.0 * x + 1.0)
    numpys = np.ctypeslib.as_array((np.ctypeslib.ctypes.c_double * N).from_address(y.memory.address))
    same(on_device("axpy").run(x=numpys, a=1.0, b=0.0).copy_to_host(), 2.0 * x + 1.0)


@case()
def pinned_memory_on_a_device():
    x = RNG.standard_normal(N)
    for lender in (Cai, Dl):
        given, y = lender(x, kind="pinned"), lender(np.zeros(N), kind="pinned")
        refused(TypeError, "lies on pinned host memory", on_device("axpy").run, x=given, a=2.0, b=1.0)
        assert on_device("axpy", staging=True).run(x=given, y=y, a=2.0, b=1.0) is y
        same(y.values(), 2.0 * x + 1.0)
    numpys = np.ctypeslib.as_array((np.ctypeslib.ctypes.c_double * N).from_address(y.memory.address))
    refused(TypeError, "lies on pinned host memory", on_device("axpy").run, x=numpys, a=1.0, b=0.0)
    same(on_device("axpy", staging=True).run(x=numpys, a=1.0, b=0.0), 2.0 * x + 1.0)


@case(devices=2)
def one_rank_drives_a_device():
    x = RNG.standard_normal(N)
    if not RankPartition.built:
        return
    body = eagle.load(BUNDLES / "dot")
    made = plan(body, structure=RankPartition, inner=DeviceKernel, device=1, block=64, staging=True)
    assert "device_kernel(device=1, block=64, staging=true)" in repr(made)
    assert made.run(x=x, y=x).hex() == on_host("dot").run(x=x, y=x).hex()
    lent = plan(eagle.load(BUNDLES / "axpy"), structure=RankPartition, inner=DeviceKernel, device=1)
    y = lent.run(x=Cai(x, device=1), a=2.0, b=1.0)
    assert y.device == "cuda:1"
    same(y.copy_to_host(), 2.0 * x + 1.0)


def config():
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        eagle.show_config()
    return shown.getvalue()


@case(devices=2)
def the_devices_are_listed():
    assert DeviceKernel.built and DeviceKernel.available
    text = config()
    assert "device_kernel   built: cuda:0 (" in text and "; cuda:1 (" in text and "sm_90, CUDA" in text


@case(on="no driver")
def without_a_driver():
    assert DeviceKernel.built and not DeviceKernel.available
    assert "built: no CUDA device can be used: the driver library libcuda.so.1 was looked for and not found" in config()
    made = on_device("axpy", staging=True)
    refusal = refused(RuntimeError, "libcuda.so.1 was looked for and not found", made.run, x=np.ones(2), a=1.0, b=0.0)
    assert refusal.code == "unavailable" and "install NVIDIA's driver" in str(refusal)


@case(devices=0)
def without_a_device():
    assert not DeviceKernel.available
    assert "CUDA_ERROR_NO_DEVICE" in config()
    refusal = refused(RuntimeError, "no CUDA device can be used", on_device("axpy").bind, x=np.ones(2), a=1.0, b=0.0)
    assert refusal.code == "unavailable"
