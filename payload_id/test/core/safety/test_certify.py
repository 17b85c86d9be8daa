"""Certificates hold where they are sampled; every unsafe motion is refused, with its reason."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from payload_id.core.body.inertial import is_physical
from payload_id.core.errors import InputError
from payload_id.core.motion.limits import MotionLimits, inverse_dynamics
from payload_id.core.motion.trajectory import sampled
from payload_id.core.safety.certificate.certificate import Certificate, digest_of
from payload_id.core.safety.certificate.certify import certify
from payload_id.core.safety.certificate.sampled_check import sampled_margins
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.margins.margin import CONSTRAINTS, DESIGN, Refusal
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from safety_scenes import gen3, gen3_case, motion, obstacles

SPEEDS = ("tool speed", "payload speed", "elbow speed", "kinetic energy")
# Without limits of speeds, and of an arm whose tube is stated.
LIMITED = [name for name in CONSTRAINTS if name not in (*SPEEDS, *DESIGN)]
MARGIN = 1e-6  # coal's precision [m], and that of sums


@lru_cache
def safe():
    """Return a case, a motion and its certificate."""
    case = gen3_case((ConvexBody.ground(-0.05),))
    path = motion(gen3()[0].home, np.random.default_rng(0))
    certificate = certify(case, path)
    assert isinstance(certificate, Certificate), certificate
    return case, path, certificate


def refused(case, path, constraint):
    outcome = certify(case, path)
    assert isinstance(outcome, Refusal), outcome
    assert outcome.constraint == constraint, outcome
    assert outcome.missing > 0
    assert 0 <= outcome.time <= path.duration
    assert str(outcome).count("\n") == 0
    return outcome


def refusal(case, path):
    """Return which constraint refuses a motion."""
    return getattr(certify(case, path), "constraint", None)


def robust(n):
    return TrackingTube.passivity_based(1e-3, np.full(n, 10.0), np.full(n, 2.0))


def test_a_certificate_has_a_margin_of_everything_and_its_digests():
    case, path, certificate = safe()
    assert [m.constraint for m in certificate.margins] == LIMITED
    assert all(m.value > 0 for m in certificate.margins)
    assert set(certificate.digests) == {*case.digests, "trajectory"}
    assert case.tube.assumptions[0] in certificate.assumptions
    again = Certificate.from_dict(certificate.to_dict())
    assert digest_of(again.to_dict()) == digest_of(certificate.to_dict())


def test_a_certificate_says_what_it_rests_on():
    case, path, _ = safe()
    noted = replace(case.geometry, notes=("The lamp has no body: it is a sticker.",))
    outcome = certify(replace(case, geometry=noted, turns={"joint_3": -1}), path)
    said = " ".join(outcome.assumptions)
    for words in (
        *case.tube.assumptions,
        "lie in the parameter box, now and throughout the motion",
        "the payload is rigid and rigidly held",
        "kinematics are those of the description; links are rigid",
        "The collision bodies contain the arm's links, and the attached bodies the payload",
        "Obstacles stay where they are and are contained in their bodies",
        "The lamp has no body: it is a sticker.",
        "joint_3 has turned by -1 whole turns",
    ):
        assert words in said
    for pair in case.geometry.joined:  # what is not checked is named
        assert " and ".join(pair) in said


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["position_controlled", "robust"])
def test_no_sampled_state_goes_beyond_a_margin(kind):
    checked = 0
    for seed in range(3):
        around = obstacles(np.random.default_rng(seed))
        case = gen3_case(around)
        if kind == "robust":
            case = replace(case, tube=robust(case.model.n))
        path = motion(gen3()[0].home, np.random.default_rng(seed), 0.4, 1.5)
        outcome = certify(case, path)
        if isinstance(outcome, Refusal):
            continue
        checked += 1
        sampled_ones = sampled_margins(case, path, 80, seed)
        for margin in outcome.margins:
            assert sampled_ones[margin.constraint] >= margin.left - MARGIN, margin
        assert outcome.margin("torque").left > sampled_ones["torque"] - 0.2
    assert checked >= 1


def test_the_peak_between_two_samples_counts():
    case, path, _ = safe()
    rest = TrackingTube.exact(case.model.n)
    for name, letter in (("velocity", "dq"), ("acceleration", "ddq")):
        fine = np.abs(getattr(sampled(path, 50000.0), letter))
        coarse = np.abs(getattr(sampled(path, 20.0), letter))
        joint = int(np.argmax(fine.max(axis=0) - coarse.max(axis=0)))
        between = (fine[:, joint].max() + coarse[:, joint].max()) / 2
        assert coarse[:, joint].max() < between < fine[:, joint].max()
        limit = getattr(case.limits, name).copy()
        limit[joint] = between
        limits = replace(case.limits, **{name: limit})
        outcome = refused(replace(case, tube=rest, limits=limits), path, name)
        assert outcome.where == (case.model.joints[joint],) and outcome.certain


def test_the_tracking_error_counts():
    case, path, certificate = safe()
    margin = certificate.margin("velocity")
    wider = case.tube.velocity + 1.01 * margin.value
    outcome = refused(replace(case, tube=replace(case.tube, velocity=wider)), path, "velocity")
    assert outcome.where == margin.where and not outcome.certain


PHI = 1.8 * np.array([1, 0, 0, 0.06, 0.006, 0, 0, 0.006, 0, 0.002])


def known(case, half):
    """Return a case without friction, tracking or link errors, and the payload PHI +- half."""
    n = case.model.n
    links = case.model.link_phi
    zeros = {
        f"{name}_{end}": np.zeros(n)
        for name in ("rotor_inertia", "coulomb", "viscous")
        for end in ("lower", "upper")
    }
    box = replace(
        case.box,
        payload_lower=PHI - half,
        payload_upper=PHI + half,
        links_lower=links.copy(),
        links_upper=links.copy(),
        stiction_velocity=0.0,
        gravity_error=0.0,
        **zeros,
    )
    return replace(case, box=box, tube=TrackingTube.exact(n))


def test_where_a_motion_falls_it_needs_less_than_a_hold_which_counts():
    _, model = gen3()
    case, path, _ = safe()
    for seed in range(300):
        path = motion(gen3()[0].home, np.random.default_rng(seed), 0.7, 1.2)
        fine = path.at(np.linspace(0.0, path.duration, 300))
        still = replace(fine, dq=0.0 * fine.dq, ddq=0.0 * fine.ddq)
        moving, held = (
            np.abs(inverse_dynamics(model, each, PHI)).max(axis=0) for each in (fine, still)
        )
        joint = int(np.argmax(held / moving))
        limit = np.full(model.n, 1e3)
        limit[joint] = (held[joint] + moving[joint]) / 2
        wide = MotionLimits(case.limits.position_lower, case.limits.position_upper,
                            np.full(model.n, 1e3), np.full(model.n, 1e3), limit)  # fmt: skip
        exact = replace(known(case, np.zeros(10)), limits=wide)
        if held[joint] > 1.1 * moving[joint] and refusal(exact, path) == "holding torque":
            break
    refused(exact, path, "holding torque")
    limit[joint] = 1.03 * held[joint]
    certificate = certify(replace(exact, limits=replace(wide, torque=limit)), path)
    assert isinstance(certificate, Certificate), certificate
    assert certificate.margin("holding torque").left < certificate.margin("torque").left


def test_a_limit_that_one_corner_of_the_box_breaks():
    """The mass enters torque and first moment: only the heaviest, farthest payload is too much."""
    _, model = gen3()
    case, path, _ = safe()
    half = np.zeros(10)
    half[[0, 3]] = 0.27, 0.008
    exact, phi = known(case, half), PHI
    corners = [
        phi + half * np.array([a, 0, 0, b, 0, 0, 0, 0, 0, 0]) for a in (-1, 1) for b in (-1, 1)
    ]
    assert all(is_physical(corner) for corner in corners)
    fine = path.at(np.linspace(0, 3, 600))
    peaks = np.array([np.abs(inverse_dynamics(model, fine, c)).max(axis=0) for c in corners])
    order = np.sort(peaks[:, 1])
    limit = case.limits.torque.copy()
    limit[1] = order[-1] - 0.02 * (order[-1] - order[-2])
    outcome = refused(replace(exact, limits=replace(case.limits, torque=limit)), path, "torque")
    assert outcome.where == ("joint_2",) and not outcome.certain
    limit[1] = 1.03 * order[-1]
    safe_limits = replace(case.limits, torque=limit)
    assert isinstance(certify(replace(exact, limits=safe_limits), path), Certificate)


def test_a_start_that_is_no_start():
    case, path, _ = safe()
    ball = ConvexBody.primitive("sphere", (0.05,), translation=(0, 0, 0.4), name="ball")
    outcome = refused(replace(case, obstacles=(ball,)), path, "obstacles")
    assert outcome.time == 0 and str(outcome).startswith("The start state is refused")
    assert "collide" in str(outcome) and outcome.certain
    lower = case.limits.position_lower.copy()
    lower[3] = -2.0
    outcome = refused(
        replace(case, limits=replace(case.limits, position_lower=lower)), path, "position"
    )
    assert outcome.time == 0 and outcome.where == ("joint_4",)


def test_impossible_cases_are_refused_by_name():
    case, path, _ = safe()
    refused(case, replace(path, duration=0.3), "velocity")  # too short
    first, *others = case.geometry.bodies
    turned = replace(case.limits, position_lower=np.full(7, 1.0), position_upper=np.full(7, -1.0))
    for change, words in (
        *(
            ({"geometry": replace(case.geometry, bodies=(*others, replace(first, joint=joint)))},
             f"joint number {joint}")
            for joint in (99, -2)
        ),
        ({"limits": turned}, "inverted"),
        ({"clearance": float("nan")}, "clearance"),
        ({"tube": TrackingTube.exact(3)}, "3 joints"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            replace(case, **change)
    with pytest.raises(InputError, match="duration"):
        certify(case, replace(path, duration=0.0))
