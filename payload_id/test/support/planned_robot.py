"""Planner, bridge and simulated arm, a process each, and an observer who talks to them."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from geometry_msgs.msg import Point, Pose
from payload_id_msgs.action import Execute, Plan
from payload_id_msgs.msg import ExcitationGoal, Obstacle
from payload_id_msgs.srv import Acknowledge, SetObstacles
from rclpy.action import ActionClient
from sensor_msgs.msg import JointState
from shape_msgs.msg import SolidPrimitive
from std_msgs.msg import Bool
from trajectory_msgs.msg import JointTrajectory

from fake_estimator import FakeEstimator
from harness import NodeProcess, Observer
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from payload_id.ros.bridge.parameters import BRIDGE_TABLE
from payload_id.ros.planner.parameters import PLANNER_TABLE

ROBOT = RobotFile.load("kinova_gen3")
PLANNER, BRIDGE = "/payload_planner", "/payload_bridge"
ACCEPTED = "/simulated_arm/accepted"  # what its controller took; without points: a cancelling
PAYLOAD = [0.8, 0.0, 0.0, 0.064, 0.0072, 0.0, 0.0, 0.0072, 0.0, 0.002]
NONE = "torque_absolute torque_offset friction_coulomb friction_viscous rotor_inertia"
BOUNDS = {f"uncertainty.{name}": 0.0 for name in NONE.split()}
BOUNDS |= {"uncertainty.prior.mass_max": 1.5, "uncertainty.prior.com_max": 0.15}
GOAL = ExcitationGoal(family="bezier", duration=1.6, speed_scale=0.6, time_budget=0.6, seed=3)
CONTINUED = {"continue_run": True}  # of a goal of ~/identify: what was said before counts
SUCCEEDED, CANCELED, ABORTED = 4, 5, 6  # of action_msgs/GoalStatus
CLOCK_TOLERANCE = 15.0  # [s]: the simulated arm falls behind on a busy machine; below DDS leases
AT_REST = 0.02  # [rad/s]: what the planner takes for rest
HEARD = 20  # joint states
PARAMETERS = BOUNDS | {
    "limits": "safety_warning",
    "silence": 0.6,
    "payload_box": "[0.1, 0.1, 0.1]",
    "payload_box_centre": "[0.0, 0.0, 0.08]",
    "ground": -0.01,
    "stop_step": 0.2,
    "piece_duration": 3.5,
    "piece_time": 2.0,
    "reaction": 0.4,
    "cell": "none, a simulation",
    "clock_tolerance": CLOCK_TOLERANCE,
    "obstacles_lifetime": 1000.0,
    "enabling_device": True,
    "enable_timeout": 4.0,
}


class PlannedRobot:
    """Simulated arm, bridge and planner; an observer talks to them and plays the estimator."""

    def __init__(self, folder, domain, arm=None, physics_step=1e-3, **changes) -> None:
        """Start them in a domain of their own, beside another arm if it is given; wait for them.

        Bridge and planner have the parameters of `PARAMETERS`, but for `changes`.
        """
        self.folder, self.domain = folder, domain
        self.arm = arm or NodeProcess(
            "simulated_arm", domain, folder / "arm.log", payload=PAYLOAD, rate=100.0,
            physics_step=physics_step,
        )  # fmt: skip
        self._values = PARAMETERS | {"certificates_folder": folder / "certificates"} | changes
        self.bridge = self.start("bridge", BRIDGE_TABLE)
        self.planner = self.start("planner", PLANNER_TABLE)
        self.observer = Observer(domain)
        self.joint_states = self.observer.listen(JointState, "/joint_states")
        self.commands = self.observer.listen(JointTrajectory, ACCEPTED)
        self.estimates = FakeEstimator(self.observer.node)
        enable = self.observer.node.create_publisher(Bool, "/enable", 10)
        self.observer.node.create_timer(0.1, lambda: enable.publish(Bool(data=True)))
        self.observer.wait(self.is_ready, "a planner that is ready", 180.0)

    def start(self, node: str, table) -> NodeProcess:
        """Start bridge or planner with those parameters that it takes."""
        names = [*(entry.name for entry in table), "use_sim_time"]
        own = {name: value for name, value in self._values.items() if name in names}
        return NodeProcess(node, self.domain, self.folder / f"{node}.log", **own)

    def is_ready(self) -> bool:
        """Whether planner and bridge hear the arm and their processes have started."""
        arrays = self.observer.mailbox["/diagnostics"]
        ready = {
            status.name.split(":")[0]
            for array in arrays
            for status in array.status
            if status.message == "Ready."
        }
        return {"payload_planner", "payload_bridge"} <= ready

    def close(self) -> list[int]:
        codes = [self.planner.stop(), self.bridge.stop(), self.arm.stop()]
        self.observer.close()
        return codes

    @property
    def printed(self):
        """Return what bridge and planner have printed."""
        return f"{self.bridge.printed}\n{self.planner.printed}"

    @property
    def q(self):
        return np.array(self.joint_states[-1].position)

    def plan(self, **changes):
        goal = ExcitationGoal(**{name: getattr(GOAL, name) for name in GOAL.get_fields_and_field_types()})  # fmt: skip  # noqa: E501
        for name, value in changes.items():
            setattr(goal, name, value)
        return self.result(self.begin(Plan, "plan", goal=goal)[1])[0]

    def is_at_rest(self) -> bool:
        """Whether the joint states heard last say so; without velocities the planner judges.

        Several, for the last one may be of a publisher that a test has added.
        """
        heard = list(self.joint_states)[-HEARD:]  # none yet on a slow machine
        return bool(heard) and all(np.abs(x.velocity).max(initial=0.0) < AT_REST for x in heard)

    def planned(self, **changes):
        self.observer.wait(self.is_at_rest, "an arm at rest")
        answer = self.plan(**changes)
        assert answer.success, answer.message
        self.newest = answer.description
        return answer.description

    def acknowledge(self, reason="looked at it"):
        return self.observer.call(Acknowledge, f"{BRIDGE}/acknowledge", reason=reason)

    def begin(self, kind=Execute, name="execute", **fields):
        """Send a goal, to execute the newest plan if it is not told otherwise.

        Returns its handle, the future of its result, and the feedback so far.
        """
        if kind is Execute and "plan_id" not in fields:
            fields |= {"plan_id": self.newest.plan_id, "token": self.newest.token}
        client, feedback = ActionClient(self.observer.node, kind, f"{PLANNER}/{name}"), []
        self.observer.wait(client.server_is_ready, name)
        sent = client.send_goal_async(
            kind.Goal(**fields), feedback_callback=lambda message: feedback.append(message.feedback)
        )
        handle = self.observer.wait(lambda: sent.done() and sent.result(), "the goal's handle")
        return handle, handle.get_result_async() if handle.accepted else None, feedback

    def result(self, future):
        answer = self.observer.wait(lambda: future.done() and future.result(), "the result")
        return answer.result, answer.status

    def execute_until(self, moved=0.05):
        """Execute the newest plan; return once the arm has moved that far [rad]."""
        start = self.q
        handle, future, feedback = self.begin()
        self.observer.wait(
            lambda: future.done() or np.abs(self.q - start).max() > moved, "motion or refusal"
        )
        assert not future.done(), future.result().result.message
        return handle, future, feedback


def tip(q):
    """Return where the payload frame is [m]."""
    model = RobotModel.from_robot_file(ROBOT)
    arm, data = model.pinocchio, model.pinocchio.createData()
    pin.framesForwardKinematics(arm, data, model.pinocchio_q(np.array(q)))
    return data.oMf[arm.getFrameId(ROBOT.payload_frame)].translation


def ball(position, radius=0.08, name="ball"):
    message = Obstacle(
        id=name, pose=Pose(position=Point(**dict(zip("xyz", position, strict=True))))
    )
    message.primitive = SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[radius])
    return message


def set_obstacles(robot, operation, *obstacles):
    return robot.observer.call(
        SetObstacles, f"{BRIDGE}/set_obstacles", operation=operation, obstacles=obstacles
    )
