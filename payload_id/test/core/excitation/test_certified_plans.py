"""What the planner samples of a case agrees with what the certifier proves."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from arms import arm
from payload_id.core.excitation.search.certifier import (
    rough_clearance,
)
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.safety.certificate.certify import start_refusal
from payload_id.core.safety.certificate.safety_case import SafetyCase
from payload_id.core.safety.clearance.clearances import pose_clearance
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.files.robots.arm_geometry import robot_geometry
from payload_id.files.robots.robot_file import RobotFile
from planning_scene import HALF, HOME, LIMITS, PHI, UNSURE
from safety_scenes import obstacles


@lru_cache(maxsize=1)
def geometry():
    return robot_geometry(RobotFile.load("kinova_gen3"), arm("gen3"))


def case(*around: ConvexBody) -> SafetyCase:
    box = ParameterBox.around(arm("gen3"), (PHI - HALF, PHI + HALF), UNSURE)
    small = np.full(7, 0.01)
    tube = TrackingTube.position_controlled(small, 2 * small, 10 * small)
    return SafetyCase(arm("gen3"), geometry(), around, box, tube, LIMITS)


@lru_cache
def crowded(seed: int) -> SafetyCase:
    """Return the ground and ten obstacles at arm's reach, the start free for the whole tube."""
    rng, against = np.random.default_rng(seed), case(ConvexBody.ground(-0.02))
    while len(against.obstacles) < 11:
        body = obstacles(rng)[len(against.obstacles)]
        more = replace(against, obstacles=(*against.obstacles, body))
        against = more if start_refusal(more, MotionState.at_rest(HOME)) is None else against
    return against


def test_sampled_clearance_tells_which_poses_are_proved_clear():
    """Of poses it decides as the certifier does, tube and required distance included."""
    against = replace(crowded(4), clearance=0.01)
    q = HOME + np.random.default_rng(1).uniform(-0.8, 0.8, (40, 1, 7))
    proved = [
        isinstance(pose_clearance(against.scene, pose[0], against.tube.position, 0.01), tuple)
        for pose in q
    ]
    clear = rough_clearance(against)(q) > 0.0
    assert np.array_equal(clear, proved) and 5 < clear.sum() < 35
