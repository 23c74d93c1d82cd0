# SPDX-License-Identifier: Apache-2.0
"""Runs the main job on an eagle that pip has installed from a wheel, with NumPy and the standard library as the other programs.

usage: EAGLE_BUNDLES=build/bundles python installed.py [-v]   in an environment with the wheel and what it depends on alone

EAGLE_BUILT_IN names folders, with colons, of the machine that built it: no file of the wheel may hold them."""

import math
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest
from importlib import metadata
from pathlib import Path

import eagle
import numpy as np
from eagle.plan import plan

BUNDLES = Path(os.environ["EAGLE_BUNDLES"]).resolve()
BUILT_IN = [folder for folder in os.environ.get("EAGLE_BUILT_IN", "").split(":") if folder]
WHEEL = metadata.distribution("eagle-exec")
FILES = [Path(WHEEL.locate_file(name)) for name in WHEEL.files]
CARRIED = [path for path in FILES if path.parent.name == "eagle_exec.libs"]
COMMAND = Path(sysconfig.get_path("scripts")) / "eagle"
X = np.linspace(-1.0, 1.0, 100_001)


def loaded_libraries():
    """The paths of the libraries in this process."""
    return {Path(path) for path in re.findall(r"(/\S+\.so\S*)$", Path("/proc/self/maps").read_text(), re.M)}


class Job(unittest.TestCase):
    def test_what_runs_is_the_wheel_in_its_environment(self):
        self.assertTrue(Path(eagle.__file__).is_relative_to(sys.prefix))
        self.assertEqual(eagle.__version__, WHEEL.version)

    def test_a_map_is_numpys_in_any_cut(self):
        body = eagle.load(BUNDLES / "axpy")
        for threads, parts in ((1, 1), (2, 1), (2, 3)):
            y = plan(body, structure=eagle.exec.HostTeam, threads=threads, npartitions=parts).run(x=X, a=2.5, b=-1.5)
            np.testing.assert_array_equal(y, 2.5 * X - 1.5)

    def test_a_sum_has_the_same_bits_on_one_thread_and_two(self):
        body, w = eagle.load(BUNDLES / "dot"), np.cos(np.arange(len(X)))
        cuts = [(threads, parts) for threads in (1, 2) for parts in (1, 7)]
        sums = [plan(body, structure=eagle.exec.HostTeam, threads=t, npartitions=k).run(x=X, y=w) for t, k in cuts]
        self.assertEqual(len({float(value).hex() for value in sums}), 1)
        self.assertAlmostEqual(float(sums[0]), math.fsum(X * w), delta=1e-12 * float(np.abs(X * w).sum()))

    def test_the_command_computes_the_same(self):
        with tempfile.TemporaryDirectory() as name:
            np.save(f"{name}/x.npy", X)
            given = ["--in", f"x={name}/x.npy", "--set", "a=2.5", "--set", "b=-1.5", "--out", f"y={name}/y.npy"]
            how = ["--structure", "host_team", "--threads", "2"]
            subprocess.run([COMMAND, "run", BUNDLES / "axpy", *how, *given], stdout=subprocess.DEVNULL, check=True)
            np.testing.assert_array_equal(np.load(f"{name}/y.npy"), 2.5 * X - 1.5)

    def test_modules_that_are_programs_say_how_they_are_used(self):
        for module in ("eagle", "eagle.bench", "eagle.bench.page"):
            said = subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True, text=True, check=True).stdout
            self.assertIn("usage: ", said.lower())

    def test_ranks_are_refused_with_a_cure(self):
        self.assertFalse(eagle.exec.RankPartition.built)
        with self.assertRaisesRegex(RuntimeError, "not built into this eagle.*pip install .*EAGLE_PYTHON_MPI=ON"):
            plan(eagle.load(BUNDLES / "axpy"), structure=eagle.exec.RankPartition)


class Contents(unittest.TestCase):
    def test_kokkos_and_openmp_are_the_wheels_own_and_there_is_no_mpi(self):
        plan(eagle.load(BUNDLES / "axpy"), structure=eagle.exec.HostTeam, threads=2).run(x=X, a=1.0, b=0.0)
        loaded = loaded_libraries()
        self.assertEqual([path.name for path in loaded if re.match(r"lib(mpi|pmpi|open-rte|pmix)", path.name)], [])
        for library in ("libkokkoscore", "libgomp"):
            [path] = [path for path in CARRIED if path.name.startswith(library)]
            self.assertIn(path.resolve(), {path.resolve() for path in loaded})
        self.assertEqual([path.name for path in FILES if path.name.startswith("_mpi.") and path.suffix == ".so"], [])

    def test_every_carried_library_has_its_licence(self):
        [readme] = [path for path in FILES if path.parts[-3:] == ("licenses", "carried", "README")]
        named = re.findall(r"^(\w+): (\S.*); (\S.*)$", readme.read_text(), re.M)
        libraries = [name for _, _, names in named if names != "compiled in" for name in names.split(", ")]
        self.assertEqual(sorted(libraries), sorted(path.name for path in CARRIED))
        for part, _, _ in named:
            texts = [path for path in FILES if path.parent == readme.parent / part]
            self.assertTrue(texts and all(len(path.read_text(errors="replace")) > 500 for path in texts), part)

    @unittest.skipUnless(shutil.which("readelf"), "there is no readelf")
    def test_libraries_are_looked_for_inside_the_wheel_alone(self):
        programs = [path for path in FILES if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
        self.assertGreater(len(programs), len(CARRIED) + 1)
        for path in programs:
            dynamic = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
            for places in re.findall(r"R(?:UN)?PATH.*\[(.*)\]", dynamic):
                self.assertRegex(places, r"^\$ORIGIN(/\.\./eagle_exec\.libs)?$", path)

    @unittest.skipUnless(BUILT_IN, "EAGLE_BUILT_IN is not set")
    def test_no_file_says_where_it_was_built(self):
        for path in filter(Path.is_file, FILES):
            if path.name in ("RECORD", "direct_url.json") or COMMAND in (path, path.resolve()) or path.suffix == ".pyc":
                continue  # pip's own
            self.assertEqual([folder for folder in BUILT_IN if folder.encode() in path.read_bytes()], [], path)


if __name__ == "__main__":
    unittest.main()
