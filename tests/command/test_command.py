# SPDX-License-Identifier: Apache-2.0
"""The eagle command: results against NumPy, refusals by their words and exit codes."""

import json
import os
import pathlib
import re
import resource
import shutil
import stat
import struct
import subprocess

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


def copied(tmp_path, name, edit):
    """A copy of a worked bundle whose manifest is edited."""
    bundle = tmp_path / f"{name}_copy"
    shutil.copytree(BUNDLES / name, bundle)
    manifest = json.loads((bundle / "manifest.json").read_text())
    edit(manifest)
    (bundle / "manifest.json").write_text(json.dumps(manifest))
    return bundle


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


def test_check_as_json_is_json_whatever_there_is(tmp_path):
    report = json.loads(eagle("check", tmp_path / "none", "--json", code=1).stdout)
    assert not report["ok"] and [f["code"] for f in report["findings"]] == ["not-found"]
    assert str(tmp_path / "none") in report["findings"][0]["message"]
    assert "none" in eagle("check", tmp_path / "none", code=1).stderr
    bundle = tmp_path / "bad"
    shutil.copytree(DATA / "bundles" / "mixed_two", bundle)
    ptx = (bundle / "mixed.ptx").read_bytes()
    (bundle / "mixed.ptx").write_bytes(ptx.replace(b"eagle_abi_tag[", b"eagle_abi_tag[\xff", 1))
    done = subprocess.run([EAGLE, "check", bundle, "--json"], capture_output=True, timeout=120)
    report = json.loads(done.stdout.decode("utf-8"))
    assert done.returncode == 1 and any("\\xff" in f["message"] for f in report["findings"])


def test_nothing_in_a_bundle_steers_the_terminal(tmp_path):
    bundle = copied(tmp_path, "axpy", lambda manifest: manifest["plugins"][0].update(id="\x1b[31mred\u009b"))
    for done in [
        eagle("check", bundle, code=1),
        eagle("inspect", bundle, code=1),
        run(bundle, code=1),
        run(BUNDLES / "axpy", "--plugin", "\x1b[31mred\u009b", code=1),
    ]:
        assert "\\x1b[31mred\\x9b" in done.stdout + done.stderr
        assert not set("\x1b\u009b") & set(done.stdout + done.stderr)


def test_a_disabled_plugin_is_named_as_such(tmp_path):
    bundle = copied(tmp_path, "axpy", lambda manifest: manifest["plugins"][0].update(enabled=False))
    for args in [[], ["--plugin", "axpy"]]:
        assert "disables 'axpy'" in run(bundle, *args, code=1).stderr


@pytest.mark.parametrize("args", [["--help"], ["info"], ["inspect", BUNDLES / "axpy"], ["check", BUNDLES / "axpy", "--json"]])
def test_output_that_cannot_be_printed_is_a_failure(args):
    with open("/dev/full", "w") as full:
        done = subprocess.run([EAGLE, *map(str, args)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 1 and "standard output cannot be written" in done.stderr


def test_inspect_shows_arguments():
    text = eagle("inspect", DATA / "bundles" / "mixed_two").stdout
    assert "mixed: sample_local" in text and "per_sample" in text and "int64" in text


def test_inspect_says_that_a_mapreduce_gives_one_value():
    assert re.search(r"accum_out +total +float64 +one value\n", eagle("inspect", BUNDLES / "dot").stdout)
    assert re.search(r"accum_out +bins +float64 +own length\n", eagle("inspect", BUNDLES / "histogram").stdout)


@pytest.mark.parametrize(
    "bundle, files",
    [
        (DATA / "bundles" / "mixed_two", ["manifest.json", "mixed.json", "mixed.ptx", "mixed.so"]),
        (DATA / "bundles" / "mr_sum_guard", ["manifest.json", "mr_sum_guard.json", "mr_sum_guard.so"]),
    ],
)
def test_inspect_shows_the_digest(bundle, files):
    command = "sha256sum " + " ".join(files) + " | cut -c 1-64 | sha256sum"
    digest = subprocess.run(command, shell=True, cwd=bundle, capture_output=True, text=True, check=True).stdout.split()[0]
    assert f"  digest: {digest}\n" in eagle("inspect", bundle).stdout


def test_a_required_digest_pins_what_runs(tmp_path, x):
    bundle = tmp_path / "bundle"
    shutil.copytree(BUNDLES / "axpy", bundle)
    digest = re.search(r"digest: (\w+)", eagle("inspect", bundle).stdout)[1]
    axpy(tmp_path, "--require-digest", digest, "--out", f"y={tmp_path}/y.npy")
    assert (np.load(tmp_path / "y.npy") == x + 1).all()
    eagle("inspect", bundle, "--require-digest", digest)
    with open(bundle / "axpy.json", "a") as sidecar:
        sidecar.write("\n")
    for command in (["inspect"], ["run", "--structure", "host_team"], ["tune", "--budget", "1s"]):
        done = eagle(command[0], bundle, *command[1:], "--require-digest", digest, code=1)
        assert "its digest is" in done.stderr and digest in done.stderr and not done.stdout
    for wrong in ("0", "g" * 64, digest.upper(), digest + "0"):
        assert "64 digits" in eagle("inspect", bundle, "--require-digest", wrong, code=1).stderr
    eagle("inspect", bundle, "--require-digest", "", code=2)


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
    for name, array in {
        "c": p,
        "fortran": np.asfortranarray(p),
        "sample": np.ascontiguousarray(p.T),
        "transposed": p.T,
    }.items():
        np.save(tmp_path / "p.npy", array)
        run(BUNDLES / "drift3", "--in", f"p={tmp_path/'p.npy'}", "--in", f"v={tmp_path/'v.npy'}", "--set", "dt=0.5",
            "--out", f"q={tmp_path/'q.npy'}")  # fmt: skip
        assert np.load(tmp_path / "q.npy").tobytes() == expected.tobytes(), name
    for version in [(1, 0), (2, 0), (3, 0)]:
        with open(tmp_path / "p.npy", "wb") as file:
            np.lib.format.write_array(file, p, version=version)
        run(BUNDLES / "drift3", "--in", f"p={tmp_path / 'p.npy'}", "--in", f"v={tmp_path / 'v.npy'}", "--set", "dt=0.5")


def test_bundles_made_elsewhere_equal_numpy(tmp_path):
    n = 1000
    rng = np.random.default_rng(3)
    k, x = rng.integers(-(2**40), 2**40, n), rng.standard_normal(n)
    np.save(tmp_path / "k.npy", k)
    np.save(tmp_path / "x.npy", x)
    run(DATA / "bundles" / "mixed_two", "--partitions", "3", "--in", f"k={tmp_path/'k.npy'}", "--in", f"x={tmp_path/'x.npy'}",
        "--set", "s=-7", "--out", f"j={tmp_path/'j.npy'}", "--out", f"y={tmp_path/'y.npy'}")  # fmt: skip
    assert (np.load(tmp_path / "j.npy") == k - 7).all()
    assert np.load(tmp_path / "y.npy").tobytes() == (np.arange(n) / n + (x + (k * -7).astype(float))).tobytes()

    m, v = rng.standard_normal((2, 3, n)), rng.standard_normal((3, n))
    np.save(tmp_path / "m.npy", m)
    np.save(tmp_path / "v.npy", v)
    run(DATA / "bundles" / "matvec_two", "--in", f"m={tmp_path/'m.npy'}", "--in", f"x={tmp_path/'v.npy'}",
        "--out", f"mt={tmp_path/'mt.npy'}", "--out", f"y={tmp_path/'w.npy'}")  # fmt: skip
    assert np.load(tmp_path / "mt.npy").tobytes() == m.transpose(1, 0, 2).reshape(6, n).tobytes()
    assert np.allclose(np.load(tmp_path / "w.npy"), np.einsum("rcn,cn->rn", m, v), rtol=0, atol=1e-14)

    mask = rng.random(n) < 0.3
    np.save(tmp_path / "t.npy", mask)
    np.save(tmp_path / "x.npy", np.arange(n, dtype=float))
    out = run(
        DATA / "bundles" / "mr_sum_guard", "--in", f"x={tmp_path / 'x.npy'}", "--in", f"terminated={tmp_path / 't.npy'}"
    ).stdout
    assert out.startswith(f"total = {np.arange(n)[~mask].sum()} (bits 0x")


def test_a_plane_that_starts_from_data_leaves_its_input_file_alone(tmp_path, x):
    start = np.array([1.0, 2.0, 3.0, 4.0])
    np.save(tmp_path / "bins.npy", start)
    args = [
        "--in",
        f"x={tmp_path / 'x.npy'}",
        "--in",
        f"bins={tmp_path / 'bins.npy'}",
        "--set",
        "lo=-1",
        "--set",
        "hi=1",
        "--set",
        "nbins=4",
    ]
    run(BUNDLES / "histogram", *args, "--out", f"bins={tmp_path / 'new.npy'}")
    counts = np.bincount(np.clip(np.floor((x + 1) / 2 * 4), 0, 3).astype(int), minlength=4)
    assert (np.load(tmp_path / "new.npy") == start + counts).all()
    assert (np.load(tmp_path / "bins.npy") == start).all()
    run(BUNDLES / "histogram", *args, "--out", f"bins={tmp_path / 'bins.npy'}")
    assert (np.load(tmp_path / "bins.npy") == start + counts).all()


def test_a_refused_run_writes_nothing(tmp_path, x):
    out = tmp_path / "y.npy"
    before = sorted(tmp_path.iterdir())
    run(BUNDLES / "axpy", "--in", f"x={tmp_path / 'x.npy'}", "--set", "a=1", "--out", f"y={out}", code=1)
    run(BUNDLES / "axpy", "--in", f"x={tmp_path/'x.npy'}", "--set", "a=1", "--set", "b=1",
        "--out", f"y={tmp_path/'missing'/'y.npy'}", code=1)  # fmt: skip
    assert sorted(tmp_path.iterdir()) == before


def axpy(tmp_path, *args, **kwargs):
    return run(BUNDLES / "axpy", "--in", f"x={tmp_path / 'x.npy'}", "--set", "a=1", "--set", "b=1", *args, **kwargs)


def test_only_regular_files_are_replaced(tmp_path, x):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "link_to_fifo").symlink_to(tmp_path / "fifo")
    try:
        os.mknod(tmp_path / "device", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        devices = ["device"]
    except PermissionError:
        devices = []
    before = {path: os.lstat(path).st_ino for path in tmp_path.iterdir()}
    for name, words in [
        *((device, "no regular file") for device in devices),
        ("fifo", "no regular file"),
        ("link_to_fifo", "no regular file"),
        ("folder", "no regular file"),
        ("folder/", "no regular file"),
        ("dangling", "link to nothing"),
        ("missing/y.npy", "folder cannot be found"),
        ("x.npy/y.npy", "Not a directory"),
    ]:
        done = axpy(tmp_path, "--out", f"y={tmp_path}/{name}", code=1)
        assert name in done.stderr and words in done.stderr
    assert {path: os.lstat(path).st_ino for path in tmp_path.iterdir()} == before


def test_a_link_stays_and_its_file_is_replaced(tmp_path, x):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "y.npy").write_bytes(b"old")
    (tmp_path / "link.npy").symlink_to("folder/y.npy")
    axpy(tmp_path, "--out", f"y={tmp_path / 'link.npy'}")
    assert (tmp_path / "link.npy").is_symlink()
    assert (np.load(tmp_path / "folder" / "y.npy") == x + 1).all()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["folder", "link.npy", "x.npy", "y.npy"]


def test_a_file_that_is_replaced_leaves_its_permissions_and_owner(tmp_path, x):
    place, umask = tmp_path / "y.npy", os.umask(0o022)
    for mode in (0o600, 0o664, 0o644):
        place.write_bytes(b"old")
        place.chmod(mode)
        if os.geteuid() == 0:
            os.chown(place, 12345, 23456)
        before = place.stat()
        axpy(tmp_path, "--out", f"y={place}")
        after = place.stat()
        assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
        assert (np.load(place) == x + 1).all()
    place.unlink()
    axpy(tmp_path, "--out", f"y={place}")
    assert stat.S_IMODE(place.stat().st_mode) == 0o644
    os.umask(umask)


def test_a_file_that_is_replaced_leaves_its_access_list(tmp_path, x):
    """That of user::rw-, user:1001:rw-, group::---, mask::rw-, other::---, as acl(5) numbers them, in Linux' binary form."""
    place = tmp_path / "y.npy"
    place.write_bytes(b"old")
    entries = [(0x01, 6, 2**32 - 1), (0x02, 6, 1001), (0x04, 0, 2**32 - 1), (0x10, 6, 2**32 - 1), (0x20, 0, 2**32 - 1)]
    try:
        os.setxattr(
            place, "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *each) for each in entries)
        )
    except OSError as error:
        pytest.skip(f"this file system has no access lists: {error}")
    before = os.getxattr(place, "system.posix_acl_access"), place.stat().st_mode
    axpy(tmp_path, "--out", f"y={place}")
    assert (os.getxattr(place, "system.posix_acl_access"), place.stat().st_mode) == before


@pytest.mark.parametrize("how", ["2>&-", "2>/dev/full"])
def test_errors_that_cannot_be_written_end_as_others_do(tmp_path, x, how):
    def code(*args):
        return subprocess.run(["sh", "-c", f'"$@" {how}', "sh", EAGLE, *map(str, args)], timeout=60).returncode

    assert code("check", tmp_path / "nothing") == code("inspect", tmp_path / "nothing") == 1
    assert code("no_such_command") == 2
    run = ("run", BUNDLES / "axpy", "--structure", "host_team", "--set", "a=1", "--set", "b=1", "--in", f"x={tmp_path}/x.npy")
    assert code(*run, "--time", "--out", f"y={tmp_path}/y.npy") == 0
    assert (np.load(tmp_path / "y.npy") == x + 1).all()


def test_no_variable_of_the_environment_redirects_a_load(tmp_path, x, monkeypatch):
    """A library of the same name that lies where the loader looks for others'."""
    shutil.copy(BUNDLES / "saxpy" / "saxpy.so", tmp_path / "axpy.so")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    axpy(tmp_path, "--out", f"y={tmp_path}/y.npy")
    assert (np.load(tmp_path / "y.npy") == x + 1).all()


def test_a_place_that_cannot_be_written_is_refused_before_the_run(tmp_path, x):
    """'b' is missing, which the run would name."""
    for place, words in [
        ("/proc/self/fdinfo/y.npy", "cannot be created"),
        (f"{tmp_path}/missing/y.npy", "folder"),
        (tmp_path, "regular"),
    ]:
        done = run(BUNDLES / "axpy", "--in", f"x={tmp_path / 'x.npy'}", "--set", "a=1", "--out", f"y={place}", code=1)
        assert str(place) in done.stderr and words in done.stderr


@pytest.mark.skipif("EAGLE_SANITIZER" in os.environ, reason="ThreadSanitizer has files of its own")
def test_a_file_that_may_not_grow_is_an_error_that_leaves_what_was_there(tmp_path, x):
    before = sorted(tmp_path.iterdir())

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # SIGXFSZ at the first byte beyond, unless it is ignored

    for out in ["y.npy", "x.npy"]:
        args = ["--in", f"x={tmp_path / 'x.npy'}", "--set", "a=1", "--set", "b=1", "--out", f"y={tmp_path / out}"]
        done = subprocess.run(
            [EAGLE, "run", BUNDLES / "axpy", "--structure", "host_team", *args], preexec_fn=limit, timeout=120
        )
        assert done.returncode == 1
        assert sorted(tmp_path.iterdir()) == before and (np.load(tmp_path / "x.npy") == x).all()


@pytest.mark.skipif("EAGLE_SANITIZER" in os.environ, reason="a sanitizer needs addresses without a limit")
def test_threads_that_cannot_be_created_are_a_refusal(tmp_path, x):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))  # 512 stacks of 8 MiB do not fit

    given = ["--in", f"x={tmp_path / 'x.npy'}", "--set", "a=1", "--set", "b=1", "--out", f"y={tmp_path}/y.npy"]
    team = ["--structure", "host_team", "--threads", "512", "--schedule", "dynamic"]  # a small static run may need no team
    for started in ("1", "512"):
        environment = os.environ | {"OMP_NUM_THREADS": started}
        command = [EAGLE, "run", BUNDLES / "axpy", *team, *given]
        done = subprocess.run(command, preexec_fn=limit, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 1 and "a team of 512 threads cannot start: the system gives" in done.stderr
        assert not (tmp_path / "y.npy").exists()


def newton(tmp_path, *args, **kwargs):
    np.save(tmp_path / "four.npy", np.full(5, 4.0))
    return run(BUNDLES / "newton", "--in", f"x={tmp_path / 'four.npy'}", *args, **kwargs)


def test_two_outputs_never_share_a_file(tmp_path, x):
    (tmp_path / "folder").mkdir()
    (tmp_path / "here").symlink_to(".")
    for other in ["./r.npy", "folder/../r.npy", "here/r.npy"]:
        done = newton(tmp_path, "--out", f"root={tmp_path / 'r.npy'}", "--out", f"steps={tmp_path}/{other}", code=1)
        assert "twice" in done.stderr and not (tmp_path / "r.npy").exists()


def test_planes_that_are_given_and_written_in_place_are_written_out(tmp_path):
    left, done = np.array([1, 2, 1, 5]), np.array([False, False, True, False])
    np.save(tmp_path / "left.npy", left)
    np.save(tmp_path / "done.npy", done)
    out = run(BUNDLES / "countdown", "--in", f"left={tmp_path/'left.npy'}", "--in", f"done={tmp_path/'done.npy'}",
              "--out", f"done={tmp_path/'new.npy'}", "--out", f"left={tmp_path/'less.npy'}").stdout  # fmt: skip
    assert (np.load(tmp_path / "new.npy") == [True, False, True, False]).all()
    assert (np.load(tmp_path / "less.npy") == [0, 1, 1, 4]).all()
    assert (np.load(tmp_path / "done.npy") == done).all()
    assert f"done: bool (4,), {tmp_path / 'new.npy'}\n" in out


def test_a_scalar_is_printed_and_written(tmp_path, x):
    out = tmp_path / "largest.npy"
    text = run(BUNDLES / "maximum", "--in", f"x={tmp_path / 'x.npy'}", "--out", f"largest={out}").stdout
    assert text.startswith(f"largest = {float(x.max())!r} (bits 0x") and text.endswith(f", {out}\n")
    assert np.load(out).shape == () and np.load(out) == x.max()


def test_layout_settles_square_planes(tmp_path):
    p, v = np.random.default_rng(3).standard_normal((2, 3, 3))
    np.save(tmp_path / "p.npy", p)
    np.save(tmp_path / "v.npy", v)
    args = [
        "--in",
        f"p={tmp_path / 'p.npy'}",
        "--in",
        f"v={tmp_path / 'v.npy'}",
        "--set",
        "dt=0.5",
        "--out",
        f"q={tmp_path / 'q.npy'}",
    ]
    assert "layout" in run(BUNDLES / "drift3", *args, code=1).stderr
    run(BUNDLES / "drift3", *args, "--layout", "p=sample", "--layout", "v=component")
    assert (np.load(tmp_path / "q.npy") == p.T + 0.5 * v).all()


@pytest.mark.parametrize(
    "args, words",
    [
        (["--structure", "host_team", "--partitions", "2"], "single-device structures only"),
        (["--structure", "rank_partition"], "single-device structures only"),
        (["--structure", "host_team", "--inner", "host_team"], "only rank_partition has an inner"),
        (["--structure", "host_team", "--set", "lo"], "NAME=NUMBER is accepted"),
        (["--structure", "host_team", "--set", "lo=abc"], "a number is accepted"),
        (["--structure", "host_team", "--set", "lo=1", "--set", "lo=2"], "twice"),
        (["--structure", "host_team", "--partition", "0-5"], "BASE:COUNT is accepted"),
        (["--structure", "host_team", "--partition", "1:5"], "must start"),
        (["--structure", "host_team", "--plugin", "nope"], "it holds 'histogram'"),
        (["--structure", "host_team", "--out", "x=f.npy"], "it writes bins"),
        (["--structure", "host_team", "--in", "x=/nonexistent.npy"], "/nonexistent.npy"),
        (["--structure", "host_team", "--threads", "-2"], "threads is -2"),
        (["--structure", "host_team", "--threads", "-2", "--partitions", "2"], "single-device structures only"),
        (["--structure", "host_team", "--inner", "host_team", "--partitions", "2"], "single-device structures only"),
        (["--structure", "host_team", "--set", "lo=+-5"], "a number is accepted"),
        (["--structure", "host_team", "--layout", "x=rows"], "component or sample"),
        (["--structure", "host_team", "--devices", "0"], "--devices is refused"),
        (["--structure", "host_team", "--layout", "z=sample"], "layout names 'z'"),
    ],
)
def test_refusals_exit_with_1_and_say_why(args, words):
    done = eagle("run", BUNDLES / "histogram", *args, code=1)
    assert words in done.stderr and done.stdout == ""


@pytest.mark.parametrize("devices", ["0,", ",", "a", "0,,1", "0.5"])
def test_devices_are_a_list_of_ordinals(devices):
    done = eagle("run", BUNDLES / "axpy", "--structure", "device_group", "--devices", devices, code=1)
    assert f"--devices {devices}: ordinals are accepted, e.g. 0,1" in done.stderr or "ships 'host'" in done.stderr


@pytest.mark.parametrize("structure", ["device_kernel", "device_group"])
def test_a_machine_without_devices_is_told(structure):
    done = subprocess.run(
        [EAGLE, "run", BUNDLES / "axpy", "--structure", structure],
        capture_output=True,
        text=True,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
    )
    reasons = ("no CUDA device can be used", "ships 'host'", "was not built into this eagle")
    assert done.returncode == 1 and any(each in done.stderr for each in reasons)


@pytest.mark.parametrize(
    "args", [[], ["frobnicate"], ["run"], ["check"], ["run", "b", "--structure", "gpu"], ["check", "a", "b"]]
)
def test_usage_errors_exit_with_2(args):
    eagle(*args, code=2)


def test_help_is_complete():
    text = eagle("--help").stdout
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
        (HEADER.replace("<f8", "\x1b[31m"), "type '\\x1b[31m'"),
        (HEADER.replace("'shape'", "'\x1b]0;'"), "unknown key '\\x1b]0;'"),
        (HEADER.replace("(4,)", "(4LL,)"), "expected"),
        (HEADER + "x", "behind its dictionary"),
        (HEADER[:-3], "expected"),
        ("", "expected"),
        ("__import__('os').system('true')", "expected"),
    ],
)
def test_hostile_npy_headers(tmp_path, header, words):
    text = header.encode() + b"\n"
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + b"\0" * 32)
    done = run(BUNDLES / "axpy", "--in", f"x={tmp_path / 'x.npy'}", "--set", "a=1", "--set", "b=1", code=1)
    assert words in done.stderr and "x.npy" in done.stderr and "\x1b" not in done.stderr


@pytest.mark.parametrize("padding", range(1, 9))
@pytest.mark.parametrize("shape", ["(4,)", "(4L,)"])
def test_npy_data_may_lie_anywhere(tmp_path, padding, shape):
    values = np.array([1.5, -2, 0, 1e300])
    text = HEADER.replace("(4,)", shape).encode() + b" " * padding + b"\n"
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + values.tobytes())
    axpy(tmp_path, "--out", f"y={tmp_path / 'y.npy'}")
    assert (np.load(tmp_path / "y.npy") == values + 1).all()


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
    assert words in run(BUNDLES / "axpy", "--in", f"x={tmp_path / 'x.npy'}", code=1).stderr


def test_paths_that_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for path, words in [(tmp_path, "regular"), (tmp_path / "fifo", "regular"), (tmp_path / "none.npy", "No such file")]:
        assert words in run(BUNDLES / "axpy", "--in", f"x={path}", code=1).stderr


def on_ranks(ranks, *args, **options):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if ranks > (os.cpu_count() or 1):
        environment["MPIR_CVAR_ENABLE_HEAVY_YIELD"] = "1"
    command = ["mpiexec", "-n", str(ranks), EAGLE, "run", *map(str, args), "--structure", "rank_partition"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, **options)


RANKED = pytest.mark.skipif(
    shutil.which("mpiexec") is None
    or "rank_partition not built" in subprocess.run([EAGLE, "info"], capture_output=True, text=True).stdout,
    reason="this eagle has no MPI",
)


@RANKED
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_ranks_give_what_one_process_gives(tmp_path, x, ranks):
    np.save(tmp_path / "x.npy", x)
    out = tmp_path / "y.npy"
    inputs = ["--in", f"x={tmp_path / 'x.npy'}", "--set", "a=2.5", "--set", "b=-1.5", "--partitions", "3"]
    done = on_ranks(ranks, BUNDLES / "axpy", *inputs, "--inner", "host_team", "--out", f"y={out}")
    assert len(done.stdout.splitlines()) == 1 and done.stderr == "", done.stderr
    np.testing.assert_array_equal(np.load(out), 2.5 * x - 1.5)
    single = run(BUNDLES / "dot", "--in", f"x={tmp_path / 'x.npy'}", "--in", f"y={tmp_path / 'x.npy'}").stdout
    assert (
        on_ranks(ranks, BUNDLES / "dot", "--in", f"x={tmp_path / 'x.npy'}", "--in", f"y={tmp_path / 'x.npy'}").stdout == single
    )


@RANKED
def test_what_ranks_refuse_is_said_once(tmp_path, x):
    np.save(tmp_path / "x.npy", x)
    for args, words in [
        ([BUNDLES / "nowhere"], "nowhere"),
        ([BUNDLES / "histogram"], "single-device structures only"),
        ([BUNDLES / "axpy", "--in", f"x={tmp_path / 'missing.npy'}", "--set", "a=1", "--set", "b=1"], "missing.npy"),
        ([BUNDLES / "axpy", "--in", f"x={tmp_path / 'x.npy'}", "--set", "a=1"], "argument 'b'"),
        (
            [
                BUNDLES / "axpy",
                "--in",
                f"x={tmp_path / 'x.npy'}",
                "--set",
                "a=1",
                "--set",
                "b=1",
                "--out",
                f"y={tmp_path}/no/y.npy",
            ],
            "no/y.npy",
        ),
    ]:
        done = on_ranks(2, *args)
        lines = [line for line in done.stderr.splitlines() if line.startswith("eagle:")]
        assert len(lines) == 1 and words in lines[0] and done.stdout == "", done.stderr


@RANKED
def test_a_rank_that_is_killed_leaves_no_output(tmp_path):
    """One rank dies in the middle of a long run."""
    slow = BUNDLES.parent / "tests" / "host_team" / "bundles" / "slow"
    script = tmp_path / "rank.sh"
    script.write_text('[ "${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}" != 1 ] || { (sleep 1; kill -9 $$) & }\nexec "$@"\n')
    command = ["mpiexec", "-n", "2", "sh", script, EAGLE, "run", slow, "--structure", "rank_partition", "--samples", "20000"]
    done = subprocess.run(
        [*map(str, command), "--set", "microseconds=500", "--out", f"y={tmp_path / 'y.npy'}"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "y:" not in done.stdout
    assert not (tmp_path / "y.npy").exists()


@pytest.mark.parametrize(
    "options, words",
    [
        ("--structure host_team --device 0", "--device is refused: it is an option of device_kernel"),
        ("--structure host_team --block 64", "--block is refused"),
        ("--structure device_kernel --threads 2", "--threads is refused: it is an option of host_team"),
        ("--structure device_kernel --schedule dynamic", "--schedule is refused"),
        ("--structure device_kernel --tile 64", "--tile is refused"),
        ("--structure rank_partition --inner host_team --device 0", "drives the body with host_team"),
    ],
)
def test_options_of_another_structure(options, words):
    assert words in eagle("run", BUNDLES / "axpy", *options.split(), "--set", "a=1", "--set", "b=2", code=1).stderr
