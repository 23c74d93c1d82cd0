# SPDX-License-Identifier: Apache-2.0
"""What test_device.py runs in children, each on a driver of its own: the stand-in's, or the machine's."""

import os
from pathlib import Path

import eagle
from eagle.exec import DeviceKernel, HostTeam
from eagle.plan import plan

BUNDLES = Path(os.environ["EAGLE_BUNDLES"])
#: name: (module, drivers, variables of the stand-in).
CASES = {}


def case(on="stand-in or machine", **variables):
    """A case, which drivers it is for, and how the stand-in is set up for it (devices=2: STAND_IN_DEVICES)."""

    def keep(function):
        stand_in = {f"STAND_IN_{key.upper()}": str(value) for key, value in variables.items()}
        CASES[function.__name__] = (function.__module__, on if not variables else "stand-in", stand_in)
        return function

    return keep


def on_device(name, **options):
    return plan(eagle.load(BUNDLES / name), structure=DeviceKernel, **options)


def on_host(name, **options):
    return plan(eagle.load(BUNDLES / name), structure=HostTeam, **options)


def refused(error, words, f, *arguments, **options):
    """That a call is refused with these words, and by eagle."""
    try:
        f(*arguments, **options)
    except error as refusal:
        assert words in str(refusal), refusal
        return refusal
    raise AssertionError(f"nothing was refused: {words}")
