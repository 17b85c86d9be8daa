"""The simulated arm as others see it: a process of its own, real messages, bounded waits."""

from __future__ import annotations

import json
import signal
import threading
import time

import numpy as np
import pinocchio as pin
import pytest
import rclpy
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from harness import LATCHED, NodeProcess, Observer
from payload_id.core.body.inertial import TO_PINOCCHIO
from payload_id.core.errors import PayloadIdError
from payload_id.core.simulation.skeleton import nominal_arm
from payload_id.files.robots.robot_file import RobotFile
from payload_id.ros.simulated_arm.node import SimulatedArmNode
from payload_id.ros.simulated_arm.pacing import Pace
from promises.nodes import next_domain

pytestmark = pytest.mark.slow  # nodes in real time

DOMAIN = next_domain()
PAYLOAD = [1.5, 0.0, 0.03, 0.12, 0.012, 0.0, 0.0, 0.011, -0.002, 0.003]
RATE = 200.0  # [Hz]
ROBOT = RobotFile.load("kinova_gen3")


class ArmObserver(Observer):
    """A node that listens to the arm and commands it."""

    def __init__(self) -> None:
        """Subscribe."""
        super().__init__(DOMAIN)
        self.states: list[JointState] = self.listen(JointState, ROBOT.joint_states.topic)
        self.described = self.listen(String, "/robot_description", LATCHED)
        self.truths = self.listen(String, "/simulated_arm/truth", LATCHED)
        self.command = self.node.create_publisher(
            JointTrajectory, ROBOT.command.trajectory_topic, QoSProfile(depth=1)
        )

    def truth(self) -> dict:
        """Return what an estimator should find."""
        self.wait(lambda: self.truths, "the truth")
        return json.loads(self.truths[-1].data)

    def next_states(self, count: int) -> list[JointState]:
        """Return the next joint states."""
        self.states.clear()
        self.wait(lambda: len(self.states) >= count, f"{count} joint states")
        return self.states[:count]

    def send(self, *points: JointTrajectoryPoint, names: tuple[str, ...] = ROBOT.joints) -> None:
        """Publish a trajectory."""
        self.wait(lambda: self.command.get_subscription_count() > 0, "the arm's subscription")
        self.command.publish(JointTrajectory(joint_names=list(names), points=list(points)))


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    """Run the node; at the end it must leave cleanly."""
    process = NodeProcess(
        "simulated_arm",
        DOMAIN,
        tmp_path_factory.mktemp("simulated_arm") / "log",
        payload=PAYLOAD,
        rate=RATE,
        real_time_factor=4.0,
        link_relative=0.05,
        seed=3,
    )
    yield process
    assert process.stop(signal.SIGTERM) == 0, process.printed
    assert "Traceback" not in process.printed


@pytest.fixture(scope="module")
def observer(arm):
    """Listen to the running node."""
    listener = ArmObserver()
    listener.wait(lambda: bool(listener.states), "joint states")
    yield listener
    listener.close()


def test_joint_states_have_names_and_exact_spacing(observer):
    """Stamps are simulated time: equally spaced."""
    states = observer.next_states(200)
    assert states[0].name == list(ROBOT.joints)
    stamps = [state.header.stamp.sec * 10**9 + state.header.stamp.nanosec for state in states]
    steps = np.diff(stamps) * RATE / 1e9  # more than one where a busy machine has lost some
    assert steps.min() > 0.5
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-6)


def test_effort_is_the_torque_in_the_drivers_convention(observer):
    """At rest sign * effort - offset carries the true arm and its payload against gravity."""
    truth = observer.truth()
    state = observer.next_states(1)[0]
    nominal = nominal_arm(ROBOT.urdf, ROBOT.joints, ROBOT.payload_frame, ROBOT.gravity)
    model = nominal.pinocchio.copy()
    bodies = [
        pin.Inertia.FromDynamicParameters(np.array(phi)[TO_PINOCCHIO]) for phi in truth["link_phi"]
    ]
    for joint_id, k in enumerate(nominal.order, start=1):
        model.inertias[joint_id] = bodies[k]
    payload = pin.Inertia.FromDynamicParameters(np.array(PAYLOAD)[TO_PINOCCHIO])
    placement = pin.SE3(nominal.payload_rotation, nominal.payload_translation)
    model.inertias[7] += placement.act(payload)
    gravity = pin.computeGeneralizedGravity(model, model.createData(), np.array(state.position))
    np.testing.assert_allclose(ROBOT.effort.torque(np.array(state.effort)), gravity, atol=1e-3)


def test_another_payload_is_carried_as_soon_as_it_is_set(observer):
    """The effort that holds the arm is that of the new payload; impossible ones are refused."""

    def set_payload(phi):
        value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE_ARRAY, double_array_value=phi)
        parameters = [ParameterMessage(name="payload", value=value)]
        answer = observer.call(
            SetParameters, "/simulated_arm/set_parameters", parameters=parameters
        )
        return answer.results[0]

    def torque():
        return ROBOT.effort.torque(np.array(observer.next_states(1)[0].effort))

    before = torque()
    for wrong in ([-1.0, *[0.0] * 9], [1.0, 2.0]):
        refused = set_payload(wrong)
        assert not refused.successful and refused.reason
    assert set_payload([0.0] * 10).successful
    try:
        moved = lambda: not np.allclose(torque(), before, atol=1.0)  # noqa: E731
        observer.wait(moved, "less torque")
        observer.wait(lambda: observer.truth()["payload_phi"] == [0.0] * 10, "the truth")
    finally:
        assert set_payload(PAYLOAD).successful
    observer.wait(lambda: np.allclose(torque(), before, atol=1e-3), "the same torque again")


def test_a_simulation_that_was_held_up_catches_up_little_by_little():
    """Its time never runs much faster than that of whoever commands it."""
    warnings, never = [], threading.Event()
    pace = Pace(0.004, warnings.append)
    time.sleep(0.3)
    begin = time.monotonic()
    for count in range(50):
        pace.wait_for(count, never)
    assert time.monotonic() - begin > 49 * 0.8 * 0.004
    assert warnings and "behind the wall clock" in warnings[0]
    pace.wait_for(200, never)
    assert time.monotonic() - begin > 200 * 0.004 - 0.3 - 0.01  # and in the end it is on time


def test_impossible_parameters_are_refused():
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=DOMAIN)
    try:
        for name, value, words in (
            ("payload", [1.0, 9.0] + [0.0] * 8, "belong to no body"),
            ("payload", "heavy", "a list of 10 numbers"),
            ("rate", 5000.0, "upper bound of 1000"),
            ("drive", "gen4_like", "gen3_like"),
        ):
            with pytest.raises(PayloadIdError, match=words):
                SimulatedArmNode(
                    context=context, parameter_overrides=[Parameter(name, value=value)]
                )
    finally:
        rclpy.shutdown(context=context)


def test_a_simulation_that_fails_ends_the_node(monkeypatch):
    """Whoever spins the node gets to know what has ended the simulation."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=DOMAIN)
    node = SimulatedArmNode(context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)

    def fail(time: float) -> None:
        raise PayloadIdError("The arm has come apart.")

    monkeypatch.setattr(node.hardware.plant, "step_to", fail)
    node.start()
    try:
        with pytest.raises(PayloadIdError, match="come apart"):
            for _ in range(200):
                executor.spin_once(timeout_sec=0.1)
    finally:
        node.close()
        executor.shutdown()
        node.destroy_node()
        rclpy.shutdown(context=context)
