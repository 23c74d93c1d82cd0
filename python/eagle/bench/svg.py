# SPDX-License-Identifier: Apache-2.0
"""A figure of matplotlib as SVG inside a page: text as text in the page's font, colours as its CSS variables."""

from __future__ import annotations

import io
import re
from html import escape
from typing import Any

#: Colours that stand for variables until the SVG is written.
INK, FAINT = "#010203", "#010204"
SERIES = [f"#0102{10 + k:02x}" for k in range(8)]
_VARIABLES = {INK: "var(--ink)", FAINT: "var(--faint)"} | {colour: f"var(--c{k})" for k, colour in enumerate(SERIES)}


def inline(figure: Any, name: str, title: str, description: str) -> str:
    """name: unique in the page, in front of every id."""
    written = io.StringIO()
    figure.savefig(written, format="svg", transparent=True, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    text = written.getvalue()
    head = re.search(r'<svg [^>]*viewBox="([^"]*)"[^>]*>', text)
    assert head is not None
    body = text[head.end() :].rpartition("</svg>")[0]
    body = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", body, flags=re.S)
    body = re.sub(r"<[^>]*>", lambda tag: _adapted(tag[0], name), body)
    body = re.sub(r"\s*\n\s*", "\n", body)
    return (
        f'<svg role="img" viewBox="{head[1]}" aria-labelledby="{name}-title {name}-desc">\n'
        f'<title id="{name}-title">{escape(title)}</title>\n<desc id="{name}-desc">{escape(description)}</desc>{body}</svg>'
    )


def _adapted(tag: str, name: str) -> str:
    for pattern, put in (
        (r"font-family:[^;\"]*;? ?", ""),
        (r'\b(id="|url\(#|href="#)', rf"\g<1>{name}-"),
        (r"xlink:href", "href"),
        (r"#0102[0-9a-f]{2}", lambda found: _VARIABLES[found[0]]),
    ):
        tag = re.sub(pattern, put, tag)
    return tag
