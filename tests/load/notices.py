# SPDX-License-Identifier: Apache-2.0
"""soak.py notices each thing that is spoilt on purpose, and says what it is."""

import os
import subprocess
import sys
from pathlib import Path

SAYS = {
    "descriptors": "descriptors grows from",
    "memory": "rss_kib grows from",
    "mappings": "mappings grows from",
    "threads": "threads grows from",
    "files": "files stay in the temporary folder",
    "bits": "has other values, at [0]",
    "writes": "a refused call has written",
    "refusals": "ValueError",
}

for spoilt, says in SAYS.items():
    script = Path(__file__).with_name("soak.py")
    words = [sys.executable, script, "--minutes", "0.06", "--seed", "1", "--threads", "1", "--spoil", spoilt]
    ended = subprocess.run(words, env=os.environ | {"EAGLE_MPIEXEC": ""}, capture_output=True, text=True)
    assert ended.returncode == 1, (spoilt, ended)
    assert says in ended.stderr and "again: scripts/soak" in ended.stderr, (spoilt, ended.stderr)
    print(f"{spoilt}: noticed: {ended.stderr.splitlines()[0]}")
