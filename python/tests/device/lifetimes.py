# SPDX-License-Identifier: Apache-2.0
"""Who keeps memory, for how long, and what fails."""

import gc
import weakref
from pathlib import Path
from types import SimpleNamespace

import eagle
import numpy as np
from eagle.exec import DeviceKernel, HostTeam
from eagle.plan import plan

from . import BUNDLES, case, cuda, on_device, refused
from .arrays import RNG, N, same
from .lenders import LENT, Cai, Dl, Taken


@case()
def results_outlive_plan_and_plugin():
    x = RNG.standard_normal(N)
    bundle = eagle.load(BUNDLES / "axpy")
    bound = plan(bundle, structure=DeviceKernel).bind(x=Cai(x), a=2.0, b=1.0)
    bound.launch()
    y = bound.result()
    del bundle, bound
    gc.collect()
    same(y.copy_to_host(), 2.0 * x + 1.0)


@case()
def what_is_lent_outlives_the_array():
    y = on_device("axpy").run(x=Cai(np.ones(N)), a=2.0, b=1.0)
    taken, unused = Taken(y.__dlpack__(max_version=(1, 0))), y.__dlpack__()
    del y, unused
    gc.collect()
    same(cuda.download(taken.address, "f8", N), np.full(N, 3.0))
    taken.give_back()


@case()
def inputs_are_given_back_after_the_run():
    x = Dl(np.ones(N))
    y = on_device("axpy").run(x=x, a=2.0, b=1.0)
    assert not LENT
    gone = weakref.ref(x)
    del x
    assert gone() is None
    same(y.copy_to_host(), np.full(N, 3.0))


@case()
def a_refused_call_gives_back():
    for f in (on_device("axpy").run, on_device("axpy").bind):
        refused(ValueError, "'y' has", f, x=Dl(np.ones(N)), y=Dl(np.ones(N - 1)), a=1.0, b=0.0)
        refused(TypeError, "lies on cpu", f, x=Dl(np.ones(N)), y=np.ones(N), a=1.0, b=0.0)
        gc.collect()
        assert not LENT


@case()
def a_bound_plan_holds_what_launches_use():
    x, y = Dl(RNG.standard_normal(N)), Cai(np.zeros(N))
    bound = on_device("axpy").bind(x=x, y=y, a=2.0, b=1.0)
    expected, gone = 2.0 * x.values() + 1.0, weakref.ref(x)
    del x
    gc.collect()
    assert gone() is not None
    bound.launch(cuda.Stream())
    del bound
    gc.collect()
    assert gone() is None and not LENT
    same(y.values(), expected)


@case()
def a_cycle_lets_go_only_when_its_launch_has_ended():
    class Knot(Cai):
        pass

    x, y = Knot(np.ones(N)), Cai(np.zeros(N))
    x.bound = on_device("axpy").bind(x=x, y=y, a=2.0, b=1.0)
    x.bound.launch(cuda.Stream())
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None
    same(y.values(), np.full(N, 3.0))


@case()
def a_stream_object_is_kept_as_long_as_what_needs_it():
    stream = cuda.Stream()
    gone = weakref.ref(stream)
    made = on_device("axpy", stream=stream)
    y = made.run(x=Cai(np.ones(N)), a=2.0, b=1.0)
    taken = Taken(y.__dlpack__(max_version=(1, 0)))
    del stream, made, y
    gc.collect()
    assert gone() is not None
    same(cuda.download(taken.address, "f8", N), np.full(N, 3.0))
    taken.give_back()
    gc.collect()
    assert gone() is None


def loaded(**fields):
    usual = {
        "kernel": "axpy",
        "exec_access": "sample_local",
        "arg_spec": [("mutable", "y"), ("per_sample", "x"), ("uniform", "a"), ("uniform", "b")],
    }
    return SimpleNamespace(**usual | fields)


@case()
def loaded_functions_are_planned():
    x = RNG.standard_normal(N)
    module, function = cuda.load_function((BUNDLES / "axpy" / "axpy.ptx").read_bytes() + b"\0", "axpy")
    y = plan(loaded(device_function=function), structure=DeviceKernel).run(x=Cai(x), a=2.0, b=1.0)
    same(y.copy_to_host(), 2.0 * x + 1.0)
    entry = on_host_entry()
    both = loaded(device_function=function, host_entry=entry)
    same(plan(both, structure=HostTeam).run(x=x, a=2.0, b=1.0), 2.0 * x + 1.0)
    same(plan(both, structure=DeviceKernel, staging=True).run(x=x, a=2.0, b=1.0), 2.0 * x + 1.0)
    refused(ValueError, "host", plan, loaded(device_function=function), structure=HostTeam)
    refused(ValueError, "device", plan, loaded(host_entry=entry), structure=DeviceKernel)
    words = "device_function is 'axpy': the CUfunction of a loaded kernel is due"
    refused(ValueError, words, plan, loaded(device_function="axpy"), structure=DeviceKernel)
    cuda.call("cuModuleUnload", cuda.ctypes.c_void_p(module))


def on_host_entry():
    library = cuda.ctypes.CDLL(str(Path(BUNDLES, "axpy", "axpy.so")))
    return cuda.ctypes.cast(library.axpy_host, cuda.ctypes.c_void_p).value


@case(memory=100_000)
def no_memory_is_a_memory_error():
    x = Cai(np.ones(10_000))
    refusal = refused(
        MemoryError, "no memory for an array float64 (10000,) on cuda:0", on_device("axpy").run, x=x, a=1.0, b=0.0
    )
    assert refusal.code == "memory" and "plugin 'axpy'" in str(refusal)
    small = on_device("axpy").run(x=Cai(np.ones(100)), a=2.0, b=1.0)
    same(small.copy_to_host(), np.full(100, 3.0))


@case(fail="axpy:1:700")
def a_kernel_that_faults_is_a_runtime_error():
    x = Cai(np.ones(N))
    bound = on_device("axpy").bind(x=x, a=1.0, b=0.0)
    bound.launch()
    refusal = refused(RuntimeError, "CUDA_ERROR_ILLEGAL_ADDRESS", bound.result)
    assert refusal.code == "body" and "plugin 'axpy'" in str(refusal) and "on cuda:0" in str(refusal)
    refusal = refused(RuntimeError, "CUDA_ERROR_ILLEGAL_ADDRESS", on_device("axpy").run, x=x, a=1.0, b=0.0)
    assert "argument 'x' waits for the stream 0x1, and " in str(refusal)
