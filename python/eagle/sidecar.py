# SPDX-License-Identifier: Apache-2.0
"""Sidecars on their own, read by the same reader as :func:`eagle.load`, which runs nothing either."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from . import _core
from ._given import StrOrBytesPath, path_of
from .errors import make

__all__ = ["validate_sidecar"]


def validate_sidecar(meta: Mapping[str, Any] | StrOrBytesPath, *, name: str = "") -> Any:
    """Raises ValueError with everything that is wrong with a sidecar, given as a mapping or as its file; gives the mapping.

    A valid sidecar may still not be launchable (a neural_block, one without aether_abi): that is for ``load`` to say.
    `name` is what messages call it. FileNotFoundError where there is no such file.

    >>> from eagle.sidecar import validate_sidecar
    >>> validate_sidecar({"kernel": "axpy", "arg_spec": [], "pattern": "quantum"}, name="axpy.json")
    Traceback (most recent call last):
    eagle.errors.InvalidError: axpy.json: unknown sidecar pattern 'quantum' (expected one of ...)
    """
    if isinstance(meta, Mapping):
        refuse(name or str(meta.get("kernel") or "sidecar"), findings(meta, _core.validate_sidecar))
        return meta
    path = Path(path_of(meta))
    refuse(name or path.name, _core.validate_sidecar(path))
    return json.loads(path.read_bytes())


def findings(meta: Mapping[str, Any], validate: Callable[[Path], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """What a reader of files finds in a mapping. TypeError where it holds what JSON does not have."""
    try:
        text = json.dumps(dict(meta))
    except (TypeError, ValueError) as error:
        raise make("type", f"the document holds what JSON has not: {error}") from error
    for key in _keys(meta):
        if not isinstance(key, str):
            raise make("type", f"the document has the key {key!r:.80}: every key must be a str")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "document.json")
        file.write_text(text, encoding="utf-8")
        return validate(file)


def _keys(value: Any) -> Iterator[Any]:
    """The keys of all mappings in a document."""
    if isinstance(value, Mapping):
        yield from value
    for each in value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ():
        yield from _keys(each)


def refuse(name: str, found: Iterable[dict[str, Any]]) -> None:
    """ValueError with all messages, if there are any."""
    messages = [f"{name}: {each['message']}" for each in found]
    if messages:
        raise make("bundle", "\n".join(messages))
