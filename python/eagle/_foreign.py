# SPDX-License-Identifier: Apache-2.0
"""Plugins that plan() takes: eagle's own, bundles of one, and loaded bodies of other packages that look like one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import _core
from .bundle import Plugin
from .errors import make

#: Roles whose box is that of a plane; a mutable's is where it is named a vector or matrix.
_PLANES = {"out", "vec_in", "mat_in"}


def plugin_of(given: Any) -> Plugin:
    """The plugin that was given, whatever it was given as."""
    if isinstance(given, Plugin):
        return given
    if isinstance(given, Mapping) and not hasattr(given, "arg_spec"):
        if len(given) != 1:
            raise make("argument", f"a bundle of {len(given)} plugins is given: choose one of {', '.join(map(repr, given))}")
        return plugin_of(next(iter(given.values())))
    if hasattr(given, "arg_spec") and hasattr(given, "exec_access"):
        return _adopt(given)
    raise make(
        "type",
        f"the plugin is a {type(given).__name__}: a plugin of eagle.load(), a bundle of one, or an object with arg_spec, "
        "exec_access and host_entry is accepted",
    )


def _adopt(given: Any) -> Plugin:
    kernel = str(getattr(given, "kernel", None) or getattr(given, "__name__", None) or "plugin")
    entry = getattr(given, "host_entry", None)
    if not isinstance(entry, int):
        found = "no host_entry" if entry is None else f"host_entry {entry!r}"
        raise make("placement", f"plugin '{kernel}' has {found}: the address of a loaded host entry is due, an int")
    _refuse_accumulation(given, kernel)
    tag = getattr(given, "abi_tag", None) or "aether-abi/2"
    scalar = getattr(given, "scalar_type", None) or "float64"
    core = _core.given_plugin(
        id=kernel,
        kernel=kernel,
        scalar_type=scalar,
        access=given.exec_access or "sample_local",
        op=getattr(given, "exec_op", None) or None,
        v1=tag == "aether-abi/1",
        arguments=[_argument(given, kernel, role, name, scalar) for role, name in given.arg_spec],
        host_entry=entry,
        keep=given,
    )
    return Plugin(core)


def _refuse_accumulation(given: Any, kernel: str) -> None:
    """Bodies that add into planes in ways that only their own launcher can make good: they would write out of bounds here."""
    for key in ("cells", "companions", "stages"):
        if getattr(given, key, None):
            raise make("unsupported", f"plugin '{kernel}': {key} asks for what this eagle does not do: rebuild it without")
    for role, name in given.arg_spec:
        if role == "accum_out" and given.exec_access not in ("cross_sample_write", "mapreduce"):
            raise make(
                "bundle",
                f"plugin '{kernel}': argument '{name}' (accum_out) needs exec_access cross_sample_write or mapreduce, and "
                f"{given.exec_access!r} is declared",
            )


def _argument(given: Any, kernel: str, role: str, name: str, scalar: str) -> tuple[Any, ...]:
    """(name, role, dtype, width, shape, is_plane), from the attributes that objects of this kind may have."""
    widths = getattr(given, "arg_widths", None) or {}
    shape = (getattr(given, "mat_shapes", None) or {}).get(name)
    vector = name in (getattr(given, "vec_mutables", None) or ())
    matrix = name in (getattr(given, "mat_mutables", None) or ())
    plane = role in _PLANES or vector or matrix
    width = int(widths.get(name) or 0)
    if shape is not None:
        shape = tuple(int(extent) for extent in shape)
        width = shape[0] * shape[1]
    elif width == 0 and role not in ("vec_in", "mat_in", "lookup", "wide_in", "wide_out"):
        if plane:
            raise make("bundle", f"plugin '{kernel}': argument '{name}' has no width: arg_widths or mat_shapes must say it")
        width = 1
    return name, role, _dtype(given, role, name, scalar), width, shape, plane


def _dtype(given: Any, role: str, name: str, scalar: str) -> str:
    dtype = (getattr(given, "arg_dtypes", None) or {}).get(name)
    if dtype is not None:
        return str(dtype)
    if role == "terminated":
        return "bool"
    if role == "nsamples":
        return "uint32"
    if role == "lookup" and name == "finished_count":
        return "uint32"
    if role == "uniform":
        for param in getattr(given, "params", None) or ():
            if _field(param, "name") == name and _field(param, "dtype") in ("int", "int64"):
                return "int64"
    return scalar


def _field(param: Any, key: str) -> Any:
    if isinstance(param, str):
        return param if key == "name" else None
    return param.get(key) if isinstance(param, Mapping) else getattr(param, key, None)
