# SPDX-License-Identifier: Apache-2.0
"""scripts/repair_wheel.py takes no library without a licence into a wheel."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(os.environ["EAGLE_SOURCE"]) / "scripts"))
import repair_wheel  # noqa: E402

ALWAYS = {"fmt", "gcc", "rapidjson", "cli11", "pybind11"}


@pytest.fixture
def prefix(tmp_path, monkeypatch):
    """The only place in which licences are looked for, with all that a container has for a wheel of an older system."""
    monkeypatch.setattr(repair_wheel, "prefixes", lambda: [tmp_path])
    texts = [f"share/licenses/{name}/LICENSE" for name in ("kokkos", "fmt", "rapidjson", "cli11", "openssl-libs")]
    texts += [f"share/licenses/libgcc/{name}" for name in ("COPYING3", "COPYING.RUNTIME", "COPYING")]
    texts.append("lib/python3.12/site-packages/pybind11-3.1.0.dist-info/licenses/LICENSE")
    for name in texts:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"text of {name}")
    return tmp_path


@pytest.fixture
def tree(tmp_path):
    """An unpacked wheel."""
    for name in ("libkokkoscore-1a.so.4.6.1", "libgomp-2b.so.1.0.0", "libcrypto-3c.so.1.1.1k"):
        path = tmp_path / "tree" / "eagle_exec.libs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "tree" / "eagle_exec-1.dist-info").mkdir()
    return tmp_path / "tree"


def test_each_part_has_its_texts(prefix, tree):
    repair_wheel.add_licences(tree)
    folder = tree / "eagle_exec-1.dist-info" / "licenses" / "carried"
    assert {path.name for path in folder.iterdir()} == {"README", "kokkos", "openssl", *ALWAYS}
    assert (folder / "kokkos" / "LICENSE").read_text() == "text of share/licenses/kokkos/LICENSE"
    assert {path.name for path in (folder / "gcc").iterdir()} == {"COPYING3", "COPYING.RUNTIME"}
    readme = (folder / "README").read_text().splitlines()
    assert "openssl: OpenSSL; libcrypto-3c.so.1.1.1k" in readme and "fmt: MIT; compiled in" in readme


def test_an_unknown_library_is_refused(prefix, tree):
    (tree / "eagle_exec.libs" / "libmpi-4d.so.12").touch()
    with pytest.raises(SystemExit, match="the wheel would hold libmpi-4d.so.12, which is not known"):
        repair_wheel.add_licences(tree)


@pytest.mark.parametrize("missing", ["kokkos/LICENSE", "libgcc/COPYING.RUNTIME"])
def test_a_missing_text_is_refused(prefix, tree, missing):
    (prefix / "share" / "licenses" / missing).unlink()
    with pytest.raises(SystemExit, match=f"no licence text of {'gcc' if 'gcc' in missing else 'kokkos'} was found"):
        repair_wheel.add_licences(tree)
