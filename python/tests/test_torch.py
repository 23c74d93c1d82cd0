# SPDX-License-Identifier: Apache-2.0
"""PyTorch tensors of the CPU as planes and numbers."""

import warnings

import eagle
import numpy as np
import pytest

torch = pytest.importorskip("torch")

N = 6


@pytest.fixture
def axpy(host):
    plan = host("axpy")
    return lambda **given: plan.run(**{"a": 2.0, "b": 1.0} | given)


def ramp(n=N, dtype=torch.float64):
    return torch.arange(n).to(dtype)


def vectors(n=N):
    return torch.arange(3.0 * n, dtype=torch.float64).reshape(3, n)


def test_in_and_out_in_place(axpy):
    x, y = ramp(), torch.zeros(N, dtype=torch.float64)
    assert axpy(x=x, y=y) is y
    assert torch.equal(y, 2 * x + 1)


def test_inputs_are_read_where_they_lie(host):
    x = torch.zeros(N, dtype=torch.float64)
    bound = host("axpy").bind(x=x, a=2.0, b=1.0)
    x += 3
    bound.launch()
    np.testing.assert_array_equal(bound.result(), np.full(N, 7.0))


def test_a_bound_tensor_outlives_its_name(host):
    y = torch.zeros(1 << 16, dtype=torch.float64)
    bound = host("axpy").bind(x=torch.ones(1 << 16, dtype=torch.float64), y=y, a=2.0, b=1.0)
    torch.zeros(1 << 16, dtype=torch.float64)
    bound.launch()
    assert (y == 3).all()


def test_other_dtypes(host):
    y, left = torch.ones(N), torch.arange(5, 5 + N)
    host("saxpy").run(x=ramp(dtype=torch.float32), y=y, a=2.0)
    assert torch.equal(y, 2 * ramp(dtype=torch.float32) + 1)
    host("countdown").run(left=left)
    assert torch.equal(left, torch.arange(4, 4 + N))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.int16, torch.uint8, torch.bool, torch.float16])
def test_narrower_inputs_widen(axpy, dtype):
    x = ramp().bool().to(dtype)
    np.testing.assert_array_equal(axpy(x=x), 2.0 * x.double().numpy() + 1)


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8])
def test_flags(host, dtype):
    done = torch.tensor([1, 0, 0]).to(dtype)
    left = torch.tensor([1, 1, 2])
    assert host("product").run(x=torch.tensor([2.0, 3.0, 5.0]), terminated=torch.tensor([False, True, False])) == 10
    host("countdown").run(left=left, done=done)
    assert left.tolist() == [1, 0, 1] and done.tolist() == [1, 1, 0]


def test_native_layouts_without_a_copy(host):
    p, wide = vectors(), torch.zeros(3, N + 4, dtype=torch.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        host("drift3", threads=2).run(q=wide[:, 2:-2], p=p, v=p.T, dt=2.0)
    np.testing.assert_array_equal(wide[:, 2:-2], 3 * p)
    assert not wide[:, :2].any() and not wide[:, -2:].any()


def test_an_output_of_other_strides_is_copied_back(host):
    q = torch.zeros(N, 3, dtype=torch.float64)
    with pytest.warns(eagle.LayoutWarning, match="'q' is copied in and back"):
        host("drift3").run(q=q, p=vectors(), v=vectors(), dt=2.0)
    np.testing.assert_array_equal(q.T, 3 * vectors())


@pytest.mark.parametrize("x", [ramp(2 * N)[::2], ramp().expand(2, N)[1], ramp(1).expand(N), ramp(N * 2).reshape(N, 2).T[0]])
@pytest.mark.filterwarnings("ignore::eagle.LayoutWarning")
def test_strided_inputs(axpy, x):
    np.testing.assert_array_equal(axpy(x=x), 2 * x.numpy() + 1)


def test_a_slice_starts_where_it_starts(axpy):
    y = torch.zeros(2 * N, dtype=torch.float64)
    axpy(x=ramp(2 * N)[N:], y=y[N:])
    assert y.tolist() == [0.0] * N + [2.0 * k + 1 for k in range(N, 2 * N)]


def test_no_elements(axpy):
    y = torch.empty(0, dtype=torch.float64)
    assert axpy(x=torch.empty(0, dtype=torch.float64), y=y) is y
    assert axpy(x=[]).shape == (0,)


def test_numbers_without_axes(host, axpy):
    x = ramp()
    for a in torch.tensor(2.0), torch.tensor(2.0, dtype=torch.float64), torch.tensor(2), torch.tensor(2, dtype=torch.uint8):
        np.testing.assert_array_equal(axpy(x=x, a=a), 2 * x.numpy() + 1)
    assert axpy(x=torch.tensor(2.0, dtype=torch.float64)) == 5.0
    with pytest.raises(TypeError, match="argument 'seed' is float32, and int64 is due"):
        host("hash_mix").run(k=torch.arange(3), seed=torch.tensor(2.0))
    with pytest.raises(TypeError, match=r"argument 'a' is float64 \(1,\): a uniform is one number"):
        axpy(x=x, a=torch.ones(1, dtype=torch.float64))


def test_results_become_tensors_without_a_copy(axpy):
    y = axpy(x=ramp())
    for tensor in torch.from_numpy(y), torch.from_dlpack(y), torch.as_tensor(y):
        assert tensor.data_ptr() == y.ctypes.data
    kept = torch.from_dlpack(y)
    del y
    assert torch.equal(kept, 2 * ramp() + 1)


GRAD = {"x": ramp().requires_grad_(), "y": ramp().requires_grad_(), "a": torch.tensor(2.0, requires_grad=True)}


@pytest.mark.parametrize("name", GRAD)
def test_a_tensor_that_requires_grad(axpy, name):
    with pytest.raises(TypeError, match=f"'axpy': argument '{name}' is a Tensor.*requires? grad.*detach"):
        axpy(**{"x": ramp(), name: GRAD[name]})
    with torch.no_grad(), pytest.raises(TypeError, match="detach"):
        axpy(**{"x": ramp(), name: GRAD[name]})
    axpy(**{"x": ramp(), name: GRAD[name].detach().clone()})


def test_a_parameter_and_what_comes_of_one(axpy):
    parameter = torch.nn.Parameter(ramp())
    for x in parameter, 2 * parameter:
        with pytest.raises(TypeError, match="detach"):
            axpy(x=x)
    np.testing.assert_array_equal(axpy(x=parameter.detach()), 2 * ramp().numpy() + 1)


def test_a_list_of_tensors_that_require_grad(axpy):
    with pytest.raises(TypeError, match="argument 'x'.*detach"):
        axpy(x=list(GRAD["x"]))


def negated():
    """A real tensor whose memory has the other sign."""
    tensor = torch.tensor([1 + 2j, 3 + 4j], dtype=torch.complex128).conj().imag
    assert tensor.is_neg() and tensor.tolist() == [-2.0, -4.0]
    return tensor


@pytest.mark.filterwarnings("ignore::eagle.LayoutWarning")
@pytest.mark.parametrize("name", ["x", "y"])
def test_a_pending_negation_counts_or_is_refused(host, name):
    given = negated()
    try:
        result = host("axpy").run(**{"x": torch.tensor([-2.0, -4.0], dtype=torch.float64), name: given, "a": 2.0, "b": 1.0})
    except TypeError as error:
        assert f"argument '{name}'" in str(error)
    else:
        assert result.tolist() == [-3.0, -7.0]


def test_real_and_conjugate(axpy):
    z = torch.tensor([1 + 2j, 3 + 4j])
    with pytest.raises(TypeError, match="'axpy': argument 'x' is complex64, and float64 is due"):
        axpy(x=z.resolve_conj())
    with pytest.raises(TypeError, match="'axpy': argument 'x' is a Tensor that lends no memory"):
        axpy(x=z.conj())
    with pytest.warns(eagle.LayoutWarning):
        np.testing.assert_array_equal(axpy(x=z.to(torch.complex128).real), [3.0, 7.0])


def test_outputs_do_not_convert(axpy):
    y = torch.zeros(N)
    with pytest.raises(TypeError, match="argument 'y' is float32, and float64 is due"):
        axpy(x=ramp(), y=y)
    with pytest.raises(ValueError, match="argument 'y' has elements that share memory"):
        axpy(x=ramp(), y=torch.zeros(1, dtype=torch.float64).expand(N))
    assert not y.any()


def test_an_output_of_an_unknown_dtype_says_which(axpy):
    with pytest.raises(TypeError, match="argument 'y' is .*float16.*float64 is due"):
        axpy(x=ramp(), y=torch.zeros(N, dtype=torch.float16))


def test_a_dtype_that_numpy_lacks(axpy):
    with pytest.raises(TypeError, match="argument 'x' is .*bfloat16"):
        axpy(x=ramp(dtype=torch.bfloat16))


def test_views_that_overlap(axpy):
    memory = ramp(2 * N)
    with pytest.raises(ValueError, match="'y' overlaps argument 'x'"):
        axpy(x=memory[:N], y=memory[1 : N + 1])
    assert torch.equal(memory, ramp(2 * N))
    axpy(x=memory[:N], y=memory[N:])
    assert torch.equal(memory[N:], 2 * ramp() + 1)


@pytest.mark.parametrize("make", [lambda t: t.to("meta"), lambda t: t.to_sparse()], ids=["meta", "sparse"])
def test_tensors_without_memory_of_their_own(axpy, make):
    with pytest.raises(TypeError, match="'axpy': argument 'x' is a Tensor that lends no memory"):
        axpy(x=make(ramp()))
