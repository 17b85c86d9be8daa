"""Proving certificates anew: what is believed, and what is not, whatever a file says."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.path_stop import PathStop
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.safety.certificate.certificate import Certificate, digest_of
from payload_id.core.safety.certificate.certify import certify
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.speed.speed_limits import PRESETS
from payload_id.files.cells.cell_file import Cell
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.runs.certificate_file import save_certificate
from payload_id.planning.case_settings import CaseSettings
from payload_id.planning.safety_cases import SafetyCases
from payload_id.ros.certifying.prover import ProofRequest, Prover, VerifiedMotion

ROBOT, PRIOR = RobotFile.load("kinova_gen3"), PayloadPrior(1.5, 0.15)
PAYLOAD = ConvexBody.primitive("box", (0.1, 0.1, 0.1), translation=(0, 0, 0.08), name="payload")
BALL = ConvexBody.primitive("sphere", (0.1,), translation=(2.0, 2.0, 0.5), name="ball")
SETTINGS = CaseSettings(
    robot_file="kinova_gen3",
    uncertainty=Uncertainty(torque_relative=0.025, link_relative=0.05, prior=PRIOR),
    cell=Cell.of("none, a test", 0.02),
    cell_stated="none, a test",
    speeds=PRESETS["full"],
    ground=-0.05,
    payload=(PAYLOAD,),
    point_rate=100.0,
)
LIMITS = "safety_warning"
MOTION = BezierPiece(MotionState.at_rest(ROBOT.home), np.full(7, 0.15), 2.0)


def saved(path, case, motion, robot=ROBOT):
    """Return the certificate of a motion, as a planner saves it."""
    certificate = certify(case, motion)
    assert isinstance(certificate, Certificate), certificate
    return save_certificate(path, certificate, case, motion, robot, "none, a test").read_text()


def claiming(text, motion, duration):
    """Return a forged certificate that claims another motion, with all digests."""
    content, path = json.loads(text), motion.to_dict()
    content["certificate"]["digests"]["trajectory"] = digest_of(path)
    content["certificate"]["duration"] = duration
    del content["digest"]
    content["trajectory"] = path
    return json.dumps({**content, "digest": digest_of(content)})


def test_a_motion_that_does_not_end_at_rest_is_refused(tmp_path):
    case, prover = SafetyCases(SETTINGS).case(LIMITS, {}, PRIOR.box(), ()), Prover(SETTINGS)
    stop = saved(tmp_path / "stop.json", case, PathStop(MOTION, 0.5, 0.6))
    assert isinstance(prover(ProofRequest(stop, (), ())), VerifiedMotion)
    whole = saved(tmp_path / "whole.json", case, MOTION)
    cut = claiming(whole, MotionSequence((MOTION,), (1.0,)), 1.0)
    with pytest.raises(InputError, match="does not end at rest"):
        prover(ProofRequest(cut, (), ()))


def test_a_motion_of_the_shipped_omnids_platform_is_proved_and_none_beyond_its_box(tmp_path):
    robot = RobotFile.load("omnid")
    bounds = replace(robot.uncertainty, prior=PayloadPrior(2.0, 0.1))
    settings = replace(SETTINGS, robot_file="omnid", uncertainty=bounds, ground=None)
    case = SafetyCases(settings).case("urdf", {}, bounds.prior.box(), (BALL,))
    motion = BezierPiece(MotionState.at_rest(robot.home), np.array([0.05, -0.05, 0.08]), 3.0)
    text = saved(tmp_path / "motion.json", case, motion, robot)
    found = Prover(settings)(ProofRequest(text, (), (BALL,)))
    assert isinstance(found, VerifiedMotion), found
    beyond = BezierPiece(MotionState.at_rest(robot.home), np.array([0.0, 0.0, 0.145]), 6.0)
    refused = certify(case, beyond)
    assert not isinstance(refused, Certificate) and refused.constraint == "position"
