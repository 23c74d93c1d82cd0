# SPDX-License-Identifier: Apache-2.0
"""Files and arrays that are given to a plan, and plans that may not be."""

from pathlib import Path

import numpy as np
from case import BUNDLES, case, cases, eagle, python, run

FILES = ".npy files"


def npy(folder: Path, edit) -> str:
    np.save(folder / "x.npy", np.arange(100.0))
    (folder / "x.npy").write_bytes(edit((folder / "x.npy").read_bytes()))
    said = run(folder, BUNDLES / "axpy", "--in", "x=x.npy", "--set", "a=1", "--set", "b=1", "--out", "y=y.npy")
    assert not (folder / "y.npy").exists()
    return said


EDITS = {
    "an empty file": lambda file: b"",
    "a file that is cut short": lambda file: file[:-8],
    "a file with bytes behind its data": lambda file: file + b"\0" * 8,
    "a header of 4 GiB": lambda file: b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + file[12:],
    "a shape that overflows": lambda file: file.replace(b"(100,)", b"(9223372036854775807, 9)").replace(b" " * 18, b"", 1),
    "Python objects": lambda file: file.replace(b"'<f8'", b"'|O' "),
    "big-endian numbers": lambda file: file.replace(b"<f8", b">f8"),
    "complex numbers": lambda file: file.replace(b"<f8", b"<c8"),
}
cases(FILES, npy, EDITS)

ARRAYS = "Arrays and numbers"
CALLS = {
    "no array": "planned('axpy').run(x='text', a=1.0, b=1.0)",
    "an array of objects": "planned('axpy').run(x=np.array([object()]), a=1.0, b=1.0)",
    "complex numbers": "planned('axpy').run(x=np.ones(3, complex), a=1.0, b=1.0)",
    "planes of different lengths": "planned('dot').run(x=np.ones(3), y=np.ones(4))",
    "a plane with too few components": "planned('drift3').run(p=np.ones((2, 5)), v=np.ones((3, 5)), dt=0.1)",
    "an output that may not be written": "y = np.ones(3); y.flags.writeable = False\nplanned('axpy').run(x=np.ones(3), y=y, a=1.0, b=1.0)",
    "an output of another type": "planned('axpy').run(x=np.ones(3), y=np.ones(3, 'f4'), a=1.0, b=1.0)",
    "an output that overlaps an input": "x = np.ones(9)\nplanned('axpy').run(x=x[:6], y=x[3:], a=1.0, b=1.0)",
    "an output whose elements share memory": (
        "y = np.lib.stride_tricks.as_strided(np.ones(1), (3,), (0,))\nplanned('axpy').run(x=np.ones(3), y=y, a=1.0, b=1.0)"
    ),
    "an argument that is missing": "planned('axpy').run(x=np.ones(3), a=1.0)",
    "an argument that nobody knows": "planned('axpy').run(x=np.ones(3), a=1.0, b=1.0, c=1.0)",
    "a uniform that is an array": "planned('axpy').run(x=np.ones(3), a=np.ones(2), b=1.0)",
    "an integer beyond 64 bits": "planned('axpy').run(x=np.ones(3), a=10**400, b=1.0)",
    "fewer samples than the plan has": "planned('axpy', n_samples=2**60).run(x=np.float64(1.0), a=1.0, b=1.0)",
}
cases(ARRAYS, python, CALLS)

PLANS = "Plans"
PLANNED = {
    "a histogram in two partitions": "planned('histogram', npartitions=2)",
    "partitions with a gap": "planned('axpy', partitions=[Partition(0, 2, 5), Partition(3, 2, 5)])",
    "partitions that overlap": "planned('axpy', partitions=[Partition(0, 3, 5), Partition(2, 3, 5)])",
    "partitions of another run": ("planned('axpy', partitions=[Partition(0, 5, 5)]).run(x=np.ones(6), a=1.0, b=1.0)"),
    "a negative number of partitions": "planned('axpy', npartitions=-1)",
    "more partitions than memory": "planned('axpy', npartitions=2**62).run(x=np.ones(3), a=1.0, b=1.0)",
    "a structure that does not exist": "planned('axpy', structure='quantum')",
    "a wider access than declared": "planned('histogram', exec_access='sample_local')",
    "another operator than declared": "planned('dot', exec_op='max')",
    "a million threads": "planned('axpy', threads=1_000_000)",
}
cases(PLANS, python, PLANNED)


@case(PLANS, "an option that does not exist")
def _(folder: Path) -> str:
    return eagle(folder, "run", BUNDLES / "axpy", "--structure", "host_team", "--quantum", code=2)
