"""What proofs of a robot's motions rest on, as parameters of nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...core.errors import ConfigurationError
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.safety.clearance.convex_body import ConvexBody
from ...core.safety.speed.speed_limits import PRESETS
from ...files.cells.cell_file import Cell
from ...files.configuration.input_path import from_home
from ...files.robots.body_shapes import mesh_hull
from ...files.robots.robot_file import RobotFile
from ...planning.case_settings import CLEARANCE, POINT_RATE, CaseSettings, payload_volume
from ..common.parameters import NodeParameters, declared, parameter, section
from ..common.shared_parameters import ROBOT_FILE, UNCERTAINTY_PARAMETERS


@dataclass(frozen=True)
class CaseParameters(NodeParameters):
    """What proofs of a robot's motions rest on; `bounds` replace those of the robot file."""

    robot_file: str = declared(ROBOT_FILE)
    cell: str = parameter(
        "",
        "Cell file: floor, walls, fixtures, zones, mounting; or 'none, ' and the reason why "
        "nothing stands around the arm. Nothing is planned or moved without it.",
    )
    speed_limits: str = parameter(
        "full",
        "Limits of speeds in space: collaborative (250 mm/s), reduced (500 mm/s) or full (joint "
        "limits only). Motions are slowed along their path until they are kept.",
        choices=tuple(PRESETS),
    )
    clearance: float = parameter(
        CLEARANCE,
        "Distance that bodies must keep from each other.",
        "m",
        0.0,
        0.5,
    )
    ground: float | None = parameter(
        None,
        "Height of a floor in the base frame that the arm must not touch; not set: no floor.",
        "m",
        -10.0,
        10.0,
        kind="number",
    )
    payload_box: list[float] | None = parameter(
        None,
        "Lengths along x, y and z of a box in the payload frame that contains the payload; not "
        "set: only payload_mesh, or no volume is checked.",
        "m",
        0.001,
        5.0,
        kind="numbers",
        length=3,
    )
    payload_box_centre: list[float] = parameter(
        [0.0, 0.0, 0.0],
        "Centre of that box in the payload frame.",
        "m",
        -5.0,
        5.0,
        length=3,
    )
    payload_mesh: str = parameter(
        "",
        "File of a mesh in the payload frame, metres, whose convex hull contains the payload.",
    )
    point_rate: float = parameter(
        POINT_RATE,
        "Points of a commanded trajectory.",
        "Hz",
        10.0,
        1000.0,
    )
    bounds: Mapping[str, Any] = section(
        [replace(entry, read_only=True) for entry in UNCERTAINTY_PARAMETERS]
    )


def case_settings(
    parameters: CaseParameters,
    robot: RobotFile,
    uncertainty: Uncertainty,
    cell: Cell,
    by_torques: bool = False,
) -> CaseSettings:
    """Return what parameters mean for proofs; see `CaseSettings`.

    Raises:
        InputError: A mesh cannot be used.
    """
    return CaseSettings(
        robot_file=str(robot.path),
        uncertainty=uncertainty,
        cell=cell,
        cell_stated=parameters.cell,
        speeds=PRESETS[parameters.speed_limits],
        ground=parameters.ground,
        payload=payload_bodies(parameters),
        point_rate=parameters.point_rate,
        by_torques=by_torques,
    )


def stated_cell(parameters: CaseParameters, node: str) -> tuple[Cell, str]:
    """Return what stands around the arm, and why that is not known; empty if it is.

    Args:
        parameters: Of the node.
        node: What it is, such as "planner", for the sentence.
    """
    try:
        return Cell.of(parameters.cell, parameters.clearance), ""
    except ConfigurationError as error:
        unknown = Cell("unknown", parameters.clearance, ())
        return unknown, f"{error} (The {node}'s parameter 'cell'.)"


def payload_bodies(parameters: CaseParameters) -> tuple[ConvexBody, ...]:
    """Return bodies that contain the payload, in the payload frame; none if nothing is known."""
    found = [*payload_volume(parameters.payload_box, parameters.payload_box_centre)]
    if parameters.payload_mesh:
        found.append(mesh_hull(from_home(parameters.payload_mesh, "payload_mesh"), name="payload"))
    return tuple(found)
