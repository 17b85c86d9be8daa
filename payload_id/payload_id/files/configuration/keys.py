"""The keys of a model of a file, from its JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

Schema = Mapping[str, Any]


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
        found = self.resolved(self.schema, value)
        for name in place:
            value = value.get(name) if isinstance(value, Mapping) else None
            more = found.get("additionalProperties")
            inner = found.get("properties", {}).get(name, more if isinstance(more, Mapping) else {})
            found = found if isinstance(name, int) else self.resolved(inner, value)
        return found

    def resolved(self, schema: Schema, value: Any = None) -> dict[str, Any]:
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
