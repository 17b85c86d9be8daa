"""The simulated arm as the robot of real controllers: commands come and states go by topics."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from harness import LATCHED, NodeProcess, Observer
from payload_id.files.robots.robot_file import RobotFile
from payload_id.ros.common.conversions import time_message
from payload_id.ros.simulated_arm.real_controllers import parameters
from promises.nodes import next_domain

DOMAIN = next_domain()
ROBOT = RobotFile.load("kinova_gen3")
NAMES, N = list(ROBOT.joints), len(ROBOT.joints)
PERIOD = 0.01  # [s] between two commands
NOTHING = [float("nan")] * N


def test_parameters_are_those_of_the_robot_file(capsys):
    assert parameters.main(["xarm7", "150", "/right"]) == 0
    found = json.loads(Path(capsys.readouterr().out).read_text())
    manager, controller = found.values()
    assert list(found) == ["/right/controller_manager", "/right/xarm7_traj_controller"]
    assert manager["ros__parameters"]["update_rate"] == 150
    assert controller["ros__parameters"]["joints"] == list(RobotFile.load("xarm7").joints)
    assert controller["ros__parameters"]["command_interfaces"] == ["position", "velocity"]


class Controllers(Observer):
    """Sends commands as real controllers' hardware does, and hears of the arm."""

    def __init__(self) -> None:
        super().__init__(DOMAIN)
        self.states: list[JointState] = self.listen(JointState, "/robot_joint_states")
        self.elsewhere = self.listen(JointState, ROBOT.joint_states.topic)
        self.described = self.listen(String, "/robot_description", LATCHED)
        self.commands = self.publisher(JointState, "/robot_joint_commands")

    def command(
        self,
        q: np.ndarray | list[float],
        dq: np.ndarray | list[float],
        names: list[str] = NAMES,
        at_ns: int | None = None,
    ) -> None:
        """Send a command, of now or of another time."""
        now = time_message(at_ns or self.node.get_clock().now().nanoseconds)
        message = JointState(name=names, position=list(map(float, q)), velocity=list(dq))
        message.header.stamp = now
        self.commands.publish(message)

    def newest(self) -> JointState:
        """Return the next joint state."""
        self.states.clear()
        self.wait(lambda: self.states, "joint states")
        return self.states[-1]

    def move(self, amplitude: float, seconds: float, with_velocity: bool) -> float:
        """Swing all joints there and back; return the usual error of the arm [rad].

        Not the largest: a busy machine may stop whoever sends or hears for a moment.
        """
        start, errors = time.monotonic(), []
        while (t := time.monotonic() - start) < seconds:
            phase = 2.0 * np.pi * t / seconds
            q = ROBOT.home + 0.5 * amplitude * (1.0 - np.cos(phase))
            speed = 0.5 * amplitude * 2.0 * np.pi / seconds * np.sin(phase)
            self.command(q, [speed] * N if with_velocity else NOTHING)
            end = start + PERIOD * (int(t / PERIOD) + 1)
            while time.monotonic() < end:
                self.executor.spin_once(timeout_sec=max(0.0, end - time.monotonic()))
            errors.append(np.abs(self.states[-1].position - q).max())
        self.command(ROBOT.home, [0.0] * N)
        return float(np.median(errors))


@pytest.fixture(scope="module")
def arm(tmp_path_factory) -> Iterator[NodeProcess]:
    log = tmp_path_factory.mktemp("arm") / "arm.log"
    options = {"rate": 200.0, "controllers": "real", "physics_step": 0.001}
    process = NodeProcess("simulated_arm", DOMAIN, log, **options)
    yield process
    assert process.stop() == 0
    assert "Traceback" not in process.printed


@pytest.fixture(scope="module")
def controllers(arm) -> Iterator[Controllers]:
    found = Controllers()
    yield found
    found.close()


@pytest.mark.slow
def test_its_description_tells_a_controller_manager_of_its_topics(controllers):
    controllers.wait(lambda: controllers.described, "the description")
    (system,) = ElementTree.fromstring(controllers.described[-1].data).iter("ros2_control")
    named = {x.get("name"): x.text for x in system.find("hardware").iter("param")}
    assert named["joint_commands_topic"] == "/robot_joint_commands"
    assert [x.get("name") for x in system.iter("joint")] == NAMES
    assert {x.get("name") for x in system.iter("command_interface")} == {"position", "velocity"}


@pytest.mark.slow
@pytest.mark.parametrize("with_velocity", [True, False], ids=["velocities", "positions alone"])
def test_it_goes_where_it_is_commanded(controllers, with_velocity):
    controllers.newest()
    amplitude, seconds = 0.3, 3.0
    fastest = np.pi * amplitude / seconds
    assert controllers.move(amplitude, seconds, with_velocity) < fastest * 5 * PERIOD
    reached = np.array([x.position for x in controllers.states]) - ROBOT.home
    assert reached.max() == pytest.approx(amplitude, abs=0.01) and reached.min() > -0.01
    assert not controllers.elsewhere  # joint states are the broadcaster's


@pytest.mark.slow
def test_it_comes_to_rest_where_commands_cease_in_motion(controllers):
    controllers.newest()
    begin_ns, count = controllers.node.get_clock().now().nanoseconds, 60
    for k in range(count):
        at_ns = (
            begin_ns + round(1e9 * PERIOD) * k
        )  # the drives go on for some periods of the stamps
        controllers.command(ROBOT.home + 0.3 * PERIOD * k, [0.3] * N, at_ns=at_ns)
        time.sleep(PERIOD)
    told = ROBOT.home + 0.3 * PERIOD * (count - 1)

    def arrived() -> bool:
        """Tell whether the arm rests where it was told to be; states may still be of before."""
        state = controllers.newest()
        near = np.abs(np.array(state.position) - told).max() < 0.1  # of 0.18; one may be lost
        return bool(near and np.abs(state.velocity).max() < 1e-3)

    controllers.wait(arrived, "an arm at rest where it was told to be")


@pytest.mark.slow
def test_what_is_no_command_does_not_move_it(arm, controllers):
    before = np.array(controllers.newest().position)
    controllers.command(before + 1.0, [0.0] * N, [*NAMES[:-1], "elbow"])
    controllers.wait(lambda: "elbow" in arm.printed, "a warning")
    for q, dq in ((NOTHING, NOTHING), (before[:-1] + 1.0, [0.0] * N), (before + 1.0, [0.0])):
        controllers.command(q, dq)
        time.sleep(0.1)
    assert np.abs(np.array(controllers.newest().position) - before).max() < 1e-3
