# SPDX-License-Identifier: Apache-2.0
"""The door to eagle._mpi, which is there where eagle was built with MPI, and is only loaded when ranks are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from .errors import make


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
            "rank_partition was not built into this eagle: build it with an MPI that CMake finds, "
            f"pip install -Ccmake.define.EAGLE_PYTHON_MPI=ON .{why}",
        ) from None
    return _mpi


def _handle(comm: Any) -> int | None:
    """The Fortran handle of a communicator of mpi4py, which has to be of the same MPI library."""
    if comm is None:
        return None
    if not hasattr(comm, "py2f"):
        raise make("type", f"comm is a {type(comm).__name__}: a communicator of mpi4py is accepted, e.g. MPI.COMM_WORLD")
    from mpi4py import MPI  # the caller has it

    ours, theirs = _extension().library(), MPI.Get_library_version()
    if ours.split("\0")[0].strip() != theirs.split("\0")[0].strip():
        raise make(
            "unavailable",
            f"eagle was built with {ours.splitlines()[0]!r}, and mpi4py runs {theirs.splitlines()[0]!r}: their communicators do "
            "not mix; build one of them with the other's MPI",
        )
    return int(comm.py2f())


def world(comm: Any = None) -> tuple[int, int]:
    """(rank, size)."""
    rank, size = _extension().world(_handle(comm))
    return int(rank), int(size)


def allgather(value: Any, comm: Any = None) -> np.ndarray:
    """One number of every rank, in rank order."""
    number = np.asarray(value)
    if number.ndim or number.dtype.kind not in "iuf":
        raise make("type", f"the value is {value!r}: one number is due")
    return np.frombuffer(_extension().allgather(number.tobytes(), _handle(comm)), number.dtype)


def structure(inner: Any, comm: Any, gather: bool) -> Any:
    """A structure over the ranks of a communicator, in a capsule."""
    return _extension().structure(inner, _handle(comm), gather)


@contextmanager
def together(structure: str, comm: Any) -> Iterator[None]:
    """What a rank refuses inside, all ranks that plan refuse, naming the first; nothing more on other structures."""
    try:
        yield
    except Exception as error:
        if structure == "rank_partition" and is_built():
            _extension().refuse(getattr(error, "code", "internal"), str(error), _handle(comm))
        raise


def text() -> str:
    """The MPI library, and what a launcher gave."""
    return str(_extension().text())
