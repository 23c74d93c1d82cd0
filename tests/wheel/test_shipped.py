# SPDX-License-Identifier: Apache-2.0
"""The bills of materials of an install and of the Python package, and the guards of what is linked, as readelf finds them."""

import json
import os
import re
import subprocess
from importlib import metadata
from pathlib import Path

import pytest

BUILD = Path(os.environ["EAGLE_BUILD"])
DISTRIBUTION = metadata.distribution("eagle-exec")


def in_package(pattern):
    [path] = [Path(DISTRIBUTION.locate_file(name)) for name in DISTRIBUTION.files if re.search(pattern, str(name))]
    return path


BILLS = {"install": (BUILD / "eagle.cdx.json", "CLI11"), "package": (in_package(r"sboms/eagle\.cdx\.json$"), "pybind11")}


@pytest.fixture(params=BILLS.values(), ids=BILLS)
def bill(request):
    path, own = request.param
    return path.read_text(), own


def test_a_bill_is_valid_by_the_standards_own_schema(bill):
    validation = pytest.importorskip("cyclonedx.validation.json")
    schema = pytest.importorskip("cyclonedx.schema")
    assert validation.JsonStrictValidator(schema.SchemaVersion.V1_6).validate_str(bill[0]) is None


def test_a_bill_names_what_the_build_has_found(bill):
    text, own = bill
    parts = {part["name"]: part for part in json.loads(text)["components"]}
    assert {"fmt", "RapidJSON", "OpenSSL", "Kokkos", own} <= set(parts)
    header = subprocess.run(["g++", "-E", "-dM", "-include", "openssl/opensslv.h", "-x", "c++", "/dev/null"],
                            capture_output=True, text=True, check=True).stdout  # fmt: skip
    assert f'OPENSSL_VERSION_STR "{parts["OpenSSL"]["version"]}"' in header
    for part in parts.values():
        assert re.match(r"\d+\.\d+", part["version"]) and part["purl"].endswith("@" + part["version"])
    assert json.loads(text)["metadata"]["component"]["version"] == DISTRIBUTION.version


def has_guards(path, *, program):
    said = subprocess.run(["readelf", "-W", "-h", "-l", "-d", "-s", path], capture_output=True, text=True, check=True).stdout
    assert "GNU_RELRO" in said and re.search(r"FLAGS.*BIND_NOW|FLAGS_1.*NOW", said)
    assert re.search(r"GNU_STACK .* RW +0x", said)
    assert "__stack_chk_fail" in said and re.search(r"__\w+_chk\b(?<!__stack_chk)", said)
    assert not program or "Position-Independent Executable" in said


@pytest.mark.skipif(os.environ["EAGLE_HARDEN"] != "ON", reason="this build is without guards")
def test_the_command_and_the_extension_have_guards():
    has_guards(os.environ["EAGLE"], program=True)
    has_guards(in_package(r"/_core\..*\.so$"), program=False)
