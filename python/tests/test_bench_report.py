# SPDX-License-Identifier: Apache-2.0
"""What python -m eagle.bench shows: tables, the report, the page of figures."""

import re
import sys
import warnings
from html.parser import HTMLParser

import pytest
from bench_records import made, run_of
from eagle.bench import page, record, report, series, tables, words
from eagle.bench.command import main


@pytest.mark.parametrize(
    "value, text",
    [
        (1.2345e-9, "1.23 ns"),
        (9.996e-7, "1.00 us"),
        (0.999e-6, "999 ns"),
        (3.4e-4, "340 us"),
        (0.1, "100 ms"),
        (12.0, "12.0 s"),
        (4e3, "4000 s"),
    ],
)
def test_seconds(value, text):
    assert words.seconds(value) == text


@pytest.mark.parametrize(
    "value, text", [(64, "64"), (1000, "10³"), (30000, "3·10⁴"), (1 << 20, "2²⁰"), (0, "0"), (1500, "1500"), (3 << 20, "3·2²⁰")]
)
def test_counts(value, text):
    assert words.count(value) == text


def test_tables_have_a_mark_and_a_legend():
    printed = tables.printed(
        [made(), made("dot_plugin", width=0.3, against="numba"), made("unheard", suite="cpp", against=None)]
    )
    rows = [line for line in printed.splitlines() if " 10³ " in line]
    assert [line.endswith("~") for line in rows] == [False, True, False]
    assert [line for line in printed.splitlines() if re.match(r"\w+$", line)] == ["Maps", "Folds", "Other"]
    assert "2.00  1.98 to 2.02" in rows[0] and printed.endswith(tables.LEGEND + "\n") and "ranks" not in printed


def many():
    """Records of all suites, over sizes, threads and ranks."""
    found = []
    for n in (1000, 10**5, 10**7):
        time = 1e-6 + n * 1e-9
        for against in ("numpy", "numba", "numba fastmath"):
            found.append(made(ours=time, n=n, against=against, bytes=16 * n))
        for threads in (1, 2, 4):
            some = {"suite": "cpp", "n": n, "threads": threads, "ours": time / threads, "bytes": 16 * n}
            found += [made("dot_plugin", against=against, **some) for against in ("openmp", "stream")]
    found += [made("launch", against=None, n=64, bytes=0), made("run", against="a <b> & c", n=64, bytes=0)]
    found += [made("gather_plane", suite="ranks", against="mpi_allgatherv", ranks=ranks) for ranks in (2, 4)]
    return run_of(*found)


class Checker(HTMLParser):
    """Elements closed in order, ids unique, nothing from elsewhere."""

    VOID = {"meta", "br", "hr", "img", "input", "link"}

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.used, self.count, self.texts = [], [], [], {}, []
        self.shown = []  # in charts

    def handle_starttag(self, tag, attrs, closed=False):
        self.count[tag] = self.count.get(tag, 0) + 1
        for name, value in attrs:
            assert not re.search(r"(https?:)?//", value or ""), f"{name}={value}"
            if name == "id":
                self.ids.append(value)
            self.used += re.findall(r"url\(#([^)]+)\)", value or "") + ([value[1:]] if name == "href" else [])
            self.used += value.split() if name == "aria-labelledby" else []
        if tag not in self.VOID and not closed:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs, closed=True)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
        if self.open and self.open[-1] == "text":
            self.shown.append(data)


def checked(text):
    checker = Checker()
    checker.feed(text)
    checker.close()
    assert checker.open == [] and len(set(checker.ids)) == len(checker.ids) and set(checker.used) <= set(checker.ids)
    return checker


def test_the_report_is_one_whole_file(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    record.save(many(), tmp_path / "run.json")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "index.html").write_text("another page")
    assert main(["--from", str(tmp_path / "run.json"), "--report", str(tmp_path / "out")]) == 0
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["index.html"]
    text = (tmp_path / "out" / "index.html").read_text()
    found = checked(text)
    # two throughputs, an overhead, threads, ranks, memory
    assert found.count["svg"] == found.count["desc"] == found.count["figcaption"] == 6
    assert found.count["title"] == 7 and found.count["h1"] == 1 and not {"script", "link", "img", "iframe"} & set(found.count)
    assert "@import" not in text and "url(" not in re.search(r"<style>.*?</style>", text, re.S)[0]
    assert "prefers-color-scheme: dark" in text and "@media print" in text and "width=device-width" in text
    said = " ".join(found.texts)
    for wanted in (
        "a cpu",
        "2.0",
        "a <b> & c",
        "Not measured",
        "GPUs",
        "jax, in Python",
        "10⁵",
        " KiB",
        " MiB",
        "numba fastmath",
    ):
        assert wanted in said


def test_colours_are_variables_of_both_schemes():
    pytest.importorskip("matplotlib")
    text = report.page(many())
    svgs = re.findall(r"<svg.*?</svg>", text, re.S)
    assert svgs and not [colour for svg in svgs for colour in re.findall(r"#[0-9a-fA-F]{6}\b", svg)]
    used = {name for svg in svgs for name in re.findall(r"var\((--[\w]+)\)", svg)}
    light, dark = re.search(r":root \{(.*?)\}.*?dark\) \{\s*:root \{(.*?)\}", text, re.S).groups()
    for scheme in (light, dark):
        assert used <= set(re.findall(r"(--\w+):", scheme)) and len(used) > 4
    assert all("<text" in svg and "font-family" not in svg for svg in svgs)


def test_lines_are_told_apart_by_marker():
    pytest.importorskip("matplotlib")
    (chart,) = [each for each in series.throughput(many().records)["Maps"]]
    assert list(chart.lines) == ["eagle", "numpy", "numba", "numba fastmath"]
    # eagle was measured beside three others: at n samples in 1 us + n ns.
    assert [each.median for each in chart.lines["eagle"].values()] == pytest.approx(
        [n / (1e-6 + n * 1e-9) for n in (1e3, 1e5, 1e7)]
    )


def test_threads_and_memory_are_ratios():
    (threads,) = series.over_threads(many().records)
    assert [each.median for each in threads.lines["eagle"].values()] == pytest.approx([1, 2, 4])
    (memory,) = series.memory(many().records)
    assert {at: each.median for at, each in memory.lines["dot_plugin"].items()} == {16e3: 2.0, 16e5: 2.0, 16e7: 2.0}


def test_without_matplotlib_the_error_names_the_extra(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    record.save(many(), tmp_path / "run.json")
    assert main(["--from", str(tmp_path / "run.json"), "--report", str(tmp_path)]) == 2
    assert "pip install 'eagle-exec[bench]'" in capsys.readouterr().err


def test_a_matplotlib_that_fails_in_another_way(tmp_path, capsys, monkeypatch):
    (tmp_path / "matplotlib.py").write_text("raise AttributeError('_ARRAY_API not found')")
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    record.save(many(), tmp_path / "run.json")
    assert main(["--from", str(tmp_path / "run.json"), "--report", str(tmp_path)]) == 2
    assert "the report needs matplotlib (AttributeError: _ARRAY_API not found): pip install" in capsys.readouterr().err


@pytest.mark.parametrize("label", [r"$\foo$", "_hidden", '#010210 id="a"', "a  b & <c>", "$x$"])
def test_labels_are_plain_text(label):
    pytest.importorskip("matplotlib")
    found = [made(label, against=label, dtype=label, n=n, bytes=0) for n in (100, 1000)]
    found += [made(against=label, n=n) for n in (100, 1000)]
    checker = checked(report.page(run_of(*found)))
    assert checker.count["svg"] == 2 and checker.shown.count(label) >= 2
    assert checker.shown.count(f"{label}, 100") == 1


def test_labels_that_are_too_long_for_a_chart_keep_their_ends():
    pytest.importorskip("matplotlib")
    long = "begin" + "x" * 200 + "end"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a layout that does not fit
        text = report.page(
            run_of(*(made(long, against=long, n=n, bytes=0) for n in (100, 1000)), *(made(against=long, n=n) for n in (1, 2)))
        )
    shown = checked(text).shown
    assert shown and max(map(len, shown)) == 32 and any(each.startswith("begin") and "…" in each for each in shown)
    assert sum(each.endswith("end") for each in shown) == 2 and sum(each.endswith("end, 1000") for each in shown) == 1
    assert all(long in caption for caption in re.findall(r"<desc.*?</desc>", text, re.S))


def test_one_is_not_many():
    pytest.importorskip("matplotlib")
    assert "<p>1 comparison, 0 of them noisy" in report.page(run_of(made(threads=1)))
    assert words.counted(0, "thread") == "0 threads" and words.counted(1, "thread") == "1 thread"


def test_a_page_from_a_template():
    run = run_of(
        made(), made(n=64, against="numba", noisy=True), made("dot_lambda", suite="cpp", against="openmp", threads=1, n=1 << 20)
    )
    text = page.fill(
        "{{date}} {{noisy}}/{{comparisons}} {{version numpy}} {{version numba}} {{time python map_axpy float64 numpy 1e3 2}}",
        run,
    )
    assert text == "2026-01-02 03:04 UTC 1/3 2.0 unknown 2.00 ms"
    assert (
        page.fill("{{ratio cpp dot_lambda float64 openmp 2^20 1}} {{ratio cpp dot_lambda float64 openmp 2^20 2}}", run)
        == "2.00 not measured"
    )
    table = page.fill("{{times python map_axpy bind : 64 1000}}", run).splitlines()
    assert table[0] == "| a call | eagle | numpy | numba |"
    assert table[2:] == [
        "| map y = a x + b, float64, 64 | 1.00 ms |  | 2.00 ms ~ |",
        "| map y = a x + b, float64, 10³ | 1.00 ms | 2.00 ms |  |",
        "| bind(): check and pack: not measured |  |  |  |",
    ]
    table = page.fill("{{ratios cpp dot_lambda sum_lambda : 2^20 2^28}}", run).splitlines()
    assert table[0] == "| eagle against | 2²⁰, 1 thread |"
    assert table[2:] == ["| sum of x y, a C++ functor, float64: `openmp` | 2.00 |", "| sum of x: not measured |  |"]


@pytest.mark.parametrize(
    "text", ["{{time python run - numpy 1e999 1}}", "{{datum}}", "{{ratio cpp}}", "{{times python run 64}}", "{{date now}}"]
)
def test_a_template_with_a_mistake(text):
    with pytest.raises(page.TemplateError, match=re.escape(text)):
        page.fill(text, run_of())


def test_the_page_of_performance_is_what_its_record_gives(source, tmp_path):
    docs = source / "docs"
    if not docs.exists():
        pytest.skip("no docs here")
    files = [str(docs / f"performance.{end}") for end in ("in.md", "json", "md")]
    assert page.main([*files, "--check"]) == 0
    other = tmp_path / "performance.md"
    other.write_bytes(b"\xff")
    assert page.main([*files[:2], str(other), "--check"]) == 2
    other.write_text((docs / "performance.md").read_text() + "a figure typed by hand\n")
    assert page.main([*files[:2], str(other), "--check"]) == 1
