# SPDX-License-Identifier: Apache-2.0
"""Holds the published JSON schemas against the rows that the readers are tested with, and against whole bundles.

usage: schema_test.py SCHEMA_FOLDER DATA_FOLDER [BUNDLE_FOLDER...]
"""

import copy
import json
import pathlib
import sys

import jsonschema


def load(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def edited(document, name, edits):
    """The document after those edits [name, pointer(, value)] that are about it."""
    document = copy.deepcopy(document)
    for about, pointer, *value in edits:
        if about != name:
            continue
        *path, last = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
        place = document
        for step in path:
            place = place[int(step)] if isinstance(place, list) else place[step]
        if isinstance(place, list):
            place[int(last) : int(last) + 1] = value
        elif value:
            place[last] = value[0]
        else:
            del place[last]
    return document


def check_rows(data, schemas):
    """Faults of the schemas, and how many rows they were held against."""
    table = load(data / "conformance" / "rows.json")
    faults, count = [], 0
    for row in table["rows"]:
        if "text" in row:
            continue
        names = {"S": ["sidecar"], "M": ["manifest"], "L": ["manifest", "sidecar"]}[row["where"]]
        base = table["bases"][row["base"]]
        accepted = all(schemas[name].is_valid(edited(load(data / base[name]), name, row.get("edits", []))) for name in names)
        if accepted == row.get("structural", False):
            faults.append(f"{'accepted' if accepted else 'refused'}: {json.dumps(row)}")
        count += 1
    return faults, count


def check_bundles(folders, schemas):
    """Faults with whole bundles, all of which are valid, and how many files there were."""
    faults, count = [], 0
    for manifest in sorted(path for folder in folders for path in pathlib.Path(folder).glob("**/manifest.json")):
        files = [(manifest, "manifest")]
        files += [(manifest.parent / plugin["sidecar"], "sidecar") for plugin in load(manifest)["plugins"]]
        for path, name in files:
            faults += [f"{path}: {error.message}" for error in schemas[name].iter_errors(load(path))]
            count += 1
    return faults, count


def check_shared(schemas):
    """Definitions that both files have must not differ."""
    manifest, sidecar = (schemas[name].schema["definitions"] for name in ("manifest", "sidecar"))
    return [
        f"{name} differs between the two schemas"
        for name in manifest.keys() & sidecar.keys()
        if manifest[name] != sidecar[name]
    ]


def main(schema_folder, data_folder, *bundle_folders):
    data = pathlib.Path(data_folder)
    schemas = {}
    for name in ("manifest", "sidecar"):
        schema = load(pathlib.Path(schema_folder) / f"{name}.schema.json")
        jsonschema.Draft4Validator.check_schema(schema)
        schemas[name] = jsonschema.Draft4Validator(schema)
    faults, rows = check_rows(data, schemas)
    more, files = check_bundles([data / "bundles", *bundle_folders], schemas)
    sidecars = sorted((data / "sidecars").glob("*.json"))
    faults += more + check_shared(schemas)
    faults += [f"{path}: {error.message}" for path in sidecars for error in schemas["sidecar"].iter_errors(load(path))]
    if not rows or not files or not sidecars:
        faults.append(f"{rows} rows, {files} files of bundles and {len(sidecars)} sidecars: there should be some of each")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"schema_test: {'FAILED' if faults else 'passed'}: {rows} rows, {files + len(sidecars)} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
