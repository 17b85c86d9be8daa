"""The planner with the real certifier: what it returns is certified, what it cannot is refused."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from payload_id.core.excitation.candidate_rows import Collected
from payload_id.core.excitation.candidates import BezierFamily
from payload_id.core.excitation.certifier import certifier, planning_limits, rough_clearance
from payload_id.core.excitation.criteria import criterion_named
from payload_id.core.excitation.planning import Budget, NoPlan, Plan, plan
from payload_id.core.excitation.screening import Task
from payload_id.core.excitation.state import State
from payload_id.core.safety.certificate import Certificate, Refusal
from payload_id.core.safety.certify import SafetyCase, certify
from payload_id.core.safety.convex_body import ConvexBody
from payload_id.core.safety.parameter_box import ParameterBox
from payload_id.core.safety.tube import TrackingTube
from payload_id.files.arm_geometry import robot_geometry
from payload_id.files.robot_file import RobotFile
from test_excitation import HOME, KNOWN, LIMITS, PHI, UNSURE, StandingClock, arm, predictor


@lru_cache(maxsize=1)
def geometry():
    return robot_geometry(RobotFile.load("kinova_gen3"), arm("gen3"))


def case(*obstacles: ConvexBody) -> SafetyCase:
    half = 0.15 * np.abs(PHI) + 1e-3
    box = ParameterBox.around(arm("gen3"), (PHI - half, PHI + half), UNSURE)
    small = np.full(7, 0.01)
    tube = TrackingTube.position_controlled(small, 2 * small, 10 * small)
    return SafetyCase(arm("gen3"), geometry(), obstacles, box, tube, LIMITS)


def task(against: SafetyCase) -> Task:
    limits = planning_limits(against)
    family = BezierFamily.within(State.at_rest(HOME), 3.0, limits)
    nothing = Collected.nothing(predictor().p)
    criterion = criterion_named("condition_number", KNOWN)
    clear = rough_clearance(against)
    return Task(
        family, predictor(), criterion, nothing, 1.5, limits, against.box, 0.0, clearance=clear
    )


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


def test_a_start_in_collision_is_refused_with_the_certifier_s_reason():
    arm_is_here = ConvexBody.primitive("sphere", (0.5,), translation=(0.0, 0.0, 0.4), name="cage")
    against = case(arm_is_here)
    budget = Budget(evaluations=300, certifications=4)
    found = plan(task(against), certifier(against), budget, 3, StandingClock())
    assert isinstance(found, NoPlan) and isinstance(found.nearest, Refusal)
    assert "start state" in found.reason and "cage" in found.reason


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
