# SPDX-License-Identifier: Apache-2.0
"""Where NCCL may lie beside the running Python."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from . import _core


def find() -> None:
    """Names the NCCL of NVIDIA's Python packages (nvidia-nccl-cu12, -cu13), for where the loader finds no libnccl.so.2."""
    try:
        spec = find_spec("nvidia.nccl")
    except ImportError:
        return
    for folder in (spec and spec.submodule_search_locations) or ():
        file = Path(folder) / "lib" / "libnccl.so.2"
        if file.is_file():
            _core.look_for_nccl_at(str(file))
