# SPDX-License-Identifier: Apache-2.0
"""The C++ of pages, built as it is printed but for the places of files; the tables of scaling.md; no block is left out."""

import os
import re
import subprocess

import pytest
from pages import BUILD, BUNDLES, EAGLE, PAGES, SOURCE, steps_of

CMAKE = os.environ["CMAKE"]
#: Languages with a net: run or built by these tests, or (text) what a block above it prints.
LANGUAGES = {"python", "console", "shell", "cpp", "cmake", "bash", "text"}


def run(*command, cwd):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def unnamed_cpp(page):
    """C++ that is no file of a project which the page itself builds."""
    return [step for step in steps_of(page.read_text()) if step.language == "cpp" and not step.name]


def plugins(page):
    """(name, source, eagle_add_plugin call) of each plugin that a page shows."""
    for step in unnamed_cpp(page):
        for name in re.findall(r"EAGLE_PLUGIN\((\w+),", step.text):
            call = re.search(rf"eagle_add_plugin\({name} .*?\)\n", page.read_text(), re.S)
            assert call, f"{page.name} shows the plugin {name} and no eagle_add_plugin call for it"
            yield name, step.text, call.group()


def programs(page):
    """(name, whole source) of each unnamed block that is no plugin: the body of a main() below its includes."""
    for k, step in enumerate(step for step in unnamed_cpp(page) if "EAGLE_PLUGIN" not in step.text):
        lines = step.text.replace("build/bundles", str(BUNDLES)).splitlines()
        includes = [line for line in lines if line.startswith("#include")]
        body = [line for line in lines if not line.startswith("#include")]
        assert includes, f"{page.name}:{step.line} shows C++ without an #include, which cannot be compiled"
        head = ["#include <vector>", "int main() {", "const std::size_t n = 1000;"]
        yield f"{page.stem.lower()}_{k}", "\n".join([*includes, *head, *body, "}"])


def test_programs_and_plugins(tmp_path):
    lines = ["cmake_minimum_required(VERSION 3.25)", "project(examples LANGUAGES CXX)", "find_package(eagle REQUIRED)"]
    made = {}
    for page in PAGES:
        for name, source, call in plugins(page):
            (tmp_path / f"{name}.cpp").write_text(source)
            lines.append(re.sub(rf"DEVICE {name}\.\w+ ", "", call))
        for name, source in programs(page):
            (tmp_path / f"{name}.cpp").write_text(source)
            condition = "if(TARGET eagle::mpi)" if "eagle/mpi" in source else "if(TRUE)"
            add = f"add_executable({name} {name}.cpp)\n  target_link_libraries({name} PRIVATE eagle::eagle)"
            lines.append(f"{condition}\n  {add}\nendif()")
            made[name] = source
    assert made and any(line.startswith("eagle_add_plugin") for line in lines)
    (tmp_path / "CMakeLists.txt").write_text("\n".join(lines))
    options = f"-Deagle_DIR={BUILD}", f"-DCMAKE_CXX_COMPILER={os.environ['CXX']}"
    run(CMAKE, "-G", "Ninja", "-B", "b", *options, cwd=tmp_path)
    run(CMAKE, "--build", "b", cwd=tmp_path)
    for name, source in made.items():
        if "MPI_" not in source:  # those are linked, and wait for a launcher
            run(tmp_path / "b" / name, cwd=tmp_path)
    for manifest in tmp_path.glob("b/*/manifest.json"):
        run(EAGLE, "check", manifest, cwd=tmp_path)


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in PAGES])
def test_no_block_is_left_out(page):
    steps = steps_of(page.read_text())
    unknown = {step.language for step in steps if not step.language.startswith("{")} - LANGUAGES
    assert not unknown, f"{page.name} has blocks of {unknown}, which no test runs"
    assert page.read_text().count("\n```") == 2 * sum(step.language != "shell" for step in steps)
    for step in steps:
        assert step.name or step.language not in ("cmake", "bash"), f"{page.name}:{step.line}: a file needs its `name`:"
    files = {step.name for step in steps if step.name}
    assert not files or any("build build" in step.text or step.language in ("bash", "python") for step in steps)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_links_outside_the_site_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", (SOURCE / page).read_text())
    assert [link for link in links if not (SOURCE / link).exists()] == []


def test_the_tables_of_scaling_are_what_its_models_print():
    page = SOURCE / "docs" / "scaling.md"
    models = re.findall(r"```python\n(.*?)```\n\n((?: {4}[^\n]*\n)+)", page.read_text(), re.S)
    assert len(models) == sum(step.language == "python" for step in steps_of(page.read_text())) > 0
    for model, table in models:
        printed = run("python3", "-c", model, cwd=SOURCE).splitlines()
        assert [line.strip() for line in table.splitlines()] == [line.strip() for line in printed]
