"""A node that is, for others, a ros2_control robot: a simulated arm with a payload.

Joint states come from a joint_state_broadcaster, motion goes through a joint_trajectory_controller,
and a controller manager switches them, all as the real ones do; the loop of this node is theirs.
With real controllers of ros2_control this node is their robot instead.
Its payload may be set at any time. What it publishes as effort is what the robot file says that the
driver publishes, so that  sign * effort - offset  is the measured joint torque.
"""

from __future__ import annotations

import json
import sys
import threading
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from geometry_msgs.msg import Wrench, WrenchStamped
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from ...core.arrays import Array
from ...core.body.inertial import as_phi
from ...core.errors import InputError
from ...core.motion.joint_trajectory import JointTrajectory
from ...core.simulation.plant_model import principal_inertia
from ...files.robots.robot_file import RobotFile
from ..common.conversions import stamp_of, time_message, vector
from ..common.error_sentence import CannotGoOnError, error_sentence
from ..common.joint_trajectory_message import trajectory_from_message
from ..common.main_loop import run
from ..common.parameters import (
    check_changes,
    current_values,
    declare_parameters,
    read_parameters,
)
from ..common.steady_timer import steady_timer
from ..common.topics import JOINT_STATES, LATCHED
from .controllers.controller import Cycle
from .hardware import Hardware, Reading
from .pacing import Pace
from .real_controllers.description import STATES, behind_topics
from .real_controllers.joint_commands import JointCommands
from .robot import SimulatedControllers
from .servers.fault_server import FaultServer
from .setup import PARAMETER_TABLE, REAL, push_of

# As the real broadcaster's, but deeper: joint states wait for a slow reader.
BROADCAST = QoSProfile(
    depth=2000,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
LOOK = 0.1  # [s] between two looks whether the simulation has failed, or is to end in a pause


class SimulatedArmNode(Node):
    """The simulated arm; it moves in a thread of its own from `start` to `close`.

    Attributes:
        robot: The robot file.
        hardware: The arm, touched by the thread only once it has started.
        failure: What ended the simulation, if anything did.
    """

    def __init__(self, **options: Any) -> None:
        """Read the parameters and build the arm.

        Args:
            options: Arguments of rclpy's Node, such as parameter_overrides.

        Raises:
            PayloadIdError: A parameter or a file cannot be used.
        """
        # Undeclared parameters come in as well, so that misspelt ones are noticed.
        options = {"automatically_declare_parameters_from_overrides": True} | options
        super().__init__("simulated_arm", **options)
        declare_parameters(self, PARAMETER_TABLE)
        values = read_parameters(self, PARAMETER_TABLE)
        if 0.0 < values["rate"] < 1.0:  # a step of so long could not be interrupted
            raise InputError(
                f"rate must be at least 1 Hz, or 0 for the robot file's; found {values['rate']!r}."
            )
        self.robot = RobotFile.load(values["robot_file"])
        self._period = 1.0 / (values["rate"] or self.robot.joint_states.rate)
        self.hardware = Hardware(self.robot, values, self._period)
        self.failure: Exception | None = None
        self._going = threading.Event()  # simulated time goes on
        self._factor = values["real_time_factor"]
        self._take_up(values)
        self._lock = threading.Lock()  # of the controllers
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="simulation", daemon=True)
        self._real = values["controllers"] == REAL
        self._joint_states = self.create_publisher(
            JointState, STATES if self._real else JOINT_STATES, BROADCAST
        )
        self._message = JointState(name=list(self.robot.joints))
        self._wrenches = (
            self.create_publisher(WrenchStamped, self.robot.wrench_topic, BROADCAST)
            if self.robot.wrench_topic
            else None
        )
        self._clock_publisher = (
            self.create_publisher(Clock, "/clock", 1) if values["publish_clock"] else None
        )
        self._truth = self.create_publisher(String, "~/truth", LATCHED)
        self._publish_truth(self.hardware.plant.payload_phi)
        self._describe()
        self._controllers: SimulatedControllers | JointCommands
        if self._real:
            self._controllers = JointCommands(
                self, self.robot, self.hardware.write, lambda: self.hardware.plant.time, self._lock
            )
        else:
            self._controllers = SimulatedControllers(
                self, self.robot, self.hardware, self._period, self._lock, self._read, self._stamp
            )
        self._faults = FaultServer(
            self,
            self.robot.driver.within(self.get_namespace().rstrip("/")),
            lambda: self.hardware.fault,
            lambda: self.set_parameters([RosParameter("fault", value=False)]),
        )
        check_changes(self, PARAMETER_TABLE, self._checked)
        self.add_post_set_parameters_callback(self._on_set)
        self._start_stamp = self.get_clock().now().nanoseconds
        steady_timer(self, LOOK, self._on_check_due)

    def start(self) -> None:
        """Begin to move; simulated time begins now."""
        self._start_stamp = self.get_clock().now().nanoseconds
        self._thread.start()
        plant = self.hardware.plant
        self.get_logger().info(
            f"Simulating '{self.robot.name}' with {plant.n} joints and a payload of "
            f"{plant.payload_phi[0]:g} kg; joint states at {1.0 / self._period:g} Hz on "
            f"{self._joint_states.topic_name}, {self._controllers.words()}."
        )

    def close(self) -> None:
        """End the motion; returns when nothing is published any more."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _on_check_due(self) -> None:
        """End the node with what has ended the simulation, if anything has."""
        if self.failure is not None:
            raise CannotGoOnError(error_sentence(self.failure))

    def _describe(self) -> None:
        """Publish the arm's description, once for all."""
        description, begin = self.robot.urdf, self.hardware.plant.state[0]
        if self._real:
            description = behind_topics(self.robot, begin, self.get_namespace())
        latched = self.create_publisher(String, "robot_description", LATCHED)
        latched.publish(String(data=description))

    def _publish_truth(self, payload: Array) -> None:
        """Publish what an estimator should find with a payload, as plain numbers."""
        plant = self.hardware.plant
        true = {
            "payload_frame": self.robot.payload_frame,
            "payload_phi": payload.tolist(),
            "joints": list(plant.nominal.joints),
            "link_phi": plant.link_phis.tolist(),
            "sensor": asdict(self.hardware.sensor),
        }
        self._truth.publish(String(data=json.dumps(true)))

    def _on_set(self, changes: Sequence[RosParameter]) -> None:
        """Have another payload carried, or simulated time stand still; have the driver fail."""
        values = current_values(self, PARAMETER_TABLE)
        self._take_up(values)
        if any(change.name == "payload" for change in changes):
            self._publish_truth(self.hardware.payload)

    def _take_up(self, values: Mapping[str, Any]) -> None:
        """Take up what may change at any time."""
        hardware, joints = self.hardware, self.robot.joints
        hardware.fault, self._hung = values["fault"], values["hung"]
        hardware.payload, hardware.push = _payload_of(values), push_of(values, joints)
        (self._going.clear if values["paused"] else self._going.set)()

    def _checked(self, values: Mapping[str, Any]) -> None:
        """Check what may be changed while the arm moves.

        Raises:
            InputError: It cannot be.
        """
        _payload_of(values)
        push_of(values, self.robot.joints)

    def _read(self, message: JointTrajectoryMessage) -> tuple[JointTrajectory, float | None]:
        """Return a trajectory, and the simulated time at which it starts [s]; None: now.

        Raises:
            InputError: The controller would not take it.
        """
        trajectory = trajectory_from_message(message, self.robot.joints)
        if (nanoseconds := stamp_of(message.header.stamp)) == 0:
            return trajectory, None
        start, now = 1e-9 * (nanoseconds - self._start_stamp), self.hardware.plant.time
        if start + trajectory.duration < now:
            raise InputError(
                f"It ended {now - start - trajectory.duration:.3f} s ago by its header's stamp; "
                "use a stamp of zero to start at once."
            )
        return trajectory, start

    def _run(self) -> None:
        """Simulate and publish until told to stop."""
        pace = Pace(self._period / self._factor, self.get_logger().warning)
        hardware = self.hardware
        try:
            count, paused = 0, False
            while not self._stopping.is_set():
                if not self._going.is_set() and not self._going.wait(LOOK):
                    paused = True
                    continue
                if paused:
                    paused = False
                    hardware.reseed()
                    pace.go_on(count)
                reading = hardware.read(count * self._period)
                pace.wait_for(count, self._stopping)
                if not self.context.ok():
                    return
                if not self._hung:
                    self._publish(reading)
                    self._controllers.cycle(
                        Cycle(reading.t, self._period, reading.q, reading.dq, hardware.told)
                    )
                self._controllers.report()
                count += 1
        except Exception as error:  # whatever it is, the node must end with it
            self.get_logger().fatal(str(error))
            self.failure = error

    def _publish(self, reading: Reading) -> None:
        """Publish the clock and joint states."""
        if self._clock_publisher is not None:
            clock = Clock(clock=time_message(self._stamp(reading.t)))
            self._clock_publisher.publish(clock)
        if not self._controllers.broadcasts:
            return
        message, stamp = self._message, self._message.header.stamp
        stamp.sec, stamp.nanosec = divmod(self._stamp(reading.stamp), 10**9)
        message.position = array("d", reading.q.tobytes())
        message.velocity = array("d", reading.dq.tobytes())
        message.effort = array("d", reading.effort.tobytes())
        self._joint_states.publish(message)
        if self._wrenches is not None:
            force, torque = map(vector, self.hardware.wrench().reshape(2, 3))
            sensed = WrenchStamped(wrench=Wrench(force=force, torque=torque))
            sensed.header.stamp, sensed.header.frame_id = stamp, self.robot.payload_frame
            self._wrenches.publish(sensed)

    def _stamp(self, t: float) -> int:
        """Return simulated time t [s] as ROS time [ns]: the clock at the start, plus t."""
        return self._start_stamp + round(t * 1e9)


def _payload_of(values: Mapping[str, Any]) -> Array:
    """Return the payload that the parameters ask for.

    Raises:
        InputError: It is not that of a body.
    """
    payload = as_phi(values["payload"])
    principal_inertia(payload, "the payload")
    return payload


def moving_arm() -> SimulatedArmNode:
    """Return the node with its simulation begun."""
    node = SimulatedArmNode()
    node.start()
    return node


def main(args: Sequence[str] | None = None) -> int:
    """Run the simulated arm until SIGINT or SIGTERM; returns the exit code."""
    return run([moving_arm], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
