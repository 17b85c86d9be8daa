"""How far joints without end have turned, whole turns included: what a cable along them feels.

A driver may report their positions within one turn, (-pi, pi]. Whole turns are then counted from
one joint state to the next, which is right while a joint turns by less than half a turn in between;
where the count begins, somebody must say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import tau

import numpy as np

from ...core.arrays import Array, BoolArray
from ...core.safety.tube.tube_watch import position_error
from ...files.robots.robot_file import RobotFile

UNLIKE = 1.0  # [rad] by which what is said of a turn may differ from a position, whole turns apart
UNKNOWN = (
    "It is not known how far {joints} turned before this node started: the driver reports "
    "positions within one turn, and the robot file limits the whole turn. Say it by the parameter "
    "'turned'"
)


@dataclass(frozen=True)
class TurnCount:
    """Whole turns of joints whose turn is limited.

    Attributes:
        joints: Names of all n joints.
        limited: Those that turn without end but whose turn is limited, shape (n,).
        counted: Whether the driver counts turns itself.
        speed: Largest speed of each joint, shape (n,) [rad/s].
        doubt: Why the count is not known; empty if it is.
        q: Newest positions, shape (n,) [rad or m]; None before the first.
        stamp_ns: Their stamp [ns].
        whole: Whole turns to add to them, shape (n,).
        said: What was said of the turns before there were positions, shape (n,) [rad].
    """

    joints: tuple[str, ...]
    limited: BoolArray
    counted: bool
    speed: Array
    doubt: str
    q: Array | None = None
    stamp_ns: int = 0
    whole: Array | None = None
    said: Array | None = None

    @classmethod
    def of(cls, robot: RobotFile) -> TurnCount:
        """Begin with what a robot file says."""
        limited = np.array([joint in robot.turn_limited for joint in robot.joints])
        speed = np.max([x.velocity for x in robot.limit_sets.values()], axis=0)
        counted = robot.joint_states.turns == "counted"
        unknown = UNKNOWN.format(joints=", ".join(robot.turn_limited))
        known = counted or not robot.turn_limited
        return cls(robot.joints, limited, counted, speed, "" if known else unknown)

    @property
    def needed(self) -> bool:
        """Whether any turn is limited."""
        return bool(self.limited.any())

    def said_to_be(self, turned: Sequence[float] | Array) -> TurnCount:
        """Return the count after somebody has said how far the joints have turned now.

        Args:
            turned: Turn of each joint, to within 1 rad; others' than limited ones do not
                matter, n numbers [rad].
        """
        said = np.asarray(turned, dtype=float)
        if said.shape != (len(self.joints),):
            doubt = (
                f"The parameter 'turned' takes {len(self.joints)} numbers, one for each joint; "
                f"found {said.size}"
            )
            return replace(self, doubt=doubt)
        if not np.isfinite(said[self.limited]).all():
            doubt = f"The parameter 'turned' takes finite numbers; found {said.tolist()}"
            return replace(self, doubt=doubt)
        if self.q is None or self.counted:
            return replace(self, said=said)
        whole = np.where(self.limited, np.rint((said - self.q) / tau), 0.0)
        unlike = np.where(self.limited, np.abs(said - self.q - tau * whole), 0.0)
        j, doubt = int(np.argmax(unlike)), ""
        if unlike[j] > UNLIKE:
            doubt = (
                f"{self.joints[j]} is said to have turned by {said[j]:.4g} rad (parameter "
                f"'turned'), but its position is {self.q[j]:.4g} rad, off that by {unlike[j]:.2g} "
                "rad and whole turns. Say it anew"
            )
        return replace(self, whole=whole, said=None, doubt=doubt)

    def after(self, stamp_ns: int, q: Array, elapsed: float) -> TurnCount:
        """Return the count after one more joint state.

        Args:
            stamp_ns: Its stamp [ns].
            q: Positions, shape (n,) [rad or m].
            elapsed: Time since the one before came; counts where stamps go back [s].
        """
        now = replace(self, q=q, stamp_ns=stamp_ns)
        if not self.needed:
            return now
        if self.q is None or self.whole is None:
            first = replace(now, whole=np.zeros(len(self.joints)))
            return first if self.said is None else first.said_to_be(self.said)
        turns = np.where(self.limited, np.rint((q - self.q) / tau), 0.0)
        if self.counted:
            return replace(now, doubt=self._jumped(q, turns) or self.doubt)
        step = 1e-9 * (stamp_ns - self.stamp_ns)
        doubt = self._missed(step if step >= 0.0 else elapsed)
        return replace(now, whole=self.whole - turns, doubt=doubt or self.doubt)

    def _jumped(self, q: Array, turns: Array) -> str:
        """Say that a position jumped although the driver counts turns; empty if none did."""
        if not turns.any() or self.q is None:
            return ""
        j = int(np.argmax(np.abs(turns)))
        return (
            f"{self.joints[j]} jumped from {self.q[j]:.4g} to {q[j]:.4g} rad between two joint "
            "states, although the robot file says that the driver counts turns "
            "(joint_states.turns). Look how far it has turned, and start this node anew"
        )

    def _missed(self, gap: float) -> str:
        """Say that a joint may have turned too far between joint states; empty if none can have."""
        reach = np.where(self.limited, gap * self.speed, 0.0)
        if (reach < np.pi).all():
            return ""
        name = self.joints[int(np.argmax(reach))]
        return (
            f"There were no joint states for {gap:.2f} s, in which {name} may have turned by half "
            "a turn. Look how far it has turned, and say it by the parameter 'turned'"
        )

    def at(self, start: Array) -> dict[str, int]:
        """Return by how many whole turns limited joints have turned more than a pose says.

        Args:
            start: A pose that the newest positions are near, whole turns apart, shape (n,).
        """
        if self.q is None or self.whole is None or not self.needed:
            return {}
        more = np.rint((self.q + tau * self.whole - start) / tau)
        return {name: int(more[j]) for j, name in enumerate(self.joints) if self.limited[j]}


def difference(planned: Mapping[str, int], now: Mapping[str, int]) -> str:
    """Say which joint was turned since a plan was made; empty if none was by a whole turn."""
    for name, turns in now.items():
        if turns != planned.get(name, 0):
            by = turns - planned.get(name, 0)
            return f"{name} was turned by {by:+d} whole turns since this plan was made. Plan again."
    return ""


def nearest_turns(
    target: Array, q: Array, continuous: Sequence[bool], lower: Array, upper: Array
) -> Array:
    """Return a pose in the turns that are nearest to where the arm is, within limits if it can be.

    Args:
        target: The pose; of joints that turn without end it counts up to whole turns, shape (n,).
        q: What the driver reports, shape (n,) [rad or m].
        continuous: Joints that turn without end.
        lower: Smallest position in the turns that the driver reports, shape (n,) [rad or m].
        upper: Largest position, likewise.
    """
    nearest = q + position_error(q, target, continuous)
    turns = np.where(np.asarray(continuous), np.rint((nearest - target) / tau), 0.0)
    found = np.asarray(target + tau * turns)
    beyond = np.asarray(continuous) & ((found < lower) | (found > upper))
    other = found - tau * np.sign(found - q)  # the other way around
    allowed = (lower <= other) & (other <= upper)
    return np.where(beyond & allowed, other, found)
