# SPDX-License-Identifier: Apache-2.0
"""A bar on a terminal while a plan runs."""

from __future__ import annotations

import sys
from collections.abc import Callable


def bar(label: str) -> Callable[[int, int], None] | None:
    """What to call with (done, total); None where standard error is no terminal. tqdm's bar, where tqdm is installed."""
    if not sys.stderr.isatty():
        return None
    try:
        from tqdm import tqdm  # type: ignore[import-untyped]
    except ImportError:
        return _plain(label)
    shown: list[tqdm] = []

    def show(done: int, total: int) -> None:
        if not shown:
            shown.append(tqdm(total=total, desc=label, unit=" samples", unit_scale=True))
        shown[0].update(done - shown[0].n)
        if done >= total:
            shown.pop().close()

    return show


def _plain(label: str) -> Callable[[int, int], None]:
    def show(done: int, total: int) -> None:
        percent = 100 * done // total if total else 100
        print(f"\r{label}: {percent:3d} %", end="\n" if done >= total else "", file=sys.stderr, flush=True)

    return show
