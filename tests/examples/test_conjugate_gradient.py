# SPDX-License-Identifier: Apache-2.0
"""examples/conjugate_gradient on ranks and threads, against NumPy."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

PROGRAM = os.environ["CONJUGATE_GRADIENT"]
MPIEXEC = os.environ["MPIEXEC"].split()
PAGE = Path(__file__).parents[2] / "docs" / "kokkos_kernels.md"
CUTS = [(ranks, threads) for ranks in (1, 2, 3, 4) for threads in (1, 2)]


def run(*arguments, ranks=1, threads=1, fails=False):
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    if ranks > (os.cpu_count() or 1):
        environment["MPIR_CVAR_ENABLE_HEAVY_YIELD"] = "1"
    command = [*MPIEXEC, str(ranks), PROGRAM, *(str(word) for word in arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    if not fails:
        assert f"on {ranks} ranks of {threads} threads" in done.stdout
    return done.stderr if fails else done.stdout


def iterates(output, solver="eagle::dot"):
    """(iteration, residual, digest of x) of each checkpoint."""
    found = re.findall(rf"^{re.escape(solver)}: iteration (\d+) residual (\S+) x (\w+)$", output, re.M)
    assert len(found) > 1, output
    return [(int(k), float.fromhex(residual), digest) for k, residual, digest in found]


def solution(tmp_path, *arguments, **cut):
    file = tmp_path / "x"
    output = run(*arguments, "--solution", file, **cut)
    return np.fromfile(file, "<f8"), output


def laplacian(p):
    """The 7-point stencil on (z, y, x), each point's terms added in the order of their columns."""
    q = np.zeros_like(p)
    q[1:] -= p[:-1]
    q[:, 1:] -= p[:, :-1]
    q[:, :, 1:] -= p[:, :, :-1]
    q += 6.0 * p
    q[:, :, :-1] -= p[:, :, 1:]
    q[:, :-1] -= p[:, 1:]
    q[:-1] -= p[1:]
    return q


def tree_dot(x, y):
    """The sum of products in the order of docs/reproducibility.md."""
    products, nodes = (x * y).ravel(), []
    for base in range(0, products.size, 1024):
        block = products[base : base + 1024]
        lanes = block[:64].copy()
        for k in range(64, block.size, 64):
            lanes[: block[k : k + 64].size] += block[k : k + 64]
        while lanes.size > 1:
            half = 1 << (lanes.size - 1).bit_length() - 1
            lanes[: lanes.size - half] += lanes[half:]
            lanes = lanes[:half]
        nodes.append(lanes[0])
    while len(nodes) > 1:
        nodes = [nodes[k] + nodes[k + 1] if k + 1 < len(nodes) else nodes[k] for k in range(0, len(nodes), 2)]
    return nodes[0]


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def conjugate_gradients(shape, iterations):
    x, r, p = np.zeros(shape), np.ones(shape), np.ones(shape)
    squares = tree_dot(r, r)
    for _ in range(iterations):
        q = laplacian(p)
        alpha = squares / tree_dot(p, q)
        x += alpha * p
        r -= alpha * q
        before, squares = squares, tree_dot(r, r)
        p = r + squares / before * p
    return x.ravel(), np.sqrt(squares)


def test_one_course_of_iterates_on_any_ranks_and_threads():
    outputs = [run("--grid", 20, "--every", 10, ranks=ranks, threads=threads) for ranks, threads in CUTS]
    courses = [iterates(output) for output in outputs]
    assert len({digest for _, _, digest in courses[0]}) == len(courses[0]) > 5
    assert all(course == courses[0] for course in courses)
    for output in outputs:
        (other,) = set(re.findall(r"^(.* \+ MPI_Allreduce): done after", output, re.M))
        assert abs(iterates(output, other)[-1][0] - courses[0][-1][0]) <= 2


@pytest.mark.parametrize("ranks, threads", [(1, 1), (3, 2)])
def test_the_bits_are_those_of_the_definition_in_numpy(tmp_path, ranks, threads):
    x, output = solution(tmp_path, "--grid", "13,12,11", "--iterations", 25, "--tolerance", 0, ranks=ranks, threads=threads)
    if "by eagle::for_each" not in output:
        pytest.skip("a compiled Kokkos Kernels may contract products into sums")
    expected, residual = conjugate_gradients((11, 12, 13), 25)
    assert np.array_equal(x.view("u8"), expected.view("u8"))
    assert iterates(output)[-1] == (25, residual, fnv1a(expected.tobytes()))


def test_it_solves_the_poisson_problem(tmp_path):
    x, _ = solution(tmp_path, "--grid", "6,5,4", "--tolerance", 1e-13, ranks=2)
    dense = np.stack([laplacian(unit.reshape(4, 5, 6)).ravel() for unit in np.eye(120)])
    np.testing.assert_allclose(x, np.linalg.solve(dense, np.ones(120)), rtol=1e-11)


def scattered(n=500, seed=1):
    """A symmetric positive definite matrix whose rows reach anywhere."""
    rng = np.random.default_rng(seed)
    a = np.where(rng.random((n, n)) < 4 / n, rng.standard_normal((n, n)), 0.0)
    a = a + a.T
    return a + np.diag(np.abs(a).sum(axis=1) + 1.0)


def write(file, a, kind):
    kept = np.argwhere(np.tril(a) if kind == "symmetric" else a)
    np.random.default_rng(2).shuffle(kept)
    lines = [f"%%MatrixMarket MATRIX coordinate Real {kind}", "% a comment", "", f"{len(a)} {len(a)} {len(kept)}"]
    lines += [f" {i + 1}\t{j + 1} {float(a[i, j])!r}\r" for i, j in kept.tolist()]
    file.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("kind", ["symmetric", "general"])
def test_a_matrix_market_file(tmp_path, kind):
    a = scattered()
    write(tmp_path / "a.mtx", a, kind)
    runs = [solution(tmp_path, "--matrix", tmp_path / "a.mtx", "--tolerance", 1e-13, ranks=ranks) for ranks in (1, 2, 3, 4)]
    np.testing.assert_allclose(runs[0][0], np.linalg.solve(a, np.ones(len(a))), rtol=1e-10)
    assert all(iterates(output) == iterates(runs[0][1]) for _, output in runs)


def test_ranks_without_rows(tmp_path):
    (tmp_path / "a.mtx").write_text("%%MatrixMarket matrix coordinate integer symmetric\n2 2 3\n1 1 2\n2 2 +4\n2 1 -1\n")
    x, _ = solution(tmp_path, "--matrix", tmp_path / "a.mtx", ranks=4)
    np.testing.assert_allclose(x, [5 / 7, 3 / 7], rtol=1e-14)


HEAD = "%%MatrixMarket matrix coordinate real "
BAD = {
    "no banner": ("2 2 1\n1 1 1\n", ":1: the first line is not"),
    "empty": ("", ":0: the first line is not"),
    "complex": (HEAD.replace("real", "complex") + "general\n1 1 0\n", "'matrix coordinate complex general' is not accepted"),
    "dense": (HEAD.replace("coordinate", "array") + "general\n1 1\n1\n", "is not accepted"),
    "skew": (HEAD + "skew-symmetric\n1 1 0\n", "is not accepted"),
    "no size": (HEAD + "general\n% nothing\n", "the size line, 'rows columns entries', is missing"),
    "not square": (HEAD + "general\n2 3 1\n1 1 1\n", ":2: a matrix of 2 x 3 is not square"),
    "no rows": (HEAD + "general\n0 0 0\n", ":2: 1 to 2^31 - 1 rows"),
    "huge": (HEAD + "general\n4294967296 4294967296 1\n1 1 1\n", ":2: 1 to 2^31 - 1 rows"),
    "truncated": (HEAD + "general\n2 2 2\n1 1 1\n", "truncated: 1 of 2 entries are there"),
    "cut line": (HEAD + "general\n2 2 2\n1 1 1\n2 2\n", ":4: an entry is 'row column value'"),
    "too long": (HEAD + "general\n1 1 1\n1 1 1\n1 1 1\n", ":4: text after the 1 entries"),
    "no number": (HEAD + "general\n1 1 1\n1 1 1.5x\n", ":3: '1.5x' is not a number"),
    "row 0": (HEAD + "general\n2 2 1\n0 1 1\n", ":3: entry (0, 1) lies outside 1 to 2"),
    "column 3": (HEAD + "general\n2 2 1\n1 3 1\n", ":3: entry (1, 3) lies outside 1 to 2"),
    "nan": (HEAD + "general\n1 1 1\n1 1 nan\n", ":3: entry (1, 1) is nan, not finite"),
    "twice": (HEAD + "general\n1 1 2\n1 1 1\n1 1 1\n", ":4: entry (1, 1) is there twice"),
    "upper": (HEAD + "symmetric\n2 2 1\n1 2 1\n", ":3: entry (1, 2) lies above the diagonal"),
    "not symmetric": (HEAD + "general\n2 2 3\n1 1 1\n2 1 3\n1 2 4\n", "not symmetric: entry (2, 1) differs from (1, 2)"),
    "one-sided": (HEAD + "general\n2 2 3\n1 1 1\n2 2 1\n2 1 3\n", ":5: not symmetric: entry (1, 2) differs from (2, 1)"),
    "indefinite": (HEAD + "general\n2 2 2\n1 1 1\n2 2 -1\n", "need a positive definite matrix"),
    "no entries": (HEAD + "general\n2 2 0\n", "need a positive definite matrix"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused_is_refused_on_all_ranks(tmp_path, name):
    text, message = BAD[name]
    (tmp_path / "bad.mtx").write_text(text)
    error = run("--matrix", tmp_path / "bad.mtx", ranks=2, fails=True)
    assert message in error and error.count("conjugate_gradient: ") == 1, error


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--matrix", "absent.mtx"), "absent.mtx: cannot be opened"),
        (("--grid", "2,2"), "takes one number or three"),
        (("--grid", "2000"), "makes 8000000000 rows, at most 2^31 - 1 are accepted"),
        (("--grid", "0"), "--grid"),
        (("--grid", "20", "--iterations", "5"), "not converged"),
    ],
)
def test_options_that_cannot_be(arguments, message):
    assert message in run(*arguments, ranks=2, fails=True)


def test_the_page_shows_what_is_printed():
    shown = re.findall(r"^eagle::dot: iteration .*$", PAGE.read_text(), re.M)
    printed = run("--grid", 20, ranks=2).splitlines()
    if "by eagle::for_each" not in printed[0]:
        pytest.skip("a compiled Kokkos Kernels may contract products into sums")
    assert shown and set(shown) <= set(printed)
