# SPDX-License-Identifier: Apache-2.0
"""Puts the libraries that a wheel of eagle needs into it, with auditwheel, and the licences of all that is then in it of others.

usage: repair_wheel.py WHEEL FOLDER   the repaired wheel goes into FOLDER

Needs what `pip install --group wheel` installs. A library that PARTS does not know is refused, and one whose licence is not found.
"""

import os
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple


class Part(NamedTuple):
    """Something of others in a wheel: the pattern of its libraries (none: compiled into eagle's own), its licence in SPDX's words,
    and where systems keep the text: the first row that is there under one prefix."""

    name: str
    libraries: str
    licence: str
    texts: tuple[tuple[str, ...], ...]

    def holds(self, library: str) -> bool:
        return fnmatch(library, self.libraries)


def kept(name: str, debian: str) -> tuple[tuple[str, ...], ...]:
    """Where scripts/wheel_deps puts a text, and Debian."""
    return ((f"share/licenses/{name}/*",), (f"share/doc/{debian}/copyright",))


OPENSSL = (*kept("openssl", "libssl-dev"), ("share/licenses/openssl-libs/*",))
PARTS = (
    Part("kokkos", "libkokkos*", "Apache-2.0 WITH LLVM-exception", kept("kokkos", "libkokkos-dev")),
    Part("fmt", "libfmt*", "MIT", kept("fmt", "libfmt-dev")),
    Part(
        "gcc",
        "libgomp*",
        "GPL-3.0-or-later WITH GCC-exception-3.1",
        (
            ("share/doc/libgomp1/copyright", "share/common-licenses/GPL-3"),
            ("share/licenses/libgcc/COPYING3", "share/licenses/libgcc/COPYING.RUNTIME"),
        ),
    ),
    Part("openssl", "libcrypto*.so.3*", "Apache-2.0", OPENSSL),
    Part("openssl", "libcrypto*.so.1.1*", "OpenSSL", OPENSSL),
    Part("zstd", "libzstd*", "BSD-3-Clause", kept("libzstd", "libzstd1")),
    Part("rapidjson", "", "MIT", kept("rapidjson", "rapidjson-dev")),
    Part("cli11", "", "BSD-3-Clause", kept("cli11", "libcli11-dev")),
    Part("pybind11", "", "BSD-3-Clause", (("lib/python3*/site-packages/pybind11-*.dist-info/licenses/LICENSE",),)),
)


def prefixes() -> list[Path]:
    """Where the build has found things, first the places that its user named."""
    named = ":".join(os.environ.get(name, "") for name in ("CMAKE_PREFIX_PATH", "Kokkos_ROOT")).replace(";", ":")
    return [Path(prefix) for prefix in [*filter(None, named.split(":")), sys.prefix, "/usr"]]


def texts_of(part: Part) -> list[Path]:
    for prefix in prefixes():
        for row in part.texts:
            found = [sorted(prefix.glob(pattern)) for pattern in row]
            if all(found):
                return [path for paths in found for path in paths]
    places = " or ".join(" with ".join(row) for row in part.texts)
    sys.exit(
        f"eagle: no licence text of {part.name} was found, which the wheel would hold: {places} was looked for in "
        f"{', '.join(map(str, prefixes()))}; put it there"
    )


def parts_in(libraries: list[str]) -> list[Part]:
    """The parts of a wheel that has these libraries."""
    for library in libraries:
        if not any(part.holds(library) for part in PARTS):
            sys.exit(
                f"eagle: the wheel would hold {library}, which is not known: give {Path(__file__).name} a part with its licence"
            )
    always = ("", "libfmt*", "libgomp*")  # of fmt and GCC pieces are compiled in as well
    return [part for part in PARTS if part.libraries in always or any(map(part.holds, libraries))]


def add_licences(tree: Path) -> None:
    libraries = sorted(path.name for path in tree.glob("*.libs/*"))
    [info] = tree.glob("*.dist-info")
    folder = info / "licenses" / "carried"
    lines = ["What this wheel holds of others. eagle itself is under the licence beside this folder.", ""]
    for part in parts_in(libraries):
        (folder / part.name).mkdir(parents=True)
        for text in texts_of(part):
            shutil.copyfile(text, folder / part.name / text.name)
        lines.append(f"{part.name}: {part.licence}; {', '.join(filter(part.holds, libraries)) or 'compiled in'}")
    (folder / "README").write_text("\n".join(lines) + "\n")


def run(*command: str | Path) -> None:
    if subprocess.run([sys.executable, "-m", *map(str, command)], stdout=sys.stderr).returncode:
        sys.exit(f"eagle: this failed: python -m {' '.join(map(str, command))}")


def main(wheel: str, folder: str) -> None:
    with TemporaryDirectory() as name:
        work = Path(name)
        run("auditwheel", "repair", "--wheel-dir", work / "repaired", wheel)
        [repaired] = (work / "repaired").glob("*.whl")
        run("wheel", "unpack", "--dest", work / "tree", repaired)
        [tree] = (work / "tree").iterdir()
        add_licences(tree)
        Path(folder).mkdir(parents=True, exist_ok=True)
        run("wheel", "pack", "--dest-dir", folder, tree)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
