"""What the bridge and the process of the torque loop say to each other; all of it picklable."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.arrays import Array
from ...core.motion.joint_trajectory import JointTrajectory
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
        silence: Time without joint states after which a moving arm is given back [s].
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
    """Brake, hold where the arm is, and give it back."""


@dataclass(frozen=True)
class Rest:
    """Give the arm back, and send no torques any more once another controller has it."""


@dataclass(frozen=True)
class Ask:
    """Say how it is."""


@dataclass(frozen=True)
class End:
    """End the process; another controller has the arm."""


Order = Follow | Hold | Rest | Ask | End


@dataclass(frozen=True, eq=False)
class LoopState:
    """What the loop says of itself.

    Attributes:
        hears: Whether joint states of all joints come.
        sends: Whether torques are sent: from an order on until the arm was given back.
        number: Of the newest order to follow.
        started: Whether the torque controller has had the arm since then.
        trouble: Why that order is not carried out, or not any more; empty: it is, or was ended.
        way_back: Why the arm is not given back; empty: it is, or nobody has refused.
        figures: Of its period, by name.
        doubt: Why torques act later than the proof counts on; empty if they do not.
        said: What of the controller's assumptions did not hold, with how many steps each.
        holding: Torque that holds the newest pose, shape (n,) [N m or N]; None: not known.
        real_time: Whether the process is scheduled in real time.
    """

    hears: bool
    sends: bool
    number: int
    started: bool
    trouble: str
    way_back: str
    figures: dict[str, float]
    doubt: str
    said: dict[str, int]
    holding: Array | None
    real_time: bool
