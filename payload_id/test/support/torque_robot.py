"""A Gen3 whose driver executes torques, and motions certified for the robust controller."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from payload_id.core.control.robust_design import design_for
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.path_stop import PathStop
from payload_id.core.safety.certificate.certificate import Certificate
from payload_id.core.safety.certificate.certify import certify
from payload_id.core.safety.speed.speed_limits import PRESETS
from payload_id.core.safety.torque.arm_dynamics import ArmDynamics
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.files.cells.cell_file import Cell
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.runs.certificate_file import save_certificate
from payload_id.planning.case_settings import CaseSettings
from payload_id.planning.safety_cases import SafetyCases

ROTOR, CELL, LIMITS = 10.0, "none, a simulation", "safety_error"
PAYLOAD = np.array([0.8, 0.0, 0.0, 0.064, 0.0072, 0.0, 0.0, 0.0072, 0.0, 0.002])
BOUNDS = (PAYLOAD - 0.05 * np.abs(PAYLOAD) - 1e-4, PAYLOAD + 0.05 * np.abs(PAYLOAD) + 1e-4)
GAIN, PERIOD, DELAY, STEP = 5.0, 0.002, 0.003, 1.0
ROOM = 1.1  # of the design, for finer slices
TEXT = f"""extends: package://payload_id/config/robots/kinova_gen3.yaml
name: torque_arm
driver:
  executed: [position, effort]
  back_ends: [effort, follow_joint_trajectory]
control:
  rotor_inertia: {[ROTOR] * 7}
  rotor_inertia_relative: 0.01
  effort_period: {PERIOD}
  effort_delay: {DELAY}
uncertainty: {{link_relative: 0.01, friction_coulomb: 0.0, friction_viscous: 0.0}}
"""


def torque_robot(folder: Path) -> RobotFile:
    """Write the robot file, and read it."""
    path = folder / "torque_arm.yaml"
    path.write_text(TEXT)
    return RobotFile.load(str(path))


def certified_motion(
    folder: Path, robot: RobotFile, start: np.ndarray, by: float = 0.15, duration: float = 4.0
) -> tuple[str, list[str]]:
    """Return the certificates of a motion of all joints and of its stops."""
    settings = CaseSettings(
        str(robot.path), robot.uncertainty, Cell.of(CELL, 0.02), CELL, PRESETS["full"], None, (),
        100.0, by_torques=True,
    )  # fmt: skip
    cases = SafetyCases(settings)
    motion = BezierPiece(MotionState.at_rest(start), np.full(len(start), by), duration)
    rotor = robot.control.rotor_interval()
    box = ParameterBox.around(cases.model, BOUNDS, robot.uncertainty, rotor)
    sampling = cases.sampling(robot.limits_at(LIMITS, {}))
    stops = (PathStop(motion, t, 0.6) for t in np.arange(STEP, duration - 1.0, STEP))
    motions = [motion, *stops]
    made = design_for(ArmDynamics(cases.model, box), motions, GAIN, sampling, room=ROOM)
    case = cases.case(LIMITS, {}, BOUNDS, (), made)
    texts = []
    for number, path in enumerate(motions):
        certificate = certify(case, path)
        assert isinstance(certificate, Certificate), certificate
        file = folder / f"{number}.json"
        texts.append(save_certificate(file, certificate, case, path, robot, CELL).read_text())
    return texts[0], texts[1:]
