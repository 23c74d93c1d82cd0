# SPDX-License-Identifier: Apache-2.0
"""python -m eagle.bench --compare: the files that it takes, and what it calls slower."""

import dataclasses
import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from bench_records import made, run_of, wide
from eagle.bench import compare, record
from eagle.bench.command import main
from eagle.bench.record import FormatError
from eagle.bench.spread import is_noisy, spread_of


def test_what_is_written_is_read(tmp_path):
    run = run_of(made(), made("launch", against=None, bytes=0), made(suite="ranks", ranks=4))
    record.save(run, tmp_path / "run.json")
    assert record.load(tmp_path / "run.json") == run and [each.name for each in tmp_path.iterdir()] == ["run.json"]
    found = json.loads((tmp_path / "run.json").read_text())
    assert found["format"] == "eagle-bench" and found["version"] == 1
    assert found["records"][0]["ratio"] == {"median": 2.0, "low": 1.98, "high": 2.02}
    assert found["records"][1]["against"] is None


def broken(change):
    found = json.loads(json.dumps({"format": "eagle-bench", "version": 1} | dataclasses.asdict(run_of(made(), made("launch")))))
    change(found)
    return json.dumps(found)


def replaced(**changed):
    return lambda found: found["records"][1].update(changed)


HUGE = 10**400


def three(value):
    return {"median": value, "low": value, "high": value}


@pytest.mark.parametrize(
    "text, says",
    [
        ("not json", r"is not JSON \(Expecting value.*give a file that --output has written"),
        ("[1]", r"the format is 'list', accepted is \"eagle-bench\""),
        ('{"context": {}, "benchmarks": []}', r"this is what Google Benchmark writes: run `python -m eagle.bench"),
        (broken(lambda found: found.update(format="other")), r"the format is 'other'"),
        (broken(lambda found: found.update(version=2)), r"version 2 is not known: this eagle reads version 1"),
        (broken(lambda found: found.pop("machine")), r'"machine" is missing'),
        (broken(lambda found: found["machine"].pop("cpu")), r'machine: "cpu" is missing'),
        (broken(lambda found: found["records"][1].pop("turns")), r'records\[1\]: "turns" is missing'),
        (broken(replaced(n="many")), r'records\[1\]: "n" is "many", accepted is an integer of at least 0'),
        (broken(replaced(threads=True)), r'records\[1\]: "threads" is true, accepted is an integer of at least 1'),
        (broken(replaced(suite="gpu")), r'records\[1\]: "suite" is "gpu", accepted is one of cpp, ranks, python'),
        (
            broken(replaced(ours={"median": 1, "low": 2, "high": 3})),
            r"accepted is an object of numbers with 1e-12 <= low <= median",
        ),
        (broken(replaced(ours={"median": 1, "low": 1})), r"accepted is an object of numbers"),
        (
            broken(lambda found: found["machine"].update(load=["<script>"])),
            r'machine: "load" is .*, accepted is a list of numbers',
        ),
        (
            broken(lambda found: found["machine"].update(load=[None])),
            r'machine: "load" is \[null\], accepted is a list of numbers',
        ),
        (broken(lambda found: found["machine"].update(cores=HUGE)), r'machine: "cores" is 1000.*below 2\^63'),
        (broken(lambda found: found["machine"].update(cpu="\x1b[2J")), r'machine: "cpu" is .*, accepted is printable text'),
        (
            broken(lambda found: found["versions"].update({"\ud800": "1"})),
            r'"versions" is .*, accepted is an object of printable texts',
        ),
        (broken(lambda found: found.update(date="\x07")), r'"date" is .*, accepted is printable text'),
        (
            broken(lambda found: found.update(date=json.loads("[" * 900 + "]" * 900))),
            r'"date" is .*, accepted is printable text',
        ),
        (broken(lambda found: found.update(version=HUGE)), r'"version" is 1000.*below 2\^63'),
        (broken(replaced(case="\ud800")), r'records\[1\]: "case" is "\\ud800", accepted is printable text'),
        (broken(replaced(against="a\nb")), r'records\[1\]: "against" is "a\\nb", accepted is printable text'),
        (broken(replaced(turns=HUGE)), r'records\[1\]: "turns" is 1000.*below 2\^63'),
        (broken(replaced(n=2**63)), r'records\[1\]: "n" is 9223372036854775808, accepted is .*below 2\^63'),
        (broken(replaced(ours=three(HUGE))), r'records\[1\]: "ours" is .*, accepted is an object of numbers'),
        (broken(replaced(ours=three(1e13))), r"<= high <= 1e\+12"),
        (broken(replaced(ratio=three(5e-324))), r"accepted is an object of numbers with 1e-24 <= low"),
        (broken(replaced(ratio=three(1e308))), r"<= high <= 1e\+24"),
        (broken(replaced(ratio=three(math.nan))), r"accepted is an object of numbers"),
        ("[" * 50000 + "]" * 50000, r"it is nested too deep: give a file that --output has written"),
        ("1" * 5000, r"it is not JSON"),
        (broken(replaced(ratio=None)), r"records\[1\]: against, baseline and ratio come together"),
        (
            broken(lambda found: found["records"].append(found["records"][0])),
            r"records\[0\] and records\[2\] are both python map_axpy",
        ),
    ],
)
def test_other_files_are_refused(text, says, tmp_path, capsys):
    file = tmp_path / "old.json"
    file.write_text(text)
    with pytest.raises(FormatError, match=says):
        record.load(file)
    record.save(run_of(made()), tmp_path / "new.json")
    assert main(["--compare", str(file), str(tmp_path / "new.json")]) == 2
    assert str(file) in capsys.readouterr().err


def test_a_file_that_is_not_text(tmp_path):
    file = tmp_path / "old.json"
    file.write_bytes(b"\xff")
    with pytest.raises(
        FormatError, match=r"old.json is not UTF-8 \(invalid start byte\): give a file that --output has written"
    ):
        record.load(file)


def test_a_fault_is_no_finding(tmp_path, capsys, monkeypatch):
    """1 would say that something has become slower."""
    record.save(run_of(made()), tmp_path / "run.json")
    monkeypatch.setattr(compare, "compare", lambda *_: 1 // 0)
    assert main(["--compare", str(tmp_path / "run.json"), str(tmp_path / "run.json")]) == 2
    assert "ZeroDivisionError" in (said := capsys.readouterr().err) and "eagle.bench: this is a fault" in said


@pytest.mark.parametrize("error, says", [(OSError(28, "no space"), "no space"), (OSError(2, "none", "a file"), "a file: none")])
def test_errors_of_the_system_name_what_they_know(error, says, tmp_path, capsys, monkeypatch):
    def fails(_):
        raise error

    monkeypatch.setattr(record, "load", fails)
    assert main(["--compare", "a", "b"]) == 2
    assert capsys.readouterr().err == f"eagle.bench: {says}\n"


def test_the_ends_of_what_is_accepted_are_compared_and_shown(compared):
    old = [made(ours=1e-12 * 1.02, ratio=1e24 / 1.02), made("launch", ours=1e-12 * 1.02, against=None)]
    new = [made(ours=1e12 / 1.02, ratio=1e-24 * 1.02), made("launch", ours=1e12 / 1.02, against=None)]
    extreme = {"baseline": wide(1.0, 0.02), "turns": 2**63 - 1, "n": 2**63 - 1, "bytes": 2**63 - 1}
    old, new = ([dataclasses.replace(each[0], **extreme), each[1]] for each in (old, new))
    code, printed = compared(run_of(*old), run_of(*new))
    assert code == 1 and "2 slower, 0 faster" in printed


def test_a_terminal_of_another_alphabet_is_no_fault(tmp_path):
    record.save(run_of(made(against="µ")), tmp_path / "old.json")
    record.save(run_of(made(against="µ", ratio=1.0)), tmp_path / "new.json")
    command = [sys.executable, "-m", "eagle.bench", "--compare", str(tmp_path / "old.json"), str(tmp_path / "new.json")]
    done = subprocess.run(command, env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "\\xb5" in done.stdout


def test_a_file_that_is_not_there(tmp_path, capsys):
    assert main(["--compare", str(tmp_path / "none.json"), str(tmp_path / "none.json")]) == 2
    assert "none.json cannot be read: No such file" in capsys.readouterr().err


@pytest.fixture
def compared(tmp_path, capsys):
    """(exit code, what is printed) for two runs."""

    def compare_files(old, new):
        for name, run in (("old", old), ("new", new)):
            record.save(run, tmp_path / f"{name}.json")
        code = main(["--compare", str(tmp_path / "old.json"), str(tmp_path / "new.json")])
        return code, capsys.readouterr().out

    return compare_files


def test_identical_runs(compared):
    run = run_of(made(), made("launch", against=None))
    code, printed = compared(run, run)
    assert code == 0 and printed.endswith("0 slower, 0 faster, 2 the same within the noise\n")


@pytest.mark.parametrize(
    "by, code, summary", [(1.15, 1, "1 slower, 0 faster"), (0.85, 0, "0 slower, 1 faster"), (1.08, 0, "0 slower, 0 faster")]
)
@pytest.mark.parametrize("against", ["numpy", None])
def test_a_change_with_narrow_quartiles(compared, by, code, summary, against):
    before = made(against=against)
    after = made(against=against, ours=1e-3 * by, ratio=2.0 / by)
    found, printed = compared(run_of(before, made("other")), run_of(after, made("other")))
    assert found == code and summary in printed


def test_slower_within_wide_quartiles_is_the_same(compared):
    code, printed = compared(run_of(made(width=0.2)), run_of(made(width=0.2, ratio=2.0 / 1.15)))
    assert code == 0 and "0 slower, 0 faster, 1 the same" in printed


def test_noisy_comparisons_need_twice_as_much(compared):
    for by, code in ((1.15, 0), (1.25, 1)):
        found, printed = compared(run_of(made(noisy=True)), run_of(made(ratio=2.0 / by)))
        assert found == code and ("~" in printed) == bool(code)


def test_what_was_disturbed_all_the_time_is_not_judged(compared, capsys):
    old, new = made(noisy=True, discarded=16), made(ratio=1.0)
    code, printed = compared(run_of(old, made("dot_plugin")), run_of(new, made("dot_plugin")))
    assert (
        code == 0
        and "1 not judged, as more turns were discarded than kept" in printed
        and "0 slower, 0 faster, 1 the same" in printed
    )
    with pytest.raises(FormatError, match="nothing to compare: 1 not judged"):
        compare.compare(run_of(new), run_of(old))


def test_few_turns_see_less(compared):
    for turns, code in ((3, 0), (50, 1)):
        old, new = made(width=0.08, turns=turns), made(width=0.08, turns=turns, ratio=2.0 / 1.15)
        assert compared(run_of(old), run_of(new))[0] == code


def test_few_turns_that_lie_close_together_by_luck_count_as_the_others_do(compared):
    """Three turns of a machine that is noisy elsewhere."""
    noisy = [made(f"other{k}", width=0.2, turns=3) for k in range(5)]
    lucky = made(width=0.01, turns=3), made(width=0.01, turns=3, ratio=2.0 / 1.15)
    assert compared(run_of(lucky[0], *noisy), run_of(lucky[1], *noisy))[0] == 0
    assert compared(run_of(lucky[0]), run_of(lucky[1]))[0] == 1


def test_the_ratio_counts_and_not_the_time_where_there_is_one(compared):
    code, printed = compared(run_of(made()), run_of(made(ours=3e-3)))
    assert code == 0 and "1 the same" in printed


def test_another_machine(compared):
    old = run_of(made(), made("launch", against=None))
    new = run_of(made(ratio=1.0), made("launch", against=None, ours=9.0), cpu="another cpu")
    code, printed = compared(old, new)
    assert code == 1 and "1 slower, 0 faster, 0 the same" in printed and "other machine: a cpu" in printed
    assert "1 bare time not compared, as the machine is another: python launch/float64/-/n:1000/threads:2" in printed


def test_what_one_file_has_alone_is_named(compared):
    code, printed = compared(run_of(made(), made("old_case")), run_of(made(), made("new_case"), made("newer_case")))
    assert code == 0 and "1 comparison only in the old file: python old_case/" in printed
    assert "2 comparisons only in the new file: python new_case/float64/numpy/n:1000/threads:2, python newer_case/" in printed


def test_versions_that_moved_are_named(compared):
    new = run_of(made())
    new.versions["numpy"] = "2.1"
    assert "numpy 2.0 -> 2.1" in compared(run_of(made()), new)[1]


@pytest.mark.parametrize(
    "old, new, says",
    [
        (run_of(made("a")), run_of(made("b")), "no comparison is in both"),
        (run_of(made(against=None)), run_of(made(against=None), cores=3), "1 bare time, is of different machines"),
        (run_of(), run_of(), "no comparison is in both"),
    ],
)
def test_nothing_to_compare_is_no_success(old, new, says):
    with pytest.raises(FormatError, match=says):
        compare.compare(old, new)


@pytest.mark.parametrize("turns, noise", [(7, 0.03), (7, 0.2), (15, 0.1), (15, 0.3)])
def test_a_thousand_comparisons_do_not_cry_wolf(turns, noise):
    """Two runs of the same, whose turns scatter like a bell with this share as its standard deviation."""
    random = np.random.default_rng(turns)

    def run():
        ratios = [spread_of(np.maximum(random.normal(1.0, noise, turns), 0.1)) for _ in range(1000)]
        noisy = [is_noisy(each, turns, 0) for each in ratios]
        return run_of(*(made(f"case{k}", turns=turns, ratio=ratios[k], noisy=noisy[k]) for k in range(1000)))

    found = compare.compare(run(), run())
    assert len(found.of("slower")) + len(found.of("faster")) <= 1


def test_a_thousand_that_are_15_percent_slower_are_seen():
    random = np.random.default_rng(3)

    def run(factor):
        ratios = [spread_of(random.normal(1.0, 0.03, 15) / factor) for _ in range(1000)]
        return run_of(*(made(f"case{k}", ratio=each) for k, each in enumerate(ratios)))

    assert len(compare.compare(run(1.0), run(1.15)).of("slower")) > 950
