# SPDX-License-Identifier: Apache-2.0
"""What holds of every partition of every run, on partitions that hypothesis draws."""

import eagle
import numpy as np
from eagle.exec import Partition
from eagle.plan import plan
from eagle.reduction import tree_v1
from hypothesis import given, settings
from hypothesis import strategies as st

quick = settings(max_examples=60, deadline=None)


@st.composite
def runs(draw):
    """A number of samples, cut anywhere; parts may be empty."""
    n = draw(st.one_of(st.integers(0, 40), st.integers(1000, 5000)))
    borders = sorted(draw(st.lists(st.integers(0, n), max_size=9)))
    edges = [0, *borders, n]
    return n, [Partition(a, b - a, n) for a, b in zip(edges[:-1], edges[1:], strict=True)]


@quick
@given(runs(), st.integers(1, 3), st.sampled_from(["static", "dynamic"]))
def test_each_sample_is_visited_once(bundles, run, threads, schedule):
    n, partitions = run
    visits = np.zeros(n, np.float32)
    body = eagle.load(bundles / "saxpy")
    plan(body, structure="host_team", partitions=partitions, threads=threads, schedule=schedule).run(
        x=np.ones(n, np.float32), y=visits, a=1.0
    )
    assert (visits == 1).all()


@quick
@given(runs(), st.integers(1, 3), st.integers(0, 99))
def test_a_reduction_does_not_see_the_cut(bundles, run, threads, seed):
    n, partitions = run
    x, y = np.random.default_rng(seed).standard_normal((2, n))
    given = plan(eagle.load(bundles / "dot"), structure="host_team", partitions=partitions, threads=threads).run(x=x, y=y)
    assert np.float64(given).tobytes() == np.float64(tree_v1("sum", x * y)).tobytes()


@quick
@given(st.integers(0, 9), st.lists(st.tuples(st.integers(-1, 9), st.integers(-1, 9), st.integers(-1, 9)), max_size=4))
def test_partitions_are_taken_if_and_only_if_they_tile_the_samples(bundles, n, triples):
    def tile():
        at = 0
        for base, count, n_samples in triples:
            if base != at or count < 0 or n_samples != n:
                return False
            at += count
        return at == n and bool(triples)

    body = eagle.load(bundles / "axpy")
    try:
        parts = [Partition(*each) for each in triples]
        y = plan(body, structure="host_team", partitions=parts).run(x=np.zeros(n), a=1.0, b=3.0)
        taken = True
        assert y.tolist() == [3.0] * n
    except ValueError as refusal:
        taken = False
        assert refusal.code in ("partition", "argument")
    assert taken == tile()
