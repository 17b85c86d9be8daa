"""What joint states say of joints that the arm does not move, against the certificates."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.files.robots.passive_joints import PassivePlace
from payload_id.ros.execution.passive_joint_watch import PassiveJointWatch

KNUCKLE = PassivePlace("knuckle", 0.4, 0.02, "rad")
FOLLOWER = PassivePlace("tip", -0.4, 0.02, "rad", follows="knuckle")
TURNTABLE = PassivePlace("table", 3.13, 0.02, "rad", endless=True)
BOLTED = PassivePlace("lift", 0.1, 0.0, "m", unreported="it is bolted")


@pytest.fixture
def watch():
    return PassiveJointWatch((KNUCKLE, FOLLOWER, BOLTED), 0.5)


def test_what_was_never_heard_is_doubted_and_what_no_driver_reports_is_not(watch):
    assert "knuckle" in watch.doubt(0.0) and "never heard" in watch.doubt(0.0)
    watch.see(("knuckle",), (0.41,), 1.0)
    assert watch.doubt(1.5) == ""
    assert "last heard 0.51 s ago" in watch.doubt(1.51)
    assert PassiveJointWatch((BOLTED,), 0.5).doubt(99.0) == ""


def test_in_motion_every_message_counts(watch):
    watch.see(("knuckle",), (0.4,), 1.0)
    assert watch.doubt(1.0) == ""
    watch.see(("knuckle",), (0.43,), 1.1)
    watch.see(("knuckle",), (0.4,), 1.2)
    assert "0.43" in watch.look(1.2)


def test_a_follower_need_not_be_reported_but_is_watched_if_it_is(watch):
    watch.see(("knuckle",), (0.4,), 1.0)
    assert watch.doubt(1.0) == ""
    watch.see(("tip",), (-0.3,), 1.0)
    assert "tip" in watch.doubt(1.0)


def test_whole_turns_of_an_endless_joint_do_not_count():
    watch = PassiveJointWatch((TURNTABLE,), 0.5)
    for position in (3.14, -3.14, 3.13 + 4 * np.pi):
        watch.see(("table",), (position,), 1.0)
        assert watch.look(1.0) == ""
    watch.see(("table",), (-3.10,), 1.0)
    assert "table" in watch.look(1.0)


@pytest.mark.parametrize(
    "message", [(("knuckle",), (float("nan"),)), (("knuckle",), ()), (("other",), (0.4,))]
)
def test_a_message_without_a_position_is_not_heard(watch, message):
    watch.see(*message, 1.0)
    assert "never heard" in watch.doubt(1.0)
