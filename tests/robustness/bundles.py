# SPDX-License-Identifier: Apache-2.0
"""Manifests, sidecars and paths."""

import json
import os
from collections.abc import Callable
from pathlib import Path

from case import case, cases, copy, eagle

AREA = "Bundles"


def edited(folder: Path, file: str, edit) -> str:
    bundle = copy(folder)
    text = (bundle / file).read_bytes()
    (bundle / file).write_bytes(edit(text))
    return eagle(folder, "check", bundle)


def with_keys(folder: Path, file: str, **keys: object) -> str:
    return edited(folder, file, lambda text: json.dumps(json.loads(text) | keys).encode())


def with_entry(folder: Path, **keys: object) -> str:
    def edit(text: bytes) -> bytes:
        manifest = json.loads(text)
        manifest["plugins"][0] |= keys
        return json.dumps(manifest).encode()

    return edited(folder, "manifest.json", edit)


EDITS = {
    "a manifest cut off in the middle": lambda text: text[: len(text) // 2],
    "an empty manifest": lambda text: b"",
    "a manifest of random bytes": lambda text: bytes(range(256)),
    "a manifest with a key twice": lambda text: text.replace(b"{", b'{"pattern": "pure", ', 1),
    "brackets 100000 deep": lambda text: b"[" * 100_000,
    "a manifest of 5 MiB": lambda text: text + b" " * (5 << 20),
    "a number with 100000 digits": lambda text: text.replace(b"{", b'{"more": ' + b"9" * 100_000 + b", ", 1),
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "text that is no UTF-8": lambda text: text.replace(b"axpy", b"\xff\xfe", 1),
}
cases(AREA, lambda folder, change: edited(folder, "manifest.json", change), EDITS)
case(AREA, "a sidecar that is no JSON")(lambda folder: edited(folder, "axpy.json", lambda text: text[:-3]))
case(AREA, "a newer schema")(lambda folder: with_keys(folder, "manifest.json", schema_version=99))
case(AREA, "an unknown access class")(lambda folder: with_keys(folder, "manifest.json", exec_access="everything"))
case(AREA, "a million plugins")(lambda folder: with_keys(folder, "manifest.json", plugins=[{}] * 1_000_000))
case(AREA, "2000 plugins")(lambda folder: with_keys(folder, "manifest.json", plugins=[{}] * 2000))
case(AREA, "a million defects")(lambda folder: with_keys(folder, "manifest.json", blocks=[0] * 1_000_000))
case(AREA, "a path that climbs out")(lambda folder: with_entry(folder, artifact="../../etc/passwd"))
case(AREA, "an absolute path")(lambda folder: with_entry(folder, artifact="/etc/passwd"))
case(AREA, "a sidecar that is not there")(lambda folder: with_entry(folder, sidecar="none.json"))
case(AREA, "an id that steers a terminal")(lambda folder: with_entry(folder, id="\x1b[31m", artifact="none"))


def with_sidecar(folder: Path, make: Callable[[Path], None]) -> str:
    """Of a bundle with something else in the place of its sidecar."""
    bundle = copy(folder)
    (bundle / "axpy.json").unlink()
    make(bundle / "axpy.json")
    return eagle(folder, "check", bundle)


PLACES: dict[str, Callable[[Path], None]] = {
    "a link that leads out of the bundle": lambda path: path.symlink_to("/etc/hostname"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a FIFO in the place of a sidecar": os.mkfifo,
}
cases(AREA, with_sidecar, PLACES)


@case(AREA, "a folder without a manifest")
def _(folder: Path) -> str:
    return eagle(folder, "check", folder)


@case(AREA, "a device in the place of the manifest")
def _(folder: Path) -> str:
    return eagle(folder, "check", "/dev/zero")
