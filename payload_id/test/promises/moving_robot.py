"""A robot that moves: simulated arm, bridge and planner, and this end, which plays the others.

It is the arm's driver, its estimator, perception, and the person who holds the enabling device. The
arm is the shipped Gen3 with a finger on its flange that it does not move. What the bridge hears of
it passes through `Driver`, which can be told to spoil it. A motion is planned once, and followed as
often as one likes: between two times the arm is brought back by its own controller.
"""

from __future__ import annotations

import json
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import Point, Pose
from numpy.polynomial.polynomial import polyval
from payload_id_msgs.action import Follow, Plan
from payload_id_msgs.msg import (
    BridgeState,
    ExcitationGoal,
    Obstacle,
    ObstacleArray,
    PayloadEstimate,
    StopReason,
)
from payload_id_msgs.msg import Certificate as CertificateFile
from payload_id_msgs.srv import Acknowledge, SetObstacles
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from shape_msgs.msg import SolidPrimitive
from std_msgs.msg import Bool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from .finger import write_finger
from .nodes import LATCHED, PATIENCE, NodeProcess, Observer, next_domain

PLANNER, BRIDGE, ARM = "/payload_planner", "/payload_bridge", "/simulated_arm"
CONTROLLER = "joint_trajectory_controller"
TRAJECTORY, ACTION = f"/{CONTROLLER}/joint_trajectory", f"/{CONTROLLER}/follow_joint_trajectory"
PAYLOAD = [0.8, 0.0, 0.0, 0.064, 0.0072, 0.0, 0.0, 0.0072, 0.0, 0.002]
SUCCEEDED, CANCELED, ABORTED = 4, 5, 6  # of action_msgs/GoalStatus
STILL = 0.02  # [rad/s]: slower is at rest
KNUCKLE = 0.4  # [rad]: where the finger stands
RATE = 50.0  # of joint states [Hz]
ANSWER = 8.0  # [s] within which a bridge answers that hears a request
NEAR = 4e-3  # [rad]: the arm has weight and drives
WHILE = 15  # joint states
GOAL = ExcitationGoal(family="bezier", duration=1.0, speed_scale=0.6, time_budget=0.3, seed=3)
NOTHING = {  # is not exact of the simulated arm
    f"uncertainty.{name}": 0.0
    for name in "torque_absolute torque_offset friction_coulomb friction_viscous".split()
}
CASE = NOTHING | {
    "uncertainty.rotor_inertia": 0.0,
    "uncertainty.prior.mass_max": 1.5,
    "uncertainty.prior.com_max": 0.15,
    "cell": "none, a simulation",
    "clearance": 0.02,
    "ground": -0.01,
    "payload_box": "[0.1, 0.1, 0.1]",
    "payload_box_centre": "[0.0, 0.0, 0.08]",
    "clock_tolerance": 60.0,  # the simulated arm falls behind on a busy machine
}
# [s] after which what enabling device, perception and finger said does not count, nor joint states:
# longer than a busy machine keeps processes waiting.
LATE, SILENCE = 1.8, 1.6
OF_BRIDGE = {
    "reaction": 0.4,
    "silence": SILENCE,
    "watch_period": 0.02,
    "enabling_device": True,
    "enable_timeout": LATE,
    "obstacles_lifetime": LATE,
}
RIGHT = {"push": [0.0], "fault": False, "allow_motion": True}  # of what tests change
OF_PLANNER = {"limits": "safety_warning", "stop_step": 0.2}
ROBOT = """
extends: package://payload_id/config/robots/kinova_gen3.yaml
name: gen3_with_finger
joint_states: {rate: 50.0, reliability: reliable}
passive_joints: {knuckle: 0.4}
passive_joints_watch: {silence: 1.8}
uncertainty: {position_error: [0.0, 0.0, 0.0, 0.008, 0.0, 0.0, 0.0]}
driver:
  effort_warning: [45.0, 45.0, 45.0, 45.0, 25.0, 25.0, 25.0]
  follows_while:
    no_fault: {topic: /driver/fault, type: std_msgs/msg/Bool, field: data, allowed: [0]}
  reset:
    reset_fault: {service: /driver/reset_fault, type: std_srvs/srv/Trigger}
"""


def robot_file(folder: Path, name: str = "robot.yaml", text: str = "", finger: float = 0.1) -> Path:
    """Write the robot file and its description; return its path.

    Args:
        folder: Where.
        name: Of the robot file.
        text: What it says beside `ROBOT`.
        finger: Mass of the finger [kg].
    """
    write_finger(folder, name, finger)
    path = folder / name
    path.write_text(f"{ROBOT}urdf: {name}.urdf.xacro\n{text}\n")
    return path


def ball(
    place: Sequence[float] = (2.0, 0.0, 1.0), radius: float = 0.1, name: str = "ball"
) -> Obstacle:
    """Return an obstacle out of the arm's reach."""
    message = Obstacle(id=name, pose=Pose(position=Point(**dict(zip("xyz", place, strict=True)))))
    message.primitive = SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[radius])
    return message


def seconds(stamp: Any) -> float:
    """Return a stamp or duration [s]."""
    return stamp.sec + 1e-9 * stamp.nanosec


def shifted(stamp: Any, by: float) -> None:
    """Move a stamp [s]."""
    whole = stamp.sec * 10**9 + stamp.nanosec + round(by * 1e9)
    stamp.sec, stamp.nanosec = divmod(whole, 10**9)


class Driver:
    """Passes the arm's joint states on, finger included; plays enabling device and perception.

    Attributes:
        states: What the arm itself has said, whatever is passed on.
        spoil: What is passed on of a message; None: nothing.
        finger: Where the finger is reported [rad]; None: it is not.
        enabled: What the enabling device says; None: nothing.
        obstacles: What perception says; None: nothing.
    """

    def __init__(self, domain: int) -> None:
        """Begin in a thread of its own, whatever the test does."""
        self.states: list[JointState] = []
        self.spoil: Callable[[JointState], JointState | None] = lambda message: message
        self.finger: float | None = KNUCKLE
        self.enabled: bool | None = True
        self.obstacles: Sequence[Obstacle] | None = ()
        self._observer = Observer(domain, "driver")
        node = self._observer.node
        self._out = node.create_publisher(JointState, "/joint_states", 100)
        self._enable = node.create_publisher(Bool, "/enable", 10)
        self._perception = node.create_publisher(ObstacleArray, f"{BRIDGE}/obstacles", 10)
        node.create_subscription(JointState, "/arm/joint_states", self._pass_on, 100)
        node.create_timer(0.1, self._say)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def _spin(self) -> None:
        while not self._ended.is_set():
            self._observer.executor.spin_once(timeout_sec=0.1)

    def _pass_on(self, message: JointState) -> None:
        self.states.append(message)
        told = JointState(header=deepcopy(message.header), name=list(message.name))
        for kind in ("position", "velocity", "effort"):
            setattr(told, kind, np.array(getattr(message, kind)))
        told = self.spoil(told)
        if told is None:
            return
        if self.finger is not None:
            told.name = [*told.name, "knuckle"]
            told.position = [*told.position, self.finger]
            told.velocity, told.effort = [*told.velocity, 0.0], [*told.effort, 0.0]
        self._out.publish(told)

    def _say(self) -> None:
        if self.enabled is not None:
            self._enable.publish(Bool(data=self.enabled))
        if self.obstacles is not None:
            self._perception.publish(ObstacleArray(obstacles=self.obstacles))

    def mend(self) -> None:
        """Pass on what is true."""
        self.spoil, self.finger, self.enabled = (lambda message: message), KNUCKLE, True
        self.obstacles = ()

    def close(self) -> None:
        """End."""
        self._ended.set()
        self._thread.join()
        self._observer.close()


@dataclass(frozen=True)
class Certificate:
    """A certified motion and its stops, as their files say them; evaluated here.

    Attributes:
        motion: What the file of the motion says, as text.
        stops: The same of the stops, by increasing time.
        longest_stop: What the description says [s].
    """

    motion: str
    stops: tuple[str, ...]
    longest_stop: float
    path: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", json.loads(self.motion)["trajectory"])
        assert self.path["family"] == "bezier"

    @classmethod
    def of(cls, description: Any) -> Certificate:
        """Read those of a plan."""
        file = Path(description.certificate_path)
        stops = [x.read_text() for x in file.parent.glob("stop_*.json")]
        stops.sort(key=lambda text: json.loads(text)["trajectory"]["leaves"])
        return cls(file.read_text(), tuple(stops), description.longest_stop)

    @property
    def duration(self) -> float:
        """Of the motion [s]."""
        return float(self.path["duration"])

    @property
    def tube(self) -> np.ndarray:
        """Largest error of positions [rad]."""
        return np.array(json.loads(self.motion)["tube"]["position"])

    def timings(self) -> list[tuple[float, float]]:
        """Return when each stop leaves the motion, and how long it takes [s]."""
        each = [json.loads(text)["trajectory"] for text in self.stops]
        assert all(x["motion"] == self.path for x in each)
        return [(x["leaves"], x["ramp"]) for x in each]

    def at(self, time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return positions, velocities and accelerations at times [s]."""
        t, length = np.clip(time, 0.0, self.duration), self.duration
        start = {k: np.array(v) for k, v in self.path["start"].items()}
        q0, v0, a0, k = start["q"], start["dq"], start["ddq"], np.array(self.path["k"])
        b1, b2, end = length * v0 / 5, 2 * length * v0 / 5 + length**2 * a0 / 20, k
        points = np.stack([0 * k, b1, b2, end, end, end])
        u, basis = t / length, []
        for i, binomial in enumerate((1, 5, 10, 10, 5, 1)):
            basis.append(binomial * np.polynomial.Polynomial([0, 1]) ** i
                         * np.polynomial.Polynomial([1, -1]) ** (5 - i))  # fmt: skip
        found = []
        for order in range(3):
            values = np.stack([b.deriv(order)(u) if order else b(u) for b in basis], axis=1)
            found.append(values @ points / length**order)
        return q0 + found[0], found[1], found[2]

    def stopped(self, leaves: float, ramp: float, time: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return the same of the motion that leaves for a stop at a time on it [s]."""
        u = np.clip((time - leaves) / ramp, 0.0, 1.0)
        after = time >= leaves
        speed = np.where(after, polyval(u, [1.0, 0.0, -3.0, 2.0]), 1.0)
        bend = np.where(after, polyval(u, [0.0, -6.0, 6.0]) / ramp, 0.0)
        place = np.where(after, leaves + ramp * polyval(u, [0, 1.0, 0, -1.0, 0.5]), time)
        q, dq, ddq = self.at(place)
        return q, speed[:, None] * dq, bend[:, None] * dq + speed[:, None] ** 2 * ddq


class MovingRobot:
    """Arm, bridge and planner, a process each, and an observer who talks to them.

    Attributes:
        home: Where the arm began [rad].
        certificates: Motions by name, as the bridge is to know them.
    """

    def __init__(self, folder: Path, domain: int, **of_bridge: Any) -> None:
        """Start all but the planner's plan; wait until they are ready."""
        self.folder, self.domain = folder, domain
        self.file = robot_file(folder)
        self.of_bridge = OF_BRIDGE | of_bridge
        self.arm, self.bridge = self.start_arm(), self.start_bridge()
        self.planner = NodeProcess(
            "planner", domain, folder, robot_file=self.file,
            certificates_folder=folder / "certificates", **CASE, **OF_PLANNER,
        )  # fmt: skip
        self.driver, self.observer = Driver(domain), Observer(domain)
        node, listen = self.observer.node, self.observer.listen
        self.commands = listen(JointTrajectory, f"{ARM}/accepted")
        self.bridge_states = listen(BridgeState, f"{BRIDGE}/state", LATCHED)
        estimates = node.create_publisher(PayloadEstimate, "/payload_estimator/payload", LATCHED)
        self.say = estimates.publish
        self.home, self.certificates = np.zeros(7), {}
        self._set: set[tuple[str, str]] = set()  # parameters that are not as they were

    def start_arm(self) -> NodeProcess:
        """Start the simulated arm."""
        return NodeProcess(
            "simulated_arm", self.domain, self.folder, "-r", "/joint_states:=/arm/joint_states",
            robot_file=self.file, payload=PAYLOAD, rate=RATE, physics_step=2e-3,
        )  # fmt: skip

    def start_bridge(self, *options: str, **changes: Any) -> NodeProcess:
        """Start a bridge, with other options of ROS and parameters."""
        values = CASE | self.of_bridge | changes | {"robot_file": self.file}
        return NodeProcess("bridge", self.domain, self.folder, *options, **values)

    def close(self) -> None:
        """End all; what printed a traceback is told."""
        for node in (self.planner, self.bridge, self.arm):
            node.stop()
        self.driver.close()
        self.observer.close()
        for node in (self.planner, self.bridge):
            assert "Traceback" not in node.printed, node.printed

    @property
    def state(self) -> BridgeState:
        """What the bridge has said of itself last."""
        return self.bridge_states[-1]

    @property
    def q(self) -> np.ndarray:
        """Where the arm is [rad]."""
        return np.array(self.driver.states[-1].position)

    @property
    def now(self) -> float:
        """The arm's own time [s]."""
        return seconds(self.driver.states[-1].header.stamp)

    def is_still(self) -> bool:
        """Whether the arm itself has shown no motion for a while."""
        newest = self.driver.states[-WHILE:]
        return len(newest) == WHILE and all(fastest(x) < STILL for x in newest)

    def plan(self, **changes: Any) -> Any:
        """Have a motion planned from where the arm stands; return the answer."""
        names = GOAL.get_fields_and_field_types()
        goal = ExcitationGoal(**{name: changes.get(name, getattr(GOAL, name)) for name in names})
        future = self.observer.goal(Plan, f"{PLANNER}/plan", goal=goal)[1]
        return self.observer.result(future)[0]

    def planned(self, **changes: Any) -> Any:
        """Have a motion planned once everybody is ready; return its description."""
        answer = self.plan(**changes)
        end = time.monotonic() + PATIENCE
        while not answer.success:
            assert time.monotonic() < end and self.planner.alive, answer.message
            answer = self.plan(**changes)
        return answer.description

    def ask(self, kind: Any, service: str, **fields: Any) -> Any:
        """Call a service of a bridge; once more where the request went to one that was killed."""
        client = self.observer.node.create_client(kind, service)
        self.observer.wait(client.service_is_ready, f"service {service}")
        asked: list[Any] = []
        again = 0.0

        def answer() -> Any:
            nonlocal again
            if time.monotonic() > again:
                asked.append(client.call_async(kind.Request(**fields)))
                again = time.monotonic() + ANSWER
            return next((x.result() for x in asked if x.done()), None)

        found = self.observer.wait(answer, f"an answer of {service}")
        self.observer.node.destroy_client(client)
        return found

    def move(
        self,
        name: str,
        bridge: str = BRIDGE,
        certificate: Certificate | None = None,
        **fields: Any,
    ) -> tuple[Any, Any]:
        """Ask a bridge to prove and follow a motion; return the goal's handle and future."""
        found = certificate or self.certificates[name]
        files = [CertificateFile(file=array("B", x.encode())) for x in (found.motion, *found.stops)]
        handle, future, _ = self.observer.goal(
            Follow, f"{bridge}/follow", motion_id=name, motion=files[0], stops=files[1:],
            requested_by="a test", **fields,
        )  # fmt: skip
        return handle, future

    def go_to(self, q: Sequence[float]) -> None:
        """Bring the arm somewhere by its own controller, past the bridge."""
        way = float(np.abs(self.q - q).max())
        if way < 1e-3 and self.is_still():
            return
        point = JointTrajectoryPoint(positions=list(q), velocities=[0.0] * 7)
        shifted(point.time_from_start, 0.2 + way / 2.0)
        path = JointTrajectory(joint_names=self.joints, points=[point])
        handle, future, _ = self.observer.goal(FollowJointTrajectory, ACTION, trajectory=path)
        assert handle.accepted, "the arm's own controller rejects a goal"
        self.observer.result(future)
        near = lambda: np.abs(self.q - q).max() < NEAR  # noqa: E731
        self.observer.wait(lambda: near() and self.is_still(), "an arm at rest where it should be")

    @property
    def joints(self) -> list[str]:
        """Their names."""
        return list(self.driver.states[-1].name)

    def set(self, node: str, **values: Any) -> None:
        """Set parameters of a node."""
        self._set |= {(node, k) for k in values}
        parameters = [Parameter(k, value=v).to_parameter_msg() for k, v in values.items()]
        answer = self.observer.call(SetParameters, f"{node}/set_parameters", parameters=parameters)
        assert all(x.successful for x in answer.results), answer

    def put_right(self) -> None:
        """Have everything be as it should, whatever a test has left."""
        self.driver.mend()
        for node, name in tuple(self._set):
            self.set(node, **{name: RIGHT[name]})
        self._set.clear()
        self.say(PayloadEstimate(status=PayloadEstimate.WAITING))
        if self.state.bodies:
            self.set_obstacles(SetObstacles.Request.REPLACE)
        self.acknowledge()  # if there is anything

    @contextmanager
    def publisher(self, kind: Any, topic: str, listeners: int = 1) -> Iterator[Callable[..., None]]:
        """Have a publisher for a while, heard by whoever listens; gives its `publish`."""
        publisher = self.observer.publisher(kind, topic, listeners)
        try:
            yield publisher.publish
        finally:
            self.observer.node.destroy_publisher(publisher)

    def acknowledge(self, reason: str = "looked at it") -> Any:
        """Let the arm move again."""
        return self.ask(Acknowledge, f"{BRIDGE}/acknowledge", reason=reason)

    def set_obstacles(self, operation: int, *obstacles: Any) -> Any:
        """Change the obstacles."""
        service = f"{BRIDGE}/set_obstacles"
        return self.observer.call(
            SetObstacles, service, operation=operation, obstacles=list(obstacles)
        )


@contextmanager
def moving_robot(folder: Path, **of_bridge: Any) -> Iterator[MovingRobot]:
    """Have a robot run whose arm stands at home."""
    robot = MovingRobot(folder, next_domain(), **of_bridge)
    try:
        robot.observer.wait(lambda: robot.driver.states, "joint states")
        robot.home = robot.q
        yield robot
    finally:
        robot.close()


def fastest(state: JointState) -> float:
    """Return the largest speed of a joint [rad/s]."""
    return float(np.abs(state.velocity).max())


def name_of(reason: StopReason) -> str:
    """Return the name of a reason's code."""
    names = (x for x in dir(StopReason) if x.isupper() and "__" not in x)
    return next(x for x in names if getattr(StopReason, x) == reason.code)


def aside(joint: int, by: float) -> Callable[[JointState], JointState]:
    """Return what has a joint be seen aside of where it is, by some way [rad]."""

    def spoil(message: JointState) -> JointState:
        message.position[joint] += by
        return message

    return spoil
