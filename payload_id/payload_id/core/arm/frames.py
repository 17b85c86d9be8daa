"""Frames of Pinocchio's models by name, where a link and a joint may have the same one."""

from __future__ import annotations

from collections.abc import Sequence

import pinocchio as pin

OF_LINK = " (link)"


def frame_id(model: pin.Model, name: str) -> int:
    """Return the number of a link's frame, or of another one where no link has the name."""
    link = model.existFrame(name, pin.FrameType.BODY)
    return int(model.getFrameId(name, pin.FrameType.BODY) if link else model.getFrameId(name))


def with_joints_held(
    model: pin.Model, joints: Sequence[int], shapes: pin.GeometryModel
) -> tuple[pin.Model, pin.GeometryModel]:
    """Return a model, and shapes that hang on it, with some joints held at neutral.

    Pinocchio finds frames by their names alone: links that share theirs with a joint, one that
    moves or a fixed one, have another meanwhile.
    """
    others = {frame.name for frame in model.frames if frame.type != pin.FrameType.BODY}
    shared = [
        frame for frame in model.frames if frame.type == pin.FrameType.BODY and frame.name in others
    ]
    names = [frame.name for frame in shared]
    for frame in shared:
        frame.name += OF_LINK
    reduced, shapes = pin.buildReducedModel(model, shapes, list(joints), pin.neutral(model))
    for frame in [*shared, *reduced.frames]:
        if frame.name.endswith(OF_LINK) and frame.name.removesuffix(OF_LINK) in names:
            frame.name = frame.name.removesuffix(OF_LINK)
    return reduced, shapes
