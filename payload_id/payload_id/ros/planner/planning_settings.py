"""What the planner's parameters mean for the planning process."""

from __future__ import annotations

from ...core.errors import ConfigurationError
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...files.cells.cell_file import Cell
from ...files.configuration.input_path import from_home
from ...files.robots.robot_file import RobotFile
from ...files.runs.signing_key import SigningKey
from ..certifying.case_settings import case_settings
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
        **vars(case_settings(parameters, robot, uncertainty, cell)),
        stop_step=parameters.stop_step,
        folder=str(from_home(parameters.certificates_folder, "certificates_folder")),
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
