# SPDX-License-Identifier: Apache-2.0
"""The door to eagle._mpi, which is there where eagle was built with MPI, and is only loaded when ranks are asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from ._options import text
from .errors import Error, make
from .reduction import fold


def is_built() -> bool:
    """Whether this eagle has the extension."""
    return find_spec("eagle._mpi") is not None


def _extension() -> ModuleType:
    try:
        from . import _mpi
    except ImportError as error:
        why = f"; it does not load: {error}" if is_built() else ""
        raise make(
            "not_built",
            "rank_partition was not built into this eagle (no wheel has it): build it in a checkout, with an MPI that CMake finds, "
            f"pip install -Ccmake.define.EAGLE_PYTHON_MPI=ON .{why}",
        ) from None
    return _mpi


def _running() -> ModuleType:
    """The extension, with MPI started inside a launcher."""
    extension = _extension()
    if extension.start():
        _end_all_on_exceptions(extension)
    return extension


def _end_all_on_exceptions(extension: ModuleType) -> None:
    """Has an exception that nothing catches end all ranks, which would wait for this one. For where eagle has started MPI."""
    shown, started_by = sys.excepthook, os.getpid()

    def show_and_end(*raised: Any) -> None:
        shown(*raised)
        if os.getpid() != started_by:  # a child that was forked off
            return
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        extension.end_all()

    sys.excepthook = show_and_end


def _handle(comm: Any) -> int | None:
    """The Fortran handle of a communicator of mpi4py, which has to be of the same MPI library."""
    if comm is None:
        return None
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or not isinstance(comm, mpi.Comm):
        raise make("type", f"comm is a {type(comm).__name__}: a communicator of mpi4py is accepted, e.g. MPI.COMM_WORLD")
    ours, theirs = _extension().library(), mpi.Get_library_version()
    if ours.split("\0")[0].strip() != theirs.split("\0")[0].strip():
        raise make(
            "unavailable",
            f"eagle was built with {ours.splitlines()[0]!r}, and mpi4py runs {theirs.splitlines()[0]!r}: their communicators do "
            "not mix; build one of them with the other's MPI",
        )
    return int(comm.py2f())


def world(comm: Any = None) -> tuple[int, int]:
    """(rank, size)."""
    handle = _handle(comm)
    rank, size = _running().world(handle)
    return int(rank), int(size)


def allgather(op: str, value: Any, comm: Any = None) -> np.ndarray:
    """One number of every rank, in rank order, for a fold by op: all refuse what one of them cannot fold or gives otherwise."""
    with together(True, comm):
        handle = _handle(comm)
        number = np.asarray(value)
        number = number.astype(number.dtype.newbyteorder("="))
        if number.ndim or number.dtype.kind not in "iuf":
            raise make("type", f"the value is {value!r}: one number is due")
        fold(text("op", op), number.reshape(1))
    record = np.dtype({"names": ["op", "type", "value"], "formats": ["S8", "S8", number.dtype], "itemsize": 24})
    mine = np.array((op, number.dtype.name, number), record)
    given = np.frombuffer(_running().allgather(mine.tobytes(), handle), record)
    _require_alike(given, "op", "argument")
    _require_alike(given, "type", "type")
    return given["value"]


def _require_alike(given: np.ndarray, field: str, code: str) -> None:
    [others] = np.nonzero(given[field] != given[field][0])
    if len(others):
        rank = others[0]
        found, first = (given[field][r].decode() for r in (rank, 0))
        raise make(
            code, f"rank {rank} of {len(given)}: the {field} is {found!r}, and {first!r} on rank 0: all ranks must give one"
        )


def structure(inner: Any, comm: Any, gather: bool) -> Any:
    """A structure over the ranks of a communicator, in a capsule."""
    handle = _handle(comm)
    return _running().structure(inner, handle, gather)


def device_group(inner: Any, gatherer: Any, comm: Any) -> Any:
    """The same of ranks with a device each."""
    handle = _handle(comm)
    return _running().device_group(inner, gatherer, handle)


@contextmanager
def together(collective: bool, comm: Any) -> Iterator[None]:
    """What a rank refuses inside, all ranks that come here refuse, naming the first; where that is this one and has an exception
    that is not eagle's, it keeps it. Nothing more where the call is no collective one."""
    try:
        yield
    except BaseException as error:
        if collective and is_built():
            _refuse(error, comm)
        raise


def _refuse(error: BaseException, comm: Any) -> None:
    try:
        handle = _handle(comm)
    except TypeError:
        handle = None  # what is no communicator is refused on all ranks
    if isinstance(error, Error):
        _running().refuse(error.code, str(error), handle)
        return
    with suppress(Error):
        _running().refuse("internal", f"{type(error).__name__}: {error}", handle)


def library_text() -> str:
    """The MPI library."""
    return str(_extension().text())
