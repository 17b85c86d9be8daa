"""A file of knowledge: named statements about a payload, each of a kind of the catalogue."""

from __future__ import annotations

from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, RootModel, create_model

from ...core.errors import InputError
from ...core.knowledge.catalogue import CATALOGUE, knowledge_of
from ...core.knowledge.knowledge import Knowledge
from ..configuration.model import OfCore, key, model_of
from ..configuration.read_model import read_model

KIND = "kind"  # the key that chooses a member of the catalogue


def _statement(kind: str) -> Any:
    """Return the model of a kind of statement: the numbers of its class, and its name."""
    name: Any = Literal[kind]
    keys: dict[str, Any] = {KIND: (name, key("this kind"))}
    model = model_of(CATALOGUE[kind])
    return create_model(model.__name__, __base__=model, **keys)


Statement: Any = reduce(or_, map(_statement, CATALOGUE))


class KnowledgeKeys(RootModel[Any]):
    """A knowledge file: statements by their names."""

    root: dict[str, Annotated[Statement, Field(discriminator=KIND)]]


def read_knowledge(path: str | Path) -> Knowledge:
    """Return what a YAML file states of a payload.

    Every key is the name of a statement; its section holds `kind` and the keys of that kind.

    Raises:
        ConfigurationError: The file is missing, or an entry is unknown, missing or impossible.
    """
    keys, source = read_model(path, KnowledgeKeys, "knowledge file")
    known = {name: OfCore.made(CATALOGUE[found.kind], found) for name, found in keys.root.items()}
    try:
        return knowledge_of(known)
    except InputError as error:
        raise source.refuse(f"cannot be used: {error}", *known) from error
