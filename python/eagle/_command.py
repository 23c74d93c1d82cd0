# SPDX-License-Identifier: Apache-2.0
"""The eagle command as pip installs it: a program inside the package, which is found wherever that lies."""

import os
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    program = Path(__file__).with_name("eagle")
    if not program.exists():
        sys.exit("eagle: this package was built without the command: build it with -Ccmake.define.EAGLE_BUILD_COMMAND=ON")
    os.execv(program, ["eagle", *sys.argv[1:]])
