"""What models of files are made of: strict sections, numbers, and lists with one for each joint.

A model says once what a key holds: its type, unit, range, default and meaning (`key`). What reads a
file, what editors complete (JSON Schema) and the pages of keys follow from it (`read_model`,
`keys`). Errors that validators raise name the value that was found and what is allowed; the key,
file and line are put before.
"""

from __future__ import annotations

import inspect
from dataclasses import MISSING, dataclass, fields
from functools import lru_cache
from typing import Annotated, Any, TypeVar, get_type_hints

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    ValidationInfo,
    create_model,
)

from ...core.arrays import Array
from ...core.stated import LARGEST as LARGEST_BOUND
from .meanings import meanings_of

LARGEST = 1e12  # size of a number in a file, in SI units
JOINTS = "joints"  # in the context of a validation: how many the robot has
T = TypeVar("T")


class Model(BaseModel):
    """A file, or a section of one: unknown keys, texts for numbers and the like are mistakes."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False,
        arbitrary_types_allowed=True, validate_default=True,
    )  # fmt: skip


Number = Annotated[float, Field(ge=-LARGEST, le=LARGEST)]
Vector = tuple[Number, Number, Number]


def key(meaning: str, unit: str = "", default: Any = ..., **limits: Any) -> Any:
    """Return the field of a key.

    Args:
        meaning: What it means and when to change it.
        unit: Of its numbers.
        default: Where it is left out; it must be given unless there is one.
        limits: Least (`ge`) and largest (`le`) number.
    """
    more: Any = {"unit": unit} if unit else None
    return Field(default, description=meaning, json_schema_extra=more, **limits)


def section(meaning: str) -> Any:
    """Return the field of a section that may be left out: its keys are as by default then."""
    return key(meaning, default={})


def _sign(value: float) -> float:
    """Return 1 or -1."""
    if abs(value) != 1.0:
        raise ValueError(f"must be 1 or -1; found {value:g}.")
    return value


Sign = Annotated[float, AfterValidator(_sign)]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def _counted(names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    """Return names of joints, by which lists that come later are measured."""
    if not names or len(set(names)) < len(names):
        raise ValueError(f"takes at least one name, all different; found {list(names)}.")
    if info.context is not None:
        info.context[JOINTS] = len(names)
    return names


def joints_in(info: ValidationInfo) -> int | None:
    """Return how many joints the robot has of which a key is checked, None where nobody knows."""
    return (info.context or {}).get(JOINTS)


JointNames = Annotated[tuple[str, ...], AfterValidator(_counted)]


@dataclass(frozen=True)
class OneForEach:
    """Marks a key that holds a list with one number for each joint, or for each of so many.

    Attributes:
        lowest: Smallest number.
        highest: Largest number.
        count: How many; empty: as the robot has joints.
        one: Whether a number alone may stand for all.
        null: Whether null may stand for a number; it becomes NaN.
        array: Whether it becomes an array, shape (n,); else it stays as it is given.
    """

    lowest: float = -LARGEST
    highest: float = LARGEST
    count: int | None = None
    one: bool = False
    null: bool = False
    array: bool = True

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return a number, or a list of them whose length is checked."""
        number: Any = Annotated[float, Field(ge=self.lowest, le=self.highest)]
        entry: Any = number | None if self.null else number
        kind: Any = Annotated[tuple[entry, ...], AfterValidator(self._counted)]
        if self.one:
            alone, several = Annotated[number, Tag("one")], Annotated[kind, Tag("each")]
            which = Discriminator(lambda x: "each" if isinstance(x, tuple) else "one")
            kind = Annotated[alone | several, which]
        if self.array:
            kind = Annotated[kind, AfterValidator(self._array)]
        return handler.generate_schema(kind)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """Return the same as JSON Schema, and what the numbers are counted by."""
        number = {"type": "number", "minimum": self.lowest, "maximum": self.highest}
        entry = {"anyOf": [number, {"type": "null"}]} if self.null else number
        several = {"type": "array", "items": entry, "each": "axes" if self.count else JOINTS}
        return {"anyOf": [number, several]} if self.one else several

    def _counted(self, values: tuple[float | None, ...], info: ValidationInfo) -> Any:
        """Return as many numbers as there are to be."""
        n = self.count or joints_in(info) or len(values)
        if len(values) != n:
            each = ", one for each of the joints" if self.count is None else ""
            raise ValueError(f"takes {n} numbers{each}; found {len(values)}: {list(values)}.")
        return values

    def _array(self, values: Any, info: ValidationInfo) -> Array:
        """Return an array with one number for each."""
        n = self.count or joints_in(info) or 1
        array = np.array(values, dtype=float)
        return array if array.ndim else np.full(n, array)


class OfCore:
    """Marks a key that holds the numbers of a frozen dataclass: its fields are the keys.

    Their meaning and units are those of its docstring, unless the fields say them.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return the model of the dataclass, which makes one."""
        return handler.generate_schema(
            Annotated[model_of(source), AfterValidator(lambda made: self.made(source, made))]
        )

    @staticmethod
    def made(kind: type[T], model: BaseModel) -> T:
        """Return the dataclass that holds what its model does."""
        return kind(**{x.name: getattr(model, x.name) for x in fields(kind) if x.init})  # type: ignore[arg-type]


@lru_cache
def model_of(kind: type) -> type[Model]:
    """Return the model of a frozen dataclass of numbers, as `core.stated` declares them."""
    hints, meanings, keys = get_type_hints(kind), meanings_of(kind), dict[str, Any]()
    for entry in fields(kind):
        highest = min(entry.metadata.get("highest", LARGEST_BOUND), LARGEST_BOUND)
        lowest = entry.metadata.get("lowest", 0.0)
        number: Any = Annotated[float, Field(ge=lowest, le=highest)]
        found: Any = {
            "PerJoint": Annotated[Any, OneForEach(lowest, highest, one=True, array=False)],
            "PerAxis": Annotated[Any, OneForEach(lowest, highest, 3, one=True, array=False)],
            "tuple[float, ...]": tuple[number, ...],
            "float": number,
            "float | None": number | None,
        }.get(str(entry.type), hints[entry.name])
        if isinstance(found, type) and hasattr(found, "__dataclass_fields__"):
            found = Annotated[found, OfCore()]
        text, unit = meanings[entry.name]
        default = ... if entry.default is MISSING else entry.default
        if entry.default_factory is not MISSING:
            keys[entry.name] = (found, section(text))
        else:
            keys[entry.name] = (found, key(text, unit, default))
    return create_model(kind.__name__, __base__=Model, __doc__=inspect.getdoc(kind), **keys)
