# SPDX-License-Identifier: Apache-2.0
"""python -m eagle.bench: what it measures, and how it takes what the C++ programs write."""

import math
import subprocess
import sys

import numpy as np
import pytest
from eagle.bench import contest, programs, record
from eagle.bench.command import main
from eagle.bench.contestants import cases
from eagle.bench.control import Control
from eagle.bench.python_suite import Effort, Suite
from eagle.bench.spread import Spread, is_noisy, spread_of


@pytest.fixture
def measured(bundles, tmp_path, capfd):
    """What a run with tiny sizes, NumPy and no other program writes and prints."""

    def start(*options):
        file = tmp_path / "run.json"
        command = ["--only", "python", "--quick", "--bundles", str(bundles), "--output", str(file), *options]
        command += ["--numba", "no-such-python", "--jax", "no-such-python"]
        assert main(command) == 0
        return record.load(file), capfd.readouterr()

    return start


def test_a_run_against_numpy(measured):
    run, printed = measured("--sizes", "500", "--threads", "1", "--filter", "^(map_axpy|launch)/")
    assert {(each.case, each.against, each.n) for each in run.records} == {("launch", None, 64), ("map_axpy", "numpy", 500)}
    for each in run.records:
        assert each.suite == "python" and each.threads == 1 and each.turns == 7
        assert 1e-8 < each.ours.low <= each.ours.median <= each.ours.high < 1
    assert {each.bytes for each in run.records} == {0, 500 * 16}
    assert run.versions["numpy"] == np.__version__ and run.machine["cores"] >= 1
    assert "Maps" in printed.out and "map y = a x + b" in printed.out and "~: noisy" in printed.out
    for left_out in ("numba: left out", "jax: left out", "raptor-eagle: left out", "eagle C++: left out"):
        assert len([line for line in printed.err.splitlines() if line.startswith(left_out)]) == 1


def test_every_case_of_eagle_answers_as_numpy_does(bundles):
    ours = contest.PythonContestant("eagle", "eagle_plans", sys.executable, 1, [0], {"bundles": str(bundles)})
    try:
        for case in cases.CASES:
            assert ours.variants(case, 100) == [""]
            (difference,) = ours.prepare(case, [""], 100, 1e-4).values()
            assert difference <= cases.TOLERANCE[cases.CASES[case].dtype]
            assert 0 < ours.time("") < 1
    finally:
        ours.close()


@pytest.mark.parametrize(
    "options, says",
    [
        (["--only", "gpu"], "'gpu' is no suite"),
        (["--filter", "("], "no regular expression"),
        (["--sizes", "64,0"], "'0' is no integer of at least 1"),
        (["--sizes", "inf"], "'inf' is no integer of at least 1"),
        (["--from", "x.json"], "--from FILE goes with --report DIR"),
    ],
)
def test_options_that_are_refused(options, says, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(options)
    assert stopped.value.code == 2 and says in capsys.readouterr().err


def test_nothing_to_run_is_an_error(tmp_path, capsys):
    assert main(["--only", "python", "--bundles", str(tmp_path / "none")]) == 2
    assert "no folder" in (said := capsys.readouterr().err) and "nothing was measured" in said


def test_what_would_be_missing_in_the_end_is_said_at_the_start(bundles, tmp_path, capsys, monkeypatch):
    assert main(["--only", "python", "--bundles", str(bundles), "--output", str(tmp_path / "none" / "run.json")]) == 2
    assert "there is no folder" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["--only", "python", "--bundles", str(bundles), "--report", str(tmp_path / "report")]) == 2
    assert "the report needs matplotlib" in capsys.readouterr().err


class Scripted:
    """A contestant whose times and answers are given."""

    versions: dict[str, str] = {}

    def __init__(self, name, seconds, difference=0.0, fails=None):
        self.name, self.seconds, self.difference, self.fails = name, seconds, difference, fails
        self.asked = 0

    def variants(self, case, n):
        return [""] if case == "map_axpy" else []

    def prepare(self, case, variants, n, seconds):
        return {"": self.difference}

    def time(self, variant):
        self.asked += 1
        if self.fails:
            raise self.fails
        return self.seconds

    def close(self): ...


def suite_of(*rivals, disturbed=lambda: False, ours=None, turns=5):
    said = []
    effort = Effort(turns=turns, seconds=1e-3, sizes=(64,), pause=0)
    return Suite(ours or Scripted("eagle", 2e-6), rivals, 1, effort, disturbed, said.append), said


def test_turns_beside_a_disturbance_are_taken_again_and_counted():
    controls = iter([False, True, False, True, False] + [False] * 100)  # what comes before the first turn, then after each
    suite, _ = suite_of(Scripted("other", 6e-6), disturbed=lambda: next(controls))
    (found,) = [each for cell in suite.cells() for each in suite.measure(cell)]
    # The control after turn 1 is disturbed, so it and the turn after that control go; the same again.
    assert found.turns == 5 and found.discarded == 4 and not found.noisy
    assert found.ratio.median == pytest.approx(3.0) and found.ours.median == 2e-6


def test_a_machine_that_is_never_quiet_ends_and_says_so():
    suite, _ = suite_of(Scripted("other", 6e-6), disturbed=lambda: True)
    (found,) = [each for cell in suite.cells() for each in suite.measure(cell)]
    assert found.turns == 5 and found.discarded == 3 * 5 and found.noisy


@pytest.mark.parametrize("difference", [1e-9, math.inf, math.nan])
def test_who_answers_wrong_is_left_out_loudly(difference):
    wrong, right = Scripted("wrong", 1e-9, difference), Scripted("right", 6e-6)
    suite, said = suite_of(wrong, right)
    found = [each for cell in suite.cells() for each in suite.measure(cell)]
    assert [each.against for each in found] == ["right"] and wrong.asked == 0
    assert len(said) == 1 and said[0].startswith("wrong is left out of map_axpy, n = 64: WRONG") and not suite.failed


def test_eagle_answering_wrong_is_a_failure():
    suite, said = suite_of(Scripted("right", 6e-6), ours=Scripted("eagle", 2e-6, 1.0))
    assert [each for cell in suite.cells() for each in suite.measure(cell)] == []
    assert suite.failed and "WRONG" in said[0]


def test_a_contestant_that_ends_is_left_out_from_there_on():
    gone = Scripted("gone", 1e-6, fails=contest.Ended("its process has ended (exit code -9)"))
    suite, said = suite_of(gone, Scripted("right", 6e-6))
    found = [each for cell in suite.cells() for each in suite.measure(cell)]
    assert [each.against for each in found] == ["right"] and gone not in suite.rivals
    assert said == ["gone is left out of map_axpy, n = 64, and of all after it: its process has ended (exit code -9)"]


def test_the_control_sees_a_longer_turn():
    with Control([0], seconds=1e-4) as control:
        times = iter([1.0, 1.05, 1.2, 0.9, 0.98, 1.0])
        control._slowest = lambda: next(times)
        assert [control.is_disturbed() for _ in range(6)] == [False, False, True, False, False, True]


def test_differences_are_relative_to_the_largest_number_and_shapes_count():
    assert cases.difference([1.0, 101.0], [1.0, 100.0]) == 0.01
    assert cases.difference(3.0, [3.0]) == math.inf and cases.difference(math.nan, 3.0) == math.inf


def test_quartiles_and_noise():
    assert spread_of([5.0, 1.0, 3.0, 2.0, 4.0]) == Spread(3.0, 2.0, 4.0)
    assert is_noisy(Spread(1.0, 0.94, 1.05), 5, 0) and not is_noisy(Spread(1.0, 0.96, 1.05), 5, 5)
    assert is_noisy(Spread(1.0, 1.0, 1.0), 5, 6)


def benchmark(name, **changed):
    counters = {"ours": 2.0, "baseline": 4.0, "ratio": 2.0}
    found = {
        f"{key}{end}": value * by for key, value in counters.items() for end, by in (("", 1), ("_low", 0.9), ("_high", 1.1))
    }
    return {"name": name, "turns": 9.0, "discarded": 2.0, "noisy": 1.0, "bytes": 64.0} | found | changed


def test_records_of_google_benchmark():
    found, left_out = programs.records_of(
        {
            "benchmarks": [
                benchmark("dot_plugin/float32/openmp/n:1024/threads:2/iterations:1/manual_time"),
                benchmark("gather_plane/float64/mpi_allgatherv/n:8/threads:1/ranks:4/manual_time"),
                benchmark("load_bundle/-/-/n:0/threads:1"),
                benchmark("dot_plugin/float32/openmp/n:1024/threads:2/iterations:2"),
                benchmark("an_older_name/2"),
                benchmark("map/float64/openmp/n:1/threads:1", error_occurred=True, error_message="it differs"),
                benchmark("map/float64/openmp/n:2/threads:1", error_occurred=True, error_message="it differs"),
                {key: value for key, value in benchmark("a/b/c/n:1/threads:1").items() if key != "ratio_low"},
            ]
        },
        "cpp",
    )
    assert [each.key for each in found] == [
        ("cpp", "dot_plugin", "float32", "openmp", 1024, 2, 1),
        ("cpp", "gather_plane", "float64", "mpi_allgatherv", 8, 1, 4),
        ("cpp", "load_bundle", "-", "", 0, 1, 1),
    ]
    assert found[0].ours == Spread(2.0, 1.8, 2.2) and found[0].noisy and found[0].bytes == 64 and found[0].turns == 9
    assert found[2].ratio is None and found[2].baseline is None
    assert [line.rpartition(": ")[2] for line in left_out] == [
        "a second result of what was measured already",
        "its name is not CASE/DTYPE/BASELINE/n:N/threads:T",
        "it differs",
        "the counter 'ratio_low' is missing",
    ]
    assert "n:1/threads:1, map/float64/openmp/n:2/threads:1" in left_out[2]


PROGRAM = """#!{python}
import json, re, sys
names = ["map_axpy/float64/openmp/n:64/threads:1/manual_time", "dot_plugin/float64/openmp/n:64/threads:1/manual_time",
         "map_axpy/float64/openmp/n:4194304/threads:1/manual_time"]
given = dict(word.partition("=")[::2] for word in sys.argv[1:])
if "--benchmark_list_tests" in given:
    print("\\n".join(names))
else:
    chosen = [name for name in names if re.search(given.get("--benchmark_filter", ""), name)]
    made = {benchmark!r}
    with open(given["--benchmark_out"], "w") as file:
        json.dump({{"context": {{"kokkos": "9.8"}}, "benchmarks": [made | {{"name": name}} for name in chosen]}}, file)
    sys.exit({code})
"""


@pytest.fixture
def program(tmp_path):
    def make(code=0):
        file = tmp_path / "a_bench"
        file.write_text(PROGRAM.format(python=sys.executable, benchmark=benchmark(""), code=code))
        file.chmod(0o755)
        return file

    return make


def test_a_program_is_run_for_what_is_asked(program, tmp_path):
    file = tmp_path / "run.json"
    options = ["--only", "cpp", "--bench", str(program()), "--output", str(file)]
    assert main(options) == 0
    assert len(record.load(file).records) == 3 and record.load(file).versions == {"kokkos": "9.8"}
    assert main([*options, "--filter", "^map_axpy/", "--quick"]) == 0
    assert [each.name for each in record.load(file).records] == ["map_axpy/float64/openmp/n:64/threads:1"]


def test_a_program_that_fails_is_said_and_its_results_are_kept(program, tmp_path, capfd):
    file = tmp_path / "run.json"
    assert main(["--only", "cpp", "--bench", str(program(code=3)), "--output", str(file)]) == 1
    assert "a_bench ends with 3" in capfd.readouterr().err and len(record.load(file).records) == 3


def test_it_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "eagle.bench", "--help"], capture_output=True, text=True, timeout=60)
    assert (
        done.returncode == 0
        and "--compare OLD NEW" in done.stdout
        and "quartiles of the two runs do not overlap" in done.stdout
    )
