# SPDX-License-Identifier: Apache-2.0
"""Writes eagle.1, eagle-run.1 and so on from what the command says of itself.

usage: man.py EAGLE FOLDER
"""

import re
import subprocess
import sys
from pathlib import Path

from cli_help import read_all

NOTES = {
    "EXIT STATUS": "0 where all went well, 1 where something was refused or failed (standard error says what), 2 where the "
    "command line was not understood.",
    "ENVIRONMENT": "OMP_NUM_THREADS and OMP_PROC_BIND say how many threads a team has and where they stay; EAGLE_PROFILE names "
    "the profile that is used where none is asked for.",
}


def escaped(text):
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", r"\e").replace("-", r"\-"))


def page(help, version, others):
    lines = [
        f'.TH "{help.name.replace(" ", "-").upper()}" 1 "" "eagle {version}" "eagle"',
        ".SH NAME",
        f"{escaped(help.name.replace(' ', '-'))} \\- {escaped(help.summary.rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {escaped(help.name)}",
        escaped(help.usage.removeprefix(help.name).strip()),
    ]
    for heading, entries in help.sections.items():
        lines.append(f".SH {heading.upper()}")
        for typed, said in entries:
            lines += [".TP", f".B {escaped(typed)}", escaped(said)]
    for heading, text in NOTES.items():
        lines += [f".SH {heading}", escaped(text)]
    lines += [".SH SEE ALSO", ", ".join(f"\\fB{escaped(other)}\\fR(1)" for other in others)]
    return "\n".join(lines) + "\n"


def main(eagle, folder):
    version = subprocess.run([eagle, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    helps = read_all(eagle)
    names = [help.name.replace(" ", "-") for help in helps]
    Path(folder).mkdir(parents=True, exist_ok=True)
    for help, name in zip(helps, names, strict=True):
        Path(folder, f"{name}.1").write_text(page(help, version, [other for other in names if other != name]))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
