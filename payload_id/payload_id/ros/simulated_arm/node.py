"""A node that is, for others, a ros2_control robot: a simulated arm with a payload.

It publishes joint states as joint_state_broadcaster does and follows trajectories as
joint_trajectory_controller does, as slowly as ~/speed_slider asks for [%], which it reports on
~/speed_scaling. Its payload may be set at any time. What it publishes as effort is what the robot
file says that the driver publishes, so that  sign * effort - offset  is the measured joint torque.
"""

from __future__ import annotations

import json
import sys
import threading
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, String
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from ...core.arrays import Array
from ...core.body.inertial import as_phi
from ...core.errors import InputError
from ...core.motion.joint_trajectory import JointTrajectory
from ...core.simulation.live_drives import LiveDrives
from ...core.simulation.plant import PlantState
from ...core.simulation.plant_model import principal_inertia
from ...core.simulation.sensors import effort_from_torque, measure
from ...files.robots.robot_file import RobotFile
from ..common.error_sentence import CannotGoOnError, error_sentence
from ..common.joint_trajectory_message import trajectory_from_message
from ..common.main_loop import run
from ..common.parameters import check_changes, current_values, read_parameters
from ..common.steady_timer import steady_timer
from ..common.topics import LATCHED
from .pacing import Pace
from .setup import PARAMETER_TABLE, build_arm, build_plant, build_sensor, effort_convention

QUEUE = 2000  # joint states that wait for a slow reader
CLOCK_RATE = 200.0  # [Hz] of simulated time on /clock
SPEED_RAMP = 2.0  # [1/s] by which the speed follows the slider
REPORT_PERIOD = 0.02  # [s] between two reports of the speed
PAUSED_PERIOD = 0.02  # [s] how often a paused simulation looks whether it should end
CHECK_PERIOD = 0.1  # [s] how often is looked whether the simulation has failed


class SimulatedArmNode(Node):
    """The simulated arm; it moves in a thread of its own from `start` to `close`.

    Attributes:
        robot: The robot file.
        plant: The simulated arm, touched by the thread only once it has started.
        sensor: Errors of its sensors.
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
        values = read_parameters(self, PARAMETER_TABLE)
        if 0.0 < values["rate"] < 1.0:  # a step of so long could not be interrupted
            raise InputError(
                f"rate must be at least 1 Hz, or 0 for the robot file's; found {values['rate']!r}."
            )
        self.robot = RobotFile.load(values["robot_file"])
        self._period = 1.0 / (values["rate"] or self.robot.joint_states.rate)
        arm = build_arm(self.robot, values)
        self.plant = build_plant(self.robot, values, self._period, arm)
        self._drives = None if arm is None else LiveDrives(arm, self._period)
        self.sensor = build_sensor(values, self.plant.n)
        self.failure: Exception | None = None
        self._seed = [values["seed"], 2]
        self._random = np.random.default_rng(self._seed)
        self._going = threading.Event()  # simulated time goes on
        if not values["paused"]:
            self._going.set()
        self._factor = values["real_time_factor"]
        self._wrapped = values["wrap_positions"]
        self._endless = np.array(self.plant.nominal.continuous)
        self._effort_sign, self._effort_offset = effort_convention(self.robot)
        self._commands: list[tuple[JointTrajectory | None, float | None]] = []
        self._payload: Array | None = None  # to be carried from the next step on
        self._commands_lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="simulation", daemon=True)
        self._slider = self._speed = 1.0
        self._open_topics(values)
        check_changes(self, PARAMETER_TABLE, _payload_of)
        self.add_post_set_parameters_callback(self._on_set)
        self._start_stamp = self.get_clock().now().nanoseconds
        steady_timer(self, CHECK_PERIOD, self._on_check_due)
        steady_timer(self, REPORT_PERIOD, self._on_report_due)

    def start(self) -> None:
        """Begin to move; simulated time begins now."""
        self._start_stamp = self.get_clock().now().nanoseconds
        self._thread.start()
        self.get_logger().info(
            f"Simulating '{self.robot.name}' with {self.plant.n} joints and a payload of "
            f"{self.plant.payload_phi[0]:g} kg; joint states at {1.0 / self._period:g} Hz on "
            f"{self.robot.joint_states.topic}, trajectories on "
            f"{self.robot.command.trajectory_topic}."
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

    def _on_slider(self, message: Float64) -> None:
        """Note where somebody has put the slider [%]."""
        if 0.0 <= message.data <= 100.0:
            self._slider = message.data / 100.0
        else:
            self.get_logger().error(f"The slider goes from 0 to 100 %; found {message.data!r}.")

    def _on_report_due(self) -> None:
        """Report the speed as robots with such a slider do [%]."""
        self._scaling.publish(Float64(data=100.0 * self._speed))

    def _follow_slider(self) -> None:
        """Let the speed follow the slider for one period."""
        step = SPEED_RAMP * self._period
        self._speed += min(max(self._slider - self._speed, -step), step)
        self.plant.set_speed(self._speed)

    def _open_topics(self, values: dict[str, Any]) -> None:
        """Create publishers and the subscription, and publish what never changes."""
        reliable = QoSProfile(depth=QUEUE, reliability=ReliabilityPolicy.RELIABLE)
        topic = self.robot.joint_states.topic
        self._joint_states = self.create_publisher(JointState, topic, reliable)
        self._message = JointState(name=list(self.plant.nominal.joints))
        self._clock_publisher = (
            self.create_publisher(Clock, "/clock", QoSProfile(depth=1))
            if values["publish_clock"]
            else None
        )
        self._clock_every = max(1, round(1.0 / (CLOCK_RATE * self._period)))
        self._description = self.create_publisher(String, "robot_description", LATCHED)
        self._description.publish(String(data=self.robot.urdf))
        self._truth = self.create_publisher(String, "~/truth", LATCHED)
        self._true = self._true_values(values)
        self._truth.publish(String(data=json.dumps(self._true)))
        self._scaling = self.create_publisher(Float64, "~/speed_scaling", 10)
        self.create_subscription(Float64, "~/speed_slider", self._on_slider, 10)
        command = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
        self._subscription = self.create_subscription(
            JointTrajectoryMessage, self.robot.command.trajectory_topic, self._on_command, command
        )

    def _true_values(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return what an estimator should find, as plain numbers."""
        return {
            "payload_frame": self.robot.payload_frame,
            "payload_phi": self.plant.payload_phi.tolist(),
            "joints": list(self.plant.nominal.joints),
            "link_phi": self.plant.link_phis.tolist(),
            "sensor": asdict(self.sensor),
            "drive": values["drive"],
            "friction_coulomb": values["friction_coulomb"],
            "friction_viscous": values["friction_viscous"],
            "armature": values["armature"],
            "seed": values["seed"],
        }

    def _on_set(self, changes: Sequence[RosParameter]) -> None:
        """Have another payload carried; have simulated time stand still or go on."""
        for change in changes:
            if change.name == "paused":
                (self._going.clear if change.value else self._going.set)()
            if change.name == "payload":
                self._carry(_payload_of(current_values(self, PARAMETER_TABLE)))

    def _carry(self, payload: Array) -> None:
        """Have another payload carried."""
        with self._commands_lock:
            self._payload = payload
        self._true["payload_phi"] = payload.tolist()
        self._truth.publish(String(data=json.dumps(self._true)))

    def _on_command(self, message: JointTrajectoryMessage) -> None:
        """Check a trajectory and hand it to the simulation."""
        try:
            trajectory = trajectory_from_message(message, self.plant.nominal.joints)
            start = self._start_time(message, trajectory)
        except InputError as error:
            self.get_logger().error(f"Trajectory rejected: {error}")
            return
        with self._commands_lock:
            self._commands.append((trajectory, start))

    def _start_time(
        self, message: JointTrajectoryMessage, trajectory: JointTrajectory | None
    ) -> float | None:
        """Return the simulated time at which a trajectory starts [s]; None: now."""
        stamp = message.header.stamp
        nanoseconds = stamp.sec * 10**9 + stamp.nanosec
        if nanoseconds == 0 or trajectory is None:
            return None
        start, now = 1e-9 * (nanoseconds - self._start_stamp), self.plant.time
        if start + trajectory.duration < now:
            raise InputError(
                f"It ended {now - start - trajectory.duration:.3f} s ago by its header's stamp; "
                "use a stamp of zero to start at once."
            )
        return start

    def _run(self) -> None:
        """Simulate and publish until told to stop."""
        pace = Pace(self._period / self._factor, self.get_logger().warning)
        try:
            count, paused = 0, False
            while not self._stopping.is_set():
                if not self._going.is_set() and not self._going.wait(PAUSED_PERIOD):
                    paused = True
                    continue
                if paused:
                    self._random, paused = np.random.default_rng(self._seed), False
                    pace.go_on(count)
                self._take_commands()
                self._follow_slider()
                self.plant.step_to(count * self._period)
                state = self.plant.measure()
                pace.wait_for(count, self._stopping)
                self._publish(state, count)
                count += 1
        except Exception as error:  # whatever it is, the node must end with it
            self.get_logger().fatal(str(error))
            self.failure = error

    def _take_commands(self) -> None:
        """Let the plant carry and follow what has arrived."""
        with self._commands_lock:
            commands, self._commands = self._commands, []
            payload, self._payload = self._payload, None
        if payload is not None:
            self.plant.set_payload(payload)
        for trajectory, start in commands:
            self.plant.set_trajectory(self._in_own_turns(trajectory), start)

    def _in_own_turns(self, trajectory: JointTrajectory | None) -> JointTrajectory | None:
        """Return a trajectory that begins near where the arm is told to be, whole turns apart.

        joint_trajectory_controller does so for joints that the description calls continuous.
        """
        if trajectory is None:
            return None
        turns = np.rint((self.plant.desired().q - trajectory.q[0]) / (2 * np.pi)) * self._endless
        return replace(trajectory, q=trajectory.q + 2 * np.pi * turns)

    def _publish(self, state: PlantState, count: int) -> None:
        """Publish what the sensors make of a state."""
        if not self.context.ok():
            self._stopping.set()
            return
        if self._drives is None:
            rows = (state.q[np.newaxis], state.dq[np.newaxis], state.tau[np.newaxis])
        else:
            rows = self._drives.measure(state)
        seen = measure(self.sensor, self._random, np.array([state.t]), *rows)
        if self._clock_publisher is not None and count % self._clock_every == 0:
            clock = Clock()
            self._set_stamp(clock.clock, state.t)
            self._clock_publisher.publish(clock)
        if seen.lost[0]:
            return
        effort = effort_from_torque(seen.tau[0], self._effort_sign, self._effort_offset)
        message = self._message
        self._set_stamp(message.header.stamp, float(seen.stamp[0]))
        q = seen.q[0]
        if self._wrapped:
            q = np.where(self._endless, np.pi - (np.pi - q) % (2 * np.pi), q)
        message.position = array("d", q.tobytes())
        message.velocity = array("d", seen.dq[0].tobytes())
        message.effort = array("d", effort.tobytes())
        self._joint_states.publish(message)

    def _set_stamp(self, stamp: Any, t: float) -> None:
        """Write simulated time t [s] as ROS time: the clock at the start, plus t."""
        stamp.sec, stamp.nanosec = divmod(self._start_stamp + round(t * 1e9), 10**9)


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
