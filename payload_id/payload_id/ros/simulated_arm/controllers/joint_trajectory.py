"""joint_trajectory_controller: which trajectory counts, and how a goal ends.

Drives follow the trajectory between two cycles, too; here it is sampled once a cycle, to be held
against what the joints do. It starts from where it was desired before
(`interpolate_from_desired_state`). Tolerances of its own it has none: only goals bring them.
Source: ros-controls/ros2_controllers@ed360c9, joint_trajectory_controller.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ....core.arrays import Array, BoolArray
from ....core.motion.joint_trajectory import DesiredState, JointTrajectory, starting_from
from .controller import Command, Controller, Cycle, Follow, Hold
from .sampled_trajectory import SampledTrajectory
from .tolerances import Tolerances, within

# Codes of control_msgs/FollowJointTrajectory that the controller uses.
SUCCESSFUL, INVALID_GOAL, PATH_TOLERANCE_VIOLATED, GOAL_TOLERANCE_VIOLATED = 0, -1, -4, -5
PREEMPTED = "Current goal preempted by new incoming action."
DEACTIVATED = "Current goal cancelled during deactivate transition."
OFF_PATH = "Aborted due to path tolerance violation"
TYPE = "joint_trajectory_controller/JointTrajectoryController"


class End(Enum):
    """How a goal ended; values are verbs of rclpy's goal handles."""

    SUCCEEDED = "succeed"
    ABORTED = "abort"
    CANCELED = "canceled"


@dataclass(eq=False)
class Goal:
    """A goal that was accepted, and what became of it.

    Attributes:
        end: How it ended; None: it is under way.
        code: Error code.
        text: The controller's words.
    """

    end: End | None = None
    code: int = SUCCESSFUL
    text: str = ""

    def ends(self, end: End, code: int = SUCCESSFUL, text: str = "") -> None:
        """Note how it ended."""
        self.end, self.code, self.text = end, code, text


@dataclass(frozen=True, eq=False)
class Look:
    """What was held against each other in the newest cycle.

    Attributes:
        cycle: That cycle.
        place: Where on the trajectory the arm should be [s].
        desired: What is desired there, arrays of shape (n,).
        error: Errors of position and velocity, shape (2, n).
    """

    cycle: Cycle
    place: float
    desired: DesiredState
    error: Array


class JointTrajectoryController(Controller):
    """Follows one trajectory at a time.

    Attributes:
        goal: The goal under way; None: none, or a trajectory of the topic.
        look: What the newest cycle showed; None: nothing was looked at.
        watched: Whether somebody wants to know what every cycle shows.
    """

    def __init__(
        self,
        name: str,
        joints: Sequence[str],
        endless: BoolArray,
        commands: Sequence[str] = ("position",),
        states: Sequence[str] = ("position", "velocity"),
    ) -> None:
        """Be inactive.

        Args:
            name: Its name.
            joints: The n joints.
            endless: Which of them are continuous: of their errors whole turns are left out.
            commands: Command interfaces; errors of the velocity count where it is commanded.
            states: State interfaces.
        """
        super().__init__(name, TYPE, joints, commands, states)
        self._endless = np.asarray(endless)
        self._tolerances = Tolerances.of_goal(joints)
        self._judges_velocity = "velocity" in commands and "velocity" in states
        self.goal: Goal | None = None
        self.look: Look | None = None
        self.watched = False
        # A trajectory to be followed, and its start; without one: hold where the joints are.
        self._asked: tuple[JointTrajectory | None, float | None] | None = None
        self._trajectory: SampledTrajectory | None = None
        self._place = 0.0  # on it [s]
        self._holding = True

    def begin(
        self, trajectory: JointTrajectory, start: float | None, tolerances: Tolerances
    ) -> Goal:
        """Accept a goal; the one under way ends.

        Args:
            trajectory: Where to be.
            start: Simulated time of its time 0 [s]; None: from the next cycle on.
            tolerances: What it must keep.
        """
        self._end_goal(End.ABORTED, INVALID_GOAL, PREEMPTED)
        goal = Goal()
        if not self.active:
            goal.ends(End.ABORTED, INVALID_GOAL, DEACTIVATED)
            return goal
        self.replace(trajectory, start)
        self._tolerances, self.goal = tolerances, goal
        return goal

    def replace(self, trajectory: JointTrajectory, start: float | None) -> None:
        """Follow another trajectory, as from the topic: a goal under way goes on with it."""
        if self.active:
            self._asked, self._holding = (trajectory, start), False

    def cancel(self, goal: Goal) -> None:
        """End a goal, and hold where the joints are; one that is not under way is let be."""
        if goal is self.goal:
            goal.ends(End.CANCELED)
            self.goal, self._asked = None, (None, None)

    def activate(self) -> Command | None:
        """Hold where the drives were told to be last."""
        super().activate()
        self._holding, self._trajectory, self._asked = True, None, None
        return Hold()

    def deactivate(self) -> Command | None:
        """Abort the goal; the drives keep their last command, at a velocity of 0."""
        super().deactivate()
        self._end_goal(End.ABORTED, INVALID_GOAL, DEACTIVATED)
        self._trajectory = self._asked = self.look = None
        return Hold()

    def update(self, cycle: Cycle) -> Command | None:
        """Take up what is new, and judge where the joints are."""
        asked, self._asked = self._asked, None
        command: Command | None = None
        if asked is not None:
            points, start = asked
            if points is None:
                return self._hold(cycle)
            command = self._taken_up(cycle, points, start)
        elif self._trajectory is None:
            self._trajectory = SampledTrajectory.still(cycle.told().q)
            self._place = 0.0
        else:
            self._place += cycle.period * cycle.speed
        trajectory = self._trajectory
        if trajectory is None or (self._holding and not self.watched):
            return command
        look = self._looked(cycle, trajectory)
        return self._judged(cycle, look, trajectory.points.duration, asked is not None) or command

    def _taken_up(self, cycle: Cycle, points: JointTrajectory, start: float | None) -> Command:
        """Begin a trajectory from where the drives are told to be, in its own turns."""
        self._place = 0.0 if start is None else cycle.time - start
        before = cycle.told()
        off = before.q - points.q[0]
        off[self._endless] = _shortest(off[self._endless])
        before = replace(before, q=points.q[0] + off)
        whole = starting_from(points, before, at=self._place)
        self._trajectory = SampledTrajectory(whole)
        return Follow(whole, cycle.time - self._place)

    def _looked(self, cycle: Cycle, trajectory: SampledTrajectory) -> Look:
        """Hold what is desired against what the joints do."""
        desired = trajectory.at(self._place)
        off = desired.q - cycle.q
        off[self._endless] = _shortest(off[self._endless])
        speed = desired.dq - cycle.dq if self._judges_velocity else np.zeros_like(off)
        self.look = look = Look(cycle, self._place, desired, np.array([off, speed]))
        return look

    def _judged(self, cycle: Cycle, look: Look, duration: float, first: bool) -> Command | None:
        """End the goal, or the motion, if it is time for that."""
        if self._holding:
            return None
        under_way, late = self._place < duration, self._place - duration
        allowed = self._tolerances
        if (under_way or first) and not within(look.error, allowed.path):
            self._end_goal(End.ABORTED, PATH_TOLERANCE_VIOLATED, OFF_PATH)
            return self._hold(cycle)
        if under_way:
            return None
        if within(look.error, allowed.goal):
            if self.goal is not None:
                self._end_goal(End.SUCCEEDED, SUCCESSFUL, "Goal successfully reached!")
                self._holding = True
            return None
        if allowed.time != 0.0 and late > allowed.time:
            text = f"Aborted due to goal_time_tolerance exceeding by {late:.6f} seconds"
            self._end_goal(End.ABORTED, GOAL_TOLERANCE_VIOLATED, text)
            return self._hold(cycle)
        return None

    def _hold(self, cycle: Cycle) -> Command:
        """Hold where the joints are."""
        self._trajectory, self._place = SampledTrajectory.still(cycle.q), 0.0
        self._holding, self._asked = True, None
        return Hold(cycle.q.copy())

    def _end_goal(self, end: End, code: int, text: str) -> None:
        """End the goal under way, if any."""
        goal, self.goal = self.goal, None
        if goal is not None:
            goal.ends(end, code, text)


def _shortest(angles: Array) -> Array:
    """Return angles less whole turns, within -pi to pi, same shape [rad]."""
    return np.remainder(angles + np.pi, 2 * np.pi) - np.pi
