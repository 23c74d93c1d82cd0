# SPDX-License-Identifier: Apache-2.0
"""Memory that a body writes: overlaps, strides, and the warnings of what is copied."""

import warnings

import eagle
import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided
from planes import N, axpy_of, planes

OVERLAPS = {
    "the same": lambda b: (b[:N], b[:N]),
    "one later": lambda b: (b[:N], b[1 : N + 1]),
    "one shared element": lambda b: (b[:N], b[N - 1 : 2 * N - 1]),
    "backwards": lambda b: (b[:N], b[N - 1 :: -1]),
    "strides that meet": lambda b: (b[: 2 * N : 2], b[: 3 * N : 3]),
    "odd and even": lambda b: (b[: 2 * N : 2], b[1 : 2 * N : 2]),
    "next to each other": lambda b: (b[:N], b[N : 2 * N]),
    "as float32": lambda b: (b[:N], b.view("f4")[2 : N + 2]),
}


@pytest.mark.filterwarnings("ignore::eagle.LayoutWarning")
@pytest.mark.parametrize("make", OVERLAPS.values(), ids=OVERLAPS)
def test_an_output_shares_no_memory_with_an_input(axpy, make):
    memory = np.arange(4.0 * N)
    y, x = make(memory)
    before, expected = memory.copy(), axpy_of(x)
    if np.shares_memory(x, y):
        with pytest.raises(ValueError, match="'y' overlaps argument 'x' in memory, and the body writes it: give separate"):
            axpy(x=x, y=y)
        np.testing.assert_array_equal(memory, before)
    else:
        axpy(x=x, y=y)
        np.testing.assert_array_equal(y, expected)


SEPARATE = [
    pytest.param(lambda s: (s[:3], s[3:]), id="rows"),
    pytest.param(lambda s: (s.T[:, :3], s.T[:, 3:]), id="columns of a transpose"),
    pytest.param(lambda s: (s[0::2], s[1::2]), id="interleaved rows"),
    pytest.param(lambda s: (s[:3, :N], s[:3, N:]), id="halves of rows"),
    pytest.param(lambda s: (s.reshape(-1, 6)[:, :3], s.reshape(-1, 6)[:, 3:]), id="columns"),
]


@pytest.mark.filterwarnings("ignore::eagle.LayoutWarning")
@pytest.mark.parametrize("make", SEPARATE)
def test_parts_of_one_array_that_share_nothing(host, make):
    q, v = make(np.arange(12.0 * N).reshape(6, 2 * N))
    assert not np.shares_memory(q, v)
    n = max(q.shape)
    expected = planes(n=n) + 2.0 * (v if v.shape[0] == 3 else v.T)
    host("drift3").run(q=q, p=planes(n=n), v=v, dt=2.0)
    np.testing.assert_array_equal(q if q.shape[0] == 3 else q.T, expected)


def test_outputs_share_no_memory_with_each_other(host):
    memory = np.zeros(N)
    with pytest.raises(ValueError, match="'root' overlaps argument 'steps'|'steps' overlaps argument 'root'"):
        host("newton").run(root=memory, steps=memory.view("i8"), x=np.ones(N))


def test_inputs_may_share_memory(host):
    x = np.arange(float(N))
    assert host("dot").run(x=x, y=x[::1]) == (x * x).sum()


def test_an_output_whose_elements_share_memory_is_refused(axpy):
    one = np.zeros(1)
    with pytest.raises(ValueError, match="'y' has elements that share memory, and the body writes it"):
        axpy(x=np.ones(N), y=as_strided(one, (N,), (0,)))
    with pytest.raises(ValueError, match="'y' is read-only"):
        axpy(x=np.ones(N), y=np.broadcast_to(one, N))
    assert one[0] == 0


@pytest.mark.parametrize("cut", [slice(None, None, -1), slice(None, None, 3)])
def test_other_strides_are_copied_back_by_run_and_refused_by_bind(host, axpy, cut):
    y = np.full(3 * N, 7.0)
    part = y[cut]
    x = np.arange(float(len(part)))
    with pytest.raises(ValueError, match="'y' is .* in a layout that has to be copied, and a bound output is written in place"):
        host("axpy").bind(x=x, y=part, a=2.0, b=1.0)
    assert (y == 7).all()
    with pytest.warns(eagle.LayoutWarning, match="'axpy': argument 'y' is copied in and back"):
        assert axpy(x=x, y=part) is part
    np.testing.assert_array_equal(part, axpy_of(x))
    assert (y == 7).sum() == len(y) - len(part) + (axpy_of(x) == 7).sum()


def test_a_copy_warns_once_a_place_and_argument(host):
    plan, x, y = host("axpy"), np.zeros(2 * N)[::2], np.zeros(2 * N)[::2]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            plan.run(x=x, y=y, a=2.0, b=1.0)
        plan.run(x=x, a=2.0, b=1.0)
    assert sorted(str(each.message).split("argument ")[1][:3] for each in seen) == ["'x'", "'x'", "'y'"]
    assert {each.filename for each in seen} == {__file__}


def test_a_warning_as_an_error_stops_before_anything_is_written(host):
    n = 2 * N
    calls = [
        ("axpy", {"x": np.ones(N), "y": np.full(n, 7.0)[::2], "a": 2.0, "b": 1.0}, "y"),
        ("histogram", {"bins": np.full(8, 7.0)[::2], "x": np.ones(N), "lo": 0.0, "hi": 1.0, "nbins": 4}, "bins"),
        ("countdown", {"left": np.full(N, 7), "done": np.full(n, 7, "u1")[::2]}, "done"),
    ]
    for name, given, written in calls:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(eagle.LayoutWarning, match=f"'{name}': argument '{written}' is copied"):
                host(name).run(**given)
        assert (given[written] == 7).all()
    assert (calls[-1][1]["left"] == 7).all()
    total = np.full(N, 7.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(eagle.LayoutWarning, match="'x' is copied"):
            host("dot", combine=False).run(x=np.ones(n)[::2], y=np.ones(N), total=total)
    assert (total == 7).all()
