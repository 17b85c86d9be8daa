"""The keys of a cell file, each with unit, default and what it means."""

from __future__ import annotations

from ..configuration.schema import Key, Schema

FAR = 30.0  # [m] from the base: what is said to be farther is in another unit
THIN = 1e-4  # [m] likewise, what is said to be thinner
TURN = 6.2832  # [rad]

_POSE: Schema = {
    "position": Key(
        "numbers", "place in the base frame", "m", default=(0.0, 0.0, 0.0), length=3,
        lowest=-FAR, highest=FAR,
    ),
    "rpy": Key(
        "numbers", "roll, pitch and yaw in the base frame", "rad", default=(0.0, 0.0, 0.0),
        length=3, lowest=-TURN, highest=TURN,
    ),
}  # fmt: skip

_BODY: Schema = {
    "shape": Key(
        "text",
        "what it is; a wall is everything behind a plane, its z axis points into the cell",
        choices=("box", "sphere", "cylinder", "capsule", "mesh", "wall"),
    ),
    "size": Key(
        "numbers",
        "box: length along x, y, z; sphere: radius; cylinder and capsule: radius, length along z; "
        "mesh and wall: none",
        "m",
        default=(),
        lowest=THIN,
        highest=2 * FAR,
    ),
    "mesh": Key("text", "file of a mesh, whose hull counts; relative to this file", default=""),
    **_POSE,
}

CELL: Schema = {
    "name": Key("text", "name of the cell in reports"),
    "clearance": Key(
        "number", "distance that bodies must keep from each other", "m", default=0.02, lowest=0.0
    ),
    "joint_margin": Key(
        "number",
        "distance that joints keep from their position limits and the ends of cable_turns, beyond "
        "tracking errors",
        "rad or m",
        default=0.0,
        lowest=0.0,
    ),
    "floor": Key(
        "number",
        "height of the floor in the base frame; null: there is none within reach",
        "m",
        nullable=True,
        lowest=-FAR,
        highest=FAR,
    ),
    "base_tilt": Key(
        "number",
        "largest angle between the real base's z axis and the one that the robot file's gravity "
        "says; it counts for gravity only: bodies are where they are in the base's own frame",
        "rad",
        default=0.0,
        lowest=0.0,
        highest=0.5,
    ),
    "bodies": Key(
        "sections",
        "walls, fixtures and everything else that stands still",
        keys=_BODY,
        default={},
    ),
    "keep_out": Key(
        "sections",
        "zones that nothing of the arm may enter",
        keys=_BODY,
        default={},
    ),
    "keep_in": Key(
        "sections",
        "boxes that nothing of the moving arm may leave",
        keys={
            "size": Key(
                "numbers", "length along x, y and z", "m", lowest=THIN, highest=2 * FAR, length=3
            ),
            **_POSE,
        },
        default={},
    ),
}
