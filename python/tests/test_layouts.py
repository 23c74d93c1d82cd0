# SPDX-License-Identifier: Apache-2.0
"""Planes in any order of axes, with any strides, against NumPy, exactly: the bodies add and multiply without contraction."""

import eagle
import numpy as np
import pytest
from eagle.plan import plan
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.filterwarnings("ignore::eagle.LayoutWarning")
quick = settings(max_examples=150, deadline=None, derandomize=True)
sizes = st.integers(0, 50)
INPUTS = {"float64": ["float64", "float64", "float32", "int32", "uint8", "bool"], "float32": ["float32", "int16", "bool"]}


@st.composite
def cut(draw, extent):
    """The length of an axis and a slice of it that has so many elements."""
    start, end = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    step = draw(st.sampled_from([1, 1, 1, 2, 3]))
    length = start + max(0, (extent - 1) * step + 1) + end
    return length, slice(start, length - end, step)


class Plane:
    """`array` is what is given; `memory` holds it, and view(memory) is it with the samples last."""

    def __init__(self, memory, view, first, layout):
        self.memory, self.view, self.layout = memory, view, layout
        self.last = view(memory)
        self.array = np.moveaxis(self.last, -1, 0) if first else self.last

    def expect(self, values):
        """Whether the memory holds the values, and between them what it held before."""
        expected = self.before.copy()
        self.view(expected)[...] = values.reshape(self.last.shape)
        np.testing.assert_array_equal(self.memory, expected)

    def keep(self):
        self.before = self.memory.copy()
        return self


@st.composite
def planes(draw, head, n, dtypes):
    """A plane of n samples, of a scalar, a vector or a matrix (also flat), samples first or last."""
    if len(head) == 2 and draw(st.booleans()):
        head = (head[0] * head[1],)
    shape = (*head, n)
    cuts = [draw(cut(extent)) for extent in shape]
    flips = tuple(slice(None, None, draw(st.sampled_from([1, 1, 1, -1]))) for _ in shape)
    order = draw(st.permutations(range(len(shape))))
    memory = np.random.default_rng(draw(st.integers(0, 99))).integers(0, 99, [cuts[axis][0] for axis in order])
    memory = (memory % 2 == 0) if (dtype := draw(st.sampled_from(dtypes))) == "bool" else memory.astype(dtype)
    if memory.dtype.kind == "f":
        memory /= memory.dtype.type(7)

    def view(memory):
        return memory.transpose(np.argsort(order))[tuple(each[1] for each in cuts)][flips]

    first = bool(head) and draw(st.booleans())
    say = bool(head) and (n == head[0] or draw(st.booleans()))
    return Plane(memory, view, first, ("sample" if first else "component") if say else None).keep()


@st.composite
def ways(draw, n):
    """Threads, tiles and cuts of a plan."""
    way = {"threads": draw(st.integers(1, 3))}
    if draw(st.booleans()):
        way |= {"schedule": "dynamic", "tile": draw(st.integers(1, 9))}
    if draw(st.booleans()):
        edges = [0, *sorted(draw(st.lists(st.integers(0, n), max_size=4))), n]
        way["partitions"] = [(a, b - a, n) for a, b in zip(edges[:-1], edges[1:], strict=True)]
    return way


def check(name, data, body, inputs, output, bundles, out_dtype="float64", **uniforms):
    """Runs a plugin on drawn planes, its output made or given, and compares with body(planes with the samples last)."""
    n = data.draw(sizes)
    drawn = {key: data.draw(planes(head, n, INPUTS[out_dtype])) for key, head in inputs.items()}
    key, head, reads = output
    given = data.draw(planes(head, n, [out_dtype])) if reads or data.draw(st.booleans()) else None
    arrays = drawn if given is None else drawn | {key: given}
    layout = {each: plane.layout for each, plane in arrays.items() if plane.layout}
    way = data.draw(ways(n)) | ({"combine": False} if name == "dot3" else {})
    values = {each: plane.last.astype(out_dtype).reshape(*inputs[each], n) for each, plane in drawn.items()}
    if reads:
        values[key] = given.last.copy()
    expected = body(**values)
    run = plan(eagle.load(bundles / name), structure="host_team", layout=layout, **way).run
    result = run(**{each: plane.array for each, plane in arrays.items()}, **uniforms)
    for plane in drawn.values():
        np.testing.assert_array_equal(plane.memory, plane.before)
    if given is None:
        np.testing.assert_array_equal(result, expected.reshape(result.shape))
        assert result.shape == ((*((int(np.prod(head)),) if head else ()), n)) and result.dtype == out_dtype
    else:
        assert result is given.array
        given.expect(expected)


@quick
@given(st.data())
def test_scalars(bundles, data):
    check("axpy", data, lambda x: 0.1 * x + 0.3, {"x": ()}, ("y", (), False), bundles, a=0.1, b=0.3)


@quick
@given(st.data())
def test_scalars_that_are_read_and_written(bundles, data):
    a = np.float32(0.1)
    check("saxpy", data, lambda x, y: a * x + y, {"x": ()}, ("y", (), True), bundles, "float32", a=0.1)


@quick
@given(st.data())
def test_vectors(bundles, data):
    vectors = {"p": (3,), "v": (3,)}
    check("drift3", data, lambda p, v: p + 0.1 * v, vectors, ("q", (3,), False), bundles, dt=0.1)


@quick
@given(st.data())
def test_partials_of_vectors(bundles, data):
    def body(p, v):
        return p[0] * v[0] + p[1] * v[1] + p[2] * v[2]

    check("dot3", data, body, {"p": (3,), "v": (3,)}, ("total", (), False), bundles)


@quick
@given(st.data())
def test_matrices_in(bundles, data):
    def body(x, m):
        return m[:, 0] * x[0] + m[:, 1] * x[1] + m[:, 2] * x[2]

    check("matvec3", data, body, {"x": (3,), "m": (3, 3)}, ("y", (3,), False), bundles)


@quick
@given(st.data())
def test_matrices_out(bundles, data):
    check("outer3", data, lambda a, b: a[:, None] * b, {"a": (3,), "b": (3,)}, ("m", (3, 3), False), bundles)


@pytest.mark.parametrize("n, shape, argument", [(3, (3, 3), "p"), (3, (3, 3, 3), "m"), (9, (9, 9), "m")])
def test_both_axes_could_count_samples(bundles, n, shape, argument):
    """Refused without a word on the layout, whatever the strides; with one, each reading is the other's transpose."""
    array = np.random.default_rng(1).random(shape)
    name = {"p": "drift3", "m": "matvec3"}[argument]
    others = {"v": np.ones((n, 3)), "dt": 0.0} if name == "drift3" else {"x": np.ones((n, 3))}
    said = {} if n != 3 else {"v" if name == "drift3" else "x": "sample"}

    def run(**layout):
        planned = plan(eagle.load(bundles / name), structure="host_team", layout=said | layout)
        return planned.run(**{argument: array}, **others)

    with pytest.raises(
        ValueError, match=rf"argument '{argument}' is .*say layout={{'{argument}': 'component'}} \(samples last\)"
    ):
        run()
    m = array if len(shape) == 3 else array.reshape(3, 3, n) if name == "matvec3" else array
    s = np.moveaxis(array, 0, -1).reshape(m.shape)
    sums = (lambda a: a) if name == "drift3" else (lambda a: a[:, 0] + a[:, 1] + a[:, 2])
    np.testing.assert_array_equal(run(**{argument: "component"}), sums(m))
    np.testing.assert_array_equal(run(**{argument: "sample"}), sums(s))
