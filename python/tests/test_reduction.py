# SPDX-License-Identifier: Apache-2.0
"""The canonical reduction against frozen bits and against its definition, written out in NumPy (docs/reproducibility.md)."""

import json
from functools import cache

import eagle
import numpy as np
import pytest
from eagle.plan import plan
from eagle.reduction import fold, identity, tree_v1
from hypothesis import given, settings
from hypothesis import strategies as st
from planes import Lent

OPS = ["sum", "times", "max", "land"]
DTYPES = ["float64", "float32", "int64", "int32", "uint64", "uint32"]
U = np.uint64


def bits(value):
    """A NumPy scalar or array as unsigned integers of its width."""
    return np.asarray(value).view(f"u{np.asarray(value).itemsize}")


# The frozen inputs.


def mix(s):
    z = s + U(0x9E3779B97F4A7C15)
    z = (z ^ (z >> U(30))) * U(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> U(27))) * U(0x94D049BB133111EB)
    return z ^ (z >> U(31))


@cache
def draws(seed, n):
    return mix(U(seed) + np.arange(n, dtype="u8") * U(0x9E3779B97F4A7C15))


#: Of float64 and float32: bits of the mantissa, of a uniform's shift, near one's width, and the range of exponents.
FORMAT = {"float64": (52, 11, 41, -498, 997), "float32": (23, 40, 13, -120, 241)}


def spread(x, dtype, lowest, exponents):
    mantissa = FORMAT[dtype][0]
    y = mix(x)
    fraction = (x >> U(64 - mantissa)) | U(1 << mantissa)
    exponent = lowest + ((y & U(0xFFFFFFFF)) % U(exponents)).astype("i4")
    magnitude = np.ldexp(fraction.astype(dtype), exponent - mantissa)
    return np.where(y >> U(63) != 0, -magnitude, magnitude)


def samples(kind, dtype, seed, n):
    """Some of the kinds of the frozen inputs."""
    x, i = draws(seed, n), np.arange(n)
    if kind == "booleans":
        return (x % U(4096) != 0).astype(dtype)
    if kind == "ones":
        return np.ones(n, dtype)
    if kind == "six_ones_minus_six":
        return np.where(i % 7 == 6, -6, 1).astype(dtype)
    if kind == "integers_full_range":
        return x.astype(dtype)
    if kind == "integers_odd":
        return (x | U(1)).astype(dtype)
    mantissa, shift, width, lowest, exponents = FORMAT[dtype]
    if kind == "uniform":
        return np.ldexp((x >> U(shift)).astype(dtype), -mantissa - 1)
    if kind == "decades300":
        return spread(x, dtype, lowest, exponents)
    if kind == "near_one":
        return (1 + np.ldexp((x >> U(63 - width)).astype("f8") - 2.0**width, -mantissa)).astype(dtype)
    if kind == "cancelling":
        k = i % 4096
        partner = np.where(k < 2048, i, 4096 * (i // 4096) + 32 * (i % 64) + (k - 2048) // 64)
        values = spread(x, dtype, 0, {"float64": 21, "float32": 11}[dtype])
        return np.where(k < 2048, values[partner], -values[partner]) if n else values
    raise KeyError(kind)


KINDS = ["booleans", "ones", "six_ones_minus_six", "integers_full_range", "integers_odd"]
KINDS += ["uniform", "decades300", "near_one", "cancelling"]


@pytest.fixture(scope="module")
def golden(data):
    return json.loads((data / "reduction" / "tree_v1_golden.json").read_text())["cases"]


@pytest.mark.parametrize("kind", KINDS)
def test_frozen_bits(golden, kind):
    rows = [row for row in golden if row["kind"] == kind and row["n"] <= 100003]
    assert len(rows) > 50
    for row in rows:
        values = samples(kind, row["dtype"], row["seed"], row["n"])
        result = tree_v1(row["op"], values, precision=row.get("precision", "working"))
        assert result.dtype == row["dtype"]
        assert bits(result) == int(row["bits"], 16), {key: row[key] for key in ("dtype", "op", "n", "seed")}


# The definition.


def combine(op, a, b):
    if op == "sum":
        return a + b
    if op == "times":
        return a * b
    return np.maximum(a, b)


def two_sum(a, b):
    """Knuth's: the rounded sum of two and what it lost."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def compensated(a, b):
    s, e = two_sum(a[0], b[0])
    return np.stack([s, e + (a[1] + b[1])])


def halve(join, lanes):
    """Joins lane l with lane l + s for s = 32, 16, ..., 1 where there is one; lanes on the last axis."""
    s = 32
    while s:
        partners = max(0, min(s, lanes.shape[-1] - s))
        if partners:
            lanes[..., :partners] = join(lanes[..., :partners], lanes[..., s : s + partners])
        lanes = lanes[..., :s]
        s //= 2
    return lanes[..., 0]


def block(join, values):
    """Of at most 1024 samples on the last axis."""
    lanes = values[..., :64].copy()
    for k in range(64, values.shape[-1], 64):
        row = values[..., k : k + 64]
        lanes[..., : row.shape[-1]] = join(lanes[..., : row.shape[-1]], row)
    return halve(join, lanes)


def tree(op, values, precision="working"):
    """Tree v1, slowly."""
    dtype = values.dtype
    if not len(values):
        return dtype.type(identity_of(op, dtype))
    terms, join = values, lambda a, b: combine(op, a, b)
    if op == "land":
        terms = (values != 0).astype(dtype)
        join = np.minimum
    if precision == "compensated":
        terms, join = np.stack([values, np.zeros_like(values)]), compensated
    with np.errstate(all="ignore"):
        nodes = [block(join, terms[..., k : k + 1024]) for k in range(0, len(values), 1024)]
        while len(nodes) > 1:
            nodes = [join(*nodes[k : k + 2]) if k + 1 < len(nodes) else nodes[k] for k in range(0, len(nodes), 2)]
        result = nodes[0].sum() if precision == "compensated" else nodes[0]
    return dtype.type(np.nan) if result != result else dtype.type(result)


def identity_of(op, dtype):
    smallest = -np.inf if np.dtype(dtype).kind == "f" else np.iinfo(dtype).min
    return {"sum": 0, "times": 1, "max": smallest, "land": 1}[op]


lengths = st.one_of(st.integers(0, 200), st.integers(1000, 5000))
quick = settings(max_examples=80, deadline=None, derandomize=True)


def drawn(seed, dtype, n):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return (rng.standard_normal(n) * 10.0 ** rng.integers(-9, 9, n)).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, n, dtype, endpoint=True)


@quick
@given(st.sampled_from(OPS), st.sampled_from(DTYPES), lengths, st.integers(0, 9))
def test_any_values_against_the_definition(op, dtype, n, seed):
    values = drawn(seed, dtype, n)
    result = tree_v1(op, values)
    assert type(result) is np.dtype(dtype).type and bits(result) == bits(tree(op, values))


@quick
@given(st.sampled_from(["float64", "float32"]), lengths, st.integers(0, 9))
def test_compensated_sums_against_the_definition(dtype, n, seed):
    values = drawn(seed, dtype, n)
    assert bits(tree_v1("sum", values, precision="compensated")) == bits(tree("sum", values, "compensated"))


def test_compensated_keeps_what_the_plain_sum_loses():
    values = [1.0, 1.0, 1e100, -1e100]
    assert tree_v1("sum", values, "compensated") == 2.0 and tree_v1("sum", values) == 0.0


@pytest.mark.parametrize("op", ["sum", "times", "max"])
@pytest.mark.parametrize("dtype, quiet", [("float64", 0x7FF8000000000000), ("float32", 0x7FC00000)])
def test_a_nan_becomes_the_one_quiet_nan(op, dtype, quiet):
    values = np.ones(3000, dtype)
    bits(values)[1234] = quiet + (1 << (8 * values.itemsize - 1)) + 77
    assert bits(tree_v1(op, values)) == quiet
    assert tree_v1("land", values) == 1


def test_signed_zeros():
    assert np.signbit(tree_v1("sum", [-0.0, -0.0])) and not np.signbit(tree_v1("sum", [-0.0, 0.0]))
    assert not np.signbit(tree_v1("max", [-0.0, 0.0])) and np.signbit(tree_v1("max", [-0.0, -0.0]))


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_identities(op, dtype):
    expected = np.dtype(dtype).type(identity_of(op, dtype))
    for value in identity(op, dtype), tree_v1(op, np.empty(0, dtype)), fold(op, np.empty(0, dtype)):
        assert value.dtype == dtype and bits(value) == bits(expected)
    assert identity(op, np.dtype(dtype)) == expected == identity(op, np.dtype(dtype).type)


# Arrays.


@pytest.mark.parametrize("shape", [(3, 1500), (2, 3, 70), (1, 1), (4, 0), (2, 0, 3), (0, 5)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_samples_are_on_the_last_axis(shape, order):
    values = np.asarray(drawn(1, "float64", int(np.prod(shape))).reshape(shape), order=order)
    result = tree_v1("sum", values)
    assert result.shape == shape[:-1] and result.dtype == "float64"
    for index in np.ndindex(shape[:-1]):
        assert bits(result[index]) == bits(tree("sum", values[index]))


@pytest.mark.parametrize("make", [lambda a: a[::2], lambda a: a[::-1], lambda a: a.reshape(2, -1).T[:, 1]])
def test_strides(make):
    values = make(drawn(2, "float64", 4000))
    assert bits(tree_v1("sum", values)) == bits(tree("sum", values))


def test_lists_and_flags():
    assert tree_v1("sum", [1, 2, 3]) == 6 and tree_v1("sum", [1, 2, 3]).dtype == "int64"
    assert tree_v1("max", [[1.0, 3.0], [5.0, 4.0]]).tolist() == [3.0, 5.0]
    flags = np.array([True, False, True])
    assert tree_v1("sum", flags) == 2 and tree_v1("land", flags) == 0 and tree_v1("land", flags[::2]) == 1


@pytest.mark.parametrize("op, expected", [("sum", 0.0), ("times", np.inf), ("max", 1e100), ("land", 1.0)])
def test_fold_goes_from_left_to_right(op, expected):
    values = {"times": [1e300, 1e300, 1e-300]}.get(op, [1.0, 1e100, -1e100])
    assert fold(op, values) == expected
    assert fold("sum", [1e100, -1e100, 1.0]) == 1.0 and fold("times", [1e300, 1e-300, 1e300]) == 1e300


def test_fold_wraps_integers_and_keeps_nan():
    assert fold("times", np.array([2**31, 2], "u4")) == 0
    assert np.isnan(fold("max", [1.0, np.nan, 2.0])) and fold("land", [2, 0]) == 0 and fold("land", [2.0, 5.0]) == 1


ERRORS = [
    (lambda: tree_v1("mean", [1.0]), ValueError, "'mean' is no op: sum, times, max or land is accepted"),
    (lambda: fold("min", [1.0]), ValueError, "'min' is no op"),
    (lambda: identity("or"), ValueError, "'or' is no op"),
    (lambda: tree_v1("sum", [1.0], "double"), ValueError, "precision is 'double': working or compensated is accepted"),
    (lambda: tree_v1("max", [1.0], "compensated"), ValueError, "for sums of float64 and float32, not for max of float64"),
    (lambda: tree_v1("sum", [1], "compensated"), ValueError, "not for sum of int64"),
    (lambda: tree_v1("sum", np.ones(3, "g")), TypeError, "is float128: float64, float32, int64, int32, uint64 or uint32"),
    (lambda: tree_v1("sum", np.ones(3, "D")), TypeError, "is complex128"),
    (lambda: tree_v1("sum", np.ma.array([1.0], mask=[True])), TypeError, "masks are not kept: give x.filled"),
    (lambda: fold("max", np.ma.array([1.0])), TypeError, "masks are not kept: give x.filled"),
    (lambda: tree_v1("sum", ["a"]), TypeError, "is <U1"),
    (lambda: fold("sum", np.ones(3, "M8[s]")), TypeError, "is datetime64"),
    (lambda: identity("sum", "bool"), TypeError, "bool has no reduction"),
    (lambda: identity("sum", "f2"), TypeError, "'float16' is no dtype"),
    (lambda: identity("sum", "\ud800"), ValueError, "dtype is '.ud800'"),
    (lambda: identity("sum", "`,"), TypeError, "'`,' is no dtype"),
    (lambda: tree_v1("sum", 5.0), ValueError, "one value is given: an array of samples is due"),
    (lambda: fold("sum", [[1.0]]), ValueError, r"the values have the shape \(1, 1\): one list is due"),
    (lambda: tree_v1("sum", [[1.0], [2.0, 3.0]]), ValueError, "uneven lengths"),
    (lambda: tree_v1("mean", np.empty((0, 3))), ValueError, "'mean' is no op"),
    (lambda: tree_v1("sum", np.empty((0, 3), "D")), TypeError, "is complex128"),
    (lambda: identity("sum", "float63"), TypeError, "no dtype"),
    (lambda: tree_v1(3, [1.0]), TypeError, "op is 3"),
]


@pytest.mark.parametrize("call, error, words", ERRORS)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert isinstance(caught.value, eagle.Error)


# A plan gives the tree of the partials.


@quick
@given(st.data(), st.integers(0, 5000), st.integers(1, 3), st.sampled_from(["working", "compensated"]))
def test_a_plans_value_is_the_tree_of_its_partials(bundles, data, n, threads, precision):
    x, y = drawn(data.draw(st.integers(0, 9)), "float64", n), drawn(n, "float64", n)
    edges = [0, *sorted(data.draw(st.lists(st.integers(0, n), max_size=5))), n]
    cuts = [(a, b - a, n) for a, b in zip(edges[:-1], edges[1:], strict=True)]
    way = data.draw(st.sampled_from([{}, {"partitions": cuts}, {"npartitions": 7}, {"schedule": "dynamic", "tile": 100}]))
    dot = eagle.load(bundles / "dot")
    value = plan(dot, structure="host_team", threads=threads, precision=precision, **way).run(x=x, y=y)
    partials = plan(dot, structure="host_team", combine=False, threads=threads, **way).run(x=x, y=y)
    np.testing.assert_array_equal(partials, x * y)
    assert bits(value) == bits(tree_v1("sum", partials, precision)) == bits(tree("sum", x * y, precision))


@pytest.mark.parametrize("n", [0, 1, 63, 1025, 4096])
def test_other_ops_and_types_of_plans(host, n):
    x = drawn(n, "float64", n)
    off = np.arange(n) % 3 == 0
    assert bits(host("maximum", npartitions=3).run(x=x)) == bits(tree("max", x))
    assert bits(host("product", npartitions=3).run(x=x, terminated=off)) == bits(tree("times", np.where(off, 1.0, x)))
    assert host("all_finite", npartitions=3).run(x=x) == 1
    assert bits(host("asumf", npartitions=3).run(x=x.astype("f4"))) == bits(tree("sum", np.abs(x.astype("f4"))))
    assert host("sum_index", npartitions=3, n_samples=n).run() == n * (n - 1) // 2


NATURAL = {"?": "int64", "i1": "int64", "i2": "int64", "u1": "int64", "u2": "int64", "f2": "float32"}
NATURAL |= {
    ">f8": "float64",
    ">f4": "float32",
    ">i8": "int64",
    ">i4": "int32",
    ">u8": "uint64",
    ">i2": "int64",
    ">f2": "float32",
}


@pytest.mark.parametrize("code, dtype", NATURAL.items())
def test_samples_of_other_types_are_taken_as_the_natural_one(code, dtype):
    given = np.array([1, 0, 1, 1], "?").astype(code) if code == "?" else np.array([100, 100, 27, 3]).astype(code)
    for total in (tree_v1("sum", given), fold("sum", given), fold("sum", tree_v1("sum", given.reshape(2, 2)))):
        assert total.dtype == dtype and total == (3 if code == "?" else 230)


def test_samples_of_another_library():
    assert tree_v1("sum", Lent(np.array([1.5, 2.0]))) == 3.5


@pytest.mark.parametrize("error", [MemoryError, RecursionError, KeyboardInterrupt])
def test_what_is_not_about_the_samples_passes(error):
    class Fails:
        def __array__(self, *_, **__):
            raise error("from the object")

    with pytest.raises(error, match="from the object"):
        fold("sum", Fails())
