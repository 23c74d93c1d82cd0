# SPDX-License-Identifier: Apache-2.0
import ctypes
import hashlib
import json

import eagle
import numpy as np
import pytest
from eagle.plan import plan


def test_a_plugin_shows_what_its_files_say(bundles):
    bundle = eagle.load(bundles / "matvec3")
    assert list(bundle) == ["matvec3"] and len(bundle) == 1
    plugin = bundle["matvec3"]
    sidecar = json.loads((bundles / "matvec3" / "matvec3.json").read_text())
    assert plugin.arg_spec == [tuple(each) for each in sidecar["arg_spec"]]
    assert (plugin.exec_access, plugin.exec_op, plugin.schema_version) == ("sample_local", None, 2)
    assert plugin.aether_abi == "aether-abi/2" and "host" in plugin.exec_targets
    assert [(a.name, a.role, a.dtype, a.width, a.shape) for a in plugin.arguments] == [
        ("y", "out", "float64", 3, None),
        ("x", "vec_in", "float64", 3, None),
        ("m", "mat_in", "float64", 9, (3, 3)),
    ]
    assert plugin.manifest == bundles / "matvec3" / "manifest.json" and plugin.artifact.exists()
    assert "matvec3" in repr(plugin) and "(3, 3, n)" in repr(plugin)


def test_the_manifest_itself_may_be_given(bundles):
    assert list(eagle.load(str(bundles / "axpy" / "manifest.json"))) == ["axpy"]


def test_defaults_of_mutables(bundles):
    assert {a.name: a.default for a in eagle.load(bundles / "countdown")["countdown"].arguments}["left"] == 3


def test_the_digest_is_that_of_the_files(bundles):
    plugin = eagle.load(bundles / "axpy")["axpy"]
    files = [plugin.manifest, plugin.sidecar, plugin.artifact]
    if len(plugin.exec_targets) == 2:
        files.append(plugin.host_artifact)
    assert plugin.digest() == hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def test_findings_and_refusals(tmp_path, bundles):
    assert eagle.check(bundles / "axpy") == []
    (tmp_path / "manifest.json").write_text('{"schema_version": 4}')
    findings = eagle.check(tmp_path)
    assert [set(each) for each in findings] == [{"code", "plugin", "pointer", "message"}]
    assert findings[0]["code"] == "upgrade" and "upgrade eagle" in findings[0]["message"]
    with pytest.raises(ValueError, match="upgrade eagle") as refusal:
        eagle.load(tmp_path)
    assert refusal.value.code == "bundle"
    with pytest.raises(FileNotFoundError, match="nowhere"):
        eagle.load(tmp_path / "nowhere")
    with pytest.raises(TypeError):
        eagle.load(3)


class Loaded:
    """A body that something else has loaded."""

    def __init__(self, library, **fields):
        self.library = library
        self.__dict__.update(fields)


@pytest.fixture
def library(bundles):
    return lambda name: ctypes.CDLL(str(bundles / name / f"{name}.so"))


def address(library, symbol):
    return ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value


def test_objects_from_elsewhere_are_planned(bundles, library):
    axpy = library("axpy")
    body = Loaded(
        axpy,
        kernel="axpy",
        exec_access="sample_local",
        host_entry=address(axpy, "axpy_host"),
        arg_spec=eagle.load(bundles / "axpy")["axpy"].arg_spec,
    )
    x = np.arange(5.0)
    assert plan(body, structure="host_team", npartitions=2).run(x=x, a=2.0, b=1.0).tolist() == (2 * x + 1).tolist()
    with pytest.raises(ValueError, match="device"):
        plan(body, structure="device_kernel")


def test_a_width_that_nobody_declares_comes_from_the_plane(bundles, library):
    dot3 = library("dot3")
    body = Loaded(
        dot3,
        exec_access="mapreduce",
        exec_op="sum",
        host_entry=address(dot3, "dot3_host"),
        arg_spec=[["accum_out", "total"], ["vec_in", "p"], ["vec_in", "v"]],
    )
    p = np.arange(12.0).reshape(3, 4)
    assert plan(body, structure="host_team").run(p=p, v=p) == (p * p).sum()


def test_integers_and_masks_of_objects_from_elsewhere(bundles, library):
    mix = library("hash_mix")
    body = Loaded(
        mix,
        exec_access="sample_local",
        host_entry=address(mix, "hash_mix_host"),
        arg_spec=[["mutable", "h"], ["per_sample", "k"], ["uniform", "seed"]],
        arg_dtypes={"h": "int64", "k": "int64"},
        params=[{"name": "seed", "dtype": "int"}],
    )
    k = np.arange(9)
    expected = plan(eagle.load(bundles / "hash_mix"), structure="host_team").run(k=k, seed=2**62 + 1)
    assert plan(body, structure="host_team").run(k=k, seed=2**62 + 1).tolist() == expected.tolist()


@pytest.mark.parametrize(
    "fields, kind, words",
    [
        ({"host_entry": None}, ValueError, "host_entry"),
        ({"host_entry": 0}, ValueError, "host_entry"),
        ({"host_entry": "entry"}, ValueError, "host_entry"),
        ({"exec_access": "everything"}, ValueError, "everything"),
        ({"arg_spec": [["per_sample", "x"], ["input", "y"]]}, ValueError, "input"),
        ({"arg_spec": [["out", "y"]]}, ValueError, "arg_widths"),
        ({"arg_dtypes": {"x": "float16"}}, TypeError, "float16"),
    ],
)
def test_objects_that_say_too_little_are_refused(fields, kind, words):
    complete = {"exec_access": "sample_local", "host_entry": 1, "arg_spec": [["per_sample", "x"]]}
    with pytest.raises(kind, match=words):
        plan(Loaded(None, **{**complete, **fields}), structure="host_team")


def test_what_is_no_plugin_is_refused(bundles):
    for wrong in (None, "axpy", 3, bundles / "axpy"):
        with pytest.raises(TypeError, match="plugin"):
            plan(wrong, structure="host_team")
    with pytest.raises(ValueError, match="0 plugins"):
        plan(eagle.bundle.Bundle([]), structure="host_team")
