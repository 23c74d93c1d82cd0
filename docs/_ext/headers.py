# SPDX-License-Identifier: Apache-2.0
"""The public headers, as CMake lists them."""

import re
from pathlib import Path

TOP = Path(__file__).parents[2]


def public_headers():
    """{"eagle/plan.hpp": its path}, of every header in a FILE_SET."""
    found = {}
    for folder in ("core", "backends"):
        text = (TOP / folder / "CMakeLists.txt").read_text()
        for listed in re.findall(r"FILE_SET HEADERS(?: BASE_DIRS \S+)? FILES([^)]*)\)", text):
            found |= {name: TOP / folder / name for name in listed.split()}
    return found
