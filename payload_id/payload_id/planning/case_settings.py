"""What proofs of a robot's motions rest on, whoever asks for them; picklable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..core.rows.joint_torque.uncertainty import Uncertainty
from ..core.safety.clearance.convex_body import ConvexBody
from ..core.safety.speed.speed_limits import SpeedLimits
from ..files.cells.cell_file import Cell

POINT_RATE = 100.0  # [Hz] of a commanded trajectory, unless somebody says otherwise
CLEARANCE = 0.02  # [m] that bodies keep from each other, likewise


@dataclass(frozen=True)
class CaseSettings:
    """What is the same for all proofs of a robot.

    Attributes:
        robot_file: Robot file: path or name.
        uncertainty: Bounds on the arm.
        cell: What stands around the arm, and the distance that bodies keep from each other.
        cell_stated: Path of the cell file, or "none, " and the reason, for certificates.
        speeds: Limits of speeds in space.
        ground: Height of a floor in the base frame [m]; None: there is none.
        payload: Bodies that contain the payload, poses in the payload frame.
        point_rate: Of commanded points [Hz].
        by_torques: Whether the robust controller moves the arm, not its own position controller.
    """

    robot_file: str
    uncertainty: Uncertainty
    cell: Cell
    cell_stated: str
    speeds: SpeedLimits
    ground: float | None
    payload: tuple[ConvexBody, ...]
    point_rate: float
    by_torques: bool = field(default=False, kw_only=True)


def payload_volume(box: Sequence[float] | None, centre: Sequence[float]) -> tuple[ConvexBody, ...]:
    """Return the box that contains the payload as bodies in the payload frame; none without one.

    Args:
        box: Lengths along x, y and z [m]; None: nothing is known.
        centre: Its centre, three numbers [m].
    """
    if box is None:
        return ()
    return (ConvexBody.primitive("box", box, translation=centre, name="payload"),)
