"""What a certificate says it rests on, and how limits are used; impossible cases are refused."""

from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.safety.certificate.certify import certify
from payload_id.core.safety.certificate.limit_use import limit_use
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.margins.margin import CLEARANCES
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from safety_scenes import gen3, gen3_case, motion


def scene():
    """Return a case and a motion that is safe in it."""
    path = motion(gen3()[0].home, np.random.default_rng(0))
    return gen3_case((ConvexBody.ground(-0.05),)), path


def test_a_certificate_says_what_it_rests_on():
    case, path = scene()
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


def test_use_of_limits_over_time_is_what_the_certificate_says():
    case, path = scene()
    certificate, use = certify(case, path), limit_use(case, path)
    for name, used in use.joints.items():
        margin = certificate.margin(name)
        if margin is None:
            assert np.isnan(used).all()
            continue
        assert np.nanmax(used) == pytest.approx(margin.used, abs=0.06 if name == "torque" else 1e-9)
    assert set(use.clearance) == {m.constraint for m in certificate.margins} & {*CLEARANCES}
    for group, left in use.clearance.items():
        # Instants leave at least what is proved for all times.
        assert left.min() >= certificate.margin(group).value - 1e-6
        assert left.min() <= certificate.margin(group).value + 0.02


def test_impossible_cases_are_refused_by_name():
    case, path = scene()
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
