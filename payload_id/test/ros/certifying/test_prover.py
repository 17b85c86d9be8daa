"""Proving certificates anew: what is believed, and what is not, whatever a file says."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.path_timing import PathStop
from payload_id.core.motion.time_scaling import TimeScaled
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
from payload_id.ros.certifying.prover import ProofRequest, Proved, Prover

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
MOTION = BezierPiece(MotionState.at_rest(ROBOT.home), np.full(7, 0.15), 2.0)
LIMITS = "safety_warning"


def case_of(settings=SETTINGS, limits=LIMITS, obstacles=()):
    return SafetyCases(settings).case(limits, {}, PRIOR.box(), obstacles)


class Documents:
    """Certificates of a motion and one stop, as a planner of some settings saves them."""

    def __init__(self, folder, settings=SETTINGS, motion=MOTION, obstacles=()):
        self.folder, self.case = folder, case_of(settings, obstacles=obstacles)
        self.motion = self.saved(motion, "motion")
        self.stop = self.saved(PathStop(motion, 0.5, 0.6), "stop")

    def saved(self, motion, name):
        certificate = certify(self.case, motion)
        assert isinstance(certificate, Certificate), certificate
        path = save_certificate(
            self.folder / f"{name}.json", certificate, self.case, motion, ROBOT, "none, a test"
        )
        return path.read_text()

    def request(self, obstacles=()):
        return ProofRequest(self.motion, (self.stop,), tuple(obstacles))


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    return Documents(tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="module")
def prover():
    return Prover(SETTINGS)


def forged(text, **changes):
    """Return a certificate that says something else, with a digest that goes with it."""
    content = {**json.loads(text), **changes}
    del content["digest"]
    return json.dumps({**content, "digest": digest_of(content)})


def test_what_was_certified_for_the_same_is_proved(own, prover):
    found = prover(own.request())
    assert isinstance(found, Proved), found
    assert found.limits == LIMITS and found.turns == {}
    assert np.array_equal(found.payload_upper, PRIOR.box()[1])
    assert found.motion.trajectory.to_dict() == MOTION.to_dict()
    assert [stop.time for stop in found.motion.stops] == [0.5]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (lambda t: t[:-30], "no readable JSON"),
        (lambda t: "[]", "no certificate of format"),
        (lambda t: "[" * 100_000, "no readable JSON"),
        (lambda t: t.replace('"duration": 2.0', '"duration": 1e999'), "no finite number"),
        (lambda t: t.replace('"safety_warning"', '"nominal"', 1), "changed after"),
        (lambda t: forged(t, joints=["a", "b"]), "this arm's are"),
        (lambda t: forged(t, trajectory={"family": "wave"}), "lacks the entry"),
        (lambda t: forged(t, turns={"joint_1": 5}), "assumptions"),
        (lambda t: forged(t, turns={"elbow": 1}), "which this arm has not"),
    ],
    ids=[
        "cut",
        "list",
        "deep",
        "infinite",
        "changed",
        "joints",
        "no motion",
        "turns",
        "strange turns",
    ],
)
def test_what_is_no_certificate_of_this_arm_is_refused(own, prover, text, word):
    assert text(own.motion) != own.motion
    answer = prover(ProofRequest(text(own.motion), (), ()))
    assert isinstance(answer, str) and word in answer, answer


def claiming(text, motion, duration):
    """Return a forged certificate that claims another motion, with all digests."""
    certificate, motion = json.loads(text)["certificate"], motion.to_dict()
    digests = certificate["digests"] | {"trajectory": digest_of(motion)}
    claim = certificate | {"digests": digests, "duration": duration}
    return forged(text, trajectory=motion, certificate=claim)


def test_what_is_proved_counts_and_not_who_says_so(own, prover):
    slower = claiming(own.motion, TimeScaled(MOTION, 0.5), 4.0)
    assert isinstance(prover(ProofRequest(slower, (), ())), Proved)
    fast = BezierPiece(MOTION.start, np.full(7, 1.5), 1.0)
    answer = prover(ProofRequest(claiming(own.motion, fast, 1.0), (), ()))
    assert isinstance(answer, str) and "its proof does not repeat" in answer


def test_a_motion_that_does_not_end_at_rest_is_refused(own, prover, tmp_path):
    moving = PathStop(MOTION, 0.5, 0.6)
    whole = Documents(tmp_path, motion=MOTION)
    assert isinstance(prover(ProofRequest(whole.saved(moving, "part"), (), ())), Proved)
    cut = claiming(own.motion, MotionSequence((MOTION,), (1.0,)), 1.0)
    answer = prover(ProofRequest(cut, (), ()))
    assert isinstance(answer, str) and "does not end at rest" in answer, answer


def test_a_motion_of_the_shipped_omnids_platform_is_proved_and_none_beyond_its_box(tmp_path):
    robot = RobotFile.load("omnid")
    bounds = replace(robot.uncertainty, prior=PayloadPrior(2.0, 0.1))
    settings = replace(SETTINGS, robot_file="omnid", uncertainty=bounds, ground=None)
    case = SafetyCases(settings).case("urdf", {}, bounds.prior.box(), (BALL,))
    motion = BezierPiece(MotionState.at_rest(robot.home), np.array([0.05, -0.05, 0.08]), 3.0)
    proved = certify(case, motion)
    assert isinstance(proved, Certificate), proved
    path = save_certificate(tmp_path / "m.json", proved, case, motion, robot, "none, a test")
    found = Prover(settings)(ProofRequest(path.read_text(), (), (BALL,)))
    assert isinstance(found, Proved), found
    beyond = BezierPiece(MotionState.at_rest(robot.home), np.array([0.0, 0.0, 0.145]), 6.0)
    refused = certify(case, beyond)
    assert not isinstance(refused, Certificate) and refused.constraint == "position"
