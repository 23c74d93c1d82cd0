# SPDX-License-Identifier: Apache-2.0
"""The eagle command: results against NumPy, refusals by their words and exit codes."""

import json
import os
import pathlib
import shutil
import subprocess
import time

import numpy as np
import pytest

EAGLE = os.environ["EAGLE"]
BUNDLES = pathlib.Path(os.environ["EAGLE_BUNDLES"])
DATA = pathlib.Path(os.environ["EAGLE_DATA"])


def eagle(*args, code=0):
    done = subprocess.run([EAGLE, *map(str, args)], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def run(bundle, *args, code=0):
    return eagle("run", bundle, "--structure", "host_team", *args, code=code)


@pytest.fixture
def x(tmp_path):
    values = np.random.default_rng(1).standard_normal(10007)
    np.save(tmp_path / "x.npy", values)
    return values


def test_check_accepts_every_worked_bundle():
    for bundle in sorted(BUNDLES.iterdir()):
        assert eagle("check", bundle).stdout == f"{bundle}: ok\n"
        assert json.loads(eagle("check", bundle, "--json").stdout) == {"ok": True, "findings": []}


def test_check_prints_all_findings(tmp_path):
    bundle = tmp_path / "bad"
    shutil.copytree(BUNDLES / "axpy", bundle)
    manifest = json.loads((bundle / "manifest.json").read_text())
    manifest["exec_access"] = 'sample "locl"\n'
    del manifest["exec_targets"]
    (bundle / "manifest.json").write_text(json.dumps(manifest))
    report = json.loads(eagle("check", bundle, "--json", code=1).stdout)
    assert not report["ok"]
    assert {f["pointer"] for f in report["findings"]} >= {"manifest.json#/exec_access"}
    assert any("exec_targets" in f["message"] for f in report["findings"])
    assert all(set(f) == {"code", "plugin", "pointer", "message"} and f["code"] and f["message"] for f in report["findings"])
    text = eagle("check", bundle, code=1).stdout
    assert text.count("\n") == len(report["findings"])


def test_inspect_shows_arguments():
    text = eagle("inspect", DATA / "bundles" / "mixed_two").stdout
    assert "mixed: sample_local" in text and "per_sample" in text and "int64" in text


def test_info_names_every_structure():
    text = eagle("info").stdout
    for name in ("host_team", "device_kernel", "rank_partition", "device_group", "aether-abi/2"):
        assert name in text


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("cut", [[], ["--partitions", "7"], ["--partition", "0:7", "--partition", "7:10000"]])
def test_run_equals_numpy_however_cut(tmp_path, x, threads, cut):
    out = tmp_path / "y.npy"
    done = run(BUNDLES / "axpy", "--threads", threads, *cut, "--in", f"x={tmp_path/'x.npy'}",
               "--set", "a=2.5", "--set", "b=-1", "--out", f"y={out}")  # fmt: skip
    assert done.stdout == f"y: float64 (10007,), {out}\n" and done.stderr == ""
    assert np.load(out).tobytes() == (2.5 * x - 1).tobytes()


def test_run_reads_every_order_and_version(tmp_path):
    p, v = np.random.default_rng(2).standard_normal((2, 3, 11))
    expected = p + 0.5 * v
    np.save(tmp_path / "v.npy", v)
    for name, array in {"c": p, "fortran": np.asfortranarray(p), "sample": np.ascontiguousarray(p.T), "transposed": p.T}.items():
        np.save(tmp_path / "p.npy", array)
        run(BUNDLES / "drift3", "--in", f"p={tmp_path/'p.npy'}", "--in", f"v={tmp_path/'v.npy'}", "--set", "dt=0.5",
            "--out", f"q={tmp_path/'q.npy'}")  # fmt: skip
        assert np.load(tmp_path / "q.npy").tobytes() == expected.tobytes(), name
    for version in [(1, 0), (2, 0), (3, 0)]:
        with open(tmp_path / "p.npy", "wb") as file:
            np.lib.format.write_array(file, p, version=version)
        run(BUNDLES / "drift3", "--in", f"p={tmp_path/'p.npy'}", "--in", f"v={tmp_path/'v.npy'}", "--set", "dt=0.5")


def test_a_plane_that_starts_from_data_leaves_its_input_file_alone(tmp_path, x):
    start = np.array([1.0, 2.0, 3.0, 4.0])
    np.save(tmp_path / "bins.npy", start)
    args = ["--in", f"x={tmp_path/'x.npy'}", "--in", f"bins={tmp_path/'bins.npy'}", "--set", "lo=-1", "--set", "hi=1", "--set", "nbins=4"]
    run(BUNDLES / "histogram", *args, "--out", f"bins={tmp_path/'new.npy'}")
    counts = np.bincount(np.clip(np.floor((x + 1) / 2 * 4), 0, 3).astype(int), minlength=4)
    assert (np.load(tmp_path / "new.npy") == start + counts).all()
    assert (np.load(tmp_path / "bins.npy") == start).all()
    run(BUNDLES / "histogram", *args, "--out", f"bins={tmp_path/'bins.npy'}")
    assert (np.load(tmp_path / "bins.npy") == start + counts).all()


def test_a_refused_run_writes_nothing(tmp_path, x):
    out = tmp_path / "y.npy"
    before = sorted(tmp_path.iterdir())
    run(BUNDLES / "axpy", "--in", f"x={tmp_path/'x.npy'}", "--set", "a=1", "--out", f"y={out}", code=1)
    run(BUNDLES / "axpy", "--in", f"x={tmp_path/'x.npy'}", "--set", "a=1", "--set", "b=1",
        "--out", f"y={tmp_path/'missing'/'y.npy'}", code=1)  # fmt: skip
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "args, words",
    [
        (["--structure", "host_team", "--partitions", "2"], "single-device structures only"),
        (["--structure", "rank_partition"], "single-device structures only"),
        (["--structure", "host_team", "--inner", "host_team"], "only rank_partition has an inner"),
        (["--structure", "host_team", "--set", "lo"], "NAME=VALUE is accepted"),
        (["--structure", "host_team", "--set", "lo=abc"], "a number is accepted"),
        (["--structure", "host_team", "--set", "lo=1", "--set", "lo=2"], "twice"),
        (["--structure", "host_team", "--partition", "0-5"], "BASE:COUNT is accepted"),
        (["--structure", "host_team", "--partition", "1:5"], "must start"),
        (["--structure", "host_team", "--plugin", "nope"], "it holds 'histogram'"),
        (["--structure", "host_team", "--out", "x=f.npy"], "it writes bins"),
        (["--structure", "host_team", "--in", "x=/nonexistent.npy"], "/nonexistent.npy"),
        (["--structure", "host_team", "--threads", "-2"], "threads is -2"),
    ],
)
def test_refusals_exit_with_1_and_say_why(args, words):
    done = eagle("run", BUNDLES / "histogram", *args, code=1)
    assert words in done.stderr and done.stdout == ""


def test_not_built_comes_after_legality():
    assert "was not built" in eagle("run", BUNDLES / "axpy", "--structure", "rank_partition", code=1).stderr


@pytest.mark.parametrize("args", [[], ["frobnicate"], ["run"], ["check"], ["run", "b", "--structure", "gpu"], ["check", "a", "b"]])
def test_usage_errors_exit_with_2(args):
    eagle(*args, code=2)


def test_help_is_quick_and_complete():
    times = []
    for _ in range(5):
        start = time.perf_counter()
        text = eagle("--help").stdout
        times.append(time.perf_counter() - start)
    assert all(word in text for word in ("check", "inspect", "info", "run"))
    for option in ("--structure", "--partitions", "--partition", "--threads", "--in", "--set", "--out"):
        assert option in eagle("run", "--help").stdout


HEADER = "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }"


@pytest.mark.parametrize(
    "header, words",
    [
        (HEADER.replace("<f8", "<f2"), "type '<f2'"),
        (HEADER.replace("<f8", ">f8"), "type '>f8'"),
        (HEADER.replace("<f8", "|O"), "type '|O'"),
        (HEADER.replace("'<f8'", "[('a', '<f8')]"), "structured"),
        (HEADER.replace("(4,)", "(5,)"), "holds 32 bytes"),
        (HEADER.replace("(4,)", "(-4,)"), "no tuple of counts"),
        (HEADER.replace("(4,)", "(4.0,)"), "expected"),
        (HEADER.replace("(4,)", "(4611686018427387904, 4)"), "too large"),
        (HEADER.replace("(4,)", "(99999999999999999999,)"), "no tuple of counts"),
        (HEADER.replace("(4,)", "(" + "1," * 65 + ")"), "more than 64 axes"),
        (HEADER.replace("False", "Maybe"), "neither True nor False"),
        (HEADER.replace("'shape'", "'shapes'"), "unknown key"),
        (HEADER.replace("'fortran_order': False, ", ""), "lacks"),
        (HEADER.replace("'fortran_order': False, ", "'descr': '<f8', "), "repeats"),
        (HEADER + "x", "behind its dictionary"),
        (HEADER[:-3], "expected"),
        ("", "expected"),
        ("__import__('os').system('true')", "expected"),
    ],
)
def test_hostile_npy_headers(tmp_path, header, words):
    text = header.encode() + b"\n"
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + b"\0" * 32)
    done = run(BUNDLES / "axpy", "--in", f"x={tmp_path/'x.npy'}", "--set", "a=1", "--set", "b=1", code=1)
    assert words in done.stderr and "x.npy" in done.stderr


@pytest.mark.parametrize(
    "content, words",
    [
        (b"", "is empty"),
        (b"PK\x03\x04", "magic"),
        (b"\x93NUMPY\x09\x00" + b"\0" * 64, "version 9"),
        (b"\x93NUMPY\x01\x00", "magic"),
        (b"\x93NUMPY\x01\x00\xff\xff{", "truncated"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", "at most"),
        (b"\x93NUMPY\x02\x00\xff", "magic"),
    ],
)
def test_broken_npy_files(tmp_path, content, words):
    (tmp_path / "x.npy").write_bytes(content)
    assert words in run(BUNDLES / "axpy", "--in", f"x={tmp_path/'x.npy'}", code=1).stderr


def test_paths_that_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for path, words in [(tmp_path, "regular"), (tmp_path / "fifo", "regular"), (tmp_path / "none.npy", "No such file")]:
        assert words in run(BUNDLES / "axpy", "--in", f"x={path}", code=1).stderr
