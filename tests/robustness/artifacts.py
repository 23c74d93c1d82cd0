# SPDX-License-Identifier: Apache-2.0
"""Compiled artifacts: nothing of a refused one is run."""

from pathlib import Path

from case import EAGLE, case, cases, copy, eagle, ended, python, start

AREA = "Artifacts"


def host_library(bundle: Path) -> Path:
    return next(bundle.glob("*.so"))


def changed(folder: Path, edit) -> str:
    bundle = copy(folder, "histogram")
    library = host_library(bundle)
    library.write_bytes(edit(library.read_bytes()))
    return eagle(folder, "check", bundle)


EDITS = {
    "an empty library": lambda elf: b"",
    "a library cut off at half": lambda elf: elf[: len(elf) // 2],
    "a library cut off after its header": lambda elf: elf[:64],
    "a text in the place of a library": lambda elf: b"#!/bin/sh\necho pwned\n",
    "a library for another machine": lambda elf: (
        elf[:18] + b"\xb7\x00" + elf[20:] if elf[18] == 0x3E else elf[:18] + b"\x3e\x00" + elf[20:]
    ),
    "a library of 32 bits": lambda elf: elf[:4] + b"\x01" + elf[5:],
    "program headers far beyond the file": lambda elf: elf[:32] + b"\xff" * 8 + elf[40:],
    "65535 sections": lambda elf: elf[:60] + b"\xff\xff" + elf[62:],
    "an entry of another name": lambda elf: elf.replace(b"histogram_host", b"histogram_hosu"),
    "another ABI tag": lambda elf: elf.replace(b"aether-abi/2", b"aether-abi/7"),
}
cases(AREA, changed, EDITS)


@case(AREA, "a library that is not there")
def _(folder: Path) -> str:
    bundle = copy(folder, "histogram")
    host_library(bundle).unlink()
    return eagle(folder, "check", bundle)


@case(AREA, "a library that needs one that is not there")
def _(folder: Path) -> str:
    bundle = copy(folder, "interp")
    library = host_library(bundle)
    library.write_bytes(library.read_bytes().replace(b"libc.so.6", b"libq.so.6"))
    return python(folder, f"plan(eagle.load({str(bundle)!r}), structure='host_team').run()")


@case(AREA, "a sparse library of 2 GiB")
def _(folder: Path) -> str:
    bundle = copy(folder, "histogram")
    with open(host_library(bundle), "r+b") as library:
        library.truncate(2 << 30)
    return eagle(folder, "check", bundle)


@case(AREA, "a library that was replaced after it was checked")
def _(folder: Path) -> str:
    bundle = copy(folder, "histogram")
    return python(folder, f"""\
from pathlib import Path
library = next(Path({str(bundle)!r}).glob('*.so'))
body = plan(eagle.load({str(bundle)!r}), structure='host_team')
library.rename(library.with_suffix('.old'))
library.write_bytes(next(Path(f'{{bundles}}/axpy').glob('*.so')).read_bytes())
body.run(x=np.zeros(3), bins=np.zeros(3), lo=0.0, hi=1.0, nbins=3)
""")  # fmt: skip


@case(AREA, "another bundle than the digest says")
def _(folder: Path) -> str:
    return ended(start([EAGLE, "inspect", copy(folder), "--require-digest", "0" * 64], folder), 1)
