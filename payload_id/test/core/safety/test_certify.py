"""Certificates hold where they are sampled; every unsafe motion is refused, with its reason."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.safety.certificate.certificate import Certificate, digest_of
from payload_id.core.safety.certificate.certify import certify
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.margins.margin import CONSTRAINTS, DESIGN, Refusal
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from safety_scenes import gen3, gen3_case, motion

SPEEDS = ("tool speed", "payload speed", "elbow speed", "kinetic energy")
# Without limits of speeds, and of an arm whose tube is stated.
LIMITED = [name for name in CONSTRAINTS if name not in (*SPEEDS, *DESIGN)]


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
