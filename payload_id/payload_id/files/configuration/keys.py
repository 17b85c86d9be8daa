"""The keys of a model of a file, from its JSON Schema: one at a place, and all as a table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

Schema = Mapping[str, Any]
UNSAID = 1e6  # a largest number from which on it is not spoken of: far beyond what is meant
KINDS = {
    "string": "text", "boolean": "true or false", "number": "number", "integer": "whole number",
    "null": "null", "object": "section",
}  # fmt: skip


class Keys:
    """The keys of a model."""

    def __init__(self, model: type[BaseModel]) -> None:
        """Read what the model declares."""
        self.schema = model.model_json_schema()

    def at(self, place: Sequence[str | int], value: Any = None) -> Schema:
        """Return the schema of the key, or entry of a list, at a place in a file.

        Args:
            place: Names of keys, and numbers of entries, from the outermost.
            value: What the file holds, which chooses between kinds of sections.
        """
        found = self._resolved(self.schema, value)
        for name in place:
            value = value.get(name) if isinstance(value, Mapping) else None
            more = found.get("additionalProperties")
            inner = found.get("properties", {}).get(name, more if isinstance(more, Mapping) else {})
            found = found if isinstance(name, int) else self._resolved(inner, value)
        return found

    def table(self, section: Schema | None = None, without: str = "\0") -> str:
        """Return a Markdown table of all keys: name, values, unit, default, meaning.

        Args:
            section: One of `kinds`; None: the whole file.
            without: How names of keys begin that are left out.
        """
        rows = ["| key | value | unit | default | meaning |", "|---|---|---|---|---|"]
        for name, key, required in self._walk(section or self.schema, ""):
            default = "" if key.get("default") == {} else f"`{json.dumps(key.get('default'))}`"
            cells = (
                f"`{name}`", values(key), key.get("unit", ""),
                "required" if required else default, key.get("description", ""),
            )  # fmt: skip
            if not name.startswith(without):
                rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        return "\n".join(rows) + "\n"

    def kinds(self) -> dict[str, Schema]:
        """Return the kinds of sections that a file of named sections may hold, by their names."""
        kinds = self.schema["additionalProperties"]
        tag, found = kinds["discriminator"]["propertyName"], map(self._resolved, kinds["oneOf"])
        return {kind["properties"][tag]["const"]: kind for kind in found}

    def for_editors(self) -> dict[str, Any]:
        """Return the JSON Schema of a file, of which another file may say a part."""
        more = {"extends": {"type": "string", "description": "file whose entries count, too"}}
        schema = {**self.schema, "properties": {**more, **self.schema.get("properties", {})}}
        return {name: x for name, x in schema.items() if name != "required"}

    def _walk(self, section: Schema, prefix: str) -> Iterator[tuple[str, Schema, bool]]:
        """Yield every key with its full name and whether it is required, sections first."""
        for name, entry in section.get("properties", {}).items():
            key = self._resolved(entry)
            yield prefix + name, key, name in section.get("required", ())
            yield from self._walk(key, f"{prefix}{name}.")
            if isinstance(more := key.get("additionalProperties"), Mapping):
                yield from self._walk(self._resolved(more), f"{prefix}{name}.<name>.")

    def _resolved(self, schema: Schema, value: Any = None) -> dict[str, Any]:
        """Return a schema with what it refers to put in its place."""
        found = dict(schema)
        if "discriminator" in found and isinstance(value, Mapping):
            kinds = found["discriminator"]["mapping"]
            tag = str(value.get(found["discriminator"]["propertyName"]))
            found |= {"$ref": kinds[tag]} if tag in kinds else {}
        for inner in (found, *found.get("anyOf", ())):
            if "$ref" in inner:
                found = {**self.schema["$defs"][inner["$ref"].rpartition("/")[2]], **found}
        return found


keys_of = lru_cache(Keys)


def values(schema: Schema) -> str:
    """Return in words which values a key takes."""
    if "anyOf" in schema:
        return " or ".join(map(values, schema["anyOf"]))
    if choices := schema.get("enum", [schema["const"]] if "const" in schema else []):
        return "one of " + ", ".join(map(str, choices))
    if schema.get("type") == "array":
        entry = schema.get("items") or schema["prefixItems"][0]
        each = f", one for each of the {schema['each']}" if "each" in schema else ""
        fixed = schema.get("minItems", 0) == schema.get("maxItems")
        count = f" of {schema['maxItems']}" if fixed else ""
        return f"list{count}{each}: {values(entry)}"
    kind, lowest = KINDS.get(schema.get("type", ""), "section"), schema.get("minimum", -UNSAID)
    highest = schema.get("maximum", UNSAID)
    if highest < UNSAID and lowest > -UNSAID:
        return f"{kind} from {lowest:g} to {highest:g}"
    return kind + (f" not below {lowest:g}" if lowest > -UNSAID else "")
