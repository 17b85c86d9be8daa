"""Parameters of the planner, and what they mean for its planning process."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.errors import ConfigurationError
from ...core.excitation.criteria import CRITERIA
from ...core.excitation.criteria import DEFAULT as DEFAULT_CRITERION
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ...files.cells.cell_file import Cell
from ...files.configuration.input_path import from_home
from ...files.robots.robot_file import RobotFile
from ...files.runs.signing_key import SigningKey
from ...files.tables.wrench_csv import read_wrench_uncertainty
from ...planning.request import FAMILIES, LONGEST, PlanningSettings
from ..certifying.case_parameters import CaseParameters, case_settings
from ..common.parameters import parameter, table_of
from ..execution.arm_parameters import ArmParameters
from ..execution.back_ends.effort import check_executes_torques

MOST_PROGRESS = 0.9  # largest part by which half-widths can be asked to shrink in a piece


@dataclass(frozen=True)
class PlannerParameters(CaseParameters, ArmParameters):
    """Parameters of the planner."""

    bridge: str = parameter(
        "payload_bridge",
        "Node that moves the arm; relative names lie in this node's namespace.",
    )
    certificates_folder: str = parameter(
        "~/.ros/payload_id/certificates",
        "Folder in which every plan's certificate is kept.",
    )
    signing_key: str = parameter(
        "",
        "Private key (PEM, ed25519) that signs every certificate, readable by its owner alone; the "
        "passphrase of an encrypted one is in the environment variable PAYLOAD_ID_KEY_PASSPHRASE. "
        "Empty: certificates are not signed.",
    )
    limits: str = parameter(
        "",
        "Set of joint limits for goals that name none; empty: limits.use of the robot file.",
    )
    source: str = parameter(
        "torque",
        "What the payload is identified from, as the estimator's: motions are planned to teach "
        "the most by that.",
        choices=("torque", "wrench"),
    )
    wrench_uncertainty: str = parameter(
        "",
        "For source wrench, YAML file with the bounds of WrenchUncertainty, as the estimator's.",
    )
    family: str = parameter(
        "fourier",
        "Family of motions for goals that name none.",
        choices=FAMILIES,
    )
    criterion: str = parameter(
        DEFAULT_CRITERION,
        "What is made small, for goals that name nothing.",
        choices=tuple(CRITERIA),
    )
    duration: float = parameter(
        6.0,
        "Length of a motion at full speed, for goals without.",
        "s",
        0.5,
        LONGEST,
    )
    time_budget: float = parameter(
        4.0,
        "Computing time until the best certified motion is returned, for goals without; its stops "
        "are certified after that.",
        "s",
        0.2,
        120.0,
    )
    piece_duration: float = parameter(
        3.0,
        "Length of a piece in receding horizon if it were followed to its end.",
        "s",
        0.5,
        20.0,
    )
    piece_time: float = parameter(
        1.5,
        "Part of a piece that is followed before the next one; planning and certification of that "
        "next one must fit into it.",
        "s",
        0.3,
        10.0,
    )
    least_progress: float = parameter(
        0.05,
        "Receding horizon ends when no half-width shrinks by this part from one piece to the next.",
        "-",
        0.0,
        MOST_PROGRESS,
    )
    stop_step: float = parameter(
        0.25,
        "Time between two points of a motion from which a stop is certified.",
        "s",
        0.05,
        5.0,
    )
    robust_gain: float = parameter(
        4.0,
        "K_r of the robust designs with the back_end 'effort': a larger one keeps positions "
        "nearer, and takes more torque.",
        "1/s",
        0.1,
        100.0,
    )
    proof_time: float = parameter(
        0.4,
        "Time that the bridge may take to prove a piece anew before it takes over.",
        "s",
        0.0,
        5.0,
    )


PLANNER_TABLE = table_of(PlannerParameters)


def planning_settings(
    parameters: PlannerParameters, robot: RobotFile, uncertainty: Uncertainty, cell: Cell
) -> PlanningSettings:
    """Return the settings of the planning process.

    Raises:
        ConfigurationError: The signing key cannot be used, or torques shall move an arm that they
            do not move.
        InputError: A mesh cannot be used.
    """
    if parameters.by_torques:
        check_executes_torques(robot)
    return PlanningSettings(
        **vars(case_settings(parameters, robot, uncertainty, cell, parameters.by_torques)),
        robust_gain=parameters.robust_gain,
        stop_step=parameters.stop_step,
        folder=str(from_home(parameters.certificates_folder, "certificates_folder")),
        signing_key=_usable_key(parameters.signing_key),
        wrench=_wrench(parameters),
    )


def _wrench(parameters: PlannerParameters) -> WrenchUncertainty | None:
    """Return what is assumed of the sensor; None: joint torques are measured."""
    if parameters.source == "torque":
        return None
    file = parameters.wrench_uncertainty
    return read_wrench_uncertainty(file) if file else WrenchUncertainty()


def _usable_key(path: str) -> str:
    """Return the path of a private key that can be used; empty if there shall be none."""
    if not path:
        return ""
    try:
        return str(SigningKey.load(path).path)
    except ConfigurationError as error:
        raise ConfigurationError(f"The parameter 'signing_key': {error}") from error
