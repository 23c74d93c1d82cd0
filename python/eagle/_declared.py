# SPDX-License-Identifier: Apache-2.0
"""What a loaded body of another package says of itself, each attribute read once and checked to be of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._given import is_text, pairs_of
from .errors import Error, make

_DTYPES = ("float64", "float32", "int64", "int32", "uint64", "uint32", "bool")
_TAGS = ("aether-abi/1", "aether-abi/2")
_MOST_WIDTH = 2**31 - 1
#: By target, the attribute that holds what is launched, and what that is.
_ENTRIES = {
    "host": ("host_entry", "the address of a loaded host entry"),
    "device": ("device_function", "the CUfunction of a loaded kernel"),
}


class Declared:
    """The attributes, with defaults for those that are absent. Of a body that was loaded for one target alone, `target` is that
    one whatever is asked for, and placement refuses it."""

    def __init__(self, given: Any, target: str) -> None:
        self._given = given
        others = [each for each in _ENTRIES if each != target and self._get(_ENTRIES[each][0]) is not None]
        self.target = others[0] if others and self._get(_ENTRIES[target][0]) is None else target
        kernel = str(self._get("kernel") or self._get("__name__") or "plugin")
        self.kernel = kernel if kernel.isprintable() and len(kernel) <= 1024 else f"{kernel!a:.80}"
        self.entry = self._entry(*_ENTRIES[self.target])
        self.arg_spec = self._arg_spec()
        self.access = self._text("exec_access") or "sample_local"
        self.op = self._text("exec_op")
        self.scalar = self._text("scalar_type", _DTYPES[:-1]) or "float64"
        self.v1 = self._text("abi_tag", _TAGS) == _TAGS[0]
        self.widths = {name: self._width(name, width) for name, width in self._mapping("arg_widths").items()}
        self.shapes = {name: self._shape(name, shape) for name, shape in self._mapping("mat_shapes").items()}
        self.dtypes = {
            name: self._word(f"arg_dtypes[{name!r}]", word, _DTYPES) for name, word in self._mapping("arg_dtypes").items()
        }
        self.params = self._items("params")
        self.vectors = self._names("vec_mutables")
        self.matrices = self._names("mat_mutables")

    def refusal(self, code: str, text: str) -> Error:
        return make(code, f"plugin '{self.kernel}': {text}")

    def _get(self, key: str) -> Any:
        return getattr(self._given, key, None)

    def _entry(self, key: str, due: str) -> int:
        entry = self._get(key)
        if not isinstance(entry, int) or isinstance(entry, bool) or not 0 < entry < 2**64:
            raise self.refusal("placement", f"{key} is {entry!r:.80}: {due} is due, an int of 1 to 2**64 - 1")
        return entry

    def _arg_spec(self) -> list[tuple[str, str]]:
        pairs = pairs_of(self._get("arg_spec"), f"plugin '{self.kernel}': arg_spec")
        names = [name for _, name in pairs]
        for name in names:
            if not name or names.count(name) > 1:
                raise self.refusal(
                    "bundle", f"arg_spec has the name {name!r} {names.count(name)} times: names of their own are due"
                )
        return pairs

    def _text(self, key: str, accepted: tuple[str, ...] = ()) -> str | None:
        value = self._get(key)
        return None if value is None or value == "" else self._word(key, value, accepted)

    def _word(self, what: str, value: Any, accepted: tuple[str, ...]) -> str:
        words = ", ".join(accepted) or "a str"
        if not is_text(value):
            raise self.refusal("type", f"{what} is {value!r:.80}: {words} is accepted")
        if accepted and value not in accepted:
            raise self.refusal("type" if accepted is not _TAGS else "bundle", f"{what} is {value!r:.80}: {words} is accepted")
        return value

    def _mapping(self, key: str) -> Mapping[Any, Any]:
        value = self._get(key)
        if not isinstance(value, Mapping | None):
            raise self.refusal("type", f"{key} is {value!r:.80}: a mapping from the names of arguments is accepted")
        return value or {}

    def _width(self, name: str, width: Any) -> int:
        unknown = width is None or (isinstance(width, int | np.integer) and width == 0)
        return 0 if unknown else self._count(f"arg_widths[{name!r}]", width)

    def _shape(self, name: str, shape: Any) -> tuple[int, int]:
        what = f"mat_shapes[{name!r}]"
        if not isinstance(shape, tuple | list) or len(shape) != 2:
            raise self.refusal("type", f"{what} is {shape!r:.80}: two integers, (rows, columns), are accepted")
        rows, columns = (self._count(what, extent) for extent in shape)
        self._count(f"the product of {what}", rows * columns)
        return rows, columns

    def _count(self, what: str, value: Any) -> int:
        if not isinstance(value, int | np.integer) or isinstance(value, bool):
            raise self.refusal("type", f"{what} is {value!r:.80}: an integer of at least 1 is accepted")
        if not 1 <= value <= _MOST_WIDTH:
            raise self.refusal("bundle", f"{what} is {value!r:.80}: an integer of 1 to {_MOST_WIDTH} is accepted")
        return int(value)

    def _items(self, key: str) -> list[Any]:
        value = self._get(key)
        if value is None:
            return []
        if isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
            raise self.refusal("type", f"{key} is {value!r:.80}: a list is accepted")
        return list(value)

    def _names(self, key: str) -> frozenset[str]:
        names = self._items(key)
        for name in names:
            self._word(f"a name in {key}", name, ())
        return frozenset(names)
