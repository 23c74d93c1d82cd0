# SPDX-License-Identifier: Apache-2.0
"""What the kinds of work share: bundles, plans that are cut at random, and the comparison with what is due."""

import os
import pickle
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import eagle
import numpy as np
from bodies import BODIES, Body, Planes, Random
from eagle.exec import Partition
from eagle.plan import Plan, plan

BUNDLES = Path(os.environ["EAGLE_BUNDLES"]).resolve()
EAGLE = os.environ.get("EAGLE") or shutil.which("eagle")
MPIEXEC = os.environ.get("EAGLE_MPIEXEC", shutil.which("mpiexec"))
NAMES = [name for name in BODIES if (BUNDLES / name).is_dir()]
DIGESTS = {name: eagle.load(BUNDLES / name).digest() for name in NAMES}
KEPT = {name: eagle.load(BUNDLES / name)[name] for name in NAMES}
#: Of one command, on a machine that is busy.
MOST_SECONDS = 120


class Wrong(AssertionError):
    """eagle has done what it must not."""


def require(holds: bool, *what: object) -> None:
    if not holds:
        raise Wrong(" ".join(map(str, what)))


def pick(random: Random, choices: list[Any]) -> Any:
    return choices[int(random.integers(len(choices)))]


def samples(random: Random, body: Body) -> int:
    """Few, some or many; never so many as a plane has components, which would be ambiguous."""
    n = pick(random, [0, 1, 2, 63, 64, 65, int(random.integers(5, 3000)), int(random.integers(5, 30_000))])
    return min(int(random.integers(100_000, 200_000)) if random.random() < 0.02 else n, body.most)


def loaded(random: Random, name: str) -> Any:
    """A plugin that was there before, or is loaded now in one of the ways that there are."""
    way = random.integers(6)
    if way == 0:
        return eagle.load(BUNDLES / name / "manifest.json")
    if way == 1:
        return eagle.load_manifest(BUNDLES / name)[name]
    if way == 2:
        return eagle.load(BUNDLES / name, digest=DIGESTS[name])[name]
    return pickle.loads(pickle.dumps(KEPT[name])) if way == 3 else KEPT[name]


def cut(random: Random, n: int) -> dict[str, Any]:
    """Partitions: even ones, or any."""
    if random.random() < 0.5:
        return {"npartitions": int(random.integers(1, 9))}
    borders = [0, *sorted(random.integers(0, n + 1, random.integers(0, 7)).tolist()), n]
    return {"partitions": [Partition(a, b - a, n) for a, b in zip(borders, borders[1:], strict=False)]}


def team(random: Random) -> dict[str, Any]:
    words = {"threads": int(random.integers(1, 3))}
    if random.random() < 0.5:
        words |= {"schedule": "dynamic", "tile": pick(random, [None, 1, 7, 64, 1000])}
    return words


def planned(random: Random, name: str, n: int, **words: Any) -> Plan:
    cuts = cut(random, n) if BODIES[name].cuts and "npartitions" not in words else {}
    return plan(loaded(random, name), structure=eagle.exec.HostTeam, n_samples=n, **team(random) | cuts | words)


def open_all() -> None:
    """Has every library mapped that stays so."""
    for name, plugin in KEPT.items():
        given, _ = BODIES[name].make(np.random.default_rng(0), 64)
        plan(plugin, structure=eagle.exec.HostTeam, n_samples=64).run(**given)


def due(body: Body, outputs: Planes) -> Planes:
    """Outputs of a run that folds."""
    return {name: body.fold(plane) for name, plane in outputs.items()} if body.fold else outputs


def compare(body: Body, got: Any, given: Planes, expected: Planes, *where: object) -> None:
    """What a run has given back, or written where it was given it, is what is due, bit by bit."""
    written = {name: plane for name, plane in given.items() if name in expected}
    found = written | (got if isinstance(got, dict) else {next(iter(expected)): got})
    require(found.keys() == expected.keys(), *where, "gives", list(found), "and not", list(expected))
    for name, plane in expected.items():
        a, b = np.asarray(found[name]), np.asarray(plane)
        require(a.dtype == b.dtype and a.size == b.size, *where, name, "is", a.dtype, a.shape, "and not", b.dtype, b.shape)
        same = np.allclose(a, b, rtol=1e-9) if body.rounds else a.tobytes() == b.tobytes()
        require(same, *where, name, "has other values, at", np.flatnonzero(a.ravel() != b.ravel())[:5])


@contextmanager
def folder() -> Iterator[Path]:
    """An empty folder, which is gone again afterwards."""
    path = Path(tempfile.mkdtemp(prefix="step-"))
    try:
        yield path
    finally:
        shutil.rmtree(path)


def call(path: Path, *command: object, code: int | None = 0) -> str:
    """What a command says in a folder; it must end with a code, where one is given."""
    environment = os.environ | {"OMP_NUM_THREADS": "2", "HOME": str(path), "TMPDIR": str(path)}
    ended = subprocess.run(
        list(map(str, command)), cwd=path, env=environment, capture_output=True, text=True, timeout=MOST_SECONDS
    )
    said = ended.stdout + ended.stderr
    require(code in (ended.returncode, None), *command, "ends with", ended.returncode, "and not", code, "\n" + said)
    return said
