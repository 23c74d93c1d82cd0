# SPDX-License-Identifier: Apache-2.0
"""Plans: which body runs where, in which parts, decided and checked before anything runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _core, _foreign, _nccl, _progress, _ranks
from ._options import flag, integer, integers, layouts, profile_path, refuse_foreign, stream_handle, text, triples
from .errors import make
from .exec import Structure, is_ranks, name_of

__all__ = ["BoundPlan", "Plan", "plan"]


class BoundPlan:
    """A plan whose planes are packed: launch it as often as wanted. Holds the arrays that it was given."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.Bound) -> None:
        self._core = core

    def launch(self, stream: Any = None) -> None:
        """Runs the body over the bound planes; allocates, copies and packs nothing. On a host it returns when the body has
        run; on a device the work is queued, and :meth:`result` waits for it.

        stream: where it is queued, instead of the plan's stream, given as to :func:`plan`. A host has none, and is refused
        one. It comes after earlier launches of this object, whatever their streams. What a launch on the plan's own stream
        reads and writes is in order with CUDA's legacy default stream.

        The GIL is released; a second thread that launches the same object at the same time is refused (ValueError). Ctrl-C
        stops it, with planes partly written."""
        self._core.launch(stream)

    def rebind(self, /, **planes: Any) -> BoundPlan:
        """Packs the given planes anew, one after the other, checked as by bind; where one is refused the old one stays. Waits
        for launches that a device has not ended yet, which use the old ones.

        ValueError, here and in the other methods, while another thread is inside a call of the same object."""
        self._core.rebind(planes)
        return self

    def result(self) -> Any:
        """What :meth:`Plan.run` gives, of the last launch, which it waits for without the GIL: made arrays are not copied, so a
        later launch writes them.

        ValueError where a value is folded and no launch has run to its end."""
        return self._core.result()

    @property
    def outputs(self) -> dict[str, Any]:
        """The arrays that launches write, by name; a folded value is an array of no dimension. On a device nothing waits:
        what takes a :class:`eagle.DeviceArray` is ordered after its last launch, and what the host shows (folded values, with
        staging all outputs) is that of the last :meth:`result`."""
        return self._core.outputs()

    def replicas(self, name: str) -> tuple[Any, ...]:
        """An output on each device of DeviceGroup, in its order: what the plan was given or made on one, and
        :class:`eagle.DeviceArray` objects of the same content on the others, until a plane is bound anew. Of other structures
        the output alone."""
        return self._core.replicas(text("name", name))

    @property
    def n_samples(self) -> int:
        """The number of samples."""
        return self._core.n_samples

    def __reduce__(self) -> Any:
        raise make("type", "bound plans do not pickle: load, plan and bind in the worker")

    def __repr__(self) -> str:
        return f"<eagle.plan.BoundPlan of {self.n_samples} samples>"


class Plan:
    """A decision made by :func:`plan`; printing it shows structure, partitions and the rule that allows them."""

    __slots__ = ("_core", "plugin")

    def __init__(self, core: _core.Plan, plugin: Any) -> None:
        self._core = core
        self.plugin = plugin

    def run(self, /, **planes: Any) -> Any:
        """Runs the body on planes by name and gives its outputs: one bare, several as a dict.

        A given array is written in place and comes back as the same object; a plane that was not given is made: (n,),
        (w, n), a matrix as (R*C, n). A mapreduce gives a scalar of the plane's dtype, with the same bits for any threads,
        partitions and structure. A mask or a count that was given is written in place alone, and is no output. An input in
        another layout is copied once, with a :class:`eagle.LayoutWarning`.

        On a device, planes are CUDA arrays (``__dlpack__``, ``__cuda_array_interface__``), used after what their producers
        have queued; what is made there is an :class:`eagle.DeviceArray`. With staging, host arrays are copied there and
        back, and where all are of the host the results are NumPy's. The run has ended when it returns.

        ValueError for a missing, unknown or misshapen plane, TypeError for another dtype or kind; nothing has run or been
        written then.

        >>> import numpy as np, eagle
        >>> from eagle.plan import plan
        >>> axpy = plan(eagle.load("build/bundles/axpy"), structure="host_team")
        >>> axpy.run(x=np.array([1.0, 2.0]), a=2.0, b=-1.0)
        array([1., 3.])
        """
        return self._core.run(planes)

    def bind(self, /, **planes: Any) -> BoundPlan:
        """Checks and packs the planes once. Outputs are bound as they lie, so they need samples that are contiguous.

        >>> import numpy as np, eagle
        >>> from eagle.plan import plan
        >>> x, y = np.ones(3), np.zeros(3)
        >>> bound = plan(eagle.load("build/bundles/axpy"), structure="host_team").bind(x=x, y=y, a=2.0, b=1.0)
        >>> bound.launch()
        >>> y
        array([3., 3., 3.])
        """
        return BoundPlan(self._core.bind(planes))

    def __reduce__(self) -> Any:
        raise make("type", "plans do not pickle: load and plan in the worker")

    def __repr__(self) -> str:
        return self._core.describe().rstrip("\n")


def plan(
    plugin: Any,
    *,
    structure: Structure | str,
    partitions: Iterable[tuple[int, int, int]] | None = None,
    npartitions: int = 1,
    n_samples: int | None = None,
    inner: Structure | str | None = None,
    exec_access: str | None = None,
    exec_op: str | None = None,
    combine: bool = True,
    precision: str = "working",
    gather: bool = True,
    comm: Any = None,
    threads: int | None = None,
    schedule: str = "static",
    tile: int | None = None,
    device: int | None = None,
    devices: Iterable[int] | None = None,
    stream: Any = None,
    block: int | None = None,
    staging: bool = False,
    layout: Mapping[str, str] | None = None,
    progress: bool = False,
    profile: str | os.PathLike[str] | bool | None = None,
    check_replicated: bool = False,
    _exec_access: str | None = None,
    _exec_op: str | None = None,
    _gather: bool | None = None,
) -> Plan:
    """Plans a plugin, or a bundle that holds exactly one.

    structure: where it runs, e.g. ``eagle.exec.HostTeam`` or ``"host_team"``; always given.
    partitions: triples (base, count, n_samples), contiguous from 0, covering all samples; or npartitions even parts.
    n_samples: the number of samples, where no plane says it.
    inner: what drives a rank's part, with RankPartition.
    exec_access: may only restrict the declared access; exec_op: must equal the declared op, or supply one.
    combine: False gives the plane of partials of a mapreduce; precision: "working" or "compensated" (sums of floats).
    threads, schedule ("static", "dynamic"), tile (samples, of a dynamic schedule): the team of HostTeam.
    layout: by plane name, "component" (samples last) or "sample" (samples first), where both could be meant.
    profile: a file that ``eagle tune`` has written, True for the one of this machine, False for none: fills in threads, schedule, tile and
    block where all of a structure's are left out. One that is stale or of another machine is ignored, with an
    :class:`eagle.ProfileWarning`. Never changes a result.
    progress: a bar on a terminal while it runs.
    gather, comm, check_replicated: of RankPartition; with comm= DeviceGroup too is one of ranks, with a device each.
    device: CUDA's ordinal, of DeviceKernel; the first, or on ranks the rank's place on its node.
    stream: a CUDA stream of that device, where its work is queued: a handle, or an object with ``__cuda_stream__``, ``ptr``
    (CuPy) or ``cuda_stream`` (PyTorch), which is kept; without one eagle's own, in order with the legacy default stream.
    block: threads a block, 1 to 1024; chosen from occupancy.
    staging: whether host arrays may be copied to the device and back.
    devices: CUDA's ordinals, of DeviceGroup; all, if not given. Its stream= is one of the first device.

    ValueError, naming the rule, for what the declaration forbids; only then RuntimeError, naming the switch, for a structure
    that this eagle was not built with.

    >>> import eagle
    >>> from eagle.plan import plan
    >>> plan(eagle.load("build/bundles/axpy"), structure=eagle.exec.HostTeam, npartitions=3, threads=2)
    plan of 'axpy'
      structure:  host_team(threads=2, schedule=static)
      partitions: 3 even parts
      rule:       ...
    """
    with _ranks.together(comm is not None or inner is not None or is_ranks(structure), comm):
        name = name_of(structure)
        inside = name_of(inner, "inner") if inner is not None else "host_team" if name == "rank_partition" else name
        chosen = _foreign.plugin_of(plugin, "device" if inside in ("device_kernel", "device_group") else "host")
        access, op = exec_access if _exec_access is None else _exec_access, exec_op if _exec_op is None else _exec_op
        sizes = {"threads": 0 if threads is None else integer("threads", threads, 2**31 - 1)}
        sizes |= {"block": 0 if block is None else integer("block", block, 2**31 - 1)}
        sizes |= {"tile": 0 if tile is None else integer("tile", tile)}
        way = text("schedule", schedule)
        options = _core.Options(
            structure=name,
            inner=None if inner is None else inside,
            partitions=None if partitions is None else triples(partitions),
            npartitions=integer("npartitions", npartitions),
            n_samples=None if n_samples is None else integer("n_samples", n_samples),
            exec_access=None if access is None else text("exec_access", access),
            exec_op=None if op is None else text("exec_op", op),
            combine=None if flag("combine", combine) else False,
            precision=None if text("precision", precision) == "working" else precision,
            layout=layouts(layout),
            check_replicated=flag("check_replicated", check_replicated),
            profile=profile_path(profile),
        )
        _core.check(chosen._core, options)
        gathers = flag("gather", gather if _gather is None else _gather)
        team = {"threads": threads, "tile": tile, "schedule": None if way == "static" else way}
        ranks = {"comm": comm, "check_replicated": check_replicated or None}
        grouped = name == "device_group" and comm is not None
        stages = flag("staging", staging)
        of_device = {"stream": stream, "block": block, "staging": stages or None}
        refuse_foreign(chosen.id, inside, ("host_team",), **team)
        refuse_foreign(chosen.id, name, ("rank_partition",), gather=None if gathers else False)
        refuse_foreign(chosen.id, name, ("rank_partition", "device_group"), **ranks)
        refuse_foreign(chosen.id, inside, ("device_kernel",), device=device)
        refuse_foreign(chosen.id, inside, ("device_group",), devices=devices)
        refuse_foreign(chosen.id, inside, ("device_kernel", "device_group"), **of_device)
        if grouped and devices is not None:
            raise make(
                "placement", f"plugin '{chosen.id}': devices={devices!r} is refused: with comm= each rank has one device"
            )
        if inside == "device_group":
            _nccl.find()
        shows = flag("progress", progress)
        driver = _core.structure(
            kind="device_kernel" if grouped else inside,
            schedule=way,
            device=None if device is None else integer("device", device, 2**31 - 1),
            devices=[] if devices is None else integers("devices", devices),
            stream=None if stream is None else stream_handle(stream),
            staging=stages,
            **sizes,
        )
        if name == "rank_partition":
            driver = _ranks.structure(driver, comm, gathers)
        if grouped:
            driver = _ranks.device_group(driver, _core.gatherer(), comm)
        if name == "rank_partition" or grouped:
            shows = shows and _ranks.world(comm)[0] == 0
        bar = _progress.bar(chosen.id) if shows else None
    return Plan(_core.plan(chosen._core, options, bar, driver, stream), chosen)
