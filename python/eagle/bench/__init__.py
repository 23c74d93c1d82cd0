# SPDX-License-Identifier: Apache-2.0
"""Is it faster than what I use? `python -m eagle.bench` measures eagle against it, on this machine.

`--help` says what is run, what is written, and when one run is slower than another beyond the noise of both.
"""
