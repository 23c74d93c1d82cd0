# SPDX-License-Identifier: Apache-2.0
"""A bar on a terminal while a plan runs."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any


def bar(label: str) -> Callable[[int, int], None] | None:
    """What to call with (done, total); None where standard error is no terminal. tqdm's bar, where tqdm is installed.

    Each thread has a bar of its own. A run that fails says nothing, so what it showed is closed when the next one is seen.
    """
    if not sys.stderr.isatty():
        return None
    mine = threading.local()

    def show(done: int, total: int) -> None:
        shown = mine.__dict__.pop("shown", None)
        if shown is not None and (done < shown.n or total != shown.total):
            shown.close()
            shown = None
        if shown is None and total > 0:
            shown = opened(label, total, unit=" samples", unit_scale=True)
        if shown is None:
            return
        shown.update(done - shown.n)
        if done < total:
            mine.shown = shown
        else:
            shown.close()

    return show


def opened(label: str, total: int, **words: Any) -> Any:
    """A bar with update(more) and close(); `words` are tqdm's own."""
    try:
        from tqdm import tqdm  # type: ignore[import-untyped]
    except ImportError:
        return _Plain(label, total)
    return tqdm(total=total, desc=label, **words)


class _Plain:
    """As much of tqdm's bar as is used here."""

    def __init__(self, label: str, total: int) -> None:
        self._label, self.n, self.total = label, 0, total

    def update(self, more: int) -> None:
        self.n += more
        print(f"\r{self._label}: {100 * self.n // self.total:3d} %", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        print(file=sys.stderr, flush=True)
