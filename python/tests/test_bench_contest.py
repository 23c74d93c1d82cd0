# SPDX-License-Identifier: Apache-2.0
"""python -m eagle.bench beside programs that answer nonsense, end early, or are stopped by Ctrl-C."""

import json
import signal
import subprocess
import sys

import pytest
from bench_records import made
from eagle.bench import contest, programs, record
from eagle.bench.command import main
from eagle.bench.contest import ContestError, Ended, PythonContestant
from test_bench import benchmark

CONTESTANT = """#!{python}
import json, os, signal, sys
print({greeting!r}, flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if request.get("n") == {stops}:
        os.kill(os.getppid(), signal.SIGINT)
    print({prepared!r} if "prepare" in request else {time!r}, flush=True)
"""
ANSWERS = {
    "greeting": json.dumps({"versions": {"numba": "1"}, "variants": {"map_axpy": [""]}}),
    "prepared": '{"": 0.0}',
    "time": "1e-6",
}


@pytest.fixture
def fake(tmp_path):
    """The path of a contestant with these answers, which can be given as an interpreter."""

    def make(stops=0, **answers):
        file = tmp_path / "fake"
        file.write_text(CONTESTANT.format(python=sys.executable, stops=stops, **ANSWERS | answers))
        file.chmod(0o755)
        return str(file)

    return make


def started(path):
    return PythonContestant("fake", "numba_calls", path, 1, [0], {})


def test_a_contestant_that_keeps_to_the_protocol(fake):
    contestant = started(fake())
    try:
        assert contestant.versions == {"numba": "1"} and contestant.variants("bind", 64) == []
        assert contestant.prepare("map_axpy", [""], 64, 1e-3) == {"": 0.0} and contestant.time("") == 1e-6
    finally:
        contestant.close()


@pytest.mark.parametrize(
    "greeting",
    [
        "hello",
        "",
        "[]",
        "null",
        "[" * 50000,
        '{"versions": {}}',
        '{"versions": {"numba": 1}, "variants": {}}',
        '{"versions": {}, "variants": {"map_axpy": "plain"}}',
        '{"versions": {}, "variants": {"map_axpy": ["\\ud800"]}}',
    ],
)
def test_a_greeting_of_nonsense(fake, greeting):
    with pytest.raises(ContestError, match="it answers .*, accepted is an object with versions"):
        started(fake(greeting=greeting))


@pytest.mark.parametrize("prepared", ["{}", "1", '{"": "near"}', '{"other": 0.0}', '{"": 1'])
def test_a_difference_of_nonsense(fake, prepared):
    contestant = started(fake(prepared=prepared))
    try:
        with pytest.raises(Ended, match="accepted is an object of a number or null a variant"):
            contestant.prepare("map_axpy", [""], 64, 1e-3)
    finally:
        contestant.close()


@pytest.mark.parametrize("time", ["0", "-1", "NaN", "1e999", "1" + "0" * 400, "true", '"1"', "1e-400", "\x1b[2J"])
def test_a_time_of_nonsense_and_no_request_after_it(fake, time):
    contestant = started(fake(time=time))
    try:
        with pytest.raises(Ended, match="it answers .*, accepted is a number from 1e-12 to 1e") as found:
            contestant.time("")
        assert str(found.value).isprintable()
        with pytest.raises(Ended, match="ended"):
            contestant.prepare("map_axpy", [""], 64, 1e-3)
    finally:
        contestant.close()


def options_of(bundles, file, *more):
    options = ["--only", "python", "--quick", "--threads", "1", "--filter", "^map_axpy/", "--bundles", str(bundles)]
    return [*options, "--numba", "no-such-python", "--jax", "no-such-python", "--output", str(file), *more]


def test_programs_that_are_no_contestants_are_left_out_and_the_run_goes_on(bundles, tmp_path, fake, capfd):
    file = tmp_path / "run.json"
    others = ["--numba", "/bin/ls", "--jax", "/dev/null", "--raptor", "/bin/ls", "--cpp", "/bin/echo"]
    assert main(options_of(bundles, file, "--sizes", "64", *others)) == 0
    said = capfd.readouterr().err
    for name in ("numba", "jax", "raptor-eagle", "eagle C++"):
        assert len([line for line in said.splitlines() if line.startswith(f"{name}: left out: ")]) == 1
    assert [each.against for each in record.load(file).records] == ["numpy"] and "Traceback" not in said
    assert main(options_of(bundles, file, "--sizes", "64", "--numba", fake(time="soon"))) == 0
    said = capfd.readouterr().err
    assert "numba is left out of map_axpy, n = 64, and of all after it: it answers 'soon'" in said
    assert [each.against for each in record.load(file).records] == ["numpy"]


def test_a_contestant_that_gives_no_answer_is_ended(tmp_path, monkeypatch):
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexec sleep 60\n")
    silent.chmod(0o755)
    monkeypatch.setattr(contest, "PATIENCE", 0.5)
    with pytest.raises(Ended, match=r"it gives no answer within 0\.5 s"):
        started(str(silent))


def test_a_folder_without_bundles_is_said(tmp_path, capfd):
    assert main(options_of(tmp_path, tmp_path / "run.json")) == 2
    said = capfd.readouterr().err
    assert f"no worked bundle can be used in {tmp_path}: --bundles DIR names" in said and "asked for" not in said


def test_a_contestant_that_does_not_start_is_no_process_left(fake, monkeypatch):
    closed = []
    monkeypatch.setattr(contest.Process, "close", lambda self: closed.append(self._process) or self._process.kill())
    with pytest.raises(Ended):
        started(fake(greeting="hello"))
    assert closed[0].wait(timeout=10) is not None


COMMAND = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); from eagle.bench.command import main; "


def stopped(options):
    """(exit code, standard output, standard error) in a process that Ctrl-C reaches."""
    command = [sys.executable, "-c", f"{COMMAND}sys.exit(main({options!r}))"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_ctrl_c_keeps_what_was_measured_in_python(bundles, tmp_path, fake):
    pytest.importorskip("matplotlib")
    file, folder = tmp_path / "run.json", tmp_path / "report"
    more = ["--sizes", "500,1000", "--numba", fake(stops=1000), "--report", str(folder)]
    code, printed, said = stopped(options_of(bundles, file, *more))
    assert code == 130 and "eagle.bench: stopped; what was measured until then is kept" in said and "Traceback" not in said
    assert {(each.n, each.against) for each in record.load(file).records} == {(500, "numpy"), (500, "numba")}
    assert "map y = a x + b" in printed and (folder / "index.html").exists()


def test_ctrl_c_before_anything_was_measured(bundles, tmp_path, fake):
    file = tmp_path / "run.json"
    code, _, said = stopped(options_of(bundles, file, "--sizes", "500", "--numba", fake(stops=500)))
    assert code == 130 and "nothing was measured" in said and not file.exists()


PROGRAM = """#!{python}
import json, os, signal, sys
names = {names!r}
given = dict(word.partition("=")[::2] for word in sys.argv[1:])
if "--benchmark_list_tests" in given:
    print("\\n".join(names))
else:
    whole = json.dumps({{"context": {{"kokkos": "9.8"}}, "benchmarks": {benchmarks!r}}}, indent=2)
    with open(given["--benchmark_out"], "w") as file:
        file.write(whole[:{cut}])
    {ending}
"""
NAMES = [f"map_axpy/float64/openmp/n:{n}/threads:1" for n in (64, 128, 256)]


@pytest.fixture
def program(tmp_path):
    """One that writes so many of its characters and ends in this way."""

    def make(cut, ending):
        file = tmp_path / "a_bench"
        found = [benchmark(name) for name in NAMES]
        file.write_text(PROGRAM.format(python=sys.executable, names=NAMES, benchmarks=found, cut=cut, ending=ending))
        file.chmod(0o755)
        return str(file)

    return make


INTERRUPTS = "os.kill(os.getppid(), signal.SIGINT); signal.pause()"


def test_ctrl_c_keeps_what_a_program_has_written(program, tmp_path):
    file = tmp_path / "run.json"
    code, _, said = stopped(["--only", "cpp", "--bench", program(-60, INTERRUPTS), "--output", str(file)])
    assert code == 130 and "stopped" in said
    assert [each.n for each in record.load(file).records] == [64, 128] and record.load(file).versions == {"kokkos": "9.8"}
    file.unlink()
    code, _, said = stopped(["--only", "cpp", "--bench", program(60, INTERRUPTS), "--output", str(file)])
    assert code == 130 and "nothing was measured" in said and not file.exists()


def test_what_a_program_wrote_before_it_fell_is_kept(program, tmp_path, capfd):
    file = tmp_path / "run.json"
    assert main(["--only", "cpp", "--bench", program(-60, "os.abort()"), "--output", str(file)]) == 1
    assert f"a_bench ends with {-signal.SIGABRT}" in capfd.readouterr().err
    assert [each.n for each in record.load(file).records] == [64, 128]


def test_programs_that_print_no_text_or_no_results(program, tmp_path, capfd):
    for ending in ("sys.exit(0)", "os.write(1, b'\\xff'); os.write(2, b'\\xff')"):
        assert main(["--only", "cpp", "--bench", program(0, ending)]) == 2
        assert "cpp: left out: " in (said := capfd.readouterr().err) and "wrote no results that can be read" in said


@pytest.mark.parametrize(
    "changed",
    [
        {"turns": 1e999},
        {"turns": float("nan")},
        {"turns": 1.5},
        {"discarded": 10**400},
        {"bytes": -1.0},
        {"ours": 10**400},
        {"ratio_low": 5e-324},
        {"baseline": "fast"},
        {"name": "map_axpy/\x1b[2J/openmp/n:64/threads:1"},
        {"name": "map_axpy/float64/openmp/n:64/threads:0"},
    ],
)
def test_a_result_of_nonsense_is_left_out(changed):
    found, said = programs.records_of({"benchmarks": [benchmark(NAMES[0]) | changed, benchmark(NAMES[1])]}, "cpp")
    assert [each.n for each in found] == [128] and len(said) == 1 and "accepted is" in said[0] and said[0].isprintable()


def test_versions_are_text_that_can_be_printed(tmp_path):
    versions = programs.versions_of({"context": {"compiler": "a\n\x1b[2J b", "mpi": ["\ud800"]}})
    assert versions == {"compiler": "a ?[2J b", "mpi": "['\\ud800']"}
    found = record.Run("a date", {"cpu": "", "cores": 1, "caches": "", "system": "", "load": []}, versions, [made()])
    record.save(found, tmp_path / "run.json")
    assert record.load(tmp_path / "run.json") == found
