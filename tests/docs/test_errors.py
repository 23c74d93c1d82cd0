# SPDX-License-Identifier: Apache-2.0
"""docs/reference/errors.md has every code, and every example on it is what eagle says, with that code."""

import builtins
import doctest
import re
import sys

import pytest
from pages import SOURCE, steps_of

eagle = pytest.importorskip("eagle")
sys.path.insert(0, str(SOURCE / "python" / "tests"))

from test_pages import folder, run_console, run_python  # noqa: E402, F401

PAGE = SOURCE / "docs" / "reference" / "errors.md"
HEAD, *PARTS = re.split(r"^## (\w+)$", PAGE.read_text(), flags=re.M)
SECTIONS = dict(zip(PARTS[::2], PARTS[1::2], strict=True))
#: Every enumerator, with the exception that the header says Python maps it to.
CODES = dict(re.findall(r"^  (\w+),\s+///<.*\((\w+)\)$", (SOURCE / "core" / "eagle" / "error.hpp").read_text(), re.M))
WITHOUT_EXAMPLE = {"internal"}


def test_the_page_has_the_codes_of_the_header():
    header = (SOURCE / "core" / "eagle" / "error.hpp").read_text()
    assert list(SECTIONS) == list(CODES) == re.findall(r"^  (\w+),", header.partition("enum class Code")[2], re.M)


@pytest.mark.parametrize("code", CODES)
def test_the_page_says_what_python_raises(code):
    assert f"`{CODES[code]}`" in SECTIONS[code]
    assert isinstance(eagle.errors.make(code, ""), getattr(builtins, CODES[code]))
    assert "\n**Cause.** " in SECTIONS[code] and "\n**Cure.** " in SECTIONS[code]


def raised(examples, names):
    """What the last example raises."""
    *before, last = (each.source for each in examples)
    for source in before:
        exec(source, names)
    with pytest.raises(eagle.Error) as info:
        exec(last, names)
    return info.value


def test_the_examples_are_what_eagle_says(folder, monkeypatch):  # noqa: F811
    names, shown = {}, set()
    run_python(re.search(r"```python\n(.*?)```", HEAD, re.S)[1], PAGE, 0, names)
    for code, section in SECTIONS.items():
        with monkeypatch.context() as patch:
            if code == "not_built":
                patch.setitem(sys.modules, "eagle._mpi", None)
                patch.delattr(eagle, "_mpi", raising=False)
            if code == "unavailable" and eagle.exec.DeviceKernel.available:
                continue
            for name, language, text, line in steps_of(section):
                if name:
                    (folder / name).write_text(text)
                elif language == "console":
                    run_console(text, PAGE, line)
                    shown |= {code} if f"\n{code}: " in text else set()
                else:
                    run_python(text, PAGE, line, names)
                    assert raised(doctest.DocTestParser().get_examples(text), names).code == code
                    shown.add(code)
    expected = set(CODES) - WITHOUT_EXAMPLE - ({"unavailable"} if eagle.exec.DeviceKernel.available else set())
    assert shown == expected
