# SPDX-License-Identifier: Apache-2.0
"""Where a compiled per-sample body runs, in which cuts, with the same bits.

    bundle = eagle.load("bundles/axpy")
    plan = eagle.plan.plan(bundle, structure=eagle.exec.HostTeam)
    y = plan.run(x=x, a=2.0, b=-1.0)

Importing starts no Kokkos, MPI or CUDA and leaves threads alone.
"""

from . import _core, _ranks, abi, errors, exec, plan, reduction
from ._core import DeviceArray
from .bundle import Argument, Bundle, Plugin, check, load
from .errors import Error, LayoutWarning, ProfileWarning
from .registry import load_manifest

__all__ = [
    "Argument",
    "Bundle",
    "DeviceArray",
    "Error",
    "LayoutWarning",
    "ProfileWarning",
    "Plugin",
    "abi",
    "check",
    "errors",
    "exec",
    "load",
    "load_manifest",
    "plan",
    "reduction",
    "show_config",
]
__version__: str = _core.version


def show_config() -> None:
    """Prints the version, the structures that this eagle has, with the CUDA devices or why there are none, and how to build the
    others. Starts nothing on a device."""
    print(f"eagle {__version__}")
    for name, built, detail in _core.structures():
        if name == "rank_partition" and _ranks.is_built():
            built, detail = True, _ranks.library_text()
        if name == "device_kernel" and built:
            detail = _devices_text()
        print(f"  {name:<15} {'built' if built else 'not built'}: {detail}")


def _devices_text() -> str:
    try:
        return _core.devices()
    except Error as error:
        return str(error)
