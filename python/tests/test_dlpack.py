# SPDX-License-Identifier: Apache-2.0
"""Arrays that other libraries lend by DLPack: old and new capsules, what is read-only, and that each is given back once."""

import ctypes
import gc

import eagle
import numpy as np
import pytest
from planes import Lent, N, axpy_of, planes


class Tensor(ctypes.Structure):
    """A DLTensor of https://dmlc.github.io/dlpack/latest/c_api.html."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
LEGACY, VERSIONED = ctypes.c_char_p(b"dltensor"), ctypes.c_char_p(b"dltensor_versioned")
capsule_of = ctypes.pythonapi.PyCapsule_New
capsule_of.restype = ctypes.py_object
capsule_of.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


#: What was lent, by the address of its struct: (lender, struct, extents, steps). Never let go, so that a second return counts.
LENT = {}


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def give_back(address):
    LENT[address][0].returned += 1


class Lender:
    """Lends an array by legacy capsules and counts what comes back."""

    def __init__(self, array, *, offset=0, device=1, strides=True):
        self.array, self.offset, self.device, self.strides = array, offset, device, strides
        self.lent = self.returned = 0

    def lend(self, managed, name):
        a = self.array
        extents = (ctypes.c_int64 * a.ndim)(*a.shape)
        steps = (ctypes.c_int64 * a.ndim)(*(step // a.itemsize for step in a.strides)) if self.strides else None
        kind = (CODES[a.dtype.kind], 8 * a.itemsize, 1)
        managed.tensor = Tensor(a.ctypes.data - self.offset, self.device, 0, a.ndim, *kind, extents, steps, self.offset)
        managed.deleter = ctypes.cast(give_back, ctypes.c_void_p)
        address = ctypes.addressof(managed)
        LENT[address] = (self, managed, extents, steps)
        self.lent += 1
        return capsule_of(address, name, None)

    def __dlpack__(self, *, stream=None):
        return self.lend(Managed(), LEGACY)

    def __dlpack_device__(self):
        return self.device, 0


class VersionedLender(Lender):
    """The same by versioned capsules."""

    def __init__(self, array, *, read_only=False, major=1, **options):
        super().__init__(array, **options)
        self.read_only, self.major = read_only, major

    def __dlpack__(self, *, stream=None, max_version=None):
        assert max_version >= (1, 0)
        return self.lend(Versioned(major=self.major, flags=int(self.read_only)), VERSIONED)


LENDERS = [Lender, VersionedLender]


@pytest.mark.parametrize("lender", LENDERS)
@pytest.mark.parametrize("options", [{}, {"offset": 16}, {"strides": False}])
def test_dlpack_is_read_and_written_in_place(host, lender, options):
    x, y = lender(np.arange(float(N)), **options), lender(np.zeros(N), **options)
    assert host("axpy").run(x=x, y=y, a=2.0, b=1.0) is y
    np.testing.assert_array_equal(y.array, axpy_of(range(N)))
    assert (x.lent, x.returned, y.lent, y.returned) == (1, 1, 1, 1)


@pytest.mark.parametrize("lender", LENDERS)
def test_dlpack_strides_count(host, lender):
    p, q = lender(planes().T), lender(np.zeros((3, 2 * N))[:, ::2])
    with pytest.warns(eagle.LayoutWarning, match="'q' is copied in and back"):
        host("drift3").run(q=q, p=p, v=planes(), dt=1.0)
    np.testing.assert_array_equal(q.array, 2 * planes())


def test_a_tensor_of_less_than_no_axes_is_refused(host):
    class Odd(Lender):
        def __dlpack__(self, *, stream=None):
            capsule = super().__dlpack__()
            next(reversed(LENT.values()))[1].tensor.ndim = -1
            return capsule

    with pytest.raises(eagle.Error, match="'x' is a tensor of -1 axes"):
        host("axpy").run(x=Odd(np.ones(3)), a=1.0, b=1.0)


@pytest.mark.parametrize("device", [0, 4, 7, 10, 77, -1])
def test_devices_of_no_cuda_are_refused_as_such(host, device):
    x = Lender(np.ones(3))
    x.device = device
    with pytest.raises(TypeError, match=f"'x' lies on .*{device}.*: give a host array"):
        host("axpy").run(x=x, a=1.0, b=1.0)


def test_a_device_that_is_no_pair_is_refused(host):
    class Odd(Lender):
        def __dlpack_device__(self):
            return "cpu"

    with pytest.raises(eagle.Error, match="'x' is a Odd .*__dlpack_device__ gives a str: a pair of integers"):
        host("axpy").run(x=Odd(np.ones(3)), a=1.0, b=1.0)


@pytest.mark.parametrize("dtype", ["bool", "uint8"])
def test_flags_by_dlpack(host, dtype):
    left, done = Lender(np.array([1, 1, 2])), Lender(np.array([1, 0, 0], dtype))
    assert host("countdown").run(left=left, done=done) is left
    assert left.array.tolist() == [1, 0, 1] and done.array.tolist() == [1, 1, 0]


def test_integers_by_dlpack(host):
    y = host("gather").run(k=VersionedLender(np.array([2, 0])), table=Lender(np.array([5.0, 6.0, 7.0])))
    assert y.tolist() == [7.0, 5.0]


def test_a_read_only_dlpack_is_an_input_and_no_output(host):
    lender = VersionedLender(np.arange(float(N)), read_only=True)
    np.testing.assert_array_equal(host("axpy").run(x=lender, a=2.0, b=1.0), axpy_of(range(N)))
    with pytest.raises(ValueError, match="argument 'y' is read-only, and the body writes it"):
        host("axpy").run(x=np.ones(N), y=lender, a=2.0, b=1.0)
    assert lender.array.tolist() == list(range(N))
    assert lender.lent == lender.returned == 2


@pytest.mark.parametrize("lender", LENDERS)
def test_a_bound_plan_holds_what_it_borrowed(host, lender):
    x = lender(np.arange(float(N)))
    bound = host("axpy").bind(x=x, a=2.0, b=1.0)
    result = bound.result()
    bound.launch()
    gc.collect()
    assert (x.lent, x.returned) == (1, 0)
    np.testing.assert_array_equal(result, axpy_of(range(N)))
    del bound
    gc.collect()
    assert x.returned == 1
    np.testing.assert_array_equal(result, axpy_of(range(N)))


@pytest.mark.parametrize("later", [Lender, np.array])
def test_rebind_gives_the_old_array_back(host, later):
    x = Lender(np.zeros(N))
    bound = host("axpy").bind(x=x, a=2.0, b=1.0)
    bound.rebind(x=later(np.ones(N)))
    bound.launch()
    np.testing.assert_array_equal(bound.result(), axpy_of(np.ones(N)))
    assert x.returned == 1


@pytest.mark.parametrize("lender", LENDERS)
@pytest.mark.parametrize("call", ["run", "bind"])
@pytest.mark.parametrize(
    "others",
    [{"y": np.zeros(N - 1)}, {"y": np.zeros(N, "f")}, {"z": 1}, {"a": None}, {"y": [0.0]}],
    ids=lambda others: next(iter(others)),
)
def test_a_refused_call_gives_back_once(host, lender, call, others):
    x = lender(np.arange(float(N)))
    with pytest.raises(eagle.Error):
        getattr(host("axpy"), call)(**{"x": x, "a": 2.0, "b": 1.0} | others)
    gc.collect()
    assert (x.lent, x.returned) == (1, 1)


@pytest.mark.parametrize("lender", LENDERS)
def test_a_refused_rebind_keeps_the_old_array(host, lender):
    x, y = lender(np.arange(float(N))), lender(np.ones(N - 1))
    bound = host("axpy").bind(x=x, a=2.0, b=1.0)
    with pytest.raises(ValueError, match=f"'x' has {N - 1} samples, and the run has {N}"):
        bound.rebind(x=y)
    assert (x.returned, y.returned) == (0, 1)
    bound.launch()
    np.testing.assert_array_equal(bound.result(), axpy_of(range(N)))


@pytest.mark.parametrize(
    "x, words",
    [
        (Lender(np.zeros(N), device=2), "lies on cuda:0, and this plan runs on the host: give a host array"),
        (Lender(np.zeros(N, "complex64")), "is complex64, and float64 is due"),
        (VersionedLender(np.zeros(N), major=2), "is a VersionedLender"),
    ],
    ids=["device", "complex", "version"],
)
def test_a_refused_dlpack_is_given_back(axpy, x, words):
    with pytest.raises(TypeError, match=words):
        axpy(x=x)
    assert x.lent == x.returned >= 1


class OldDelegates(Lent):
    """A library older than max_version, over NumPy."""

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


def frozen(values):
    a = np.array(values, float)
    a.flags.writeable = False
    return a


def test_read_only_arrays_of_numpy_old_and_new(axpy):
    x = frozen(range(N))
    np.testing.assert_array_equal(axpy(x=x), axpy_of(x))
    np.testing.assert_array_equal(axpy(x=Lent(x)), axpy_of(x))
    with pytest.raises(TypeError, match="'x' is a OldDelegates that lends no memory"):
        axpy(x=OldDelegates(x))
    for y in frozen(range(N)), Lent(frozen(range(N))):
        with pytest.raises(ValueError, match="'y' is read-only, and the body writes it"):
            axpy(x=x, y=y)
    y = np.zeros(N)
    axpy(x=x, y=OldDelegates(y))
    np.testing.assert_array_equal(y, axpy_of(x))


class Crooked(Lender):
    """Lends a struct with other fields than its array has."""

    def __init__(self, **fields):
        super().__init__(np.zeros(N))
        self.fields = fields

    def lend(self, managed, name):
        capsule = super().lend(managed, name)
        for key, value in self.fields.items():
            setattr(managed.tensor, key, value)
        return capsule


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"data": None}, f"null data for an array of shape ({N},)"),
        ({"shape": (ctypes.c_int64 * 1)(-1)}, "shape (-1,) has a negative extent"),
        ({"shape": (ctypes.c_int64 * 1)(2**62)}, f"shape ({2**62},) of float64 is too large to address"),
        ({"strides": (ctypes.c_int64 * 1)(2**62)}, f"strides ({2**62}) of shape ({N},) reach too far to address"),
    ],
    ids=["data", "extent", "size", "stride"],
)
def test_what_is_lent_as_no_array_reads_as_a_sentence(axpy, fields, words):
    x = Crooked(**fields)
    with pytest.raises(ValueError) as caught:
        axpy(x=x)
    assert str(caught.value) == f"plugin 'axpy': argument 'x' is lent as what is no array: {words}"
    assert isinstance(caught.value, eagle.Error) and x.lent == x.returned == 1


def test_a_dlpack_that_is_none_names_the_argument(axpy):
    class Wrong:
        def __dlpack__(self, **_):
            return 5

    with pytest.raises(TypeError, match="argument 'x'"):
        axpy(x=Wrong())


def test_results_go_on_by_dlpack_and_buffer(axpy):
    y = axpy(x=np.arange(N))
    assert np.from_dlpack(y).ctypes.data == np.asarray(memoryview(y)).ctypes.data == y.ctypes.data
