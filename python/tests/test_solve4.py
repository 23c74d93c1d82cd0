# SPDX-License-Identifier: Apache-2.0
"""The worked plugin that solves a 4 x 4 system a sample with Kokkos Kernels."""

from itertools import permutations

import numpy as np
import pytest


@pytest.fixture
def solve(host, bundles):
    if not (bundles / "solve4").exists():
        pytest.skip("built without Kokkos Kernels")
    return lambda a, b, **options: host("solve4", **options).run(a=np.ascontiguousarray(a), b=np.ascontiguousarray(b))


def systems(n, seed=4):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((4, 4, n)), rng.standard_normal((4, n))


def test_it_solves_what_numpy_solves(solve):
    a, b = systems(1000)
    expected = np.linalg.solve(a.transpose(2, 0, 1), b.T[..., None])[..., 0].T
    condition = np.linalg.cond(a.transpose(2, 0, 1))
    error = np.abs(solve(a, b) - expected).max(axis=0) / np.abs(expected).max(axis=0)
    assert np.all(error <= 8 * np.finfo(float).eps * condition)


def test_rows_are_exchanged_where_the_diagonal_is_zero(solve):
    orders = np.array(list(permutations(range(4))))
    a = np.eye(4)[orders].transpose(1, 2, 0)
    b = np.broadcast_to(np.array([[1.0], [2.0], [4.0], [8.0]]), (4, len(orders)))
    expected = np.empty_like(b)
    np.put_along_axis(expected, orders.T, b, axis=0)
    assert np.array_equal(solve(a, b), expected)


@pytest.mark.parametrize("rank", [0, 1, 3])
def test_a_singular_sample_is_nan_and_no_other(solve, rank):
    a, b = systems(7)
    a[rank:, :, 3] = 0.0
    x = solve(a, b)
    assert np.isnan(x[:, 3]).all() and np.isfinite(np.delete(x, 3, axis=1)).all()


def test_every_cut_gives_the_same_bits(solve):
    a, b = systems(1001)
    whole = solve(a, b)
    for threads, parts in [(1, 7), (2, 1), (2, 3)]:
        assert np.array_equal(solve(a, b, threads=threads, npartitions=parts).view("u8"), whole.view("u8"))
    assert solve(a[..., :0], b[..., :0]).shape == (4, 0)
