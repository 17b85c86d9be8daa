"""What the planning process does, called in this process: plans, dry runs, pieces, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.arm.kinetics import frames
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.excitation.search.planning import Plan
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.trajectory import sampled
from payload_id.core.motion.trajectory_points import interpolation_error
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.safety.certificate.certificate import Certificate
from payload_id.core.safety.certificate.certify import certify
from payload_id.core.safety.certificate.verify import verify
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.speed.speed_limits import PRESETS
from payload_id.files.cells.cell_file import Cell
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from payload_id.files.runs.certificate_file import load_certificate
from payload_id.files.runs.premises import premises
from payload_id.planning.request import (
    Goal,
    MoveRequest,
    PieceRequest,
    Planned,
    PlanningSettings,
    PlanRequest,
    Refused,
    ScaleRequest,
)
from payload_id.planning.worker import PlanningWorker

ROBOT = RobotFile.load("kinova_gen3")
PRIOR = PayloadPrior(1.5, 0.15)
LOWER, UPPER = PRIOR.box()
GOAL = Goal("bezier", "half_widths", 2.0, 1.0, 1.0, 1, "safety_warning", LOWER, UPPER, "prior")
PAYLOAD = ConvexBody.primitive("box", (0.1, 0.1, 0.1), translation=(0, 0, 0.08), name="payload")


def settings_of(bounds, folder, speeds="full"):
    stated = "none, a test"
    return PlanningSettings(
        robot_file="kinova_gen3",
        uncertainty=bounds,
        cell=Cell.of(stated, 0.02),
        cell_stated=stated,
        speeds=PRESETS[speeds],
        ground=None,
        payload=(PAYLOAD,),
        stop_step=0.5,
        point_rate=100.0,
        folder=folder,
    )


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    bounds = Uncertainty(torque_relative=0.025, link_relative=0.05, prior=PRIOR)
    folder = str(tmp_path_factory.mktemp("certificates"))
    return PlanningWorker(settings_of(bounds, folder))


@pytest.mark.slow
def test_a_plan_keeps_the_turn_that_a_cable_allows_wherever_it_is_counted_from(tmp_path):
    """The same cable, the start reported in three turns: what is certified is the same range."""
    path, bounds = tmp_path / "robot.yaml", Uncertainty(torque_relative=0.025, prior=PRIOR)
    path.write_text(
        "extends: package://payload_id/config/robots/kinova_gen3.yaml\n"
        "turn_limits: {joint_3: {lower: 3.05, upper: 3.6}}\n"
    )
    stated = replace(settings_of(bounds, str(tmp_path)), robot_file=str(path))
    worker, robot = PlanningWorker(stated), RobotFile.load(path)
    for turns in (0, 1):
        start = np.array(robot.home) - [0, 0, 2 * np.pi * turns, 0, 0, 0, 0]
        goal = replace(GOAL, turns={"joint_3": turns})
        plan = worker(request(goal, start=start))
        assert isinstance(plan, Planned), plan
        assert np.allclose(plan.motion.trajectory.at(np.zeros(1)).q[0], start)
        for motion in (plan.motion.trajectory, *(stop.motion for stop in plan.motion.stops)):
            whole = sampled(motion, 200.0).q[:, 2] + 2 * np.pi * turns
            assert whole.min() >= 3.05 + 0.02 and whole.max() <= 3.6 - 0.02  # less the tube
        assert any(f"joint_3 has turned by {turns:+d}" in x for x in plan.certificate.assumptions)
        saved = load_certificate(plan.certificate_path)
        model = RobotModel.from_robot_file(robot)
        held = {x.subject: x.holds for x in premises(saved, robot, model, stated.cell)}
        assert held["limits of position_upper ('safety_warning')"] is True
        assert held["turn of joint_3"] is None
        assert verify(saved.certificate, saved.case(model), saved.trajectory, 50).verified
    wrong = worker(request(replace(GOAL, turns={"joint_3": 1})))  # the start is out of the range
    assert isinstance(wrong, Refused) and "joint_3" in wrong.sentence


def request(goal=GOAL, obstacles=(), start=ROBOT.home):
    return PlanRequest("plan", goal, np.array(start), tuple(obstacles))


def test_the_way_to_a_pose_is_certified_and_ends_there_at_rest(worker):
    target = np.array(ROBOT.home) + np.array([0.4, -0.2, 0.0, 0.3, 0.0, 0.0, 1.0])
    way = worker(MoveRequest(request(), target))
    assert isinstance(way, Planned), way
    trajectory = way.motion.trajectory
    ends = trajectory.at(np.array([0.0, trajectory.duration]))
    assert np.allclose(ends.q, [ROBOT.home, target]) and np.abs(ends.dq).max() < 1e-9
    assert (way.figures.velocity <= 1.0).all() and way.motion.stops
    assert way.figures.half_width_expected.tolist() == way.figures.half_width_now.tolist()
    saved = load_certificate(way.certificate_path)
    assert isinstance(certify(saved.case(worker._certifier.model), saved.trajectory), Certificate)


def test_a_way_through_something_is_refused(worker):
    start, target = np.array(ROBOT.home), np.array(ROBOT.home)
    target[0] += 1.2
    there = frames(worker._certifier.model, (start + target)[None] / 2)[1][0, -1]
    ball = ConvexBody.primitive("sphere", (0.1,), translation=there, name="ball")
    refused = worker(MoveRequest(request(obstacles=[ball]), target))
    assert isinstance(refused, Refused) and "ball" in refused.sentence, refused


def test_a_piece_with_waves_keeps_what_its_points_may_lose(worker):
    plan = worker(request(replace(GOAL, family="wave")))
    assert isinstance(plan, Planned), plan
    assert plan.motion.trajectory.to_dict()["family"] == "wave"
    assert (interpolation_error(plan.motion.trajectory, 100.0).position < 1e-6).all()


@pytest.mark.slow
def test_a_motion_there_and_back_is_certified_with_its_stops(worker):
    plan = worker(request(replace(GOAL, family="there_and_back", duration=4.0)))
    assert isinstance(plan, Planned), plan
    motion = plan.motion.trajectory
    out, back = (motion.at(t) for t in (np.linspace(0.0, 4.0, 41), np.linspace(4.0, 0.0, 41)))
    assert np.allclose(out.q, back.q) and np.allclose(out.dq, -back.dq)
    assert np.ptp(out.q, axis=0).max() > 0.1 and np.allclose(out.q[0], ROBOT.home)
    assert len(plan.motion.stops) == 7  # one each half second, of the rest where it turns too
    saved = load_certificate(plan.certificate_path)
    assert isinstance(certify(saved.case(worker._certifier.model), saved.trajectory), Certificate)


@pytest.mark.slow
def test_a_dry_run_is_the_same_path_at_a_fraction_of_its_speed(worker):
    plan = worker(request(replace(GOAL, duration=1.5)))
    slow = worker(ScaleRequest(plan, 0.1, ()))
    assert isinstance(slow, Planned), slow
    fast, slow = plan.motion.trajectory, slow.motion.trajectory
    assert slow.duration == pytest.approx(10.0 * fast.duration)
    fast, slow = sampled(fast, 200.0), sampled(slow, 20.0)
    assert np.allclose(fast.q, slow.q) and np.allclose(0.1 * fast.dq, slow.dq)


@pytest.mark.slow
def test_the_next_piece_continues_a_moving_one(worker):
    patient = replace(GOAL, time_budget=3.0)
    first = worker(
        PieceRequest("run", 0, patient, MotionState.at_rest(np.array(ROBOT.home)), 1.0, ())
    )
    start = MotionState.of(first.plan.trajectory, 1.0)
    second = worker(PieceRequest("run", 1, patient, start, 1.0, ()))
    assert np.abs(start.dq).max() > 0.05
    assert np.allclose(second.plan.trajectory.at(np.zeros(1)).dq[0], start.dq)
    assert second.condition_number < first.condition_number  # more rows tell more
    again = worker(
        PieceRequest("other", 0, patient, MotionState.at_rest(np.array(ROBOT.home)), 1.0, ())
    )
    assert again.condition_number > second.condition_number  # earlier runs are forgotten


@pytest.mark.slow
def test_pieces_of_a_receding_horizon_keep_the_limits_of_speeds(tmp_path):
    bounds = Uncertainty(torque_relative=0.025, link_relative=0.05, prior=PRIOR)
    slow = PlanningWorker(settings_of(bounds, str(tmp_path), "collaborative"))
    goal, start = replace(GOAL, duration=3.0, time_budget=6.0), MotionState.at_rest(ROBOT.home)
    used = []
    for index in range(2):
        piece = slow(PieceRequest("run", index, goal, start, 1.5, ()))
        assert not isinstance(piece, Refused), piece.sentence
        assert isinstance(piece.plan, Plan), piece.plan
        margins = {margin.constraint: margin for margin in piece.plan.certificate.margins}
        used.append(max(margins[name].used for name in ("tool speed", "payload speed")))
        start = MotionState.of(piece.plan.trajectory, 1.5)
    assert max(used) <= 1.0 and np.median(used) > 0.3  # slow, yet not standing still
