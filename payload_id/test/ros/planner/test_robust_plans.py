"""Plans for an arm that torques move: each has a robust design, which the bridge proves anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.control.controller import Measurement
from payload_id.core.errors import ConfigurationError
from payload_id.core.identification.identify import identify
from payload_id.core.motion.joint_trajectory import JointTrajectory
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.trajectory_points import points_of
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.speed.speed_limits import PRESETS
from payload_id.core.safety.tube.tracking_tube import ROBUST
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.simulation.plant import Plant
from payload_id.files.cells.cell_file import Cell
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.runs.certificate_file import certificate_in
from payload_id.planning.case_settings import CaseSettings
from payload_id.planning.request import (
    Goal,
    MoveRequest,
    PieceRequest,
    Planned,
    PlanningSettings,
    PlanRequest,
)
from payload_id.planning.worker import PlanningWorker
from payload_id.ros.certifying.prover import ProofRequest, Prover, VerifiedMotion
from payload_id.ros.effort_loop.torque_follower import Proof, TorqueFollower, controller_of
from payload_id.ros.planner.parameters import PLANNER_TABLE, PlannerParameters, planning_settings
from torque_robot import BOUNDS, CELL, DELAY, GAIN, LIMITS, PAYLOAD, PERIOD, ROTOR, torque_robot

GOAL = Goal("bezier", "half_widths", 3.0, 1.0, 2.0, 1, LIMITS, *BOUNDS, "stated")
VOLUME = ConvexBody.primitive("box", (0.1, 0.1, 0.1), translation=(0, 0, 0.08), name="payload")
PRIOR = PayloadPrior(1.0, 0.15)


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """Return the robot, the settings of the bridge, and a planning worker."""
    folder = tmp_path_factory.mktemp("robust")
    robot = torque_robot(folder)
    shared = (str(robot.path), robot.uncertainty, Cell.of(CELL, 0.02), CELL, PRESETS["full"], None,
              (VOLUME,), 100.0)  # fmt: skip
    settings = PlanningSettings(*shared, 0.2, str(folder), by_torques=True, robust_gain=GAIN)
    return robot, CaseSettings(*shared, by_torques=True), PlanningWorker(settings)


def request(robot, goal=GOAL):
    return PlanRequest("a", goal, np.array(robot.home), ())


def proved(settings, documents):
    """Return what the bridge proves of a plan, which has a robust design of the right period."""
    found = Prover(settings)(ProofRequest(documents.motion, documents.stops, ()))
    assert isinstance(found, VerifiedMotion), found
    tube = found.motion.tube
    assert tube.kind == ROBUST and tube.reserve is not None
    assert tube.reserve.period == pytest.approx(PERIOD + DELAY)
    return found


@pytest.mark.slow
def test_a_payload_is_identified_by_a_plan_that_torques_follow_within_its_tube(planned):
    """Planned for what the prior says of the payload, proved by the bridge, followed in steps."""
    robot, settings, worker = planned
    way = np.array([0.3, 0.4, 0.4, 0.4, 0.5, 0.5, 0.4])
    goal = replace(GOAL, payload_lower=PRIOR.box()[0], payload_upper=PRIOR.box()[1])
    plan = worker(MoveRequest(request(robot, goal), np.array(robot.home) + way))
    assert isinstance(plan, Planned), plan
    found = proved(settings, plan.documents)
    motion, tube = found.motion.trajectory, found.motion.tube
    points = points_of(motion, 100.0)
    trajectory = JointTrajectory(points.time, points.q, points.dq, points.ddq)
    plant = Plant(robot.urdf, robot.joints, robot.payload_frame, PAYLOAD, robot.gravity,
                  armature=ROTOR, q0=robot.home)  # fmt: skip
    controller = controller_of(worker._certifier.model, Proof(tube, found.box,
                               found.torque_limit))  # fmt: skip
    begin, rows, follower = -0.2, [], None
    for k in range(int((motion.duration + 0.3) / PERIOD)):
        state, t = plant.measure(), begin + k * PERIOD
        now = Measurement(t, state.q, state.dq)
        follower = follower or TorqueFollower(controller, now, trajectory, 0.0)
        plant.set_torque(follower.step(now).torque)
        rows.append((t - begin, state.q, state.dq, plant.measure().tau - plant.rotor_torque()))
        desired = follower.desired(t)
        assert tube.contains(desired.q - state.q, desired.dq - state.dq), t
        plant.step_to((k + 1) * PERIOD)
    assert not follower.said, follower.said
    samples = Samples(*(np.array(column) for column in zip(*rows, strict=True)))
    bounds = replace(robot.uncertainty, torque_absolute=0.0, torque_offset=0.0, rotor_inertia=0.0,
                     link_relative=0.01, prior=PRIOR)  # fmt: skip
    estimate = identify(samples, worker._certifier.model, bounds)
    assert estimate.contains(PAYLOAD).all(), estimate.message
    assert estimate.half_width[0] < 0.5 * PRIOR.mass_max / 2


@pytest.mark.slow
def test_a_piece_that_takes_over_has_the_design_of_the_one_before_and_a_new_run_its_own(planned):
    """What goes on in motion keeps V of the first: `~/extend` refuses any other design."""
    robot, settings, worker = planned
    home = np.array(robot.home)
    first = worker(PieceRequest("r", 0, GOAL, MotionState.at_rest(home), 1.2, ()))
    assert first.documents is not None, first.plan
    tube = proved(settings, first.documents).motion.tube
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
    assert not settings.by_torques
