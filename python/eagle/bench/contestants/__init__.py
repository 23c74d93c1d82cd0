# SPDX-License-Identifier: Apache-2.0
"""The contestants of the Python suite, each run by an interpreter that has its library and need not have eagle.

`PYTHON path/to/contestants NAME THREADS CPUS OPTIONS` starts one: see :mod:`.worker`. A contestant is a module with

- ``versions(options)``: of its library, by name; ImportError where the interpreter lacks it;
- ``calls(case, planes, threads, options)``: by variant ("" for the plain one) its ways to do a case; {} for one it does not do.
"""
