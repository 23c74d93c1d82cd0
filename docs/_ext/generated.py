# SPDX-License-Identifier: Apache-2.0
"""Directives whose text is made from the sources, and Doxygen's reading of the public headers."""

import os
import subprocess
from functools import cache
from pathlib import Path

import abi_text
from cli_help import read_all
from docutils import nodes
from headers import public_headers
from schema_tables import Schema
from sphinx import addnodes
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

HERE = Path(__file__).parent
TOP = HERE.parents[1]


class Markdown(SphinxDirective):
    """A directive that stands for a piece of Markdown."""

    has_content = False
    optional_arguments = 20

    def run(self):
        return self.parse_text_to_nodes(self.markdown(*self.arguments))

    def uses(self, *files):
        for file in files:
            self.env.note_dependency(str(file))


class SchemaTable(Markdown):
    """`eagle-schema` NAME PART"""

    def markdown(self, name, ref):
        self.uses(TOP / "core" / "schema" / f"{name}.schema.json", HERE / "schema_tables.py")
        return Schema(name).table(ref)


class Abi(Markdown):
    """`eagle-abi` NAME..."""

    def markdown(self, *names):
        self.uses(abi_text.HEADER, HERE / "abi_text.py")
        return abi_text.text(*names)


class Command(Markdown):
    """`eagle-command` [SUBCOMMAND]"""

    def markdown(self, *subcommand):
        eagle = os.environ.get("EAGLE", str(TOP / "build" / "bin" / "eagle"))
        self.uses(eagle)
        wanted = " ".join(("eagle", *subcommand))
        help = next(each for each in all_help(eagle) if each.name == wanted)
        parts = [f"{help.summary.rstrip('.')}.", f"    {help.usage}"]
        for heading, entries in help.sections.items():
            parts.append("\n".join([f"| {heading.lower()} | |", "|---|---|", *(row(*entry) for entry in entries)]))
        return "\n\n".join(parts)


class Header(Markdown):
    """`eagle-header` plan.hpp: what Doxygen has read of a public header, without the namespace around it."""

    PARTS = "enum typedef func var user-defined public-type public-func public-static-func public-attrib public-static-attrib"
    SECTIONS = f"briefdescription detaileddescription innernamespace innerclass {PARTS} protected-func protected-static-func"

    def markdown(self, name):
        self.uses(public_headers()[f"eagle/{name}"])
        return f"```{{doxygenfile}} {name}\n:sections: {self.SECTIONS}\n```"

    def run(self):
        namespaces = [node for node in super().run() if isinstance(node, addnodes.desc)]
        members = [node for namespace in namespaces for node in namespace[-1] if not isinstance(node, nodes.paragraph)]
        if not members:
            raise self.error(f"Doxygen has found nothing in {self.arguments[0]}")
        for member in members:  # members of members are too many for the table of contents
            for inner in member.findall(addnodes.desc_content):
                for signature in inner.findall(addnodes.desc_signature):
                    signature["_toc_name"] = ""
        return members


def row(typed, said):
    option, _, takes = typed.replace("|", "\\|").partition(" ")
    return f"| `{option}` {takes.replace(',', ', ')} | {said.replace('|', chr(92) + '|')} |"


@cache
def all_help(eagle):
    try:
        return read_all(eagle)
    except OSError as error:
        raise ExtensionError(f"{eagle} does not run: {error}. Build eagle, or say in $EAGLE where it is") from error


def run_doxygen(app):
    out = Path(app.doctreedir).parent / "doxygen"
    out.mkdir(parents=True, exist_ok=True)
    inputs = " ".join(f'"{path}"' for path in public_headers().values() if path != abi_text.HEADER)
    settings = (TOP / "docs" / "Doxyfile").read_text() + f'INPUT = {inputs}\nOUTPUT_DIRECTORY = "{out}"\n'
    done = subprocess.run(["doxygen", "-"], input=settings, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        raise ExtensionError(f"doxygen is not content:\n{done.stderr}")
    app.config.breathe_projects = {"eagle": str(out / "xml")}
    app.config.breathe_default_project = "eagle"


def setup(app):
    app.add_directive("eagle-schema", SchemaTable)
    app.add_directive("eagle-abi", Abi)
    app.add_directive("eagle-command", Command)
    app.add_directive("eagle-header", Header)
    app.connect("builder-inited", run_doxygen, priority=100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
