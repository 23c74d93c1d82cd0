# SPDX-License-Identifier: Apache-2.0
"""Kinds of work that must be refused: with the right error, and with outputs left as they were."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import eagle
import numpy as np
from bed import BUNDLES, EAGLE, KEPT, NAMES, call, compare, folder, pick, planned, require, team
from bodies import BODIES, Random
from eagle.exec import Partition
from eagle.plan import plan
from work import kind

BUILT_IN = {"bundle": ValueError, "not_found": FileNotFoundError, "type": TypeError}


def refused(code: str, call: Callable[[], Any], *what: object) -> None:
    try:
        call()
    except eagle.Error as error:
        right = error.code == code and isinstance(error, BUILT_IN.get(code, ValueError))
        require(right, *what, "is refused as", error.code, type(error), "and not as", code, ":", error)
    else:
        require(False, *what, "is not refused, and should be as", code)


def with_y(y: np.ndarray) -> dict[str, Any]:
    return {"x": np.ones(len(y)), "y": y, "a": 1.0, "b": 1.0}


#: What axpy is given wrong beside an output y, by the code of the error.
PLANES: list[tuple[str, Callable[[np.ndarray], dict[str, Any]]]] = [
    ("argument", lambda y: {"x": np.ones(len(y) + 1)}),
    ("argument", lambda y: {"x": y}),
    ("argument", lambda y: {"x": np.ones((2, len(y)))}),
    ("argument", lambda y: {"x": 1.0}),
    ("argument", lambda y: {"a": 10**400}),
    ("argument", lambda y: {"c": 1.0}),
    ("argument", lambda y: {"y": np.broadcast_to(y, y.shape)}),
    ("argument", lambda y: {"y": np.lib.stride_tricks.as_strided(y, y.shape, (0,))}),
    ("type", lambda y: {"x": np.ones(len(y), complex)}),
    ("type", lambda y: {"x": np.array([None] * len(y))}),
    ("type", lambda y: {"x": "text"}),
    ("type", lambda y: {"a": np.ones(2)}),
    ("type", lambda y: {"y": y.view("i8")}),
    ("type", lambda y: {"y": 1.0}),
]
#: Plans that may not be.
PLANS: list[tuple[str, str, dict[str, Any]]] = [
    ("placement", "histogram", {"npartitions": 2}),
    ("placement", "histogram", {"exec_access": "sample_local"}),
    ("placement", "dot", {"exec_op": "max"}),
    ("placement", "axpy", {"device": 0}),
    ("placement", "axpy", {"combine": False}),
    ("partition", "axpy", {"partitions": [Partition(0, 2, 5), Partition(3, 2, 5)]}),
    ("partition", "axpy", {"partitions": [Partition(0, 3, 5), Partition(2, 3, 5)]}),
    ("partition", "axpy", {"npartitions": -1}),
    ("partition", "axpy", {"npartitions": 2**62}),
    ("partition", "axpy", {"partitions": []}),
    ("placement", "axpy", {"structure": "quantum"}),
    ("argument", "axpy", {"threads": 1_000_000}),
    ("argument", "axpy", {"threads": -1}),
    ("argument", "axpy", {"schedule": "sometimes"}),
    ("type", "axpy", {"threads": 1.5}),
    ("type", "axpy", {"progress": 1}),
    ("not_found", "axpy", {"profile": "/nowhere/profile.json"}),
]


@kind(10)
def calls(random: Random) -> None:
    """Runs, binds and rebinds; a bound plan that was refused a plane works on."""
    code, wrong = pick(random, PLANES)
    y = random.random(int(random.integers(2, 3000)))
    before, made, planes = y.copy(), planned(random, "axpy", len(y)), wrong(y)
    bound = made.bind(**with_y(y))
    refused(code, lambda: made.run(**with_y(y) | planes), "run", planes)
    refused(code, lambda: made.bind(**with_y(y) | planes), "bind", planes)
    refused(code, lambda: bound.rebind(**planes), "rebind", planes)
    refused("argument", lambda: made.run(x=y, y=np.ones(len(y)), a=1.0), "run without b")
    require(y.tobytes() == before.tobytes(), "a refused call has written")
    bound.launch()
    require((y == 2.0).all(), "a launch after a refusal gives", y)


@kind(5)
def plans(random: Random) -> None:
    code, name, words = pick(random, PLANS)
    refused(code, lambda: plan(KEPT[name], **{"structure": "host_team", **words}), name, words)


#: What breaks a file of a bundle: half of it, nothing, other bytes in it, something that is none.
BREAKS: list[Callable[[bytes], bytes]] = [
    lambda text: text[: len(text) // 2],
    lambda text: b"",
    lambda text: text.replace(b"aether-abi/2", b"aether-abi/7"),
    lambda text: bytes(range(256)),
]


@kind(3)
def bundles(random: Random) -> None:
    """A broken copy is refused, with and without the digest; mended it runs."""
    name = pick(random, NAMES)
    with folder() as path:
        copy = Path(shutil.copytree(BUNDLES / name, path / name))
        require(eagle.load(copy).digest() == KEPT[name].digest(), "a copy has another digest")
        file = copy / pick(random, ["manifest.json", f"{name}.json", f"{name}.so"])
        text = file.read_bytes()
        if random.random() < 0.3:
            file.unlink()
            code = "not_found" if file.name == "manifest.json" else "bundle"
        else:
            file.write_bytes(pick(random, BREAKS)(text))
            require(eagle.check(copy) != [], file.name, "is broken, and check finds nothing")
            code = "bundle"
        refused(code, lambda: eagle.load(copy), file.name)
        refused(code, lambda: eagle.load(copy, digest=KEPT[name].digest()), file.name)
        file.write_bytes(text)
        refused("bundle", lambda: eagle.load(copy, digest="0" * 64), "another digest")
        refused("argument", lambda: eagle.load(copy, digest="0"), "no digest")
        given, outputs = BODIES["saxpy"].make(random, 100)
        if name == "saxpy":
            made = plan(eagle.load(copy), structure="host_team", **team(random))
            compare(BODIES[name], made.run(**given), given, outputs, name, "mended")


@kind(0.2)
def commands(random: Random) -> None:
    """The command refuses with 1 what is wrong and with 2 what it does not know, and writes nothing."""
    with folder() as path:
        run = (EAGLE, "run", BUNDLES / "axpy", "--structure", "host_team", "--out", "y=y.npy")
        call(path, *run, "--in", "x=none.npy", code=1)
        call(path, *run, "--quantum", code=2)
        call(path, EAGLE, "check", path / "none", code=1)
        call(path, EAGLE, "inspect", BUNDLES / "axpy", "--require-digest", "0" * 64, code=1)
        require(not list(path.iterdir()), "a refused command has written", list(path.iterdir()))
