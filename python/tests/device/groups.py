# SPDX-License-Identifier: Apache-2.0
"""Groups of devices."""

import eagle
import numpy as np
from eagle.exec import DeviceGroup, RankPartition
from eagle.plan import plan

from . import BUNDLES, case, on_host, refused
from .arrays import RNG, N, same
from .lenders import Cai, Dl


def on_group(name, **options):
    return plan(eagle.load(BUNDLES / name), structure=DeviceGroup, **options)


@case(devices=3)
def groups_have_the_hosts_bits():
    x, y = RNG.standard_normal(N), RNG.standard_normal(N)
    p = RNG.standard_normal((3, N))
    assert DeviceGroup.available
    for devices in ([0], [1, 0], [0, 1, 2], None):
        for parts in (1, 4):
            made = dict(devices=devices, npartitions=parts, staging=True)
            same(on_group("axpy", **made).run(x=x, a=2.0, b=1.0), 2.0 * x + 1.0)
            assert on_group("dot", **made).run(x=x, y=y) == on_host("dot").run(x=x, y=y)
            same(on_group("drift3", **made).run(p=p, v=p, dt=0.5), on_host("drift3").run(p=p, v=p, dt=0.5))


@case(devices=3)
def groups_take_arrays_of_any_of_their_devices():
    x, y = RNG.standard_normal(N), RNG.standard_normal(N)
    for lender in (Cai, Dl):
        got = on_group("dot", devices=[0, 2]).run(x=lender(x, device=2), y=lender(y, device=0))
        assert got == on_host("dot").run(x=x, y=y)
        there = lender(x, device=1)
        words = "argument 'x' lies on cuda:1, and this plan runs on cuda:0"
        refused(TypeError, words, on_group("axpy", devices=[0, 2]).run, x=there, a=1.0, b=0.0)
    refused(TypeError, "staging", on_group("axpy", devices=[0, 1]).run, x=x, a=1.0, b=0.0)


@case(devices=3)
def every_device_of_a_group_ends_with_the_whole():
    x = RNG.standard_normal(N)
    bound = on_group("axpy", devices=[1, 2, 0]).bind(x=Cai(x, device=2), a=2.0, b=1.0)
    bound.launch()
    replicas = bound.replicas("y")
    assert [each.device for each in replicas] == ["cuda:1", "cuda:2", "cuda:0"]
    for each in replicas:
        same(each.copy_to_host(), 2.0 * x + 1.0)
    same(on_group("axpy", devices=[2]).run(x=replicas[1], a=1.0, b=0.0).copy_to_host(), 2.0 * x + 1.0)
    y = Cai(np.zeros(N), device=0)
    bound = on_group("axpy", devices=[0, 1]).bind(x=Cai(x, device=1), y=y, a=2.0, b=1.0)
    bound.launch()
    assert bound.replicas("y")[0] is y
    same(bound.replicas("y")[1].copy_to_host(), 2.0 * x + 1.0)
    refused(ValueError, "there is no output 'x'", bound.replicas, "x")
    alone = on_host("axpy").bind(x=x, a=2.0, b=1.0)
    assert len(alone.replicas("y")) == 1


@case(devices=3)
def groups_that_cannot_be():
    assert "device_group(devices=[0, 1], block=64)" in repr(on_group("axpy", devices=(0, 1), block=64))
    refused(ValueError, "a group has each device once", on_group, "axpy", devices=[1, 1])
    refused(ValueError, "devices count from 0", on_group, "axpy", devices=[-1])
    refused(ValueError, "devices is empty", on_group, "axpy", devices=[])
    for wrong in (0, "01", [0.5], [True]):
        refused(TypeError, "devices", on_group, "axpy", devices=wrong)
    run = on_group("axpy", devices=[0, 3], staging=True).run
    assert refused(RuntimeError, "there is no cuda:3", run, x=np.ones(2), a=1.0, b=0.0).code == "unavailable"
    refused(ValueError, "cross_sample_write", on_group, "histogram", devices=[0, 1])
    refused(ValueError, "inner", plan, eagle.load(BUNDLES / "axpy"), structure=RankPartition, inner=DeviceGroup)
