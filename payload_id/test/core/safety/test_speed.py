"""Speeds in space and kinetic energy: no sampled state is faster than what is proved."""

from dataclasses import replace

import numpy as np

from payload_id.core.motion.time_scaling import TimeScaled
from payload_id.core.motion.trajectory import even_edges
from payload_id.core.safety.certificate.certificate import Certificate
from payload_id.core.safety.certificate.certify import SafetyCase, certify
from payload_id.core.safety.certificate.sampled_speeds import sample_speeds
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.margins.margin import Refusal
from payload_id.core.safety.speed.speed_limits import PRESETS, SpeedLimits
from payload_id.core.safety.speed.speed_margins import SpeedCase, speed_margins, speed_use
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
        limits=limits_of(robot, robot.limits.name),
    )
    return case, robot.home


def test_sliding_and_branching_arms_are_bounded_too():
    model, geometry = branched()
    rng = np.random.default_rng(3)
    box = case_of("kinova_gen3")[0].box
    n = model.n
    limits = SpeedLimits(tool=100.0, elbow=100.0)
    case = SpeedCase(model, geometry, box, tube_of(n, 0.05, 0.2), limits)
    path = motion(np.zeros(n), rng)
    found = {m.constraint: m for m in speed_margins(case, path)}
    time = rng.uniform(0.0, path.duration, 500)
    at = path.at(time)
    q = at.q + 0.05 * np.sign(rng.normal(size=at.q.shape))
    dq = at.dq + 0.2 * np.sign(rng.normal(size=at.q.shape))
    fastest = sample_speeds(case, q, dq, rng)
    for constraint, value in fastest.items():
        assert value <= found[constraint].used * 100.0


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
    use = speed_use(case.speed_case, path.ranges(even_edges(path, 0.02)))
    assert max(part.max() for part in use.values()) > 1.0
