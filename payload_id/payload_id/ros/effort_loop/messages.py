"""What the bridge and the process of the torque loop say to each other; all of it picklable."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.arrays import Array
from ...core.motion.joint_trajectory import JointTrajectory
from .period_watch import LoopFigures
from .torque_follower import Proof


@dataclass(frozen=True)
class LoopSettings:
    """What the loop's process needs to know.

    Attributes:
        node: Name of its node.
        namespace: Namespace of it.
        robot_file: Robot file: path or name.
        joint_states: Topic of sensor_msgs/JointState.
        reliable: Whether it is subscribed to reliably.
        commands: Topic of std_msgs/Float64MultiArray.
        manager: Node of the controller manager.
        torque_controller: The controller that takes torques.
        resting_controller: The one that holds the arm otherwise.
        period: Time between two torques [s].
        silence: Time without joint states after which a moving arm is given away [s].
    """

    node: str
    namespace: str
    robot_file: str
    joint_states: str
    reliable: bool
    commands: str
    manager: str
    torque_controller: str
    resting_controller: str
    period: float
    silence: float


@dataclass(frozen=True, eq=False)
class Follow:
    """Follow a motion, from rest or in place of the one in progress.

    Attributes:
        trajectory: Where to be.
        start_ns: Stamp of its time 0 [ns].
        proof: What its tube was proved for.
        number: Of this order; the answer names it.
        begins: Whether it begins from rest.
        parts: What later parts were proved for, and from which stamps on [ns].
    """

    trajectory: JointTrajectory
    start_ns: int
    proof: Proof
    number: int
    begins: bool
    parts: tuple[tuple[int, Proof], ...] = ()


@dataclass(frozen=True)
class Hold:
    """Brake, and hold where the arm is."""


@dataclass(frozen=True)
class Rest:
    """Send no torques any more: another controller has the arm."""


@dataclass(frozen=True)
class Ask:
    """Say how it is; who does not ask for long counts as gone, until it asks again."""


@dataclass(frozen=True)
class End:
    """End the process; another controller has the arm."""


Order = Follow | Hold | Rest | Ask | End


@dataclass(frozen=True, eq=False)
class LoopState:
    """What the loop says of itself.

    Attributes:
        hears: Whether joint states of all joints come.
        stamp_ns: Of the newest of them [ns]; 0: there was none.
        sends: Whether torques are sent.
        number: Of the order that was carried out last.
        refusal: Why that order was not carried out; empty if it was.
        figures: Of its period.
        design: Period of the robust design in use [s].
        said: What of the controller's assumptions did not hold, with how many steps each.
        holding: Torque that holds the newest pose, shape (n,) [N m or N]; None: not known.
        real_time: Whether the process is scheduled in real time.
        alone: Why it goes on without the bridge, to the end of the motion; empty: it does not.
        deaf: Time since the newest joint state that goes on from those before [s].
    """

    hears: bool
    stamp_ns: int
    sends: bool
    number: int
    refusal: str
    figures: LoopFigures
    design: float
    said: dict[str, int]
    holding: Array | None
    real_time: bool
    alone: str = ""
    deaf: float = 0.0
