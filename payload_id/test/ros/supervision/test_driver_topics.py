"""What driver and controller say on their topics, and what follows for a motion."""

from __future__ import annotations

import numpy as np
import pytest
from controller_manager_msgs.msg import ControllerState
from std_msgs.msg import Bool

from fake_controller_manager import FakeControllerManager
from harness import DEEP, LATCHED, Observer
from payload_id.core.errors import ConfigurationError
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.files.drivers.driver_facts import Condition, ResetStep
from payload_id.ros.execution.stop_reason import Reason
from payload_id.ros.supervision.claims_watch import ClaimsWatch
from payload_id.ros.supervision.condition_watch import ConditionWatch
from promises.nodes import next_domain

DOMAIN = next_domain()
JOINTS, STAMP = ("shoulder", "elbow"), 1_700_000_000_000_000_000
TUBE = TrackingTube.position_controlled(np.array([0.02, 0.03]), np.full(2, 0.1), np.ones(2))
RESET = (ResetStep("clear", "/arm/clear", "std_srvs/srv/Trigger", "{}"),)


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


def flag(topic, kind="std_msgs/msg/Bool", field="data", allowed=(0.0,)):
    return Condition("no_fault", topic, kind, field, allowed)


@pytest.mark.parametrize("profile", [DEEP, LATCHED], ids=["volatile", "latched"])
def test_a_driver_in_fault_is_heard_whoever_was_first_and_however_short_it_was(observer, profile):
    topic = f"/fault_{profile.durability.name}"
    publisher = observer.node.create_publisher(Bool, topic, profile)
    publisher.publish(Bool(data=True))
    watch = ConditionWatch(observer.node, [flag(topic)], RESET)
    if profile is DEEP:  # what was said before is lost, and that is known
        assert "nothing was heard" in watch.unwatched()[0] and not watch.doubt()
        observer.wait(lambda: publisher.get_subscription_count() == 1, "the watch")
        watch.attend()
        publisher.publish(Bool(data=True))
    refused = attended(observer, watch, watch.doubt)
    assert f"{topic} says data 1" in refused and "ros2 service call /arm/clear" in refused
    assert not watch.unwatched()
    publisher.publish(Bool(data=False))
    attended(observer, watch, lambda: not watch.doubt())
    watch.begin(STAMP, TUBE)
    assert watch.fault() is None
    for data in (True, False):
        publisher.publish(Bool(data=data))
    reason, words = attended(observer, watch, watch.fault)
    assert reason is Reason.DRIVER_FAULT and reason.is_fault and "no_fault" in words
    attended(observer, watch, lambda: not watch.doubt())
    assert watch.fault() is not None  # kept until the next motion
    watch.begin(STAMP, TUBE)
    assert watch.fault() is None


@pytest.mark.parametrize(
    ("kind", "field", "words"),
    [("std_msgs/msg/Bool", "err", "no number or flag in the field 'err'"),
     ("std_msgs/msg/Header", "stamp", "no number"), ("std_msgs/msg/Boole", "data", "has no"),
     ("std_msgs/Bool", "data", "no name of a type")],
)  # fmt: skip
def test_a_condition_that_cannot_be_read_is_refused_at_once(observer, kind, field, words):
    with pytest.raises(ConfigurationError, match=words):
        ConditionWatch(observer.node, [flag("/x", kind, field)], ())


@pytest.fixture(scope="module")
def manager():
    one = FakeControllerManager(DOMAIN)
    yield one
    one.close()


OWN = ControllerState(
    name="jtc", state="active", claimed_interfaces=[f"{x}/position" for x in JOINTS]
)
FREE = {f"{x}/{y}": True for x in JOINTS for y in ("position", "effort")}


def rival(state):
    claimed = ["elbow/effort"] if state == "active" else []
    return ControllerState(name="push", state=state, claimed_interfaces=claimed)


def test_joints_that_another_controller_commands_too_are_not_the_arms_alone(observer, manager):
    manager.has(OWN, rival("inactive"))
    manager.has_hardware({"arm": "active"}, FREE)
    watch = ClaimsWatch(observer.node, "controller_manager", "jtc", JOINTS)
    attended(observer, watch, lambda: not watch.unwatched() and watch._listed)
    watch.begin(STAMP, TUBE)
    assert not watch.doubt() and watch.fault() is None
    manager.has(OWN, rival("active"))
    reason, words = attended(observer, watch, watch.fault)
    assert reason is Reason.FOREIGN_COMMAND and "commands elbow/effort" in words
    assert "--deactivate push" in watch.doubt()
    manager.has(OWN, rival("inactive"))
    attended(observer, watch, lambda: not watch.doubt())
    behind = ControllerState(name="jtc", state="active", claimed_interfaces=["push/elbow/effort"])
    manager.has(behind, rival("active"))  # a chain: it passes on what the arm's own one says
    for _ in range(20):
        watch.attend()
        observer.executor.spin_once(timeout_sec=0.02)
    assert not watch.doubt()
    manager.has(OWN)


def test_hardware_that_takes_no_commands_is_known_before_and_in_motion(observer, manager):
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
