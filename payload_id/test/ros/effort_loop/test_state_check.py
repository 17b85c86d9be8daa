"""What one arm can do from one joint state to the next."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.files.robots.robot_file import RobotFile
from payload_id.ros.effort_loop.state_check import HELD_UP, StampedState, StateCheck

ROBOT = RobotFile.load("kinova_gen3")
CHECK = StateCheck.of(ROBOT)
BEFORE = StampedState(10**18, np.full(7, 0.5), np.zeros(7), 10.0)


def seen(by_stamp=0.01, came=0.01, off=0.0, joint=1):
    q = BEFORE.q + off * (np.arange(7) == joint)
    return StampedState(BEFORE.stamp + round(1e9 * by_stamp), q, BEFORE.dq, BEFORE.now + came)


@pytest.mark.parametrize(
    ("state", "follows"),
    [
        (seen(), True),
        (seen(0.0), False),  # once more, or an old one
        (seen(-1.0), False),
        (seen(0.01, 0.3), True),  # simulated time is slow
        (seen(0.04, 0.0), True),  # one that was held up came with the one before
        (seen(HELD_UP + 0.02, 0.01), False),  # its clock has leapt, or it is another's
        (seen(off=0.05), True),
        (seen(off=0.5), False),
        (seen(0.3, 0.3, off=0.5), True),  # after a gap it may have gone there
        (seen(off=2 * np.pi, joint=0), True),  # an endless joint, whole turns apart
        (seen(off=2 * np.pi), False),
    ],
)
def test_only_what_one_arm_can_do_goes_on_from_the_state_before(state, follows):
    assert CHECK.follows(BEFORE, state) is follows
