"""What driver and controller say on their topics, and what follows for a motion."""

from __future__ import annotations

import numpy as np
import pytest
from controller_manager_msgs.msg import ControllerState

from fake_controller_manager import FakeControllerManager
from harness import Observer
from payload_id.core.errors import ConfigurationError
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.files.drivers.driver_facts import Condition
from payload_id.ros.execution.stop_reason import Reason
from payload_id.ros.supervision.claims_watch import ClaimsWatch
from payload_id.ros.supervision.condition_watch import ConditionWatch
from promises.nodes import next_domain

DOMAIN = next_domain()
JOINTS, STAMP = ("shoulder", "elbow"), 1_700_000_000_000_000_000
TUBE = TrackingTube.position_controlled(np.array([0.02, 0.03]), np.full(2, 0.1), np.ones(2))


@pytest.fixture(scope="module")
def observer():
    one = Observer(DOMAIN)
    yield one
    one.close()


def attended(observer, watch, found):
    """Feed a watch until it finds something; return that."""

    def look():
        watch.attend()
        return found()

    return observer.wait(look, "what the watch finds", 10.0)


@pytest.mark.parametrize(
    ("kind", "field", "words"),
    [("std_msgs/msg/Bool", "err", "no number or flag in the field 'err'"),
     ("std_msgs/msg/Header", "stamp", "no number"), ("std_msgs/msg/Boole", "data", "has no"),
     ("std_msgs/Bool", "data", "no name of a type")],
)  # fmt: skip
def test_a_condition_that_cannot_be_read_is_refused_at_once(observer, kind, field, words):
    with pytest.raises(ConfigurationError, match=words):
        ConditionWatch(observer.node, [Condition("no_fault", "/x", kind, field, (0.0,))], ())


OWN = ControllerState(
    name="jtc", state="active", claimed_interfaces=[f"{x}/position" for x in JOINTS]
)
FREE = {f"{x}/{y}": True for x in JOINTS for y in ("position", "effort")}


def test_hardware_that_takes_no_commands_is_known_before_and_in_motion(observer):
    manager = FakeControllerManager(DOMAIN)
    manager.has(OWN)
    manager.has_hardware({"arm": "active", "lamp": "inactive"}, FREE)
    watch = ClaimsWatch(observer.node, "controller_manager", "jtc", JOINTS)
    attended(observer, watch, lambda: watch._hardware and not watch.doubt() and watch._listed)
    watch.begin(STAMP, TUBE)
    manager.has_hardware({"arm": "inactive", "lamp": "inactive"}, dict.fromkeys(FREE, False))
    reason, words = attended(observer, watch, watch.fault)
    assert reason is Reason.CONTROLLER_INACTIVE and "'arm' is inactive" in words
    assert "shoulder/position" in attended(observer, watch, watch.doubt)
    watch.begin(STAMP, TUBE)
    assert watch.fault() is None
    manager.close()
