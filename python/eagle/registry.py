# SPDX-License-Identifier: Apache-2.0
"""Bundles by their manifest."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from . import _core
from .bundle import Bundle, load
from .errors import InvalidError

__all__ = ["UnknownPatternError", "load_manifest"]


class UnknownPatternError(InvalidError, KeyError):
    """A manifest whose pattern is missing or unknown (also a KeyError)."""

    code = "bundle"
    __str__ = ValueError.__str__


def load_manifest(path: str | PathLike[str]) -> Bundle:
    """The plugins of a manifest by id, as :func:`eagle.load` gives them; `path` is the manifest or its folder.

    ValueError with every finding, UnknownPatternError where one is about the pattern; FileNotFoundError where there is none.

    >>> from eagle.registry import load_manifest
    >>> list(load_manifest(bundles / "axpy" / "manifest.json"))
    ['axpy']
    """
    file = Path(path, "manifest.json") if Path(path).is_dir() else Path(path)
    found = _core.validate_manifest(file)
    if any(each["pointer"].endswith("#/pattern") for each in found):
        raise UnknownPatternError("\n".join(f"{file}: {each['message']}" for each in found))
    return load(path)
