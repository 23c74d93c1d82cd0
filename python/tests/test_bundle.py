# SPDX-License-Identifier: Apache-2.0
import copy
import ctypes
import errno
import hashlib
import json
import os
import pickle
import re
import shutil

import eagle
import eagle.sidecar
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


@pytest.mark.parametrize(("id", "shown"), [("a\x1b[2J", "a\\x1b[2J"), ("a\nb", "a\\x0ab"), ("a\u202e", "a\\u202e")])
def test_a_name_that_is_not_printable_is_refused_and_reaches_no_terminal(bundles, tmp_path, id, shown):
    manifest = json.loads((bundles / "dot" / "manifest.json").read_text())
    manifest["plugins"][0]["id"] = id
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ValueError, match="is no name") as refusal:
        eagle.load(tmp_path)
    assert shown in str(refusal.value) and id not in str(refusal.value)


def test_messages_are_bounded(bundles):
    axpy = eagle.load(bundles / "axpy")
    for wrong in ({"schedule": "y" * 10**7}, {"structure": "w" * 10**7}, {"exec_op": "o" * 10**7}):
        with pytest.raises(ValueError) as refusal:
            plan(axpy, **{"structure": "host_team", **wrong})
        assert len(str(refusal.value)) < 1000
    with pytest.raises(ValueError, match="is unknown") as refusal:
        plan(axpy, structure="host_team").run(**{"n" * 10**7: 1.0})
    assert len(str(refusal.value)) < 1000
    with pytest.raises(eagle.Error) as refusal:
        eagle.load("\0" * 10**7)
    assert len(str(refusal.value)) < 10**5


def test_the_manifest_itself_may_be_given(bundles):
    assert list(eagle.load(str(bundles / "axpy" / "manifest.json"))) == ["axpy"]


def test_defaults_of_mutables(bundles):
    assert {a.name: a.default for a in eagle.load(bundles / "countdown")["countdown"].arguments}["left"] == 3


def digest_of(texts):
    return hashlib.sha256(b"".join(hashlib.sha256(text).hexdigest().encode() + b"\n" for text in texts)).hexdigest()


def test_the_digest_is_that_of_the_files(bundles):
    plugin = eagle.load(bundles / "axpy")["axpy"]
    files = [plugin.manifest, plugin.sidecar, plugin.artifact]
    if len(plugin.exec_targets) == 2:
        files.append(plugin.host_artifact)
    assert plugin.digest() == digest_of(path.read_bytes() for path in files)


def test_a_bundle_of_several_plugins_has_a_digest(tmp_path, bundles):
    manifest = json.loads((bundles / "axpy" / "manifest.json").read_text())
    first = manifest["plugins"][0]
    manifest["plugins"] = [first | {"id": "second", "order": 2}, first | {"order": 1}, first | {"id": "off", "enabled": False}]
    shutil.copytree(bundles / "axpy", tmp_path / "two")
    (tmp_path / "two" / "manifest.json").write_text(json.dumps(manifest))
    bundle = eagle.load(tmp_path / "two")
    axpy = bundle["axpy"]
    files = [axpy.sidecar, axpy.artifact] + ([axpy.host_artifact] if len(axpy.exec_targets) == 2 else [])
    texts = [path.read_bytes() for path in files]
    assert bundle.digest() == digest_of([axpy.manifest.read_bytes(), *texts, *texts])


def test_a_bundle_that_enables_nothing_has_no_digest(tmp_path, bundles):
    shutil.copytree(bundles / "axpy", tmp_path / "off")
    manifest = json.loads((bundles / "axpy" / "manifest.json").read_text())
    manifest["plugins"][0]["enabled"] = False
    (tmp_path / "off" / "manifest.json").write_text(json.dumps(manifest))
    for call in (eagle.load(tmp_path / "off").digest, lambda: eagle.load(tmp_path / "off", digest="0" * 64)):
        with pytest.raises(eagle.Error, match="enables no plugin"):
            call()


def test_a_required_digest_pins_what_runs(tmp_path, bundles):
    shutil.copytree(bundles / "axpy", tmp_path / "axpy")
    digest = eagle.load(tmp_path / "axpy").digest()
    bundle = eagle.load(tmp_path / "axpy", digest=digest)
    kept = pickle.dumps(bundle["axpy"])
    for library in (tmp_path / "axpy").glob("*.so"):
        library.write_bytes(b"something else")
    pinned = plan(bundle["axpy"], structure="host_team")
    assert pinned.run(x=np.ones(2), a=2.0, b=1.0).tolist() == [3.0, 3.0]
    shutil.copytree(bundles / "axpy", tmp_path / "axpy", dirs_exist_ok=True)
    assert pickle.loads(kept).digest() == digest
    with open(tmp_path / "axpy" / "manifest.json", "a") as manifest:
        manifest.write(" ")
    for call in (lambda: eagle.load(tmp_path / "axpy", digest=digest), lambda: pickle.loads(kept)):
        with pytest.raises(ValueError, match=f"its digest is .* and {digest} is required"):
            call()
    for wrong in ("", "0", "x" * 64, "\udcff", "é" * 64):
        with pytest.raises(ValueError, match="64 (hexadecimal )?digits") as refusal:
            eagle.load(tmp_path / "axpy", digest=wrong)
        assert refusal.value.code == "argument"
    for wrong in (b"0" * 64, 1, tmp_path):
        with pytest.raises(TypeError, match="digest is a .*64 hexadecimal digits"):
            eagle.load(tmp_path / "axpy", digest=wrong)


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
def loaded(bundles):
    """loaded(name, ...): the body of a worked plugin, loaded by something else, and what that says of it."""

    def load(name, **fields):
        library = ctypes.CDLL(str(bundles / name / f"{name}.so"))
        entry = ctypes.cast(library[f"{name}_host"], ctypes.c_void_p).value
        return Loaded(library, **{"host_entry": entry, "exec_access": "sample_local"} | fields)

    return load


def test_objects_from_elsewhere_are_planned(bundles, loaded):
    body = loaded(
        "axpy",
        kernel="axpy",
        arg_spec=eagle.load(bundles / "axpy")["axpy"].arg_spec,
    )
    x = np.arange(5.0)
    assert plan(body, structure="host_team", npartitions=2).run(x=x, a=2.0, b=1.0).tolist() == (2 * x + 1).tolist()
    with pytest.raises(ValueError, match="device"):
        plan(body, structure="device_kernel")


def test_a_width_that_nobody_declares_comes_from_the_plane(loaded):
    body = loaded(
        "dot3",
        exec_access="mapreduce",
        exec_op="sum",
        arg_spec=[["accum_out", "total"], ["vec_in", "p"], ["vec_in", "v"]],
    )
    p = np.arange(12.0).reshape(3, 4)
    assert plan(body, structure="host_team").run(p=p, v=p) == (p * p).sum()


@pytest.mark.filterwarnings("ignore::eagle.LayoutWarning")
@pytest.mark.parametrize(
    "cut",
    [
        lambda m: m(3, 1, 3, 1),
        lambda m: m(3, 1, 6, 1)[:, :, ::2],
        lambda m: m(6, 1, 3, 1)[::2],
        lambda m: m(3, 3, 1, 1)[::-1],
        lambda m: m(3, 1, 1, 3).transpose(3, 1, 2, 0, 4),
        lambda m: m(4, 2, 1, 3)[1:, 1:],
        lambda m: m(1, 9),
        lambda m: m(9, 2)[:, :1],
    ],
)
def test_a_plane_of_any_axes_is_taken_where_nobody_declares_a_width(bundles, loaded, cut):
    """With what lies between, as it would if it were without gaps."""
    body = loaded(
        "matvec3",
        arg_spec=[["out", "y"], ["vec_in", "x"], ["mat_in", "m"]],
        arg_widths={"y": 3, "x": 3},
    )
    rng = np.random.default_rng(1)
    x, m = rng.random((3, 5)), cut(lambda *shape: rng.random((*shape, 5)))
    expected = plan(eagle.load(bundles / "matvec3"), structure="host_team").run(x=x, m=m.reshape(9, 5))
    assert plan(body, structure="host_team").run(x=x, m=m).tolist() == expected.tolist()


def test_integers_and_masks_of_objects_from_elsewhere(bundles, loaded):
    body = loaded(
        "hash_mix",
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
        ({"kernel": "\ud800", "host_entry": 0}, ValueError, r"plugin ''\\ud800''"),
        ({"arg_spec": [["per_sample", "\ud800"]]}, TypeError, "a pair of str"),
        ({"exec_op": "\ud800"}, TypeError, "exec_op"),
    ],
)
def test_objects_that_say_too_little_are_refused(fields, kind, words):
    complete = {"exec_access": "sample_local", "host_entry": 1, "arg_spec": [["per_sample", "x"]]}
    with pytest.raises(kind, match=words):
        plan(Loaded(None, **{**complete, **fields}), structure="host_team")


class Odd:
    """Neither an integer nor a name."""

    def __repr__(self):
        return "Odd()"


@pytest.mark.parametrize(
    "fields, kind, words",
    [
        ({"host_entry": True}, ValueError, "host_entry is True: the address of a loaded host entry is due, an int"),
        ({"host_entry": -8}, ValueError, "host_entry is -8: "),
        ({"host_entry": 2**64}, ValueError, f"host_entry is {2**64}: "),
        ({"host_entry": 4096.0}, ValueError, "host_entry is 4096.0: "),
        ({"abi_tag": "aether-abi/9"}, ValueError, "abi_tag is 'aether-abi/9': aether-abi/1, aether-abi/2 is accepted"),
        ({"abi_tag": 2}, TypeError, "abi_tag is 2: aether-abi/1, aether-abi/2 is accepted"),
        ({"arg_spec": None}, TypeError, "arg_spec is None: a list of pairs (role, name) is accepted"),
        ({"arg_spec": ["ab"]}, TypeError, "arg_spec holds 'ab': a pair of str, (role, name), is accepted"),
        ({"arg_spec": [("per_sample",)]}, TypeError, "arg_spec holds ('per_sample',): "),
        ({"arg_spec": [("per_sample", "x", 1)]}, TypeError, "arg_spec holds ('per_sample', 'x', 1): "),
        ({"arg_spec": [("per_sample", 1)]}, TypeError, "arg_spec holds ('per_sample', 1): "),
        ({"arg_spec": [("per_sample", "x"), ("mutable", "x")]}, ValueError, "arg_spec has the name 'x' 2 times"),
        ({"arg_spec": [("per_sample", "")]}, ValueError, "arg_spec has the name '' 1 times"),
        ({"arg_widths": [("x", 1)]}, TypeError, "arg_widths is [('x', 1)]: a mapping"),
        ({"arg_widths": {"x": "3"}}, TypeError, "arg_widths['x'] is '3': an integer of at least 1"),
        ({"arg_widths": {"x": 1.5}}, TypeError, "arg_widths['x'] is 1.5: an integer of at least 1"),
        ({"arg_widths": {"x": True}}, TypeError, "arg_widths['x'] is True: an integer of at least 1"),
        ({"arg_widths": {"x": -1}}, ValueError, "arg_widths['x'] is -1: an integer of 1 to"),
        ({"arg_widths": {"x": 2**70}}, ValueError, f"arg_widths['x'] is {2**70}: an integer of 1 to"),
        ({"mat_shapes": [3, 3]}, TypeError, "mat_shapes is [3, 3]: a mapping"),
        ({"mat_shapes": {"x": 3}}, TypeError, "mat_shapes['x'] is 3: two integers"),
        ({"mat_shapes": {"x": (3, 3, 3)}}, TypeError, "mat_shapes['x'] is (3, 3, 3): two integers"),
        ({"mat_shapes": {"x": (3, 0)}}, ValueError, "mat_shapes['x'] is 0: an integer of 1 to"),
        ({"mat_shapes": {"x": (3, None)}}, TypeError, "mat_shapes['x'] is None: an integer of at least 1"),
        ({"mat_shapes": {"x": (2**30, 2**30)}}, ValueError, "the product of mat_shapes['x'] is"),
        ({"exec_access": Odd()}, TypeError, "exec_access is Odd(): a str is accepted"),
        ({"exec_op": Odd()}, TypeError, "exec_op is Odd(): a str is accepted"),
        ({"scalar_type": np.float64}, TypeError, "scalar_type is <class 'numpy.float64'>: float64, float32"),
        ({"scalar_type": "softdouble"}, TypeError, "scalar_type is 'softdouble': float64, float32"),
        ({"params": 3}, TypeError, "params is 3: a list is accepted"),
        ({"params": "dt"}, TypeError, "params is 'dt': a list is accepted"),
        ({"arg_dtypes": "int64"}, TypeError, "arg_dtypes is 'int64': a mapping"),
        ({"arg_dtypes": {"x": int}}, TypeError, "arg_dtypes['x'] is <class 'int'>: float64, float32"),
        ({"vec_mutables": "xyz"}, TypeError, "vec_mutables is 'xyz': a list is accepted"),
        ({"mat_mutables": [1]}, TypeError, "a name in mat_mutables is 1: a str is accepted"),
    ],
)
def test_attributes_of_another_kind_are_refused_by_name(fields, kind, words):
    complete = {"kernel": "k", "exec_access": "sample_local", "host_entry": 1, "arg_spec": [["per_sample", "x"]]}
    with pytest.raises(kind, match=re.escape(f"plugin 'k': {words}")) as refused:
        plan(Loaded(None, **{**complete, **fields}), structure="host_team")
    assert isinstance(refused.value, eagle.Error) and refused.value.code in ("bundle", "placement", "type")


def test_lists_of_objects_from_elsewhere_may_be_read_once(bundles, loaded):
    body = loaded(
        "hash_mix",
        arg_spec=iter([("mutable", "h"), ("per_sample", "k"), ("uniform", "seed")]),
        arg_dtypes={"h": "int64", "k": "int64"},
        arg_widths={"h": np.int64(1), "k": None, "seed": 0},
        params=iter([{"name": "other", "dtype": "int"}, {"name": "seed", "dtype": "int"}]),
        abi_tag="aether-abi/2",
    )
    k = np.arange(9)
    expected = plan(eagle.load(bundles / "hash_mix"), structure="host_team").run(k=k, seed=5)
    assert plan(body, structure="host_team").run(k=k, seed=5).tolist() == expected.tolist()


def test_what_is_no_plugin_is_refused(bundles):
    for wrong in (None, "axpy", 3, bundles / "axpy"):
        with pytest.raises(TypeError, match="plugin"):
            plan(wrong, structure="host_team")
    with pytest.raises(ValueError, match="a bundle of 0 plugins is given: a plugin, or a bundle of one, is accepted"):
        plan(eagle.bundle.Bundle([]), structure="host_team")


# Plugins as objects.


def test_a_plugin_is_immutable(bundles):
    plugin = eagle.load(bundles / "axpy")["axpy"]
    for change in (lambda: setattr(plugin, "id", "other"), lambda: setattr(plugin, "more", 1), lambda: delattr(plugin, "id")):
        with pytest.raises(AttributeError, match="plugin 'axpy' is immutable"):
            change()
    assert plugin.id == "axpy" and not hasattr(plugin, "more")


@pytest.mark.parametrize("again", [lambda given: pickle.loads(pickle.dumps(given)), copy.copy, copy.deepcopy])
def test_plugins_and_bundles_are_pickled_and_copied(bundles, monkeypatch, tmp_path, again):
    monkeypatch.chdir(bundles)
    bundle = eagle.load("axpy")
    monkeypatch.chdir(tmp_path)
    for plugin in (again(bundle["axpy"]), again(bundle)["axpy"]):
        assert plugin.digest() == bundle["axpy"].digest() and repr(plugin) == repr(bundle["axpy"])
        assert plan(plugin, structure="host_team").run(x=np.ones(2), a=2.0, b=1.0).tolist() == [3.0, 3.0]


def test_a_plugin_without_a_manifest_does_not_pickle():
    body = Loaded(None, kernel="k", exec_access="sample_local", host_entry=1, arg_spec=[["per_sample", "x"]])
    plugin = plan(body, structure="host_team").plugin
    assert copy.deepcopy(plugin) is plugin
    with pytest.raises(TypeError, match="plugin 'k' .*does not pickle: load and plan in the worker"):
        pickle.dumps(plugin)


# Paths.

READERS = [eagle.load, eagle.check, eagle.load_manifest, eagle.sidecar.validate_sidecar]


def test_paths_of_bytes(bundles):
    for path in (os.fsencode(bundles / "axpy"), os.fsencode(bundles / "axpy" / "manifest.json")):
        assert list(eagle.load(path)) == list(eagle.load_manifest(path)) == ["axpy"] and eagle.check(path) == []
    assert eagle.sidecar.validate_sidecar(os.fsencode(bundles / "axpy" / "axpy.json"))["kernel"] == "axpy"


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "path, kind, words",
    [
        ("", ValueError, "the path is empty"),
        (b"", ValueError, "the path is empty"),
        ("a\0b", ValueError, "holds a NUL character"),
        (b"a\0b", ValueError, "holds a NUL character"),
        ("a\ud800", ValueError, "which no file has"),
        (3, TypeError, "the path is a int: a str, bytes or os.PathLike is accepted"),
        (None, TypeError, "the path is a NoneType"),
    ],
)
def test_what_is_no_path(read, path, kind, words):
    with pytest.raises(kind, match=words) as refused:
        read(path)
    assert isinstance(refused.value, eagle.Error)


def test_errors_of_files_say_number_and_name(tmp_path):
    with pytest.raises(FileNotFoundError) as missing:
        eagle.load(tmp_path / "none: here")
    assert (missing.value.errno, missing.value.filename) == (errno.ENOENT, str(tmp_path / "none: here"))
    assert str(missing.value) == f"{tmp_path / 'none: here'}: {os.strerror(errno.ENOENT)}"
    again = pickle.loads(pickle.dumps(missing.value))
    assert (again.errno, again.filename, again.code, str(again)) == (
        errno.ENOENT,
        missing.value.filename,
        "not_found",
        str(missing.value),
    )
    with pytest.raises(OSError, match="no regular file") as folder:
        eagle.sidecar.validate_sidecar(tmp_path)
    assert (folder.value.errno, folder.value.filename, folder.value.code) == (None, str(tmp_path), "io")
