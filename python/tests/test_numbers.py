# SPDX-License-Identifier: Apache-2.0
"""Numbers and dtypes: what is taken, what is widened, and what is refused."""

import array
import ctypes
import re
from decimal import Decimal
from fractions import Fraction

import eagle
import numpy as np
import pytest
from planes import Lent, N, axpy_of


class Floats:
    def __float__(self):
        return 2.5


class Counts:
    def __index__(self):
        return 3


SCALARS = [np.dtype(code).type(2) for code in "bhilqBHILQefdg"]
NUMBERS = [3, 2.5, True, -0.0, float("inf"), Fraction(1, 3), Decimal("0.1"), Floats(), Counts(), np.True_, 2**63, 2**64 - 1]
ZERO_D = [np.array(2, code) for code in "bhilqBHILQefd?"]


@pytest.mark.parametrize("a", [*NUMBERS, *SCALARS, *ZERO_D], ids=lambda a: f"{type(a).__name__} {getattr(a, 'dtype', '')}")
def test_numbers_for_a_uniform_of_float64(axpy, a):
    x = np.arange(1.0, N)
    np.testing.assert_array_equal(axpy(x=x, a=a), float(a) * x + 1.0)


def test_a_ctypes_number(axpy):
    np.testing.assert_array_equal(axpy(x=np.ones(N), a=ctypes.c_double(2.5)), np.full(N, 3.5))


@pytest.mark.parametrize("a", [0.1, 2, Fraction(1, 10), np.float64(0.1), np.float32(0.1), np.array(2, "i1"), 3.4e38])
def test_numbers_for_a_uniform_of_float32_round_once(host, a):
    x = np.ones(N, "float32")
    np.testing.assert_array_equal(host("saxpy").run(x=x, a=a), np.full(N, np.float32(float(a))))


def mixed(k, seed):
    """The finaliser of splitmix64, in NumPy."""
    z = np.asarray(k).astype("uint64") + np.uint64(seed % 2**64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))).astype("int64")


@pytest.mark.parametrize("seed", [0, -1, 2**63 - 1, -(2**63), True, Counts(), np.uint64(7), np.int8(-1), np.array(5, "u1")])
def test_integers_are_exact_to_their_limits(host, seed):
    k = np.array([-(2**63), -1, 0, 2**63 - 1])
    expected = mixed(k, int(seed) if not isinstance(seed, Counts) else 3)
    np.testing.assert_array_equal(host("hash_mix").run(k=k, seed=seed), expected)


@pytest.mark.parametrize("seed", [2**63, -(2**63) - 1, 2**64, np.uint64(2**63)])
def test_integers_that_do_not_fit(host, seed):
    with pytest.raises(ValueError, match=f"'hash_mix': argument 'seed' is {seed}"):
        host("hash_mix").run(k=np.arange(3), seed=seed)


@pytest.mark.parametrize("seed", [2.5, 3.0, float("nan"), np.float64(3), Fraction(4, 2), Decimal(2), np.array(2.0)], ids=str)
def test_floats_are_no_integers(host, seed):
    with pytest.raises(TypeError, match="'hash_mix': argument 'seed' is .*int64 is due"):
        host("hash_mix").run(k=np.arange(3), seed=seed)


NO_NUMBERS = [None, "2", {}, set(), 1j, range(1), object(), np.complex128(1), np.str_("2"), np.array(1j), len, float]
NO_NUMBERS += [np.datetime64("2020"), np.void(b"12345678")]
SEQUENCES = [b"2", [2.0], (2.0,), [], np.array([2.0])]


@pytest.mark.parametrize(
    "name, given", [*(("a", each) for each in NO_NUMBERS + SEQUENCES), *(("x", each) for each in NO_NUMBERS)]
)
def test_what_is_no_number(axpy, name, given):
    with pytest.raises(TypeError, match=f"'axpy': argument '{name}' is "):
        axpy(**{"x": np.ones(N), name: given})


@pytest.mark.parametrize("a", [np.datetime64(5, "ns"), np.timedelta64(5, "ns")])
def test_dates_are_no_numbers(axpy, a):
    with pytest.raises(TypeError, match="argument 'a' is"):
        axpy(x=np.ones(N), a=a)


def test_a_large_integer_for_float64(axpy):
    np.testing.assert_array_equal(axpy(x=np.ones(N), a=2**70), np.full(N, 2.0**70 + 1))


@pytest.mark.parametrize("a", [np.array(2.0), np.array(2)])
def test_a_number_may_come_as_an_array_without_axes(host, a):
    host("saxpy").run(x=np.ones(N, "float32"), a=a)


DTYPES = [*"?bhilqBHILQefdgFDSUO", "M8[s]", "m8[s]", ">i2", ">f4", ">f8", ">i8"]
DUE = [("axpy", "x", "float64"), ("saxpy", "x", "float32"), ("hash_mix", "k", "int64"), ("gather", "table", "float64")]
OTHERS = {"axpy": {"a": 1.0, "b": 0.0}, "saxpy": {"a": 1.0}, "hash_mix": {"seed": 0}, "gather": {"k": np.arange(3)}}


@pytest.mark.parametrize("code", DTYPES)
@pytest.mark.parametrize("name, argument, due", DUE)
def test_inputs_widen_where_numpy_calls_it_safe(host, name, argument, due, code):
    given = np.arange(3).astype(code)
    call = OTHERS[name] | {argument: given}
    if given.dtype.kind in "biuf" and np.can_cast(given.dtype, due, "safe"):
        expected = mixed(given, 0) if name == "hash_mix" else given.astype(due)
        np.testing.assert_array_equal(host(name).run(**call), expected)
    else:
        with pytest.raises(
            TypeError, match=rf"'{name}': argument '{argument}' is {re.escape(str(given.dtype))}.* {due} is due"
        ):
            host(name).run(**call)


@pytest.mark.parametrize("code", ["f", "g", ">f8", "q", "?", "O", "D", "c8"])
def test_outputs_never_convert(axpy, code):
    y = np.zeros(N, code)
    with pytest.raises(TypeError, match="'axpy': argument 'y' is "):
        axpy(x=np.ones(N), y=y)
    assert not y.any()


def test_lists_and_tuples_are_inputs_only(host, axpy):
    np.testing.assert_array_equal(axpy(x=[1, 2.5, True]), axpy_of([1, 2.5, 1]))
    np.testing.assert_array_equal(axpy(x=(1, 2)), axpy_of([1, 2]))
    np.testing.assert_array_equal(host("hash_mix").run(k=[2**63 - 1, -(2**63)], seed=0), mixed([2**63 - 1, -(2**63)], 0))
    assert axpy(x=[]).shape == (0,)
    for y in [0.0] * 3, (0.0,) * 3:
        with pytest.raises(TypeError, match=r"'y' is a (list|tuple), and the body writes it: give an array, e.g. numpy"):
            axpy(x=[1, 2, 3], y=y)


def record(*fields):
    return np.zeros(N, list(fields))


def test_fields_of_records(axpy):
    aligned, packed = record(("y", "f8"), ("x", "f8")), record(("flag", "u1"), ("x", "f8"))
    aligned["x"] = packed["x"] = np.arange(N)
    with pytest.warns(eagle.LayoutWarning):
        axpy(x=aligned["x"], y=aligned["y"])
    np.testing.assert_array_equal(aligned["y"], axpy_of(range(N)))
    with pytest.warns(eagle.LayoutWarning):
        np.testing.assert_array_equal(axpy(x=packed["x"]), axpy_of(range(N)))
    with pytest.raises(
        ValueError, match=r"'y' has strides of \(9,\) bytes, no multiples of its elements, and is written in place"
    ):
        axpy(x=np.ones(N), y=packed["x"])
    np.testing.assert_array_equal(packed["x"], np.arange(N))


@pytest.mark.parametrize(
    "x", [record(("flag", "u1"), ("x", "f8"))["x"], memoryview(np.zeros(2 * N)[::2])], ids=["record", "view"]
)
def test_every_copy_of_a_layout_warns(axpy, x):
    with pytest.warns(eagle.LayoutWarning):
        axpy(x=x)


def misaligned(n):
    return np.frombuffer(bytearray(8 * n + 1), "f8", offset=1)


@pytest.mark.parametrize("name", ["x", "y"])
def test_misaligned_memory_is_refused(axpy, name):
    with pytest.raises(ValueError, match=f"'{name}' is misaligned: float64 needs an address that is a multiple of 8"):
        axpy(**{"x": np.ones(N), name: misaligned(N)})


def test_no_elements_cannot_be_misaligned(axpy):
    assert axpy(x=misaligned(2)[:0]).shape == (0,)


@pytest.mark.parametrize("dtype", ["bool", "uint8"])
def test_flags_are_bool_or_bytes(host, dtype):
    terminated = np.array([0, 1, 0], dtype)
    assert host("product").run(x=np.array([2.0, 3.0, 5.0]), terminated=terminated) == 10.0
    left, done = np.array([1, 1, 2]), np.array([1, 0, 0], dtype)
    bound = host("countdown").bind(left=left, done=done)
    bound.launch()
    assert left.tolist() == [1, 0, 1] and done.tolist() == [1, 1, 0] and done.dtype == dtype


@pytest.mark.parametrize("flags", [bytes([0, 1, 0]), bytearray([0, 1, 0]), array.array("B", [0, 1, 0])])
def test_flags_in_buffers_of_bytes(host, flags):
    assert host("product").run(x=np.array([2.0, 3.0, 5.0]), terminated=flags) == 10.0


@pytest.mark.parametrize("dtype", ["int8", "int64", "float64"])
def test_flags_of_other_types_are_refused(host, dtype):
    with pytest.raises(TypeError, match=f"'terminated' is {dtype}, and bool is due"):
        host("product").run(x=np.ones(3), terminated=np.zeros(3, dtype))


@pytest.mark.parametrize("given", [np.longdouble("1e4000"), np.array(np.longdouble("-1e4000"))])
def test_a_wider_number_is_not_made_infinite(axpy, given):
    with pytest.raises(ValueError, match=r"'axpy': argument 'a' is -?1e\+4000, which float64 does not hold"):
        axpy(x=np.ones(N), a=given)
    with pytest.raises(ValueError, match=r"'axpy': argument 'x' is a list with -?1e\+4000, which float64 does not hold"):
        axpy(x=[1.0, given])
    np.testing.assert_array_equal(axpy(x=np.ones(N), a=np.longdouble("-inf")), np.full(N, -np.inf))


@pytest.mark.parametrize("code", ["i1", "i2", "u1", "u2", "f2"])
def test_what_is_lent_widens_as_arrays_do(axpy, code):
    np.testing.assert_array_equal(axpy(x=Lent(np.arange(3).astype(code))), axpy_of(range(3)))
    with pytest.raises(
        TypeError, match=f"'axpy': argument 'y' is a Lent of {np.dtype(code)}, and float64 is due: give an array"
    ):
        axpy(x=np.ones(3), y=Lent(np.zeros(3, code)))


def test_what_is_lent_of_no_number_is_refused_by_type(axpy):
    with pytest.raises(TypeError, match="'axpy': argument 'x' is complex128, and float64 is due"):
        axpy(x=Lent(np.zeros(3, "D")))


def test_an_output_of_another_type_says_what_to_give(axpy):
    with pytest.raises(TypeError, match="'y' is >f8, and float64 is due: give an array of float64 to write into"):
        axpy(x=np.ones(3), y=np.zeros(3, ">f8"))
