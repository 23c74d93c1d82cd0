# SPDX-License-Identifier: Apache-2.0
"""Makes a package of this folder, whatever interpreter runs it and without the eagle around it."""

import importlib
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path[0] = str(here.parent)
importlib.import_module(here.name)
del sys.path[0]  # else modules beside this folder would hide those of the library
importlib.import_module(f"{here.name}.worker").main(sys.argv[1:])
