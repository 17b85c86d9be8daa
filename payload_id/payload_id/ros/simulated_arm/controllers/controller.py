"""What all controllers have in common: what they see, what they may ask of the drives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ....core.arrays import Array
from ....core.errors import PayloadIdError
from ....core.motion.joint_trajectory import DesiredState, JointTrajectory


class UpdateError(PayloadIdError, RuntimeError):
    """A controller cannot go on; the controller manager deactivates it."""


@dataclass(frozen=True, eq=False)
class Cycle:
    """What a controller sees in one cycle.

    Attributes:
        time: Simulated time [s].
        period: Time since the last cycle [s].
        q: Positions that the driver reports, shape (n,) [rad or m].
        dq: Velocities, shape (n,) [rad/s or m/s].
        told: Returns what the drives are told now, arrays of shape (n,).
    """

    time: float
    period: float
    q: Array
    dq: Array
    told: Callable[[], DesiredState]


@dataclass(frozen=True, eq=False)
class Follow:
    """Command: follow a trajectory.

    Attributes:
        trajectory: Where to be.
        start: Simulated time of its time 0 [s]; None: now.
    """

    trajectory: JointTrajectory
    start: float | None


@dataclass(frozen=True, eq=False)
class Hold:
    """Command: hold positions.

    Attributes:
        q: Which, shape (n,) [rad or m]; None: those that the drives were told last.
    """

    q: Array | None = None


@dataclass(frozen=True, eq=False)
class Torque:
    """Command: apply torques, shape (n,) [N m or N], whatever becomes of the arm."""

    tau: Array


Command = Follow | Hold | Torque


class Controller:
    """One controller; this one commands nothing.

    Attributes:
        name: Its name.
        type: Its type, package/Class.
        joints: Those that it moves, or reports.
        claims: Command interfaces that it uses when it runs, such as joint_1/position.
        reads: State interfaces.
        active: Whether it runs.
    """

    def __init__(
        self,
        name: str,
        type_name: str,
        joints: Sequence[str],
        commands: Sequence[str] = (),
        states: Sequence[str] = (),
    ) -> None:
        """Be inactive.

        Args:
            name: Its name.
            type_name: Its type.
            joints: Those that it moves, or reports.
            commands: Kinds of command interfaces of each.
            states: Kinds of state interfaces of each.
        """
        self.name, self.type, self.joints, self.active = name, type_name, tuple(joints), False
        self.claims, self.reads = interfaces(joints, commands), interfaces(joints, states)

    def activate(self) -> Command | None:
        """Begin to run; return what the drives are told at once."""
        self.active = True
        return None

    def deactivate(self) -> Command | None:
        """Run no more; return what the drives are told at last."""
        self.active = False
        return None

    def update(self, cycle: Cycle) -> Command | None:
        """Take in one cycle; return what the drives are told, None: nothing new.

        Raises:
            UpdateError: It cannot go on.
        """
        return None


def interfaces(joints: Sequence[str], kinds: Sequence[str]) -> list[str]:
    """Return the names of interfaces, joint by joint: joint_1/position, ..."""
    return [f"{joint}/{kind}" for joint in joints for kind in kinds]
