# SPDX-License-Identifier: Apache-2.0
"""Bundles by their manifest."""

from __future__ import annotations

from pathlib import Path

from . import _core
from ._given import StrOrBytesPath, path_of
from .bundle import Bundle, load
from .errors import InvalidError

__all__ = ["UnknownPatternError", "load_manifest"]


class UnknownPatternError(InvalidError, KeyError):
    """A manifest whose pattern is missing or unknown (also a KeyError)."""

    code = "bundle"
    __str__ = ValueError.__str__


def load_manifest(path: StrOrBytesPath) -> Bundle:
    """The plugins of a manifest by id, as :func:`eagle.load` gives them; `path` is the manifest or its folder.

    ValueError with every finding, UnknownPatternError where one is about the pattern; FileNotFoundError where there is none.

    >>> from eagle.registry import load_manifest
    >>> list(load_manifest("build/bundles/axpy/manifest.json"))
    ['axpy']
    """
    file = Path(path_of(path))
    if file.is_dir():
        file /= "manifest.json"
    found = _core.validate_manifest(file)
    if any(each["pointer"].endswith("#/pattern") for each in found):
        raise UnknownPatternError("\n".join(f"{file}: {each['message']}" for each in found))
    return load(path)
