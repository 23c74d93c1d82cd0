# SPDX-License-Identifier: Apache-2.0
"""eagle tune and --profile: what is written, that results keep their bits, and what is left aside with which words."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from test_command import BUNDLES, EAGLE, copied, eagle


@pytest.fixture
def profile(tmp_path):
    return tmp_path / "profile.json"


def tune(*args, code=0):
    return eagle("tune", *args, code=code)


def test_writes_what_it_found(tmp_path, profile):
    done = tune(BUNDLES / "axpy", BUNDLES / "dot", "--samples", "1000,2^14", "--budget", "30s", "--output", profile)
    assert "axpy on host_team, 1000 samples, with made-up x, a, b" in done.stdout
    assert done.stdout.count("chosen") == 4 and done.stdout.count("█") > 20
    assert f"{profile}: 4 measurements saved; plans use it with --profile {profile}" in done.stdout
    written = json.loads(profile.read_text())
    assert (written["format"], written["version"]) == ("eagle-profile", 1)
    found = {(each["plugin"], each["samples"]): each for each in written["measurements"]}
    assert set(found) == {("axpy", 1000), ("axpy", 2**14), ("dot", 1000), ("dot", 2**14)}
    inspected = eagle("inspect", BUNDLES / "dot").stdout
    assert f"digest: {found['dot', 1000]['digest']}" in inspected
    assert all(0 < each["seconds"] <= each["default_seconds"] for each in found.values())
    assert [each.name for each in tmp_path.iterdir()] == ["profile.json"]


def test_given_planes_say_how_many_samples(tmp_path, profile):
    np.save(tmp_path / "x.npy", np.ones(777))
    done = tune(BUNDLES / "axpy", "--in", f"x={tmp_path}/x.npy", "--set", "a=2", "--budget", "20s", "--output", profile)
    assert "axpy on host_team, 777 samples, with made-up b" in done.stdout
    assert [each["samples"] for each in json.loads(profile.read_text())["measurements"]] == [777]


def test_written_planes_start_anew_each_time(tmp_path, profile):
    """countdown takes one off 'left': were it not put back, every setting but the first would give other bits."""
    np.save(tmp_path / "left.npy", np.full(2**16, 3))
    tune(BUNDLES / "countdown", "--in", f"left={tmp_path}/left.npy", "--budget", "20s", "--output", profile)
    assert (np.load(tmp_path / "left.npy") == 3).all()


def test_adds_to_a_profile_and_overwrites_nothing_else(profile):
    quick = ("--samples", 1000, "--budget", "20s", "--output", profile)
    tune(BUNDLES / "axpy", *quick)
    tune(BUNDLES / "dot", *quick)
    written = json.loads(profile.read_text())
    assert len(written["measurements"]) == 2
    others = {"{": "is no profile", "# A page": "is no profile"}
    others |= {json.dumps(written | {"machine": "another"}): "was measured on 'another'"}
    others |= {json.dumps(written | {"version": 2}): "it is of version 2"}
    for text, why in others.items():
        profile.write_text(text)
        refused = tune(BUNDLES / "axpy", *quick, code=1)
        assert why in refused.stderr and refused.stdout == ""
        assert profile.read_text() == text


def test_two_at_once_lose_nothing(profile):
    words = [EAGLE, "tune", "--samples", "100,1000,10000", "--budget", "20s", "--output", profile, BUNDLES / "axpy"]
    both = [subprocess.Popen([*words[:-1], BUNDLES / name], stdout=subprocess.DEVNULL) for name in ("axpy", "dot")]
    assert [each.wait(timeout=60) for each in both] == [0, 0]
    assert len(json.loads(profile.read_text())["measurements"]) == 6


def test_planes_with_samples_first_say_how_many(tmp_path, profile):
    for name, shape in (("x", (10, 3)), ("m", (10, 3, 3))):
        np.save(tmp_path / f"{name}.npy", np.ones(shape))
    planes = (f"--in={name}={tmp_path}/{name}.npy" for name in "xm")
    assert (
        "matvec3 on host_team, 10 samples" in tune(BUNDLES / "matvec3", *planes, "--budget", "20s", "--output", profile).stdout
    )


def test_the_budget_bounds_made_up_data_too(profile):
    start = time.monotonic()
    eagle("tune", BUNDLES / "newton", "--samples", "2^25", "--budget", "0.5s", "--output", profile, code=1)
    assert time.monotonic() - start < 10


def test_says_what_it_does_not_tune(profile):
    done = tune(BUNDLES / "histogram", "--output", profile)
    assert "nothing to tune: a cross_sample_write body runs whole, on one thread" in done.stdout
    done = tune(BUNDLES / "emit", BUNDLES / "axpy", "--samples", 100, "--budget", "20s", "--output", profile, code=1)
    assert "argument 'pairs' (wide_out) is not given, and only you know its size: --in pairs=FILE.npy" in done.stderr
    assert "1 measurement saved" in done.stdout
    short = tune(BUNDLES / "axpy", "--samples", "2^22", "--budget", "0.001s", "--output", profile, code=1)
    assert "no time to measure anything: give more with --budget" in short.stdout


def test_refuses_what_cannot_be(tmp_path, profile):
    for samples in ("x", "-1", "1.5", "2^x", "1e300", ""):
        assert "--samples" in eagle("tune", BUNDLES / "axpy", "--samples", samples, code=1).stderr
    assert "--budget" in tune(BUNDLES / "axpy", "--budget", "-1s", code=2).stderr
    assert "no_such" in tune(tmp_path / "no_such", code=1).stderr
    assert "'dot'" in tune(BUNDLES / "axpy", "--plugin", "dot", code=1).stderr
    for place in (tmp_path, "/proc/none/p.json", BUNDLES / "axpy" / "manifest.json" / "p.json"):
        refused = tune(BUNDLES / "axpy", "--samples", 10, "--budget", "20s", "--output", place, code=1)
        assert str(place) in refused.stderr and refused.stdout == ""
    assert "is empty" in tune(BUNDLES / "axpy", "--output", "", code=2).stderr
    np.save(tmp_path / "x.npy", np.ones(10))
    assert "--samples" in tune(BUNDLES / "axpy", "--in", f"x={tmp_path}/x.npy", "--samples", "abc", code=1).stderr


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core has one setting")
def test_names_a_body_whose_bits_depend_on_the_setting(profile):
    done = tune(Path(os.environ["EAGLE_HOST_BUNDLES"]) / "who", "--samples", 1000, "--output", profile, code=1)
    assert "plugin 'who': output 'who' has other bits with threads=1" in done.stderr
    assert "reads or writes what its declaration (sample_local) does not say" in done.stderr
    assert not profile.exists()


def test_ctrl_c_keeps_what_is_there(profile):
    running = subprocess.Popen(
        [EAGLE, "tune", BUNDLES / "newton", "--samples", "1000,2^24", "--budget", "1000s", "--output", profile],
        stdout=subprocess.PIPE,
        text=True,
    )
    for _ in range(600):
        if profile.exists():
            break
        time.sleep(0.1)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "saved before the interruption" in out
    assert json.loads(profile.read_text())["measurements"][0]["samples"] == 1000


def test_run_with_a_profile_keeps_its_bits(tmp_path, profile):
    np.save(tmp_path / "x.npy", np.random.default_rng(1).random(300_000))
    arguments = ("run", BUNDLES / "dot", "--structure", "host_team", *(f"--in={name}={tmp_path}/x.npy" for name in "xy"))
    due = eagle(*arguments).stdout
    tune(BUNDLES / "dot", "--samples", 300_000, "--budget", "20s", "--output", profile)
    written = json.loads(profile.read_text())
    settings = [(1, "static", 0), (2, "static", 0), (2, "dynamic", 1), (2, "dynamic", 1009), (3, "dynamic", 2**40)]
    for threads, schedule, tile in settings:
        written["measurements"][0] |= {"threads": threads, "schedule": schedule, "tile": tile}
        profile.write_text(json.dumps(written))
        done = eagle(*arguments, "--profile", profile)
        assert (done.stdout, done.stderr) == (due, "")


def test_profiles_of_something_else_are_left_aside_with_a_line(tmp_path, profile):
    np.save(tmp_path / "x.npy", np.ones(100))
    inputs = ("--structure", "host_team", "--in", f"x={tmp_path}/x.npy", "--set", "a=1", "--set", "b=1", "--profile", profile)
    assert "profile.json: No such file" in eagle("run", BUNDLES / "axpy", *inputs, code=1).stderr
    tune(BUNDLES / "axpy", "--samples", 100, "--budget", "20s", "--output", profile)
    assert eagle("run", BUNDLES / "axpy", *inputs).stderr == ""
    rebuilt = copied(tmp_path, "axpy", lambda manifest: manifest.update(note="rebuilt"))
    assert (
        eagle("run", rebuilt, *inputs).stderr.count("is ignored: it is stale, measured with another build of plugin 'axpy'")
        == 1
    )
    foreign = json.loads(profile.read_text()) | {"machine": "another"}
    profile.write_text(json.dumps(foreign))
    line = eagle("run", BUNDLES / "axpy", *inputs).stderr
    assert line.count("\n") == 1 and "is ignored: it was measured on 'another', and this machine is" in line
