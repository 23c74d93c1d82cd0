# SPDX-License-Identifier: Apache-2.0
"""Where a body runs: the four structures, partitions, and the rules that say which may drive what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from . import _core, _ranks, host_launch
from ._options import integer, text, triple
from .errors import make
from .reduction import fold

__all__ = [
    "ABI_TAG_V1",
    "ABI_TAG_V2",
    "LAYOUT_SYMBOL",
    "DeviceGroup",
    "DeviceKernel",
    "HostTeam",
    "Partition",
    "RankPartition",
    "Structure",
    "check_layout_sizes",
    "check_placement",
    "fold",
    "layout_sizes",
]

ABI_TAG_V1 = "aether-abi/1"
ABI_TAG_V2 = "aether-abi/2"
#: The symbol under which an artifact exports its sizes.
LAYOUT_SYMBOL = "eagle_layout_sizes"
_LAYOUT = {"GRefMirror": 40, "ScalarHandle": 32, "IntHandle": 32, "index": 4, "PartitionTriple": 24}


class Partition(NamedTuple):
    """One contiguous part of a run: samples [base, base + count) of n_samples."""

    base: int
    count: int  # type: ignore[assignment]  # in place of tuple's method
    n_samples: int

    @classmethod
    def whole(cls, n: int) -> Partition:
        """The one partition that covers n samples."""
        return cls(0, n, n)

    def is_whole(self) -> bool:
        """Whether it covers all samples."""
        return self.base == 0 and self.count == self.n_samples

    def part(self, parts: int, r: int) -> Partition:
        """The r-th of `parts` contiguous parts, as even as possible, larger ones first. ValueError unless 0 <= r < parts.

        >>> from eagle.exec import Partition
        >>> [tuple(Partition.whole(10).part(3, r)) for r in range(3)]
        [(0, 4, 10), (4, 3, 10), (7, 3, 10)]
        """
        return Partition(*_core.part_of(triple(self), integer("parts", parts), integer("r", r)))


class Structure:
    """One of the structures below; ``name`` is its name in manifests and messages."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def built(self) -> bool:
        """Whether this eagle was built with it."""
        return any(name == self.name and built for name, built, _ in _core.structures())

    @property
    def available(self) -> bool:
        """Whether this eagle was built with it and, of DeviceKernel, a CUDA driver finds a device here."""
        return self.built

    def __repr__(self) -> str:
        return f"eagle.exec.{self.name}"


class _Team(Structure):
    run = staticmethod(host_launch.run)
    run_serial = staticmethod(host_launch.run_serial)
    tile_size = staticmethod(host_launch.tile_size)
    tile_count = staticmethod(host_launch.tile_count)


class _Kernel(Structure):
    @property
    def available(self) -> bool:
        return self.built and _core.device_count() > 0


class _Ranks(Structure):
    """MPI ranks. Its methods start MPI inside a launcher; outside of one this process is rank 0 of 1, and no MPI is started.

    RuntimeError where this eagle was built without MPI. `comm` is a communicator of mpi4py; none means all ranks. What meets a
    communicator first is called by all of its ranks."""

    @property
    def built(self) -> bool:
        return _ranks.is_built()

    def world(self, comm: Any = None) -> tuple[int, int]:
        """(rank, size) of this process; (0, 1) outside a launcher."""
        return _ranks.world(comm)

    def local(self, whole: tuple[int, int, int], comm: Any = None) -> Partition:
        """This rank's part of a partition. ValueError unless that lies within its samples."""
        rank, size = self.world(comm)
        return Partition(*triple(whole)).part(size, rank)

    def allgather_fold(self, op: str, value: Any, comm: Any = None) -> Any:
        """Gathers one number a rank and folds them in rank order with :func:`fold`; collective.

        All ranks raise what one of them refuses, and where their ops (ValueError) or types (TypeError) differ."""
        return fold(op, _ranks.allgather(op, value, comm))


#: One CUDA device.
DeviceKernel = _Kernel("device_kernel")
#: A team of CPU threads.
HostTeam = _Team("host_team")
#: MPI ranks, each driving its part through an inner structure.
RankPartition = _Ranks("rank_partition")
#: A group of CUDA devices.
DeviceGroup = _Kernel("device_group")


def name_of(structure: Structure | str, option: str = "structure") -> str:
    """The name of a structure, which may be given by its name; `option` is what messages call it."""
    if isinstance(structure, Structure):
        return structure.name
    return text(option, structure)


def is_ranks(structure: Any) -> bool:
    """Whether RankPartition is given, or its name."""
    return isinstance(structure, Structure | str) and name_of(structure) == RankPartition.name


def check_placement(access: str, structure: Structure | str, npartitions: int = 1) -> None:
    """Raises ValueError, naming the rule, if a body of this access may not run under a structure over so many partitions.

    >>> from eagle.exec import DeviceKernel, check_placement
    >>> check_placement("cross_sample_write", DeviceKernel, 2)
    Traceback (most recent call last):
    eagle.errors.InvalidError: ...exec_access 'cross_sample_write' is legal on single-device structures only...
    """
    _core.check_access("", text("access", access), name_of(structure), integer("npartitions", npartitions))


def layout_sizes() -> list[int]:
    """The five sizes of this build's ABI in bytes: GRefMirror, ScalarHandle, IntHandle, index, PartitionTriple."""
    return list(_LAYOUT.values())


def check_layout_sizes(sizes: Mapping[str, int] | Sequence[int] | Iterable[int]) -> None:
    """Raises ValueError, naming the field, where sizes that an artifact exports differ from :func:`layout_sizes`: all five
    in order, or some by name. An index of 8 bytes is accepted too."""
    if isinstance(sizes, Mapping):
        given = dict(sizes)
        unknown = [name for name in given if name not in _LAYOUT]
        if unknown:
            raise make("bundle", f"layout sizes name the unknown field {unknown[0]!r}: {', '.join(_LAYOUT)} are known")
    else:
        if not isinstance(sizes, Iterable):
            raise make("type", f"layout sizes are {sizes!r}: five integers, or a mapping of them, are accepted")
        values = list(sizes)
        if len(values) != len(_LAYOUT):
            raise make("bundle", f"{len(values)} layout sizes are given: {len(_LAYOUT)} are due, {', '.join(_LAYOUT)}")
        given = dict(zip(_LAYOUT, values, strict=True))
    for name, size in given.items():
        accepted = (4, 8) if name == "index" else (_LAYOUT[name],)
        if size not in accepted:
            raise make("bundle", f"layout size of {name} is {size}: this eagle has {' or '.join(map(str, accepted))}")
