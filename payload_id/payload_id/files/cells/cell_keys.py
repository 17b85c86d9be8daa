"""The keys of a cell file: what stands around an arm, where it may be, and how it is mounted."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator
from typing_extensions import Self

from ..configuration.model import Model, key

FAR = 30.0  # [m] from the base: what is said to be farther is in another unit
THIN = 1e-4  # [m] likewise, what is said to be thinner
TURN = 6.2832  # [rad]
Length = Annotated[float, Field(ge=THIN, le=2 * FAR)]
Place = Annotated[float, Field(ge=-FAR, le=FAR)]
Angle = Annotated[float, Field(ge=-TURN, le=TURN)]


class Posed(Model):
    """Something at a place."""

    position: tuple[Place, Place, Place] = key("place in the base frame", "m", (0.0, 0.0, 0.0))
    rpy: tuple[Angle, Angle, Angle] = key(
        "roll, pitch and yaw in the base frame", "rad", (0.0, 0.0, 0.0)
    )


class BodyKeys(Posed):
    """A body or a zone to keep out of."""

    shape: Literal["box", "sphere", "cylinder", "capsule", "mesh", "wall"] = key(
        "what it is; a wall is everything behind a plane, its z axis points into the cell"
    )
    size: tuple[Length, ...] = key(
        "box: length along x, y, z; sphere: radius; cylinder and capsule: radius, length along z; "
        "mesh and wall: none",
        "m", (),
    )  # fmt: skip
    mesh: str = key("file of a mesh, whose hull counts; relative to this file", default="")

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """Return the body, which has a mesh if it is one."""
        if (self.shape == "mesh") != bool(self.mesh):
            raise ValueError("names a file in 'mesh' if, and only if, shape is mesh.")
        return self


class ZoneKeys(Posed):
    """A box to keep in."""

    size: tuple[Length, Length, Length] = key("length along x, y and z", "m")


class CellKeys(Model):
    """A cell file."""

    name: str = key("name of the cell in reports")
    clearance: float = key(
        "distance that bodies must keep from each other", "m", 0.02, ge=0.0, le=FAR
    )
    joint_margin: float = key(
        "distance that joints keep from their position limits and the ends of turn_limits, beyond "
        "tracking errors", "rad or m", 0.0, ge=0.0, le=FAR,
    )  # fmt: skip
    floor: Place | None = key(
        "height of the floor in the base frame; null: there is none within reach", "m"
    )
    base_tilt: float = key(
        "largest angle between the real base's z axis and the one that the robot file's gravity "
        "says; it counts for gravity only: bodies are where they are in the base's own frame",
        "rad", 0.0, ge=0.0, le=0.5,
    )  # fmt: skip
    bodies: dict[str, BodyKeys] = key(
        "walls, fixtures and everything else that stands still", default={}
    )
    keep_out: dict[str, BodyKeys] = key("zones that nothing of the arm may enter", default={})
    keep_in: dict[str, ZoneKeys] = key("boxes that nothing of the moving arm may leave", default={})
