"""The planner with the real certifier: what it returns is certified, what it cannot is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from test_excitation import HOME, KNOWN, LIMITS, PHI, UNSURE, StandingClock, arm, predictor

from payload_id.core.excitation.candidates.candidates import BezierFamily
from payload_id.core.excitation.criteria import criterion_named
from payload_id.core.excitation.prediction.candidate_rows import Collected
from payload_id.core.excitation.search.certifier import (
    certifier,
    planning_limits,
    rough_clearance,
    torque_peaks,
    tube_torque,
)
from payload_id.core.excitation.search.planning import (
    NOT_EVEN_STAY,
    Budget,
    NoPlan,
    Plan,
    plan,
)
from payload_id.core.excitation.search.planning_task import PlanningTask
from payload_id.core.excitation.search.verdict import Verdict
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.safety.certificate.certificate import Certificate
from payload_id.core.safety.certificate.certify import SafetyCase, certify, start_refusal
from payload_id.core.safety.clearance.clearances import pose_clearance
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.margins.margin import Refusal
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.files.robots.arm_geometry import robot_geometry
from payload_id.files.robots.robot_file import RobotFile
from safety_scenes import obstacles


@lru_cache(maxsize=1)
def geometry():
    return robot_geometry(RobotFile.load("kinova_gen3"), arm("gen3"))


def case(*obstacles: ConvexBody) -> SafetyCase:
    half = 0.15 * np.abs(PHI) + 1e-3
    box = ParameterBox.around(arm("gen3"), (PHI - half, PHI + half), UNSURE)
    small = np.full(7, 0.01)
    tube = TrackingTube.position_controlled(small, 2 * small, 10 * small)
    return SafetyCase(arm("gen3"), geometry(), obstacles, box, tube, LIMITS)


def task(against: SafetyCase) -> PlanningTask:
    limits = planning_limits(against)
    family = BezierFamily.within(MotionState.at_rest(HOME), 3.0, limits)
    nothing = Collected.nothing(predictor().p)
    criterion = criterion_named("condition_number", KNOWN)
    return PlanningTask(
        family=family,
        predictor=predictor(),
        criterion=criterion,
        collected=nothing,
        horizon=1.5,
        limits=limits,
        box=against.box,
        reserve=tube_torque(against, family),
        clearance=rough_clearance(against),
        peaks=torque_peaks(against),
    )


def crowded(seed: int) -> SafetyCase:
    """Return the ground and ten obstacles at arm's reach, the start free for the whole tube."""
    rng, against = np.random.default_rng(seed), case(ConvexBody.ground(-0.02))
    while len(against.obstacles) < 11:
        body = obstacles(rng)[len(against.obstacles)]
        more = replace(against, obstacles=(*against.obstacles, body))
        against = more if start_refusal(more, MotionState.at_rest(HOME)) is None else against
    return against


@pytest.mark.slow
def test_a_plan_among_obstacles_has_a_certificate_that_holds():
    sphere = ConvexBody.primitive("sphere", (0.1,), translation=(0.5, 0.5, 0.5), name="ball")
    against = case(ConvexBody.ground(-0.02), sphere)
    found = plan(task(against), certifier(against), Budget(evaluations=500), 3, StandingClock())
    assert isinstance(found, Plan) and isinstance(found.certificate, Certificate)
    again = certify(against, found.trajectory)
    assert isinstance(again, Certificate) and again.digests == found.certificate.digests
    # It moves: more than a tenth of a radian at most joints.
    moved = np.abs(found.trajectory.at(np.array([3.0])).q[0] - HOME)
    assert (moved > 0.1).sum() >= 4


@pytest.mark.slow
def test_among_ten_obstacles_a_certified_piece_moves_before_it_is_left():
    against = crowded(4)
    found = plan(task(against), certifier(against), Budget(evaluations=800), 3, StandingClock())
    assert isinstance(found, Plan) and isinstance(certify(against, found.trajectory), Certificate)
    moved = np.ptp(found.trajectory.at(np.linspace(0.0, 1.5, 16)).q, axis=0)
    assert (moved > 0.1).sum() >= 4


def test_sampled_clearance_tells_which_poses_are_proved_clear():
    """Of poses it decides as the certifier does, tube and required distance included."""
    against = replace(crowded(4), clearance=0.01)
    q = HOME + np.random.default_rng(1).uniform(-0.8, 0.8, (40, 1, 7))
    clear = rough_clearance(against)(q) > 0.0
    proved = [
        pose_clearance(against.scene, pose[0], against.tube.position, 0.01).refused is None
        for pose in q
    ]
    assert np.array_equal(clear, proved) and 5 < clear.sum() < 35


def test_torque_peaks_are_those_of_the_certifier_s_refusal():
    """A limit just below the peak at an instant is refused, one well above it is not."""
    against = case()
    made = task(against)
    motion = made.family.trajectory(0.4 * made.family.calm + 0.2)
    peak = torque_peaks(against)(motion.at(made.usage.instants)).max(axis=0)
    refused, kept = (
        certify(replace(against, limits=replace(against.limits, torque=factor * peak)), motion)
        for factor in (0.99, 1.5)
    )
    assert isinstance(refused, Refusal) and refused.constraint == "torque"
    assert isinstance(kept, Certificate)


@pytest.mark.slow
def test_what_needs_nearly_all_torque_at_an_instant_is_not_asked_for():
    against = case()
    made = replace(task(against), peaks=None)
    plain = plan(made, certifier(against), Budget(evaluations=300), 3, StandingClock())
    assert isinstance(plain, Plan)
    peak = torque_peaks(against)(plain.trajectory.at(made.usage.instants)).max(axis=0)
    calm = torque_peaks(against)(made.family.trajectory(made.family.calm).at(made.usage.instants))
    # Peaks that are larger by what makes the first choice need all of a torque.
    joint = int(np.argmax((peak - calm.max(axis=0)) / LIMITS.torque))
    more = np.zeros(7)
    more[joint] = LIMITS.torque[joint] - peak[joint]
    careful = replace(made, peaks=lambda motion: torque_peaks(against)(motion) + more)
    found = plan(careful, certifier(against), Budget(evaluations=300), 3, StandingClock())
    assert isinstance(found, Plan) and not careful.missing_torque(found.parameters, 0.93).any()
    assert not np.array_equal(found.parameters, plain.parameters)


def test_a_start_in_collision_is_refused_with_the_certifier_s_reason():
    arm_is_here = ConvexBody.primitive("sphere", (0.5,), translation=(0.0, 0.0, 0.4), name="cage")
    against = case(arm_is_here)
    budget = Budget(evaluations=300, certifications=4)
    found = plan(task(against), certifier(against), budget, 3, StandingClock())
    assert isinstance(found, NoPlan) and isinstance(found.nearest, Refusal)
    assert "start state" in found.reason and "cage" in found.reason


def test_an_arm_that_cannot_carry_what_is_stated_is_told_to_state_less():
    """No candidate keeps the limits, and not even standing still is proved for every payload."""
    against = case()
    above = task(replace(against, limits=replace(LIMITS, torque=0.01 * np.array(LIMITS.torque))))

    def refuse(motion: object) -> Verdict:
        return Verdict(False, "refusal", "joint_2 needs more than it has.", 1.0)

    found = plan(above, refuse, Budget(evaluations=300), 3, StandingClock())
    assert isinstance(found, NoPlan) and found.asked == 1
    assert found.reason == f"{NOT_EVEN_STAY} joint_2 needs more than it has."


def test_torque_that_is_missing_is_reported_at_its_joint():
    against = case()
    weak = np.array(LIMITS.torque)
    weak[1] = 5.0
    limits = type(LIMITS)(*(getattr(LIMITS, k) for k in (
        "position_lower", "position_upper", "velocity", "acceleration")), weak)  # fmt: skip
    unable = SafetyCase(
        against.model, against.geometry, (), against.box, against.tube, limits, "weak"
    )
    made = task(against)
    verdict = certifier(unable)(made.family.trajectory(made.family.calm))
    assert not verdict.accepted and verdict.answer.constraint == "torque"
    assert verdict.torque.argmax() == 1 and verdict.missing > 0.1
