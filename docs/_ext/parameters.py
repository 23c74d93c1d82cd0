# SPDX-License-Identifier: Apache-2.0
"""Docstrings say "name, name: what it is", a line each, which help() shows as it is; on a page each is an item of a list."""

import inspect
import re


def list_parameters(app, what, name, obj, options, lines):
    try:
        names = "|".join(inspect.signature(obj).parameters)
    except (TypeError, ValueError):
        return
    begins = re.compile(rf"((?:{names})(?:, \w+)*)\b(.*: .*)") if names else None
    text, inside = [], False
    for line in lines:
        if begins and (found := begins.fullmatch(line)):
            text += [""] * (not inside) + [f"- **{found[1]}**{found[2]}"]
            inside = True
        else:
            inside = inside and bool(line)
            text.append(f"  {line}" if inside else line)
    lines[:] = text


def setup(app):
    app.connect("autodoc-process-docstring", list_parameters)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
