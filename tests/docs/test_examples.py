# SPDX-License-Identifier: Apache-2.0
"""The examples of README.md and docs/*.md, run as they are printed but for the places of files."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess

import numpy as np
import pytest

SOURCE = pathlib.Path(os.environ["EAGLE_SOURCE"])
BUILD = os.environ["EAGLE_BUILD"]
BUNDLES = os.environ["EAGLE_BUNDLES"]
PAGES = [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]


def run(*command, cwd):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.S)


def indented(page):
    """Shell lines of indented blocks, continuation lines joined."""
    text = page.read_text().replace("\\\n", " ")
    return [line.strip() for line in text.splitlines() if line.startswith("    ")]


def commands(page):
    starts = ("./scripts/shell eagle ", "./scripts/shell mpiexec ")
    return [line for line in indented(page) if line.startswith(starts)]


def plugins(page):
    """(name, source, eagle_add_plugin call) of each plugin that a page shows."""
    text = page.read_text()
    for source in blocks(page, "cpp"):
        for name in re.findall(r"EAGLE_PLUGIN\((\w+),", source):
            call = re.search(rf"eagle_add_plugin\({name} .*?\)\n", text, re.S)
            assert call, f"{page.name} shows the plugin {name} and no eagle_add_plugin call for it"
            yield name, source, call.group()


def missing(line):
    """What a command needs that this build or machine does not have."""
    example = pathlib.Path(BUILD, "bin", "conjugate_gradient")
    return ("mpiexec" in line and not shutil.which("mpiexec")) or (example.name in line and not example.exists())


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: page.name)
def test_commands(page, tmp_path):
    """In the order of the page, in one folder: a later one may read what an earlier one has written."""
    np.save(tmp_path / "x.npy", np.linspace(-1, 1, 1000))
    places = {"build/bundles": BUNDLES, "./scripts/shell ": "", "conjugate_gradient": f"{BUILD}/bin/conjugate_gradient"}
    for line in commands(page):
        if missing(line):
            continue
        for printed, place in places.items():
            line = line.replace(printed, place)
        words = [os.environ["EAGLE"] if word == "eagle" else word for word in shlex.split(line)]
        run(*words, cwd=tmp_path)


def test_programs_and_plugins(tmp_path):
    cmake = ["cmake_minimum_required(VERSION 3.25)", "project(examples LANGUAGES CXX)", "find_package(eagle REQUIRED)"]
    programs = []
    for page in PAGES:
        for name, source, call in [] if page.name == "kokkos_kernels.md" else plugins(page):  # test_pages.py builds that one
            (tmp_path / f"{name}.cpp").write_text(source)
            cmake.append(re.sub(rf"DEVICE {name}\.\w+ ", "", call))
        for k, source in enumerate(source for source in blocks(page, "cpp") if "eagle.hpp" in source):
            program = f"{page.stem.lower()}_{k}"
            includes = [line for line in source.splitlines() if line.startswith("#include")]
            body = [line for line in source.splitlines() if not line.startswith("#include")]
            text = "\n".join([*includes, "#include <vector>", "int main() {", "const std::size_t n = 1000;", *body, "}"])
            (tmp_path / f"{program}.cpp").write_text(text.replace("build/bundles", BUNDLES))
            cmake += [f"add_executable({program} {program}.cpp)", f"target_link_libraries({program} PRIVATE eagle::eagle)"]
            programs.append(program)
    assert programs and any("eagle_add_plugin" in line for line in cmake)
    (tmp_path / "CMakeLists.txt").write_text("\n".join(cmake))
    run(
        os.environ["CMAKE"],
        "-G",
        "Ninja",
        "-B",
        "b",
        f"-Deagle_DIR={BUILD}",
        f"-DCMAKE_CXX_COMPILER={os.environ['CXX']}",
        cwd=tmp_path,
    )
    run(os.environ["CMAKE"], "--build", "b", cwd=tmp_path)
    for program in programs:
        run(tmp_path / "b" / program, cwd=tmp_path)
    for manifest in tmp_path.glob("b/*/manifest.json"):
        run(os.environ["EAGLE"], "check", manifest, cwd=tmp_path)


def test_the_tables_of_scaling_are_what_its_models_print():
    page = SOURCE / "docs" / "scaling.md"
    models = re.findall(r"```python\n(.*?)```\n\n((?: {4}[^\n]*\n)+)", page.read_text(), re.S)
    assert len(models) == len(blocks(page, "python")) > 0
    for model, table in models:
        printed = run("python3", "-c", model, cwd=SOURCE).splitlines()
        assert [line.strip() for line in table.splitlines()] == [line.strip() for line in printed]
