# SPDX-License-Identifier: Apache-2.0
import io
import sys

from .command import main

if isinstance(sys.stdout, io.TextIOWrapper):
    sys.stdout.reconfigure(errors="backslashreplace")  # where the terminal is not of UTF-8
sys.exit(main())
