"""Speeds in space and kinetic energy: no sampled state is faster than what is proved."""

import itertools
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np

from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.motion.time_scaling import TimeScaled
from payload_id.core.motion.trajectory import MotionRanges, even_edges
from payload_id.core.safety.certificate.certificate import Certificate
from payload_id.core.safety.certificate.certify import certify
from payload_id.core.safety.certificate.safety_case import SafetyCase
from payload_id.core.safety.certificate.sampled_speeds import sample_speeds
from payload_id.core.safety.clearance.arm_geometry import LinkBody
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.margins.margin import Refusal
from payload_id.core.safety.margins.subdivision import LimitBound, Slices
from payload_id.core.safety.speed.speed_bounds import speed_bounds
from payload_id.core.safety.speed.speed_limits import PRESETS, SpeedLimits
from payload_id.core.safety.speed.speed_margins import speed_needs, speed_use
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.files.robots.arm_geometry import robot_geometry
from safety_scenes import arm_named, branched, limits_of, motion, payload_box


def tube_of(n, position=0.02, velocity=0.1):
    """Return a stated tube."""
    return TrackingTube.position_controlled(np.full(n, position), np.full(n, velocity), np.ones(n))


def case_of(name):
    """Return an arm with a dumbbell, and its home."""
    robot, model = arm_named(name)
    dumbbell = ConvexBody.primitive("sphere", (0.08,), translation=(0.0, 0.0, 0.08))
    case = SafetyCase(
        model=model,
        geometry=robot_geometry(robot, model, [dumbbell]),
        obstacles=(),
        box=payload_box(robot, model),
        tube=tube_of(model.n),
        limits=limits_of(robot, robot.limits_used),
    )
    return case, robot.home


def test_sliding_and_branching_arms_are_bounded_too():
    model, geometry = branched()
    rng = np.random.default_rng(3)
    box = case_of("kinova_gen3")[0].box
    n = model.n
    limits = SpeedLimits(tool=100.0, elbow=100.0)
    case = SimpleNamespace(model=model, geometry=geometry, box=box, tube=tube_of(n, 0.05, 0.2),
                           speeds=limits)  # fmt: skip
    path = motion(np.zeros(n), rng)
    bound = LimitBound(partial(speed_needs, case), path)
    bound.margins(Slices.between(even_edges(path, 0.02)))
    time = rng.uniform(0.0, path.duration, 500)
    at = path.at(time)
    q = at.q + 0.05 * np.sign(rng.normal(size=at.q.shape))
    dq = at.dq + 0.2 * np.sign(rng.normal(size=at.q.shape))
    fastest = sample_speeds(case, q, dq, rng)
    for constraint, value in fastest.items():
        assert value <= bound.smallest[constraint].used * 100.0


def test_what_is_too_fast_is_refused_and_slower_along_the_same_path_is_certified():
    case, home = case_of("kinova_gen3")
    case = replace(case, speeds=PRESETS["collaborative"], tube=tube_of(7, 0.005, 0.02))
    path = motion(home, np.random.default_rng(1))
    outcome = certify(case, path)
    assert isinstance(outcome, Refusal) and outcome.constraint.endswith("speed")
    assert "Move slower" in outcome.sentence
    slow = certify(case, TimeScaled(path, 0.15))
    assert isinstance(slow, Certificate), slow
    assert slow.margin("payload speed").used < 1.0
    assert slow.margin("kinetic energy") is None
    use = speed_use(case, path.ranges(even_edges(path, 0.02)))
    assert max(part.max() for part in use.values()) > 1.0


def test_what_both_errors_add_to_a_folded_arm_counts():
    """Its tip stands at the first axis, and moves by what either joint is off."""
    link = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
    link += 'ixz="0" iyz="0"/></inertial></link>'
    joint = '<joint name="j{0}" type="continuous"><parent link="l{0}"/><child link="l{1}"/>'
    joint += '<origin xyz="{0} 0 0"/><axis xyz="0 0 1"/></joint>'
    text = f"<robot name='r'>{''.join(map(link.format, ('l0', 'l1', 'l2')))}"
    text += f"{joint.format(0, 1)}{joint.format(1, 2)}</robot>"
    model, error = ArmModel.from_xml(text, "l2"), 0.1
    tip = ConvexBody.primitive("sphere", (1e-6,), translation=(1.0, 0.0, 0.0))
    still, q, dq = np.zeros((1, 2)), np.array([[0.0, np.pi]]), np.array([[1.0, 0.0]])
    ranges = MotionRanges(np.array([0.0, 1.0]), q, q, dq, dq, still, still)
    (bound,) = speed_bounds(
        model, (LinkBody("l2", 1, tip),), ranges, tube_of(2, error, error)
    ).total
    fastest = 0.0
    for signs in itertools.product((-1, 1), repeat=3):
        off, *rate = error * np.array(signs)
        at, turns = np.array([1.0 + np.cos(np.pi + off), np.sin(np.pi + off)]), dq[0] + rate
        speed = turns[0] * at + turns[1] * (at - [1.0, 0.0])
        fastest = max(fastest, float(np.linalg.norm(speed)))
    assert fastest <= bound[0] < 2.0 * fastest
