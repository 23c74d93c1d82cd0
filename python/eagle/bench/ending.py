# SPDX-License-Identifier: Apache-2.0
"""How a command ends: a reason on one line and an exit code that no finding has."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable

STOPPED = 130


class Refusal(ValueError):
    """Why nothing can be done: what was found, what is accepted, what to do."""


def ended(name: str, work: Callable[[], int]) -> int:
    """The exit code of work(); 2 where it could not be done, as 1 is for what it has found."""
    try:
        return work()
    except Refusal as error:
        why = str(error)
    except OSError as error:
        what = error.strerror or str(error)
        why = f"{error.filename}: {what}" if error.filename else what
    except KeyboardInterrupt:
        print(f"{name}: stopped", file=sys.stderr)
        return STOPPED
    except Exception:
        traceback.print_exc()
        why = "this is a fault of its own: please report it with the lines above"
    print(f"{name}: {why}", file=sys.stderr)
    return 2
