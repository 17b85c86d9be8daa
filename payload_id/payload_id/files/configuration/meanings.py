"""What the numbers of a frozen dataclass mean, and their units, as its docstring says them."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from typing import Any


def meanings_of(kind: Any) -> dict[str, tuple[str, str]]:
    """Return meaning and unit of each field: what the field says, or the docstring of its class."""
    found: dict[str, tuple[str, str]] = {}
    for each in reversed(kind.__mro__):
        text = inspect.cleandoc(each.__doc__ or "").partition("Attributes:\n")[2] + "\n"
        for name, words in re.findall(r"^    (\w+): (.*?)(?=^    \w|\n\n|\Z)", text, re.M | re.S):
            meaning = " ".join(words.split()).rstrip(".")
            unit = re.search(r" \[([^]]+)\]", meaning)
            meaning = re.sub(r" \[[^]]+\]", "", meaning)
            found[name] = meaning[:1].lower() + meaning[1:], unit[1] if unit else ""
    return {
        entry.name: (
            (entry.metadata["meaning"], entry.metadata["unit"])
            if "meaning" in entry.metadata
            else found.get(entry.name, (entry.name.replace("_", " "), ""))
        )
        for entry in fields(kind)
    }
