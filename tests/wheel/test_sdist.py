# SPDX-License-Identifier: Apache-2.0
"""The sdist of the Python package is the source tree: nothing is missing, and nothing that was built or fetched is in it."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

SOURCE = Path(os.environ["EAGLE_SOURCE"]).resolve()


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The bytes of its files, by their names in the tree."""
    pytest.importorskip("scikit_build_core")
    folder = tmp_path_factory.mktemp("sdist")
    make = f"from scikit_build_core.build import build_sdist; build_sdist({str(folder)!r})"
    subprocess.run([sys.executable, "-B", "-c", make], cwd=SOURCE, check=True)
    [path] = folder.iterdir()
    with tarfile.open(path) as tar:
        members = [member for member in tar if member.isfile()]
        return {member.name.partition("/")[2]: tar.extractfile(member).read() for member in members}


def test_it_holds_the_tree_and_nothing_else(sdist):
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=SOURCE, capture_output=True, text=True, check=True
    )
    names = [name for name in listed.stdout.split("\0") if name and (SOURCE / name).is_file()]
    assert sorted(sdist) == sorted([*names, "PKG-INFO"])
    assert [name for name in names if sdist[name] != (SOURCE / name).read_bytes()] == []


def test_its_version_is_the_projects(sdist):
    [version] = [line.split()[2] for line in (SOURCE / "CMakeLists.txt").read_text().splitlines() if "project(eagle" in line]
    assert f"\nVersion: {version}\n" in sdist["PKG-INFO"].decode()
