# SPDX-License-Identifier: Apache-2.0
"""Kinds of work, each a function of random numbers alone, which raises where a result is not what NumPy says."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path

import eagle
import numpy as np
from bed import (
    BUNDLES,
    DIGESTS,
    EAGLE,
    MPIEXEC,
    NAMES,
    call,
    compare,
    due,
    folder,
    loaded,
    pick,
    planned,
    require,
    samples,
)
from bodies import BODIES, Planes, Random
from eagle import _progress
from eagle.plan import plan
from eagle.reduction import tree_v1

#: Each kind with how often it is drawn.
KINDS: dict[str, tuple[Callable[[Random], None], float]] = {}


def kind(weight: float) -> Callable[[Callable[[Random], None]], Callable[[Random], None]]:
    def add(do: Callable[[Random], None]) -> Callable[[Random], None]:
        KINDS[do.__name__] = do, weight
        return do

    return add


def drawn(random: Random, names: list[str] = NAMES) -> tuple[str, int, Planes, Planes]:
    name = pick(random, names)
    n = samples(random, BODIES[name])
    return name, n, *BODIES[name].make(random, n)


PLAIN = [name for name in NAMES if not BODIES[name].fold]


@kind(40)
def run(random: Random) -> None:
    name, n, given, outputs = drawn(random)
    body = BODIES[name]
    if body.fold and random.random() < 0.3:
        compare(body, planned(random, name, n, combine=False).run(**given), given, outputs, name, n)
    else:
        compare(body, planned(random, name, n).run(**given), given, due(body, outputs), name, n)


@kind(20)
def bind(random: Random) -> None:
    """Launches on the same planes, on other numbers in them, and on other planes."""
    name, n, given, outputs = drawn(random)
    body = BODIES[name]
    bound = planned(random, name, n).bind(**given)
    for again in range(int(random.integers(1, 4))):
        if again:
            more, outputs = body.make(random, n)
            for plane, values in more.items():
                fits = isinstance(values, np.ndarray) and values.shape == given[plane].shape
                if fits and random.random() < 0.5:
                    given[plane][...] = values
                else:
                    given[plane] = values
                    bound.rebind(**{plane: values})
        bound.launch()
        compare(body, bound.result(), given, due(body, outputs), name, n, "bound, launch", again)


@kind(15)
def cuts(random: Random) -> None:
    """A mapreduce of numbers whose sum rounds has the bits of the one cut, and about the value of NumPy."""
    name, n = pick(random, ["dot", "asumf", "maximum"]), int(random.integers(1, 20_000))
    x = random.standard_normal(n) * 10.0 ** random.integers(-9, 9, n)
    given, terms, op = {"x": x, "y": x[::-1].copy()}, x * x[::-1], "sum"
    if name != "dot":
        x = x.astype("f4" if name == "asumf" else "f8")
        given, terms, op = {"x": x}, np.abs(x) if name == "asumf" else x, "sum" if name == "asumf" else "max"
    precision = "compensated" if op == "sum" and random.random() < 0.5 else "working"
    first = planned(random, name, n, npartitions=1, precision=precision).run(**given)
    require(first.tobytes() == tree_v1(op, terms, precision).tobytes(), name, n, "is not the tree by hand")
    exact = terms.max() if op == "max" else terms.astype(np.longdouble).sum()
    bound = np.abs(terms).astype("f8").sum() * float(np.finfo(terms.dtype).eps) * 64
    require(abs(np.longdouble(first) - exact) <= bound, name, n, "is", first, "and not", exact)
    for _ in range(4):
        again = planned(random, name, n, precision=precision).run(**given)
        require(again.tobytes() == first.tobytes(), name, n, precision, "has other bits in another cut:", first, again)


@kind(5)
def threads(random: Random) -> None:
    """Several Python threads share one plan, each with planes of its own."""
    name = pick(random, NAMES)
    body = BODIES[name]
    n = samples(random, body)
    shared, given, failed = planned(random, name, n), [body.make(random, n) for _ in range(3)], []

    def work(planes: Planes, outputs: Planes) -> None:
        try:
            compare(body, shared.run(**planes), planes, due(body, outputs), name, n, "beside other threads")
        except BaseException as error:
            failed.append(error)

    team = [threading.Thread(target=work, args=each) for each in given]
    for each in team:
        each.start()
    for each in team:
        each.join()
    if failed:
        raise failed[0]


@kind(5)
def progress(random: Random) -> None:
    """What a run tells of its progress rises to all samples; what the callback raises comes out, and the plan runs again."""
    name, n, given, outputs = drawn(random, [name for name in PLAIN if BODIES[name].cuts])
    seen: list[tuple[int, int]] = []
    told.seen, told.raises = seen, random.random() < 0.3 and n > 0
    made = planned(random, name, n, progress=True)
    if told.raises:
        try:
            made.run(**{plane: np.copy(values) if plane in outputs else values for plane, values in given.items()})
            require(False, name, n, "goes on where its callback raises")
        except ZeroDivisionError:
            told.raises, seen[:] = False, []
    compare(BODIES[name], made.run(**given), given, outputs, name, n, "with progress")
    require(seen == sorted(seen) and {total for _, total in seen} <= {n} and (not seen or seen[-1][0] == n), seen)
    require(bool(seen) or n == 0, name, n, "tells nothing of its progress")


told = threading.local()


def tell(done: int, total: int) -> None:
    told.seen.append((done, total))
    if told.raises:
        raise ZeroDivisionError


# Standard error is no terminal here, so there would be no bar.
_progress.bar = lambda label: tell  # type: ignore[assignment]


@kind(0.3)
def command(random: Random) -> None:
    """The command gives the values of NumPy from files, writes no other file, and knows the digest."""
    name, n, given, outputs = drawn(random, ["axpy", "drift3", "dot", "hash_mix", "newton"])
    with folder() as path:
        words: list[object] = []
        for plane, values in given.items():
            if isinstance(values, np.ndarray):
                np.save(path / f"{plane}.npy", values)
            words += ["--in", f"{plane}={plane}.npy"] if isinstance(values, np.ndarray) else ["--set", f"{plane}={values!r}"]
        for plane in outputs:
            words += ["--out", f"{plane}=out-{plane}.npy"]
        words += ["--structure", "host_team", "--threads", random.integers(1, 3), "--partitions", random.integers(1, 9)]
        if random.random() < 0.5:
            words += ["--require-digest", DIGESTS[name]]
        before = set(path.iterdir())
        call(path, EAGLE, "run", BUNDLES / name, *words)
        made = set(path.iterdir()) - before
        require(made == {path / f"out-{plane}.npy" for plane in outputs}, "eagle run writes", made)
        got = {plane: np.load(path / f"out-{plane}.npy") for plane in outputs}
        compare(BODIES[name], got, {}, due(BODIES[name], outputs), name, n, "by the command")
        require(DIGESTS[name] in call(path, EAGLE, "inspect", BUNDLES / name), "eagle inspect does not say the digest")
        require(call(path, EAGLE, "check", BUNDLES / name).endswith("ok\n"), "eagle check finds something")


@kind(0.02)
def profiles(random: Random) -> None:
    """A profile that is measured, read and used changes no bit; one cut short is refused, and the file stays as it was."""
    name, n, given, outputs = drawn(random, ["axpy", "dot", "newton"])
    with folder() as path:
        file = path / "profile.json"
        said = call(
            path, EAGLE, "tune", BUNDLES / name, "--samples", max(n, 1), "--budget", "0.5s", "--output", file, code=None
        )
        if not file.exists():
            return require("no time to measure" in said, said)
        text = file.read_bytes()
        made = plan(loaded(random, name), structure="host_team", n_samples=n, profile=file)
        require(str(file) in repr(made), "the plan does not say its profile:", repr(made))
        compare(BODIES[name], made.run(**given), given, due(BODIES[name], outputs), name, n, "with a profile")
        require(file.read_bytes() == text and list(path.iterdir()) == [file], "reading a profile has written something")
        file.write_bytes(text[: len(text) // 2])
        try:
            plan(loaded(random, name), structure="host_team", profile=file)
            require(False, "half of a profile is taken")
        except eagle.errors.InvalidError:
            pass


@kind(0.02)
def ranks(random: Random) -> None:
    """Two ranks give what one process does."""
    if not MPIEXEC or not eagle.exec.RankPartition.built:
        return
    words = ["OMP_NUM_THREADS=1", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"]
    with folder() as path:
        script = Path(__file__).with_name("ranks.py")
        said = call(path, "env", *words, "timeout", 100, MPIEXEC, "-n", 2, sys.executable, script, random.integers(2**31))
        require("ranks: ok" in said, said)
