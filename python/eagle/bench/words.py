# SPDX-License-Identifier: Apache-2.0
"""How themes, cases, numbers and units are written, in tables, pages and plots alike."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from .record import Record

#: Themes by the first word of a case, in the order in which they are shown. What has no row is "Other".
THEMES = {
    "Calls": ("run", "plan", "bind", "rebind", "launch"),
    "Maps": ("map", "uneven", "small"),
    "Folds": ("dot", "sum", "asum", "nrm", "max", "mapreduce", "fused", "compensated", "fold"),
    "Lookups": ("lookup",),
    "Scatters": ("scatter",),
    "Bundles": ("load", "check", "open"),
    "Other": (),
}
RANKS = "Ranks"
ORDER = (*(theme for theme in THEMES if theme != "Other"), RANKS, "Other")
CASES = {
    "run": "run(): check, pack and run",
    "plan": "plan()",
    "bind": "bind(): check and pack",
    "rebind": "rebind() of one plane",
    "launch": "launch() of what is bound",
    "map_axpy": "map y = a x + b",
    "map_saxpy": "map y = a x + y",
    "map_axpby": "map y = a x + b y",
    "map_newton_dynamic": "map of uneven work, dynamic schedule",
    "dot_plugin": "sum of x y, a plugin",
    "dot_lambda": "sum of x y, a C++ functor",
    "sum_lambda": "sum of x",
    "mapreduce_lambda": "mapreduce of a functor",
    "max_lambda": "max of x",
    "nrm2_lambda": "2-norm of x",
    "compensated_sum_lambda": "compensated sum of x",
    "asum_plugin": "sum of |x|, a plugin",
    "fused_root_dot_generic": "sum of sqrt(x) y, fused, for a generic CPU",
    "fused_root_dot_native": "sum of sqrt(x) y, fused, for this CPU",
    "lookup_gather": "lookup y = table[k]",
    "lookup_gather_random": "lookup y = table[k], k random",
    "lookup_gather_sequential": "lookup y = table[k], k in order",
    "scatter_histogram": "histogram of x",
    "check_bundle": "check a bundle",
    "load_bundle": "load a bundle",
    "load_and_open_bundle": "load a bundle and open its library",
    "gather_plane": "gather of a plane",
    "gather_rows": "gather of a plane of 3 rows",
}
_DIGITS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def theme(record: Record) -> str:
    if record.suite == "ranks":
        return RANKS
    first = re.split("[_0-9]", record.case, maxsplit=1)[0]
    return next((theme for theme, words in THEMES.items() if first in words), "Other")


def case(name: str) -> str:
    return CASES.get(name) or name


def heading(record: Record) -> str:
    """Of a case in tables and charts: "Python: map y = a x + b, float64"."""
    suite = {"python": "Python: ", "cpp": "C++: ", "ranks": ""}[record.suite]
    return suite + case(record.case) + (f", {record.dtype}" if record.dtype != "-" else "")


def seconds(value: float) -> str:
    """Three digits and a unit: 1.23 us."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= 0.9995 * size:
            return f"{three(value / size)} {unit}"
    return f"{three(value / 1e-9)} ns"


def three(value: float) -> str:
    """Three digits, without an exponent."""
    if value == 0:
        return "0"
    text = f"{value:.3g}"
    return f"{float(text):.0f}" if "e" in text else text + "0" * max(0, 3 - _digits(text)) if "." in text else _padded(text)


def _digits(text: str) -> int:
    return len(text.replace(".", "").lstrip("0"))


def _padded(text: str) -> str:
    missing = 3 - len(text)
    return text if missing <= 0 else text + "." + "0" * missing


def ratio(value: float) -> str:
    """Two digits behind the point below 10."""
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def count(value: int) -> str:
    """64, 10⁶, 3·10⁷, 2²⁰."""
    for base in (10, 2):
        power = 0
        while value and value % base ** (power + 1) == 0:
            power += 1
        rest = value // base**power if value else 0
        if power >= (3 if base == 10 else 10) and rest < 10:
            written = f"{base}{str(power).translate(_DIGITS)}"
            return written if rest == 1 else f"{rest}·{written}"
    return str(value)


def binary(value: float) -> str:
    """Bytes: 1 KiB, 15.3 MiB."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if value >= size:
            return f"{value / size:.3g} {unit}" if value < 1000 * size else f"{value / size:.0f} {unit}"
    return f"{value:.0f} B"


def counted(value: int, what: str) -> str:
    """1 thread, 2 threads."""
    return f"{value} {what}" if value == 1 else f"{value} {what}s"


def date(text: str) -> str:
    """2026-11-30T09:43:23+00:00 without its seconds; what is written otherwise stays."""
    try:
        return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M %Z").strip()
    except ValueError:
        return text


def machine(found: dict[str, Any]) -> str:
    return f"{found['cpu']}, {counted(found['cores'], 'core')}, {found['caches']}, {found['system']}"
