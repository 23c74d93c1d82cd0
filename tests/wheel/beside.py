# SPDX-License-Identifier: Apache-2.0
"""An eagle from a wheel, which has an OpenMP runtime in it, in one process with scikit-learn, which has another.

usage: EAGLE_BUNDLES=build/bundles python beside.py [-v]   in an environment with the wheel and scikit-learn"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

EAGLE = "import eagle"
OTHER = "from sklearn.ensemble import HistGradientBoostingClassifier"
JOB = """
import numpy as np
from eagle.plan import plan

x = np.linspace(-1.0, 1.0, 100_001)
data = np.random.default_rng(0).normal(size=(500, 4))
for _ in range(10):
    model = HistGradientBoostingClassifier(max_iter=3).fit(data, data[:, 0] > 0)
    assert model.score(data, data[:, 0] > 0) > 0.9
    for threads in (1, 2):
        axpy = plan(eagle.load(f"{bundles}/axpy"), structure=eagle.exec.HostTeam, threads=threads)
        np.testing.assert_array_equal(axpy.run(x=x, a=2.5, b=-1.5), 2.5 * x - 1.5)
print(open("/proc/self/maps").read())
"""


class Beside(unittest.TestCase):
    def both(self, *imports):
        bundles = f"bundles = {str(Path(os.environ['EAGLE_BUNDLES']).resolve())!r}"
        script = "\n".join([*imports, bundles, JOB])
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        runtimes = set(re.findall(r"/(\w+)\.libs/libgomp\S*$", done.stdout, re.M))
        self.assertEqual(runtimes, {"eagle_exec", "scikit_learn"})

    def test_eagle_first(self):
        self.both(EAGLE, OTHER)

    def test_the_other_first(self):
        self.both(OTHER, EAGLE)


if __name__ == "__main__":
    unittest.main()
