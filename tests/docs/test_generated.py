# SPDX-License-Identifier: Apache-2.0
"""What docs/_ext makes of headers, schemas and --help says all that they say."""

import ctypes
import json
import re
import shutil
import subprocess
import sys

import pytest
from pages import EAGLE, PAGES, SOURCE

sys.path.insert(0, str(SOURCE / "docs" / "_ext"))

import abi_text  # noqa: E402
import cli_help  # noqa: E402
import headers  # noqa: E402
import man  # noqa: E402
import schema_tables  # noqa: E402

TEXT = {page.name: page.read_text() for page in PAGES}
SUBCOMMANDS = ("check", "inspect", "info", "run", "tune")


def directives(page, name):
    """The arguments of each directive of that name on a page."""
    return re.findall(rf"^```{{{name}}} ?(.*)$", TEXT[page], re.M)


def test_every_public_header_is_on_a_page_of_the_api():
    on_disk = {path.relative_to(path.parents[1]).as_posix() for path in (SOURCE / "backends" / "eagle").glob("*.hpp")}
    public = headers.public_headers()
    assert on_disk < set(public) and "eagle/plan.hpp" in public and len(public) > 30
    text = TEXT["cpp.md"] + TEXT["cpp_parts.md"]
    sections = re.findall(r"^### (eagle/\S+)$", text, re.M)
    inner = re.findall(r"^- `(eagle/\w+.hpp)`: ", text, re.M)
    assert sorted(sections + inner) == sorted(public)
    shown = re.findall(r"^### (eagle/\S+)\n\n```{eagle-header} (\S+)\n```$", text, re.M)
    assert all(section == f"eagle/{name}" for section, name in shown)
    assert set(sections) - {section for section, _ in shown} == {"eagle/abi.h", "eagle/eagle.hpp"}
    assert all(re.findall(r"^namespace (\S+) {", public[name].read_text(), re.M) == ["eagle::detail"] for name in inner)


def test_every_type_and_entry_of_the_abi_is_on_its_page():
    header = abi_text.HEADER.read_text()
    declared = {
        *re.findall(r"^} (\w+);", header, re.M),
        *re.findall(r"\(\*(\w+)\)\(", header),
        "IntHandle",
        "EAGLE_LAYOUT_SIZES",
    }
    asked = {name for names in directives("abi.md", "eagle-abi") for name in names.split()}
    assert declared <= asked
    assert all(tag in TEXT["abi.md"] for tag in re.findall(r'#define \w+ "(aether-abi/\d)"', header))


@pytest.mark.parametrize("box", ["GRefMirror", "ScalarHandle"])
def test_the_tables_of_the_abi_are_what_ctypes_lays_out(box):
    host_launch = pytest.importorskip("eagle.host_launch")
    structure = getattr(host_launch, box)
    expected = [(name.rstrip("_"), str(getattr(structure, name).offset)) for name, _ in structure._fields_]
    text = abi_text.text(box)
    assert re.findall(r"^\| `(\w+)` \| `.*` \| (\d+) \|$", text, re.M) == expected
    assert f"{ctypes.sizeof(structure)} bytes:" in text


def test_an_unknown_name_of_the_abi_is_an_error():
    with pytest.raises(ValueError, match="no commented declaration of Nothing"):
        abi_text.text("GRefMirror", "Nothing")


def test_every_key_of_the_schemas_is_in_a_table():
    asked = [part.split() for part in directives("manifest.md", "eagle-schema")]
    tables = "\n".join(schema_tables.Schema(name).table(ref) for name, ref in asked)
    missing = set()
    for name in ("manifest", "sidecar"):
        whole = json.loads((SOURCE / "core" / "schema" / f"{name}.schema.json").read_text())
        missing |= {key for key in keys_of(whole) if f"`{key}`" not in tables}
    assert missing == set()


def keys_of(schema):
    """All names under "properties", wherever they stand."""
    if isinstance(schema, list):
        return set().union(*map(keys_of, schema))
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("properties", ())) | set().union(*map(keys_of, schema.values()))


def test_what_a_table_says_of_a_key():
    table = schema_tables.Schema("manifest").table("#")
    assert '| `pattern` | required | `"pure"`, `"vector"`, `"neural_block"` |' in table
    assert "| `schema_version` |  | `1`, `2`, `3` or nothing |" in table
    assert "| `plugins` | required | array of *plugin* |" in table


def test_help_is_taken_apart():
    help = cli_help.parse(
        "eagle run", "Do it\nUsage: eagle run [OPTIONS]\n\nOptions:\n  -h,--help      Help\n  --long TEXT:{a,b}\n       Text\n"
    )
    assert (help.summary, help.usage) == ("Do it", "eagle run [OPTIONS]")
    assert help.sections == {"Options": [("-h,--help", "Help"), ("--long TEXT:{a,b}", "Text")]}


def test_man_pages_have_every_option(tmp_path):
    man.main(EAGLE, tmp_path)
    assert {page.name for page in tmp_path.iterdir()} == {"eagle.1", *(f"eagle-{name}.1" for name in SUBCOMMANDS)}
    assert sorted(directives("command.md", "eagle-command")) == sorted(["", *SUBCOMMANDS])
    for name in SUBCOMMANDS:
        said = subprocess.run([EAGLE, name, "--help"], capture_output=True, text=True, check=True).stdout
        text = (tmp_path / f"eagle-{name}.1").read_text().replace(r"\-", "-")
        options = re.findall(r"^  (?:-\w,)?(--[\w-]+)", said, re.M)
        assert options and all(f"{option}" in text for option in options)
        if shutil.which("man"):
            shown = subprocess.run(["man", "--warnings", "-l", f"eagle-{name}.1"], cwd=tmp_path, capture_output=True, text=True)
            assert shown.returncode == 0 and shown.stderr == "" and "SYNOPSIS" in shown.stdout
