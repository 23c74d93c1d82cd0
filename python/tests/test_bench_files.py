# SPDX-License-Identifier: Apache-2.0
"""Where python -m eagle.bench writes to: what is there, links and modes; and that a bad place is refused before measuring."""

import os
import stat

import pytest
from bench_records import made, run_of
from eagle.bench import command, files, record
from eagle.bench.command import main
from eagle.bench.ending import Refusal


@pytest.fixture
def unmeasured(monkeypatch):
    """Measuring is a failure."""

    def measure(options):
        raise AssertionError("it measures")

    monkeypatch.setattr(command, "run", measure)


def test_a_link_is_followed_and_stays(tmp_path):
    (tmp_path / "far").mkdir()
    for name in ("there", "not yet"):
        link = tmp_path / f"link to {name}"
        link.symlink_to(f"far/{name}")
        if name == "there":
            (tmp_path / "far" / name).write_text("old")
        files.write_whole(link, "new")
        assert link.is_symlink() and (tmp_path / "far" / name).read_text() == "new"
    assert sorted(each.name for each in (tmp_path / "far").iterdir()) == ["not yet", "there"]


def test_the_mode_is_kept_and_a_new_file_has_that_of_all_files(tmp_path):
    kept, fresh, usual = (tmp_path / name for name in ("kept", "fresh", "usual"))
    kept.write_text("old")
    kept.chmod(0o640)
    usual.write_text("")
    files.write_whole(kept, "new")
    files.write_whole(fresh, "new")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640 and kept.read_text() == "new"
    assert fresh.stat().st_mode == usual.stat().st_mode


def a_pipe(folder):
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def a_link_to_a_pipe(folder):
    (folder / "link").symlink_to(a_pipe(folder))
    return folder / "link"


def a_loop(folder):
    (folder / "loop").symlink_to("loop")
    return folder / "loop"


def below_a_file(folder):
    (folder / "file").write_text("")
    return folder / "file" / "run.json"


PLACES = [
    (a_pipe, "is a device, pipe or socket, accepted is a regular file"),
    (a_link_to_a_pipe, "is a device, pipe or socket, accepted is a regular file"),
    (a_loop, "cannot be written: Too many levels of symbolic links"),
    (below_a_file, "cannot be written: Not a directory"),
    (lambda folder: folder, "is a folder, accepted is a regular file"),
    (lambda folder: folder / "none" / "run.json", "cannot be written: there is no folder"),
    (lambda folder: folder / ("x" * 300), "cannot be written: File name too long"),
]


@pytest.mark.parametrize("make, says", PLACES)
def test_a_place_for_no_file_is_refused_and_left_alone(make, says, tmp_path, capsys, unmeasured):
    path = make(tmp_path)
    before = {each: each.lstat() for each in tmp_path.iterdir()}
    with pytest.raises(Refusal, match=says):
        files.write_whole(path, "new")
    assert main(["--output", str(path)]) == 2
    assert f"{path} {says}" in capsys.readouterr().err
    assert {each: (each.lstat().st_ino, each.lstat().st_mode) for each in tmp_path.iterdir()} == {
        each: (found.st_ino, found.st_mode) for each, found in before.items()
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write all files")
def test_a_file_that_is_protected_is_refused(tmp_path):
    (tmp_path / "run.json").write_text("old")
    (tmp_path / "run.json").chmod(0o444)
    with pytest.raises(Refusal, match="is write-protected"):
        files.check(tmp_path / "run.json")


@pytest.mark.parametrize("option", ["--output", "--report"])
def test_no_name_is_refused(option, capsys, unmeasured):
    with pytest.raises(SystemExit) as stopped:
        main([option, ""])
    assert stopped.value.code == 2 and f"argument {option}: '' names no file" in capsys.readouterr().err


def test_a_bad_place_for_the_report_is_found_first(tmp_path, capsys, unmeasured):
    pytest.importorskip("matplotlib")
    file, folder = tmp_path / "file", tmp_path / "folder"
    file.write_text("old")
    (folder / "index.html").mkdir(parents=True)
    for given, says in (
        (file, f"{file} cannot be the folder of a report: it is a file"),
        (file / "below", f"{file / 'below'} cannot be the folder of a report: Not a directory"),
        (folder, f"{folder / 'index.html'} is a folder"),
    ):
        assert main(["--report", str(given)]) == 2
        assert says in capsys.readouterr().err
    record.save(run_of(made()), tmp_path / "run.json")
    assert main(["--from", str(tmp_path / "run.json"), "--report", str(file)]) == 2
    assert file.read_text() == "old" and f"{file} cannot be the folder" in capsys.readouterr().err
