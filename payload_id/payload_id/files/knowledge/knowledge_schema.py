"""The keys of a file of knowledge: for each kind of statement its own, with unit and meaning."""

from __future__ import annotations

from ...core.knowledge.catalogue.region import SIZES
from ..configuration.schema import Key, Schema

_ORIGIN = (0.0, 0.0, 0.0)
_REGION: Schema = {
    "shape": Key("text", "what it is", choices=tuple(SIZES)),
    "size": Key(
        "numbers",
        "box: length along x, y, z; cylinder: radius, length along z; sphere: radius",
        "m",
        lowest=0.0,
    ),
    "position": Key("numbers", "its middle in the payload frame", "m", default=_ORIGIN, length=3),
    "rpy": Key(
        "numbers", "roll, pitch and yaw in the payload frame", "rad", default=_ORIGIN, length=3
    ),
}
_SYMMETRY: Schema = {
    "offset": Key(
        "number", "largest distance of the true one from the point", "m", default=0.0, lowest=0.0
    ),
    "tilt": Key(
        "number",
        "largest angle between the true one and the stated one",
        "rad",
        default=0.0,
        lowest=0.0,
        highest=0.5,
    ),
    "asymmetric_mass": Key(
        "number", "mass of what is not symmetric", "kg", default=0.0, lowest=0.0
    ),
    "extent": Key(
        "number",
        "largest distance of any of the payload's mass from the point; needed with tolerances",
        "m",
        default=None,
        nullable=True,
        lowest=0.0,
    ),
}


def _tolerance(text: str, unit: str) -> Key:
    """Return the key of a tolerance, none by default."""
    return Key("number", text, unit, default=0.0, lowest=0.0)


def _place(text: str) -> Key:
    """Return the key of a place."""
    return Key("numbers", text, "m", length=3)


SCHEMAS: dict[str, Schema] = {
    "known_mass": {
        "mass": Key("number", "as weighed, or from a data sheet", "kg", lowest=0.0),
        "tolerance": _tolerance("by how much it may be off, to either side", "kg"),
    },
    "centre_in_box": {
        "lower": _place("corner of the box"),
        "upper": _place("opposite corner"),
    },
    "centre_near_line": {
        "point": _place("on the line"),
        "direction": Key("numbers", "of the line, of any length", "1", length=3),
        "distance": _tolerance("largest distance of the centre of mass from the line", "m"),
    },
    "centre_near_point": {
        "point": _place("the point"),
        "distance": _tolerance("largest distance of the centre of mass from it", "m"),
    },
    "symmetric_about_axis": {
        "point": _place("on the axis"),
        "direction": Key("numbers", "of the axis, of any length", "1", length=3),
        **_SYMMETRY,
    },
    "mirror_plane": {
        "point": _place("in the plane"),
        "normal": Key("numbers", "of the plane, of any length", "1", length=3),
        **_SYMMETRY,
    },
    "made_of": {
        "region": Key("section", "what the payload fills", keys=_REGION),
        "density_min": _tolerance("of the lightest material; 0 where it may be hollow", "kg/m3"),
        "density_max": Key("number", "of the heaviest material", "kg/m3", lowest=0.0),
        "size_tolerance": _tolerance("by how much each face of the region may be off", "m"),
    },
    "filled_container": {
        "mass": Key("number", "of the empty container", "kg", lowest=0.0),
        "centre": _place("its centre of mass"),
        "inertia": Key(
            "numbers",
            "about that, in the payload frame's axes: Ixx, Ixy, Ixz, Iyy, Iyz, Izz",
            "kg m2",
            length=6,
        ),
        "cavity": Key("section", "where contents can be", keys=_REGION),
        "density_max": Key("number", "largest density of contents", "kg/m3", lowest=0.0),
        "mass_tolerance": _tolerance("by how much the mass may be off", "kg"),
        "centre_tolerance": _tolerance("by how much each coordinate of the centre may be off", "m"),
        "inertia_tolerance": _tolerance("by how much each element may be off", "kg m2"),
        "size_tolerance": _tolerance("by how much each face of the cavity may be farther out", "m"),
    },
}
