# SPDX-License-Identifier: Apache-2.0
"""The certification rows of the execution axis: partition identity, host against device, and the refusals."""

import eagle
import eagle.exec as eexec
import numpy as np
import pytest
from eagle import plan as eplan

N = 64
CUTS = [
    [(0, 32, 64), (32, 32, 64)],
    [(0, 1, 64), (1, 62, 64), (63, 1, 64)],
    [(0, 0, 64), (0, 64, 64), (64, 0, 64)],
    [(k, 1, 64) for k in range(64)],
]


@pytest.fixture
def x():
    return np.random.default_rng(7).standard_normal(N)


@pytest.mark.parametrize("partitions", CUTS)
def test_a_sample_local_body_has_the_same_bits_in_any_partitions(bundles, x, partitions):
    body = eagle.load(bundles / "axpy")
    whole = eplan.plan(body, structure=eexec.HostTeam).run(x=x, a=2.0, b=-1.5)
    split = eplan.plan(body, structure=eexec.HostTeam, partitions=partitions).run(x=x, a=2.0, b=-1.5)
    assert whole.tobytes() == split.tobytes() == (2.0 * x - 1.5).tobytes()


@pytest.mark.parametrize("partitions", CUTS)
def test_gathers_and_mapreduces_have_the_same_bits_in_any_partitions(bundles, x, partitions):
    gather, dot = eagle.load(bundles / "gather"), eagle.load(bundles / "dot")
    k = np.random.default_rng(8).integers(0, N, N)
    split = eplan.plan(gather, structure=eexec.HostTeam, partitions=partitions).run(k=k, table=x)
    assert split.tobytes() == x[k].tobytes()
    values = {eplan.plan(dot, structure=eexec.HostTeam, **cut).run(x=x, y=x).hex() for cut in ({}, {"partitions": partitions})}
    assert len(values) == 1


def test_host_and_device_agree_within_the_band(bundles, x):
    if not eexec.DeviceKernel.available:
        pytest.skip("this machine has no CUDA device; test_device.py has it on a stand-in")
    body = eagle.load(bundles / "axpy")
    host = eplan.plan(body, structure=eexec.HostTeam).run(x=x, a=2.0, b=-1.5)
    device = eplan.plan(body, structure=eexec.DeviceKernel, staging=True).run(x=x, a=2.0, b=-1.5)
    np.testing.assert_allclose(device, host, rtol=4 * np.finfo(float).eps)


def test_a_split_scatter_is_refused_at_plan_time(bundles):
    body = eagle.load(bundles / "axpy")
    with pytest.raises(ValueError, match="exec_access 'cross_sample_write' is legal on single-device structures only"):
        eplan.plan(body, structure=eexec.DeviceKernel, partitions=[(0, 32, 64), (32, 32, 64)], exec_access="cross_sample_write")


ACCESSES = ["sample_local", "cross_sample_read", "cross_sample_write", "mapreduce"]
STRUCTURES = [eexec.HostTeam, eexec.DeviceKernel, eexec.RankPartition, eexec.DeviceGroup]


@pytest.mark.parametrize("structure", STRUCTURES, ids=repr)
@pytest.mark.parametrize("access", ACCESSES)
@pytest.mark.parametrize("parts", [1, 2])
def test_the_table_of_placements(access, structure, parts):
    single = structure in (eexec.HostTeam, eexec.DeviceKernel)
    if access != "cross_sample_write" or (single and parts == 1):
        eexec.check_placement(access, structure, parts)
        eexec.check_placement(access, structure.name, parts)
    else:
        with pytest.raises(ValueError, match="cross_sample_write"):
            eexec.check_placement(access, structure, parts)


def test_legality_is_asked_before_what_is_built(bundles):
    scatter = eagle.load(bundles / "histogram")
    for structure in (eexec.RankPartition, eexec.DeviceGroup):
        with pytest.raises(ValueError, match="cross_sample_write"):
            eplan.plan(scatter, structure=structure)


@pytest.mark.parametrize("structure", STRUCTURES[1:], ids=repr)
def test_what_is_not_built_says_so_once_the_plan_is_legal(bundles, structure):
    if structure.built:
        pytest.skip("built")
    with pytest.raises(RuntimeError) as refusal:
        eplan.plan(eagle.load(bundles / "axpy"), structure=structure)
    assert isinstance(refusal.value, eagle.Error) and refusal.value.code == "not_built"
    assert structure.name in str(refusal.value)


def test_a_target_that_is_not_shipped_is_refused(data):
    host_only = eagle.load(data / "bundles" / "mr_sum_guard")
    with pytest.raises(ValueError, match="device"):
        eplan.plan(host_only, structure=eexec.DeviceKernel)


def test_ranks_outside_a_launcher():
    assert eexec.RankPartition.world() == (0, 1)
    assert eexec.RankPartition.local(eexec.Partition.whole(10)) == (0, 10, 10)
    for whole in [(-5, 3, 9), (0, -3, 9), (5, 5, 9), (2**63 - 1, 2**63 - 1, 9)]:
        with pytest.raises(ValueError, match="the partition is"):
            eexec.Partition(*whole).part(2, 0)
    assert eexec.RankPartition.allgather_fold("max", 3.0) == 3.0


@pytest.mark.parametrize(
    "sizes, words",
    [
        ([40, 32, 32, 4], "4 layout sizes"),
        ([40, 32, 32, 4, 16], "PartitionTriple"),
        ([40, 32, 32, 2, 24], "index"),
        ({"GRefMirror": 48}, "GRefMirror"),
        ({"unheard": 1}, "unheard"),
    ],
)
def test_layout_sizes_that_differ_name_the_field(sizes, words):
    with pytest.raises(ValueError, match=words):
        eexec.check_layout_sizes(sizes)


def test_layout_sizes_that_agree():
    assert eexec.layout_sizes() == [40, 32, 32, 4, 24]
    eexec.check_layout_sizes(eexec.layout_sizes())
    eexec.check_layout_sizes([40, 32, 32, 8, 24])
    eexec.check_layout_sizes({"GRefMirror": 40, "index": 4})
