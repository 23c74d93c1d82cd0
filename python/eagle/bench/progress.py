# SPDX-License-Identifier: Apache-2.0
"""A bar of comparisons on a terminal: tqdm's where tqdm is installed, as the package has it for samples."""

from __future__ import annotations

import sys
from typing import Any

from .._progress import opened


class _Silent:
    def update(self, more: int) -> None: ...

    def close(self) -> None: ...


def bar(label: str, total: int) -> Any:
    """With update(more) and close(); silent where standard error is no terminal."""
    if not sys.stderr.isatty() or total == 0:
        return _Silent()
    return opened(label, total, unit=" benchmarks")


def say(line: str) -> None:
    """A line of its own, whatever bar is on the terminal."""
    print(("\r\x1b[K" if sys.stderr.isatty() else "") + line, file=sys.stderr, flush=True)
