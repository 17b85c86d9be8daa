"""What a controller manager says of the arm's controller, and what follows."""

from __future__ import annotations

import pytest
from controller_manager_msgs.msg import ControllerState

from fake_controller_manager import FakeControllerManager
from harness import Observer
from payload_id.ros.execution.controller_watch import ControllerWatch
from payload_id.ros.execution.start_check import NotReadyError
from promises.nodes import next_domain

JOINTS = ("shoulder", "elbow")
TOPIC, MANAGER = "/left/jtc/joint_trajectory", "/left/controller_manager"
COMMANDS = [f"{joint}/position" for joint in JOINTS]


def controller(name="jtc", state="active", claimed=None):
    """Return a controller that needs all joints' positions and claims them while it is active."""
    claimed = (COMMANDS if state == "active" else []) if claimed is None else claimed
    return ControllerState(
        name=name, state=state, claimed_interfaces=claimed, required_command_interfaces=COMMANDS
    )


class Asker:
    """A watch, and whoever waits for what it says."""

    def __init__(self, domain: int) -> None:
        self.observer = Observer(domain)
        self.watch = ControllerWatch(self.observer.node, "/left/controller_manager", TOPIC, JOINTS)
        self.observer.node.create_timer(0.05, self.watch.look)

    def refusals(self, number: int, watch: ControllerWatch | None = None) -> list[str]:
        """Ask several times at once; return why no motion may begin, empty if one may."""

        async def ask() -> str:
            try:
                await (watch or self.watch).check()
            except NotReadyError as error:
                return str(error)
            return ""

        tasks = [self.observer.executor.create_task(ask) for _ in range(number)]
        self.observer.wait(lambda: all(task.done() for task in tasks), "a judgement", 5.0)
        return [str(task.result()) for task in tasks]

    def refusal(self, watch: ControllerWatch | None = None) -> str:
        """Return why no motion may begin; empty if one may."""
        return self.refusals(1, watch)[0]


@pytest.fixture(scope="module")
def domain():
    return next_domain()


@pytest.fixture(scope="module")
def manager(domain):
    manager = FakeControllerManager(domain, MANAGER)
    yield manager
    manager.close()


@pytest.fixture(scope="module")
def asker(domain, manager):
    asker = Asker(domain)
    asker.observer.wait(lambda: asker.watch.is_managed, "the controller manager")
    yield asker
    asker.observer.close()


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
        ["is unconfigured", "set_controller_state jtc inactive", "--activate jtc"],
    ),
    "finalized": (
        [controller(state="finalized")],
        ["is finalized", "unload_controller jtc", "load_controller jtc --set-state active"],
    ),
    "absent": (
        [controller("joint_state_broadcaster", claimed=[])],
        ["is not loaded", "load_controller jtc --set-state active", "trajectory_topic"],
    ),
    "a joint is not moved": (
        [controller(claimed=["shoulder/position", "shoulder/velocity"])],
        ["claims no command of elbow", "claimed are shoulder/position", "every joint"],
    ),
    "active": ([controller("other", "inactive"), controller()], []),
    "active before another controller": (
        [controller(claimed=[f"admittance/{name}" for name in COMMANDS])], []
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_only_an_active_controller_of_all_joints_may_be_sent_a_motion(manager, asker, case):
    controllers, words = CASES[case]
    manager.has(*controllers)
    found = asker.refusal()
    assert all(part in found for part in words) and bool(found) == bool(words), found


def test_without_a_controller_manager_nothing_is_refused_but_that_is_said(asker):
    watch = ControllerWatch(asker.observer.node, "/right/controller_manager", TOPIC, JOINTS)
    assert asker.refusal(watch) == "" and watch.doubt() == "" and watch.fault() == ""
    assert "no controller manager" in watch.words()
    assert "no controller manager /right/controller_manager" in watch.absence()
    assert asker.watch.absence() == ""
