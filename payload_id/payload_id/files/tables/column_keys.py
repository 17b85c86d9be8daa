"""The keys of descriptions of columns: of joint states, and of a wrench with its motion."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, model_validator
from typing_extensions import Self

from ...core.arrays import Array
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ..configuration.model import (
    JointNames,
    Model,
    OfCore,
    OneForEach,
    Vector,
    joints_in,
    key,
    section,
)
from .csv_columns import TO_NANOSECONDS
from .named_units import OF_TURNING, UNITS

FARTHEST = 10.0  # [m] of an accelerometer from the sensor's origin
LATEST = 1e3  # [s] by which stamps are late
# Ways to write the axes of the sensor in the world: what their columns hold.
ANGLES = ("rpy", "abc", "rotation_vector")
FORMS = ("matrix", "quaternion", *ANGLES, "joints")


def _spread(value: Any, info: ValidationInfo) -> Any:
    """Return the names that a pattern with {j} = 1 ... n stands for, or one name for a list."""
    if not isinstance(value, str):
        return value
    n = joints_in(info) or 1 if "{j}" in value else 1
    return tuple(value.replace("{j}", str(j + 1)) for j in range(n))


def _of_joints(names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    """Return names, one for each joint."""
    n = joints_in(info) or len(names)
    if len(names) != n:
        raise ValueError(
            f"must be a pattern such as Position{{j}} with {{j}} = 1 ... {n}, or a list of {n} "
            f"column names; found {list(names)}."
        )
    return names


def _one_character(text: str) -> str:
    """Return a delimiter."""
    if len(text) != 1 or text in '\r\n\0"':
        raise ValueError(
            "must be one character, other than a quotation mark and the end of a line; found "
            f"{text!r}."
        )
    return text


def _words(value: Any) -> Any:
    """Return one word as a list."""
    return (value,) if isinstance(value, str) else value


def _flat(value: Any) -> Any:
    """Return the numbers of a matrix that may be given row by row."""
    nested = isinstance(value, tuple) and all(isinstance(row, tuple) for row in value)
    return sum(value, ()) if nested else value


def _not_zero(values: Array) -> Array:
    """Return factors of which none is zero."""
    if not values.all():
        raise ValueError(
            "must not be 0, once or for each channel: 1 or -1, or a factor to N and N m; found "
            f"{values.tolist()}."
        )
    return values


Column = Annotated[str, Field(min_length=1)]
Columns = Annotated[tuple[str, ...], BeforeValidator(_spread), AfterValidator(_of_joints)]
Factors = Annotated[Any, OneForEach(one=True, array=False)]
Delimiter = Annotated[str, AfterValidator(_one_character)]
Three = tuple[Column, Column, Column]
Late = Annotated[float, Field(ge=-LATEST, le=LATEST)]
Near = Annotated[float, Field(ge=-FARTHEST, le=FARTHEST)]


class StampKeys(Model):
    """The column of time."""

    column: Column = key("name of the column of time")
    unit: Literal[tuple(TO_NANOSECONDS)] = key("its unit")  # type: ignore[valid-type]
    nanoseconds: str = key(
        "name of a column of nanoseconds that is added, as ROS has seconds and the rest",
        default="",
    )


class ColumnKeys(Model):
    """What the columns of a table of joint states hold."""

    joints: JointNames = key("names of the joints from base to flange, as in the robot file")
    stamp: StampKeys | None = key("the column of time; left out: each row is a pose", default=None)
    position: Columns = key("columns of the positions: a list, or a pattern such as q{j}")
    velocity: Columns | None = key("columns of the velocities, likewise", default=None)
    position_unit: Annotated[
        tuple[Literal[tuple(UNITS)], ...],  # type: ignore[valid-type]
        BeforeValidator(_words),
    ] = key("of positions, and of velocities a second: one, or one for each joint", "", ("rad",))
    effort: Columns = key("columns of the torques or currents, likewise")
    effort_source: Literal["torque", "current"] | None = key(
        "what these columns hold; left out: as the robot file says", default=None
    )
    torque_constants: Factors | None = key(
        "joint torque per ampere, where efforts are currents", "N m/A", None
    )
    effort_sign: Factors = key(
        "1, -1 where the sensor counts against the joint, or a factor to N m or A", "", 1.0
    )
    effort_offset: Factors = key("known offset of the torque", "N m or N", 0.0)
    delimiter: Delimiter = key("character between cells", default=",")


class TableKeys(Model):
    """One of the tables of a wrench and its motion."""

    file: str | None = key(
        'name of its file beside the wrench\'s; "*" is the name of the run. Left out: the same '
        "file",
        default=None,
    )
    stamp: StampKeys | None = key("the column of time; left out: as the wrench's", default=None)
    late_by: Late = key("by how much the stamps are later than the measurement", "s", 0.0)


class WrenchPart(TableKeys):
    """Force and torque."""

    columns: tuple[Column, Column, Column, Column, Column, Column] = key(
        "force x, y, z, then torque x, y, z", "N, N m"
    )
    sign: Annotated[Array, OneForEach(count=6, one=True), AfterValidator(_not_zero)] = key(
        "1 where the wrench is what the sensor exerts on the payload, -1 for the opposite; or six "
        "factors to N and N m", "", 1.0,
    )  # fmt: skip


class OrientationPart(TableKeys):
    """Axes of the sensor in the world, in one of several forms."""

    matrix: Annotated[tuple[Column, ...], Field(min_length=9, max_length=9)] | None = key(
        "nine columns, row by row", default=None
    )
    quaternion: tuple[Column, Column, Column, Column] | None = key("x, y, z, w", default=None)
    rpy: Three | None = key("roll, pitch, yaw about x, then y, then z of the world", default=None)
    abc: Three | None = key(
        "A, B, C of KUKA: about z, then the new y, then the new x", default=None
    )
    rotation_vector: Three | None = key("axis times angle, as UR has it", default=None)
    joints: Annotated[tuple[Column, ...], Field(min_length=1)] | None = key(
        "positions of the arm that carries the sensor, in the robot file's order", default=None
    )
    unit: Literal[tuple(OF_TURNING)] | None = key(  # type: ignore[valid-type]
        "of angles; needed with them", default=None
    )
    position: Three | None = key("origin of the sensor in the world", "m", None)
    cutoff: float | None = key(
        "highest frequency of the motion that is kept; left out: told from the orientations", "Hz",
        None, ge=0.0, le=1e6,
    )  # fmt: skip

    @property
    def form(self) -> str:
        """Which form is given."""
        return next(x for x in FORMS if getattr(self, x) is not None)

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """Return one form, with a unit where it has angles."""
        given = [x for x in FORMS if getattr(self, x) is not None]
        if len(given) != 1:
            raise ValueError(
                f"must name the columns of one of {', '.join(FORMS)}; found "
                f"{', '.join(given) or 'none'}."
            )
        has_angles = given[0] in (*ANGLES, "joints")
        if has_angles and self.unit is None:
            raise ValueError(f"needs 'unit', that of '{given[0]}': rad or deg.")
        if not has_angles and self.unit is not None:
            raise ValueError("takes 'unit' with angles alone.")
        return self


class AccelerationPart(TableKeys):
    """Proper acceleration: matrix value + bias in the sensor frame."""

    columns: Three = key("x, y, z")
    unit: Literal["m/s2", "g"] = key("of the columns", default="m/s2")
    matrix: Annotated[Array, OneForEach(count=9), BeforeValidator(_flat)] = key(
        "from the accelerometer's axes to the sensor frame, row by row",
        "-", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    )  # fmt: skip
    bias: Vector = key("what is added then", "m/s2", (0.0, 0.0, 0.0))
    at: tuple[Near, Near, Near] = key(
        "place of the accelerometer in the sensor frame", "m", (0.0, 0.0, 0.0)
    )


class WrenchKeys(Model):
    """What the columns of a wrench and of its motion hold."""

    wrench: WrenchPart = key("force and torque")
    orientation: OrientationPart = key("axes of the sensor in the world")
    acceleration: AccelerationPart | None = key(
        "of the sensor, where it was measured", default=None
    )
    gravity: Vector | None = key(
        "in the world; left out: 9.80665 downwards, or that of the robot", "m/s2", None
    )
    frame: str = key("name of the sensor frame", default="")
    delimiter: Delimiter = key("character between cells", default=",")
    uncertainty: Annotated[WrenchUncertainty, OfCore()] | None = key(
        "bounds that intervals rest on", default=None
    )

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """Return tables with one gravity."""
        if self.orientation.joints is not None and self.gravity is not None:
            raise ValueError(
                "takes no 'gravity' where 'orientation' names joints: that of the robot counts."
            )
        return self


class WrenchBounds(Model):
    """A file of bounds, or a description of columns that has them."""

    uncertainty: Annotated[WrenchUncertainty, OfCore()] = section("bounds that intervals rest on")
