# SPDX-License-Identifier: Apache-2.0
"""Tables of the keys that core/schema/*.schema.json describe."""

import json
from pathlib import Path

SCHEMAS = Path(__file__).parents[2] / "core" / "schema"
EMPTY = (None, "", [], {})


class Schema:
    """One schema file. A part is named as in its $ref: "#" for the document, "#/definitions/plugin", "#/anyOf/0"."""

    def __init__(self, name):
        self.whole = json.loads((SCHEMAS / f"{name}.schema.json").read_text())

    def part(self, ref):
        found = self.whole
        for key in filter(None, ref.removeprefix("#").split("/")):
            found = found[int(key) if isinstance(found, list) else key]
        return found

    def table(self, ref):
        """The keys of an object with all that the schema accepts for each, in Markdown."""
        accepted, required = {}, self.required(self.part(ref))
        for key, value in self.keys(self.part(ref)):
            words = accepted.setdefault(key, [])
            words.extend(word for word in self.words(value) if word not in words)
        lines = ["| key | | accepted |", "|---|---|---|"]
        for key, words in accepted.items():
            lines.append(f"| `{key}` | {'required' if key in required else ''} | {one_of(words)} |")
        return "\n".join(lines)

    def resolved(self, schema):
        return self.part(schema["$ref"]) if "$ref" in schema else schema

    def keys(self, schema):
        """(key, schema of its value), those of a schema's alternatives too."""
        schema = self.resolved(schema)
        yield from schema.get("properties", {}).items()
        for each in (*schema.get("allOf", ()), *schema.get("anyOf", ())):
            yield from self.keys(each)

    def required(self, schema):
        """The keys that must be there whatever the alternative."""
        schema = self.resolved(schema)
        return set(schema.get("required", ())).union(*map(self.required, schema.get("allOf", ())))

    def words(self, schema):
        """What a value may be, an alternative each."""
        if ref := schema.get("$ref"):
            return [f"*{ref.rpartition('/')[2]}*"] if "properties" in self.part(ref) else self.words(self.part(ref))
        for choice in ("anyOf", "allOf"):
            if choice in schema:
                words = list(dict.fromkeys(word for each in schema[choice] for word in self.words(each)))
                return [word for word in words if not (word.startswith("an object") and any("*" in each for each in words))]
        if "enum" in schema:
            return list(dict.fromkeys("nothing" if value in EMPTY else f"`{json.dumps(value)}`" for value in schema["enum"]))
        if "type" not in schema:
            return [self.an_object(schema)] if "properties" in schema else []
        kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        return [self.of_type(schema, kind) for kind in kinds]

    def an_object(self, schema):
        inner = (f"`{key}` {one_of(self.words(value))}" for key, value in schema["properties"].items())
        return f"an object: {', '.join(inner)}"

    def of_type(self, schema, kind):
        if kind == "null":
            return "nothing"
        if kind == "object" and "properties" in schema:
            return self.an_object(schema)
        if kind == "array" and isinstance(schema.get("items"), list):
            return f"array of [{', '.join(one_of(self.words(each)) for each in schema['items'])}]"
        inner = schema.get("items" if kind == "array" else "additionalProperties")
        words = [word for word in self.words(inner) if word != "nothing"] if isinstance(inner, dict) else []
        text = f"{kind} of {one_of(words)}" if words else kind
        if described := schema.get("description"):
            text += f" ({described})"
        if "minimum" in schema and schema["maximum"] < 2**63 - 1:
            text += f", {schema['minimum']} to {schema['maximum']}"
        return text


def one_of(words):
    """The words in one line. Where values are listed, their type alone says nothing, and "nothing" comes last."""
    listed = any(word.startswith("`") for word in words)
    shown = [word for word in words if word != "nothing" and not (listed and word in ("integer", "array", "string"))]
    return " or ".join(filter(None, (", ".join(shown), "nothing" if "nothing" in words else "")))
