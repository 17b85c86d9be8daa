"""Parameters of the planner, and what they mean for its planning process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
from ..certifying.case_parameters import CASE_PARAMETERS, CaseParameters, case_settings
from ..common.parameters import Parameter
from ..execution.arm_parameters import ARM_PARAMETERS, ArmParameters
from ..execution.back_ends.effort import check_executes_torques

MOST_PROGRESS = 0.9  # largest part by which half-widths can be asked to shrink in a piece

PLANNER_TABLE = (
    *CASE_PARAMETERS,
    *ARM_PARAMETERS,
    Parameter(
        "bridge",
        "payload_bridge",
        "Node that moves the arm; relative names lie in this node's namespace.",
    ),
    Parameter(
        "certificates_folder",
        "~/.ros/payload_id/certificates",
        "Folder in which every plan's certificate is kept.",
    ),
    Parameter(
        "signing_key",
        "",
        "Private key (PEM, ed25519) that signs every certificate, readable by its owner alone; the "
        "passphrase of an encrypted one is in the environment variable PAYLOAD_ID_KEY_PASSPHRASE. "
        "Empty: certificates are not signed.",
    ),
    Parameter(
        "limits",
        "",
        "Set of joint limits for goals that name none; empty: limits.use of the robot file.",
    ),
    Parameter(
        "source",
        "torque",
        "What the payload is identified from, as the estimator's: motions are planned to teach "
        "the most by that.",
        choices=("torque", "wrench"),
    ),
    Parameter(
        "wrench_uncertainty",
        "",
        "For source wrench, YAML file with the bounds of WrenchUncertainty, as the estimator's.",
    ),
    Parameter("family", "fourier", "Family of motions for goals that name none.", choices=FAMILIES),
    Parameter(
        "criterion",
        DEFAULT_CRITERION,
        "What is made small, for goals that name nothing.",
        choices=tuple(CRITERIA),
    ),
    Parameter(
        "duration", 6.0, "Length of a motion at full speed, for goals without.", "s", 0.5, LONGEST
    ),
    Parameter(
        "time_budget",
        4.0,
        "Computing time until the best certified motion is returned, for goals without; its stops "
        "are certified after that.",
        "s",
        0.2,
        120.0,
    ),
    Parameter(
        "piece_duration",
        3.0,
        "Length of a piece in receding horizon if it were followed to its end.",
        "s",
        0.5,
        20.0,
    ),
    Parameter(
        "piece_time",
        1.5,
        "Part of a piece that is followed before the next one; planning and certification of that "
        "next one must fit into it.",
        "s",
        0.3,
        10.0,
    ),
    Parameter(
        "least_progress",
        0.05,
        "Receding horizon ends when no half-width shrinks by this part from one piece to the next.",
        "-",
        0.0,
        MOST_PROGRESS,
    ),
    Parameter(
        "stop_step",
        0.25,
        "Time between two points of a motion from which a stop is certified.",
        "s",
        0.05,
        5.0,
    ),
    Parameter(
        "robust_level",
        0.1,
        "V_M of the robust designs with the back_end 'effort': the tube is as wide as its root.",
        "J",
        0.001,
        10.0,
    ),
    Parameter(
        "robust_gain",
        4.0,
        "K_r of these designs: a larger one keeps positions nearer, and takes more torque.",
        "1/s",
        0.1,
        100.0,
    ),
    Parameter(
        "proof_time",
        0.4,
        "Time that the bridge may take to prove a piece anew before it takes over.",
        "s",
        0.0,
        5.0,
    ),
)


@dataclass(frozen=True)
class PlannerParameters(CaseParameters, ArmParameters):
    """Values of `PLANNER_TABLE`, which explains them, but for the bounds."""

    bridge: str
    certificates_folder: str
    signing_key: str
    source: str
    wrench_uncertainty: str
    limits: str
    family: str
    criterion: str
    duration: float
    time_budget: float
    piece_duration: float
    piece_time: float
    least_progress: float
    stop_step: float
    robust_level: float
    robust_gain: float
    proof_time: float

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> PlannerParameters:
        """Take them out of all values."""
        return cls(**{name: values[name] for name in cls.__dataclass_fields__})


def planning_settings(
    parameters: PlannerParameters, robot: RobotFile, uncertainty: Uncertainty, cell: Cell
) -> PlanningSettings:
    """Return the settings of the planning process.

    Raises:
        ConfigurationError: The signing key cannot be used, or torques shall move an arm that they
            do not move.
        InputError: A mesh cannot be used.
    """
    period = parameters.torque_period
    if period is not None:
        check_executes_torques(robot)
    return PlanningSettings(
        **vars(case_settings(parameters, robot, uncertainty, cell, period)),
        robust_level=parameters.robust_level,
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
