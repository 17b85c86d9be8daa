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
from control_msgs.action import FollowJointTrajectory

from ....core.arrays import Array, BoolArray
from ....core.motion.joint_trajectory import DesiredState, JointTrajectory, sample, starting_from
from .controller import Command, Controller, Cycle, Follow, Hold
from .tolerances import Tolerances, within

CODES = FollowJointTrajectory.Result
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
    """A goal that was accepted.

    Attributes:
        end: How it ended, error code and the controller's words; None: it is under way.
    """

    end: tuple[End, int, str] | None = None


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


@dataclass(frozen=True, eq=False)
class _Way:
    """What is followed, at which place [s], and whether errors on it end a goal."""

    points: JointTrajectory
    place: float = 0.0
    judged: bool = False

    @classmethod
    def still(cls, q: Array) -> _Way:
        """Return one that stays at q, shape (n,)."""
        return cls(JointTrajectory(np.zeros(1), np.array(q)[np.newaxis]))


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
        # A trajectory to be followed, and its start; or where the joints are is to be held.
        self._asked: tuple[JointTrajectory, float | None] | Hold | None = None
        self._way: _Way | None = None

    def begin(
        self, trajectory: JointTrajectory, start: float | None, tolerances: Tolerances
    ) -> Goal:
        """Accept a goal; the one under way ends.

        Args:
            trajectory: Where to be.
            start: Simulated time of its time 0 [s]; None: from the next cycle on.
            tolerances: What it must keep.
        """
        self._end_goal(End.ABORTED, CODES.INVALID_GOAL, PREEMPTED)
        goal = Goal()
        if not self.active:
            goal.end = End.ABORTED, CODES.INVALID_GOAL, DEACTIVATED
            return goal
        self.replace(trajectory, start)
        self._tolerances, self.goal = tolerances, goal
        return goal

    def replace(self, trajectory: JointTrajectory, start: float | None) -> None:
        """Follow another trajectory, as from the topic: a goal under way goes on with it."""
        if self.active:
            self._asked = trajectory, start

    def cancel(self, goal: Goal) -> None:
        """End a goal, and hold where the joints are; one that is not under way is let be."""
        if goal is self.goal:
            self._end_goal(End.CANCELED)
            self._asked = Hold()

    def activate(self) -> Command | None:
        """Hold where the drives were told to be last."""
        super().activate()
        self._way = self._asked = None
        return Hold()

    def deactivate(self) -> Command | None:
        """Abort the goal; the drives keep their last command, at a velocity of 0."""
        super().deactivate()
        self._end_goal(End.ABORTED, CODES.INVALID_GOAL, DEACTIVATED)
        self._way = self._asked = self.look = None
        return Hold()

    def update(self, cycle: Cycle) -> Command | None:
        """Take up what is new, and judge where the joints are."""
        asked, self._asked, way = self._asked, None, self._way
        command: Command | None = None
        if isinstance(asked, Hold):
            return self._hold(cycle)
        if asked is not None:
            way, command = self._taken_up(cycle, *asked)
        elif way is None:
            way = _Way.still(cycle.told().q)
        else:
            way = replace(way, place=way.place + cycle.period)
        self._way = way
        if way.judged or self.watched:
            self.look = look = self._looked(cycle, way)
            command = self._judged(look, way, asked is not None) or command
        return command

    def _taken_up(
        self, cycle: Cycle, points: JointTrajectory, start: float | None
    ) -> tuple[_Way, Command]:
        """Begin a trajectory from where the drives are told to be, in its own turns."""
        place, before = 0.0 if start is None else cycle.time - start, cycle.told()
        off = before.q - points.q[0]
        off[self._endless] = _shortest(off[self._endless])
        whole = starting_from(points, replace(before, q=points.q[0] + off), at=place)
        return _Way(whole, place, judged=True), Follow(whole, cycle.time - place)

    def _looked(self, cycle: Cycle, way: _Way) -> Look:
        """Hold what is desired against what the joints do."""
        desired = sample(way.points, way.place)
        off = desired.q - cycle.q
        off[self._endless] = _shortest(off[self._endless])
        speed = desired.dq - cycle.dq if self._judges_velocity else np.zeros_like(off)
        return Look(cycle, way.place, desired, np.array([off, speed]))

    def _judged(self, look: Look, way: _Way, first: bool) -> Command | None:
        """End the goal, or the motion, if it is time for that."""
        late, allowed = way.place - way.points.duration, self._tolerances
        if not way.judged:
            return None
        if (late < 0.0 or first) and not within(look.error, allowed.path):
            return self._hold(look.cycle, CODES.PATH_TOLERANCE_VIOLATED, OFF_PATH)
        if late < 0.0:
            return None
        if within(look.error, allowed.goal):
            self._way = replace(way, judged=self.goal is None)
            self._end_goal(End.SUCCEEDED, CODES.SUCCESSFUL, "Goal successfully reached!")
        elif allowed.time != 0.0 and late > allowed.time:
            text = f"Aborted due to goal_time_tolerance exceeding by {late:.6f} seconds"
            return self._hold(look.cycle, CODES.GOAL_TOLERANCE_VIOLATED, text)
        return None

    def _hold(self, cycle: Cycle, code: int = CODES.SUCCESSFUL, text: str = "") -> Command:
        """Hold where the joints are; a goal under way is aborted."""
        self._end_goal(End.ABORTED, code, text)
        self._way = _Way.still(cycle.q)
        return Hold(cycle.q.copy())

    def _end_goal(self, end: End, code: int = CODES.SUCCESSFUL, text: str = "") -> None:
        """End the goal under way, if any."""
        goal, self.goal = self.goal, None
        if goal is not None:
            goal.end = end, code, text


def _shortest(angles: Array) -> Array:
    """Return angles less whole turns, within -pi to pi, same shape [rad]."""
    return np.remainder(angles + np.pi, 2 * np.pi) - np.pi
