"""Plans for an arm that torques move: each has a robust design, which the bridge proves anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.speed.speed_limits import PRESETS
from payload_id.core.safety.tube.tracking_tube import ROBUST
from payload_id.files.cells.cell_file import Cell
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.runs.certificate_file import certificate_in
from payload_id.ros.certifying.case_settings import CaseSettings
from payload_id.ros.certifying.prover import ProofRequest, Proved, Prover
from payload_id.ros.planner.parameters import PLANNER_TABLE, PlannerParameters, planning_settings
from payload_id.ros.planner.planning.request import (
    Goal,
    MoveRequest,
    PieceRequest,
    Planned,
    PlanningSettings,
    PlanRequest,
)
from payload_id.ros.planner.planning.worker import PlanningWorker
from torque_robot import BOUNDS, CELL, GAIN, LEVEL, LIMITS, torque_robot

PERIOD = 0.002  # [s]
GOAL = Goal("bezier", "half_widths", 3.0, 1.0, 0.0, 2.0, 1, LIMITS, *BOUNDS, "stated")
PAYLOAD = ConvexBody.primitive("box", (0.1, 0.1, 0.1), translation=(0, 0, 0.08), name="payload")


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """Return the robot, the settings of the bridge, and a planning worker."""
    folder = tmp_path_factory.mktemp("robust")
    robot = torque_robot(folder)
    shared = (str(robot.path), robot.uncertainty, Cell.of(CELL, 0.02), CELL, PRESETS["full"], None,
              (PAYLOAD,), 100.0)  # fmt: skip
    settings = PlanningSettings(*shared, 0.2, str(folder), torque_period=PERIOD, robust_level=LEVEL,
                                robust_gain=GAIN)  # fmt: skip
    return robot, CaseSettings(*shared, torque_period=PERIOD), PlanningWorker(settings)


def request(robot, goal=GOAL):
    return PlanRequest("a", goal, np.array(robot.home), ())


def assert_bridge_proves(settings, documents):
    """Check that the bridge's own proof repeats; return the tube that it then keeps."""
    found = Prover(settings)(ProofRequest(documents.motion, documents.stops, ()))
    assert isinstance(found, Proved), found
    tube = found.motion.tube
    assert tube.kind == ROBUST and tube.reserve is not None and tube.reserve.period == PERIOD
    return tube


@pytest.mark.slow
def test_the_way_to_a_pose_is_proved_by_the_bridge_with_its_design_and_stops(planned):
    robot, settings, worker = planned
    plan = worker(MoveRequest(request(robot), np.array(robot.home) + 0.2))
    assert isinstance(plan, Planned), plan
    assert plan.motion.stops and len(plan.documents.stops) == len(plan.motion.stops)
    tube = assert_bridge_proves(settings, plan.documents)
    assert plan.motion.tube.to_dict() == tube.to_dict()
    assert (tube.reserve.disturbance > 0.0).all()


@pytest.mark.slow
def test_a_piece_that_takes_over_has_the_design_of_the_one_before_and_a_new_run_its_own(planned):
    """What goes on in motion keeps V of the first: `~/extend` refuses any other design."""
    robot, settings, worker = planned
    home = np.array(robot.home)
    first = worker(PieceRequest("r", 0, GOAL, MotionState.at_rest(home), 1.2, ()))
    assert first.documents is not None, first.plan
    tube = assert_bridge_proves(settings, first.documents)
    state = MotionState.of(first.plan.trajectory, 1.2)
    calm = replace(GOAL, speed_scale=0.95)
    second = worker(PieceRequest("r", 1, calm, state, 1.2, ()))
    if second.documents is not None:  # a piece in motion may have no time left on a busy machine
        assert second.tube.to_dict() == tube.to_dict()
        saved = certificate_in(second.documents.motion, "the second piece")
        assert saved.tube.to_dict() == tube.to_dict()
    other = replace(GOAL, payload_lower=0.5 * BOUNDS[0], payload_upper=1.5 * BOUNDS[1])
    third = worker(PieceRequest("s", 0, other, MotionState.at_rest(home), 1.2, ()))
    assert third.documents is None or third.tube.to_dict() != tube.to_dict()


def test_torques_are_planned_for_only_where_the_driver_executes_them():
    values = {entry.name: entry.default for entry in PLANNER_TABLE}
    parameters = PlannerParameters.of(values | {"back_end": "effort"})
    robot = RobotFile.load("kinova_gen3")
    with pytest.raises(ConfigurationError, match="accepts torques and ignores them"):
        planning_settings(parameters, robot, robot.uncertainty, Cell.of(CELL, 0.02))
    settings = planning_settings(
        PlannerParameters.of(values), robot, robot.uncertainty, Cell.of(CELL, 0.02)
    )
    assert settings.torque_period is None
