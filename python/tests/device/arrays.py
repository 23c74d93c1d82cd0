# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries in and out, and what eagle makes."""

import warnings

import eagle
import numpy as np
from test_exec_contract_rows import CUTS

from . import case, cuda, on_device, on_host, refused
from .lenders import Both, Cai, Dl, Taken

N = 1000
RNG = np.random.default_rng(11)


def same(found, expected):
    """To the bit."""
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert found.tobytes() == np.ascontiguousarray(expected).tobytes()


@case()
def each_protocol_is_read_and_written_in_place():
    x = RNG.standard_normal(N)
    for lender in (Cai, Dl, Both):
        given, y = lender(x), lender(np.zeros(N))
        assert on_device("axpy").run(x=given, y=y, a=2.5, b=-1.5) is y
        same(y.values(), 2.5 * x - 1.5)
        same(given.values(), x)


@case()
def an_array_with_both_protocols_is_asked_by_dlpack():
    x = Both(np.ones(N))
    on_device("axpy").run(x=x, a=1.0, b=0.0)
    assert len(x.asked) == 1


@case()
def what_eagle_makes_is_a_device_array():
    x = RNG.standard_normal(N)
    y = on_device("axpy").run(x=Cai(x), a=2.5, b=-1.5)
    assert type(y) is eagle.DeviceArray
    assert (y.name, y.dtype, y.shape, y.strides, y.device) == ("y", np.float64, (N,), (8,), "cuda:0")
    assert repr(y) == f"<eagle.DeviceArray 'y' float64 ({N},) on cuda:0>"
    same(y.copy_to_host(), 2.5 * x - 1.5)
    for convert in (np.asarray, np.array, lambda each: np.add(each, 1)):
        refused(TypeError, "call copy_to_host()", convert, y)


@case()
def several_outputs_come_by_name():
    x = np.arange(1.0, N)
    made, expected = on_device("newton").run(x=Dl(x)), on_host("newton").run(x=x)
    assert list(made) == list(expected)
    for name in made:
        assert made[name].name == name
        same(made[name].copy_to_host(), expected[name])


@case()
def one_sample_comes_without_an_axis():
    y = on_device("axpy").run(x=Cai(np.array(3.0)), a=2.0, b=1.0)
    assert type(y) is eagle.DeviceArray and y.shape == ()
    same(y.copy_to_host(), np.array(7.0))


@case()
def no_samples():
    assert on_device("axpy").run(x=Cai(np.zeros(0)), a=2.0, b=1.0).copy_to_host().shape == (0,)
    assert on_device("axpy").run(x=Dl(np.zeros(0)), a=2.0, b=1.0).copy_to_host().shape == (0,)
    total = on_device("dot").run(x=Cai(np.zeros(0)), y=Dl(np.zeros(0)))
    assert type(total) is np.float64 and total == 0


@case()
def a_folded_value_is_a_scalar_with_the_bits_of_the_host():
    n = 300_007
    x, y = RNG.standard_normal(n), RNG.standard_normal(n)
    host = on_host("dot").run(x=x, y=y)
    for parts in (1, 3):
        total = on_device("dot", npartitions=parts).run(x=Cai(x), y=Dl(y))
        assert type(total) is np.float64 and total.hex() == host.hex() == eagle.reduction.tree_v1("sum", x * y).hex()
    bound = on_device("dot").bind(x=Dl(x), y=Cai(y))
    refused(ValueError, "there is no folded value", bound.result)
    for _ in range(2):
        bound.launch()
        assert bound.result().hex() == host.hex()


@case()
def partitions_do_not_show():
    x, k = np.random.default_rng(7).standard_normal(64), np.random.default_rng(8).integers(0, 64, 64)
    for partitions in CUTS:
        same(on_device("axpy", partitions=partitions).run(x=Cai(x), a=2.0, b=-1.5).copy_to_host(), 2.0 * x - 1.5)
        same(on_device("gather", partitions=partitions).run(k=Cai(k), table=Dl(x)).copy_to_host(), x[k])
        total = on_device("dot", partitions=partitions).run(x=Dl(x), y=Dl(x))
        assert total.hex() == eagle.reduction.tree_v1("sum", x * x).hex()


PLANES = {
    "drift3": {"q": RNG.standard_normal((3, N)), "p": RNG.standard_normal((3, N)), "v": RNG.standard_normal((3, N)), "dt": 0.5},
    "matvec3": {"x": RNG.standard_normal((3, N)), "m": RNG.standard_normal((3, 3, N))},
    "outer3": {"a": RNG.standard_normal((3, N)), "b": RNG.standard_normal((3, N))},
    "hash_mix": {"k": RNG.integers(-(2**62), 2**62, N), "seed": 2**62 + 1},
    "saxpy": {"x": RNG.standard_normal(N).astype(np.float32), "a": 1.5},
    "countdown": {"left": RNG.integers(0, 3, N), "done": RNG.integers(0, 2, N).astype(bool)},
    "gather": {"k": RNG.integers(0, 50, N), "table": RNG.standard_normal(50)},
    "interp": {"values": RNG.standard_normal(64), "x": RNG.random(N) * 62},
    "shift": {"x": RNG.standard_normal(N)},
    "histogram": {"bins": np.zeros(8), "x": RNG.random(N), "lo": 0.0, "hi": 1.0, "nbins": 8},
    "dot3": {"p": RNG.standard_normal((3, N)), "v": RNG.standard_normal((3, N))},
    "asumf": {"x": RNG.standard_normal(N).astype(np.float32)},
    "product": {"x": 1 + RNG.random(N) / N, "terminated": RNG.integers(0, 2, N).astype(bool)},
    "maximum": {"x": RNG.standard_normal(N)},
    "all_finite": {"x": RNG.standard_normal(N)},
}


def on_the_host(made):
    if isinstance(made, dict):
        return {name: on_the_host(each) for name, each in made.items()}
    if isinstance(made, eagle.DeviceArray):
        return made.copy_to_host()
    return made.values() if isinstance(made, Cai | Dl) else made


@case()
def every_kind_of_argument_has_the_bits_of_the_host():
    """Vectors, matrices, masks, tables, wide planes, counts, scatters and folds, of each dtype that a worked plugin has."""
    for name, planes in PLANES.items():
        for lender in (Cai, Dl):
            given = {key: lender(each) if isinstance(each, np.ndarray) else each for key, each in planes.items()}
            copies = {key: each.copy() if isinstance(each, np.ndarray) else each for key, each in planes.items()}
            made = on_the_host(on_device(name).run(**given))
            np.testing.assert_equal(made, on_host(name).run(**copies), err_msg=name)
            for key, each in copies.items():
                if isinstance(each, np.ndarray):
                    np.testing.assert_array_equal(given[key].values(), each, err_msg=f"{name} {key}")


@case()
def partials_are_a_plane():
    x = RNG.standard_normal(N)
    partials = on_device("dot", combine=False).run(x=Cai(x), y=Cai(x))
    assert type(partials) is eagle.DeviceArray
    same(partials.copy_to_host(), x * x)


@case()
def inputs_of_narrower_types_widen():
    for dtype in ("bool", "int32", "uint32", "float32", "int64", "uint64"):
        x = RNG.integers(0, 2, N).astype(dtype)
        for lender in (Cai, Dl):
            y = on_device("axpy").run(x=lender(x), a=2.0, b=1.0)
            same(y.copy_to_host(), 2.0 * x.astype(float) + 1.0)
    k = RNG.integers(0, 50, N)
    for dtype in ("int32", "uint32"):
        y = on_device("gather").run(k=Cai(k.astype(dtype)), table=Dl(np.arange(50.0)))
        same(y.copy_to_host(), k.astype(float))
    done = np.array([1, 0, 0], np.uint8)
    flags = Cai(done)
    left = on_device("countdown").run(left=Dl(np.array([1, 1, 2])), done=flags)
    assert left.values().tolist() == [1, 0, 1] and flags.values().tolist() == [1, 1, 0]


@case()
def other_types_are_refused_by_name():
    for lender in (Cai, Dl):
        for dtype in ("float16", "int16", "complex128"):
            x = lender(np.ones(N, dtype))
            refusal = refused(TypeError, f"argument 'x' is {dtype}", on_device("axpy").run, x=x, a=1.0, b=0.0)
            assert "float64 is due" in str(refusal) and refusal.code == "type"
    k = Cai(np.zeros(N))
    refused(TypeError, "'k' is float64, and int64 is due", on_device("gather").run, k=k, table=Dl(np.zeros(5)))
    refused(TypeError, "is float32", on_device("axpy").run, x=Cai(np.ones(N)), y=Cai(np.ones(N, "f")), a=1.0, b=0.0)
    swapped = Cai(np.ones(N, ">f8"))
    refused(TypeError, "is >f8, and float64 is due", on_device("axpy").run, x=swapped, a=1.0, b=0.0)


@case()
def other_layouts_are_copied_with_a_warning():
    x = RNG.standard_normal(2 * N)[::2]
    p, q = RNG.standard_normal((N, 3)).T, RNG.standard_normal((3, 2 * N))[:, ::2]
    for lender in (Cai, Dl):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            y = on_device("axpy").run(x=lender(x), a=2.0, b=1.0)
            given = {"q": lender(q), "p": lender(p), "v": lender(np.ones((3, N)))}
            assert on_device("drift3").run(**given, dt=2.0) is given["q"]
        same(y.copy_to_host(), 2.0 * x + 1.0)
        same(given["q"].values(), on_host("drift3").run(q=q.copy(), p=np.ascontiguousarray(p), v=np.ones((3, N)), dt=2.0))
        assert [each.category for each in told] == [eagle.LayoutWarning] * 3
        assert ["'x' is copied" in str(told[0].message), "'q' is copied in and back" in str(told[1].message)] == [True, True]
        strided = {"q": lender(q), "p": lender(np.ones((3, N))), "v": lender(np.ones((3, N)))}
        refused(ValueError, "a bound output is written in place", on_device("drift3").bind, **strided, dt=1.0)


@case()
def results_are_inputs_again():
    x = RNG.standard_normal(N)
    y = on_device("axpy").run(x=Dl(x), a=2.0, b=1.0)
    z = on_device("axpy").run(x=y, a=3.0, b=0.0)
    assert on_device("axpy").run(x=z, y=y, a=1.0, b=1.0) is y
    same(y.copy_to_host(), 3.0 * (2.0 * x + 1.0) + 1.0)
    refused(TypeError, "lies on cuda:0, and this plan runs on the host", on_host("axpy").run, x=y, a=1.0, b=0.0)


@case()
def a_read_only_array_is_no_output():
    y = Cai(np.zeros(N))
    y.changes = {"data": (y.memory.address, True)}
    same(on_device("axpy").run(x=y, a=1.0, b=1.0).copy_to_host(), np.ones(N))
    refused(ValueError, "'y' is read-only, and the body writes it", on_device("axpy").run, x=Cai(np.ones(N)), y=y, a=1.0, b=0.0)


@case()
def what_results_lend():
    x = RNG.standard_normal((3, N))
    y = on_device("matvec3").run(x=Cai(x), m=Cai(RNG.standard_normal((3, 3, N))))
    interface = y.__cuda_array_interface__
    assert (interface["shape"], interface["typestr"], interface["version"]) == ((3, N), "<f8", 3)
    assert interface["strides"] is None and interface["data"][1] is False and interface["stream"] > 2
    same(cuda.download(interface["data"][0], "f8", 3 * N).reshape(3, N), y.copy_to_host())
    assert y.__dlpack_device__() == (2, 0) and y.strides == (8 * N, 8)
    taken = Taken(y.__dlpack__(max_version=(1, 0)))
    assert (taken.address, taken.device, taken.type, taken.shape) == (interface["data"][0], (2, 0), (2, 64, 1), (3, N))
    assert taken.flags == 0
    taken.give_back()


@case()
def results_are_lent_as_they_are_asked_for():
    x = RNG.standard_normal(N)
    y = on_device("axpy").run(x=Cai(x), a=2.0, b=1.0)
    assert "dltensor_versioned" in repr(y.__dlpack__(max_version=(1, 1)))
    for options in ({}, {"max_version": (0, 8)}, {"copy": False}, {"dl_device": (2, 0)}, {"stream": -1}, {"stream": 2}):
        assert '"dltensor"' in repr(y.__dlpack__(**options))
    copy = Taken(y.__dlpack__(copy=True, max_version=(1, 0)))
    assert copy.address != y.__cuda_array_interface__["data"][0] and copy.flags == 2
    same(cuda.download(copy.address, "f8", N), 2.0 * x + 1.0)
    copy.give_back()
    same(np.from_dlpack(y, device="cpu"), 2.0 * x + 1.0)
    refused(BufferError, "in host memory without a copy", y.__dlpack__, dl_device=(1, 0), copy=False)
    refused(BufferError, "is asked for on cuda:1", y.__dlpack__, dl_device=(2, 1))


@case()
def what_a_consumer_cannot_ask_for():
    y = on_device("axpy").run(x=Cai(np.ones(N)), a=2.0, b=1.0)
    streams = "None or 1 (legacy default), 2 (per thread), a handle, or -1 (no order) is accepted"
    versions, devices = "a pair (major, minor) is due", "a pair (type, id) is due"
    for options, error, words in [
        ({"stream": 0}, ValueError, f"stream is 0: {streams}"),
        ({"stream": -5}, ValueError, f"stream is -5: {streams}"),
        ({"stream": 2**70}, ValueError, f"stream is {2**70}: {streams}"),
        ({"stream": -(10**5000)}, ValueError, f"stream is an integer of {(10**5000).bit_length()} bits: {streams}"),
        ({"stream": True}, TypeError, f"stream is a bool: {streams}"),
        ({"stream": "x"}, TypeError, f"stream is a str: {streams}"),
        ({"stream": 1.0}, TypeError, f"stream is a float: {streams}"),
        ({"max_version": "1.0"}, TypeError, f"max_version is '1.0': {versions}"),
        ({"max_version": 1}, TypeError, f"max_version is 1: {versions}"),
        ({"max_version": (2**40, 0)}, TypeError, f"max_version is ({2**40}, 0): {versions}"),
        ({"dl_device": "cpu"}, TypeError, f"dl_device is 'cpu': {devices}"),
        ({"dl_device": (2,)}, TypeError, f"dl_device is (2,): {devices}"),
    ]:
        assert isinstance(refused(error, words, y.__dlpack__, **options), eagle.Error)


@case()
def arrays_that_are_not_as_said():
    x = Cai(np.ones(N))
    for changes, error, words in [
        ({"mask": x}, TypeError, "has a mask"),
        ({"stream": 0}, TypeError, "has stream=0 in its __cuda_array_interface__: None, 1"),
        ({"version": "q"}, TypeError, "has version='q' in its __cuda_array_interface__: an integer is due"),
        ({"stream": True}, TypeError, "has stream=True in its __cuda_array_interface__: None, 1"),
        ({"typestr": 8}, TypeError, "has typestr=8"),
        ({"typestr": "`,"}, TypeError, "has typestr='`,'"),
        ({"data": 5}, TypeError, "has data=5"),
        ({"data": (-8, False)}, TypeError, "has data=(-8, False)"),
        ({"stream": 2**64}, TypeError, "has stream=18446744073709551616"),
        ({"shape": None}, TypeError, "has shape=None"),
        ({"shape": (2**64,)}, TypeError, "has shape=(18446744073709551616,)"),
        ({"strides": (8, 8)}, TypeError, "one stride for each of the 1 axes"),
        ({"strides": (9,)}, ValueError, "no multiples of its elements"),
        ({"data": (x.memory.address + 4, False)}, ValueError, "is misaligned"),
        ({"data": (np.ones(N).ctypes.data, False)}, ValueError, "CUDA knows no device memory at its address"),
        ({"shape": (N - 1,)}, ValueError, f"'x' has {N - 1} samples, and 'y' has {N}"),
    ]:
        x.changes = changes
        refusal = refused(error, words, on_device("axpy").run, x=x, y=Cai(np.ones(N)), a=1.0, b=0.0)
        assert isinstance(refusal, eagle.Error) and "plugin 'axpy': argument 'x'" in str(refusal)
    x.changes = {"version": 2, "stream": "unknown before 3"}
    same(on_device("axpy").run(x=x, a=2.0, b=0.0).copy_to_host(), np.full(N, 2.0))
