"""Questions to a robot of ros2_control, and the answers that the real controllers give.

They are put to whatever arm runs in a domain: the simulated one, or real controllers before mock
hardware (`real_controllers.py`). A question finds the trajectory controller active and the arm at
rest, and leaves them so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from action_msgs.msg import GoalStatusArray
from action_msgs.srv import CancelGoal
from builtin_interfaces.msg import Duration, Time
from control_msgs.action import FollowJointTrajectory as Action
from control_msgs.msg import JointTolerance, JointTrajectoryControllerState
from controller_manager_msgs.msg import ControllerManagerActivity
from controller_manager_msgs.srv import ListControllers, ListHardwareInterfaces, SwitchController
from rclpy.action import ActionClient
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from unique_identifier_msgs.msg import UUID

from payload_id import RobotFile

from .nodes import LATCHED, Observer

BROADCASTER, TORQUES = "joint_state_broadcaster", "forward_effort_controller"
BEST_EFFORT, STRICT = SwitchController.Request.BEST_EFFORT, SwitchController.Request.STRICT
NEAR = 5e-3  # [rad]: the simulated arm has weight and drives, mock hardware has not
STEP, TIME = 0.04, 0.3  # [rad], [s]: of the motions
REJECTED = "rejected"
SUCCEEDED, CANCELED, ABORTED = 4, 5, 6
REACHED = (SUCCEEDED, 0, "Goal successfully reached!")


def lasting(seconds: float) -> Duration:
    """Return a duration."""
    whole, rest = divmod(round(seconds * 1e9), 10**9)
    return Duration(sec=whole, nanosec=rest)


def stamp(nanoseconds: int) -> Time:
    """Return a stamp."""
    return Time(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)


class Asker:
    """Who puts questions to an arm."""

    def __init__(self, domain: int, robot: RobotFile) -> None:
        """Find the arm."""
        self.observer, self.joints = Observer(domain, "asker"), robot.joints
        node, self.name = self.observer.node, robot.command.trajectory_topic.split("/")[-2]
        self.states = self.observer.listen(JointState, robot.joint_states.topic)
        self.action = f"/{self.name}/follow_joint_trajectory"
        self.client = ActionClient(node, Action, self.action)
        self.statuses = self.observer.listen(GoalStatusArray, f"{self.action}/_action/status")
        self.topic = node.create_publisher(JointTrajectory, robot.command.trajectory_topic, 10)
        self.feedback: list[Any] = []
        self.observer.wait(self.client.server_is_ready, "the action")
        self.observer.wait(self.topic.get_subscription_count, "a subscriber")
        self.observer.wait(lambda: self.states, "joint states")

    def close(self) -> None:
        """Ask no more."""
        self.client.destroy()
        self.observer.close()

    @property
    def q(self) -> np.ndarray:
        """Positions of now [rad]."""
        self.states.clear()
        newest = self.observer.wait(lambda: self.states and self.states[-1], "joint states")
        return np.array([newest.position[newest.name.index(joint)] for joint in self.joints])

    def passes(self, seconds: float) -> None:
        """Let time pass."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.observer.executor.spin_once(timeout_sec=0.01)

    def path(self, *steps: float, names: Sequence[str] = (), **fields: Any) -> JointTrajectory:
        """Return a motion by steps of all joints from here, TIME apart."""
        names, q = list(names or self.joints), dict(zip(self.joints, self.q, strict=True))
        points = [
            JointTrajectoryPoint(
                positions=[q.get(name, 0.0) + step for name in names],
                time_from_start=lasting((k + 1) * TIME),
            )
            for k, step in enumerate(steps or (STEP,))
        ]
        return JointTrajectory(joint_names=names, points=points, **fields)

    def send(self, path: JointTrajectory, **fields: Any) -> Any:
        """Send a goal; return its handle, or None if it was rejected."""
        self.feedback.clear()
        sent = self.client.send_goal_async(
            Action.Goal(trajectory=path, **fields),
            feedback_callback=lambda message: self.feedback.append(message.feedback),
        )
        handle = self.observer.wait(lambda: sent.done() and sent.result(), "an answer")
        return handle if handle.accepted else None

    def end(self, handle: Any) -> Any:
        """Return how a goal ends: status, code, text."""
        if handle is None:
            return REJECTED
        answer = handle.get_result_async()
        found = self.observer.wait(lambda: answer.done() and answer.result(), "a result")
        return found.status, found.result.error_code, found.result.error_string

    def ask(self, path: JointTrajectory, **fields: Any) -> Any:
        """Send a goal, and return how it ends."""
        return self.end(self.send(path, **fields))

    def moving(self, *steps: float) -> Any:
        """Send a long goal; return its handle once the arm moves."""
        start = self.q
        handle = self.send(self.path(*(steps or np.arange(1, 11) * STEP)))
        self.observer.wait(lambda: np.abs(self.q - start).max() > 0.5 * STEP, "motion")
        return handle

    def arrives(self, goal: np.ndarray, patience: float = 2.0) -> bool:
        """Return whether the arm comes to a place."""
        end = time.monotonic() + patience
        while not (near := np.abs(self.q - goal).max() < NEAR) and time.monotonic() < end:
            pass
        return bool(near)

    def stays(self, seconds: float = 0.4) -> bool:
        """Return whether the arm stays where it is, once it has settled."""
        self.passes(0.3)
        here = self.q
        self.passes(seconds)
        return bool(np.abs(self.q - here).max() < NEAR)

    def cancel(self, identity: Sequence[int] = (0,) * 16) -> int:
        """Ask for a goal to be cancelled, without an identity all; return the code."""
        request = CancelGoal.Request()
        request.goal_info.goal_id = UUID(uuid=list(identity))
        return self.observer.call(
            CancelGoal, f"{self.action}/_action/cancel_goal", goal_info=request.goal_info
        ).return_code

    def switch(self, on: Sequence[str] = (), off: Sequence[str] = (), how: int = STRICT) -> Any:
        """Switch controllers; return whether that was done, and the words."""
        answer = self.observer.call(
            SwitchController, "/controller_manager/switch_controller",
            activate_controllers=on, deactivate_controllers=off, strictness=how, activate_asap=True,
        )  # fmt: skip
        return answer.ok, answer.message

    def controllers(self) -> dict[str, Any]:
        """Return the controllers by name."""
        listed = self.observer.call(ListControllers, "/controller_manager/list_controllers")
        return {x.name: x for x in listed.controller}

    def back(self, *values: Any) -> Any:
        """Let the trajectory controller have the arm again; pass a value on."""
        active = [name for name in (TORQUES,) if self.controllers()[name].state == "active"]
        self.switch([self.name], active)
        return values[0] if len(values) == 1 else values


@dataclass(frozen=True)
class Question:
    """A question: the words, how it is put, and the answer."""

    text: str
    ask: Callable[[Asker], Any]
    answer: Any


def changed(a: Asker, change: Callable[[list[JointTrajectoryPoint]], Any]) -> JointTrajectory:
    """Return a motion of two steps whose points were changed."""
    path = a.path(STEP, 0.0)
    change(path.points)
    return path


def fields(index: int, **values: Any) -> Callable[[list[JointTrajectoryPoint]], None]:
    """Return a change of one point's fields."""

    def change(points: list[JointTrajectoryPoint]) -> None:
        for name, value in values.items():
            setattr(points[index], name, value)

    return change


def stamped(a: Asker, after: float, *steps: float) -> JointTrajectory:
    """Return a motion whose stamp lies some time after the newest joint state [s]."""
    path = a.path(*steps)
    newest = a.states[-1].header.stamp
    path.header.stamp = stamp(newest.sec * 10**9 + newest.nanosec + round(after * 1e9))
    return path


def tolerances(a: Asker, position: float, name: str = "") -> list[JointTolerance]:
    """Return one tolerance, of a joint's position."""
    return [JointTolerance(name=name or a.joints[0], position=position)]


def reaches(a: Asker, names: Sequence[str]) -> tuple[Any, bool]:
    """Return how a motion of joints in some order ends, and whether it was that motion."""
    goal = a.q + STEP * np.arange(7)
    path = a.path(names=names)
    path.points[0].positions = [goal[a.joints.index(name)] for name in names]
    return a.ask(path), a.arrives(goal)


def waits(a: Asker) -> tuple[Any, bool]:
    """Return how a motion that begins later ends, and whether it was waited for."""
    begun = time.monotonic()
    return a.ask(stamped(a, 0.5, STEP)), time.monotonic() - begun > 0.6


def preempted(a: Asker) -> tuple[Any, Any]:
    """Return how a goal and the one that replaces it end."""
    first = a.moving()
    second = a.send(a.path(STEP))
    return a.end(first), a.end(second)


def topic_in_motion(a: Asker) -> tuple[Any, bool]:
    """Return how a goal ends that a trajectory of the topic replaces, and whether it moves."""
    handle = a.moving()
    goal = a.q - STEP
    path = a.path()
    path.points[0].positions = goal.tolist()
    a.topic.publish(path)
    return a.end(handle), a.arrives(goal)


def by_topic(a: Asker, change: Callable[[JointTrajectory], Any] = lambda path: None) -> bool:
    """Return whether a trajectory of the topic moves the arm to its end."""
    path = a.path()
    goal = np.array(path.points[-1].positions)
    change(path)
    a.topic.publish(path)
    return a.arrives(goal, 1.0)


def empty_in_motion(a: Asker) -> Any:
    """Return how a goal ends during which the topic has a trajectory without points."""
    handle = a.moving(*np.arange(1, 4) * STEP)
    a.topic.publish(JointTrajectory(joint_names=a.joints))
    return a.end(handle)


def cancelled(a: Asker) -> tuple[Any, Any, bool]:
    """Return the code of a cancelling, how the goal ends, and whether the arm then stays."""
    handle = a.moving()
    code = a.cancel(handle.goal_id.uuid)
    return code, a.end(handle), a.stays()


def cancelled_afterwards(a: Asker) -> int:
    """Return the code of the cancelling of a goal that has ended."""
    handle = a.send(a.path())
    a.end(handle)
    return a.cancel(handle.goal_id.uuid)


def shown(a: Asker) -> Any:
    """Return what a goal shows while it is followed: status, joints, numbers of values."""
    handle = a.moving(*np.arange(1, 4) * STEP)
    a.observer.wait(lambda: a.feedback, "feedback")
    message, status = a.feedback[-1], a.statuses[-1].status_list[-1].status
    a.end(handle)
    sizes = [len(x.positions) for x in (message.desired, message.actual, message.error)]
    return status, list(message.joint_names) == list(a.joints), sizes


def away_in_motion(a: Asker) -> Any:
    """Return how a goal ends whose controller is deactivated, and whether the arm stays."""
    handle = a.moving()
    a.switch(off=[a.name])
    return a.back(a.end(handle), a.stays())


def inactive(a: Asker, put: Callable[[Asker], Any]) -> Any:
    """Return the answer of an arm whose trajectory controller is not active."""
    a.switch(off=[a.name])
    return a.back(put(a))


def activated_again(a: Asker) -> tuple[bool, Any]:
    """Return whether the arm stays as its controller takes it again, and takes a goal."""
    here = a.q
    a.switch(off=[a.name])
    a.switch([a.name])
    return a.arrives(here), a.ask(a.path())


def claims(a: Asker) -> Any:
    """Return what the controllers claim after a switch."""
    a.switch([TORQUES], [a.name])
    found = {name: list(x.claimed_interfaces) for name, x in a.controllers().items()}
    expected = [f"{joint}/effort" for joint in a.joints]
    return a.back(found[TORQUES] == expected, found[a.name])


def claimed(a: Asker) -> Any:
    """Return which command interfaces of a joint are there, available and claimed."""
    answer = a.observer.call(ListHardwareInterfaces, "/controller_manager/list_hardware_interfaces")
    of_first = [x for x in answer.command_interfaces if x.name.startswith(f"{a.joints[0]}/")]
    return sorted((x.name.split("/")[1], x.is_available, x.is_claimed) for x in of_first)


def states(a: Asker) -> Any:
    """Return which state interfaces a joint has."""
    answer = a.observer.call(ListHardwareInterfaces, "/controller_manager/list_hardware_interfaces")
    names = (x.name for x in answer.state_interfaces)
    return sorted(name.split("/")[1] for name in names if name.startswith(f"{a.joints[0]}/"))


def silent(a: Asker) -> int:
    """Return how many joint states come while their broadcaster is inactive."""
    a.switch(off=[BROADCASTER])
    a.passes(0.2)
    a.states.clear()
    a.passes(0.3)
    count = len(a.states)
    a.switch([BROADCASTER])
    return count


def activity(a: Asker) -> Any:
    """Return what whoever comes late hears of the controllers' states."""
    box = a.observer.listen(ControllerManagerActivity, "/controller_manager/activity", LATCHED)
    message = a.observer.wait(lambda: box and box[-1], "the activity")
    return sorted((x.name, x.state.id, x.state.label) for x in message.controllers)


def quality(topic: str, publishers: bool = True) -> Callable[[Asker], Any]:
    """Return a question for reliability and durability of a topic's end."""

    def ask(a: Asker) -> Any:
        node = a.observer.node
        find = node.get_publishers_info_by_topic if publishers else (
            node.get_subscriptions_info_by_topic)  # fmt: skip
        name = topic.format(controller=a.name)
        infos = a.observer.wait(
            lambda: [x for x in find(name) if x.node_name != "asker"], f"an end of {name}"
        )
        profile = infos[0].qos_profile
        return profile.reliability, profile.durability

    return ask


def state_of_controller(a: Asker) -> Any:
    """Return numbers of values in the controller's state, and whether the arm is as told."""
    box = a.observer.listen(JointTrajectoryControllerState, f"/{a.name}/controller_state")
    message = a.observer.wait(lambda: box and box[-1], "the controller's state")
    parts = (message.reference, message.feedback, message.error, message.output)
    sizes = [len(x.positions) for x in parts]
    small = bool(np.abs(message.error.positions).max() < NEAR)
    return sizes, list(message.joint_names) == list(a.joints), small, message.speed_scaling_factor


def turned(a: Asker) -> Any:
    """Return how a motion ends whose continuous joint is given a whole turn away."""
    path = a.path()
    path.points[0].positions[0] += 2 * np.pi
    answer = a.ask(path)
    path.points[0].positions[0] -= 2 * np.pi
    return answer, a.ask(path)


def listed(a: Asker) -> Any:
    """Return types and states of the controllers."""
    return sorted((x.name, x.type, x.state) for x in a.controllers().values())


JTC = "joint_trajectory_controller"
TORQUES_TYPE = "effort_controllers/JointGroupEffortController"
NOTHING = "After checking the controllers, no controllers need to be activated or deactivated."
NO_SUCH = "Could not activate controller with name 'nobody' because no controller with this name exists"  # fmt: skip  # noqa: E501
SWITCHED = (True, "Successfully switched controllers!")
RELIABLE, EITHER = ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT
KEPT, VOLATILE = DurabilityPolicy.TRANSIENT_LOCAL, DurabilityPolicy.VOLATILE
AWAY = (ABORTED, -1, "Current goal cancelled during deactivate transition.")
PREEMPTED = (ABORTED, -1, "Current goal preempted by new incoming action.")
NONE, UNKNOWN, OVER = 0, 2, 3  # of action_msgs/CancelGoal

GOALS = (
    Question("a goal of all joints", lambda a: a.ask(a.path()), REACHED),
    Question("joints in another order", lambda a: reaches(a, a.joints[::-1]), (REACHED, True)),
    Question("a joint is missing", lambda a: a.ask(a.path(names=a.joints[:6])), REJECTED),
    Question("an unknown joint", lambda a: a.ask(a.path(names=("elbow", *a.joints[1:]))), REJECTED),
    Question("no joint names", lambda a: a.ask(JointTrajectory(points=a.path().points)), REJECTED),
    Question("no points", lambda a: a.ask(JointTrajectory(joint_names=a.joints)), REJECTED),
    Question("motion at the end",
             lambda a: a.ask(changed(a, fields(1, velocities=[0.01] * 7))), REJECTED),
    Question("hardly any motion at the end",
             lambda a: a.ask(changed(a, lambda p: [fields(k, velocities=[1e-8] * 7)(p)
                                                   for k in (0, 1)])), REACHED),
    Question("times that fall",
             lambda a: a.ask(changed(a, fields(1, time_from_start=lasting(0.1)))),
             REJECTED),
    Question("times that are equal",
             lambda a: a.ask(changed(a, fields(1, time_from_start=lasting(TIME)))),
             REJECTED),
    Question("too few positions",
             lambda a: a.ask(changed(a, fields(0, positions=[0.0] * 6))), REJECTED),
    Question("too few velocities",
             lambda a: a.ask(changed(a, fields(0, velocities=[0.0] * 6))), REJECTED),
    Question("no positions, velocities alone",
             lambda a: a.ask(changed(a, lambda p: [fields(k, positions=[], velocities=[0.0] * 7)(p)
                                                   for k in (0, 1)])), REJECTED),
    Question("efforts", lambda a: a.ask(changed(a, fields(0, effort=[0.0] * 7))), REJECTED),
    Question("a motion that is over by its stamp", lambda a: a.ask(stamped(a, -3.0)), REJECTED),
    Question("a motion that has begun by its stamp",
             lambda a: a.ask(stamped(a, -0.1, 0.0, STEP)), REACHED),
    Question("a motion that begins later", waits, (REACHED, True)),
    Question("a continuous joint a whole turn away", turned, (REACHED, REACHED)),
)  # fmt: skip
TOLERANCES = (
    Question("a tolerance on the path that no arm keeps",
             lambda a: a.ask(a.path(STEP, 2 * STEP), path_tolerance=tolerances(a, 1e-9)),
             (ABORTED, -4, "Aborted due to path tolerance violation")),
    Question("a tolerance of -1: none",
             lambda a: a.ask(a.path(), path_tolerance=tolerances(a, -1.0)), REACHED),
    Question("an impossible tolerance",
             lambda a: a.ask(a.path(), path_tolerance=tolerances(a, -0.5)), REACHED),
    Question("a tolerance of an unknown joint beside one that no arm keeps",
             lambda a: a.ask(a.path(), path_tolerance=[*tolerances(a, 1e-9),
                                                       *tolerances(a, 1.0, "elbow")]), REACHED),
)  # fmt: skip
IN_MOTION = (
    Question("what a goal shows in motion", shown, (2, True, [7, 7, 7])),
    Question("cancelled in motion", cancelled, (NONE, (CANCELED, 0, ""), True)),
    Question("cancelled when it was over", cancelled_afterwards, OVER),
    Question("the cancelling of a goal that nobody sent", lambda a: a.cancel([7] * 16), UNKNOWN),
    Question("a goal in motion", preempted, (PREEMPTED, REACHED)),
)  # fmt: skip
BY_TOPIC = (
    Question("a trajectory of the topic while a goal is followed", topic_in_motion,
             (REACHED, True)),
    Question("a trajectory of the topic", by_topic, True),
    Question("a trajectory of the topic without points, in motion", empty_in_motion, REACHED),
    Question("a trajectory of the topic that moves at its end",
             lambda a: by_topic(a, lambda path: fields(0, velocities=[0.1] * 7)(path.points)),
             False),
)  # fmt: skip
LISTED = (
    Question("the controller's state", state_of_controller, ([7] * 4, True, True, 1.0)),
    Question("which controllers there are", listed,
             [(TORQUES, TORQUES_TYPE, "inactive"),
              (BROADCASTER, f"{BROADCASTER}/JointStateBroadcaster", "active"),
              (JTC, f"{JTC}/JointTrajectoryController", "active")]),
    Question("command interfaces of a joint", claimed,
             [("effort", True, False), ("position", True, True), ("velocity", True, False)]),
    Question("state interfaces of a joint", states, ["effort", "position", "velocity"]),
)  # fmt: skip
SWITCHES = (
    Question("an active one once more, strictly", lambda a: a.switch([a.name]),
             (False, f"Controller with name '{JTC}' is already active.")),
    Question("an active one once more, with best effort",
             lambda a: a.switch([a.name], how=BEST_EFFORT), (True, NOTHING)),
    Question("an inactive one to be deactivated, strictly", lambda a: a.switch(off=[TORQUES]),
             (False, f"Controller with name '{TORQUES}' can not be deactivated since it is not "
                     "active.")),
    Question("an unknown one, strictly", lambda a: a.switch(["nobody"]), (False, NO_SUCH)),
    Question("an unknown one, with best effort", lambda a: a.switch(["nobody"], how=BEST_EFFORT),
             (False, f"{NO_SUCH}\n")),
    Question("an unknown one beside one that is active, no strictness",
             lambda a: a.switch([a.name, "nobody"], how=0), (True, NOTHING)),
    Question("another controller in place of it",
             lambda a: a.back(a.switch([TORQUES], [a.name])), SWITCHED),
    Question("what is claimed then", claims, (True, [])),
    Question("deactivated in motion", away_in_motion, (AWAY, True)),
    Question("a goal when it is inactive", lambda a: inactive(a, lambda a: a.ask(a.path())),
             REJECTED),
    Question("a trajectory of the topic when it is inactive", lambda a: inactive(a, by_topic),
             False),
    Question("deactivated and activated again", activated_again, (True, REACHED)),
)  # fmt: skip
HEARD = (
    Question("joint states without their broadcaster", silent, 0),
    Question("what the activity says to whoever comes late", activity,
             [(TORQUES, 2, "inactive"), (BROADCASTER, 3, "active"), (JTC, 3, "active")]),
    Question("quality of joint states", quality("/joint_states"), (RELIABLE, KEPT)),
    Question("quality of the controller's state", quality("/{controller}/controller_state"),
             (RELIABLE, KEPT)),
    Question("quality of who hears trajectories",
             quality("/{controller}/joint_trajectory", False), (EITHER, VOLATILE)),
    Question("quality of who hears commands", quality(f"/{TORQUES}/commands", False),
             (EITHER, VOLATILE)),
)  # fmt: skip
QUESTIONS = (
    *GOALS, *TOLERANCES, *IN_MOTION, *BY_TOPIC, *LISTED, *SWITCHES, *HEARD,
)  # fmt: skip


def wrong(a: Asker, questions: Sequence[Question]) -> dict[str, tuple[Any, Any]]:
    """Return answers that are not those of the real controllers, each beside what it should be."""
    answers = {x.text: (x.ask(a), x.answer) for x in questions}
    return {text: both for text, both in answers.items() if both[0] != both[1]}
