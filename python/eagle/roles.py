# SPDX-License-Identifier: Apache-2.0
"""The words of manifests and sidecars: roles, formats, patterns, schema versions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from . import _core
from ._given import pairs_of
from .errors import make
from .sidecar import findings, refuse

SCHEMA_VERSION = 1  # of a document that names none
MAX_SCHEMA_VERSION = 3
PARAMS_SCHEMA = 2

PER_SAMPLE_ROLES = frozenset({"mutable", "out", "vec_in", "mat_in", "per_sample", "terminated"})
INPUT_ROLES = frozenset({"vec_in", "mat_in", "wide_in", "per_sample", "lookup", "terminated"})
OUTPUT_ROLES = frozenset({"mutable", "out", "wide_out", "accum_out"})
STATE_ROLES = frozenset({"mutable", "wide_out", "accum_out"})
ROLES = INPUT_ROLES | OUTPUT_ROLES | {"uniform", "nsamples"}

MANIFEST_FORMATS = frozenset({"ptx", "cubin", "fatbin", "host"})
RECOGNIZED_PATTERNS = frozenset({"vector", "pure", "neural_block"})
LAUNCH_CERTIFIED_PATTERNS = frozenset({"vector", "pure"})
BUFFER_KINDS = frozenset({"lookup"})
EXEC_REF_KINDS = frozenset({"kernel"})
SCATTER_POLICIES = frozenset({"unique_write", "accumulate"})

#: What a role's box is, where that does not hang on the argument.
_TAGS = {
    "out": "GREF_VEC",
    "vec_in": "GREF_VEC",
    "mat_in": "GREF_MAT",
    "per_sample": "HANDLE",
    "lookup": "HANDLE",
    "terminated": "HANDLE",
    "wide_in": "WIDE_IN",
    "wide_out": "WIDE_OUT",
    "accum_out": "ACCUM_OUT",
    "nsamples": "NSAMPLES",
    "uniform": "UNIFORM",
}
ARG_TAGS = frozenset(_TAGS.values())
_AXIS = ("aether_abi", "exec_targets", "exec_access", "exec_op")


def check_schema_version(meta: Mapping[str, Any], *, name: str = "document", allow_legacy_version_key: bool = False) -> int:
    """The schema version of a manifest or sidecar, 1 where it names none. ValueError where this eagle does not read it.

    A manifest's may also stand under ``version`` (`allow_legacy_version_key`).

    >>> from eagle.roles import check_schema_version
    >>> check_schema_version({"schema_version": 4}, name="axpy.json")
    Traceback (most recent call last):
    eagle.errors.InvalidError: axpy.json: schema_version 4 is newer than 3, the newest that this eagle reads: upgrade eagle
    """
    keys = ("schema_version", "version") if allow_legacy_version_key else ("schema_version",)
    given = {key: meta[key] for key in keys if meta.get(key) is not None}
    if not given:
        return SCHEMA_VERSION
    validate = _core.validate_manifest if allow_legacy_version_key else _core.validate_sidecar
    refuse(name, _at(keys, findings(given, validate)))
    return int(next(iter(given.values())))


def check_execution_axis(meta: Mapping[str, Any], version: int, *, name: str = "document") -> None:
    """Raises ValueError unless the keys of the execution axis (exec_targets, exec_access, exec_op, and aether_abi where it
    is given) are what a document of this schema version must say.

    >>> from eagle.roles import check_execution_axis
    >>> check_execution_axis({"exec_targets": ["host"], "exec_access": "mapreduce"}, 2, name="dot")
    Traceback (most recent call last):
    eagle.errors.InvalidError: dot: exec_access 'mapreduce' requires exec_op (sum, times, max or land)
    """
    axis = {key: meta[key] for key in _AXIS if key in meta}
    document = {"schema_version": version, "kernel": "axis", "arg_spec": [], **axis}
    refuse(name, _at(("schema_version", *_AXIS), findings(document, _core.validate_sidecar)))


def _at(keys: Collection[str], found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The findings about some top-level keys."""
    return [each for each in found if each["pointer"].partition("#/")[2].partition("/")[0] in keys]


def validate_roles(arg_spec: Iterable[tuple[str, str]], *, name: str) -> None:
    """Raises ValueError where a (role, name) pair has a role that is not one of ``ROLES``."""
    for role, argument in pairs_of(arg_spec, f"{name}: arg_spec"):
        if role not in ROLES:
            raise make("bundle", f"{name}: argument {argument!r} has the role {role!r}: {_words(ROLES)} is accepted")


def classify_arg(
    role: str, name: str, *, vec_mutables: Collection[str] = frozenset(), mat_mutables: Collection[str] = frozenset()
) -> str:
    """What stands in the box of an argument, one of ``ARG_TAGS``; a mutable's hangs on the collections that name it.

    >>> from eagle.roles import classify_arg
    >>> classify_arg("vec_in", "p"), classify_arg("mutable", "q", vec_mutables={"q"}), classify_arg("mutable", "y")
    ('GREF_VEC', 'GREF_VEC', 'HANDLE')
    """
    if not isinstance(role, str) or role not in ROLES:
        raise make("bundle", f"argument {name!r} has the role {role!r:.80}: {_words(ROLES)} is accepted")
    if role == "mutable":
        return "GREF_MAT" if name in mat_mutables else "GREF_VEC" if name in vec_mutables else "HANDLE"
    return _TAGS[role]


def param_decls(params: Iterable[Any]) -> tuple[tuple[str, str], ...]:
    """((name, dtype), ...) of uniforms given as names (of floats), (name, dtype) pairs, mappings or objects with name and
    dtype; a dtype is "float" or "int".

    >>> from eagle.roles import param_decls
    >>> param_decls(["dt", {"name": "steps", "dtype": "int"}])
    (('dt', 'float'), ('steps', 'int'))
    """
    return tuple(map(_decl, params))


def param_names(params: Iterable[Any]) -> tuple[str, ...]:
    """The names of uniforms, given as to :func:`param_decls`."""
    return tuple(name for name, _ in param_decls(params))


def _decl(param: Any) -> tuple[str, str]:
    if isinstance(param, str):
        return param, "float"
    if isinstance(param, Mapping):
        name, dtype = param.get("name"), param.get("dtype")
    elif isinstance(param, tuple | list) and len(param) == 2:
        name, dtype = param
    else:
        name, dtype = getattr(param, "name", None), getattr(param, "dtype", None)
    if not isinstance(name, str) or dtype is None:
        raise make("type", f"a uniform is {param!r}: a name, (name, dtype), or something with name and dtype is accepted")
    if dtype not in ("float", "int"):
        raise make("bundle", f"uniform {name!r} has the dtype {dtype!r}: float or int is accepted")
    return name, dtype


def _words(words: Iterable[str]) -> str:
    *others, last = sorted(words)
    return f"{', '.join(others)} or {last}"
