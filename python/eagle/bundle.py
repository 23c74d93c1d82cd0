# SPDX-License-Identifier: Apache-2.0
"""Bundles: what is on disk, checked before anything of it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from . import _core
from ._core import Plugin as _Compiled
from ._given import StrOrBytesPath, path_of
from .errors import make


class Argument(NamedTuple):
    """One argument of a body."""

    name: str
    role: str
    dtype: str
    #: Components a sample: 1 of a scalar, w of a vector, R * C of a matrix; 0 where only a run tells (tables, wide planes).
    width: int
    #: (R, C) of a matrix.
    shape: tuple[int, int] | None
    #: What a mutable that is not given starts from.
    default: int | float | None


class Plugin:
    """One compiled body with its declaration. Immutable; safe from several threads. Nothing of the artifact runs before the
    first bind or run. Equal only to itself; a pickle holds the path of the manifest, and is loaded anew from there.

    Attributes: ``id``, ``kernel``, ``pattern``, ``aether_abi``, ``schema_version``, ``scalar_type``, ``format``,
    ``exec_targets``, ``exec_access``, ``exec_op``, and the paths ``manifest``, ``sidecar``, ``artifact`` and
    ``host_artifact``.
    """

    id: str
    kernel: str
    pattern: str
    aether_abi: str
    schema_version: int
    scalar_type: str
    format: str
    exec_targets: tuple[str, ...]
    exec_access: str
    exec_op: str | None
    manifest: Path | None
    sidecar: Path | None
    artifact: Path | None
    host_artifact: Path | None
    #: In arg_spec order.
    arguments: tuple[Argument, ...]
    _core: _Compiled
    _required: str | None

    def __init__(self, core: _Compiled, required: str | None = None) -> None:
        arguments = tuple(Argument(*each) for each in core.arguments())
        self.__dict__.update(core.describe(), _core=core, arguments=arguments, _required=required)

    def __setattr__(self, name: str, value: object = None) -> NoReturn:
        raise AttributeError(f"plugin '{self.id}' is immutable: {name} is neither set nor deleted")

    __delattr__ = __setattr__

    @property
    def arg_spec(self) -> list[tuple[str, str]]:
        """[(role, name)], in the order of the body's boxes."""
        return [(each.role, each.name) for each in self.arguments]

    def digest(self) -> str:
        """SHA-256 of the list of the SHA-256 (hexadecimal, a line each) of manifest, sidecar, artifact and, of two targets, host
        library, as they were checked."""
        return self._core.digest()

    def __copy__(self) -> Plugin:
        return self

    def __deepcopy__(self, memo: object) -> Plugin:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if self.manifest is None:
            raise make("type", f"plugin '{self.id}' comes from no bundle and does not pickle: load and plan in the worker")
        return _loaded, (str(self.manifest), self.id, self._required)

    def __repr__(self) -> str:
        return self._core.text().rstrip("\n")


def _loaded(manifest: str, id: str, digest: str | None = None) -> Plugin:
    return load(manifest, digest=digest)[id]


class Bundle(Mapping[str, Plugin]):
    """The plugins of a bundle by id, in the order that the manifest gives them. Pickles as its plugins do."""

    def __init__(self, plugins: list[Plugin]) -> None:
        self._plugins = {each.id: each for each in plugins}

    def digest(self) -> str:
        """SHA-256 of the list of the SHA-256 (hexadecimal, a line each) of the manifest and of each plugin's sidecar and
        artifacts, as they were checked; of a bundle of one plugin the same as :meth:`Plugin.digest`.
        ValueError of a bundle that enables none."""
        return _core.digest([each._core for each in self.values()])

    def __reduce__(self) -> tuple[Any, ...]:
        return Bundle, (list(self.values()),)

    def __getitem__(self, id: str) -> Plugin:
        return self._plugins[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._plugins)

    def __len__(self) -> int:
        return len(self._plugins)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._plugins.values())) or "a bundle without plugins"


def _digest_of(given: Any) -> str:
    if given is None:
        return ""
    if not isinstance(given, str):
        raise make(
            "type", f"digest is a {type(given).__name__}: a str of 64 hexadecimal digits, as Bundle.digest() gives, is accepted"
        )
    if not given or not given.isascii():
        raise make("argument", f"digest is {given!r:.80}: 64 hexadecimal digits, as Bundle.digest() gives, are accepted")
    return given


def load(path: StrOrBytesPath, *, digest: str | None = None) -> Bundle:
    """Reads a bundle folder or its manifest.json and gives its plugins by id. With ``digest``, the bundle must have that one
    (:meth:`Bundle.digest`), and what runs is a copy of just those bytes, even where the files change later.

    ValueError with every finding where :func:`check` has any, and for another digest; FileNotFoundError where there is none.

    >>> import eagle
    >>> bundle = eagle.load("build/bundles/axpy")
    >>> bundle["axpy"].exec_access
    'sample_local'
    """
    return Bundle([Plugin(each, digest) for each in _core.load(path_of(path), _digest_of(digest))])


def check(path: StrOrBytesPath) -> list[dict[str, Any]]:
    """Everything that is wrong with a bundle, found without running it: ``code``, ``plugin``, ``pointer`` and ``message`` of
    each finding; none means that :func:`load` accepts it.

    >>> import eagle
    >>> eagle.check("build/bundles/axpy")
    []
    """
    return _core.check_bundle(path_of(path))
