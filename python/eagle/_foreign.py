# SPDX-License-Identifier: Apache-2.0
"""Plugins that plan() takes: eagle's own, bundles of one, and loaded bodies of other packages that look like one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import _core
from ._declared import Declared
from .bundle import Plugin
from .errors import make

#: Roles whose box is that of a plane; a mutable's is where it is named a vector or matrix.
_PLANES = {"out", "vec_in", "mat_in"}


def plugin_of(given: Any, target: str) -> Plugin:
    """The plugin that was given, whatever it was given as; of a loaded body, its entry for the target, "host" or "device"."""
    if isinstance(given, Plugin):
        return given
    if isinstance(given, Mapping) and not hasattr(given, "arg_spec"):
        if len(given) != 1:
            choice = f"choose one of {', '.join(map(repr, given))}" if given else "a plugin, or a bundle of one, is accepted"
            raise make("argument", f"a bundle of {len(given)} plugins is given: {choice}")
        return plugin_of(next(iter(given.values())), target)
    if hasattr(given, "arg_spec") and hasattr(given, "exec_access"):
        return _adopt(given, target)
    raise make(
        "type",
        f"the plugin is a {type(given).__name__}: a plugin of eagle.load(), a bundle of one, or an object with arg_spec, "
        "exec_access and host_entry or device_function is accepted",
    )


def _adopt(given: Any, target: str) -> Plugin:
    body = Declared(given, target)
    _refuse_accumulation(given, body)
    core = _core.given_plugin(
        id=body.kernel,
        kernel=body.kernel,
        scalar_type=body.scalar,
        access=body.access,
        op=body.op,
        v1=body.v1,
        arguments=[_argument(body, role, name) for role, name in body.arg_spec],
        target=body.target,
        entry=body.entry,
        keep=given,
    )
    return Plugin(core)


def _refuse_accumulation(given: Any, body: Declared) -> None:
    """Bodies that add into planes in ways that only their own launcher can make good: they would write out of bounds here."""
    for key in ("cells", "companions", "stages"):
        if getattr(given, key, None):
            raise body.refusal("unsupported", f"{key} asks for what this eagle does not do: rebuild it without")
    for role, name in body.arg_spec:
        if role == "accum_out" and body.access not in ("cross_sample_write", "mapreduce"):
            raise body.refusal(
                "bundle",
                f"argument '{name}' (accum_out) needs exec_access cross_sample_write or mapreduce, and {body.access!r} is "
                "declared",
            )


def _argument(body: Declared, role: str, name: str) -> tuple[Any, ...]:
    """(name, role, dtype, width, shape, is_plane)."""
    shape = body.shapes.get(name)
    plane = role in _PLANES or name in body.vectors or name in body.matrices
    width = body.widths.get(name, 0)
    if shape is not None:
        width = shape[0] * shape[1]
    elif width == 0 and role not in ("vec_in", "mat_in", "lookup", "wide_in", "wide_out"):
        if plane:
            raise body.refusal("bundle", f"argument '{name}' has no width: arg_widths or mat_shapes must say it")
        width = 1
    return name, role, _dtype(body, role, name), width, shape, plane


def _dtype(body: Declared, role: str, name: str) -> str:
    dtype = body.dtypes.get(name)
    if dtype is not None:
        return dtype
    if role == "terminated":
        return "bool"
    if role == "nsamples" or (role == "lookup" and name == "finished_count"):
        return "uint32"
    if role == "uniform":
        for param in body.params:
            if _field(param, "name") == name and _field(param, "dtype") in ("int", "int64"):
                return "int64"
    return body.scalar


def _field(param: Any, key: str) -> Any:
    if isinstance(param, str):
        return param if key == "name" else None
    return param.get(key) if isinstance(param, Mapping) else getattr(param, key, None)
