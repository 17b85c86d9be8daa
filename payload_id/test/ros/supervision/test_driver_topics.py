"""What driver and controller manager say on their topics, and what it means for a motion."""

from __future__ import annotations

import pytest
from controller_manager_msgs.msg import ControllerState

from fake_controller_manager import FakeControllerManager
from harness import Observer
from payload_id.core.errors import ConfigurationError
from payload_id.files.drivers.driver_facts import Condition
from payload_id.ros.supervision.controller_manager import ManagerListener
from payload_id.ros.supervision.driver_conditions import DriverConditions
from promises.nodes import next_domain

DOMAIN = next_domain()
JOINTS = ("shoulder", "elbow")
TOPIC, MANAGER = "/left/jtc/joint_trajectory", "/left/controller_manager"
COMMANDS = [f"{joint}/position" for joint in JOINTS]
FREE = {f"{x}/{y}": True for x in JOINTS for y in ("position", "effort")}


@pytest.fixture(scope="module")
def observer():
    one = Observer(DOMAIN)
    yield one
    one.close()


@pytest.mark.parametrize(
    ("kind", "field", "words"),
    [("std_msgs/msg/Bool", "err", "no number or flag in the field 'err'"),
     ("std_msgs/msg/Header", "stamp", "no number"), ("std_msgs/msg/Boole", "data", "has no"),
     ("std_msgs/Bool", "data", "no name of a type")],
)  # fmt: skip
def test_a_condition_that_cannot_be_read_is_refused_at_once(observer, kind, field, words):
    with pytest.raises(ConfigurationError, match=words):
        DriverConditions(
            observer.node,
            {"no_fault": Condition(topic="/x", type=kind, field=field, allowed=(0.0,))},
            (),
        )


def controller(name="jtc", state="active", claimed=None):
    """Return a controller that needs all joints' positions and claims them while it is active."""
    claimed = (COMMANDS if state == "active" else []) if claimed is None else claimed
    return ControllerState(
        name=name, state=state, claimed_interfaces=claimed, required_command_interfaces=COMMANDS
    )


@pytest.fixture(scope="module")
def manager():
    manager = FakeControllerManager(DOMAIN, MANAGER)
    manager.has_hardware({"arm": "active", "lamp": "inactive"}, FREE)
    yield manager
    manager.close()


@pytest.fixture(scope="module")
def listener(observer, manager):
    found = ManagerListener(observer.node, "/left/controller_manager", TOPIC, JOINTS)
    observer.wait(lambda: found.is_there, "the controller manager")
    return found


def said(observer, listener, is_so=lambda found: found.is_current):
    """Ask, and return what is said of now."""
    listener.ask()

    def found():
        now = listener.look()
        return now if is_so(now) else None

    return observer.wait(found, "what the manager says", 10.0)


CASES = {
    "inactive": (
        [controller(state="inactive"), controller("other", "inactive")],
        ["'jtc' is inactive", "only an active", "switch_controllers --activate jtc -c " + MANAGER],
    ),
    "another one has the arm": (
        [controller(state="inactive"), controller("twist")],
        ["switch_controllers --deactivate twist --activate jtc"],
    ),
    "unconfigured": (
        [controller(state="unconfigured")],
        ["is unconfigured", "unload_controller jtc", "load_controller jtc --set-state active"],
    ),
    "finalized": (
        [controller(state="finalized")],
        ["is finalized", "unload_controller jtc", "load_controller jtc --set-state active"],
    ),
    "absent": (
        [controller("joint_state_broadcaster", claimed=[])],
        ["is not loaded", "load_controller jtc --set-state active", "trajectory_topic"],
    ),
    "active": ([controller("other", "inactive"), controller()], []),
    "active before another controller": (
        [controller(claimed=[f"admittance/{name}" for name in COMMANDS])], []
    ),
}  # fmt: skip


def test_only_an_active_controller_of_all_joints_may_be_sent_a_motion(observer, manager, listener):
    for name, (controllers, words) in CASES.items():
        manager.has(*controllers)
        found = said(observer, listener).inactive
        assert all(part in found for part in words) and bool(found) == bool(words), (name, found)


def test_another_controller_of_the_joints_is_named_and_hardware_that_takes_no_commands(
    observer, manager, listener
):
    manager.has(controller(), controller("twist", claimed=COMMANDS[:1]))
    found = said(observer, listener, lambda now: now.rival)
    assert "'twist' is active and commands shoulder/position" in found.rival
    assert "--deactivate twist" in found.rival
    manager.has(controller())
    said(observer, listener, lambda now: now.is_current and not now.rival)
    manager.has_hardware({"arm": "inactive", "lamp": "inactive"}, dict.fromkeys(FREE, False))
    found = said(observer, listener, lambda now: now.deaf)
    assert "'arm' is inactive" in found.deaf or "shoulder/position" in found.deaf
    manager.has_hardware({"arm": "active", "lamp": "inactive"}, FREE)


def test_without_a_controller_manager_nothing_is_wrong_but_that_is_said(observer, listener):
    nobody = ManagerListener(observer.node, "/right/controller_manager", TOPIC, JOINTS)
    nobody.ask()
    found = nobody.look()
    assert found.is_current and not (found.inactive or found.rival or found.deaf)
    assert "no controller manager" in nobody.words()
    assert "no controller manager /right/controller_manager" in nobody.absence()
    assert listener.absence() == ""
