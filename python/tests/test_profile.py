# SPDX-License-Identifier: Apache-2.0
"""plan(profile=): the bits of no profile, one warning where it is of something else, errors where it is none."""

import json
import subprocess
import warnings

import eagle
import numpy as np
import pytest


@pytest.fixture
def profile(tmp_path, bundles, build):
    """A profile of dot at 2^16 samples, as `eagle tune` writes it."""
    file = tmp_path / "profile.json"
    words = [build / "bin" / "eagle", "tune", bundles / "dot", "--samples", "2^16", "--budget", "20s", "--output", file]
    subprocess.run(words, check=True, capture_output=True)
    return file


def edit(file, **changes):
    text = json.loads(file.read_text())
    for name, value in changes.items():
        (text if name in text else text["measurements"][0])[name] = value
    file.write_text(json.dumps(text))


@pytest.mark.parametrize(("threads", "schedule", "tile"), [(1, "static", 0), (2, "dynamic", 1), (2, "dynamic", 1009)])
def test_keeps_every_bit(host, profile, threads, schedule, tile):
    edit(profile, threads=threads, schedule=schedule, tile=tile)
    x = np.random.default_rng(1).random(100_003)
    due = host("dot", threads=1).run(x=x, y=x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = host("dot", profile=profile)
        assert made.run(x=x, y=x).hex() == due.hex()
    assert str(profile) in repr(made)


def test_is_ignored_with_a_warning(host, profile):
    x = np.ones(1000)
    with pytest.warns(eagle.ProfileWarning, match="it says nothing of plugin 'axpy'") as told:
        made = host("axpy", profile=str(profile))
    assert len(told) == 1
    assert "is ignored" in repr(made) and (made.run(x=x, a=2.0, b=1.0) == 3).all()
    edit(profile, machine="another")
    with pytest.warns(eagle.ProfileWarning, match="measured on 'another'"):
        host("dot", profile=profile)
    with warnings.catch_warnings():
        warnings.simplefilter("error", eagle.ProfileWarning)
        with pytest.raises(eagle.ProfileWarning, match="measured on 'another'"):
            host("dot", profile=profile)


def test_true_looks_where_the_environment_says(host, profile, monkeypatch, tmp_path):
    monkeypatch.setenv("EAGLE_PROFILE", str(profile))
    assert str(profile) in repr(host("dot", profile=True))
    assert str(profile) in repr(host("dot"))
    assert "host_team, about 65536 samples: " in repr(host("dot"))
    assert "profile" not in repr(host("dot", profile=False))
    assert "profile" not in repr(host("histogram"))  # runs whole on one thread, so that there is nothing to choose
    monkeypatch.delenv("EAGLE_PROFILE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.warns(eagle.ProfileWarning, match="No such file"):
        host("dot", profile=True)


def test_what_is_no_profile_is_refused(host, tmp_path):
    with pytest.raises(FileNotFoundError, match="none"):
        host("dot", profile=tmp_path / "none")
    (tmp_path / "no.json").write_text("{}")
    with pytest.raises(ValueError, match="is no profile"):
        host("dot", profile=tmp_path / "no.json")
    for wrong, kind in ((3, TypeError), (["a"], TypeError), ("", ValueError), ("a\0b", ValueError)):
        with pytest.raises(kind, match="profile"):
            host("dot", profile=wrong)
