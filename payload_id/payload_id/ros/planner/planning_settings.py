"""What the planner's parameters mean for the planning process."""

from __future__ import annotations

from pathlib import Path

from ...core.errors import ConfigurationError
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.safety.clearance.convex_body import ConvexBody
from ...core.safety.speed.speed_limits import PRESETS
from ...files.cells.cell_file import Cell
from ...files.robots.body_shapes import mesh_hull
from ...files.robots.robot_file import RobotFile
from ...files.runs.signing_key import SigningKey
from .parameters import PlannerParameters
from .planning.request import PlanningSettings


def planning_settings(
    parameters: PlannerParameters, robot: RobotFile, uncertainty: Uncertainty, cell: Cell
) -> PlanningSettings:
    """Return the settings of the planning process.

    Raises:
        ConfigurationError: The signing key cannot be used.
        InputError: A mesh cannot be used.
    """
    return PlanningSettings(
        robot_file=str(robot.path),
        uncertainty=uncertainty,
        cell=cell,
        cell_stated=parameters.cell,
        speeds=PRESETS[parameters.speed_limits],
        ground=parameters.ground,
        payload=payload_bodies(parameters),
        stop_step=parameters.stop_step,
        point_rate=parameters.point_rate,
        folder=str(Path(parameters.certificates_folder).expanduser()),
        signing_key=_usable_key(parameters.signing_key),
    )


def _usable_key(path: str) -> str:
    """Return the path of a private key that can be used; empty if there shall be none."""
    if not path:
        return ""
    try:
        return str(SigningKey.load(path).path)
    except ConfigurationError as error:
        raise ConfigurationError(f"The parameter 'signing_key': {error}") from error


def payload_bodies(parameters: PlannerParameters) -> tuple[ConvexBody, ...]:
    """Return bodies that contain the payload, in the payload frame; none if nothing is known."""
    found = []
    if parameters.payload_box is not None:
        size, centre = parameters.payload_box, parameters.payload_box_centre
        found.append(ConvexBody.primitive("box", size, translation=centre, name="payload"))
    if parameters.payload_mesh:
        found.append(mesh_hull(Path(parameters.payload_mesh).expanduser(), name="payload"))
    return tuple(found)
