# SPDX-License-Identifier: Apache-2.0
"""The names that a user of raptor-eagle imports, and the conformance rows as its readers see them."""

import copy
import ctypes
import importlib
import inspect
import json
import re
from os import environ
from pathlib import Path
from types import SimpleNamespace

import eagle
import numpy as np
import pytest
from eagle import abi, host_launch, registry, roles, sidecar

DATA = Path(environ.get("EAGLE_DATA", Path(__file__).parents[2] / "tests" / "data"))
TABLE = json.loads((DATA / "conformance" / "rows.json").read_text())
NAMES = {
    "abi": "check_aether_abi abi_version_of ABI_TAG_V1 ABI_TAG_V2 ACCEPTED_ABI_TAGS DEVICE_CPU DEVICE_CUDA",
    "exec": "HostTeam DeviceKernel RankPartition DeviceGroup Partition check_placement check_layout_sizes layout_sizes fold",
    "plan": "plan Plan BoundPlan",
    "roles": "ROLES MANIFEST_FORMATS MAX_SCHEMA_VERSION check_schema_version check_execution_axis validate_roles classify_arg",
    "sidecar": "validate_sidecar",
    "registry": "load_manifest UnknownPatternError",
    "host_launch": "GRefMirror ScalarHandle",
}


@pytest.mark.parametrize("module", NAMES)
def test_names_are_there(module):
    found = importlib.import_module(f"eagle.{module}")
    assert [name for name in NAMES[module].split() if not hasattr(found, name)] == []


def test_names_of_the_package():
    assert eagle.load_manifest is registry.load_manifest
    for name in ("run", "run_serial", "tile_size", "tile_count"):
        assert getattr(eagle.exec.HostTeam, name) is getattr(host_launch, name)


@pytest.mark.parametrize(
    "function, parameters",
    [
        (roles.check_schema_version, "meta name allow_legacy_version_key"),
        (roles.check_execution_axis, "meta version name"),
        (roles.validate_roles, "arg_spec name"),
        (roles.classify_arg, "role name vec_mutables mat_mutables"),
        (sidecar.validate_sidecar, "meta name"),
        (host_launch.run, "entry params partition bytes_per_sample"),
        (host_launch.run_serial, "entry params partition"),
        (host_launch.tile_size, "bytes_per_sample"),
        (host_launch.tile_count, "partition bytes_per_sample"),
    ],
)
def test_parameters(function, parameters):
    assert list(inspect.signature(function).parameters) == parameters.split()


# The conformance rows.


def edited(row, document):
    """The text of a row's document, and the mapping where one can express it."""
    text = (DATA / TABLE["bases"][row["base"]][document]).read_text()
    meta = json.loads(text)
    for target, pointer, *value in row.get("edits", ()):
        if target == document:
            edit(meta, pointer.split("/")[1:], value)
    if "edits" in row:
        text = json.dumps(meta)
    if "text" not in row or row["text"][0] != document:
        return text, meta
    return text.replace(row["text"][1], row["text"][2]), None


def edit(meta, steps, value):
    *path, last = steps
    for step in path:
        meta = meta[int(step) if isinstance(meta, list) else step]
    if isinstance(meta, dict):
        meta.pop(last) if not value else meta.update({last: value[0]})
    elif value:
        meta[int(last) : int(last) + 1] = value
    else:
        del meta[int(last)]


def rows(where):
    chosen = [row for row in TABLE["rows"] if row["where"] == where]
    assert len(chosen) > 20
    return [pytest.param(row, id=f"{k}-{row['row']}") for k, row in enumerate(chosen)]


@pytest.mark.parametrize("row", rows("S"))
def test_sidecars(row, tmp_path):
    text, meta = edited(row, "sidecar")
    file = tmp_path / "kernel.json"
    file.write_text(text)
    for given in [file, str(file), *([] if meta is None else [meta])]:
        if "refused" not in row:
            assert sidecar.validate_sidecar(given, name="kernel") == (json.loads(text) if meta is None else meta)
            continue
        with pytest.raises(ValueError) as refused:
            sidecar.validate_sidecar(given, name="kernel")
        assert all(words in str(refused.value) for words in ["kernel: ", *row["refused"]])


@pytest.mark.parametrize("row", [row for row in rows("M") if "refused" in row.values[0]])
def test_manifests(row, tmp_path):
    file = tmp_path / "manifest.json"
    file.write_text(edited(row, "manifest")[0])
    for given in (file, tmp_path):
        with pytest.raises(ValueError) as refused:
            registry.load_manifest(given)
        assert all(words in str(refused.value) for words in row["refused"])
        assert isinstance(refused.value, KeyError) == row["at"].endswith("#/pattern")


# Registry, sidecar, roles.


def test_load_manifest_gives_plugins_by_id(bundles):
    for path in (bundles / "axpy", str(bundles / "axpy" / "manifest.json")):
        loaded = registry.load_manifest(path)
        assert list(loaded) == ["axpy"] and loaded["axpy"].exec_access == "sample_local"


def test_what_is_not_there_is_not_found(tmp_path):
    for read in (registry.load_manifest, sidecar.validate_sidecar):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "none.json")
    with pytest.raises(FileNotFoundError):
        registry.load_manifest(tmp_path)


def test_a_sidecar_comes_back_as_it_was_and_names_itself():
    meta = {"kernel": "wave", "arg_spec": (("uniform", "c"),), "params": ["c"], "pattern": "pure"}
    before = copy.deepcopy(meta)
    assert sidecar.validate_sidecar(meta) is meta and meta == before
    with pytest.raises(ValueError, match="^wave: .*quantum"):
        sidecar.validate_sidecar({**meta, "pattern": "quantum"})
    with pytest.raises(TypeError):
        sidecar.validate_sidecar({**meta, "extra": {1, 2}})
    ring = []
    ring.append(ring)
    for wrong in (1j, ring):
        with pytest.raises(TypeError, match="holds what JSON has not") as refused:
            sidecar.validate_sidecar({**meta, "extra": wrong})
        assert isinstance(refused.value, eagle.Error)
    for wrong in ({1: 2}, {**meta, "extra": [{None: 1}]}, {**meta, "extra": {"a": {True: 1}}}):
        with pytest.raises(TypeError, match="the document has the key .*: every key must be a str") as refused:
            sidecar.validate_sidecar(wrong)
        assert isinstance(refused.value, eagle.Error)


def test_words_are_those_of_the_readers(tmp_path):
    def expected(meta):
        with pytest.raises(ValueError) as refused:
            sidecar.validate_sidecar(meta)
        words = re.search(r"\((?:expected|expected one of|supported:) (.*?)\)", str(refused.value)).group(1)
        return frozenset(re.findall(r"\w+", words)) - {"one", "of", "or"}

    base = {"kernel": "k", "arg_spec": []}
    assert roles.ROLES == expected({**base, "arg_spec": [["gather", "x"]]})
    assert roles.RECOGNIZED_PATTERNS == expected({**base, "pattern": "quantum"})
    assert roles.BUFFER_KINDS == expected({**base, "buffers": [{"name": "b", "kind": "ring"}]}) - {"upgrade", "eagle"}
    assert roles.MAX_SCHEMA_VERSION == roles.check_schema_version({"schema_version": 3})
    with pytest.raises(ValueError, match="newer than 3"):
        roles.check_schema_version({"schema_version": roles.MAX_SCHEMA_VERSION + 1})


@pytest.mark.parametrize(
    "meta, legacy, version",
    [
        ({}, False, 1),
        ({}, True, 1),
        ({"schema_version": None}, False, 1),
        ({"version": None}, True, 1),
        ({"schema_version": 2, "pattern": "quantum"}, False, 2),
        ({"schema_version": 3, "plugins": 7}, True, 3),
        ({"version": 99}, False, 1),
        ({"version": 2}, True, 2),
    ],
)
def test_schema_versions(meta, legacy, version):
    assert roles.check_schema_version(meta, name="m", allow_legacy_version_key=legacy) == version


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("version", [4, 0, -1, True, 2.0, "2"])
def test_schema_versions_that_are_refused(version, legacy):
    with pytest.raises(ValueError, match="^doc: schema_version"):
        roles.check_schema_version({"schema_version": version}, name="doc", allow_legacy_version_key=legacy)
    if legacy:
        with pytest.raises(ValueError, match="^doc: version"):
            roles.check_schema_version({"version": version}, name="doc", allow_legacy_version_key=True)


HOST = {"exec_targets": ["host"], "exec_access": "sample_local"}


@pytest.mark.parametrize(
    "meta, version, words",
    [
        (HOST, 1, "schema-v2-only"),
        ({"exec_access": "sample_local"}, 2, "exec_targets"),
        ({"exec_targets": ["host"]}, 2, "exec_access"),
        ({**HOST, "exec_targets": []}, 2, "exec_targets"),
        ({**HOST, "exec_targets": ["host", "host"]}, 3, "exec_targets"),
        ({**HOST, "exec_access": "local"}, 2, "is not a supported access class"),
        ({**HOST, "exec_access": "mapreduce"}, 2, "requires exec_op"),
        ({**HOST, "exec_op": "sum"}, 2, "exec_op is forbidden unless"),
        ({**HOST, "exec_access": "mapreduce", "exec_op": "min"}, 2, "is not a supported reduction op"),
        ({**HOST, "aether_abi": "aether-abi/1"}, 2, "schema v2 requires aether_abi='aether-abi/2'"),
        (HOST, 4, "upgrade eagle"),
    ],
)
def test_execution_axis_refused(meta, version, words):
    with pytest.raises(ValueError, match=words):
        roles.check_execution_axis(meta, version, name="doc")


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("more", [{}, {"aether_abi": "aether-abi/2"}, {"exec_access": "mapreduce", "exec_op": "land"}])
def test_execution_axis(more, version):
    roles.check_execution_axis({**HOST, **more, "pattern": "quantum"}, version)
    roles.check_execution_axis({"pattern": "quantum"}, 1)


def test_validate_roles():
    roles.validate_roles([(role, "x") for role in roles.ROLES], name="k")
    with pytest.raises(ValueError, match="k: argument 'x' has the role 'gather'.*wide_out is accepted"):
        roles.validate_roles([("out", "y"), ("gather", "x")], name="k")
    for wrong in [("a",)], ["ab"], [("out", 3)], [3], 3:
        with pytest.raises(TypeError, match="^k: arg_spec .*(role, name).* is accepted") as refused:
            roles.validate_roles(wrong, name="k")
        assert isinstance(refused.value, eagle.Error)


def test_classify_arg():
    tags = {role: roles.classify_arg(role, "a") for role in roles.ROLES}
    assert frozenset(tags.values()) | {"GREF_MAT"} == roles.ARG_TAGS
    assert [role for role, tag in tags.items() if tag.startswith("GREF")] != []
    assert {role for role, tag in tags.items() if tag.startswith("GREF")} == {"out", "vec_in", "mat_in"}
    assert {role for role, tag in tags.items() if tag == "HANDLE"} == {"mutable", "per_sample", "lookup", "terminated"}
    assert roles.classify_arg("mutable", "a", vec_mutables={"a"}) == "GREF_VEC"
    assert roles.classify_arg("mutable", "a", mat_mutables={"a"}, vec_mutables={"b"}) == "GREF_MAT"
    with pytest.raises(ValueError, match="argument 'a' has the role 'gather'"):
        roles.classify_arg("gather", "a")
    for wrong in (np.arange(3), ["out"], None):
        with pytest.raises(ValueError, match="argument 'a' has the role") as refused:
            roles.classify_arg(wrong, "a")
        assert isinstance(refused.value, eagle.Error)


@pytest.mark.parametrize("tag", ["aether-abi/9", None, np.arange(3), ["aether-abi/2"], {"aether_abi": np.arange(3)}, {}])
def test_tags_that_are_refused(tag):
    with pytest.raises(ValueError, match="^plugin 'p' is built for .*: aether-abi/1 or aether-abi/2 is accepted$") as refused:
        abi.check_aether_abi(tag, kind="plugin", name="p")
    assert isinstance(refused.value, eagle.Error) and refused.value.code == "bundle"
    assert abi.abi_version_of(tag) == 0


def test_params():
    given = ["dt", ("k", "int"), {"name": "m", "dtype": "float"}, SimpleNamespace(name="n", dtype="int")]
    assert roles.param_decls(given) == (("dt", "float"), ("k", "int"), ("m", "float"), ("n", "int"))
    assert roles.param_names(given) == ("dt", "k", "m", "n")
    for wrong in (3, ("a",), {"name": "a"}, SimpleNamespace(name=1, dtype="int")):
        with pytest.raises(TypeError, match="a uniform is"):
            roles.param_decls([wrong])
    with pytest.raises(ValueError, match="'a' has the dtype 'double'"):
        roles.param_decls([("a", "double")])


# Boxes and entries by hand.


def test_boxes_lie_as_the_abi_has_them():
    def lies(box):
        return {name: getattr(box, name).offset for name, _ in box._fields_}, ctypes.sizeof(box)

    plane = {"data_": 0, "samples_": 8, "compStride_": 16, "sampleStride_": 24, "deviceType_": 32, "deviceId_": 36}
    assert lies(host_launch.GRefMirror) == (plane, 40)
    assert lies(host_launch.ScalarHandle) == ({"data": 0, "samples": 8, "stride": 16, "deviceType": 24, "deviceId": 28}, 32)


@pytest.fixture
def packed(bundles):
    """drift3, q = p + dt * v, packed by hand: entry, addresses of boxes, q, what it is to be, and what must stay alive."""
    library = ctypes.CDLL(str(bundles / "drift3" / "drift3.so"))
    n = 10_000
    p, v = np.random.default_rng(5).standard_normal((2, 3, n))
    q = np.zeros((3, n))

    def box(array):
        return host_launch.GRefMirror(array.ctypes.data, n, n, 1, host_launch.DEVICE_CPU, 0)

    boxes = [box(q), box(p), box(v), ctypes.c_double(0.25)]
    entry = ctypes.cast(library.drift3_host, ctypes.c_void_p).value
    return entry, [ctypes.addressof(each) for each in boxes], q, p + 0.25 * v, (library, boxes, p, v)


def test_an_entry_by_hand(packed):
    entry, params, q, expected, _ = packed
    assert host_launch.run_serial(entry, params, (10, 100, 10_000)) is None
    assert (q[:, 10:110] == expected[:, 10:110]).all() and not q[:, :10].any() and not q[:, 110:].any()
    host_launch.run_serial(entry, params, eagle.exec.Partition.whole(10_000))
    assert (q == expected).all()


@pytest.mark.parametrize("size, tiles", [(0, 3), (72, 6), (10**9, 157)])
def test_an_entry_by_a_team(packed, size, tiles):
    entry, params, q, expected, _ = packed
    whole = eagle.exec.Partition.whole(10_000)
    assert host_launch.run(entry, params, whole, bytes_per_sample=size) == tiles == host_launch.tile_count(whole, size)
    assert (q == expected).all()
    q[:] = 0
    host_launch.run(entry, params, (9_990, 5, 10_000), bytes_per_sample=size)
    assert (q[:, 9_990:9_995] == expected[:, 9_990:9_995]).all() and np.count_nonzero(q) == 15
    assert host_launch.run(entry, params, (0, 0, 10_000)) == 0


def test_tiles_stay_in_bounds():
    assert host_launch.tile_size() == host_launch.tile_size(1) == 4096
    assert host_launch.tile_size(64) == 2048 and host_launch.tile_size(10**9) == 64
